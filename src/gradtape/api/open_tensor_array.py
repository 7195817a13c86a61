"""A `TensorArray` in a compiled loop, of whose elements not even the rank is known before one is written."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.shapes import TensorShape
from ..math import cast
from ..ops.array.open_row import resize_open_rows, set_open_row, written_rows
from ..ops.math.elementwise import add
from ..ops.math.logic import maximum
from ..trace.abstract_tensor import NeedsValue
from ..values.composite import Composite, declare
from ..values.tensor import Tensor, to_tensor
from .arrays import zeros
from .rows_tensor_array import RowsTensorArray
from .tensor_array import TensorArray


class OpenRowsTensorArray(RowsTensorArray):
    """Rows whose shape is that of the first one that is written, as what Python code returns has it.

    All elements must have one shape where they are stacked. Where they are read one by one, each may have its own: then the
    function runs in parts.
    """

    def __init__(self, rows: Any, length: Any, grows: bool) -> None:
        self._rows, self._length, self._grows = rows, length, grows
        self._dtype = rows.dtype
        self._dynamic_size = grows
        self._infer_shape = True
        self._shape = [TensorShape(None)]

    @classmethod
    def begun(cls, count: Tensor, written: list[Any], dtype: Any, grows: bool) -> OpenRowsTensorArray:
        """`count` elements, of which these are written already; None for others."""
        rows = zeros((), dtype)
        for place, element in enumerate(written):
            if element is not None:
                rows = set_open_row(rows, to_tensor(np.int32(place)), element, count, grows=grows)
        return cls(rows, count, grows)

    @property
    def capacity(self) -> None:
        """There is always room."""

    def size(self, name: str | None = None) -> Any:
        """The number of elements."""
        return self._length

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with another element."""
        place = cast(to_tensor(index), np.int32)
        rows, length = self._rows, self._length
        if self._grows:
            length = maximum(length, add(place, to_tensor(np.int32(1))))
            rows = resize_open_rows(rows, self._length, length)
        written = set_open_row(rows, place, self._typed(value), length, grows=self._grows)
        return OpenRowsTensorArray(written, length, self._grows)

    def stack(self, name: str | None = None) -> Any:
        """All elements."""
        rows = written_rows(self._rows)
        return rows[: self._length] if self._grows else rows

    def read(self, index: Any, name: str | None = None) -> Any:
        """An element may have a shape of its own."""
        raise NeedsValue("The elements of a TensorArray may have ranks of their own.")

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """An element may have a shape of its own."""
        return self.read(indices)

    def concat(self, name: str | None = None) -> Any:
        """An element may have a shape of its own."""
        return self.read(0)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Other elements."""
        raise NeedsValue("The elements of a TensorArray may have ranks of their own.")

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Other elements."""
        return self.unstack(value)


declare(
    Composite(
        OpenRowsTensorArray,
        components=lambda array: [array._rows, array._length],
        static=lambda array: array._grows,
        build=lambda static, parts: OpenRowsTensorArray(parts[0], parts[1], static),
    )
)
