"""Scatters into a tensor: update replaces what is there; add, subtract, max and min combine with it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import ANY, INDEX, NUMERIC, REAL, Array
from ...base.types import Cotangent, Draw, Function, Tangent, Value
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, numpy_type, shape_of
from ..math.conversion import convert
from ..math.logic import equal, zeros_like
from .gather import gather_nd, places_in, put_nd, scattered, take_nd, update_key
from .layout import concat

# --- update -------------------------------------------------------------------------------------------------


def _scatter_into(tensor: Array, indices: Array, updates: Array, combine: Function, name: str) -> Array:
    key = update_key(indices, np.shape(updates), tensor.shape, name)
    result = np.array(tensor)
    combine(result, key, updates)
    return result


def _assign(array: Array, key: Array, values: Array) -> None:
    array[key] = values


def _scatter_update(tensor: Array, indices: Array, updates: Array) -> Array:
    return _scatter_into(tensor, indices, updates, _assign, "tensor_scatter_nd_update")


@op(eager=_scatter_update, dtypes=ANY, other={"indices": INDEX}, tf_name="TensorScatterUpdate", shape=scattered)
def tensor_scatter_nd_update(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    """The tensor with the elements (or slices) at `indices` replaced.

    >>> import gradtape as tf
    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [10, 30]).numpy()
    array([10,  2, 30], dtype=int32)
    """
    return tensor.at[places_in(xp, indices, tensor.shape)].set(updates)


@tensor_scatter_nd_update.vjp("tensor")
def _(g: Cotangent, indices: Value, updates: Value) -> Any:
    return tensor_scatter_nd_update(g, indices, zeros_like(updates))


@tensor_scatter_nd_update.vjp("updates")
def _(g: Cotangent, indices: Value) -> Any:
    return take_nd(g, indices, batch_dims=0)


@tensor_scatter_nd_update.jvp("tensor")
def _(t: Tangent, indices: Value, updates: Value) -> Any:
    return tensor_scatter_nd_update(t, indices, zeros_like(updates))


@tensor_scatter_nd_update.jvp("updates")
def _(t: Tangent, tensor: Value, indices: Value) -> Any:
    return tensor_scatter_nd_update(zeros_like(tensor), indices, t)


@tensor_scatter_nd_update.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    size, (tensor, indices, updates) = all_batched(is_batched, args)
    return tensor_scatter_nd_update(tensor, with_batch_positions(indices, size), updates)


def with_batch_positions(indices: Value, size: int) -> Any:
    """Multi-dimensional indices of one batch entry each, with the entry's own position put in front."""
    data = np.asarray(indices)
    entry = np.arange(size, dtype=data.dtype).reshape(size, *(1,) * (data.ndim - 1))
    return concat([np.broadcast_to(entry, (*data.shape[:-1], 1)), data], axis=-1)


_DISTINCT: list[tuple[tuple[int, ...], Any]] = [
    ((4,), [[0], [2]]), ((3, 2), [[0, 1], [2, 0]]), ((3, 2), [[1], [0]]), ((2, 3, 4), [[[0, 1]], [[1, 2]]]), ((3, 2), [2, 1]), ((3, 2), [0]),
    ((2, 2), [[1, 1]]), ((5,), [[[4]], [[0]]]), ((2, 3, 2), [[1, 2, 1]]), ((1, 1), [[0, 0]]), ((4,), [[3]]), ((2, 2, 2), [[0], [1]]),
]  # fmt: skip


def sample_scatter(scatter: Op) -> None:
    """Samples and bad inputs of an op (tensor, indices, updates)."""

    @scatter.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, indices in _DISTINCT:
            picks = np.array(indices, np.int32)
            yield Sample((draw(shape), picks, draw(gather_nd(np.empty(shape), picks, 0).shape)))

    @scatter.rejects
    def _() -> Iterator[BadInput]:
        x, u = np.ones((3,), np.float32), np.ones((2,), np.float32)
        for indices in [
            [[3], [0]],
            [[-1], [0]],
            [[0, 0], [0, 0]],
            [[0]],
            [[0], [1], [2]],
            0,
            [0, 1],
            [[2**31 - 1], [0]],
            [[9], [9]],
        ]:
            yield BadInput("positions must exist, with one update each", (x, np.array(indices, np.int32), u))
        yield BadInput("indices are integers", (x, np.array([[0.0], [1.0]], np.float32), u))
        yield BadInput("types never mix", (x, np.array([[0], [1]], np.int32), u.astype(np.float64)))


sample_scatter(tensor_scatter_nd_update)


# --- add and subtract ---------------------------------------------------------------------------------------


def _combined(name: str, combine: Any) -> Any:
    """The eager kernel: the tensor, changed at the given positions by `combine.at`; repeated positions all count."""

    def scatter(tensor: Array, indices: Array, updates: Array) -> Array:
        key = update_key(indices, np.shape(updates), tensor.shape, name)
        if not key:  # indices of depth 0: every update is as large as the tensor
            count = math.prod(np.shape(indices)[:-1])
            whole: Array = combine.reduce(np.concatenate([tensor[None], np.reshape(updates, (count, *tensor.shape))]))
            return whole
        result = np.array(tensor)
        combine.at(result, key, updates)
        return result

    return scatter


