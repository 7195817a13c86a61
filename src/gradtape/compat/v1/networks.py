"""Functions of `tf.compat.v1.nn` that are more than a row of `table.py`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ... import math
from ...api import arrays, layout
from ...base import dtypes
from ...base.types import TensorLike
from ...op.attributes import as_float
from ...values.tensor import to_tensor


def _v2() -> Any:
    return sys.modules["gradtape"]


def dropout(
    x: Any,
    keep_prob: TensorLike | None = None,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
    rate: TensorLike | None = None,
) -> Any:
    """Each element is kept with `keep_prob`, and divided by it, or set to 0.

    >>> import gradtape as tf
    >>> tf.compat.v1.nn.dropout(tf.ones([3]), keep_prob=1.0).numpy()
    array([1., 1., 1.], dtype=float32)

    Args:
        x: A tensor.
        keep_prob: How likely an element is kept.
        noise_shape: The shape of the choice, which is broadcast.
        seed: For the same numbers in every run.
        name: Ignored; accepted for compatibility with TensorFlow.
        rate: How likely an element is set to 0, in place of `keep_prob`.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: Both or none of `keep_prob` and `rate` are given.
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError("tf.compat.v1.nn.dropout: give one of keep_prob and rate.")
    dropped: Any = 1 - keep_prob if rate is None else rate  # type: ignore[operator]
    return _v2().nn.dropout(x, dropped, noise_shape, seed)


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Any:
    """Rows of a table, or of several that share the rows.

    >>> import gradtape as tf
    >>> tables = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
    >>> tf.compat.v1.nn.embedding_lookup(tables, [0, 1, 2]).numpy().tolist()
    [[0.0], [1.0], [2.0]]

    Args:
        params: A table, or several.
        ids: Whole numbers.
        partition_strategy: "mod": row n is in table n modulo their number. "div": each has a run of rows.
        name: Ignored; accepted for compatibility with TensorFlow.
        validate_indices: Ignored; accepted for compatibility with TensorFlow.
        max_norm: Rows that are longer are scaled to this length.

    Returns:
        The rows, with the shape of the ids in front.

    Raises:
        ValueError: An unknown strategy.
    """
    several = list(params) if isinstance(params, (list, tuple)) else [params]
    if partition_strategy not in ("mod", "div"):
        raise ValueError(f"partition_strategy must be 'mod' or 'div', got {partition_strategy!r}.")
    if len(several) == 1 or partition_strategy == "div":
        return _v2().nn.embedding_lookup(params, ids, max_norm)
    rows = [to_tensor(table).shape[0] for table in several]
    starts = to_tensor(np.cumsum([0, *rows[:-1]]), dtypes.int64)
    places = math.cast(ids, "int64")
    whole = _v2().gather(starts, places % len(several)) + places // len(several)
    return _v2().nn.embedding_lookup(layout.concat([to_tensor(table) for table in several], 0), whole, max_norm)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """`matmul(x, weights) + biases`.

    >>> import gradtape as tf
    >>> tf.compat.v1.nn.xw_plus_b([[1.0, 2.0]], [[1.0], [1.0]], [0.5]).numpy()
    array([[3.5]], dtype=float32)

    Args:
        x: A matrix.
        weights: A matrix.
        biases: A vector.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A matrix.
    """
    return _v2().nn.bias_add(_v2().matmul(x, weights), biases)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """`relu(matmul(x, weights) + biases)`.

    >>> import gradtape as tf
    >>> tf.compat.v1.nn.relu_layer([[1.0, -2.0]], [[1.0], [1.0]], [0.5]).numpy()
    array([[0.]], dtype=float32)

    Args:
        x: A matrix.
        weights: A matrix.
        biases: A vector.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A matrix.
    """
    return _v2().nn.relu(xw_plus_b(x, weights, biases))


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: Any = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: Any = 1.0,
) -> Any:
    """Batch normalisation over all axes but the channels, with the mean and variance to go on with.

    >>> import gradtape as tf
    >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(tf.constant([1.0, 3.0], shape=[2, 1, 1, 1]), [1.0], [0.0])
    >>> mean.numpy(), variance.numpy().round(3)
    (array([2.], dtype=float32), array([2.], dtype=float32))

    Args:
        x: Pictures or volumes.
        scale: A factor for each channel.
        offset: What is added to each channel.
        mean: The mean that is mixed with, or used; None: none.
        variance: The same of the variance.
        epsilon: What is added to the variance.
        data_format: Where the channels are.
        is_training: Whether the batch's own mean and variance are used.
        name: Ignored; accepted for compatibility with TensorFlow.
        exponential_avg_factor: The share of the batch in the mean to go on with.

    Returns:
        The result, the mean and the variance.

    Raises:
        ValueError: A mean or variance is missing outside of training, or must not be given in it.
    """
    factor = as_float(exponential_avg_factor)
    if (not is_training or factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be given when `is_training` is False or `exponential_avg_factor` != 1.0."
        )
    value = to_tensor(x)
    kind = dtypes.float32 if value.dtype in (dtypes.float16, dtypes.bfloat16) else value.dtype
    empty = arrays.zeros([0], kind)
    return tuple(
        _v2().raw_ops.FusedBatchNormV3(
            x=value,
            scale=to_tensor(scale, kind),
            offset=to_tensor(offset, kind),
            mean=empty if mean is None else mean,
            variance=empty if variance is None else variance,
            epsilon=max(as_float(epsilon), 1.001e-5),
            exponential_avg_factor=factor,
            data_format=data_format,
            is_training=is_training,
        )[:3]
    )


