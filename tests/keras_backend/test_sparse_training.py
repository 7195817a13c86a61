"""Training with sparse and ragged data, and updates of some rows of a variable."""

import numpy as np
import pytest
from keras import layers, metrics, models, ops, optimizers, utils

import gradtape as tf

DENSE = np.random.default_rng(0).random((20, 8)).astype("float32")
DENSE *= DENSE > 0.7
TARGET = DENSE.sum(1, keepdims=True)


def linear():
    model = models.Sequential([layers.Dense(1, kernel_initializer="zeros")])
    model.compile(optimizers.SGD(0.1), "mse")
    return model


def scipy_matrix():
    return pytest.importorskip("scipy.sparse").coo_matrix(DENSE)


@pytest.mark.parametrize("data", [lambda: tf.sparse.from_dense(DENSE), scipy_matrix])
def test_sparse_data_train_as_dense_data_do(data):
    x = data()
    ours, theirs = linear(), linear()
    history = ours.fit(x, TARGET, batch_size=6, epochs=2, shuffle=False, verbose=0).history
    wanted = theirs.fit(DENSE, TARGET, batch_size=6, epochs=2, shuffle=False, verbose=0).history
    np.testing.assert_allclose(history["loss"], wanted["loss"], rtol=1e-5)
    np.testing.assert_allclose(ours.predict(x, batch_size=6, verbose=0), theirs.predict(DENSE, verbose=0), rtol=1e-4)
    np.testing.assert_allclose(
        ours.evaluate(x, TARGET, verbose=0), theirs.evaluate(DENSE, TARGET, verbose=0), rtol=1e-4
    )
    ours.fit(x, TARGET, validation_split=0.25, verbose=0)


def test_ragged_data():
    rows = tf.ragged.constant([[1, 2], [3], [1, 1, 1], []])
    model = models.Sequential([layers.Embedding(4, 2, embeddings_initializer="ones"), layers.Lambda(lambda x: x * 2)])
    model.compile("sgd", lambda y, y_pred: tf.reduce_mean(y_pred.flat_values))
    before = model.predict(rows, batch_size=3, verbose=0)
    assert isinstance(before, tf.RaggedTensor)
    assert before.row_lengths().numpy().tolist() == [2, 1, 3, 0]
    model.fit(rows, rows, batch_size=2, verbose=0)
    assert float(model.predict(rows, verbose=0)[0, 0, 0]) < 2


def test_outputs_of_different_lengths_become_rows():
    model = models.Sequential([layers.Lambda(lambda x: x[:, : tf.shape(x)[0]])])
    found = model.predict(np.ones([5, 4], "float32"), batch_size=3, verbose=0)
    assert found.row_lengths().numpy().tolist() == [3, 3, 3, 2, 2]


def slices(values=((1.0, 2.0), (3.0, 4.0), (1.0, 1.0)), rows=(3, 0, 3)):
    return tf.IndexedSlices(tf.constant(values), tf.constant(rows), tf.constant([5, 2]))


OPTIMIZERS = [
    lambda: optimizers.SGD(0.1),
    lambda: optimizers.SGD(0.1, momentum=0.9),
    lambda: optimizers.SGD(0.1, clipnorm=0.5),
    lambda: optimizers.Adam(0.1),
    lambda: optimizers.Adam(0.1, amsgrad=True),
    lambda: optimizers.AdamW(0.1),
    lambda: optimizers.Adamax(0.1),
    lambda: optimizers.Nadam(0.1),
    lambda: optimizers.Lamb(0.1),
    lambda: optimizers.Adafactor(0.1),
    lambda: optimizers.RMSprop(0.1, momentum=0.5, centered=True),
    lambda: optimizers.RMSprop(0.1),
    lambda: optimizers.Adagrad(0.1),
    lambda: optimizers.Adadelta(0.1),
    lambda: optimizers.Ftrl(0.1),
    lambda: optimizers.Lion(0.1),
    lambda: optimizers.SGD(0.1, gradient_accumulation_steps=2),
    lambda: optimizers.LossScaleOptimizer(optimizers.SGD(0.1), initial_scale=2.0),
    lambda: optimizers.LossScaleOptimizer(optimizers.Adam(0.1), initial_scale=2.0),
]


@pytest.mark.parametrize("make", OPTIMIZERS)
def test_a_gradient_of_rows_does_what_the_dense_one_does(make):
    ours, theirs = (tf.keras.Variable(np.ones([5, 2], "float32")) for _ in range(2))
    other, another = (tf.keras.Variable(np.ones(3, "float32")) for _ in range(2))
    some, all_ = make(), make()
    for _ in range(3):
        some.apply([slices(), tf.ones([3])], [ours, other])
        all_.apply([tf.convert_to_tensor(slices()), tf.ones([3])], [theirs, another])
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)
    np.testing.assert_allclose(other, another, rtol=1e-5)


