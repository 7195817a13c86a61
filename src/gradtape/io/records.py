"""Record files (TFRecord): byte strings one after the other, each with its length and two checksums.

A record is its length (8 bytes), the checksum of the length, the bytes, the checksum of the bytes. A file may be
compressed as a whole.
"""

from __future__ import annotations

import gzip
import io
import os
import struct
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from ..base.errors import (
    DataLossError,
    FailedPreconditionError,
    NotFoundError,
    PermissionDeniedError,
    TensorTypeError,
)
from ..base.types import PathLikeOrTensor
from ..values.tensor import Tensor, value_of
from .crc32c import masked_crc32c

COMPRESSIONS = ("", "GZIP", "ZLIB")

_HEADER = struct.Struct("<QI")
_CHECKSUM = struct.Struct("<I")
_PIECE = 1 << 20  # read in pieces: a corrupt length must not allocate more than the file has


class TFRecordOptions:
    """How a record file is written: compressed or not, and zlib's compression level.

    The settings that tune zlib further (`window_bits`, `mem_level` and the like) are accepted; only the level is used.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "data.tfrecord")
    >>> with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions("GZIP")) as writer:
    ...     writer.write(b"one")
    >>> [record.numpy() for record in tf.data.TFRecordDataset(path, "GZIP")]
    [b'one']

    Args:
        compression_type: None, "", "GZIP" or "ZLIB".
        flush_mode: Ignored; accepted for compatibility with TensorFlow.
        input_buffer_size: Ignored; accepted for compatibility with TensorFlow.
        output_buffer_size: Ignored; accepted for compatibility with TensorFlow.
        window_bits: Ignored; accepted for compatibility with TensorFlow.
        compression_level: From 0 to 9: faster or smaller.
        compression_method: Ignored; accepted for compatibility with TensorFlow.
        mem_level: Ignored; accepted for compatibility with TensorFlow.
        compression_strategy: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: There is no such compression.
    """

    def __init__(
        self,
        compression_type: str | None = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.compression_type = checked_compression(compression_type)
        self.compression_level = compression_level


def checked_compression(compression_type: object) -> str:
    """The name of a compression, "" for none."""
    name = "" if compression_type is None else text_of(compression_type)
    if name not in COMPRESSIONS:
        raise ValueError(f"compression_type must be None, '', 'GZIP' or 'ZLIB', got {compression_type!r}.")
    return name


def text_of(value: object) -> str:
    """A name or path: text, bytes, a path object or a string tensor without axes."""
    if isinstance(value, Tensor):
        value = value_of(value)
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsdecode(value)
    raise TypeError(f"A path or a name is needed, got {value!r} of type {type(value).__name__}.")


def opened(path: PathLikeOrTensor, mode: str) -> io.BufferedIOBase:
    """The file, with the system's errors under the names of `tf.errors`."""
    name = text_of(path)
    try:
        return open(name, mode, buffering=1 << 18)  # type: ignore[return-value]
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFoundError(None, None, f"{name}; {error.strerror}") from None
    except PermissionError as error:
        raise PermissionDeniedError(None, None, f"{name}; {error.strerror}") from None
    except IsADirectoryError as error:
        raise FailedPreconditionError(None, None, f"{name}; {error.strerror}") from None


class TFRecordWriter:
    """Writes a record file; a context manager, or closed with `close`.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "data.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    ...     writer.write(b"two")
    >>> [record.numpy() for record in tf.data.TFRecordDataset(path)]
    [b'one', b'two']

    Args:
        path: The path of the file, which is replaced.
        options: A `TFRecordOptions`, or the name of a compression.
    """

    def __init__(self, path: PathLikeOrTensor, options: TFRecordOptions | str | None = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        self._file: Any = opened(path, "wb")
        self._compress: Any = None
        if options.compression_type:
            level = -1 if options.compression_level is None else options.compression_level
            bits = 31 if options.compression_type == "GZIP" else 15
            self._compress = zlib.compressobj(level, wbits=bits)

    def write(self, record: Any) -> None:
        """Append one record.

        >>> import os, tempfile
        >>> writer = tf.io.TFRecordWriter(os.path.join(tempfile.mkdtemp(), "data.tfrecord"))
        >>> writer.write(b"one")
        >>> writer.close()

        Args:
            record: Bytes, text, or a string tensor without axes.

        Raises:
            TypeError: It is something else.
            tf.errors.FailedPreconditionError: The writer is closed.
        """
        if isinstance(record, Tensor):
            record = value_of(record)
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, (bytes, bytearray, memoryview)):
            raise TypeError(f"A record must be bytes, got {record!r} of type {type(record).__name__}.")
        if self._file is None:
            raise FailedPreconditionError(None, None, "Writer is closed.")
        length = struct.pack("<Q", len(record))
        parts = (
            length,
            _CHECKSUM.pack(masked_crc32c(length)),
            bytes(record),
            _CHECKSUM.pack(masked_crc32c(record)),
        )
        whole = b"".join(parts)
        self._file.write(self._compress.compress(whole) if self._compress else whole)

    def flush(self) -> None:
        """Hand everything written so far to the operating system.

        >>> import os, tempfile
        >>> writer = tf.io.TFRecordWriter(os.path.join(tempfile.mkdtemp(), "data.tfrecord"))
        >>> writer.write(b"one")
        >>> writer.flush()
        >>> writer.close()

        Raises:
            tf.errors.FailedPreconditionError: The writer is closed.
        """
        if self._file is None:
            raise FailedPreconditionError(None, None, "Writer is closed.")
        if self._compress:
            self._file.write(self._compress.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        """Write what is left and close the file; closed already, it stays so.

        >>> import os, tempfile
        >>> writer = tf.io.TFRecordWriter(os.path.join(tempfile.mkdtemp(), "data.tfrecord"))
        >>> writer.write(b"one")
        >>> writer.close()
        """
        if self._file is None:
            return
        try:
            if self._compress:
                self._file.write(self._compress.flush())
        finally:
            self._file.close()
            self._file = None

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class RecordReader:
    """Reads a record file from its start, or from where another reader stood; DataLossError where it is corrupt."""

    def __init__(self, path: PathLikeOrTensor, compression: str = "", offset: int = 0) -> None:
        self.path = text_of(path)
        self._under = self._file = opened(self.path, "rb")
        if compression == "GZIP":
            self._file = gzip.GzipFile(fileobj=self._under)
        elif compression == "ZLIB":
            self._file = io.BufferedReader(_Inflated(self._under), 1 << 18)
        self.offset = 0  # of the next record, in uncompressed bytes
        if offset:
            self._file.seek(offset)
            self.offset = offset

    def read(self) -> bytes | None:
        """The next record, or None at the end of the file."""
        header = self._bytes(_HEADER.size, "header", optional=True)
        if header is None:
            return None
        length, checksum = _HEADER.unpack(header)
        if masked_crc32c(header[:8]) != checksum:
            raise self._corrupt("the checksum of a length is wrong")
        record = self._bytes(length, "record")
        (checksum,) = _CHECKSUM.unpack(self._bytes(_CHECKSUM.size, "checksum") or b"")
        if masked_crc32c(record) != checksum:
            raise self._corrupt("the checksum of a record is wrong")
        self.offset += _HEADER.size + length + _CHECKSUM.size
        return record

    def _bytes(self, count: int, what: str, optional: bool = False) -> bytes | None:
        parts, missing = [], count
        while missing:
            try:
                part = self._file.read(min(missing, _PIECE))
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise self._corrupt(f"the compressed data is damaged ({error})") from None
            if not part:
                break
            parts.append(part)
            missing -= len(part)
        if missing and not (optional and not parts):
            raise self._corrupt(f"truncated: a {what} of {count} bytes has only {count - missing}")
        return None if missing else parts[0] if len(parts) == 1 else b"".join(parts)

    def _corrupt(self, what: str) -> DataLossError:
        return DataLossError(None, None, f"corrupted record at {self.offset} in {self.path}: {what}.")

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        self._under.close()

    def __del__(self) -> None:
        if hasattr(self, "_under"):
            self.close()


class _Inflated(io.RawIOBase):
    """Decompresses a file with a zlib header; the `gzip` module reads gzip headers only."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._inflate = zlib.decompressobj()
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._inflate.eof:
            source = self._inflate.unconsumed_tail or self._file.read(1 << 16)
            if not source:
                raise EOFError("the stream ends too early")
            data = self._inflate.decompress(source, len(buffer))
            if data:
                buffer[: len(data)] = data
                self._position += len(data)
                return len(data)
        return 0

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence or offset < self._position:
            raise io.UnsupportedOperation("A compressed stream goes forward only.")
        skipped = bytearray(1 << 16)
        while self._position < offset:
            if not self.readinto(memoryview(skipped)[: offset - self._position]):
                break
        return self._position

    def tell(self) -> int:
        return self._position


def tf_record_iterator(path: PathLikeOrTensor, options: TFRecordOptions | str | None = None) -> Iterator[bytes]:
    """The records of one file as bytes."""
    if not isinstance(options, TFRecordOptions):
        options = TFRecordOptions(options)
    reader = RecordReader(path, options.compression_type)
    try:
        while (record := reader.read()) is not None:
            yield record
    finally:
        reader.close()


def text_from(value: object, name: str) -> bytes:
    """The one byte string of an op's argument."""
    if isinstance(value, Tensor):
        value = value_of(value)
    if isinstance(value, str):
        value = value.encode()
    if not isinstance(value, bytes):
        raise TensorTypeError(None, None, f"{name}: one byte string is needed, got {value!r}.")
    return value
