"""Elements from files: lines of text, records, names of files, columns of comma-separated values."""

from __future__ import annotations

import glob
import gzip
import io
import os
import zlib
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.errors import DataLossError, OpError, invalid
from ..io.records import RecordReader, checked_compression, opened, text_of
from ..values.tensor import Tensor, TensorSpec, from_array
from .node import ElementIterator, Node, Settings
from .structure import Element


def text_element(text: bytes) -> Element:
    """A string tensor without axes."""
    return from_array(np.array(text, object))


def names_of(filenames: Any) -> list[str]:
    """The paths in an argument: one path, a list of paths, or a tensor."""
    if isinstance(filenames, Tensor):
        if filenames.dtype is not dtypes.string:
            raise TypeError(f"File names must be text, got {filenames.dtype!r}.")
        return [os.fsdecode(name) for name in np.asarray(filenames._array, object).reshape(-1).tolist()]
    if isinstance(filenames, (str, bytes, os.PathLike)):
        return [text_of(filenames)]
    return [text_of(name) for name in filenames]


class Reader:
    """One open file; `read` gives the next element's bytes, or None at the end."""

    def read(self) -> bytes | None:
        """The next bytes."""
        raise NotImplementedError

    def position(self) -> int:
        """Where the reader stands, for `Files.reader`."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the file."""


class Files(Node):
    """The elements of several files, one file after the other."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def reader(self, name: str, position: int) -> Any:
        """A reader of one file that continues at the position of another."""
        raise NotImplementedError

    def spec(self) -> Any:
        return TensorSpec((), dtypes.string)

    def iterate(self, settings: Settings) -> ElementIterator:
        return _FilesIterator(self)


class _FilesIterator(ElementIterator):
    def __init__(self, node: Files) -> None:
        self._node = node
        self._file = 0
        self._reader: Any = None

    def __next__(self) -> Element:
        while self._file < len(self._node.names):
            try:
                if self._reader is None:
                    self._reader = self._node.reader(self._node.names[self._file], 0)
                record = self._reader.read()
            except OpError:
                self.close()  # the rest of a damaged file cannot be located; a file that cannot be opened has no elements
                self._file += 1
                raise
            if record is not None:
                return text_element(record)
            self.close()
            self._file += 1
        raise StopIteration

    def get_state(self) -> Any:
        return {"file": self._file, "position": None if self._reader is None else self._reader.position()}

    def set_state(self, state: dict[str, Any]) -> None:
        self.close()
        self._file = int(state["file"])
        if state["position"] is not None:
            self._reader = self._node.reader(self._node.names[self._file], int(state["position"]))

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None


# --- records -----------------------------------------------------------------------------------------------


class Records(Files):
    """The records of record files."""

    def __init__(self, names: list[str], compression: object) -> None:
        super().__init__(names)
        self.compression = checked_compression(compression)

    def reader(self, name: str, position: int) -> Any:
        return _Records(name, self.compression, position)


class _Records(RecordReader):
    def position(self) -> int:
        return self.offset


# --- bytes without records ---------------------------------------------------------------------------------


def _decompressed(file: Any, compression: str) -> Any:
    if compression == "GZIP":
        return gzip.GzipFile(fileobj=file)
    return io.BytesIO(zlib.decompress(file.read())) if compression == "ZLIB" else file


_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)


def _damaged(name: str, error: Exception) -> DataLossError:
    return DataLossError(None, None, f"{name}: the compressed data is damaged: {error}.")


class _BytesReader(Reader):
    def __init__(self, name: str, compression: str, position: int) -> None:
        self._name = name
        self._under = self._file = opened(name, "rb")
        try:
            self._file = _decompressed(self._under, compression)
            self._file.seek(position)
        except _DAMAGE as error:
            raise _damaged(name, error) from None

    def position(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        self._file.close()
        self._under.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self.close()


class _Lines(_BytesReader):
    def read(self) -> bytes | None:
        try:
            line: bytes = self._file.readline()
        except _DAMAGE as error:
            raise _damaged(self._name, error) from None
        if not line:
            return None
        if line.endswith(b"\n"):
            line = line[:-1]
        return line[:-1] if line.endswith(b"\r") else line


class Lines(Records):
    """The lines of text files, without their ends."""

    def reader(self, name: str, position: int) -> Any:
        return _Lines(name, self.compression, position)


class FixedLength(Records):
    """Pieces of one length, between a header and a footer."""

    def __init__(self, names: list[str], length: int, header: int, footer: int, compression: object) -> None:
        super().__init__(names, compression)
        if length < 1:
            raise invalid(f"FixedLengthRecordDataset: record_bytes must be positive, got {length}.")
        self.length, self.header, self.footer = length, header, footer

    def reader(self, name: str, position: int) -> Any:
        return _Pieces(self, name, position)


class _Pieces(_BytesReader):
    def __init__(self, node: FixedLength, name: str, position: int) -> None:
        super().__init__(name, node.compression, 0)
        try:
            size = self._file.seek(0, io.SEEK_END) if not node.compression else len(self._file.read())
        except _DAMAGE as error:
            raise _damaged(name, error) from None
        body = size - node.header - node.footer
        if body < 0 or body % node.length:
            self.close()
            raise invalid(
                f"Excluding the header ({node.header} bytes) and footer ({node.footer} bytes), input file {name!r} has "
                f"body length {body} bytes, which is not an exact multiple of the record length ({node.length} bytes)."
            )
        self._length, self._end = node.length, size - node.footer
        self._file.seek(position or node.header)

    def read(self) -> bytes | None:
        if self._file.tell() >= self._end:
            return None
        piece: bytes = self._file.read(self._length)
        return piece


# --- names -------------------------------------------------------------------------------------------------


def matching_files(pattern: object) -> list[str]:
    """The files that match patterns with * and ?, in order."""
    found: set[str] = set()
    patterns = names_of(pattern)
    for one in patterns:
        found.update(name for name in glob.glob(one) if os.path.isfile(name) or os.path.isdir(name))
    if not found:
        raise invalid(f"No files matched pattern: {', '.join(patterns)}")
    return sorted(found)
