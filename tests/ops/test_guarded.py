"""No native function touches memory beside its arrays: `tests/ops/guarded.py`, in a process of its own."""

import os
import pathlib
import subprocess
import sys

import pytest

from gradtape.native import abi, engine

if not (engine.available() and abi.calls_inner_loops() and abi.makes_functions() and abi.sets_allocators()):
    pytest.skip("there is no machine code", allow_module_level=True)
if sys.platform != "linux":
    pytest.skip("pages are locked as on Linux", allow_module_level=True)

ROOT = pathlib.Path(__file__).parents[2]


def run(at_end: bool, start: int, step: int) -> None:
    command = [sys.executable, "-m", "tests.ops.guarded", str(int(at_end)), str(start), str(step)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout.split()[-1:], done.stderr[-2000:])
    assert int(done.stdout.split()[-1]) > 10


@pytest.mark.parametrize("at_end", [True, False], ids=["before a guard", "behind a guard"])
def test_samples_stay_within_their_arrays(at_end):
    run(at_end, 3, 24)


@pytest.mark.full
@pytest.mark.parametrize("start", range(4))  # (a process can have 65,530 areas of memory)
@pytest.mark.parametrize("at_end", [True, False], ids=["before a guard", "behind a guard"])
def test_all_samples_stay_within_their_arrays(at_end, start):
    run(at_end, start, 4)


@pytest.mark.parametrize("place", [-1, 8], ids=["behind a guard", "before a guard"])
def test_who_touches_a_guard_is_ended(place):
    at_end = place > 0
    code = f"""
import ctypes, numpy as np
from tests.ops.guarded import placed
array = placed(np.zeros(2, np.float32), {at_end})
ctypes.c_char.from_address(array.ctypes.data + {place}).value
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=os.environ, capture_output=True)
    assert done.returncode < 0  # a signal
