"""Graphs carry unknown sizes: one trace serves every size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.traceable import traceable


def traced_once(function: Any, *specs: Any) -> Any:
    return tf.function(
        function, input_signature=[tf.TensorSpec(*spec) if isinstance(spec, tuple) else spec for spec in specs]
    )


def agree(function: Any, traced: Any, *values: Any) -> None:
    expected = tf.nest.flatten(function(*values))
    for a, b in zip(tf.nest.flatten(traced(*values)), expected, strict=True):
        assert (a is None) == (b is None)
        if b is not None:
            a, b = tf.convert_to_tensor(a), tf.convert_to_tensor(b)
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-5)
    assert traced.experimental_get_tracing_count() == 1


def gradient_of(function: Any) -> Any:
    def run(*values: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = function(*values)
        return tape.gradient(y, values)

    return run


W = tf.constant(np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32))
KERNEL = tf.constant(np.random.default_rng(1).normal(size=(3, 3, 2, 4)).astype(np.float32))

BATCHES = {
    "dense": lambda x: tf.nn.relu(x @ W),
    "softmax": lambda x: tf.nn.softmax(x),
    "mean over the batch": lambda x: x - tf.reduce_mean(x, axis=0, keepdims=True),
    "layer norm": lambda x: (
        (x - tf.reduce_mean(x, -1, keepdims=True)) / (tf.math.reduce_std(x, -1, keepdims=True) + 1.0)
    ),
    "reshape": lambda x: tf.reshape(tf.reshape(x, [-1]), [tf.shape(x)[0], 5]),
    "zeros of the size": lambda x: tf.zeros([tf.shape(x)[0], 5]) + x,
    "concat": lambda x: tf.concat([x, 2.0 * x], 0),
    "stack": lambda x: tf.stack([x, x * x], axis=1),
    "transpose": lambda x: tf.transpose(x) @ x,
    "pairs": lambda x: x[:, None, :] - x[None, :, :],
    "slices": lambda x: x[::2, 1:],
    "cumsum": lambda x: tf.cumsum(x, 0),
    "tile": lambda x: tf.tile(x, [2, 1]),
    "gather": lambda x: tf.gather(x, [0, 2], axis=1),
    "einsum": lambda x: tf.einsum("bi,ij->bj", x, W),
    "where": lambda x: tf.where(x > 0.0, x, 0.1 * x),
    "logsumexp": lambda x: tf.reduce_logsumexp(x, axis=1),
    "norm": lambda x: tf.norm(x + 3.0, axis=1),
    "size": lambda x: x / tf.cast(tf.size(x), tf.float32),
    "broadcast": lambda x: tf.broadcast_to(tf.reduce_sum(x, 1, keepdims=True), tf.shape(x)),
    "sort": lambda x: tf.sort(x, axis=1),
    "pad": lambda x: tf.pad(x, [[1, 1], [0, 2]]),
}


@pytest.mark.parametrize("name", BATCHES)
def test_every_batch_size(name):
    function = BATCHES[name]
    rng = np.random.default_rng(0)
    for program in (function, gradient_of(function)):
        traced = traced_once(program, ([None, 5], tf.float32))
        for size in (3, 1, 7, 32):
            agree(program, traced, tf.constant(rng.normal(size=(size, 5)).astype(np.float32)))


def test_no_rows_at_all():
    for name in ("dense", "softmax", "concat", "where", "reshape"):
        traced = traced_once(BATCHES[name], ([None, 5], tf.float32))
        agree(BATCHES[name], traced, tf.ones([0, 5]))
        agree(BATCHES[name], traced, tf.ones([2, 5]))


def test_what_is_known_shows():
    seen = []

    def f(x):
        seen.append([x.shape.as_list(), (x @ W).shape.as_list(), tf.shape(x), tf.reduce_sum(x, 0).shape.as_list()])
        return x

    traced_once(f, ([None, 5], tf.float32))(tf.ones([2, 5]))
    ((own, product, shape, total),) = seen
    assert own == [None, 5]
    assert product == [None, 3]
    assert isinstance(shape, tf.Tensor)
    assert total == [5]


def test_two_unknown_sizes():
    def f(x, y):
        return x + y, x * tf.reduce_sum(y)

    traced = traced_once(f, ([None], tf.float32), ([None], tf.float32))
    agree(f, traced, tf.ones([3]), tf.ones([3]))
    agree(f, traced, tf.ones([4]), tf.ones([1]))
    agree(f, traced, tf.ones([1]), tf.ones([6]))
    both = traced_once(gradient_of(lambda x, y: (x + y) ** 2), ([None], tf.float32), ([None], tf.float32))
    agree(gradient_of(lambda x, y: (x + y) ** 2), both, tf.ones([1]), tf.constant([1.0, 2.0, 3.0]))
    agree(gradient_of(lambda x, y: (x + y) ** 2), both, tf.ones([3]), tf.constant([1.0, 2.0, 3.0]))


def test_unknown_sizes_that_must_be_equal_to_known_ones():
    def f(x):
        return tf.reduce_sum(x @ W, axis=1), x + tf.ones([5])

    traced = traced_once(f, ([None, None], tf.float32))
    agree(f, traced, tf.ones([2, 5]))
    agree(f, traced, tf.ones([4, 5]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        traced(tf.ones([2, 4]))


def test_images():
    def f(x):
        y = tf.nn.relu(tf.nn.conv2d(x, KERNEL, 1, "SAME"))
        y = tf.nn.max_pool2d(y, 2, 2, "VALID")
        return tf.reduce_mean(y, axis=[1, 2])

    traced = traced_once(f, ([None, None, None, 2], tf.float32))
    rng = np.random.default_rng(0)
    for shape in ((1, 8, 8, 2), (3, 6, 10, 2)):
        agree(f, traced, tf.constant(rng.normal(size=shape).astype(np.float32)))
    gradients = traced_once(gradient_of(f), ([None, 8, 8, 2], tf.float32))
    for size in (1, 4):
        agree(gradient_of(f), gradients, tf.constant(rng.normal(size=(size, 8, 8, 2)).astype(np.float32)))


def test_jacobians():
    def jacobian(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.tanh(x @ W)
        return tape.jacobian(y, x), tape.batch_jacobian(y, x)

    traced = traced_once(jacobian, ([None, 5], tf.float32))
    for size in (2, 1, 4):
        agree(jacobian, traced, tf.ones([size, 5]) * 0.1)


def test_second_order():
    def hessian(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(x**3) * tf.reduce_sum(x)
            gradient = tape.gradient(y, x)
        return outer.jacobian(gradient, x)

    traced = traced_once(hessian, ([None], tf.float32))
    for size in (2, 1, 5):
        agree(hessian, traced, tf.range(1.0, size + 1.0))


def test_sizes_that_depend_on_values():
    def f(x):
        chosen = tf.boolean_mask(x, x > 0.0)
        places = tf.where(x > 0.0)
        values, _ = tf.unique(x)
        return chosen * 2.0, places, values, tf.zeros([tf.shape(chosen)[0], 2]), x[x > 0.0]

    traced = traced_once(f, ([None], tf.float32))
    agree(f, traced, tf.constant([1.0, -1.0, 2.0, 1.0]))
    agree(f, traced, tf.constant([-1.0]))

    def g(n):
        return tf.range(n), tf.ones([n, 2]), tf.reshape(tf.range(n * 2), [n, 2])

    counted = tf.function(g)
    for n in (1, 3, 5):
        agree(g, counted, tf.constant(n))


def test_unknown_rank():
    def f(x):
        return tf.reduce_sum(x * 2.0), x + 1.0

    seen = []

    def watched(x):
        seen.append(x.shape.rank)
        return f(x)

    traced = traced_once(watched, (None, tf.float32))
    for shape in ((), (3,), (2, 2), (1, 2, 3)):
        np.testing.assert_allclose(traced(tf.ones(shape))[1].numpy(), 2 * np.ones(shape))
    assert seen == [None]


def test_control_flow():
    def f(x):
        total = tf.zeros([5])
        for row in x:
            if tf.reduce_sum(row) > 0.0:
                total += row
            else:
                total -= row
        return total

    traced = traced_once(f, ([None, 5], tf.float32))
    rng = np.random.default_rng(0)
    for size in (1, 3, 6):
        agree(f, traced, tf.constant(rng.normal(size=(size, 5)).astype(np.float32)))
    around = gradient_of(traced)(tf.ones([2, 5]))[0]
    np.testing.assert_allclose(around.numpy(), np.ones((2, 5)))


def test_what_follows_from_a_made_up_value_is_no_constant():
    @traceable
    def is_positive(numbers):
        return tf.constant(int(tf.reduce_sum(numbers)) > 0)

    traced = traced_once(is_positive, ([None], tf.int32))
    assert [bool(traced(tf.constant([number]))) for number in (-1, 3)] == [False, True]


@pytest.mark.parametrize("shape", [[None, None, None], None])
@pytest.mark.parametrize("axis", [0, 1, -2])
def test_boolean_mask_with_a_mask_that_is_known(shape, axis):
    mask = np.array([True, False, True])
    x = tf.reshape(tf.range(27.0), [3, 3, 3])
    traced = tf.function(lambda x: tf.boolean_mask(x, mask, axis=axis), input_signature=[tf.TensorSpec(shape)])
    np.testing.assert_array_equal(traced(x).numpy(), tf.boolean_mask(x, mask, axis=axis).numpy())
    np.testing.assert_array_equal(gradient_of(traced)(x)[0].numpy().sum(), 18)
    with pytest.raises(ValueError, match="incompatible"):
        traced(tf.ones([4, 4, 4]))


def test_a_jacobian_where_ranks_are_unknown():
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.jacobian(y, x)

    np.testing.assert_array_equal(f(tf.constant([1.0, 2.0])).numpy(), [[2, 0], [0, 4]])
    assert f(tf.ones([2, 3])).shape == [2, 3, 2, 3]


BOX = [[0.0, 0.0, 1.0, 1.0]]
BLOCKS = tf.reshape(tf.range(4.0), [4, 1, 1, 1])
IMAGE = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
SPARSE = tf.sparse.from_dense([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
# Calls with an operand of which only one shape fits: what it is given, and what does not fit.
OF_ONE_SHAPE = {
    "a seed": (lambda seed: tf.random.stateless_uniform([2], seed), [1, 2], [1, 2, 3]),
    "a seed of normal numbers": (lambda seed: tf.random.stateless_normal([2], seed), [1, 2], [1]),
    "a seed that is split": (lambda seed: tf.random.split(seed, 3), [1, 2], [1]),
    "a seed that is folded in": (lambda seed: tf.random.fold_in(seed, 3), [1, 2], [1]),
    "a size of crops": (lambda n: tf.image.crop_and_resize(tf.ones([1, 4, 4, 2]), BOX, [0], n), [2, 3], [2]),
    "which image": (lambda i: tf.image.crop_and_resize(tf.ones([1, 4, 4, 2]), BOX, i, [2, 2]), [0], [5]),
    "which image, negative": (lambda i: tf.image.crop_and_resize(tf.ones([1, 4, 4, 2]), BOX, i, [2, 2]), [0], [-1]),
    "crops": (lambda crops: tf.batch_to_space(BLOCKS, [2, 2], crops), [[0, 1], [0, 0]], [[0, 0]]),
    "paddings": (lambda pads: tf.space_to_batch(IMAGE, [2, 2], pads), [[0, 2], [2, 0]], [[0, 1], [0, 0]]),
    "a sparse shape": (lambda shape: tf.sparse.to_dense(tf.sparse.reshape(SPARSE, shape)), [3, 2], [4, 2]),
    "a sparse shape, one left out": (lambda s: tf.sparse.to_dense(tf.sparse.reshape(SPARSE, s)), [-1, 2], [-1, -1]),
    "a sparse part": (lambda start: tf.sparse.to_dense(tf.sparse.slice(SPARSE, start, [1, 2])), [0, 1], [0]),
    "counts": (lambda counts: tf.repeat(tf.constant([1.0, 2.0]), counts), [1, 2], [1, -2]),
    "an offset": (lambda n: tf.image.crop_to_bounding_box(tf.ones([1, 4, 4, 2]), n, 0, 2, 2), 1, 3),
    "a target": (lambda n: tf.image.pad_to_bounding_box(tf.ones([1, 4, 4, 2]), 0, 0, n, 9), 9, 2),
}


@pytest.mark.parametrize("name", OF_ONE_SHAPE)
def test_operands_of_one_shape(name):
    call, fits, wrong = OF_ONE_SHAPE[name]
    fits, wrong = (tf.constant(value, tf.int64 if "sparse" in name else tf.int32) for value in (fits, wrong))
    expected = call(fits).numpy()
    unknown = [None, [None] * fits.shape.rank]
    functions = [tf.function(call, input_signature=[tf.TensorSpec(shape, fits.dtype)]) for shape in unknown]
    for function in (tf.function(call), *functions):
        np.testing.assert_array_equal(function(fits), expected)
        with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError)):
            function(wrong)


def test_what_is_shuffled_may_be_of_any_rank():
    shuffled = tf.function(lambda x: tf.random.shuffle(x, seed=1), input_signature=[tf.TensorSpec(None)])
    for shape in ([5], [3, 2], [], [4, 1, 2]):
        x = tf.reshape(tf.range(float(np.prod(shape))), shape)
        assert sorted(shuffled(x).numpy().ravel()) == sorted(x.numpy().ravel())
