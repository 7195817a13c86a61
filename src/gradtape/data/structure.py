"""Elements: the values that a dataset produces. Tuples, dicts and named tuples of tensors, in any depth.

A list is not a structure here but a value that becomes a tensor, as in TensorFlow. Values made of several tensors
(sparse, ragged) and datasets (the windows of `window`) are leaves. How the former are stacked and sliced is part of their
declaration (values/composite.py); a dataset has a `_type_spec`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..base import nest
from ..base.dtypes import Array
from ..base.errors import invalid
from ..base.shapes import TensorShape
from ..base.type_spec import CompositeSpec, NoneTensorSpec
from ..ops.array import layout
from ..ops.array.gather import take
from ..values.composite import COMPOSITES, STANDING_FOR, Composite, Rows, named
from ..values.tensor import EagerTensor, Tensor, TensorSpec, from_array, to_tensor

Element = Any


def element_of(value: Any) -> Element:
    """What a user returned or passed, as an element: every leaf a tensor (or a value of several tensors)."""
    cls = value.__class__
    if cls is EagerTensor:
        return value
    if cls is tuple:
        for part in value:
            if part.__class__ is not EagerTensor:
                return tuple([element_of(part) for part in value])
        return value
    if cls in STANDING_FOR:
        return STANDING_FOR[cls](value)
    if isinstance(value, tuple):
        parts = [element_of(part) for part in value]
        return cls(*parts) if hasattr(value, "_fields") else cls(parts)
    if isinstance(value, Mapping):
        inner = {key: element_of(part) for key, part in value.items()}
        return inner if cls is dict else cls(inner)
    if value is None or hasattr(cls, "_type_spec"):
        return value
    if nest.is_record(value):
        return nest.record_of(value, [element_of(part) for part in nest.children(value)])
    kind = COMPOSITES.get(cls)
    if kind is not None and kind.spec is not None and not kind.converts:
        return value
    return to_tensor(value)


def row_of(array: Array, index: Any) -> EagerTensor:
    """One row as a tensor, without a copy."""
    row = array[index]
    if array.dtype.kind == "O" and array.ndim == 1:  # a single text
        row = np.array(row, object)
    return from_array(row)


def int64(number: int) -> EagerTensor:
    """An integer as a tensor."""
    scalar: Any = np.int64(number)
    return from_array(scalar)


# --- specs -------------------------------------------------------------------------------------------------


def spec_of(element: Element) -> Any:
    """The structure of specs of an element."""
    return nest.map_structure(_leaf_spec, element)


def _leaf_spec(leaf: Any) -> Any:
    if isinstance(leaf, Tensor):
        return TensorSpec(leaf.shape, leaf.dtype)
    if leaf is None:
        return NoneTensorSpec()
    spec = COMPOSITES[leaf.__class__].spec if leaf.__class__ in COMPOSITES else None
    return leaf._type_spec if spec is None else spec.from_value(leaf)


def with_shape(spec: object, change: Callable[[TensorShape], Any]) -> Any:
    """The specs with their shapes changed; that of a dataset stays as it is."""

    def changed(leaf: object) -> Any:
        if isinstance(leaf, TensorSpec):
            return TensorSpec(change(leaf.shape), leaf.dtype)
        return leaf._with_changed_shape(change) if isinstance(leaf, CompositeSpec) else leaf

    return nest.map_structure(changed, spec)


def row_spec(spec: object, name: str) -> Any:
    """The spec of one row of what the spec describes."""

    def without_first(shape: TensorShape) -> Any:
        if shape.rank is None:
            return None
        if shape.rank == 0:
            raise ValueError(f"{name}: a scalar has no first axis to be taken apart along.")
        return shape[1:]

    return with_shape(spec, without_first)


def batch_spec(spec: object, size: int | None) -> Any:
    """The spec of a batch of what the spec describes."""
    return with_shape(spec, lambda shape: None if shape.rank is None else (size, *shape))


def common_spec(first: object, second: object) -> Any:
    """The tightest specs that cover both; ValueError or TypeError where the structures or types differ."""
    return nest.map_structure(lambda a, b: a.most_specific_compatible_type(b), first, second, check_types=False)


# --- stacking ----------------------------------------------------------------------------------------------


def stacked(elements: list[Element]) -> Element:
    """One element with the given ones along a new first axis of each component."""
    first = elements[0]
    if first.__class__ is EagerTensor:
        return _stacked_leaves(elements, 0)
    if first.__class__ is tuple and all(leaf.__class__ is EagerTensor for leaf in first):  # the usual structure
        columns: Iterable[Any] = zip(*elements, strict=True)
        return tuple([_stacked_leaves(column, number) for number, column in enumerate(columns)])
    columns = zip(*(nest.flatten(element) for element in elements), strict=True)
    return nest.pack_sequence_as(first, [_stacked_leaves(column, number) for number, column in enumerate(columns)])


def _stacked_leaves(leaves: Any, component: int) -> Any:
    first = leaves[0]
    if first is None:
        return None
    if not isinstance(first, Tensor):
        kind = COMPOSITES.get(first.__class__)
        if kind is None or kind.rows is None:
            raise TypeError(f"batch: component {component} is {type(first).__name__}, which cannot be batched.")
        return kind.rows.stack(leaves)
    if not all(leaf.__class__ is EagerTensor for leaf in leaves):  # in a traced function
        return layout.stack.public(leaves, axis=0)
    arrays = [leaf._array for leaf in leaves]
    shape, dtype = arrays[0].shape, arrays[0].dtype
    for array in arrays:
        if array.shape != shape or (array.dtype is not dtype and array.dtype != dtype):
            raise invalid(_cannot_batch(component, arrays, array))
    if not shape:
        return from_array(np.array([array[()] for array in arrays] if dtype.kind == "O" else arrays, dtype))
    return from_array(np.concatenate(arrays).reshape(len(arrays), *shape))


def _cannot_batch(component: int, arrays: list[Array], other: Array) -> str:
    first, number = arrays[0], next(number for number, array in enumerate(arrays) if array is other)
    if first.shape != other.shape:
        return (
            f"Cannot batch tensors with different shapes in component {component}. First element had shape "
            f"{list(first.shape)} and element {number} had shape {list(other.shape)}. "
            "Use padded_batch or ragged_batch for elements of several sizes."
        )
    return f"Cannot batch component {component}: the first element is {first.dtype}, element {number} is {other.dtype}."


def concatenated(elements: list[Element]) -> Element:
    """One element with the rows of all given ones."""
    if len(elements) == 1:
        return elements[0]
    columns = zip(*(nest.flatten(element) for element in elements), strict=True)

    def joined(column: Any) -> Any:
        if isinstance(column[0], Tensor):
            if not all(leaf.__class__ is EagerTensor for leaf in column):  # in a traced function
                return layout.concat.public(column, axis=0)
            return from_array(np.concatenate([leaf._array for leaf in column]))
        rows = rows_of(column[0])
        return rows.stack([rows.at(leaf, i) for leaf in column for i in range(rows.count(leaf))])

    return nest.pack_sequence_as(elements[0], [joined(column) for column in columns])


def row_count(element: Element, name: str) -> int:
    """How many rows all components have; an error where the components differ in it."""
    counts = []
    for leaf in nest.flatten(element):
        if isinstance(leaf, Tensor):
            if not leaf.ndim:
                raise ValueError(f"{name}: a scalar cannot be taken apart; every component needs a first axis.")
            counts.append(len(leaf))
        elif leaf is not None:
            counts.append(rows_of(leaf).count(leaf))
    if not counts:
        raise ValueError(f"{name}: at least one tensor is needed, got {element!r}.")
    if len(set(counts)) > 1:
        raise ValueError(
            f"{name}: Dimensions {counts[0]} and {next(c for c in counts if c != counts[0])} are not compatible; "
            f"the components have {counts} rows."
        )
    return counts[0]


def row(element: Element, index: int) -> Element:
    """One row of each component."""
    return nest.map_structure(lambda leaf: _leaf_row(leaf, index), element)


def _leaf_row(leaf: object, index: int) -> Any:
    if isinstance(leaf, Tensor):
        return row_of(leaf._array, index) if leaf.__class__ is EagerTensor else leaf[index]
    return None if leaf is None else rows_of(leaf).at(leaf, index)


def rows_between(element: Element, start: int, stop: int) -> Element:
    """Some rows of each component, as views."""

    def part(leaf: Any) -> Any:
        if isinstance(leaf, Tensor):
            return from_array(leaf._array[start:stop]) if leaf.__class__ is EagerTensor else leaf[start:stop]
        return None if leaf is None else _chosen_rows(leaf, range(start, stop))

    return nest.map_structure(part, element)


def rows_at(element: Element, indices: Array) -> Element:
    """Some rows of each component, in the given order."""

    def rows(leaf: object) -> Any:
        if isinstance(leaf, Tensor):
            if leaf.__class__ is not EagerTensor:  # in a traced function
                return take.public(leaf, indices, axis=0)
            return from_array(leaf._array.take(indices, axis=0))
        return None if leaf is None else _chosen_rows(leaf, indices.tolist())

    return nest.map_structure(rows, element)


def rows_of(leaf: object) -> Rows[Any]:
    """How a leaf made of several tensors is taken apart along its first axis, and put together."""
    kind = COMPOSITES.get(leaf.__class__)
    if kind is None or kind.rows is None:
        raise TypeError(f"{type(leaf).__name__} has no rows, and cannot be taken apart: {leaf!r}.")
    return kind.rows


def _chosen_rows(leaf: object, indices: Iterable[int]) -> Any:
    """Some rows of a leaf made of several tensors."""
    rows = rows_of(leaf)
    return rows.stack([rows.at(leaf, i) for i in indices])


# --- elements as plain values, for saved states and files ---------------------------------------------------


# Makes the dataset of a window from its elements; set by nested.py, which imports this module.
WINDOWS: list[Callable[[list[Element]], Any]] = []


def encoded(element: Element) -> Any:
    """The element in dicts, lists, plain values and numeric arrays; `decoded` turns it back."""
    if isinstance(element, Tensor):
        return _encoded_array(np.asarray(element._array))
    if element is None:
        return {"none": True}
    if isinstance(element, tuple):
        kind = "namedtuple" if hasattr(element, "_fields") else "tuple"
        return {kind: [encoded(part) for part in element]}
    if isinstance(element, Mapping):
        return {"keys": list(element), "values": [encoded(part) for part in element.values()]}
    if hasattr(element, "_listed"):
        return {"window": [encoded(part) for part in element._listed()]}
    composite = COMPOSITES[element.__class__]
    state = {"composite": composite.name, "parts": [encoded(part) for part in composite.parts(element)]}
    static = composite.static(element)
    return state if static is None else {**state, "static": _lists(static)}


def _lists(static: object) -> Any:
    """Lists in place of tuples: files keep no tuples."""
    return [_lists(part) for part in static] if isinstance(static, tuple) else static


def _tuples(static: object) -> Any:
    return tuple([_tuples(part) for part in static]) if isinstance(static, list) else static


def _encoded_array(array: Array) -> Any:
    if array.dtype.kind != "O":
        return {"array": np.array(array)}
    texts = array.reshape(-1).tolist()
    return {
        "text": np.frombuffer(b"".join(texts), np.uint8).copy(),
        "lengths": np.array([len(text) for text in texts], np.int64),
        "shape": list(array.shape),
    }


def decoded(state: dict[str, Any], spec: Callable[[], Any]) -> Element:
    """The element that was encoded; `spec` provides the classes of named tuples, which plain values cannot carry."""
    if "namedtuple" in _kinds(state):
        return nest.pack_sequence_as(spec(), _leaves(state))
    return _decoded(state)


def _kinds(state: dict[str, Any]) -> set[str]:
    kinds = set(state)
    for key in ("tuple", "namedtuple", "values"):
        for part in state.get(key, ()):
            kinds |= _kinds(part)
    return kinds


def _leaves(state: dict[str, Any]) -> list[Any]:
    if "keys" in state:
        by_key = dict(zip(state["keys"], state["values"], strict=True))
        return [leaf for key in nest.sorted_keys(by_key) for leaf in _leaves(by_key[key])]
    for key in ("tuple", "namedtuple"):
        if key in state:
            return [leaf for part in state[key] for leaf in _leaves(part)]
    return [_decoded(state)]


def _decoded(state: dict[str, Any]) -> Any:
    if "array" in state:
        return from_array(np.asarray(state["array"])[()])
    if "text" in state:
        ends = np.cumsum(state["lengths"])
        data = np.asarray(state["text"], np.uint8).tobytes()
        flat = np.empty(len(ends), object)
        flat[:] = [data[end - length : end] for end, length in zip(ends, state["lengths"], strict=True)]
        return from_array(flat.reshape(tuple(state["shape"])))
    if "none" in state:
        return None
    if "tuple" in state:
        return tuple([_decoded(part) for part in state["tuple"]])
    if "keys" in state:
        return {key: _decoded(part) for key, part in zip(state["keys"], state["values"], strict=True)}
    if "window" in state:
        return WINDOWS[0]([_decoded(part) for part in state["window"]])
    kind = _kind_named(state["composite"])
    made = kind.built(_tuples(state.get("static")), [_decoded(part) for part in state["parts"]])
    if kind.check is not None:
        kind.check(made)
    return made


def _kind_named(name: str) -> Composite[Any]:
    if name == "SparseTensor":
        from .. import sparse  # noqa: F401  (which declares it)
    if name == "RaggedTensor":
        from .. import ragged  # noqa: F401
    kind = named(name)
    if kind is None or kind.build is None:
        raise invalid(f"The saved state holds a {name!r}, which is not known here.")
    return kind
