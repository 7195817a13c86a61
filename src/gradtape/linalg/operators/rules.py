"""The special cases of the algebra of operators, all in one place: `algebra.py` says how they are looked up."""

from __future__ import annotations

import functools
from typing import Any

from ... import math
from ..decompositions import cholesky
from .algebra import ADJOINTS, CHOLESKY_FACTORS, INVERSES, PRODUCTS, QUOTIENTS
from .blocks import LinearOperatorBlockDiag, LinearOperatorBlockLowerTriangular
from .circulant import Circulant
from .dense import LinearOperatorFullMatrix, LinearOperatorLowerTriangular
from .diag import LinearOperatorDiag
from .hints import both_non_singular, commuting_product, hints_of, product
from .identity import LinearOperatorIdentity, LinearOperatorScaledIdentity, LinearOperatorZeros
from .linear_operator import LinearOperator
from .products import LinearOperatorComposition, LinearOperatorKronecker, is_product_with_adjoint
from .reflections import LinearOperatorHouseholder
from .wrapped import LinearOperatorAdjoint, LinearOperatorInversion

Diag, Scaled, Identity = LinearOperatorDiag, LinearOperatorScaledIdentity, LinearOperatorIdentity
Triangular, BlockDiag, Kronecker = LinearOperatorLowerTriangular, LinearOperatorBlockDiag, LinearOperatorKronecker


def _circulant(like: Any, spectrum: Any, hints: dict[str, Any]) -> Any:
    return type(like)(spectrum, input_output_dtype=like.dtype, **hints)


def _of_each(cls: Any, operators: Any, method: str, hints: dict[str, Any]) -> Any:
    return cls([getattr(operator, method)() for operator in operators], **hints)


_FACTOR: dict[str, Any] = {"is_non_singular": True, "is_square": True}
_POSITIVE: dict[str, Any] = {
    "is_non_singular": True,
    "is_self_adjoint": True,
    "is_positive_definite": True,
    "is_square": True,
}

ADJOINTS.update(
    {
        (LinearOperator,): lambda a: LinearOperatorAdjoint(a, **hints_of(a)),
        (LinearOperatorAdjoint,): lambda a: a.operator,
        (Diag,): lambda a: Diag(math.conj(a.diag), **hints_of(a)),
        (Scaled,): lambda a: Scaled(a._num_rows, math.conj(a.multiplier), **hints_of(a)),
        (Circulant,): lambda a: _circulant(a, math.conj(a.spectrum), hints_of(a)),
        (BlockDiag,): lambda a: _of_each(BlockDiag, a.operators, "adjoint", hints_of(a)),
        (Kronecker,): lambda a: _of_each(Kronecker, a.operators, "adjoint", hints_of(a)),
    }
)


def _inverse_of_block_triangle(a: Any) -> Any:
    """By induction over the rows: the last row of the inverse is -D^-1 B A^-1, with A above and (B, D) the last row."""
    rows: list[list[Any]] = []
    for row in a.operators:
        last = row[-1].inverse()
        inverse = []
        for i in range(len(rows)):
            terms = [row[j].matmul(rows[j][i]).to_dense() for j in range(i, len(rows))]
            block = last.matmul(LinearOperatorFullMatrix(functools.reduce(lambda x, y: x + y, terms)))
            inverse.append(LinearOperatorFullMatrix(-block.to_dense()))
        rows.append([*inverse, last])
    return LinearOperatorBlockLowerTriangular(rows, **hints_of(a))


INVERSES.update(
    {
        (LinearOperator,): lambda a: LinearOperatorInversion(a, **hints_of(a)),
        (LinearOperatorInversion,): lambda a: a.operator,
        (Identity,): lambda a: a,
        (LinearOperatorHouseholder,): lambda a: a,
        (Diag,): lambda a: Diag(1.0 / a.diag, **hints_of(a)),
        (Scaled,): lambda a: Scaled(a._num_rows, 1.0 / a.multiplier, **hints_of(a)),
        (Circulant,): lambda a: _circulant(a, 1.0 / a.spectrum, hints_of(a)),
        (BlockDiag,): lambda a: _of_each(BlockDiag, a.operators, "inverse", hints_of(a)),
        (Kronecker,): lambda a: _of_each(Kronecker, a.operators, "inverse", hints_of(a)),
        (LinearOperatorBlockLowerTriangular,): _inverse_of_block_triangle,
    }
)


def _dense_cholesky(a: Any) -> Any:
    return Triangular(cholesky(a.to_dense()), is_self_adjoint=False, **_FACTOR)


