"""`TensorArray`: a list of tensors of one type, written and read by position.

Eagerly it is a Python list. All arrays that come from one another (`ta = ta.write(...)`) share it, as in TensorFlow, and
tapes follow the tensors inside: nothing here has a derivative of its own.
"""

from __future__ import annotations

from typing import Any, NoReturn, cast

import numpy as np

from ..base import dtypes
from ..base.context import ACTIVE, STATE, shapes_only
from ..base.errors import ElementIndexError, InvalidArgumentError, OutOfRangeError, TensorTypeError, invalid, unfit
from ..base.memory import slots
from ..base.shapes import TensorShape
from ..base.sizes import UNKNOWN, Size
from ..base.types import DTypeLike, IntLike, ShapeLike, TensorLike
from ..native.abi import become
from ..op.attributes import as_int, as_ints
from ..trace.abstract_tensor import AbstractTensor, NeedsValue, abstract_of
from ..trace.carried import CARRIED
from ..trace.control import either
from ..trace.facades import Facade, steps_of
from ..trace.inference import Inference, depending_on, like, repeated, slice_of
from ..values.composite import Composite, declare
from ..values.tensor import Tensor, TensorSpec, from_array, to_tensor
from ..variables.variable import Variable
from .arrays import zeros
from .layout import concat as concat_of
from .layout import split as split_of
from .layout import stack as stack_of
from .layout import unstack as unstack_of

CLEARED = object()  # stands where an element was read and given up


