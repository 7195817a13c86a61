"""space_to_batch, batch_to_space, depth_to_space, space_to_depth: values written out, inverses, derivatives, errors."""

import numpy as np
import pytest

import gradtape as tf


def gradient_error(function, *values):
    found, numeric = tf.test.compute_gradient(function, [tf.constant(v) for v in values], delta=1e-5)
    return max(abs(a - b).max() for a, b in zip(found, numeric, strict=True))


def image(*shape):
    return np.random.default_rng(0).standard_normal(shape)


def test_space_to_batch_takes_every_second_pixel():
    x = np.arange(16).reshape(1, 4, 4, 1)
    batch = tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]).numpy()
    expected = np.stack([x[0, i::2, j::2] for i in range(2) for j in range(2)])
    np.testing.assert_array_equal(batch, expected)


def test_space_to_batch_pads_first():
    x = image(2, 3, 5, 2)
    batch = tf.space_to_batch(x, [2, 3], [[1, 0], [0, 1]]).numpy()
    padded = np.pad(x, [(0, 0), (1, 0), (0, 1), (0, 0)])
    expected = np.concatenate([padded[:, i::2, j::3] for i in range(2) for j in range(3)])
    np.testing.assert_array_equal(batch, expected)


@pytest.mark.parametrize(
    ("shape", "block", "crops"),
    [
        ((2, 4, 6, 3), [2, 3], [[0, 0], [0, 0]]),
        ((2, 4, 6, 3), [2, 3], [[1, 1], [2, 1]]),
        ((3, 4), [2], [[0, 0]]),
        ((2, 3, 4), [], np.zeros((0, 2), np.int32)),
        ((0, 4), [2], [[0, 0]]),
        ((1, 2, 2, 2, 5), [2, 1, 2], [[0, 0], [1, 1], [0, 0]]),
    ],
)
def test_batch_to_space_undoes_space_to_batch(shape, block, crops):
    x = image(*shape)
    there = tf.space_to_batch(x, block, crops)
    np.testing.assert_array_equal(tf.batch_to_space(there, block, crops), x)


def test_one_block_size_stands_for_all_axes():
    x = image(4, 1, 1, 1)
    several = tf.batch_to_space(x, [2, 2], [[0, 0], [0, 0]])
    np.testing.assert_array_equal(tf.batch_to_space(x, 2, [[0, 0], [0, 0]]), several)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_depth_and_space_are_inverses(data_format):
    x = image(2, 4, 6, 3) if data_format == "NHWC" else image(2, 3, 4, 6)
    deep = tf.nn.space_to_depth(x, 2, data_format)
    assert deep.shape == ((2, 2, 3, 12) if data_format == "NHWC" else (2, 12, 2, 3))
    np.testing.assert_array_equal(tf.nn.depth_to_space(deep, 2, data_format), x)


def test_depth_to_space_lays_channels_out_row_by_row():
    x = np.arange(8).reshape(1, 1, 2, 4)
    shown = tf.nn.depth_to_space(x, 2)[0, :, :, 0].numpy()
    np.testing.assert_array_equal(shown, [[0, 1, 4, 5], [2, 3, 6, 7]])


def test_gradients_agree_with_finite_differences():
    assert gradient_error(lambda x: tf.space_to_batch(x, [2], [[1, 0]]), image(2, 3, 2)) < 1e-9
    assert gradient_error(lambda x: tf.batch_to_space(x, [2], [[1, 0]]), image(4, 2, 2)) < 1e-9
    assert gradient_error(lambda x: tf.nn.depth_to_space(x, 2), image(1, 1, 2, 4)) < 1e-9
    assert gradient_error(lambda x: tf.nn.space_to_depth(x, 2), image(1, 2, 2, 2)) < 1e-9


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.space_to_batch([[1, 2, 3]], [2], [[0, 0]]),
        lambda: tf.space_to_batch([[1, 2, 3]], [0], [[0, 0]]),
        lambda: tf.space_to_batch([[1, 2, 3]], [-3], [[0, 0]]),
        lambda: tf.space_to_batch([[1, 2, 3]], 3, [[0, 0]]),
        lambda: tf.space_to_batch([[1, 2, 3]], [3], [[-1, 1]]),
        lambda: tf.space_to_batch([[1, 2, 3]], [3], [[0, 0], [0, 0]]),
        lambda: tf.space_to_batch([1, 2, 3], [3], [[0, 0]]),
        lambda: tf.batch_to_space(np.ones((3, 1)), [2], [[0, 0]]),
        lambda: tf.batch_to_space(np.ones((2, 1)), [2], [[2, 1]]),
        lambda: tf.batch_to_space(np.ones((2, 1)), [2], [[-1, 0]]),
        lambda: tf.batch_to_space(np.ones((2, 1)), [2**31 - 1], [[0, 0]]),
        lambda: tf.nn.depth_to_space(np.ones((1, 1, 1, 4)), 1),
        lambda: tf.nn.depth_to_space(np.ones((1, 1, 1, 4)), -2),
        lambda: tf.nn.depth_to_space(np.ones((1, 1, 1, 5)), 2),
        lambda: tf.nn.depth_to_space(np.ones((1, 1, 4)), 2),
        lambda: tf.nn.depth_to_space(np.ones((1, 1, 1, 4)), 2, "CHWN"),
        lambda: tf.nn.space_to_depth(np.ones((1, 3, 4, 1)), 2),
        lambda: tf.nn.space_to_depth(np.ones((1, 4, 4, 1)), 0),
    ],
)
def test_bad_blocks_are_refused(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


def test_paddings_that_blocks_need():
    paddings, crops = tf.required_space_to_batch_paddings([5, 3], [2, 4])
    assert (paddings.numpy().tolist(), crops.numpy().tolist()) == ([[0, 1], [0, 1]], [[0, 1], [0, 1]])
    paddings, crops = tf.required_space_to_batch_paddings(tf.constant([5, 3]), [2, 4], [[1, 0], [0, 2]])
    assert (paddings.numpy().tolist(), crops.numpy().tolist()) == ([[1, 0], [0, 5]], [[0, 0], [0, 3]])
    assert paddings.dtype == tf.int32
    x = tf.reshape(tf.range(15), [1, 5, 3])
    paddings, crops = tf.required_space_to_batch_paddings(tf.shape(x)[1:], [2, 4])
    again = tf.batch_to_space(tf.space_to_batch(x, [2, 4], paddings), [2, 4], crops)
    assert again.numpy().tolist() == x.numpy().tolist()
    inside = tf.function(lambda sizes: tf.required_space_to_batch_paddings(sizes, [2, 4])[0])
    assert inside(tf.constant([5, 3])).numpy().tolist() == [[0, 1], [0, 1]]
    with pytest.raises(ValueError, match="one length"):
        tf.required_space_to_batch_paddings([5, 3], [2])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.required_space_to_batch_paddings([5, 3], [0, 1])
