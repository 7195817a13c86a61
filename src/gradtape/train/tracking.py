"""What a checkpoint finds in an object: its parts by name, down to the variables and states that hold values.

Objects are matched by the names of the attributes that lead to them, as TensorFlow matches them: what a program calls
`model.encoder.w` is found again under that name, whatever the variable's own name is.
"""

from __future__ import annotations

import functools
import random as python_random
import sys
from collections import deque
from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from ..base.frames import package_of
from ..base.types import TensorLike
from ..trace.concrete import ConcreteFunction
from ..values.tensor import EagerTensor
from ..variables.module import Module
from ..variables.variable import Variable


def variable_in(value: object) -> Variable | None:
    """The variable that `value` is, or that it wraps; None also for one that has no value yet, as in Keras."""
    if isinstance(value, Variable):
        return None if value.__dict__.get("_value", value) is None else value  # (absent during an assignment)
    if hasattr(type(value), "assign"):
        inner = getattr(value, "__dict__", {}).get("_value")
        if isinstance(inner, Variable):
            return inner
    return None


class StateOf:
    """One way to read and write the state of objects that are no variables: nested plain values and arrays."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def get(self) -> Any:
        value = self._value
        if isinstance(value, np.random.Generator):
            return value.bit_generator.state
        if isinstance(value, python_random.Random):
            return value.getstate()
        return value.serialize() if _is_python_state(value) else value.get_state()

    def set(self, state: Any) -> None:
        value = self._value
        if isinstance(value, np.random.Generator):
            value.bit_generator.state = state
        elif isinstance(value, python_random.Random):
            value.setstate(state)
        elif _is_python_state(value):
            value.deserialize(state)
        else:
            value.set_state(state)


def state_of(value: object) -> StateOf | None:
    """The state of an iterator over data, a random generator, or anything else with `get_state` and `set_state`."""
    if isinstance(value, type):
        return None
    if isinstance(value, (np.random.Generator, python_random.Random)) or _is_python_state(value):
        return StateOf(value)
    return StateOf(value) if _has_methods(value, "get_state", "set_state") else None


def _is_python_state(value: object) -> bool:
    return _has_methods(type(value), "serialize", "deserialize")


def _has_methods(value: object, *names: str) -> bool:
    return all(callable(getattr(value, name, None)) for name in names)


def is_trackable(value: object) -> bool:
    """Whether a checkpoint can look into `value`."""
    if value.__class__ in _PLAIN:
        return False
    return variable_in(value) is not None or state_of(value) is not None or _is_followed(value)


_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, np.ndarray, EagerTensor})


def _is_followed(value: object) -> bool:
    if isinstance(value, (list, tuple, Mapping, Module, SimpleNamespace)):
        return True
    cls = type(value)
    if hasattr(cls, "_trackable_children"):
        return True
    if isinstance(value, (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)):
        return False
    package = package_of(cls.__module__)
    if package in ("gradtape", "keras"):  # models, optimizers, metrics, generators; not what they are wired with
        return not isinstance(value, ConcreteFunction) and (hasattr(value, "variables") or hasattr(value, "state"))
    if package in sys.stdlib_module_names or package in ("numpy", "scipy"):
        return False
    return hasattr(value, "__dict__")


def children_of(value: Any) -> dict[str, Any]:
    """The parts of an object that may hold values, by name."""
    if variable_in(value) is not None or state_of(value) is not None:
        return {}
    if hasattr(type(value), "_trackable_children"):
        parts = value._trackable_children()
    elif isinstance(value, Mapping):
        parts = {str(key): part for key, part in value.items() if isinstance(key, (str, int))}
    elif isinstance(value, (list, tuple)):
        parts = {str(place): part for place, part in enumerate(value)}
    else:
        parts = _parts_of_keras(value) if is_of_keras(value.__class__) else vars(value)
    return {name: part for name, part in parts.items() if is_trackable(part)}


@functools.cache
def is_of_keras(cls: Any) -> bool:
    """Whether a class is, or derives from, one of Keras's."""
    return any(base.__module__.partition(".")[0] == "keras" for base in cls.__mro__)


# How models are wired, which differs between one that was called and one that was not; and what `fit` counts in an epoch.
_NOT_SAVED = {
    *("_functional", "_operations", "_operations_by_depth", "_nodes", "_nodes_by_depth", "_tracker"),
    *("_compile_metrics", "_loss_tracker"),
}


def _parts_of_keras(value: TensorLike) -> dict[str, Any]:
    parts = {name: part for name, part in vars(value).items() if name not in _NOT_SAVED}
    if hasattr(type(value), "apply_gradients"):
        parts.pop("_trainable_variables", None)  # those of the model
    layers = parts.get("_layers")
    if isinstance(layers, list):  # a Sequential that was called has an input layer in front, which holds nothing
        parts["_layers"] = [layer for layer in layers if type(layer).__name__ != "InputLayer"]
    return parts


def identity_of(value: object) -> int:
    """What two references to one object have in common. (Assigning to a variable gives a second object for it.)"""
    variable = variable_in(value)
    return id(value) if variable is None else -variable._id


class Tracked:
    """One object of the graph."""

    def __init__(self, value: TensorLike, path: tuple[str, ...]) -> None:
        self.value = value
        self.path = path  # the shortest way to it
        self.variable = variable_in(value)
        self.state = None if self.variable is not None else state_of(value)
        self.children: dict[str, int] = {}

    @property
    def holds_value(self) -> bool:
        """Whether it is a variable or has a state, and does not only lead to one."""
        return self.variable is not None or self.state is not None

    @property
    def key(self) -> str:
        """The name of its value in the file, with TensorFlow's spelling."""
        escaped = [name.replace(".", "..").replace("/", ".S") for name in self.path]
        return "/".join([*escaped, ".ATTRIBUTES"])


def tracked_objects(root: Any) -> list[Tracked]:
    """The root, and every object below it that holds values or leads to one; nearest first."""
    found = [Tracked(root, ())]
    numbers = {identity_of(root): 0}
    waiting = deque([0])
    while waiting:
        node = found[waiting.popleft()]
        for name, child in children_of(node.value).items():
            number = numbers.get(identity_of(child))
            if number is None:
                number = numbers[identity_of(child)] = len(found)
                found.append(Tracked(child, (*node.path, name)))
                waiting.append(number)
            node.children[name] = number
    return _with_values_below(found)


def _with_values_below(nodes: list[Tracked]) -> list[Tracked]:
    parents: dict[int, list[int]] = {}
    for number, node in enumerate(nodes):
        for child in node.children.values():
            parents.setdefault(child, []).append(number)
    waiting = [number for number, node in enumerate(nodes) if node.holds_value]
    kept = {0, *waiting}
    while waiting:
        for parent in parents.get(waiting.pop(), ()):
            if parent not in kept:
                kept.add(parent)
                waiting.append(parent)
    numbers = {old: new for new, old in enumerate(sorted(kept))}
    for node in nodes:
        node.children = {name: numbers[child] for name, child in node.children.items() if child in kept}
    return [nodes[number] for number in sorted(kept)]
