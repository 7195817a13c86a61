"""Values made of tensors, such as ragged ones, inside traced functions.

The result of a function of them depends on values: row lengths, positions of elements. Abstract values have none, so
the function runs on stand-ins, real values of the right shapes: twice, with values that differ wherever shapes allow it, and with
two sets of small numbers for unknown sizes. A size that differs between the runs is not known before the function runs.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from typing import Any

import numpy as np

from ..base.errors import OpError
from ..base.sizes import UNKNOWN, Undecided, is_known
from ..values.composite import COMPOSITES
from ..values.tensor import Tensor, from_array
from .abstract_tensor import AbstractTensor, Evaluator, NeedsValue, UnknownNumber
from .graph import leaves, map_parts, parts_of
from .inference import Inference, depending_on
from .recorder import outside_traces
from .trials import Choice, Trial, agreed, choices, ruled


@functools.lru_cache(maxsize=4096)
def filled(shape: tuple[int, ...], dtype: np.dtype[Any], kind: str) -> Any:
    """An array of the shape with stand-in values: ones, or numbers in order; whole numbers are 0, or 1."""
    if dtype.kind == "O":
        return np.full(shape, b"0" if kind == "ones" else b"", object)
    if dtype.kind in "iub":
        return np.broadcast_to(np.array(int(kind == "ordered"), dtype), shape)
    if kind == "ordered" and shape:
        return np.broadcast_to(np.linspace(0, 1, shape[-1]).astype(dtype), shape)
    return np.broadcast_to(np.ones((), dtype), shape)


def by_stand_ins(evaluator: Evaluator, function: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a function of such values when only shapes are known (`traceable(..., on_abstract=by_stand_ins)`)."""
    if not _depends_on_structure((args, kwargs)):
        with contextlib.suppress(Undecided):
            return function.__wrapped__(*args, **kwargs)
    if not isinstance(evaluator, Inference):
        raise NeedsValue(f"What {function.__name__} gives depends on the values of its operands.")
    abstracts = [leaf for leaf in leaves((args, kwargs)) if leaf.__class__ is AbstractTensor]
    # (Tapes follow the variables and captured tensors among the operands too.)
    operands = [leaf._read() if hasattr(leaf.__class__, "_read") else leaf for leaf in leaves((args, kwargs))]
    sources = [operand for operand in operands if isinstance(operand, Tensor)]
    rule = getattr(function, "look", None)
    found = None if rule is None else rule(*args, **kwargs)
    if found is not None:
        return ruled(evaluator, found, sources)
    problems: list[Exception] = []
    results: list[Any] = []
    trials: list[Trial] = []
    for rank in range(5) if any(abstract._array.known is None for abstract in abstracts) else (1,):
        for choice in (lambda place: (2, 3), *choices((args, kwargs))):
            try:
                found, tried = _found(function, (args, kwargs), choice, rank)
                results, trials = [*results, *found], [*trials, *tried]
                break
            except (OpError, ValueError, IndexError) as error:
                problems.append(error)
                if all(is_known(abstract._array.known or (UNKNOWN,)) for abstract in abstracts):
                    raise
    if results:
        return _made_abstract(evaluator, results, sources, trials)
    if len({(type(problem), str(problem)) for problem in problems}) == 1:
        raise problems[0]  # whatever the sizes are
    raise NeedsValue(f"What {function.__name__} gives depends on sizes that are not known before the function runs.")


def _found(function: Any, given: Any, choice: Choice, rank: int) -> tuple[list[Any], list[Trial]]:
    results: list[Any] = []
    trials: list[Trial] = []
    for side in (0, 1):
        if side and not trials[0].has_numbers:
            break  # (without unknown sizes both runs are one)
        trials.append(trial := Trial(side, choice, (rank,)))
        args = trial.twin(given)
        with outside_traces(), np.errstate(all="ignore"):
            results.append(_called(function, *solid(args, 0)))
            results += _with_other_values(function, args)
    return results, trials


