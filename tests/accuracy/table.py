"""All that is measured, and what is not."""

from __future__ import annotations

from .bessel_gamma import BESSEL, GAMMA
from .elementwise import ACTIVATIONS, ARITHMETIC, ELEMENTARY
from .integrals import INTEGRALS
from .reductions import EXPONENTIALS, NORMS, SUMS, RowReference
from .reference import Reference
from .slopes import SLOPES

ELEMENTWISE: dict[str, Reference] = {
    **ARITHMETIC, **ELEMENTARY, **ACTIVATIONS, **INTEGRALS, **BESSEL, **GAMMA, **SLOPES
}  # fmt: skip
REDUCTIONS: dict[str, RowReference] = {**SUMS, **NORMS, **EXPONENTIALS}

_TRUTH = "gives truth values"
_BITS = "gives bits of its argument, or a number next to it"
_GRID = "rounds to a grid of its own"
NOT_MEASURED = {
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), _TRUTH),
    **dict.fromkeys(("is_nan", "is_inf", "is_finite", "isclose", "approximate_equal", "signbit"), _TRUTH),
    **dict.fromkeys(("isneginf", "isposinf", "isreal", "iscomplex"), _TRUTH),
    **dict.fromkeys(
        ("zeros_like", "ones_like", "select", "bucketize", "lay_out"), "gives a constant, or one of its arguments"
    ),
    **dict.fromkeys(("nextafter", "spacing", "ldexp", "make_complex"), _BITS),
    **dict.fromkeys(("quantize_and_dequantize", "fake_quant"), _GRID),
    "gamma_sample": "is a random number",
    "as_string": "gives text",
}
