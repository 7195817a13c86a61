"""Python's built-in functions on symbolic tensors. On anything else they are Python's own."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from . import public
from .lists import TensorList
from .loops import Positions, by_position, length
from .symbolic import is_symbolic, tracing


def _len(value: object) -> Any:
    if isinstance(value, TensorList):
        return value.size()
    return length(value)


def range_tensor(*args: object, **kwargs: object) -> Any:
    """`tf.range`, which remembers its steps: a loop over it counts instead of reading the numbers."""
    result = public.arrays().range(*args, **kwargs)
    if not kwargs and len(args) <= 3 and result.dtype.name == "int32":
        start, limit, delta = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        result._range = start, limit, delta
    return result


def _enumerate(value: object, start: object = 0) -> Any:
    positions = by_position(value)
    assert positions is not None
    return Positions(positions.count, lambda place: (place + start, positions.element(place)))


def _zip(*values: Any, strict: bool = False) -> Any:
    found = [by_position(value) for value in values]
    walks = [walk for walk in found if walk is not None]
    if len(walks) == len(found):
        counts = [walk.count for walk in walks]
        known = [count for count in counts if isinstance(count, int)]
        count = min(known) if len(known) == len(counts) else functools.reduce(public.math().minimum, counts)
        return Positions(count, lambda place: tuple(walk.element(place) for walk in walks))
    # Mixed with Python sequences: all become lists, which needs known lengths.
    lists = [
        value if walk is None else [walk.element(i) for i in range(walk.count)]
        for value, walk in zip(values, found, strict=True)
    ]
    return zip(*lists, strict=strict)


def _smallest(reduce: str, pairwise: str) -> Callable[..., Any]:
    def overload(*values: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise TypeError("min and max of tensors take no key and no default: use tf.argmin, tf.argmax, tf.gather.")
        if len(values) > 1:
            return functools.reduce(getattr(public.math(), pairwise), values)
        if values[0].shape.rank not in (1, None):
            raise ValueError(f"min and max of one tensor need one axis, got shape {values[0].shape}: use tf.{reduce}.")
        return getattr(public.math(), reduce)(values[0])

    return overload


def _print(
    *values: object, sep: str | None = " ", end: str | None = "\n", file: object = None, flush: bool = False
) -> None:
    stream = sys.stdout if file is None else file
    sep, end = " " if sep is None else sep, "\n" if end is None else end
    public.framework().print(*values, sep=sep, end=end, output_stream=stream)


def _cast(dtype: str) -> Callable[[Any], Any]:
    return lambda value: public.math().cast(value, dtype)


def _bool(value: Any) -> Any:
    return value if value.dtype.name == "bool" else value != 0


def _sum(value: object, start: object = 0) -> Any:
    total = public.math().reduce_sum(value, 0)
    return total if isinstance(start, int) and start == 0 else total + start


def _sorted(value: object, key: object = None, reverse: bool = False) -> Any:
    if key is not None:
        raise TypeError("sorted of a tensor takes no key: use tf.argsort and tf.gather.")
    return public.sorting().sort(value, direction="DESCENDING" if reverse else "ASCENDING")


def _reduced(name: str) -> Callable[[Any], Any]:
    return lambda value: getattr(public.math(), name)(value)


# What stands for a built-in function where one of its positional arguments is symbolic.
_OVERLOADS: dict[Any, Callable[..., Any]] = {
    len: _len,
    range: range_tensor,
    enumerate: _enumerate,
    zip: _zip,
    min: _smallest("reduce_min", "minimum"),
    max: _smallest("reduce_max", "maximum"),
    sum: _sum,
    sorted: _sorted,
    any: _reduced("reduce_any"),
    all: _reduced("reduce_all"),
    int: _cast("int32"),
    float: _cast("float32"),
    bool: _bool,
    print: _print,
}


def _zip_datasets(*datasets: Any, strict: bool = False) -> Any:
    are_all = all(map(_is_dataset, datasets))
    return datasets[0].zip(datasets) if are_all and not strict else zip(*datasets, strict=strict)


# What stands for a built-in function whose first argument is a dataset.
_OF_DATASETS: dict[Any, Callable[..., Any]] = {
    iter: lambda dataset: dataset.begin_in_function(),
    len: lambda dataset: dataset.length_in_function(),
    enumerate: lambda dataset, start=0: dataset.enumerate(start),
    zip: _zip_datasets,
}


def _is_dataset(value: object) -> bool:
    return hasattr(value.__class__, "begin_in_function")


def overload_of(function: Any, args: tuple[Any, ...]) -> Callable[..., Any]:
    """The function to call instead of a built-in one, for these arguments."""
    if function in _OF_DATASETS and args and _is_dataset(args[0]) and tracing():
        return _OF_DATASETS[function]
    staged = any(is_symbolic(arg) or isinstance(arg, (TensorList, Positions)) for arg in args)
    if staged or (function is print and any(_holds_symbolic(arg) for arg in args)):
        return _OVERLOADS.get(function, function)
    return function


def _holds_symbolic(value: object) -> bool:
    """Whether a list, tuple or dict that is printed has a symbolic tensor in it."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return any(is_symbolic(part) or _holds_symbolic(part) for part in parts)