def _cholesky_of_product(a: Any) -> Any:
    """L L^H is such a product already, up to the signs of the diagonal of L."""
    left = a.operators[0]
    if len(a.operators) != 2 or not is_product_with_adjoint(a.operators) or not isinstance(left, Triangular):
        return _dense_cholesky(a)
    if left.is_positive_definite:
        return left
    signs = math.sign(left.diag_part())[..., None, :]
    return Triangular(left.tril / signs, **{**hints_of(left), "is_positive_definite": None})


CHOLESKY_FACTORS.update(
    {
        (LinearOperator,): _dense_cholesky,
        (LinearOperatorComposition,): _cholesky_of_product,
        (Identity,): lambda a: a,
        (Diag,): lambda a: Diag(math.sqrt(a.diag), **_POSITIVE),
        (Scaled,): lambda a: Scaled(a._num_rows, math.sqrt(a.multiplier), **_POSITIVE),
        (BlockDiag,): lambda a: _of_each(BlockDiag, a.operators, "cholesky", _FACTOR),
        (Kronecker,): lambda a: _of_each(Kronecker, a.operators, "cholesky", _FACTOR),
    }
)


def _triangle(left: Any, right: Any, tril: Any) -> Any:
    return Triangular(tril, **{**commuting_product(left, right), "is_positive_definite": None})


def _circulants(left: Any, right: Any, compute: Any, otherwise: Any) -> Any:
    if type(left) is not type(right):
        return otherwise(left, right)
    return _circulant(left, compute(left.spectrum, right.spectrum), commuting_product(left, right))


def _by_blocks(left: Any, right: Any, method: str) -> Any:
    blocks = [getattr(a, method)(b) for a, b in zip(left.operators, right.operators, strict=True)]
    return BlockDiag(blocks, is_non_singular=both_non_singular(left, right), is_square=True)


def _zeros(zeros: Any, left: Any, right: Any) -> Any:
    if not left.is_square or not right.is_square:
        raise ValueError(
            "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not supported at this time."
        )
    return zeros


def _composed(left: object, right: object) -> Any:
    return LinearOperatorComposition([left, right], **product(left, right))


PRODUCTS.update(
    {
        (Identity, LinearOperator): lambda a, b: b,
        (LinearOperatorZeros, LinearOperator): lambda a, b: _zeros(a, a, b),
        (Scaled, Scaled): lambda a, b: Scaled(a._num_rows, a.multiplier * b.multiplier, **commuting_product(a, b)),
        (Scaled, Diag): lambda a, b: Diag(a.multiplier[..., None] * b.diag, **commuting_product(a, b)),
        (Diag, Scaled): lambda a, b: Diag(a.diag * b.multiplier[..., None], **commuting_product(a, b)),
        (Diag, Diag): lambda a, b: Diag(a.diag * b.diag, **commuting_product(a, b)),
        (Diag, Triangular): lambda a, b: _triangle(a, b, a.diag[..., None] * b.to_dense()),
        (Triangular, Diag): lambda a, b: _triangle(a, b, a.to_dense() * b.diag[..., None, :]),
        (Circulant, Circulant): lambda a, b: _circulants(a, b, lambda x, y: x * y, _composed),
        (BlockDiag, BlockDiag): lambda a, b: _by_blocks(a, b, "matmul"),
        (LinearOperator, Identity): lambda a, b: a,
        (LinearOperator, LinearOperatorZeros): lambda a, b: _zeros(b, a, b),
        (LinearOperator, LinearOperator): _composed,
    }
)


def _inverse_composed(left: Any, right: Any) -> Any:
    return LinearOperatorComposition([LinearOperatorInversion(left), right], **product(left, right))


QUOTIENTS.update(
    {
        (Identity, LinearOperator): lambda a, b: b,
        (LinearOperatorInversion, LinearOperator): lambda a, b: a.operator.matmul(b),
        (Scaled, Scaled): lambda a, b: Scaled(a._num_rows, b.multiplier / a.multiplier, **commuting_product(a, b)),
        (Scaled, Diag): lambda a, b: Diag(b.diag / a.multiplier[..., None], **commuting_product(a, b)),
        (Diag, Scaled): lambda a, b: Diag(b.multiplier[..., None] / a.diag, **commuting_product(a, b)),
        (Diag, Diag): lambda a, b: Diag(b.diag / a.diag, **commuting_product(a, b)),
        (Diag, Triangular): lambda a, b: _triangle(a, b, b.to_dense() / a.diag[..., None]),
        (Circulant, Circulant): lambda a, b: _circulants(a, b, lambda x, y: y / x, _inverse_composed),
        (BlockDiag, BlockDiag): lambda a, b: _by_blocks(a, b, "solve"),
        (LinearOperator, Identity): lambda a, b: a.inverse(),
        (LinearOperator, LinearOperator): _inverse_composed,
    }
)
