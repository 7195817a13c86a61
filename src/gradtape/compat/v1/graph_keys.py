"""Collections of `tf.compat.v1`: lists by name. In eager code nothing is put into them but what the program puts there."""

from __future__ import annotations

import re
from typing import Any

from ...base.locks import new_rlock

_COLLECTIONS: dict[Any, list[Any]] = {}
_LOCK = new_rlock()

__all__ = [
    "GraphKeys",
    "add_to_collection",
    "add_to_collections",
    "all_variables",
    "get_collection",
    "get_collection_ref",
    "global_variables",
    "local_variables",
    "model_variables",
    "moving_average_variables",
    "trainable_variables",
]


class GraphKeys:
    """The names of collections.

    >>> import gradtape as tf
    >>> tf.compat.v1.GraphKeys.LOSSES
    'losses'
    """

    ACTIVATIONS = "activations"
    ASSET_FILEPATHS = "asset_filepaths"
    BIASES = "biases"
    CONCATENATED_VARIABLES = "concatenated_variables"
    COND_CONTEXT = "cond_context"
    EVAL_STEP = "eval_step"
    GLOBAL_STEP = "global_step"
    GLOBAL_VARIABLES = "variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    LOCAL_RESOURCES = "local_resources"
    LOCAL_VARIABLES = "local_variables"
    LOSSES = "losses"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    QUEUE_RUNNERS = "queue_runners"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    READY_OP = "ready_op"
    REGULARIZATION_LOSSES = "regularization_losses"
    RESOURCES = "resources"
    SAVEABLE_OBJECTS = "saveable_objects"
    SAVERS = "savers"
    SUMMARIES = "summaries"
    SUMMARY_OP = "summary_op"
    TABLE_INITIALIZERS = "table_initializer"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    TRAIN_OP = "train_op"
    UPDATE_OPS = "update_ops"
    VARIABLES = "variables"
    WEIGHTS = "weights"
    WHILE_CONTEXT = "while_context"


def add_to_collection(name: Any, value: Any) -> None:
    """Put a value into a collection.

    >>> import gradtape as tf
    >>> tf.compat.v1.add_to_collection("of an example", 1)
    >>> tf.compat.v1.get_collection("of an example")
    [1]

    Args:
        name: The name of the collection.
        value: Any object.
    """
    with _LOCK:
        _COLLECTIONS.setdefault(name, []).append(value)


def add_to_collections(names: Any, value: Any) -> None:
    """Put a value into several collections.

    >>> import gradtape as tf
    >>> tf.compat.v1.add_to_collections(["a", "b"], 1)
    >>> tf.compat.v1.get_collection("b")
    [1]

    Args:
        names: The names of the collections, or one.
        value: Any object.
    """
    for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
        add_to_collection(name, value)


def get_collection_ref(key: Any) -> list[Any]:
    """A collection itself, which may be changed.

    >>> import gradtape as tf
    >>> tf.compat.v1.get_collection_ref("nothing in it")
    []

    Args:
        key: The name of the collection.

    Returns:
        A list.
    """
    with _LOCK:
        return _COLLECTIONS.setdefault(key, [])


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """The values of a collection, in the order in which they came.

    >>> import gradtape as tf
    >>> tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.UPDATE_OPS)
    []

    Args:
        key: The name of the collection.
        scope: A pattern that the names of the values begin with; None: all.

    Returns:
        A new list.
    """
    with _LOCK:
        found = list(_COLLECTIONS.get(key, ()))
    if scope is None:
        return found
    return [value for value in found if hasattr(value, "name") and re.match(scope, value.name)]


def forget() -> None:
    """Empty all collections, as a new graph has them."""
    with _LOCK:
        _COLLECTIONS.clear()


_VARIABLES = """The variables of {key}: those that the program has put there. In eager code no variable is put there by itself.

>>> import gradtape as tf
>>> tf.compat.v1.{name}()
[]

Args:
    scope: A pattern that the names begin with; None: all.

Returns:
    A list.
"""


def _of(name: str, key: str) -> Any:
    def variables(scope: str | None = None) -> list[Any]:
        return get_collection(key, scope)

    variables.__name__ = variables.__qualname__ = name
    variables.__doc__ = _VARIABLES.format(name=name, key=key)
    return variables


global_variables = _of("global_variables", "variables")
all_variables = _of("all_variables", "variables")
local_variables = _of("local_variables", "local_variables")
model_variables = _of("model_variables", "model_variables")
moving_average_variables = _of("moving_average_variables", "moving_average_variables")
trainable_variables = _of("trainable_variables", "trainable_variables")
