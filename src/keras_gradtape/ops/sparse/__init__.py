"""Ops of Keras on sparse operands: `tf.SparseTensor`, and the `tf.IndexedSlices` that gradients of lookups are.

The tables say by name what an op does to sparse operands; `backend` applies them when it puts the ops together. Calls
with dense operands pay for one check of their classes. Ops that are not in the tables take dense tensors only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import elementwise, products, structure
from .places import KINDS

Rule = Callable[..., Any]

# Ops with f(0) = 0: only the values are computed. (`digitize` is here as in Keras, which puts zeros into the first bin.)
_ON_VALUES = """
    abs absolute arcsin arcsinh arctan arctanh cbrt ceil conj conjugate copy deg2rad digitize expm1 fabs floor imag log1p
    negative rad2deg real round sign sin sinh sqrt square tan tanh trunc
"""
# Ops with f(0) != 0: the result is dense.
_FILLED = "arccos arccosh cos cosh exp exp2 isfinite isreal log log10 log2 logical_not reciprocal"
_UNION = "add maximum minimum subtract"
_INTERSECTION = "multiply"
_DIVISION = "divide true_divide"
_STRUCTURE = "expand_dims mean reshape squeeze sum take transpose"

RULES: dict[str, Rule] = {
    **dict.fromkeys(_ON_VALUES.split(), elementwise.on_values),
    **dict.fromkeys(_FILLED.split(), elementwise.filled),
    **dict.fromkeys(_UNION.split(), elementwise.union),
    **dict.fromkeys(_INTERSECTION.split(), elementwise.intersection),
    **dict.fromkeys(_DIVISION.split(), elementwise.division),
    **{name: getattr(structure, name) for name in _STRUCTURE.split()},
    "matmul": products.matmul,
}


def kinds(name: str) -> dict[type, Rule]:
    """For the op of this name: the classes of operands that have a rule of their own, with the rule."""
    if name == "concatenate":
        return {list: structure.concatenate, tuple: structure.concatenate}
    return dict.fromkeys(KINDS, RULES[name]) if name in RULES else {}
