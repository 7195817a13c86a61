"""A short use of what is installed: a gradient, a function, a convolution in machine code, a Keras fit, the demo."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import gradtape as tf

assert "site-packages" in tf.__file__, f"not what was installed: {tf.__file__}"

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x**2
assert float(tape.gradient(y, x)) == 6.0


@tf.function
def halved(n):
    while n > 1.0:
        n = n / 2.0
    return n


assert float(halved(tf.constant(40.0))) == 0.625

images, filters = tf.ones((8, 24, 24, 16)), tf.ones((3, 3, 16, 32))
assert float(tf.nn.conv2d(images, filters, 1, "VALID")[0, 0, 0, 0]) == 144.0
assert "llvmlite" in sys.modules

keras = tf.keras
model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
inputs = np.random.default_rng(0).normal(size=(64, 4)).astype(np.float32)
losses = model.fit(inputs, inputs.sum(1), batch_size=16, epochs=3, verbose=0).history["loss"]
assert losses[-1] < losses[0]

with tempfile.TemporaryDirectory() as folder:
    model.save(f"{folder}/model.keras")
    again = keras.models.load_model(f"{folder}/model.keras")
    np.testing.assert_array_equal(again.predict(inputs, verbose=0), model.predict(inputs, verbose=0))

command = Path(sys.executable).with_name("gradtape")
subprocess.run([command, "demo", "--epochs", "1", "--quiet"], check=True, stdout=subprocess.DEVNULL)
