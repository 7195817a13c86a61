"""What every Keras layer inherits from this backend."""

from __future__ import annotations

from typing import Any

import gradtape


class GradtapeLayer:
    """Little is needed: Keras tracks variables and layers itself, and tapes follow variables."""

    @property
    def _default_save_signature(self) -> Any:
        """What `tf.saved_model.save` takes for the signature of a model whose inputs are known; None for others."""
        wired = getattr(self, "_functional", None) or self
        inputs = getattr(wired, "_inputs_struct", None)
        if inputs is None:
            return None
        specs = gradtape.nest.map_structure(lambda x: gradtape.TensorSpec(x.shape, x.dtype), inputs)

        @gradtape.function(input_signature=[specs])
        def serving_default(inputs: Any) -> Any:
            return self(inputs, training=False)  # type: ignore[operator]

        return serving_default
