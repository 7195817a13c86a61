"""Embeddings, and losses that look at a sample of the classes instead of all of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import math, random
from ..api.arrays import ones_like, reshape, stop_gradient, zeros_like
from ..api.clip import clip_by_norm
from ..api.indexing import gather
from ..api.layout import concat
from ..base import dtypes
from ..base.context import STATE
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import IntLike, TensorLike
from ..linalg import matmul
from ..op.attributes import as_int
from ..ops.array.gather import take
from ..ops.nn import candidates
from ..values.composite import complete_values
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable
from .losses import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits


def embedding_lookup(
    params: TensorLike, ids: TensorLike, max_norm: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The rows of `params` at `ids`; with `max_norm`, rows longer than that are scaled down.

    >>> import gradtape as tf
    >>> table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> with tf.GradientTape() as tape:
    ...     rows = tf.nn.embedding_lookup(table, [2, 0])
    >>> rows.numpy()
    array([[5., 6.],
           [1., 2.]], dtype=float32)

    The gradient names the rows it has something for:

    >>> tape.gradient(rows, table).indices.numpy()
    array([2, 0], dtype=int32)

    Args:
        params: A table, or a list of the parts of one, one after the other.
        ids: Integers. They may be ragged.
        max_norm: The largest norm of a row; longer ones are scaled down.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The rows, in the shape of `ids` and that of a row.

    Raises:
        ValueError: There is no table, or ragged ids are not integers.
        tf.errors.InvalidArgumentError: An index is out of range.
    """
    if params is None:
        raise ValueError("embedding_lookup: params must be specified: the table, or a list of its parts.")
    elements = complete_values(ids)
    if elements is not None:
        numbers = elements.of(ids)
        if not numbers.dtype.is_integer:
            raise ValueError(
                f"embedding_lookup: The values contained by the inputs have type {numbers.dtype.name}. Ids are integers: use "
                "tf.cast."
            )
        return elements.put(ids, embedding_lookup(params, numbers, max_norm))
    if isinstance(params, list) and len(params) > 1 and STATE.trace is None:
        parts = [part if isinstance(part, (Tensor, Variable)) else to_tensor(part) for part in params]
        rows = _from_parts(parts, to_tensor(ids))
    else:
        rows = take.public(whole_table(params), ids, 0, 0)  # (what `gather` does)
    if max_norm is None:
        return rows
    axes = list(range(to_tensor(ids).ndim, rows.ndim))
    return clip_by_norm(rows, max_norm, axes)


def _from_parts(parts: list[Any], ids: Any) -> Any:
    """Rows of a table in several parts, looked up in each: so the gradient of a part is one of slices."""
    flat = np.asarray(ids._array).reshape(-1)
    ends = np.cumsum([part.shape[0] for part in parts])
    owners = np.searchsorted(ends, flat, side="right")
    if flat.size and (flat.min() < 0 or flat.max() >= ends[-1]):
        raise invalid(f"embedding_lookup: ids must be in [0, {ends[-1]}), got {flat.min()} to {flat.max()}.")
    found, order = [], []
    for number, part in enumerate(parts):
        (places,) = np.nonzero(owners == number)
        order.append(places)
        found.append(gather(part, flat[places] - (ends[number - 1] if number else 0)))
    rows = gather(concat(found, 0), np.argsort(np.concatenate(order), kind="stable"))
    return reshape(rows, (*ids.shape, *rows.shape[1:]))


def whole_table(params: Any) -> Any:
    """The table whose parts, one after the other, are in a list; anything else is the table itself."""
    if not isinstance(params, list):
        return params
    if not params:
        raise ValueError(
            "embedding_lookup: params should not be empty: the list must hold at least one part of the table."
        )
    return params[0] if len(params) == 1 else concat(params, 0)


def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: IntLike,
    num_classes: IntLike,
    num_true: int = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Tensor:
    """Noise-contrastive estimation: true classes against sampled ones, as independent binary classifications.

    >>> import gradtape as tf
    >>> weights, biases = tf.zeros([100, 4]), tf.zeros([100])
    >>> inputs, labels = tf.ones([2, 4]), [[3], [7]]
    >>> tf.nn.nce_loss(weights, biases, labels, inputs, num_sampled=5, num_classes=100).shape
    TensorShape([2])

    Args:
        weights: A row for each class, or a list of parts of that table.
        biases: A number for each class.
        labels: The true classes (batch, num_true).
        inputs: What comes out of the network: (batch, dimension).
        num_sampled: How many classes are drawn for the whole batch.
        num_classes: How many classes there are.
        num_true: How many true classes an example has.
        sampled_values: What a candidate sampler gave. By default `log_uniform_candidate_sampler` is called, which wants
            frequent classes to have small numbers.
        remove_accidental_hits: Whether drawn classes that are true ones are left out.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One loss for each example.

    Raises:
        tf.errors.InvalidArgumentError: The shapes of inputs and labels do not fit.
    """
    logits, targets = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        None,
    )
    return math.reduce_sum(sigmoid_cross_entropy_with_logits(labels=targets, logits=logits), 1)


