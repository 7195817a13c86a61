"""NumPy's functions on tensors: `np.sin(x)` and `np.mean(x)` call our ops, and the tape follows.

NumPy asks an operand's `__array_ufunc__` (for ufuncs, SciPy's too) or `__array_function__` (for everything else) before
it computes. The answer is the function of the same name in `gradtape.numpy`, which computes in NumPy's types. Anything without a
name there is computed by NumPy on the values, unless a tape or an accumulator follows one of the operands: then the path
would be cut silently, so an error says what to use instead.

Arrays and lists beside a tensor take its type, as they do beside Python's operators: `np.ones(2) * x` is `x * np.ones(2)`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from .. import math
from ..base import nest
from ..base.context import STATE
from ..base.dtypes import INEXACT, DType
from ..base.types import TensorLike, Value
from ..values.tensor import EagerTensor, Tensor, contains_tensor, from_array, to_tensor
from ..variables.variable import Variable

Function = Callable[..., Any]
NO_OUT = "A tensor never changes, so it cannot be `out`, and ops on tensors have no `out`."


@functools.cache
def _namespace() -> ModuleType:
    from .. import numpy

    return numpy


# --- ufuncs ----------------------------------------------------------------------------------------------------------

# SciPy's name -> our function, where the names differ; otherwise tf.math is asked for the ufunc's own name.
_SCIPY: dict[str, Function] = {
    "expit": math.sigmoid,
    "log_expit": math.log_sigmoid,
    "gammaln": math.lgamma,
    "psi": math.digamma,
    "logit": lambda x: math.log(x) - math.log1p(-to_tensor(x)),
    "entr": lambda x: -math.xlogy(x, x),
}
# A ufunc's `reduce` and the function that does the same.
_REDUCED = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}


def _array_ufunc(self: Value, ufunc: Any, method: str, *inputs: Any, **kwargs: object) -> Any:
    name = ufunc.__name__
    if method == "__call__" and not kwargs:
        dtype = self.dtype
        function, in_one_type = _of_ufunc(ufunc, dtype.numpy)
        if function is not None:
            if ufunc is not np.ldexp:  # (whose second operand is a count)
                inputs = tuple([v if isinstance(v, (Tensor, Variable)) else to_tensor(v, dtype) for v in inputs])
                if in_one_type is not None and len({v.dtype for v in inputs}) == 1:
                    return in_one_type(*inputs)
            return function(*inputs)
    if method == "reduce" and name in _REDUCED and not (set(kwargs) - {"axis", "keepdims"}):
        reduce = getattr(_namespace(), _REDUCED[name])
        return reduce(inputs[0], axis=kwargs.get("axis", 0), keepdims=kwargs.get("keepdims", False))
    if "out" in kwargs:
        raise TypeError(f"np.{name}: {NO_OUT}")
    shown = f"np.{name}" if hasattr(np, name) else f"scipy.special.{name}"
    shown = shown if method == "__call__" else f"{shown}.{method}"
    return _on_values(shown, getattr(ufunc, method), inputs, kwargs)


@functools.cache
def _of_ufunc(ufunc: np.ufunc, dtype: np.dtype[Any]) -> tuple[Function | None, Function | None]:
    """Our function for a ufunc, and the one it calls if all operands are of this type, to be called directly."""
    name = ufunc.__name__
    if getattr(np, name, None) is ufunc:
        return getattr(_namespace(), name, None), _namespace().elementwise.on_one_type(ufunc, dtype)
    function = _SCIPY.get(name) or getattr(math, name, None)
    return (function, function) if isinstance(function, FunctionType) else (None, None)


# --- other functions -------------------------------------------------------------------------------------------------


@dataclass
class _Counterpart:
    """Our function for one of NumPy's, and what NumPy's parameters are called there."""

    function: Function
    signature: inspect.Signature
    names: dict[str, str]
    in_place: int = field(init=False)  # how many parameters, from the first on, stand in the same places in both

    def __post_init__(self) -> None:
        pairs = zip(self.signature.parameters.values(), inspect.signature(self.function).parameters, strict=False)
        same = [
            theirs.kind <= theirs.POSITIONAL_OR_KEYWORD and self.names.get(theirs.name) == own for theirs, own in pairs
        ]
        self.in_place = (*same, False).index(False)

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]] | None:
        """The arguments for our function; None where one is given that it does not have."""
        if len(args) <= self.in_place and all(name in self.names for name in kwargs):
            return list(args), {self.names[name]: value for name, value in kwargs.items()}
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for name, value in self.signature.bind(*args, **kwargs).arguments.items():
            parameter = self.signature.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional += value
            elif parameter.kind is parameter.VAR_KEYWORD:
                named |= value
            elif value is not parameter.default:
                named[name] = value
        if named.get("out") is not None:
            raise TypeError(NO_OUT)
        if not all(name in self.names for name in named):
            return None
        return positional, {self.names[name]: value for name, value in named.items()}


@functools.cache
def _counterpart(func: Function) -> _Counterpart | None:
    for theirs, ours in ((np, _namespace()), (np.linalg, _namespace().linalg)):
        name = func.__name__
        function = getattr(ours, name, None)
        if function is not None and getattr(theirs, name, None) is func and func not in _CUT:
            return _Counterpart(function, *_parameters(func, function))
    return None


def _parameters(func: Function, function: Function) -> tuple[inspect.Signature, dict[str, str]]:
    """NumPy's signature and our names of its parameters: the same ones, or those of the parameters in their places."""
    own = inspect.signature(function)
    names = {name: name for name in own.parameters}
    try:
        signature = inspect.signature(func)
    except ValueError:  # some of NumPy's C functions have no signature
        return own, names
    for theirs, ours in zip(signature.parameters.values(), own.parameters.values(), strict=False):
        other = signature.parameters.get(ours.name)
        if theirs.name not in names and (other is None or other.kind is other.KEYWORD_ONLY):
            names[theirs.name] = ours.name
    return signature, names


