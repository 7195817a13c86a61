"""Order, membership and bits: what gives positions, truth values or counts, without a derivative; and order statistics.

Under NumPy's names in `gradtape.numpy`, under TensorFlow's in `tf` and `tf.raw_ops`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...base.dtypes import ANY, BOOL, INDEX, REAL, Array, uint8
from ...base.errors import invalid
from ...base.sizes import UNKNOWN
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ..family import batch_leading, batch_over_axis, not_tensors, numpy_type, rank_of
from ..math.elementwise import convert
from ..math.logic import equal
from ..math.reduce import reduce_sum
from ..shapes import along, ceiling, fixed, like, natural, place, replaced, typed_by, without_last
from .layout import expand_dims

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


def _check_axis(name: str, x: Array, axis: int) -> None:
    if not -x.ndim <= axis < x.ndim:
        raise invalid(f"{name}: axis {axis} does not exist in a tensor of shape {x.shape}.")


# --- order statistics ---------------------------------------------------------------------------------------


def _nth_element(input: Array, n: int, reverse: bool = False) -> Any:
    if not input.ndim:
        raise invalid("nth_element: the input needs at least one axis, got a scalar.")
    size = input.shape[-1]
    if not 0 <= n < size:
        raise invalid(f"nth_element: n must be in [0, {size}), got {n}.")
    place = size - 1 - n if reverse else n
    values = input.astype(np.float32) if input.dtype.kind == "V" else input  # NumPy does not order the nan of bfloat16
    return np.partition(values, place, axis=-1)[..., place].astype(input.dtype)


@op(eager=_nth_element, dtypes=REAL, shape=without_last())
def nth_element(xp: Namespace, input: Array, *, n: int, reverse: bool = False) -> Any:
    """The element that is at place `n` of each line in ascending (or, with `reverse`, descending) order.

    Equal elements share the derivative.
    """
    ordered = xp.sort(input, axis=-1)
    return ordered[..., -1 - n if reverse else n]


def _chosen(input: Value, out: Value) -> Any:
    hits = convert(equal(input, expand_dims(out, axis=rank_of(out))), dtype=numpy_type(input))
    return hits / reduce_sum(hits, axis=-1, keepdims=True)


@nth_element.vjp("input")
def _(g: Cotangent, input: Value, out: Value) -> Any:
    return expand_dims(g, axis=rank_of(g)) * _chosen(input, out)


@nth_element.jvp("input")
def _(t: Tangent, input: Value, out: Value) -> Any:
    return reduce_sum(t * _chosen(input, out), axis=-1, keepdims=False)


nth_element.batching = batch_leading


@nth_element.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, n, reverse in [
        ((4,), 0, False), ((4,), 3, False), ((4,), 1, True), ((2, 3), 2, False), ((2, 3), 0, True), ((2, 2, 5), 2, False), ((1,), 0, False),
        ((0, 3), 1, False), ((3, 1), 0, True), ((7,), 4, True), ((2, 1, 3), 1, False), ((5, 2), 1, False),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"n": n, "reverse": reverse})


@nth_element.value
def _(input: Array, n: int, reverse: bool) -> Any:
    rows = [sorted(input[place].tolist(), reverse=reverse)[n] for place in np.ndindex(input.shape[:-1])]
    return np.array(rows, np.float64).reshape(input.shape[:-1])


@nth_element.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for n in (3, -1, 2**40):
        yield BadInput("a place in the line", (x,), {"n": n})
    yield BadInput("a line", (x[0, 0],), {"n": 0})
    yield BadInput("an element", (x[:, :0],), {"n": 0})


def _argpartition(a: Array, kth: tuple[int, ...], axis: int = -1) -> Any:
    _check_axis("argpartition", a, axis)
    size = a.shape[axis]
    if any(not -size <= k < size for k in kth):
        raise invalid(f"argpartition: places must be in [{-size}, {size}), got {list(kth)}.")
    if a.dtype.kind == "V":  # bfloat16 has no partition
        a = a.astype(np.float32)
    return np.argpartition(a, kth, axis=axis) if kth else np.argsort(a, axis=axis)


@op(eager=_argpartition, dtypes=REAL | BOOL, retypes=True, gives=np.int64, shape=along)
def argpartition(xp: Namespace, a: Array, *, kth: tuple[int, ...], axis: int = -1) -> Any:
    """Positions that put the elements at places `kth` in order, smaller ones before and larger ones after them."""
    return xp.argsort(a, axis=axis)


argpartition.not_differentiable("positions are integers")
argpartition.batching = batch_over_axis


@argpartition.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((draw((5,)),), {"kth": (2,)})
    yield Sample((draw((2, 4)),), {"kth": (1, 3), "axis": 1})
    yield Sample((draw((3, 2)),), {"kth": (-1,), "axis": 0})


@argpartition.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for kth in ((3,), (-4,), (0, 9)):
        yield BadInput("places in the line", (x,), {"kth": kth})
    for axis in (2, -3):
        yield BadInput("the axis must exist", (x,), {"kth": (0,), "axis": axis})


def _lexsort(keys: list[Array], axis: int = -1) -> Any:
    if not keys:
        raise invalid("lexsort: at least one key is needed.")
    shapes = [np.shape(key) for key in keys]
    if any(shape != shapes[0] for shape in shapes) or not shapes[0]:
        raise invalid(f"lexsort: keys of one shape with at least one axis are needed, got {shapes}.")
    _check_axis("lexsort", keys[0], axis)
    return np.lexsort(keys, axis=axis)


@op(eager=_lexsort, dtypes=REAL, variadic=True, retypes=True, gives=np.int64)
def lexsort(xp: Namespace, keys: Sequence[Array], *, axis: int = -1) -> Any:
    """The order by the last key, among equal elements by the one before, and so on."""
    return xp.lexsort(keys, axis=axis)


@lexsort.shapes
def _(keys: list[Abstract], *, axis: Any) -> Shape:
    return keys[0].known


lexsort.not_differentiable("positions are integers")


@lexsort.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample(([np.array([3.0, 1.0, 2.0]), np.array([1.0, 0.0, 1.0])],))
    yield Sample(([draw((2, 4)), np.round(draw((2, 4)))],), {"axis": 0})
    yield Sample(([draw((3,))],))
    yield Sample(([draw((0,)), draw((0,))],))


@lexsort.value
def _(keys: Sequence[Array], axis: int) -> Any:
    moved = np.moveaxis(np.stack(keys), axis if axis < 0 else axis + 1, -1)
    lines = [
        [k for *_, k in sorted((*moved[(slice(None), *place, k)][::-1], k) for k in range(moved.shape[-1]))]
        for place in np.ndindex(moved.shape[1:-1])
    ]
    return np.moveaxis(np.array(lines, np.int64).reshape(moved.shape[1:]), -1, axis)


@lexsort.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for keys in ([x, x[0]], [x[0, 0]], [x, x.T], [x, x.astype(np.float64)]):
        yield BadInput("keys of one shape and type", (keys,))
    yield BadInput("the axis must exist", ([x, x],), {"axis": 2})


# --- membership and counts ----------------------------------------------------------------------------------


def _isin(element: Array, test_elements: Array, invert: bool = False) -> Any:
    return np.isin(element, test_elements, invert=invert)


@op(eager=_isin, dtypes=ANY, retypes=True, shape=like(0), gives=np.bool_)
def isin(xp: Namespace, element: Array, test_elements: Array, *, invert: bool = False) -> Any:
    """Whether each element is among the test elements, or with `invert` whether it is not."""
    return xp.isin(element, test_elements, invert=invert)


isin.not_differentiable("truth values have no derivative")


@isin.samples
def _(draw: Draw) -> Iterator[Sample]:
    x = draw((2, 3))
    yield Sample((x, x[0]))
    yield Sample((x, x[:, :1]), {"invert": True})
    yield Sample((draw(()), draw((0,))))


@isin.value
def _(element: Array, test_elements: Array, invert: bool) -> Any:
    known = set(np.ravel(test_elements).tolist())
    return np.array([(v in known) != invert for v in np.ravel(element).tolist()], bool).reshape(np.shape(element))


@isin.rejects
def _() -> Iterator[BadInput]:
    x = np.ones(3, np.float32)
    yield from not_tensors(x)
    for other in (x.astype(np.int32), x.astype(np.float64), x.astype(bool), x.astype(np.complex64)):
        yield BadInput("types never mix", (x, other))


def _histogram(values: Array, edges: tuple[float, ...]) -> Any:
    if len(edges) < 2 or any(not low <= high for low, high in pairwise(edges)):
        raise invalid(f"histogram: at least two edges in ascending order are needed, got {list(edges)}.")
    wide = values.astype(np.float32) if values.dtype.kind == "V" else values
    return np.histogram(wide, np.asarray(edges, np.float64))[0].astype(np.int64)


@op(eager=_histogram, dtypes=REAL, retypes=True, gives=np.int64)
def histogram(xp: Namespace, values: Array, *, edges: tuple[float, ...]) -> Any:
    """How many values lie in each bin between two edges; the last bin holds its right edge too."""
    return xp.histogram(values, xp.asarray(edges))[0]


@histogram.shapes
def _(values: Abstract, *, edges: Any) -> Shape:
    return (UNKNOWN if edges is UNKNOWN else len(edges) - 1,)


histogram.not_differentiable("counts are integers")


@histogram.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((draw((20,)),), {"edges": (-2.0, -0.5, 0.0, 1.0)})
    yield Sample((draw((2, 5)),), {"edges": (-1.0, 1.0)})
    yield Sample((np.array([0.0, 1.0, 2.0, 3.0]),), {"edges": (0.0, 1.0, 3.0)})
    yield Sample((draw((0,)),), {"edges": (0.0, 1.0)})


@histogram.value
def _(values: Array, edges: Array) -> Any:
    bins = list(pairwise(edges))
    inside = [
        ((values >= low) & ((values < high) | ((values == high) & (high == edges[-1])))).sum() for low, high in bins
    ]
    return np.array(inside, np.int64)


@histogram.rejects
def _() -> Iterator[BadInput]:
    for edges in ((), (1.0,), (1.0, 0.0), (0.0, 2.0, 1.0), (float("nan"), 1.0)):
        yield BadInput("edges in ascending order", (np.ones(3, np.float32),), {"edges": edges})


@op(dtypes=ANY, outputs=2, shape=fixed(UNKNOWN), gives=typed_by(None, "out_idx"))
def list_diff(xp: Namespace, x: Array, y: Array, *, out_idx: Any = _INT32) -> Any:
    """The elements of x that are not in y, in their order, and their positions in x."""
    if x.ndim != 1 or y.ndim != 1:
        raise invalid(f"list_diff: two vectors are needed, got shapes {x.shape} and {y.shape}.")
    kept = np.flatnonzero(~np.isin(x, y))
    return x[kept], kept.astype(out_idx)


list_diff.not_differentiable("elements are only chosen by being equal")


@list_diff.samples
def _(draw: Draw) -> Iterator[Sample]:
    x = draw((6,))
    yield Sample((x, x[1:3]))
    yield Sample((x, x), {"out_idx": _INT64})
    yield Sample((x, x[:0]))


@list_diff.value
def _(x: Array, y: Array, out_idx: np.dtype[Any]) -> Any:
    places = [k for k, v in enumerate(x.tolist()) if v not in y.tolist()]
    return x[np.array(places, int)], np.array(places, out_idx)


@list_diff.rejects
def _() -> Iterator[BadInput]:
    x = np.ones(3, np.float32)
    for left, right in [((), (3,)), ((3,), ()), ((2, 2), (3,)), ((3,), (1, 1))]:
        yield BadInput("two vectors", (np.ones(left, np.float32), np.ones(right, np.float32)))
    yield BadInput("types never mix", (x, x.astype(np.float64)))


def _length_mask(lengths: Array, maxlen: int) -> Any:
    if maxlen < 0:
        raise invalid(f"sequence_mask: maxlen cannot be negative, got {maxlen}.")
    return np.arange(maxlen) < lengths[..., None]


@op(eager=_length_mask, dtypes=REAL, retypes=True, gives=np.bool_)
def length_mask(xp: Namespace, lengths: Array, *, maxlen: int) -> Any:
    """A row for each length: true at the first `length` places of `maxlen`."""
    return xp.arange(maxlen) < lengths[..., None]


@length_mask.shapes
def _(lengths: Abstract, *, maxlen: Any) -> Shape:
    return (*lengths.shape, natural(maxlen))


length_mask.not_differentiable("truth values have no derivative")
length_mask.batching = batch_leading


@length_mask.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((np.array([0.0, 2.0, 5.0]),), {"maxlen": 4})
    yield Sample((np.array(3.0),), {"maxlen": 3})
    yield Sample((np.zeros((2, 0)),), {"maxlen": 2})
    yield Sample((np.ones((2, 2)),), {"maxlen": 0})


@length_mask.value
def _(lengths: Array, maxlen: int) -> Any:
    rows = [[k < length for k in range(maxlen)] for length in np.ravel(lengths).tolist()]
    return np.array(rows, bool).reshape(*np.shape(lengths), maxlen)


@length_mask.rejects
def _() -> Iterator[BadInput]:
    for maxlen in (-1, -5, -(2**40)):
        yield BadInput("a size", (np.ones(3, np.float32),), {"maxlen": maxlen})
    yield BadInput("lengths are numbers", (np.ones(3, bool),), {"maxlen": 2})


# --- bits ---------------------------------------------------------------------------------------------------

_BITS = BOOL | frozenset({uint8.numpy})


def _check_order(name: str, bitorder: str) -> None:
    if bitorder not in ("big", "little"):
        raise invalid(f"{name}: bitorder must be 'big' or 'little', got {bitorder!r}.")


def _packbits(a: Array, axis: int = -1, bitorder: str = "big") -> Any:
    _check_axis("packbits", a, axis)
    _check_order("packbits", bitorder)
    pack: Any = np.packbits
    return pack(a, axis, bitorder)


@op(eager=_packbits, dtypes=_BITS, retypes=True, gives=np.uint8)
def packbits(xp: Namespace, a: Array, *, axis: int = -1, bitorder: str = "big") -> Any:
    """Eight truth values along an axis as the bits of one uint8; zeros fill up the last."""
    return xp.packbits(a, axis, bitorder)


@packbits.shapes
def _(a: Abstract, *, axis: Any, **_: object) -> Shape:
    return replaced(a.shape, axis, ceiling(a.shape[place(axis, a.ndim)], 8))


def _unpackbits(a: Array, axis: int = -1, count: int | None = None, bitorder: str = "big") -> Any:
    _check_axis("unpackbits", a, axis)
    _check_order("unpackbits", bitorder)
    unpack: Any = np.unpackbits
    return unpack(a, axis, count, bitorder)


@op(eager=_unpackbits, dtypes=frozenset({uint8.numpy}))
def unpackbits(xp: Namespace, a: Array, *, axis: int = -1, count: int | None = None, bitorder: str = "big") -> Any:
    """The bits of each uint8 as eight numbers along an axis, or only the first `count` of them."""
    return xp.unpackbits(a, axis, count, bitorder)


@unpackbits.shapes
def _(a: Abstract, *, axis: Any, count: Any, **_: object) -> Shape:
    bits = a.shape[place(axis, a.ndim)] * 8
    if count is None:
        return replaced(a.shape, axis, bits)
    return replaced(a.shape, axis, count if count >= 0 else bits + count)


packbits.not_differentiable("bits have no derivative")
unpackbits.not_differentiable("bits have no derivative")
packbits.batching = unpackbits.batching = batch_over_axis


@packbits.samples
def _(draw: Draw) -> Iterator[Sample]:
    bits = np.arange(20).reshape(2, 10) % 3 == 0
    yield Sample((bits,))
    yield Sample((bits,), {"axis": 0, "bitorder": "little"})
    yield Sample((bits[0, :8].astype(np.uint8),), {"axis": 0})


@packbits.value
def _(a: Array, axis: int, bitorder: str) -> Any:
    moved = np.moveaxis(np.asarray(a, bool), axis, -1)
    padded = np.pad(moved, [(0, 0)] * (moved.ndim - 1) + [(0, -moved.shape[-1] % 8)])
    weights = 2 ** (np.arange(8)[::-1] if bitorder == "big" else np.arange(8))
    return np.moveaxis((padded.reshape(*padded.shape[:-1], -1, 8) * weights).sum(axis=-1), -1, axis)


@unpackbits.samples
def _(draw: Draw) -> Iterator[Sample]:
    numbers = np.array([[0, 1, 128], [255, 37, 6]], np.uint8)
    yield Sample((numbers,))
    yield Sample((numbers,), {"axis": 0, "bitorder": "little"})
    yield Sample((numbers[0],), {"axis": 0, "count": 11})


@unpackbits.value
def _(a: Array, axis: int, count: Array, bitorder: str) -> Any:
    moved = np.moveaxis(a, axis, -1)
    shifts = np.arange(8)[::-1] if bitorder == "big" else np.arange(8)
    bits = ((moved[..., None] >> shifts) & 1).reshape(*moved.shape[:-1], -1)
    return np.moveaxis(bits[..., :count], -1, axis)


def _reject_bits(declared: Op) -> None:
    @declared.rejects
    def _() -> Iterator[BadInput]:
        x = np.ones((2, 8), np.uint8)
        for axis in (2, -3):
            yield BadInput("the axis must exist", (x,), {"axis": axis})
        for bitorder in ("middle", ""):
            yield BadInput("an order of bits", (x,), {"bitorder": bitorder})
        yield BadInput("bits or bytes", (np.ones(8, np.float32),))


_reject_bits(packbits)
_reject_bits(unpackbits)

# --- data formats and candidates ----------------------------------------------------------------------------


def _check_formats(name: str, src_format: str, dst_format: str) -> None:
    if (
        len(src_format) not in (4, 5)
        or sorted(src_format) != sorted(dst_format)
        or len(set(src_format)) != len(src_format)
    ):
        raise invalid(f"{name}: formats such as NHWC and NCHW are needed, got {src_format!r} and {dst_format!r}.")


def _data_format_dim_map(x: Array, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    _check_formats("data_format_dim_map", src_format, dst_format)
    rank = len(src_format)
    if x.size and (x.min() < -rank or x.max() >= rank):
        raise invalid(f"data_format_dim_map: axes must be in [{-rank}, {rank}), got {x.tolist()}.")
    places = np.array([dst_format.index(c) for c in src_format], x.dtype)
    return places[x % rank]


@op(eager=_data_format_dim_map, dtypes=INDEX, shape=like(0))
def data_format_dim_map(xp: Namespace, x: Array, *, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    """Numbers of axes in one data format as numbers of the same axes in another."""
    return xp.asarray([dst_format.index(c) for c in src_format])[x % len(src_format)]


def _data_format_vec_permute(x: Array, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    _check_formats("data_format_vec_permute", src_format, dst_format)
    rank = len(src_format)
    if x.ndim not in (1, 2) or x.shape[0] not in (rank, rank - 2) or (x.ndim == 2 and x.shape[1] != 2):
        raise invalid(
            f"data_format_vec_permute: {rank} (or {rank - 2}) numbers or pairs are needed, got shape {x.shape}."
        )
    source, target = src_format, dst_format
    if x.shape[0] == rank - 2:
        source, target = ("".join(c for c in text if c not in "NC") for text in (src_format, dst_format))
    return x[[source.index(c) for c in target]]


@op(eager=_data_format_vec_permute, dtypes=INDEX, shape=like(0))
def data_format_vec_permute(xp: Namespace, x: Array, *, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    """A number (or a pair) for each axis of one data format in the order of another."""
    return x[[src_format.index(c) for c in dst_format]]


for _op in (data_format_dim_map, data_format_vec_permute):
    _op.not_differentiable("numbers of axes have no derivative")


@data_format_dim_map.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((np.array([0, 1, 2, 3, -1], np.int64),))
    yield Sample((np.array(3, np.int32),), {"src_format": "NCHW", "dst_format": "NHWC"})
    yield Sample((np.array([[4, -5]], np.int32),), {"src_format": "NDHWC", "dst_format": "NCDHW"})


@data_format_vec_permute.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((np.array([1, 2, 3, 4], np.int64),))
    yield Sample((np.array([[1, 2], [3, 4], [5, 6], [7, 8]], np.int32),))
    yield Sample((np.array([5, 6], np.int32),), {"src_format": "NHWC", "dst_format": "NCWH"})


@data_format_dim_map.rejects
def _() -> Iterator[BadInput]:
    for x in ([4], [-5], [9, 0]):
        yield BadInput("axes of the format", (np.array(x, np.int32),))
    for dst in ("NCH", "NCHX"):
        yield BadInput("a format", (np.array([0], np.int32),), {"dst_format": dst})


@data_format_vec_permute.rejects
def _() -> Iterator[BadInput]:
    for shape in ((3,), (), (4, 3), (4, 2, 1)):
        yield BadInput("a number for each axis", (np.ones(shape, np.int32),))
    yield BadInput("a format", (np.ones(4, np.int32),), {"dst_format": "NNHW"})


@op(dtypes=frozenset({_INT64}), outputs=3, shape=fixed(UNKNOWN), gives=(np.int32, np.int64, np.float32))
def compute_accidental_hits(xp: Namespace, true_classes: Array, sampled_candidates: Array, *, num_true: int) -> Any:
    """Where a sampled candidate is a true class: the row, the candidate's place, and a weight that hides it."""
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true or sampled_candidates.ndim != 1:
        raise invalid(
            f"compute_accidental_hits: true_classes (batch, {num_true}) and a vector of candidates are needed, "
            f"got {true_classes.shape} and {sampled_candidates.shape}."
        )
    rows, ids, seen = [], [], {int(c): k for k, c in enumerate(sampled_candidates.tolist())}
    for row, classes in enumerate(true_classes.tolist()):
        for c in classes:
            if c in seen:
                rows.append(row)
                ids.append(seen[c])
    weights = np.full(len(rows), -np.finfo(np.float32).max, np.float32)
    return np.array(rows, np.int32), np.array(ids, np.int64), weights


compute_accidental_hits.not_differentiable("classes are integers")


@compute_accidental_hits.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((np.array([[1], [5]], np.int64), np.array([5, 1, 7], np.int64)), {"num_true": 1})
    yield Sample((np.array([[1, 2], [5, 9]], np.int64), np.array([2, 9], np.int64)), {"num_true": 2})
    yield Sample((np.zeros((0, 1), np.int64), np.array([2], np.int64)), {"num_true": 1})


@compute_accidental_hits.rejects
def _() -> Iterator[BadInput]:
    good, candidates = np.ones((2, 1), np.int64), np.ones(3, np.int64)
    for true_classes in (np.ones(2, np.int64), np.ones((2, 2), np.int64), np.int64(1)):
        yield BadInput("rows of true classes", (true_classes, candidates), {"num_true": 1})
    yield BadInput("a vector of candidates", (good, good), {"num_true": 1})
