"""`tf.experimental.ExtensionType`: classes of users that are made of tensors and go wherever tensors go."""

from __future__ import annotations

import abc
import contextlib
import functools
import inspect
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from .. import math
from ..base.shapes import TensorShape
from ..base.type_spec import TypeSpec
from ..op.overrides import run_overridden
from ..values.composite import Composite, Rows, declare, expanded, is_composite
from ..values.tensor import Tensor
from ..variables.fields import ROWS, FieldsSpec, Frame, filled, frame_of, parts_in, spec_of_part
from . import batch_encoder
from .extension_fields import NO_DEFAULT, Field, ImmutableDict, Meaning, converted, fields_of, is_reserved
from .layout import stack
from .shapes import shape

_BUILDING = "_tf_extension_type_in_constructor"
_FRAME = "_tf_extension_type_frame"
_MUTABLE = "_keras_mask"  # Keras marks the results of layers with it


def _is_part(value: object) -> bool:
    return isinstance(value, Tensor) or is_composite(value)


class _HasFields:
    """What values and specs share: fields that are set in the constructor and never again."""

    @classmethod
    def _resolve_annotations(cls) -> None:
        """Annotations that are text mean what they mean where the class is written, also inside a function."""
        frame: Any = sys._getframe(1)
        while frame.f_code.co_name in ("__new__", "__init_subclass__"):
            frame = frame.f_back
        names = {**frame.f_globals, **frame.f_locals}
        for name, hint in inspect.get_annotations(cls).items():
            if isinstance(hint, str):
                written = type(cls.__name__, (), {"__annotations__": {name: hint}})
                with contextlib.suppress(NameError, AttributeError):  # not defined yet: asked again later
                    cls.__annotations__[name] = typing.get_type_hints(written, names)[name]

    @classmethod
    def _fields(cls) -> tuple[Field, ...]:
        raise NotImplementedError

    _meaning: ClassVar[Meaning]
    _kind_name: ClassVar[str]

    def _convert_fields(self) -> None:
        names = {field.name for field in self._fields()}
        given = {name for name in vars(self) if not name.startswith("_tf_extension_type")}
        if given - names:
            raise ValueError(f"Got unexpected fields: {given - names}")
        if names - given:
            raise ValueError(f"Missing required fields: {names - given}")
        for field in self._fields():
            vars(self)[field.name] = converted(vars(self)[field.name], field.annotation, field.name, self._meaning)

    def _check_mutable(self, name: str) -> None:
        if _BUILDING not in vars(self) or name not in {field.name for field in self._fields()}:
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of {self._kind_name}."
            )

    def __setattr__(self, name: str, value: object) -> None:
        if name != _MUTABLE:
            self._check_mutable(name)
        vars(self)[name] = value

    def __delattr__(self, name: str) -> None:
        if name != _MUTABLE:
            self._check_mutable(name)
        del vars(self)[name]

    def __validate__(self) -> None:
        """Raise where the fields do not go together; called after the constructor."""

    def __repr__(self) -> str:
        fields = ", ".join(f"{field.name}={vars(self)[field.name]!r}" for field in self._fields())
        return f"{type(self).__qualname__}({fields})"


def _wrapped_constructor(init: Callable[..., None]) -> Any:
    @functools.wraps(init)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        vars(self)[_BUILDING] = True
        try:
            init(self, *args, **kwargs)
        finally:
            del vars(self)[_BUILDING]
        self._convert_fields()
        self.__validate__()

    return __init__


def _default_constructor(fields: Sequence[Field], with_defaults: bool) -> Any:
    """A constructor that takes the fields in order; from the first without a default after one with it on, by keyword."""
    parameters, any_default = [], False
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for field in fields:
        default = field.default if with_defaults else NO_DEFAULT
        if default is NO_DEFAULT and any_default:
            kind = inspect.Parameter.KEYWORD_ONLY
        any_default = any_default or default is not NO_DEFAULT
        empty = inspect.Parameter.empty if default is NO_DEFAULT else default
        parameters.append(inspect.Parameter(field.name, kind, default=empty, annotation=field.annotation))
    signature = inspect.Signature(parameters)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        vars(self).update(given.arguments)
        self._convert_fields()
        self.__validate__()

    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([this, *parameters])  # type: ignore[attr-defined]
    return __init__


