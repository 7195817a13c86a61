"""Stands for TensorFlow in Keras layers that are written for it (`hook` redirects their imports here).

Text, lookup tables and hashes are not part of what Keras asks of a backend. The layers for them call TensorFlow on every
backend: `tf.strings`, `tf.lookup`, and TensorFlow's own backend for the rest. On gradtape both are at hand.

(In `numerical_utils`, Keras recognizes TensorFlow's backend by the end of its module's name, and then counts with
`tf.math.bincount`.)
"""

from __future__ import annotations

from typing import Any

import gradtape
from gradtape.values.composite import COMPOSITES


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # the import system reads module attributes such as `__path__`
        raise AttributeError(name)
    from keras_gradtape import backend  # imported late: modules that import `tensorflow` load before the backend

    return getattr(backend, name)


class type_spec_registry:
    """Specs by the names under which Keras's older files have them."""

    @staticmethod
    def get_name(cls: type) -> str:
        """The name of a class of specs."""
        return f"tf.{cls.__name__}"

    @staticmethod
    def lookup(name: str) -> Any:
        """The class of that name."""
        found = getattr(gradtape, name.removeprefix("tf."), None)
        if not (isinstance(found, type) and issubclass(found, gradtape.TypeSpec)):
            raise ValueError(f"No TypeSpec has been registered with name {name!r}")
        return found


class _Internal:
    """What Keras takes from `tf.__internal__`."""

    class smart_cond:
        """`tf.cond`, which picks the branch immediately where the predicate is known."""

        smart_cond = gradtape.cond

    @property
    def CompositeTensor(self) -> Any:
        """What is made of tensors."""
        kinds = (cls for cls, kind in COMPOSITES.items() if kind.components is not None)
        return gradtape.RaggedTensor, gradtape.SparseTensor, *kinds


class Tensorflow:
    """gradtape as the lazy module that Keras expects under the name `tf`."""

    available = True
    __internal__ = _Internal()

    def __getattr__(self, name: str) -> Any:
        return getattr(gradtape, name)

    def __repr__(self) -> str:
        return "<gradtape, as TensorFlow>"


tensorflow = Tensorflow()
