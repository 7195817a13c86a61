"""unique, searchsorted, histograms, masks, dynamic_partition and dynamic_stitch, casts and slices."""

import numpy as np
import pytest

import gradtape as tf


def gradient_error(function, *values):
    found, numeric = tf.test.compute_gradient(function, [tf.constant(v) for v in values], delta=1e-5)
    return max(abs(a - b).max() for a, b in zip(found, numeric, strict=True))


# --- unique, searchsorted, histograms ----------------------------------------------------------------------------


def test_unique_keeps_the_order_of_first_appearance():
    y, idx, count = tf.unique_with_counts([7, 3, 7, 7, 1], out_idx=tf.int64)
    assert y.numpy().tolist() == [7, 3, 1]
    assert idx.numpy().tolist() == [0, 1, 0, 0, 2]
    assert count.numpy().tolist() == [3, 1, 1]
    assert (idx.dtype, count.dtype) == (tf.int64, tf.int64)


def test_unique_of_strings_and_of_nan():
    assert tf.unique(["b", "a", "b"]).y.numpy().tolist() == [b"b", b"a"]
    assert tf.unique([1.0, np.nan, np.nan]).idx.numpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize("function", [lambda x: tf.unique(x).y, lambda x: tf.unique_with_counts(x).y])
def test_unique_on_the_path_has_no_gradient(function):
    x = tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x) * 2.0
    with pytest.raises(LookupError, match="Unique"):
        tape.gradient(y, x)


def test_searchsorted_rows_and_sides():
    rows = [[1.0, 2.0, 2.0], [4.0, 5.0, 6.0]]
    assert tf.searchsorted(rows, [[2.0], [9.0]]).numpy().tolist() == [[1], [3]]
    assert tf.searchsorted(rows, [[2.0], [3.0]], side="right").numpy().tolist() == [[3], [0]]
    with pytest.raises(ValueError, match="side"):
        tf.searchsorted(rows, [[2.0], [9.0]], side="middle")


def test_histogram_bins_hold_what_the_histogram_counts():
    values, ends = [-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0]
    bins = tf.histogram_fixed_width_bins(values, ends, nbins=5).numpy()
    assert bins.tolist() == [0, 0, 1, 2, 4, 4]
    np.testing.assert_array_equal(tf.histogram_fixed_width(values, ends, nbins=5), np.bincount(bins, minlength=5))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.histogram_fixed_width_bins(values, ends, nbins=0)


def test_raw_bucketize_counts_boundaries():
    assert tf.raw_ops.Bucketize(input=[1.0, 2.0, 3.0], boundaries=[2.0]).numpy().tolist() == [0, 1, 1]


# --- masks and sequences -------------------------------------------------------------------------------------------


def test_sequence_mask_of_matrices_and_types():
    mask = tf.sequence_mask([[1, 3], [2, 0]])
    expected = [[[1, 0, 0], [1, 1, 1]], [[1, 1, 0], [0, 0, 0]]]
    assert mask.dtype == tf.bool
    np.testing.assert_array_equal(mask, np.array(expected, bool))
    assert tf.sequence_mask([1, 3], 2, tf.float32).numpy().tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert tf.sequence_mask(tf.zeros([0], tf.int32)).shape == (0, 0)
    with pytest.raises(ValueError, match="maxlen"):
        tf.sequence_mask([1, 3], [5])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sequence_mask([1, 2], -1)


def test_reverse_sequence_needs_its_axis():
    with pytest.raises(TypeError, match="seq_axis"):
        tf.reverse_sequence([[1, 2]], [1])


# --- dynamic_partition and dynamic_stitch ------------------------------------------------------------------------


def test_partition_and_stitch_are_inverses():
    data = np.random.default_rng(0).standard_normal((5, 2))
    numbers = [2, 0, 1, 0, 2]
    parts = tf.dynamic_partition(data, numbers, 3)
    places = tf.dynamic_partition(tf.range(5), numbers, 3)
    assert [p.shape[0] for p in parts] == [2, 1, 2]
    np.testing.assert_array_equal(tf.dynamic_stitch(places, parts), data)


def test_partition_by_a_matrix_and_by_a_scalar():
    parts = tf.dynamic_partition([[1.0, 2.0], [3.0, 4.0]], [[1, 0], [0, 1]], 2)
    assert [p.numpy().tolist() for p in parts] == [[2.0, 3.0], [1.0, 4.0]]
    assert [p.shape.as_list() for p in tf.dynamic_partition(3.0, 1, 2)] == [[0], [1]]


def test_stitch_leaves_zeros_and_takes_the_last_of_equal_indices():
    assert tf.dynamic_stitch([[0, 3]], [[1.0, 3.0]]).numpy().tolist() == [1.0, 0.0, 0.0, 3.0]
    assert tf.dynamic_stitch([[0, 0], [0]], [[1.0, 3.0], [2.0]]).numpy().tolist() == [2.0]
    stitched = tf.dynamic_stitch([1, [[0, 2]]], [[10, 11], [[[0, 1], [20, 21]]]])
    assert stitched.numpy().tolist() == [[0, 1], [10, 11], [20, 21]]


