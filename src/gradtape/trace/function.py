"""`tf.function`: a Python function that is recorded once for each kind of arguments, and then run as a graph."""

from __future__ import annotations

import functools
import os
import sys
import types
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, Generic, overload

import numpy as np

from ..base import nest
from ..base.context import ACTIVE, STATE
from ..base.dtypes import int32
from ..base.locks import new_rlock
from ..base.notebook import Form, in_notebook
from ..base.shapes import TensorShape
from ..native.callables import call_directly, call_usually, directly_callable
from ..values.composite import COMPOSITES
from ..values.tensor import EagerTensor, Tensor, TensorSpec, to_tensor
from ..variables.variable import Variable
from . import storms
from .concrete import ConcreteFunction
from .engines import CHOSEN, checked
from .function_type import FunctionSpec, FunctionType, declared_type
from .recorder import Recorder, TracePolicy, running_recorder
from .signature import Encoder, InputSignature, Parameters, checked_signature, with_tensors

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, TypeVar

    from ..diagnostics.traces import Traces
    from ..diagnostics.view.view import View

    _P = ParamSpec("_P", default=...)
    _Result = TypeVar("_Result", default=Any)
else:  # (defaults of type variables came with Python 3.13; only type checkers need them)
    from typing import ParamSpec, TypeVar

    _P = ParamSpec("_P")
    _Result = TypeVar("_Result")
_Rest = ParamSpec("_Rest")
_Object = TypeVar("_Object")

# One trace at a time: a function may be called for the first time by several threads at once.
_TRACING = new_rlock()

_DIRECT = 8  # kinds of arguments with which a function is called at once


def _is_given(argument: object, tensor: object) -> bool:
    """Whether an argument is that tensor, or an array of it."""
    return argument is tensor or argument.__class__ is np.ndarray


def _nothing(*args: object, **kwargs: object) -> Any:
    """Arguments that no machine code is for."""
    return NotImplemented


# Classes of objects that functions return as they are. Datasets and their iterators register themselves here.
RETURNED: list[type] = []


class _Eagerly:
    """Whether functions run as plain Python (`tf.config.run_functions_eagerly`)."""

    @property
    def on(self) -> bool:
        """Whether they do."""
        return self in _UNUSUAL

    @on.setter
    def on(self, value: bool) -> None:
        (_UNUSUAL.add if value else _UNUSUAL.discard)(self)


# Why a call does more than to run what was traced: functions run eagerly, or somebody wants to see each call. (One question for
# all of them, because every call asks it.)
_UNUSUAL: set[Any] = set()
EAGERLY = _Eagerly()


def observe_functions(observer: Callable[[Function[..., Any]], None]) -> None:
    """Call `observer(function)` before each call of a function of `tf.function`, until `unobserve_functions`."""
    _UNUSUAL.add(observer)


def unobserve_functions(observer: Callable[[Function[..., Any]], None]) -> None:
    """Undo `observe_functions`."""
    _UNUSUAL.discard(observer)


def _is_elsewhere(concrete: ConcreteFunction) -> bool:
    """Whether it refers to values of a function around it that is not being traced now."""
    recorder = None if STATE.trace is None else STATE.trace.recorder
    return any(recorder is None or not recorder.sees(value) for value in concrete.enclosed)


