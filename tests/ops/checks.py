"""What every op must fulfil, checked on the samples that stand with its declaration.

Each function takes an op and one sample and raises AssertionError where the op breaks its promise. Derivatives are
compared with central differences in float64, contracted with random directions: one number for each sample checks
all of a Jacobian.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.differentiation.vectorize import Batched, batch, next_depth
from gradtape.op.declaration import REGISTRY, REQUIRED, BadInput, Op, Sample
from gradtape.values.tensor import IndexedSlices, from_array

STEP = 1e-6


def all_ops() -> list[Op]:
    import importlib
    import pkgutil

    import gradtape.ops as ops_package

    for module in pkgutil.walk_packages(ops_package.__path__, "gradtape.ops."):
        importlib.import_module(module.name)
    return list(REGISTRY.values())


def drawer(op: Op, dtype: Any, seed: int = 0) -> Any:
    """`draw(shape, low, high, avoid)`: random values of a type, away from the points in `avoid`."""
    rng = np.random.default_rng([zlib.crc32(op.name.encode()), seed])
    dtype = np.dtype(dtype)

    def draw(shape: Any, low: float = -2.0, high: float = 2.0, avoid: tuple[float, ...] = ()) -> Any:
        if dtype.kind == "b":
            return rng.random(shape) < 0.5 if shape else np.bool_(rng.random() < 0.5)
        values = rng.uniform(low, high, shape)
        for point in avoid:
            near = np.abs(values - point) < 0.1
            values = np.where(near, point + np.where(values >= point, 0.1, -0.1) * 1.5, values)
        if dtype.kind in "iu":
            return np.asarray(np.round(values * 3)).astype(dtype)
        if dtype.kind == "c":
            return (values + 1j * rng.uniform(0.2, 1.0, shape)).astype(dtype)
        return np.asarray(values).astype(dtype)

    return draw


def samples(op: Op, dtype: Any, seed: int = 0) -> Iterator[Sample]:
    for sampler in op.samplers:
        yield from sampler(drawer(op, dtype, seed))


def operands(op: Op, sample: Sample) -> list[Any]:
    return list(sample.args[0]) if op.variadic else list(sample.args)


def call(op: Op, values: list[Any], attributes: dict[str, Any]) -> Any:
    return op.public(list(values), **attributes) if op.variadic else op.public(*values, **attributes)


def outputs(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def differentiable_positions(op: Op, values: list[Any]) -> list[int]:
    """Which operands are floating and have a derivative that differences can see."""
    found = []
    for position, value in enumerate(values):
        argument = op.arguments[0] if op.variadic else op.arguments[position]
        if np.asarray(value).dtype.kind in "fc" and argument in op.vjps and argument not in op.steps_in:
            found.append(position)
    return found


def numeric_kind(op: Op) -> Any:
    """The type in which an op's values are drawn when its derivatives are not in question."""
    for dtype in (np.float64, np.int64, np.bool_):
        if np.dtype(dtype) in op.dtypes:
            return dtype
    return np.float64


# --- directions ------------------------------------------------------------------------------------------------------


def like(rng: np.random.Generator, value: Any) -> Any:
    value = np.asarray(value)
    direction = rng.standard_normal(value.shape)
    if value.dtype.kind == "c":
        direction = direction + 1j * rng.standard_normal(value.shape)
    return np.asarray(direction).astype(value.dtype)


def inner(first: list[Any], second: list[Any]) -> float:
    """The real inner product of two lists of arrays."""
    return float(sum(np.sum(np.real(np.conj(a) * b)) for a, b in zip(first, second, strict=True)))


def close(actual: Any, expected: Any, what: str, rtol: float = 2e-5, atol: float = 2e-6) -> None:
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol, err_msg=what)


