"""A convolutional network for handwritten digits: tf.data, a custom loop, checkpoints to go on from, summaries to look at.

    python examples/digits_cnn.py
    python examples/digits_cnn.py --epochs 20      # goes on where the first run ended
    gradtape plot runs/digits/logs                 # losses and gradient norms of all runs so far

The picture shows the learning curves, which digits are taken for which, and the images that are still wrong.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import gradtape as tf
from gradtape.datasets import digits


def make_model() -> tf.keras.Sequential:
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input([8, 8, 1]),
            tf.keras.layers.Conv2D(
                16, 3, padding="same", activation="relu", name="conv1"
            ),
            tf.keras.layers.Conv2D(
                32, 3, padding="same", activation="relu", name="conv2"
            ),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dropout(0.3),
            tf.keras.layers.Dense(64, activation="relu", name="dense"),
            tf.keras.layers.Dense(10, name="scores"),
        ]
    )


def make_datasets(
    batch_size: int, seed: int
) -> tuple[tf.data.Dataset, tf.data.Dataset]:
    """Batches of images from 0 to 1 with their digits: to train on, shuffled, and to test on."""

    def scaled(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return tf.cast(image, tf.float32)[..., tf.newaxis] / 16.0, tf.cast(
            label, tf.int32
        )

    train, test = (
        tf.data.Dataset.from_tensor_slices(part).map(scaled).cache()
        for part in digits.load_data()
    )
    train = (
        train.shuffle(len(train), seed=seed)
        .batch(batch_size)
        .prefetch(tf.data.AUTOTUNE)
    )
    return train, test.batch(256)


class Trainer:
    """The model with all that a run needs, and all that is saved of it."""

    def __init__(self, folder: Path, learning_rate: float) -> None:
        self.model = make_model()
        self.optimizer = tf.keras.optimizers.Adam(learning_rate)
        self.cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(
            from_logits=True
        )
        self.step, self.epoch = (
            tf.Variable(0, dtype=tf.int64),
            tf.Variable(0, dtype=tf.int64),
        )
        self.history = tf.Variable(
            np.zeros([0, 3], np.float32), shape=[None, 3], trainable=False
        )
        checkpoint = tf.train.Checkpoint(
            model=self.model,
            optimizer=self.optimizer,
            step=self.step,
            epoch=self.epoch,
            history=self.history,
        )
        self.manager = tf.train.CheckpointManager(
            checkpoint, str(folder / "checkpoints"), max_to_keep=2
        )
        self.train_log = tf.summary.create_file_writer(
            str(folder / "logs" / "train")
        )
        self.test_log = tf.summary.create_file_writer(str(folder / "logs" / "test"))

    @tf.function
    def train_step(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = self.cross_entropy(labels, self.model(images, training=True))
        variables = self.model.trainable_variables
        gradients = tape.gradient(loss, variables)
        self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        self.step.assign_add(1)
        with self.train_log.as_default(step=self.step):
            tf.summary.scalar("loss", loss)
            tf.summary.gradients(gradients, variables, histograms=False)
        return loss

    def test(
        self, batches: tf.data.Dataset
    ) -> tuple[float, float, np.ndarray, np.ndarray, np.ndarray]:
        """Loss and accuracy, and for each image: itself, its digit, and what it was taken for."""
        mean_loss, accuracy = (
            tf.keras.metrics.Mean(),
            tf.keras.metrics.SparseCategoricalAccuracy(),
        )
        seen = []
        for images, labels in batches:
            scores = self.model(images, training=False)
            mean_loss.update_state(
                self.cross_entropy(labels, scores),
                sample_weight=tf.cast(len(labels), tf.float32),
            )
            accuracy.update_state(labels, scores)
            seen.append(
                (images.numpy(), labels.numpy(), tf.argmax(scores, axis=1).numpy())
            )
        return (
            float(mean_loss.result()),
            float(accuracy.result()),
            *(np.concatenate(part) for part in zip(*seen, strict=True)),
        )

    def train_epoch(self, train: tf.data.Dataset, test: tf.data.Dataset) -> None:
        mean_loss = tf.keras.metrics.Mean()
        for images, labels in train:
            mean_loss.update_state(self.train_step(images, labels))
        test_loss, accuracy, images, labels, taken = self.test(test)
        with self.test_log.as_default(step=self.step):
            tf.summary.scalar("loss", test_loss)
            tf.summary.scalar("accuracy", accuracy)
            if np.any(taken != labels):
                tf.summary.image("wrong", images[taken != labels], max_outputs=10)
        row = [[float(mean_loss.result()), test_loss, accuracy]]
        self.history.assign(tf.concat([self.history, row], axis=0))
        self.epoch.assign_add(1)
        print(
            f"epoch {int(self.epoch):3}   loss {row[0][0]:.4f}   test loss {test_loss:.4f}   accuracy {accuracy:.1%}",
            flush=True,
        )
        self.manager.save()


def draw(
    history: np.ndarray,
    images: np.ndarray,
    labels: np.ndarray,
    taken: np.ndarray,
    output: Path,
) -> None:
    figure = Figure(figsize=(14, 4.4), layout="constrained")
    curves, table, wrong = figure.subplots(1, 3)
    epochs = range(1, len(history) + 1)
    curves.semilogy(epochs, history[:, 0], label="training loss", marker=".")
    curves.semilogy(epochs, history[:, 1], label="test loss", marker=".")
    curves.set(
        title=f"{history[-1, 2]:.1%} of the test images are right", xlabel="epoch"
    )
    curves.legend(frameon=False)
    curves.spines[["top", "right"]].set_visible(False)

    counts = tf.math.confusion_matrix(labels, taken, num_classes=10).numpy()
    mistakes = np.where(np.eye(10, dtype=bool) | (counts == 0), np.nan, counts)
    table.imshow(mistakes, cmap="Reds", vmin=0, vmax=4)
    for (row, column), count in np.ndenumerate(counts):
        if count:
            table.text(
                column,
                row,
                count,
                ha="center",
                va="center",
                color="0.6" if row == column else "black",
            )
    table.set(
        title="Which digit is taken for which",
        xlabel="taken for",
        ylabel="is",
        xticks=range(10),
        yticks=range(10),
    )

    places = np.flatnonzero(labels != taken)[:15]
    wrong.set(
        title="Still wrong: what it is, and what it was taken for",
        xlim=(0, 5),
        ylim=(3, 0),
    )
    wrong.axis("off")
    for number, place in enumerate(places):
        row, column = divmod(number, 5)
        wrong.imshow(
            images[place, ..., 0],
            cmap="gray_r",
            extent=(column + 0.1, column + 0.9, row + 0.78, row + 0.02),
        )
        wrong.text(
            column + 0.5,
            row + 0.9,
            f"{labels[place]}, not {taken[place]}",
            ha="center",
            fontsize=8,
        )
    wrong.set(xlim=(0, 5), ylim=(3, 0))
    figure.savefig(output, dpi=120)


def main(arguments: Sequence[str] | None = None) -> np.ndarray:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument(
        "--epochs",
        type=int,
        default=10,
        help="passes over the training images, those of earlier runs included",
    )
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("runs/digits"),
        help="where checkpoints and logs go",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("digits_cnn.png"),
        help="where the picture goes",
    )
    options = parser.parse_args(arguments)

    tf.keras.utils.set_random_seed(options.seed)
    train, test = make_datasets(options.batch_size, options.seed)
    trainer = Trainer(options.folder, options.learning_rate)
    if trainer.manager.restore_or_initialize():
        print(f"going on after epoch {int(trainer.epoch)}")
    while int(trainer.epoch) < options.epochs:
        trainer.train_epoch(train, test)
    *_, images, labels, taken = trainer.test(test)
    draw(trainer.history.numpy(), images, labels, taken, options.output)
    print(
        f"wrote {options.output}; `gradtape plot {options.folder / 'logs'}` draws losses and gradient norms step by step"
    )
    return trainer.history.numpy()


if __name__ == "__main__":
    main()
