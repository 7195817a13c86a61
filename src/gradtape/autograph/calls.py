"""Calls in converted code: the user's functions are converted too, everything else is called unchanged."""

from __future__ import annotations

import functools
import sys
import warnings
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, SimpleNamespace
from typing import Any

from ..base import context, nest
from ..base.frames import package_of
from ..base.locks import new_rlock
from ..base.types import Function
from ..trace.graph import leaves
from . import public
from .branches import if_exp, if_stmt
from .functions import overload_of, range_tensor
from .lists import TensorList, list_append, list_extend
from .logic import and_, assert_stmt, compare, not_, or_
from .loops import for_stmt, while_stmt
from .policy import artifact, branches, is_artifact, wants_conversion
from .source import ConversionError
from .symbolic import is_symbolic
from .tracebacks import clean
from .undefined import Undefined, UndefinedReturnValue, is_undefined, ld, ldu
from .verbosity import log


class AutographWarning(UserWarning):
    """A function runs as it is because it could not be converted.

    >>> import gradtape as tf
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", tf.autograph.AutographWarning)
    """


class FunctionScope:
    """Stands around the body of a converted function; its identity identifies the frame of the function."""

    def __init__(self, function_name: str, scope_name: str, options: None) -> None:
        self.function_name, self.name = function_name, scope_name

    def __enter__(self) -> FunctionScope:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def ret(self, value: object, did_return: object) -> Any:
        """What the function returns, if it has reached a `return`."""
        if isinstance(value, UndefinedReturnValue):
            return None
        if value is not None and is_symbolic(did_return):
            raise ValueError(
                f"{self.function_name} returns a value on some paths only, and which path is taken depends on a tensor: all "
                "branches must also have a return statement."
            )
        return value


def with_function_scope(thunk: Callable[[FunctionScope], Any], scope_name: str, options: None) -> Any:
    """The body of a lambda."""
    return thunk(FunctionScope("lambda", scope_name, options))


def converted_call(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    scope: FunctionScope | None = None,
    requested: bool = False,
) -> Any:
    """`function(*args, **kwargs)`, converted where it is a function of the user."""
    keywords = kwargs or {}
    if isinstance(function, (BuiltinFunctionType, type)):
        if scope is not None and function in _FRAME_FUNCTIONS:
            return _FRAME_FUNCTIONS[function](args, keywords, scope)
        return overload_of(function, args)(*args, **keywords)
    if is_artifact(function) or not (requested or context.STATE.autograph):
        return function(*args, **keywords)
    if function.__class__ is functools.partial:
        return converted_call(
            function.func, (*function.args, *args), {**function.keywords, **keywords}, scope, requested
        )
    target: Any
    receiver: tuple[Any, ...]
    if isinstance(function, FunctionType):
        target, receiver = function, ()
    elif isinstance(function, MethodType):
        target, receiver = function.__func__, (function.__self__,)
        if is_artifact(target):
            return function(*args, **keywords)
    else:
        target, receiver = type(function).__call__, (function,)
    if not isinstance(target, FunctionType) or not wants_conversion(target, requested):
        return _call_library(function, args, keywords)
    converted = _converted(target)
    return function(*args, **keywords) if converted is None else converted(*receiver, *args, **keywords)


def convert(function: Callable[..., Any], recursive: bool = True) -> Callable[..., Any]:
    """`function` with its control flow turned into calls that work on symbolic tensors, and in Python on all else.

    The work is done at the first call, once for each code object. With `recursive`, the user's functions that it calls
    are converted too.

    >>> import gradtape as tf
    >>> @tf.autograph.convert
    ... def clipped(x):
    ...     if x > 1.0:
    ...         x = tf.ones_like(x)
    ...     return x
    >>> clipped(tf.constant(3.0)).numpy()
    np.float32(1.0)

    Args:
        function: A Python function.
        recursive: Whether the functions that it calls are converted too.

    Returns:
        A function of the same arguments.
    """
    if is_artifact(function):
        return function

    @functools.wraps(
        function, assigned=[name for name in functools.WRAPPER_ASSIGNMENTS if hasattr(function, name)], updated=()
    )
    def converted(*args: object, **kwargs: object) -> Any:
        try:
            with context.scope(autograph=recursive):
                return _stacked(converted_call(function, args, kwargs, requested=True))
        except Exception as error:
            if not context.STATE.autograph:  # the outermost call, where the traceback has all of the user's frames
                clean(error)
            raise

    return artifact(converted)


def callback(function: Callable[..., Any]) -> Callable[..., Any]:
    """For functions of gradtape that call a function of the user: converted, if the calling code is.

    >>> import gradtape as tf
    >>> tf.autograph.callback(abs)(-1)
    1

    Args:
        function: A function of the user.

    Returns:
        The function itself, or its converted form.
    """
    return convert(function) if context.STATE.autograph else function


def _stacked(value: object) -> Any:
    """A list that grew in a traced loop leaves the function as one tensor."""
    if isinstance(value, TensorList):
        return value.stack()
    if nest.is_nested(value) and any(isinstance(leaf, TensorList) for leaf in leaves(value)):
        return nest.map_structure(_stacked, value)
    return value


# --- functions of the user -------------------------------------------------------------------------------------------

_warned: weakref.WeakSet[CodeType] = weakref.WeakSet()


