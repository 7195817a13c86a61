"""`gradtape demo`: a classifier of handwritten digits, trained with a tape loop written out in full.

Only the public API is used, as in a program of a user: what stands here runs with TensorFlow's names too.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

import gradtape as tf
from gradtape.cli.progress import ProgressBar
from gradtape.datasets import digits

__all__ = ["Diverged", "Result", "Settings", "run"]

PIXELS, CLASSES = 64, 10


@dataclass(frozen=True)
class Settings:
    """What the command line may change."""

    epochs: int = 30
    batch_size: int = 32
    learning_rate: float = 0.3
    hidden: int = 64
    seed: int = 0
    quiet: bool = False


@dataclass(frozen=True)
class Result:
    """What the training came to."""

    loss: float
    accuracy: float
    seconds: float


class Diverged(ArithmeticError):
    """The loss became nan or inf: the steps were too long."""


@dataclass(frozen=True)
class Examples:
    """Images as rows of 64 values from 0 to 1, with their digits."""

    images: npt.NDArray[np.float32]
    labels: npt.NDArray[np.int32]

    @classmethod
    def of(cls, images: npt.NDArray[np.uint8], labels: npt.NDArray[np.uint8]) -> Self:
        """Scale the raw pixels (0 to 16) and lay each image out as a row."""
        return cls((images.reshape(-1, PIXELS) / 16).astype(np.float32), labels.astype(np.int32))

    def batches(self, size: int, order: npt.NDArray[np.int64]) -> Iterator[tuple[tf.Tensor, tf.Tensor]]:
        """Pass once over the examples in the given order."""
        for start in range(0, len(order), size):
            rows = order[start : start + size]
            yield tf.constant(self.images[rows]), tf.constant(self.labels[rows])


class Classifier(tf.Module):
    """64 pixels, one hidden layer, 10 scores (logits)."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.w1 = tf.Variable(tf.random.normal([PIXELS, hidden], stddev=math.sqrt(2 / PIXELS)))
        self.b1 = tf.Variable(tf.zeros([hidden]))
        self.w2 = tf.Variable(tf.random.normal([hidden, CLASSES], stddev=math.sqrt(1 / hidden)))
        self.b2 = tf.Variable(tf.zeros([CLASSES]))

    def __call__(self, images: tf.Tensor) -> tf.Tensor:
        hidden = tf.nn.relu(tf.matmul(images, self.w1) + self.b1)
        scores: tf.Tensor = tf.matmul(hidden, self.w2) + self.b2
        return scores

    def loss(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """Mean cross entropy."""
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=self(images))
        mean: tf.Tensor = tf.reduce_mean(losses)
        return mean

    def accuracy(self, examples: Examples) -> float:
        """The fraction of examples whose highest score is that of the right digit."""
        chosen = tf.argmax(self(tf.constant(examples.images)), axis=1).numpy()
        return float(np.mean(chosen == examples.labels))


def train_step(model: Classifier, images: tf.Tensor, labels: tf.Tensor, learning_rate: float) -> float:
    """One step of gradient descent; this is the whole of a custom training loop's inside."""
    with tf.GradientTape() as tape:
        loss = model.loss(images, labels)
    variables = model.trainable_variables
    for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
        variable.assign_sub(learning_rate * gradient)
    return float(loss)


def train(model: Classifier, examples: Examples, test: Examples, settings: Settings) -> Result:
    """Run all epochs; the loss of the result is the mean over the last one."""
    shuffle = np.random.default_rng(settings.seed)
    steps = math.ceil(len(examples.labels) / settings.batch_size)
    started = time.perf_counter()
    mean_loss = math.nan
    with ProgressBar(settings.epochs * steps) as progress:
        for epoch in range(settings.epochs):
            total = 0.0
            order = shuffle.permutation(len(examples.labels))
            for step, (images, labels) in enumerate(examples.batches(settings.batch_size, order), start=1):
                total += train_step(model, images, labels, settings.learning_rate)
                if not math.isfinite(total):
                    raise Diverged(
                        f"the loss became {total} in epoch {epoch + 1}: the learning rate "
                        f"{settings.learning_rate:g} is too large; "
                        f"try --learning-rate {Settings.learning_rate}"
                    )
                mean_loss = total / step
                if not settings.quiet:
                    progress.update(epoch * steps + step, f"epoch {epoch + 1}/{settings.epochs}  loss {mean_loss:.4f}")
    seconds = time.perf_counter() - started
    return Result(mean_loss, model.accuracy(test), seconds)


