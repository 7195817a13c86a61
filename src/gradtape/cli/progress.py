"""One line on a terminal that shows how far a loop has come, and a few plain lines anywhere else.

Written here because it is forty lines: a progress library would be one more dependency of every install.
"""

import sys
import time
from types import TracebackType
from typing import Self, TextIO

__all__ = ["ProgressBar"]

_WIDTH = 30
_REDRAW_SECONDS = 0.05


class ProgressBar:
    """Progress over `total` steps, on stderr, so that redirected results stay clean.

    On a terminal the line is redrawn in place. In a log or a pipe, where `\\r` would leave rubbish, each
    tenth of the way gets a line of its own. Leaving the `with` block ends the line on every path, so that a
    message after Ctrl-C starts at the margin.
    """

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self.total = total
        self.stream = sys.stderr if stream is None else stream
        self._in_place = self.stream.isatty()
        self._line_is_open = False
        self._drawn_at = 0.0
        self._tenths = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._line_is_open:
            self.stream.write("\n")
            self._line_is_open = False

    def update(self, done: int, note: str) -> None:
        """Show that `done` of the steps are behind us, with `note` after the bar."""
        if self._in_place:
            now = time.monotonic()
            if done < self.total and now - self._drawn_at < _REDRAW_SECONDS:
                return
            self._drawn_at = now
            filled = _WIDTH * done // self.total
            bar = "#" * filled + "." * (_WIDTH - filled)
            self.stream.write(f"\r\x1b[K[{bar}] {note}")
            self._line_is_open = True
            self.stream.flush()
        elif done * 10 // self.total > self._tenths:
            self._tenths = done * 10 // self.total
            self.stream.write(f"{100 * done // self.total:3d} % {note}\n")
            self.stream.flush()
