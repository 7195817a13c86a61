"""`tf.diagnostics`: what a tape did. Why a gradient is None, where a NaN began, what is held, whether a rule is right.

`GradientTape` and `tf.function` import these modules when somebody asks; nothing here runs before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.absent import missing

__all__ = ["Explanation", "Kind", "Monitor", "NonFinite", "StopAtNonFinite"]

_HOMES = {"Explanation": "explanation", "Kind": "explanation", "Monitor": "monitor", "NonFinite": "nonfinite"}


if TYPE_CHECKING:  # what is imported on first use
    from keras_gradtape.callbacks import StopAtNonFinite as StopAtNonFinite

    from .explanation import Explanation as Explanation
    from .explanation import Kind as Kind
    from .monitor import Monitor as Monitor
    from .nonfinite import NonFinite as NonFinite
else:

    def __getattr__(name: str) -> Any:
        import importlib

        if name in _HOMES:
            return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        if name == "StopAtNonFinite":  # a callback of Keras, which is imported by programs that use it
            return importlib.import_module("keras_gradtape.callbacks").StopAtNonFinite
        raise missing(__name__, name)


def __dir__() -> list[str]:
    return sorted(__all__)
