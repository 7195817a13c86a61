"""`python -m tests.diagnostics.view_pictures`: makes the pictures of docs/guide/view.md. It needs Chromium and all extras."""

import io
import pathlib
import tempfile

from PIL import Image
from tests.diagnostics.chromium import Chromium

import gradtape as tf

FOLDER = pathlib.Path(__file__).parents[2] / "docs" / "guide" / "pictures"
_COLOURS = 200  # of a file: a third of the bytes


def step(model, loss_of, x, labels):
    """A step of training, without the update."""
    tape = tf.GradientTape(profile=True)
    with tape:
        scores = model(x)
        loss = loss_of(labels, scores)
    weights = model.trainable_variables
    tape.gradient(loss, weights)
    return tape


def digits_model():
    """The page of a Keras model."""
    keras = tf.keras
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.layers.Dense(64, activation="relu", name="hidden"),
            keras.layers.Dense(32, activation="relu", name="narrow"),
            keras.layers.Dense(10, name="scores"),
        ],
        name="digits",
    )
    images, labels = tf.random.normal([32, 20]), tf.random.uniform([32], 0, 10, tf.int32)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for _ in range(20):  # (the first times have the loading of ops and of machine code in them)
        tape = step(model, loss_of, images, labels)
    return tape.view()


def cut():
    """A program in which one gradient is None."""
    a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable([0.0, 1.0], name="b")
    with tf.GradientTape() as tape:
        best = tf.argmax(a)
        loss = tf.cast(best, tf.float32) + tf.reduce_sum(b)
    return tape.view(loss, [a, b])


def nan():
    """A program with a NaN."""
    x = tf.Variable([0.0, 1.0, 4.0], name="x")
    with tf.GradientTape() as tape:
        root = tf.sqrt(x)
        share = root / tf.reduce_sum(root)
        loss = -tf.reduce_sum(share * tf.math.log(share))
    return tape.view(loss, x)


def loop():
    """A recurrent network."""
    w, u = tf.Variable(tf.eye(16) * 0.9, name="w"), tf.Variable(tf.ones([4, 16]) * 0.1, name="u")
    inputs = tf.random.normal([1000, 8, 4])
    with tf.GradientTape() as tape:
        state = tf.zeros([8, 16])
        for step in range(1000):
            state = tf.tanh(state @ w + inputs[step] @ u)
        loss = tf.reduce_mean(state**2)
    return tape.view(loss)


def write(name: str, png: bytes) -> None:
    """A small file."""
    FOLDER.mkdir(exist_ok=True)
    Image.open(io.BytesIO(png)).convert("RGB").quantize(_COLOURS).save(FOLDER / f"view-{name}.png", optimize=True)
    print(f"{name}: {(FOLDER / f'view-{name}.png').stat().st_size:,} bytes")


def page(
    browser: Chromium, name: str, view: object, prepare: str, height: int, dark: bool = False, width: int = 1100
) -> None:
    """A screenshot of a page after a script has run in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "view.html")
        view.save(path)
        browser.open(path, width, height, dark)
        browser.run(prepare)
        browser.frames(3)
        browser.screenshot(path.with_suffix(".png"))
        write(name, path.with_suffix(".png").read_bytes())


def main() -> None:
    """All pictures."""
    press = "document.dispatchEvent(new KeyboardEvent('keydown', {key: '%s'}));"
    find = (
        "document.getElementById('search').value = '%s';"
        "document.getElementById('search').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}));"
    )
    larger = "document.getElementById('search').value = ''; document.getElementById('results').hidden = true;"
    browser = Chromium()
    try:
        page(browser, "page", digits_model(), find % "relu" + larger, 620, width=960)  # (to be read in README.md)
        page(browser, "loop", loop(), find % "tanh" + press % "f", 620, dark=True)
    finally:
        browser.close()
    write("cut", cut().png(scale=1.0))
    write("nan", nan().png(scale=1.0))


if __name__ == "__main__":
    main()
