"""What every op must fulfil, checked on the samples that stand with its declaration.

Each function takes an op and one sample and raises AssertionError where the op breaks its promise. Derivatives are
compared with central differences in float64, contracted with random directions: one number for each sample checks
all of a Jacobian.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..api.arrays import convert_to_tensor
from ..base import dtypes
from ..base.errors import OpError
from ..differentiation.forward import ForwardAccumulator
from ..differentiation.tape import GradientTape
from ..differentiation.vectorize import Batched, batch, next_depth
from ..op.declaration import REQUIRED, BadInput, Op, Sample
from ..values.tensor import IndexedSlices, from_array, to_tensor

STEP = 1e-6


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


def value_of(op: Op, attributes: dict[str, Any]) -> Callable[..., list[Any]]:
    """The op as a function of its operands alone; it gives the list of its outputs."""
    return lambda *values: outputs(call(op, list(values), attributes))


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


def directed(
    case: Directional, actual: float, expected: float, what: str, rtol: float = 2e-5, atol: float = 2e-6
) -> None:
    """One number of an op's derivatives is what it should be; `what` says which rule gave it, and what it is compared with."""
    if not np.allclose(actual, expected, rtol, atol, equal_nan=True):
        shapes = ", ".join(str(value.shape) for value in case.values)
        settings = f" and {case.attributes}" if case.attributes else ""
        raise AssertionError(
            f"{what.format(actual=f'{actual:.6g}', expected=f'{expected:.6g}')}, on operands of shape {shapes}{settings}. "
            f"Correct that rule of {case.op.name}, or mark a sample at a kink with differentiable=False."
        )


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
        self._gradient: list[Any] | None = None

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
        tensors = [to_tensor(v) for v in values]
        return tensors, [tensors[p] for p in self.positions]

    def vjp(self, values: list[Any]) -> list[Any]:
        tensors, sources = self.sources(values)
        with GradientTape() as tape:
            tape.watch(sources)
            shown = outputs(call(self.op, tensors, self.attributes))
            targets = [shown[k] for k in self.chosen]
        found = tape.gradient(targets, sources, [to_tensor(u) for u in self.u], "zero")
        return [dense(g) for g in found]

    @property
    def gradient(self) -> list[Any]:
        """The reverse rule's answer at the sample itself, which several checks compare with; computed once."""
        if self._gradient is None:
            self._gradient = self.vjp(self.values)
        return self._gradient

    def numeric_first(self) -> float:
        """d/dh <u, f(x + h v)>."""
        high, low = self.value(self.at((STEP, self.v))), self.value(self.at((-STEP, self.v)))
        return inner(self.u, [(a - b) / (2 * STEP) for a, b in zip(high, low, strict=True)])


def dense(gradient: Any) -> Any:
    return (convert_to_tensor(gradient) if isinstance(gradient, IndexedSlices) else gradient).numpy()


# --- the checks ------------------------------------------------------------------------------------------------------


def check_value(op: Op, sample: Sample) -> None:
    """The value agrees with the reference (or the op's own text on NumPy), and public and internal entry agree."""
    values = operands(op, sample)
    results = outputs(call(op, values, sample.attributes))
    for result in results:
        made = type(result._array)
        assert issubclass(made, (np.ndarray, np.generic)), f"{op.name}: the kernel gives {made.__name__}, not an array"
    shown = [np.asarray(t) for t in results]
    given = dict(op.attributes) | sample.attributes
    if op.reference is not None:
        expected = op.reference(values, **given) if op.variadic else op.reference(*values, **given)
        expected = list(expected) if isinstance(expected, (list, tuple)) else [expected]
        for a, b in zip(shown, expected, strict=True):
            close(a, b, f"{op.name}: value", 1e-9, 1e-9)
            assert np.shape(a) == np.shape(b), f"the value has shape {np.shape(a)}, the reference {np.shape(b)}"
    if sample.reference is not None:
        np.testing.assert_array_equal(shown[0], sample.reference, err_msg=op.name)
    internal = op(values, **given) if op.variadic else op(*[np.asarray(v) for v in values], **given)
    for a, b in zip(shown, outputs(internal), strict=True):
        np.testing.assert_array_equal(a, np.asarray(b))
        assert a.dtype == np.asarray(b).dtype, f"{a.dtype} as a public function, {np.asarray(b).dtype} inside"


