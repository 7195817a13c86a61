"""Several replicas: the function given to `Strategy.run` is traced once, and runs on all devices at the same time.

Each replica is given its part of a batch and computes with it alone; what replicas exchange (`all_reduce`, the gradients that an
optimizer applies) is said by name. A value of all replicas is a `PerReplica`: one tensor with a first axis for the replicas,
which lies on their devices.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograph.calls import callback
from ..base import nest
from ..base.context import STATE, scope
from ..base.errors import InvalidArgumentError, UnimplementedError, invalid
from ..base.shapes import TensorShape
from ..base.traceable import traceable
from ..base.type_spec import CompositeSpec
from ..op.call import STEPWISE
from ..ops.array.layout import concat, reshape, stack
from ..ops.math.elementwise import convert
from ..ops.math.logic import equal, select, zeros_like
from ..ops.math.reduce import reduce_mean, reduce_sum
from ..trace.abstract_tensor import NeedsValue
from ..trace.engines import engine_on_devices
from ..trace.function import RETURNED, Function, function
from ..trace.inference import Inference
from ..trace.symbolic import is_symbolic
from ..values.composite import Composite, declare
from ..values.tensor import EagerTensor, Tensor, TensorSpec, from_array, to_tensor
from ..variables.variable import VariableAggregation, VariableSynchronization
from ..xla import processes
from ..xla.names import REPLICAS
from .collectives import lay_out, replica_gather, replica_sum
from .mesh import Layout, Mesh
from .on_read import Parts, parts_of, trace_with_parts
from .strategy import DistributedValues, ReduceOp, ReplicaContext, Strategy, ValueContext, entered, reduce_op_of

# --- values of all replicas ------------------------------------------------------------------------------------------------


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


class InMerge(DistributedValues):
    """The value of each replica inside of `merge_call`, where all replicas are one program."""

    def __init__(self, value: Any, replica: OneOfReplicas) -> None:
        self.in_replica, self.replica = value, replica


# --- the program of all replicas -------------------------------------------------------------------------------------------


def replicas(one: Callable[..., Any], elements: list[Any], mesh: Mesh, touched: list[Parts]) -> list[Any]:
    """What a function gives on each device for its elements of stacked tensors, stacked.

    What it touches of variables that replicas have values of their own of, it puts into `touched`.
    """
    if STEPWISE:
        raise _looked_at()
    if STATE.replicas_run:  # a step of their function asks for values: it is interpreted, and so are they
        raise _interpreted()
    run = function(
        lambda *given: replicas(one, list(given), mesh, touched), engine=engine_on_devices(), autograph=False
    )
    with scope(replicas_run=True):
        found: list[Any] = run(*elements)
    return found


def _interpreted() -> UnimplementedError:
    return UnimplementedError(
        None,
        None,
        "The function given to `run` has a step whose result depends on values in a way that no program of all devices can have, "
        "such as a size that is computed. Do that outside of the function; `f.explain()` of a tf.function of it names the step.",
    )


def _next_in_function() -> UnimplementedError:
    return UnimplementedError(
        None,
        None,
        "The next batch of `distribute_datasets_from_function` in a traced function, in one of several processes: it has the "
        "parts of its own replicas alone. Take the batch outside, and give it to the function.",
    )


def _sizes_unknown(sizes: TensorShape) -> UnimplementedError:
    return UnimplementedError(
        None,
        None,
        f"The next batch of a distributed dataset in a traced function, of shape {sizes}: all sizes must be known there. Use "
        "batch(size, drop_remainder=True), or take the batch outside and give it to the function.",
    )


def _looked_at() -> UnimplementedError:
    return UnimplementedError(
        None,
        None,
        "A tool looks at each step of a call of `Strategy.run`, and replicas run as a whole. Use the tool on the function "
        "that is given to `run`, called by itself.",
    )


def _trace_replicas(trace: Any, one: Callable[..., Any], elements: list[Any], mesh: Mesh, touched: list[Parts]) -> Any:
    symbolic = [trace.symbolic(value) for value in elements]
    graph, _ = trace.subgraph(one, ([trace.slice_like(value) for value in symbolic],), "replica")
    symbolic += trace_with_parts(trace, graph, touched)
    return trace.step(replicas, (graph, symbolic, mesh, []), {})  # (the graph has its parts now)


def _replicas_on_abstract(
    evaluator: Any, function: Any, one: Callable[..., Any], elements: list[Any], mesh: Mesh, touched: list[Parts]
) -> list[Any]:
    if isinstance(evaluator, Inference):
        found: list[Any] = evaluator.mapped(one, elements, list)
        return found
    if evaluator.updates_in_place:
        raise NeedsValue("Replicas run on XLA.")
    _, collected = evaluator.rounds(lambda _, given: ([], list(one(given))), [], elements, mesh.size, across=mesh)
    return list(collected)


replicas.is_for_devices = True  # type: ignore[attr-defined]
replicas = traceable(replicas, always=True, on_abstract=_replicas_on_abstract, on_trace=_trace_replicas)


class Plain:
    """What a function given to `run` returns that is no tensor: a traced function gives it back as it is."""

    def __init__(self, value: object) -> None:
        self.value = value


RETURNED.append(Plain)


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (bool, int, float, complex, str, bytes))


class _Divided(BaseException):
    """A variable was read as one, and then replicas assigned it values of their own. (No error: users must not catch it.)"""


_OF_STRATEGY = "_of_strategy"  # in the `__dict__` of a variable that was made in the scope of a strategy

_FUNCTIONS = 64  # given to `run` outside of traced functions, whose programs are kept


class Replicas:
    """The replicas of a strategy."""

    def __init__(self, strategy: Strategy, devices: list[str]) -> None:
        self._strategy = weakref.ref(strategy)
        self.mesh = Mesh([REPLICAS], devices)
        self.mesh.backend  # noqa: B018 - the devices are there, or this raises
        self._reductions: dict[Any, Any] = {}
        self._traced = functools.lru_cache(_FUNCTIONS)(self._made)

    @property
    def count(self) -> int:
        """How many there are."""
        return self.mesh.size

    @property
    def local(self) -> int:
        """How many this process has."""
        return self.mesh.num_local_devices()

    def run(self, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        """What a function returns on each replica. It is traced once, as `tf.function` does."""
        if STATE.trace is None:
            with scope(seeds_as_eager=not isinstance(fn, Function)):
                returned = self._traced(fn, engine_on_devices())(tuple(args), kwargs)
                return nest.map_structure(lambda value: value.value if isinstance(value, Plain) else value, returned)
        given = (tuple(args), kwargs)
        flat = nest.flatten(given)
        own = [value.stacked for value in flat if isinstance(value, PerReplica)]
        structure: list[Any] = []

        def one(elements: list[Any]) -> list[Any]:
            number, *parts = elements
            following = iter(parts)
            filled = [next(following) if isinstance(value, PerReplica) else value for value in flat]
            args, kwargs = nest.pack_sequence_as(given, filled)
            strategy = self._strategy()
            assert strategy is not None
            with entered(strategy, OneOfReplicas(strategy, number, self, touched)):
                returned = callback(fn)(*args, **kwargs)
                structure[:] = [returned]
                results = [to_tensor(value) for value in nest.flatten(returned) if not _is_plain(value)]
            return [*results, *(to_tensor(parts.row) for parts in touched)]

        touched: list[Parts] = []
        numbers = from_array(np.arange(self.count, dtype=np.int32))
        stacked = iter(self._replicas(one, [numbers, *own], touched))
        results = nest.map_structure(
            lambda value: value if _is_plain(value) else PerReplica(next(stacked)), structure[0]
        )
        for parts, rows in zip(touched, stacked, strict=True):
            parts.collected(rows)
        return results

    def _replicas(self, one: Callable[..., Any], elements: list[Any], touched: list[Parts]) -> list[Any]:
        while True:
            try:
                found: list[Any] = replicas(one, elements, self.mesh, touched)
                return found
            except _Divided:  # begin again, now that each replica has a value of its own
                touched.clear()

    def _made(self, fn: Callable[..., Any], engine: str) -> Any:
        def run(args: Any, kwargs: Any) -> Any:
            return nest.map_structure(
                lambda value: Plain(value) if _is_plain(value) else value, self.run(fn, args, kwargs)
            )

        return function(run, engine=engine)

    def created(self, create: Callable[..., Any], **settings: Any) -> Any:
        """A variable made in the scope of the strategy: each replica has one of its own, if it is read as one only later."""
        made = create(**settings)
        made.__dict__[_OF_STRATEGY] = True
        if made._aggregation is VariableAggregation.MEAN and not made.dtype.is_differentiable:
            raise ValueError(
                "creating distributed tf.Variable with aggregation=MEAN and a non-floating dtype is not supported, please use a "
                f"different aggregation or dtype: it is {made.dtype.name}."
            )
        if STATE.trace is None:
            self.agree(made)
        if STATE.trace is None and made._synchronization is VariableSynchronization.ON_READ:
            Parts(made, made._aggregation, self.mesh, each=True)
        return made

    def values_of(self, variable: Any) -> tuple[Any, ...]:
        """What each replica of this process has of a variable."""
        parts = parts_of(variable)
        return (variable,) * self.local if parts is None else parts.values

    def stacked(self, values: list[Any]) -> PerReplica:
        """A value of all replicas, of one for each replica of this process."""
        if any(is_symbolic(value) for value in values):
            if processes.here().count > 1:
                raise _next_in_function()
            if not all(to_tensor(value).shape.is_fully_defined() for value in values):
                raise _sizes_unknown(to_tensor(values[0]).shape)
            return self._laid_out_later(stack.public(values, 0))
        arrays = [np.asarray(to_tensor(value)) for value in values]
        shapes = dict.fromkeys(array.shape for array in arrays)
        if len(shapes) > 1:
            raise invalid(
                f"The values of replicas must have one shape, got {', '.join(map(str, shapes))}. Use batches of one size: "
                "`dataset.batch(size, drop_remainder=True)`."
            )
        if processes.here().count == 1:
            return self.laid_out(np.stack(arrays))
        from ..xla import sharding

        layout = Layout.batch_sharded(self.mesh, REPLICAS, arrays[0].ndim + 1)
        return PerReplica(sharding.from_process(np.stack(arrays), layout.sharding))

    def spec(self, one: Any, each: bool) -> PerReplicaSpec:
        """What the parts of a tensor look like, of which each replica gets one, or an equal share."""
        sizes = tuple(one.shape)
        rows = sizes if each else (None if sizes[0] is None else sizes[0] // self.count, *sizes[1:])
        return PerReplicaSpec(TensorSpec((self.count, *rows), one.dtype))

    def split(self, value: Any) -> PerReplica:
        """A batch in equal parts."""
        tensor = to_tensor(value)
        if is_symbolic(tensor):  # the next batch of an iterator, in a function
            sizes = tensor.shape.as_list()
            if not sizes or (sizes[0] is not None and sizes[0] % self.count):
                raise self._uneven(tuple(sizes))
            if None in sizes:
                raise _sizes_unknown(tensor.shape)
            parts = [self.count, sizes[0] // self.count, *sizes[1:]]
            return self._laid_out_later(reshape.public(tensor, parts))
        array = np.asarray(tensor)
        if not array.ndim or array.shape[0] % self.count:
            raise self._uneven(array.shape)
        return self.laid_out(array.reshape(self.count, array.shape[0] // self.count, *array.shape[1:]))

    def _uneven(self, shape: tuple[Any, ...]) -> InvalidArgumentError:
        return invalid(
            f"A batch of shape {shape} cannot be shared out to {self.count} replicas in equal parts. Make batches "
            f"whose size is a multiple of {self.count}, with drop_remainder=True, or pad the last one."
        )

    def _laid_out_later(self, stacked: Any) -> PerReplica:
        """A value of all replicas, of values stacked that are known when a function runs."""
        layout = Layout.batch_sharded(self.mesh, REPLICAS, stacked.shape.rank)
        return PerReplica(lay_out.public(stacked, layout=layout))

    def laid_out(self, array: np.ndarray) -> PerReplica:
        """A value of all replicas, of the values stacked."""
        from ..xla import sharding

        layout = Layout.batch_sharded(self.mesh, REPLICAS, array.ndim)
        return PerReplica(sharding.laid_out(from_array(array), layout.sharding))

    def reduce(self, reduce_op: ReduceOp | str, value: Any, axis: int | None) -> Any:
        """The values of all replicas as one."""
        kind = reduce_op_of(reduce_op)
        combine = reduce_sum.public if kind is ReduceOp.SUM else reduce_mean.public

        def one(item: Any) -> Any:
            if isinstance(item, InMerge):
                within = item.in_replica if axis is None else combine(item.in_replica, axis)
                return item.replica.all_reduce(kind, within)
            if (parts := parts_of(item)) is not None:
                item = PerReplica(to_tensor(parts.rows))
            if not isinstance(item, PerReplica):
                if kind is ReduceOp.MEAN or (isinstance(item, (int, float)) and item == 0):
                    return to_tensor(item) if axis is None else combine(to_tensor(item), axis)
                raise ValueError(
                    f"A non-DistributedValues value {item!r} cannot be reduced with the given reduce op {kind}. Reduce what "
                    "`run` returns."
                )
            if kind is ReduceOp.MEAN and item.dtype.is_integer:
                item = PerReplica(convert.public(item.stacked, dtype=np.dtype(np.float64)))
            rank = len(item.shape)
            if axis is not None and not -rank <= axis < rank:
                raise ValueError(f"reduce: there is no axis {axis} in a value of shape {item.shape}. Use axis=None.")
            over = 0 if axis is None else (0, axis % rank + 1)
            if isinstance(item.stacked, EagerTensor) and processes.here().count > 1:  # no process has all of it
                return self._on_all(combine, over)(item.stacked)
            return combine(item.stacked, over)

        return nest.map_structure(one, value)

    def _on_all(self, combine: Callable[..., Any], over: Any) -> Any:
        """A reduction whose result is whole on each device."""

        def reduced(stacked: Any) -> Any:
            result = combine(stacked, over)
            return lay_out.public(result, layout=Layout.replicated(self.mesh, result.shape.rank))

        key = combine, over, engine_on_devices()
        if key not in self._reductions:
            self._reductions[key] = function(reduced, engine=engine_on_devices(), autograph=False)
        return self._reductions[key]

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas one after the other."""

        def one(item: Any) -> Any:
            if isinstance(item, InMerge):
                return item.replica.all_gather(item.in_replica, axis)
            stacked = item.stacked if isinstance(item, PerReplica) else stack.public([to_tensor(item)] * self.count, 0)
            if isinstance(stacked, EagerTensor) and processes.here().count > 1:
                return self._on_all(_one_after_the_other, axis)(stacked)
            return _one_after_the_other(stacked, axis)

        return nest.map_structure(one, value)

    def agree(self, variable: Any) -> None:
        """Give a variable the value that the first process has: it must be the same in all."""
        if processes.here().count > 1:
            from ..xla import together

            variable._store(together.same_for_all(np.asarray(variable._value)))

    def distributed(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        """Values of a function that is called for each replica."""
        first = processes.here().number * self.local
        made = [value_fn(ValueContext(first + number, self.count)) for number in range(self.local)]
        return nest.map_structure(lambda *values: self.stacked(list(values)), *made)


def _one_after_the_other(stacked: Any, axis: int) -> Any:
    """The values of all replicas along one of their axes."""
    rank = len(stacked.shape) - 1
    if not -rank <= axis < rank:
        raise invalid(f"gather: there is no axis {axis} in values of shape {tuple(stacked.shape[1:])}.")
    return concat.public([stacked[number] for number in range(stacked.shape[0])], axis)


# --- what a replica sees ---------------------------------------------------------------------------------------------------


class OneOfReplicas(ReplicaContext):
    """The context of a function that all replicas run: `replica_id_in_sync_group` is a tensor."""

    def __init__(self, strategy: Strategy, number: Any, group: Replicas, touched: list[Parts]) -> None:
        super().__init__(strategy, number)
        self._group, self._touched = group, touched
        self._read: set[int] = set()  # variables that were read as one

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._group.count

    def all_reduce(self, reduce_op: ReduceOp | str, value: Any, options: object = None) -> Any:
        """The sum or mean over all replicas; its gradient is the same of the gradients."""
        kind = reduce_op_of(reduce_op)

        def one(item: Any) -> Any:
            total = replica_sum.public(to_tensor(item), self.replica_id_in_sync_group)
            return total if kind is ReduceOp.SUM else total / self._group.count

        return nest.map_structure(one, value)

    def all_gather(self, value: Any, axis: int, options: object = None) -> Any:
        """The values of all replicas one after the other along `axis`."""

        def one(item: Any) -> Any:
            tensor = to_tensor(item)
            if tensor.shape.rank == 0:
                raise invalid("all_gather: a scalar has no axis. Use tf.expand_dims, or all_reduce.")
            number = self.replica_id_in_sync_group
            return replica_gather.public(tensor, number, axis=axis, count=self._group.count)

        return nest.map_structure(one, value)

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        """Call `merge_fn(strategy, *args)` in the cross-replica context, with values of all replicas."""

        def inside(item: Any) -> Any:
            return InMerge(item, self) if isinstance(item, Tensor) else item

        args, kwargs = nest.map_structure(inside, (tuple(args), kwargs or {}))
        with entered(self._strategy, None):
            returned = callback(merge_fn)(self._strategy, *args, **kwargs)
        return nest.map_structure(lambda item: item.in_replica if isinstance(item, InMerge) else item, returned)

    def agreed(
        self, variable: Any, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """What all replicas together give a variable, as its aggregation says; one of their own is changed by each alone."""
        if method not in ("assign", "assign_add", "assign_sub"):
            raise UnimplementedError(
                None, None, f"{variable.name}: {method} in a replica. Use assign, assign_add or assign_sub."
            )
        if any(variable is parts.row for parts in self._touched):
            return variable, args, kwargs
        kind, when = _settings(variable)
        has_own = when is VariableSynchronization.ON_READ or parts_of(variable) is not None
        if has_own or (kind is VariableAggregation.NONE and _OF_STRATEGY in variable.__dict__):
            return self._row(variable, kind), args, kwargs
        name = "delta" if method != "assign" and "delta" in kwargs else "value"
        value = to_tensor(args[0] if args else kwargs[name], variable.dtype)
        # One that the strategy knows nothing of is assigned by one replica after the other.
        last = kind is VariableAggregation.NONE and method == "assign"
        if last or kind is VariableAggregation.ONLY_FIRST_REPLICA:
            chosen = equal.public(self.replica_id_in_sync_group, self._group.count - 1 if last else 0)
            total = self.all_reduce(ReduceOp.SUM, select.public(chosen, value, zeros_like.public(value)))
        else:
            total = self.all_reduce(ReduceOp.MEAN if kind is VariableAggregation.MEAN else ReduceOp.SUM, value)
        return (variable, (total, *args[1:]), kwargs) if args else (variable, (), {**kwargs, name: total})

    def own(self, variable: Any) -> Any:
        """The variable with this replica's value of one that is read as one only outside."""
        kind, when = _settings(variable)
        if when is not VariableSynchronization.ON_READ and parts_of(variable) is None:
            self._read.add(variable._id)
            return variable
        return self._row(variable, kind)

    def _row(self, variable: Any, kind: VariableAggregation) -> Any:
        """The variable with this replica's value, of one that gets values of its own in each replica where it has none yet."""
        parts = parts_of(variable)
        if parts is None or parts.mesh is not self._group.mesh:
            parts = Parts(variable, kind, self._group.mesh)
            if variable._id in self._read:
                raise _Divided
        if parts not in self._touched:
            self._touched.append(parts)
        return parts.row


def _settings(variable: Any) -> tuple[VariableAggregation, VariableSynchronization]:
    """How replicas of a variable are brought together, and when. Keras has words for it.

    State of Keras's that is not trained and says nothing (seeds) is the same in all replicas, so that the first one will do.
    """
    kind, when = variable._aggregation, variable._synchronization
    if isinstance(kind, str):
        kind = VariableAggregation[kind.upper()]
        if kind is VariableAggregation.NONE and not variable.trainable:
            kind = VariableAggregation.ONLY_FIRST_REPLICA
    return kind, VariableSynchronization[when.upper()] if isinstance(when, str) else when
