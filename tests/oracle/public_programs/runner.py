"""Runs programs on one library: `python runner.py LIBRARY JOBS.json`; the same in both interpreters.

Each runs in a fork of a process that has imported the library. Its outcome has, for each cell, what it printed and the class
and words of the exception that ended it; and the numbers that the program's global names hold at the end.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import pickle
import signal
import sys
import traceback
import types
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import edits
import made


class TooLong(BaseException):
    """The program did not end in time."""


def main(library: str, jobs: list[dict[str, Any]]) -> None:
    """Run each job; one that ends its process leaves no outcome."""
    if library == "gradtape":
        import gradtape

        tf: Any = gradtape.as_tensorflow()
    else:
        import tensorflow as tf
    made.plots()
    for job in jobs:
        child = os.fork()
        if not child:
            with open(job["log"], "w", encoding="utf-8") as log:
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
                run(tf, job["row"], Path(job["program"]), Path(job["folder"]), Path(job["outcome"]))
                sys.stdout.flush()
                os._exit(0)
        os.waitpid(child, 0)


def run(tf: Any, row: dict[str, Any], program: Path, folder: Path, outcome: Path) -> None:
    """Run the cells one after another; a cell that raises does not end a notebook."""
    os.chdir(folder)
    for name in row.get("folders", ()):
        Path(name).mkdir(exist_ok=True)
    sys.path[0] = os.getcwd()
    made.install(tf, row.get("rows", made.ROWS), row.get("gym", "old"))
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    sys.argv = [program.name, *row.get("arguments", [])]
    module.__file__ = str(Path(program.name).resolve())
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(int(row.get("seconds", 120)))
    cells = []
    for number, text in enumerate(edits.cells_of(program)):
        printed, error = _run(edits.edited(text, row), number, module)
        cells.append((printed, error))
        if error and (program.suffix == ".py" or error.startswith("TooLong")):
            break
    signal.alarm(0)
    given = {
        name: value for name, value in vars(module).items() if name[0] != "_" and name not in row.get("drop_names", ())
    }
    named = {name: _numbers(value, tf) for name, value in given.items()}
    found = {name: numbers for name, numbers in named.items() if numbers is not None}
    outcome.write_bytes(pickle.dumps({"cells": cells, "names": found}))


def _too_long(*signal: object) -> None:
    raise TooLong("no end in time")


def _run(text: str, number: int, module: types.ModuleType) -> tuple[str, str]:
    """Run a cell, print the value of its last expression as a notebook does."""
    file = Path(f"cell_{number:03d}.py").resolve()
    file.write_text(text, encoding="utf-8")
    printed = io.StringIO()
    try:
        tree = ast.parse(text, str(file))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, str(file), "exec"), vars(module))
            if last is not None:
                value = eval(compile(ast.Expression(last.value), str(file), "eval"), vars(module))
                if value is not None:
                    print(repr(value))
    except SystemExit:
        pass
    except (Exception, TooLong) as error:
        traceback.print_exc()
        return printed.getvalue(), f"{type(error).__name__}: {error}"
    return printed.getvalue(), ""


def _numbers(value: Any, tf: Any, depth: int = 0) -> list[Any] | None:
    """The arrays of numbers that a value is made of; None if it has none."""
    if isinstance(value, bool | int | float | complex | np.generic | np.ndarray):
        array = np.asarray(value)
        return [array] if array.dtype.kind in "biufc" else None
    with contextlib.suppress(Exception):
        if isinstance(value, tf.Tensor | tf.Variable):
            return _numbers(value.numpy(), tf, depth)
        if isinstance(
            value, tf.keras.Model | tf.keras.layers.Layer | tf.keras.optimizers.Optimizer | tf.keras.metrics.Metric
        ):
            return [np.asarray(v) for v in value.variables] or None
        if isinstance(value, tf.Module):
            return [v.numpy() for v in value.variables] or None
        if isinstance(value, tf.RaggedTensor):
            return [value.flat_values.numpy()]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple) and depth < 3:
        parts = [_numbers(part, tf, depth + 1) for part in value[:200]]
        return [array for part in parts if part for array in part] or None
    return None


if __name__ == "__main__":
    main(sys.argv[1], json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")))
