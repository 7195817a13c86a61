"""Products of operators: one after the other, and the Kronecker product."""

from __future__ import annotations

import functools
import operator as python
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ... import math
from ...api.arrays import reshape
from ...base.errors import invalid
from ...values.tensor import Tensor
from ..products import matrix_transpose
from .hints import implied
from .linear_operator import LinearOperator, arguments
from .sizes import KNOWN, Sizes, best, joined


def checked_operators(operators: object) -> list[Any]:
    """A list of at least one operator, all of one type."""
    if not isinstance(operators, (list, tuple)):
        raise TypeError(f'Expected argument "operators" to be a list or tuple of operators. Found: {operators!r}')
    if not operators:
        raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
    if len({operator.dtype for operator in operators}) > 1:
        found = "   ".join(str((operator.name, operator.dtype)) for operator in operators)
        raise TypeError(f"Expected all operators to have the same dtype.  Found {found}")
    return list(operators)


def _is_adjoint_pair(left: LinearOperator, right: LinearOperator) -> bool:
    if left is right and left.is_self_adjoint is not None:
        return left.is_self_adjoint
    return left.H is right or right.H is left


def is_product_with_adjoint(operators: Sequence[LinearOperator]) -> bool:
    """Whether the operators are A1, A2, ..., A2^H, A1^H."""
    half, odd = divmod(len(operators), 2)
    return not odd and all(_is_adjoint_pair(operators[i], operators[-1 - i]) for i in range(half))


def summed(logarithms: list[Any], dtype: Any) -> Any:
    """The sum of logarithms of determinants; some complex operators have real ones."""
    if len({value.dtype for value in logarithms}) > 1:
        logarithms = [math.cast(value, dtype) for value in logarithms]
    return functools.reduce(python.add, logarithms)


