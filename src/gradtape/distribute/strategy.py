"""`Strategy`: one program on one replica or on many.

A strategy has two contexts. Its `scope` and everything outside of `run` is the cross-replica context, where values of all
replicas are brought together; a function given to `run` is in the replica context. With one replica both see the same
values, and all is as without a strategy; what several replicas do is in `replicas.py`.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import Any

from ..autograph.calls import callback
from ..base import nest
from ..base.context import STATE, scope
from ..base.locks import new_lock
from ..base.places import HOST, Place
from ..base.types import TensorLike
from ..ops.math.reduce import reduce_mean, reduce_sum
from ..values.composite import is_composite
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable
from ..xla import processes
from ..xla.scopes import on_device
from .datasets import DistributedDataset, InputContext


class ReduceOp(enum.Enum):
    """How values of several replicas become one.

    >>> import gradtape as tf
    >>> strategy = tf.distribute.get_strategy()
    >>> strategy.reduce(tf.distribute.ReduceOp.MEAN, tf.constant([1.0, 3.0]), axis=0).numpy()
    np.float32(2.0)
    """

    SUM = "SUM"
    MEAN = "MEAN"


class DistributedValues:
    """Values of several replicas. With one replica they are plain values.

    >>> import gradtape as tf
    >>> isinstance(tf.distribute.get_strategy().run(lambda: tf.constant(1.0)), tf.Tensor)
    True
    """

    @property
    def values(self) -> tuple[Any, ...]:
        """Those of this process, in the order of the replicas."""
        return (self,)


class ValueContext:
    """What a function that makes the values of replicas can ask.

    >>> import gradtape as tf
    >>> strategy = tf.distribute.get_strategy()
    >>> values = strategy.experimental_distribute_values_from_function(
    ...     lambda context: tf.constant(context.replica_id_in_sync_group)
    ... )
    >>> int(values)
    0

    Args:
        replica_id_in_sync_group: The number of the replica.
        num_replicas_in_sync: How many replicas there are.
    """

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


class Strategy:
    """Where and how often a step runs; `tf.distribute.get_strategy()` is the one in force.

    >>> import gradtape as tf
    >>> strategy = tf.distribute.MirroredStrategy()
    >>> with strategy.scope():
    ...     v = tf.Variable(1.0)
    >>> def step(x):
    ...     return v * x
    >>> strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=(tf.constant(3.0),)), axis=None)
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>

    Args:
        extended: What has the less common methods; by default a `StrategyExtended`.
    """

    _replicas: Any = None  # where there are several
    _resolver: Any = None
    _place: Place | None = None  # the one device, where that is not left open

    def __init__(self, extended: object = None) -> None:
        self._extended = StrategyExtended(self) if extended is None else extended

    @property
    def extended(self) -> Any:
        """Less common methods."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return 1 if self._replicas is None else int(self._replicas.count)

    @property
    def cluster_resolver(self) -> Any:
        """Who takes part, and which task this process is; None for a strategy of one process."""
        return self._resolver

    def scope(self) -> AbstractContextManager[Strategy]:
        """A context in which this strategy is in force; variables of the model are created in it.

        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> with strategy.scope():
        ...     tf.distribute.get_strategy() is strategy
        True

        Returns:
            A context manager.

        Raises:
            RuntimeError: Another strategy's scope is open, or this is inside of `run`.
        """

        @contextmanager
        def context() -> Iterator[Strategy]:
            require_cross_replica(self)
            with contextlib.ExitStack() as entering:
                entering.enter_context(self._on_device())
                entering.enter_context(entered(self, None))
                entering.enter_context(scope(variable_creators=[*STATE.variable_creators, *self._creators()]))
                yield self

        return context()

    def _on_device(self) -> AbstractContextManager[None]:
        return nullcontext() if self._place is None else on_device(self._place)

    def _creators(self) -> list[Any]:
        """How variables are made in the scope, where that is not as outside."""
        return [] if self._replicas is None else [self._replicas.created]

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None, options: object = None
    ) -> Tensor:
        """Call a function on each replica.

        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> strategy.run(lambda x: x * x, args=(tf.constant(3.0),)).numpy()
        np.float32(9.0)

        Args:
            fn: The function, which is called once for each replica.
            args: Its arguments. Of a value that has a part for each replica, each gets its own.
            kwargs: Its arguments by name, likewise.
            options: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            What it returns: with several replicas, a `PerReplica` for each tensor.

        Raises:
            TypeError: `fn` cannot be called.
            ValueError: `args` is neither a tuple nor a list.
            RuntimeError: It is called inside of `run`, or in the scope of another strategy.
        """
        if not callable(fn):
            raise TypeError(f"run: a function is needed, got {fn!r}.")
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"run: positional args must be a list or tuple, got {type(args)}. Write args=(value,).")
        require_cross_replica(self)
        if self._replicas is not None:
            return self._replicas.run(fn, args, kwargs or {})
        with self._on_device(), entered(self, ReplicaContext(self, 0)):
            return callback(fn)(*args, **(kwargs or {}))

    def reduce(self, reduce_op: ReduceOp | str, value: TensorLike, axis: int | None) -> Tensor:
        """The values of all replicas as one.

        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> strategy.reduce("sum", tf.constant([1.0, 2.0]), axis=0).numpy()
        np.float32(3.0)

        Args:
            reduce_op: `tf.distribute.ReduceOp.SUM` or `MEAN`, or "sum" or "mean".
            value: What `run` returned.
            axis: An axis of the values over which is reduced too; None for none.

        Returns:
            A tensor, or the structure of `value`.

        Raises:
            ValueError: There is no such axis.
            RuntimeError: It is called inside of `run`, or in the scope of another strategy.
        """
        require_cross_replica(self)
        return reduced(self, reduce_op, value, axis)

    def gather(self, value: object, axis: int) -> Any:
        """The values of all replicas one after the other.

        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> strategy.gather(tf.constant([1.0, 2.0]), axis=0).numpy()
        array([1., 2.], dtype=float32)

        Args:
            value: What `run` returned.
            axis: The axis along which they follow each other.

        Returns:
            A tensor, or the structure of `value`.

        Raises:
            RuntimeError: It is called inside of `run`, or in the scope of another strategy.
        """
        require_cross_replica(self)
        if self._replicas is not None:
            return self._replicas.gather(value, axis)
        return nest.map_structure(to_tensor, value)

    def experimental_distribute_dataset(self, dataset: object, options: object = None) -> DistributedDataset:
        """A dataset each batch of which is shared out to the replicas.

        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
        >>> [batch.numpy().tolist() for batch in batches]
        [[0, 1], [2, 3]]

        Args:
            dataset: A dataset of batches for all replicas together.
            options: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A `tf.distribute.DistributedDataset`.
        """
        return DistributedDataset(dataset, self._replicas)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: object = None
    ) -> DistributedDataset:
        """A dataset each batch of which goes to one replica.

        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> def batches(context):
        ...     return tf.data.Dataset.range(4).batch(context.get_per_replica_batch_size(2))
        >>> [batch.numpy().tolist() for batch in strategy.distribute_datasets_from_function(batches)]
        [[0, 1], [2, 3]]

        Args:
            dataset_fn: A function of a `tf.distribute.InputContext` that gives a dataset of batches for one replica.
            options: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A `tf.distribute.DistributedDataset`.
        """
        joined = processes.here()
        made = dataset_fn(InputContext(joined.count, joined.number, self.num_replicas_in_sync))
        return DistributedDataset(made, self._replicas, each=True)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        """The values that a function makes for each replica.

        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> strategy.experimental_distribute_values_from_function(lambda context: context.replica_id_in_sync_group)
        0

        Args:
            value_fn: A function of a `ValueContext`, which has the number of the replica.

        Returns:
            The value; with several replicas a `PerReplica`.
        """
        return value_fn(ValueContext()) if self._replicas is None else self._replicas.distributed(value_fn)

    def experimental_local_results(self, value: TensorLike) -> tuple[Any, ...]:
        """The values of the replicas of this process.

        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> strategy.experimental_local_results(tf.constant(3.0))[0].numpy()
        np.float32(3.0)

        Args:
            value: What `run` returned, or a variable.

        Returns:
            A tuple.
        """
        if self._replicas is not None and isinstance(value, Variable):
            return self._replicas.values_of(value)
        parts = nest.flatten(value)
        count = next((len(part.values) for part in parts if isinstance(part, DistributedValues)), 1)
        own = [part.values if isinstance(part, DistributedValues) else (part,) * count for part in parts]
        return tuple(nest.pack_sequence_as(value, [of_all[number] for of_all in own]) for number in range(count))

    unwrap = experimental_local_results

    def __deepcopy__(self, memo: dict[int, Any]) -> Strategy:
        return self

    def __repr__(self) -> str:
        count = self.num_replicas_in_sync
        return f"<tf.distribute.{type(self).__name__} with {count} replica{'s' if count > 1 else ''}>"


