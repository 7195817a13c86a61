"""The assertions of `tf.test.TestCase` on all elements of a value: above a number, in a set, finite."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.types import TensorLike
from .comparisons import Base, as_array


class Elements(Base):  # type: ignore[misc]
    """What `TestCase` says of all elements of one value."""

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
        self.assertGreater(np.min(as_array(a)), comparison_target)

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
        self.assertLess(np.max(as_array(a)), comparison_target)

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
        self.assertGreaterEqual(np.min(as_array(a)), comparison_target)

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
        self.assertLessEqual(np.max(as_array(a)), comparison_target)

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
        value = as_array(target)
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
        self.assertLessEqual(set(as_array(target).reshape(-1).tolist()), set(expected_set))

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
        self.assertTrue(bool(np.all(np.isfinite(as_array(a)))), f"{a} is not finite everywhere")

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
        self.assertTrue(bool(np.all(np.isnan(as_array(a)))), f"{a} is not nan everywhere")
