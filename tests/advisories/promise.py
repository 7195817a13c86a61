"""What is promised for any argument: a result or an error with a name, in a second."""

from __future__ import annotations

import time

import numpy as np

from gradtape import errors, nest
from gradtape.values.tensor import Tensor

from .kinds import Attempt

SECONDS = 1.0
NAMED = (ValueError, TypeError)  # as TensorFlow raises them; all others have a class in gradtape.errors


def broken(attempt: Attempt) -> str | None:
    """How an attempt breaks the promise; None if it keeps it."""
    found, seconds = _timed(attempt)
    if seconds > SECONDS:  # once more: the first call may have compiled something, or waited for the machine
        found, seconds = _timed(attempt)
    return f"takes {seconds:.0f} s" if seconds > SECONDS else found


def _timed(attempt: Attempt) -> tuple[str | None, float]:
    start = time.process_time()
    found = _outcome(attempt)
    return found, time.process_time() - start


def _outcome(attempt: Attempt) -> str | None:
    try:
        result = attempt.call()
    except Exception as error:
        if type(error) in NAMED or type(error).__module__ == errors.__name__:
            return None if str(error) else f"{type(error).__name__} without a message"
        return f"{type(error).__module__}.{type(error).__name__}: {str(error)[:100]}".removeprefix("builtins.")
    for leaf in nest.flatten(result):
        if isinstance(leaf, Tensor) and not isinstance(leaf._array, (np.ndarray, np.generic, bytes)):
            return f"a tensor of {type(leaf._array).__name__}"
    return None
