"""What runs outside of programs while a function runs: Python code, and elements that are taken from datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..base import nest
from ..base.sizes import UNKNOWN
from ..base.traceable import traceable
from ..base.type_spec import CompositeSpec, TypeSpec
from ..op.abstract import Shape
from ..values.tensor import TensorSpec, from_array
from .abstract_tensor import Evaluator, NeedsValue
from .inference import Inference

_Function = TypeVar("_Function", bound=Callable[..., Any])

Look = tuple[Shape, np.dtype[Any]]


def gives(rule: Callable[..., Any]) -> Callable[[_Function], _Function]:
    """Decorator: a function that Python code computes is one step of a trace, and `rule` says what it gives.

    The rule is called as the function is, and returns specs in the structure of the results.
    """

    def mark(function: _Function) -> _Function:
        def on_abstract(evaluator: Evaluator, step: Callable[..., Any], *args: object, **kwargs: object) -> Any:
            why = f"What {function.__name__} gives is known only when the function runs."
            return called_on_abstract(evaluator, step, args, rule(*args, **kwargs), why, kwargs)

        return traceable(function, on_abstract=on_abstract, pure=True)

    return mark


def called_on_abstract(
    evaluator: Evaluator,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    specs: object,
    why: str,
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """What a call gives that fits `specs`, a structure of them.

    A program has an instruction for it if it gives tensors, of known sizes or not; it ends before it otherwise, because of `why`.
    """
    if isinstance(evaluator, Inference):
        return nest.map_structure(lambda spec: fitting(evaluator, spec), specs)
    looks = _looks(nest.flatten(specs))
    if looks is None:
        raise NeedsValue(why)
    return nest.pack_sequence_as(specs, evaluator.opaque(function, args, kwargs or {}, looks))  # type: ignore[attr-defined]


def fitting(evaluator: Inference, spec: object) -> Any:
    """An abstract value that fits a spec."""
    if isinstance(spec, TensorSpec):
        return evaluator.tensor(spec)
    if isinstance(spec, CompositeSpec):
        return spec._from_components([fitting(evaluator, part) for part in spec._component_specs])
    raise NeedsValue(f"What fits {spec!r} is known only when the function runs.")


def _looks(specs: list[Any]) -> list[Look] | None:
    """Shapes and types, where all are those of tensors."""
    if not all(isinstance(spec, TensorSpec) for spec in specs):
        return None
    return [(_shape(spec), np.dtype(spec.dtype.numpy)) for spec in specs]


def _shape(spec: TensorSpec) -> Shape:
    return None if spec.shape.rank is None else tuple([UNKNOWN if size is None else size for size in spec.shape])


def specs_of_parts(spec: object) -> list[Any]:
    """The specs of the tensors that a value is made of, also by way of other composites."""
    if not isinstance(spec, CompositeSpec):
        return [spec]
    return [part for component in spec._component_specs for part in specs_of_parts(component)]


def blank(spec: TypeSpec) -> Any:
    """A tensor, or a composite of tensors, that fits a spec, for where nobody looks at it."""
    if isinstance(spec, CompositeSpec):
        parts = [blank(part) for part in spec._component_specs]
        if hasattr(spec, "row_splits_dtype"):  # of a ragged tensor without rows: row splits begin with 0
            parts[1:] = [from_array(np.zeros(1, part.dtype.numpy)) for part in parts[1:]]
        return spec._from_components(parts)
    assert isinstance(spec, TensorSpec)
    return from_array(np.zeros([size or 0 for size in spec.shape] if spec.shape.rank else (), spec.dtype.numpy))
