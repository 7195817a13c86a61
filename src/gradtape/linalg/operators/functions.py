"""Functions of `tf.linalg` that take an operator in place of a matrix: `tf.linalg.solve(operator, x)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.dispatch import OVERRIDES, Override
from ...ops.linalg import products
from ..decompositions import cholesky, det, logdet
from ..diagonals import diag_part, trace
from ..products import adjoint, matmul
from ..systems import inv, solve
from .linear_operator import LinearOperator


def _is_operator(value: object) -> bool:
    return isinstance(value, LinearOperator)


def _for_operators(function: Any, *names: str) -> Callable[[Any], Any]:
    """Let a function take an operator as the argument of one of these names."""

    def register(target: Any) -> Any:
        OVERRIDES.setdefault(function, []).append(Override(target, {names[0]: _is_operator}))
        for name in names[1:]:
            accepts = {names[0]: lambda value: not _is_operator(value), name: _is_operator}
            OVERRIDES[function].append(Override(target, accepts))
        return target

    return register


@_for_operators(adjoint, "matrix")
def _adjoint(matrix: Any, name: str | None = None) -> Any:
    return matrix.adjoint()


@_for_operators(cholesky, "input")
def _cholesky(input: Any, name: str | None = None) -> Any:
    return input.cholesky()


@_for_operators(diag_part, "input")
def _diag_part(input: Any, name: str = "diag_part", **settings: Any) -> Any:
    return input.diag_part()


@_for_operators(det, "input")
def _det(input: Any, name: str | None = None) -> Any:
    return input.determinant()


@_for_operators(inv, "input")
def _inv(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    inverse = input.inverse()
    return inverse.adjoint() if adjoint else inverse


@_for_operators(logdet, "matrix")
def _logdet(matrix: Any, name: str | None = None) -> Any:
    if not (matrix.is_positive_definite and matrix.is_self_adjoint):
        raise ValueError("Expected matrix to be self-adjoint positive definite.")
    return matrix.log_abs_determinant()


@_for_operators(trace, "x")
def _trace(x: Any, name: str | None = None) -> Any:
    return x.trace()


@_for_operators(solve, "matrix", "rhs")
def _solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    if not _is_operator(matrix):
        raise ValueError("Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported.")
    return matrix.solve(rhs, adjoint=adjoint)


@_for_operators(products.matmul.public, "a", "b")  # what `@` calls
@_for_operators(matmul, "a", "b")
def _matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if _is_operator(a):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    return adjoint(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))  # A B = (B^H A^H)^H
