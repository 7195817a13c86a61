"""Values as JSON: everything that may stand in the arguments of a step or in an attribute of a module.

A value that JSON cannot express is an object with one member that names its kind: {"tuple": [...]}, {"ref": 3}. Arrays are
stored beside, under a key. The kinds are listed in docs/design/saved-model.md.
"""

from __future__ import annotations

import base64
import collections
import contextlib
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.dtypes import Array, DType
from ..base.errors import NotStorableError, OpError
from ..base.generated import identifier
from ..base.shapes import TensorShape
from ..base.sizes import Size
from ..base.type_spec import CompositeSpec
from ..differentiation.backward import UnconnectedGradients
from ..ragged import RaggedTensor
from ..sparse import SparseTensor
from ..trace.graph import Ref
from ..values.composite import COMPOSITES, expanded, is_composite, named
from ..values.tensor import EagerTensor, IndexedSlices, TensorSpec, from_array
from ..variables.spec import VariableSpec
from .names import function_named, name_of

_TYPES: dict[str, type] = {cls.__name__: cls for cls in (bool, int, float, complex, str, bytes, RaggedTensor)}
_STREAMS = ("stdout", "stderr")
_PARTS_OF_EARLIER = (Ref, EagerTensor, TensorSpec, RaggedTensor, int, type(None))
_PLAIN = (bool, int, str, type(None))
_NO_COMPONENTS = (bool, int, str, float, complex, bytes, list, tuple, dict, slice, range)
_KEYS = (*_PLAIN, float, complex, bytes, DType)  # what keys of dicts may be; and NumPy scalars, and tuples of keys
_DEEPEST = 128  # levels of values in values
_MOST_FIELDS = 1024  # of a named tuple


class LeftOut:
    """Stands in a loaded object for a part that was not stored."""

    def __init__(self, class_name: str) -> None:
        self.class_name = class_name

    def __repr__(self) -> str:
        return f"<a {self.class_name}, which was not saved>"


class _Levels:
    """Counts the nesting depth of values. Writing and reading have the same limit: what is written can be read."""

    def __init__(self) -> None:
        self._depth = 0

    @contextlib.contextmanager
    def deeper(self) -> Iterator[None]:
        """One level down."""
        if self._depth == _DEEPEST:
            raise RecursionError(f"values stand in values more than {_DEEPEST} levels deep")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1


