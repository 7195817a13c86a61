"""What becomes of the values of a program: when each is used last, whose memory may be written, what other threads compute.

The writer of the code (`codegen.py`) asks here before it writes a line. Large buffers are freed after their last use; a result is
written into an operand that nothing else refers to, also into the array of the variable that it is assigned to.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from ..base.sizes import is_known
from ..native import abi, blas, thresholds
from ..op.declaration import Op
from ..ops.array.open_row import resize_open_in_place, resize_open_rows, set_open_in_place, set_open_row
from ..ops.array.row import add_in_place, add_row, get_row, resize_in_place, resize_rows, set_in_place, set_row
from ..ops.linalg.products import matmul
from .accumulated import Accumulated
from .fusion import ufunc_of
from .group import Group, Item
from .program import Assign, Call, Loop, Node, Program, Read, Update, Value, bytes_of, same_looks

# Ops that change rows, with the function that does it in place if nothing else refers to the array.
IN_PLACE: dict[Op, Any] = {
    set_row: set_in_place,
    add_row: add_in_place,
    resize_rows: resize_in_place,
    set_open_row: set_open_in_place,
    resize_open_rows: resize_open_in_place,
}

# Python's operators are faster than a function call, and write into small arrays too.
SIGNS: dict[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.neg: "-",
}


class Buffers:
    """The values of a program whose instructions are grouped into `items`.

    `updates` has the results that are new values of variables, with the reads that they change (`with_updates_as_ops`).
    `sums` has the products that a loop around the program adds up; it is None outside of loops.
    """

    def __init__(
        self, program: Program, items: list[Item], updates: dict[int, int], sums: Sequence[Accumulated] | None
    ) -> None:
        self.program = program
        self.items = items
        self.updates = updates
        self.fresh = _fresh(items)
        self.reads = {node.outputs[0]: node.what.variable for node in program.nodes if isinstance(node.what, Read)}
        self.posted = _posted(program, items, sums is not None, {accumulated.number for accumulated in sums or ()})
        self._last = _last_uses(program, items)
        self._assigned = _only_assigned(program)
        for position, asked in self.posted.items():  # the operands stay in use until the product is waited for
            for number in items[position].used:
                if number in self._last:
                    self._last[number] = max(self._last[number], asked)
        for summed in sums or ():  # the operands are read by other threads, perhaps until the loop ends
            for number in summed.product.used:
                self._last.pop(number, None)

    def gone_after(self, position: int) -> list[int]:
        """The large buffers that an item uses last."""
        done = [number for number in dict.fromkeys(self.items[position].used) if self._last.get(number) == position]
        return [number for number in done if self._is_large(number) and number not in self.updates.values()]

    def _is_large(self, number: int) -> bool:
        return self._bytes(number) >= thresholds.BUFFER_BYTES and number not in self.program.inputs

    def _bytes(self, number: int) -> int:
        return bytes_of(self.program.looks[number])

    def is_spare(self, number: int, position: int) -> bool:
        """Whether an item may write into this operand: nothing else refers to its memory."""
        return number in self.fresh and self._last.get(number) == position

    def reused(self, position: int, node: Node, op: Op) -> int | None:
        """An operand whose buffer can be reused for the result."""
        ufunc = ufunc_of(op)
        if ufunc is None or op.outputs != 1 or node.attributes:
            return None
        look = self.program.looks[node.outputs[0]]
        if abi.rounds_by_place(ufunc, look[1]):  # (also if the operands are exchanged)
            return None
        if not look[0] or (bytes_of(look) < thresholds.BUFFER_BYTES and op.eager not in SIGNS):
            return None
        for number in node.used:
            if self.is_spare(number, position) and same_looks(self.program.looks[number], look):
                return number
        return None

    def updated_variable(self, position: int, result: int, used: list[int]) -> int | None:
        """The read of the variable that a result is assigned to, if it is used only to compute the result."""
        if result in self.updates:
            return self.updates[result]
        assigned = self._assigned.get(result)
        look = self.program.looks[result]
        if assigned is None or self._bytes(result) < thresholds.BUFFER_BYTES:
            return None
        if self._is_touched(assigned, position, self._place_assigned(result)):
            return None
        for number in used:
            alone = self._last.get(number) == position and used.count(number) == 1
            if alone and self.reads.get(number) is assigned and same_looks(self.program.looks[number], look):
                return number
        return None

    def earlier_reads(self, position: int, group: Group, own: dict[int, int]) -> dict[int, int]:
        """Earlier reads of variables that are used only for their updates here, each with the read that replaces it.

        (An earlier read would hold the array, which could then not be changed in place: `v.assign_sub(rate * (g + decay * v))`.)
        """
        if set(group.outputs) != set(own.values()):
            return {}
        present = {self.reads[read]._id: read for read in own if read in self.updates.values()}
        earlier: dict[int, int] = {}
        for number in group.used:
            read = present.get(self.reads[number]._id) if number in self.reads else None
            if read is None or read == number or self._last.get(number) != position:
                continue
            if not self._is_touched(self.reads[number], self._place_made(number), position):
                earlier[number] = read
        return earlier

    def _place_made(self, number: int) -> int:
        return next(place for place, item in enumerate(self.items) if number in item.outputs)

    def _place_assigned(self, number: int) -> int:
        assigns = (isinstance(getattr(item, "what", None), Assign) and number in item.used for item in self.items)
        return list(assigns).index(True)

    def _is_touched(self, variable: Any, start: int, stop: int) -> bool:
        """Whether something between two items may change the variable: an assignment, an update, or any call."""
        for item in self.items[start + 1 : stop]:
            what = getattr(item, "what", None)
            if isinstance(what, Call) or (isinstance(what, (Assign, Update)) and what.variable._id == variable._id):
                return True
        return False


def with_updates_as_ops(program: Program) -> tuple[Program, dict[int, int]]:
    """Large updates as a read, an op and an assignment, so that the op can be part of a group; their results, with the reads."""
    nodes: list[Node] = []
    looks = dict(program.looks)
    updates: dict[int, int] = {}
    for node in program.nodes:
        what = node.what
        if not isinstance(what, Update) or bytes_of(program.looks[node.outputs[0]]) < thresholds.BUFFER_BYTES:
            nodes.append(node)
            continue
        (result,), present = node.outputs, max(looks) + 1
        looks[present] = looks[result]
        updates[result] = present
        nodes.append(Node(Read(what.variable), (), {}, (present,)))
        nodes.append(Node(what.op, (Value(present), *node.inputs), {}, (result,)))
        nodes.append(Node(Assign(what.variable), (Value(result),), {}, ()))
    return (replace(program, nodes=nodes, looks=looks) if updates else program), updates


def _last_uses(program: Program, items: list[Item]) -> dict[int, int]:
    """The last instruction that uses a value; none for a value that is returned."""
    last: dict[int, int] = {}
    for position, item in enumerate(items):
        last.update(dict.fromkeys(item.used, position))
    for output in program.outputs:
        if output.__class__ is Value:
            last.pop(output.number, None)
    return last


def _fresh(items: list[Item]) -> set[int]:
    """Values that own their memory: made by a ufunc or a product, with no views of them kept."""
    fresh: set[int] = set()
    for item in items:
        if (
            item.makes_own_memory
            if isinstance(item, Group)
            else isinstance(item.what, Op) and _makes_own_memory(item.what)
        ):
            fresh.update(item.outputs)
        else:
            fresh.difference_update(item.used)
    return fresh


def _makes_own_memory(op: Op) -> bool:
    return ufunc_of(op) is not None or op in IN_PLACE or op.name in ("matmul", "reduce_sum", "select", "put_row")


def _only_assigned(program: Program) -> dict[int, Any]:
    """Values that are given to a variable and used by nothing else."""
    uses: dict[int, int] = {}
    for node in program.nodes:
        for number in node.used:
            uses[number] = uses.get(number, 0) + 1
    for output in program.outputs:
        if output.__class__ is Value:
            uses[output.number] = uses.get(output.number, 0) + 1
    return {
        number: node.what.variable
        for node in program.nodes
        if isinstance(node.what, Assign)
        for number in node.used
        if uses[number] == 1
    }


# --- products that other threads compute -------------------------------------------------------------------------------------


def _posted(program: Program, items: list[Item], in_loop: bool, sums: Collection[int]) -> dict[int, int]:
    """Products that another thread computes, each with the first instruction that uses it (or the end).

    They are used much later, or beside another product, which this thread computes meanwhile. In a round of a loop there are only
    those beside another; the products that the loop adds up (`sums`) are posted anyway.
    """
    first: dict[int, int] = {}
    for position, item in enumerate(items):
        for number in item.used:
            first.setdefault(number, position)
    read = {
        number for item in items if isinstance(item, Node) and isinstance(item.what, Read) for number in item.outputs
    }
    found = {}
    for position, item in enumerate(items):
        if isinstance(item, Group) or item.what is not matmul or item.outputs[0] in sums:
            continue
        asked = first.get(item.outputs[0], len(items))
        between = (other for other in items[position + 1 : asked] if isinstance(other, Node))
        beside = any(
            other.what is matmul and other.outputs[0] not in sums and is_postable(program, other) for other in between
        )
        late = asked - position > thresholds.POSTED_INSTRUCTIONS and not in_loop
        # (A variable that an operand was read from may be changed meanwhile.)
        if (beside or late) and not read.intersection(item.used) and is_postable(program, item):
            found[position] = asked
    return found


def is_postable(program: Program, node: Node) -> bool:
    """Whether a product is large enough, and of a kind, that another thread computes it."""
    if not all(operand.__class__ is Value for operand in node.inputs):
        return False
    (a, dtype), (b, other) = (program.looks[operand.number] for operand in node.inputs)
    if dtype != other or any(shape is None or len(shape) != 2 or not is_known(shape) for shape in (a, b)):
        return False
    columns = b[0] if node.attributes.get("transpose_b") else b[1]
    return blas.can_post(a[0] * a[1] * columns, dtype)


# --- rows that a loop changes ------------------------------------------------------------------------------------------------


def changed_in_place(loop: Loop) -> set[int]:
    """The carried values that each round changes in one row and nothing else holds: they are copied once, before the loop."""
    body, found = loop.body, set()
    makers = {number: node for node in body.nodes for number in node.outputs}
    ends = [output.number for output in body.outputs if output.__class__ is Value]
    for number, output in zip(body.inputs[: loop.carried], body.outputs[: loop.carried], strict=True):
        if output.__class__ is not Value:
            continue
        steps, current = 0, output.number
        while current in makers and makers[current].what in IN_PLACE and makers[current].inputs[0].__class__ is Value:
            current, steps = makers[current].inputs[0].number, steps + 1
        alone = ends.count(output.number) == 1 and number not in ends
        if steps and current == number and alone and not _is_viewed(body, number):
            found.add(number)
    return found


def _is_viewed(body: Program, number: int) -> bool:
    """Whether something else than reading or changing a row takes the value."""
    readers = [node for node in body.nodes if number in node.used]
    return any(node.what is not get_row and node.what not in IN_PLACE for node in readers)
