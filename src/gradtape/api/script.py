"""`py_function` and `numpy_function`: Python code called as if it were an op."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..base import dtypes, nest
from ..base.context import ACTIVE
from ..base.dtypes import Array
from ..base.errors import (
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
    invalid,
)
from ..base.frames import user_line
from ..base.notes import note_exit
from ..base.shapes import TensorShape
from ..base.traceable import traceable
from ..base.type_spec import TypeSpec
from ..trace.abstract_tensor import AbstractTensor, Evaluator, NeedsValue
from ..trace.control import Callee
from ..trace.graph import Step
from ..trace.host_calls import called_on_abstract
from ..trace.inference import Inference, depending_on
from ..trace.recorder import Recorder
from ..values.composite import is_composite
from ..values.tensor import Tensor, TensorSpec, to_tensor
from ..variables.variable import Variable

# Which error stands for which Python exception, as TensorFlow maps them.
_ERRORS: tuple[tuple[type[Exception], Callable[[None, None, str], OpError]], ...] = (
    (StopIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
)


def py_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,
    name: str | None = None,
) -> Any:
    """What `func` returns for the tensors in `inp`, as tensors of type `Tout`; tapes record what `func` does with tf ops.

    Without `func` it is a decorator. An exception in `func` becomes the `tf.errors` class that stands for it.

    >>> import gradtape as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.py_function(lambda a: a * a if a > 0 else a, [x], tf.float32)
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)

    Args:
        func: A Python function; it is called in each run, inside of `tf.function` too.
        inp: A list of tensors, the arguments of the function.
        Tout: The type of what it returns, or a list of types.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor, or a list where `Tout` is one.

    Raises:
        ValueError: `func` cannot be called.
        TypeError: As a decorator it was given `inp`.
    """
    if func is None:
        if inp is not None:
            raise TypeError("py_function: a decorator takes its inputs when it is called; leave `inp` out.")
        return lambda function: _decorated(py_function, function, Tout)
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func!r} of type {type(func)}.")
    specs = _specs(Tout)
    return _single(_py_results(func, inp, [_of_any_shape(spec) for spec in specs], "py_function"), Tout)


def _py_results(func: Callee, inp: Iterable[Any], specs: list[TypeSpec], name: str) -> list[Any]:
    """What `func` returns for tensors, each fitting its spec."""
    try:
        returned = func(*[_tensor(value) for value in inp])
        values = list(returned) if isinstance(returned, (list, tuple)) else [] if returned is None else [returned]
        results = [_as_type(value, spec) for value, spec in zip(values, specs, strict=False)]
    except Exception as error:
        raise _op_error(error) from error
    if len(results) < len(specs):
        raise invalid(f"{name}: {_name(func)} returns {len(results)} values, but Tout expects {len(specs)}.")
    for value, spec in zip(results, specs, strict=True):
        _check_shape(value, spec, func)
    return results


def _specs(Tout: object) -> list[TypeSpec]:
    """The results that `Tout` announces."""
    kinds = Tout if isinstance(Tout, (list, tuple)) else [Tout]
    return [kind if isinstance(kind, TypeSpec) else TensorSpec(None, dtypes.as_dtype(kind)) for kind in kinds]


def _of_any_shape(spec: TypeSpec) -> TypeSpec:
    """(Eagerly the shapes that are announced are not looked at, as in TensorFlow.)"""
    return TensorSpec(None, spec.dtype) if isinstance(spec, TensorSpec) else spec


def _single(results: list[Any], Tout: object) -> Any:
    return results if isinstance(Tout, (list, tuple)) else results[0]


def _decorated(call: Any, function: Callable[..., Any], Tout: Any) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*inputs: Any) -> Any:
        return call(function, list(inputs), Tout)

    return wrapped


def _tensor(value: Any) -> Any:
    return value if isinstance(value, Tensor) or is_composite(value) else to_tensor(value)


def _as_type(value: Any, spec: TypeSpec) -> Any:
    if not isinstance(spec, TensorSpec):
        if not spec.is_compatible_with(value):
            raise ValueError(f"{value!r} does not fit {spec!r}.")
        return value
    if isinstance(value, (Tensor, Variable)):
        if value.dtype is not spec.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {spec.dtype.name} for Tensor with dtype {value.dtype.name}: {value!r}"
            )
        return _tensor(value)
    return to_tensor(value, spec.dtype)


def _check_shape(value: Any, spec: TypeSpec, func: object) -> None:
    if isinstance(spec, TensorSpec) and not TensorShape(value.shape).is_compatible_with(spec.shape):
        raise invalid(
            f"{_name(func)} returns a tensor of shape {value.shape}, but its shape was said to be {spec.shape} (by Tout or "
            "set_shape)."
        )


def _op_error(error: Exception) -> OpError:
    message = f"{type(error).__name__}: {error}"
    if isinstance(error, (ValueError, TypeError)):
        return invalid(message)
    for python, tensorflow in _ERRORS:
        if isinstance(error, python):
            return tensorflow(None, None, message)
    return UnknownError(None, None, message)


def _name(func: object) -> str:
    return getattr(func, "__name__", repr(func))


def numpy_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """What `func` returns for the NumPy arrays of `inp`, as tensors; no tape follows it.

    Without `func` it is a decorator. Eagerly `Tout` and `stateful` are not looked at, as in TensorFlow.

    >>> import gradtape as tf
    >>> tf.numpy_function(np.sinc, [tf.constant([0.0, 0.5])], tf.float32).numpy().round(4)
    array([1.    , 0.6366], dtype=float32)

    Args:
        func: A Python function of NumPy arrays; it is called in each run, inside of `tf.function` too.
        inp: A list of tensors, the arguments of the function.
        Tout: The type of what it returns, or a list of types.
        stateful: False: equal arguments always give equal results.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor, or a list where it returns several values.

    Raises:
        TypeError: `Tout` is not given.
    """
    if func is None:
        if inp is not None:
            raise TypeError("numpy_function: a decorator takes its inputs when it is called; leave `inp` out.")
        return lambda function: _decorated(numpy_function, function, Tout)
    if Tout is None:
        raise TypeError("numpy_function: `Tout` is needed: the types of what the function returns.")
    returned = func(*_arrays(inp))
    results = [None if value is None else to_tensor(value) for value in nest.flatten(returned)]
    return results[0] if len(results) == 1 else results


def _arrays(inp: Iterable[Any]) -> list[Array]:
    """The arguments of `numpy_function` as arrays; tapes note that values leave them there."""
    tensors = [_tensor(value) for value in inp]
    for tensor in tensors if ACTIVE else ():
        if tensor._id:
            note_exit(tensor._id, "an argument of tf.numpy_function")
    return [np.asarray(tensor._array) for tensor in tensors]


# --- inside traced functions -------------------------------------------------------------------------------------------


class Unfollowed:
    """Python code that gets arrays: no tape sees what it does with them, or with tensors that it refers to."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *arrays: object) -> Any:
        """What the function returns."""
        return self.function(*arrays)


