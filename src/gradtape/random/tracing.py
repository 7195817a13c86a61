"""Random functions inside traced functions: what is drawn is a step, what scales and shifts it is recorded."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from ..api.generator import scaled, step_and_scale
from ..base import dtypes
from ..base.context import STATE, scope
from ..base.types import Function, ShapeLike
from ..differentiation.vectorize import drawn_for_each_slice
from ..op.attributes import as_int
from ..trace.control import sample_on_abstract
from ..trace.inference import Inference, depending_on
from ..values.tensor import Tensor


def drawn_on_abstract(evaluator: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
    """Shapes and types of random numbers; seeds stay where they are. An op of a graph gets the seeds of its place."""
    signature = inspect.signature(function)
    given = signature.bind(*args, **kwargs)
    if STATE.maps and "shape" in given.arguments:
        others = {name: value for name, value in given.arguments.items() if name != "shape"}
        return drawn_for_each_slice(
            lambda shape: drawn_on_abstract(evaluator, function, shape=shape, **others), given.arguments["shape"]
        )
    seed_parameter = signature.parameters.get("seed")
    if STATE.seeds is not None and seed_parameter is not None and seed_parameter.default is None:
        given = signature.bind(*args, **kwargs)
        seed = given.arguments.get("seed")
        given.arguments["seed"] = STATE.seeds.next(None if seed is None else as_int(seed))
        args, kwargs = given.args, given.kwargs
    with scope(draws_unseen=True):
        return sample_on_abstract(evaluator, function, *args, **kwargs)


def trace_scaled(namespace: dict[str, Any], name: str, scale: str, shift: str) -> Any:
    """Numbers with a spread and a centre: what is drawn has neither, so that gradients reach both."""

    def on_trace(trace: Any, *args: object, **kwargs: object) -> Any:
        function = namespace[name]
        given = inspect.signature(function).bind(*args, **kwargs)
        given.apply_defaults()
        settings = given.arguments
        centre, spread = settings.pop(shift), settings.pop(scale)
        return scaled(trace.step(function, (), settings), dtypes.as_dtype(settings["dtype"]), spread, centre)

    return on_trace


def trace_between(namespace: dict[str, Any], name: str) -> Any:
    """Numbers between bounds, which gradients reach, too."""
    return lambda trace, *args, **kwargs: step_and_scale(trace, namespace[name], args, kwargs)


def gamma_on_abstract(evaluator: object, function: Function, shape: ShapeLike, *args: object, **kwargs: object) -> Any:
    if any(isinstance(value, Tensor) and value.dtype.is_floating for value in (*args, *kwargs.values())):
        drawn = drawn_on_abstract(evaluator, function, shape, *args, **kwargs)
        return depending_on(evaluator, drawn, [*args, *kwargs.values()]) if isinstance(evaluator, Inference) else drawn
    return drawn_on_abstract(evaluator, function, shape, *args, **kwargs)


def for_each_slice(function: Function) -> Function:
    """The function, which draws other numbers for each slice of a `tf.vectorized_map`."""

    @functools.wraps(function)
    def drawn(shape: ShapeLike, *args: Any, **kwargs: object) -> Any:
        if not STATE.maps:
            return function(shape, *args, **kwargs)
        return drawn_for_each_slice(lambda shape: function(shape, *args, **kwargs), shape)

    return drawn