class Directional:
    """One op on one float64 sample, with fixed random directions for its operands and outputs."""

    def __init__(self, op: Op, sample: Sample) -> None:
        self.op, self.attributes = op, sample.attributes
        self.values = [np.asarray(v) for v in operands(op, sample)]
        self.positions = differentiable_positions(op, self.values)
        rng = np.random.default_rng(7)
        allowed = op.allowed_direction or (lambda direction: direction)
        self.v = [allowed(like(rng, self.values[p])) for p in self.positions]
        self.w = [allowed(like(rng, self.values[p])) for p in self.positions]
        shown = outputs(call(op, self.values, self.attributes))
        self.chosen = [k for k, out in enumerate(shown) if out.dtype.is_differentiable]
        self.u = [like(rng, shown[k].numpy()) for k in self.chosen]

    def at(self, *offsets: tuple[float, list[Any]]) -> list[Any]:
        moved = list(self.values)
        for scale, direction in offsets:
            for position, d in zip(self.positions, direction, strict=True):
                moved[position] = moved[position] + scale * d
        return moved

    def value(self, values: list[Any]) -> list[Any]:
        shown = outputs(call(self.op, values, self.attributes))
        return [shown[k].numpy() for k in self.chosen]

    def sources(self, values: list[Any]) -> tuple[list[Any], list[Any]]:
        tensors = [tf.constant(v) for v in values]
        return tensors, [tensors[p] for p in self.positions]

    def vjp(self, values: list[Any]) -> list[Any]:
        tensors, sources = self.sources(values)
        with tf.GradientTape() as tape:
            tape.watch(sources)
            shown = outputs(call(self.op, tensors, self.attributes))
            targets = [shown[k] for k in self.chosen]
        found = tape.gradient(targets, sources, [tf.constant(u) for u in self.u], "zero")
        return [dense(g) for g in found]

    def numeric_first(self) -> float:
        """d/dh <u, f(x + h v)>."""
        high, low = self.value(self.at((STEP, self.v))), self.value(self.at((-STEP, self.v)))
        return inner(self.u, [(a - b) / (2 * STEP) for a, b in zip(high, low, strict=True)])


def dense(gradient: Any) -> Any:
    return (tf.convert_to_tensor(gradient) if isinstance(gradient, IndexedSlices) else gradient).numpy()


# --- the checks ------------------------------------------------------------------------------------------------------


def check_value(op: Op, sample: Sample) -> None:
    """The value agrees with the reference (or the op's own text on NumPy), and public and internal entry agree."""
    values = operands(op, sample)
    shown = [np.asarray(t) for t in outputs(call(op, values, sample.attributes))]
    given = dict(op.attributes) | sample.attributes
    if op.reference is not None:
        expected = op.reference(values, **given) if op.variadic else op.reference(*values, **given)
        expected = list(expected) if isinstance(expected, (list, tuple)) else [expected]
        for a, b in zip(shown, expected, strict=True):
            close(a, b, f"{op.name}: value", 1e-9, 1e-9)
            assert np.shape(a) == np.shape(b), (op.name, np.shape(a), np.shape(b))
    if sample.reference is not None:
        np.testing.assert_array_equal(shown[0], sample.reference, err_msg=op.name)
    internal = op(values, **given) if op.variadic else op(*[np.asarray(v) for v in values], **given)
    for a, b in zip(shown, outputs(internal), strict=True):
        np.testing.assert_array_equal(a, np.asarray(b))
        assert a.dtype == np.asarray(b).dtype


def check_strides(op: Op, sample: Sample) -> None:
    """Non-contiguous and negatively strided operands give the same value."""
    values = [np.asarray(v) for v in operands(op, sample)]
    awkward = [from_array(np.flip(np.flip(v).copy()) if v.ndim else v) for v in values]
    transposed = [from_array(np.asfortranarray(v)) if v.ndim else from_array(v) for v in values]
    expected = outputs(call(op, values, sample.attributes))
    for other in (awkward, transposed):
        for a, b in zip(outputs(call(op, other, sample.attributes)), expected, strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12, atol=1e-12) if b.dtype.is_numeric else None


def check_dtype(op: Op, sample64: Sample, sample: Sample, rtol: float) -> None:
    """A narrower type gives the value of float64 up to its precision, in its own type; gradients keep it too."""
    values = operands(op, sample)
    shown = outputs(call(op, values, sample.attributes))
    wide = outputs(call(op, [np.asarray(v).astype(_wide(v)) for v in values], sample.attributes))
    for a, b in zip(shown, wide, strict=True):
        if b.dtype in (tf.float64, tf.complex128):
            kinds = {np.asarray(v).dtype for v in values if np.asarray(v).dtype.kind in "fcV"}
            assert a.dtype.is_floating == b.dtype.is_floating
            if "dtype" not in sample.attributes:
                assert a.dtype.numpy.itemsize <= 2 * max(k.itemsize for k in kinds)
            close(a.numpy().astype(_wide(a.numpy())), b.numpy(), f"{op.name}: {a.dtype.name}", rtol, rtol)


