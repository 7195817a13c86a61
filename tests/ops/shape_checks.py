"""What every op's shape rule must fulfil, checked on the samples that stand with its declaration.

A rule is asked with less and less: all sizes known, each axis a symbol, all axes symbols, nothing known of any size, of any
rank, of an attribute. Whatever it says must be true of what the kernel gives when the symbols have the sizes of the sample.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.base.sizes import UNKNOWN, evaluate, symbol
from gradtape.extend import checks
from gradtape.op.abstract import Abstract, infer
from gradtape.op.declaration import BadInput, Op, Sample
from gradtape.values.from_python import to_array
from gradtape.values.tensor import from_array

ERRORS = (tf.errors.OpError, ValueError, TypeError, LookupError, ArithmeticError)
Looks = list[tuple[tuple[int, ...], Any]]
Numbers = dict[Any, int]

# Ops whose results are as long as the values say.
SIZED_BY_VALUES = {
    "nonzero", "segment_sum", "segment_mean", "segment_prod", "segment_max", "segment_min", "unique", "unique_with_counts",
    "list_diff",
    "compute_accidental_hits", "non_max_suppression", "non_max_suppression_with_scores", "non_max_suppression_overlaps",
    "ctc_greedy_decoder", "ctc_beam_search_decoder", "collapse_repeated", "decode_raw", "decode_padded_raw", "string_ngrams",
    "unicode_decode", "character_offsets", "string_split", "split_rows", "character_rows", "byte_rows", "resize_rows",
    "repeated_positions", "set_open_row", "resize_open_rows",
}  # fmt: skip


def arrays(op: Op, sample: Sample) -> list[Any]:
    """The operands of a sample as the kernel gets them."""
    return [to_array(value) for value in checks.operands(op, sample)]


def looks(op: Op, given: list[Any], attributes: dict[str, Any]) -> Looks:
    """Shapes and types of what the kernel gives."""
    results = checks.outputs(checks.call(op, [from_array(array) for array in given], attributes))
    return [(tuple(result.shape), result.dtype.numpy) for result in results]


def check_all_known(op: Op, given: list[Any], attributes: dict[str, Any], expected: Looks) -> None:
    """Shapes and types are the kernel's, to the last one."""
    found = infer(op, [Abstract(a.shape, a.dtype) for a in given], attributes)
    assert found is not None
    check_true(op, found, expected, {})
    if op.name not in SIZED_BY_VALUES:
        for result, (shape, _) in zip(found, expected, strict=True):
            assert result.known == shape, (op.name, result, shape)
    check_values(op, given, attributes)


def check_values(op: Op, given: list[Any], attributes: dict[str, Any]) -> None:
    """Values that are followed are the kernel's."""
    found = infer(op, [Abstract.of(a) for a in given], attributes)
    assert found is not None
    for position, result in enumerate(found):
        if result.value is not None:
            outputs = checks.outputs(checks.call(op, given, attributes))
            np.testing.assert_array_equal(result.value, outputs[position].numpy())


def check_true(op: Op, found: list[Abstract] | None, expected: Looks, numbers: Numbers) -> None:
    """Nothing that is said is wrong."""
    if found is None:
        assert op.outputs is None
        return
    assert len(found) == len(expected), (op.name, found, expected)
    for result, (shape, dtype) in zip(found, expected, strict=True):
        assert result.dtype == dtype, (op.name, result, dtype)
        if result.known is None:
            continue
        assert len(result.known) == len(shape), (op.name, result, shape)
        for size, actual in zip(result.known, shape, strict=True):
            number = evaluate(size, numbers)
            assert number is UNKNOWN or number == actual, (op.name, result, shape, numbers)


def with_symbols(given: list[Any], chosen: set[tuple[int, int]]) -> tuple[list[Abstract], Numbers]:
    """The operands with symbols for the chosen axes, and what these are."""
    numbers: Numbers = {}
    operands = []
    for position, array in enumerate(given):
        sizes: list[Any] = list(array.shape)
        for axis, size in enumerate(array.shape):
            if (position, axis) in chosen:
                sizes[axis] = symbol(f"s{position}{axis}")
                numbers[sizes[axis]] = size
        operands.append(Abstract(tuple(sizes), array.dtype))
    return operands, numbers


def axes_of(given: list[Any]) -> list[tuple[int, int]]:
    return [(position, axis) for position, array in enumerate(given) for axis in range(array.ndim)]


