"""Functions of TensorFlow that take ragged tensors: results as on TensorFlow, in traced functions too, and their gradients."""

import numpy as np
import pytest

import gradtape as tf

R = tf.ragged.constant([[1.0, 2.0, 3.0], [], [4.0, 5.0]])
R2 = tf.ragged.constant([[10.0, 20.0, 30.0], [], [40.0, 50.0]])
WHOLE = tf.ragged.constant([[3, 1, 2], [], [0, 5]])
NESTED = tf.ragged.constant([[[1.0, 2.0], [3.0]], [], [[4.0, 5.0, 6.0]]])
PAIRS = tf.RaggedTensor.from_row_splits(tf.reshape(tf.range(10.0), (5, 2)), [0, 2, 2, 5])
EVEN = tf.ragged.constant([[1.0, 2.0], [3.0, 4.0]], ragged_rank=1)
TEXTS = tf.ragged.constant([["a", "bc"], [], ["Def"]])
TRUTH = tf.ragged.constant([[True, False, True], [], [False, True]])

# An expression, the static shape on TensorFlow, and the values there.
CASES = [
    ("tf.tile(R, [2, 1])", (6, None), [[1, 2, 3], [], [4, 5], [1, 2, 3], [], [4, 5]]),
    ("tf.tile(R, [1, 2])", (3, None), [[1, 2, 3, 1, 2, 3], [], [4, 5, 4, 5]]),
    ("tf.tile(NESTED, [1, 2, 1])", (3, None, None), [[[1, 2], [3], [1, 2], [3]], [], [[4, 5, 6], [4, 5, 6]]]),
    ("tf.tile(PAIRS, [1, 1, 2])[0]", (2, 4), [[0, 1, 0, 1], [2, 3, 2, 3]]),
    ("tf.tile(TEXTS, [1, 2])", (3, None), [[b"a", b"bc", b"a", b"bc"], [], [b"Def", b"Def"]]),
    ("tf.reverse(R, [1])", (3, None), [[3, 2, 1], [], [5, 4]]),
    ("tf.reverse(R, [0, 1])", (3, None), [[5, 4], [], [3, 2, 1]]),
    ("tf.reverse(NESTED, [1])", (3, None, None), [[[3], [1, 2]], [], [[4, 5, 6]]]),
    ("tf.reverse(NESTED, [0, -1])", (3, None, None), [[[6, 5, 4]], [], [[2, 1], [3]]]),
    ("tf.reverse(PAIRS, [2])[0]", (2, 2), [[1, 0], [3, 2]]),
    ("tf.expand_dims(R, 0)", (1, 3, None), [[[1, 2, 3], [], [4, 5]]]),
    ("tf.expand_dims(R, 1)", (3, 1, None), [[[1, 2, 3]], [[]], [[4, 5]]]),
    ("tf.expand_dims(R, -1)", (3, None, 1), [[[1], [2], [3]], [], [[4], [5]]]),
    ("R[:, tf.newaxis]", (3, 1, None), [[[1, 2, 3]], [[]], [[4, 5]]]),
    ("tf.squeeze(tf.expand_dims(R, 1), [1])", (3, None), [[1, 2, 3], [], [4, 5]]),
    ("tf.squeeze(tf.expand_dims(R, 2), 2)", (3, None), [[1, 2, 3], [], [4, 5]]),
    ("tf.reshape(PAIRS, [5, 2])[1]", (2,), [2, 3]),
    ("tf.split(R, [1, 2])[1]", (2, None), [[], [4, 5]]),
    ("tf.split(PAIRS, 2, axis=2)[1]", (3, None, 1), [[[1], [3]], [], [[5], [7], [9]]]),
    ("tf.stack([R, R2], 2)", (3, None, 2), [[[1, 10], [2, 20], [3, 30]], [], [[4, 40], [5, 50]]]),
    ("tf.stack([R, R2], 1)", (3, None, None), [[[1, 2, 3], [10, 20, 30]], [[], []], [[4, 5], [40, 50]]]),
    ("tf.gather(R, [[2, 0], [1, 1]])", (2, None, None), [[[4, 5], [1, 2, 3]], [[], []]]),
    ("tf.gather(R, 2)", (2,), [4, 5]),
    ("tf.gather(R, WHOLE * 0)[2]", (2, None), [[1, 2, 3], [1, 2, 3]]),
    ("tf.gather(R, tf.ragged.constant([[2, 0], [], [1]]), batch_dims=1)", (3, None), [[3, 1], [], [5]]),
    ("tf.gather(EVEN, [1, 0], axis=1)", (2, 2), [[2, 1], [4, 3]]),
    ("tf.gather(EVEN, tf.ragged.constant([[0], [1, 0]]), axis=1)", (2, 2, None), [[[1], [2, 1]], [[3], [4, 3]]]),
    ("tf.gather(NESTED[::2], [[0], [0]], axis=2, batch_dims=1)", (2, None, 1), [[[1], [3]], [[4]]]),
    ("tf.gather(NESTED[::2], [0, 0], axis=2, batch_dims=1)", (2, None), [[1, 3], [4]]),
    ("tf.gather(NESTED[::2], tf.ragged.constant([[0], [0, 0]]), axis=2, batch_dims=1)", (2, None, None), [[[1], [3]], [[4, 4]]]),
    ("tf.gather([[1.0, 2.0], [3.0, 4.0]], tf.ragged.constant([[0], [1, 0]]), batch_dims=1)", (2, None), [[1], [4, 3]]),
    ("tf.gather_nd(R, [[0, 1], [2, 0]])", (2,), [2, 4]),
    ("tf.gather_nd(R, [[0], [2]])", (2, None), [[1, 2, 3], [4, 5]]),
    ("tf.gather_nd(PAIRS, [[2, 1, 0]])", (1,), [6]),
    ("tf.where(TRUTH)", (3, 2), [[0, 0], [0, 2], [2, 1]]),
    ("tf.dynamic_partition(R, [0, 1, 0], 2)[0]", (2, None), [[1, 2, 3], [4, 5]]),
    ("tf.dynamic_partition(R, WHOLE // 3, 2)[1]", (2,), [1, 5]),
    ("tf.nn.softmax(R * 0)", (3, None), [[1 / 3] * 3, [], [0.5, 0.5]]),
    ("tf.nn.softmax(NESTED * 0)", (3, None, None), [[[0.5, 0.5], [1]], [], [[1 / 3] * 3]]),
    ("tf.reduce_logsumexp(R * 0, 1)[::2]", (2,), [np.log(3), np.log(2)]),
    ("tf.reduce_sum(NESTED, 0)", (2, None), [[5, 7, 6], [3]]),
    ("tf.math.unsorted_segment_sum(R, [0, 1, 0], 2)", (2, None), [[5, 7, 3], []]),
    ("tf.math.unsorted_segment_max(R, [0, 1, 0], 2)", (2, None), [[4, 5, 3], []]),
    ("tf.math.unsorted_segment_mean(R, [0, 1, 0], 2)", (2, None), [[2.5, 3.5, 3], []]),
    ("tf.math.unsorted_segment_sqrt_n(R, [0, 1, 0], 2)", (2, None), [[5 / 2**0.5, 7 / 2**0.5, 3], []]),
    ("tf.matmul(PAIRS, tf.ones([3, 2, 2]))", (3, None, 2), [[[1, 1], [5, 5]], [], [[9, 9], [13, 13], [17, 17]]]),
    ("tf.matmul(EVEN, [[1.0, 0.0], [0.0, 1.0]])", (2, 2), [[1, 2], [3, 4]]),
    ("R + [[1.0], [2.0], [3.0]]", (3, None), [[2, 3, 4], [], [7, 8]]),
    ("NESTED + [[[1.0]], [[2.0]], [[3.0]]]", (3, None, None), [[[2, 3], [4]], [], [[7, 8, 9]]]),
    ("PAIRS * [2.0, 3.0]", (3, None, 2), [[[0, 3], [4, 9]], [], [[8, 15], [12, 21], [16, 27]]]),
    ("tf.clip_by_value(R, 2.0, 4.0)", (3, None), [[2, 2, 3], [], [4, 4]]),
    ("tf.math.add_n([R, R2])", (3, None), [[11, 22, 33], [], [44, 55]]),
    ("tf.math.imag(tf.complex(R, R2))", (3, None), [[10, 20, 30], [], [40, 50]]),
    ("tf.debugging.check_numerics(R, 'x')", (3, None), [[1, 2, 3], [], [4, 5]]),
    ("tf.saturate_cast(R * 100, tf.uint8)", (3, None), [[100, 200, 255], [], [255, 255]]),
    ("tf.bitcast(WHOLE, tf.uint32)", (3, None), [[3, 1, 2], [], [0, 5]]),
    ("tf.nn.leaky_relu(-R)", (3, None), [[-0.2, -0.4, -0.6], [], [-0.8, -1]]),
    ("tf.nn.silu(R * 0)", (3, None), [[0, 0, 0], [], [0, 0]]),
    ("tf.nn.gelu(R * 0)", (3, None), [[0, 0, 0], [], [0, 0]]),
    ("tf.nn.dropout(R, 0.0)", (3, None), [[1, 2, 3], [], [4, 5]]),
    ("tf.nn.sigmoid_cross_entropy_with_logits(labels=R, logits=R * 0)", (3, None), [[np.log(2)] * 3, [], [np.log(2)] * 2]),
    ("tf.strings.join(['x', TEXTS, TEXTS], separator='-')", (3, None), [[b"x-a-a", b"x-bc-bc"], [], [b"x-Def-Def"]]),
    ("tf.strings.reduce_join(TEXTS, axis=1, separator=',')", (3,), [b"a,bc", b"", b"Def"]),
    ("tf.strings.reduce_join(TEXTS)[None]", (1,), [b"abcDef"]),
    ("tf.strings.reduce_join(TEXTS, axis=0)", (2,), [b"aDef", b"bc"]),
    ("tf.strings.unicode_encode(WHOLE + 65, 'UTF-8')", (3,), [b"DBC", b"", b"AF"]),
    ("tf.io.decode_base64(tf.io.encode_base64(TEXTS))", (3, None), [[b"a", b"bc"], [], [b"Def"]]),
]  # fmt: skip


