"""The entries of ops that are public functions as they are: `from .ops.public import tanh as tanh` names one in a namespace.

Type checkers and editors see public.pyi, which `python -m tests.checkers.stubs` writes from the declarations.
"""

from __future__ import annotations

import importlib

from ..op.declaration import REGISTRY, Entry

# The files of ops, each with those of its ops that are named.
_NAMES = {
    "array.layout": "broadcast_to reshape",
    "array.scatter": "tensor_scatter_nd_update",
    "array.search": "unravel_index",
    "array.segment": "segment_max segment_mean segment_min segment_prod segment_sum",
    "array.sort": "invert_permutation",
    "image.colour": "hsv_to_rgb rgb_to_hsv",
    "linalg.decompositions": "cholesky",
    "linalg.matrix_functions": "det logm sqrtm",
    "linalg.products": "cross",
    "linalg.solve": "inv solve triangular_solve",
    "linalg.spectral": "eigvals eigvalsh",
    "math.bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
    "math.complex_numbers": "conj real",
    "math.conversion": "identity stop_gradient",
    "math.cumulative": "cumprod cumsum",
    "math.elementwise": """
        abs add ceil divide exp expm1 floor floordiv floormod log log1p multiply multiply_no_nan negative pow
        reciprocal rint round rsqrt sigmoid sign softplus sqrt square squared_difference subtract
    """,
    "math.gamma": "betainc digamma igamma igammac lgamma polygamma zeta",
    "math.logic": """
        equal greater greater_equal is_finite is_inf is_nan less less_equal logical_and logical_not logical_or
        logical_xor maximum minimum not_equal
    """,
    "math.reduce": """
        reduce_all reduce_any reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod
        reduce_sum
    """,
    "math.rounding": "nextafter truncatediv truncatemod",
    "math.special": """
        dawsn erf erfc erfcinv erfinv expint fresnel_cos fresnel_sin ndtri spence xdivy xlog1py xlogy
    """,
    "math.trigonometric": "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh",
    "math.ufuncs": "log_sigmoid",
    "nn.activations": "elu relu relu6 selu softsign",
    "nn.sequence": "gru_step lstm_step",
    "text.strings": "as_string string_strip",
}
HOMES = {name: file for file, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Entry:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: name the op in its table.", name=name)
    # Asked even where the op is there: another thread may be importing the file, and the op has no rules yet.
    importlib.import_module(f"{__package__}.{HOMES[name]}")
    return REGISTRY[name].public
