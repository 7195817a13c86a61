"""Shapes and types of recorded values. A record keeps what its rules need, so many are inferred from their neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...base.context import Record, Records
from ...base.types import Look
from ...op.abstract import Abstract, infer
from ...op.record import ids_of, is_further_output, looks_of_outputs, op_of, pull_of, saved_by
from ...values.tensor import EagerTensor
from ..operands import saved_tensors


def looks_of(records: Records, known: dict[int, Look]) -> dict[int, Look]:
    """The looks of values by identity: of those that are held, and of those that follow from them; `known` are given."""
    looks = dict(known)
    ordered = sorted((number, record) for number, record in records.items() if record and not is_further_output(record))
    for number, record in ordered:
        for tensor in saved_tensors(record):
            if tensor._id:
                looks.setdefault(tensor._id, (tensor._array.shape, tensor._array.dtype))
        outputs = looks_of_outputs(record)
        if outputs is not None:
            looks.update(zip(range(number, number + len(outputs)), outputs, strict=True))
    for _ in range(2):  # what is found backwards may lead on forwards
        for number, record in ordered:
            if number not in looks:
                look = _of_result(record, looks)
                if look is not None:
                    looks[number] = look
        for number, record in reversed(ordered):
            _to_operands(number, record, looks)
    return looks


def text_of(look: Look | None) -> str:
    """A look in words: "float32 [2, 3]"."""
    if look is None:
        return ""
    shape, dtype = look
    return f"{dtype.name} [{', '.join(map(str, shape))}]"


def _kept(record: Record) -> dict[str, Any] | None:
    """What a record keeps, by the names of its rules; None for what is no plain op."""
    pull = pull_of(record)
    op = op_of(pull)
    if op is None or op.variadic or op.outputs != 1 or not hasattr(pull, "key"):
        return None
    followed, _, broadcast, _ = pull.key
    return dict(zip(op.saved_names(followed, broadcast), saved_by(record), strict=False))


def _of_result(record: Record, looks: dict[int, Look]) -> Look | None:
    kept = _kept(record)
    if kept is None:
        return None
    op, (followed, _, broadcast, _) = pull_of(record).op, pull_of(record).key
    given = dict(zip(followed, ids_of(record), strict=True))
    if "out_shape" in kept and given and (first := looks.get(ids_of(record)[0])) is not None and not op.retypes:
        return kept["out_shape"], first[1]
    if op.broadcasts and not broadcast:
        return _first(looks.get(number) for number in ids_of(record))
    operands: list[Abstract] = []
    for place, name in enumerate(op.arguments):
        look = looks.get(given[place]) if place in given else None
        value = kept.get(name)
        if look is not None:
            operands.append(Abstract(*look))
        elif value is not None:
            operands.append(Abstract.of(value._array if value.__class__ is EagerTensor else value))
        elif f"{name}_shape" in kept and operands:
            operands.append(Abstract(kept[f"{name}_shape"], operands[0].dtype))
        elif name in op.optional:
            break
        else:
            return None
    if any(name not in kept for name in op.attributes):
        return None
    try:
        (found,) = infer(op, operands, {name: kept[name] for name in op.attributes}) or (None,)
    except Exception:  # an operand that was only guessed
        return None
    if found is None or found.known is None:
        return None
    sizes = tuple(size for size in found.known if isinstance(size, int))
    return (sizes, found.dtype) if len(sizes) == len(found.known) else None


def _to_operands(number: int, record: Record, looks: dict[int, Look]) -> None:
    """The looks of operands, from shapes that are kept for the rules, or from a result of the same shape."""
    kept = _kept(record)
    if kept is None:
        return
    op, (followed, _, broadcast, _) = pull_of(record).op, pull_of(record).key
    result = looks.get(number)
    for place, operand in zip(followed, ids_of(record), strict=True):
        shape = kept.get(f"{op.arguments[place]}_shape")
        if operand in looks or result is None:
            continue
        if shape is not None:
            looks[operand] = (shape, result[1])
        elif op.broadcasts and not broadcast and not op.retypes:
            looks[operand] = result


def _first(looks: Iterable[Look | None]) -> Look | None:
    return next((look for look in looks if look is not None), None)
