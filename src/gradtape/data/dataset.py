"""`tf.data.Dataset`: the public interface of a pipeline. Each method adds a step; nothing runs before the first iteration."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Generic, NoReturn, TypeVar, overload

import numpy as np

from ..autograph import convert, public
from ..base import dtypes, nest
from ..base.context import STATE
from ..base.errors import invalid
from ..base.notebook import Form, in_notebook
from ..base.shapes import TensorShape
from ..base.types import DenseLike, DTypeLike, IntLike
from ..io.records import text_of
from ..op.arguments import flag, function, optional_flag, takes, truth
from ..op.attributes import as_int
from ..values.tensor import Tensor, TensorSpec, to_tensor, value_of
from . import batching, caching, files, grouping, mixing, nested, resampling, selection, sources, structure, transforms
from .functions import Function
from .iterator import Iterator, NumpyIterator, T, begin
from .node import INFINITE, UNKNOWN, Node, Settings
from .options import Options
from .shuffling import Shuffle
from .transforms import AUTOTUNE

_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")
_Result = TypeVar("_Result")
_State = TypeVar("_State")


class Dataset(Generic[T]):
    """A sequence of elements, produced from arrays, files or generators in steps.

    A dataset can be iterated any number of times; each iteration runs the steps anew.

    >>> numbers = tf.data.Dataset.from_tensor_slices([1, 2, 3, 4, 5])
    >>> for batch in numbers.map(lambda x: x * x).batch(2):
    ...     print(batch.numpy())
    [1 4]
    [ 9 16]
    [25]

    Args:
        node: The step that produces the elements. Users make datasets with the methods, such as `from_tensor_slices`.
        options: Settings of the pipeline.
    """

    def __init__(self, node: Node, options: Options | None = None) -> None:
        if not isinstance(node, Node):
            raise TypeError(
                f"Dataset is made by its methods, such as tf.data.Dataset.from_tensor_slices, not from {node!r}."
            )
        self._node = node
        self._options = Options() if options is None else options

    def _then(self, node: Node, *others: Dataset) -> Dataset:
        """The dataset of a further step."""
        options = self._options
        for other in others:
            options = options.merge(other._options)
        return Dataset(node, options)

    # --- iteration -------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[T]:
        deterministic = self._options.deterministic
        threads = self._options.threading.private_threadpool_size
        return Iterator(self._node, Settings(deterministic is not False, threads or None))

    def begin_in_function(self) -> Iterator[T]:
        """What `iter` gives inside a function: a new pass each time that the function runs.

        The elements of a dataset made of the function's own tensors are taken apart while it is recorded.

        >>> import gradtape as tf
        >>> @tf.function
        ... def total(numbers):
        ...     found = tf.constant(0, tf.int64)
        ...     for x in numbers:
        ...         found += x
        ...     return found
        >>> int(total(tf.data.Dataset.range(4)))
        6

        Returns:
            An iterator.
        """
        return iter(self) if self._is_symbolic() else begin(self)

    def length_in_function(self) -> Any:
        """What `len` gives inside a function.

        >>> import gradtape as tf
        >>> tf.function(lambda n: tf.data.Dataset.range(n).length_in_function())(tf.constant(3)).numpy()
        np.int64(3)

        Returns:
            An int; an int64 tensor where the dataset is made of the function's own tensors.

        Raises:
            TypeError: The length is infinite or unknown.
        """
        return len(self)

    def _is_symbolic(self) -> bool:
        """Whether it is made of tensors that have no value before a function runs, and its elements are taken apart here."""
        return False

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator with NumPy arrays in place of tensors.

        >>> list(tf.data.Dataset.range(3).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]

        Returns:
            An iterator.
        """
        return NumpyIterator(iter(self))

    def __len__(self) -> int:
        count = self._node.cardinality()
        if count == INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def __bool__(self) -> bool:
        return True

    __nonzero__ = __bool__

    def __getitem__(self, key: Any) -> NoReturn:
        raise TypeError(f"A dataset is not subscriptable; use dataset.skip({key!r}).take(1), or iterate over it.")

    def cardinality(self) -> Tensor:
        """How many elements there are, or INFINITE_CARDINALITY or UNKNOWN_CARDINALITY, as an int64 tensor.

        >>> import gradtape as tf
        >>> int(tf.data.Dataset.range(7).batch(2).cardinality())
        4
        >>> int(tf.data.Dataset.range(7).repeat().cardinality()) == tf.data.INFINITE_CARDINALITY
        True

        Returns:
            An int64 tensor.
        """
        return structure.int64(self._node.cardinality())

    @property
    def element_spec(self) -> Any:
        """The specs of the elements: their structure, types and shapes.

        After a step with a user's function, they come from a trace of it: a size that depends on values is None.

        >>> import gradtape as tf
        >>> tf.data.Dataset.range(3).map(lambda n: tf.range(n)).element_spec
        TensorSpec(shape=(None,), dtype=tf.int64, name=None)
        """
        return self._node.spec()

    @property
    def _type_spec(self) -> Any:
        return nested.DatasetSpec(self.element_spec)

    def _listed(self) -> list[Any]:
        """The elements of a window, for a saved state."""
        if not isinstance(self._node, nested.Listed):
            raise TypeError("A dataset inside of a dataset can be saved only where `window` made it.")
        return self._node.elements

    def get_single_element(self, name: str | None = None) -> T:
        """The only element.

        >>> import gradtape as tf
        >>> int(tf.data.Dataset.range(5).batch(5).map(tf.reduce_sum).get_single_element())
        10

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The element.

        Raises:
            InvalidArgumentError: There is none, or more than one.
        """
        if STATE.trace is not None and STATE.trace.recorder is not None:
            return self._single_in_function()
        return self._single()

    def _single_in_function(self) -> Any:
        """The same inside a function: a step of it."""
        raise NotImplementedError  # set by in_functions.py, which stands above this module

    def _single(self) -> Any:
        iterator = iter(self)
        try:
            element = next(iterator)
        except StopIteration:
            raise invalid("Dataset was empty.") from None
        for _ in iterator:
            raise invalid("Dataset had more than one element.")
        return element

    def reduce(self, initial_state: Any, reduce_func: Callable[..., _State], name: str | None = None) -> _State:
        """The state after a function of state and element was applied to all elements in turn.

        >>> tf.data.Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x).numpy()
        np.int64(10)

        Args:
            initial_state: The state before the first element: a tensor, or a structure of them.
            reduce_func: A function of the state and an element, that returns the next state, of the same types and shapes.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The last state.
        """
        if STATE.trace is not None and not self._is_symbolic():
            return self._reduced_in_function(initial_state, reduce_func)
        state = initial = structure.element_of(initial_state)
        function = Function(reduce_func, "reduce")
        for element in self:
            state = structure.element_of(function(state, element))
            transforms.check_state(initial, state, "reduce")
        return state

    def _reduced_in_function(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """The same inside a function: a loop of its graph."""
        initial = nest.map_structure(to_tensor, initial_state)
        function = convert(reduce_func)

        def turn(element: Any, *state: Any) -> list[Any]:
            given = element if element.__class__ is tuple else (element,)
            following = function(nest.pack_sequence_as(initial, state), *given)
            transforms.check_state(initial, following, "reduce")
            return [element, *nest.flatten(following)]

        after = public.control().for_dataset(self, turn, nest.flatten(initial))
        return nest.pack_sequence_as(initial, after)

    # --- where elements come from ----------------------------------------------------------------------------

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
        return Dataset(sources.TensorSlices(tensors))

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
        return Dataset(sources.Tensors(tensors))

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

        return Dataset(sources.Generated(generator, signature, tuple(map(value_of, tensors))))

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
        return Dataset(sources.range_of(args, dtype))

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
        return Dataset(sources.Counting(as_int(start), as_int(step), dtypes.as_dtype(dtype)))

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
        return Dataset(sources.Random(seed, bool(rerandomize_each_iteration)))

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
            if not isinstance(part, Dataset):
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
        found = Dataset.from_tensor_slices(names)
        return found.shuffle(len(names), seed=seed) if shuffle is None or shuffle else found

    @staticmethod
    @takes(stop_on_empty_dataset=flag, rerandomize_each_iteration=optional_flag)
    def sample_from_datasets(
        datasets: Any,
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:
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
        if isinstance(weights, Dataset):
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
    def choose_from_datasets(datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = True) -> Dataset:
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
        """
        parts = _several(datasets, "choose_from_datasets")
        if not isinstance(choice_dataset, Dataset):
            raise TypeError(f"choose_from_datasets: choice_dataset must be a dataset, got {choice_dataset!r}.")
        node = mixing.Choose([part._node for part in parts], choice_dataset._node, stop_on_empty_dataset)
        return parts[0]._then(node, *parts[1:], choice_dataset)

    # --- functions of elements -------------------------------------------------------------------------------

    @overload
    def map(
        self: Dataset[tuple[_A, _B]],
        map_func: Callable[[_A, _B], _Result],
        num_parallel_calls: Any = ...,
        deterministic: bool | None = ...,
        synchronous: bool | None = ...,
        use_unbounded_threadpool: bool = ...,
        name: str | None = ...,
    ) -> Dataset[_Result]: ...
    @overload
    def map(
        self: Dataset[tuple[_A, _B, _C]],
        map_func: Callable[[_A, _B, _C], _Result],
        num_parallel_calls: Any = ...,
        deterministic: bool | None = ...,
        synchronous: bool | None = ...,
        use_unbounded_threadpool: bool = ...,
        name: str | None = ...,
    ) -> Dataset[_Result]: ...
    @overload
    def map(
        self: Dataset[_A],
        map_func: Callable[[_A], _Result],
        num_parallel_calls: Any = ...,
        deterministic: bool | None = ...,
        synchronous: bool | None = ...,
        use_unbounded_threadpool: bool = ...,
        name: str | None = ...,
    ) -> Dataset[_Result]: ...
    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """A function of each element; the parts of a tuple are arguments of their own.

        >>> import gradtape as tf
        >>> pairs = tf.data.Dataset.from_tensor_slices(([1, 2], [10, 20]))
        >>> [int(x) for x in pairs.map(lambda x, y: x + y)]
        [11, 22]

        Args:
            map_func: The function. It gets tensors and returns tensors, or what can become one, in any structure.
            num_parallel_calls: How many threads call it. AUTOTUNE uses several threads where a call takes long
                enough to outweigh the overhead.
            deterministic: Whether results keep the order of the elements. True unless the options say otherwise.
            synchronous: Ignored; accepted for compatibility with TensorFlow.
            use_unbounded_threadpool: Ignored; accepted for compatibility with TensorFlow.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(transforms.Map(self._node, map_func, _parallel(num_parallel_calls, "map"), deterministic))

    def flat_map(self, map_func: Callable[..., Dataset[_Result]], name: str | None = None) -> Dataset[_Result]:
        """The elements of the datasets that a function makes of each element, one after the other.

        >>> import gradtape as tf
        >>> ranges = tf.data.Dataset.range(1, 4).flat_map(tf.data.Dataset.range)
        >>> [int(x) for x in ranges]
        [0, 0, 1, 0, 1, 2]

        Args:
            map_func: A function of an element that returns a dataset.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(mixing.FlatMap(self._node, map_func, _node_of))

    def interleave(
        self,
        map_func: Callable[..., Dataset[_Result]],
        cycle_length: IntLike | None = None,
        block_length: IntLike | None = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset[_Result]:
        """The elements of the datasets that a function makes, `block_length` of each of `cycle_length` datasets in turn.

        >>> tens = tf.data.Dataset.from_tensor_slices([10, 20])
        >>> mixed = tens.interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2)
        >>> [int(x) for x in mixed]
        [10, 20, 10, 20, 10, 20]

        Args:
            map_func: A function of an element that returns a dataset.
            cycle_length: How many datasets take turns; None: `num_parallel_calls`, or the number of cores.
            block_length: How many elements in a row come from one of them; None: 1.
            num_parallel_calls: How many of them are read ahead in threads of their own; None: none.
            deterministic: Not used: the order is always the same.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        parallel = _parallel(num_parallel_calls, "interleave")
        cycle = AUTOTUNE if cycle_length is None else as_int(cycle_length)
        if cycle == AUTOTUNE:
            cycle = max(2, os.cpu_count() or 1) if parallel in (None, AUTOTUNE) else parallel or 1
        block = 1 if block_length is None else as_int(block_length)
        return self._then(mixing.Interleave(self._node, map_func, _node_of, cycle, block, parallel))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset[T]:
        """The elements for which a function is true.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0)]
        [0, 2, 4]

        Args:
            predicate: A function of an element that returns one truth value.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(transforms.Filter(self._node, predicate))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset[T]:
        """The elements before the first for which a function is false.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(100).take_while(lambda x: x * x < 10)]
        [0, 1, 2, 3]

        Args:
            predicate: A function of an element that returns one truth value.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(transforms.TakeWhile(self._node, predicate))

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The outputs of a function that carries a state: `scan_func(state, element)` returns `(new_state, output)`.

        >>> import gradtape as tf
        >>> sums = tf.data.Dataset.range(5).scan(np.int64(0), lambda total, x: (total + x, total + x))
        >>> [int(x) for x in sums]
        [0, 1, 3, 6, 10]

        Args:
            initial_state: The state before the first element.
            scan_func: The function.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset of the outputs.
        """
        return self._then(transforms.Scan(self._node, initial_state, scan_func))

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Dataset[tuple[Tensor, T]]:
        """Elements left out or repeated at random until their classes have the wanted shares, each beside its class.

        >>> import gradtape as tf
        >>> tf.random.set_seed(0)
        >>> numbers = tf.data.Dataset.range(4000)  # a fourth is in class 0
        >>> found = numbers.rejection_resample(lambda n: tf.minimum(n % 4, 1), [0.5, 0.5], [0.25, 0.75])
        >>> classes = [int(number) for number, element in found]
        >>> 0.4 < sum(classes) / len(classes) < 0.6
        True

        Args:
            class_func: A function of an element that returns the number of its class.
            target_dist: The wanted share of each class.
            initial_dist: The share of each class in the data; by default it is estimated from the elements.
            seed: For the same choice each time.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset of pairs: the class, and the element.

        Raises:
            tf.errors.InvalidArgumentError: The two distributions are not vectors of one length.
        """
        return resampling.resampled(self, class_func, target_dist, initial_dist, seed)

    def apply(self, transformation_func: Callable[[Dataset[T]], Dataset[_Result]]) -> Dataset[_Result]:
        """The result of a function of this dataset.

        >>> import gradtape as tf
        >>> def evens(dataset):
        ...     return dataset.filter(lambda x: x % 2 == 0)
        >>> [int(x) for x in tf.data.Dataset.range(6).apply(evens)]
        [0, 2, 4]

        Args:
            transformation_func: A function of a dataset that returns one.

        Returns:
            What the function returns.

        Raises:
            TypeError: It returns no dataset.
        """
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(f"apply: `transformation_func` must return a dataset, got {made!r}.")
        return made

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset[T]:
        """The elements whose computation raises no exception.

        >>> import gradtape as tf
        >>> checked = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 4.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, "x"))
        >>> [float(x) for x in checked.ignore_errors()]
        [1.0, 0.25]

        Args:
            log_warning: Whether to write a warning for each element that is left out.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(transforms.IgnoreErrors(self._node, log_warning))

    # --- choosing and ordering -------------------------------------------------------------------------------

    def take(self, count: IntLike, name: str | None = None) -> Dataset[T]:
        """The first elements; all for -1.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(10).take(3)]
        [0, 1, 2]

        Args:
            count: How many.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(selection.Take(self._node, as_int(count)))

    def skip(self, count: IntLike, name: str | None = None) -> Dataset[T]:
        """All but the first elements; none for -1.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
        [3, 4]

        Args:
            count: How many are left out.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(selection.Skip(self._node, as_int(count)))

    def shard(self, num_shards: IntLike, index: IntLike, name: str | None = None) -> Dataset[T]:
        """Every `num_shards`-th element, beginning with number `index`.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(7).shard(num_shards=3, index=1)]
        [1, 4]

        Args:
            num_shards: Into how many parts the dataset is shared out.
            index: Which of them this is, from 0 on.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(selection.Shard(self._node, as_int(num_shards), as_int(index)))

    def repeat(self, count: IntLike | None = None, name: str | None = None) -> Dataset[T]:
        """The elements `count` times over, or without end.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(2).repeat(3)]
        [0, 1, 0, 1, 0, 1]

        Args:
            count: How often; None or -1: without end.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(selection.Repeat(self._node, None if count is None else as_int(count)))

    @takes(reshuffle_each_iteration=optional_flag)
    def shuffle(
        self,
        buffer_size: IntLike,
        seed: Any = None,
        reshuffle_each_iteration: bool = True,
        name: str | None = None,
    ) -> Dataset[T]:
        """Elements in random order: each is drawn from a buffer of `buffer_size`.

        A buffer as large as the dataset makes all orders equally likely. The same seed gives the same orders in every
        run, and a different order in each iteration (unless `reshuffle_each_iteration` is False). Without a seed the global one
        of `tf.random.set_seed` decides, as for random ops.

        >>> import gradtape as tf
        >>> numbers = tf.data.Dataset.range(5).shuffle(5, seed=1)
        >>> sorted(int(x) for x in numbers)
        [0, 1, 2, 3, 4]

        Args:
            buffer_size: How many elements wait in the buffer.
            seed: For the same orders in every run; None: as `tf.random.set_seed` says.
            reshuffle_each_iteration: Whether each iteration has another order.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.

        Raises:
            InvalidArgumentError: The buffer has no place.
        """
        size = as_int(buffer_size)
        if size == UNKNOWN:
            size = max(1, 2**62 if self._node.cardinality() < 0 else self._node.cardinality())
        if size < 1:
            raise invalid(f"shuffle: buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {size}.")
        renew = True if reshuffle_each_iteration is None else bool(reshuffle_each_iteration)
        return self._then(Shuffle(self._node, size, seed, renew))

    def enumerate(self, start: IntLike = 0, name: str | None = None) -> Dataset[tuple[Tensor, T]]:
        """Pairs of a number and an element.

        >>> import gradtape as tf
        >>> [(int(i), x.numpy()) for i, x in tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(start=1)]
        [(1, b'a'), (2, b'b')]

        Args:
            start: The first number.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset of pairs.
        """
        first = as_int(start)
        numbers: Node = sources.Counting(first, 1, dtypes.int64)
        if isinstance(self._node, sources.Ordered):
            numbers = sources.range_of((first, first + self._node.cardinality()), dtypes.int64)
        return self._then(sources.Zip((None, None), [numbers, self._node]))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset[T]:
        """These elements, then those of another dataset.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(7, 9))]
        [0, 1, 7, 8]

        Args:
            dataset: The other dataset, with elements of the same kind.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(mixing.Concatenate(self._node, _node_of(dataset)), dataset)

    def unique(self, name: str | None = None) -> Dataset[T]:
        """Each element once.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([3, 1, 3, 2, 1]).unique()]
        [3, 1, 2]

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(transforms.Unique(self._node))

    # --- putting together and taking apart -------------------------------------------------------------------

    @takes(drop_remainder=truth)
    def batch(
        self,
        batch_size: IntLike,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset[T]:
        """Elements stacked along a new first axis; the last batch may be smaller unless `drop_remainder`.

        >>> import gradtape as tf
        >>> [batch.numpy().tolist() for batch in tf.data.Dataset.range(5).batch(2)]
        [[0, 1], [2, 3], [4]]

        Args:
            batch_size: How many elements make a batch.
            drop_remainder: Whether a last batch that is smaller is left out.
            num_parallel_calls: How many batches are made ahead in a thread of their own; None: none.
            deterministic: Not used: the order is always the same.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        node: Node = batching.Batch(self._node, as_int(batch_size), bool(drop_remainder))
        parallel = _parallel(num_parallel_calls, "batch")
        return self._then(node if parallel is None else transforms.Prefetch(node, max(1, parallel)))

    @takes(drop_remainder=truth)
    def padded_batch(
        self,
        batch_size: IntLike,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset[T]:
        """Batches of elements of different sizes, padded to the largest, or to `padded_shapes`.

        >>> rows = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        >>> next(iter(rows.padded_batch(3))).numpy()
        array([[1, 0, 0],
               [2, 2, 0],
               [3, 3, 3]])

        Args:
            batch_size: How many elements make a batch.
            padded_shapes: The shape of each part; None or -1 in it, or no shape at all: the largest size of the batch.
            padding_values: What is filled in, for each part; None: 0, or "".
            drop_remainder: Whether a last batch that is smaller is left out.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(
            batching.PaddedBatch(self._node, as_int(batch_size), padded_shapes, padding_values, bool(drop_remainder))
        )

    def ragged_batch(
        self,
        batch_size: IntLike,
        drop_remainder: Any = False,
        row_splits_dtype: DTypeLike = dtypes.int64,
        name: str | None = None,
    ) -> Dataset:
        """Batches of elements of different sizes as ragged tensors.

        >>> import gradtape as tf
        >>> rows = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        >>> next(iter(rows.ragged_batch(3))).to_list()
        [[1], [2, 2], [3, 3, 3]]

        Args:
            batch_size: How many elements make a batch.
            drop_remainder: Whether a last batch that is smaller is left out.
            row_splits_dtype: The type of the positions at which rows begin: int32 or int64.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset of ragged tensors.
        """
        from ..ragged.batches import gathered, spec_of_batch

        splits = dtypes.as_dtype(row_splits_dtype)
        return self._then(
            batching.Gathered(
                self._node,
                as_int(batch_size),
                bool(drop_remainder),
                lambda elements: gathered(elements, splits),
                lambda spec, size: spec_of_batch(spec, size, splits),
            )
        )

    def sparse_batch(self, batch_size: IntLike, row_shape: Any, name: str | None = None) -> Dataset:
        """Batches of elements of different sizes as sparse tensors, each row of shape `row_shape`.

        >>> import gradtape as tf
        >>> rows = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
        >>> tf.sparse.to_dense(next(iter(rows.sparse_batch(2, [3])))).numpy()
        array([[1, 0, 0],
               [2, 2, 0]])

        Args:
            batch_size: How many elements make a batch.
            row_shape: The shape of each row, at least as large as the elements.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset of sparse tensors.
        """
        from ..sparse.batches import gathered, spec_of_batch

        shape = TensorShape(row_shape)
        return self._then(
            batching.Gathered(
                self._node,
                as_int(batch_size),
                False,
                lambda elements: gathered(elements, shape),
                lambda spec, size: spec_of_batch(spec, size, shape),
            )
        )

    def unbatch(self, name: str | None = None) -> Dataset[T]:
        """The rows of each element as elements.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.from_tensors([1, 2, 3]).unbatch()]
        [1, 2, 3]

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(batching.Unbatch(self._node))

    @takes(drop_remainder=truth)
    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Dataset[T]:
        """The rows of batches in batches of another size, or of several sizes that take turns.

        >>> import gradtape as tf
        >>> [batch.numpy().tolist() for batch in tf.data.Dataset.range(6).batch(3).rebatch(2)]
        [[0, 1], [2, 3], [4, 5]]

        Args:
            batch_size: How many rows make a batch; a vector: these sizes take turns.
            drop_remainder: Whether a last batch that is smaller is left out.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        sizes = np.asarray(to_tensor(batch_size)).reshape(-1).tolist()
        return self._then(batching.Rebatch(self._node, sizes, bool(drop_remainder)))

    @takes(drop_remainder=truth)
    def window(
        self,
        size: IntLike,
        shift: IntLike | None = None,
        stride: IntLike = 1,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """Datasets of neighbouring elements.

        >>> windows = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
        >>> [batch.numpy().tolist() for batch in windows.flat_map(lambda w: w.batch(3))]
        [[0, 1, 2], [1, 2, 3], [2, 3, 4]]

        Args:
            size: How many elements a window has.
            shift: How many elements the next window begins later; None: `size`.
            stride: How far neighbours in a window are apart.
            drop_remainder: Whether last windows that are smaller are left out.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset of datasets.
        """
        length = as_int(size)
        step = length if shift is None else as_int(shift)
        return self._then(grouping.Window(self._node, length, step, as_int(stride), bool(drop_remainder), Dataset))

    @takes(key_func=function)
    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: IntLike | None = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Elements gathered by key; `reduce_func(key, dataset)` makes a dataset of each full group.

        >>> numbers = tf.data.Dataset.range(6)
        >>> groups = numbers.group_by_window(lambda x: x % 2, lambda key, group: group.batch(3), window_size=3)
        >>> [batch.numpy().tolist() for batch in groups]
        [[0, 2, 4], [1, 3, 5]]

        Args:
            key_func: A function of an element that returns its key, an int64 number.
            reduce_func: A function of a key and the dataset of a group, that returns a dataset.
            window_size: How many elements make a group.
            window_size_func: A function of a key that returns this number, in place of `window_size`.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        size = None if window_size is None else as_int(window_size)
        return self._then(
            grouping.GroupByWindow(self._node, key_func, reduce_func, size, window_size_func, Dataset, _node_of)
        )

    @takes(element_length_func=function)
    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Any,
        bucket_batch_sizes: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset[T]:
        """Batches of elements of similar length, padded to the longest of each batch.

        Lengths below the first boundary make a bucket, those below the second the next, and so on; each has its batch size.

        >>> import gradtape as tf
        >>> rows = tf.data.Dataset.from_tensor_slices([1, 4, 2, 5]).map(lambda n: tf.fill([n], n))
        >>> batches = rows.bucket_by_sequence_length(lambda row: tf.shape(row)[0], [3], [2, 2])
        >>> [batch.shape.as_list() for batch in batches]
        [[2, 2], [2, 5]]

        Args:
            element_length_func: A function of an element that returns its length.
            bucket_boundaries: The boundaries, ascending.
            bucket_batch_sizes: The batch size of each bucket, one more than there are boundaries.
            padded_shapes: As for `padded_batch`.
            padding_values: As for `padded_batch`.
            pad_to_bucket_boundary: Whether to pad to the longest length of the bucket, instead of the longest of the batch.
            no_padding: Whether not to pad: the elements of a bucket have one shape.
            drop_remainder: Whether a last batch that is smaller is left out.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.

        Raises:
            ValueError: The number of batch sizes is not that of the buckets.
        """
        boundaries = [as_int(boundary) for boundary in bucket_boundaries]
        batch_sizes = [as_int(size) for size in bucket_batch_sizes]
        if len(batch_sizes) != len(boundaries) + 1:
            raise ValueError(
                f"bucket_by_sequence_length: `len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"got {len(batch_sizes)} and {len(boundaries)}."
            )
        length_of = Function(element_length_func, "bucket_by_sequence_length")

        def bucket(*parts: Any) -> Any:
            element = parts if len(parts) > 1 else parts[0]
            length = length_of.scalar(element, int, "element_length_func must return one integer")
            return np.int64(np.searchsorted(boundaries, length, side="right"))

        def batches(key: Any, group: Dataset) -> Dataset:
            return batched(int(key), batch_sizes[int(key)], group)

        def batched(number: int | None, size: int, group: Dataset) -> Dataset:
            if no_padding:
                return group.batch(size, drop_remainder=drop_remainder)
            shapes = padded_shapes
            if shapes is None:
                shapes = nest.map_structure(
                    lambda leaf: TensorShape([None] * (leaf.shape.rank or 0)), group.element_spec
                )
            if pad_to_bucket_boundary and number is not None:
                if number == len(boundaries):
                    raise invalid(
                        "bucket_by_sequence_length: when pad_to_bucket_boundary=True, elements must have length < "
                        f"max(bucket_boundaries) = {max(boundaries, default=0)}."
                    )
                shapes = _open_sizes_as(shapes, boundaries[number] - 1)
            return group.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)

        def spec() -> Any:
            """That of a batch of any bucket, of which no size is known."""
            return batched(None, 1, Dataset(nested.Described(self.element_spec))).element_spec

        def size(key: Any) -> Any:
            return np.int64(batch_sizes[int(key)])

        return self._then(
            grouping.GroupByWindow(self._node, bucket, batches, None, size, Dataset, _node_of, reduced_spec=spec)
        )

    # --- keeping and running ahead ---------------------------------------------------------------------------

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset[T]:
        """Keep the elements of the first complete iteration for all later ones, in memory or in a file.

        >>> import gradtape as tf
        >>> calls = []
        >>> numbers = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(lambda v: calls.append(v) or v, [x], tf.int64))
        >>> kept = numbers.cache()
        >>> for _ in range(2):
        ...     values = [int(x) for x in kept]
        >>> len(calls)
        3

        Args:
            filename: The path of the file; "": in memory.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        path = text_of(filename)
        return self._then(caching.FileCache(self._node, path) if path else caching.Cache(self._node))

    def prefetch(self, buffer_size: IntLike | None, name: str | None = None) -> Dataset[T]:
        """Elements computed ahead in a background thread, while the program works on earlier ones.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(3).prefetch(tf.data.AUTOTUNE)]
        [0, 1, 2]

        Args:
            buffer_size: How many elements wait at most; None or AUTOTUNE: it finds the number.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.

        Raises:
            InvalidArgumentError: The number is negative.
        """
        size = AUTOTUNE if buffer_size is None else as_int(buffer_size)
        if size < AUTOTUNE:
            raise invalid(f"prefetch: buffer_size must be >= 0 or AUTOTUNE, got {size}.")
        return self._then(transforms.Prefetch(self._node, size))

    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Any = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Write all elements into a folder, for `Dataset.load`. (The format is gradtape's own.)

        >>> import gradtape as tf
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
        >>> tf.data.Dataset.range(3).save(path)
        >>> [int(x) for x in tf.data.Dataset.load(path)]
        [0, 1, 2]

        Args:
            path: The folder.
            compression: None, "GZIP" or "ZLIB".
            shard_func: Ignored; accepted for compatibility with TensorFlow.
            checkpoint_args: Ignored; accepted for compatibility with TensorFlow.
        """
        caching.save(self._node, text_of(path), compression)

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Any = None,
        wait: bool = False,
    ) -> Dataset:
        """The dataset that `save` wrote.

        >>> import gradtape as tf
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
        >>> tf.data.Dataset.range(3).save(path)
        >>> [int(x) for x in tf.data.Dataset.load(path)]
        [0, 1, 2]

        Args:
            path: The folder.
            element_spec: Not used: the files say it.
            compression: What `save` was given.
            reader_func: Ignored; accepted for compatibility with TensorFlow.
            wait: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return Dataset(caching.load(text_of(path), compression))

    def snapshot(
        self,
        path: Any,
        compression: str | None = "AUTO",
        reader_func: Any = None,
        shard_func: Any = None,
        name: str | None = None,
    ) -> Dataset[T]:
        """The elements of the first whole iteration, kept in a folder for later programs.

        >>> import gradtape as tf
        >>> import tempfile
        >>> [int(x) for x in tf.data.Dataset.range(3).snapshot(tempfile.mkdtemp())]
        [0, 1, 2]

        Args:
            path: The folder.
            compression: Ignored; accepted for compatibility with TensorFlow.
            reader_func: Ignored; accepted for compatibility with TensorFlow.
            shard_func: Ignored; accepted for compatibility with TensorFlow.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(caching.FileCache(self._node, os.path.join(text_of(path), "snapshot")))

    def options(self) -> Options:
        """The options of this pipeline.

        >>> import gradtape as tf
        >>> tf.data.Dataset.range(3).options().deterministic is None
        True

        Returns:
            A `tf.data.Options`, of its own: changing it changes nothing here.
        """
        return Options().merge(self._options)

    def with_options(self, options: Options, name: str | None = None) -> Dataset[T]:
        """The same elements, made under other options.

        >>> import gradtape as tf
        >>> options = tf.data.Options()
        >>> options.deterministic = False
        >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
        False

        Args:
            options: The options that are set in it replace those of before.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return Dataset(self._node, self._options.merge(options))

    def _notebook_form(self) -> Form:
        count, known = self._node.cardinality(), self._node.known_spec()
        nodes = [self._node]
        while nodes[-1].inputs:
            nodes.append(nodes[-1].inputs[0])
        names = [type(node).__name__.lower() for node in nodes]
        size = {INFINITE: "infinite", UNKNOWN: "unknown"}.get(count, f"{count:,}")
        elements = "known when it is asked for" if known is None else repr(known)
        return Form("tf.data.Dataset", (("elements", size), ("steps", " → ".join(reversed(names)))), text=elements)

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        known = self._node.known_spec()
        spec = "unknown until it is asked for" if known is None else repr(known)
        return f"<_{type(self._node).__name__}Dataset element_spec={spec}>"


nested.DATASETS.append(Dataset)


def _node_of(dataset: Any) -> Node:
    if not isinstance(dataset, Dataset):
        raise TypeError(f"A dataset is needed here, got {dataset!r}.")
    return dataset._node


def _several(datasets: Any, name: str) -> list[Dataset]:
    parts = list(datasets)
    if not parts:
        raise ValueError(f"{name}: `datasets` is empty; give at least one.")
    for part in parts:
        if not isinstance(part, Dataset):
            raise TypeError(f"{name}: datasets are needed, got {part!r}.")
    return parts


def _parallel(calls: Any, name: str) -> int | None:
    """How many calls at once: None, AUTOTUNE, or a positive number."""
    if calls is None:
        return None
    count = as_int(calls)
    if count != AUTOTUNE and count < 1:
        raise invalid(f"{name}: num_parallel_calls must be greater than zero or AUTOTUNE, got {count}.")
    return count


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


def _open_sizes_as(shapes: Any, size: int) -> Any:
    """Shapes with every unknown size replaced by `size`."""
    if isinstance(shapes, TensorShape) or batching.is_shape(shapes):
        return TensorShape([size if known is None or known == -1 else known for known in shapes])
    if isinstance(shapes, dict):
        return {key: _open_sizes_as(part, size) for key, part in shapes.items()}
    return tuple(_open_sizes_as(part, size) for part in shapes)