class Encoder:
    """Turns values into JSON; a subclass adds what is kept by number (`special`)."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self._levels = _Levels()
        self._keys: dict[int, tuple[Any, str]] = {}  # by identity, with the object, so that it lives as long as this

    def special(self, value: object) -> Any:
        """What this encoder knows besides plain values, or None."""
        return None

    def encode(self, value: object) -> Any:
        """The value as JSON; NotStorableError where it cannot be."""
        if value.__class__ in _PLAIN:
            return value
        with self._levels.deeper():
            return self._encode(value)

    def _encode(self, value: Any) -> Any:
        cls = value.__class__
        if cls is Ref:
            return {"ref": value.number}
        if cls is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if cls is list:
            return [self.encode(part) for part in value]
        if cls is tuple:
            return {"tuple": [self.encode(part) for part in value]}
        known = self.special(value)
        if known is None:
            known = self._structure(value)
        if known is None:
            known = self._leaf(value)
        if known is None:
            raise NotStorableError(f"{_shown(value)} of type {cls.__module__}.{cls.__qualname__} cannot be stored.")
        return known

    def _structure(self, value: object) -> Any:
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            name, *fields = _namedtuple_names(type(value).__name__, value._fields)
            return {"namedtuple": [name, fields, [self.encode(part) for part in value]]}
        if isinstance(value, Mapping):
            kind = "ordered" if isinstance(value, collections.OrderedDict) else "dict"
            return {kind: [[self.encode(_key(key)), self.encode(part)] for key, part in value.items()]}
        if isinstance(value, list):
            return [self.encode(part) for part in value]
        if isinstance(value, slice):
            return {"slice": [self.encode(part) for part in (value.start, value.stop, value.step)]}
        if isinstance(value, range):
            return {"range": [value.start, value.stop, value.step]}
        if is_composite(value):
            declared = COMPOSITES[value.__class__]
            static, parts = _known(declared.static(value)), declared.parts(value)
            return {"composite": [declared.name, self.encode(static), self.encode(parts)]}
        return None

    def _leaf(self, value: object) -> Any:
        if isinstance(value, EagerTensor):
            return {"tensor": self.key_of(value, value._array)}
        if isinstance(value, np.ndarray):
            return {"array": self.key_of(value, value)}
        if isinstance(value, np.generic):
            return {"scalar": self.key_of(value, np.asarray(value))}
        if isinstance(value, bytes):
            return {"bytes": base64.b64encode(value).decode()}
        if isinstance(value, complex):
            return {"complex": [repr(value.real), repr(value.imag)]}
        if isinstance(value, DType):
            return {"dtype": value.name}
        if isinstance(value, TensorShape):
            return {"shape": _sizes(value)}
        if isinstance(value, VariableSpec):
            return {"variable_spec": [_sizes(value.shape), value.dtype.name, value.name, value.trainable]}
        if isinstance(value, TensorSpec):
            return {"spec": [_sizes(value.shape), value.dtype.name, value.name]}
        if isinstance(value, CompositeSpec):
            return {"composite_spec": [value.value_type.__name__, [self.encode(part) for part in value._serialize()]]}
        if isinstance(value, UnconnectedGradients):
            return {"unconnected": value.value}
        if value is Ellipsis:
            return {"ellipsis": []}
        if isinstance(value, LeftOut):
            return {"left_out": value.class_name}
        return self._by_name(value)

    def _by_name(self, value: object) -> Any:
        """Types, streams and functions are known by name."""
        if isinstance(value, np.dtype) and value in dtypes.BY_NUMPY:
            return {"numpy_dtype": dtypes.BY_NUMPY[value].name}
        if isinstance(value, type):
            if _TYPES.get(value.__name__) is value:
                return {"type": value.__name__}
            if issubclass(value, np.generic) and np.dtype(value) in dtypes.BY_NUMPY:
                return {"numpy_type": dtypes.BY_NUMPY[np.dtype(value)].name}
        for name in _STREAMS:
            if value is getattr(sys, name):
                return {"stream": name}
        if callable(value) and not isinstance(value, type):
            return {"function": name_of(getattr(value, "op", value) if not hasattr(value, "on_abstract") else value)}
        return None

    def key_of(self, owner: object, array: Array) -> str:
        """The key under which an array is stored; one for one object."""
        if id(owner) not in self._keys:
            key = f"constant/{len(self._keys)}"
            self._keys[id(owner)] = (owner, key)
            self.arrays[key] = np.asarray(array)
        return self._keys[id(owner)][1]


class Decoder:
    """Turns JSON into values again. ValueError, TypeError or KeyError where it was not made by an `Encoder`."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays
        self._tensors: dict[str, Any] = {}
        self._levels = _Levels()
        self._classes: dict[tuple[str, ...], Any] = {}  # of named tuples, one for each name with its fields
        self.kinds: dict[str, Callable[[Any], Any]] = {
            "ref": lambda number: Ref(whole(number)),
            "float": _float,
            "tuple": lambda parts: tuple([self.decode(part) for part in _list(parts)]),
            "namedtuple": self._namedtuple,
            "dict": self._dict,
            "ordered": lambda pairs: collections.OrderedDict(self._dict(pairs)),
            "slice": lambda parts: slice(*self._parts(parts, 3)),
            "range": lambda parts: range(*map(_integer, _list(parts, 3))),
            "composite": self._composite,
            # As earlier versions wrote these:
            "slices": lambda parts: IndexedSlices(*self._parts(parts, 3)),
            "RaggedTensor": lambda parts: RaggedTensor(*self._components(parts, "RaggedTensor")),
            "SparseTensor": lambda parts: COMPOSITES[SparseTensor].built(None, self._components(parts, "SparseTensor")),
            "tensor": self._tensor,
            "array": lambda key: self._arrays[key],
            "scalar": lambda key: self._arrays[key][()],
            "bytes": lambda text: base64.b64decode(text, validate=True),
            "complex": lambda parts: complex(*map(_float, _list(parts, 2))),
            "dtype": _dtype,
            "shape": _shape,
            "spec": spec_of,
            "variable_spec": _variable_spec,
            "composite_spec": self._composite_spec,
            "unconnected": UnconnectedGradients,
            "ellipsis": lambda _: Ellipsis,
            "left_out": lambda name: LeftOut(str(name)),
            "numpy_dtype": lambda name: np.dtype(_dtype(name).numpy),
            "numpy_type": lambda name: np.dtype(_dtype(name).numpy).type,
            "type": lambda name: _TYPES[name],
            "stream": _stream,
            "function": _function,
        }

    def decode(self, tree: object) -> Any:
        """The value that was encoded."""
        if not isinstance(tree, (list, dict)):
            return tree
        with self._levels.deeper():
            return [self.decode(part) for part in tree] if isinstance(tree, list) else self._decode_kind(tree)

    def _decode_kind(self, tree: dict[str, Any]) -> Any:
        if len(tree) != 1:
            raise ValueError(f"a value has {len(tree)} members where it should have one")
        ((kind, content),) = tree.items()
        if kind not in self.kinds:
            raise ValueError(f"a value is of the unknown kind {kind!r}")
        return self.kinds[kind](content)

    def _parts(self, parts: object, count: int | None = None) -> list[Any]:
        return [self.decode(part) for part in _list(parts, count)]

    def _dict(self, pairs: object) -> dict[Any, Any]:
        return {_key(self.decode(key)): self.decode(value) for key, value in map(_pair, _list(pairs))}

    def _namedtuple(self, content: object) -> Any:
        name, fields, parts = _list(content, 3)
        described = _namedtuple_names(name, _list(fields))
        cls = self._classes.get(described)
        if cls is None:
            cls = self._classes[described] = collections.namedtuple(name, fields)
        return cls(*self._parts(parts, len(fields)))

    def _components(self, parts: object, name: str) -> list[Any]:
        decoded = self._parts(parts, 3)
        if not all(isinstance(part, _PARTS_OF_EARLIER) for part in decoded):
            raise ValueError(f"a {name} is made of {decoded!r}")
        return decoded

    def _composite(self, content: object) -> Any:
        name, static, parts = _list(content, 3)
        kind = named(name)
        if kind is None or kind.build is None:
            raise ValueError(
                f"a value is a {name!r}, which is not declared here: import the module that declares it first"
            )
        components = self._parts(parts)
        if any(part.__class__ in _NO_COMPONENTS for part in components):
            raise ValueError(f"a {name} is made of {components!r}")
        made = kind.build(_without_ranges(self.decode(static)), components)
        if kind.check is not None and all(isinstance(tensor, EagerTensor) for tensor in expanded(made)):
            try:
                kind.check(made)
            except OpError as error:
                raise ValueError(f"the components of a {name} do not go together: {error}") from None
        return made

    def _composite_spec(self, content: object) -> CompositeSpec:
        name, parts = _list(content, 2)
        kind = named(name)
        if kind is None or kind.spec is None:
            raise ValueError(
                f"a spec is of a {name!r}, which is not declared here: import the module that declares it first"
            )
        return kind.spec(*_without_ranges(self.decode(_list(parts))))

    def _tensor(self, key: Any) -> Any:
        if key not in self._tensors:
            self._tensors[key] = from_array(self._arrays[key])
        return self._tensors[key]


