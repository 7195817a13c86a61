"""The statements of docs/claims.md that are about Keras beside a tape, each as a test."""

import numpy as np

import gradtape as tf


def test_text_2_example_custom_training_loop():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    inputs, labels = tf.constant([[1.0, 2.0]]), tf.constant([[0.0]])
    loss_function = tf.keras.losses.MeanSquaredError()

    optimizer = tf.optimizers.SGD(learning_rate=0.01)
    with tf.GradientTape() as tape:
        predictions = model(inputs)
        loss = loss_function(labels, predictions)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))  # noqa: B905

    np.testing.assert_allclose(model.layers[0].kernel.numpy(), [[0.94], [0.88]], rtol=1e-6)


def test_text_5_example_training_a_neural_network():
    inputs, targets = tf.constant([[1.0, 2.0]]), tf.constant([[0.0]])

    def compute_loss(predictions, targets):
        return tf.reduce_mean((predictions - targets) ** 2)

    model = tf.keras.models.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    optimizer = tf.keras.optimizers.SGD()
    with tf.GradientTape() as tape:
        predictions = model(inputs)
        loss = compute_loss(predictions, targets)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))  # noqa: B905

    np.testing.assert_allclose(model.layers[0].kernel.numpy(), [[0.94], [0.88]], rtol=1e-6)


def test_text_5_example_custom_training_loop():
    num_epochs = 2
    dataset = [(tf.constant([[1.0, 2.0]]), tf.constant([[0.0]]))]
    model = tf.keras.models.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False)])
    optimizer = tf.keras.optimizers.SGD()
    loss_fn = tf.keras.losses.MeanSquaredError()

    for epoch in range(num_epochs):  # noqa: B007
        for inputs, targets in dataset:
            with tf.GradientTape() as tape:
                predictions = model(inputs)
                loss = loss_fn(targets, predictions)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))  # noqa: B905

    np.testing.assert_allclose(model.layers[0].kernel.numpy(), [[0.886], [0.772]], rtol=1e-6)


def test_adam_applies_gradients():
    v = tf.Variable([1.0, 2.0])
    optimizer = tf.keras.optimizers.Adam(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v**2)
    optimizer.apply_gradients(zip(tape.gradient(loss, [v]), [v], strict=True))
    np.testing.assert_allclose(v.numpy(), [0.9, 1.9], rtol=1e-5)


def test_calling_a_model_is_recorded_and_predict_is_not():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        called = tf.reduce_sum(model(x))
        predicted = tf.reduce_sum(tf.constant(model.predict(x, verbose=0)))
    assert tape.gradient(called, model.trainable_variables[0]) is not None
    assert tape.gradient(predicted, model.trainable_variables[0]) is None


def test_gradients_by_the_trainable_weights_of_a_part_of_an_object():
    class Agent:
        def __init__(self):
            self.actor = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])

        def slopes(self, states):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(self.actor(states))
            return tape.gradient(loss, self.actor.trainable_weights)

    gradients = Agent().slopes(tf.constant([[1.0, 2.0]]))
    np.testing.assert_array_equal(gradients[0].numpy(), [[1.0], [2.0]])


def test_compile_and_fit_are_the_high_level_alternative():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(optimizer="sgd", loss="mse")
    history = model.fit(np.ones((8, 2), np.float32), np.zeros((8, 1), np.float32), epochs=3, verbose=0)
    losses = history.history["loss"]
    assert losses == sorted(losses, reverse=True)
