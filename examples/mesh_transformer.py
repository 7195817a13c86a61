"""A small transformer on a mesh of devices: batches cut along one axis, weights along the other, as on accelerators.

    python examples/mesh_transformer.py
    python examples/mesh_transformer.py --data 2 --model 4

It learns to copy a sequence backwards. The picture shows which device has which part of each weight, and the losses. On one CPU
the devices are virtual: it shows that the numbers are the same, not that they come faster.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

import gradtape as tf

dtensor = tf.experimental.dtensor
WHOLE = dtensor.UNSHARDED


class Transformer:
    """One block of attention and a layer, between embeddings and scores."""

    def __init__(
        self, mesh: dtensor.Mesh, letters: int, length: int, width: int, heads: int
    ) -> None:
        self.heads = heads
        random = np.random.default_rng(0)

        def weight(name: str, shape: Sequence[int], *specs: str) -> tf.Variable:
            value = random.normal(0.0, shape[0] ** -0.5, shape).astype(np.float32)
            return dtensor.DVariable(
                value, layout=dtensor.Layout(specs, mesh), name=name
            )

        # Heads, and the columns of the hidden layer, are shared out along "model"; what comes after them is added up.
        self.letters = weight("letters", (letters, width), WHOLE, WHOLE)
        self.places = weight("places", (length, width), WHOLE, WHOLE)
        self.into_heads = weight(
            "into heads",
            (width, 3, heads, width // heads),
            WHOLE,
            WHOLE,
            "model",
            WHOLE,
        )
        self.out_of_heads = weight(
            "out of heads", (heads, width // heads, width), "model", WHOLE, WHOLE
        )
        self.into_layer = weight("into layer", (width, 4 * width), WHOLE, "model")
        self.out_of_layer = weight(
            "out of layer", (4 * width, width), "model", WHOLE
        )
        self.scores = weight("scores", (width, letters), WHOLE, WHOLE)

    @property
    def weights(self) -> list[tf.Variable]:
        return [
            value for value in vars(self).values() if isinstance(value, tf.Variable)
        ]

    def __call__(self, letters: tf.Tensor) -> tf.Tensor:
        x = tf.gather(self.letters, letters) + self.places
        query, key, value = tf.unstack(
            tf.einsum("btw,wkhd->kbhtd", normalized(x), self.into_heads)
        )
        attention = tf.nn.softmax(
            tf.einsum("bhtd,bhsd->bhts", query, key) * query.shape[-1] ** -0.5
        )
        x += tf.einsum("bhts,bhsd,hdw->btw", attention, value, self.out_of_heads)
        x += tf.nn.relu(normalized(x) @ self.into_layer) @ self.out_of_layer
        return normalized(x) @ self.scores


def normalized(x: tf.Tensor) -> tf.Tensor:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5)


def draw(model: Transformer, losses: np.ndarray, path: str) -> None:
    """The part of the first device in each weight, and the losses."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for row, weight in enumerate(model.weights):
        layout = dtensor.fetch_layout(weight)
        parts = int(
            np.prod([layout.num_shards(axis) for axis in range(layout.rank)])
        )
        devices: list[list[str]] = [[] for _ in range(parts)]
        shards = layout.offset_to_shard()
        for device, part in zip(layout.mesh.global_devices(), shards, strict=True):
            devices[sorted(set(shards)).index(part)].append(
                device.removeprefix("CPU:")
            )
        for place, names in enumerate(devices):
            left.barh(
                row,
                1 / parts,
                left=place / parts,
                color=f"C{place}",
                edgecolor="white",
            )
            left.text(
                (place + 0.5) / parts,
                row,
                " ".join(names),
                ha="center",
                va="center",
                fontsize=8,
            )
    left.set_yticks(
        range(len(model.weights)),
        [weight.name.removesuffix(":0") for weight in model.weights],
    )
    left.set(title="which devices have which part", xticks=[])
    right.semilogy(losses)
    right.set(title="loss", xlabel="step")
    figure.savefig(path)


def main(arguments: Sequence[str] | None = None) -> np.ndarray:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--data", type=int, default=4, help="parts of a batch")
    parser.add_argument("--model", type=int, default=2, help="parts of a weight")
    parser.add_argument("--steps", type=int, default=200, help="steps of training")
    parser.add_argument("--width", type=int, default=32, help="of the embedding")
    parser.add_argument(
        "--output", default="mesh_transformer.png", help="the picture"
    )
    options = parser.parse_args(arguments)
    dtensor.initialize_accelerator_system(
        "CPU", num_logical_cpu_devices=options.data * options.model
    )
    mesh = dtensor.create_mesh({"data": options.data, "model": options.model})
    model = Transformer(mesh, letters=12, length=8, width=options.width, heads=4)
    momenta = [
        dtensor.DVariable(w.numpy() * 0.0, layout=dtensor.fetch_layout(w))
        for w in model.weights
    ]

    @tf.function
    def step(letters: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            rows = tf.nn.sparse_softmax_cross_entropy_with_logits(
                letters[:, ::-1], model(letters)
            )
            loss = tf.reduce_mean(rows)
        for weight, momentum, gradient in zip(
            model.weights, momenta, tape.gradient(loss, model.weights), strict=True
        ):
            momentum.assign(0.9 * momentum + gradient)
            weight.assign_sub(0.05 * momentum)
        return loss

    random = np.random.default_rng(1)
    batches = dtensor.Layout.batch_sharded(mesh, "data", rank=2)
    losses = []
    for number in range(options.steps):
        letters = dtensor.copy_to_mesh(random.integers(0, 12, (64, 8)), batches)
        losses.append(float(step(letters)))
        if number % 50 == 0:
            print(f"step {number}: loss {losses[-1]:.3f}")
    print(dtensor.fetch_layout(model.into_layer).picture(model.into_layer.shape))
    draw(model, np.array(losses), options.output)
    return np.array(losses)


if __name__ == "__main__":
    main()
