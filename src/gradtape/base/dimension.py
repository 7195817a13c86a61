"""`tf.compat.v1.Dimension`: the size of one axis as an object that may be unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .shapes import TensorShape


def _arithmetic(compute: Callable[[int, int], Any], reflected: bool = False) -> Any:
    def method(self: Dimension, other: object) -> Any:
        try:
            right = Dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self.value is None or right.value is None:
            return Dimension(None)
        first, second = (right.value, self.value) if reflected else (self.value, right.value)
        return Dimension(compute(first, second))

    return method


def _comparison(compare: Callable[[int, int], bool]) -> Any:
    def method(self: Dimension, other: object) -> Any:
        try:
            right = Dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self.value is None or right.value is None else compare(self.value, right.value)

    return method


class Dimension:
    """The size of an axis, as `tf.linalg.LinearOperator` gives it: a number, or unknown.

    >>> Dimension(3), Dimension(None), Dimension(3) == 3, int(Dimension(3) * 2)
    (Dimension(3), Dimension(None), True, 6)

    A comparison with an unknown size is None; arithmetic with one is unknown.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        if isinstance(value, Dimension):
            value = value.value
        self.value: int | None = TensorShape([value])[0]

    def is_compatible_with(self, other: object) -> bool:
        """Whether both may be the same size."""
        right = Dimension(other)
        return self.value is None or right.value is None or bool(self.value == right.value)

    def assert_is_compatible_with(self, other: object) -> None:
        """Raise ValueError unless both may be the same size."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {Dimension(other)} are not compatible")

    def merge_with(self, other: object) -> Dimension:
        """What is known of the size when both are the same."""
        self.assert_is_compatible_with(other)
        return Dimension(other) if self.value is None else self

    __add__ = _arithmetic(operator.add)
    __radd__ = _arithmetic(operator.add, reflected=True)
    __sub__ = _arithmetic(operator.sub)
    __rsub__ = _arithmetic(operator.sub, reflected=True)
    __mul__ = _arithmetic(operator.mul)
    __rmul__ = _arithmetic(operator.mul, reflected=True)
    __floordiv__ = _arithmetic(operator.floordiv)
    __rfloordiv__ = _arithmetic(operator.floordiv, reflected=True)
    __mod__ = _arithmetic(operator.mod)
    __rmod__ = _arithmetic(operator.mod, reflected=True)
    __eq__ = _comparison(operator.eq)
    __ne__ = _comparison(operator.ne)
    __lt__ = _comparison(operator.lt)
    __le__ = _comparison(operator.le)
    __gt__ = _comparison(operator.gt)
    __ge__ = _comparison(operator.ge)

    def __hash__(self) -> int:
        return hash(self.value)

    def __int__(self) -> int:
        return self.__index__()

    def __index__(self) -> int:
        if self.value is None:
            raise TypeError("The size of this axis is not known: Dimension(None).")
        return int(self.value)

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)

    def __repr__(self) -> str:
        return f"Dimension({self.value})"
