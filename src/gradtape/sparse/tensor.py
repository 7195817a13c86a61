"""`SparseTensor`: a tensor given by the places and values of the elements that are not zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from .. import math
from ..api import arrays, indexing
from ..base import dtypes
from ..base.dtypes import Array, DType
from ..base.errors import NotATensorError, invalid
from ..base.notebook import Form, in_notebook
from ..base.shapes import TensorShape, broadcast
from ..base.sizes import static
from ..base.traceable import trace_public
from ..base.type_spec import ShapedSpec, TypeSpec
from ..base.types import DTypeLike, ShapeLike, TensorLike
from ..trace.symbolic import is_symbolic
from ..values.tensor import EagerTensor, Tensor, TensorSpec, from_array, to_tensor
from ..variables.variable import Variable


class SparseTensor:
    """`values[i]` at the place `indices[i]` of a tensor of shape `dense_shape`, zero elsewhere.

    Tapes follow the values. Most functions want the places in order, as `tf.sparse.reorder` puts them.

    >>> import gradtape as tf
    >>> s = tf.SparseTensor(indices=[[0, 1], [1, 0]], values=[1.0, 2.0], dense_shape=[2, 2])
    >>> tf.sparse.to_dense(s).numpy()
    array([[0., 1.],
           [2., 0.]], dtype=float32)

    Args:
        indices: A matrix of integers: one row for each value, one column for each axis.
        values: A vector of values, of any type.
        dense_shape: The size of each axis.

    Raises:
        ValueError: The three do not fit each other.
    """

    __slots__ = ("_dense_shape", "_indices", "_said", "_values")

    # NumPy must hand `array * sparse` to the operators below.
    __array_priority__ = 100
    __array_ufunc__ = None

    def __init__(self, indices: TensorLike, values: Any, dense_shape: TensorLike) -> None:
        self._indices = to_tensor(indices, dtypes.int64)
        self._values = values._read() if isinstance(values, Variable) else to_tensor(values)
        self._dense_shape = to_tensor(dense_shape, dtypes.int64)
        self._said: TensorShape | None = None  # by `set_shape`, inside a traced function
        for label, part, rank in (
            ("indices", self._indices, 2),
            ("values", self._values, 1),
            ("dense_shape", self._dense_shape, 1),
        ):
            if part.shape.rank not in (rank, None):
                raise ValueError(f"SparseTensor: {label} of shape {part.shape} must have rank {rank}.")
        # (Inside a traced function a size may not be known.)
        places: Any = self._indices.shape
        count, rank = tuple(places) if places.rank else (None, None)
        if not self._values.shape.is_compatible_with([count]):
            raise ValueError(f"SparseTensor: {count} places for {self._values.shape[0]} values.")
        if not self._dense_shape.shape.is_compatible_with([rank]):
            raise ValueError(
                f"SparseTensor: Index rank ({rank}) and shape rank ({self._dense_shape.shape[0]}) do not match: the places "
                f"have {rank} axes, dense_shape has {self._dense_shape.shape[0]}."
            )

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A sparse tensor from anything with indices, values and dense_shape.

        >>> parts = tf.compat.v1.SparseTensorValue([[0]], [7.0], [3])
        >>> tf.sparse.to_dense(tf.SparseTensor.from_value(parts)).numpy()
        array([7., 0., 0.], dtype=float32)

        Args:
            sparse_tensor_value: A SparseTensor, or a value of TensorFlow 1 with the same three parts.

        Returns:
            A SparseTensor.

        Raises:
            TypeError: A part is missing.
        """
        value = sparse_tensor_value
        if not all(hasattr(value, part) for part in ("indices", "values", "dense_shape")):
            raise TypeError(f"Neither a SparseTensor nor SparseTensorValue: {value!r}.")
        return cls(value.indices, value.values, value.dense_shape)

    @property
    def indices(self) -> Tensor:
        """The places, one row for each value."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The values; what tapes follow."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape as an int64 tensor."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the dense tensor; inside a traced function as far as it is known."""
        return self._computed_shape() if self._said is None else self._said

    def _computed_shape(self) -> TensorShape:
        """What is known of the numbers in `dense_shape`."""
        sizes: Any = self._dense_shape
        if is_symbolic(sizes):
            sizes = sizes._trace.abstract(sizes)
        if isinstance(sizes, EagerTensor):
            return TensorShape(sizes._array.tolist())
        if isinstance(sizes, TensorSpec):  # (a result of a function that has been traced)
            return _unknown_sizes(sizes)
        known = sizes._array.value  # (of the elements, as far as they are known)
        return _unknown_sizes(sizes) if known is None else TensorShape(static(known.tolist()))

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        dtype: DType = self._values.dtype
        return dtype

    @property
    def op(self) -> NoReturn:
        """Not defined for eager values."""
        raise AttributeError("SparseTensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """Not defined for eager values."""
        raise AttributeError("SparseTensor.graph is undefined when eager execution is enabled.")

    def get_shape(self) -> TensorShape:
        """The same as `shape`.

        >>> tf.sparse.from_dense([0, 5, 0]).get_shape()
        TensorShape([3])

        Returns:
            A `tf.TensorShape`.
        """
        return self.shape

    def set_shape(self, shape: ShapeLike | None) -> None:
        """Say what is known of the shape: checked in eager code, added to what is known inside a traced function.

        >>> tf.sparse.from_dense([0, 5, 0]).set_shape([None])
        >>> tf.sparse.from_dense([0, 5, 0]).set_shape([4])
        Traceback (most recent call last):
            ...
        ValueError: Tensor's shape (3,) is not compatible with supplied shape [4]

        Args:
            shape: The sizes, None for one that may be any.

        Raises:
            ValueError: The tensor has another shape.
        """
        known = self.shape
        try:
            merged = known.merge_with(shape)
        except ValueError:
            raise ValueError(f"Tensor's shape {known} is not compatible with supplied shape {shape}") from None
        if is_symbolic(self._dense_shape):
            self._said = merged

    def consumers(self) -> NoReturn:
        """Not defined for eager values.

        Raises:
            AttributeError: Always, as in TensorFlow where ops run at once.
        """
        raise AttributeError("SparseTensor.consumers is undefined when eager execution is enabled.")

    def eval(self, feed_dict: object = None, session: object = None) -> NoReturn:
        """Not defined: sessions are of TensorFlow 1.

        Args:
            feed_dict: Ignored: the method always raises.
            session: Ignored: the method always raises.

        Raises:
            NotImplementedError: Always: sessions are of TensorFlow 1. `values.numpy()` reads the values.
        """
        raise NotImplementedError("SparseTensor.eval needs a session of TensorFlow 1. Read values.numpy() instead.")

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """Other values at the same places.

        >>> tf.sparse.to_dense(tf.sparse.from_dense([0, 5, 0, 6]).with_values([7, 8])).numpy()
        array([0, 7, 0, 8], dtype=int32)

        Args:
            new_values: As many values, of any type.

        Returns:
            A SparseTensor of the same shape.

        Raises:
            ValueError: There are more values, or less.
        """
        return SparseTensor(self._indices, new_values, self._dense_shape)

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec.from_value(self)

    # --- operators: what keeps zeros zero --------------------------------------------------------------

    def __mul__(self, other: TensorLike) -> SparseTensor:
        return self.with_values(math.multiply(self._values, self._beside(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: TensorLike) -> SparseTensor:
        return self.with_values(math.truediv(self._values, self._beside(other)))

    def _beside(self, other: TensorLike) -> Any:
        """The elements of a dense tensor, broadcast to this shape, at the places of the values."""
        if isinstance(other, SparseTensor):
            raise TypeError("SparseTensor: only dense tensors can be factors. Use tf.sparse.map_values or to_dense.")
        dense = to_tensor(other, None if isinstance(other, (Tensor, Variable)) else self.dtype)
        if is_symbolic(self._indices) or is_symbolic(dense):  # (the ops check places and shapes when the function runs)
            if dense.shape.rank == 0:
                return dense
            return indexing.gather_nd(arrays.broadcast_to(dense, self._dense_shape), self._indices)
        sizes = sizes_of(self)
        if not dense.ndim:
            return dense
        if broadcast(tuple(dense.shape), sizes) != sizes:
            raise invalid(f"SparseTensor: a dense tensor of shape {dense.shape} does not broadcast to {sizes}.")
        check_places(self, "SparseTensor")
        return indexing.gather_nd(arrays.broadcast_to(dense, sizes), self._indices)

    def _notebook_form(self) -> Form:
        sizes, count = sizes_of(self), len(self._values._array)
        share = count / max(int(np.prod(sizes)), 1)
        facts = (("shape", str(self.shape)), ("dtype", self.dtype.name), ("values", f"{count:,} ({share:.2%})"))
        return Form("tf.SparseTensor", facts, self._values._array)

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        parts = f"indices={self._indices!s}, values={self._values!s}, dense_shape={self._dense_shape!s}"
        return f"SparseTensor({parts})"


def _unknown_sizes(sizes: Any) -> TensorShape:
    """As many sizes as there are, if their number is known."""
    number = sizes.shape[0] if sizes.shape.rank else None
    return TensorShape([None] * number if number.__class__ is int else None)


def sizes_of(sp: SparseTensor) -> tuple[int, ...]:
    """The dense shape as a tuple."""
    return tuple(sp.dense_shape._array.tolist())


def places_of(sp: SparseTensor) -> Array:
    """The places as an array."""
    places: Array = sp.indices._array
    return places


def as_sparse(value: object, name: str) -> SparseTensor:
    """The value, which must be a sparse tensor."""
    if isinstance(value, SparseTensor):
        return value
    if not isinstance(value, Tensor) and hasattr(value, "dense_shape") and hasattr(value, "indices"):
        return SparseTensor.from_value(value)
    raise NotATensorError(f"{name}: Input must be a SparseTensor, got {value!r}. Use tf.sparse.from_dense.")


def check_places(sp: SparseTensor, name: str, ordered: bool = False) -> None:
    """Raise where a place is outside; with `ordered`, also where one is out of order or repeated."""
    places, sizes = places_of(sp), np.array(sizes_of(sp), np.int64)
    outside = ((places < 0) | (places >= sizes)).any(axis=1)
    if outside.any():
        row = int(np.argmax(outside))
        raise invalid(
            f"{name}: indices[{row}] = {places[row].tolist()} is out of bounds: need 0 <= index < {sizes.tolist()}."
        )
    if ordered and len(places) > 1:
        numbers = flat_places(places, tuple(sizes.tolist()))
        wrong = np.diff(numbers) <= 0
        if wrong.any():
            row = int(np.argmax(wrong)) + 1
            why = "repeated" if numbers[row] == numbers[row - 1] else "out of order. Use tf.sparse.reorder first"
            raise invalid(f"{name}: indices[{row}] = {places[row].tolist()} is {why}.")


def flat_places(places: Array, sizes: tuple[int, ...]) -> Array:
    """The number of each place in the flattened tensor."""
    if places.shape[1] != len(sizes):
        raise invalid(f"SparseTensor: the places have {places.shape[1]} axes, dense_shape has {len(sizes)}.")
    strides = np.ones(len(sizes), np.int64)
    if sizes:
        strides[:-1] = np.cumprod(np.array(sizes[:0:-1], np.int64))[::-1]
    return places @ strides


def places_at(numbers: Array, sizes: Any) -> Array:
    """The places of these numbers in the flattened tensor."""
    if not len(numbers) or not len(sizes):
        return np.zeros((len(numbers), len(sizes)), np.int64)
    return np.stack(np.unravel_index(numbers, sizes), axis=1)


def from_parts(places: Array, values: Any, sizes: Sequence[TensorLike]) -> SparseTensor:
    """A sparse tensor from positions that were worked out with NumPy."""
    return SparseTensor(
        from_array(np.asarray(places, np.int64).reshape(len(values), len(sizes))),
        values,
        from_array(np.array(tuple(sizes), np.int64)),
    )


class SparseTensorSpec(ShapedSpec):
    """What is known of a sparse tensor before it exists: what `tf.function` and datasets ask for.

    >>> import gradtape as tf
    >>> spec = tf.SparseTensorSpec([None, 3], tf.float32)
    >>> spec.is_compatible_with(tf.sparse.from_dense([[0.0, 1.0, 0.0]]))
    True

    Args:
        shape: The sizes, None for one that is unknown; None for an unknown rank.
        dtype: The type of the values.
    """

    __slots__ = ()

    def __init__(self, shape: ShapeLike | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    @classmethod
    def from_value(cls, value: TensorLike) -> SparseTensorSpec:
        """The spec of an existing sparse tensor.

        >>> tf.SparseTensorSpec.from_value(tf.sparse.from_dense([0, 5]))
        SparseTensorSpec(TensorShape([2]), tf.int32)

        Args:
            value: A SparseTensor.

        Returns:
            A SparseTensorSpec with its shape and type.
        """
        sp = value if isinstance(value, SparseTensor) else as_sparse(value, "SparseTensorSpec")  # (no step of a trace)
        return cls(sp.shape, sp.dtype)

    @property
    def rank(self) -> int | None:
        """The number of axes, if it is known."""
        return self._shape.rank

    @property
    def value_type(self) -> type[SparseTensor]:
        """The class that the spec describes."""
        return SparseTensor

    @property
    def _component_specs(self) -> list[TypeSpec]:
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _from_components(self, components: Sequence[Any]) -> SparseTensor:
        indices, values, sizes = components
        if is_symbolic(sizes) and any(size is not None for size in self._shape or ()):
            sizes = [sizes[axis] if size is None else size for axis, size in enumerate(self._shape)]
        return SparseTensor(indices, values, sizes)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    def _with_changed_shape(self, change: Callable[[TensorShape], Any]) -> SparseTensorSpec:
        return SparseTensorSpec(change(self._shape), self._dtype)

    def most_specific_compatible_type(self, other: Any) -> SparseTensorSpec:
        """The tightest spec that covers both.

        >>> tf.SparseTensorSpec([2, 3]).most_specific_compatible_type(tf.SparseTensorSpec([4, 3])).shape
        TensorShape([None, 3])

        Args:
            other: Another SparseTensorSpec of the same type.

        Returns:
            A spec whose sizes are None where theirs differ.

        Raises:
            ValueError: There is none.
        """
        if not isinstance(other, SparseTensorSpec) or self._dtype != other._dtype:
            raise ValueError(f"No spec covers both {self!r} and {other!r}.")
        return SparseTensorSpec(self._shape.most_specific_compatible_shape(other._shape), self._dtype)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value (or everything the other spec describes) may stand here.

        >>> tf.SparseTensorSpec([None], tf.int32).is_compatible_with(tf.sparse.from_dense([0, 5]))
        True

        Args:
            spec_or_value: A SparseTensor or a SparseTensorSpec; anything else may not.

        Returns:
            True or False.
        """
        return (
            isinstance(spec_or_value, (SparseTensor, SparseTensorSpec))
            and spec_or_value.dtype == self._dtype
            and self._shape.is_compatible_with(spec_or_value.shape)
        )


trace_public(globals())