def py_call(func: Callee, inp: list[Any], specs: list[TypeSpec], line: str) -> list[Any]:
    """`py_function` as a step of a function, called at this line."""
    try:
        return _py_results(func, inp, specs, "py_function")
    except OpError as error:
        raise _at(error, line) from error.__cause__


def numpy_call(func: Unfollowed, inp: list[Any], specs: list[TensorSpec], line: str) -> list[Any]:
    """`numpy_function` as a step of a function: what it returns is of the types that it has said, as in TensorFlow."""
    try:
        try:
            returned = func(*_arrays(inp))
        except Exception as error:
            raise _op_error(error) from error
        values = [] if returned is None else list(returned) if isinstance(returned, (list, tuple)) else [returned]
        name = _name(func.function)
        if len(values) != len(specs):
            raise invalid(f"numpy_function: {name} returns {len(values)} values, but Tout expects {len(specs)}.")
        results = [to_tensor(np.asarray(value)) for value in values]
        for place, (value, spec) in enumerate(zip(results, specs, strict=True)):
            if value.dtype is not spec.dtype:
                raise invalid(
                    f"numpy_function: value {place} that {name} returns is {value.dtype.name}, but Tout expects "
                    f"{spec.dtype.name}. Use np.{spec.dtype.name}(...), or .astype."
                )
            _check_shape(value, spec, func.function)
        return results
    except OpError as error:
        raise _at(error, line) from error.__cause__


