"""`fit`, `evaluate` and `predict`: how steps are run, and where data comes from."""

import threading

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras
layers = keras.layers


def model_of(seed=0, **settings):
    keras.utils.set_random_seed(seed)
    model = keras.Sequential(
        [keras.Input((4,)), layers.Dense(8, activation="relu"), layers.Dropout(0.2), layers.Dense(3)]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.05), loss, metrics=["accuracy"], **settings)
    return model


RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4)).astype("float32")
Y = X[:, :3].argmax(1).astype("int32")


def weights_after(model, *data, **settings):
    history = model.fit(*data, epochs=3, shuffle=False, verbose=0, **settings)
    return history.history, [w.numpy() for w in model.weights]


def test_traced_steps_do_what_plain_ones_do():
    traced, weights = weights_after(model_of(), X, Y)
    plain, others = weights_after(model_of(run_eagerly=True), X, Y)
    assert traced.keys() == plain.keys() == {"loss", "accuracy"}
    np.testing.assert_allclose(traced["loss"], plain["loss"], rtol=1e-5)
    for weight, other in zip(weights, others, strict=True):
        np.testing.assert_allclose(weight, other, rtol=1e-4, atol=1e-6)


def test_steps_have_the_bits_of_plain_ones_also_as_machine_code():
    def trained(**settings):
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input((4,)), layers.Dense(16, activation="tanh"), layers.Dense(3)])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.Adam(0.05), loss, **settings)
        for _ in range(40):  # (a step is machine code after 16 calls)
            model.train_on_batch(X[:32], Y[:32])
        return model

    traced, plain = trained(), trained(run_eagerly=True)
    for weight, other in zip(traced.weights, plain.weights, strict=True):
        np.testing.assert_array_equal(weight.numpy(), other.numpy())
    assert traced.jit_compile is False  # "auto"; who asks for True gets it
    assert model_of(jit_compile=True).jit_compile is True


def test_a_gradient_that_is_constant():
    """The compiled step knows it beforehand; the optimizer is given a tensor all the same."""

    class Total(keras.layers.Layer):
        def call(self, x):
            self.add_loss(keras.ops.sum(x))
            return x

    model = keras.Sequential([keras.layers.Dense(2), Total()])
    model.compile(optimizer="adam")
    history = model.fit(np.ones((16, 2), "float32"), np.zeros((16, 2), "float32"), batch_size=4, epochs=3, verbose=0)
    assert history.history["loss"][-1] < history.history["loss"][0]


def test_several_steps_in_one_execution_are_the_same_steps():
    class Count(keras.callbacks.Callback):
        seen = 0

        def on_train_batch_end(self, batch, logs=None):
            self.seen += 1

    count = Count()
    _, weights = weights_after(model_of(), X, Y, batch_size=10)
    _, others = weights_after(model_of(steps_per_execution=4), X, Y, batch_size=10, callbacks=[count])
    assert count.seen == 3 * 3
    for weight, other in zip(weights, others, strict=True):
        np.testing.assert_allclose(weight, other, rtol=1e-5, atol=1e-7)


