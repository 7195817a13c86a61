"""The states of connectionist temporal classification; the loss itself is written in ops, in nn/ctc.py.

An alignment gives each time step a state: states are blank, label 1, blank, label 2, ..., blank; it stays,
moves on by one, or skips a blank between two different labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import INDEX, Array
from ...base.errors import invalid, too_few_axes
from ...base.types import Draw, Jax, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, shape_of
from ..array.layout import reshape


def _states(
    labels: Array, label_length: Array, logit_length: Array, classes: int, blank: int
) -> tuple[Array, Array, Array, Array]:
    if labels.ndim != 2:
        raise invalid(f"ctc_loss: labels must be (batch, longest), got shape {labels.shape}.")
    batch, width = labels.shape
    if label_length.shape != (batch,) or logit_length.shape != (batch,):
        raise too_few_axes(
            f"ctc_loss: there are {batch} label sequences, but label_length has shape {label_length.shape} "
            f"and logit_length {logit_length.shape}."
        )
    if not -classes <= blank < classes:
        raise invalid(f"ctc_loss: blank_index {blank} is no class: there are {classes}.")
    if batch and not (label_length.min() >= 0 and label_length.max() <= width and logit_length.min() >= 0):
        raise invalid(
            f"ctc_loss: label_length {label_length.tolist()} must lie between 0 and {width}, and "
            f"logit_length {logit_length.tolist()} must not be negative."
        )
    used = np.arange(width) < label_length[:, None]
    if (used & ((labels < 0) | (labels >= classes))).any():
        raise invalid(f"ctc_loss: labels must be classes from 0 to {classes - 1}.")
    symbols = np.full((batch, 2 * width + 1), blank % classes, np.int64)
    symbols[:, 1::2] = np.where(used, labels, blank % classes)
    may_skip = np.zeros(symbols.shape, bool)
    may_skip[:, 3::2] = symbols[:, 3::2] != symbols[:, 1:-2:2]
    state = np.arange(2 * width + 1)
    last = 2 * label_length[:, None]
    ends = (state == last) | (state == last - 1)
    return symbols, may_skip, ends, (label_length == 0)


@op(eager=_states, dtypes=INDEX, outputs=4, tf_name="CTCStates", gives=(np.int64, np.bool_, np.bool_, np.bool_))
def ctc_states(
    xp: Namespace, labels: Array, label_length: Array, logit_length: Array, *, classes: int, blank: int
) -> Any:
    """Each state's class, whether a skip enters it, whether alignments may end there; and which sequences have no labels."""
    return _states(np.asarray(labels), np.asarray(label_length), np.asarray(logit_length), classes, blank)


@ctc_states.xla
def _(
    jax: Jax, labels: Array, label_length: Array, logit_length: Array, *, classes: int, blank: int
) -> tuple[Any, ...]:
    xp, (batch, width) = jax.numpy, labels.shape
    used = xp.arange(width) < label_length[:, None]
    symbols = xp.full((batch, 2 * width + 1), blank % classes, np.int64)
    symbols = symbols.at[:, 1::2].set(xp.where(used, labels, blank % classes))
    differ = symbols[:, 3::2] != symbols[:, 1:-2:2]
    may_skip = xp.zeros(symbols.shape, bool).at[:, 3::2].set(differ)
    state, last = xp.arange(2 * width + 1), 2 * label_length[:, None]
    return symbols, may_skip, (state == last) | (state == last - 1), label_length == 0


@ctc_states.shapes
def _(labels: Abstract, *_: object, **__: object) -> list[Shape]:
    batch, width = labels.of_rank(2)
    states = (batch, 2 * width + 1)
    return [states, states, states, (batch,)]


ctc_states.not_differentiable("labels are integers")


@ctc_states.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    size, data = all_batched(is_batched, args)
    folded = [reshape(x, shape=(size * shape_of(x)[1], *shape_of(x)[2:])) for x in data]
    parts = ctc_states(*folded, **attributes)
    return [reshape(part, shape=(size, shape_of(part)[0] // size, *shape_of(part)[1:])) for part in parts]


@ctc_states.samples
def _(draw: Draw) -> Iterator[Sample]:
    for labels, label_length, classes, blank in [
        ([[1, 2], [2, 0]], [2, 1], 3, 0), ([[1, 1]], [2], 3, 0), ([[0, 1], [1, 2]], [2, 2], 4, 3),
        ([[0, 1]], [2], 3, -1), ([[1]], [1], 2, 0),
        ([[0]], [0], 3, 0), ([[1, 2, 1]], [3], 3, 0), ([[1, 2, 2], [1, 0, 0]], [3, 1], 3, 0),
        (np.zeros((0, 2)), [], 3, 0), (np.zeros((2, 0)), [0, 0], 3, 0),
    ]:  # fmt: skip
        lengths = np.array(label_length, np.int64)
        yield Sample((np.array(labels, np.int64), lengths, lengths + 3), {"classes": classes, "blank": blank})


@ctc_states.value
def _(labels: Array, label_length: Array, logit_length: Array, classes: int, blank: int) -> Any:
    symbols, skips, ends = [], [], []
    for row, length in zip(labels.tolist(), label_length.tolist(), strict=True):
        line = [blank % classes]
        for place, label in enumerate(row):
            line += [label if place < length else blank % classes, blank % classes]
        symbols.append(line)
        skips.append([s % 2 == 1 and s > 1 and line[s] != line[s - 2] for s in range(len(line))])
        ends.append([s in (2 * length, 2 * length - 1) for s in range(len(line))])
    shape = (labels.shape[0], 2 * labels.shape[1] + 1)
    return [np.array(part).reshape(shape) for part in (symbols, skips, ends)] + [np.array(label_length == 0)]


@ctc_states.rejects
def _() -> Iterator[BadInput]:
    usual = [np.array([[1, 2], [1, 0]], np.int32), np.array([2, 1], np.int32), np.array([3, 3], np.int32)]
    for place, value in [
        (0, [[1, 3], [1, 0]]), (0, [[-1, 2], [1, 0]]), (0, [[1, 2]]), (0, [1, 2]), (1, [3, 1]),
        (1, [-1, 1]), (1, [2]), (1, [[2, 1]]), (2, [3]),
        (2, [-1, 3]), (2, [3, 3, 3]),
    ]:  # fmt: skip
        given = list(usual)
        given[place] = np.array(value, np.int32)
        yield BadInput("labels are classes, lengths fit", tuple(given), {"classes": 3, "blank": 0})
    for blank in (3, -4, 2**40):
        yield BadInput("the blank is a class", tuple(usual), {"classes": 3, "blank": blank})
    yield BadInput("labels are integers", (usual[0].astype(np.float32), *usual[1:]), {"classes": 3, "blank": 0})
