"""New seeds for stateless functions from one; functions that are made of others, and traced as those."""

from __future__ import annotations

from typing import Any

from ..api.generator import UNBOUNDED
from ..base.errors import NumberNeededError
from ..base.types import TensorLike
from ..op.attributes import as_int
from ..ops.array.layout import stack
from ..values.tensor import Tensor, to_tensor
from .continuous import stateless_uniform


def split(seed: TensorLike, num: object = 2, alg: object = "auto_select") -> Any:
    """New seeds for stateless functions, one in each row, from one seed.

    >>> import gradtape as tf
    >>> first, second = tf.random.split([1, 2])
    >>> first.shape
    TensorShape([2])

    Args:
        seed: Two integers, from which the numbers follow: the same two give the same numbers.
        num: How many seeds.
        alg: The generator: "auto_select" or "philox".

    Returns:
        A tensor (num, 2) of the type of the seed.

    Raises:
        ValueError: The seed is not two integers.
    """
    pair = to_tensor(seed)
    return stateless_uniform([as_int(num), 2], pair, None, None, pair.dtype, alg=alg)


def fold_in(seed: TensorLike, data: TensorLike, alg: object = "auto_select") -> Tensor:
    """A new seed for stateless functions, from a seed and an integer, such as the number of a step.

    >>> import gradtape as tf
    >>> seeds = [tf.random.fold_in([1, 2], step).numpy().tolist() for step in range(2)]
    >>> seeds[0] == seeds[1]
    False

    Args:
        seed: Two integers, from which the numbers follow: the same two give the same numbers.
        data: An integer, such as the number of the step.
        alg: The generator: "auto_select" or "philox".

    Returns:
        Two integers of the type of `data`.

    Raises:
        ValueError: The seed is not two integers, or `data` is not one.
    """
    value = to_tensor(data)
    if value.ndim or value.dtype not in UNBOUNDED:
        raise NumberNeededError(None, None, f"random.fold_in: data must be an integer scalar, got {data!r}.")
    first = stateless_uniform([], seed, None, None, value.dtype, alg=alg)
    return stack.public([first, value])
