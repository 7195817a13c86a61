"""Sums of products over any axes: `tensordot` and `einsum`."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..api.arrays import eye, reshape
from ..api.layout import transpose
from ..api.shapes import shape as sizes_of
from ..base.errors import NumberNeededError, invalid, too_few_axes
from ..base.sizes import UNKNOWN, product, same
from ..base.traceable import shaped, trace_public
from ..base.types import TensorLike
from ..op.abstract import Abstract
from ..op.attributes import as_ints
from ..op.family import shape_of
from ..ops.linalg.contractions import contract
from ..ops.linalg.products import matmul
from ..trace.abstract_tensor import abstract_of
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable


def _contracted_look(a: TensorLike, b: TensorLike, axes: TensorLike, name: str | None = None) -> Abstract:
    """Which axes are left is not known; their number is, where that of the axes is."""
    x, y, chosen = (abstract_of(to_tensor(value)) for value in (a, b, axes))
    if x.rank is None or y.rank is None or chosen.rank != 2 or chosen.shape[1].__class__ is not int:
        return Abstract(None, x.dtype)
    return Abstract((UNKNOWN,) * (x.rank + y.rank - 2 * chosen.shape[1]), x.dtype)


@shaped(_contracted_look)
def tensordot(a: TensorLike, b: object, axes: Any, name: str | None = None) -> Tensor:
    """The sum of products over some axes of a and some of b: an integer for the last and first, or two lists.

    >>> import gradtape as tf
    >>> tf.tensordot([1.0, 2.0], [3.0, 4.0], axes=1).numpy()
    np.float32(11.0)

    Args:
        a: A tensor.
        b: A tensor of the same type.
        axes: How many axes: the last of a with the first of b; or two lists of axes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The axes do not fit.
    """
    x = to_tensor(a)
    y = to_tensor(b, None if isinstance(b, (Tensor, Variable)) else x.dtype)
    if isinstance(axes, (int, np.integer)):
        count = int(axes)
        if not 0 <= count <= min(x.ndim, y.ndim):
            raise too_few_axes(f"tensordot: axes must be from 0 to {min(x.ndim, y.ndim)}, got {count}.")
        left, right = tuple(range(x.ndim - count, x.ndim)), tuple(range(count))
    else:
        if len(to_tensor(axes).shape if not isinstance(axes, (list, tuple)) else axes) != 2:
            raise NumberNeededError(None, None, f"'axes' must be an integer or have length 2, got {axes}.")
        left, right = as_ints(axes[0]), as_ints(axes[1])
    if len(left) != len(right):
        raise ValueError(f"Different number of contraction axes 'a' and 'b', {len(left)} != {len(right)}.")
    for value, chosen, label in ((x, left, "a"), (y, right, "b")):
        if any(not -value.ndim <= axis < value.ndim for axis in chosen):
            raise invalid(f"tensordot: axes {list(chosen)} do not all exist in {label} of shape {value.shape}.")
    left, right = tuple(i % x.ndim for i in left), tuple(i % y.ndim for i in right)
    rows = [i for i in range(x.ndim) if i not in left]
    columns = [i for i in range(y.ndim) if i not in right]
    sizes, others = shape_of(x), shape_of(y)
    if any(same(sizes[i], others[j]) is False for i, j in zip(left, right, strict=True)):
        raise invalid(f"tensordot: sizes differ along axes {list(left)} of {x.shape} and {list(right)} of {y.shape}.")
    outer = [sizes[i] for i in rows], [others[i] for i in columns]
    first = reshape(transpose(x, [*rows, *left]), (product(outer[0]), product(sizes[i] for i in left)))
    second = reshape(transpose(y, [*right, *columns]), (product(others[i] for i in right), product(outer[1])))
    return reshape(matmul.public(first, second), (*outer[0], *outer[1]))


def einsum(equation: str, *inputs: object, **kwargs: object) -> Tensor:
    """Einstein summation: `tf.einsum("ij,jk->ik", a, b)` is the product of two matrices.

    >>> import gradtape as tf
    >>> tf.einsum("...ij,...jk->...ik", tf.ones([1, 2, 3]), tf.ones([4, 3, 2])).shape
    TensorShape([4, 2, 2])

    A label has one size in all operands; only axes under an ellipsis broadcast.

    Args:
        equation: Letters for the axes of each operand, and after -> those of the result.
        inputs: Tensors of one type.
        kwargs: `name` and `optimize`, which are not used.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The equation does not fit the operands.
    """
    kwargs.pop("optimize", None)
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(
            f"Invalid keyword arguments for this function: {', '.join(kwargs)}. Expected: 'name', 'optimize'"
        )
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) and "," in equation:
        inputs = tuple(inputs[0])
    tensors = [to_tensor(value) for value in inputs]
    written = explicit_equation(equation, tuple([t.ndim for t in tensors]))
    if "." in equation:
        written, tensors = _without_repeated_axes(equation, written, tensors)
    output = written.partition("->")[2]
    if len(set(output)) < len(output):
        written, tensors = _with_diagonals(written, tensors)
    return contract.public(tensors, written)


def _with_diagonals(written: str, tensors: list[Any]) -> tuple[str, list[Any]]:
    """An equation whose output names a label twice: the second is a label of its own, and an identity matrix joins the two."""
    inputs, output = written.split("->")
    terms = inputs.split(",")
    free = iter(c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in written)
    named = ""
    for label in output:
        if label in named:
            number = next(n for n, term in enumerate(terms) if label in term)
            axis, other = terms[number].index(label), next(free)
            size = tensors[number].shape[axis]
            size = sizes_of(tensors[number])[axis] if size is None else size
            tensors = [*tensors, eye(size, dtype=tensors[0].dtype)]
            terms.append(label + other)
            label = other
        named += label
    return ",".join(terms) + "->" + named, tensors


def _without_repeated_axes(equation: str, written: str, tensors: list[Any]) -> tuple[str, list[Any]]:
    """Operands without the axes of size one under the ellipsis along which they would be repeated."""
    inputs, output = written.split("->")
    terms = inputs.split(",")
    hidden = {c for c in inputs if c.isalpha() and c not in equation}
    if hidden and "->" in equation and "." not in equation.partition("->")[2]:
        raise invalid(
            f"einsum: equation '{equation}' needs '...' in its output: the operands have axes that it stands for."
        )
    shapes = [tuple(t.shape) for t in tensors]
    repeated = {
        c for term, shape in zip(terms, shapes, strict=True) for c, n in zip(term, shape, strict=True) if n != 1
    } & hidden
    for position, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        kept = [i for i, c in enumerate(term) if not (shape[i] == 1 and c in repeated)]
        if len(kept) < len(term):
            terms[position] = "".join(term[i] for i in kept)
            tensors[position] = reshape(tensors[position], tuple(shape[i] for i in kept))
    return ",".join(terms) + "->" + output, tensors


@functools.cache
def explicit_equation(equation: str, ranks: tuple[int, ...]) -> str:
    """The equation without blanks and ellipses, with its output written out."""
    text = equation.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"einsum: equation '{equation}' has {len(terms)} operands, {len(ranks)} were given.")
    letters = "".join(terms) + output
    if any(not (c.isalpha() or c in ".") for c in letters):
        raise ValueError(f"einsum: equation '{equation}' may hold letters, commas, '->' and '...' only.")
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in letters]
    widths = [
        rank - len(term.replace("...", "")) if "..." in term else 0 for term, rank in zip(terms, ranks, strict=True)
    ]
    if min(widths, default=0) < 0:
        raise ValueError(
            f"einsum: equation '{equation}' has more axes than its operands, which have ranks {list(ranks)}."
        )
    hidden = "".join(free[: max(widths, default=0)])
    terms = [term.replace("...", hidden[len(hidden) - width :]) for term, width in zip(terms, widths, strict=True)]
    if arrow:
        output = output.replace("...", hidden)
        if not set(output) <= set("".join(terms)):
            raise ValueError(f"einsum: the output of equation '{equation}' names a label that no operand has.")
    else:
        joined = "".join(terms)
        output = hidden + "".join(sorted(c for c in set(joined) if joined.count(c) == 1 and c not in hidden))
    return ",".join(terms) + "->" + output


trace_public(globals())
