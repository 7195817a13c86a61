"""Families: what whole groups of ops have in common, declared once.

An elementwise op gets reverse, forward and batching rules from its derivative; an op over the last axes gets its
batching rule from the fact that leading axes are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from ..base.dtypes import ALL as DTYPES
from ..base.dtypes import NARROW_FLOATS, Array
from ..base.errors import InvalidArgumentError, invalid
from ..base.shapes import broadcast
from ..base.threads import in_parts
from ..base.types import Axis, Draw
from ..native import thresholds
from ..native.choice import Choice, by_size, is_native, with_choice
from ..native.texts import CompiledText, Exact, NumPyFunction
from ..values.tensor import EagerTensor
from .declaration import REGISTRY, BadInput, Op, Rule, Sample
from .shapes import broadcasted


def elementwise(exact: bool = False, **options: Any) -> Callable[[Rule], Op]:
    """Decorator: an op that treats each element by itself, with broadcasting between its operands.

    `exact`: the result is the one number nearest to the true one, however it is computed.
    """

    def declare(kernel: Rule) -> Op:
        declared = make_elementwise(Op(kernel, broadcasts=True, shape=broadcasted, **options))
        if exact:
            declared.large = Exact(declared.eager)
        elif isinstance(declared.eager, np.ufunc) and declared.eager.nargs == 2:
            declared.large = NumPyFunction(declared.eager)
        return declared

    return declare


def make_elementwise(op: Op) -> Op:
    """Give an op what all elementwise ops have in common: batching, the error for shapes, bad inputs."""
    op.batching = batch_elementwise
    op.check = explain_broadcast(op.called)
    reject_operands(op)
    return op


def explain_broadcast(name: str) -> Rule:
    """The check of an elementwise op: the shapes of its operands must broadcast."""

    def check(*operands: Any, **attributes: Any) -> None:
        shapes = [np.shape(o) for o in operands]
        common: tuple[int, ...] | None = ()
        for shape in shapes:
            common = broadcast(common, shape) if common is not None else None
        if common is None:
            listed = " vs. ".join(str(list(shape)) for shape in shapes)
            raise invalid(
                f"{name}: Incompatible shapes: {listed}. Sizes must be equal or 1, counted from the last axis; "
                "use tf.reshape or tf.expand_dims to line them up."
            )

    return check


def check_axis(name: str, x: Array, axis: int) -> None:
    """Raise unless the axis exists."""
    if not -x.ndim <= axis < x.ndim:
        known = f"axes are {-x.ndim} to {x.ndim - 1}" if x.ndim else "one number has no axes"
        raise invalid(f"{name}: axis {axis} does not exist in a tensor of shape {x.shape}; {known}.")


def explain_axis(name: str) -> Any:
    """The check of a reduction: the axes must exist, once each."""

    def check(x: Array, axis: int | tuple[int, ...] | None = None, **attributes: Any) -> None:
        axes = () if axis is None else axis if isinstance(axis, tuple) else (axis,)
        for a in axes:
            check_axis(name, x, a)
        if len({a % x.ndim for a in axes}) != len(axes):
            twice = next(a % x.ndim for k, a in enumerate(axes) if a % x.ndim in {b % x.ndim for b in axes[:k]})
            raise invalid(f"{name}: Axes contains duplicate dimension: {twice}. axis is {list(axes)}.")

    return check


# Shapes, axes and keepdims that a reduction is tested on.
REDUCTIONS: tuple[tuple[tuple[int, ...], Axis, bool], ...] = (
    ((), None, False), ((4,), None, False), ((4,), 0, True), ((2, 3), None, True), ((2, 3), 0, False), ((2, 3), -1, True),
    ((2, 3), (0, 1), False), ((2, 3, 4), (0, 2), False), ((2, 3, 4), 1, True), ((1, 3), 0, False), ((3, 1), (), False),
    ((2, 3, 2), (-1, 0), True), ((5,), -1, False), ((4, 2, 3), (0, 1), True), ((0, 3), 1, False),
    ((0,), 0, False), ((2, 0), 1, True),
)  # fmt: skip


def sample_reduction(declared: Op, low: float = -2.0, high: float = 2.0, least: int = 1) -> None:
    """Samples for a reduction with `axis` and `keepdims` over lines of at least so many elements."""
    lines = [(np.empty(shape).sum(axis, keepdims=True).size, case) for case in REDUCTIONS for shape, axis, _ in [case]]
    cases = [case for count, case in lines if count * least <= prod(case[0])]

    @declared.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, axis, keepdims in cases:
            yield Sample((draw(shape, low, high),), {"axis": axis, "keepdims": keepdims})


def reject_reduction(declared: Op, dtype: Any = np.float32) -> None:
    """The check of a reduction's axes, and bad ones: that do not exist, or are named twice."""
    declared.check = explain_axis(declared.name)

    @declared.rejects
    def _() -> Iterator[BadInput]:
        x = np.ones((2, 3)).astype(dtype)
        for axis in [2, -3, 7, (0, 0), (0, 2), (1, -1), 2**40, -(2**40), (0, 1, 2), (5,)]:
            yield BadInput("the axes must exist, once each", (x,), {"axis": axis})
        for axis in (0, -1, (0,)):
            yield BadInput("a scalar has no axis", (x[0, 0],), {"axis": axis})


