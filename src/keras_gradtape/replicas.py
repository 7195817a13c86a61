"""Models that are made in the scope of a `tf.distribute` strategy: their steps run on all of its replicas.

A batch is shared out to the replicas. Each computes loss, gradients and metrics of its own rows; the optimizer sums the
gradients, and metrics are read as sums over replicas. A batch that cannot be cut into equal parts, the last one of an epoch, is
computed whole on each device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras.src import tree
from keras.src.losses import loss as loss_module

import gradtape
from gradtape.base.context import scope
from gradtape.values.tensor import EagerTensor


def current() -> Any:
    """The strategy in whose scope this is, if it has several replicas."""
    strategy = gradtape.distribute.get_strategy()
    return strategy if strategy._replicas is not None else None


class OnReplicas:
    """A step of a model on all replicas."""

    def __init__(self, step: Callable[[Any], Any], strategy: Any, build: Callable[[Any, Any], None]) -> None:
        self._step, self._strategy, self._build = step, strategy, build
        self._is_built = False
        joined = self._joined if step.__name__ == "predict_step" else self._mean
        self.traced = gradtape.function(
            lambda parts: joined(strategy.run(step, args=(parts,))), reduce_retracing=True, autograph=False
        )
        self._whole = gradtape.function(step, engine="xla", reduce_retracing=True, autograph=False)

    def __call__(self, data: Any) -> Any:
        if not self._is_built:
            self._is_built = True
            with scope(strategies=[(self._strategy, None)]):
                self._build(self._step, data)
        with scope(strategies=[]):  # (`fit` may be called in the scope)
            return self._whole(data) if (parts := self._parts(data)) is None else self.traced(parts)

    def _parts(self, data: Any) -> Any:
        """The batch by replica; None where it cannot be cut into equal parts."""
        replicas = self._strategy._replicas
        tensors = [part for part in tree.flatten(data) if isinstance(part, gradtape.Tensor)]
        if any(not part.shape.rank or part.shape[0] % replicas.count for part in tensors):
            return None
        return tree.map_structure(lambda part: replicas.split(part) if part.__class__ is EagerTensor else part, data)

    def _mean(self, logs: Any) -> Any:
        return tree.map_structure(lambda log: self._strategy.reduce("MEAN", log, axis=None), logs)

    def _joined(self, outputs: Any) -> Any:
        return self._strategy.gather(outputs, axis=0)


# --- losses ------------------------------------------------------------------------------------------------------------------


def _scaled(value: Any) -> Any:
    """A mean over the rows of one replica, as its part of the mean over all rows: what replicas have is summed."""
    count = gradtape.distribute.get_strategy().num_replicas_in_sync
    return value if count == 1 else value * gradtape.cast(1.0 / count, value.dtype)


def _unscaled(value: Any) -> Any:
    count = gradtape.distribute.get_strategy().num_replicas_in_sync
    return value if count == 1 else value * gradtape.cast(count, value.dtype)


# Keras does this for its backend of TensorFlow alone, by name.
loss_module.scale_loss_for_distribution = _scaled
loss_module.unscale_loss_for_distribution = _unscaled
