"""Callbacks for `fit` that belong to `tf.diagnostics`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from keras.src.callbacks import Callback
from keras.src.trainers.data_adapters import data_adapter_utils

import gradtape


class StopAtNonFinite(Callback):
    """Stops training at the first loss or weight that is nan or inf, and says which op made it.

    The weights are put back to what they were before that batch, and the step is run again op by op with
    `tf.debugging.enable_check_numerics`. `explanation` then has the text, which is also written to the standard error stream.
    Keeping the weights of one batch costs a copy of them for each batch.

    >>> import gradtape as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, activation=tf.math.log)])
    >>> model.compile("sgd", "mse")
    >>> callback = tf.diagnostics.StopAtNonFinite()
    >>> history = model.fit(tf.zeros([4, 2]), tf.ones([4, 1]), epochs=5, verbose=0, callbacks=[callback])
    >>> len(history.history["loss"])
    1
    >>> "The logarithm of 0 is -inf." in callback.explanation
    True
    """

    def __init__(self) -> None:
        super().__init__()
        self.explanation: str | None = None
        self._kept: list[Any] = []

    def on_train_begin(self, logs: Any = None) -> None:
        """Let each batch pass through here."""
        run = self.model.train_function

        def watched(batches: Any) -> Any:
            batches = list(batches)
            if not self.model.built:  # its weights must be there to be kept
                x, _, _ = data_adapter_utils.unpack_x_y_sample_weight(batches[0])
                self.model(x, training=False)
            self._kept = [np.array(variable) for variable in self.model.variables]
            logs = run(batches)
            if not self._is_finite(logs):
                self._explain(batches)
            return logs

        self.model.train_function = watched
        self._run = run

    def on_train_end(self, logs: Any = None) -> None:
        """Give the model its own step back."""
        self.model.train_function = self._run
        self._kept = []

    def _is_finite(self, logs: Any) -> bool:
        values = [np.asarray(value, np.float64) for value in (logs or {}).values()]
        weights = [np.asarray(weight) for weight in self.model.trainable_variables]
        return all(np.isfinite(value).all() for value in (*values, *weights) if value.dtype.kind == "f")

    def _explain(self, batches: Any) -> None:
        self.model.stop_training = True
        for variable, value in zip(self.model.variables, self._kept, strict=False):
            variable.assign(value)
        self.explanation = "The loss or a weight is not finite, but running the step again has not shown where."
        gradtape.debugging.enable_check_numerics()
        try:
            for data in batches:
                self.model.train_step(gradtape.nest.map_structure(gradtape.convert_to_tensor, data))
        except gradtape.errors.InvalidArgumentError as error:
            self.explanation = str(error)
        finally:
            gradtape.debugging.disable_check_numerics()
        print(self.explanation, file=sys.stderr)
