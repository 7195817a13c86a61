"""TensorFlow's top-level functions that say the shape of a tensor, or check it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import dtypes
from ..base.context import STATE
from ..base.dtypes import DType
from ..base.errors import UnsupportedTypeError, invalid
from ..base.shapes import TensorShape, broadcast
from ..base.sizes import UNKNOWN, is_known, larger
from ..base.traceable import shaped, trace_public
from ..base.types import DTypeLike, ShapeLike, TensorLike
from ..op.abstract import Abstract
from ..op.arguments import sequence, takes, tensor_type
from ..op.attributes import as_int_vector, as_ints
from ..op.shapes import broadcast_sizes
from ..ops.public import identity as identity_of
from ..trace.abstract_tensor import abstract_of
from ..trace.inference import with_known_shape
from ..values.composite import complete_values, is_composite
from ..values.tensor import Tensor, TensorSpec, from_array, to_tensor

if TYPE_CHECKING:
    pass


def shape(input: Any, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The shape as an integer tensor.

    >>> import gradtape as tf
    >>> tf.shape([[1, 2, 3], [4, 5, 6]]).numpy()
    array([2, 3], dtype=int32)

    Args:
        input: A tensor, or what can become one.
        out_type: int32 or int64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector of the sizes.

    Raises:
        TypeError: `out_type` is neither tf.int32 nor tf.int64.
    """
    kind = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    if kind not in (dtypes.int32, dtypes.int64):
        raise UnsupportedTypeError(None, None, f"shape: out_type must be int32 or int64, got {kind.name}.")
    value = _measured(input)
    trace = STATE.trace
    if trace is not None and not trace.computes and value.shape.rank is None:
        return trace.sized(None, kind.numpy)
    return _sizes(tuple(value.shape), kind)


def _sizes(sizes: object, kind: DType) -> Tensor:
    """Sizes as a tensor; in a trace they may be unknown."""
    if STATE.trace is not None and not is_known(sizes if isinstance(sizes, tuple) else [sizes]):
        found: Tensor = STATE.trace.sized(sizes, kind.numpy)
        return found
    return from_array(np.array(sizes, kind.numpy)[()])


def _measured(input: object) -> Any:
    """The value as something with a shape: a tensor, or a sparse or ragged tensor unchanged."""
    return input if is_composite(input) else to_tensor(input)


@takes(input=sequence)
def shape_n(input: Sequence[TensorLike], out_type: DTypeLike = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors.

    >>> import gradtape as tf
    >>> [shape.numpy().tolist() for shape in tf.shape_n([tf.zeros([2, 3]), tf.zeros([4])])]
    [[2, 3], [4]]

    Args:
        input: A list of tensors, at least one.
        out_type: int32 or int64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A list of vectors.

    Raises:
        tf.errors.InvalidArgumentError: The list is empty.
    """
    if not input:
        raise invalid("shape_n: at least one tensor is needed, got an empty list.")
    return [shape(value, out_type) for value in input]


@takes(out_type=tensor_type)
def size(input: Any, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The number of elements, as int32 unless `out_type` says otherwise.

    >>> import gradtape as tf
    >>> tf.size([[1, 2, 3], [4, 5, 6]]).numpy()
    np.int32(6)

    Args:
        input: A tensor, or what can become one.
        out_type: int32 or int64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The number of elements.
    """
    values = complete_values(input)
    value = _measured(input) if values is None else values.of(input)
    dtype = dtypes.as_dtype(out_type or dtypes.int32)
    return _sizes(UNKNOWN if value.shape.rank is None else value.shape.num_elements(), dtype)


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of axes.

    >>> import gradtape as tf
    >>> tf.rank([[1, 2], [3, 4]]).numpy()
    np.int32(2)

    Args:
        input: A tensor, or what can become one.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The number of axes.
    """
    found = _measured(input).shape.rank
    return _sizes(UNKNOWN if found is None else found, dtypes.int32)


def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """x, checked to have a shape in which None matches anything.

    >>> import gradtape as tf
    >>> tf.ensure_shape(tf.ones([2, 3]), [None, 3]).shape
    TensorShape([2, 3])

    Args:
        x: A tensor.
        shape: The shape; None for sizes that may be anything.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The tensor.

    Raises:
        tf.errors.InvalidArgumentError: It has another shape.
    """
    tensor = to_tensor(x)
    if not TensorShape(shape).is_compatible_with(tensor.shape):
        raise invalid(
            f"ensure_shape: shape of tensor {tensor.shape} is not compatible with expected shape {TensorShape(shape)}."
        )
    return with_known_shape(identity_of(tensor), TensorSpec(shape, tensor.dtype))


def broadcast_static_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> TensorShape:
    """The broadcast shape of two shapes.

    >>> import gradtape as tf
    >>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
    TensorShape([2, 3])

    Args:
        shape_x: A shape.
        shape_y: A shape.

    Returns:
        A shape.

    Raises:
        ValueError: The shapes do not broadcast.
    """
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    common = broadcast(tuple(x), tuple(y))
    if common is None:
        raise ValueError(f"Incompatible shapes for broadcasting: {x} and {y}.")
    return TensorShape(common)


def _broadcast_shape_look(shape_x: TensorLike, shape_y: TensorLike) -> Abstract:
    x, y = (abstract_of(to_tensor(shape)) for shape in (shape_x, shape_y))
    if x.value is not None and y.value is not None:
        return Abstract.of_sizes(broadcast_sizes(tuple(x.value), tuple(y.value)))
    return Abstract((larger(x.shape[0], y.shape[0]),), np.dtype(np.int32))


@shaped(_broadcast_shape_look)
def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """The broadcast shape of two shapes, as a tensor.

    >>> import gradtape as tf
    >>> tf.broadcast_dynamic_shape([3, 1], [2]).numpy()
    array([3, 2], dtype=int32)

    Args:
        shape_x: A shape, as a vector of whole numbers.
        shape_y: The shape that it is broadcast with.

    Returns:
        The shape that both broadcast to, as an int32 vector.

    Raises:
        tf.errors.InvalidArgumentError: They do not broadcast.
    """
    common = broadcast(as_int_vector(shape_x, "shape_x"), as_int_vector(shape_y, "shape_y"))
    if common is None:
        raise invalid(f"Incompatible shapes for broadcasting: {list(as_ints(shape_x))} and {list(as_ints(shape_y))}.")
    return from_array(np.array(common, np.int32))


trace_public(globals(), pure=True)
