"""NumPy's functions that are no ufuncs, on stand-ins: what they do, said in steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...native import abi
from ...native.language import Unsupported
from .stand_in import FUNCTIONS, StandIn, Steps, applied, array_of, converted
from .steps import Array, Assembly, Elementwise, MatrixFunction


def _records(*functions: Any) -> Callable[[Any], Any]:
    def declare(recorded: Any) -> Any:
        FUNCTIONS.update(dict.fromkeys(functions, recorded))
        return recorded

    return declare


def _views(function: Any) -> None:
    """Functions that rearrange the elements of their first operand."""

    def recorded(steps: Steps, x: StandIn, *args: Any, **options: Any) -> StandIn:
        return x.rearranged(lambda array: function(array, *args, **options))

    FUNCTIONS[function] = recorded


for _function in (
    np.reshape, np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims, np.squeeze, np.broadcast_to, np.flip,
    np.ravel, np.diagonal, np.rot90, np.fliplr, np.flipud, np.matrix_transpose, np.copy, np.permute_dims, np.real,
    np.repeat, np.tile, np.roll,
):  # fmt: skip
    _views(_function)


@_records(np.where)
def _where(steps: Steps, condition: Any, *values: Any) -> StandIn:
    if len(values) != 2:
        raise Unsupported("the places where a condition holds")
    result = np.where(*map(array_of, (condition, *values)))
    kinds = (np.dtype(np.bool_), result.dtype, result.dtype)
    operands = [converted(steps, x, kind) for x, kind in zip((condition, *values), kinds, strict=True)]
    views = [operand.located for operand in operands]
    return steps.result(lambda made: Elementwise(views, made, "where"), result, operands)


@_records(np.zeros_like, np.ones_like)
def _filled(steps: Steps, *args: Any, **options: Any) -> Any:
    raise Unsupported("a new array")


def assembled(steps: Steps, result: Array, places: list[Array], parts: Sequence[Any], zeros: bool = False) -> StandIn:
    made = steps.made(result)
    into = [StandIn(steps, place, made.buffer).located for place in places]
    given = [part if isinstance(part, StandIn) else steps.constant(part) for part in parts]
    if any(part.dtype != result.dtype for part in given):
        raise Unsupported("parts of several types")
    steps.append(Assembly([part.located for part in given], made.located, into, zeros))
    return made


@_records(np.concatenate)
def _concatenated(steps: Steps, parts: Sequence[Any], axis: Any = 0) -> StandIn:
    if axis is None:
        raise Unsupported("concatenate without an axis")
    arrays = [np.asarray(array_of(part)) for part in parts]
    result = np.concatenate(arrays, axis=axis)
    ends = np.cumsum([array.shape[axis] for array in arrays])
    along = np.moveaxis(result, axis, 0)
    places = [
        np.moveaxis(along[end - array.shape[axis] : end], 0, axis) for end, array in zip(ends, arrays, strict=True)
    ]
    return assembled(steps, result, places, parts)


@_records(np.stack)
def _stacked(steps: Steps, parts: Sequence[Any], axis: int = 0) -> StandIn:
    arrays = [np.asarray(array_of(part)) for part in parts]
    result = np.stack(arrays, axis=axis)
    along = np.moveaxis(result, axis, 0)
    return assembled(steps, result, [along[place, ...] for place in range(len(arrays))], parts)


@_records(np.sum)
def _sum(steps: Steps, x: StandIn, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> StandIn:
    return x.sum(axis, dtype, keepdims)


def _method(name: str) -> Callable[..., StandIn]:
    def recorded(steps: Steps, x: StandIn, *args: Any, **options: Any) -> StandIn:
        result: StandIn = getattr(x, name)(*args, **options)
        return result

    return recorded


FUNCTIONS |= {
    np.mean: _method("mean"),
    np.max: _method("max"),
    np.amax: _method("max"),
    np.min: _method("min"),
    np.amin: _method("min"),
    np.prod: _method("prod"),
    np.all: _method("all"),
    np.any: _method("any"),
}


@_records(np.einsum)
def _einsum(steps: Steps, equation: str, *operands: Any, **options: Any) -> StandIn:
    if equation != "nc->c" or not operands[0].flags.c_contiguous or operands[0].shape[1] < 2:
        raise Unsupported(f"einsum {equation}")
    (rows,) = operands
    return rows.sum(0)  # (one row after the other is added, as einsum does it)


@_records(np.split)
def _split(steps: Steps, x: StandIn, sections: Any, axis: int = 0) -> list[StandIn]:
    x.buffer.is_viewed = True
    return [StandIn(steps, part, x.buffer) for part in np.split(x.array, sections, axis)]


@_records(np.pad)
def _padded(steps: Steps, x: StandIn, width: Any, mode: str = "constant", **options: Any) -> StandIn:
    value = options.get("constant_values", 0)
    result = np.pad(x.array, width, mode, **options)  # type: ignore[call-overload]
    if mode != "constant":
        return x.rearranged(lambda array: np.pad(array, width, mode, **options))  # type: ignore[call-overload]
    pairs = np.broadcast_to(np.asarray(width), (x.ndim, 2))
    inside = result[tuple(slice(first, first + size) for (first, _), size in zip(pairs, x.shape, strict=True))]
    if np.ndim(value) == 0 and not value:
        return assembled(steps, result, [inside], [x], zeros=True)
    border = np.broadcast_to(np.full((), value, x.dtype), result.shape)
    return assembled(steps, result, [result, inside], [border, x])


@_records(np.round, np.around)
def _rounded(steps: Steps, x: StandIn, decimals: int = 0) -> Any:
    if decimals or x.dtype.kind != "f":
        raise Unsupported("rounded to digits")
    return np.rint(x)


@_records(np.clip)
def _clipped(steps: Steps, x: Any, low: Any, high: Any) -> Any:
    clip = abi.clip_ufunc()
    if clip is None or low is None or high is None:
        raise Unsupported("np.clip")
    return applied(steps, clip, (x, low, high))


@_records(np.isposinf)
def _isposinf(steps: Steps, x: StandIn) -> Any:
    return np.isinf(x) & ~np.signbit(x)


@_records(np.isneginf)
def _isneginf(steps: Steps, x: StandIn) -> Any:
    return np.isinf(x) & np.signbit(x)


@_records(np.isreal)
def _isreal(steps: Steps, x: StandIn) -> Any:
    if x.dtype.kind == "c":
        raise Unsupported("the parts of a complex number")
    return np.broadcast_to(np.array(True), x.shape)


@_records(np.cumsum)
def _cumsum(steps: Steps, x: StandIn, axis: Any = None, dtype: Any = None) -> Any:
    if axis is None:
        raise Unsupported("cumsum without an axis")
    return np.add.accumulate(x, axis=axis, dtype=dtype)


@_records(np.take)
def _taken(steps: Steps, x: StandIn, indices: Any, axis: int | None = None) -> StandIn:
    return x.rearranged(lambda array: np.take(array, indices, axis))


@_records(np.diff)
def _differences(steps: Steps, x: StandIn, n: int = 1, axis: int = -1) -> Any:
    along = axis % x.ndim
    for _ in range(n):
        later, earlier = (x[(slice(None),) * along + (part,)] for part in (slice(1, None), slice(None, -1)))
        x = later != earlier if x.dtype == np.bool_ else later - earlier
    return x


@_records(np.atleast_1d)
def _at_least_1d(steps: Steps, x: StandIn) -> Any:
    return x if x.ndim else x.reshape(1)


@_records(np.broadcast_arrays)
def _broadcast(steps: Steps, *arrays: Any) -> Any:
    shape = np.broadcast_shapes(*(np.shape(array) for array in arrays))
    return tuple(np.broadcast_to(array, shape) for array in arrays)


# --- functions of matrices ---------------------------------------------------------------------------------------------------


def _of_matrices(name: str, *operands: StandIn) -> list[StandIn]:
    """NumPy's own loop, in double precision as `np.linalg` computes; the results in the type of the operands."""
    steps, ufunc = operands[0]._steps, abi.matrix_function(name)
    dtype = operands[0].dtype
    if ufunc is None or dtype.char not in "fdFD" or not abi.calls_matrix_functions():
        raise Unsupported(f"{name} of {dtype}")
    if max(size for operand in operands for size in operand.shape[-2:]) > _ALONE or not operands[0].size:
        raise Unsupported("large matrices, or none")
    wide = [operand.astype("D" if dtype.kind == "c" else "d", copy=False) for operand in operands]
    signature = _SIGNATURES[name]
    with np.errstate(all="ignore"):
        kinds = signature.replace("d", "D").replace("r", "d") if dtype.kind == "c" else signature.replace("r", "d")
        found = ufunc(*(operand.array for operand in wide), signature=kinds)
    arrays = found if isinstance(found, tuple) else (found,)
    made = [steps.made(np.asarray(array)) for array in arrays]
    core, axes = _sizes(ufunc, [x.shape for x in (*wide, *made)])
    in_place = name in _OVERWRITING
    if in_place:
        made.append(steps.made(np.empty_like(wide[0].array)))
    views = [x.located for x in made]
    steps.append(MatrixFunction([x.located for x in wide], views[0], ufunc, core, axes, views[1:], in_place))
    single = dtype.char in "fF"
    return [x.astype(_SINGLE[x.dtype.char]) if single else x for x in made]