def _batched(scatter: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    size, (tensor, indices, updates) = all_batched(is_batched, args)
    return scatter(tensor, with_batch_positions(indices, size), updates)


@op(
    eager=_combined("tensor_scatter_nd_add", np.add),
    dtypes=NUMERIC,
    other={"indices": INDEX},
    tf_name="TensorScatterAdd",
    shape=scattered,
)
def tensor_scatter_nd_add(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    """The tensor with `updates` added at `indices`."""
    return tensor.at[places_in(xp, indices, tensor.shape)].add(updates)


@tensor_scatter_nd_add.vjp("tensor")
def _(g: Cotangent) -> Any:
    return g


@tensor_scatter_nd_add.jvp("tensor")
def _(t: Tangent) -> Any:
    return t


@tensor_scatter_nd_add.vjp("updates")
def _(g: Cotangent, indices: Value) -> Any:
    return take_nd(g, indices, batch_dims=0)


@tensor_scatter_nd_add.jvp("updates")
def _(t: Tangent, indices: Value, tensor_shape: tuple[int, ...]) -> Any:
    return put_nd(t, indices, shape=tensor_shape, batch_dims=0)


@op(
    eager=_combined("tensor_scatter_nd_sub", np.subtract),
    dtypes=NUMERIC,
    other={"indices": INDEX},
    tf_name="TensorScatterSub",
    shape=scattered,
)
def tensor_scatter_nd_sub(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    """The tensor with `updates` subtracted at `indices`."""
    return tensor.at[places_in(xp, indices, tensor.shape)].add(-updates)


@tensor_scatter_nd_sub.vjp("tensor")
def _(g: Cotangent) -> Any:
    return g


@tensor_scatter_nd_sub.jvp("tensor")
def _(t: Tangent) -> Any:
    return t


@tensor_scatter_nd_sub.vjp("updates")
def _(g: Cotangent, indices: Value) -> Any:
    return -take_nd(g, indices, batch_dims=0)


@tensor_scatter_nd_sub.jvp("updates")
def _(t: Tangent, indices: Value, tensor_shape: tuple[int, ...]) -> Any:
    return -put_nd(t, indices, shape=tensor_shape, batch_dims=0)


# --- the larger or smaller ---------------------------------------------------------------------------------------------


@op(
    eager=_combined("tensor_scatter_nd_max", np.maximum),
    dtypes=REAL,
    other={"indices": INDEX},
    tf_name="TensorScatterMax",
    shape=scattered,
)
def tensor_scatter_nd_max(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    """The tensor, with the larger of its element and the updates at `indices`; ties share the derivative."""
    return tensor.at[places_in(xp, indices, tensor.shape)].max(updates)


@op(
    eager=_combined("tensor_scatter_nd_min", np.minimum),
    dtypes=REAL,
    other={"indices": INDEX},
    tf_name="TensorScatterMin",
    shape=scattered,
)
def tensor_scatter_nd_min(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    """The tensor, with the smaller of its element and the updates at `indices`; ties share the derivative."""
    return tensor.at[places_in(xp, indices, tensor.shape)].min(updates)


def _shares(tensor: Value, indices: Value, updates: Value, out: Value) -> tuple[Any, Any]:
    """How much of each output comes from the tensor, and from each update: all that tie share equally."""
    dtype = numpy_type(out)
    kept = convert(equal(tensor, out), dtype=dtype)
    won = convert(equal(updates, take_nd(out, indices, batch_dims=0)), dtype=dtype)
    count = kept + put_nd(won, indices, shape=shape_of(tensor), batch_dims=0)
    return kept / count, won / take_nd(count, indices, batch_dims=0)


def _tensor_part(t: Array, tensor: Array, indices: Array, updates: Array, out: Array) -> Any:
    return t * _shares(tensor, indices, updates, out)[0]


def _updates_vjp(g: Array, tensor: Array, indices: Array, updates: Array, out: Array) -> Any:
    return take_nd(g, indices, batch_dims=0) * _shares(tensor, indices, updates, out)[1]


def _updates_jvp(t: Array, tensor: Array, indices: Array, updates: Array, out: Array) -> Any:
    return put_nd(t * _shares(tensor, indices, updates, out)[1], indices, shape=shape_of(tensor), batch_dims=0)


for _op in (tensor_scatter_nd_max, tensor_scatter_nd_min):
    _op.vjp("tensor")(_tensor_part)
    _op.jvp("tensor")(_tensor_part)
    _op.vjp("updates")(_updates_vjp)
    _op.jvp("updates")(_updates_jvp)

for _op in (tensor_scatter_nd_add, tensor_scatter_nd_sub, tensor_scatter_nd_max, tensor_scatter_nd_min):
    _op.batched(_batched)
    sample_scatter(_op)


def _one_by_one(combine: Function) -> Any:
    def reference(tensor: Array, indices: Array, updates: Array) -> Any:
        result = np.array(tensor)
        for position in np.ndindex(*np.shape(indices)[:-1]):
            key = tuple(np.asarray(indices)[position])
            result[key] = combine(result[key], np.asarray(updates)[position])
        return result

    return reference


tensor_scatter_nd_add.value(_one_by_one(np.add))
tensor_scatter_nd_sub.value(_one_by_one(np.subtract))
tensor_scatter_nd_max.value(_one_by_one(np.maximum))
tensor_scatter_nd_min.value(_one_by_one(np.minimum))
