"""TensorFlow's functions around ops: devices, scopes, dependencies, printing."""

from __future__ import annotations

import builtins
import logging
import pprint
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from ..base import dtypes, nest
from ..base.context import STATE
from ..base.dtypes import Array
from ..base.errors import invalid
from ..base.traceable import traceable
from ..base.type_spec import NoneTensorSpec
from ..base.types import TensorLike, Value
from ..trace.control import effect_in_world
from ..trace.symbolic import SymbolicTensor, is_symbolic
from ..values.composite import COMPOSITES, is_composite
from ..values.tensor import Tensor, TensorSpec, to_tensor
from ..variables.variable import Variable, VariableSpec
from .device_spec import DeviceSpec


def executing_eagerly() -> bool:
    """Whether ops run at once: they do, except while a `tf.function` is recorded.

    >>> import gradtape as tf
    >>> tf.executing_eagerly()
    True
    """
    return STATE.trace is None


def is_tensor(x: Value) -> bool:
    """Whether x is a tensor, a variable, or made of tensors as IndexedSlices and SparseTensor are.

    >>> import gradtape as tf
    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
    (True, False)

    Args:
        x: Any object.

    Returns:
        True for tensors, variables and values made of tensors.
    """
    return isinstance(x, (Tensor, Variable)) or (is_composite(x) and COMPOSITES[x.__class__].is_tensor)


