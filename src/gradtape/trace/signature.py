"""The parts of a call that decide whether a trace can serve it: structure, types and shapes, Python values, identities."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base import nest
from ..base.shapes import TensorShape
from ..values.composite import COMPOSITES, Composite, is_composite
from ..values.tensor import EagerTensor, Tensor, TensorSpec, from_array, to_array, to_tensor
from ..variables.variable import Variable, VariableSpec
from .graph import map_parts, parts_of

_BY_VALUE = {int, float, bool, str, bytes, complex, type(None), type(Ellipsis), type}


class Encoder:
    """Takes one call apart: the key to look a trace up with, and its tensors in order."""

    __slots__ = ("objects", "tensors")

    def __init__(self) -> None:
        self.tensors: list[Any] = []
        self.objects: list[Any] = []  # arguments that are known by identity

    def key(self, value: Any) -> Any:
        """A hashable description; tensors are set aside."""
        cls = value.__class__
        if cls is EagerTensor:
            self.tensors.append(value)
            array = value._array
            return array.dtype.num, array.shape
        if cls in _BY_VALUE:
            return cls, value
        if isinstance(value, Tensor):
            self.tensors.append(value)
            return value.dtype.numpy.num, tuple(value.shape) if value.shape.rank is not None else None
        if isinstance(value, Variable):
            return "variable", value._id
        if isinstance(value, TensorSpec) and not isinstance(value, VariableSpec):
            self.tensors.append(value)
            return value.dtype.numpy.num, tuple(value.shape) if value.shape.rank is not None else None
        if isinstance(value, (np.ndarray, np.generic)):
            return self.key(from_array(to_array(value)))
        if isinstance(value, dict):
            return cls, tuple([(name, self.key(value[name])) for name in nest.sorted_keys(value)])
        if nest.is_nested(value):
            return cls, tuple([self.key(part) for part in parts_of(value)])
        if is_composite(value):
            kind, parts = COMPOSITES[cls], COMPOSITES[cls].parts(value)
            fixed = _fixed(kind, parts)
            keys = [_value_of(part) if k in fixed else self.key(part) for k, part in enumerate(parts)]
            return cls, _Static(kind.static(value)), tuple(keys)
        return self._by_identity(value)

    def _by_identity(self, value: Any) -> Any:
        try:
            weakref.ref(value)
        except TypeError:
            try:
                hash(value)
            except TypeError:
                raise TypeError(
                    f"tf.function was called with {value!r} of type {type(value).__name__}, which is neither a tensor nor a "
                    "structure of tensors, cannot be hashed and has no weak references. Pass tensors, Python values or objects."
                ) from None
            return value.__class__, value
        self.objects.append(value)
        return "object", id(value)


def with_tensors(value: Any, tensors: Any) -> Any:
    """The arguments again, with the next of `tensors` wherever `Encoder` has set one aside."""
    if isinstance(value, (Tensor, np.ndarray, np.generic)) or (
        isinstance(value, TensorSpec) and not isinstance(value, VariableSpec)
    ):
        return next(tensors)
    if isinstance(value, dict):  # `Encoder` takes the keys in order, however the dict was written
        filled = {name: with_tensors(value[name], tensors) for name in nest.sorted_keys(value)}
        parts = iter([filled[name] for name in value])
        return map_parts(value, lambda part: next(parts))
    if is_composite(value):
        kind, given = COMPOSITES[value.__class__], parts_of(value)
        fixed = _fixed(kind, given)
        return kind.rebuilt(value, [p if k in fixed else with_tensors(p, tensors) for k, p in enumerate(given)])
    return map_parts(value, lambda part: with_tensors(part, tensors))


@dataclass(frozen=True, slots=True)
class _Static:
    """The non-tensor parts of a composite. (Not a tuple, in which a number and a tuple would be a tensor's type and shape.)"""

    value: Hashable


def _fixed(kind: Composite[Any], parts: list[Any]) -> list[int]:
    """The parts, by number, whose values belong to the type of the argument."""
    return [k for k in kind.fixed if k < len(parts) and parts[k].__class__ is EagerTensor]


def _value_of(part: Any) -> Any:
    return part._array.dtype.num, part._array.shape, part._array.tobytes()


class Parameters:
    """The parameters of a Python function, to bring calls to one form."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            self.signature = inspect.signature(function)
        except (TypeError, ValueError):
            self.signature = inspect.Signature(
                [
                    inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
                    inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
                ]
            )
        kinds = [p.kind for p in self.signature.parameters.values()]
        plain = all(k is inspect.Parameter.POSITIONAL_OR_KEYWORD for k in kinds)
        self._count = len(kinds) if plain else -1
        self.names = list(self.signature.parameters)
        self.takes_any_name = inspect.Parameter.VAR_KEYWORD in kinds

    def canonical(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments, with defaults filled in."""
        if not kwargs and len(args) == self._count:
            return args, kwargs
        given = self.signature.bind(*args, **kwargs)
        given.apply_defaults()
        return given.args, given.kwargs

    def label(self, position: int) -> str:
        """What the argument at a position is called."""
        return self.names[position] if position < len(self.names) else f"argument {position}"


def checked_signature(signature: Any) -> tuple[Any, ...] | None:
    """`input_signature` as a tuple of specs."""
    if signature is None:
        return None
    if not isinstance(signature, (list, tuple)):
        raise TypeError(
            f"input_signature must be either a tuple or a list, got {type(signature)}: one tf.TensorSpec for each argument."
        )
    for leaf in nest.flatten(list(signature)):
        if not isinstance(leaf, TensorSpec):
            raise TypeError(
                f"Invalid input_signature: {signature!r}. input_signature must be a possibly nested sequence of TensorSpec "
                f"objects, got {leaf!r} of type {type(leaf).__name__}."
            )
    return tuple(signature)


def matched(value: Any, spec: Any, args: tuple[Any, ...]) -> Any:
    """An argument as its spec wants it; TypeError where it does not fit."""
    if isinstance(spec, VariableSpec):
        return value
    if isinstance(spec, TensorSpec):
        if isinstance(value, TensorSpec):
            given = value
        else:
            if isinstance(value, (Tensor, Variable)):
                tensor = to_tensor(value)
            else:
                try:
                    tensor = to_tensor(value, spec.dtype)
                except (TypeError, ValueError) as error:
                    raise _mismatch(repr(value), spec, args, error) from None
            value, given = tensor, TensorSpec(tensor.shape, tensor.dtype)
        if given.dtype != spec.dtype or not TensorShape(given.shape).is_compatible_with(spec.shape):
            raise _mismatch(repr(given), spec, args)
        return value
    if nest.is_nested(spec):
        if isinstance(spec, Mapping) != isinstance(value, Mapping) or not nest.is_nested(value):
            raise _mismatch(repr(value), spec, args)
        if isinstance(spec, Mapping):
            if set(spec) != set(value):
                raise _mismatch(repr(value), spec, args)
            return {key: matched(value[key], spec[key], args) for key in nest.sorted_keys(spec)}
        if len(value) != len(spec):
            raise _mismatch(repr(value), spec, args)
        specs = iter(spec)
        return map_parts(value, lambda part: matched(part, next(specs), args))
    return value


def _mismatch(given: str, spec: object, args: tuple[Any, ...], error: Exception | None = None) -> TypeError:
    why = f" ({error})" if error is not None else ""
    return TypeError(
        f"Binding inputs to tf.function failed due to `Can not cast {given} to {spec!r}`{why}. Received args: {args!r}. "
        "Pass a tensor that fits input_signature, or loosen the signature (None for a size that varies)."
    )
