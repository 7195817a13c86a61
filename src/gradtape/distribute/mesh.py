"""`Mesh`: devices in a grid with named axes. `Layout`: along which of them each axis of a value is cut.

Both are descriptions, which import nothing of JAX before a value is laid out. `tf.experimental.dtensor` has them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..base.errors import invalid
from ..base.shapes import TensorShape
from ..base.types import ShapeLike
from ..xla import checked

UNSHARDED = "unsharded"  # an axis that is whole on each device
MATCH = "match"


class Mesh:
    """Devices in a grid with named axes; `tf.experimental.dtensor.create_mesh` makes one.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh({"rows": 1, "columns": 1}, devices=["CPU:0"])
    >>> mesh.dim_names, mesh.shape()
    (['rows', 'columns'], [1, 1])

    Args:
        dim_names: The names of the axes.
        devices: An array of the names of devices, with as many axes.
        mesh_name: Shown in messages.

    Raises:
        ValueError: The axes do not have a name each, all different.
    """

    def __init__(self, dim_names: Sequence[str], devices: Any, mesh_name: str = "") -> None:
        self._names = tuple(dim_names)
        self._devices = np.asarray(devices, dtype=object)
        self._name = mesh_name
        self._backend: Any = None
        if len(set(self._names)) != len(self._names) or len(self._names) != self._devices.ndim:
            raise ValueError(
                f"A mesh needs a name of its own for each of its {self._devices.ndim} axes, got {list(self._names)}."
            )

    @property
    def dim_names(self) -> list[str]:
        """The names of the axes."""
        return list(self._names)

    @property
    def name(self) -> str:
        """The name of the mesh."""
        return self._name

    @property
    def size(self) -> int:
        """How many devices there are."""
        return int(self._devices.size)

    @property
    def devices(self) -> np.ndarray:
        """The names of the devices, in their grid."""
        return self._devices

    def shape(self) -> list[int]:
        """The sizes of the axes.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> mesh.shape()
        [2, 2]

        Returns:
            A list of integers.
        """
        return list(self._devices.shape)

    def dim_size(self, dim_name: str) -> int:
        """The size of an axis.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> mesh.dim_size("rows")
        2

        Args:
            dim_name: The name of the axis.

        Returns:
            An integer.

        Raises:
            ValueError: There is no such axis.
        """
        if dim_name not in self._names:
            raise ValueError(
                f'"{dim_name}" is not a dimension name in current mesh. Dimension names: {self.dim_names}.'
            )
        return int(self._devices.shape[self._names.index(dim_name)])

    def contains_dim(self, dim_name: str) -> bool:
        """Whether it has an axis of that name.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> mesh.contains_dim("batch")
        False

        Args:
            dim_name: The name.

        Returns:
            True or False.
        """
        return dim_name in self._names

    def coords(self, device_idx: int) -> np.ndarray:
        """The place of a device in the grid.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> mesh.coords(2)
        array([1, 0])

        Args:
            device_idx: The number of the device, as the grid is read row by row.

        Returns:
            An array of integers.
        """
        return np.asarray(np.unravel_index(device_idx, self._devices.shape))

    def unravel_index(self) -> list[dict[str, int]]:
        """For each device its place along each axis.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> mesh.unravel_index()[2]
        {'rows': 1, 'columns': 0}

        Returns:
            A list of dicts.
        """
        places = np.ndindex(*self._devices.shape)
        return [dict(zip(self._names, place, strict=True)) for place in places]

    def device_type(self) -> str:
        """The kind of the devices.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> mesh.device_type()
        'CPU'

        Returns:
            "CPU", "GPU" or "TPU".
        """
        return str(self._devices.flat[0]).rpartition(":")[0].upper()

    def global_devices(self) -> list[str]:
        """The names of all devices.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> mesh.global_devices()
        ['CPU:0', 'CPU:1', 'CPU:2', 'CPU:3']

        Returns:
            A list of texts.
        """
        return [str(name) for name in self._devices.flat]

    def local_devices(self) -> list[str]:
        """The names of the devices of this process.

        >>> mesh = tf.experimental.dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> mesh.local_devices()
        ['CPU:0']

        Returns:
            A list of texts.
        """
        here = self.backend.local_devices
        return [
            name for name, device in zip(self._devices.flat, self.backend.devices.flat, strict=True) if device in here
        ]

    def num_local_devices(self) -> int:
        """How many devices this process has.

        >>> mesh = tf.experimental.dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> mesh.num_local_devices()
        1

        Returns:
            An integer.
        """
        return len(self.local_devices())

    @classmethod
    def from_string(cls, mesh_str: str) -> Mesh:
        """The mesh of a text that `to_string` gave, here or in TensorFlow.

        >>> tf.experimental.dtensor.Mesh.from_string("|rows=2,columns=1|CPU:0,CPU:1").dim_size("rows")
        2

        Args:
            mesh_str: The text.

        Returns:
            A mesh.

        Raises:
            ValueError: It is no such text.
        """
        name, *middle = mesh_str.split("|")
        try:
            if not middle:  # one device
                return cls([], np.array(_short(name), dtype=object))
            axes = dict(axis.split("=") for axis in middle[0].split(",") if axis)
            devices = [_short(device) for device in middle[-1].split(",")]
            shape = [int(size) for size in axes.values()]
            return cls(list(axes), np.array(devices, dtype=object).reshape(shape), name)
        except ValueError:
            raise ValueError(
                f"{mesh_str!r} is no mesh: a name, axes and devices are needed, as in '|rows=2,columns=1|CPU:0,CPU:1'."
            ) from None

    @property
    def strides(self) -> list[int]:
        """How many devices further the next one along each axis is."""
        sizes = self.shape()
        return [math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))]

    def global_device_ids(self) -> np.ndarray:
        """The numbers of the devices, as the grid is read row by row.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> mesh.global_device_ids().tolist()
        [[0, 1], [2, 3]]

        Returns:
            An array of integers.
        """
        return np.arange(self.size).reshape(self._devices.shape)

    def local_device_ids(self) -> list[int]:
        """Those of the devices of this process.

        >>> mesh = tf.experimental.dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> mesh.local_device_ids()
        [0]

        Returns:
            A list of integers.
        """
        own = set(self.local_devices())
        return [number for number, name in enumerate(self._devices.flat) if name in own]

    def is_remote(self) -> bool:
        """Whether no device of it is one of this process.

        >>> tf.experimental.dtensor.create_mesh([("batch", 1)], devices=["CPU:0"]).is_remote()
        False

        Returns:
            True or False.
        """
        return not self.local_devices()

    def is_single_device(self) -> bool:
        """Whether there is one device, and no axis.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> mesh.is_single_device()
        False

        Returns:
            True or False.
        """
        return not self._names

    @property
    def single_device(self) -> str:
        """The one device of a mesh without axes; "" for others."""
        return "" if self._names else str(self._devices[()])

    def host_mesh(self) -> Mesh:
        """The same grid of CPUs.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> mesh.host_mesh() == mesh
        True

        Returns:
            A mesh.
        """
        if self.device_type() == "CPU":
            return self
        names = [f"CPU:{str(name).rpartition(':')[2]}" for name in self._devices.flat]
        return Mesh(self._names, np.array(names, dtype=object).reshape(self._devices.shape), self._name)

    @property
    def backend(self) -> Any:
        """The mesh as JAX has it. With the first one, functions of values on it begin to run on XLA."""
        if self._backend is None:
            self._backend = self._made()
        return self._backend

    def _made(self) -> Any:
        checked()
        from ..xla import logical, sharding

        grid = np.empty(self._devices.shape, object)
        for place in np.ndindex(*grid.shape):
            grid[place] = logical.device_of(str(self._devices[place]))
        sharding.begin()
        return sharding.mesh_of(grid, self._names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mesh) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self._names, self._devices.shape, tuple(self._devices.flat)

    def to_string(self) -> str:
        """Name, axes and devices in one line, which `from_string` reads.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> mesh.to_string()
        '|rows=2,columns=2|CPU:0,CPU:1,CPU:2,CPU:3'

        Returns:
            A text.
        """
        axes = ",".join(f"{name}={size}" for name, size in zip(self._names, self._devices.shape, strict=True))
        return f"{self._name}|{axes}|{','.join(self.global_devices())}"

    def __repr__(self) -> str:
        axes = ", ".join(f"('{name}', {size})" for name, size in zip(self._names, self._devices.shape, strict=True))
        return f"Mesh([{axes}], devices {self._devices.flat[0]} ... {self._devices.flat[-1]})"


def _short(name: str) -> str:
    """The name of a device without that of its process: "CPU:1"."""
    kind, _, number = name.rpartition("/")[2].removeprefix("device:").partition(":")
    return f"{kind.upper()}:{int(number)}"


def create_mesh(
    mesh_dims: Sequence[tuple[str, int] | str] | Mapping[str, int] | None = None,
    mesh_name: str = "",
    devices: Sequence[str] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """A mesh of devices; all that there are where none are named, along one axis "x" where no axes are given.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> dtensor.create_mesh([("batch", 1)], devices=["CPU:0"]).dim_size("batch")
    1

    Args:
        mesh_dims: The axes: pairs of a name and a size, or a dict of them.
        mesh_name: Shown in messages.
        devices: The names of the devices, as "CPU:0".
        device_type: The kind of devices, where none are named: "CPU", "GPU" or "TPU".
        use_xla_spmd: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A mesh.

    Raises:
        ValueError: The number of devices is not the product of the sizes.
    """
    given = [str(device) for device in devices] if devices is not None else device_names(device_type)
    if mesh_dims is None:
        mesh_dims = [("x", len(given))]
    pairs: list[tuple[str, int]]
    if isinstance(mesh_dims, Mapping):
        pairs = list(mesh_dims.items())
    else:
        pairs = [(axis, len(given)) if isinstance(axis, str) else (axis[0], axis[1]) for axis in mesh_dims]
    sizes = [size for _, size in pairs]
    if math.prod(sizes) != len(given):
        raise ValueError(
            f"A mesh of the axes {dict(pairs)} has {math.prod(sizes)} devices, and there are {len(given)}: {', '.join(given)}. "
            "More CPUs are made by tf.config.set_logical_device_configuration, or dtensor.initialize_accelerator_system."
        )
    return Mesh([name for name, _ in pairs], np.array(given, dtype=object).reshape(sizes), mesh_name)


def device_names(kind: str | None = None) -> list[str]:
    """The names of all devices of a kind; without one, of the accelerators, or else the CPUs."""
    checked()
    from ..xla import logical

    return [logical.name_of(device) for device in logical.visible(kind)]


class Layout:
    """Along which axis of a mesh each axis of a value is cut.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> dtensor.Layout(["batch", dtensor.UNSHARDED], mesh).rank
    2

    Args:
        sharding_specs: For each axis of the value, the name of an axis of the mesh, or `UNSHARDED`.
        mesh: The `Mesh`, which says what devices there are and how they are arranged.

    Raises:
        ValueError: The mesh has no such axis, or one axis of the mesh would cut two of the value.
    """

    def __init__(self, sharding_specs: Iterable[str], mesh: Mesh) -> None:
        self._specs = tuple(UNSHARDED if spec is None else spec for spec in sharding_specs)
        self._mesh = mesh
        self._sharding: Any = None
        cut = [spec for spec in self._specs if spec != UNSHARDED]
        for spec in cut:
            if not mesh.contains_dim(spec):
                raise ValueError(f"The mesh has no axis {spec!r}. Its axes are {mesh.dim_names}.")
        if len(set(cut)) != len(cut):
            raise ValueError(f"An axis of a mesh cuts one axis of a value, got {list(self._specs)}.")

    @classmethod
    def replicated(cls, mesh: Mesh, rank: int) -> Layout:
        """The whole value on each device.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> tf.experimental.dtensor.Layout.replicated(mesh, rank=2).sharding_specs
        ['unsharded', 'unsharded']

        Args:
            mesh: The `Mesh`, which says what devices there are and how they are arranged.
            rank: The number of axes of the value.

        Returns:
            A layout.
        """
        return cls([UNSHARDED] * rank, mesh)

    @classmethod
    def batch_sharded(cls, mesh: Mesh, batch_dim: str, rank: int, axis: int = 0) -> Layout:
        """One axis is cut.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> tf.experimental.dtensor.Layout.batch_sharded(mesh, "rows", rank=2).sharding_specs
        ['rows', 'unsharded']

        Args:
            mesh: The `Mesh`, which says what devices there are and how they are arranged.
            batch_dim: The axis of the mesh along which it is cut.
            rank: The number of axes of the value.
            axis: The axis of the value.

        Returns:
            A layout.

        Raises:
            ValueError: The mesh has no such axis.
        """
        return cls([batch_dim if place == axis else UNSHARDED for place in range(rank)], mesh)

    @classmethod
    def inner_sharded(cls, mesh: Mesh, inner_dim: str, rank: int) -> Layout:
        """The last axis is cut.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> tf.experimental.dtensor.Layout.inner_sharded(mesh, "rows", rank=2).sharding_specs
        ['unsharded', 'rows']

        Args:
            mesh: The `Mesh`, which says what devices there are and how they are arranged.
            inner_dim: The axis of the mesh along which it is cut.
            rank: The number of axes of the value.

        Returns:
            A layout.

        Raises:
            ValueError: The mesh has no such axis.
        """
        return cls.batch_sharded(mesh, inner_dim, rank, axis=rank - 1)

    @property
    def sharding_specs(self) -> list[str]:
        """For each axis the name of an axis of the mesh, or `UNSHARDED`."""
        return list(self._specs)

    @property
    def mesh(self) -> Mesh:
        """The mesh."""
        return self._mesh

    @property
    def rank(self) -> int:
        """The number of axes of the value."""
        return len(self._specs)

    def num_shards(self, idx: int) -> int:
        """Into how many parts an axis is cut.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> layout = tf.experimental.dtensor.Layout(["rows", "unsharded"], mesh)
        >>> layout.num_shards(0), layout.num_shards(1)
        (2, 1)

        Args:
            idx: The axis of the value.

        Returns:
            An integer.
        """
        spec = self._specs[idx]
        return 1 if spec == UNSHARDED else self._mesh.dim_size(spec)

    def is_fully_replicated(self) -> bool:
        """Whether the value is whole on each device.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> layout = tf.experimental.dtensor.Layout(["rows", "unsharded"], mesh)
        >>> layout.is_fully_replicated()
        False

        Returns:
            True or False.
        """
        return all(spec == UNSHARDED for spec in self._specs)

    def is_batch_parallel(self) -> bool:
        """Whether the first axis alone is cut.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> layout = tf.experimental.dtensor.Layout(["rows", "unsharded"], mesh)
        >>> layout.is_batch_parallel()
        True

        Returns:
            True or False.
        """
        return self.rank > 0 and self.num_shards(0) > 1 and all(self.num_shards(i) == 1 for i in range(1, self.rank))

    def local_shape_from_global_shape(self, global_shape: ShapeLike) -> tuple[int, ...]:
        """The shape of the part on one device.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> layout = tf.experimental.dtensor.Layout(["rows", "unsharded"], mesh)
        >>> layout.local_shape_from_global_shape([8, 6])
        (4, 6)

        Args:
            global_shape: The shape of the whole value.

        Returns:
            A tuple of integers.

        Raises:
            tf.errors.InvalidArgumentError: An axis does not come out even, or the ranks differ.
        """
        sizes = tuple(int(size) for size in TensorShape(global_shape))
        if len(sizes) != self.rank:
            raise invalid(f"The layout {self.sharding_specs} is for {self.rank} axes, the shape is {sizes}.")
        for axis, size in enumerate(sizes):
            if size % self.num_shards(axis):
                raise invalid(
                    f"Axis {axis} of the shape {sizes} cannot be cut into {self.num_shards(axis)} equal parts along "
                    f"{self._specs[axis]!r}. Pad it, or leave it whole ({UNSHARDED!r})."
                )
        return tuple(size // self.num_shards(axis) for axis, size in enumerate(sizes))

    def global_shape_from_local_shape(self, local_shape: ShapeLike) -> tuple[int, ...]:
        """The shape of the whole value.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> layout = tf.experimental.dtensor.Layout(["rows", "unsharded"], mesh)
        >>> layout.global_shape_from_local_shape([4, 6])
        (8, 6)

        Args:
            local_shape: The shape of the part on one device.

        Returns:
            A tuple of integers.
        """
        return tuple(int(size) * self.num_shards(axis) for axis, size in enumerate(TensorShape(local_shape)))

    def offset_to_shard(self) -> list[tuple[int, ...]]:
        """For each device, which part of each axis it has.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> layout = tf.experimental.dtensor.Layout(["rows", "unsharded"], mesh)
        >>> layout.offset_to_shard()
        [(0, 0), (0, 0), (1, 0), (1, 0)]

        Returns:
            A list of tuples of integers.
        """
        return [
            tuple(0 if spec == UNSHARDED else place[spec] for spec in self._specs)
            for place in self._mesh.unravel_index()
        ]

    @classmethod
    def from_string(cls, layout_str: str) -> Layout:
        """The layout of a text that `to_string` gave, here or in TensorFlow.

        >>> text = "sharding_specs:rows,unsharded, mesh:|rows=2,columns=1|CPU:0,CPU:1"
        >>> tf.experimental.dtensor.Layout.from_string(text).sharding_specs
        ['rows', 'unsharded']

        Args:
            layout_str: The text.

        Returns:
            A layout.

        Raises:
            ValueError: It is no such text.
        """
        specs, found, mesh = layout_str.partition("mesh:")
        kind, colon, names = specs.strip().partition(":")
        if not found or not colon or kind not in ("sharding_specs", "parted"):
            raise ValueError(f"{layout_str!r} is no layout: 'sharding_specs:rows,unsharded, mesh:...' is needed.")
        return cls([name for name in names.strip(" ,").split(",") if name], Mesh.from_string(mesh))

    @property
    def shape(self) -> list[int]:
        """The sizes of the axes of the mesh."""
        return self._mesh.shape()

    def is_single_device(self) -> bool:
        """Whether the mesh has one device, and no axis.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> tf.experimental.dtensor.Layout(["rows"], mesh).is_single_device()
        False

        Returns:
            True or False.
        """
        return self._mesh.is_single_device()

    def to_parted(self) -> Layout:
        """The layout itself: all parts of a value have one size, so that there is no other kind.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> tf.experimental.dtensor.Layout(["rows"], mesh).to_parted().sharding_specs
        ['rows']

        Returns:
            The layout.
        """
        return self

    def offset_tuple_to_global_index(self, offset_tuple: Sequence[int]) -> int:
        """The number of a part of a value, of its place along each axis.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> tf.experimental.dtensor.Layout(["rows", "columns"], mesh).offset_tuple_to_global_index((1, 0))
        2

        Args:
            offset_tuple: The place of the part along each axis.

        Returns:
            An integer.
        """
        counts = [self.num_shards(axis) for axis in range(self.rank)]
        return sum(place * math.prod(counts[axis + 1 :]) for axis, place in enumerate(offset_tuple))

    def delete(self, dims: Sequence[int]) -> Layout:
        """The layout without some axes of the value.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> layout = tf.experimental.dtensor.Layout(["rows", "unsharded"], mesh)
        >>> layout.delete([1]).sharding_specs
        ['rows']

        Args:
            dims: The axes; negative ones count from the last.

        Returns:
            A layout.
        """
        gone = {dim % self.rank for dim in dims}
        return Layout([spec for place, spec in enumerate(self._specs) if place not in gone], self._mesh)

    @property
    def sharding(self) -> Any:
        """The layout as JAX has it."""
        if self._sharding is None:
            mesh = self._mesh.backend
            from ..xla.sharding import sharding_along

            self._sharding = sharding_along(mesh, [None if spec == UNSHARDED else spec for spec in self._specs])
        return self._sharding

    def picture(self, shape: ShapeLike) -> str:
        """Which device has which part of a value, in text: a cell for each part, its last two axes as rows and columns.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> print(tf.experimental.dtensor.Layout(["rows", "unsharded"], mesh).picture([8, 6]))
        +-------------------+
        | CPU:0 CPU:1       |  4 x 6
        +-------------------+
        | CPU:2 CPU:3       |  4 x 6
        +-------------------+

        Args:
            shape: The shape of the whole value.

        Returns:
            A text of several lines.

        Raises:
            tf.errors.InvalidArgumentError: An axis does not come out even, or the ranks differ.
        """
        local = self.local_shape_from_global_shape(shape)
        size = " x ".join(map(str, local)) or "scalar"
        cells: dict[tuple[int, ...], list[str]] = {}
        for part, device in zip(self.offset_to_shard(), self._mesh.global_devices(), strict=True):
            cells.setdefault((0, 0, *part)[-2:], []).append(device)
        rows, columns = (1 + max(place[axis] for place in cells) for axis in (0, 1))
        width = max(17, *(len(" ".join(found)) for found in cells.values()))
        rule = "+" + "+".join(["-" * (width + 2)] * columns) + "+"
        lines = [rule]
        for row in range(rows):
            found = [f" {' '.join(cells[row, column]):{width}} " for column in range(columns)]
            lines += [f"|{'|'.join(found)}|  {size}", rule]
        return "\n".join(lines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and (self._specs, self._mesh) == (other._specs, other._mesh)

    def __hash__(self) -> int:
        return hash((self._specs, self._mesh))

    def to_string(self) -> str:
        """The specs and the mesh in one line.

        >>> mesh = tf.experimental.dtensor.Mesh(["rows", "columns"], [["CPU:0", "CPU:1"], ["CPU:2", "CPU:3"]])
        >>> layout = tf.experimental.dtensor.Layout(["rows", "unsharded"], mesh)
        >>> layout.to_string()
        'sharding_specs:rows,unsharded, mesh:|rows=2,columns=2|CPU:0,CPU:1,CPU:2,CPU:3'

        Returns:
            A text.
        """
        return f"sharding_specs:{','.join(self._specs)}, mesh:{self._mesh.to_string()}"

    def __repr__(self) -> str:
        return f"Layout({self.sharding_specs}, {self._mesh!r})"


def layout_of(sharding: Any, rank: int) -> Layout:
    """JAX's description of a value with so many axes as a layout."""
    from ..xla import logical

    mesh = sharding.mesh
    names = np.empty(mesh.devices.shape, object)
    for place in np.ndindex(*names.shape):
        names[place] = logical.name_of(mesh.devices[place])
    specs = [*sharding.spec, *[None] * rank][:rank]
    cut = [spec[0] if isinstance(spec, tuple) and len(spec) == 1 else spec for spec in specs]
    if any(isinstance(spec, tuple) for spec in cut):
        raise invalid(f"An axis of the value is cut along several axes of the mesh, {specs}: no layout says that.")
    return Layout([UNSHARDED if spec is None else spec for spec in cut], Mesh(mesh.axis_names, names))
