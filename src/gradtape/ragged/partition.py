"""`tf.experimental.RowPartition`: where rows begin and end, without the values in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..api import arrays
from ..base import dtypes
from ..base.types import DTypeLike, Function, IntLike, TensorLike
from ..op.attributes import as_int
from ..values.tensor import EagerTensor
from .splits import integers
from .tensor import RaggedTensor

if TYPE_CHECKING:
    from ..values.tensor import Tensor


class RowPartition:
    """How a number of values is divided into rows that follow each other. The class methods `from_...` make one.

    >>> import gradtape as tf
    >>> tf.experimental.RowPartition.from_value_rowids([0, 0, 2], nrows=4).row_splits().numpy()
    array([0, 2, 2, 3, 3])

    Args:
        rows: A RaggedTensor that is divided in this way.
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: RaggedTensor) -> None:
        self._rows = rows  # of whatever values

    @classmethod
    def from_row_splits(
        cls, row_splits: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Row i from `row_splits[i]` up to `row_splits[i + 1]`.

        >>> tf.experimental.RowPartition.from_row_splits([0, 2, 2, 3]).row_lengths().numpy()
        array([2, 0, 1])

        Args:
            row_splits: A vector of integers: it begins with 0, does not decrease, and ends with the number of values.
            validate: Whether this is checked.
            dtype: The type of the splits, int32 or int64; by default that of `row_splits`.

        Returns:
            A RowPartition.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        splits = integers(row_splits, "row_splits")
        return cls._made(RaggedTensor.from_row_splits, int(splits[-1]), splits, validate, dtype)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Rows of these lengths.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 1]).row_splits().numpy()
        array([0, 2, 2, 3])

        Args:
            row_lengths: A vector of integers that are not negative.
            validate: Whether this is checked.
            dtype: The type of the splits, int32 or int64; by default that of `row_lengths`.

        Returns:
            A RowPartition.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        lengths = integers(row_lengths, "row_lengths")
        return cls._made(RaggedTensor.from_row_lengths, int(lengths._array.sum()), lengths, validate, dtype)

    @classmethod
    def from_row_starts(
        cls, row_starts: TensorLike, nvals: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Row i from `row_starts[i]` up to the next, the last one up to `nvals`.

        >>> tf.experimental.RowPartition.from_row_starts([0, 2, 2], nvals=3).row_lengths().numpy()
        array([2, 0, 1])

        Args:
            row_starts: A vector of integers: it begins with 0 and does not decrease.
            nvals: How many values there are.
            validate: Whether this is checked.
            dtype: The type of the splits, int32 or int64; by default that of `row_starts`.

        Returns:
            A RowPartition.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        return cls._made(RaggedTensor.from_row_starts, as_int(nvals), row_starts, validate, dtype)

    @classmethod
    def from_row_limits(
        cls, row_limits: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Row i up to `row_limits[i]`, from where the row before it ends.

        >>> tf.experimental.RowPartition.from_row_limits([2, 2, 3]).row_lengths().numpy()
        array([2, 0, 1])

        Args:
            row_limits: A vector of integers that does not decrease.
            validate: Whether this is checked.
            dtype: The type of the splits, int32 or int64; by default that of `row_limits`.

        Returns:
            A RowPartition.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        limits = integers(row_limits, "row_limits")
        count = int(limits[-1]) if limits.shape[0] else 0
        return cls._made(RaggedTensor.from_row_limits, count, limits, validate, dtype)

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: TensorLike,
        nrows: IntLike | None = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
    ) -> RowPartition:
        """Each value in the row with the number in `value_rowids`.

        >>> tf.experimental.RowPartition.from_value_rowids([0, 0, 2]).row_lengths().numpy()
        array([2, 0, 1])

        Args:
            value_rowids: A vector of integers that does not decrease, from 0 up.
            nrows: How many rows there are; by default one more than the last number.
            validate: Whether this is checked.
            dtype: The type of the splits, int32 or int64; by default that of `value_rowids`.

        Returns:
            A RowPartition.

        Raises:
            tf.errors.InvalidArgumentError: A check fails.
        """
        rowids = integers(value_rowids, "value_rowids")
        rows = RaggedTensor.from_value_rowids(rowids, rowids, nrows, validate=validate)
        return cls(rows if dtype is None else rows.with_row_splits_dtype(dtype))

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: IntLike,
        nvals: TensorLike | None = None,
        nrows: IntLike | None = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
    ) -> RowPartition:
        """Rows that all have this length.

        >>> tf.experimental.RowPartition.from_uniform_row_length(2, nvals=6).row_splits().numpy()
        array([0, 2, 4, 6])

        Args:
            uniform_row_length: The length.
            nvals: How many values there are. This or `nrows` is needed.
            nrows: How many rows there are.
            validate: Whether the numbers are checked to fit each other.
            dtype: The type of the splits, int32 or int64; int64 by default.

        Returns:
            A RowPartition.

        Raises:
            ValueError: Neither `nvals` nor `nrows` is given.
            tf.errors.InvalidArgumentError: A check fails.
        """
        length = as_int(uniform_row_length)
        if nvals is None and nrows is None:
            raise ValueError("RowPartition: give nvals or nrows beside uniform_row_length.")
        count = as_int(nvals) if nvals is not None else length * as_int(nrows)
        rows = RaggedTensor.from_uniform_row_length(arrays.zeros([count]), length, nrows, validate)
        return cls(rows if dtype is None else rows.with_row_splits_dtype(dtype))

    @classmethod
    def _made(cls, build: Function, count: int, part: TensorLike, validate: bool, dtype: object) -> RowPartition:
        rows = build(arrays.zeros([count], dtypes.bool), part, validate=validate)
        return cls(rows if dtype is None else rows.with_row_splits_dtype(dtype))

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the splits."""
        found: dtypes.DType = self._rows.row_splits.dtype
        return found

    def with_dtype(self, dtype: DTypeLike) -> RowPartition:
        """The same rows, with splits of the other type.

        >>> import gradtape as tf
        >>> tf.experimental.RowPartition.from_row_lengths([2, 1]).with_dtype(tf.int32).dtype
        tf.int32

        Args:
            dtype: int32 or int64.

        Returns:
            A partition.
        """
        return self if self.dtype == dtypes.as_dtype(dtype) else RowPartition(self._rows.with_row_splits_dtype(dtype))

    @property
    def static_nrows(self) -> int:
        """How many rows there are."""
        return self._rows._row_count()

    @property
    def static_nvals(self) -> int:
        """How many values there are."""
        return int(self._rows.row_splits[-1])

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows, where it was given."""
        return self._rows._uniform

    def nrows(self) -> Tensor:
        """How many rows there are.

        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> int(rows.nrows())
        3

        Returns:
            A scalar.
        """
        return self._rows.nrows()

    def nvals(self) -> Tensor:
        """How many values there are.

        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> int(rows.nvals())
        3

        Returns:
            A scalar.
        """
        return self._rows.row_splits[-1]

    def row_splits(self) -> Tensor:
        """Where rows begin, and where the last one ends.

        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> rows.row_splits().numpy()
        array([0, 2, 2, 3])

        Returns:
            A vector of integers.
        """
        return self._rows.row_splits

    def row_lengths(self) -> Tensor:
        """How many values each row has.

        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> rows.row_lengths().numpy()
        array([2, 0, 1])

        Returns:
            A vector of integers.
        """
        return self._rows.row_lengths()

    def row_starts(self) -> Tensor:
        """Where rows begin.

        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> rows.row_starts().numpy()
        array([0, 2, 2])

        Returns:
            A vector of integers.
        """
        return self._rows.row_starts()

    def row_limits(self) -> Tensor:
        """Where rows end.

        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> rows.row_limits().numpy()
        array([2, 2, 3])

        Returns:
            A vector of integers.
        """
        return self._rows.row_limits()

    def value_rowids(self) -> Tensor:
        """The row number of each value.

        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> rows.value_rowids().numpy()
        array([0, 0, 2])

        Returns:
            A vector of integers.
        """
        return self._rows.value_rowids()

    def uniform_row_length(self) -> Any:
        """The length of all rows, where it was given.

        >>> int(tf.experimental.RowPartition.from_uniform_row_length(2, nvals=6).uniform_row_length())
        2

        Returns:
            A scalar, or None.
        """
        return self._rows.uniform_row_length

    def is_uniform(self) -> bool:
        """Whether the rows were given as rows of one length.

        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> rows.is_uniform()
        False

        Returns:
            True or False.
        """
        return self._rows._uniform is not None

    def __repr__(self) -> str:
        if self.is_uniform():
            return f"tf.RowPartition(nrows={self._rows.shape[0]}, uniform_row_length={self.static_uniform_row_length})"
        splits = self.row_splits()
        return f"tf.RowPartition(row_splits={splits._array if isinstance(splits, EagerTensor) else splits})"
