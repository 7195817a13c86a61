"""The backward pass: from the cotangents of targets to those of sources, over the records that a tape holds.

op/record.py says what a record is. Identities count upward, so descending order is a topological order: the walk takes them off
a heap, touches only what it reaches, and needs no recursion.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from time import perf_counter_ns
from typing import Any, TypeAlias

import numpy as np

from ..base import nest
from ..base.context import ACTIVE, STATE, Paused, Record, Records
from ..base.errors import NotATensorError, invalid
from ..base.sizes import Undecided
from ..base.types import MaybeNone
from ..native import background
from ..native.background import Product
from ..op.call import BEGAN, PASSED, PULL_OBSERVERS
from ..op.record import Pull, op_of
from ..ops.math.logic import ones_like, zeros_like
from ..values.composite import COMPOSITES
from ..values.tensor import EagerTensor, IndexedSlices, Tensor, from_array, identify, to_tensor
from ..variables.variable import ResourceVariable, Variable
from .cotangents import Cotangent, Cotangents
from .nan_safe import pull_safely

# What a user gets: `tf.IndexedSlices` for rows that were looked up; None where nothing is connected.
Gradient: TypeAlias = Tensor | MaybeNone


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
    numbers: list[int] = []
    for source in sources:  # (each comprehension would be 1 % of the gradient of a scalar: on Python 3.11 it is a call)
        numbers.append(source._id or identify(source))
    cotangents = Cotangents(records, numbers)
    given: dict[int, Any] = {}
    position = -1  # (counted by hand: `enumerate` is 2 % of the gradient of a scalar)
    for target in targets:
        position += 1
        number = target._id
        if not number:
            continue  # no tape has seen it, and it is no source
        if number not in records and not target.dtype.is_differentiable:
            continue  # (an op without any derivative has a record that raises)
        weight = weights[position] if weights is not None else None
        if weight is None:
            start = _ones_like(target, on_tensors)
        else:
            given[number] = weight
            start = weight if on_tensors else weight._array
        cotangents.add(number, start)
    found = backpropagate(cotangents, consume, on_tensors)
    results: list[Any] = []
    for number in numbers:
        results.append(_finished(found.get(number), given.get(number)))
    return results


def starting_cotangents(records: Records, targets: list[Any], wanted: list[int]) -> Cotangents:
    """Cotangents for a walk on arrays from the sum of the targets to the values with these identities."""
    cotangents = Cotangents(records, wanted)
    for target in targets:
        if target._id in records:
            cotangents.add(target._id, _ones_like(target, on_tensors=False))
    return cotangents


def records_now() -> bool:
    """Whether a backward pass must run on tensors, because it is recorded, or because the values are not arrays."""
    tapes = STATE.tapes
    return (
        bool(STATE.accumulators)
        or (bool(tapes) and any(records.__class__ is not Paused for records in tapes))
        or STATE.trace is not None
    )


def backpropagate(cotangents: Cotangents, consume: bool, on_tensors: bool) -> dict[int, Cotangent | None]:
    """Walk the record downward from the targets, whose cotangents are given; returns those of the sources that were reached."""
    records, wanted, found = cotangents.records, cotangents.wanted, cotangents.found
    arrived, waiting = cotangents.arrived, cotangents.waiting
    lowest = min(wanted) if wanted else 0
    take: Callable[..., Any] = records.pop if consume else records.get
    step: Any = pull_safely if STATE.nan_safe else _pull_on_tensors if on_tensors else None
    if PULL_OBSERVERS:
        step, take = _observed(step), _named_first(take)
    try:
        while waiting:
            number = -heappop(waiting)
            cotangent = arrived.pop(number)
            if number in wanted:
                found[number] = cotangent
            if number <= lowest:
                break  # no source lies below
            record = take(number, None)
            if record is None:
                continue
            # (By index, for speed; op/record.py has the names: `pull_of`, `looks_of_outputs`, `ids_of`.)
            pull = record[0]
            if pull is None or record[1] < 0 or cotangent.__class__ is IndexedSlices:
                cotangent = cotangents.for_rule(number, cotangent, record, on_tensors)
                if cotangent is None:
                    continue  # one of several outputs, which waits for the first
            try:
                parts = pull(cotangent, record) if step is None else step(pull, cotangent, record, on_tensors)
            except ValueError as error:
                raise _named(error, pull) from None
            place = 1
            for part in parts:
                place += 1
                if part is None:
                    continue
                source = record[place]
                if source in arrived or part.__class__ is Product:
                    cotangents.add(source, part)
                else:
                    arrived[source] = part
                    heappush(waiting, -source)
    finally:
        if cotangents.posting:
            background.finish(found)
    return found


def _pull_on_tensors(pull: Pull, cotangent: Any, record: Record, on_tensors: bool) -> Sequence[Any]:
    try:
        return pull.on_tensors(cotangent, record)
    except Undecided:
        if STATE.trace is None:  # (a gradient is being compiled, and has said that it cannot be)
            raise
        return STATE.trace.like_followed(record, cotangent)


def _observed(step: Any) -> Callable[[Any, Any, Record, bool], Sequence[Any]]:
    """The step, shown to who observes backward passes. Products are computed first."""

    def observed(pull: Pull, cotangent: Any, record: Record, on_tensors: bool) -> Sequence[Any]:
        BEGAN[0] = perf_counter_ns()
        parts = pull(cotangent, record) if step is None else step(pull, cotangent, record, on_tensors)
        parts = [part.value() if part.__class__ is Product else part for part in parts]
        for observe in PULL_OBSERVERS:
            observe(pull, cotangent, record, parts)
        return parts

    return observed


def _named_first(take: Callable[..., Any]) -> Callable[..., Any]:
    """The function that gives records, which first says whose record it gives."""

    def taken(number: int, default: object) -> Any:
        PASSED[0] = number
        return take(number, default)

    return taken


def _named(error: ValueError, pull: Pull) -> Exception:
    """The error of a rule, with the name of its op; a rule of the user's raises its own."""
    op = op_of(pull)
    return error if op is None else invalid(f"in the gradient of {op.name}: {error}")


