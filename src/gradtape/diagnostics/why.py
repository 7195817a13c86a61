"""Why a gradient is None: the facts of the tape's chain and of the notes, then what the program's text adds to them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from ..base.dtypes import DType
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
_SELECTING = ("greater", "greater_equal", "less", "less_equal", "argmax")


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
        self.target, self.target_dtype = target
        self.value = source
        self.number: int = source._id
        self.reading = reading
        self.consumed = consumed
        self.follows_variables = follows_variables
        self.target_name = reading.target() or "the target"
        self.source_name = reading.source(place) or "the source"
        if isinstance(source, Variable) and not self.source_name.isidentifier():
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
            found = self._lost() or self._outside() or self._branch()
            if found is not None:
                return found
            reason = f"{name} was not read while the tape recorded."
            return self._explained(Kind.UNCONNECTED, reason, self._target_line(), *self._zeros())
        replaced = self._replaced()
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
        name = name if name.isidentifier() else "x"
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
        return self._cut(way[: way.index(number) + 1])

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
            repair = repairs.rewritten(where, repairs.without_call("stop_gradient"))
            return self._explained(Kind.STOP_GRADIENT, reason, where, repair, "Without it:", path)
        if name in _ROUNDING:
            reason = f"tf.{name} has no derivative: {op.no_derivative}."
            repair = repairs.rewritten(where, repairs.straight_through(*_ROUNDING))
            return self._explained(
                Kind.NO_DERIVATIVE, reason, where, repair, "To let the gradient pass as if it were not there:", path
            )
        if name == "convert":
            reason = "This cast gives a type that has no derivatives."
            repair = repairs.rewritten(where, repairs.without_call("cast", "to_int32", "to_int64"))
            return self._explained(Kind.DTYPE, reason, where, repair, "Stay with floats:", path)
        if name in _SELECTING:
            reason = f"{op.name} gives {'positions' if 'arg' in name else 'truth values'}, which have no derivative."
            repair = repairs.rewritten(where, repairs.smooth)
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
        outside = self._outside()
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
            return Step(link.name, where_of_record(number, link.code, link.offset))
        cut = CUTS.get(number)
        if cut is not None:
            return Step(cut.by.name, where_of_record(number, cut.code, cut.offset))
        return Step("value", None)

    def _where(self, assigned: Assigned | None) -> Where | None:
        return None if assigned is None else self.reading.where(assigned.statement)

    def _target_line(self) -> Where | None:
        return self._where(self.reading.last_assigned(self.target_name)) or self.reading.opening()

    def _zeros(self) -> tuple[str, str]:
        tape = self.reading.tape or "tape"
        repair = f'{tape}.gradient({self.target_name}, {self.source_name}, unconnected_gradients="zero")'
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


def _renaming(old: str, new: str) -> Any:
    def change(node: Any) -> Any:
        matches = isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == old
        return ast.Name(new) if matches and not isinstance(node.ctx, ast.Store) else None

    return change
