"""The evaluator of a trace: its steps run on abstract tensors, with symbols in place of unknown sizes, to see what they give.

Every size that is not known is a symbol of its own: those of inputs, and those that depend on values (what `tf.where` finds). So
two tensors that come of one another are known to have equal sizes, whatever these are.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..base import nest
from ..base.context import Record
from ..base.shapes import TensorShape
from ..base.sizes import UNKNOWN, is_known, matched, product, symbol
from ..base.types import DTypeLike
from ..differentiation.custom import record_call
from ..differentiation.vectorize import Batched
from ..native.abi import become
from ..op.abstract import Abstract, Shape
from ..op.declaration import Op
from ..op.record import ids_of
from ..ops.array.checked_shape import checked_shape
from ..values.composite import COMPOSITES
from ..values.tensor import EagerTensor, Tensor, TensorSpec, from_array, to_tensor
from ..variables.variable import Variable
from .abstract_tensor import AbstractTensor, Evaluator, NeedsValue, abstract_of, shown
from .graph import Environment, fill, map_parts

_MOST_SIZES = 16  # elements of an integer tensor that may be sizes, axes or positions
_MOST_CAPTURED_ELEMENTS = 1 << 12  # elements of a tensor whose value is used while tracing


class Inference(Evaluator):
    """An evaluator in which unknown sizes are symbols."""

    computes = False

    def __init__(self) -> None:
        super().__init__()
        self.environment = Environment({})
        self.performed: dict[int, Any] = {}  # the graphs whose steps ran in this environment, by `id`
        self.rounds: dict[int, Any] = {}  # for graphs that are bodies of loops: what is known of a round
        self._symbols = itertools.count()
        self._large: dict[int, AbstractTensor] = {}  # in place of large tensors that the function refers to
        self._followed: dict[
            int, AbstractTensor
        ] = {}  # by identity, for those whose rules need sizes that are not known

    # --- sizes -----------------------------------------------------------------------------------------------------

    def unknown(self, name: str = "") -> Any:
        """A size of which nothing is known, other than that it is itself."""
        return symbol(name or f"n{next(self._symbols)}")

    def tensor(self, spec: TensorSpec) -> AbstractTensor:
        """An abstract tensor that fits a spec."""
        if spec.shape.rank is None:
            return AbstractTensor(self, None, spec.dtype.numpy)
        name = spec.name or ""
        sizes = [
            self.unknown(name and f"{name}{axis}") if size is None else size for axis, size in enumerate(spec.shape)
        ]
        return self.tensor_of(tuple(sizes), spec.dtype.numpy)

    def tensor_of(self, shape: Shape, dtype: Any, value: Any = None) -> AbstractTensor:
        """An abstract tensor of a shape; each size in it of which nothing is known becomes a symbol."""
        if shape is not None and any(size is UNKNOWN for size in shape):
            shape = tuple([self.unknown() if size is UNKNOWN else size for size in shape])
        dtype = np.dtype(dtype)
        if (
            value is None
            and dtype.kind in "iu"
            and shape is not None
            and is_known(shape)
            and product(shape) <= _MOST_SIZES
        ):
            value = np.full(shape, UNKNOWN, object)  # what is put together of it is known in part
        return AbstractTensor(self, shape, dtype, 0, value)

    def value_of(self, array: Any) -> Any:
        """The elements, where all are known."""
        if array.value is None or array.value.dtype.kind == "O":
            raise NeedsValue(f"The value of a tensor of shape {shown(array.known)} is needed before the function runs.")
        return array.value

    def sizes_of(self, abstract: AbstractTensor) -> Any:
        """The elements as far as they are known."""
        array = abstract._array
        if array.value is not None:
            return array.value
        if array.known is None or any(size.__class__ is not int for size in array.known):
            return UNKNOWN
        return np.full(array.known, UNKNOWN, object)

    # --- what runs here --------------------------------------------------------------------------------------------

    def initial(self, variable: Variable) -> Any:
        """An abstract tensor of the variable's shape."""
        abstract = self.tensor(TensorSpec(variable.shape, variable.dtype))
        abstract._id = variable._id
        self._followed[abstract._id] = abstract
        return abstract

    def change(self, variable: Variable, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The variable has another value of the same shape; what was read before is not followed to it."""
        self.hold(variable, self.tensor(TensorSpec(variable.shape, variable.dtype)))

    def captured(self, tensor: EagerTensor) -> Any:
        """A large tensor that may be followed is known by its shape: to compute with its value takes time and memory."""
        if tensor._array.size <= _MOST_CAPTURED_ELEMENTS or not tensor.dtype.is_differentiable:
            return tensor
        if id(tensor) not in self._large:
            self._large[id(tensor)] = AbstractTensor(self, tensor._array.shape, tensor._array.dtype)
        return self._large[id(tensor)]

    def outputs(
        self, op: Op, inputs: list[Any], attributes: dict[str, Any], found: list[Abstract]
    ) -> list[AbstractTensor]:
        """The results of an op."""
        for tensor in inputs:
            if tensor is not None and tensor._id:
                self._followed[tensor._id] = tensor
        return [self.tensor_of(result.known, result.dtype, result.value) for result in found]

    def adopt(self, thing: Any, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Some classes have a form that does without positions and sizes."""
        abstract = COMPOSITES[cls].abstract if cls in COMPOSITES else None
        if abstract is None or thing.__class__ is not cls:
            return False
        become(thing, abstract)
        abstract.begin(thing, *args, **kwargs)
        return True

    def result_of(self, function: Any, *args: Any) -> Any:
        """What a traced function gives; its steps run again only if they have not run in this evaluator already."""
        graph = getattr(function, "graph", None)
        if graph is None or id(graph) not in self.performed or function.environment is not self.environment:
            return function(*args)
        return fill(graph.outputs, self.environment)

    def mapped(self, function: Any, tensors: list[Any], packed: Any, shares: bool = False) -> Any:
        """What a function gives for each slice of tensors, along a new first axis; `packed` makes its argument of slices.

        Where it `shares`, it gives a pair of which the second part is one for all slices.
        """
        known = abstract_of(tensors[0]).known
        result = self.result_of(function, packed([slice_of(self, tensor) for tensor in tensors]))
        each, shared = result if shares else (result, None)
        stacked = nest.map_structure(
            lambda part: None if part is None else repeated(self, part, known and known[0]), each
        )
        return (stacked, shared) if shares else stacked

    def sized(self, sizes: Any, dtype: DTypeLike = np.int32) -> Any:
        """A tensor of sizes, or one size: a constant where they are numbers."""
        if sizes is None:
            return self.tensor(TensorSpec([None], dtype))
        found = Abstract.of_sizes(sizes, dtype)
        if found.value is not None and found.value.dtype.kind != "O":
            return from_array(found.value)
        return self.tensor_of(found.known, dtype, found.value if found.dtype.kind in "iu" else None)

    def like_followed(self, record: Record, cotangent: Any) -> list[Any]:
        """What stands for the results of a rule that asks for unknown sizes: cotangents have the shapes of their values."""
        if cotangent.__class__ is not AbstractTensor and not isinstance(cotangent, (list, tuple)):
            raise  # a batch of cotangents, as Jacobians have: they are known as a whole
        found = []
        for number in ids_of(record):
            value = self._followed[number]
            found.append(depending_on(self, like(self, value), [value, *_tensors(cotangent)]))
        return found


def depending_on(
    evaluator: Inference, abstract: AbstractTensor, sources: list[Any], linearly: bool = False
) -> AbstractTensor:
    """A new one, for tapes and accumulators a function of these sources of which no more is known, or that it is linear."""
    followed = [source for source in sources if isinstance(source, Tensor) and source.dtype.is_differentiable]
    if not evaluator.is_followed or not followed or not abstract.dtype.is_differentiable:
        return abstract
    inner = [] if linearly else followed

    def gradient(cotangent: Any) -> list[Any]:
        return [depending_on(evaluator, like(evaluator, source), [cotangent, *inner], linearly) for source in followed]

    def push(tangents: list[Any]) -> list[Any]:
        return [depending_on(evaluator, like(evaluator, abstract), [*tangents, *inner], linearly)]

    record_call(gradient, push, followed, [abstract])
    return abstract


def like(evaluator: Inference, value: Any) -> Any:
    """Another value of the same shape and type: constants too are only seen by these."""
    if value.__class__ is Batched:
        return Batched(like(evaluator, value.data), value.level, value.depth)
    return AbstractTensor(evaluator, abstract_of(value).known, value._array.dtype)


def repeated(evaluator: Inference, value: object, count: Any) -> Any:
    """`count` times the same along a new first axis; None, or UNKNOWN, where it is not known how often."""
    tensor = to_tensor(value)
    known = abstract_of(tensor).known
    shape = None if known is None else (UNKNOWN if count is None else count, *known)
    return depending_on(evaluator, evaluator.tensor_of(shape, tensor.dtype.numpy), [tensor], linearly=True)


def slice_of(evaluator: Inference, value: Any) -> Any:
    """A value like a slice of this one along the first axis, of which there may be none."""
    shape = abstract_of(value).known
    abstract = AbstractTensor(evaluator, None if shape is None else shape[1:], value._array.dtype)
    return depending_on(evaluator, abstract, [value], linearly=True)


def as_abstract(evaluator: Inference, value: Any) -> Any:
    """A value that may be another each time: constants too are only seen by type and shape."""
    if isinstance(value, EagerTensor) or (value.__class__ is AbstractTensor and value._array.value is not None):
        abstract = like(evaluator, value)
        abstract._id = value._id
        return abstract
    return value


def without_large(evaluator: Inference, value: Any) -> Any:
    """The value, with large constants in it by their shapes."""
    if isinstance(value, EagerTensor):
        return value if value._array.size <= _MOST_CAPTURED_ELEMENTS else as_abstract(evaluator, value)
    return value if isinstance(value, Tensor) else map_parts(value, lambda part: without_large(evaluator, part))


def with_known_shape(value: Any, spec: TensorSpec) -> Any:
    """The value, which must fit; an abstract tensor with what the spec tells about its shape."""
    given = spec.shape
    if given.rank is None:
        return value
    if not isinstance(value, AbstractTensor):
        is_wrong = value.__class__ is EagerTensor and not given.is_compatible_with(value.shape)
        return checked_shape(value, expected=_sizes(given)) if is_wrong else value
    evaluator, known = value.evaluator, value._array.known
    if not isinstance(evaluator, Inference):
        tells = known is None or any(
            n is not None and size.__class__ is not int for size, n in zip(known, given, strict=False)
        )
        return checked_shape(value, expected=_sizes(given)) if tells else value
    if known is None:
        known = (UNKNOWN,) * given.rank
    if len(known) != given.rank:
        raise ValueError(f"Shapes {shown(known)} and {given} are incompatible.")
    shape = tuple([size if new is None else matched(size, new) for size, new in zip(known, given, strict=True)])
    refined = evaluator.tensor_of(shape, value._array.dtype, value._array.value)
    refined._id = value._id
    return refined


def _sizes(shape: TensorShape) -> tuple[int, ...]:
    return tuple([-1 if size is None else size for size in shape])


def _tensors(value: Any) -> list[Any]:
    return [value] if isinstance(value, Tensor) else [part for part in value if isinstance(part, Tensor)]
