"""What machine code computes does not depend on how wide the registers of a processor are."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

import llvmlite.binding as llvm

import gradtape as tf
from gradtape.native import engine

if not engine.available():
    pytest.skip("machine code is turned off", allow_module_level=True)

ROOT = pathlib.Path(__file__).parents[2]
WIDTHS = [bits for bits in (128, 256, 512) if bits <= 8 * engine.register_bytes()]
ON_X86 = engine._machine().architecture.startswith("x86")


def results(bits, folder):
    """The arrays that `results_at_width.py` computes in a process with registers of so many bits."""
    environment = {**os.environ, "GRADTAPE_VECTOR_BITS": str(bits), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "tests.native.results_at_width", str(folder / "results.npz")]
    subprocess.run(command, env=environment, cwd=ROOT, check=True)
    return dict(np.load(folder / "results.npz"))


@pytest.fixture(scope="module")
def widest(tmp_path_factory):
    return results(WIDTHS[-1], tmp_path_factory.mktemp("widest"))


@pytest.mark.parametrize("bits", WIDTHS[:-1])
def test_results_agree(bits, widest, tmp_path):
    found = results(bits, tmp_path)
    assert found.keys() == widest.keys()
    assert found.pop("register_bytes") == bits // 8
    for name, result in found.items():
        if name.startswith("exact"):
            np.testing.assert_array_equal(result, widest[name], err_msg=name)
        else:  # docs/design/native.md: sums of positive terms are exact to 2e-6 in float32
            unit = np.finfo(result.dtype).eps / np.finfo(np.float32).eps
            np.testing.assert_allclose(result, widest[name], rtol=2e-6 * unit, err_msg=name)


@pytest.mark.skipif(not ON_X86, reason="other processors have one width")
@pytest.mark.parametrize("bits", WIDTHS)
def test_code_is_written_for_the_width_that_is_asked_for(bits, monkeypatch):
    monkeypatch.setenv("GRADTAPE_VECTOR_BITS", str(bits))
    machine = engine._Machine()
    assert machine.register_bytes == bits // 8
    assert machine.registers == (32 if bits == 512 else 16)
    text = """
        define void @add(ptr %a) {
            %x = load <16 x i32>, ptr %a
            %y = add <16 x i32> %x, %x
            store <16 x i32> %y, ptr %a
            ret void
        }"""
    assembly = machine.target().emit_assembly(llvm.parse_assembly(text))
    names = {512: "zmm", 256: "ymm", 128: "xmm"}
    assert [name in assembly for name in names.values()] == [bits == width for width in names]


def test_more_than_there_is_changes_nothing(monkeypatch):
    monkeypatch.setenv("GRADTAPE_VECTOR_BITS", "512")
    wide = engine._Machine()
    monkeypatch.delenv("GRADTAPE_VECTOR_BITS")
    assert wide.features == engine._Machine().features


@pytest.mark.parametrize("given", ["", "64", "wide", "256 bits"])
def test_another_number_is_an_error(given, monkeypatch):
    monkeypatch.setenv("GRADTAPE_VECTOR_BITS", given)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be 128, 256 or 512, got"):
        engine._Machine()
