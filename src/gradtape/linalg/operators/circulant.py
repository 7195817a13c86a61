"""Circulant operators, whose eigenvectors are the Fourier modes, and Toeplitz ones, which are parts of them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ... import debugging, math, signal
from ...api.arrays import broadcast_to, convert_to_tensor, ones, reshape, zeros_like
from ...api.arrays import range as int_range
from ...api.indexing import gather
from ...api.layout import concat, reverse, transpose
from ...base import dtypes
from ...base.types import DTypeLike, TensorLike
from ...values.tensor import Tensor
from ..products import adjoint as adjoint_of
from .batches import broadcast_batches
from .dense import assert_nonzero, assert_real
from .hints import always, implied
from .linear_operator import LinearOperator, arguments, parameter
from .sizes import COMPUTED, KNOWN, Sizes, best, joined


def _complex(x: Tensor) -> Any:
    if x.dtype.is_complex:
        return convert_to_tensor(x)
    return math.cast(x, dtypes.complex128 if x.dtype == dtypes.float64 else dtypes.complex64)


def _typed(x: Any, dtype: Any) -> Any:
    """x in this type, without an imaginary part that is rounding error if the type has none."""
    return math.cast(x if dtype.is_complex else math.real(x), dtype)


class Circulant(LinearOperator):
    """What circulant operators of one, two and three dimensions share."""

    _field_names = ("spectrum", "input_output_dtype")
    _depth: ClassVar[int]

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        self._spectrum = parameter(spectrum)
        self._input_output_dtype = dtypes.as_dtype(input_output_dtype)
        if self._spectrum.shape.rank is not None and self._spectrum.shape.rank < self._depth:
            raise ValueError(
                f"Argument `spectrum` must have at least {self._depth} dimensions. Received: {self._spectrum}."
            )
        is_self_adjoint = implied(
            not self._spectrum.dtype.is_complex,
            is_self_adjoint,
            "A real spectrum always corresponds to a self-adjoint operator. Expected argument `is_self_adjoint` to be True "
            f"when `spectrum.dtype.is_complex` = False. Received: {is_self_adjoint}.",
        )
        is_square = always(
            is_square,
            "A [[nested] block] circulant operator is always square. Expected argument `is_square` to be True. "
            f"Received: {is_square}.",
        )
        super().__init__(
            input_output_dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def spectrum(self) -> Any:
        """The eigenvalues: the Fourier transform of the convolution kernel."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """How many dimensions the convolution has."""
        return self._depth

    @property
    def block_shape(self) -> Any:
        """The sizes of these dimensions."""
        return self._spectrum.shape[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """The sizes of the grid that is convolved, as a tensor.

        >>> operator = tf.linalg.LinearOperatorCirculant(tf.constant([6.0, 0.0, 0.0], tf.complex64))
        >>> operator.block_shape_tensor().numpy()
        array([3], dtype=int32)

        Returns:
            A vector of one, two or three integers.
        """
        return COMPUTED.of(self._spectrum)[-self._depth :]

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """The kernel that the operator convolves with: its first column, as a grid.

        >>> operator = tf.linalg.LinearOperatorCirculant(tf.constant([6.0, 0.0, 0.0], tf.complex64))
        >>> operator.convolution_kernel().numpy()
        array([2.+0.j, 2.+0.j, 2.+0.j], dtype=complex64)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor of the operator's type, in the shape of the spectrum.
        """
        return _typed(self._ifft(_complex(self._spectrum)), self.dtype)

    def _fft(self, x: Any) -> Any:
        return (signal.fft, signal.fft2d, signal.fft3d)[self._depth - 1](x)

    def _ifft(self, x: Any) -> Any:
        return (signal.ifft, signal.ifft2d, signal.ifft3d)[self._depth - 1](x)

    def _sizes(self, sizes: Sizes) -> Any:
        shape = sizes.of(self._spectrum)
        count = sizes.product(shape[-self._depth :])
        return sizes.join(shape[: -self._depth], count, count)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Check that the kernel is real, up to rounding.

        >>> tf.linalg.LinearOperatorCirculant(tf.constant([6 + 0j, 1 + 1j, 1 - 1j], tf.complex64)).assert_hermitian_spectrum()

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            None.

        Raises:
            tf.errors.InvalidArgumentError: It is not.
        """
        kind = self.dtype.real_dtype
        limit = np.finfo(kind.as_numpy_dtype).eps * math.cast(self.domain_dimension_tensor(), kind)
        imaginary = math.imag(self.convolution_kernel())
        return debugging.assert_less(math.abs(imaginary), limit, message="Spectrum was not Hermitian")

    def _assert_non_singular(self) -> Any:
        return assert_nonzero(self._spectrum, "Singular operator:  Spectrum contained zero values.")

    def _assert_positive_definite(self) -> Any:
        message = "Not positive definite:  Real part of spectrum was not all positive."
        return debugging.assert_positive(math.real(self._spectrum), message=message)

    def _assert_self_adjoint(self) -> Any:
        return assert_real(self._spectrum, "Not self-adjoint:  The spectrum contained non-zero imaginary part.")

    def _filtered(self, x: Any, spectrum: Any, adjoint_arg: bool) -> Any:
        """x with the Fourier transform of its columns multiplied by the spectrum."""
        x = math.cast(adjoint_of(x) if adjoint_arg else x, spectrum.dtype)
        sizes, block = best(spectrum), best(spectrum)[-self._depth :]
        x, columns = broadcast_batches([x, reshape(spectrum, joined(sizes[: -self._depth], [-1, 1]))])
        spectrum = reshape(columns, joined(best(x)[:-2], block))
        vectors = transpose(x, [x.ndim - 1, *range(x.ndim - 1)])
        grids = reshape(vectors, joined(best(vectors)[:-1], block))
        result = self._ifft(spectrum * self._fft(grids))
        flat = reshape(result, joined(best(result)[: -self._depth], [-1]))
        return _typed(transpose(flat, [*range(1, flat.ndim), 0]), self.dtype)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        spectrum = _complex(self._spectrum)
        return self._filtered(x, math.conj(spectrum) if adjoint else spectrum, adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        spectrum = _complex(self._spectrum)
        return self._filtered(rhs, 1.0 / (math.conj(spectrum) if adjoint else spectrum), adjoint_arg)

    @property
    def _axes(self) -> list[int]:
        return list(range(-self._depth, 0))

    def _determinant(self) -> Any:
        return _typed(math.reduce_prod(self._spectrum, axis=self._axes), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return math.cast(math.reduce_sum(math.log(math.abs(self._spectrum)), axis=self._axes), self.dtype)

    def _trace(self) -> Any:
        return _typed(math.reduce_sum(self._spectrum, axis=self._axes), self.dtype)

    def _diag_part(self) -> Any:
        size = self.domain_dimension_tensor()
        value = self.trace() / math.cast(size, self.dtype)
        known = self.domain_dimension.value
        return value[..., None] * ones([size if known is None else known], dtype=self.dtype)

    def _eigvals(self) -> Any:
        return reshape(self._spectrum, joined(best(self._spectrum)[: -self._depth], [-1]))

    def _cond(self) -> Any:
        sizes = math.abs(self._eigvals())
        return math.reduce_max(sizes, axis=-1) / math.reduce_min(sizes, axis=-1)


class LinearOperatorCirculant(Circulant):
    """A convolution of periodic sequences; `spectrum` is the Fourier transform of its kernel.

    >>> import gradtape as tf
    >>> spectrum = tf.signal.fft(tf.constant([1.0, 2.0, 0.0], tf.complex64))
    >>> operator = tf.linalg.LinearOperatorCirculant(spectrum, input_output_dtype=tf.float32)
    >>> operator.to_dense().numpy().round(3) + 0.0
    array([[1., 0., 2.],
           [2., 1., 0.],
           [0., 2., 1.]], dtype=float32)

    Args:
        spectrum: The Fourier transform of the kernel, in the last axis.
        input_output_dtype: The type of what it is applied to; complex64 by default.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _depth = 1
    _matrix_axes: ClassVar[dict[str, int]] = {"spectrum": 1}


class LinearOperatorCirculant2D(Circulant):
    """A convolution of periodic images: a matrix with circulant blocks that are arranged circulantly.

    >>> import gradtape as tf
    >>> kernel = tf.constant([[1.0, 0.0], [0.0, 1.0]], tf.complex64)
    >>> operator = tf.linalg.LinearOperatorCirculant2D(tf.signal.fft2d(kernel), input_output_dtype=tf.float32)
    >>> operator.matvec([1.0, 2.0, 3.0, 4.0]).numpy().round(3)
    array([5., 5., 5., 5.], dtype=float32)

    Args:
        spectrum: The Fourier transform of the kernel, in the last two axes.
        input_output_dtype: The type of what it is applied to; complex64 by default.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _depth = 2
    _matrix_axes: ClassVar[dict[str, int]] = {"spectrum": 2}


class LinearOperatorCirculant3D(Circulant):
    """A convolution of periodic volumes.

    >>> import gradtape as tf
    >>> spectrum = tf.ones([2, 2, 2], tf.complex64)  # of a kernel that changes nothing
    >>> operator = tf.linalg.LinearOperatorCirculant3D(spectrum, input_output_dtype=tf.float32)
    >>> operator.matvec(tf.range(8.0)).numpy().round(3) + 0.0
    array([0., 1., 2., 3., 4., 5., 6., 7.], dtype=float32)

    Args:
        spectrum: The Fourier transform of the kernel, in the last three axes.
        input_output_dtype: The type of what it is applied to; complex64 by default.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _depth = 3
    _matrix_axes: ClassVar[dict[str, int]] = {"spectrum": 3}


class LinearOperatorToeplitz(LinearOperator):
    """A matrix that is constant along each diagonal: given by its first column and its first row.

    >>> import gradtape as tf
    >>> tf.linalg.LinearOperatorToeplitz([1.0, 2.0, 3.0], [1.0, 7.0, 8.0]).to_dense().numpy()
    array([[1., 7., 8.],
           [2., 1., 7.],
           [3., 2., 1.]], dtype=float32)

    Args:
        col: The first column.
        row: The first row; its first element is that of the column.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _field_names = ("col", "row")
    _matrix_axes: ClassVar[dict[str, int]] = {"col": 1, "row": 1}

    def __init__(
        self,
        col: TensorLike,
        row: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        parameters = arguments(locals())
        self._row, self._col = parameter(row), parameter(col)
        for label, vector in (("row", self._row), ("col", self._col)):
            if vector.shape.rank == 0:
                raise ValueError(f"Argument {label} must have at least 1 dimension.  Found: {vector}")
        sizes = {vector.shape[-1] for vector in (self._row, self._col) if vector.shape.rank} - {None}
        if len(sizes) > 1:
            raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
        is_square = always(is_square, "Only square Toeplitz operators currently supported.")
        super().__init__(
            self._row.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name, parameters
        )

    @property
    def col(self) -> Tensor:
        """The first column."""
        return self._col

    @property
    def row(self) -> Tensor:
        """The first row. Its first element does not count."""
        return self._row

    def _sizes(self, sizes: Sizes) -> Any:
        vector = sizes.broadcast(sizes.of(self._row), sizes.of(self._col))
        return sizes.join(vector, vector[-1:])

    def _assert_self_adjoint(self) -> Any:
        return debugging.assert_equal(
            self._row, self._col, message="row and col are not the same, and so this operator is not self-adjoint."
        )

    def _vectors(self) -> tuple[Any, Any]:
        """Column and row, with the same leading axes."""
        shapes = [vector.shape for vector in (self._col, self._row)]
        known = KNOWN.broadcast(*shapes)
        common = known if known.is_fully_defined() else self.shape_tensor()[:-1]
        return broadcast_to(self._col, common), broadcast_to(self._row, common)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        """The product by a circulant operator of twice the size, of which the matrix is a corner."""
        x = adjoint_of(x) if adjoint_arg else x
        col, row = self._vectors()
        around = concat([col, zeros_like(col[..., :1]), reverse(row[..., 1:], axis=[-1])], axis=-1)
        circulant = LinearOperatorCirculant(signal.fft(_complex(around)), input_output_dtype=self.dtype)
        padded = concat([x, zeros_like(x)], axis=-2)
        return circulant.matmul(padded, adjoint=adjoint)[..., : best(x)[-2], :]

    def _trace(self) -> Any:
        return math.cast(self.domain_dimension_tensor(), self.dtype) * self._vectors()[0][..., 0]

    def _diag_part(self) -> Any:
        col, _ = self._vectors()
        return broadcast_to(col[..., :1], best(col))

    def _to_dense(self) -> Any:
        col, row = self._vectors()
        size = best(col)[-1]
        elements = concat([reverse(col, axis=[-1]), row[..., 1:]], axis=-1)
        places = int_range(size)[None, :] + (size - 1 - int_range(size))[:, None]
        return gather(elements, places, axis=-1)
