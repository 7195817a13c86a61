"""Functions that programs rarely call, on values that TensorFlow 2.21 gave (`later_names.json`); draws with its numbers."""

import json
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf

FOUND = json.loads((Path(__file__).parent / "later_names.json").read_text())
IMG = tf.reshape(tf.range(1.0, 21.0), [1, 4, 5, 1])
VOL = tf.reshape(tf.range(1.0, 25.0), [1, 2, 3, 4, 1])
IMG2 = tf.constant(np.random.RandomState(0).randint(0, 20, (1, 7, 8, 2)).astype(np.float32))
SP = tf.sparse.from_dense([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]])


@pytest.fixture(autouse=True)
def _seeds_as_where_none_was_set():
    tf.random.set_seed(87654321)  # what TensorFlow takes beside the seed of an op, where there is no global one


def pool_grad(pool, **settings):
    with tf.GradientTape() as tape:
        tape.watch(IMG2)
        y = pool(IMG2, [1.0, 1.44, 1.73, 1.0], seed=5, **settings)[0]
        total = tf.reduce_sum(y * tf.reshape(tf.range(float(tf.size(y))), y.shape))
    return tape.gradient(total, IMG2)


def resize_grad(name, **settings):
    with tf.GradientTape() as tape:
        tape.watch(IMG)
        y = getattr(tf.compat.v1.image, f"resize_{name}")(IMG, [3, 8], **settings)
        total = tf.reduce_sum(y * tf.reshape(tf.range(24.0), y.shape))
    return tape.gradient(total, IMG)


