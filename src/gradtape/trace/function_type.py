"""`function_type`: the parameters of a function with what is known of each argument, and of what it returns.

It is an `inspect.Signature` whose annotations are specs, `Literal[2]` for Python values, and structures of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..base.nest import children, is_nested, is_record, sorted_keys
from ..base.type_spec import TypeSpec
from ..values.composite import COMPOSITES, is_composite
from ..values.tensor import Tensor, TensorSpec
from ..variables.spec import VariableSpec
from ..variables.variable import Variable


@dataclass(frozen=True, slots=True)
class Literal:
    """The type of one Python value."""

    value: Any

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


@dataclass(frozen=True, slots=True)
class Structure:
    """The type of a list, tuple, dict or namedtuple, from the types of its parts."""

    name: str
    parts: tuple[Any, ...]  # pairs of key and type, where it has keys

    def __repr__(self) -> str:
        return f"{self.name}[{', '.join(repr(list(p) if p.__class__ is tuple else p) for p in self.parts)}]"


@dataclass(frozen=True, slots=True)
class Reference:
    """The type of an object that is known by identity."""

    name: str

    def __repr__(self) -> str:
        return f"Reference[{self.name}]"


def type_of(value: Any) -> Any:
    """What is known of an argument or result, given with specs in place of tensors."""
    if isinstance(value, TensorSpec) and value.__class__ is TensorSpec:
        return TensorSpec(value.shape, value.dtype)  # names belong to arguments, not to types
    if isinstance(value, TypeSpec):
        return value
    if is_composite(value) and COMPOSITES[value.__class__].spec is not None:
        return COMPOSITES[value.__class__].spec.from_value(value)  # type: ignore[union-attr]
    if isinstance(value, Variable):
        return VariableSpec(value.shape, value.dtype, value.trainable)
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, Mapping):
        return Structure("Dict", tuple((key, type_of(value[key])) for key in sorted_keys(value)))
    if is_record(value):
        return Structure(type(value).__name__, tuple(map(type_of, children(value))))
    if is_nested(value):
        if hasattr(value, "_fields"):
            return Structure(
                type(value).__name__, tuple((k, type_of(v)) for k, v in zip(value._fields, value, strict=True))
            )
        return Structure("List" if isinstance(value, list) else "Tuple", tuple(map(type_of, value)))
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return Literal(value)
    return Reference(type(value).__name__)


class Parameter(inspect.Parameter):
    """A parameter, and what is known of its argument."""

    @property
    def type_constraint(self) -> Any:
        """The type of the argument; None where any may be given."""
        return None if self.annotation is inspect.Parameter.empty else self.annotation


class _DefaultValue:
    """Stands for a default in the text of a type."""

    def __repr__(self) -> str:
        return "<captured_default_value>"


class FunctionType(inspect.Signature):
    """The parameters of a function with their types, and the type of its results.

    >>> import gradtape as tf
    >>> f = tf.function(lambda x, n=2: x**n)
    >>> f.get_concrete_function(tf.TensorSpec([None])).function_type.parameters["n"].type_constraint
    Literal[2]
    """

    @property
    def output(self) -> Any:
        """The type of the results; None where it is not known yet."""
        return None if self.return_annotation is inspect.Signature.empty else self.return_annotation


def declared_type(signature: inspect.Signature, specs: tuple[Any, ...] | None) -> FunctionType:
    """The type of a function that was not recorded: what `input_signature` says of its parameters."""
    made, constraints = [], iter(specs or ())
    for parameter in signature.parameters.values():
        has_default = parameter.default is not inspect.Parameter.empty
        constraint = next(constraints, inspect.Parameter.empty)
        if constraint is not inspect.Parameter.empty:
            constraint = type_of(constraint)
        elif specs is not None and has_default:
            constraint = type_of(parameter.default)
        default = _DefaultValue() if has_default else inspect.Parameter.empty
        made.append(Parameter(parameter.name, parameter.kind, default=default, annotation=constraint))
    return FunctionType(made)


def recorded_type(
    signature: inspect.Signature, labels: list[str], args: tuple[Any, ...], kwargs: dict[str, Any], outputs: object
) -> FunctionType:
    """The type of a recording; `labels` are the names of the positional arguments."""
    variadic = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in signature.parameters.values())
    kind = inspect.Parameter.POSITIONAL_ONLY if variadic else inspect.Parameter.POSITIONAL_OR_KEYWORD
    made = [Parameter(name, kind, annotation=type_of(value)) for name, value in zip(labels, args, strict=True)]
    made += [
        Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=type_of(value)) for name, value in kwargs.items()
    ]
    return FunctionType(made, return_annotation=type_of(outputs))


def described(kind: FunctionType, captures: list[Any]) -> str:
    """A type in words, over several lines."""
    given = [f"  {p.name} ({p.kind.name}): {p.annotation!r}" for p in kind.parameters.values()]
    taken = [f"  {id(value)}: {type_of(value)!r}" for value in captures]
    lines = ["Input Parameters:", *(given or ["  None"]), "Output Type:", f"  {kind.output!r}"]
    return "\n".join([*lines, "Captures:", *(taken or ["  None"])])


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """The parameters of a function by name, and its `input_signature`."""

    function_type: FunctionType
    input_signature: tuple[Any, ...] | None
    name: str

    @property
    def fullargspec(self) -> inspect.FullArgSpec:
        """What `inspect.getfullargspec` says of the function."""
        by_kind: dict[Any, list[inspect.Parameter]] = {}
        for parameter in self.function_type.parameters.values():
            by_kind.setdefault(parameter.kind, []).append(parameter)
        positional = [*by_kind.get(Parameter.POSITIONAL_ONLY, []), *by_kind.get(Parameter.POSITIONAL_OR_KEYWORD, [])]
        named = by_kind.get(Parameter.KEYWORD_ONLY, [])
        defaults = tuple(p.default for p in positional if p.default is not Parameter.empty)
        return inspect.FullArgSpec(
            args=[p.name for p in positional],
            varargs=next((p.name for p in by_kind.get(Parameter.VAR_POSITIONAL, [])), None),
            varkw=next((p.name for p in by_kind.get(Parameter.VAR_KEYWORD, [])), None),
            defaults=defaults or None,
            kwonlyargs=[p.name for p in named],
            kwonlydefaults={p.name: p.default for p in named if p.default is not Parameter.empty} or None,
            annotations={},
        )

    @property
    def arg_names(self) -> list[str]:
        """The names of the positional parameters."""
        return self.fullargspec.args
