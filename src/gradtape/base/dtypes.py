"""Element types: one `DType` object for each type that a tensor can have.

A `DType` wraps a NumPy dtype (bfloat16 and the 8-bit floats come from ml_dtypes) and compares equal to
everything that names the same type: `tf.float32 == np.float32 == "float32"`.
"""

from __future__ import annotations

import builtins
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .errors import NotADTypeError, OperandTypeError

Array = NDArray[Any]

_SMALL_FLOATS = (ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn)


class DType:
    """The type of a tensor's elements, such as `tf.float32`. There is one object for each type; nobody makes others.

    >>> import gradtape as tf
    >>> tf.float32.name, tf.float32.is_floating, tf.float32.size, tf.int8.max
    ('float32', True, 4, 127)
    >>> tf.constant(1.0).dtype == "float32"
    True

    Args:
        name: TensorFlow's name of the type.
        numpy_type: The type of NumPy's that holds the elements.
        enum: TensorFlow's number of the type.
    """

    __slots__ = (
        *("_enum", "as_numpy_dtype", "name", "numpy"),
        *("is_bool", "is_complex", "is_differentiable", "is_floating", "is_integer", "is_narrow", "is_numeric"),
        "is_unsigned",
    )

    def __init__(self, name: str, numpy_type: Any, enum: int) -> None:
        self.name = name
        self.as_numpy_dtype = numpy_type
        self.numpy: np.dtype[Any] = np.dtype(numpy_type)
        self._enum = enum
        kind = self.numpy.kind
        self.is_floating = kind == "f" or numpy_type in _SMALL_FLOATS
        self.is_narrow = self.is_floating and self.numpy.itemsize < 4  # float16 and bfloat16
        self.is_complex = kind == "c"
        self.is_integer = kind in "iu"
        self.is_unsigned = kind == "u"
        self.is_bool = kind == "b"
        self.is_differentiable = self.is_floating or self.is_complex
        self.is_numeric = self.is_differentiable or self.is_integer  # all but bool and string

    @property
    def is_quantized(self) -> builtins.bool:
        """Whether it is one of the quantized types, such as `tf.qint8`: they are stored, and no op computes with them."""
        return self.name.startswith(("qint", "quint"))

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """Whether NumPy has this type (ml_dtypes adds the small floats)."""
        return True

    @property
    def size(self) -> int:
        """Bytes of one element; 0 for strings, whose length is their own."""
        return 0 if self.numpy.kind == "O" else self.numpy.itemsize

    @property
    def type(self) -> builtins.type:
        """The class of one number, by the name that NumPy's types have for it: SciPy asks a function's result."""
        return self.as_numpy_dtype

    @property
    def base_dtype(self) -> DType:
        """This type (TensorFlow's reference types do not exist here)."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of the real part."""
        return {complex64: float32, complex128: float64}.get(self, self)

    @property
    def as_datatype_enum(self) -> int:
        """TensorFlow's number for this type."""
        return self._enum

    @property
    def min(self) -> Any:
        """The smallest finite value."""
        return self._limits()[0]

    @property
    def max(self) -> Any:
        """The largest finite value."""
        return self._limits()[1]

    @property
    def limits(self) -> tuple[Any, Any]:
        """`(min, max)`, with 0 and 1 for floats as TensorFlow has it."""
        return (0, 1) if self.is_floating else self._limits()

    def _limits(self) -> tuple[Any, Any]:
        if self.is_bool:
            return False, True
        if self.is_integer:
            info = np.iinfo(self.numpy)
            return info.min, info.max
        if self.is_floating:
            finfo = ml_dtypes.finfo(self.numpy)  # type: ignore[no-untyped-call]
            return finfo.min, finfo.max
        raise TypeError(f"tf.{self.name} has no smallest and largest value.")

    def is_compatible_with(self, other: object) -> builtins.bool:
        """Whether a value of another type can stand where this type is expected: whether both are the same.

        >>> tf.float32.is_compatible_with("float32"), tf.float32.is_compatible_with(tf.float64)
        (True, False)

        Args:
            other: A type, or what names one.

        Returns:
            True or False.
        """
        return self == as_dtype(other)

    def __eq__(self, other: object) -> builtins.bool:
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other: object) -> builtins.bool:
        return not self == other

    def __hash__(self) -> int:
        return self._enum

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


