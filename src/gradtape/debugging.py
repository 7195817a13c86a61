"""`tf.debugging`: assertions on values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import math
from .api.arrays import identity as _identity
from .api.framework import Assert as Assert
from .base import dtypes
from .base.dtypes import Array, DType
from .base.errors import UnsupportedTypeError, invalid, unfit
from .base.namespaces import listing, namespace
from .base.shapes import TensorShape, broadcast
from .base.traceable import traceable
from .base.tracebacks import FILTERING
from .base.types import DTypeLike, IntLike, TensorLike, Value
from .op.arguments import takes, text
from .op.attributes import as_float, as_int
from .ops.math import logic
from .trace.control import effect_on_abstract
from .values.composite import is_composite
from .values.tensor import Tensor, to_tensor
from .variables.variable import Variable

_COMPARISON = """Check that x {symbol} y everywhere.

>>> import gradtape as tf
>>> tf.debugging.{name}({holds})
>>> tf.debugging.{name}({fails})
Traceback (most recent call last):
    ...
gradtape.errors.InvalidArgumentError: ...Condition x {symbol} y did not hold...

Args:
    x: A tensor.
    y: A tensor that broadcasts with it.
    message: What the error begins with.
    summarize: How many elements to show.
    name: Ignored; accepted for compatibility with TensorFlow.

Raises:
    tf.errors.InvalidArgumentError: It does not hold for some elements.
"""
_HOLDS = {
    "==": "[1, 2], [1, 2]",
    "!=": "[1, 2], [3, 4]",
    "<": "[1, 2], 3",
    "<=": "[1, 3], 3",
    ">": "[4, 5], 3",
    ">=": "[3, 5], 3",
}
_FAILS = {
    "==": "[1, 2], [1, 3]",
    "!=": "[1, 2], [3, 2]",
    "<": "[1, 3], 3",
    "<=": "[1, 4], 3",
    ">": "[3, 5], 3",
    ">=": "[2, 5], 3",
}


def _compare(name: str, symbol: str, holds: Callable[[Any, Any], Any]) -> Any:
    def check(
        x: TensorLike, y: Value, message: str | None = None, summarize: int | None = None, name: str | None = None
    ) -> None:
        a = to_tensor(
            x, None if isinstance(x, (Tensor, Variable)) or not isinstance(y, (Tensor, Variable)) else y.dtype
        )
        b = to_tensor(y, None if isinstance(y, (Tensor, Variable)) else a.dtype)
        held = np.asarray(to_tensor(holds(a, b))._array)
        if not np.all(held):
            found = f"{message or ''}\nCondition x {symbol} y did not hold."
            raise invalid(found + _elements(a._array, b._array, held, summarize or 3, symbol == "=="))

    check.__name__ = check.__qualname__ = name
    check.__doc__ = _COMPARISON.format(name=name, symbol=symbol, holds=_HOLDS[symbol], fails=_FAILS[symbol])
    return check


def _elements(x: Array, y: Array, held: Array, shown: int, differ: bool) -> str:
    """The first elements, and where they differ."""
    count = held.size if shown < 0 else shown
    lines = []
    if differ:
        places = np.argwhere(~held)[:count]
        lines.append(f"Indices of first {len(places)} different values:\n{places}")
        for label, array in (("x", x), ("y", y)):
            lines.append(f"Corresponding {label} values:\n{np.broadcast_to(array, held.shape)[tuple(places.T)]}")
    for label, array in (("x", x), ("y", y)):
        first = np.asarray(array).reshape(-1)[:count]
        lines.append(f"First {len(first)} elements of {label}:\n{first}")
    return "\n" + "\n".join(lines)


assert_equal = _compare("assert_equal", "==", math.equal)
assert_less = _compare("assert_less", "<", math.less)
assert_less_equal = _compare("assert_less_equal", "<=", math.less_equal)
assert_greater = _compare("assert_greater", ">", math.greater)
assert_greater_equal = _compare("assert_greater_equal", ">=", math.greater_equal)
_assert_different = _compare("assert_none_equal", "!=", math.not_equal)


def assert_none_equal(
    x: TensorLike, y: TensorLike, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """Check that x != y everywhere.

    >>> import gradtape as tf
    >>> tf.debugging.assert_none_equal([1, 2], [3, 4])
    >>> tf.debugging.assert_none_equal([1, 2], [3, 2])
    Traceback (most recent call last):
        ...
    gradtape.errors.InvalidArgumentError: ...

    Args:
        x: A tensor.
        y: A tensor that broadcasts with it.
        summarize: How many elements to show.
        message: What the error begins with.
        name: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        tf.errors.InvalidArgumentError: Two elements are equal.
    """
    _assert_different(x, y, message, summarize, name)


def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise InvalidArgumentError unless |x - y| <= atol + rtol * |y| everywhere; ten machine epsilons by default.

    >>> import gradtape as tf
    >>> tf.debugging.assert_near([1.0], [1.0 + 1e-7])
    >>> tf.debugging.assert_near([1.0], [1.5])
    Traceback (most recent call last):
        ...
    gradtape.errors.InvalidArgumentError: ...

    Args:
        x: A tensor.
        y: A tensor.
        rtol: How far relative to y.
        atol: How far in any case.
        message: What the error begins with.
        summarize: How many elements to show.
        name: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        tf.errors.InvalidArgumentError: An element is further away.
    """
    a = to_tensor(x)
    b = to_tensor(y, a.dtype)
    tolerance = 10 * float(np.finfo(a.dtype.numpy).eps)
    relative = tolerance if rtol is None else as_float(rtol)
    absolute = tolerance if atol is None else as_float(atol)
    first, second = np.asarray(a._array), np.asarray(b._array)
    if broadcast(first.shape, second.shape) is None:
        raise unfit(f"assert_near: shapes {first.shape} and {second.shape} do not broadcast.")
    if not np.all(np.abs(first - second) <= absolute + relative * np.abs(second)):
        raise invalid(
            f"{message or ''}\nx and y not equal to tolerance rtol = {relative}, atol = {absolute}\nx: {first}\ny: {second}"
        )


