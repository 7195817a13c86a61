"""Learning rates of `tf.compat.v1.train`: in eager code a function without arguments, which reads the step when it is called."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ... import math
from ...api.indexing import where
from ...base.types import TensorLike
from ...values.tensor import to_tensor

_PI = 3.141592653589793
_DOC = """A learning rate as a function without arguments: {formula}

>>> import gradtape as tf
>>> step = tf.Variable(0)
>>> rate = tf.compat.v1.train.{example}
>>> float(rate()), step.assign(10) is not None, round(float(rate()), 4)
{result}

Args:
{arguments}    name: Ignored; accepted for compatibility with TensorFlow.

Returns:
    A function without arguments that gives a tensor.

Raises:
    ValueError: There is no step.
"""


def _decay(formula: str, example: str, result: str, **described: str) -> Callable[[Any], Any]:
    """A decorator: the decay as a function of its arguments that gives a function of none."""

    def decorated(rate: Callable[..., Any]) -> Any:
        @functools.wraps(rate)
        def decay(*args: Any, **kwargs: Any) -> Callable[[], Any]:
            step = kwargs["global_step"] if "global_step" in kwargs else args[1] if len(args) > 1 else None
            if step is None:
                raise ValueError(f"Argument `global_step` must not be None for {rate.__name__}.")
            return functools.partial(rate, *args, **kwargs)

        arguments = "".join(f"    {name}: {text}\n" for name, text in {**_COMMON, **described}.items())
        decay.__doc__ = _DOC.format(formula=formula, example=example, result=result, arguments=arguments)
        return decay

    return decorated


_COMMON = {
    "learning_rate": "The first rate.",
    "global_step": "The step: a tensor or variable.",
    "decay_steps": "The number of steps of one decay.",
}


def _numbers(rate: Any, *others: Any) -> list[Any]:
    first = to_tensor(rate)
    return [first, *(math.cast(other, first.dtype) for other in others)]


@_decay(
    "`learning_rate * decay_rate ** (global_step / decay_steps)`.",
    "exponential_decay(1.0, step, 10, 0.5)",
    "(1.0, True, 0.5)",
    decay_rate="The factor of one decay.",
    staircase="Whether the rate changes at the end of each decay only.",
)
def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    rate, step, steps, factor = _numbers(learning_rate, global_step, decay_steps, decay_rate)
    share = step / steps
    return rate * factor ** (math.floor(share) if staircase else share)


@_decay(
    "`learning_rate * exp(-decay_rate * global_step / decay_steps)`.",
    "natural_exp_decay(1.0, step, 10, 0.5)",
    "(1.0, True, 0.6065)",
    decay_rate="How fast it falls.",
    staircase="Whether the rate changes at the end of each decay only.",
)
def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    rate, step, steps, factor = _numbers(learning_rate, global_step, decay_steps, decay_rate)
    share = step / steps
    # (e to the power of -decay_rate is rounded before the power of the share is taken, as in TensorFlow.)
    return rate * math.exp(-factor) ** (math.floor(share) if staircase else share)


@_decay(
    "`learning_rate / (1 + decay_rate * global_step / decay_steps)`.",
    "inverse_time_decay(1.0, step, 10, 0.5)",
    "(1.0, True, 0.6667)",
    decay_rate="How fast it falls.",
    staircase="Whether the rate changes at the end of each decay only.",
)
def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    rate, step, steps, factor = _numbers(learning_rate, global_step, decay_steps, decay_rate)
    share = step / steps
    return rate / (1.0 + factor * (math.floor(share) if staircase else share))


@_decay(
    "from `learning_rate` to `end_learning_rate` by a power of what is left.",
    "polynomial_decay(1.0, step, 20, 0.5)",
    "(1.0, True, 0.75)",
    end_learning_rate="The last rate.",
    power="The power.",
    cycle="Whether it begins again, with longer decays.",
)
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    rate, step, steps, end, exponent = _numbers(learning_rate, global_step, decay_steps, end_learning_rate, power)
    if cycle:
        steps = steps * math.maximum(math.ceil(step / steps), to_tensor(1, rate.dtype))
    else:
        step = math.minimum(step, steps)
    return (rate - end) * (1.0 - step / steps) ** exponent + end


@_decay(
    "half a cosine, from `learning_rate` to `alpha` times it.",
    "cosine_decay(1.0, step, 20)",
    "(1.0, True, 0.5)",
    alpha="The last rate, as a share of the first.",
)
def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: TensorLike = 0.0, name: str | None = None
) -> Any:
    rate, step, steps = _numbers(learning_rate, global_step, decay_steps)
    share = math.minimum(step, steps) / steps
    return rate * ((1 - alpha) * (0.5 * (1.0 + math.cos(_PI * share))) + alpha)  # type: ignore[operator]


@_decay(
    "a cosine and a line together.",
    "linear_cosine_decay(1.0, step, 20, beta=0.0)",
    "(1.0, True, 0.25)",
    num_periods="The number of periods of the cosine.",
    alpha="What is added to the line.",
    beta="What is added to the product.",
)
def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Any:
    rate, step, steps, periods, more, least = _numbers(
        learning_rate, global_step, decay_steps, num_periods, alpha, beta
    )
    step = math.minimum(step, steps)
    cosine = 0.5 * (1.0 + math.cos(_PI * (2.0 * periods * step / steps)))
    return rate * ((more + (steps - step) / steps) * cosine + least)


@_decay(
    "cosines that begin again.",
    "cosine_decay_restarts(1.0, step, 20)",
    "(1.0, True, 0.5)",
    t_mul="The factor of the length, with each restart.",
    m_mul="The factor of the rate, with each restart.",
    alpha="The last rate, as a share of the first.",
)
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Any:
    rate, step, steps, longer, lower, least = _numbers(
        learning_rate, global_step, first_decay_steps, t_mul, m_mul, alpha
    )
    done = step / steps
    if float(longer) == 1.0:
        restarts = math.floor(done)
        share = done - restarts
    else:
        restarts = math.floor(math.log(1.0 - done * (1.0 - longer)) / math.log(longer))
        share = (done - (1.0 - longer**restarts) / (1.0 - longer)) / longer**restarts
    cosine = 0.5 * lower**restarts * (1.0 + math.cos(_PI * share))
    return rate * ((1 - least) * cosine + least)


def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Callable[[], Any]:
    """A learning rate as a function without arguments: the value whose bounds `x` is between.

    >>> import gradtape as tf
    >>> step = tf.Variable(0)
    >>> rate = tf.compat.v1.train.piecewise_constant(step, [5], [1.0, 0.5])
    >>> float(rate()), step.assign(10) is not None, float(rate())
    (1.0, True, 0.5)

    Args:
        x: The step: a tensor or variable.
        boundaries: The bounds, rising; each belongs to the value before it.
        values: One value more.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A function without arguments that gives a tensor.

    Raises:
        ValueError: There is not one value more than bounds.
    """
    bounds, rates = list(boundaries), list(values)
    if len(bounds) != len(rates) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def decay() -> Any:
        step = to_tensor(x)
        found = to_tensor(rates[0])
        for bound, rate in zip(bounds, rates[1:], strict=True):
            found = where(step > math.cast(bound, step.dtype), to_tensor(rate, found.dtype), found)
        return found

    return decay
