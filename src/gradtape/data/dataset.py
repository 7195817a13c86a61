"""`tf.data.Dataset`: the public interface of a pipeline. Each method adds a step; nothing runs before the first iteration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar, TypeVarTuple, overload

from ..autograph import convert, public
from ..base import nest
from ..base.context import STATE
from ..base.errors import invalid
from ..base.namespaces import as_one_class
from ..base.notebook import Form, in_notebook
from ..base.types import Composite, TensorLeaf
from ..values.tensor import Tensor, to_tensor
from . import nested, structure, transforms
from .functions import Function
from .iterator import Iterator, NumpyIterator, T, begin
from .methods.batches import Batches
from .methods.functions import Functions
from .methods.making import Making
from .methods.order import Order
from .methods.storage import Storage
from .node import INFINITE, UNKNOWN, Settings
from .options import Options

_A = TypeVar("_A")
_Parts = TypeVarTuple("_Parts")
_State = TypeVar("_State")


@as_one_class
class Dataset(Making[T], Functions[T], Order[T], Batches[T], Storage[T]):
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
            raise TypeError("The dataset is infinite. Take a part of it: len(dataset.take(n)).")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown. Iterate to count: dataset.reduce(0, lambda n, *_: n + 1).")
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

    @overload
    def reduce(
        self: Dataset[tuple[*_Parts]],
        initial_state: TensorLeaf,
        reduce_func: Callable[[Tensor, *_Parts], _State],
        name: str | None = ...,
    ) -> _State: ...
    @overload
    def reduce(
        self: Dataset[_A],
        initial_state: TensorLeaf,
        reduce_func: Callable[[Tensor, _A], _State],
        name: str | None = ...,
    ) -> _State: ...
    @overload
    def reduce(
        self,
        initial_state: Sequence[Any] | Mapping[Any, Any] | Composite,
        reduce_func: Callable[..., _State],
        name: str | None = ...,
    ) -> _State: ...
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
