"""Functions of functions: `grad`, `value_and_grad`, `jacrev`, `jacfwd`, `hessian`, as `tf.autodiff` has them.

They are tapes, accumulators and `vectorized_map` around one call, so they may be nested in each other, used inside
`tf.function`, and mixed with tapes. Arguments and answers are structures, as in JAX: `argnums` says which arguments to
differentiate by, and a derivative has the structure of its argument.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, overload

from ..autograph.calls import callback
from ..base import nest
from ..base.dtypes import int32
from ..base.errors import invalid
from ..base.types import TensorLeaf, TensorLike
from ..differentiation.backward import UnconnectedGradients
from ..differentiation.forward import ForwardAccumulator
from ..differentiation.tape import GradientTape
from ..differentiation.vectorize import mapped_and_shared
from ..math import conj
from ..values.tensor import Tensor, to_tensor
from .arrays import eye, reshape
from .layout import concat, transpose
from .shapes import shape, size
from .trees import (
    checked_function,
    checked_result,
    filled,
    leaves,
    map_leaves,
    positions,
    source,
    value_and_aux,
)

Transformed = Callable[..., Any]
_Rest = ParamSpec("_Rest")
_First = TypeVar("_First")
_Arguments = ParamSpec("_Arguments")
_Aux = TypeVar("_Aux")
_Tree = TypeVar("_Tree", bound=Mapping[Any, Any] | list[Any] | tuple[Any, ...])
_ZERO = UnconnectedGradients.ZERO


class _Call:
    """One call of a function: which arguments it is differentiated by, as tensors of their own."""

    def __init__(
        self,
        name: str,
        function: Transformed,
        argnums: int | Sequence[int],
        args: tuple[Any, ...],
        holomorphic: bool,
        allow_int: bool = False,
    ) -> None:
        self._name, self._function = name, function
        self._args = list(args)
        chosen = positions(name, argnums, len(args))
        for n in chosen:
            self._args[n] = map_leaves(functools.partial(source, name, n, holomorphic, allow_int), args[n])
        # One argument gives its own structure, a sequence of them a tuple.
        self._tree: Any = (
            self._args[chosen[0]] if not isinstance(argnums, Sequence) else tuple(self._args[n] for n in chosen)
        )
        self.sources = [leaf for leaf in leaves(self._tree) if leaf.dtype.is_differentiable]

    def run(self, kwargs: dict[str, Any], has_aux: bool) -> tuple[Any, Any]:
        """What the function gives, and what it gives besides."""
        return value_and_aux(self._name, callback(self._function)(*self._args, **kwargs), has_aux)

    def arranged(self, derivatives: Sequence[Any]) -> Any:
        """The derivatives by the sources, in the structure of the arguments: None by integers, which have none."""
        following = iter(derivatives)
        return map_leaves(lambda leaf: next(following) if leaf.dtype.is_differentiable else None, self._tree)


def _scalar(name: str, value: Any, holomorphic: bool) -> Tensor:
    if value is None or nest.is_nested(value) or to_tensor(value).shape.rank not in (0, None):
        given = f"shape {to_tensor(value).shape}" if value is not None and not nest.is_nested(value) else "a structure"
        raise invalid(
            f"{name}: the function must give one number, got {'None' if value is None else given}. Sum it up "
            "(tf.reduce_sum), or take tf.autodiff.jacrev."
        )
    return checked_result(name, value, holomorphic)


@overload
def value_and_grad(
    function: Callable[Concatenate[Tensor, _Rest], Any],
    argnums: Literal[0] = 0,
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[TensorLeaf, _Rest], tuple[Tensor, Tensor]]: ...
@overload
def value_and_grad(
    function: Callable[Concatenate[_Tree, _Rest], Any],
    argnums: Literal[0] = 0,
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[_Tree, _Rest], tuple[Tensor, _Tree]]: ...
@overload
def value_and_grad(
    function: Callable[Concatenate[Tensor, _Rest], tuple[Any, _Aux]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[TensorLeaf, _Rest], tuple[tuple[Tensor, _Aux], Tensor]]: ...
@overload
def value_and_grad(
    function: Callable[Concatenate[_Tree, _Rest], tuple[Any, _Aux]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[_Tree, _Rest], tuple[tuple[Tensor, _Aux], _Tree]]: ...
@overload
def value_and_grad(  # type: ignore[overload-overlap]
    function: Callable[Concatenate[_First, Tensor, _Rest], Any],
    argnums: Literal[1],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[_First, TensorLeaf, _Rest], tuple[Tensor, Tensor]]: ...
@overload
def value_and_grad(  # type: ignore[overload-overlap]
    function: Callable[Concatenate[_First, _Tree, _Rest], Any],
    argnums: Literal[1],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[_First, _Tree, _Rest], tuple[Tensor, _Tree]]: ...
@overload
def value_and_grad(  # type: ignore[overload-overlap]
    function: Callable[Concatenate[Tensor, Tensor, _Rest], Any],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[TensorLeaf, TensorLeaf, _Rest], tuple[Tensor, tuple[Tensor, Tensor]]]: ...
@overload
def value_and_grad(
    function: Callable[_Arguments, Any],
    argnums: Sequence[int],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[_Arguments, tuple[Tensor, tuple[Any, ...]]]: ...
@overload
def value_and_grad(
    function: Callable[_Arguments, tuple[Any, _Aux]],
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: Literal[True],
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[_Arguments, tuple[tuple[Tensor, _Aux], Any]]: ...
@overload
def value_and_grad(
    function: Callable[_Arguments, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[_Arguments, tuple[Any, Any]]: ...
@overload  # for mypy: all overloads fit a lambda, and without this one it would give an untyped function
def value_and_grad(
    function: Transformed, argnums: Any = ..., has_aux: bool = ..., holomorphic: bool = ..., allow_int: bool = ...
) -> Any: ...
def value_and_grad(
    function: Transformed,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Transformed:
    """A function that gives the value of `function` and its gradient.

    >>> import gradtape as tf
    >>> value, gradient = tf.autodiff.value_and_grad(lambda w, x: w["a"] * x**2)({"a": 3.0}, 2.0)
    >>> value.numpy(), gradient["a"].numpy()
    (np.float32(12.0), np.float32(4.0))

    Where the value does not depend on an argument, the gradient is 0, as in JAX (a tape says None). By a complex argument of a
    real function it is what a tape gives, the direction in which the function grows fastest; JAX gives the conjugate of that.

    Args:
        function: Gives one real number; with `has_aux` a pair of that number and anything else.
        argnums: Which arguments to differentiate by; the gradient has their structure, a tuple of them if several are named.
        has_aux: Whether `function` gives a pair; the answer is then `((value, aux), gradient)`.
        holomorphic: Whether the function is holomorphic: from complex arguments to one complex number. Its gradient is then the
            complex derivative.
        allow_int: Whether arguments may be integers; they have no derivatives, and None stands for those.

    Returns:
        A function of the same arguments.

    Raises:
        TypeError: `function` cannot be called, an argument or the value has a type without derivatives, or one is complex where
            it must be real.
        ValueError: `argnums` names what is not there.
        tf.errors.InvalidArgumentError: The value is more than one number.
    """
    return _value_and_grad("value_and_grad", function, argnums, has_aux, holomorphic, allow_int)


def _value_and_grad(
    name: str,
    function: Transformed,
    argnums: int | Sequence[int],
    has_aux: bool,
    holomorphic: bool,
    allow_int: bool,
) -> Transformed:
    """`value_and_grad`, for the function of this name."""
    checked_function(name, function)
    positions(name, argnums)

    @functools.wraps(function)
    def value_and_gradient(*args: object, **kwargs: object) -> Any:
        call = _Call(name, function, argnums, args, holomorphic, allow_int)
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(call.sources)
            value, aux = call.run(kwargs, has_aux)
            value = _scalar(name, value, holomorphic)
        found = tape.gradient(value, call.sources, unconnected_gradients=_ZERO)
        gradient = call.arranged([_derivative(part, holomorphic) for part in found])
        return ((value, aux) if has_aux else value), gradient

    return value_and_gradient


def _derivative(found: Any, holomorphic: bool) -> Tensor:
    """What a tape gives as one tensor. (Of a holomorphic function a tape gives the conjugate of the derivative.)"""
    dense = to_tensor(found)
    return conj(dense) if holomorphic else dense


@overload
def grad(
    function: Callable[Concatenate[Tensor, _Rest], Any],
    argnums: Literal[0] = 0,
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[TensorLeaf, _Rest], Tensor]: ...
@overload
def grad(
    function: Callable[Concatenate[_Tree, _Rest], Any],
    argnums: Literal[0] = 0,
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[_Tree, _Rest], _Tree]: ...
@overload
def grad(
    function: Callable[Concatenate[Tensor, _Rest], tuple[Any, _Aux]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[TensorLeaf, _Rest], tuple[Tensor, _Aux]]: ...
@overload
def grad(
    function: Callable[Concatenate[_Tree, _Rest], tuple[Any, _Aux]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[_Tree, _Rest], tuple[_Tree, _Aux]]: ...
@overload
def grad(  # type: ignore[overload-overlap]
    function: Callable[Concatenate[_First, Tensor, _Rest], Any],
    argnums: Literal[1],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[_First, TensorLeaf, _Rest], Tensor]: ...
@overload
def grad(  # type: ignore[overload-overlap]
    function: Callable[Concatenate[_First, _Tree, _Rest], Any],
    argnums: Literal[1],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[_First, _Tree, _Rest], _Tree]: ...
@overload
def grad(  # type: ignore[overload-overlap]
    function: Callable[Concatenate[Tensor, Tensor, _Rest], Any],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[TensorLeaf, TensorLeaf, _Rest], tuple[Tensor, Tensor]]: ...
@overload
def grad(
    function: Callable[_Arguments, Any],
    argnums: Sequence[int],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[_Arguments, tuple[Any, ...]]: ...
@overload
def grad(
    function: Callable[_Arguments, tuple[Any, _Aux]],
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: Literal[True],
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[_Arguments, tuple[Any, _Aux]]: ...
@overload
def grad(
    function: Callable[_Arguments, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[_Arguments, Any]: ...
@overload  # for mypy, as above
def grad(
    function: Transformed, argnums: Any = ..., has_aux: bool = ..., holomorphic: bool = ..., allow_int: bool = ...
) -> Any: ...
def grad(
    function: Transformed,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Transformed:
    """A function that gives the gradient of `function`, which gives one number; arguments as for `value_and_grad`.

    >>> import gradtape as tf
    >>> tf.autodiff.grad(tf.autodiff.grad(lambda x: x**3))(2.0).numpy()
    np.float32(12.0)

    With `has_aux` the answer is `(gradient, aux)`.

    Args:
        function: A function that gives one number.
        argnums: Which arguments to differentiate by: a number, or several.
        has_aux: Whether the function gives a pair `(number, aux)`, with anything beside the number.
        holomorphic: Whether the function is holomorphic: from complex arguments to one complex number. Its gradient is then the
            complex derivative.
        allow_int: Whether arguments may be integers; they have no derivatives, and None stands for those.

    Returns:
        A function of the same arguments. Its answer has the structure of the argument, a tuple of them for several.

    Raises:
        TypeError: `function` cannot be called, an argument or the value has a type without derivatives, or one is complex where
            it must be real.
        ValueError: `argnums` names what is not there.
        tf.errors.InvalidArgumentError: The value is more than one number.
    """
    both = _value_and_grad("grad", function, argnums, has_aux, holomorphic, allow_int)

    @functools.wraps(function)
    def gradient_of(*args: object, **kwargs: object) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return gradient_of


@overload
def jacrev(
    function: Callable[Concatenate[Tensor, _Rest], TensorLike],
    argnums: Literal[0] = 0,
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[TensorLeaf, _Rest], Tensor]: ...
@overload
def jacrev(
    function: Callable[Concatenate[Tensor, _Rest], tuple[TensorLike, _Aux]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[TensorLeaf, _Rest], tuple[Tensor, _Aux]]: ...
@overload
def jacrev(
    function: Callable[Concatenate[Tensor, Tensor, _Rest], TensorLike],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[TensorLeaf, TensorLeaf, _Rest], tuple[Tensor, Tensor]]: ...
@overload
def jacrev(
    function: Callable[_Arguments, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[_Arguments, Any]: ...
@overload  # for mypy, as above
def jacrev(
    function: Transformed, argnums: Any = ..., has_aux: bool = ..., holomorphic: bool = ..., allow_int: bool = ...
) -> Any: ...
def jacrev(
    function: Transformed,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Transformed:
    """A function that gives the Jacobian of `function`, in reverse mode: right where there are fewer outputs than inputs.

    The answer has the structure of the outputs, with that of the arguments in each place: shape of the output, then shape of the
    argument. Arguments as for `value_and_grad`.

    >>> import gradtape as tf
    >>> tf.autodiff.jacrev(lambda x: x * x)(tf.constant([1.0, 2.0])).numpy()
    array([[2., 0.],
           [0., 4.]], dtype=float32)

    Args:
        function: A function that gives a tensor or a structure of them.
        argnums: Which arguments to differentiate by: a number, or several.
        has_aux: Whether the function gives a pair `(outputs, aux)`, with anything beside the outputs.
        holomorphic: Whether the function is holomorphic, from complex arguments to complex outputs. Else outputs are real.
        allow_int: Whether arguments may be integers; they have no derivatives, and None stands for those.

    Returns:
        A function of the same arguments.

    Raises:
        TypeError: `function` cannot be called, an argument has a type without derivatives, or an output is complex and
            `holomorphic` is not set.
        ValueError: `argnums` names what is not there.
    """
    return _jacrev("jacrev", function, argnums, has_aux, holomorphic, allow_int)


def _jacrev(
    name: str,
    function: Transformed,
    argnums: int | Sequence[int],
    has_aux: bool,
    holomorphic: bool,
    allow_int: bool = False,
) -> Transformed:
    """`jacrev`, for the function of this name."""
    checked_function(name, function)
    positions(name, argnums)

    @functools.wraps(function)
    def jacobian_of(*args: object, **kwargs: object) -> Any:
        call = _Call(name, function, argnums, args, holomorphic, allow_int)
        with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
            tape.watch(call.sources)
            outputs, aux = call.run(kwargs, has_aux)
            outputs = map_leaves(lambda output: checked_result(name, output, holomorphic), outputs)

        def rows(output: Tensor) -> Any:
            found = tape.jacobian(output, call.sources, unconnected_gradients=_ZERO)
            return call.arranged([_derivative(part, holomorphic) for part in found])

        jacobian = map_leaves(rows, outputs)
        return (jacobian, aux) if has_aux else jacobian

    return jacobian_of


@overload
def jacfwd(
    function: Callable[Concatenate[Tensor, _Rest], TensorLike],
    argnums: Literal[0] = 0,
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
) -> Callable[Concatenate[TensorLeaf, _Rest], Tensor]: ...
@overload
def jacfwd(
    function: Callable[Concatenate[Tensor, _Rest], tuple[TensorLike, _Aux]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
    holomorphic: bool = ...,
) -> Callable[Concatenate[TensorLeaf, _Rest], tuple[Tensor, _Aux]]: ...
@overload
def jacfwd(
    function: Callable[Concatenate[Tensor, Tensor, _Rest], TensorLike],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
) -> Callable[Concatenate[TensorLeaf, TensorLeaf, _Rest], tuple[Tensor, Tensor]]: ...
@overload
def jacfwd(
    function: Callable[_Arguments, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = ...,
) -> Callable[_Arguments, Any]: ...
@overload  # for mypy, as above
def jacfwd(function: Transformed, argnums: Any = ..., has_aux: bool = ..., holomorphic: bool = ...) -> Any: ...
def jacfwd(
    function: Transformed, argnums: int | Sequence[int] = 0, has_aux: bool = False, holomorphic: bool = False
) -> Transformed:
    """A function that gives the Jacobian of `function`, in forward mode: right where there are fewer inputs than outputs.

    The answer is that of `jacrev`.

    >>> import gradtape as tf
    >>> tf.autodiff.jacfwd(lambda t: tf.stack([tf.cos(t), tf.sin(t)]))(0.0).numpy()
    array([-0.,  1.], dtype=float32)

    Args:
        function: A function that gives a tensor or a structure of them.
        argnums: Which arguments to differentiate by: a number, or several.
        has_aux: Whether the function gives a pair `(outputs, aux)`, with anything beside the outputs.
        holomorphic: Whether the function is holomorphic, from complex arguments to complex outputs. Else arguments are real.

    Returns:
        A function of the same arguments.

    Raises:
        TypeError: `function` cannot be called, or an argument is complex and `holomorphic` is not set.
        ValueError: `argnums` names what is not there.
    """
    checked_function("jacfwd", function)
    positions("jacfwd", argnums)

    @functools.wraps(function)
    def jacobian_of(*args: object, **kwargs: object) -> Any:
        call = _Call("jacfwd", function, argnums, args, holomorphic)
        for part in call.sources:
            if part.dtype.is_complex and not holomorphic:
                raise TypeError(
                    f"jacfwd: an argument has {part.dtype.name}, and one matrix is the derivative by it only if the function is "
                    "holomorphic: then pass holomorphic=True. Else take tf.autodiff.jvp, or jacrev for real outputs."
                )
        if not call.sources:
            outputs, aux = call.run(kwargs, has_aux)
            jacobian = map_leaves(lambda _: call.arranged([]), outputs)
            return (jacobian, aux) if has_aux else jacobian
        tree: list[Any] = []  # of the outputs
        beside: list[Any] = []

        def columns(part: Tensor) -> list[Any]:
            """The derivatives along each element of one source, as the last axes."""
            sizes = _sizes(part)
            rows = reshape(eye(size(part), dtype=part.dtype), _joined([-1], sizes))

            def along(direction: Tensor) -> tuple[Any, Any]:
                with ForwardAccumulator(part, direction) as accumulator:
                    outputs, aux = call.run(kwargs, has_aux)
                    outputs = map_leaves(
                        lambda output: checked_result("jacfwd", output, holomorphic, may_be_complex=True), outputs
                    )
                tree[:] = [outputs]
                # What is no tensor does not pass through the map.
                beside[:] = [aux]
                shared = [leaf for leaf in nest.flatten(aux) if isinstance(leaf, Tensor)]
                return [accumulator.jvp(y, unconnected_gradients=_ZERO) for y in leaves(outputs)], shared

            derivatives, shared = mapped_and_shared(along, rows)
            following = iter(shared)
            beside[:] = [
                nest.map_structure(lambda leaf: next(following) if isinstance(leaf, Tensor) else leaf, beside[0])
            ]
            return [_with_last_axes(derivative, sizes) for derivative in derivatives]

        by_source = [columns(part) for part in call.sources]
        jacobian = filled(tree[0], [call.arranged(parts) for parts in zip(*by_source, strict=True)])
        return (jacobian, beside[0]) if has_aux else jacobian

    return jacobian_of


def _sizes(value: Tensor) -> Any:
    """The sizes of a value: numbers where they are known, else a tensor."""
    return list(value.shape) if value.shape.is_fully_defined() else shape(value)


def _joined(first: Any, second: Any) -> Any:
    if isinstance(first, list) and isinstance(second, list):
        return first + second
    return concat([to_tensor(first, int32), to_tensor(second, int32)], 0)


def _with_last_axes(derivative: Tensor, sizes: Any) -> Tensor:
    """Derivatives along each element of a source, one after the other, as the axes that the source has."""
    of_output = _sizes(derivative)[1:]
    return reshape(transpose(reshape(derivative, [_sizes(derivative)[0], -1])), _joined(of_output, sizes))


@overload
def hessian(
    function: Callable[Concatenate[Tensor, _Rest], Any],
    argnums: Literal[0] = 0,
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
) -> Callable[Concatenate[TensorLeaf, _Rest], Tensor]: ...
@overload
def hessian(
    function: Callable[Concatenate[Tensor, _Rest], tuple[Any, _Aux]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
    holomorphic: bool = ...,
) -> Callable[Concatenate[TensorLeaf, _Rest], tuple[Tensor, _Aux]]: ...
@overload
def hessian(  # type: ignore[overload-overlap]
    function: Callable[Concatenate[Tensor, Tensor, _Rest], Any],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
) -> Callable[Concatenate[TensorLeaf, TensorLeaf, _Rest], tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]]: ...
@overload
def hessian(
    function: Callable[_Arguments, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = ...,
) -> Callable[_Arguments, Any]: ...
@overload  # for mypy, as above
def hessian(function: Transformed, argnums: Any = ..., has_aux: bool = ..., holomorphic: bool = ...) -> Any: ...
def hessian(
    function: Transformed, argnums: int | Sequence[int] = 0, has_aux: bool = False, holomorphic: bool = False
) -> Transformed:
    """A function that gives the second derivatives of `function`: the structure of the arguments twice.

    Arguments as for `value_and_grad`.

    >>> import gradtape as tf
    >>> tf.autodiff.hessian(lambda x: tf.reduce_sum(x**3))(tf.constant([1.0, 2.0])).numpy()
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)

    Args:
        function: A function that gives one number.
        argnums: Which arguments to differentiate by: a number, or several.
        has_aux: Whether the function gives a pair `(number, aux)`, with anything beside the number.
        holomorphic: Whether the function is holomorphic, from complex arguments to complex outputs. Else all are real.

    Returns:
        A function of the same arguments.

    Raises:
        TypeError: `function` cannot be called, or an argument or a value has a type without derivatives.
        ValueError: `argnums` names what is not there.
    """
    first = _jacrev("hessian", function, argnums, has_aux, holomorphic)
    return _jacrev("hessian", first, argnums, has_aux, holomorphic)
