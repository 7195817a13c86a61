"""Whether the rules that a tape recorded agree: reverse against forward against finite differences, op by op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.context import Record, nobody_outside
from ..base.dtypes import Array
from ..base.errors import OpError
from ..differentiation.forward import push_forward
from ..native.background import Product
from ..op.record import ids_of, is_further_output, op_of, place_of, pull_of
from ..values.tensor import EagerTensor, IndexedSlices, from_array, to_tensor
from .operands import known_values, operands_of
from .places import Where, where_of_record

_TOLERANCE = 2e-3  # float32 rules against differences in float64
_ROUGH = 3e-2  # against differences in float32, for functions of users


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An op whose rules do not agree."""

    op: str
    where: Where
    between: str  # "reverse and finite differences", "reverse and forward"
    reverse: float
    other: float

    @property
    def error(self) -> float:
        """The relative size of the difference."""
        return abs(self.reverse - self.other) / max(abs(self.reverse), abs(self.other), 1e-12)

    def __str__(self) -> str:
        return (
            f"{self.op} at {self.where}: {self.where.text}\n  {self.between} disagree: {self.reverse:.6g} and {self.other:.6g} "
            f"along a random direction, an error of {self.error:.2g}"
        )


@dataclass(frozen=True, slots=True)
class Agreement:
    """What `tape.check` found: how many records were checked, which were not and why, and what disagrees, the first op first."""

    checked: int
    skipped: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]

    @property
    def ok(self) -> bool:
        """Whether everything that was checked agrees."""
        return not self.disagreements

    @property
    def first(self) -> Disagreement | None:
        """The first op that disagrees, in the order of the program."""
        return self.disagreements[0] if self.disagreements else None

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        skipped = f", {len(self.skipped)} could not be checked" if self.skipped else ""
        head = f"{self.checked} of the recorded ops were checked{skipped}: "
        if self.ok:
            return head + "all rules agree."
        return head + "\n".join(map(str, self.disagreements))

    __repr__ = __str__


def check(tape: Any, sources: list[Any]) -> Agreement:
    """Check every record of a tape whose operands are known."""
    records = tape._records()
    values = known_values(records, [*sources, *(variable._value for variable in tape.watched_variables())])
    rng = np.random.default_rng(0)
    checked, skipped, found = 0, [], []
    with nobody_outside():
        for number in sorted(records):
            record = records[number]
            if record is None or is_further_output(record):
                continue
            where = where_of_record(number, *place_of(record))
            call = getattr(pull_of(record), "call", None)
            given = operands_of(record, values)
            if given is not None:
                op, operands, attributes = given
                values.setdefault(number, _value(op, operands, attributes))
                wrong = _check_op(op, operands, attributes, record, where, rng)
            elif call is not None and call.arguments() is not None:
                wrong = _check_custom(call, record, where, rng)
            else:
                op_name = getattr(op_of(pull_of(record)), "name", "a compiled function")
                skipped.append(f"{op_name} at {where}: its operands are not kept")
                continue
            checked += 1
            found += wrong
    return Agreement(checked, tuple(skipped), tuple(found))


def _value(op: Any, operands: list[Any], attributes: dict[str, Any]) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(op.eager(*operands, **attributes))


def _check_op(
    op: Any, operands: list[Any], attributes: dict[str, Any], record: Record, where: Where, rng: Any
) -> list[Disagreement]:
    followed = pull_of(record).key[0]
    wide = [_wide(value) for value in operands]
    if not all(np.asarray(operands[p]).dtype.kind == "f" for p in followed):
        return []  # complex directions have rules of their own, which the registry's tests check
    try:
        base = np.asarray(op.eager(*wide, **attributes))
    except (OpError, TypeError, ValueError):
        return []
    result = np.asarray(op.eager(*operands, **attributes))
    cotangent = rng.standard_normal(base.shape)
    directions = {p: rng.standard_normal(np.shape(operands[p])) for p in followed}
    reverse = _reverse(record, cotangent.astype(result.dtype), [directions[p] for p in followed])

    def at(step: float) -> float:
        moved = [value + step * directions[p] if p in directions else value for p, value in enumerate(wide)]
        return float(np.sum(np.asarray(op.eager(*moved, **attributes)) * cotangent))

    with np.errstate(all="ignore"):
        numeric = _difference(at, 1e-6)
    found = []
    if numeric is not None and _differs(reverse, numeric, _TOLERANCE, base, cotangent):
        found.append(Disagreement(op.name, where, "reverse and finite differences", reverse, numeric))
    forward = _forward(op, operands, attributes, result, directions, cotangent)
    if forward is not None and _differs(reverse, forward, _TOLERANCE, base, cotangent):
        found.append(Disagreement(op.name, where, "reverse and forward", reverse, forward))
    return found


