"""Batches of operators: some of them (`operator[2:4]`), and systems whose batches are broadcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...api.arrays import broadcast_to, reshape
from ..systems import solve
from .sizes import COMPUTED, KNOWN, best, joined


def sliced(matrix_axes: int, slices: tuple[Any, ...], batch_shape: object, parameter: object) -> Any:
    """A parameter, sliced as one with this batch shape would be to which its own is broadcast."""
    if hasattr(parameter, "_sliced"):
        return parameter._sliced(slices, batch_shape)
    return _sliced_tensor(parameter, matrix_axes, slices, batch_shape)


def _sliced_tensor(tensor: Any, matrix_axes: int, slices: tuple[Any, ...], batch_shape: Any) -> Any:
    own = list(tensor.shape[: len(tensor.shape) - matrix_axes])
    missing = len(batch_shape) - len(own)
    if missing and not own:
        return tensor
    if missing:
        tensor, own = reshape(tensor, joined([1] * missing, best(tensor))), [1] * missing + own
    return tensor[
        (*_for_sizes(slices, own, batch_shape), *([] if Ellipsis in slices else [...]), *([slice(None)] * matrix_axes))
    ]


def _for_sizes(slices: tuple[Any, ...], own: list[int | None], batch_shape: Any) -> list[Any]:
    """The slices for axes of which some have one element that stands for many."""
    found, axis = [], 0
    for number, item in enumerate(slices):
        if item is Ellipsis:
            axis = -sum(later is not None for later in slices[number + 1 :])
        elif item is not None:
            if own[axis] == 1 and batch_shape[axis] != 1:
                item = slice(None) if isinstance(item, slice) else 0
            axis += 1
        found.append(item)
    return found


def broadcast_batches(matrices: list[Any]) -> list[Any]:
    """Matrices with the same leading axes."""
    if len({tuple(matrix.shape[:-2]) for matrix in matrices}) == 1 and all(
        matrix.shape[:-2].is_fully_defined() for matrix in matrices
    ):
        return matrices
    known = KNOWN.broadcast(*(matrix.shape[:-2] for matrix in matrices))
    common = known if known.is_fully_defined() else COMPUTED.broadcast(*(COMPUTED.of(m)[:-2] for m in matrices))
    return [broadcast_to(matrix, joined(common, best(matrix)[-2:])) for matrix in matrices]


def solve_by_batches(method: Callable[[Any, Any], Any] | None, matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """The solution of systems whose batches are broadcast, by `method` or by elimination."""
    matrix, rhs = broadcast_batches([matrix, rhs])
    return solve(matrix, rhs, adjoint=adjoint) if method is None else method(matrix, rhs)
