"""`gradtape doctor`: what is installed, what runs, and the command that repairs what does not."""

import importlib.metadata
import importlib.util
import os
import platform
import sys
import tempfile
from collections.abc import Callable

import numpy as np

import gradtape as tf

from ..native import engine
from ..version import __version__

# Package, and what needs it.
_OPTIONAL = (
    ("llvmlite", "kernels in machine code"),
    ("keras", "tf.keras"),
    ("matplotlib", "gradtape plot and pictures of tf.diagnostics.Monitor"),
    ("PIL", "tf.io.decode_jpeg and other images"),
    ("tensorboardX", "tf.summary"),
    ("quickjs", "pictures of tape.view() outside of a page"),
    ("jax", 'tf.function(engine="xla")'),
    ("rich", "the live table of tf.diagnostics.Monitor"),
)
_DISTRIBUTION = {"PIL": "pillow", "quickjs": "quickjs-ng"}


def run() -> int:
    """Print the report; 1 if a test of a part failed."""
    print(f"gradtape {__version__}, Python {platform.python_version()} ({sys.executable}), NumPy {np.__version__}")
    print(f"{platform.platform()}, {os.cpu_count()} cores, {len(_affinity())} of them for this process")
    print(f"machine code: {_machine_code()}")
    missing = _packages()
    failed = [name for name, test in _TESTS.items() if not _passes(name, test)]
    for package, purpose in missing:
        print(f"missing: {package}, for {purpose}. Install it: pip install {_DISTRIBUTION.get(package, package)}")
    if os.environ.get("GRADTAPE_NATIVE") == "0":
        print("machine code is turned off by GRADTAPE_NATIVE=0. Turn it on: unset GRADTAPE_NATIVE")
    print("everything that is installed works." if not failed else f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def _affinity() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))


def _machine_code() -> str:
    if not engine.available():
        return "off, NumPy computes everything"
    import llvmlite.binding as llvm

    features = [name for name, has in llvm.get_host_cpu_features().items() if has]
    wide = [name for name in ("avx512f", "avx2", "fma", "neon", "sve") if name in features]
    return f"on, {llvm.get_host_cpu_name()} ({', '.join(wide)})"


def _packages() -> list[tuple[str, str]]:
    missing = []
    for package, purpose in _OPTIONAL:
        if importlib.util.find_spec(package) is None:
            missing.append((package, purpose))
        else:
            name = _DISTRIBUTION.get(package, package)
            print(f"{name} {importlib.metadata.version(name)}: {purpose}")
    return missing


def _passes(name: str, test: Callable[[], bool]) -> bool:
    try:
        passed = test()
    except Exception as error:  # whatever is broken here is what is asked for
        print(f"FAILED {name}: {type(error).__name__}: {error}")
        return False
    print(f"{'ok' if passed else 'FAILED'} {name}")
    return passed


def _tape() -> bool:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.pow(x, 3.0))
    return bool(np.allclose(tape.gradient(y, x), [3.0, 12.0]))


def _function() -> bool:
    square = tf.function(lambda x: x * x + 1.0)
    return bool(np.allclose(square(tf.constant([2.0, 3.0])), [5.0, 10.0])) and square.explain().traces[0].compiled


def _large_arrays() -> bool:
    x = np.linspace(-2.0, 2.0, 300_000, dtype=np.float32)
    return bool(np.allclose(tf.tanh(tf.constant(x)), np.tanh(x), atol=1e-6))


def _threads() -> bool:
    a = np.ones((400, 400), np.float32)
    return bool(np.all(tf.matmul(tf.constant(a), tf.constant(a)).numpy() == 400.0))


def _data() -> bool:
    return [int(sum(b.numpy())) for b in tf.data.Dataset.range(6).map(lambda n: n * 2).batch(3)] == [6, 24]


def _checkpoint() -> bool:
    v = tf.Variable(3.0)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(v=v).save(os.path.join(folder, "state"))
        v.assign(0.0)
        tf.train.Checkpoint(v=v).restore(path)
    return float(v) == 3.0


def _keras() -> bool:
    if importlib.util.find_spec("keras") is None:
        return True
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(tf.ones((8, 2)), tf.ones((8, 1)), epochs=2, verbose=0)
    return bool(history.history["loss"][1] <= history.history["loss"][0])


_TESTS: dict[str, Callable[[], bool]] = {
    "tape": _tape,
    "compiled function": _function,
    "large arrays": _large_arrays,
    "threads": _threads,
    "data": _data,
    "checkpoint": _checkpoint,
    "keras": _keras,
}
