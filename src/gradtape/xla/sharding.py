"""Values on several devices: how variables and batches are shared out, and executables of values that are.

A `Sharding` (of JAX) says for each axis of a value along which axes of a mesh of devices it is cut. What a program is given says
where it runs: XLA cuts it as its inputs and variables are laid out, and writes the collectives. Variables keep their layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, Sharding, SingleDeviceSharding

from ..base.places import MADE_FOR, Place
from ..trace.engines import SHARED_OUT, WHERE, renew
from ..trace.graph import Graph
from ..values.tensor import EagerTensor, Tensor
from ..variables.in_place import lock_of
from ..variables.variable import Variable
from . import logical
from .arrays import PLACED, DeviceTensor, buffer_of, is_on_host, on_device, put
from .executor import Executable, Making, settings


def begin() -> None:
    """Compile programs for several devices from now on, functions that have run before among them.

    What runs on the native engine goes on doing so, but for calls that touch values on other devices.
    """
    if Making.on is None:
        Making.on, WHERE.values_are = executable_on, values_are
        renew()


def end() -> None:
    """Back to one device."""
    Making.on = WHERE.values_are = None
    renew()


def values_are(graph: Graph) -> Callable[[list[Any]], Any]:
    """What tells for the calls of a graph where their values are; see `WHERE`."""
    steps = (step.function for inner in graph.graphs() for step in inner.steps)
    if any(getattr(function, "is_for_devices", False) for function in steps):
        return lambda _: SHARED_OUT
    constants = [value for value in graph.constants() if isinstance(value, (Variable, EagerTensor))]

    def of_call(tensors: list[Any]) -> Any:
        if any(map(_is_cut, tensors)) or any(map(_is_cut, constants)):
            return SHARED_OUT
        found = (value.__dict__.get(MADE_FOR) for value in constants)
        return next((place for place in found if place is not None), None)

    return of_call


def _is_cut(value: object) -> bool:
    """Whether a value is shared out to several devices, or whole on each of them."""
    if isinstance(value, Variable):
        return sharding_of(value) is not None
    return value.__class__ is DeviceTensor and isinstance(value._buffer.sharding, NamedSharding)


def sharding_along(mesh: Any, specs: Sequence[str | tuple[str, ...] | None]) -> NamedSharding:
    """The sharding that cuts each axis of a value along one of the mesh, or along none."""
    make: Any = jax.sharding.PartitionSpec
    return NamedSharding(mesh, make(*specs))


def mesh_of(devices: np.ndarray, names: Sequence[str]) -> Any:
    """JAX's mesh of its devices in a grid."""
    return jax.sharding.Mesh(devices, tuple(names))


def fits(shape: tuple[int, ...], sharding: NamedSharding) -> bool:
    """Whether a value can be cut into equal parts."""
    try:
        sharding.shard_shape(shape)
    except ValueError:
        return False
    return True


def everywhere(mesh: object) -> NamedSharding:
    """The sharding of a value that is whole on each device."""
    return sharding_along(mesh, ())


# --- values ----------------------------------------------------------------------------------------------------------------


def laid_out(tensor: Tensor, sharding: NamedSharding) -> EagerTensor:
    """The value of a tensor, shared out to devices."""
    found = buffer_of(tensor)
    return on_device(put(tensor._array, sharding) if found is None else _moved(found, sharding))


def place(variable: Variable, sharding: NamedSharding) -> None:
    """Share a variable out to devices: its present value, and all that it is assigned from now on."""
    with lock_of(variable):
        value = laid_out(variable._value, sharding)
        value._id = variable._id
        variable.__dict__[PLACED] = sharding
        variable._value = value


def make_for(variable: Variable, place: Place) -> None:
    """Let a variable live on a device: there goes its value, with the first function that uses it."""
    variable.__dict__[MADE_FOR] = place
    variable.__dict__[PLACED] = on_one(place)


def sharding_of(value: EagerTensor | Variable) -> NamedSharding | None:
    """How a value is shared out; None where it is on one device, or on the host."""
    if isinstance(value, Variable):
        placed = value.__dict__.get(PLACED)
        return placed if isinstance(placed, NamedSharding) else None
    buffer = buffer_of(value)
    sharding = None if buffer is None else buffer.sharding
    return sharding if isinstance(sharding, NamedSharding) else None


def shards_of(value: EagerTensor | Variable) -> list[np.ndarray]:
    """The parts on the devices of this process, in the order of the devices in the mesh."""
    tensor = value._value if isinstance(value, Variable) else value
    buffer = buffer_of(tensor)
    if buffer is None:
        return [tensor._array]
    sharding: Any = buffer.sharding
    places = {device: number for number, device in enumerate(sharding.mesh.devices.flat)}
    shards = sorted(buffer.addressable_shards, key=lambda shard: places[shard.device])
    return [np.asarray(shard.data) for shard in shards]


def first_pieces(tensor: EagerTensor) -> dict[tuple[int, ...], np.ndarray] | None:
    """The pieces that devices of this process are the first to have, by the places where they begin; None for a whole value."""
    buffer = buffer_of(tensor)
    if buffer is None or buffer.is_fully_addressable or buffer.is_fully_replicated:
        return None
    first = [shard for shard in buffer.addressable_shards if shard.replica_id == 0]
    return {tuple(part.start or 0 for part in shard.index): np.asarray(shard.data) for shard in first}


