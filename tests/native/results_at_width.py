"""Results of kernels in machine code, for `test_widths.py`: run with GRADTAPE_VECTOR_BITS, it writes them to a file.

In `exact` an element's terms have one order, whatever a register holds; in `sums` the order follows the registers.
"""

import sys

import numpy as np

import gradtape as tf
from gradtape.extend import checks
from gradtape.native import engine, sums, thresholds
from gradtape.op.declaration import REGISTRY
from gradtape.ops.nn import conv_kernels, sequence

RNG = np.random.default_rng(0)


def positive(*shape, dtype=np.float32):
    return RNG.uniform(0.5, 1.0, shape).astype(dtype)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def exact():
    """Elementwise functions, steps of layers, updates, pools, convolutions and their gradients in the input."""
    for name, op in sorted(REGISTRY.items()):
        if op.broadcasts and np.dtype(np.float32) in op.dtypes:
            for sample in list(checks.samples(op, np.float32))[:1]:
                operands = [
                    np.resize(value, thresholds.ONE_PASS_ELEMENTS + 7) for value in np.broadcast_arrays(*sample.args)
                ]
                yield f"op {name}", op.eager(*operands, **sample.attributes)
    yield "lstm", sequence.lstm_step.eager(normal(200, 400), normal(200, 100))
    yield "gru", sequence.gru_step.eager(normal(200, 300), normal(200, 300), normal(200, 100))
    weights = tf.Variable(positive(5000))
    tf.raw_ops.ResourceApplyAdam(
        var=weights.handle,
        m=tf.Variable(positive(5000)).handle,
        v=tf.Variable(positive(5000)).handle,
        beta1_power=0.9,
        beta2_power=0.99,
        lr=0.1,
        beta1=0.9,
        beta2=0.99,
        epsilon=1e-7,
        grad=positive(5000),
    )
    yield "adam", weights.numpy()
    images = normal(4, 30, 30, 19)
    for pool in tf.nn.max_pool2d, tf.nn.avg_pool2d:
        x = tf.constant(images)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = pool(x, 3, 2, "SAME")
        yield pool.__name__, (y.numpy(), tape.gradient(y, x).numpy())
    for groups in 1, 19:
        filters, g = normal(3, 3, 19 // groups, 19), normal(4, 30, 30, 19)
        settings = {"strides": (1, 1), "dilations": (1, 1), "padding": "SAME", "groups": groups}
        yield f"conv {groups}", conv_kernels.conv(images, filters, **settings)
        yield (
            f"input gradient {groups}",
            conv_kernels.conv_input_gradient(g, filters, shape=images.shape, **settings),
        )


def added_up():
    """Sums over rows, columns, everything and images, of positive terms."""
    for dtype in np.float32, np.float64:
        for shape in (30_000, 3), (700, 130), (20, 5000), (1, 300_000):
            x = positive(*shape, dtype=dtype)
            case = f"{shape} {x.dtype}"
            yield f"rows {case}", sums.sum_of_rows(x)
            yield f"softmax {case}", tf.nn.softmax(x).numpy()
            yield f"last axis {case}", tf.reduce_sum(x, -1).numpy()
            for axis in None, 0, 1:
                yield f"function {axis} {case}", tf.function(lambda a, axis=axis: tf.reduce_sum(a * a, axis))(x).numpy()
        for window, groups, shape in (
            ((3, 3), 1, (40, 30, 30, 3)),
            ((3, 3), 19, (20, 30, 30, 19)),
            ((5,), 1, (2, 9000, 4)),
        ):
            x, g = positive(*shape, dtype=dtype), positive(*shape[:-1], 19, dtype=dtype)
            settings = {"strides": (1,) * len(window), "dilations": (1,) * len(window), "padding": "SAME"}
            found = conv_kernels.conv_filter_gradient(x, g, window=window, groups=groups, **settings)
            yield f"filter gradient {shape} {x.dtype}", found


def listed(pairs):
    """Each result by name; those of an op with several are numbered."""
    found = {}
    for name, result in pairs:
        for k, one in enumerate(result if isinstance(result, tuple) else (result,)):
            found[f"{name} {k}"] = np.asarray(one)
    return found


if __name__ == "__main__":
    arrays = {f"exact: {name}": result for name, result in listed(exact()).items() if result.dtype != object}
    arrays |= {f"sums: {name}": result for name, result in listed(added_up()).items()}
    np.savez(sys.argv[1], register_bytes=engine.register_bytes(), **arrays)
