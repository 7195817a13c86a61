"""Cross entropies and encodings of classes."""

from __future__ import annotations

import warnings
from typing import Any

from keras.src.backend import config

import gradtape as tf
from gradtape import cast

from ..core import convert_to_tensor
from ..promotion import floats, given_type, to_type
from ..sparse import encoding


def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Any:
    """1 at each class number along a new axis, 0 elsewhere."""
    x = convert_to_tensor(x)
    kind = tf.float32 if dtype is None else given_type(dtype)
    if sparse:
        return encoding.one_hot(x, num_classes, axis, kind)
    on, off = (True, False) if kind.is_bool else (None, None)
    return tf.one_hot(x if x.dtype.is_integer else cast(x, tf.int64), num_classes, on, off, axis, kind)


def multi_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Any:
    """1 at each of the class numbers of a row, 0 elsewhere."""
    x = convert_to_tensor(x)
    if sparse:
        return encoding.multi_hot(x, num_classes, axis, given_type(dtype))
    along = 1 if x.ndim > 1 else 0
    encoded = one_hot(x, num_classes, axis, given_type(dtype))
    return tf.reduce_any(encoded, along) if encoded.dtype.is_bool else tf.reduce_max(encoded, along)


def _logits_of(output: Any, from_logits: bool, activation: str, name: str) -> tuple[Any, bool]:
    """The logits of the probabilities where they are known, and whether the result holds logits."""
    logits = getattr(output, "_keras_logits", None)
    if logits is None:
        return output, from_logits
    if from_logits:
        warnings.warn(
            f"`{name}` received `from_logits=True`, but the `output` argument was produced by a {activation} "
            "activation and thus does not represent logits. Was this intended?",
            stacklevel=3,
        )
    return logits, True


def _same_shapes(target: Any, output: Any) -> None:
    if target.ndim != output.ndim:
        raise ValueError(
            "Arguments `target` and `output` must have the same rank (ndim). "
            f"Received: target.shape={target.shape}, output.shape={output.shape}"
        )
    _match(target, output, tuple(output.shape), "must have the same shape")


def _match(target: Any, output: Any, expected: Any, must: str) -> None:
    for one, other in zip(target.shape, expected, strict=True):
        if one != other and one is not None and other is not None:
            raise ValueError(
                f"Arguments `target` and `output` {must}. "
                f"Received: target.shape={target.shape}, output.shape={output.shape}"
            )


def _probabilities(output: Any) -> Any:
    """Probabilities kept so far from 0 and 1 that their logarithms are finite."""
    epsilon = config.epsilon()
    return tf.clip_by_value(output, epsilon, 1.0 - epsilon)


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """The cross entropy of class probabilities, one number for each row."""
    target, output = convert_to_tensor(target), floats(output)
    if not target.ndim:
        raise ValueError(
            "Arguments `target` and `output` must be at least rank 1. "
            f"Received: target.shape={target.shape}, output.shape={output.shape}"
        )
    _same_shapes(target, output)
    output, from_logits = _logits_of(output, from_logits, "Softmax", "categorical_crossentropy")
    target = to_type(target, output.dtype)
    if from_logits:
        return tf.nn.softmax_cross_entropy_with_logits(target, output, axis)
    output = _probabilities(output / tf.reduce_sum(output, axis, True))
    return -tf.reduce_sum(target * tf.math.log(output), axis)


def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """The cross entropy of class numbers, one number for each row."""
    target, output = convert_to_tensor(target), floats(output)
    if axis not in (-1, output.ndim - 1):
        raise ValueError(f"Only axis=-1 is currently supported. Received: axis={axis}")
    if not output.ndim:
        raise ValueError(f"Argument `output` must be at least rank 1. Received: output.shape={output.shape}")
    output, from_logits = _logits_of(output, from_logits, "Softmax", "sparse_categorical_crossentropy")
    if target.dtype not in (tf.int32, tf.int64):
        target = cast(target, tf.int64)
    if target.ndim == output.ndim and target.shape[-1] == 1:
        target = tf.squeeze(target, [-1])
    if target.ndim != output.ndim - 1:
        raise ValueError(
            "Argument `output` must have rank (ndim) `target.ndim - 1`. "
            f"Received: target.shape={target.shape}, output.shape={output.shape}"
        )
    _match(target, output, tuple(output.shape)[:-1], "must have the same shape up until the last dimension")
    logits = output if from_logits else tf.math.log(_probabilities(output))
    return tf.nn.sparse_softmax_cross_entropy_with_logits(target, logits)


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """The cross entropy of two classes, element by element."""
    target, output = convert_to_tensor(target), floats(output)
    _same_shapes(target, output)
    output, from_logits = _logits_of(output, from_logits, "Sigmoid", "binary_crossentropy")
    target = to_type(target, output.dtype)
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(target, output)
    output = _probabilities(output)
    return -(target * tf.math.log(output) + (1.0 - target) * tf.math.log(1.0 - output))


def psnr(x1: Any, x2: Any, max_val: Any) -> Any:
    """The peak signal-to-noise ratio of two images, in decibels."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    if x1.shape != x2.shape:
        raise ValueError(f"Input shapes {x1.shape} and {x2.shape} must match for PSNR calculation. ")
    x1, x2 = floats(x1), floats(x2)
    peak = convert_to_tensor(max_val, x2.dtype)
    error = tf.reduce_mean(tf.square(x1 - x2))
    return (tf.math.log(peak) * 20.0 - tf.math.log(error) * 10.0) / 2.302585092994046
