"""Where the time of a program goes: by line, op and layer, forward and backward.

An op, a backward step and a call of a compiled function are each an event. What passed between the one before it and this one is
Python: an event of its own, under the line of the op that came after it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from ..base.context import STATE, Record, Records, next_id
from ..base.frames import program_frame
from ..differentiation.tape import GradientTape
from ..op.call import BEGAN, CALL_OBSERVERS, OBSERVERS, PULL_OBSERVERS, STEPWISE
from ..op.declaration import Op
from ..op.entry import observe_ops, unobserve_ops
from ..op.record import op_of, place_of
from ..values.tensor import EagerTensor
from .norms import norm_of
from .places import Where, layer_of, step_of, where_of, where_of_record

if TYPE_CHECKING:
    from .view.entries import Entries


@dataclass(frozen=True, slots=True)
class TimedEvent:
    """One op, backward step or call of a compiled function, or the Python before it. Times are in nanoseconds."""

    name: str
    backward: bool
    where: Where
    layer: str
    begin: int
    end: int

    @property
    def is_python(self) -> bool:
        """Whether this is no op, but what ran between two of them."""
        return self.name == _PYTHON

    @property
    def label(self) -> str:
        """The name, with the pass."""
        return f"gradient of {self.name}" if self.backward and not self.is_python else self.name


@dataclass(frozen=True, slots=True)
class Row:
    """The time under one heading, in seconds."""

    name: str
    seconds: float
    calls: int


@dataclass(frozen=True, slots=True)
class Profile:
    """What `tape.profile` gives: the events, and tables of them, the longest first."""

    events: tuple[TimedEvent, ...]

    @property
    def seconds(self) -> float:
        """The time of all events."""
        return sum(event.end - event.begin for event in self.events) / 1e9

    @property
    def by_line(self) -> tuple[Row, ...]:
        """Rows by line of the program: its ops, and the Python that ran before them."""
        return self._rows(lambda event: f"{event.where}  {event.where.text}{_BEFORE * event.is_python}")

    @property
    def by_op(self) -> tuple[Row, ...]:
        """Rows by op and pass."""
        return self._rows(lambda event: event.label)

    @property
    def by_layer(self) -> tuple[Row, ...]:
        """Rows by Keras layer; what no layer did is left out."""
        return tuple(row for row in self._rows(lambda event: event.layer) if row.name)

    def _rows(self, key: Callable[[TimedEvent], str]) -> tuple[Row, ...]:
        table: dict[str, list[int]] = {}
        for event in self.events:
            entry = table.setdefault(key(event), [0, 0])
            entry[0] += event.end - event.begin
            entry[1] += not event.is_python
        rows = [Row(name, time / 1e9, count) for name, (time, count) in table.items()]
        return tuple(sorted(rows, key=lambda row: -row.seconds))

    def __str__(self) -> str:
        total = self.seconds or 1e-12
        python = sum(event.end - event.begin for event in self.events if event.is_python) / 1e6
        count = sum(not event.is_python for event in self.events)
        lines = [f"{self.seconds * 1e3:.3f} ms, {python:.3f} ms of it Python between {count} events"]
        for title, rows in (("by line", self.by_line), ("by op", self.by_op), ("by layer", self.by_layer)):
            if rows:
                lines.append(f"  {title}:")
                lines += [
                    f"    {row.seconds * 1e3:9.3f} ms {row.seconds / total:6.1%} {row.calls or '':6} "
                    f"{'calls' if row.calls else '     '}  {row.name}"
                    for row in rows[:12]
                ]
        if any(event.name.startswith(_FUNCTION) for event in self.events):
            lines.append(
                "  A compiled function is one event. Its lines: tf.GradientTape(profile='steps'), gradtape profile --steps."
            )
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.svg()

    def chrome_trace(self) -> str:
        """The events as JSON for chrome://tracing and Perfetto."""
        first = self.events[0].begin if self.events else 0
        events = [
            {
                "name": event.label,
                "cat": "python" if event.is_python else "backward" if event.backward else "forward",
                "ph": "X",
                "ts": (event.begin - first) / 1e3,
                "dur": (event.end - event.begin) / 1e3,
                "pid": 1,
                "tid": 2 if event.backward else 1,
                "args": {"line": str(event.where), "text": event.where.text, "layer": event.layer},
            }
            for event in self.events
        ]
        return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"})

    def svg(self, width: int = 1000) -> str:
        """A flame picture: the pass, the layer, the line and the op, each as wide as its time."""
        tree = _Node("all", 0)
        for event in self.events:
            levels = ["backward" if event.backward else "forward", event.layer, str(event.where), event.label]
            tree.add([level for level in levels if level], event.end - event.begin)
        boxes: list[str] = []
        depth = _drawn(tree, 0.0, 0, width / (tree.time or 1), boxes)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{depth * _HEIGHT}" '
            f'font-family="sans-serif" font-size="11">{"".join(boxes)}</svg>'
        )


