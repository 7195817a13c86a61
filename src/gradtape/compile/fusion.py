"""Elementwise chains on large arrays, in blocks that stay in the cache, on all cores.

NumPy takes one op after the other through memory. Here all ops of a chain are applied to one block before the next block
is touched, so that intermediate results are never written to memory; ufuncs let go of the interpreter's lock, so blocks run
in parallel. A sum over everything ends a chain: each block gives its part.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..base.generated import Names, define
from ..base.sizes import surely_equal
from ..base.threads import in_parts
from ..native import engine, thresholds
from ..op.declaration import Op
from .group import Group, Item, uses, with_outputs
from .program import Node, Program, Value, size_of

_UFUNCS: dict[Any, np.ufunc] = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.truediv: np.true_divide,
    operator.neg: np.negative,
}


def ufunc_of(op: Op) -> np.ufunc | None:
    """The ufunc behind an op, which can write into a given buffer."""
    return op.eager if isinstance(op.eager, np.ufunc) else _UFUNCS.get(op.eager)


class BlockGroup(Group):
    """Instructions that NumPy runs together, block by block."""

    def kernel(self, program: Program, spare: set[int], own: dict[int, int]) -> FusedKernel:
        """The group as a function of arrays."""
        return FusedKernel(program, self)


def whole_function(program: Program, returned: object) -> Any:
    """The program as machine code that takes and returns tensors (see `whole/`); None where it is not one native function."""
    if not engine.available():
        return None
    from .whole.group import whole_function as written

    return written(program, returned)


def can_be_whole(program: Program) -> bool:
    """Whether a program is made of ops on small arrays, which become native functions."""
    if not engine.available():
        return False
    from .whole.group import can_be_whole as is_small

    return is_small(program)


def native_stage(program: Program, python_of: Callable[[Program], Any], stage: str) -> Iterable[str]:
    """The native functions of a program as text, at one stage of the way (see `whole/show.py`)."""
    if not engine.available():
        return ["no native function: there is no machine code here (llvmlite is not installed, or turned off)"]
    from .whole.show import shown

    return shown(program, python_of, stage)


def grouped(program: Program, python_of: Callable[[Program], Any] | None = None) -> list[Item]:
    """The instructions in order, with chains on large arrays as groups: in machine code where possible, else in blocks.

    With `python_of`, which gives a program as a Python function, instructions on small arrays are groups, too.
    """
    items: list[Item] = list(program.nodes)
    if python_of is not None and can_be_whole(program):
        from .whole.group import whole_groups

        return with_outputs(program, whole_groups(program, python_of))
    is_large = any((size_of(look) or 0) >= thresholds.ONE_PASS_ELEMENTS for look in program.looks.values())
    # (What becomes a native function after some calls has eager's bits before, too, which row groups need not have.)
    if engine.available() and is_large and not can_be_whole(program):
        from .row_groups import row_groups

        items = row_groups(program)
    return with_outputs(program, _in_blocks(program, items))


def _in_blocks(program: Program, nodes: list[Item]) -> list[Item]:
    items: list[Item] = []
    open_group: Group | None = None
    for node in nodes:
        shape = _large_shape(program, node) if isinstance(node, Node) else None
        if open_group is not None and isinstance(node, Node):
            if shape == open_group.shape and not uses(node, open_group.sums):
                open_group.nodes.append(node)
                continue
            if _is_sum(program, node, open_group):
                open_group.sums.append(node)
                continue
        if open_group is not None and (shape is not None or uses(node, open_group.all)):
            items.append(open_group)
            open_group = None
        if shape is not None:
            assert isinstance(node, Node)
            open_group = BlockGroup(shape, [node])
        else:
            items.append(node)
    if open_group is not None:
        items.append(open_group)
    return items


def _large_shape(program: Program, node: Node) -> tuple[int, ...] | None:
    """The shape of the result of an elementwise instruction, if it can be part of a group."""
    op = node.what
    if not isinstance(op, Op) or not op.broadcasts or op.outputs != 1 or op.variadic or node.has_open_attributes:
        return None
    shape, dtype = look = program.looks[node.outputs[0]]
    if (size_of(look) or 0) < thresholds.CHAIN_ELEMENTS or dtype.kind not in "fbiu":
        return None
    for operand in node.inputs:
        if operand is None:
            return None
        given = program.look_of(operand)
        size = size_of(given)
        if size is None or (size != 1 and given[0] != shape):
            return None
    return shape


def _is_sum(program: Program, node: Node, group: Group) -> bool:
    if not isinstance(node.what, Op) or node.what.name != "reduce_sum" or node.attributes.get("keepdims"):
        return False
    (operand,) = node.inputs
    if operand.__class__ is not Value or node.attributes.get("axis") is not None:
        return False
    shape, dtype = program.looks[operand.number]
    made = {number for inner in group.nodes for number in inner.outputs}
    return operand.number in made and surely_equal(shape, group.shape) and dtype in (np.float32, np.float64)


# --- running a group -------------------------------------------------------------------------------------------------------


class FusedKernel:
    """A group as a function of arrays."""

    def __init__(self, program: Program, group: Group) -> None:
        self._shape = group.shape
        self._size = math.prod(group.shape)
        self._looks = program.looks
        self._sums = [number for node in group.sums for number in node.outputs]
        self._large = [number for number in group.outputs if number not in self._sums]
        self._outputs = group.outputs
        self._inputs = list(group.used)
        self._block, self._scratch = _block_function(program, group, self._inputs, self._large)

    def __call__(self, *arrays: Any, own: object = ()) -> Any:
        given = [a.reshape(-1) if np.size(a) != 1 else a for a in arrays]
        results = {n: np.empty(self._shape, self._looks[n][1]) for n in self._large}
        flat = [results[n].reshape(-1) for n in self._large]
        totals = in_parts(
            lambda start, stop: self._run(start, stop, given, flat), self._size, thresholds.CHAIN_BLOCK_ELEMENTS
        )
        for place, number in enumerate(self._sums):
            dtype = self._looks[number][1]
            results[number] = dtype.type(np.sum([total[place] for total in totals], dtype=dtype))
        return tuple([results[number] for number in self._outputs])

    def _run(self, start: int, stop: int, given: list[Any], flat: list[Any]) -> list[Any]:
        length = thresholds.CHAIN_BLOCK_ELEMENTS
        scratch = [np.empty(length, dtype) for dtype in self._scratch]
        sums = [[] for _ in self._sums]  # type: list[list[Any]]
        with np.errstate(all="ignore"):
            for low in range(start, stop, length):
                high = min(low + length, stop)
                for total, part in zip(sums, self._block(low, high, given, flat, scratch), strict=True):
                    total.append(part)
        return [np.sum(parts) if parts else 0.0 for parts in sums]


def _block_function(program: Program, group: Group, inputs: list[int], large: list[int]) -> tuple[Any, list[Any]]:
    """`block(low, high, inputs, outputs, scratch)` as straight-line Python, and the types of the scratch buffers."""
    names = Names()
    lines = ["def block(low, high, given, out, scratch):", "    n = high - low"]
    at: dict[int, str] = {}
    for place, number in enumerate(inputs):
        single = math.prod(program.looks[number][0]) == 1
        lines.append(f"    x{place} = given[{place}]" + ("" if single else "[low:high]"))
        at[number] = f"x{place}"
    last: dict[int, int] = {}
    for position, node in enumerate(group.nodes):
        last.update(dict.fromkeys(node.used, position))
    for node in group.sums:
        last.update(dict.fromkeys(node.used, len(group.nodes)))
    scratch: list[Any] = []
    free: dict[Any, list[str]] = {}
    for position, node in enumerate(group.nodes):
        (number,) = node.outputs
        operands = []
        for operand in node.inputs:
            if operand.__class__ is Value:
                operands.append(at[operand.number])
                continue
            single = np.size(operand) == 1
            name = names.of("c", operand if single else np.reshape(operand, -1))
            operands.append(name if single else f"{name}[low:high]")
        dtype = program.looks[number][1]
        op = node.what
        assert isinstance(op, Op)
        ufunc = ufunc_of(op) if not node.attributes else None
        for used in dict.fromkeys(
            node.used
        ):  # a buffer with its last use here is reused for the result: ufuncs work in place
            if last.get(used) == position and at[used].startswith("t"):
                free.setdefault(program.looks[used][1], []).append(at[used])
        kernel = names.of("k", ufunc or functools.partial(op.eager, **node.attributes))
        if number in large:
            at[number] = f"y{large.index(number)}"
            lines.append(f"    {at[number]} = out[{large.index(number)}][low:high]")
        elif ufunc is None:
            at[number] = f"r{number}"
        elif free.get(dtype):
            at[number] = free[dtype].pop()
        else:
            at[number] = f"t{len(scratch)}"
            lines.append(f"    t{len(scratch)} = scratch[{len(scratch)}][:n]")
            scratch.append(dtype)
        if ufunc is not None:
            lines.append(f"    {kernel}({', '.join(operands)}, out={at[number]})")
        else:
            lines.append(f"    {at[number]}{'[...]' if number in large else ''} = {kernel}({', '.join(operands)})")
    parts = [f"{at[node.used[0]]}.sum()" for node in group.sums]
    lines.append(f"    return [{', '.join(parts)}]")
    return define("\n".join(lines) + "\n", f"<gradtape block {id(names.objects):x}>", names.objects), scratch