# --- parts -------------------------------------------------------------------------------------------------------------


def is_stored(name: str) -> bool:
    """Whether an attribute of this name is stored: not one that means something to Python or NumPy (`__reduce__`)."""
    return name == "__call__" or not (name.startswith("__") and name.endswith("__"))


def whole(value: object, below: int | None = None) -> int:
    """The value, if it is a whole number from 0 to `below` - 1."""
    if value.__class__ is not int or value < 0 or (below is not None and value >= below):
        raise ValueError(f"{value!r} stands where the number of something should be")
    return int(value)


def _known(static: object) -> Any:
    """What belongs to the type of a composite; None for a size that is not known before a call."""
    if static.__class__ is tuple:
        return tuple([_known(part) for part in static])
    return None if isinstance(static, Size) else static


def _without_ranges(value: object) -> Any:
    """The value, if there is no range in it: a few letters of a file would become as many numbers as they say."""
    if isinstance(value, range):
        raise ValueError(f"{value!r} stands where sizes or types should be")
    if isinstance(value, Mapping):
        value = {key: _without_ranges(part) for key, part in value.items()}
    elif value.__class__ in (list, tuple):
        value = value.__class__([_without_ranges(part) for part in value])
    return value


def _integer(value: object) -> int:
    if value.__class__ is not int:
        raise ValueError(f"{value!r} stands where a whole number should be")
    return int(value)


