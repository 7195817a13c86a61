"""One target and one source whose gradient is None, what is known about both, and the parts that all answers have."""

from __future__ import annotations

import ast
import os
from typing import Any

from ..base.dtypes import DType
from ..base.frames import PACKAGES, is_library
from ..base.notes import CHOICE, CUTS, EXITS
from ..variables.variable import Variable
from .chain import Chain, Link, Ways
from .explanation import Explanation, Kind, Step
from .places import Where, where_of_record
from .reading import Assigned, Reading


class Asked:
    """One target, one source, and what is known about both."""

    def __init__(
        self,
        chain: Chain,
        target: tuple[int, DType],
        source: Any,
        reading: Reading,
        place: int,
        consumed: bool,
        follows_variables: bool,
        single: bool,
        since: int,
    ) -> None:
        self.chain = chain
        # What was noted before the tape began to record says nothing about it.
        self.cuts = {number: cut for number, cut in CUTS.items() if number > since}
        left = {number: each for number, each in EXITS.items() if each.at > since}
        self.exits = {number: each for number, each in left.items() if each.how != CHOICE}
        self.choices = {number: each for number, each in left.items() if each.how == CHOICE}
        self.target, _ = target
        self.value = source
        self.number: int = source._id
        self.reading = reading
        self.consumed = consumed
        self.follows_variables = follows_variables
        self.target_name = reading.target() or "the target"
        self.source_name = reading.source(place) or "the source"
        self.sources_text = reading.source(place)  # perhaps of a list
        self.is_named = single or reading.names_source(place)
        if isinstance(source, Variable) and not (self.is_named and names_one(self.sources_text)):
            self.source_name = f"variable {source.name.removesuffix(':0')!r}"
        elif not self.is_named and self.sources_text:
            self.source_name = f"an element of {self.sources_text}"
        self.paths = reading.paths_of(self.sources_text)
        self.flow = reading.flow(reading.target())
        self.ways = Ways(chain, self.cuts, self.number)

    def _is_target(self, number: int) -> bool:
        if number == self.target:
            return True
        # A plain tape has dropped the records between the target and this value: so the target was computed from it.
        cut = self.cuts.get(number)
        return self.consumed and cut is not None and cut.mixed and number not in self.chain

    def _is_on_tape(self) -> bool:
        if self.target in self.chain:
            return True
        cut = self.cuts.get(self.target)
        return self.consumed and bool(self.target) and (cut is None or cut.mixed)

    def _where_of_cut(self, number: int) -> Where:
        """The line of a cut; of one that has a record, that of the record, and if that is gone, the block."""
        cut, link = self.cuts[number], self.chain.get(number)
        code, offset = (cut.code, cut.offset) if cut.code is not None or link is None else (link.code, link.offset)
        return self.reading.opening() if code is None else where_of_record(number, code, offset)

    # --- parts of an answer --------------------------------------------------------------------------------------------

    def _step(self, number: int) -> Step:
        link = self.chain.get(number)
        if isinstance(link, Link) and link.code is not None:
            return Step(link.name, _in_program(where_of_record(number, link.code, link.offset)))
        cut = self.cuts.get(number)
        if cut is not None:
            return Step(cut.by.name, _in_program(self._where_of_cut(number)) if cut.code is not None else None)
        return Step("value", None)

    def _where(self, assigned: Assigned | None) -> Where | None:
        return None if assigned is None else self.reading.where(assigned.statement)

    def _target_line(self) -> Where | None:
        return self._where(self.reading.last_assigned(self.target_name)) or self.reading.opening()

    def _zeros(self) -> tuple[str, str]:
        tape = self.reading.tape or "tape"
        repair = self.reading.with_zeros() or (
            f'{tape}.gradient({self.target_name}, {self.sources_text or self.source_name}, unconnected_gradients="zero")'
        )
        return repair, "If zeros are the right answer:"

    def _explained(
        self,
        kind: Kind,
        reason: str,
        where: Where | None,
        repair: str = "",
        advice: str = "",
        path: tuple[Step, ...] = (),
    ) -> Explanation:
        if not repair and kind is not Kind.CONNECTED:
            repair, advice = self._zeros()
        return Explanation(kind, self.source_name, self.target_name, reason, where, repair, advice, path)


def names_one(text: str) -> bool:
    """Whether the text of a source names one variable: `w` and `layer.kernel` do, `model.trainable_variables` does not."""
    node = ast.parse(text, mode="eval").body if text else None
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return isinstance(node, ast.Name) and not text.endswith(("variables", "weights"))


def _in_program(where: Where) -> Where | None:
    """The line, unless it is one of a library, of which it is not known who called it."""
    return None if is_library(where.file) or where.file.startswith(_OURS) else where


_OURS = tuple(os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), name, "") for name in PACKAGES)