_SIGN = """Check that {words} everywhere.

>>> import gradtape as tf
>>> tf.debugging.{name}({holds})
>>> tf.debugging.{name}({fails})
Traceback (most recent call last):
    ...
gradtape.errors.InvalidArgumentError: ...Condition {words} did not hold element-wise: ...

Args:
    x: A tensor.
    message: What the error begins with.
    summarize: Ignored; accepted for compatibility with TensorFlow.
    name: Ignored; accepted for compatibility with TensorFlow.

Raises:
    tf.errors.InvalidArgumentError: It does not hold for some elements.
"""


def _sign_check(name: str, words: str, holds: Callable[[Any], Any]) -> Any:
    def check(x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None) -> None:
        array = np.asarray(to_tensor(x)._array)
        if not np.all(holds(array)):
            raise invalid(f"{message or ''}\nCondition {words} did not hold element-wise: {array}")

    check.__name__ = check.__qualname__ = name
    below, above = "[-1.0, -2.0]", "[1.0, 2.0]"
    holds_for, fails_for = (below, above) if "<" in words else (above, below)
    check.__doc__ = _SIGN.format(name=name, words=words, holds=holds_for, fails=fails_for)
    return check


assert_positive = _sign_check("assert_positive", "x > 0", lambda a: a > 0)
assert_negative = _sign_check("assert_negative", "x < 0", lambda a: a < 0)
assert_non_negative = _sign_check("assert_non_negative", "x >= 0", lambda a: a >= 0)
assert_non_positive = _sign_check("assert_non_positive", "x <= 0", lambda a: a <= 0)


