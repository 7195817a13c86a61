"""Arithmetic of our own, for `jit_compile=True`: functions as polynomials, products and sums rounded once.

Each function is written once for a type and a number of lanes, and called. Where the argument of a sine is so large that it is
not right any more, the C library's function is called. Functions that have the bits of NumPy's are written so in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from ...native import functions
from ...native.doubles import DOUBLES
from ...native.language import FLOAT32, FLOAT64, FUNCTIONS, Number
from ...native.trigonometry import LIMITS, TRIGONOMETRY, has_numpys_bits, return_near

_NAMES = ("exp", "expm1", "log", "log1p", "tanh", "erf", "erfc", "expit")
_OWN: dict[Any, dict[str, Callable[..., Any]]] = {
    FLOAT32: {name: FUNCTIONS[name] for name in _NAMES} | TRIGONOMETRY,
    FLOAT64: DOUBLES | TRIGONOMETRY,
}
PREFIX = "own "  # of the names of steps that are written so


class OwnBuilder(ir.IRBuilder):  # type: ignore[misc]
    """Lets LLVM round a product and a sum once."""

    def fadd(self, lhs: object, rhs: object, name: str = "", flags: object = ("contract",)) -> Any:
        return super().fadd(lhs, rhs, name, flags)

    def fsub(self, lhs: object, rhs: object, name: str = "", flags: object = ("contract",)) -> Any:
        return super().fsub(lhs, rhs, name, flags)

    def fmul(self, lhs: object, rhs: object, name: str = "", flags: object = ("contract",)) -> Any:
        return super().fmul(lhs, rhs, name, flags)


def own_name(name: str, kinds: tuple[np.dtype[Any], ...], any_bits: bool) -> str | None:
    """The name of a step that computes a function in our own way; None where there is none, or its bits differ from NumPy's."""
    element = {"f": FLOAT32, "d": FLOAT64}.get(kinds[0].char)
    if element is None or len(set(kinds)) > 1 or name not in _OWN[element]:
        return None
    return PREFIX + name if any_bits or (element == FLOAT32 and has_numpys_bits(name)) else None


def write_own(b: ir.IRBuilder, name: str, x: Any) -> Any:
    """The function of that name, of a number or a vector."""
    kind = x.type
    element, lanes = (kind.element, kind.count) if isinstance(kind, ir.VectorType) else (kind, 1)
    short = name.removeprefix(PREFIX)
    full = f"own_{short}_{lanes}x{'f32' if element == FLOAT32 else 'f64'}"
    found = b.module.globals.get(full)
    if found is None:
        found = ir.Function(b.module, ir.FunctionType(kind, [kind]), full)
        found.linkage = "internal"
        inside = ir.IRBuilder(found.append_basic_block("entry"))
        argument = Number(inside, found.args[0])
        if lanes == 1 and short in ("sin", "cos"):
            return_near(short, argument)
        value = _OWN[element][short](argument).value
        if short in TRIGONOMETRY:
            value = _beside_library(inside, short, argument, value, LIMITS[element][short])
        inside.ret(value)
    return b.call(found, [x])


def _beside_library(b: ir.IRBuilder, name: str, x: Number, value: object, limit: float) -> Any:
    """The value, but what the C library gives in lanes whose argument is beyond the limit."""
    size = functions.absolute(x)
    beyond = b.fcmp_ordered(">", size.value, size.constant(limit).value)
    any_beyond = beyond
    if x.lanes > 1:
        bits = ir.IntType(x.lanes)
        any_beyond = b.icmp_unsigned("!=", b.bitcast(beyond, bits), ir.Constant(bits, 0))
    with b.if_then(any_beyond, likely=False):
        full = name + ("f" if x.element == FLOAT32 else "")
        kind = ir.FunctionType(x.element, [x.element])
        library = b.module.globals.get(full) or ir.Function(b.module, kind, full)
        if x.lanes == 1:
            b.ret(b.call(library, [x.value]))
        else:
            exact = ir.Constant(x.type, ir.Undefined)
            for lane in range(x.lanes):
                place = ir.Constant(ir.IntType(32), lane)
                exact = b.insert_element(exact, b.call(library, [b.extract_element(x.value, place)]), place)
            b.ret(b.select(beyond, exact, value))
    return value