def _with_other_values(function: object, given: object) -> list[Any]:
    """What the function gives where elements stand at other places: results, or the error of the last attempt."""
    found: list[Any] = []
    problem: Exception | None = None
    for variant in (1, 2) if _count_of_structures(given) else (1,):  # (a row may be missed where it is empty)
        for kind in ("", "ones"):  # (other integers may be no places in other operands)
            try:
                found.append(_called(function, *solid(given, variant, kind)))
                break
            except (OpError, ValueError, IndexError) as error:
                problem = error
    if not found and problem is not None:
        raise problem
    if _count_of_structures(given) > 1:  # also with operands that have their elements at places of their own
        with contextlib.suppress(OpError, ValueError, IndexError):
            found.append(_called(function, *_each_apart(given)))
    return found


def _each_apart(given: object) -> Any:
    variants = itertools.count()

    def apart(value: object) -> Any:
        if _has_structure(value):
            return solid(value, next(variants) % 3)
        return solid(value, 0) if value.__class__ is AbstractTensor else map_parts(value, apart)

    return apart(given)


def _count_of_structures(value: object) -> int:
    return 1 if _has_structure(value) else sum(map(_count_of_structures, parts_of(value)))


def _has_structure(value: object) -> bool:
    kind = COMPOSITES.get(value.__class__)
    return kind is not None and kind.stand_in is not None and _has_abstract(value)


def _called(function: Any, args: Any, kwargs: Any) -> Any:
    return function.__wrapped__(*args, **kwargs)


def _depends_on_structure(value: object) -> bool:
    kind = COMPOSITES.get(value.__class__)
    if kind is not None and kind.stand_in is not None:
        elements = None if kind.values is None else kind.values.of(value)
        return any(_has_abstract(part) for part in kind.parts(value) if part is not elements)
    return any(_depends_on_structure(part) for part in parts_of(value))


def _has_abstract(value: object) -> bool:
    return any(leaf.__class__ is AbstractTensor for leaf in leaves(value))


def solid(value: object, variant: int, kind: str = "") -> Any:
    """The value with a real value in place of every abstract one."""
    if value.__class__ is AbstractTensor:
        return from_array(
            filled(tuple(value.shape), value.dtype.numpy, kind or ("ones", "ordered", "ordered")[variant])
        )
    if _has_structure(value):
        stand_in = COMPOSITES[value.__class__].stand_in
        assert stand_in is not None
        return stand_in(value, variant, solid)
    return map_parts(value, lambda part: solid(part, variant, kind))


def _made_abstract(evaluator: Inference, results: list[Any], sources: list[Any], trials: list[Trial]) -> Any:
    """What all results have in common; a size in which they differ is unknown."""
    first = results[0]
    if isinstance(first, Tensor):
        shapes = [result._array.shape for result in results]
        shape = None
        if len({len(sizes) for sizes in shapes}) == 1:
            shape = tuple([agreed(evaluator, axis, trials) for axis in zip(*shapes, strict=True)])
        return depending_on(evaluator, AbstractTensor(evaluator, shape, first.dtype.numpy), sources)
    columns = [list(parts_of(result)) for result in results]
    if len({result.__class__ for result in results}) > 1 or len({len(column) for column in columns}) > 1:
        raise UnknownNumber(
            "What kind of value a step gives depends on a rank that is not known before the function runs."
        )
    kind = COMPOSITES.get(first.__class__)
    fixed = () if kind is None else kind.fixed
    made = []
    for place, parts in enumerate(zip(*columns, strict=True)):
        if place not in fixed:
            made.append(_made_abstract(evaluator, list(parts), sources, trials))
        elif all(np.array_equal(parts[0], part) for part in parts):
            made.append(parts[0])
        else:
            made.append(_abstract_sizes(evaluator, list(parts)))
    each = iter(made)
    return map_parts(first, lambda part: next(each))


def _abstract_sizes(evaluator: Inference, results: list[Any]) -> Any:
    """A tensor of sizes, of which those are known in which all results agree."""
    arrays = [result._array for result in results]
    if len({array.shape for array in arrays}) > 1:
        return AbstractTensor(evaluator, None, arrays[0].dtype)
    first = arrays[0].reshape(-1).tolist()
    agree = np.all([array == arrays[0] for array in arrays], axis=0).reshape(-1)
    sizes = np.array([size if sure else UNKNOWN for size, sure in zip(first, agree, strict=True)], object)
    return evaluator.tensor_of(arrays[0].shape, arrays[0].dtype, sizes)
