"""Gradients of single examples, clipped and summed, without storing the gradient of each example.

The loss of one example runs on values with a hidden batch axis (differentiation/vectorize.py), and one backward pass gives the
gradient of each example in each variable. For a weight matrix that would be an array as large as the matrix times the batch. But
such a gradient is a sum of outer products of two vectors that the pass has at hand: for `x @ w`, of x and the
cotangent of the product. The norm of that sum and its weighted sum over all examples follow from the vectors alone. So
where a variable enters a matmul or a convolution, or is a table that rows are looked up in, the walk does not compute
its gradient but notes the vectors. All other gradients, of biases and scales, are computed for each example and reduced
then.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import nest
from ..base.context import Records
from ..base.errors import invalid
from ..base.traceable import traceable
from ..base.types import TensorLike, Value
from ..differentiation.backward import backpropagate
from ..differentiation.cotangents import Cotangents
from ..differentiation.tape import GradientTape
from ..differentiation.vectorize import Batched, batch, next_depth, unbatch
from ..op.family import numpy_type, shape_of
from ..op.record import Pull, ids_of, new_record, op_of, place_of, pull_of, saved_by
from ..ops.array.gather import put, take
from ..ops.array.index import getitem
from ..ops.array.layout import concat, permute, reshape
from ..ops.image.patches import extract_windows
from ..ops.linalg.products import matmul
from ..ops.math.complex_numbers import conj, real
from ..ops.math.conversion import convert
from ..ops.math.elementwise import sqrt
from ..ops.math.logic import equal, maximum, ones_like
from ..ops.math.reduce import reduce_sum
from ..ops.nn.conv import conv
from ..values.tensor import IndexedSlices, Tensor, from_array, identify, to_tensor
from ..variables.variable import Variable

_WINDOWS = 2**22  # how many values of windows of images are laid out at a time
_REDUCTIONS = (None, "sum", "mean")


def per_example_gradients(
    loss: Callable[..., Any],
    variables: object,
    *examples: object,
    clip_norm: float | None = None,
    reduction: str | None = None,
    return_norms: bool = False,
) -> Any:
    """For each example the gradient of `loss(*example)` in `variables`; clipped, and reduced over the batch, if wanted.

    >>> import gradtape as tf
    >>> w = tf.Variable([[1.0], [2.0]])
    >>> x, y = tf.constant([[1.0, 0.0], [0.0, 3.0]]), tf.constant([0.0, 1.0])
    >>> def loss(x, y):  # of one example
    ...     return tf.reduce_sum((x[None] @ w - y) ** 2)
    >>> tf.train.per_example_gradients(loss, w, x, y).numpy().tolist()
    [[[2.0], [0.0]], [[0.0], [30.0]]]
    >>> tf.train.per_example_gradients(loss, w, x, y, clip_norm=1.0, reduction="mean").numpy().round(3).tolist()
    [[0.5], [0.5]]

    With a reduction, the gradients of single examples are not built one by one where that can be avoided: for weight
    matrices, filters and tables of embeddings. This takes little more time and memory than the gradient of the whole batch.

    Args:
        loss: A function of one example: of the arguments without their first axis. Models for batches are given a batch
            of one: `model(x[None])`.
        variables: A variable, or a structure of them.
        *examples: Tensors whose first axis is the batch.
        clip_norm: The largest Euclidean norm of an example's gradient, over all variables together; a longer gradient is
            scaled down to it, before any reduction.
        reduction: "sum" or "mean" over the examples; None gives each of them, with the batch as first axis.
        return_norms: Whether to return the norms of the gradients (before clipping) too, as a second value.

    Returns:
        The gradients in the structure of `variables`: None for one that the loss does not depend on; with a reduction,
        `tf.IndexedSlices` for one that is only looked up with `tf.gather`.

    Raises:
        ValueError: `clip_norm` is not positive, or `reduction` is unknown.
    """
    if clip_norm is not None and not clip_norm > 0:
        raise ValueError(f"per_example_gradients: clip_norm must be positive, got {clip_norm!r}.")
    if reduction not in _REDUCTIONS:
        raise ValueError(f"per_example_gradients: reduction must be one of {_REDUCTIONS}, got {reduction!r}.")
    sources = _checked_sources(variables)
    size = _batch_size(examples)
    if not size:  # random sampling may give an empty batch; no example shows what the loss depends on
        empty = [_zeros((*(() if reduction else (0,)), *to_tensor(v).shape), v.dtype.numpy) for v in sources]
        result = nest.pack_sequence_as(variables, empty)
        return (result, _zeros((0,), np.float32)) if return_norms else result
    parts = _gradients(loss, sources, examples, size)
    norms = _norms(parts) if clip_norm is not None or return_norms else None
    weights = _weights(norms, clip_norm, size, reduction)
    if reduction is None:
        found = [None if part.is_empty else _scaled(part.each(), weights) for part in parts]
    else:
        found = [None if part.is_empty else part.weighted_sum(weights) for part in parts]
    result = nest.pack_sequence_as(variables, found)
    return (result, norms) if return_norms else result


def _zeros(shape: tuple[int, ...], dtype: Any) -> Tensor:
    return from_array(np.zeros(shape, dtype))


def _checked_sources(variables: object) -> list[Variable]:
    sources = nest.flatten(variables)
    for source in sources:
        if not isinstance(source, (Variable, Tensor)):
            raise ValueError(f"per_example_gradients: variables must be tf.Variable or tensors, got {source!r}.")
    return sources


def _batch_size(examples: tuple[Any, ...]) -> int:
    tensors = [to_tensor(value) for value in nest.flatten(list(examples))]
    sizes = {shape_of(tensor)[0] if tensor.ndim else None for tensor in tensors}
    if not tensors or None in sizes or len(sizes) != 1:
        raise ValueError(
            f"per_example_gradients: all examples need one common first size, got shapes {[t.shape for t in tensors]}."
        )
    return int(sizes.pop() or 0)


# --- the walk ----------------------------------------------------------------------------------------------------------


def _gradients(
    loss: Callable[..., Any], sources: list[Variable], examples: tuple[Any, ...], size: int
) -> list[_Gradient]:
    depth = next_depth()
    parts = {identify(source): _Gradient(source, size, depth) for source in sources}
    example = nest.map_structure(lambda value: batch(to_tensor(value), depth), list(examples))
    with GradientTape(watch_accessed_variables=False, persistent=True) as tape:
        tape.watch(sources)
        value = to_tensor(loss(*example))
    records = tape._records()
    _divert(records, parts)
    cotangents = Cotangents(records, list(parts))
    cotangents.add(identify(value), ones_like(value))
    found = backpropagate(cotangents, consume=True, on_tensors=True)
    for number, cotangent in found.items():
        if cotangent is not None:
            parts[number].add_whole(_dense(unbatch(cotangent, size, depth)))
    return [parts[identify(source)] for source in sources]


def _dense(value: TensorLike) -> Any:
    return value if isinstance(value, Tensor) else from_array(np.asarray(value))


class _Noted:
    """A backward step that gives the cotangents of the other operands, and notes the factors of the variable's cotangent."""

    def __init__(self, note: Callable[[Any], None], others: Pull | None) -> None:
        self._note = note
        self._others = others  # the pull for the other operands, or None

    def on_tensors(self, cotangent: Any, record: Any) -> Any:
        self._note(cotangent)
        return () if self._others is None else self._others.on_tensors(cotangent, record)

    __call__ = on_tensors


