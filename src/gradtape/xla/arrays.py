"""Values that are on a device: tensors whose arrays are fetched when somebody asks for them.

A `DeviceTensor` is an eager tensor in all but its memory. What asks for its array (an eager op, `numpy()`, a native function)
makes it a plain one; its value on the device is kept beside the array, and found there by the next function that XLA runs.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from ..base import dtypes
from ..base.dtypes import Array, DType
from ..base.errors import invalid
from ..base.shapes import TensorShape, known_shape
from ..native.abi import all_holders, become, counts_holders
from ..values.tensor import EagerTensor, Tensor
from ..variables.variable import Variable

PLACED = "_sharding"  # in the `__dict__` of a variable: how its value is shared out to devices, where there are several
_KEPT = "_on_device"  # in the `__dict__` of a tensor: the array it has on the host, or None, and the one on the device
_host: Any = Tensor.__dict__["_array"]  # the field that every tensor has


class Copies:
    """How often values went between host and device, for tests and measurements."""

    to_host = 0
    to_device = 0


COPIES = Copies()


class DeviceTensor(EagerTensor):
    """A tensor whose value is on a device."""

    __slots__ = ()

    @property
    def _array(self) -> Array:  # type: ignore[override]
        buffer = self.__dict__[_KEPT][1]
        COPIES.to_host += 1
        array: Array = on_host(buffer)
        self.__dict__[_KEPT] = (array, buffer)
        become(self, EagerTensor)
        _host.__set__(self, array)
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
        device = min(self._buffer.devices(), key=lambda found: found.id)
        return f"/job:localhost/replica:0/task:{device.process_index}/device:{device.platform.upper()}:{device.id}"

    @property
    def _buffer(self) -> jax.Array:
        found: jax.Array = self.__dict__[_KEPT][1]
        return found


def abstract(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """What jax traces with in place of a value."""
    look: Any = jax.ShapeDtypeStruct
    return look(shape, dtype)


def is_on_host(value: object) -> bool:
    """Whether a value is NumPy's."""
    return isinstance(value, (np.ndarray, np.generic))


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
    tensor.__dict__[_KEPT] = (None, buffer)
    tensor._id = identity
    return tensor


def buffer_of(tensor: EagerTensor) -> jax.Array | None:
    """The value on a device, if it is there: the array on the host may have been replaced."""
    kept = tensor.__dict__.get(_KEPT)
    if kept is None or not (tensor.__class__ is DeviceTensor or kept[0] is tensor._array):
        return None
    found: jax.Array = kept[1]
    return found


def put(array: Array, sharding: Any = None) -> jax.Array:
    """A copy on the device, or shared out to several: the array on the host may change later."""
    COPIES.to_device += 1
    with jax.enable_x64(True):  # else JAX makes float64 float32
        if sharding is None or sharding.is_fully_addressable:
            moved: jax.Array = jax.device_put(array, sharding, may_alias=False)
            return moved
        own = np.array(array)  # of several processes each puts its part
        return jax.make_array_from_callback(own.shape, sharding, own.__getitem__, dtype=own.dtype)


def value_of(variable: Variable) -> jax.Array:
    """The value of a variable on the device, which is kept there.

    The array on the host is held beside it: so nobody changes that in place (variables/in_place.py), and another array there
    shows that the value has changed.
    """
    tensor = variable._value
    found = buffer_of(tensor)
    if found is None:
        array = tensor._array
        found = put(array, variable.__dict__.get(PLACED))
        tensor.__dict__[_KEPT] = (array, found)
    return found


def own_buffers(values: list[Any]) -> list[jax.Array]:
    """The buffers of values that were taken out of their variables, to be written to: copies where somebody else holds them."""
    if _alone is None:
        _count_nobody_else()
    buffers = [value.__dict__[_KEPT][1] for value in values]
    for place, counts in enumerate(zip(all_holders(values), all_holders(buffers), strict=True)):
        # An array on the host may be a view of the same memory.
        if counts != _alone or values[place].__class__ is not DeviceTensor:
            with jax.enable_x64(True):
                buffers[place] = buffers[place].copy()
    return buffers


def replace_buffers(values: list[Any], buffers: list[jax.Array]) -> None:
    """Give values that were taken out of their variables others on the device: new tensors where somebody holds the old ones."""
    for place, buffer in enumerate(buffers):
        kept = values[place].__dict__[_KEPT]
        if kept[1].is_deleted():  # it was given away, which is done with values that nobody else holds
            values[place].__dict__[_KEPT] = (None, buffer)
        else:
            values[place] = on_device(buffer, values[place]._id)


_NEVER = (0, 0)  # counts that never occur
_alone: tuple[int, int] | None = None  # the counts if only the variable holds the value, measured on demand


def _count_nobody_else() -> None:
    """Measure `_alone`, because interpreters differ."""
    global _alone
    changing = {"_changing": on_device(put(np.zeros(2, np.float32)))}
    values = [changing["_changing"]]
    buffers = [value.__dict__[_KEPT][1] for value in values]
    _alone = (all_holders(values)[0], all_holders(buffers)[0]) if counts_holders() else _NEVER
