"""`tf.linalg.LinearOperator`: a matrix, or a stack of them, known by what it does to vectors."""

from __future__ import annotations

import abc
import functools
from typing import Any, ClassVar, overload

import numpy as np

from ... import debugging, math
from ...api.arrays import constant, convert_to_tensor, eye
from ...api.layout import expand_dims, squeeze
from ...api.shapes import shape
from ...base import dtypes, nest
from ...base.dimension import Dimension
from ...base.shapes import TensorShape
from ...base.types import DTypeLike, TensorLike
from ...values.tensor import Tensor
from ...variables.module import Module
from ...variables.variable import Variable
from ..decompositions import cholesky, det, self_adjoint_eigvals, slogdet, svd
from ..diagonals import diag_part
from ..products import adjoint as adjoint_of
from ..systems import cholesky_solve
from .algebra import ADJOINTS, CHOLESKY_FACTORS, INVERSES, PRODUCTS, QUOTIENTS, by_rule
from .batches import sliced, solve_by_batches
from .hints import Hints
from .sizes import COMPUTED, KNOWN, Sizes, as_tensor


class LinearOperator(Module, abc.ABC):
    """The base of all operators: a matrix, or a stack of them, that need not exist as a tensor.

    >>> import gradtape as tf
    >>> scale = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> scale.matvec([3.0, 4.0]).numpy()
    array([3., 8.], dtype=float32)
    >>> (scale @ scale).solvevec([1.0, 4.0]).numpy()
    array([1., 1.], dtype=float32)

    A class of its own has `_shape` and `_matmul`, and as many of the other methods with an underscore as it knows a better
    way for than by the dense matrix: `_matvec`, `_solve`, `_solvevec`, `_determinant`, `_log_abs_determinant`, `_diag_part`,
    `_trace`, `_to_dense`, `_add_to_tensor`, `_eigvals`, `_cond`, `_assert_non_singular`, `_assert_positive_definite`,
    `_assert_self_adjoint`, `_shape_tensor`.

    Args:
        dtype: The type of the elements.
        graph_parents: Ignored; accepted for compatibility with TensorFlow.
        is_non_singular: Whether it is promised to have an inverse. All promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.
        parameters: The arguments that the constructor of the class was given.

    Raises:
        ValueError: The promises contradict each other.
    """

    # The arguments of the constructor, besides the hints, that make the operator, in attributes of these names after a "_"; and
    # for those that hold a batch, how many of their last axes belong to the matrix.
    _field_names: ClassVar[tuple[str, ...]] = ()
    _matrix_axes: ClassVar[dict[str, int]] = {}

    _TF_MODULE_IGNORED_PROPERTIES = frozenset({"_parameters", "_frame"})

    def __init__(
        self,
        dtype: DTypeLike | None,
        graph_parents: object = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        self._hints = Hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square).completed()
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._parameters = parameters or {}
        self._name = name or type(self).__name__

    # --- what it is --------------------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that it was made with."""
        return dict(self._parameters)

    @property
    def dtype(self) -> Any:
        """The type of the elements, and of what it is applied to."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name given, or that of the class."""
        return self._name

    @property
    def graph_parents(self) -> list[Any]:
        """An empty list: operators have no graph."""
        return []

    @property
    def is_non_singular(self) -> bool | None:
        """Whether it is promised to have an inverse."""
        return self._hints.is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether it is promised to be its own adjoint."""
        return self._hints.is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether it is promised to be positive definite."""
        return self._hints.is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether it is promised to be square, or seen to be so by its shape."""
        seen: bool | None = self.domain_dimension == self.range_dimension
        if self._hints.is_square is False and seen:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return seen if self._hints.is_square is None else self._hints.is_square

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    # --- sizes -------------------------------------------------------------------------------------------------------------

    def _sizes(self, sizes: Sizes) -> Any:
        """The shape, in the words of `sizes.py`."""
        raise NotImplementedError(f"{type(self).__name__} does not say its shape: _shape is not implemented.")

    def _shape(self) -> TensorShape:
        return TensorShape(self._sizes(KNOWN))

    def _shape_tensor(self) -> Any:
        known = self.shape
        if known.is_fully_defined():
            return as_tensor(known)
        if type(self)._sizes is LinearOperator._sizes:
            return shape(self.to_dense())
        return self._sizes(COMPUTED)

    @property
    def shape(self) -> TensorShape:
        """The shape of the matrix: [..., rows, columns], as far as it is known."""
        return self._shape()

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """The shape of the matrices as a tensor, also where a trace does not know it.

        >>> operator = tf.linalg.LinearOperatorDiag(tf.ones([5, 2]))
        >>> operator.shape_tensor().numpy()
        array([5, 2, 2], dtype=int32)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A vector of integers: [..., rows, columns].
        """
        return self._shape_tensor()

    @property
    def batch_shape(self) -> TensorShape:
        """The shape without rows and columns."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape without rows and columns, as a tensor.

        >>> operator = tf.linalg.LinearOperatorDiag(tf.ones([5, 2]))
        >>> operator.batch_shape_tensor().numpy()
        array([5], dtype=int32)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A vector of integers.
        """
        known = self.batch_shape
        return as_tensor(known) if known.is_fully_defined() else self.shape_tensor()[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """How many axes the matrix has."""
        return self.shape.rank

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """How many axes the matrices have, as a tensor.

        >>> operator = tf.linalg.LinearOperatorDiag(tf.ones([5, 2]))
        >>> int(operator.tensor_rank_tensor())
        3

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A scalar.
        """
        rank = self.tensor_rank
        return shape(self.shape_tensor())[0] if rank is None else constant(rank)

    def _dimension(self, axis: int) -> Dimension:
        sizes = self.shape
        return Dimension(None if sizes.rank is None else sizes[axis])

    @property
    def domain_dimension(self) -> Dimension:
        """How many columns it has."""
        return self._dimension(-1)

    @property
    def range_dimension(self) -> Dimension:
        """How many rows it has."""
        return self._dimension(-2)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """How many columns it has, as a tensor.

        >>> operator = tf.linalg.LinearOperatorDiag(tf.ones([5, 2]))
        >>> int(operator.domain_dimension_tensor())
        2

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A scalar.
        """
        size = self.domain_dimension.value
        return self.shape_tensor()[-1] if size is None else constant(size)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """How many rows it has, as a tensor.

        >>> operator = tf.linalg.LinearOperatorDiag(tf.ones([5, 2]))
        >>> int(operator.range_dimension_tensor())
        2

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A scalar.
        """
        size = self.range_dimension.value
        return self.shape_tensor()[-2] if size is None else constant(size)

    # --- products ----------------------------------------------------------------------------------------------------------

    def _operand(self, x: Any, axis: int, dimension: Dimension) -> Any:
        """An argument as a tensor whose size along the axis fits."""
        tensor = convert_to_tensor(x)
        if tensor.dtype != self.dtype:
            raise TypeError(
                f"Expected argument to have dtype {self.dtype!r}.  Found: {tensor.dtype!r} in tensor {tensor}. Use tf.cast."
            )
        if tensor.shape.rank is not None:
            if tensor.shape.rank < -axis:
                raise IndexError(
                    f"{type(self).__name__}: an argument with at least {-axis} axes is needed, got {tensor}."
                )
            dimension.assert_is_compatible_with(tensor.shape[axis])
        return tensor

    def _pair(self, x: LinearOperator, adjoint: bool, adjoint_arg: bool, name: str) -> tuple[Any, Any]:
        """This operator and another one, as the product takes them."""
        left, right = self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x
        if not left.domain_dimension.is_compatible_with(right.range_dimension):
            raise ValueError(
                f"Operators are incompatible. Expected `{name}` to have dimension {left.domain_dimension} but got "
                f"{right.range_dimension}."
            )
        return left, right

    @abc.abstractmethod
    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        raise NotImplementedError("_matmul is not implemented.")

    @overload
    def matmul(
        self, x: LinearOperator, adjoint: bool = ..., adjoint_arg: bool = ..., name: str = ...
    ) -> LinearOperator: ...
    @overload
    def matmul(self, x: TensorLike, adjoint: bool = ..., adjoint_arg: bool = ..., name: str = ...) -> Tensor: ...
    def matmul(
        self, x: TensorLike | LinearOperator, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """The product with a matrix, or with another operator, which is an operator.

        >>> operator = tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]])
        >>> operator.matmul([[1.0], [2.0]]).numpy()
        array([[6.],
               [7.]], dtype=float32)

        Args:
            x: A matrix [..., columns, any] of the operator's type, or an operator.
            adjoint: Whether the adjoint is applied instead.
            adjoint_arg: Whether the adjoint of `x` is taken first.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor [..., rows, any], or an operator.

        Raises:
            TypeError: The types differ.
            ValueError: The sizes do not fit.
        """
        if isinstance(x, LinearOperator):
            return by_rule(PRODUCTS, *self._pair(x, adjoint, adjoint_arg, "x"))
        dimension = self.range_dimension if adjoint else self.domain_dimension
        tensor = self._operand(x, -1 if adjoint_arg else -2, dimension)
        return self._matmul(tensor, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Any:
        return squeeze(self.matmul(expand_dims(x, -1), adjoint=adjoint), -1)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """The product with a vector.

        >>> operator = tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]])
        >>> operator.matvec([1.0, 2.0]).numpy()
        array([6., 7.], dtype=float32)

        Args:
            x: A vector [..., columns] of the operator's type.
            adjoint: Whether the adjoint is applied instead.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor [..., rows].

        Raises:
            TypeError: The types differ.
            ValueError: The sizes do not fit.
        """
        return self._matvec(
            self._operand(x, -1, self.range_dimension if adjoint else self.domain_dimension), adjoint=adjoint
        )

    # --- systems -----------------------------------------------------------------------------------------------------------

    def _dense_solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        """The solution by the dense matrix."""
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        if self._can_use_cholesky():
            return solve_by_batches(cholesky_solve, cholesky(self.to_dense()), rhs)
        return solve_by_batches(None, self.to_dense(), rhs, adjoint=adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._dense_solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _check_solvable(self) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
        if self.is_square is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to not be square.")

    @overload
    def solve(
        self, rhs: LinearOperator, adjoint: bool = ..., adjoint_arg: bool = ..., name: str = ...
    ) -> LinearOperator: ...
    @overload
    def solve(self, rhs: TensorLike, adjoint: bool = ..., adjoint_arg: bool = ..., name: str = ...) -> Tensor: ...
    def solve(
        self, rhs: TensorLike | LinearOperator, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """The x with A x = rhs.

        >>> import gradtape as tf
        >>> tf.linalg.LinearOperatorLowerTriangular([[2.0, 0.0], [1.0, 1.0]]).solve([[2.0], [3.0]]).numpy()
        array([[1.],
               [2.]], dtype=float32)

        Args:
            rhs: A matrix [..., rows, any] of the operator's type, or an operator.
            adjoint: Whether the system of the adjoint is solved instead.
            adjoint_arg: Whether the adjoint of `rhs` is taken first.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor [..., columns, any], or an operator.

        Raises:
            NotImplementedError: It is promised to be singular, or is not square.
            TypeError: The types differ.
            ValueError: The sizes do not fit.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            return by_rule(QUOTIENTS, *self._pair(rhs, adjoint, adjoint_arg, "rhs"))
        dimension = self.domain_dimension if adjoint else self.range_dimension
        tensor = self._operand(rhs, -1 if adjoint_arg else -2, dimension)
        return self._solve(tensor, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Any:
        return squeeze(self.solve(expand_dims(rhs, -1), adjoint=adjoint), -1)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Tensor:
        """The vector x with A x = rhs.

        >>> tf.linalg.LinearOperatorDiag([2.0, 4.0]).solvevec([2.0, 2.0]).numpy()
        array([1. , 0.5], dtype=float32)

        Args:
            rhs: A vector [..., rows] of the operator's type.
            adjoint: Whether the system of the adjoint is solved instead.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor [..., columns].

        Raises:
            NotImplementedError: It is promised to be singular, or is not square.
            TypeError: The types differ.
            ValueError: The sizes do not fit.
        """
        return self._solvevec(
            self._operand(rhs, -1, self.domain_dimension if adjoint else self.range_dimension), adjoint=adjoint
        )

    # --- determinants ------------------------------------------------------------------------------------------------------

    def _check_has_determinant(self) -> None:
        if self.is_square is False:
            raise NotImplementedError("Determinant not implemented for an operator that is expected to not be square.")

    def _determinant(self) -> Any:
        return math.exp(self.log_abs_determinant()) if self._can_use_cholesky() else det(self.to_dense())

    def determinant(self, name: str = "det") -> Tensor:
        """The determinant of each matrix.

        >>> tf.linalg.LinearOperatorDiag([2.0, 4.0]).determinant().numpy()
        np.float32(8.0)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor of the shape of the batch.

        Raises:
            NotImplementedError: It is not square.
        """
        self._check_has_determinant()
        return self._determinant()

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            return 2 * math.reduce_sum(math.log(diag_part(cholesky(self.to_dense()))), axis=-1)
        return slogdet(self.to_dense())[1]

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithm of the absolute value of each determinant.

        >>> tf.linalg.LinearOperatorDiag([2.0, -4.0]).log_abs_determinant().numpy().round(4)
        np.float32(2.0794)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor of the shape of the batch.

        Raises:
            NotImplementedError: It is not square.
        """
        self._check_has_determinant()
        return self._log_abs_determinant()

    # --- operators made of it ----------------------------------------------------------------------------------------------

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The conjugate transpose, as an operator.

        >>> tf.linalg.LinearOperatorLowerTriangular([[2.0, 0.0], [1.0, 3.0]]).adjoint().to_dense().numpy()
        array([[2., 1.],
               [0., 3.]], dtype=float32)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            An operator; this one itself if it is promised to be self-adjoint.
        """
        return self if self.is_self_adjoint is True else by_rule(ADJOINTS, self)

    H = property(adjoint, None)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The inverse, as an operator.

        >>> tf.linalg.LinearOperatorDiag([2.0, 4.0]).inverse().to_dense().numpy()
        array([[0.5 , 0.  ],
               [0.  , 0.25]], dtype=float32)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            An operator.

        Raises:
            ValueError: It is promised to be singular, or is not square.
        """
        if self.is_square is False:
            raise ValueError("Cannot take the Inverse: This operator represents a non square matrix.")
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        return by_rule(INVERSES, self)

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The lower triangular L with L L^H = A, as an operator.

        >>> promises = {"is_self_adjoint": True, "is_positive_definite": True}
        >>> operator = tf.linalg.LinearOperatorFullMatrix([[4.0, 2.0], [2.0, 5.0]], **promises)
        >>> operator.cholesky().to_dense().numpy()
        array([[2., 0.],
               [1., 2.]], dtype=float32)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            An operator.

        Raises:
            ValueError: It is not promised to be self-adjoint and positive definite.
        """
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix. "
                "Pass is_self_adjoint=True and is_positive_definite=True to the constructor if it is one."
            )
        return by_rule(CHOLESKY_FACTORS, self)

    def __getitem__(self, slices: Any) -> Any:
        """Some matrices of a batch, as an operator."""
        slices = slices if isinstance(slices, tuple) else (slices,)
        if slices.count(Ellipsis) > 1:
            raise ValueError(f"Found multiple `...` in slices {slices}")
        return self._sliced(slices, self.batch_shape)

    def _sliced(self, slices: tuple[Any, ...], batch_shape: Any) -> Any:
        """The operator, sliced as one of this batch shape would be to which its own is broadcast."""
        changed = {}
        for field, axes in self._matrix_axes.items():
            value = getattr(self, f"_{field}")
            if value is not None:
                changed[field] = nest.map_structure(functools.partial(sliced, axes, slices, batch_shape), value)
        return type(self)(**{**self.parameters, **changed})

    # --- elements ----------------------------------------------------------------------------------------------------------

    def _to_dense(self) -> Any:
        known = self.batch_shape.is_fully_defined()
        size = self.domain_dimension.value
        return self.matmul(
            eye(
                self.domain_dimension_tensor() if size is None else size,
                batch_shape=self.batch_shape if known else self.batch_shape_tensor(),
                dtype=self.dtype,
            )
        )

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The matrix as a tensor.

        >>> tf.linalg.LinearOperatorDiag([2.0, 4.0]).to_dense().numpy()
        array([[2., 0.],
               [0., 4.]], dtype=float32)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor [..., rows, columns].
        """
        return self._to_dense()

    def _diag_part(self) -> Any:
        return diag_part(self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """The elements on the diagonal.

        >>> operator = tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]])
        >>> operator.diag_part().numpy()
        array([4., 3.], dtype=float32)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor [..., the smaller of rows and columns].
        """
        return self._diag_part()

    def _trace(self) -> Any:
        return math.reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name: str = "trace") -> Tensor:
        """The sum of the diagonal.

        >>> operator = tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]])
        >>> operator.trace().numpy()
        np.float32(7.0)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor of the shape of the batch.
        """
        return self._trace()

    def _add_to_tensor(self, x: Tensor) -> Any:
        return self.to_dense() + x

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """The matrix plus a tensor.

        >>> tf.linalg.LinearOperatorDiag([2.0, 4.0]).add_to_tensor(tf.ones([2, 2])).numpy()
        array([[3., 1.],
               [1., 5.]], dtype=float32)

        Args:
            x: A tensor [..., rows, columns] of the operator's type.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor.

        Raises:
            TypeError: The types differ.
        """
        return self._add_to_tensor(self._operand(x, -1, Dimension(None)))

    def _eigvals(self) -> Any:
        return self_adjoint_eigvals(self.to_dense())

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """The eigenvalues of operators that are promised to be self-adjoint.

        >>> tf.linalg.LinearOperatorDiag([4.0, 2.0], is_self_adjoint=True).eigvals().numpy()
        array([4., 2.], dtype=float32)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor [..., rows].

        Raises:
            NotImplementedError: It is not promised to be self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def _cond(self) -> Any:
        values = math.abs(self._eigvals()) if self.is_self_adjoint else svd(self.to_dense(), compute_uv=False)
        return math.reduce_max(values, axis=-1) / math.reduce_min(values, axis=-1)

    def cond(self, name: str = "cond") -> Tensor:
        """The condition number: the largest singular value by the smallest.

        >>> tf.linalg.LinearOperatorDiag([2.0, 8.0]).cond().numpy()
        np.float32(4.0)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor of the shape of the batch.
        """
        return self._cond()

    # --- assertions --------------------------------------------------------------------------------------------------------

    def _assert_non_singular(self) -> Any:
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        values = svd(self.to_dense(), compute_uv=False)
        condition = math.reduce_max(values, axis=-1) / math.reduce_min(values, axis=-1)
        sizes = [
            math.cast(self.range_dimension_tensor(), condition.dtype),
            math.cast(self.domain_dimension_tensor(), condition.dtype),
        ]
        limit = 1.0 / (math.reduce_max([100.0, *sizes]) * np.finfo(self.dtype.as_numpy_dtype).eps)
        return debugging.assert_less(condition, limit, message="Singular matrix up to precision epsilon.")

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Check that no matrix is singular, as far as its condition number tells.

        >>> tf.linalg.LinearOperatorDiag([2.0, 8.0]).assert_non_singular()
        >>> tf.linalg.LinearOperatorDiag([0.0, 1.0]).assert_non_singular()
        Traceback (most recent call last):
            ...
        gradtape.errors.InvalidArgumentError: Singular operator:  Diagonal contained zero values...

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            None.

        Raises:
            tf.errors.InvalidArgumentError: One is.
        """
        return self._assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        factor = diag_part(cholesky(self.to_dense()))
        return debugging.assert_positive(math.real(factor), message="Matrix was not positive definite.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Check that every matrix is positive definite.

        >>> tf.linalg.LinearOperatorDiag([2.0, 8.0]).assert_positive_definite()
        >>> tf.linalg.LinearOperatorDiag([-1.0, 1.0]).assert_positive_definite()
        Traceback (most recent call last):
            ...
        gradtape.errors.InvalidArgumentError: Real diagonal operator had non-positive diagonal entries, ...

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            None.

        Raises:
            tf.errors.InvalidArgumentError: One is not.
            NotImplementedError: It is not promised to be self-adjoint, and its kind does not tell.
        """
        return self._assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        return debugging.assert_equal(dense, adjoint_of(dense), message="Matrix was not equal to its adjoint.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Check that every matrix is exactly its own conjugate transpose.

        >>> operator = tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]])
        >>> operator.assert_self_adjoint()
        >>> tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [0.0, 1.0]]).assert_self_adjoint()
        Traceback (most recent call last):
            ...
        gradtape.errors.InvalidArgumentError: Matrix was not equal to its adjoint...

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            None.

        Raises:
            tf.errors.InvalidArgumentError: One is not.
        """
        return self._assert_self_adjoint()

    # --- for classes of operators ------------------------------------------------------------------------------------------

    def _batch_tensor(self, make: Any) -> Any:
        """A tensor of the shape of the batch: `make` is `ones` or `zeros`."""
        known = self.batch_shape.is_fully_defined()
        return make(self.batch_shape if known else self.batch_shape_tensor(), dtype=self.dtype)


def arguments(scope: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a constructor, from its `locals()` before anything else is assigned."""
    return {name: value for name, value in scope.items() if name not in ("self", "__class__")}


def parameter(value: TensorLike) -> Any:
    """An argument as a tensor; a variable is kept, and read when the operator is applied."""
    return value if isinstance(value, (Variable, Tensor)) else convert_to_tensor(value)
