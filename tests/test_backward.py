"""The backward pass: what it touches, what it adds up, and what it gives for sources it does not reach."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.differentiation import backward

pytestmark = pytest.mark.quick


def test_only_records_between_target_and_sources_are_run():
    calls = []

    def noted(name):
        @tf.custom_gradient
        def function(x):
            def grad(g):
                calls.append(name)
                return g

            return x, grad

        return function

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        before = noted("before")(x)
        on = noted("on")(before)
        noted("aside")(before)
        noted("after")(on)
    assert tape.gradient(on, before).numpy() == 1.0
    assert calls == ["on"]


def test_each_record_is_run_once_however_many_paths_lead_to_it():
    calls = []

    @tf.custom_gradient
    def noted(x):
        def grad(g):
            calls.append(g.numpy())
            return g

        return x, grad

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = noted(x)
        for _ in range(30):
            y = y + y
    tape.gradient(y, x)
    assert calls == [2.0**30]


def test_slices_concatenate_and_slices_with_dense_are_dense():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape(persistent=True) as tape:
        first, second = tf.gather(table, [0, 2]), tf.gather(table, [2])
        rows = tf.reduce_sum(first) + 10.0 * tf.reduce_sum(second)
        mixed = rows + tf.reduce_sum(table)
    slices = tape.gradient(rows, table)
    assert isinstance(slices, tf.IndexedSlices)
    assert slices.indices.numpy().tolist() == [0, 2, 2]
    assert tf.convert_to_tensor(slices).numpy().tolist() == [[1.0, 1.0], [0.0, 0.0], [11.0, 11.0]]
    dense = tape.gradient(mixed, table)
    assert isinstance(dense, tf.Tensor)
    assert dense.numpy().tolist() == [[2.0, 2.0], [1.0, 1.0], [12.0, 12.0]]


@pytest.mark.parametrize(
    "rearrange",
    [
        lambda v: tf.boolean_mask(v, [True, False]),
        lambda v: tf.reverse(v, [0]),
        lambda v: tf.roll(v, 1, 0),
        lambda v: tf.gather(v, [0], axis=1),
        lambda v: v[tf.constant([1, 0])],
        lambda v: tf.repeat(v, 2, axis=0),
        lambda v: tf.pad(v, [[1, 1], [0, 0]], mode="REFLECT"),
    ],
)
def test_only_lookups_give_slices(rearrange):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = rearrange(v)
    assert isinstance(tape.gradient(y, v), tf.Tensor)


def test_an_op_with_several_outputs_gets_zeros_for_those_not_used():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first, second = tf.split(x, 2)
        third = second * second
    assert tape.gradient(third, x).numpy().tolist() == [0.0, 0.0, 6.0, 8.0]
    assert tape.gradient(first, x).numpy().tolist() == [1.0, 1.0, 0.0, 0.0]
    assert tape.gradient([first, third], x).numpy().tolist() == [1.0, 1.0, 6.0, 8.0]


def test_no_cotangent_is_added_up_in_place():
    x = tf.constant([1.0, 2.0])
    seed = tf.constant([1.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b = tf.identity(x), tf.identity(x)
        y = a + b
    for _ in range(2):
        grads = tape.gradient(y, [a, b, x], output_gradients=seed)
        assert [g.numpy().tolist() for g in grads] == [[1.0, 1.0], [1.0, 1.0], [2.0, 2.0]]
    assert seed.numpy().tolist() == [1.0, 1.0]


def test_gradients_that_are_equal_arrays_do_not_share_changes():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        a = x + 1.0
        y = a + 1.0
    first, second = tape.gradient(y, [a, x])
    first.numpy()[...] = 7.0
    assert second.numpy().tolist() == [1.0, 1.0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "string", "bool"])
def test_unconnected_zeros_have_the_sources_shape_and_type(dtype):
    source = tf.constant(["a", "b"]) if dtype == "string" else tf.cast([1, 0], dtype)
    with tf.GradientTape() as tape:
        tape.watch(tf.constant(1.0))
        y = tf.constant(2.0)
    zeros = tape.gradient(y, source, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert (zeros.dtype, zeros.shape) == (source.dtype, source.shape)
    assert not np.any(zeros.numpy())


def test_an_unknown_choice_for_unconnected_is_a_value_error():
    with pytest.raises(ValueError, match="ZERO"):
        backward.checked_unconnected("nonsense")
    assert backward.checked_unconnected("zero") is tf.UnconnectedGradients.ZERO


@pytest.mark.parametrize("seed", [1.0, 2, 1 + 0j])
def test_python_numbers_are_weights_too(seed):
    z = tf.constant(3.0 + 0j)
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = z * z
    np.testing.assert_allclose(tape.gradient(y, z, output_gradients=[seed]).numpy(), 6.0 * seed)


def test_a_weight_of_another_type_is_refused():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(tf.errors.InvalidArgumentError, match="cast"):
        tape.gradient(y, x, output_gradients=tf.constant(1.0, tf.float64))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("reduce", [tf.reduce_sum, tf.reduce_mean, lambda y: tf.reduce_sum(y, axis=0)])
def test_the_square_of_many_has_the_same_gradient_under_every_sum(reduce, dtype):
    x = tf.cast([[1.0, -2.0], [0.0, 3.0]], dtype)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        squared, product = reduce(tf.square(x)), reduce(x * x)
    assert tape.gradient(squared, x).dtype == dtype
    assert tape.gradient(squared, x).numpy().tolist() == tape.gradient(product, x).numpy().tolist()


def test_a_large_loss_scale_does_not_overflow_in_the_square_of_small_numbers():
    x = tf.constant([0.5, 0.25], tf.float16)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.cast(tf.reduce_sum(tf.square(x)), tf.float32) * 2.0**15
    assert tape.gradient(loss, x).numpy().tolist() == [2.0**15, 2.0**14]


def test_the_cotangent_of_a_sum_cannot_be_written_to():
    x = tf.ones([2, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x)
    gradient = tape.gradient(y, x)
    assert gradient.numpy().tolist() == [[1.0] * 3] * 2
    assert not gradient._array.flags.writeable