def rank_of(value: Any) -> int:
    """The number of axes of an array, a tensor, a batched value or a Python number."""
    return int(getattr(value, "ndim", 0))


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of an array, a tensor, a batched value or a Python number."""
    cls = value.__class__
    if cls is np.ndarray:
        return value.shape
    if cls is EagerTensor:
        return value._array.shape
    return tuple(getattr(value, "shape", ()))


def numpy_type(value: Any) -> np.dtype[Any]:
    """The NumPy dtype of an array, a tensor or a batched value."""
    dtype = value.dtype
    found: np.dtype[Any] = getattr(dtype, "numpy", dtype)
    return found


def is_complex(value: Any) -> bool:
    """Whether a value has complex elements; False for Python numbers."""
    return hasattr(value, "dtype") and numpy_type(value).kind == "c"


def as_array(value: Any, dtype: Any = None) -> Array:
    """`np.asarray` of a kernel's operand, or of what NumPy gives: also of what stands for an array while a kernel is recorded."""
    if not isinstance(value, np.ndarray):
        return np.asarray(value, dtype)
    return value if dtype is None or value.dtype == dtype else value.astype(dtype)


def usually(condition: Any) -> bool:
    """Whether a condition holds that nearly always does.

    A kernel that becomes part of a native function is written there for this case alone; in the other one NumPy runs it.
    """
    assumed = getattr(condition, "assumed", None)
    return bool(condition) if assumed is None else bool(assumed(True))


def rarely(condition: Any) -> bool:
    """Whether a condition holds that hardly ever does; see `usually`."""
    assumed = getattr(condition, "assumed", None)
    return bool(condition) if assumed is None else bool(assumed(False))