class StrategyExtended:
    """The less common methods of a strategy, as `strategy.extended`.

    >>> import gradtape as tf
    >>> tf.distribute.get_strategy().extended.worker_devices
    ('/job:localhost/replica:0/task:0/device:CPU:0',)

    Args:
        container_strategy: The strategy.
    """

    experimental_require_static_shapes = False

    def __init__(self, container_strategy: Strategy) -> None:
        self._strategy = container_strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """Where steps run."""
        return _devices(self._strategy)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """Where variables are."""
        return _devices(self._strategy)

    def reduce_to(
        self, reduce_op: ReduceOp | str, value: TensorLike, destinations: object, options: object = None
    ) -> Any:
        """The values of all replicas as one.

        >>> extended = tf.distribute.OneDeviceStrategy("/cpu:0").extended
        >>> extended.reduce_to("sum", tf.constant(3.0), destinations=None).numpy()
        np.float32(3.0)

        Args:
            reduce_op: `tf.distribute.ReduceOp.SUM` or `MEAN`, or "sum" or "mean".
            value: What `run` returned.
            destinations: Not used: every replica gets the result.
            options: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor, or the structure of `value`.
        """
        return reduced(self._strategy, reduce_op, value, None)

    def batch_reduce_to(
        self, reduce_op: ReduceOp | str, value_destination_pairs: Any, options: object = None
    ) -> list[Any]:
        """The same as `reduce_to` for several values.

        >>> extended = tf.distribute.OneDeviceStrategy("/cpu:0").extended
        >>> [total.numpy() for total in extended.batch_reduce_to("sum", [(tf.constant(3.0), None)])]
        [np.float32(3.0)]

        Args:
            reduce_op: `tf.distribute.ReduceOp.SUM` or `MEAN`, or "sum" or "mean".
            value_destination_pairs: Pairs of a value and where it goes, which is not used.
            options: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A list.
        """
        return [reduced(self._strategy, reduce_op, value, None) for value, _ in value_destination_pairs]

    def update(
        self,
        var: object,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Call a function where a variable is.

        >>> extended = tf.distribute.OneDeviceStrategy("/cpu:0").extended
        >>> extended.update(tf.Variable(1.0), lambda v, by: v.assign_add(by), args=(2.0,)).numpy()
        np.float32(3.0)

        Args:
            var: The variable, which is the first argument.
            fn: The function, which is called once for each replica.
            args: Further arguments.
            kwargs: Arguments by name.
            group: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            What the function returns.
        """
        args, kwargs = nest.map_structure(
            lambda value: getattr(value, "in_replica", value), (tuple(args), kwargs or {})
        )
        return callback(fn)(var, *args, **kwargs)

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: object = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """The same as `Strategy.run`.

        >>> extended = tf.distribute.OneDeviceStrategy("/cpu:0").extended
        >>> extended.call_for_each_replica(lambda x: x * x, args=(tf.constant(3.0),)).numpy()
        np.float32(9.0)

        Args:
            fn: The function, which is called once for each replica.
            args: Its arguments.
            kwargs: Its arguments by name.

        Returns:
            What it returns: with several replicas, a `PerReplica` for each tensor.
        """
        return self._strategy.run(fn, args, kwargs)

    def variable_created_in_scope(self, v: object) -> bool:
        """True: a variable is the same in every scope.

        >>> extended = tf.distribute.OneDeviceStrategy("/cpu:0").extended
        >>> extended.variable_created_in_scope(tf.Variable(1.0))
        True

        Args:
            v: A variable.

        Returns:
            True.
        """
        return True

    def value_container(self, value: TensorLike) -> Any:
        """The value itself: values are in no containers.

        >>> extended = tf.distribute.OneDeviceStrategy("/cpu:0").extended
        >>> extended.value_container(3.0)
        3.0

        Args:
            value: A value.

        Returns:
            The value.
        """
        return value

    @contextmanager
    def colocate_vars_with(self, colocate_with_variable: object) -> Iterator[None]:
        """A block in which variables are made where another is: there is one place.

        >>> extended = tf.distribute.OneDeviceStrategy("/cpu:0").extended
        >>> with extended.colocate_vars_with(tf.Variable(1.0)):
        ...     v = tf.Variable(2.0)

        Args:
            colocate_with_variable: Not used.
        """
        yield


class ReplicaContext:
    """What a function given to `Strategy.run` sees: `tf.distribute.get_replica_context()`.

    >>> import gradtape as tf
    >>> def step(x):
    ...     context = tf.distribute.get_replica_context()
    ...     return context.all_reduce("sum", x)
    >>> tf.distribute.get_strategy().run(step, args=(tf.constant(3.0),)).numpy()
    np.float32(3.0)

    Args:
        strategy: The strategy that runs the function.
        replica_id_in_sync_group: The number of the replica.
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: object) -> None:
        self._strategy = strategy
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self._entered: list[scope] = []  # one context may be entered again inside of itself

    @property
    def strategy(self) -> Strategy:
        """The strategy that runs the function."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._strategy.num_replicas_in_sync

    @property
    def devices(self) -> tuple[str, ...]:
        """The device of this replica."""
        return ((self._strategy._place or HOST).name,)

    def all_reduce(self, reduce_op: ReduceOp | str, value: TensorLike, options: object = None) -> Any:
        """The sum or mean over all replicas, in each of them.

        >>> def step(x):
        ...     context = tf.distribute.get_replica_context()
        ...     return context.all_reduce("sum", x)
        >>> tf.distribute.get_strategy().run(step, args=(tf.constant([3.0]),)).numpy()
        array([3.], dtype=float32)

        Args:
            reduce_op: `tf.distribute.ReduceOp.SUM` or `MEAN`, or "sum" or "mean".
            value: The value of this replica, or a structure of values.
            options: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The structure of `value`.
        """
        return reduced(self._strategy, reduce_op, value, None)

    def all_gather(self, value: TensorLike, axis: int, options: object = None) -> Any:
        """The values of all replicas one after the other, in each of them.

        >>> def step(x):
        ...     context = tf.distribute.get_replica_context()
        ...     return context.all_gather(x, axis=0)
        >>> tf.distribute.get_strategy().run(step, args=(tf.constant([3.0]),)).numpy()
        array([3.], dtype=float32)

        Args:
            value: The value of this replica, or a structure of values.
            axis: The axis along which they follow each other.
            options: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The structure of `value`.
        """
        return nest.map_structure(to_tensor, value)

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        """Call a function once for all replicas, in the cross-replica context.

        >>> def step(x):
        ...     context = tf.distribute.get_replica_context()
        ...     return context.merge_call(lambda strategy, y: strategy.reduce("sum", y, axis=None), args=(x,))
        >>> tf.distribute.get_strategy().run(step, args=(tf.constant([3.0]),)).numpy()
        array([3.], dtype=float32)

        Args:
            merge_fn: A function of the strategy and the arguments.
            args: Arguments; it gets those of all replicas.
            kwargs: Arguments by name, likewise.

        Returns:
            What the function returns.
        """
        with entered(self._strategy, None):
            return callback(merge_fn)(self._strategy, *args, **(kwargs or {}))

    def agreed(
        self, variable: object, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """The variable that is changed, and what it is given after all replicas have agreed upon it.

        Args:
            variable: The variable.
            method: The name of the method that changes it.
            args: What this replica gives it.
            kwargs: The same by name.

        Returns:
            The variable, arguments, and arguments by name.
        """
        return variable, args, kwargs

    def own(self, variable: Any) -> Any:
        """The variable that is read in place of another one.

        Args:
            variable: The other one.

        Returns:
            A variable.
        """
        return variable

    def __enter__(self) -> ReplicaContext:
        self._entered.append(entered(self._strategy, self))
        self._entered[-1].__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._entered.pop().__exit__(kind, error, traceback)


def reduce_op_of(given: ReduceOp | str) -> ReduceOp:
    """A kind of reduction, also by its name."""
    return ReduceOp(given.upper() if isinstance(given, str) else given)


def _devices(strategy: Strategy) -> tuple[str, ...]:
    return (
        ((strategy._place or HOST).name,)
        if strategy._replicas is None
        else tuple(strategy._replicas.mesh.global_devices())
    )


def reduced(strategy: Strategy, reduce_op: ReduceOp | str, value: TensorLike, axis: int | None) -> Any:
    """A structure of values over all replicas, and over an axis where one is given."""
    if strategy._replicas is not None:
        return strategy._replicas.reduce(reduce_op, value, axis)
    kind = reduce_op_of(reduce_op)

    def one(item: Any) -> Any:
        if axis is None:
            return item if is_composite(item) else to_tensor(item)
        tensor = to_tensor(item)
        rank = tensor.shape.rank  # None where it is known only when a function runs
        if rank is not None and not -rank <= axis < rank:
            raise ValueError(f"reduce: there is no axis {axis} in a value of shape {tensor.shape}. Use axis=None.")
        return (reduce_sum if kind is ReduceOp.SUM else reduce_mean).public(tensor, axis)

    return nest.map_structure(one, value)


# --- the contexts ----------------------------------------------------------------------------------------------------


def entered(strategy: Strategy, replica: ReplicaContext | None) -> scope:
    """This thread is in the strategy's replica context, or in its cross-replica context where there is none."""
    return scope(strategies=[*STATE.strategies, (strategy, replica)])


