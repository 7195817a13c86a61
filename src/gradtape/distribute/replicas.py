"""Several replicas: the function given to `Strategy.run` is traced once, and runs on all devices at the same time.

Each replica is given its part of a batch and computes with it alone; what replicas exchange (`all_reduce`, the gradients that an
optimizer applies) is said by name. A value of all replicas is a `PerReplica`: one tensor with a first axis for the replicas,
which lies on their devices.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..autograph.calls import callback
from ..base import nest
from ..base.context import STATE, scope
from ..base.errors import InvalidArgumentError, UnimplementedError, invalid
from ..base.shapes import TensorShape
from ..ops.array.layout import reshape, stack
from ..ops.math.logic import equal, select, zeros_like
from ..ops.math.reduce import reduce_mean, reduce_sum
from ..trace.engines import engine_on_devices
from ..trace.function import EAGERLY, RETURNED, Function, function
from ..trace.sameness import Recordings
from ..trace.symbolic import is_symbolic
from ..values.composite import COMPOSITES, expanded, is_composite
from ..values.tensor import EagerTensor, IndexedSlices, Tensor, TensorSpec, from_array, to_tensor
from ..variables.variable import VariableAggregation, VariableSynchronization
from ..xla import processes
from ..xla.names import REPLICAS
from .collectives import lay_out, replica_gather, replica_sum
from .mesh import Layout, Mesh
from .on_read import Parts, parts_of
from .per_replica import Apart, ApartSpec, PerReplica, PerReplicaSpec, elements_of, per_replica, rows_of, without_rows
from .program import Way, replicas
from .strategy import DistributedValues, ReduceOp, ReplicaContext, Strategy, ValueContext, entered, reduce_op_of


class InMerge(DistributedValues):
    """The value of each replica inside of `merge_call`, where all replicas are one program."""

    def __init__(self, value: Any, replica: OneOfReplicas) -> None:
        self.in_replica, self.replica = value, replica


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


class Plain:
    """What a function given to `run` returns that is no tensor: a traced function gives it back as it is."""

    def __init__(self, value: object) -> None:
        self.value = value


RETURNED.append(Plain)


def _is_known(value: Any) -> bool:
    return not is_composite(value) and to_tensor(value).shape.is_fully_defined()


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (bool, int, float, complex, str, bytes))


def _collected(value: Any, found: Iterator[Any]) -> Any:
    """The values of all replicas, of what one of them has returned and of what was found for its tensors."""
    if not is_composite(value):
        return value if _is_plain(value) else per_replica(next(found))
    parts = [per_replica(next(found)).values for part in expanded(value) if not _is_plain(part)]
    return Apart([_rebuilt(value, iter(own)) for own in zip(*parts, strict=True)])


def _rebuilt(value: Any, tensors: Iterator[Any]) -> Any:
    """A value like this one, made of other tensors."""
    if not is_composite(value):
        return value if _is_plain(value) else next(tensors)
    kind = COMPOSITES[value.__class__]
    return kind.rebuilt(value, [_rebuilt(part, tensors) for part in kind.parts(value)])


class _Divided(BaseException):
    """A variable was read as one, and then replicas assigned it values of their own. (No error: users must not catch it.)"""


_OF_STRATEGY = "_of_strategy"  # in the `__dict__` of a variable that was made in the scope of a strategy

_PROGRAMS = 64  # of functions given to `run` outside of traced functions, that are kept


class Replicas:
    """The replicas of a strategy."""

    def __init__(self, strategy: Strategy, devices: list[str]) -> None:
        self._strategy = weakref.ref(strategy)
        self.mesh = Mesh([REPLICAS], devices)
        self.mesh.backend  # noqa: B018 - the devices are there, or this raises
        self._reductions: dict[Any, Any] = {}
        self._of_functions = functools.lru_cache(_PROGRAMS)(self._made)
        self._recordings = Recordings(_PROGRAMS)

    @property
    def count(self) -> int:
        """How many there are."""
        return self.mesh.size

    @property
    def local(self) -> int:
        """How many this process has."""
        return self.mesh.num_local_devices()

    def run(self, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        """What a function returns on each replica. A `tf.function` is recorded once, a Python function with each call."""
        if STATE.trace is None:
            if not isinstance(fn, Function) or EAGERLY.on:
                return self._run_as_recorded_now(fn, tuple(args), kwargs)
            returned = self._of_functions(fn, engine_on_devices())(tuple(args), kwargs)
            return nest.map_structure(lambda value: value.value if isinstance(value, Plain) else value, returned)
        given = (tuple(args), kwargs)
        flat = nest.flatten(given)
        own = [elements_of(value) for value in flat if isinstance(value, PerReplica)]
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
                values = [part for value in nest.flatten(returned) for part in expanded(value)]
                results = [to_tensor(value) for value in values if not _is_plain(value)]
            return [*results, *(to_tensor(parts.row) for parts in touched)]

        way = Way()
        touched = way.touched
        numbers = from_array(np.arange(self.count, dtype=np.int32))
        found = iter(self._replicas(one, [numbers, *own], way))
        results = nest.map_structure(lambda value: _collected(value, found), structure[0])
        for parts, rows in zip(touched, found, strict=True):
            parts.collected(per_replica(rows).stacked)
        return results

    def _replicas(self, one: Callable[..., Any], elements: list[Any], way: Way) -> list[Any]:
        while True:
            try:
                found: list[Any] = replicas(one, elements, self.mesh, way)
                return found
            except _Divided:  # begin again, now that each replica has a value of its own
                way.touched.clear()

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

    def _run_as_recorded_now(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a Python function as it is now: its values may be others than at the call before, and so may its program."""
        returned: list[Any] = []

        def run(args: Any, kwargs: Any) -> Any:
            returned[:] = [self.run(fn, args, kwargs)]
            return [value for value in nest.flatten(returned[0]) if not _is_plain(value)]

        recorded = function(run, engine=engine_on_devices()).get_concrete_function(args, kwargs)
        with scope(seeds_as_eager=True):
            found = iter(self._recordings.known(recorded).run(recorded.tensors_of((args, kwargs), {})))
        return nest.map_structure(lambda value: value if _is_plain(value) else next(found), returned[0])

    def values_of(self, variable: Any) -> tuple[Any, ...]:
        """What each replica of this process has of a variable."""
        parts = parts_of(variable)
        return (variable,) * self.local if parts is None else parts.values

    def stacked(self, values: list[Any]) -> PerReplica:
        """A value of all replicas, of one for each replica of this process."""
        if any(map(is_symbolic, values)):
            if processes.here().count > 1:
                raise _next_in_function()
            if all(map(_is_known, values)) and len({tuple(value.shape) for value in values}) == 1:
                return self._laid_out_later(stack.public(values, 0))
            return Apart(values)
        if any(map(is_composite, values)):
            return self._apart(Apart(values))
        arrays = [np.asarray(to_tensor(value)) for value in values]
        shapes = dict.fromkeys(array.shape for array in arrays)
        if len(shapes) > 1:
            if processes.here().count == 1:
                return Apart(values)
            raise invalid(
                f"The values of replicas must have one shape, got {', '.join(map(str, shapes))}. Use batches of one size: "
                "`dataset.batch(size, drop_remainder=True)`."
            )
        if processes.here().count == 1:
            return self.laid_out(np.stack(arrays))
        from ..xla import sharding

        layout = Layout.batch_sharded(self.mesh, REPLICAS, arrays[0].ndim + 1)
        return PerReplica(sharding.from_process(np.stack(arrays), layout.sharding))

    def spec(self, one: Any, each: bool) -> PerReplicaSpec | ApartSpec:
        """What the parts of what the spec describes look like, of which each replica gets one, or an equal share."""
        sizes = one.shape.as_list() if isinstance(one, TensorSpec) and one.shape.rank else None
        is_even = sizes is not None and sizes[0] is not None and (each or not sizes[0] % self.count)
        if sizes is None or (not is_even and processes.here().count == 1):
            rows = one if each else without_rows(one)
            return ApartSpec([rows] * self.count)
        if not each:
            sizes = [None if sizes[0] is None else sizes[0] // self.count, *sizes[1:]]
        return PerReplicaSpec(TensorSpec([self.count, *sizes], one.dtype))

    def split(self, value: Any) -> PerReplica:
        """A batch in equal parts."""
        if is_composite(value):
            return self._apart(Apart(rows_of(value, self.count)))
        tensor = to_tensor(value)
        if tensor.shape.rank == 0:
            raise self._uneven(())
        if is_symbolic(tensor):  # the next batch of an iterator, in a function
            if tensor.shape.is_fully_defined() and not tensor.shape[0] % self.count:
                sizes = tensor.shape.as_list()
                parts = [self.count, sizes[0] // self.count, *sizes[1:]]
                return self._laid_out_later(reshape.public(tensor, parts))
            if processes.here().count > 1:
                raise _sizes_unknown(tensor.shape)
            return Apart(rows_of(tensor, self.count))
        array = np.asarray(tensor)
        if array.shape[0] % self.count:
            if processes.here().count > 1:
                raise self._uneven(array.shape)
            return Apart(rows_of(tensor, self.count))
        return self.laid_out(array.reshape(self.count, array.shape[0] // self.count, *array.shape[1:]))

    def _uneven(self, shape: tuple[Any, ...]) -> InvalidArgumentError:
        return invalid(
            f"A batch of shape {shape} cannot be shared out to {self.count} replicas in equal parts. Make batches "
            f"whose size is a multiple of {self.count}, with drop_remainder=True, or pad the last one."
        )

    def _apart(self, parts: Apart) -> Apart:
        """Parts that are made of several tensors."""
        if processes.here().count > 1:
            raise UnimplementedError(
                None, None, "Values made of several tensors (ragged, sparse) cannot be shared out to several processes."
            )
        return parts

    def _laid_out_later(self, stacked: Any) -> PerReplica:
        """A value of all replicas, of values stacked that are known when a function runs."""
        layout = Layout.batch_sharded(self.mesh, REPLICAS, stacked.shape.rank)
        return PerReplica(lay_out.public(stacked, layout=layout))

    def laid_out(self, array: np.ndarray) -> PerReplica:
        """A value of all replicas, of the values stacked."""
        from ..xla import sharding

        if array.dtype.kind == "O":  # (text is on no device)
            return PerReplica(from_array(array))
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
            rank = len(item.shape)
            if axis is not None and not -rank <= axis < rank:
                raise ValueError(f"reduce: there is no axis {axis} in a value of shape {item.shape}. Use axis=None.")
            if processes.here().count > 1 and isinstance(item.stacked, EagerTensor):  # no process has all of it
                return self._on_all("reduced", kind is ReduceOp.SUM, axis)(item.stacked)
            return item.reduced(kind is ReduceOp.SUM, axis)

        return nest.map_structure(one, value)

    def _on_all(self, method: str, *how: Any) -> Any:
        """A reduction whose result is whole on each device."""

        def reduced(stacked: Any) -> Any:
            result = getattr(PerReplica(stacked), method)(*how)
            return lay_out.public(result, layout=Layout.replicated(self.mesh, result.shape.rank))

        key = method, how, engine_on_devices()
        if key not in self._reductions:
            self._reductions[key] = function(reduced, engine=engine_on_devices(), autograph=False)
        return self._reductions[key]

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas one after the other."""

        def one(item: Any) -> Any:
            if isinstance(item, InMerge):
                return item.replica.all_gather(item.in_replica, axis)
            if not isinstance(item, PerReplica):
                item = PerReplica(stack.public([to_tensor(item)] * self.count, 0))
            rank = len(item.shape)
            if not -rank <= axis < rank:
                raise invalid(f"gather: there is no axis {axis} in values of shape {item.shape}.")
            if processes.here().count > 1 and isinstance(item.stacked, EagerTensor):
                return self._on_all("joined", axis)(item.stacked)
            return item.joined(axis)

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
        if any(variable is parts.row for parts in self._touched):
            return variable, args, kwargs
        kind, when = _settings(variable)
        has_own = when is VariableSynchronization.ON_READ or parts_of(variable) is not None
        if has_own or (kind is VariableAggregation.NONE and _OF_STRATEGY in variable.__dict__):
            return self._row(variable, kind), args, kwargs
        if method == "_assign_part":
            key, value, how = args
            return variable, (key, self._chosen(to_tensor(value, variable.dtype), kind, how == "assign"), how), kwargs
        if method.startswith("scatter_"):
            slices, *rest = args or (kwargs.pop("sparse_delta"),)
            return variable, (self._all_rows(slices, method, kind), *rest), kwargs
        if method not in ("assign", "assign_add", "assign_sub"):
            raise UnimplementedError(
                None, None, f"{variable.name}: {method} in a replica. Use assign, assign_add or assign_sub."
            )
        name = "delta" if method != "assign" and "delta" in kwargs else "value"
        value = to_tensor(args[0] if args else kwargs[name], variable.dtype)
        if kind in (VariableAggregation.NONE, VariableAggregation.ONLY_FIRST_REPLICA):
            total = self._chosen(value, kind, method == "assign")
        else:
            total = self.all_reduce(ReduceOp.MEAN if kind is VariableAggregation.MEAN else ReduceOp.SUM, value)
        return (variable, (total, *args[1:]), kwargs) if args else (variable, (), {**kwargs, name: total})

    def _chosen(self, value: Any, kind: VariableAggregation, replaces: bool) -> Any:
        """What a variable is given: by the first replica, or by one after the other if the strategy knows nothing of it."""
        if kind is VariableAggregation.NONE and not replaces:
            return self.all_reduce(ReduceOp.SUM, value)
        last = self._group.count - 1 if kind is VariableAggregation.NONE else 0
        chosen = equal.public(self.replica_id_in_sync_group, last)
        return self.all_reduce(ReduceOp.SUM, select.public(chosen, value, zeros_like.public(value)))

    def _all_rows(self, slices: Any, method: str, kind: VariableAggregation) -> Any:
        """The rows that all replicas together change."""
        if kind is VariableAggregation.ONLY_FIRST_REPLICA:
            return IndexedSlices(*(self._chosen(part, kind, True) for part in (slices.values, slices.indices)))
        is_mean = kind is VariableAggregation.MEAN
        if method in ("scatter_update", "scatter_max", "scatter_min") and kind is not VariableAggregation.NONE:
            raise NotImplementedError(
                f"{method} of a variable with aggregation={kind.name} in a replica: rows of several replicas would be one. Use "
                "aggregation=NONE or ONLY_FIRST_REPLICA, or scatter_add, scatter_sub, scatter_mul or scatter_div."
            )
        values, indices = (self.all_gather(part, 0) for part in (slices.values, slices.indices))
        return IndexedSlices(values / self._group.count if is_mean else values, indices)

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
