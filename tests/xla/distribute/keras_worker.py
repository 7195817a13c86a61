"""A program for several processes: trains a model of Keras, and prints what comes out of it.

Argument: "strategy" for replicas of `MultiWorkerMirroredStrategy`, "distribution" for `keras.distribution.DataParallel`.
"""

import json
import sys

import numpy as np

import gradtape as tf


def trained(scope):
    """History, loss and accuracy, first predictions and the sum of the weights of a small model."""
    import keras

    random = np.random.default_rng(0)
    x, y = random.random((48, 8)).astype(np.float32), random.integers(0, 3, 48)
    with scope():
        layers = keras.layers
        model = keras.Sequential([keras.Input((8,)), layers.Dense(8, "tanh", kernel_regularizer="l2"), layers.Dense(3)])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    settings = {"batch_size": 16, "verbose": 0}
    history = model.fit(x, y, epochs=3, shuffle=False, validation_data=(x[:32], y[:32]), **settings).history
    evaluated = model.evaluate(x, y, **settings)
    predicted = model.predict(x, **settings)
    assert predicted.shape == (48, 3)
    weights = [float(np.sum(np.abs(weight))) for weight in model.get_weights()]
    return [*(v for values in history.values() for v in values), *evaluated, *map(float, predicted[-1]), *weights]


def main():
    import keras

    if sys.argv[1] == "strategy":
        strategy = tf.distribute.MultiWorkerMirroredStrategy()
        first = int(tf.experimental.dtensor.client_id()) == 0
        keras.utils.set_random_seed(1 if first else 2)  # (all begin with the weights of the first process)
        found = trained(strategy.scope)
    else:
        keras.distribution.initialize()
        keras.utils.set_random_seed(1)
        distribution = keras.distribution.DataParallel(auto_shard_dataset=False)
        found = trained(distribution.scope)
    print("found", json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
