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
        rows, ended_at = _process(start, step)
        found += rows
        if ended_at is not None:
            found.append(_blamed(ended_at))
        start = None if ended_at is None else ended_at + step
    return found


def _process(start: int, step: int) -> tuple[list[Any], int | None]:
    """What one process found, and the attempt that ended it before all were done."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "running"
        arguments = [sys.executable, "-m", "tests.advisories.worker", str(file), str(start), str(step), str(ROOM)]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
        try:
            done = subprocess.run(
                arguments, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=PATIENCE
            )
            output, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            output, code = (late.stdout or b"").decode(), -1
        lines = [json.loads(line) for line in output.splitlines()]
        if code == 0:
            return lines[:-1], None
        if not file.exists():
            raise RuntimeError(f"no attempt was made: {done.stderr}")
        return lines, int(file.read_text())


def _blamed(number: int) -> list[Any]:
    attempt = next(itertools.islice(attempts(), number, None))()
    return [number, attempt.subject, attempt.kind, attempt.text, "ends the process"]
