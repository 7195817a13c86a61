"""Composites that ask what symbols cannot answer (`range(n)`, `if n < 2`, a value): they are tried with numbers.

Such a function runs twice, by itself, with two sets of numbers for the sizes of its operands. A size that comes out different is
unknown. Sizes that are known to be equal have one number. No number leaves this module: neither by a result nor by an error.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..base.context import STATE, next_id
from ..base.errors import OpError, RankError
from ..base.sizes import UNKNOWN, Size, Undecided, evaluate, symbols_of
from ..op.abstract import Abstract
from ..op.record import leaves_below
from ..values.tensor import EagerTensor, Tensor, TensorSpec
from ..variables.variable import Variable
from .abstract_tensor import AbstractTensor, UnknownNumber, abstract_of
from .graph import leaves, map_parts, parts_of
from .inference import Inference, depending_on, like

# Numbers for the first, second, third ... unknown size, in both runs. They divide well, because programs split.
_SIZES = ((12, 24), (48, 96), (60, 120), (36, 72), (18, 54), (30, 90))
_RANKS = range(6)
_MOST_TRIED = 60  # ways to give numbers to unknown sizes, each for one or several of them
_MOST_NUMBERS = 6
_MOST_RANKS = 4  # operands of unknown rank that may have different ones
_SETTINGS = {"f": (0.5, 0.75), "b": (True, False), "O": (b"a", b" ")}  # by kind of type, in both runs
_LARGEST = 4096  # elements of a tensor whose integers are made up: nobody reads more of them as sizes
_ERRORS = (OpError, ValueError, LookupError, TypeError, ArithmeticError, AttributeError, Undecided)

Choice = Callable[[int], tuple[int, int]]  # the numbers of an unknown size, by its place


def tried(
    evaluator: Inference, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], question: Exception
) -> Any:
    """What the function gives, as far as runs with numbers agree; the question if none succeeds."""
    abstracts = {id(leaf): leaf for leaf in leaves((args, kwargs)) if leaf.__class__ is AbstractTensor}
    errors: list[Exception] = []
    told: dict[str, list[int]] = {}  # what errors say, with which numbers were tried then
    every = [lambda place: _SIZES[place % len(_SIZES)], lambda place: (24, 48), *choices((args, kwargs))]
    found: list[tuple[Any, Trial]] = []
    unknown = sum(abstract._array.known is None for abstract in abstracts.values())
    # (Each rank may need other numbers. What the ranks that are possible do not agree in is unknown.)
    for ranks, tries in ((_same_ranks(unknown), every), (_other_ranks(unknown), every[:2])):
        for each in ranks:
            for number, choice in enumerate(tries):
                try:
                    found += [_run(Trial(side, choice, each), function, args, kwargs) for side in (0, 1)]
                    break
                except _ERRORS as error:
                    errors.append(error)
                    if not isinstance(error, (Undecided, RankError)):
                        told.setdefault(str(error), []).append(number)
        if found:
            return _merged(evaluator, found)
    if errors and isinstance(question, Undecided):
        if len({(type(e), str(e)) for e in errors}) == 1:
            raise errors[0]  # whatever the sizes are
        said = max(told, key=lambda text: len(told[text]), default="")
        if len({*told.get(said, ())}) > 1:  # (with several numbers, so it tells none of them)
            raise type(question)(f"{question} It may be that: {said}") from None
    raise question


def _same_ranks(unknown: int) -> Iterator[tuple[int, ...]]:
    """Ranks to try for the operands of which none is known: first one for all of them."""
    yield from zip(_RANKS if unknown else (0,))


def _other_ranks(unknown: int) -> Iterator[tuple[int, ...]]:
    """Then each with its own, where they are few."""
    if 1 < unknown <= _MOST_RANKS:
        yield from (ranks for ranks in itertools.product(_RANKS[:-1], repeat=unknown) if len(set(ranks)) > 1)


class Symbols(Inference):
    """The evaluator of a trace: a public function runs as it is, or with numbers where it asks what symbols cannot answer."""

    def composite(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a public function."""
        try:
            return super().composite(function, args, kwargs)
        except Undecided as question:
            rule = getattr(function, "look", None)
            found = None if rule is None else rule(*args, **kwargs)
            if found is None:  # (a rule may leave some operands to the trial)
                return tried(self, function, args, kwargs, question)
            sources = [leaf for leaf in leaves((args, kwargs)) if leaf.__class__ is AbstractTensor]
            return ruled(self, found, sources)