def require_cross_replica(strategy: Strategy) -> None:
    """RuntimeError inside of `run`, or in the scope of another strategy."""
    if not STATE.strategies:
        return
    current, replica = STATE.strategies[-1]
    if current is not strategy:
        raise RuntimeError(f"Mixing different tf.distribute.Strategy objects: {current!r} is not {strategy!r}")
    if replica is not None:
        raise RuntimeError("Method requires being in cross-replica context, use get_replica_context().merge_call()")


class _DefaultDistributionStrategy(Strategy):
    """In force where no scope is open."""

    def __repr__(self) -> str:
        return "<tf.distribute.Strategy: the default, with 1 replica>"


_DEFAULT = _DefaultDistributionStrategy()
_DEFAULT_REPLICA = ReplicaContext(_DEFAULT, 0)
_GLOBAL: list[Strategy] = []
_SETTING = new_lock()


def get_strategy() -> Strategy:
    """The strategy in force: that of the innermost scope, else the default.

    >>> import gradtape as tf
    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1

    Returns:
        A strategy.
    """
    if STATE.strategies:
        strategy: Strategy = STATE.strategies[-1][0]
        return strategy
    return _GLOBAL[0] if _GLOBAL else _DEFAULT


def has_strategy() -> bool:
    """Whether a strategy other than the default is in force.

    >>> import gradtape as tf
    >>> tf.distribute.has_strategy()
    False
    >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
    ...     print(tf.distribute.has_strategy())
    True

    Returns:
        True or False.
    """
    return get_strategy() is not _DEFAULT


