"""`tf.queue`: queues of tensors between threads. `tf.data` is what programs use today; older ones use these."""

from __future__ import annotations

import heapq
import itertools
import random
from collections import deque
from typing import Any

import numpy as np

from .api.layout import stack
from .base import dtypes as _dtypes
from .base.errors import CancelledError, OutOfRangeError, invalid, unfit
from .base.locks import new_condition
from .base.namespaces import listing
from .base.shapes import TensorShape
from .base.types import IntLike, TensorLike
from .op.attributes import as_int
from .values.tensor import Tensor, from_array, to_tensor

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]


class QueueBase:
    """Elements of one or several tensors that wait for somebody to take them.

    >>> import gradtape as tf
    >>> isinstance(tf.queue.FIFOQueue(3, tf.float32), tf.queue.QueueBase)
    True

    Args:
        capacity: How many elements may wait; a thread that adds more blocks. Below 1: any number.
        dtypes: The types of an element's tensors.
        shapes: Their shapes, needed to take many at once; any shape where it is None.
        names: Names for the tensors; elements are dicts then.
        name: The name of the queue, shown in messages.

    Raises:
        ValueError: There is not one name for each component.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        name: str = "queue",
    ) -> None:
        self._capacity, self._name = as_int(capacity), name
        kinds = dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
        self._dtypes = [_dtypes.as_dtype(kind) for kind in kinds]
        self._shapes = self._checked_shapes(shapes)
        listed = None if names is None else [names] if isinstance(names, str) else list(names)
        if listed is not None and len(listed) != len(self._dtypes):
            raise ValueError(f"{len(listed)} names for {len(self._dtypes)} components.")
        self._names = listed
        self._closed = False
        self._changed = new_condition()

    def _checked_shapes(self, shapes: Any) -> list[TensorShape] | None:
        if shapes is None:
            return None
        several = isinstance(shapes, (list, tuple)) and (
            not shapes or any(isinstance(shape, (list, tuple, TensorShape)) for shape in shapes)
        )
        given = list(shapes) if several else [shapes]
        if several and not given:
            given = [()]  # one component without axes
        if len(given) != len(self._dtypes):
            raise ValueError(
                f"Queue shapes must have the same length as dtypes, got {len(given)} and {len(self._dtypes)}."
            )
        return [TensorShape(shape) for shape in given]

    @property
    def dtypes(self) -> list[Any]:
        """The types of an element's tensors."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """Their shapes."""
        return self._shapes if self._shapes is not None else [TensorShape(None) for _ in self._dtypes]

    @property
    def names(self) -> list[str] | None:
        """Their names."""
        return self._names

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._name

    # --- what kinds of queues do differently ---------------------------------------------------------------------

    def _put(self, element: list[Any]) -> None:
        raise NotImplementedError

    def _take(self) -> list[Any]:
        raise NotImplementedError

    def _waiting(self) -> int:
        raise NotImplementedError

    def _ready(self, count: int) -> bool:
        """Whether so many elements may be taken now."""
        return self._waiting() >= count

    # --- adding and taking ---------------------------------------------------------------------------------------

    def enqueue(self, vals: TensorLike, name: str | None = None) -> None:
        """Add one element; waits while the queue is full.

        >>> queue = tf.queue.FIFOQueue(9, [tf.int32, tf.string])
        >>> queue.enqueue([1, "one"])
        >>> int(queue.size())
        1

        Args:
            vals: The element: a tensor, a list with one for each type, or a dict if the queue has names.
            name: Ignored; accepted for compatibility with TensorFlow.

        Raises:
            ValueError: An element does not fit the types and shapes.
            tf.errors.CancelledError: The queue is closed.
        """
        self._enqueue([self._element(self._components(vals))])

    def enqueue_many(self, vals: TensorLike, name: str | None = None) -> None:
        """Add the elements along the first axis, one after the other; waits while the queue is full.

        >>> queue = tf.queue.FIFOQueue(9, tf.int32, shapes=[()])
        >>> queue.enqueue_many([[1, 2, 3]])
        >>> int(queue.size())
        3

        Args:
            vals: The elements: a tensor, a list with one for each type, or a dict if the queue has names.
            name: Ignored; accepted for compatibility with TensorFlow.

        Raises:
            ValueError: An element does not fit the types and shapes.
            tf.errors.CancelledError: The queue is closed.
        """
        tensors = [to_tensor(value, kind) for value, kind in zip(self._components(vals), self._dtypes, strict=True)]
        sizes = {tensor.shape[0] if tensor.ndim else None for tensor in tensors}
        if len(sizes) != 1 or None in sizes:
            raise unfit(f"enqueue_many: the first axes must agree, got shapes {[str(t.shape) for t in tensors]}.")
        (count,) = sizes
        self._enqueue([self._element([tensor[place] for tensor in tensors]) for place in range(count or 0)])

    def dequeue(self, name: str | None = None) -> Tensor:
        """Take one element; waits while the queue is empty.

        >>> queue = tf.queue.FIFOQueue(9, tf.int32, shapes=[()])
        >>> queue.enqueue_many([[1, 2, 3]])
        >>> queue.dequeue().numpy()
        np.int32(1)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor, a list of them, or a dict if the queue has names.

        Raises:
            tf.errors.OutOfRangeError: The queue is empty and closed.
        """
        (element,) = self._dequeue(1, least=1)
        return self._given(element)

    def dequeue_many(self, n: IntLike, name: str | None = None) -> Any:
        """Take some elements, stacked; waits until there are so many.

        >>> queue = tf.queue.FIFOQueue(9, tf.int32, shapes=[()])
        >>> queue.enqueue_many([[1, 2, 3]])
        >>> queue.dequeue_many(2).numpy()
        array([1, 2], dtype=int32)

        Args:
            n: How many.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor with one row for each element, a list of such, or a dict if the queue has names.

        Raises:
            tf.errors.OutOfRangeError: The queue is closed, and there are less.
            tf.errors.InvalidArgumentError: The queue was made without shapes.
        """
        return self._batch(self._dequeue(self._countable(n), least=self._countable(n)))

    def dequeue_up_to(self, n: IntLike, name: str | None = None) -> Any:
        """Take some elements, stacked, or those that are left of a closed queue.

        >>> queue = tf.queue.FIFOQueue(9, tf.int32, shapes=[()])
        >>> queue.enqueue_many([[1, 2, 3]])
        >>> queue.close()
        >>> queue.dequeue_up_to(5).numpy()
        array([1, 2, 3], dtype=int32)

        Args:
            n: How many at most.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor with one row for each element, a list of such, or a dict if the queue has names.

        Raises:
            tf.errors.OutOfRangeError: The queue is closed, and none are left.
            tf.errors.InvalidArgumentError: The queue was made without shapes.
        """
        return self._batch(self._dequeue(self._countable(n), least=1))

    def _enqueue(self, elements: list[list[Any]]) -> None:
        with self._changed:
            for element in elements:
                while not self._closed and 0 < self._capacity <= self._waiting():
                    self._changed.wait()
                if self._closed:
                    raise CancelledError(None, None, f"{type(self).__name__} {self._name!r} is closed.")
                self._put(element)
                self._changed.notify_all()

    def _dequeue(self, count: int, least: int) -> list[list[Any]]:
        with self._changed:
            while not self._closed and not self._ready(count):
                self._changed.wait()
            there = self._waiting()
            if there < min(least, count):
                raise OutOfRangeError(
                    None,
                    None,
                    f"{type(self).__name__} {self._name!r} is closed and has insufficient elements (requested {count}, "
                    f"current size {there})",
                )
            taken = [self._take() for _ in range(min(count, there))]
            self._changed.notify_all()
            return taken

    def _countable(self, n: IntLike) -> int:
        if self._shapes is None or not self._stackable():
            raise invalid(
                f"{type(self).__name__}'s DequeueMany and DequeueUpTo require the components to have specified shapes."
            )
        count = as_int(n)
        if count < 0:
            raise invalid(f"A number of elements must not be negative, got {count}.")
        return count

    def _stackable(self) -> bool:
        return all(shape.is_fully_defined() for shape in self.shapes)

    def _components(self, vals: Any) -> list[Any]:
        if self._names is not None:
            if not isinstance(vals, dict) or set(vals) != set(self._names):
                raise ValueError(f"A dict with the keys {self._names} is needed, got {vals!r}.")
            return [vals[name] for name in self._names]
        given = list(vals) if isinstance(vals, (list, tuple)) else [vals]
        if len(given) != len(self._dtypes):
            if len(self._dtypes) == 1 and isinstance(vals, (list, tuple)):
                return [vals]
            raise invalid(f"An element has {len(self._dtypes)} components, got {len(given)}.")
        return given

    def _element(self, components: list[Any]) -> list[Any]:
        element = [to_tensor(value, kind) for value, kind in zip(components, self._dtypes, strict=True)]
        for tensor, shape in zip(element, self.shapes, strict=True):
            if not shape.is_compatible_with(tensor.shape):
                raise ValueError(f"Shapes {tensor.shape} and {shape} are incompatible")
        return element

    def _given(self, tensors: list[Any]) -> Any:
        if self._names is not None:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else tensors

    def _batch(self, elements: list[list[Any]]) -> Any:
        if elements:
            return self._given([self._stacked(list(parts)) for parts in zip(*elements, strict=True)])
        empty = [np.empty((0, *shape), kind.numpy) for shape, kind in zip(self.shapes, self._dtypes, strict=True)]
        return self._given([from_array(array) for array in empty])

    def _stacked(self, parts: list[Any]) -> Any:
        return stack(parts)

    # --- the queue itself ----------------------------------------------------------------------------------------

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> None:
        """Take no more elements; those that wait can still be taken.

        >>> queue = tf.queue.FIFOQueue(9, tf.int32, shapes=[()])
        >>> queue.enqueue_many([[1, 2, 3]])
        >>> queue.close()
        >>> bool(queue.is_closed()), queue.dequeue().numpy()
        (True, np.int32(1))

        Args:
            cancel_pending_enqueues: Not used: who waits to add an element gets a `tf.errors.CancelledError` in any case.
            name: Ignored; accepted for compatibility with TensorFlow.
        """
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether it is closed.

        >>> queue = tf.queue.FIFOQueue(9, tf.int32, shapes=[()])
        >>> queue.enqueue_many([[1, 2, 3]])
        >>> bool(queue.is_closed())
        False

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A truth value, as a tensor.
        """
        return from_array(np.bool_(self._closed))  # type: ignore[arg-type]

    def size(self, name: str | None = None) -> Tensor:
        """How many elements wait.

        >>> queue = tf.queue.FIFOQueue(9, tf.int32, shapes=[()])
        >>> queue.enqueue_many([[1, 2, 3]])
        >>> int(queue.size())
        3

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A scalar of int32.
        """
        with self._changed:
            return from_array(np.int32(self._waiting()))  # type: ignore[arg-type]


class FIFOQueue(QueueBase):
    """First come, first served.

    >>> queue = tf.queue.FIFOQueue(3, tf.float32, shapes=[()])
    >>> queue.enqueue_many([[1.0, 2.0]])
    >>> queue.dequeue().numpy()
    np.float32(1.0)

    Args:
        capacity: How many elements may wait; a thread that adds more blocks. Below 1: any number.
        dtypes: The types of an element's tensors.
        shapes: Their shapes, needed to take many at once; any shape where it is None.
        names: Names for the tensors; elements are dicts then.
        shared_name: Ignored; accepted for compatibility with TensorFlow.
        name: The name of the queue, shown in messages.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: object,
        shapes: object = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names, name)
        self._elements: deque[list[Any]] = deque()

    def _put(self, element: list[Any]) -> None:
        self._elements.append(element)

    def _take(self) -> list[Any]:
        return self._elements.popleft()

    def _waiting(self) -> int:
        return len(self._elements)


