"""`tf.data.experimental`: older spellings, as functions to be given to `dataset.apply`, and CSV files."""

from __future__ import annotations

import csv
import inspect
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.errors import invalid
from ..base.namespaces import listing
from ..base.types import DTypeLike, PathLikeOrTensor, TensorLike
from ..io.tensors import decode_csv
from ..op.attributes import as_int
from ..values.tensor import Tensor, from_array
from . import files, transforms
from .dataset import Dataset
from .iterator import Iterator
from .node import INFINITE, UNKNOWN
from .optional import Optional
from .options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ServiceOptions,
    ThreadingOptions,
)
from .random_access import at
from .readers import TextLineDataset
from .transforms import AUTOTUNE

__all__ = [
    "AUTOTUNE",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DistributeOptions",
    "ExternalStatePolicy",
    "INFINITE_CARDINALITY",
    "OptimizationOptions",
    "Optional",
    "RandomDataset",
    "ServiceOptions",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "assert_cardinality",
    "bucket_by_sequence_length",
    "cardinality",
    "at",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enumerate_dataset",
    "from_list",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_window",
    "ignore_errors",
    "load",
    "make_csv_dataset",
    "map_and_batch",
    "parallel_interleave",
    "prefetch_to_device",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "take_while",
    "unbatch",
    "unique",
]

INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN

Transformation = Callable[[Dataset], Dataset]

RandomDataset = Dataset.random


def Counter(start: object = 0, step: object = 1, dtype: DTypeLike = dtypes.int64) -> Dataset:
    """`Dataset.counter`."""
    return Dataset.counter(start, step, dtype)


def choose_from_datasets(
    datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = False
) -> Dataset:
    """`Dataset.choose_from_datasets`, which goes on without a dataset that has ended."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def sample_from_datasets(
    datasets: Sequence[Dataset], weights: object = None, seed: object = None, stop_on_empty_dataset: bool = False
) -> Dataset:
    """`Dataset.sample_from_datasets`."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def load(
    path: PathLikeOrTensor, element_spec: object = None, compression: str | None = None, reader_func: object = None
) -> Dataset:
    """`Dataset.load`."""
    return Dataset.load(path, element_spec, compression, reader_func)


def _applied(method: str) -> Callable[..., Transformation]:
    """The method of a dataset, as a function that takes its settings and returns a function of the dataset."""

    def with_settings(*args: object, **settings: object) -> Transformation:
        return lambda dataset: getattr(dataset, method)(*args, **settings)

    with_settings.__name__ = with_settings.__qualname__ = method
    with_settings.__doc__ = f"`Dataset.{method}`, for `dataset.apply`."
    parameters = inspect.signature(getattr(Dataset, method)).parameters.values()
    wanted = [one for one in parameters if one.name not in ("self", "name")]
    with_settings.__signature__ = inspect.Signature(wanted)  # type: ignore[attr-defined]
    return with_settings


bucket_by_sequence_length = _applied("bucket_by_sequence_length")
dense_to_ragged_batch = _applied("ragged_batch")
dense_to_sparse_batch = _applied("sparse_batch")
enumerate_dataset = _applied("enumerate")
group_by_window = _applied("group_by_window")
ignore_errors = _applied("ignore_errors")
scan = _applied("scan")
snapshot = _applied("snapshot")
take_while = _applied("take_while")
unbatch = _applied("unbatch")
unique = _applied("unique")


def cardinality(dataset: Dataset) -> Tensor:
    """`dataset.cardinality()`."""
    return dataset.cardinality()


def get_single_element(dataset: Dataset) -> Any:
    """`dataset.get_single_element()`."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The specs of the elements."""
    if not isinstance(dataset_or_iterator, (Dataset, Iterator)):
        raise TypeError(f"A dataset or an iterator is needed, got {dataset_or_iterator!r}.")
    return dataset_or_iterator.element_spec


def get_next_as_optional(iterator: Iterator) -> Optional:
    """`iterator.get_next_as_optional()`."""
    return iterator.get_next_as_optional()


def from_list(elements: Any, name: str | None = None) -> Dataset:
    """A dataset of the elements of a list."""
    parts = list(elements)
    if not parts:
        raise ValueError("from_list: the list is empty.")
    made = Dataset.from_tensors(parts[0])
    for part in parts[1:]:
        made = made.concatenate(Dataset.from_tensors(part))
    return made


def save(
    dataset: Dataset,
    path: PathLikeOrTensor,
    compression: str | None = None,
    shard_func: object = None,
    checkpoint_args: object = None,
) -> None:
    """`dataset.save(path)`."""
    dataset.save(path, compression, shard_func, checkpoint_args)


def assert_cardinality(expected_cardinality: object) -> Transformation:
    """The same elements, with an error in the iteration where their number is not the given one."""
    expected = as_int(expected_cardinality)
    return lambda dataset: dataset._then(transforms.AssertCardinality(dataset._node, expected))


def copy_to_device(target_device: object, source_device: object = "/cpu:0") -> Transformation:
    """The same dataset: there is one device."""
    return lambda dataset: dataset


def prefetch_to_device(device: object, buffer_size: object = None) -> Transformation:
    """`dataset.prefetch(buffer_size)`: there is one device."""
    return lambda dataset: dataset.prefetch(buffer_size)


def shuffle_and_repeat(buffer_size: object, count: object = None, seed: TensorLike | None = None) -> Transformation:
    """`dataset.shuffle(buffer_size, seed).repeat(count)`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: object,
    num_parallel_batches: object = None,
    drop_remainder: bool = False,
    num_parallel_calls: object = None,
) -> Transformation:
    """`dataset.map(map_func).batch(batch_size)`."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError("map_and_batch: give one of `num_parallel_batches` and `num_parallel_calls`, and not both.")
    calls = num_parallel_calls if num_parallel_batches is None else as_int(batch_size) * as_int(num_parallel_batches)
    return lambda dataset: dataset.map(map_func, num_parallel_calls=calls).batch(batch_size, drop_remainder)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: object,
    block_length: object = 1,
    sloppy: bool = False,
    buffer_output_elements: object = None,
    prefetch_input_elements: object = None,
) -> Transformation:
    """`dataset.interleave(map_func, cycle_length, block_length)` with a thread for each dataset of the cycle."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, num_parallel_calls=cycle_length)


# --- comma-separated values --------------------------------------------------------------------------------


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
    """The lines of CSV files as tuples of one tensor for each column."""
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
    batch_size: object,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: str | None = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: object = None,
    shuffle: bool = True,
    shuffle_buffer_size: object = 10000,
    shuffle_seed: object = None,
    prefetch_buffer_size: object = None,
    num_parallel_reads: object = None,
    sloppy: bool = False,
    num_rows_for_inference: int = 100,
    compression_type: object = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """Batches of the columns of CSV files by name: a dict, or a pair of dict and label where `label_name` is given.

    Types that `column_defaults` does not give are read off the first rows.
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


__path__: list[str] = []  # as a package, so that `tf.data.experimental.service` is asked for and refused by name

__dir__ = listing(globals())
