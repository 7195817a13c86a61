"""Kernels that read and change variables. A handle is the variable itself."""

from __future__ import annotations

from typing import Any

from ..api.indexing import gather, gather_nd
from ..api.shapes import shape
from ..base import dtypes
from ..base.errors import NotATensorError
from ..base.types import DTypeLike, TensorLike
from ..values.tensor import IndexedSlices, to_tensor
from ..variables.variable import Variable


def _variable(resource: object) -> Variable:
    if not isinstance(resource, Variable):
        raise NotATensorError(f"A tf.Variable or its handle is needed, got {resource!r}.")
    return resource


def ReadVariableOp(resource: Variable, dtype: DTypeLike, name: str | None = None) -> Any:
    """The value of a variable."""
    return _variable(resource).read_value()


def VariableShape(input: Variable, out_type: DTypeLike = dtypes.int32, name: str | None = None) -> Any:
    """The shape of a variable."""
    return shape(_variable(input), out_type)


def AssignVariableOp(
    resource: Variable, value: TensorLike, validate_shape: bool = False, name: str | None = None
) -> None:
    """Set a variable."""
    _variable(resource).assign(value)


def AssignAddVariableOp(resource: Variable, value: TensorLike, name: str | None = None) -> None:
    """Add to a variable."""
    _variable(resource).assign_add(value)


def AssignSubVariableOp(resource: Variable, value: TensorLike, name: str | None = None) -> None:
    """Subtract from a variable."""
    _variable(resource).assign_sub(value)


def ResourceGather(
    resource: Variable,
    indices: TensorLike,
    dtype: DTypeLike,
    batch_dims: int = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Rows of a variable."""
    return gather(_variable(resource), indices, batch_dims=batch_dims)


def ResourceGatherNd(resource: Variable, indices: TensorLike, dtype: DTypeLike, name: str | None = None) -> Any:
    """Elements of a variable."""
    return gather_nd(_variable(resource), indices)


def _rows(resource: Variable, indices: TensorLike, updates: TensorLike) -> IndexedSlices:
    return IndexedSlices(to_tensor(updates, _variable(resource).dtype), to_tensor(indices))


def ResourceScatterAdd(resource: Variable, indices: TensorLike, updates: TensorLike, name: str | None = None) -> None:
    """Add to rows of a variable."""
    resource.scatter_add(_rows(resource, indices, updates))


def ResourceScatterSub(resource: Variable, indices: TensorLike, updates: TensorLike, name: str | None = None) -> None:
    """Subtract from rows of a variable."""
    resource.scatter_sub(_rows(resource, indices, updates))


def ResourceScatterMul(resource: Variable, indices: TensorLike, updates: TensorLike, name: str | None = None) -> None:
    """Multiply rows of a variable."""
    resource.scatter_mul(_rows(resource, indices, updates))


def ResourceScatterDiv(resource: Variable, indices: TensorLike, updates: TensorLike, name: str | None = None) -> None:
    """Divide rows of a variable."""
    resource.scatter_div(_rows(resource, indices, updates))


def ResourceScatterMax(resource: Variable, indices: TensorLike, updates: TensorLike, name: str | None = None) -> None:
    """Set rows of a variable to the larger numbers."""
    resource.scatter_max(_rows(resource, indices, updates))


def ResourceScatterMin(resource: Variable, indices: TensorLike, updates: TensorLike, name: str | None = None) -> None:
    """Set rows of a variable to the smaller numbers."""
    resource.scatter_min(_rows(resource, indices, updates))


def ResourceScatterUpdate(
    resource: Variable, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> None:
    """Set rows of a variable."""
    resource.scatter_update(_rows(resource, indices, updates))


def ResourceScatterNdAdd(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> None:
    """Add to elements of a variable."""
    _variable(ref).scatter_nd_add(indices, updates)


def ResourceScatterNdSub(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> None:
    """Subtract from elements of a variable."""
    _variable(ref).scatter_nd_sub(indices, updates)


def ResourceScatterNdUpdate(
    ref: Variable,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> None:
    """Set elements of a variable."""
    _variable(ref).scatter_nd_update(indices, updates)
