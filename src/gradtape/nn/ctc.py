"""The CTC loss of `tf.nn`, its helpers and decoders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import math
from ..api.arrays import fill, zeros, zeros_like
from ..api.indexing import gather, scatter_nd, where
from ..api.layout import concat, stack, transpose, unstack
from ..base import dtypes
from ..base.errors import too_few_axes, unfit
from ..base.traceable import trace_public
from ..base.types import IntLike, TensorLike, Value
from ..op.arguments import flag, takes
from ..op.attributes import as_int
from ..ops.nn import decoding
from ..ops.nn.ctc import ctc_states
from ..values.tensor import Tensor, from_array, to_tensor
from .activations import log_softmax

if TYPE_CHECKING:
    from ..sparse.tensor import SparseTensor


def ctc_loss(
    labels: Any,
    logits: TensorLike,
    label_length: IntLike | None,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: TensorLike | None = None,
    blank_index: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Minus the log of the probability of each label sequence, summed over all alignments with the logits (CTC).

    >>> import gradtape as tf
    >>> logits = tf.zeros([3, 1, 2])  # three steps, one sequence, blank and one label
    >>> print(tf.nn.ctc_loss([[1]], logits, [1], [3]).numpy().round(4))
    [0.2877]

    A sequence with too few steps for its labels has an infinite loss and a gradient of zero.

    Args:
        labels: The true labels: integers (batch, longest), or a sparse tensor of them.
        logits: Scores (steps, batch, classes).
        label_length: How many of its labels count, for each sequence; not used for sparse labels.
        logit_length: How many of its steps count, for each sequence.
        logits_time_major: False for logits (batch, steps, classes).
        unique: Ignored; accepted for compatibility with TensorFlow.
        blank_index: The class of the blank, 0 by default. A negative number counts from the end.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One loss for each sequence.

    Raises:
        ValueError: The logits are not floating with three axes, there are not as many labels as sequences, or labels are sparse
            and there is no `blank_index`.
    """
    x = to_tensor(logits)
    if x.ndim != 3 or not x.dtype.is_floating:
        raise too_few_axes(
            f"ctc_loss: logits must be floating (steps, batch, classes), got {x.dtype.name} of shape {x.shape}."
        )
    if hasattr(labels, "dense_shape"):
        labels, label_length = _dense_labels(labels, blank_index)
    narrow = x.dtype in (dtypes.float16, dtypes.bfloat16)
    wide = math.cast(x, dtypes.float32) if narrow else x
    by_sequence = transpose(wide, [1, 0, 2]) if logits_time_major else wide
    labels, label_length, logit_length = (math.cast(v, dtypes.int64) for v in (labels, label_length, logit_length))
    batch, steps, classes = tuple(by_sequence.shape)
    if labels.shape[:1] != (batch,):
        raise too_few_axes(f"ctc_loss: logits have {batch} sequences, labels have shape {labels.shape}.")
    blank = 0 if blank_index is None else as_int(blank_index)
    symbols, may_skip, ends, without_labels = ctc_states.public(labels, label_length, logit_length, classes, blank)
    infinite = fill([batch], np.array(np.inf, wide.dtype.numpy))
    loss = where(without_labels, zeros_like(infinite), infinite)  # of sequences without steps
    if steps:
        scores = gather(log_softmax(by_sequence), symbols, axis=2, batch_dims=1)
        total = _log_sum_of_alignments(scores, may_skip, ends, math.minimum(logit_length, steps))
        possible = math.logical_and(logit_length > 0, total > 0.5 * _IMPOSSIBLE)
        loss = where(possible, math.negative(total), where(logit_length > 0, infinite, loss))
    return math.cast(loss, x.dtype) if narrow else loss


def _dense_labels(labels: Any, blank_index: object) -> tuple[Any, Any]:
    """Sparse labels as rows filled up with zeros, and how many each row has."""
    if blank_index is None:
        raise ValueError("Argument `blank_index` must be provided when labels is a SparseTensor.")
    shape = labels.dense_shape
    ones = math.cast(zeros_like(labels.values), dtypes.int64) + 1
    count = math.unsorted_segment_sum(ones, labels.indices[:, 0], shape[0])
    return scatter_nd(labels.indices, labels.values, shape), count


# log 0, but finite: sums stay free of inf - inf, and exp gives exactly 0.
_IMPOSSIBLE = -1e30


