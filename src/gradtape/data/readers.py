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

    Args:
        filenames: One name, several, or a dataset of names.
        compression_type: None, "", "GZIP" or "ZLIB".
        buffer_size: Accepted; files are read in pieces of 256 KB.
        num_parallel_reads: How many files are read at once, their records in turns.
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
    """The lines of text files as byte strings, without their ends."""

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
    """Pieces of `record_bytes` bytes each, between a header and a footer."""

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
