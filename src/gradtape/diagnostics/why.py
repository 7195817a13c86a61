"""Why a gradient is None: the facts of the tape's chain and of the notes, then what the program's text adds to them."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..base.dtypes import DType
from ..base.frames import PACKAGES, is_library
from ..base.notes import CUTS, EXITS, Cut, Exit
from ..compile.recorded import LostInFunction
from ..op.declaration import Op
from ..variables.variable import Variable
from . import repairs
from .chain import Chain, Link, Ways
from .explanation import Explanation, Kind, Step
from .functions import inside
from .places import Where, where_of, where_of_record
from .reading import Assigned, Reading, called

_ROUNDING = ("round", "floor", "ceil", "rint", "trunc")
_SELECTING = ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "argmax")


class Question:
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
    ) -> None:
        self.chain = chain
        self.target, _ = target
        self.value = source
        self.number: int = source._id
        self.reading = reading
        self.consumed = consumed
        self.follows_variables = follows_variables
        self.target_name = reading.target() or "the target"
        self.source_name = reading.source(place) or "the source"
        self.sources_text = reading.source(place)  # perhaps of a list
        if isinstance(source, Variable) and not _names_one(self.sources_text):
            self.source_name = f"variable {source.name.removesuffix(':0')!r}"
        self.ways = Ways(chain, CUTS, self.number)

    def answer(self) -> Explanation:
        """The explanation."""
        if not self.consumed and self.number and self.number in self.chain.ancestors([self.target]):
            return self._connected()
        if not self.value.dtype.is_differentiable:
            return self._source_of_wrong_type()
        if self.number not in self.chain:
            return self._not_watched()
        if self._is_swapped():
            return self._swapped()
        return self._cut_on_the_way() or self._by_the_text() or self._lost() or self._unconnected()

    # --- the source itself -----------------------------------------------------------------------------------------

    def _connected(self) -> Explanation:
        links, number = [], self.target
        while number != self.number:
            links.append(number)
            link = self.chain[number]
            assert link is not None
            number = next(i for i in link.ids if i == self.number or self.number in self.chain.ancestors([i]))
        path = tuple(self._step(each) for each in reversed(links))
        return self._explained(Kind.CONNECTED, f"{len(path)} ops lead from it to the target.", None, path=path)

    def _source_of_wrong_type(self) -> Explanation:
        kind = self.value.dtype.name
        assigned = self.reading.last_assigned(self.source_name)
        where = self._where(assigned)
        repair = ""
        if assigned is not None and assigned.value is not None:
            repair = f"{self.source_name} = tf.cast({ast.unparse(assigned.value)}, tf.float32)"
            if called(assigned.value) == "Variable":
                inner = ast.unparse(assigned.value.args[0])  # type: ignore[attr-defined]
                repair = f"{self.source_name} = tf.Variable(tf.cast({inner}, tf.float32))"
        reason = f"{self.source_name} is of {kind}, and only floating and complex values have derivatives."
        return self._explained(Kind.DTYPE, reason, where, repair, "Make it a float where it is made:")

    def _not_watched(self) -> Explanation:
        name, tape = self.source_name, self.reading.tape or "tape"
        if isinstance(self.value, Variable) and self.value.trainable and self.follows_variables:
            found = self._lost() or self._outside() or self._made_outside() or self._branch()
            if found is not None:
                return found
            reason = f"{name} was not read while the tape recorded."
            return self._explained(Kind.UNCONNECTED, reason, self._target_line(), *self._zeros())
        replaced = self._replaced() or self._made_anew() or self._made_afterwards()
        if replaced is not None:
            return replaced
        outside = self._outside(unwatched=True)
        if outside is not None:
            return outside
        if isinstance(self.value, Variable):
            why = "it is not trainable" if not self.value.trainable else "the tape has watch_accessed_variables=False"
            reason = f"{name} is a variable, but {why}: the tape follows it only after `watch`."
        else:
            reason = f"{name} is a tensor, and a tape follows a tensor only after `watch`."
        name = self.sources_text if _names_one(self.sources_text) else "x"
        advice = f"First in the block of `{self.reading.opening().text or 'with tf.GradientTape() as tape:'}`:"
        return self._explained(Kind.NEVER_WATCHED, reason, self.reading.opening(), f"{tape}.watch({name})", advice)

    def _replaced(self) -> Explanation | None:
        assigned = self.reading.assigned(self.source_name)
        made = [each for each in assigned if called(each.value) == "Variable"]
        others = [each for each in assigned if each not in made and each.value is not None]
        if isinstance(self.value, Variable) or not made or not others:
            return None
        last = others[-1]
        operator = getattr(last.statement, "op", None)
        assert last.value is not None
        repair = repairs.assignment_in_place(self.source_name, last.value, operator)
        reason = f"{self.source_name} was a variable; this line gives the name to a tensor, which nobody watches."
        return self._explained(Kind.REPLACED, reason, self._where(last), repair, "Change the variable instead:")

    def _made_anew(self) -> Explanation | None:
        """The source is an expression that makes a new tensor, which nothing was computed from."""
        text, tape = self.sources_text, self.reading.tape or "tape"
        call = self.reading.call
        if isinstance(self.value, Variable) or "(" not in text or call is None:
            return None
        known = self.reading.name_of(text)
        reason = f"`{text}` makes another tensor each time; {self.target_name} was not computed from this one."
        if known:
            repair, advice = f"{tape}.gradient({self.target_name}, {known})", "Ask for the tensor that was used:"
        else:
            repair = f"source = {text}\n{tape}.watch(source)"
            advice = "Give it a name first in the block, compute with it, and ask for its gradient:"
        return self._explained(Kind.UNCONNECTED, reason, self.reading.where(call), repair, advice)

    def _made_afterwards(self) -> Explanation | None:
        """The source was computed after the block, from what the target was computed from."""
        assigned = self.reading.last_assigned(self.source_name)
        if assigned is None or assigned.value is None or not self.reading.is_after_block(assigned.statement):
            return None
        used = [name for name in self.reading.names_in(assigned.value) if self.reading.watches(name)]
        reason = f"{self.source_name} was made after the block: {self.target_name} was not computed from it."
        if not used:
            return self._explained(Kind.UNCONNECTED, reason, self._where(assigned), *self._zeros())
        repair = f"{self.reading.tape or 'tape'}.gradient({self.target_name}, {used[0]})"
        return self._explained(Kind.UNCONNECTED, reason, self._where(assigned), repair, "Ask for what was used:")

    def _is_swapped(self) -> bool:
        return bool(self.target) and self.target in self.chain.ancestors([self.number]) and self.target != self.number

    def _swapped(self) -> Explanation:
        call = self.reading.call
        tape, where = self.reading.tape or "tape", self.reading.where(call) if call is not None else None
        reason = f"{self.source_name} was computed from {self.target_name}, not the other way round."
        repair = f"{tape}.gradient({self.source_name}, {self.target_name})"
        return self._explained(Kind.SWAPPED, reason, where, repair, "What was computed comes first:")

    # --- cuts that the tape noted ------------------------------------------------------------------------------------

    def _cut_on_the_way(self) -> Explanation | None:
        way = self.ways.to(self._is_target)
        number = None if way is None else self.ways.first_cut(way)
        if way is None or number is None:
            return None
        first = way.index(number)
        cuts = [place for place in range(first, len(way)) if place == first or self._cuts_again(way, place)]
        lines = [where_of_record(way[place], CUTS[way[place]].code, CUTS[way[place]].offset) for place in cuts]
        answers = [self._cut(way[: place + 1]) for place in cuts]
        return _joined(answers, lines, [CUTS[way[place]].by for place in cuts])

    def _cuts_again(self, way: list[int], place: int) -> bool:
        """Whether an op beyond the first cut would end the gradient too, if the way to it were repaired."""
        cut, before = CUTS.get(way[place]), CUTS.get(way[place - 1])
        if cut is None or not isinstance(cut.by, Op):
            return False
        came_typed = before is None or before.typed
        return bool(cut.by.no_derivative) or cut.by.name == "stop_gradient" or (came_typed and not cut.typed)

    def _is_target(self, number: int) -> bool:
        if number == self.target:
            return True
        # A plain tape has dropped the records between the target and this value: so the target was computed from it.
        cut = CUTS.get(number)
        return self.consumed and cut is not None and cut.mixed and number not in self.chain

    def _cut(self, way: list[int]) -> Explanation:
        number = way[-1]
        cut = CUTS[number]
        where = where_of_record(number, cut.code, cut.offset)
        path = tuple(self._step(each) for each in way[1:])
        if isinstance(cut.by, LostInFunction):
            return self._inside_function(cut, way[-2], where, path)
        op: Op = cut.by
        return self._by_op(op, where, path)

    def _by_op(self, op: Op, where: Where, path: tuple[Step, ...]) -> Explanation:
        name = op.name
        if name == "stop_gradient":
            reason = "tf.stop_gradient ends the gradient here, as it is meant to."
            repair = _repaired(op, where)
            return self._explained(Kind.STOP_GRADIENT, reason, where, repair, "Without it:", path)
        if name in _ROUNDING:
            reason = f"tf.{name} has no derivative: {op.no_derivative}."
            repair = _repaired(op, where)
            return self._explained(
                Kind.NO_DERIVATIVE, reason, where, repair, "To let the gradient pass as if it were not there:", path
            )
        if name == "convert":
            reason = "This cast gives a type that has no derivatives."
            repair = _repaired(op, where)
            return self._explained(Kind.DTYPE, reason, where, repair, "Stay with floats:", path)
        if name in _SELECTING:
            reason = f"{op.name} gives {'positions' if 'arg' in name else 'truth values'}, which have no derivative."
            repair = _repaired(op, where)
            return self._explained(Kind.DTYPE, reason, where, repair, "A smooth form of it:", path)
        why = op.no_derivative or "its result is not of a floating type"
        return self._explained(
            Kind.NO_DERIVATIVE, f"{op.name} has no derivative: {why}.", where, *self._zeros(), path=path
        )

    def _inside_function(self, cut: Cut, before: int, where: Where, path: tuple[Step, ...]) -> Explanation:
        lost: LostInFunction = cut.by
        found = inside(lost, cut.ids.index(before))
        if found is None:
            reason = f"{lost.name} does not use it for what it returns."
            return self._explained(Kind.UNCONNECTED, reason, where, *self._zeros(), path=path)
        op, line = found
        inner = self._by_op(op, line or where, (*path, Step(op.name, line)))
        return replace(inner, reason=f"Inside {lost.name}: {inner.reason}")

    # --- values that left ----------------------------------------------------------------------------------------------

    def _lost(self) -> Explanation | None:
        predicted = self._predicted() if isinstance(self.value, Variable) else None
        return predicted or self._left()

    def _left(self) -> Explanation | None:
        exits = [(n, EXITS[n]) for n in self.ways.parents if n in EXITS]
        if not exits:
            return None
        number, last = exits[-1]
        path = tuple(self._step(each) for each in self.ways.back(number)[1:])
        where = where_of(last.code, last.offset)
        if last.how == "assign":
            return self._assigned(last, where, path)
        reason = f"Here the value leaves the tape as {last.how}: what is computed from it in Python or NumPy is not recorded."
        repair = repairs.rewritten(where, repairs.kept_as_tensor)
        if last.how == "the logits of a draw":
            reason = (
                "What is drawn has no derivative. Weight the logarithm of its probability with the reward (REINFORCE), or draw "
                "with Gumbel noise and a softmax."
            )
            return self._explained(Kind.NO_DERIVATIVE, reason, where, path=path)
        if last.how.endswith("numpy_function"):
            repair = repairs.rewritten(where, _renaming("tf.numpy_function", "tf.py_function"))
            advice = "tf.py_function is followed where its function computes with tensors:"
            return self._explained(Kind.NUMBER, reason, where, repair, advice, path)
        return self._explained(Kind.NUMBER, reason, where, repair, "Stay with tensors:", path)

    def _assigned(self, last: Exit, where: Where, path: tuple[Step, ...]) -> Explanation:
        reason = "Here the value is stored in a variable. A variable is a leaf: what is read from it has no history."
        statement = repairs.statement_at(where)
        call = getattr(statement, "value", None)
        repair = ""
        if called(call) == "assign" and isinstance(call, ast.Call) and call.args:
            variable = ast.unparse(call.func.value)  # type: ignore[attr-defined]
            value = f"new_{variable.replace('.', '_')}"
            repair = f"{value} = {ast.unparse(call.args[0])}\n{variable}.assign({value})"
            assigned = self.reading.last_assigned(self.target_name)
            if assigned is not None:
                line = repairs.rewritten(self.reading.where(assigned.statement), _renaming(variable, value))
                repair += f"\n{line}" if line else ""
        advice = "Compute with the tensor itself, and keep the variable for what comes after:"
        return self._explained(Kind.ASSIGN, reason, where, repair, advice, path)

    # --- what the text shows -----------------------------------------------------------------------------------------

    def _by_the_text(self) -> Explanation | None:
        if len(self.ways.followed) > 1 and self._is_on_tape():
            return None
        assigned = self.reading.last_assigned(self.target_name)
        pause = None if assigned is None else self.reading.pause_around(assigned.statement)
        if pause is not None and assigned is not None:
            reason = f"The tape does not record in `{self.reading.where(pause).text}`."
            repair = repairs.line_text(self.reading.where(assigned.statement))
            return self._explained(
                Kind.STOPPED, reason, self._where(assigned), repair, "Move this line out of that block:"
            )
        outside = self._outside() or self._made_outside()
        if outside is not None:
            return outside
        return self._watched_late(assigned) or self._in_thread() or self._branch()

    def _is_on_tape(self) -> bool:
        if self.target in self.chain:
            return True
        cut = CUTS.get(self.target)
        return self.consumed and bool(self.target) and (cut is None or cut.mixed)

    def _outside(self, unwatched: bool = False) -> Explanation | None:
        assigned = self.reading.last_assigned(self.target_name)
        if assigned is None or self.reading.block is None or self.reading.is_in_block(assigned.statement):
            return None
        if self._is_on_tape():
            return None
        before = self.reading.is_before_block(assigned.statement)
        when = "before the tape recorded" if before else "after the tape had stopped"
        reason = f"{self.target_name} was computed {when}."
        repair = repairs.line_text(self.reading.where(assigned.statement))
        if unwatched and not isinstance(self.value, Variable) and not self.reading.watches(self.source_name):
            repair = f"{self.reading.tape or 'tape'}.watch({self.source_name})\n{repair}"
            reason += f" And {self.source_name} is a tensor that was not watched."
        advice = f"Move it into the block of `{self.reading.opening().text}`:"
        return self._explained(Kind.OUTSIDE, reason, self._where(assigned), repair, advice)

    def _made_outside(self) -> Explanation | None:
        """What the target was computed from stands outside the block, although it was computed from the source."""
        made = self.reading.made_outside(self.target_name, self.source_name)
        if made is None:
            return None
        name, statement = made
        needed = self.reading.block_asked_in(statement)
        lines = [repairs.line_text(self.reading.where(statement))]
        if needed is not None:  # a gradient: its own tape must be inside as well
            lines.insert(0, ast.unparse(needed))
        reason = f"{self.target_name} is computed from {name}, and {name} was computed outside the tape."
        advice = f"Move this into the block of `{self.reading.opening().text}`, at its top:"
        return self._explained(Kind.OUTSIDE, reason, self.reading.where(statement), "\n".join(lines), advice)

    def _watched_late(self, assigned: Assigned | None) -> Explanation | None:
        watches = self.reading.watches(self.source_name)
        if assigned is None or not watches or watches[-1].lineno <= assigned.line or len(self.ways.followed) > 1:
            return None
        reason = f"{self.target_name} was computed before {self.source_name} was watched."
        repair = repairs.line_text(self.reading.where(watches[-1]))
        advice = f"Move it to the top of the block of `{self.reading.opening().text}`:"
        return self._explained(Kind.WATCHED_LATE, reason, self.reading.where(watches[-1]), repair, advice)

    def _in_thread(self) -> Explanation | None:
        call = self.reading.thread_in_block()
        if call is None:
            return None
        given = next((k.value for k in call.keywords if k.arg == "target"), None)
        function, arguments = (given, []) if given is not None else (call.args[0] if call.args else None, call.args[1:])
        repair = "" if function is None else ast.unparse(ast.Call(function, arguments, []))
        if called(call) == "submit" and repair:
            name = self.target_name
            repair = f"{name} = {repair}"
        reason = "A tape records the thread that entered it; this work is done by another one."
        advice = "Do it in this thread, or enter a tape in that one:"
        return self._explained(Kind.THREAD, reason, self.reading.where(call), repair, advice)

    def _predicted(self) -> Explanation | None:
        calls = self.reading.calls_in_block("predict", "predict_on_batch")
        assigned = self.reading.last_assigned(self.target_name)
        if not calls and assigned is not None and called(assigned.value).startswith("predict"):
            calls = [assigned.value]  # type: ignore[list-item]
        if not calls:
            return None
        where = self.reading.where(calls[0])
        reason = "`predict` runs in a loop of its own and gives NumPy arrays, which no tape follows."
        return self._explained(
            Kind.PREDICT, reason, where, repairs.rewritten(where, repairs.as_call), "Call the model in the block:"
        )

    def _branch(self) -> Explanation | None:
        name = self.source_name
        if not name.isidentifier():
            return None
        branch = self.reading.branch_with(name)
        if branch is None:
            return None
        where = self.reading.where(branch)
        reason = f"{name} is used in one branch of `{where.text}` only, and the other one ran."
        return self._explained(Kind.BRANCH, reason, where, *self._zeros())

    def _unconnected(self) -> Explanation:
        ends = [n for n in self.ways.followed if n != self.number]
        path = tuple(self._step(each) for each in self.ways.back(ends[-1])[1:]) if ends else ()
        if not ends:
            reason = f"{self.target_name} was not computed from {self.source_name}, which nothing on the tape uses."
        else:
            reason = f"{self.target_name} was not computed from {self.source_name}: what comes of it ends elsewhere."
        shared = self._common_ancestor()
        if shared is not None:
            reason += f" Both come from {self._described(shared)}."
        answer = self._explained(Kind.UNCONNECTED, reason, self._target_line(), *self._zeros(), path=path)
        return replace(answer, target_path=self._way_to_target(shared))

    def _common_ancestor(self) -> int | None:
        """The nearest value that target and source were both computed from."""
        above = self.chain.ancestors([self.number]) - {self.number}
        if not self.consumed:
            shared = above & self.chain.ancestors([self.target])
        else:  # what the target was computed from has been dropped
            shared = {number for number in above if number not in self.chain}
        return max(shared, default=None)

    def _described(self, number: int) -> str:
        step = self._step(number)
        return f"the value made by {step}" if step.where is not None else "one value"

    def _way_to_target(self, shared: int | None) -> tuple[Step, ...]:
        """The ops between a shared value, or a leaf, and the target, as far as the tape still has them."""
        way: list[Step] = []
        number = self.target
        while not self.consumed and number != shared and isinstance(link := self.chain.get(number), Link):
            way.append(self._step(number))
            onward = [i for i in link.ids if shared is not None and shared in self.chain.ancestors([i])]
            number = (onward or list(link.ids))[0]
        return tuple(reversed(way))

    # --- parts of an answer --------------------------------------------------------------------------------------------

    def _step(self, number: int) -> Step:
        link = self.chain.get(number)
        if isinstance(link, Link) and link.code is not None:
            return Step(link.name, _in_program(where_of_record(number, link.code, link.offset)))
        cut = CUTS.get(number)
        if cut is not None:
            return Step(cut.by.name, _in_program(where_of_record(number, cut.code, cut.offset)))
        return Step("value", None)

    def _where(self, assigned: Assigned | None) -> Where | None:
        return None if assigned is None else self.reading.where(assigned.statement)

    def _target_line(self) -> Where | None:
        return self._where(self.reading.last_assigned(self.target_name)) or self.reading.opening()

    def _zeros(self) -> tuple[str, str]:
        tape = self.reading.tape or "tape"
        repair = f'{tape}.gradient({self.target_name}, {self.sources_text or self.source_name}, unconnected_gradients="zero")'
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


def _joined(answers: list[Explanation], lines: list[Where], ops: list[Any]) -> Explanation:
    """One answer for all cuts on a way. Those on one line are repaired together, in the first answer that has the line."""
    by_line: dict[Where, list[int]] = {}
    for place, line in enumerate(lines):
        by_line.setdefault(line, []).append(place)
    joined = []
    for line, places in by_line.items():
        answer = answers[places[0]]
        if len(places) == 1 and len(answers) > 1:
            repair = _repaired(ops[places[0]], line, ops) or answer.repair
            if repair != answer.repair:
                answer = replace(answer, repair=repair, advice="A smooth form of it:")
        if len(places) > 1:
            changes = [change for place in places if (change := _change_for(ops[place], ops)) is not None]
            reasons = dict.fromkeys(answers[place].reason for place in places)
            repair = repairs.rewritten(line, *changes) or answer.repair
            answer = replace(answer, reason=" ".join(reasons), repair=repair)
        joined.append(answer)
    return replace(joined[0], further=tuple(joined[1:]))


def _in_program(where: Where) -> Where | None:
    """The line, unless it is one of a library, of which it is not known who called it."""
    return None if is_library(where.file) or where.file.startswith(_OURS) else where


_OURS = tuple(os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), name, "") for name in PACKAGES)


def _names_one(text: str) -> bool:
    """Whether the text of a source names one variable: `w` and `layer.kernel` do, `model.trainable_variables` does not."""
    node = ast.parse(text, mode="eval").body if text else None
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return isinstance(node, ast.Name) and not text.endswith(("variables", "weights"))


def _repaired(op: Op, where: Where, others: Sequence[Any] = ()) -> str:
    change = _change_for(op, others)
    return "" if change is None else repairs.rewritten(where, change)


def _change_for(op: Any, others: Sequence[Any] = ()) -> repairs.Change | None:
    """How the expression of an op is rewritten so that a gradient passes; `others` are the ops that cut the same way."""
    name = op.name if isinstance(op, Op) else ""
    if any(isinstance(other, Op) and other.name == "encode_one_hot" for other in others):
        # One at the largest place, zeros elsewhere: softmax is its smooth form.
        if name == "argmax":
            return repairs.shares
        if name == "encode_one_hot":
            return repairs.without_call("one_hot")
    if name == "stop_gradient":
        return repairs.without_call("stop_gradient")
    if name in _ROUNDING:
        return repairs.straight_through(*_ROUNDING)
    if name == "convert":
        return repairs.staying_floating
    return repairs.smooth if name in _SELECTING else None


def _renaming(old: str, new: str) -> Any:
    def change(node: Any) -> Any:
        matches = isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == old
        return ast.Name(new) if matches and not isinstance(node.ctx, ast.Store) else None

    return change
