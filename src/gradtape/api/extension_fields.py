"""The fields of a `tf.experimental.ExtensionType`: their annotations, and values converted to what these ask for."""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..base.dtypes import DType, as_dtype
from ..base.shapes import TensorShape
from ..base.type_spec import CompositeSpec
from ..values.composite import COMPOSITES
from ..values.tensor import Tensor, TensorSpec, to_tensor

NO_DEFAULT: Any = object()
_PLAIN = (int, float, str, bytes, bool, type(None))

# Names with a meaning of their own in TensorFlow's extension types.
_RESERVED = {
    *("self", "Spec", "_type_spec", "_shape_invariant_to_type_spec", "_consumers", "value_type", "is_compatible_with"),
    *("most_specific_compatible_type", "_with_tensor_ranks_only", "_to_components", "_from_components"),
    *("_component_specs", "_to_tensor_list", "_from_tensor_list", "_from_compatible_tensor_list"),
    *("_flat_tensor_specs", "_serialize", "_deserialize", "_to_legacy_output_types", "_to_legacy_output_shapes"),
    *("_to_legacy_output_classes", "_keras_mask"),
}


def is_reserved(name: str) -> bool:
    """Whether a field may not have this name."""
    return name in _RESERVED or name.lower().startswith("_tf_extension_type")


class ImmutableDict(Mapping[Any, Any]):
    """The value of a field that is a mapping."""

    __slots__ = ("_items",)

    def __init__(self, items: Any = ()) -> None:
        self._items = dict(items)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items})"


class Meaning(enum.Enum):
    """What the fields hold: values, specs of them, or defaults, which stay as they were written."""

    VALUE = "value"
    SPEC = "spec"
    DEFAULT = "default"


@dataclass(frozen=True)
class Field:
    """One field: its name, its annotation, its default."""

    name: str
    annotation: Any
    default: Any = NO_DEFAULT


def fields_of(cls: type, hints: Mapping[str, Any]) -> tuple[Field, ...]:
    """The fields that a class annotates, checked."""
    fields = []
    for name, annotation in hints.items():
        try:
            _check_annotation(annotation)
            default = getattr(cls, name, NO_DEFAULT)
            if default is not NO_DEFAULT:
                default = converted(default, annotation, f"default value for {name}", Meaning.DEFAULT)
        except TypeError as error:
            raise TypeError(f"In field {name!r}: {error}") from None
        fields.append(Field(name, annotation, default))
    return tuple(fields)


def _is_composite_class(annotation: object) -> bool:
    return isinstance(annotation, type) and (
        annotation in COMPOSITES
        or hasattr(annotation, "Spec")
        or any(issubclass(kind, annotation) for kind in COMPOSITES if annotation is not object)
    )


def _is_union(annotation: object) -> bool:
    return typing.get_origin(annotation) in (typing.Union, types.UnionType)


def _check_annotation(annotation: Any, in_key: bool = False) -> None:
    """TypeError where a field cannot have this annotation."""
    if isinstance(annotation, (str, typing.ForwardRef)) or annotation is None or annotation in (*_PLAIN, DType):
        return
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation in (Tensor, TensorShape) or (origin is None and _is_composite_class(annotation)):
        if in_key:
            raise TypeError(f"Mapping had a key {annotation.__name__!r}, which is no plain type")
    elif origin is tuple or _is_union(annotation):
        for argument in arguments:
            if argument is not Ellipsis:
                _check_annotation(argument, in_key)
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        _check_annotation(arguments[0], in_key=True)
        _check_annotation(arguments[1], in_key)
    else:
        shown = repr(annotation.__name__) if isinstance(annotation, type) and origin is None else repr(annotation)
        raise TypeError(f"Unsupported type annotation {shown}")


def converted(value: Any, annotation: Any, path: str, meaning: Meaning) -> Any:
    """A value as its annotation asks for it; TypeError where it is something else."""
    if annotation is None:
        annotation = type(None)
    origin = typing.get_origin(annotation)
    if annotation is Tensor:
        return _tensor(value, path, meaning)
    if annotation is TensorShape or annotation is DType:
        return _described(TensorShape if annotation is TensorShape else as_dtype, annotation, value, path)
    if annotation in _PLAIN:
        return _instance(value, annotation, path)
    if origin is tuple:
        return _tuple(value, typing.get_args(annotation), path, meaning)
    if _is_union(annotation):
        for option in typing.get_args(annotation):
            try:
                return converted(value, option, path, meaning)
            except TypeError:
                continue
        raise TypeError(f"{path}: expected {annotation!r}, got {type(value).__name__!r}")
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(value, typing.get_args(annotation), path, meaning)
    if _is_composite_class(annotation):
        return _composite(value, annotation, path, meaning)
    raise TypeError(f"{path}: Unsupported type annotation {annotation!r}")


def _instance(value: object, annotation: type, path: str) -> Any:
    if not isinstance(value, annotation):
        raise TypeError(f"{path}: expected {annotation.__name__!r}, got {type(value).__name__!r}")
    return value


def _described(make: Callable[[Any], Any], annotation: type, value: object, path: str) -> Any:
    try:
        return make(value)
    except (TypeError, ValueError):
        raise TypeError(f"{path}: expected 'tf.{annotation.__name__}', got {type(value).__name__!r}") from None


def _tensor(value: object, path: str, meaning: Meaning) -> Any:
    if meaning is Meaning.SPEC:
        if not isinstance(value, TensorSpec):
            raise TypeError(f"{path}: expected a TensorSpec, got {type(value).__name__!r}")
        return value
    if isinstance(value, Tensor) or meaning is Meaning.DEFAULT:
        return value
    try:
        return to_tensor(value)
    except (ValueError, TypeError):
        raise TypeError(f"{path}: expected a Tensor, got {type(value).__name__!r}") from None


def _composite(value: object, annotation: type, path: str, meaning: Meaning) -> Any:
    if meaning is not Meaning.SPEC:
        return _instance(value, annotation, path)
    if not (isinstance(value, CompositeSpec) and issubclass(getattr(value, "value_type", object), annotation)):
        raise TypeError(f"{path}: expected a TypeSpec for {annotation.__name__!r}, got {type(value).__name__!r}")
    return value


def _tuple(value: object, annotations: tuple[Any, ...], path: str, meaning: Meaning) -> Any:
    if not isinstance(value, Sequence):
        raise TypeError(f"{path}: expected tuple, got {type(value).__name__!r}")
    if len(annotations) == 2 and annotations[1] is Ellipsis:
        annotations = (annotations[0],) * len(value)
    if len(value) != len(annotations):
        raise TypeError(f"{path}: expected tuple with length {len(annotations)}, got {len(value)} items")
    pairs = zip(value, annotations, strict=True)
    return tuple(converted(v, a, f"{path}[{i}]", meaning) for i, (v, a) in enumerate(pairs))


def _mapping(value: object, annotations: tuple[Any, ...], path: str, meaning: Meaning) -> Any:
    if not isinstance(value, Mapping):
        raise TypeError(f"{path}: expected mapping, got {type(value).__name__!r}")
    key, item = annotations
    return ImmutableDict(
        (converted(k, key, f"{path}[<key>]", meaning), converted(v, item, f"{path}[{k!r}]", meaning))
        for k, v in value.items()
    )
