"""Values that are on a device: tensors whose arrays are fetched when somebody asks for them.

A `DeviceTensor` is an eager tensor in all but its memory. What asks for its array (an eager op, `numpy()`, a native function)
makes it a plain one; its value on the device is kept beside the array, and found there by the next function that XLA runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np

from ..base import dtypes
from ..base.dtypes import Array, DType
from ..base.errors import invalid
from ..base.places import ON_DEVICE
from ..base.shapes import TensorShape, known_shape
from ..native.abi import all_holders, become, counts_holders
from ..values.tensor import EagerTensor, Tensor
from ..variables.in_place import lock_of
from ..variables.variable import Variable
from .logical import place_name

PLACED = "_sharding"  # in the `__dict__` of a variable: how its value is shared out to devices, where there are several
_FIELD: Any = Tensor.__dict__["_array"]  # where every tensor has its array


class Copies:
    """How often values went between host and device, for tests and measurements."""

    to_host = 0
    to_device = 0


COPIES = Copies()


class DeviceTensor(EagerTensor):
    """A tensor whose value is on a device."""

    __slots__ = ()

    _buffer = _FIELD  # in the place of the array

    @property
    def _array(self) -> Array:  # type: ignore[override]
        is_written = bool(_WRITTEN) and _is_written_here(self)
        buffer = self._buffer
        if is_on_host(buffer):  # (another thread has fetched it at this moment)
            return buffer
        COPIES.to_host += 1
        if is_written:  # (by the step that a signal handler interrupts)
            return np.array(buffer)
        array: Array = on_host(buffer)
        self.__dict__[ON_DEVICE] = Kept(array, buffer)
        self._buffer = array
        become(self, EagerTensor)
        return array

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return dtypes.BY_NUMPY[self._buffer.dtype]

    @property
    def shape(self) -> TensorShape:
        """The sizes of all axes."""
        return known_shape(self._buffer.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return int(self._buffer.ndim)

    @property
    def device(self) -> str:
        """Where the value is; the first place where it is on several devices."""
        return _device_name(self._buffer)


class Kept(NamedTuple):
    """What a tensor keeps that is on both sides."""

    array: Array
    value: jax.Array

    @property
    def name(self) -> str:
        """The name of the device."""
        return _device_name(self.value)


def _device_name(buffer: jax.Array) -> str:
    return place_name(min(buffer.devices(), key=lambda found: found.id))


def abstract(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """What jax traces with in place of a value."""
    look: Any = jax.ShapeDtypeStruct
    return look(shape, dtype)


HOSTED = (np.ndarray, np.generic)  # the classes of values on the host


def is_on_host(value: object) -> bool:
    """Whether a value is NumPy's."""
    return isinstance(value, HOSTED)


def on_host(buffer: jax.Array) -> Any:
    """The value as NumPy has it: an array, which is a view of the same memory on a CPU, or a scalar."""
    if not buffer.is_fully_addressable and not buffer.is_fully_replicated:
        raise invalid(
            f"A value of shape {buffer.shape} is cut over several processes, of which this one has a part. Lay it out whole "
            "inside a function, with tf.experimental.dtensor.relayout, or look at the part with tf.experimental.dtensor.unpack."
        )
    array = np.asarray(buffer)
    return array if array.ndim else array[()]


def on_device(buffer: jax.Array, identity: int = 0) -> DeviceTensor:
    """A tensor of a value on a device."""
    tensor = object.__new__(DeviceTensor)
    tensor._buffer = buffer
    tensor._id = identity
    return tensor


def buffer_of(tensor: Tensor) -> jax.Array | None:
    """The value on a device, if it is there: the array on the host may have been replaced."""
    if _WRITTEN:
        _is_written_here(tensor)
    if tensor.__class__ is DeviceTensor:
        return tensor._buffer
    kept = tensor.__dict__.get(ON_DEVICE)
    if kept is None or kept.array is not tensor._array:
        return None
    found: jax.Array = kept.value
    return found


_GIVEN = "_given"  # in the `__dict__` of a tensor whose value is on the host, and was given to an executable


def given(tensor: EagerTensor) -> Any:
    """What an executable is given for a tensor: the array, the first time, and from then on its value on the device.

    (A batch that comes once leaves nothing there; what is given to each step is copied once.)
    """
    found = buffer_of(tensor)
    if found is not None:
        return found
    notes = tensor.__dict__
    if _GIVEN not in notes:
        notes[_GIVEN] = True
        return tensor._array
    array = tensor._array
    notes[ON_DEVICE] = Kept(array, put(array))
    return notes[ON_DEVICE].value


def put(array: Array, sharding: Any = None) -> jax.Array:
    """A copy on the device, or shared out to several: the array on the host may change later."""
    COPIES.to_device += 1
    with jax.enable_x64(True):  # else JAX makes float64 float32
        if sharding is None or sharding.is_fully_addressable:
            moved: jax.Array = jax.device_put(array, sharding, may_alias=False)
            return moved
        own = np.array(array)  # of several processes each puts its part
        return jax.make_array_from_callback(own.shape, sharding, own.__getitem__, dtype=own.dtype)


