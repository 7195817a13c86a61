"""`gradtape plot LOGDIR`: one picture of a run from its event files: losses, gradient norms, and the other scalars."""

from __future__ import annotations

import itertools
import math
import struct
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..base.dtypes import Array
from ..base.errors import OpError
from ..summary.event_file import event_files, read_events
from ..summary.gradients import GLOBAL, NORMS

__all__ = ["NothingToPlot", "Settings", "run"]

_MOST_NORMS = 8  # as many lines as can be told apart; the largest are shown
_TITLE = 44  # characters of a panel's title in one line
_SMOOTHED_FROM = 100  # points: a line with more is drawn smoothed as well


@dataclass(frozen=True)
class Settings:
    """What the command line may change."""

    logdir: str
    output: str = "run.png"
    title: str | None = None


class NothingToPlot(Exception):
    """There is no picture to be made, and why."""


@dataclass
class Line:
    """The values of one tag in one run."""

    run: str
    tag: str
    points: dict[int, float] = field(default_factory=dict)  # by step; what was written last counts

    def arrays(self) -> tuple[Array, Array]:
        """Steps, ascending, and values."""
        steps = sorted(self.points)
        return np.array(steps), np.array([self.points[step] for step in steps])


def read_lines(logdir: Path) -> list[Line]:
    """Every scalar below the folder; a run is a folder with event files in it."""
    found: dict[tuple[str, str], Line] = {}
    for path in event_files(logdir):
        run = str(path.parent.relative_to(logdir))
        for event in read_events(path):
            for value in event.summary.value:
                number = _scalar(value)
                if number is not None:
                    line = found.setdefault((run, value.tag), Line(run, value.tag))
                    line.points[event.step] = number
    return [line for _, line in sorted(found.items())]


def _scalar(value: Any) -> float | None:
    """The number in a summary, as TensorFlow 2 or 1 writes it; None where it is something else."""
    if value.HasField("simple_value"):
        return float(value.simple_value)
    tensor = value.tensor
    if value.metadata.plugin_data.plugin_name != "scalars" or tensor.tensor_shape.dim:
        return None
    if tensor.float_val:
        return float(tensor.float_val[0])
    return float(struct.unpack("<f", tensor.tensor_content)[0]) if len(tensor.tensor_content) == 4 else None


# --- what goes where -------------------------------------------------------------------------------------------------


@dataclass
class Panel:
    """One coordinate system of the picture."""

    title: str
    lines: list[Line]
    logarithmic: bool = False
    note: str = ""
    axis: str = "step"  # what the steps count


def panels(lines: list[Line]) -> list[Panel]:
    """Losses first, gradient norms next, then a panel for each other name (without what stands before a slash)."""
    norms = [line for line in lines if line.tag.startswith(f"{NORMS}/")]
    losses = [line for line in lines if line not in norms and "loss" in line.tag.lower()]
    others: dict[str, list[Line]] = {}
    for line in lines:
        if line not in norms and line not in losses:
            others.setdefault(line.tag.rsplit("/", 1)[-1], []).append(line)  # (a name has one axis)
    found = []
    for axis, group in _by_axis(losses).items():
        title = "loss" if axis == "step" else f"loss by {axis}"
        found.append(Panel(title, group, _spans_decades(group), axis=axis))
    if norms:
        shown = _largest(norms)
        left_out = len(norms) - len(shown)
        note = f"the largest {len(shown)} of {len(norms)}" if left_out else ""
        found.append(Panel("gradient norms", shown, _spans_decades(shown), note))
    return found + [Panel(name, group, axis=_axis(group[0].tag)) for name, group in others.items()]


def _axis(tag: str) -> str:
    """What the steps of a tag count: Keras's TensorBoard callback writes epochs under some names, and batches under others."""
    name = tag.rsplit("/", 1)[-1]
    if name.startswith("epoch_"):
        return "epoch"
    return "iteration" if name.startswith("batch_") or name.endswith("_vs_iterations") else "step"


def _by_axis(lines: list[Line]) -> dict[str, list[Line]]:
    """Lines that may share a panel: epochs and iterations are different numbers."""
    found: dict[str, list[Line]] = {}
    for line in lines:
        found.setdefault(_axis(line.tag), []).append(line)
    return found


def _largest(norms: list[Line]) -> list[Line]:
    """The global norm, and of the others those with the largest median."""
    total = [line for line in norms if line.tag == GLOBAL]
    single = [line for line in norms if line.tag != GLOBAL]
    single.sort(key=lambda line: -_median(line))
    return total + single[: max(_MOST_NORMS - len(total), 1)]


def _median(line: Line) -> float:
    finite = [value for value in line.points.values() if math.isfinite(value)]
    return float(np.median(finite)) if finite else math.inf


def _spans_decades(lines: list[Line]) -> bool:
    """Whether a logarithmic axis shows more: all values are positive, and they differ by a factor of 30."""
    values = [value for line in lines for value in line.points.values() if math.isfinite(value)]
    return bool(values) and min(values) > 0 and max(values) / min(values) > 30


