"""The two interpreters: this one, and one that has TensorFlow; and running the cases in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import evaluate
from .case import Case

REQUIREMENT = "tensorflow-cpu"
PATIENCE = 60.0  # seconds that one case may take
CRASHED = {"value": {"error": ["crash"], "crash": True, "message": "the process ended"}}
HUNG = {"value": {"error": ["hang"], "crash": True, "message": "no answer in time"}}


def python_of(environment: Path) -> Path:
    """The interpreter of a virtual environment."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def with_tensorflow(folder: Path) -> Path:
    """Build an environment with TensorFlow in the folder; return its interpreter."""
    venv.create(folder, with_pip=True)
    python = python_of(folder)
    print(f"installing {REQUIREMENT} into {folder}", file=sys.stderr)
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", REQUIREMENT], check=True)
    return python


def version(python: Path, package: str) -> str:
    """The version of a package that an interpreter has."""
    question = f"from importlib.metadata import version; print(version({package!r}))"
    for name in (package, f"{package}-cpu"):
        answer = subprocess.run([str(python), "-c", question.replace(package, name)], capture_output=True, text=True)
        if answer.returncode == 0:
            return answer.stdout.strip()
    raise SystemExit(f"{python} has no {package}.")


def run(
    python: Path, library: str, cases: Sequence[Case], folder: Path, patience: float = PATIENCE
) -> list[dict[str, Any]]:
    """The outcome of every case. A case that ends or stops the process is an outcome; the next ones go on in a new one."""
    given, results = folder / f"{library}-cases.jsonl", folder / f"{library}.jsonl"
    given.write_text("".join(json.dumps(c.as_json(n)) + "\n" for n, c in enumerate(cases)), encoding="utf-8")
    results.write_text("", encoding="utf-8")
    errors = folder / f"{library}.log"
    while (done := _lines(results)) < len(cases):
        command = [str(python), evaluate.__file__, library, str(given), str(results), str(done)]
        with errors.open("w", encoding="utf-8") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
            hung = _watch(process, results, patience)
        reached = _lines(results)
        if reached == done and not hung and "ModuleNotFoundError" in errors.read_text(encoding="utf-8"):
            raise SystemExit(errors.read_text(encoding="utf-8"))
        if reached < len(cases):
            with results.open("a", encoding="utf-8") as output:
                output.write(json.dumps({"id": reached, **(HUNG if hung else CRASHED)}) + "\n")
    with results.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _watch(process: subprocess.Popen[bytes], results: Path, patience: float) -> bool:
    """Wait for the end; end the process, and return True, when it makes no progress."""
    size, since = -1, time.monotonic()
    while process.poll() is None:
        time.sleep(0.2)
        now = results.stat().st_size
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > patience:
            process.kill()
            process.wait()
            return True
    return False


def _lines(path: Path) -> int:
    """Whole lines; a half-written last one is cut off."""
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        os.truncate(path, end)
    return data.count(b"\n")
