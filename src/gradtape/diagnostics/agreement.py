"""Whether the rules that a tape recorded agree: reverse against forward against finite differences, op by op."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.context import Record, nobody_outside
from ..base.dtypes import Array
from ..base.errors import OpError
from ..differentiation.custom import CustomCall
from ..differentiation.forward import push_forward
from ..differentiation.tape import GradientTape
from ..native.background import Product
from ..op.declaration import Op
from ..op.record import ids_of, is_further_output, op_of, place_of, pull_of
from ..values.tensor import EagerTensor, IndexedSlices, from_array, to_tensor
from ..variables.variable import Variable
from .functions import Lines, line_in, recorded_in_steps
from .notebook import framed, preformatted
from .operands import known_values, operands_of
from .places import Where, where_of_record

_TOLERANCE = 2e-3  # float32 rules against differences in float64
_SHOWN = 5  # reasons in the text
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
        """Whether something was checked, if there is something, and all of it agrees."""
        return not self.disagreements and (self.checked > 0 or not self.skipped)

    @property
    def first(self) -> Disagreement | None:
        """The first op that disagrees, in the order of the program."""
        return self.disagreements[0] if self.disagreements else None

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        skipped = f", {len(self.skipped)} could not be checked" if self.skipped else ""
        head = f"{self.checked} of the recorded ops {'was' if self.checked == 1 else 'were'} checked{skipped}: "
        if self.disagreements:
            head += "\n".join(map(str, self.disagreements))
        elif not self.skipped:
            head += "all rules agree."
        else:
            head += "what was checked agrees." if self.checked else "nothing is known of their rules."
        shown = [f"\n  not checked: {each}" for each in self.skipped[:_SHOWN]]
        more = len(self.skipped) - len(shown)
        return head + "".join(shown) + (f"\n  not checked: {more} more, in .skipped" if more else "")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return framed(preformatted(str(self)), good=self.ok)


def check(tape: GradientTape, sources: list[Any]) -> Agreement:
    """Check every record of a tape whose operands are known, and those inside compiled functions."""
    return _check_records(tape, sources, None, np.random.default_rng(0))


def _check_records(tape: GradientTape, sources: list[Any], lines: Lines | None, rng: np.random.Generator) -> Agreement:
    records = tape._records()
    values = known_values(records, [*sources, *(variable._value for variable in tape.watched_variables())])
    variables = {variable._id: variable for variable in tape.watched_variables()}
    checked, skipped, found = 0, list[str](), list[Disagreement]()
    with nobody_outside():
        for number in sorted(records):
            record = records[number]
            if record is None or is_further_output(record):
                continue
            inside = None if lines is None else line_in(lines, number)
            where = inside or where_of_record(number, *place_of(record))
            pull = pull_of(record)
            call: CustomCall | None = getattr(pull, "call", None)
            function = getattr(pull, "function", None)
            given = operands_of(record, values)
            arguments = None if call is None else call.arguments(values)
            if function is not None:
                inner_tape, results, inner_lines = recorded_in_steps(*function)
                inner = _check_records(inner_tape, [*function[1], *results], inner_lines, rng)
                checked, skipped, found = (
                    checked + inner.checked,
                    [*skipped, *inner.skipped],
                    [*found, *inner.disagreements],
                )
                continue
            try:
                if given is not None:
                    op, operands, attributes = given
                    values.setdefault(number, _value(op, operands, attributes))
                    found += _check_op(op, operands, attributes, record, where, rng)
                elif call is not None and arguments is not None:
                    for output, value in zip(itertools.count(number), call.run(arguments), strict=False):
                        values.setdefault(output, value._array)
                    found += _check_custom(call, arguments, variables, record, where, rng)
                else:
                    raise _NotCheckedError("its operands are not kept")
                checked += 1
            except _NotCheckedError as reason:
                name = (
                    f"the custom gradient of {call.name}"
                    if call is not None
                    else getattr(op_of(pull), "name", "a call")
                )
                skipped.append(f"{name} at {where}: {reason}")
    return Agreement(checked, tuple(skipped), tuple(found))


class _NotCheckedError(Exception):
    """Says why a record cannot be checked."""


def _value(op: Op, operands: list[Any], attributes: dict[str, Any]) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(op.eager(*operands, **attributes))


def _check_op(
    op: Op, operands: list[Any], attributes: dict[str, Any], record: Record, where: Where, rng: np.random.Generator
) -> list[Disagreement]:
    followed = pull_of(record).key[0]
    wide = [_wide(value) for value in operands]
    if not all(np.asarray(operands[p]).dtype.kind == "f" for p in followed):
        raise _NotCheckedError("its operands are complex")
    try:
        base = np.asarray(op.eager(*wide, **attributes))
    except (OpError, TypeError, ValueError):
        raise _NotCheckedError("it cannot be computed in float64") from None
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
    if numeric is None and forward is None:
        raise _NotCheckedError(_NO_SLOPE)
    return found


def _forward(
    op: Op,
    operands: list[Any],
    attributes: dict[str, Any],
    result: Array,
    directions: dict[int, Array],
    cotangent: Array,
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


_NO_SLOPE = "it has no slope here (a kink, or a value that is not finite)"


def _check_custom(
    call: CustomCall,
    arguments: list[Any],
    variables: dict[int, Variable],
    record: Record,
    where: Where,
    rng: np.random.Generator,
) -> list[Disagreement]:
    given = {value._id: value for value in arguments if isinstance(value, (EagerTensor, Variable))}
    moving = [given.get(number, variables.get(number)) for number in ids_of(record)]
    known = [value._value._array if isinstance(value, Variable) else getattr(value, "_array", None) for value in moving]
    arrays: list[Array] = [array for array in known if array is not None and array.dtype.kind == "f"]
    if len(arrays) != len(known):
        raise _NotCheckedError("not all that it depends on is a floating argument or variable")
    directions = [rng.standard_normal(array.shape) for array in arrays]

    def outputs(step: float) -> list[Array]:
        moved = [
            from_array((array.astype(np.float64) + step * direction).astype(array.dtype))
            for array, direction in zip(arrays, directions, strict=True)
        ]
        by_id = dict(zip(ids_of(record), moved, strict=True))
        with _holding([each for each in moving if isinstance(each, Variable)], by_id):
            return [
                each._array for each in call.run([by_id.get(getattr(value, "_id", 0), value) for value in arguments])
            ]

    here = outputs(0.0)
    cotangents = [rng.standard_normal(each.shape).astype(each.dtype) for each in here]
    reverse = _reverse(record, list(cotangents), directions)

    def at(step: float) -> float:
        pairs = zip(outputs(step), cotangents, strict=True)
        return sum(float(np.sum(np.asarray(value, np.float64) * weight)) for value, weight in pairs)

    narrow = any(each.dtype != np.float64 for each in (*here, *arrays))
    numeric = _difference(at, 3e-3 if narrow else 1e-6)
    if numeric is None:
        raise _NotCheckedError(_NO_SLOPE)
    if not _differs(reverse, numeric, _ROUGH if narrow else _TOLERANCE, np.ones(1), np.ones(1)):
        return []
    return [
        Disagreement(f"the custom gradient of {call.name}", where, "reverse and finite differences", reverse, numeric)
    ]


@contextmanager
def _holding(variables: list[Variable], values: dict[int, EagerTensor]) -> Iterator[None]:
    """Let variables hold other values in this block."""
    before = [variable._value for variable in variables]
    try:
        for variable in variables:
            moved = from_array(values[variable._id]._array)
            moved._id = variable._id
            variable._value = moved
        yield
    finally:
        for variable, value in zip(variables, before, strict=True):
            variable._value = value


def _difference(at: Callable[[float], float], step: float) -> float | None:
    """The slope, or None at a kink, where it differs from one side to the other."""
    here = at(0.0)
    right, left = (at(step) - here) / step, (here - at(-step)) / step
    if not np.isfinite(right + left) or abs(right - left) > 0.1 * max(abs(right), abs(left), 1e-3):
        return None
    return (right + left) / 2


def _reverse(record: Record, cotangent: object, directions: list[Array]) -> float:
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


def _wide(value: object) -> Any:
    array = np.asarray(value)
    return array.astype(np.float64) if array.dtype.kind == "f" else value
