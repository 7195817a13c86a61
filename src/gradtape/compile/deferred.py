"""Steps that ask what only running shows: they are instructions that call the function itself, on tensors.

A public function made of ops comes apart while a graph is lowered. Where it asks for a value, or for a size that depends on
values (`range(n)`, `if n == 1`), it cannot: then the call as a whole is one instruction, and so is a derivative rule that asks
such a question. What it gives (structure, types, shapes as far as they are known) is found in the evaluator of a trace. Its
gradient is an instruction of the same kind, which calls the function under a tape; that of the gradient too, and so on for all
orders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.context import next_id
from ..base.sizes import OpenShape, Size
from ..differentiation.backward import zeros_of
from ..differentiation.custom import record_call
from ..differentiation.forward import ForwardAccumulator
from ..differentiation.tape import GradientTape
from ..differentiation.vectorize import Batched
from ..op.record import ids_of, leaves_below, op_of, place_of, pull_of
from ..ops.array.layout import stack
from ..trace.abstract_tensor import AbstractTensor, NeedsValue
from ..trace.graph import leaves, map_parts
from ..trace.recorder import outside_traces
from ..trace.trials import Symbols
from ..values.tensor import EagerTensor, Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .measures import has_sizes
from .program import Branch, Call, Loop, Program

if TYPE_CHECKING:
    from .lowering import Lowering

Tensors = Sequence[Any]
Runs = Callable[..., list[Any]]  # from tensors to tensors


@dataclass(frozen=True, slots=True)
class _Slot:
    """Stands in the arguments of a call for the tensor of that number among its operands, or for the sizes that are in it."""

    number: int
    is_size: bool = False
    is_shape: bool = False  # of the tensor


@dataclass(frozen=True, slots=True)
class Deferred:
    """A function with its arguments, of which some are known when it is called."""

    function: Callable[..., Any]
    given: Any  # arguments and settings, with slots
    places: tuple[int, ...]  # of the tensors wanted among all leaves of the result

    @property
    def __name__(self) -> str:
        return str(getattr(self.function, "__name__", "function"))

    def __call__(self, *tensors: Any) -> list[Any]:
        args, settings = _filled(self.given, tensors)
        found = list(leaves(self.function(*args, **settings)))
        return [to_tensor(found[place]) for place in self.places]


@dataclass(frozen=True, slots=True)
class _Pulled:
    """The gradient of such a call: from its operands and the cotangents of its results to those of the operands."""

    of: Runs
    followed: tuple[int, ...]  # the operands that results depend on
    dependent: tuple[int, ...]  # the results that depend on them
    count: int  # of the operands

    @property
    def __name__(self) -> str:
        return f"gradient of {self.of.__name__}"

    def __call__(self, *tensors: Any) -> list[Any]:
        given, cotangents = tensors[: self.count], tensors[self.count :]
        sources = [given[place] for place in self.followed]
        with GradientTape() as tape:
            tape.watch(sources)
            results = self.of(*given)
        targets = [results[place] for place in self.dependent]
        found = tape.gradient(targets, sources, list(cotangents), unconnected_gradients="zero")
        return [to_tensor(part) for part in found]


@dataclass(frozen=True, slots=True)
class _Pushed:
    """The tangents of the results of such a call, from its operands and their tangents."""

    of: Runs
    followed: tuple[int, ...]
    dependent: tuple[int, ...]
    count: int

    @property
    def __name__(self) -> str:
        return f"tangent of {self.of.__name__}"

    def __call__(self, *tensors: Any) -> list[Any]:
        given, tangents = tensors[: self.count], tensors[self.count :]
        with ForwardAccumulator([given[place] for place in self.followed], list(tangents)) as accumulator:
            results = self.of(*given)
        return [accumulator.jvp(results[place], unconnected_gradients="zero") for place in self.dependent]


@dataclass(frozen=True, slots=True)
class _Each:
    """Such a call for each entry of a batch of cotangents or tangents, as Jacobians have."""

    run: Runs
    is_batched: tuple[bool, ...]

    @property
    def __name__(self) -> str:
        return self.run.__name__

    def __call__(self, *tensors: Any) -> list[Any]:
        count = next(t.shape[0] for t, batched in zip(tensors, self.is_batched, strict=True) if batched)
        rows = [
            self.run(*(t[entry] if batched else t for t, batched in zip(tensors, self.is_batched, strict=True)))
            for entry in range(count)
        ]
        return [stack(column, axis=0) for column in zip(*rows, strict=True)]


@dataclass(frozen=True, slots=True)
class _Rule:
    """The derivative rule of an op, with the record of a call of it."""

    pull: Any
    given: Any  # the cotangent and the record, with slots

    @property
    def __name__(self) -> str:
        return f"gradient of {self.pull.op.name}"

    def __call__(self, *tensors: Any) -> list[Any]:
        cotangent, record = _filled(self.given, tensors)
        return [to_tensor(part) for part in self.pull.on_tensors(cotangent, record)]


@dataclass(frozen=True, slots=True)
class _Apart:
    """Such a call outside of all tapes: they have one record of the whole program."""

    run: Runs

    @property
    def __name__(self) -> str:
        return self.run.__name__

    def __call__(self, *tensors: Any) -> list[Any]:
        with outside_traces():
            return self.run(*tensors)


def _filled(given: object, tensors: Tensors) -> Any:
    if given.__class__ is _Slot:
        tensor = tensors[given.number]
        if given.is_shape:
            return tuple(tensor.shape)
        return int(tensor._array) if given.is_size else tensor
    return given if given.__class__ is EagerTensor else map_parts(given, lambda part: _filled(part, tensors))


class _Operands:
    """The operands of a call, gathered from its arguments."""

    def __init__(self, evaluator: Lowering, wanted: Sequence[Any] = ()) -> None:
        self._evaluator = evaluator
        self.wanted = {id(value) for value in wanted}  # constants that are operands too
        self.tensors: list[Any] = []
        self._slots: dict[int, _Slot] = {}

    def slots(self, value: object) -> Any:
        """The arguments with slots in place of what is known only when the program runs."""
        if isinstance(value, OpenShape):
            slot: _Slot = self.slots(value.of)
            return _Slot(slot.number, is_shape=True)
        if isinstance(value, Size):
            self.tensors.append(self._evaluator.sized(value, np.int64))
            return _Slot(len(self.tensors) - 1, is_size=True)
        if isinstance(value, Variable):
            value = value._read()
        is_given = value.__class__ is EagerTensor and (value._id or id(value) in self.wanted)
        if value.__class__ is not AbstractTensor and not is_given:
            return value if isinstance(value, Tensor) else map_parts(value, self.slots)
        if id(value) not in self._slots:
            self._slots[id(value)] = _Slot(len(self.tensors))
            self.tensors.append(value)
        return self._slots[id(value)]


def calls_in(*programs: Program) -> list[str]:
    """The names of the functions that programs call as in eager code, each once."""
    found: dict[str, None] = {}
    for program in programs:
        for node in program.nodes:
            if isinstance(node.what, Call) and node.what.pure:
                found[node.what.name] = None
            elif isinstance(node.what, (Loop, Branch)):
                found.update(dict.fromkeys(calls_in(*node.what.programs)))
    return list(found)


def deferred(
    evaluator: Lowering, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], question: Exception
) -> Any:
    """The results of a function that is called when the program runs; the question where that is not possible."""
    operands = _Operands(evaluator)
    given = operands.slots((args, kwargs))
    if any(isinstance(leaf, Tensor) and leaf.__class__ is not EagerTensor for leaf in leaves(given)):
        raise question  # batched values, and those of another evaluator
    structure, reached = _foreseen(function, given, operands.tensors, question)
    found = list(leaves(structure))
    places = tuple(place for place, leaf in enumerate(found) if leaf.__class__ is AbstractTensor)
    if any(has_sizes(leaf) for leaf in found):
        raise question
    looks = [(found[place]._array.known, found[place].dtype.numpy) for place in places]
    followed = tuple(sorted({number for place in places for number in reached(found[place])}))
    dependent = tuple(number for number, place in enumerate(places) if reached(found[place]))
    results = iter(_called(evaluator, Deferred(function, given, places), operands.tensors, looks, followed, dependent))

    def with_results(part: Any) -> Any:
        return next(results) if part.__class__ is AbstractTensor else map_parts(part, with_results)

    return with_results(structure)


def _foreseen(function: Any, given: Any, tensors: list[Any], question: Exception) -> tuple[Any, Callable[[Any], Any]]:
    """What a function gives, in an evaluator of its own, and a function that tells on which operands a result depends."""
    side, records = Symbols(), dict[int, Any]()
    side.tapes.append(records)
    numbers: dict[int, int] = {}
    twins: list[Any] = []
    for place, tensor in enumerate(tensors):
        array = tensor._array
        if tensor.__class__ is EagerTensor:
            twins.append(from_array(array))
        else:
            twins.append(AbstractTensor(side, array.known, tensor.dtype.numpy, 0, array.value))
        if tensor.dtype.is_differentiable:
            twins[-1]._id = next_id()
            numbers[twins[-1]._id] = place
            records[twins[-1]._id] = None

    def twin(part: Any) -> Any:
        if part.__class__ is not _Slot:
            return part if part.__class__ is EagerTensor else map_parts(part, twin)
        if part.is_size or part.is_shape:
            raise question
        return twins[part.number]

    args, kwargs = twin(given)
    try:
        with side.running():
            structure = side.composite(function, args, kwargs)
    except Exception:  # (what is wrong with the values shows when the function is called with them)
        raise question from None

    def reached(result: Any) -> list[int]:
        return [numbers[number] for number in leaves_below(records, [result._id])]

    return structure, reached


def deferred_rule(
    evaluator: Lowering, record: Any, cotangent: Any, sources: list[Any], question: Exception
) -> list[Any]:
    """The cotangents of the operands of an op, whose rule is called when the program runs."""
    pull = pull_of(record)
    if op_of(pull) is None:
        raise question
    cotangents = cotangent if isinstance(cotangent, (list, tuple)) else [cotangent]
    operands = _Operands(evaluator, [part.data for part in cotangents if part.__class__ is Batched])
    data = [part.data if part.__class__ is Batched else part for part in cotangents]
    if any(part is not None and part.__class__ not in (AbstractTensor, EagerTensor) for part in data):
        raise question
    head, place = record[: 2 + len(ids_of(record))], place_of(record)
    dense = data if isinstance(cotangent, (list, tuple)) else data[0]
    given = operands.slots((dense, record[len(head) : len(record) - len(place)]))
    rule = _Rule(pull, (given[0], (*head, *given[1], *place)))
    looks = [(source._array.known, source.dtype.numpy) for source in sources]
    batched = {id(part.data): part for part in cotangents if part.__class__ is Batched}
    return _on_batches(evaluator, rule, [batched.get(id(tensor), tensor) for tensor in operands.tensors], looks)


def _on_batches(evaluator: Lowering, run: Runs, given: list[Any], looks: list[Any]) -> list[Any]:
    """An instruction that calls a function of tensors, whose results depend on all of them; once for each entry of a batch."""
    batch = next((value for value in given if value.__class__ is Batched), None)
    if batch is not None:
        batches = [value for value in given if value.__class__ is Batched]
        if any(value.level != batch.level or value.data.__class__ is Batched for value in batches):
            raise NeedsValue("A batch of batches goes through a call.")
        run = _Each(run, tuple(value.__class__ is Batched for value in given))
        given = [value.data if value.__class__ is Batched else value for value in given]
        looks = [(None if known is None else (batch.batch_size, *known), dtype) for known, dtype in looks]
    inputs = list(map(to_tensor, given))
    followed = tuple(place for place, tensor in enumerate(inputs) if tensor.dtype.is_differentiable)
    results = _called(evaluator, run, inputs, looks, followed, tuple(range(len(looks))))
    return results if batch is None else [Batched(result, batch.level, batch.depth) for result in results]


def _called(
    evaluator: Lowering,
    run: Runs,
    tensors: list[Any],
    looks: list[Any],
    followed: tuple[int, ...],
    dependent: tuple[int, ...],
) -> list[Any]:
    """An instruction that calls a function of tensors, with its derivatives."""
    for tensor in tensors:
        evaluator.note(tensor)
    results = evaluator.emit(Call(_Apart(run), (evaluator.values_of(tensors), {}), pure=True), (), {}, looks)
    sources = [tensors[place] for place in followed]
    if not sources or not dependent:
        return results

    def derived(kind: Any, given: list[Any], like: list[Any]) -> list[Any]:
        looks = [
            (value._array.known if value.__class__ is AbstractTensor else value._array.shape, value.dtype.numpy)
            for value in like
        ]
        return _on_batches(evaluator, kind(run, followed, dependent, len(tensors)), [*tensors, *given], looks)

    def gradient(*cotangents: Any) -> list[Any]:
        return derived(_Pulled, list(cotangents), sources)

    def push(tangents: list[Any]) -> list[Any]:
        slopes = [zeros_of(source) if slope is None else slope for source, slope in zip(sources, tangents, strict=True)]
        return derived(_Pushed, slopes, [results[place] for place in dependent])

    record_call(gradient, push, sources, [results[place] for place in dependent])
    return results
