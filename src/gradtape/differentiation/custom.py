"""Derivatives given by the user: `custom_gradient`, `recompute_grad`, `grad_pass_through`."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar, overload

import numpy as np

from ..base import nest
from ..base.context import ACTIVE, STATE, Accumulator, activate, deactivate, remove_identical, scope
from ..base.frames import user_location
from ..base.notes import ENDS, End
from ..base.traceable import traceable
from ..op.record import ids_of, looks_of, new_record, place_of, write
from ..ops.math.conversion import identity
from ..ops.math.reduce import reduce_sum
from ..values.composite import COMPOSITES
from ..values.tensor import EagerTensor, IndexedSlices, Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .backward import ones_of, zeros_of
from .tape import GradientTape
from .vectorize import Batched, batch, only_outer, unbatch

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


class _VariableWatcher:
    """Notes which trainable variables are read while a function runs."""

    def __init__(self) -> None:
        self.variables: dict[int, Variable] = {}

    def _variable_read(self, variable: Variable) -> None:
        if variable.trainable:
            self.variables.setdefault(variable._id, variable)

    def __enter__(self) -> _VariableWatcher:
        STATE.readers.append(self)
        activate(self)
        return self

    def __exit__(self, *error: object) -> None:
        deactivate(self)
        remove_identical(STATE.readers, self)


@overload
def custom_gradient(f: Callable[_P, tuple[_Result, Callable[..., Any]]]) -> Callable[_P, _Result]: ...
@overload
def custom_gradient(
    f: None = None,
) -> Callable[[Callable[_P, tuple[_Result, Callable[..., Any]]]], Callable[_P, _Result]]: ...
def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Decorator for a function that returns its value and its gradient function.

    The gradient function takes the cotangents of the outputs and returns those of the arguments. If the function reads
    variables, it must accept the keyword `variables` and return a second list with their cotangents.

    >>> import gradtape as tf
    >>> @tf.custom_gradient
    ... def clipped_gradient(x):
    ...     def grad(upstream):
    ...         return tf.clip_by_norm(upstream, 0.5)
    ...     return x, grad
    >>> v = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = clipped_gradient(v * v)
    >>> tape.gradient(y, v).numpy()
    np.float32(2.0)

    Args:
        f: The function; without it, a decorator is returned.

    Returns:
        The function, with that gradient.
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: object, **kwargs: object) -> Any:
        return _call(f, args, kwargs)

    return decorated


def _trace_call(trace: Any, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Inside a traced function: function and gradient function become graphs, the second inside the first."""

    def whole(*given: Any) -> Any:
        with _VariableWatcher() as watcher:
            returned = f(*given[0], **given[1])
        result, grad_fn = _value_and_gradient(f, returned)
        result = nest.map_structure(lambda value: value if isinstance(value, Tensor) else trace.symbolic(value), result)
        arguments = {value._id for value in nest.flatten(given[0]) if isinstance(value, Variable)}
        variables = [v for number, v in watcher.variables.items() if number not in arguments]
        takes = "variables" in inspect.signature(grad_fn).parameters or _takes_keywords(grad_fn)
        if variables and not takes:
            raise TypeError(
                "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
                f"{variables}"
            )
        called = functools.partial(grad_fn, variables=variables) if variables else grad_fn
        cotangents = tuple(trace.symbolic(value) for value in nest.flatten(result))
        gradient, _ = trace.subgraph(called, cotangents, "gradient")
        return result, gradient

    graph, _ = trace.subgraph(whole, (args, kwargs), getattr(f, "__name__", "f"))
    return trace.step(_custom_gradient, (graph, args, kwargs), {})


