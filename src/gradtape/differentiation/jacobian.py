"""Jacobians and Hessians: one backward pass over a batch of cotangents, not one pass for each output (unless there are few)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..base.context import STATE, Records, activate, deactivate, remove_identical
from ..base.errors import invalid
from ..base.sizes import UNKNOWN, Undecided
from ..base.types import TensorLike
from ..native import thresholds
from ..op.family import numpy_type, shape_of, with_batch_axis
from ..op.record import is_further_output, saved_by
from ..ops.array.index import getitem
from ..ops.array.layout import concat, permute, reshape
from ..ops.math.reduce import reduce_sum
from ..values.tensor import EagerTensor, IndexedSlices, Tensor, from_array, identify, to_tensor
from .backward import backpropagate, gradients, records_now, zeros_of
from .cotangents import Cotangents
from .slices import densify
from .vectorize import Batched, batch, next_depth, unbatch

# bytes that the values of one batch of cotangents may take; larger batches run in chunks
MEMORY_BOUND = 256 * 2**20


def jacobians(records: Records, target: Any, sources: list[Any]) -> list[Any]:
    """For each source the derivative of every element of the target: target's shape, then the source's; or None."""
    if not target.dtype.is_differentiable:
        return [None] * len(sources)
    try:
        return _jacobians(records, target, sources)
    except Undecided:  # where a rank is not known yet
        if STATE.trace is None or STATE.trace.computes:
            raise
        connected = gradients(records, [target], sources, None, consume=False)
        return [None if found is None else reshape(to_tensor(found), shape=UNKNOWN) for found in connected]


def _jacobians(records: Records, target: Any, sources: list[Any]) -> list[Any]:
    shape = shape_of_value(target)
    size = math.prod(shape)

    def directions(start: int, stop: int) -> Any:
        return _rows_of_identity(start, stop, size, target.dtype.numpy).reshape(stop - start, *shape)

    found = _batched_pass(records, target, sources, size, directions)
    return [None if data is None else as_tensor(reshape(data, shape=(*shape, *shape_of(data)[1:]))) for data in found]


def _rows_of_identity(start: int, stop: int, size: int, dtype: np.dtype[Any]) -> Any:
    """Rows `start` to `stop` of the identity matrix of this size."""
    rows = np.zeros((stop - start, size), dtype)
    rows.reshape(-1)[start :: size + 1] = 1
    return rows


def batch_jacobian_of(records: Records, target: Any, source: object) -> Any:
    """For each entry of the first axis the Jacobian of its row of the target in its row of the source."""
    if not target.dtype.is_differentiable:
        return None
    rows, *inner = shape_of_value(target)
    size = math.prod(inner)

    def directions(start: int, stop: int) -> Any:
        picks = np.zeros((stop - start, rows, size), target.dtype.numpy)
        picks[np.arange(stop - start), :, np.arange(start, stop)] = 1
        return picks.reshape(stop - start, rows, *inner)

    (data,) = _batched_pass(records, target, [source], size, directions)
    if data is None:
        return None
    order = (1, 0, *range(2, len(shape_of(data))))
    return as_tensor(reshape(permute(data, perm=order), shape=(rows, *inner, *shape_of(data)[2:])))


def _batched_pass(
    records: Records, target: object, sources: list[Any], count: int, directions: Callable[[int, int], Any]
) -> list[Any]:
    """The cotangents of the sources for `count` cotangents of the target, with the count as first axis."""
    try:
        return _at_once(records, target, sources, count, directions)
    except Undecided:  # where sizes are not known yet: a trace asks only what is connected
        if STATE.trace is None or STATE.trace.computes:
            raise
        connected = gradients(records, [target], sources, None, consume=False)
        return [None if found is None else with_batch_axis(to_tensor(found), count) for found in connected]


def _at_once(
    records: Records, target: Any, sources: list[Any], count: int, directions: Callable[[int, int], Any]
) -> list[Any]:
    numbers = [identify(source) for source in sources]
    if not count:
        connected = gradients(records, [target], sources, None, consume=False)
        return [
            None if found is None else np.zeros((0, *shape_of_value(source)), source.dtype.numpy)
            for found, source in zip(connected, sources, strict=True)
        ]
    on_tensors = records_now() or target.__class__ is Batched or target.dtype.is_narrow
    if count <= thresholds.JACOBIAN_PASSES and not on_tensors:
        return _one_by_one(records, target, numbers, directions(0, count))
    chunk = max(1, MEMORY_BOUND // max(1, _largest_value(records, target, sources)))
    pieces: list[list[Any]] = []
    depth = next_depth()
    for start in range(0, count, chunk):
        stop = min(start + chunk, count)
        data = directions(start, stop)
        cotangents = Cotangents(records, numbers)
        cotangents.add(identify(target), batch(from_array(data) if on_tensors else data, depth))
        found = backpropagate(cotangents, False, on_tensors)
        pieces.append([None if found.get(n) is None else unbatch(found[n], stop - start, depth) for n in numbers])
    if len(pieces) == 1:
        return pieces[0]
    return [None if parts[0] is None else concat(list(parts), axis=0) for parts in zip(*pieces, strict=True)]


def _one_by_one(records: Records, target: Any, numbers: list[int], directions: Any) -> list[Any]:
    """The same, with a backward pass for each cotangent."""
    passes = []
    for direction in directions:
        cotangents = Cotangents(records, numbers)
        cotangents.add(identify(target), direction)
        passes.append(backpropagate(cotangents, False, False))
    found: list[list[Any]] = [[one.get(number) for one in passes] for number in numbers]
    return [
        None if parts[0] is None else np.stack([densify(p) if p.__class__ is IndexedSlices else p for p in parts])
        for parts in found
    ]


def _largest_value(records: Records, target: object, sources: list[Any]) -> int:
    """Bytes of the largest value among target, sources and what the records keep: a bound for one cotangent."""
    largest = max(getattr(records, "largest", 0), *(nbytes(value) for value in (target, *sources)))
    for record in records.values():
        if record is not None and not is_further_output(record):
            for kept in saved_by(record):
                if kept.__class__ is EagerTensor and kept._array.nbytes > largest:
                    largest = kept._array.nbytes
    return largest


def nbytes(value: Any) -> int:
    """Bytes of a tensor's or variable's value."""
    count = math.prod(shape_of_value(value))
    return count * int(value.dtype.size)


def shape_of_value(value: object) -> tuple[int, ...]:
    """The shape of the present value of a tensor or variable."""
    return shape_of(to_tensor(value))


def as_tensor(data: TensorLike) -> Tensor:
    """An array as a tensor."""
    return data if isinstance(data, Tensor) else from_array(np.asarray(data))


# --- second order ----------------------------------------------------------------------------------------------------


def recorded_gradients(records: Records, target: object, sources: list[Any]) -> tuple[Records, list[Any]]:
    """The gradients, and records that continue through them.

    The backward pass runs on tensors while a copy of the record is open as a tape: what the pass computes from
    followed values is appended there, so the gradient can be differentiated as if it had been taken in the context.
    """
    copy: Records = records.copy()
    STATE.tapes.append(copy)
    activate(copy)
    try:
        found = gradients(records, [target], sources, None, consume=False)
        # (Slices become dense inside: that is a step on the way too.)
        found = [None if gradient is None else to_tensor(gradient) for gradient in found]
    finally:
        deactivate(copy)
        remove_identical(STATE.tapes, copy)
    return copy, found


def hessians_of(records: Records, target: object, sources: list[Any]) -> list[list[Any]]:
    """The second derivatives of a scalar target by each pair of sources: the shape of the first, then of the second.

    Zeros where the target is linear, None where it is not connected to one of the two.
    """
    extended, found = recorded_gradients(records, target, sources)
    connected = [source for gradient, source in zip(found, sources, strict=True) if gradient is not None]

    def row(first: object, gradient: object) -> Iterator[Any]:
        blocks = iter(jacobians(extended, gradient, connected))
        for gradient_of_second, second in zip(found, sources, strict=True):
            block = None if gradient_of_second is None else next(blocks)
            if gradient_of_second is not None and block is None:
                shape = (*shape_of_value(first), *shape_of_value(second))
                block = from_array(np.zeros(shape, second.dtype.numpy))
            yield block

    return [
        [None] * len(sources) if gradient is None else list(row(source, gradient))
        for source, gradient in zip(sources, found, strict=True)
    ]


def hessian_vector_products(records: Records, target: object, sources: list[Any], vectors: list[Any]) -> list[Any]:
    """The Hessian in all sources together times vectors of their shapes, without the Hessian."""
    weights = []
    for source, vector in zip(sources, vectors, strict=True):
        weight = to_tensor(vector, source.dtype)
        if tuple(weight.shape) != shape_of_value(source):
            raise invalid(f"hvp: a vector must have its source's shape {shape_of_value(source)}, got {weight.shape}.")
        weights.append(weight)
    extended, found = recorded_gradients(records, target, sources)
    connected = [(g, w) for g, w in zip(found, weights, strict=True) if g is not None]
    products = gradients(extended, [g for g, _ in connected], sources, [w for _, w in connected], consume=True)
    return [
        None if gradient is None else zeros_of(source) if product is None else to_tensor(product)
        for gradient, product, source in zip(found, products, sources, strict=True)
    ]


def hessian_diagonal_of(records: Records, target: object, source: object) -> Any:
    """The second derivative in each element of the source, in chunks of rows: the whole matrix is never in memory."""
    extended, (gradient,) = recorded_gradients(records, target, [source])
    if gradient is None:
        return None
    try:
        return _diagonal(extended, gradient, source)
    except (
        Undecided
    ):  # where sizes are not known yet: it has the shape of the source, and depends on what its gradient does
        if STATE.trace is None or STATE.trace.computes:
            raise
        (second,) = gradients(extended, [gradient], [source], None, consume=False)
        return zeros_of(source) if second is None else to_tensor(second)


def _diagonal(extended: Records, gradient: Any, source: Any) -> Any:
    shape = shape_of_value(source)
    size = math.prod(shape)
    pieces = list(_diagonal_pieces(extended, gradient, source, size))
    if not pieces or pieces[0] is None:
        return from_array(np.zeros(shape, source.dtype.numpy))
    return as_tensor(reshape(concat(pieces, axis=0), shape=shape))


def _diagonal_pieces(records: Records, gradient: object, source: object, size: int) -> Iterator[Any]:
    chunk = max(1, min(size, MEMORY_BOUND // max(1, _largest_value(records, gradient, [source]))))
    for start in range(0, size, chunk):
        stop = min(start + chunk, size)

        def directions(first: int, last: int, offset: int = start) -> Any:
            rows = _rows_of_identity(offset + first, offset + last, size, numpy_type(gradient))
            return rows.reshape(last - first, *shape_of(gradient))

        (data,) = _batched_pass(records, gradient, [source], stop - start, directions)
        if data is None:
            yield None
            return
        rows = reshape(data, shape=(stop - start, size))
        band = getitem(rows, key=(slice(None), slice(start, stop)))
        yield reduce_sum(band * np.eye(stop - start, dtype=numpy_type(gradient)), axis=1, keepdims=False)
