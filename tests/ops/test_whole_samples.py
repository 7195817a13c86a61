"""Every op of the registry as a native function: the bits of eager code, values and derivatives."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compile.codegen import python_of
from gradtape.compile.executor import lowered
from gradtape.compile.passes import optimized
from gradtape.compile.program import Node, Program, Value
from gradtape.compile.whole import native_function
from gradtape.compile.whole.group import WholeGroup
from gradtape.compile.whole.known import Known
from gradtape.compile.whole.native_function import Parts
from gradtape.compile.whole.recording import Recording
from gradtape.compile.whole.stand_in import Steps
from gradtape.extend import checks
from gradtape.native import abi, engine
from gradtape.op.declaration import Op

from .registry import all_ops

pytestmark = pytest.mark.skipif(
    not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()), reason="there is no machine code"
)

OPS = all_ops()

TEXTS: dict[str, str] = {}  # the texts that were written, by the key of what they were written from


@pytest.fixture(autouse=True)
def _known_functions_are_those_that_would_be_written(monkeypatch):
    """Write every text, also where the function is known: one key has one text, and one table."""
    compiled = native_function._compiled

    def checked(parts: Parts) -> Known:
        identity = native_function._identity(parts)
        assert identity is not None
        module, table = native_function.written(parts, identity)
        assert TEXTS.setdefault(identity.key, str(module)) == str(module)
        found = compiled(parts)
        passing = {
            origin for origin in table.origins if origin is None or origin[0] == "locks"
        }  # (made for each table)
        for origin, one, two in zip(table.origins, table.addresses, found.table.addresses, strict=True):
            assert one == two or origin in passing, origin
        return found

    monkeypatch.setattr(native_function, "_compiled", checked)


def named(value: Any) -> str:
    return value.name if isinstance(value, Op) else str(np.dtype(value))


def same_bits(found: Any, expected: Any) -> None:
    """Equal in type, shape and all bits, but for the bits of NaN."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if found.dtype.kind == "O":
        assert found.tolist() == expected.tolist()
        return
    if found.dtype.kind in "fc":
        both = np.isnan(found) & np.isnan(expected)
        found, expected = np.where(both, 0, found), np.where(both, 0, expected)
    assert found.tobytes() == expected.tobytes(), (found, expected)


def program_of(function: Callable[..., Any], *values: Any) -> Program:
    concrete = tf.function(function).get_concrete_function(*values)
    evaluator, _, _ = lowered(concrete.graph, [v._array.shape for v in values], [v._array.dtype for v in values])
    return optimized(evaluator.program)


def samples_as_program(op: Op, dtype: Any) -> tuple[Program, list[Any]]:
    """All samples of an op as instructions of one program, and their operands."""
    program, arrays = Program(), []

    def value(array: Any) -> int:
        number = len(program.looks)
        program.looks[number] = (array.shape, array.dtype)
        return number

    for sample in checks.samples(op, dtype):
        operands = [None if x is None else np.asarray(x) for x in checks.operands(op, sample)]
        if any(x is not None and x.dtype.kind not in "fiubc" for x in operands):
            continue
        attributes = {**op.attributes, **sample.attributes}
        try:
            result = op.eager(operands, **attributes) if op.variadic else op.eager(*operands, **attributes)
        except (ValueError, tf.errors.InvalidArgumentError):  # a sample of another type
            continue
        inputs: list[Any] = []
        for x in operands:
            inputs.append(None if x is None else Value(value(x)))
            if x is not None:
                program.inputs.append(inputs[-1].number)
                arrays.append(np.array(x, order="C"))
        results = (result,) if op.outputs == 1 else tuple(result)
        outputs = tuple(value(np.asarray(x)) for x in results)
        program.nodes.append(Node(op, tuple(inputs), attributes, outputs))
        program.outputs += map(Value, outputs)
    return program, arrays


def check_samples(op: Op, dtype: Any) -> None:
    if np.dtype(dtype) not in op.dtypes:
        return
    program, arrays = samples_as_program(op, dtype)
    native = python_of(program, whole=True)(*arrays)
    for found, expected in zip(native, python_of(program)(*arrays), strict=True):
        same_bits(found, expected)


@pytest.mark.parametrize("op", OPS, ids=named)
def test_samples_have_the_bits_of_eager_code(op):
    check_samples(op, np.float32 if np.dtype(np.float32) in op.dtypes else checks.numeric_kind(op))


