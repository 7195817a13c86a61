"""Installs the built wheel with each extra alone, and uses what the extra is for: `python -m tests.install.extras`.

It writes docs/extras.md. Names of extras as arguments try these alone, and write nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from .environments import ROOT, Interpreter, fresh, wheel

PAGE = ROOT / "docs" / "extras.md"
_GRADIENT = """
import gradtape as tf
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x**2
assert tape.gradient(y, x).numpy() == 6.0
"""
# What must work with an extra, and no other.
PROGRAMS = {
    "": _GRADIENT,
    "native": """
import llvmlite, gradtape as tf
f = tf.function(lambda x: tf.tanh(x) * 2)
f(tf.ones([4])), f(tf.ones([100000]))
""",
    "keras": """
import gradtape as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(tf.ones([4, 2]), tf.ones([4, 1]), verbose=0)
assert tf.keras.backend.backend() == "gradtape"
""",
    "plot": _GRADIENT.replace("y = x**2", "y = x**2\ntape.view(y).save('view.svg')\ntape.view(y).save('view.png')"),
    "summary": """
import gradtape as tf
with tf.summary.create_file_writer("logs").as_default():
    tf.summary.scalar("a", 1.0, step=1)
""",
    "image": """
import gradtape as tf
image = tf.zeros([2, 2, 3], tf.uint8)
assert tf.io.decode_png(tf.io.encode_png(image)).shape == (2, 2, 3)
""",
    "all": _GRADIENT.replace("y = x**2", "y = x**2\n    assert tf.keras.backend.backend() == 'gradtape'"),
    "test": "import hypothesis, mpmath, pytest, xdist\nassert pytest.main(['--version']) == 0",
    "docs": "import material, mkdocs, mkdocstrings, nbformat",
    "fuzz": "import atheris",
    "xla": "import gradtape as tf\nassert tf.function(lambda x: x * 2, engine='xla')(tf.constant(3.0)).numpy() == 6.0",
}


class Trial(NamedTuple):
    extra: str
    packages: int
    seconds: float
    said: str  # what went wrong


def tried(extra: str, built: Path, folder: Path) -> Trial:
    """The wheel with one extra in an environment of its own."""
    start, place = time.monotonic(), folder / (extra or "alone")
    try:
        here = Interpreter(sys.version_info.minor, sys.executable)
        python = fresh(here, place, f"{built}[{extra}]" if extra else str(built))
    except subprocess.CalledProcessError as error:
        return Trial(extra, 0, time.monotonic() - start, f"the install failed: {error}")
    seconds = time.monotonic() - start
    listed = subprocess.run([python, "-m", "pip", "freeze"], capture_output=True, text=True, check=True).stdout
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [python, "-I", "-c", PROGRAMS[extra]]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    return Trial(extra, len(listed.splitlines()), seconds, done.stderr[-2000:] if done.returncode else "")


def page(trials: list[Trial]) -> str:
    """The page: what each extra brought, and whether it did what it is for."""
    rows = ""
    for trial in trials:
        name = f"gradtape[{trial.extra}]" if trial.extra else "gradtape"
        rows += f"| `{name}` | {trial.packages} | {'**failed**' if trial.said else 'passed'} |\n"
    return f"""# Each extra by itself

Written by `python -m tests.install.extras`. The built wheel was installed into a fresh environment with one extra at a time, and
a program used what the extra is for.

| install | packages | its program |
| --- | ---: | --- |
{rows}"""


def main(chosen: list[str]) -> int:
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as workers:
        built = wheel(Path(name))
        trials = list(workers.map(lambda extra: tried(extra, built, Path(name)), chosen or PROGRAMS))
    for trial in trials:
        print(
            f"{trial.extra or 'no extra'}: {trial.packages} packages, {trial.seconds:.0f} s. {trial.said or 'passed'}"
        )
    if not chosen:
        PAGE.write_text(page(trials), encoding="utf-8")
    return int(any(trial.said for trial in trials))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
