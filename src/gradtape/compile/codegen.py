"""Programs as straight-line Python over NumPy: no dispatch, no tape, only kernels.

What is freed, written in place or computed by other threads is decided in `buffers.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..base.generated import Names, define, identifier, literal
from ..base.nest import is_nested
from ..native import background
from ..native.choice import choice_of
from ..op.call import explained
from ..op.declaration import Op
from ..trace.graph import PLAIN, leaves, map_parts, parts_of
from ..values.composite import COMPOSITES
from ..values.tensor import EagerTensor, from_array
from ..variables.awaiting import AwaitingVariable
from ..variables.in_place import LOCKS, MASK
from .accumulated import Accumulated, accumulated, without_sums
from .buffers import IN_PLACE, SIGNS, Buffers, changed_in_place, is_postable, with_updates_as_ops
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
    call_outside,
    element,
    given_attributes,
    size_of,
    stacked,
)


class _Writer:
    """Collects lines, and the objects that they name."""

    def __init__(
        self, program: Program, names: Names, sums: Sequence[Accumulated] | None = None, whole: bool = False
    ) -> None:
        self.program, updates = with_updates_as_ops(program)
        self.names = names
        self.name = names.of
        self.lines: list[str] = []
        self.nodes: list[Node | None] = [None]  # by line of the text
        self.whole = whole
        self.items = grouped(self.program, python_of if whole else None)
        self.buffers = Buffers(self.program, self.items, updates, sums)
        self.sums = {accumulated.number: f"sum{accumulated.place}" for accumulated in sums or ()}
        self.stored: set[tuple[int, int]] = set()  # results that are written to their variables before the assignment

    def operand(self, operand: object) -> str:
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
    return background.around(run) if writer.buffers.posted else run


def _write_items(writer: _Writer) -> None:
    for position, item in enumerate(writer.items):
        _write_settled(writer, position)
        _write_node(writer, position, item)
    _write_settled(writer, len(writer.items))


def _write_settled(writer: _Writer, position: int) -> None:
    """Wait for the products that are used here for the first time."""
    for product, asked in writer.buffers.posted.items():
        if asked == position:
            (number,) = writer.items[product].outputs
            writer.write(f"v{number} = v{number}.value()")


def _write_node(writer: _Writer, position: int, node: Item) -> None:
    if isinstance(node, Group):
        _write_group(writer, position, node)
        _free(writer, position)
        return
    what = node.what
    targets = "".join(f"v{number}, " for number in node.outputs)
    if isinstance(what, Read):
        if node.outputs[0] not in writer.buffers.updates.values():  # (else it is read in the step that changes it)
            writer.write(f"v{node.outputs[0]} = {writer.name('w', what.variable)}._value._array", node)
        return
    if isinstance(what, Assign):
        place = (next(iter(node.used), -1), what.variable._id)
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
    elif position in writer.buffers.posted:
        given = [writer.operand(o) for o in node.inputs] + _settings(writer, node)
        writer.write(f"v{node.outputs[0]} = {writer.name('k', background.posted)}({', '.join(given)})", node)
    else:
        for line in _call_kernel(writer, position, node, what):
            writer.write(line, node)
        for number in node.outputs:
            shape, dtype = writer.program.looks[number]
            if dtype.kind == "O" and not shape:
                writer.write(f"v{number} = {writer.name('text', _text)}(v{number})", node)
    _free(writer, position)


def _text(value: object) -> Any:
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
    buffers = writer.buffers
    spare = {number for number in group.used if buffers.is_spare(number, position)}
    own = {}  # results for variables, by what was read of them
    for number in group.outputs:
        read = buffers.updated_variable(position, number, list(group.used))
        if read is not None:
            own[read] = number
    earlier = buffers.earlier_reads(position, group, own)
    _exchange(group, earlier)
    for number in earlier:
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


def _exchange(group: Group, others: dict[int, int]) -> None:
    """Let the instructions of a group read other values in place of these."""

    def exchanged(node: Node) -> Node:
        operands = (Value(others.get(o.number, o.number)) if o.__class__ is Value else o for o in node.inputs)
        return replace(node, inputs=tuple(operands))

    if others:
        group.nodes, group.sums = list(map(exchanged, group.nodes)), list(map(exchanged, group.sums))


def _updating(
    writer: _Writer, kernel: object, given: list[str], outputs: Sequence[int], own: dict[int, int], places: list[int]
) -> list[str]:
    """A call of a kernel that gives variables new values; `own` has results for them, by what was read of them."""
    variables = [writer.buffers.reads[read] for read in own]
    writer.stored.update((result, variable._id) for result, variable in zip(own.values(), variables, strict=True))
    updating = UpdatingKernel(kernel, variables, places, [outputs.index(result) for result in own.values()])
    given = ["None" if place in places else operand for place, operand in enumerate(given)]
    read = [None if read in writer.buffers.updates.values() else f"v{read}" for read in own]
    released = [f"{name} = None" for name in read if name]  # only `own` may refer to the arrays to change
    made = "".join(f"v{number}, " for number in outputs)
    call = f"{made}= {writer.name('g', updating)}([{', '.join(given)}], own)"
    return [f"own = [{', '.join(map(str, read))}]", *released, call, "del own"]


def _write_update(writer: _Writer, node: Node, update: Update) -> None:
    variable, value = writer.name("w", update.variable), f"v{node.outputs[0]}"
    present, operand = f"{variable}._value._array", writer.operand(node.inputs[0])
    sign = SIGNS.get(update.op.eager)
    call = f"{present} {sign} {operand}" if sign else f"{writer.name('k', update.op.eager)}({present}, {operand})"
    if isinstance(update.variable, AwaitingVariable):
        writer.write(present)  # a checkpoint may have its value, and is not consulted under the lock
    writer.write(f"with {writer.name('locks', LOCKS)}[{variable}._id & {MASK}]:")
    writer.write(f"    {value} = {call}", node)
    writer.write(f"    new = {writer.name('tensor', from_array)}({value})")
    writer.write(f"    new._id = {variable}._id")
    writer.write(f"    {variable}._value = new")


def _free(writer: _Writer, position: int) -> None:
    """Give back large buffers after their last use."""
    gone = [f"v{number}" for number in writer.buffers.gone_after(position)]
    if gone:
        writer.write(f"del {', '.join(gone)}")


def _call_kernel(writer: _Writer, position: int, node: Node, op: Op) -> list[str]:
    operands = [writer.operand(o) for o in node.inputs]
    ufunc = ufunc_of(op) if not node.attributes else None
    if ufunc is not None and len(op.arguments) == 2:
        read = writer.buffers.updated_variable(position, node.outputs[0], list(node.used))
        if read is not None:
            place = [getattr(operand, "number", None) for operand in node.inputs].index(read)
            return _updating(
                writer, UfuncKernel(ufunc, place), operands, node.outputs, {read: node.outputs[0]}, [place]
            )
    first = next(iter(node.inputs), None)
    if op in IN_PLACE and first.__class__ is Value and writer.buffers.is_spare(first.number, position):
        text = ", ".join([*operands, *_settings(writer, node)])
        return [f"v{node.outputs[0]} = {writer.name('k', IN_PLACE[op])}({text})"]
    target = writer.buffers.reused(position, node, op)
    if op.eager in SIGNS:
        return _with_sign(node, operands, SIGNS[op.eager], target)
    given = [f"[{', '.join(operands)}]"] if op.variadic else operands
    given += _settings(writer, node)
    kernel = _kernel_for(writer, node, op)
    if target is not None:
        given.append(f"v{target}")
        kernel = ufunc_of(op)
    results = f"v{node.outputs[0]}" if op.outputs == 1 else "".join(f"v{number}, " for number in node.outputs)
    return [f"{results} = {writer.name('k', kernel)}({', '.join(given)})"]


def _kernel_for(writer: _Writer, node: Node, op: Op) -> Any:
    """The kernel, or its variant for small arrays: sizes are known here."""
    ways, first = choice_of(op.eager), next(iter(node.inputs), None)
    if ways is None or first.__class__ is not Value:
        return op.eager
    size = size_of(writer.program.looks[first.number])
    return ways.small if size is not None and size < ways.smallest else op.eager


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
        writer.buffers.fresh |= own
        _write_items(writer)
        for line, node in zip(writer.lines, writer.nodes[1:], strict=True):
            write(f"    {line}", node)
        return writer

    own = changed_in_place(loop)
    sums = [] if own else accumulated(loop, partial(is_postable, loop.body))
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
    return background.around(run) if sums or writer.buffers.posted else run


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


def _rebuilt(structure: object, *parts: object) -> Any:
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
