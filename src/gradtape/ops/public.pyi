# Written by `python -m tests.checkers.stubs`.

from typing import Any, overload

from ..base.types import AxisLike, DenseLike, ShapeLike, TensorLike
from ..ragged.tensor import RaggedTensor
from ..sparse.tensor import SparseTensor
from ..values.tensor import Tensor

HOMES: dict[str, str]

@overload
def abs(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The absolute value of each element; of complex numbers the modulus, which is real.

    >>> import gradtape as tf
    >>> tf.abs([-1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)

    The derivative at 0 is 0.

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold numbers.
    """
@overload
def abs(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def abs(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def acos(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The angle whose cosine is x.

    >>> import gradtape as tf
    >>> tf.acos([1.0, 0.0]).numpy()
    array([0.       , 1.5707964], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def acos(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def acosh(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The inverse of the hyperbolic cosine.

    >>> import gradtape as tf
    >>> tf.acosh([1.0, 2.0]).numpy()
    array([0.      , 1.316958], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def add(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """x + y, element by element, with broadcasting; the operator `+` does the same. Texts are joined.

    >>> import gradtape as tf
    >>> tf.add([[1.0], [2.0]], [10.0, 20.0]).numpy()
    array([[11., 21.],
           [12., 22.]], dtype=float32)
    >>> tf.add("an ", ["apple", "egg"]).numpy()
    array([b'an apple', b'an egg'], dtype=object)

    Where an operand was repeated to broadcast, its derivative is the sum over the copies.

    Args:
        x: A tensor of any type, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def add(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def as_string(input: RaggedTensor, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1, fill: str = '', name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Numbers and truth values written as text.

    >>> import gradtape as tf
    >>> tf.as_string([1, 20]).numpy()
    array([b'1', b'20'], dtype=object)

    Args:
        input: A tensor of any type, or what becomes one, such as a list.
        precision: How many digits follow the point; -1 for as many as are needed.
        scientific: Whether to write an exponent.
        shortest: Whether to choose the shorter of both forms.
        width: The least number of characters.
        fill: What is put in front of shorter texts: a space, or 0.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape of `input`.
    """
@overload
def as_string(input: TensorLike, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1, fill: str = '', name: str | None = None) -> Tensor:
    ...

@overload
def asin(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The angle whose sine is x.

    >>> import gradtape as tf
    >>> tf.asin([0.0, 1.0]).numpy()
    array([0.       , 1.5707964], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def asin(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def asin(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def asinh(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The inverse of the hyperbolic sine.

    >>> import gradtape as tf
    >>> tf.asinh([0.5, 1.0]).numpy()
    array([0.48121184, 0.8813736 ], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def asinh(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def atan(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The angle whose tangent is x.

    >>> import gradtape as tf
    >>> tf.atan([0.5, 1.0]).numpy()
    array([0.4636476, 0.7853982], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def atan(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def atan(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def atan2(y: RaggedTensor, x: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The angle of the point (x, y).

    >>> import gradtape as tf
    >>> tf.atan2([1.0, -1.0], [1.0, 1.0]).numpy()
    array([ 0.7853982, -0.7853982], dtype=float32)

    Args:
        y: A tensor of floating numbers, or what becomes one, such as a list.
        x: A tensor of the type of `y`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def atan2(y: DenseLike, x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def atanh(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The inverse of the hyperbolic tangent.

    >>> import gradtape as tf
    >>> tf.atanh([0.0, 0.5]).numpy()
    array([0.        , 0.54930615], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def atanh(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    ...

def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularized incomplete beta function: the beta distribution function at x.

    As in TensorFlow, it has a derivative in x only.

    >>> import gradtape as tf
    >>> tf.math.betainc(2.0, 3.0, [0.5]).numpy()
    array([0.6875], dtype=float32)

    Args:
        a: A tensor of floating numbers, or what becomes one, such as a list.
        b: A tensor of the type of `a`, and of a shape that broadcasts with its.
        x: A tensor of the type of `a`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """

@overload
def bitwise_and(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The bits that are set in both.

    >>> import gradtape as tf
    >>> tf.bitwise.bitwise_and([6, 5], [3, 4]).numpy()
    array([2, 4], dtype=int32)

    Args:
        x: A tensor of integers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def bitwise_and(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def bitwise_or(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The bits that are set in at least one.

    >>> import gradtape as tf
    >>> tf.bitwise.bitwise_or([6, 5], [3, 4]).numpy()
    array([7, 5], dtype=int32)

    Args:
        x: A tensor of integers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def bitwise_or(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def bitwise_xor(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The bits that are set in exactly one.

    >>> import gradtape as tf
    >>> tf.bitwise.bitwise_xor([6, 5], [3, 4]).numpy()
    array([5, 1], dtype=int32)

    Args:
        x: A tensor of integers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def bitwise_xor(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The tensor repeated to fill a larger shape, by NumPy's broadcasting rule.

    >>> import gradtape as tf
    >>> tf.broadcast_to([1, 2], [2, 2]).numpy()
    array([[1, 2],
           [1, 2]], dtype=int32)

    Args:
        input: A tensor of any type, or what becomes one, such as a list.
        shape: The sizes of the result. Counted from the last axis, each size of `input` must be equal to it, or 1.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of that shape. Its derivative sums over the copies.

    Raises:
        tf.errors.InvalidArgumentError: A size of `input` is neither 1 nor that of `shape`.
    """

@overload
def ceil(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The smallest whole number that is not below the element, in the same type.

    >>> import gradtape as tf
    >>> tf.math.ceil([1.2, -1.2]).numpy()
    array([ 2., -1.], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    ...

def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular L with L @ adjoint(L) = input, of each Hermitian positive definite matrix.

    >>> import gradtape as tf
    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 10.0]]).numpy()
    array([[2., 0.],
           [1., 3.]], dtype=float32)

    Only the lower triangle of `input` is read. A matrix that is not positive definite gives nan in the lower triangle.
    The gradient is Hermitian: it stands for changes that keep the matrix so.

    Args:
        input: Square matrices of floating or complex numbers in the last two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Lower triangular matrices of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square.
    """

@overload
def conj(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The complex conjugate.

    >>> import gradtape as tf
    >>> tf.math.conj([1 + 2j]).numpy()
    array([1.-2.j])

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold numbers.
    """
@overload
def conj(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def cos(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The cosine of an angle in radians.

    >>> import gradtape as tf
    >>> tf.cos([0.5, 1.0]).numpy()
    array([0.87758255, 0.5403023 ], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def cos(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def cosh(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The hyperbolic cosine.

    >>> import gradtape as tf
    >>> tf.cosh([0.5, 1.0]).numpy()
    array([1.127626 , 1.5430806], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    ...

def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross product of vectors of three elements in the last axis.

    >>> import gradtape as tf
    >>> tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).numpy()
    array([0., 0., 1.], dtype=float32)

    Args:
        a: A tensor of real numbers, or what becomes one, such as a list.
        b: A tensor of the type of `a`.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not fit.
    """

def cumprod(x: TensorLike, axis: AxisLike | None = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """Running products along one axis: each element is multiplied with those before it.

    >>> import gradtape as tf
    >>> tf.math.cumprod([1, 2, 3]).numpy().tolist(), tf.math.cumprod([1, 2, 3], exclusive=True).numpy().tolist()
    ([1, 2, 6], [1, 1, 2])

    The derivative is right where elements are 0, too.

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        axis: The axis along which to go; a negative one counts from the last.
        exclusive: Whether an element itself is left out of its product, which begins with 1 then.
        reverse: Whether to begin at the end.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold numbers, or has no such axis.
    """

def cumsum(x: TensorLike, axis: AxisLike | None = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """Running sums along one axis: each element is added to those before it.

    >>> import gradtape as tf
    >>> tf.cumsum([1, 2, 3]).numpy().tolist(), tf.cumsum([1, 2, 3], exclusive=True).numpy().tolist()
    ([1, 3, 6], [0, 1, 3])
    >>> tf.cumsum([1, 2, 3], reverse=True).numpy().tolist()
    [6, 5, 3]

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        axis: The axis along which to go; a negative one counts from the last.
        exclusive: Whether an element itself is left out of its sum, which begins with 0 then.
        reverse: Whether to begin at the end.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold numbers, or has no such axis.
    """

@overload
def dawsn(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x.

    >>> import gradtape as tf
    >>> tf.math.special.dawsn([0.5, 1.0]).numpy()
    array([0.4244364, 0.5380795], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def dawsn(x: TensorLike, name: str | None = None) -> Tensor:
    ...

def det(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinant of each square matrix.

    >>> import gradtape as tf
    >>> tf.linalg.det([[3.0, 1.0], [1.0, 2.0]]).numpy()
    np.float32(5.0)

    Of large matrices it overflows: `tf.linalg.slogdet` gives its sign and logarithm.

    Args:
        input: Square matrices of floating or complex numbers in the last two axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without these axes: one number for each matrix.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square.
    """

@overload
def digamma(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The derivative of lgamma.

    >>> import gradtape as tf
    >>> tf.math.digamma([1.0]).numpy()
    array([-0.5772157], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def divide(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """x / y, with broadcasting.

    >>> import gradtape as tf
    >>> tf.realdiv([6.0, 1.0], 2.0).numpy()
    array([3. , 0.5], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def divide(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of square matrices, in no order: complex numbers.

    >>> import gradtape as tf
    >>> tf.linalg.eigvals([[0.0, -1.0], [1.0, 0.0]]).numpy()
    array([0.+1.j, 0.-1.j], dtype=complex64)

    Args:
        tensor: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: `tensor` does not hold floating or complex numbers.
    """

def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of Hermitian matrices in ascending order; reads the lower triangle.

    >>> import gradtape as tf
    >>> tf.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).numpy()
    array([1., 3.], dtype=float32)

    Args:
        tensor: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: `tensor` does not hold floating or complex numbers.
    """

@overload
def elu(features: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The element where it is positive, and exp(x) - 1 elsewhere: the exponential linear unit.

    >>> import gradtape as tf
    >>> tf.nn.elu([0.5, 1.0]).numpy()
    array([0.5, 1. ], dtype=float32)

    Args:
        features: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `features`.

    Raises:
        tf.errors.InvalidArgumentError: `features` does not hold floating numbers.
    """
@overload
def elu(features: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def equal(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether x equals y, element by element.

    >>> import gradtape as tf
    >>> tf.equal([1, 2, 3], 2).numpy()
    array([False,  True, False])

    Args:
        x: A tensor of any type, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def equal(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def erf(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The error function: twice the integral of exp(-t^2) / sqrt(pi) from 0 to x.

    >>> import gradtape as tf
    >>> tf.math.erf([0.5, 1.0]).numpy()
    array([0.5204999, 0.8427008], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def erf(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def erf(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def erfc(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """1 - erf(x), exact for large x too.

    >>> import gradtape as tf
    >>> tf.math.erfc([0.5, 1.0]).numpy()
    array([0.47950011, 0.1572992 ], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def erfcinv(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The inverse of erfc, exact for small x, where erfinv(1 - x) is not.

    >>> import gradtape as tf
    >>> tf.math.erfcinv([1.0, 0.5]).numpy()
    array([-0.        ,  0.47693628], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def erfinv(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The inverse of erf.

    >>> import gradtape as tf
    >>> tf.math.erfinv([0.0, 0.5]).numpy()
    array([0.        , 0.47693628], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def exp(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """e to the power of each element; of large ones infinite.

    >>> import gradtape as tf
    >>> tf.exp([0.5, 1.0]).numpy()
    array([1.6487212, 2.718282 ], dtype=float32)

    The derivative is the result itself.

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def exp(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def expint(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The exponential integral Ei: the integral of exp(t) / t from -infinity to x (its principal value).

    >>> import gradtape as tf
    >>> tf.math.special.expint([1.0]).numpy()
    array([1.8951178], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def expint(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def expm1(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """exp(x) - 1, exact for small x too.

    >>> import gradtape as tf
    >>> tf.math.expm1([0.5, 1.0]).numpy()
    array([0.6487213, 1.7182817], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def floor(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The largest whole number that is not above the element, in the same type.

    >>> import gradtape as tf
    >>> tf.floor([1.2, -1.2]).numpy()
    array([ 1., -2.], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def floor(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def floordiv(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The largest integer not above x / y.

    >>> import gradtape as tf
    >>> tf.math.floordiv([7, -7], 2).numpy()
    array([ 3, -4], dtype=int32)

    Args:
        x: A tensor of real numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def floordiv(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def floormod(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """What is left of x after taking floor(x / y) times y away; it has the sign of y.

    >>> import gradtape as tf
    >>> tf.math.floormod([7, -7], 3).numpy()
    array([1, 2], dtype=int32)

    Args:
        x: A tensor of real numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def floormod(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def fresnel_cos(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The integral of cos(pi t^2 / 2) from 0 to x.

    >>> import gradtape as tf
    >>> tf.math.special.fresnel_cos([0.5, 1.0]).numpy()
    array([0.49234423, 0.7798934 ], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def fresnel_cos(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def fresnel_sin(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The integral of sin(pi t^2 / 2) from 0 to x.

    >>> import gradtape as tf
    >>> tf.math.special.fresnel_sin([0.5, 1.0]).numpy()
    array([0.06473243, 0.43825915], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def fresnel_sin(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def greater(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether x > y, element by element.

    >>> import gradtape as tf
    >>> tf.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])

    Args:
        x: A tensor of real numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def greater(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def greater_equal(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether x >= y, element by element.

    >>> import gradtape as tf
    >>> tf.greater_equal([1, 2, 3], 2).numpy()
    array([False,  True,  True])

    Args:
        x: A tensor of real numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def greater_equal(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

def gru_step(inputs: TensorLike, recurrent: TensorLike, state: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """One step of a GRU, from what input and state contribute to the gates, and the state.

    The reset gate is applied after the product with the recurrent kernel.

    >>> import gradtape as tf
    >>> state, opened = tf.nn.experimental.gru_step([[0.0, 0.0, 1.0]], [[0.0, 0.0, 1.0]], state=[[1.0]])
    >>> state.numpy().round(4), opened.numpy().round(4)
    (array([[0.9526]], dtype=float32), array([[0.5   , 0.5   , 0.9051]], dtype=float32))

    Args:
        inputs: A floating tensor (..., 3 * units), `x @ kernel + bias`: for the update gate, the reset gate and the candidate.
        recurrent: The same from the state: `h @ recurrent + bias`.
        state: The state: a tensor (..., units) of the same type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Two tensors: the new state, and what gates and candidate became, in the shape of `inputs`.

    Raises:
        tf.errors.InvalidArgumentError: The shapes or types of the operands do not fit each other.
    """

def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Red, green and blue of colours given as hue, saturation and value in the last axis.

    >>> import gradtape as tf
    >>> tf.image.hsv_to_rgb([0.5, 1.0, 0.25]).numpy()
    array([0.  , 0.25, 0.25], dtype=float32)

    Args:
        images: Images whose last axis holds three colours.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: `images` does not hold floating numbers.
    """

@overload
def identity(input: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The same value as a tensor of its own.

    Args:
        input: A tensor of any type, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `input`.
    """
@overload
def identity(input: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def identity(input: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def igamma(a: RaggedTensor, x: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The regularized lower incomplete gamma function: the gamma distribution function of shape a at x.

    >>> import gradtape as tf
    >>> tf.math.igamma(1.0, [1.0]).numpy()
    array([0.63212055], dtype=float32)

    Args:
        a: A tensor of floating numbers, or what becomes one, such as a list.
        x: A tensor of the type of `a`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def igamma(a: DenseLike, x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def igammac(a: RaggedTensor, x: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """1 - igamma(a, x), exact where that is small.

    >>> import gradtape as tf
    >>> tf.math.igammac(1.0, [1.0]).numpy()
    array([0.36787945], dtype=float32)

    Args:
        a: A tensor of floating numbers, or what becomes one, such as a list.
        x: A tensor of the type of `a`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def igammac(a: DenseLike, x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    ...

def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of each square matrix.

    >>> import gradtape as tf
    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)

    To solve a system of equations, `tf.linalg.solve` is faster and more exact.

    Args:
        input: Square matrices of floating or complex numbers in the last two axes.
        adjoint: Whether to give the conjugate transpose of the inverse.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Matrices of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square, or one of them is singular.
    """

@overload
def invert(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """All bits flipped.

    >>> import gradtape as tf
    >>> tf.bitwise.invert([0, 5]).numpy()
    array([-1, -6], dtype=int32)

    Args:
        x: A tensor of integers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold integers.
    """
@overload
def invert(x: TensorLike, name: str | None = None) -> Tensor:
    ...

def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The permutation that undoes x: y[x[i]] = i.

    >>> import gradtape as tf
    >>> tf.math.invert_permutation([2, 0, 1]).numpy()
    array([1, 2, 0], dtype=int32)

    Args:
        x: A tensor of integers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold integers.
    """

@overload
def is_finite(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether x is a finite number.

    >>> import gradtape as tf
    >>> tf.math.is_finite([1.0, float("inf")]).numpy()
    array([ True, False])

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def is_inf(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether x is infinite.

    >>> import gradtape as tf
    >>> tf.math.is_inf([1.0, float("inf")]).numpy()
    array([False,  True])

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def is_nan(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether x is not a number.

    >>> import gradtape as tf
    >>> tf.math.is_nan([1.0, float("nan")]).numpy()
    array([False,  True])

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def left_shift(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The bits moved y places up; y is clamped to the places that there are.

    >>> import gradtape as tf
    >>> tf.bitwise.left_shift([1, 3], [2, 1]).numpy()
    array([4, 6], dtype=int32)

    Args:
        x: A tensor of integers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def left_shift(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def less(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether x < y, element by element.

    >>> import gradtape as tf
    >>> tf.less([1, 2, 3], 2).numpy()
    array([ True, False, False])

    Args:
        x: A tensor of real numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def less(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def less_equal(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether x <= y, element by element.

    >>> import gradtape as tf
    >>> tf.less_equal([1, 2, 3], 2).numpy()
    array([ True,  True, False])

    Args:
        x: A tensor of real numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def less_equal(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def lgamma(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The logarithm of the absolute value of the gamma function.

    >>> import gradtape as tf
    >>> tf.math.lgamma([1.0, 5.0]).numpy()
    array([0.       , 3.1780539], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def log(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The natural logarithm of each element; of 0 minus infinity, of negative real numbers nan.

    >>> import gradtape as tf
    >>> tf.math.log([1.0, 10.0]).numpy()
    array([0.       , 2.3025851], dtype=float32)

    The derivative is 1 / x.

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def log(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def log1p(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """log(1 + x), exact for small x too.

    >>> import gradtape as tf
    >>> tf.math.log1p([0.5, 1.0]).numpy()
    array([0.4054651, 0.6931472], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def log_sigmoid(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """log(sigmoid(x)), without overflow.

    >>> import gradtape as tf
    >>> tf.math.log_sigmoid([-100.0, 0.0]).numpy()
    array([-100.       ,   -0.6931472], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def logical_and(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether both are true.

    >>> import gradtape as tf
    >>> tf.logical_and([True, True], [True, False]).numpy()
    array([ True, False])

    Args:
        x: A tensor of truth values, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def logical_and(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def logical_not(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether x is false.

    >>> import gradtape as tf
    >>> tf.logical_not([True, False]).numpy()
    array([False,  True])

    Args:
        x: A tensor of truth values, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold truth values.
    """
@overload
def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def logical_or(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether at least one is true.

    >>> import gradtape as tf
    >>> tf.logical_or([True, False], [False, False]).numpy()
    array([ True, False])

    Args:
        x: A tensor of truth values, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def logical_or(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def logical_xor(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether exactly one is true.

    >>> import gradtape as tf
    >>> tf.math.logical_xor([True, True], [True, False]).numpy()
    array([False,  True])

    Args:
        x: A tensor of truth values, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def logical_xor(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def logical_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal logarithm of complex square matrices: expm(logm(x)) = x. A singular matrix gives nan.

    >>> import gradtape as tf
    >>> tf.linalg.logm(tf.cast([[1.0, 0.0], [0.0, 1.0]], tf.complex64)).numpy()
    array([[0.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64)

    Args:
        input: A tensor of complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: `input` does not hold complex numbers.
    """

def lstm_step(gates: TensorLike, cell: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """One step of an LSTM, from what the gates are given and the state of the cell.

    >>> import gradtape as tf
    >>> gates = tf.constant([[0.0, 0.0, 1.0, 0.0]])
    >>> output, state, opened = tf.nn.experimental.lstm_step(gates, cell=[[1.0]])
    >>> output.numpy().round(4), state.numpy().round(4), opened.numpy().round(4)
    (array([[0.3534]], dtype=float32), array([[0.8808]], dtype=float32), array([[0.5   , 0.5   , 0.7616, 0.5   ]], dtype=float32))

    Args:
        gates: A floating tensor (..., 4 * units), `x @ kernel + h @ recurrent + bias`: for the input, the forget gate, the
            candidate and the output.
        cell: The state of the cell: a tensor (..., units) of the same type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Three tensors: the output, the new state, and what the gates became, in the shape of `gates`.

    Raises:
        tf.errors.InvalidArgumentError: The shapes or types of the operands do not fit each other.
    """

@overload
def maximum(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The larger of x and y, element by element, with broadcasting.

    >>> import gradtape as tf
    >>> tf.maximum([1.0, 5.0], 2.0).numpy()
    array([2., 5.], dtype=float32)

    Where both are equal the derivative goes to x. Where one is nan, so is the result.

    Args:
        x: A tensor of real numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def maximum(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def minimum(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The smaller of x and y, element by element, with broadcasting.

    >>> import gradtape as tf
    >>> tf.minimum([1.0, 5.0], 2.0).numpy()
    array([1., 2.], dtype=float32)

    Where both are equal the derivative goes to x. Where one is nan, so is the result.

    Args:
        x: A tensor of real numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def minimum(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def multiply(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """x * y, element by element, with broadcasting; the operator `*` does the same.

    >>> import gradtape as tf
    >>> tf.multiply([1.0, 2.0], 10.0).numpy()
    array([10., 20.], dtype=float32)

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def multiply(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def multiply_no_nan(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """x * y, and 0 where y is 0, even if x is infinite or nan.

    >>> import gradtape as tf
    >>> tf.math.multiply_no_nan([2.0, float("inf")], [3.0, 0.0]).numpy()
    array([6., 0.], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def multiply_no_nan(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def ndtri(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The quantiles of the normal distribution: where its distribution function has the value x.

    >>> import gradtape as tf
    >>> tf.math.ndtri([0.5, 0.975]).numpy()
    array([0.       , 1.9599644], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def negative(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """-x, element by element.

    >>> import gradtape as tf
    >>> tf.negative([1.0, -2.0]).numpy()
    array([-1.,  2.], dtype=float32)

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold numbers.
    """
@overload
def negative(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def negative(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def nextafter(x1: RaggedTensor, x2: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The floating-point number next to x1 on the way to x2; its derivative in x1 is 1, in x2 it is 0.

    >>> import gradtape as tf
    >>> tf.math.nextafter([1.0], [2.0]).numpy()
    array([1.0000001], dtype=float32)

    Args:
        x1: A tensor of floating numbers, or what becomes one, such as a list.
        x2: A tensor of the type of `x1`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def nextafter(x1: DenseLike, x2: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def not_equal(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Whether x differs from y, element by element.

    >>> import gradtape as tf
    >>> tf.not_equal([1, 2, 3], 2).numpy()
    array([ True, False,  True])

    Args:
        x: A tensor of any type, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def not_equal(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def polygamma(a: RaggedTensor, x: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The a-th derivative of digamma at x; nan unless a is 0, 1, 2, ... As in tf, no derivative in a.

    >>> import gradtape as tf
    >>> tf.math.polygamma(1.0, [1.0]).numpy()
    array([1.644934], dtype=float32)

    Args:
        a: A tensor of floating numbers, or what becomes one, such as a list.
        x: A tensor of the type of `a`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def polygamma(a: DenseLike, x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def pow(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """x to the power y.

    >>> import gradtape as tf
    >>> tf.pow([2.0, 3.0], 2.0).numpy()
    array([4., 9.], dtype=float32)

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def pow(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def real(input: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The real part.

    >>> import gradtape as tf
    >>> tf.math.real([1 + 2j]).numpy()
    array([1.])

    Args:
        input: A tensor of numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: `input` does not hold numbers.
    """
@overload
def real(input: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def reciprocal(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """1 / x, element by element; of 0 it is infinite.

    >>> import gradtape as tf
    >>> tf.math.reciprocal([2.0, 4.0]).numpy()
    array([0.5 , 0.25], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def reduce_all(input_tensor: RaggedTensor, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Any:
    """Whether all elements are true, or all along some axes.

    >>> import gradtape as tf
    >>> tf.reduce_all([[True, False], [True, True]], axis=1).numpy()
    array([False,  True])

    Args:
        input_tensor: A tensor of truth values, or what becomes one, such as a list.
        axis: The axis along which to go, or a list of axes; negative ones count from the last. None stands for all.
        keepdims: Whether these axes stay, with size 1, so that the result broadcasts against the operand.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the reduced axes, or with size 1 there.

    Raises:
        tf.errors.InvalidArgumentError: `input_tensor` does not hold truth values, or `input_tensor` has no such axis.
    """
@overload
def reduce_all(input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Tensor:
    ...

@overload
def reduce_any(input_tensor: RaggedTensor, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Any:
    """Whether at least one element is true, or one along some axes.

    >>> import gradtape as tf
    >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy()
    array([ True, False])

    Args:
        input_tensor: A tensor of truth values, or what becomes one, such as a list.
        axis: The axis along which to go, or a list of axes; negative ones count from the last. None stands for all.
        keepdims: Whether these axes stay, with size 1, so that the result broadcasts against the operand.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the reduced axes, or with size 1 there.

    Raises:
        tf.errors.InvalidArgumentError: `input_tensor` does not hold truth values, or `input_tensor` has no such axis.
    """
@overload
def reduce_any(input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Tensor:
    ...

@overload
def reduce_euclidean_norm(input_tensor: RaggedTensor, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Any:
    """The square root of the sum of squares.

    >>> import gradtape as tf
    >>> tf.math.reduce_euclidean_norm([3.0, 4.0]).numpy()
    np.float32(5.0)

    Args:
        input_tensor: A tensor of numbers, or what becomes one, such as a list.
        axis: The axis along which to go, or a list of axes; negative ones count from the last. None stands for all.
        keepdims: Whether these axes stay, with size 1, so that the result broadcasts against the operand.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the reduced axes, or with size 1 there.

    Raises:
        tf.errors.InvalidArgumentError: `input_tensor` does not hold numbers, or `input_tensor` has no such axis.
    """
@overload
def reduce_euclidean_norm(input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Tensor:
    ...

@overload
def reduce_logsumexp(input_tensor: RaggedTensor, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Any:
    """The logarithm of the sum of exponentials, without overflow: log(sum(exp(x))).

    >>> import gradtape as tf
    >>> tf.reduce_logsumexp([1000.0, 1000.0]).numpy()  # exp(1000) is infinite
    np.float32(1000.6931)

    The derivative is softmax(x).

    Args:
        input_tensor: A tensor of floating numbers, or what becomes one, such as a list.
        axis: The axis along which to go, or a list of axes; negative ones count from the last. None stands for all.
        keepdims: Whether these axes stay, with size 1, so that the result broadcasts against the operand.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the reduced axes, or with size 1 there.

    Raises:
        tf.errors.InvalidArgumentError: `input_tensor` does not hold floating numbers, or `input_tensor` has no such axis.
    """
@overload
def reduce_logsumexp(input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Tensor:
    ...

@overload
def reduce_max(input_tensor: RaggedTensor, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Any:
    """The largest of all elements, or of those along some axes.

    >>> import gradtape as tf
    >>> tf.reduce_max([[1.0, 2.0], [3.0, 4.0]], axis=1).numpy()
    array([2., 4.], dtype=float32)
    >>> x = tf.constant([1.0, 5.0, 5.0])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.reduce_max(x)
    >>> tape.gradient(y, x).numpy()
    array([0. , 0.5, 0.5], dtype=float32)

    Elements that are the largest together share the derivative equally.

    Args:
        input_tensor: A tensor of real numbers, or what becomes one, such as a list.
        axis: The axis along which to go, or a list of axes; negative ones count from the last. None stands for all.
        keepdims: Whether these axes stay, with size 1, so that the result broadcasts against the operand.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the reduced axes, or with size 1 there.

    Raises:
        tf.errors.InvalidArgumentError: `input_tensor` does not hold real numbers, or `input_tensor` has no such axis.
    """
@overload
def reduce_max(input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Tensor:
    ...

@overload
def reduce_mean(input_tensor: RaggedTensor, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Any:
    """The mean of all elements, or of those along some axes.

    >>> import gradtape as tf
    >>> tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([2., 3.], dtype=float32)
    >>> tf.reduce_mean([1, 2]).numpy(), tf.reduce_mean(tf.cast([1, 2], tf.float32)).numpy()
    (np.int32(1), np.float32(1.5))

    The mean of integers is an integer, as in TensorFlow: its fraction is cut off. The mean of no elements is nan.

    Args:
        input_tensor: A tensor of numbers, or what becomes one, such as a list.
        axis: The axis along which to go, or a list of axes; negative ones count from the last. None stands for all.
        keepdims: Whether these axes stay, with size 1, so that the result broadcasts against the operand.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the reduced axes, or with size 1 there.

    Raises:
        tf.errors.InvalidArgumentError: `input_tensor` does not hold numbers, or `input_tensor` has no such axis.
    """
@overload
def reduce_mean(input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Tensor:
    ...

@overload
def reduce_min(input_tensor: RaggedTensor, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Any:
    """The smallest of all elements, or of those along some axes.

    >>> import gradtape as tf
    >>> tf.reduce_min([[1.0, 2.0], [3.0, 4.0]], axis=1).numpy()
    array([1., 3.], dtype=float32)

    Elements that are the smallest together share the derivative equally.

    Args:
        input_tensor: A tensor of real numbers, or what becomes one, such as a list.
        axis: The axis along which to go, or a list of axes; negative ones count from the last. None stands for all.
        keepdims: Whether these axes stay, with size 1, so that the result broadcasts against the operand.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the reduced axes, or with size 1 there.

    Raises:
        tf.errors.InvalidArgumentError: `input_tensor` does not hold real numbers, or `input_tensor` has no such axis.
    """
@overload
def reduce_min(input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Tensor:
    ...

@overload
def reduce_prod(input_tensor: RaggedTensor, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Any:
    """The product of all elements, or of those along some axes.

    >>> import gradtape as tf
    >>> tf.reduce_prod([[1.0, 2.0], [3.0, 4.0]], axis=1).numpy()
    array([ 2., 12.], dtype=float32)

    The derivative by an element is the product of the others, where some are 0 too. The product of no elements is 1.

    Args:
        input_tensor: A tensor of numbers, or what becomes one, such as a list.
        axis: The axis along which to go, or a list of axes; negative ones count from the last. None stands for all.
        keepdims: Whether these axes stay, with size 1, so that the result broadcasts against the operand.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the reduced axes, or with size 1 there.

    Raises:
        tf.errors.InvalidArgumentError: `input_tensor` does not hold numbers, or `input_tensor` has no such axis.
    """
@overload
def reduce_prod(input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Tensor:
    ...

@overload
def reduce_sum(input_tensor: RaggedTensor, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Any:
    """The sum of all elements, or of those along some axes.

    >>> import gradtape as tf
    >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.reduce_sum(x).numpy(), tf.reduce_sum(x, axis=0).numpy().tolist()
    (np.float32(10.0), [4.0, 6.0])
    >>> (x / tf.reduce_sum(x, axis=1, keepdims=True)).numpy()  # each row divided by its sum
    array([[0.33333334, 0.6666667 ],
           [0.42857143, 0.5714286 ]], dtype=float32)

    The sum of no elements is 0.

    Args:
        input_tensor: A tensor of numbers, or what becomes one, such as a list.
        axis: The axis along which to go, or a list of axes; negative ones count from the last. None stands for all.
        keepdims: Whether these axes stay, with size 1, so that the result broadcasts against the operand.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the reduced axes, or with size 1 there.

    Raises:
        tf.errors.InvalidArgumentError: `input_tensor` does not hold numbers, or `input_tensor` has no such axis.
    """
@overload
def reduce_sum(input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = False, name: str | None = None) -> Tensor:
    ...

@overload
def relu(features: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The larger of the element and 0: the rectified linear unit.

    >>> import gradtape as tf
    >>> tf.nn.relu([-1.0, 2.0]).numpy()
    array([0., 2.], dtype=float32)

    The derivative at 0 is 0.

    Args:
        features: A tensor of real numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `features`.

    Raises:
        tf.errors.InvalidArgumentError: `features` does not hold real numbers.
    """
@overload
def relu(features: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def relu6(features: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The element, cut to the numbers from 0 to 6.

    >>> import gradtape as tf
    >>> tf.nn.relu6([-1.0, 3.0, 8.0]).numpy()
    array([0., 3., 6.], dtype=float32)

    The derivative is 1 between 0 and 6, and 0 at both ends and beyond.

    Args:
        features: A tensor of real numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `features`.

    Raises:
        tf.errors.InvalidArgumentError: `features` does not hold real numbers.
    """
@overload
def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    ...

def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The same elements in another shape, in the order of the rows.

    >>> import gradtape as tf
    >>> tf.reshape(tf.range(6), [2, -1])
    <tf.Tensor: shape=(2, 3), dtype=int32, numpy=
    array([[0, 1, 2],
           [3, 4, 5]], dtype=int32)>
    >>> tf.reshape(tf.ones([2, 3, 4]), [2, -1]).shape
    TensorShape([2, 12])

    Args:
        tensor: A tensor of any type, or what becomes one, such as a list.
        shape: The new sizes: a list, or a vector of integers. One of them may be -1: it is worked out from the others.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of that shape. No element is moved: to swap axes there is `tf.transpose`.

    Raises:
        tf.errors.InvalidArgumentError: The sizes do not hold as many elements as there are.
    """

def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value of colours given as red, green and blue in the last axis.

    >>> import gradtape as tf
    >>> tf.image.rgb_to_hsv([0.0, 0.5, 0.0]).numpy()
    array([0.33333334, 1.        , 0.5       ], dtype=float32)

    Args:
        images: Images whose last axis holds three colours.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: `images` does not hold floating numbers.
    """

@overload
def right_shift(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The bits moved y places down, the sign kept; y is clamped to the places that there are.

    >>> import gradtape as tf
    >>> tf.bitwise.right_shift([8, 9], [1, 2]).numpy()
    array([4, 2], dtype=int32)

    Args:
        x: A tensor of integers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def right_shift(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def rint(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The nearest integer, ties to even.

    >>> import gradtape as tf
    >>> tf.math.rint([0.5, 1.5, 2.6]).numpy()
    array([0., 2., 3.], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def rint(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def round(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The nearest whole number, in the same type; halves go to the even one, as in IEEE 754.

    >>> import gradtape as tf
    >>> tf.round([0.5, 1.5, 2.6]).numpy()
    array([0., 2., 3.], dtype=float32)

    Args:
        x: A tensor of real numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold real numbers.
    """
@overload
def round(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def rsqrt(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """1 / sqrt(x), element by element; of 0 it is infinite.

    >>> import gradtape as tf
    >>> tf.math.rsqrt([4.0, 16.0]).numpy()
    array([0.5 , 0.25], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    ...

def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The largest element of each segment; 0 for ids that are skipped. Ties share the derivative equally.

    >>> import gradtape as tf
    >>> tf.math.segment_max([1.0, 2.0, 5.0], [0, 0, 1]).numpy()
    array([2., 5.], dtype=float32)

    Args:
        data: A tensor of real numbers, or what becomes one, such as a list.
        segment_ids: The segment of each row: integers, ascending.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not fit.
    """

def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The mean of each segment; 0 for ids that are skipped.

    >>> import gradtape as tf
    >>> tf.math.segment_mean([1.0, 2.0, 5.0], [0, 0, 1]).numpy()
    array([1.5, 5. ], dtype=float32)

    Args:
        data: A tensor of numbers, or what becomes one, such as a list.
        segment_ids: The segment of each row: integers, ascending.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not fit.
    """

def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The smallest element of each segment; 0 for ids that are skipped. Ties share the derivative equally.

    >>> import gradtape as tf
    >>> tf.math.segment_min([1.0, 2.0, 5.0], [0, 0, 1]).numpy()
    array([1., 5.], dtype=float32)

    Args:
        data: A tensor of real numbers, or what becomes one, such as a list.
        segment_ids: The segment of each row: integers, ascending.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not fit.
    """

def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The product of each segment; 1 for ids that are skipped.

    >>> import gradtape as tf
    >>> tf.math.segment_prod([1.0, 2.0, 5.0], [0, 0, 1]).numpy()
    array([2., 5.], dtype=float32)

    Args:
        data: A tensor of numbers, or what becomes one, such as a list.
        segment_ids: The segment of each row: integers, ascending.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not fit.
    """

def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The sum of each segment; 0 for ids that are skipped.

    >>> import gradtape as tf
    >>> tf.math.segment_sum([1.0, 2.0, 5.0], [0, 0, 1]).numpy()
    array([3., 5.], dtype=float32)

    Args:
        data: A tensor of numbers, or what becomes one, such as a list.
        segment_ids: The segment of each row: integers, ascending.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not fit.
    """

@overload
def selu(features: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The scaled exponential linear unit: 1.0507 x where x is positive, and 1.7581 (exp(x) - 1) elsewhere.

    >>> import gradtape as tf
    >>> tf.nn.selu([0.5, 1.0]).numpy()
    array([0.5253505, 1.050701 ], dtype=float32)

    With these constants, sums over many inputs keep mean 0 and variance 1 from layer to layer.

    Args:
        features: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `features`.

    Raises:
        tf.errors.InvalidArgumentError: `features` does not hold floating numbers.
    """
@overload
def selu(features: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def sigmoid(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The logistic function 1 / (1 + exp(-x)) of each element: a number between 0 and 1.

    >>> import gradtape as tf
    >>> tf.sigmoid([0.5, 1.0]).numpy()
    array([0.62245935, 0.7310586 ], dtype=float32)

    For a loss take `tf.nn.sigmoid_cross_entropy_with_logits`, which does not round to 0 and 1.

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def sign(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """-1, 0 or 1, as the element is negative, zero or positive; of complex numbers x / |x|.

    >>> import gradtape as tf
    >>> tf.sign([-3.0, 0.0, 2.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)

    The derivative of real numbers is 0 everywhere.

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold numbers.
    """
@overload
def sign(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def sign(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def sin(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The sine of an angle in radians.

    >>> import gradtape as tf
    >>> tf.sin([0.5, 1.0]).numpy()
    array([0.47942555, 0.841471  ], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def sin(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def sin(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def sinh(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The hyperbolic sine.

    >>> import gradtape as tf
    >>> tf.sinh([0.5, 1.0]).numpy()
    array([0.5210953, 1.1752012], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def softplus(features: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """log(1 + exp(x)) of each element, without overflow: a smooth max(x, 0).

    >>> import gradtape as tf
    >>> tf.math.softplus([0.5, 1.0]).numpy()
    array([0.974077 , 1.3132617], dtype=float32)

    The derivative is sigmoid(x).

    Args:
        features: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `features`.

    Raises:
        tf.errors.InvalidArgumentError: `features` does not hold floating numbers.
    """
@overload
def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def softsign(features: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """x / (|x| + 1) of each element: a number between -1 and 1.

    >>> import gradtape as tf
    >>> tf.math.softsign([0.5, 1.0]).numpy()
    array([0.33333334, 0.5       ], dtype=float32)

    Args:
        features: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `features`.

    Raises:
        tf.errors.InvalidArgumentError: `features` does not hold floating numbers.
    """
@overload
def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    ...

def solve(matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The solution x of `matrix @ x = rhs`, for each square matrix.

    >>> import gradtape as tf
    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy()
    array([[1. ],
           [0.5]], dtype=float32)

    Args:
        matrix: Square matrices of floating or complex numbers in the last two axes.
        rhs: The right-hand sides, as the columns of matrices. One vector is a matrix with one column: `b[:, None]`.
        adjoint: Whether to solve for the conjugate transpose of `matrix`.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The solutions, in the shape of `rhs`.

    Raises:
        tf.errors.InvalidArgumentError: The matrices are not square, one of them is singular, or the rows do not fit.
    """

@overload
def spence(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Spence's integral: that of log(t) / (1 - t) from 1 to x, which is the dilogarithm of 1 - x.

    >>> import gradtape as tf
    >>> tf.math.special.spence([1.0, 2.0]).numpy()
    array([ 0.      , -0.822467], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating numbers.
    """
@overload
def spence(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def sqrt(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The square root of each element; of negative real numbers nan.

    >>> import gradtape as tf
    >>> tf.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)

    The derivative at 0 is infinite.

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def sqrt(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    ...

def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal square root of square matrices; nan for a real matrix that has no real one.

    >>> import gradtape as tf
    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)

    Args:
        input: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: `input` does not hold floating or complex numbers.
    """

@overload
def square(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """x * x, element by element.

    >>> import gradtape as tf
    >>> tf.square([2.0, -3.0]).numpy()
    array([4., 9.], dtype=float32)

    The derivative is 2 x.

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold numbers.
    """
@overload
def square(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def square(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def squared_difference(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """(x - y) squared, element by element; of complex numbers the squared modulus of the difference.

    >>> import gradtape as tf
    >>> tf.math.squared_difference([1.0, 5.0], 2.0).numpy()
    array([1., 9.], dtype=float32)

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def squared_difference(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def stop_gradient(input: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The same value; no derivative passes.

    >>> import gradtape as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.stop_gradient(x * x) * x
    >>> tape.gradient(y, x).numpy()
    np.float32(9.0)

    Args:
        input: A tensor of any type, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `input`.
    """
@overload
def stop_gradient(input: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def string_strip(input: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The texts without white space at both ends.

    >>> import gradtape as tf
    >>> tf.strings.strip([" a ", "b"]).numpy()
    array([b'a', b'b'], dtype=object)

    Args:
        input: A tensor of text, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `input`.

    Raises:
        tf.errors.InvalidArgumentError: `input` does not hold text.
    """
@overload
def string_strip(input: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def subtract(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """x - y, element by element, with broadcasting; the operator `-` does the same.

    >>> import gradtape as tf
    >>> tf.subtract([1.0, 2.0], 10.0).numpy()
    array([-9., -8.], dtype=float32)

    Args:
        x: A tensor of numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def subtract(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def tan(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The tangent of an angle in radians.

    >>> import gradtape as tf
    >>> tf.tan([0.5, 1.0]).numpy()
    array([0.5463025, 1.5574077], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def tan(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def tan(x: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def tanh(x: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """The hyperbolic tangent of each element: a number between -1 and 1.

    >>> import gradtape as tf
    >>> tf.tanh([0.0, 1.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 0.7615942], dtype=float32)>

    The derivative is 1 - tanh(x)^2.

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape and the type of `x`.

    Raises:
        tf.errors.InvalidArgumentError: `x` does not hold floating or complex numbers.
    """
@overload
def tanh(x: SparseTensor, name: str | None = None) -> SparseTensor:  # type: ignore[overload-overlap]
    ...
@overload
def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    ...

def tensor_scatter_nd_update(tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
    """The tensor with the elements (or slices) at `indices` replaced.

    >>> import gradtape as tf
    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [10, 30]).numpy()
    array([10,  2, 30], dtype=int32)

    Args:
        tensor: A tensor of any type, or what becomes one, such as a list.
        indices: Places: integers, the last axis of which holds one index.
        updates: The values for these places.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not fit.
    """

def triangular_solve(matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The solution of `matrix @ x = rhs` for triangular matrices (adjoint: of `adjoint(matrix) @ x = rhs`).

    The other triangle is not read. Leading axes broadcast. A zero on the diagonal gives inf and nan.

    >>> import gradtape as tf
    >>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)

    Args:
        matrix: Square matrices: the last two axes.
        rhs: Right-hand sides, as the columns of matrices.
        lower: Whether the lower triangles are read, or the upper ones.
        adjoint: Whether to take the conjugate transpose of the matrices.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not fit.
    """

@overload
def truncatediv(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """x / y rounded towards zero.

    >>> import gradtape as tf
    >>> tf.truncatediv([7, -7], 2).numpy()
    array([ 3, -3], dtype=int32)

    Args:
        x: A tensor of real numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def truncatediv(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def truncatemod(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """What is left of x after taking truncatediv(x, y) times y away; it has the sign of x.

    >>> import gradtape as tf
    >>> tf.truncatemod([7, -7], 3).numpy()
    array([ 1, -1], dtype=int32)

    Args:
        x: A tensor of real numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def truncatemod(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

def unravel_index(indices: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """The coordinates, one row for each axis, of flat positions in an array of shape `dims`.

    >>> import gradtape as tf
    >>> tf.unravel_index([5, 7], [3, 4]).numpy()
    array([[1, 1],
           [1, 3]], dtype=int32)

    Args:
        indices: Places: integers, the last axis of which holds one index.
        dims: The shape that the places are in.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not fit.
    """

@overload
def xdivy(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """x / y, and 0 where x is 0.

    >>> import gradtape as tf
    >>> tf.math.xdivy([0.0, 2.0], [0.0, 4.0]).numpy()
    array([0. , 0.5], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def xdivy(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def xlog1py(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """x * log(1 + y), and 0 where x is 0.

    >>> import gradtape as tf
    >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 3.0]).numpy()
    array([0.       , 2.7725887], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def xlog1py(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def xlogy(x: RaggedTensor, y: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """x * log(y), and 0 where x is 0.

    >>> import gradtape as tf
    >>> tf.math.xlogy([0.0, 2.0], [0.0, 3.0]).numpy()
    array([0.       , 2.1972246], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers, or what becomes one, such as a list.
        y: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def xlogy(x: DenseLike, y: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    ...

@overload
def zeta(x: RaggedTensor, q: RaggedTensor | DenseLike, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    """Hurwitz's zeta function: the sum of (q + k)^-x over k = 0, 1, 2, ... As in tf, no derivative in x.

    >>> import gradtape as tf
    >>> tf.math.zeta(2.0, [1.0]).numpy()
    array([1.644934], dtype=float32)

    Args:
        x: A tensor of floating numbers, or what becomes one, such as a list.
        q: A tensor of the type of `x`, and of a shape that broadcasts with its.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape that the operands broadcast to, of their type.

    Raises:
        tf.errors.InvalidArgumentError: The operands are of two types, or their shapes do not broadcast.
    """
@overload
def zeta(x: DenseLike, q: RaggedTensor, name: str | None = None) -> RaggedTensor:  # type: ignore[overload-overlap]
    ...
@overload
def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    ...
