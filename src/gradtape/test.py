"""`tf.test`: checking gradients, and a TestCase with TensorFlow's assertions."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import platform
import re
import tempfile
import threading
import unittest
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .api.device_spec import DeviceSpec
from .api.layout import stack
from .base import nest
from .base.dtypes import NARROW_FLOATS
from .base.errors import InvalidArgumentError, OpError
from .base.namespaces import import_late, listing, namespace
from .base.types import TensorLike
from .differentiation.backward import UnconnectedGradients
from .differentiation.tape import GradientTape
from .math import imag, real
from .ragged.tensor import RaggedTensor
from .random import set_seed
from .sparse.tensor import SparseTensor
from .values.tensor import IndexedSlices, Tensor, to_tensor
from .variables.variable import Variable
from .xla.places import accelerators


def compute_gradient(
    f: Callable[..., Any], x: Sequence[TensorLike], delta: float | None = None
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The Jacobians of `f(*x)` in each argument, once by the tape and once by central differences.

    >>> import gradtape as tf
    >>> exact, numeric = tf.test.compute_gradient(lambda x: x * x, [tf.constant([1.0, 2.0])])
    >>> exact[0]
    array([[2., 0.],
           [0., 4.]], dtype=float32)

    Rows are elements of the value, columns those of the argument; a complex element counts as two, real and imaginary.

    Args:
        f: A function of tensors that gives one.
        x: A list of its arguments.
        delta: The step of the differences; by default one that fits the type.

    Returns:
        Two tuples of matrices, one for each argument.

    Raises:
        ValueError: `x` is no list.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a single value."
        )
    arguments = [to_tensor(value) for value in x]
    with GradientTape(persistent=True) as tape:
        tape.watch(arguments)
        y = to_tensor(f(*arguments))
        y = stack([real(y), imag(y)], axis=-1) if y.dtype.is_complex else y
    exact, numeric = [], []
    for position, argument in enumerate(arguments):
        matrix = tape.jacobian(y, argument, unconnected_gradients=UnconnectedGradients.ZERO).numpy()
        exact.append(_as_real(matrix.reshape(y.numpy().size, argument.numpy().size)))
        numeric.append(_central_differences(f, arguments, position, 1.0 / 1024 if delta is None else delta))
    return tuple(exact), tuple(numeric)


def _as_real(array: Any) -> Any:
    """Complex numbers as pairs along the last axis."""
    return array.view(array.real.dtype) if array.dtype.kind == "c" else array


def _central_differences(f: Callable[..., Any], arguments: list[Any], position: int, delta: float) -> Any:
    base = np.atleast_1d(arguments[position].numpy())

    def value(array: Any) -> Any:
        given = list(arguments)
        given[position] = to_tensor(array.reshape(tuple(arguments[position].shape)))
        return _as_real(np.atleast_1d(to_tensor(f(*given)).numpy()).reshape(-1))

    columns = []
    for index in range(_as_real(base).size):
        high, low = base.copy(), base.copy()
        _as_real(high).reshape(-1)[index] += delta
        _as_real(low).reshape(-1)[index] -= delta
        columns.append((value(high) - value(low)) / (2 * delta))
    return np.stack(columns, axis=1) if columns else np.zeros((value(base).size, 0), base.dtype)


def _numpy(value: object) -> Any:
    if isinstance(value, IndexedSlices):
        return np.asarray(to_tensor(value))
    return np.asarray(value)


_Base: Any = unittest.TestCase
with contextlib.suppress(
    ImportError
):  # (Keras brings it) TensorFlow's class has its assertions, too: assertLen, assertEmpty ...
    _Base = importlib.import_module("absl.testing.absltest").TestCase


class CapturedWrites:
    """What has been written to a stream; `TestCase.captureWritesToStream` makes it."""

    def __init__(self, file: Any, stream: Any) -> None:
        self._file, self._stream, self._text = file, stream, ""

    def contents(self) -> str:
        """The text, as far as it has been written."""
        if not self._file.closed:
            self._stream.flush()
            self._file.flush()
            self._file.seek(0)
            self._text = self._file.read()
        return self._text


class CheckedThread(threading.Thread):
    """A thread whose `join` raises what ended it; `TestCase.checkedThread` makes it."""

    _error: BaseException | None = None

    def run(self) -> None:
        """Call the function."""
        try:
            super().run()
        except BaseException as error:
            self._error = error

    def join(self, timeout: float | None = None) -> None:
        """Wait for the end.

        Args:
            timeout: The seconds to wait at most.
        """
        super().join(timeout)
        if self._error is not None:
            raise self._error


class TestCase(_Base):  # type: ignore[misc]
    """unittest's TestCase with TensorFlow's assertions on tensors, arrays and structures of them.

    >>> import gradtape as tf
    >>> class Sums(tf.test.TestCase):
    ...     def test_sum(self):
    ...         self.assertAllClose(tf.constant([0.1, 0.2]) + 0.1, [0.2, 0.3])
    >>> Sums("test_sum").run().wasSuccessful()
    True

    Args:
        methodName: The method that is the test, as for unittest.
    """

    __test__ = False  # not a test itself; subclasses that pytest finds set it back

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__test__ = True

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)

    def setUp(self) -> None:
        """Seeds the random numbers, the same for each test."""
        super().setUp()
        set_seed(87654321)
        np.random.seed(87654321 % 2**32)

    def get_temp_dir(self) -> str:
        """A folder for this test's files, made with the first call.

        >>> import os
        >>> os.path.isdir(tf.test.TestCase().get_temp_dir())
        True

        Returns:
            A path.
        """
        if not hasattr(self, "_temporary"):
            self._temporary: str = tempfile.mkdtemp(prefix=self.id().rsplit(".", 1)[-1])
        return self._temporary

    def evaluate(self, tensors: TensorLike) -> Any:
        """The values as NumPy arrays.

        >>> tf.test.TestCase().evaluate({"x": tf.constant(1.0)})
        {'x': np.float32(1.0)}

        Args:
            tensors: A tensor or variable, or a structure of them; other values stay as they are.

        Returns:
            The same structure; a sparse tensor is a `tf.compat.v1.SparseTensorValue` of arrays.
        """
        return nest.map_structure(_evaluated, tensors)

    @contextmanager
    def cached_session(self, *args: object, **kwargs: object) -> Any:
        """A block of eager code, which needs no session; taken so that old tests run.

        >>> with tf.test.TestCase().cached_session():
        ...     tf.test.TestCase().assertAllEqual(tf.constant([1, 2]) + 1, [2, 3])

        Args:
            args: Not used.
            kwargs: Not used.
        """
        yield None

    session = cached_session

    @contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: type[BaseException], expected_err_re_or_predicate: str | Callable[[Any], object]
    ) -> Iterator[None]:
        """Check that the block raises such an exception.

        >>> with tf.test.TestCase().assertRaisesWithPredicateMatch(ValueError, "invalid literal"):
        ...     int("one")

        Args:
            exception_type: The class of the exception.
            expected_err_re_or_predicate: A pattern that its message has, or a function of the exception that is true.

        Raises:
            AssertionError: It is not so.
        """
        expected = expected_err_re_or_predicate
        try:
            yield
        except Exception as error:
            text = error.message if isinstance(error, OpError) else str(error)
            fits = expected(error) if callable(expected) else re.search(expected, text)
            if not isinstance(error, exception_type) or not fits:
                raise AssertionError(f"Exception of type {type(error)}: {text}") from error
        else:
            self.fail(f"{exception_type.__name__} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: str | Callable[[Any], object]) -> Any:
        """Check that the block raises a `tf.errors.OpError`.

        >>> with tf.test.TestCase().assertRaisesOpError("inner dimensions"):
        ...     tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))

        Args:
            expected_err_re_or_predicate: A pattern that its message has, or a function of the exception that is true.

        Raises:
            AssertionError: It is not so.
        """
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def _pairs(self, a: Any, b: Any, msg: object = None) -> list[tuple[Any, Any]]:
        """The leaves of two structures side by side; a list of numbers is one value, as an array is."""
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            self.assertIsInstance(a, Mapping, msg)
            self.assertIsInstance(b, Mapping, msg)
            self.assertCountEqual(a.keys(), b.keys(), msg or "mismatched keys")
            return [pair for key in a for pair in self._pairs(a[key], b[key], msg)]
        a, b = (value.to_list() if isinstance(value, RaggedTensor) else value for value in (a, b))
        if not (isinstance(a, (list, tuple)) or isinstance(b, (list, tuple))) or (_is_numeric(a) and _is_numeric(b)):
            return [(a, b)]
        self.assertEqual(len(a), len(b), msg or f"mismatched lengths: {len(a)} and {len(b)}")
        return [pair for x, y in zip(a, b, strict=True) for pair in self._pairs(x, y, msg)]

    def assertRaisesIncompatibleShapesError(self, exception_type: type[Exception] = InvalidArgumentError) -> Any:
        """A block that must raise because shapes do not broadcast.

        >>> import gradtape as tf
        >>> with tf.test.TestCase().assertRaisesIncompatibleShapesError():
        ...     tf.ones([2]) + tf.ones([3])

        Args:
            exception_type: The class of the exception.

        Returns:
            A context manager.
        """
        return self.assertRaisesWithPredicateMatch(exception_type, "Incompatible shapes|do not broadcast")

    def assertDeviceEqual(self, device1: object, device2: object, msg: object = None) -> None:
        """Check that two devices are the same.

        >>> import gradtape as tf
        >>> tf.test.TestCase().assertDeviceEqual("/CPU:0", tf.DeviceSpec.from_string("/device:CPU:0"))
        >>> tf.test.TestCase().assertDeviceEqual('/CPU:0', '/GPU:0')
        Traceback (most recent call last):
            ...
        AssertionError: <DeviceSpec(job=None, replica=None, task=None, device_type=CPU, device_index=0)> != ...

        Args:
            device1: The name of a device, or a DeviceSpec.
            device2: The device that it should be.
            msg: What the error begins with.
        """
        first, second = (
            DeviceSpec.from_string(str(getattr(d, "to_string", lambda d=d: d)())) for d in (device1, device2)
        )
        self.assertEqual(first, second, msg)

    @contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """A block whose writes to a stream are kept: to its file, where it has one.

        >>> import gradtape as tf, sys
        >>> with tf.test.TestCase().captureWritesToStream(sys.stderr) as captured:
        ...     tf.print("shown")
        >>> captured.contents()
        'shown\\n'

        Args:
            stream: `sys.stdout`, `sys.stderr`, or another stream.

        Yields:
            What has been written, by its method `contents`.
        """
        stream.flush()
        with tempfile.TemporaryFile(mode="w+", encoding="utf-8") as file:
            captured = CapturedWrites(file, stream)
            try:
                number = stream.fileno()
            except (OSError, AttributeError):  # a stream in memory, as in notebooks
                number, write = None, stream.write
                stream.write = file.write
            else:
                before = os.dup(number)
                os.dup2(file.fileno(), number)
            try:
                yield captured
            finally:
                captured.contents()
                if number is None:
                    stream.write = write
                else:
                    os.dup2(before, number)
                    os.close(before)

    def checkedThread(
        self, target: Callable[..., Any], args: Sequence[Any] | None = None, kwargs: dict[str, Any] | None = None
    ) -> CheckedThread:
        """A thread whose `join` raises what ended it.

        >>> import gradtape as tf
        >>> found = []
        >>> thread = tf.test.TestCase().checkedThread(found.append, args=(1,))
        >>> thread.start()
        >>> thread.join()
        >>> found
        [1]

        Args:
            target: What the thread calls.
            args: Its arguments.
            kwargs: Its arguments by name.

        Returns:
            A thread, to be started.
        """
        return CheckedThread(target=target, args=tuple(args or ()), kwargs=kwargs or {})

    def assertAllClose(
        self, a: TensorLike, b: TensorLike, rtol: float = 1e-6, atol: float = 1e-6, msg: object = None
    ) -> None:
        """Check that two values are equal up to tolerances, in structure and shape too; nan equals nan.

        >>> tf.test.TestCase().assertAllClose([0.1 + 0.2, 1.0], [0.3, 1.0])
        >>> tf.test.TestCase().assertAllClose([0.1, 1.0], [0.2, 1.0])
        Traceback (most recent call last):
            ...
        AssertionError: ...

        Args:
            a: A tensor, an array, or a structure of them.
            b: The second tensor.
            rtol: The tolerance in relation to `b`; at least 1e-3 for types of 16 bits.
            atol: The tolerance that is added to it, likewise.
            msg: What the error says besides.

        Raises:
            AssertionError: It is not so.
        """
        for x, y in self._pairs(a, b, msg):
            x, y = _numpy(x), _numpy(y)
            self.assertEqual(x.shape, y.shape, msg or f"shapes differ: {x.shape} and {y.shape}")
            if x.dtype.itemsize <= 2 or y.dtype.itemsize <= 2:
                rtol, atol = max(rtol, 1e-3), max(atol, 1e-3)
            np.testing.assert_allclose(x.astype(_wide(x)), y.astype(_wide(y)), rtol, atol, err_msg=str(msg or ""))

    def assertAllCloseAccordingToType(
        self,
        a: TensorLike,
        b: TensorLike,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: object = None,
    ) -> None:
        """Check as `assertAllClose` does, with tolerances for each type.

        >>> tf.test.TestCase().assertAllCloseAccordingToType(tf.constant([1.0], tf.float16), [1.0005])

        Args:
            a: A tensor, an array, or a structure of them.
            b: The second tensor.
            rtol: The tolerance in relation to `b`.
            atol: The tolerance that is added to it.
            float_rtol: What `rtol` is at least for float32 and complex64.
            float_atol: What `atol` is at least for these.
            half_rtol: What `rtol` is at least for float16.
            half_atol: What `atol` is at least for it.
            bfloat16_rtol: What `rtol` is at least for bfloat16.
            bfloat16_atol: What `atol` is at least for it.
            msg: What the error says besides.

        Raises:
            AssertionError: It is not so.
        """
        names = {_numpy(a).dtype.name, _numpy(b).dtype.name}
        if "bfloat16" in names:
            rtol, atol = max(rtol, bfloat16_rtol), max(atol, bfloat16_atol)
        elif "float16" in names:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        elif names & {"float32", "complex64"}:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(
        self, a: TensorLike, b: TensorLike, rtol: float = 1e-6, atol: float = 1e-6, msg: object = None
    ) -> None:
        """Check that two values are not equal up to tolerances.

        >>> tf.test.TestCase().assertNotAllClose([1.0], [1.1])
        >>> tf.test.TestCase().assertNotAllClose([1.0], [1.0])
        Traceback (most recent call last):
            ...
        AssertionError: The two values are close at all elements.

        Args:
            a: A tensor, an array, or a structure of them.
            b: The second tensor.
            rtol: The tolerance in relation to `b`.
            atol: The tolerance that is added to it.
            msg: What the error says.

        Raises:
            AssertionError: It is not so.
        """
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        raise AssertionError(msg or "The two values are close at all elements.")

    def assertAllEqual(self, a: TensorLike, b: TensorLike, msg: object = None) -> None:
        """Check that two values are equal, in structure and shape too; nan equals nan.

        >>> tf.test.TestCase().assertAllEqual(tf.constant([1, 2]), [1, 2])
        >>> tf.test.TestCase().assertAllEqual([1, 2], [1, 3])
        Traceback (most recent call last):
            ...
        AssertionError: ...

        Args:
            a: A tensor, an array, or a structure of them.
            b: The second tensor.
            msg: What the error says besides.

        Raises:
            AssertionError: It is not so.
        """
        for x, y in self._pairs(a, b, msg):
            x, y = _comparable(_numpy(x)), _comparable(_numpy(y))
            np.testing.assert_array_equal(x, y, err_msg=str(msg or ""), strict=False)
            self.assertEqual(x.shape, y.shape, msg)

    def assertNotAllEqual(self, a: TensorLike, b: TensorLike, msg: object = None) -> None:
        """Check that two values differ somewhere.

        >>> tf.test.TestCase().assertNotAllEqual([1, 2], [1, 3])
        >>> tf.test.TestCase().assertNotAllEqual([1.0], [1.0])
        Traceback (most recent call last):
            ...
        AssertionError: The two values are equal at all elements.

        Args:
            a: A tensor, an array, or a structure of them.
            b: The second tensor.
            msg: What the error says.

        Raises:
            AssertionError: It is not so.
        """
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(msg or "The two values are equal at all elements.")

    def assertAllGreater(self, a: TensorLike, comparison_target: object) -> None:
        """Check that all elements are above a number.

        >>> tf.test.TestCase().assertAllGreater([2, 3], 1)
        >>> tf.test.TestCase().assertAllGreater([1, 2], 1)
        Traceback (most recent call last):
            ...
        AssertionError: np.int64(1) not greater than 1

        Args:
            a: A tensor or an array.
            comparison_target: The number that all elements are compared with.

        Raises:
            AssertionError: It is not so.
        """
        self.assertGreater(np.min(_numpy(a)), comparison_target)

    def assertAllLess(self, a: TensorLike, comparison_target: object) -> None:
        """Check that all elements are below a number.

        >>> tf.test.TestCase().assertAllLess([2, 3], 4)
        >>> tf.test.TestCase().assertAllLess([1, 2], 2)
        Traceback (most recent call last):
            ...
        AssertionError: np.int64(2) not less than 2

        Args:
            a: A tensor or an array.
            comparison_target: The number that all elements are compared with.

        Raises:
            AssertionError: It is not so.
        """
        self.assertLess(np.max(_numpy(a)), comparison_target)

    def assertAllGreaterEqual(self, a: TensorLike, comparison_target: object) -> None:
        """Check that all elements are at or above a number.

        >>> tf.test.TestCase().assertAllGreaterEqual([2, 3], 2)
        >>> tf.test.TestCase().assertAllGreaterEqual([1, 2], 2)
        Traceback (most recent call last):
            ...
        AssertionError: np.int64(1) not greater than or equal to 2

        Args:
            a: A tensor or an array.
            comparison_target: The number that all elements are compared with.

        Raises:
            AssertionError: It is not so.
        """
        self.assertGreaterEqual(np.min(_numpy(a)), comparison_target)

    def assertAllLessEqual(self, a: TensorLike, comparison_target: object) -> None:
        """Check that all elements are at or below a number.

        >>> tf.test.TestCase().assertAllLessEqual([2, 3], 3)
        >>> tf.test.TestCase().assertAllLessEqual([1, 2], 1)
        Traceback (most recent call last):
            ...
        AssertionError: np.int64(2) not less than or equal to 1

        Args:
            a: A tensor or an array.
            comparison_target: The number that all elements are compared with.

        Raises:
            AssertionError: It is not so.
        """
        self.assertLessEqual(np.max(_numpy(a)), comparison_target)

    def assertAllInRange(
        self,
        target: object,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Check that all elements are between two bounds.

        >>> tf.test.TestCase().assertAllInRange([0.0, 0.5], 0.0, 1.0)
        >>> tf.test.TestCase().assertAllInRange([1, 2], 0, 1)
        Traceback (most recent call last):
            ...
        AssertionError: False is not true : [1 2] is not within 0 and 1

        Args:
            target: A tensor or an array.
            lower_bound: The lower bound.
            upper_bound: The upper bound.
            open_lower_bound: Whether the lower bound itself is outside.
            open_upper_bound: Whether the upper bound itself is outside.

        Raises:
            AssertionError: It is not so.
        """
        value = _numpy(target)
        low = value > lower_bound if open_lower_bound else value >= lower_bound
        high = value < upper_bound if open_upper_bound else value <= upper_bound
        self.assertTrue(bool(np.all(low & high)), f"{value} is not within {lower_bound} and {upper_bound}")

    def assertAllInSet(self, target: object, expected_set: Any) -> None:
        """Check that all elements are in a set.

        >>> tf.test.TestCase().assertAllInSet([1, 2, 1], {1, 2, 3})
        >>> tf.test.TestCase().assertAllInSet([1, 2], {1})
        Traceback (most recent call last):
            ...
        AssertionError: {1, 2} not less than or equal to {1}

        Args:
            target: A tensor or an array.
            expected_set: The elements that may occur.

        Raises:
            AssertionError: It is not so.
        """
        self.assertLessEqual(set(_numpy(target).reshape(-1).tolist()), set(expected_set))

    def assertAllFinite(self, a: object) -> None:
        """Check that there is no inf and no nan.

        >>> tf.test.TestCase().assertAllFinite([1.0, 2.0])
        >>> tf.test.TestCase().assertAllFinite([1.0, float('inf')])
        Traceback (most recent call last):
            ...
        AssertionError: False is not true : [1.0, inf] is not finite everywhere

        Args:
            a: A tensor or an array.

        Raises:
            AssertionError: It is not so.
        """
        self.assertTrue(bool(np.all(np.isfinite(_numpy(a)))), f"{a} is not finite everywhere")

    def assertAllNan(self, a: object) -> None:
        """Check that there is nothing but nan.

        >>> tf.test.TestCase().assertAllNan([float("nan")])
        >>> tf.test.TestCase().assertAllNan([1.0])
        Traceback (most recent call last):
            ...
        AssertionError: False is not true : [1.0] is not nan everywhere

        Args:
            a: A tensor or an array.

        Raises:
            AssertionError: It is not so.
        """
        self.assertTrue(bool(np.all(np.isnan(_numpy(a)))), f"{a} is not nan everywhere")

    def assertNear(self, f1: Any, f2: Any, err: float, msg: object = None) -> None:
        """Check that two numbers are close.

        >>> tf.test.TestCase().assertNear(1.0, 1.01, err=0.1)
        >>> tf.test.TestCase().assertNear(1.0, 2.0, err=0.1)
        Traceback (most recent call last):
            ...
        AssertionError: False is not true : 1.0 != 2.0 +/- 0.1

        Args:
            f1: The number that was computed.
            f2: The number that it should be.
            err: How far they may be apart.
            msg: What the error says besides.

        Raises:
            AssertionError: It is not so.
        """
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{f1!r} != {f2!r} +/- {err!r}{msg or ''}")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: object = None) -> None:
        """Check that two lists of numbers are close, element by element.

        >>> tf.test.TestCase().assertArrayNear([1.0, 2.0], [1.01, 2.0], err=0.1)
        >>> tf.test.TestCase().assertArrayNear([1.0], [2.0], err=0.1)
        Traceback (most recent call last):
            ...
        AssertionError: False is not true : 1.0 != 2.0 +/- 0.1

        Args:
            farray1: The numbers that were computed: an array or list.
            farray2: As many others.
            err: How far two elements may be apart.
            msg: What the error says besides.

        Raises:
            AssertionError: It is not so.
        """
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1: object, ndarray2: object, err: float, msg: object = None) -> None:
        """Check that two arrays are close: by the norm of their difference.

        >>> tf.test.TestCase().assertNDArrayNear([1.0, 2.0], [1.01, 2.0], err=0.1)
        >>> tf.test.TestCase().assertNDArrayNear([1.0], [2.0], err=0.1)
        Traceback (most recent call last):
            ...
        AssertionError: 1.0 not less than or equal to 0.1

        Args:
            ndarray1: The array that was computed.
            ndarray2: Another of the same shape.
            err: How large the norm may be.
            msg: What the error says besides.

        Raises:
            AssertionError: It is not so.
        """
        self.assertLessEqual(float(np.linalg.norm(_numpy(ndarray1) - _numpy(ndarray2))), err, msg)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: object = None) -> None:
        """Check that two values have one shape.

        >>> tf.test.TestCase().assertShapeEqual(tf.ones([2, 3]), tf.zeros([2, 3]))
        >>> tf.test.TestCase().assertShapeEqual(tf.ones([2]), tf.ones([3]))
        Traceback (most recent call last):
            ...
        AssertionError: Tuples differ: (2,) != (3,)...

        Args:
            input_a: A tensor or an array.
            input_b: The tensor that should have the same shape.
            msg: What the error says besides.

        Raises:
            AssertionError: It is not so.
        """
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: object, expected_dtype: object) -> None:
        """Check the type of a value.

        >>> tf.test.TestCase().assertDTypeEqual(tf.ones([2]), tf.float32)
        >>> tf.test.TestCase().assertDTypeEqual(tf.constant(1), tf.float32)
        Traceback (most recent call last):
            ...
        AssertionError: tf.int32 != tf.float32

        Args:
            target: A tensor or an array.
            expected_dtype: The type that it should have.

        Raises:
            AssertionError: It is not so.
        """
        self.assertEqual(to_tensor(target).dtype, expected_dtype)

    def assertStartsWith(self, actual: Any, expected_start: object, msg: object = None) -> None:
        """Check how a text begins.

        >>> tf.test.TestCase().assertStartsWith("gradtape", "grad")
        >>> tf.test.TestCase().assertStartsWith('text', 'next')
        Traceback (most recent call last):
            ...
        AssertionError: False is not true : 'text' does not start with 'next'

        Args:
            actual: The text that should begin so.
            expected_start: What it begins with.
            msg: What the error says.

        Raises:
            AssertionError: It is not so.
        """
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r} does not start with {expected_start!r}")


