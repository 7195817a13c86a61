"""Where a NaN or an infinity began: the first op forward, the first rule backward, and the rewrite for known patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..base.context import STATE, Record, Records, nobody_outside
from ..base.dtypes import Array
from ..base.errors import NonFiniteError
from ..base.frames import program_frame
from ..differentiation.backward import backpropagate, checked_tensors, starting_cotangents
from ..differentiation.custom import CustomCall
from ..differentiation.tape import GradientTape
from ..native.background import Product
from ..op.call import PASSED, PULL_OBSERVERS, STEPWISE
from ..op.declaration import Op
from ..op.entry import observe_ops, unobserve_ops
from ..op.record import ids_of, is_further_output, op_of, place_of, pull_of, saved_by
from ..values.tensor import EagerTensor, IndexedSlices, to_tensor
from ..variables.variable import Variable
from . import patterns, repairs
from .functions import Lines, line_in, recorded_in_steps
from .notebook import framed, preformatted
from .operands import known_values, operands_of, saved_tensors
from .places import Where, where_of, where_of_record
from .reading import Reading


@dataclass(frozen=True, slots=True)
class Range:
    """What is known of an array: its finite range, and how many elements are not finite."""

    low: float
    high: float
    nans: int
    infs: int
    size: int
    dtype: str

    def __str__(self) -> str:
        odd = [f"{count} {word}" for count, word in ((self.nans, "nan"), (self.infs, "inf")) if count]
        span = f"{self.low:.4g}" if self.low == self.high else f"{self.low:.4g} to {self.high:.4g}"
        span = "nothing finite" if np.isnan(self.low) else span
        return (
            f"{span} ({self.dtype}, {self.size} element{'s' * (self.size != 1)}{''.join(f', {each}' for each in odd)})"
        )


def range_of(array: object) -> Range:
    """The range of an array."""
    values = np.asarray(array)
    real = np.abs(values) if values.dtype.kind == "c" else values
    finite = real[np.isfinite(real)] if real.ndim else real[None][np.isfinite(real[None])]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (np.nan, np.nan)
    nans = int(np.isnan(real).sum())
    infs = int(np.isinf(real).sum())
    return Range(low, high, nans, infs, int(real.size), str(values.dtype))


@dataclass(frozen=True, slots=True)
class Origin:
    """The op that made the first value that is not finite, forward or backward."""

    op: str
    backward: bool
    where: Where
    word: str  # "NaN" or "Inf"
    operands: tuple[tuple[str, Range], ...]
    reason: str = ""
    repair: str = ""
    repair_where: Where | None = None  # the line that the repair replaces, where it is another one

    def lines(self) -> list[str]:
        """The origin as text."""
        doing = f"the gradient of {self.op}" if self.backward else self.op
        lines = [f"{'Backward' if self.backward else 'Forward'}: the first {self.word} comes from {doing}."]
        lines += [f"  {self.where}", f"    {self.where.text}"]
        lines += [f"  {name}: {known}" for name, known in self.operands]
        if self.reason:
            lines.append(f"  {self.reason}")
        if self.repair:
            instead = "Instead" if self.repair_where is None else f"Instead of line {self.repair_where.line}"
            lines += [f"  {instead}:", *(f"    {line}" for line in self.repair.splitlines())]
        return lines


@dataclass(frozen=True, slots=True)
class NonFinite:
    """What `tape.explain_nonfinite` found. `forward` and `backward` are None where all values are finite.

    >>> import gradtape as tf
    >>> x = tf.Variable(0.0)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.math.log(x)
    >>> found = tape.explain_nonfinite(y, x)
    >>> bool(found), found.first.op
    (True, 'log')

    Args:
        forward: Where the first value that is not finite began.
        backward: Where the first gradient that is not finite began.
    """

    forward: Origin | None
    backward: Origin | None

    @property
    def first(self) -> Origin | None:
        """Where to begin: the forward pass, if it has a value that is not finite, else the backward pass."""
        return self.forward or self.backward

    def __bool__(self) -> bool:
        return self.first is not None

    def __str__(self) -> str:
        if self.first is None:
            return "All values and gradients are finite."
        found = [origin for origin in (self.forward, self.backward) if origin is not None]
        if self.forward is not None and self.backward is not None:
            found = found[:1]  # what comes back from it is not finite either
        return "\n".join(line for origin in found for line in origin.lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return framed(preformatted(str(self)), good=self.first is None)


def explain_nonfinite(tape: GradientTape, target: object, sources: object) -> NonFinite:
    """The first value that is not finite, forward and backward, on the way from the sources to the target."""
    records = tape._tape
    if records is None:
        frame = program_frame(1)
        raise RuntimeError(_gone(tape, Reading(frame.f_code, frame.f_lasti)))
    targets, flat = checked_tensors(target, "target"), checked_tensors(sources, "source")
    return _found_in(records, targets, flat, None, [*flat, *tape.watched_variables()])


def _gone(tape: GradientTape, reading: Reading) -> str:
    """What to change where the records are gone."""
    if not tape._spent:
        return "This tape holds no record: it was not entered yet. Use it in `with tf.GradientTape() as tape:`."
    opening = reading.opening()
    changed = repairs.persistent(opening)
    instead = f"At {opening} write\n  {changed}\n" if changed else "Make it with tf.GradientTape(persistent=True), "
    return (
        "The values of this tape are gone: it is not persistent, and its one gradient has been taken. "
        f"{instead}or ask above the call of `gradient`. To learn where a gradient became nan without asking each tape: "
        "tf.debugging.enable_check_numerics(), or `gradtape explain script.py`."
    )


def _found_in(
    records: Records, targets: list[Any], flat: list[Any], lines: Lines | None, leaves: list[Any]
) -> NonFinite:
    held = [each._value if isinstance(each, Variable) else each for each in leaves]
    values = known_values(records, [*held, *targets])
    # (What tf.where does not choose may be anything: only a target that is not finite asks for its origin.)
    forward = None if all(is_finite(dense(each)) for each in targets) else _first_forward(records, values, lines)
    return NonFinite(forward, _first_backward(records, targets, flat, values, lines))


def is_finite(array: object) -> bool:
    """Whether all elements are; what holds no numbers is finite."""
    values = np.asarray(array)
    return values.dtype.kind not in "fcV" or bool(np.all(np.isfinite(values)))


def _first_forward(records: Records, values: dict[int, Array], lines: Lines | None) -> Origin | None:
    for number, record in _computed(records, values):
        if not is_finite(values[number]):
            result = values[number]
            number, record = _made_by(records, number, record, values)
            return _origin(records, number, record, values, result, None, lines)
    return None


def _made_by(records: Records, number: int, record: Record, values: dict[int, Array]) -> tuple[int, Record]:
    """Where the one unknown operand of an op was made that itself makes NaN only of what is not finite."""
    while True:
        op, operands = op_of(pull_of(record)), [i for i in ids_of(record) if i not in values]
        if op is None or op.name not in patterns.CARRYING or len(operands) != 1:
            return number, record
        before = records.get(operands[0])
        known = [values[i] for i in ids_of(record) if i in values] + [each._array for each in saved_tensors(record)]
        if before is None or is_further_output(before) or not all(is_finite(each) for each in known):
            return number, record
        number, record = operands[0], before


def _computed(records: Records, values: dict[int, Array]) -> Iterator[tuple[int, Record]]:
    """The records in the order of the program; the values of those that no record holds are computed again, where they can be."""
    for number in sorted(records):
        record = records[number]
        if record is None or is_further_output(record):
            continue  # a leaf, or a further output of an op
        given = None if number in values else operands_of(record, values)
        if given is not None:
            op, operands, attributes = given
            with np.errstate(all="ignore"):
                values[number] = np.asarray(op.eager(*operands, **attributes))
        if number in values:
            yield number, record


class _Checked:
    """A pull that remembers the first result that is not finite although its cotangent is."""

    def __init__(self, pull: Any, number: int, found: list[Any]) -> None:
        self._pull, self._number, self._found = pull, number, found
        self.on_tensors = pull.on_tensors
        self.op = op_of(pull)

    def __call__(self, cotangent: Any, record: Record) -> Any:
        parts = [part.value() if part.__class__ is Product else part for part in self._pull(cotangent, record)]
        if not self._found:
            given = cotangent if isinstance(cotangent, list) else [cotangent]
            bad = next((part for part in parts if part is not None and not is_finite(dense(part))), None)
            if bad is not None and all(is_finite(each) for each in given if each is not None):
                self._found.append((self._number, given[0], dense(bad)))
        return parts


def dense(part: object) -> Any:
    """The numbers of a cotangent."""
    part = part.values if isinstance(part, IndexedSlices) else part
    return part._array if part.__class__ is EagerTensor else part


def _first_backward(
    records: Records, targets: list[Any], sources: list[Any], values: dict[int, Array], lines: Lines | None
) -> Origin | None:
    found: list[Any] = []
    checked: Records = {}
    for number, record in records.items():
        if record is None or is_further_output(record):
            checked[number] = record
        else:
            checked[number] = (_Checked(pull_of(record), number, found), *record[1:])
    backpropagate(starting_cotangents(checked, targets, [s._id for s in sources]), consume=False, on_tensors=False)
    if not found:
        return None
    number, cotangent, result = found[0]
    record = records[number]
    assert record is not None
    return _origin(records, number, record, values, result, cotangent, lines)


def _origin(
    records: Records,
    number: int,
    record: Record,
    values: dict[int, Array],
    result: Any,
    cotangent: Any,
    lines: Lines | None,
) -> Origin:
    inner = _inside_function(record, cotangent is not None) or _inside_custom(records, record, values, cotangent)
    if inner is not None:
        return inner
    op = op_of(pull_of(record))
    inside = None if lines is None else line_in(lines, number)
    where = inside or where_of_record(number, *place_of(record))
    word = "NaN" if np.isnan(result).any() else "Inf"
    known = [(f"operand {place}", values[i]) for place, i in enumerate(ids_of(record), 1) if i in values]
    others = [each for each in saved_tensors(record) if each._id not in (*ids_of(record), number)]
    if cotangent is None:  # what it gave is no operand
        others = [each for each in others if not np.array_equal(each._array, result, equal_nan=True)]
    known += [("kept for the rule", each._array) for each in others]
    if cotangent is not None:
        known.append(("cotangent", cotangent))
    facts = patterns.Facts(
        op.name if op is not None else "function",
        where,
        cotangent is not None,
        [np.asarray(array) for _, array in known if np.asarray(array).dtype.kind in "fc"],
        np.asarray(result),
        None if cotangent is None else np.asarray(cotangent),
        frozenset(op.name for op, _, _ in _consumers(records, number)),
        _given(record, op, values),
        *(_use(records, number) if inside is None else ("", None)),
    )
    reason, repair = patterns.known(facts)
    ranges = tuple((name, range_of(array)) for name, array in known)
    elsewhere = facts.logarithm if repair and facts.op == "exp" else None
    return Origin(facts.op, facts.backward, where, word, ranges, reason, repair, elsewhere)


def _given(record: Record, op: Op | None, values: dict[int, Array]) -> tuple[Array | None, ...]:
    """The operands by their place, as far as they are known."""
    pull = pull_of(record)
    if op is None or op.variadic or not hasattr(pull, "key"):
        return ()
    followed, _, broadcast, _ = pull.key
    kept = dict(zip(op.saved_names(followed, broadcast), saved_by(record), strict=False))
    found = []
    for place, name in enumerate(op.arguments):
        value = values.get(ids_of(record)[followed.index(place)]) if place in followed else kept.get(name)
        array = getattr(value, "_array", value)
        found.append(None if array is None or np.asarray(array).dtype.kind not in "fc" else np.asarray(array))
    return tuple(found)


_MOVING = ("reshape", "expand_dims", "squeeze", "getitem", "slice", "strided_slice", "take", "gather", "identity")


def _use(records: Records, number: int) -> tuple[str, Where | None]:
    """What became of an exponential, and the place of the logarithm of its shares."""
    sums, shares, logarithms, others = {number: False}, set[int](), list[tuple[Record, int]](), 0
    logarithm_of_sum = 0
    for op, ids, output in sorted(_uses(records), key=lambda use: use[2]):
        record = records[output]
        assert record is not None
        whole = [i for i in ids if sums.get(i)]
        is_share = op.name == "divide" and len(ids) == 2 and ids[0] == number and sums.get(ids[1])
        if (op.name == "reduce_sum" and ids == (number,)) or (op.name in _MOVING and whole):
            sums[output] = True
        elif is_share or (op.name in _MOVING and shares.intersection(ids)):
            shares.add(output)
        elif op.name == "log" and shares.intersection(ids):
            logarithms.append((record, output))
        elif op.name == "log" and whole:
            logarithm_of_sum += 1
        elif number in ids or whole:
            others += 1
    if others or len(logarithms) > 1:
        return "", None
    if logarithm_of_sum:
        return ("logarithm", None) if not shares else ("", None)
    if not shares:
        return "", None
    return "shares", where_of_record(logarithms[0][1], *place_of(logarithms[0][0])) if logarithms else None


def _inside_custom(records: Records, record: Record, values: dict[int, Array], cotangent: object) -> Origin | None:
    """The origin inside a function with a custom gradient, which is one record: its parts are run again."""
    call: CustomCall | None = getattr(pull_of(record), "call", None)
    if call is None:
        return None
    for _ in _computed(records, values):
        pass
    arguments = call.arguments(values)
    if arguments is None:
        return None
    tensors = [each for each in arguments if isinstance(each, (EagerTensor, Variable)) and each.dtype.is_differentiable]
    with nobody_outside(), GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        results, gradient = call.parts(arguments)
        if cotangent is not None:
            given = [to_tensor(each) for each in (cotangent if isinstance(cotangent, list) else [cotangent])]
            tape.watch(given)
            results = gradient(*given)
    # (What is computed on the way back is forward to this tape.)
    results = [each for each in results if each.__class__ is EagerTensor and each._id]
    found = _found_in(tape._records(), results, [], None, tensors).forward
    return None if found is None else replace(found, backward=cotangent is not None)


def _inside_function(record: Record, backward: bool) -> Origin | None:
    """The origin inside a compiled function, which is one record: it is run again op by op."""
    function = getattr(pull_of(record), "function", None)
    if function is None:
        return None
    tape, results, lines = recorded_in_steps(*function)
    sources = [*(t for t in function[1] if t.dtype.is_differentiable), *tape.watched_variables()]
    found = _found_in(tape._records(), [each for each in results if each._id], sources, lines, sources)
    return found.backward if backward else found.forward


def _uses(records: Records) -> Iterator[tuple[Op, tuple[int, ...], int]]:
    """Each recorded op with its followed operands and its output."""
    for output, record in records.items():
        if record is not None and not is_further_output(record):
            op = op_of(pull_of(record))
            if op is not None:
                yield op, ids_of(record), output


def _consumers(records: Records, number: int) -> Iterator[tuple[Op, tuple[int, ...], int]]:
    """The ops that used a value."""
    return (use for use in _uses(records) if number in use[1])


# --- while checks are on ----------------------------------------------------------------------------------------------


class Checks:
    """Looks at every op and every backward step, and reports what made a value that is not finite from values that are.

    (Functions run step by step while somebody observes, so that each op is seen.)
    """

    def __init__(self, report: Callable[[str], None], origins: bool = False) -> None:
        """With `origins`, a backward step that is given what is not finite is not reported: the step before it was."""
        self._report, self._origins = report, origins

    def enable(self) -> None:
        """Begin."""
        observe_ops(self.after_op)
        STEPWISE.add(id(self))
        PULL_OBSERVERS.append(self.after_pull)

    def disable(self) -> None:
        """End."""
        unobserve_ops(self.after_op)
        STEPWISE.discard(id(self))
        if self.after_pull in PULL_OBSERVERS:
            PULL_OBSERVERS.remove(self.after_pull)

    def after_op(self, op: Op, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        """Called after each op."""
        if STATE.trace is not None or STATE.stand_ins:
            return  # no value of the program
        for output in outputs:
            if output.dtype.is_differentiable and not is_finite(output._array):
                frame = program_frame(1)
                where = where_of(frame.f_code, frame.f_lasti)
                self._report(_message(op.name, False, inputs, output._array, None, where))

    def after_pull(self, pull: Any, cotangent: Any, record: Record, parts: Any) -> None:
        """Called after each backward step."""
        if STATE.trace is not None or STATE.stand_ins:
            return
        given = cotangent if isinstance(cotangent, (list, tuple)) else [cotangent]
        if self._origins and not all(is_finite(dense(each)) for each in given if each is not None):
            return
        for part in parts:
            if part is not None and not is_finite(dense(part)):
                op = op_of(pull)
                name = "a function" if op is None else op.name
                where = where_of_record(PASSED[0], *place_of(record))
                kept = tuple(saved_tensors(record))
                self._report(_message(name, True, kept, dense(part), dense(given[0]), where))


def _raise(message: str) -> None:
    raise NonFiniteError(None, None, message)


# What `tf.debugging.enable_check_numerics` turns on: one for the process, as in TensorFlow.
RAISING = Checks(_raise)


def _message(name: str, backward: bool, inputs: tuple[Any, ...], result: Any, cotangent: Any, where: Where) -> str:
    word = "NaN" if np.isnan(np.asarray(result)).any() else "Inf"
    arrays = [np.asarray(each._array) for each in inputs if each.__class__ is EagerTensor]
    arrays = [each for each in arrays if each.dtype.kind in "fc"]
    facts = patterns.Facts(name, where, backward, arrays, np.asarray(result), cotangent, frozenset())
    reason, repair = patterns.known(facts)
    operands = "; ".join(str(range_of(each)) for each in arrays)
    text = f"Detected {word} in the {'gradient' if backward else 'output'} of {name} at {where}: {where.text}"
    text += f"\n  operands: {operands}" if operands else ""
    text += f"\n  {reason}" if reason else ""
    return text + (f"\n  Instead:\n    {repair}" if repair else "")
