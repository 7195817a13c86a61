"""Options of `save` and `load`, with TensorFlow's names. Most are about devices and files that gradtape does not have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class SaveOptions:
    """Options of `tf.saved_model.save`: `function_aliases` are other names for functions; the rest changes nothing.

    >>> import gradtape as tf
    >>> options = tf.saved_model.SaveOptions(experimental_io_device="/job:localhost")
    >>> options.function_aliases is None
    True

    Args:
        namespace_whitelist: Ignored; accepted for compatibility with TensorFlow.
        save_debug_info: Ignored; accepted for compatibility with TensorFlow.
        function_aliases: A dict from other names to functions of the model.
        experimental_debug_stripper: Ignored; accepted for compatibility with TensorFlow.
        experimental_io_device: Ignored; accepted for compatibility with TensorFlow.
        experimental_variable_policy: Ignored; accepted for compatibility with TensorFlow.
        experimental_custom_gradients: Ignored; accepted for compatibility with TensorFlow.
        experimental_image_format: Ignored; accepted for compatibility with TensorFlow.
        experimental_skip_saver: Ignored; accepted for compatibility with TensorFlow.
        experimental_sharding_callback: Ignored; accepted for compatibility with TensorFlow.
        extra_tags: Ignored; accepted for compatibility with TensorFlow.
    """

    namespace_whitelist: Sequence[str] | None = None
    save_debug_info: bool = False
    function_aliases: dict[str, Any] | None = None
    experimental_debug_stripper: bool = False
    experimental_io_device: str | None = None
    experimental_variable_policy: Any = None
    experimental_custom_gradients: bool = True
    experimental_image_format: bool = False
    experimental_skip_saver: bool = False
    experimental_sharding_callback: Any = None
    extra_tags: Any = None


@dataclass
class LoadOptions:
    """Options of `tf.saved_model.load`.

    With `experimental_load_function_aliases` the loaded object has the `function_aliases` that it was saved with. The rest
    changes nothing: variables always have their values.

    >>> import gradtape as tf
    >>> tf.saved_model.LoadOptions(experimental_load_function_aliases=True).experimental_load_function_aliases
    True

    Args:
        allow_partial_checkpoint: Ignored; accepted for compatibility with TensorFlow.
        experimental_io_device: Ignored; accepted for compatibility with TensorFlow.
        experimental_skip_checkpoint: Ignored; accepted for compatibility with TensorFlow.
        experimental_variable_policy: Ignored; accepted for compatibility with TensorFlow.
        experimental_load_function_aliases: Whether the loaded object has the `function_aliases`.
    """

    allow_partial_checkpoint: bool = False
    experimental_io_device: str | None = None
    experimental_skip_checkpoint: bool = False
    experimental_variable_policy: Any = None
    experimental_load_function_aliases: bool = False
