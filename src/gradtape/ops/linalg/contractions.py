"""Contractions: sums of products over named axes (einsum, the op `contract`); `tf.tensordot` is built on them."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...base.dtypes import NARROW_FLOATS, NUMERIC, Array
from ...base.errors import invalid
from ...base.sizes import matched
from ...base.types import Cotangent, Namespace, Value
from ...native import blas
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import as_array, shape_of
from ..array.layout import broadcast_to, reshape
from ..math.logic import select, zeros_like
from .products import conjugated


def _einsum(operands: list[Array], equation: str) -> Array:
    if operands[0].dtype in NARROW_FLOATS:
        _check_sizes(operands, equation)
        wide = np.einsum(equation, *[o.astype(np.float32) for o in operands], optimize=True)
        return np.asarray(wide).astype(operands[0].dtype)
    if len(operands) == 2:
        product = _two_operand_product(operands[0], operands[1], equation)
        if product is not None:
            return product
    _check_sizes(operands, equation)
    return as_array(np.einsum(equation, *operands, optimize=len(operands) > 1))


def _check_sizes(operands: list[Array], equation: str) -> None:
    """A label has one size. (NumPy would repeat an axis of size one; TensorFlow only under an ellipsis.)"""
    sizes: dict[str, int] = {}
    for term, operand in zip(equation.partition("->")[0].split(","), operands, strict=True):
        for label, size in zip(term, operand.shape, strict=True):
            if sizes.setdefault(label, size) != size:
                raise ValueError("a label has two sizes")


class _Plan(NamedTuple):
    """How a contraction of two operands is a (batched) product of matrices: axes in a new order, and how many there are."""

    left: tuple[int, ...]  # batch, rows, summed
    right: tuple[int, ...]  # batch, summed, columns
    output: tuple[int, ...]  # of batch, rows, columns
    batch: int
    rows: int
    summed: int


@functools.cache
def _plan(equation: str) -> _Plan | None:
    inputs, output = equation.split("->")
    left, right = inputs.split(",")
    if len(set(left)) != len(left) or len(set(right)) != len(right):
        return None
    summed = [c for c in left if c in right and c not in output]
    batch = [c for c in left if c in right and c in output]
    rows = [c for c in left if c not in right]
    columns = [c for c in right if c not in left]
    if any(c not in output for c in (*rows, *columns)) or not summed:
        return None
    labels = [*batch, *rows, *columns]
    return _Plan(
        tuple(left.index(c) for c in (*batch, *rows, *summed)),
        tuple(right.index(c) for c in (*batch, *summed, *columns)),
        tuple(labels.index(c) for c in output),
        *(len(batch), len(rows), len(summed)),
    )


def _two_operand_product(a: Array, b: Array, equation: str) -> Array | None:
    """The contraction of two operands as one (batched) product of matrices: ten times faster than einsum."""
    plan = _plan(equation)
    if plan is None:
        return None
    a, b = a.transpose(plan.left), b.transpose(plan.right)
    batch, rows, summed = a.shape[: plan.batch], a.shape[plan.batch : plan.batch + plan.rows], a.shape[-plan.summed :]
    columns = b.shape[plan.batch + plan.summed :]
    if b.shape[: plan.batch + plan.summed] != batch + summed:
        return None  # (the general way raises)
    inner = math.prod(summed)
    result = blas.product(a.reshape(*batch, math.prod(rows), inner), b.reshape(*batch, inner, math.prod(columns)))
    return result.reshape(batch + rows + columns).transpose(plan.output)


@op(eager=_einsum, dtypes=NUMERIC, variadic=True, tf_name="Einsum", called="einsum")
def contract(xp: Namespace, operands: Sequence[Array], *, equation: str) -> Any:
    """Einstein summation with an explicit output and no ellipsis (see `einsum`)."""
    return xp.einsum(equation, *operands)


@contract.shapes
def _(operands: list[Abstract], *, equation: Any) -> Shape:
    given, result = equation.replace(" ", "").split("->")
    sizes: dict[str, Any] = {}
    for letters, operand in zip(given.split(","), operands, strict=True):
        for letter, size in zip(letters, operand.of_rank(len(letters)), strict=True):
            sizes[letter] = matched(sizes.get(letter, size), size, f"the sizes of {letter},")
    if len(set(result)) != len(result):
        raise ValueError(f"a label occurs twice in the result {result}")
    return tuple([sizes[letter] for letter in result])


@contract.vjp("operands")
def _(g: Cotangent, operands: Sequence[Value], equation: str) -> Any:
    inputs, output = equation.split("->")
    labels = inputs.split(",")
    return [_cotangent(g, operands, labels, output, k) for k in range(len(labels))]


def _cotangent(g: Value, operands: Sequence[Value], labels: list[str], output: str, k: int) -> Any:
    others = [conjugated(o) for i, o in enumerate(operands) if i != k]
    other_labels = [labels[i] for i in range(len(labels)) if i != k]
    shape = shape_of(operands[k])
    wanted = labels[k]
    if len(set(wanted)) != len(wanted):
        return _cotangent_of_diagonal(g, operands, labels, output, k)
    available = set(output).union(*other_labels)
    kept = "".join(c for c in wanted if c in available)
    result = contract([g, *others], equation=",".join([output, *other_labels]) + "->" + kept)
    if kept != wanted:  # an axis of one operand only, summed over: the cotangent is constant along it
        sizes = dict(zip(wanted, shape, strict=True))
        result = reshape(result, shape=tuple(sizes[c] if c in kept else 1 for c in wanted))
        result = broadcast_to(result, shape=shape)
    return result


def _cotangent_of_diagonal(g: Value, operands: Sequence[Value], labels: list[str], output: str, k: int) -> Any:
    """A label that repeats in one operand takes a diagonal; its cotangent is put back on that diagonal."""
    wanted = labels[k]
    unique = "".join(dict.fromkeys(wanted))
    shape = shape_of(operands[k])
    sizes = dict(zip(wanted, shape, strict=True))
    reduced = [o if i != k else np.empty([sizes[c] for c in unique]) for i, o in enumerate(operands)]
    compact = _cotangent(g, reduced, [unique if i == k else s for i, s in enumerate(labels)], output, k)
    axes = [wanted.index(c) for c in unique]
    spread_shape = tuple(sizes[c] if p in axes else 1 for p, c in enumerate(wanted))
    spread = broadcast_to(reshape(compact, shape=spread_shape), shape=shape)
    grids = np.ogrid[tuple(slice(n) for n in shape)]
    on_diagonal = np.ones(shape, bool)
    for position, c in enumerate(wanted):
        on_diagonal &= grids[position] == grids[wanted.index(c)]
    return select(on_diagonal, spread, zeros_like(spread))


contract.linear("operands")
contract.multilinear = True


@contract.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    inputs, output = attributes["equation"].split("->")
    labels = inputs.split(",")
    fresh = next(c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBAzyxwvutsrqponmlkjihgfedcba" if c not in attributes["equation"])
    marked = [fresh + s if batched else s for s, batched in zip(labels, is_batched, strict=True)]
    return contract(args[0], equation=",".join(marked) + "->" + fresh + output)


@contract.checks
def _(operands: list[Array], equation: str) -> None:
    inputs = equation.partition("->")[0]
    labels = inputs.split(",")
    shapes = [o.shape for o in operands]
    if len(labels) != len(operands):
        raise invalid(f"einsum: equation '{equation}' has {len(labels)} operands, {len(operands)} were given.")
    sizes: dict[str, int] = {}
    for term, shape in zip(labels, shapes, strict=True):
        if len(term) != len(shape):
            raise invalid(f"einsum: '{term}' in '{equation}' has {len(term)} axes, its operand has shape {shape}.")
        for c, n in zip(term, shape, strict=True):
            if sizes.setdefault(c, n) != n:
                raise invalid(f"einsum: axis '{c}' of '{equation}' has two sizes, {sizes[c]} and {n}: {shapes}.")
    raise invalid(f"einsum: equation '{equation}' does not make sense for operands of shapes {shapes}.")


@contract.samples
def _(draw: Any) -> Iterator[Sample]:
    for equation, *shapes in [
        ("ij,jk->ik", (2, 3), (3, 4)), ("ij->ji", (2, 3)), ("ij->i", (2, 3)), ("ij->", (2, 3)),
        ("i,i->", (3,), (3,)), ("i,j->ij", (2,), (3,)),
        ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)), ("ii->i", (3, 3)), ("ii->", (3, 3)), ("ij,ij->ij", (2, 3),
        (2, 3)), ("ijk,kl,lm->ijm", (2, 2, 3), (3, 2), (2, 2)),
        ("bhqd,bhkd->bhqk", (2, 2, 3, 2), (2, 2, 3, 2)), ("ij,kj->", (2, 3), (4, 3)), ("i->i", (0,)),
        ("iij,j->i", (2, 2, 3), (3,)),
    ]:  # fmt: skip
        yield Sample(([draw(shape) for shape in shapes],), {"equation": equation})


@contract.value
def _(operands: Array, equation: str) -> Any:
    return np.einsum(equation, *operands)


@contract.rejects
def _() -> Iterator[BadInput]:
    x, y = np.ones((2, 3), np.float32), np.ones((2, 3), np.float32)
    for equation in [
        "ij,jk->ik",
        "ij->ij",
        "ijk,jk->i",
        "ij,jk,kl->il",
        "i,j->ij",
        "ij,ij->iz",
        "ij,ij->ii",
        "",
        "ij,ji->ij",
        "ijk,ijk->",
    ]:
        yield BadInput("the equation must fit the operands", ([x, y],), {"equation": equation})

    yield BadInput("a label has one size, also where it is 1", ([x[:1], y],), {"equation": "ij,ij->i"})
