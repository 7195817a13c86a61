"""The backward pass: from the cotangents of targets to those of sources, over the records that a tape holds.

A record is one flat tuple under the identity of the output, written by the op entries (see op.append):

    (pull, n, id 1, ..., id n, what the rules need ..., code object, instruction offset)

`pull(cotangent, record)` gives the cotangents of the n followed inputs. Watched leaves map to None. An op with
several outputs has n negative and its record under the first output; the others hold (None, first id, position,
count). Identities count upward, so descending order is a topological order: the walk takes them off a heap, touches
only what it reaches, and needs no recursion.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from ..base import nest
from ..base.context import ACTIVE, STATE, Paused, Records
from ..base.errors import NotATensorError, invalid
from ..native import background
from ..native.background import Product, Total
from ..native.texts import LARGE
from ..ops.array.index import put
from ..ops.array.layout import concat
from ..ops.math.elementwise import add
from ..ops.math.logic import ones_like, zeros_like
from ..values.tensor import CONVERTERS, EagerTensor, IndexedSlices, Tensor, from_array, identify, to_tensor
from ..variables.variable import Variable
from .nan_safe import pull_safely

_large_sum: Any = add.large


def gradients(
    records: Records, targets: list[Any], sources: list[Any], weights: list[Any] | None, consume: bool
) -> list[Any]:
    """The cotangents of `sources` as tensors, IndexedSlices or None; weights are ones where nothing is given."""
    on_tensors = bool(ACTIVE) and records_now()
    for target in targets:
        value = target if target.__class__ is EagerTensor else getattr(target, "_value", target)
        if value.__class__ is not EagerTensor or value._array.itemsize < 4:
            on_tensors = True  # (NumPy's bfloat16 times a Python float is float32, a tensor's is not)
    if weights is not None and any(weight is not None and weight.__class__ is not EagerTensor for weight in weights):
        on_tensors = True  # directions that are batched
    cotangents: dict[int, Any] = {}
    given: dict[int, Any] = {}
    for position, target in enumerate(targets):
        number = target._id or identify(target)
        if number not in records and not target.dtype.is_differentiable:
            continue  # (an op without any derivative has a record that raises)
        weight = weights[position] if weights is not None else None
        if weight is None:
            start = _ones_like(target, on_tensors)
        else:
            given[number] = weight
            start = weight if on_tensors else weight._array
        cotangents[number] = start if number not in cotangents else cotangents[number] + start
    numbers = [source._id or identify(source) for source in sources]
    found = backpropagate(records, cotangents, numbers, consume, on_tensors)
    return [_finished(found.get(number), given.get(number)) for number in numbers]


def records_now() -> bool:
    """Whether a backward pass must run on tensors, because somebody records it, or there are no arrays."""
    tapes = STATE.tapes
    return (
        bool(STATE.accumulators)
        or (bool(tapes) and any(records.__class__ is not Paused for records in tapes))
        or STATE.trace is not None
    )


def backpropagate(
    records: Records, cotangents: dict[int, Any], sources: list[int], consume: bool, on_tensors: bool
) -> dict[int, Any]:
    """Walk the record downward from the ids in `cotangents`; the cotangents of those `sources` that were reached."""
    wanted = set(sources)
    lowest = min(sources) if sources else 0
    found: dict[int, Any] = {}
    several: dict[int, list[Any]] = {}  # cotangents of ops with several outputs, by the first output's id
    sums: set[int] = set()  # ids whose cotangent is an array made by adding up here: nobody else can see it
    heap = [-number for number in cotangents]
    heapify(heap)
    take: Callable[..., Any] = records.pop if consume else records.get
    nan_safe = STATE.nan_safe
    posting = False
    try:
        while heap:
            number = -heappop(heap)
            if number < lowest:
                break  # no source lies below
            cotangent = cotangents.pop(number, None)
            if number in wanted:
                found[number] = cotangent
            entry = take(number, None)
            if entry is None or number == lowest:
                continue
            if cotangent.__class__ is IndexedSlices:
                cotangent = densify(cotangent)
            pull = entry[0]
            if pull is None:  # one of several outputs: hand the cotangent to the record under the first
                _, first, position, count = entry
                if first not in several:
                    several[first] = [None] * count
                    if first not in cotangents:
                        heappush(heap, -first)
                several[first][position] = cotangent
                continue
            n = entry[1]
            if n < 0:
                n = -n
                cotangent = _all_outputs(cotangent, several.pop(number, None), entry, on_tensors)
            if on_tensors and not nan_safe:
                pull = pull.on_tensors
            try:
                result = pull_safely(pull, cotangent, entry, on_tensors) if nan_safe else pull(cotangent, entry)
            except ValueError as error:
                raise (
                    invalid(f"in the gradient of {entry[0].op.name}: {error}") if hasattr(entry[0], "op") else error
                ) from None
            place = 1
            for part in (result,) if n == 1 else result:
                place += 1
                if part is None:
                    continue
                source = entry[place]
                present = cotangents.get(source)
                if part.__class__ is Product:
                    is_leaf = records.get(source, part) is None  # nobody reads its cotangent before the end
                    if is_leaf and source not in wanted:
                        continue
                    if is_leaf and present.__class__ is Total:
                        present.add(part)
                        continue
                    if is_leaf and present is None:
                        if not posting:
                            background.begin()
                            posting = True
                        part = Total(part)
                    else:
                        part = part.value()
                if present is None:
                    cotangents[source] = part
                    if source not in several:
                        heappush(heap, -source)
                elif present.__class__ is IndexedSlices or part.__class__ is IndexedSlices:
                    cotangents[source] = _sum_slices(present, part)
                elif source in sums:
                    if present.size < LARGE or not _large_sum.into(present, part):
                        np.add(present, part, out=present)
                else:
                    large = present.__class__ is np.ndarray and present.size >= LARGE
                    cotangents[source] = total = _large_sum(present, part) if large else present + part
                    if total.__class__ is np.ndarray:
                        sums.add(source)
    finally:
        if posting:
            background.finish(found)
    return found


def _all_outputs(first: Any, others: list[Any] | None, entry: Any, on_tensors: bool) -> list[Any]:
    """The cotangents of all outputs of an op, zeros where none arrived."""
    specs = entry[-3]
    parts = others if others is not None else [None] * len(specs)
    parts[0] = first
    for position, (shape, dtype) in enumerate(specs):
        if parts[position] is None and -1 not in shape:  # (what a loop has collected, of a size that is not known)
            zeros = np.zeros(shape, dtype)
            parts[position] = from_array(zeros) if on_tensors else zeros
    return parts


def densify(slices: IndexedSlices) -> Any:
    """The dense value of IndexedSlices; rows that repeat are added up."""
    if slices.dense_shape is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {slices}."
        )
    shape = tuple(np.asarray(slices.dense_shape).tolist())
    return put(slices.values, slices.indices, shape=shape, axis=0, batch_dims=0)


CONVERTERS[IndexedSlices] = densify


def _sum_slices(first: Any, second: Any) -> Any:
    """Slices and slices concatenate, slices and dense are dense."""
    if first.__class__ is IndexedSlices and second.__class__ is IndexedSlices:
        # The walk goes backwards: what it met later was computed earlier, and comes first.
        values = concat([second.values, first.values], axis=0)
        return IndexedSlices(values, concat([second.indices, first.indices], axis=0), first.dense_shape)
    if first.__class__ is IndexedSlices:
        return densify(first) + second
    return first + densify(second)


def _ones_like(target: Any, on_tensors: bool) -> Any:
    if target.__class__ is not EagerTensor:
        if not isinstance(target, Variable):
            return ones_like(target)
        target = target._value
    array = target._array
    ones: Any = np.ones(array.shape, array.dtype) if array.__class__ is np.ndarray else array.__class__(1)
    return from_array(ones) if on_tensors else ones


def _finished(cotangent: Any, given: Any) -> Any:
    if isinstance(cotangent, _ARRAYS):
        return given if given is not None and given._array is cotangent else from_array(cotangent)
    if cotangent.__class__ is IndexedSlices:
        parts = (cotangent.values, cotangent.indices, cotangent.dense_shape)
        return IndexedSlices(*(p if isinstance(p, Tensor) else from_array(np.asarray(p)) for p in parts))
    return cotangent


_ARRAYS: Any = (np.ndarray, np.generic)


def zeros_of(source: Any) -> Tensor:
    """Zeros of a source's shape and type (empty strings for strings)."""
    tensor = to_tensor(source)
    if tensor.__class__ is not EagerTensor:
        return zeros_like(tensor)  # type: ignore[no-any-return]
    array = tensor._array
    if array.dtype.kind == "O":
        empty = np.empty(array.shape, object)
        empty[...] = b""
        return from_array(empty)
    return from_array(np.zeros_like(array))


class UnconnectedGradients(enum.Enum):
    """What `gradient` answers for a source that the target does not depend on."""

    NONE = "none"
    ZERO = "zero"


def checked_unconnected(value: Any) -> UnconnectedGradients:
    """The enum member, also from its name."""
    if value.__class__ is UnconnectedGradients:
        return value
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: {value!r}. Use tf.UnconnectedGradients.NONE or ZERO."
        ) from None


def checked_tensors(structure: Any, role: str) -> list[Any]:
    """The leaves of a structure, all of them tensors or variables."""
    if isinstance(structure, (Tensor, Variable)):
        return [structure]
    return [checked_tensor(value, role) for value in nest.flatten(structure)]


def checked_tensor(value: Any, role: str) -> Any:
    """A tensor or variable; anything else cannot be differentiated."""
    if isinstance(value, (Tensor, Variable)):
        return value
    if hasattr(value.__class__, "_differentiable"):  # made of several tensors, one of which has the values
        return value._differentiable()
    raise NotATensorError(
        f"{value!r} of type {type(value).__name__} is no tf.Tensor or tf.Variable and cannot be a {role}. "
        f"Pass the tensor that was computed (a target) or watched (a source), or a list, tuple or dict of them."
    )