class Function(Generic[_P, _Result]):
    """A callable that traces a Python function; see `tf.function`.

    >>> import gradtape as tf
    >>> double = tf.function(lambda x: x + x)
    >>> isinstance(double, tf.types.experimental.PolymorphicFunction), double(tf.constant(2.0)).numpy()
    (True, np.float32(4.0))

    Args:
        python_function: The Python function.
        name: A name for messages.
        input_signature: Specs of the arguments; one recording then serves all calls.
        autograph: Whether Python's `if`, `while` and `for` become branches and loops.
        jit_compile: Whether XLA's rules of compiled functions hold.
        reduce_retracing: Whether sizes that change are taken as unknown.
        engine: What runs it; by default `tf.config.get_engine()`.
    """

    __slots__ = ("__dict__", "__weakref__", "_direct")
    _direct: Callable[..., Any] | None  # the function in machine code

    def __init__(
        self,
        python_function: Callable[_P, _Result],
        name: str | None = None,
        input_signature: object = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
        engine: str | None = None,
    ) -> None:
        functools.update_wrapper(self, python_function)
        self._python_function = python_function
        self._name = str(name or getattr(python_function, "__name__", type(python_function).__name__))
        specs = checked_signature(input_signature)
        self._autograph = autograph
        self._jit_compile = jit_compile
        self._reduce_retracing = reduce_retracing
        self._engine = None if engine is None else checked(engine)
        self._parameters = Parameters(python_function)
        self._signature = None if specs is None else InputSignature(specs, self._parameters)
        self._traces: dict[Any, ConcreteFunction] = {}
        self._looser: dict[Any, list[ConcreteFunction]] = {}  # the same traces, by everything but shapes
        self._alive: dict[int, weakref.ref[Any]] = {}
        self._bound: dict[int, tuple[weakref.ref[Any], Function[..., Any]]] = {}
        self._direct = None
        self._directs = 0
        self.derived: dict[
            tuple[int, ...], Function[..., Any]
        ] = {}  # its gradients as functions, by the variables they are in
        self._count = 0
        self._storm = storms.storm_of(python_function)
        self._last: dict[str, str] | None = None
        self._notes: dict[int, dict[str, str]] = {}  # what each trace was made for, by `id`, in the order of the traces
        self._traced_once = False
        names = self._parameters.names
        if specs is not None and len(specs) > len(names) and not self._parameters.takes_any_number:
            raise TypeError(
                f"input_signature has {len(specs)} specs, but {self._name} takes {len(names)} arguments: "
                f"{', '.join(names) or 'none'}."
            )

    # --- what users see --------------------------------------------------------------------------------------------

    @property
    def python_function(self) -> Callable[_P, _Result]:
        """The Python function."""
        return self._python_function

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The signature that was given."""
        return None if self._signature is None else self._signature.specs

    @property
    def function_type(self) -> FunctionType:
        """The parameters of the Python function, with the types that `input_signature` gives them."""
        return declared_type(self._parameters.signature, self.input_signature)

    @property
    def function_spec(self) -> FunctionSpec:
        """The parameters of the Python function, as `inspect.getfullargspec` tells them."""
        return FunctionSpec(self.function_type, self.input_signature, self._name)

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function was run to record it.

        >>> @tf.function
        ... def square(x):
        ...     return x * x
        >>> _ = square(tf.constant(1.0)), square(tf.constant(2.0)), square(tf.constant([1.0]))
        >>> square.experimental_get_tracing_count()
        2

        Returns:
            An integer.
        """
        return self._count

    def experimental_get_compiler_ir(self, *args: object, **kwargs: object) -> Any:
        """The text of the graph for some arguments.

        >>> @tf.function
        ... def square(x):
        ...     return x * x
        >>> print(square.experimental_get_compiler_ir(tf.constant(2.0))())
        square(%0):
            %1: float32[] = multiply(%0, %0)
            return %1

        Args:
            args: Arguments of the function, or specs of them.
            kwargs: The same by name.

        Returns:
            A function, which gives the text; the stage that it takes is not looked at.
        """
        concrete = self.get_concrete_function(*args, **kwargs)
        return lambda stage="hlo", *rest, **settings: str(concrete.graph)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """All traces, one signature in each paragraph.

        >>> @tf.function
        ... def square(x):
        ...     return x * x
        >>> _ = square(tf.constant(1.0))
        >>> print(square.pretty_printed_concrete_signatures(verbose=False))
        (x: TensorSpec(shape=(), dtype=tf.float32, name=None)) -> TensorSpec(shape=(), dtype=tf.float32, name=None)

        Args:
            verbose: Whether results and captured tensors are listed too, in lines of their own.

        Returns:
            A text.
        """
        return "\n\n".join(trace.pretty_printed_signature(verbose) for trace in self._all_traces())

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The same as `pretty_printed_concrete_signatures`.

        >>> @tf.function
        ... def square(x):
        ...     return x * x
        >>> _ = square(tf.constant(1.0))
        >>> print(square.pretty_printed_signature(verbose=False))
        (x: TensorSpec(shape=(), dtype=tf.float32, name=None)) -> TensorSpec(shape=(), dtype=tf.float32, name=None)

        Args:
            verbose: Whether results and captured tensors are listed too, in lines of their own.

        Returns:
            A text.
        """
        return self.pretty_printed_concrete_signatures(verbose)

    def explain(self) -> Traces:
        """The traces: what each was made for, what changed since the one before, and what of it runs compiled.

        >>> import gradtape as tf
        >>> @tf.function
        ... def power(x, n):
        ...     return x**n
        >>> _ = power(tf.constant(2.0), 2), power(tf.constant(2.0), 3)
        >>> power.explain().traces[1].changed
        ('n: int 2 -> int 3',)

        Returns:
            The answer, which prints itself: `name`, and `traces` with what is said of each.
        """
        from ..diagnostics import traces

        return traces.traces_of(self)

    def view(self) -> View:
        """A picture of each trace: its steps, with loops, branches and calls as groups, and how it runs; see docs/guide/view.md.

        >>> import gradtape as tf
        >>> @tf.function
        ... def f(x):
        ...     return tf.reduce_sum(tf.tanh(x))
        >>> _ = f(tf.constant([1.0, 2.0]))
        >>> [node.name for node in f.view().pictures[0].nodes]
        ['x', 'tanh', 'reduce_sum', 'return']

        Returns:
            The pictures: a notebook shows them, `save` writes them as a page; `svg`, `png`, `dot` and `html` give one form
                of them.
        """
        from ..diagnostics.view import graphs, view

        return view.View(graphs.pictures_of_function(self))

    def _all_traces(self) -> list[ConcreteFunction]:
        seen: dict[int, ConcreteFunction] = {id(trace): trace for trace in self._traces.values()}
        return list(seen.values())

    def _notebook_form(self) -> Form:
        return Form("tf.function", (("name", self._name),), text=str(self.explain()))

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"<gradtape.function {self._name}, {len(self._all_traces())} traces>"

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Function[_P, _Result]: ...
    @overload
    def __get__(
        self: Function[Concatenate[_Object, _Rest], _Result], instance: _Object, owner: type | None = None
    ) -> Function[_Rest, _Result]: ...
    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        found = self._bound.get(id(instance))
        if found is not None and found[0]() is instance:
            return found[1]
        number = id(instance)
        reference = weakref.ref(instance, lambda _: self._bound.pop(number, None))
        bound = directly_callable(Function)(
            _weakly_bound(self._python_function, reference, self._autograph),
            self._name,
            self._signature_after_self(),
            self._autograph,
            self._jit_compile,
            self._reduce_retracing,
            self._engine,
        )
        self._bound[number] = (reference, bound)
        return bound

    def _signature_after_self(self) -> tuple[Any, ...] | None:
        """The signature without a spec for `self`, if it has one."""
        specs, names = self.input_signature, self._parameters.names
        has_one = specs is not None and len(specs) == len(names) and not self._parameters.takes_any_number
        return specs[1:] if specs is not None and has_one else specs

    # --- calling ---------------------------------------------------------------------------------------------------

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _Result:
        if _UNUSUAL:
            for observe in _UNUSUAL - {EAGERLY}:
                observe(self)
            if EAGERLY.on:
                return self._python_function(*args, **kwargs)
        if self._direct is not None and not ACTIVE:
            result = self._direct(*args, **kwargs) if kwargs else self._direct(*args)
            if result is not NotImplemented:
                return result
        concrete, tensors = self._found(args, kwargs)
        result = concrete.run(tensors)
        if concrete.has_direct:
            self._take_direct(concrete, args, kwargs, tensors)
        return result

    def _take_direct(
        self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: list[Any]
    ) -> None:
        """Call machine code at once from now on, for arguments that it is for; what was called at once before comes after it."""
        given, has_names = (*args, *kwargs.values()), self._parameters.are_plain
        plain = len(given) == len(tensors) and all(map(_is_given, given, tensors)) and (has_names or not kwargs)
        direct = concrete.take_direct() if plain and self._directs < _DIRECT else None
        if direct is not None:  # (else another thread was first)
            self._directs += 1
            CHOSEN.add(self)
            self._storm.traces = 0
            names = tuple(map(sys.intern, self._parameters.names)) if has_names else ()
            self._direct = direct(self._direct or _nothing, names)
            # (0.10 us, by keyword 0.11; through `__call__` 0.31 and 0.48.)
            call_directly(self, "_direct", (ACTIVE, _UNUSUAL))

    def __copy__(self) -> Function[_P, _Result]:
        made: Function[_P, _Result] = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._direct, made._directs = None, 0
        return made

    def forget_engine(self, renewed: bool = False) -> None:
        """Choose the engine again with the next call.

        Args:
            renewed: Whether engines are others now; not needed here.
        """
        self._drop_direct()

    def _drop_direct(self) -> None:
        call_usually(self)
        self._direct, self._directs = None, 0

    def get_concrete_function(self, *args: object, **kwargs: object) -> ConcreteFunction:
        """The trace for some arguments, made if there is none yet.

        >>> @tf.function
        ... def square(x):
        ...     return x * x
        >>> concrete = square.get_concrete_function(tf.TensorSpec([None]))
        >>> concrete(tf.constant([1.0, 2.0, 3.0])).numpy()
        array([1., 4., 9.], dtype=float32)

        Args:
            args: Arguments of the function: tensors, or `tf.TensorSpec`s, and any other values. None for those of its signature.
            kwargs: The same by name.

        Returns:
            A function that runs this trace alone.
        """
        if self._signature is not None and not args and not kwargs:
            args = self._signature.specs
        concrete, tensors = self._found(args, kwargs, is_call=False)
        return concrete.renamed([tensor.name if isinstance(tensor, TensorSpec) else None for tensor in tensors])

    def _found(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], is_call: bool = True
    ) -> tuple[ConcreteFunction, list[Any]]:
        """The trace for a call, and the call's tensors in order."""
        args, kwargs = self._parameters.canonical(args, kwargs)
        if self._signature is not None:
            return self._found_by_signature(self._signature, args, kwargs)
        encoder = Encoder()
        key = tuple([encoder.key(value) for value in args])
        if kwargs:
            key = (key, tuple([(name, encoder.key(value)) for name, value in sorted(kwargs.items())]))
        if encoder.objects:
            self._forget_dead(encoder.objects)
        concrete = self._traces.get(key)
        if concrete is not None and concrete.enclosed and _is_elsewhere(concrete):
            del self._traces[key]
            concrete = None
        if concrete is None:
            concrete = self._general(key, args, kwargs, encoder.tensors, is_call)
        else:
            self._storm.traces = 0
        return concrete, encoder.tensors

    def _found_by_signature(
        self, signature: InputSignature, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[ConcreteFunction, list[Any]]:
        tensors = signature.tensors(args)
        if kwargs or len(args) > len(signature.specs):
            signature.check_rest(args, kwargs)
        key = signature.key(args) if signature.objects else ()
        concrete = self._traces.get(key)
        if concrete is None:
            with _TRACING:
                if key not in self._traces:
                    recorded = signature.recorded(args)
                    self._traces[key] = self._trace(recorded, kwargs, signature.tensor_specs, tensors)
                    self._note(self._traces[key], recorded, kwargs, is_call=False)
                concrete = self._traces[key]
        return concrete, tensors

    def _general(
        self, key: object, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: list[Any], is_call: bool
    ) -> ConcreteFunction:
        """A trace that was made for other shapes too, or a new one."""
        with _TRACING:
            if key in self._traces:  # another thread was first
                return self._traces[key]
            shapeless, specs = _shapeless(key), [_spec_of(tensor) for tensor in tensors]
            for trace in self._looser.get(shapeless, ()):
                if not _is_elsewhere(trace) and all(
                    _fits(tensor, spec) for tensor, spec in zip(tensors, trace.specs, strict=True)
                ):
                    self._traces[key] = trace
                    return trace
            if self._reduce_retracing:
                specs = self._loosened(shapeless, specs)
            concrete = self._traces[key] = self._trace(args, kwargs, specs, tensors)
            self._looser.setdefault(shapeless, []).append(concrete)
            self._note(concrete, args, kwargs, is_call)
            return concrete

    def _loosened(self, shapeless: object, specs: list[TensorSpec]) -> list[TensorSpec]:
        """With reduce_retracing: sizes that differ from those of the last trace become unknown."""
        for trace in self._looser.get(shapeless, [])[-1:]:
            specs = [
                TensorSpec(spec.shape.most_specific_compatible_shape(old.shape), spec.dtype, spec.name)
                for spec, old in zip(specs, trace.specs, strict=True)
            ]
        return specs

    def _forget_dead(self, objects: list[Any]) -> None:
        """Drop traces of dead objects: an id may be reused by another object."""
        for value in objects:
            number = id(value)
            known = self._alive.get(number)
            if known is None or known() is not value:
                if known is not None:
                    self._drop(number)
                self._alive[number] = weakref.ref(value, lambda _, n=number: self._drop(n))  # type: ignore[misc]

    def _drop(self, number: int) -> None:
        self._alive.pop(number, None)
        self._drop_direct()
        for key in [key for key in self._traces if _mentions(key, number)]:
            del self._traces[key]
        for shapeless in [key for key in self._looser if _mentions(key, number)]:
            del self._looser[shapeless]

    # --- tracing ---------------------------------------------------------------------------------------------------

    def _trace(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], specs: list[TensorSpec], tensors: list[Any]
    ) -> ConcreteFunction:
        first = not self._traced_once
        concrete, created = self._traced(args, kwargs, specs, tensors, may_create=first)
        self._traced_once = True
        if created:
            # Variables are made on the first trace only: a second one shows whether the function makes them each time.
            concrete, _ = self._traced(args, kwargs, specs, tensors, may_create=False)
        return concrete

    def _traced(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        specs: list[TensorSpec],
        tensors: list[Any],
        may_create: bool,
    ) -> tuple[ConcreteFunction, list[Variable]]:
        code = storms.code_of(self._python_function)
        where = "" if code is None else f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"
        known = tensors if all(isinstance(tensor, EagerTensor) for tensor in tensors) else None
        policy = TracePolicy(where, None if may_create else _no_variables, known)
        trace = Recorder(self._name, policy)
        self._count += 1
        with trace.recording():
            inputs = [trace.placeholder(spec) for spec in specs]
            given = with_tensors((args, kwargs), iter(inputs))
            before = _contents(given)
            returned = self._callee()(*given[0], **given[1])
            self._check_unchanged(before, _contents(given))
            outputs = nest.map_structure(self._returned, returned)
            trace.graph.outputs = trace.refs(outputs)
        trace.graph.jit_compile = bool(self._jit_compile)
        trace.graph.inputs = trace.refs((*inputs, *(stand_in for _, stand_in in trace.enclosed)))
        concrete = ConcreteFunction(trace.graph, self._name, specs, (args, kwargs), outputs, self._parameters)
        concrete.engine = self._engine
        concrete.enclosed = [value for value, _ in trace.enclosed]
        return concrete, policy.created

    def _check_unchanged(self, before: Any, after: Any) -> None:
        if _same_contents(before, after):
            return
        changed = [
            self._parameters.label(k)
            for k, pair in enumerate(zip(before[0], after[0], strict=True))
            if not _same_contents(*pair)
        ]
        changed += [name for name in before[1] if not _same_contents(before[1][name], after[1][name])]
        raise ValueError(
            f"{self._name}{self._parameters.signature} should not modify its Python input arguments. Modifying a copy is "
            f"allowed. The following parameter(s) were modified: {', '.join(changed)}"
        )

    def _returned(self, leaf: Any) -> Any:
        """What a function returns is tensors, composites of them, or None."""
        if leaf is None or hasattr(leaf.__class__, "_symbolic") or leaf.__class__ in COMPOSITES:
            return leaf
        if isinstance(leaf, Variable):
            return leaf._read()
        if isinstance(leaf, Tensor):
            return leaf
        if isinstance(leaf, (bool, int, float, complex, str, bytes)) or hasattr(leaf, "__array__"):
            return to_tensor(leaf)
        if isinstance(leaf, TensorShape):
            return to_tensor(list(leaf), int32)
        if isinstance(leaf, tuple(RETURNED)):
            return leaf
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or None "
            f"values; {self._name} returns a value of type {type(leaf).__name__}, which is not a Tensor or ExtensionType. Keep "
            "it in a variable of an enclosing scope, or return the tensors it is made of."
        )

    def _callee(self) -> Callable[..., Any]:
        return _converted(self._python_function, self._autograph)

    def _note(self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any], is_call: bool) -> None:
        """Note what a trace was made for; if nearly every call is recorded anew, say what changes."""
        values = {self._parameters.label(i): value for i, value in enumerate(args)} | kwargs
        previous, self._last = self._last, {name: storms.shown(value) for name, value in values.items()}
        alive = {id(trace) for trace in self._traces.values()}
        self._notes = {number: note for number, note in self._notes.items() if number in alive}
        self._notes[id(concrete)] = self._last
        self._storm.traced(self._name, values, self._last, previous, is_call)