def score_gradient(model: Classifier, image: tf.Tensor, digit: int) -> tf.Tensor:
    """Derivatives of one digit's score by the 64 pixels of one image."""
    with tf.GradientTape() as tape:
        tape.watch(image)
        score = model(tf.reshape(image, [1, PIXELS]))[0, digit]
    gradient: tf.Tensor = tape.gradient(score, image)
    return gradient


def score_jacobian(model: Classifier, image: tf.Tensor) -> tf.Tensor:
    """Derivatives of all ten scores by all 64 pixels."""
    with tf.GradientTape() as tape:
        tape.watch(image)
        scores = model(tf.reshape(image, [1, PIXELS]))[0]
    jacobian: tf.Tensor = tape.jacobian(scores, image)
    return jacobian


def bias_hessian(model: Classifier, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    """Second derivatives of the loss by the ten output biases: an outer tape over an inner one."""
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = model.loss(images, labels)
        gradient = inner.gradient(loss, model.b2)
    hessian: tf.Tensor = outer.jacobian(gradient, model.b2)
    return hessian


def picture(values: npt.NDArray[np.float32], low: float, high: float, shades: str) -> list[str]:
    """Eight lines of text for 64 values; the shades run from `low` to `high`."""
    levels = (values.reshape(8, 8) - low) / (high - low) * (len(shades) - 1)
    return ["".join(shades[round(float(level))] * 2 for level in row) for row in levels]


def show_derivatives(model: Classifier, test: Examples) -> None:
    """Print a gradient, a Hessian and a Jacobian of the trained model."""
    image, digit = tf.constant(test.images[0]), int(test.labels[0])
    gradient = score_gradient(model, image, digit).numpy()
    print(f"\ngradient   of the score of {digit} by the 64 pixels of a test image: where ink speaks")
    print("           for it (+ #) and against it (- =)")
    steepest = float(np.abs(gradient).max())
    ink = picture(test.images[0], 0, 1, " .:*@")
    slopes = picture(gradient, -steepest, steepest, "=- +#")
    for left, right in zip(ink, slopes, strict=True):
        print(f"           |{left}|   |{right}|")

    hessian = bias_hessian(model, tf.constant(test.images), tf.constant(test.labels)).numpy()
    eigenvalues = np.linalg.eigvalsh(hessian)
    print(f"\nHessian    of the test loss by the output biases, {hessian.shape[0]} x {hessian.shape[1]}")
    print(f"           largest asymmetry {np.abs(hessian - hessian.T).max():.1e}, ", end="")
    print(f"eigenvalues from {eigenvalues[0]:.1e} to {eigenvalues[-1]:.1e}")

    jacobian = score_jacobian(model, image).numpy()
    print(f"\nJacobian   of the ten scores by the 64 pixels, {jacobian.shape[0]} x {jacobian.shape[1]}")
    print(f"           its row {digit} differs from the gradient above by at most ", end="")
    print(f"{np.abs(jacobian[digit] - gradient).max():.1e}")


def run(settings: Settings) -> Result:
    """Train, report, and show derivatives of what was trained.

    Raises:
        Diverged: the loss became infinite or NaN.
    """
    (x_train, y_train), (x_test, y_test) = digits.load_data()
    train_set, test_set = Examples.of(x_train, y_train), Examples.of(x_test, y_test)
    tf.random.set_seed(settings.seed)
    model = Classifier(settings.hidden)
    count = sum(variable.numpy().size for variable in model.trainable_variables)
    print(f"data       {len(y_train):,} handwritten digits of 8x8 pixels, and {len(y_test)} to test on")
    print(f"model      {PIXELS} - {settings.hidden} - {CLASSES}, {count:,} parameters", flush=True)
    result = train(model, train_set, test_set, settings)
    print(f"loss       {result.loss:.4f}")
    print(f"accuracy   {100 * result.accuracy:.1f} % of the test images")
    print(f"time       {result.seconds:.1f} seconds for {settings.epochs} epochs")
    show_derivatives(model, test_set)
    return result
