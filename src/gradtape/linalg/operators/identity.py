"""Operators given by their size: identities, multiples of them, and zeros."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ... import debugging, math
from ...api.arrays import constant, convert_to_tensor, ones, zeros
from ...api.indexing import where
from ...api.layout import expand_dims
from ...api.shapes import shape
from ...base import dtypes
from ...base.dimension import Dimension
from ...base.errors import invalid
from ...base.shapes import TensorShape
from ...base.types import DTypeLike, TensorLike
from ...values.tensor import EagerTensor, Tensor
from ...variables.variable import Variable
from ..diagonals import diag_part, set_diag
from ..products import adjoint as adjoint_of
from .dense import assert_real
from .hints import always, implied
from .linear_operator import LinearOperator, arguments, parameter
from .sizes import KNOWN, Sizes, best, joined


def _size(value: object, name: str, rank: int) -> Any:
    """A size (rank 0) or sizes (rank 1): numbers where they are known, else a tensor."""
    if isinstance(value, Variable):
        raise TypeError(f"Argument {name} cannot be reference type. Found: {type(value)}.")
    value = value.value if isinstance(value, Dimension) else value
    tensor = convert_to_tensor(value, dtypes.int32 if isinstance(value, (list, tuple)) and not value else None)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {tensor}")
    if tensor.shape.rank not in (None, rank):
        raise ValueError(f"Argument {name} must be a {rank}-D Tensor.  Found: {tensor}")
    if not isinstance(tensor, EagerTensor):
        return tensor
    if (tensor.numpy() < 0).any():
        raise ValueError(f"Argument {name} must be non-negative.  Found: {tensor.numpy()}")
    known = tensor.numpy().tolist()
    return tuple(known) if rank else known


class _Sized(LinearOperator):
    """The base of operators that know their number of rows, columns and batches, and little else."""

    _num_rows: Any
    _assert_proper_shapes: bool

    def _static(self, size: Any) -> int | None:
        return None if isinstance(size, Tensor) else size

    def _check_sizes(self, x: Tensor) -> None:
        if self._assert_proper_shapes:
            debugging.assert_equal(
                shape(x)[-2],
                self.domain_dimension_tensor(),
                message="Dimensions are not compatible.  shape[-2] of argument to be the same as this operator",
            )

    def _matrix_sizes(self, sizes: Sizes) -> Any:
        rows, columns = self._num_rows, getattr(self, "_num_columns", None)
        columns = rows if columns is None else columns
        if sizes is KNOWN:
            return TensorShape([self._static(rows), self._static(columns)])
        return convert_to_tensor([rows, columns])

    def _diagonal(self, make: Any) -> Any:
        """A tensor of the shape of the diagonal: `make` is `ones` or `zeros`."""
        if self.shape.is_fully_defined():
            return make(joined(self.batch_shape, [min(self.shape[-2:])]), dtype=self.dtype)
        smallest = math.reduce_min(self.shape_tensor()[-2:], keepdims=True)
        return make(joined(self.batch_shape_tensor(), smallest), dtype=self.dtype)

    def _batch_sizes(self, sizes: Sizes) -> Any:
        """The shape of the batch that was given as an argument."""
        given: Any = self._batch_shape  # type: ignore[attr-defined]
        if given is None:
            return [] if sizes is KNOWN else constant([], dtypes.int32)
        if sizes is KNOWN and isinstance(given, Tensor):
            return [None] * given.shape[0] if given.shape.rank and given.shape[0] is not None else TensorShape(None)
        return given

    def _broadcast(self, x: Tensor) -> Any:
        """x, for each of the batch."""
        if self._batch_shape is None:  # type: ignore[attr-defined]
            return x
        return x + zeros(joined(self._batch_shape, [1, 1]), dtype=self.dtype)  # type: ignore[attr-defined]

    def _sliced(self, slices: tuple[Any, ...], batch_shape: object) -> Any:
        batch = self._batch_shape  # type: ignore[attr-defined]
        if batch is None:
            return self
        return type(self)(**{**self.parameters, "batch_shape": shape(ones(batch)[slices])})


class LinearOperatorIdentity(_Sized):
    """The identity.

    >>> import gradtape as tf
    >>> tf.linalg.LinearOperatorIdentity(2, batch_shape=[3]).trace().numpy()
    array([2., 2., 2.], dtype=float32)

    Args:
        num_rows: The number of rows, and of columns.
        batch_shape: The shape of a stack of identities; one by default.
        dtype: The type of the elements; float32 by default.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        assert_proper_shapes: Whether sizes are checked again when it is applied.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _field_names = ("num_rows", "batch_shape", "dtype", "assert_proper_shapes")

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        parameters = arguments(locals())
        for given, what in (
            (is_self_adjoint, "self adjoint"),
            (is_non_singular, "non-singular"),
            (is_positive_definite, "positive-definite"),
            (is_square, "square"),
        ):
            if not given:
                raise ValueError(f"An identity operator is always {what}.")
        self._assert_proper_shapes = assert_proper_shapes
        self._num_rows = _size(num_rows, "num_rows", 0)
        self._batch_shape = None if batch_shape is None else _size(batch_shape, "batch_shape", 1)
        super().__init__(dtype or dtypes.float32, None, True, True, True, True, name, parameters)

    def _sizes(self, sizes: Sizes) -> Any:
        return sizes.join(self._batch_sizes(sizes), self._matrix_sizes(sizes))

    def _assert_non_singular(self) -> Any:
        return None

    _assert_positive_definite = _assert_self_adjoint = _assert_non_singular

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        self._check_sizes(x)
        return self._broadcast(x)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self) -> Any:
        return self._batch_tensor(ones)

    _cond = _determinant

    def _log_abs_determinant(self) -> Any:
        return self._batch_tensor(zeros)

    def _trace(self) -> Any:
        return math.cast(self.domain_dimension_tensor(), self.dtype) * self._batch_tensor(ones)

    def _diag_part(self) -> Any:
        return self._diagonal(ones)

    _eigvals = _diag_part

    def _add_to_tensor(self, x: Tensor) -> Any:
        return set_diag(x, 1 + diag_part(x))


