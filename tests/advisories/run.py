"""Runs attempts in processes with little memory; one that ends its process is noted, and a new process goes on after it."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .worker import attempts

ROOT = Path(__file__).parents[2]
ROOM = 600 * 2**20  # bytes that an attempt may ask for
PATIENCE = 3600  # seconds for a process


def run(first: int = 0, step: int = 1) -> list[Any]:
    """Every `step`-th attempt from `first` on: those that break the promise, as [number, subject, kind, text, how]."""
    found: list[Any] = []
    start: int | None = first
    while start is not None:
        rows, end = _process(start, step)
        found += rows
        if end is not None:
            found.append(_blamed(*end))
        start = None if end is None else end[0] + step
    return found


def _process(start: int, step: int) -> tuple[list[Any], tuple[int, str] | None]:
    """What one process found, and the attempt that ended it before all were done, with the process's last words."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "running"
        arguments = [sys.executable, "-m", "tests.advisories.worker", str(file), str(start), str(step), str(ROOM)]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
        try:
            done = subprocess.run(
                arguments, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=PATIENCE
            )
            output, code, words = done.stdout, done.returncode, done.stderr
        except subprocess.TimeoutExpired as late:
            output, code, words = (late.stdout or b"").decode(), -1, "too late"
        lines = [json.loads(line) for line in output.splitlines()]
        if code == 0:
            return lines[:-1], None
        if not file.exists():
            raise RuntimeError(f"no attempt was made: {words}")
        return lines, (int(file.read_text()), f"{code}: {words.strip().rpartition(chr(10))[2]}")


def _blamed(number: int, words: str) -> list[Any]:
    attempt = next(itertools.islice(attempts(), number, None))()
    return [number, attempt.subject, attempt.kind, attempt.text, f"ends the process ({words})"]
