"""Diagonals and bands of matrices in the last two axes: taking them out, putting them in, building from them;
and the trace.

Several diagonals stand in compact form, as TensorFlow has it: one row each from the highest to the lowest,
the short ones padded. `align` says on which side superdiagonals and subdiagonals are written: "RIGHT_LEFT"
pads superdiagonals on the left and subdiagonals on the right.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from ...base.dtypes import BOOL, NUMERIC, Array
from ...base.errors import invalid, unfit
from ...base.memory import has_too_many
from ...base.sizes import UNKNOWN, larger, same, smaller
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Sample, op
from ...op.family import batch_leading, numpy_type, shape_of
from ...op.shapes import like, without_last
from ..array.layout import reshape
from ..math.logic import zeros_like
from ..math.reduce import reduce_sum
from .products import check_matrix

ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")
_TYPES = NUMERIC | BOOL

Band = tuple[int, int]


@lru_cache(maxsize=256)
def _layout(rows: int, columns: int, k: Band, align: str) -> tuple[Array, Array, Array]:
    """Where the diagonals k[0]..k[1] of a matrix stand: row, column, whether the place holds an element."""
    low, high = k
    longest = _longest((rows, columns), k)
    number = np.arange(high, low - 1, -1)[:, None]
    length = np.minimum(rows + np.minimum(number, 0), columns - np.maximum(number, 0))
    super_left, sub_left = align.startswith("LEFT"), align.endswith("LEFT")
    left = ((number >= 0) & super_left) | ((number <= 0) & sub_left)
    place = np.arange(longest) - np.where(left, 0, longest - length)
    valid = (place >= 0) & (place < length)
    row = np.where(valid, place - np.minimum(number, 0), 0)
    column = np.where(valid, place + np.maximum(number, 0), 0)
    return row, column, valid


def _longest(shape: tuple[int, ...], k: Band) -> int:
    rows, columns = shape[-2:]
    return max(min(rows + min(k[1], 0), columns - max(k[0], 0)), 0)


def _check_band(name: str, shape: tuple[int, ...], k: Band, align: str) -> None:
    if align not in ALIGNMENTS:
        raise invalid(f"{name}: align must be one of {', '.join(ALIGNMENTS)}, got {align!r}.")
    low, high = k
    if low > high:
        raise invalid(f"{name}: the lower diagonal {low} is above the upper one {high}: k is (lower, upper).")
    rows, columns = shape[-2:]
    for number in k:
        # (Diagonal 0 may be asked of a matrix without elements.)
        if not (-rows < number < columns or number == 0):
            raise unfit(
                f"{name}: diagonal {number} does not exist in matrices of shape {(rows, columns)}: "
                f"k lies between {-rows} and {columns}, both excluded."
            )


# --- diag_part ----------------------------------------------------------------------------------------------


def _diag_part(input: Array, k: Band = (0, 0), padding_value: object = 0, align: str = "RIGHT_LEFT") -> Array:
    check_matrix("diag_part", input, square=False)
    _check_band("diag_part", input.shape, k, align)
    if k[0] == k[1]:
        return np.ascontiguousarray(np.diagonal(input, k[0], -2, -1))
    row, column, valid = _layout(*input.shape[-2:], k, align)
    if not input.size:
        return np.full((*input.shape[:-2], *valid.shape), padding_value, input.dtype)
    return np.where(valid, input[..., row, column], np.asarray(padding_value, input.dtype))


@op(eager=_diag_part, dtypes=_TYPES, tf_name="MatrixDiagPartV3")
def diag_part(
    xp: Namespace, input: Array, *, k: Band = (0, 0), padding_value: object = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """The diagonals k[0] to k[1] of matrices: a vector for one, else one row each from the highest down."""
    row, column, valid = _layout(*input.shape[-2:], k, align)
    found = xp.where(valid, input[..., row, column], padding_value)
    return found[..., 0, :] if k[0] == k[1] else found


@diag_part.shapes
def _(input: Abstract, *, k: Any, **_: object) -> Shape:
    low, high = k
    *lead, rows, columns = input.shape
    longest = smaller(rows + smaller(high, 0), columns - larger(low, 0))
    return (*lead, longest) if low == high else (*lead, high - low + 1, longest)


@diag_part.vjp("input")
def _(g: Cotangent, input_shape: tuple[int, ...], k: Band, align: str) -> Any:
    return diag(g, k=k, num_rows=input_shape[-2], num_cols=input_shape[-1], padding_value=0, align=align)


@diag_part.jvp("input")
def _(t: Tangent, k: Band, align: str) -> Any:
    return diag_part(t, k=k, padding_value=0, align=align)


diag_part.batched(batch_leading)

_BANDS: list[tuple[tuple[int, ...], Band, str]] = [
    ((3, 3), (0, 0), "RIGHT_LEFT"), ((2, 3), (0, 0), "RIGHT_LEFT"), ((3, 2), (0, 0), "RIGHT_LEFT"), ((3, 4),
    (1, 1), "RIGHT_LEFT"),
    ((3, 4), (-2, -2), "RIGHT_LEFT"), ((3, 4), (-1, 1), "RIGHT_LEFT"), ((3, 4), (-1, 1), "LEFT_RIGHT"),
    ((4, 3), (-3, 2), "LEFT_LEFT"),
    ((4, 3), (-2, 1), "RIGHT_RIGHT"), ((2, 3, 3), (0, 1), "RIGHT_LEFT"), ((2, 2, 3), (0, 0), "RIGHT_LEFT"),
    ((0, 3), (0, 0), "RIGHT_LEFT"),
    ((1, 1), (0, 0), "RIGHT_LEFT"), ((0, 2, 2), (-1, 0), "LEFT_RIGHT"), ((5, 5), (2, 4), "RIGHT_LEFT"),
    ((5, 5), (-3, -1), "LEFT_RIGHT"),
]  # fmt: skip


def _compact_shape(shape: tuple[int, ...], k: Band) -> tuple[int, ...]:
    longest = _longest(shape, k)
    return (*shape[:-2], longest) if k[0] == k[1] else (*shape[:-2], k[1] - k[0] + 1, longest)


@diag_part.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, k, align in _BANDS:
        yield Sample((draw(shape),), {"k": k, "align": align})
    yield Sample((draw((3, 3)),), {"k": (-1, 2), "padding_value": 7})


@diag_part.value
def _(input: Array, k: Band, padding_value: Array, align: str) -> Any:
    longest = _longest(input.shape, k)
    result = np.full((*input.shape[:-2], k[1] - k[0] + 1, longest), padding_value, input.dtype)
    for number in range(k[0], k[1] + 1):
        values = np.diagonal(input, number, -2, -1)
        start = 0 if _side(number, align) == "LEFT" else longest - values.shape[-1]
        result[..., k[1] - number, start : start + values.shape[-1]] = values
    return result.reshape(_compact_shape(input.shape, k))


def _side(number: int, align: str) -> str:
    if not number:
        return "LEFT" if "LEFT" in align else "RIGHT"
    return align.split("_")[0 if number > 0 else 1]


@diag_part.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((3, 4), np.float32)
    for k in [(4, 4), (-3, -3), (1, 0), (0, 4), (-3, 0), (2**40, 2**40), (-(2**40), 0), (9, 9)]:
        yield BadInput("the diagonals must exist, the lower one first", (x,), {"k": k})
    yield BadInput("align is one of four words", (x,), {"align": "LEFT"})
    for shape in [(), (3,)]:
        yield BadInput("a matrix has two axes", (np.ones(shape, np.float32),))


# --- diag ---------------------------------------------------------------------------------------------------


def _matrix_size(diagonal: Array, k: Band, num_rows: int, num_cols: int, align: str) -> tuple[int, int]:
    """How many rows and columns the matrix has; the default is the smallest size that fits."""
    count = k[1] - k[0] + 1
    if align not in ALIGNMENTS:
        raise invalid(f"diag: align must be one of {', '.join(ALIGNMENTS)}, got {align!r}.")
    if diagonal.ndim < 1 + (count > 1) or count < 1:
        raise invalid(f"diag: diagonals of shape {diagonal.shape} cannot be the diagonals {k[0]} to {k[1]}.")
    if count > 1 and diagonal.shape[-2] != count:
        raise invalid(f"diag: k = {k} names {count} diagonals, but there are {diagonal.shape[-2]}: {diagonal.shape}.")
    longest = diagonal.shape[-1]
    fewest_rows, fewest_columns = longest - min(k[1], 0), longest + max(k[0], 0)
    if num_rows == -1 and num_cols == -1:
        num_rows = num_cols = max(fewest_rows, fewest_columns)
    num_rows = fewest_rows if num_rows == -1 else num_rows
    num_cols = fewest_columns if num_cols == -1 else num_cols
    more_rows, more_columns = num_rows - fewest_rows, num_cols - fewest_columns
    if min(more_rows, more_columns) < 0 or (more_rows and more_columns):
        raise invalid(
            f"diag: {num_rows} rows, {num_cols} columns do not fit diagonals of length {longest}, k = {k}: "
            f"at least {fewest_rows} and {fewest_columns} are needed, and one of the two exactly."
        )
    if has_too_many((num_rows, num_cols)):
        raise invalid(f"diag: a matrix of {num_rows} rows and {num_cols} columns has too many elements.")
    return num_rows, num_cols


def _diag(
    diagonal: Array,
    k: Band = (0, 0),
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: object = 0,
    align: str = "RIGHT_LEFT",
) -> Array:
    rows, columns = _matrix_size(diagonal, k, num_rows, num_cols, align)
    lead = diagonal.shape[:-1] if k[0] == k[1] else diagonal.shape[:-2]
    result = np.zeros((*lead, rows, columns), diagonal.dtype)
    if padding_value:
        result.fill(padding_value)
    return _written(result, diagonal, k, align)


def _written(result: Array, diagonal: Array, k: Band, align: str) -> Array:
    """The matrices with their diagonals overwritten, in place."""
    row, column, valid = _layout(*result.shape[-2:], k, align)
    result[..., row[valid], column[valid]] = (diagonal[..., None, :] if k[0] == k[1] else diagonal)[..., valid]
    return result


@op(eager=_diag, dtypes=_TYPES, tf_name="MatrixDiagV3")
def diag(
    xp: Namespace,
    diagonal: Array,
    *,
    k: Band = (0, 0),
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: object = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Matrices with the given diagonals k[0] to k[1], `padding_value` elsewhere."""
    rows, columns = _matrix_size(diagonal, k, num_rows, num_cols, align)
    row, column, valid = _layout(rows, columns, k, align)
    compact = diagonal[..., None, :] if k[0] == k[1] else diagonal
    result = xp.full((*compact.shape[:-2], rows, columns), padding_value, diagonal.dtype)
    return result.at[..., row[valid], column[valid]].set(compact[..., valid])