def assert_rank(x: TensorLike, rank: IntLike, message: str | None = None, name: str | None = None) -> None:
    """Check how many axes a tensor has.

    >>> import gradtape as tf
    >>> tf.debugging.assert_rank([1.0, 2.0], 1)
    >>> tf.debugging.assert_rank([1.0, 2.0], 2)
    Traceback (most recent call last):
        ...
    ValueError: Tensor must have rank 2. Received rank 1, shape (2,)

    Args:
        x: A tensor.
        rank: The number of axes.
        message: What the error begins with.
        name: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: It has another number of axes.
    """
    if to_tensor(x).ndim != as_int(rank):
        raise ValueError(
            f"{message or ''}Tensor must have rank {as_int(rank)}. Received rank {to_tensor(x).ndim}, shape {to_tensor(x).shape}"
        )


def assert_rank_at_least(x: TensorLike, rank: IntLike, message: str | None = None, name: str | None = None) -> None:
    """Check that a tensor has enough axes.

    >>> import gradtape as tf
    >>> tf.debugging.assert_rank_at_least([[1.0, 2.0]], 1)
    >>> tf.debugging.assert_rank_at_least([1.0, 2.0], 2)
    Traceback (most recent call last):
        ...
    ValueError: Tensor must have rank at least 2. Received rank 1

    Args:
        x: A tensor.
        rank: The smallest number of axes.
        message: What the error begins with.
        name: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: It has fewer axes.
    """
    if to_tensor(x).ndim < as_int(rank):
        raise ValueError(
            f"{message or ''}Tensor must have rank at least {as_int(rank)}. Received rank {to_tensor(x).ndim}"
        )


def assert_rank_in(
    x: TensorLike, ranks: Sequence[TensorLike], message: str | None = None, name: str | None = None
) -> None:
    """Check that the number of axes of a tensor is one of several.

    >>> import gradtape as tf
    >>> tf.debugging.assert_rank_in([1.0, 2.0], [0, 1])
    >>> tf.debugging.assert_rank_in([1.0, 2.0], [0, 2])
    Traceback (most recent call last):
        ...
    ValueError: Tensor must have rank in (0, 2). Received rank 1

    Args:
        x: A tensor.
        ranks: The numbers of axes.
        message: What the error begins with.
        name: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: It has another number of axes.
    """
    if to_tensor(x).ndim not in [as_int(r) for r in ranks]:
        raise ValueError(f"{message or ''}Tensor must have rank in {tuple(ranks)}. Received rank {to_tensor(x).ndim}")


def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> Tensor:
    """The tensor, if it has no axes.

    >>> import gradtape as tf
    >>> tf.debugging.assert_scalar(3.0).numpy()
    np.float32(3.0)

    Args:
        tensor: A tensor.
        message: What the error begins with.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The tensor.

    Raises:
        ValueError: It has axes.
    """
    x = to_tensor(tensor)
    if x.ndim:
        raise ValueError(f"{message or ''}Expected scalar shape, saw shape: {x.shape}.")
    return x


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Check that a tensor has an integer type.

    >>> import gradtape as tf
    >>> tf.debugging.assert_integer(3)
    >>> tf.debugging.assert_integer(1.5)
    Traceback (most recent call last):
        ...
    TypeError: Expected x to be an integer type, got tf.float32.

    Args:
        x: A tensor.
        message: What the error begins with.
        name: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        TypeError: It has another type.
    """
    if not to_tensor(x).dtype.is_integer:
        raise TypeError(f"{message or ''}Expected x to be an integer type, got {to_tensor(x).dtype!r}.")


def assert_type(tensor: TensorLike, tf_type: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Check the type of a tensor.

    >>> import gradtape as tf
    >>> tf.debugging.assert_type(tf.constant(3.0), tf.float32)
    >>> tf.debugging.assert_type(tf.constant(1), tf.float32)
    Traceback (most recent call last):
        ...
    TypeError: The tensor must be of type tf.float32; got tf.int32

    Args:
        tensor: A tensor.
        tf_type: The type that the tensor must have, such as tf.float32.
        message: What the error begins with.
        name: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        TypeError: It has another type.
    """
    wanted = dtypes.as_dtype(tf_type)
    found = _dtype_of(tensor)
    if found != wanted:
        raise TypeError(f"{message or ''}The tensor must be of type {wanted!r}; got {found!r}")


