"""Where the elements of a dataset come from: arrays, generators, numbers, files, other datasets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from ...base import dtypes, nest
from ...base.shapes import TensorShape
from ...base.types import DenseLike, DTypeLike, IntLike
from ...op.arguments import flag, optional_flag, takes
from ...op.attributes import as_int
from ...values.tensor import Tensor, TensorSpec, to_tensor, value_of
from .. import files, mixing, sources
from ..iterator import T
from .pipeline import Pipeline, dataset_of

if TYPE_CHECKING:
    from ..dataset import Dataset

_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")


class Making(Pipeline[T]):
    """The static methods of `Dataset` that make one."""

    @overload
    @staticmethod
    def from_tensor_slices(  # type: ignore[overload-overlap]
        tensors: tuple[DenseLike, DenseLike], name: str | None = None
    ) -> Dataset[tuple[Tensor, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensor_slices(  # type: ignore[overload-overlap]
        tensors: tuple[DenseLike, DenseLike, DenseLike], name: str | None = None
    ) -> Dataset[tuple[Tensor, Tensor, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensor_slices(tensors: Mapping[_A, DenseLike], name: str | None = None) -> Dataset[dict[_A, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensor_slices(tensors: DenseLike, name: str | None = None) -> Dataset[Tensor]: ...
    @overload
    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset[Any]: ...
    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """The rows of an array or tensor, or of all in a structure.

        >>> pairs = tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"]))
        >>> [(x.numpy().item(), y.numpy()) for x, y in pairs]
        [(1, b'a'), (2, b'b')]

        Args:
            tensors: An array, a tensor, or tuples and dicts of them, whose first axes have one size.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return dataset_of(sources.TensorSlices(tensors))

    @overload
    @staticmethod
    def from_tensors(  # type: ignore[overload-overlap]
        tensors: tuple[DenseLike, DenseLike], name: str | None = None
    ) -> Dataset[tuple[Tensor, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensors(  # type: ignore[overload-overlap]
        tensors: tuple[DenseLike, DenseLike, DenseLike], name: str | None = None
    ) -> Dataset[tuple[Tensor, Tensor, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensors(tensors: Mapping[_A, DenseLike], name: str | None = None) -> Dataset[dict[_A, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensors(tensors: DenseLike, name: str | None = None) -> Dataset[Tensor]: ...
    @overload
    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset[Any]: ...
    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """One element.

        >>> import gradtape as tf
        >>> [x.numpy().tolist() for x in tf.data.Dataset.from_tensors([1, 2, 3])]
        [[1, 2, 3]]

        Args:
            tensors: The element: an array, a tensor, or tuples and dicts of them.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return dataset_of(sources.Tensors(tensors))

    @overload
    @staticmethod
    def from_generator(
        generator: Callable[..., Any], *, args: Any = ..., output_signature: TensorSpec, name: str | None = ...
    ) -> Dataset[Tensor]: ...
    @overload
    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        *,
        args: Any = ...,
        output_signature: tuple[TensorSpec, TensorSpec],
        name: str | None = ...,
    ) -> Dataset[tuple[Tensor, Tensor]]: ...
    @overload
    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = ...,
        output_shapes: Any = ...,
        args: Any = ...,
        output_signature: Any = ...,
        name: str | None = ...,
    ) -> Dataset[Any]: ...
    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """What a function yields, checked against the specs of `output_signature`.

        >>> def count():
        ...     yield from range(3)
        >>> numbers = tf.data.Dataset.from_generator(count, output_signature=tf.TensorSpec([], tf.int32))
        >>> [int(x) for x in numbers]
        [0, 1, 2]

        Args:
            generator: A function that returns an iterable; it is called anew for each iteration.
            output_types: The types of an element's parts, in place of `output_signature`.
            output_shapes: Their shapes, beside `output_types`; None: any.
            args: The arguments of the function, which it gets as NumPy arrays; None: it has none.
            output_signature: The spec of an element: a `tf.TensorSpec`, or a structure of specs.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.

        Raises:
            TypeError: `generator` cannot be called, or there is no signature.
        """
        if not callable(generator):
            raise TypeError(f"from_generator: `generator` must be a Python callable, got {generator!r}.")
        if output_signature is None:
            if output_types is None:
                raise TypeError(
                    "from_generator: give output_signature=tf.TensorSpec(shape, dtype), or a structure of these."
                )
            output_signature = _signature(output_types, output_shapes)
        elif output_types is not None or output_shapes is not None:
            raise TypeError("from_generator: give output_signature, or output_types and output_shapes, and not both.")
        for leaf in nest.flatten(output_signature):
            if not hasattr(leaf, "is_compatible_with") or isinstance(leaf, dtypes.DType):
                raise TypeError(
                    f"from_generator: output_signature must hold specs such as tf.TensorSpec, got {leaf!r}."
                )
        signature, tensors = _without_lists(output_signature), [to_tensor(arg) for arg in args or ()]

        return dataset_of(sources.Generated(generator, signature, tuple(map(value_of, tensors))))

    @staticmethod
    def range(*args: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Dataset[Tensor]:
        """Numbers as in Python's `range`.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(2, 10, 3)]
        [2, 5, 8]

        Args:
            *args: The end; the start and the end; or both and the step.
            output_type: The type of the numbers.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        dtype = dtypes.as_dtype(output_type)
        return dataset_of(sources.range_of(args, dtype))

    @staticmethod
    def counter(
        start: IntLike = 0, step: Any = 1, dtype: DTypeLike = dtypes.int64, name: str | None = None
    ) -> Dataset[Tensor]:
        """The numbers `start`, `start + step`, `start + 2 * step` and so on, without end.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.counter(start=5, step=2).take(3)]
        [5, 7, 9]

        Args:
            start: The first number.
            step: What is added each time.
            dtype: The type of the numbers.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset without end.
        """
        return dataset_of(sources.Counting(as_int(start), as_int(step), dtypes.as_dtype(dtype)))

    @staticmethod
    @takes(rerandomize_each_iteration=optional_flag)
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset[Tensor]:
        """Random numbers below 2**32 as int64, without end.

        >>> import gradtape as tf
        >>> numbers = tf.data.Dataset.random(seed=1).take(2)
        >>> [int(x) for x in numbers] == [int(x) for x in numbers]
        True

        Args:
            seed: Where the random numbers begin; None: elsewhere each time.
            rerandomize_each_iteration: Whether each pass has other numbers, also with a seed.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return dataset_of(sources.Random(seed, bool(rerandomize_each_iteration)))

    @overload
    @staticmethod
    def zip(first: Dataset[_A], second: Dataset[_B], /, *, name: str | None = None) -> Dataset[tuple[_A, _B]]: ...
    @overload
    @staticmethod
    def zip(datasets: tuple[Dataset[_A], Dataset[_B]], name: str | None = None) -> Dataset[tuple[_A, _B]]: ...
    @overload
    @staticmethod
    def zip(
        first: Dataset[_A], second: Dataset[_B], third: Dataset[_C], /, *, name: str | None = None
    ) -> Dataset[tuple[_A, _B, _C]]: ...
    @overload
    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset[Any]: ...
    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """The elements of several datasets side by side, in the structure in which the datasets are given.

        >>> pairs = tf.data.Dataset.zip(tf.data.Dataset.range(2), tf.data.Dataset.range(5, 7))
        >>> [(int(x), int(y)) for x, y in pairs]
        [(0, 5), (1, 6)]

        Args:
            *args: Datasets, or one structure of them: tuples or dicts.
            datasets: The structure, by name.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset as long as the shortest of them.

        Raises:
            TypeError: There is no dataset, or something that is none.
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        given = datasets if not args else args[0] if len(args) == 1 else args
        parts = nest.flatten(given)
        if any(isinstance(part, list) for part in args):
            raise TypeError(f"zip: datasets are needed, in tuples or dicts; a list is none, got {args!r}.")
        for part in parts:
            if not isinstance(part, Pipeline):
                raise TypeError(f"zip: datasets are needed, got {part!r}.")
        like = nest.map_structure(lambda part: None, given)
        like = tuple(like) if isinstance(like, list) else like
        return parts[0]._then(sources.Zip(like, [part._node for part in parts]), *parts[1:])

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset[Tensor]:
        """The names of the files that match a pattern, or one of several; in random order unless `shuffle` is False.

        >>> import gradtape as tf
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> for name in ("a.txt", "b.txt", "c.csv"):
        ...     tf.io.write_file(os.path.join(folder, name), "text")
        >>> found = tf.data.Dataset.list_files(os.path.join(folder, "*.txt"), shuffle=False)
        >>> [os.path.basename(path.numpy().decode()) for path in found]
        ['a.txt', 'b.txt']

        Args:
            file_pattern: A pattern with `*` and `?`, or several.
            shuffle: Whether the order is random; None is the same as True.
            seed: For the same order in every run.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset of paths.

        Raises:
            InvalidArgumentError: No file matches.
        """
        names = files.matching_files(file_pattern)
        found = dataset_of(sources.TensorSlices(names))
        return found.shuffle(len(names), seed=seed) if shuffle is None or shuffle else found

    @staticmethod
    @takes(stop_on_empty_dataset=flag, rerandomize_each_iteration=optional_flag)
    def sample_from_datasets(
        datasets: Sequence[Dataset[_A]],
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset[_A]:
        """Each element from one of the datasets, chosen at random with these weights.

        >>> import gradtape as tf
        >>> zeros, ones = (tf.data.Dataset.from_tensors(x).repeat() for x in (0, 1))
        >>> mixed = tf.data.Dataset.sample_from_datasets([zeros, ones], weights=[0.0, 1.0])
        >>> [int(x) for x in mixed.take(3)]
        [1, 1, 1]

        Args:
            datasets: A list of datasets with elements of one kind.
            weights: A number for each dataset, or a dataset of such vectors; None: all are equally likely.
            seed: Where the random numbers begin; None: elsewhere each time.
            stop_on_empty_dataset: Whether to stop at the end of the first dataset that ends; else the others go on.
            rerandomize_each_iteration: Whether each iteration makes other choices, also with a seed.

        Returns:
            A dataset.

        Raises:
            ValueError: There is no dataset, or another number of weights.
        """
        parts = _several(datasets, "sample_from_datasets")
        if isinstance(weights, Pipeline):
            chances: Any = weights._node
        else:
            chances = np.full(len(parts), 1.0 / len(parts)) if weights is None else np.asarray(to_tensor(weights))
            if chances.shape != (len(parts),) or (chances.dtype.kind != "f" and chances.dtype.kind not in "iu"):
                raise ValueError(
                    f"sample_from_datasets: `weights` should have the same length as `datasets` but got {chances.shape} "
                    f"for {len(parts)}."
                )
        renew = bool(rerandomize_each_iteration)
        node = mixing.Sample([part._node for part in parts], chances, seed, stop_on_empty_dataset, renew)
        return parts[0]._then(node, *parts[1:])

    @staticmethod
    @takes(stop_on_empty_dataset=flag)
    def choose_from_datasets(
        datasets: Sequence[Dataset[_A]], choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset[_A]:
        """Each element from the dataset whose number `choice_dataset` gives.

        >>> import gradtape as tf
        >>> letters = [tf.data.Dataset.from_tensors(x).repeat() for x in ("a", "b")]
        >>> choices = tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 1], tf.int64))
        >>> [x.numpy() for x in tf.data.Dataset.choose_from_datasets(letters, choices)]
        [b'a', b'b', b'b']

        Args:
            datasets: A list of datasets with elements of one kind.
            choice_dataset: A dataset of int64 numbers.
            stop_on_empty_dataset: Whether to stop where the chosen dataset has ended; else the choice is passed over.

        Returns:
            A dataset.

        Raises:
            TypeError: `choice_dataset` is no dataset.
        """
        parts = _several(datasets, "choose_from_datasets")
        if not isinstance(choice_dataset, Pipeline):
            raise TypeError(f"choose_from_datasets: choice_dataset must be a dataset, got {choice_dataset!r}.")
        node = mixing.Choose([part._node for part in parts], choice_dataset._node, stop_on_empty_dataset)
        return parts[0]._then(node, *parts[1:], choice_dataset)


def _several(datasets: Any, name: str) -> list[Dataset]:
    parts = list(datasets)
    if not parts:
        raise ValueError(f"{name}: `datasets` is empty; give at least one.")
    for part in parts:
        if not isinstance(part, Pipeline):
            raise TypeError(f"{name}: datasets are needed, got {part!r}.")
    return parts


def _signature(types: Any, shapes: Any) -> Any:
    """Specs from TensorFlow's older pair of arguments."""
    if shapes is None:
        return nest.map_structure(lambda dtype: TensorSpec(None, dtype), types)

    def matched(kind: Any, shape: Any) -> Any:
        if not nest.is_nested(kind):
            return TensorSpec(TensorShape(shape), dtypes.as_dtype(kind))
        if isinstance(kind, dict):
            return {key: matched(part, shape[key]) for key, part in kind.items()}
        return tuple(matched(part, inner) for part, inner in zip(kind, shape, strict=True))

    return matched(types, shapes)


def _without_lists(structure: Any) -> Any:
    """The structure with lists replaced by tuples: a list is not a structure in a dataset."""
    if isinstance(structure, dict):
        return type(structure)((key, _without_lists(part)) for key, part in structure.items())
    if isinstance(structure, (list, tuple)) and not hasattr(structure, "_fields"):
        return tuple(_without_lists(part) for part in structure)
    return structure
