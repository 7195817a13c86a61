"""`DistributedGradientTape`: a tape whose gradients are the mean over all replicas or processes.

It is for loops that programs write themselves: each process computes the loss of its own part of a batch, and every process
gets the gradient of the mean of these losses. Inside of `Strategy.run` replicas exchange their gradients as a collective of the
program; between processes outside of functions they are summed by one exchange for each type, whatever the number of variables.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import nest
from ..base.context import STATE
from ..base.errors import UnimplementedError
from ..differentiation.backward import UnconnectedGradients, zeros_of
from ..differentiation.custom import custom_gradient
from ..differentiation.tape import GradientTape
from ..native.abi import become
from ..values.tensor import IndexedSlices, from_array, to_tensor
from ..xla import processes
from .strategy import get_replica_context, has_strategy

if TYPE_CHECKING:
    _Tape = GradientTape
else:
    _Tape = object


class _Averaging(_Tape):
    """What `gradient` of a distributed tape does, before a class that records."""

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The mean over all replicas or processes of the gradients that their tapes give; all of them must ask for it.

        A source that the target depends on in some of them only has the gradient 0 in the others. Rows looked up
        (`tf.IndexedSlices`) become whole tensors.

        >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        ...     w = tf.Variable(2.0)
        ...     with tf.experimental.DistributedGradientTape() as tape:
        ...         y = w * w
        ...     tape.gradient(y, w)
        <tf.Tensor: shape=(), dtype=float32, numpy=4.0>

        Args:
            target: A tensor, or a structure of tensors.
            sources: A tensor or variable, or a structure of them; the answer has the same structure.
            output_gradients: For each target, what to weight its elements with; ones where nothing is given.
            unconnected_gradients: Whether a source that no target depends on gets None or zeros: a member of
                `tf.UnconnectedGradients`, or its value "none" or "zero".

        Returns:
            For each source a tensor of its shape and type, or None.

        Raises:
            UnimplementedError: It is called in a traced function of one of several processes, outside of `Strategy.run`.
        """
        own = super().gradient(target, sources, output_gradients, unconnected_gradients)
        return nest.pack_sequence_as(own, _averaged(nest.flatten(own), nest.flatten(sources)))


class DistributedGradientTape(_Averaging, GradientTape):
    """A `tf.GradientTape` whose `gradient` is the mean over all replicas or processes, for loops of eager code.

    Each process that `gradtape launch` has started, or that TF_CONFIG names, computes with its own part of a batch; with
    parts of one size and losses that are means, the gradient is that of the whole batch. All else (`jacobian`, `hessian`,
    `watch`, ...) is as with a plain tape, and of this process alone. Inside of `Strategy.run` it averages over replicas.

    >>> import gradtape as tf
    >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()
    >>> with strategy.scope():
    ...     w = tf.Variable(3.0)
    ...     with tf.experimental.DistributedGradientTape() as tape:
    ...         loss = w * w
    ...     w.assign_sub(0.5 * tape.gradient(loss, w))
    <tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=0.0>

    Args:
        persistent: Whether gradients may be asked for more than once.
        watch_accessed_variables: Whether trainable variables are followed when they are read.
        **settings: Those of `tf.GradientTape`: `nan_safe`, `memory_budget`, `strict`, `profile`.

    Raises:
        RuntimeError: There is no strategy and no other process to average over.
        TypeError: A tape is given in place of `persistent`.
    """

    def __init__(self, persistent: Any = False, watch_accessed_variables: bool = True, **settings: Any) -> None:
        if isinstance(persistent, GradientTape):
            raise TypeError(
                "DistributedGradientTape records by itself and takes no tape: write "
                "`with tf.experimental.DistributedGradientTape() as tape:` in place of `with tf.GradientTape() as tape:`."
            )
        if not has_strategy() and processes.initialize().count == 1:
            raise RuntimeError(
                "DistributedGradientTape averages gradients over replicas or processes, and there are none: no strategy is in "
                "force, and this process is alone. Start the program with `gradtape launch --processes N`, open the scope of a "
                "tf.distribute strategy, or use tf.GradientTape."
            )
        super().__init__(persistent, watch_accessed_variables, **settings)
        kind: Any = self.__class__
        if not issubclass(kind, _Averaging):  # (a traced function or a profile has given it another class)
            become(self, _averaging(kind))


@functools.cache
def _averaging(cls: type) -> type:
    return type(DistributedGradientTape.__name__, (_Averaging, cls), {"__doc__": cls.__doc__, "__module__": __name__})


def _averaged(gradients: list[Any], sources: list[Any]) -> list[Any]:
    """The means over all replicas or processes."""
    replica, here = get_replica_context(), processes.here()
    if replica is not None and replica.num_replicas_in_sync > 1:
        return [None if one is None else replica.all_reduce("MEAN", _dense(one)) for one in gradients]
    if here.count == 1:
        return gradients
    if STATE.trace is not None:
        raise UnimplementedError(
            None,
            None,
            "DistributedGradientTape.gradient in a traced function, outside of `Strategy.run`: processes exchange gradients "
            "there as replicas do. Call the function by `strategy.run`, or take the gradient in eager code.",
        )
    # (A process that has no gradient takes part in the exchange, and tells so: else the others would wait.)
    has_one = from_array(np.array([one is not None for one in gradients], np.float32))
    filled = [zeros_of(source) if one is None else _dense(one) for one, source in zip(gradients, sources, strict=True)]
    counts, *means = _mean_over_processes(has_one, *filled)
    return [mean if count else None for mean, count in zip(means, np.asarray(counts), strict=True)]


def _dense(gradient: object) -> Any:
    return to_tensor(gradient) if isinstance(gradient, IndexedSlices) else gradient


@custom_gradient
def _mean_over_processes(*tensors: object) -> Any:
    """The mean of each tensor over all processes; its derivative is the mean of the cotangents."""
    from ..xla import together

    count = processes.here().count
    sums = together.sums([np.asarray(tensor) for tensor in tensors])
    means = [from_array(np.asarray(total / count, total.dtype)) for total in sums]
    return means, lambda *cotangents: list(_mean_over_processes(*cotangents))
