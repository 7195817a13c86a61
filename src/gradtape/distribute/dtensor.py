"""`tf.experimental.dtensor`: values that are shared out to a mesh of devices, and programs on all of them.

A function that is given such values, or uses such variables, runs on all devices of their mesh. It is written for the whole
batch and the whole weights; XLA cuts it, and writes what the devices send to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..base import nest
from ..base.errors import invalid
from ..base.namespaces import listing
from ..trace.symbolic import is_symbolic
from ..values.tensor import EagerTensor, Tensor, to_tensor
from ..variables.variable import Variable
from ..xla import checked, processes
from .clients import barrier, device_name, full_job_name, heartbeat_enabled, job_name, jobs
from .collectives import lay_out
from .dtensor_files import DTensorCheckpoint, name_based_restore, name_based_save, sharded_save
from .mesh import MATCH, UNSHARDED, Layout, Mesh, create_mesh, device_names, layout_of

__all__ = [
    "DTensorCheckpoint",
    "DTensorDataset",
    "DVariable",
    "Layout",
    "MATCH",
    "Mesh",
    "UNSHARDED",
    "barrier",
    "call_with_layout",
    "check_layout",
    "client_id",
    "copy_to_mesh",
    "create_distributed_mesh",
    "create_mesh",
    "default_mesh",
    "device_name",
    "fetch_layout",
    "full_job_name",
    "get_default_mesh",
    "heartbeat_enabled",
    "initialize_accelerator_system",
    "is_dtensor",
    "job_name",
    "jobs",
    "local_devices",
    "name_based_restore",
    "name_based_save",
    "num_clients",
    "num_global_devices",
    "num_local_devices",
    "pack",
    "preferred_device_type",
    "relayout",
    "relayout_like",
    "run_on",
    "sharded_save",
    "shutdown_accelerator_system",
    "unpack",
]


def copy_to_mesh(tensor: Any, layout: Layout, source_layout: Layout | None = None) -> Tensor:
    """The value on a mesh, cut as the layout says. Inside a function this is the same as `relayout`.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> x = dtensor.copy_to_mesh(tf.ones([4, 2]), dtensor.Layout(["batch", dtensor.UNSHARDED], mesh))
    >>> dtensor.is_dtensor(x)
    True

    Args:
        tensor: A tensor.
        layout: How it is cut.
        source_layout: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.
    """
    return relayout(tensor, layout)


def relayout(tensor: Any, layout: Layout, name: str | None = None) -> Tensor:
    """The same value in another layout.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> x = dtensor.copy_to_mesh(tf.ones([4, 2]), dtensor.Layout(["batch", dtensor.UNSHARDED], mesh))
    >>> whole = dtensor.relayout(x, dtensor.Layout([dtensor.UNSHARDED, dtensor.UNSHARDED], mesh))
    >>> dtensor.fetch_layout(whole).sharding_specs
    ['unsharded', 'unsharded']

    Args:
        tensor: A tensor.
        layout: How it is cut.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: An axis cannot be cut into equal parts, or the layout is for another number of axes.
    """
    value = tensor if is_symbolic(tensor) else to_tensor(tensor)
    if value.shape.is_fully_defined():
        layout.local_shape_from_global_shape(value.shape)
    if not isinstance(value, EagerTensor):
        result: Tensor = lay_out.public(value, layout=layout)
        return result
    from ..xla import sharding

    return sharding.laid_out(value, layout.sharding)


def relayout_like(tensor: Any, layout_tensor: Any, name: str | None = None) -> Tensor:
    """The same value in the layout of another.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> x = dtensor.copy_to_mesh(tf.ones([4]), dtensor.Layout(["batch"], mesh))
    >>> dtensor.fetch_layout(dtensor.relayout_like(tf.zeros([4]), x)).sharding_specs
    ['batch']

    Args:
        tensor: A tensor.
        layout_tensor: A tensor on a mesh.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.
    """
    return relayout(tensor, fetch_layout(layout_tensor))


def call_with_layout(fn: Callable[..., Any], layout: Layout | None, *args: object, **kwargs: object) -> Any:
    """What a function returns, laid out.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> x = dtensor.call_with_layout(tf.zeros, dtensor.Layout(["batch"], mesh), shape=[4])
    >>> dtensor.is_dtensor(x)
    True

    Args:
        fn: A function that gives tensors.
        layout: How they are cut; None: not at all.
        *args: The arguments of the function.
        **kwargs: Those by name.

    Returns:
        What the function returns.
    """
    returned = fn(*args, **kwargs)
    return returned if layout is None else nest.map_structure(lambda value: relayout(value, layout), returned)


def DVariable(initial_value: Any, *args: Any, layout: Layout | None = None, **kwargs: Any) -> Variable:
    """A variable that is laid out: as its initial value is, or as `layout` says. What it is assigned stays so.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> v = dtensor.DVariable(tf.ones([4]), layout=dtensor.Layout(["batch"], mesh))
    >>> dtensor.fetch_layout(v).sharding_specs
    ['batch']

    Args:
        initial_value: The initial value, or a function that gives it.
        layout: How it is cut; by default as the initial value is.
        *args: The arguments of `tf.Variable` after it.
        **kwargs: Those by name.

    Returns:
        A variable, whose `layout` says how it is cut.
    """
    value = initial_value() if callable(initial_value) else initial_value
    if layout is None:
        layout = fetch_layout(value)
    variable = Variable(value, *args, **kwargs)
    layout.local_shape_from_global_shape(variable.shape)
    from ..xla import sharding

    sharding.place(variable, layout.sharding)
    variable.__dict__["layout"] = layout
    return variable


def fetch_layout(tensor: Any) -> Layout:
    """How a value is laid out.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> x = dtensor.copy_to_mesh(tf.ones([4]), dtensor.Layout(["batch"], mesh))
    >>> dtensor.fetch_layout(x).sharding_specs
    ['batch']

    Args:
        tensor: A tensor or a variable on a mesh.

    Returns:
        A layout.

    Raises:
        InvalidArgumentError: It is on one device, or on the host.
    """
    found = _layout(tensor)
    if found is None:
        raise invalid(f"fetch_layout: the value is not on a mesh, {tensor!r}. Use copy_to_mesh, or DVariable.")
    return found


def _layout(value: Any) -> Layout | None:
    if not isinstance(value, (EagerTensor, Variable)):
        return None
    from ..xla import sharding

    found = sharding.sharding_of(value)
    return None if found is None else layout_of(found, value.ndim)


def is_dtensor(tensor: Any) -> bool:
    """Whether a value is on a mesh.

    >>> import gradtape as tf
    >>> tf.experimental.dtensor.is_dtensor(tf.ones([4]))
    False

    Args:
        tensor: A tensor or a variable.

    Returns:
        True or False.
    """
    return _layout(tensor) is not None


def check_layout(tensor: Any, layout: Layout) -> None:
    """Check how a value is laid out.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> layout = dtensor.Layout(["batch"], mesh)
    >>> dtensor.check_layout(dtensor.copy_to_mesh(tf.ones([4]), layout), layout)

    Args:
        tensor: A tensor or a variable on a mesh.
        layout: The layout it should have.

    Raises:
        ValueError: It has another layout.
    """
    if fetch_layout(tensor) != layout:
        raise ValueError(f"Layout of tensor: {fetch_layout(tensor)}, did not match expected layout: {layout}.")


def unpack(tensor: Any) -> list[Tensor]:
    """The parts on the devices of this process.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> x = dtensor.copy_to_mesh(tf.ones([4]), dtensor.Layout(["batch"], mesh))
    >>> [part.numpy() for part in dtensor.unpack(x)]
    [array([1., 1., 1., 1.], dtype=float32)]

    Args:
        tensor: A tensor on a mesh.

    Returns:
        A list of tensors.
    """
    from ..xla import sharding

    fetch_layout(tensor)
    return [to_tensor(part) for part in sharding.shards_of(tensor)]


def pack(tensors: Sequence[Any], layout: Layout) -> Tensor:
    """A value of its parts on the devices of this process.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> dtensor.pack([tf.ones([2])], dtensor.Layout(["batch"], mesh)).numpy()
    array([1., 1.], dtype=float32)

    Args:
        tensors: A part for each device.
        layout: How the value is cut.

    Returns:
        A tensor on the mesh.

    Raises:
        tf.errors.InvalidArgumentError: There are not as many parts as devices, or they have several shapes.
    """
    parts = [np.asarray(to_tensor(part)) for part in tensors]
    if len(parts) != layout.mesh.num_local_devices():
        raise invalid(f"pack: {layout.mesh.num_local_devices()} parts are needed, one a device, got {len(parts)}.")
    shapes = {part.shape for part in parts}
    if len(shapes) != 1:
        raise invalid(f"pack: all parts must have one shape, got {', '.join(map(str, sorted(shapes)))}.")
    from ..xla import sharding

    return sharding.from_shards(parts, layout.global_shape_from_local_shape(shapes.pop()), layout.sharding)


# --- devices and processes -------------------------------------------------------------------------------------------------


def initialize_accelerator_system(
    device_type: str | None = None,
    enable_coordination_service: bool | None = True,
    num_logical_cpu_devices: int | None = None,
    experimental_reset_context: bool | None = False,
    experimental_enable_megcore: bool | None = False,
) -> str:
    """Find the devices, and other processes where environment variables name some; returns the kind of the devices.

    The CPU stands for several devices where that is asked for.

    >>> import gradtape as tf
    >>> tf.experimental.dtensor.initialize_accelerator_system("CPU")
    'CPU'

    Args:
        device_type: The kind of devices: "CPU", "GPU" or "TPU".
        enable_coordination_service: Ignored; accepted for compatibility with TensorFlow.
        num_logical_cpu_devices: How many devices the CPU stands for.
        experimental_reset_context: Ignored; accepted for compatibility with TensorFlow.
        experimental_enable_megcore: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The kind of devices.
    """
    checked()
    from ..xla import logical

    if num_logical_cpu_devices is not None:
        logical.divide_cpu(num_logical_cpu_devices)
    processes.initialize()
    return device_type or preferred_device_type()


def shutdown_accelerator_system() -> None:
    """From here on functions run on one CPU again, natively.

    >>> import gradtape as tf
    >>> tf.experimental.dtensor.shutdown_accelerator_system()
    """
    from ..xla import sharding

    sharding.end()


def preferred_device_type() -> str:
    """The kind of device that is used where none is named.

    >>> import gradtape as tf
    >>> tf.experimental.dtensor.preferred_device_type()
    '...PU'

    Returns:
        "CPU", "GPU" or "TPU".
    """
    return device_names()[0].partition(":")[0]


def local_devices(device_type: str, for_client_id: int | None = None) -> list[str]:
    """The names of the devices of a process, this one unless another is named.

    >>> import gradtape as tf
    >>> "CPU:0" in tf.experimental.dtensor.local_devices("CPU")
    True

    Args:
        device_type: The kind of devices.
        for_client_id: The number of another process.

    Returns:
        A list of names.
    """
    checked()
    from ..xla import logical

    process = client_id() if for_client_id is None else for_client_id
    return [logical.name_of(device) for device in logical.visible(device_type) if device.process_index == process]


def num_local_devices(device_type: str) -> int:
    """How many devices this process has.

    >>> import gradtape as tf
    >>> tf.experimental.dtensor.num_local_devices("CPU") >= 1
    True

    Args:
        device_type: The kind of devices.

    Returns:
        A whole number.
    """
    return len(local_devices(device_type))


def num_global_devices(device_type: str) -> int:
    """How many devices all processes have.

    >>> import gradtape as tf
    >>> tf.experimental.dtensor.num_global_devices("CPU") >= 1
    True

    Args:
        device_type: The kind of devices.

    Returns:
        A whole number.
    """
    return len(device_names(device_type))


def num_clients() -> int:
    """How many processes there are.

    >>> import gradtape as tf
    >>> tf.experimental.dtensor.num_clients()
    1

    Returns:
        A whole number.
    """
    return processes.here().count


def client_id() -> int:
    """The number of this process.

    >>> import gradtape as tf
    >>> tf.experimental.dtensor.client_id()
    0

    Returns:
        A whole number.
    """
    return processes.here().number


def create_distributed_mesh(
    mesh_dims: Any,
    mesh_name: str = "",
    local_devices: Sequence[str] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """A mesh of the devices of all processes.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> dtensor.create_distributed_mesh([("batch", dtensor.num_global_devices("CPU"))], device_type="CPU").dim_names
    ['batch']

    Args:
        mesh_dims: The axes: pairs of a name and a size, or a dict of them.
        mesh_name: Shown in messages.
        local_devices: Ignored; accepted for compatibility with TensorFlow.
        device_type: The kind of devices: "CPU", "GPU" or "TPU".
        use_xla_spmd: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A mesh.
    """
    return create_mesh(mesh_dims, mesh_name, device_type=device_type)


_DEFAULT: list[Mesh] = []


@contextmanager
def default_mesh(mesh: Mesh) -> Iterator[Mesh]:
    """A block in which `get_default_mesh` gives this mesh. Functions run where their values are, inside and outside of it.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> with dtensor.default_mesh(dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])) as mesh:
    ...     print(dtensor.get_default_mesh() is mesh)
    True

    Args:
        mesh: The `Mesh`, which says what devices there are and how they are arranged.

    Returns:
        A context manager.
    """
    _DEFAULT.append(mesh)
    try:
        yield mesh
    finally:
        _DEFAULT.pop()


run_on = default_mesh


def get_default_mesh() -> Mesh | None:
    """The mesh of the innermost `default_mesh`.

    >>> import gradtape as tf
    >>> tf.experimental.dtensor.get_default_mesh() is None
    True

    Returns:
        A mesh, or None.
    """
    return _DEFAULT[-1] if _DEFAULT else None


class DTensorDataset:
    """The batches of a dataset, laid out.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> batches = dtensor.DTensorDataset(
    ...     tf.data.Dataset.range(4), mesh=mesh, layouts=dtensor.Layout(["batch"], mesh), global_batch_size=2
    ... )
    >>> [batch.numpy().tolist() for batch in batches]
    [[0, 1], [2, 3]]

    Args:
        dataset: A dataset of single elements, or of batches of the global size with `dataset_already_batched`.
        mesh: The `Mesh`, which says what devices there are and how they are arranged.
        layouts: A layout for each part of an element.
        global_batch_size: How many elements all devices together take.
        dataset_already_batched: Whether elements are batches.
        batch_dim: The axis of the mesh that the batch is cut along; the layouts say it, too.
        prefetch: How many batches are made ahead.
        tf_data_service_config: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: The devices along `batch_dim` do not divide `global_batch_size`.
    """

    def __init__(
        self,
        dataset: Any,
        *,
        mesh: Mesh,
        layouts: Any,
        global_batch_size: int,
        dataset_already_batched: bool = False,
        batch_dim: str | None = None,
        prefetch: int | None = None,
        tf_data_service_config: object = None,
    ) -> None:
        if batch_dim is not None and global_batch_size % mesh.dim_size(batch_dim):
            raise ValueError(
                f"global_batch_size ({global_batch_size}) must be divisible by the {mesh.dim_size(batch_dim)} devices along "
                f"{batch_dim!r}."
            )
        batches = dataset if dataset_already_batched else dataset.batch(global_batch_size, drop_remainder=True)
        self._dataset = batches if prefetch is None else batches.prefetch(prefetch)
        self._layouts = layouts

    def __len__(self) -> int:
        return len(self._dataset)

    @property
    def element_spec(self) -> Any:
        """What a batch looks like."""
        return self._dataset.element_spec

    def __iter__(self) -> Iterator[Any]:
        for batch in self._dataset:
            yield nest.map_structure(copy_to_mesh, batch, self._layouts)


__dir__ = listing(globals())