def _custom_gradient(run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run the graphs that `_trace_call` recorded."""

    def f(*given: object, **settings: object) -> Any:
        result, gradient = run(given, settings)
        return result, lambda *cotangents, variables=None: gradient(*cotangents)

    f.__name__ = getattr(getattr(run, "graph", None), "name", f.__name__)
    return _call(f, args, kwargs)


def _call(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    inputs = [value for value in map(_elements, nest.flatten(args)) if not _is_object(value)]
    # Forward mode follows the body. Where this is a step of a graph that was called, TensorFlow's forward mode knows only the
    # gradient of the call, and transposes it; and it does so here.
    here = place_of_graph()
    following: list[Accumulator] = []
    others: list[Accumulator] = []
    for accumulator in STATE.accumulators:
        (following if accumulator.place == here else others).append(accumulator)
    with _VariableWatcher() as watcher, _followed_by(following):
        returned = f(*args, **kwargs)
    result, grad_fn = _value_and_gradient(f, returned)
    arguments = {value._id for value in inputs if isinstance(value, Variable)}
    variables = [v for number, v in watcher.variables.items() if number not in arguments]
    takes_variables = "variables" in inspect.signature(grad_fn).parameters or _takes_keywords(grad_fn)
    if variables and not takes_variables:
        raise TypeError(
            f"@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: {variables}"
        )
    returned_parts = nest.flatten(result)
    results = [to_tensor(_elements(value)) for value in returned_parts]
    grad_fn = _on_elements(grad_fn, returned_parts)
    outputs = [_fresh(value) for value in results]
    if ACTIVE:
        for value in inputs:
            if isinstance(value, Variable):
                value._read()  # tapes follow it by this identity
        _record(grad_fn, inputs, variables, outputs, CustomCall(f, args, kwargs))
        for accumulator in others:
            accumulator._advance_custom(grad_fn, inputs, variables, outputs)
        for accumulator in following:
            # Where it could not follow the body (NumPy in between), the gradient function is transposed.
            carried = [accumulator._carry(old, new) for old, new in zip(results, outputs, strict=True)]
            if not any(carried):
                accumulator._advance_custom(grad_fn, inputs, variables, outputs)
    return nest.pack_sequence_as(
        result, [_as_part(value, out) for value, out in zip(returned_parts, outputs, strict=True)]
    )


def _elements(value: object) -> Any:
    """What tapes follow of an argument or a result: the elements of a ragged tensor, or the value itself."""
    kind = COMPOSITES.get(value.__class__)
    return value if kind is None or kind.values is None or not kind.values.followed else kind.values.of(value)


def _as_part(like: object, elements: object) -> Any:
    """The elements as a value of the kind of `like`."""
    return elements if _elements(like) is like else COMPOSITES[like.__class__].values.put(like, elements)  # type: ignore[union-attr]


def _on_elements(grad_fn: Callable[..., Any], results: list[Any]) -> Callable[..., Any]:
    """A gradient function on the elements of composites, from the user's, which is on the composites themselves."""
    if all(_elements(value) is value for value in results):
        return grad_fn

    def grad(*cotangents: object, **settings: object) -> Any:
        given = [_as_part(value, cotangent) for value, cotangent in zip(results, cotangents, strict=True)]
        return nest.map_structure(_elements, grad_fn(*given, **settings))

    return grad


def _call_on_abstract(evaluator: Any, function: Any, *args: Any) -> Any:
    """A function with a custom gradient, run on abstract values."""
    evaluator.has_rules = True
    return function.__wrapped__(*args)


_call = traceable(_call, always=True, on_trace=_trace_call, on_abstract=_call_on_abstract)


def _is_object(value: object) -> bool:
    """Whether an argument is passed on as it is: `self` of a method, None, a function."""
    return not isinstance(value, (Tensor, Variable, np.ndarray, np.generic, bool, int, float, complex, str, bytes))


def _takes_keywords(function: Callable[..., Any]) -> bool:
    return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values())


def _value_and_gradient(f: Callable[..., Any], returned: object) -> tuple[Any, Callable[..., Any]]:
    if not isinstance(returned, (tuple, list)) or len(returned) != 2 or not callable(returned[1]):
        raise TypeError(
            f"{getattr(f, '__name__', f)} is decorated with @tf.custom_gradient and must return two things, its value and "
            f"its gradient function: `return y, grad`. It returned {returned!r}. (Cannot iterate over a scalar tensor.)"
        )
    return returned[0], returned[1]


def _fresh(tensor: object) -> Any:
    """An output with an identity of its own, also where the function returned its argument."""
    if tensor.__class__ is EagerTensor:
        return from_array(tensor._array)
    return identity.public(tensor)


def place_of_graph() -> tuple[int, ...]:
    """Which graph runs, and for which of its steps in the graphs around it; nothing in eager code."""
    return () if STATE.seeds is None else STATE.seeds.place


