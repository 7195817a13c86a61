"""`python -m benchmarks.scale`: bytes, exchanges and processor time of one training step on 1, 2, 4 and 8 virtual devices.

A row is a process of its own. The devices share the cores of this machine, so that no speed-up can be seen; what devices hold and
send is what accelerators would. The model of docs/design/scale.md stands beside what XLA's programs say.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from typing import Any

WIDTHS = (256, 1024, 256, 10)
BATCH = 256
LAYERS, WIDTH, HEADS, SEQUENCES, LENGTH = 2, 256, 8, 16, 64  # of a transformer
ROUNDS = 10
MESHES = ((1, 1), (2, 1), (4, 1), (8, 1), (1, 2), (4, 2), (2, 4), (1, 8))


def expected(data: int, model: int) -> tuple[float, float]:
    """What the model says: the bytes of weights on a device, and those that it sends in a step.

    The columns of one layer and the rows of the next are cut along "model". Data parallel: a sum of the gradients goes round in a
    ring, 2 (n - 1) / n of their bytes. Model parallel: after the pair of layers the activations are summed in the same way.
    """
    weights = sum(4 * a * b // model for a, b in itertools.pairwise(WIDTHS[:-1])) + 4 * WIDTHS[-2] * WIDTHS[-1]
    ring = [2 * (n - 1) / n for n in (data, model)]
    activations = 4 * (BATCH // data) * WIDTHS[2]
    return weights, ring[0] * (weights + (4 if data > 1 else 0)) + ring[1] * activations


def expected_of_transformer(data: int, model: int) -> tuple[float, float]:
    """The same for a transformer whose heads and hidden units are cut along "model".

    Each layer sums activations twice on the way forward, after the attention and after the hidden units, and twice on the way
    back, before them. (The first layer has no gradient to give on.)
    """
    weights = 4 * LAYERS * 12 * WIDTH**2 // model
    ring = [2 * (n - 1) / n for n in (data, model)]
    activations = 4 * (SEQUENCES // data) * LENGTH * WIDTH
    return weights, ring[0] * (weights + (4 if data > 1 else 0)) + ring[1] * activations * (4 * LAYERS - 1)


COLUMNS, ROWS = ["unsharded", "model"], ["model", "unsharded"]


def _variables(mesh: Any, sizes: Any, specs: Any) -> list[Any]:
    import numpy as np

    from gradtape.experimental import dtensor

    random = np.random.default_rng(0)
    return [
        dtensor.DVariable(random.normal(0, a**-0.5, (a, b)).astype("f"), layout=dtensor.Layout(spec, mesh))
        for (a, b), spec in zip(sizes, specs, strict=True)
    ]


def perceptron(mesh: Any) -> tuple[Any, list[Any], list[Any]]:
    """A loss of a batch, its weights, and a batch: three layers."""
    import numpy as np

    import gradtape as tf
    from gradtape.experimental import dtensor

    weights = _variables(mesh, itertools.pairwise(WIDTHS), [COLUMNS, ROWS, ["unsharded", "unsharded"]])
    random = np.random.default_rng(0)
    x = dtensor.copy_to_mesh(
        random.normal(size=(BATCH, WIDTHS[0])).astype("f"), dtensor.Layout.batch_sharded(mesh, "data", 2)
    )
    y = dtensor.copy_to_mesh(random.integers(0, WIDTHS[-1], BATCH), dtensor.Layout.batch_sharded(mesh, "data", 1))

    def loss_of(x: Any, y: Any) -> Any:
        hidden = tf.nn.relu(tf.nn.relu(x @ weights[0]) @ weights[1])
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, hidden @ weights[2]))

    return loss_of, weights, [x, y]


def transformer(mesh: Any) -> tuple[Any, list[Any], list[Any]]:
    """The same for a transformer. One weight gives queries, keys and values, head by head: three would each sum a gradient."""
    import numpy as np

    import gradtape as tf
    from gradtape.experimental import dtensor

    sizes = [(WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]
    weights = _variables(mesh, sizes * LAYERS, [COLUMNS, ROWS] * (2 * LAYERS))
    x = np.random.default_rng(1).normal(size=(SEQUENCES, LENGTH, WIDTH)).astype("f")

    def loss_of(x: Any) -> Any:
        count = x.shape[0]
        for place in range(0, len(weights), 4):
            taken, joined, wide, narrow = weights[place : place + 4]
            heads = tf.reshape(x @ taken, [count, LENGTH, HEADS, 3, WIDTH // HEADS])
            queries, keys, values = tf.unstack(tf.transpose(heads, [3, 0, 2, 1, 4]))
            weighted = tf.nn.softmax(tf.matmul(queries, keys, transpose_b=True) / 8.0) @ values
            x += tf.reshape(tf.transpose(weighted, [0, 2, 1, 3]), [count, LENGTH, WIDTH]) @ joined
            x += tf.nn.relu(x @ wide) @ narrow
        return tf.reduce_mean(x**2)

    return loss_of, weights, [dtensor.copy_to_mesh(x, dtensor.Layout.batch_sharded(mesh, "data", 3))]


MODELS = {"perceptron": (perceptron, expected), "transformer": (transformer, expected_of_transformer)}


def measured(name: str, data: int, model: int) -> dict[str, Any]:
    """One row, in this process."""
    import numpy as np

    import gradtape as tf
    from gradtape.experimental import dtensor
    from gradtape.xla.communication import communication

    mesh = dtensor.create_mesh({"data": data, "model": model}, devices=[f"CPU:{k}" for k in range(data * model)])
    loss_of, weights, batch = MODELS[name][0](mesh)

    @tf.function
    def step(*batch: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(*batch)
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(0.1 * gradient)
        return loss

    first = float(step(*batch))
    began = time.process_time()
    for _ in range(ROUNDS):
        last = step(*batch)
    loss = float(last)
    seconds = (time.process_time() - began) / ROUNDS
    found = [one for one in communication(step) if one.devices > 1]
    held = sum(np.asarray(dtensor.unpack(weight)[0]).nbytes for weight in weights)
    kinds = {kind: sum(one.kind == kind for one in found) for kind in dict.fromkeys(one.kind for one in found)}
    return {
        "held": held,
        "sent": sum(one.sent for one in found),
        "kinds": kinds,
        "ms": 1e3 * seconds,
        "loss": (first, loss),
    }


def main() -> None:
    """Print the tables, in Markdown."""
    if len(sys.argv) == 4:
        print(json.dumps(measured(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
        return
    for name in MODELS:
        _print_table(name)


def _print_table(name: str) -> None:
    columns = (
        "data x model",
        "weights on a device, KB",
        "sent in a step, KB",
        "by the formula",
        "exchanges",
        "processor ms",
    )
    print(f"\n{name}\n\n| " + " | ".join((*columns, "loss after 11 steps")) + " |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for data, model in MESHES:
        flags = f"--xla_force_host_platform_device_count={data * model}"
        command = [sys.executable, "-m", "benchmarks.scale", name, str(data), str(model)]
        done = subprocess.run(
            command, env={**os.environ, "XLA_FLAGS": flags}, capture_output=True, text=True, check=True
        )
        row = json.loads(done.stdout.splitlines()[-1])
        held, sent = MODELS[name][1](data, model)
        assert row["held"] == held, (row["held"], held)
        exchanges = ", ".join(f"{count} {kind}" for kind, count in row["kinds"].items()) or "none"
        print(
            f"| {data} x {model} | {row['held'] / 1e3:.0f} | {row['sent'] / 1e3:.0f} | {sent / 1e3:.0f} | {exchanges} "
            f"| {row['ms']:.1f} | {row['loss'][1]:.5f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
