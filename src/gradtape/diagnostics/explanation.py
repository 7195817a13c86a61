"""The answer to "why is this gradient None?": a structured object, with text for terminals and HTML for notebooks."""

from __future__ import annotations

import enum
import html
import os
import sys
from dataclasses import dataclass

from .notebook import framed, preformatted
from .places import Where


class Kind(enum.StrEnum):
    """Why a gradient is None. Each is also a string: `explanation.kind == "never watched"`.

    >>> import gradtape as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> tape.explain(y, x).kind == tf.diagnostics.Kind.NEVER_WATCHED
    True
    """

    CONNECTED = "connected"
    NEVER_WATCHED = "never watched"
    WATCHED_LATE = "watched after the op"
    OUTSIDE = "computed outside the tape"
    STOPPED = "recording stopped"
    REPLACED = "variable replaced by a tensor"
    NUMBER = "read as a number"
    DTYPE = "not a floating type"
    NO_DERIVATIVE = "op without a derivative"
    STOP_GRADIENT = "stop_gradient"
    ASSIGN = "went through an assign"
    BRANCH = "branch not taken"
    THREAD = "another thread"
    SPENT = "spent tape"
    PREDICT = "model called outside the tape"
    SWAPPED = "sources and targets swapped"
    UNCONNECTED = "unconnected"


@dataclass(frozen=True, slots=True)
class Step:
    """One op on the way from the source."""

    name: str
    where: Where | None
    norm: float | None = None  # of the gradient there, where that was asked for

    def __str__(self) -> str:
        size = "" if self.norm is None else f"  |gradient| = {self.norm:.3g}"
        place = "" if self.where is None else f"  {self.where}  {self.where.text}"
        return f"{self.name}{place}{size}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the gradient of a target in one source is None, and what to change.

    `kind` says it in a word, `where` is the line that is to be changed (`where.file`, `where.line`, `where.text`), `repair` the
    code to paste, `advice` where to paste it, and `path` the ops from the source to the cut. Where the two are unconnected,
    `target_path` has the ops that the target was computed with, from what it shares with the source on. `further` explains the
    other lines that cut the same way: a gradient comes only when all are repaired.

    >>> import gradtape as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> explanation = tape.explain(y, x)
    >>> explanation.kind.value, explanation.connected
    ('never watched', False)

    Args:
        kind: Why, as a `tf.diagnostics.Kind`.
        source: What the source is called in the text.
        target: What the target is called.
        reason: Why, as a sentence.
        where: The line that is to be changed.
        repair: The code to paste.
        advice: Where to paste it.
        path: The ops from the source to the cut.
        target_path: The ops that the target was computed with.
        further: Explanations of the lines that cut the same way again.
    """

    kind: Kind
    source: str
    target: str
    reason: str
    where: Where | None = None
    repair: str = ""
    advice: str = ""
    path: tuple[Step, ...] = ()
    target_path: tuple[Step, ...] = ()
    further: tuple[Explanation, ...] = ()

    @property
    def connected(self) -> bool:
        """Whether there is a gradient."""
        return self.kind is Kind.CONNECTED

    def text(self, colour: bool = False) -> str:
        """The explanation as lines of text.

        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> tape.gradient(y, x)
        >>> tape.explain(y, x).text().splitlines()[0]
        'The gradient of ... in ... is None: never watched.'

        Args:
            colour: Whether there are colours for a terminal in it.

        Returns:
            A text.
        """
        bold, red, green, dim, off = _COLOURS if colour else ("",) * 5
        if self.connected:
            lines = [f"{bold}{self.target} depends on {self.source}.{off} {self.reason}"]
        else:
            lines = [f"{bold}The gradient of {self.target} in {self.source} is None:{off} {red}{self.kind}{off}."]
            lines.append(f"  {self.reason}")
        if self.where is not None:
            lines += [f"  {dim}{self.where}{off}", f"    {self.where.text}"]
        if self.path:
            lines.append("  The way from the source:" if not self.connected else "  The way:")
            lines += [f"    {step}" for step in self.path]
        if self.target_path:
            lines.append("  The way to the target:")
            lines += [f"    {step}" for step in self.target_path]
        if self.repair:
            lines.append(f"  {self.advice}")
            lines += [f"    {green}{line}{off}" for line in self.repair.splitlines()]
        for place, each in enumerate(self.further):
            lines.append(f"  {'Further on' if not place else 'And'} the same way is cut again: {red}{each.kind}{off}.")
            lines += [f"    {line}" for line in each.text(colour).splitlines()[1:]]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text(colour=_has_colour())

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        escape = html.escape
        title = f"{escape(self.target)} depends on {escape(self.source)}" if self.connected else escape(str(self.kind))
        parts = [f"<b>{title}</b>", f"<div>{escape(self.reason)}</div>"]
        if self.where is not None:
            parts.append(f"<div><code>{escape(str(self.where))}</code></div>{preformatted(self.where.text)}")
        if self.path:
            parts.append(f"<ol>{''.join(f'<li><code>{escape(str(step))}</code></li>' for step in self.path)}</ol>")
        if self.repair:
            parts.append(f"<div>{escape(self.advice)}</div>{preformatted(self.repair)}")
        parts += [
            f"<div style='margin-top:6px'>The same way is cut again:</div>{each._repr_html_()}" for each in self.further
        ]
        return framed("".join(parts), good=self.connected)


_COLOURS = ("\033[1m", "\033[31m", "\033[32m", "\033[2m", "\033[0m")


def _has_colour() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
