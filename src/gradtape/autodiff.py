"""`tf.autodiff`: tapes, forward accumulators, and derivatives of functions in one call.

`jvp`, `vjp`, `hvp` and relatives take the point; `grad`, `jacrev` and relatives give a function, as in JAX.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from .api.transforms import grad as grad
from .api.transforms import hessian as hessian
from .api.transforms import jacfwd as jacfwd
from .api.transforms import jacrev as jacrev
from .api.transforms import value_and_grad as value_and_grad
from .api.transforms import vmap as vmap
from .base import nest
from .base.namespaces import listing
from .base.types import TensorLike
from .differentiation.forward import ForwardAccumulator as ForwardAccumulator
from .differentiation.tape import GradientTape as GradientTape
from .differentiation.vectorize import vectorized_map
from .values.tensor import Tensor, to_tensor
from .variables.variable import Variable

_Result = TypeVar("_Result")


def _tensors(values: object) -> Any:
    return nest.map_structure(lambda v: v if isinstance(v, (Tensor, Variable)) else to_tensor(v), values)


def jvp(
    function: Callable[..., _Result], primals: Sequence[TensorLike], tangents: Sequence[TensorLike]
) -> tuple[_Result, _Result]:
    """The value of `function(*primals)` and its derivative along `tangents`, in forward mode.

    >>> import gradtape as tf
    >>> y, dy = tf.autodiff.jvp(lambda x: x**3, [2.0], [1.0])
    >>> y.numpy(), dy.numpy()
    (np.float32(8.0), np.float32(12.0))

    Args:
        function: A function of the primals.
        primals: Its arguments.
        tangents: The direction: one tensor for each argument.

    Returns:
        The value and its derivative.
    """
    inputs = _tensors(list(primals))
    with ForwardAccumulator(inputs, list(tangents)) as accumulator:
        outputs: Any = function(*inputs)
    return outputs, accumulator.jvp(outputs)


def vjp(function: Callable[..., _Result], *primals: TensorLike) -> tuple[_Result, Callable[[_Result], list[Tensor]]]:
    """The value of `function(*primals)`, and a function from cotangents of the value to cotangents of the primals.

    >>> import gradtape as tf
    >>> y, pullback = tf.autodiff.vjp(lambda a, b: a * b, 2.0, 5.0)
    >>> [g.numpy() for g in pullback(tf.constant(1.0))]
    [np.float32(5.0), np.float32(2.0)]

    Args:
        function: A function of the primals.
        primals: Its arguments.

    Returns:
        The value and a function.
    """
    inputs = _tensors(list(primals))
    with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(inputs)
        outputs: Any = function(*inputs)

    def pullback(cotangents: object) -> Any:
        return tape.gradient(outputs, inputs, output_gradients=cotangents)

    return outputs, pullback


def _scalar_of(function: Callable[[Any], Any], x: TensorLike) -> tuple[GradientTape, Any, Any]:
    source = _tensors(x)
    tape = GradientTape(watch_accessed_variables=False)
    with tape:
        tape.watch(source)
        target = function(source)
    return tape, target, source


@overload
def hvp(function: Callable[[Tensor], Tensor], x: TensorLike, vector: TensorLike) -> Tensor: ...
@overload
def hvp(function: Callable[[Any], Tensor], x: Any, vector: Any) -> Any: ...
def hvp(function: Callable[[Any], Any], x: Any, vector: Any) -> Any:
    """The Hessian of a scalar function at x times a vector.

    >>> import gradtape as tf
    >>> tf.autodiff.hvp(lambda x: tf.reduce_sum(x**3), tf.constant([1.0, 2.0]), tf.constant([1.0, 0.0])).numpy()
    array([6., 0.], dtype=float32)

    Args:
        function: A function of x that gives one number.
        x: A tensor, or a structure of them.
        vector: The direction, with the structure of x.

    Returns:
        A tensor, or a structure, like x.
    """
    tape, target, source = _scalar_of(function, x)
    return tape.hvp(target, source, vector)


def hessian_diagonal(function: Callable[[Tensor], Tensor], x: TensorLike) -> Tensor:
    """The second derivative of a scalar function at x in each element of x.

    >>> import gradtape as tf
    >>> tf.autodiff.hessian_diagonal(lambda x: tf.reduce_sum(x**3), tf.constant([1.0, 2.0])).numpy()
    array([ 6., 12.], dtype=float32)

    Args:
        function: A function of x that gives one number.
        x: A tensor.

    Returns:
        A tensor of the shape of x.
    """
    tape, target, source = _scalar_of(function, x)
    return tape.hessian_diagonal(target, source)


def laplacian(function: Callable[[Tensor], Tensor], x: TensorLike) -> Tensor:
    """The sum of the second derivatives of a scalar function at x in all elements of x.

    >>> import gradtape as tf
    >>> tf.autodiff.laplacian(lambda x: tf.reduce_sum(x**3), tf.constant([1.0, 2.0])).numpy()
    np.float32(18.0)

    Args:
        function: A function of x that gives one number.
        x: A tensor.

    Returns:
        A number.
    """
    tape, target, source = _scalar_of(function, x)
    return tape.laplacian(target, source)


@overload
def per_example_gradients(loss: Callable[..., Tensor], variables: Tensor | Variable, *batch: TensorLike) -> Tensor: ...
@overload
def per_example_gradients(
    loss: Callable[..., Tensor], variables: Sequence[Tensor | Variable], *batch: TensorLike
) -> list[Tensor]: ...
def per_example_gradients(loss: Callable[..., Any], variables: Any, *batch: TensorLike) -> Any:
    """For each example the gradient of `loss(*example)` in `variables`, in one vectorized pass.

    `loss` sees one example: the inputs without their first axis. The answer has the structure of `variables`, each with
    the batch as first axis.

    >>> import gradtape as tf
    >>> w = tf.Variable([1.0, 2.0])
    >>> x = tf.constant([[1.0, 0.0], [0.0, 3.0]])
    >>> tf.autodiff.per_example_gradients(lambda row: tf.reduce_sum(w * row) ** 2, w, x).numpy()
    array([[ 2.,  0.],
           [ 0., 36.]], dtype=float32)

    Args:
        loss: A function of one example that gives one number.
        variables: A variable or tensor, or a list of them.
        *batch: The inputs; their first axis counts the examples.

    Returns:
        Gradients, in the structure of `variables`.
    """

    def one(example: Sequence[TensorLike]) -> Any:
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(variables)
            value = loss(*example)
        return tape.gradient(value, variables)

    return vectorized_map(one, tuple(batch))


__all__ = [
    "ForwardAccumulator",
    "GradientTape",
    "grad",
    "hessian",
    "hessian_diagonal",
    "hvp",
    "jacfwd",
    "jacrev",
    "jvp",
    "laplacian",
    "per_example_gradients",
    "value_and_grad",
    "vjp",
    "vmap",
]

__dir__ = listing(globals())
