"""What a ragged tensor is made of: its rows' ends, lengths or numbers; a dense or sparse tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import math
from ..api import arrays, indexing, layout, partition, shapes
from ..base import dtypes
from ..base.errors import NotATensorError, invalid, too_few_axes, unfit
from ..base.traceable import name_errors
from ..op.arguments import takes, truth
from ..op.attributes import as_int
from ..trace.symbolic import is_symbolic
from ..values.tensor import EagerTensor, Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .splits import check_count, check_lengths, check_rowids, check_splits, integers, ranges, splits_of

if TYPE_CHECKING:
    from ..base.types import DTypeLike, Function, IntLike, TensorLike
    from .tensor import RaggedTensor


class Making:
    """The class methods of `RaggedTensor` that make one."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, values: Any, row_splits: Any, uniform_row_length: int | None = None) -> None: ...
        def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor: ...

    @classmethod
    @takes(validate=truth)
    def from_row_splits(
        cls, values: TensorLike, row_splits: TensorLike, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i from `row_splits[i]` up to `row_splits[i + 1]`.

        >>> tf.RaggedTensor.from_row_splits([1, 2, 3], row_splits=[0, 2, 2, 3])
        <tf.RaggedTensor [[1, 2], [], [3]]>

        Args:
            values: A tensor with at least one axis, or a ragged tensor.
            row_splits: A vector of integers: it begins with 0, does not decrease, and ends with the number of values.
            name: Ignored; accepted for compatibility with TensorFlow.
            validate: Whether this is checked.

        Returns:
            A RaggedTensor.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        splits = integers(row_splits, "row_splits")
        if splits.shape[0] == 0:
            raise unfit("RaggedTensor: row_splits must begin with 0, got [].")
        if validate:
            check_splits(splits)
        return cls._checked(values, splits, validate)

    @classmethod
    @takes(validate=truth)
    def from_row_lengths(
        cls, values: TensorLike, row_lengths: TensorLike, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows of these lengths, one after the other.

        >>> tf.RaggedTensor.from_row_lengths([1, 2, 3], row_lengths=[2, 0, 1])
        <tf.RaggedTensor [[1, 2], [], [3]]>

        Args:
            values: A tensor with at least one axis, or a ragged tensor.
            row_lengths: A vector of integers that are not negative; their sum is the number of values.
            name: Ignored; accepted for compatibility with TensorFlow.
            validate: Whether this is checked.

        Returns:
            A RaggedTensor.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        lengths = integers(row_lengths, "row_lengths")
        if validate:
            check_lengths(lengths)
        if isinstance(lengths, EagerTensor):
            return cls._checked(values, from_array(splits_of(lengths._array)), validate)
        return cls._checked(values, layout.concat([[0], math.cumsum(lengths)], 0), validate)

    @classmethod
    @takes(validate=truth)
    def from_value_rowids(
        cls,
        values: TensorLike,
        value_rowids: TensorLike,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Each value in the row with the number in `value_rowids`.

        >>> tf.RaggedTensor.from_value_rowids([1, 2, 3], value_rowids=[0, 0, 2], nrows=4)
        <tf.RaggedTensor [[1, 2], [], [3], []]>

        Args:
            values: A tensor with at least one axis, or a ragged tensor.
            value_rowids: An integer for each value: from 0 up, and not decreasing.
            nrows: How many rows there are; by default one more than the last number.
            name: Ignored; accepted for compatibility with TensorFlow.
            validate: Whether the numbers are checked.

        Returns:
            A RaggedTensor.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        ids = integers(value_rowids, "value_rowids")
        array = ids._array
        if isinstance(ids, EagerTensor) and (nrows is None or nrows.__class__ in (int, EagerTensor)):
            nrows = as_int(nrows) if nrows is not None else int(array[-1]) + 1 if array.size else 0
        elif nrows is None:
            nrows = math.reduce_max(layout.concat([ids, [-1]], 0)) + 1
        if validate:
            check_rowids(ids, nrows)
        rows = arrays.range(math.cast(nrows, ids.dtype) + 1)
        return cls._checked(values, math.cast(partition.searchsorted(ids, rows), ids.dtype), validate)

    @classmethod
    @takes(validate=truth)
    def from_row_starts(
        cls, values: Any, row_starts: TensorLike, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i from `row_starts[i]` up to the next, the last one up to the end.

        >>> tf.RaggedTensor.from_row_starts([1, 2, 3], row_starts=[0, 2, 2])
        <tf.RaggedTensor [[1, 2], [], [3]]>

        Args:
            values: A tensor with at least one axis, or a ragged tensor.
            row_starts: A vector of integers: it begins with 0 and does not decrease.
            name: Ignored; accepted for compatibility with TensorFlow.
            validate: Whether this is checked.

        Returns:
            A RaggedTensor.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        starts = integers(row_starts, "row_starts")
        values = checked_values(values)
        end = values.nrows() if isinstance(values, Making) else shapes.shape(values)[0]
        splits = layout.concat([starts, [math.cast(end, starts.dtype)]], 0)
        return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    @takes(validate=truth)
    def from_row_limits(
        cls, values: TensorLike, row_limits: TensorLike, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i up to `row_limits[i]`, from where the row before it ends.

        >>> tf.RaggedTensor.from_row_limits([1, 2, 3], row_limits=[2, 2, 3])
        <tf.RaggedTensor [[1, 2], [], [3]]>

        Args:
            values: A tensor with at least one axis, or a ragged tensor.
            row_limits: A vector of integers that does not decrease, and ends with the number of values.
            name: Ignored; accepted for compatibility with TensorFlow.
            validate: Whether this is checked.

        Returns:
            A RaggedTensor.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        limits = integers(row_limits, "row_limits")
        return cls.from_row_splits(values, layout.concat([[0], limits], 0), validate=validate)

    @classmethod
    @takes(validate=truth)
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: IntLike,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> RaggedTensor:
        """Rows that all have one length.

        >>> tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4, 5, 6], 2).shape
        TensorShape([3, 2])

        Args:
            values: A tensor with at least one axis, or a ragged tensor.
            uniform_row_length: The length.
            nrows: How many rows there are; needed where the length is 0.
            validate: Whether the numbers are checked to fit each other.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A RaggedTensor whose second axis has this size.

        Raises:
            tf.errors.InvalidArgumentError: The length is negative, or a check fails.
        """
        values = checked_values(values)
        length: Any = uniform_row_length
        length = math.cast(length, dtypes.int64) if is_symbolic(length) else as_int(length)
        check_lengths(length)
        if nrows is None and (is_symbolic(length) or length):
            count = count_of(values)
            count = measured_count(values) if count is None else count
            nrows = count // (math.maximum(length, 1) if is_symbolic(length) else length)
        if nrows.__class__ is not int and not isinstance(nrows, (Tensor, np.integer)):
            nrows = 0 if nrows is None else as_int(nrows)
        made = cls._checked(values, arrays.range(math.cast(nrows, dtypes.int64) + 1) * length, validate)
        made._uniform = None if is_symbolic(length) else length
        return made

    @classmethod
    @takes(validate=truth)
    def from_nested_row_splits(
        cls,
        flat_values: TensorLike,
        nested_row_splits: Sequence[TensorLike],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Several ragged axes at once, by the splits of each.

        >>> tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 1, 3]]).to_list()
        [[[1]], [[2, 3]]]

        Args:
            flat_values: The innermost values: a tensor with at least one axis.
            nested_row_splits: A list with the splits of each ragged axis, the outermost first.
            name: Ignored; accepted for compatibility with TensorFlow.
            validate: Whether they are checked.

        Returns:
            A RaggedTensor; `flat_values` if the list is empty.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        return cls._nested(cls.from_row_splits, flat_values, nested_row_splits, validate)

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: TensorLike,
        nested_row_lengths: Sequence[TensorLike],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Several ragged axes at once, by the lengths of the rows of each.

        >>> tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[1, 1], [1, 2]]).to_list()
        [[[1]], [[2, 3]]]

        Args:
            flat_values: The innermost values: a tensor with at least one axis.
            nested_row_lengths: A list with the lengths of each ragged axis, the outermost first.
            name: Ignored; accepted for compatibility with TensorFlow.
            validate: Whether they are checked.

        Returns:
            A RaggedTensor; `flat_values` if the list is empty.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        return cls._nested(cls.from_row_lengths, flat_values, nested_row_lengths, validate)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: TensorLike,
        nested_value_rowids: Sequence[TensorLike],
        nested_nrows: Sequence[IntLike] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Several ragged axes at once, by the row numbers of each.

        >>> tf.RaggedTensor.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 1, 1]]).to_list()
        [[[1]], [[2, 3]]]

        Args:
            flat_values: The innermost values: a tensor with at least one axis.
            nested_value_rowids: A list with the row numbers of each ragged axis, the outermost first.
            nested_nrows: How many rows each axis has; by default one more than its last row number.
            name: Ignored; accepted for compatibility with TensorFlow.
            validate: Whether they are checked.

        Returns:
            A RaggedTensor; `flat_values` if the list is empty.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
        made = flat_values
        for ids, count in zip(reversed(list(nested_value_rowids)), reversed(counts), strict=True):
            made = cls.from_value_rowids(made, ids, count, validate=validate)
        return made

    @staticmethod
    def _nested(build: Function, flat_values: TensorLike, parts: Any, validate: bool) -> Any:
        if isinstance(parts, (Tensor, np.ndarray)):
            raise TypeError(f"RaggedTensor: a list with one tensor for each ragged axis is needed, got {parts!r}.")
        made = flat_values
        for part in reversed(list(parts)):
            made = build(made, part, validate=validate)
        return made

    @classmethod
    def from_tensor(
        cls,
        tensor: TensorLike,
        lengths: TensorLike | None = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
    ) -> Any:
        """The rows of a tensor: whole, cut to some lengths, or without the padding at their ends.

        >>> tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0)
        <tf.RaggedTensor [[1, 2], [3]]>
        >>> tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], lengths=[2, 3])
        <tf.RaggedTensor [[1, 2], [3, 0, 0]]>

        Args:
            tensor: A tensor with at least two axes.
            lengths: The length of each row; it goes with `ragged_rank=1` alone.
            padding: The value that is left out where it stands at the end of a row. Give `lengths` or this, or neither.
            ragged_rank: How many axes of the result are ragged.
            name: Ignored; accepted for compatibility with TensorFlow.
            row_splits_dtype: The type of the row splits: int32 or int64.

        Returns:
            A RaggedTensor; the tape follows its values to `tensor`.

        Raises:
            ValueError: The tensor has not enough axes, or the arguments do not go together.
        """
        dense = to_tensor(tensor)
        if dense.ndim < 2 or not 1 <= ragged_rank < dense.ndim:
            raise ValueError(
                f"from_tensor: ragged_rank={ragged_rank} of a tensor of shape {dense.shape}; it must be from 1 to rank - 1."
            )
        if lengths is not None and padding is not None:
            raise ValueError("from_tensor: give one of `lengths` and `padding`, and not both.")
        if ragged_rank > 1:
            if lengths is not None:
                raise ValueError("from_tensor: `lengths` goes with ragged_rank=1.")
            inner = arrays.reshape(dense, (-1, *dense.shape[2:]))
            rows = cls.from_tensor(inner, None, padding, ragged_rank - 1, None, row_splits_dtype)
            return cls.from_uniform_row_length(rows, dense.shape[1], nrows=dense.shape[0])
        rows, width = dense.shape[0], dense.shape[1]
        if padding is not None:
            if np.ndim(padding) != dense.ndim - ragged_rank - 1:
                raise unfit(f"from_tensor: padding must fit the elements of rows, got shape {np.shape(padding)}.")
            equal: Any = np.asarray(dense._array == to_tensor(padding, dense.dtype)._array)
            blank: Any = equal.reshape(rows, width, -1).all(axis=2)
            sizes = width - np.argmin(blank[:, ::-1], axis=1) if width else np.zeros(rows, np.int64)
            sizes = np.where(blank.all(axis=1), 0, sizes)
        elif lengths is not None:
            sizes = np.minimum(integers(lengths, "lengths")._array, width)
        else:
            flat = arrays.reshape(dense, (-1, *dense.shape[2:]))
            made = cls.from_uniform_row_length(flat, width, nrows=rows)
            return made.with_row_splits_dtype(row_splits_dtype)
        flat = arrays.reshape(dense, (-1, *dense.shape[2:]))
        kept = indexing.gather(flat, from_array(ranges(np.arange(rows) * width, sizes)))
        return cls.from_row_lengths(kept, from_array(sizes.astype(dtypes.as_dtype(row_splits_dtype).numpy)))

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: DTypeLike = dtypes.int64
    ) -> RaggedTensor:
        """The values of a sparse matrix whose rows are filled from the left.

        >>> tf.RaggedTensor.from_sparse(tf.sparse.from_dense([[1, 2, 0], [3, 0, 0]]))
        <tf.RaggedTensor [[1, 2], [3]]>

        Args:
            st_input: A SparseTensor with two axes.
            name: Ignored; accepted for compatibility with TensorFlow.
            row_splits_dtype: The type of the row splits: int32 or int64.

        Returns:
            A RaggedTensor.

        Raises:
            TypeError: The input is not sparse.
            ValueError: It is not a matrix.
            tf.errors.InvalidArgumentError: A row has a gap before a value, or there is no such row.
        """
        if not hasattr(st_input, "dense_shape"):
            raise NotATensorError(f"from_sparse: a SparseTensor is needed, got {st_input!r}.")
        places, sizes = st_input.indices._array, st_input.dense_shape._array
        if places.shape[1] != 2:
            raise ValueError(f"from_sparse: a sparse matrix is needed, got shape {sizes.tolist()}.")
        rows = places[:, 0]
        outside = (rows < 0) | (rows >= sizes[0])
        if outside.any():  # np.bincount trusts them: it writes before its result for 2**63 - 1
            raise invalid(f"from_sparse: row {rows[outside][0]} is out of bounds: need 0 <= row < {sizes[0]}.")
        lengths = np.bincount(rows, minlength=int(sizes[0]))
        if not np.array_equal(places[:, 1], ranges(np.zeros(len(lengths), np.int64), lengths)):
            raise invalid("from_sparse: SparseTensor is not right-ragged: a row has a gap before a value.")
        return cls.from_row_lengths(
            st_input.values, from_array(lengths.astype(dtypes.as_dtype(row_splits_dtype).numpy))
        )

    @classmethod
    def _checked(cls, values: Any, splits: Any, validate: bool) -> RaggedTensor:
        values = checked_values(values)
        if validate:
            count = count_of(values)
            check_count(splits, measured_count(values) if count is None else count)
        made: Any = cls(values, splits)
        return made


def measured_count(values: RaggedTensor | Tensor) -> Any:
    """The number of values, where only running shows it."""
    if isinstance(values, Making):
        return math.cast(values.nrows(), dtypes.int64)
    return shapes.shape(values, dtypes.int64)[0]


def checked_values(values: TensorLike) -> Any:
    if isinstance(values, Making):
        return values
    tensor = values._read() if isinstance(values, Variable) else to_tensor(values)
    if not tensor.ndim:
        raise too_few_axes("RaggedTensor: the values need at least one axis, got a scalar.")
    return tensor


def row_count(ragged: Any) -> int | None:
    """The number of rows; None inside a traced function that does not know it yet."""
    ends: int | None = ragged._row_splits.shape[0]
    return None if ends is None else ends - 1


def count_of(values: RaggedTensor | Tensor) -> int | None:
    if isinstance(values, Making):
        return row_count(values)
    count: int | None = values.shape[0]
    return count


name_errors(
    Making,
    *(
        f"from_{part}"
        for part in ("row_splits", "row_lengths", "value_rowids", "row_starts", "row_limits", "uniform_row_length")
    ),
)