def _followed_by(accumulators: list[Accumulator]) -> scope:
    """Of all that record, only these see what runs in this block; and tapes, if there are any: they record their arithmetic."""
    if accumulators:
        return scope(accumulators=accumulators)
    return scope(tapes=[], accumulators=[], readers=[r for r in STATE.readers if isinstance(r, _VariableWatcher)])


class CustomCall:
    """How a function with a custom gradient was called, for who asks about it; it does not keep the arguments alive."""

    __slots__ = ("_args", "_function", "_kwargs")

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._function, self._kwargs = function, kwargs
        self._args = [
            (weakref.ref(value), value._id) if isinstance(value, (Tensor, Variable)) else (value, 0) for value in args
        ]

    @property
    def name(self) -> str:
        """The name of the function."""
        return getattr(self._function, "__name__", "a function")

    def arguments(self, values: Mapping[int, Any]) -> list[Any] | None:
        """The arguments; None if one of them is gone.

        Args:
            values: Arrays that are known, by the identity of their tensors.
        """
        found = []
        for kept, number in self._args:
            value = kept() if kept.__class__ is weakref.ref else kept
            if value is None and kept is not None and number in values:
                value = from_array(values[number])
                value._id = number
            if value is None and kept is not None:
                return None
            found.append(value)
        return found

    def parts(self, args: list[Any]) -> tuple[list[Any], Callable[..., list[Any]]]:
        """The outputs for these arguments, and what gives the gradients for cotangents of them.

        Args:
            args: Arguments of the function.
        """
        with _VariableWatcher() as watcher:
            result, grad_fn = _value_and_gradient(self._function, self._function(*args, **self._kwargs))
        own = {value._id for value in nest.flatten(args) if isinstance(value, Variable)}
        variables = [v for number, v in watcher.variables.items() if number not in own]
        called = functools.partial(grad_fn, variables=variables) if variables else grad_fn
        return [to_tensor(value) for value in nest.flatten(result)], lambda *given: nest.flatten(called(*given))

    def run(self, args: list[Any]) -> list[Any]:
        """The outputs for other arguments, unseen by tapes.

        Args:
            args: Arguments of the function.
        """
        with _followed_by([]):
            return [to_tensor(value) for value in nest.flatten(self._function(*args, **self._kwargs)[0])]


def _record(
    grad_fn: Callable[..., Any],
    inputs: list[Any],
    variables: list[Variable],
    outputs: list[Any],
    call: CustomCall | None = None,
) -> None:
    """One record for the whole call on every tape that follows an argument or a variable."""
    for variable in variables:
        variable._read()  # tapes follow it by this identity
    batched = [value for value in (*inputs, *outputs) if value.__class__ is Batched]
    if not batched:
        _append(STATE.tapes, grad_fn, inputs, variables, outputs, call)
        return
    innermost = max(batched, key=lambda value: value.depth)
    _append(STATE.tapes[innermost.level[0] :], grad_fn, inputs, variables, outputs)
    # To the tapes outside of the vectorized function it is a call on the data.
    with only_outer(innermost.level):
        if STATE.tapes:
            lifted = _on_data(grad_fn, inputs, outputs, innermost.depth, innermost.batch_size)
            _record(lifted, _data(inputs, innermost.depth), variables, _data(outputs, innermost.depth))


def record_call(
    grad_fn: Callable[..., Any], push: Callable[[list[Any]], list[Any]], inputs: list[Any], outputs: list[Any]
) -> None:
    """One record for a call, on each tape and accumulator that follows an input.

    Args:
        grad_fn: From the gradients of the outputs to those of the inputs.
        push: From the tangents of the inputs to those of the outputs.
        inputs: What was given to the call.
        outputs: What came out.
    """
    _record(grad_fn, inputs, [], outputs)
    for accumulator in tuple(STATE.accumulators):
        accumulator._advance_call(push, inputs, outputs)


def linked(result: object, sources: list[Any]) -> Any:
    """The same result, with gradient 0 instead of None for these sources, which it might have depended on."""
    followed = [source for source in sources if isinstance(source, Tensor) and source.dtype.is_differentiable]
    if not followed or not isinstance(result, Tensor) or not result.dtype.is_differentiable:
        return result
    output = identity.public(result)

    def gradient(cotangent: Any) -> list[Any]:
        return [cotangent, *map(zeros_of, followed)]

    def push(tangents: list[Any]) -> list[Any]:
        return [zeros_of(result) if tangents[0] is None else tangents[0]]

    record_call(gradient, push, [result, *followed], [output])
    return output


