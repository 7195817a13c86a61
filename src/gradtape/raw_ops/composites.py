"""Kernels that take and give sparse and ragged values in parts, and small ones that are several public functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import math, ragged, random, sets, sparse, strings
from ..api import arrays, indexing, layout
from ..base import dtypes
from ..base.dtypes import as_dtype
from ..base.errors import invalid
from ..base.shuffled_places import shuffled_place
from ..base.types import DTypeLike, ShapeLike, TensorLike
from ..linalg import eig, einsum, svd, tridiagonal_matmul
from ..op.attributes import as_int, as_ints
from ..ragged.tensor import RaggedTensor
from ..sparse.tensor import SparseTensor
from ..train.reader import load_checkpoint
from ..values.tensor import from_array, to_tensor
from ..variables.variable import Variable
from .functions import two_seeds
from .places import TensorStridedSliceUpdate


class _Sparse(NamedTuple):
    output_indices: Any
    output_values: Any
    output_shape: Any


class _Set(NamedTuple):
    result_indices: Any
    result_values: Any
    result_shape: Any


class _Filled(NamedTuple):
    output_indices: Any
    output_values: Any
    empty_row_indicator: Any
    reverse_index_map: Any


class _Reshaped(NamedTuple):
    output_indices: Any
    output_shape: Any


def _sparse(result: SparseTensor, form: Any = _Sparse) -> Any:
    return form(result.indices, result.values, result.dense_shape)


def SparseConcat(
    indices: Sequence[Any], values: Sequence[Any], shapes: Sequence[Any], concat_dim: int, name: str | None = None
) -> _Sparse:
    """Sparse tensors after each other along an axis."""
    tensors = [SparseTensor(*parts) for parts in zip(indices, values, shapes, strict=True)]
    found: _Sparse = _sparse(sparse.concat(concat_dim, tensors))
    return found


def SparseSplit(
    split_dim: TensorLike, indices: Any, values: Any, shape: Any, num_split: int, name: str | None = None
) -> _Sparse:
    """The pieces of a sparse tensor along an axis."""
    found = sparse.split(SparseTensor(indices, values, shape), num_split, axis=as_int(split_dim))
    return _Sparse(*([getattr(piece, part) for piece in found] for part in ("indices", "values", "dense_shape")))


def SparseReshape(input_indices: Any, input_shape: Any, new_shape: ShapeLike, name: str | None = None) -> _Reshaped:
    """Where the elements of a sparse tensor are after it got another shape."""
    places = to_tensor(input_indices, dtypes.int64)
    found = sparse.reshape(SparseTensor(places, arrays.zeros([places.shape[0]]), input_shape), new_shape)
    return _Reshaped(found.indices, found.dense_shape)


def SparseFillEmptyRows(
    indices: Any, values: Any, dense_shape: Any, default_value: TensorLike, name: str | None = None
) -> _Filled:
    """A sparse tensor with a value in the first column of each row that had none."""
    given = SparseTensor(indices, values, dense_shape)
    filled, empty = sparse.fill_empty_rows(given, default_value)
    # Rows keep the order of their elements, and each empty row before an element moves it on by one.
    before = math.cumsum(math.cast(empty, dtypes.int64))
    rows = given.indices[:, 0]
    places = math.cumsum(arrays.ones_like(rows), exclusive=True)
    return _Filled(filled.indices, filled.values, empty, places + indexing.gather(before, rows))


def _dense_at(sp_indices: object, sp_shape: object, dense: TensorLike) -> Any:
    whole = arrays.broadcast_to(to_tensor(dense), to_tensor(sp_shape, dtypes.int64))
    return indexing.gather_nd(whole, to_tensor(sp_indices, dtypes.int64))


def SparseDenseCwiseAdd(
    sp_indices: object, sp_values: object, sp_shape: object, dense: TensorLike, name: str | None = None
) -> Any:
    """The values of a sparse tensor plus those of a dense one at the same places."""
    return to_tensor(sp_values) + _dense_at(sp_indices, sp_shape, dense)


def SparseDenseCwiseMul(
    sp_indices: object, sp_values: object, sp_shape: object, dense: TensorLike, name: str | None = None
) -> Any:
    """The values of a sparse tensor times those of a dense one at the same places."""
    return to_tensor(sp_values) * _dense_at(sp_indices, sp_shape, dense)


def SparseDenseCwiseDiv(
    sp_indices: object, sp_values: object, sp_shape: object, dense: TensorLike, name: str | None = None
) -> Any:
    """The values of a sparse tensor divided by those of a dense one at the same places."""
    return to_tensor(sp_values) / _dense_at(sp_indices, sp_shape, dense)


def SparseToDense(
    sparse_indices: TensorLike,
    output_shape: ShapeLike,
    sparse_values: TensorLike,
    default_value: TensorLike,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """A dense tensor with values at places: one number for a place in a vector, rows for others; one value may be for all."""
    places, values = to_tensor(sparse_indices), to_tensor(sparse_values)
    if places.ndim < 2:
        places = arrays.reshape(places, [-1, 1])
    every = arrays.broadcast_to(values, [places.shape[0]])
    given = SparseTensor(math.cast(places, dtypes.int64), every, math.cast(to_tensor(output_shape), dtypes.int64))
    return sparse.to_dense(given, default_value, validate_indices)


_SETS: dict[str, Any] = {
    "a-b": sets.difference,
    "b-a": lambda a, b, validate_indices: sets.difference(a, b, False, validate_indices),
    "intersection": sets.intersection,
    "union": sets.union,
}


def _operation(first: object, second: object, set_operation: str, validate_indices: bool) -> _Set:
    if set_operation not in _SETS:
        raise invalid(f"set_operation must be one of {sorted(_SETS)}, got {set_operation!r}.")
    found: _Set = _sparse(_SETS[set_operation](first, second, validate_indices=validate_indices), _Set)
    return found


def DenseToDenseSetOperation(
    set1: TensorLike, set2: TensorLike, set_operation: str, validate_indices: bool = True, name: str | None = None
) -> _Set:
    """The sets in the rows of two tensors together, as a sparse tensor."""
    return _operation(to_tensor(set1), to_tensor(set2), set_operation, validate_indices)


def DenseToSparseSetOperation(
    set1: TensorLike,
    set2_indices: Any,
    set2_values: Any,
    set2_shape: Any,
    set_operation: str,
    validate_indices: bool = True,
    name: str | None = None,
) -> _Set:
    """The same, with the second one sparse."""
    second = SparseTensor(set2_indices, set2_values, set2_shape)
    return _operation(to_tensor(set1), second, set_operation, validate_indices)


def SparseToSparseSetOperation(
    set1_indices: Any,
    set1_values: Any,
    set1_shape: Any,
    set2_indices: Any,
    set2_values: Any,
    set2_shape: Any,
    set_operation: str,
    validate_indices: bool = True,
    name: str | None = None,
) -> _Set:
    """The same, of two sparse tensors."""
    first = SparseTensor(set1_indices, set1_values, set1_shape)
    return _operation(first, SparseTensor(set2_indices, set2_values, set2_shape), set_operation, validate_indices)


# --- ragged ------------------------------------------------------------------------------------------------------------------


class _Ragged(NamedTuple):
    rt_nested_splits: Any
    rt_dense_values: Any


class _OfRagged(NamedTuple):
    sparse_indices: Any
    sparse_values: Any
    sparse_dense_shape: Any


class _Decoded(NamedTuple):
    row_splits: Any
    char_values: Any


def RaggedRange(
    starts: TensorLike,
    limits: TensorLike,
    deltas: TensorLike,
    Tsplits: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> _Ragged:
    """Numbers from each start to its limit, as a ragged tensor's splits and values."""
    found = ragged.range(starts, limits, deltas, row_splits_dtype=Tsplits)
    return _Ragged(found.row_splits, found.values)


