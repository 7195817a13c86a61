"""The files of a checkpoint: arrays in a safetensors file, and an index in JSON that says what they are.

A checkpoint with the prefix `ckpt-1` is two files, `ckpt-1.index` and `ckpt-1.<8 hex digits>.safetensors`; the index
names the other one, and is written last. Each is written under a temporary name, brought to the disk with fsync, and
renamed; then the folder is brought to the disk. So a checkpoint exists once its index does, and a crash at any point
leaves the one that was there before. docs/design/checkpoints.md describes the format.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import math
import os
import re
import secrets
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from safetensors import SafetensorError, safe_open

from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import (
    DataLossError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnknownError,
    invalid,
)


@dataclass(frozen=True)
class Kind:
    """What the files hold. Other things than checkpoints are stored in the same way, with an index of their own."""

    noun: str
    version: int

    @property
    def format(self) -> str:
        """How the files begin."""
        return f"gradtape {self.noun}"


CHECKPOINT = Kind("checkpoint", 1)
IN_PIECES = 2  # the version of files that several processes have written

_SAFETENSORS = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint64": "U64",
    "uint32": "U32",
    "uint16": "U16",
    "uint8": "U8",
    "bool": "BOOL",
}


# --- arrays as entries of a safetensors file ---------------------------------------------------------------------------


class Entry:
    """One array as it is stored: under one or two names, with what the index must say to get it back."""

    def __init__(self, key: str, array: Array) -> None:
        array = np.asarray(array)
        found = dtypes.BY_NUMPY.get(array.dtype)
        if found is None:
            raise invalid(f"{key} has type {array.dtype}, which no tensor can have.")
        self.description: dict[str, Any] = {"dtype": found.name, "shape": list(array.shape)}
        if found is dtypes.string:
            texts = [bytes(text) for text in array.reshape(-1)]
            offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
            joined = np.frombuffer(b"".join(texts), np.uint8)
            self.parts: dict[str, tuple[str, Array]] = {key: ("U8", joined), f"{key}/OFFSETS": ("I64", offsets)}
        elif found.is_complex:  # as pairs of real numbers: real part, imaginary part
            kind = _SAFETENSORS[found.real_dtype.name]
            pairs = np.ascontiguousarray(array).reshape(-1).view(found.real_dtype.numpy)
            self.parts = {key: (kind, pairs.reshape(*array.shape, 2))}
        else:
            self.parts = {key: (_SAFETENSORS[found.name], array)}
        self.description["crc32"] = [zlib.crc32(_bytes_of(part)) for _, part in self.parts.values()]


def _bytes_of(array: Array) -> memoryview:
    # (bfloat16 has no buffer of its own, its bits have)
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def decoded(key: str, description: dict[str, Any], parts: list[Array]) -> Array:
    """The array that an `Entry` was made of; ValueError where the parts do not fit the description."""
    dtype, shape = dtypes.as_dtype(description["dtype"]), tuple(description["shape"])
    checksums = description["crc32"]
    if len(checksums) != len(parts):
        raise ValueError("its checksums are missing")
    for part, expected in zip(parts, checksums, strict=True):
        if zlib.crc32(_bytes_of(part)) != expected:
            raise ValueError("its checksum is wrong")
    first = parts[0]
    if dtype is dtypes.string:
        return _texts(first, parts[1], shape)
    if dtype.is_complex and first.dtype == dtype.real_dtype.numpy:
        first = first.reshape(-1).view(dtype.numpy)
    if first.dtype != dtype.numpy:
        raise ValueError(f"it holds {first.dtype.name}, not {dtype.name}")
    return first.reshape(shape)


def _texts(joined: Array, offsets: Array, shape: tuple[int, ...]) -> Array:
    size = len(offsets) - 1
    places = offsets.tolist()
    if offsets.dtype != np.int64 or places[0] != 0 or places[-1] != joined.size or (np.diff(offsets) < 0).any():
        raise ValueError("its offsets are wrong")
    data = joined.tobytes()
    texts = np.empty(size, object)
    texts[:] = [data[start:end] for start, end in itertools.pairwise(places)]
    return texts.reshape(shape)


# --- writing -----------------------------------------------------------------------------------------------------------


def write(prefix: str, arrays: dict[str, Array], content: dict[str, Any], kind: Kind = CHECKPOINT) -> None:
    """Write a checkpoint: the arrays, and their description (`content`, as JSON)."""
    folder, name = os.path.split(os.path.abspath(prefix))
    data_name = f"{name}.{secrets.token_hex(4)}.safetensors"
    data_path = os.path.join(folder, data_name)
    with named_errors(prefix, "write", kind):
        os.makedirs(folder, exist_ok=True)
        tensors = write_data(data_path, arrays, kind)
        try:
            write_index(prefix, {"data": data_name, "tensors": tensors, **content}, [data_name], kind)
        except BaseException:
            with contextlib.suppress(OSError):
                os.remove(data_path)
            raise


def write_data(path: str, arrays: dict[str, Array], kind: Kind = CHECKPOINT) -> dict[str, Any]:
    """Write the file of the arrays; returns what the index says of each."""
    entries = {key: Entry(key, array) for key, array in arrays.items()}
    parts = {key: part for entry in entries.values() for key, part in entry.parts.items()}
    write_file(path, _safetensors(parts, kind))
    return {key: entry.description for key, entry in entries.items()}


def write_index(prefix: str, index: dict[str, Any], files: list[str], kind: Kind = CHECKPOINT) -> None:
    """Write the index of these files, and remove what else there is under the name."""
    with named_errors(prefix, "write", kind):
        write_file(f"{prefix}.index", _index_lines(index, kind))
    folder, name = os.path.split(os.path.abspath(prefix))
    _sweep(folder, name, keep=files)


def delete(prefix: str) -> None:
    """Delete a checkpoint, index first: what is left of it after a crash does not count as a checkpoint."""
    folder, name = os.path.split(os.path.abspath(prefix))
    with contextlib.suppress(FileNotFoundError):
        os.remove(f"{prefix}.index")
    _sweep(folder, name, keep=[])


def write_file(path: str, chunks: Iterable[bytes | memoryview]) -> None:
    """Put a file in place in one step: a crash leaves either the old file or the whole new one."""
    temporary = f"{path}.{secrets.token_hex(4)}.tmp"
    try:
        with open(temporary, "xb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise
    _sync_folder(os.path.dirname(path) or ".")


def _sync_folder(folder: str) -> None:
    if os.name == "nt":  # folders cannot be opened there, and renames are durable by themselves
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _safetensors(parts: dict[str, tuple[str, Array]], kind: Kind) -> Iterator[bytes | memoryview]:
    """The file in pieces. (The writer of safetensors would hold a second copy of all arrays, as bytes.)"""
    ordered = sorted(parts, key=lambda key: (-parts[key][1].itemsize, key))  # so that every array is aligned
    header: dict[str, Any] = {"__metadata__": {"format": kind.format}}
    place = 0
    for key in ordered:
        stored_as, array = parts[key]
        header[key] = {"dtype": stored_as, "shape": list(array.shape), "data_offsets": [place, place + array.nbytes]}
        place += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield struct.pack("<Q", len(text)) + text
    for key in ordered:
        yield _bytes_of(parts[key][1])


def _index_lines(index: dict[str, Any], kind: Kind) -> Iterator[bytes]:
    body = json.dumps(index, separators=(",", ":")).encode()
    has_pieces = any("pieces" in description for description in index["tensors"].values())
    version = IN_PIECES if has_pieces else kind.version
    head = {"format": kind.format, "version": version, "bytes": len(body), "crc32": zlib.crc32(body)}
    yield json.dumps(head).encode() + b"\n" + body


def _sweep(folder: str, name: str, keep: list[str]) -> None:
    """Remove what crashes and earlier writes left under this name."""
    ours = re.compile(
        rf"{re.escape(name)}\.([0-9a-f]{{8}}\.safetensors(\.[0-9a-f]{{8}}\.tmp)?|index\.[0-9a-f]{{8}}\.tmp)"
    )
    with contextlib.suppress(OSError):
        for other in os.listdir(folder):
            if other not in keep and ours.fullmatch(other):
                with contextlib.suppress(OSError):
                    os.remove(os.path.join(folder, other))


@contextlib.contextmanager
def named_errors(prefix: str, action: str, kind: Kind = CHECKPOINT) -> Iterator[None]:
    """Errors of the operating system as TensorFlow's classes."""
    try:
        yield
    except OSError as error:
        kinds: dict[int | None, type[OpError]] = {
            errno.ENOSPC: ResourceExhaustedError,
            getattr(errno, "EDQUOT", None): ResourceExhaustedError,  # (Windows has none)
            errno.EFBIG: ResourceExhaustedError,
            errno.EACCES: PermissionDeniedError,
            errno.EPERM: PermissionDeniedError,
            errno.EROFS: PermissionDeniedError,
            errno.ENOENT: NotFoundError,
        }
        raised = kinds.get(error.errno, UnknownError)
        raise raised(None, None, f"{kind.noun}: cannot {action} {prefix}: {error}.") from error


