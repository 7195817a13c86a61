"""The parts of a call that decide whether a trace can serve it: structure, types and shapes, Python values, identities."""

from __future__ import annotations

import inspect
import itertools
import re
import weakref
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base import nest
from ..base.context import STATE
from ..base.shapes import TensorShape
from ..base.type_spec import CompositeSpec
from ..values.composite import COMPOSITES, Composite, expanded, is_composite
from ..values.from_python import to_array
from ..values.tensor import EagerTensor, Tensor, TensorSpec, from_array, to_tensor
from ..variables.spec import VariableSpec
from ..variables.variable import Variable
from .graph import map_parts, parts_of
from .symbolic import SymbolicTensor, out_of_scope

_BY_VALUE = {int, float, bool, str, bytes, complex, type(None), type(Ellipsis), type}
_NUMBERS = frozenset("fiub")  # kinds of arrays that are tensors as they are


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
        if cls is np.ndarray and value.ndim and value.dtype.kind in _NUMBERS and value.dtype.isnative:
            self.tensors.append(from_array(value.copy(order="K")))  # (the caller may change the array later)
            return value.dtype.num, value.shape
        if isinstance(value, Tensor):
            if isinstance(value, SymbolicTensor) and STATE.trace is None:
                raise out_of_scope(value)
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
        if nest.is_record(value):
            static = _Static(_hashable(nest.static_part(value)))
            return cls, static, tuple([self.key(part) for part in nest.children(value)])
        if nest.is_nested(value):
            return cls, tuple([self.key(part) for part in parts_of(value)])
        if is_composite(value):
            kind, parts = COMPOSITES[cls], COMPOSITES[cls].parts(value)
            fixed = _fixed(kind, parts)
            keys = [_value_of(part) if k in fixed else self.key(part) for k, part in enumerate(parts)]
            return cls, _Static(kind.static(value)), tuple(keys)
        if isinstance(value, CompositeSpec):
            return cls, _Static(value), tuple([self.key(part) for part in value._component_specs])
        return self._by_identity(value)

    def _by_identity(self, value: Any) -> Any:
        if isinstance(value, weakref.ref):
            raise TypeError(
                f"tf.function was called with {value!r}: a weakref is no argument. Pass the object that it refers to."
            )
        try:
            hash(value)
        except TypeError:
            raise TypeError(
                f"Could not generate a generic TraceType for {value!r} of type {type(value).__name__}: it is neither a tensor "
                "nor a structure of tensors, and cannot be hashed. Pass tensors, Python values, or objects that can be hashed."
            ) from None
        try:
            weakref.ref(value)
        except TypeError:
            return value.__class__, value
        self.objects.append(value)
        return "object", id(value)


def is_other_value(value: Any, recorded: Any) -> bool:
    """Whether a Python value is not the one that a function was recorded with. (Of structures and objects this is not asked.)"""
    if recorded.__class__ not in _BY_VALUE or value is recorded:
        return False
    if isinstance(value, (EagerTensor, np.ndarray, np.generic)):  # a scalar that equals the value stands for it
        array = to_array(value)
        return bool(array.ndim) or not bool(to_tensor(value) == recorded)
    return value.__class__ not in _BY_VALUE or bool(value != recorded)


def with_tensors(value: Any, tensors: Any) -> Any:
    """The arguments again, with the next of `tensors` wherever `Encoder` has set one aside."""
    if isinstance(value, (Tensor, np.ndarray, np.generic)) or (
        isinstance(value, TensorSpec) and not isinstance(value, VariableSpec)
    ):
        return next(tensors)
    if isinstance(value, CompositeSpec):
        return value._from_components([with_tensors(part, tensors) for part in value._component_specs])
    if isinstance(value, dict):  # `Encoder` takes the keys in order, however the dict was written
        filled = {name: with_tensors(value[name], tensors) for name in nest.sorted_keys(value)}
        parts = iter([filled[name] for name in value])
        return map_parts(value, lambda part: next(parts))
    if is_composite(value):
        kind, given = COMPOSITES[value.__class__], parts_of(value)
        fixed = _fixed(kind, given)
        return kind.rebuilt(value, [p if k in fixed else with_tensors(p, tensors) for k, p in enumerate(given)])
    return map_parts(value, lambda part: with_tensors(part, tensors))


