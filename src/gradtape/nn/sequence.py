"""Attention and recurrent steps in few ops: `tf.nn.experimental`, names that TensorFlow does not have."""

from __future__ import annotations

from math import sqrt

from ..api.arrays import zeros
from ..api.indexing import where
from ..base import dtypes
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import TensorLike
from ..ops.linalg.products import matmul
from ..ops.nn import sequence
from ..ops.public import gru_step as gru_step
from ..ops.public import lstm_step as lstm_step
from ..values.tensor import Tensor, from_array, to_tensor


def dot_product_attention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    bias: TensorLike | None = None,
    mask: TensorLike | None = None,
    scale: float | None = None,
    is_causal: bool = False,
    name: str | None = None,
) -> Tensor:
    """softmax(scale * query @ key^T + bias) @ value, for tensors of shape (..., length, depth).

    >>> import gradtape as tf
    >>> x = tf.eye(2)
    >>> tf.nn.experimental.dot_product_attention(x, x, x, is_causal=True).numpy().round(2)
    array([[1.  , 0.  ],
           [0.33, 0.67]], dtype=float32)

    Args:
        query: A floating tensor (..., queries, depth).
        key: One of the same type (..., keys, depth).
        value: One of the same type (..., keys, depth of the result).
        bias: Is added to the logits, against which it broadcasts.
        mask: Truth values that broadcast against the logits: False hides a key from a query.
        scale: 1 / sqrt(depth) unless given.
        is_causal: Hides from each query the keys after it; the last query sees all keys.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (..., queries, depth of the result).

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit together.
    """
    q, k, v = (to_tensor(x) for x in (query, key, value))
    if min(q.ndim, k.ndim, v.ndim) < 2 or q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise invalid(
            "dot_product_attention: query (..., t, d), key (..., s, d) and value (..., s, e) are needed, "
            f"got {q.shape}, {k.shape} and {v.shape}."
        )
    logits = matmul.public(q, k, False, True)
    added = zeros((), q.dtype) if bias is None else to_tensor(bias, None if hasattr(bias, "dtype") else q.dtype)
    if mask is not None:
        # Not -inf: a query from which all keys are hidden has the mean of the values, not nan.
        lowest = from_array(q.dtype.numpy.type(0.7 * float(q.dtype.min)))
        added = where(to_tensor(mask, dtypes.bool), added, lowest)
    factor = 1.0 / sqrt(max(q.shape[-1], 1)) if scale is None else float(scale)
    weights = sequence.scaled_softmax.public(logits, added, factor, bool(is_causal))
    return matmul.public(weights, v, False, False)


trace_public(globals())
