"""Why a gradient is None, as far as only the text shows it: computed outside the tape, in a pause, in another thread."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ..variables.variable import Variable
from . import repairs
from .asked import Asked
from .explanation import Explanation, Kind
from .flow import Path, path_of, paths_in, statements_of, targets_of
from .places import where_of
from .reading import Assigned, called

_OF_DATASETS = frozenset({"map", "flat_map", "interleave", "filter", "scan", "from_generator"})
_COPYING = frozenset({"deepcopy", "copy", "Variable", "clone_model"})


class AskedOfText(Asked):
    """What the text around the question adds."""

    def _by_the_text(self) -> Explanation | None:
        return (
            self._paused()
            or self._outside()
            or self._made_outside()
            or self._made_with_its_object()
            or self._in_thread()
            or self._forgotten()
        )

    def _paused(self) -> Explanation | None:
        for statement in self.flow.statements:
            pause = self.reading.pause_around(statement)
            if pause is None or not self.flow.chain_to(statement, self.paths):
                continue
            reason = f"The tape does not record in `{self.reading.where(pause).text}`."
            where = self.reading.where(statement)
            repair = repairs.line_text(where)
            return self._explained(Kind.STOPPED, reason, where, repair, "Move this line out of that block:")
        for name in sorted(self.flow.called & self.flow.functions.keys()):  # in a function that the block calls
            for block in ast.walk(self.flow.functions[name]):
                if isinstance(block, ast.With) and any(called(i.context_expr) == "stop_recording" for i in block.items):
                    using = [each for each in block.body if self.flow.uses(each, self.paths)]
                    if using:
                        reason = f"The tape does not record in `{self.reading.where(block).text}`."
                        where = self.reading.where(using[0])
                        repair = repairs.line_text(where)
                        return self._explained(Kind.STOPPED, reason, where, repair, "Move this line out of that block:")
        return None

    def _forgotten(self) -> Explanation | None:
        """The tape was told to forget what it had recorded."""
        for call in self.reading.calls_in_block("reset"):
            owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            before = [s for s in self.flow.statements if s.lineno < call.lineno and self.reading.is_in_block(s)]
            if owner == self.reading.tape and any(self.flow.chain_to(s, self.paths) for s in before):
                reason = (
                    f"`{owner}.reset()` forgets what was recorded before it, and {self.target_name} was computed there."
                )
                advice = f"Move it above that, to the top of the block of `{self.reading.opening().text}`:"
                return self._explained(Kind.OUTSIDE, reason, self.reading.where(call), f"{owner}.reset()", advice)
        return None

    def _measured(self) -> Explanation | None:
        """Only the shape of the source went into the target."""
        for statement in self.flow.statements:
            for call in ast.walk(statement):
                sized = called(call) in ("shape", "size", "rank", "len", "shape_n") and call.args  # type: ignore[attr-defined]
                if sized and self.flow.uses(call.args[0], self.paths):  # type: ignore[attr-defined]
                    text = ast.unparse(call)
                    reason = f"`{text}` is an integer that does not depend on the values of {self.source_name}."
                    return self._explained(Kind.DTYPE, reason, self.reading.where(call))
        return None

    def _outside(self, unwatched: bool = False) -> Explanation | None:
        assigned = self.reading.last_assigned(self.target_name)
        if assigned is None or self.reading.block is None or self.reading.is_in_block(assigned.statement):
            return None
        if self._is_on_tape() or self.reading.pause_around(assigned.statement) is not None:
            return None
        before = self.reading.is_before_block(assigned.statement)
        when = "before the tape recorded" if before else "after the tape had stopped"
        reason = f"{self.target_name} was computed {when}."
        repair = self._moved(assigned.statement)
        if unwatched and not isinstance(self.value, Variable) and not self.reading.watches(self.source_name):
            repair = f"{self.reading.tape or 'tape'}.watch({self.source_name})\n{repair}"
            reason += f" And {self.source_name} is a tensor that was not watched."
        advice = f"Move it into the block of `{self.reading.opening().text}`:"
        return self._explained(Kind.OUTSIDE, reason, self._where(assigned), repair, advice)

    def _moved(self, statement: ast.stmt) -> str:
        """What belongs into the block: a statement, with those outside that lead from the source to it."""
        way = self.flow.chain_to(statement, self.paths) or [statement]
        lines = []
        for each in way:
            if hasattr(each, "body") or self.reading.is_in_block(each):
                continue
            needed = self.reading.block_asked_in(each)
            if needed is not None:  # a gradient: its own tape must be inside as well
                lines.append(ast.unparse(needed))
            lines.append(repairs.line_text(self.reading.where(each)))
        return "\n".join(dict.fromkeys(lines))

    def _made_outside(self) -> Explanation | None:
        """What the target was computed from stands outside the block, although it was computed from the source."""
        symbolic = self.flow.symbolic()
        for statement in self.flow.statements:
            value = self.flow.value_of(statement)
            if isinstance(value, ast.Lambda) or not self.reading.is_outside(statement):
                continue
            bound = [path for target in targets_of(statement) if (path := path_of(target))]
            if symbolic.issuperset(path[0] for path in bound) or (bound and not any(map(self.flow.reads, bound))):
                continue
            way = self.flow.chain_to(statement, self.paths)
            if not way:
                continue
            name = ", ".join(ast.unparse(target) for target in targets_of(statement))
            where = self.reading.where(statement)
            for each in way:
                found = self._copied(each) or self._in_dataset(each)
                if found is not None:
                    return found
            reason = f"{self.target_name} is computed from {name}, and {name} was computed outside the tape."
            if name == self.target_name:
                reason = f"{name} was computed outside the block of `{self.reading.opening().text}`."
            advice = f"Move this into the block of `{self.reading.opening().text}`, at its top:"
            return self._explained(Kind.OUTSIDE, reason, where, self._moved(statement), advice)
        return None

    def _made_with_its_object(self) -> Explanation | None:
        """The target reads an attribute that a method computed from the source, outside the tape."""
        for statement in self.flow.statements if self.reading.block is not None else ():
            if not self.reading.is_in_block(statement):
                continue
            for used in sorted(set(paths_in(self.flow.value_of(statement)))):
                for source in self.paths:
                    is_beside = len(source) > 1 and used[:-1] == source[:-1] and used != source
                    found = self._stored_before(statement, used, source) if is_beside else None
                    if found is not None:
                        return found
        return None

    def _stored_before(self, statement: ast.stmt, used: Path, source: Path) -> Explanation | None:
        """The attribute that a statement uses was computed from the source by a method that does not run in the block."""
        for stored in self.reading.stored_by(used[-1]):
            method = self.reading.function_around(stored)
            if method is None or method.name in {"__call__", "call", "forward", *self.flow.called}:
                continue
            if not self.flow.uses(stored.value, [("self", source[-1])]):
                continue
            name = ".".join(used)
            line = self.reading.where(statement)
            anew = repairs.replaced_names(stored.value, "self", ".".join(used[:-1]))
            repair = repairs.rewritten(line, repairs.in_place_of(name, anew))
            reason = f"{name} was computed from {self.source_name} by `{method.name}`, outside the tape."
            answer = self._explained(Kind.OUTSIDE, reason, self.reading.where(stored))
            if not repair:
                return answer
            use = self._explained(Kind.OUTSIDE, f"Here {name} is read.", line, repair, "Compute it in the block:")
            return replace(answer, repair="", advice="", further=(use,))
        return None

    def _copied(self, statement: ast.stmt) -> Explanation | None:
        """The source was copied: the copy is a leaf of its own, wherever the line stands."""
        value = self.flow.value_of(statement)
        for call in ast.walk(value):
            if called(call) not in _COPYING or not self.flow.uses(call, self.paths):
                continue
            reason = f"`{ast.unparse(call)}` is a copy: a value of its own, whose history ends here."
            repair = (
                repairs.rewritten(self.reading.where(statement), repairs.without_call(called(call)))
                if call is value
                else ""
            )
            return self._explained(
                Kind.ASSIGN,
                reason,
                self.reading.where(statement),
                repair,
                f"To compute with {self.source_name} itself:",
            )
        return None

    def _in_dataset(self, statement: ast.stmt) -> Explanation | None:
        """The source was used in a function of a dataset."""
        if "Dataset" not in ast.unparse(statement):
            return None
        for call in ast.walk(statement):
            given = [*call.args, *(k.value for k in call.keywords)] if isinstance(call, ast.Call) else []
            if called(call) in _OF_DATASETS and any(self.flow.uses(each, self.paths) for each in given):
                reason = f"A dataset runs the function of `{called(call)}` outside of all tapes. "
                reason += f"Compute with {self.source_name} where its elements are used."
                return self._explained(Kind.OUTSIDE, reason, self.reading.where(call))
        return None

    def _watched_late(self, assigned: Assigned | None) -> Explanation | None:
        watches = self.reading.watches(self.source_name)
        if assigned is None or not watches or watches[-1].lineno <= assigned.line or len(self.ways.followed) > 1:
            return None
        reason = f"{self.target_name} was computed before {self.source_name} was watched."
        repair = repairs.line_text(self.reading.where(watches[-1]))
        advice = f"Move it to the top of the block of `{self.reading.opening().text}`:"
        return self._explained(Kind.WATCHED_LATE, reason, self.reading.where(watches[-1]), repair, advice)

    def _in_thread(self) -> Explanation | None:
        functions = [self.flow.functions[name] for name in sorted(self.flow.called & self.flow.functions.keys())]
        for call in self.reading.threads_in_block(functions):
            statement = self.reading.statement_of(call) or self._statement_in(functions, call)
            if statement is None:
                continue
            name = called(call)
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            from_source = any(self.flow.uses(each, self.paths) for each in given)
            if not from_source and not self.flow.chain_to(statement, self.paths):
                continue
            given_functions = {each.id for each in given if isinstance(each, ast.Name)} & self.flow.functions.keys()
            stores = any(self.flow.holds(each) for f in given_functions for each in self.flow.functions[f].body)
            inside = any(inner is statement for each in functions for inner in ast.walk(each))
            if not self.flow.holds(statement) and not stores and not inside and self.flow.statements:
                continue
            where = self.reading.where(call)
            repair = repairs.rewritten(where, repairs.in_this_thread)
            reason = "A tape records the thread that entered it; this work is done by another one."
            if name == "Thread":
                repair = "" if self.reading.is_in_comprehension(call) else repairs.called_here(call)
                names = [ast.unparse(target) for target in targets_of(statement)]
                if repair and any(self.reading.uses_after(each, where.line) for each in names):
                    reason, repair = f"{reason} Without a thread it is `{repair}`.", ""
            elif any(
                isinstance(n, ast.Call) and called(n) in ("submit", "apply_async") for n in ast.walk(ast.parse(repair))
            ):
                repair = ""
            advice = "Do it in this thread, or enter a tape in that one:"
            return self._explained(Kind.THREAD, reason, where, repair, advice)
        return None

    @staticmethod
    def _statement_in(functions: Sequence[ast.AST], node: ast.AST) -> ast.stmt | None:
        around = [s for each in functions for s in statements_of(each) if any(inner is node for inner in ast.walk(s))]
        return around[-1] if around else None

    def _predicted(self) -> Explanation | None:
        if not isinstance(self.value, Variable):
            return None
        methods = ("predict", "predict_on_batch", "evaluate", "test_on_batch", "train_on_batch", "fit")
        calls = [
            call for call in self.reading.calls_in_block(*methods) if self.flow.holds(call) or not self.flow.statements
        ]
        assigned = self.reading.last_assigned(self.target_name)
        if not calls and assigned is not None and called(assigned.value).startswith("predict"):
            calls = [assigned.value]  # type: ignore[list-item]
        calls = [call for call in calls if self._may_hold(call)]
        if not calls or (self.number in self.chain and self.target in self.chain):
            return None
        where, name = self.reading.where(calls[0]), called(calls[0])
        gives = "NumPy arrays" if name.startswith("predict") else "numbers"
        reason = f"`{name}` runs in a loop of its own and gives {gives}, which no tape follows."
        return self._explained(
            Kind.PREDICT, reason, where, repairs.rewritten(where, repairs.as_call), "Call the model in the block:"
        )

    def _may_hold(self, call: ast.Call) -> bool:
        """Whether the model of a call may be the one that has the source."""
        owner = path_of(call.func.value) if isinstance(call.func, ast.Attribute) else ()
        longer = [path for path in self.paths if len(path) > 1]
        return not owner or not longer or any(path[: len(owner)] == owner for path in longer)

    def _branch(self) -> Explanation | None:
        name = self.source_name
        called_ones = [self.flow.functions[each] for each in self.flow.called & self.flow.functions.keys()]
        named = [path for path in self.paths if len(path) == 1 or not path[-1].endswith(("variables", "weights"))]
        branch = self.reading.branch_with(partial(self.flow.uses, paths=named), called_ones)
        for path in named if branch is None else ():  # in a method of what has the source
            if len(path) > 1 and not path[-1].startswith("["):
                own = [("self", *path[1:])]
                methods = self.reading.methods_of(path[1], self.flow.called)
                branch = branch or self.reading.branch_with(partial(self.flow.uses, paths=own), methods)
        if branch is None:
            return None
        where = self.reading.where(branch)
        reason = f"{name} is used in one branch of `{where.text}` only, and the other one ran."
        return self._explained(Kind.BRANCH, reason, where, *self._zeros())

    def _chosen(self) -> Explanation | None:
        """Only a choice of Python's depends on the source: which branch runs, or how often."""
        for number in self.ways.parents:
            left = self.choices.get(number)
            where = where_of(left.code, left.offset) if left is not None else None
            choice = self.reading.choice_at(where, self.flow) if where is not None else None
            if choice is None:
                continue
            what = "how often this runs" if isinstance(choice, ast.While) else "which branch runs"
            reason = f"{self.source_name} only decides here {what}, and a choice has no derivative."
            path = tuple(self._step(each) for each in self.ways.back(number)[1:])
            return self._explained(Kind.BRANCH, reason, where, path=path)
        return None