class TensorArray:
    """A list of tensors of one type.

    >>> import gradtape as tf
    >>> ta = tf.TensorArray(tf.float32, size=3)
    >>> for i in range(3):
    ...     ta = ta.write(i, i * 10.0)
    >>> ta.stack().numpy()
    array([ 0., 10., 20.], dtype=float32)

    Args:
        dtype: The type of all elements.
        size: How many elements there are.
        dynamic_size: Whether writing past the end makes it longer.
        clear_after_read: Whether an element can be read only once (the default), which frees its memory early. Inside functions
            elements can be read any number of times, as in TensorFlow.
        tensor_array_name: Ignored; accepted for compatibility with TensorFlow.
        handle: None: eager code has no handles.
        flow: Ignored; accepted for compatibility with TensorFlow.
        infer_shape: Whether all elements must have one shape.
        element_shape: The shape of the elements, as far as it is known.
        colocate_with_first_write_call: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: There is no size, or a handle.
    """

    _count: Any  # of elements that are not there yet: a size (see `OpenTensorArray`)

    def __init__(
        self,
        dtype: DTypeLike,
        size: IntLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: TensorLike | None = None,
        flow: TensorLike | None = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if ACTIVE and STATE.trace is not None and self.__class__ is TensorArray:
            self._dtype = dtypes.as_dtype(dtype)
            settings = {"infer_shape": infer_shape, "element_shape": element_shape}
            if STATE.trace.adopt(self, TensorArray, (dtype, size, dynamic_size, False), settings):
                return
        if handle is not None:
            raise ValueError("TensorArray handles are not supported when eager execution is enabled.")
        if size is None:
            raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._clear_after_read = clear_after_read is None or bool(clear_after_read)
        self._infer_shape = infer_shape
        self._shape = [TensorShape(element_shape)]  # in a list, because arrays that come from this one share it
        if size.__class__ is AbstractTensor and not shapes_only() and isinstance(as_int(size), Size):
            become(self, _in_loops().OpenTensorArray)
            self._count = as_int(size)
            return
        self._elements: list[Any] = slots("TensorArray", _position(size))
        self._made_in = _depth()

    # --- what it is ----------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether writing past the end makes it longer."""
        return self._dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements, as far as it is known."""
        return self._shape[0]

    @property
    def flow(self) -> Tensor:
        """A dummy tensor: TensorFlow's graphs order reads and writes by it."""
        return from_array(np.int32(0))  # type: ignore[arg-type]

    @property
    def handle(self) -> None:
        """None: there is no resource behind it."""
        return None

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements.

        >>> array = tf.TensorArray(tf.float32, size=3).unstack([1.0, 2.0, 3.0])
        >>> int(array.size())
        3

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A scalar.
        """
        return from_array(np.int32(len(self._elements)))  # type: ignore[arg-type]

    def identity(self) -> TensorArray:
        """Another array with the same elements: what is written to one is seen in both.

        >>> array = tf.TensorArray(tf.float32, size=3).unstack([1.0, 2.0, 3.0])
        >>> array.identity().stack().numpy()
        array([1., 2., 3.], dtype=float32)

        Returns:
            A TensorArray.
        """
        other = object.__new__(TensorArray)
        other.__dict__.update(self.__dict__)
        return other

    def grad(self, source: TensorLike, flow: TensorLike | None = None, name: str | None = None) -> NoReturn:
        """Not needed: tapes follow the elements.

        Args:
            source: Not used.
            flow: Not used.
            name: Not used.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly: a GradientTape follows the elements."
        )

    def close(self, name: str | None = None) -> None:
        """Give up all elements.

        >>> array = tf.TensorArray(tf.float32, size=3).unstack([1.0, 2.0, 3.0])
        >>> array.close()
        >>> int(array.size())
        0

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.
        """
        del self._elements[:]

    # --- one element ---------------------------------------------------------------------------------------------

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Put a value at an index.

        >>> array = tf.TensorArray(tf.float32, size=2)
        >>> array = array.write(0, 5.0).write(1, 6.0)
        >>> array.stack().numpy()
        array([5., 6.], dtype=float32)

        Args:
            index: The index: an integer.
            value: A tensor of the array's type, in the shape of the other elements.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The array to use from then on.

        Raises:
            tf.errors.OutOfRangeError: The index is negative, or beyond an end that is fixed.
            ValueError: The type or the shape is another.
        """
        if index.__class__ is AbstractTensor and not shapes_only():
            if self._dynamic_size:
                raise NeedsValue("How long a TensorArray becomes is known only when the function runs.")
            rows = _in_loops()
            return rows.RowsTensorArray.of(self, rows.shape_of(self._accepted(value))).write(index, value)
        target = self._own()
        target._write(_position(index), value)
        return target.identity()

    def _own(self) -> TensorArray:
        """The array to change: in a branch or a loop that is being compiled, a copy of one from outside."""
        if _depth() <= self._made_in:
            return self
        other = self.identity()
        other._elements, other._shape = list(self._elements), list(self._shape)
        return other

    def _write(self, position: int, value: TensorLike) -> None:
        if position < 0:
            raise OutOfRangeError(None, None, f"Writing to negative indices (index {position}) is not allowed.")
        size = len(self._elements)
        if position >= size:
            if not self._dynamic_size:
                # (In TensorFlow's graphs the kernel of another op raises it.)
                error = OutOfRangeError if STATE.trace is None else InvalidArgumentError
                raise error(
                    None,
                    None,
                    f"Tried to write to index {position} but the size is {size}. Use dynamic_size=True to let it grow.",
                )
            if position > 2**31 - 1:
                raise OutOfRangeError(None, None, f"Index {position} is too large for a TensorArray.")
            self._elements.extend(slots("TensorArray", position - size + 1))
        self._elements[position] = self._accepted(value)

    def _accepted(self, value: TensorLike) -> Any:
        tensor = self._typed(value)
        if not self.element_shape.is_compatible_with(tensor.shape):
            raise ValueError(f"Incompatible shape for value ({tensor.shape}), expected ({self.element_shape})")
        if self._infer_shape:
            self._shape[0] = self.element_shape.merge_with(tensor.shape)
        return tensor

    def _typed(self, value: object) -> Any:
        tensor = value if isinstance(value, Tensor) else self._converted(value)
        if tensor.dtype is not self._dtype:
            message = f"TensorArray dtype is {self._dtype.name} but the value has {tensor.dtype.name}. Use tf.cast."
            raise TensorTypeError(None, None, message)
        return tensor

    def _converted(self, value: object) -> Any:
        if isinstance(value, Variable):
            return to_tensor(value)
        try:
            return to_tensor(value, self._dtype)
        except TypeError:
            return to_tensor(value)  # of another type, which the caller's error names

    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """The element at an index, which is then given up unless `clear_after_read=False`.

        >>> array = tf.TensorArray(tf.float32, size=3).unstack([1.0, 2.0, 3.0])
        >>> array.read(1).numpy()
        np.float32(2.0)

        Args:
            index: The index: an integer.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor; zeros where nothing was written and the shape is known.

        Raises:
            tf.errors.OutOfRangeError: There is no such index.
            tf.errors.InvalidArgumentError: The element was read before.
        """
        if index.__class__ is AbstractTensor and not shapes_only():
            return _in_loops().RowsTensorArray.of(self, None).read(index)
        position, size = _position(index), len(self._elements)
        if position < 0:
            raise OutOfRangeError(None, None, f"Reading from negative indices (index {position}) is not allowed.")
        if position >= size:
            raise OutOfRangeError(None, None, f"Tried to read from index {position} but array size is: {size}.")
        value = self._at(position)
        if self._clear_after_read and self._own() is self:
            self._elements[position] = CLEARED
        return value

    def _at(self, position: int) -> Any:
        value = self._elements[position]
        if value is CLEARED:
            raise invalid(
                f"Could not read index {position} twice because it was cleared after a previous read. "
                "Use tf.TensorArray(..., clear_after_read=False)."
            )
        if value is None:  # never written: zeros, if the shape is known
            if not self.element_shape.is_fully_defined():
                raise ValueError(
                    f"Cannot read index {position}: it was never written, and the elements' shape {self.element_shape} is not "
                    "known. (Cannot convert a partially known TensorShape to a Tensor.) Use element_shape=..."
                )
            value = self._elements[position] = zeros(tuple(self.element_shape), self._dtype)
        return value

    # --- all elements --------------------------------------------------------------------------------------------

    def stack(self, name: str | None = None) -> Tensor:
        """All elements, along a new first axis.

        >>> array = tf.TensorArray(tf.float32, size=3).unstack([1.0, 2.0, 3.0])
        >>> array.stack().numpy()
        array([1., 2., 3.], dtype=float32)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor (size, ...).

        Raises:
            tf.errors.InvalidArgumentError: The elements have different shapes.
        """
        return self._stacked(range(len(self._elements)))

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Some elements, along a new first axis.

        >>> array = tf.TensorArray(tf.float32, size=3).unstack([1.0, 2.0, 3.0])
        >>> array.gather([2, 0]).numpy()
        array([3., 1.], dtype=float32)

        Args:
            indices: A list of integers, or a vector.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor with one row for each index.

        Raises:
            TypeError: It is one index.
            tf.errors.OutOfRangeError: There is no such index.
        """
        if not np.ndim(indices):
            raise TypeError(f"gather: a list of indices is needed, got {indices!r}.")
        positions = as_ints(indices)
        for position in positions:
            if not 0 <= position < len(self._elements):
                raise ElementIndexError(
                    None,
                    None,
                    f"list index out of range: TensorArray has {len(self._elements)} elements, no index {position}",
                )
        return self._stacked(positions)

    def _stacked(self, positions: Any) -> Any:
        if not positions:
            known = self.element_shape.is_fully_defined()
            return zeros((0, *(tuple(self.element_shape) if known else ())), self._dtype)
        return stack_of([self._left(position) for position in positions])

    def _left(self, position: int) -> Any:
        """What is at a position for somebody who wants all: zeros, as before the first write, where it was read and given up."""
        if self._elements[position] is CLEARED:
            self._elements[position] = None
        return self._at(position)

    def concat(self, name: str | None = None) -> Tensor:
        """All elements, one after the other along their first axis, in which their sizes may differ.

        >>> array = tf.TensorArray(tf.int32, size=2, infer_shape=False)
        >>> array.write(0, [1, 2]).write(1, [3]).concat().numpy()
        array([1, 2, 3], dtype=int32)

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor.

        Raises:
            tf.errors.InvalidArgumentError: There are no elements, or they are scalars.
        """
        if not self._elements:
            raise invalid("concat: this TensorArray has no elements.")
        values = [self._left(position) for position in range(len(self._elements))]
        if any(not value.ndim for value in values):
            raise invalid("concat: the elements are scalars; they need at least one axis. Use stack().")
        return concat_of(values, 0)

    def unstack(self, value: object, name: str | None = None) -> TensorArray:
        """The slices of a tensor along its first axis, as the elements.

        >>> tf.TensorArray(tf.float32, size=2).unstack([[1.0, 2.0], [3.0, 4.0]]).read(1).numpy()
        array([3., 4.], dtype=float32)

        Args:
            value: A tensor of the array's type, with at least one axis.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The array to use from then on.

        Raises:
            ValueError: The type is another, or there are more slices than a fixed size has room for.
        """
        tensor = self._whole(value, "unstack")
        parts = unstack_of(tensor)
        if len(parts) > len(self._elements) and not self._dynamic_size:
            raise ValueError(
                f"Cannot unstack {len(parts)} tensors into a TensorArray of static size {len(self._elements)}."
            )
        target = self._own()
        target._elements[:] = [target._accepted(part) for part in parts]
        if not parts and ACTIVE and STATE.trace is not None:
            target._shape[0] = TensorShape(
                tuple(tensor.shape)[1:]
            )  # (eagerly nothing is known of elements that are not there)
        return target.identity()

    def scatter(self, indices: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """The slices of a tensor along its first axis, each at its index.

        >>> tf.TensorArray(tf.float32, size=3, element_shape=[]).scatter([2, 0], [5.0, 6.0]).stack().numpy()
        array([6., 0., 5.], dtype=float32)

        Args:
            indices: A list of integers, or a vector.
            value: A tensor of the array's type, with a slice for each index.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The array to use from then on.

        Raises:
            tf.errors.OutOfRangeError: An index is negative, or beyond an end that is fixed.
            tf.errors.InvalidArgumentError: There are more slices or more indices.
            ValueError: The type or the shape is another.
        """
        tensor = self._whole(value, "scatter")
        target, positions, parts = self._own(), as_ints(indices), unstack_of(tensor)
        if len(positions) != len(parts):
            raise invalid(f"TensorArray.scatter: {len(parts)} slices need as many indices, got {len(positions)}.")
        for position, part in zip(positions, parts, strict=True):
            target._write(position, part)
        return target.identity()

    def split(self, value: TensorLike, lengths: object, name: str | None = None) -> TensorArray:
        """Pieces of given lengths along the first axis, as the elements.

        >>> array = tf.TensorArray(tf.int32, size=2, infer_shape=False).split([1, 2, 3], lengths=[2, 1])
        >>> array.read(0).numpy(), array.read(1).numpy()
        (array([1, 2], dtype=int32), array([3], dtype=int32))

        Args:
            value: A tensor of the array's type.
            lengths: How long each piece is; together as long as the tensor.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The array to use from then on.

        Raises:
            tf.errors.InvalidArgumentError: The lengths do not add up.
            ValueError: The type is another, or there are more pieces than a fixed size has room for.
        """
        tensor = self._whole(value, "split")
        sizes = as_ints(lengths)
        if sum(sizes) != tensor.shape[0] or min(sizes, default=0) < 0:
            raise unfit(f"split: lengths {list(sizes)} must add up to {tensor.shape[0]}, the first size of the value.")
        if len(sizes) > len(self._elements) and not self._dynamic_size:
            raise ValueError(
                f"Cannot split into {len(sizes)} tensors: this TensorArray has a static size of {len(self._elements)}."
            )
        parts = split_of(tensor, list(sizes)) if sizes else []
        if self._infer_shape and len(set(sizes)) > 1:
            # The pieces differ in their first size: it is unknown.
            rest = TensorShape([None, *tuple(tensor.shape)[1:]])
            self._shape[0] = self.element_shape.merge_with(rest)
            self._elements[:] = parts
        else:
            self._elements[:] = [self._accepted(part) for part in parts]
        return self.identity()

    def _whole(self, value: object, name: str) -> Any:
        tensor = self._typed(value)
        if tensor.shape.rank == 0:
            raise unfit(f"{name}: the value must have at least one axis, got a scalar.")
        return tensor

    def __repr__(self) -> str:
        return f"<tf.TensorArray: size={len(self._elements)}, dtype={self._dtype.name}, element_shape={self.element_shape}>"


def _in_loops() -> Any:
    """The forms that an array has in compiled loops and branches."""
    from . import rows_tensor_array

    return rows_tensor_array


def _carried(array: Any, shape: Any, capacity: int | None) -> Any:
    return _in_loops().carried(array, shape, capacity)


def _depth() -> int:
    """How deeply the function that is being compiled is nested in loops and branches."""
    return STATE.trace.depth if ACTIVE and STATE.trace is not None else 0


def _position(value: object) -> int:
    if isinstance(value, (Tensor, Variable)):
        value = value.numpy()
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"An integer is needed, got {value!r}.")
    return int(value)