def check_symbols(op: Op, given: list[Any], attributes: dict[str, Any], expected: Looks) -> bool:
    """With symbols for one axis, for two and for all; whether something was left unknown that a symbol could say."""
    axes = axes_of(given)
    subsets = [{axis} for axis in axes] + [set(pair) for pair in itertools.pairwise(axes)] + [set(axes)]
    for chosen in subsets:
        operands, numbers = with_symbols(given, chosen)
        found = infer(op, operands, attributes)
        check_true(op, found, expected, numbers)
    return found is None or any(
        result.known is None or UNKNOWN in [s for s in result.known if s is UNKNOWN] for result in found
    )


def check_other_sizes(op: Op, given: list[Any], attributes: dict[str, Any], rng: np.random.Generator) -> None:
    """Arrays of other sizes: the rule is the kernel there too, and so is what it says of symbols that stand for them."""
    sizes = {size for array in given for size in array.shape}
    changed = {size: int(rng.integers(0, 7)) for size in sizes}
    for other in (_resized(given, changed), _resized(given, {**changed, 1: 1}), _resized_each(given, rng)):
        try:
            expected = looks(op, other, attributes)
        except ERRORS:
            continue  # not every size is one that the op takes, or that fits the others
        check_true(op, infer(op, [Abstract(a.shape, a.dtype) for a in other], attributes), expected, {})
        operands, numbers = with_symbols(other, set(axes_of(other)))
        check_true(op, infer(op, operands, attributes), expected, numbers)


def _resized(given: list[Any], changed: dict[int, int]) -> list[Any]:
    return [np.resize(array, [changed[size] for size in array.shape]) for array in given]


def _resized_each(given: list[Any], rng: np.random.Generator) -> list[Any]:
    return [np.resize(array, rng.integers(0, 5, array.ndim)) for array in given]


def check_unknown(op: Op, given: list[Any], attributes: dict[str, Any], expected: Looks) -> None:
    """With nothing known of sizes, and of ranks: of one operand and of all."""
    known = [Abstract(a.shape, a.dtype) for a in given]
    sizeless = [Abstract((UNKNOWN,) * a.ndim, a.dtype) for a in given]
    rankless = [Abstract(None, a.dtype) for a in given]
    for less in (sizeless, rankless):
        check_true(op, infer(op, less, attributes), expected, {})
        for position in range(len(given)):
            mixed = [*known[:position], less[position], *known[position + 1 :]]
            check_true(op, infer(op, mixed, attributes), expected, {})


def check_attributes(op: Op, given: list[Any], attributes: dict[str, Any], expected: Looks) -> None:
    """With an attribute of which nothing is known, and with symbols for the whole numbers in it."""
    known = [Abstract(a.shape, a.dtype) for a in given]
    for name in op.attributes:
        value = attributes.get(name, op.attributes[name])
        if isinstance(value, (bool, str, type, np.dtype)):
            continue  # types, names of methods and switches are no tensors
        check_true(op, infer(op, known, {**attributes, name: UNKNOWN}), expected, {})
        for changed, numbers in _symbolic(value):
            check_true(op, infer(op, known, {**attributes, name: changed}), expected, numbers)


def _symbolic(value: Any) -> Iterator[tuple[Any, Numbers]]:
    """The value with symbols for whole numbers that are not negative: for all at once."""
    numbers: Numbers = {}

    def replaced(part: Any) -> Any:
        if part.__class__ is int and part >= 0:
            size = symbol(f"a{len(numbers)}")
            numbers[size] = part
            return size
        if part.__class__ is slice:
            return slice(replaced(part.start), replaced(part.stop), part.step)
        return tuple(map(replaced, part)) if part.__class__ is tuple else part

    changed = replaced(value)
    if numbers:
        yield changed, numbers


def check_bad_input(op: Op, bad: BadInput) -> None:
    """What the kernel refuses, the rule refuses as the kernel does, or leaves to it."""
    try:
        given = [to_array(value) for value in (bad.args[0] if op.variadic else bad.args)]
    except (TypeError, ValueError):
        return  # no tensors: refused before anybody asks for shapes
    if op.variadic or len(op.arguments) - len(op.optional) <= len(given) <= len(op.arguments):
        with contextlib.suppress(*(bad.error if isinstance(bad.error, tuple) else (bad.error,))):
            infer(op, [Abstract(a.shape, a.dtype) for a in given], bad.attributes)


def check_types(op: Op, dtype: Any) -> int:
    """Types of results are the kernel's, on operands of this type; how many samples there were."""
    count = 0
    for sample in itertools.islice(checks.samples(op, dtype), 4):
        try:
            given = arrays(op, sample)
            expected = looks(op, given, sample.attributes)
        except ERRORS:
            continue  # the op's samples are not made for this type
        found = infer(op, [Abstract(a.shape, a.dtype) for a in given], sample.attributes)
        check_true(op, found, expected, {})
        count += 1
    return count