def _evaluated(value: Any) -> Any:
    if isinstance(value, SparseTensor):
        parts = (value.indices, value.values, value.dense_shape)
        return import_late("gradtape.compat.v1").SparseTensorValue(*(part.numpy() for part in parts))
    return value.numpy() if isinstance(value, (Tensor, Variable)) else value


def _comparable(array: Any) -> Any:
    """Python's texts as the bytes that a tensor of them has; bfloat16 and the like, whose nan NumPy does not know, as float32."""
    if array.dtype.kind == "U":
        return np.char.encode(array, "utf-8").astype(object)
    return array.astype(np.float32) if array.dtype in NARROW_FLOATS else array


def _is_numeric(value: TensorLike) -> bool:
    if isinstance(value, (Tensor, np.ndarray)):
        return True
    try:
        return bool(_numpy(value).dtype != object)
    except (TypeError, ValueError):
        return False


def _wide(array: Any) -> Any:
    return np.complex128 if array.dtype.kind == "c" else np.float64 if array.dtype.kind not in "iub" else array.dtype


def main(argv: Any = None) -> None:
    """Run the tests of the calling module, as the last lines of a file of tests.

    >>> import gradtape as tf
    >>> if __name__ == "__main__":
    ...     tf.test.main()  # doctest: +SKIP

    Args:
        argv: Arguments of unittest's command line.
    """
    unittest.main(argv=argv)


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: object = None) -> bool:
    """Whether JAX sees a GPU that is visible.

    >>> import gradtape as tf
    >>> tf.test.is_gpu_available()
    False

    Args:
        cuda_only: Ignored; accepted for compatibility with TensorFlow.
        min_cuda_compute_capability: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        True or False.
    """
    return bool(accelerators("GPU"))


