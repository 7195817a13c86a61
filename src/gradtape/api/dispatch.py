"""`tf.experimental.dispatch_for_api` and its relatives: other functions in place of public ones, for types of arguments."""

from __future__ import annotations

import importlib
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from ..base.dispatch import OVERRIDES, Override
from ..op.overrides import accept_operands
from ..values.tensor import Tensor
from ..variables.variable import Variable

# The functions that work element by element, as TensorFlow counts them.
_UNARY = """
abs acos acosh as_string asin asinh atan atanh bitwise.invert cast clip_by_value cos cosh debugging.check_numerics exp floor
identity image.adjust_brightness image.adjust_gamma image.convert_image_dtype image.random_brightness
image.stateless_random_brightness io.decode_base64 io.decode_compressed io.encode_base64 logical_not math.angle math.bessel_i0
math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj math.digamma math.erf math.erfc math.erfcinv math.erfinv
math.expm1 math.imag math.is_finite math.is_inf math.is_nan math.lgamma math.log math.log1p math.log_sigmoid math.ndtri
math.nextafter math.real math.reciprocal math.reciprocal_no_nan math.rint math.rsqrt math.softplus math.special.bessel_j0
math.special.bessel_j1 math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e
math.special.bessel_y0 math.special.bessel_y1 math.special.dawsn math.special.expint math.special.fresnel_cos
math.special.fresnel_sin math.special.spence negative nn.elu nn.gelu nn.leaky_relu nn.log_softmax nn.relu nn.relu6 nn.selu
nn.silu nn.softsign ones_like round saturate_cast sigmoid sign sin sinh sqrt square strings.length strings.lower
strings.regex_full_match strings.regex_replace strings.strip strings.substr strings.to_hash_bucket strings.to_hash_bucket_fast
strings.to_hash_bucket_strong strings.to_number strings.unicode_script strings.unicode_transcode strings.upper tan tanh
zeros_like
"""
_BINARY = """
add atan2 bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift complex divide
equal greater greater_equal less less_equal logical_and logical_or math.divide_no_nan math.floordiv math.floormod
math.logical_xor math.multiply_no_nan math.squared_difference math.xdivy math.xlog1py math.xlogy math.zeta maximum minimum
multiply nn.sigmoid_cross_entropy_with_logits not_equal pow realdiv scalar_mul subtract truediv truncatediv truncatemod
"""
_ASSERTIONS = """
debugging.assert_equal debugging.assert_greater debugging.assert_greater_equal debugging.assert_less debugging.assert_less_equal
debugging.assert_near debugging.assert_none_equal
"""

_Handler = Callable[..., Any]
_HANDLERS: dict[tuple[Any, ...], _Handler] = {}  # of elementwise functions, by the types of their operands
_TARGETS: dict[_Handler, list[Any]] = {}  # what was registered for a handler


def _functions(names: str) -> list[Any]:
    found = []
    for name in names.split():
        value: Any = importlib.import_module("gradtape")
        for part in name.split("."):
            value = getattr(value, part, None)
        if value is not None and value not in found:
            found.append(value)
    return found


def _is_union(annotation: Any) -> bool:
    return typing.get_origin(annotation) in (typing.Union, types.UnionType)


def _classes(annotation: Any) -> list[type]:
    """The classes that an annotation is made of."""
    if isinstance(annotation, type) and typing.get_origin(annotation) is None:
        return [annotation]
    return [cls for argument in typing.get_args(annotation) for cls in _classes(argument)]


def _checker(annotation: Any) -> Callable[[Any], bool]:
    """Whether a value fits an annotation."""
    if annotation is None:
        annotation = type(None)
    if _is_union(annotation):
        options = [_checker(option) for option in typing.get_args(annotation)]
        return lambda value: any(fits(value) for fits in options)
    if typing.get_origin(annotation) is list:
        element = _checker(typing.get_args(annotation)[0])
        return lambda value: isinstance(value, (list, tuple)) and bool(value) and all(map(element, value))
    if isinstance(annotation, type):
        return lambda value: isinstance(value, annotation)
    raise ValueError(
        f"Type annotation {annotation} is not currently supported by dispatch.  Supported annotations: type objects,  List[...], "
        "and Union[...]"
    )


