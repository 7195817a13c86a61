"""Records that keep within a memory budget: values beyond it are dropped and recomputed in the backward pass.

A tape with a budget writes down, beside its records, the steps that made them: the op, its operands, its attributes. An
operand that the tape has recorded itself stands there as its identity, any other (a weight, a batch of data) as the
tensor. Steps are gathered into stretches, a new one each time that the values kept for one reach a quarter of the budget.
When their total comes near the budget, the oldest stretch drops its values: its steps remain, and `needs`, the values from
before it that it began with. When these needs reach half of the budget, neighbouring stretches are joined, which drops
the values between them.

The backward pass meets the dropped records from the newest to the oldest, since it goes down the identities. Reaching
one of a stretch, it runs the steps of that stretch again, on bare arrays and unseen by any tape, and the records are
there as they were: same values, same identities, hence the same gradients, also for an outer tape. A stretch that
was joined from many is too large for that: it is cut in two, and its first half waits, with its needs, until the second
is done; and so on. So a walk over n layers computes each of them again about log2(n) times at most.

docs/guide/memory-budget.md is the user's page.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field
from typing import Any

from ..base.context import STATE, Record
from ..base.locks import new_rlock
from ..op.declaration import Op
from ..op.record import Place, ids_of, looks_of_outputs, new_record, op_of, place_of, pull_of, record_of, saved_by
from ..values.tensor import EagerTensor, from_array


def checked_budget(budget: object) -> None:
    """Raise unless `budget` is a positive number of bytes."""
    if isinstance(budget, bool) or not isinstance(budget, (int, float)) or not budget > 0:
        raise ValueError(f"memory_budget must be a positive number of bytes, such as 2**30, or None; got {budget!r}.")


@dataclass(frozen=True, slots=True)
class _Step:
    """One op that ran."""

    op: Op
    operands: tuple[Any, ...]  # identities of values that can be computed again, tensors otherwise
    attributes: dict[str, Any]
    outputs: tuple[int, ...]
    followed: tuple[int, ...]
    place: Place
    cost: int  # bytes that the tape keeps because of this step


@dataclass(slots=True)
class _Stretch:
    """Consecutive steps, and the values that they begin with."""

    steps: list[_Step] = field(default_factory=list)
    needs: dict[int, EagerTensor] = field(default_factory=dict)
    made: set[int] = field(default_factory=set)
    cost: int = 0

    @property
    def first(self) -> int:
        return self.steps[0].outputs[0]

    @property
    def last(self) -> int:
        return self.steps[-1].outputs[-1]


class _Dropped:
    """Stands for the pull of a record whose values were dropped."""

    __slots__ = ("op",)

    def __init__(self, op: Op) -> None:
        self.op = op


class BudgetedRecords(dict[int, Any]):
    """The records of a tape with a memory budget; it is entered among the accumulators too, to see the operands of ops."""

    place: tuple[int, ...] | None = None

    def __init__(self, budget: float) -> None:
        super().__init__()
        self._budget = budget
        self._dropped: list[_Stretch] = []  # oldest first: those whose values were dropped
        self._held: list[_Stretch] = []  # those after them, all but the newest
        self._newest = _Stretch()
        self._made: set[int] = set()  # identities of values that can be recomputed
        self._kept: set[int] = set()  # those of them that the records of the newest stretch keep
        self._present: dict[int, Record] = {}  # the records of the stretch that the backward pass is in
        self._waiting: list[_Stretch] = []  # first halves of stretches whose second halves it has passed
        self._lock = new_rlock()
        self.largest = 0  # bytes of the largest value that was recorded

    def copy(self) -> BudgetedRecords:
        """A copy to continue recording in; the dropped stretches are shared."""
        twin = BudgetedRecords(self._budget)
        twin.update(self)
        twin._dropped, twin.largest = list(self._dropped), self.largest
        return twin

    # --- recording -------------------------------------------------------------------------------------------------------

    def _advance(self, op: Op, inputs: tuple[Any, ...], attributes: dict[str, Any], outputs: tuple[Any, ...]) -> None:
        """Note an op that was just recorded here. (Records that are not noted are kept as in any other tape.)"""
        number = outputs[0]._id
        record = dict.get(self, number) if number else None
        if record is None or number in self._made or op_of(pull_of(record)) is None:
            return
        if any(tensor.__class__ is not EagerTensor for tensor in (*inputs, *outputs)):
            return
        followed = saved_by(record)[0] if op.variadic else pull_of(record).key[0]
        stretch = self._newest
        operands: list[Any] = []
        for tensor in inputs:
            again = tensor._id in self._made
            operands.append(tensor._id if again else tensor)
            if again and tensor._id not in stretch.made:
                stretch.needs[tensor._id] = tensor
        made = tuple([output._id for output in outputs])
        stretch.made.update(made)
        self._made.update(made)
        cost = self._newly_kept(record, stretch)
        stretch.steps.append(_Step(op, tuple(operands), attributes, made, followed, place_of(record), cost))
        stretch.cost += cost
        if stretch.cost > self._budget / 4:
            self._held.append(stretch)
            self._newest, self._kept = _Stretch(), set()
            self._fit()

    def _newly_kept(self, record: Record, stretch: _Stretch) -> int:
        cost = 0
        for value in saved_by(record):
            for tensor in value if value.__class__ is tuple else (value,):
                if tensor.__class__ is EagerTensor and tensor._id in stretch.made and tensor._id not in self._kept:
                    self._kept.add(tensor._id)
                    size = tensor._array.nbytes
                    cost += size
                    self.largest = max(self.largest, size)
        return cost

    def _fit(self) -> None:
        """Reduce what is kept to three quarters of the budget: the last quarter is for the next stretch."""
        while True:
            needed = self._bytes_needed()
            if len(self._dropped) > 1 and needed > self._budget / 2:
                self._join_cheapest()
            elif self._held and needed + sum(stretch.cost for stretch in self._held) > self._budget * 0.75:
                self._drop(self._held.pop(0))
            else:
                return

    def _drop(self, stretch: _Stretch) -> None:
        for step in stretch.steps:
            number = step.outputs[0]
            record = dict.__getitem__(self, number)
            self[number] = new_record(_Dropped(step.op), ids_of(record), (), looks_of_outputs(record), place_of(record))
        self._dropped.append(stretch)

    def _bytes_needed(self) -> int:
        needs: dict[int, EagerTensor] = {}
        for stretch in (*self._dropped, *self._held[:1]):
            needs.update(stretch.needs)
        return sum(tensor._array.nbytes for tensor in needs.values())

    def _join_cheapest(self) -> None:
        """Join the two neighbours that cost least to compute again."""
        stretches = self._dropped
        place = min(range(len(stretches) - 1), key=lambda i: stretches[i].cost + stretches[i + 1].cost)
        first, second = stretches[place : place + 2]
        between = {number: tensor for number, tensor in second.needs.items() if number not in first.made}
        joined = _Stretch(
            first.steps + second.steps, between | first.needs, first.made | second.made, first.cost + second.cost
        )
        stretches[place : place + 2] = [joined]

    def _advance_custom(self, grad_fn: object, tensors: list[Any], variables: list[Any], outputs: list[Any]) -> None:
        """A call of a custom_gradient function: its record is kept, as only the user's code could make it again."""

    def _advance_call(self, push: object, inputs: list[Any], outputs: list[Any]) -> None:
        """A call as a whole: its record is kept too."""

    def _carry(self, old: object, new: object) -> bool:
        """Nothing to do: there are no tangents to carry."""
        return True

    def _follows(self, number: int) -> bool:
        """Always False: the records say which values are followed."""
        return False

    # --- the backward pass -----------------------------------------------------------------------------------------------

    def get(self, number: int, default: object = None) -> Any:
        """A record; one that was dropped is recomputed."""
        record = dict.get(self, number, default)
        if record is None or pull_of(record).__class__ is not _Dropped:
            return record
        return self._made_again(number, consume=False)

    def pop(self, number: int, default: object = None) -> Any:
        """The same, for a backward pass that needs each record once: stretches go with their records."""
        record = dict.pop(self, number, default)
        if record is None or pull_of(record).__class__ is not _Dropped:
            return record
        return self._made_again(number, consume=True)

    def close(self) -> None:
        """Called after a backward pass: drop what was recomputed for it."""
        self._present, self._waiting = {}, []

    def _made_again(self, number: int, consume: bool) -> Record:
        with self._lock:
            if number not in self._present:
                self._present = {}
                self._enter(self._stretch_of(number, consume), number)
            return self._present.pop(number) if consume else self._present[number]

    def _stretch_of(self, number: int, consume: bool) -> _Stretch:
        while self._waiting:
            stretch = self._waiting.pop()
            if stretch.first <= number <= stretch.last:
                return stretch
        place = bisect.bisect_right(self._dropped, number, key=lambda stretch: stretch.first) - 1
        found = self._dropped[place]
        if consume:  # the pass goes downward: nothing above is needed again
            del self._dropped[place:]
            self._held, self._newest = [], _Stretch()
        return found

    def _enter(self, stretch: _Stretch, number: int) -> None:
        """Make the records of a stretch again; where it is too large for the budget, of the part with this number."""
        while stretch.cost > self._budget / 2 and len(stretch.steps) > 1:
            place = _middle(stretch)
            first = _part(stretch.steps[:place])
            first.needs = stretch.needs
            if number <= first.last:
                stretch = first
            else:
                self._waiting.append(first)
                stretch = _after(first, stretch.steps[place:])
        _run(stretch, records=self._present)


