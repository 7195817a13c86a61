"""Datasets that a traced function makes of its own tensors: each step of the pipeline is a step of the graph.

While the function is recorded such a dataset has no elements, only their specs, and a handle that stands for it. When the
function runs, the same methods make the dataset of the values. A user's function that refers to tensors of the traced one is a
graph, which is given these tensors.

Where all is known but the values (a few rows of an argument, a batch of them), the elements are taken apart while the function is
recorded, so that gradients go through them.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from ..base import nest
from ..base.context import ACTIVE, STATE
from ..base.errors import OpError, invalid
from ..base.sizes import Undecided
from ..base.traceable import traceable
from ..base.type_spec import CompositeSpec
from ..native import thresholds
from ..trace.abstract_tensor import Evaluator
from ..trace.concrete import ConcreteFunction
from ..trace.graph import leaves, map_parts
from ..trace.host_calls import called_on_abstract
from ..trace.recorder import Recorder
from ..trace.symbolic import SymbolicTensor
from ..values.composite import COMPOSITES, Composite, declare
from ..values.tensor import Tensor, TensorSpec, from_array, to_tensor
from ..variables.variable import Variable
from . import batching, mixing, selection, sources, structure, transforms
from .captures import holds_symbolic
from .dataset import Dataset
from .functions import Function
from .handles import HANDLE, HandleSpec, boxed
from .iterator import begin
from .nested import DatasetSpec, Described
from .node import Node
from .readers import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset

# Steps whose elements follow from their inputs: they can be taken apart. (Not those that are random, or keep anything.)
_FIXED = (
    *(
        sources.TensorSlices,
        sources.Tensors,
        sources.Range,
        sources.Zip,
        transforms.Map,
        transforms.Scan,
        batching.Batch,
    ),
    *(mixing.Concatenate, selection.Selection),
)
_NUMBERS = 5, 7  # for a scalar without a value, in two trials; those after it are smaller
_SIZES = 2, 3


class DatasetInFunction(Dataset):
    """A dataset inside a function that is recorded: what its elements are like, and what stands for it in the graph."""

    def __init__(self, spec: object, handle: object, apart: Dataset | None = None) -> None:
        """`apart` is the dataset of symbolic tensors, where its elements can be taken apart."""
        super().__init__(Described(spec) if apart is None else apart._node)
        self._spec, self._handle, self._apart = spec, handle, apart

    @property
    def element_spec(self) -> Any:
        return self._spec

    def _is_symbolic(self) -> bool:
        return self._apart is not None and 0 <= self._apart._node.cardinality() <= thresholds.UNROLLED_ROUNDS

    def __iter__(self) -> Any:
        return super().__iter__() if self._is_symbolic() else begin(self)

    def __len__(self) -> int:
        raise TypeError(
            "len: a dataset inside a function has a length when the function runs. Use dataset.cardinality()."
        )

    def length_in_function(self) -> Tensor:
        return _length(self)

    def as_numpy_iterator(self) -> NoReturn:
        raise RuntimeError(
            "as_numpy_iterator: a dataset that a function makes of tensors has no elements while it is recorded."
        )

    def cardinality(self) -> Tensor:
        known = -1 if self._apart is None else self._apart._node.cardinality()
        return structure.int64(known) if known >= 0 else _cardinality(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self._spec}>"


class _Spec(HandleSpec, DatasetSpec):
    """The spec of such a dataset in a graph."""

    by_identity = False

    @property
    def in_functions(self) -> _Spec:
        return self

    @property
    def value_type(self) -> type[Any]:
        return DatasetInFunction

    def _standing_for(self, handle: object) -> DatasetInFunction:
        return DatasetInFunction(self.element_spec, handle)


DatasetSpec.standing = _Spec
declare(
    Composite(
        DatasetInFunction,
        components=lambda dataset: [dataset._handle],
        build=lambda static, parts: static._from_components(parts),
        static=_Spec.from_value,
        spec=_Spec,
        is_tensor=False,
    )
)


class FunctionOfValues:
    """A user's function in a step of a graph, with the values of the traced function that it refers to."""

    def __init__(self, function: Callable[..., Any], values: tuple[Any, ...] = ()) -> None:
        self.function, self.values = function, values

    def __tf_flatten__(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return (self.function,), self.values

    @classmethod
    def __tf_unflatten__(cls, metadata: tuple[Any, ...], components: tuple[Any, ...]) -> FunctionOfValues:
        return cls(metadata[0], components)

    def __call__(self, *args: Any) -> Any:
        if not self.values:
            return self.function(*args)
        assert isinstance(self.function, ConcreteFunction)
        return self.function.run([*self.function.tensors_of(args, {}), *self.values])


# --- a step ----------------------------------------------------------------------------------------------------------


def _made(trace: Recorder, make: Callable[..., Any], name: Any, args: Any, kwargs: Any) -> Any:
    """What a method of this name, or a class, gives in a function, if something that it is given has no value yet."""
    args, kwargs = _with_values_read(args), _with_values_read(kwargs)
    refused = found = None
    try:
        found = make(*args, **kwargs)
    except Exception as error:  # it needs a value
        refused = error
    if found.__class__ is DatasetInFunction:
        return found  # (by way of other methods)
    model, spec = _foreseen(make, args, kwargs, found, refused)
    functions = {id(function._function): _graph_of(function) for function in _functions_of(model._node)}
    handle = trace.step(_boxed, (name, _with_functions(args, functions), _with_functions(kwargs, functions)), {})
    is_fixed = found is not None and all(isinstance(node, _FIXED) for node in _nodes(found._node))
    return DatasetInFunction(spec, handle, found if is_fixed and all(map(_has_rows, nest.flatten(spec))) else None)


def _has_rows(spec: Any) -> bool:
    """Whether such elements can be taken from symbolic ones: not sparse rows, which are found by their positions."""
    if isinstance(spec, TensorSpec):
        return True
    kind = COMPOSITES.get(spec.value_type) if isinstance(spec, CompositeSpec) else None
    return kind is not None and kind.values is not None and kind.values.complete


def _boxed_dataset(name: Any, args: Any, kwargs: Any) -> Tensor:
    """A scalar that holds the dataset that a method, or a class, makes."""
    make = getattr(Dataset, name) if isinstance(name, str) else name
    try:
        return boxed(make(*args, **kwargs))
    except ValueError as error:  # what is wrong with values shows when the function runs
        raise error if isinstance(error, OpError) else invalid(str(error)) from error


def _boxed_on_abstract(evaluator: Evaluator, function: Any, name: Any, args: Any, kwargs: Any) -> Any:
    return called_on_abstract(evaluator, function, (name, args, kwargs), TensorSpec((), HANDLE), "")


_boxed = traceable(_boxed_dataset, on_abstract=_boxed_on_abstract, pure=True)


def _with_values_read(value: Any) -> Any:
    if isinstance(value, Variable):
        return to_tensor(value)
    return value if isinstance(value, (Tensor, Dataset)) else map_parts(value, _with_values_read)


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for source in node.inputs:
        yield from _nodes(source)


def _functions_of(node: Node) -> Iterator[Function]:
    for step in _nodes(node):
        yield from (part for part in vars(step).values() if isinstance(part, Function))


def _graph_of(function: Function) -> FunctionOfValues:
    """The function itself, or its graph if it refers to tensors of the function that is recorded."""
    if not holds_symbolic(function._function):
        return FunctionOfValues(function._function)
    concrete = function.traced()
    return FunctionOfValues(concrete, tuple(concrete.enclosed))


def _with_functions(value: Any, functions: dict[int, FunctionOfValues]) -> Any:
    """The arguments, with what is a step's own in place of users' functions."""
    if isinstance(value, (Tensor, Dataset)):
        return value
    if callable(value) and not isinstance(value, type):
        return functions.get(id(value)) or FunctionOfValues(value)
    return map_parts(value, lambda part: _with_functions(part, functions))


# --- what is known of the elements -----------------------------------------------------------------------------------


def _foreseen(
    make: Callable[..., Any], args: Any, kwargs: Any, found: Dataset | None, refused: Exception | None
) -> tuple[Dataset, Any]:
    """A dataset with the same steps, and the specs of its elements."""
    try:
        if found is not None:
            return found, found.element_spec
    except Undecided as error:
        refused = error
    trials = _trials(make, args, kwargs, refused)
    return trials[0], functools.reduce(structure.common_spec, [dataset.element_spec for dataset in trials])


def _trials(make: Callable[..., Any], args: Any, kwargs: Any, refused: Exception | None) -> list[Dataset]:
    """Datasets as they are made of made-up values: what their specs have in common is known."""
    known = {tensor.shape[0] for tensor in _tensors_in((args, kwargs)) if tensor.shape.rank}
    firsts = [_SIZES, *((size, size) for size in known if size is not None)]  # (components have as many rows)
    for rank, first in itertools.product((1, 0), firsts):  # a rank for what has an unknown one
        try:
            made_up = [_MadeUp(trial, rank, first[trial]) for trial in (0, 1)]
            return [make(*values.of(args), **values.of(kwargs)) for values in made_up]
        except Exception as error:  # (what is wrong with the values shows when the function runs)
            refused = refused or error
    assert refused is not None
    raise refused


def _tensors_in(value: Any) -> Iterator[Tensor]:
    return (leaf for leaf in leaves(value) if isinstance(leaf, Tensor))


@dataclass
class _MadeUp:
    """Values in place of tensors that have none, in one of two trials."""

    trial: int
    rank: int
    first: int  # the size of first axes

    def __post_init__(self) -> None:
        self._numbers = iter(range(_NUMBERS[self.trial], 0, -1))

    def of(self, value: Any) -> Any:
        """The arguments with such values."""
        if isinstance(value, SymbolicTensor):
            return self._value_like(value)
        return value if isinstance(value, (Tensor, Dataset)) else map_parts(value, self.of)

    def _value_like(self, tensor: SymbolicTensor) -> Tensor:
        known = tensor._trace.known_value(tensor)
        if known is not None:
            return known
        shape = [None] * (self.rank + self.trial) if tensor.shape.rank is None else tensor.shape.as_list()
        others = [_SIZES[self.trial] if size is None else size for size in shape[1:]]
        sizes = [self.first if shape[0] is None else shape[0], *others] if shape else []
        kind = tensor.dtype.numpy
        if kind.kind == "O":
            return from_array(np.full(sizes, b"", object))
        if not sizes:
            return from_array(np.array(next(self._numbers, 1), kind))
        number = 1 + self.trial if len(sizes) == 1 else 0  # (a vector may be a shape; a matrix positions)
        return from_array(np.full(sizes, number, kind))


# --- questions that are steps ----------------------------------------------------------------------------------------


def _cardinality_of(dataset: Dataset) -> Tensor:
    return dataset.cardinality()


def _length_of(dataset: Dataset) -> Tensor:
    try:
        return structure.int64(len(dataset))
    except TypeError as error:
        raise invalid(str(error)) from error


def _single_of(dataset: Dataset) -> Any:
    return dataset.get_single_element()


def _single_in_function(dataset: Dataset) -> Any:
    """The single element of a dataset inside a function."""
    return dataset._single() if dataset._is_symbolic() else _single(dataset)


def _count_on_abstract(evaluator: Evaluator, function: Any, dataset: Dataset) -> Any:
    return called_on_abstract(evaluator, function, (dataset,), TensorSpec((), "int64"), "")


def _single_on_abstract(evaluator: Evaluator, function: Any, dataset: Dataset) -> Any:
    why = "The element of a dataset has a shape when it is taken."
    return called_on_abstract(evaluator, function, (dataset,), dataset.element_spec, why)


_cardinality = traceable(_cardinality_of, on_abstract=_count_on_abstract, pure=True)
_length = traceable(_length_of, on_abstract=_count_on_abstract, pure=True)
_single = traceable(_single_of, always=True, on_abstract=_single_on_abstract)


# --- the methods -----------------------------------------------------------------------------------------------------


def _trace_for(args: Any, kwargs: Any) -> Recorder | None:
    """The trace that a dataset made of these arguments belongs to, if any."""
    recorder = None if STATE.trace is None else STATE.trace.recorder
    if recorder is None or holds_symbolic((args, kwargs)):
        return recorder
    return recorder if any(isinstance(leaf, Variable) for leaf in leaves((args, kwargs))) else None


def _in_functions(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A method that makes a dataset, also inside functions."""

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if ACTIVE and (trace := _trace_for(args, kwargs)) is not None:
            return _made(trace, method, name, args, kwargs)
        return method(*args, **kwargs)

    return call


def _reader(init: Callable[..., None]) -> Any:
    """What makes a dataset of files, also inside functions, where the names may be tensors; with the arguments of `init`."""

    @functools.wraps(init)
    def made(cls: type[Dataset], *args: Any, **kwargs: Any) -> Any:
        if ACTIVE and (trace := _trace_for(args, kwargs)) is not None:
            return _made(trace, functools.partial(_of_values, cls), cls, args, kwargs)
        return object.__new__(cls)

    return made


def _of_values(cls: type[Dataset], *args: Any, **kwargs: Any) -> Dataset:
    made = object.__new__(cls)
    made.__init__(*args, **kwargs)  # type: ignore[misc]
    return made


def _methods() -> Iterator[tuple[str, Any]]:
    """The methods of a dataset that give one."""
    for name, value in {name: value for cls in reversed(Dataset.__mro__) for name, value in vars(cls).items()}.items():
        function = getattr(value, "__func__", value)
        returned = getattr(function, "__annotations__", {}).get("return", "")
        if not name.startswith("_") and isinstance(returned, str) and returned.startswith("Dataset"):
            yield name, value


for _name, _value in list(_methods()):
    if isinstance(_value, staticmethod):
        setattr(Dataset, _name, staticmethod(_in_functions(_value.__func__, _name)))
    else:
        setattr(Dataset, _name, _in_functions(_value, _name))
for _class in (FixedLengthRecordDataset, TextLineDataset, TFRecordDataset):
    _class.__new__ = _reader(_class.__init__)  # type: ignore[method-assign]
Dataset._single_in_function = _single_in_function  # type: ignore[method-assign, assignment]
