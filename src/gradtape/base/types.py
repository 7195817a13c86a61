"""The types of the engine, by name: what kernels, rules and public functions take.

Three kinds of things go through the engine. Kernels take an `Array`. Rules take a `Value`: an array, a tensor, or whatever
else ops run on, of which they know operators, shape and type. Public functions take what users give: a `TensorLike`.

Aliases are strings where they name classes of higher layers, which only type checkers import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from types import EllipsisType, ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from .dtypes import Array as Array

if TYPE_CHECKING:
    from ..api.extension_type import ExtensionType
    from ..api.tensor_array import TensorArray
    from ..ragged.tensor import RaggedTensor
    from ..sparse.tensor import SparseTensor
    from ..values.tensor import IndexedSlices, Tensor
    from ..variables.variable import Variable
    from .dtypes import DType
    from .shapes import TensorShape

# --- kernels: arrays -------------------------------------------------------------------------------------------------

# What a kernel computes with: NumPy, or another module with the same functions (jax.numpy).
Namespace: TypeAlias = ModuleType
# The package jax, which is given to what computes an op on XLA (`@op.xla`): it is imported by programs that ask for XLA.
Jax: TypeAlias = ModuleType

Axis: TypeAlias = int | tuple[int, ...] | None

# What is known of an array before there is one.
Look: TypeAlias = tuple[tuple[int, ...], "np.dtype[Any]"]

# The arguments of an op that are no operands, by name.
Attributes: TypeAlias = dict[str, Any]


class Draw(Protocol):
    """Random values of the type that an op is tested on, away from the points in `avoid`."""

    def __call__(
        self, shape: tuple[int, ...], low: float = ..., high: float = ..., avoid: Sequence[float] = ...
    ) -> Array:
        """An array of this shape."""


# --- rules: anything that ops run on ---------------------------------------------------------------------------------


class Value(Protocol):
    """What a rule may do with its operands besides calling ops: an array, a tensor, a batched or a symbolic value."""

    @property
    def shape(self) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def ndim(self) -> int: ...

    def __neg__(self) -> Any: ...
    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __rtruediv__(self, other: Any, /) -> Any: ...


# Cotangents and tangents: a reverse rule takes the cotangent of the output, a forward rule takes the
# tangent of an operand.
Cotangent: TypeAlias = Value
Tangent: TypeAlias = Value

# --- public functions: what users give -------------------------------------------------------------------------------


class SupportsArray(Protocol):
    """Anything that NumPy makes an array of."""

    def __array__(self, dtype: Any = ..., /) -> Array:
        """The values."""


Number: TypeAlias = bool | int | float | complex | np.generic
# One tensor where lists are structures of several,
TensorLeaf: TypeAlias = "Tensor | Variable | Array | Number | SupportsArray"
# what `tf.convert_to_tensor` takes,
DenseLike: TypeAlias = "TensorLeaf | str | bytes | Sequence[DenseLike]"
# and the values made of several tensors that functions know beside it.
TensorLike: TypeAlias = "DenseLike | Sequence[TensorLike] | IndexedSlices | RaggedTensor | SparseTensor | TensorArray"
# Values made of several tensors. What a tape differentiates by, or differentiates: tensors, these, and structures of both.
Composite: TypeAlias = "IndexedSlices | RaggedTensor | SparseTensor | ExtensionType"
Differentiable: TypeAlias = "Tensor | Variable | Composite"
Differentiables: TypeAlias = "Differentiable | Sequence[Differentiables] | Mapping[Any, Differentiables]"
# A result that is None in cases which the caller knows of, such as a gradient: `Tensor | MaybeNone` is used as a tensor without
# a check, and may be compared with None. (As in typeshed.)
MaybeNone: TypeAlias = Any
DTypeLike: TypeAlias = "DType | np.dtype[Any] | type | str | int"
# A whole number, or a tensor that holds one; and several.
IntLike: TypeAlias = "int | np.integer[Any] | Tensor | Variable | Array"
ShapeLike: TypeAlias = "TensorShape | Sequence[IntLike | None] | IntLike"
AxisLike: TypeAlias = "IntLike | Sequence[IntLike]"
# What stands in the brackets of `x[...]`: one of these, or a tuple of them.
IndexLike: TypeAlias = "IntLike | slice | EllipsisType | Sequence[int] | None"
PathLikeOrTensor: TypeAlias = "str | bytes | PathLike[str] | Tensor"
Function: TypeAlias = Callable[..., Any]