def _data(values: list[Any], depth: int) -> list[Any]:
    return [value.data if _is_batched(value, depth) else value for value in values]


def _is_batched(value: object, depth: int) -> bool:
    return value.__class__ is Batched and value.depth == depth


def _on_data(
    grad_fn: Callable[..., Any], inputs: list[Any], outputs: list[Any], depth: int, size: int
) -> Callable[..., Any]:
    """The gradient function of a call on batched values, as one of a call on their data."""
    batched_inputs = [_is_batched(value, depth) for value in inputs]
    batched_outputs = [_is_batched(value, depth) for value in outputs]

    def grad(*cotangents: Any, variables: Any = None) -> Any:
        pairs = zip(cotangents, batched_outputs, strict=True)
        given = [batch(c, depth) if batched and c is not None else c for c, batched in pairs]
        parts = cotangents_of_inputs(grad_fn, given, len(inputs), variables or [])
        everywhere = batched_inputs + [False] * len(variables or [])
        found = [_summed(part, size, depth, keep) for part, keep in zip(parts, everywhere, strict=True)]
        return (found[: len(inputs)], found[len(inputs) :]) if variables else found

    return grad


def _summed(part: object, size: int, depth: int, keep: bool) -> Any:
    """The cotangent of the data; that of an argument which all entries share is added up over them."""
    if part is None or isinstance(part, IndexedSlices):
        return part
    rows = unbatch(part, size, depth)
    return rows if keep else reduce_sum(rows, axis=0, keepdims=False)


def _append(
    tapes: list[Any],
    grad_fn: Callable[..., Any],
    inputs: list[Any],
    variables: list[Variable],
    outputs: list[Any],
    call: CustomCall | None = None,
) -> None:
    numbers = [getattr(value, "_id", 0) for value in (*inputs, *variables)]
    looks = looks_of(outputs)
    for records in tapes:
        followed = tuple(p for p, number in enumerate(numbers) if number in records)
        if not followed or not any(o.dtype.is_differentiable for o in outputs):
            continue
        name = "a function" if call is None else call.name
        pull = _pull_of(grad_fn, len(inputs), tuple(variables), followed, name)
        pull.call = call
        write(records, outputs, new_record(pull, [numbers[p] for p in followed], (), looks, user_location()))


def _pull_of(
    grad_fn: Callable[..., Any], inputs: int, variables: tuple[Variable, ...], followed: tuple[int, ...], name: str
) -> Any:
    def on_tensors(cotangents: list[Any], entry: Any) -> list[Any]:
        parts = cotangents_of_inputs(grad_fn, cotangents, inputs, list(variables))
        given = [parts[p] for p in followed]
        lost = tuple([number for number, part in zip(ids_of(entry), given, strict=True) if part is None])
        if lost:
            ENDS.append(End(None, name, lost, *place_of(entry)))
        return given

    def on_arrays(cotangents: list[Any], entry: Any) -> list[Any]:
        wrapped = [c if isinstance(c, Tensor) else from_array(c) for c in cotangents]
        return [_unwrapped(part) for part in on_tensors(wrapped, entry)]

    on_arrays.on_tensors = on_tensors  # type: ignore[attr-defined]
    return on_arrays


def _unwrapped(value: object) -> Any:
    if value.__class__ is EagerTensor:
        return value._array
    if isinstance(value, IndexedSlices):
        return IndexedSlices(
            *(None if p is None else to_tensor(p)._array for p in (value.values, value.indices, value.dense_shape))
        )
    return value


