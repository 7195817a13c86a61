"""`tf.nest`: structures of values.

With `expand_composites`, a composite value such as a RaggedTensor is a structure too: that of its tensors. A spec of one
is the structure of the specs of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from .base import nest
from .base.namespaces import listing
from .base.nest import is_nested
from .base.type_spec import CompositeSpec
from .values.composite import COMPOSITES, expanded, is_composite

if TYPE_CHECKING:
    import numpy as np

    from .values.tensor import Tensor, TensorSpec
    from .variables.variable import Variable

# What is one value for `tf.nest`, of those whose type says so.
_Leaf = TypeVar(
    "_Leaf", bound="Tensor | Variable | np.ndarray[Any, Any] | np.generic | complex | str | bytes | TensorSpec"
)
_Value = TypeVar("_Value")
_Key = TypeVar("_Key")

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of `structure` in order; a single value is its own only leaf.

    >>> tf.nest.flatten({"b": 1, "a": [2, (3,)]})
    [2, 3, 1]
    >>> [part.numpy().tolist() for part in tf.nest.flatten(tf.ragged.constant([[1, 2], [3]]), expand_composites=True)]
    [[1, 2, 3], [0, 2, 3]]

    Args:
        structure: Lists, tuples, dicts, named tuples, and what was registered, in each other.
        expand_composites: Whether ragged and sparse tensors are taken apart too.

    Returns:
        A list.
    """
    leaves = nest.flatten(structure)
    return [part for leaf in leaves for part in expanded(leaf)] if expand_composites else leaves


@overload
def pack_sequence_as(
    structure: list[_Leaf], flat_sequence: Iterable[_Value], expand_composites: Literal[False] = ...
) -> list[_Value]: ...
@overload
def pack_sequence_as(
    structure: dict[_Key, _Leaf], flat_sequence: Iterable[_Value], expand_composites: Literal[False] = ...
) -> dict[_Key, _Value]: ...
@overload
def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = ...) -> Any: ...
def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """The values of `flat_sequence` arranged as `structure` is.

    >>> tf.nest.pack_sequence_as({"b": 1, "a": [2, (3,)]}, ["x", "y", "z"])
    {'b': 'z', 'a': ['x', ('y',)]}
    >>> tf.nest.pack_sequence_as(tf.ragged.constant([[1], [2]]), [tf.constant([3, 4]), [0, 0, 2]], expand_composites=True)
    <tf.RaggedTensor [[], [3, 4]]>

    Args:
        structure: The structure to have.
        flat_sequence: Its leaves, in the order of `flatten`.
        expand_composites: Whether ragged and sparse tensors are put together too.

    Returns:
        A structure.

    Raises:
        ValueError: There are too few or too many values.
    """
    if not expand_composites:
        return nest.pack_sequence_as(structure, flat_sequence)
    values, leaves = list(flat_sequence), nest.flatten(structure)
    nest.check_count(structure, sum(len(expanded(leaf)) for leaf in leaves), values)
    following = iter(values)
    return nest.pack_sequence_as(structure, [_filled(leaf, following) for leaf in leaves])


