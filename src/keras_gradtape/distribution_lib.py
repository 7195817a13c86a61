"""What Keras asks of a backend about devices: `keras.distribution` on XLA. Without it there is one device."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
from keras.src.backend.common.global_state import get_global_attribute

import gradtape
from gradtape.distribute.collectives import lay_out
from gradtape.values.tensor import EagerTensor
from gradtape.xla import checked, processes


def _has_xla() -> bool:
    return importlib.util.find_spec("jax") is not None


def distribution() -> Any:
    """What `keras.distribution.set_distribution` has set."""
    return get_global_attribute("distribution")


def list_devices(device_type: str | None = None) -> list[str]:
    """The devices of that type, of all processes; by default the accelerators, or else the CPUs."""
    if not _has_xla():
        return ["cpu:0"] if device_type is None or device_type.lower() == "cpu" else []
    from gradtape.xla import logical

    return [logical.name_of(device).lower() for device in logical.visible(device_type)]


def get_device_count(device_type: str | None = None) -> int:
    """How many devices of that type there are."""
    return len(list_devices(device_type))


def distribute_variable(value: Any, layout: Any) -> Any:
    """The value of a variable, laid out."""
    return distribute_tensor(value, layout)


def distribute_tensor(tensor: Any, layout: Any) -> Any:
    """The tensor, laid out; also inside a traced function."""
    sharding = backend_layout(layout)
    if sharding is None:
        return tensor
    value = tensor if isinstance(tensor, gradtape.Tensor) else gradtape.convert_to_tensor(tensor)
    if not isinstance(value, EagerTensor):
        return lay_out.public(value, layout=sharding)
    from gradtape.xla.sharding import laid_out

    return laid_out(value, sharding)


def distribute_data_input(per_process_batch: Any, layout: Any, batch_dim_name: str | None = None) -> Any:
    """The batch of all processes, laid out, of the part that this one has.

    A last batch that cannot be cut into equal parts is whole on each device, where there is one process.
    """
    sharding = backend_layout(layout)
    if sharding is None:
        return per_process_batch
    from gradtape.xla import sharding as on_devices

    batch = gradtape.convert_to_tensor(per_process_batch)
    if num_processes() > 1:
        return on_devices.from_process(np.asarray(batch), sharding)
    fits = on_devices.fits(tuple(batch.shape), sharding)
    return on_devices.laid_out(batch, sharding if fits else on_devices.everywhere(sharding.mesh))


def part_of_process(distribution: Any, dataset: gradtape.data.Dataset) -> gradtape.data.Dataset:
    """What this process takes of a dataset of global batches: its rows of each batch, as many as the others take.

    Where a model is spread over several processes, these take the same rows.
    """
    looks = gradtape.nest.flatten(dataset.element_spec)
    first = next(iter(dataset), None) if all(look.shape.rank for look in looks) else None
    if first is None:
        raise ValueError(
            "The batch size of the input dataset is unknown. Please config the batch size for the input dataset, e.g via "
            "`dataset.batch(batch_size)`"
        )
    size = int(gradtape.nest.flatten(first)[0].shape[0])
    replicas, processes = distribution.num_model_replicas, distribution.num_processes
    if replicas == 1:
        return dataset.prefetch(gradtape.data.AUTOTUNE)
    parts, number, what = processes, distribution._process_id, "processes. `num_processes`"
    if replicas < processes:
        parts, number, what = replicas, distribution.data_shard_id, "replicas. `num_model_replicas`"
    if size % parts:
        raise ValueError(
            f"Global batch size must be divisible by the number of {what}={parts}, and `global_batch_size`={size}."
        )
    return dataset.rebatch(size // parts).shard(parts, number).prefetch(gradtape.data.AUTOTUNE)


def initialize_rng() -> None:
    """Give all processes the seed of the first one, unless one was set."""
    from keras.src.random import seed_generator
    from keras.src.utils import rng_utils

    if rng_utils.get_random_seed() is None:
        from gradtape.xla import together

        seed = np.asarray(seed_generator.make_default_seed(), np.int64)
        rng_utils.set_random_seed(int(together.same_for_all(seed)))


def initialize(
    job_addresses: str | None = None, num_processes: int | None = None, process_id: int | None = None
) -> None:
    """Join the other processes, those that `gradtape launch` has started unless others are named."""
    if processes.initialize(job_addresses, num_processes, process_id).count > 1:
        initialize_rng()


def num_processes() -> int:
    """How many processes there are."""
    return processes.here().count


def process_id() -> int:
    """Which of them this is."""
    return processes.here().number


def _to_backend_device(device_name: Any) -> Any:
    checked()
    from gradtape.xla import logical

    name = str(device_name)
    return logical.device_of(name if ":" in name else f"{name}:0")


def _to_backend_mesh(device_mesh: Any) -> Any:
    """JAX's mesh of a `DeviceMesh`. From the first one of several devices on, functions of values on it run on XLA."""
    if device_mesh.devices.size == 1 and not _has_xla():
        return device_mesh
    devices = np.empty(device_mesh.devices.shape, object)
    for place in np.ndindex(*devices.shape):
        devices[place] = _to_backend_device(device_mesh.devices[place])
    from gradtape.xla import sharding

    if devices.size > 1:
        sharding.begin()
    return sharding.mesh_of(devices, device_mesh.axis_names)


def _to_backend_layout(tensor_layout: Any) -> Any:
    """JAX's sharding of a `TensorLayout`."""
    if tensor_layout.device_mesh is None:
        raise ValueError("Cannot create sharding when device mesh is not set for TensorLayout.")
    mesh = tensor_layout.device_mesh.backend_mesh
    if not _has_xla():
        return tensor_layout
    from gradtape.xla.sharding import sharding_along

    return sharding_along(mesh, tensor_layout.axes)


def backend_layout(layout: Any) -> Any:
    """The sharding over several devices that a layout of Keras, or of JAX, is; None where there is one device."""
    found = getattr(layout, "backend_layout", layout)
    mesh = getattr(found, "mesh", None)
    return found if mesh is not None and mesh.size > 1 else None
