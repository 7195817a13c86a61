"""`tf.tpu`: there is no TPU, and each name says so."""

from __future__ import annotations

from typing import Any

from .base.namespaces import listing, namespace
from .distribute.cluster import Missing

__all__ = ["experimental"]

_NO_TPU = "There is no TPU: gradtape computes on the CPU. Use tf.distribute.get_strategy()."


@namespace("gradtape.tpu.experimental")
class experimental:
    """`tf.tpu.experimental`."""

    @staticmethod
    def initialize_tpu_system(cluster_resolver: object = None) -> Any:
        """ValueError: there is no TPU."""
        raise Missing(_NO_TPU)

    @staticmethod
    def shutdown_tpu_system(cluster_resolver: object = None) -> None:
        """Nothing to shut down."""


__dir__ = listing(globals())