def test_gradients_of_partition_and_stitch():
    x, y = np.arange(6.0).reshape(3, 2), np.arange(2.0)
    assert gradient_error(lambda x: tf.concat(tf.dynamic_partition(x * x, [1, 0, 1], 3), 0), x) < 1e-6
    assert gradient_error(lambda x: tf.dynamic_stitch([[3, 0, 3], 1], [x * x, y]), x) < 1e-6
    assert gradient_error(lambda y: tf.dynamic_stitch([[3, 0, 3], 1], [x, y * y]), y) < 1e-6


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.dynamic_partition([1.0, 2.0], [0, 2], 2), tf.errors.InvalidArgumentError),
        (lambda: tf.dynamic_partition([1.0, 2.0], [0, -1], 2), tf.errors.InvalidArgumentError),
        (lambda: tf.dynamic_partition([1.0, 2.0], [0], 2), tf.errors.InvalidArgumentError),
        (lambda: tf.dynamic_partition([1.0, 2.0], [0, 0], 0), tf.errors.InvalidArgumentError),
        (lambda: tf.dynamic_partition([1.0, 2.0], [0.0, 1.0], 2), TypeError),
        (lambda: tf.dynamic_stitch([[-1]], [[1.0]]), tf.errors.InvalidArgumentError),
        (lambda: tf.dynamic_stitch([[0], [1]], [[1.0], [[2.0, 3.0]]]), tf.errors.InvalidArgumentError),
        (lambda: tf.dynamic_stitch([[0, 1]], [[1.0]]), tf.errors.InvalidArgumentError),
        (lambda: tf.dynamic_stitch([[0]], [[1.0], [2.0]]), ValueError),
        (lambda: tf.dynamic_stitch([], []), tf.errors.InvalidArgumentError),
        (lambda: tf.dynamic_stitch([[2**31 - 1]], [np.ones((1, 4096))]), tf.errors.InvalidArgumentError),
    ],
)
def test_bad_partitions_are_refused(call, error):
    with pytest.raises(error):
        call()


# --- scatters, slices, casts ---------------------------------------------------------------------------------------


def test_scatters_count_every_repeated_index():
    x, where, updates = [1.0, 2.0, 3.0], [[0], [0]], [5.0, 7.0]
    assert tf.tensor_scatter_nd_add(x, where, updates).numpy().tolist() == [13.0, 2.0, 3.0]
    assert tf.tensor_scatter_nd_sub(x, where, updates).numpy().tolist() == [-11.0, 2.0, 3.0]
    assert tf.tensor_scatter_nd_max(x, where, updates).numpy().tolist() == [7.0, 2.0, 3.0]
    assert tf.tensor_scatter_nd_min(x, where, [-5.0, 7.0]).numpy().tolist() == [-5.0, 2.0, 3.0]


def test_scatters_with_indices_of_depth_zero_take_whole_updates():
    whole = tf.tensor_scatter_nd_sub([1.0, 2.0], np.zeros((2, 0), np.int32), [[1.0, 1.0], [2.0, 0.0]])
    assert whole.numpy().tolist() == [-2.0, 1.0]


