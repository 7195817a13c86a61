"""What one process has compiled, the next one reads from disk: it compiles nothing, and computes the same bits."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")
pytest.importorskip("keras", reason="the extra `keras` is not installed")

from gradtape.native import engine, object_cache

if not engine.available() or object_cache.of_user() is None:
    pytest.skip("machine code, or its cache, is turned off", allow_module_level=True)

ROOT = pathlib.Path(__file__).parents[2]


def compilations(folder, results, *options):
    """How often a process compiles that has this folder for its cache, and what it computes."""
    environment = {**os.environ, "GRADTAPE_CACHE": str(folder), "PYTHONWARNINGS": "ignore"}
    environment["PYTHONHASHSEED"] = results.stem  # nothing that goes into a key may depend on it
    command = [sys.executable, "-m", "tests.native.compilations", str(results), *options]
    done = subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1]), list(np.load(results).values())


def equal(results, others):
    return all(np.array_equal(one, other) for one, other in zip(results, others, strict=True))


def test_the_second_process_compiles_nothing(tmp_path):
    kernels = tmp_path / "kernels"
    first, computed = compilations(kernels, tmp_path / "1.npz")
    assert first > 30
    assert len(list(kernels.glob("*.o"))) == first
    assert len(list(kernels.glob("*.note"))) >= 2  # for functions that become native as a whole
    second, again = compilations(kernels, tmp_path / "2.npz")
    assert second == 0
    assert equal(computed, again)


def test_damaged_and_exchanged_files_are_compiled_again(tmp_path):
    kernels = tmp_path / "kernels"
    first, computed = compilations(kernels, tmp_path / "1.npz", "no-keras")
    files = sorted(kernels.iterdir())
    whole = [file.read_bytes() for file in files]
    for k, file in enumerate(files):  # (instructions that would end the process, or the code of another kernel)
        file.write_bytes(whole[k][:100] + b"\xcc" * (len(whole[k]) - 100) if k % 2 else whole[k - 1])
    second, again = compilations(kernels, tmp_path / "2.npz", "no-keras")
    assert second == first
    assert equal(computed, again)
    assert {file.name for file in kernels.iterdir()} == {file.name for file in files}
    assert [file.read_bytes() for file in files] == whole
