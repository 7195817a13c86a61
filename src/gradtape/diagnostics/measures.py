"""What `Monitor` measures in a step of training: the parts of a model, their gradients, how far their weights move."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.dtypes import Array
from ..values.tensor import EagerTensor, IndexedSlices
from ..variables.module import Module
from ..variables.variable import Variable

DEAD_AFTER = 10  # measured steps in a row without a gradient make a unit dead


@dataclass(slots=True)
class Measure:
    """One part in one measured step."""

    gradient: float | None  # the norm; None where no gradient was taken
    weights: float  # the norm
    update: float | None  # the norm of the change of the weights; None where they were not known before the step
    dead: int  # units that have had no gradient for DEAD_AFTER measured steps
    nonfinite: int  # elements of gradients and weights that are nan or inf

    @property
    def ratio(self) -> float | None:
        """How large the update is, compared with the weights. (Weights of zero have no size to compare with.)"""
        return None if self.update is None or not self.weights else self.update / self.weights


@dataclass(slots=True)
class _Arrived:
    """The last gradient of a part in the present step."""

    square: float = 0.0
    nonfinite: int = 0
    idle: Array | None = None  # for each unit, whether its gradient is zero; None for a part without units


@dataclass(slots=True)
class Part:
    """A layer, or another group of variables that belong together."""

    model: str  # the one of the watched models that it belongs to
    name: str
    variables: list[Variable]
    units: int = 0
    idle_for: Array | None = None  # for each unit, in how many measured steps it has had no gradient
    moved: set[int] = field(default_factory=set)  # places of the variables that have changed
    reached: set[int] = field(default_factory=set)  # places of those that had a gradient
    asked: bool = False  # whether a gradient was asked for
    _before: list[EagerTensor] | None = None
    _arrived: _Arrived | None = None

    def begin(self) -> None:
        """Note the weights before a measured step. (What is held here is not changed in place: no copy is needed.)"""
        self._before = [variable._value for variable in self.variables]
        self._arrived = None

    def take(self, gradients: list[Any]) -> None:
        """The gradients of the variables, None for those that have none."""
        self.asked = True
        arrays = [None if gradient is None else _rows(gradient) for gradient in gradients]
        self.reached.update(place for place, array in enumerate(arrays) if array is not None)
        if not any(array is not None for array in arrays):
            return
        squares = [_square(array) for array in arrays if array is not None]
        self._arrived = _Arrived(
            sum(square for square, _ in squares), sum(count for _, count in squares), _idle_units(arrays)
        )

    def end(self, scale: float) -> Measure:
        """What the step has done; gradients were taken of a loss times `scale`."""
        arrived, before = self._arrived, self._before
        self._arrived = self._before = None
        values = [variable._value._array for variable in self.variables]
        squares = [_square(value) for value in values]
        update = None
        if before is not None:
            changes = [_change(old._array, new) for old, new in zip(before, values, strict=True)]
            self.moved.update(place for place, change in enumerate(changes) if change)
            update = math.sqrt(sum(changes))
        return Measure(
            None if arrived is None else math.sqrt(arrived.square) / scale,
            math.sqrt(sum(square for square, _ in squares)),
            update,
            self._dead(arrived),
            (0 if arrived is None else arrived.nonfinite) + sum(count for _, count in squares),
        )

    def _dead(self, arrived: _Arrived | None) -> int:
        if arrived is not None and arrived.idle is not None:
            if self.idle_for is None or self.idle_for.shape != arrived.idle.shape:
                self.idle_for = np.zeros(arrived.idle.shape, np.int64)
                self.units = arrived.idle.size
            self.idle_for = np.where(arrived.idle, self.idle_for + 1, 0)
        return 0 if self.idle_for is None else int(np.count_nonzero(self.idle_for >= DEAD_AFTER))


def _rows(gradient: Any) -> Array:
    """The elements of a gradient; of slices of rows those rows, each once."""
    if gradient.__class__ is not IndexedSlices:
        return np.asarray(gradient._array)
    indices, values = np.asarray(gradient.indices._array), np.asarray(gradient.values._array)
    places, inverse = np.unique(indices, return_inverse=True)
    if len(places) == len(indices):
        return values
    total = np.zeros((len(places), *values.shape[1:]), values.dtype)
    np.add.at(total, inverse.reshape(-1), values)
    return total


def _square(array: Array) -> tuple[float, int]:
    """The sum of the squares of the finite elements, and how many are not."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    elif flat.dtype.kind != "f" or flat.dtype.itemsize < 4:
        flat = flat.astype(np.float32)  # narrow types
    square = float(np.dot(flat, flat))
    if math.isfinite(square):
        return square, 0
    wide = flat.astype(np.float64)  # (squares of large float32 numbers are too large for float32)
    finite = wide[np.isfinite(wide)]
    return float(np.dot(finite, finite)), flat.size - finite.size


