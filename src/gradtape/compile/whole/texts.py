"""Elementwise functions whose result has one right value, as LLVM's instructions: they have the bits of NumPy's loops.

A text is a function `text(b, kind, *values)` of a builder, the kind of the operands (`f`, `i`, `u` or `b`: floating-point
numbers, signed and unsigned integers, truth values) and LLVM's values, scalars or vectors. For all other functions, and all
other types, NumPy's own inner loops are called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from ...native.language import FLOAT32, FLOAT64, Unsupported
from .fast_math import PREFIX, write_own

Text = Callable[..., Any]
BIT = ir.IntType(1)
BYTE = ir.IntType(8)


def kind_of(dtype: np.dtype[Any]) -> str:
    """The kind of elements: `f`, `i`, `u`, `b`, or nothing where texts do not take them."""
    return dtype.kind if dtype.kind in "iub" or dtype.char in "fd" else ""


def element_of(dtype: np.dtype[Any]) -> Any:
    """LLVM's type for such an element in a register."""
    if dtype.char in "fd":
        return FLOAT32 if dtype.char == "f" else FLOAT64
    return BIT if dtype.kind == "b" else ir.IntType(8 * dtype.itemsize)


def stored_as(dtype: np.dtype[Any]) -> Any:
    """LLVM's type for such an element in memory."""
    return BYTE if dtype.kind == "b" else element_of(dtype)


def _by_kind(**names: str) -> Text:
    """One instruction, another for each kind of operands."""

    def text(b: ir.IRBuilder, kind: str, *values: object) -> Any:
        return getattr(b, names[kind])(*values)

    text.kinds = frozenset(names)  # type: ignore[attr-defined]
    return text


def _for(kinds: str) -> Callable[[Text], Text]:
    def declare(text: Text) -> Text:
        text.kinds = frozenset(kinds)  # type: ignore[attr-defined]
        return text

    return declare


def _called(name: str) -> Text:
    """A function that LLVM itself has for floating-point numbers, rounded exactly."""

    @_for("f")
    def text(b: ir.IRBuilder, kind: str, *values: object) -> Any:
        return intrinsic(b, name, *values)

    return text


def intrinsic(b: ir.IRBuilder, name: str, *values: Any) -> Any:
    """A call of one of LLVM's own functions."""
    kind = values[0].type
    element = kind.element if isinstance(kind, ir.VectorType) else kind
    letter = "f32" if element == FLOAT32 else "f64"
    full = f"llvm.{name}.v{kind.count}{letter}" if isinstance(kind, ir.VectorType) else f"llvm.{name}.{letter}"
    declared = b.module.globals.get(full) or ir.Function(b.module, ir.FunctionType(kind, [kind] * len(values)), full)
    return b.call(declared, values)


def _compared(sign: str) -> Text:
    @_for("fiub")
    def text(b: ir.IRBuilder, kind: str, x: object, y: object) -> Any:
        if kind == "f":
            return (b.fcmp_unordered if sign == "!=" else b.fcmp_ordered)(sign, x, y)
        return (b.icmp_signed if kind == "i" else b.icmp_unsigned)(sign, x, y)

    return text


def _zero(kind: object) -> Any:
    return ir.Constant(kind, None)


def splat(kind: object, value: object) -> Any:
    """A constant in every lane."""
    if isinstance(kind, ir.VectorType):
        return ir.Constant(kind, [ir.Constant(kind.element, value)] * kind.count)
    return ir.Constant(kind, value)


def _truth(b: ir.IRBuilder, kind: str, x: Any) -> Any:
    if kind == "b":
        return x
    return b.fcmp_unordered("!=", x, _zero(x.type)) if kind == "f" else b.icmp_unsigned("!=", x, _zero(x.type))


def _logical(name: str) -> Text:
    @_for("fiub")
    def text(b: ir.IRBuilder, kind: str, *values: object) -> Any:
        return getattr(b, name)(*[_truth(b, kind, x) for x in values])

    return text


def _extreme(sign: str) -> Text:
    """The larger or the smaller number: NaN if one is, and the second of two that are equal, as NumPy gives on x86."""

    @_for("fiub")
    def text(b: ir.IRBuilder, kind: str, x: object, y: object) -> Any:
        if kind == "f":
            first = b.select(b.fcmp_unordered(sign, x, y), x, y)
            return b.select(b.fcmp_unordered("uno", y, y), y, first)
        return b.select((b.icmp_signed if kind == "i" else b.icmp_unsigned)(sign, x, y), x, y)

    return text


@_for("fi")
def _absolute(b: ir.IRBuilder, kind: str, x: Any) -> Any:
    if kind == "f":
        return intrinsic(b, "fabs", x)
    return b.select(b.icmp_signed("<", x, _zero(x.type)), b.neg(x), x)


@_for("fiu")
def _square(b: ir.IRBuilder, kind: str, x: object) -> Any:
    return (b.fmul if kind == "f" else b.mul)(x, x)


@_for("iu")
def _shifted_left(b: ir.IRBuilder, kind: str, x: Any, places: Any) -> Any:
    return b.select(_is_within(b, places), b.shl(x, places), _zero(x.type))


@_for("iu")
def _shifted_right(b: ir.IRBuilder, kind: str, x: Any, places: Any) -> Any:
    if kind == "u":
        return b.select(_is_within(b, places), b.lshr(x, places), _zero(x.type))
    most = splat(x.type, _bits_of(x.type) - 1)
    return b.ashr(x, b.select(_is_within(b, places), places, most))


