"""`tf.dtypes`: the element types, and what changes them."""

from .api.casts import saturate_cast
from .base.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool,
    complex64,
    complex128,
    double,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from .base.namespaces import listing, namespace
from .math import cast, complex


@namespace("gradtape.dtypes.experimental")
class experimental:
    """`tf.dtypes.experimental`: types that numbers can be stored in, not computed in."""

    float8_e4m3fn = float8_e4m3fn
    float8_e5m2 = float8_e5m2


__all__ = [
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "cast",
    "complex",
    "complex128",
    "complex64",
    "double",
    "experimental",
    "float16",
    "float32",
    "float64",
    "half",
    "int16",
    "int32",
    "int64",
    "int8",
    "qint16",
    "qint32",
    "qint8",
    "quint16",
    "quint8",
    "resource",
    "saturate_cast",
    "string",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "variant",
]

__dir__ = listing(globals())
