"""What every Keras optimizer inherits from this backend."""

from __future__ import annotations

from typing import Any

from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.optimizers.base_optimizer import BaseOptimizer

import gradtape
from keras_gradtape import fused
from keras_gradtape.ops.core import cast


class GradtapeOptimizer(BaseOptimizer):
    """Applies gradients to variables of Keras and of gradtape."""

    def apply(self, grads: Any, trainable_variables: Any = None) -> Any:
        """Change the variables by one step along their gradients."""
        grads = [gradtape.convert_to_tensor(g) if isinstance(g, gradtape.IndexedSlices) else g for g in grads]
        return super().apply(grads, trainable_variables)

    def _backend_update_step(self, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
        if in_stateless_scope() or not fused.update(self, grads, trainable_variables, learning_rate):
            super()._backend_update_step(grads, trainable_variables, learning_rate)

    def assign(self, variable: Any, value: Any) -> None:
        """Give a variable of Keras or of gradtape a new value."""
        variable.assign(cast(value, variable.dtype))

    def assign_add(self, variable: Any, value: Any) -> None:
        """Add to a variable of Keras or of gradtape."""
        variable.assign_add(cast(value, variable.dtype))

    def assign_sub(self, variable: Any, value: Any) -> None:
        """Subtract from a variable of Keras or of gradtape."""
        variable.assign_sub(cast(value, variable.dtype))

    def _filter_empty_gradients(self, grads: Any, trainable_variables: Any) -> Any:
        if all(grad is None for grad in grads):
            names = [getattr(v, "path", v.name) for v in trainable_variables]
            raise ValueError(
                f"No gradients provided for any variable: {names}. The loss was not computed from them inside "
                "`with tf.GradientTape() as tape:`. A model has to be called there, as in `model(x, training=True)`: "
                "`model.predict(x)` returns NumPy arrays, which no tape follows."
            )
        return super()._filter_empty_gradients(grads, trainable_variables)