float32 = DType("float32", np.float32, 1)
float64 = DType("float64", np.float64, 2)
int32 = DType("int32", np.int32, 3)
uint8 = DType("uint8", np.uint8, 4)
int16 = DType("int16", np.int16, 5)
int8 = DType("int8", np.int8, 6)
string = DType("string", object, 7)
complex64 = DType("complex64", np.complex64, 8)
int64 = DType("int64", np.int64, 9)
bool = DType("bool", np.bool_, 10)
bfloat16 = DType("bfloat16", ml_dtypes.bfloat16, 14)
uint16 = DType("uint16", np.uint16, 17)
complex128 = DType("complex128", np.complex128, 18)
float16 = DType("float16", np.float16, 19)
uint32 = DType("uint32", np.uint32, 22)
uint64 = DType("uint64", np.uint64, 23)
float8_e5m2 = DType("float8_e5m2", ml_dtypes.float8_e5m2, 24)
float8_e4m3fn = DType("float8_e4m3fn", ml_dtypes.float8_e4m3fn, 25)
half = float16
double = float64
# Handles and boxed values of TensorFlow's own machinery: names that programs compare with; no tensor has these types.
resource = DType("resource", object, 20)
variant = DType("variant", object, 21)
# Quantized numbers: tensors of them can be made and compared by type; no op computes with them.
qint8 = DType("qint8", np.dtype([("qint8", np.int8)]), 11)
quint8 = DType("quint8", np.dtype([("quint8", np.uint8)]), 12)
qint32 = DType("qint32", np.dtype([("qint32", np.int32)]), 13)
qint16 = DType("qint16", np.dtype([("qint16", np.int16)]), 15)
quint16 = DType("quint16", np.dtype([("quint16", np.uint16)]), 16)
QUANTIZED = (qint8, quint8, qint32, qint16, quint16)

ALL = (
    float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool, bfloat16, uint16, complex128,
    float16, uint32, uint64,
)  # fmt: skip
STORED = (float8_e5m2, float8_e4m3fn)  # to keep values in: they are cast, moved and compared, not computed with

FLOATING = frozenset(t.numpy for t in ALL if t.is_floating)
COMPLEX = frozenset({complex64.numpy, complex128.numpy})
INEXACT = FLOATING | COMPLEX  # what a tape can differentiate
INTEGER = frozenset(t.numpy for t in ALL if t.is_integer)
NUMERIC = INEXACT | INTEGER
BOOL = frozenset({bool.numpy})
REAL = FLOATING | INTEGER
STRING = frozenset({string.numpy})
ANY = frozenset(t.numpy for t in (*ALL, *STORED))
INDEX = frozenset({int32.numpy, int64.numpy})

# What NumPy stores in fewer than 32 bits computes in float32 inside, as TensorFlow does.
NARROW_FLOATS = frozenset({float16.numpy, bfloat16.numpy})

_KNOWN = (*ALL, *STORED)
BY_NUMPY: dict[np.dtype[Any], DType] = {t.numpy: t for t in (*_KNOWN, *QUANTIZED)}
BY_NUMBER: dict[int, DType] = {t.numpy.num: t for t in _KNOWN}  # by NumPy's number: hashing a np.dtype costs 150 ns
BY_NUMBER |= {
    np.dtype("q").num: int64,
    np.dtype("Q").num: uint64,
}  # C's other name for 64 bits: np.asarray(2**63) has it
_BY_NAME = {t.name: t for t in (*_KNOWN, resource, variant, *QUANTIZED)} | {
    "half": float16,
    "double": float64,
    "float": float32,
}
_BY_PYTHON: dict[object, DType] = {
    float: float32,
    int: int32,
    builtins.bool: bool,
    complex: complex128,
    str: string,
    bytes: string,
    object: string,
}
_BY_ENUM = {t.as_datatype_enum: t for t in (*_KNOWN, resource, variant, *QUANTIZED)}


def as_dtype(type_value: object) -> DType:
    """The `DType` that `type_value` names: a DType, a NumPy dtype or scalar type, a Python type, a name or TensorFlow's number.

    >>> import gradtape as tf
    >>> tf.as_dtype("float32"), tf.as_dtype(np.int64), tf.as_dtype(float)
    (tf.float32, tf.int64, tf.float32)

    Args:
        type_value: What names a type.

    Returns:
        A `tf.DType`.

    Raises:
        TypeError: There is no such type.
    """
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, str):  # by name alone, as in TensorFlow: NumPy's codes, such as "f4" and "a", are none
        found = _BY_NAME.get(type_value)
        if found is not None:
            return found
    elif isinstance(type_value, type) and type_value in _BY_PYTHON:
        return _BY_PYTHON[type_value]
    elif isinstance(type_value, int) and type_value in _BY_ENUM:
        return _BY_ENUM[type_value]
    try:
        numpy_type = None if isinstance(type_value, str) else np.dtype(type_value)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        numpy_type = None
    if numpy_type is not None and type_value is not None:
        if numpy_type.kind in "SU":
            return string
        found = BY_NUMPY.get(numpy_type.newbyteorder("="))
        if found is not None:
            return found
    message = (
        f"Cannot convert {type_value!r} to a TensorFlow DType. Use a tf dtype such as tf.float32, a NumPy dtype or a name; "
        f"known are {', '.join(sorted(t.name for t in _KNOWN))}."
    )
    if isinstance(type_value, int):  # a number that no type has: the kernel notices, in TensorFlow
        raise OperandTypeError(None, None, message)
    raise NotADTypeError(message)