def _middle(stretch: _Stretch) -> int:
    """Where to cut a stretch so that its halves cost about the same."""
    place, cost = 1, stretch.steps[0].cost
    while place < len(stretch.steps) - 1 and cost + stretch.steps[place].cost <= stretch.cost / 2:
        cost += stretch.steps[place].cost
        place += 1
    return place


def _after(first: _Stretch, steps: list[_Step]) -> _Stretch:
    """The stretch that follows `first`, which is run once to compute the values that these steps need."""
    second = _part(steps)
    wanted = {n for step in steps for n in step.operands if n.__class__ is int and n not in second.made}
    second.needs = {number: first.needs[number] for number in wanted - first.made}
    second.needs |= _run(first, wanted=wanted & first.made)
    return second


def _part(steps: list[_Step]) -> _Stretch:
    return _Stretch(steps, {}, {n for step in steps for n in step.outputs}, sum(step.cost for step in steps))


def _run(
    stretch: _Stretch, wanted: set[int] | frozenset[int] = frozenset(), records: dict[int, Record] | None = None
) -> dict[int, EagerTensor]:
    """Run the steps again. Values are dropped after their last use, except those in `wanted`, which are returned."""
    values: dict[int, EagerTensor] = dict(stretch.needs)
    last_uses: dict[int, list[int]] = {}
    seen: set[int] = set(wanted)
    for place in range(len(stretch.steps) - 1, -1, -1):
        step = stretch.steps[place]
        for number in (*step.operands, *step.outputs):
            if number.__class__ is int and number not in seen:
                seen.add(number)
                last_uses.setdefault(place, []).append(number)
    for place, step in enumerate(stretch.steps):
        op = step.op
        inputs = tuple([values[operand] if operand.__class__ is int else operand for operand in step.operands])
        arrays = [tensor._array for tensor in inputs]
        result = op.eager(arrays, **step.attributes) if op.variadic else op.eager(*arrays, **step.attributes)
        outputs = tuple([from_array(part) for part in ((result,) if op.outputs == 1 else result)])
        for output, number in zip(outputs, step.outputs, strict=True):
            output._id = number
            values[number] = output
        for accumulator in STATE.accumulators:  # tangents were dropped with the values
            accumulator._advance(op, inputs, step.attributes, outputs)
        if records is not None:
            made = record_of(op, step.followed, inputs, step.attributes, outputs, step.place)
            records[step.outputs[0]] = made
        for number in last_uses.get(place, ()):
            del values[number]
    return {number: values[number] for number in wanted}
