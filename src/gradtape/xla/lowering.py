"""A `Program` as a function that jax traces: each op by its own kernel with jax.numpy in place of NumPy.

What an op's block says about XLA comes first: `@op.xla` computes it there in place of the kernel, `op.host_only` says why it
cannot. Variables are state that goes in and comes out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from ..base.context import STATE
from ..base.dtypes import NARROW_FLOATS
from ..base.locks import new_lock
from ..compile.measures import Measure
from ..compile.program import (
    Assign,
    Branch,
    Call,
    Look,
    Loop,
    Node,
    Program,
    Read,
    Update,
    Value,
    call_outside,
    size_of,
)
from ..op.declaration import Op
from ..variables.variable import Variable
from .arrays import abstract
from .draws import is_draw, is_on_device, run_draw, state_of
from .replicas import on_all_devices, run_replicas

State = dict[int, jax.Array]  # the values of variables, by their identity


class Refused(Exception):
    """An instruction that cannot be traced, and why."""

    def __init__(self, node: Node, reason: str) -> None:
        super().__init__(reason)
        self.node, self.reason = node, reason


_LARGEST = 1 << 48  # elements of an array: XLA ends the process where their number overflows


def reason_against(node: Node, program: Program, in_replica: bool = False) -> str | None:
    """Why XLA cannot run an instruction; None where it can. Replicas call the host, as no part of them can stay there."""
    what = node.what
    if in_replica and isinstance(what, Call) and is_effect(node):
        return None
    if isinstance(what, Op) and what.stays_on_host is not None:
        return f"{what.name}: {what.stays_on_host}"
    if isinstance(what, Call) and not is_on_device(what, [program.looks[number] for number in node.outputs]):
        return f"{what.name}: a Python function is called"
    looks = [program.looks[number] for number in (*node.used, *node.outputs)]
    if any(dtype.kind == "O" for _, dtype in looks) or any(_is_text(operand) for operand in node.inputs):
        return f"{what.name}: text stays on the host"
    sized = [program.looks[number] for number in (*node.used, *node.outputs) if number not in stacks_of(node, program)]
    if isinstance(what, Measure) or node.has_open_attributes or any(map(is_open, sized)):
        return f"{what.name}: sizes depend on values"
    if any(math.prod(shape) > _LARGEST for shape, _ in sized):
        return f"{what.name}: there is no memory for so many elements"
    if isinstance(what, (Loop, Branch)):
        in_replica |= isinstance(what, Loop) and what.across is not None
        inner = (_reason_inside(each, body, in_replica) for body in what.programs for each in body.nodes)
        found = next((f"{what.name} with {reason}" for reason in inner if reason is not None), None)
        return found if found is None or not isinstance(what, Loop) else on_all_devices(what, found)
    return None


def is_effect(node: Node) -> bool:
    """Whether an instruction calls a Python function for its effect alone, which is not on variables: it prints, or asserts."""
    if not isinstance(node.what, Call) or node.outputs or is_draw(node.what) or state_of(node.what) is not None:
        return False
    return not isinstance(getattr(node.what.function, "__self__", None), Variable)


def calls_host(program: Program, in_replica: bool = False) -> bool:
    """Whether replicas of a program call the host."""
    return any(
        (in_replica and is_effect(node))
        or any(
            calls_host(inner, in_replica or getattr(node.what, "across", None) is not None)
            for inner in (node.what.programs if isinstance(node.what, (Loop, Branch)) else ())
        )
        for node in program.nodes
    )


def _reason_inside(node: Node, program: Program, in_replica: bool) -> str | None:
    if stacks_of(node, program):
        return f"{node.what.name}: it collects values in a number of rounds that only running shows"
    return reason_against(node, program, in_replica)


def is_open(look: Look) -> bool:
    """Whether a size is known only when the program runs."""
    return size_of(look) is None or any(size < 0 for size in look[0])


def stacks_of(node: Node, program: Program) -> list[int]:
    """What a loop collects, and the sequences that it goes through, where only running shows how many rounds there are."""
    if not isinstance(node.what, Loop):
        return []
    loop, first = node.what, 0 if node.what.condition is not None else 1
    sequences = node.inputs[first + loop.carried :][: loop.sequences]
    found = [*(part.number for part in sequences if part.__class__ is Value), *node.outputs[1 + loop.carried :]]
    return [number for number in found if is_open(program.looks[number])]


class Room:
    """How many rounds of loops there is room for: stacks of an unknown length need some size. And how many there were."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.needed: list[jax.Array] = []


def _is_text(operand: object) -> bool:
    return isinstance(operand, np.ndarray) and operand.dtype.kind == "O"


