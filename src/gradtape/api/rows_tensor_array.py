"""`TensorArray` in compiled loops and branches: elements are the rows of one tensor, or there are none yet."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.context import STATE
from ..base.errors import invalid
from ..base.shapes import TensorShape
from ..base.sizes import Dim, surely_equal
from ..ops.array.gather import take
from ..ops.array.layout import expand_dims, reshape
from ..ops.array.row import get_row, set_row
from ..ops.array.scatter import tensor_scatter_nd_update
from ..trace.abstract_tensor import NeedsValue
from ..trace.carried import ANY_RANK, CARRIED, UNSHAPED, ElementShape
from ..values.composite import Composite, declare
from ..values.tensor import Tensor, from_array, to_tensor
from .arrays import zeros
from .layout import stack as stack_of
from .tensor_array import CLEARED, TensorArray


class RowsTensorArray(TensorArray):
    """A `TensorArray` whose elements are the rows of one tensor: indices for writing may be unknown until run time."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows
        self._dtype = rows.dtype
        self._dynamic_size = False
        self._infer_shape = True
        self._shape = [TensorShape(tuple(rows.shape)[1:])]

    @classmethod
    def of(cls, array: TensorArray, shape: Any) -> Any:
        """The array in this form; `shape` is that of an element, if it is known from elsewhere."""
        if isinstance(array, (RowsTensorArray, UnshapedTensorArray)):
            return array
        is_open = isinstance(array, OpenTensorArray)
        elements = [] if is_open else array._elements
        written = [] if is_open else _written(array)
        if shape is None:
            known = array.element_shape.is_fully_defined()
            shape = _sizes(array.element_shape) if known else shape_of(written[0]) if written else None
        if shape is None:
            return UnshapedTensorArray(array, array._count if is_open else len(elements))
        if shape is ANY_RANK:
            return _open_rows(array, array._count if is_open else len(elements), elements, grows=False)
        if is_open:
            return cls(zeros((array._count, *shape), array.dtype))
        if not all(surely_equal(tuple(element.shape), shape) for element in written):
            raise NeedsValue("The elements of a TensorArray have shapes of their own.")
        if not written:
            return cls(zeros((len(array._elements), *shape), array.dtype))
        empty = zeros(shape, array.dtype)
        return cls(stack_of([empty if e is None or e is CLEARED else e for e in array._elements]))

    def identity(self) -> TensorArray:
        """The same array."""
        return self

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        return _as_tensor(self._rows.shape[0])

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with another element."""
        return RowsTensorArray(set_row(self._rows, to_tensor(index), self._accepted(value)))

    def read(self, index: Any, name: str | None = None) -> Any:
        """One element."""
        return get_row(self._rows, to_tensor(index))

    def stack(self, name: str | None = None) -> Any:
        """All elements."""
        return self._rows

    def gather(self, indices: object, name: str | None = None) -> Any:
        """Some elements."""
        return take(self._rows, to_tensor(indices), axis=0, batch_dims=0)

    def concat(self, name: str | None = None) -> Any:
        """All elements, one after the other along their first axis."""
        count, *shape = tuple(self._rows.shape)
        if not shape:
            raise invalid("concat: the elements are scalars; they need at least one axis. Use stack().")
        return reshape(self._rows, shape=(count * shape[0], *shape[1:]))

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The slices of a tensor as the elements."""
        tensor = self._whole(value, "unstack")
        if not surely_equal(tuple(tensor.shape), tuple(self._rows.shape)):
            raise NeedsValue("A TensorArray gets another number of elements.")
        return RowsTensorArray(tensor)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The slices of a tensor, each at its index."""
        tensor = self._whole(value, "scatter")
        places = expand_dims(to_tensor(indices), axis=-1)
        return RowsTensorArray(tensor_scatter_nd_update(self._rows, places, tensor))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Pieces have lengths of their own."""
        raise NeedsValue("The elements of a TensorArray have shapes of their own.")

    def close(self, name: str | None = None) -> None:
        """Nothing to give up."""

    def __repr__(self) -> str:
        return f"<tf.TensorArray: rows of {self._rows!r}>"


