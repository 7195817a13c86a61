"""Static shapes: `TensorShape`, a sequence of sizes in which None stands for an unknown one.

A `TensorShape` goes wherever NumPy wants a shape. It is no tuple: `"%s" % x.shape` prints it. The rank itself may be unknown too:
`TensorShape(None)`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import Any, SupportsIndex, overload

from .sizes import Size, product, same

# None where it is unknown. Code that runs on values knows all sizes and computes with them, so a checker has to let it.
Dimension = int | Any


def _dimension(value: Any) -> Dimension:
    if value is None or isinstance(value, Size):
        return value
    try:
        size = operator.index(value)
    except TypeError:
        raise TypeError(f"A dimension is an integer or None, not {value!r} of type {type(value).__name__}.") from None
    if size < 0:
        raise ValueError(f"A dimension cannot be negative, got {size}. An unknown one is None.")
    return size


class TensorShape:
    """The shape of a tensor, as far as it is known.

    >>> shape = TensorShape([None, 3])
    >>> shape.rank, shape.as_list(), shape.is_fully_defined()
    (2, [None, 3], False)

    Args:
        dims: The sizes as a list, None for a size that is not known; None alone: not even their number is known. One
            number is the shape of a vector.

    Raises:
        ValueError: A size is negative.
    """

    __slots__ = ("_sizes",)

    _sizes: tuple[Dimension, ...] | None  # None where the rank is unknown

    def __init__(self, dims: Any) -> None:
        if isinstance(dims, TensorShape):
            self._sizes = dims._sizes
        elif dims is None:
            self._sizes = None
        elif isinstance(dims, Iterable):
            self._sizes = tuple([_dimension(d) for d in dims])
        else:
            self._sizes = (_dimension(dims),)

    @property
    def _unknown_rank(self) -> bool:
        return self._sizes is None

    @property
    def rank(self) -> int | Any:  # None where nothing is known of the shape
        """The number of dimensions, or None where it is unknown."""
        return None if self._sizes is None else len(self._sizes)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as a list, or None where the rank is unknown."""
        return None if self._sizes is None else list(self._sizes)

    def as_list(self) -> list[Dimension]:
        """The sizes as a list.

        >>> tf.TensorShape([None, 3]).as_list()
        [None, 3]

        Returns:
            A list of integers, with None for sizes that are unknown.

        Raises:
            ValueError: The rank is unknown.
        """
        if self._sizes is None:
            raise ValueError("as_list() is not defined on a TensorShape of unknown rank.")
        return list(self._sizes)

    def is_fully_defined(self) -> bool:
        """Whether every size is known.

        >>> tf.TensorShape([2, 3]).is_fully_defined(), tf.TensorShape([None, 3]).is_fully_defined()
        (True, False)

        Returns:
            True or False.
        """
        return self._sizes is not None and None not in self._sizes

    def assert_is_fully_defined(self) -> None:
        """Check that every size is known.

        >>> tf.TensorShape([2, 3]).assert_is_fully_defined()
        >>> tf.TensorShape([2, None]).assert_is_fully_defined()
        Traceback (most recent call last):
            ...
        ValueError: Shape (2, None) is not fully defined.

        Raises:
            ValueError: One is not.
        """
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined.")

    def num_elements(self) -> int | None:
        """The product of the sizes.

        >>> tf.TensorShape([2, 3]).num_elements()
        6

        Returns:
            An integer; None where a size is unknown.
        """
        if not self.is_fully_defined():
            return None
        count: int = product(self._sizes or ())
        return count

    def is_compatible_with(self, other: Any) -> bool:
        """Whether some tensor could have both shapes.

        >>> tf.TensorShape([None, 3]).is_compatible_with([2, 3])
        True

        Args:
            other: A shape, or what can become one: a list of sizes, or None.

        Returns:
            True or False.
        """
        other = TensorShape(other)
        if self._unknown_rank or other._unknown_rank:
            return True
        return len(self) == len(other) and all(
            a is None or b is None or same(a, b) is not False for a, b in zip(self, other, strict=True)
        )

    def assert_is_compatible_with(self, other: object) -> None:
        """Check that some tensor could have both shapes.

        >>> tf.TensorShape([None, 3]).assert_is_compatible_with([2, 3])
        >>> tf.TensorShape([2, None]).assert_is_compatible_with([3, 3])
        Traceback (most recent call last):
            ...
        ValueError: Shapes (2, None) and (3, 3) are incompatible.

        Args:
            other: A shape, or what can become one: a list of sizes, or None.

        Raises:
            ValueError: None could.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible.")

    def assert_has_rank(self, rank: int) -> None:
        """Check the rank; an unknown one passes.

        >>> tf.TensorShape([2, 3]).assert_has_rank(2)
        >>> tf.TensorShape([2, 3]).assert_has_rank(1)
        Traceback (most recent call last):
            ...
        ValueError: Shape (2, 3) must have rank 1.

        Args:
            rank: The number of axes it must have.

        Raises:
            ValueError: It has another.
        """
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}.")

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, checked to have that rank.

        >>> tf.TensorShape(None).with_rank(2)
        TensorShape([None, None])

        Args:
            rank: The number of axes it must have.

        Returns:
            The shape; of an unknown rank, one with this rank.

        Raises:
            ValueError: It has another rank.
        """
        self.assert_has_rank(rank)
        return TensorShape([None] * rank) if self._unknown_rank else self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape, checked to have at least that rank; an unknown one passes.

        >>> tf.TensorShape([2, 3]).with_rank_at_least(1)
        TensorShape([2, 3])

        Args:
            rank: The least number of axes.

        Returns:
            The shape.

        Raises:
            ValueError: It has less.
        """
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}.")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape, checked to have at most that rank; an unknown one passes.

        >>> tf.TensorShape([2, 3]).with_rank_at_most(2)
        TensorShape([2, 3])

        Args:
            rank: The largest number of axes.

        Returns:
            The shape.

        Raises:
            ValueError: It has more.
        """
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}.")
        return self

    def merge_with(self, other: object) -> TensorShape:
        """What is known when both shapes describe one tensor.

        >>> tf.TensorShape([None, 3]).merge_with([2, None])
        TensorShape([2, 3])

        Args:
            other: A shape, or what can become one: a list of sizes, or None.

        Returns:
            A shape with the sizes that one of them knows.

        Raises:
            ValueError: They contradict each other.
        """
        shape: TensorShape = TensorShape(other)
        if self._unknown_rank:
            return shape
        if shape._unknown_rank:
            return self
        self.assert_is_compatible_with(shape)
        return TensorShape(a if a is not None else b for a, b in zip(self, shape, strict=True))

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The tightest shape that covers both.

        >>> tf.TensorShape([2, 3]).most_specific_compatible_shape([4, 3])
        TensorShape([None, 3])

        Args:
            other: A shape, or what can become one: a list of sizes, or None.

        Returns:
            A shape with None where they differ; of an unknown rank if the ranks do.
        """
        other = TensorShape(other)
        if self._unknown_rank or other._unknown_rank or len(self) != len(other):
            return TensorShape(None)
        return TensorShape(a if a == b else None for a, b in zip(self, other, strict=True))

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this shape has the other shape too.

        >>> tf.TensorShape([2, 3]).is_subtype_of([None, 3])
        True

        Args:
            other: A shape, or what can become one: a list of sizes, or None.

        Returns:
            True or False.
        """
        other = TensorShape(other)
        if other._unknown_rank:
            return True
        if self._unknown_rank or len(self) != len(other):
            return False
        return all(b is None or a == b for a, b in zip(self, other, strict=True))

    def concatenate(self, other: Any) -> TensorShape:
        """The axes of this shape followed by those of another.

        >>> tf.TensorShape([2]).concatenate([3, 4])
        TensorShape([2, 3, 4])

        Args:
            other: A shape, or what can become one: a list of sizes, or None.

        Returns:
            A shape; of an unknown rank if one of them is.
        """
        other = TensorShape(other)
        if self._unknown_rank or other._unknown_rank:
            return TensorShape(None)
        return TensorShape([*self, *other])

    def __add__(self, other: object) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: object) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __len__(self) -> int:
        if self._sizes is None:
            raise ValueError("Cannot take the length of a shape with unknown rank.")
        return len(self._sizes)

    def __iter__(self) -> Iterator[Dimension]:
        if self._sizes is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._sizes)

    def __bool__(self) -> bool:
        return self._sizes is not None

    @overload
    def __getitem__(self, key: SupportsIndex) -> Dimension: ...
    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._unknown_part(key) if self._sizes is None else known_shape(self._sizes[key])
        return None if self._sizes is None else self._sizes[key]

    @staticmethod
    def _unknown_part(key: slice) -> TensorShape:
        """What is known of a slice of a shape of unknown rank: its length, where both ends count from the front."""
        start, stop = key.start or 0, key.stop
        known = stop is not None and 0 <= start <= stop and key.step in (None, 1)
        return TensorShape([None] * (stop - start) if known else None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorShape):
            try:
                other = TensorShape(other)
            except (TypeError, ValueError):
                return False
        return self._sizes == other._sizes

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._sizes)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._unknown_rank else self.as_list()})"

    def __str__(self) -> str:
        if self._unknown_rank:
            return "<unknown>"
        return f"({', '.join(map(str, self))}{',' if len(self) == 1 else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self._sizes,)


def known_shape(sizes: tuple[Dimension, ...]) -> TensorShape:
    """The shape of these sizes, which need no checking."""
    shape = object.__new__(TensorShape)
    shape._sizes = sizes
    return shape


def broadcast(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...] | None:
    """The common shape of two operands by NumPy's rule, or None where there is none."""
    longer, shorter = (first, second) if len(first) >= len(second) else (second, first)
    offset = len(longer) - len(shorter)
    result = list(longer)
    for position, size in enumerate(shorter, offset):
        if result[position] == 1:
            result[position] = size
        elif size not in (1, result[position]):
            return None
    return tuple(result)