def run_op(op: Op, operands: list[Any], attributes: dict[str, Any], looks: list[Look]) -> list[jax.Array]:
    """The results of an op on values that jax traces, with the shapes and types that its rules promise."""
    kernel, given = (op.kernel, jnp) if op.xla_kernel is None else (op.xla_kernel, jax)
    attributes = {**op.attributes, **attributes}
    if op.broadcasts:
        operands = [_wide(value) for value in operands]
    result = kernel(given, operands, **attributes) if op.variadic else kernel(given, *operands, **attributes)
    results = (result,) if op.outputs == 1 else tuple(result)
    return [_as_promised(op, value, *look) for value, look in zip(results, looks, strict=True)]


def _wide(value: Any) -> Any:
    """float16 and bfloat16 as float32: elementwise ops compute in it, and round once."""
    return value.astype(np.float32) if getattr(value, "dtype", None) in NARROW_FLOATS else value


def _as_promised(op: Op, value: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> jax.Array:
    """The value with the type that NumPy gives: where a kernel writes a wide constant, jax would keep the wide type."""
    array = jnp.asarray(value)
    if array.shape != tuple(shape):
        raise ValueError(f"it gives the shape {array.shape} on XLA, and {tuple(shape)} on the host")
    return array if array.dtype == dtype else array.astype(dtype)


def run_program(program: Program, given: list[Any], state: State) -> list[Any]:
    """What a program gives for these inputs, while jax traces; `state` is changed as the program says."""
    values = dict(zip(program.inputs, given, strict=True))

    def operand(part: object) -> Any:
        if part.__class__ is Value:
            return values[part.number]
        return jnp.asarray(part) if isinstance(part, (np.ndarray, np.generic)) else part

    for node in program.nodes:
        looks = [program.looks[number] for number in node.outputs]
        try:
            if is_effect(node):
                results = _call_back(node, values, state)
            elif isinstance(node.what, Call):
                results = [run_draw(node.what, values, state, *looks[0])]
            else:
                results = _run_node(node, [operand(part) for part in node.inputs], looks, state)
        except Refused as inner:
            raise Refused(node, f"{node.what.name} with {inner.reason}") from inner
        except Exception as error:  # of the kernel, or of jax: it asks for a value, or for what jax does not have
            raise Refused(node, f"{node.what.name}: jax cannot trace it, {str(error).partition(chr(10))[0]}") from error
        values.update(zip(node.outputs, results, strict=True))
    return [operand(part) for part in program.outputs]


_CALLING = new_lock()
_ORDER = (
    -1
)  # among the variables: what each call of the host takes from the one before it, so that they keep their order


def _call_back(node: Node, values: dict[int, Any], state: State) -> list[Any]:
    """Let the device call a Python function on the host, with the values that it has there."""
    call, errors = node.what, STATE.call_errors
    assert isinstance(call, Call)
    given = {number: values[number] for number in node.used}
    dtypes = [value.dtype for value in given.values()]

    def on_host(before: object, *arrays: object) -> np.ndarray:
        # (Outside of our settings JAX may give narrower types.)
        fetched = [np.asarray(array).astype(dtype) for array, dtype in zip(arrays, dtypes, strict=True)]
        try:
            with _CALLING:  # (else the lines that replicas print would mix)
                call_outside(call, dict(zip(given, fetched, strict=True)))
        except Exception as error:
            if errors is not None:
                errors.append(error)
        return np.zeros((), np.int32)

    state[_ORDER] = io_callback(on_host, abstract((), np.dtype(np.int32)), state[_ORDER], *given.values())
    return []


def _run_node(node: Node, operands: list[Any], looks: list[Look], state: State) -> list[Any]:
    what = node.what
    if isinstance(what, Op):
        look_on = STATE.lowering_observer
        if look_on is not None:
            look_on(what, operands, node.attributes)
        return run_op(what, operands, node.attributes, looks)
    if isinstance(what, Read):
        return [state[what.variable._id]]
    if isinstance(what, Assign):
        state[what.variable._id] = operands[0]
        return []
    if isinstance(what, Update):
        number = what.variable._id
        state[number] = run_op(what.op, [state[number], *operands], {}, looks)[0]
        return [state[number]]
    if isinstance(what, Branch):
        return _run_branch(what, operands, state)
    if isinstance(what, Loop) and what.across is not None:
        state[_ORDER] = jnp.zeros((), np.int32)
        return run_replicas(what, operands, state, _changed_in(what.body), _run_inside)
    if isinstance(what, Loop):
        fixed = what.condition is None and node.inputs[0].__class__ is not Value
        return _run_loop(what, operands, state, int(node.inputs[0]) if fixed else None)
    raise TypeError("a Python function is called")


# --- branches and loops --------------------------------------------------------------------------------------------------
#
# Variables that are changed inside are carried through; all else that is used there jax finds by itself.


def _changed_in(*programs: Program) -> list[int]:
    found = list({number: None for program in programs for number, _, changed in touched(program) if changed})
    return [*found, _ORDER] if any(calls_host(program, in_replica=True) for program in programs) else found


def _run_inside(program: Program, given: list[Any], state: State, changed: list[int], values: list[Any]) -> Any:
    """What a program inside gives, in the types it promises, and the variables after it."""
    inner = {**state, **dict(zip(changed, values, strict=True))}
    results = run_program(program, given, inner)
    looks = [program.look_of(output) for output in program.outputs]
    return [jnp.asarray(r, look[1]) for r, look in zip(results, looks, strict=True)], [inner[k] for k in changed]


def _run_branch(branch: Branch, operands: list[Any], state: State) -> list[Any]:
    number, *given = operands
    changed, last = _changed_in(*branch.programs), len(branch.programs) - 1
    number = jnp.asarray(number).reshape(()).astype(np.int32)
    place = jnp.where((number < 0) | (number > last), last, number)
    ways = [partial(_run_inside, program) for program in branch.programs]
    taken = [lambda values, way=way: way(given, state, changed, values) for way in ways]
    results, after = jax.lax.switch(place, taken, [state[k] for k in changed])
    state.update(zip(changed, after, strict=True))
    return list(results)


def _run_loop(loop: Loop, operands: list[Any], state: State, length: int | None) -> list[Any]:
    """The rounds of a loop, of which there are `length` where that is known."""
    count: Any = None if loop.condition is not None else operands.pop(0)
    starts, rest = operands[: loop.carried], operands[loop.carried :]
    sequences, constants = rest[: loop.sequences], rest[loop.sequences :]
    looks = [loop.body.looks[number] for number in loop.body.inputs[: loop.carried]]
    starts = [jnp.asarray(start, look[1]) for start, look in zip(starts, looks, strict=True)]
    changed = _changed_in(*loop.programs)
    begin = (starts, [state[k] for k in changed])

    def turn(carry: Any, elements: list[Any]) -> Any:
        carried, values = carry
        results, after = _run_inside(loop.body, [*carried, *elements, *constants], state, changed, values)
        return (results[: loop.carried], after), results[loop.carried :]

    def holds(carry: Any) -> Any:
        rounds, (carried, values) = carry
        if loop.condition is None:
            return rounds < count
        truth, _ = _run_inside(loop.condition, [*carried, *constants], state, changed, values)
        return truth[0].reshape(())

    if length is not None:
        rounds = jnp.asarray(length, np.int64)
        (carried, after), stacks = jax.lax.scan(turn, begin, sequences, length=length, reverse=loop.reverse)
    else:
        room = STATE.room
        collected = [loop.body.look_of(output) for output in loop.body.outputs[loop.carried :]]
        empty = [jnp.zeros((room.rounds, *shape), dtype) for shape, dtype in collected] if room is not None else []

        def go_on(progress: Any) -> Any:
            (rounds, carry), stacks = progress
            place = count - 1 - rounds if loop.reverse else rounds
            elements = [jax.lax.dynamic_index_in_dim(sequence, place, keepdims=False) for sequence in sequences]
            carry, found = turn(carry, elements)
            # (Without room the last place is written again; then the whole is computed again, see `Executable`.)
            write = jax.lax.dynamic_update_index_in_dim
            return (rounds + 1, carry), [write(stack, x, place, 0) for stack, x in zip(stacks, found, strict=True)]

        first = ((jnp.zeros((), np.int64), begin), empty)
        (rounds, (carried, after)), stacks = jax.lax.while_loop(lambda progress: holds(progress[0]), go_on, first)
        if room is not None and stacks:
            room.needed.append(rounds)
    state.update(zip(changed, after, strict=True))
    return [rounds, *carried, *stacks]


def touched(program: Program) -> Iterator[tuple[int, Any, bool]]:
    """The variables of a program and of what runs inside it: identity, variable, whether it is changed."""
    for node in program.nodes:
        what = node.what
        if isinstance(what, (Read, Assign, Update)):
            yield what.variable._id, what.variable, not isinstance(what, Read)
        elif isinstance(what, Call) and (variable := state_of(what)) is not None:
            yield variable._id, variable, True
        elif isinstance(what, (Loop, Branch)):
            for inner in what.programs:
                yield from touched(inner)