@diag.shapes
def _(diagonal: Abstract, *, k: Any, num_rows: Any, num_cols: Any, **_: object) -> Shape:
    low, high = k
    lead = diagonal.shape[: -1 if low == high else -2]
    longest = diagonal.shape[-1]
    rows, columns = longest - smaller(high, 0), longest + larger(low, 0)
    if num_rows is UNKNOWN or num_cols is UNKNOWN:
        return (*lead, UNKNOWN, UNKNOWN)
    if same(num_rows, -1) and same(num_cols, -1):
        side = larger(rows, columns)
        return (*lead, side, side)
    return (*lead, rows if same(num_rows, -1) else num_rows, columns if same(num_cols, -1) else num_cols)


@diag.vjp("diagonal")
def _(g: Cotangent, k: Band, align: str) -> Any:
    return diag_part(g, k=k, padding_value=0, align=align)


@diag.jvp("diagonal")
def _(t: Tangent, k: Band, num_rows: int, num_cols: int, align: str) -> Any:
    return diag(t, k=k, num_rows=num_rows, num_cols=num_cols, padding_value=0, align=align)


diag.batched(batch_leading)


@diag.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, k, align in _BANDS:
        rows, columns = shape[-2:]
        yield Sample((draw(_compact_shape(shape, k)),), {"k": k, "num_rows": rows, "num_cols": columns, "align": align})
    yield Sample((draw((3,)),))
    yield Sample((draw((2, 3)),), {"k": (1, 1), "padding_value": 5})
    yield Sample((draw((3,)),), {"num_rows": 5})
    yield Sample((draw((3,)),), {"k": (-1, -1), "num_cols": 4})