def ruled(evaluator: Inference, found: Any, sources: list[Any]) -> Any:
    """What a rule (`shaped`) has found, as values of this evaluator."""
    if isinstance(found, Abstract):
        return depending_on(evaluator, evaluator.tensor_of(found.known, found.dtype, found.value), sources)
    return map_parts(found, lambda part: ruled(evaluator, part, sources))


class Trial(Inference):
    """An evaluator in which unknown sizes, and values that somebody needs, have a number."""

    def __init__(self, side: int, choice: Choice, ranks: tuple[int, ...]) -> None:
        super().__init__()
        self._side = side
        self._choice = choice
        self.differs = True  # from the other run, in all numbers it has
        self.made_up = False  # whether somebody needed a value
        self._ranks = itertools.chain(ranks, itertools.repeat(ranks[-1]))
        self._numbers: dict[Any, int] = {}
        self.records: dict[int, Any] = {}
        self._tapes = [self.records]
        self.originals: dict[int, Any] = {}  # by identity here: what stands for it, or the variable, outside
        self._twins: dict[int, AbstractTensor] = {}

    @property
    def has_numbers(self) -> bool:
        """Whether a number stands for something here."""
        return bool(self._numbers)

    def stands_for(self, number: int) -> bool:
        """Whether the number is one of those that stand for something."""
        return number in self._numbers.values()

    def unknown(self, name: str = "") -> Any:
        """A number for a size of which nothing is known."""
        place = len(self._numbers)
        self._numbers[place] = number = self._chosen(place)
        return number

    def _chosen(self, place: int) -> int:
        numbers = self._choice(place)
        self.differs &= numbers[0] != numbers[1]
        return numbers[self._side]

    def numbers(self, shape: Any) -> tuple[int, ...]:
        """A shape in numbers."""
        if shape is None:
            return tuple([self.unknown() for _ in range(next(self._ranks))])
        for size in shape:
            for one in symbols_of(size):
                if one not in self._numbers:
                    self._numbers[one] = self._chosen(len(self._numbers))
        return tuple([self._number(size) for size in shape])

    def _number(self, size: Any) -> int:
        if not isinstance(size, Size):
            return int(size)
        found = evaluate(size, {one: self._numbers[one] for one in symbols_of(size)})
        if isinstance(found, Size):
            self.made_up = True
            return self.unknown()
        return found

    def twin(self, value: Any) -> Any:
        """What stands here for a value outside."""
        if value.__class__ is not AbstractTensor:
            return map_parts(value, self.twin)
        if id(value) not in self._twins:
            self._twins[id(value)] = self._made_like(value)
        return self._twins[id(value)]

    def _made_like(self, value: Any) -> AbstractTensor:
        known = value._array.value
        if known is not None and known.dtype.kind == "O" and not any(size is UNKNOWN for size in known.flat):
            known = self._array(known, value._array.dtype)
        abstract = AbstractTensor(self, self.numbers(value._array.known), value._array.dtype, 0, known)
        if value.dtype.is_differentiable:
            abstract._id = next_id()
            self.records[abstract._id] = None
            self.originals[abstract._id] = value
        return abstract

    def tensor(self, spec: TensorSpec) -> AbstractTensor:
        """An abstract tensor that fits a spec."""
        if spec.shape.rank is None:
            return AbstractTensor(self, self.numbers(None), spec.dtype.numpy)
        return AbstractTensor(self, tuple([self.unknown() if n is None else n for n in spec.shape]), spec.dtype.numpy)

    def initial(self, variable: Variable) -> Any:
        """A variable is followed here as what was read."""
        abstract = super().initial(variable)
        self.records[abstract._id] = None
        self.originals[abstract._id] = variable
        return abstract

    def value_of(self, array: Any) -> Any:
        """Made-up integers, which are sizes as a rule, and a made-up setting: a scalar of another type."""
        if array.dtype.kind in _SETTINGS and array.shape == () and array.value is None:
            self.made_up = True
            return np.array(_SETTINGS[array.dtype.kind][self._side], array.dtype)
        if array.dtype.kind not in "iu" or (array.value is None and math.prod(array.shape) > _LARGEST):
            return super().value_of(array)
        value = np.full(array.shape, UNKNOWN, object) if array.value is None else array.value
        return value if value.dtype.kind != "O" else self._array(value, array.dtype)

    def _array(self, sizes: Any, dtype: Any) -> Any:
        return np.array(self.numbers(sizes.reshape(-1).tolist()), dtype).reshape(sizes.shape)

    def sizes_of(self, abstract: AbstractTensor) -> Any:
        """The same as attributes take it."""
        return self.value_of(abstract._array)

    def reached(self, value: Any) -> list[Any]:
        """What outside a result depends on."""
        return [self.originals[number] for number in leaves_below(self.records, [value._id])]


