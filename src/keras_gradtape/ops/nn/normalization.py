"""Moments, batch normalization and attention."""

from __future__ import annotations

from typing import Any

from keras.src.backend import config

import gradtape as tf
from gradtape import cast

from ..core import convert_to_tensor
from ..promotion import result_type, to_type


def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    """Mean and variance over axes; narrow floats are computed in float32. There is one device to synchronize."""
    x = convert_to_tensor(x)
    if not x.dtype.is_narrow:
        return tf.nn.moments(x, axes, keepdims=keepdims)
    limit = float(tf.float16.max)
    mean, variance = tf.nn.moments(cast(x, tf.float32), axes, keepdims=keepdims)
    return tuple(cast(tf.clip_by_value(part, -limit, limit), x.dtype) for part in (mean, variance))


def batch_normalization(
    x: Any, mean: Any, variance: Any, axis: int, offset: Any = None, scale: Any = None, epsilon: float = 1e-3
) -> Any:
    """scale * (x - mean) / sqrt(variance + epsilon) + offset, along one axis."""
    x = convert_to_tensor(x)
    mean, variance, offset, scale = (
        None if v is None else convert_to_tensor(v) for v in (mean, variance, offset, scale)
    )
    if axis not in (-1, x.ndim - 1):
        shape = [1] * x.ndim
        shape[axis] = -1
        mean, variance, offset, scale = (
            None if v is None else tf.reshape(v, shape) for v in (mean, variance, offset, scale)
        )
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, epsilon)


# --- one op each: Keras composes these; `completions` replaces them --------------------------------------------------


def layer_normalization(x: Any, gamma: Any = None, beta: Any = None, axis: Any = -1, epsilon: Any = None) -> Any:
    """x brought to mean 0 and variance 1 along axes, times `gamma` plus `beta`; in float32 at least."""
    wide, kind, axes = _wide(x, axis)
    gamma, beta = (_along(v, wide, axes) for v in (gamma, beta))
    return to_type(tf.nn.experimental.layer_norm(wide, gamma, beta, axes, _epsilon(epsilon)), kind)


def rms_normalization(x: Any, scale: Any = None, axis: Any = -1, epsilon: Any = None) -> Any:
    """x divided by its root mean square along axes, times `scale`; in float32 at least."""
    wide, kind, axes = _wide(x, axis)
    wide = wide if wide.ndim else tf.expand_dims(wide, 0)
    scale = None if scale is None else convert_to_tensor(scale, wide.dtype)
    return to_type(tf.nn.experimental.rms_norm(wide, scale, axes, _epsilon(epsilon)), kind)


def _wide(x: Any, axis: Any) -> tuple[Any, Any, tuple[int, ...]]:
    """x in the type to compute in, the type of the result, and the axes."""
    x = convert_to_tensor(x)
    axes = tuple(sorted(axis)) if isinstance(axis, (list, tuple)) else (axis,)
    return to_type(x, result_type(x.dtype, "float32")), x.dtype, axes


def _along(vector: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """Weights of the normalized axes, in a shape that broadcasts to x."""
    if vector is None:
        return None
    vector = convert_to_tensor(vector, x.dtype)
    if vector.ndim == x.ndim or axes in ((-1,), (x.ndim - 1,)):
        return vector
    kept = {a % x.ndim for a in axes}
    return tf.reshape(vector, [n if a in kept else 1 for a, n in enumerate(x.shape)])


def _epsilon(epsilon: Any) -> float:
    return float(config.epsilon() if epsilon is None else epsilon)


# --- attention -------------------------------------------------------------------------------------------------------


def dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    scale: Any = None,
    is_causal: bool = False,
    flash_attention: Any = None,
    attn_logits_soft_cap: Any = None,
) -> Any:
    """softmax(query . key * scale + bias) . value, for tensors (batch, length, heads, features).

    Softmax is computed in float32 at least. Fewer heads of keys than of queries are shared among them.
    """
    if flash_attention:
        raise ValueError("Flash attention is not supported in gradtape backend.")
    query, key, value = (convert_to_tensor(v) for v in (query, key, value))
    if query.ndim != 4:
        raise ValueError(
            "`dot_product_attention` only supports 4D inputs. "
            f"Received: query.shape={query.shape}, key.shape={key.shape}, value.shape={value.shape}."
        )
    kind = result_type(query.dtype, key.dtype, value.dtype)
    query, key, value = (to_type(v, kind) for v in (query, key, value))
    queries, keys = query.shape[2], key.shape[2]
    if queries is not None and keys is not None and queries > keys > 1:
        key, value = (tf.repeat(v, queries // keys, 2) for v in (key, value))
    if scale is not None and not isinstance(scale, (int, float)):
        query, scale = query * convert_to_tensor(scale, kind), 1.0
    # Heads before lengths, so that scores and results are products of matrices.
    query, key, value = (tf.transpose(v, [0, 2, 1, 3]) for v in (query, key, value))
    bias = None if bias is None else convert_to_tensor(bias, kind)
    mask = None if mask is None else convert_to_tensor(mask, tf.bool)
    if is_causal and (query.shape[2] is None or query.shape[2] != key.shape[2]):
        # The op aligns the causal mask with the last key, Keras with the first key.
        past = tf.range(tf.shape(key)[2]) <= tf.range(tf.shape(query)[2])[:, None]
        mask, is_causal = past if mask is None else tf.logical_and(mask, past), False
    result = tf.nn.experimental.dot_product_attention(query, key, value, bias, mask, scale, is_causal)
    return tf.transpose(result, [0, 2, 1, 3])
