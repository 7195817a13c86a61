"""`tf.diagnostics.Monitor`: watches training, in a loop of your own or in Keras's `fit`.

It learns of gradients where a tape gives them (`GRADIENT_OBSERVERS`), and of updates by comparing the weights before and after a
step. Only some steps are measured. In the others nobody observes, and a compiled step runs its usual program.
"""

from __future__ import annotations

import math
import os
import warnings
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from ..base.context import STATE, activate, deactivate
from ..op.call import GRADIENT_OBSERVERS
from ..values.tensor import to_tensor
from .measures import Measure, Part, parts_of, variables_of
from .warning_signs import Warned, WarningSigns

_ALL_UNTIL = 10  # the first steps are all measured
_MOST = 2000  # points of a line; half of them are dropped when there are more


@dataclass(slots=True)
class Series:
    """Numbers by step. Of a long run every second, fourth ... is kept."""

    steps: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    _every: int = 1
    _added: int = 0

    def add(self, step: int, value: float) -> None:
        """Add a number."""
        if self._added % self._every == 0:
            self.steps.append(step)
            self.values.append(value)
            if len(self.steps) > _MOST:
                self._every *= 2
                del self.steps[1::2], self.values[1::2]
        self._added += 1

    @property
    def last(self) -> float:
        """The newest that is kept; nan where there is none."""
        return self.values[-1] if self.values else math.nan


@dataclass(slots=True)
class PartHistory:
    """The measures of one part: norms of gradients, update to weight, dead units, elements that are not finite."""

    gradient: Series = field(default_factory=Series)
    ratio: Series = field(default_factory=Series)
    dead: Series = field(default_factory=Series)
    nonfinite: Series = field(default_factory=Series)
    units: int = 0

    def add(self, step: int, part: Part, measure: Measure) -> None:
        """Add the measures of a step."""
        self.units = part.units
        self.gradient.add(step, math.nan if measure.gradient is None else measure.gradient)
        self.ratio.add(step, math.nan if measure.ratio is None else measure.ratio)
        self.dead.add(step, measure.dead)
        self.nonfinite.add(step, measure.nonfinite)


