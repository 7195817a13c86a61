"""Initializers of the top level: objects that make the first value of a variable from its shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import random
from ..base import dtypes
from ..base.dtypes import DType
from ..base.types import TensorLike
from ..op.attributes import as_int
from ..values.tensor import Tensor, to_tensor
from .arrays import constant, fill, ones, reshape, zeros

__all__ = [
    "constant_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "zeros_initializer",
]


class Initializer:
    """Makes values of a given shape; what all initializers have in common."""

    def __call__(self, shape: Any, dtype: object = None, **kwargs: object) -> Any:
        """A tensor of that shape.

        Args:
            shape: The sizes of the axes: a list such as [2, 3], or [] for one number.
            dtype: The type of the elements.
            kwargs: `partition_shape` is taken for the shape, where a variable is made in parts; `partition_offset` is not used.

        Returns:
            A tensor.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments that this was made with.

        >>> tf.random_normal_initializer(stddev=0.1).get_config()
        {'mean': 0.0, 'stddev': 0.1, 'seed': None}

        Returns:
            A dict.
        """
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """An initializer with these arguments.

        >>> tf.constant_initializer.from_config({"value": 3.0})([2]).numpy()
        array([3., 3.], dtype=float32)

        Args:
            config: A dict, as `get_config` gives it.

        Returns:
            An initializer.
        """
        return cls(**{key: value for key, value in config.items() if key != "dtype"})

    def __repr__(self) -> str:
        arguments = ", ".join(f"{key}={value!r}" for key, value in self.get_config().items())
        return f"{type(self).__name__}({arguments})"


def _part(shape: object, options: dict[str, Any]) -> Any:
    """The shape to make: that of a part, where a variable is made in parts."""
    for name in options:
        if name not in ("partition_shape", "partition_offset"):
            raise TypeError(
                f"Keyword argument should be one of ['partition_shape', 'partition_offset']. Received: {name}"
            )
    return options.get("partition_shape", shape)


class _Filled(Initializer):
    _make: Callable[..., Any]

    def __call__(self, shape: Any, dtype: object = dtypes.float32, **kwargs: Any) -> Any:
        kind = dtypes.as_dtype(dtype)
        if not (kind.is_numeric or kind.is_bool):
            raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {kind!r}.")
        return type(self)._make(_part(shape, kwargs), kind)


class zeros_initializer(_Filled):
    """Zeros: what a bias begins with.

    >>> tf.zeros_initializer()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    _make = staticmethod(zeros)


class ones_initializer(_Filled):
    """Ones: what a variable begins with.

    >>> import gradtape as tf
    >>> tf.ones_initializer()([2, 2]).numpy()
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """

    _make = staticmethod(ones)


class constant_initializer(Initializer):
    """A number everywhere, or a list of numbers brought to the shape.

    >>> tf.constant_initializer([1.0, 2.0, 3.0, 4.0])([2, 2]).numpy()
    array([[1., 2.],
           [3., 4.]], dtype=float32)

    Args:
        value: A number, or numbers as a list or array.
        support_partition: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        TypeError: It is something else; or, when it is called, there is not one number for each element.
    """

    def __init__(self, value: object = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, list or tuple of values, or "
                "numpy.ndarray."
            )
        self.value = value

    def __call__(self, shape: Any, dtype: object = None, **kwargs: object) -> Tensor:
        wanted = _part(shape, kwargs)
        value = to_tensor(self.value, None if dtype is None else dtypes.as_dtype(dtype))
        if not value.ndim:
            return fill(wanted, value)
        count = int(np.prod([as_int(size) for size in wanted]))
        if np.size(value._array) != count:
            raise TypeError(
                f"The initial value has {np.size(value._array)} elements, but shape {wanted!r} has {count}. Give one for each."
            )
        return reshape(constant(value), wanted)

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value}


class _Random(Initializer):
    def __init__(self, seed: object) -> None:
        self.seed = seed

    def _pair(self) -> list[Any]:
        # A seed gives the same numbers at each call, as in TensorFlow: they depend on nothing else.
        return [self.seed, 0]


class random_normal_initializer(_Random):
    """Numbers from a normal distribution; with a seed the same ones at each call.

    >>> tf.random_normal_initializer(seed=1)([2]).numpy().round(4)
    array([ 0.0063, -0.0247], dtype=float32)

    Args:
        mean: The mean of the distribution.
        stddev: Its standard deviation.
        seed: Where the random numbers begin; None: other numbers at each call.
    """

    def __init__(self, mean: object = 0.0, stddev: TensorLike = 0.05, seed: TensorLike | None = None) -> None:
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape: Any, dtype: object = dtypes.float32, **kwargs: Any) -> Tensor:
        kind = _floating(dtype)
        wanted = _part(shape, kwargs)
        if self.seed is None:
            return random.normal(wanted, self.mean, self.stddev, kind)
        return random.stateless_normal(wanted, self._pair(), self.mean, self.stddev, kind)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


class random_uniform_initializer(_Random):
    """Numbers from a range, each as likely as the others; with a seed the same ones at each call.

    >>> import gradtape as tf
    >>> tf.random_uniform_initializer(0.0, 10.0, seed=1)([3]).numpy().round(2)
    array([8.78, 4.6 , 6.  ], dtype=float32)

    Args:
        minval: The lower end of the range.
        maxval: The upper end, which is not reached.
        seed: Where the random numbers begin; None: other numbers at each call.
    """

    def __init__(self, minval: object = -0.05, maxval: TensorLike = 0.05, seed: TensorLike | None = None) -> None:
        super().__init__(seed)
        self.minval, self.maxval = minval, maxval

    def __call__(self, shape: Any, dtype: object = dtypes.float32, **kwargs: Any) -> Tensor:
        kind = dtypes.as_dtype(dtype)
        if not (kind.is_floating or kind.is_integer):
            raise ValueError(f"Argument `dtype` is expected to be numeric. Received: {kind!r}.")
        wanted = _part(shape, kwargs)
        if self.seed is None:
            return random.uniform(wanted, self.minval, self.maxval, kind)
        return random.stateless_uniform(wanted, self._pair(), self.minval, self.maxval, kind)

    def get_config(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


def _floating(dtype: object) -> DType:
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {kind!r}.")
    return kind
