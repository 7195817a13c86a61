"""`gradtape launch`: runs a program in several processes that compute together, and watches them.

A process that ends with an error ends the others: they would wait for it. With restarts left, all begin again, and a program that
saves checkpoints goes on from the last one.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import IO, Any

from ..xla.processes import ADDRESS, COUNT, NUMBER
from .launch import NoSuchProgram

RESTART = "GRADTAPE_RESTART"  # how often the processes were started before
_PATIENCE = 5.0  # seconds for a process that is told to end


class ProcessFailed(Exception):
    """One of the processes ended with an error."""


def run(program: str, arguments: Sequence[str] = (), processes: int = 2, restarts: int = 0, devices: int = 1) -> None:
    """Run a Python file in so many processes, of so many devices each.

    Raises:
        ProcessFailed: A process ended with an error, and there are no restarts left.
    """
    if not os.path.exists(program):
        raise NoSuchProgram(f"there is no file {program!r}. Usage: gradtape launch --processes N SCRIPT [ARGUMENTS]")
    command = [sys.executable, "-m", "gradtape", "run", program, *arguments]
    for restart in range(restarts + 1):
        failure = _Group(command, processes, devices, restart).failure()
        if failure is None:
            return
        if restart == restarts:
            raise ProcessFailed(failure)
        print(
            f"gradtape launch: {failure} Starting again, {restarts - restart} of {restarts} restarts left.",
            file=sys.stderr,
        )


class _Group:
    """Processes that were started together."""

    def __init__(self, command: list[str], count: int, devices: int, restart: int) -> None:
        self._count, self._began = count, time.monotonic()
        self._ended: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
        settings = {ADDRESS: f"127.0.0.1:{_free_port()}", COUNT: str(count), RESTART: str(restart)}
        if devices > 1:
            flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
            settings["XLA_FLAGS"] = flags.strip()
        self._processes: list[subprocess.Popen[str]] = []
        try:
            for number in range(count):
                environment = {**os.environ, **settings, NUMBER: str(number), "PYTHONUNBUFFERED": "1"}
                self._processes.append(_started(command, environment))
        except BaseException:
            self._end()
            raise
        self._watchers = [threading.Thread(target=self._watch, args=(number,)) for number in range(count)]
        for watcher in self._watchers:
            watcher.start()

    def failure(self) -> str | None:
        """Wait until all have ended, or one has failed, which ends the others; what happened in words."""
        try:
            for _ in range(self._count):
                number, code = self._ended.get()
                if code:
                    return self._described(number, code)
            return None
        finally:
            self._end()
            for watcher in self._watchers:
                watcher.join()

    def _described(self, number: int, code: int) -> str:
        how = f"by signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"with exit code {code}"
        seconds = time.monotonic() - self._began
        return f"process {number} of {self._count} was ended {how} after {seconds:.1f} s; the others were stopped."

    def _watch(self, number: int) -> None:
        """Show what a process prints, each line with its number, and tell how it ended."""
        process = self._processes[number]
        with contextlib.suppress(ValueError):  # (the pipe is closed by who ends the process)
            for line in _lines(process.stdout):
                sys.stdout.write(f"[{number}] {line}")
                sys.stdout.flush()
        self._ended.put((number, process.wait()))

    def _end(self) -> None:
        """End what still runs."""
        left = [process for process in self._processes if process.poll() is None]
        for process in left:
            process.terminate()
        until = time.monotonic() + _PATIENCE
        for process in left:
            try:
                process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()


def _started(command: list[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, env=environment, text=True, errors="replace", **pipes)


def _lines(stream: IO[str] | None) -> Iterator[str]:
    assert stream is not None
    yield from stream


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