def with_specs(value: Any, specs: Any) -> Any:
    """The arguments again, with the next of `specs` wherever there is a tensor."""
    if isinstance(value, CompositeSpec):  # (it says what its tensors are)
        for _ in expanded(value):
            next(specs)
        return value
    if nest.is_nested(value) and not isinstance(value, dict):
        return map_parts(value, lambda part: with_specs(part, specs))
    if isinstance(value, dict):
        filled = {name: with_specs(value[name], specs) for name in nest.sorted_keys(value)}
        parts = iter([filled[name] for name in value])
        return map_parts(value, lambda part: next(parts))
    return with_tensors(value, specs)


def shown(value: Any, name: str) -> Any:
    """An argument as users see it: specs with TensorFlow's names (`x`, `x_0`, `x_key`), also of what is made of tensors."""
    if value.__class__ is TensorSpec:
        return value if value.name else TensorSpec(value.shape, value.dtype, name)
    if is_composite(value) and COMPOSITES[value.__class__].spec is not None:
        return COMPOSITES[value.__class__].spec.from_value(value)  # type: ignore[union-attr]
    if isinstance(value, Mapping):
        parts = iter([shown(part, f"{name}_{key}") for key, part in value.items()])
        return map_parts(value, lambda part: next(parts))
    if nest.is_nested(value):
        places = getattr(value, "_fields", None) or itertools.count()  # (a namedtuple)
        parts = iter(
            [shown(part, f"{name}_{place}") for place, part in zip(places, nest.children(value), strict=False)]
        )
        return map_parts(value, lambda part: next(parts))
    return value


@dataclass(frozen=True, slots=True)
class _Static:
    """The non-tensor parts of a composite. (Not a tuple, in which a number and a tuple would be a tensor's type and shape.)"""

    value: Hashable


def _hashable(value: Any) -> Hashable:
    """What a record is made of beside tensors, with tuples in the place of lists and dicts."""
    if isinstance(value, Mapping):
        return value.__class__, tuple([(key, _hashable(value[key])) for key in nest.sorted_keys(value)])
    if isinstance(value, (list, tuple, set)):
        parts = tuple(map(_hashable, value))
        return value.__class__, frozenset(parts) if isinstance(value, set) else parts
    return value


def _fixed(kind: Composite[Any], parts: list[Any]) -> list[int]:
    """The parts, by number, whose values belong to the type of the argument."""
    return [k for k in kind.fixed if k < len(parts) and isinstance(parts[k], EagerTensor)]


