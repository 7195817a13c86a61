"""The adjoint and the inverse of an operator that has no better form: computed when they are applied."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import math
from ...values.tensor import Tensor
from ..products import adjoint as adjoint_of
from .hints import Hints, shared
from .linear_operator import LinearOperator, arguments
from .sizes import Sizes

_WORDS = dict(zip(Hints._fields, ("non-singular", "self-adjoint", "positive-definite", "square"), strict=True))


def _shared_hints(operator: LinearOperator, what: str, given: dict[str, Any]) -> Hints:
    """The hints of an operator and of its adjoint or inverse are the same."""
    return Hints(
        **{
            name: shared(operator, name, given[name], f"An operator is {word} if and only if its {what} is {word}.")
            for name, word in _WORDS.items()
        }
    )


class _Wrapped(LinearOperator):
    _field_names = ("operator",)
    _matrix_axes: ClassVar[dict[str, int]] = {"operator": 0}
    _operator: LinearOperator

    @property
    def operator(self) -> LinearOperator:
        """The operator itself."""
        return self._operator

    def _assert_non_singular(self) -> Any:
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        return self._operator.assert_self_adjoint()

    def _cond(self) -> Any:
        return self._operator.cond()


class LinearOperatorAdjoint(_Wrapped):
    """The conjugate transpose of an operator.

    >>> import gradtape as tf
    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorAdjoint(operator).matvec([1.0, 0.0]).numpy()
    array([1., 2.], dtype=float32)

    Args:
        operator: The operator.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        self._operator = operator
        hints = _shared_hints(operator, "adjoint", parameters)
        super().__init__(operator.dtype, None, *hints, name or f"{operator.name}_adjoint", parameters)

    def _sizes(self, sizes: Sizes) -> Any:
        shape = sizes.of(self._operator)
        return sizes.join(shape[:-2], shape[-1:], shape[-2:-1])

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Any:
        return self._operator.matvec(x, adjoint=not adjoint)

    def _conjugated(self, value: Any) -> Any:
        return value if self.is_self_adjoint else math.conj(value)

    def _determinant(self) -> Any:
        return self._conjugated(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Any:
        return self._conjugated(self._operator.trace())

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Any:
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _to_dense(self) -> Any:
        dense = self._operator.to_dense()
        return dense if self.is_self_adjoint else adjoint_of(dense)

    def _eigvals(self) -> Any:
        return self._conjugated(self._operator.eigvals())


class LinearOperatorInversion(_Wrapped):
    """The inverse of an operator: a product with it is a solution.

    >>> import gradtape as tf
    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorInversion(operator).matvec([3.0, 7.0]).numpy().round(4)
    array([1., 1.], dtype=float32)

    Args:
        operator: The operator.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or those of the operator.
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        self._operator = operator
        for hint in ("is_non_singular", "is_square"):
            if getattr(operator, hint) is False or parameters[hint] is False:
                raise ValueError(
                    f"Argument `{hint}` or argument `operator` must have supplied hint `{hint}` equal to `True` or `None`. "
                    f"Found `operator.{hint}`: {getattr(operator, hint)}, `{hint}`: {parameters[hint]}."
                )
        hints = _shared_hints(operator, "inverse", parameters)
        super().__init__(operator.dtype, None, *hints, name or f"{operator.name}_inv", parameters)

    def _sizes(self, sizes: Sizes) -> Any:
        return sizes.of(self._operator)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self._operator.log_abs_determinant()

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _eigvals(self) -> Any:
        return 1.0 / self._operator.eigvals()
