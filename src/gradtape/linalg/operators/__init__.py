"""Linear operators: matrices that are known by their structure. See docs/design/linear-operators.md."""

from __future__ import annotations

from . import functions as functions
from . import rules as rules
from .blocks import LinearOperatorBlockDiag, LinearOperatorBlockLowerTriangular
from .circulant import (
    LinearOperatorCirculant,
    LinearOperatorCirculant2D,
    LinearOperatorCirculant3D,
    LinearOperatorToeplitz,
)
from .composite import declare_operator
from .dense import LinearOperatorFullMatrix, LinearOperatorLowerTriangular
from .diag import LinearOperatorDiag
from .identity import LinearOperatorIdentity, LinearOperatorScaledIdentity, LinearOperatorZeros
from .linear_operator import LinearOperator
from .low_rank import LinearOperatorLowRankUpdate
from .products import LinearOperatorComposition, LinearOperatorKronecker
from .reflections import LinearOperatorHouseholder, LinearOperatorPermutation
from .tridiag import LinearOperatorTridiag
from .wrapped import LinearOperatorAdjoint, LinearOperatorInversion

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
]

for _name in __all__[1:]:
    declare_operator(globals()[_name])