class _KerasEvents:
    """What `fit` calls on a callback. (Not Keras's class: Keras is imported by programs that use it.)"""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("on_"):  # an event that is of no interest here
            return lambda *args, **kwargs: None
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class Monitor(_KerasEvents):
    """Watch training: loss, gradient norms by layer, update to weight, dead units, nan and inf.

    In a loop of your own call `step` at the end of each step; to Keras's `fit` give it as a callback. It warns once, in words, of
    parts that vanish, explode, are dead or frozen. See docs/guide/monitor.md.

    >>> import gradtape as tf
    >>> w = tf.Variable([1.0, 2.0], name="w")
    >>> with tf.diagnostics.Monitor([w], display="off") as monitor:
    ...     for _ in range(3):
    ...         with tf.GradientTape() as tape:
    ...             loss = tf.reduce_sum(w * w)
    ...         w.assign_sub(0.1 * tape.gradient(loss, w))
    ...         monitor.step(loss)
    <tf.Variable ...
    >>> [round(ratio, 2) for ratio in monitor.parts["w"].ratio.values]
    [0.25, 0.25, 0.25]

    Args:
        watched: A model, a module, variables, or a list or dict of these. In `fit` the model itself where it is None.
        every: Measure each of the first ten steps, and then one in so many.
        display: "live" (a table in the terminal, with the package rich), "lines", "off", or None to choose: live on a terminal.
        report: Where to write reports at the end: a name or a list of names that end in .html, .png or .svg.

    Attributes:
        losses: The loss by step; by name where `step` is given several or several models are watched.
        parts: The measures of each layer (`gradient`, `ratio`, `dead`, `nonfinite`), with `steps` and `values`.
        warnings: What it has warned of, each with `sign`, `parts`, `step` and `text`.

    Raises:
        ValueError: `every` is below 1.
    """

    def __init__(
        self,
        watched: Any = None,
        *,
        every: int = 10,
        display: str | None = None,
        report: str | os.PathLike[str] | list[str | os.PathLike[str]] | None = None,
    ) -> None:
        from .monitor_display import checked_display
        from .monitor_report import checked_reports

        if every < 1:
            raise ValueError(f"Monitor: every must be at least 1, got {every}.")
        self.losses: dict[str, Series] = {}
        self.parts: dict[str, PartHistory] = {}
        self.warnings: list[Warned] = []
        self.steps = 0
        self._watched = watched
        self._every = every
        self._display = checked_display(display)
        self._reports = checked_reports(report)
        self._signs = WarningSigns()
        self._members: list[Part] = []
        self._listed: list[int] = []  # ids of all variables that are watched
        self._places: dict[int, tuple[Part, int]] = {}  # by id of the variable
        self._found: dict[str, float] = {}  # losses that tapes were asked for, in this step
        self._scale = 1.0  # of the loss, where a Keras optimizer scales it
        self._measuring = False
        self._observer = _Observer(self)
        weakref.finalize(self, self._observer.stop)
        if watched is not None:
            self._begin()

    # --- a step ------------------------------------------------------------------------------------------------------

    def step(self, loss: Any = None) -> None:
        """A step of training is done.

        >>> w = tf.Variable([1.0, 2.0], name="w")
        >>> monitor = tf.diagnostics.Monitor([w], display="off")
        >>> with tf.GradientTape() as tape:
        ...     loss = tf.reduce_sum(w * w)
        >>> _ = w.assign_sub(0.1 * tape.gradient(loss, w))
        >>> monitor.step(loss)
        >>> monitor.losses["loss"].values
        [5.0]
        >>> monitor.close()

        Args:
            loss: Its loss: a number, or a dict of them by name. Where it is None, the target of the gradient is shown.
        """
        number = self.steps
        losses = {} if loss is None else _numbers(loss)
        if self._measuring:
            self._end(number, losses or self._found)
        elif not all(map(math.isfinite, losses.values())):
            self._warn(self._signs.look(number, {}, losses, scaled=False))
        for name, value in (losses or self._found).items():
            self.losses.setdefault(name, Series()).add(number, value)
        self._found = {}
        self.steps += 1
        self._display.update(self)
        if self.steps < _ALL_UNTIL or self.steps % self._every == 0:
            self._begin()

    def _begin(self) -> None:
        """The next step is measured."""
        if [id(variable) for variable in variables_of(self._watched)] != self._listed:  # built, frozen or thawed since
            self._list_parts()
        for part in self._members:
            part.begin()
        self._measuring = True
        self._observer.start()

    def _list_parts(self) -> None:
        self._listed = [id(variable) for variable in variables_of(self._watched)]
        known = {(part.model, part.name): part for part in self._members}
        self._members = parts_of(self._watched)
        for part in self._members:
            old = known.get((part.model, part.name))
            if old is not None:
                part.units, part.idle_for = old.units, old.idle_for
        self._places = {
            id(variable): (part, place) for part in self._members for place, variable in enumerate(part.variables)
        }

    def _end(self, number: int, losses: dict[str, float]) -> None:
        self._measuring = False
        self._observer.stop()
        measures = {}
        for part in self._members:
            name = f"{part.model}/{part.name}" if part.model else part.name
            measures[name] = part, part.end(self._scale)
            self.parts.setdefault(name, PartHistory()).add(number, *measures[name])
        self._warn(self._signs.look(number, measures, losses, scaled=self._scale != 1.0))
        if STATE.summary_writer is not None:
            from .monitor_report import write_summaries

            write_summaries(self, number, losses)

    def _take(self, targets: list[Any], gradients: list[Any], variables: list[Any]) -> None:
        """A tape has given gradients."""
        by_part: dict[int, tuple[Part, list[Any]]] = {}
        for gradient, variable in zip(gradients, variables, strict=True):
            found = self._places.get(id(variable))
            if found is not None:
                part, place = found
                row = by_part.setdefault(id(part), (part, [None] * len(part.variables)))[1]
                row[place] = gradient
        for part, row in by_part.values():
            part.take(row)
            self._found[part.model or "loss"] = sum(float(to_tensor(t)._array.sum()) for t in targets) / self._scale

    def _warn(self, found: list[Warned]) -> None:
        self.warnings += found
        for warned in found:
            self._display.warn(warned)

    # --- the end -----------------------------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop watching, and write the reports that were asked for.

        >>> w = tf.Variable([1.0, 2.0], name="w")
        >>> monitor = tf.diagnostics.Monitor([w], display="off")
        >>> with tf.GradientTape() as tape:
        ...     loss = tf.reduce_sum(w * w)
        >>> _ = w.assign_sub(0.1 * tape.gradient(loss, w))
        >>> monitor.step(loss)
        >>> monitor.close()
        """
        self._observer.stop()
        self._measuring = False
        if not self.steps and self._found:
            warnings.warn(
                "Monitor: gradients were taken, but no step was counted. Call `monitor.step(loss)` at the end of each step of "
                "the loop, or give the monitor to `fit` as a callback.",
                stacklevel=2,
            )
        self._display.close(self)
        for path in self._reports:
            self.save(path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a report: a page (.html), or the picture alone (.png, .svg). Pictures need the package matplotlib.

        >>> w = tf.Variable([1.0, 2.0], name="w")
        >>> monitor = tf.diagnostics.Monitor([w], display="off")
        >>> with tf.GradientTape() as tape:
        ...     loss = tf.reduce_sum(w * w)
        >>> _ = w.assign_sub(0.1 * tape.gradient(loss, w))
        >>> monitor.step(loss)
        >>> monitor.close()
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "report.html")
        >>> monitor.save(path)
        >>> os.path.exists(path)
        True

        Args:
            path: The file; its ending says which.
        """
        from .monitor_report import save

        save(self, path)

    def __str__(self) -> str:
        from .monitor_display import as_text

        return as_text(self)

    def __repr__(self) -> str:
        return f"<tf.diagnostics.Monitor: {self.steps} steps, {len(self.parts)} parts, {len(self.warnings)} warnings>"

    def _repr_html_(self) -> str:
        from .monitor_report import as_html

        return as_html(self, whole=False)

    # --- as a callback of `fit` ----------------------------------------------------------------------------------------

    def set_params(self, params: dict[str, Any]) -> None:
        """How `fit` was called; Keras tells it.

        Args:
            params: Its arguments.
        """
        self._display.beside_progress_bar = bool(params.get("verbose"))

    def set_model(self, model: Any) -> None:
        """The model that is trained; Keras tells it.

        Args:
            model: The model.
        """
        self.model = model
        if self._watched is None:
            self._watched = model

    def on_train_begin(self, logs: object = None) -> None:
        """Training begins.

        Args:
            logs: What Keras has measured; not used here.
        """
        self._measuring = False

    def on_train_batch_begin(self, batch: int, logs: object = None) -> None:
        """A step begins. (A model that is built by its first batch has its variables only from the second on.)

        Args:
            batch: The number of the step.
            logs: What Keras has measured; not used here.
        """
        if not self._measuring and (self.steps < _ALL_UNTIL or self.steps % self._every == 0):
            self._begin()
        self._scale = _loss_scale(getattr(self.model, "optimizer", None))

    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """A step is done. (The loss in the logs is the mean of the epoch so far; the tape's target is that of the batch.)

        Args:
            batch: The number of the step.
            logs: What Keras has measured: the loss.
        """
        mean = float((logs or {}).get("loss", 0.0))
        self.step(None if math.isfinite(mean) else mean)

    def on_epoch_end(self, epoch: int, logs: object = None) -> None:
        """Show how it stands, below the progress bar of the epoch.

        Args:
            epoch: The number of the epoch.
            logs: What Keras has measured; not used here.
        """
        self._display.epoch(self, epoch)

    def on_train_end(self, logs: object = None) -> None:
        """Stop watching, and write the reports.

        Args:
            logs: What Keras has measured; not used here.
        """
        self.close()