def plain(value):
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


def is_near(given, wanted):
    if isinstance(wanted, list):
        return len(given) == len(wanted) and all(map(is_near, given, wanted))
    return given == wanted if isinstance(wanted, bytes) else given == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(("expression", "shape", "values"), CASES, ids=[case[0] for case in CASES])
def test_values_and_shapes_are_those_of_tensorflow(expression, shape, values):
    result = eval(expression)
    assert tuple(result.shape) == shape
    assert is_near(plain(result), values)
    assert is_near(plain(tf.function(lambda: eval(expression))()), values)


OPERANDS = {"R": R, "NESTED": NESTED, "PAIRS": PAIRS, "EVEN": EVEN}
WITHOUT_DERIVATIVE = ("where", "saturate_cast", "clip_by_value", "unsorted_segment_max", "WHOLE // 3", "dropout")
DIFFERENTIABLE = [
    (expression, name)
    for expression, _, _ in CASES
    for name in OPERANDS
    if f"({name}" in f"({expression}" and not any(word in expression for word in WITHOUT_DERIVATIVE)
]


@pytest.mark.parametrize(("expression", "name"), DIFFERENTIABLE)
def test_gradients_agree_with_differences(expression, name):
    operand = OPERANDS[name]

    def of_values(flat):
        result = eval(expression, globals(), {name: operand.with_flat_values(flat)})
        return tf.square(result.flat_values if isinstance(result, tf.RaggedTensor) else result)

    (by_tape,), (by_differences,) = tf.test.compute_gradient(of_values, [operand.flat_values])
    np.testing.assert_allclose(by_tape, by_differences, rtol=0.02, atol=0.02)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tf.tile(R, [2]), "one for each axis"),
        (lambda: tf.reverse(R, [2]), "out of bounds"),
        (lambda: tf.reverse(R, [1, -1]), "twice"),
        (lambda: tf.squeeze(R, 1), "size 1"),
        (lambda: tf.squeeze(R), "axis must be given"),
        (lambda: tf.gather(R, [3]), r"indices\[0\] = 3 is not in \[0, 3\)"),
        (lambda: tf.gather(R, [[3], [0], [0]], batch_dims=1), "outside of its row"),
        (lambda: tf.gather_nd(R, [[1, 0]]), "outside of its row"),
        (lambda: tf.split(R, 2, axis=1), "ragged axis"),
        (lambda: tf.add(R, [[1.0], [2.0]]), "do not broadcast|Incompatible shapes"),
        (lambda: tf.stack([R, EVEN], 2), "same lengths"),
    ],
)
def test_what_does_not_fit_says_so(call, words):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=words):
        call()