def get_replica_context() -> ReplicaContext | None:
    """The context of the replica that runs now; None in the cross-replica context.

    >>> import gradtape as tf
    >>> tf.distribute.get_replica_context().num_replicas_in_sync
    1

    Returns:
        A ReplicaContext, or None.
    """
    if STATE.strategies:
        replica: ReplicaContext | None = STATE.strategies[-1][1]
        return replica
    return None if _GLOBAL else _DEFAULT_REPLICA


def in_cross_replica_context() -> bool:
    """Whether this is the cross-replica context: in a scope, but not inside of `run`.

    >>> import gradtape as tf
    >>> tf.distribute.in_cross_replica_context()
    False
    >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
    ...     print(tf.distribute.in_cross_replica_context())
    True

    Returns:
        True or False.
    """
    return get_replica_context() is None


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Put a strategy in force for the whole program, as if its scope were open everywhere; None resets it.

    >>> import gradtape as tf
    >>> tf.distribute.experimental_set_strategy(tf.distribute.OneDeviceStrategy("/cpu:0"))
    >>> tf.distribute.has_strategy()
    True
    >>> tf.distribute.experimental_set_strategy(None)
    >>> tf.distribute.has_strategy()
    False

    Args:
        strategy: A strategy, or None for the default.

    Raises:
        TypeError: `strategy` is neither a strategy nor None.
        RuntimeError: A scope of a strategy is open.
    """
    if strategy is not None and not isinstance(strategy, Strategy):
        raise TypeError(f"A tf.distribute.Strategy is needed, got {strategy!r}.")
    if STATE.strategies:
        raise RuntimeError("experimental_set_strategy: not while a scope is open.")
    with _SETTING:
        _GLOBAL[:] = [] if strategy is None else [strategy]
