"""Composite tensors: values made of several tensors, such as ragged and sparse ones. A kind of them is declared once.

The engine knows no kind by name. Wherever a kind makes a difference (ops, tapes, traces, datasets, structures, conversion to
one tensor), it asks the `Composite` that was declared for the class of the value: see docs/design/composites.md.

    declare(
        Composite(
            Masked,
            components=lambda m: [m.values, m.mask],
            build=lambda static, parts: Masked(*parts),
            spec=MaskedSpec,
        )
    )
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from ..base.type_spec import CompositeSpec

if TYPE_CHECKING:
    from ..op.declaration import Op
    from .tensor import Tensor

T = TypeVar("T")

# A tensor, another composite, or what stands for a tensor: a spec, the number of a value of a graph.
Component: TypeAlias = Any
Run: TypeAlias = "Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]"
Solid: TypeAlias = Callable[[Any, int], Any]  # makes a concrete tensor of a component with a known shape only


@dataclass(frozen=True, slots=True, eq=False)
class Rows(Generic[T]):
    """How values of a kind are taken apart along the first axis and put together again, for batches and `tf.map_fn`."""

    count: Callable[[T], int]
    at: Callable[[T, int], Any]  # a row may be a plain tensor
    stack: Callable[[Sequence[Any]], T]


@dataclass(frozen=True, slots=True, eq=False)
class Values(Generic[T]):
    """The tensor that has the elements: what tapes follow. All other components say where the elements stand."""

    of: Callable[[T], Tensor]
    put: Callable[[T, Any], T]  # the same with other elements
    complete: bool = False  # whether no element is left out, as zeros of a sparse tensor are
    followed: bool = False  # whether it is a target and a source of gradients; the gradient is one of the kind


@dataclass(frozen=True, slots=True, eq=False)
class Gradients(Generic[T]):
    """A kind whose gradient is taken of all its tensors at once, where `Values` has one that counts."""

    of: Callable[[T], list[Any]]
    put: Callable[[T, list[Any]], T | None]  # the gradient, of those of the tensors, of which some may be None


def _nothing(value: object) -> None:
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Composite(Generic[T]):
    """What the engine knows of one kind. Everything but the class may be left out: the kind then cannot do it."""

    cls: type[T]

    # What a value is made of: tensors (or other composites), and static parts of its type. `build` also takes stand-ins for
    # tensors, and checks nothing. A kind without components is one object for a trace, and its methods are steps.
    components: Callable[[T], list[Component]] | None = None
    build: Callable[[Any, list[Component]], T] | None = None
    static: Callable[[T], Hashable] = _nothing
    check: Callable[[T], Any] | None = None  # raises where the components, read from a file, do not go together
    fixed: tuple[int, ...] = ()  # components, by number, whose values belong to the type: a function is traced for each
    spec: type[CompositeSpec] | None = None

    # Ops: `run` is called for every op with such an operand.
    run: Run | None = None
    values: Values[T] | None = None
    gradients: Gradients[T] | None = None
    dense: Callable[[T], Tensor] | None = None  # the same elements in one tensor
    converts: bool = False  # whether it is converted to a dense tensor implicitly
    add: Callable[[T, T], T] | None = None  # the sum of two, where a tape adds cotangents of the kind

    rows: Rows[T] | None = None
    is_tensor: bool = True  # whether `tf.is_tensor` says so

    # For tracing: `facade` has the methods as steps. For shape inference: `abstract` does without positions, `stand_in` gives
    # a value with concrete tensors in place of abstract ones. It is called twice, with 0 and 1 for values as different as the
    # shapes allow, and with the function that makes a tensor concrete.
    facade: type[Any] | None = None
    abstract: type[Any] | None = None
    stand_in: Callable[[T, int, Solid], T] | None = None

    @property
    def name(self) -> str:
        """What the kind is called in files."""
        return self.cls.__name__

    def parts(self, value: T) -> list[Component]:
        """The components; none of a kind that is one object."""
        return [] if self.components is None else self.components(value)

    def rebuilt(self, value: T, parts: list[Component]) -> T:
        """A value like this one, of other components."""
        return self.built(self.static(value), parts)

    def built(self, static: object, parts: list[Component]) -> T:
        """A value of these components."""
        assert self.build is not None, f"{self.name} has no components"
        return self.build(static, parts)


COMPOSITES: dict[type, Composite[Any]] = {}

# Plain values that stand for composites (TensorFlow 1's `SparseTensorValue`), with what makes a composite of one.
STANDING_FOR: dict[type, Callable[[Any], Any]] = {}

# Those that ops run on. (Empty until a program uses one: what is asked on the general path of every op.)
OPERANDS: dict[type, Run] = {}


def declare(composite: Composite[Any]) -> None:
    """Make a kind known."""
    if (composite.components is None) != (composite.build is None):
        raise ValueError(f"{composite.name}: `components` and `build` go together.")
    if composite.cls in COMPOSITES:
        raise ValueError(f"{composite.name} was declared before.")
    for cls in (composite.cls, composite.facade, composite.abstract):
        if cls is not None:
            COMPOSITES[cls] = composite
    if composite.run is not None:
        OPERANDS[composite.cls] = composite.run


def is_composite(value: object) -> bool:
    """Whether a value is made of tensors."""
    kind = COMPOSITES.get(value.__class__)
    return kind is not None and kind.components is not None


def named(name: str) -> Composite[Any] | None:
    """The kind of this name that was declared last."""
    return next((kind for kind in reversed(COMPOSITES.values()) if kind.name == name), None)


def expanded(value: object) -> list[Any]:
    """The tensors a value is made of, also by way of other composites; the specs of them, for a spec; else the value alone.

    >>> expanded(tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([2])))[1].numpy()
    array([2], dtype=int32)
    """
    if is_composite(value):
        parts = COMPOSITES[value.__class__].parts(value)
    elif isinstance(value, CompositeSpec):
        parts = value._component_specs
    else:
        return [value]
    return [tensor for part in parts for tensor in expanded(part)]


def complete_values(value: object) -> Values[Any] | None:
    """How to get at all elements of a value that is a composite of such a kind (a ragged tensor); None for all else."""
    kind = COMPOSITES.get(value.__class__)
    return kind.values if kind is not None and kind.values is not None and kind.values.complete else None
