"""What layers of Keras that are written for TensorFlow take for it: gradtape, and this backend (`hook` sends them here).

Text, lookup tables and hashes are not part of what Keras asks of a backend. The layers for them call TensorFlow on every
backend: `tf.strings`, `tf.lookup`, and TensorFlow's own backend for the rest. On gradtape both are at hand.

(Keras tells the backend of TensorFlow by the end of its module's name, in `numerical_utils`, and then counts with
`tf.math.bincount`.)
"""

from __future__ import annotations

from typing import Any

import gradtape


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # Python asks what a module is while it imports from it
        raise AttributeError(name)
    from keras_gradtape import backend  # only now: what comes here for `tensorflow` is imported before the backend is

    return getattr(backend, name)


class Tensorflow:
    """gradtape as the lazy module that Keras expects under the name `tf`."""

    available = True

    def __getattr__(self, name: str) -> Any:
        return getattr(gradtape, name)

    def __repr__(self) -> str:
        return "<gradtape, as TensorFlow>"


tensorflow = Tensorflow()