def check_strides(op: Op, sample: Sample) -> None:
    """Non-contiguous and negatively strided operands give the same value."""
    values = [np.asarray(v) for v in operands(op, sample)]
    awkward = [from_array(np.flip(np.flip(v).copy()) if v.ndim else v) for v in values]
    transposed = [from_array(np.asfortranarray(v)) if v.ndim else from_array(v) for v in values]
    expected = outputs(call(op, values, sample.attributes))
    for other in (awkward, transposed):
        for a, b in zip(outputs(call(op, other, sample.attributes)), expected, strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12, atol=1e-12) if b.dtype.is_numeric else None


def check_dtype(op: Op, sample: Sample, rtol: float) -> None:
    """A narrower type gives the value of float64 up to its precision, in its own type; gradients keep it too."""
    values = operands(op, sample)
    shown = outputs(call(op, values, sample.attributes))
    wide = outputs(call(op, [np.asarray(v).astype(_wide(v)) for v in values], sample.attributes))
    for a, b in zip(shown, wide, strict=True):
        if b.dtype in (dtypes.float64, dtypes.complex128):
            kinds = {np.asarray(v).dtype for v in values if np.asarray(v).dtype.kind in "fcV"}
            given = ", ".join(sorted(kind.name for kind in kinds))
            wrong = (
                f"operands of {given} give {a.dtype.name}: the kernel must keep the type (in_float32 computes in float32 "
                "and comes back), or dtypes= leave this one out"
            )
            assert a.dtype.is_floating == b.dtype.is_floating, wrong
            if "dtype" not in sample.attributes:
                assert a.dtype.numpy.itemsize <= (2 if op.retypes or a.dtype.is_complex else 1) * max(
                    k.itemsize for k in kinds
                ), wrong
            close(a.numpy().astype(_wide(a.numpy())), b.numpy(), f"{op.name}: {a.dtype.name}", rtol, rtol)


def _wide(value: Any) -> Any:
    dtype = np.asarray(value).dtype
    return np.complex128 if dtype.kind == "c" else np.float64 if dtype.kind in "fV" else dtype


def check_reverse(case: Directional) -> None:
    """<vjp(u), v> is the numeric directional derivative."""
    found = inner(case.gradient, case.v)
    directed(case, found, case.numeric_first(), "the reverse rule gives {actual}, finite differences give {expected}")


def check_forward(case: Directional) -> None:
    """<u, jvp(v)> is <vjp(u), v>."""
    tensors, sources = case.sources(case.values)
    with ForwardAccumulator(sources, [to_tensor(v) for v in case.v]) as accumulator:
        shown = outputs(call(case.op, tensors, case.attributes))
    found = accumulator.jvp([shown[k] for k in case.chosen], "zero")
    along, back = inner(case.u, [t.numpy() for t in found]), inner(case.gradient, case.v)
    directed(case, along, back, "the forward rule gives {actual}, the reverse rule {expected}", 1e-8, 1e-9)


def check_second(case: Directional) -> None:
    """Reverse over reverse and forward over reverse agree with the numeric derivative of the gradient."""
    high, low = case.vjp(case.at((STEP, case.w))), case.vjp(case.at((-STEP, case.w)))
    numeric = inner(case.v, [(a - b) / (2 * STEP) for a, b in zip(high, low, strict=True)])
    tensors, sources = case.sources(case.values)

    def gradient() -> list[Any]:
        with GradientTape() as tape:
            tape.watch(sources)
            shown = outputs(call(case.op, tensors, case.attributes))
            targets = [shown[k] for k in case.chosen]
        found = tape.gradient(targets, sources, [to_tensor(u) for u in case.u], "zero")
        return [convert_to_tensor(g) for g in found]

    with GradientTape() as outer:
        outer.watch(sources)
        first = gradient()
    second = outer.gradient(first, sources, [to_tensor(v) for v in case.v], "zero")
    found = inner([dense(g) for g in second], case.w)
    what = (
        "the second derivative, {way}, is {{actual}}, finite differences of the first give {{expected}}: the reverse rule must "
        "be written in functions that are differentiable themselves"
    )
    directed(case, found, numeric, what.format(way="reverse over reverse"))
    with ForwardAccumulator(sources, [to_tensor(w) for w in case.w]) as accumulator:
        first = gradient()
    along = [t.numpy() for t in accumulator.jvp(first, "zero")]
    directed(case, inner(case.v, along), numeric, what.format(way="forward over reverse"))


