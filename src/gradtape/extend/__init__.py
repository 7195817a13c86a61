"""What a package outside gradtape needs to declare an op of its own, and to test it as gradtape tests its ops.

    from gradtape import extend

    @extend.elementwise
    def half_square(xp, x):
        "Half of the square of x."
        return 0.5 * x * x

    @half_square.derivative("x")
    def _(t, x):
        return t * x

    extend.sample_unary(half_square)
    extend.check(half_square)

    half_square.public(tf.constant(3.0))  # 4.5

The guide is docs/guide/extending.md, the example package is examples/extension/. What is not listed here is internal and may
change in any release.
"""

from ..base.errors import OpCheckError, OpDeclarationError
from ..base.namespaces import listing
from ..op.declaration import BadInput, Sample
from ..op.family import batch_leading, batch_over_axis, sample_binary, sample_unary
from .declaring import elementwise, op
from .suite import check, checks_of

__all__ = [
    "BadInput",
    "OpCheckError",
    "OpDeclarationError",
    "Sample",
    "batch_leading",
    "batch_over_axis",
    "check",
    "checks_of",
    "elementwise",
    "op",
    "sample_binary",
    "sample_unary",
]

__dir__ = listing(globals())
