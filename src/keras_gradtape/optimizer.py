"""What every Keras optimizer inherits from this backend."""

from __future__ import annotations

from typing import Any

from keras.src.optimizers.base_optimizer import BaseOptimizer

import gradtape


class GradtapeOptimizer(BaseOptimizer):
    """Applies gradients to variables of Keras and of gradtape."""

    def apply(self, grads: Any, trainable_variables: Any = None) -> Any:
        """Change the variables by one step along their gradients."""
        grads = [gradtape.convert_to_tensor(g) if isinstance(g, gradtape.IndexedSlices) else g for g in grads]
        return super().apply(grads, trainable_variables)

    def _filter_empty_gradients(self, grads: Any, trainable_variables: Any) -> Any:
        if all(grad is None for grad in grads):
            names = [getattr(v, "path", v.name) for v in trainable_variables]
            raise ValueError(
                f"No gradients provided for any variable: {names}. The loss was not computed from them inside "
                "`with tf.GradientTape() as tape:`. A model has to be called there, as in `model(x, training=True)`: "
                "`model.predict(x)` returns NumPy arrays, which no tape follows."
            )
        return super()._filter_empty_gradients(grads, trainable_variables)