def cotangents_of_inputs(
    grad_fn: Callable[..., Any], cotangents: list[Any], inputs: int, variables: list[Variable]
) -> list[Any]:
    """Call the user's gradient function and check what it returns: one cotangent for each input and variable."""
    if variables:
        returned = grad_fn(*cotangents, variables=variables)
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise ValueError(
                "A custom gradient function with variables must return two things: the gradients of the arguments and a "
                f"list with those of the variables. It returned {returned!r}."
            )
        arguments, for_variables = returned
        for_variables = nest.flatten(for_variables)
        if len(for_variables) != len(variables):
            raise ValueError(
                "Must return gradient for each variable from @custom_gradient grad_fn. "
                f"There are {len(variables)} variables, {len(for_variables)} gradients were returned."
            )
    else:
        arguments, for_variables = grad_fn(*cotangents), []
    flat = nest.flatten(arguments)
    if len(flat) != inputs:
        raise ValueError(
            f"custom_gradient function expected to return {inputs} gradients, but returned {len(flat)} instead."
        )
    return [
        value if value is None or isinstance(value, (Tensor, IndexedSlices)) else to_tensor(value)
        for value in (*flat, *for_variables)
    ]


def recompute_grad(f: Callable[_P, _Result]) -> Callable[_P, _Result]:
    """`f` with its intermediate values recomputed in the backward pass instead of kept.

    The backward pass takes about one more run of `f`, and the tape holds the arguments of `f` in place of all between them and
    the result.

    >>> import gradtape as tf
    >>> def block(x):
    ...     print("block runs")
    ...     for _ in range(10):
    ...         x = tf.sin(x)
    ...     return x
    >>> def run(f):
    ...     x = tf.ones([250_000])
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = f(x)
    ...     print("the tape holds", tape.memory().total, "bytes")
    ...     return tape.gradient(y, x)
    >>> gradient = run(block)
    block runs
    the tape holds 10000000 bytes
    >>> gradient = run(tf.recompute_grad(block))
    block runs
    the tape holds 0 bytes
    block runs

    Args:
        f: A function of tensors.

    Returns:
        The function.
    """

    @custom_gradient
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        with _followed_by(STATE.accumulators):
            result = f(*args, **kwargs)
        inputs = [value for value in nest.flatten(args) if isinstance(value, (Tensor, Variable))]

        def grad(*upstream: Any, variables: Any = None) -> Any:
            fresh = [identity.public(value) for value in inputs]
            position = iter(fresh)
            again = nest.map_structure(lambda v: next(position) if isinstance(v, (Tensor, Variable)) else v, args)
            with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
                tape.watch(fresh)
                tape.watch(variables or [])
                outputs: Any = f(*again, **kwargs)
            sources = [*fresh, *(variables or [])]
            parts = tape.gradient(outputs, sources, output_gradients=list(upstream))
            for_inputs = parts[: len(fresh)]
            return (for_inputs, parts[len(fresh) :]) if variables else for_inputs

        return result, grad

    @functools.wraps(f)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return recomputed(*args, **kwargs)

    return wrapped


def grad_pass_through(f: Callable[_P, _Result]) -> Callable[_P, _Result]:
    """`f`, with the derivative of the identity.

    >>> import gradtape as tf
    >>> x = tf.constant(3.2)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(3.0), np.float32(1.0))

    Args:
        f: A function of tensors.

    Returns:
        A function of the same arguments.
    """

    @custom_gradient
    def passed(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, **others: Any) -> Any:
            variables = others.get("variables")
            cotangents = upstream[0] if len(upstream) == 1 else list(upstream)
            return (cotangents, [None] * len(variables)) if variables else cotangents

        return f(*args, **kwargs), grad

    @functools.wraps(f)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return passed(*args, **kwargs)

    return wrapped


def transposed(
    grad_fn: Callable[..., Any],
    tensors: list[Any],
    variables: list[Variable],
    outputs: list[Any],
    tangents: list[Any],
) -> list[Any]:
    """The tangents of the outputs from a reverse rule alone: it is linear, so its derivative is its transpose."""
    seeds = [ones_of(output) for output in outputs]  # (as in TensorFlow: it shows where the rule is not linear)
    with GradientTape(watch_accessed_variables=False, persistent=True) as tape:
        tape.watch(seeds)
        parts = cotangents_of_inputs(grad_fn, list(seeds), len(tensors), variables)
    pairs = [(part, t) for part, t in zip(parts, tangents, strict=True) if part is not None and t is not None]
    if not pairs:
        return [None] * len(outputs)
    result: list[Any] = tape.gradient([p for p, _ in pairs], seeds, output_gradients=[t for _, t in pairs])
    return result
