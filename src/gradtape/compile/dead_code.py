"""Instructions that nothing needs, in loops and branches too: a pass that removes them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .program import Branch, Loop, Node, Program, Value


def without_dead_code(program: Program) -> Program:
    """Remove instructions whose results are not used and that have no side effect."""
    wanted = {output.number for output in program.outputs if output.__class__ is Value}
    kept: list[Node] = []
    for node in reversed(program.nodes):
        if node.has_effect or any(number in wanted for number in node.outputs):
            if isinstance(node.what, Loop):
                node = _narrowed(node, node.what, wanted)
            elif isinstance(node.what, Branch):
                node = replace(
                    node, what=replace(node.what, programs=tuple(map(without_dead_code, node.what.programs)))
                )
            kept.append(node)
            wanted.update(node.used)
    return program.with_nodes(reversed(kept))


def _narrowed(node: Node, loop: Loop, wanted: set[int]) -> Node:
    """A loop without the values that neither its results nor its own rounds need."""
    count = loop.carried
    offset = 0 if loop.condition is not None else 1
    outputs, body = loop.body.outputs, loop.body
    finals, collected = node.outputs[1 : count + 1], node.outputs[count + 1 :]
    kept = {place for place in range(count) if finals[place] in wanted}
    stacks = [place for place, number in enumerate(collected) if number in wanted]
    in_condition = needed_by(loop.condition, loop.condition.outputs) if loop.condition is not None else set()
    kept |= {place for place in range(count) if body.inputs[place] in in_condition}
    while True:  # a carried value may need another one
        ends = [outputs[place] for place in sorted(kept)] + [outputs[count + place] for place in stacks]
        needed = needed_by(body, ends)
        more = {place for place in range(count) if body.inputs[place] in needed} - kept
        if not more:
            break
        kept |= more
    places = sorted(kept)
    elements = [place for place in range(loop.sequences) if body.inputs[count + place] in needed]
    rest = count + loop.sequences
    constants = [p for p in range(rest, len(body.inputs)) if body.inputs[p] in needed | in_condition]
    chosen = [*places, *(count + place for place in elements), *constants]
    if len(chosen) == len(body.inputs) and len(stacks) == len(collected):
        return replace(node, what=replace(loop, body=without_dead_code(body)))
    inner = replace(body, inputs=[body.inputs[place] for place in chosen], outputs=ends)
    condition = loop.condition
    if condition is not None:
        taken = [body.inputs[place] for place in chosen]
        condition = replace(condition, inputs=[n for n in taken if n in condition.inputs])
    return Node(
        replace(
            loop,
            body=without_dead_code(inner),
            condition=condition,
            carried=len(places),
            sequences=len(elements),
            arrays=sum(place < loop.arrays for place in stacks),
        ),
        (*node.inputs[:offset], *(node.inputs[offset + place] for place in chosen)),
        node.attributes,
        (node.outputs[0], *(finals[place] for place in places), *(collected[place] for place in stacks)),
    )


def needed_by(program: Program, outputs: list[Any]) -> set[int]:
    """The numbers of all values that these outputs, and the effects of the program, depend on."""
    wanted = {output.number for output in outputs if output.__class__ is Value}
    for node in reversed(program.nodes):
        if node.has_effect or any(number in wanted for number in node.outputs):
            wanted.update(node.used)
    return wanted