@overload
def map_structure(
    func: Callable[[Tensor], _Value],
    structure: list[Tensor],
    /,
    *,
    check_types: bool = ...,
    expand_composites: bool = ...,
) -> list[_Value]: ...
@overload
def map_structure(
    func: Callable[[Variable], _Value],
    structure: list[Variable],
    /,
    *,
    check_types: bool = ...,
    expand_composites: bool = ...,
) -> list[_Value]: ...
@overload
def map_structure(
    func: Callable[[Tensor], _Value],
    structure: dict[_Key, Tensor],
    /,
    *,
    check_types: bool = ...,
    expand_composites: bool = ...,
) -> dict[_Key, _Value]: ...
@overload
def map_structure(
    func: Callable[[Variable], _Value],
    structure: dict[_Key, Variable],
    /,
    *,
    check_types: bool = ...,
    expand_composites: bool = ...,
) -> dict[_Key, _Value]: ...
@overload
def map_structure(
    func: Callable[[Tensor, Tensor], _Value],
    structure: list[Tensor],
    more: list[Tensor],
    /,
    *,
    check_types: bool = ...,
    expand_composites: bool = ...,
) -> list[_Value]: ...
@overload
def map_structure(
    func: Callable[[Tensor, Tensor], _Value],
    structure: dict[_Key, Tensor],
    more: dict[_Key, Tensor],
    /,
    *,
    check_types: bool = ...,
    expand_composites: bool = ...,
) -> dict[_Key, _Value]: ...
@overload
def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any: ...
def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func` applied to corresponding leaves of the structures, in a structure like the first.

    >>> tf.nest.map_structure(lambda a, b: a + b, {"x": 1, "y": [2]}, {"x": 10, "y": [20]})
    {'x': 11, 'y': [22]}

    Args:
        func: Takes one leaf of each structure.
        *structure: One structure, or several that are alike.
        **kwargs: `check_types`: whether containers at one place must have one type (True). `expand_composites`: whether
            composite values are structures (False).

    Returns:
        What `func` returns, in the structure of the first argument.

    Raises:
        TypeError: `func` cannot be called, or the structures have different types.
        ValueError: The structures differ, or an argument has an unknown name.
    """
    check_types, expand = kwargs.pop("check_types", True), kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(f"Only valid keyword arguments are `check_types` and `expand_composites`, not {list(kwargs)}.")
    if not expand or not callable(func):
        return nest.map_structure(func, *structure, check_types=check_types)
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites=True)

    def mapped(*leaves: Any) -> Any:
        columns = zip(*map(expanded, leaves), strict=True)
        return _filled(leaves[0], iter([func(*parts) for parts in columns]))

    return nest.map_structure(mapped, *structure, check_types=check_types)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raise ValueError (or TypeError for other container types) unless both have one structure.

    With `expand_composites`, two composites at one place must be such that one spec covers both.

    >>> import gradtape as tf
    >>> tf.nest.assert_same_structure([1, {"a": 2}], [3, {"a": 4}])
    >>> tf.nest.assert_same_structure([1, 2], [3, [4]])
    Traceback (most recent call last):
        ...
    ValueError: The two structures don't have the same nested structure: 2 is a single value, [4] is a structure.

    Args:
        nest1: A structure.
        nest2: The structure that it is compared with.
        check_types: Whether a list and a tuple count as different.
        expand_composites: Whether values made of tensors count as structures.

    Raises:
        ValueError: They have different structures.
        TypeError: They have containers of different types.
    """
    nest.assert_same_structure(nest1, nest2, check_types, _are_same_composites if expand_composites else None)


def _are_same_composites(first: Any, second: Any, check_types: bool) -> bool:
    """Whether two parts of structures are composites that one spec covers; raises where only one is a composite."""
    if not (_is_expanded(first) or _is_expanded(second)):
        return False
    problem = f"The two structures don't have the same nested structure: {first!r} and {second!r}"
    if not (_is_expanded(first) and _is_expanded(second)):
        kind = TypeError if check_types and (is_nested(first) or is_nested(second)) else ValueError
        raise kind(f"{problem}, of which one is a composite tensor.")
    try:
        _spec(first).most_specific_compatible_type(_spec(second))
    except ValueError as error:
        raise ValueError(f"{problem} are incompatible composite tensors. ({error})") from None
    return True


def _is_expanded(value: Any) -> bool:
    return is_composite(value) or isinstance(value, CompositeSpec)


def _spec(value: Any) -> CompositeSpec:
    if isinstance(value, CompositeSpec):
        return value
    kind = COMPOSITES[value.__class__]
    if kind.spec is None:
        raise TypeError(f"A {kind.name} has no spec to compare it by.")
    return kind.spec.from_value(value)


def _filled(leaf: Any, following: Iterator[Any]) -> Any:
    """A leaf of the next of these values: a composite from as many as it has tensors."""
    if not _is_expanded(leaf):
        return next(following)
    parts = _spec(leaf)._component_specs if isinstance(leaf, CompositeSpec) else COMPOSITES[leaf.__class__].parts(leaf)
    return _spec(leaf)._from_components([_filled(part, following) for part in parts])


__dir__ = listing(globals())
