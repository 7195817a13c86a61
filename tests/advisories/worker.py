"""Runs attempts in this process, which may have little memory only: `python -m tests.advisories.worker FILE START STEP ROOM`.

The number of the attempt that is running stands in FILE, so that whoever started the process knows which one ended it. Attempts
that break the promise are printed, each as a line of JSON.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from . import calls, ops
from .kinds import Attempt
from .promise import broken

LONGEST = 10  # seconds, after which an attempt is interrupted


def attempts() -> Iterator[Callable[[], Attempt]]:
    """All attempts; each is made when it is called."""
    yield from ops.attempts()
    yield from calls.attempts()


def _limit_memory(room: int) -> None:
    """Refuse what goes beyond the present use by more than `room` bytes."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + room
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


class TooLongError(BaseException):
    """Raised by the alarm; nobody who catches exceptions catches it."""


def _interrupt(*_: Any) -> None:
    raise TooLongError


def main(file: str, start: int, step: int, room: int) -> None:
    place = os.open(file, os.O_WRONLY | os.O_CREAT)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _interrupt)
    _limit_memory(room)
    number = -1
    for number, make in itertools.islice(enumerate(attempts()), start, None, step):
        os.pwrite(place, b"%12d" % number, 0)
        attempt = make()
        signal.setitimer(signal.ITIMER_REAL, LONGEST)
        try:
            how = broken(attempt)
        except TooLongError:
            how = f"takes more than {LONGEST} s"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if how is not None:
            print(json.dumps([number, attempt.subject, attempt.kind, attempt.text, how]), flush=True)
    print(json.dumps(number), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