def _wide(value: Any) -> Any:
    dtype = np.asarray(value).dtype
    return np.complex128 if dtype.kind == "c" else np.float64 if dtype.kind in "fV" else dtype


def check_reverse(case: Directional) -> None:
    """<vjp(u), v> is the numeric directional derivative."""
    close(
        inner(case.vjp(case.values), case.v),
        case.numeric_first(),
        f"{case.op.name}: reverse {case.attributes}",
    )


def check_forward(case: Directional) -> None:
    """<u, jvp(v)> is <vjp(u), v>."""
    tensors, sources = case.sources(case.values)
    with tf.autodiff.ForwardAccumulator(sources, [tf.constant(v) for v in case.v]) as accumulator:
        shown = outputs(call(case.op, tensors, case.attributes))
    found = accumulator.jvp([shown[k] for k in case.chosen], "zero")
    close(
        inner(case.u, [t.numpy() for t in found]),
        inner(case.vjp(case.values), case.v),
        f"{case.op.name}: forward {case.attributes}",
        1e-8,
        1e-9,
    )


def check_second(case: Directional) -> None:
    """Reverse over reverse and forward over reverse agree with the numeric derivative of the gradient."""
    high, low = case.vjp(case.at((STEP, case.w))), case.vjp(case.at((-STEP, case.w)))
    numeric = inner(case.v, [(a - b) / (2 * STEP) for a, b in zip(high, low, strict=True)])
    tensors, sources = case.sources(case.values)
    weights = [tf.constant(u) for u in case.u]
    with tf.GradientTape() as outer:
        outer.watch(sources)
        with tf.GradientTape() as tape:
            tape.watch(sources)
            shown = outputs(call(case.op, tensors, case.attributes))
            targets = [shown[k] for k in case.chosen]
        first = [tf.convert_to_tensor(g) for g in tape.gradient(targets, sources, weights, "zero")]
    second = outer.gradient(first, sources, [tf.constant(v) for v in case.v], "zero")
    close(
        inner([dense(g) for g in second], case.w),
        numeric,
        f"{case.op.name}: reverse over reverse {case.attributes}",
    )
    with tf.autodiff.ForwardAccumulator(sources, [tf.constant(w) for w in case.w]) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(sources)
            shown = outputs(call(case.op, tensors, case.attributes))
            targets = [shown[k] for k in case.chosen]
        first = [tf.convert_to_tensor(g) for g in tape.gradient(targets, sources, weights, "zero")]
    along = [t.numpy() for t in accumulator.jvp(first, "zero")]
    close(inner(case.v, along), numeric, f"{case.op.name}: forward over reverse {case.attributes}")


def check_batched(op: Op, sample: Sample, size: int = 3) -> None:
    """A batch of operands at once gives what one after the other gives, whichever operands are batched."""
    values = [np.asarray(v) for v in operands(op, sample)]
    rng = np.random.default_rng(3)
    moves = [_perturbed(rng, v, size) for v in values]
    movable = [p for p, v in enumerate(values) if v.dtype.kind in "fc"] or list(range(len(values)))
    masks = [movable] if len(movable) == 1 else [movable, *[[p] for p in movable]]
    for mask in masks:
        depth = next_depth()
        args = [batch(moves[p], depth) if p in mask else from_array(v) for p, v in enumerate(values)]
        shown = outputs(call(op, args, sample.attributes))
        for out in shown:
            assert out.__class__ is Batched, (op.name, out)
        data = [np.asarray(out.data) for out in shown]
        for entry in range(size):
            given = [moves[p][entry] if p in mask else v for p, v in enumerate(values)]
            expected = outputs(call(op, given, sample.attributes))
            for a, b in zip(data, expected, strict=True):
                assert np.shape(a[entry]) == tuple(b.shape), (op.name, np.shape(a[entry]), b.shape)
                if b.dtype == tf.string:
                    np.testing.assert_array_equal(a[entry], b.numpy(), err_msg=op.name)
                    continue
                np.testing.assert_allclose(
                    a[entry], b.numpy(), rtol=1e-9, atol=1e-11, err_msg=f"{op.name} {sample.attributes}"
                )


def _perturbed(rng: np.random.Generator, value: Any, size: int) -> Any:
    if value.dtype.kind not in "fc":
        return np.stack([value] * size)
    return np.stack([(value * (1 + 0.01 * k)).astype(value.dtype) for k in range(size)])