class _Observer:
    """Hands gradients to a monitor, which it does not keep alive."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = weakref.ref(monitor)

    def __call__(self, targets: list[Any], gradients: list[Any], variables: list[Any]) -> None:
        monitor = self._monitor()
        if monitor is not None:
            monitor._take(targets, gradients, variables)

    def start(self) -> None:
        """Observe. (Machine code that is called at once looks whether somebody is active, and asks nothing else.)"""
        if self not in GRADIENT_OBSERVERS:
            GRADIENT_OBSERVERS.append(self)
            activate(self)

    def stop(self) -> None:
        """Observe no more."""
        if self in GRADIENT_OBSERVERS:
            GRADIENT_OBSERVERS.remove(self)
            deactivate(self)


def _numbers(loss: Any) -> dict[str, float]:
    if isinstance(loss, Mapping):
        return {str(name): float(value) for name, value in loss.items()}
    return {"loss": float(loss)}


def _loss_scale(optimizer: Any) -> float:
    """What Keras multiplies the loss with, so that gradients in float16 do not become zero."""
    scale = getattr(optimizer, "dynamic_scale", None)  # there from the first step on
    if scale is None:
        scale = getattr(optimizer, "initial_scale", None)
    fixed = getattr(optimizer, "loss_scale_factor", None)
    return float(1.0 if scale is None else scale) * float(1.0 if fixed is None else fixed)
