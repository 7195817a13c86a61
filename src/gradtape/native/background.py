"""Products that a backward pass needs at its end, computed by threads that would otherwise wait.

The gradient of a weight is a product, `a.T @ g`, that no other step of the pass reads. Its rule says so by giving a `Product` in
the place of an array. The walk makes a `Total` of it and goes on; where a weight is used several times, each product is added
to those before it by the thread that computes it, in the order in which they came.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.dtypes import Array
from . import blas, pool


class Product:
    """`a @ b`, not computed yet."""

    __slots__ = ("a", "b")

    def __init__(self, a: Array, b: Array) -> None:
        self.a = a
        self.b = b

    def value(self) -> Array:
        return blas.product(self.a, self.b)


def later(a: Any, b: Any) -> Product | None:
    """`a @ b` of two matrices as a `Product`, if other threads can compute it and it is large enough."""
    return Product(a, b) if a.dtype == b.dtype and blas.can_post(a.size * b.shape[1], a.dtype) else None


def begin() -> None:
    """Have one thread compute each product, until `finish`."""
    blas.hold()


def finish(found: dict[int, Any]) -> None:
    """Compute what is left, and put values in the place of totals."""
    try:
        pool.settle_all()
    finally:  # (an interrupt)
        blas.let_go()
    for number, cotangent in found.items():
        if cotangent.__class__ is Total:
            found[number] = cotangent.value()


def around(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that posts, and asks for all that it posted, between `begin` and `finish`."""

    @functools.wraps(function)
    def run(*args: object) -> Any:
        begin()
        try:
            return function(*args)
        finally:
            finish({})

    return run


def posted(a: Array, b: Array, transpose_a: bool = False, transpose_b: bool = False) -> Total:
    """The product of two matrices, as a total of one."""
    return Total(Product(a.T if transpose_a else a, b.T if transpose_b else b))


class Total:
    """A sum of products that others compute meanwhile. It is made between `begin` and `finish`."""

    __slots__ = ("_array", "_last")

    def __init__(self, first: Product) -> None:
        a, b = first.a, first.b
        self._array = np.empty((a.shape[0], b.shape[1]), a.dtype)
        self._last = blas.post(a, b, self._array, False, 0)

    @classmethod
    def begun(cls, array: Array) -> Total:
        """A sum that begins with an array."""
        total = cls.__new__(cls)
        total._array, total._last = np.array(array, order="C"), 0
        return total

    def add_product(self, a: Array, b: Array, transpose_a: bool = False, transpose_b: bool = False) -> None:
        """Add the product of two matrices."""
        self._last = blas.post(a.T if transpose_a else a, b.T if transpose_b else b, self._array, True, self._last)

    def add(self, product: Product) -> None:
        self._last = blas.post(product.a, product.b, self._array, True, self._last)

    def __add__(self, other: object) -> Any:
        """The sum of this and an array."""
        return self.value() + other

    def value(self) -> Array:
        """The sum, once it is there."""
        pool.settle(self._last)
        return self._array