def check_jacobian(case: Directional) -> None:
    """The Jacobian in one batched pass, contracted, is the gradient."""
    tensors, sources = case.sources(case.values)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        shown = outputs(call(case.op, tensors, case.attributes))
    total: list[Any] = [0.0] * len(sources)
    for k, u in zip(case.chosen, case.u, strict=True):
        if shown[k].dtype.is_complex and not all(s.dtype.is_complex for s in sources):
            return  # a complex target's Jacobian in a real source keeps its real part only
        for position, matrix in enumerate(tape.jacobian(shown[k], sources, "zero")):
            rank = len(shown[k].shape)
            total[position] = total[position] + np.tensordot(u, matrix.numpy(), rank)
    for a, b in zip(total, case.vjp(case.values), strict=True):
        close(a, b, f"{case.op.name}: jacobian {case.attributes}", 1e-8, 1e-9)


# --- bad inputs ------------------------------------------------------------------------------------------------------

ANY_ERROR = (tf.errors.OpError, ValueError, TypeError)


def bad_inputs(op: Op) -> Iterator[BadInput]:
    """What no op accepts, made from the op's own declaration, and what stands with the op."""
    sample = next(iter(samples(op, numeric_kind(op))), None)
    if sample is not None:
        values = operands(op, sample)
        for position in range(len(values)):
            text = () if np.dtype(object) in op.dtypes else ("text",)
            for junk in (None, object(), [[1.0, 2.0], [3.0]], lambda: 1, {"a": 1}, *text):
                changed = [junk if p == position else v for p, v in enumerate(values)]
                yield BadInput(
                    "not a number",
                    (changed,) if op.variadic else tuple(changed),
                    sample.attributes,
                    ANY_ERROR,
                )
        for dtype in (np.float32, np.int32, np.bool_):
            if np.dtype(dtype) not in op.dtypes and all(np.asarray(v).dtype.kind != "O" for v in values):
                changed = [np.real(v).astype(dtype) for v in values]
                yield BadInput(
                    "a type it is not defined for",
                    (changed,) if op.variadic else tuple(changed),
                    sample.attributes,
                )
        if not op.variadic:
            yield BadInput("too many arguments", (*values, *[1] * 20), {}, TypeError)
            yield BadInput("an unknown keyword", tuple(values), {"nonsense": 1}, TypeError)
    needed = {} if sample is None else {k: v for k, v in sample.attributes.items() if op.attributes[k] is REQUIRED}
    for declared in op.bad_inputs:
        for bad in declared():
            yield dataclasses.replace(bad, attributes={**needed, **bad.attributes})


def call_bad(op: Op, bad: BadInput) -> Any:
    """Arrays are passed as tensors: beside a tensor an array would adapt its type."""
    return op.public(*[_as_tensors(a) for a in bad.args], **bad.attributes)


def _as_tensors(value: Any) -> Any:
    if isinstance(value, list) and any(isinstance(v, np.ndarray | np.generic) for v in value):
        return [_as_tensors(v) for v in value]
    return tf.constant(value) if isinstance(value, np.ndarray | np.generic) else value


def check_numbers(op: Op) -> None:
    """A Python number beside a tensor gives what a tensor of its value gives, derivatives and types too."""
    x = tf.constant(np.array([0.3, 0.8, 1.7], np.float32))
    number = 0.75
    for position in (0, 1):
        given = [x, number] if position == 0 else [number, x]
        spelled = [x, tf.constant(number)] if position == 0 else [tf.constant(number), x]
        results = []
        for values in (given, spelled):
            with tf.GradientTape(persistent=True) as outer:
                outer.watch(x)
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = op.public(*values)
                g = tape.gradient(y, x)
            with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
                z = op.public(*values)
            second = outer.gradient(g, x) if g is not None else None
            plain = tape_gradient(op, values, x)
            results.append((y, g, plain, accumulator.jvp(z), second))
        for a, b in zip(*results, strict=True):
            assert (a is None) == (b is None), (op.name, a, b)
            if a is not None:
                assert a.dtype == b.dtype, (op.name, a, b)
                np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6, atol=1e-6, err_msg=op.name)


def tape_gradient(op: Op, values: list[Any], x: Any) -> Any:
    """The gradient that nobody records: rules on bare arrays."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = op.public(*values)
    return tape.gradient(y, x)
