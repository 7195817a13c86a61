"""Programs as straight-line Python over NumPy: no dispatch, no tape, only kernels.

Large buffers are freed after their last use, and a ufunc writes into an operand that nothing else refers to. Products that
are used much later, such as gradients of weights, are computed by threads that would otherwise be idle.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..base.generated import Names, define, identifier, literal
from ..base.nest import is_nested
from ..base.sizes import is_known
from ..native import abi, background, blas, thresholds
from ..native.choice import choice_of
from ..op.call import explained
from ..op.declaration import Op
from ..ops.array.row import add_in_place, add_row, resize_in_place, resize_rows, set_in_place, set_row
from ..ops.linalg.products import matmul
from ..trace.graph import PLAIN, leaves, map_parts, parts_of
from ..values.composite import COMPOSITES
from ..values.tensor import EagerTensor, from_array
from ..variables.in_place import LOCKS, MASK
from ..variables.variable import AwaitingVariable
from .accumulated import Accumulated, accumulated, without_sums
from .fusion import can_be_whole, grouped, ufunc_of
from .group import Group, Item
from .in_place import UfuncKernel, UpdatingKernel
from .measures import Measure
from .program import (
    Assign,
    Branch,
    Call,
    Loop,
    Node,
    Program,
    Read,
    Update,
    Value,
    arrays_of,
    bytes_of,
    call_outside,
    element,
    given_attributes,
    same_looks,
    size_of,
    stacked,
)


class _Writer:
    """Collects lines, and the objects that they name."""

    def __init__(
        self, program: Program, names: Names, sums: Sequence[Accumulated] | None = None, whole: bool = False
    ) -> None:
        self.updates: dict[int, int] = {}  # results of updates, with the operand that is the variable's value
        self.program = program = _with_updates_as_ops(program, self.updates)
        self.names = names
        self.name = names.of
        self.lines: list[str] = []
        self.nodes: list[Node | None] = [None]  # by line of the text
        self.whole = whole
        self.items = grouped(program, python_of if whole else None)
        self.fresh = _fresh(self.items)
        self.last = _last_uses(program, self.items)
        in_loop = sums is not None
        self.sums = {accumulated.number: f"sum{accumulated.place}" for accumulated in sums or ()}
        self.posted = _posted(program, self.items, in_loop, self.sums)
        for position, asked in self.posted.items():  # the operands stay in use until the product is waited for
            for number in self.items[position].used:
                if number in self.last:
                    self.last[number] = max(self.last[number], asked)
        for summed in sums or ():  # the operands are read by other threads, perhaps until the loop ends
            for number in summed.product.used:
                self.last.pop(number, None)
        self.assigned = _only_assigned(program)
        self.reads = {node.outputs[0]: node.what.variable for node in program.nodes if isinstance(node.what, Read)}
        self.stored: set[tuple[int, int]] = set()  # results that are written to their variables before the assignment

    def operand(self, operand: Any) -> str:
        if operand.__class__ is Value:
            return f"v{operand.number}"
        return "None" if operand is None else self.name("c", operand)

    def write(self, line: str, node: Node | None = None) -> None:
        self.lines.append(f"    {line}")
        self.nodes.append(node)


def python_of(
    program: Program, outputs: str | None = None, names: Names | None = None, whole: bool = False
) -> Callable[..., Any]:
    """The program as a Python function of its inputs, which returns a tuple of its outputs.

    With `outputs` it returns that expression, which `packed` has made with these `names`. With `whole`, instructions on small
    arrays are native functions, which take their time to compile; `Warming` decides when they are worth it.
    """
    writer = _Writer(program, names or Names(), whole=whole)
    _write_items(writer)
    result = outputs or "(" + "".join(f"{writer.operand(o)}, " for o in program.outputs) + ")"
    writer.write(f"return {result}")
    head = f"def run({', '.join(f'v{number}' for number in program.inputs)}):"
    source = "\n".join([head, *writer.lines, ""])
    objects = writer.names.objects
    objects["__nodes__"] = writer.nodes
    run: Any = define(source, f"<gradtape program {id(objects):x}>", objects)
    run.__source__ = source
    return background.around(run) if writer.posted else run


def _write_items(writer: _Writer) -> None:
    for position, item in enumerate(writer.items):
        _write_settled(writer, position)
        _write_node(writer, position, item)
    _write_settled(writer, len(writer.items))


def _write_settled(writer: _Writer, position: int) -> None:
    """Wait for the products that are used here for the first time."""
    for product, asked in writer.posted.items():
        if asked == position:
            (number,) = writer.items[product].outputs
            writer.write(f"v{number} = v{number}.value()")


def _write_node(writer: _Writer, position: int, node: Item) -> None:
    if isinstance(node, Group):
        _write_group(writer, position, node)
        _free(writer, position, node)
        return
    what = node.what
    targets = "".join(f"v{number}, " for number in node.outputs)
    if isinstance(what, Read):
        if node.outputs[0] not in writer.updates.values():  # (else it is read in the step that changes it)
            writer.write(f"v{node.outputs[0]} = {writer.name('w', what.variable)}._value._array", node)
        return
    if isinstance(what, Assign):
        place = (next(node.used, -1), what.variable._id)
        if place in writer.stored:
            writer.stored.remove(place)
        else:
            writer.write(f"{writer.name('w', what.variable)}._store({writer.operand(node.inputs[0])})", node)
    elif isinstance(what, Update):
        _write_update(writer, node, what)
    elif isinstance(what, Measure):
        given = [writer.operand(o) for o in node.inputs]
        writer.write(f"v{node.outputs[0]} = {what.text(writer.names, given)}", node)
    elif isinstance(what, Call):
        writer.write(_call_outside(writer, node, what, targets), node)
    elif isinstance(what, (Loop, Branch)):
        if isinstance(what, Loop):
            run: Any = loop_function(what, _listed(writer, node, what), writer.whole)
        else:
            run = BranchFunction(what, writer.whole)
        operands = ", ".join(writer.operand(operand) for operand in node.inputs)
        call = f"{writer.name('run', run)}({operands})"
        writer.write(f"{targets}= {call}" if targets else call, node)
    elif node.outputs and node.outputs[0] in writer.sums:
        given = [writer.operand(o) for o in node.inputs] + _settings(writer, node)
        writer.write(f"{writer.sums[node.outputs[0]]}.add_product({', '.join(given)})", node)
    elif position in writer.posted:
        given = [writer.operand(o) for o in node.inputs] + _settings(writer, node)
        writer.write(f"v{node.outputs[0]} = {writer.name('k', background.posted)}({', '.join(given)})", node)
    else:
        for line in _call_kernel(writer, position, node, what):
            writer.write(line, node)
        for number in node.outputs:
            shape, dtype = writer.program.looks[number]
            if dtype.kind == "O" and not shape:
                writer.write(f"v{number} = {writer.name('text', _text)}(v{number})", node)
    _free(writer, position, node)


def _text(value: Any) -> Any:
    """A text as an array: where NumPy gives a scalar of numbers, it gives the bare text."""
    return value if value.__class__ is np.ndarray else np.array(value, object)


def _call_outside(writer: _Writer, node: Node, call: Call, targets: str) -> str:
    """A call of a Python function, with its arguments written out where they are plain lists and tuples of tensors."""
    args, kwargs = call.arguments
    given = [_argument(writer, part) for part in (*args, *kwargs.values())]
    if None in given:
        values = ", ".join(f"{number}: v{number}" for number in dict.fromkeys(node.used))
        text = f"{writer.name('call', call_outside)}({writer.name('c', call)}, {{{values}}})"
    else:
        named = [f"{writer.name('key', key)}: {part}" for key, part in zip(kwargs, given[len(args) :], strict=True)]
        parts = [*map(str, given[: len(args)]), *([f"**{{{', '.join(named)}}}"] if named else [])]
        text = f"{writer.name('f', call.function)}({', '.join(parts)})"
        if targets:
            text = f"{writer.name('arrays', arrays_of)}({text})"
    return f"{targets}= {text}" if targets else text


def _argument(writer: _Writer, part: Any) -> str | None:
    cls = part.__class__
    if cls is Value:
        return f"{writer.name('tensor', from_array)}(v{part.number})"
    if cls in (list, tuple):
        parts = [_argument(writer, inner) for inner in part]
        text = "".join(f"{inner}, " for inner in parts)
        return None if None in parts else f"[{text}]" if cls is list else f"({text})"
    return None if any(leaf.__class__ is Value for leaf in leaves(part)) else writer.name("c", part)


def _write_group(writer: _Writer, position: int, group: Group) -> None:
    spare = {number for number in group.used if number in writer.fresh and writer.last.get(number) == position}
    own = {}  # results for variables, by what was read of them
    for number in group.outputs:
        read = _updated_variable(writer, position, number, list(group.used))
        if read is not None:
            own[read] = number
    for number in _same_reads(writer, position, group, own):
        writer.write(f"v{number} = None")
    kernel = group.kernel(writer.program, spare, own)
    given = [f"v{number}" for number in group.used]
    if own:
        places = [list(group.used).index(read) for read in own]
        for line in _updating(writer, kernel, given, group.outputs, own, places):
            writer.write(line)
        return
    made = "".join(f"v{number}, " for number in group.outputs)
    writer.write(f"{made}= {writer.name('g', kernel)}({', '.join(given)})")


def _same_reads(writer: _Writer, position: int, group: Group, own: dict[int, int]) -> list[int]:
    """Earlier reads of variables that are used only for their updates here: the present value replaces them.

    (An earlier read would hold the array, which could then not be changed in place: `v.assign_sub(rate * (g + decay * v))`.)
    """
    if set(group.outputs) != set(own.values()):
        return []
    present = {writer.reads[read]._id: read for read in own if read in writer.updates.values()}
    same: dict[int, int] = {}
    for number in group.used:
        read = present.get(writer.reads[number]._id) if number in writer.reads else None
        if read is None or read == number or writer.last.get(number) != position:
            continue
        if not _is_touched(writer, writer.reads[number], _place_made(writer, number), position):
            same[number] = read

    def with_present(node: Node) -> Node:
        operands = (Value(same.get(o.number, o.number)) if o.__class__ is Value else o for o in node.inputs)
        return replace(node, inputs=tuple(operands))

    if same:
        group.nodes, group.sums = list(map(with_present, group.nodes)), list(map(with_present, group.sums))
    return list(same)


def _updating(
    writer: _Writer, kernel: object, given: list[str], outputs: Sequence[int], own: dict[int, int], places: list[int]
) -> list[str]:
    """A call of a kernel that gives variables new values; `own` has results for them, by what was read of them."""
    variables = [writer.reads[read] for read in own]
    writer.stored.update((result, variable._id) for result, variable in zip(own.values(), variables, strict=True))
    updating = UpdatingKernel(kernel, variables, places, [outputs.index(result) for result in own.values()])
    given = ["None" if place in places else operand for place, operand in enumerate(given)]
    read = [None if read in writer.updates.values() else f"v{read}" for read in own]
    released = [f"{name} = None" for name in read if name]  # only `own` may refer to the arrays to change
    made = "".join(f"v{number}, " for number in outputs)
    call = f"{made}= {writer.name('g', updating)}([{', '.join(given)}], own)"
    return [f"own = [{', '.join(map(str, read))}]", *released, call, "del own"]


def _write_update(writer: _Writer, node: Node, update: Update) -> None:
    variable, value = writer.name("w", update.variable), f"v{node.outputs[0]}"
    present, operand = f"{variable}._value._array", writer.operand(node.inputs[0])
    sign = _SIGNS.get(update.op.eager)
    call = f"{present} {sign} {operand}" if sign else f"{writer.name('k', update.op.eager)}({present}, {operand})"
    if isinstance(update.variable, AwaitingVariable):
        writer.write(present)  # a checkpoint may have its value, and is not consulted under the lock
    writer.write(f"with {writer.name('locks', LOCKS)}[{variable}._id & {MASK}]:")
    writer.write(f"    {value} = {call}", node)
    writer.write(f"    new = {writer.name('tensor', from_array)}({value})")
    writer.write(f"    new._id = {variable}._id")
    writer.write(f"    {variable}._value = new")


def _free(writer: _Writer, position: int, item: Item) -> None:
    """Give back large buffers after their last use."""
    done = [number for number in dict.fromkeys(item.used) if writer.last.get(number) == position]
    gone = [f"v{number}" for number in done if _is_large(writer, number) and number not in writer.updates.values()]
    if gone:
        writer.write(f"del {', '.join(gone)}")


def _call_kernel(writer: _Writer, position: int, node: Node, op: Op) -> list[str]:
    operands = [writer.operand(o) for o in node.inputs]
    ufunc = ufunc_of(op) if not node.attributes else None
    if ufunc is not None and len(op.arguments) == 2:
        read = _updated_variable(writer, position, node.outputs[0], list(node.used))
        if read is not None:
            place = [getattr(operand, "number", None) for operand in node.inputs].index(read)
            return _updating(
                writer, UfuncKernel(ufunc, place), operands, node.outputs, {read: node.outputs[0]}, [place]
            )
    if op in _IN_PLACE and _is_own(writer, position, node.inputs[0]):
        return [f"v{node.outputs[0]} = {writer.name('k', _IN_PLACE[op])}({', '.join(operands)})"]
    target = _reused(writer, position, node, op)
    if op.eager in _SIGNS:
        return _with_sign(node, operands, _SIGNS[op.eager], target)
    given = [f"[{', '.join(operands)}]"] if op.variadic else operands
    given += _settings(writer, node)
    kernel = _kernel_for(writer, node, op)
    if target is not None:
        given.append(f"v{target}")
        kernel = ufunc_of(op)
    results = f"v{node.outputs[0]}" if op.outputs == 1 else "".join(f"v{number}, " for number in node.outputs)
    return [f"{results} = {writer.name('k', kernel)}({', '.join(given)})"]


# Ops that change rows, with the function that does it in place if nothing else refers to the array.
_IN_PLACE: dict[Op, Any] = {set_row: set_in_place, add_row: add_in_place, resize_rows: resize_in_place}


def _is_own(writer: _Writer, position: int, operand: Any) -> bool:
    return operand.__class__ is Value and operand.number in writer.fresh and writer.last.get(operand.number) == position


def _kernel_for(writer: _Writer, node: Node, op: Op) -> Any:
    """The kernel, or its variant for small arrays: sizes are known here."""
    ways, first = choice_of(op.eager), next(iter(node.inputs), None)
    if ways is None or first.__class__ is not Value:
        return op.eager
    size = size_of(writer.program.looks[first.number])
    return ways.small if size is not None and size < ways.smallest else op.eager


# Python's operators are faster than a function call.
_SIGNS: dict[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.neg: "-",
}


def _with_sign(node: Node, operands: list[str], sign: str, target: int | None) -> list[str]:
    (number,) = node.outputs
    if len(operands) == 1:
        return [f"v{number} = {sign}{operands[0]}"]
    first, second = operands
    if target is not None and sign in "+*" and second == f"v{target}" and first != second:
        first, second = second, first
    if target is not None and first == f"v{target}":
        return [f"{first} {sign}= {second}", f"v{number} = {first}"]
    return [f"v{number} = {first} {sign} {second}"]


def _settings(writer: _Writer, node: Node) -> list[str]:
    if not node.has_open_attributes:
        return [writer.names.setting(name, value) for name, value in node.attributes.items()]
    return [f"{identifier(name)}={_attribute(writer, value)}" for name, value in node.attributes.items()]


def _attribute(writer: _Writer, value: Any) -> str:
    """An attribute with numbers in it that the program has measured."""
    cls = value.__class__
    if cls is Value:
        return f"v{value.number}"
    if cls in (tuple, list):
        text = "".join(f"{_attribute(writer, part)}, " for part in value)
        return f"[{text}]" if cls is list else f"({text})"
    if cls is slice:
        parts = ", ".join(_attribute(writer, part) for part in (value.start, value.stop, value.step))
        return f"{writer.name('slice', slice)}({parts})"
    return literal(value) or writer.name("a", value)


# --- loops and branches ------------------------------------------------------------------------------------------------------


def _listed(writer: _Writer, node: Node, loop: Loop) -> set[int]:
    """The collected values, by place, that only other loops use: a list suffices, as they take one element at a time."""
    collected = {number: place for place, number in enumerate(node.outputs[loop.carried + 1 :])}
    elsewhere = {output.number for output in writer.program.outputs if output.__class__ is Value}
    for other in writer.program.nodes:
        taken = list(other.used)
        if isinstance(other.what, Loop):
            begin = other.what.carried + (other.what.condition is None)
            given = list(other.inputs)
            del given[begin : begin + other.what.sequences]
            taken = [operand.number for operand in given if operand.__class__ is Value]
        elsewhere.update(taken)
    return {place for number, place in collected.items() if number not in elsewhere}


def loop_function(loop: Loop, listed: Set[int] = frozenset(), whole: bool = False) -> Callable[..., Any]:
    """A loop as a Python function of its operands; collected values in `listed` are returned as lists."""
    names = Names()
    lines: list[str] = []
    nodes: list[Node | None] = []

    def write(text: str, node: Node | None = None) -> None:
        lines.append(text)
        nodes.append(node)

    def write_program(program: Program, own: set[int], sums: Sequence[Accumulated] = ()) -> _Writer:
        writer = _Writer(program, names, sums, whole)
        writer.fresh |= own
        _write_items(writer)
        for line, node in zip(writer.lines, writer.nodes[1:], strict=True):
            write(f"    {line}", node)
        return writer

    own = _changed_in_place(loop)
    sums = [] if own else accumulated(loop, partial(_is_postable, loop.body))
    if sums and can_be_whole(loop.body):
        sums = []  # (a native function adds after it has multiplied: Python lines before it must have its bits)
    body = without_sums(loop.body, sums)
    carried, rest = body.inputs[: loop.carried], body.inputs[loop.carried :]
    elements, constants = rest[: loop.sequences], rest[loop.sequences :]
    collected = body.outputs[loop.carried :]
    given = [*(f"v{n}" for n in carried), *(f"s{n}" for n in elements), *(f"v{n}" for n in constants)]
    write(f"def run({', '.join([*(['count'] if loop.condition is None else []), *given])}):")
    for number in own:
        write(f"    v{number} = {names.of('copy', np.array)}(v{number})")
    for summed in sums:
        write(f"    sum{summed.place} = {names.of('begun', background.Total.begun)}(v{carried[summed.place]})")
    for place in range(len(collected)):
        write(f"    y{place} = []")
    if loop.condition is None:
        order = names.of("order", _backwards if loop.reverse else _forwards)
        write("    rounds = count")
        write(f"    for place in {order}(count):")
    else:
        write("    rounds = 0")
        write("    while True:")
        test = write_program(loop.condition, set())
        write(f"        if not {test.operand(loop.condition.outputs[0])}: break")
        write("        rounds += 1")
    for number in elements:
        taken = f"s{number}[place]"
        if body.looks[number][1].kind == "O":
            taken = f"{names.of('element', element)}(s{number}, place)"
        write(f"        v{number} = {taken}")
    writer = write_program(body, own, sums)
    for place, output in enumerate(collected):
        write(f"        y{place}.append({writer.operand(output)})")
    if carried:
        targets = "".join(f"v{number}, " for number in carried)
        write(f"        {targets}= {''.join(f'{writer.operand(o)}, ' for o in body.outputs[: loop.carried])}")
    else:
        write("        pass")
    for summed in sums:
        write(f"    v{carried[summed.place]} = sum{summed.place}.value()")
    stack = names.of("stack", stacked)
    stacks = []
    for place, output in enumerate(collected):
        shape, dtype = body.look_of(output)
        values = f"{names.of('turned', _turned)}(y{place})" if loop.reverse else f"y{place}"
        stacked_values = (
            f"{stack}({values}, {names.of('shape', shape)}, {names.of('dtype', dtype)}, {place >= loop.arrays})"
        )
        stacks.append(values if place in listed else stacked_values)
    write(f"    return ({', '.join(['rounds', *(f'v{n}' for n in carried), *stacks])},)")
    names.objects["__nodes__"] = nodes
    source = "\n".join([*lines, ""])
    run: Any = define(source, f"<gradtape loop {id(names.objects):x}>", names.objects)
    run.__source__ = source
    return background.around(run) if sums or writer.posted else run


def _changed_in_place(loop: Loop) -> set[int]:
    """The carried values that each round changes in one row and nothing else holds: they are copied once, before the loop."""
    body, found = loop.body, set()
    makers = {number: node for node in body.nodes for number in node.outputs}
    ends = [output.number for output in body.outputs if output.__class__ is Value]
    for number, output in zip(body.inputs[: loop.carried], body.outputs[: loop.carried], strict=True):
        if output.__class__ is not Value:
            continue
        steps, current = 0, output.number
        while current in makers and makers[current].what in _IN_PLACE and makers[current].inputs[0].__class__ is Value:
            current, steps = makers[current].inputs[0].number, steps + 1
        alone = ends.count(output.number) == 1 and number not in ends
        if steps and current == number and alone and not _is_viewed(body, number):
            found.add(number)
    return found


def _is_viewed(body: Program, number: int) -> bool:
    """Whether something else than reading or changing a row takes the value."""
    readers = [node for node in body.nodes if number in node.used]
    return any(
        getattr(node.what, "name", "") not in ("get_row", "set_row", "add_row", "resize_rows") for node in readers
    )


def _forwards(count: Any) -> range:
    return range(int(count))


def _backwards(count: Any) -> range:
    return range(int(count) - 1, -1, -1)


def _turned(values: list[Any]) -> list[Any]:
    return values[::-1]


class BranchFunction:
    """Runs one of several programs; each is compiled when it is taken first."""

    def __init__(self, branch: Branch, whole: bool = False) -> None:
        self._programs = branch.programs
        self._whole = whole
        self._functions: dict[int, Callable[..., Any]] = {}

    def __call__(self, number: Any, *given: Any) -> Any:
        place = int(number)
        if not 0 <= place < len(self._programs):
            place = len(self._programs) - 1
        run = self._functions.get(place)
        if run is None:
            run = self._functions[place] = python_of(self._programs[place], whole=self._whole)
        return run(*given)


# --- buffers -----------------------------------------------------------------------------------------------------------------


def _is_large(writer: _Writer, number: int) -> bool:
    return _bytes(writer.program, number) >= thresholds.BUFFER_BYTES and number not in writer.program.inputs


def _last_uses(program: Program, items: list[Item]) -> dict[int, int]:
    """The last instruction that uses a value; none for a value that is returned."""
    last: dict[int, int] = {}
    for position, item in enumerate(items):
        last.update(dict.fromkeys(item.used, position))
    for output in program.outputs:
        if output.__class__ is Value:
            last.pop(output.number, None)
    return last


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
            other.what is matmul and other.outputs[0] not in sums and _is_postable(program, other) for other in between
        )
        late = asked - position > thresholds.POSTED_INSTRUCTIONS and not in_loop
        # (A variable that an operand was read from may be changed meanwhile.)
        if (beside or late) and not read.intersection(item.used) and _is_postable(program, item):
            found[position] = asked
    return found


def _is_postable(program: Program, node: Node) -> bool:
    if not all(operand.__class__ is Value for operand in node.inputs):
        return False
    (a, dtype), (b, other) = (program.looks[operand.number] for operand in node.inputs)
    if dtype != other or any(shape is None or len(shape) != 2 or not is_known(shape) for shape in (a, b)):
        return False
    columns = b[0] if node.attributes.get("transpose_b") else b[1]
    return blas.can_post(a[0] * a[1] * columns, dtype)


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
    return ufunc_of(op) is not None or op in _IN_PLACE or op.name in ("matmul", "reduce_sum", "select", "put_row")


def _reused(writer: _Writer, position: int, node: Node, op: Op) -> int | None:
    """An operand whose buffer can be reused for the result."""
    ufunc = ufunc_of(op)
    if ufunc is None or op.outputs != 1 or node.attributes:
        return None
    look = writer.program.looks[node.outputs[0]]
    if abi.rounds_by_place(ufunc, look[1]):  # (also if the operands are exchanged)
        return None
    if not look[0] or (bytes_of(look) < thresholds.BUFFER_BYTES and op.eager not in _SIGNS):
        return None
    for number in node.used:
        spare = number in writer.fresh and writer.last.get(number) == position
        if spare and same_looks(writer.program.looks[number], look):
            return number
    return None


def _updated_variable(writer: _Writer, position: int, result: int, used: list[int]) -> int | None:
    """The read of the variable that a result is assigned to, if it is used only to compute the result."""
    if result in writer.updates:
        return writer.updates[result]
    assigned = writer.assigned.get(result)
    look = writer.program.looks[result]
    if assigned is None or _bytes(writer.program, result) < thresholds.BUFFER_BYTES:
        return None
    if _is_touched(writer, assigned, position, _place_assigned(writer, result)):
        return None
    for number in used:
        alone = writer.last.get(number) == position and used.count(number) == 1
        if alone and writer.reads.get(number) is assigned and same_looks(writer.program.looks[number], look):
            return number
    return None


def _place_made(writer: _Writer, number: int) -> int:
    return next(place for place, item in enumerate(writer.items) if number in item.outputs)


def _place_assigned(writer: _Writer, number: int) -> int:
    assigns = (isinstance(getattr(item, "what", None), Assign) and number in item.used for item in writer.items)
    return list(assigns).index(True)


def _is_touched(writer: _Writer, variable: Any, start: int, stop: int) -> bool:
    """Whether something between two items may change the variable: an assignment, an update, or any call."""
    for item in writer.items[start + 1 : stop]:
        what = getattr(item, "what", None)
        if isinstance(what, Call) or (isinstance(what, (Assign, Update)) and what.variable._id == variable._id):
            return True
    return False


def _with_updates_as_ops(program: Program, updates: dict[int, int]) -> Program:
    """Large updates as a read, an op and an assignment, so that the op can be part of a group; results and reads are noted."""
    nodes: list[Node] = []
    looks = dict(program.looks)
    for node in program.nodes:
        what = node.what
        if not isinstance(what, Update) or _bytes(program, node.outputs[0]) < thresholds.BUFFER_BYTES:
            nodes.append(node)
            continue
        (result,), present = node.outputs, max(looks) + 1
        looks[present] = looks[result]
        updates[result] = present
        nodes.append(Node(Read(what.variable), (), {}, (present,)))
        nodes.append(Node(what.op, (Value(present), *node.inputs), {}, (result,)))
        nodes.append(Node(Assign(what.variable), (Value(result),), {}, ()))
    return replace(program, nodes=nodes, looks=looks) if updates else program


def _bytes(program: Program, number: int) -> int:
    return bytes_of(program.looks[number])


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


# --- results and errors ------------------------------------------------------------------------------------------------------


def packed(structure: Any, names: Names) -> str | None:
    """An expression that builds what a function returns, with `Value`s in it as tensors; None where there is none."""
    cls = structure.__class__
    if cls is Value:
        return f"{names.of('tensor', from_array)}(v{structure.number})"
    if structure is None:
        return "None"
    if cls is EagerTensor or cls in PLAIN:
        return names.of("c", structure)
    if cls in (list, tuple, dict):
        parts = [packed(part, names) for part in (structure.values() if cls is dict else structure)]
        if cls is dict:  # (keys are the user's own: their text says nothing)
            parts = [part and f"{names.of('key', key)}: {part}" for key, part in zip(structure, parts, strict=True)]
        text = "".join(f"{part}, " for part in parts)
        return None if None in parts else f"[{text}]" if cls is list else f"({text})" if cls is tuple else f"{{{text}}}"
    if cls not in COMPOSITES and not is_nested(structure):
        return None  # an object of which nothing is known: a function, a tape
    parts = [packed(part, names) for part in parts_of(structure)]
    # (An object without parts that is no empty structure holds tensors in its own way.)
    if None in parts or (not parts and (cls in COMPOSITES or structure)):
        return None
    return f"{names.of('build', partial(_rebuilt, structure))}({', '.join(map(str, parts))})"


def _rebuilt(structure: Any, *parts: Any) -> Any:
    """A structure like this one, of other parts."""
    following = iter(parts)
    return map_parts(structure, lambda _: next(following))


def explain(error: Exception) -> Exception:
    """The error to raise for one that came out of a generated function."""
    trace = error.__traceback__
    while trace is not None:
        nodes = trace.tb_frame.f_globals.get("__nodes__")
        if nodes is not None:
            node = nodes[trace.tb_lineno - 1]
            if node is not None and isinstance(node.what, Op):
                local = trace.tb_frame.f_locals
                arrays: list[Any] = [local.get(f"v{o.number}") if o.__class__ is Value else o for o in node.inputs]
                sizes = {number: local.get(f"v{number}") for number in node.used}
                return explained(node.what, error, arrays, given_attributes(node, sizes))
        trace = trace.tb_next
    return error
