"""Checkpoints of values on a mesh, by the names that `tf.experimental.dtensor` has for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..train.checkpoint import Checkpoint
from ..values.tensor import to_tensor
from ..variables.variable import Variable
from .mesh import Mesh


class DTensorCheckpoint(Checkpoint):
    """A `tf.train.Checkpoint`, which takes values on a mesh as they are: each process writes the pieces that it has.

    >>> import gradtape as tf, tempfile
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> v = dtensor.DVariable(dtensor.copy_to_mesh(tf.ones([2]), dtensor.Layout(["batch"], mesh)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = dtensor.DTensorCheckpoint(mesh, v=v).save(f"{folder}/ckpt")
    ...     _ = v.assign([0.0, 0.0])
    ...     status = dtensor.DTensorCheckpoint(mesh, v=v).restore(path)
    >>> v.numpy()
    array([1., 1.], dtype=float32)

    Args:
        mesh: The mesh of the values.
        root: An object whose parts are the checkpoint's parts.
        **kwargs: Further parts, by name.
    """

    def __init__(self, mesh: Mesh, root: Any = None, **kwargs: Any) -> None:
        super().__init__(root, **kwargs)
        self.__dict__["_mesh"] = mesh


def _parts(tensors: Mapping[str, Any]) -> Checkpoint:
    held = {
        name: value if isinstance(value, Variable) else Variable(to_tensor(value)) for name, value in tensors.items()
    }
    return Checkpoint(tensors=held)


def name_based_save(mesh: Mesh, checkpoint_prefix: str, name_tensor_dict: Mapping[str, Any]) -> None:
    """Write tensors to a checkpoint, each by its name.

    >>> import gradtape as tf, tempfile
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> x = dtensor.copy_to_mesh(tf.ones([2]), dtensor.Layout(["batch"], mesh))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dtensor.name_based_save(mesh, f"{folder}/ckpt", {"x": x})
    ...     found = dtensor.name_based_restore(mesh, f"{folder}/ckpt", {"x": x * 0.0})
    >>> found["x"].numpy()
    array([1., 1.], dtype=float32)

    Args:
        mesh: The mesh of the tensors.
        checkpoint_prefix: The file without its ending.
        name_tensor_dict: The tensors by their names.

    Raises:
        ValueError: There is no tensor.
    """
    if not name_tensor_dict:
        raise ValueError("name_based_save: name_tensor_dict has no tensor.")
    _parts(name_tensor_dict).write(checkpoint_prefix)


def name_based_restore(mesh: Mesh, checkpoint_prefix: str, name_tensor_dict: Mapping[str, Any]) -> dict[str, Any]:
    """Read tensors from a checkpoint that `name_based_save` or `sharded_save` has written.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> dtensor.name_based_restore(mesh, "nowhere/ckpt", {})
    Traceback (most recent call last):
    ValueError: name_based_restore: name_tensor_dict has no tensor.

    Args:
        mesh: The mesh of the tensors.
        checkpoint_prefix: The file without its ending.
        name_tensor_dict: Tensors of the same shapes, types and layouts, by their names.

    Returns:
        The tensors by their names, laid out as those that were given.

    Raises:
        ValueError: There is no tensor.
    """
    if not name_tensor_dict:
        raise ValueError("name_based_restore: name_tensor_dict has no tensor.")
    from ..xla import sharding

    held: dict[str, Variable] = {}
    for name, value in name_tensor_dict.items():
        held[name] = Variable(np.zeros(tuple(value.shape), value.dtype.numpy))
        cut = sharding.sharding_of(value)
        if cut is not None:
            sharding.place(held[name], cut)
    Checkpoint(tensors=held).read(checkpoint_prefix).assert_consumed()
    cuts = [sharding.sharding_of(variable) for variable in held.values()]
    return {
        name: variable._value if cut is None else sharding.laid_out(variable._value, cut)
        for (name, variable), cut in zip(held.items(), cuts, strict=True)
    }


def sharded_save(
    mesh: Mesh,
    file_prefix: str,
    tensor_names: Sequence[str],
    shape_and_slices: Sequence[str],
    tensors: Sequence[Any],
) -> None:
    """Write tensors to a checkpoint, each by its name: the pieces of each process beside those of the others.

    >>> import gradtape as tf, tempfile
    >>> from gradtape.experimental import dtensor
    >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dtensor.sharded_save(mesh, f"{folder}/ckpt", ["x"], [""], [tf.ones([2])])
    ...     tf.train.load_checkpoint(f"{folder}/ckpt").get_variable_to_shape_map()["tensors/x/.ATTRIBUTES/VARIABLE_VALUE"]
    [2]

    Args:
        mesh: The mesh of the tensors.
        file_prefix: The file without its ending.
        tensor_names: Their names.
        shape_and_slices: Not used: each process writes what it has.
        tensors: The tensors.
    """
    name_based_save(mesh, file_prefix, dict(zip(tensor_names, tensors, strict=True)))
