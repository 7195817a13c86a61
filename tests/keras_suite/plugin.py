"""What pytest needs to run Keras's tests outside of Keras's repository (`-p tests.keras_suite.plugin`).

The wheel has the tests but not the configuration beside them: the backend is chosen here, the marks are declared, and the
outcome of each test is written to the file named by KERAS_SUITE_OUTCOMES, one JSON object a line. Tests named in the file
KERAS_SUITE_DONE are left out.

On gradtape the tests meet what a script meets under `gradtape run`: `import tensorflow` gives gradtape. Many of them ask for
the backend's name before they use something that TensorFlow alone has (sparse and ragged tensors, strings, tf.data), and
would leave gradtape out. To the tests and their base class, and to nobody else, the backend is therefore called tensorflow
(KERAS_SUITE_NAME). Files that import TensorFlow's internals get TensorFlow itself, and the name of gradtape.
"""

from __future__ import annotations

import json
import os
import random
import sys
import types
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.keras_suite.runs import name_of


def _stand_for_tensorflow() -> None:
    """To the modules of tests the backend is called tensorflow, and has its trainer; to all others it keeps its name."""
    import gradtape
    from keras_gradtape import hook

    gradtape.as_tensorflow()
    hook.load()
    from keras.src.backend import config

    from keras_gradtape.trainer import GradtapeTrainer

    theirs = types.ModuleType("keras.src.backend.tensorflow")
    trainer = types.ModuleType("keras.src.backend.tensorflow.trainer")
    trainer.TensorFlowTrainer = GradtapeTrainer  # type: ignore[attr-defined]
    theirs.__path__ = []
    sys.modules |= {module.__name__: module for module in (theirs, trainer)}

    def backend() -> Any:
        asks = sys._getframe(1).f_globals["__name__"]
        return "tensorflow" if asks.endswith(("_test", ".test_case")) else config._BACKEND

    own_name = config.backend
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "keras" and vars(module).get("backend") is own_name:
            module.backend = backend  # type: ignore[attr-defined]


if os.environ["KERAS_SUITE_BACKEND"] != "gradtape":
    os.environ["KERAS_BACKEND"] = os.environ["KERAS_SUITE_BACKEND"]
elif os.environ["KERAS_SUITE_NAME"] == "tensorflow":
    _stand_for_tensorflow()
else:
    import gradtape.keras  # noqa: F401


def skip_if_backend(backend: str, reason: str) -> pytest.MarkDecorator:
    """What the tests import from the `conftest` of Keras's repository."""
    import keras

    return pytest.mark.skipif(keras.backend.backend() == backend, reason=reason)


_conftest = types.ModuleType("conftest")
_conftest.skip_if_backend = skip_if_backend  # type: ignore[attr-defined]
sys.modules["conftest"] = _conftest

MARKS = ("requires_trainable_backend", "multi_device")


def pytest_configure(config: pytest.Config) -> None:
    for mark in MARKS:
        config.addinivalue_line("markers", f"{mark}: declared by Keras")
    config.addinivalue_line("filterwarnings", "ignore")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    done = set(Path(os.environ["KERAS_SUITE_DONE"]).read_text(encoding="utf-8").splitlines())
    items[:] = [item for item in items if item.nodeid not in done]
    for item in items:
        if item.get_closest_marker("multi_device"):
            item.add_marker(pytest.mark.skip(reason="needs several devices"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin each test with numbers of its own, the same in every run.

    Keras's tests draw without a seed, and some compare float32 with a tolerance that one draw in a thousand exceeds on
    every backend (`conv_test`: an output that cancels to almost nothing).
    """
    seed = zlib.crc32(name_of(item.nodeid).encode())
    random.seed(seed)
    np.random.seed(seed)


def pytest_runtest_logstart(nodeid: str) -> None:
    _write(test=nodeid, outcome="started", reason="", seconds=0.0)


def _write(**outcome: Any) -> None:
    with open(os.environ["KERAS_SUITE_OUTCOMES"], "a", encoding="utf-8") as file:
        file.write(json.dumps(outcome) + "\n")


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _write(test=report.nodeid, outcome="failed", reason=_last_line(report.longrepr), seconds=0.0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # A test has three reports; what fails or skips before and after the call counts too.
    if report.when != "call" and report.passed:
        return
    _write(
        test=report.nodeid,
        outcome=report.outcome,
        reason="" if report.passed else _last_line(report.longrepr),
        seconds=round(report.duration, 3),
    )


def _last_line(longrepr: Any) -> str:
    if isinstance(longrepr, tuple):  # a skip: file, line, reason
        return str(longrepr[2]).removeprefix("Skipped: ")[:300]
    crash = getattr(longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(longrepr)
    lines = [line.removeprefix("E   ").strip() for line in text.splitlines() if line.strip()]
    marked = [line for line in lines if "Error" in line or "Exception" in line]
    return (marked or lines or [""])[0 if crash is not None else -1][:300]