# --- inside traced functions -------------------------------------------------------------------------------------------


class TracedTensorArray(Facade, TensorArray):
    """A `TensorArray` made inside a traced function."""

    def _describe(self, thing: Any) -> None:
        self._dtype = thing.dtype

    @property
    def element_shape(self) -> TensorShape:
        """Not followed in traces: unknown."""
        return TensorShape(None)


def _evaluator() -> Inference:
    """The running trace: one that asks for types and shapes alone has made the array."""
    assert shapes_only()
    return cast("Inference", STATE.trace)


def _length(value: object) -> Any:
    """How many slices a tensor has."""
    known = abstract_of(to_tensor(value)).known
    if known == ():
        raise TypeError(f"gather: a list of indices is needed, got {value!r}.")
    return _evaluator().unknown() if known is None else known[0]


class AbstractTensorArray(TensorArray):
    """A `TensorArray` that knows the shape of its elements, not their positions."""

    def begin(
        self,
        dtype: DTypeLike,
        size: IntLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
    ) -> None:
        """Called in place of the constructor."""
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = infer_shape
        self._shape = [TensorShape(element_shape)]
        self._size: Any = _evaluator().unknown() if dynamic_size or size is None else as_int(size)
        if self._size is UNKNOWN:
            self._size = _evaluator().unknown()
        self.written: list[Any] = []

    def _element(self) -> Any:
        if not self.written:
            return _evaluator().tensor(TensorSpec(self.element_shape, self._dtype))
        element = self.written[0]
        for other in self.written[1:]:
            element = either(_evaluator(), element, other)
        return element

    def identity(self) -> TensorArray:
        """The same array."""
        return self

    def size(self, name: str | None = None) -> Any:
        """The number of elements, unknown where it may grow."""
        if self._dynamic_size:
            return _evaluator().tensor(TensorSpec((), dtypes.int32))
        return _evaluator().sized(self._size)

    def link(self, others: list[Any]) -> None:
        """What is read depends on these too."""
        if self.written and others:
            element = self._element()
            self.written.append(
                depending_on(_evaluator(), like(_evaluator(), element), [element, *others], linearly=True)
            )

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Note the value."""
        self.written.append(self._accepted(value))
        return self

    def read(self, index: TensorLike, name: str | None = None) -> Any:
        """Anything that was written."""
        return self._element()

    def stack(self, name: str | None = None) -> Any:
        """As many as the size says."""
        return repeated(_evaluator(), self._element(), self._size)

    def gather(self, indices: object, name: str | None = None) -> Any:
        """As many as there are indices."""
        return repeated(_evaluator(), self._element(), _length(indices))

    def concat(self, name: str | None = None) -> Any:
        """Elements one after the other: how many, and how long each, may vary."""
        element = self._element()
        known = abstract_of(element).known
        shape = None if known is None else (self._size * known[0], *known[1:])
        return depending_on(_evaluator(), _evaluator().tensor_of(shape, self._dtype.numpy), [element], linearly=True)

    def unstack(self, value: object, name: str | None = None) -> TensorArray:
        """The slices of the value."""
        tensor = self._whole(value, "unstack")
        self._size = _length(tensor)
        self.written.append(self._accepted(slice_of(_evaluator(), tensor)))
        return self

    def scatter(self, indices: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """The slices of the value, at any places."""
        self.written.append(self._accepted(slice_of(_evaluator(), self._whole(value, "scatter"))))
        return self

    def split(self, value: TensorLike, lengths: object, name: str | None = None) -> TensorArray:
        """Pieces of lengths that may vary."""
        tensor = self._whole(value, "split")
        self._size = _length(lengths)
        rest = TensorShape([None, *tuple(tensor.shape)[1:]])
        self.written.append(_evaluator().tensor(TensorSpec(rest, self._dtype)))
        return self

    def __repr__(self) -> str:
        return f"<abstract tf.TensorArray, dtype={self._dtype.name}>"


CARRIED[TensorArray] = _carried
steps_of(
    TracedTensorArray,
    TensorArray,
    (
        *("write", "read", "stack", "gather", "concat", "unstack", "scatter", "split"),
        *("size", "identity", "close"),
    ),
)
declare(Composite(TensorArray, facade=TracedTensorArray, abstract=AbstractTensorArray))
