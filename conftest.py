"""How tests are run, and what the doctests of the package may take as given: `import gradtape as tf`, `import numpy as np`."""

import functools
import gc
import importlib.util
import os
import pathlib
from typing import Any

import numpy as np
import pytest

# Tests, and the processes that they start, share machine code in a folder of their own, and leave that of the user alone.
os.environ.setdefault("GRADTAPE_CACHE", str(pathlib.Path(__file__).parent / ".pytest_cache" / "kernels"))

import gradtape as tf
from gradtape.op.declaration import REGISTRY

# No doctests there: these modules are imported by Keras, in its order, or are programs.
collect_ignore_glob = [
    "tests/checkers/right/*.py",  # programs for type checkers
    "tests/checkers/wrong/*.py",
    "src/keras_gradtape/*",
    "src/gradtape/keras.py",
    "tests/keras_suite/plugin.py",
    "tests/keras_numbers/program.py",
    "tests/install/smoke.py",
]
if importlib.util.find_spec("jax") is None:  # the extra `xla`; its tests say so
    collect_ignore_glob += ["src/gradtape/xla/[!_]*.py", "tests/xla/census.py", "src/gradtape/distribute/dtensor.py"]
    collect_ignore_glob += ["src/gradtape/distribute/mesh.py", "src/gradtape/distribute/dtensor_files.py"]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """A plain `pytest` uses all cores. Tests that are chosen start sooner in this process, and can be debugged there."""
    option = config.option
    chosen = config.args_source is pytest.Config.ArgsSource.ARGS or option.keyword or option.markexpr != "not full"
    alone = option.usepdb or option.collectonly or hasattr(config, "workerinput")  # (which workers have)
    if getattr(option, "numprocesses", 0) is None and not chosen and not alone:
        option.numprocesses = "auto"


def pytest_configure(config: pytest.Config) -> None:
    """`-m quick` is spared what none of its tests uses: the doctests, and Hypothesis, which takes 0.3 s to import."""
    if config.option.markexpr == "quick":
        config.option.doctestmodules = False
        return
    import hypothesis

    # How long a generated input takes says how busy the machine is.
    unhurried = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
    hypothesis.settings.register_profile("gradtape", **unhurried)
    hypothesis.settings.load_profile("gradtape")


def pytest_collection_finish() -> None:
    """What was imported for the tests stays: the collector need not look at it again, which takes 0.1 s each time."""
    gc.freeze()


def pytest_ignore_collect(collection_path: pathlib.Path, config: pytest.Config) -> bool | None:
    """`-m quick` imports the files that name the mark, and no others: to import all takes longer than to run these."""
    return True if config.option.markexpr == "quick" and collection_path not in _quick_paths(config.rootpath) else None


@functools.cache
def _quick_paths(root: pathlib.Path) -> set[pathlib.Path]:
    """The files with quick tests, and the folders on the way to them."""
    files = [path for path in (root / "tests").rglob("*.py") if "mark.quick" in path.read_text(encoding="utf-8")]
    return {*files, *(folder for path in files for folder in path.parents)}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """One thread of BLAS for each worker: more threads than cores are slower."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.fixture(autouse=True, scope="session")
def _doctest_names(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace["tf"] = tf
    doctest_namespace["np"] = np


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """The examples of `gradtape.extend` declare ops, which tests of the registry are not to find."""
    if item.name.startswith(("gradtape.extend.", "gradtape.op.")):
        for name in [name for name in REGISTRY if name.startswith("example_")]:
            del REGISTRY[name]