def _register(api: Any, signature: Mapping[Any, Any], target: _Handler) -> None:
    if not (isinstance(signature, Mapping) and all(isinstance(key, (str, int)) for key in signature)):
        raise TypeError("signatures must be dictionaries mapping parameter names to type annotations.")
    parameters = list(inspect.signature(api).parameters)
    accepts = {}
    for key, annotation in signature.items():
        name = parameters[key] if isinstance(key, int) and key < len(parameters) else key
        if name not in parameters:
            raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
        accepts[name] = _checker(annotation)
        for cls in _classes(annotation):
            if not issubclass(cls, (Tensor, Variable, int, float, complex, str, bytes, list, tuple, type(None))):
                accept_operands(cls)
    OVERRIDES.setdefault(api, []).append(Override(target, accepts))


def _check_dispatchable(api: Any) -> None:
    if not (inspect.isfunction(api) and api.__module__.startswith("gradtape")):
        raise ValueError(f"{api} does not support dispatch.")


def _check_target(api: Any, target: _Handler) -> None:
    """Raise unless the parameters are those of the function; `name` may be left out."""
    ours, theirs = (list(inspect.signature(f).parameters.values()) for f in (api, target))
    if [p.kind for p in theirs] == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
        return
    expected = [p.name for p in ours]
    if [p.name for p in theirs] not in (expected, [name for name in expected if name != "name"]):
        raise ValueError(
            f"Dispatch function's signature {inspect.signature(target)} does not match API's signature {inspect.signature(api)}."
        )


def _without_name(target: _Handler) -> _Handler:
    """A function that has no parameter `name`, called by code that gives one."""
    if "name" in inspect.signature(target).parameters:
        return target

    def call(*args: Any, name: str | None = None, **kwargs: Any) -> Any:
        return target(*args, **kwargs)

    return call


def dispatch_for_api(api: Any, *signatures: Mapping[Any, Any]) -> Callable[[_Handler], _Handler]:
    """Decorator: call this function instead of a public one where the arguments are of certain types.

    >>> import gradtape as tf
    >>> class MaskedTensor(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.reduce_sum, {"input_tensor": MaskedTensor})
    ... def masked_sum(input_tensor, axis=None, keepdims=False, name=None):
    ...     kept = tf.where(input_tensor.mask, input_tensor.values, 0)
    ...     return tf.reduce_sum(kept, axis, keepdims)
    >>> int(tf.reduce_sum(MaskedTensor([1, 2, 3], [True, False, True])))
    4

    Args:
        api: A public function, such as `tf.concat`.
        *signatures: Dictionaries from names of parameters to types: classes, `List[...]`, `Union[...]`. Without them the
            annotations of the decorated function count.

    Returns:
        The decorator.

    Raises:
        TypeError: The function cannot be called.
        ValueError: `api` does not dispatch, or there is no signature, and the function has no annotations.
    """
    _check_dispatchable(api)
    for signature in signatures:
        if isinstance(signature, Mapping):
            for annotation in signature.values():
                _checker(annotation)

    def decorator(target: _Handler) -> _Handler:
        if not callable(target):
            raise TypeError(f"Expected dispatch_target to be callable; got {target!r}")
        _check_target(api, target)
        found = list(signatures)
        if not found:
            hints = typing.get_type_hints(target)
            hints.pop("return", None)
            if not hints:
                raise ValueError(
                    "The dispatch_for_api decorator must be called with at least one signature, or applied to a function that "
                    "has type annotations on its parameters."
                )
            found = [hints]
        call = _without_name(target) if "name" in inspect.signature(api).parameters else target
        for signature in found:
            _register(api, signature, call)
        _TARGETS.setdefault(target, []).append(call)
        return target

    return decorator


