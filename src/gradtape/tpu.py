"""`tf.tpu`: JAX does what is done to a TPU; without one each name says so."""

from __future__ import annotations

from .base.namespaces import listing, namespace
from .distribute.cluster import Missing
from .xla.places import accelerators

__all__ = ["experimental"]

_NO_TPU = "There is no TPU: gradtape computes on the CPU. Use tf.distribute.get_strategy()."


@namespace("gradtape.tpu.experimental")
class experimental:
    """`tf.tpu.experimental`: what programs written for a TPU call first. JAX needs nothing of it."""

    @staticmethod
    def initialize_tpu_system(cluster_resolver: object = None) -> None:
        """Nothing to initialize where JAX sees a TPU.

        >>> import gradtape as tf
        >>> tf.tpu.experimental.initialize_tpu_system()
        Traceback (most recent call last):
        gradtape.distribute.cluster.Missing: There is no TPU: gradtape computes on the CPU. ...

        Args:
            cluster_resolver: Ignored; accepted for compatibility with TensorFlow.

        Raises:
            ValueError: There is no TPU.
        """
        if not accelerators("TPU"):
            raise Missing(_NO_TPU)

    @staticmethod
    def shutdown_tpu_system(cluster_resolver: object = None) -> None:
        """Nothing to shut down.

        >>> import gradtape as tf
        >>> tf.tpu.experimental.shutdown_tpu_system()

        Args:
            cluster_resolver: Ignored; accepted for compatibility with TensorFlow.
        """


__dir__ = listing(globals())