class LinearOperatorScaledIdentity(_Sized):
    """A multiple of the identity; a batch of them if `multiplier` has axes.

    >>> import gradtape as tf
    >>> float(tf.linalg.LinearOperatorScaledIdentity(2, 3.0).determinant())
    9.0

    Args:
        num_rows: The number of rows, and of columns.
        multiplier: The factor, or one for each operator of a stack.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        assert_proper_shapes: Whether sizes are checked again when it is applied.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _field_names = ("num_rows", "multiplier", "assert_proper_shapes")
    _matrix_axes: ClassVar[dict[str, int]] = {"multiplier": 0}

    def __init__(
        self,
        num_rows: Any,
        multiplier: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        parameters = arguments(locals())
        self._assert_proper_shapes = assert_proper_shapes
        self._multiplier = parameter(multiplier)
        is_self_adjoint = implied(
            not self._multiplier.dtype.is_complex, is_self_adjoint, "A real diagonal operator is always self adjoint."
        )
        is_square = always(bool(is_square), "A ScaledIdentity operator is always square.")
        self._num_rows = _size(num_rows, "num_rows", 0)
        super().__init__(
            self._multiplier.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def multiplier(self) -> Tensor:
        """What the identity is multiplied by."""
        return self._multiplier

    def _sliced(self, slices: tuple[Any, ...], batch_shape: object) -> Any:
        return LinearOperator._sliced(self, slices, batch_shape)

    def _sizes(self, sizes: Sizes) -> Any:
        return sizes.join(sizes.of(self._multiplier), self._matrix_sizes(sizes))

    def _assert_non_singular(self) -> Any:
        return debugging.assert_positive(math.abs(self._multiplier), message="LinearOperator was singular")

    def _assert_positive_definite(self) -> Any:
        return debugging.assert_positive(
            math.real(self._multiplier), message="LinearOperator was not positive definite."
        )

    def _assert_self_adjoint(self) -> Any:
        return assert_real(self._multiplier, "LinearOperator was not self-adjoint")

    def _factor(self, adjoint: bool) -> Any:
        factor = math.conj(self._multiplier) if adjoint else self._multiplier
        return expand_dims(expand_dims(factor, -1), -1)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        self._check_sizes(x)
        return x * self._factor(adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        self._check_sizes(rhs)
        return rhs / self._factor(adjoint)

    def _determinant(self) -> Any:
        return self._multiplier ** math.cast(self._num_rows, self.dtype)

    def _log_abs_determinant(self) -> Any:
        size = math.abs(self._multiplier)
        return math.cast(self._num_rows, size.dtype) * math.log(size)

    def _trace(self) -> Any:
        return self._multiplier * math.cast(self._num_rows, self.dtype)

    def _diag_part(self) -> Any:
        return self._diagonal(ones) * expand_dims(self._multiplier, -1)

    _eigvals = _diag_part

    def _add_to_tensor(self, x: Tensor) -> Any:
        return set_diag(x, expand_dims(self._multiplier, -1) + diag_part(x))

    def _cond(self) -> Any:
        is_zero = math.equal(self._multiplier, math.cast(0.0, self.dtype))
        return where(is_zero, math.cast(np.nan, self.dtype), math.cast(1.0, self.dtype))


class LinearOperatorZeros(_Sized):
    """A matrix of zeros.

    >>> import gradtape as tf
    >>> tf.linalg.LinearOperatorZeros(2).matvec([1.0, 2.0]).numpy()
    array([0., 0.], dtype=float32)

    Args:
        num_rows: The number of rows.
        num_columns: The number of columns; that of rows by default.
        batch_shape: The shape of a stack of operators; one by default.
        dtype: The type of the elements; float32 by default.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        assert_proper_shapes: Whether sizes are checked again when it is applied.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _field_names = ("num_rows", "num_columns", "batch_shape", "dtype", "assert_proper_shapes")

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        parameters = arguments(locals())
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        self._assert_proper_shapes = assert_proper_shapes
        self._num_rows = _size(num_rows, "num_rows", 0)
        self._num_columns = self._num_rows if num_columns is None else _size(num_columns, "num_columns", 0)
        sizes = self._static(self._num_rows), self._static(self._num_columns)
        if is_square and None not in sizes and sizes[0] != sizes[1]:
            raise ValueError(
                f"LinearOperatorZeros initialized as is_square=True, but got num_rows({sizes[0]}) != num_columns({sizes[1]})"
            )
        self._batch_shape = None if batch_shape is None else _size(batch_shape, "batch_shape", 1)
        super().__init__(
            dtype or dtypes.float32,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    def _sizes(self, sizes: Sizes) -> Any:
        return sizes.join(self._batch_sizes(sizes), self._matrix_sizes(sizes))

    def _assert_non_singular(self) -> Any:
        raise invalid("Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise invalid("Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return None

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        self._check_sizes(x)
        sizes = best(x)
        rows = self._num_columns if adjoint else self._num_rows
        return self._broadcast(zeros(joined(sizes[:-2], [rows], sizes[-1:]), dtype=x.dtype))

    def _determinant(self) -> Any:
        return self._batch_tensor(zeros)

    _trace = _determinant

    def _diag_part(self) -> Any:
        return self._diagonal(zeros)

    _eigvals = _diag_part

    def _add_to_tensor(self, x: Tensor) -> Any:
        return self._broadcast(x)
