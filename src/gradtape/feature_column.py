"""`tf.feature_column`: withdrawn by TensorFlow in favour of Keras; each name says what to use instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from .base.namespaces import listing

_INSTEAD = {
    "bucketized_column": "tf.keras.layers.Discretization",
    "categorical_column_with_hash_bucket": "tf.keras.layers.Hashing",
    "categorical_column_with_identity": "tf.keras.layers.CategoryEncoding",
    "categorical_column_with_vocabulary_file": "tf.keras.layers.StringLookup, or tf.lookup.StaticHashTable",
    "categorical_column_with_vocabulary_list": "tf.keras.layers.StringLookup, or tf.lookup.StaticHashTable",
    "crossed_column": "tf.keras.layers.HashedCrossing",
    "embedding_column": "tf.keras.layers.Embedding",
    "indicator_column": "tf.keras.layers.CategoryEncoding, or tf.one_hot",
    "make_parse_example_spec": "a dict of tf.io.FixedLenFeature and tf.io.VarLenFeature",
    "numeric_column": "tf.keras.layers.Normalization, or the number itself",
    "sequence_categorical_column_with_hash_bucket": "tf.keras.layers.Hashing",
    "sequence_categorical_column_with_identity": "tf.keras.layers.CategoryEncoding",
    "sequence_categorical_column_with_vocabulary_file": "tf.keras.layers.StringLookup",
    "sequence_categorical_column_with_vocabulary_list": "tf.keras.layers.StringLookup",
    "sequence_numeric_column": "tf.keras.layers.Normalization",
    "shared_embeddings": "one tf.keras.layers.Embedding for several inputs",
    "weighted_categorical_column": "tf.keras.layers.CategoryEncoding with count_weights",
}


_TEXT = """Not offered: use {instead}.

>>> import gradtape as tf
>>> tf.feature_column.{name}("age")
Traceback (most recent call last):
NotImplementedError: tf.feature_column.{name} is not offered: ...

Args:
    *args: Ignored.
    **kwargs: Ignored.

Raises:
    NotImplementedError: Always.
"""


def _withdrawn(name: str, instead: str) -> Callable[..., NoReturn]:
    message = (
        f"tf.feature_column.{name} is not offered: TensorFlow itself advises against feature columns. Use {instead}."
    )

    def refuse(*args: object, **kwargs: object) -> NoReturn:
        raise NotImplementedError(message)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = _TEXT.format(name=name, instead=instead)
    return refuse


__all__ = list(_INSTEAD)
globals().update({name: _withdrawn(name, instead) for name, instead in _INSTEAD.items()})

__dir__ = listing(globals())