def _change(old: Array, new: Array) -> float:
    return 0.0 if old is new else _square(np.subtract(new, old))[0]


def _idle_units(arrays: list[Array | None]) -> Array | None:
    """For each unit of a layer, whether no weight of it has a gradient; None for a layer without units.

    Units are along the last axis of a matrix or kernel; or, as in transposed convolutions, along the one before it, if that
    is as long as the bias. A bias is looked at first: few of its gradients are zero, and the kernel matters only for these.
    """
    kernels = [array for array in arrays if array is not None and array.ndim > 1]
    if not kernels:
        return None
    biases = [array for array in arrays if array is not None and array.ndim == 1]
    lengths = {bias.size for bias in biases}
    first = kernels[0]
    axis = -2 if lengths and first.shape[-1] not in lengths and first.shape[-2] in lengths else -1
    units = first.shape[axis]
    idle: Array = np.ones(units, bool)
    for bias in biases:
        if bias.size == units:
            idle &= bias == 0
    for kernel in kernels:
        if kernel.shape[axis] == units and idle.any():
            by_unit = np.moveaxis(kernel, axis, -1).reshape(-1, units)
            idle[idle] = ~by_unit[:, idle].any(axis=0)
    return idle


# --- the parts of what is watched -------------------------------------------------------------------------------------


def parts_of(watched: object) -> list[Part]:
    """The trainable variables of a model, a module, or a structure of these and of variables, by layer."""
    groups: dict[tuple[str, str], list[Variable]] = {}
    seen: set[int] = set()
    for model, name, variable in _named(watched, ""):
        if id(variable) not in seen and variable.dtype.is_floating:
            seen.add(id(variable))
            groups.setdefault((model, name), []).append(variable)
    return [Part(model, name, variables) for (model, name), variables in groups.items()]


def variables_of(watched: object) -> list[Any]:
    """All variables of what is watched, in less time than `parts_of` takes."""
    if isinstance(watched, Variable):
        return [watched]
    if hasattr(watched, "trainable_variables"):
        return list(watched.trainable_variables)
    values = watched.values() if isinstance(watched, Mapping) else watched
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(
            "Monitor takes a model, a module, variables, or a list or dict of these, got "
            f"{type(watched).__name__}: {watched!r}."
        )
    return [variable for value in values for variable in variables_of(value)]


def _named(watched: Any, model: str) -> Iterator[tuple[str, str, Variable]]:
    """Each variable, with the model it belongs to and the name of its layer."""
    if isinstance(watched, Variable):
        yield model, _own_name(watched), watched
    elif isinstance(watched, Mapping):
        for key, value in watched.items():
            yield from _named(value, f"{model}/{key}" if model else str(key))
    elif isinstance(watched, Module):
        yield from _of_module(watched, model)
    elif hasattr(watched, "trainable_variables"):
        yield from _by_path(watched.trainable_variables, model)
    else:
        values = list(watched)
        if all(isinstance(value, Variable) for value in values):
            yield from _by_path(values, model)
        else:
            for place, value in enumerate(values):
                yield from _named(value, model or getattr(value, "name", None) or str(place))


def _of_module(module: Module, model: str) -> Iterator[tuple[str, str, Variable]]:
    """The variables of a `tf.Module`, by the attributes that lead to them."""
    found = module._flatten(predicate=lambda leaf: isinstance(leaf, Variable) and leaf.trainable, with_path=True)
    for path, variable in found:
        layer = path if isinstance(path[-1], int) else path[:-1]  # (variables in a list are layers of their own)
        yield model, "/".join(map(str, layer)) or module.name or "module", variable


def _by_path(variables: Iterable[Any], model: str) -> Iterator[tuple[str, str, Variable]]:
    """Variables with the paths that Keras gives them: layers without the name of the model that they share."""
    listed = list(variables)
    paths = [str(getattr(variable, "path", "") or "").split("/") for variable in listed]
    shared = len({path[0] for path in paths}) == 1 and min(map(len, paths), default=0) > 2
    used: dict[str, int] = {}
    for variable, path in zip(listed, paths, strict=True):
        name = "/".join(path[1:-1] if shared else path[:-1])
        if not name:
            name = _own_name(variable)
            count = used[name] = used.get(name, -1) + 1
            name = f"{name}_{count}" if count else name
        yield model, name, variable


def _own_name(variable: Any) -> str:
    return str(getattr(variable, "path", None) or variable.name or "variable").split(":")[0]
