"""Operators, declared as composite tensors: for traced functions, datasets and gradients."""

from __future__ import annotations

from typing import Any

from ...api.arrays import zeros_like
from ...op.overrides import run_overridden
from ...values.composite import COMPOSITES, Composite, Gradients, declare, expanded, is_composite
from ...values.tensor import Tensor
from ...variables.fields import ROWS, FieldsSpec, Frame, filled, frame_of, parts_in
from ...variables.variable import Variable
from .hints import Hints, hints_of
from .linear_operator import LinearOperator


def _is_part(value: object) -> bool:
    return isinstance(value, (Tensor, Variable)) or is_composite(value)


def _fields(operator: LinearOperator) -> dict[str, Any]:
    return {name: getattr(operator, f"_{name}") for name in operator._field_names}


def _static(operator: LinearOperator) -> Frame:
    """The frame of the fields with the hints, once it is known: a trace puts things into the fields that are no tensors."""
    frame = vars(operator).get("_frame")
    if frame is None:
        values = {**_fields(operator), "dtype": operator.dtype, "hints": tuple(hints_of(operator).values())}
        frame = frame_of(values, _is_part)
        object.__setattr__(operator, "_frame", frame)
    return frame


def _components(operator: LinearOperator) -> list[Any]:
    return list(parts_in(_static(operator), {**_fields(operator), "dtype": None, "hints": (None,) * 4}))


def _builder(cls: type[LinearOperator]) -> Any:
    def build(frame: Frame, parts: list[Any]) -> LinearOperator:
        operator = object.__new__(cls)
        values = filled(frame, iter(parts))
        dtype, hints = values["dtype"], Hints(*values["hints"])
        fields = {name: values[name] for name in cls._field_names}
        state = {f"_{name}": value for name, value in fields.items()}
        parameters = {**fields, **hints._asdict()}
        vars(operator).update(
            state, _dtype=dtype, _hints=hints, _name=cls.__name__, _parameters=parameters, _frame=frame
        )
        return operator

    return build


def _followed(operator: LinearOperator) -> list[Any]:
    return [tensor for tensor in expanded(operator) if tensor.dtype.is_differentiable]


def _gradient(operator: LinearOperator, gradients: list[Any]) -> LinearOperator | None:
    """The gradient with respect to an operator: one of the kind, with zeros for parameters that nothing depends on."""
    if all(gradient is None for gradient in gradients):
        return None
    following = iter(gradients)

    def one(part: Any) -> Any:
        if is_composite(part):
            return COMPOSITES[part.__class__].rebuilt(part, [one(p) for p in COMPOSITES[part.__class__].parts(part)])
        gradient = next(following) if part.dtype.is_differentiable else None
        return zeros_like(part) if gradient is None else gradient

    return one(operator)


def declare_operator(cls: type[LinearOperator]) -> None:
    """Make operators of a class known as composites."""
    spec = type(f"{cls.__name__}Spec", (FieldsSpec,), {"value_type": cls, "__module__": cls.__module__})
    declare(
        Composite(
            cls,
            components=_components,
            build=_builder(cls),
            static=_static,
            spec=spec,
            run=run_overridden,
            gradients=Gradients(of=_followed, put=_gradient),
            rows=ROWS,
            is_tensor=False,
        )
    )
