"""The worker processes, one for each peer, started when first needed and ended with the run."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self

import numpy as np

from benchmarks import machine
from benchmarks.peers import CONTESTANTS, PEERS, Contestant, Peer
from benchmarks.race import Failed
from benchmarks.step import Array, Unavailable

CHECKOUT = Path(__file__).resolve().parent.parent


class Process:
    """A worker as this side of the pipe sees it. `source` is a folder whose packages stand for the installed ones."""

    def __init__(
        self,
        peer: Peer,
        python: Path,
        log: Path,
        source: Path | None = None,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.peer = peer
        self.log = log
        path = [str(CHECKOUT)]
        if source is not None:
            path.append(str(source))
        if not peer.requirements and "PYTHONPATH" in os.environ:
            path.append(os.environ["PYTHONPATH"])
        with open(log, "w") as errors:
            self.process = subprocess.Popen(
                [str(python), "-m", "benchmarks.worker", peer.name],
                env={**machine.environment(), **environment, "PYTHONPATH": os.pathsep.join(path)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        try:
            self.about = self.ask(do="hello")
        except Exception:
            self.close()
            raise

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise self._death()
        answer: dict[str, Any] = json.loads(line)
        if "unavailable" in answer:
            raise Unavailable(answer["unavailable"])
        if "failed" in answer:
            raise Failed(answer["failed"])
        return answer

    def _death(self) -> Exception:
        self.process.wait()
        words = self.log.read_text().strip().splitlines()
        reason = words[-1] if words else f"exit status {self.process.returncode}"
        if reason.startswith("ModuleNotFoundError"):
            return Unavailable(f"{self.peer.name}: {reason.partition(': ')[2]}")
        return Failed(f"the process of {self.peer.name} ended: {reason}")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


@dataclass(frozen=True)
class WorkerRunner:
    """A contestant of a row, run by its peer's process."""

    process: Callable[[], Process]
    contestant: Contestant
    row: str
    seconds: float
    numbers: Path

    def prepare(self) -> tuple[Sequence[Array], int]:
        try:
            answer = self.process().ask(
                do="prepare",
                row=self.row,
                contestant=self.contestant.name,
                seconds=self.seconds,
                numbers=str(self.numbers),
            )
        except Failed as error:
            if self.contestant.optional:
                raise Unavailable(str(error)) from error
            raise
        if not self.numbers.exists():
            return [], answer["calls"]
        with np.load(self.numbers) as file:
            results = list(file.values())
        self.numbers.unlink()
        return results, answer["calls"]

    def round(self) -> float:
        return float(self.process().ask(do="round", contestant=self.contestant.name)["measured"])


class Crew:
    """Hands out runners, and keeps the processes that they share."""

    def __init__(self, interpreters: dict[str, Path], seconds: float) -> None:
        self.interpreters = interpreters
        self.seconds = seconds
        self.processes: dict[str, Process] = {}
        self.folder = tempfile.TemporaryDirectory(prefix="gradtape-benchmarks-")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in self.processes.values():
            process.close()
        self.folder.cleanup()

    def process(self, peer: str) -> Process:
        """The living process of a peer; one that died is started anew: it costs one row, not the run."""
        process = self.processes.get(peer)
        if process is None or process.process.poll() is not None:
            log = Path(self.folder.name) / f"{peer}.log"
            process = self.processes[peer] = Process(PEERS[peer], self.interpreters[peer], log)
        return process

    def runner(self, row: str, contestant: str) -> WorkerRunner:
        found = CONTESTANTS[contestant]
        numbers = Path(self.folder.name) / f"{found.peer}.npz"
        return WorkerRunner(lambda: self.process(found.peer), found, row, self.seconds, numbers)

    def release(self) -> None:
        """Let the processes forget the row that is over."""
        for process in self.processes.values():
            if process.process.poll() is None:
                process.ask(do="release")

    def ids(self) -> list[int]:
        return [process.process.pid for process in self.processes.values()]

    def versions(self) -> dict[str, str]:
        return {name: process.about["version"] for name, process in self.processes.items()}
