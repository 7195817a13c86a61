"""A variational autoencoder of handwritten digits: two numbers for each image, and a map of all images between them.

    python examples/vae.py

The encoder gives a normal distribution for each image, one draw of it is decoded again, and the loss is the negative
evidence lower bound. The picture shows where the digits lie in the plane of the two numbers, and what lies at each place.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import gradtape as tf
from gradtape.datasets import digits

PIXELS, LATENT = 64, 2


class VAE(tf.keras.Model):
    """Encoder and decoder, one hidden layer each side."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.encoder = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(hidden, activation="relu"),
                tf.keras.layers.Dense(hidden, activation="relu"),
                tf.keras.layers.Dense(2 * LATENT),
            ]
        )
        self.decoder = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(hidden, activation="relu"),
                tf.keras.layers.Dense(hidden, activation="relu"),
                tf.keras.layers.Dense(PIXELS),
            ]
        )

    def encode(self, images: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        mean, log_variance = tf.split(self.encoder(images), 2, axis=1)
        return mean, log_variance

    def decode(self, codes: tf.Tensor) -> tf.Tensor:
        return tf.sigmoid(self.decoder(codes))

    def negative_bound(self, images: tf.Tensor) -> tf.Tensor:
        """The negative evidence lower bound, in nats per image, from one draw."""
        mean, log_variance = self.encode(images)
        code = mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))
        cross_entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=images, logits=self.decoder(code))
        rebuilt = tf.reduce_sum(cross_entropy, axis=1)
        distance = 0.5 * tf.reduce_sum(mean**2 + tf.exp(log_variance) - log_variance - 1, axis=1)
        return tf.reduce_mean(rebuilt + distance)


@tf.function
def train_step(model: VAE, images: tf.Tensor, optimizer: tf.keras.optimizers.Optimizer) -> tf.Tensor:
    with tf.GradientTape() as tape:
        loss = model.negative_bound(images)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


def draw(model: VAE, losses: list[float], images: np.ndarray, labels: np.ndarray, output: Path) -> None:
    figure = Figure(figsize=(14, 4.6), layout="constrained")
    curve, plane, atlas = figure.subplots(1, 3)
    curve.plot(range(1, len(losses) + 1), losses)
    curve.set(title="Negative lower bound of the test images", xlabel="epoch", ylabel="nats per image")
    curve.spines[["top", "right"]].set_visible(False)

    means, edge = model.encode(tf.constant(images))[0].numpy(), 2.5
    plane.scatter(means[:, 0], means[:, 1], s=4, c="0.8")
    for x, y, digit in zip(means[:, 0], means[:, 1], labels, strict=True):
        plane.text(x, y, str(digit), color=f"C{digit}", fontsize=8, ha="center", va="center", clip_on=True)
    plane.set(title="Where each test image lies", aspect="equal", xlim=(-edge, edge), ylim=(-edge, edge))

    count = 13
    places = np.linspace(-edge, edge, count, dtype=np.float32)
    codes = np.stack(np.meshgrid(places, places[::-1]), axis=-1).reshape(-1, LATENT)
    tiles = np.pad(model.decode(tf.constant(codes)).numpy().reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))
    page = tiles.reshape(count, count, 10, 10).swapaxes(1, 2).reshape(10 * count, 10 * count)
    atlas.imshow(page, cmap="gray_r", extent=(-edge, edge, -edge, edge), interpolation="bilinear")
    atlas.set_title("What lies at each place")
    figure.savefig(output, dpi=120)


def main(arguments: Sequence[str] | None = None) -> list[float]:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=60, help="passes over the images")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--hidden", type=int, default=128, help="units of each hidden layer")
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("vae.png"), help="where the picture goes")
    options = parser.parse_args(arguments)

    tf.keras.utils.set_random_seed(options.seed)
    (train_images, _), (test_images, test_labels) = digits.load_data()
    train_images, test_images = (x.reshape(-1, PIXELS).astype(np.float32) / 16 for x in (train_images, test_images))
    batches = tf.data.Dataset.from_tensor_slices(train_images).shuffle(len(train_images)).batch(options.batch_size)
    model = VAE(options.hidden)
    optimizer = tf.keras.optimizers.Adam(options.learning_rate)
    losses: list[float] = []
    for epoch in range(1, options.epochs + 1):
        for images in batches:
            train_step(model, images, optimizer)
        losses.append(float(model.negative_bound(tf.constant(test_images))))
        if epoch % 10 == 0 or epoch == options.epochs:
            print(f"epoch {epoch:3}   {losses[-1]:.2f} nats per test image", flush=True)
    draw(model, losses, test_images, test_labels, options.output)
    print(f"wrote {options.output}")
    return losses


if __name__ == "__main__":
    main()