@pytest.mark.parametrize("make", OPTIMIZERS)
def test_a_gradient_of_rows_that_a_function_is_given(make):
    ours, theirs = (tf.keras.Variable(np.ones([5, 2], "float32")) for _ in range(2))
    traced, eager = make(), make()
    traced.build([ours])

    @tf.function
    def step(values, rows):
        traced.apply([tf.IndexedSlices(values, rows, tf.constant([5, 2]))], [ours])

    for rows in ([3, 0, 3], [1, 2, 4], [0, 0, 0]):
        given = slices(rows=rows)
        step(given.values, given.indices)
        eager.apply([given], [theirs])
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


@pytest.mark.parametrize("name", ["isfinite", "exp", "square", "logical_not"])
def test_an_op_on_rows_that_a_function_is_given(name):
    """Which rows there are is known only when the function runs: how many the result has, too."""
    op = getattr(ops, name)

    @tf.function
    def apply(values, rows):
        return tf.convert_to_tensor(op(tf.IndexedSlices(values, rows, tf.constant([5, 2]))))

    for rows in ([3, 0, 3], [1, 2, 4]):
        given = slices(rows=rows)
        np.testing.assert_allclose(apply(given.values, given.indices), op(tf.convert_to_tensor(given)), rtol=1e-6)


def test_an_embedding_learns_with_a_scaled_loss():
    losses = []
    for wrap in (lambda step: step, tf.function):
        utils.set_random_seed(0)
        model = models.Sequential([layers.Embedding(6, 3), layers.Flatten(), layers.Dense(1)])
        model(np.array([[0, 1]]))
        optimizer = optimizers.LossScaleOptimizer(optimizers.Adam(0.1))
        optimizer.build(model.trainable_variables)

        def step(x, model=model, optimizer=optimizer):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - 1.0) ** 2)
                scaled = optimizer.scale_loss(loss)
            gradients = tape.gradient(scaled, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return loss

        run = wrap(step)
        losses.append([float(run(tf.constant([[0, 1], [5, 5]]))) for _ in range(4)])
    eager, traced = losses
    np.testing.assert_allclose(traced, eager, rtol=1e-5)
    assert eager[-1] < eager[0] / 2


def test_only_the_named_rows_are_subtracted(monkeypatch):
    variable, seen = tf.keras.Variable(np.ones([5, 2], "float32")), []
    optimizer = optimizers.SGD(0.5)
    optimizer.build([variable])
    monkeypatch.setattr(optimizer, "assign_sub", lambda variable, value: seen.append(value))
    optimizer.apply([slices()], [variable])
    (change,) = seen
    assert isinstance(change, tf.IndexedSlices)
    np.testing.assert_array_equal(change.indices, [0, 3])
    np.testing.assert_array_equal(change.values, [[1.5, 2.0], [1.0, 1.5]])


def test_rows_beyond_the_variable_are_named():
    variable = tf.keras.Variable(np.ones([2, 2], "float32"))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[0, 2\)"):
        optimizers.SGD(0.5).apply([slices()], [variable])
    np.testing.assert_array_equal(variable, np.ones([2, 2]))


def steps_in_python(model, *data, **settings):
    """How often a step of training ran as plain Python, or to be recorded, in an epoch of eight batches."""
    runs, step = [], model.train_step

    def counted(batch):
        runs.append(1)
        return step(batch)

    model.train_step = counted
    model.fit(*data, batch_size=2, shuffle=False, verbose=0, **settings)
    return len(runs)


def rows_of_any_length(count):
    return tf.ragged.constant([[1 + (k * m) % 3 for m in range(1 + k % 4)] for k in range(count)])


def test_steps_on_sparse_and_ragged_data_are_recorded():
    model = linear()
    x = tf.sparse.from_dense(np.arange(16 * DENSE.shape[1]).reshape(16, -1) % 3.0)
    assert (
        steps_in_python(model, x, np.ones([16, *TARGET.shape[1:]])) <= 3
    )  # once in Python, and a recording for two sizes
    model = models.Sequential([layers.Embedding(4, 2), layers.Lambda(lambda rows: tf.reduce_mean(rows, axis=1))])
    model.compile("sgd", "mse", metrics=["mae"])
    assert steps_in_python(model, rows_of_any_length(16), np.ones([16, 2])) <= 3


def test_steps_on_text_and_with_a_metric_of_ones_own_are_recorded():
    class Largest(metrics.Metric):
        def __init__(self):
            super().__init__()
            self.most = self.add_weight(initializer="zeros", name="most")

        def update_state(self, y, y_pred, sample_weight=None):
            self.most.assign(tf.maximum(self.most, tf.reduce_max(tf.abs(y_pred))))

        def result(self):
            return self.most

    vectorize = layers.TextVectorization(output_mode="int", output_sequence_length=3)
    vectorize.adapt(["a b", "b c"])
    model = models.Sequential([vectorize, layers.Embedding(6, 2), layers.Flatten(), layers.Dense(1)])
    model.compile("adam", "mse", metrics=[Largest(), "mae"])
    texts = tf.constant([["a b"], ["b"], ["c a"], ["b b"]] * 4)
    assert steps_in_python(model, texts, np.ones([16, 1])) <= 2
