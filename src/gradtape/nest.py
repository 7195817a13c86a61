"""Structures of values: lists, tuples, dicts and namedtuples, walked by optree.

As in TensorFlow, None is a leaf and the keys of a dict are taken in sorted order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .shapes import TensorShape


_NESTED_TYPES: dict[type, bool] = {}


def is_nested(structure: Any) -> bool:
    """Whether `structure` is a list, a tuple or a mapping, and not a single value."""
    cls = structure.__class__
    nested = _NESTED_TYPES.get(cls)
    if nested is None:  # remembered: asking an abstract class costs more than the rest of a small gradient
        nested = _NESTED_TYPES[cls] = issubclass(cls, (list, tuple, Mapping)) and not issubclass(cls, TensorShape)
    return nested


def flatten(structure: Any) -> list[Any]:
    """The leaves of `structure` in order; a single value is its own only leaf.

    >>> flatten({"b": 1, "a": [2, (3,)]})
    [2, 3, 1]
    """
    if not is_nested(structure):
        return [structure]
    return _unpack(structure)[0]


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """The values of `flat_sequence` arranged as `structure` is."""
    values = list(flat_sequence)
    if not is_nested(structure):
        if len(values) != 1:
            raise ValueError(f"The structure is a single value, but {len(values)} values were given to fill it.")
        return values[0]
    leaves, treedef = _unpack(structure)
    if len(leaves) != len(values):
        raise ValueError(
            f"The structure has {len(leaves)} leaves, but {len(values)} values were given to fill it. "
            f"Structure: {structure!r}."
        )
    return _repack(treedef, values)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func` applied to corresponding leaves of the structures, in a structure like the first.

    >>> map_structure(lambda a, b: a + b, {"x": 1, "y": [2]}, {"x": 10, "y": [20]})
    {'x': 11, 'y': [22]}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got {func!r}.")
    if not structure:
        raise ValueError("Must provide at least one structure.")
    check_types = kwargs.pop("check_types", True)
    kwargs.pop("expand_composites", None)
    if kwargs:
        raise ValueError(f"Only valid keyword arguments are `check_types` and `expand_composites`, not {list(kwargs)}.")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=check_types)
    flat = zip(*map(flatten, structure), strict=True)
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in flat])


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise ValueError (or TypeError for other container types) unless both have one structure."""
    first, second = is_nested(nest1), is_nested(nest2)
    if first != second:
        raise ValueError(
            f"The two structures don't have the same nested structure: "
            f"{nest1!r} is {'a structure' if first else 'a single value'}, "
            f"{nest2!r} is {'a structure' if second else 'a single value'}."
        )
    if not first:
        return
    if check_types and type(nest1) is not type(nest2) and not (isinstance(nest1, Mapping) and isinstance(nest2, Mapping)):
        raise TypeError(
            f"The two structures don't have the same sequence type: {type(nest1).__name__} and {type(nest2).__name__}."
        )
    keys1 = sorted(nest1) if isinstance(nest1, Mapping) else range(len(nest1))
    keys2 = sorted(nest2) if isinstance(nest2, Mapping) else range(len(nest2))
    if list(keys1) != list(keys2):
        raise ValueError(
            f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r} differ in "
            f"{'keys' if isinstance(nest1, Mapping) else 'length'}."
        )
    for key in keys1:
        assert_same_structure(nest1[key], nest2[key], check_types)


def _unpack(structure: Any) -> tuple[list[Any], Any]:
    import optree

    leaves, treedef = optree.tree_flatten(structure, is_leaf=_is_leaf, none_is_leaf=True)
    return leaves, treedef


def _is_leaf(value: Any) -> bool:
    return not is_nested(value)


def _repack(treedef: Any, leaves: list[Any]) -> Any:
    import optree

    return optree.tree_unflatten(treedef, leaves)
