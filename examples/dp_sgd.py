"""Training with differential privacy (DP-SGD): no single image can change the result by much, and how much is known.

    python examples/dp_sgd.py

Each step takes a random part of the images, cuts the gradient of each image to a norm, adds them up and adds noise. What
`tf.train.per_example_gradients` computes is the sum of the cut gradients, at little more than the price of a plain gradient.
The picture shows what privacy costs in accuracy, and what the cut does to the gradients of single images.
"""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import gradtape as tf
from gradtape.datasets import digits

PIXELS, CLASSES = 64, 10


class Classifier(tf.Module):
    """64 pixels, one hidden layer, 10 scores."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.w1 = tf.Variable(tf.random.normal([PIXELS, hidden], stddev=math.sqrt(2 / PIXELS)), name="w1")
        self.b1 = tf.Variable(tf.zeros([hidden]), name="b1")
        self.w2 = tf.Variable(tf.random.normal([hidden, CLASSES], stddev=math.sqrt(1 / hidden)), name="w2")
        self.b2 = tf.Variable(tf.zeros([CLASSES]), name="b2")

    def __call__(self, images: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(images @ self.w1 + self.b1) @ self.w2 + self.b2

    def loss(self, image: tf.Tensor, label: tf.Tensor) -> tf.Tensor:
        """Of one image."""
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label[tf.newaxis], logits=self(image[tf.newaxis]))[
            0
        ]


def private_step(
    model: Classifier, images: tf.Tensor, labels: tf.Tensor, options: argparse.Namespace, noise: float
) -> None:
    """One step of gradient descent on clipped and noisy gradients."""
    variables = model.trainable_variables
    sums = tf.train.per_example_gradients(
        model.loss, variables, images, labels, clip_norm=options.clip_norm, reduction="sum"
    )
    for variable, total in zip(variables, sums, strict=True):
        noisy = total + tf.random.normal(variable.shape, stddev=noise * options.clip_norm)
        # By the expected size of a batch: the true one would tell something about who is in it.
        variable.assign_sub(options.learning_rate / options.batch_size * noisy)


def epsilon(noise: float, share: float, steps: int, delta: float) -> float:
    """The privacy spent: by the Renyi divergences of the sampled Gaussian mechanism (Mironov, Talwar and Zhang, 2019)."""
    if not noise:
        return math.inf
    best = math.inf
    for order in range(2, 129):
        terms = [
            math.lgamma(order + 1) - math.lgamma(k + 1) - math.lgamma(order - k + 1)
            + (order - k) * math.log1p(-share) + k * math.log(share) + (k * k - k) / (2 * noise**2)
            for k in range(order + 1)
        ]  # fmt: skip
        divergence = float(np.logaddexp.reduce(terms)) / (order - 1)
        best = min(best, steps * divergence + math.log(1 / delta) / (order - 1))
    return best


def accuracy(model: Classifier, images: np.ndarray, labels: np.ndarray) -> float:
    return float(np.mean(tf.argmax(model(tf.constant(images)), axis=1).numpy() == labels))


def gradient_norms(model: Classifier, images: np.ndarray, labels: np.ndarray) -> np.ndarray:
    _, norms = tf.train.per_example_gradients(
        model.loss,
        model.trainable_variables,
        tf.constant(images),
        tf.constant(labels),
        reduction="sum",
        return_norms=True,
    )
    return norms.numpy()


def draw(
    curves: dict[float, list[float]], spent: dict[float, float], norms: list[np.ndarray], clip_norm: float, output: Path
) -> None:
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    for noise, values in curves.items():
        label = f"noise {noise:g}: " + (f"$\\epsilon$ = {spent[noise]:.1f}" if noise else "clipped only, no privacy")
        left.plot(range(len(values)), [100 * value for value in values], label=label, marker=".")
    left.set(title="What privacy costs", xlabel="epoch", ylabel="test images that are right (%)", ylim=(0, 100))
    left.legend(frameon=False, loc="lower right")
    edges = np.linspace(0, max(np.percentile(part, 98) for part in norms), 40)
    for part, label, colour in zip(norms, ("before training", "after training"), ("0.7", "C0"), strict=True):
        right.hist(part, edges, label=label, color=colour, alpha=0.7)
    right.axvline(clip_norm, color="C3", label="cut here")
    right.set(title="Gradients of single images", xlabel="norm", ylabel="images")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(output, dpi=120)


def main(arguments: Sequence[str] | None = None) -> dict[float, list[float]]:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=15, help="passes over the training images, on average")
    parser.add_argument("--batch-size", type=int, default=64, help="images in a step, on average")
    parser.add_argument("--clip-norm", type=float, default=1.0, help="the longest gradient of one image")
    parser.add_argument(
        "--noise", type=float, nargs="+", default=[0.0, 1.0, 2.0, 4.0], help="in units of the clip norm"
    )
    parser.add_argument("--learning-rate", type=float, default=0.5)
    parser.add_argument("--hidden", type=int, default=64, help="units of the hidden layer")
    parser.add_argument("--delta", type=float, default=1e-4, help="the chance that the bound does not hold")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("dp_sgd.png"), help="where the picture goes")
    options = parser.parse_args(arguments)

    (images, labels), (test_images, test_labels) = digits.load_data()
    images, test_images = (part.reshape(-1, PIXELS).astype(np.float32) / 16 for part in (images, test_images))
    labels, test_labels = labels.astype(np.int32), test_labels.astype(np.int32)
    share = options.batch_size / len(images)
    steps = round(options.epochs / share)
    curves: dict[float, list[float]] = {}
    spent: dict[float, float] = {}
    norms: list[np.ndarray] = []
    for noise in options.noise:
        tf.random.set_seed(options.seed)
        sampler = np.random.default_rng(options.seed)
        model = Classifier(options.hidden)
        curve = [accuracy(model, test_images, test_labels)]
        if not norms:
            norms = [gradient_norms(model, images, labels)]
        for step in range(1, steps + 1):
            chosen = sampler.random(len(images)) < share  # each image by itself: what the bound is for
            if chosen.any():
                private_step(model, tf.constant(images[chosen]), tf.constant(labels[chosen]), options, noise)
            if step * options.epochs // steps > (step - 1) * options.epochs // steps:
                curve.append(accuracy(model, test_images, test_labels))
        if len(norms) == 1:
            norms.append(gradient_norms(model, images, labels))
        curves[noise], spent[noise] = curve, epsilon(noise, share, steps, options.delta)
        print(
            f"noise {noise:g}   epsilon {spent[noise]:.2f} at delta {options.delta:g}   accuracy {curve[-1]:.1%}",
            flush=True,
        )
    draw(curves, spent, norms, options.clip_norm, options.output)
    print(f"wrote {options.output}")
    return curves


if __name__ == "__main__":
    main()
