"""Elements kept: in memory or in a file for the passes that follow, and in folders for other programs.

A file of elements is a record file. Its first record is the structure of the elements as JSON, each other one an
element: its tensors one after the other.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import nest
from ..base.dtypes import as_dtype
from ..base.errors import DataLossError
from ..base.locks import new_lock
from ..base.shapes import TensorShape
from ..io import wire
from ..io.records import RecordReader, TFRecordWriter
from ..io.tensors import array_of, tensor_bytes
from ..values.tensor import TensorSpec, from_array
from . import structure
from .node import ElementIterator, Node, Settings
from .selection import Selection
from .sources import Ordered
from .structure import Element


class Cache(Selection):
    """The elements of the first whole pass, kept in memory."""

    def __init__(self, source: Node) -> None:
        super().__init__(source)
        self._lock = new_lock()
        self.kept: list[Element] | None = None

    @property
    def rows(self) -> Any:
        # Rows of arrays are in memory already; what orders them must still be kept.
        return self.source.rows if isinstance(self.source, Ordered) else None

    def indices(self, settings: Settings) -> Any:
        return self.source.indices(settings)

    def cardinality(self) -> int:
        return self.source.cardinality() if self.kept is None else len(self.kept)

    def keep(self, elements: list[Element]) -> None:
        """Give these out from the next pass on."""
        with self._lock:
            if self.kept is None:
                self.kept = elements

    def elements(self, settings: Settings) -> ElementIterator:
        return _CacheIterator(self, settings)


class _CacheIterator(ElementIterator):
    def __init__(self, node: Cache, settings: Settings) -> None:
        self._node, self._settings = node, settings
        self._next = 0
        self._new: list[Element] = []
        self._inner = None if node.kept is not None else node.source.iterate(settings)

    def __next__(self) -> Element:
        if self._inner is None:
            kept = self._node.kept
            assert kept is not None
            if self._next >= len(kept):
                raise StopIteration
            self._next += 1
            return kept[self._next - 1]
        try:
            element = next(self._inner)
        except StopIteration:
            self._node.keep(self._new)
            self._inner, self._next = None, len(self._node.kept or ())
            raise
        self._new.append(element)
        return element

    def get_state(self) -> Any:
        kept = self._new if self._inner is not None else self._node.kept or []
        return {
            "next": self._next,
            "elements": [structure.encoded(element) for element in kept],
            "inner": None if self._inner is None else self._inner.get_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        elements = [structure.decoded(element, self._node.spec) for element in state["elements"]]
        self._next = int(state["next"])
        if state["inner"] is None:
            self._node.kept = elements
            self._inner = None
        else:
            self._new = elements
            self._inner = self._node.source.iterate(self._settings)
            self._inner.set_state(state["inner"])

    def close(self) -> None:
        if self._inner is not None:
            self._inner.close()


# --- elements in a file ------------------------------------------------------------------------------------


def _described(spec: object) -> Any:
    """Specs as plain values."""
    if isinstance(spec, TensorSpec):
        shape = None if spec.shape.rank is None else list(spec.shape)
        return {"dtype": spec.dtype.name, "shape": shape}
    if isinstance(spec, tuple):
        return {"tuple": [_described(part) for part in spec]}
    if isinstance(spec, dict):
        return {"dict": [[key, _described(part)] for key, part in spec.items()]}
    raise TypeError(f"Elements with {spec!r} cannot be written to a file; only dense tensors can.")


def _spec_from(described: Any) -> Any:
    if "dtype" in described:
        return TensorSpec(TensorShape(described["shape"]), as_dtype(described["dtype"]))
    if "tuple" in described:
        return tuple([_spec_from(part) for part in described["tuple"]])
    return {key: _spec_from(part) for key, part in described["dict"]}


def _packed(element: Element) -> bytes:
    return b"".join(wire.delimited(1, tensor_bytes(np.asarray(leaf._array))) for leaf in nest.flatten(element))


def _unpacked(record: bytes, spec: object) -> Element:
    arrays = [array_of(wire.message(kind, value)) for _, kind, value in wire.fields(memoryview(record))]
    return nest.pack_sequence_as(
        spec, [from_array(array[()] if array.dtype.kind != "O" else array) for array in arrays]
    )


class ElementWriter:
    """Writes elements to a file that appears under its name when it is whole. Its first record is their spec.

    Where `spec` does not give that of all elements, it is that of the first one: enough to put elements together again.
    """

    def __init__(self, path: str, spec: Callable[[], Any] | None = None, compression: str | None = None) -> None:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        self._path, self._unfinished = path, f"{path}.{os.getpid()}.{id(self):x}.unfinished"
        self._writer = TFRecordWriter(self._unfinished, compression)
        self._spec, self._begun = spec, False

    def write(self, element: Element) -> None:
        """Append an element."""
        if not self._begun:
            self._begin(structure.spec_of(element) if self._spec is None else self._spec())
        self._writer.write(_packed(element))

    def _begin(self, spec: object) -> None:
        self._begun = True
        self._writer.write(json.dumps(_described(spec)))

    def finish(self) -> None:
        """Close the file and give it its name."""
        if not self._begun:
            self._begin(() if self._spec is None else self._spec())
        self._writer.close()
        os.replace(self._unfinished, self._path)

    def discard(self) -> None:
        """Remove what was written, unless it is whole."""
        self._writer.close()
        if os.path.exists(self._unfinished):
            os.remove(self._unfinished)

    def __del__(self) -> None:
        if hasattr(self, "_writer"):
            self.discard()


class ElementFile(Node):
    """The elements of a file."""

    def __init__(self, path: str, compression: str | None = None) -> None:
        self.path, self.compression = path, compression or ""
        reader = RecordReader(path, self.compression)
        header = reader.read()
        self.begin = reader.offset
        reader.close()
        try:
            self._spec = _spec_from(json.loads(header or b""))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise DataLossError(
                None, None, f"{path} is no file of elements: its first record is not their structure."
            ) from None

    def spec(self) -> Any:
        return self._spec

    def known_spec(self) -> Any:
        return self._spec

    def iterate(self, settings: Settings) -> ElementIterator:
        return _ElementFileIterator(self)


class _ElementFileIterator(ElementIterator):
    def __init__(self, node: ElementFile) -> None:
        self._node = node
        self._reader = RecordReader(node.path, node.compression, node.begin)

    def __next__(self) -> Element:
        record = self._reader.read()
        if record is None:
            raise StopIteration
        try:
            return _unpacked(record, self._node.spec())
        except (ValueError, TypeError) as error:
            raise DataLossError(None, None, f"{self._node.path}: an element is damaged: {error}.") from None

    def get_state(self) -> Any:
        return {"offset": self._reader.offset}

    def set_state(self, state: dict[str, Any]) -> None:
        self._reader.close()
        self._reader = RecordReader(self._node.path, self._node.compression, int(state["offset"]))

    def close(self) -> None:
        self._reader.close()


class FileCache(Selection):
    """The elements of the first whole pass, kept in a file that later programs use too."""

    def __init__(self, source: Node, path: str) -> None:
        super().__init__(source)
        self.path = f"{path}.elements"

    @property
    def rows(self) -> None:
        return None

    def cardinality(self) -> int:
        return self.source.cardinality()

    def elements(self, settings: Settings) -> ElementIterator:
        return _FileCacheIterator(self, settings)


class _FileCacheIterator(ElementIterator):
    """Reads the file if it exists, else the input, whose elements it writes to the file."""

    def __init__(self, node: FileCache, settings: Settings) -> None:
        self._node, self._settings = node, settings
        self._writer: ElementWriter | None = None
        self._inner: ElementIterator
        if os.path.exists(node.path):
            self._inner = ElementFile(node.path).iterate(settings)
        else:
            self._inner = node.source.iterate(settings)
            self._writer = ElementWriter(node.path)

    def __next__(self) -> Element:
        try:
            element = next(self._inner)
        except StopIteration:
            if self._writer is not None:
                self._writer.finish()
                self._writer = None
            raise
        if self._writer is not None:
            self._writer.write(element)
        return element

    def get_state(self) -> Any:
        return {"file": isinstance(self._inner, _ElementFileIterator), "inner": self._inner.get_state()}

    def set_state(self, state: dict[str, Any]) -> None:
        # A restored run does not have what the saved run wrote: it reads on, and the next pass writes the file.
        self._writer = None
        node = ElementFile(self._node.path) if state["file"] else self._node.source
        self._inner = node.iterate(self._settings)
        self._inner.set_state(state["inner"])

    def close(self) -> None:
        self._inner.close()
        self._writer = None


# --- folders of elements -----------------------------------------------------------------------------------

_ELEMENTS = "elements"


def save(source: Node, path: str, compression: str | None) -> None:
    """Write all elements of a dataset into a folder."""
    writer = ElementWriter(os.path.join(path, _ELEMENTS), source.spec, compression)
    iterator = source.iterate(Settings())
    try:
        for element in iterator:
            writer.write(element)
        writer.finish()
    finally:
        iterator.close()
        writer.discard()


def load(path: str, compression: str | None) -> Node:
    """The dataset that `save` wrote into a folder."""
    return ElementFile(os.path.join(path, _ELEMENTS), compression)