@diag.value
def _(diagonal: Array, k: Band, num_rows: int, num_cols: int, padding_value: Array, align: str) -> Any:
    rows, columns = _matrix_size(diagonal, k, num_rows, num_cols, align)
    compact = diagonal[..., None, :] if k[0] == k[1] else diagonal
    result = np.full((*compact.shape[:-2], rows, columns), padding_value, diagonal.dtype)
    for i in range(rows):
        for j in range(columns):
            number = j - i
            if k[0] <= number <= k[1]:
                length = min(rows + min(number, 0), columns - max(number, 0))
                start = 0 if _side(number, align) == "LEFT" else compact.shape[-1] - length
                result[..., i, j] = compact[..., k[1] - number, start + min(i, j)]
    return result


@diag.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2,), np.float32)
    for rows, columns in [(1, -1), (-1, 1), (3, 3), (1, 1), (-5, -1), (3, 4), (2**40, 2**40), (0, 0)]:
        yield BadInput("the size must fit the diagonal", (x,), {"num_rows": rows, "num_cols": columns})
    yield BadInput("the matrix must be possible", (x,), {"k": (2**40, 2**40)})
    yield BadInput("as many rows as diagonals", (x,), {"k": (0, 1)})
    yield BadInput("as many rows as diagonals", (np.ones((3, 3), np.float32),), {"k": (-1, 0)})
    yield BadInput("the lower diagonal first", (np.ones((2, 2), np.float32),), {"k": (1, 0)})
    yield BadInput("a scalar has no axis", (np.float32(1),))
    yield BadInput("align is one of four words", (x,), {"align": "right"})


