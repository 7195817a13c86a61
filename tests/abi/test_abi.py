"""What is relied on inside of CPython and NumPy: it is tried before it is used, and there is another way for each."""

import ctypes
import logging
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gradtape as tf
from gradtape.base import frames
from gradtape.base import reliance as reliance_module
from gradtape.base.reliance import RELIANCES
from gradtape.native import abi, blas, pool

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("name", RELIANCES)
def test_it_holds_here(name):
    if name == "exports_memory" and abi.has_buffer_methods():
        pytest.skip("the language has it")
    if name == "multiplies" and abi.openblas() is None:
        pytest.skip("NumPy has another library")
    assert RELIANCES[name].trial()


def test_importing_tries_nothing_but_what_a_class_is_made_with():
    code = (
        "import gradtape; from gradtape.base.reliance import RELIANCES; "
        "print([name for name, reliance in RELIANCES.items() if reliance._holds is not None])"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == str([] if abi.has_buffer_methods() else ["exports_memory"])


# --- one that fails ----------------------------------------------------------------------------------------------------------


def test_one_notice_says_what_differs_and_what_is_done_about_it(caplog):
    tried = []

    def looks_inside():
        tried.append(1)
        return False

    reliance = reliance_module.Reliance(looks_inside, "Something takes longer.")
    with caplog.at_level(logging.WARNING, "gradtape"), ThreadPoolExecutor(4) as threads:
        assert not any(threads.map(lambda _: reliance(), range(40)))
    assert len(tried) == len(caplog.messages) == 1
    (message,) = caplog.messages
    assert f"with NumPy {np.__version__} is not inside as gradtape knows it (looks_inside: " in message
    assert message.endswith("Something takes longer. The results are the same.")


def test_a_trial_that_raises_has_failed(caplog):
    def looks_inside():
        raise AttributeError("no such table")

    assert not reliance_module.Reliance(looks_inside, "Something takes longer.")()
    assert "(looks_inside: AttributeError: no such table)" in caplog.text


def test_who_hears_the_notice_may_ask_again():
    class Asks(logging.Handler):
        def emit(self, record):
            answers.append(reliance())

    answers = []
    reliance = reliance_module.Reliance(lambda: False, "")
    handler = Asks()
    reliance_module.LOGGER.addHandler(handler)
    try:
        reliance()
    finally:
        reliance_module.LOGGER.removeHandler(handler)
    assert answers == [False]


@pytest.mark.parametrize("name", ["reads_elements", "makes_ufuncs", "sets_allocators"])
def test_another_interpreter_is_left_alone(name, monkeypatch):
    monkeypatch.setattr(sys.implementation, "name", "another")
    monkeypatch.setattr(ctypes, "pythonapi", None)
    assert not RELIANCES[name].trial()


def test_an_array_that_is_laid_out_differently_is_noticed(monkeypatch):
    monkeypatch.setattr(abi, "_HEAD", abi._HEAD + 8)
    assert not abi.reads_elements.trial()


@pytest.mark.parametrize("name", ["makes_ufuncs", "sets_allocators"])
def test_tables_of_another_version_are_noticed(name, monkeypatch):
    monkeypatch.setattr(abi, "_ABI_VERSION", 0x0300_0000)
    assert not RELIANCES[name].trial()


def test_a_class_that_is_laid_out_differently_is_left_alone(monkeypatch):
    for place in range(0, 400, 8):
        if place != 160:
            monkeypatch.setattr(abi, "_BUFFER_SLOT_AT", place)
            assert not abi.exports_memory.trial()


def test_ufuncs_that_compute_something_else_are_noticed(monkeypatch):
    monkeypatch.setattr(abi, "new_ufunc", lambda *_: np.negative)
    assert not abi.makes_ufuncs.trial()


def test_an_allocator_with_other_fields_is_noticed(monkeypatch):
    monkeypatch.setattr(abi, "allocator", lambda: abi.Allocator(b"default", 1))
    assert not abi.sets_allocators.trial()


@pytest.mark.parametrize("count", [lambda _: 3, lambda thing: 1 << 32, lambda thing: id(thing)])
def test_counts_of_another_kind_are_noticed(count, monkeypatch):
    monkeypatch.setattr(sys, "getrefcount", count)
    assert not abi.counts_holders.trial()


def test_an_interpreter_without_its_lock_is_noticed(monkeypatch):
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    assert not abi.counts_holders.trial()
    monkeypatch.setattr(blas, "_openblas", lambda: True)
    monkeypatch.setattr(pool, "can_post", lambda: True)
    assert not blas.can_post(1 << 30, np.dtype(np.float32)), "the lock keeps two threads from posting at once"


def test_products_that_are_wrong_are_noticed(monkeypatch):
    nothing = ctypes.CFUNCTYPE(None)(lambda: None)
    address = ctypes.cast(nothing, ctypes.c_void_p).value
    monkeypatch.setattr(abi, "openblas", lambda: abi.OpenBLAS(1, None, {"f": address, "d": address}))
    assert not abi.multiplies.trial()


@pytest.mark.parametrize("other", [{"_CALLS": frozenset()}, {"_loaded_name": lambda found: None}])
def test_bytecode_of_another_kind_is_noticed(other, monkeypatch):
    monkeypatch.setattr(frames, "_callee_names", frames._callee_names.__wrapped__)
    for name, value in other.items():
        monkeypatch.setattr(frames, name, value)
    assert not frames.names_calls.trial()


def test_without_names_of_calls_an_operator_counts_as_the_function(monkeypatch):
    array, x = np.ones(2, np.float32), tf.constant([1.0, 2.0])
    assert isinstance(array + x, tf.Tensor)
    monkeypatch.setattr(frames.names_calls, "_holds", False)
    np.testing.assert_array_equal(array + x, [2.0, 3.0])
    assert not isinstance(array + x, tf.Tensor)


# --- the other ways ----------------------------------------------------------------------------------------------------------


def test_an_address_that_is_asked_for_is_the_one_that_is_read(monkeypatch):
    arrays = [np.zeros((3, 4)), np.zeros((3, 4))[1:, ::2], np.array(1.0), np.empty(0)]
    read = [abi.address_of(array) for array in arrays]
    monkeypatch.setattr(abi.reads_elements, "_holds", False)
    assert [abi.address_of(array) for array in arrays] == read
    assert abi.reference() is abi.address_of
    assert abi.elements_at() is None


# What runs while one of them fails. (All of tests/native, tests/compile and tests/test_variable.py pass as well.)
SUBJECTS = {
    "reads_elements": (
        ["native/test_ufuncs.py", "native/test_sums.py", "compile/test_row_groups.py"],
        "not any_program",
    ),
    "makes_ufuncs": (["native/test_updates.py", "native/test_texts.py"], "not large_arrays_give"),
    "sets_allocators": (["native/test_updates.py", "native/test_ufuncs.py"], ""),
    "counts_holders": (["test_variable.py", "compile/test_compiled_programs.py"], "variable"),
    "multiplies": (["linalg/test_products_and_norms.py"], ""),
    "calls_inner_loops": (["compile/test_compiled_programs.py"], "gradient or variable"),
    "reads_counts": (["compile/test_native_variables.py"], "not in_place"),
    "calls_matrix_functions": (["compile/test_native_calls.py"], "error or branch"),
    "orders_lines": (["ops/test_whole_samples.py"], "sort_along or order_along or argmax or argmin"),
    "exports_memory": (["test_interop.py", "test_tensor.py"], ""),
    "makes_functions": (["compile/test_compiled_programs.py"], "gradient or variable"),
    "calls_objects_directly": (["compile/test_native_calls.py", "native/test_callables.py"], ""),
}


@pytest.mark.parametrize("name", [name for name in RELIANCES if RELIANCES[name].results == reliance_module.SAME])
def test_the_results_are_the_same_where_it_fails(name):
    files, chosen = SUBJECTS[name]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.abi.without", "-k", chosen]
    run = subprocess.run(
        [*command, *[str(ROOT / "tests" / file) for file in files]],
        cwd=ROOT,
        env={**os.environ, "GRADTAPE_TEST_WITHOUT": name},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert re.search(r"\d+ passed", run.stdout)


# --- one place ---------------------------------------------------------------------------------------------------------------

INTERNALS = (
    r"__class__ = |\.__class__,.* = |getrefcount|_is_gil_enabled|from_address|pythonapi|__basicsize__|_multiarray|"
    r"__array_interface__|ctypes\.PyDLL|/proc/self/maps"
)


def test_internals_are_touched_in_one_module():
    found = {}
    for file in (ROOT / "src").rglob("*.py"):
        words = set(re.findall(INTERNALS, file.read_text(encoding="utf-8")))
        if words:
            found[file.relative_to(ROOT / "src").as_posix()] = words
    assert found.pop("gradtape/native/abi.py")
    assert not found


def test_an_object_becomes_one_of_a_class_with_the_same_fields():
    class Loud(tf.Module):
        def says(self):
            return "aye"

    class Laden(tf.Module):
        __slots__ = ("load",)

    module = tf.Module()
    abi.become(module, Loud)
    assert module.says() == "aye"
    with pytest.raises(TypeError, match="layout differs"):
        abi.become(module, Laden)
