"""Which random bits each function takes: those of the global seed, of a seed of its own, or of nobody's.

With neither seed, every run is different. With `set_seed` alone, the n-th random op after it gives the same numbers
in every run. With an op seed, the n-th call of that op with that seed does, whatever else was called in between; a new
`set_seed` starts all of them again. Stateless functions depend on nothing but their arguments.
"""

from __future__ import annotations

import random as python_random
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..api.generator import BOUNDED, checked_algorithm, get_global_generator
from ..base import philox
from ..base.context import STATE
from ..base.errors import NumberNeededError
from ..base.locks import new_rlock, on_fork
from ..base.philox import Philox
from ..base.seeds import GLOBAL, MAXINT32, OpSeed, Pair, Used, decoded, encoded, seed_pair
from ..base.traceable import trace_public
from ..base.types import TensorLike
from ..op.attributes import as_int
from ..values.tensor import to_tensor
from .tracing import drawn_on_abstract


class Fresh:
    """A source of bits that cannot be reproduced, with the methods of `Philox`."""

    def __init__(self) -> None:
        self.begin()
        on_fork(after_in_child=self.begin)

    def begin(self) -> None:
        """Take bits that nobody has: a forked child has others than its parent, and a lock of NumPy's that nobody holds."""
        self._bits = np.random.SFC64()
        self._generator = np.random.Generator(self._bits)

    def blocks(self, count: int) -> Any:
        return np.frombuffer(self._generator.bytes(16 * count), np.uint32).reshape(count, 4)

    def at(self, offsets: Sequence[TensorLike]) -> Any:
        return self.blocks(len(offsets))


class Seeds:
    """Which stream of bits the next stateful op takes."""

    def __init__(self) -> None:
        self.lock = new_rlock(held_through_forks=True)
        self.fresh = Fresh()
        self.op_seeds = python_random.Random()
        self.used: Used = {}

    def set(self, seed: int) -> None:
        with self.lock:
            GLOBAL.seed = seed
            self.op_seeds = python_random.Random(seed)
            self.used = {}

    def pair(self, seed: object) -> Pair | None:
        """The two seeds of an op, or None where it has none."""
        if seed is None and GLOBAL.seed is not None:
            seed = self.op_seeds.randint(0, MAXINT32)
        return seed_pair(GLOBAL.seed, None if seed is None else as_int(seed))

    def stream(self, op: tuple[Any, ...], seed: Any, blocks: int) -> Any:
        """The stream for one call of `op`, which takes so many blocks of it."""
        if STATE.draws_unseen:
            return self.fresh
        used, running = self.used, STATE.seeds
        with self.lock:
            if running is not None:
                used = used if running.used is None else running.used
                if seed.__class__ is not OpSeed:
                    seed = running.next(None if seed is None else as_int(seed))
            if seed.__class__ is OpSeed:
                seeds, place = seed.pair, seed.place
            else:
                seeds, place = self.pair(seed), ()
            if seeds is None:
                return self.fresh
            if seed is None:  # a pair that was drawn for this call alone
                return philox.from_seeds(*seeds)
            key = op, (*seeds, *place)
            start = used.get(key, 0)
            used[key] = start + blocks
        return philox.from_seeds(*seeds).skip(start)

    def get_state(self) -> dict[str, Any]:
        """Everything that decides which numbers come next, as plain values and arrays."""
        with self.lock:
            return {
                "seed": GLOBAL.seed,
                "op_seeds": self.op_seeds.getstate(),
                "used": encoded(self.used),
                "fresh": self.fresh._bits.state,
            }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state that `get_state` gave."""
        used = decoded(state["used"])
        with self.lock:
            self.op_seeds.setstate(state["op_seeds"])
            self.fresh._bits.state = state["fresh"]
            GLOBAL.seed, self.used = state["seed"], used


SEEDS = Seeds()


def seeds_of(seed: TensorLike) -> tuple[int, int] | None:
    """The two seeds of a stateful op with this seed of its own, or None where neither seed was set."""
    with SEEDS.lock:
        return SEEDS.pair(seed)


def stream_of(op: tuple[Any, ...], seed: Any, blocks: int) -> Any:
    """The stream of bits for one call of an op; a seed of 0 means none, whatever the global one is."""
    return SEEDS.stream(op, seed, blocks) if seed != 0 else SEEDS.fresh


def set_seed(seed: TensorLike) -> None:
    """Set the global seed: what random ops give from here on is the same in every run, and the same as in TensorFlow.

    >>> import gradtape as tf
    >>> tf.random.set_seed(1)
    >>> tf.random.uniform([2]).numpy()
    array([0.16513085, 0.9014813 ], dtype=float32)

    Args:
        seed: A whole number.
    """
    whole = isinstance(seed, float) and seed.is_integer()  # (TensorFlow takes 1.0 for 1)
    SEEDS.set(int(seed) if whole else as_int(seed))  # type: ignore[arg-type]


def get_state() -> dict[str, Any]:
    """The state of random functions, dropout and the global generator, as plain values and arrays.

    >>> import gradtape as tf
    >>> state = tf.random.get_state()
    >>> sorted(state)
    ['global_generator', 'seeds']

    `tf.train.Checkpoint(..., random=tf.random)` saves and restores it, so that a run that was stopped goes on with the
    numbers of one that was not.

    Returns:
        What `tf.random.set_state` takes.
    """
    return {"seeds": SEEDS.get_state(), "global_generator": get_global_generator().state.numpy()}


def set_state(state: dict[str, Any]) -> None:
    """Go on from a state that `get_state` gave.

    >>> import gradtape as tf
    >>> state = tf.random.get_state()
    >>> first = tf.random.normal([2])
    >>> tf.random.set_state(state)
    >>> bool(tf.reduce_all(tf.random.normal([2]) == first))
    True

    Args:
        state: What `tf.random.get_state` gave.
    """
    SEEDS.set_state(state["seeds"])
    get_global_generator().reset(state["global_generator"])


def stateless_stream(seed: object, alg: object = "auto_select") -> Philox:
    """The stream of bits of a stateless function with this seed, two integers."""
    checked_algorithm(alg)
    pair = to_tensor(seed)
    if tuple(pair.shape) != (2,) or pair.dtype not in BOUNDED:
        message = f"The seed of a stateless function must be two integers, got {seed!r}."
        raise NumberNeededError(None, None, message)
    return philox.from_pair(*(int(value) for value in pair._array))


trace_public(
    globals(),
    skip=("seeds_of", "set_seed", "stream_of", "stateless_stream"),
    on_abstract=drawn_on_abstract,
    draws="stream",
)
