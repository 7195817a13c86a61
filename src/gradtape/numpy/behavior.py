"""NumPy's behaviour on tensors themselves: operators that promote types, and NumPy's methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.errors import UnimplementedError
from ..base.traceable import trace_public
from ..base.types import TensorLike
from ..values.tensor import Tensor
from ..variables.operators import numpy_getitem
from ..variables.variable import Variable
from . import manipulation, products
from .elementwise import FUNCTIONS, clip
from .promotion import asarray
from .reductions import REDUCTIONS

_BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "mod", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
}  # fmt: skip
_COMPARED = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}


def _methods() -> dict[str, Any]:
    methods: dict[str, Any] = {"__matmul__": products.matmul, "__rmatmul__": _swapped(products.matmul)}
    for operator, name in _BINARY.items():
        methods[f"__{operator}__"] = _method(FUNCTIONS[name])
        methods[f"__r{operator}__"] = _swapped(FUNCTIONS[name])
    for operator, name in _COMPARED.items():
        methods[f"__{operator}__"] = _method(FUNCTIONS[name])
    for name in ("sum", "mean", "prod", "max", "min", "all", "any", "cumsum", "cumprod", "argmax", "argmin"):
        methods[name] = REDUCTIONS[name]
    methods |= {
        "__getitem__": numpy_getitem,
        "reshape": _reshape,
        "transpose": _transpose,
        "T": property(manipulation.transpose),
        "ravel": manipulation.ravel,
        "flatten": manipulation.flatten,
        "clip": clip,
        "astype": asarray,
        "size": property(lambda x: int(x.shape.num_elements())),
        "tolist": lambda x: x.numpy().tolist(),
    }
    return methods


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: function(x, y)


def _swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: function(y, x)


def _reshape(x: TensorLike, *newshape: Any, **kwargs: Any) -> Any:
    return manipulation.reshape(x, newshape[0] if len(newshape) == 1 else newshape, **kwargs)


def _transpose(x: TensorLike, *axes: TensorLike) -> Any:
    return manipulation.transpose(x, (axes[0] if len(axes) == 1 else axes) if axes else None)


def experimental_enable_numpy_behavior(prefer_float32: bool = False, dtype_conversion_mode: str = "legacy") -> None:
    """From here on, Python's operators on tensors and variables promote types as NumPy does.

    Tensors also get NumPy's methods (`x.T`, `x.reshape(2, 3)`, `x.astype(...)`, `x.sum()`, ...) and its
    indexing: `x[[0, 2]]` is two rows. The
    functions of `tf` itself keep TensorFlow's rule: types are never mixed. `prefer_float32` and other
    modes of conversion are not supported.

    >>> import gradtape as tf
    >>> tf.numpy.experimental_enable_numpy_behavior()  # doctest: +SKIP
    >>> (tf.constant([1, 2]) + 0.5).numpy()  # doctest: +SKIP
    array([1.5, 2.5])
    >>> tf.numpy.experimental_enable_numpy_behavior(prefer_float32=True)
    Traceback (most recent call last):
    gradtape.errors.UnimplementedError: experimental_enable_numpy_behavior: only NumPy's own ...

    Args:
        prefer_float32: Must be False: Python's numbers have NumPy's types.
        dtype_conversion_mode: "legacy" or "all", both of which are NumPy's promotion.

    Raises:
        UnimplementedError: Another way of promotion is asked for.
    """
    if prefer_float32 or dtype_conversion_mode not in ("legacy", "all"):
        raise UnimplementedError(
            None,
            None,
            "experimental_enable_numpy_behavior: only NumPy's own promotion is here (prefer_float32=False, "
            f"dtype_conversion_mode='legacy' or 'all'), got prefer_float32={prefer_float32!r} and "
            f"dtype_conversion_mode={dtype_conversion_mode!r}. Use tf.cast where float32 is wanted.",
        )
    for name, method in _methods().items():
        for cls in (Tensor, Variable):
            if not (cls is Variable and name in ("T", "size", "__getitem__")):  # TensorFlow's keys hold for variables
                setattr(cls, name, method)


trace_public(globals())
