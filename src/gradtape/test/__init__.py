"""`tf.test`: checking gradients, and a TestCase with TensorFlow's assertions."""

from __future__ import annotations

import functools
import os
import platform
import re
import tempfile
import threading
import unittest
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..api.device_spec import DeviceSpec
from ..api.layout import stack
from ..base import nest
from ..base.errors import InvalidArgumentError, OpError
from ..base.namespaces import as_one_class, import_late, listing, namespace
from ..base.types import TensorLike
from ..differentiation.backward import UnconnectedGradients
from ..differentiation.tape import GradientTape
from ..math import imag, real
from ..random import set_seed
from ..sparse.tensor import SparseTensor
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable
from ..xla.places import accelerators
from .comparisons import Comparisons
from .elements import Elements


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


@as_one_class
class TestCase(Comparisons, Elements):
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


def _evaluated(value: Any) -> Any:
    if isinstance(value, SparseTensor):
        parts = (value.indices, value.values, value.dense_shape)
        return import_late("gradtape.compat.v1").SparseTensorValue(*(part.numpy() for part in parts))
    return value.numpy() if isinstance(value, (Tensor, Variable)) else value


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
