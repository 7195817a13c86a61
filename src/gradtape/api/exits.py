"""Warns where a followed value leaves the tape by accident: `math.sin(x)`, `scipy.linalg.solve(a, x)`, `np.vectorize(f)(x)`.

`x.numpy()`, `float(x)` and `np.asarray(x)` are written by somebody who wants a number, to print or to log it. There is nothing
to warn of. A function that computes with the value gives a number that looks as if it could be differentiated; this one is
worth a line in the log, once for each line of the program. Answers to questions (`math.isnan`), discrete draws and what other
libraries take to plot or to store are not.
"""

from __future__ import annotations

import logging
import sys
from types import FrameType

from ..base.context import STATE
from ..base.frames import UNKNOWN, called_function, is_ours, package_of
from ..values.exits import EXITS
from ..values.tensor import Tensor

LOGGER = logging.getLogger("gradtape")

_COMPUTE = frozenset({"math", "cmath", "numpy", "scipy"})
# Functions that only change the form of a value, or whose results have no derivative.
_WITHOUT_LOSS = frozenset({
    "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "asarray_chkfinite", "frombuffer", "fromiter",
    "isnan", "isinf", "isfinite", "isclose", "floor", "ceil", "trunc",
    "choice", "integers", "randint", "binomial", "poisson", "geometric", "multinomial", "permutation", "permuted", "shuffle",
})  # fmt: skip
_WITHOUT_LOSS_IN = ("numpy.testing", "numpy.lib._npyio_impl", "numpy.lib.format", "numpy._core.arrayprint", "scipy.io")

_warned: set[tuple[str, int]] = set()


def is_followed(number: int) -> bool:
    """Whether a tape or an accumulator of this thread follows the value with this identity."""
    return any(number in records for records in STATE.tapes) or any(
        accumulator._follows(number) for accumulator in STATE.accumulators
    )


_METHODS = frozenset(
    {"__array__", "__float__", "__int__", "__complex__", "__index__", "_scalar", "__buffer__", "get_buffer"}
)


def _warn_of_accident(tensor: Tensor, how: str) -> None:
    if how == ".numpy()" or not is_followed(tensor._id):
        return
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_name in _METHODS:
        frame = frame.f_back
    if frame is None or is_ours(frame):
        return
    name, user = _who_computes(frame)
    if name is None or user is None:
        return
    line = (user.f_code.co_filename, user.f_lineno)
    if line not in _warned:
        _warned.add(line)
        LOGGER.warning(
            "%s:%d: %s computes with the value of a tensor that a tape follows, and no gradient passes through it. Use the "
            "function of tf or NumPy with this meaning; or write x.numpy() if no gradient should pass.",
            *line,
            name,
        )


def _who_computes(frame: FrameType) -> tuple[str | None, FrameType | None]:
    """The function of NumPy, SciPy or Python's math that takes the value, and the frame outside of these packages."""
    if package_of(frame.f_globals.get("__name__")) not in _COMPUTE:
        function = called_function(frame)
        if function is None or function is UNKNOWN or isinstance(function, type):
            return None, None
        owner = getattr(function, "__self__", None)
        module = getattr(function, "__module__", None) or type(owner).__module__
        name = getattr(function, "__name__", "")
        if package_of(module) not in _COMPUTE or name in _WITHOUT_LOSS:
            return None, None
        return f"{module}.{name}", frame
    inner: FrameType | None = frame
    name = None
    while inner is not None and package_of(module := inner.f_globals.get("__name__")) in _COMPUTE:
        if (module or "").startswith(_WITHOUT_LOSS_IN):
            return None, None
        name = f"{module}.{inner.f_code.co_qualname}"
        inner = inner.f_back
    return name, inner


EXITS.append(_warn_of_accident)
