"""What the records of a tape still hold of the values: tensors by identity, and the operands of an op."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..base.context import Record, Records
from ..base.dtypes import Array
from ..op.declaration import Op
from ..op.record import ids_of, is_further_output, op_of, pull_of, saved_by
from ..values.tensor import EagerTensor


def saved_tensors(record: Record | None) -> Iterator[EagerTensor]:
    """The tensors that a record keeps for its rules."""
    if record is None or is_further_output(record):
        return
    for value in saved_by(record):
        for each in value if isinstance(value, (tuple, list)) else (value,):
            if each.__class__ is EagerTensor:
                yield each


def known_values(records: Records, others: list[Any]) -> dict[int, Array]:
    """The values that the records hold, by identity, and those of other tensors."""
    found: dict[int, Array] = {t._id: t._array for t in others if t.__class__ is EagerTensor and t._id}
    for record in records.values():
        given = (
            () if record is None or is_further_output(record) else getattr(pull_of(record), "function", (None, ()))[1]
        )
        for tensor in (*saved_tensors(record), *given):  # (what a compiled function was called with)
            if tensor._id and tensor.__class__ is EagerTensor:
                found[tensor._id] = tensor._array
    return found


def operands_of(record: Record, values: dict[int, Array]) -> tuple[Op, list[Any], dict[str, Any]] | None:
    """The op of a record, its operands as arrays or numbers, and its attributes; None where one is not known any more."""
    pull = pull_of(record)
    op = op_of(pull)
    if op is None or op.variadic or op.outputs != 1 or not hasattr(pull, "key"):
        return None
    followed, _, broadcast, _ = pull.key
    kept = dict(zip(op.saved_names(followed, broadcast), saved_by(record), strict=False))
    operands: list[Any] = []
    for place, name in enumerate(op.arguments):
        value = values.get(ids_of(record)[followed.index(place)]) if place in followed else kept.get(name)
        value = value._array if value.__class__ is EagerTensor else value
        if value is None:
            return None
        operands.append(value)
    if "axis" in kept and kept["axis"] is None:  # (then an axis that is kept or not makes no difference to the numbers)
        kept.setdefault("keepdims", False)
    if any(name not in kept for name in op.attributes):
        return None
    return op, operands, {name: kept[name] for name in op.attributes}
