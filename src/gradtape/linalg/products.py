"""Products and transposes of matrices in the last two axes."""

from __future__ import annotations

from typing import Any

from .. import math
from ..api.layout import expand_dims, squeeze, transpose
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import DTypeLike, TensorLike
from ..op.arguments import flag, given
from ..ops.linalg import products as o
from ..ops.public import cross as cross
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable


def matmul(
    a: Any,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of matrices in the last two axes, with broadcasting over the others.

    >>> import gradtape as tf
    >>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()
    array([[11.]], dtype=float32)

    Args:
        a: Matrices, in the last two axes.
        b: Matrices of the same type.
        transpose_a: Whether to transpose a.
        transpose_b: Whether to transpose b.
        adjoint_a: Whether to transpose and conjugate a.
        adjoint_b: Whether to transpose and conjugate b.
        a_is_sparse: Ignored; accepted for compatibility with TensorFlow.
        b_is_sparse: Ignored; accepted for compatibility with TensorFlow.
        output_type: The type of the result.
        grad_a: Ignored; accepted for compatibility with TensorFlow.
        grad_b: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The product of the last two axes; the axes before them broadcast.

    Raises:
        tf.errors.InvalidArgumentError: The inner sizes differ, or an operand has fewer than two axes.
    """
    if transpose_a is False and transpose_b is False and not (adjoint_a or adjoint_b or output_type):
        return o.matmul.public(a, b)
    transpose_a = given(flag, "transpose_a", transpose_a, False)
    transpose_b = given(flag, "transpose_b", transpose_b, False)
    if not (adjoint_a or adjoint_b or output_type):
        return o.matmul.public(a, b, transpose_a, transpose_b)
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise ValueError("Only one of transpose and adjoint can be True for an operand.")
    first = next((v for v in (a, b) if isinstance(v, (Tensor, Variable))), None)
    a = to_tensor(a, None if first is None or isinstance(a, (Tensor, Variable)) else first.dtype)
    b = to_tensor(b, a.dtype if not isinstance(b, (Tensor, Variable)) else None)
    if output_type is not None:
        a, b = math.cast(a, output_type), math.cast(b, output_type)
    a = math.conj(a) if adjoint_a else a
    b = math.conj(b) if adjoint_b else b
    return o.matmul.public(a, b, True if adjoint_a else transpose_a, True if adjoint_b else transpose_b)


def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of matrices in the last two axes of `a` with vectors in the last axis of `b`.

    >>> import gradtape as tf
    >>> tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]).numpy()
    array([21., 43.], dtype=float32)

    Args:
        a: Matrices, in the last two axes.
        b: Vectors of the same type, in the last axis; the axes before broadcast.
        transpose_a: Whether to transpose a.
        adjoint_a: Whether to transpose and conjugate a.
        a_is_sparse: Ignored; accepted for compatibility with TensorFlow.
        b_is_sparse: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Vectors.

    Raises:
        ValueError: a is to be transposed and conjugated at once.
        tf.errors.InvalidArgumentError: The sizes do not fit.
    """
    b = to_tensor(b, None if isinstance(b, (Tensor, Variable)) else to_tensor(a).dtype)
    if not b.ndim:
        raise invalid("matvec: b must have at least one axis, got a scalar.")
    product = matmul(a, expand_dims(b, -1), transpose_a=transpose_a, adjoint_a=adjoint_a)
    return squeeze(product, -1)


def matrix_transpose(a: TensorLike, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """The last two axes exchanged.

    >>> import gradtape as tf
    >>> tf.linalg.matrix_transpose([[1, 2, 3]]).numpy()
    array([[1],
           [2],
           [3]], dtype=int32)

    Args:
        a: Matrices, in the last two axes.
        name: Ignored; accepted for compatibility with TensorFlow.
        conjugate: Whether to conjugate as well.

    Returns:
        The transposed matrices.

    Raises:
        ValueError: There are fewer than two axes.
    """
    x = to_tensor(a)
    if x.ndim < 2:
        raise ValueError(
            f"Argument `a` should be a (batch) matrix with rank >= 2. Received `a` = {x!r}, shape {x.shape}"
        )
    return transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2], conjugate)


def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The last two axes exchanged, and complex numbers conjugated.

    >>> import gradtape as tf
    >>> tf.linalg.adjoint([[1.0 + 2.0j, 3.0]]).numpy()
    array([[1.-2.j],
           [3.-0.j]])

    Args:
        matrix: Matrices, in the last two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The adjoint matrices.

    Raises:
        ValueError: There are fewer than two axes.
    """
    return matrix_transpose(matrix, conjugate=True)


trace_public(globals())
