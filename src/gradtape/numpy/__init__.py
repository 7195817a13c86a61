"""`gradtape.numpy`: NumPy's functions under NumPy's names and with its types, on tensors that tapes follow.

What `tf.experimental.numpy` is to TensorFlow, and the same module here. Where `tf.add` refuses operands of
two types, `gradtape.numpy.add` promotes them as NumPy does, and values without a type get NumPy's
(float64, int64):

>>> import gradtape as tf
>>> import gradtape.numpy as tnp
>>> x = tf.constant([1.0, 2.0])
>>> with tf.GradientTape() as tape:
...     tape.watch(x)
...     y = tnp.sum(tnp.multiply(tnp.sqrt(x), [2.0, 4.0]))
>>> y.dtype, tape.gradient(y, x).numpy()
(tf.float64, array([1.       , 1.4142135], dtype=float32))

Functions that have truth values or integers as results have no derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.absent import missing
from ..base.namespaces import listing
from ..values.tensor import Tensor
from . import (
    creation,
    elementwise,
    joining,
    manipulation,
    products,
    promotion,
    reductions,
    selection,
    series,
    statistics,
)
from . import fft as fft
from . import linalg as linalg
from . import random as random
from .behavior import experimental_enable_numpy_behavior as experimental_enable_numpy_behavior

ndarray = Tensor
newaxis = None
pi, e, euler_gamma, inf, nan = np.pi, np.e, np.euler_gamma, np.inf, np.nan

bool_, object_, string_, unicode_, inexact = np.bool_, np.object_, np.bytes_, np.str_, np.inexact
int8, int16, int32, int64, int_ = np.int8, np.int16, np.int32, np.int64, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float16, float32, float64, float_ = np.float16, np.float32, np.float64, np.float64
complex64, complex128, complex_ = np.complex64, np.complex128, np.complex128
finfo, iinfo, issubdtype = np.finfo, np.iinfo, np.issubdtype

_PUBLIC = {
    promotion: "asarray promote_types result_type",
    creation: """
        array asanyarray ascontiguousarray copy full zeros ones empty full_like zeros_like ones_like
        empty_like eye identity arange linspace logspace geomspace meshgrid diag diagflat diagonal
        diag_indices tri tril triu vander ix_ shape ndim size
    """,
    elementwise: """
        real imag angle sinc fix round clip nan_to_num isclose allclose array_equal iscomplexobj isrealobj isscalar
    """,
    reductions: "var std nanvar nanstd nancumsum cumulative_sum cumulative_prod nanargmax nanargmin count_nonzero ptp nonzero",
    statistics: "median quantile percentile cov corrcoef average",
    series: "diff gradient ediff1d polyval unwrap interp convolve correlate trapezoid",
    manipulation: """
        reshape ravel flatten transpose swapaxes moveaxis matrix_transpose expand_dims squeeze broadcast_to
        broadcast_arrays atleast_1d atleast_2d atleast_3d rollaxis astype tile repeat roll flip flipud fliplr rot90
        pad
    """,
    joining: """
        concatenate stack vstack hstack dstack column_stack append block unstack delete insert array_split split
        vsplit hsplit dsplit
    """,
    selection: """
        take take_along_axis where select compress sort argsort argpartition partition lexsort isin histogram digitize
        packbits unpackbits
    """,
    products: "matmul dot vdot inner outer tensordot einsum kron vecdot cross trace",
}
_NAMES: dict[str, Any] = {**elementwise.FUNCTIONS, **elementwise.VALUED, **reductions.REDUCTIONS}
_NAMES["around"] = elementwise.round
for _module, _names in _PUBLIC.items():
    _NAMES |= {name: getattr(_module, name) for name in _names.split()}
globals().update(_NAMES)

__all__ = [
    *sorted(_NAMES),
    *("fft", "linalg", "random", "ndarray", "newaxis", "pi", "e", "euler_gamma", "inf", "nan"),
    *("bool_", "object_", "string_", "unicode_", "inexact", "int8", "int16", "int32", "int64", "int_"),
    *("uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "float_"),
    *(
        "complex64",
        "complex128",
        "complex_",
        "finfo",
        "iinfo",
        "issubdtype",
        "experimental_enable_numpy_behavior",
    ),
]


def __getattr__(name: str) -> Any:
    if not hasattr(np, name):
        raise missing(__name__, name)
    raise AttributeError(
        f"module 'gradtape.numpy' has no attribute {name!r}: NumPy's own works on x.numpy(), off the tape."
    )


__dir__ = listing(globals())
