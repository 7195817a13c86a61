"""A generative adversarial network that draws digits: two networks, two optimizers, one step.

    python examples/gan.py

The generator turns noise into images of 8x8 pixels; the discriminator says whether an image is real. Both are moved at the
end of one step by two tapes over the same forward pass. The picture shows both losses and how the drawings become digits.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import gradtape as tf
from gradtape.datasets import digits

PIXELS = 64


def make_generator(noise: int, hidden: int) -> tf.keras.Sequential:
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input([noise]),
            tf.keras.layers.Dense(hidden, use_bias=False),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.LeakyReLU(0.2),
            tf.keras.layers.Dense(hidden, use_bias=False),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.LeakyReLU(0.2),
            tf.keras.layers.Dense(PIXELS, activation="tanh"),
        ]
    )


def make_discriminator(hidden: int) -> tf.keras.Sequential:
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input([PIXELS]),
            tf.keras.layers.Dense(hidden),
            tf.keras.layers.LeakyReLU(0.2),
            tf.keras.layers.Dropout(0.3),
            tf.keras.layers.Dense(hidden),
            tf.keras.layers.LeakyReLU(0.2),
            tf.keras.layers.Dropout(0.3),
            tf.keras.layers.Dense(1),
        ]
    )


class GAN:
    """The two networks with an optimizer each."""

    def __init__(self, noise: int, hidden: int, learning_rate: float) -> None:
        self.noise = noise
        self.generator, self.discriminator = make_generator(noise, hidden), make_discriminator(hidden)
        self.generator_optimizer = tf.keras.optimizers.Adam(learning_rate, beta_1=0.5)
        self.discriminator_optimizer = tf.keras.optimizers.Adam(learning_rate, beta_1=0.5)
        self.cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def train_step(self, images: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """One forward pass, two gradients, two updates; the losses of generator and discriminator."""
        noise = tf.random.normal([tf.shape(images)[0], self.noise])
        with tf.GradientTape() as generator_tape, tf.GradientTape() as discriminator_tape:
            drawn = self.generator(noise, training=True)
            real_scores = self.discriminator(images, training=True)
            drawn_scores = self.discriminator(drawn, training=True)
            generator_loss = self.cross_entropy(tf.ones_like(drawn_scores), drawn_scores)
            # Real images count as 0.9: a discriminator that is never quite sure teaches more.
            real_loss = self.cross_entropy(0.9 * tf.ones_like(real_scores), real_scores)
            discriminator_loss = real_loss + self.cross_entropy(tf.zeros_like(drawn_scores), drawn_scores)
        for tape, loss, network, optimizer in (
            (generator_tape, generator_loss, self.generator, self.generator_optimizer),
            (discriminator_tape, discriminator_loss, self.discriminator, self.discriminator_optimizer),
        ):
            variables = network.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return generator_loss, discriminator_loss


def draw(losses: np.ndarray, snapshots: dict[int, np.ndarray], output: Path) -> None:
    figure = Figure(figsize=(12, 5.2), layout="constrained")
    top, bottom = figure.subfigures(2, 1, height_ratios=(2, 3))
    axes = top.subplots()
    axes.plot(losses[:, 0], label="generator", color="C0", linewidth=0.8)
    axes.plot(losses[:, 1], label="discriminator", color="C1", linewidth=0.8)
    axes.set(title="Losses", xlabel="step", ylim=(0, None))
    axes.margins(x=0.01)
    axes.legend(frameon=False, ncols=2, loc="lower right")
    axes.spines[["top", "right"]].set_visible(False)
    columns = bottom.subplots(1, len(snapshots), squeeze=False)[0]
    for column, (epoch, images) in zip(columns, snapshots.items(), strict=True):
        tiles = np.pad(images.reshape(25, 8, 8), ((0, 0), (1, 1), (1, 1)), constant_values=-1)
        page = tiles.reshape(5, 5, 10, 10).swapaxes(1, 2).reshape(50, 50)
        column.imshow(page, cmap="gray_r", vmin=-1, vmax=1, interpolation="bilinear")
        column.set(title=f"epoch {epoch}" if epoch else "before training", xticks=[], yticks=[])
    figure.savefig(output, dpi=120)


def main(arguments: Sequence[str] | None = None) -> np.ndarray:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=100, help="passes over the images")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--noise", type=int, default=16, help="numbers that the generator starts from")
    parser.add_argument("--hidden", type=int, default=128, help="units of each hidden layer")
    parser.add_argument("--learning-rate", type=float, default=5e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("gan.png"), help="where the picture goes")
    options = parser.parse_args(arguments)

    tf.keras.utils.set_random_seed(options.seed)
    (images, _), _ = digits.load_data()
    images = images.reshape(-1, PIXELS).astype(np.float32) / 8 - 1
    batches = (
        tf.data.Dataset.from_tensor_slices(images).shuffle(len(images)).batch(options.batch_size, drop_remainder=True)
    )
    gan = GAN(options.noise, options.hidden, options.learning_rate)
    same_noise = tf.random.normal([25, options.noise])
    shown = {round(options.epochs * share) for share in (0, 0.1, 0.3, 1)}
    snapshots = {0: gan.generator(same_noise).numpy()}
    losses: list[tuple[float, float]] = []
    for epoch in range(1, options.epochs + 1):
        for batch in batches:
            generator_loss, discriminator_loss = gan.train_step(batch)
            losses.append((float(generator_loss), float(discriminator_loss)))
        if epoch in shown:
            snapshots[epoch] = gan.generator(same_noise).numpy()
        if epoch % 10 == 0 or epoch == options.epochs:
            generator, discriminator = np.mean(losses[-len(batches) :], axis=0)
            print(f"epoch {epoch:4}   generator {generator:.3f}   discriminator {discriminator:.3f}", flush=True)
    draw(np.array(losses), snapshots, options.output)
    print(f"wrote {options.output}")
    return np.array(losses)


if __name__ == "__main__":
    main()
