"""The `Op` record: what an op computes, how it differentiates both ways, how it is batched, how it is tested.

An op is declared in one block (see docs/design/ops.md):

    @elementwise(eager=np.tanh)
    def tanh(xp, x):
        return xp.tanh(x)

    @tanh.derivative("x")
    def _(t, out):
        return t - t * (out * out)

The name then stands for the op itself. Called as `tanh(x)`, as rules do, it takes what it is given: arrays give
an array, tensors a tensor, batched values a batched value. `tanh.public` is the function that users see: it always
returns a tensor.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType
from typing import Any

import numpy as np

from ..base.context import ACTIVE, STATE, next_id
from ..base.dtypes import BY_NUMPY, NUMERIC, Array, DType
from ..base.errors import (
    GradientLookupError,
    InfiniteNumberError,
    InvalidArgumentError,
    MissingArgumentError,
    NotATensorError,
    NumberNeededError,
    OpDeclarationError,
    OperandTypeError,
    OpError,
    ResourceExhaustedError,
    TensorTypeError,
    UnsupportedTypeError,
    invalid,
    named,
)
from ..base.frames import user_location
from ..base.generated import identifier
from ..native import thresholds
from ..native.choice import Choice, choice_of
from ..values.composite import OPERANDS
from ..values.tensor import EagerTensor, Tensor, from_array, to_array, to_tensor

Rule = Callable[..., Any]
REGISTRY: dict[str, Op] = {}

# Operand types that are neither arrays nor eager tensors (batched and symbolic values), with what runs an op on them.
# The layers above fill it in; a later entry wins over an earlier one.
RUNNERS: dict[type, Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]] = {}


# Called after each op, once entry.observe_ops has sent everything through `apply`.
OBSERVERS: list[Callable[[Op, tuple[Any, ...], tuple[Any, ...]], None]] = []


@dataclass(frozen=True, slots=True)
class Derivative:
    """One differentiation rule for one argument; `needs` names what it must be given besides the direction."""

    rule: Rule
    needs: tuple[str, ...]

    @classmethod
    def of(cls, rule: Rule) -> Derivative:
        ways = choice_of(rule)
        code = _code_of(ways.small if ways else rule, "A rule")
        return cls(rule, code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount])


@dataclass(frozen=True, slots=True)
class Sample:
    """One valid call of an op, to be tested in every way."""

    args: tuple[Any, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    reference: Any = None  # the expected value, where the op's own reference does not cover it
    differentiable: bool = True  # False at kinks and poles, where finite differences mean nothing


@dataclass(frozen=True, slots=True)
class BadInput:
    """One call that must raise, and leave nothing changed."""

    why: str
    args: tuple[Any, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    error: type[Exception] | tuple[type[Exception], ...] = InvalidArgumentError


class Op:
    """A primitive operation; see the module's docstring."""

    dtypes: frozenset[np.dtype[Any]]
    multilinear: bool

    def __init__(
        self,
        kernel: Rule,
        *,
        eager: Rule | None = None,
        tf_name: str | None = None,
        dtypes: frozenset[np.dtype[Any]] = NUMERIC,
        other: dict[str, frozenset[np.dtype[Any]]] | None = None,
        variadic: bool = False,
        outputs: int | None = 1,
        broadcasts: bool = False,
        retypes: bool = False,
        numbers: bool = False,
        large: Rule | None = None,
        checks_flags: bool = True,
        shape: Rule | None = None,
        gives: Any = None,
        on_sizes: Rule | bool = False,
    ) -> None:
        code = _code_of(kernel, "A kernel")
        positional = code.co_varnames[1 : code.co_argcount]
        keyword = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        if "out" in (*positional, *keyword):
            raise OpDeclarationError(
                f"{kernel.__name__}: `out` means the op's output in rules, and cannot be a parameter. Choose another name."
            )
        if not kernel.__name__.isidentifier():
            raise OpDeclarationError(
                f"An op has the plain name of its kernel, and {kernel.__name__} is no name. Use def."
            )
        if not positional or code.co_flags & (CO_VARARGS | CO_VARKEYWORDS):
            raise OpDeclarationError(
                f"{kernel.__name__}: a kernel takes the array namespace first and operands after it, each by its name: "
                f"def {kernel.__name__}(xp, x)."
            )
        self.name = identifier(kernel.__name__)
        self.tf_name = tf_name or "".join(part.capitalize() for part in self.name.split("_"))
        self.__doc__ = kernel.__doc__
        self.__name__ = kernel.__name__
        self.__module__ = kernel.__module__ or "__main__"  # (code that was given to `exec` may have no module)
        self.kernel = kernel
        self.eager: Rule = eager if eager is not None else _on_numpy(kernel)
        self.checks_flags = checks_flags  # whether entries look at truth values and text among the attributes
        self.large = large  # for an exact op: the kernel that computes large arrays on all cores
        self.arguments: tuple[str, ...] = positional
        self.optional: dict[str, Any] = dict(
            zip(
                positional[len(positional) - len(kernel.__defaults__ or ()) :],
                kernel.__defaults__ or (),
                strict=True,
            )
        )
        self.attributes: dict[str, Any] = {name: (kernel.__kwdefaults__ or {}).get(name, REQUIRED) for name in keyword}
        self.dtypes = dtypes
        self.other = other or {}
        self.variadic = variadic
        self.outputs = outputs  # None: as many as the kernel returns
        self.broadcasts = broadcasts
        self.numbers = numbers  # whether kernel and rules take Python numbers as they are, beside a float tensor
        self.retypes = retypes  # whether the type of the output may be another than that of the operands
        self.vjps: dict[str, Derivative] = {}
        self.jvps: dict[str, Derivative] = {}
        self.linear_in: frozenset[str] = frozenset()
        self.steps_in: frozenset[str] = frozenset()  # arguments in which the value is constant between jumps
        self.multilinear = False  # a variadic op that is linear in each operand by itself, not in the list
        self.holomorphic: frozenset[str] = frozenset()  # arguments whose rule gives t * d, before conjugation
        self.no_derivative: str | None = None
        self.lookup_error = False
        self.batching: Rule | None = None
        self.check: Rule | None = None
        self.samplers: list[Rule] = []
        self.bad_inputs: list[Rule] = []
        self.reference: Rule | None = None
        self.allowed_direction: Rule | None = None
        self.tf_names: tuple[str, ...] = ()
        self.shape_rule = shape  # see op/abstract.py
        self.gives = gives  # types of the results: one, one for each, or a rule for them; None: that of the operands
        # What runs on arrays of sizes, some of which are symbols; True: the kernel as it is written.
        self.on_sizes: Rule | None = _on_numpy(kernel) if on_sizes is True else on_sizes or None
        self._pulls: dict[Any, Any] = {}
        self._public: Any = None
        if self.name in REGISTRY:
            raise OpDeclarationError(
                f"There is an op named {self.name} already, declared in {REGISTRY[self.name].__module__}. Choose another name: "
                "begin it with the name of your package."
            )
        REGISTRY[self.name] = self

    # --- declaration ---------------------------------------------------------------------------------------------

    def vjp(self, argument: str) -> Callable[[Rule], Rule]:
        """Declare the reverse rule of one argument: cotangent of the output -> cotangent of the argument."""

        def declare(rule: Rule) -> Rule:
            self.vjps[argument] = self._derivative(argument, rule, ("out_shape",))
            return rule

        return declare

    def jvp(self, argument: str) -> Callable[[Rule], Rule]:
        """Declare the forward rule of one argument: tangent of the argument -> its part of the output's tangent."""

        def declare(rule: Rule) -> Rule:
            self.jvps[argument] = self._derivative(argument, rule)
            return rule

        return declare

    def derivative(self, argument: str) -> Callable[[Rule], Rule]:
        """Declare an elementwise derivative as the map `t -> t * d out / d argument`: it serves both directions."""

        def declare(rule: Rule) -> Rule:
            self.vjps[argument] = self.jvps[argument] = self._derivative(argument, rule)
            self.holomorphic |= {argument}
            return rule

        return declare

    def constant_in(self, *arguments: str) -> None:
        """Declare that the value stays the same, between jumps, when one of these arguments changes.

        The derivative is zeros like the output, not None, so that a second derivative through relu is zeros.
        """

        def zeros(t: object) -> Any:
            return REGISTRY["zeros_like"](t)

        for argument in arguments:
            self.derivative(argument)(zeros)
            self.steps_in |= {argument}

    def linear(self, *arguments: str) -> None:
        """Declare that the op is linear in each of these arguments: the forward rule is the op itself."""
        self.linear_in |= {self._known(argument) for argument in arguments}

    def not_differentiable(self, reason: str, *, lookup_error: bool = False) -> None:
        """Declare that there is no derivative, and why; with `lookup_error`, asking for one raises as in TensorFlow."""
        self.no_derivative = reason
        self.lookup_error = lookup_error

    def batched(self, rule: Rule) -> Rule:
        """Declare how the op runs on values with a hidden first axis: `rule(op, is_batched, args, attributes)`."""
        self.batching = rule
        return rule

    def checks(self, rule: Rule) -> Rule:
        """Declare what explains a failure: called with the op's arrays and attributes, raises where they are wrong."""
        self.check = rule
        return rule

    def samples(self, sampler: Rule) -> Rule:
        """Declare inputs to test on: `sampler(draw)` yields `Sample`s."""
        self.samplers.append(sampler)
        return sampler

    def rejects(self, bad: Rule) -> Rule:
        """Declare inputs that must raise: `bad()` yields `BadInput`s."""
        self.bad_inputs.append(bad)
        return bad

    def value(self, reference: Rule) -> Rule:
        """Declare an independent way to compute the value, in float64 NumPy or SciPy, for the tests."""
        self.reference = reference
        return reference

    def shapes(self, rule: Rule) -> Rule:
        """Declare how the shapes of the results follow from those of the operands; see op/abstract.py."""
        self.shape_rule = rule
        return rule

    def directions(self, projection: Rule) -> Rule:
        """Declare which changes of the operands make sense, for the tests: a Hermitian matrix stays Hermitian."""
        self.allowed_direction = projection
        return projection

    def _known(self, argument: str) -> str:
        if argument not in self.arguments:
            raise OpDeclarationError(
                f"{self.name} has no argument {argument!r}; it has {', '.join(self.arguments)}. Name one of them in the rule."
            )
        return argument

    def _derivative(self, argument: str, rule: Rule, known: Iterable[str] = ()) -> Derivative:
        """The rule of one argument, whose parameters name what the op has (or one of `known`)."""
        self._known(argument)
        declared = Derivative.of(rule)
        for name in declared.needs:
            if not (name in self.arguments or name in self.attributes or name == "out" or name in known):
                if name.removesuffix("_shape") in self.arguments:
                    continue
                raise OpDeclarationError(
                    f"{self.name}: the rule of {argument} asks for {name!r}, which the op does not have. A rule is given the "
                    "direction, and after it by name what it asks for: "
                    f"{', '.join([*self.arguments, *(f'{a}_shape' for a in self.arguments), *self.attributes, 'out', *known])}."
                )
        return declared

    # --- calls ---------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **attributes: object) -> Any:
        """The internal entry, for rules and composites: arrays give an array, anything wrapped is wrapped again."""
        runner = None
        for value in args[0] if self.variadic else args:
            cls = value.__class__
            if cls is np.ndarray:
                continue
            if cls in RUNNERS:
                runner = RUNNERS[cls]
            elif runner is None and (cls is EagerTensor or hasattr(cls, "_read")):
                runner = apply
        if runner is None:
            if len(attributes) != len(self.attributes):
                attributes = {**self.attributes, **attributes}
            return self.eager(*args, **attributes)
        return runner(self, args, attributes)

    @property
    def ways(self) -> Choice | None:
        """The two ways to compute it, if there are two: by one kernel for small arrays, by another for large ones."""
        exact = self.large and Choice(self.eager, self.large, thresholds.EXACT_ELEMENTS)
        return choice_of(self.eager) or exact or None

    @property
    def public(self) -> Any:
        """The function that users call; see op/entry.py."""
        if self._public is None:
            from .entry import public_entry

            self._public = public_entry(self)
        return self._public

    def __repr__(self) -> str:
        return f"<op {self.name}({', '.join((*self.arguments, *self.attributes))})>"

    # --- recording -----------------------------------------------------------------------------------------------

    def saved_names(self, followed: tuple[int, ...], broadcast: bool) -> list[str]:
        """What a record must keep for these arguments, in the order in which it is kept."""
        names: list[str] = []
        for position in followed:
            argument = self.arguments[position]
            rule = self.vjps.get(argument)
            for name in rule.needs if rule else ():
                if name not in names:
                    names.append(name)
            if broadcast and f"{argument}_shape" not in names:
                names.append(f"{argument}_shape")
        return names

    def pull(
        self,
        followed: tuple[int, ...],
        numbers: tuple[int, ...] = (),
        broadcast: bool = False,
        conjugate: bool = False,
    ) -> Any:
        """The function `pull(cotangent, record)` that gives the cotangents of the followed arguments."""
        key = (followed, numbers, broadcast, conjugate)
        found = self._pulls.get(key)
        if found is None:
            from .entry import build_pull

            found = self._pulls[key] = build_pull(self, followed, numbers, broadcast, conjugate)
        return found