def _is_within(b: ir.IRBuilder, places: Any) -> Any:
    """Whether so many bits can be shifted: else nothing is left, or the sign, while the processor has something else."""
    return b.icmp_unsigned("<", places, splat(places.type, _bits_of(places.type)))


def _bits_of(kind: Any) -> int:
    return int((kind.element if isinstance(kind, ir.VectorType) else kind).width)


@_for("f")
def _reciprocal(b: ir.IRBuilder, kind: str, x: Any) -> Any:
    return b.fdiv(splat(x.type, 1.0), x)


@_for("f")
def _isnan(b: ir.IRBuilder, kind: str, x: object) -> Any:
    return b.fcmp_unordered("uno", x, x)


@_for("f")
def _isfinite(b: ir.IRBuilder, kind: str, x: Any) -> Any:
    return b.fcmp_ordered("<", intrinsic(b, "fabs", x), splat(x.type, float("inf")))


@_for("f")
def _isinf(b: ir.IRBuilder, kind: str, x: Any) -> Any:
    return b.fcmp_ordered("==", intrinsic(b, "fabs", x), splat(x.type, float("inf")))


@_for("fiub")
def _itself(b: ir.IRBuilder, kind: str, x: object) -> Any:
    return x


TEXTS: dict[str, Text] = {
    "add": _by_kind(f="fadd", i="add", u="add", b="or_"),
    "subtract": _by_kind(f="fsub", i="sub", u="sub"),
    "multiply": _by_kind(f="fmul", i="mul", u="mul", b="and_"),
    "divide": _by_kind(f="fdiv"),
    "negative": _by_kind(f="fneg", i="neg", u="neg"),
    "square": _square,
    "reciprocal": _reciprocal,
    "absolute": _absolute,
    "fabs": _called("fabs"),
    "sqrt": _called("sqrt"),
    "floor": _called("floor"),
    "ceil": _called("ceil"),
    "trunc": _called("trunc"),
    "rint": _called("rint"),
    "copysign": _called("copysign"),
    "maximum": _extreme(">"),
    "minimum": _extreme("<"),
    "less": _compared("<"),
    "less_equal": _compared("<="),
    "greater": _compared(">"),
    "greater_equal": _compared(">="),
    "equal": _compared("=="),
    "not_equal": _compared("!="),
    "logical_and": _logical("and_"),
    "logical_or": _logical("or_"),
    "logical_xor": _logical("xor"),
    "logical_not": _logical("not_"),
    "bitwise_and": _by_kind(i="and_", u="and_", b="and_"),
    "bitwise_or": _by_kind(i="or_", u="or_", b="or_"),
    "bitwise_xor": _by_kind(i="xor", u="xor", b="xor"),
    "invert": _by_kind(i="not_", u="not_", b="not_"),
    "left_shift": _shifted_left,
    "right_shift": _shifted_right,
    "isnan": _isnan,
    "isfinite": _isfinite,
    "isinf": _isinf,
    "positive": _itself,
    "conjugate": _itself,
}


def converted(b: ir.IRBuilder, x: Any, source: np.dtype[Any], target: np.dtype[Any]) -> Any:
    """A value as another type, as C converts it."""
    if source == target:
        return x
    given, wanted, kind = kind_of(source), kind_of(target), element_of(target)
    if not given or not wanted:
        raise Unsupported(f"{source} as {target}")
    if isinstance(x.type, ir.VectorType):
        kind = ir.VectorType(kind, x.type.count)
    if wanted == "b":
        return _truth(b, given, x)
    if given == "f":
        if wanted == "f":
            return (b.fpext if target.itemsize > source.itemsize else b.fptrunc)(x, kind)
        if target.itemsize < 4 or wanted == "u":
            raise Unsupported(f"{source} as {target}")  # (what C gives for numbers out of range differs from LLVM)
        return b.fptosi(x, kind)
    if wanted == "f":
        return (b.sitofp if given == "i" else b.uitofp)(x, kind)
    if target.itemsize > source.itemsize or given == "b":
        return (b.sext if given == "i" else b.zext)(x, kind)
    return b.trunc(x, kind) if target.itemsize < source.itemsize else x


SAME_BITS = "same bits"  # the name of a step that takes the bits of elements for elements of another type


def _same_bits(b: ir.IRBuilder, x: Any, target: np.dtype[Any]) -> Any:
    kind = element_of(target)
    return b.bitcast(x, ir.VectorType(kind, x.type.count) if isinstance(x.type, ir.VectorType) else kind)


def is_light(name: str, kinds: tuple[np.dtype[Any], ...]) -> bool:
    """Whether there is a text for a function of operands, and a result, of these types."""
    letters = [kind_of(dtype) for dtype in kinds]
    if not all(letters):
        return False
    if name == "where":
        return True
    if name.startswith(PREFIX):
        return True
    if name == SAME_BITS:
        return kinds[0].itemsize == kinds[1].itemsize
    if name == "cast":
        return not (letters[0] == "f" and letters[1] not in "fb" and (kinds[1].itemsize < 4 or letters[1] == "u"))
    text = TEXTS.get(name)
    return text is not None and letters[0] in text.kinds  # type: ignore[attr-defined]


def written(b: ir.IRBuilder, name: str, values: list[Any], kinds: tuple[np.dtype[Any], ...]) -> Any:
    """The function of that name, of values of these types."""
    if name == "where":
        return b.select(*values)
    if name == "cast":
        return converted(b, values[0], *kinds)
    if name == SAME_BITS:
        return _same_bits(b, values[0], kinds[1])
    if name.startswith(PREFIX):
        return write_own(b, name, *values)
    return TEXTS[name](b, kind_of(kinds[0]), *values)