_PYTHON = "Python"
_BEFORE = "  (Python before it)"
_FUNCTION = "function "
_HEIGHT = 18
_COLOURS = ("#d9d9d9", "#f4b183", "#ffd966", "#a9d18e", "#9dc3e6")


class _Node:
    def __init__(self, name: str, time: int) -> None:
        self.name, self.time = name, time
        self.inside: dict[str, _Node] = {}

    def add(self, levels: list[str], time: int) -> None:
        self.time += time
        if levels:
            self.inside.setdefault(levels[0], _Node(levels[0], 0)).add(levels[1:], time)


def _drawn(node: _Node, left: float, depth: int, scale: float, boxes: list[str]) -> int:
    """Draw a node and what is inside it; the number of levels."""
    width = node.time * scale
    if width < 0.5:
        return depth
    text = html.escape(node.name)
    shown = html.escape(node.name[-int(width / 6) :]) if width > 24 else ""
    boxes.append(
        f'<g><title>{text}: {node.time / 1e6:.3f} ms</title><rect x="{left:.1f}" y="{depth * _HEIGHT}" width="{width:.1f}" '
        f'height="{_HEIGHT - 1}" fill="{_COLOURS[depth % len(_COLOURS)]}"/>'
        f'<text x="{left + 3:.1f}" y="{depth * _HEIGHT + 13}">{shown}</text></g>'
    )
    deepest = depth + 1
    for inner in sorted(node.inside.values(), key=lambda each: -each.time):
        deepest = max(deepest, _drawn(inner, left, depth + 1, scale, boxes))
        left += inner.time * scale
    return deepest


