"""ADBench's objectives, from a checkout of its repository: `python -m benchmarks.adbench --source DIR`.

Its TensorFlow module runs unmodified on gradtape, once as it is and once with the objective in a `tf.function`, beside its
PyTorch module; with `--peers torch,tf` beside TensorFlow too, which takes minutes. Each runs in a process of its own, on one
thread, in turns. The best round of one Jacobian counts, and all must give the same values: else the exit status is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from benchmarks import venvs
from benchmarks.machine import ENVIRONMENT, THREADS, environment
from benchmarks.peers import PEERS
from benchmarks.timing import clock

CHECKOUT = Path(__file__).resolve().parent.parent
OBSERVATIONS = 200  # of bundle adjustment: all 31,843 take minutes, each as long as the others
_TOLERANCE = 1e-5  # (PyTorch's modules compute some parts in float32)


@dataclass(frozen=True)
class Objective:
    """One of ADBench's problems.

    Args:
        title: What it is.
        module: The name of its class, less that of the library.
        data: The function of ADBench that reads the data.
        files: What that is given, below the folder of data.
        functions: What a `tf.function` is made of, in the module: each with the number of its arguments that are tensors there.
        options: What else the reader is given.
    """

    title: str
    module: str
    data: str
    files: tuple[str, ...]
    functions: dict[str, int]
    options: tuple[Any, ...] = ()

    def read(self, source: Path) -> Any:
        """The data, as ADBench gives it to its modules."""
        reader = getattr(importlib.import_module("shared.input_utils"), self.data)
        given = reader(*(str(source / "data" / file) for file in self.files), *self.options)
        if self.module == "BA":
            parts = {name: getattr(given, name)[:OBSERVATIONS] for name in ("obs", "feats", "w")}
            return dataclasses.replace(given, **parts)
        return given


OBJECTIVES = {
    "gmm": Objective(
        "GMM, d 10, K 25, 1,000 points", "GMM", "read_gmm_instance", ("gmm/1k/gmm_d10_K25.txt",), {"gmm_objective": 4}, (False,)
    ),
    "lstm": Objective("LSTM, l 2, c 1024", "LSTM", "read_lstm_instance", ("lstm/lstm_l2_c1024.txt",), {"lstm_objective": 4}),
    "hand": Objective(
        "hand tracking, simple, c 100", "Hand", "read_hand_instance",
        ("hand/simple_small/model", "hand/simple_small/hand1_t26_c100.txt"), {"hand_objective": 1}, (False,),
    ),
    "ba": Objective(
        f"bundle adjustment, ba1, {OBSERVATIONS} observations", "BA", "read_ba_instance", ("ba/ba1_n49_m7776_p31843.txt",),
        {"compute_reproj_err": 4, "compute_w_err": 1},
    ),
}  # fmt: skip

CONTESTANTS = {"gradtape": "gradtape", "gradtape function": "gradtape", "torch": "torch", "tf": "tf"}


# --- the process of one contestant -------------------------------------------------------------------------------------------


def _module(contestant: str, objective: Objective) -> Any:
    """An object of ADBench's class for the objective."""
    library = "PyTorch" if contestant == "torch" else "Tensorflow"
    if CONTESTANTS[contestant] == "gradtape":
        import gradtape

        gradtape.as_tensorflow()
    name = f"{library}{objective.module}"
    module = importlib.import_module(f"modules.{library}.{name}")
    if contestant == "gradtape function":
        for function, tensors in objective.functions.items():
            setattr(module, function, _traced(getattr(module, function), tensors))
    return getattr(module, name)()


def _traced(function: Callable[..., Any], tensors: int) -> Callable[..., Any]:
    """The function of its first arguments as a `tf.function`; the others, which stay the same, are constants of the trace.

    Numbers and positions among these are Python's and NumPy's, as in ADBench's own modules for TensorFlow's graphs.
    """
    import gradtape

    def plain(value: Any) -> Any:
        is_number = isinstance(value, gradtape.Tensor) and (value.dtype.is_integer or not value.shape.rank)
        return value.numpy()[()] if is_number else value

    compiled: list[Any] = []

    def call(*arguments: Any) -> Any:
        if not compiled:
            constants = [plain(value) for value in arguments[tensors:]]
            compiled.append(gradtape.function(lambda *given: function(*given, *constants)))
        return compiled[0](*arguments[:tensors])

    return call


_FIELD: Any = dataclasses.field


def _field(default: Any = dataclasses.MISSING, **options: Any) -> Any:
    """`dataclasses.field` that takes arrays and records as defaults, as it did when ADBench was written."""
    if default.__hash__ is None:
        return _FIELD(default_factory=lambda: default, **options)
    return _FIELD(default=default, **options)


def _numbers(output: Any) -> Iterator[np.ndarray[Any, Any]]:
    """What a module has computed, as arrays."""
    for field in dataclasses.fields(output):
        value = getattr(output, field.name)
        yield np.asarray([*value.vals] if hasattr(value, "vals") else value, np.float64).reshape(-1)


