"""NumPy's functions on tensors: arrays where nobody follows the tensors, recorded ops where somebody does.

NumPy asks an operand's `__array_ufunc__` (for ufuncs, SciPy's too) or `__array_function__` (for everything else) before
it computes. If no tape or accumulator follows a tensor among the arguments, NumPy computes on the values, and the program gets
NumPy's own arrays and numbers. If somebody does, or a tensor has no value yet (inside a traced function), the answer is the
function of the same name in `gradtape.numpy`, and the tape follows. Where there is none, the path would be cut silently, so an
error says what to use instead. Results that have no derivative (indices, truth values, counts) are NumPy's in eager code.

Python's operators always give tensors: in `array + x` NumPy calls `np.add(array, x)`, which `_is_operator` tells from the
same call in a program.

Arrays and lists beside a tensor take its type, as they do beside Python's operators, where the function is recorded.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..base import nest
from ..base.context import ACTIVE, STATE
from ..base.dtypes import INEXACT, DType
from ..base.frames import UNKNOWN, called_function
from ..base.types import TensorLike, Value
from ..values.tensor import EagerTensor, Tensor, contains_tensor, from_array, to_tensor
from ..variables.variable import Variable
from .exits import is_followed

Function = Callable[..., Any]
NO_OUT = "A tensor never changes, so it cannot be `out`, and ops on tensors have no `out`."


class _Results:
    """Whether NumPy's functions give tensors wherever there is a counterpart, followed or not (`tf.config`)."""

    tensors = False


RESULTS = _Results()


@functools.cache
def _namespace() -> ModuleType:
    from .. import numpy

    return numpy


# --- ufuncs ----------------------------------------------------------------------------------------------------------

# SciPy's name -> that of tf.math, where they differ.
_SCIPY = {"expit": "sigmoid", "log_expit": "log_sigmoid", "gammaln": "lgamma", "psi": "digamma"}
# A ufunc's `reduce` and the function that does the same.
_REDUCED = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}


# What Python's operators call when an array or a NumPy number stands on the left, and the tensor's own method for it.
_OPERATORS = {
    **{getattr(np, name): f"__r{operator}__" for name, operator in (
        ("add", "add"), ("subtract", "sub"), ("multiply", "mul"), ("true_divide", "truediv"), ("floor_divide", "floordiv"),
        ("remainder", "mod"), ("power", "pow"), ("matmul", "matmul"),
        ("bitwise_and", "and"), ("bitwise_or", "or"), ("bitwise_xor", "xor"),
    )},
    np.less: "__gt__", np.less_equal: "__ge__", np.greater: "__lt__", np.greater_equal: "__le__",
    np.equal: "__eq__", np.not_equal: "__ne__",
}  # fmt: skip


