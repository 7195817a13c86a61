"""`tf.linalg.LinearOperatorDiag`."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import debugging, math
from ...api.arrays import convert_to_tensor
from ...api.layout import expand_dims
from ...base.types import TensorLike
from ...values.tensor import Tensor
from ..diagonals import diag as matrix_of
from ..diagonals import diag_part, set_diag
from ..products import adjoint as adjoint_of
from .dense import assert_nonzero, assert_real
from .hints import always, implied
from .linear_operator import LinearOperator, arguments, parameter
from .sizes import Sizes


class LinearOperatorDiag(LinearOperator):
    """A diagonal matrix.

    >>> import gradtape as tf
    >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).to_dense().numpy()
    array([[1., 0.],
           [0., 2.]], dtype=float32)

    Args:
        diag: The diagonal, in the last axis.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _field_names = ("diag",)
    _matrix_axes: ClassVar[dict[str, int]] = {"diag": 1}

    def __init__(
        self,
        diag: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        parameters = arguments(locals())
        self._diag = parameter(diag)
        if self._diag.shape.rank == 0:
            raise ValueError(f"Argument diag must have at least 1 dimension.  Found: {self._diag}")
        is_self_adjoint = implied(
            not self._diag.dtype.is_complex, is_self_adjoint, "A real diagonal operator is always self adjoint."
        )
        is_square = always(is_square, "Only square diagonal operators currently supported.")
        super().__init__(
            self._diag.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name, parameters
        )

    @property
    def diag(self) -> Tensor:
        """The diagonal."""
        return self._diag

    def _sizes(self, sizes: Sizes) -> Any:
        vector = sizes.of(self._diag)
        return sizes.join(vector, vector[-1:])

    def _assert_non_singular(self) -> Any:
        return assert_nonzero(self._diag, "Singular operator:  Diagonal contained zero values.")

    def _assert_positive_definite(self) -> Any:
        return debugging.assert_positive(
            math.real(self._diag),
            message="Diagonal operator had diagonal entries with non-positive real part, thus was not positive definite."
            if self.dtype.is_complex
            else "Real diagonal operator had non-positive diagonal entries, thus was not positive definite.",
        )

    def _assert_self_adjoint(self) -> Any:
        return assert_real(
            self._diag,
            "This diagonal operator contained non-zero imaginary values.   Thus it was not self-adjoint.",
        )

    def _diagonal(self, adjoint: bool) -> Any:
        return math.conj(self._diag) if adjoint else self._diag

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return expand_dims(self._diagonal(adjoint), -1) * (adjoint_of(x) if adjoint_arg else x)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Any:
        return self._diagonal(adjoint) * x

    def _determinant(self) -> Any:
        return math.reduce_prod(self._diag, axis=-1)

    def _log_abs_determinant(self) -> Any:
        return math.cast(math.reduce_sum(math.log(math.abs(self._diag)), axis=-1), self.dtype)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return (adjoint_of(rhs) if adjoint_arg else rhs) / expand_dims(self._diagonal(adjoint), -1)

    def _to_dense(self) -> Any:
        return matrix_of(self._diag)

    def _diag_part(self) -> Any:
        return self._diag

    def _add_to_tensor(self, x: Tensor) -> Any:
        return set_diag(x, self._diag + diag_part(x))

    def _eigvals(self) -> Any:
        return convert_to_tensor(self._diag)

    def _cond(self) -> Any:
        sizes = math.abs(self._diag)
        return math.reduce_max(sizes, axis=-1) / math.reduce_min(sizes, axis=-1)
