"""Functions of functions: `grad`, `value_and_grad`, `jacrev`, `jacfwd`, `hessian`, `vmap`, as `tf.autodiff` has them.

They are tapes, accumulators and `vectorized_map` around one call, so they may be nested in each other, used inside
`tf.function`, and mixed with tapes. Arguments and answers are structures, as in JAX: `argnums` says which arguments to
differentiate by, and a derivative has the structure of its argument.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, overload

from ..base import nest
from ..base.errors import invalid
from ..base.types import TensorLeaf, TensorLike
from ..differentiation.backward import UnconnectedGradients
from ..differentiation.forward import ForwardAccumulator
from ..differentiation.tape import GradientTape
from ..differentiation.vectorize import vectorized_map
from ..values.tensor import Tensor, to_tensor
from .arrays import eye, identity, reshape, size
from .layout import transpose

Transformed = Callable[..., Any]
_Rest = ParamSpec("_Rest")
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_Tree = TypeVar("_Tree", bound=Mapping[Any, Any] | list[Any] | tuple[Any, ...])
_ZERO = UnconnectedGradients.ZERO


class _Call:
    """One call of a function: which arguments it is differentiated by, as tensors of their own."""

    def __init__(self, name: str, function: Transformed, argnums: int | Sequence[int], args: tuple[Any, ...]) -> None:
        self.function = function
        self._args = list(args)
        chosen = _positions(name, argnums, len(args))
        sources = [nest.map_structure(functools.partial(_source, name, n), args[n]) for n in chosen]
        for n, source in zip(chosen, sources, strict=True):
            self._args[n] = source
        # One argument gives its own structure, a sequence of them a tuple.
        self.sources: Any = sources[0] if isinstance(argnums, int) else tuple(sources)

    def run(self, kwargs: dict[str, Any], has_aux: bool, name: str) -> tuple[Any, Any]:
        """What the function gives, and what it gives besides."""
        given = self.function(*self._args, **kwargs)
        if not has_aux:
            return given, None
        if not isinstance(given, tuple) or len(given) != 2:
            raise TypeError(
                f"{name}(..., has_aux=True): the function must return a pair (value, aux), got {type(given).__name__}."
            )
        return given


def _positions(name: str, argnums: int | Sequence[int], count: int) -> list[int]:
    try:
        numbers = [operator.index(n) for n in (argnums if isinstance(argnums, Sequence) else [argnums])]
    except TypeError:
        raise TypeError(
            f"{name}: argnums must be the position of an argument or several of them, got {argnums!r}. "
            f"{name}(f) gives a function: call it with the arguments, {name}(f)(x)."
        ) from None
    for n in numbers:
        if not -count <= n < count:
            raise ValueError(f"{name}: argnums={argnums} names argument {n}, but the call has {count} positional ones.")
    return [n % count for n in numbers]


def _source(name: str, position: int, value: Any) -> Tensor:
    """The value with an identity of its own: what the function reads elsewhere, of the same tensor, does not count."""
    tensor = to_tensor(value)
    if not tensor.dtype.is_differentiable:
        raise TypeError(
            f"{name}: argument {position} has {tensor.dtype.name}, which has no derivatives. Pass floating-point values "
            "(3.0 in place of 3), or leave the argument out of argnums."
        )
    return identity(tensor)


def _scalar(name: str, value: Any) -> Tensor:
    if nest.is_nested(value) or to_tensor(value).shape.rank not in (0, None):
        shape = "a structure" if nest.is_nested(value) else f"shape {to_tensor(value).shape}"
        raise invalid(
            f"{name}: the function must give one number, got {shape}. Sum it up (tf.reduce_sum), or take tf.autodiff.jacrev."
        )
    return to_tensor(value)


@overload
def value_and_grad(
    function: Callable[Concatenate[Tensor, _Rest], Any], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[TensorLeaf, _Rest], tuple[Tensor, Tensor]]: ...
@overload
def value_and_grad(
    function: Callable[Concatenate[_Tree, _Rest], Any], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[_Tree, _Rest], tuple[Tensor, _Tree]]: ...
@overload
def value_and_grad(
    function: Callable[_Arguments, Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[_Arguments, tuple[Any, Any]]: ...
def value_and_grad(function: Transformed, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Transformed:
    """A function that gives the value of `function` and its gradient.

    Args:
        function: gives one number; with `has_aux` a pair of that number and anything else.
        argnums: which arguments to differentiate by; the gradient has their structure, a tuple of them if several are named.
        has_aux: whether `function` gives a pair; the answer is then `((value, aux), gradient)`.

    >>> import gradtape as tf
    >>> value, gradient = tf.autodiff.value_and_grad(lambda w, x: w["a"] * x**2)({"a": 3.0}, 2.0)
    >>> value.numpy(), gradient["a"].numpy()
    (np.float32(12.0), np.float32(4.0))

    Where the value does not depend on an argument, the gradient is 0, as in JAX (a tape says None).
    """
    return _value_and_grad("value_and_grad", function, argnums, has_aux)


def _value_and_grad(name: str, function: Transformed, argnums: int | Sequence[int], has_aux: bool) -> Transformed:
    """`value_and_grad`, for the function of this name."""

    @functools.wraps(function)
    def value_and_gradient(*args: object, **kwargs: object) -> Any:
        call = _Call(name, function, argnums, args)
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(call.sources)
            value, aux = call.run(kwargs, has_aux, name)
            value = _scalar(name, value)
        gradient = tape.gradient(value, call.sources, unconnected_gradients=_ZERO)
        return ((value, aux) if has_aux else value), gradient

    return value_and_gradient


@overload
def grad(
    function: Callable[Concatenate[Tensor, _Rest], Any], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[TensorLeaf, _Rest], Tensor]: ...
@overload
def grad(
    function: Callable[Concatenate[_Tree, _Rest], Any], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[_Tree, _Rest], _Tree]: ...
@overload
def grad(
    function: Callable[_Arguments, Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[_Arguments, Any]: ...
def grad(function: Transformed, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Transformed:
    """A function that gives the gradient of `function`, which gives one number; arguments as for `value_and_grad`.

    >>> import gradtape as tf
    >>> tf.autodiff.grad(tf.autodiff.grad(lambda x: x**3))(2.0).numpy()
    np.float32(12.0)

    With `has_aux` the answer is `(gradient, aux)`.

    Args:
        function: A function that gives one number.
        argnums: Which arguments to differentiate in: a number, or several.
        has_aux: Whether the function gives a pair `(number, aux)`, with anything beside the number.

    Returns:
        A function of the same arguments. Its answer has the structure of the argument, a tuple of them for several.
    """
    both = _value_and_grad("grad", function, argnums, has_aux)

    @functools.wraps(function)
    def gradient_of(*args: object, **kwargs: object) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return gradient_of


@overload
def jacrev(
    function: Callable[Concatenate[Tensor, _Rest], TensorLike], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[TensorLeaf, _Rest], Tensor]: ...
@overload
def jacrev(
    function: Callable[_Arguments, Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[_Arguments, Any]: ...
def jacrev(function: Transformed, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Transformed:
    """A function that gives the Jacobian of `function`, in reverse mode: right where there are fewer outputs than inputs.

    The answer has the structure of the outputs, with that of the arguments in each place: shape of the output, then shape of the
    argument. Arguments as for `value_and_grad`.

    >>> import gradtape as tf
    >>> tf.autodiff.jacrev(lambda x: x * x)(tf.constant([1.0, 2.0])).numpy()
    array([[2., 0.],
           [0., 4.]], dtype=float32)

    Args:
        function: A function that gives a tensor or a structure of them.
        argnums: Which arguments to differentiate in: a number, or several.
        has_aux: Whether the function gives a pair `(outputs, aux)`, with anything beside the outputs.

    Returns:
        A function of the same arguments.
    """
    return _jacrev("jacrev", function, argnums, has_aux)


def _jacrev(name: str, function: Transformed, argnums: int | Sequence[int], has_aux: bool) -> Transformed:
    """`jacrev`, for the function of this name."""

    @functools.wraps(function)
    def jacobian_of(*args: object, **kwargs: object) -> Any:
        call = _Call(name, function, argnums, args)
        with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
            tape.watch(call.sources)
            outputs, aux = call.run(kwargs, has_aux, name)
            outputs = nest.map_structure(to_tensor, outputs)
        jacobian = nest.map_structure(
            lambda output: tape.jacobian(output, call.sources, unconnected_gradients=_ZERO), outputs
        )
        return (jacobian, aux) if has_aux else jacobian

    return jacobian_of


@overload
def jacfwd(
    function: Callable[Concatenate[Tensor, _Rest], TensorLike], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[TensorLeaf, _Rest], Tensor]: ...
@overload
def jacfwd(
    function: Callable[_Arguments, Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[_Arguments, Any]: ...
def jacfwd(function: Transformed, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Transformed:
    """A function that gives the Jacobian of `function`, in forward mode: right where there are fewer inputs than outputs.

    The answer is that of `jacrev`.

    >>> import gradtape as tf
    >>> tf.autodiff.jacfwd(lambda t: tf.stack([tf.cos(t), tf.sin(t)]))(0.0).numpy()
    array([-0.,  1.], dtype=float32)

    Args:
        function: A function that gives a tensor or a structure of them.
        argnums: Which arguments to differentiate in: a number, or several.
        has_aux: Whether the function gives a pair `(outputs, aux)`, with anything beside the outputs.

    Returns:
        A function of the same arguments.
    """

    @functools.wraps(function)
    def jacobian_of(*args: object, **kwargs: object) -> Any:
        call = _Call("jacfwd", function, argnums, args)
        beside: list[Any] = []

        def columns(source: Tensor) -> Any:
            """The derivatives along each element of one source, as the last axes."""
            rows = reshape(eye(size(source), dtype=source.dtype), [-1, *source.shape])

            def along(direction: Tensor) -> Any:
                with ForwardAccumulator(source, direction) as accumulator:
                    outputs, aux = call.run(kwargs, has_aux, "jacfwd")
                    beside[:] = [aux]
                    outputs = nest.map_structure(to_tensor, outputs)
                return nest.map_structure(lambda y: accumulator.jvp(y, unconnected_gradients=_ZERO), outputs)

            def as_last_axes(derivative: Tensor) -> Tensor:
                rank = len(derivative.shape)
                return reshape(_moved(derivative, 0, -1), [*derivative.shape[1:rank], *source.shape])

            return nest.map_structure(as_last_axes, vectorized_map(along, rows))

        flat = [columns(source) for source in nest.flatten(call.sources)]
        jacobian = nest.map_structure(lambda *parts: nest.pack_sequence_as(call.sources, list(parts)), *flat)
        return (jacobian, beside[0]) if has_aux else jacobian

    return jacobian_of


@overload
def hessian(
    function: Callable[Concatenate[Tensor, _Rest], Any], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[TensorLeaf, _Rest], Tensor]: ...
@overload
def hessian(
    function: Callable[_Arguments, Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[_Arguments, Any]: ...
def hessian(function: Transformed, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Transformed:
    """A function that gives the second derivatives of `function`: the structure of the arguments twice.

    Arguments as for `value_and_grad`.

    >>> import gradtape as tf
    >>> tf.autodiff.hessian(lambda x: tf.reduce_sum(x**3))(tf.constant([1.0, 2.0])).numpy()
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)

    Args:
        function: A function that gives one number.
        argnums: Which arguments to differentiate in: a number, or several.
        has_aux: Whether the function gives a pair `(number, aux)`, with anything beside the number.

    Returns:
        A function of the same arguments.
    """
    _positions("hessian", argnums, 1 << 16)
    return _jacrev("hessian", _jacrev("hessian", function, argnums, has_aux), argnums, has_aux)


def vmap(function: Callable[_Arguments, _Result], in_axes: Any = 0, out_axes: Any = 0) -> Callable[_Arguments, _Result]:
    """A function that maps `function` over an axis of its arguments, for all elements at once.

    Args:
        function: of one element.
        in_axes: the axis of each argument that is mapped, None for one that is not: a number for all, a tuple with one entry for
            each argument, or structures of numbers as the arguments have. Keyword arguments are mapped over their first axis.
        out_axes: where the mapped axis is in the results: a number, or a structure of numbers.

    >>> import gradtape as tf
    >>> x, w = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1.0, 10.0])
    >>> tf.autodiff.vmap(tf.tensordot, in_axes=(0, None, None))(x, w, 1).numpy()
    array([21., 43.], dtype=float32)
    """
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)

    @functools.wraps(function)
    def mapped(*args: object, **kwargs: object) -> Any:
        given = (args, kwargs)
        axes = _axes_for((in_axes, 0), given, "in_axes")
        leaves = nest.flatten(given)
        moved = {n: _moved(to_tensor(leaves[n]), axis, 0) for n, axis in enumerate(axes) if axis is not None}
        _check_sizes(moved)

        def one(slices: dict[int, Tensor]) -> Any:
            positional, named = nest.pack_sequence_as(given, [slices.get(n, leaf) for n, leaf in enumerate(leaves)])
            return function(*positional, **named)

        results = vectorized_map(one, moved)
        places = [axis for axis in _axes_for(out_axes, results, "out_axes") if axis is not None]
        flat = nest.flatten(results)
        if len(places) != len(flat):
            raise ValueError(f"vmap: out_axes={out_axes!r} must have a whole number for each result.")
        flat = [_moved(result, 0, axis) for result, axis in zip(flat, places, strict=True)]
        return nest.pack_sequence_as(results, flat)

    return mapped


def _moved(value: Tensor, origin: int, target: int) -> Tensor:
    """The value with one axis in another place."""
    rank = len(value.shape)
    for axis in (origin, target):
        if not -rank <= axis < rank:
            raise ValueError(f"vmap: there is no axis {axis} in an array of shape {tuple(value.shape)}.")
    order = list(range(rank))
    order.insert(target % rank, order.pop(origin % rank))
    return transpose(value, order)


def _axes_for(axes: Any, structure: Any, name: str) -> list[int | None]:
    """An axis for each leaf: one that stands for a structure holds for all in it."""
    if axes is None or isinstance(axes, int):
        return [axes] * len(nest.flatten(structure))
    if isinstance(axes, Mapping) and isinstance(structure, Mapping) and axes.keys() == structure.keys():
        pairs = [(axes[key], structure[key]) for key in sorted(structure)]
    elif isinstance(axes, (list, tuple)) and isinstance(structure, (list, tuple)) and len(axes) == len(structure):
        pairs = list(zip(axes, structure, strict=True))
    else:
        raise ValueError(
            f"vmap: {name} must be a whole number, None, or a structure of them that the values have too: got {axes!r} for "
            f"{nest.map_structure(lambda value: getattr(value, 'shape', type(value).__name__), structure)}."
        )
    return [axis for part, values in pairs for axis in _axes_for(part, values, name)]


def _check_sizes(moved: dict[int, Tensor]) -> None:
    if not moved:
        raise ValueError("vmap: no argument is mapped. Give at least one of them an axis in in_axes.")
    sizes = {n: tensor.shape[0] for n, tensor in moved.items() if tensor.shape[0] is not None}
    if len(set(sizes.values())) > 1:
        raise ValueError(
            f"vmap: the mapped axes must have one length, got {list(sizes.values())} for arrays of shapes "
            f"{[tuple(moved[n].shape) for n in sizes]} (mapped axis first)."
        )
