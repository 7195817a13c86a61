"""Sums of products that a loop only adds to: the gradients of weights in the loop of a gradient.

    total = total + transpose(state) @ cotangent

No other instruction of the round reads the sum, so no round has to wait for it. Such products are posted: threads that would
otherwise be idle compute them and add them up, in the order of the rounds (native/background.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from ..base.sizes import surely_equal
from ..ops.linalg.products import matmul
from ..ops.math.elementwise import add
from .program import Loop, Node, Program, Value


@dataclass(frozen=True, slots=True)
class Accumulated:
    """A carried value that each round adds one product to."""

    place: int  # among the carried values
    product: Node
    addition: Node

    @property
    def number(self) -> int:
        """The number of the product."""
        return self.product.outputs[0]


def accumulated(loop: Loop, is_postable: Callable[[Node], bool]) -> list[Accumulated]:
    """The carried values of a loop that are such sums."""
    body = loop.body
    if any(node.has_effect for node in body.nodes):
        return []  # (A variable that an operand was read from may be changed meanwhile.)
    makers = {number: node for node in body.nodes for number in node.outputs}
    uses = _uses(body)
    if loop.condition is not None:
        uses.update(_uses(loop.condition))
    found = []
    for place, (carried, output) in enumerate(
        zip(body.inputs[: loop.carried], body.outputs[: loop.carried], strict=True)
    ):
        addition = makers.get(output.number) if output.__class__ is Value else None
        if addition is None or addition.what is not add or uses[output.number] != 1 or uses[carried] != 1:
            continue
        terms = [operand.number for operand in addition.inputs if operand.__class__ is Value]
        if len(terms) != 2 or carried not in terms:
            continue
        term = terms[1] if terms[0] == carried else terms[0]
        product = makers.get(term)
        if product is None or product.what is not matmul or uses[term] != 1 or not is_postable(product):
            continue
        if surely_equal(body.looks[term], body.looks[carried]):
            found.append(Accumulated(place, product, addition))
    return found


def _uses(program: Program) -> Counter[int]:
    """How often each value is used, as an output too. (Values of one program go by the same numbers in loops inside of it.)"""
    uses = Counter(number for node in program.nodes for number in node.used)
    uses.update(output.number for output in program.outputs if output.__class__ is Value)
    return uses


def without_sums(body: Program, sums: list[Accumulated]) -> Program:
    """The round without the additions; what goes round in their place is the sum itself."""
    additions = {id(sum_.addition) for sum_ in sums}
    outputs = list(body.outputs)
    for sum_ in sums:
        outputs[sum_.place] = Value(body.inputs[sum_.place])
    return body.with_nodes([node for node in body.nodes if id(node) not in additions], outputs)
