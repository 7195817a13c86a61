"""Why a gradient is None: the facts of the tape's chain and of the notes, then what the program's text adds to them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..base import dtypes
from ..base.notes import DRAW, Cut, End, Exit
from ..compile.recorded import LostInFunction
from ..op.declaration import Op
from ..variables.variable import Variable
from . import repairs
from .asked import names_one
from .by_text import AskedOfText
from .chain import Link
from .explanation import Explanation, Kind, Step
from .flow import parse_path, path_of, paths_in
from .functions import inside
from .keeping import as_tensors
from .places import Where, line_of, where_of, where_of_record
from .reading import called

_LEAF = "A variable is a leaf: what is read from it has no history."
_ROUNDING = ("round", "floor", "ceil", "rint", "trunc")
_SELECTING = ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "argmax")


_OF_INTEGERS = ("integer", "position", "truth", "text", "count", "not of a floating")
_ASSIGNING = {"assign": "", "assign_add": "+", "assign_sub": "-"}


class Question(AskedOfText):
    """A question, with the facts of the tape's chain and of the notes before what the text shows."""

    def answer(self) -> Explanation:
        """The explanation."""
        ended = self._ended()
        if ended is not None:
            return ended
        if not self.consumed and self.number and self.number in self.chain.ancestors([self.target]):
            return self._connected()
        if not self.value.dtype.is_differentiable:
            return self._source_of_wrong_type()
        if self.number not in self.chain:
            return self._not_watched()
        if self._is_swapped():
            return self._swapped()
        return (
            self._predicted()
            or self._cut_on_the_way()
            or self._by_the_text()
            or self._left()
            or self._chosen()
            or self._by_a_last_look()
            or self._unconnected()
        )

    def _ended(self) -> Explanation | None:
        """A backward step on the way that gave nothing, or that no rule is known for."""
        above = frozenset() if self.consumed else self.chain.ancestors([self.target])
        for number in self.ways.followed:
            link = self.chain.get(number)
            end = link.op if isinstance(link, Link) else None
            op: Op | None = end.op if isinstance(end, End) else end
            is_refusal = isinstance(op, Op) and bool(op.no_derivative) and number in above
            if link is None or not (isinstance(end, End) or is_refusal):
                continue
            where = where_of_record(number, link.code, link.offset)
            path = tuple(self._step(each) for each in self.ways.back(number)[1:])
            if op is not None:
                reason = f"{op.name} has no derivative: {op.no_derivative}. Its gradient is an error, not None."
                text = ast.unparse(node) if (node := repairs.expression_at(where)) is not None else ""
                repair = repairs.rewritten(where, repairs.stopped(text)) if text else ""
                return self._explained(Kind.NO_DERIVATIVE, reason, where, repair, "Take it off the path:", path)
            reason = f"The gradient function of {link.name} gives None for what it was called with here."
            return self._explained(Kind.NO_DERIVATIVE, reason, where, *self._zeros(), path=path)
        return None

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
        if assigned is not None and assigned.value is not None and self.reading.computes_with(self.source_name):
            repair = f"{self.source_name} = tf.cast({ast.unparse(assigned.value)}, tf.float32)"
            if called(assigned.value) == "Variable":
                inner = ast.unparse(assigned.value.args[0])  # type: ignore[attr-defined]
                repair = f"{self.source_name} = tf.Variable(tf.cast({inner}, tf.float32))"
        reason = f"{self.source_name} is of {kind}, and only floating and complex values have derivatives."
        return self._explained(Kind.DTYPE, reason, where, repair, "Make it a float where it is made:")

    def _not_watched(self) -> Explanation:
        name, tape = self.source_name, self.reading.tape or "tape"
        if isinstance(self.value, Variable) and self.value.trainable and self.follows_variables:
            found = self._predicted() or self._by_the_text() or self._left() or self._by_a_last_look()
            if found is not None:
                return found
            reason = f"{name} was not read while the tape recorded."
            return self._explained(Kind.UNCONNECTED, reason, self._target_line(), *self._zeros())
        replaced = self._replaced() or self._read_from_variable() or self._made_anew() or self._made_afterwards()
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
        name = self.sources_text if names_one(self.sources_text) else "x"
        advice = f"First in the block of `{self.reading.opening().text or 'with tf.GradientTape() as tape:'}`:"
        return self._explained(Kind.NEVER_WATCHED, reason, self.reading.opening(), f"{tape}.watch({name})", advice)

    def _replaced(self) -> Explanation | None:
        if isinstance(self.value, Variable):
            return None
        for path in self.paths:
            last = self.reading.replaced(path, whole=not self.is_named)
            if last is None:
                continue
            repair = repairs.in_place(last)
            name = ast.unparse(last.targets[0]) if isinstance(last, ast.Assign) and len(last.targets) == 1 else ""
            name = name if name and not name.startswith("(") else self.source_name
            what = self.source_name if self.is_named else name
            reason = f"{what} was a variable; this line gives its name to a tensor, which nobody watches."
            if not self.is_named and parse_path(name) == path:
                reason = f"{name} had variables; this line puts tensors in their place, which nobody watches."
            return self._explained(
                Kind.REPLACED, reason, self.reading.where(last), repair, "Change the variable instead:"
            )
        return None

    def _read_from_variable(self) -> Explanation | None:
        """The source is a value that was read from another one, and the target was computed from that one."""
        if isinstance(self.value, Variable) or self.reading.name_of(self.sources_text):
            return None
        assigned = self.reading.last_assigned(self.source_name)
        made = assigned.value if assigned is not None else self.reading.parsed(self.sources_text)
        read = _what_is_read(made)
        if made is None or not read or not self.flow.statements:
            return None
        used = [path for statement in self.flow.statements for path in paths_in(self.flow.value_of(statement))]
        if parse_path(read) not in used or (path_of(made) or parse_path(self.source_name)) in used:
            return None
        reason = f"`{ast.unparse(made)}` is a value of its own; {self.target_name} was computed from {read}."
        call = self.reading.call
        where = self._where(assigned) if assigned is not None else self.reading.where(call) if call else None
        repair = f"{self.reading.tape or 'tape'}.gradient({self.target_name}, {read})"
        return self._explained(Kind.UNCONNECTED, reason, where, repair, "Ask for what was used:")

    def _made_anew(self) -> Explanation | None:
        """The source is an expression that makes a new tensor, which nothing was computed from."""
        text, tape = self.sources_text, self.reading.tape or "tape"
        call = self.reading.call
        part = self.reading.part_of(text)
        if part is not None and not isinstance(self.value, Variable):
            whole, place = part
            reason = f"`{text}` makes a new tensor each time; {self.target_name} was not computed from this one."
            repair = f"{tape}.gradient({self.target_name}, {whole}){place}"
            where = self.reading.where(call) if call is not None else None
            return self._explained(Kind.UNCONNECTED, reason, where, repair, "The part of the gradient of the whole:")
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
        lines = [self._where_of_cut(way[place]) for place in cuts]
        answers = [self._cut(way[: place + 1]) for place in cuts]
        ops = [self.cuts[way[place]].by for place in cuts]
        beyond = [cut.by for number in way[first + 1 :] if (cut := self.cuts.get(number)) is not None]
        return _joined(answers, lines, ops, any(_takes_no_floats(by, ops) for by in beyond), self._zeros())

    def _cuts_again(self, way: list[int], place: int) -> bool:
        """Whether an op beyond the first cut would end the gradient too, if the way to it were repaired."""
        cut, before = self.cuts.get(way[place]), self.cuts.get(way[place - 1])
        if cut is None or not isinstance(cut.by, Op):
            return False
        came_typed = before is None or before.typed
        name = cut.by.name
        if bool(cut.by.no_derivative) or name == "stop_gradient" or (came_typed and not cut.typed):
            return True
        # (A cast between integers, and a condition: repaired before, they get floats.)
        return (name == "convert" and not cut.typed) or (name == "select" and not came_typed)

    def _cut(self, way: list[int]) -> Explanation:
        number = way[-1]
        cut = self.cuts[number]
        where = self._where_of_cut(number)
        path = tuple(self._step(each) for each in way[1:])
        if isinstance(cut.by, LostInFunction):
            return self._inside_function(cut, way[-2], where, path)
        before = self.chain.get(way[-2])
        if before is not None and not before.typed:  # an integer that an op gave beside floats, or instead of them
            first = self.chain.get(before.ids[0]) if before.name == "output" else before
            if isinstance(first, Link) and first.code is not None:
                number = before.ids[0] if before.name == "output" else way[-2]
                reason = f"{first.name} gives integers here, which have no derivative."
                reason = (
                    reason
                    if not getattr(first.op, "no_derivative", "")
                    else f"{first.name} has no derivative: {first.op.no_derivative}."
                )
                return self._explained(
                    Kind.DTYPE,
                    reason,
                    where_of_record(number, first.code, first.offset),
                    *self._zeros(),
                    path=path[:-1],
                )
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
        if name == "select":
            reason = "tf.where chooses by truth values, which have no derivative."
            return self._explained(Kind.DTYPE, reason, where, _repaired(op, where), "A mixture of both:", path)
        why = op.no_derivative or "its result is not of a floating type"
        kind = Kind.DTYPE if any(word in why for word in _OF_INTEGERS) else Kind.NO_DERIVATIVE
        repair = _repaired(op, where)
        advice = "To let the gradient pass as if it did not round:"
        return self._explained(kind, f"{op.name} has no derivative: {why}.", where, repair, advice, path)

    def _inside_function(self, cut: Cut, before: int, where: Where, path: tuple[Step, ...]) -> Explanation:
        lost: LostInFunction = cut.by
        found = inside(lost, cut.ids.index(before))
        if found is None:
            reason = f"Inside {lost.name} no ops with derivatives lead from it to what is returned."
            return self._explained(Kind.UNCONNECTED, reason, where, *self._zeros(), path=path)
        op, line, beyond, is_assigned = found
        if is_assigned:
            reason = f"Inside {lost.name} the value is stored in a variable here. {_LEAF}"
            return self._explained(Kind.ASSIGN, reason, line, *self._zeros(), path=path)
        if op is None:
            reason = (
                f"Inside {lost.name} no ops with derivatives lead from it to what is returned: here integers are made."
            )
            return self._explained(Kind.DTYPE, reason, line, *self._zeros(), path=path)
        inner = self._by_op(op, line or where, (*path, Step(op.name, line)))
        inner = replace(inner, reason=f"Inside {lost.name}: {inner.reason}")
        if beyond is None or any(_is_met_again(each, op) for each in beyond):
            repair, advice = self._zeros()  # (what comes after it may not take floats)
            return replace(inner, repair=repair, advice=advice)
        return inner

    # --- values that left ----------------------------------------------------------------------------------------------

    def _left(self) -> Explanation | None:
        exits = [(n, self.exits[n]) for n in self.ways.parents if n in self.exits and self._matters(self.exits[n])]
        if not exits:
            return None
        number, last = exits[-1]
        if number not in self.ways.followed:  # it was cut before it left
            way = self.ways.back(number)
            first = self.ways.first_cut(way)
            assert first is not None
            repair, advice = self._zeros()
            return replace(self._cut(way[: way.index(first) + 1]), repair=repair, advice=advice)
        path = tuple(self._step(each) for each in self.ways.back(number)[1:])
        where = where_of(last.code, last.offset)
        if last.into:
            return self._assigned(last, where, path)
        reason = f"Here the value leaves the tape as {last.how}: what is computed from it in Python or NumPy is not recorded."
        if last.how == DRAW:
            reason = (
                "What is drawn has no derivative. Weight the logarithm of its probability with the reward (REINFORCE), or draw "
                "with Gumbel noise and a softmax."
            )
            return self._explained(Kind.NO_DERIVATIVE, reason, where, path=path)
        if last.how.endswith("numpy_function"):
            where = self._line_in_called(where, "numpy_function")
            repair = repairs.rewritten(where, _renaming("tf.numpy_function", "tf.py_function"))
            advice = "tf.py_function is followed where its function computes with tensors:"
            return self._explained(Kind.NUMBER, reason, where, repair, advice, path)
        lines = as_tensors(where)
        repair = lines[0][1] if lines else ""
        answer = self._explained(Kind.NUMBER, reason, where, repair, "Stay with tensors:", path)
        more = [
            self._explained(Kind.NUMBER, "It uses the number as one of Python or NumPy.", line, text, "With tensors:")
            for line, text in lines[1:]
        ]
        return replace(answer, further=tuple(more))

    def _line_in_called(self, where: Where, name: str) -> Where:
        """Where a function is called in those that run on a line: that of a compiled function shows only its own call."""
        statement = repairs.statement_at(where)
        if statement is None or any(called(node) == name for node in ast.walk(statement)):
            return where
        functions = [self.flow.functions[each] for each in sorted(self.flow.called & self.flow.functions.keys())]
        found = [node for each in functions for node in ast.walk(each) if called(node) == name]
        return self.reading.where(found[0]) if len(found) == 1 else where

    def _matters(self, left: Exit) -> bool:
        """Whether what left may have come to the target: what is printed on the way did not."""
        line = line_of(left.code, left.offset)
        if (
            left.into and left.into not in self.chain
        ):  # the tape did not follow that variable: is it there for its own sake?
            statement = repairs.statement_at(where_of(left.code, left.offset))
            calls = [called(node) for node in ast.walk(statement)] if statement is not None else []
            if not any(name.startswith(("assign", "update", "scatter", "Variable")) for name in calls):
                return False
        same = left.code.co_filename == self.reading.file
        return not (same and self.flow.knows(line)) or self.flow.covers(line)

    def _assigned(self, last: Exit, where: Where, path: tuple[Step, ...]) -> Explanation:
        reason = f"Here the value is stored in a variable. {_LEAF}"
        statement = repairs.statement_at(where)
        call = getattr(statement, "value", None)
        if last.how != "assign":
            reason = f"Here a variable is made of the value. {_LEAF}"
            repair = repairs.rewritten(where, repairs.without_call("Variable"))
            if not isinstance(statement, ast.Assign) or called(statement.value) != "Variable":
                repair = ""
            return self._explained(Kind.ASSIGN, reason, where, repair, "A tensor keeps its history:", path)
        repair, further = "", tuple[Explanation, ...]()
        variable = parse_path(ast.unparse(call.func.value)) if _is_method(call) else ()  # type: ignore[union-attr]
        if (
            called(call) in _ASSIGNING
            and isinstance(call, ast.Call)
            and call.args
            and variable
            and "[" not in "".join(variable)
        ):
            name = ast.unparse(call.func.value)  # type: ignore[attr-defined]
            value = f"new_{name.replace('.', '_')}"
            sign = _ASSIGNING[called(call)]
            given = ast.unparse(call.args[0])
            given = f"{name} {sign} {ast.unparse(_grouped(call.args[0]))}" if sign else given
            uses = self.reading.uses_after(name, where.line)
            if len(uses) == 1 and not self.reading.in_loop(where.line):
                line = repairs.rewritten(self.reading.where(uses[0]), _renaming(name, value))
                if line:
                    repair = f"{value} = {given}\n{name}.assign({value})"
                    again = f"Here {name} is read again, which has no history."
                    further = (
                        self._explained(Kind.ASSIGN, again, self.reading.where(uses[0]), line, "With the tensor:"),
                    )
        advice = "Compute with the tensor itself, and keep the variable for what comes after:"
        return replace(self._explained(Kind.ASSIGN, reason, where, repair, advice, path), further=further)

    def _by_a_last_look(self) -> Explanation | None:
        if len(self.ways.followed) > 1 and self._is_on_tape():
            return self._measured()
        late = self._watched_late(self.reading.last_assigned(self.target_name))
        return late or self._measured() or self._branch() or self._lost_on_the_way()

    def _lost_on_the_way(self) -> Explanation | None:
        """A cut on a line that the target was computed by; what came after it left no note, as a picture in a file does."""
        lost = [number for number in self.ways.parents if number not in self.ways.followed and number in self.cuts]
        for number in lost:
            cut = self.cuts[number]
            line = line_of(cut.code, cut.offset) if cut.code is not None else 0
            if not cut.typed and line and self.flow.knows(line) and self.flow.covers(line):
                way = self.ways.back(number)
                first = self.ways.first_cut(way)
                assert first is not None
                repair, advice = self._zeros()
                return replace(self._cut(way[: way.index(first) + 1]), repair=repair, advice=advice)
        return None

    def _unconnected(self) -> Explanation:
        ends = [n for n in self.ways.followed if n != self.number]
        path = tuple(self._step(each) for each in self.ways.back(ends[-1])[1:]) if ends else ()
        if not ends:
            reason = f"{self.target_name} was not computed from {self.source_name}: no recorded op leads from it."
        else:
            reason = f"{self.target_name} was not computed from {self.source_name}: what comes of it ends elsewhere."
        assigned = self.reading.last_assigned(self.target_name)
        if assigned is not None and called(assigned.value) in ("gradient", "jacobian") and self.number in self.chain:
            reason = f"{self.target_name} is a derivative that does not depend on {self.source_name}: "
            reason += "what was differentiated is linear in it."
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