def _converted(function: Callable[..., Any], autograph: bool) -> Callable[..., Any]:
    """The function to trace, whose `if`, `while` and `for` work on tensors if that is wanted."""
    from ..autograph import convert, experimental

    return convert(function) if autograph else experimental.do_not_convert(function)


def _weakly_bound(function: Callable[..., Any], reference: weakref.ref[Any], autograph: bool) -> Callable[..., Any]:
    """A method that does not keep its object alive."""

    @functools.wraps(function)
    def method(*args: object, **kwargs: object) -> Any:
        instance = reference()
        owner = _Gone(function.__name__) if instance is None else instance
        return _converted(function, autograph)(owner, *args, **kwargs)

    bound = types.MethodType(function, reference())
    method.__signature__ = Parameters(bound).signature  # type: ignore[attr-defined]
    method._autograph_artifact = True  # type: ignore[attr-defined]
    return method


class _Gone:
    """Stands for the object of a method that nobody has kept: `f = Model().f` has the method alone."""

    def __init__(self, method: str) -> None:
        self.__dict__["method"] = method

    def __getattr__(self, name: str) -> Any:
        raise ValueError(
            f"The object whose method {self.__dict__['method']!r} is a tf.function is gone, and with it {name!r}. Keep the "
            "object: a tf.function does not keep it alive."
        )