def batch_elementwise(op: Op, is_batched: tuple[bool, ...], args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """Align the operands behind the hidden first axis."""
    rank = max(rank_of(a) - batched for a, batched in zip(args, is_batched, strict=True))
    aligned = [insert_axes(a, rank) if batched else a for a, batched in zip(args, is_batched, strict=True)]
    return op(*aligned, **attributes)


def insert_axes(data: Any, rank: int) -> Any:
    """Batched data with axes of size one after the first, so that `rank` axes follow it."""
    missing = rank - (rank_of(data) - 1)
    if not missing:
        return data
    shape = shape_of(data)
    return REGISTRY["reshape"](data, shape=(shape[0], *(1,) * missing, *shape[1:]))


def with_batch_axis(data: Any, size: int) -> Any:
    """An operand without the hidden axis, repeated along it."""
    return REGISTRY["broadcast_to"](data, shape=(size, *shape_of(data)))


def all_batched(is_batched: tuple[bool, ...], args: tuple[Any, ...]) -> tuple[int, list[Any]]:
    """The batch size, and every operand with the hidden axis first."""
    size = next(shape_of(a)[0] for a, batched in zip(args, is_batched, strict=True) if batched)
    return size, [a if batched else with_batch_axis(a, size) for a, batched in zip(args, is_batched, strict=True)]


def negative_axis(axis: int | tuple[int, ...] | None, rank: int) -> int | tuple[int, ...] | None:
    """The same axis counted from the end: it stays right when axes are put in front."""
    if axis is None:
        return tuple(range(-rank, 0))
    if isinstance(axis, tuple):
        return tuple(a - rank if a >= 0 else a for a in axis)
    return axis - rank if axis >= 0 else axis


def batch_over_axis(op: Op, is_batched: tuple[bool, ...], args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """For ops of one operand along `axis`: count the axis from the end, and leading axes do not matter.

    >>> import gradtape as tf
    >>> @tf.extend.op
    ... def example_backwards(xp, x, *, axis=-1):
    ...     "The elements along an axis, the last first."
    ...     return xp.flip(x, axis)
    >>> rule = example_backwards.batched(tf.extend.batch_over_axis)
    >>> tf.vectorized_map(example_backwards.public, tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy()
    array([[2., 1.],
           [4., 3.]], dtype=float32)

    Args:
        op: The op.
        is_batched: For each operand, whether it has one more axis in front.
        args: The operands.
        attributes: The attributes by name, among them `axis`.

    Returns:
        What the op gives, with one more axis in front.
    """
    (x,) = args
    return op(x, **{**attributes, "axis": negative_axis(attributes["axis"], rank_of(x) - 1)})


def batch_leading(op: Op, is_batched: tuple[bool, ...], args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """For ops over the last axes that treat all leading axes as a batch anyway.

    >>> import gradtape as tf
    >>> @tf.extend.op
    ... def example_last_sum(xp, x):
    ...     "The sums along the last axis."
    ...     return xp.sum(x, -1)
    >>> rule = example_last_sum.batched(tf.extend.batch_leading)
    >>> tf.vectorized_map(example_last_sum.public, tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy()
    array([3., 7.], dtype=float32)

    Args:
        op: The op.
        is_batched: For each operand, whether it has one more axis in front.
        args: The operands.
        attributes: The attributes by name.

    Returns:
        What the op gives, with one more axis in front.
    """
    _, data = all_batched(is_batched, args)
    return op(*data, **attributes)


def in_float32(function: Callable[..., Array]) -> Callable[..., Array]:
    """A kernel that computes float16 and bfloat16 in float32, as TensorFlow does where many terms are added."""

    def wide(*operands: Array, **attributes: Any) -> Array:
        dtype = operands[0].dtype
        if dtype in NARROW_FLOATS:
            return np.asarray(function(*[x.astype(np.float32) for x in operands], **attributes)).astype(dtype)
        return function(*operands, **attributes)

    return wide


# --- one text, two ways to run it --------------------------------------------------------------------------------------------


def one_pass(text: Rule, small: Rule | None = None) -> Rule:
    """An elementwise kernel, or rule, of several NumPy calls, in one pass over large arrays.

    With llvmlite the text is compiled to machine code; without, it runs block by block, so that temporaries stay in the cache.
    `small` is what runs on small arrays, if it is not the text.
    """
    compiled = CompiledText(text)
    ready, few, smallest = compiled.ready, small or text, thresholds.ONE_PASS_ELEMENTS

    def run(first: Any, *rest: Any, **attributes: Any) -> Any:
        if first.__class__ is not np.ndarray or first.size < smallest:
            return few(first, *rest, **attributes)
        # A shortcut for the general call below.
        if first.size < thresholds.TEXT_CORES_ELEMENTS and first.dtype in ready and not attributes:
            return ready[first.dtype](first, *rest)
        result = compiled((first, *rest), attributes)
        return result if result is not None else _in_blocks(text, (first, *rest), attributes)

    return with_choice(run, Choice(few, run, smallest))


def machine_code_for(numpy: Rule, smallest: int = thresholds.ONE_PASS_ELEMENTS) -> Callable[[Rule], Rule]:
    """Decorator: a text that computes what one NumPy call does, and is faster only in machine code.

    The call runs on smaller arrays, on types that are not compiled, and without llvmlite.
    """

    def declare(text: Rule) -> Rule:
        compiled = one_pass(text)

        def large(first: Any, *rest: Any) -> Any:
            return (compiled if is_native(first) else numpy)(first, *rest)

        return by_size(numpy, large, smallest)

    return declare


def large_as(op: Op) -> Callable[[Rule], Rule]:
    """Decorator: a rule that computes what an exact op does uses that op's kernel for large arrays."""
    assert op.large is not None, f"{op.name} is not exact"
    large = op.large
    return lambda rule: by_size(rule, large, thresholds.EXACT_ELEMENTS)


def _in_blocks(text: Callable[..., Array], operands: tuple[Any, ...], attributes: dict[str, Any]) -> Array:
    first, length = operands[0], thresholds.TEXT_BLOCK_ELEMENTS
    if first.size <= length or not all(
        x.__class__ is np.ndarray and x.shape == first.shape and x.flags.c_contiguous for x in operands
    ):
        return text(*operands, **attributes)
    lines = [x.reshape(-1) for x in operands]
    result = np.empty(first.shape, first.dtype)
    target = result.reshape(-1)

    def part(start: int, stop: int) -> None:
        for low in range(start, stop, length):
            block = slice(low, min(low + length, stop))
            target[block] = text(*[line[block] for line in lines], **attributes)

    in_parts(part, first.size, length)
    return result


def by_rows(function: Callable[..., Array]) -> Callable[..., Array]:
    """A kernel that treats each entry of the first axis by itself, on all cores when the arrays are large."""

    def run(first: Any, *rest: Any, **attributes: Any) -> Array:
        if first.ndim < 2 or first.size < thresholds.NUMPY_CORES_ELEMENTS or len(first) < 2:
            return function(first, *rest, **attributes)

        def part(start: int, stop: int) -> Array:
            return function(first[start:stop], *[other[start:stop] for other in rest], **attributes)

        return np.concatenate(in_parts(part, len(first), 1, line=1))

    return run


# --- samples of whole families -----------------------------------------------------------------------------------------

UNARY_SHAPES = [(), (1,), (4,), (0,), (2, 3), (3, 1), (1, 3), (2, 0), (2, 1, 3), (2, 3, 2), (5, 2), (1, 1, 1)]
_PAIRS = [
    ((), ()), ((3,), (3,)), ((2, 3), (2, 3)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)),
    ((), (2, 3)), ((2, 3), ()), ((0,), (0,)), ((0, 3), (1, 3)), ((4, 1, 2), (3, 1)), ((1,), (5,)),
    ((2, 3, 2), (2, 3, 2)), ((2, 0), ()),
]  # fmt: skip


def sample_unary(op: Op, low: float = -2.0, high: float = 2.0, avoid: tuple[float, ...] = ()) -> None:
    """Give an elementwise op of one operand the samples of its family, with values between `low` and `high`.

    >>> import gradtape as tf
    >>> @tf.extend.elementwise
    ... def example_log_square(xp, x):
    ...     "The logarithm of the square of x."
    ...     return xp.log(x * x)
    >>> tf.extend.sample_unary(example_log_square, avoid=(0.0,))
    >>> len(example_log_square.samplers)
    1

    Args:
        op: The op.
        low: No value is below it.
        high: No value is above it.
        avoid: Values that the samples keep away from: poles, and kinks of the derivative.
    """

    @op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape in UNARY_SHAPES:
            yield Sample((draw(shape, low, high, avoid),))


def sample_binary(
    op: Op,
    first: tuple[float, float] = (-2.0, 2.0),
    second: tuple[float, float] = (-2.0, 2.0),
    avoid: tuple[float, ...] = (),
) -> None:
    """Give an elementwise op of two operands the samples of its family: equal shapes, broadcasts, scalars, empties.

    >>> import gradtape as tf
    >>> @tf.extend.elementwise
    ... def example_ratio(xp, x, y):
    ...     "x divided by y."
    ...     return x / y
    >>> tf.extend.sample_binary(example_ratio, second=(0.5, 2.0))
    >>> len(example_ratio.samplers)
    1

    Args:
        op: The op.
        first: The smallest and the largest value of the first operand.
        second: The same for the second operand.
        avoid: Values that the samples of both keep away from: poles, and kinks of the derivative.
    """

    @op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for left, right in _PAIRS:
            yield Sample((draw(left, *first, avoid), draw(right, *second, avoid)))


def reject_operands(op: Op) -> None:
    """Give an elementwise op the bad inputs of its family: non-tensors, unsupported types, shapes that do not broadcast."""

    @op.rejects
    def _() -> Iterator[BadInput]:
        allowed = next(
            t for t in (np.float32, np.int32, np.bool_, np.complex64, np.object_) if np.dtype(t) in op.dtypes
        )
        rest = tuple(_of_type(op, name, allowed) for name in op.arguments[1:])
        yield from not_tensors(*rest)
        for kind in DTYPES:
            if kind.numpy not in op.dtypes and kind.name != "string" and op.arguments[0] not in op.other:
                others = tuple(_of_type(op, name, kind.as_numpy_dtype) for name in op.arguments[1:])
                yield BadInput("a type it is not defined for", (np.ones(2, kind.numpy), *others))
        if not rest or op.other:
            return
        for left, right in [
            ((2,), (3,)),
            ((2, 3), (2,)),
            ((2, 3), (3, 2)),
            ((0,), (2,)),
            ((4, 1, 2), (3, 3)),
        ]:
            others = tuple(np.ones(right, allowed) for _ in rest)
            yield BadInput("shapes must broadcast", (np.ones(left, allowed), *others))
        other = np.bool_ if allowed is not np.bool_ else np.int32
        yield BadInput("types never mix", (np.ones(2, allowed), *(np.ones(2, other) for _ in rest)))


def not_tensors(*rest: Any) -> Iterator[BadInput]:
    """Calls whose first operand cannot be made a tensor."""
    dates, parts = np.array(["2020-01-01"], "M8[D]"), np.zeros(2, [("a", "f4"), ("b", "i4")])
    for value in (
        [1.0, "a"],
        [[1.0], [2.0, 3.0]],
        [[[1.0]], [[2.0], [3.0]]],
        np.array([object()]),
        dates,
        parts,
    ):
        yield BadInput("no tensor can hold this", (value, *rest), error=(ValueError, TypeError, InvalidArgumentError))


def _of_type(op: Op, argument: str, dtype: Any) -> Any:
    allowed = op.other.get(argument)
    return np.ones(2, dtype if allowed is None else next(iter(allowed)))