def _joined(
    answers: list[Explanation], lines: list[Where], ops: list[Any], takes_integers: bool, zeros: tuple[str, str]
) -> Explanation:
    """One answer for all cuts on a way. Those on one line are repaired together, in the first answer that has the line."""
    by_line: dict[Where, list[int]] = {}
    for place, line in enumerate(lines):
        by_line.setdefault(line, []).append(place)
    joined = []
    lacks = len(ops) > 1 and any(
        isinstance(op, Op) and not repairs.rewritten(line, *_changes_for([op], ops))
        for op, line in zip(ops, lines, strict=True)
    )
    if lacks or takes_integers or not _stays_floating(by_line, lines, ops):
        first = replace(answers[0], repair=zeros[0], advice=zeros[1])
        return replace(first, further=tuple(_without_repair(answer) for answer in answers[1:]))
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


_READING = frozenset({"read_value", "value", "identity", "convert_to_tensor", "constant"})


def _what_is_read(made: ast.AST | None) -> str:
    """What `v.read_value()` or `tf.convert_to_tensor(v)` reads: the text of v; empty for another expression."""
    if not isinstance(made, ast.Call) or called(made) not in _READING:
        return ""
    given = made.args[0] if made.args else made.func.value if isinstance(made.func, ast.Attribute) else None
    return ast.unparse(given) if isinstance(given, (ast.Name, ast.Attribute, ast.Subscript)) else ""


