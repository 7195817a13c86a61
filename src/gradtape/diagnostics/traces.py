"""The traces of a function: what each was made for, what changed, and what of it runs compiled."""

from __future__ import annotations

from dataclasses import dataclass

from ..trace.function import Function
from .notebook import preformatted


@dataclass(frozen=True, slots=True)
class Trace:
    """One recording of a function."""

    arguments: tuple[str, ...]  # "x: a tensor of float32 and shape (3,)"
    changed: tuple[str, ...]  # since the trace before: "n: int 2 -> int 3"
    steps: int
    ways: tuple[tuple[str, str], ...]  # how it has run: "alone, compiled", and the reason where it is interpreted

    @property
    def compiled(self) -> bool:
        """Whether all the ways that it has run are compiled."""
        return bool(self.ways) and all("compiled" in way for way, _ in self.ways)


@dataclass(frozen=True, slots=True)
class Traces:
    """What `function.explain` gives."""

    name: str
    traces: tuple[Trace, ...]

    def __str__(self) -> str:
        count = len(self.traces)
        lines = [f"{self.name} was traced {count} time{'' if count == 1 else 's'}."]
        for number, trace in enumerate(self.traces, 1):
            steps = f"{trace.steps} step{'' if trace.steps == 1 else 's'}"
            lines.append(f"  {number}. {', '.join(trace.arguments) or 'no arguments'}: {steps}")
            lines += [f"     changed: {change}" for change in trace.changed]
            for way, reason in trace.ways or (("it has not run yet", ""),):
                lines.append(f"     {way}{f': {reason}' if reason else ''}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def traces_of(function: Function) -> Traces:
    """The traces of a `tf.function` in the order in which they were made."""
    alive = {id(trace): trace for trace in function._all_traces()}
    found: list[Trace] = []
    before: dict[str, str] | None = None
    for number, arguments in function._notes.items():
        changes = () if before is None else tuple(_changes(before, arguments))
        before = arguments
        concrete = alive.get(number)
        if concrete is None:
            continue  # made for an object that is gone
        ways: list[tuple[str, str]] = [way for made in concrete.executors for way in getattr(made, "ways", list)()]
        shown = tuple(f"{name}: {value}" for name, value in arguments.items())
        found.append(Trace(shown, changes, len(concrete.graph.steps), tuple(dict.fromkeys(ways))))
    return Traces(function.name, tuple(found))


def _changes(before: dict[str, str], after: dict[str, str]) -> list[str]:
    changed = [f"{name}: {before.get(name)} -> {now}" for name, now in after.items() if before.get(name) != now]
    return changed or [
        "an object is another one: arguments that are no tensors and no numbers are compared by identity"
    ]
