"""Changes of parts of a variable: rows, single places, and what an index selects."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..base.context import ACTIVE, STATE
from ..base.dtypes import Array, DType
from ..base.errors import invalid
from ..base.notes import note_exit
from ..base.traceable import name_errors
from ..base.types import TensorLike
from ..ops.array import gather, index
from ..values.tensor import IndexedSlices, to_tensor
from .in_place import changed
from .row_updates import check_rows, of_rows, set_rows

if TYPE_CHECKING:
    from .variable import Variable

CHANGES: set[str] = set()  # the names of the methods that change a variable
_Method = TypeVar("_Method", bound=Callable[..., Any])


def changes(method: _Method) -> _Method:
    """A method that changes the variable: inside a traced function it is one step, done when the function runs."""
    CHANGES.add(method.__name__)

    @functools.wraps(method)
    def change(self: Variable, *args: object, **kwargs: object) -> Any:
        if ACTIVE and STATE.trace is not None:
            STATE.trace.change(self, method.__name__, args, kwargs)
            return self._unread()
        return method(self, *args, **kwargs)

    return change  # type: ignore[return-value]


class PartialChanges:
    """What `Variable` inherits to change some of its elements."""

    if TYPE_CHECKING:
        _id: int

        @property
        def name(self) -> str: ...
        @property
        def dtype(self) -> DType: ...
        def _unread(self) -> Variable: ...

    def _updated(self, update: Callable[[Array], None]) -> Variable:
        """Change the value by a function that writes into its array."""

        def compute(arrays: list[Any], own: list[bool]) -> None:
            if not own[0]:
                arrays[0] = np.array(arrays[0], order="C")
            update(arrays[0])

        changed((self,), [None], compute)
        return self._unread()

    def _indices_and_values(self, sparse_delta: object) -> tuple[Array, Array]:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta must be tf.IndexedSlices, got {sparse_delta!r}.")
        indices = np.asarray(to_tensor(sparse_delta.indices)._array)
        values = self._stored(to_tensor(sparse_delta.values, self.dtype))._array
        return indices, values

    def _scatter(self, sparse_delta: Any, update: Callable[[Array, Any, Array], None]) -> Variable:
        indices, values = self._indices_and_values(sparse_delta)

        def update_rows(array: Array) -> None:
            check_rows(indices, values, array.shape)
            update(array, indices, values)

        return self._updated(update_rows)

    @changes
    def scatter_add(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Variable:
        """Add to rows; what is given for one row twice is added twice.

        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> v.scatter_add(tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([0, 2]))).numpy()
        array([11.,  2., 23.], dtype=float32)

        Args:
            sparse_delta: `tf.IndexedSlices`: the numbers of rows, and for each of them a value of its shape.
            use_locking: Not used: a change is never seen in part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is something else.
            tf.errors.InvalidArgumentError: There is no such row.
        """
        return self._scatter(sparse_delta, of_rows(np.add, np.add))

    @changes
    def scatter_sub(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Variable:
        """Subtract from rows; what is given for one row twice is subtracted twice.

        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> v.scatter_sub(tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([0, 2]))).numpy()
        array([ -9.,   2., -17.], dtype=float32)

        Args:
            sparse_delta: `tf.IndexedSlices`: the numbers of rows, and for each of them a value of its shape.
            use_locking: Not used: a change is never seen in part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is something else.
            tf.errors.InvalidArgumentError: There is no such row.
        """
        return self._scatter(sparse_delta, of_rows(np.subtract, np.add))

    @changes
    def scatter_mul(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Variable:
        """Multiply rows; one that is given twice is multiplied twice.

        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> v.scatter_mul(tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([0, 2]))).numpy()
        array([10.,  2., 60.], dtype=float32)

        Args:
            sparse_delta: `tf.IndexedSlices`: the numbers of rows, and for each of them a value of its shape.
            use_locking: Not used: a change is never seen in part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is something else.
            tf.errors.InvalidArgumentError: There is no such row.
        """
        return self._scatter(sparse_delta, of_rows(np.multiply))

    @changes
    def scatter_div(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Variable:
        """Divide rows; one that is given twice is divided twice.

        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> v.scatter_div(tf.IndexedSlices(tf.constant([2.0, 4.0]), tf.constant([0, 2]))).numpy()
        array([0.5 , 2.  , 0.75], dtype=float32)

        Args:
            sparse_delta: `tf.IndexedSlices`: the numbers of rows, and for each of them a value of its shape.
            use_locking: Not used: a change is never seen in part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is something else.
            tf.errors.InvalidArgumentError: There is no such row.
        """
        return self._scatter(sparse_delta, of_rows(np.divide))

    @changes
    def scatter_max(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Variable:
        """Keep the larger of each element of some rows and the given one.

        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> v.scatter_max(tf.IndexedSlices(tf.constant([10.0, 0.0]), tf.constant([0, 2]))).numpy()
        array([10.,  2.,  3.], dtype=float32)

        Args:
            sparse_delta: `tf.IndexedSlices`: the numbers of rows, and for each of them a value of its shape.
            use_locking: Not used: a change is never seen in part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is something else.
            tf.errors.InvalidArgumentError: There is no such row.
        """
        return self._scatter(sparse_delta, of_rows(np.maximum, np.maximum))

    @changes
    def scatter_min(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Variable:
        """Keep the smaller of each element of some rows and the given one.

        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> v.scatter_min(tf.IndexedSlices(tf.constant([10.0, 0.0]), tf.constant([0, 2]))).numpy()
        array([1., 2., 0.], dtype=float32)

        Args:
            sparse_delta: `tf.IndexedSlices`: the numbers of rows, and for each of them a value of its shape.
            use_locking: Not used: a change is never seen in part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is something else.
            tf.errors.InvalidArgumentError: There is no such row.
        """
        return self._scatter(sparse_delta, of_rows(np.minimum, np.minimum))

    @changes
    def scatter_update(self, sparse_delta: TensorLike, use_locking: bool = False, name: str | None = None) -> Variable:
        """Replace rows; of one that is given twice the last counts.

        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> v.scatter_update(tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([0, 2]))).numpy()
        array([10.,  2., 20.], dtype=float32)

        Args:
            sparse_delta: `tf.IndexedSlices`: the numbers of rows, and for each of them a value of its shape.
            use_locking: Not used: a change is never seen in part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is something else.
            tf.errors.InvalidArgumentError: There is no such row.
        """
        return self._scatter(sparse_delta, set_rows)

    @changes
    def batch_scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Variable:
        """Replace elements along an axis, at places of their own for each entry of the axes before it.

        >>> v = tf.Variable([[1, 2, 3], [4, 5, 6]])
        >>> v.batch_scatter_update(tf.IndexedSlices(tf.constant([[10], [20]]), tf.constant([[0], [2]]))).numpy()
        array([[10,  2,  3],
               [ 4,  5, 20]], dtype=int32)

        Args:
            sparse_delta: `tf.IndexedSlices`: the last axis of the indices counts the elements that are replaced, all before
                it are batches.
            use_locking: Not used: a change is never seen in part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is something else.
            tf.errors.InvalidArgumentError: There is no such place.
        """
        indices, values = self._indices_and_values(sparse_delta)
        leading = np.ogrid[tuple(slice(size) for size in indices.shape)][:-1]

        def update(array: Array) -> None:
            axis = indices.ndim - 1
            if axis < 0 or array.ndim <= axis or any(map(operator.lt, array.shape[:axis], indices.shape[:axis])):
                raise invalid(
                    f"scatter: indices of shape {indices.shape} do not fit a variable of shape {array.shape}."
                )
            check_rows(indices, values, array.shape[axis:])
            array[(*leading, indices)] = values

        return self._updated(update)

    def _scatter_nd(
        self, indices: TensorLike, updates: TensorLike, update: Callable[[Array, Any, Array], None]
    ) -> Variable:
        positions = np.asarray(to_tensor(indices)._array)
        values = self._stored(to_tensor(updates, self.dtype))._array

        def update_places(array: Array) -> None:
            key = gather.update_key(positions, values.shape, array.shape, "scatter_nd")
            update(array, key, values)

        return self._updated(update_places)

    @changes
    def scatter_nd_add(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Variable:
        """Add at some places; what is given for one place twice is added twice.

        >>> v = tf.Variable([[1, 2], [3, 4]])
        >>> v.scatter_nd_add([[0, 0], [1, 1]], [3, 3]).numpy()
        array([[4, 2],
               [3, 7]], dtype=int32)

        Args:
            indices: Places: integers, the last axis of which holds one index, of an element or of a whole part.
            updates: The value for each place: the shape of `indices` without its last axis, followed by that of a part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            tf.errors.InvalidArgumentError: There is no such place, or the shapes do not fit.
        """
        return self._scatter_nd(indices, updates, np.add.at)

    @changes
    def scatter_nd_sub(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Variable:
        """Subtract at some places; what is given for one place twice is subtracted twice.

        >>> v = tf.Variable([[1, 2], [3, 4]])
        >>> v.scatter_nd_sub([[0, 0], [1, 1]], [3, 3]).numpy()
        array([[-2,  2],
               [ 3,  1]], dtype=int32)

        Args:
            indices: Places: integers, the last axis of which holds one index, of an element or of a whole part.
            updates: The value for each place: the shape of `indices` without its last axis, followed by that of a part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            tf.errors.InvalidArgumentError: There is no such place, or the shapes do not fit.
        """
        return self._scatter_nd(indices, updates, np.subtract.at)

    @changes
    def scatter_nd_update(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Variable:
        """Replace the elements at some places; of one that is given twice the last counts.

        >>> v = tf.Variable([[1, 2], [3, 4]])
        >>> v.scatter_nd_update([[0, 0], [1, 1]], [3, 3]).numpy()
        array([[3, 2],
               [3, 3]], dtype=int32)

        Args:
            indices: Places: integers, the last axis of which holds one index, of an element or of a whole part.
            updates: The value for each place: the shape of `indices` without its last axis, followed by that of a part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            tf.errors.InvalidArgumentError: There is no such place, or the shapes do not fit.
        """
        return self._scatter_nd(indices, updates, set_rows)

    @changes
    def scatter_nd_max(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Variable:
        """Keep the larger of each element at some places and the given one.

        >>> v = tf.Variable([[1, 2], [3, 4]])
        >>> v.scatter_nd_max([[0, 0], [1, 1]], [3, 3]).numpy()
        array([[3, 2],
               [3, 4]], dtype=int32)

        Args:
            indices: Places: integers, the last axis of which holds one index, of an element or of a whole part.
            updates: The value for each place: the shape of `indices` without its last axis, followed by that of a part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            tf.errors.InvalidArgumentError: There is no such place, or the shapes do not fit.
        """
        return self._scatter_nd(indices, updates, np.maximum.at)

    @changes
    def scatter_nd_min(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Variable:
        """Keep the smaller of each element at some places and the given one.

        >>> v = tf.Variable([[1, 2], [3, 4]])
        >>> v.scatter_nd_min([[0, 0], [1, 1]], [3, 3]).numpy()
        array([[1, 2],
               [3, 3]], dtype=int32)

        Args:
            indices: Places: integers, the last axis of which holds one index, of an element or of a whole part.
            updates: The value for each place: the shape of `indices` without its last axis, followed by that of a part.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The variable.

        Raises:
            tf.errors.InvalidArgumentError: There is no such place, or the shapes do not fit.
        """
        return self._scatter_nd(indices, updates, np.minimum.at)

    def _stored(self, value: Any) -> Any:
        """A tensor whose values are stored in the variable: there its history ends."""
        if ACTIVE and value._id:
            note_exit(value._id, "assign", self._id)
        return value

    @changes
    def _assign_part(self, key: Any, value: TensorLike, how: str) -> Any:
        """Replace, increase or decrease the part at an index."""
        new = self._stored(to_tensor(value, self.dtype))._array
        if new.dtype.kind == "O" and not new.ndim:
            new = new[()]  # a text, which NumPy would put there as an array

        def update(array: Array) -> None:
            try:
                part = array[key]
            except (IndexError, ValueError) as error:
                index.check_key(array, key if isinstance(key, tuple) else (key,))
                raise invalid(f"Variable '{self.name}' of shape {array.shape} has no such part: {error}.") from None
            try:
                array[key] = new if how == "assign" else part + new if how == "add" else part - new
            except ValueError:
                raise invalid(
                    f"Cannot assign a value of shape {np.shape(new)} to a slice of shape {part.shape} of "
                    f"variable '{self.name}'."
                ) from None

        return self._updated(update)


name_errors(
    PartialChanges,
    *(f"scatter_{how}" for how in ("add", "sub", "mul", "div", "max", "min", "update")),
    *(f"scatter_nd_{how}" for how in ("add", "sub", "max", "min", "update")),
    "batch_scatter_update",
)
