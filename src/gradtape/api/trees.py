"""Arguments and results of functions that are differentiated or mapped, as trees: None in them is a place without a value.

(`tf.nest` takes None for a leaf.) What is bad in them is refused here, in the name of the function that was called.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..base import nest
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable
from .arrays import identity


def checked_function(name: str, function: object) -> None:
    """Refuse what cannot be called, at once and not when the answer is called."""
    if not callable(function):
        raise TypeError(f"{name}: the first argument must be a function, got {function!r}. Write {name}(f)(x).")


def leaves(tree: object) -> list[Any]:
    """The values of a tree in order, without its empty places."""
    return [leaf for leaf in nest.flatten(tree) if leaf is not None]


def map_leaves(function: Callable[[Any], Any], tree: object) -> Any:
    """The tree with what a function gives for its values."""
    return nest.map_structure(lambda leaf: None if leaf is None else function(leaf), tree)


def filled(tree: object, values: Iterable[Any]) -> Any:
    """The tree with other values."""
    following = iter(values)
    return map_leaves(lambda leaf: next(following), tree)


def positions(name: str, argnums: int | Sequence[int], count: int | None = None) -> list[int]:
    """The arguments that are named, of which there are `count` where the function is called."""
    try:
        numbers = [operator.index(n) for n in (argnums if isinstance(argnums, Sequence) else [argnums])]
    except TypeError:
        raise TypeError(
            f"{name}: argnums must be the position of an argument or several of them, got {argnums!r}. "
            f"{name}(f) gives a function: call it with the arguments, {name}(f)(x)."
        ) from None
    if count is not None:
        for n in numbers:
            if not -count <= n < count:
                raise ValueError(
                    f"{name}: argnums={argnums} names argument {n}, but the call has {count} positional ones."
                )
        numbers = [n % count for n in numbers]
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"{name}: argnums={argnums} names an argument twice. Name each once.")
    return numbers


def source(name: str, position: int, holomorphic: bool, allow_int: bool, value: object) -> Tensor:
    """The value with an identity of its own: what the function reads elsewhere, of the same tensor, does not count."""
    tensor = to_tensor(value)
    if holomorphic and not tensor.dtype.is_complex:
        raise TypeError(
            f"{name}(..., holomorphic=True) needs complex arguments, got {tensor.dtype.name} in argument {position}. "
            "Cast it to tf.complex64, or leave holomorphic away."
        )
    if not tensor.dtype.is_differentiable and not allow_int:
        raise TypeError(
            f"{name}: argument {position} has {tensor.dtype.name}, which has no derivatives. Pass floating-point values "
            "(3.0 in place of 3), or leave the argument out of argnums."
        )
    return identity(tensor)


def checked_result(name: str, value: object, holomorphic: bool, may_be_complex: bool = False) -> Tensor:
    """A result that has derivatives: a real one, or a complex one of a holomorphic function."""
    tensor = to_tensor(value)
    if holomorphic and not tensor.dtype.is_complex:
        raise TypeError(
            f"{name}(..., holomorphic=True): the function must give complex numbers, got {tensor.dtype.name}. "
            "Leave holomorphic away for a function that gives real ones."
        )
    if tensor.dtype.is_complex and not holomorphic and not may_be_complex:
        raise TypeError(
            f"{name}: the function gives {tensor.dtype.name}, and has one complex derivative only if it is holomorphic: then "
            "pass holomorphic=True. Else differentiate tf.math.real and tf.math.imag of it, or take tf.autodiff.vjp."
        )
    if not tensor.dtype.is_differentiable:
        raise TypeError(
            f"{name}: the function gives {tensor.dtype.name}, which has no derivatives. Cast it to tf.float32, or return it "
            "beside the value and pass has_aux=True."
        )
    return tensor


def value_and_aux(name: str, given: object, has_aux: bool) -> tuple[Any, Any]:
    """What a function gives, and what it gives besides."""
    if not has_aux:
        return given, None
    if not isinstance(given, tuple) or len(given) != 2:
        raise TypeError(
            f"{name}(..., has_aux=True): the function must return a pair (value, aux), got {type(given).__name__}."
        )
    return given


def matched(name: str, what: str, given: object, wanted: str, pattern: object) -> list[Any]:
    """For each value of `pattern` the one that `given` has for it, in its type; None for a value without derivatives.

    Args:
        name: The function that was called.
        what: What is given: "tangent", "cotangent".
        given: A tree.
        wanted: What the pattern is: "primal", "result".
        pattern: A tree of tensors and variables.
    """
    try:
        nest.assert_same_structure(pattern, given)
        places = list(zip(nest.flatten(pattern), nest.flatten(given), strict=True))
        same = all(leaf is not None or value is None for leaf, value in places)
    except (TypeError, ValueError):
        same = False
    if not same:
        raise ValueError(
            f"{name} needs a {what} for each {wanted}, in the same structure: {_outline(pattern)}, got {_outline(given)}."
        )
    return [_matching(name, what, value, wanted, leaf) for leaf, value in places if leaf is not None]


def _matching(name: str, what: str, value: object, wanted: str, leaf: Tensor | Variable) -> Tensor | None:
    dtype = leaf.dtype
    if not dtype.is_differentiable:
        if value is None:
            return None
        raise TypeError(f"{name}: a {wanted} of {dtype.name} has no derivatives: its {what} is None, got {value!r}.")
    if value is None:
        raise ValueError(f"{name} needs a {what} of shape {leaf.shape} and {dtype.name} for each {wanted}, got None.")
    if isinstance(value, (Tensor, Variable)) and value.dtype != dtype:
        raise TypeError(f"{name}: a {what} must have the type of its {wanted}, {dtype.name}, got {value.dtype.name}.")
    tensor = to_tensor(value, dtype)
    if not tensor.shape.is_compatible_with(leaf.shape):
        raise ValueError(f"{name}: a {what} must have the shape of its {wanted}, {leaf.shape}, got {tensor.shape}.")
    return tensor


def _outline(tree: object) -> str:
    def one(leaf: object) -> Any:
        return _Word("None" if leaf is None else f"{type(leaf).__name__}{tuple(getattr(leaf, 'shape', ()))}")

    return repr(nest.map_structure(one, tree))


class _Word(str):
    __slots__ = ()
    __repr__ = str.__str__