def _code_of(function: Rule, role: str) -> CodeType:
    """What names the parameters of a kernel or a rule."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        raise OpDeclarationError(f"{role} is a Python function, whose parameters are read; got {function!r}. Use def.")
    return code


REQUIRED = object()  # the default of an attribute that has none


# --- attributes: the values that are not tensors, as users may write them ---------------------------------------------


def as_int(value: Any) -> int:
    """An integer, also from a NumPy integer or an integer tensor without axes."""
    if value.__class__ is int:
        return int(value)
    if isinstance(value, (bool, np.bool_)):
        raise NumberNeededError(None, None, f"An integer is needed, got {value!r}.")
    try:
        return int(operator.index(value))
    except TypeError:
        try:
            array = to_array(value)
        except (TypeError, ValueError):
            array = None
        if array is not None and array.dtype.kind in "iu" and array.size == 1:
            return int(array.reshape(())[()])
        message = f"An integer is needed, got {value!r} of type {type(value).__name__}."
        raise (InfiniteNumberError if _is_infinite(array) else NumberNeededError)(None, None, message) from None


def _is_infinite(array: Any) -> bool:
    return array is not None and array.dtype.kind == "f" and array.size == 1 and bool(np.isinf(array).all())


def as_ints(value: Any) -> tuple[int, ...]:
    """A tuple of integers from an integer, a sequence of integers, an array or an integer tensor."""
    if isinstance(value, (list, tuple)):
        return tuple([v if v.__class__ is int else as_int(v) for v in value])
    if isinstance(value, range):
        return tuple(value)
    if value.__class__ is int:
        return (value,)
    array = np.asarray(value if isinstance(value, (Tensor, np.ndarray)) else to_array(value))
    if array.size == 0:
        return ()
    if array.dtype.kind not in "iu" or array.ndim > 1:
        kind = InfiniteNumberError if _is_infinite(array) else NumberNeededError
        raise kind(None, None, f"Integers are needed, got {value!r}.")
    return tuple(array.reshape(-1).tolist())


def as_int_vector(value: Any, name: str) -> tuple[int, ...]:
    """A tuple of integers; one integer by itself is none."""
    if not isinstance(value, (list, tuple)) and not np.ndim(value):
        as_ints(value)  # what is no integer at all is told first
        raise invalid(f"{name} must be a vector of integers, got {value!r}. Use [{value!r}].")
    return as_ints(value)


def as_float(value: Any) -> float:
    """A real number, also from a NumPy number or a tensor with one element."""
    if value.__class__ is float:
        return float(value)
    if isinstance(value, Tensor) and value.dtype.is_floating and value.shape.num_elements() == 1:
        return float(value)  # as a tensor answers: inside a trace it may know its value, or say that it does not
    array = np.asarray(to_array(value))
    if array.size != 1 or array.dtype.kind not in "fiuVb":
        raise NumberNeededError(None, None, f"A number is needed, got {value!r} of type {type(value).__name__}.")
    return float(array.reshape(())[()])


def as_axis(value: Any) -> int | tuple[int, ...] | None:
    """An axis, several axes, or None."""
    if value is None or value.__class__ is int:
        return value
    if isinstance(value, (list, tuple)) or np.ndim(value):
        return as_ints(value)
    return as_int(value)


def as_shape(value: Any) -> tuple[int, ...]:
    """A shape: integers, none below -1, whose product an array can have."""
    try:
        shape = as_ints(value)
    except (InvalidArgumentError, NotATensorError):
        if value is None or (isinstance(value, (list, tuple)) and None in value):
            message = f"A shape needs known sizes, got {value!r}. Use -1 (in reshape) or tf.shape(x)."
            raise MissingArgumentError(None, None, message) from None
        raise
    size = 1
    for length in shape:
        if length < -1:
            raise invalid(f"A size cannot be negative, got {length} in shape {list(shape)}.")
        size *= abs(length)
    if size > 2**62:
        raise invalid(f"Shape {list(shape)} has too many elements ({size}).")
    return shape


# Attributes of these names mean the same in every op, and are brought to their canonical form by public entries.
CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "axis": as_axis,
    "shape": as_shape,
    "keepdims": bool,
}


def _on_numpy(kernel: Rule) -> Rule:
    def eager(*args: object, **attributes: object) -> Any:
        return kernel(np, *args, **attributes)

    return eager


def op(**options: Any) -> Callable[[Rule], Op]:
    """Decorator: declare the function as an op; its keyword-only parameters are attributes, the others tensors."""
    return lambda kernel: Op(kernel, **options)


# --- the general path: any operands, any op; the generated entries are this, made fast for the usual case ------------


def apply(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """Run an op on anything a user may pass, record it, and return a tensor (or a list of tensors)."""
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
    if trace is not None and followed and (op.vjps or op.lookup_error):
        return trace.step(op, (tensors,) if op.variadic else tuple(tensors), attributes)
    arrays = [tensor._array for tensor in tensors]
    check_dtype(op, tensors)
    try:
        result = op.eager(arrays, **attributes) if op.variadic else op.eager(*arrays, **attributes)
    except Exception as error:
        raise explained(op, error, arrays, attributes) from None
    results = (result,) if op.outputs == 1 else result
    # An array of text gives out its element where a numeric one gives a NumPy scalar.
    outputs = tuple([from_array(np.array(r, object) if r.__class__ is bytes else r) for r in results])
    if ACTIVE:
        record(op, tuple(tensors), attributes, outputs)
    for observe in OBSERVERS:
        observe(op, tuple(tensors), outputs)
    return outputs[0] if op.outputs == 1 else list(outputs)


def matching_tensors(op: Op, args: Iterable[Any], labels: object = None) -> list[Any]:
    """The operands as tensors of one type: that of the first tensor among them, else of the first value."""
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
    group = [p for p, name in enumerate(op.arguments) if name not in op.other and p < len(args)]
    matched = dict(zip(group, matching_tensors(op, [args[p] for p in group]), strict=True))
    tensors: list[Any] = []
    for position, value in enumerate(args):
        if position in matched:
            tensors.append(matched[position])
            continue
        tensor = operand(op, value, None, position)
        allowed = op.other[op.arguments[position]]
        if tensor.dtype.numpy not in allowed:
            expected = " or ".join(sorted(BY_NUMPY[d].name for d in allowed))
            message = f"{op.name}: {op.arguments[position]} must be {expected}, got {tensor.dtype.name}. Use tf.cast."
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
            raise NotATensorError(f"{op.name}: {error}") from None
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
        f"{op.name}: cannot compute {op.tf_name} as input #{position} ({label}) was expected to be {expected.name} "
        f"but is {given.name}. Types are never mixed silently: bring both to one type with tf.cast."
    )
    return TensorTypeError(None, None, message)


def check_dtype(op: Op, tensors: list[Any]) -> None:
    """Raise unless the op is defined for the (common) type of its operands."""
    for position, tensor in enumerate(tensors):
        if not op.variadic and position < len(op.arguments) and op.arguments[position] in op.other:
            continue
        dtype = tensor._array.dtype
        if dtype not in op.dtypes:
            allowed = ", ".join(sorted(BY_NUMPY[d].name for d in op.dtypes))
            message = f"{op.name} is not defined for {BY_NUMPY[dtype].name}; allowed are {allowed}. Use tf.cast first."
            raise UnsupportedTypeError(None, None, message)
        return  # the others have the same type


def explained(op: Op, error: Exception, arrays: list[Array], attributes: dict[str, Any]) -> Exception:
    """What to raise instead of an error that came out of a kernel."""
    if isinstance(error, (OpError, Warning)):
        return error
    exhausted = named(error, op.name)
    if isinstance(exhausted, ResourceExhaustedError):
        return exhausted
    if op.check is not None:
        try:
            op.check(*((arrays,) if op.variadic else arrays), **attributes)
        except Exception as better:  # (what is too wrong to be explained is left to what follows)
            if isinstance(better, OpError):
                return better
    of_blas = type(error).__module__ in ("_fblas", "_flapack")  # SciPy's BLAS has classes of its own
    if of_blas or isinstance(error, (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)):
        shapes = ", ".join(str(np.shape(a)) for a in arrays)
        settings = "".join(f", {k}={v!r}" for k, v in attributes.items())
        # A kernel stumbles over the type of an attribute: operands have been checked.
        kind = OperandTypeError if isinstance(error, TypeError) else InvalidArgumentError
        return kind(None, None, f"{op.name}: {error} (operands of shape {shapes}{settings}).")
    return error


def record(op: Op, inputs: tuple[Any, ...], attributes: dict[str, Any], outputs: tuple[Any, ...]) -> None:
    """Append the op to every tape of this thread that follows one of its inputs; then advance the accumulators."""
    if op.no_derivative is not None and not op.lookup_error:
        return
    state = STATE
    for records in state.tapes:
        followed = tuple([p for p, tensor in enumerate(inputs) if tensor._id in records])
        if followed and not op.variadic:
            followed = tuple([p for p in followed if op.arguments[p] in op.vjps or op.lookup_error])
        if not followed:
            continue
        if not (outputs[0].dtype.is_differentiable or op.lookup_error):
            continue
        append(records, op, followed, inputs, attributes, outputs)
    for accumulator in tuple(state.accumulators):
        accumulator.advance(op, inputs, attributes, outputs)


def append(
    records: Any,
    op: Op,
    followed: tuple[int, ...],
    inputs: tuple[Any, ...],
    attributes: dict[str, Any],
    outputs: tuple[Any, ...],
) -> None:
    """Write one record; its layout is described in differentiation/backward.py."""
    write(records, outputs, (*contents(op, followed, inputs, attributes, outputs), *user_location()))


def write(records: Any, outputs: Sequence[Any], record: tuple[Any, ...]) -> None:
    """Put a record under the first output, and the way there under the others."""
    first, *others = outputs
    if not first._id:
        for output in outputs:  # consecutive, the record under the first: it is reached when all others have been
            output._id = next_id()
    records[first._id] = record
    for slot, output in enumerate(others, 1):
        records[output._id] = (None, first._id, slot, len(outputs))


def contents(
    op: Op,
    followed: tuple[int, ...],
    inputs: tuple[Any, ...],
    attributes: dict[str, Any],
    outputs: tuple[Any, ...],
) -> tuple[Any, ...]:
    """A record without its place in the user's program: the pull, the number of ids, the ids, what the rules need."""
    first = outputs[0]
    ids = [inputs[p]._id for p in followed]
    count = len(ids)
    if op.lookup_error and not op.vjps:
        pull, saved = _refuse(op), []
    elif op.variadic:
        needs = op.vjps[op.arguments[0]].needs
        pull = op.pull(())
        saved = [followed, *(_saved(op, name, inputs, attributes, outputs) for name in needs)]
    else:
        broadcast = op.broadcasts and any(_shape(inputs[p]) != _shape(first) for p in followed)
        conjugate = bool(op.holomorphic) and first.dtype.is_complex
        pull = op.pull(followed, (), broadcast, conjugate)
        saved = [_saved(op, name, inputs, attributes, outputs) for name in op.saved_names(followed, broadcast)]
    if op.outputs != 1:
        count = -count  # what the backward pass knows several outputs by; the last thing kept is what they look like
        saved.append(tuple([(_shape(output), output.dtype.numpy) for output in outputs]))
    return (pull, count, *ids, *saved)


