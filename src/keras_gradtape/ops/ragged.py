"""Ops of Keras on ragged tensors. Elementwise ones run on the values; sums along rows and the like are gradtape's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradtape as tf

from .core import convert_to_tensor
from .numpy import selection

Function = Callable[..., Any]

_ELEMENTWISE = """
    abs absolute add angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt ceil clip conj conjugate copy cos cosh
    deg2rad digitize divide divide_no_nan equal exp exp2 expm1 fabs floor floor_divide fmax fmin fmod greater greater_equal
    imag isfinite isinf isnan less less_equal log log10 log1p log2 logical_and logical_not logical_or logical_xor maximum
    minimum mod multiply nan_to_num negative not_equal power rad2deg real reciprocal round sign sin sinh sqrt square subtract
    tan tanh true_divide trunc
    celu elu erf erfinv gelu hard_shrink hard_sigmoid hard_silu hard_tanh leaky_relu log_sigmoid relu relu6 rsqrt selu sigmoid
    silu soft_shrink softplus softsign sparse_plus sparse_sigmoid squareplus tanh_shrink threshold
"""


def on_values(function: Function, *args: Any, **kwargs: Any) -> Any:
    """An elementwise op: on the flat values if every operand is ragged or scalar, else by gradtape's ragged broadcasting."""
    if all(x.__class__ is tf.RaggedTensor or _is_scalar(x) for x in args):
        return tf.ragged.map_flat_values(function, *args, **kwargs)
    return function(*args, **kwargs)


def _is_scalar(x: Any) -> bool:
    return x is None or isinstance(x, (bool, int, float, str)) or not len(convert_to_tensor(x).shape)


def take(function: Function, x: Any, indices: Any, axis: Any = None) -> Any:
    """Slices at ragged positions, in the rows that the positions have; negative ones count from the end."""
    if indices.__class__ is not tf.RaggedTensor:
        return function(x, indices, axis)
    x = convert_to_tensor(x)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    places = selection.positions(indices.flat_values, x.shape[axis])
    return tf.gather(x, indices.with_flat_values(places), axis=axis)


def one_hot(function: Function, x: Any, num_classes: int, axis: int = -1, **settings: Any) -> Any:
    """The classes of each value along a new last axis."""
    if axis != -1:
        raise ValueError(f"`one_hot` of a ragged tensor has its new axis last (axis=-1). Received: axis={axis}")
    return x.with_flat_values(function(x.flat_values, num_classes, axis, **settings))


RULES: dict[str, Function] = {**dict.fromkeys(_ELEMENTWISE.split(), on_values), "one_hot": one_hot, "take": take}
