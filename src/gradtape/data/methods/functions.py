"""Functions of the elements of a dataset."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, cast, overload

from ...base.types import Composite, IntLike, TensorLeaf
from ...op.attributes import as_int
from ...values.tensor import Tensor
from .. import mixing, resampling, transforms
from ..iterator import T
from ..transforms import AUTOTUNE
from .pipeline import Pipeline, node_of, parallel_calls

if TYPE_CHECKING:
    from ..dataset import Dataset

_A = TypeVar("_A")
_Parts = TypeVarTuple("_Parts")
_Result = TypeVar("_Result")


class Functions(Pipeline[T]):
    """The methods of `Dataset` that apply a function."""

    @overload
    def map(
        self: Functions[tuple[*_Parts]],
        map_func: Callable[[*_Parts], _Result],
        num_parallel_calls: Any = ...,
        deterministic: bool | None = ...,
        synchronous: bool | None = ...,
        use_unbounded_threadpool: bool = ...,
        name: str | None = ...,
    ) -> Dataset[_Result]: ...
    @overload
    def map(
        self: Functions[_A],
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
        return self._then(
            transforms.Map(self._node, map_func, parallel_calls(num_parallel_calls, "map"), deterministic)
        )

    @overload
    def flat_map(
        self: Functions[tuple[*_Parts]], map_func: Callable[[*_Parts], Dataset[_Result]], name: str | None = ...
    ) -> Dataset[_Result]: ...
    @overload
    def flat_map(
        self: Functions[_A], map_func: Callable[[_A], Dataset[_Result]], name: str | None = ...
    ) -> Dataset[_Result]: ...
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
        return self._then(mixing.FlatMap(self._node, map_func, node_of))

    @overload
    def interleave(
        self: Functions[tuple[*_Parts]],
        map_func: Callable[[*_Parts], Dataset[_Result]],
        cycle_length: IntLike | None = ...,
        block_length: IntLike | None = ...,
        num_parallel_calls: Any = ...,
        deterministic: bool | None = ...,
        name: str | None = ...,
    ) -> Dataset[_Result]: ...
    @overload
    def interleave(
        self: Functions[_A],
        map_func: Callable[[_A], Dataset[_Result]],
        cycle_length: IntLike | None = ...,
        block_length: IntLike | None = ...,
        num_parallel_calls: Any = ...,
        deterministic: bool | None = ...,
        name: str | None = ...,
    ) -> Dataset[_Result]: ...
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
        parallel = parallel_calls(num_parallel_calls, "interleave")
        cycle = AUTOTUNE if cycle_length is None else as_int(cycle_length)
        if cycle == AUTOTUNE:
            cycle = max(2, os.cpu_count() or 1) if parallel in (None, AUTOTUNE) else parallel or 1
        block = 1 if block_length is None else as_int(block_length)
        return self._then(mixing.Interleave(self._node, map_func, node_of, cycle, block, parallel))

    @overload
    def filter(
        self: Functions[tuple[*_Parts]], predicate: Callable[[*_Parts], Any], name: str | None = ...
    ) -> Dataset[tuple[*_Parts]]: ...
    @overload
    def filter(self: Functions[_A], predicate: Callable[[_A], Any], name: str | None = ...) -> Dataset[_A]: ...
    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset[Any]:
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

    @overload
    def take_while(
        self: Functions[tuple[*_Parts]], predicate: Callable[[*_Parts], Any], name: str | None = ...
    ) -> Dataset[tuple[*_Parts]]: ...
    @overload
    def take_while(self: Functions[_A], predicate: Callable[[_A], Any], name: str | None = ...) -> Dataset[_A]: ...
    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset[Any]:
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

    @overload
    def scan(
        self: Functions[_A],
        initial_state: TensorLeaf,
        scan_func: Callable[[Tensor, _A], tuple[Any, _Result]],
        name: str | None = ...,
    ) -> Dataset[_Result]: ...
    @overload
    def scan(
        self,
        initial_state: Sequence[Any] | Mapping[Any, Any] | Composite,
        scan_func: Callable[..., tuple[Any, _Result]],
        name: str | None = ...,
    ) -> Dataset[_Result]: ...
    def scan(
        self, initial_state: Any, scan_func: Callable[..., tuple[Any, Any]], name: str | None = None
    ) -> Dataset[Any]:
        """The outputs of a function that carries a state: `scan_func(state, element)` returns `(new_state, output)`.

        >>> import gradtape as tf
        >>> sums = tf.data.Dataset.range(5).scan(np.int64(0), lambda total, x: (total + x, total + x))
        >>> [int(x) for x in sums]
        [0, 1, 3, 6, 10]

        Args:
            initial_state: The state before the first element.
            scan_func: A function of the state and an element, which returns the next state and an output.
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
        made = transformation_func(cast("Dataset[T]", self))
        if not isinstance(made, Pipeline):
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
