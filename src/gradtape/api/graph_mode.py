"""TensorFlow's older interface to gradients: `tf.gradients`, and the registry of gradients by op type."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

from ..base.errors import NotATensorError
from ..base.types import Function, MaybeNone
from ..differentiation.backward import checked_unconnected
from ..differentiation.tape import GradientTape
from ..op.declaration import REGISTRY
from ..ops import load_all
from ..ops.math.conversion import identity
from ..trace.graph import GRAPH_DEFS, Graph, Method, Ref, leaves
from ..trace.recorder import Recorder, running_recorder
from ..trace.symbolic import SymbolicTensor
from ..values.tensor import EagerTensor, Tensor
from ..variables.variable import Variable

_EAGER = "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."


class AggregationMethod(enum.IntEnum):
    """How gradients of one value are added up; accepted for compatibility.

    >>> import gradtape as tf
    >>> tf.AggregationMethod.ADD_N == tf.AggregationMethod.DEFAULT
    True
    """

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def gradients(
    ys: object,
    xs: object,
    grad_ys: object = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: object = None,
    stop_gradients: object = None,
    unconnected_gradients: object = "none",
) -> list[Tensor | MaybeNone]:
    """The gradients of `ys` in each of `xs`, inside a `tf.function`; in eager code a RuntimeError says to use a tape.

    >>> import gradtape as tf
    >>> @tf.function
    ... def slope(x):
    ...     return tf.gradients(x**3, x)[0]
    >>> slope(tf.constant(2.0)).numpy()
    np.float32(12.0)

    Args:
        ys: A tensor or a list of them.
        xs: Tensors and variables to differentiate in; they may be computed by the function itself.
        grad_ys: For each of `ys`, what to weight its elements with.
        name: Ignored; accepted for compatibility with TensorFlow.
        gate_gradients: Ignored; accepted for compatibility with TensorFlow.
        aggregation_method: Ignored; accepted for compatibility with TensorFlow.
        stop_gradients: Tensors that count as constants.
        unconnected_gradients: Whether an x that `ys` do not depend on gets None or zeros.

    Returns:
        A list, a gradient for each of `xs`; the sum over `ys`.

    Raises:
        RuntimeError: It is called in eager code.
    """
    trace = _trace(_EAGER)
    targets, sources = _listed(ys), _listed(xs)
    path = _path(trace, targets, sources, _listed(stop_gradients))
    weights = None if grad_ys is None else _listed(grad_ys)
    unconnected = checked_unconnected(unconnected_gradients)
    results: list[Any] = trace.step(_gradients_on_path, (path, sources, weights, unconnected, _outside(sources)), {})
    return results


def hessians(
    ys: object,
    xs: object,
    gate_gradients: bool = False,
    aggregation_method: object = None,
    name: str = "hessians",
) -> list[Tensor]:
    """The second derivatives of `ys` in each of `xs`, inside a `tf.function`; in eager code RuntimeError.

    >>> import gradtape as tf
    >>> @tf.function
    ... def curvature(x):
    ...     return tf.hessians(tf.reduce_sum(x**3), x)[0]
    >>> curvature(tf.constant([1.0, 2.0])).numpy()
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)

    Args:
        ys: A tensor or a list of them.
        xs: Tensors and variables to differentiate in.
        gate_gradients: Ignored; accepted for compatibility with TensorFlow.
        aggregation_method: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A list, the second derivatives in each of `xs`.

    Raises:
        RuntimeError: It is called in eager code.
    """
    trace = _trace(_EAGER.replace("tf.GradientTape", "tf.GradientTape (tape.hessian)"))
    targets, sources = _listed(ys), _listed(xs)
    path = _path(trace, targets, sources, [])
    results: list[Any] = trace.step(_hessians_on_path, (path, sources, _outside(sources)), {})
    return results


def _trace(message: str) -> Recorder:
    recorder = running_recorder()
    if recorder is None:
        raise RuntimeError(message)
    return recorder


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _outside(sources: list[Any]) -> list[int]:
    """Which of the sources are captured tensors: the recorded path refers to them, they are not its arguments."""
    return [place for place, value in enumerate(sources) if value.__class__ is EagerTensor]


def _path(trace: Recorder, targets: list[Any], sources: list[Any], stops: list[Any]) -> Graph:
    """The steps from sources to targets, as a function of the symbolic sources; all other values are captured."""
    for value in (*targets, *sources):
        if not isinstance(value, (Tensor, Variable)):
            raise NotATensorError(f"tf.gradients needs tensors and variables, got {value!r}.")
    symbolic = [value for value in sources if isinstance(value, SymbolicTensor)]
    inputs = tuple(Ref(value._number) for value in symbolic)
    seen = {id(value) for value in sources if not isinstance(value, SymbolicTensor)}
    fixed = {value._number for value in (*symbolic, *stops)}
    depends = {value._number for value in symbolic}
    steps = []
    for step in trace.steps_so_far():
        given = list(leaves(step.inputs))
        numbers = _numbers(step.results)
        reads = bool(seen) and any(id(value) in seen for value in Graph([step]).given())
        uses = any(value.__class__ is Ref and value.number in depends for value in given) or any(
            isinstance(value, Graph) and _uses(value, depends) for value in given
        )
        if numbers and (uses or reads) and not numbers & fixed and not _is_context(step.function):
            steps.append(step)
            depends |= numbers
    return Graph(steps=steps, inputs=inputs, outputs=trace.refs(targets), name="path")


def _numbers(structure: object) -> set[int]:
    return {leaf.number for leaf in leaves(structure) if leaf.__class__ is Ref}


def _uses(graph: Graph, numbers: set[int]) -> bool:
    for step in graph.steps:
        for leaf in leaves(step.inputs):
            if leaf.__class__ is Ref and leaf.number in numbers:
                return True
            if isinstance(leaf, Graph) and _uses(leaf, numbers):
                return True
    return bool(_numbers(graph.outputs) & numbers)


def _is_context(function: Any) -> bool:
    """Whether a step only concerns a tape of the user."""
    return isinstance(function, Method) and function.name in ("watch", "__enter__", "__exit__")


def _gradients_on_path(
    path: Any,
    sources: list[Any],
    weights: list[Any] | None,
    unconnected: Any,
    outside: Sequence[int] = (),
) -> list[Any]:
    with GradientTape(watch_accessed_variables=False) as tape:
        inner, targets = _followed([tape], path, sources, outside)
    # (A source that is a target too has its own gradient.)
    answer: list[Any] = tape.gradient(targets, inner, weights, unconnected)
    return answer


def _followed(
    tapes: list[GradientTape], path: Function, sources: list[Any], outside: Sequence[int]
) -> tuple[list[Any], list[Any]]:
    """New copies of the sources, and the targets computed from them under the tapes."""
    seen = {*outside, *(place for place, value in enumerate(sources) if isinstance(value, Variable))}
    inner = [value if place in seen else identity.public(value) for place, value in enumerate(sources)]
    for tape in tapes:
        tape.watch([value for value in inner if value.dtype.is_differentiable])
    return inner, path(*(value for place, value in enumerate(inner) if place not in seen))


def _hessians_on_path(path: Any, sources: list[Any], outside: Sequence[int] = ()) -> list[Any]:
    answers = []
    for position in range(len(sources)):
        with GradientTape(persistent=True, watch_accessed_variables=False) as outer:
            with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
                inner, targets = _followed([outer, tape], path, sources, outside)
            gradient = tape.gradient(targets, inner[position])
        hessian = None if gradient is None else outer.jacobian(gradient, inner[position])
        if hessian is None:
            raise ValueError(
                f"None values not supported: the second derivative of the target in source {position} does not exist (it is "
                "not connected, or linear)."
            )
        answers.append(hessian)
    return answers


_REGISTERED: dict[str, Callable[..., Any] | None] = {}


class RegisterGradient:
    """Decorator: register a gradient function under a type name of its own.

    >>> import gradtape as tf
    >>> @tf.RegisterGradient("MyRound")
    ... def pass_through(op, grad):
    ...     return grad

    Args:
        op_type: The name of the op.

    Raises:
        TypeError: `op_type` is no text.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError(f"op_type must be a string, got {op_type!r}.")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        _register(self._op_type, f)
        return f


def no_gradient(op_type: str) -> None:
    """Register an op type of your own as not differentiable.

    >>> import gradtape as tf
    >>> tf.no_gradient("MyOp")

    Args:
        op_type: The name of an op.

    Raises:
        TypeError: `op_type` is no text.
    """
    if not isinstance(op_type, str):
        raise TypeError(f"op_type must be a string, got {op_type!r}.")
    _register(op_type, None)


def _register(op_type: str, function: Callable[..., Any] | None) -> None:
    load_all()
    if op_type in _REGISTERED or any(op.tf_name == op_type for op in REGISTRY.values()):
        raise KeyError(
            f"Registering two gradient with name {op_type!r}! It has a gradient already; use tf.custom_gradient."
        )
    _REGISTERED[op_type] = function


def _graph_def(graph: Graph) -> Any:
    from ..summary.graph import graph_of_function  # (loads the package with the messages)

    return graph_of_function(graph)


GRAPH_DEFS.append(_graph_def)