def _saved(op: Op, name: str, inputs: tuple[Any, ...], attributes: dict[str, Any], outputs: tuple[Any, ...]) -> Any:
    if name == "out":
        return outputs[0] if op.outputs == 1 else outputs
    if name in op.arguments:
        return inputs if op.variadic else inputs[op.arguments.index(name)]
    if name in attributes:
        return attributes[name]
    argument = name.removesuffix("_shape")
    if argument == "out":
        return _shape(outputs[0])
    if op.variadic:
        return tuple([_shape(tensor) for tensor in inputs])
    return _shape(inputs[op.arguments.index(argument)])


def _shape(tensor: Any) -> tuple[int, ...]:
    """A plain tuple; a TensorShape takes ten times as long to make and to compare."""
    shape: tuple[int, ...] = tensor._array.shape if tensor.__class__ is EagerTensor else tuple(tensor.shape)
    return shape


def _refuse(op: Op) -> Rule:
    def pull(cotangent: object, entry: object) -> Any:
        raise GradientLookupError(
            f"gradient registry has no entry for: {op.tf_name}. tf.{op.name} has no derivative: {op.no_derivative}. "
            "Take it off the path with tf.stop_gradient."
        )

    pull.on_tensors = pull  # type: ignore[attr-defined]
    return pull
