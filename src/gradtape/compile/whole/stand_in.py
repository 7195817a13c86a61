"""`StandIn`: an array of known layout without values, on which a kernel runs to say what it does.

Kernels are NumPy texts. Run on stand-ins, a text records a step for each NumPy call. What a call gives (its shape, type and
layout, and whether it is a view) NumPy itself says: each stand-in has an array of the same layout, and the call is made on it.
What cannot be recorded raises `Unsupported`, and the instruction stays a Python line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...native import abi, thresholds
from ...native.engine import strides_of
from ...native.language import Unsupported
from .fast_math import own_name
from .steps import (
    CONSTANT,
    MADE,
    Accumulation,
    AnyStep,
    Array,
    Assembly,
    Buffer,
    Check,
    Elementwise,
    Gathering,
    Product,
    Reduction,
    Step,
    View,
)
from .texts import SAME_BITS, is_light, kind_of

_METHODS = frozenset(
    ["reshape", "transpose", "swapaxes", "squeeze", "ravel", "diagonal", "T", "mT", "flatten", "repeat", "copy", "take"]
)


# What NumPy's functions that are no ufuncs do with stand-ins; numpy_functions.py fills it.
FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {}


class Steps:
    """The steps recorded so far, in order; those inside of a loop or a branch by themselves."""

    def __init__(self, own: bool = False, calls: bool = False) -> None:
        self.lists: list[list[AnyStep]] = [[]]
        self.own = own  # whether functions are computed in our own way
        # Whether a kernel was given numbers for what stands for an array. No error at once, because code in C may be asking:
        # f2py, with which SciPy reaches BLAS and LAPACK, loses references when an operand fails to become an array.
        self.was_read = False
        self._calls = calls

    @property
    def may_call(self) -> bool:
        """Whether what has no native form may be a call: if it was said so, and inside of loops and branches."""
        return self._calls or len(self.lists) > 1

    @property
    def current(self) -> list[AnyStep]:
        return self.lists[-1]

    @contextmanager
    def inside(self) -> Iterator[list[AnyStep]]:
        """Record into a list of its own."""
        self.lists.append([])
        try:
            yield self.lists[-1]
        finally:
            self.lists.pop()

    def append(self, step: AnyStep) -> None:
        """Add a step, if it can be written."""
        if isinstance(step, Step):
            _check(step)
        self.current.append(step)

    def made(self, like: Array) -> StandIn:
        """A value with memory of its own, of the layout of an array that NumPy made."""
        return StandIn(self, like, Buffer(MADE, like))

    def result(self, step: Callable[[View], Step], value: Array, operands: Sequence[StandIn]) -> StandIn:
        """What a step makes of operands; the value itself, if all of them are constants."""
        if all(operand.buffer.kind == CONSTANT for operand in operands):
            return self.constant(value)
        made = self.made(value)
        self.append(step(made.located))
        return made

    def constant(self, value: object) -> StandIn:
        array = np.asarray(value)
        return StandIn(self, array, Buffer(CONSTANT, array))

    def same_bits(self, value: StandIn, dtype: np.dtype[Any]) -> StandIn:
        """The bits of elements as elements of another type of the same size."""
        array = value.array.copy().view(dtype)
        return self.result(lambda made: Elementwise([value.located], made, SAME_BITS), array, [value])

    def stand_in(self, value: object) -> StandIn:
        """An operand as a stand-in, also where it is a constant."""
        return value if isinstance(value, StandIn) else self.constant(value)

    def expect(self, condition: object, expected: bool) -> None:
        """End the steps unless a truth value is as expected."""
        condition = self.stand_in(condition)
        if condition.buffer.kind != CONSTANT:
            self.append(Check(condition.located, expected))
        elif bool(condition.array) is not expected:
            raise Unsupported("a constant that is not as expected")


class StandIn(np.lib.mixins.NDArrayOperatorsMixin):
    """An array without values; see the module's docstring."""

    __slots__ = ("_steps", "array", "buffer")
    __array_priority__ = 1000

    def __init__(self, steps: Steps, array: Array, buffer: Buffer) -> None:
        self._steps = steps
        self.array = array
        self.buffer = buffer

    @property
    def located(self) -> View:
        array, root = self.array, self.buffer.array
        offset = abi.address_of(array) - abi.address_of(root)
        return View(self.buffer, offset if array.size else 0, array.shape, array.strides, array.dtype)

    # --- what texts ask of an array --------------------------------------------------------------------------------

    # Texts ask whether they are given an array or a number. (What needs the memory of an array asks the type itself.)
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return np.ndarray

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: self.array.dtype)
    ndim = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)
    itemsize = property(lambda self: self.array.itemsize)
    nbytes = property(lambda self: self.array.nbytes)
    flags = property(lambda self: self.array.flags)
    strides = property(lambda self: self.array.strides)

    def __pow__(self, other: Any) -> Any:
        if not self.ndim and not getattr(other, "ndim", 0):
            raise Unsupported("the operator of a power of scalars")
        quick = _POWERS.get(other) if type(other) in (int, float) and self.dtype.kind == "f" and self.ndim else None
        return np.power(self, other) if quick is None else quick(self)

    def __rpow__(self, other: Any) -> Any:
        if not self.ndim and not getattr(other, "ndim", 0):
            raise Unsupported("the operator of a power of scalars")
        return np.power(other, self)

    def __len__(self) -> int:
        return len(self.array)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        """Some numbers, for a kernel whose steps are not used then: see `Steps.was_read`."""
        self._steps.was_read = True
        return plausible(self.array).astype(dtype or self.dtype, copy=False)

    def __bool__(self) -> bool:
        raise Unsupported("a branch on a value")

    __int__ = __float__ = __index__ = __bool__

    def assumed(self, expected: bool) -> bool:
        """A truth value that is nearly always so: where it is not, the steps end."""
        if self.shape or self.dtype.kind != "b":
            raise Unsupported("a branch on a value")
        self._steps.expect(self, expected)
        return expected

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # (a protocol that is asked for, such as that of memory)
            raise AttributeError(f"what stands for an array has no {name}")
        if name not in _METHODS:
            raise Unsupported(f"{name} of an array")
        found = getattr(self.array, name)
        if not callable(found):
            return self.rearranged(lambda array: getattr(array, name))

        def method(*args: object, **options: object) -> Any:
            return self.rearranged(lambda array: getattr(array, name)(*args, **options))

        return method

    def rearranged(self, function: Callable[[Array], Any]) -> StandIn:
        """What a function that rearranges elements gives: a view, or a copy in some order."""
        result = function(self.array)
        if not isinstance(result, np.ndarray):
            raise Unsupported("a part of an array that is a number")
        if result.size and np.may_share_memory(result, self.buffer.array):
            self.buffer.is_viewed = True
            return StandIn(self._steps, result, self.buffer)
        if self.size >= thresholds.WHOLE_ELEMENTS:
            raise Unsupported("a large array in another order")
        places = np.arange(self.size).reshape(self.shape)
        order = np.asarray(function(_laid_out_as(places, self.array)))
        if order.dtype != places.dtype or result.dtype != self.dtype or order.shape != result.shape:
            raise Unsupported("a function that does not only rearrange elements")
        made = self._steps.made(result)
        if result.shape == self.shape and np.array_equal(order, places):
            self._steps.append(Elementwise([self.located], made.located, "cast"))
        else:
            begins = np.zeros(self.shape, np.int64)
            for stride, place in zip(self.strides, np.indices(self.shape, sparse=True), strict=True):
                begins += stride * place
            behind = np.ascontiguousarray(begins.reshape(-1)[order])
            self._steps.append(_copied(self._steps, self.located, behind, made.located))
        return made

    def __getitem__(self, key: Any) -> StandIn:
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(part, StandIn) for part in keys):
            raise Unsupported("an index that is no constant")
        # (With an ellipsis an element comes as an array without axes.)
        whole = keys if any(part is Ellipsis for part in keys) else (*keys, ...)
        return self.rearranged(lambda array: array[whole])

    def __iter__(self) -> Any:
        return (self[place] for place in range(len(self)))

    def astype(self, dtype: Any, order: Any = "K", copy: bool = True, **options: Any) -> StandIn:
        if np.dtype(dtype) == self.dtype and not copy:
            return self
        converted = self.array.astype(dtype, order=order)
        return self._steps.result(lambda made: Elementwise([self.located], made, "cast"), converted, [self])

    def sum(self, axis: object = None, dtype: object = None, keepdims: bool = False) -> StandIn:
        return _reduced(self._steps, np.add, self, axis, keepdims, dtype)

    def max(self, axis: object = None, keepdims: bool = False) -> StandIn:
        return _reduced(self._steps, np.maximum, self, axis, keepdims)

    def min(self, axis: object = None, keepdims: bool = False) -> StandIn:
        return _reduced(self._steps, np.minimum, self, axis, keepdims)

    def prod(self, axis: object = None, dtype: object = None, keepdims: bool = False) -> StandIn:
        return _reduced(self._steps, np.multiply, self, axis, keepdims, dtype)

    def all(self, axis: object = None, keepdims: bool = False) -> StandIn:
        return _reduced(self._steps, np.logical_and, self, axis, keepdims)

    def any(self, axis: object = None, keepdims: bool = False) -> StandIn:
        return _reduced(self._steps, np.logical_or, self, axis, keepdims)

    def mean(self, axis: object = None, keepdims: bool = False) -> StandIn:
        if self.dtype.char not in "fd":
            raise Unsupported(f"a mean of {self.dtype}")
        total = self.sum(axis, keepdims=keepdims)
        result: StandIn = np.true_divide(total, self.size // max(total.size, 1))
        return result

    # --- NumPy's functions -----------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        steps = self._steps
        if method in ("reduce", "accumulate", "reduceat"):
            try:
                return self._along_axes(ufunc, method, *inputs, **options)
            except Unsupported:  # (NumPy would never let go of the operands)
                steps.was_read = True
                return getattr(ufunc, method)(*(plausible(array_of(x)) if x is self else x for x in inputs), **options)
        if method != "__call__":
            raise Unsupported(f"{ufunc.__name__}.{method}")
        (target,) = options.pop("out", (None,))
        if options or ufunc.nout != 1:
            raise Unsupported(f"{ufunc.__name__} with options")
        if ufunc.signature is not None:
            if ufunc is not np.matmul or target is not None:
                raise Unsupported(ufunc.__name__)
            return _multiplied(steps, *inputs)
        return applied(steps, ufunc, inputs, target)

    def _along_axes(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> StandIn:
        """A reduction, or running sums."""
        if method == "reduce":
            given = dict(zip(("axis", "dtype", "out", "keepdims"), inputs[1:], strict=False)) | options
            given.setdefault("axis", 0)
            if given.pop("out", None) is not None or not {"axis", "dtype", "keepdims", "initial"} >= given.keys():
                raise Unsupported("a reduction with options")
            return _reduced(self._steps, ufunc, inputs[0], **given)
        if method == "accumulate":
            given = dict(zip(("axis", "dtype"), inputs[1:], strict=False)) | options
            return _accumulated(self._steps, ufunc, inputs[0], **given)
        raise Unsupported(f"{ufunc.__name__}.{method}")

    def __array_function__(self, function: Any, kinds: Any, args: Any, options: Any) -> Any:
        recorded = FUNCTIONS.get(function)
        if recorded is not None:
            return recorded(self._steps, *args, **options)
        raise Unsupported(f"np.{function.__name__}")


_RUNS = 16  # copies that are written out


def _copied(steps: Steps, source: View, behind: Array, target: View) -> Step:
    """Elements in another order, each so many bytes behind the first: a few copies of neighbours (`np.roll`), or one by one."""
    size, flat = source.dtype.itemsize, behind.reshape(-1)
    starts = [0, *(np.flatnonzero(np.diff(flat) != size) + 1).tolist()]
    if not flat.size or len(starts) > _RUNS or target.strides != strides_of(target.shape, size):
        return Gathering([source, steps.constant(behind).located], target)
    reads, places = [], []
    for start, stop in zip(starts, [*starts[1:], flat.size], strict=True):
        shape = (stop - start,)
        reads.append(View(source.buffer, source.offset + int(flat[start]), shape, (size,), source.dtype))
        places.append(View(target.buffer, target.offset + start * size, shape, (size,), source.dtype))
    return Assembly(reads, target, places)


def _laid_out_as(values: Array, array: Array) -> Array:
    """The values in memory of the same layout, on which functions that copy go the same way."""
    result = np.empty_like(array, values.dtype)
    result[...] = values
    return result


def plausible(array: Array) -> Array:
    """Numbers that most kernels take, in the layout of an array: matrices among them can be inverted."""
    result = array.copy(order="K")
    if array.dtype.kind in "fc":
        result[...] = np.random.default_rng(0).uniform(0.5, 1.0, array.shape)
        if array.ndim > 1:
            result += 2 * np.eye(*array.shape[-2:])
    return result


_OF_SCALARS = ("remainder", "floor_divide")  # NumPy's operators compute them in another way for its scalars
_POWERS = {-1: np.reciprocal, 0.5: np.sqrt, 1: np.positive, 2: np.square}  # as NumPy computes `x**2`


def array_of(value: object) -> Any:
    """What stands for the values of an operand."""
    return value.array if isinstance(value, StandIn) else value


def applied(steps: Steps, ufunc: np.ufunc, inputs: Sequence[Any], target: object = None) -> StandIn:
    """A ufunc applied to each element."""
    arrays = [np.asarray(array_of(x)) for x in inputs]
    if ufunc.__name__ in _OF_SCALARS and all(not x.ndim for x in arrays) and any(x.dtype.kind in "fc" for x in arrays):
        raise Unsupported(f"{ufunc.__name__} of scalars")
    given = [type(x) if type(x) in (int, float, complex, bool) else np.asarray(array_of(x)).dtype for x in inputs]
    kinds = ufunc.resolve_dtypes((*given, None))
    with np.errstate(all="ignore"):
        result = np.asarray(ufunc(*map(array_of, inputs)))
    operands = [converted(steps, x, kind) for x, kind in zip(inputs, kinds, strict=False)]
    if target is not None:
        return _overwritten(steps, ufunc, operands, target, result)
    if result.dtype != kinds[-1]:
        raise Unsupported(f"{ufunc.__name__} of {given}")
    views = [operand.located for operand in operands]
    name = own_name(ufunc.__name__, kinds, any_bits=steps.own) or ufunc.__name__
    if not is_light(name, kinds) and not _is_called_alike(ufunc, inputs, operands, result):
        raise Unsupported(f"{ufunc.__name__} of elements that lie in another order, or of one")
    return steps.result(lambda made: Elementwise(views, made, name, ufunc), result, operands)


def _is_called_alike(ufunc: np.ufunc, inputs: Sequence[Any], operands: Sequence[StandIn], result: Array) -> bool:
    """Whether NumPy calls its inner loop with the strides that a step has, as far as bits depend on them.

    Loops over vectors have others for strides that are negative. NumPy turns axes with such strides around if all operands have
    them; in the way that it takes for lines, it never does. (A loop of one element without steps: see `abi.rounds_by_place`.)
    """
    is_given = [
        isinstance(x, StandIn) and x.dtype == operand.dtype for x, operand in zip(inputs, operands, strict=True)
    ]
    alike = all(not x.ndim or x.shape == result.shape for x in operands)
    as_line = alike and all(given or x.ndim < 2 for given, x in zip(is_given, operands, strict=True))
    if result.size == 1:
        return as_line or not (
            abi.rounds_by_place(ufunc, result.dtype) or any(s < 0 for x in operands for s in x.strides)
        )
    turned = [k for k, x in enumerate(operands) if any(s < 0 for s, n in zip(x.strides, x.shape, strict=True) if n > 1)]
    return not turned or (as_line and all(is_given[place] and operands[place].ndim == 1 for place in turned))


def _overwritten(steps: Steps, ufunc: np.ufunc, operands: list[StandIn], target: object, result: Array) -> StandIn:
    """A result written over an operand (`x *= y`): the stand-in gets new memory; nobody may look at the old one."""
    if not isinstance(target, StandIn) or target.array is not target.buffer.array or target.buffer.is_viewed:
        raise Unsupported("a result written into a part of an array")
    if target.shape != result.shape or target.dtype != result.dtype or target.buffer.kind != MADE:
        raise Unsupported("a result written into another kind of array")
    if result.size == 1 and abi.rounds_by_place(ufunc, result.dtype):
        raise Unsupported(f"{ufunc.__name__} of one element in place")
    made = steps.made(np.empty_like(target.array))
    steps.append(Elementwise([operand.located for operand in operands], made.located, ufunc.__name__, ufunc))
    target.array, target.buffer = made.array, made.buffer
    return target


def converted(steps: Steps, value: object, dtype: np.dtype[Any]) -> StandIn:
    """An operand as the type that a ufunc computes in."""
    if not isinstance(value, StandIn):
        return steps.constant(np.asarray(value, dtype))
    return value if value.dtype == dtype else value.astype(dtype)


def _reduced(
    steps: Steps, ufunc: np.ufunc, x: StandIn, axis: Any, keepdims: bool = False, dtype: Any = None, initial: Any = None
) -> StandIn:
    begin = {} if initial is None else {"initial": initial}
    with np.errstate(all="ignore"):
        result = np.asarray(ufunc.reduce(x.array, axis=axis, keepdims=bool(keepdims), dtype=dtype, **begin))
    kinds = ufunc.resolve_dtypes((None, dtype or x.dtype, None), reduction=True) if dtype is None else None
    loop = np.dtype(dtype) if kinds is None else kinds[1]
    if x.dtype != loop:
        x = x.astype(loop)
    if x.buffer.kind == CONSTANT:
        return steps.constant(result)
    axes = tuple(range(x.ndim)) if axis is None else tuple(a % x.ndim for a in np.atleast_1d(axis)) if x.ndim else ()
    made = steps.made(result)
    if not axes:
        if initial is not None:
            raise Unsupported("a reduction of nothing that begins with a number")
        steps.append(Elementwise([x.located], made.located, "cast"))
        return made
    with np.errstate(all="ignore"):
        kept = made.array if keepdims else np.expand_dims(made.array, axes)
    target = StandIn(steps, kept, made.buffer).located
    steps.append(Reduction([x.located], target, ufunc, tuple(sorted(axes)), initial))
    return made


def _accumulated(steps: Steps, ufunc: np.ufunc, x: StandIn, axis: int = 0, dtype: Any = None) -> StandIn:
    with np.errstate(all="ignore"):
        result = ufunc.accumulate(x.array, axis=axis, dtype=dtype)
    x = x if x.dtype == result.dtype else x.astype(result.dtype)
    return steps.result(lambda made: Accumulation([x.located], made, ufunc, axis % x.ndim), result, [x])


def _multiplied(steps: Steps, a: object, b: object) -> StandIn:
    """A product of matrices."""
    first, second = (x if isinstance(x, StandIn) else steps.constant(x) for x in (a, b))
    if first.ndim < 2 or second.ndim < 2 or first.dtype != second.dtype:
        raise Unsupported("a product with vectors")
    made = steps.made(np.matmul(first.array, second.array))
    steps.append(Product([first.located, second.located], made.located))
    return made


def _check(step: Step) -> None:
    """Raise unless there is a way to write a step."""
    kinds = tuple(view.dtype for view in (*step.reads, step.writes))
    if isinstance(step, Elementwise) and not is_light(step.name, kinds):
        if step.ufunc is None or abi.inner_loop(step.ufunc, kinds) is None or _may_raise(step.ufunc, kinds):
            raise Unsupported(f"{step.name} of {[str(kind) for kind in kinds]}")
    elif isinstance(step, Reduction):
        (source,), name = step.reads, step.ufunc.__name__
        if name not in _REDUCING or (kinds[0] != kinds[1] and not name.startswith("logical")) or not kind_of(kinds[1]):
            raise Unsupported(f"{name}.reduce of {kinds[0]}")
        if abi.inner_loop(step.ufunc, (kinds[1], kinds[0], kinds[1])) is None:
            raise Unsupported(f"{name}.reduce of {kinds[0]}")
        # NumPy's order of repeated or reversed elements is another one.
        gaps = zip(source.strides, source.shape, strict=True)
        if source.size and any(stride <= 0 for stride, size in gaps if size > 1):
            raise Unsupported("a reduction of repeated elements")
        if not source.size and name not in _STARTING and step.initial is None:
            raise Unsupported("an extreme of nothing")
    elif isinstance(step, Accumulation):
        if abi.inner_loop(step.ufunc, (kinds[0],) * 3) is None or _may_raise(step.ufunc, kinds):
            raise Unsupported(f"{step.ufunc.__name__}.accumulate of {kinds[0]}")
    elif isinstance(step, Product):
        count = step.writes.size * step.reads[0].shape[-1]  # (eager code cuts a larger one into parts for all cores)
        if count >= thresholds.PRODUCT_CORES_MULTIPLICATIONS or abi.inner_loop(np.matmul, kinds) is None:
            raise Unsupported("a large product")


def _may_raise(ufunc: np.ufunc, kinds: Sequence[np.dtype[Any]]) -> bool:
    """Whether an inner loop reports errors as exceptions of Python's, for which machine code does not look.

    In NumPy that is a negative power of integers alone.
    """
    return ufunc is np.power and kinds[0].kind == "i"


_STARTING = ("add", "multiply", "logical_and", "logical_or")  # those of nothing are a number
_REDUCING = (*_STARTING, "maximum", "minimum", "fmax", "fmin")
