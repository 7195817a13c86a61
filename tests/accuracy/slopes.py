"""The true values of slopes that are ops of their own, and of the parts of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import inf, mp, mpf

from .elementwise import (
    ONE,
    POSITIVE,
    SELU_ALPHA,
    SELU_SCALE,
    bell,
    expit,
    gelu_slope,
    silu_slope,
    tanh_gelu_slope,
    zero,
)
from .reference import Reference

# --- slopes as ops, and the parts of a number ---------------------------------------------------------------

_OPEN = (-1.0, 1.0)


def _selu_slope(g: Any, y: Any) -> Any:
    return g * (y + SELU_SCALE * SELU_ALPHA) if y < 0 else g * SELU_SCALE


SLOPES = {
    "mask_positive": Reference(
        lambda g, x: g if x > 0 else mpf(0), {"gradients": lambda g, x: ONE * (x > 0), "features": zero}
    ),
    "relu6_grad": Reference(
        lambda g, x: g if 0 < x < 6 else mpf(0), {"gradients": lambda g, x: ONE * (0 < x < 6), "features": zero}
    ),
    "leaky_relu_grad": Reference(
        lambda g, x: g if x > 0 else g * mpf("0.2"),
        {"gradients": lambda g, x: ONE if x > 0 else mpf("0.2"), "features": zero},
        {"alpha": 0.2},
    ),
    "elu_grad": Reference(
        lambda g, y: g * (y + 1) if y < 0 else g,
        {"gradients": lambda g, y: y + 1 if y < 0 else ONE, "outputs": lambda g, y: g if y < 0 else mpf(0)},
        within=((-1e3, 1e3), (-1.0, np.inf)),
        near=((), (-1.0, 0.0)),
    ),
    "selu_grad": Reference(
        _selu_slope,
        {"gradients": lambda g, y: _selu_slope(ONE, y), "outputs": lambda g, y: g if y < 0 else mpf(0)},
        within=((-1e3, 1e3), (-1.7580993408473766, np.inf)),
        near=((), (0.0,)),
    ),
    "softplus_grad": Reference(
        lambda g, x: g * expit(x),
        {"gradients": lambda g, x: expit(x), "features": lambda g, x: g * bell(x)},
        within=((-1e3, 1e3),),
    ),
    "softsign_grad": Reference(
        lambda g, x: g / (1 + abs(x)) ** 2,
        {
            "gradients": lambda g, x: 1 / (1 + abs(x)) ** 2,
            "features": lambda g, x: -2 * g * mp.sign(x) / (1 + abs(x)) ** 3,
        },
        within=((-1e3, 1e3),),
    ),
    "sigmoid_grad": Reference(
        lambda y, g: g * y * (1 - y),
        {"y": lambda y, g: g * (1 - 2 * y), "dy": lambda y, g: y * (1 - y)},
        within=((0.0, 1.0), (-1e3, 1e3)),
        near=((1.0, 0.0),),
    ),
    "tanh_grad": Reference(
        lambda y, g: g * (1 - y) * (1 + y),
        {"y": lambda y, g: -2 * g * y, "dy": lambda y, g: (1 - y) * (1 + y)},
        within=(_OPEN, (-1e3, 1e3)),
        near=(_OPEN,),
    ),
    "sqrt_grad": Reference(
        lambda y, g: g / (2 * y) if y else None,
        {"y": lambda y, g: -g / (2 * y * y) if y else None, "dy": lambda y, g: 1 / (2 * y) if y else None},
        within=(POSITIVE,),
    ),
    "rsqrt_grad": Reference(
        lambda y, g: -g * y**3 / 2,
        {"y": lambda y, g: -g * 3 * y * y / 2, "dy": lambda y, g: -(y**3) / 2},
        within=(POSITIVE, (-1e3, 1e3)),
    ),
    "reciprocal_grad": Reference(
        lambda y, g: -g * y * y,
        {"y": lambda y, g: -2 * g * y, "dy": lambda y, g: -y * y},
        within=((-np.inf, np.inf), (-1e3, 1e3)),
    ),
    "gelu_grad": Reference(
        lambda g, x: g * gelu_slope(x),
        {"gradients": lambda g, x: gelu_slope(x)},
        {"approximate": False},
        within=((-1e3, 1e3), (-1e4, 1e4)),
    ),
    "gelu_grad (tanh)": Reference(
        lambda g, x: g * tanh_gelu_slope(x),
        {"gradients": lambda g, x: tanh_gelu_slope(x)},
        {"approximate": True},
        within=((-1e3, 1e3), (-1e4, 1e4)),
    ),
    "silu_grad": Reference(
        lambda g, x: g * silu_slope(x), {"gradients": lambda g, x: silu_slope(x)}, within=((-1e3, 1e3), (-1e4, 1e4))
    ),
    "modf": Reference(
        lambda x: x - (mp.floor(x) if x > 0 else mp.ceil(x)),
        {"x": lambda x: ONE},
        ends={"inf": (0.0, 1.0), "-inf": (0.0, 1.0)},
    ),
    "frexp": Reference(
        lambda x: mp.frexp(x)[0],
        {"x": lambda x: mp.ldexp(ONE, -mp.frexp(x)[1])},
        ends={"inf": (inf, 1.0), "-inf": (-inf, 1.0)},
    ),
    "nan_to_num": Reference(
        lambda x: x,
        {"x": lambda x: ONE},
        {"nan": 0.0, "posinf": 1.0, "neginf": -1.0},
        ends={"nan": (0.0, 0.0), "inf": (1.0, 0.0), "-inf": (-1.0, 0.0)},
    ),
    "apply_dropout": Reference(
        lambda x, u: x / (1 - mpf("0.5")) if u >= 0.5 else mpf(0),
        {"x": lambda x, u: mpf(2) * (u >= 0.5), "noise": zero},
        {"rate": 0.5},
    ),
}