_ALONE = 64  # columns of a matrix that LAPACK factors on one thread
_SIGNATURES = {"inv": "d->d", "solve": "dd->d", "det": "d->d", "slogdet": "d->dr", "cholesky_lo": "d->d", "eigh_lo": "d->rd",
               "eigvalsh_lo": "d->r", "svd": "d->r", "svd_f": "d->drd", "svd_s": "d->drd", "qr_r_raw": "d->d",
               "qr_reduced": "dd->d", "qr_complete": "dd->d"}  # fmt: skip
_OVERWRITING = ("qr_r_raw",)  # these give the operand, as they leave it, as one more result
_SINGLE = {"d": np.dtype(np.float32), "D": np.dtype(np.complex64)}


def _sizes(ufunc: np.ufunc, shapes: list[tuple[int, ...]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The sizes that the loop of a generalised ufunc is given, and how many axes of each operand belong to a matrix."""
    assert ufunc.signature is not None
    cores = [part.strip("()") for part in ufunc.signature.replace("->", ",").replace("),(", ")|(").split("|")]
    names = [[name.strip() for name in core.split(",") if name.strip()] for core in cores]
    sizes: dict[str, int] = {}
    for letters, shape in zip(names, shapes, strict=True):
        sizes.update(zip(letters, shape[len(shape) - len(letters) :], strict=True))
    return tuple(sizes.values()), tuple(map(len, names))


@_records(np.linalg.inv)
def _inverse(steps: Steps, a: StandIn) -> StandIn:
    return _of_matrices("inv", a)[0]


@_records(np.linalg.solve)
def _solution(steps: Steps, a: Any, b: Any) -> StandIn:
    if np.ndim(b) < 2:
        raise Unsupported("a system with a vector")
    return _of_matrices("solve", steps.stand_in(a), steps.stand_in(b))[0]


@_records(np.linalg.det)
def _determinant(steps: Steps, a: StandIn) -> StandIn:
    return _of_matrices("det", a)[0]


@_records(np.linalg.slogdet)
def _sign_and_logarithm(steps: Steps, a: StandIn) -> tuple[StandIn, ...]:
    return tuple(_of_matrices("slogdet", a))


@_records(np.linalg.cholesky)
def _cholesky(steps: Steps, a: StandIn) -> StandIn:
    return _of_matrices("cholesky_lo", a)[0]


@_records(np.linalg.eigh)
def _eigenvectors(steps: Steps, a: StandIn) -> tuple[StandIn, ...]:
    return tuple(_of_matrices("eigh_lo", a))


@_records(np.linalg.eigvalsh)
def _eigenvalues(steps: Steps, a: StandIn) -> StandIn:
    return _of_matrices("eigvalsh_lo", a)[0]


@_records(np.linalg.svd)
def _singular_values(steps: Steps, a: StandIn, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    if not compute_uv:
        return _of_matrices("svd", a)[0]
    return tuple(_of_matrices("svd_f" if full_matrices else "svd_s", a))


@_records(np.linalg.qr)
def _factored(steps: Steps, a: StandIn, mode: str = "reduced") -> tuple[StandIn, StandIn]:
    """As `np.linalg.qr` puts them together: LAPACK leaves R, and what Q is made of, in the place of the matrix."""
    rows, columns = a.shape[-2:]
    is_complete = mode == "complete" and rows > columns
    if mode not in ("reduced", "complete"):
        raise Unsupported(f"qr as {mode}")
    wide = a.astype("D" if a.dtype.kind == "c" else "d")
    factors, left = _of_matrices("qr_r_raw", wide)
    (q,) = _of_matrices("qr_complete" if is_complete else "qr_reduced", left, factors)
    upper = left[..., : rows if is_complete else min(rows, columns), :]
    below = np.tri(upper.shape[-2], upper.shape[-1], k=-1, dtype=bool)
    r: Any = np.where(below, np.zeros(1, upper.dtype), upper)
    return q.astype(a.dtype, copy=False), r.astype(a.dtype, copy=False)


# --- questions ---------------------------------------------------------------------------------------------------------------


@_records(np.shape)
def _shape(steps: Steps, x: StandIn) -> Any:
    return x.shape


@_records(np.ndim)
def _ndim(steps: Steps, x: StandIn) -> int:
    return int(x.ndim)


@_records(np.size)
def _size(steps: Steps, x: StandIn, axis: int | None = None) -> int:
    return int(np.size(x.array, axis))


@_records(np.result_type)
def _result_type(steps: Steps, *values: Any) -> Any:
    return np.result_type(*map(array_of, values))


@_records(np.iscomplexobj)
def _iscomplexobj(steps: Steps, x: StandIn) -> bool:
    return bool(x.dtype.kind == "c")
