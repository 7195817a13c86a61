"""How the arguments of a call become the tensors that a `ConcreteFunction` takes.

There are two ways, as in TensorFlow. Arguments that fit the parameters of the Python function, with the structure and the Python
values that it was recorded with, are taken apart as they were then. Where they do not, the tensors alone are taken, by position
or by the names of their specs: values that a function was recorded with may be left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base import nest
from ..base.errors import invalid
from ..base.shapes import TensorShape
from ..base.type_spec import CompositeSpec
from ..values.composite import COMPOSITES, expanded, is_composite
from ..values.tensor import EagerTensor, Tensor, TensorSpec, to_tensor
from ..variables.variable import Variable
from .function_type import FunctionType, type_of
from .graph import parts_of
from .signature import fixed_parts, is_other_value


class Binding:
    """What a recording takes: its parameters with their types, and the names of its tensors."""

    def __init__(
        self,
        function_type: FunctionType,
        arguments: tuple[tuple[Any, ...], dict[str, Any]],
        specs: list[TensorSpec],
        text: str,
    ) -> None:
        args, kwargs = arguments
        self._type = function_type
        self._recorded = dict(zip(function_type.parameters, [*args, *kwargs.values()], strict=True))
        self._order = [*list(self._recorded)[: len(args)], *sorted(kwargs)]
        self._names = _names({name: self._recorded[name] for name in self._order}, specs)
        self._specs, self._text = specs, text
        self._positional = len(specs) if args or len(specs) == 1 else 0  # (saved signatures take names)
        # Most calls give as many tensors as there are parameters.
        all_tensors = not kwargs and all(value.__class__ is TensorSpec for value in args)
        self._plain = [(spec.dtype.numpy, spec.shape) for spec in specs] if all_tensors else None

    def tensors(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The tensors of a call, in order; TypeError where it fits neither way."""
        if self._plain is not None and not kwargs and len(args) == len(self._plain) and self._are_plain(args):
            return list(args)
        try:
            return self._by_parameters(args, kwargs)
        except TypeError as error:
            by_parameters = error
        try:
            return self._by_tensors(args, kwargs)
        except TypeError as error:
            raise TypeError(f"{by_parameters}\nFallback to flat signature also failed due to: {error}") from None

    def _are_plain(self, args: tuple[Any, ...]) -> bool:
        assert self._plain is not None
        return all(
            value.__class__ is EagerTensor
            and value._array.dtype == dtype
            and shape.is_compatible_with(value._array.shape)
            for value, (dtype, shape) in zip(args, self._plain, strict=True)
        )

    def _by_parameters(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        found: list[Any] = []
        try:
            given = self._type.bind(*args, **kwargs).arguments
            for name in self._order:
                _take(found, given[name], self._recorded[name])
        except TypeError as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. The signature is {self._text}."
            ) from None
        return found

    def _by_tensors(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        names = self._names
        if len(args) > self._positional:
            raise TypeError(f"takes {self._positional} positional arguments, got {len(args)}.")
        others = [name for name in kwargs if name not in names[len(args) :]]
        if others:
            raise TypeError(f"got unexpected keyword arguments: {', '.join(sorted(others))}.")
        missing = [name for name in names[len(args) :] if name not in kwargs]
        if missing:
            raise TypeError(f"missing required arguments: {', '.join(sorted(missing))}.")
        tensors = [*args, *(kwargs[name] for name in names[len(args) :])]
        for place, (value, spec) in enumerate(zip(tensors, self._specs, strict=True)):
            if not isinstance(value, (Tensor, Variable, np.ndarray)):
                raise TypeError(
                    f"expected argument #{place}(zero-based) to be a Tensor; got {type(value).__name__} ({value})."
                )
            tensors[place] = tensor = to_tensor(value, None if isinstance(value, (Tensor, Variable)) else spec.dtype)
            if not _fits(tensor, spec):
                raise invalid(
                    f"{self._text}: cannot compute with a tensor of {tensor.dtype.name} and shape {tensor.shape} "
                    f"where {spec!r} was recorded."
                )
        return tensors


def _take(found: list[Any], value: object, recorded: object) -> None:
    """Append the tensors of an argument; TypeError where it is not of the type that it was recorded with."""
    if recorded.__class__ is TensorSpec:
        found.append(_tensor(value, recorded))
    elif isinstance(recorded, CompositeSpec):
        if not recorded.is_compatible_with(value):
            raise _cast(value, recorded)
        found += expanded(recorded._fitted(value))
    elif is_composite(recorded):
        _take_composite(found, value, recorded)
    elif isinstance(recorded, Mapping):
        if not isinstance(value, Mapping):
            raise _cast(value, "a Dict")
        if set(value) != set(recorded):
            raise _cast(value, f"a Dict with the keys {sorted(recorded, key=str)}")
        for key in nest.sorted_keys(recorded):
            _take(found, value[key], recorded[key])
    elif nest.is_nested(recorded):
        if not nest.is_nested(value) or isinstance(value, Mapping) or is_composite(value):
            raise _cast(value, f"{type(recorded).__name__} type")
        parts, wanted = nest.children(value), nest.children(recorded)
        if len(parts) != len(wanted):
            raise _cast(value, f"{type(recorded).__name__} type of {len(wanted)} parts")
        for part, kind in zip(parts, wanted, strict=True):
            _take(found, part, kind)
    elif is_other_value(value, recorded) or (isinstance(recorded, Variable) and value is not recorded):
        raise _cast(value, type_of(recorded))


def _take_composite(found: list[Any], value: object, recorded: object) -> None:
    kind = COMPOSITES[recorded.__class__]
    parts, wanted = parts_of(value), parts_of(recorded)
    same = COMPOSITES.get(value.__class__) is kind and len(parts) == len(wanted)
    if not same or [is_composite(p) for p in parts] != [is_composite(w) for w in wanted]:
        raise TypeError(f"{value!r} and {type_of(recorded)!r} don't have the same nested structure")
    fixed = fixed_parts(value)  # parts that belong to the type, for which a function is recorded anew
    for part, spec in zip(parts, wanted, strict=True):
        if any(part is other for other in fixed):
            if not np.array_equal(part, spec):
                raise _cast(value, type_of(recorded))
        else:
            _take(found, part, spec)


def _tensor(value: object, spec: TensorSpec) -> Any:
    try:
        tensor = to_tensor(value, None if isinstance(value, (Tensor, Variable)) else spec.dtype)
    except (TypeError, ValueError):
        raise _cast(value, spec) from None
    if not _fits(tensor, spec):
        raise _cast(TensorSpec(tensor.shape, tensor.dtype), spec)
    return tensor


def _fits(tensor: Tensor, spec: TensorSpec) -> bool:
    return tensor.dtype == spec.dtype and TensorShape(tensor.shape).is_compatible_with(spec.shape)


def _cast(value: object, kind: object) -> TypeError:
    return TypeError(f"Can not cast {value!r} to {kind}")


def _names(recorded: dict[str, Any], specs: list[TensorSpec]) -> list[str]:
    """The names of all tensors: that of the spec, else of the parameter, with a number where one is taken already."""
    names: list[str] = []
    remaining = iter(specs)
    for parameter, value in recorded.items():
        count = len([part for leaf in nest.flatten(value) for part in expanded(leaf) if part.__class__ is TensorSpec])
        for spec in itertools.islice(remaining, count):
            wanted = spec.name or parameter
            free = (wanted, *(f"{wanted}_{number}" for number in range(1, len(specs))))
            names.append(next(name for name in free if name not in names))
    return names
