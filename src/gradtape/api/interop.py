"""NumPy's functions on tensors: `np.sin(x)` and `np.mean(x)` call our ops, and the tape follows.

NumPy asks an operand's `__array_ufunc__` (for ufuncs, SciPy's too) or `__array_function__` (for everything else) before
it computes. What has a counterpart is recorded. What has none is computed by NumPy on the values, unless a tape or an
accumulator follows one of the operands: then the path would be cut without a word, so it is an error that says what
to use instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from .. import linalg, math
from ..base import nest
from ..base.context import STATE
from ..base.dtypes import INEXACT
from ..op.declaration import as_axis, as_ints
from ..ops.math import reduce, ufuncs
from ..values.tensor import Tensor, from_array, to_tensor
from ..variables.operators import matmul_operator
from ..variables.variable import Variable
from . import arrays, indexing, layout

# --- ufuncs ----------------------------------------------------------------------------------------------------------

# NumPy's name -> our function, where the names differ; otherwise tf.math is asked for the ufunc's own name.
_UFUNCS: dict[str, Callable[..., Any]] = {
    "true_divide": math.truediv,
    "divide": math.truediv,
    "floor_divide": ufuncs.floor_divide.public,
    "remainder": math.floormod,
    "mod": math.floormod,
    "power": math.pow,
    "float_power": math.pow,
    "absolute": math.abs,
    "fabs": math.abs,
    "conjugate": math.conj,
    "matmul": matmul_operator,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctan": math.atan,
    "arctan2": math.atan2,
    "arcsinh": math.asinh,
    "arccosh": math.acosh,
    "arctanh": math.atanh,
    "isnan": math.is_nan,
    "isinf": math.is_inf,
    "isfinite": math.is_finite,
    "expit": math.sigmoid,
    "log_expit": math.log_sigmoid,
    "fmax": math.maximum,
    "fmin": math.minimum,
    "log2": lambda x: math.log(x) / float(np.log(2.0)),
    "log10": lambda x: math.log(x) / float(np.log(10.0)),
    "exp2": lambda x: math.exp(to_tensor(x) * float(np.log(2.0))),
    "cbrt": lambda x: math.sign(x) * math.pow(math.abs(x), 1 / 3),
    "positive": arrays.identity,
    "logical_and": lambda x, y: math.logical_and(_truth(x), _truth(y)),
    "logical_or": lambda x, y: math.logical_or(_truth(x), _truth(y)),
    "logical_xor": lambda x, y: math.logical_xor(_truth(x), _truth(y)),
    "logical_not": lambda x: math.logical_not(_truth(x)),
    "gammaln": math.lgamma,
    "psi": math.digamma,
    "logit": lambda x: math.log(x) - math.log1p(-to_tensor(x)),
    "entr": lambda x: -math.xlogy(x, x),
    "deg2rad": lambda x: to_tensor(x) * float(np.pi / 180),
    "radians": lambda x: to_tensor(x) * float(np.pi / 180),
    "rad2deg": lambda x: to_tensor(x) * float(180 / np.pi),
    "degrees": lambda x: to_tensor(x) * float(180 / np.pi),
    "hypot": lambda x, y: math.sqrt(math.square(x) + math.square(y)),
    "logaddexp": lambda x, y: math.maximum(x, y) + math.softplus(-math.abs(math.subtract(x, y))),
}
_REDUCED = {
    "add": math.reduce_sum,
    "multiply": math.reduce_prod,
    "maximum": math.reduce_max,
    "minimum": math.reduce_min,
    "logical_and": lambda x, axis, keepdims: math.reduce_all(_truth(x), axis, keepdims),
    "logical_or": lambda x, axis, keepdims: math.reduce_any(_truth(x), axis, keepdims),
}


def _truth(x: Any) -> Any:
    """Whether each element counts as true, as NumPy has it: numbers that are not zero."""
    return x if x.dtype.is_bool else math.not_equal(x, arrays.zeros_like(x))


def _array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    name = ufunc.__name__
    if method == "__call__" and not kwargs:
        function = _UFUNCS.get(name) or getattr(math, name, None)
        if isinstance(function, FunctionType):
            return function(*inputs)
    if method == "reduce" and name in _REDUCED and not (set(kwargs) - {"axis", "keepdims"}):
        return _REDUCED[name](inputs[0], kwargs.get("axis", 0), kwargs.get("keepdims", False))
    if "out" in kwargs:
        raise TypeError(f"np.{name}: a tensor never changes, so it cannot be `out`, and ops on tensors have no `out`.")
    shown = f"np.{name}" if hasattr(np, name) else f"scipy.special.{name}"
    shown = shown if method == "__call__" else f"{shown}.{method}"
    return _on_values(shown, getattr(ufunc, method), inputs, kwargs)


# --- other functions -------------------------------------------------------------------------------------------------


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        _no_out(out)
        return function(a if dtype is None else math.cast(a, dtype), axis, keepdims)

    return reduce


def _extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        _no_out(out)
        return function(a, axis, keepdims)

    return reduce


def _spread(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False
    ) -> Any:
        _no_out(out)
        x = to_tensor(a) if dtype is None else math.cast(a, dtype)
        count = np.size(np.empty(tuple(x.shape)), axis)
        variance = math.reduce_variance(x, axis, keepdims) * (count / max(count - ddof, 1))
        return variance if function is math.reduce_variance else math.sqrt(variance)

    return reduce


def _position(function: Callable[..., Any]) -> Callable[..., Any]:
    def find(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        _no_out(out)
        flat, place = (arrays.reshape(a, (-1,)), 0) if axis is None else (a, as_axis(axis))
        found = function(flat, place, nan_wins=True)
        return found if not keepdims else layout.expand_dims(found, axis)

    return find


def _cumulative(function: Callable[..., Any]) -> Callable[..., Any]:
    def accumulate(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        _no_out(out)
        a = a if dtype is None else math.cast(a, dtype)
        return function(arrays.reshape(a, (-1,)) if axis is None else a, 0 if axis is None else axis)

    return accumulate


def _no_out(out: Any) -> None:
    if out is not None:
        raise TypeError("A tensor never changes, so it cannot be `out`, and ops on tensors have no `out`.")


def _dot(a: Any, b: Any, out: Any = None) -> Any:
    _no_out(out)
    x, y = to_tensor(a), to_tensor(b)
    if not x.ndim or not y.ndim:
        return math.multiply(x, y)
    return linalg.tensordot(x, y, [[x.ndim - 1], [max(y.ndim - 2, 0)]])


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Any:
    _no_out(out)
    low, high = a_min if a_min is not None else min, a_max if a_max is not None else max
    x = to_tensor(a)
    x = x if low is None else math.maximum(x, low)
    return x if high is None else math.minimum(x, high)


def _concatenate(values: Any, axis: Any = 0, out: Any = None) -> Any:
    _no_out(out)
    if axis is None:
        return layout.concat([arrays.reshape(v, (-1,)) for v in values], 0)
    return layout.concat(list(values), axis)


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    found = indexing.where(condition, x, y)
    return found if x is not None else tuple(layout.unstack(found, axis=1))


def _pad(array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    rows = np.broadcast_to(np.asarray(pad_width), (to_tensor(array).ndim, 2))
    return layout.pad(array, rows.astype(np.int32), mode.upper(), constant_values)


def _flip(m: Any, axis: Any = None) -> Any:
    return layout.reverse(m, list(range(to_tensor(m).ndim)) if axis is None else list(as_ints(axis)))


def _squeeze(a: Any, axis: Any = None) -> Any:
    return layout.squeeze(a, axis)


def _swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    order = list(range(to_tensor(a).ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return layout.transpose(a, order)


def _moveaxis(a: Any, source: Any, destination: Any) -> Any:
    probe = np.moveaxis(np.empty(range(1, to_tensor(a).ndim + 1)), source, destination)
    return layout.transpose(a, [size - 1 for size in probe.shape])


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    rank = to_tensor(x).ndim if axis is None else np.size(axis)
    if rank == 1 or ord is None:
        return linalg.norm(x, "euclidean" if ord is None else ord, axis, keepdims)
    if ord == "fro":
        return linalg.norm(x, "euclidean", axis, keepdims)
    raise NoCounterpart


def _tile(A: Any, reps: Any) -> Any:
    x, counts = to_tensor(A), list(np.atleast_1d(reps))
    rank = max(x.ndim, len(counts))
    shape = (*(1,) * (rank - x.ndim), *x.shape)
    return layout.tile(arrays.reshape(x, shape), [1] * (rank - len(counts)) + counts)


def _reshape(a: Any, shape: Any, order: str = "C") -> Any:
    if order != "C":
        raise NoCounterpart
    return arrays.reshape(a, shape)


def _of_rank(rank: int) -> Callable[..., Any]:
    """np.atleast_1d and np.atleast_2d: axes are put in front."""

    def promote(*values: Any) -> Any:
        promoted = [arrays.reshape(v, (*(1,) * (rank - v.ndim), *v.shape)) for v in map(to_tensor, values)]
        return promoted[0] if len(promoted) == 1 else tuple(promoted)

    return promote


def _hstack(tup: Any) -> Any:
    parts = [_of_rank(1)(value) for value in tup]
    return layout.concat(parts, 0 if parts[0].ndim == 1 else 1)


def _diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    x = to_tensor(a)
    for _ in range(n):
        size = x.shape[axis]
        first, second = layout.split(x, [1, size - 1], axis)[1], layout.split(x, [size - 1, 1], axis)[0]
        x = math.subtract(first, second)
    return x


def _inner(a: Any, b: Any) -> Any:
    x, y = to_tensor(a), to_tensor(b)
    return linalg.tensordot(x, y, [[x.ndim - 1], [y.ndim - 1]]) if x.ndim and y.ndim else math.multiply(x, y)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: _reduction(math.reduce_sum),
    np.mean: _reduction(math.reduce_mean),
    np.prod: _reduction(math.reduce_prod),
    np.max: _extreme(math.reduce_max),
    np.min: _extreme(math.reduce_min),
    np.amax: _extreme(math.reduce_max),
    np.amin: _extreme(math.reduce_min),
    np.all: _extreme(_REDUCED["logical_and"]),
    np.any: _extreme(_REDUCED["logical_or"]),
    np.std: _spread(math.reduce_std),
    np.var: _spread(math.reduce_variance),
    np.argmax: _position(reduce.argmax.public),
    np.argmin: _position(reduce.argmin.public),
    np.cumsum: _cumulative(math.cumsum),
    np.cumprod: _cumulative(math.cumprod),
    np.reshape: _reshape,
    np.ravel: lambda a, order="C": _reshape(a, (-1,), order),
    np.atleast_1d: _of_rank(1),
    np.atleast_2d: _of_rank(2),
    np.transpose: lambda a, axes=None: layout.transpose(a, axes),
    np.swapaxes: _swapaxes,
    np.moveaxis: _moveaxis,
    np.expand_dims: lambda a, axis: layout.expand_dims(a, axis),
    np.squeeze: _squeeze,
    np.concatenate: _concatenate,
    np.stack: lambda values, axis=0: layout.stack(values, axis),
    np.vstack: lambda tup: layout.concat([_of_rank(2)(value) for value in tup], 0),
    np.hstack: _hstack,
    np.split: lambda ary, indices_or_sections, axis=0: _split(ary, indices_or_sections, axis),
    np.tile: _tile,
    np.repeat: lambda a, repeats, axis=None: layout.repeat(a, repeats, axis),
    np.roll: lambda a, shift, axis=None: _roll(a, shift, axis),
    np.flip: _flip,
    np.flipud: lambda m: _flip(m, 0),
    np.fliplr: lambda m: _flip(m, 1),
    np.diff: _diff,
    np.broadcast_to: lambda array, shape: arrays.broadcast_to(array, shape),
    np.where: _where,
    np.clip: _clip,
    np.pad: _pad,
    np.take: lambda a, indices, axis=None: indexing.gather(
        arrays.reshape(a, (-1,)) if axis is None else a, indices, axis=axis or 0
    ),
    np.dot: _dot,
    np.tensordot: lambda a, b, axes=2: linalg.tensordot(a, b, axes),
    np.einsum: lambda equation, *operands: linalg.einsum(equation, *operands),
    np.outer: lambda a, b: math.multiply(arrays.reshape(a, (-1, 1)), arrays.reshape(b, (1, -1))),
    np.inner: _inner,
    np.vdot: lambda a, b: math.reduce_sum(math.conj(arrays.reshape(a, (-1,))) * arrays.reshape(b, (-1,))),
    np.matrix_transpose: lambda x: linalg.matrix_transpose(x),
    np.linalg.norm: _norm,
    np.zeros_like: lambda a, dtype=None: arrays.zeros_like(a, dtype),
    np.ones_like: lambda a, dtype=None: arrays.ones_like(a, dtype),
    np.real: math.real,
    np.imag: math.imag,
    np.angle: lambda z: math.angle(z),
    np.round: lambda a: math.round(a),
    np.around: lambda a: math.round(a),
    np.ptp: lambda a, axis=None: math.reduce_max(a, axis) - math.reduce_min(a, axis),
    np.full_like: lambda a, fill_value: arrays.fill(tuple(a.shape), math.cast(fill_value, a.dtype)),
    np.copy: lambda a: arrays.identity(a),
    np.shape: lambda a: tuple(a.shape),
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: int(np.size(np.empty(tuple(to_tensor(a).shape)), axis)),
}


def _split(ary: Any, indices_or_sections: Any, axis: int) -> Any:
    if isinstance(indices_or_sections, (int, np.integer)):
        return layout.split(ary, int(indices_or_sections), axis)
    edges = [0, *indices_or_sections, to_tensor(ary).shape[axis]]
    return layout.split(ary, [high - low for low, high in itertools.pairwise(edges)], axis)


def _roll(a: Any, shift: Any, axis: Any) -> Any:
    if axis is not None:
        return layout.roll(a, shift, axis)
    x = to_tensor(a)
    return arrays.reshape(layout.roll(arrays.reshape(x, (-1,)), shift, 0), tuple(x.shape))


def _array_function(self: Any, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    ours = _FUNCTIONS.get(func)
    if ours is not None:
        try:
            return ours(*args, **kwargs)
        except NoCounterpart:
            pass
        except TypeError as error:
            if "unexpected keyword argument" not in str(error) and "positional argument" not in str(error):
                raise
    return _on_values(f"{func.__module__}.{func.__name__}".replace("numpy", "np"), func, args, kwargs)


def _on_values(name: str, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """What NumPy computes from the values; an error where somebody follows one of them and a derivative is lost.

    Truth values, indices and counts have no derivative, so nothing is lost with them.
    """

    def plain(value: Any) -> Any:
        if isinstance(value, (Tensor, Variable)):
            return np.asarray(value)
        if isinstance(value, (list, tuple)):
            return type(value)(plain(item) for item in value) if not hasattr(value, "_fields") else value
        return value

    result = function(*[plain(a) for a in args], **{k: plain(v) for k, v in kwargs.items()})
    if not any(isinstance(value, np.ndarray | np.generic) and value.dtype in INEXACT for value in nest.flatten(result)):
        return result
    for value in nest.flatten([list(args), kwargs]):
        if isinstance(value, (Tensor, Variable)) and _is_followed(value):
            raise TypeError(
                f"{name} has no counterpart that the tape can record (with these arguments), and would cut the gradient here. "
                "Use tf functions, or say that no gradient should pass: "
                f"{name}(x.numpy()), or tf.stop_gradient(x) before."
            )
    return result


class NoCounterpart(Exception):
    """Raised by a function of the table where its arguments ask for what no op of ours does."""


def _is_followed(value: Any) -> bool:
    number = value._id
    return bool(number) and (
        any(number in records for records in STATE.tapes)
        or any(accumulator.follows(number) for accumulator in STATE.accumulators)
        or (isinstance(value, Variable) and value.trainable and bool(STATE.tapes))
    )


class _Capsule:
    """A bare DLPack capsule as the object that NumPy asks for one."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the CPU


def from_dlpack(dlcapsule: Any) -> Tensor:
    """A tensor from an array of another library, through DLPack (a capsule, or an object that gives one); copied."""
    if type(dlcapsule).__name__ == "PyCapsule":
        dlcapsule = _Capsule(dlcapsule)
    if not hasattr(dlcapsule, "__dlpack__"):
        raise TypeError(f"from_dlpack needs an object with __dlpack__ or a capsule, got {dlcapsule!r}.")
    return from_array(np.array(np.from_dlpack(dlcapsule)))


for _class in (Tensor, Variable):
    _class.__array_ufunc__ = _array_ufunc  # type: ignore[union-attr]
    _class.__array_function__ = _array_function  # type: ignore[union-attr]
