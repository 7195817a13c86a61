"""Values of all replicas: parts of one shape are one tensor, with a first axis for the replicas; others stay as they are."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.errors import invalid
from ..base.shapes import TensorShape
from ..base.traceable import traceable
from ..base.type_spec import CompositeSpec, TypeSpec
from ..data.structure import spec_of, with_shape
from ..ops.array.layout import concat, stack
from ..ops.math.conversion import convert
from ..ops.math.logic import ones_like
from ..ops.math.reduce import reduce_mean, reduce_sum
from ..trace.abstract_tensor import NeedsValue
from ..trace.host_calls import fitting
from ..trace.inference import Inference
from ..values.composite import Composite, declare
from ..values.tensor import EagerTensor, TensorSpec, to_tensor
from ..xla import processes
from .strategy import DistributedValues


class PerReplica(DistributedValues):
    """A value of each replica; `strategy.experimental_local_results` gives them as a tuple."""

    def __init__(self, stacked: Any) -> None:
        self.stacked = stacked

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of the replicas of this process, in their order."""
        if isinstance(self.stacked, EagerTensor) and processes.here().count > 1:
            from ..xla import sharding

            return tuple(to_tensor(part[0]) for part in sharding.shards_of(self.stacked))
        return tuple(self.stacked[number] for number in range(self.stacked.shape[0]))

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self.stacked.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the value of one replica."""
        return TensorShape(self.stacked.shape)[1:]

    def reduced(self, is_sum: bool, axis: int | None) -> Any:
        """The values of all replicas as one: their sum or mean, over an axis too where one is given."""
        stacked = self.stacked
        if not is_sum and self.dtype.is_integer:
            stacked = convert.public(stacked, dtype=np.dtype(np.float64))
        over = 0 if axis is None else (0, axis % len(self.shape) + 1)
        return (reduce_sum if is_sum else reduce_mean).public(stacked, over)

    def joined(self, axis: int) -> Any:
        """The values of all replicas along one of their axes."""
        return concat.public([self.stacked[number] for number in range(self.stacked.shape[0])], axis)

    def __repr__(self) -> str:
        values = ",\n".join(f"  {number}: {value!r}" for number, value in enumerate(self.values))
        return f"PerReplica:{{\n{values}\n}}"


class PerReplicaSpec(CompositeSpec):
    """What a value of all replicas looks like."""

    value_type = PerReplica

    def __init__(self, spec: TensorSpec) -> None:
        self._spec = spec

    @classmethod
    def from_value(cls, value: PerReplica) -> PerReplicaSpec:
        """The spec of an existing value."""
        return cls(TensorSpec(value.stacked.shape, value.stacked.dtype))

    @property
    def _component_specs(self) -> list[Any]:
        return [self._spec]

    def _from_components(self, components: Any) -> PerReplica:
        return PerReplica(components[0])

    def _with_changed_shape(self, change: Callable[[TensorShape], Any]) -> PerReplicaSpec:
        return PerReplicaSpec(TensorSpec(change(self._spec.shape), self._spec.dtype))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or all that another spec describes, fits."""
        other = spec_or_value if isinstance(spec_or_value, PerReplicaSpec) else None
        if isinstance(spec_or_value, PerReplica):
            other = PerReplicaSpec.from_value(spec_or_value)
        return other is not None and self._spec.is_compatible_with(other._spec)

    def most_specific_compatible_type(self, other: Any) -> PerReplicaSpec:
        """The narrowest spec that covers both."""
        return PerReplicaSpec(self._spec.most_specific_compatible_type(other._spec))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PerReplicaSpec) and self._spec == other._spec

    def __hash__(self) -> int:
        return hash(self._spec)

    def __repr__(self) -> str:
        return f"PerReplicaSpec({self._spec!r})"


declare(
    Composite(
        PerReplica,
        components=lambda value: [value.stacked],
        build=lambda _, parts: PerReplica(parts[0]),
        spec=PerReplicaSpec,
    )
)


