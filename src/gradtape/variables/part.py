"""What `v[1:]` gives for a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.types import TensorLike

if TYPE_CHECKING:
    from ..values.tensor import Tensor
    from .variable import Variable

    class VariablePart(Tensor):
        """What `v[1:]` gives for a variable: a tensor that has the methods of a SliceAssigner."""

        def assign(self, value: TensorLike, *, name: str | None = None) -> Variable: ...
        def assign_add(self, value: TensorLike, *, name: str | None = None) -> Variable: ...
        def assign_sub(self, value: TensorLike, *, name: str | None = None) -> Variable: ...


class SliceAssigner:
    """What `v[1:]` gives for a variable: the tensor, with `assign` for that part of the variable."""

    def __init__(self, variable: Variable, key: object) -> None:
        self._variable = variable
        self._key = key

    def assign(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Replace that part of the variable."""
        return self._variable._assign_part(self._key, value, "assign")

    def assign_add(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Add to that part of the variable."""
        return self._variable._assign_part(self._key, value, "add")

    def assign_sub(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtract from that part of the variable."""
        return self._variable._assign_part(self._key, value, "subtract")