# The second argument is a fraction of the elements, not an operand.
_OF_FRACTIONS = (np.quantile, np.percentile)
_REDUCTIONS = (np.any, np.all)
# The edges of a histogram depend on the values, but no op here gives them a derivative.
_CUT = (np.histogram,)


def _array_function(self: Value, func: Any, types: TensorLike, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    found = _counterpart(func)
    if found is not None:
        arguments = found.arguments(args, kwargs)
        if arguments is not None:
            positional, named = arguments
            if func not in _OF_FRACTIONS:
                positional = [_beside(value, self.dtype) for value in positional]
                named = {name: _beside(value, self.dtype) for name, value in named.items()}
            result = found.function(*positional, **named)
            # What only answers a question has no derivative, and programs expect NumPy's own truth values.
            is_answer = func not in _REDUCTIONS and result.__class__ is EagerTensor and result.dtype.is_bool
            return result.numpy() if is_answer else result
    return _on_values(f"{func.__module__}.{func.__name__}".replace("numpy", "np"), func, args, kwargs)


def _beside(value: Any, dtype: DType) -> Any:
    """The argument; if it is an array or a list of floats, then in the type of the tensor beside it."""
    if isinstance(value, (Tensor, Variable)) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        if contains_tensor(value):
            return [_beside(item, dtype) for item in value]
        if any(isinstance(item, float) for item in nest.flatten(value)):
            value = np.asarray(value)
    if not isinstance(value, np.ndarray | np.generic):
        return value
    fits = dtype.is_floating or dtype.is_complex if value.dtype.kind == "f" else dtype.is_complex
    return value.astype(dtype.numpy) if fits and value.dtype in INEXACT else value


def _on_values(name: str, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """What NumPy computes from the values; an error if a tape or accumulator follows one of them and a derivative is lost.

    Truth values, indices and counts have no derivative, so nothing is lost with them.
    """

    def plain(value: Sequence[TensorLike]) -> Any:
        if isinstance(value, (Tensor, Variable)):
            return np.asarray(value)
        if isinstance(value, (list, tuple)):
            return type(value)(plain(item) for item in value) if not hasattr(value, "_fields") else value
        return value

    result = function(*[plain(a) for a in args], **{k: plain(v) for k, v in kwargs.items()})
    if not any(isinstance(value, np.ndarray | np.generic) and value.dtype in INEXACT for value in nest.flatten(result)):
        return result
    for value in nest.flatten([list(args), kwargs]):
        if isinstance(value, (Tensor, Variable)) and _is_followed(value):
            raise TypeError(
                f"{name} has no counterpart that the tape can record (with these arguments), and would cut the gradient here. "
                "Use tf functions, or say that no gradient should pass: "
                f"{name}(x.numpy()), or tf.stop_gradient(x) before."
            )
    return result


def _is_followed(value: Any) -> bool:
    number = value._id
    return bool(number) and (
        any(number in records for records in STATE.tapes)
        or any(accumulator.follows(number) for accumulator in STATE.accumulators)
        or (isinstance(value, Variable) and value.trainable and bool(STATE.tapes))
    )


class _Capsule:
    """A bare DLPack capsule as the object that NumPy asks for one."""

    def __init__(self, capsule: object) -> None:
        self.capsule = capsule

    def __dlpack__(self, **kwargs: object) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the CPU


def from_dlpack(dlcapsule: Any) -> Tensor:
    """A tensor from an array of another library, through DLPack (a capsule, or an object that gives one); copied."""
    if type(dlcapsule).__name__ == "PyCapsule":
        dlcapsule = _Capsule(dlcapsule)
    if not hasattr(dlcapsule, "__dlpack__"):
        raise TypeError(f"from_dlpack needs an object with __dlpack__ or a capsule, got {dlcapsule!r}.")
    return from_array(np.array(np.from_dlpack(dlcapsule)))


for _class in (Tensor, Variable):
    _class.__array_ufunc__ = _array_ufunc  # type: ignore[union-attr]
    _class.__array_function__ = _array_function  # type: ignore[union-attr]
