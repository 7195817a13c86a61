"""What every Keras layer inherits from this backend."""

from __future__ import annotations

from typing import Any

import gradtape
from gradtape.base.notebook import Form, in_notebook

_COLUMNS = ("layer", "type", "output", "parameters")


class GradtapeLayer:
    """Little is needed: Keras tracks variables and layers itself, and tapes follow variables."""

    def _notebook_form(self) -> Form:
        layers: Any = getattr(self, "layers", None) or [self]
        rows = [(layer.name, type(layer).__name__, _output(layer), _count(layer)) for layer in layers]
        facts = (("parameters", _count(self)), *(() if self.built else (("", "not built yet"),)))  # type: ignore[attr-defined]
        return Form(f"{type(self).__name__} '{self.name}'", facts, table=(_COLUMNS, *rows))  # type: ignore[attr-defined]

    _repr_html_ = in_notebook

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


def _count(layer: Any) -> str:
    return f"{layer.count_params():,}" if layer.built else "-"


def _output(layer: Any) -> str:
    """The shape of what a layer gives, where it is known."""
    try:
        shapes = gradtape.nest.map_structure(lambda tensor: tuple(tensor.shape), layer.output)
    except (AttributeError, ValueError):  # never called on a symbolic input
        return "-"
    return str(shapes)
