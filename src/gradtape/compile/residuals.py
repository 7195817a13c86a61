"""Keeps values of a loop that its gradient would compute again, where that costs little memory.

The backward loop runs each iteration of the forward loop again. This pass matches its instructions with those of the
forward loop. Matched values that other instructions use are collected by the forward loop and passed as
sequences; the instructions that computed them become dead code.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..op.declaration import Op
from .keys import key_of
from .program import Loop, Node, Program, Value, bytes_of, stack_of

_MOST = 16  # times the memory of the carried values of an iteration, which are kept in any case
_LEAST = 1 << 10  # bytes for each iteration that may always be kept


def with_residuals(program: Program) -> Program:
    """The program, with loops that keep values which later loops would compute again."""
    nodes, looks = list(program.nodes), dict(program.looks)
    for place, node in enumerate(nodes):
        if isinstance(node.what, Loop) and node.what.condition is None:
            for earlier in range(place):
                first = nodes[earlier]
                if isinstance(first.what, Loop) and _goes_over(node, first):
                    nodes[earlier], nodes[place] = _shared(first, node, looks)
                    node = nodes[place]
    return replace(program, nodes=nodes, looks=looks)


def _loop(node: Node) -> Loop:
    assert isinstance(node.what, Loop)
    return node.what


def _goes_over(node: Node, first: Node) -> bool:
    """Whether a loop takes what the first one has collected, with the same number of iterations."""
    count, rounds = node.inputs[0], first.outputs[0]
    if count.__class__ is Value:
        same = count.number == rounds
    else:
        loop = _loop(first)
        known = None if loop.condition is not None or first.inputs[0].__class__ is Value else first.inputs[0]
        same = known is not None and int(known) == int(count)
    collected = first.outputs[_loop(first).carried + 1 :]
    return same and any(operand.__class__ is Value and operand.number in collected for operand in _sequences(node))


def _sequences(node: Node) -> tuple[Any, ...]:
    loop = _loop(node)
    begin = loop.carried + (loop.condition is None)
    return node.inputs[begin : begin + loop.sequences]


def _constants(node: Node) -> tuple[Any, ...]:
    loop = _loop(node)
    return node.inputs[loop.carried + (loop.condition is None) + loop.sequences :]


def _shared(first: Node, second: Node, looks: dict[int, Any]) -> tuple[Node, Node]:
    """Both loops, with the values that the second one takes from the first."""
    one, two = _loop(first), _loop(second)
    same = _same_values(first, second)
    again = [n for n in two.body.nodes if n.outputs and all(number in same for number in n.outputs)]
    single = {node.outputs[0] for node in again if len(node.outputs) == 1}
    rest = [n for n in two.body.nodes if not any(number in same for number in n.outputs)]
    used = [number for node in rest for number in node.used]
    used += [output.number for output in two.body.outputs if output.__class__ is Value]
    wanted = [number for number in dict.fromkeys(used) if number in single]
    if not wanted or not _is_worth(first, wanted, looks):
        return first, second
    collected = {
        o.number: n
        for o, n in zip(one.body.outputs[one.carried :], first.outputs[one.carried + 1 :], strict=True)
        if o.__class__ is Value
    }
    outputs, numbers, stacks = list(one.body.outputs), list(first.outputs), []
    for number in wanted:
        value = same[number]
        if value not in collected:
            collected[value] = max(looks) + 1
            shape, dtype = looks[number]
            count = first.inputs[0] if one.condition is None else None
            if shape is None or count is None or count.__class__ is Value:
                looks[collected[value]] = stack_of(shape), dtype
            else:
                looks[collected[value]] = (int(count), *shape), dtype
            outputs.append(Value(value))
            numbers.append(collected[value])
        stacks.append(Value(collected[value]))
    begin = two.carried + two.sequences
    taken = [*two.body.inputs[:begin], *wanted, *two.body.inputs[begin:]]
    kept = [node for node in two.body.nodes if not (len(node.outputs) == 1 and node.outputs[0] in wanted)]
    body = replace(two.body, inputs=taken, nodes=kept)
    inputs = (*second.inputs[: 1 + begin], *stacks, *second.inputs[1 + begin :])
    return (
        replace(first, what=replace(one, body=replace(one.body, outputs=outputs)), outputs=tuple(numbers)),
        replace(second, what=replace(two, body=body, sequences=two.sequences + len(wanted)), inputs=inputs),
    )


def _same_values(first: Node, second: Node) -> dict[int, int]:
    """Values of the second loop's body that the first loop's body computes too, each with its number there."""
    one, two = _loop(first), _loop(second)
    collected = dict(zip(first.outputs[one.carried + 1 :], one.body.outputs[one.carried :], strict=True))
    elements = one.body.inputs[one.carried : one.carried + one.sequences]
    by_sequence = {o.number: n for o, n in zip(_sequences(first), elements, strict=True) if o.__class__ is Value}
    by_constant = {
        o.number: n
        for o, n in zip(_constants(first), one.body.inputs[one.carried + one.sequences :], strict=True)
        if o.__class__ is Value
    }
    same: dict[int, int] = {}
    for operand, number in zip(_sequences(second), two.body.inputs[two.carried :], strict=False):
        output = collected.get(operand.number) if operand.__class__ is Value else None
        if output.__class__ is Value:
            same[number] = output.number
        elif operand.__class__ is Value and operand.number in by_sequence:
            same[number] = by_sequence[operand.number]
    for operand, number in zip(_constants(second), two.body.inputs[two.carried + two.sequences :], strict=True):
        if operand.__class__ is Value and operand.number in by_constant:
            same[number] = by_constant[operand.number]
    there = {key_of(node): node.outputs for node in one.body.nodes if isinstance(node.what, Op)}
    for node in two.body.nodes:
        if isinstance(node.what, Op) and all(number in same for number in node.used):
            there_it_takes = tuple(Value(same[o.number]) if o.__class__ is Value else o for o in node.inputs)
            key = key_of(replace(node, inputs=there_it_takes))
            if key is not None and key in there:
                same.update(zip(node.outputs, there[key], strict=True))
    return same


def _is_worth(first: Node, wanted: list[int], looks: dict[int, Any]) -> bool:
    """Whether keeping the values costs little memory, compared to the carried values."""
    begun = sum(bytes_of(looks[number]) for number in _loop(first).body.inputs[: _loop(first).carried])
    return sum(bytes_of(looks[number]) for number in wanted) <= max(_MOST * begun, _LEAST)