def _array_ufunc(self: Value, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    left = inputs[0]
    if (
        method == "__call__"
        and isinstance(left, np.ndarray | np.generic)
        and _is_operator(sys._getframe(1), ufunc, kwargs)
    ):
        dtype = self.dtype
        if dtype.numpy.kind == "f" == left.dtype.kind:  # (floats are cast in any case; an entry is quicker on tensors)
            left = to_tensor(left, dtype)
        return getattr(self, _OPERATORS[ufunc])(left)
    if not _is_recorded(inputs, kwargs):
        if method == "__call__" and not kwargs:  # (the usual case: ufuncs do not change their operands)
            return ufunc(*[v._array if v.__class__ is EagerTensor else _plain(v) for v in inputs])
        return getattr(ufunc, method)(*_plain(inputs), **_plain(kwargs))
    return _without_derivative(_recorded_ufunc(self, ufunc, method, inputs, kwargs))


def _recorded_ufunc(self: Value, ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
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


def _is_operator(frame: FrameType, ufunc: np.ufunc, kwargs: dict[str, Any]) -> bool:
    """Whether an operator calls the ufunc, not a program: `array + x`, `operator.add(array, x)`, `sum([number, x])`.

    In `array += x` the array is `out` as well. The name becomes a tensor, as in TensorFlow.
    """
    if ufunc not in _OPERATORS or kwargs.keys() - {"out"}:
        return False
    function = called_function(frame)
    return function is None if kwargs else function is not ufunc and function is not UNKNOWN


@functools.cache
def _of_ufunc(ufunc: np.ufunc, dtype: np.dtype[Any]) -> tuple[Function | None, Function | None]:
    """Our function for a ufunc, and the one it calls if all operands are of this type, to be called directly."""
    name = ufunc.__name__
    if getattr(np, name, None) is ufunc:
        return getattr(_namespace(), name, None), _namespace().elementwise.on_one_type(ufunc, dtype)
    function = _of_scipy(name)
    return (function, function) if isinstance(function, FunctionType) else (None, None)


def _of_scipy(name: str) -> object:
    """Our function for one of `scipy.special`."""
    from .. import math

    if name == "logit":
        return lambda x: math.log(x) - math.log1p(-to_tensor(x))
    if name == "entr":
        return lambda x: -math.xlogy(x, x)
    return getattr(math, _SCIPY.get(name, name), None)


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
                positional, named = [*named.values(), *value], {}
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
    names = _namespace()
    for theirs, ours in ((np, names), (np.linalg, names.linalg), (np.fft, names.fft)):
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
# The first argument gives these functions no more than a shape and a type.
_SHAPES_ALONE = (np.zeros_like, np.ones_like, np.empty_like, np.full_like)
# NumPy's own results of these are read-only.
_VIEWS = (np.broadcast_to, np.broadcast_arrays)
# The edges of a histogram depend on the values, but no op here gives them a derivative.
_CUT = (np.histogram,)


def _array_function(self: Value, func: Any, types: TensorLike, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    looked_at = args[1:] if func in _SHAPES_ALONE and _has_value(args[0]) else args
    if not _is_recorded(looked_at, kwargs):
        result = func(*_plain(args), **_plain(kwargs))
        return result if func in _VIEWS else _of_its_own(result)
    found = _counterpart(func)
    if found is not None:
        arguments = found.arguments(args, kwargs)
        if arguments is not None:
            positional, named = arguments
            if func not in _OF_FRACTIONS:
                positional = [_beside(value, self.dtype) for value in positional]
                named = {name: _beside(value, self.dtype) for name, value in named.items()}
            return _without_derivative(found.function(*positional, **named))
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


def _on_values(name: str, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What NumPy computes from the values; an error if somebody follows them and a derivative is lost.

    Truth values, indices and counts have no derivative, so nothing is lost with them.
    """
    result = function(*_plain(args), **_plain(kwargs))
    is_continuous = [isinstance(v, np.ndarray | np.generic) and v.dtype in INEXACT for v in nest.flatten(result)]
    if not any(is_continuous) or not _someone_records([*args, *kwargs.values()]):
        return result
    raise TypeError(
        f"{name} has no counterpart that the tape can record (with these arguments), and would cut the gradient here. "
        "Use tf functions, or say that no gradient should pass: "
        f"{name}(x.numpy()), or tf.stop_gradient(x) before."
    )


# --- who gets tensors, and who arrays --------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """The argument with arrays, which cannot be written to, in place of tensors."""
    if value.__class__ is EagerTensor:
        view = np.asarray(value._array).view()
        view.flags.writeable = False
        return view
    if isinstance(value, (Tensor, Variable)):
        return np.asarray(value)
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()} if value else value
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)([_plain(item) for item in value])
    return value


def _of_its_own(result: Any) -> Any:
    """The result; what NumPy gives as a view of a tensor's array becomes an array that the program may write to."""
    if isinstance(result, np.ndarray):
        return result if result.flags.writeable else result.copy()
    return [_of_its_own(item) for item in result] if result.__class__ is list else result


def _without_derivative(result: Any) -> Any:
    """The result; NumPy's own values if it is one of truth values, indices or counts."""
    if RESULTS.tensors or any(
        not isinstance(v, EagerTensor) or v._array.dtype in INEXACT for v in nest.flatten(result)
    ):
        return result
    return nest.map_structure(lambda tensor: tensor.numpy(), result)


def _is_recorded(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the result is to be a tensor: somebody follows a value or it has none yet; or `tf.config` says so."""
    if RESULTS.tensors:
        return True
    for value in args:
        if _someone_records(value):
            return True
    return bool(kwargs) and _someone_records(list(kwargs.values()))


def _has_value(value: Any) -> bool:
    return isinstance(value, EagerTensor) or (isinstance(value, Variable) and STATE.trace is None)


def _someone_records(value: Any) -> bool:
    if isinstance(value, EagerTensor):
        # (A function that is traced may be run where a tape follows the tensor, so one with an identity counts.)
        return bool(ACTIVE and value._id and (STATE.trace is not None or is_followed(value._id)))
    if isinstance(value, Variable):
        return bool(ACTIVE) and (STATE.trace is not None or is_followed(value._read()._id))
    if isinstance(value, (list, tuple)):
        return any(_someone_records(item) for item in value)
    return isinstance(value, Tensor)  # symbolic, or with a batch axis


class _Capsule:
    """A bare DLPack capsule as the object that NumPy asks for one."""

    def __init__(self, capsule: object) -> None:
        self.capsule = capsule

    def __dlpack__(self, **kwargs: object) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the CPU


def from_dlpack(dlcapsule: Any) -> Tensor:
    """A tensor from an array of another library, through DLPack (a capsule, or an object that gives one); copied.

    >>> import gradtape as tf
    >>> tf.experimental.dlpack.from_dlpack(np.array([1.0, 2.0])).numpy()
    array([1., 2.])

    Args:
        dlcapsule: A capsule, or an object with `__dlpack__`: an array of NumPy, PyTorch, JAX ...

    Returns:
        A tensor.

    Raises:
        TypeError: It is neither.
    """
    if type(dlcapsule).__name__ == "PyCapsule":
        dlcapsule = _Capsule(dlcapsule)
    if not hasattr(dlcapsule, "__dlpack__"):
        raise TypeError(f"from_dlpack needs an object with __dlpack__ or a capsule, got {dlcapsule!r}.")
    return from_array(np.array(np.from_dlpack(dlcapsule)))


for _class in (Tensor, Variable):
    _class.__array_ufunc__ = _array_ufunc  # type: ignore[union-attr]
    _class.__array_function__ = _array_function  # type: ignore[union-attr]