def _elementwise(names: str, key: tuple[Any, ...], what: str) -> Callable[[_Handler], _Handler]:
    annotations = [annotation for annotation in key if annotation != "assert"]
    for annotation in annotations:
        _checker(annotation)

    def decorator(handler: _Handler) -> _Handler:
        if key in _HANDLERS:
            shown = key[0] if len(annotations) == 1 else f"({', '.join(map(str, annotations))})"
            raise ValueError(f"A {what} dispatch handler ({_HANDLERS[key]}) has already been registered for {shown}.")
        _HANDLERS[key] = handler
        for api in _functions(names):
            target = _elementwise_target(api, handler, len(annotations))
            _register(api, dict(enumerate(annotations)), target)
            _TARGETS.setdefault(handler, []).append(target)
        return handler

    return decorator


def _elementwise_target(api: Any, handler: _Handler, count: int) -> _Handler:
    """Calls the handler with a function of the operands alone; the other arguments are those of the call."""
    signature = inspect.signature(api)
    names = list(signature.parameters)

    def target(*args: Any, **kwargs: Any) -> Any:
        given = dict(signature.bind(*args, **kwargs).arguments)
        given.pop("name", None)
        operands = [given.pop(name) for name in names[:count]]
        function = (lambda *tensors: api(*tensors, **given)) if given else api
        return handler(function, *operands)

    return target


def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[_Handler], _Handler]:
    """Decorator: call this function, with the public one and its operand, for every elementwise function of one operand.

    >>> import gradtape as tf
    >>> class Celsius(tf.experimental.ExtensionType):
    ...     degrees: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Celsius)
    ... def elementwise(api_func, x):
    ...     return Celsius(api_func(x.degrees))
    >>> tf.abs(Celsius([-3.0, 4.0])).degrees.numpy()
    array([3., 4.], dtype=float32)

    Args:
        x_type: The class of the operand.

    Returns:
        A decorator for a function of the public function and its operand.
    """
    return _elementwise(_UNARY, (x_type,), "unary elementwise")


def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[_Handler], _Handler]:
    """Decorator: call this function, with the public one and its operands, for every elementwise function of two operands.

    >>> import gradtape as tf
    >>> class Metres(tf.experimental.ExtensionType):
    ...     length: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Metres, Metres)
    ... def elementwise(api_func, x, y):
    ...     return Metres(api_func(x.length, y.length))
    >>> tf.maximum(Metres([1.0, 5.0]), Metres([3.0, 4.0])).length.numpy()
    array([3., 5.], dtype=float32)

    Args:
        x_type: The class of the first operand.
        y_type: The class of the second.

    Returns:
        A decorator for a function of the public function and its two operands.
    """
    return _elementwise(_BINARY, (x_type, y_type), "binary elementwise")


def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[_Handler], _Handler]:
    """Decorator: call this function, with the public one and its operands, for every assertion that compares two operands.

    >>> import gradtape as tf
    >>> class Weight(tf.experimental.ExtensionType):
    ...     grams: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Weight, Weight)
    ... def compared(assert_func, x, y):
    ...     return assert_func(x.grams, y.grams)
    >>> tf.debugging.assert_less(Weight([1.0]), Weight([2.0]))

    Args:
        x_type: The class of the first operand.
        y_type: The class of the second.

    Returns:
        A decorator for a function of the assertion and its two operands.
    """
    return _elementwise(_ASSERTIONS, (x_type, y_type, "assert"), "binary elementwise assert")


def unregister_dispatch_for(dispatch_target: _Handler) -> None:
    """Undo a `dispatch_for_` decorator.

    >>> import gradtape as tf
    >>> class Angle(tf.experimental.ExtensionType):
    ...     degrees: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Angle)
    ... def elementwise(api_func, x):
    ...     return Angle(api_func(x.degrees))
    >>> tf.experimental.unregister_dispatch_for(elementwise)

    Args:
        dispatch_target: The function that was decorated.

    Raises:
        ValueError: It was not decorated.
    """
    if dispatch_target not in _TARGETS:
        raise ValueError(f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator.")
    targets = _TARGETS.pop(dispatch_target)
    for api, overrides in list(OVERRIDES.items()):
        overrides[:] = [override for override in overrides if override.target not in targets]
        if not overrides:
            del OVERRIDES[api]
    for key in [key for key, handler in _HANDLERS.items() if handler is dispatch_target]:
        del _HANDLERS[key]
