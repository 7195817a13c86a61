"""Checkpoints of several processes: each writes the pieces that it has, and the first one the index of all of them.

A value that is cut over devices is stored in pieces, each by the process that has it first; what is whole everywhere is stored by
the first process. The files are in one folder that all processes see. Who reads it puts the pieces together, on whatever mesh.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from typing import Any

from ..base.dtypes import Array
from ..variables.variable import Variable
from ..xla import processes
from . import storage


@dataclass(frozen=True)
class Pieces:
    """The pieces of an array that this process stores, by the places where they begin."""

    dtype: str
    shape: tuple[int, ...]
    parts: dict[tuple[int, ...], Array]


def value_of(variable: Variable) -> Array | Pieces:
    """What a checkpoint stores of a variable: its value, or the pieces of it that this process stores."""
    if processes.here().count > 1:
        from ..xla import sharding

        parts = sharding.first_pieces(variable._value)
        if parts is not None:
            return Pieces(variable.dtype.name, tuple(variable._value.shape), parts)
    array: Array = variable._value._array
    return array


def write(prefix: str, values: dict[str, Array | Pieces], content: dict[str, Any]) -> None:
    """Write a checkpoint, with all processes together: it is there, and whole, when this returns in any of them."""
    here = processes.here()
    if here.count == 1:
        storage.write(prefix, {key: value for key, value in values.items() if not isinstance(value, Pieces)}, content)
        return
    folder, name = os.path.split(os.path.abspath(prefix))
    own = {key: value for key, value in values.items() if isinstance(value, Pieces) or here.number == 0}
    arrays, described = _named(own)
    data_name = f"{name}.{secrets.token_hex(4)}.safetensors"
    with storage.named_errors(prefix, "write"):
        os.makedirs(folder, exist_ok=True)
        tensors = storage.write_data(os.path.join(folder, data_name), arrays)
    listed = {key: {**description, "file": data_name} for key, description in tensors.items()}
    for message in processes.gathered(json.dumps({"file": data_name, "tensors": listed, "pieces": described})):
        _write_index(prefix, [json.loads(each) for each in message], content)
    processes.barrier("checkpoint")


def _named(values: dict[str, Array | Pieces]) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays to be stored by their keys, and of each value in pieces what the index says."""
    arrays: dict[str, Array] = {}
    described: dict[str, Any] = {}
    for key, value in values.items():
        if not isinstance(value, Pieces):
            arrays[key] = value
            continue
        places = {f"{key}/PIECE/{','.join(map(str, start))}": list(start) for start in value.parts}
        arrays.update(zip(places, value.parts.values(), strict=True))
        described[key] = {"dtype": value.dtype, "shape": list(value.shape), "crc32": [], "pieces": places}
    return arrays, described


def _write_index(prefix: str, parts: list[dict[str, Any]], content: dict[str, Any]) -> None:
    """Write the index of what all processes have written."""
    tensors: dict[str, Any] = {}
    for part in parts:
        tensors.update(part["tensors"])
        for key, description in part["pieces"].items():
            known = tensors.setdefault(key, {**description, "pieces": {}})
            known["pieces"].update(description["pieces"])
    files = [part["file"] for part in parts]
    storage.write_index(prefix, {"data": files[0], "tensors": tensors, **content}, files)