def RaggedTensorToSparse(
    rt_nested_splits: Sequence[TensorLike], rt_dense_values: TensorLike, name: str | None = None
) -> _OfRagged:
    """A ragged tensor as a sparse one."""
    found: _OfRagged = _sparse(
        RaggedTensor.from_nested_row_splits(to_tensor(rt_dense_values), list(rt_nested_splits)).to_sparse(), _OfRagged
    )
    return found


def UnicodeDecode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    Tsplits: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> _Decoded:
    """The code points of texts, all after each other, and where each text begins."""
    texts = arrays.reshape(to_tensor(input), [-1])
    found = strings.unicode_decode(texts, input_encoding, errors, replacement_char, replace_control_characters)
    return _Decoded(math.cast(found.row_splits, Tsplits), found.values)


def UnicodeEncode(
    input_values: TensorLike,
    input_splits: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Texts of code points, which begin where the splits say."""
    points = RaggedTensor.from_row_splits(to_tensor(input_values), to_tensor(input_splits))
    return strings.unicode_encode(points, output_encoding, errors, replacement_char)


def RandomIndexShuffle(
    index: TensorLike, seed: TensorLike, max_index: TensorLike, rounds: int = 4, name: str | None = None
) -> Any:
    """Where each index goes when 0 to `max_index` are shuffled by a seed of three words."""
    places, keys, last = to_tensor(index), to_tensor(seed), to_tensor(max_index)
    shape = np.broadcast_shapes(*(tuple(part) for part in (places.shape, keys.shape[:-1], last.shape)))
    found = np.empty(shape, places.dtype.numpy)
    words = np.broadcast_to(keys._array, (*shape, 3))
    at, ends = np.broadcast_to(places._array, shape), np.broadcast_to(last._array, shape)
    for entry in np.ndindex(shape):
        found[entry] = shuffled_place(int(at[entry]), tuple(words[entry].tolist()), int(ends[entry]), as_int(rounds))
    return from_array(found)


# --- others ------------------------------------------------------------------------------------------------------------------


class _Eig(NamedTuple):
    e: Any
    v: Any


class _Svd(NamedTuple):
    s: Any
    u: Any
    v: Any


def Eig(input: TensorLike, Tout: DTypeLike, compute_v: bool = True, name: str | None = None) -> _Eig:
    """Eigenvalues and eigenvectors of square matrices."""
    values, vectors = eig(input)
    kind = dtypes.as_dtype(Tout)
    return _Eig(math.cast(values, kind), math.cast(vectors, kind) if compute_v else arrays.zeros([0], kind))


def Svd(input: TensorLike, compute_uv: bool = True, full_matrices: bool = False, name: str | None = None) -> _Svd:
    """Singular values and vectors."""
    if compute_uv:
        return _Svd(*svd(input, full_matrices))
    values = svd(input, full_matrices, compute_uv=False)
    return _Svd(values, arrays.zeros([0], values.dtype), arrays.zeros([0], values.dtype))


def Einsum(inputs: Sequence[TensorLike], equation: str, name: str | None = None) -> Any:
    """Products and sums of tensors by an equation."""
    return einsum(equation, *inputs)


def Reverse(tensor: TensorLike, dims: TensorLike, name: str | None = None) -> Any:
    """The tensor with the axes turned round for which `dims` is true."""
    turned = [bool(one) for one in np.asarray(to_tensor(dims)._array)]
    return layout.reverse(tensor, [axis for axis, one in enumerate(turned) if one])


def ToBool(input: TensorLike, name: str | None = None) -> Any:
    """Whether a scalar is not zero (a text: not empty), or another tensor has elements."""
    x = to_tensor(input)
    if x.ndim:
        return from_array(np.array(x.shape.num_elements() != 0))
    return math.not_equal(x, b"" if x.dtype == dtypes.string else arrays.zeros_like(x))


def TridiagonalMatMul(
    superdiag: TensorLike, maindiag: TensorLike, subdiag: TensorLike, rhs: TensorLike, name: str | None = None
) -> Any:
    """Matrices with three diagonals times matrices."""
    diagonals = [to_tensor(part)[..., 0, :] for part in (superdiag, maindiag, subdiag)]
    return tridiagonal_matmul(diagonals, rhs, "sequence")


def InplaceAdd(x: TensorLike, i: TensorLike, v: TensorLike, name: str | None = None) -> Any:
    """The tensor with rows added to."""
    return indexing.tensor_scatter_nd_add(x, arrays.reshape(to_tensor(i), [-1, 1]), v)


def InplaceSub(x: TensorLike, i: TensorLike, v: TensorLike, name: str | None = None) -> Any:
    """The tensor with rows subtracted from."""
    return indexing.tensor_scatter_nd_sub(x, arrays.reshape(to_tensor(i), [-1, 1]), v)


def InplaceUpdate(x: TensorLike, i: TensorLike, v: TensorLike, name: str | None = None) -> Any:
    """The tensor with rows replaced."""
    return indexing.tensor_scatter_nd_update(x, arrays.reshape(to_tensor(i), [-1, 1]), v)


class _Reduced(NamedTuple):
    r0: Any
    r1: Any


def BroadcastGradientArgs(s0: ShapeLike, s1: ShapeLike, name: str | None = None) -> _Reduced:
    """The axes to sum over in the gradients of two operands of these shapes that were broadcast."""
    shapes = [to_tensor(shape) for shape in (s0, s1)]
    first, second = (as_ints(shape) for shape in shapes)
    rank = max(len(first), len(second))
    one, other = ((1,) * (rank - len(sizes)) + sizes for sizes in (first, second))
    if any(a != b and 1 not in (a, b) for a, b in zip(one, other, strict=True)):
        raise invalid(f"BroadcastGradientArgs: shapes {list(first)} and {list(second)} do not broadcast.")
    summed = ([k for k in range(rank) if sizes[k] == 1] for sizes in (one, other))
    return _Reduced(
        *(from_array(np.array(axes, shape.dtype.numpy)) for axes, shape in zip(summed, shapes, strict=True))
    )


def RandomUniformInt(
    shape: ShapeLike, minval: TensorLike, maxval: TensorLike, seed: int = 0, seed2: int = 0, name: str | None = None
) -> Any:
    """Whole numbers from `minval` up to, not including, `maxval`."""
    low = to_tensor(minval)
    return random.uniform(shape, low, maxval, low.dtype, two_seeds(seed, seed2))


def ShardedFilename(basename: TensorLike, shard: TensorLike, num_shards: TensorLike, name: str | None = None) -> Any:
    """The name of one piece of a checkpoint."""
    text = bytes(np.asarray(to_tensor(basename)._array).item())
    return to_tensor(b"%s-%05d-of-%05d" % (text, as_int(shard), as_int(num_shards)))


def ShardedFilespec(basename: TensorLike, num_shards: TensorLike, name: str | None = None) -> Any:
    """A pattern for the names of all pieces of a checkpoint."""
    text = bytes(np.asarray(to_tensor(basename)._array).item())
    return to_tensor(b"%s-?????-of-%05d" % (text, as_int(num_shards)))


def RestoreV2(
    prefix: TensorLike,
    tensor_names: Sequence[TensorLike],
    shape_and_slices: Sequence[TensorLike],
    dtypes: Sequence[DTypeLike],
    name: str | None = None,
) -> list[Any]:
    """Values of a checkpoint by their names."""
    reader = load_checkpoint(np.asarray(to_tensor(prefix)._array).item().decode())
    names = [bytes(found).decode() for found in np.asarray(to_tensor(tensor_names)._array)]
    if any(bytes(found) for found in np.asarray(to_tensor(shape_and_slices)._array)):
        raise invalid(f"RestoreV2 reads whole tensors: shape_and_slices must be empty texts, got {shape_and_slices!r}.")
    return [to_tensor(reader.get_tensor(found), as_dtype(kind)) for found, kind in zip(names, dtypes, strict=True)]


# --- variables ---------------------------------------------------------------------------------------------------------------


def VarIsInitializedOp(resource: Variable, name: str | None = None) -> Any:
    """True: a variable has its value from the beginning."""
    return from_array(np.array(True))


def ResourceScatterNdMax(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> None:
    """Set elements of a variable to the larger numbers."""
    ref.assign(indexing.tensor_scatter_nd_max(ref, indices, updates))


def ResourceScatterNdMin(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> None:
    """Set elements of a variable to the smaller numbers."""
    ref.assign(indexing.tensor_scatter_nd_min(ref, indices, updates))


def ResourceStridedSliceAssign(
    ref: Variable,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike,
    value: TensorLike,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    name: str | None = None,
) -> None:
    """Replace a slice of a variable."""
    masks = begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    ref.assign(TensorStridedSliceUpdate(ref.read_value(), begin, end, strides, value, *masks))
