"""`py_function` and `numpy_function`: Python code called as if it were an op."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import dtypes, nest
from ..base.errors import (
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
    invalid,
)
from ..base.traceable import traceable
from ..trace.ghost import NeedsValue
from ..trace.inference import Inference, depending_on
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
    """
    if func is None:
        if inp is not None:
            raise TypeError("py_function: a decorator takes its inputs when it is called; leave `inp` out.")
        return lambda function: _decorated(py_function, function, Tout)
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func!r} of type {type(func)}.")
    kinds = [_result_type(kind) for kind in Tout] if isinstance(Tout, (list, tuple)) else [_result_type(Tout)]
    try:
        returned = func(*[_tensor(value) for value in inp])
        values = list(returned) if isinstance(returned, (list, tuple)) else [] if returned is None else [returned]
        results = [_as_type(value, kind) for value, kind in zip(values, kinds, strict=False)]
    except Exception as error:
        raise _op_error(error) from error
    if len(results) < len(kinds):
        raise invalid(f"py_function: {_name(func)} returns {len(results)} values, but Tout expects {len(kinds)}.")
    return results if isinstance(Tout, (list, tuple)) else results[0]


def _decorated(call: Any, function: Callable[..., Any], Tout: Any) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*inputs: Any) -> Any:
        return call(function, list(inputs), Tout)

    return wrapped


def _tensor(value: Any) -> Any:
    return value if isinstance(value, Tensor) else to_tensor(value)


def _result_type(kind: Any) -> dtypes.DType:
    return kind.dtype if isinstance(kind, TensorSpec) else dtypes.as_dtype(kind)


def _as_type(value: Any, kind: dtypes.DType) -> Any:
    if isinstance(value, (Tensor, Variable)):
        if value.dtype is not kind:
            raise ValueError(
                f"Tensor conversion requested dtype {kind.name} for Tensor with dtype {value.dtype.name}: {value!r}"
            )
        return _tensor(value)
    return to_tensor(value, kind)


def _op_error(error: Exception) -> OpError:
    message = f"{type(error).__name__}: {error}"
    if isinstance(error, (ValueError, TypeError)):
        return invalid(message)
    for python, tensorflow in _ERRORS:
        if isinstance(error, python):
            return tensorflow(None, None, message)
    return UnknownError(None, None, message)


def _name(func: Any) -> str:
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
    """
    if func is None:
        if inp is not None:
            raise TypeError("numpy_function: a decorator takes its inputs when it is called; leave `inp` out.")
        return lambda function: _decorated(numpy_function, function, Tout)
    if Tout is None:
        raise TypeError("numpy_function: `Tout` is needed: the types of what the function returns.")
    returned = func(*[np.asarray(_tensor(value)._array) for value in inp])
    results = [None if value is None else to_tensor(value) for value in nest.flatten(returned)]
    return results[0] if len(results) == 1 else results


def _called_in_world(
    world: Any,
    function: Any,
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,
    **kwargs: Any,
) -> Any:
    """Results of the declared types, of unknown shape, that depend on all inputs."""
    if not isinstance(world, Inference):
        raise NeedsValue("What Python code returns is known only when it runs.")
    kinds = Tout if isinstance(Tout, (list, tuple)) else [Tout]
    specs = [kind if isinstance(kind, TensorSpec) else TensorSpec(None, dtypes.as_dtype(kind)) for kind in kinds]
    results = [depending_on(world, world.ghost(spec), [to_tensor(value) for value in inp]) for spec in specs]
    return results if isinstance(Tout, (list, tuple)) else results[0]


py_function = traceable(py_function, always=True, in_world=_called_in_world)
numpy_function = traceable(numpy_function, always=True, in_world=_called_in_world)