def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: int = -1, name: str | None = None, axis: int | None = None
) -> Any:
    """The cross entropy; no derivative passes to the labels.

    >>> import gradtape as tf
    >>> print(f"{tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels=[1.0, 0.0], logits=[0.0, 0.0]):.4f}")
    0.6931

    Args:
        labels: Distributions.
        logits: Numbers whose softmax is compared.
        dim: The older name of `axis`.
        name: Ignored; accepted for compatibility with TensorFlow.
        axis: The axis of the classes.

    Returns:
        A tensor with one axis less.

    Raises:
        ValueError: The labels or the logits are missing, or `dim` and `axis` are both given.
    """
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")
    if axis is not None and dim != -1:
        raise ValueError("Cannot specify both 'dim' and 'axis'. Leave one out.")
    kept = _v2().stop_gradient(labels)
    return _v2().nn.softmax_cross_entropy_with_logits(kept, logits, dim if axis is None else axis)


def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """Pools of uneven sizes; see `tf.nn.fractional_max_pool`.

    >>> import gradtape as tf
    >>> tf.compat.v1.nn.fractional_max_pool(tf.zeros([1, 4, 4, 1]), [1.0, 2.0, 2.0, 1.0]).output.shape
    TensorShape([1, 2, 2, 1])

    Args:
        value: Pictures.
        pooling_ratio: The ratio of sizes, for each axis.
        pseudo_random: How the borders are chosen.
        overlapping: Whether neighbours share their border.
        deterministic: Whether the seeds are used.
        seed: For the same borders in every run.
        seed2: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The pools, and their borders along rows and columns.
    """
    return _v2().nn.fractional_max_pool(value, pooling_ratio, pseudo_random, overlapping, seed)


def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """Means of uneven pools; see `tf.nn.fractional_avg_pool`.

    >>> import gradtape as tf
    >>> tf.compat.v1.nn.fractional_avg_pool(tf.zeros([1, 4, 4, 1]), [1.0, 2.0, 2.0, 1.0]).output.shape
    TensorShape([1, 2, 2, 1])

    Args:
        value: Pictures.
        pooling_ratio: The ratio of sizes, for each axis.
        pseudo_random: How the borders are chosen.
        overlapping: Whether neighbours share their border.
        deterministic: Whether the seeds are used.
        seed: For the same borders in every run.
        seed2: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The pools, and their borders along rows and columns.
    """
    return _v2().nn.fractional_avg_pool(value, pooling_ratio, pseudo_random, overlapping, seed)


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1, merge_repeated: bool = True
) -> Any:
    """The likeliest sequences of classes; see `tf.nn.ctc_beam_search_decoder`.

    >>> import gradtape as tf
    >>> paths, _ = tf.compat.v1.nn.ctc_beam_search_decoder(tf.constant([[[5.0, 0.0, 0.0]]]), [1])
    >>> paths[0].values.numpy()
    array([0])

    Args:
        inputs: Logits: times, batch, classes; the last class is the blank.
        sequence_length: The length of each sequence.
        beam_width: How many beginnings are followed.
        top_paths: How many sequences are given.
        merge_repeated: Whether classes that follow each other become one in the result.

    Returns:
        Sparse tensors of classes, and the log probabilities.
    """
    found = _v2().raw_ops.CTCBeamSearchDecoder(
        inputs=inputs,
        sequence_length=sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    parts = zip(found.decoded_indices, found.decoded_values, found.decoded_shape, strict=True)
    return [_v2().SparseTensor(*part) for part in parts], found.log_probability


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Any:
    """The loss of connectionist temporal classification; the last class is the blank.

    >>> import gradtape as tf
    >>> labels = tf.SparseTensor([[0, 0]], [0], [1, 1])
    >>> print(f"{tf.compat.v1.nn.ctc_loss(labels, tf.constant([[[5.0, 0.0]]]), [1])[0]:.4f}")
    0.0067

    Args:
        labels: The classes of each sequence, as a sparse tensor.
        inputs: Logits: times, batch, classes.
        sequence_length: The length of each sequence.
        preprocess_collapse_repeated: Whether labels that follow each other become one.
        ctc_merge_repeated: Whether classes that follow each other are one label.
        ignore_longer_outputs_than_inputs: Whether labels that do not fit have no loss.
        time_major: Whether times are the first axis of `inputs`, and not the second.
        logits: Another name of `inputs`.

    Returns:
        A loss for each sequence.

    Raises:
        NotImplementedError: One of the switches has another value than its default.
    """
    if preprocess_collapse_repeated or not ctc_merge_repeated or ignore_longer_outputs_than_inputs:
        raise NotImplementedError(
            "tf.compat.v1.nn.ctc_loss works with the defaults of preprocess_collapse_repeated, ctc_merge_repeated and "
            "ignore_longer_outputs_than_inputs only. Change the labels before the call."
        )
    given = inputs if logits is None else logits
    return _v2().nn.ctc_loss(labels, given, None, sequence_length, time_major, blank_index=-1)