def _changes_for(some: Sequence[Any], ops: Sequence[Any]) -> list[repairs.Change]:
    return [change for op in some if (change := _change_for(op, ops)) is not None]


def _stays_floating(by_line: dict[Where, list[int]], lines: list[Where], ops: list[Any]) -> bool:
    """Whether the repaired lines ask for no integers any more, as `fn_output_signature=tf.int32` does."""
    texts = [repairs.rewritten(line, *_changes_for([ops[p] for p in places], ops)) for line, places in by_line.items()]
    return not any(name in ("convert", *_SELECTING) for name in map(_name_of, ops)) or not any(
        repairs.asks_for_integers(text) for text in texts
    )


def _is_met_again(cut: Cut, first: Op) -> bool:
    """Whether an op after the first cut would have to change too."""
    back_to_floats = _name_of(cut.by) == "convert" and cut.typed
    return _takes_no_floats(cut.by, [first]) or (_change_for(cut.by, [first]) is not None and not back_to_floats)


def _takes_no_floats(by: Any, ops: Sequence[Any]) -> bool:
    """Whether what a cut has made goes on into an op for integers or truth values, for which no floats can stand."""
    if not isinstance(by, Op) or _change_for(by, ops) is not None:
        return False
    return bool(by.other) or dtypes.float32.numpy not in by.dtypes