def test_ties_of_scatter_max_share_the_gradient():
    x, updates = tf.constant([1.0, 2.0, 3.0]), tf.constant([2.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch([x, updates])
        y = tf.tensor_scatter_nd_max(x, [[1], [1]], updates)
    of_x, of_updates = tape.gradient(y, [x, updates], [tf.constant([1.0, 6.0, 3.0])])
    assert of_x.numpy().tolist() == [1.0, 2.0, 3.0]
    assert of_updates.numpy().tolist() == [2.0, 2.0]


def test_bad_indices_are_ignored_on_request_only():
    x, updates = tf.constant([1.0, 2.0]), tf.constant([10.0, 20.0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.tensor_scatter_nd_add(x, [[5], [0]], updates)
    with tf.GradientTape() as tape:
        tape.watch(updates)
        y = tf.tensor_scatter_nd_add(x, [[5], [0]], updates, bad_indices_policy="IGNORE")
    assert y.numpy().tolist() == [21.0, 2.0]
    assert tape.gradient(y, updates).numpy().tolist() == [0.0, 1.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.tensor_scatter_nd_add(x, [[0], [0]], updates, bad_indices_policy="MAYBE")


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (([0, 1], [2, 4], [1, 2]), np.s_[0:2, 1:4:2]),
        (([1], [3]), np.s_[1:3]),
        (([-1, -1], [-4, -5], [-1, -1]), np.s_[::-1, ::-1]),
        (([0, 1], [2, 4], None, 2), np.s_[0:2, :4]),
        (([0, 1], [2, 4], None, 0, 1), np.s_[0:, 1:4]),
        (([0, 1], [2, 4], None, 0, 0, 1), np.s_[..., 1:4]),
        (([0, 1], [2, 4], None, 0, 0, 0, 1), np.s_[None, 1:4]),
        (([2, 1], [0, 4], None, 0, 0, 0, 0, 1), np.s_[2, 1:4]),
        (([1, 1], [9, 9]), np.s_[1:9, 1:9]),
        (([], []), np.s_[:]),
    ],
)
def test_strided_slice_is_indexing(arguments, key):
    x = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(tf.strided_slice(x, *arguments), x[key])


def test_a_strided_slice_of_a_variable_can_be_assigned():
    v = tf.Variable([1.0, 2.0, 3.0])
    tf.strided_slice(v, [1], [3], var=v).assign([7.0, 8.0])
    assert v.numpy().tolist() == [1.0, 7.0, 8.0]


@pytest.mark.parametrize(
    "settings",
    [
        {"begin": [0], "end": [2, 4]},
        {"begin": [0, 0, 0], "end": [1, 1, 1]},
        {"begin": [5], "end": [6], "shrink_axis_mask": 1},
        {"begin": [0], "end": [2], "strides": [0]},
        {"begin": [1], "end": [0], "strides": [-1], "shrink_axis_mask": 1},
        {"begin": [0, 1], "end": [2, 4], "ellipsis_mask": 3},
    ],
)
def test_bad_strided_slices_are_refused(settings):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.strided_slice(np.ones((3, 4)), **settings)


@pytest.mark.parametrize(
    ("values", "given", "target", "expected"),
    [
        ([300.0, -5.0, 1e20], tf.float32, tf.uint8, [255, 0, 255]),
        ([3e9, -3e9], tf.float32, tf.int32, [2147483520, -2147483648]),
        ([1e300, -1e300], tf.float64, tf.float32, [np.finfo(np.float32).max, np.finfo(np.float32).min]),
        ([-1, 300], tf.int32, tf.uint8, [0, 255]),
        ([-1, 7], tf.int64, tf.uint64, [0, 7]),
        ([1e30], tf.float64, tf.int64, [9223372036854774784]),
        ([300.0 + 1j], tf.complex64, tf.uint8, [255]),
        ([1e300 + 2j], tf.complex128, tf.complex64, [np.finfo(np.float32).max + 2j]),
    ],
)
def test_saturate_cast_stops_at_the_bounds(values, given, target, expected):
    result = tf.saturate_cast(tf.constant(values, given), target)
    assert result.dtype == target
    assert result.numpy().tolist() == np.array(expected).astype(target.as_numpy_dtype).tolist()


def test_saturate_cast_of_truth_values_is_refused():
    with pytest.raises(TypeError):
        tf.saturate_cast([True], tf.uint8)


def test_bitcast_moves_bits_between_axes():
    assert tf.bitcast([1.0, 2.0], tf.int32).numpy().tolist() == [1065353216, 1073741824]
    halves = tf.bitcast(tf.constant([1.0, 2.0], tf.float64), tf.int32)
    assert halves.shape == (2, 2)
    assert tf.bitcast(halves, tf.float64).numpy().tolist() == [1.0, 2.0]


def test_unravel_index_gives_one_row_for_each_axis():
    assert tf.unravel_index([2, 5, 7], [3, 3]).numpy().tolist() == [[0, 1, 2], [2, 2, 1]]


@pytest.mark.parametrize("traced", [False, True])
def test_bad_positions_are_ignored(traced):
    call = tf.function if traced else lambda f: f
    x, places, updates = tf.constant([1.0, 2.0, 3.0]), tf.constant([[0], [7], [-1]]), tf.constant([5.0, 6.0, 7.0])

    def scattered(name):
        return call(lambda x, i, u: getattr(tf, name)(x, i, u, bad_indices_policy="IGNORE"))(x, places, updates)

    gathered = call(lambda x, i: tf.gather_nd(x, i, bad_indices_policy="IGNORE"))(x, places)
    assert gathered.numpy().tolist() == [1.0, 0.0, 0.0]
    assert scattered("tensor_scatter_nd_add").numpy().tolist() == [6.0, 2.0, 3.0]
    assert scattered("tensor_scatter_nd_sub").numpy().tolist() == [-4.0, 2.0, 3.0]
    assert scattered("tensor_scatter_nd_max").numpy().tolist() == [5.0, 2.0, 3.0]
    assert scattered("tensor_scatter_nd_min").numpy().tolist() == [1.0, 2.0, 3.0]
    new = call(lambda i, u: tf.scatter_nd(i, u, [3], bad_indices_policy="IGNORE"))(places, updates)
    assert new.numpy().tolist() == [5.0, 0.0, 0.0]


def test_a_histogram_of_a_range_whose_width_is_beyond_its_type():
    values, ends = tf.constant([3e38, 100.0]), tf.constant([-1e38, 3e38])
    assert tf.histogram_fixed_width(values, ends, 2).numpy().tolist() == [1, 1]
    assert tf.histogram_fixed_width(values, ends, 1).numpy().tolist() == [2]
