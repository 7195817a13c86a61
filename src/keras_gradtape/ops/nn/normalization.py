"""Moments, batch normalization and attention."""

from __future__ import annotations

from typing import Any

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
    if is_causal and query.shape[2] != key.shape[2]:
        # The op lets the last query see all keys, Keras the first query the first key.
        past = tf.range(tf.shape(key)[2]) <= tf.range(tf.shape(query)[2])[:, None]
        mask, is_causal = past if mask is None else tf.logical_and(mask, past), False
    result = tf.nn.experimental.dot_product_attention(query, key, value, bias, mask, scale, is_causal)
    return tf.transpose(result, [0, 2, 1, 3])