class LinearOperatorComposition(LinearOperator):
    """Operators applied one after the other, the last one first.

    >>> import gradtape as tf
    >>> double = tf.linalg.LinearOperatorScaledIdentity(2, 2.0)
    >>> swap = tf.linalg.LinearOperatorPermutation([1, 0])
    >>> tf.linalg.LinearOperatorComposition([double, swap]).matvec([1.0, 5.0]).numpy()
    array([10.,  2.], dtype=float32)

    Args:
        operators: The operators, of one type, as they would be written in a product.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _field_names = ("operators",)
    _matrix_axes: ClassVar[dict[str, int]] = {"operators": 0}

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        self._operators = checked_operators(operators)
        is_non_singular = implied(
            all(operator.is_non_singular for operator in operators),
            is_non_singular,
            "The composition of non-singular operators is always non-singular.",
        )
        with_adjoint = is_product_with_adjoint(self._operators)
        is_self_adjoint = implied(
            with_adjoint or (len(operators) == 1 and operators[0].is_self_adjoint),
            is_self_adjoint,
            "The composition was determined to be self-adjoint but user provided incorrect `False` hint.",
        )
        is_square = implied(
            with_adjoint,
            is_square,
            "The composition was determined have the form A @ A.H, hence it must be square. The user provided an incorrect "
            "`False` hint.",
        )
        is_positive_definite = implied(
            with_adjoint and is_non_singular,
            is_positive_definite,
            "The composition was determined to be non-singular and have the form A @ A.H, hence it must be "
            "positive-definite. The user provided an incorrect `False` hint.",
        )
        super().__init__(
            operators[0].dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name or "_o_".join(operator.name for operator in operators),
            parameters,
        )

    @property
    def operators(self) -> list[Any]:
        """The operators, the last applied first in the list."""
        return self._operators

    def _sizes(self, sizes: Sizes) -> Any:
        shapes = [sizes.of(operator) for operator in self._operators]
        if sizes is KNOWN:
            for left, right in zip(self._operators, self._operators[1:], strict=False):
                left.domain_dimension.assert_is_compatible_with(right.range_dimension)
        batch = sizes.broadcast(*(shape[:-2] for shape in shapes))
        return sizes.join(batch, shapes[0][-2:-1], shapes[-1][-1:])

    def _in_turn(self, method: str, x: object, backwards: bool, adjoint: bool, adjoint_arg: bool) -> Any:
        for operator in reversed(self._operators) if backwards else self._operators:
            x, adjoint_arg = getattr(operator, method)(x, adjoint=adjoint, adjoint_arg=adjoint_arg), False
        return x

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._in_turn("matmul", x, not adjoint, adjoint, adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._in_turn("solve", rhs, adjoint, adjoint, adjoint_arg)

    def _determinant(self) -> Any:
        return functools.reduce(python.mul, [operator.determinant() for operator in self._operators])

    def _log_abs_determinant(self) -> Any:
        return summed([operator.log_abs_determinant() for operator in self._operators], self.dtype)

    def _assert_non_singular(self) -> Any:
        if not all(operator.is_square for operator in self._operators):
            return super()._assert_non_singular()
        for operator in self._operators:
            operator.assert_non_singular()
        return None


class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators.

    >>> import gradtape as tf
    >>> left, right = tf.linalg.LinearOperatorDiag([1.0, 2.0]), tf.linalg.LinearOperatorDiag([3.0, 4.0])
    >>> tf.linalg.LinearOperatorKronecker([left, right]).diag_part().numpy()
    array([3., 4., 6., 8.], dtype=float32)

    Args:
        operators: The operators, of one type.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _field_names = ("operators",)
    _matrix_axes: ClassVar[dict[str, int]] = {"operators": 0}

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        self._operators = checked_operators(operators)

        def of_all(hint: str, word: str) -> bool | None:
            return implied(
                all(getattr(operator, hint) for operator in operators),
                parameters[hint],
                f"The Kronecker product of {word} operators is always {word}. Expected argument `{hint}` to be True. "
                f"Received: {parameters[hint]}.",
            )

        super().__init__(
            operators[0].dtype,
            None,
            of_all("is_non_singular", "non-singular"),
            of_all("is_self_adjoint", "self-adjoint"),
            of_all("is_positive_definite", "positive-definite"),
            is_square,
            name or "_x_".join(operator.name for operator in operators),
            parameters,
        )

    @property
    def operators(self) -> list[Any]:
        """The factors."""
        return self._operators

    def _sizes(self, sizes: Sizes) -> Any:
        shapes = [sizes.of(operator) for operator in self._operators]
        batch = sizes.broadcast(*(shape[:-2] for shape in shapes))
        rows, columns = (sizes.join(*(shape[-2:][k : k + 1] for shape in shapes)) for k in (0, 1))
        return sizes.join(batch, sizes.product(rows), sizes.product(columns))

    def _by_factor(self, method: str, x: Any, adjoint: bool, adjoint_arg: bool, rows_out: Any) -> Any:
        """Apply each factor to its own axis of x.

        (A kron B) vec(X) = vec(A X B^T): in each turn the columns belong to one factor, whose product with the transposed matrix
        brings the columns of the next factor to the end. The conjugates undo those of `adjoint_arg`.
        """
        vectors = best(x)[-2 if adjoint_arg else -1]
        x = math.conj(x) if adjoint_arg else matrix_transpose(x)
        for operator in reversed(self._operators):
            size = operator.range_dimension if adjoint else operator.domain_dimension
            columns: Any = size.value
            if columns is None:
                columns = operator.range_dimension_tensor() if adjoint else operator.domain_dimension_tensor()
            x = reshape(x, joined(best(x)[:-2], [-1, columns]))
            x = getattr(operator, method)(math.conj(x), adjoint=adjoint, adjoint_arg=True)
        return reshape(x, joined(best(x)[:-2], [rows_out, vectors]))

    def _rows(self, adjoint: bool) -> Any:
        size = (self.domain_dimension if adjoint else self.range_dimension).value
        if size is not None:
            return size
        return self.domain_dimension_tensor() if adjoint else self.range_dimension_tensor()

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._by_factor("matmul", x, adjoint, adjoint_arg, self._rows(adjoint))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._by_factor("solve", rhs, adjoint, adjoint_arg, self._rows(adjoint))

    def _copies(self, operator: LinearOperator) -> Any:
        """How many copies of a factor stand in the product."""
        return self.domain_dimension_tensor() // operator.domain_dimension_tensor()

    def _determinant(self) -> Any:
        return functools.reduce(
            python.mul,
            [operator.determinant() ** math.cast(self._copies(operator), self.dtype) for operator in self._operators],
        )

    def _log_abs_determinant(self) -> Any:
        values = [operator.log_abs_determinant() for operator in self._operators]
        pairs = zip(self._operators, values, strict=True)
        return summed([value * math.cast(self._copies(operator), value.dtype) for operator, value in pairs], self.dtype)

    def _trace(self) -> Any:
        return functools.reduce(python.mul, [operator.trace() for operator in self._operators])

    def _combined(self, vector_of: Callable[[Any], Any]) -> Any:
        """The Kronecker product of one vector of each factor."""

        def pair(left: Any, right: Any) -> Any:
            both = left[..., :, None] * right[..., None, :]
            return reshape(both, joined(best(both)[:-2], [-1]))

        return functools.reduce(pair, [vector_of(operator) for operator in self._operators])

    def _diag_part(self) -> Any:
        if all(operator.is_square for operator in self._operators):
            return self._combined(lambda operator: operator.diag_part())
        return super()._diag_part()

    def _eigvals(self) -> Any:
        return self._combined(lambda operator: operator.eigvals())

    def _to_dense(self) -> Any:
        def pair(left: Any, right: Any) -> Any:
            both = left[..., :, None, :, None] * right[..., None, :, None, :]
            sizes = best(both)
            return reshape(both, joined(sizes[:-4], [sizes[-4] * sizes[-3], sizes[-2] * sizes[-1]]))

        return functools.reduce(pair, [operator.to_dense() for operator in self._operators])

    def _for_each(self, method: str) -> None:
        if not all(operator.is_square for operator in self._operators):
            raise invalid(
                "All Kronecker factors must be square for the product to be invertible. Expected hint `is_square` to be True "
                "for every operator in argument `operators`."
            )
        for operator in self._operators:
            getattr(operator, method)()

    def _assert_non_singular(self) -> Any:
        self._for_each("assert_non_singular")

    def _assert_self_adjoint(self) -> Any:
        self._for_each("assert_self_adjoint")
