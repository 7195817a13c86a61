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

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType
from typing import Any, Protocol

import numpy as np

from ..base.dtypes import NUMERIC
from ..base.errors import InvalidArgumentError, OpDeclarationError
from ..base.generated import identifier
from ..native.choice import Choice, choice_of
from ..native.texts import Exact, NumPyFunction
from ..values.tensor import EagerTensor, Tensor
from .call import RUNNERS, apply
from .record import OpPull

Rule = Callable[..., Any]
REGISTRY: dict[str, Op] = {}
_NUMBERS = frozenset((float, int, np.float32, np.float64))  # what rules are given besides arrays, for the most part
REQUIRED = object()  # the default of an attribute that has none


class Entry(Protocol):
    """The function of an op that users call. (An op of several outputs gives a list or tuple of tensors.)"""

    op: Op
    __name__: str
    __source__: str

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        """The result, always as a tensor."""


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
    """One valid call of an op, to be tested in every way.

    >>> import gradtape as tf
    >>> import numpy as np
    >>> @tf.extend.op
    ... def example_scaled(xp, x, *, by=2.0):
    ...     "x times a number."
    ...     return x * by
    >>> @example_scaled.samples
    ... def _(draw):
    ...     yield tf.extend.Sample((draw((2, 3)),))
    ...     yield tf.extend.Sample((np.array([1.0, 2.0]),), {"by": 0.5}, reference=np.array([0.5, 1.0]))

    Args:
        args: The operands: arrays, also made by `draw(shape)`, which the sampler is given.
        attributes: The attributes by name; the others have their defaults.
        reference: The expected value; None: what `@op.value` gives, where it is declared.
        differentiable: Whether derivatives are tested there too; not at kinks and poles, where finite differences mean
            nothing.
    """

    args: tuple[Any, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    reference: Any = None  # the expected value, where the op's own reference does not cover it
    differentiable: bool = True  # False at kinks and poles, where finite differences mean nothing


@dataclass(frozen=True, slots=True)
class BadInput:
    """One call that must raise, and leave nothing changed.

    >>> import gradtape as tf
    >>> import numpy as np
    >>> @tf.extend.op
    ... def example_root(xp, x):
    ...     "The square root of one number."
    ...     if x.ndim:
    ...         raise tf.errors.InvalidArgumentError(None, None, f"one number is needed, got shape {x.shape}.")
    ...     return xp.sqrt(x)
    >>> @example_root.rejects
    ... def _():
    ...     yield tf.extend.BadInput("only scalars", (np.ones(3),))

    Args:
        why: What is wrong with the call, for the report of a failed test.
        args: The operands.
        attributes: The attributes by name; the others have their defaults.
        error: The class of errors that must be raised, or several of them.
    """

    why: str
    args: tuple[Any, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    error: type[Exception] | tuple[type[Exception], ...] = InvalidArgumentError


class Op:
    """A primitive operation; see the module's docstring."""

    dtypes: frozenset[np.dtype[Any]]
    multilinear: bool
    is_for_devices = False  # whether it says something of several devices: functions with it run there
    waits = False  # whether a call may wait for others: it is made when a program runs, never while it is compiled

    def __init__(
        self,
        kernel: Rule,
        *,
        eager: Rule | None = None,
        tf_name: str | None = None,
        called: str | None = None,
        dtypes: frozenset[np.dtype[Any]] = NUMERIC,
        other: dict[str, frozenset[np.dtype[Any]]] | None = None,
        variadic: bool = False,
        outputs: int | None = 1,
        broadcasts: bool = False,
        retypes: bool = False,
        numbers: bool = False,
        large: Exact | NumPyFunction | None = None,
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
        self.called = called or self.name  # the function that users know, for messages
        self.__doc__ = kernel.__doc__
        self.__name__ = kernel.__name__
        self.__module__ = kernel.__module__ or "__main__"  # (code run by `exec` may have no module)
        self.kernel = kernel
        self.eager: Rule = eager if eager is not None else _on_numpy(kernel)
        self.checks_flags = checks_flags  # whether entries look at truth values and text among the attributes
        self.large = large  # the kernel that computes large arrays on all cores, with the size from which it does
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
        self.retypes = retypes  # whether the output may have another type than the operands
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
        self.shape_rule = shape  # see op/abstract.py
        self.xla_kernel: Rule | None = None  # what computes it on XLA in place of the kernel
        self.stays_on_host: str | None = None  # why XLA cannot compute it
        self.gives = gives  # types of the results: one, one for each, or a rule for them; None: that of the operands
        # What runs on arrays of sizes, some of which are symbols; True: the kernel as it is written.
        self.on_sizes: Rule | None = _on_numpy(kernel) if on_sizes is True else on_sizes or None
        self._pulls: dict[Any, OpPull] = {}
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

    def xla(self, kernel: Rule) -> Rule:
        """Declare what computes the op on XLA, where the kernel with jax.numpy for NumPy does not: `rule(jax, *operands)`.

        It is given the package jax first, then what the kernel is given, and runs while jax traces.
        """
        self.xla_kernel = kernel
        return kernel

    def host_only(self, reason: str) -> None:
        """Declare that XLA cannot compute the op, and why: it runs on the host, between the parts that XLA runs."""
        self.stays_on_host = reason

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
        """The rule of one argument; its parameters must name parts of the op, or be among `known`."""
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
            if cls is np.ndarray or cls in _NUMBERS:
                continue
            if cls in RUNNERS:
                runner = RUNNERS[cls]
            elif runner is None and (issubclass(cls, EagerTensor) or hasattr(cls, "_read")):
                runner = apply
        if runner is None:
            if len(attributes) != len(self.attributes):
                attributes = {**self.attributes, **attributes}
            large = self.large  # (`kernel_for`, inlined: rules call ops on small arrays)
            if large is None or getattr(args[0], "size", 0) < large.smallest:
                return self.eager(*args, **attributes)
            return large(*args, **attributes)
        return runner(self, args, attributes)

    def kernel_for(self, first: object = None) -> Rule:
        """The kernel for operands of which this is the first (if there are any), by its size."""
        large = self.large
        return self.eager if large is None or getattr(first, "size", 0) < large.smallest else large

    @property
    def ways(self) -> Choice | None:
        """The two ways to compute it, if there are two: by one kernel for small arrays, by another for large ones."""
        other = self.large and Choice(self.eager, self.large, self.large.smallest)
        return choice_of(self.eager) or other or None

    @property
    def public(self) -> Entry:
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
    ) -> OpPull:
        """The function `pull(cotangent, record)` that gives the cotangents of the followed arguments."""
        key = (followed, numbers, broadcast, conjugate)
        found = self._pulls.get(key)
        if found is None:
            from .entry import build_pull

            found = self._pulls[key] = build_pull(self, followed, numbers, broadcast, conjugate)
        return found


def _code_of(function: Rule, role: str) -> CodeType:
    """The code object of a kernel or a rule, from which its parameters are read."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        raise OpDeclarationError(f"{role} is a Python function, whose parameters are read; got {function!r}. Use def.")
    return code


def _on_numpy(kernel: Rule) -> Rule:
    def eager(*args: object, **attributes: object) -> Any:
        return kernel(np, *args, **attributes)

    return eager


def op(**options: Any) -> Callable[[Rule], Op]:
    """Decorator: declare the function as an op; its keyword-only parameters are attributes, the others tensors."""
    return lambda kernel: Op(kernel, **options)
