"""Runs of a program in several processes, some of which lose a process at a random moment."""

from __future__ import annotations

import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass

import numpy as np

WORKER = str(pathlib.Path(__file__).with_name("worker.py"))
STEPS = 40
STARTING = 10.0  # seconds in which processes start, find each other and compile
PATIENCE = 300.0  # seconds for a run: a hang is a failure
NAMED = 30.0  # seconds after which a lost process must be named


def expected_losses(steps: int) -> list[float]:
    """What worker.py ends with, in NumPy."""
    x = np.random.default_rng(0).normal(size=(16, 8)).astype(np.float32)
    whole, cut = np.ones((8, 2), np.float32), np.ones((8, 4), np.float32)
    for _ in range(steps):
        first, second = x @ whole, x @ cut
        losses = [float((first**2).sum() / 16), float((second**2).mean())]
        whole = whole - 0.05 * 2 * x.T @ first / 16
        cut = cut - 0.1 * 2 * x.T @ second / second.size
    return losses


@dataclass
class Run:
    """One run: how many processes, which one was killed and when, and what came of it."""

    processes: int
    killed: str  # "" where none was
    named: float | None  # seconds until the supervisor said so
    resumed: int | None  # the step from which all went on
    seconds: float
    result: str  # "ok", or what went wrong


class _Reader(threading.Thread):
    """What a process prints, each line with its time."""

    def __init__(self, stream: object) -> None:
        super().__init__(daemon=True)
        self._stream, self.lines = stream, list[tuple[float, str]]()
        self.start()

    def run(self) -> None:
        for line in self._stream:  # type: ignore[attr-defined]
            self.lines.append((time.monotonic(), line))

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(line for _, line in self.lines)


def _children(pid: int) -> list[int]:
    try:
        return [int(part) for part in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def run(processes: int, chance: random.Random | None = None) -> Run:
    """Run worker.py in so many processes, one of which is killed at a random moment if there is a chance."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "gradtape", "launch", "--processes", str(processes)]
        command += ["--restarts", "0" if chance is None else "1", WORKER, folder, "0", str(STEPS)]
        environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
        began = time.monotonic()
        launched = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        printed, said = _Reader(launched.stdout), _Reader(launched.stderr)
        found = Run(processes, "", None, None, 0.0, "ok")
        killed_at = None if chance is None else _kill(launched, chance, printed, found)
        try:
            code = launched.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            for pid in [*_children(launched.pid), launched.pid]:
                os.kill(pid, signal.SIGKILL)
            code = None
        printed.join(10.0)
        said.join(10.0)
        found.seconds = time.monotonic() - began
        _judge(found, code, killed_at, printed, said)
        return found


def _kill(launched: subprocess.Popen[str], chance: random.Random, printed: _Reader, found: Run) -> float | None:
    """Kill one of the processes at random: while they start, or after a step; None where they have ended before."""
    if chance.random() < 0.3:
        seconds, step, moment = chance.uniform(0.2, STARTING), "", "while it starts"
    else:
        number = chance.randrange(STEPS)
        seconds, step = chance.uniform(0.0, 0.1), f"[0] step {number}\n" if number else "[0] begins at step 0\n"
        moment = f"in step {number + 1}"
    while len(_children(launched.pid)) < found.processes or step not in printed.text:
        if launched.poll() is not None:
            return None
        time.sleep(0.005)
    time.sleep(seconds)
    children = _children(launched.pid)
    if len(children) < found.processes:
        return None
    lost = chance.randrange(len(children))
    os.kill(children[lost], signal.SIGKILL)
    found.killed = f"process {lost}, {moment}"
    return time.monotonic()


def _judge(found: Run, code: int | None, killed_at: float | None, printed: _Reader, said: _Reader) -> None:
    if code != 0:
        found.result = "it did not end" if code is None else f"exit code {code}: {said.text.strip()[-200:]}"
        return
    if killed_at is not None:
        named = [at - killed_at for at, line in said.lines if re.search(r"process \d of \d was ended", line)]
        if not named:
            found.killed += ", when all was done"
        else:
            found.named = named[0]
            again = [
                int(step) for at, line in printed.lines for step in re.findall(r"\[0\] begins at step (\d+)", line)
            ]
            found.resumed = again[-1]
            if found.named > NAMED:
                found.result = "named too late"
    lines = re.findall(r"\[\d\] losses (.*)", printed.text)
    losses = [[float(number) for number in line.split()] for line in lines]
    if len(losses) != found.processes:
        found.result = f"{len(losses)} of {found.processes} processes came to their end"
    elif not np.allclose(losses, expected_losses(STEPS), rtol=1e-4):
        found.result = f"other losses than those of one process: {losses}"