def _log_sum_of_alignments(scores: Value, may_skip: TensorLike, ends: TensorLike, lengths: Value) -> Any:
    """log of the summed probability of all alignments, from log probabilities (batch, steps, states)."""
    batch, steps, states = tuple(scores.shape)

    def allowed(mask: TensorLike) -> Any:
        return where(mask, zeros([], scores.dtype), fill([], np.array(_IMPOSSIBLE, scores.dtype.numpy)))

    skip = allowed(may_skip)
    border = fill([batch, 2], np.array(_IMPOSSIBLE, scores.dtype.numpy))
    start = allowed(from_array(np.arange(states) < 2))
    score = unstack(scores, axis=1)
    current = score[0] + start
    reached = [current]
    for t in range(1, steps):
        wide = concat([border, current], 1)  # two states more in front, so that moving on is a slice
        moves = [current, wide[:, 1:-1], wide[:, :-2] + skip]
        current = math.reduce_logsumexp(stack(moves), 0) + score[t]
        reached.append(current)
    # A sequence ends at its own last step.
    last = gather(stack(reached, 1), math.maximum(lengths - 1, 0), axis=1, batch_dims=1)
    return math.reduce_logsumexp(last + allowed(ends), 1)


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The distinct labels of each row as they appear, padded with 0, and each label's place among them.

    >>> import gradtape as tf
    >>> values, places = tf.nn.ctc_unique_labels([[3, 4, 3]])
    >>> values.numpy(), places.numpy()
    (array([[3, 4, 0]]), array([[0, 1, 0]], dtype=int32))

    Args:
        labels: Integers (batch, longest).
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Two tensors of the shape of `labels`: the distinct labels, and the places. `ctc_loss` needs neither.

    Raises:
        ValueError: The labels do not have two axes.
    """
    array = np.asarray(to_tensor(labels))
    if array.ndim != 2:
        raise unfit(f"ctc_unique_labels: labels must be (batch, longest), got shape {array.shape}.")
    values, places = np.zeros(array.shape, np.int64), np.zeros(array.shape, np.int32)
    for row, line in enumerate(array):
        distinct, first, inverse = np.unique(line, return_index=True, return_inverse=True)
        order = np.argsort(first)
        values[row, : len(distinct)] = distinct[order]
        places[row] = np.argsort(order)[inverse]
    return from_array(values), from_array(places)


def collapse_repeated(labels: TensorLike, seq_length: IntLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Each row without labels that repeat the one before, padded with 0, and how many are left.

    >>> import gradtape as tf
    >>> labels, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1]], [5])
    >>> labels.numpy(), lengths.numpy()
    (array([[1, 2, 1]], dtype=int32), array([3], dtype=int32))

    Args:
        labels: Integers (batch, longest).
        seq_length: How many of its labels count, for each row.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The labels that are left, in as many columns as the longest row needs, and their number in each row.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit.
    """
    result, counts = decoding.collapse_repeated.public(labels, seq_length)
    return result, counts


@takes(merge_repeated=flag)
def ctc_greedy_decoder(
    inputs: TensorLike, sequence_length: IntLike, merge_repeated: bool = True, blank_index: TensorLike | None = None
) -> tuple[list[SparseTensor], Tensor]:
    """The best class at each time, without blanks and repeats, as a sparse tensor; and minus the sum of the scores.

    >>> import gradtape as tf
    >>> scores = tf.one_hot([[0], [0], [2], [0], [1]], 3)
    >>> (labels,), _ = tf.nn.ctc_greedy_decoder(scores, [5])
    >>> labels.values.numpy()
    array([0, 0, 1])

    Args:
        inputs: Scores (steps, batch, classes).
        sequence_length: How many of its steps count, for each sequence.
        merge_repeated: Whether a class that comes several times in a row counts once.
        blank_index: The class of the blank, the last by default.

    Returns:
        A list with one SparseTensor (batch, longest) of labels, and a tensor (batch, 1) of minus the sums.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or a length is larger than the number of steps.
    """
    lengths = to_tensor(sequence_length, None if hasattr(sequence_length, "dtype") else dtypes.int32)
    blank = -1 if blank_index is None else as_int(blank_index)
    *table, scores = decoding.ctc_greedy_decoder.public(inputs, lengths, bool(merge_repeated), blank)
    return [_sparse(*table)], scores


def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: IntLike, beam_width: IntLike = 100, top_paths: TensorLike = 1
) -> tuple[list[SparseTensor], Tensor]:
    """The most likely labellings as sparse tensors, and their log probabilities; the last class is the blank.

    >>> import gradtape as tf
    >>> scores = tf.one_hot([[0], [2], [1]], 3) * 5.0
    >>> labels, log_probability = tf.nn.ctc_beam_search_decoder(scores, [3], beam_width=10, top_paths=2)
    >>> [found.values.numpy().tolist() for found in labels]
    [[0, 1], [0]]
    >>> log_probability.shape
    TensorShape([1, 2])

    Args:
        inputs: Scores (steps, batch, classes).
        sequence_length: How many of its steps count, for each sequence.
        beam_width: How many beginnings are kept at each step.
        top_paths: How many labellings come out.

    Returns:
        A list of `top_paths` SparseTensors (batch, longest), and a tensor (batch, top_paths).

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or there are fewer beams than paths.
    """
    lengths = to_tensor(sequence_length, None if hasattr(sequence_length, "dtype") else dtypes.int32)
    count = as_int(top_paths)
    parts = decoding.ctc_beam_search_decoder.public(inputs, lengths, as_int(beam_width), count)
    tables = [_sparse(*(parts[part * count + k] for part in range(3))) for k in range(count)]
    return tables, parts[-1]


def _sparse(indices: Any, values: Any, shape: Any) -> Any:
    from ..sparse import SparseTensor

    return SparseTensor(indices, values, shape)


trace_public(globals())