def smoothed(values: Array) -> Array:
    """An exponential moving average over about a thirtieth of the line, unbiased at its beginning."""
    keep = 1 - min(1.0, 30 / len(values))
    result, total, weight = np.empty(len(values)), 0.0, 0.0
    for position, value in enumerate(values):
        if math.isfinite(value):
            total, weight = keep * total + (1 - keep) * value, keep * weight + (1 - keep)
        result[position] = total / weight if weight else math.nan
    return result


# --- drawing ---------------------------------------------------------------------------------------------------------


def run(settings: Settings) -> Path:
    """Draw the picture, and return where it is.

    Raises:
        NothingToPlot: The folder does not exist or holds no scalars, a package is missing, or the picture cannot be written.
    """
    logdir = Path(settings.logdir)
    if not logdir.is_dir():
        raise NothingToPlot(f"there is no folder {settings.logdir!r}")
    try:
        lines = read_lines(logdir)
    except ImportError as error:
        raise NothingToPlot(str(error)) from error
    except OpError as error:
        raise NothingToPlot(error.message) from error
    except OSError as error:
        raise NothingToPlot(f"cannot read {error.filename!r}: {error.strerror}") from error
    if not lines:
        what = "no scalars in the event files" if event_files(logdir) else "no event files"
        raise NothingToPlot(f"there are {what} below {settings.logdir!r}: write them with tf.summary.scalar")
    picture = _draw(panels(lines), settings.title or str(logdir))
    output = Path(settings.output)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        picture.savefig(output, dpi=150)
    except (OSError, ValueError) as error:
        raise NothingToPlot(f"cannot write {settings.output!r}: {error}") from error
    return output


def _figure() -> Callable[..., Any]:
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise NothingToPlot("pictures need the package matplotlib: pip install matplotlib") from error
    return Figure


def _draw(shown: list[Panel], title: str) -> Any:
    columns = min(len(shown), 2 if len(shown) in (2, 4) else 3)
    rows = math.ceil(len(shown) / columns)
    # (Figure itself, not pyplot: no window, no global state.)
    figure = _figure()(figsize=(6.4 if columns == 1 else 5.4 * columns, 0.5 + 3.8 * rows), layout="constrained")
    # (About 14 characters to an inch, at this size.)
    figure.suptitle(textwrap.fill(title, int(14 * figure.get_figwidth())), fontsize="medium", x=0.01, ha="left")
    for position, panel in enumerate(shown):
        _draw_panel(figure.add_subplot(rows, columns, position + 1), panel)
    return figure


def _draw_panel(axes: Any, panel: Panel) -> None:
    title = panel.title + (f" ({panel.note})" if panel.note else "")
    axes.set_title(textwrap.fill(title, _TITLE), loc="left", fontweight="bold")
    axes.set_xlabel(panel.axis)
    if panel.logarithmic:
        axes.set_yscale("log")
    for number, (line, label) in enumerate(zip(panel.lines, _labels(panel.lines), strict=True)):
        steps, values = line.arrays()
        total = line.tag == GLOBAL
        style = {"color": "black" if total else f"C{number % 10}", "linewidth": 2.0 if total else 1.4}
        if len(steps) >= _SMOOTHED_FROM:
            axes.plot(steps, values, color=style["color"], alpha=0.2, linewidth=0.8)
            values = smoothed(values)
        axes.plot(steps, values, label=label, marker="o" if len(steps) < 3 else None, **style)
    low, high = _limits(panel)
    if low < high:
        axes.set_ylim(low, high)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    if len(panel.lines) > 1 or panel.lines[0].run != ".":
        axes.legend(fontsize="small", frameon=False)


def _limits(panel: Panel) -> tuple[float, float]:
    """The range of the values without outliers: a single value far off would compress the rest."""
    kept = []
    for line in panel.lines:
        values = line.arrays()[1]
        values = values[np.isfinite(values)]
        if len(values):
            kept += np.percentile(values, (0.5, 99.5)).tolist() if len(values) >= _SMOOTHED_FROM else values.tolist()
    if not kept:
        return 0.0, 0.0
    low, high = min(kept), max(kept)
    if panel.logarithmic:
        return low / (high / low) ** 0.05, high * (high / low) ** 0.05
    return low - 0.05 * (high - low), high + 0.05 * (high - low)


def _labels(lines: list[Line]) -> Iterator[str]:
    """What tells the lines of a panel apart: the tag, the run, or both."""
    runs, tags = {line.run for line in lines}, {line.tag for line in lines}
    # (Keras puts the model's name before the names of all its variables.)
    folders = [line.tag.split("/")[:-1] for line in lines if line.tag != GLOBAL]
    common = "".join(
        f"{parts[0]}/" for parts in itertools.takewhile(lambda p: len(set(p)) == 1, zip(*folders, strict=False))
    )
    for line in lines:
        tag = line.tag.removeprefix(common) if len(tags) > 2 else line.tag.removeprefix(f"{NORMS}/")
        if line.tag == GLOBAL:
            tag = "all together"
        if len(tags) == 1 and line.run != ".":
            yield line.run
        else:
            yield tag if len(runs) == 1 else f"{line.run}: {tag}"