def _run(trial: Trial, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Trial]:
    given, settings = trial.twin(args), trial.twin(kwargs)
    with np.errstate(all="ignore"), trial.running():
        return trial.composite(function, given, settings), trial


def choices(given: object) -> Iterator[Choice]:
    """Numbers to try where others do not fit: small ones, those among the operands, and those that code asks for."""
    yield lambda place: (2 + place % 3, 5 + place % 3)
    numbers = list(dict.fromkeys([*_numbers_in(given), 1, 3, 2, 4]))
    each = itertools.product([None, *numbers], repeat=3)  # one for each of the first unknown sizes
    mixed = sorted(each, key=lambda row: len(row) - row.count(None))[1 : _MOST_TRIED + 1]
    # (As few as possible have the same number in both runs: what depends on it is not known to be that of all numbers.)
    for row in [*mixed[: 3 * len(numbers)], *((number,) for number in numbers), *mixed[3 * len(numbers) :]]:
        yield functools.partial(_number_at, row)


def _number_at(row: tuple[int | None, ...], place: int) -> tuple[int, int]:
    """The number of a row in both runs; a row of one number has it everywhere."""
    number = row[0] if len(row) == 1 else row[place] if place < len(row) else None
    return _SIZES[place % len(_SIZES)] if number is None else (number, number)


def _numbers_in(given: object) -> list[int]:
    """The sizes of operands that are known, and whole numbers among the arguments."""
    found = []
    for leaf in leaves(given):
        if isinstance(leaf, Tensor):
            found += [size for size in abstract_of(leaf).known or () if size.__class__ is int]
        elif isinstance(leaf, np.ndarray):
            found += leaf.shape
        elif leaf.__class__ is int and 0 < leaf <= _LARGEST:
            found.append(leaf)
    return found[:_MOST_NUMBERS]


def _merged(evaluator: Inference, found: list[tuple[Any, Trial]]) -> Any:
    """What all runs have in common."""
    results, trials = [result for result, _ in found], [trial for _, trial in found]
    first = results[0]
    if isinstance(first, Tensor):
        return _tensor(evaluator, results, trials)
    columns = [parts_of(result) for result in results]
    if len({result.__class__ for result in results}) > 1 or len({len(column) for column in columns}) > 1:
        raise UnknownNumber(
            "How many tensors a step gives depends on a size that is not known before the function runs."
        )
    if not columns[0]:
        return _plain(results, trials)
    merged = iter([_merged(evaluator, list(zip(parts, trials, strict=True))) for parts in zip(*columns, strict=True)])
    return map_parts(first, lambda part: next(merged))


def _plain(results: list[Any], trials: list[Trial]) -> Any:
    """A result that is no tensor: a Python number, as a helper of the package may return it, is known if it is in all runs."""
    first = results[0]
    if first.__class__ is int and (trials[0].made_up or any(result != first for result in results)):
        return UNKNOWN
    return first


def agreed(evaluator: Inference, sizes: tuple[int, ...], trials: list[Trial]) -> Any:
    """The size that came out in all runs, if that proves it.

    It does not where a value was made up, and where all runs had one number for what is unknown and it may be that number.
    """
    is_sure = all(
        not trial.has_numbers or (not trial.made_up and (trial.differs or not trial.stands_for(sizes[0])))
        for trial in trials
    )
    return sizes[0] if is_sure and len(set(sizes)) == 1 else evaluator.unknown()


def _tensor(evaluator: Inference, results: list[Any], trials: list[Trial]) -> Any:
    """A tensor that came out: a constant if nothing that is unknown had part in it, else an abstract tensor."""
    first = results[0]
    is_proven = all(not trial.made_up and (trial.differs or not trial.has_numbers) for trial in trials)
    if is_proven and all(isinstance(result, EagerTensor) for result in results):
        arrays = [result._array for result in results]
        if all(np.shape(a) == np.shape(arrays[0]) and np.array_equal(a, arrays[0]) for a in arrays):
            return first
    shapes = [tuple(result.shape) for result in results]
    shape = None
    if len({len(sizes) for sizes in shapes}) == 1:
        shape = tuple([agreed(evaluator, sizes, trials) for sizes in zip(*shapes, strict=True)])
    abstract = AbstractTensor(evaluator, shape, like(evaluator, first)._array.dtype)
    if not (STATE.tapes or STATE.accumulators):
        return abstract
    sources = {
        id(value): value for result, trial in zip(results, trials, strict=True) for value in trial.reached(result)
    }
    return depending_on(evaluator, abstract, [v._read() if isinstance(v, Variable) else v for v in sources.values()])