def value_of(variable: Variable, home: jax.sharding.Sharding | None = None) -> jax.Array:
    """The value of a variable on the device, which is kept there; what is on the host only goes to `home`, or where it belongs.

    The array on the host is held beside it: so nobody changes that in place (variables/in_place.py), and another array there
    shows that the value has changed.
    """
    tensor = variable._value
    found = buffer_of(tensor)
    if found is None:
        array = tensor._array
        found = put(array, variable.__dict__.get(PLACED, home))
        tensor.__dict__[ON_DEVICE] = Kept(array, found)
    return found


def values_of(variables: list[Variable], home: jax.sharding.Sharding | None = None) -> list[jax.Array]:
    """The values of variables on the device."""
    tensors: list[Any] = [variable._value for variable in variables]
    try:
        found = [tensor._buffer for tensor in tensors]
    except AttributeError:  # (an eager tensor has none)
        return [value_of(variable, home) for variable in variables]
    return [value_of(variable, home) for variable in variables] if _WRITTEN else found


# --- memory that is used again -------------------------------------------------------------------------------------------
#
# A step is given the memory of the variables that it changes. Who has read one of them before is counted, and keeps what was
# read. Who reads one meanwhile gets the tensor, and waits for its new value when asking for that.


def changed(variables: list[Variable], compute: Callable[..., list[jax.Array]], given: list[Any]) -> list[jax.Array]:
    """Give variables, whose locks are held, new values on the device; returns what else is computed.

    Args:
        variables: The variables.
        compute: Is called with what is given and with their buffers, which it may use up; gives results, then the new buffers.
        given: What it is called with first.
    """
    tensors: list[Any] = [variable._value for variable in variables]
    try:
        buffers = [tensor._buffer for tensor in tensors]
    except AttributeError:  # (an eager tensor has none)
        buffers = _on_device_alone(variables, tensors)
    step = id(tensors)
    _WRITTEN[step] = tensors  # (before they are counted)
    try:
        count, (value, memory) = len(tensors), _alone()
        # (No count is below that of something which nobody else holds: all are equal to it if their sum is.)
        if sum(all_holders(tensors)) != value * count or sum(all_holders(buffers)) != memory * count:
            _own(variables, tensors, buffers)
        results = compute(*given, *buffers)
        for tensor, buffer in zip(tensors, results[-count:]):  # noqa: B905 - as long as each other
            tensor._buffer = buffer
        return results[:-count]
    finally:
        del _WRITTEN[step]


def _on_device_alone(variables: list[Variable], tensors: list[Any]) -> list[jax.Array]:
    """Put tensors that are on the device alone in the place of others: an array on the host may be a view of the same memory."""
    for place, tensor in enumerate(tensors):
        if tensor.__class__ is not DeviceTensor:
            buffer = _copied(value_of(variables[place]))
            tensors[place] = variables[place]._value = on_device(buffer, tensor._id)
    return [tensor._buffer for tensor in tensors]


def _own(variables: list[Variable], tensors: list[Any], buffers: list[jax.Array]) -> None:
    """Where somebody else holds a tensor or its buffer, put a copy in their place, in a new tensor of the variable."""
    for place, counts in enumerate(zip(all_holders(tensors), all_holders(buffers), strict=True)):
        if counts != _alone():
            buffers[place] = _copied(buffers[place])
            tensors[place] = variables[place]._value = on_device(buffers[place], tensors[place]._id)


def _copied(buffer: jax.Array) -> jax.Array:
    with jax.enable_x64(True):
        copy: jax.Array = buffer.copy()
        return copy


_WRITTEN: dict[int, list[Any]] = {}  # the tensors of steps that run, by the `id` of the list
_PATIENCE = 1e-3  # seconds between two looks


def _is_written_here(tensor: Tensor) -> bool:
    """Wait until no other thread writes to the memory of a tensor; whether this one does, and was interrupted."""
    for step in list(_WRITTEN.values()):
        if any(tensor is other for other in step):
            lock = lock_of(tensor)
            if lock._is_owned():
                return True
            while id(step) in _WRITTEN:
                if lock.acquire(timeout=_PATIENCE):
                    lock.release()
    return False


@functools.cache
def _alone() -> tuple[int, int]:
    """How often a tensor and its buffer are held if only a variable has them: measured, because interpreters differ."""
    if not counts_holders():
        return 0, 0  # counts that never occur
    slots = {"_value": on_device(put(np.zeros(2, np.float32)))}
    tensors = [slots["_value"]]
    buffers = [tensor._buffer for tensor in tensors]
    return all_holders(tensors)[0], all_holders(buffers)[0]