def _name_of(by: Any) -> str:
    return by.name if isinstance(by, Op) else ""


def _without_repair(answer: Explanation) -> Explanation:
    """One whose repair would not help, because another cut on the way has none."""
    return answer if "unconnected_gradients" in answer.repair else replace(answer, repair="", advice="")


def _is_method(node: object) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def _grouped(node: ast.expr) -> ast.expr:
    """An expression that can stand behind a minus."""
    simple = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant))
    return node if simple else ast.Name(f"({ast.unparse(node)})")


def _repaired(op: Op, where: Where, others: Sequence[Any] = ()) -> str:
    change = _change_for(op, others)
    return "" if change is None else repairs.rewritten(where, change)


def _change_for(op: Any, others: Sequence[Any] = ()) -> repairs.Change | None:
    """How the expression of an op is rewritten so that a gradient passes; `others` are the ops that cut the same way."""
    name = op.name if isinstance(op, Op) else ""
    names = {other.name for other in others if isinstance(other, Op)}
    if names >= {"encode_one_hot", "argmax"}:
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
    if name == "select":
        return repairs.mixture if names.intersection(_SELECTING) else None
    if name == "floordiv":
        return repairs.quotient
    return repairs.smooth if name in _SELECTING else None


def _renaming(old: str, new: str) -> Any:
    def change(node: Any) -> Any:
        matches = isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == old
        return ast.Name(new) if matches and not isinstance(node.ctx, ast.Store) else None

    return change
