"""What goes wrong in training, found from the measures of a step, and said once in words."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

from .measures import DEAD_AFTER, Measure, Part

PATIENCE = 10  # measured steps in a row before something is said to be so
_FEW = 3  # the same, for what gets out of hand quickly
_VANISHING = 1e-4  # norm of a gradient, compared with the largest of the model
_STANDSTILL = 1e-8  # update to weight; single precision has no more digits
_MOVING = 1e-6  # update to weight that shows that a part has learned
_EXPLODING = 100.0  # norm of a gradient, compared with its usual one
_LEAP = 0.5  # update to weight
_DEAD_SHARE = 0.2  # of the units
_NAMED = 6  # parts that a warning names
_MEMORY = 0.98  # of the averages that say what is usual


class Sign(enum.StrEnum):
    """What the monitor warns of."""

    VANISHING = "vanishing"
    EXPLODING = "exploding"
    DEAD = "dead"
    FROZEN = "frozen"
    NONFINITE = "not finite"


@dataclass(frozen=True, slots=True)
class Warned:
    """One warning: `sign` in a word, the `parts` of the model, the `step`, and the `text`, which tells of the first part."""

    sign: Sign
    parts: tuple[str, ...]
    step: int
    text: str

    @property
    def title(self) -> str:
        """The sign, and what has it."""
        named = ", ".join(self.parts[:_NAMED]) + (", ..." if len(self.parts) > _NAMED else "")
        return f"{self.sign}: {named}" + (f" ({len(self.parts)} parts)" if len(self.parts) > 1 else "")

    def __str__(self) -> str:
        return f"step {self.step}: {self.title}. {self.text}"


@dataclass(slots=True)
class _State:
    """What is remembered of a part."""

    measured: int = 0
    vanishing: int = 0
    still: int = 0
    leaping: int = 0
    growing: int = 0
    usual: float | None = None  # a slow average of the logarithm of the gradient's norm
    has_learned: bool = False


class WarningSigns:
    """Looks at the measures of each step, and gives each warning once for a part."""

    def __init__(self) -> None:
        self._states: dict[str, _State] = {}
        self._said: set[tuple[Sign, str]] = set()
        self._usual_loss: dict[str, float] = {}

    def look(
        self, step: int, measures: dict[str, tuple[Part, Measure]], losses: dict[str, float], scaled: bool
    ) -> list[Warned]:
        """What is new after a measured step. Where the loss is `scaled`, gradients that overflow are part of the method."""
        found: dict[tuple[Sign, str], dict[str, str]] = {}  # the text by sign, cause and part
        for name, value in losses.items():
            if not math.isfinite(value) and (Sign.NONFINITE, name) not in self._said:
                found.setdefault((Sign.NONFINITE, "loss"), {})[name] = f"The loss is {value}. {_ASK}"
        largest: dict[str, tuple[float, str]] = {}  # the largest gradient of each model
        for name, (part, measure) in measures.items():
            if measure.gradient is not None:
                largest[part.model] = max(largest.get(part.model, (0.0, "")), (measure.gradient, name))
        for name, (part, measure) in measures.items():
            state = self._states.setdefault(name, _State())
            state.measured += 1
            for sign, text in (
                (Sign.NONFINITE, self._nonfinite(measure, scaled)),
                (Sign.VANISHING, self._vanishing(state, measure, *largest.get(part.model, (0.0, "")))),
                (Sign.EXPLODING, self._exploding(state, measure, losses, part.model)),
                (Sign.DEAD, self._dead(part, measure)),
                (Sign.FROZEN, self._frozen(state, part, measure)),
            ):
                if (
                    text and (sign, name) not in self._said
                ):  # (what is frozen for another reason is a warning of its own)
                    found.setdefault((sign, text.partition(" measured steps: ")[2]), {})[name] = text
        for model, value in losses.items():
            if math.isfinite(value):
                usual = self._usual_loss.get(model, value)
                self._usual_loss[model] = _MEMORY * usual + (1 - _MEMORY) * value
        self._said.update((sign, name) for (sign, _), texts in found.items() for name in texts)
        return [Warned(sign, tuple(texts), step, _told(texts)) for (sign, _), texts in found.items()]

    def _nonfinite(self, measure: Measure, scaled: bool) -> str:
        if not measure.nonfinite or (scaled and math.isfinite(measure.weights) and measure.update == 0):
            return ""
        return f"{measure.nonfinite} elements of its gradients or weights are nan or inf. {_ASK}"

    def _vanishing(self, state: _State, measure: Measure, size: float, largest: str) -> str:
        gradient, ratio = measure.gradient, measure.ratio
        small = bool(gradient and gradient < _VANISHING * size)
        state.vanishing = state.vanishing + 1 if small else 0
        state.has_learned = state.has_learned or (ratio is not None and ratio > _MOVING)
        # (An update that is too small to change a weight is none: then the gradient tells.)
        still = (
            ratio is not None and ratio < _STANDSTILL and bool(ratio or 0 < (gradient or 0) < _MOVING * measure.weights)
        )
        state.still = state.still + 1 if still else 0
        text = ""
        if state.vanishing >= PATIENCE:
            text = (
                f"The norm of its gradient is {gradient:.1e}, and that of {largest} is {size:.1e}: it learns much more slowly. "
                "Activations that saturate (sigmoid, tanh), a small initialization or great depth do this; try ReLU or GELU, "
                "normalization, or residual connections."
            )
        elif state.still >= PATIENCE and not state.has_learned:
            text = (
                f"Its updates are {ratio:.1e} of its weights, less than they have digits. Raise the learning rate, or look for "
                "outputs that saturate before the loss."
            )
        return text

    def _exploding(self, state: _State, measure: Measure, losses: dict[str, float], model: str) -> str:
        gradient, ratio, text = measure.gradient, measure.ratio, ""
        of = model if model in losses else "loss"
        if gradient:
            size = math.log(gradient)
            usual = size if state.usual is None else state.usual
            worse = not losses.get(of, math.nan) < self._usual_loss.get(of, math.inf)
            grown = state.measured > PATIENCE and size - usual > math.log(_EXPLODING) and worse
            state.growing = state.growing + 1 if grown else 0
            if state.growing >= _FEW:
                text = (
                    f"The norm of its gradient is {gradient:.1e}; {math.exp(usual):.1e} was usual. "
                    "Clip it (clipnorm= of the optimizer, or tf.clip_by_global_norm), or lower the learning rate."
                )
            # (Early norms count more: an average that starts at the first one would take long to move.)
            keep = min(_MEMORY, 1 - 1 / state.measured)
            state.usual = keep * usual + (1 - keep) * size
        leaps = state.measured > PATIENCE and ratio is not None and ratio > _LEAP
        state.leaping = state.leaping + 1 if leaps else 0
        if state.leaping >= _FEW and not text:
            text = (
                f"One step changes its weights by {ratio:.0%} of their size; 0.1 % is usual. Lower the learning rate, or clip "
                "the gradients."
            )
        return text

    @staticmethod
    def _dead(part: Part, measure: Measure) -> str:
        if not measure.dead or measure.dead < _DEAD_SHARE * part.units:
            return ""
        return (
            f"{measure.dead} of its {part.units} units had no gradient in the last {DEAD_AFTER} measured steps: their ReLU is "
            "never on, or nothing uses them. Try a smaller learning rate, or a leaky activation."
        )

    @staticmethod
    def _frozen(state: _State, part: Part, measure: Measure) -> str:
        still = [place for place in range(len(part.variables)) if place not in part.moved]
        is_dead = part.units and measure.dead == part.units
        if state.measured < PATIENCE or not still or is_dead or max(state.vanishing, state.still) >= PATIENCE:
            return ""
        names = ", ".join(_name(part.variables[place]) for place in still)
        which = "It has" if len(still) == len(part.variables) else f"Of its variables {names} has"
        if not part.asked:
            why = "no tape was asked for its gradients. Give its variables to tape.gradient and to the optimizer"
        elif not part.reached.issuperset(still):
            why = "the gradient is None, so that the loss does not depend on it. Ask tape.explain(loss, variable)"
        else:
            why = "it has gradients, which are zero or are not applied. Look at what apply_gradients is given"
        return f"{which} not changed in {state.measured} measured steps: {why}."


_ASK = "Ask tape.explain_nonfinite(loss, variables), or train with tf.diagnostics.StopAtNonFinite()."


def _told(texts: dict[str, str]) -> str:
    """The text of the first part, with its name where there are others."""
    name, text = next(iter(texts.items()))
    return text if len(texts) == 1 else f"{name}: {text[0].lower()}{text[1:]}"


def _name(variable: object) -> str:
    return str(getattr(variable, "name", "variable")).split(":")[0]
