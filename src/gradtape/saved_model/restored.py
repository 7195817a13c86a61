"""What loading gives: modules that hold variables and functions, without the classes and the code they came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..base import nest
from ..base.shapes import TensorShape
from ..base.type_spec import CompositeSpec
from ..trace.concrete import ConcreteFunction
from ..trace.function_type import FunctionSpec, FunctionType, declared_type
from ..trace.graph import parts_of
from ..trace.signature import Encoder, InputSignature, Parameters
from ..values.composite import COMPOSITES, expanded, is_composite
from ..values.tensor import EagerTensor, Tensor, TensorSpec, to_tensor
from ..variables.module import Module
from ..variables.spec import VariableSpec
from ..variables.variable import Variable
from .values import LeftOut


class LoadedModule(Module):
    """A module that `tf.saved_model.load` has made: the attributes of the one that was saved."""

    _class_name = "Module"

    def __getattribute__(self, name: str) -> Any:
        stored = object.__getattribute__(self, "__dict__")  # first: a stored attribute may be called `variables`
        value = stored[name] if name in stored else object.__getattribute__(self, name)
        if value.__class__ is LeftOut:
            raise AttributeError(
                f"{name!r} was a {value.class_name} when the module was saved, which is not stored. Stored are modules, "
                "variables, tensors, tf.functions and plain Python values."
            )
        return value

    @property
    def signatures(self) -> SignatureMap:
        """The functions to serve with, by name."""
        found: SignatureMap = self.__dict__.get("_signatures") or SignatureMap({})
        return found

    @property
    def tensorflow_version(self) -> str:
        """Empty: gradtape has written this."""
        return ""

    def __repr__(self) -> str:
        return f"<loaded {self._class_name}: {', '.join(sorted(vars(self)))}>"


class CallableModule(LoadedModule):
    """A loaded module whose `__call__` was a traced function."""

    def __call__(self, *args: Any, **kwargs: object) -> Any:
        return vars(self)["__call__"](*args, **kwargs)


class SignatureMap(Mapping[str, Any]):
    """The signatures of a saved model; cannot be changed."""

    def __init__(self, functions: dict[str, ConcreteFunction]) -> None:
        self._functions = functions

    def __getitem__(self, name: str) -> ConcreteFunction:
        try:
            return self._functions[name]
        except KeyError:
            known = ", ".join(map(repr, self._functions)) or "none"
            raise KeyError(f"There is no signature {name!r}; there is {known}.") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._functions!r})"


class RestoredFunction:
    """A traced function whose Python code is gone: it has its traces, and raises where none of them fits the arguments."""

    def __init__(
        self, name: str, parameters: Parameters, signature: tuple[Any, ...] | None, traces: list[ConcreteFunction]
    ) -> None:
        self.__name__ = self._name = name
        self._parameters = parameters
        self._signature = signature
        self.concrete_functions = traces
        self._known: dict[Any, ConcreteFunction] = {}  # which trace serves calls of a kind that was seen before

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The signature that was given to `tf.function`."""
        return self._signature

    @property
    def function_type(self) -> FunctionType:
        """The parameters of the Python function, with the types that `input_signature` gives them."""
        return declared_type(self._parameters.signature, self._signature)

    @property
    def function_spec(self) -> FunctionSpec:
        """The parameters of the Python function, as `inspect.getfullargspec` tells them."""
        return FunctionSpec(self.function_type, self._signature, self._name)

    def experimental_get_tracing_count(self) -> int:
        """0: it was traced before it was saved."""
        return 0

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """All traces, one signature in each paragraph."""
        return "\n\n".join(trace.pretty_printed_signature(verbose) for trace in self.concrete_functions)

    def get_concrete_function(self, *args: object, **kwargs: object) -> ConcreteFunction:
        """The trace for these arguments, which may be tensors or `tf.TensorSpec`s."""
        if not args and not kwargs and len(self.concrete_functions) == 1:
            return self.concrete_functions[0]
        return self._found(args, kwargs)[0]

    def __call__(self, *args: Any, **kwargs: object) -> Any:
        concrete, tensors = self._found(args, kwargs)
        return concrete.run(tensors)

    def __repr__(self) -> str:
        return f"<loaded function {self._name}, {len(self.concrete_functions)} traces>"

    def _found(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[ConcreteFunction, list[Any]]:
        if not self.concrete_functions:
            raise ValueError(
                f"Found zero restored functions for {self._name!r}: it was saved before it was called. Call it, or give it an "
                "input_signature, before tf.saved_model.save."
            )
        args, kwargs = self._parameters.canonical(args, kwargs)
        if self._signature is not None:
            InputSignature(self._signature, self._parameters).tensors(args)  # (raises where one does not fit)
        encoder = Encoder()
        key = tuple([encoder.key(value) for value in args])
        if kwargs:
            key = (key, encoder.key(kwargs))
        concrete = self._known.get(key)
        if concrete is not None:
            return concrete, encoder.tensors
        for convert in (False, True):  # a trace that takes the values as they are comes first
            for concrete in self.concrete_functions:
                tensors: list[Any] = []
                if _fits((args, kwargs), concrete.arguments, tensors, convert):
                    if not encoder.objects and _are_the_same(tensors, encoder.tensors):
                        self._known[key] = concrete
                    return concrete, tensors
        raise _no_match(self, args, kwargs)


def _fits(given: Any, recorded: Any, tensors: list[Any], convert: bool) -> bool:
    """Whether an argument is what a trace was recorded for; its tensors are appended to `tensors`."""
    if isinstance(recorded, TensorSpec) and not isinstance(recorded, VariableSpec):
        tensor = _as_tensor(given, recorded, convert)
        if tensor is None or tensor.dtype != recorded.dtype:
            return False
        tensors.append(tensor)
        return TensorShape(tensor.shape).is_compatible_with(recorded.shape)
    if isinstance(recorded, CompositeSpec):
        tensors += expanded(given)
        return recorded.is_compatible_with(given)
    if isinstance(recorded, Variable):
        return isinstance(given, Variable) and given._id == recorded._id
    if isinstance(recorded, dict):
        return (
            isinstance(given, dict)
            and given.keys() == recorded.keys()
            and all(_fits(given[name], recorded[name], tensors, convert) for name in nest.sorted_keys(recorded))
        )
    if nest.is_nested(recorded):
        parts, places = parts_of(given), parts_of(recorded)
        alike = (
            nest.is_nested(given)
            and not isinstance(given, dict)
            and isinstance(given, list) == isinstance(recorded, list)
        )
        return (
            alike
            and len(parts) == len(places)
            and all(_fits(part, place, tensors, convert) for part, place in zip(parts, places, strict=True))
        )
    if is_composite(recorded):
        kind = COMPOSITES[recorded.__class__]
        parts, places = parts_of(given), kind.parts(recorded)
        return (
            given.__class__ is recorded.__class__
            and kind.static(given) == kind.static(recorded)
            and len(parts) == len(places)
            and all(_fits(part, place, tensors, convert) for part, place in zip(parts, places, strict=True))
        )
    if isinstance(recorded, EagerTensor):  # a part of such a tensor
        return isinstance(given, EagerTensor) and np.array_equal(given._array, recorded._array)
    if given is recorded:
        return True
    return given.__class__ is recorded.__class__ and not isinstance(given, (Tensor, Module)) and bool(given == recorded)


def _are_the_same(tensors: list[Any], others: list[Any]) -> bool:
    """Whether a call gives its tensors in the order of the trace, with none that was converted."""
    return len(tensors) == len(others) and all(a is b for a, b in zip(tensors, others, strict=True))


def _as_tensor(given: object, spec: TensorSpec, convert: bool) -> Any:
    if isinstance(given, (Tensor, TensorSpec)):
        return given
    if isinstance(given, (np.ndarray, np.generic)):
        return to_tensor(given)
    if not convert and not isinstance(given, Variable):
        return None
    try:
        return to_tensor(given, None if isinstance(given, Variable) else spec.dtype)
    except (TypeError, ValueError):
        return None


def _no_match(function: RestoredFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ValueError:
    options = "\n".join(
        f"  option {number}: {function.name}{trace.function_type}"
        for number, trace in enumerate(function.concrete_functions, 1)
    )
    return ValueError(
        f"Could not find matching concrete function to call loaded from the SavedModel. {function.name} was called with "
        f"{args!r} and {kwargs!r}, and was saved for\n{options}\nTraces are not made after loading: call the function with "
        "such arguments before saving it, or save it with an input_signature (None for sizes that vary)."
    )