def fixed_parts(value: Any) -> list[Any]:
    """The parts of a composite whose values belong to its type."""
    kind, parts = COMPOSITES[value.__class__], parts_of(value)
    return [parts[k] for k in _fixed(kind, parts)]


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
        parameters = self.signature.parameters.values()
        kinds = [p.kind for p in parameters]
        self.are_plain = all(k is inspect.Parameter.POSITIONAL_OR_KEYWORD for k in kinds)
        self._count = len(kinds) if self.are_plain else -1
        self.names = list(self.signature.parameters)
        self._places = {name: place for place, name in enumerate(self.names)}
        self._defaults = tuple([p.default for p in parameters])
        self.takes_any_name = inspect.Parameter.VAR_KEYWORD in kinds
        self.takes_any_number = inspect.Parameter.VAR_POSITIONAL in kinds

    def canonical(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments, with defaults filled in."""
        count = len(args)
        if not kwargs and count == self._count:
            return args, kwargs
        if 0 <= count <= self._count:
            values = [*args, *self._defaults[count:]]
            for name, value in kwargs.items():
                place = self._places.get(name, -1)
                if place < count:
                    break
                values[place] = value
            else:
                if count + len(kwargs) == self._count or all(value is not inspect.Parameter.empty for value in values):
                    return tuple(values), {}
        try:
            given = self.signature.bind(*args, **kwargs)  # keywords and variadic parameters, and all mistakes
        except TypeError as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: {args!r} and kwargs: {kwargs!r} for "
                f"signature: {self.signature}."
            ) from None
        if self.takes_any_name and len({re.sub(r"\W", "_", name) for name in kwargs}) < len(kwargs):
            raise ValueError(
                f"Name collision after sanitization: {', '.join(sorted(kwargs))} are not told apart by their letters and digits. "
                "Please rename the arguments of the tf.function."
            )
        given.apply_defaults()
        return given.args, given.kwargs

    def label(self, position: int) -> str:
        """What the argument at a position is called."""
        if position < len(self.names) and self.signature.parameters[self.names[position]].kind.name != "VAR_POSITIONAL":
            return self.names[position]
        variadic = next(
            (name for name, p in self.signature.parameters.items() if p.kind.name == "VAR_POSITIONAL"), None
        )
        return f"argument {position}" if variadic is None else f"{variadic}_{position - self._places[variadic]}"


# --- input_signature -----------------------------------------------------------------------------------------------------


class InputSignature:
    """What `input_signature` says of each argument: one recording serves all calls that fit it."""

    def __init__(self, specs: tuple[Any, ...], parameters: Parameters) -> None:
        self.specs = specs
        self._parameters = parameters
        self.objects = [place for place, spec in enumerate(specs) if _is_of_an_object(spec)]
        # What is asked of each argument, where all are tensors: most calls are checked against these alone.
        all_tensors = all(spec.__class__ is TensorSpec for spec in specs)
        self._looks = list(map(_look_of, specs)) if all_tensors else None

    @property
    def tensor_specs(self) -> list[TensorSpec]:
        """The specs of all tensors, in the order in which `tensors` gives them."""
        return [
            part
            for spec in nest.flatten(list(self.specs))
            for part in expanded(spec)
            if isinstance(part, TensorSpec) and not isinstance(part, VariableSpec)
        ]

    def tensors(self, args: tuple[Any, ...]) -> list[Any]:
        """The tensors of a call, in order; TypeError for an argument that does not fit."""
        if len(args) < len(self.specs):
            raise TypeError(f"input_signature has {len(self.specs)} specs, and {len(args)} arguments were given.")
        found = self._plain_tensors(args) if self._looks is not None and len(args) == len(self.specs) else None
        if found is None:
            found = []
            for value, spec in zip(args, self.specs, strict=False):
                _flatten_into(found, value, spec, args)
        return found

    def _plain_tensors(self, args: tuple[Any, ...]) -> list[Any] | None:
        """The same for arguments that are tensors and arrays; None where one is of another kind or does not fit."""
        found: list[Any] = []
        for value, (dtype, rank, sizes) in zip(args, self._looks, strict=False):  # type: ignore[arg-type]
            if value.__class__ is EagerTensor:
                array = value._array
            elif value.__class__ is np.ndarray and value.ndim and dtype.kind in _NUMBERS:
                array = value
                value = from_array(value.copy(order="K"))
            else:
                return None
            shape = array.shape
            if array.dtype != dtype or (rank is not None and len(shape) != rank):
                return None
            for axis, size in sizes:
                if shape[axis] != size:
                    return None
            found.append(value)
        return found

    def key(self, args: tuple[Any, ...]) -> tuple[int, ...]:
        """What tells recordings apart: variables and datasets. (A recording keeps them alive.)"""
        return tuple([getattr(args[place], "_id", id(args[place])) for place in self.objects])

    def recorded(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments to record the function with: specs in place of tensors."""
        specs = [args[k] if k in self.objects else spec for k, spec in enumerate(self.specs)]
        return (*specs, *args[len(specs) :])

    def check_rest(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """TypeError for an argument without a spec, unless it is its default: the one recording was made for that."""
        rest = [(self._parameters.label(k), value) for k, value in enumerate(args) if k >= len(self.specs)]
        for name, value in (*rest, *kwargs.items()):
            parameter = self._parameters.signature.parameters.get(name)
            default = inspect.Parameter.empty if parameter is None else parameter.default
            if value is not default and not (value.__class__ in _BY_VALUE and value == default):
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `{name} is given {value!r}, and input_signature has no spec "
                    f"for it`: input_signature missing type constraint for {name}. It has "
                    f"{len(self.specs)} specs. Add one for {name}, or leave the argument at its default."
                )


def _is_of_an_object(spec: object) -> bool:
    """Whether a function is recorded anew for each value that fits the spec: a variable, a dataset."""
    return isinstance(spec, VariableSpec) or getattr(spec, "by_identity", False)


def _look_of(spec: TensorSpec) -> tuple[np.dtype[Any], int | None, list[tuple[int, int]]]:
    """Type and rank, and the sizes that are known, by axis."""
    rank = spec.shape.rank
    sizes = [] if rank is None else [(axis, size) for axis, size in enumerate(spec.shape) if size is not None]
    return spec.dtype.numpy, rank, sizes


def checked_signature(signature: Any) -> tuple[Any, ...] | None:
    """`input_signature` as a tuple of specs."""
    if signature is None:
        return None
    if not isinstance(signature, (list, tuple)):
        raise TypeError(
            f"input_signature must be either a tuple or a list, got {type(signature)}: one tf.TensorSpec for each argument."
        )
    for leaf in nest.flatten(list(signature)):
        if not isinstance(leaf, (TensorSpec, CompositeSpec)) and not _is_of_an_object(leaf):
            raise TypeError(
                f"Invalid input_signature: {signature!r}. input_signature must be a possibly nested sequence of TensorSpec "
                f"objects, got {leaf!r} of type {type(leaf).__name__}."
            )
    return tuple(signature)


def _flatten_into(found: list[Any], value: Any, spec: Any, args: tuple[Any, ...]) -> None:
    """Append the tensors of an argument that its spec asks for; TypeError where it does not fit."""
    if isinstance(spec, VariableSpec):
        return
    if _is_of_an_object(spec):
        if not spec.is_compatible_with(value):
            raise _mismatch(repr(value), spec, args)
        return
    if isinstance(spec, TensorSpec):
        found.append(_fitting_tensor(value, spec, args))
    elif isinstance(spec, CompositeSpec):
        if not (spec == value if isinstance(value, CompositeSpec) else spec.is_compatible_with(value)):
            raise _mismatch(repr(value), spec, args)
        found += expanded(value if isinstance(value, CompositeSpec) else spec._fitted(value))
    elif not nest.is_nested(value) or isinstance(spec, Mapping) != isinstance(value, Mapping):
        raise _mismatch(repr(value), spec, args)
    elif isinstance(spec, Mapping):
        if set(spec) != set(value):
            raise _mismatch(repr(value), spec, args)
        for key in nest.sorted_keys(spec):
            _flatten_into(found, value[key], spec[key], args)
    else:
        parts, specs = nest.children(value), nest.children(spec)
        if len(parts) != len(specs):
            raise _mismatch(repr(value), spec, args)
        for part, wanted in zip(parts, specs, strict=True):
            _flatten_into(found, part, wanted, args)


def _fitting_tensor(value: Any, spec: TensorSpec, args: tuple[Any, ...]) -> Any:
    given = value
    if not isinstance(value, TensorSpec):
        if value.__class__ is SymbolicTensor and STATE.trace is None:
            raise out_of_scope(value)
        try:
            given = to_tensor(value, None if isinstance(value, (Tensor, Variable)) else spec.dtype)
        except (TypeError, ValueError) as error:
            raise _mismatch(repr(value), spec, args, error) from None
    if given.dtype != spec.dtype or not TensorShape(given.shape).is_compatible_with(spec.shape):
        shown = given if isinstance(given, TensorSpec) else TensorSpec(given.shape, given.dtype)
        raise _mismatch(repr(shown), spec, args)
    return given


def _mismatch(given: str, spec: object, args: tuple[Any, ...], error: Exception | None = None) -> TypeError:
    why = f" ({error})" if error is not None else ""
    return TypeError(
        f"Binding inputs to tf.function failed due to `Can not cast {given} to {spec!r}`{why}. Received args: {args!r}. "
        "Pass a tensor that fits input_signature, or loosen the signature (None for a size that varies)."
    )
