"""What gradtape asks of the C library's allocator, and how to turn that off."""

import os
import platform
import subprocess
import sys

import pytest

PROGRAM = "import gradtape.base.memory as memory; print(memory.keep_freed_memory())"


def answer(environment: dict[str, str]) -> str:
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("name", ["GRADTAPE_KEEP_MEMORY", "MALLOC_TRIM_THRESHOLD_"])
def test_the_environment_can_turn_it_off(name: str) -> None:
    assert answer({**os.environ, name: "0"}) == "False"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has these settings")
def test_glibc_agrees() -> None:
    assert answer(dict(os.environ)) == "True"
