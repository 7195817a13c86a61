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
    gradtape.errors.InvalidArgumentError: add: shapes (2,) and (3,) do not broadcast. ...
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
    """The operation was cancelled."""

    code = 1


class UnknownError(OpError):
    """Something failed for a reason that no other class names."""

    code = 2


class InvalidArgumentError(OpError):
    """An argument has a wrong dtype, shape or value."""

    code = 3


class DeadlineExceededError(OpError):
    """A time limit passed."""

    code = 4


class NotFoundError(OpError):
    """A file or an entry does not exist."""

    code = 5


class AlreadyExistsError(OpError):
    """A file or an entry exists already."""

    code = 6


class PermissionDeniedError(OpError):
    """The operating system refused access."""

    code = 7


class ResourceExhaustedError(OpError):
    """There is not enough memory or disk space."""

    code = 8


class FailedPreconditionError(OpError):
    """The object is not in a state that allows the operation."""

    code = 9


class AbortedError(OpError):
    """The operation was aborted."""

    code = 10


class OutOfRangeError(OpError):
    """An iterator or a position ran past the end."""

    code = 11


class UnimplementedError(OpError):
    """The operation exists but not for these arguments."""

    code = 12


class InternalError(OpError):
    """Something that should never happen happened inside gradtape."""

    code = 13


class UnavailableError(OpError):
    """A service cannot be reached."""

    code = 14


class DataLossError(OpError):
    """A file is corrupt or truncated."""

    code = 15


class UnauthenticatedError(OpError):
    """The caller did not prove who it is."""

    code = 16


class InaccessibleTensorError(ValueError):
    """A tensor of a traced function is used outside of it."""


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
    """A Python operation needs the value of a tensor that has none yet."""


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
    """


class NotTextError(AttributeError, TypeError, ValueError):
    """Something else stands where text is needed: the name of a mode, a format, a direction."""


class NotADTypeError(AttributeError, TypeError, ValueError):
    """Something else stands where the type of a tensor is needed."""


class OperandTypeError(InvalidArgumentError, TypeError):
    """Operands of two types, or a Python value that does not convert to the type of the tensor beside it."""


class TensorTypeError(OperandTypeError, ValueError):
    """A tensor of another type than the one that is needed.

    TensorFlow's class depends on who is given it: a conversion (ValueError), a kernel (InvalidArgumentError), or a kernel
    that has taken its type from it, and then meets a Python value beside it (TypeError).
    """


class ArgumentValueError(InvalidArgumentError, ValueError):
    """An argument of the right type with a wrong value: an axis that does not exist, an unknown label."""


class RankError(ArgumentValueError, IndexError):
    """A tensor has too few axes.

    TensorFlow's class depends on what is done with its shape: it is compared (ValueError), given to a kernel
    (InvalidArgumentError), or asked for an axis that it does not have (IndexError).
    """


class MissingArgumentError(InvalidArgumentError, TypeError, ValueError):
    """None stands where a number is needed."""


class NumberNeededError(InvalidArgumentError, TypeError, ValueError):
    """Something else stands where a number is needed: a size, an axis, a count, a rate.

    TensorFlow's class depends on whether the number is an attribute of the kernel (TypeError), is made a tensor first
    (ValueError for what cannot be one), or is looked at by the kernel (InvalidArgumentError).
    """


class InfiniteNumberError(NumberNeededError, OverflowError):
    """Infinity stands where an integer is needed."""


class UnsupportedTypeError(InvalidArgumentError, NotFoundError, TypeError):
    """An op is not defined for the type of its operands.

    TensorFlow's class depends on the layer that notices: the function in Python (TypeError), the declaration of the op
    (InvalidArgumentError; TypeError inside a function), or the search for a kernel (NotFoundError).
    """


class BatchShapeError(ValueError, IndexError):
    """The shapes given to batch_jacobian have no common batch axis."""


class BranchTypeError(TypeError, AttributeError):
    """A predicate or a branch of `tf.case` has a wrong type."""


class LoopStructureError(TypeError, ValueError):
    """The body of a loop returned something that does not look like its variables."""


class ScalarElementsError(ValueError, IndexError):
    """A scalar was given where something is unstacked along its first axis."""


class ElementIndexError(OutOfRangeError, IndexError):
    """An element of a TensorArray that does not exist."""


class GeneratorElementError(InvalidArgumentError, TypeError):
    """A generator yielded something else than its signature says."""


class DecodeError(DataLossError, ValueError):
    """Bytes that are no protocol buffer of the expected kind."""

    def __init__(self, message: str) -> None:
        super().__init__(None, None, message)

    def __reduce__(self) -> tuple[object, ...]:
        return DecodeError, (self.message,)


class NotStorableError(ValueError):
    """A traced function holds something that no file can hold: Python code, or an object of the user's own."""


class GradientLookupError(LookupError):
    """A gradient was requested through an op that has none."""


class NonFiniteError(InvalidArgumentError):
    """An op, or the backward step of one, made a nan or an inf while `tf.debugging.enable_check_numerics` was on."""

    def inside(self, line: str) -> NonFiniteError:
        """The same error, with the line of a traced function that it came from."""
        return NonFiniteError(self.node_def, self.op, f"{self.message}\n  in the function, at {line}")


class UnconnectedGradientError(ValueError):
    """A tape made with `strict=True` was asked for a gradient that would be None; `explanations` says why for each source."""

    explanations: Sequence[object] = ()


class OpDeclarationError(ValueError):
    """An op is declared in a way that cannot work: a name that is taken, a rule for an argument that it does not have."""


class OpCheckError(AssertionError):
    """An op does not do what its declaration says: a rule disagrees with finite differences, or samples are missing."""


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