# --- set_diag -----------------------------------------------------------------------------------------------


def _set_diag(input: Array, diagonal: Array, k: Band = (0, 0), align: str = "RIGHT_LEFT") -> Array:
    check_matrix("set_diag", input, square=False)
    _check_band("set_diag", input.shape, k, align)
    expected = _compact_shape(input.shape, k)
    if diagonal.shape != expected:
        raise unfit(
            f"set_diag: diagonals {k[0]} to {k[1]} of a tensor of shape {input.shape} have shape {expected}, "
            f"got {diagonal.shape}."
        )
    return _written(np.array(input), diagonal, k, align)


@op(eager=_set_diag, dtypes=_TYPES, tf_name="MatrixSetDiagV3", shape=like(0))
def set_diag(xp: Namespace, input: Any, diagonal: Array, *, k: Band = (0, 0), align: str = "RIGHT_LEFT") -> Any:
    """Matrices with the diagonals k[0] to k[1] replaced."""
    row, column, valid = _layout(*input.shape[-2:], k, align)
    compact = diagonal[..., None, :] if k[0] == k[1] else diagonal
    return input.at[..., row[valid], column[valid]].set(compact[..., valid])


@set_diag.vjp("input")
def _(g: Cotangent, diagonal: Value, k: Band, align: str) -> Any:
    return set_diag(g, zeros_like(diagonal), k=k, align=align)


@set_diag.vjp("diagonal")
def _(g: Cotangent, k: Band, align: str) -> Any:
    return diag_part(g, k=k, padding_value=0, align=align)


@set_diag.jvp("input")
def _(t: Tangent, diagonal: Value, k: Band, align: str) -> Any:
    return set_diag(t, zeros_like(diagonal), k=k, align=align)


@set_diag.jvp("diagonal")
def _(t: Tangent, input_shape: tuple[int, ...], k: Band, align: str) -> Any:
    return diag(t, k=k, num_rows=input_shape[-2], num_cols=input_shape[-1], padding_value=0, align=align)


set_diag.batched(batch_leading)


@set_diag.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, k, align in _BANDS:
        yield Sample((draw(shape), draw(_compact_shape(shape, k))), {"k": k, "align": align})


@set_diag.value
def _(input: Array, diagonal: Array, k: Band, align: str) -> Any:
    rows, columns = input.shape[-2:]
    number = np.arange(columns) - np.arange(rows)[:, None]
    placed = _diag(diagonal, k, rows, columns, 0, align)
    return np.where((k[0] <= number) & (number <= k[1]), placed, input)


@set_diag.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((3, 4), np.float32)
    for shape, k in [
        ((2,), (0, 0)),
        ((2, 3), (0, 0)),
        ((3,), (9, 9)),
        ((), (0, 0)),
        ((3, 3), (0, 1)),
        ((4,), (0, 0)),
        ((3,), (1, 0)),
    ]:
        yield BadInput("the diagonals must fit", (x, np.ones(shape, np.float32)), {"k": k})
    yield BadInput("leading axes are not repeated", (np.ones((2, 3, 3), np.float32), np.ones(3, np.float32)))
    yield BadInput("a matrix has two axes", (np.ones(3, np.float32), np.ones(3, np.float32)))
    yield BadInput("types never mix", (x, np.ones(3, np.float64)))


# --- band_part ----------------------------------------------------------------------------------------------


def _in_band(shape: tuple[int, ...], num_lower: int, num_upper: int) -> Array:
    below = np.arange(shape[-2])[:, None] - np.arange(shape[-1])
    inside = np.ones(shape[-2:], bool)
    if num_lower >= 0:
        inside &= below <= num_lower
    if num_upper >= 0:
        inside &= -below <= num_upper
    return inside


def _band_part(input: Array, num_lower: int, num_upper: int) -> Array:
    check_matrix("band_part", input, square=False)
    rows, columns = input.shape[-2:]
    if num_lower > rows or num_upper > columns:
        raise invalid(
            f"band_part: num_lower must be at most {rows} and num_upper at most {columns} (negative: all) "
            f"for a tensor of shape {input.shape}, got {num_lower} and {num_upper}."
        )
    return np.where(_in_band(input.shape, num_lower, num_upper), input, np.zeros((), input.dtype))