class Apart(PerReplica):
    """Values of replicas that are not one tensor: of several shapes, or made of several tensors each."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = tuple(parts)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of the replicas, in their order."""
        return self.parts

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self.parts[0].dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the value of one replica, as far as it is the same for all."""
        return TensorShape(ApartSpec.from_value(self).one.shape)

    @property
    def stacked(self) -> Any:
        """The values along a new first axis, if they have one shape."""
        shapes = dict.fromkeys(tuple(part.shape) for part in self.parts)
        if len(shapes) > 1:
            raise invalid(
                f"The values of replicas have several shapes, {', '.join(map(str, shapes))}: they are not one tensor. Reduce "
                "them along an axis, or gather them."
            )
        return stack.public(list(self.parts), 0)

    def reduced(self, is_sum: bool, axis: int | None) -> Any:
        """The values of all replicas as one: their sum or mean, over an axis too where one is given."""
        if axis is None:
            return PerReplica(self.stacked).reduced(is_sum, None)
        parts = self.parts
        if not is_sum and self.dtype.is_integer:
            parts = tuple(convert.public(part, dtype=np.dtype(np.float64)) for part in parts)
        totals, counts = (
            functools.reduce(operator.add, [reduce_sum.public(part, axis) for part in given])
            for given in (parts, list(map(ones_like.public, parts)))
        )
        return totals if is_sum else totals / counts

    def joined(self, axis: int) -> Any:
        """The values of all replicas along one of their axes."""
        return concat.public(list(self.parts), axis)


class ApartSpec(CompositeSpec):
    """What values of replicas look like that are not one tensor."""

    value_type = Apart

    def __init__(self, specs: Sequence[TypeSpec]) -> None:
        self._specs = tuple(specs)

    @classmethod
    def from_value(cls, value: Apart) -> ApartSpec:
        """The spec of existing values."""
        return cls([part if isinstance(part, TypeSpec) else spec_of(part) for part in value.parts])

    @property
    def one(self) -> Any:
        """What the value of any replica looks like."""
        return functools.reduce(lambda a, b: a.most_specific_compatible_type(b), self._specs)

    @property
    def _component_specs(self) -> list[Any]:
        return list(self._specs)

    def _from_components(self, components: Any) -> Apart:
        return Apart(components)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether values, or all that another spec describes, fit."""
        other = spec_or_value
        if isinstance(other, PerReplica):
            other = ApartSpec.from_value(self._fitted(other))
        if not isinstance(other, ApartSpec) or len(other._specs) != len(self._specs):
            return False
        return all(own.is_compatible_with(theirs) for own, theirs in zip(self._specs, other._specs, strict=True))

    def most_specific_compatible_type(self, other: Any) -> ApartSpec:
        """The narrowest spec that covers both."""
        pairs = zip(self._specs, other._specs, strict=True)
        return ApartSpec([own.most_specific_compatible_type(theirs) for own, theirs in pairs])

    def _fitted(self, value: PerReplica) -> Apart:
        """The values apart, also where they are one tensor."""
        return value if isinstance(value, Apart) else Apart(value.values)

    def _with_changed_shape(self, change: Callable[[TensorShape], Any]) -> ApartSpec:
        return ApartSpec([with_shape(spec, change) for spec in self._specs])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ApartSpec) and self._specs == other._specs

    def __hash__(self) -> int:
        return hash(self._specs)

    def __repr__(self) -> str:
        return f"PerReplicaSpec({', '.join(map(repr, self._specs))})"


declare(
    Composite(
        Apart,
        components=lambda value: list(value.parts),
        build=lambda _, parts: Apart(parts),
        spec=ApartSpec,
    )
)


def elements_of(value: PerReplica) -> Any:
    """Of what replicas get one element each: the stacked tensor, or the values where there is none."""
    return value if isinstance(value, Apart) else value.stacked


def per_replica(elements: object) -> PerReplica:
    """The values of all replicas, of a stacked tensor or of a list with one for each."""
    return Apart(elements) if isinstance(elements, (list, tuple)) else PerReplica(elements)


def rows_of(batch: Any, count: int) -> list[Any]:
    """A batch in parts as TensorFlow cuts it: the first ones are equal, the last ones may have fewer rows, or none."""
    if hasattr(batch, "dense_shape"):
        from ..sparse import slice as rows_between

        rows, more = int(batch.dense_shape[0]), [int(size) for size in batch.dense_shape[1:]]
        each = -(-rows // count)
        return [rows_between(batch, [number * each, *[0] * len(more)], [each, *more]) for number in range(count)]
    rows = int(batch.nrows()) if hasattr(batch, "nrows") else batch.shape[0]
    each = -(-rows // count)
    return [batch[number * each : (number + 1) * each] for number in range(count)]


def _rows_on_abstract(evaluator: object, function: object, batch: object, count: int) -> list[Any]:
    if not isinstance(evaluator, Inference):
        raise NeedsValue("How many rows a batch has is known when it is there.")
    return [fitting(evaluator, without_rows(spec_of(batch)))] * count


def without_rows(spec: object) -> Any:
    """A spec of as many rows as there may be."""
    return with_shape(spec, lambda shape: shape[:0].concatenate([None]).concatenate(shape[1:]))


rows_of = traceable(rows_of, pure=True, on_abstract=_rows_on_abstract)
