"""Functions of `tf.compat.v1` that are more than a row of `table.py`: TensorFlow 2 has no one function that does the same."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ... import math
from ...api import arrays, layout
from ...base import dtypes
from ...base.seeds import GLOBAL
from ...base.types import DTypeLike, IntLike
from ...op.attributes import as_int
from ...values.tensor import IndexedSlices, to_tensor
from ...variables.module import name_scope as scope_of_names
from ...variables.variable import Variable as VariableOfVersion2
from .variables import found_again, variable_scope

__all__ = [
    "Print",
    "Variable",
    "batch_scatter_update",
    "clip_by_average_norm",
    "colocate_with",
    "cond",
    "container",
    "convert_to_tensor_or_indexed_slices",
    "convert_to_tensor_or_sparse_tensor",
    "count_up_to",
    "fixed_size_partitioner",
    "get_seed",
    "is_variable_initialized",
    "make_template",
    "name_scope",
    "no_regularizer",
    "op_scope",
    "while_loop",
]


def _v2() -> Any:
    return sys.modules["gradtape"]


class _EveryVariable(type):
    """Every variable is one of TensorFlow 1."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, VariableOfVersion2)


class Variable(metaclass=_EveryVariable):
    """A variable, with the order of arguments of TensorFlow 1.

    >>> import gradtape as tf
    >>> v = tf.compat.v1.Variable([1.0, 2.0], trainable=False, name="v")
    >>> v.trainable, isinstance(v, tf.Variable), isinstance(tf.Variable(1), tf.compat.v1.Variable)
    (False, True, True)

    Args:
        initial_value: The first value, or a function that makes it.
        trainable: Whether tapes watch it.
        collections: Ignored; accepted for compatibility with TensorFlow.
        validate_shape: False: its shape may change.
        caching_device: Ignored; accepted for compatibility with TensorFlow.
        name: The name.
        variable_def: Ignored; accepted for compatibility with TensorFlow.
        dtype: The type; None: that of the value.
        expected_shape: Ignored; accepted for compatibility with TensorFlow.
        import_scope: Ignored; accepted for compatibility with TensorFlow.
        constraint: A function of the value that optimizers apply after each step.
        use_resource: Ignored; accepted for compatibility with TensorFlow.
        synchronization: When copies on several devices are brought together.
        aggregation: How they are.
        shape: A shape that later values may have, too.
    """

    def __new__(  # type: ignore[misc]
        cls,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: object = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: DTypeLike | None = None,
        expected_shape: object = None,
        import_scope: object = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> VariableOfVersion2:
        placed = {"synchronization": synchronization, "aggregation": aggregation, "shape": shape}
        given = {key: value for key, value in placed.items() if value is not None}
        made: VariableOfVersion2 = _v2().Variable(
            initial_value,
            trainable=trainable,
            validate_shape=validate_shape,
            name=name,
            dtype=dtype,
            constraint=constraint,
            **given,
        )
        return made


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """What one of two functions gives; a list with one element is that element, unless `strict`.

    >>> import gradtape as tf
    >>> tf.compat.v1.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: [tf.constant(2)]).numpy().item()
    1

    Args:
        pred: A truth value.
        true_fn: What is called if it holds.
        false_fn: What is called otherwise.
        strict: Whether lists with one element stay lists.
        name: Ignored; accepted for compatibility with TensorFlow.
        fn1: The older name of `true_fn`.
        fn2: The older name of `false_fn`.

    Returns:
        What the function gives.
    """
    return _alone(_v2().cond(pred, true_fn or fn1, false_fn or fn2), strict)


def _alone(found: Any, strict: bool) -> Any:
    return found[0] if not strict and isinstance(found, (list, tuple)) and len(found) == 1 else found


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Call `body` as long as `cond` holds; one value alone is given without its list, unless `return_same_structure`.

    >>> import gradtape as tf
    >>> tf.compat.v1.while_loop(lambda i: i < 10, lambda i: [i + 3], [tf.constant(0)]).numpy().item()
    12

    Args:
        cond: A function of the values that gives a truth value.
        body: A function of the values that gives the next ones.
        loop_vars: The first values.
        shape_invariants: Shapes that hold in every round.
        parallel_iterations: Ignored; accepted for compatibility with TensorFlow.
        back_prop: Whether derivatives are taken of it.
        swap_memory: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.
        maximum_iterations: The most rounds.
        return_same_structure: Whether the result always has the structure of `loop_vars`.

    Returns:
        The values after the last round.
    """
    alone = not return_same_structure and isinstance(loop_vars, (list, tuple)) and len(loop_vars) == 1

    def packed(*values: Any) -> Any:
        following = body(*values)
        return following if isinstance(following, (list, tuple)) else type(loop_vars)([following])

    found = _v2().while_loop(
        cond,
        packed if alone else body,
        loop_vars,
        shape_invariants=shape_invariants,
        parallel_iterations=parallel_iterations,
        back_prop=back_prop,
        swap_memory=swap_memory,
        maximum_iterations=maximum_iterations,
    )
    return _alone(found, return_same_structure)


def Print(
    input_: Any,
    data: Sequence[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """The value itself; the data are printed to the standard error output.

    >>> import gradtape as tf
    >>> tf.compat.v1.Print(tf.constant(2), [tf.constant(3)], message="three: ").numpy().item()
    2

    Args:
        input_: A tensor.
        data: What is printed.
        message: What stands in front.
        first_n: Ignored in eager code, where each call is the first.
        summarize: How many elements of each are printed; None: 3.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with the value of `input_`.
    """
    printed = [message] if message is not None else []
    _v2().print(*printed, *[[value] for value in data], summarize=3 if summarize is None else summarize, sep="")
    return arrays.identity(input_)


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """Scale a tensor so that its norm, divided by its number of elements, is at most `clip_norm`.

    >>> import gradtape as tf
    >>> tf.compat.v1.clip_by_average_norm([3.0, 4.0], 0.5).numpy()
    array([0.6, 0.8], dtype=float32)

    Args:
        t: A tensor of floating numbers.
        clip_norm: The bound.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.
    """
    value = to_tensor(t)
    bound = to_tensor(clip_norm, value.dtype)
    count = math.cast(arrays.size(value), value.dtype)
    inverse: Any = math.rsqrt(math.reduce_sum(value * value)) * count
    return math.multiply(value * bound, math.minimum(inverse, 1.0 / bound))


def convert_to_tensor_or_indexed_slices(value: Any, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """A tensor; slices stay slices.

    >>> import gradtape as tf
    >>> tf.compat.v1.convert_to_tensor_or_indexed_slices([1, 2]).shape
    TensorShape([2])

    Args:
        value: What becomes a tensor.
        dtype: The type; None: that of the value.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor or `tf.IndexedSlices`.
    """
    return value if isinstance(value, IndexedSlices) else arrays.convert_to_tensor(value, dtype)


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """A tensor; sparse tensors stay sparse.

    >>> import gradtape as tf
    >>> tf.compat.v1.convert_to_tensor_or_sparse_tensor([1, 2]).shape
    TensorShape([2])

    Args:
        value: What becomes a tensor.
        dtype: The type; None: that of the value.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor or `tf.SparseTensor`.

    Raises:
        RuntimeError: A sparse tensor has another type.
    """
    sparse = _v2().SparseTensor
    if not isinstance(value, sparse) and type(value).__name__ != "SparseTensorValue":
        return arrays.convert_to_tensor(value, dtype)
    value = sparse.from_value(value)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise RuntimeError(
            f"Sparse dtype mismatch. Requested: {dtypes.as_dtype(dtype).name},  Actual: {value.dtype.name}"
        )
    return value


def count_up_to(ref: VariableOfVersion2, limit: IntLike, name: str | None = None) -> Any:
    """Add one to a variable that counts, and give the value before.

    >>> import gradtape as tf
    >>> v = tf.Variable(0)
    >>> tf.compat.v1.count_up_to(v, 2).numpy().item(), v.numpy().item()
    (0, 1)

    Args:
        ref: A variable of whole numbers.
        limit: The count at which it ends.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        OutOfRangeError: The limit is reached.
    """
    before = arrays.identity(ref)
    if int(before) >= as_int(limit):
        raise _v2().errors.OutOfRangeError(None, None, f"Reached limit of {as_int(limit)}")
    ref.assign_add(1)
    return before


def batch_scatter_update(
    ref: VariableOfVersion2, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Rows of each batch of a variable replaced.

    >>> import gradtape as tf
    >>> v = tf.Variable([[1, 2], [3, 4]])
    >>> tf.compat.v1.batch_scatter_update(v, [[0], [1]], [[9], [8]]).numpy().tolist()
    [[9, 2], [3, 8]]

    Args:
        ref: A variable.
        indices: The rows, for each batch.
        updates: Their values.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The variable.
    """
    places = to_tensor(indices)
    axes = [
        np.arange(size).reshape([-1 if n == axis else 1 for n in range(places.ndim)])
        for axis, size in enumerate(places.shape.as_list()[:-1])
    ]
    whole = layout.stack(
        [arrays.broadcast_to(to_tensor(axis, places.dtype), places.shape) for axis in axes] + [places], -1
    )
    return ref.scatter_nd_update(whole, updates)


class name_scope(scope_of_names):
    """Context manager: variables made inside have the name in front of theirs.

    >>> import gradtape as tf
    >>> with tf.compat.v1.name_scope(None, default_name="layer"):
    ...     print(tf.Variable(1.0, name="v").name)
    layer/v:0

    Args:
        name: The name.
        default_name: The name where `name` is None.
        values: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        TypeError: Both are no text.
    """

    def __init__(self, name: str | None, default_name: str | None = None, values: object = None) -> None:
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely meant `values`."
            )
        super().__init__((default_name or "") if name is None else name)