def _ones_like(target: Any, on_tensors: bool) -> Any:
    if target.__class__ is not EagerTensor:
        if not isinstance(target, Variable):
            return ones_like(target)
        target = target._value
    array = target._array
    ones: Any = np.ones(array.shape, array.dtype) if array.__class__ is np.ndarray else array.__class__(1)
    return from_array(ones) if on_tensors else ones


def _finished(cotangent: Any, given: Any = None) -> Any:
    if isinstance(cotangent, _ARRAYS):
        return given if given is not None and given._array is cotangent else from_array(cotangent)
    if cotangent.__class__ is IndexedSlices:
        parts = (cotangent.values, cotangent.indices, cotangent.dense_shape)
        tensor = from_array if STATE.trace is None else _tensor
        return IndexedSlices(*[p if isinstance(p, Tensor) else tensor(np.asarray(p)) for p in parts])
    return cotangent


def _tensor(array: Any) -> Any:
    """An array as a tensor of a trace, which may have sizes that are not known yet."""
    return from_array(array) if array.dtype.kind != "O" else STATE.trace.sized(array)  # type: ignore[union-attr]


_ARRAYS: Any = (np.ndarray, np.generic)


def zeros_of(source: object) -> Tensor:
    """Zeros of a source's shape and type (empty strings for strings)."""
    tensor = to_tensor(source)
    if tensor.__class__ is not EagerTensor:
        return zeros_like(tensor)
    array = tensor._array
    if array.dtype.kind == "O":
        empty = np.empty(array.shape, object)
        empty[...] = b""
        return from_array(empty)
    return from_array(np.zeros_like(array))


def ones_of(source: object) -> Tensor:
    """Ones of a source's shape and type."""
    tensor = to_tensor(source)
    return ones_like(tensor) if tensor.__class__ is not EagerTensor else from_array(np.ones_like(tensor._array))


class UnconnectedGradients(enum.Enum):
    """What `gradient` answers for a source that the target does not depend on.

    >>> import gradtape as tf
    >>> x, y = tf.Variable(1.0), tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     z = y * y
    >>> tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO).numpy()
    np.float32(0.0)
    """

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


_SINGLE = frozenset((EagerTensor, ResourceVariable))  # (`isinstance` takes 1 % of the gradient of a scalar)


def checked_tensors(structure: object, role: str, whole: bool = True) -> list[Any]:
    """The leaves of a structure, all of them tensors or variables; unless `whole`, all tensors of a composite count."""
    if structure.__class__ in _SINGLE or isinstance(structure, (Tensor, Variable)):
        return [structure]
    found: list[Any] = []
    for value in nest.flatten(structure):
        if value.__class__ in _SINGLE:
            found.append(value)
            continue
        kind = None if whole else COMPOSITES.get(value.__class__)
        if kind is not None and kind.gradients is not None:
            found += kind.gradients.of(value)
        else:
            found.append(checked_tensor(value, role))
    return found


def checked_tensor(value: Any, role: str) -> Any:
    """A tensor or variable; anything else cannot be differentiated."""
    if isinstance(value, (Tensor, Variable)):
        return value
    kind = COMPOSITES.get(value.__class__)
    if kind is not None and kind.values is not None and kind.values.followed:
        return kind.values.of(value)
    left = " No tape follows the arrays that `.numpy()` gives." if isinstance(value, np.ndarray | np.generic) else ""
    raise NotATensorError(
        f"{value!r} of type {type(value).__name__} is no tf.Tensor or tf.Variable and cannot be a {role}.{left} "
        f"Pass the tensor that was computed (a target) or watched (a source), or a list, tuple or dict of them."
    )
