"""Functions of tensors whose sizes or ranks are unknown, or that are sparse or ragged: the results of eager code.

What a trace says of a result's shape is a promise for every operand that the signature allows: it is compatible with what comes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

VECTOR = tf.constant([1.0, 2.0, 3.0, 4.0])
MATRIX = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
IMAGE = tf.constant(np.random.default_rng(0).uniform(size=(2, 2, 3)).astype(np.float32))
NUMBERS = tf.constant([0, 2, 0, 1])
SETS = tf.constant([[1, 2, 3], [4, 4, 1]])
OTHER_SETS = tf.constant([[2, 3, 5], [7, 8, 4]])
SPARSE = tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 3])
OTHER_SPARSE = tf.SparseTensor([[0, 0], [1, 2]], [5.0, 7.0], [2, 3])
LEFT = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 3])  # rows without gaps
IDS = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 3, 0], tf.int64), [3, 2])
RAGGED = tf.ragged.constant([[1.0, 2.0], [3.0, 4.0, 5.0]])
TABLE = tf.constant(np.arange(12.0, dtype=np.float32).reshape(6, 2))
SPLITS = tf.constant([0, 2, 3], tf.int64)

# What is called, and its operands.
CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "unstack": (lambda x: tf.unstack(x, 4), (VECTOR,)),
    "unstack along another axis": (lambda x: tf.unstack(x, 3, axis=1), (MATRIX,)),
    "unstack from the end": (lambda x: tf.unstack(x, 3, axis=-1), (MATRIX,)),
    "meshgrid": (lambda x: tf.meshgrid(x, x[:2]), (VECTOR,)),
    "meshgrid of matrices": (lambda x, y: tf.meshgrid(x, y, indexing="ij"), (VECTOR, VECTOR[:3])),
    "cross entropy": (lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], x), (MATRIX,)),
    "bincount": (lambda x, n: tf.raw_ops.Bincount(arr=x, size=n, weights=tf.constant([], tf.int32)), (NUMBERS, 5)),
    "saturation": (lambda x: tf.image.adjust_saturation(x, 0.5), (IMAGE,)),
    "hue": (lambda x: tf.image.adjust_hue(x, 0.5), (IMAGE,)),
    "grayscale": (tf.image.rgb_to_grayscale, (IMAGE,)),
    "one_hot": (lambda x, a, b: tf.one_hot(x, 3, on_value=a, off_value=b), (NUMBERS, 5.0, -1.0)),
    "union": (tf.sets.union, (SETS, OTHER_SETS)),
    "intersection": (tf.sets.intersection, (SETS, OTHER_SETS)),
    "difference": (lambda a, b: tf.sets.difference(a, b, aminusb=False), (SETS, OTHER_SETS)),
    "sizes of sets": (lambda a, b: tf.sets.size(tf.sets.union(a, b)), (SETS, OTHER_SETS)),
    "sparse times dense": (lambda s, x: s * x, (SPARSE, MATRIX)),
    "sparse times a row": (lambda s, x: s * x[0], (SPARSE, MATRIX)),
    "sparse times a constant": (lambda s: s * tf.ones([2, 3]), (SPARSE,)),
    "sparse by a number": (lambda s: s / 2.0, (SPARSE,)),
    "product": (lambda s, x: tf.sparse.sparse_dense_matmul(s, x, adjoint_b=True), (SPARSE, MATRIX)),
    "product with a constant": (lambda s: tf.sparse.sparse_dense_matmul(s, tf.ones([3, 2])), (SPARSE,)),
    "sum": (tf.sparse.add, (SPARSE, OTHER_SPARSE)),
    "sum with itself": (lambda s: tf.sparse.add(s, s), (SPARSE,)),
    "sum with a dense tensor": (tf.sparse.add, (SPARSE, MATRIX)),
    "sum with a constant": (lambda s: tf.sparse.add(tf.ones([2, 3]), s), (SPARSE,)),
    "maximum": (tf.sparse.maximum, (SPARSE, OTHER_SPARSE)),
    "concat": (lambda a, b: tf.sparse.concat(1, [a, b]), (SPARSE, OTHER_SPARSE)),
    "reset_shape": (tf.sparse.reset_shape, (SPARSE,)),
    "sparse sums": (lambda s: tf.sparse.reduce_sum(s, 1, output_is_sparse=True), (SPARSE,)),
    "retain": (lambda s: tf.sparse.retain(s, s.values > 1.5), (SPARSE,)),
    "sparse to ragged": (tf.RaggedTensor.from_sparse, (LEFT,)),
    "ragged to sparse": (lambda r: r.to_sparse(), (RAGGED,)),
    "embeddings": (lambda t, i: tf.nn.embedding_lookup_sparse(t, i, None, combiner="sum"), (TABLE, IDS)),
    "safe embeddings": (lambda t, i: tf.nn.safe_embedding_lookup_sparse(t, i, None), (TABLE, IDS)),
    "mask of rows": (lambda x: tf.ragged.boolean_mask(x, x > 2.0), (MATRIX,)),
    "row numbers": (tf.ragged.row_splits_to_segment_ids, (SPLITS,)),
    "row splits": (tf.ragged.segment_ids_to_row_splits, (tf.constant([0, 0, 2], tf.int64),)),
    "element of a ragged tensor": (lambda r: r[1, 0], (RAGGED,)),
    "elements of a ragged tensor": (lambda r: tf.gather_nd(r, [[1, 2]]), (RAGGED,)),
    "partitions": (lambda x, n: tf.ragged.stack_dynamic_partitions(x, n, 3), (VECTOR, NUMBERS)),
    "partitions of one slice": (lambda x: tf.ragged.stack_dynamic_partitions(x, 1, 3), (VECTOR,)),
    "partitions of a matrix": (lambda x: tf.ragged.stack_dynamic_partitions(x, [[0, 1, 0], [2, 1, 0]], 3), (MATRIX,)),
    "partitions by a tensor": (tf.ragged.stack_dynamic_partitions, (VECTOR, NUMBERS, 4)),
}
NEED_RANKS = ("partitions", "partitions by a tensor", "mask of rows")  # in TensorFlow too


def _open(value: Any, has_rank: bool) -> Any:
    """The spec of a value with all sizes unknown, or its rank too."""
    shape = [None] * value.shape.rank if has_rank else None
    if isinstance(value, tf.RaggedTensor):
        return tf.RaggedTensorSpec([None] * value.shape.rank, value.dtype)
    if isinstance(value, tf.SparseTensor):
        return tf.SparseTensorSpec([None] * value.shape.rank, value.dtype)
    return tf.TensorSpec(shape if value.shape.rank else [], value.dtype)


def _values(result: Any) -> list[Any]:
    return [value.numpy() for value in tf.nest.flatten(result, expand_composites=True)]


def _assert_as_eagerly(function: Any, operands: Any, signature: Any) -> None:
    promised: list[Any] = []

    @tf.function(input_signature=signature, autograph=False)
    def traced(*given: Any) -> Any:
        result = function(*given)
        promised.extend(part.shape for part in tf.nest.flatten(result))
        return result

    got, expected = traced(*operands), function(*operands)
    for a, b in zip(_values(got), _values(expected), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert a.dtype == b.dtype
        if a.dtype.kind in "fc":
            np.testing.assert_allclose(a, b, rtol=1e-6)
        else:
            np.testing.assert_array_equal(a, b)
    for shape, result in zip(promised, tf.nest.flatten(expected), strict=True):
        assert shape.is_compatible_with(result.shape)


@pytest.mark.parametrize("known", ["sizes", "rank", "nothing"])
@pytest.mark.parametrize("name", CALLS)
def test_a_function_gives_what_eager_code_gives_and_what_its_trace_promises(name: str, known: str) -> None:
    function, given = CALLS[name]
    operands = [value if hasattr(value, "dtype") else tf.constant(value) for value in given]
    signature = None if known == "sizes" else [_open(value, known == "rank") for value in operands]
    if name in NEED_RANKS and known == "nothing":
        with pytest.raises(ValueError, match=r"the rank of .* must be known"):  # as in TensorFlow
            _assert_as_eagerly(function, operands, signature)
        return
    _assert_as_eagerly(function, operands, signature)


def test_a_size_that_does_not_fit_is_an_error_of_the_call() -> None:
    traced = tf.function(lambda x: tf.unstack(x, 3), input_signature=[tf.TensorSpec([None])])
    assert len(traced([1.0, 2.0, 3.0])) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="size 4"):
        traced([1.0, 2.0, 3.0, 4.0])


def test_what_no_numbers_fit_names_none_of_them() -> None:
    def impossible(s: Any) -> Any:
        return tf.sparse.concat(0, [tf.sparse.reset_shape(s, [7, 11]), tf.sparse.reset_shape(s, [7, 13])])

    with pytest.raises((ValueError, tf.errors.InvalidArgumentError, TypeError)) as caught:
        tf.function(impossible).get_concrete_function(tf.SparseTensorSpec([None, None]))
    assert "24" not in str(caught.value)


def test_one_hot_gives_no_gradient_to_its_two_values() -> None:
    on = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(on)
        hot = tf.function(lambda x, on: tf.one_hot(x, 3, on_value=on))(NUMBERS, on)
    assert tape.gradient(hot, on) is None


BOXES = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.5, 0.5, 1.0, 1.0]])
SCORES = tf.constant([0.9, 0.2, 0.7])

# What TensorFlow takes as a tensor where a function here needs the value: a threshold, a rate, a text.
SETTINGS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "suppression": (lambda n, a, b: tf.image.non_max_suppression(BOXES, SCORES, n, a, b), (3, 0.5, 0.1)),
    "padded suppression": (
        lambda n, a, b: tf.image.non_max_suppression_padded(BOXES, SCORES, n, a, b, pad_to_max_output_size=True),
        (3, 0.5, 0.1),
    ),
    "suppression with scores": (
        lambda n, a, b: tf.image.non_max_suppression_with_scores(BOXES, SCORES, n, a, b, 0.1),
        (3, 0.5, 0.1),
    ),
    "l2_normalize": (lambda a: tf.math.l2_normalize(MATRIX, 1, a), (1e-3,)),
    "diag": (lambda k, a: tf.linalg.diag([1.0, 2.0], k=k, padding_value=a), (1, 9.0)),
    "diag_part": (lambda k, a: tf.linalg.diag_part(MATRIX, k=k, padding_value=a), (1, 9.0)),
    "pinv": (lambda a: tf.linalg.pinv(MATRIX, a), (1e-3,)),
    "resize_with_pad": (lambda a, b: tf.image.resize_with_pad(IMAGE, a, b), (2, 6)),
    "central_crop": (lambda a: tf.image.central_crop(IMAGE, a), (0.5,)),
    "mel": (lambda r: tf.signal.linear_to_mel_weight_matrix(4, 9, r, 125.0, 3800.0), (8000,)),
    "split": (lambda s: tf.strings.split(["a b", "c"], s), (" ",)),
    "regex_replace": (lambda a, b: tf.strings.regex_replace("aab", a, b), ("a", "x")),
    "regex_full_match": (lambda a: tf.strings.regex_full_match(["aab", "b"], a), ("a.*",)),
    "sparse sum": (lambda a: tf.sparse.add(SPARSE, OTHER_SPARSE, a), (3.0,)),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_tensor_in_place_of_a_setting(name: str) -> None:
    function, given = SETTINGS[name]
    _assert_as_eagerly(function, [tf.constant(value) for value in given], None)
