"""Sequences: the weights of attention, and one step of the recurrent layers, in one op each.

The gates of a step are an output: the forward pass computes them, and the derivative needs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...native import choice
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, batch_leading, in_float32, insert_axes, rank_of, shape_of
from ...op.shapes import broadcast_to_sizes, matched_sizes, replaced
from ..array.layout import concat, split_sizes, sum_to_shape
from ..math.reduce import reduce_sum
from ..math.special import functions
from ..math.trigonometric import tanh
from .slopes import sigmoid_grad, tanh_grad

# --- attention ----------------------------------------------------------------------------------------------


@in_float32
def _scaled_softmax(logits: Array, bias: Array, scale: float = 1.0, causal: bool = False) -> Any:
    if logits.ndim < 2:
        raise invalid(f"scaled_softmax: logits need axes for queries and keys, got shape {logits.shape}.")
    if bias.ndim > logits.ndim or np.broadcast_shapes(bias.shape, logits.shape) != logits.shape:
        raise invalid(f"scaled_softmax: a bias of shape {bias.shape} does not broadcast to logits {logits.shape}.")
    if not logits.size:
        return logits
    if not causal and _in_machine_code(logits) and (bias.size == 1 or bias.shape == logits.shape[-1:]):
        from ...native import layers

        rows = np.ascontiguousarray(logits).reshape(-1, logits.shape[-1])
        return layers.scaled_softmax(rows, scale, np.ascontiguousarray(bias)).reshape(logits.shape)
    shifted = logits * logits.dtype.type(scale)
    shifted += bias
    if causal:
        queries, keys = logits.shape[-2:]
        later = np.arange(keys) > np.arange(queries)[:, None] + (keys - queries)
        np.copyto(shifted, -np.inf, where=later)
    shifted -= shifted.max(axis=-1, keepdims=True)
    np.exp(shifted, out=shifted)
    shifted /= shifted.sum(axis=-1, keepdims=True)
    return shifted


@op(eager=_scaled_softmax, dtypes=FLOATING)
def scaled_softmax(xp: Namespace, logits: Array, bias: Array, *, scale: float = 1.0, causal: bool = False) -> Any:
    """softmax(scale * logits + bias) over the last axis; `causal` hides the keys that come after a query."""
    shifted = logits * scale + bias
    if causal:
        queries, keys = logits.shape[-2:]
        shifted = xp.where(xp.arange(keys) > xp.arange(queries)[:, None] + (keys - queries), -xp.inf, shifted)
    powers = xp.exp(shifted - xp.max(shifted, axis=-1, keepdims=True))
    return powers / xp.sum(powers, axis=-1, keepdims=True)


@scaled_softmax.shapes
def _(logits: Abstract, bias: Abstract, **_: object) -> Shape:
    return broadcast_to_sizes(bias.known, logits.known)


def _through_softmax(t: Any, out: Any) -> Any:
    weighted = t * out
    return weighted - reduce_sum(weighted, axis=-1, keepdims=True) * out


@scaled_softmax.vjp("logits")
def _(g: Cotangent, out: Value, scale: float) -> Any:
    return _through_softmax(g, out) * scale


@scaled_softmax.vjp("bias")
def _(g: Cotangent, out: Value, bias_shape: tuple[int, ...]) -> Any:
    return sum_to_shape(_through_softmax(g, out), shape=bias_shape)


@scaled_softmax.jvp("logits")
def _(t: Tangent, out: Value, scale: float) -> Any:
    return _through_softmax(t * scale, out)


@scaled_softmax.jvp("bias")
def _(t: Tangent, out: Value) -> Any:
    return _through_softmax(t, out)


@scaled_softmax.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    rank = rank_of(args[0]) - is_batched[0]
    if not is_batched[0]:
        _, (logits, bias) = all_batched(is_batched, args)
        return declared(logits, insert_axes(bias, rank), **attributes)
    return declared(args[0], insert_axes(args[1], rank) if is_batched[1] else args[1], **attributes)


@scaled_softmax.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, bias, causal in [
        ((2, 3), (), False), ((3, 3), (), True), ((2, 3), (3,), False), ((2, 2, 3), (2, 3), False), ((2, 4, 4), (4,), True), ((1, 1), (1, 1), True),
        ((2, 3, 2, 4), (3, 1, 4), False), ((2, 4), (2, 4), True), ((3, 2), (2, 1)[:1], False), ((1, 5), (), True), ((0, 2, 3), (3,), False),
        ((2, 1, 3, 3), (2, 1, 1, 3), True),
    ]:  # fmt: skip
        yield Sample((draw(shape), draw(bias)), {"scale": 0.7, "causal": causal})


@scaled_softmax.value
def _(logits: Array, bias: Array, scale: float, causal: bool) -> Any:
    powers = np.exp(logits * scale + bias)
    if causal:
        queries, keys = logits.shape[-2:]
        powers = powers * np.tri(queries, keys, keys - queries)
    return powers / powers.sum(axis=-1, keepdims=True)


@scaled_softmax.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for shape in ((2,), (3, 1), (2, 2, 3), (4,)):
        yield BadInput("the bias must broadcast", (x, np.ones(shape, np.float32)))
    yield BadInput("queries and keys", (x[0], x[0]))
    yield BadInput("types never mix", (x, np.float64(0)))


# --- steps of recurrent layers ------------------------------------------------------------------------------


def _parts(z: Value, count: int) -> Any:
    return split_sizes(z, sizes=(shape_of(z)[-1] // count,) * count, axis=-1)


def _check_gates(name: str, count: int, gates: Array, state: Array) -> int:
    if not gates.ndim or gates.shape != (*state.shape[:-1], count * state.shape[-1] if state.ndim else -1):
        raise invalid(
            f"{name}: for a state of shape {state.shape} the gates need {count} times its last size, got {gates.shape}."
        )
    return int(state.shape[-1])


def _in_machine_code(*operands: Array) -> bool:
    """Whether a step is compiled: large, in float32, with rows long enough for vectors."""
    return choice.in_recurrent_steps(operands[0]) and all(operand.dtype == np.float32 for operand in operands)


def _lstm_step(gates: Array, cell: Array) -> tuple[Array, Array, Array]:
    units = _check_gates("lstm_step", 4, gates, cell)
    if _in_machine_code(cell, gates) and cell.ndim == 2:
        from ...native import layers

        return layers.lstm_step(np.ascontiguousarray(gates), np.ascontiguousarray(cell))
    wide = gates.astype(np.float32) if gates.dtype.itemsize < 4 else gates
    # sigmoid(x) = tanh(x / 2) / 2 + 1 / 2: one tanh for all four gates.
    active = wide * wide.dtype.type(0.5)
    active[..., 2 * units : 3 * units] *= 2
    np.tanh(active, out=active)
    for part in (active[..., : 2 * units], active[..., 3 * units :]):
        part *= 0.5
        part += 0.5
    i, f, g, o = (active[..., k * units : (k + 1) * units] for k in range(4))
    new = f * cell.astype(wide.dtype, copy=False)
    new += i * g
    return (o * np.tanh(new)).astype(gates.dtype, copy=False), new.astype(gates.dtype, copy=False), active.astype(
        gates.dtype, copy=False
    )  # fmt: skip


@op(eager=_lstm_step, dtypes=FLOATING, outputs=3, tf_name="LSTMStep")
def lstm_step(xp: Namespace, gates: Array, cell: Array) -> Any:
    """One step of an LSTM, from what the gates are given and the state of the cell.

    >>> import gradtape as tf
    >>> gates = tf.constant([[0.0, 0.0, 1.0, 0.0]])
    >>> output, state, opened = tf.nn.experimental.lstm_step(gates, cell=[[1.0]])
    >>> output.numpy().round(4), state.numpy().round(4), opened.numpy().round(4)
    (array([[0.3534]], dtype=float32), array([[0.8808]], dtype=float32), array([[0.5   , 0.5   , 0.7616, 0.5   ]], dtype=float32))

    Args:
        gates: A floating tensor (..., 4 * units), `x @ kernel + h @ recurrent + bias`: for the input, the forget gate, the
            candidate and the output.
        cell: The state of the cell: a tensor (..., units) of the same type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Three tensors: the output, the new state, and what the gates became, in the shape of `gates`.

    Raises:
        tf.errors.InvalidArgumentError: The shapes or types of the operands do not fit each other.
    """
    i, f, g, o = xp.split(gates, 4, axis=-1)
    i, f, o = (xp.tanh(v * 0.5) * 0.5 + 0.5 for v in (i, f, o))
    g = xp.tanh(g)
    new = f * cell + i * g
    return o * xp.tanh(new), new, xp.concatenate([i, f, g, o], axis=-1)


@lstm_step.shapes
def _(gates: Abstract, cell: Abstract) -> list[Shape]:
    _gates_fit(gates, cell, 4)
    return [cell.known, cell.known, gates.known]


def _gates_fit(gates: Abstract, state: Abstract, count: int) -> None:
    if gates.rank is not None and state.rank is not None:
        matched_sizes(gates.shape, replaced(state.shape, -1, state.shape[-1] * count), "gates and what the units need,")


def _of_cell(g: Any, out: Any, o: Any) -> tuple[Any, Any]:
    """The cotangent of the new state including the part through the output, and tanh of that state."""
    squashed = tanh(out[1])
    return g[1] + tanh_grad(squashed, g[0] * o), squashed


@lstm_step.vjp("gates")
def _(cotangents: Any, cell: Value, out: Any) -> Any:
    i, f, g, o = _parts(out[2], 4)
    of_new, squashed = _of_cell(cotangents, out, o)
    direct = _parts(cotangents[2], 4)
    parts = [
        sigmoid_grad(i, of_new * g + direct[0]),
        sigmoid_grad(f, of_new * cell + direct[1]),
        tanh_grad(g, of_new * i + direct[2]),
        sigmoid_grad(o, cotangents[0] * squashed + direct[3]),
    ]
    return concat(parts, axis=-1)


@lstm_step.vjp("cell")
def _(cotangents: Any, out: Any) -> Any:
    _, f, _, o = _parts(out[2], 4)
    return _of_cell(cotangents, out, o)[0] * f


@lstm_step.jvp("gates")
def _(t: Tangent, cell: Value, out: Sequence[Value]) -> Any:
    i, f, g, o = _parts(out[2], 4)
    ti, tf, tg, to = _parts(t, 4)
    di, df, dg, do = sigmoid_grad(i, ti), sigmoid_grad(f, tf), tanh_grad(g, tg), sigmoid_grad(o, to)
    squashed = tanh(out[1])
    new = df * cell + di * g + i * dg
    return [do * squashed + o * tanh_grad(squashed, new), new, concat([di, df, dg, do], axis=-1)]


@lstm_step.jvp("cell")
def _(t: Tangent, out: Sequence[Value]) -> Any:
    _, f, _, o = _parts(out[2], 4)
    new = t * f
    return [o * tanh_grad(tanh(out[1]), new), new, out[2] * 0.0]


def _gru_step(inputs: Array, recurrent: Array, state: Array) -> tuple[Array, Array]:
    units = _check_gates("gru_step", 3, inputs, state)
    _check_gates("gru_step", 3, recurrent, state)
    if _in_machine_code(state, inputs, recurrent) and state.ndim == 2:
        from ...native import layers

        return layers.gru_step(*(np.ascontiguousarray(v) for v in (inputs, recurrent, state)))
    x, h, s = (v.astype(np.float32) if v.dtype.itemsize < 4 else v for v in (inputs, recurrent, state))
    active = np.empty_like(x)
    gates = active[..., : 2 * units]
    np.add(x[..., : 2 * units], h[..., : 2 * units], out=gates)
    gates *= 0.5
    np.tanh(gates, out=gates)
    gates *= 0.5
    gates += 0.5
    z, r, candidate = (active[..., k * units : (k + 1) * units] for k in range(3))
    np.multiply(r, h[..., 2 * units :], out=candidate)
    candidate += x[..., 2 * units :]
    np.tanh(candidate, out=candidate)
    new = candidate + z * (s - candidate)
    return new.astype(state.dtype, copy=False), active.astype(state.dtype, copy=False)


@op(eager=_gru_step, dtypes=FLOATING, outputs=2, tf_name="GRUStep")
def gru_step(xp: Namespace, inputs: Array, recurrent: Array, state: Array) -> Any:
    """One step of a GRU, from what input and state contribute to the gates, and the state.

    The reset gate is applied after the product with the recurrent kernel.

    >>> import gradtape as tf
    >>> state, opened = tf.nn.experimental.gru_step([[0.0, 0.0, 1.0]], [[0.0, 0.0, 1.0]], state=[[1.0]])
    >>> state.numpy().round(4), opened.numpy().round(4)
    (array([[0.9526]], dtype=float32), array([[0.5   , 0.5   , 0.9051]], dtype=float32))

    Args:
        inputs: A floating tensor (..., 3 * units), `x @ kernel + bias`: for the update gate, the reset gate and the candidate.
        recurrent: The same from the state: `h @ recurrent + bias`.
        state: The state: a tensor (..., units) of the same type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Two tensors: the new state, and what gates and candidate became, in the shape of `inputs`.

    Raises:
        tf.errors.InvalidArgumentError: The shapes or types of the operands do not fit each other.
    """
    xz, xr, xc = xp.split(inputs, 3, axis=-1)
    hz, hr, hc = xp.split(recurrent, 3, axis=-1)
    z, r = (xp.tanh(v * 0.5) * 0.5 + 0.5 for v in (xz + hz, xr + hr))
    candidate = xp.tanh(xc + r * hc)
    return candidate + z * (state - candidate), xp.concatenate([z, r, candidate], axis=-1)


@gru_step.shapes
def _(inputs: Abstract, recurrent: Abstract, state: Abstract) -> list[Shape]:
    for gates in (inputs, recurrent):
        _gates_fit(gates, state, 3)
    return [state.known, inputs.known]


def _gru_parts(cotangents: Any, recurrent: Any, state: Any, out: Any) -> tuple[Any, Any, Any, Any]:
    """The cotangents of what update and reset gate and candidate are given, and the reset gate."""
    z, r, candidate = _parts(out[1], 3)
    of_z, of_r, of_candidate = _parts(cotangents[1], 3)
    update = sigmoid_grad(z, cotangents[0] * (state - candidate) + of_z)
    inner = tanh_grad(candidate, cotangents[0] * (1.0 - z) + of_candidate)
    reset = sigmoid_grad(r, inner * _parts(recurrent, 3)[2] + of_r)
    return update, reset, inner, r


@gru_step.vjp("inputs")
def _(cotangents: object, recurrent: object, state: object, out: object) -> Any:
    return concat(list(_gru_parts(cotangents, recurrent, state, out)[:3]), axis=-1)


@gru_step.vjp("recurrent")
def _(cotangents: object, recurrent: object, state: object, out: object) -> Any:
    update, reset, inner, r = _gru_parts(cotangents, recurrent, state, out)
    return concat([update, reset, inner * r], axis=-1)


@gru_step.vjp("state")
def _(cotangents: Any, out: Any) -> Any:
    return cotangents[0] * _parts(out[1], 3)[0]


def _gru_tangent(dz: Value, dr: Value, dc: Value, state: Value, out: Sequence[Value]) -> list[Any]:
    z, _, candidate = _parts(out[1], 3)
    return [dc + dz * (state - candidate) - z * dc, concat([dz, dr, dc], axis=-1)]


@gru_step.jvp("inputs")
def _(t: Tangent, recurrent: Value, state: Value, out: Sequence[Value]) -> Any:
    z, r, candidate = _parts(out[1], 3)
    tz, tr, tc = _parts(t, 3)
    dz, dr = sigmoid_grad(z, tz), sigmoid_grad(r, tr)
    return _gru_tangent(dz, dr, tanh_grad(candidate, tc + dr * _parts(recurrent, 3)[2]), state, out)


@gru_step.jvp("recurrent")
def _(t: Tangent, recurrent: Value, state: Value, out: Sequence[Value]) -> Any:
    z, r, candidate = _parts(out[1], 3)
    tz, tr, tc = _parts(t, 3)
    dz, dr = sigmoid_grad(z, tz), sigmoid_grad(r, tr)
    change = r * tc + dr * _parts(recurrent, 3)[2]
    return _gru_tangent(dz, dr, tanh_grad(candidate, change), state, out)


@gru_step.jvp("state")
def _(t: Tangent, out: Sequence[Value]) -> Any:
    return [t * _parts(out[1], 3)[0], out[1] * 0.0]


lstm_step.batching = gru_step.batching = batch_leading

_STATES = [(2,), (1,), (2, 3), (1, 2), (3, 1), (0, 2), (2, 1, 2), (4, 3), (1, 1, 1), (2, 2, 2), (5, 2), (3, 4)]


@lstm_step.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in _STATES:
        yield Sample((draw((*shape[:-1], 4 * shape[-1])), draw(shape)))


@gru_step.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in _STATES:
        wide = (*shape[:-1], 3 * shape[-1])
        yield Sample((draw(wide), draw(wide), draw(shape)))


@lstm_step.value
def _(gates: Array, cell: Array) -> Any:
    sigma = functions(np).expit
    i, f, g, o = np.split(gates, 4, axis=-1)
    new = sigma(f) * cell + sigma(i) * np.tanh(g)
    return sigma(o) * np.tanh(new), new, np.concatenate([sigma(i), sigma(f), np.tanh(g), sigma(o)], axis=-1)


@gru_step.value
def _(inputs: Array, recurrent: Array, state: Array) -> Any:
    sigma = functions(np).expit
    (xz, xr, xc), (hz, hr, hc) = np.split(inputs, 3, axis=-1), np.split(recurrent, 3, axis=-1)
    z, r = sigma(xz + hz), sigma(xr + hr)
    candidate = np.tanh(xc + r * hc)
    return z * state + (1 - z) * candidate, np.concatenate([z, r, candidate], axis=-1)


@lstm_step.rejects
def _() -> Iterator[BadInput]:
    for gates, cell in [((2, 8), (2, 3)), ((8,), (2, 2)), ((2, 6), (2, 2)), ((3, 8), (2, 2)), ((), ()), ((4,), ())]:
        yield BadInput("four times as many gates as units", (np.ones(gates, np.float32), np.ones(cell, np.float32)))


@gru_step.rejects
def _() -> Iterator[BadInput]:
    good, state = np.ones((2, 6), np.float32), np.ones((2, 2), np.float32)
    for shape in ((2, 4), (6,), (3, 6), (2, 8), ()):
        bad = np.ones(shape, np.float32)
        yield BadInput("three times as many gates as units", (bad, good, state))
        yield BadInput("three times as many gates as units", (good, bad, state))
