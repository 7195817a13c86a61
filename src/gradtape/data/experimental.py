"""`tf.data.experimental`: older spellings, as functions to be given to `dataset.apply`, and CSV files."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..base import dtypes, nest
from ..base.namespaces import listing
from ..base.types import DTypeLike, IntLike, PathLikeOrTensor, TensorLike
from ..op.attributes import as_int
from ..values.tensor import Tensor
from . import transforms
from .csv_files import CsvDataset, make_csv_dataset
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
from .transforms import AUTOTUNE

_Element = TypeVar("_Element")

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
    "from_variant",
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
    "to_variant",
]

INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN

Transformation = Callable[[Dataset], Dataset]

RandomDataset = Dataset.random


def Counter(start: IntLike = 0, step: object = 1, dtype: DTypeLike = dtypes.int64) -> Dataset:
    """The numbers `start`, `start + step` and so on, without end: `Dataset.counter`.

    >>> import gradtape as tf
    >>> [int(x) for x in tf.data.experimental.Counter(10, 5).take(3)]
    [10, 15, 20]

    Args:
        start: The first number.
        step: How much each is larger than the one before.
        dtype: The type of the numbers.

    Returns:
        A dataset.
    """
    return Dataset.counter(start, step, dtype)


def choose_from_datasets(
    datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = False
) -> Dataset:
    """The next element of the dataset that `choice_dataset` names, each time: `Dataset.choose_from_datasets`.

    It goes on without a dataset that has ended.

    >>> import gradtape as tf
    >>> small, large = tf.data.Dataset.range(3), tf.data.Dataset.range(100, 103)
    >>> choice = tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 1], tf.int64))
    >>> [int(x) for x in tf.data.experimental.choose_from_datasets([small, large], choice)]
    [0, 100, 101]

    Args:
        datasets: A list of datasets with elements of one spec.
        choice_dataset: A dataset of int64 numbers: which dataset comes next.
        stop_on_empty_dataset: Whether to end where the dataset that is chosen has ended.

    Returns:
        A dataset.
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def sample_from_datasets(
    datasets: Sequence[Dataset], weights: object = None, seed: object = None, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Elements of several datasets, each time from one that is drawn at random: `Dataset.sample_from_datasets`.

    >>> import gradtape as tf
    >>> parts = [tf.data.Dataset.range(2), tf.data.Dataset.range(100, 102)]
    >>> sorted(int(x) for x in tf.data.experimental.sample_from_datasets(parts, seed=1))
    [0, 1, 100, 101]

    Args:
        datasets: A list of datasets with elements of one spec.
        weights: How likely each of them is; equally by default.
        seed: Where the random numbers begin.
        stop_on_empty_dataset: Whether to end where the dataset that is drawn has ended.

    Returns:
        A dataset.
    """
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def load(
    path: PathLikeOrTensor, element_spec: object = None, compression: str | None = None, reader_func: object = None
) -> Dataset:
    """The dataset that `save` wrote: `Dataset.load`.

    >>> import gradtape as tf
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.data.experimental.save(tf.data.Dataset.range(3), folder)
    >>> [int(x) for x in tf.data.experimental.load(folder)]
    [0, 1, 2]

    Args:
        path: The folder.
        element_spec: The specs of the elements; None: those that were saved.
        compression: "GZIP", if it was saved so.
        reader_func: A function of a dataset of the parts that gives the dataset of the elements.

    Returns:
        A dataset.
    """
    return Dataset.load(path, element_spec, compression, reader_func)


def _applied(method: str, text: str) -> Callable[..., Transformation]:
    """The method of a dataset, as a function that takes its settings and returns a function of the dataset."""

    def with_settings(*args: object, **settings: object) -> Transformation:
        return lambda dataset: getattr(dataset, method)(*args, **settings)

    with_settings.__name__ = with_settings.__qualname__ = method
    with_settings.__doc__ = text
    parameters = inspect.signature(getattr(Dataset, method)).parameters.values()
    wanted = [one for one in parameters if one.name not in ("self", "name")]
    with_settings.__signature__ = inspect.Signature(wanted)  # type: ignore[attr-defined]
    return with_settings


bucket_by_sequence_length = _applied(
    "bucket_by_sequence_length",
    """Batches of elements of similar length: `Dataset.bucket_by_sequence_length`, for `dataset.apply`.

    >>> import gradtape as tf
    >>> texts = tf.data.Dataset.from_generator(lambda: ([1], [2, 3], [4]), output_signature=tf.TensorSpec([None], tf.int32))
    >>> step = tf.data.experimental.bucket_by_sequence_length(tf.size, [2], [2, 2])
    >>> [batch.numpy().tolist() for batch in texts.apply(step)]
    [[[1], [4]], [[2, 3]]]

    Args:
        element_length_func: A function of an element that gives its length.
        bucket_boundaries: The lengths at which buckets begin, but for the first.
        bucket_batch_sizes: For each bucket, how many elements make a batch; one more than boundaries.
        padded_shapes: The shapes to pad to; by default the largest of the batch.
        padding_values: What to pad with; 0 by default.
        pad_to_bucket_boundary: Whether to pad to the length at which the next bucket begins, less one.
        no_padding: Whether the elements of a batch have one shape and are not padded.
        drop_remainder: Whether a last batch with fewer elements is left out.

    Returns:
        A function for `dataset.apply`.
    """,
)
dense_to_ragged_batch = _applied(
    "ragged_batch",
    """Batches as ragged tensors: `Dataset.ragged_batch`, for `dataset.apply`.

    >>> import gradtape as tf
    >>> counted = tf.data.Dataset.range(1, 4).map(tf.range)
    >>> [batch.to_list() for batch in counted.apply(tf.data.experimental.dense_to_ragged_batch(2))]
    [[[0], [0, 1]], [[0, 1, 2]]]

    Args:
        batch_size: How many elements make a batch.
        drop_remainder: Whether a last batch with fewer elements is left out.
        row_splits_dtype: int32 or int64, for the row splits of the ragged tensors.

    Returns:
        A function for `dataset.apply`.
    """,
)
dense_to_sparse_batch = _applied(
    "sparse_batch",
    """Batches as sparse tensors: `Dataset.sparse_batch`, for `dataset.apply`.

    >>> import gradtape as tf
    >>> counted = tf.data.Dataset.range(1, 3).map(lambda n: tf.ones([n]))
    >>> batch = next(iter(counted.apply(tf.data.experimental.dense_to_sparse_batch(2, [4]))))
    >>> tf.sparse.to_dense(batch).numpy()
    array([[1., 0., 0., 0.],
           [1., 1., 0., 0.]], dtype=float32)

    Args:
        batch_size: How many elements make a batch.
        row_shape: The largest shape of an element.

    Returns:
        A function for `dataset.apply`.
    """,
)
enumerate_dataset = _applied(
    "enumerate",
    """Pairs of a number and an element: `Dataset.enumerate`, for `dataset.apply`.

    >>> import gradtape as tf
    >>> numbered = tf.data.Dataset.from_tensor_slices(["a", "b"]).apply(tf.data.experimental.enumerate_dataset(1))
    >>> [(int(number), element.numpy()) for number, element in numbered]
    [(1, b'a'), (2, b'b')]

    Args:
        start: The number of the first element.

    Returns:
        A function for `dataset.apply`.
    """,
)
group_by_window = _applied(
    "group_by_window",
    """Elements with one key gathered to windows: `Dataset.group_by_window`, for `dataset.apply`.

    >>> import gradtape as tf
    >>> step = tf.data.experimental.group_by_window(lambda x: x % 2, lambda key, window: window.batch(3), window_size=3)
    >>> [batch.numpy().tolist() for batch in tf.data.Dataset.range(6).apply(step)]
    [[0, 2, 4], [1, 3, 5]]

    Args:
        key_func: A function of an element that gives its key, an int64 number.
        reduce_func: A function of a key and a dataset of its elements that gives a dataset.
        window_size: How many elements make a window.
        window_size_func: A function of a key that gives the size, in place of `window_size`.

    Returns:
        A function for `dataset.apply`.
    """,
)
ignore_errors = _applied(
    "ignore_errors",
    """The elements that can be computed; those with an error are left out. `Dataset.ignore_errors`, for `dataset.apply`.

    >>> import gradtape as tf
    >>> numbers = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
    >>> checked = numbers.map(lambda x: tf.debugging.check_numerics(1 / x, "no number"))
    >>> [float(x) for x in checked.apply(tf.data.experimental.ignore_errors())]
    [1.0, 0.5]

    Args:
        log_warning: Whether to log each error.

    Returns:
        A function for `dataset.apply`.
    """,
)
scan = _applied(
    "scan",
    """What a function makes of a state and each element: `Dataset.scan`, for `dataset.apply`.

    >>> import gradtape as tf
    >>> step = tf.data.experimental.scan(tf.constant(0, tf.int64), lambda total, x: (total + x, total + x))
    >>> [int(x) for x in tf.data.Dataset.range(1, 5).apply(step)]
    [1, 3, 6, 10]

    Args:
        initial_state: The first state.
        scan_func: A function of the state and an element that gives the next state and an element.

    Returns:
        A function for `dataset.apply`.
    """,
)
snapshot = _applied(
    "snapshot",
    """The elements, written in the first pass and read in later ones: `Dataset.snapshot`, for `dataset.apply`.

    >>> import gradtape as tf, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> numbers = tf.data.Dataset.range(3).apply(tf.data.experimental.snapshot(folder))
    >>> [[int(x) for x in numbers] for _ in range(2)]
    [[0, 1, 2], [0, 1, 2]]

    Args:
        path: The folder.
        compression: "AUTO", "GZIP", "SNAPPY" or None.
        reader_func: A function of a dataset of the parts that gives the dataset of the elements.
        shard_func: A function of an element that gives the number of the part it is written to.

    Returns:
        A function for `dataset.apply`.
    """,
)
take_while = _applied(
    "take_while",
    """The elements before the first for which a function gives False: `Dataset.take_while`, for `dataset.apply`.

    >>> import gradtape as tf
    >>> [int(x) for x in tf.data.Dataset.range(9).apply(tf.data.experimental.take_while(lambda x: x < 3))]
    [0, 1, 2]

    Args:
        predicate: A function of an element that gives one truth value.

    Returns:
        A function for `dataset.apply`.
    """,
)
unbatch = _applied(
    "unbatch",
    """The elements of batches one by one: `Dataset.unbatch`, for `dataset.apply`.

    >>> import gradtape as tf
    >>> [int(x) for x in tf.data.Dataset.range(4).batch(2).apply(tf.data.experimental.unbatch())]
    [0, 1, 2, 3]

    Returns:
        A function for `dataset.apply`.
    """,
)
unique = _applied(
    "unique",
    """Each element once, where it occurs first: `Dataset.unique`, for `dataset.apply`.

    >>> import gradtape as tf
    >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 2, 1]).apply(tf.data.experimental.unique())]
    [1, 2]

    Returns:
        A function for `dataset.apply`.
    """,
)


def cardinality(dataset: Dataset) -> Tensor:
    """How many elements there are: `dataset.cardinality()`.

    >>> import gradtape as tf
    >>> int(tf.data.experimental.cardinality(tf.data.Dataset.range(10).batch(3)))
    4

    Args:
        dataset: A dataset.

    Returns:
        An int64 number; -1 without end, -2 where it is not known.
    """
    return dataset.cardinality()


def get_single_element(dataset: Dataset[_Element]) -> _Element:
    """The only element: `dataset.get_single_element()`.

    >>> import gradtape as tf
    >>> tf.data.experimental.get_single_element(tf.data.Dataset.range(3).batch(3)).numpy()
    array([0, 1, 2])

    Args:
        dataset: A dataset of one element.

    Returns:
        The element.

    Raises:
        tf.errors.InvalidArgumentError: There are none, or several.
    """
    return dataset.get_single_element()


def to_variant(dataset: Any) -> Any:
    """What kernels of `tf.raw_ops` take for a dataset: the dataset itself.

    >>> import gradtape as tf
    >>> dataset = tf.data.Dataset.range(3)
    >>> int(tf.raw_ops.DatasetCardinality(input_dataset=tf.data.experimental.to_variant(dataset)))
    3

    Args:
        dataset: A dataset.

    Returns:
        The dataset.
    """
    return dataset


def from_variant(variant: Any, structure: Any) -> Any:
    """The dataset of what kernels of `tf.raw_ops` give, with elements of this structure.

    >>> import gradtape as tf
    >>> kind = {"output_types": ["int64"], "output_shapes": [[]]}
    >>> part = tf.raw_ops.TakeDataset(input_dataset=tf.data.Dataset.range(9), count=2, **kind)
    >>> [int(x) for x in tf.data.experimental.from_variant(part, tf.TensorSpec([], "int64"))]
    [0, 1]

    Args:
        variant: What `to_variant` or such a kernel gave.
        structure: The specs of an element.

    Returns:
        A dataset.
    """
    if nest.flatten(structure)[0] is structure:
        return variant
    return variant.map(lambda *parts: nest.pack_sequence_as(structure, nest.flatten(parts)))


def get_structure(dataset_or_iterator: Any) -> Any:
    """The specs of the elements.

    >>> import gradtape as tf
    >>> tf.data.experimental.get_structure(tf.data.Dataset.range(3))
    TensorSpec(shape=(), dtype=tf.int64, name=None)

    Args:
        dataset_or_iterator: A dataset or an iterator over one.

    Returns:
        A spec, or a structure of specs.

    Raises:
        TypeError: It is neither.
    """
    if not isinstance(dataset_or_iterator, (Dataset, Iterator)):
        raise TypeError(f"A dataset or an iterator is needed, got {dataset_or_iterator!r}.")
    return dataset_or_iterator.element_spec


def get_next_as_optional(iterator: Iterator) -> Optional:
    """The next element as an Optional, which is empty at the end: `iterator.get_next_as_optional()`.

    >>> import gradtape as tf
    >>> iterator = iter(tf.data.Dataset.range(1))
    >>> [bool(tf.data.experimental.get_next_as_optional(iterator).has_value()) for _ in range(2)]
    [True, False]

    Args:
        iterator: An iterator over a dataset.

    Returns:
        A `tf.experimental.Optional`.
    """
    return iterator.get_next_as_optional()


def from_list(elements: Any, name: str | None = None) -> Dataset:
    """A dataset of the elements of a list.

    >>> import gradtape as tf
    >>> [int(x["n"]) for x in tf.data.experimental.from_list([{"n": 1}, {"n": 2}])]
    [1, 2]

    Args:
        elements: A list of elements of one structure, at least one.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A dataset.

    Raises:
        ValueError: The list is empty.
    """
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
    """Write the elements into a folder, for `load`: `dataset.save(path)`.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.data.experimental.save(tf.data.Dataset.range(3), folder)
    >>> len(os.listdir(folder)) > 0
    True

    Args:
        dataset: A dataset that ends.
        path: The folder.
        compression: "GZIP", or None.
        shard_func: A function of an element that gives the number of the part it is written to.
        checkpoint_args: Ignored; accepted for compatibility with TensorFlow.
    """
    dataset.save(path, compression, shard_func, checkpoint_args)


def assert_cardinality(expected_cardinality: object) -> Transformation:
    """The same elements, with an error in the iteration where their number is not the given one.

    >>> import gradtape as tf
    >>> numbers = tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0)
    >>> int(numbers.apply(tf.data.experimental.assert_cardinality(3)).cardinality())
    3

    Args:
        expected_cardinality: How many elements there are.

    Returns:
        A function for `dataset.apply`.
    """
    expected = as_int(expected_cardinality)
    return lambda dataset: dataset._then(transforms.AssertCardinality(dataset._node, expected))


def copy_to_device(target_device: object, source_device: object = "/cpu:0") -> Transformation:
    """The same dataset: there is one device.

    >>> import gradtape as tf
    >>> len(list(tf.data.Dataset.range(3).apply(tf.data.experimental.copy_to_device("/gpu:0"))))
    3

    Args:
        target_device: Ignored; accepted for compatibility with TensorFlow.
        source_device: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A function for `dataset.apply`.
    """
    return lambda dataset: dataset


def prefetch_to_device(device: object, buffer_size: IntLike | None = None) -> Transformation:
    """Elements computed ahead of their use: `dataset.prefetch(buffer_size)`. There is one device.

    >>> import gradtape as tf
    >>> len(list(tf.data.Dataset.range(3).apply(tf.data.experimental.prefetch_to_device("/gpu:0", 1))))
    3

    Args:
        device: Ignored; accepted for compatibility with TensorFlow.
        buffer_size: How many elements are computed ahead; None: one.

    Returns:
        A function for `dataset.apply`.
    """
    return lambda dataset: dataset.prefetch(buffer_size)


def shuffle_and_repeat(
    buffer_size: IntLike, count: IntLike | None = None, seed: TensorLike | None = None
) -> Transformation:
    """The elements in random order, several times: `dataset.shuffle(buffer_size, seed).repeat(count)`.

    >>> import gradtape as tf
    >>> twice = tf.data.Dataset.range(3).apply(tf.data.experimental.shuffle_and_repeat(3, count=2, seed=1))
    >>> sorted(int(x) for x in twice)
    [0, 0, 1, 1, 2, 2]

    Args:
        buffer_size: Among how many elements the next one is drawn.
        count: How many passes; None: without end.
        seed: Where the random numbers begin.

    Returns:
        A function for `dataset.apply`.
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: IntLike,
    num_parallel_batches: object = None,
    drop_remainder: bool = False,
    num_parallel_calls: object = None,
) -> Transformation:
    """Batches of what a function makes of the elements: `dataset.map(map_func).batch(batch_size)`.

    >>> import gradtape as tf
    >>> squares = tf.data.Dataset.range(5).apply(tf.data.experimental.map_and_batch(lambda x: x * x, 3))
    >>> [batch.numpy().tolist() for batch in squares]
    [[0, 1, 4], [9, 16]]

    Args:
        map_func: A function of an element.
        batch_size: How many elements make a batch.
        num_parallel_batches: For how many batches the function is called at once.
        drop_remainder: Whether a last batch with fewer elements is left out.
        num_parallel_calls: For how many elements the function is called at once.

    Returns:
        A function for `dataset.apply`.

    Raises:
        ValueError: Both numbers of calls are given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError("map_and_batch: give one of `num_parallel_batches` and `num_parallel_calls`, and not both.")
    calls = num_parallel_calls if num_parallel_batches is None else as_int(batch_size) * as_int(num_parallel_batches)
    return lambda dataset: dataset.map(map_func, num_parallel_calls=calls).batch(batch_size, drop_remainder)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: IntLike,
    block_length: IntLike = 1,
    sloppy: bool = False,
    buffer_output_elements: object = None,
    prefetch_input_elements: object = None,
) -> Transformation:
    """Elements of several datasets in turns: `dataset.interleave`, with a thread for each dataset of the cycle.

    >>> import gradtape as tf
    >>> step = tf.data.experimental.parallel_interleave(lambda x: tf.data.Dataset.range(x, x + 2), cycle_length=2)
    >>> [int(x) for x in tf.data.Dataset.from_tensor_slices(tf.constant([0, 10], tf.int64)).apply(step)]
    [0, 10, 1, 11]

    Args:
        map_func: A function of an element that gives a dataset.
        cycle_length: How many datasets are read in turns.
        block_length: How many elements are taken from one before the next.
        sloppy: Ignored; accepted for compatibility with TensorFlow.
        buffer_output_elements: Ignored; accepted for compatibility with TensorFlow.
        prefetch_input_elements: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A function for `dataset.apply`.
    """
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, num_parallel_calls=cycle_length)


__path__: list[str] = []  # as a package, so that `tf.data.experimental.service` is asked for and refused by name

__dir__ = listing(globals())