def _divert(records: Records, parts: dict[int, _Gradient]) -> None:
    """Replace the steps whose gradients need not be built."""
    for number, record in list(records.items()):
        op = None if record is None else op_of(pull_of(record))
        if record is None or op not in (matmul, conv, take):
            continue
        followed, numbers, broadcast, conjugate = pull_of(record).key
        sources = dict(zip(followed, ids_of(record), strict=True))
        known = dict(zip(op.saved_names(followed, broadcast), saved_by(record), strict=True))
        mine = [position for position in followed if sources[position] in parts]
        if len(mine) != 1:
            continue
        part = parts[sources[mine[0]]]
        note = _note_for(op, mine[0], known, part)
        if note is None:
            continue
        others = tuple(position for position in followed if position != mine[0])
        pull = op.pull(others, numbers, broadcast, conjugate) if others else None
        kept = [known[name] for name in op.saved_names(others, broadcast)]
        records[number] = new_record(_Noted(note, pull), [sources[p] for p in others], kept, None, place_of(record))


def _note_for(op: object, position: int, known: dict[str, Any], part: _Gradient) -> Callable[[Any], None] | None:
    """What to do with the cotangent of an op that the variable enters; None where its gradient must be computed."""
    if op is take:
        indices = known["indices"]
        if known["axis"] != 0 or known["batch_dims"] != 0 or not part.is_batched(indices):
            return None
        return lambda g: part.add_rows(g, indices)
    if op is conv:
        image = known.get("input")
        if position == 0 or known["groups"] != 1 or not part.is_batched(image):
            return None
        return lambda g: part.add_windows(g, image, {name: known[name] for name in ("strides", "dilations", "padding")})
    other = known["b"] if position == 0 else known["a"]
    shape = known["a_shape"] if position == 0 else known["b_shape"]
    if len(shape) != 2 or not part.is_batched(other) or np.dtype(numpy_type(other.data)).kind == "c":
        return None
    across = known["transpose_a"] if position == 0 else known["transpose_b"]  # whether the variable is transposed
    turned = known["transpose_b"] if position == 0 else known["transpose_a"]

    def note(g: object) -> None:
        # d/db of a @ b is the sum over rows t of a[t] (x) g[t]; d/da of it the sum over columns of g[:, t] (x) b[:, t].
        x = part.vectors(other, transposed=turned if position == 1 else not turned)
        y = part.vectors(g, transposed=position == 0)
        first, second = (x, y) if (position == 1) != across else (y, x)
        part.pairs.append((first, second))

    return note