def _list(value: object, count: int | None = None) -> list[Any]:
    if not isinstance(value, list) or (count is not None and len(value) != count):
        raise ValueError(f"{_shown(value)} stands where a list{f' of {count}' if count else ''} should be")
    return value


def _key(value: object) -> Any:
    """The value, if it is a key that files may hold: its class says nothing beyond its value."""
    if value.__class__ is tuple:
        return tuple([_key(part) for part in value])
    if value.__class__ not in _KEYS and not isinstance(value, np.generic):
        raise NotStorableError(
            f"The key {_shown(value)} of a dict, of type {type(value).__name__}, cannot be stored. Keys are text, bytes, "
            "numbers, True, False, None, dtypes, and tuples of them."
        )
    return value


def _namedtuple_names(name: object, fields: Sequence[Any]) -> tuple[str, ...]:
    """The name of a named tuple's class and those of its fields, if they are such."""
    if len(fields) > _MOST_FIELDS:
        raise NotStorableError(f"A named tuple with {len(fields)} fields cannot be stored; {_MOST_FIELDS} are allowed.")
    names = (identifier(name), *map(identifier, fields))
    hidden = [field for field in names[1:] if field.startswith("_")]
    if hidden or len({*fields}) != len(fields):
        raise NotStorableError(f"A named tuple has fields that none can have: {hidden or list(fields)}.")
    return names


def _pair(value: object) -> list[Any]:
    return _list(value, 2)


def _float(text: object) -> float:
    if not isinstance(text, str):
        raise ValueError(f"{text!r} stands where a number as text should be")
    return float(text)


def _dtype(name: object) -> DType:
    if not isinstance(name, str):
        raise ValueError(f"{name!r} stands where the name of a type should be")
    return dtypes.as_dtype(name)


def _sizes(shape: TensorShape) -> list[int | None] | None:
    return None if shape.rank is None else list(shape)


def _shape(sizes: object) -> TensorShape:
    if sizes is None:
        return TensorShape(None)
    return TensorShape([None if size is None else whole(size) for size in _list(sizes)])


def spec_of(content: object) -> TensorSpec:
    """A spec from its shape, type and name."""
    sizes, dtype, name = _list(content, 3)
    return TensorSpec(_shape(sizes), _dtype(dtype), text_or_none(name))


def _variable_spec(content: object) -> VariableSpec:
    sizes, dtype, name, trainable = _list(content, 4)
    return VariableSpec(_shape(sizes), _dtype(dtype), bool(trainable), text_or_none(name))


def text_or_none(name: object) -> str | None:
    """The name, if it is one."""
    if name is not None and not isinstance(name, str):
        raise ValueError(f"{name!r} stands where a name should be")
    return name


def _stream(name: object) -> Any:
    if name not in _STREAMS:
        raise ValueError(f"there is no stream {name!r}")
    return getattr(sys, name)


def _function(content: object) -> Any:
    kind, name = _list(content, 2)
    found = function_named(kind, name)
    return found.public if kind == "op" else found


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
