"""What `Monitor` shows while training runs: a table that is redrawn in place on a terminal, lines anywhere else."""

from __future__ import annotations

import importlib.util
import math
import sys
import time
import weakref
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

from .warning_signs import Sign, Warned

if TYPE_CHECKING:
    from .monitor import Monitor, Series

_LIVE_SECONDS = 0.25
_LINE_SECONDS = 10.0
_COLUMNS = ("part", "gradient", "update/weight", "dead", "nan, inf", "gradients", "")
_NUMBERS = frozenset(("gradient", "update/weight", "dead", "nan, inf"))
_BARS = "▁▂▃▄▅▆▇█"


class Display:
    """Shows nothing: `display="off"`."""

    beside_progress_bar = False  # whether Keras draws one, which must not be torn apart

    def update(self, monitor: Monitor) -> None:
        """A step is done."""

    def epoch(self, monitor: Monitor, epoch: int) -> None:
        """An epoch of `fit` is done."""

    def warn(self, warned: Warned) -> None:
        """Say a warning."""

    def close(self, monitor: Monitor) -> None:
        """Training is over."""


class Lines(Display):
    """A line from time to time."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream
        self._shown_at = -math.inf
        self._shown = -1

    def update(self, monitor: Monitor) -> None:
        """A line, if the last one is some time ago."""
        if not self.beside_progress_bar and time.monotonic() - self._shown_at >= _LINE_SECONDS:
            self._line(monitor)

    def epoch(self, monitor: Monitor, epoch: int) -> None:
        """A line for each epoch, below the progress bar."""
        if self.beside_progress_bar:
            self._line(monitor)

    def warn(self, warned: Warned) -> None:
        """A line of its own. (A progress bar may stand in the present one.)"""
        self._print(("\n" if self.beside_progress_bar else "") + f"monitor: {warned}")

    def close(self, monitor: Monitor) -> None:
        """How it stands at the end, unless the last line says it."""
        if monitor.steps > self._shown:
            self._line(monitor)

    def _line(self, monitor: Monitor) -> None:
        self._shown_at, self._shown = time.monotonic(), monitor.steps
        if monitor.steps:
            self._print("monitor: " + summary_line(monitor))

    def _print(self, text: str) -> None:
        print(text, file=sys.stderr if self._stream is None else self._stream, flush=True)


class Live(Display):
    """One screen, redrawn in place, with the package rich. Beside a progress bar of Keras: lines."""

    def __init__(self, console: Any = None) -> None:
        from rich.console import Console

        self._console = Console(stderr=True) if console is None else console
        self._lines = Lines(self._console.file)
        self._live: Any = None
        self._drawn_at = -math.inf

    def update(self, monitor: Monitor) -> None:
        """Redraw the table, a few times in a second."""
        now = time.monotonic()
        if self.beside_progress_bar or now - self._drawn_at < _LIVE_SECONDS:
            return
        self._drawn_at = now
        if self._live is None:
            from rich.live import Live as RichLive

            self._live = RichLive(console=self._console, auto_refresh=False, vertical_overflow="crop")
            self._live.start()
            weakref.finalize(self, self._live.stop)  # gives the cursor back, whatever happens
        self._live.update(self._screen(monitor), refresh=True)

    def epoch(self, monitor: Monitor, epoch: int) -> None:
        """A line for each epoch, below the progress bar."""
        self._lines.beside_progress_bar = self.beside_progress_bar
        self._lines.epoch(monitor, epoch)

    def warn(self, warned: Warned) -> None:
        """Above the table, where it stays."""
        if self._live is None:
            self._lines.beside_progress_bar = self.beside_progress_bar
            self._lines.warn(warned)
        else:
            self._live.console.print(str(warned), style="yellow", markup=False, highlight=False)

    def close(self, monitor: Monitor) -> None:
        """Leave the last table on the screen."""
        if self._live is not None:
            self._live.update(self._screen(monitor), refresh=True)
            self._live.stop()
            self._live = None
        elif self.beside_progress_bar:
            self._lines.close(monitor)

    def _screen(self, monitor: Monitor) -> Any:
        from rich.table import Table
        from rich.text import Text

        table = Table(title=summary_line(monitor), title_justify="left", title_style="bold", expand=False)
        for name in _COLUMNS:
            table.add_column(name, justify="right" if name in _NUMBERS else "left", no_wrap=True)
        # The height of the screen, without the title, the header, the frame and the line of the cursor.
        rows, left_out = rows_of(monitor, most=max(self._console.height - 7, 1))
        for cells, warned in rows:
            table.add_row(*(Text(cell) for cell in cells), style="yellow" if warned else "")
        if left_out:
            table.caption = f"and {left_out} more"
        return table


_DISPLAYS = {"live": Live, "lines": Lines, "off": Display}


def checked_display(name: str | None) -> Display:
    """The display of that name, or the best that there is where it is None."""
    if name is None:
        name = "live" if sys.stderr.isatty() and importlib.util.find_spec("rich") else "lines"
    if name not in _DISPLAYS:
        raise ValueError(f"Monitor: display is one of {', '.join(map(repr, _DISPLAYS))} or None, got {name!r}.")
    try:
        return _DISPLAYS[name]()
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "A live table needs the package rich: pip install rich. Or use display='lines'."
        ) from error


# --- words and numbers ------------------------------------------------------------------------------------------------


def summary_line(monitor: Monitor) -> str:
    """The run in one line."""
    losses = "  ".join(
        f"{name if name == 'loss' else f'{name} loss'} {series.last:.4g}" for name, series in monitor.losses.items()
    )
    histories = monitor.parts.values()
    gradients = [h.gradient.last for h in histories if math.isfinite(h.gradient.last)]
    ratios = sorted(h.ratio.last for h in histories if math.isfinite(h.ratio.last))
    parts = [f"step {monitor.steps}"]
    parts += [losses] if losses else []
    parts += [f"|gradient| {math.hypot(*gradients):.2e}"] if gradients else []
    parts += [f"update/weight {ratios[len(ratios) // 2]:.1e}"] if ratios else []
    dead, units = sum(int(h.dead.last) for h in histories), sum(h.units for h in histories)
    parts += [f"dead {dead}/{units}"] if dead else []
    bad = sum(int(h.nonfinite.last) for h in histories)
    parts += [f"nan or inf {bad}"] if bad else []
    return "  ".join(parts)


def rows_of(monitor: Monitor, most: int | None = None) -> tuple[list[tuple[list[str], bool]], int]:
    """A row of cells for each part, and whether there is a warning of it; and how many had no room.

    Parts with warnings come first where there is no room for all.
    """
    signs: dict[str, list[Sign]] = {}
    for warned in monitor.warnings:
        for part in warned.parts:
            signs.setdefault(part, []).append(warned.sign)
    names = list(monitor.parts)
    if most is not None and len(names) > most:
        chosen = set(sorted(names, key=lambda name: name not in signs)[:most])
        names = [name for name in names if name in chosen]
    rows = []
    for name in names:
        history = monitor.parts[name]
        dead = f"{history.dead.last:.0f}/{history.units}" if history.units else ""
        cells = [
            name,
            number(history.gradient.last),
            number(history.ratio.last),
            dead,
            f"{history.nonfinite.last:.0f}" if history.nonfinite.last else "",
            sparkline(history.gradient),
            ", ".join(signs.get(name, [])),
        ]
        rows.append((cells, name in signs))
    return rows, len(monitor.parts) - len(names)


def number(value: float) -> str:
    """A number in few characters; a dash where it is not known."""
    return f"{value:.1e}" if math.isfinite(value) else "-"


def sparkline(series: Series, width: int = 20) -> str:
    """The logarithm of the last values as a row of small bars."""
    values = [math.log10(value) if value > 0 else math.nan for value in series.values[-width:]]
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return ""
    low, high = min(finite), max(max(finite), min(finite) + 1)  # a decade at least: noise is not to look large
    return "".join(
        _BARS[int((value - low) / (high - low) * (len(_BARS) - 1))] if math.isfinite(value) else " " for value in values
    )


def as_text(monitor: Monitor) -> str:
    """The run as a table of plain text, with the warnings below."""
    rows, _ = rows_of(monitor)
    cells: list[Sequence[str]] = [_COLUMNS, *(row for row, _ in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_COLUMNS))]
    lines = [summary_line(monitor)]
    for row in cells:
        padded = [
            cell.rjust(width) if name in _NUMBERS else cell.ljust(width)
            for name, cell, width in zip(_COLUMNS, row, widths, strict=True)
        ]
        lines.append(("  " + "  ".join(padded)).rstrip())
    return "\n".join([*lines, *map(str, monitor.warnings)])
