"""The kernels that update variables in place do what Keras's own formulas do."""

import numpy as np
import pytest

import gradtape as tf
from keras_gradtape import fused

keras = tf.keras
OPTIMIZERS = {
    "sgd": lambda: keras.optimizers.SGD(0.1),
    "momentum": lambda: keras.optimizers.SGD(0.1, momentum=0.9),
    "nesterov": lambda: keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "adam": lambda: keras.optimizers.Adam(0.01),
    "amsgrad": lambda: keras.optimizers.Adam(0.01, amsgrad=True),
    "adamw": lambda: keras.optimizers.AdamW(0.01, weight_decay=0.1),
    "rmsprop": lambda: keras.optimizers.RMSprop(0.01),
    "rmsprop centered": lambda: keras.optimizers.RMSprop(0.01, momentum=0.9, centered=True),
    "rmsprop averaged": lambda: keras.optimizers.RMSprop(0.01, centered=True),
    "adagrad": lambda: keras.optimizers.Adagrad(0.1),
}


def run(make, dtype="float32"):
    rng = np.random.default_rng(0)
    shapes = ((130, 260), (5,), ())  # more than one block, less than one, and no axis
    variables = [keras.Variable(rng.normal(size=shape).astype(dtype)) for shape in shapes]
    optimizer = make()
    for _ in range(4):
        optimizer.apply([tf.constant(rng.normal(size=v.shape).astype(dtype)) for v in variables], variables)
    return [v.numpy() for v in [*variables, *optimizer.variables]]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_in_place_updates_follow_keras(name, dtype, monkeypatch):
    ours = run(OPTIMIZERS[name], dtype)
    monkeypatch.setattr(fused, "update", lambda *args: False)
    theirs = run(OPTIMIZERS[name], dtype)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=2e-5, atol=1e-6)


def test_an_update_of_ones_own_is_used():
    class Backwards(keras.optimizers.SGD):
        def update_step(self, gradient, variable, learning_rate):
            self.assign_add(variable, gradient)

    v = keras.Variable([1.0])
    Backwards(0.1).apply([tf.constant([2.0])], [v])
    assert v.numpy() == [3.0]


def test_variables_of_gradtape_are_trained_too():
    v = tf.Variable([1.0, 2.0])
    optimizer = keras.optimizers.Adam(0.1)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v**2)
        optimizer.apply_gradients(zip(tape.gradient(loss, [v]), [v], strict=True))
    np.testing.assert_allclose(v.numpy(), [0.70159, 1.70063], rtol=1e-5)


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad"])
def test_gradients_are_whatever_becomes_a_tensor(name, in_function):
    """Sums of gradients are kept in variables, or come as arrays from elsewhere."""
    found = []
    kept = tf.Variable([0.5, 0.25])
    for gradient in (tf.constant([0.5, 0.25]), kept, keras.Variable(kept), kept.numpy(), [0.5, 0.25]):
        v, optimizer = tf.Variable([1.0, 2.0]), getattr(keras.optimizers, name)(0.1)
        step = lambda: optimizer.apply_gradients([(gradient, v)])  # noqa: B023, E731
        (tf.function(step) if in_function else step)()
        found.append(v.numpy())
    np.testing.assert_allclose(found, [found[0]] * len(found), rtol=1e-6)
    assert found[0][0] < 1


def test_slices_of_an_embedding_are_applied_once_for_each_row():
    v = keras.Variable(np.zeros((4, 2), "float32"))
    with tf.GradientTape() as tape:
        y = tf.gather(v.value, [1, 1, 3])
    gradient = tape.gradient(y, v)
    assert isinstance(gradient, tf.IndexedSlices)
    keras.optimizers.SGD(1.0).apply([gradient], [v])
    np.testing.assert_array_equal(v.numpy()[:, 0], [0.0, -2.0, 0.0, -1.0])


def test_a_gradient_that_is_the_variable_itself_is_not_written_over():
    v = keras.Variable([1.0, 2.0])
    keras.optimizers.SGD(1.0).apply([v.value], [v])
    np.testing.assert_array_equal(v.numpy(), [0.0, 0.0])


@pytest.mark.parametrize("steps", [1, 5])
def test_inside_a_function_as_outside(steps):
    def train(wrap):
        v = keras.Variable([3.0, -2.0])
        optimizer = keras.optimizers.Adam(0.1, global_clipnorm=1.0)
        optimizer.build([v])

        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((v - x) ** 2)
            optimizer.apply(tape.gradient(loss, [v]), [v])
            return v * 1.0

        step = wrap(step)
        return [step(tf.constant(1.0)).numpy() for _ in range(steps)], v.numpy(), int(optimizer.iterations)

    ours, last, count = train(tf.function)
    plain, expected, _ = train(lambda step: step)
    np.testing.assert_allclose(ours, plain, rtol=1e-6)
    np.testing.assert_allclose(last, expected, rtol=1e-6)
    assert count == steps


@pytest.mark.parametrize("name", ["sgd", "adam", "rmsprop", "adagrad", "lion"])
def test_a_loop_of_a_function_reads_what_the_optimizer_has_changed(name):
    def trained(loop):
        optimizer, w = (
            keras.optimizers.get({"class_name": name, "config": {"learning_rate": 0.1}}),
            tf.Variable([1.0, -2.0]),
        )

        def train(rounds):
            loss = tf.constant(0.0)
            for _ in loop(rounds):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum((w - [3.0, 1.0]) ** 2)
                optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            return loss

        return train, w

    eager, expected = trained(range)
    traced, w = trained(tf.range)
    compiled = tf.function(traced)
    for rounds in (3, 2):
        np.testing.assert_allclose(compiled(tf.constant(rounds)), eager(rounds), rtol=1e-5)
        np.testing.assert_allclose(w, expected, rtol=1e-5)


def test_pairs_in_the_wrong_order_are_told_the_right_one():
    variable = tf.Variable(1.0)
    with pytest.raises(TypeError, match=r"apply_gradients\(zip\(gradients, variables\)\)"):
        keras.optimizers.SGD().apply_gradients([(variable, tf.constant(2.0))])
