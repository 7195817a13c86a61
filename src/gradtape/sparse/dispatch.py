"""Ops that TensorFlow defines for sparse tensors too: they run on the values."""

from __future__ import annotations

from typing import Any

from ..op.declaration import Op
from ..ops.public import identity
from .tensor import SparseTensor

# (The Bessel functions are not zero at zero; TensorFlow runs them on the values all the same.)
ON_VALUES = {
    "abs",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "erf",
    "negative",
    "sign",
    "sin",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "bessel_ie",
    "convert",
    "identity",
    "stop_gradient",
}


def run(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """An op one of whose operands is sparse."""
    if op.name == "concat" and len(args[0]) == 1:
        return identity(args[0][0])
    if op.name in ON_VALUES and isinstance(args[0], SparseTensor):
        return args[0].with_values(op.public(args[0].values, *args[1:], **attributes))
    raise ValueError(
        f"{op.name}: Attempt to convert a value with an unsupported type (SparseTensor) to a Tensor. Use the functions of "
        "tf.sparse, tf.sparse.map_values, or tf.sparse.to_dense(x) first."
    )