class PaddingFIFOQueue(FIFOQueue):
    """First come, first served; elements of different sizes are filled up with zeros when many are taken.

    >>> import gradtape as tf
    >>> queue = tf.queue.PaddingFIFOQueue(3, tf.float32, shapes=[(None,)])
    >>> queue.enqueue([[1.0]])
    >>> queue.enqueue([[2.0, 3.0]])
    >>> queue.dequeue_many(2).numpy()
    array([[1., 0.],
           [2., 3.]], dtype=float32)

    Args:
        capacity: How many elements may wait; a thread that adds more blocks. Below 1: any number.
        dtypes: The types of an element's tensors.
        shapes: Their shapes, with None for a size that differs.
        names: Names for the tensors; elements are dicts then.
        shared_name: Ignored; accepted for compatibility with TensorFlow.
        name: The name of the queue, shown in messages.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: object,
        shapes: TensorLike,
        names: object = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names, shared_name, name)

    def _stackable(self) -> bool:
        return all(shape.rank is not None for shape in self.shapes)

    def _stacked(self, parts: list[Any]) -> Any:
        sizes = np.max([tuple(part.shape) for part in parts], axis=0).astype(int)
        filled = np.zeros((len(parts), *sizes), parts[0].dtype.numpy)
        if parts[0].dtype == _dtypes.string:
            filled[...] = b""
        for place, part in enumerate(parts):
            filled[place][tuple(slice(size) for size in part.shape)] = part._array
        return from_array(filled)


class PriorityQueue(QueueBase):
    """The element whose first component, an int64, is smallest comes first.

    >>> import gradtape as tf
    >>> queue = tf.queue.PriorityQueue(3, tf.string, shapes=[()])
    >>> queue.enqueue_many([[2, 1], ["later", "sooner"]])
    >>> queue.dequeue()[1].numpy()
    b'sooner'

    Args:
        capacity: How many elements may wait; a thread that adds more blocks. Below 1: any number.
        types: The types of an element's tensors after the first.
        shapes: Their shapes, needed to take many at once; any shape where it is None.
        names: Names for the tensors; elements are dicts then.
        shared_name: Ignored; accepted for compatibility with TensorFlow.
        name: The name of the queue, shown in messages.
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        kinds = list(types) if isinstance(types, (list, tuple)) else [types]
        rest = None if shapes is None else list(shapes) if isinstance(shapes, (list, tuple)) else [shapes]
        super().__init__(capacity, [_dtypes.int64, *kinds], None if rest is None else [(), *rest], names, name)
        self._heap: list[tuple[int, int, list[Any]]] = []
        self._arrival = itertools.count()

    def _put(self, element: list[Any]) -> None:
        heapq.heappush(self._heap, (int(element[0]), next(self._arrival), element))

    def _take(self) -> list[Any]:
        return heapq.heappop(self._heap)[2]

    def _waiting(self) -> int:
        return len(self._heap)


