"""What is known of a variable before it exists."""

from __future__ import annotations

from typing import Any

from ..base import dtypes
from ..base.types import DTypeLike, ShapeLike
from ..values.tensor import TensorSpec
from .variable import Variable


class VariableSpec(TensorSpec):
    """What is known of a variable before it exists."""

    __slots__ = ("trainable",)

    def __init__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, trainable: bool = True, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        self.trainable = trainable

    @property
    def value_type(self) -> type[Variable]:  # type: ignore[override]
        """The class that the spec describes."""
        return Variable

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self.trainable, self._name