def _at(error: OpError, line: str) -> OpError:
    """The error, with the line of the function at which Python code was called."""
    return type(error)(None, None, f"{error.message} (called at {line})") if line else error


def _trace_py_function(
    trace: Recorder, func: Callee | None = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    if func is None or not callable(func):
        return py_function.__wrapped__(func, inp, Tout)  # type: ignore[attr-defined]
    return _single(trace.step(py_call, (func, list(inp), _specs(Tout), user_line()), {}), Tout)


def _trace_numpy_function(
    trace: Recorder,
    func: Callee | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    if func is None or Tout is None:
        return numpy_function.__wrapped__(func, inp, Tout)  # type: ignore[attr-defined]
    refused = [value for value in inp if is_composite(value)]
    if refused:
        raise TypeError(
            f"numpy_function: {refused[0]!r} is no array. Pass the tensors it is made of, or use tf.py_function."
        )
    args = Unfollowed(func), list(inp), _specs(Tout), user_line()
    return _single(trace.step(numpy_call, args, {}), Tout)


def _py_call_on_abstract(
    evaluator: Evaluator, function: Callee, func: Callee, inp: list[Any], specs: list[TypeSpec], line: str
) -> Any:
    """Results that depend on all inputs."""
    tensors = [to_tensor(value) for value in inp if not is_composite(value)]
    if not isinstance(evaluator, Inference) and evaluator.is_followed and any(map(_is_followed, tensors)):
        raise NeedsValue("What tapes see of Python code is known only when it runs.")
    results = _numpy_call_on_abstract(evaluator, function, func, inp, specs, line)
    if not isinstance(evaluator, Inference):
        return results
    return [depending_on(evaluator, r, tensors) if isinstance(r, AbstractTensor) else r for r in results]


def _is_followed(tensor: Tensor) -> bool:
    return bool(tensor._id) and tensor.dtype.is_differentiable


def _numpy_call_on_abstract(
    evaluator: Evaluator, function: Callee, func: Callee, inp: list[Any], specs: list[TypeSpec], line: str
) -> Any:
    why = "What Python code returns is known only when it runs. (A TensorSpec in Tout, or set_shape, tells its shape.)"
    return called_on_abstract(evaluator, function, (func, inp, specs, line), specs, why)


def _learn_shape(step: Step, number: int, spec: TensorSpec) -> None:
    """`set_shape` of a result: the step gives such a tensor."""
    func, inp, specs, line = step.args
    known = [spec if ref.number == number else old for ref, old in zip(step.results, specs, strict=True)]
    step.args = (func, inp, known, line)


py_function = traceable(py_function, always=True, on_trace=_trace_py_function)
numpy_function = traceable(numpy_function, always=True, on_trace=_trace_numpy_function)
py_call = traceable(py_call, always=True, on_abstract=_py_call_on_abstract)
numpy_call = traceable(numpy_call, always=True, on_abstract=_numpy_call_on_abstract)
py_call.__name__, numpy_call.__name__ = "py_function", "numpy_function"  # (as users know them)
py_call.learn_shape = numpy_call.learn_shape = _learn_shape  # type: ignore[attr-defined]
