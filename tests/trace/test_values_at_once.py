"""Functions that cannot wait for a value get it while a function is traced, wherever the value does not depend on the call."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf
from gradtape.trace import inference

Dataset = tf.data.Dataset


def total(dataset):
    return dataset.reduce(0.0, lambda s, element: s + tf.reduce_sum(element))


def whole(x):
    """A number that is computed from a tensor: 3."""
    return tf.cast(tf.reduce_max(x) * 0.0 + 3.0, tf.int64)


def pixels(x):
    return tf.cast(tf.reshape(x, [-1, 2, 1]) % 256.0, tf.uint8)


FUNCTIONS = {
    "from_tensor_slices": lambda x: total(Dataset.from_tensor_slices(x)),
    "a structure": lambda x: total(
        Dataset.from_tensor_slices({"a": x, "b": (x + 1.0, x)}).map(lambda d: d["b"][0] - d["a"])
    ),
    "from_tensors": lambda x: total(Dataset.from_tensors(x).unbatch().batch(2)),
    "from_list": lambda x: total(tf.data.experimental.from_list([x, x])),
    "map and batch": lambda x: total(Dataset.from_tensor_slices(x).map(lambda row: row * x[0]).batch(2)),
    "padded_batch": lambda x: total(Dataset.from_tensor_slices(x).padded_batch(2, [3], padding_values=x[0, 0] + 1.0)),
    "padded shapes": lambda x: total(Dataset.from_tensor_slices(x).padded_batch(2, whole(x)[None])),
    "shuffle": lambda x: total(Dataset.from_tensor_slices(x).shuffle(whole(x), seed=whole(x))),
    "sizes of steps": lambda x: total(Dataset.from_tensor_slices(x).skip(whole(x)).take(whole(x)).repeat(whole(x))),
    "range": lambda x: Dataset.range(whole(x)).reduce(np.int64(0), lambda s, element: s + element),
    "filter": lambda x: total(Dataset.from_tensor_slices(x).filter(lambda row: row[0] > x[1, 0])),
    "unique": lambda x: Dataset.from_tensor_slices(tf.cast(x[:, 0], tf.int32)).unique().reduce(0, lambda s, e: s + e),
    "from_generator": lambda x: total(
        Dataset.from_generator(
            lambda n: iter([1.0] * n), args=[whole(x)], output_signature=tf.TensorSpec([], tf.float32)
        )
    ),
    "ragged rows": lambda x: total(
        Dataset.from_tensor_slices(tf.RaggedTensor.from_row_lengths(x[:3, 0], [1, 2])).map(tf.reduce_sum)
    ),
    "serialize_tensor": lambda x: tf.io.serialize_tensor(x),
    "parse_tensor": lambda x: tf.io.parse_tensor(tf.io.serialize_tensor(x), tf.float32),
    "decode_csv": lambda x: tf.io.decode_csv(tf.strings.as_string(x[:, 0]), [x[0, :1]])[0],
    "encode_png": lambda x: tf.io.encode_png(pixels(x)),
    "encode_jpeg": lambda x: tf.io.encode_jpeg(pixels(x)),
    "decode_image": lambda x: tf.io.decode_image(tf.io.encode_png(pixels(x))),
    "encode_wav": lambda x: tf.audio.encode_wav(x, whole(x)),
    "decode_wav": lambda x: tf.audio.decode_wav(tf.audio.encode_wav(x, 8000)).audio,
    "sets": lambda x: tf.sets.union(tf.cast(x, tf.int32), tf.cast(x + 1.0, tf.int32)).values,
    "a set in a sparse tensor": lambda x: tf.sets.size(tf.sparse.from_dense(tf.cast(x[:4], tf.int32))),
    "a table": lambda x: tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.cast(x[:4, 0], tf.int64), x[:4, 1]), x[0, 0]
    ).lookup(tf.constant([0, 2, 7], tf.int64)),
    "a mutable table": lambda x: tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, x[1, 1]).lookup(
        tf.constant([1], tf.int64)
    ),
    "a ragged constant": lambda x: tf.ragged.constant([[x[0, 0], x[1, 0]], [x[2, 0]]]).flat_values,
    "a state of random numbers": lambda x: tf.random.create_rng_state(whole(x), 1),
    "MirrorPadGrad": lambda x: tf.raw_ops.MirrorPadGrad(
        input=x[:8, 0], paddings=tf.cast(x[:1] * 0.0 + 1.0, tf.int32), mode="REFLECT"
    ),
}


@pytest.mark.parametrize("known", [4096, 0])  # elements of a tensor from outside whose value is used while tracing
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_value_that_no_call_changes_is_there_at_once(name, known, monkeypatch):
    monkeypatch.setattr(inference, "_MOST_CAPTURED_ELEMENTS", known)
    function = FUNCTIONS[name]
    outside = tf.reshape(tf.range(12.0), [6, 2]) * 2.0
    captured = outside + 1.0
    expected = function(captured).numpy()
    for traced in (lambda: function(captured), lambda: function(outside + 1.0)):
        np.testing.assert_array_equal(tf.function(traced)().numpy(), expected)


def test_the_loop_over_a_dataset_of_computed_values():
    outside = tf.constant([[1.0, 2.0], [3.0, 4.0]]) * 2.0

    @tf.function
    def walk():
        found = 0.0
        for row in Dataset.from_tensor_slices(outside * 3.0):
            found += tf.reduce_sum(row)
        return found

    assert walk().numpy() == 60.0
    assert walk().numpy() == 60.0


def test_a_dataset_inside_a_function_has_the_values_of_variables_and_arguments_of_each_call():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function
    def rows(x):
        pairs = Dataset.from_tensor_slices((v * 2.0, x)).map(lambda a, b: a * b)
        return total(pairs), list(pairs.batch(2)), list(pairs.shuffle(2, seed=1).batch(2, drop_remainder=True))

    for value in (1.0, 5.0):
        v.assign(tf.fill([2, 2], value))
        x = tf.constant([10.0, 100.0])
        sum_of_all, (batch,), (shuffled,) = rows(x)
        assert sum_of_all.numpy() == 2 * value * 220
        np.testing.assert_array_equal(batch.numpy(), [[20 * value] * 2, [200 * value] * 2])
        np.testing.assert_array_equal(np.sort(shuffled.numpy(), 0), batch.numpy())


def test_a_variable_is_not_read_at_once():
    v = tf.Variable(3.0)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="has no value yet"):
        tf.function(
            lambda: tf.raw_ops.MirrorPadGrad(input=tf.ones([8]), paddings=tf.cast([[v, v]], tf.int32), mode="REFLECT")
        )()


CHANGING = {
    "an argument": lambda x, v: x,
    "a variable": lambda x, v: v * 1.0,
    "a draw": lambda x, v: tf.random.uniform([]),
    "a loop": lambda x, v: tf.while_loop(lambda i: i < 3.0, lambda i: [i + x], [x])[0],
}


@pytest.mark.parametrize("rows", [3, 5000])
@pytest.mark.parametrize("name", CHANGING)
def test_what_may_be_another_in_each_call_is_not_there_at_once(name, rows):
    outside, v = tf.ones([rows, 2]), tf.Variable(1.0)

    @tf.function
    def f(x):
        numbers = tf.cast(outside * CHANGING[name](x, v), tf.int64)
        return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(numbers[:, 0], numbers[:, 1]), 0).size()

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="known only when the function runs"):
        f(tf.constant(1.0))


@pytest.mark.parametrize("rows", [3, 5000])
def test_after_the_trace_a_tensor_of_it_has_no_value(rows):
    outside, kept = tf.ones([rows, 2]), []
    tf.function(lambda: kept.append(outside * 2.0))()
    with pytest.raises(tf.errors.InaccessibleTensorError):
        kept[0] + 1.0
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.io.serialize_tensor(kept[0])


def test_range_of_a_dataset_is_no_range_of_numbers():
    @tf.function
    def count(n):
        return Dataset.range(3).map(lambda i: i * n).reduce(np.int64(0), lambda s, i: s + i)

    assert count(tf.constant(2, tf.int64)).numpy() == 6


@pytest.mark.parametrize("name", ["left_right", "up_down"])
@pytest.mark.parametrize("shape", [(4, 3, 1), (6, 4, 3, 1)])
def test_random_flips_of_an_argument(name, shape):
    flip = getattr(tf.image, f"stateless_random_flip_{name}")
    image = tf.reshape(tf.range(float(np.prod(shape))), shape)
    traced = tf.function(flip)
    for seed in ([1, 2], [3, 4], [5, 6]):
        np.testing.assert_array_equal(traced(image, tf.constant(seed)), flip(image, tf.constant(seed)))
    tf.random.set_seed(1)
    drawn = tf.function(lambda x: getattr(tf.image, f"random_flip_{name}")(x, seed=3))(image)
    assert sorted(np.ravel(drawn)) == sorted(np.ravel(image))


@pytest.mark.parametrize("size", [4, 64])  # 12,288 elements are known by their shape while tracing
def test_an_image_is_stored_as_jpeg_when_the_function_runs(size):
    image = tf.image.convert_image_dtype(tf.reshape(tf.range(size * size * 3) % 251, [size, size, 3]), tf.float32)
    for store in (
        lambda x: tf.image.adjust_jpeg_quality(x, 50),
        lambda x: tf.image.stateless_random_jpeg_quality(x, 20, 80, [1, 2]),
    ):
        expected = store(image)
        np.testing.assert_array_equal(tf.function(lambda store=store: store(image))(), expected)
        np.testing.assert_array_equal(tf.function(store)(image), expected)
