"""How a tape, an optimizer or a trainer asks for explanations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import nest
from ..base.context import Records
from ..base.errors import UnconnectedGradientError
from ..base.frames import program_frame
from ..differentiation.backward import backpropagate, checked_tensors, starting_cotangents
from .chain import LATEST, Chain, Missing
from .explanation import Explanation, Kind
from .reading import Reading
from .why import Question

if TYPE_CHECKING:
    from ..differentiation.tape import GradientTape


def explain(tape: GradientTape, target: object, sources: object, connected: bool) -> Any:
    """The explanations for `tape.explain`, in the structure of the sources."""
    frame = program_frame(2)
    targets, flat = checked_tensors(target, "target"), checked_tensors(sources, "source")
    missing = tape._missing
    records = tape._tape
    if records is None and missing is None:
        return nest.pack_sequence_as(sources, [_spent(tape, Reading(frame.f_code, frame.f_lasti))] * len(flat))
    reading = Reading(frame.f_code, frame.f_lasti)
    places = {source._id: place for place, source in enumerate(flat)}
    single = len(flat) == 1 and flat[0] is sources
    if missing is not None and frame.f_code is not missing.code:
        reading = Reading(missing.code, missing.offset)
        places, single = {**places, **missing.places}, len(missing.places) == 1
    looks = [(each._id, each.dtype) for each in targets]
    found = []
    for source in flat:
        place = places[source._id]
        if records is not None:
            chain = Chain(records)
            if missing is not None and source._id not in missing.reached:
                chain.add(missing.ends)
            answer = _best(tape, chain, looks, source, reading, place, consumed=False, single=single)
            if connected and answer.connected:
                answer = _with_norms(answer, records, targets, source)
        else:
            assert missing is not None
            answer = _after(tape, missing, looks, source, reading, place, single)
        found.append(answer)
    if len(flat) == 1 and flat[0] is sources:
        return found[0]
    return nest.pack_sequence_as(sources, found)


def explanations_of(tape: GradientTape, sources: list[Any]) -> list[Explanation]:
    """The explanations of a tape whose last gradient was None for some of these sources."""
    missing = tape._missing
    if missing is None:
        return []
    reading = Reading(missing.code, missing.offset)
    single = len(missing.places) == 1
    return [
        _after(tape, missing, missing.targets, source, reading, missing.places.get(source._id, place), single)
        for place, source in enumerate(sources)
        if source._id not in missing.reached
    ]


def explanations_for(variables: list[Any]) -> list[Explanation]:
    """The explanations of the tape that last gave a None, for who is handed the None; none if that tape is gone."""
    tape = LATEST[0]() if LATEST else None
    return [] if tape is None else explanations_of(tape, variables)


def refuse(tape: GradientTape, sources: list[Any]) -> UnconnectedGradientError:
    """What a strict tape raises."""
    found = explanations_of(tape, sources)
    error = UnconnectedGradientError("\n".join(each.text() for each in found))
    error.explanations = found
    return error


def summary(found: list[Explanation], most: int = 3) -> str:
    """The first explanations as text, for the end of an error message; those that say the same are counted."""
    kinds: dict[Any, list[Explanation]] = {}
    for each in found:
        kinds.setdefault((each.kind, each.where), []).append(each)
    texts = []
    for same in list(kinds.values())[:most]:
        count = len(same) - 1
        more = f"\n  (and {count} more variable{'s' * (count > 1)}, for the same reason)" if count else ""
        texts.append(same[0].text() + more)
    return "\n".join(texts)


def _after(
    tape: GradientTape, missing: Missing, looks: list[Any], source: Any, reading: Reading, place: int, single: bool
) -> Explanation:
    """An answer from what a plain tape kept."""
    if source._id in missing.reached:
        reason = "Its gradient was taken."
        return Explanation(
            Kind.CONNECTED, reading.source(place) or "the source", reading.target() or "the target", reason
        )
    return _best(tape, missing.chain, looks, source, reading, place, missing.consumed, single)


def _best(
    tape: GradientTape,
    chain: Chain,
    looks: list[Any],
    source: object,
    reading: Reading,
    place: int,
    consumed: bool,
    single: bool,
) -> Explanation:
    """The answer for the target that says most: connected, or a cut, before "unconnected"."""
    answers = [
        Question(
            chain, look, source, reading, place, consumed, tape._watch_accessed_variables, single, tape._since
        ).answer()
        for look in looks
    ]
    ranked = sorted(answers, key=lambda each: (not each.connected, each.kind is Kind.UNCONNECTED))
    return ranked[0]


def _spent(tape: GradientTape, reading: Reading) -> Explanation:
    opening = reading.opening()
    text = opening.text
    repair = text.replace("GradientTape()", "GradientTape(persistent=True)") if "GradientTape()" in text else ""
    reason = "The tape is not persistent, and its one gradient has been taken: its records are gone."
    if not tape._spent:
        reason = "The tape holds no record: it was not entered yet."
    source, target = reading.source(0) or "the source", reading.target() or "the target"
    return Explanation(
        Kind.SPENT,
        source,
        target,
        reason,
        opening,
        repair or "with tf.GradientTape(persistent=True) as tape:",
        "A tape that answers more than once:",
    )


def _with_norms(answer: Explanation, records: Records, targets: list[Any], source: Any) -> Explanation:
    """The way with the norm of the gradient at each of its values."""
    chain = Chain(records)
    way, number = [], targets[0]._id
    while number != source._id:
        way.append(number)
        link = chain[number]
        assert link is not None
        number = next(i for i in link.ids if i == source._id or source._id in chain.ancestors([i]))
    cotangents = starting_cotangents(records, targets, [*way, source._id])
    found = backpropagate(cotangents, consume=False, on_tensors=False)
    steps = tuple(
        replace(step, norm=_norm(found.get(number))) for step, number in zip(answer.path, reversed(way), strict=True)
    )
    reason = f"{answer.reason} The norm of the gradient at the source is {_norm(found.get(source._id)):.3g}."
    return replace(answer, path=steps, reason=reason)


def _norm(cotangent: object) -> float:
    values = getattr(cotangent, "values", cotangent)
    values = values() if callable(values) else values
    array = np.asarray(getattr(values, "_array", values))
    return float(np.sqrt(np.sum(np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)) ** 2)))