def is_built_with_cuda() -> bool:
    """Always False: gradtape computes on the CPU.

    >>> import gradtape as tf
    >>> tf.test.is_built_with_cuda()
    False

    Returns:
        False.
    """
    return False


def is_built_with_xla() -> bool:
    """Always False: `tf.config.set_engine("xla")` asks for XLA, where jax is installed.

    >>> import gradtape as tf
    >>> tf.test.is_built_with_xla()
    False

    Returns:
        False.
    """
    return False


def is_built_with_gpu_support() -> bool:
    """Always False: gradtape computes on the CPU.

    >>> import gradtape as tf
    >>> tf.test.is_built_with_gpu_support()
    False

    Returns:
        False.
    """
    return False


def is_built_with_rocm() -> bool:
    """Always False: gradtape computes on the CPU.

    >>> import gradtape as tf
    >>> tf.test.is_built_with_rocm()
    False

    Returns:
        False.
    """
    return False


def gpu_device_name() -> str:
    """The name of the first GPU; empty where there is none.

    >>> import gradtape as tf
    >>> tf.test.gpu_device_name()
    ''

    Returns:
        "/device:GPU:0", or "".
    """
    return "/device:GPU:0" if accelerators("GPU") else ""


def is_cpu_target_available(target: str) -> bool:
    """Whether gradtape has machine code for a kind of processor, by its name in LLVM.

    >>> import gradtape as tf
    >>> tf.test.is_cpu_target_available("no such processor")
    False

    Args:
        target: The name: "x86", "aarch64", ...

    Returns:
        A truth value.
    """
    names = {"x86_64": "x86", "AMD64": "x86", "arm64": "aarch64"}
    return names.get(platform.machine(), platform.machine()) == target