def _forward(
    op: Any, operands: list[Any], attributes: dict[str, Any], result: Array, directions: Any, cotangent: Array
) -> float | None:
    if not all(op.arguments[p] in op.jvps or op.arguments[p] in op.linear_in for p in directions):
        return None
    dtype = np.asarray(operands[next(iter(directions))]).dtype
    inputs = tuple(
        to_tensor(np.asarray(value, dtype) if np.ndim(value) == 0 else np.asarray(value)) for value in operands
    )
    tangents = [from_array(directions[p].astype(dtype)) if p in directions else None for p in range(len(operands))]
    (pushed,) = push_forward(op, inputs, attributes, (from_array(result),), tangents)
    return 0.0 if pushed is None else float(np.sum(np.asarray(pushed._array, np.float64) * cotangent))


def _check_custom(call: Any, record: Record, where: Where, rng: Any) -> list[Disagreement]:
    arguments = call.arguments()
    tensors = [value for value in arguments if isinstance(value, EagerTensor) and value.dtype.is_floating]
    moving = [value for value in tensors if value._id in ids_of(record)]
    directions = {value._id: rng.standard_normal(np.shape(value._array)) for value in moving}

    def outputs(step: float) -> list[Array]:
        moved = [
            _moved(value, step * directions[value._id]) if _is_one(value, directions) else value for value in arguments
        ]
        return [np.asarray(each._array, np.float64) for each in call.run(moved)]

    cotangents = [rng.standard_normal(each.shape) for each in outputs(0.0)]
    ids = ids_of(record)
    if len(moving) != len(ids):
        return []  # variables that the function reads
    ordered = [directions[number] for number in ids]
    given = [each.astype(np.float32) for each in cotangents]
    reverse = _reverse(record, given, ordered)

    def at(step: float) -> float:
        return sum(float(np.sum(value * weight)) for value, weight in zip(outputs(step), cotangents, strict=True))

    numeric = _difference(at, 1e-2)
    if numeric is None or not _differs(reverse, numeric, _ROUGH, np.ones(1), np.ones(1)):
        return []
    return [
        Disagreement(f"the custom gradient of {call.name}", where, "reverse and finite differences", reverse, numeric)
    ]


def _is_one(value: Any, directions: dict[int, Array]) -> bool:
    return isinstance(value, EagerTensor) and value._id in directions


def _moved(tensor: EagerTensor, by: Array) -> EagerTensor:
    return from_array((np.asarray(tensor._array, np.float64) + by).astype(tensor._array.dtype))


def _difference(at: Callable[[float], float], step: float) -> float | None:
    """The slope, or None at a kink, where it differs from one side to the other."""
    here = at(0.0)
    right, left = (at(step) - here) / step, (here - at(-step)) / step
    if not np.isfinite(right + left) or abs(right - left) > 0.1 * max(abs(right), abs(left), 1e-3):
        return None
    return (right + left) / 2


def _reverse(record: Record, cotangent: Any, directions: list[Array]) -> float:
    total = 0.0
    for part, direction in zip(pull_of(record)(cotangent, record), directions, strict=True):
        part = part.value() if part.__class__ is Product else part
        part = to_tensor(part)._array if isinstance(part, IndexedSlices) else getattr(part, "_array", part)
        total += 0.0 if part is None else float(np.sum(np.asarray(part, np.float64) * direction))
    return total


def _differs(one: float, other: float, tolerance: float, base: Array, cotangent: Array) -> bool:
    scale = max(
        abs(one), abs(other), 1e-2 * float(np.max(np.abs(base), initial=0.0)) * float(np.size(cotangent)) ** 0.5, 1e-3
    )
    return bool(abs(one - other) > tolerance * scale)


def _wide(value: Any) -> Any:
    array = np.asarray(value)
    return array.astype(np.float64) if array.dtype.kind == "f" else value