def _dtype_of(tensor: Any) -> DType:
    dtype: DType = (tensor if is_composite(tensor) else to_tensor(tensor)).dtype
    return dtype


def assert_same_float_dtype(tensors: Any = None, dtype: DTypeLike | None = None) -> DType:
    """The floating type that all the tensors have.

    >>> import gradtape as tf
    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant(2.0)])
    tf.float32

    Args:
        tensors: A list of tensors.
        dtype: The type that they should have.

    Returns:
        A `tf.DType`; float32 where nothing is given.

    Raises:
        ValueError: They have several types, or one that is not floating.
    """
    kinds = {_dtype_of(t) for t in tensors or [] if t is not None} | (
        {dtypes.as_dtype(dtype)} if dtype is not None else set()
    )
    if len(kinds) > 1 or any(not k.is_floating for k in kinds):
        raise ValueError(f"Expected one floating point type, got {sorted(k.name for k in kinds)}.")
    return kinds.pop() if kinds else dtypes.float32


def assert_shapes(
    shapes: Any,
    data: TensorLike | None = None,
    summarize: TensorLike | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Check that each tensor has the shape beside it.

    Equal letters stand for equal sizes, None and "." for any size, `...` and "*" for any number of axes.

    >>> import gradtape as tf
    >>> x, w = tf.ones([5, 3]), tf.ones([3, 2])
    >>> tf.debugging.assert_shapes([(x, ("N", "I")), (w, ("I", 2))])
    >>> tf.debugging.assert_shapes([(x, ("N", "I")), (w, ("N", 2))])
    Traceback (most recent call last):
    ValueError: Specified by tensor of shape (5, 3) dimension 0.  Tensor of shape (3, 2) dimension 0 must have size 5. ...

    Args:
        shapes: A list of pairs of a tensor and a shape, or a dict of them.
        data: Ignored; accepted for compatibility with TensorFlow.
        summarize: Ignored; accepted for compatibility with TensorFlow.
        message: What the error begins with.
        name: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: A shape does not fit.
    """
    known: dict[Any, tuple[int, str]] = {}  # the size of each label, and where it was found
    for tensor, expected in shapes.items() if isinstance(shapes, dict) else shapes:
        x: Any = tensor.deref() if hasattr(tensor, "deref") else tensor
        shape: TensorShape = (x if is_composite(x) else to_tensor(x)).shape
        for axis, label, size in _beside(expected, shape, message or ""):
            if label is None or label == "." or size is None:
                continue
            origin = f"by tensor of shape {shape} dimension {axis}"
            if isinstance(label, (int, np.integer)) or str(label).isdigit():
                wanted, origin = int(label), "explicitly"
            else:
                wanted, origin = known.setdefault(label, (size, origin))
            if wanted != size:
                raise ValueError(
                    f"{message or ''}Specified {origin}.  Tensor of shape {shape} dimension {axis} must have size {wanted}.  "
                    f"Received size {size}"
                )


def _beside(expected: Any, shape: TensorShape, message: str) -> list[tuple[int, Any, int | None]]:
    """The axes of which something is expected, with that and their sizes. A scalar counts as a vector of one element."""
    if expected is None or shape.rank is None:
        return []
    if not hasattr(expected, "__iter__"):
        raise ValueError(
            f"{message}Tensor of shape {shape}.  Specified shape must be an iterable.  An iterable has the attribute "
            f"`__iter__` or `__getitem__`.  Received specified shape: {expected}"
        )
    labels, sizes = list(expected), list(shape)
    any_axes = [place for place, label in enumerate(labels) if label is ... or label == "*"]
    if not any_axes and {len(labels), len(sizes)} == {0, 1}:
        labels, sizes = labels or [1], sizes or [1]
    if len(labels) - 1 > len(sizes) if any_axes else len(labels) != len(sizes):
        wanted = f"at least {len(labels) - 1}" if any_axes else len(labels)
        raise ValueError(f"{message}Tensor of shape {shape} must have rank {wanted}.  Received rank {shape.rank}")
    if not any_axes:
        return list(zip(range(len(labels)), labels, sizes, strict=True))
    last = len(labels) - 1 - any_axes[0]  # (axes behind it are counted from the end)
    return [
        *zip(range(any_axes[0]), labels, sizes, strict=False),
        *zip(range(-last, 0), labels[any_axes[0] + 1 :], sizes[len(sizes) - last :], strict=True),
    ]


@takes(message=text)
def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """The tensor, if it has no nan and no inf; InvalidArgumentError otherwise.

    >>> import gradtape as tf
    >>> tf.debugging.check_numerics([1.0], "here").numpy()
    array([1.], dtype=float32)

    Args:
        tensor: A floating tensor.
        message: What the error begins with.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The tensor.

    Raises:
        tf.errors.InvalidArgumentError: There is a nan or an inf.
    """
    x = to_tensor(tensor)
    if not x.dtype.is_differentiable:
        message = f"check_numerics: only floating types have nan and inf, got {x.dtype!r}."
        raise UnsupportedTypeError(None, None, message)
    return logic.check_numerics.public(x, str(message))


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Raise InvalidArgumentError from the op that makes the first nan or inf, forward or backward.

    Every op is checked, also those of functions, which then run step by step: this takes time. The message has the line, the
    ranges of the operands, and what to write instead where the pattern is a known one.

    >>> import gradtape as tf
    >>> tf.debugging.enable_check_numerics()
    >>> tf.sqrt(-1.0)
    Traceback (most recent call last):
    gradtape.errors.NonFiniteError: Detected NaN in the output of sqrt ...
    >>> tf.debugging.disable_check_numerics()

    Args:
        stack_height_limit: Ignored; accepted for compatibility with TensorFlow.
        path_length_limit: Ignored; accepted for compatibility with TensorFlow.
    """
    from .diagnostics import nonfinite

    nonfinite.RAISING.disable()
    nonfinite.RAISING.enable()


def disable_check_numerics() -> None:
    """Undo `enable_check_numerics`.

    >>> import gradtape as tf
    >>> tf.debugging.enable_check_numerics()
    >>> tf.debugging.disable_check_numerics()
    >>> tf.sqrt(-1.0).numpy()
    np.float32(nan)
    """
    from .diagnostics import nonfinite

    nonfinite.RAISING.disable()


@takes(message=text)
def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """The tensor, if it has no nan and no inf: the same as `check_numerics`.

    >>> import gradtape as tf
    >>> tf.debugging.assert_all_finite([1.0, 2.0], "here").numpy()
    array([1., 2.], dtype=float32)

    Args:
        x: A floating tensor.
        message: What the error begins with.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The tensor.

    Raises:
        tf.errors.InvalidArgumentError: There is a nan or an inf.
    """
    return check_numerics(x, message)


def is_numeric_tensor(tensor: object) -> bool:
    """Whether it is a tensor of numbers.

    >>> import gradtape as tf
    >>> tf.debugging.is_numeric_tensor(tf.constant(1.0)), tf.debugging.is_numeric_tensor(1.0)
    (True, False)

    Args:
        tensor: Any object.

    Returns:
        True or False.
    """
    return isinstance(tensor, (Tensor, Variable)) and tensor.dtype.is_numeric


def set_log_device_placement(enabled: bool) -> None:
    """Accepted: everything is on the CPU.

    >>> import gradtape as tf
    >>> tf.debugging.set_log_device_placement(True)

    Args:
        enabled: Ignored; accepted for compatibility with TensorFlow.
    """


def get_log_device_placement() -> bool:
    """Whether the devices of ops are logged: always False.

    >>> import gradtape as tf
    >>> tf.debugging.get_log_device_placement()
    False

    Returns:
        False.
    """
    return False


def assert_proper_iterable(values: object) -> None:
    """Check that something is an iterable, and no tensor, array or text, whose elements are not meant.

    >>> import gradtape as tf
    >>> tf.debugging.assert_proper_iterable([1, 2])
    >>> tf.debugging.assert_proper_iterable("text")
    Traceback (most recent call last):
    TypeError: Expected argument "values" to be a "proper" iterable.  Found: <class 'str'>

    Args:
        values: Any object.

    Raises:
        TypeError: It is none.
    """
    if isinstance(values, (Tensor, Variable, np.ndarray, str, bytes)) or is_composite(values):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def enable_traceback_filtering() -> None:
    """Leave frames of gradtape out of the tracebacks that this thread prints. This is the default.

    >>> import gradtape as tf
    >>> tf.debugging.enable_traceback_filtering()
    """
    FILTERING.on = True


def disable_traceback_filtering() -> None:
    """Print whole tracebacks, with the frames of gradtape.

    >>> import gradtape as tf
    >>> tf.debugging.disable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    False
    >>> tf.debugging.enable_traceback_filtering()
    """
    FILTERING.on = False


def is_traceback_filtering_enabled() -> bool:
    """Whether frames of gradtape are left out of tracebacks.

    >>> import gradtape as tf
    >>> tf.debugging.is_traceback_filtering_enabled()
    True

    Returns:
        True or False.
    """
    return FILTERING.on


@namespace("gradtape.debugging.experimental")
class experimental:
    """`tf.debugging.experimental`: dumps for TensorFlow's debugger, which gradtape does not write."""

    @staticmethod
    def enable_dump_debug_info(
        dump_root: TensorLike,
        tensor_debug_mode: str = "NO_TENSOR",
        circular_buffer_size: int = 1000,
        op_regex: str | None = None,
        tensor_dtypes: TensorLike | None = None,
    ) -> None:
        """Not offered: `enable_check_numerics` finds the op that makes the first nan.

        >>> import gradtape as tf
        >>> tf.debugging.experimental.enable_dump_debug_info("folder")
        Traceback (most recent call last):
        NotImplementedError: gradtape writes no dumps for TensorBoard's debugger. ...

        Args:
            dump_root: Ignored.
            tensor_debug_mode: Ignored.
            circular_buffer_size: Ignored.
            op_regex: Ignored.
            tensor_dtypes: Ignored.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            "gradtape writes no dumps for TensorBoard's debugger. tf.debugging.enable_check_numerics() raises at the op that "
            "makes the first nan or inf; tf.summary.trace_on() writes the graph of the ops that run."
        )

    @staticmethod
    def disable_dump_debug_info() -> None:
        """Nothing to do.

        >>> import gradtape as tf
        >>> tf.debugging.experimental.disable_dump_debug_info()
        """


def _checked_on_abstract(evaluator: Any, function: Any, tensor: Any, *args: Any, **kwargs: Any) -> Any:
    """The tensor itself, during tracing; its value is checked when the function runs."""
    effect_on_abstract(evaluator, function, tensor, *args, **kwargs)
    return _identity(tensor)


check_numerics = traceable(check_numerics, on_abstract=_checked_on_abstract)
assert_all_finite = traceable(assert_all_finite, on_abstract=_checked_on_abstract)
for _name in (
    *("equal", "none_equal", "less", "less_equal", "greater", "greater_equal"),
    *("near", "positive", "negative", "non_negative", "non_positive"),
):
    globals()[f"assert_{_name}"] = traceable(globals()[f"assert_{_name}"], on_abstract=effect_on_abstract)

__dir__ = listing(globals())
