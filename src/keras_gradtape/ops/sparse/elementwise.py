"""Elementwise ops on sparse operands, by what they do to zeros. `function` is the op on dense tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.differentiation.slices import ROWS

from .places import (
    at,
    beside,
    broadcast_to,
    combined,
    dense,
    is_scalar,
    is_sparse,
    numbers_of,
    shape_of,
    spread,
    with_values,
)

Function = Callable[..., Any]


def on_values(function: Function, x: Any, *args: Any, **kwargs: Any) -> Any:
    """An op with f(0) = 0: the positions stay, the values change."""
    x = combined(x) if ROWS.summed else x
    return with_values(x, function(x.values, *args, **kwargs))


def filled(function: Function, x: Any, *args: Any, **kwargs: Any) -> Any:
    """An op with f(0) != 0: the result is dense, with f(0) wherever there is no value."""
    outside = function(tf.zeros([], x.dtype), *args, **kwargs)
    return dense(on_values(function, x, *args, **kwargs), outside)


def union(function: Function, x1: Any, x2: Any) -> Any:
    """An op that is zero where both operands are: sparse if both are, with the places of both."""
    if not _alike(x1, x2):
        return function(dense(x1), dense(x2))
    numbers = np.union1d(numbers_of(x1), numbers_of(x2))
    return at(x1, numbers, function(spread(x1, numbers), spread(x2, numbers)))


def intersection(function: Function, x1: Any, x2: Any) -> Any:
    """An op that is zero where one operand is: the places that all sparse operands have."""
    if is_sparse(x1) and is_sparse(x2):
        if not _alike(x1, x2):
            return function(dense(x1), dense(x2))
        x1, x2 = combined(x1), combined(x2)
        numbers, first, second = np.intersect1d(numbers_of(x1), numbers_of(x2), True, return_indices=True)
        return at(x1, numbers, function(tf.gather(x1.values, first), tf.gather(x2.values, second)))
    if is_sparse(x1):
        return _with_dense(function, x1, x2)
    return _with_dense(lambda values, other: function(other, values), x2, x1)


def _with_dense(function: Function, x: Any, other: Any) -> Any:
    x = combined(x)
    if is_scalar(other):
        return with_values(x, function(x.values, other))
    factors = broadcast_to(other, shape_of(x))
    if factors is None:
        return function(dense(x), other)
    return with_values(x, function(x.values, beside(x, factors, numbers_of(x))))


def division(function: Function, x1: Any, x2: Any) -> Any:
    """A division: sparse if only the dividend is. 0 / 0 and 0 / NaN are NaN, so the divisor's zeros and NaNs are places too."""
    if is_sparse(x2):
        return function(dense(x1), dense(x2))
    x1 = combined(x1)
    if is_scalar(x2):
        return with_values(x1, function(x1.values, x2))
    divisor = broadcast_to(x2, shape_of(x1))
    if divisor is None:
        return function(dense(x1), x2)
    array = np.asarray(divisor)
    odd = (array == 0) | (array != array)
    if x1.__class__ is tf.IndexedSlices:
        odd = odd.any(axis=tuple(range(1, odd.ndim)))
    numbers = np.union1d(numbers_of(x1), np.flatnonzero(odd))
    return at(x1, numbers, function(spread(x1, numbers), beside(x1, divisor, numbers)))


def _alike(x1: Any, x2: Any) -> bool:
    """Whether both are sparse in the same way and of the same shape."""
    return is_sparse(x1) and x1.__class__ is x2.__class__ and shape_of(x1) == shape_of(x2)