def check(found, expected):
    if isinstance(found, tf.SparseTensor):
        found = [found.indices, found.values, found.dense_shape]
    if isinstance(found, (tuple, list)):
        for one, wanted in zip(found, expected, strict=True):
            check(one, wanted)
        return
    if isinstance(found, tf.RaggedTensor):
        rows = found.to_list()
        rows = [[text.decode("latin1") for text in row] for row in rows] if found.dtype == tf.string else rows
        assert ["ragged", found.dtype.name, rows] == expected
        return
    dtype, shape, values = expected
    assert (found.dtype.name, list(found.shape)) == (dtype, shape)
    if dtype == "string":
        assert [text.decode("latin1") for text in found.numpy().ravel()] == values
    else:
        np.testing.assert_allclose(found.numpy().ravel(), values, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("text", FOUND)
def test_it_gives_what_tensorflow_gives(text):
    check(eval(text), FOUND[text])


def test_boxes_are_drawn_as_in_tensorflow_call_after_call():
    boxes = [[[0.1, 0.2, 0.8, 0.9]]]
    drawn = [tf.image.sample_distorted_bounding_box([40, 50, 3], boxes, seed=3) for _ in range(2)]
    assert [draw.begin.numpy().tolist() for draw in drawn] == [[4, 2, 0], [3, 16, 0]]
    assert [draw.size.numpy().tolist() for draw in drawn] == [[32, 31, -1], [23, 30, -1]]


def test_without_a_seed_every_call_is_another():
    boxes = [[[0.1, 0.2, 0.8, 0.9]]]
    drawn = [tf.image.sample_distorted_bounding_box([400, 500, 3], boxes).begin.numpy().tolist() for _ in range(5)]
    assert any(draw != drawn[0] for draw in drawn)
    pools = [tf.nn.fractional_max_pool(tf.ones([1, 90, 90, 1]), [1.0, 1.5, 1.4, 1.0]) for _ in range(5)]
    assert any(pool[2].numpy().tolist() != pools[0][2].numpy().tolist() for pool in pools)


@pytest.mark.parametrize(("count", "chance"), [(8.0, 0.3), (60.0, 0.5), (500.0, 0.03), (40.0, 0.95)])
def test_binomial_numbers_have_their_mean_and_variance(count, chance):
    drawn = tf.random.stateless_binomial([20000], [4, 5], count, chance, tf.float64).numpy()
    assert drawn.mean() == pytest.approx(count * chance, rel=0.02)
    assert drawn.var() == pytest.approx(count * chance * (1 - chance), rel=0.05)


@pytest.mark.parametrize("last", [1, 2, 9, 255, 65536, 70000])
def test_a_shuffle_of_places_is_a_permutation(last):
    found = tf.random.experimental.index_shuffle(tf.range(min(last + 1, 300)), [3, 4], last).numpy()
    assert len(set(found.tolist())) == len(found)
    assert found.min() >= 0
    assert found.max() <= last
    if last < 300:
        assert sorted(found.tolist()) == list(range(last + 1))


@pytest.mark.parametrize("noise", ["uniform", "gaussian"])
def test_what_a_glimpse_sees_beyond_the_border_is_noise_like_the_image(noise):
    seen = tf.image.extract_glimpse(IMG, [60, 60], [[0.0, 0.0]], noise=noise).numpy()
    np.testing.assert_array_equal(seen[0, 28:32, 27:32, 0], IMG[0, :, :, 0])
    border = np.delete(seen.ravel(), np.flatnonzero(np.isin(seen.ravel(), IMG.numpy())))
    assert border.mean() == pytest.approx(10.5, abs=0.6)
    assert border.std() == pytest.approx(19 / 12**0.5 if noise == "uniform" else IMG.numpy().std(), rel=0.1)


def test_a_glimpse_has_a_gradient():
    with tf.GradientTape() as tape:
        tape.watch(IMG)
        seen = tf.image.extract_glimpse(IMG, [2, 2], [[0.0, 0.0]], noise="zero")
    expected = np.zeros((4, 5))
    expected[1:3, 1:3] = 1
    np.testing.assert_array_equal(tape.gradient(seen, IMG)[0, :, :, 0], expected)


def test_in_traced_functions():
    @tf.function
    def f(x, size):
        begin, extent, _ = tf.image.stateless_sample_distorted_bounding_box(size, [[[0.1, 0.2, 0.8, 0.9]]], [1, 2])
        return (
            begin,
            extent,
            tf.nn.fractional_avg_pool(x, [1.0, 1.44, 1.73, 1.0], seed=5).output,
            tf.math.approx_max_k(x[0, 0, :, 0], 2).values,
            tf.random.stateless_binomial([4], [1, 2], 10.0, 0.3),
            tf.strings.unicode_script(tf.cast(x[0, 0, :, 0], tf.int32) + 65),
            tf.random.experimental.index_shuffle(tf.range(8), [7, 8], 7),
            tf.image.extract_glimpse(x, [3, 3], [[0.0, 0.0]], noise="zero"),
        )

    size = tf.constant([40, 50, 3])
    for found, expected in zip(f(IMG2, size), f.python_function(IMG2, size), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tf.nn.fractional_max_pool(IMG2, "1.5"), ValueError, "must be a number or a list"),
        (lambda: tf.nn.fractional_max_pool(IMG2, [1.0, 0.5, 1.0, 1.0]), ValueError, "at least 1.0"),
        (lambda: tf.nn.fractional_max_pool(IMG2, [2.0, 1.5, 1.0, 1.0]), ValueError, "batch and channels"),
        (
            lambda: tf.random.stateless_binomial([3], [3, 4], [1.0, 2.0], 0.5),
            tf.errors.InvalidArgumentError,
            "end with",
        ),
        (lambda: tf.random.experimental.index_shuffle(5, [1, 2, 3], 9), tf.errors.InvalidArgumentError, "two integers"),
        (
            lambda: tf.random.experimental.index_shuffle(10, [1, 2], 9),
            tf.errors.InvalidArgumentError,
            "must be >= index",
        ),
        (
            lambda: tf.image.extract_glimpse(IMG, [3, 3], [[0.0, 0.0]], noise="x"),
            tf.errors.InvalidArgumentError,
            "noise",
        ),
        (lambda: tf.io.serialize_sparse(tf.constant([1.0])), TypeError, "SparseTensor"),
        (
            lambda: tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(SP), tf.int32),
            tf.errors.InvalidArgumentError,
            "float32, not int32",
        ),
        (lambda: tf.io.deserialize_many_sparse([["a", "b", "c"]], tf.int32), tf.errors.InvalidArgumentError, "row 0"),
        (lambda: tf.compat.v1.image.resize_images(IMG, [3, 8], method=9), ValueError, "not implemented"),
        (
            lambda: tf.image.stateless_sample_distorted_bounding_box([4, 5, 3], tf.zeros([0, 0, 4]), [5, 2]),
            tf.errors.InvalidArgumentError,
            "use_image_if_no_bounding_boxes=True",
        ),
    ],
)
def test_what_does_not_fit_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()
