"""Keras variables are variables of gradtape, to tapes and to everything else."""

import copy
import pickle

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras


def test_a_variable_is_one_of_both_libraries():
    v = keras.Variable([1.0, 2.0], name="v")
    assert isinstance(v, tf.Variable)
    assert type(v).__module__ == "keras.src.backend"
    assert (v.name, v.path, v.shape, v.ndim, len(v)) == ("v", "v", (2,), 1, 2)
    assert v.dtype == "float32"
    assert v.dtype.is_floating
    np.testing.assert_array_equal((v * 2).numpy(), [2.0, 4.0])
    np.testing.assert_array_equal(tf.square(v).numpy(), [1.0, 4.0])


def test_tapes_follow_it_when_it_is_read():
    v, w = keras.Variable(3.0), keras.Variable(2.0)
    frozen = keras.Variable(5.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v * w * frozen
    assert [x is y for x, y in zip(tape.watched_variables(), (v, w), strict=True)] == [True, True]
    assert [None if g is None else float(g) for g in tape.gradient(y, [v, w, frozen])] == [60.0, 45.0, None]


def test_a_value_that_was_read_stays_when_the_variable_changes():
    v = keras.Variable(np.arange(4.0, dtype="float32"))
    optimizer = keras.optimizers.SGD(1.0)
    before = v.value
    view = np.asarray(before)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(v**2)
    optimizer.apply([tf.ones(4)], [v])
    np.testing.assert_array_equal(before.numpy(), [0.0, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(view, [0.0, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(v.numpy(), [-1.0, 0.0, 1.0, 2.0])
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), [0.0, 2.0, 4.0, 6.0])


def test_an_update_writes_where_nobody_looks():
    v = keras.Variable(np.zeros(8, "float32"))
    optimizer = keras.optimizers.Adam(0.1)
    optimizer.apply([tf.ones(8)], [v])
    array = v._value._array.__array_interface__["data"]
    optimizer.apply([tf.ones(8)], [v])
    assert v._value._array.__array_interface__["data"] == array


def test_assigning_checks_the_shape_and_casts():
    v = keras.Variable([1.0, 2.0])
    v.assign(np.array([3, 4]))
    assert v.value.dtype == tf.float32
    with pytest.raises(ValueError, match="must match"):
        v.assign([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(v.numpy(), [3.0, 4.0])


def test_copies_have_a_life_of_their_own():
    v = keras.Variable([1.0, 2.0], name="v")
    for twin in (copy.copy(v), copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        twin.assign([5.0, 6.0])
        np.testing.assert_array_equal(v.numpy(), [1.0, 2.0])
        with tf.GradientTape() as tape:
            y = twin * 2.0
        assert tape.gradient(y, v) is None


def test_a_stateless_scope_changes_nothing():
    v = keras.Variable(1.0)
    with keras.StatelessScope([(v, tf.constant(4.0))]) as scope:
        assert float(v.value) == 4.0
        v.assign(7.0)
        assert float(v.value) == 7.0
    assert float(scope.get_current_value(v)) == 7.0
    assert float(v.value) == 1.0


def test_the_jacobian_of_a_model_in_its_weights():
    layer = keras.layers.Dense(2, use_bias=False)
    x = tf.constant([[1.0, 2.0, 3.0]])
    layer(x)
    with tf.GradientTape() as tape:
        y = layer(x)
    jacobian = tape.jacobian(y, layer.kernel)
    assert jacobian.shape == (1, 2, 3, 2)
    np.testing.assert_array_equal(jacobian[0, 1].numpy(), [[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])


def test_second_derivatives_go_through_layers():
    layer = keras.layers.Dense(1, activation="tanh", kernel_initializer="ones")
    x = tf.constant([[0.3, 0.1]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = layer(x)
        slope = inner.gradient(y, x)
    second = outer.gradient(slope, x).numpy()
    t = np.tanh(0.4)
    np.testing.assert_allclose(second, np.full((1, 2), 2 * -2 * t * (1 - t * t)), rtol=1e-5)


def test_predict_gives_no_gradient_and_the_error_says_so():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    x = np.ones((1, 2), "float32")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.constant(model.predict(x, verbose=0)))
    gradients = tape.gradient(loss, model.trainable_variables)
    assert gradients == [None, None]
    with pytest.raises(ValueError, match=r"model\.predict\(x\)` returns NumPy arrays"):
        keras.optimizers.SGD(0.1).apply_gradients(zip(gradients, model.trainable_variables, strict=True))


def test_models_work_inside_a_function():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, activation="relu"), keras.layers.Dense(1)])
    optimizer = keras.optimizers.Adam(0.05)
    x, y = np.random.default_rng(0).normal(size=(16, 3)).astype("float32"), np.ones((16, 1), "float32")
    traces = []

    @tf.function
    def step(x, y):
        traces.append(1)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        return loss

    losses = [float(step(tf.constant(x), tf.constant(y))) for _ in range(40)]
    assert losses[-1] < 0.2 * losses[0]
    assert len(traces) <= 2
    assert int(optimizer.iterations) == 40
