"""Diagonals and bands of matrices, and of tensors with paired axes."""

from __future__ import annotations

import math as python_math
from typing import Any

import numpy as np

from ..api.arrays import reshape
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import IntLike, TensorLike
from ..op.arguments import takes, text
from ..op.attributes import as_int, as_ints
from ..ops.linalg import diagonal as o
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable


def _as_band(k: object) -> tuple[int, int]:
    """The lowest and the highest diagonal, from one number or a pair."""
    numbers = as_ints(k)
    if len(numbers) not in (1, 2):
        raise invalid(f"k must be one diagonal or the lowest and the highest, got {k!r}.")
    return numbers[0], numbers[-1]


def _as_padding(value: TensorLike, dtype: Any) -> Any:
    """The padding as a Python number that the type can hold."""
    number = np.asarray(to_tensor(value, None if isinstance(value, (int, float, complex, Tensor)) else dtype)._array)
    if number.ndim:
        raise invalid(f"padding_value must be one number, got shape {number.shape}.")
    if (number.dtype.kind == "c" and not dtype.is_complex) or (
        number.dtype.kind == "f" and not dtype.is_differentiable
    ):
        raise TypeError(f"padding_value {value!r} cannot be of type {dtype.name}.")
    return number.item()


@takes(align=text)
def diag(
    diagonal: TensorLike,
    name: str = "diag",
    k: object = 0,
    num_rows: IntLike = -1,
    num_cols: IntLike = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with the given diagonals, and `padding_value` elsewhere.

    >>> import gradtape as tf
    >>> tf.linalg.diag([1, 2], k=1).numpy()
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]], dtype=int32)

    Args:
        diagonal: One diagonal in the last axis, or several in the last two: one row each, the highest first.
        name: Ignored; accepted for compatibility with TensorFlow.
        k: Which diagonal (0 the main one, positive above it), or the lowest and the highest of several.
        num_rows: The rows of the matrices; by default those of the smallest square that holds the diagonals.
        num_cols: Their columns, likewise.
        padding_value: What stands elsewhere.
        align: On which side shorter superdiagonals and subdiagonals are aligned in their row: "RIGHT_LEFT",
            "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT".

    Returns:
        Matrices, in the last two axes.

    Raises:
        tf.errors.InvalidArgumentError: The diagonals do not fit into the matrices.
    """
    x = to_tensor(diagonal)
    return o.diag.public(x, _as_band(k), as_int(num_rows), as_int(num_cols), _as_padding(padding_value, x.dtype), align)


@takes(align=text)
def diag_part(
    input: object, name: str = "diag_part", k: object = 0, padding_value: TensorLike = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """The diagonals of matrices: a vector for one, a row each (from the highest down, padded) for several.

    >>> import gradtape as tf
    >>> tf.linalg.diag_part([[1, 2, 3], [4, 5, 6]]).numpy()
    array([1, 5], dtype=int32)
    >>> tf.linalg.diag_part([[1, 2, 3], [4, 5, 6]], k=(-1, 1)).numpy()
    array([[2, 6],
           [1, 5],
           [4, 0]], dtype=int32)

    Args:
        input: Matrices, in the last two axes.
        name: Ignored; accepted for compatibility with TensorFlow.
        k: Which diagonal (0 the main one, positive above it), or the lowest and the highest of several.
        padding_value: What fills the rows of shorter diagonals.
        align: On which side shorter superdiagonals and subdiagonals are aligned in their row: "RIGHT_LEFT",
            "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT".

    Returns:
        The diagonals.

    Raises:
        tf.errors.InvalidArgumentError: There is no such diagonal, or there are fewer than two axes.
    """
    x = to_tensor(input)
    return o.diag_part.public(x, _as_band(k), _as_padding(padding_value, x.dtype), align)


@takes(align=text)
def set_diag(
    input: TensorLike, diagonal: TensorLike, name: str = "set_diag", k: IntLike = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices with some diagonals replaced.

    >>> import gradtape as tf
    >>> tf.linalg.set_diag(tf.ones([2, 3]), [5.0, 6.0]).numpy()
    array([[5., 1., 1.],
           [1., 6., 1.]], dtype=float32)

    Args:
        input: Matrices, in the last two axes.
        diagonal: The new diagonals, written as in `tf.linalg.diag`.
        name: Ignored; accepted for compatibility with TensorFlow.
        k: Which diagonal (0 the main one, positive above it), or the lowest and the highest of several.
        align: On which side shorter superdiagonals and subdiagonals are aligned in their row.

    Returns:
        Matrices of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: The diagonals do not fit the matrices.
    """
    return o.set_diag.public(input, diagonal, _as_band(k), align)


def band_part(input: object, num_lower: IntLike, num_upper: IntLike, name: str | None = None) -> Tensor:
    """Matrices with zeros outside a band of diagonals around the main one.

    >>> import gradtape as tf
    >>> tf.linalg.band_part(tf.ones([3, 3]), -1, 0).numpy()
    array([[1., 0., 0.],
           [1., 1., 0.],
           [1., 1., 1.]], dtype=float32)

    Args:
        input: Matrices, in the last two axes.
        num_lower: How many diagonals below the main one stay; all of them if negative.
        num_upper: How many above it, likewise.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Matrices of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: There are fewer than two axes, or not so many diagonals.
    """
    return o.band_part.public(input, as_int(num_lower), as_int(num_upper))


def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of matrices.

    >>> import gradtape as tf
    >>> tf.linalg.trace([[1.0, 2.0], [3.0, 4.0]]).numpy()
    np.float32(5.0)

    Args:
        x: Matrices, in the last two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the last two axes.
    """
    return o.trace.public(x)


def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """`diagonal` where the first half of the indices equals the second, zero elsewhere: twice the rank.

    >>> import gradtape as tf
    >>> tf.linalg.tensor_diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)

    Args:
        diagonal: A tensor of one axis or more.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with the axes of `diagonal` twice.

    Raises:
        tf.errors.InvalidArgumentError: The diagonal is a scalar, or bool.
    """
    x = to_tensor(diagonal)
    if not x.ndim:
        raise invalid("tensor_diag: the diagonal must have at least one axis, got a scalar.")
    if x.dtype.name == "bool":
        raise invalid("tensor_diag is not defined for bool. Use tf.linalg.diag.")
    shape = tuple(x.shape)
    return reshape(diag(reshape(x, (python_math.prod(shape),))), (*shape, *shape))


def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The elements of a tensor at which the first half of the indices equals the second.

    >>> import gradtape as tf
    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)

    Args:
        input: A tensor whose shape has two equal halves.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with the first half of the axes.

    Raises:
        tf.errors.InvalidArgumentError: The halves differ.
    """
    x = input if isinstance(input, (Tensor, Variable)) else to_tensor(input)
    shape = tuple(x.shape)
    half = len(shape) // 2
    if len(shape) % 2 or shape[:half] != shape[half:]:
        raise invalid(f"tensor_diag_part: the two halves of the shape must be equal, got {shape}.")
    size = python_math.prod(shape[:half])
    return reshape(diag_part(reshape(x, (size, size))), shape[:half])


trace_public(globals())