class Profiler:
    """Collects events between `start` and `stop`; with `steps`, functions run op by op, so that their lines are seen."""

    def __init__(self, steps: bool = False) -> None:
        self._steps = steps
        self._raw: list[tuple[Any, ...]] = []
        self._numbers: dict[int, int] = {}  # the identities of records, by `id`
        self.looks: dict[int, tuple[tuple[int, ...], Any]] = {}  # shapes and types of results, by identity
        self.norms: dict[int, float] = {}  # of the cotangents of results, by identity
        self._last = 0

    def start(self) -> None:
        """Begin to measure."""
        if self.after_op not in OBSERVERS:
            observe_ops(self.after_op)
            CALL_OBSERVERS.append(self.after_call)
            PULL_OBSERVERS.append(self.after_pull)
            if self._steps:
                STEPWISE.add(id(self))
        self._last = perf_counter_ns()

    def stop(self) -> None:
        """End it; what was collected stays."""
        unobserve_ops(self.after_op)
        STEPWISE.discard(id(self))
        if self.after_call in CALL_OBSERVERS:
            CALL_OBSERVERS.remove(self.after_call)
        if self.after_pull in PULL_OBSERVERS:
            PULL_OBSERVERS.remove(self.after_pull)

    def expect(self, records: Records) -> None:
        """A backward pass over these records begins."""
        self._numbers = {id(record): number for number, record in records.items() if record is not None}
        self.start()

    def after_op(self, op: Op, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        """Called after each op."""
        for output in outputs:
            if output.__class__ is EagerTensor and output._id:
                self.looks[output._id] = (output._array.shape, output._array.dtype)
        self._forward(op.name, outputs[0]._id if outputs else 0)

    def after_call(self, name: str) -> None:
        """Called after each call of a compiled function."""
        self._forward(f"{_FUNCTION}{name}", 0)

    def after_pull(self, pull: object, cotangent: object, record: Record, parts: object) -> None:
        """Called after each backward step."""
        now = perf_counter_ns()
        op = op_of(pull)
        name = "function" if op is None else op.name
        number = self._numbers.get(id(record), 0)
        self._raw.append((name, True, *place_of(record), number, self._last, BEGAN[0], now))
        if STATE.trace is None and not STATE.stand_ins:  # (abstract values have no norm)
            self.norms[number] = norm_of(cotangent)
        self._last = perf_counter_ns()

    def _forward(self, name: str, number: int) -> None:
        now = perf_counter_ns()
        frame = program_frame(2)
        self._raw.append((name, False, frame.f_code, frame.f_lasti, number or next_id(), self._last, BEGAN[0], now))
        self._last = perf_counter_ns()

    def seconds(self) -> tuple[dict[int, float], dict[int, float]]:
        """The time of each record by its identity, forward and backward."""
        forward: dict[int, float] = {}
        backward: dict[int, float] = {}
        for _, is_backward, _, _, number, _, begin, end in self._raw:
            table = backward if is_backward else forward
            table[number] = table.get(number, 0.0) + (end - begin) / 1e9
        return forward, backward

    def profile(self) -> Profile:
        """What was collected."""
        events = []
        for name, backward, code, offset, number, before, began, end in self._raw:
            begin = max(before, began)  # (an op inside a call of a function may have begun before the last event)
            where = where_of_record(number, code, offset) if backward else step_of(number) or where_of(code, offset)
            layer = layer_of(number)
            if begin > before:
                events.append(TimedEvent(_PYTHON, backward, where, layer, before, begin))
            events.append(TimedEvent(name, backward, where, layer, begin, end))
        return Profile(tuple(events))


class ProfiledTape(GradientTape):
    """What `tf.GradientTape(profile=True)` is: it measures its block and its backward passes."""

    _own_profiler: Profiler | None = None  # from the first block on
    _steps = False
    entries: Entries | None = None  # of a tape whose gradient was taken

    @property
    def _profiler(self) -> Profiler:
        if self._own_profiler is None:
            self._own_profiler = Profiler(self._steps)
        return self._own_profiler

    def _start(self) -> None:
        super()._start()
        self._profiler.start()

    def _stop(self) -> None:
        super()._stop()
        self._profiler.stop()

    def _begin(self) -> Records:
        records = super()._begin()
        if not self._persistent:  # the walk drops the records; what a picture shows is kept, without arrays
            from .view.entries import entries_of

            self.entries = entries_of(records, self.watched_variables(), self._profiler.looks)
        self._profiler.expect(records)
        return records

    def _end(self) -> None:
        super()._end()
        if not self._recording:
            self._profiler.stop()

    def profile(self) -> Profile:
        """The time of what ran in the block and in `gradient`."""
        return self._profiler.profile()


class SteppedTape(ProfiledTape):
    """What `tf.GradientTape(profile="steps")` is: functions run op by op, and each of their lines is measured."""

    _steps = True


def tape_class(profile: bool | str) -> type[ProfiledTape]:
    """The class of a tape that measures, by what its argument `profile` says."""
    if profile not in (True, "steps"):
        raise ValueError(
            f'profile must be True, False or "steps" (functions run op by op, to see their lines), got {profile!r}.'
        )
    return ProfiledTape if profile is True else SteppedTape
