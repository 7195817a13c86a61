"""Signatures: functions that take tensors by name and return tensors by name, to serve a model with."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from ..base import nest
from ..trace.concrete import CallGraph, ConcreteFunction
from ..trace.function import Function
from ..trace.graph import Graph, Ref, Step
from ..values.composite import expanded
from ..values.tensor import TensorSpec
from .reader import parameters_of
from .restored import LoadedModule, RestoredFunction
from .writer import attributes_of

DEFAULT = "serving_default"


def chosen_signatures(obj: object, signatures: object) -> dict[str, ConcreteFunction]:
    """The signatures to save, by name; where none are given, the one function of the object that has a signature."""
    if signatures is None:
        return _found_in(obj)
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT: signatures}
    for name in signatures:
        if not isinstance(name, str):
            raise ValueError(f"The names of signatures are strings, got {name!r}.")
    return {name: signature_of(function, name) for name, function in signatures.items()}


def _found_in(obj: object) -> dict[str, ConcreteFunction]:
    if isinstance(obj, LoadedModule):
        return dict(obj.signatures)
    default = getattr(obj, "_default_save_signature", None)  # of a Keras model
    if default is not None:
        return {DEFAULT: signature_of(default, DEFAULT)}
    candidates = [
        value
        for value in attributes_of(obj).values()
        if isinstance(value, ConcreteFunction)
        or (isinstance(value, (Function, RestoredFunction)) and value.input_signature is not None)
    ]
    if len(candidates) != 1:
        return {}
    concrete = _concrete(candidates[0], DEFAULT)
    return {} if named_outputs(concrete) is None else {DEFAULT: signature_of(concrete, DEFAULT)}


def signature_of(function: object, name: str) -> ConcreteFunction:
    """The function with tensors by name: a call of it, put into a graph of its own."""
    concrete = _concrete(function, name)
    if _takes_names(concrete):
        return concrete
    outputs = named_outputs(concrete)
    if outputs is None:
        raise ValueError(
            f"The signature {name!r} must return a tensor, a list or tuple of tensors, or a dict from names to tensors. "
            f"{concrete.name} returns {concrete.structured_outputs!r}."
        )
    names = _input_names(concrete)
    specs = [TensorSpec(spec.shape, spec.dtype, label) for label, spec in zip(names, concrete.specs, strict=True)]
    refs = tuple(map(Ref, range(len(specs))))
    numbers = iter(range(len(specs), len(specs) + len(nest.flatten(concrete.structured_outputs))))
    results = _refs(concrete.structured_outputs, numbers)
    found = dict(zip(outputs, nest.flatten(results), strict=True))
    looks = {label: TensorSpec(spec.shape, spec.dtype, label) for label, spec in outputs.items()}
    known = {ref.number: spec for ref, spec in zip(refs, specs, strict=True)}
    known |= {ref.number: looks[label] for label, ref in found.items()}
    graph = Graph([Step(CallGraph(concrete), refs, {}, results)], refs, found, known, f"signature_{name}")
    parameters = [inspect.Parameter(label, inspect.Parameter.KEYWORD_ONLY) for label in names]
    arguments: Any = ((), dict(zip(names, specs, strict=True)))
    return ConcreteFunction(graph, concrete.name, specs, arguments, looks, parameters_of(inspect.Signature(parameters)))


def _takes_names(concrete: ConcreteFunction) -> bool:
    """Whether a function is a signature as it is."""
    args, kwargs = concrete.arguments
    outputs = concrete.structured_outputs
    return (
        not args
        and all(isinstance(value, TensorSpec) and value.name == name for name, value in kwargs.items())
        and isinstance(outputs, Mapping)
        and named_outputs(concrete) is not None
    )


def _concrete(function: object, name: str) -> ConcreteFunction:
    if isinstance(function, ConcreteFunction):
        return function
    if isinstance(function, (Function, RestoredFunction)):
        if function.input_signature is not None:
            return function.get_concrete_function()
        if isinstance(function, RestoredFunction) and len(function.concrete_functions) == 1:
            return function.concrete_functions[0]
    raise ValueError(
        f"Expected a TensorFlow function for which to generate a signature, but got {function!r} for {name!r}. Only "
        "`tf.functions` with an input signature or concrete functions can be used as a signature: pass "
        "f.get_concrete_function(tf.TensorSpec(...))."
    )


def _input_names(concrete: ConcreteFunction) -> list[str]:
    """A name for each tensor that is taken: that of its spec, of its key in a dict, or of the parameter."""
    args, kwargs = concrete.arguments
    arguments = [(concrete._parameters.label(place), value) for place, value in enumerate(args)]
    names: list[str] = []
    for label, value in _without_dicts([*arguments, *sorted(kwargs.items())]):
        specs = [part for leaf in nest.flatten(value) for part in expanded(leaf) if isinstance(part, TensorSpec)]
        for place, spec in enumerate(specs):
            name = spec.name or (label if not place else f"{label}_{place}")
            while name in names:
                name += "_1"
            names.append(name if name.isidentifier() else "".join(c if c.isalnum() else "_" for c in f"_{name}"))
    return names


def _without_dicts(arguments: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    for label, value in arguments:
        if isinstance(value, Mapping):  # in the order in which its tensors were set aside
            yield from _without_dicts([(str(key), value[key]) for key in nest.sorted_keys(value)])
        else:
            yield label, value


def named_outputs(concrete: ConcreteFunction) -> dict[str, TensorSpec] | None:
    """The specs of what is returned, by name; None where there is more than tensors."""
    outputs = concrete.structured_outputs
    if isinstance(outputs, TensorSpec):
        return {"output_0": outputs}
    if isinstance(outputs, Mapping):
        if not all(isinstance(name, str) for name in outputs):
            return None
        named = {name: outputs[name] for name in nest.sorted_keys(outputs)}
    elif isinstance(outputs, (list, tuple)):
        named = {f"output_{place}": value for place, value in enumerate(nest.flatten(outputs))}
    elif outputs is None:
        return {}
    else:
        return None
    return named if all(isinstance(value, TensorSpec) for value in named.values()) else None


def _refs(structure: object, numbers: Any) -> Any:
    """The structure with Refs in place of specs, in the order of `nest.flatten`."""
    if structure is None:
        return None
    flat = [Ref(next(numbers)) for _ in nest.flatten(structure)]
    return nest.pack_sequence_as(structure, flat)
