"""`tf.linalg.LinearOperatorLowRankUpdate`."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import math
from ...api.layout import expand_dims
from ...base.types import TensorLike
from ...values.tensor import Tensor
from ..decompositions import cholesky, det
from ..diagonals import diag_part
from ..products import matmul
from ..systems import cholesky_solve
from .batches import solve_by_batches
from .diag import LinearOperatorDiag
from .hints import implied
from .identity import LinearOperatorIdentity
from .linear_operator import LinearOperator, arguments, parameter
from .sizes import KNOWN, Sizes, best


class LinearOperatorLowRankUpdate(LinearOperator):
    """L + U D V^H for an operator L, thin matrices U and V, and a diagonal D: solved by the Woodbury identity.

    >>> import gradtape as tf
    >>> base = tf.linalg.LinearOperatorIdentity(2)
    >>> operator = tf.linalg.LinearOperatorLowRankUpdate(base, u=[[1.0], [0.0]], diag_update=[3.0])
    >>> operator.solvevec([4.0, 1.0]).numpy()
    array([1., 1.], dtype=float32)

    Args:
        base_operator: L.
        u: U, [..., rows, rank].
        diag_update: The diagonal of D; ones if it is left out.
        v: V; U if it is left out.
        is_diag_update_positive: Whether D is promised to be positive.
        is_non_singular: See `LinearOperator`.
        is_self_adjoint: See `LinearOperator`.
        is_positive_definite: See `LinearOperator`.
        is_square: See `LinearOperator`.
        name: A name for the operator.

    Raises:
        ValueError: A hint says the opposite of what the arguments imply.
    """

    _field_names = ("base_operator", "u", "diag_update", "v", "is_diag_update_positive")
    _matrix_axes: ClassVar[dict[str, int]] = {"base_operator": 0, "u": 2, "diag_update": 1, "v": 2}

    def __init__(
        self,
        base_operator: LinearOperator,
        u: TensorLike,
        diag_update: TensorLike | None = None,
        v: TensorLike | None = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        parameters = arguments(locals())
        if diag_update is None:
            is_diag_update_positive = implied(
                True,
                is_diag_update_positive,
                "Default diagonal is the identity, which is positive.  However, user set 'is_diag_update_positive' to False.",
            )
        self._base_operator = base_operator
        self._u = parameter(u)
        self._v = None if v is None else parameter(v)
        self._diag_update = None if diag_update is None else parameter(diag_update)
        self._is_diag_update_positive = is_diag_update_positive
        is_self_adjoint = implied(
            base_operator.is_self_adjoint and v is None and not base_operator.dtype.is_complex,
            is_self_adjoint,
            "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is self-adjoint, this must be a self-adjoint "
            "operator.",
        )
        if self._use_cholesky:
            if False in (is_positive_definite, is_self_adjoint, is_non_singular):
                raise ValueError("Arguments imply this is self-adjoint positive-definite operator.")
            is_positive_definite = is_self_adjoint = True
        super().__init__(
            base_operator.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )
        self._check_shapes()

    def _check_shapes(self) -> None:
        factors = KNOWN.broadcast(self.u.shape, self.v.shape)
        KNOWN.broadcast(self._base_operator.batch_shape, factors[:-2])
        self._base_operator.domain_dimension.assert_is_compatible_with(factors[-2])
        if self._diag_update is not None and not self._diag_update.shape[-1:].is_compatible_with(factors[-1:]):
            raise ValueError(
                f"`diag_update` has {self._diag_update.shape[-1]} elements, `u` and `v` have {factors[-1]} columns."
            )

    @property
    def base_operator(self) -> LinearOperator:
        """L."""
        return self._base_operator

    @property
    def u(self) -> Tensor:
        """U."""
        return self._u

    @property
    def v(self) -> Tensor:
        """V."""
        return self._u if self._v is None else self._v

    @property
    def diag_update(self) -> Tensor | None:
        """The diagonal of D, or None."""
        return self._diag_update

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether D is promised to be positive."""
        return self._is_diag_update_positive

    @property
    def diag_operator(self) -> LinearOperator:
        """D."""
        if self._diag_update is None:
            return LinearOperatorIdentity(best(self._u)[-1], dtype=self.dtype)
        return LinearOperatorDiag(self._diag_update, is_positive_definite=self._is_diag_update_positive)

    @property
    def _use_cholesky(self) -> bool:
        return self._base_operator._can_use_cholesky() and bool(self._is_diag_update_positive) and self._v is None

    def _assert_self_adjoint(self) -> Any:
        if self._v is None and self._diag_update is None:
            return self._base_operator.assert_self_adjoint()
        return super()._assert_self_adjoint()

    def _sizes(self, sizes: Sizes) -> Any:
        base = sizes.of(self._base_operator)
        batches = [base[:-2], sizes.of(self.u)[:-2], sizes.of(self.v)[:-2]]
        if self._diag_update is not None:
            batches.append(sizes.of(self._diag_update)[:-1])
        return sizes.join(sizes.broadcast(*batches), base[-2:])

    def _factors(self, adjoint: bool) -> tuple[Any, Any]:
        return (self.v, self.u) if adjoint else (self.u, self.v)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        u, v = self._factors(adjoint)
        inner = self.diag_operator.matmul(matmul(v, x, adjoint_a=True, adjoint_b=adjoint_arg), adjoint=adjoint)
        return self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) + matmul(u, inner)

    def _capacitance(self) -> Any:
        """D^-1 + V^H L^-1 U, as small as the rank of the update."""
        inner = matmul(self.v, self._base_operator.solve(self.u), adjoint_a=True)
        return self.diag_operator.inverse().add_to_tensor(inner)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        if self._base_operator.is_non_singular is False:
            raise ValueError("Solve not implemented unless this is a perturbation of a non-singular LinearOperator.")
        u, v = self._factors(adjoint)
        first = self._base_operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul(v, first, adjoint_a=True)
        if self._use_cholesky:
            inner = solve_by_batches(cholesky_solve, cholesky(self._capacitance()), inner)
        else:
            inner = solve_by_batches(None, self._capacitance(), inner, adjoint=adjoint)
        return first - self._base_operator.solve(matmul(u, inner), adjoint=adjoint)

    def _determinant(self) -> Any:
        if self.is_positive_definite:
            return math.exp(self.log_abs_determinant())
        return det(self._capacitance()) * self.diag_operator.determinant() * self._base_operator.determinant()

    def _log_abs_determinant(self) -> Any:
        if self._use_cholesky:
            inner = 2 * math.reduce_sum(math.log(diag_part(cholesky(self._capacitance()))), axis=-1)
        else:
            inner = math.cast(math.log(math.abs(det(self._capacitance()))), self.dtype)
        return inner + self.diag_operator.log_abs_determinant() + self._base_operator.log_abs_determinant()

    def _diag_part(self) -> Any:
        product = self.u * math.conj(self.v)
        if self._diag_update is not None:
            product = product * expand_dims(self._diag_update, -2)
        return math.reduce_sum(product, axis=-1) + self._base_operator.diag_part()
