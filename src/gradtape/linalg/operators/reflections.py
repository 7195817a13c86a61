"""Householder reflections and permutations."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ... import math
from ...api.arrays import broadcast_to, convert_to_tensor, ones, zeros
from ...api.arrays import range as int_range
from ...api.indexing import gather
from ...api.layout import concat
from ...api.sorting import argsort
from ...base import dtypes
from ...base.errors import invalid
from ...base.types import DTypeLike, TensorLike
from ...values.tensor import EagerTensor, Tensor
from ..diagonals import diag_part, set_diag
from ..products import adjoint as adjoint_of
from ..products import matmul
from .hints import always
from .linear_operator import LinearOperator, arguments, parameter
from .sizes import COMPUTED, KNOWN, Sizes, best, joined


class LinearOperatorHouseholder(LinearOperator):
    """The reflection at the plane that is perpendicular to `reflection_axis`.

    >>> import gradtape as tf
    >>> tf.linalg.LinearOperatorHouseholder([2.0, 0.0]).matvec([3.0, 4.0]).numpy()
    array([-3.,  4.], dtype=float32)

    Args:
        reflection_axis: A vector that is not 0, in the last axis; its length does not matter.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _field_names = ("reflection_axis",)
    _matrix_axes: ClassVar[dict[str, int]] = {"reflection_axis": 1}

    def __init__(
        self,
        reflection_axis: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        parameters = arguments(locals())
        self._reflection_axis = parameter(reflection_axis)
        if self._reflection_axis.shape.rank == 0:
            raise ValueError(
                f"Argument reflection_axis must have at least 1 dimension.  Found: {self._reflection_axis}"
            )
        is_self_adjoint = always(is_self_adjoint, "A Householder operator is always self adjoint.")
        if is_positive_definite:
            raise ValueError("A Householder operator is always non-positive definite.")
        is_square = always(is_square, "A Householder operator is always square.")
        super().__init__(
            self._reflection_axis.dtype, None, is_non_singular, is_self_adjoint, False, is_square, name, parameters
        )

    @property
    def reflection_axis(self) -> Tensor:
        """The axis that is turned around; its length does not count."""
        return self._reflection_axis

    def _sizes(self, sizes: Sizes) -> Any:
        vector = sizes.of(self._reflection_axis)
        return sizes.join(vector, vector[-1:])

    def _assert_non_singular(self) -> Any:
        return None

    _assert_self_adjoint = _assert_non_singular

    def _assert_positive_definite(self) -> Any:
        raise invalid("Householder operators are always non-positive definite.")

    def _unit(self) -> Any:
        return math.l2_normalize(convert_to_tensor(self._reflection_axis), axis=-1)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        column = self._unit()[..., None]
        return x - 2 * column * matmul(column, x, adjoint_a=True)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _trace(self) -> Any:
        return math.cast(self.domain_dimension_tensor() - 2, self.dtype) * self._batch_tensor(ones)

    def _determinant(self) -> Any:
        return -self._batch_tensor(ones)

    def _log_abs_determinant(self) -> Any:
        return self._batch_tensor(zeros)

    def _cond(self) -> Any:
        return self._batch_tensor(ones)

    def _to_dense(self) -> Any:
        column = self._unit()[..., None]
        matrix = -2 * matmul(column, column, adjoint_b=True)
        return set_diag(matrix, 1.0 + diag_part(matrix))

    def _diag_part(self) -> Any:
        unit = self._unit()
        return 1.0 - 2 * unit * math.conj(unit)

    def _eigvals(self) -> Any:
        sizes = best(self._reflection_axis)
        minus, plus = (ones(joined(sizes[:-1], [count]), dtype=self.dtype) for count in (1, sizes[-1] - 1))
        return concat([-minus, plus], axis=-1)


class LinearOperatorPermutation(LinearOperator):
    """A permutation of the elements of vectors: result i is element `perm[i]`.

    >>> import gradtape as tf
    >>> tf.linalg.LinearOperatorPermutation([2, 0, 1]).matvec([10.0, 20.0, 30.0]).numpy()
    array([30., 10., 20.], dtype=float32)

    Args:
        perm: The numbers from 0 on, each once, in the last axis.
        dtype: The type of what it is applied to.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _field_names = ("perm", "dtype")
    _matrix_axes: ClassVar[dict[str, int]] = {"perm": 1}

    def __init__(
        self,
        perm: TensorLike,
        dtype: DTypeLike = dtypes.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        parameters = arguments(locals())
        self._perm = parameter(perm)
        self._check_perm()
        always(
            is_non_singular,
            "A Permutation operator is always non-singular. Expected argument `is_non_singular` to be True. Received: False.",
        )
        is_square = always(
            is_square,
            "A Permutation operator is always square. Expected argument `is_square` to be True. Received: False.",
        )
        super().__init__(
            dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name, parameters
        )

    def _check_perm(self) -> None:
        perm = self._perm
        if perm.shape.rank == 0:
            raise ValueError(f"Argument `perm` must have at least 1 dimension. Received: {perm}.")
        if not perm.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be integer dtype. Received: {perm}.")
        if isinstance(perm, EagerTensor):
            places = perm.numpy()
            if (np.sort(places, axis=-1) != np.arange(places.shape[-1])).any():
                raise ValueError(
                    f"Argument `perm` must be a vector of unique integers from 0 to {places.shape[-1] - 1}."
                )

    @property
    def perm(self) -> Tensor:
        """Where each element of the result is taken from."""
        return self._perm

    def _sizes(self, sizes: Sizes) -> Any:
        vector = sizes.of(self._perm)
        return sizes.join(vector, vector[-1:])

    def _assert_non_singular(self) -> Any:
        return None

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        perm = convert_to_tensor(self._perm)
        if adjoint and not self.is_self_adjoint:
            perm = argsort(perm, axis=-1)
        if perm.ndim == 1:
            return gather(x, perm, axis=-2)
        known = KNOWN.broadcast(x.shape[:-2], perm.shape[:-1])
        common = known if known.is_fully_defined() else COMPUTED.broadcast(COMPUTED.of(x)[:-2], COMPUTED.of(perm)[:-1])
        perm = broadcast_to(perm, joined(common, best(perm)[-1:]))
        return gather(broadcast_to(x, joined(common, best(x)[-2:])), perm, axis=-2, batch_dims=perm.ndim - 1)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _log_abs_determinant(self) -> Any:
        return self._batch_tensor(zeros)

    def _cond(self) -> Any:
        return self._batch_tensor(ones)

    def _places(self) -> Any:
        return int_range(best(self._perm)[-1], dtype=self._perm.dtype)

    def _to_dense(self) -> Any:
        return math.cast(math.equal(self._places(), self._perm[..., None]), self.dtype)

    def _diag_part(self) -> Any:
        return math.cast(math.equal(self._places(), self._perm), self.dtype)
