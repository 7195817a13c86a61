"""The process of one peer: builds steps, shows their results and times rounds, as told line by line.

Requests and answers are JSON, one a line. It stays alive for the whole run, so that the rounds of all
contestants can be interleaved, each with its caches and compiled functions in place.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import json
import os
import sys
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.machine import THREADS, keep_to_two_cores
from benchmarks.peers import CONTESTANTS, PEERS
from benchmarks.step import Unavailable
from benchmarks.timing import autorange, first_call_less_second, timer_of
from benchmarks.workload import Reading, Tracing
from benchmarks.workloads import ROWS


@dataclass(frozen=True)
class Prepared:
    """A step that is ready to be timed: what one round of it takes, in seconds a call (or what it reads)."""

    measure: Callable[[], float]
    calls: int


class Worker:
    def __init__(self, peer: str) -> None:
        self.module = importlib.import_module(PEERS[peer].module)
        self.prepared: dict[str, Prepared] = {}

    def hello(self) -> dict[str, Any]:
        return {"version": str(getattr(self.module, "__version__", "unknown")), "numpy": np.__version__}

    def prepare(self, row: str, contestant: str, seconds: float, numbers: str) -> dict[str, Any]:
        """Build the step, call it once, write its results to the file `numbers`, and size a round."""
        workload = ROWS[row]
        dialect = CONTESTANTS[contestant].dialect(self.module)
        data = workload.data(np.random.default_rng(0))
        step = dialect.build(workload, data)
        if isinstance(workload, Reading):
            self.prepared[contestant] = Prepared(step, 1)
        elif isinstance(workload, Tracing):
            np.savez(numbers, *workload.observed(data, list(dialect.numbers([step(), step.state()]))))
            del step
            build = functools.partial(dialect.build, workload, data)
            self.prepared[contestant] = Prepared(lambda: first_call_less_second(build), 1)
        else:
            results = list(dialect.numbers([step(), step.state()]))
            np.savez(numbers, *workload.observed(data, results))
            timer = timer_of(step)
            calls = autorange(timer, seconds)
            self.prepared[contestant] = Prepared(lambda: timer(calls) / calls, calls)
        return {"calls": self.prepared[contestant].calls}

    def round(self, contestant: str) -> dict[str, Any]:
        if contestant not in self.prepared:
            raise RuntimeError("its process ended during the row and was started anew")
        gc.collect()
        return {"measured": self.prepared[contestant].measure()}

    def release(self) -> dict[str, Any]:
        self.prepared.clear()
        gc.collect()
        return {}


def two_threads(module: types.ModuleType) -> None:
    """For the libraries that do not take it from the environment alone."""
    if module.__name__ == "torch":
        module.set_num_threads(THREADS)
        module.set_num_interop_threads(THREADS)
    elif module.__name__ == "tensorflow":
        module.config.threading.set_intra_op_parallelism_threads(THREADS)
        module.config.threading.set_inter_op_parallelism_threads(THREADS)


def missing_from_gradtape(error: BaseException) -> str | None:
    """The public name that gradtape lacks, if that is what the error is about: `tf.nn.conv2d`."""
    if not isinstance(error, AttributeError) or error.name is None:
        return None
    owner = error.obj if isinstance(error.obj, type | types.ModuleType) else type(error.obj)
    if isinstance(owner, types.ModuleType):
        path = owner.__name__
    else:
        path = f"{owner.__module__.partition('.')[0]}.{owner.__name__}"
    library, _, rest = path.partition(".")
    return ".".join(filter(None, ("tf", rest, error.name))) if library == "gradtape" else None


def answer(worker: Worker, request: dict[str, Any]) -> dict[str, Any]:
    action = request.pop("do")
    actions: dict[str, Callable[..., dict[str, Any]]] = {
        "hello": worker.hello,
        "prepare": worker.prepare,
        "round": worker.round,
        "release": worker.release,
    }
    try:
        return actions[action](**request)
    except Unavailable as error:
        return {"unavailable": str(error)}
    except NotImplementedError as error:
        return {"unavailable": f"not available yet: {error}"}
    except Exception as error:
        if name := missing_from_gradtape(error):
            return {"unavailable": f"not available yet: {name}"}
        return {"failed": f"{type(error).__name__}: {error}"}


def main() -> None:
    (peer,) = sys.argv[1:]
    # What a library prints must not end up between the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    keep_to_two_cores()
    warnings.simplefilter("ignore")
    worker = Worker(peer)
    two_threads(worker.module)
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        for line in sys.stdin:
            print(json.dumps(answer(worker, json.loads(line))), file=answers)


if __name__ == "__main__":
    main()
