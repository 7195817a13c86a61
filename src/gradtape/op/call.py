"""The general path of a call: any operands, any op. Generated entries (op/entry.py) are this, made fast for usual operands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.context import ACTIVE, STATE
from ..base.dtypes import BY_NUMPY, Array, DType
from ..base.errors import (
    InvalidArgumentError,
    NotATensorError,
    OperandTypeError,
    OpError,
    ResourceExhaustedError,
    TensorTypeError,
    UnsupportedTypeError,
    named,
)
from ..base.sizes import Size
from ..values.composite import OPERANDS
from ..values.from_python import to_array
from ..values.tensor import EagerTensor, Tensor, from_array, to_tensor
from .record import record_op

if TYPE_CHECKING:
    from .declaration import Op

# Operand types that are neither arrays nor eager tensors (batched and symbolic values), with what runs an op on them.
# The layers above fill it in; a later entry wins over an earlier one.
RUNNERS: dict[type, Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]] = {}


# Called after each op, once entry.observe_ops has sent everything through `apply`.
OBSERVERS: list[Callable[[Op, tuple[Any, ...], tuple[Any, ...]], None]] = []


# Who wants to see each op, also those of functions: these run step by step then.
STEPWISE: set[int] = set()

# Called after each call of a compiled function, with its name.
CALL_OBSERVERS: list[Callable[[str], None]] = []

# Called with each tape that is about to be differentiated.
TAPE_OBSERVERS: list[Callable[[Any], None]] = []

# When the op, the call or the backward step that is shown next to such an observer began, by `time.perf_counter_ns`.
BEGAN = [0]

# The identity of the value whose backward step is shown next.
PASSED = [0]

# Called where a tape gives gradients of variables, with the targets, the gradients and the variables.
GRADIENT_OBSERVERS: list[Callable[[list[Any], list[Any], list[Any]], None]] = []

# Called after each backward step that runs, with its pull, the cotangent, the record and the parts it gave.
PULL_OBSERVERS: list[Callable[[Any, Any, Any, Any], None]] = []


def apply(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """Run an op on anything a user may pass, record it, and return a tensor (or a list of tensors)."""
    if OBSERVERS:
        BEGAN[0] = perf_counter_ns()
    for name, default in op.attributes.items():
        if name not in attributes:
            attributes[name] = default
    if OPERANDS:
        for value in args[0] if op.variadic else args:
            if value.__class__ in OPERANDS:
                return OPERANDS[value.__class__](op, args, attributes)
    if op.variadic:
        tensors = matching_tensors(op, args[0], range(len(args[0])))
    elif op.other:
        tensors = _mixed_tensors(op, args)
    else:
        tensors = matching_tensors(op, args)
    trace = STATE.trace if ACTIVE else None
    followed = trace is not None and trace.follows(args[0] if op.variadic else args)
    for tensor in tensors:
        if tensor.__class__ in RUNNERS:
            return RUNNERS[tensor.__class__](op, (tensors,) if op.variadic else tuple(tensors), attributes)
    if trace is not None and any(map(_is_open, attributes.values())):
        return trace.on_attributes(op, tensors, attributes)
    if trace is not None and followed and (op.vjps or op.lookup_error):
        return trace.step(op, (tensors,) if op.variadic else tuple(tensors), attributes)
    arrays = [tensor._array for tensor in tensors]
    check_dtype(op, tensors)
    try:
        result = op.eager(arrays, **attributes) if op.variadic else op.kernel_for(*arrays[:1])(*arrays, **attributes)
    except Exception as error:
        raise explained(op, error, arrays, attributes) from None
    results = (result,) if op.outputs == 1 else result
    # Where a numeric array gives a NumPy scalar, an array of text gives the bare element.
    outputs = tuple([from_array(np.array(r, object) if r.__class__ is bytes else r) for r in results])
    if ACTIVE:
        record_op(op, tuple(tensors), attributes, outputs)
    for observe in OBSERVERS:
        observe(op, tuple(tensors), outputs)
    return outputs[0] if op.outputs == 1 else list(outputs)


def _is_open(attribute: object) -> bool:
    """Whether an attribute is known only when a traced function runs."""
    if attribute.__class__ in (tuple, list):
        return any(map(_is_open, attribute))
    if attribute.__class__ is slice:
        return _is_open((attribute.start, attribute.stop, attribute.step))
    return isinstance(attribute, Size) or getattr(attribute.__class__, "_symbolic", False)


def matching_tensors(op: Op, args: Iterable[Any], labels: object = None) -> list[Any]:
    """The operands as tensors of one type: that of the first tensor among them, else of the first value."""
    args = list(args)
    # A fast path of what follows, for `stack` and `concat` of many. (Lists: a generator takes twice as long.)
    if args and all([value.__class__ is EagerTensor for value in args]):  # noqa: C419
        common = args[0]._array.dtype
        if all([value._array.dtype == common for value in args]):  # noqa: C419
            return args
    args = [value._read() if hasattr(value.__class__, "_read") else value for value in args]
    dtype: DType | None = next((value.dtype for value in args if isinstance(value, Tensor)), None)
    if dtype is None and len(op.dtypes) == 1:  # the only type there is
        dtype = BY_NUMPY[next(iter(op.dtypes))]
    tensors: list[Any] = []
    for position, value in enumerate(args):
        tensor = operand(op, value, dtype, position)
        if dtype is None:
            dtype = tensor.dtype
        elif tensor.dtype is not dtype:
            raise mixed_types(op, position, dtype, tensor.dtype)
        tensors.append(tensor)
    return tensors


def _mixed_tensors(op: Op, args: tuple[Any, ...]) -> list[Any]:
    given = list(args)
    common = None
    position = -1
    for value in args:  # a fast path of what follows, for tensors and variables of the right types
        position += 1
        if value.__class__ is not EagerTensor:
            if not hasattr(value.__class__, "_read"):
                break
            given[position] = value = value._read()
            if value.__class__ is not EagerTensor:
                break
        dtype = value._array.dtype
        allowed = op.other.get(op.arguments[position])
        if allowed is not None:
            if dtype not in allowed:
                break
        elif common is None:
            common = dtype
        elif dtype is not common:
            break
    else:
        return given
    group = [p for p, name in enumerate(op.arguments) if name not in op.other and p < len(args)]
    matched = dict(zip(group, matching_tensors(op, [given[p] for p in group]), strict=True))
    tensors: list[Any] = []
    for position, value in enumerate(given):
        if position in matched:
            tensors.append(matched[position])
            continue
        tensor = operand(op, value, None, position)
        allowed = op.other[op.arguments[position]]
        if tensor.dtype.numpy not in allowed:
            listed = ", ".join(sorted(BY_NUMPY[d].name for d in allowed))
            message = (
                f"{op.called}: {op.arguments[position]} of {tensor.dtype.name} is not in the list of allowed values: {listed}. "
                "Use tf.cast."
            )
            raise UnsupportedTypeError(None, None, message)
        tensors.append(tensor)
    return tensors


def operand(op: Op, value: Any, dtype: DType | None, position: int) -> Any:
    """One operand as a tensor of type `dtype`, if it is no tensor yet.

    NumPy's arrays and numbers are converted as `astype` does it, which cuts fractions off: so does TensorFlow. Python's
    floats never become integers.
    """
    cls = value.__class__
    if cls is EagerTensor:
        return value
    if hasattr(cls, "_read"):
        return value._read()
    if dtype is None or isinstance(value, Tensor):
        try:
            return to_tensor(value)
        except NotATensorError as error:
            raise NotATensorError(f"{op.called}: {error}") from None
    if isinstance(value, np.ndarray | np.generic):
        with np.errstate(all="ignore"):
            return from_array(to_array(value.real if value.dtype.kind == "c" != dtype.numpy.kind else value, dtype))
    try:
        return to_tensor(value, dtype)
    except TypeError:
        natural = to_tensor(value)
        if natural.dtype is dtype:
            raise
        raise mixed_types(op, position, dtype, natural.dtype) from None


def mixed_types(op: Op, position: int, expected: DType, given: DType) -> TensorTypeError:
    """The error for operands of two types."""
    label = op.arguments[position] if position < len(op.arguments) and not op.variadic else f"number {position}"
    message = (
        f"{op.called}: cannot compute {op.tf_name} as input #{position}(zero-based) was expected to be a "
        f"{_c_name(expected)} tensor but is a {_c_name(given)} tensor [Op:{op.tf_name}] ({label}). Types are never mixed "
        "silently: bring both to one type with tf.cast."
    )
    return TensorTypeError(None, None, message)


def _c_name(dtype: DType) -> str:
    """The type as TensorFlow's messages have it: float32 is float there."""
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