def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: IntLike,
    num_classes: IntLike,
    num_true: int = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = True,
    seed: TensorLike | None = None,
    name: str = "sampled_softmax_loss",
) -> Tensor:
    """The softmax cross entropy over the true and some sampled classes, corrected for the sampling. For training alone.

    >>> import gradtape as tf
    >>> weights, biases = tf.zeros([100, 4]), tf.zeros([100])
    >>> inputs, labels = tf.ones([2, 4]), [[3], [7]]
    >>> tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, num_sampled=5, num_classes=100).shape
    TensorShape([2])

    Args:
        weights: A row for each class, or a list of parts of that table.
        biases: A number for each class.
        labels: The true classes (batch, num_true).
        inputs: What comes out of the network: (batch, dimension).
        num_sampled: How many classes are drawn for the whole batch.
        num_classes: How many classes there are.
        num_true: How many true classes an example has; each counts for its share.
        sampled_values: What a candidate sampler gave. By default `log_uniform_candidate_sampler` is called, which wants
            frequent classes to have small numbers.
        remove_accidental_hits: Whether drawn classes that are true ones are left out.
        seed: With `tf.random.set_seed`, what decides the draw.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One loss for each example.

    Raises:
        tf.errors.InvalidArgumentError: The shapes of inputs and labels do not fit.
    """
    logits, targets = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )
    return softmax_cross_entropy_with_logits(labels=stop_gradient(targets), logits=logits)


def _sampled_logits(
    weights: Any,
    biases: TensorLike,
    labels: Any,
    inputs: TensorLike,
    num_sampled: IntLike,
    num_classes: Any,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    seed: Any,
) -> tuple[Any, Any]:
    """Logits (batch, true + sampled) minus log of the expected counts, and their target probabilities."""
    if isinstance(weights, (list, tuple)):
        weights = weights[0] if len(weights) == 1 else concat(list(weights), 0)
    inputs = to_tensor(inputs)
    labels = to_tensor(labels)
    if labels.dtype is not dtypes.int64:
        labels = math.cast(labels, dtypes.int64)
    if labels.ndim == 1 and num_true == 1:
        labels = reshape(labels, (-1, 1))
    if inputs.ndim != 2 or labels.ndim != 2 or tuple(labels.shape) != (inputs.shape[0], num_true):
        raise invalid(
            f"sampled losses: inputs must be (batch, dimension) and labels (batch, num_true={num_true}), "
            f"got {inputs.shape} and {labels.shape}."
        )
    if sampled_values is None:
        sampled_values = random.log_uniform_candidate_sampler(
            true_classes=labels,
            num_true=num_true,
            num_sampled=num_sampled,
            unique=True,
            range_max=num_classes,
            seed=seed,
        )
    sampled, true_count, sampled_count = (stop_gradient(to_tensor(part)) for part in sampled_values)
    sampled = math.cast(sampled, dtypes.int64)
    batch = inputs.shape[0]
    ids = concat([reshape(labels, (-1,)), sampled], 0)
    rows, shifts = gather(weights, ids), gather(biases, ids)
    true_rows = reshape(rows[: batch * num_true], (batch, num_true, -1))
    true_logits = math.reduce_sum(reshape(inputs, (batch, 1, -1)) * true_rows, 2)
    true_logits = true_logits + reshape(shifts[: batch * num_true], (batch, num_true))
    sampled_logits = matmul(inputs, rows[batch * num_true :], transpose_b=True) + shifts[batch * num_true :]
    if remove_accidental_hits:
        same = math.equal(reshape(labels, (batch, num_true, 1)), sampled)
        hit = math.cast(math.reduce_any(same, 1), sampled_logits.dtype)
        sampled_logits = sampled_logits + hit * float(dtypes.float32.min)
    true_logits = true_logits - math.log(math.cast(true_count, true_logits.dtype))
    sampled_logits = sampled_logits - math.log(math.cast(sampled_count, sampled_logits.dtype))
    logits = concat([true_logits, sampled_logits], 1)
    targets = concat([ones_like(true_logits) / float(num_true), zeros_like(sampled_logits)], 1)
    return logits, targets


class AccidentalHits(NamedTuple):
    """What `compute_accidental_hits` gives."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: IntLike,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> AccidentalHits:
    """Where a sampled candidate is a true class: the row, the candidate's place, and a weight that hides it.

    >>> import gradtape as tf
    >>> hits = tf.nn.compute_accidental_hits([[3], [7]], [7, 8, 3], num_true=1)
    >>> hits.indices.numpy(), hits.ids.numpy()
    (array([0, 1], dtype=int32), array([2, 0]))

    Args:
        true_classes: The true classes (batch, num_true).
        sampled_candidates: The classes that were drawn.
        num_true: How many true classes an example has.
        seed: Not used.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        `indices` (rows), `ids` (places among the candidates) and `weights` (the smallest float32), one of each for a
        hit.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit.
    """
    given = (true_classes, sampled_candidates)
    true, sampled = (to_tensor(v, None if hasattr(v, "dtype") else dtypes.int64) for v in given)
    return AccidentalHits(*candidates.compute_accidental_hits.public(true, sampled, as_int(num_true)))


trace_public(globals(), skip=("whole_table",))
