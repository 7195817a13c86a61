"""What devices send to each other in a compiled function, read from the text that XLA has made of it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .sharding import ShardedExecutable

_KINDS = "all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute"
_LINE = re.compile(rf"= (?P<result>.*?) (?P<kind>{_KINDS})(?:-start)?\(.*$", re.MULTILINE)
_VALUE = re.compile(r"(pred|[a-z]+(\d+)\w*)\[([\d,]*)\]")
_LISTED = re.compile(r"replica_groups=\{\{([\d,]+)\}")
_COUNTED = re.compile(r"replica_groups=\[\d+,(\d+)\]<=")
_ON_MESH = re.compile(r"replica_groups=mesh\[(.*?)\] \{(.*?)\}")
_AXIS = re.compile(r"'(\w+)'=(\d+)")
_ALONG = re.compile(r"'(\w+)'(?::\(\d+\)(\d+))?")  # an axis, or a part of it


@dataclass(frozen=True)
class Collective:
    """One exchange: its kind, the bytes of its results on one device, and how many devices take part."""

    kind: str
    bytes: int
    devices: int

    @property
    def sent(self) -> float:
        """The bytes that each device sends, where the devices stand in a ring."""
        others = (self.devices - 1) / self.devices
        if self.kind == "all-reduce":  # a sum of each part goes round, then the sums do
            return 2 * others * self.bytes
        if self.kind == "reduce-scatter":  # (the result is one part of what is added)
            return (self.devices - 1) * self.bytes
        return float(self.bytes) if self.kind == "collective-permute" else others * self.bytes


def in_text(text: str) -> list[Collective]:
    """The exchanges in a program of XLA; one inside of a loop is listed once."""
    return [
        Collective(line["kind"], sum(map(_bytes, _VALUE.finditer(line["result"]))), _devices(line[0]))
        for line in _LINE.finditer(text)
    ]


def _bytes(value: re.Match[str]) -> int:
    bits = 8 if value[1] == "pred" else int(value[2])
    return math.prod(int(size) for size in value[3].split(",") if size) * bits // 8


def _devices(line: str) -> int:
    if counted := _COUNTED.search(line):
        return int(counted[1])
    if on_mesh := _ON_MESH.search(line):
        sizes = dict(_AXIS.findall(on_mesh[1]))
        return math.prod(int(part or sizes[axis]) for axis, part in _ALONG.findall(on_mesh[2]))
    listed = _LISTED.search(line)
    return 2 if listed is None else listed[1].count(",") + 1  # (a permutation goes from one device to another)


def texts(function: Any) -> Iterator[str]:
    """What XLA has made of a function for several devices so far."""
    for concrete in function._all_traces():
        for executor in concrete.executors:
            for parts in getattr(getattr(executor, "form", None), "made", ()):
                for run in parts.runs:
                    if isinstance(run, ShardedExecutable):
                        yield from (compiled.as_text() for compiled in run.made.values())


def communication(function: object) -> list[Collective]:
    """The exchanges in what was compiled last of a function."""
    found = list(texts(function))
    return in_text(found[-1]) if found else []