def test_a_step_that_cannot_be_traced_runs_as_it_is():
    class Unusual(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(1)

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            float(tf.reduce_sum(data[0]))  # a value is wanted in the middle
            return super().train_step(data)

    model = Unusual()
    model.compile("sgd", "mse")
    with pytest.warns(UserWarning, match="could not be traced and runs as plain Python"):
        history = model.fit(X, X[:, :1], batch_size=10, epochs=2, verbose=0)
    assert history.history["loss"][1] < history.history["loss"][0]


def test_few_traces_for_many_batch_sizes():
    calls = []

    class Counting(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(1)

        def call(self, x):
            calls.append(1)
            return self.dense(x)

    model = Counting()
    model.compile("sgd", "mse")
    for size in range(2, 20):
        model.train_on_batch(X[:size], X[:size, :1])
    assert len(calls) <= 4


@pytest.mark.parametrize("kind", ["dataset", "generator", "py_dataset"])
def test_data_of_every_kind_trains_alike(kind):
    batches = [(X[i : i + 30], Y[i : i + 30]) for i in range(0, 90, 30)]

    class Batches(keras.utils.PyDataset):
        def __len__(self):
            return 3

        def __getitem__(self, index):
            return batches[index]

    def generator():
        while True:
            yield from batches

    data = {
        "dataset": lambda: (tf.data.Dataset.from_tensor_slices((X, Y)).batch(30),),
        "generator": lambda: (generator(),),
        "py_dataset": lambda: (Batches(),),
    }[kind]
    expected, weights = weights_after(model_of(), X, Y, batch_size=30)
    found, others = weights_after(model_of(), *data(), steps_per_epoch=3 if kind == "generator" else None)
    np.testing.assert_allclose(found["loss"], expected["loss"], rtol=1e-6)
    for weight, other in zip(weights, others, strict=True):
        np.testing.assert_array_equal(weight, other)


def test_a_dataset_serves_evaluation_and_prediction():
    model = model_of()
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(32)
    assert model.evaluate(data, verbose=0) == pytest.approx(model.evaluate(X, Y, verbose=0), rel=1e-5)
    np.testing.assert_allclose(model.predict(data, verbose=0), model.predict(X, verbose=0), rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="`y` should not be passed"):
        model.fit(data, Y, verbose=0)


def test_class_weights_work_with_datasets():
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(30)
    weighting = {0: 1.0, 1: 5.0, 2: 0.0}
    expected, _ = weights_after(model_of(), X, Y, batch_size=30, class_weight=weighting)
    found, _ = weights_after(model_of(), data, class_weight=weighting)
    np.testing.assert_allclose(found["loss"], expected["loss"], rtol=1e-6)


@pytest.mark.filterwarnings("ignore:Your input ran out of data")
def test_predicting_nothing_is_a_named_error():
    with pytest.raises(ValueError, match="no data"):
        model_of().predict(tf.data.Dataset.from_tensor_slices(X).take(0).batch(2), verbose=0)


def test_callbacks_run_in_the_thread_of_fit():
    threads = []

    class Watch(keras.callbacks.Callback):
        async_safe = True

        def on_train_batch_end(self, batch, logs=None):
            threads.append((threading.get_ident(), batch, sorted(logs)))

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.ones((6, 3)), np.ones(6), batch_size=2, verbose=0, callbacks=[Watch()])
    assert threads == [(threading.get_ident(), batch, ["loss"]) for batch in range(3)]


def test_the_same_seed_gives_the_same_run():
    assert weights_after(model_of(5), X, Y)[0] == weights_after(model_of(5), X, Y)[0]
    assert weights_after(model_of(5), X, Y)[0] != weights_after(model_of(6), X, Y)[0]


def test_float64_models_stay_in_float64():
    keras.config.set_dtype_policy("float64")
    try:
        model = keras.Sequential([keras.Input((4,)), layers.Dense(2, activation="tanh")])
        model.compile("adam", "mse")
        model.fit(X.astype("float64"), X[:, :2].astype("float64"), verbose=0)
        assert model.predict(X[:2], verbose=0).dtype == np.float64
        assert {w.dtype for w in model.weights} == {"float64"}
    finally:
        keras.config.set_dtype_policy("float32")


def test_outputs_whose_sizes_differ_between_batches_are_ragged():
    model = keras.Sequential([keras.Input((None, 1)), layers.Lambda(lambda x: 2.0 * x)])

    def batches():
        yield (np.ones((2, 3, 1), "float32"),)
        yield (np.ones((1, 2, 1), "float32"),)

    outputs = model.predict(batches(), steps=2, verbose=0)
    assert isinstance(outputs, tf.RaggedTensor)
    assert outputs.shape.as_list() == [3, None, 1]
    assert outputs.row_lengths().numpy().tolist() == [3, 3, 2]
    model = keras.Sequential([keras.Input((), dtype="string"), layers.Lambda(tf.strings.split, output_shape=(None,))])
    words = model.predict(tf.constant(["a b", "c", "d e f"]), batch_size=2, verbose=0)
    assert words.to_list() == [[b"a", b"b"], [b"c"], [b"d", b"e", b"f"]]
    assert model.predict_on_batch(tf.constant(["a b", "c"])).to_list() == [[b"a", b"b"], [b"c"]]