def check_without_optimisation(op: Op, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_SPEED_LEVEL", 0)
    monkeypatch.setattr(engine, "_CODE_LEVEL", 0)
    check_samples(op, np.float32 if np.dtype(np.float32) in op.dtypes else checks.numeric_kind(op))


@pytest.mark.parametrize("op", OPS[::16], ids=named)
def test_the_bits_do_not_depend_on_how_much_llvm_optimises(op, monkeypatch):
    check_without_optimisation(op, monkeypatch)


@pytest.mark.full
@pytest.mark.parametrize("op", OPS, ids=named)
def test_the_bits_of_all_samples_do_not_depend_on_how_much_llvm_optimises(op, monkeypatch):
    check_without_optimisation(op, monkeypatch)


KINDS = [np.dtype(letter) for letter in np.typecodes["All"] if letter not in "SUVMm"]


def references_after(program: Program, times: int = 3) -> dict[str, int]:
    """How many references to dtypes, each of which there is once, more or fewer there are after recordings of a program."""

    def record() -> None:
        recording = Recording(program, Steps(calls=True))
        for node in program.nodes:
            recording.add(node)

    def count() -> dict[str, int]:
        gc.collect(0)
        return {kind.name: sys.getrefcount(kind) for kind in KINDS}

    gc.disable()  # so that what is let go in between is what was recorded
    try:
        record()  # (which fills caches)
        before = count()
        for _ in range(times):
            record()
        after = count()
    finally:
        gc.enable()
    changes = {name: after[name] - before[name] for name in before}
    # NumPy's `empty` and its relatives add one to the default dtype's with each call that names none.
    return {
        name: change for name, change in changes.items() if change <= -times or (change >= times and name != "float64")
    }


@pytest.mark.parametrize("op", OPS, ids=named)
def test_recording_an_op_keeps_the_references_to_dtypes(op):
    """Code in C that is given what stands for an array may lose some, when that is no array in the end."""
    program, _ = samples_as_program(op, np.float32 if np.dtype(np.float32) in op.dtypes else checks.numeric_kind(op))
    assert references_after(program) == {}


@pytest.mark.full
@pytest.mark.parametrize("op", OPS, ids=named)
def test_samples_without_a_native_form_are_called(op):
    """All samples of known sizes are one function, those without a native form as calls inside of it."""
    program, arrays = samples_as_program(
        op, np.float32 if np.dtype(np.float32) in op.dtypes else checks.numeric_kind(op)
    )
    group = WholeGroup(Recording(program, Steps(calls=True)), python_of)
    group.nodes += [node for node in program.nodes if group.recording.add(node)]
    group.outputs = [number for node in group.nodes for number in node.outputs]
    if not group.nodes:
        return
    given = dict(zip(program.inputs, arrays, strict=True))
    found = group.code().function(None)(*(given[number] for number in group.used))
    numbers = {output.number: place for place, output in enumerate(program.outputs)}
    expected = python_of(program)(*arrays)
    for number, value in zip(group.outputs, found, strict=True):
        same_bits(value, expected[numbers[number]])


@pytest.mark.full
@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.int64, np.uint8, np.bool_, np.complex64], ids=named)
@pytest.mark.parametrize("op", OPS, ids=named)
def test_samples_of_other_types_have_the_bits_of_eager_code(op, dtype):
    check_samples(op, dtype)


def gradient_of(op: Op, attributes: dict[str, Any]) -> Callable[..., Any]:
    """First and second derivatives of an op, as a function of its operands."""

    def run(*operands: Any) -> Any:
        watched = [x for x in operands if x.dtype.is_floating]
        with tf.GradientTape() as outer:
            outer.watch(watched)
            with tf.GradientTape() as tape:
                tape.watch(watched)
                results = checks.outputs(checks.call(op, list(operands), attributes))
                total = tf.add_n([tf.reduce_sum(r * r) for r in results if r.dtype.is_floating])
            first = tape.gradient(total, watched)
            again = tf.add_n([tf.reduce_sum(g * g) for g in first if g is not None])
        second = outer.gradient(again, watched)
        return [g for g in (*first, *second) if isinstance(g, tf.Tensor)]

    return run


DIFFERENTIABLE = [op for op in OPS if op.vjps and np.dtype(np.float32) in op.dtypes]


def check_gradients(op: Op, count: int) -> None:
    for place, sample in enumerate(checks.samples(op, np.float32)):
        operands = checks.operands(op, sample)
        if place >= count:
            break
        if any(x is None or np.asarray(x).dtype.kind not in "fiub" for x in operands):
            continue
        values = [tf.constant(x) for x in operands]
        try:
            program = program_of(gradient_of(op, sample.attributes), *values)
        except Exception:  # what has no program, or no second derivative, is tested elsewhere
            continue
        given = [value._array for value in values]
        native = python_of(program, whole=True)
        for found, expected in zip(native(*given), python_of(program)(*given), strict=True):
            same_bits(found, expected)


@pytest.mark.parametrize("op", DIFFERENTIABLE[::12], ids=named)
def test_derivatives_have_the_bits_of_eager_code(op):
    check_gradients(op, 3)


@pytest.mark.parametrize("name", ["qr", "lu", "triangular_solve", "reduce_logsumexp"])
def test_recording_derivatives_keeps_the_references_to_dtypes(name):
    """These reach SciPy's BLAS and LAPACK, or reductions that cannot be recorded."""
    (op,) = (op for op in DIFFERENTIABLE if op.name == name)
    sample = next(iter(checks.samples(op, np.float32)))
    program = program_of(gradient_of(op, sample.attributes), *map(tf.constant, checks.operands(op, sample)))
    assert references_after(program) == {}


@pytest.mark.full
@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=named)
def test_derivatives_of_all_samples_have_the_bits_of_eager_code(op):
    check_gradients(op, 1000)
