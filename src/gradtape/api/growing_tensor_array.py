"""A `TensorArray` of dynamic size in a compiled loop: the compiled form of growing lists.

It is allocated at its final length if the number of iterations is known: the loop is lowered once to find the length, and
then again with that many rows. Otherwise it gets more rows while the loop runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import invalid
from ..math import cast
from ..ops.array.row import place_below, resize_rows, rows_for, set_row
from ..ops.math.elementwise import add
from ..ops.math.logic import maximum
from ..trace.abstract_tensor import NeedsValue
from ..trace.carried import CARRIED
from ..values.composite import Composite, declare
from ..values.tensor import EagerTensor, from_array, to_tensor
from .arrays import zeros
from .layout import concat as concat_of
from .rows_tensor_array import RowsTensorArray, UnshapedTensorArray
from .tensor_array import TensorArray


class GrowingTensorArray(RowsTensorArray):
    """Rows, of which the first ones are elements; writing past them makes the array longer."""

    def __init__(self, rows: Any, length: Any) -> None:
        super().__init__(rows)
        self._dynamic_size = True
        self.length = length  # how many elements there are

    @classmethod
    def grown(cls, array: TensorArray, shape: tuple[int, ...] | None, capacity: int | None) -> Any:
        """An array in this form, with room for so many elements, or for any number of them (None).

        `shape` is that of an element, if it is known from elsewhere.
        """
        if isinstance(array, GrowingTensorArray):
            return cls(_with_room(array._rows, capacity), array.length) if capacity is not None else _endless(array)
        fixed = RowsTensorArray.of(array, shape)
        if isinstance(fixed, UnshapedTensorArray):
            return fixed
        length = fixed._rows.shape[0]
        made = cls(_with_room(fixed._rows, max(capacity or 0, 1)), from_array(np.int32(length)))  # type: ignore[arg-type]
        return made if capacity is not None else _endless(made)

    @property
    def capacity(self) -> int | None:
        """The number of elements there is room for."""
        return int(self._rows.shape[0])

    def size(self, name: str | None = None) -> Any:
        """The number of elements."""
        return self.length

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with another element."""
        place = cast(to_tensor(index), np.int32)
        rows = _with_room(self._rows, int(place) + 1) if place.__class__ is EagerTensor else self._rows
        written = set_row(rows, place, self._accepted(value))
        return GrowingTensorArray(written, maximum(self.length, add(place, to_tensor(1))))

    def read(self, index: Any, name: str | None = None) -> Any:
        """One element."""
        return super().read(self._place(index))

    def gather(self, indices: object, name: str | None = None) -> Any:
        """Some elements."""
        return super().gather(self._place(indices))

    def _place(self, index: object) -> Any:
        """The index of an element: the rows after them are room for more."""
        return place_below(cast(to_tensor(index), np.int32), self.length)

    def stack(self, name: str | None = None) -> Any:
        """All elements."""
        if self.length.__class__ is not EagerTensor:
            raise NeedsValue("How long a TensorArray has become is known only when the function runs.")
        return self._rows[: int(self.length)]

    def concat(self, name: str | None = None) -> Any:
        """All elements, one after the other along their first axis."""
        return RowsTensorArray(self.stack()).concat()

    def unstack(self, value: object, name: str | None = None) -> TensorArray:
        """The slices of a tensor as the elements."""
        tensor = self._whole(value, "unstack")
        return GrowingTensorArray(tensor, from_array(np.int32(tensor.shape[0])))  # type: ignore[arg-type]

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Each slice at its index, which has to be known to tell how long the array becomes."""
        places = to_tensor(indices)
        if places.__class__ is not EagerTensor:
            raise NeedsValue("How long a TensorArray becomes is known only when the function runs.")
        if places.ndim != 1:
            raise invalid(f"TensorArray.scatter: indices must be a vector, got shape {places.shape}.")
        array: TensorArray = self
        tensor = self._whole(value, "scatter")
        for position, place in enumerate(places.numpy().tolist()):
            array = array.write(place, tensor[position])
        return array


class EndlessTensorArray(GrowingTensorArray):
    """An array that gets more rows while a loop runs. How many there are follows from its length (`rows_for`)."""

    @property
    def capacity(self) -> None:
        """There is always room."""

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with another element."""
        place = cast(to_tensor(index), np.int32)
        length = maximum(self.length, add(place, to_tensor(1)))
        rows = resize_rows(self._rows, self.length, length)
        return EndlessTensorArray(set_row(rows, place, self._accepted(value)), length)

    def stack(self, name: str | None = None) -> Any:
        """All elements."""
        return self._rows[: self.length]

    def unstack(self, value: object, name: str | None = None) -> TensorArray:
        """The slices of a tensor as the elements."""
        return _endless(super().unstack(value))


def _endless(array: Any) -> EndlessTensorArray:
    length = array.length
    if length.__class__ is not EagerTensor:
        raise NeedsValue("How long a TensorArray has become is known only when the function runs.")
    return EndlessTensorArray(_with_room(array._rows[: int(length)], rows_for(length)), length)


def _with_room(rows: Any, capacity: int) -> Any:
    missing = capacity - int(rows.shape[0])
    return rows if missing <= 0 else concat_of([rows, zeros((missing, *tuple(rows.shape)[1:]), rows.dtype)], 0)


declare(
    Composite(
        GrowingTensorArray,
        components=lambda array: [array._rows, array.length],
        build=lambda static, parts: GrowingTensorArray(*parts),
    )
)
declare(
    Composite(
        EndlessTensorArray,
        components=lambda array: [array._rows, array.length],
        build=lambda static, parts: EndlessTensorArray(*parts),
    )
)

CARRIED[GrowingTensorArray] = CARRIED[TensorArray]