def from_shards(parts: list[np.ndarray], shape: tuple[int, ...], sharding: NamedSharding) -> EagerTensor:
    """A value of its parts on the devices of this process, in the order of the devices in the mesh."""
    with jax.enable_x64(True):
        devices = [device for device in sharding.mesh.devices.flat if device.process_index == jax.process_index()]
        buffers = [jax.device_put(part, device, may_alias=False) for part, device in zip(parts, devices, strict=True)]
        return on_device(jax.make_array_from_single_device_arrays(shape, sharding, buffers))


def from_process(part: np.ndarray, sharding: NamedSharding) -> EagerTensor:
    """A value of the part that this process has: all of it where there is one."""
    with jax.enable_x64(True):
        gather: Any = jax.make_array_from_process_local_data
        return on_device(gather(sharding, np.array(part)))


def _moved(buffer: jax.Array, sharding: Sharding) -> jax.Array:
    if (
        buffer.is_fully_addressable and not sharding.is_fully_addressable
    ):  # each process has the value, and puts its part
        return put(np.asarray(buffer), sharding)
    with jax.enable_x64(True):
        moved: jax.Array = jax.device_put(buffer, sharding)
        return moved


# --- programs --------------------------------------------------------------------------------------------------------------


class ShardedExecutable(Executable):
    """A part on XLA, compiled anew for each way in which its values are laid out, or for one device to which they are moved."""

    place: Place | None = None  # where that device was chosen

    def _compile(self, looks: list[Any]) -> Callable[..., Any]:
        results = jax.eval_shape(self._step, *looks)  # (what cannot be lowered is found here, as on one device)
        own = len(results) - len(self._changed) - (self._room is not None)
        self._scalars = [not result.ndim for result in results[:own]]
        self.made: dict[tuple[Any, ...], Any] = {}
        inside = (getattr(node.what, "across", None) for node in self.program.nodes)
        self._meshes = dict.fromkeys(mesh.backend for mesh in inside if mesh is not None)
        self._home = on_one(self.place)
        return self._on_devices

    def _on_devices(self, *values: Any) -> Any:
        shared = [value.sharding.mesh for value in values if _is_shared(value)] if self.place is None else []
        meshes = {**self._meshes, **dict.fromkeys(shared)}
        if len(meshes) > 1:
            raise ValueError(
                f"The values that a function is given, and its variables, are on {len(meshes)} meshes of devices: "
                f"{', '.join(str(dict(mesh.shape)) for mesh in meshes)}. Use one mesh for all of them."
            )
        whole = everywhere(next(iter(meshes))) if meshes else self._home
        if meshes:
            for variable in (*self._read, *self._changed):
                if sharding_of(variable) is None:
                    variable.__dict__[PLACED] = whole
        placed = [_placed(value, whole) for value in values]
        key = tuple([value.sharding for value in placed])
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = self._compiled_for(placed, whole)
        return found(*placed) if self._errors_of_calls is None else self._with_calls(found, placed)

    def _with_calls(self, run: Callable[..., Any], values: list[Any]) -> Any:
        """Run what calls the host, and wait for that: the first error of a call is the error of all."""
        results = jax.block_until_ready(run(*values))  # type: ignore[no-untyped-call, unused-ignore]
        jax.effects_barrier()  # type: ignore[no-untyped-call, unused-ignore]
        errors = self._errors_of_calls
        if errors:
            first = errors[0]
            errors.clear()
            raise first
        return results

    def _compiled_for(self, values: list[jax.Array], whole: Sharding) -> Any:
        look: Any = jax.ShapeDtypeStruct
        looks = [look(value.shape, value.dtype, sharding=value.sharding) for value in values]
        is_cut = isinstance(whole, NamedSharding)
        after = [variable.__dict__[PLACED] if is_cut else whole for variable in self._changed]
        # Numbers are whole everywhere, for who looks at them; how other results are cut is for XLA to choose.
        shardings = [*(whole if is_scalar or not is_cut else None for is_scalar in self._scalars), *after]
        shardings += [whole] * (self._room is not None)
        with settings():
            step = jax.jit(self._step, donate_argnums=self._donated, out_shardings=shardings)
            return step.lower(*looks).compile()


def _is_shared(value: object) -> bool:
    return isinstance(value, jax.Array) and isinstance(value.sharding, NamedSharding)


def _placed(value: Any, whole: Sharding) -> jax.Array:
    """A value where it is, if it is on the mesh or the device; else whole on all devices."""
    if is_on_host(value):
        return put(value, whole)
    if value.sharding == whole or (_is_shared(value) and isinstance(whole, NamedSharding)):
        return value
    return _moved(value, whole)


def on_one(place: Place | None) -> Sharding:
    """The sharding of values on one device of this process: the first one, if none is named."""
    return SingleDeviceSharding(jax.local_devices()[0] if place is None else logical.at(place))


_FORMS: dict[tuple[type[Executable], Place | None], type[Executable]] = {}


def executable_on(executable: type[Executable], place: Place | None) -> type[Executable]:
    """The form of a class of executables for several devices."""
    found = _FORMS.get((executable, place))
    if found is None:
        bases = (ShardedExecutable,) if executable is Executable else (executable, ShardedExecutable)
        found = _FORMS[executable, place] = type(f"Sharded{executable.__name__}", bases, {"place": place})
    return found