class UnshapedTensorArray(TensorArray):
    """An array that enters a loop before any write: the first element written in the loop determines the shape of its rows."""

    def __init__(self, array: TensorArray, count: Dim) -> None:
        self.__dict__.update(array.__dict__)
        self._count = count

    def identity(self) -> TensorArray:
        """The same array."""
        return self

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        return _as_tensor(self._count)

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Begin again with rows of this shape."""
        raise ElementShape(self, shape_of(self._accepted(value)))

    def unstack(self, value: object, name: str | None = None) -> TensorArray:
        """Begin again with rows of this shape."""
        raise ElementShape(self, tuple(self._whole(value, "unstack").shape)[1:])

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Begin again with rows of this shape."""
        raise ElementShape(self, tuple(self._whole(value, "scatter").shape)[1:])

    def _at(self, position: int) -> Any:
        raise NeedsValue("An element of a TensorArray is read before one was written.")

    def read(self, index: Any, name: str | None = None) -> Any:
        """Nothing is known of its shape."""
        return self._at(0)


class OpenTensorArray(TensorArray):
    """An array whose number of elements depends on values, before the first write: its rows begin with it."""

    def identity(self) -> TensorArray:
        """The same array."""
        return self

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        return _as_tensor(self._count)

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with its first element."""
        shape = shape_of(self._accepted(value))
        begun = self._begun(shape) if shape is not ANY_RANK else _open_rows(self, self._count, [], grows=False)
        return begun.write(index, value)

    def unstack(self, value: object, name: str | None = None) -> TensorArray:
        """The slices of a tensor as the elements."""
        tensor = self._whole(value, "unstack")
        if not surely_equal(tensor.shape[0], self._count):
            raise NeedsValue("A TensorArray gets another number of elements.")
        return RowsTensorArray(tensor)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The slices of a tensor, each at its index."""
        return self._begun(tuple(self._whole(value, "scatter").shape)[1:]).scatter(indices, value)

    def _begun(self, shape: tuple[int, ...]) -> TensorArray:
        return RowsTensorArray(zeros((self._count, *shape), self._dtype))

    def _at(self, position: int) -> Any:
        raise NeedsValue("An element of a TensorArray is read before one was written.")

    def read(self, index: Any, name: str | None = None) -> Any:
        """Nothing is known of its shape."""
        return self._at(0)

    def stack(self, name: str | None = None) -> Any:
        """Nothing is known of the shape of elements."""
        return self._at(0)

    def gather(self, indices: object, name: str | None = None) -> Any:
        """Nothing is known of the shape of elements."""
        return self._at(0)

    def concat(self, name: str | None = None) -> Any:
        """Nothing is known of the shape of elements."""
        return self._at(0)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Pieces have lengths of their own."""
        raise NeedsValue("The elements of a TensorArray have shapes of their own.")


def _as_tensor(count: Dim) -> Tensor:
    """A number of elements as a tensor."""
    if isinstance(count, int):
        return from_array(np.int32(count))  # type: ignore[arg-type]
    assert STATE.trace is not None  # elsewhere all sizes are known
    found: Tensor = STATE.trace.sized(count)
    return found


def _sizes(shape: TensorShape) -> tuple[int, ...]:
    return tuple(size or 0 for size in shape)


def _written(array: Any) -> list[Any]:
    return [element for element in array._elements if element is not None and element is not CLEARED]


def shape_of(element: Any) -> Any:
    """The shape of an element, or what says that not even its rank is known."""
    return ANY_RANK if element.shape.rank is None else tuple(element.shape)


def _open_rows(array: Any, count: Dim, elements: list[Any], grows: bool) -> Any:
    from .open_tensor_array import OpenRowsTensorArray

    written = [None if element is CLEARED else element for element in elements]
    return OpenRowsTensorArray.begun(_as_tensor(count), written, array.dtype, grows)


def carried(array: Any, shape: Any, capacity: int | None) -> Any:
    """The form in which an array goes through a loop or branch: `trace.carried.CARRIED` says what is asked."""
    if not array._dynamic_size:
        return RowsTensorArray.of(array, shape)
    if array.__class__ is TensorArray and ANY_RANK in (shape, *map(shape_of, _written(array)[:1])):
        return _open_rows(array, len(array._elements), array._elements, grows=True)
    from .growing_tensor_array import GrowingTensorArray

    return GrowingTensorArray.grown(array, shape, capacity)


CARRIED[OpenTensorArray] = carried
UNSHAPED.add(UnshapedTensorArray)
declare(
    Composite(
        RowsTensorArray,
        components=lambda array: [array._rows],
        build=lambda static, parts: RowsTensorArray(parts[0]),
    )
)