class RandomShuffleQueue(QueueBase):
    """A random one of the waiting elements comes next.

    >>> import gradtape as tf
    >>> queue = tf.queue.RandomShuffleQueue(9, min_after_dequeue=0, dtypes=tf.int32, shapes=[()], seed=1)
    >>> queue.enqueue_many([[1, 2, 3]])
    >>> sorted(queue.dequeue_many(3).numpy().tolist())
    [1, 2, 3]

    Args:
        capacity: How many elements may wait.
        min_after_dequeue: How many must be left after one is taken, unless the queue is closed.
        dtypes: As for `FIFOQueue`.
        shapes: As for `FIFOQueue`.
        names: As for `FIFOQueue`.
        seed: For the same order in every run.
        shared_name: Ignored; accepted for compatibility with TensorFlow.
        name: The name of the queue, shown in messages.

    Raises:
        tf.errors.InvalidArgumentError: `min_after_dequeue` is negative, or not below the capacity.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names, name)
        if not 0 <= min_after_dequeue < capacity:
            raise invalid(
                f"min_after_dequeue must be from 0 to below the capacity {capacity}, got {min_after_dequeue}."
            )
        self._elements: list[list[Any]] = []
        self._left = min_after_dequeue
        self._random = random.Random(seed)

    def _put(self, element: list[Any]) -> None:
        self._elements.append(element)

    def _take(self) -> list[Any]:
        place = self._random.randrange(len(self._elements))
        self._elements[place], self._elements[-1] = self._elements[-1], self._elements[place]
        return self._elements.pop()

    def _waiting(self) -> int:
        return len(self._elements)

    def _ready(self, count: int) -> bool:
        return len(self._elements) >= count + self._left


__dir__ = listing(globals())
