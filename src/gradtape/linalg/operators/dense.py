"""Operators that are given by their elements: a full matrix, a lower triangle."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import debugging, math
from ...base import dtypes
from ...base.types import TensorLike
from ...values.tensor import Tensor
from ..diagonals import band_part, diag_part
from ..products import adjoint as adjoint_of
from ..products import matmul
from ..systems import triangular_solve
from .hints import always
from .linear_operator import LinearOperator, arguments, parameter
from .sizes import Sizes

_TYPES = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)


class LinearOperatorFullMatrix(LinearOperator):
    """A matrix that is given whole.

    >>> import gradtape as tf
    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> operator.matvec([1.0, 1.0]).numpy()
    array([3., 7.], dtype=float32)

    Args:
        matrix: Matrices, in the last two axes.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _field_names = ("matrix",)
    _matrix_axes: ClassVar[dict[str, int]] = {"matrix": 2}

    def __init__(
        self,
        matrix: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        parameters = arguments(locals())
        self._matrix = parameter(matrix)
        if self._matrix.dtype not in _TYPES:
            raise TypeError(f"Argument `matrix` must have dtype in {list(_TYPES)}. Received: {self._matrix.dtype}.")
        if self._matrix.shape.rank is not None and self._matrix.shape.rank < 2:
            raise ValueError(f"Argument `matrix` must have at least 2 dimensions. Received: {self._matrix}.")
        super().__init__(
            self._matrix.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def matrix(self) -> Tensor:
        """The matrix."""
        return self._matrix

    def _sizes(self, sizes: Sizes) -> Any:
        return sizes.of(self._matrix)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Any:
        return self._matrix


class LinearOperatorLowerTriangular(LinearOperator):
    """A lower triangular matrix. What stands above the diagonal of `tril` does not count.

    >>> import gradtape as tf
    >>> operator = tf.linalg.LinearOperatorLowerTriangular([[1.0, 9.0], [3.0, 4.0]])
    >>> float(operator.determinant())
    4.0

    Args:
        tril: Square matrices, in the last two axes.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _field_names = ("tril",)
    _matrix_axes: ClassVar[dict[str, int]] = {"tril": 2}

    def __init__(
        self,
        tril: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        parameters = arguments(locals())
        is_square = always(is_square, "Only square lower triangular operators supported at this time.")
        self._tril = parameter(tril)
        if self._tril.shape.rank is not None and self._tril.shape.rank < 2:
            raise ValueError(f"Argument tril must have at least 2 dimensions.  Found: {self._tril}")
        super().__init__(
            self._tril.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name, parameters
        )

    @property
    def tril(self) -> Tensor:
        """The matrix that was given."""
        return self._tril

    def _sizes(self, sizes: Sizes) -> Any:
        return sizes.of(self._tril)

    def _assert_non_singular(self) -> Any:
        return assert_nonzero(self._diag_part(), "Singular operator:  Diagonal contained zero values.")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _determinant(self) -> Any:
        return math.reduce_prod(self._diag_part(), axis=-1)

    def _log_abs_determinant(self) -> Any:
        return math.reduce_sum(math.log(math.abs(self._diag_part())), axis=-1)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        return triangular_solve(self._to_dense(), rhs, lower=True, adjoint=adjoint)

    def _to_dense(self) -> Any:
        return band_part(self._tril, -1, 0)

    def _diag_part(self) -> Any:
        return diag_part(self._tril)

    def _eigvals(self) -> Any:
        return self._diag_part()


def assert_nonzero(x: Tensor, message: str) -> Any:
    """Raise InvalidArgumentError where an element is 0."""
    return debugging.assert_positive(math.abs(x), message=message)


def assert_real(x: Tensor, message: str) -> Any:
    """Raise InvalidArgumentError where an element has an imaginary part."""
    return (
        debugging.assert_equal(math.imag(x), math.cast(0, x.dtype.real_dtype), message=message)
        if x.dtype.is_complex
        else None
    )
