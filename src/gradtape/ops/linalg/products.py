"""Products: matmul with transposes, einsum (from which tensordot is made), the cross product."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...base.dtypes import NARROW_FLOATS, NUMERIC, REAL, Array
from ...base.errors import FailedPreconditionError, invalid
from ...base.sizes import Undecided, matched
from ...base.types import Cotangent, Draw, Namespace, Value
from ...native import blas
from ...native.background import later
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ..array.borders import crop
from ..array.layout import broadcast_to, permute, reshape, sum_to_shape
from ..family import batch_leading, is_complex, rank_of, shape_of
from ..math.elementwise import conj
from ..math.logic import select, zeros_like
from ..shapes import broadcast_sizes, equal_shapes

# --- matmul -------------------------------------------------------------------------------------------------


def _matmul(a: Array, b: Array, transpose_a: bool = False, transpose_b: bool = False) -> Array:
    if a.ndim == 2 and b.ndim == 2 and a.itemsize >= 4:
        return blas.product(a.T if transpose_a else a, b.T if transpose_b else b)
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError("matrices have two axes")
    if transpose_a:
        a = a.swapaxes(-1, -2)
    if transpose_b:
        b = b.swapaxes(-1, -2)
    if a.dtype in NARROW_FLOATS:  # NumPy's half-precision product is 300 times slower
        return (a.astype(np.float32) @ b.astype(np.float32)).astype(a.dtype)
    if a.ndim > 2 and b.ndim == 2:
        # One large product instead of many small ones.
        lead = a.shape[:-1]
        return blas.product(a.reshape(math.prod(lead), a.shape[-1]), b).reshape(*lead, b.shape[-1])
    return blas.product(a, b)


# (`tf.matmul` looks at the flags: on small matrices the look costs 2 % of the entry, which `@` need not pay.)
@op(eager=_matmul, dtypes=NUMERIC, tf_name="MatMul", checks_flags=False)
def matmul(xp: Namespace, a: Array, b: Array, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """The product of matrices in the last two axes, with broadcasting over the others."""
    a = xp.swapaxes(a, -1, -2) if transpose_a else a
    b = xp.swapaxes(b, -1, -2) if transpose_b else b
    return xp.matmul(a, b)


@matmul.shapes
def _(a: Abstract, b: Abstract, *, transpose_a: Any, transpose_b: Any) -> Shape:
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(f"matrices are needed, got shapes {a.shape} and {b.shape}")
    *front, rows, inner = (*a.shape[:-2], *a.shape[:-3:-1]) if transpose_a else a.shape
    *other, inside, columns = (*b.shape[:-2], *b.shape[:-3:-1]) if transpose_b else b.shape
    matched(inner, inside, "inner dimensions")
    lead = broadcast_sizes(tuple(front), tuple(other))
    return None if lead is None else (*lead, rows, columns)


@matmul.vjp("a")
def _(g: Cotangent, b: Value, a_shape: tuple[int, ...], transpose_a: bool, transpose_b: bool) -> Any:
    b = conj(b) if is_complex(b) else b
    if transpose_a:
        result = matmul(b, g, transpose_a=transpose_b, transpose_b=True)
    else:
        result = matmul(g, b, transpose_a=False, transpose_b=not transpose_b)
    return result if shape_of(result) == a_shape else sum_to_shape(result, shape=a_shape)


@matmul.vjp("b")
def _(g: Cotangent, a: Value, b_shape: tuple[int, ...], transpose_a: bool, transpose_b: bool) -> Any:
    a = conj(a) if is_complex(a) else a
    if len(b_shape) == 2 and rank_of(a) > 2 and not transpose_a and shape_of(a)[:-1] == shape_of(g)[:-1]:
        # b was shared by all leading axes: one product over all rows, not many that are then added up.
        rows = math.prod(shape_of(a)[:-1])
        a = reshape(a, shape=(rows, shape_of(a)[-1]))
        g = reshape(g, shape=(rows, shape_of(g)[-1]))
    if a.__class__ is np.ndarray and g.__class__ is np.ndarray and a.ndim == g.ndim == len(b_shape) == 2:
        turned = a if transpose_a else a.T
        postponed = later(g.T, turned.T) if transpose_b else later(turned, g)
        if postponed is not None:
            return postponed
    if transpose_b:
        result = matmul(g, a, transpose_a=True, transpose_b=transpose_a)
    else:
        result = matmul(a, g, transpose_a=not transpose_a, transpose_b=False)
    return result if shape_of(result) == b_shape else sum_to_shape(result, shape=b_shape)


matmul.linear("a", "b")


@matmul.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    a, b = args
    if is_batched == (True, False) and rank_of(a) == 3 and not attributes.get("transpose_a") and rank_of(b) == 2:
        # Fold the batch into the rows of one product.
        size, rows, inner = shape_of(a)
        product = matmul(reshape(a, shape=(size * rows, inner)), b, transpose_b=attributes.get("transpose_b", False))
        return reshape(product, shape=(size, rows, shape_of(product)[-1]))
    ranks = [rank_of(x) - batched for x, batched in zip(args, is_batched, strict=True)]
    rank = max(ranks)
    aligned = []
    for x, batched in zip(args, is_batched, strict=True):
        if batched:
            shape = shape_of(x)
            x = reshape(x, shape=(shape[0], *(1,) * (rank - len(shape) + 1), *shape[1:]))
        aligned.append(x)
    return matmul(*aligned, **attributes)


@matmul.checks
def _(a: Array, b: Array, transpose_a: bool = False, transpose_b: bool = False) -> None:
    if a.ndim < 2 or b.ndim < 2:
        raise invalid(
            f"matmul: both operands need at least two axes, got shapes {a.shape} and {b.shape}. "
            "For a vector use tf.linalg.matvec or tf.tensordot."
        )
    inner_a = a.shape[-2] if transpose_a else a.shape[-1]
    inner_b = b.shape[-1] if transpose_b else b.shape[-2]
    if inner_a != inner_b:
        hint = ""
        if a.shape[-1] == b.shape[-1] and not (transpose_a or transpose_b):
            hint = " Did you mean transpose_b=True?"
        elif a.shape[-2] == b.shape[-2] and not (transpose_a or transpose_b):
            hint = " Did you mean transpose_a=True?"
        raise invalid(
            f"matmul: inner dimensions differ: a is {a.shape}{' transposed' if transpose_a else ''}, "
            f"b is {b.shape}{' transposed' if transpose_b else ''}.{hint}"
        )
    raise invalid(f"matmul: the leading axes of a {a.shape} and b {b.shape} do not broadcast.")


@matmul.samples
def _(draw: Draw) -> Iterator[Sample]:
    for a, b, ta, tb in [
        ((2, 3), (3, 4), False, False), ((3, 2), (3, 4), True, False), ((2, 3), (4, 3), False, True),
        ((3, 2), (4, 3), True, True),
        ((5, 2, 3), (3, 2), False, False), ((2, 3), (5, 3, 2), False, False), ((4, 1, 2, 3),
        (2, 3, 2), False, False),
        ((2, 3, 2), (2, 3, 4), True, False), ((2, 2, 3), (2, 4, 3), False, True), ((0, 3),
        (3, 2), False, False), ((2, 0), (0, 3), False, False),
        ((1, 1), (1, 1), False, False), ((2, 4, 3), (3, 3), False, True), ((3, 1, 4, 2),
        (1, 4, 2), True, False),
        ((2, 3, 0), (0, 4), False, False), ((0, 2, 3), (3, 2), False, False),
    ]:  # fmt: skip
        yield Sample((draw(a), draw(b)), {"transpose_a": ta, "transpose_b": tb})


@matmul.value
def _(a: Array, b: Array, transpose_a: bool, transpose_b: bool) -> Any:
    left = "ji" if transpose_a else "ij"
    right = "kj" if transpose_b else "jk"
    return np.einsum(f"...{left},...{right}->...ik", a, b)


@matmul.rejects
def _() -> Iterator[BadInput]:
    for a, b in [
        ((2, 3), (2, 3)), ((3,), (3, 2)), ((2, 3), (3,)), ((), (2, 2)), ((2, 3), (4, 2)), ((2, 2, 3),
        (3, 3, 2)), ((2, 3), ()), ((3,), (3,)),
        ((2, 0), (2, 3)), ((4, 2, 3), (5, 3, 2)),
    ]:  # fmt: skip
        yield BadInput("the shapes must fit", (np.ones(a, np.float32), np.ones(b, np.float32)))
    yield BadInput("types never mix", (np.ones((2, 2), np.float32), np.ones((2, 2), np.float64)))


# --- what the rules of the ops on matrices are written with -------------------------------------------------


def transposed(x: Value) -> Any:
    """The last two axes exchanged."""
    rank = rank_of(x)
    return permute(x, perm=(*range(rank - 2), rank - 1, rank - 2))


def conjugated(x: Value) -> Any:
    """x as it stands in reverse rules: conjugated where it is complex, and untouched where it is not."""
    return conj(x) if is_complex(x) else x


def adjoint(x: Value) -> Any:
    """The last two axes exchanged, and complex elements conjugated."""
    return transposed(conjugated(x))


def product(a: Value, b: Value, adjoint_a: bool = False, adjoint_b: bool = False) -> Any:
    """a @ b, either of them as its adjoint."""
    a = conjugated(a) if adjoint_a else a
    b = conjugated(b) if adjoint_b else b
    return matmul(a, b, transpose_a=adjoint_a, transpose_b=adjoint_b)


def columns(x: Any, start: int, stop: int) -> Any:
    """The columns from `start` to before `stop`."""
    rank, size = rank_of(x), shape_of(x)[-1]
    return x if stop - start == size else crop(x, paddings=(*((0, 0),) * (rank - 1), (start, size - stop)))


def check_matrix(name: str, x: Array, square: bool = True) -> None:
    """Raise unless the last two axes hold a matrix, a square one by default."""
    if x.ndim < 2:
        raise invalid(f"{name}: a matrix in the last two axes is needed, got a tensor of shape {x.shape}.")
    if square and x.shape[-1] != x.shape[-2]:
        raise invalid(f"{name}: the matrix must be square, got a tensor of shape {x.shape}.")


# --- einsum -------------------------------------------------------------------------------------------------


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
    return np.asarray(np.einsum(equation, *operands, optimize=len(operands) > 1))


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


@op(eager=_einsum, dtypes=NUMERIC, variadic=True, tf_name="Einsum")
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
    if kept != wanted:  # an axis that was summed away alone: its cotangent is the same all along it
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


# --- the cross product --------------------------------------------------------------------------------------


def _check_cross(a: Any, b: Any) -> None:
    if a.shape != b.shape or not a.ndim:
        raise invalid(f"cross: both operands need one shape, with at least one axis; got {a.shape} and {b.shape}.")
    if a.shape[-1] != 3:
        message = f"cross: the cross product is defined for vectors of 3 elements, got shape {a.shape}."
        raise FailedPreconditionError(None, None, message)


def _cross(a: Array, b: Array) -> Array:
    _check_cross(a, b)
    return np.cross(a, b)


@op(eager=_cross, dtypes=REAL)
def cross(xp: Namespace, a: Array, b: Array) -> Any:
    """The cross product of vectors of three elements in the last axis.

    >>> import gradtape as tf
    >>> tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).numpy()
    array([0., 0., 1.], dtype=float32)
    """
    return xp.cross(a, b)


@cross.shapes
def _(a: Abstract, b: Abstract) -> Shape:
    with contextlib.suppress(Undecided):
        _check_cross(a, b)
    return equal_shapes(a, b).known


@cross.vjp("a")
def _(g: Cotangent, b: Value) -> Any:
    return cross(b, g)


@cross.vjp("b")
def _(g: Cotangent, a: Value) -> Any:
    return cross(g, a)


cross.linear("a", "b")
cross.batched(batch_leading)


@cross.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [
        (3,),
        (2, 3),
        (1, 3),
        (3, 3),
        (0, 3),
        (2, 1, 3),
        (4, 3),
        (2, 2, 3),
        (5, 3),
        (1, 1, 3),
        (2, 0, 3),
        (6, 3),
    ]:
        yield Sample((draw(shape), draw(shape)))


@cross.value
def _(a: Array, b: Array) -> Any:
    rows = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(rows, axis=-1)


@cross.rejects
def _() -> Iterator[BadInput]:
    for a, b in [((3,), (2, 3)), ((2, 3), (3,)), ((1, 3), (2, 3)), ((), ()), ((3,), ()), ((0, 3), (1, 3))]:
        yield BadInput("the shapes must be equal", (np.ones(a, np.float32), np.ones(b, np.float32)))
    for size in (2, 4, 0, 1):
        x = np.ones(size, np.float32)
        yield BadInput("vectors have three elements", (x, x), {}, FailedPreconditionError)
    yield BadInput("types never mix", (np.ones(3, np.float32), np.ones(3, np.float64)))