@contextmanager
def op_scope(values: object, name: str | None, default_name: str | None = None) -> Iterator[str]:
    """The older form of `name_scope`.

    >>> import gradtape as tf
    >>> with tf.compat.v1.op_scope([], None, "layer") as scope:
    ...     print(scope)
    layer/

    Args:
        values: Ignored; accepted for compatibility with TensorFlow.
        name: The name.
        default_name: The name where `name` is None.

    Yields:
        The whole name.
    """
    with name_scope(name, default_name, values) as whole:
        yield whole


@contextmanager
def colocate_with(op: object, ignore_existing: bool = False) -> Iterator[None]:
    """Context manager without effect: values are on one device.

    >>> import gradtape as tf
    >>> with tf.compat.v1.colocate_with(tf.constant(1)):
    ...     pass

    Args:
        op: Ignored; accepted for compatibility with TensorFlow.
        ignore_existing: Ignored; accepted for compatibility with TensorFlow.

    Yields:
        None.
    """
    yield


@contextmanager
def container(container_name: str) -> Iterator[str]:
    """Context manager without effect: resources have no containers.

    >>> import gradtape as tf
    >>> with tf.compat.v1.container("c"):
    ...     pass

    Args:
        container_name: Ignored; accepted for compatibility with TensorFlow.

    Yields:
        The name.
    """
    yield container_name


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The seed of the whole and the one of an op.

    >>> import gradtape as tf
    >>> tf.random.set_seed(7)
    >>> tf.compat.v1.get_seed(3)
    (7, 3)

    Args:
        op_seed: The seed of the op, or None.

    Returns:
        Two numbers, or two times None.
    """
    whole = GLOBAL.seed
    if op_seed is None and whole is None:
        return None, None
    return (87654321 if whole is None else whole), (0 if op_seed is None else op_seed)


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: object = None,
    **kwargs: Any,
) -> Callable[..., Any]:
    """A function that makes its variables with its first call, and has them again with the next ones.

    >>> import gradtape as tf
    >>> def times(x):
    ...     return x * tf.compat.v1.get_variable("s", [], initializer=tf.ones_initializer())
    >>> scaled = tf.compat.v1.make_template("scaled", times)
    >>> scaled(tf.constant(2.0)).numpy().item(), scaled(tf.constant(3.0)).numpy().item()
    (2.0, 3.0)

    Args:
        name_: The name of the scope.
        func_: A function that calls `get_variable`.
        create_scope_now_: Ignored; accepted for compatibility with TensorFlow.
        unique_name_: Another name of the scope.
        custom_getter_: Ignored; accepted for compatibility with TensorFlow.
        **kwargs: Arguments of each call.

    Returns:
        A function, with `variables` and `trainable_variables`.
    """
    kept: dict[str, VariableOfVersion2] = {}

    def template(*args: Any, **more: Any) -> Any:
        with found_again(kept), variable_scope(unique_name_ or name_):
            return func_(*args, **{**kwargs, **more})

    class _Template:
        """A function with its variables."""

        name = unique_name_ or name_

        def __call__(self, *args: Any, **more: Any) -> Any:
            return template(*args, **more)

        @property
        def variables(self) -> list[VariableOfVersion2]:
            return list(kept.values())

        @property
        def trainable_variables(self) -> list[VariableOfVersion2]:
            return [variable for variable in kept.values() if variable.trainable]

        global_variables, weights = variables, variables

    return _Template()


def is_variable_initialized(variable: VariableOfVersion2) -> Any:
    """True: a variable has its value from the start.

    >>> import gradtape as tf
    >>> tf.compat.v1.is_variable_initialized(tf.Variable(1)).numpy().item()
    True

    Args:
        variable: A variable.

    Returns:
        A truth value.
    """
    return arrays.constant(True)


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """A function that says into how many parts each axis of a variable is cut: `num_shards` along one.

    >>> import gradtape as tf
    >>> tf.compat.v1.fixed_size_partitioner(3)(tf.TensorShape([6, 2]))
    [3, 1]

    Args:
        num_shards: The number of parts.
        axis: The axis.

    Returns:
        A function of a shape.
    """

    def partitioner(shape: Any, **unused: object) -> list[int]:
        sizes = [1] * len(shape)
        sizes[axis] = min(num_shards, int(shape[axis]))
        return sizes

    return partitioner


def no_regularizer(_: object) -> None:
    """None: nothing is added to the loss.

    >>> import gradtape as tf
    >>> tf.compat.v1.no_regularizer(tf.constant(1.0))

    Args:
        _: A tensor.
    """
