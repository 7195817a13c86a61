"""Datasets that read files: `TFRecordDataset`, `TextLineDataset`, `FixedLengthRecordDataset`."""

from __future__ import annotations

from collections.abc import Callable

from ..io.records import checked_compression
from ..op.attributes import as_int
from . import files
from .dataset import Dataset
from .node import Node


class _FileDataset(Dataset):
    """The elements of files, given by name or as a dataset of names; several files at once with `num_parallel_reads`."""

    def _read(self, filenames: object, num_parallel_reads: object, make: Callable[[list[str]], Node]) -> None:
        if num_parallel_reads is None and not isinstance(filenames, Dataset):
            super().__init__(make(files.names_of(filenames)))
            return
        names = filenames if isinstance(filenames, Dataset) else Dataset.from_tensor_slices(files.names_of(filenames))

        def read(name: object) -> Dataset:
            return Dataset(make(files.names_of(name)))

        if num_parallel_reads is None:
            made = names.flat_map(read)
        else:
            count = as_int(num_parallel_reads)
            made = names.interleave(read, cycle_length=count, num_parallel_calls=count)
        super().__init__(made._node, made._options)


class TFRecordDataset(_FileDataset):
    """The records of record files as byte strings.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = os.path.join(folder, "data.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    ...     writer.write(b"two")
    >>> [record.numpy() for record in tf.data.TFRecordDataset(path)]
    [b'one', b'two']

    Args:
        filenames: One name, several, or a dataset of names.
        compression_type: None, "", "GZIP" or "ZLIB".
        buffer_size: Accepted; files are read in pieces of 256 KB.
        num_parallel_reads: How many files are read at once, their records in turns.
        name: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(
        self,
        filenames: object,
        compression_type: object = None,
        buffer_size: object = None,
        num_parallel_reads: object = None,
        name: str | None = None,
    ) -> None:
        checked_compression(compression_type)
        self._read(filenames, num_parallel_reads, lambda names: files.Records(names, compression_type))


class TextLineDataset(_FileDataset):
    r"""The lines of text files as byte strings, without their ends.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = os.path.join(folder, "poem.txt")
    >>> tf.io.write_file(path, "first line\nsecond line\n")
    >>> [line.numpy() for line in tf.data.TextLineDataset(path)]
    [b'first line', b'second line']

    Args:
        filenames: One name, several, or a dataset of names.
        compression_type: None, "", "GZIP" or "ZLIB".
        buffer_size: Accepted; files are read in pieces of 256 KB.
        num_parallel_reads: How many files are read at once, their lines in turns.
        name: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(
        self,
        filenames: object,
        compression_type: object = None,
        buffer_size: object = None,
        num_parallel_reads: object = None,
        name: str | None = None,
    ) -> None:
        checked_compression(compression_type)
        self._read(filenames, num_parallel_reads, lambda names: files.Lines(names, compression_type))


class FixedLengthRecordDataset(_FileDataset):
    r"""Pieces of `record_bytes` bytes each, between a header and a footer.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = os.path.join(folder, "numbers.bin")
    >>> tf.io.write_file(path, b"head" + bytes(range(6)))
    >>> [piece.numpy() for piece in tf.data.FixedLengthRecordDataset(path, record_bytes=3, header_bytes=4)]
    [b'\x00\x01\x02', b'\x03\x04\x05']

    Args:
        filenames: One name, several, or a dataset of names.
        record_bytes: The size of a piece.
        header_bytes: How many bytes to leave out at the beginning of each file.
        footer_bytes: How many bytes to leave out at its end.
        buffer_size: Accepted; files are read in pieces of 256 KB.
        compression_type: None, "", "GZIP" or "ZLIB".
        num_parallel_reads: How many files are read at once, their pieces in turns.
        name: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(
        self,
        filenames: object,
        record_bytes: object,
        header_bytes: object = None,
        footer_bytes: object = None,
        buffer_size: object = None,
        compression_type: object = None,
        num_parallel_reads: object = None,
        name: str | None = None,
    ) -> None:
        sizes = (as_int(record_bytes), as_int(header_bytes or 0), as_int(footer_bytes or 0))
        self._read(filenames, num_parallel_reads, lambda names: files.FixedLength(names, *sizes, compression_type))
