"""Datasets of files with comma-separated values."""

from __future__ import annotations

import csv
from collections import OrderedDict
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.errors import invalid
from ..base.types import IntLike
from ..io.tensors import decode_csv
from ..values.tensor import from_array
from . import files
from .dataset import Dataset
from .readers import TextLineDataset


def _rows(filenames: object, header: bool, compression_type: object) -> Dataset:
    names = files.names_of(filenames)

    def lines(name: object) -> Dataset:
        return TextLineDataset(name, compression_type).skip(1 if header else 0)

    return Dataset.from_tensor_slices(names).flat_map(lines)


def CsvDataset(
    filenames: object,
    record_defaults: Any,
    compression_type: object = None,
    buffer_size: object = None,
    header: bool = False,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: object = None,
    exclude_cols: Any = None,
) -> Dataset:
    r"""The lines of CSV files as tuples of one tensor for each column.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = os.path.join(folder, "data.csv")
    >>> tf.io.write_file(path, "name,size\na,1.5\nb,2.5\n")
    >>> [(name.numpy(), float(size)) for name, size in tf.data.experimental.CsvDataset(path, ["", 0.0], header=True)]
    [(b'a', 1.5), (b'b', 2.5)]

    Args:
        filenames: One name, several, or a dataset of names.
        record_defaults: For each column what an empty field is, which gives its type; or a type, where a field may not be
            empty.
        compression_type: None, "GZIP" or "ZLIB".
        buffer_size: Ignored; accepted for compatibility with TensorFlow.
        header: Whether the first line of each file is left out.
        field_delim: What stands between fields.
        use_quote_delim: Whether fields may stand in double quotes.
        na_value: The text that counts as an empty field.
        select_cols: The numbers of the columns to take; all by default.
        exclude_cols: The numbers of the columns to leave out.

    Returns:
        A dataset of tuples.

    Raises:
        ValueError: Columns are both selected and excluded.
    """
    if select_cols is not None and exclude_cols is not None:
        raise ValueError("CsvDataset: give one of `select_cols` and `exclude_cols`, and not both.")
    defaults = list(record_defaults)

    def columns(line: object) -> tuple[Any, ...]:
        chosen = select_cols
        if exclude_cols is not None:
            width = len(defaults) + len(exclude_cols)
            chosen = [column for column in range(width) if column not in exclude_cols]
        return tuple(decode_csv(line, defaults, field_delim, use_quote_delim, na_value, chosen))

    return _rows(filenames, header, compression_type).map(columns)


def make_csv_dataset(
    file_pattern: object,
    batch_size: IntLike,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: str | None = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: IntLike | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: IntLike = 10000,
    shuffle_seed: object = None,
    prefetch_buffer_size: IntLike | None = None,
    num_parallel_reads: object = None,
    sloppy: bool = False,
    num_rows_for_inference: int = 100,
    compression_type: object = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    r"""Batches of the columns of CSV files by name: a dict, or a pair of dict and label where `label_name` is given.

    Types that `column_defaults` does not give are read off the first rows.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = os.path.join(folder, "data.csv")
    >>> tf.io.write_file(path, "width,height,kind\n1.5,2.0,0\n2.5,3.0,1\n")
    >>> rows = tf.data.experimental.make_csv_dataset(path, 2, label_name="kind", num_epochs=1, shuffle=False)
    >>> for features, label in rows:
    ...     print(features["width"].numpy(), label.numpy())
    [1.5 2.5] [0 1]

    Args:
        file_pattern: Names of files, which may have `*` in them.
        batch_size: How many rows make a batch.
        column_names: The names of the columns; by default the first line of the first file.
        column_defaults: For each column what an empty field is, which gives its type.
        label_name: The column that is the label.
        select_columns: The columns to take, by name or number; all by default.
        field_delim: What stands between fields.
        use_quote_delim: Whether fields may stand in double quotes.
        na_value: The text that counts as an empty field.
        header: Whether the first line of each file has names.
        num_epochs: How many passes; None: without end.
        shuffle: Whether the rows come in random order.
        shuffle_buffer_size: Among how many rows the next one is drawn.
        shuffle_seed: Where the random numbers begin.
        prefetch_buffer_size: How many batches are computed ahead.
        num_parallel_reads: How many files are read at once.
        sloppy: Whether rows of files that are read at once may come in any order.
        num_rows_for_inference: From how many rows the types of columns are read off.
        compression_type: None, "GZIP" or "ZLIB".
        ignore_errors: Whether rows that cannot be read are left out.
        encoding: How text is written in the files.

    Returns:
        A dataset.

    Raises:
        ValueError: Names, columns and defaults do not go together.
    """
    names = files.matching_files(file_pattern)
    if not header and column_names is None:
        raise ValueError("make_csv_dataset: without a header, column_names must be given.")
    lines = [line.numpy() for line in TextLineDataset(names[0], compression_type).take(num_rows_for_inference + 1)]
    if header and not lines:
        raise ValueError(f"make_csv_dataset: {names[0]} is empty, where the names of the columns should be.")
    if column_names is None:
        column_names = _fields(lines[0], field_delim, use_quote_delim)
    columns = list(column_names)
    if len({*columns}) != len(columns):
        raise ValueError(f"make_csv_dataset: Cannot have duplicate column names, got {columns}.")
    if label_name is not None and label_name not in columns:
        raise ValueError(f"make_csv_dataset: `label_name` {label_name!r} is no column; there are {columns}.")
    selected = None
    if select_columns is not None:
        selected = sorted(
            columns.index(column) if isinstance(column, str) else int(column) for column in select_columns
        )
    kept = columns if selected is None else [columns[number] for number in selected]
    if column_defaults is None:
        rows = [_fields(line, field_delim, use_quote_delim) for line in lines[1 if header else 0 :]]
        defaults = [
            _default([row[columns.index(name)] for row in rows if len(row) == len(columns)], na_value) for name in kept
        ]
    else:
        defaults = list(column_defaults)
    if len(defaults) != len(kept):
        raise ValueError(f"make_csv_dataset: {len(defaults)} column_defaults for the {len(kept)} columns {kept}.")

    def parsed(batch: object) -> Any:
        values = decode_csv(batch, defaults, field_delim, use_quote_delim, na_value, selected)
        features = OrderedDict(zip(kept, values, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    dataset = _rows(names, header, compression_type)
    if ignore_errors:
        dataset = dataset.ignore_errors()
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs).batch(batch_size, drop_remainder=num_epochs is None)
    return dataset.map(parsed).prefetch(prefetch_buffer_size)


def _fields(line: bytes, field_delim: str, use_quote_delim: bool) -> list[str]:
    try:
        return next(csv.reader([line.decode()], delimiter=field_delim, quoting=0 if use_quote_delim else 3), [""])
    except (UnicodeDecodeError, csv.Error) as error:
        raise invalid(f"make_csv_dataset: {line!r} is no line of comma-separated text: {error}.") from None


def _default(texts: list[str], na_value: str) -> Any:
    """The default of a column: of the narrowest type that holds all of its values."""
    found = [text for text in texts if text not in ("", na_value)]
    for kind in (dtypes.int32, dtypes.int64, dtypes.float32):
        try:
            numbers = [int(text) if kind.is_integer else float(text) for text in found]
        except ValueError:
            continue
        if not kind.is_integer or all(kind.min <= number <= kind.max for number in numbers):
            return from_array(np.zeros(1, kind.numpy))
    return [""]
