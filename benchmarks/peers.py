"""Who takes part: the libraries (peers), and the ways of running each of them (contestants)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.dialects import ByHand, Dialect, Jax, Speaker, TensorFlow, Torch, Xla


@dataclass(frozen=True)
class Peer:
    """A library. Without requirements it runs in the interpreter that runs the benchmarks."""

    name: str
    module: str
    requirements: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contestant:
    """One way of running a peer: which dialect the workload is written in, and whether it may be missing."""

    name: str
    peer: str
    dialect: Callable[[Any], Speaker]
    optional: bool = False


PEERS = {
    peer.name: peer
    for peer in (
        Peer("numpy", "numpy"),
        Peer("gradtape", "gradtape"),
        Peer("tf", "tensorflow", ("tensorflow-cpu",)),
        Peer("torch", "torch", ("torch==2.13.0", "numpy", "keras")),
        Peer("jax", "jax", ("jax", "keras")),
    )
}

RIVALS = tuple(name for name, peer in PEERS.items() if peer.requirements)


def _traced(tf: Any) -> Dialect:
    return TensorFlow(tf, tf.function)


def _traced_for_xla(tf: Any) -> Dialect:
    return TensorFlow(tf, functools.partial(tf.function, jit_compile=True))


CONTESTANTS = {
    contestant.name: contestant
    for contestant in (
        Contestant("numpy", "numpy", ByHand),
        Contestant("gradtape", "gradtape", TensorFlow),
        Contestant("gradtape function", "gradtape", _traced),
        Contestant("gradtape jit", "gradtape", _traced_for_xla),
        Contestant("gradtape xla", "gradtape", Xla, optional=True),  # (with the extra `xla`)
        Contestant("tf", "tf", TensorFlow),
        Contestant("tf function", "tf", _traced),
        Contestant("tf XLA", "tf", _traced_for_xla),
        Contestant("torch", "torch", Torch),
        Contestant("torch channels_last", "torch", lambda torch: Torch(torch, channels_last=True)),
        Contestant("torch compiled", "torch", lambda torch: Torch(torch, torch.compile), optional=True),
        Contestant("jax", "jax", Jax),
        Contestant("jax jit", "jax", lambda jax: Jax(jax, jax.jit)),
    )
}
