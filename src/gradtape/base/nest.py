"""Structures of values: sequences and mappings, nested in each other.

As in TensorFlow, None is a leaf, the keys of every mapping are taken in sorted order (of an OrderedDict too), and
subclasses of list, tuple and dict are walked and rebuilt as what they are. Libraries for trees keep an OrderedDict in
its own order and take subclasses for leaves, so they cannot be used here. Classes made with attrs are structures of their
attributes; so is a class that takes its objects apart and puts them together itself, with `__tf_flatten__` (what is no tensor,
and a sequence of parts) and `__tf_unflatten__`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, MappingView
from typing import Any

_CONTAINERS = (list, tuple, deque, range, Mapping, MappingView)
_NESTED_TYPES: dict[type, bool] = {}


def is_nested(seq: object) -> bool:
    """Whether `seq` is a sequence (but no text), a mapping or a record, and not a single value.

    >>> import gradtape as tf
    >>> tf.nest.is_nested([1, 2]), tf.nest.is_nested({"a": 1}), tf.nest.is_nested("text"), tf.nest.is_nested(tf.ones([2]))
    (True, True, False, False)

    Args:
        seq: Any object.

    Returns:
        True or False.
    """
    cls = seq.__class__
    nested = _NESTED_TYPES.get(cls)
    if nested is None:  # remembered: asking an abstract class costs more than the rest of a small gradient
        nested = _NESTED_TYPES[cls] = issubclass(cls, _CONTAINERS) or is_record(seq)
    return nested


def is_record(value: object) -> bool:
    """Whether an object is a structure of its attributes."""
    return hasattr(value.__class__, "__tf_flatten__") or hasattr(value.__class__, "__attrs_attrs__")


def static_part(record: object) -> Any:
    """What a record has besides its parts."""
    return record.__tf_flatten__()[0] if hasattr(record, "__tf_flatten__") else None


def record_of(record: Any, parts: list[Any]) -> Any:
    """A record like this one, of other parts."""
    if hasattr(record, "__tf_flatten__"):
        return record.__tf_unflatten__(static_part(record), tuple(parts))
    return type(record)(*parts)


def children(structure: Any) -> Any:
    """The parts of a structure, in the order in which it is walked."""
    if structure.__class__ is list or structure.__class__ is tuple:
        return structure
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted_keys(structure)]
    if hasattr(structure.__class__, "__tf_flatten__"):
        return list(structure.__tf_flatten__()[1])
    if hasattr(structure.__class__, "__attrs_attrs__"):
        return [getattr(structure, field.name) for field in type(structure).__attrs_attrs__]
    return structure


def flatten(structure: object) -> list[Any]:
    """The leaves of `structure` in order; a single value is its own only leaf.

    >>> flatten({"b": 1, "a": [2, (3,)]})
    [2, 3, 1]
    """
    if not is_nested(structure):
        return [structure]
    leaves: list[Any] = []
    for value in children(structure):
        if is_nested(value):
            leaves += flatten(value)
        else:
            leaves.append(value)
    return leaves


def check_count(structure: object, count: int, values: list[Any]) -> None:
    """Raise unless there is a value for each of so many leaves of a structure."""
    if count != len(values):
        raise ValueError(
            f"The structure has {count} leaves, but {len(values)} values were given to fill it. Structure: {structure!r}."
        )


def pack_sequence_as(structure: object, flat_sequence: Any) -> Any:
    """The values of `flat_sequence` arranged as `structure` is."""
    values = flat_sequence if flat_sequence.__class__ is list else list(flat_sequence)
    if not is_nested(structure):
        if len(values) != 1:
            raise ValueError(f"The structure is a single value, but {len(values)} values were given to fill it.")
        return values[0]
    check_count(structure, len(flatten(structure)), values)
    following = iter(values)
    return _mapped(lambda _: next(following), structure)


def map_structure(func: Callable[..., Any], *structure: object, check_types: bool = True) -> Any:
    """`func` applied to corresponding leaves of the structures, in a structure like the first.

    >>> map_structure(lambda a, b: a + b, {"x": 1, "y": [2]}, {"x": 10, "y": [20]})
    {'x': 11, 'y': [22]}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got {func!r}.")
    if not structure:
        raise ValueError("Must provide at least one structure.")
    if len(structure) == 1:
        return _mapped(func, structure[0])
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=check_types)
    flat = zip(*map(flatten, structure), strict=True)
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in flat])


def assert_same_structure(
    nest1: object, nest2: object, check_types: bool = True, are_same: Callable[[Any, Any, bool], bool] | None = None
) -> None:
    """Raise ValueError (or TypeError for other container types) unless both have one structure.

    `are_same`, where it is given, is asked first for any two parts (with `check_types`); it may raise too.
    """
    if are_same is not None and are_same(nest1, nest2, check_types):
        return
    first, second = is_nested(nest1), is_nested(nest2)
    if first != second:
        raise ValueError(
            f"The two structures don't have the same nested structure: "
            f"{nest1!r} is {'a structure' if first else 'a single value'}, "
            f"{nest2!r} is {'a structure' if second else 'a single value'}."
        )
    if not first:
        return
    if check_types and not _same_kind(nest1, nest2):
        raise TypeError(
            "The two structures don't have the same nested structure: they don't have the same sequence type, "
            f"{type(nest1).__name__} and {type(nest2).__name__}."
        )
    keys1 = sorted_keys(nest1) if isinstance(nest1, Mapping) else list(range(len(children(nest1))))
    keys2 = sorted_keys(nest2) if isinstance(nest2, Mapping) else list(range(len(children(nest2))))
    if keys1 != keys2:
        raise ValueError(
            f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r} differ in "
            f"{'keys' if isinstance(nest1, Mapping) else 'length'}."
        )
    for first_part, second_part in zip(children(nest1), children(nest2), strict=True):
        assert_same_structure(first_part, second_part, check_types, are_same)


def _same_kind(first: object, second: object) -> bool:
    """Whether two containers are of one type; mappings count as one, and so do namedtuples of one name and fields."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return True
    if hasattr(first, "_fields") and hasattr(second, "_fields"):
        return (type(first).__name__, first._fields) == (type(second).__name__, second._fields)
    return type(first) is type(second)


def sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    """The keys in the order in which a mapping is walked."""
    try:
        return sorted(mapping)
    except TypeError:  # keys of several types
        return sorted(mapping, key=lambda key: (type(key).__qualname__, key))


def _mapped(func: Callable[[Any], Any], structure: Any) -> Any:
    """A structure of the same kind, with `func` of its leaves, in the order of `flatten`."""
    if not is_nested(structure):
        return func(structure)
    if structure.__class__ is list:
        return [_mapped(func, value) for value in structure]
    if isinstance(structure, Mapping):
        try:
            order = sorted_keys(structure)
        except TypeError:  # keys without an order, as members of an Enum: nothing else is walked beside this one
            order = list(structure)
        mapped = {key: _mapped(func, structure[key]) for key in order}
        items = {key: mapped[key] for key in structure}
        if isinstance(structure, defaultdict):
            return type(structure)(structure.default_factory, items)
        return items if structure.__class__ is dict else type(structure)(items)  # type: ignore[call-arg]
    parts = [_mapped(func, value) for value in children(structure)]
    if is_record(structure):
        return record_of(structure, parts)
    if isinstance(structure, (range, MappingView)):
        return parts
    return type(structure)(*parts) if hasattr(structure, "_fields") else type(structure)(parts)
