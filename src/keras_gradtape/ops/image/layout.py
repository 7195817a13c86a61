"""Images as gradtape's ops take them: channels last, with or without a batch axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras.src.backend import standardize_data_format

import gradtape as tf


def check_rank(images: Any) -> None:
    """ValueError unless this is an image or a batch of images."""
    if len(images.shape) not in (3, 4):
        raise ValueError(
            "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). "
            f"Received input with shape: images.shape={images.shape}"
        )


def check_choice(name: str, value: Any, choices: Any) -> None:
    """ValueError unless the argument is one of the choices."""
    if value not in choices:
        raise ValueError(f"Invalid value for argument `{name}`. Expected of one {choices}. Received: {name}={value}")


def channels_last(function: Callable[[Any], Any], images: Any, data_format: Any) -> Any:
    """What the function makes of images, given to it with their channels last."""
    if standardize_data_format(data_format) == "channels_last":
        return function(images)
    lead = [0] if images.ndim == 4 else []
    first = len(lead)
    last = function(tf.transpose(images, [*lead, first + 1, first + 2, first]))
    return tf.transpose(last, [*lead, first + 2, first, first + 1])


def batched(function: Callable[[Any], Any], images: Any) -> Any:
    """What the function makes of a batch of images, or of one image as a batch of its own."""
    if images.ndim == 4:
        return function(images)
    return tf.squeeze(function(tf.expand_dims(images, 0)), [0])
