"""`tf.linalg.LinearOperatorTridiag`."""

from __future__ import annotations

from typing import Any

from ... import debugging, math
from ...api.arrays import broadcast_to, convert_to_tensor
from ...api.layout import roll, stack
from ...base.types import TensorLike
from ...values.tensor import Tensor
from ..diagonals import diag, diag_part
from ..products import adjoint as adjoint_of
from ..systems import tridiagonal_matmul, tridiagonal_solve
from .dense import assert_real
from .linear_operator import LinearOperator, arguments, parameter
from .sizes import COMPUTED, KNOWN, Sizes, best, joined

_FORMATS = ("compact", "matrix", "sequence")


class LinearOperatorTridiag(LinearOperator):
    """A matrix with three diagonals.

    >>> import gradtape as tf
    >>> above, middle, below = [1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 3.0, 3.0]
    >>> tf.linalg.LinearOperatorTridiag([above, middle, below]).to_dense().numpy()
    array([[2., 1., 0.],
           [3., 2., 1.],
           [0., 3., 2.]], dtype=float32)

    Args:
        diagonals: The diagonals, the highest first. The last element of the first and the first element of the last one
            do not count.
        diagonals_format: "compact" for diagonals that are the rows of one tensor, "sequence" for three tensors,
            "matrix" for the matrix itself.
        is_non_singular: Whether it is promised to have an inverse. Promises may be None, for nothing is known.
        is_self_adjoint: Whether it is promised to equal its conjugate transpose.
        is_positive_definite: Whether x^H A x is promised to have a positive real part for all x that are not 0.
        is_square: Whether it is promised to be square.
        name: A name for the operator.

    Raises:
        ValueError: The promises contradict each other, or the shape.
    """

    _field_names = ("diagonals", "diagonals_format")

    def __init__(
        self,
        diagonals: TensorLike,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        parameters = arguments(locals())
        if diagonals_format not in _FORMATS:
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. "
                f"Received : {diagonals_format}."
            )
        self._diagonals_format = diagonals_format
        given: Any = diagonals
        self._diagonals: Any = [parameter(d) for d in given] if diagonals_format == "sequence" else parameter(given)
        first: Any = self._diagonals[0] if diagonals_format == "sequence" else self._diagonals
        super().__init__(
            first.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name, parameters
        )

    @property
    def diagonals(self) -> Any:
        """The diagonals, as they were given."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """How they were given."""
        return self._diagonals_format

    @property
    def _matrix_axes(self) -> dict[str, int]:  # type: ignore[override]
        return {"diagonals": 1 if self._diagonals_format == "sequence" else 2}

    def _sizes(self, sizes: Sizes) -> Any:
        if self._diagonals_format == "matrix":
            return sizes.of(self._diagonals)
        if self._diagonals_format == "compact":
            shape = sizes.of(self._diagonals)
            return sizes.join(shape[:-2], shape[-1:], shape[-1:])
        shapes = [sizes.of(diagonal) for diagonal in self._diagonals]
        return sizes.join(sizes.broadcast(*(shape[:-1] for shape in shapes)), shapes[1][-1:], shapes[1][-1:])

    def _compact(self, adjoint: bool = False) -> Any:
        """The three diagonals as rows of one tensor; of the adjoint they change places and move by one."""
        if self._diagonals_format == "matrix":
            matrix = adjoint_of(self._diagonals) if adjoint else self._diagonals
            return diag_part(matrix, k=(-1, 1), align="LEFT_RIGHT")
        if self._diagonals_format == "compact":
            rows = [self._diagonals[..., k, :] for k in range(3)]
        else:
            known = KNOWN.broadcast(*(row.shape for row in self._diagonals))
            common = known if known.is_fully_defined() else COMPUTED.broadcast(*map(COMPUTED.of, self._diagonals))
            rows = [broadcast_to(row, common) for row in self._diagonals]
        if adjoint:
            above, middle, below = (math.conj(row) for row in rows)
            rows = [roll(below, shift=-1, axis=-1), middle, roll(above, shift=1, axis=-1)]
        return stack(rows, axis=-2)

    def _assert_self_adjoint(self) -> Any:
        rows = self._compact()
        assert_real(rows[..., 1, :], "This tridiagonal operator contained non-zero imaginary values on the diagonal.")
        return debugging.assert_equal(
            math.conj(rows[..., 2, 1:]),
            rows[..., 0, :-1],
            message="This tridiagonal operator has non-conjugate subdiagonal and superdiagonal.",
        )

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        diagonals, x = self._for_batches(adjoint, adjoint_of(x) if adjoint_arg else x)
        return tridiagonal_matmul(diagonals, x, diagonals_format="compact")

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        diagonals, rhs = self._for_batches(adjoint, adjoint_of(rhs) if adjoint_arg else rhs)
        return tridiagonal_solve(diagonals, rhs, diagonals_format="compact")

    def _for_batches(self, adjoint: bool, x: Any) -> tuple[Any, Any]:
        """The diagonals and a matrix with the same leading axes."""
        diagonals = self._compact(adjoint)
        known = KNOWN.broadcast(diagonals.shape[:-2], x.shape[:-2])
        common = known
        if not known.is_fully_defined():
            common = COMPUTED.broadcast(COMPUTED.of(diagonals)[:-2], COMPUTED.of(x)[:-2])
        diagonals, x = (broadcast_to(value, joined(common, best(value)[-2:])) for value in (diagonals, x))
        return diagonals, x

    def _diag_part(self) -> Any:
        return diag_part(self._diagonals) if self._diagonals_format == "matrix" else self._compact()[..., 1, :]

    def _to_dense(self) -> Any:
        if self._diagonals_format == "matrix":
            return convert_to_tensor(self._diagonals)
        return diag(self._compact(), k=(-1, 1), align="LEFT_RIGHT")
