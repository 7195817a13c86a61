"""What a tape keeps of an op: the layout of a record, names for its parts, and how it is written.

A record is one flat tuple under the identity of the output:

    (pull, n, id 1, ..., id n, what the rules need ..., code object, instruction offset)

`pull(cotangent, record)` gives a sequence: the cotangents of the n followed inputs, which are known by their identities. Code
object and offset are the place in the user's program. Watched leaves map to None in place of a record.

An op with several outputs has n negative and its record under the first output; the last item before the place holds the
outputs' shapes and types. Each further output holds (None, identity of the first, position, count), a link to the record.

It is flat because a tape writes one for each op. For speed two places know the layout by its indices: the texts that op/entry.py
generates, and the walk in differentiation/backward.py. All others use the functions below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..base.context import STATE, Record, Records, next_id
from ..base.errors import GradientLookupError
from ..base.frames import user_location
from ..base.notes import CUTS, ENDS, End, note_cut, note_shadow
from ..base.sizes import UNKNOWN, surely_equal
from ..values.tensor import EagerTensor

if TYPE_CHECKING:
    from .declaration import Op

Looks = tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]  # shapes and types of an op's outputs
Place = tuple[Any, ...]  # code object and instruction offset, as `user_location` gives them
# Positions of the followed arguments, of those that are Python numbers, whether shapes differ, whether it is conjugated.
PullKey = tuple[tuple[int, ...], tuple[int, ...], bool, bool]


class Pull(Protocol):
    """The backward step of a record, on arrays: the cotangents of the followed inputs from that of the output.

    Where there are several outputs, it is given the list of their cotangents. `on_tensors` is the same for tensors.
    """

    on_tensors: Callable[[Any, Record], Sequence[Any]]

    def __call__(self, cotangent: Any, record: Record, /) -> Sequence[Any]:
        """The cotangents of the followed inputs."""


class OpPull(Pull, Protocol):
    """The pull of a declared op; those of custom gradients and of compiled functions have no op."""

    op: Op
    key: PullKey


# --- the parts of a record -----------------------------------------------------------------------------------------------


def pull_of(record: Record) -> Any:
    """The backward step, a `Pull`; None in the link that a further output holds."""
    return record[0]


def op_of(pull: object) -> Op | None:
    """The op that a pull belongs to; None for the gradient of a user's function or of a compiled one."""
    return getattr(pull, "op", None)


def ids_of(record: Record) -> tuple[int, ...]:
    """The identities of the followed inputs."""
    return record[2 : 2 + abs(record[1])]


def saved_by(record: Record) -> tuple[Any, ...]:
    """What the rules need, in the order of `Op.saved_names`; a variadic op has the positions of the followed inputs first."""
    return record[2 + abs(record[1]) : -3 if record[1] < 0 else -2]


def looks_of_outputs(record: Record) -> Looks | None:
    """Shapes and types of the outputs where the op may have several, else None."""
    return record[-3] if record[1] < 0 else None


def place_of(record: Record) -> Place:
    """Where the op was called: code object and instruction offset."""
    return record[-2:]


def is_further_output(record: Record) -> bool:
    """Whether this is not a record but a link to one, as outputs other than the first hold."""
    return record[0] is None


def way_to_first(record: Record) -> tuple[int, int, int]:
    """Of a further output: the identity of the first, the position among the outputs, and their number."""
    _, first, position, count = record
    return first, position, count


def leaves_below(records: Records, numbers: Iterable[int]) -> list[int]:
    """The identities of the watched leaves that the values with these identities depend on."""
    found: list[int] = []
    seen: set[int] = set()
    waiting = list(numbers)
    while waiting:
        number = waiting.pop()
        if number in seen or number not in records:
            continue
        seen.add(number)
        record = records[number]
        if record is None:
            found.append(number)
        else:
            waiting += [way_to_first(record)[0]] if is_further_output(record) else ids_of(record)
    return found


# --- writing -------------------------------------------------------------------------------------------------------------


def new_record(
    pull: object, ids: Sequence[int], saved: Iterable[Any], looks: Looks | None, place: Place
) -> tuple[Any, ...]:
    """A record of these parts; `looks` is None for an op that has one output."""
    if looks is None:
        return (pull, len(ids), *ids, *saved, *place)
    return (pull, -len(ids), *ids, *saved, looks, *place)


def write(records: Records, outputs: Sequence[Any], record: Record) -> None:
    """Store a record under the first output, and links to it under the others."""
    first, *others = outputs
    if not first._id:
        for output in outputs:  # consecutive ids: the walk reaches the first output, with the record, last
            output._id = next_id()
    records[first._id] = record
    for slot, output in enumerate(others, 1):
        records[output._id] = (None, first._id, slot, len(outputs))


