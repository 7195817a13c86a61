"""Operators made of blocks: on the diagonal, and in the lower triangle."""

from __future__ import annotations

import functools
import operator as python
from typing import Any, ClassVar

from ... import math
from ...api.arrays import convert_to_tensor, zeros
from ...api.layout import concat, expand_dims, split, squeeze
from ...base import nest
from ...base.types import TensorLike
from ...values.tensor import Tensor
from ..products import adjoint as adjoint_of
from .algebra import PRODUCTS, QUOTIENTS, by_rule
from .batches import broadcast_batches
from .hints import implied
from .linear_operator import LinearOperator, arguments
from .products import checked_operators, summed
from .sizes import Sizes, best, joined


class _Blocks(LinearOperator):
    """What block operators share. They also take an argument that is cut into blocks, and give such a result."""

    _field_names = ("operators",)
    _matrix_axes: ClassVar[dict[str, int]] = {"operators": 0}
    _operators: list[Any]

    @property
    def operators(self) -> list[Any]:
        """The blocks."""
        return self._operators

    @property
    def _diagonal(self) -> list[Any]:
        """The blocks on the diagonal."""
        raise NotImplementedError

    def _multiplied(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        raise NotImplementedError

    def _solved(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        raise NotImplementedError

    # --- arguments in blocks -----------------------------------------------------------------------------------------------

    def _dimensions(self, rows: bool) -> list[Any]:
        return [block.range_dimension if rows else block.domain_dimension for block in self._diagonal]

    def _is_in_blocks(self, x: object, axis: int, dimensions: list[Any]) -> bool:
        """Whether an argument is a list with one block for each of ours, and not one matrix written as lists."""
        if not isinstance(x, (list, tuple)) or len(x) != len(dimensions):
            return False
        if not any(nest.is_nested(block) for block in x):
            return True
        given = [convert_to_tensor(block).shape[axis] for block in x]
        if all(dimension.is_compatible_with(size) for dimension, size in zip(dimensions, given, strict=True)):
            return True
        if len(set(given)) == 1:
            return False
        raise ValueError(
            f"Input dimension does not match operator dimension: blocks of {given}, of {dimensions} expected."
        )

    def _applied(self, x: Any, rows: bool, axis: int, apply: Any) -> Any:
        """`apply` to the blocks of an argument: blocks for blocks, one matrix for one matrix."""
        dimensions = self._dimensions(rows)
        if self._is_in_blocks(x, axis, dimensions):
            pairs = zip(x, dimensions, strict=True)
            return apply([b if isinstance(b, LinearOperator) else self._operand(b, axis, d) for b, d in pairs])
        tensor = self._operand(x, axis, self.range_dimension if rows else self.domain_dimension)
        sizes = [d.value for d in dimensions]
        if None in sizes:
            sizes = [b.range_dimension_tensor() if rows else b.domain_dimension_tensor() for b in self._diagonal]
        return concat(broadcast_batches(apply(split(tensor, sizes, axis=axis))), axis=-2)

    def matmul(
        self, x: TensorLike | LinearOperator, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """The product with a matrix, with a list of blocks of one, or with another operator.

        >>> blocks = [tf.linalg.LinearOperatorDiag([2.0, 4.0]), tf.linalg.LinearOperatorIdentity(1)]
        >>> operator = tf.linalg.LinearOperatorBlockDiag(blocks)
        >>> operator.matmul([[1.0], [1.0], [1.0]]).numpy()
        array([[2.],
               [4.],
               [1.]], dtype=float32)

        Args:
            x: A matrix [..., columns, any], a list with the rows for each block, or an operator.
            adjoint: Whether the adjoint is applied instead.
            adjoint_arg: Whether the adjoint of `x` is taken first.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor, a list of blocks for a list of blocks, or an operator.

        Raises:
            TypeError: The types differ.
            ValueError: The sizes do not fit.
        """
        if isinstance(x, LinearOperator):
            return by_rule(PRODUCTS, *self._pair(x, adjoint, adjoint_arg, "x"))
        return self._applied(
            x, adjoint, -1 if adjoint_arg else -2, lambda blocks: self._multiplied(blocks, adjoint, adjoint_arg)
        )

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.matmul(x, adjoint, adjoint_arg)

    def solve(
        self, rhs: TensorLike | LinearOperator, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """The x with A x = rhs.

        >>> blocks = [tf.linalg.LinearOperatorDiag([2.0, 4.0]), tf.linalg.LinearOperatorIdentity(1)]
        >>> operator = tf.linalg.LinearOperatorBlockDiag(blocks)
        >>> operator.solve([[2.0], [2.0], [2.0]]).numpy()
        array([[1. ],
               [0.5],
               [2. ]], dtype=float32)

        Args:
            rhs: A matrix [..., rows, any], a list with the rows for each block, or an operator.
            adjoint: Whether the system of the adjoint is solved instead.
            adjoint_arg: Whether the adjoint of `rhs` is taken first.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor, a list of blocks for a list of blocks, or an operator.

        Raises:
            NotImplementedError: It is promised to be singular, or is not square.
            TypeError: The types differ.
            ValueError: The sizes do not fit.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            return by_rule(QUOTIENTS, *self._pair(rhs, adjoint, adjoint_arg, "rhs"))
        return self._applied(
            rhs, not adjoint, -1 if adjoint_arg else -2, lambda blocks: self._solved(blocks, adjoint, adjoint_arg)
        )

    def _of_vector(self, method: Any, x: Any, rows: bool, adjoint: bool) -> Any:
        dimensions = self._dimensions(rows)
        if self._is_in_blocks(x, -1, dimensions):
            pairs = zip(x, dimensions, strict=True)
            columns = [expand_dims(self._operand(block, -1, d), -1) for block, d in pairs]
            return [squeeze(block, -1) for block in method(columns, adjoint=adjoint)]
        tensor = self._operand(x, -1, self.range_dimension if rows else self.domain_dimension)
        return squeeze(method(expand_dims(tensor, -1), adjoint=adjoint), -1)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product with a vector, or with a list of blocks of one.

        >>> blocks = [tf.linalg.LinearOperatorDiag([2.0, 4.0]), tf.linalg.LinearOperatorIdentity(1)]
        >>> operator = tf.linalg.LinearOperatorBlockDiag(blocks)
        >>> [block.numpy().tolist() for block in operator.matvec([[1.0, 1.0], [5.0]])]
        [[2.0, 4.0], [5.0]]

        Args:
            x: A vector [..., columns], or a list with the elements for each block.
            adjoint: Whether the adjoint is applied instead.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor, or a list of blocks for a list of blocks.

        Raises:
            TypeError: The types differ.
            ValueError: The sizes do not fit.
        """
        return self._of_vector(self.matmul, x, adjoint, adjoint)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Any:
        """The vector x with A x = rhs.

        >>> blocks = [tf.linalg.LinearOperatorDiag([2.0, 4.0]), tf.linalg.LinearOperatorIdentity(1)]
        >>> operator = tf.linalg.LinearOperatorBlockDiag(blocks)
        >>> operator.solvevec([2.0, 2.0, 2.0]).numpy()
        array([1. , 0.5, 2. ], dtype=float32)

        Args:
            rhs: A vector [..., rows], or a list with the elements for each block.
            adjoint: Whether the system of the adjoint is solved instead.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor, or a list of blocks for a list of blocks.

        Raises:
            NotImplementedError: It is promised to be singular, or is not square.
            TypeError: The types differ.
            ValueError: The sizes do not fit.
        """
        return self._of_vector(self.solve, rhs, not adjoint, adjoint)

    # --- what the diagonal decides -----------------------------------------------------------------------------------------

    def _need_square_blocks(self, what: str) -> None:
        if not all(block.is_square for block in self._diagonal):
            raise NotImplementedError(f"`{what}` not implemented for an operator whose blocks are not square.")

    def _determinant(self) -> Any:
        return functools.reduce(python.mul, [block.determinant() for block in self._diagonal])

    def _log_abs_determinant(self) -> Any:
        return summed([block.log_abs_determinant() for block in self._diagonal], self.dtype)

    def _trace(self) -> Any:
        self._need_square_blocks("trace")
        return functools.reduce(python.add, [block.trace() for block in self._diagonal])

    def _joined(self, vectors: list[Any]) -> Any:
        return squeeze(concat(broadcast_batches([expand_dims(vector, -1) for vector in vectors]), axis=-2), -1)

    def _diag_part(self) -> Any:
        self._need_square_blocks("diag_part")
        return self._joined([block.diag_part() for block in self._diagonal])

    def _eigvals(self) -> Any:
        self._need_square_blocks("eigvals")
        return self._joined([block.eigvals() for block in self._diagonal])

    def _assert_non_singular(self) -> Any:
        for block in self._diagonal:
            block.assert_non_singular()

    def _batch_sizes(self, sizes: Sizes) -> Any:
        return sizes.broadcast(*(sizes.of(block)[:-2] for block in nest.flatten(self._operators)))

    def _sizes(self, sizes: Sizes) -> Any:
        shapes = [sizes.of(block) for block in self._diagonal]
        rows, columns = (sum(shape[k] for shape in shapes) if _are_known(shapes, k) else None for k in (-2, -1))
        return sizes.join(self._batch_sizes(sizes), [rows, columns])

    def _rows_to_dense(self, rows: list[list[Any]], starts: list[Any]) -> Any:
        """The matrix whose rows are dense blocks one after the other, from these columns on, and zeros around them."""
        whole: Any = self.domain_dimension.value
        whole = self.domain_dimension_tensor() if whole is None else whole
        padded = []
        for blocks, start in zip(rows, starts, strict=True):
            leading = best(blocks[0])[:-1]
            end = start + sum(best(block)[-1] for block in blocks)
            before, after = (zeros(joined(leading, [size]), dtype=self.dtype) for size in (start, whole - end))
            padded.append(concat([before, *blocks, after], axis=-1))
        return concat(padded, axis=-2)


def _are_known(shapes: list[Any], axis: int) -> bool:
    return all(shape[axis] is not None for shape in shapes)


class LinearOperatorBlockDiag(_Blocks):
    """Blocks on the diagonal, zeros elsewhere.

    >>> import gradtape as tf
    >>> one, two = tf.linalg.LinearOperatorDiag([1.0, 2.0]), tf.linalg.LinearOperatorFullMatrix([[3.0]])
    >>> blocks = tf.linalg.LinearOperatorBlockDiag([one, two])
    >>> blocks.matvec([1.0, 1.0, 1.0]).numpy()
    array([1., 2., 3.], dtype=float32)
    >>> [part.numpy().tolist() for part in blocks.matvec([[1.0, 1.0], [1.0]])]
    [[1.0, 2.0], [3.0]]

    Args:
        operators: The operators on the diagonal, of one type.
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
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        self._operators = checked_operators(operators)

        def of_all(hint: str, word: str) -> bool | None:
            holds = all(getattr(operator, hint) for operator in operators)
            return implied(holds, parameters[hint], f"The direct sum of {word} operators is always {word}.")

        super().__init__(
            operators[0].dtype,
            None,
            of_all("is_non_singular", "non-singular"),
            of_all("is_self_adjoint", "self-adjoint"),
            of_all("is_positive_definite", "positive definite"),
            is_square,
            name or "_ds_".join(operator.name for operator in operators),
            parameters,
        )

    @property
    def _diagonal(self) -> list[Any]:
        return self._operators

    def _pair(self, x: LinearOperator, adjoint: bool, adjoint_arg: bool, name: str) -> tuple[Any, Any]:
        left, right = super()._pair(x, adjoint, adjoint_arg, name)
        if isinstance(right, LinearOperatorBlockDiag):
            if len(left.operators) != len(right.operators):
                raise ValueError(
                    "Can not efficiently multiply two `LinearOperatorBlockDiag`s together when number of blocks differ."
                )
            for a, b in zip(left.operators, right.operators, strict=True):
                if not a.domain_dimension.is_compatible_with(b.range_dimension):
                    raise ValueError(
                        f"Blocks are incompatible. Expected `x` to have dimension {a.domain_dimension} but got "
                        f"{b.range_dimension}."
                    )
        return left, right

    def _multiplied(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        return [a.matmul(x, adjoint, adjoint_arg) for a, x in zip(self._operators, blocks, strict=True)]

    def _solved(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        return [a.solve(x, adjoint, adjoint_arg) for a, x in zip(self._operators, blocks, strict=True)]

    def _to_dense(self) -> Any:
        blocks = broadcast_batches([operator.to_dense() for operator in self._operators])
        starts: list[Any] = [0]
        for block in blocks:
            starts.append(starts[-1] + best(block)[-1])
        return self._rows_to_dense([[block] for block in blocks], starts[:-1])

    def _assert_self_adjoint(self) -> Any:
        for operator in self._operators:
            operator.assert_self_adjoint()

    def _assert_positive_definite(self) -> Any:
        for operator in self._operators:
            operator.assert_positive_definite()


class LinearOperatorBlockLowerTriangular(_Blocks):
    """Blocks in the lower triangle, zeros above: `operators` has a list for each row of blocks.

    >>> import gradtape as tf
    >>> one, two = tf.linalg.LinearOperatorFullMatrix([[2.0]]), tf.linalg.LinearOperatorFullMatrix([[3.0]])
    >>> tf.linalg.LinearOperatorBlockLowerTriangular([[one], [two, one]]).to_dense().numpy()
    array([[2., 0.],
           [3., 2.]], dtype=float32)

    Args:
        operators: A list of operators for each row of blocks: one in the first, two in the second, and so on.
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
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        parameters = arguments(locals())
        if not operators:
            raise ValueError(f"Argument `operators` must be a list of >=1 operators. Received: {operators}.")
        self._operators = [checked_operators(row) for row in operators]
        checked_operators([block for row in self._operators for block in row])
        self._check_blocks()
        if is_square is False:
            raise ValueError(
                "`LinearOperatorBlockLowerTriangular` must be square. Expected argument `is_square` to be True. Received: False."
            )
        super().__init__(
            self._operators[0][0].dtype,
            None,
            self._with_diagonal_hint(is_non_singular),
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            parameters,
        )

    def _check_blocks(self) -> None:
        rows = self._operators
        for i, row in enumerate(rows):
            if len(row) != i + 1:
                raise ValueError(
                    f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: {len(row)} blocks."
                )
            if row[-1].is_square is False:
                raise ValueError(
                    "Matrices on the diagonal (the final elements of each row-partition in the `operators` list) must be "
                    f"square. Expected argument `operators[{i}][-1].is_square` to be True. Received: False."
                )
        for i in range(1, len(rows)):
            for j in range(i):
                block, above, right = rows[i][j], rows[i - 1][j], rows[i][j + 1]
                if not block.domain_dimension.is_compatible_with(above.domain_dimension):
                    raise ValueError(
                        f"Argument `operators[{i}][{j}].domain_dimension` ({block.domain_dimension}) must be the same as "
                        f"`operators[{i - 1}][{j}].domain_dimension` ({above.domain_dimension})."
                    )
                if not block.range_dimension.is_compatible_with(right.range_dimension):
                    raise ValueError(
                        f"Argument `operators[{i}][{j}].range_dimension` ({block.range_dimension}) must be the same as "
                        f"`operators[{i}][{j + 1}].range_dimension` ({right.range_dimension})."
                    )

    def _with_diagonal_hint(self, is_non_singular: bool | None) -> bool | None:
        what = "A blockwise lower-triangular operator with"
        if all(block.is_non_singular for block in self._diagonal):
            return implied(
                True,
                is_non_singular,
                f"{what} non-singular operators on the main diagonal is always non-singular. Expected argument "
                "`is_non_singular` to be True. Received: False.",
            )
        if any(block.is_non_singular is False for block in self._diagonal):
            if is_non_singular:
                raise ValueError(f"{what} a singular operator on the main diagonal is always singular.")
            return False
        return is_non_singular

    @property
    def _diagonal(self) -> list[Any]:
        return [row[-1] for row in self._operators]

    def _multiplied(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        rows, count = self._operators, len(self._operators)
        terms = [
            [rows[j][i].matmul(blocks[j], adjoint, adjoint_arg) for j in range(i, count)]
            if adjoint
            else [rows[i][j].matmul(blocks[j], adjoint, adjoint_arg) for j in range(i + 1)]
            for i in range(count)
        ]
        return [functools.reduce(python.add, row) for row in terms]

    def _solved(self, blocks: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        """Forward substitution by blocks; for the adjoint from the last block back."""
        count = len(self._operators)
        solutions: dict[int, Any] = {}
        for i in reversed(range(count)) if adjoint else range(count):
            rest = adjoint_of(blocks[i]) if adjoint_arg else blocks[i]
            for j, solution in solutions.items():
                block = self._operators[j][i] if adjoint else self._operators[i][j]
                rest = rest - block.matmul(solution, adjoint=adjoint)
            solutions[i] = self._diagonal[i].solve(rest, adjoint=adjoint)
        return [solutions[i] for i in range(count)]

    def _determinant(self) -> Any:
        if all(block.is_positive_definite for block in self._diagonal):
            return math.exp(self._log_abs_determinant())
        return super()._determinant()

    def _to_dense(self) -> Any:
        blocks = broadcast_batches([block.to_dense() for row in self._operators for block in row])
        following = iter(blocks)
        rows = [[next(following) for _ in row] for row in self._operators]
        return self._rows_to_dense(rows, [0] * len(rows))
