"""What gradtape relies on beyond what Python and NumPy promise: it is tried once, at its first use, and there is another way.

Each reliance is a function that says what it takes for granted. Where the trial fails (another interpreter, another NumPy) there
is one notice, and the other way is taken. Those of machine code stand in native/abi.py.
"""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable

import numpy as np

from .locks import new_rlock

LOGGER = logging.getLogger("gradtape")

_LOCK = new_rlock()  # so that there is one trial, and one notice
SAME = "The results are the same."


class Reliance:
    """Something relied on; a call says whether it holds. `trial` finds out, at the first call."""

    def __init__(self, trial: Callable[[], bool], otherwise: str, results: str = SAME) -> None:
        self.trial, self.otherwise, self.results = trial, otherwise, results
        self._holds: bool | None = None
        self.__name__, self.__doc__ = trial.__name__, trial.__doc__

    def __call__(self) -> bool:
        if self._holds is None:
            with _LOCK:
                failure = self._failure() if self._holds is None else None
            if failure is not None:  # (logged last: a log handler may use gradtape)
                LOGGER.warning(
                    "%s %s with NumPy %s is not inside as gradtape knows it (%s: %s). %s %s",
                    platform.python_implementation(), platform.python_version(), np.__version__, self.__name__, failure,
                    self.otherwise, self.results,
                )  # fmt: skip
        return bool(self._holds)

    def _failure(self) -> str | None:
        try:
            failure = None if self.trial() else "the trial gave another result"
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
        self._holds = failure is None
        return failure


RELIANCES: dict[str, Reliance] = {}


def otherwise(otherwise: str, results: str = SAME) -> Callable[[Callable[[], bool]], Reliance]:
    """Decorator: a trial becomes a reliance; where it fails, this is done, and this is said of the results."""

    def declare(trial: Callable[[], bool]) -> Reliance:
        found = RELIANCES[trial.__name__] = Reliance(trial, otherwise, results)
        return found

    return declare
