"""Composites that keep their tensors in named fields, alone or in lists, tuples and dicts.

Linear operators and users' extension types are such. Their static part is a frame: the fields with every tensor left out. A
frame is made of plain tuples, so it is hashed, compared and written to files as it is:

    ("part",)                         a tensor, a variable or another composite, left out
    ("static", "int", 3)              anything else, with the name of its type (1 and True are not the same)
    ("list", frame, ...), ("tuple", frame, ...), ("dict", ("key", frame), ...)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..base.shapes import TensorShape
from ..base.type_spec import CompositeSpec, TypeSpec
from ..values.composite import COMPOSITES, Rows, is_composite
from ..values.tensor import PACK_LIST, TensorSpec
from .spec import VariableSpec
from .variable import Variable

Frame: TypeAlias = tuple[Any, ...]

_PART: Frame = ("part",)


def frame_of(value: object, is_part: Callable[[Any], bool]) -> Frame:
    """What is left of a value when its tensors are taken out."""
    if is_part(value):
        return _PART
    if isinstance(value, Mapping):
        return ("dict", *((key, frame_of(item, is_part)) for key, item in sorted(value.items())))
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return (kind, *(frame_of(item, is_part) for item in value))
    return ("static", type(value).__name__, value)


def parts_in(frame: Frame, value: Any) -> Iterator[Any]:
    """What stands in a value at the places that its frame leaves out, in order."""
    kind, *inner = frame
    if kind == "part":
        yield value
    elif kind == "dict":
        for key, item in inner:
            yield from parts_in(item, value[key])
    elif kind != "static":
        for item, part in zip(inner, value, strict=True):
            yield from parts_in(item, part)


def filled(frame: Frame, parts: Iterator[Any]) -> Any:
    """The value with this frame, and the next of `parts` at each place that it leaves out."""
    kind, *inner = frame
    if kind == "part":
        return next(parts)
    if kind == "static":
        return inner[1]
    if kind == "dict":
        return {key: filled(item, parts) for key, item in inner}
    items = [filled(item, parts) for item in inner]
    return items if kind == "list" else tuple(items)


def spec_of_part(part: Any) -> TypeSpec:
    """The spec of one component."""
    if is_composite(part) and COMPOSITES[part.__class__].spec is not None:
        return COMPOSITES[part.__class__].spec.from_value(part)  # type: ignore[union-attr]
    if isinstance(part, Variable):
        return VariableSpec(part.shape, part.dtype, part.trainable)
    return TensorSpec(part.shape, part.dtype)


class FieldsSpec(CompositeSpec):
    """The spec of such a composite: its frame, and the specs of what the frame leaves out."""

    value_type: type

    def __init__(self, frame: Frame, specs: Sequence[TypeSpec]) -> None:
        self._frame, self._specs = frame, tuple(specs)

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of an existing value.

        Args:
            value: A value of the class that the spec describes.

        Returns:
            A spec.
        """
        kind = COMPOSITES[value.__class__]
        return cls(kind.static(value), [spec_of_part(part) for part in kind.parts(value)])  # type: ignore[arg-type]

    @property
    def _component_specs(self) -> list[TypeSpec]:
        return list(self._specs)

    def _from_components(self, components: Sequence[Any]) -> Any:
        return COMPOSITES[self.value_type].built(self._frame, list(components))

    def _with_changed_shape(self, change: Callable[[TensorShape], Any]) -> Any:
        return self._with([_with_shape(spec, change) for spec in self._specs])

    def _with(self, specs: Sequence[TypeSpec]) -> Any:
        made = object.__new__(type(self))
        FieldsSpec.__init__(made, self._frame, specs)
        return made

    def most_specific_compatible_type(self, other: Any) -> Any:
        """The tightest spec that covers both.

        >>> class Masked(tf.experimental.ExtensionType):
        ...     values: tf.Tensor
        ...     mask: tf.Tensor
        >>> short, long = (Masked.Spec(tf.TensorSpec([n]), tf.TensorSpec([n], tf.bool)) for n in (2, 3))
        >>> short.most_specific_compatible_type(long).values
        TensorSpec(shape=(None,), dtype=tf.float32, name=None)

        Args:
            other: Another spec of the same class.

        Returns:
            A spec.

        Raises:
            ValueError: There is none.
        """
        if type(self) is not type(other) or self._frame != other._frame or len(self._specs) != len(other._specs):
            raise ValueError(f"No TypeSpec is compatible with both {self!r} and {other!r}")
        pairs: Any = zip(self._specs, other._specs, strict=True)
        return self._with([a.most_specific_compatible_type(b) for a, b in pairs])

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value, or what the other spec describes, may stand here.

        >>> class Masked(tf.experimental.ExtensionType):
        ...     values: tf.Tensor
        ...     mask: tf.Tensor
        >>> spec = Masked.Spec(tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool))
        >>> spec.is_compatible_with(Masked([1.0, 2.0], [True, False]))
        True

        Args:
            spec_or_value: A value, or another spec.

        Returns:
            True or False.
        """
        other: Any = spec_or_value
        if isinstance(other, self.value_type):
            other = type(self).from_value(other)
        return (
            type(self) is type(other)
            and self._frame == other._frame
            and len(self._specs) == len(other._specs)
            and all(a.is_compatible_with(b) for a, b in zip(self._specs, other._specs, strict=True))
        )

    def _serialize(self) -> tuple[Any, ...]:
        return (self._frame, self._specs)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._serialize() == other._serialize()

    def __hash__(self) -> int:
        return hash(self._serialize())

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({filled(self._frame, iter(self._specs))})"


def _with_shape(spec: Any, change: Callable[[TensorShape], Any]) -> Any:
    if isinstance(spec, CompositeSpec):
        return spec._with_changed_shape(change)
    return TensorSpec(change(spec.shape), spec.dtype)


def _rows_of(part: object) -> Rows[Any] | None:
    return COMPOSITES[part.__class__].rows if is_composite(part) else None


def _count(value: object) -> int:
    part = COMPOSITES[value.__class__].parts(value)[0]
    rows = _rows_of(part)
    return int(part.shape[0]) if rows is None else rows.count(part)


def _row(value: Any, index: int) -> Any:
    def row(part: Any) -> Any:
        rows = _rows_of(part)
        return part[index] if rows is None else rows.at(part, index)

    kind = COMPOSITES[value.__class__]
    return kind.rebuilt(value, [row(part) for part in kind.parts(value)])


def _stacked(values: Sequence[Any]) -> Any:
    def stacked(parts: Sequence[Any]) -> Any:
        rows = _rows_of(parts[0])
        return PACK_LIST[0](list(parts), None) if rows is None else rows.stack(parts)

    kind = COMPOSITES[values[0].__class__]
    columns = zip(*(kind.parts(value) for value in values), strict=True)
    return kind.rebuilt(values[0], [stacked(column) for column in columns])


# Rows along the first axis of all tensors of a value.
ROWS: Rows[Any] = Rows(count=_count, at=_row, stack=_stacked)