def _no_variables(variable: Variable) -> None:
    raise ValueError(
        "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only created "
        "once or created outside tf.function: keep it in an attribute, `if self.v is None: self.v = tf.Variable(...)`."
    )


def _contents(value: Any) -> Any:
    """The lists and dicts of an argument again, to see later whether they have changed."""
    if isinstance(value, dict):
        return {name: _contents(part) for name, part in value.items()}
    return [_contents(part) for part in value] if isinstance(value, (list, tuple)) else value


def _same_contents(before: Any, after: Any) -> bool:
    if before.__class__ is dict and after.__class__ is dict:
        return before.keys() == after.keys() and all(_same_contents(before[name], after[name]) for name in before)
    if before.__class__ is list and after.__class__ is list:
        return len(before) == len(after) and all(map(_same_contents, before, after))
    return before is after


def _spec_of(tensor: Any) -> TensorSpec:
    if isinstance(tensor, TensorSpec):
        return tensor
    return TensorSpec(tensor.shape, tensor.dtype)


def _fits(tensor: Any, spec: TensorSpec) -> bool:
    return tensor.dtype == spec.dtype and TensorShape(tensor.shape).is_subtype_of(spec.shape)


def _shapeless(key: Any) -> Any:
    """The key without the shapes of tensors, which stand as (number of the type, shape)."""
    if isinstance(key, tuple):
        if len(key) == 2 and key[0].__class__ is int and (key[1] is None or isinstance(key[1], tuple)):
            return key[0]
        return tuple([_shapeless(part) for part in key])
    return key


