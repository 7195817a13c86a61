"""Values of ops that gradtape itself does not have, against NumPy and SciPy."""

import numpy as np
import pytest
import scipy.linalg

import gradtape as tf

ops = tf.keras.ops


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("axis", [None, 1, (0, 2)])
def test_quantiles_are_numpys(method, axis):
    x = np.random.default_rng(1).normal(size=(3, 4, 5))
    q = [0.0, 0.3, 1.0]
    for keepdims in (False, True):
        ours = ops.quantile(x, q, axis=axis, method=method, keepdims=keepdims)
        np.testing.assert_allclose(ours, np.quantile(x, q, axis, method=method, keepdims=keepdims), rtol=1e-12)
    x[0, 1, 2] = x[2, 0, 0] = np.nan
    np.testing.assert_allclose(
        ops.nanquantile(x, 0.3, axis=axis, method=method), np.nanquantile(x, 0.3, axis, method=method), rtol=1e-12
    )
    assert np.isnan(ops.median(x).numpy())


def test_zeros_are_ordered_by_their_sign():
    assert int(ops.argmax([-0.0, 0.0])) == 1
    assert int(ops.argmin([0.0, -0.0])) == 1


@pytest.mark.parametrize("shape", [(4, 4), (2, 3, 3), (4, 3), (2, 5)])
def test_lu_factors_come_with_the_exchanges_that_lapack_counts(shape):
    x = np.random.default_rng(2).normal(size=shape)
    factors, exchanges = (np.asarray(part) for part in ops.lu_factor(x))
    for matrix, ours, pivots in zip(
        x.reshape(-1, *shape[-2:]),
        factors.reshape(-1, *shape[-2:]),
        exchanges.reshape(-1, min(shape[-2:])),
        strict=True,
    ):
        expected = scipy.linalg.lu_factor(matrix)
        np.testing.assert_allclose(ours, expected[0], rtol=1e-9)
        assert pivots.tolist() == expected[1].tolist()


def test_segments_without_rows():
    data, first, third = np.array([1.0, 2.0]), np.array([0, 0]), np.array([2, 2])
    largest = np.finfo(np.float64).max
    assert ops.segment_max(data, first, num_segments=2).numpy().tolist() == [2.0, -largest]
    assert ops.segment_min(data, third).numpy().tolist() == [largest, largest, 1.0]
    assert ops.segment_sum(data, first, num_segments=2).numpy().tolist() == [3.0, 0.0]


@pytest.mark.parametrize("mode", ["valid", "same", "full"])
@pytest.mark.parametrize(("n", "m"), [(6, 3), (6, 4), (3, 6), (4, 7), (3, 3)])
def test_correlate_is_numpys(mode, n, m):
    rng = np.random.default_rng(n * m)
    a, b = rng.normal(size=n), rng.normal(size=m)
    np.testing.assert_allclose(ops.correlate(a, b, mode), np.correlate(a, b, mode), rtol=1e-12)


def test_fold_adds_up_what_unfold_took_apart():
    x = np.random.default_rng(3).normal(size=(2, 3, 6, 5))
    options = {"kernel_size": (3, 2), "dilation": (1, 2), "padding": (1, 0), "stride": (2, 1)}
    again = ops.fold(ops.unfold(x, **options), (6, 5), **options)
    counts = ops.fold(ops.unfold(np.ones_like(x), **options), (6, 5), **options)
    np.testing.assert_allclose(again, x * np.asarray(counts), rtol=1e-12)


def test_beams_find_a_likelier_sequence_than_single_steps():
    # The blank is the best of each step, but "1" in all its alignments is likelier than nothing.
    steps = np.log([[[0.4, 0.35, 0.25], [0.4, 0.35, 0.25]]])
    (greedy,), _ = ops.ctc_decode(steps, [2])
    (beam,), scores = ops.ctc_decode(steps, [2], strategy="beam_search")
    assert greedy.numpy().tolist() == [[-1, -1]]
    assert beam.numpy().tolist() == [[1, -1]]
    assert float(scores[0, 0]) == pytest.approx(np.log(0.35 * 0.35 + 2 * 0.35 * 0.4))


def test_causal_attention_counts_from_the_first_query():
    query, key = np.zeros([1, 2, 1, 1]), np.zeros([1, 3, 1, 1])
    value = np.array([1.0, 2.0, 6.0]).reshape(1, 3, 1, 1)
    result = ops.dot_product_attention(query, key, value, is_causal=True)
    assert result.numpy().ravel().tolist() == [1.0, 1.5]


def test_images_wrap_and_mirror_between_pixels():
    image = np.arange(4.0, dtype="float32").reshape(1, 4, 1)
    shift = np.array([1, 0, -0.5, 0, 1, 0, 0, 0], "float32")  # half a pixel to the right
    modes = {"wrap": 1.5, "mirror": 0.5, "reflect": 0.0, "nearest": 0.0, "constant": 0.0}
    for mode, first in modes.items():
        moved = ops.image.affine_transform(image, shift, fill_mode=mode)
        assert moved.numpy().ravel().tolist() == [first, 0.5, 1.5, 2.5]


def test_unique_fills_up_to_a_size():
    values, counts = ops.unique([3, 1, 3], return_counts=True, size=4, fill_value=-1)
    assert values.numpy().tolist() == [1, 3, -1, -1]
    assert counts.numpy().tolist() == [1, 2, 0, 0]


def test_a_product_with_a_batch_of_vectors():
    rng = np.random.default_rng(4)
    for left, right in (((2, 3, 4), (4, 5)), ((4,), (4, 5)), ((2, 3, 4), (4,)), ((2, 1, 3, 4), (5, 4, 2))):
        a, b = rng.normal(size=left), rng.normal(size=right)
        np.testing.assert_allclose(ops.matmul(a, b), a @ b, rtol=1e-12)


def test_causal_attention_with_lengths_that_are_not_known():
    spec = tf.TensorSpec([1, None, 1, 1], tf.float64)
    traced = tf.function(lambda q, k: ops.dot_product_attention(q, k, k, is_causal=True), input_signature=[spec, spec])
    key = np.array([1.0, 2.0, 6.0]).reshape(1, 3, 1, 1)
    assert traced(np.zeros([1, 2, 1, 1]), key).numpy().ravel().tolist() == [1.0, 1.5]
