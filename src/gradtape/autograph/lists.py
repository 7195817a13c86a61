"""Lists that grow in a loop whose length is not known: `items.append(x)` becomes a write to a TensorArray."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ..base.errors import OperatorNotAllowedInGraphError
from ..base.types import DTypeLike, ShapeLike
from ..values.tensor import to_tensor
from . import public


def _tensor_array(dtype: DTypeLike, shape: ShapeLike) -> Any:
    return public.tensor_array().TensorArray(
        dtype, size=0, dynamic_size=True, clear_after_read=False, element_shape=shape
    )


class TensorList:
    """What a list is inside and after a traced loop that appends to it: tensors of one type and shape.

    It can be appended to, indexed, measured with `len`, iterated over and stacked (`tf.stack(items)`).
    """

    def __init__(self, array: Any) -> None:
        self.array = array

    @classmethod
    def of(cls, elements: list[Any], example: object) -> TensorList:
        """A list with these elements, for values of the type and shape of `example`."""
        example = to_tensor(example)
        array = _tensor_array(example.dtype, example.shape)
        for position, element in enumerate(elements):
            array = array.write(position, element)
        return cls(array)

    @classmethod
    def empty_like(cls, other: TensorList) -> TensorList:
        """A list without elements, for elements of the same kind."""
        return cls(_tensor_array(other.array.dtype, other.array.element_shape))

    def append(self, value: Any) -> None:
        """Add one element at the end."""
        self.array = self.array.write(self.array.size(), value)

    def extend(self, values: Any) -> None:
        """Add the elements of a Python sequence at the end."""
        for value in values:
            self.append(value)

    def stack(self, name: str | None = None) -> Any:
        """All elements as one tensor."""
        return self.array.stack()

    def concat(self, name: str | None = None) -> Any:
        """All elements, one after the other along their first axis."""
        return self.array.concat()

    def size(self) -> Any:
        """The number of elements."""
        return self.array.size()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, int) and index < 0:
            index = self.size() + index
        return self.array.read(index)

    def __add__(self, other: object) -> TensorList:
        result = TensorList(self.array)
        result.extend(other)
        return result

    __iadd__ = __add__

    def __len__(self) -> NoReturn:
        raise OperatorNotAllowedInGraphError("This list grew in a traced loop: its length is a tensor, `items.size()`.")

    def __iter__(self) -> Iterator[Any]:
        raise OperatorNotAllowedInGraphError(
            "This list grew in a traced loop: its length is not known to Python. Use a for statement, or tf.stack(items)."
        )

    def __repr__(self) -> str:
        return f"<list of tensors: dtype={self.array.dtype.name}, element_shape={self.array.element_shape}>"


class LoopList(list[Any]):
    """A copy of a user's list while a loop is traced; appending to it restarts the trace of the loop with a TensorList."""

    grow: Callable[[Any], NoReturn]


def list_append(items: Any, value: object) -> Any:
    """`items.append(value)`; returns the new `items`."""
    if items.__class__ is LoopList:
        items.grow(value)
    if items.__class__ is TensorList:
        items = TensorList(items.array)  # the list that branches and loops carry must not change
    items.append(value)
    return items


def list_extend(items: Any, values: Any) -> Any:
    """`items.extend(values)`; returns the new `items`."""
    if items.__class__ is LoopList:
        values = list(values)
        if not values:
            return items
        items.grow(values[0])
    if items.__class__ is TensorList:
        items = TensorList(items.array)
    items.extend(values)
    return items
