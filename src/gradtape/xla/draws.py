"""Random numbers on the device: the bits that the host draws (base/philox.py).

They are drawn there where the seed is a value of the program, and by a `tf.random.Generator`, whose state is a variable of the
program. Draws whose seeds are known before are done on the host, and moved.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..base.philox import RESERVED, SCRAMBLER
from ..compile.program import Call, Value
from ..trace.graph import leaves
from ..values.tensor import EagerTensor
from .names import REPLICAS

_LOW, _32 = np.uint64(0xFFFFFFFF), np.uint64(32)
_TYPES = {np.dtype(np.float32): 4, np.dtype(np.float64): 2}  # numbers from one block


def _blocks(key: Any, low: Any, high: Any, count: int) -> Any:
    """Blocks of Philox from a key and a counter of two words on: an array (count, 4) of uint64 with 32 bits each."""
    offsets = jnp.arange(count, dtype=np.uint64)
    low = offsets + low
    high = high + (low < offsets).astype(np.uint64)
    a, b, c, d = low & _LOW, low >> _32, high & _LOW, high >> _32
    first, second = key & _LOW, key >> _32
    for _ in range(10):
        one, two = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b, c, d = (two >> _32) ^ b ^ first, two & _LOW, (one >> _32) ^ d ^ second, one & _LOW
        first, second = (first + np.uint64(0x9E3779B9)) & _LOW, (second + np.uint64(0xBB67AE85)) & _LOW
    return jnp.stack([a, b, c, d], axis=1)


def _from_pair(seed: object, count: int) -> Any:
    """The first blocks of the stream of a stateless op: the seed's two numbers, scrambled."""
    pair = jnp.asarray(seed).astype(np.int64).astype(np.uint64)
    mixed = _blocks(np.uint64(SCRAMBLER), pair[0], pair[1], 1)[0]
    return _blocks(mixed[0] | mixed[1] << _32, np.uint64(0), mixed[2] | mixed[3] << _32, count)


def _from_state(state: dict[int, Any], number: int, drawn: int, count: int, in_replica: bool) -> Any:
    """Blocks from the state of a generator on, a variable with the counter and the key; its counter moves on.

    A replica mixes its number into the key (api/generator.py).
    """
    low, high, key = jax.lax.bitcast_convert_type(state[number], np.uint64)
    stored = key
    if in_replica:
        first = _blocks(key, jax.lax.axis_index(REPLICAS).astype(np.uint64), np.uint64(0), 1)[0]
        key = first[0] | first[1] << _32
    passed = np.uint64(drawn * RESERVED)
    moved = low + passed
    after = jnp.stack([moved, high + (moved < low).astype(np.uint64), stored])
    state[number] = jax.lax.bitcast_convert_type(after, np.int64)
    return _blocks(key, low, high, count)


def _unit(words: Any, dtype: np.dtype[Any]) -> Any:
    """Numbers in [0, 1), from 23 or 52 bits each."""
    if dtype == np.float32:
        bits = (words.astype(np.uint32) & np.uint32(0x7FFFFF)) | np.uint32(0x3F800000)
        return jax.lax.bitcast_convert_type(bits, np.float32) - np.float32(1)
    pairs = words.reshape(-1, 2)
    wide = ((pairs[:, 0] & np.uint64(0xFFFFF)) << _32) | pairs[:, 1] | np.uint64(1023 << 52)
    return jax.lax.bitcast_convert_type(wide, np.float64) - 1.0


def _uniform(words: object, dtype: np.dtype[Any], minval: object = 0, maxval: object = None) -> Any:
    low = jnp.asarray(minval, dtype)
    return _unit(words, dtype), jnp.asarray(1 if maxval is None else maxval, dtype) - low, low


def _normal(words: object, dtype: np.dtype[Any], mean: object = 0.0, stddev: object = 1.0) -> Any:
    pairs = _unit(words, dtype).reshape(-1, 2)
    radius = jnp.sqrt(dtype.type(-2) * jnp.log(jnp.maximum(pairs[:, 0], dtype.type(1e-7))))
    angle = (2.0 * np.pi * pairs[:, 1].astype(np.float64)).astype(dtype)
    drawn = jnp.stack([jnp.sin(angle) * radius, jnp.cos(angle) * radius], axis=1)
    return drawn, jnp.asarray(stddev, dtype), jnp.asarray(mean, dtype)


Draw = Callable[..., Any]
_DRAWS: dict[str, Draw] = {"stateless_uniform": _uniform, "stateless_normal": _normal}
_OF_GENERATORS: dict[str, Draw] = {"uniform": _uniform, "normal": _normal}


def is_draw(call: Call) -> bool:
    """Whether a call draws random numbers by a function of `tf.random`: that neither reads nor changes variables."""
    return getattr(call.function, "draws", "") == "stream"


def state_of(call: Call) -> Any:
    """The variable with the state of the generator that a call draws from, which the call changes; None for other calls."""
    if getattr(call.function, "draws", "") != "generator":
        return None
    return call.arguments[0][0].state


def is_on_device(call: Call, looks: list[tuple[Any, np.dtype[Any]]]) -> bool:
    """Whether the device draws: what it begins from is a value, and there is a text for the distribution and the type."""
    has_state = state_of(call) is not None
    known = call.name in (_OF_GENERATORS if has_state else _DRAWS) and bool(looks) and looks[0][1] in _TYPES
    return known and (has_state or (is_draw(call) and any(leaf.__class__ is Value for leaf in leaves(call.arguments))))


def run_draw(
    call: Call, values: dict[int, Any], state: dict[int, Any], shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Any:
    """What a call draws, while jax traces; the state of a generator is changed."""
    args, kwargs = call.arguments
    given = inspect.signature(call.function).bind(*args, **kwargs).arguments
    settings = {name: _value(given[name], values) for name in ("minval", "maxval", "mean", "stddev") if name in given}
    count = math.prod(shape)
    blocks, variable = -(-count // _TYPES[dtype]), state_of(call)
    in_replica = any(getattr(arg, "of_replicas", False) for arg in args[:1])
    if variable is None:
        words, draw = _from_pair(_value(given["seed"], values), blocks), _DRAWS[call.name]
    else:
        words, draw = _from_state(state, variable._id, count, blocks, in_replica), _OF_GENERATORS[call.name]
    drawn, scale, shift = draw(words, dtype, **settings)
    return drawn.reshape(-1)[:count].reshape(shape) * scale + shift


def _value(part: Any, values: dict[int, Any]) -> Any:
    if part.__class__ is Value:
        return values[part.number]
    return part._array if part.__class__ is EagerTensor else part
