"""What stands in a row, in random order."""

from __future__ import annotations

import numpy as np

from ..base import philox
from ..base.dtypes import DType
from ..base.errors import invalid
from ..base.shuffled_places import shuffled_place
from ..base.traceable import traceable
from ..base.types import TensorLike
from ..ops.array.gather import take
from ..ops.array.layout import reshape
from ..values.tensor import Tensor, from_array, to_tensor
from .streams import SEEDS, stateless_stream
from .tracing import drawn_on_abstract


def shuffle(value: TensorLike, seed: object = None, name: str | None = None) -> Tensor:
    """The slices along the first axis in random order.

    >>> import gradtape as tf
    >>> sorted(tf.random.shuffle([3, 1, 2]).numpy().tolist())
    [1, 2, 3]

    Args:
        value: A tensor.
        seed: With `tf.random.set_seed`, what decides the order.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape. Gradients follow the slices to their places.
    """
    x = to_tensor(value)
    size = (x.shape[0] or 0) if x.ndim else 0
    order = _drawn_order(size, x.dtype, seed)
    return x if size < 2 else _in_order(x, order)


def _in_order(x: Tensor, order: Tensor) -> Tensor:
    """The slices along the first axis in another order. (Along the second: the gradient is a tensor then, no IndexedSlices.)"""
    return reshape.public(take.public(reshape.public(x, (1, *x.shape)), order, axis=1), x.shape)


def _drawn_order(size: int, dtype: DType, seed: object = None) -> Tensor:
    """Numbers from 0 to `size` - 1 in random order; tensors of each type have a stream of their own."""
    if size < 2:
        return from_array(np.arange(size))
    stream = SEEDS.stream(("shuffle", dtype), seed, -(-(size - 1) // 4))
    return from_array(np.asarray(philox.permutation(stream, size)))


def stateless_shuffle(
    value: TensorLike, seed: TensorLike, alg: object = "auto_select", name: str | None = None
) -> Tensor:
    """The slices along the first axis in an order that depends on `seed` alone.

    >>> import gradtape as tf
    >>> tf.random.experimental.stateless_shuffle([10, 20, 30, 40], seed=[1, 2]).numpy()
    array([10, 40, 30, 20], dtype=int32)

    Args:
        value: A tensor.
        seed: Two integers, from which the numbers follow: the same two give the same numbers.
        alg: The generator: "auto_select" or "philox".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: The seed is not two integers.
    """
    x = to_tensor(value)
    size = (x.shape[0] or 0) if x.ndim else 0
    order = _order(size, seed, alg)
    return x if size < 2 else _in_order(x, order)


def _order(size: int, seed: TensorLike, alg: object) -> Tensor:
    """Numbers from 0 to `size` - 1 in an order that depends on `seed` alone."""
    return from_array(np.asarray(philox.permutation(stateless_stream(seed, alg), size)))


_KEY_BEFORE_SEED = 498247692  # the first of three words that scramble a place; the other two are the seed


def index_shuffle(index: TensorLike, seed: TensorLike, max_index: TensorLike) -> Tensor:
    """Where places go when 0 to `max_index` are shuffled: each by itself, without the list of all.

    The order is a permutation that the seed tells. A block cipher (Simon, four rounds) is applied to a place until the result is
    one of the places.

    >>> import gradtape as tf
    >>> tf.random.experimental.index_shuffle(tf.range(8), [7, 8], 7).numpy()
    array([3, 6, 1, 5, 7, 4, 2, 0], dtype=int32)

    Args:
        index: Places, scalar or vector.
        seed: Two integers, or a row of them for each place.
        max_index: The last place, or one for each.

    Returns:
        A tensor of the type of `index`.

    Raises:
        tf.errors.InvalidArgumentError: A place is not from 0 to `max_index`, or there are not two numbers of the seed.
    """
    places, key, last = (np.asarray(to_tensor(value)._array) for value in (index, seed, max_index))
    if key.shape[-1:] != (2,) or key.ndim > 2 or key.dtype.kind not in "iu":
        raise invalid(
            f"index_shuffle: the seed must be two integers, or two for each place; got shape {list(key.shape)}."
        )
    if places.ndim > 1 or last.ndim > 1:
        raise invalid(f"index_shuffle: places are a scalar or a vector, got shapes {places.shape} and {last.shape}.")
    lead = np.broadcast_shapes(places.shape, last.shape, key.shape[:-1])
    rows = np.broadcast_to(key, (*lead, 2)).reshape(-1, 2).tolist()
    pairs = zip(
        np.broadcast_to(places, lead).ravel().tolist(), np.broadcast_to(last, lead).ravel().tolist(), strict=True
    )
    found = [
        shuffled_place(place, (_KEY_BEFORE_SEED, *row), end) for (place, end), row in zip(pairs, rows, strict=True)
    ]
    return from_array(np.array(found, places.dtype).reshape(lead))


_drawn_order = traceable(_drawn_order, always=True, on_abstract=drawn_on_abstract, draws="stream")
_order = traceable(_order, on_abstract=drawn_on_abstract, draws="stream")
shuffle = traceable(shuffle, always=True)
stateless_shuffle = traceable(stateless_shuffle)
index_shuffle = traceable(index_shuffle, on_abstract=drawn_on_abstract, draws="stream")