# --- reading -----------------------------------------------------------------------------------------------------------


class Bundle:
    """Files that were opened: the index is in memory, arrays are read when they are asked for."""

    kind = CHECKPOINT

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        with named_errors(prefix, "read", self.kind):
            index = _read_index(prefix, self.kind)
        with corrupt_means_data_loss(prefix, self.kind):
            self.tensors: dict[str, dict[str, Any]] = _checked_tensors(index["tensors"])
            self._take(index)
            self._data = self._path(index["data"])
            self._paths = {key: self._path(d["file"]) for key, d in self.tensors.items() if "file" in d}

    def _path(self, name: object) -> str:
        if not isinstance(name, str) or os.path.basename(name) != name:
            raise ValueError(f"it names a file in another folder: {name!r}")
        return os.path.join(os.path.dirname(os.path.abspath(self.prefix)), name)

    def _take(self, index: dict[str, Any]) -> None:
        """Keep what the index of a checkpoint says."""
        self.objects: list[dict[str, Any]] = _checked_objects(index["objects"], self.tensors)

    def read(self, keys: Iterable[str]) -> dict[str, Array]:
        """The arrays with these keys, each checked against its checksum."""
        keys = list(keys)
        for key in keys:
            if key not in self.tensors:
                raise NotFoundError(None, None, f"Key {key} not found in {self.kind.noun} {self.prefix}.")
        wanted = [name for key in keys for name in self.tensors[key].get("pieces", [key])]
        found: dict[str, Array] = {}
        by_path: dict[str, list[str]] = {}
        for name in wanted:
            by_path.setdefault(self._paths.get(name, self._data), []).append(name)
        for path, names in by_path.items():
            found.update(self._read_from(path, names))
        return {key: self._joined(key, found) if "pieces" in self.tensors[key] else found[key] for key in keys}

    def _read_from(self, path: str, keys: list[str]) -> dict[str, Array]:
        if not os.path.isfile(path):  # (a pipe in its place would be waited for)
            raise DataLossError(None, None, f"{self.kind.noun}: {self.prefix} is incomplete: {path} does not exist.")
        with (
            corrupt_means_data_loss(self.prefix, self.kind),
            named_errors(self.prefix, "read", self.kind),
            safe_open(path, framework="np") as file,
        ):
            return {key: self._array(file, key) for key in keys}

    def _joined(self, key: str, found: dict[str, Array]) -> Array:
        """A value of its pieces, which must cover it: then none of it is memory that nobody has written."""
        description = self.tensors[key]
        with corrupt_means_data_loss(self.prefix, self.kind):
            places, shape = description["pieces"], tuple(description["shape"])
            dtype = dtypes.as_dtype(description["dtype"]).numpy
            sizes = sum(found[name].size for name in places)
            if sizes != math.prod(shape):
                raise ValueError(f"the pieces of {key} have {sizes} elements, and it has {math.prod(shape)}")
            whole, covered = np.empty(shape, dtype), np.zeros(shape, bool)
            for name, start in places.items():
                piece = found[name]
                part = tuple([slice(first, first + size) for first, size in zip(start, piece.shape, strict=True)])
                if piece.dtype != dtype or whole[part].shape != piece.shape:
                    raise ValueError(f"a piece of {key} is no part of it")
                whole[part], covered[part] = piece, True
            if not covered.all():
                raise ValueError(f"the pieces of {key} lie one over the other")
        return whole

    def _array(self, file: Any, key: str) -> Array:
        description = self.tensors[key]
        names = [key, f"{key}/OFFSETS"] if description["dtype"] == "string" else [key]
        try:
            return decoded(key, description, [file.get_tensor(name) for name in names])
        except (ValueError, TypeError, IndexError) as error:
            raise DataLossError(None, None, f"{self.kind.noun}: {self.prefix}: {key} is corrupt: {error}.") from None