def type_spec_from_value(value: Any) -> Any:
    """The `tf.TypeSpec` of a value: of a tensor, a variable, None, anything made of tensors, or what becomes a tensor.

    >>> tf.type_spec_from_value([[1.0, 2.0]])
    TensorSpec(shape=(1, 2), dtype=tf.float32, name=None)
    """
    if value is None:
        return NoneTensorSpec()
    if isinstance(value, Variable):
        return VariableSpec(value.shape, value.dtype, value.trainable)
    kind = COMPOSITES.get(value.__class__)
    if kind is not None and kind.spec is not None:
        return kind.spec.from_value(value)
    if hasattr(value.__class__, "_type_spec"):  # a dataset
        return value._type_spec
    try:
        if not isinstance(value, Tensor):
            value = to_tensor(value)
    except (TypeError, ValueError):
        raise TypeError(f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.") from None
    return TensorSpec.from_tensor(value)


def is_symbolic_tensor(tensor: TensorLike) -> bool:
    """Whether it is a tensor that has no value yet."""
    return is_symbolic(tensor)


class device:
    """Context manager that names a device; if it does not exist, the CPU is used, as with TensorFlow's soft placement."""

    def __init__(self, device_name: Any) -> None:
        if isinstance(device_name, DeviceSpec):
            device_name = device_name.to_string()
        if device_name is not None and not isinstance(device_name, str) and not callable(device_name):
            raise ValueError(f"device_name must be a string, None or a function, got {device_name!r}.")
        if isinstance(device_name, str):
            _check_device(device_name)
        self.device_name = device_name

    def __enter__(self) -> device:
        return self

    def __exit__(self, *error: object) -> None:
        return None


def _check_device(name: str) -> None:
    for part in filter(None, name.split("/")):
        kind = part.split(":")[0].lower()
        if kind not in ("job", "replica", "task", "device", "cpu", "gpu", "tpu", "xla_cpu", "xla_gpu"):
            raise ValueError(f"Unknown attribute {part!r} is encountered while parsing the device string {name!r}.")


def control_dependencies(control_inputs: Sequence[TensorLike]) -> AbstractContextManager[None]:
    """Accepted and without effect: eager ops run in the order of the program."""
    if control_inputs is not None and not callable(control_inputs):
        iter(control_inputs)  # TypeError for what is no collection
    return nullcontext()


def group(*inputs: TensorLike, **kwargs: object) -> None:
    """Nothing is left to do: the ops have run.

    >>> import gradtape as tf
    >>> tf.group(tf.constant(1), tf.constant(2))
    """
    return None


def tuple(
    tensors: Sequence[TensorLike], control_inputs: TensorLike | None = None, name: str | None = None
) -> list[Tensor]:
    """The tensors as a list; None stays None."""
    return [None if tensor is None else to_tensor(tensor) for tensor in tensors]


def get_logger() -> logging.Logger:
    """The logger that gradtape's warnings go to."""
    return logging.getLogger("gradtape")


def get_current_name_scope() -> str:
    """The name scopes that are open, with slashes between them; "" where there is none."""
    return "/".join(STATE.name_scopes)


def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """The tensor: a value that has been computed does not change."""
    return to_tensor(input)


def timestamp(name: str | None = None) -> Tensor:
    """Seconds since 1970 as a float64 tensor."""
    return to_tensor(time.time(), dtypes.float64)


def no_op(name: str | None = None) -> None:
    """Do nothing.

    >>> import gradtape as tf
    >>> tf.no_op()

    Args:
        name: Not used; taken for programs that were written for TensorFlow.

    Returns:
        None.
    """
    return None


def print(*inputs: object, **kwargs: Any) -> None:
    """Print values as TensorFlow does: to standard error, `summarize` elements at each end of an axis.

    `output_stream` is sys.stdout, sys.stderr or "file://..."; `sep` and `end` are as for Python's print.
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    text = sep.join(_printed(value, 3 if summarize is None else int(summarize)) for value in inputs)
    if len(inputs) == 1 and isinstance(inputs[0], Tensor) and inputs[0].dtype == dtypes.string and not inputs[0].ndim:
        text = text[1:-1]  # a text by itself has no quotes
    if isinstance(stream, str):
        if not stream.startswith("file://"):
            raise ValueError(f"Unsupported output stream {stream!r}. Use sys.stdout, sys.stderr or file://path.")
        with open(stream.removeprefix("file://"), "a") as file:
            file.write(text + end)
        return
    builtins.print(text, end=end, file=stream)


def _printed(value: object, summarize: int) -> str:
    """One argument of `print`: text as it is, tensors summarized, structures as Python's pprint shows them."""
    if isinstance(value, str):
        return value
    shown: list[str] = []

    def leaf(item: TensorLike) -> Any:
        if not isinstance(item, (Tensor, Variable)):
            return item
        shown.append(summary(np.asarray(to_tensor(item)._array), sys.maxsize if summarize == -1 else summarize))
        return _SLOT

    template = pprint.pformat(nest.map_structure(leaf, value)).split(repr(_SLOT))
    # pprint takes a dict in the order of its keys, and so does map_structure: the slots come in order.
    return template[0] + "".join(text + rest for text, rest in zip(shown, template[1:], strict=True))


class _Slot:
    """Where a tensor stands in a structure that is printed."""

    def __repr__(self) -> str:
        return "\0"


_SLOT = _Slot()


def summary(array: Array, ends: int, depth: int = 0) -> str:
    """The elements, at most `ends` at each end of an axis."""
    if not array.ndim:
        return _element(array.item(), array.dtype)
    between = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * (depth + 1)
    count = len(array)
    places = range(count) if count <= 2 * ends else [*range(ends), None, *range(count - ends, count)]
    rows = ["..." if place is None else summary(np.asarray(array[place]), ends, depth + 1) for place in places]
    return f"[{between.join(rows)}]"


def _element(value: Any, dtype: np.dtype[Any]) -> str:
    if isinstance(value, bytes):
        return f'"{value.decode(errors="replace")}"'
    if isinstance(value, bool):
        return str(int(value))
    if not isinstance(value, float):
        return str(value)
    # As TensorFlow: the digits that every number of the type has, and all it needs where those are not enough.
    few, all_needed, exact = (15, 17, np.float64) if dtype == np.float64 else (6, 9, np.float32)
    text = f"{value:.{few}g}"
    return text if exact(text) == exact(value) or value != value else f"{value:.{all_needed}g}"


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor that is known, as an array; what is no tensor is given back."""
    if isinstance(tensor, SymbolicTensor):
        known = tensor._trace.known_value(tensor)
        return None if known is None else np.asarray(known)
    return np.asarray(tensor) if isinstance(tensor, (Tensor, Variable)) else tensor


def Assert(
    condition: TensorLike, data: Sequence[TensorLike], summarize: int | None = None, name: str | None = None
) -> None:
    """Raise InvalidArgumentError with `data` unless the condition holds."""
    array = np.asarray(to_tensor(condition)._array)
    if array.size > 1:
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use tf.reduce_all(x).")
    if not array.any():
        shown = "\n".join(_printed(value, 3 if summarize is None else summarize) for value in data)
        raise invalid(f"Expected '{condition!s}' to be true. Summarized data: {shown}")


print = traceable(print, always=True, in_world=effect_in_world)
Assert = traceable(Assert, in_world=effect_in_world)