def _converted(function: FunctionType) -> FunctionType | None:
    """The converted function; None, and a warning, where that is not possible."""
    from .transpile import conversion_of

    try:
        conversion = conversion_of(function)
    except ConversionError as error:
        if function.__code__ not in _warned:
            _warned.add(function.__code__)
            if error.unexpected or branches(function.__code__):  # else nothing is lost
                _warn(function, error)
        return None
    log(1, lambda: f"AutoGraph converts {function.__qualname__} ({function.__code__.co_filename})")
    log(3, conversion.code)
    return conversion.instantiate(function, OPERATORS)


def _warn(function: FunctionType, error: Exception) -> None:
    warnings.warn(
        f"AutoGraph could not transform {function} and will run it as-is.\nCause: {error}\nTo silence this warning, "
        "decorate the function with @tf.autograph.experimental.do_not_convert",
        AutographWarning,
        stacklevel=2,
    )


# --- functions of libraries ------------------------------------------------------------------------------------------

# Functions of gradtape that call what they are given while a trace is made.
_CALLING = frozenset(
    {"case", "cond", "foldl", "foldr", "map_fn", "map_structure", "scan", "switch_case", "vectorized_map", "while_loop"}
)


def _call_library(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if package_of(getattr(function, "__module__", None)) == "gradtape":
        name = getattr(function, "__name__", "")
        if function is public.arrays().range:
            return range_tensor(*args, **kwargs)
        if name in ("stack", "concat", "convert_to_tensor") and args and isinstance(args[0], TensorList):
            return _joined(name, *args, **kwargs)
        if name in _CALLING:
            args = tuple(_with_callbacks(arg) for arg in args)
            kwargs = {key: _with_callbacks(value) for key, value in kwargs.items()}
    elif _has_call_of_user(function):
        return _call_layer(function, args, kwargs)
    return function(*args, **kwargs)


def _joined(name: str, values: TensorList, axis: int = 0, **kwargs: object) -> Any:
    if axis != 0:
        repair = (
            "Append transposed elements, tf.concat them along axis 0, and transpose the result back."
            if name == "concat"
            else f"Use tf.experimental.numpy.moveaxis(tf.stack(items), 0, {axis})."
        )
        raise NotImplementedError(
            f"tf.{name} along axis {axis!r} was given {values!r}, which grew in a traced loop. Such a list is joined along "
            f"axis 0 only. {repair}"
        )
    return values.concat() if name == "concat" else values.stack()


def _with_callbacks(value: object) -> Any:
    """The functions in an argument, converted."""
    if isinstance(value, (FunctionType, MethodType, functools.partial)):
        return convert(value)
    if value.__class__ in (list, tuple):
        return value.__class__(_with_callbacks(part) for part in value)
    if value.__class__ is dict:
        return {key: _with_callbacks(part) for key, part in value.items()}
    return value


def _has_call_of_user(function: Function) -> bool:
    """Whether this is a Keras layer whose `call` the user has written."""
    if not (getattr(type(function).__call__, "__module__", None) or "").startswith("keras."):
        return False
    call = getattr(type(function), "call", None)
    return isinstance(call, FunctionType) and not is_artifact(call) and wants_conversion(call)


_layer_lock = new_rlock()


def _call_layer(layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a Keras layer, whose `__call__` must run as it is and find a converted `call`."""
    with _layer_lock:
        if "call" in vars(layer):  # already converted by an outer call
            return layer(*args, **kwargs)
        vars(layer)["call"] = convert(layer.call)
        try:
            return layer(*args, **kwargs)
        finally:
            del vars(layer)["call"]


# --- functions that look at the frame that calls them ----------------------------------------------------------------


def _frames(scope: FunctionScope) -> list[FrameType]:
    """The frames of the converted function and of its blocks, innermost first."""
    frames = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_locals.get(scope.name) is scope and frame.f_globals.get("__name__") != __name__:
            frames.append(frame)
        frame = frame.f_back
    return frames


def _super(args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope) -> Any:
    if args:
        return super(*args)
    frame = _frames(scope)[-1]
    return super(frame.f_locals["__class__"], frame.f_locals[frame.f_code.co_varnames[0]])


def _locals(args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope) -> dict[str, Any]:
    return dict(_frames(scope)[0].f_locals)


def _globals(args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope) -> dict[str, Any]:
    return _frames(scope)[0].f_globals


def _eval(args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope) -> Any:
    frame = _frames(scope)[0]
    return eval(args[0], *(args[1:] or (frame.f_globals, frame.f_locals)), **kwargs)


_FRAME_FUNCTIONS: dict[Any, Callable[..., Any]] = {super: _super, locals: _locals, globals: _globals, eval: _eval}

# What converted code finds under the name `ag__`.
OPERATORS = SimpleNamespace(
    if_stmt=if_stmt,
    if_exp=if_exp,
    while_stmt=while_stmt,
    for_stmt=for_stmt,
    and_=and_,
    or_=or_,
    not_=not_,
    assert_stmt=assert_stmt,
    compare=compare,
    list_append=list_append,
    list_extend=list_extend,
    ld=ld,
    ldu=ldu,
    Undefined=Undefined,
    UndefinedReturnValue=UndefinedReturnValue,
    FunctionScope=FunctionScope,
    with_function_scope=with_function_scope,
    converted_call=converted_call,
    autograph_artifact=artifact,
    is_undefined=is_undefined,
    caught=lambda: sys.exc_info()[1],
    STD=None,
)