@op(eager=_band_part, dtypes=_TYPES, tf_name="MatrixBandPart", shape=like(0))
def band_part(xp: Namespace, input: Array, *, num_lower: int, num_upper: int) -> Any:
    """Matrices with zeros outside a band of diagonals below and above the main one (negative: all)."""
    return xp.where(_in_band(input.shape, num_lower, num_upper), input, xp.zeros((), input.dtype))


@band_part.vjp("input")
def _(g: Cotangent, num_lower: int, num_upper: int) -> Any:
    return band_part(g, num_lower=num_lower, num_upper=num_upper)


band_part.linear("input")
band_part.batched(batch_leading)


@band_part.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, lower, upper in [
        ((3, 3), 0, 0), ((3, 3), -1, 0), ((3, 3), 0, -1), ((3, 4), 1, 2), ((4, 3), -1, -1),
        ((2, 3, 3), 1, 0), ((0, 3), 0, 0), ((2, 0), 1, 0),
        ((1, 1), 0, 0), ((3, 4), 3, 4), ((5, 5), 2, -7), ((2, 1, 2, 2), 0, 1), ((3, 2), 2, 0),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"num_lower": lower, "num_upper": upper})


@band_part.value
def _(input: Array, num_lower: int, num_upper: int) -> Any:
    upper = np.triu(input, -num_lower) if num_lower >= 0 else input
    return np.tril(upper, num_upper) if num_upper >= 0 else upper


@band_part.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((3, 4), np.float32)
    for lower, upper in [(4, 0), (0, 5), (9, 9), (2**40, 0), (0, 2**40), (5, -1), (-1, 6), (2**62, -1)]:
        yield BadInput("the band lies in the matrix", (x,), {"num_lower": lower, "num_upper": upper})
    for shape in [(), (3,)]:
        yield BadInput("a matrix has two axes", (np.ones(shape, np.float32),), {"num_lower": 0, "num_upper": 0})


# --- helpers for rules --------------------------------------------------------------------------------------


def lower_part(x: Value, strictly: bool = False) -> Any:
    """The lower triangle; with `strictly`, without the diagonal."""
    part = band_part(x, num_lower=-1, num_upper=0)
    return part - diagonal_part(x) if strictly else part


def upper_part(x: Value) -> Any:
    """The upper triangle with the diagonal."""
    return band_part(x, num_lower=0, num_upper=-1)


def diagonal_part(x: Value) -> Any:
    """The matrix with everything but its main diagonal set to zero."""
    return band_part(x, num_lower=0, num_upper=0)


def diagonal_vector(x: Value) -> Any:
    """The main diagonal."""
    return diag_part(x, k=(0, 0), padding_value=0, align="RIGHT_LEFT")


def diagonal_matrix(x: Value) -> Any:
    """The square matrix with this main diagonal."""
    size = shape_of(x)[-1]
    return diag(x, k=(0, 0), num_rows=size, num_cols=size, padding_value=0, align="RIGHT_LEFT")


# --- trace --------------------------------------------------------------------------------------------------


def _trace(x: Array) -> Any:
    if x.ndim < 2:
        raise invalid(f"trace: matrices have at least two axes, got shape {x.shape}.")
    diagonal = np.diagonal(x, axis1=-2, axis2=-1)
    return reduce_sum(diagonal, axis=-1, keepdims=False)


@op(eager=_trace, dtypes=NUMERIC, shape=without_last(2))
def trace(xp: Namespace, x: Array) -> Any:
    """The sum of the main diagonal of matrices."""
    return xp.trace(x, axis1=-2, axis2=-1)


@trace.vjp("x")
def _(g: Cotangent, x_shape: tuple[int, ...]) -> Any:
    return reshape(g, shape=(*x_shape[:-2], 1, 1)) * np.eye(x_shape[-2], x_shape[-1], dtype=numpy_type(g))


trace.linear("x")
trace.batching = batch_leading


@trace.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [
        (2, 2),
        (3, 3),
        (2, 3),
        (3, 1),
        (2, 2, 2),
        (1, 1),
        (0, 0),
        (2, 3, 4, 4),
        (0, 2, 2),
        (4, 2),
        (1, 3, 2),
        (5, 5),
    ]:
        yield Sample((draw(shape),))


@trace.value
def _(x: Array) -> Any:
    return sum((x[..., k, k] for k in range(min(x.shape[-2:]))), np.zeros(x.shape[:-2], x.dtype))


@trace.rejects
def _() -> Iterator[BadInput]:
    for shape in ((), (3,), (0,), (1,)):
        yield BadInput("a matrix", (np.ones(shape, np.float32),))