# --- the gradient of one variable ------------------------------------------------------------------------------------------


class _Gradient:
    """The gradients of all examples in one variable: as a whole, as pairs of vectors, or as rows of a table."""

    def __init__(self, source: object, size: int, depth: int) -> None:
        self._shape = tuple(to_tensor(source).shape)
        self._size = size
        self._depth = depth
        self.whole: Any = None  # (batch, *shape)
        self.pairs: list[
            tuple[Any, Any]
        ] = []  # (batch, t, rows) and (batch, t, columns): the sum over t of outer products
        self.rows: list[tuple[Any, Any]] = []  # values (batch, t, *shape[1:]) and their places (batch, t)

    @property
    def is_empty(self) -> bool:
        return self.whole is None and not self.pairs and not self.rows

    def is_batched(self, value: Any) -> bool:
        return value.__class__ is Batched and value.depth == self._depth

    def vectors(self, value: object, transposed: bool) -> Any:
        """A batch of matrices as a batch of lists of their rows (of their columns, if transposed)."""
        data = unbatch(value, self._size, self._depth)
        rank = len(shape_of(data))
        if transposed:
            data = permute(data, perm=(*range(rank - 2), rank - 1, rank - 2))
        return reshape(data, shape=(self._size, -1, shape_of(data)[-1]))

    def add_whole(self, gradients: Value) -> None:
        self.whole = gradients if self.whole is None else self.whole + gradients

    def add_rows(self, cotangent: object, indices: TensorLike) -> None:
        places = reshape(unbatch(indices, self._size, self._depth), shape=(self._size, -1))
        count = shape_of(places)[1]
        values = reshape(unbatch(cotangent, self._size, self._depth), shape=(self._size, count, *self._shape[1:]))
        self.rows.append((values, places))

    def add_windows(self, cotangent: object, image: object, geometry: dict[str, Any]) -> None:
        """A convolution is a matmul of what its windows see, as rows, with the filters as one matrix."""
        g = unbatch(cotangent, self._size, self._depth)
        g = reshape(g, shape=(self._size, -1, self._shape[-1]))
        x = unbatch(image, self._size, self._depth)
        rows = math.prod(self._shape[:-1])
        count = shape_of(g)[1]
        as_pairs = _products_are_cheaper(count, rows, self._shape[-1])
        chunk = self._size if as_pairs else max(1, _WINDOWS // (count * rows))
        found = []
        for start in range(0, self._size, chunk):
            stop = min(start + chunk, self._size)
            block = getitem(x, key=(slice(start, stop),))
            block = reshape(block, shape=(-1, *shape_of(x)[2:]))
            seen = extract_windows(block, window=self._shape[:-2], **geometry)
            seen = reshape(seen, shape=(stop - start, count, rows))
            if as_pairs:
                self.pairs.append((seen, g))
                return
            found.append(matmul(seen, getitem(g, key=(slice(start, stop),)), transpose_a=True))
        whole = reshape(found[0] if len(found) == 1 else concat(found, axis=0), shape=(self._size, *self._shape))
        self.add_whole(whole)

    def _joined(self, items: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        if len(items) == 1:
            return items[0]
        return concat([a for a, _ in items], axis=1), concat([b for _, b in items], axis=1)

    def each(self) -> Any:
        """The gradient of each example: (batch, *shape)."""
        total = self.whole
        if self.pairs:
            first, second = self._joined(self.pairs)
            product = reshape(matmul(first, second, transpose_a=True), shape=(self._size, *self._shape))
            total = product if total is None else total + product
        if self.rows:
            values, places = self._joined(self.rows)
            shape = (self._size, *self._shape)
            table = put(values, places, shape=shape, axis=1, batch_dims=1)
            total = table if total is None else total + table
        return total

    def _is_mixed(self) -> bool:
        return (self.whole is not None) + bool(self.pairs) + bool(self.rows) > 1

    def squares(self) -> Any:
        """The squared norm of each example's gradient."""
        if self._is_mixed():  # tied weights: the norm of a sum of different kinds needs the sum itself
            self.whole, self.pairs, self.rows = self.each(), [], []
        if self.pairs:
            return _squares_of_pairs(*self._joined(self.pairs))
        if self.rows:
            values, places = self._joined(self.rows)
            vectors = _wide(reshape(values, shape=(self._size, shape_of(places)[1], -1)))
            same = equal(reshape(places, shape=(*shape_of(places), 1)), reshape(places, shape=(self._size, 1, -1)))
            products = matmul(vectors, vectors, transpose_b=True)
            return reduce_sum(products * convert(same, dtype=numpy_type(vectors)), axis=(1, 2), keepdims=False)
        flat = _wide(reshape(self.whole, shape=(self._size, -1)))
        return reduce_sum(flat * conj(flat), axis=1, keepdims=False)

    def weighted_sum(self, weights: object) -> Any:
        """The sum over the examples, each times its weight."""
        if self._is_mixed():
            self.whole, self.pairs, self.rows = self.each(), [], []
        if self.pairs:
            first, second = self._joined(self.pairs)
            flat = [reshape(x, shape=(-1, shape_of(x)[-1])) for x in (_scaled(first, weights), second)]
            return reshape(matmul(*flat, transpose_a=True), shape=self._shape)
        if self.rows:
            values, places = self._joined(self.rows)
            scaled = _scaled(values, weights)
            flat_values = reshape(scaled, shape=(-1, *self._shape[1:]))
            return IndexedSlices(flat_values, reshape(places, shape=(-1,)), from_array(np.array(self._shape, np.int32)))
        return reduce_sum(_scaled(self.whole, weights), axis=0, keepdims=False)


def _squares_of_pairs(first: Any, second: Any) -> Any:
    first, second = _wide(first), _wide(second)
    _, count, rows = shape_of(first)
    columns = shape_of(second)[2]
    if count == 1:  # |a (x) b| = |a| |b|
        parts = [reduce_sum(x * x, axis=(1, 2), keepdims=False) for x in (first, second)]
        return parts[0] * parts[1]
    if _products_are_cheaper(count, rows, columns):
        left, right = (matmul(x, x, transpose_b=True) for x in (first, second))
        return reduce_sum(left * right, axis=(1, 2), keepdims=False)
    matrix = matmul(first, second, transpose_a=True)
    return reduce_sum(matrix * matrix, axis=(1, 2), keepdims=False)


def _products_are_cheaper(count: int, rows: int, columns: int) -> bool:
    """Whether to take the products of all pairs of vectors, not the matrix that their outer products add up to."""
    return count * (rows + columns) <= rows * columns


def _wide(values: Any) -> Any:
    """Half precision as float32: squares leave its range."""
    return convert(values, dtype=np.dtype(np.float32)) if numpy_type(values).itemsize < 4 else values


def _norms(parts: list[_Gradient]) -> Any:
    squares = [real(part.squares()) for part in parts if not part.is_empty]
    if not squares:
        raise invalid("per_example_gradients: the loss depends on none of the variables, so its gradient has no norm.")
    widest = np.result_type(*(numpy_type(x) for x in squares))
    total: Any = None
    for part in squares:
        part = _as(part, widest)
        total = part if total is None else total + part
    return sqrt(total)


def _weights(norms: Any, clip_norm: float | None, size: int, reduction: str | None) -> Any:
    """The weights of the examples: one number for all, or one for each."""
    share = 1.0 / size if reduction == "mean" else 1.0
    if norms is None or clip_norm is None:
        return share
    return share * clip_norm / maximum(norms, from_array(np.array(clip_norm, numpy_type(norms))))


def _scaled(values: Any, weights: Any) -> Any:
    if isinstance(weights, float):
        return values if weights == 1 else values * weights
    factors = _as(weights, numpy_type(values))
    return values * reshape(factors, shape=(-1, *(1,) * (len(shape_of(values)) - 1)))


def _as(values: Any, dtype: Any) -> Any:
    return values if numpy_type(values) == dtype else convert(values, dtype=dtype)


per_example_gradients = traceable(per_example_gradients)