def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[[Any], Any]:
    """A decorator: the test is skipped if the predicate holds when it runs.

    >>> import gradtape as tf
    >>> class Tests(tf.test.TestCase):
    ...     @tf.test.disable_with_predicate(lambda: True, "not today")
    ...     def test_all(self):
    ...         raise AssertionError
    >>> Tests("test_all").run().skipped[0][1]
    'not today'

    Args:
        pred: A function without arguments.
        skip_message: Why the test is skipped.

    Returns:
        A decorator.
    """

    def decorator(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def test(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return method(self, *args, **kwargs)

        return test

    return decorator


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """A decorator without effect: eager ops run as they do.

    >>> import gradtape as tf
    >>> tf.test.with_eager_op_as_function(tf.test.TestCase) is tf.test.TestCase
    True

    Args:
        cls: A class of tests.
        only_as_function: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The class, or a decorator.
    """
    return (lambda given: given) if cls is None else cls


def get_temp_dir() -> str:
    """A folder for temporary files of tests.

    >>> import gradtape as tf
    >>> import os
    >>> os.path.isdir(tf.test.get_temp_dir())
    True

    Returns:
        A path: the environment variable TEST_TMPDIR, or the system's folder.
    """
    return os.environ.get("TEST_TMPDIR") or tempfile.gettempdir()


@namespace("gradtape.test.experimental")
class experimental:
    """`tf.test.experimental`: names that tests written for devices ask for."""

    @staticmethod
    def sync_devices() -> None:
        """Nothing to wait for: an op has run when its call returns.

        >>> import gradtape as tf
        >>> tf.test.experimental.sync_devices()
        """


__all__ = [
    "TestCase",
    "compute_gradient",
    "disable_with_predicate",
    "experimental",
    "get_temp_dir",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_cpu_target_available",
    "is_gpu_available",
    "main",
    "with_eager_op_as_function",
]

__dir__ = listing(globals())