def serve(contestant: str, name: str, source: Path, numbers: Path) -> None:
    """Compute once, write the numbers, then answer each line with the seconds of one more Jacobian."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(source / "src" / "python"))
    if contestant == "torch":
        importlib.import_module("torch").set_num_threads(1)
    objective = OBJECTIVES[name]
    with mock.patch.object(dataclasses, "field", _field):
        importlib.import_module("shared.input_utils")
    test, given, now = _module(contestant, objective), objective.read(source), clock()

    def jacobian() -> float:
        test.prepare(given)
        start = now()
        test.calculate_jacobian(1)
        return now() - start

    print(json.dumps({"first": jacobian()}), file=answers)
    np.savez(numbers, *_numbers(test.output()))
    for _ in sys.stdin:
        print(json.dumps({"seconds": jacobian()}), file=answers)


# --- the other side ------------------------------------------------------------------------------------------------------------


class Process:
    """A contestant as this side sees it."""

    def __init__(self, contestant: str, name: str, source: Path, python: Path, folder: Path) -> None:
        self._numbers = folder / f"{name}-{contestant}.npz"
        self._log = folder / f"{name}-{contestant}.log"
        one = {key: "1" for key, value in ENVIRONMENT.items() if value == str(THREADS)}
        path = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH"))))
        command = [
            str(python),
            "-m",
            "benchmarks.adbench",
            "--source",
            str(source),
            "--serve",
            contestant,
            name,
            str(self._numbers),
        ]
        with open(self._log, "w") as errors:
            self._process = subprocess.Popen(
                command,
                env={**environment(), **one, "PYTHONPATH": path},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self.first = self._answer()["first"]

    def round(self) -> float:
        """The seconds of one Jacobian."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._answer()["seconds"])

    def numbers(self) -> list[np.ndarray[Any, Any]]:
        """What it has computed (after a round, when all of it is written)."""
        with np.load(self._numbers) as file:
            return list(file.values())

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            words = self._log.read_text().strip().splitlines()
            raise RuntimeError(
                next((w for w in reversed(words) if "Error: " in w), words[-1])
                if words
                else f"exit status {self._process.returncode}"
            )
        answer: dict[str, Any] = json.loads(line)
        return answer


def _farthest(found: Sequence[np.ndarray[Any, Any]], expected: Sequence[np.ndarray[Any, Any]]) -> float:
    """How far the numbers are apart, in units of their size."""
    apart = [
        float(np.linalg.norm(a - b) / (np.linalg.norm(b) or 1.0)) if a.shape == b.shape else np.inf
        for a, b in zip(found, expected, strict=True)
    ]
    return max(apart)


def compare(name: str, contestants: Sequence[str], rounds: int, start: Callable[[str], Process]) -> bool:
    """Race the contestants and print the row; whether all have the values of the first."""
    print(OBJECTIVES[name].title, flush=True)
    agree = True
    with contextlib.ExitStack() as stack:
        running: dict[str, Process] = {}
        for contestant in contestants:
            try:
                running[contestant] = start(contestant)
            except RuntimeError as error:
                print(f"  {contestant:<20} {error}")
                agree = False
                continue
            stack.callback(running[contestant].close)
        best = dict.fromkeys(running, float("inf"))
        for _ in range(rounds):
            for contestant, process in running.items():
                best[contestant] = min(best[contestant], process.round())
        if not running:
            return False
        expected = next(iter(running.values())).numbers()
        for contestant, process in running.items():
            ratios = [f"{best[contestant] / best[other]:.2f} x {other}" for other in running if other != contestant]
            apart = _farthest(process.numbers(), expected)
            words = ", ".join(ratios) if CONTESTANTS[contestant] == "gradtape" else ""
            print(
                f"  {contestant:<20} {best[contestant] * 1e3:10.1f} ms   first {process.first * 1e3:8.0f}   {words}",
                flush=True,
            )
            if not apart < _TOLERANCE:
                agree = False
                print(f"  {'':<20} its values are {apart:.1e} away from those of {next(iter(running))}")
    return agree


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.adbench", description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--source", type=Path, required=True, help="a checkout of ADBench")
    parser.add_argument("--only", default=",".join(OBJECTIVES), help="objectives, divided by commas")
    parser.add_argument("--peers", default="torch", help="torch, tf, both divided by a comma, or neither")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of which the best counts")
    parser.add_argument("--venvs", type=Path, default=venvs.default_folder(), help="home of the peers")
    parser.add_argument("--serve", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.serve:
        serve(options.serve[0], options.serve[1], options.source, Path(options.serve[2]))
        return 0
    peers = ["gradtape", *filter(None, options.peers.split(","))]
    interpreters = {peer: venvs.interpreter(PEERS[peer], options.venvs) for peer in peers}
    contestants = [name for name, peer in CONTESTANTS.items() if peer in peers]
    agree = True
    with tempfile.TemporaryDirectory(prefix="gradtape-adbench-") as folder:
        for name in options.only.split(","):

            def start(contestant: str, name: str = name) -> Process:
                return Process(contestant, name, options.source, interpreters[CONTESTANTS[contestant]], Path(folder))

            agree &= compare(name, contestants, options.rounds, start)
    return int(not agree)


if __name__ == "__main__":
    sys.exit(main())
