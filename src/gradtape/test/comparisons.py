"""The assertions of `tf.test.TestCase` on two values: equal, close, of one shape, of one type."""

from __future__ import annotations

import contextlib
import importlib
import unittest
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.dtypes import NARROW_FLOATS
from ..base.types import TensorLike
from ..ragged.tensor import RaggedTensor
from ..values.tensor import IndexedSlices, Tensor, to_tensor

Base: Any = unittest.TestCase
with contextlib.suppress(ImportError):
    # (Keras brings it) TensorFlow's class has its assertions, too: assertLen, assertEmpty ...
    Base = importlib.import_module("absl.testing.absltest").TestCase


class Comparisons(Base):  # type: ignore[misc]
    """What `TestCase` says of two values."""

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
            x, y = as_array(x), as_array(y)
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
        names = {as_array(a).dtype.name, as_array(b).dtype.name}
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
            x, y = _comparable(as_array(x)), _comparable(as_array(y))
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
        self.assertLessEqual(float(np.linalg.norm(as_array(ndarray1) - as_array(ndarray2))), err, msg)

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


def as_array(value: object) -> Any:
    """A value as NumPy has it; the rows of `IndexedSlices` at their places."""
    if isinstance(value, IndexedSlices):
        return np.asarray(to_tensor(value))
    return np.asarray(value)


def _comparable(array: Any) -> Any:
    """Python's texts as the bytes that a tensor of them has; bfloat16 and the like, whose nan NumPy does not know, as float32."""
    if array.dtype.kind == "U":
        return np.char.encode(array, "utf-8").astype(object)
    return array.astype(np.float32) if array.dtype in NARROW_FLOATS else array


def _is_numeric(value: TensorLike) -> bool:
    if isinstance(value, (Tensor, np.ndarray)):
        return True
    try:
        return bool(as_array(value).dtype != object)
    except (TypeError, ValueError):
        return False


def _wide(array: Any) -> Any:
    return np.complex128 if array.dtype.kind == "c" else np.float64 if array.dtype.kind not in "iub" else array.dtype