def _mentions(key: Any, number: int) -> bool:
    if isinstance(key, tuple):
        return key == ("object", number) or any(_mentions(part, number) for part in key)
    return False


@overload
def function(
    func: Callable[_P, _Result],
    input_signature: object = ...,
    autograph: bool = ...,
    jit_compile: bool | None = ...,
    reduce_retracing: bool = ...,
    experimental_implements: object = ...,
    experimental_autograph_options: object = ...,
    experimental_attributes: object = ...,
    experimental_relax_shapes: bool | None = ...,
    experimental_compile: bool | None = ...,
    experimental_follow_type_hints: bool | None = ...,
    engine: str | None = ...,
) -> Function[_P, _Result]: ...
@overload
def function(
    func: None = None,
    input_signature: object = ...,
    autograph: bool = ...,
    jit_compile: bool | None = ...,
    reduce_retracing: bool = ...,
    experimental_implements: object = ...,
    experimental_autograph_options: object = ...,
    experimental_attributes: object = ...,
    experimental_relax_shapes: bool | None = ...,
    experimental_compile: bool | None = ...,
    experimental_follow_type_hints: bool | None = ...,
    engine: str | None = ...,
) -> Callable[[Callable[_P, _Result]], Function[_P, _Result]]: ...
def function(
    func: Callable[..., Any] | None = None,
    input_signature: object = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: object = None,
    experimental_autograph_options: object = None,
    experimental_attributes: object = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    engine: str | None = None,
) -> Any:
    """Turn a Python function into one that is recorded once and run as a graph.

    The Python code runs once for each kind of arguments: structure, dtypes, shapes, and the values of what is no tensor.
    After that only the tensor computation runs. `if`, `while` and `for` over tensors are recorded as such.

    >>> import gradtape as tf
    >>> @tf.function
    ... def power(x, n):
    ...     print("recording")
    ...     return x**n
    >>> power(tf.constant(2.0), 3).numpy()
    recording
    np.float32(8.0)
    >>> power(tf.constant(3.0), 3).numpy()
    np.float32(27.0)

    Args:
        func: The function; without it, a decorator is returned.
        input_signature: One `tf.TensorSpec` for each argument; None stands for sizes that vary.
        autograph: Whether Python's control flow works on tensors.
        jit_compile: Functions are compiled in any case. With True, small programs may round in another way than eager code, and
            are faster: own functions with an error of a few units in the last place, products and sums rounded once.
        reduce_retracing: Whether sizes that vary between calls become unknown, to be recorded less often.
        experimental_implements: Ignored; accepted for compatibility with TensorFlow.
        experimental_autograph_options: Ignored; accepted for compatibility with TensorFlow.
        experimental_attributes: Ignored; accepted for compatibility with TensorFlow.
        experimental_relax_shapes: An old name of `reduce_retracing`.
        experimental_compile: An old name of `jit_compile`.
        experimental_follow_type_hints: Ignored; accepted for compatibility with TensorFlow.
        engine: What runs it: "native", or with the extra `xla` "xla" or "xla-checked", which raises errors that depend on
            values; without it, `tf.config.set_engine` decides.

    Raises:
        TypeError: `func` cannot be called.
        ValueError: The function makes variables in a call that is not its first.
    """
    if experimental_relax_shapes is not None:
        reduce_retracing = experimental_relax_shapes
    if experimental_compile is not None:
        jit_compile = experimental_compile

    def decorate(callee: Callable[..., Any]) -> Any:
        if isinstance(callee, Function):
            callee = callee.python_function
        if not callable(callee):
            raise TypeError(f"tf.function needs a function: {callee!r} is not a callable object.")
        made = directly_callable(Function)(
            callee,
            input_signature=input_signature,
            autograph=autograph,
            jit_compile=jit_compile,
            reduce_retracing=reduce_retracing,
            engine=engine,
        )
        return made

    return decorate if func is None else decorate(func)


def inside_function() -> bool:
    """Whether this thread is recording a function.

    >>> import gradtape as tf
    >>> tf.inside_function(), tf.function(lambda: tf.constant(tf.inside_function()))().numpy()
    (False, np.True_)

    Returns:
        True or False.
    """
    return running_recorder() is not None