def exists(prefix: str) -> bool:
    """Whether there is a whole checkpoint with this prefix."""
    try:
        return os.path.exists(Bundle(prefix)._data)
    except OpError:
        return False


@contextlib.contextmanager
def corrupt_means_data_loss(prefix: str, kind: Kind = CHECKPOINT) -> Iterator[None]:
    """Raise every failure caused by a malformed file as DataLossError."""
    try:
        yield
    except (
        *(SafetensorError, LookupError, TypeError, ValueError),
        *(AttributeError, ArithmeticError, RecursionError),
    ) as error:
        reason = f"{type(error).__name__}: {error}" if isinstance(error, KeyError) else error
        raise DataLossError(
            None, None, f"{kind.noun}: {prefix} is corrupt or not a {kind.noun} of gradtape: {reason}."
        ) from None


def _read_index(prefix: str, kind: Kind) -> dict[str, Any]:
    path = f"{prefix}.index"
    if not os.path.isfile(path):
        if os.path.isdir(prefix):
            raise DataLossError(
                None,
                None,
                f"checkpoint: {prefix} is a folder. Use tf.train.latest_checkpoint({prefix!r}) for its newest.",
            )
        raise NotFoundError(
            None,
            None,
            f"Failed to find any matching files for {prefix}. Please double-check that the path is correct: {path} does not "
            "exist. You may be missing the checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1').",
        )
    with open(path, "rb") as file:
        head, body = _split_index(file, prefix, kind)
    with corrupt_means_data_loss(prefix, kind):
        if head["version"] > (newest := IN_PIECES if kind is CHECKPOINT else kind.version):
            raise ValueError(f"it has version {head['version']}, and this gradtape reads up to {newest}")
        if zlib.crc32(body) != head["crc32"]:
            raise ValueError("the checksum of the index is wrong")
        index: dict[str, Any] = json.loads(body)
    return index