def record_op(op: Op, inputs: tuple[Any, ...], attributes: dict[str, Any], outputs: tuple[Any, ...]) -> None:
    """Write the op to every tape of this thread that follows one of its inputs; then advance the accumulators."""
    if op.no_derivative is not None and not op.lookup_error:
        note_cut(op, inputs, outputs)
        return
    state = STATE
    for records in state.tapes:
        found: list[int] = []  # (filled by hand: on Python 3.11 a comprehension is a call)
        is_met = False  # whether an operand is followed at all; integers that came out beside floats are, and have no derivatives
        position = -1
        for tensor in inputs:
            position += 1
            if tensor._id in records:
                is_met = True
                if tensor.dtype.is_differentiable and (
                    op.variadic or op.lookup_error or op.arguments[position] in op.vjps
                ):
                    found.append(position)
        if not found or not (outputs[0].dtype.is_differentiable or op.lookup_error):
            if is_met:
                note_cut(op, inputs, outputs)
            continue
        write(records, outputs, record_of(op, tuple(found), inputs, attributes, outputs, user_location()))
    if CUTS:
        note_shadow(op, inputs, outputs)
    for accumulator in tuple(state.accumulators):
        accumulator._advance(op, inputs, attributes, outputs)


def record_of(
    op: Op,
    followed: tuple[int, ...],
    inputs: tuple[Any, ...],
    attributes: dict[str, Any],
    outputs: tuple[Any, ...],
    place: Place,
) -> Record:
    """The record of one call of an op, whose inputs at these positions are followed."""
    first = outputs[0]
    pull: Any
    if op.lookup_error and not op.vjps:
        pull, saved = _refuse(op), []
    elif op.variadic:
        needs = op.vjps[op.arguments[0]].needs
        pull = op.pull(())
        saved = [followed, *(_saved(op, name, inputs, attributes, outputs) for name in needs)]
    else:
        broadcast = False
        if op.broadcasts:
            shape = _shape(first)
            for position in followed:
                if not surely_equal(_shape(inputs[position]), shape):
                    broadcast = True
                    break
        conjugate = bool(op.holomorphic) and first.dtype.is_complex
        pull = op.pull(followed, (), broadcast, conjugate)
        saved = [_saved(op, name, inputs, attributes, outputs) for name in op.saved_names(followed, broadcast)]
    looks = None if op.outputs == 1 else looks_of(outputs)
    return new_record(pull, [inputs[p]._id for p in followed], saved, looks, place)


def looks_of(outputs: Iterable[Any]) -> Looks:
    """Shapes and types of outputs, as a record keeps them."""
    return tuple([(_shape(output), output.dtype.numpy) for output in outputs])


def _saved(op: Op, name: str, inputs: tuple[Any, ...], attributes: dict[str, Any], outputs: tuple[Any, ...]) -> Any:
    if name == "out":
        return outputs[0] if op.outputs == 1 else outputs
    if name in op.arguments:
        return inputs if op.variadic else inputs[op.arguments.index(name)]
    if name in attributes:
        return attributes[name]
    argument = name.removesuffix("_shape")
    if argument == "out":
        return _shape(outputs[0])
    if op.variadic:
        return tuple([_shape(tensor) for tensor in inputs])
    return _shape(inputs[op.arguments.index(argument)])


def _shape(tensor: Any) -> tuple[int, ...]:
    """A plain tuple; a TensorShape takes ten times as long to make and to compare."""
    if tensor.__class__ is EagerTensor:
        return tensor._array.shape
    shape = tensor.shape
    # (A rule that asks for a shape whose rank is unknown meets UNKNOWN, or what a lowering has for it.)
    return getattr(tensor, "open_shape", UNKNOWN) if shape.rank is None else tuple(shape)


def _refuse(op: Op) -> Pull:
    def pull(cotangent: object, record: Record) -> Any:
        ENDS.append(End(op, op.name, ids_of(record), *place_of(record)))
        raise GradientLookupError(
            f"gradient registry has no entry for: {op.tf_name}. tf.{op.name} has no derivative: {op.no_derivative}. "
            "Take it off the path with tf.stop_gradient."
        )

    pull.on_tensors = pull  # type: ignore[attr-defined]
    pull.refuses = True  # type: ignore[attr-defined]
    pull.refused = op  # type: ignore[attr-defined]
    return pull  # type: ignore[return-value]


def refusals(records: Records, number: int) -> list[Pull]:
    """The pulls of ops without a derivative that a walk from the value with this identity comes to."""
    found: list[Pull] = []
    seen: set[int] = set()
    waiting = [number]
    while waiting:
        number = waiting.pop()
        record = None if number in seen else records.get(number)
        seen.add(number)
        if record is None:
            continue
        if is_further_output(record):
            waiting.append(way_to_first(record)[0])
            continue
        if getattr(pull_of(record), "refuses", False):
            found.append(pull_of(record))
        waiting += ids_of(record)
    return found
