"""Programs as users write them, after Keras's guides: each trains something small and must get better at it."""

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras
layers = keras.layers


@pytest.fixture(autouse=True)
def _same_numbers_each_time():
    keras.utils.set_random_seed(3)


def digits(count=400):
    (images, labels), _ = keras.datasets.digits.load_data()
    return images[:count].astype("float32") / 16.0, labels[:count].astype("int32")


def test_a_subclassed_model_with_a_layer_of_its_own():
    class Linear(layers.Layer):
        def __init__(self, units):
            super().__init__()
            self.units = units

        def build(self, input_shape):
            self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="glorot_uniform")
            self.b = self.add_weight(shape=(self.units,), initializer="zeros")

        def call(self, inputs):
            return tf.matmul(inputs, self.w) + self.b

    class Classifier(keras.Model):
        def __init__(self):
            super().__init__()
            self.flatten = layers.Flatten()
            self.hidden = Linear(32)
            self.scores = Linear(10)

        def call(self, inputs, training=False):
            x = tf.nn.relu(self.hidden(self.flatten(inputs)))
            if training:
                x = tf.nn.dropout(x, 0.1)
            return self.scores(x)

    x, y = digits()
    model = Classifier()
    model.compile(
        keras.optimizers.Adam(0.01),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(x, y, epochs=6, verbose=0)
    assert history.history["accuracy"][-1] > 0.9
    assert [w.shape for w in model.trainable_weights] == [(64, 32), (32,), (32, 10), (10,)]


def test_a_custom_loop_over_a_model():
    x, y = digits()
    model = keras.Sequential([keras.Input((8, 8)), layers.Flatten(), layers.Dense(10)])
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.SGD(0.5, momentum=0.9)
    accuracy = keras.metrics.SparseCategoricalAccuracy()
    for _ in range(4):
        accuracy.reset_state()
        for start in range(0, len(x), 50):
            images, labels = x[start : start + 50], y[start : start + 50]
            with tf.GradientTape() as tape:
                logits = model(images, training=True)
                loss = loss_fn(labels, logits)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            accuracy.update_state(labels, logits)
    assert float(accuracy.result()) > 0.9
    assert int(optimizer.iterations) == 32
    assert tape.watched_variables() == tuple(model.trainable_variables)


def test_the_functional_api_with_several_inputs_and_outputs():
    title = keras.Input((12,), dtype="int32", name="title")
    tags = keras.Input((4,), name="tags")
    features = layers.Concatenate()([layers.LSTM(8)(layers.Embedding(20, 6)(title)), tags])
    priority = layers.Dense(1, activation="sigmoid", name="priority")(features)
    department = layers.Dense(3, activation="softmax", name="department")(features)
    model = keras.Model([title, tags], {"priority": priority, "department": department})
    model.compile(
        keras.optimizers.Adam(0.02),
        {"priority": "binary_crossentropy", "department": "categorical_crossentropy"},
        loss_weights={"priority": 1.0, "department": 0.2},
    )
    rng = np.random.default_rng(0)
    titles, tag_data = rng.integers(0, 20, (64, 12)), rng.integers(0, 2, (64, 4)).astype("float32")
    targets = {"priority": tag_data[:, :1], "department": np.eye(3)[tag_data[:, :3].argmax(1)]}
    history = model.fit({"title": titles, "tags": tag_data}, targets, epochs=8, batch_size=16, verbose=0)
    assert history.history["loss"][-1] < 0.8 * history.history["loss"][0]
    answers = model.predict({"title": titles, "tags": tag_data}, verbose=0)
    assert answers["priority"].shape == (64, 1)
    assert answers["department"].shape == (64, 3)


def test_a_gan_with_a_training_step_of_its_own():
    class GAN(keras.Model):
        def __init__(self, discriminator, generator, latent_dim):
            super().__init__()
            self.discriminator, self.generator, self.latent_dim = discriminator, generator, latent_dim
            self.d_loss_tracker = keras.metrics.Mean(name="d_loss")
            self.g_loss_tracker = keras.metrics.Mean(name="g_loss")
            self.seed_generator = keras.random.SeedGenerator(1)

        @property
        def metrics(self):
            return [self.d_loss_tracker, self.g_loss_tracker]

        def compile(self, d_optimizer, g_optimizer, loss_fn):
            super().compile()
            self.d_optimizer, self.g_optimizer, self.loss_fn = d_optimizer, g_optimizer, loss_fn

        def train_step(self, real):
            batch = tf.shape(real)[0]
            noise = keras.random.normal((batch, self.latent_dim), seed=self.seed_generator)
            combined = tf.concat([self.generator(noise), real], axis=0)
            labels = tf.concat([tf.ones((batch, 1)), tf.zeros((batch, 1))], axis=0)
            with tf.GradientTape() as tape:
                d_loss = self.loss_fn(labels, self.discriminator(combined))
            grads = tape.gradient(d_loss, self.discriminator.trainable_weights)
            self.d_optimizer.apply_gradients(zip(grads, self.discriminator.trainable_weights, strict=True))
            with tf.GradientTape() as tape:
                g_loss = self.loss_fn(tf.zeros((batch, 1)), self.discriminator(self.generator(noise)))
            grads = tape.gradient(g_loss, self.generator.trainable_weights)
            self.g_optimizer.apply_gradients(zip(grads, self.generator.trainable_weights, strict=True))
            self.d_loss_tracker.update_state(d_loss)
            self.g_loss_tracker.update_state(g_loss)
            return {"d_loss": self.d_loss_tracker.result(), "g_loss": self.g_loss_tracker.result()}

    discriminator = keras.Sequential([keras.Input((2,)), layers.Dense(16, activation="relu"), layers.Dense(1)])
    generator = keras.Sequential([keras.Input((3,)), layers.Dense(16, activation="relu"), layers.Dense(2)])
    gan = GAN(discriminator, generator, 3)
    gan.compile(
        keras.optimizers.Adam(0.01), keras.optimizers.Adam(0.01), keras.losses.BinaryCrossentropy(from_logits=True)
    )
    real = np.random.default_rng(0).normal([4.0, -3.0], 0.5, (512, 2)).astype("float32")
    history = gan.fit(real, epochs=25, batch_size=64, verbose=0)
    assert set(history.history) == {"d_loss", "g_loss"}
    drawn = generator(keras.random.normal((256, 3), seed=5)).numpy().mean(0)
    assert drawn[0] > 1.0
    assert drawn[1] < -1.0


def test_a_variational_autoencoder():
    class Sampling(layers.Layer):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.seed_generator = keras.random.SeedGenerator(1)

        def call(self, inputs):
            mean, log_var = inputs
            return mean + keras.ops.exp(0.5 * log_var) * keras.random.normal(
                keras.ops.shape(mean), seed=self.seed_generator
            )

    image = keras.Input((64,))
    hidden = layers.Dense(32, activation="relu")(image)
    mean, log_var = layers.Dense(2)(hidden), layers.Dense(2)(hidden)
    encoder = keras.Model(image, [mean, log_var, Sampling()([mean, log_var])])
    decoder = keras.Sequential(
        [keras.Input((2,)), layers.Dense(32, activation="relu"), layers.Dense(64, activation="sigmoid")]
    )

    class VAE(keras.Model):
        def __init__(self, encoder, decoder):
            super().__init__()
            self.encoder, self.decoder = encoder, decoder
            self.tracker = keras.metrics.Mean(name="loss")

        @property
        def metrics(self):
            return [self.tracker]

        def train_step(self, data):
            with tf.GradientTape() as tape:
                mean, log_var, z = self.encoder(data)
                rebuilt = tf.reduce_mean(
                    tf.reduce_sum(keras.losses.binary_crossentropy(data[..., None], self.decoder(z)[..., None]), 1)
                )
                divergence = -0.5 * tf.reduce_mean(tf.reduce_sum(1 + log_var - tf.square(mean) - tf.exp(log_var), 1))
                loss = rebuilt + divergence
            grads = tape.gradient(loss, self.trainable_weights)
            self.optimizer.apply_gradients(zip(grads, self.trainable_weights, strict=True))
            self.tracker.update_state(loss)
            return {"loss": self.tracker.result()}

    x, _ = digits()
    vae = VAE(encoder, decoder)
    vae.compile(optimizer=keras.optimizers.Adam(0.01))
    history = vae.fit(x.reshape(-1, 64), epochs=5, batch_size=50, verbose=0).history["loss"]
    assert history[-1] < 0.8 * history[0]


def test_a_transformer_block_as_a_text_classifier():
    class TransformerBlock(layers.Layer):
        def __init__(self, width, heads, hidden):
            super().__init__()
            self.attention = layers.MultiHeadAttention(num_heads=heads, key_dim=width)
            self.feed_forward = keras.Sequential([layers.Dense(hidden, activation="relu"), layers.Dense(width)])
            self.norm1, self.norm2 = layers.LayerNormalization(epsilon=1e-6), layers.LayerNormalization(epsilon=1e-6)
            self.dropout = layers.Dropout(0.1)

        def call(self, inputs, training=False):
            x = self.norm1(inputs + self.dropout(self.attention(inputs, inputs), training=training))
            return self.norm2(x + self.dropout(self.feed_forward(x), training=training))

    class TokenAndPosition(layers.Layer):
        def __init__(self, length, words, width):
            super().__init__()
            self.tokens, self.positions = layers.Embedding(words, width), layers.Embedding(length, width)

        def call(self, x):
            return self.tokens(x) + self.positions(keras.ops.arange(0, keras.ops.shape(x)[-1], 1))

    inputs = keras.Input((10,), dtype="int32")
    x = layers.GlobalAveragePooling1D()(TransformerBlock(8, 2, 16)(TokenAndPosition(10, 12, 8)(inputs)))
    model = keras.Model(inputs, layers.Dense(2, activation="softmax")(x))
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy", metrics=["accuracy"])
    words = np.random.default_rng(0).integers(0, 12, (256, 10))
    labels = (words == 3).any(1).astype("int32")
    history = model.fit(words, labels, epochs=10, verbose=0).history
    assert history["accuracy"][-1] > 0.9


def test_an_lstm_text_classifier_with_masked_padding():
    model = keras.Sequential(
        [
            layers.Embedding(12, 8, mask_zero=True),
            layers.Bidirectional(layers.LSTM(8)),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(keras.optimizers.Adam(0.03), "binary_crossentropy", metrics=["accuracy"])
    rng = np.random.default_rng(0)
    words = rng.integers(1, 12, (192, 9))
    words[np.arange(9)[None] >= rng.integers(3, 10, (192, 1))] = 0
    labels = (words == 5).any(1).astype("float32")
    history = model.fit(words, labels, epochs=12, batch_size=64, verbose=0).history
    assert history["accuracy"][-1] > 0.85
    longer = np.pad(words[:8], ((0, 0), (0, 5)))
    np.testing.assert_allclose(model.predict(longer, verbose=0), model.predict(words[:8], verbose=0), rtol=1e-5)


def test_frozen_layers_stay_as_they_are():
    x, y = digits()
    base = keras.Sequential([keras.Input((8, 8, 1)), layers.Conv2D(8, 3, activation="relu"), layers.Flatten()])
    base.trainable = False
    model = keras.Sequential([base, layers.Dense(10, activation="softmax")])
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy")
    frozen = [w.numpy() for w in base.weights]
    first = model.fit(x[..., None], y, epochs=3, verbose=0).history["loss"]
    assert first[-1] < first[0]
    for before, weight in zip(frozen, base.weights, strict=True):
        np.testing.assert_array_equal(before, weight.numpy())
    assert len(model.trainable_weights) == 2
    base.trainable = True
    model.compile(keras.optimizers.Adam(0.001), "sparse_categorical_crossentropy")
    model.fit(x[..., None], y, epochs=1, verbose=0)
    assert all((before != w.numpy()).any() for before, w in zip(frozen, base.weights, strict=True))


def test_callbacks_stop_schedule_and_keep_the_best(tmp_path):
    x, y = digits()
    model = keras.Sequential([keras.Input((8, 8)), layers.Flatten(), layers.Dense(10, activation="softmax")])
    model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy", metrics=["accuracy"])
    rates = []
    best = tmp_path / "best.keras"
    callbacks = [
        keras.callbacks.EarlyStopping(monitor="val_loss", patience=2, restore_best_weights=True),
        keras.callbacks.ModelCheckpoint(best, monitor="val_loss", save_best_only=True),
        keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate if epoch < 3 else 1e-9),
        keras.callbacks.LambdaCallback(
            on_epoch_end=lambda epoch, logs: rates.append(float(model.optimizer.learning_rate))
        ),
        keras.callbacks.CSVLogger(tmp_path / "log.csv"),
        keras.callbacks.TerminateOnNaN(),
    ]
    history = model.fit(x, y, epochs=30, validation_split=0.2, callbacks=callbacks, verbose=0).history
    assert len(history["loss"]) < 30
    assert rates[0] == pytest.approx(0.1)
    assert rates[-1] == pytest.approx(1e-9)
    assert len((tmp_path / "log.csv").read_text().splitlines()) == len(history["loss"]) + 1
    loaded = keras.models.load_model(best)
    np.testing.assert_allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-5, atol=1e-6)


def test_training_goes_on_from_a_saved_file(tmp_path):
    x, y = digits()

    def model():
        keras.utils.set_random_seed(3)
        made = keras.Sequential(
            [keras.Input((8, 8)), layers.Flatten(), layers.Dense(16, activation="tanh"), layers.Dense(10)]
        )
        made.compile(keras.optimizers.Adam(0.01), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        return made

    whole = model()
    whole.fit(x, y, epochs=4, shuffle=False, verbose=0)
    part = model()
    part.fit(x, y, epochs=2, shuffle=False, verbose=0)
    part.save(tmp_path / "part.keras")
    resumed = keras.models.load_model(tmp_path / "part.keras")
    assert int(resumed.optimizer.iterations) == int(part.optimizer.iterations)
    resumed.fit(x, y, epochs=2, shuffle=False, verbose=0)
    for weight, other in zip(whole.weights, resumed.weights, strict=True):
        np.testing.assert_array_equal(weight.numpy(), other.numpy())


def test_mixed_precision_scales_the_loss():
    x, y = digits()
    before = keras.mixed_precision.global_policy()
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        model = keras.Sequential(
            [
                keras.Input((8, 8)),
                layers.Flatten(),
                layers.Dense(16, activation="relu"),
                layers.Dense(10, dtype="float32"),
            ]
        )
        model.compile(keras.optimizers.Adam(0.01), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        history = model.fit(x, y, epochs=4, verbose=0).history["loss"]
        assert isinstance(model.optimizer, keras.mixed_precision.LossScaleOptimizer)
        assert history[-1] < 0.5 * history[0]
        assert model.layers[1].kernel.dtype == "float32"
        assert model.layers[1](x[:2].reshape(2, 64)).dtype == tf.float16
    finally:
        keras.mixed_precision.set_global_policy(before)


@pytest.mark.parametrize("spelling", ["old", "new"])
def test_both_spellings_of_loss_scaling_take_the_same_step(spelling):
    v = keras.Variable([1.0, 2.0])
    optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(0.1), initial_scale=1024.0)
    optimizer.build([v])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v**2)
        scaled = optimizer.get_scaled_loss(loss) if spelling == "old" else optimizer.scale_loss(loss)
    assert float(scaled) == 1024.0 * 5.0
    grads = tape.gradient(scaled, [v])
    if spelling == "old":
        grads = optimizer.get_unscaled_gradients(grads)
        np.testing.assert_array_equal(grads[0].numpy(), [2.0, 4.0])
    optimizer.apply_gradients(zip(grads, [v], strict=True))
    np.testing.assert_allclose(v.numpy(), [0.8, 1.6], rtol=1e-6)