def _split_index(file: BinaryIO, prefix: str, kind: Kind) -> tuple[dict[str, Any], bytes]:
    with corrupt_means_data_loss(prefix, kind):
        head = json.loads(file.readline(4096))
        if not isinstance(head, dict) or head.get("format") != kind.format:
            raise ValueError(f"{prefix}.index does not begin as one")
        left = os.fstat(file.fileno()).st_size - file.tell()
        if head["bytes"] != left:  # (before they are read: a file of zeros may say that it is larger than memory)
            raise ValueError(f"the index has {left} bytes, and says {head['bytes']!r}")
        return head, file.read()


def _checked_tensors(tensors: Any) -> dict[str, dict[str, Any]]:
    for key, description in tensors.items():
        dtypes.as_dtype(description["dtype"])
        sizes = description["shape"]
        if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
            raise ValueError(f"{key} has a shape that is none: {sizes!r}")
        if not isinstance(description["crc32"], list):
            raise ValueError(f"{key} has no checksums")
        if not set(description.get("pieces", ())) <= set(tensors):
            raise ValueError(f"a piece of {key} is not stored")
    checked: dict[str, dict[str, Any]] = tensors
    return checked


def _checked_objects(objects: object, tensors: dict[str, Any]) -> list[dict[str, Any]]:
    if not isinstance(objects, list) or not objects:
        raise ValueError("it has no objects")
    for node in objects:
        for child in node["children"].values():
            if type(child) is not int or not 0 <= child < len(objects):
                raise ValueError(f"an object has a child number {child!r}, and there are {len(objects)} objects")
        if "value" in node and node["value"] not in tensors:
            raise ValueError(f"an object has the value {node['value']!r}, which is not stored")
    checked: list[dict[str, Any]] = objects
    return checked
