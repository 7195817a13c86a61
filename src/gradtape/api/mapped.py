"""`tf.autodiff.vmap`: a function over an axis of its arguments, for all elements at once, as JAX has it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from ..autograph.calls import callback
from ..base import nest
from ..differentiation.vectorize import mapped_and_shared
from ..values.tensor import Tensor, to_tensor
from .arrays import range as numbers
from .layout import transpose
from .trees import checked_function, filled, leaves

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def vmap(
    function: Callable[_Arguments, _Result],
    in_axes: object = 0,
    out_axes: object = 0,
    axis_size: int | None = None,
) -> Callable[_Arguments, _Result]:
    """A function that maps `function` over an axis of its arguments, for all elements at once.

    >>> import gradtape as tf
    >>> x, w = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1.0, 10.0])
    >>> tf.autodiff.vmap(tf.tensordot, in_axes=(0, None, None))(x, w, 1).numpy()
    array([21., 43.], dtype=float32)

    Args:
        function: A function of one element.
        in_axes: The axis of each argument that is mapped, None for one that is not: a number for all, a tuple with one entry for
            each argument, or structures of numbers as the arguments have. Keyword arguments are mapped over their first axis.
        out_axes: Where the mapped axis is in the results: a number, or a structure of numbers. None for a result that does not
            depend on the mapped arguments, and has no such axis.
        axis_size: The length of the mapped axes; needed only where no argument is mapped.

    Returns:
        A function of the same arguments.

    Raises:
        TypeError: `function` cannot be called.
        ValueError: The axes do not fit the values, or a result has None in `out_axes` and depends on the mapped arguments.
    """
    checked_function("vmap", function)
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)

    @functools.wraps(function)
    def mapped(*args: object, **kwargs: object) -> Any:
        given = (args, kwargs)
        axes = _axes_for((in_axes, 0), given, "in_axes")
        flat = leaves(given)
        moved = {n: _moved(to_tensor(flat[n]), axis, 0) for n, axis in enumerate(axes) if axis is not None}
        _check_sizes(moved, axis_size)
        results: list[Any] = []

        def one(slices: dict[int, Tensor]) -> tuple[list[Any], list[Any]]:
            positional, named = filled(given, [slices.get(n, leaf) for n, leaf in enumerate(flat)])
            results[:] = [callback(function)(*positional, **named)]
            found = list(zip(leaves(results[0]), _axes_for(out_axes, results[0], "out_axes"), strict=True))
            with_axis = [value for value, axis in found if axis is not None]
            return with_axis, [to_tensor(value) for value, axis in found if axis is None]

        # (Where nothing is mapped, numbers that the function does not see say how often.)
        stacked, shared = map(iter, mapped_and_shared(one, moved or {-1: numbers(axis_size)}))
        places = _axes_for(out_axes, results[0], "out_axes")
        arranged = [next(shared) if axis is None else _moved(next(stacked), 0, axis) for axis in places]
        return filled(results[0], arranged)

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


def _axes_for(axes: object, structure: object, name: str) -> list[int | None]:
    """An axis for each value: one that stands for a structure holds for all in it."""
    if axes is None or isinstance(axes, int):
        return [axes] * len(leaves(structure))
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


def _check_sizes(moved: dict[int, Tensor], axis_size: int | None) -> None:
    if not moved and axis_size is None:
        raise ValueError("vmap: no argument is mapped. Give at least one of them an axis in in_axes, or say axis_size.")
    sizes = {n: tensor.shape[0] for n, tensor in moved.items() if tensor.shape[0] is not None}
    if len(set(sizes.values())) > 1:
        raise ValueError(
            f"vmap: the mapped axes must have one length, got {list(sizes.values())} for arrays of shapes "
            f"{[tuple(moved[n].shape) for n in sizes]} (mapped axis first)."
        )
    if axis_size is not None and sizes and axis_size not in sizes.values():
        raise ValueError(f"vmap: axis_size={axis_size}, but the mapped axes have length {next(iter(sizes.values()))}.")
