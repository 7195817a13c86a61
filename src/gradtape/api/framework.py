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
from ..base.type_spec import NoneTensorSpec, TypeSpec
from ..base.types import TensorLike
from ..trace.control import effect_on_abstract
from ..trace.symbolic import SymbolicTensor, is_symbolic
from ..values.composite import COMPOSITES, is_composite
from ..values.tensor import Tensor, TensorSpec, to_tensor
from ..variables.spec import VariableSpec
from ..variables.variable import Variable
from ..xla.places import chosen
from ..xla.scopes import OnDevice, opened
from .device_spec import DeviceSpec


def executing_eagerly() -> bool:
    """Whether ops run at once: they do, except while a `tf.function` is recorded.

    >>> import gradtape as tf
    >>> tf.executing_eagerly()
    True

    Returns:
        True outside of functions, False while one is recorded.
    """
    return STATE.trace is None


def is_tensor(x: object) -> bool:
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


def type_spec_from_value(value: Any) -> TypeSpec:
    """The `tf.TypeSpec` of a value: of a tensor, a variable, None, anything made of tensors, or what becomes a tensor.

    >>> tf.type_spec_from_value([[1.0, 2.0]])
    TensorSpec(shape=(1, 2), dtype=tf.float32, name=None)

    Args:
        value: A tensor, a variable, None, a value made of tensors, or what can become a tensor.

    Returns:
        A `tf.TypeSpec`: its shape and type without its numbers.

    Raises:
        TypeError: The value cannot become a tensor.
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
    """Whether it is a tensor that has no value yet: one inside of a function that is being traced.

    >>> import gradtape as tf
    >>> tf.is_symbolic_tensor(tf.constant(1.0))
    False
    >>> @tf.function
    ... def f(x):
    ...     return x if tf.is_symbolic_tensor(x) else None
    >>> f(tf.constant(1.0)).numpy()
    np.float32(1.0)

    Args:
        tensor: Any object.

    Returns:
        True or False.
    """
    return is_symbolic(tensor)


class device:
    """Context manager that chooses a device: functions called in it run there, on XLA, and variables made in it live there.

    A device that does not exist is the CPU, as with TensorFlow's soft placement, and changes nothing. Eager ops compute on the
    host in any case: what they give belongs to the device, and goes there with the first function that uses it. A scope inside
    of a function chooses for the whole function, where it is called outside of other scopes.

    >>> import gradtape as tf
    >>> with tf.device("/GPU:0"):  # on a machine without one
    ...     x = tf.constant([1.0, 2.0])
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'

    Args:
        device_name: The device, as "/CPU:0" or a `tf.DeviceSpec`; None leaves the scopes around it; a function of an op, which
            TensorFlow asks for each op, is taken and not asked.

    Returns:
        A context manager.

    Raises:
        ValueError: It is no name of a device.
        tf.errors.InvalidArgumentError: There is no such device, and soft placement is off.
    """

    def __init__(self, device_name: Any) -> None:
        if isinstance(device_name, DeviceSpec):
            device_name = device_name.to_string()
        if device_name is not None and not isinstance(device_name, str) and not callable(device_name):
            raise ValueError(f"device_name must be a string, None or a function, got {device_name!r}.")
        self._spec = DeviceSpec.from_string(_lower(device_name)) if isinstance(device_name, str) else DeviceSpec()
        self.device_name = device_name
        self._entered: list[OnDevice | None] = []  # one scope may be entered again inside of itself

    def __enter__(self) -> device:
        self._entered.append(self._scope())
        return self

    def __exit__(self, *error: object) -> None:
        entered = self._entered.pop()
        if entered is not None:
            entered.leave()

    def _scope(self) -> OnDevice | None:
        """The block that it opens; None where it changes nothing."""
        kind = self._spec.device_type
        if kind is None and self.device_name is not None:
            return None  # a job or a task: there is one
        return opened(None if kind is None else chosen(kind, self._spec.device_index, str(self.device_name)))


def _lower(name: str) -> str:
    """The name with the kind of the device in small letters: "cpu:0" and "/CPU:0" are one."""
    return "/".join(part.lower() if part.partition(":")[0].lower() != "job" else part for part in name.split("/"))


def control_dependencies(control_inputs: Sequence[TensorLike]) -> AbstractContextManager[None]:
    """Accepted and without effect: ops run in the order of the program, in functions too.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> with tf.control_dependencies([v.assign(2.0)]):
    ...     value = v.read_value()
    >>> value.numpy()
    np.float32(2.0)

    Args:
        control_inputs: What has to run before; it has run already.

    Returns:
        A context manager.

    Raises:
        TypeError: It is no collection.
    """
    if control_inputs is not None and not callable(control_inputs):
        iter(control_inputs)  # TypeError for what is no collection
    return nullcontext()


def group(*inputs: TensorLike, **kwargs: object) -> None:
    """Nothing is left to do: the ops have run.

    >>> import gradtape as tf
    >>> tf.group(tf.constant(1), tf.constant(2))

    Args:
        *inputs: What should run; it has run already.
        **kwargs: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        None.
    """
    return None


def tuple(
    tensors: Sequence[TensorLike], control_inputs: TensorLike | None = None, name: str | None = None
) -> list[Tensor]:
    """The tensors as a list; None stays None.

    >>> import gradtape as tf
    >>> [part.numpy() for part in tf.tuple([1.0, [2.0, 3.0]])]
    [np.float32(1.0), array([2., 3.], dtype=float32)]

    Args:
        tensors: A list of values; None stays None.
        control_inputs: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A list of tensors.
    """
    return [None if tensor is None else to_tensor(tensor) for tensor in tensors]


def get_logger() -> logging.Logger:
    """The logger that gradtape's warnings go to.

    >>> import gradtape as tf
    >>> tf.get_logger().setLevel("ERROR")
    >>> tf.get_logger().name
    'gradtape'
    >>> tf.get_logger().setLevel("NOTSET")

    Returns:
        A logger of Python's logging module.
    """
    return logging.getLogger("gradtape")


def get_current_name_scope() -> str:
    """The name scopes that are open, with slashes between them; "" where there is none.

    >>> import gradtape as tf
    >>> with tf.name_scope("model"), tf.name_scope("layer"):
    ...     scope = tf.get_current_name_scope()
    >>> scope
    'model/layer'

    Returns:
        Text.
    """
    return "/".join(STATE.name_scopes)


def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """The tensor: a value that has been computed does not change.

    >>> import gradtape as tf
    >>> tf.guarantee_const([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)

    Args:
        input: A tensor, or what can become one.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The tensor.
    """
    return to_tensor(input)


def timestamp(name: str | None = None) -> Tensor:
    """Seconds since 1970 as a float64 tensor.

    >>> import gradtape as tf
    >>> started = tf.timestamp()
    >>> bool(tf.timestamp() - started < 60)
    True

    Args:
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A float64 number. Inside a function it is the time of each call.
    """
    return to_tensor(time.time(), dtypes.float64)


def no_op(name: str | None = None) -> None:
    """Do nothing.

    >>> import gradtape as tf
    >>> tf.no_op()

    Args:
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        None.
    """
    return None


def print(*inputs: object, **kwargs: Any) -> None:
    """Print values as TensorFlow does: to standard error, a few elements at each end of an axis.

    Inside of a `tf.function` it prints in every call, where Python's print prints only while the function is traced.

    >>> import gradtape as tf
    >>> import sys
    >>> tf.print("x:", tf.range(100), output_stream=sys.stdout)
    x: [0 1 2 ... 97 98 99]
    >>> tf.print({"a": tf.constant(1.5)}, [tf.constant([True])], output_stream=sys.stdout, summarize=-1)
    {'a': 1.5} [[1]]

    Args:
        *inputs: Text, tensors, and structures of them.
        **kwargs: `output_stream`: sys.stdout, sys.stderr or "file://..."; `summarize`: how many elements at each end, -1
            for all; `sep` and `end`: as for Python's print; `name`: not used.

    Returns:
        None.

    Raises:
        ValueError: There is no such stream or keyword.
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

    ends = sys.maxsize if summarize == -1 else summarize

    def leaf(item: Any) -> Any:
        if hasattr(item, "row_splits"):
            shown.append(_in_rows(item.to_list(), ends))
        elif is_composite(item) and hasattr(item, "dense_shape") and item.dense_shape is not None:
            parts = (summary(np.asarray(part._array), ends) for part in (item.indices, item.values, item.dense_shape))
            shown.append("'SparseTensor(indices={}, values={}, shape={})'".format(*parts))
        elif isinstance(item, (Tensor, Variable)):
            shown.append(summary(np.asarray(to_tensor(item)._array), ends))
        else:
            return item
        return _SLOT

    template = pprint.pformat(nest.map_structure(leaf, value)).split(repr(_SLOT))
    # pprint takes a dict in the order of its keys, and so does map_structure: the slots come in order.
    return template[0] + "".join(text + rest for text, rest in zip(shown, template[1:], strict=True))


def _in_rows(value: object, ends: int) -> str:
    """Rows of different lengths, at most `ends` elements at each end; numbers with six digits after the point."""
    if isinstance(value, list):
        parts = value if len(value) <= 2 * ends else [*value[:ends], ..., *value[-ends:]]
        return "[" + ", ".join("..." if part is ... else _in_rows(part, ends) for part in parts) + "]"
    if isinstance(value, bytes):
        return repr(value.decode(errors="replace"))
    return f"{value:f}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)


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


def _element(value: object, dtype: np.dtype[Any]) -> str:
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


def get_static_value(tensor: object, partial: bool = False) -> Any:
    """The value of a tensor as an array, if it is known; None for a tensor of a traced function that is computed later.

    >>> import gradtape as tf
    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)
    >>> @tf.function
    ... def f(x):
    ...     rows, columns = tf.get_static_value(tf.shape(x))  # plain numbers, while the function is traced
    ...     return x / (rows * columns)
    >>> f(tf.ones([1, 2])).numpy()
    array([[0.5, 0.5]], dtype=float32)

    Args:
        tensor: A tensor; what is no tensor is given back.
        partial: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A NumPy array, or None.
    """
    if isinstance(tensor, SymbolicTensor):
        known = tensor._trace.known_value(tensor)
        return None if known is None else np.asarray(known)
    return np.asarray(tensor) if isinstance(tensor, (Tensor, Variable)) else tensor


def Assert(
    condition: TensorLike, data: Sequence[TensorLike], summarize: int | None = None, name: str | None = None
) -> None:
    """Raise InvalidArgumentError with `data` unless the condition holds.

    >>> import gradtape as tf
    >>> x = tf.constant([1.0, -1.0])
    >>> tf.debugging.Assert(tf.reduce_all(x > 0), [x])
    Traceback (most recent call last):
    gradtape.errors.InvalidArgumentError: Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: [1 -1]

    Args:
        condition: One truth value.
        data: The values that the error shows.
        summarize: How many elements of each to show.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        None.

    Raises:
        tf.errors.InvalidArgumentError: The condition is false.
        ValueError: The condition has more than one element.
    """
    array = np.asarray(to_tensor(condition)._array)
    if array.size > 1:
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use tf.reduce_all(x).")
    if not array.any():
        shown = "\n".join(_printed(value, 3 if summarize is None else summarize) for value in data)
        raise invalid(f"Expected '{condition!s}' to be true. Summarized data: {shown}")


print = traceable(print, always=True, on_abstract=effect_on_abstract)
Assert = traceable(Assert, on_abstract=effect_on_abstract)
