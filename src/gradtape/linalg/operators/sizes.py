"""Shapes of operators, said once for what is known before a function runs and for what only the run knows.

`_sizes` of an operator writes its shape in these words: `of`, `join`, `broadcast`, `product`. `KNOWN` answers with a
`TensorShape`, `COMPUTED` with a tensor.
"""

from __future__ import annotations

import functools
import math as numbers
from typing import Any, Protocol

from ... import math
from ...api.arrays import constant, convert_to_tensor
from ...api.layout import concat
from ...api.shapes import broadcast_dynamic_shape, broadcast_static_shape, shape
from ...base import dtypes
from ...base.shapes import TensorShape
from ...values.tensor import Tensor


class Sizes(Protocol):
    """A way to compute with shapes."""

    def of(self, value: Any) -> Any:
        """The shape of a tensor or an operator."""

    def join(self, *shapes: object) -> Any:
        """One shape after the other; each is a shape or a list of sizes."""

    def broadcast(self, *shapes: object) -> Any:
        """The shape that all are broadcast to."""

    def product(self, sizes: Any) -> Any:
        """The product of all sizes of a shape, as a shape with one axis."""


class _Known:
    def of(self, value: Any) -> Any:
        return TensorShape(value.shape)

    def join(self, *shapes: object) -> Any:
        return functools.reduce(TensorShape.concatenate, map(TensorShape, shapes))

    def broadcast(self, *shapes: object) -> Any:
        return functools.reduce(broadcast_static_shape, map(TensorShape, shapes))

    def product(self, sizes: Any) -> Any:
        return TensorShape([numbers.prod(sizes.as_list()) if sizes.is_fully_defined() else None])


class _Computed:
    def of(self, value: Any) -> Any:
        return value.shape_tensor() if hasattr(value, "shape_tensor") else shape(value)

    def join(self, *shapes: object) -> Any:
        return concat([convert_to_tensor(part, dtypes.int32) for part in shapes], 0)

    def broadcast(self, *shapes: Any) -> Any:
        return functools.reduce(broadcast_dynamic_shape, shapes)

    def product(self, sizes: Any) -> Any:
        return math.reduce_prod(sizes, keepdims=True)


KNOWN: Sizes = _Known()
COMPUTED: Sizes = _Computed()


def best(value: Tensor) -> Any:
    """The shape of a tensor: numbers where all are known, else a tensor."""
    known = TensorShape(value.shape)
    return known.as_list() if known.is_fully_defined() else shape(value)


def as_tensor(known: TensorShape) -> Any:
    """A known shape as a tensor."""
    return constant(known.as_list(), dtypes.int32, shape=[len(known)])


def joined(*shapes: Any) -> Any:
    """One shape after the other: a list of numbers where all are known, else a tensor."""
    if all(isinstance(part, (list, TensorShape)) and all(isinstance(n, int) for n in part) for part in shapes):
        return [size for part in shapes for size in part]
    return COMPUTED.join(*shapes)