class ExtensionTypeSpec(_HasFields, FieldsSpec):
    """The base of the specs of extension types: `MaskedTensor.Spec`, with a spec where the value has a tensor.

    >>> import gradtape as tf
    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> spec = tf.type_spec_from_value(Masked([1.0, 2.0], [True, False]))
    >>> isinstance(spec, tf.experimental.ExtensionTypeSpec), spec.values
    (True, TensorSpec(shape=(2,), dtype=tf.float32, name=None))

    Users make the spec of their own class: `Masked.Spec(values=tf.TensorSpec([2]), mask=tf.TensorSpec([2], tf.bool))`.

    Args:
        frame: The fields that are no tensors, and the places of those that are.
        specs: A spec for each of these.
    """

    _meaning = Meaning.SPEC
    _kind_name = "ExtensionTypeSpec"

    @classmethod
    def _fields(cls) -> tuple[Field, ...]:
        return cls.value_type._fields()  # type: ignore[attr-defined]

    @property
    def _values(self) -> tuple[Any, ...]:
        return tuple(vars(self)[field.name] for field in self._fields())

    @property
    def _frame(self) -> Frame:  # type: ignore[override]
        return frame_of(self._values, lambda value: isinstance(value, TypeSpec))

    @property
    def _specs(self) -> tuple[TypeSpec, ...]:  # type: ignore[override]
        return tuple(parts_in(self._frame, self._values))

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of an existing value.

        >>> class Masked(tf.experimental.ExtensionType):
        ...     values: tf.Tensor
        ...     mask: tf.Tensor
        >>> Masked.Spec.from_value(Masked([1.0, 2.0], [True, False])).values
        TensorSpec(shape=(2,), dtype=tf.float32, name=None)

        Args:
            value: A value of the class that the spec describes.

        Returns:
            A spec.
        """
        parts: list[Any] = _components(value)
        return _made(cls, _static(value), [spec_of_part(part) for part in parts])

    def _with(self, specs: Sequence[TypeSpec]) -> Any:
        return _made(type(self), self._frame, list(specs))

    def _with_changed_shape(self, change: Callable[[TensorShape], Any]) -> Any:
        encoder = getattr(self.value_type, "__batch_encoder__", None)
        return self._with_fields_changed(change) if encoder is None else batch_encoder.changed(encoder, self, change)

    def _with_fields_changed(self, change: Callable[[TensorShape], Any]) -> Any:
        return _shapes_changed(super()._with_changed_shape(change), change)

    def _serialize(self) -> tuple[Any, ...]:
        return tuple((field.name, vars(self)[field.name]) for field in self._fields())

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={_plain(value)!r}" for name, value in self._serialize())
        return f"{type(self).__qualname__}({fields})"

    def _key(self) -> tuple[Any, ...]:
        return self._frame, self._specs

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    @classmethod
    def _deserialize(cls, parts: Sequence[Any]) -> Any:
        made = object.__new__(cls)
        vars(made).update(parts)
        return made


class ExtensionType(_HasFields, abc.ABC):
    """The base of classes whose values are made of tensors.

    Fields are written as annotations: tensors, other extension types and composites, plain Python values, shapes, types, and
    tuples, mappings and unions of these.

    >>> import gradtape as tf
    >>> class MaskedTensor(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    ...     def total(self):
    ...         return tf.reduce_sum(tf.where(self.mask, self.values, 0))
    >>> masked = MaskedTensor([1, 2, 3], [True, False, True])
    >>> tf.function(lambda m: m.total())(masked).numpy() == 4
    np.True_

    A class has a constructor that takes its fields, unless it writes one, and a nested class `Spec`. Values never change.
    `__validate__` is called after the constructor and raises where the fields do not go together.

    Args:
        *args: The fields of the class, in their order.
        **kwargs: The fields by name.
    """

    Spec: ClassVar[Any]
    _meaning = Meaning.VALUE
    _kind_name = "ExtensionType"
    _tf_extension_type_cached_fields: ClassVar[tuple[Field, ...] | None] = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if type(self) is ExtensionType:
            raise AssertionError(
                "Cannot create an instance of ExtensionType because ExtensionType is an abstract base class."
            )

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("_tf_extension_type_do_not_transform_this_class"):
            return
        _check_class(cls)
        cls._resolve_annotations()
        if "__init__" in cls.__dict__:
            cls.__init__ = _wrapped_constructor(cls.__init__)  # type: ignore[method-assign]
        else:
            cls.__init__ = _default_constructor(cls._fields(), with_defaults=True)  # type: ignore[method-assign]
        cls.Spec = _spec_class(cls)
        encoder = getattr(cls, "__batch_encoder__", None)
        plain = _ROWS if issubclass(cls, BatchableExtensionType) else None
        rows = plain if encoder is None else batch_encoder.rows_of(encoder)
        declare(
            Composite(
                cls,
                components=_components,
                build=functools.partial(_made, cls),
                static=_static,
                spec=cls.Spec,
                run=run_overridden,
                rows=rows,
                is_tensor=False,
            )
        )

    @classmethod
    def _fields(cls) -> tuple[Field, ...]:
        known = cls.__dict__.get("_tf_extension_type_cached_fields")
        if known is not None:
            return known
        hints: dict[str, Any]
        try:
            hints, final = typing.get_type_hints(cls), True
        except (NameError, AttributeError):  # a name in it is not defined yet: asked again later
            hints, final = {}, False
            for base in reversed(cls.__mro__):
                hints.update(inspect.get_annotations(base))
        ours = {name: hint for name, hint in hints.items() if typing.get_origin(hint) is not ClassVar}
        own = {
            name: hint
            for name, hint in ours.items()
            if name not in _HasFields.__annotations__ and not is_reserved(name)
        }
        fields = fields_of(cls, own)
        if final:
            cls._tf_extension_type_cached_fields = fields
        return fields

    @property
    def _type_spec(self) -> Any:
        return self.Spec.from_value(self)

    def __eq__(self, other: object) -> Any:
        """A truth value as a tensor: whether fields and elements are equal; False for another class or other shapes."""
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        conditions = []
        for first, second in zip(expanded(self), expanded(other), strict=True):
            same = math.reduce_all(math.equal(shape(first), shape(second)))
            conditions += [same, math.reduce_all(math.equal(first, second))]
        return math.reduce_all(stack(conditions)) if conditions else True

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return math.logical_not(equal) if isinstance(equal, Tensor) else not equal

    __hash__ = None  # type: ignore[assignment]


def _static(value: object) -> Frame:
    frame = vars(value).get(_FRAME)
    if frame is None:
        frame = vars(value)[_FRAME] = frame_of(_values(value), _is_part)
    return frame


def _values(value: Any) -> tuple[Any, ...]:
    return tuple(vars(value)[field.name] for field in value._fields())


def _components(value: object) -> list[Any]:
    return list(parts_in(_static(value), _values(value)))


def _made(cls: Any, frame: Frame, parts: list[Any]) -> Any:
    """A value or a spec with this frame, without its constructor."""
    made = object.__new__(cls)
    values = (_immutable(value) for value in filled(frame, iter(parts)))
    vars(made).update(zip((field.name for field in cls._fields()), values, strict=True))
    if not issubclass(cls, ExtensionTypeSpec):
        vars(made)[_FRAME] = frame
    return made


def _immutable(value: object) -> Any:
    if isinstance(value, dict):
        return ImmutableDict((key, _immutable(item)) for key, item in value.items())
    return tuple(map(_immutable, value)) if value.__class__ is tuple else value


def _plain(value: object) -> Any:
    """Dicts in place of those that cannot change."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return tuple(map(_plain, value)) if value.__class__ is tuple else value


def _shapes_changed(thing: Any, change: Callable[[TensorShape], Any]) -> Any:
    """A value or a spec with its fields that are shapes changed: they say the shape of the whole."""
    for field in thing._fields():
        value = vars(thing)[field.name]
        if isinstance(value, TensorShape):
            vars(thing)[field.name] = TensorShape(change(value))
    vars(thing).pop(_FRAME, None)
    return thing


_ROWS: Rows[Any] = Rows(
    count=ROWS.count,
    at=lambda value, index: _shapes_changed(ROWS.at(value, index), lambda sizes: sizes[1:]),
    stack=lambda values: _shapes_changed(ROWS.stack(values), lambda sizes: (len(values), *sizes)),
)


def _check_class(cls: type) -> None:
    """Raise where the body of a class has names that it may not have, or fields without annotations."""
    annotations = inspect.get_annotations(cls)
    problem = f"The field annotations for {cls.__name__} are invalid."
    user_spec = cls.__dict__.get("Spec")
    if user_spec is not None and not isinstance(user_spec, type):
        raise ValueError(f"{cls.__qualname__}.Spec must be a nested class; got {user_spec}.")
    if isinstance(user_spec, type) and user_spec.__bases__ not in ((TypeSpec,), (object,)):
        raise ValueError(f"{cls.__qualname__}.Spec must be directly subclassed from tf.TypeSpec.")
    for name in (*annotations, *cls.__dict__):
        if is_reserved(name) and (name != "Spec" or name in annotations):
            raise ValueError(f"{problem} Field '{name}' is reserved.")
    for name, value in cls.__dict__.items():
        is_code = callable(value) or isinstance(value, (property, classmethod, staticmethod))
        if name not in annotations and not is_code and not name.startswith(("_abc_", "__")):
            raise ValueError(f"{problem} Field {name} is missing a type annotation.")


def _spec_class(cls: Any) -> Any:
    """The nested class `Spec`, with what the user wrote into one."""
    body: dict[str, Any] = {"value_type": cls, "__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Spec"}
    names = {field.name for field in cls._fields()}
    user_spec = cls.__dict__.get("Spec")
    for name, value in () if user_spec is None else user_spec.__dict__.items():
        if name in names:
            raise ValueError(
                f"TypeSpec {body['__qualname__']} defines a variable '{name}' which shadows a field in {cls.__qualname__}"
            )
        if is_reserved(name):
            raise ValueError(f"TypeSpec {body['__qualname__']} uses reserved name '{name}'.")
        if name not in ("__module__", "__qualname__", "__dict__", "__weakref__", "__doc__"):
            body[name] = value
    if "__init__" in body:
        body["__init__"] = _wrapped_constructor(body["__init__"])
    else:
        body["__init__"] = _default_constructor(cls._fields(), with_defaults=False)
    return type(f"{cls.__name__}.Spec", (ExtensionTypeSpec,), body)


class BatchableExtensionType(ExtensionType):
    """An extension type whose tensors all have the same first axis: batches of it are values of it.

    >>> import gradtape as tf
    >>> class Point(tf.experimental.BatchableExtensionType):
    ...     x: tf.Tensor
    ...     y: tf.Tensor
    >>> points = tf.data.Dataset.from_tensor_slices(Point([1, 2, 3], [4, 5, 6])).batch(2)
    >>> [p.x.numpy().tolist() for p in points]
    [[1, 2], [3]]

    Args:
        *args: The fields of the class, in their order.
        **kwargs: The fields by name.
    """

    _tf_extension_type_do_not_transform_this_class = True


def as_dict(value: Any) -> dict[str, Any]:
    """The fields of an extension type, by name.

    >>> import gradtape as tf
    >>> class Span(tf.experimental.ExtensionType):
    ...     start: int
    ...     stop: int
    >>> tf.experimental.extension_type.as_dict(Span(1, 2))
    {'start': 1, 'stop': 2}

    Args:
        value: A value of an extension type.

    Returns:
        A dict from names to values.
    """
    return {field.name: vars(value)[field.name] for field in value._fields()}
