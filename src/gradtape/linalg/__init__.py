"""`tf.linalg`: products, diagonals, systems, decompositions and norms of matrices in the last two axes.

Everything works on stacks of matrices: the axes before the last two are independent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..api.arrays import eye
from ..api.clip import global_norm
from ..base.absent import missing
from ..base.namespaces import import_late, listing
from ..math import l2_normalize
from .contractions import einsum, tensordot
from .decompositions import (
    cholesky,
    det,
    eig,
    eigh,
    eigh_tridiagonal,
    eigvals,
    eigvalsh,
    expm,
    logdet,
    logm,
    lu,
    matrix_rank,
    qr,
    self_adjoint_eig,
    self_adjoint_eigvals,
    slogdet,
    sqrtm,
    svd,
)
from .diagonals import band_part, diag, diag_part, set_diag, tensor_diag, tensor_diag_part, trace
from .norms import norm, normalize
from .products import adjoint, cross, matmul, matrix_transpose, matvec
from .systems import (
    banded_triangular_solve,
    cholesky_solve,
    inv,
    lstsq,
    lu_matrix_inverse,
    lu_reconstruct,
    lu_solve,
    pinv,
    solve,
    triangular_solve,
    tridiagonal_matmul,
    tridiagonal_solve,
)

__all__ = [
    "LinearOperator",
    "LinearOperatorAdjoint",
    "LinearOperatorBlockDiag",
    "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant",
    "LinearOperatorCirculant2D",
    "LinearOperatorCirculant3D",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder",
    "LinearOperatorIdentity",
    "LinearOperatorInversion",
    "LinearOperatorKronecker",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular",
    "LinearOperatorPermutation",
    "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz",
    "LinearOperatorTridiag",
    "LinearOperatorZeros",
    "adjoint",
    "band_part",
    "banded_triangular_solve",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eig",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "logm",
    "lstsq",
    "lu",
    "lu_matrix_inverse",
    "lu_reconstruct",
    "lu_solve",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "self_adjoint_eig",
    "self_adjoint_eigvals",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]


if TYPE_CHECKING:  # what is imported on first use
    from .operators import LinearOperator as LinearOperator
    from .operators import LinearOperatorAdjoint as LinearOperatorAdjoint
    from .operators import LinearOperatorBlockDiag as LinearOperatorBlockDiag
    from .operators import LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular
    from .operators import LinearOperatorCirculant as LinearOperatorCirculant
    from .operators import LinearOperatorCirculant2D as LinearOperatorCirculant2D
    from .operators import LinearOperatorCirculant3D as LinearOperatorCirculant3D
    from .operators import LinearOperatorComposition as LinearOperatorComposition
    from .operators import LinearOperatorDiag as LinearOperatorDiag
    from .operators import LinearOperatorFullMatrix as LinearOperatorFullMatrix
    from .operators import LinearOperatorHouseholder as LinearOperatorHouseholder
    from .operators import LinearOperatorIdentity as LinearOperatorIdentity
    from .operators import LinearOperatorInversion as LinearOperatorInversion
    from .operators import LinearOperatorKronecker as LinearOperatorKronecker
    from .operators import LinearOperatorLowerTriangular as LinearOperatorLowerTriangular
    from .operators import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
    from .operators import LinearOperatorPermutation as LinearOperatorPermutation
    from .operators import LinearOperatorScaledIdentity as LinearOperatorScaledIdentity
    from .operators import LinearOperatorToeplitz as LinearOperatorToeplitz
    from .operators import LinearOperatorTridiag as LinearOperatorTridiag
    from .operators import LinearOperatorZeros as LinearOperatorZeros
else:

    def __getattr__(name: str) -> Any:
        if name.startswith("LinearOperator") and name in __all__:
            return getattr(import_late("gradtape.linalg.operators"), name)
        raise missing(__name__, name)


__dir__ = listing(globals())
