"""`tf.autograph.set_verbosity` and `tf.autograph.trace`: what AutoGraph logs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

_level: int | None = None
_to_stdout = False


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Set how much AutoGraph logs on standard error: 0 nothing, 1 what it converts, 3 and more also the generated code.

    The default is the environment variable AUTOGRAPH_VERBOSITY. With `alsologtostdout` it logs to standard output too.

    >>> import gradtape as tf
    >>> tf.autograph.set_verbosity(0)

    Args:
        level: How much is said: 0 for nothing, larger numbers for more.
        alsologtostdout: Whether to log to standard output too.
    """
    global _level, _to_stdout
    _level, _to_stdout = int(level), bool(alsologtostdout)


def trace(*args: object) -> None:
    """Print the arguments while a function is traced; a help for debugging.

    >>> import gradtape as tf
    >>> tf.autograph.trace("x is", 3)
    x is 3

    Args:
        *args: What to print.
    """
    print(*args)


def log(level: int, text: Callable[[], str]) -> None:
    """Log a message, which is only written if the verbosity is high enough."""
    current = int(os.environ.get("AUTOGRAPH_VERBOSITY", "0")) if _level is None else _level
    if level <= current:
        print(message := text(), file=sys.stderr)
        if _to_stdout:
            print(message)