def check_linear_in_cotangent(case: Directional) -> None:
    """The reverse rule is linear in the cotangent, also at 0: what a tape around it gives for a cotangent of zeros."""
    tensors, sources = case.sources(case.values)
    zeros = [to_tensor(np.zeros_like(u)) for u in case.u]
    with GradientTape() as outer:
        outer.watch(zeros)
        with GradientTape() as tape:
            tape.watch(sources)
            shown = outputs(call(case.op, tensors, case.attributes))
            targets = [shown[k] for k in case.chosen]
        first = [convert_to_tensor(g) for g in tape.gradient(targets, sources, zeros, "zero")]
    along = outer.gradient(first, zeros, [to_tensor(v) for v in case.v], "zero")
    what = (
        "the derivative of the reverse rule by a cotangent of 0 is {actual}, the rule itself gives {expected}: where the "
        "cotangent is 0 the rule may give 0, and its derivative may not"
    )
    directed(case, inner(case.u, [dense(t) for t in along]), inner(case.gradient, case.v), what, 1e-8, 1e-9)


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
            assert out.__class__ is Batched, f"batched operands give {out!r}: the batching rule must give it as a batch"
        data = [np.asarray(out.data) for out in shown]
        for entry in range(size):
            given = [moves[p][entry] if p in mask else v for p, v in enumerate(values)]
            expected = outputs(call(op, given, sample.attributes))
            for a, b in zip(data, expected, strict=True):
                assert np.shape(a[entry]) == tuple(b.shape), (
                    f"the batching rule gives shape {np.shape(a[entry])} for an entry, the op by itself {b.shape}"
                )
                if b.dtype == dtypes.string:
                    np.testing.assert_array_equal(a[entry], b.numpy(), err_msg=op.name)
                    continue
                np.testing.assert_allclose(
                    a[entry], b.numpy(), rtol=1e-9, atol=1e-11, err_msg=f"the batching rule, {sample.attributes}"
                )


def _perturbed(rng: np.random.Generator, value: Any, size: int) -> Any:
    if value.dtype.kind not in "fc":
        return np.stack([value] * size)
    return np.stack([(value * (1 + 0.01 * k)).astype(value.dtype) for k in range(size)])


def check_jacobian(case: Directional) -> None:
    """The Jacobian in one batched pass, contracted, is the gradient."""
    tensors, sources = case.sources(case.values)
    with GradientTape(persistent=True) as tape:
        tape.watch(sources)
        shown = outputs(call(case.op, tensors, case.attributes))
    total: list[Any] = [0.0] * len(sources)
    for k, u in zip(case.chosen, case.u, strict=True):
        if shown[k].dtype.is_complex and not all(s.dtype.is_complex for s in sources):
            return  # a complex target's Jacobian in a real source keeps its real part only
        for position, matrix in enumerate(tape.jacobian(shown[k], sources, "zero")):
            rank = len(shown[k].shape)
            total[position] = total[position] + np.tensordot(u, matrix.numpy(), rank)
    for a, b in zip(total, case.gradient, strict=True):
        close(a, b, f"{case.op.name}: jacobian {case.attributes}", 1e-8, 1e-9)


# --- bad inputs ------------------------------------------------------------------------------------------------------

ANY_ERROR = (OpError, ValueError, TypeError)


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
    return to_tensor(value) if isinstance(value, np.ndarray | np.generic) else value


def check_numbers(op: Op) -> None:
    """A Python number beside a tensor gives what a tensor of its value gives, derivatives and types too."""
    x = to_tensor(np.array([0.3, 0.8, 1.7], np.float32))
    number = 0.75
    for position in (0, 1):
        given = [x, number] if position == 0 else [number, x]
        spelled = [x, to_tensor(number)] if position == 0 else [to_tensor(number), x]
        results = []
        for values in (given, spelled):
            with GradientTape(persistent=True) as outer:
                outer.watch(x)
                with GradientTape() as tape:
                    tape.watch(x)
                    y = op.public(*values)
                g = tape.gradient(y, x)
            with ForwardAccumulator(x, to_tensor(np.ones(3, np.float32))) as accumulator:
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
    """The gradient without recording: rules run on bare arrays."""
    with GradientTape() as tape:
        tape.watch(x)
        y = op.public(*values)
    return tape.gradient(y, x)
