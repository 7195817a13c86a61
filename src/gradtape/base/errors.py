"""The exceptions a user can meet, with TensorFlow's names and hierarchy.

The first group mirrors `tf.errors`. The second group holds gradtape's own classes: each also derives
from the class that TensorFlow raises at the same place, so that existing `except` clauses go on working.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import ClassVar

from .frames import is_ours, package_of


class OpError(Exception):
    """An op was given something it cannot compute.

    >>> import gradtape as tf
    >>> tf.ones([2]) + tf.ones([3])
    Traceback (most recent call last):
    gradtape.errors.InvalidArgumentError: add: Incompatible shapes: [2] vs. [3]. ...

    Args:
        node_def: Ignored; accepted for compatibility with TensorFlow.
        op: Ignored; accepted for compatibility with TensorFlow.
        message: What was given, what was expected, and the repair.
        *details: Ignored; accepted for compatibility with TensorFlow.
    """

    code: ClassVar[int] = 2

    def __init__(self, node_def: object = None, op: object = None, message: str = "", *details: object) -> None:
        super().__init__(message)
        self.node_def = node_def
        self.op = op
        self.message = message

    @property
    def error_code(self) -> int:
        """The number that TensorFlow gives to this class of errors."""
        return self.code

    @property
    def experimental_payloads(self) -> dict[str, bytes]:
        """Always empty: gradtape attaches no payloads."""
        return {}

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.node_def, self.op, self.message)


class CancelledError(OpError):
    """The operation was cancelled.

    >>> import gradtape as tf
    >>> raise tf.errors.CancelledError(None, None, "the queue was closed")
    Traceback (most recent call last):
    gradtape.errors.CancelledError: the queue was closed
    """

    code = 1


class UnknownError(OpError):
    """Something failed for a reason that no other class names.

    >>> import gradtape as tf
    >>> raise tf.errors.UnknownError(None, None, "the disk does not answer")
    Traceback (most recent call last):
    gradtape.errors.UnknownError: the disk does not answer
    """

    code = 2


class InvalidArgumentError(OpError):
    """An argument has a wrong dtype, shape or value.

    >>> import gradtape as tf
    >>> tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
    Traceback (most recent call last):
    gradtape.errors.InvalidArgumentError: matmul: inner dimensions differ: a is (2, 3), b is ...
    """

    code = 3


class DeadlineExceededError(OpError):
    """A time limit passed.

    >>> import gradtape as tf
    >>> raise tf.errors.DeadlineExceededError(None, None, "no answer in 10 seconds")
    Traceback (most recent call last):
    gradtape.errors.DeadlineExceededError: no answer in 10 seconds
    """

    code = 4


class NotFoundError(OpError):
    """A file or an entry does not exist.

    >>> import gradtape as tf
    >>> tf.io.read_file("no such file")
    Traceback (most recent call last):
    gradtape.errors.NotFoundError: no such file: No such file or directory
    """

    code = 5


class AlreadyExistsError(OpError):
    """A file or an entry exists already.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> tf.io.write_file(path, "a")
    >>> tf.io.gfile.copy(path, path)
    Traceback (most recent call last):
    gradtape.errors.AlreadyExistsError: file already exists: ...
    """

    code = 6


class PermissionDeniedError(OpError):
    """The operating system refused access.

    >>> import gradtape as tf
    >>> raise tf.errors.PermissionDeniedError(None, None, "the folder cannot be written to")
    Traceback (most recent call last):
    gradtape.errors.PermissionDeniedError: the folder cannot be written to
    """

    code = 7


class ResourceExhaustedError(OpError):
    """There is not enough memory or disk space.

    >>> import gradtape as tf
    >>> tf.zeros([10**9, 10**9])
    Traceback (most recent call last):
    gradtape.errors.ResourceExhaustedError: fill: an array of shape [1000000000, 1000000000] ...
    """

    code = 8


class FailedPreconditionError(OpError):
    """The object is not in a state that allows the operation.

    >>> import gradtape as tf
    >>> numbers = tf.data.Dataset.range(3).filter(lambda x: x > 0)
    >>> tf.data.experimental.at(numbers, 0)
    Traceback (most recent call last):
    gradtape.errors.FailedPreconditionError: at: the dataset has unknown cardinality, which ...
    """

    code = 9


class AbortedError(OpError):
    """The operation was aborted.

    >>> import gradtape as tf
    >>> raise tf.errors.AbortedError(None, None, "another step came first")
    Traceback (most recent call last):
    gradtape.errors.AbortedError: another step came first
    """

    code = 10


class OutOfRangeError(OpError):
    """An iterator or a position ran past the end.

    >>> import gradtape as tf
    >>> iterator = iter(tf.data.Dataset.range(1))
    >>> int(iterator.get_next())
    0
    >>> iterator.get_next()
    Traceback (most recent call last):
    gradtape.errors.OutOfRangeError: End of sequence
    """

    code = 11


class UnimplementedError(OpError):
    """The operation exists but not for these arguments.

    >>> import gradtape as tf
    >>> tf.numpy.experimental_enable_numpy_behavior(prefer_float32=True)
    Traceback (most recent call last):
    gradtape.errors.UnimplementedError: experimental_enable_numpy_behavior: only NumPy's own ...
    """

    code = 12


class InternalError(OpError):
    """Something that should never happen happened inside gradtape.

    >>> import gradtape as tf
    >>> raise tf.errors.InternalError(None, None, "please report this")
    Traceback (most recent call last):
    gradtape.errors.InternalError: please report this
    """

    code = 13


class UnavailableError(OpError):
    """A service cannot be reached.

    >>> import gradtape as tf
    >>> tf.profiler.experimental.stop()
    Traceback (most recent call last):
    gradtape.errors.UnavailableError: Cannot export profiling results. No profiler is running.
    """

    code = 14


class DataLossError(OpError):
    """A file is corrupt or truncated.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "data.tfrecord")
    >>> tf.io.write_file(path, "this is no record file")
    >>> list(tf.data.TFRecordDataset(path))
    Traceback (most recent call last):
    gradtape.errors.DataLossError: corrupted record at 0 in ...
    """

    code = 15


class UnauthenticatedError(OpError):
    """The caller did not prove who it is.

    >>> import gradtape as tf
    >>> raise tf.errors.UnauthenticatedError(None, None, "no password was given")
    Traceback (most recent call last):
    gradtape.errors.UnauthenticatedError: no password was given
    """

    code = 16


class InaccessibleTensorError(ValueError):
    """A tensor of a traced function is used outside of it.

    >>> import gradtape as tf
    >>> kept = []
    >>> tf.function(lambda x: kept.append(x))(tf.constant(1.0))
    >>> try:
    ...     kept[0] + 1.0
    ... except tf.errors.InaccessibleTensorError:
    ...     print("only inside of the function")
    only inside of the function
    """


class OutOfScopeError(InaccessibleTensorError, TypeError):
    """A tensor of a traced function is used after the function was recorded, or in another function.

    >>> import gradtape as tf
    >>> kept = []
    >>> tf.function(lambda x: kept.append(x))(tf.constant(1.0))
    >>> kept[0] + 1.0
    Traceback (most recent call last):
    gradtape.errors.OutOfScopeError: ...
    """


class OperatorNotAllowedInGraphError(TypeError):
    """A Python operation needs the value of a tensor that has none yet.

    >>> import gradtape as tf
    >>> tf.function(lambda x: 1 if x > 0 else 2, autograph=False)(tf.constant(1.0))
    Traceback (most recent call last):
    gradtape.errors.OperatorNotAllowedInGraphError: Using a symbolic `tf.Tensor` as a Python ...
    """


class TapeNotEnteredError(AttributeError, RuntimeError):
    """A tape was used before it recorded anything, or after it was spent.

    >>> import gradtape as tf
    >>> tape = tf.GradientTape()
    >>> tape.watch(tf.constant(1.0))
    Traceback (most recent call last):
    gradtape.errors.TapeNotEnteredError: This GradientTape holds no record: ...
    """


class NotATensorError(AttributeError, TypeError, ValueError):
    """A Python value, or something made of several tensors, stands where a tensor or a variable is needed.

    This class and the next two are for values of a wrong kind. TensorFlow's class depends on what is asked of the
    value first: an attribute that it does not have, an operation, or a value among those that are allowed.

    >>> import gradtape as tf
    >>> tf.convert_to_tensor(None)
    Traceback (most recent call last):
    gradtape.errors.NotATensorError: Attempt to convert a value (None) with an unsupported ...
    """


class NotTextError(AttributeError, TypeError, ValueError):
    """Something else stands where text is needed: the name of a mode, a format, a direction.

    >>> import gradtape as tf
    >>> tf.nn.max_pool2d(tf.ones([1, 4, 4, 1]), 2, 2, padding=None)
    Traceback (most recent call last):
    gradtape.errors.NotTextError: Expected string for argument 'padding', got None of type ...
    """


class NotADTypeError(AttributeError, TypeError, ValueError):
    """Something else stands where the type of a tensor is needed.

    >>> import gradtape as tf
    >>> tf.cast(1.0, dtype=3.5)
    Traceback (most recent call last):
    gradtape.errors.NotADTypeError: Cannot convert 3.5 to a TensorFlow DType. Use a tf dtype such as ...
    """


class OperandTypeError(InvalidArgumentError, TypeError):
    """Operands of two types, or a Python value that does not convert to the type of the tensor beside it.

    >>> import gradtape as tf
    >>> try:
    ...     tf.constant(1.0) + tf.constant(1)
    ... except tf.errors.OperandTypeError:
    ...     print("float32 and int32")
    float32 and int32
    """


class TensorTypeError(OperandTypeError, ValueError):
    """A tensor of another type than the one that is needed.

    TensorFlow's class depends on who is given it: a conversion (ValueError), a kernel (InvalidArgumentError), or a kernel
    that has taken its type from it, and then meets a Python value beside it (TypeError).

    >>> import gradtape as tf
    >>> tf.strings.length(tf.constant(1.0))
    Traceback (most recent call last):
    gradtape.errors.TensorTypeError: A string tensor is needed, got tf.float32. Use ...
    """


class ArgumentValueError(InvalidArgumentError, ValueError):
    """An argument of the right type with a wrong value: an axis that does not exist, an unknown label.

    >>> import gradtape as tf
    >>> tf.stack([[1.0], [2.0]], axis=7)
    Traceback (most recent call last):
    gradtape.errors.ArgumentValueError: stack: Argument `axis` = 7 not in range [-2, 2): it is one integer.
    """


class StepArgumentError(ArgumentValueError, TypeError):
    """The operands of a step that a function records do not go together: their shapes, their types or a setting.

    TensorFlow's class depends on what its graph looks at first: types (TypeError), or shapes and settings (ValueError).

    >>> import gradtape as tf
    >>> tf.function(lambda x, y: tf.tensor_scatter_nd_add(x, [[0]], y))(tf.zeros([2]), tf.zeros([3]))
    Traceback (most recent call last):
    gradtape.errors.StepArgumentError: tensor_scatter_nd_add: ...
    """


class UnknownShapeError(ArgumentValueError, OperatorNotAllowedInGraphError):
    """What a function records depends on a rank or on sizes that are not known before it runs.

    TensorFlow's class depends on who asks: its Python code (ValueError), or a rule for shapes (InvalidArgumentError).

    >>> import gradtape as tf
    >>> tf.function(lambda x: tf.nn.max_pool(x, 2.5, 1, "SAME"), input_signature=[tf.TensorSpec(None)])([1.0])
    Traceback (most recent call last):
    gradtape.errors.UnknownShapeError: max_pool needs ...
    """


class RankError(ArgumentValueError, IndexError):
    """A tensor has too few axes.

    TensorFlow's class depends on what is done with its shape: it is compared (ValueError), given to a kernel
    (InvalidArgumentError), or asked for an axis that it does not have (IndexError).

    >>> import gradtape as tf
    >>> tf.tensordot([1.0], [1.0], axes=3)
    Traceback (most recent call last):
    gradtape.errors.RankError: tensordot: axes must be from 0 to 1, got 3.
    """


class MissingArgumentError(InvalidArgumentError, TypeError, ValueError):
    """None stands where a number is needed.

    >>> import gradtape as tf
    >>> tf.zeros(None)
    Traceback (most recent call last):
    gradtape.errors.MissingArgumentError: A shape needs known sizes, got None. Use -1 (in ...
    """


class NumberNeededError(InvalidArgumentError, TypeError, ValueError):
    """Something else stands where a number is needed: a size, an axis, a count, a rate.

    TensorFlow's class depends on whether the number is an attribute of the kernel (TypeError), is made a tensor first
    (ValueError for what cannot be one), or is looked at by the kernel (InvalidArgumentError).

    >>> import gradtape as tf
    >>> tf.one_hot([0], depth="two")
    Traceback (most recent call last):
    gradtape.errors.NumberNeededError: An integer is needed, got 'two' of type str.
    """


class TensorAsSettingError(NumberNeededError, NotTextError, OperatorNotAllowedInGraphError):
    """A tensor stands where a function needs a number, a text or a truth value while it is recorded.

    TensorFlow's class depends on what is done with the tensor: it is an attribute of the kernel (TypeError), or it is iterated
    over, compared or taken for its truth (OperatorNotAllowedInGraphError).

    >>> import gradtape as tf
    >>> tf.function(lambda x: tf.nn.max_pool1d(x, tf.constant("2"), 1, "SAME"))(tf.zeros([1, 4, 1]))
    Traceback (most recent call last):
    gradtape.errors.TensorAsSettingError: Integers are needed, got ...
    """


class InfiniteNumberError(NumberNeededError, OverflowError):
    """Infinity stands where an integer is needed.

    >>> import gradtape as tf
    >>> tf.one_hot([0], depth=float("inf"))
    Traceback (most recent call last):
    gradtape.errors.InfiniteNumberError: An integer is needed, got inf of type float.
    """


class UnsupportedTypeError(InvalidArgumentError, NotFoundError, TypeError):
    """An op is not defined for the type of its operands.

    TensorFlow's class depends on the layer that notices: the function in Python (TypeError), the declaration of the op
    (InvalidArgumentError; TypeError inside a function), or the search for a kernel (NotFoundError).

    >>> import gradtape as tf
    >>> tf.sin(tf.constant(1))
    Traceback (most recent call last):
    gradtape.errors.UnsupportedTypeError: sin is not defined for int32; allowed are bfloat16, ...
    """


class BatchShapeError(ValueError, IndexError):
    """The shapes given to batch_jacobian have no common batch axis.

    >>> import gradtape as tf
    >>> x = tf.Variable(1.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> tape.batch_jacobian(y, x)
    Traceback (most recent call last):
    gradtape.errors.BatchShapeError: batch_jacobian: the target needs a batch axis, got a ...
    """


class BranchTypeError(TypeError, AttributeError):
    """A predicate or a branch of `tf.case` has a wrong type.

    >>> import gradtape as tf
    >>> tf.case([(tf.constant(True), 3)])
    Traceback (most recent call last):
    gradtape.errors.BranchTypeError: fn for pred <tf.Tensor: shape=(), dtype=bool, ...
    """


class LoopStructureError(TypeError, ValueError):
    """The body of a loop returned something that does not look like its variables.

    >>> import gradtape as tf
    >>> tf.while_loop(lambda i: i < 3, lambda i: i + 1, loop_vars=None)
    Traceback (most recent call last):
    gradtape.errors.LoopStructureError: 'loop_vars' must be provided, as a list or tuple.
    """


class ScalarElementsError(ValueError, IndexError):
    """A scalar was given where something is unstacked along its first axis.

    >>> import gradtape as tf
    >>> tf.map_fn(lambda x: x, tf.constant(1.0))
    Traceback (most recent call last):
    gradtape.errors.ScalarElementsError: map_fn: Elements in elems must be 1+ dimensional ...
    """


class ElementIndexError(OutOfRangeError, IndexError):
    """An element of a TensorArray that does not exist.

    >>> import gradtape as tf
    >>> tf.TensorArray(tf.float32, size=2).gather([7])
    Traceback (most recent call last):
    gradtape.errors.ElementIndexError: list index out of range: TensorArray has 2 elements, ...
    """


class GeneratorElementError(InvalidArgumentError, TypeError):
    """A generator yielded something else than its signature says.

    >>> import gradtape as tf
    >>> numbers = tf.data.Dataset.from_generator(lambda: ["text"], output_signature=tf.TensorSpec([], tf.int32))
    >>> list(numbers)
    Traceback (most recent call last):
    gradtape.errors.GeneratorElementError: from_generator: the generator yielded an element ...
    """


class DecodeError(DataLossError, ValueError):
    """Bytes that are no protocol buffer of the expected kind.

    >>> import gradtape as tf
    >>> tf.train.Example.FromString(b"no example")
    Traceback (most recent call last):
    gradtape.errors.DecodeError: Field 13 has the unknown encoding 6.

    Args:
        message: What is wrong with the bytes.
    """

    def __init__(self, message: str) -> None:
        super().__init__(None, None, message)

    def __reduce__(self) -> tuple[object, ...]:
        return DecodeError, (self.message,)


class NotStorableError(ValueError):
    """A traced function holds something that no file can hold: Python code, or an object of the user's own.

    >>> import gradtape as tf
    >>> raise tf.errors.NotStorableError("the function holds a socket")
    Traceback (most recent call last):
    gradtape.errors.NotStorableError: the function holds a socket
    """


class GradientLookupError(LookupError):
    """A gradient was requested through an op that has none.

    >>> import gradtape as tf
    >>> raise tf.errors.GradientLookupError("the op has no gradient")
    Traceback (most recent call last):
    gradtape.errors.GradientLookupError: the op has no gradient
    """


class NonFiniteError(InvalidArgumentError):
    """An op, or the backward step of one, made a nan or an inf while `tf.debugging.enable_check_numerics` was on.

    >>> import gradtape as tf
    >>> tf.debugging.enable_check_numerics()
    >>> tf.math.log(0.0)
    Traceback (most recent call last):
    gradtape.errors.NonFiniteError: Detected Inf in the output of log ...
    >>> tf.debugging.disable_check_numerics()
    """

    def inside(self, line: str) -> NonFiniteError:
        """The same error, with the line of a traced function that it came from.

        Args:
            line: The line.

        Returns:
            An error.
        """
        return NonFiniteError(self.node_def, self.op, f"{self.message}\n  in the function, at {line}")


class UnconnectedGradientError(ValueError):
    """A tape made with `strict=True` was asked for a gradient that would be None; `explanations` says why for each source.

    >>> import gradtape as tf
    >>> x, y = tf.Variable(1.0), tf.Variable(2.0)
    >>> with tf.GradientTape(strict=True) as tape:
    ...     z = y * y
    >>> tape.gradient(z, x)
    Traceback (most recent call last):
    gradtape.errors.UnconnectedGradientError: The gradient of ... is None: unconnected. ...
    """

    explanations: Sequence[object] = ()


class OpDeclarationError(ValueError):
    """An op is declared in a way that cannot work: a name that is taken, a rule for an argument that it does not have.

    >>> import gradtape as tf
    >>> @tf.extend.elementwise
    ... def tanh(xp, x):
    ...     return xp.tanh(x)
    Traceback (most recent call last):
    gradtape.errors.OpDeclarationError: There is an op named tanh already, declared in ...
    """


class OpCheckError(AssertionError):
    """An op does not do what its declaration says: a rule disagrees with finite differences, or samples are missing.

    >>> import gradtape as tf
    >>> raise tf.errors.OpCheckError("the derivative of cube disagrees with finite differences")
    Traceback (most recent call last):
    gradtape.errors.OpCheckError: the derivative of cube disagrees with finite differences
    """


# Tracebacks and pickles show the module that users import: `gradtape.errors`.
for _known in [value for value in globals().values() if isinstance(value, type) and issubclass(value, Exception)]:
    _known.__module__ = "gradtape.errors"


def invalid(message: str) -> InvalidArgumentError:
    """The error for a bad argument; the message says what was given, what was expected and how to repair it."""
    return InvalidArgumentError(None, None, message)


def too_few_axes(message: str) -> RankError:
    """The error for a tensor that lacks axes."""
    return RankError(None, None, message)


def unfit(message: str) -> ArgumentValueError:
    """The error for an argument whose shape, rank or value does not fit the others."""
    return ArgumentValueError(None, None, message)


# --- what Python, NumPy and SciPy raise for an impossible size, index or divisor ---------------------------------------------

# The classes that such an error can have.
REFUSALS = (MemoryError, ArithmeticError, ValueError, LookupError, TypeError, AttributeError)
_TOO_LARGE = ("array is too big", "Maximum allowed dimension exceeded", "too large to represent", "array is too large")
_NUMBERS = ("numpy", "scipy", "ml_dtypes")


def named(error: Exception, name: str) -> Exception:
    """The error to raise instead of one from arithmetic or an array library in the function `name`.

    MemoryError, OverflowError, ZeroDivisionError, IndexError, KeyError, AttributeError and NumPy's own classes get a class of
    this module; the message stays. Any other error, and one that code of the user's own raised, is returned as it is.
    """
    kind = type(error)
    if isinstance(error, (OpError, Warning)) or not _is_ours(error):
        return error
    if isinstance(error, MemoryError) or any(text in str(error) for text in _TOO_LARGE):
        return too_large(name, str(error).rstrip(".") or "there is not enough memory")
    if package_of(kind.__module__) in _NUMBERS:
        better = OperandTypeError if isinstance(error, TypeError) else ArgumentValueError
        return better(None, None, f"{name}: {error}")
    if isinstance(error, OverflowError) and "infinity" in str(error):
        return InfiniteNumberError(None, None, f"{name}: an integer is needed: {error}.")
    if isinstance(error, ArithmeticError) or kind in (IndexError, KeyError):
        return invalid(f"{name}: {error}")
    if kind is AttributeError:
        return NotATensorError(f"{name}: an argument is of a wrong type: {error}.")
    return error


def raise_named(error: Exception, name: str) -> None:
    """Raise what `named` gives, if that is another error."""
    better = named(error, name)
    if better is not error:
        raise better from error


def too_large(name: str, message: str) -> ResourceExhaustedError:
    """The error for a size that the machine cannot hold."""
    return ResourceExhaustedError(None, None, f"{name}: {message}. Ask for a smaller size.")


def _is_ours(error: Exception) -> bool:
    """Whether code of gradtape raised it, or an array library that gradtape called."""
    ours, place = True, error.__traceback__
    while place is not None:
        if package_of(place.tb_frame.f_globals.get("__name__")) not in _NUMBERS:
            ours = is_ours(place.tb_frame)
        place = place.tb_next
    return ours


_BY_OS_ERROR: dict[type[OSError], type[OpError]] = {
    FileNotFoundError: NotFoundError,
    FileExistsError: AlreadyExistsError,
    PermissionError: PermissionDeniedError,
    IsADirectoryError: FailedPreconditionError,
    NotADirectoryError: FailedPreconditionError,
}
_BY_NUMBER: dict[int | None, type[OpError]] = {
    errno.ENOSPC: ResourceExhaustedError,
    errno.EFBIG: ResourceExhaustedError,
    errno.ENOTEMPTY: FailedPreconditionError,
}


def from_os_error(error: OSError, doing: str) -> OpError:
    """What TensorFlow raises where the operating system refused; `doing` says what was tried, on which file."""
    kind = _BY_NUMBER.get(error.errno) or _BY_OS_ERROR.get(type(error), UnknownError)
    return kind(None, None, f"{doing}: {error.strerror or error}")