def check_dtype(op: Op, tensors: list[Any]) -> None:
    """Raise unless the op is defined for the (common) type of its operands."""
    for position, tensor in enumerate(tensors):
        if not op.variadic and position < len(op.arguments) and op.arguments[position] in op.other:
            continue
        dtype = tensor._array.dtype
        if dtype not in op.dtypes:
            allowed = ", ".join(sorted(BY_NUMPY[d].name for d in op.dtypes))
            message = (
                f"{op.called} is not defined for {BY_NUMPY[dtype].name}; allowed are {allowed}. Use tf.cast first."
            )
            raise UnsupportedTypeError(None, None, message)
        return  # the others have the same type


def explained(op: Op, error: Exception, arrays: list[Array], attributes: dict[str, Any]) -> Exception:
    """What to raise instead of an error that came out of a kernel."""
    if isinstance(error, (OpError, Warning)):
        return error
    exhausted = named(error, op.called)
    if isinstance(exhausted, ResourceExhaustedError):
        return exhausted
    if op.check is not None:
        try:
            op.check(*((arrays,) if op.variadic else arrays), **attributes)
        except Exception as better:  # (if the check itself fails, the kernel's error is reported below)
            if isinstance(better, OpError):
                return better
    of_blas = type(error).__module__ in ("_fblas", "_flapack")  # SciPy's BLAS has classes of its own
    if of_blas or isinstance(error, (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)):
        shapes = ", ".join(str(np.shape(a)) for a in arrays)
        settings = "".join(f", {k}={v!r}" for k, v in attributes.items())
        # The types of operands have been checked, so a TypeError is about an attribute.
        kind = OperandTypeError if isinstance(error, TypeError) else InvalidArgumentError
        return kind(None, None, f"{op.called}: {error} (operands of shape {shapes}{settings}).")
    return error
