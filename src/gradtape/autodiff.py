"""`tf.autodiff`: tapes, forward accumulators, and derivatives of functions in one call.

`jvp`, `vjp`, `hvp` and relatives take the point; `grad`, `jacrev` and relatives give a function, as in JAX.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

from .api.arrays import identity, zeros
from .api.mapped import vmap as vmap
from .api.transforms import grad as grad
from .api.transforms import hessian as hessian
from .api.transforms import jacfwd as jacfwd
from .api.transforms import jacrev as jacrev
from .api.transforms import value_and_grad as value_and_grad
from .api.trees import checked_function, checked_result, filled, leaves, map_leaves, matched, value_and_aux
from .autograph.calls import callback
from .base.namespaces import listing
from .base.types import TensorLeaf, TensorLike
from .differentiation.backward import UnconnectedGradients, zeros_of
from .differentiation.forward import ForwardAccumulator as ForwardAccumulator
from .differentiation.tape import GradientTape as GradientTape
from .differentiation.vectorize import vectorized_map
from .values.tensor import Tensor, to_tensor
from .variables.variable import Variable

_Aux = TypeVar("_Aux")
_Result = TypeVar("_Result")


def _points(values: object) -> Any:
    """The values as tensors of their own identity: what a function reads elsewhere, of the same tensor, does not count.

    Variables stay what they are, and a function may read them by themselves.
    """

    def point(value: Any) -> Any:
        return value if isinstance(value, Variable) else identity(to_tensor(value))

    return map_leaves(point, values)


@overload
def jvp(
    function: Callable[..., tuple[_Result, _Aux]],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    has_aux: Literal[True],
) -> tuple[_Result, _Result, _Aux]: ...
@overload
def jvp(
    function: Callable[..., _Result], primals: Sequence[Any], tangents: Sequence[Any], has_aux: Literal[False] = False
) -> tuple[_Result, _Result]: ...
def jvp(function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False) -> Any:
    """The value of `function(*primals)` and its derivative along `tangents`, in forward mode.

    >>> import gradtape as tf
    >>> y, dy = tf.autodiff.jvp(lambda x: x**3, [2.0], [1.0])
    >>> y.numpy(), dy.numpy()
    (np.float32(8.0), np.float32(12.0))

    Args:
        function: A function of the primals.
        primals: Its arguments, as a list or tuple.
        tangents: The direction: one tensor for each argument, of its shape and type; None for integers, which have no tangents.
        has_aux: Whether the function gives a pair `(value, aux)`, with anything beside the value.

    Returns:
        The value and its derivative, and `aux` if there is one. The derivative of an integer result is None.

    Raises:
        TypeError: The primals or tangents are no list or tuple, or a tangent has another type than its primal.
        ValueError: A tangent has another shape than its primal, or the structures differ.
    """
    checked_function("jvp", function)
    for given in (primals, tangents):
        if not isinstance(given, (list, tuple)):
            raise TypeError(
                f"jvp: primals and tangents are lists or tuples, got {type(given).__name__}: jvp(f, [x], [v])."
            )
    inputs = _points(list(primals))
    directions = matched("jvp", "tangent", list(tangents), "primal", inputs)
    followed = [(x, v) for x, v in zip(leaves(inputs), directions, strict=True) if v is not None]
    with ForwardAccumulator([x for x, _ in followed], [v for _, v in followed]) as accumulator:
        outputs, aux = value_and_aux("jvp", callback(function)(*inputs), has_aux)
        outputs = map_leaves(to_tensor, outputs)

    def derivative(value: Tensor) -> Tensor | None:
        return accumulator.jvp(value, UnconnectedGradients.ZERO) if value.dtype.is_differentiable else None

    derivatives = map_leaves(derivative, outputs)
    return (outputs, derivatives, aux) if has_aux else (outputs, derivatives)


@overload
def vjp(
    function: Callable[..., tuple[_Result, _Aux]], *primals: Any, has_aux: Literal[True]
) -> tuple[_Result, Callable[[_Result], tuple[Any, ...]], _Aux]: ...
@overload
def vjp(
    function: Callable[..., _Result], *primals: TensorLeaf, has_aux: Literal[False] = False
) -> tuple[_Result, Callable[[_Result], tuple[Tensor, ...]]]: ...
@overload
def vjp(
    function: Callable[..., _Result], *primals: Any, has_aux: Literal[False] = False
) -> tuple[_Result, Callable[[_Result], tuple[Any, ...]]]: ...
def vjp(function: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The value of `function(*primals)`, and a function from cotangents of the value to cotangents of the primals.

    >>> import gradtape as tf
    >>> y, pullback = tf.autodiff.vjp(lambda a, b: a * b, 2.0, 5.0)
    >>> [g.numpy() for g in pullback(tf.constant(1.0))]
    [np.float32(5.0), np.float32(2.0)]

    Of complex values the cotangents are those of a tape, which takes the conjugate of a derivative; JAX does not.

    Args:
        function: A function of the primals.
        primals: The arguments of the function, at which it is differentiated.
        has_aux: Whether the function gives a pair `(value, aux)`, with anything beside the value.

    Returns:
        The value and a function, and `aux` if there is one. The function takes cotangents of the structure, shapes and types
        of the value (None for integers), and gives a tuple with a cotangent for each primal (None for integers). It raises
        ValueError where structures or shapes differ, and TypeError where types do.
    """
    checked_function("vjp", function)
    inputs = _points(list(primals))
    sources = [x for x in leaves(inputs) if x.dtype.is_differentiable]
    with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(sources)
        outputs, aux = value_and_aux("vjp", callback(function)(*inputs), has_aux)
        outputs = map_leaves(to_tensor, outputs)

    def pullback(cotangents: Any) -> tuple[Any, ...]:
        given = matched("vjp", "cotangent", cotangents, "result", outputs)
        pairs = [(y, c) for y, c in zip(leaves(outputs), given, strict=True) if c is not None]
        found = iter(
            tape.gradient(
                [y for y, _ in pairs],
                sources,
                output_gradients=[c for _, c in pairs],
                unconnected_gradients=UnconnectedGradients.ZERO,
            )
        )
        return tuple(map_leaves(lambda x: to_tensor(next(found)) if x.dtype.is_differentiable else None, inputs))

    return (outputs, pullback, aux) if has_aux else (outputs, pullback)


def _scalar_of(name: str, function: Callable[[Any], Any], x: Any) -> tuple[GradientTape, Any, Any]:
    checked_function(name, function)
    source = _points(x)
    tape = GradientTape(watch_accessed_variables=False)
    with tape:
        tape.watch(leaves(source))
        target = checked_result(name, callback(function)(source), holomorphic=False, may_be_complex=True)
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
    tape, target, source = _scalar_of("hvp", function, x)
    directions = matched("hvp", "vector", vector, "argument", source)
    sources = leaves(source)
    products = zip(tape.hvp(target, sources, directions), sources, strict=True)
    return filled(source, [zeros_of(s) if product is None else to_tensor(product) for product, s in products])


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
    tape, target, source = _scalar_of("hessian_diagonal", function, x)
    found = tape.hessian_diagonal(target, source)
    return zeros_of(source) if found is None else found


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
    tape, target, source = _scalar_of("laplacian", function, x)
    found = tape.laplacian(target, source)
    return zeros([], source.dtype) if found is None else found


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
            value = callback(loss)(*example)
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
