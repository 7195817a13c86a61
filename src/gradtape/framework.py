"""TensorFlow's functions around ops: devices, scopes, dependencies, printing."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import nest
from .errors import invalid
from .tensor import IndexedSlices, Tensor, to_tensor
from .variable import Variable


def executing_eagerly() -> bool:
    """Whether ops run at once."""
    return True


def is_tensor(x: Any) -> bool:
    """Whether x is a tensor, a variable or IndexedSlices."""
    return isinstance(x, (Tensor, Variable, IndexedSlices))


def is_symbolic_tensor(x: Any) -> bool:
    """Whether x is a tensor without a value yet."""
    return False


class device:
    """Context manager that names a device; where it does not exist the CPU is used, as with TensorFlow's soft placement."""

    def __init__(self, device_name: Any) -> None:
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


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Accepted and without effect: eager ops run in the order of the program."""
    yield


def group(*inputs: Any, **kwargs: Any) -> None:
    """Nothing is left to do: the ops have run."""
    return None


def no_op(name: str | None = None) -> None:
    """Do nothing."""
    return None


def print(*inputs: Any, **kwargs: Any) -> None:
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
    if isinstance(stream, str):
        if not stream.startswith("file://"):
            raise ValueError(f"Unsupported output stream {stream!r}. Use sys.stdout, sys.stderr or file://path.")
        with open(stream.removeprefix("file://"), "a") as file:
            file.write(text + end)
        return
    builtins.print(text, end=end, file=stream)


def _printed(value: Any, summarize: int) -> str:
    def leaf(item: Any) -> str:
        if not isinstance(item, (Tensor, Variable)):
            return str(item)
        array = np.asarray(to_tensor(item)._array)
        if array.dtype.kind == "O":
            decoded = np.vectorize(lambda b: b.decode(errors="replace"), otypes=[object])(array) if array.size else array
            return str(decoded[()] if not array.ndim else decoded.tolist()).replace("'", '"')
        limit = sys.maxsize if summarize == -1 else 2 * summarize
        edge = max(1, array.size if summarize == -1 else summarize)
        long = any(size > limit for size in array.shape)
        with np.printoptions(threshold=0 if long else sys.maxsize, edgeitems=edge, linewidth=10**6, formatter=_FORMAT):
            return str(array)

    if not nest.is_nested(value):
        return leaf(value)
    return str(nest.map_structure(lambda item: _Text(leaf(item)), value))


def _number(value: Any) -> str:
    if not np.isfinite(value):
        return str(value)
    return str(int(value)) if value == int(value) else f"{value:.9g}"


_FORMAT: Any = {"float_kind": _number}


class _Text(str):
    def __repr__(self) -> str:
        return str(self)


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor that is known, as an array; None otherwise."""
    if isinstance(tensor, (Tensor, Variable)):
        return np.asarray(tensor)
    return None


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> None:
    """Raise InvalidArgumentError with `data` unless the condition holds."""
    if not bool(np.all(to_tensor(condition)._array)):
        shown = "\n".join(_printed(value, 3 if summarize is None else summarize) for value in data)
        raise invalid(f"Expected '{condition!s}' to be true. Summarized data: {shown}")
