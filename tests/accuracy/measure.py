"""Runs an op in every way it can be computed, and counts how far its results are from the true ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp, mpf

import gradtape as tf
from gradtape.op.declaration import REGISTRY, Op
from gradtape.ops import load_all

from .reductions import LENGTH, WEIGHTS, RowReference, rows
from .reference import Reference, Truth, truth

Array = np.ndarray[Any, Any]
_PART = 2048  # elements: below the size from which on texts are compiled
_WHOLE = 4096  # elements, from which on they are
_MANY = 1 << 16  # elements, from which on rows are

load_all()  # those that are imported on first use, too


class Worst(NamedTuple):
    """The largest error in units of the last place, and where it is."""

    units: float
    arguments: tuple[float, ...]
    found: float
    true: float


NONE = Worst(0.0, (), 0.0, 0.0)


class Errors(NamedTuple):
    """What is measured of an op in one type: results of normal size, and results or arguments that are denormal."""

    normal: Worst
    denormal: Worst


def op_of(name: str) -> Op:
    """The op of a row of the table; "gelu_of (tanh)" is the op gelu_of with other attributes."""
    return REGISTRY[name.split(" ")[0]]


def elementwise(name: str, reference: Reference, count: int, dtype: Any) -> dict[str, Errors]:
    """The errors of the value, and of the derivative by each argument."""
    op = op_of(name)
    count = min(count, reference.count)
    lists = reference.arguments(len(op.arguments), count, dtype, seed=len(name) + np.dtype(dtype).itemsize)
    wanted = {"value": truth(reference.value, lists, {k: v for k, (v, _) in reference.ends.items()}, reference.beyond)}
    for argument, slope in reference.slopes.items():
        # (A slope of pieces is that of one of them where the argument is nan.)
        wanted[argument] = truth(slope, lists, {k: s for k, (_, s) in reference.ends.items()}, None, at_nan=False)
    found: dict[str, Errors] = {}
    for results in ways(op, lists, dict(reference.attributes), list(reference.slopes)):
        for what, result in results:
            measured = errors(result, wanted[what], lists, dtype)
            found[what] = _worse(found[what], measured) if what in found else measured
    return found


def ways(op: Op, lists: list[Array], attributes: dict[str, Any], by: list[str]) -> Iterator[list[tuple[str, Array]]]:
    """The results of small arrays, of large ones and of a traced function; derivatives by reverse and by forward mode."""
    count = len(lists[0])
    parts = [_derived(op, [x[k : k + _PART] for x in lists], attributes, by) for k in range(0, count, _PART)]
    yield [(what, np.concatenate([part[k][1] for part in parts])) for k, (what, _) in enumerate(parts[0])]
    whole = [np.resize(x, max(count, _WHOLE)) for x in lists]
    yield [(what, result[:count]) for what, result in _derived(op, whole, attributes, by)]
    yield [(what, result[:count]) for what, result in _traced(op, whole, attributes, by)]


def _first(result: Any) -> Any:
    """The output that is measured, of ops that have several."""
    return result[0] if isinstance(result, (tuple, list)) else result


def _derived(op: Op, lists: list[Array], attributes: dict[str, Any], by: list[str]) -> list[tuple[str, Array]]:
    operands = [tf.constant(x) for x in lists]
    places = [op.arguments.index(name) for name in by]
    with tf.GradientTape() as tape:
        for k in places:
            tape.watch(operands[k])
        value = _first(op.public(*operands, **attributes))
    gradients = tape.gradient(value, [operands[k] for k in places]) if places else []
    found = [("value", value.numpy()), *((name, g.numpy()) for name, g in zip(by, gradients, strict=True))]
    for k, name in zip(places, by, strict=True):
        with tf.autodiff.ForwardAccumulator(operands[k], tf.ones_like(operands[k])) as accumulator:
            value = _first(op.public(*operands, **attributes))
        found.append((name, accumulator.jvp(value).numpy()))
    return found


def _traced(op: Op, lists: list[Array], attributes: dict[str, Any], by: list[str]) -> list[tuple[str, Array]]:
    places = [op.arguments.index(name) for name in by]

    @tf.function
    def run(*operands: Any) -> Any:
        with tf.GradientTape() as tape:
            for k in places:
                tape.watch(operands[k])
            value = _first(op.public(*operands, **attributes))
        return value, tape.gradient(value, [operands[k] for k in places]) if places else []

    value, gradients = run(*[tf.constant(x) for x in lists])
    return [("value", value.numpy()), *((name, g.numpy()) for name, g in zip(by, gradients, strict=True))]


# --- units of the last place --------------------------------------------------------------------------------


def errors(found: Array, true: Truth, lists: list[Array], dtype: Any) -> Errors:
    """How far results are from the true ones, in units of the last place of the true ones."""
    info = np.finfo(dtype)
    units = in_units(found, true, dtype)
    units = np.where(true.known, units, 0.0)
    small = (np.abs(true.high) < float(info.tiny)) & (true.high != 0)
    for x in lists:
        small |= (np.abs(x) < info.tiny) & (x != 0)
    return Errors(*(_largest(np.where(mask, units, 0.0), found, true, lists) for mask in (~small, small)))


def in_units(found: Array, true: Truth, dtype: Any) -> Array:
    """An infinite result counts as the number after the largest; nan beside a number, or the other way, as infinitely wrong."""
    info = np.finfo(dtype)
    top = 2.0 ** (info.maxexp - 64)  # all is divided by 2^64 where it is large: 2^1024 is not a float64
    scale = np.where(true.large, 2.0**-64, 1.0)
    with np.errstate(all="ignore"):
        number = found.astype(np.float64)
        high, low = true.high, true.low
        if info.bits == 32:  # exact in float64 as it is, and so is 2^128
            high, low, scale = np.where(true.large, np.sign(high) * np.inf, high), low, np.ones(len(high))
            top = 2.0**128
        value = np.where(np.isinf(number), np.sign(number) * top, number * scale)
        expected = np.where(np.isinf(high), np.sign(high) * top, high)
        beyond = (
            np.isinf(number) & (np.abs(high) >= top * (1 - float(info.epsneg) / 2)) & (np.sign(number) == np.sign(high))
        )
        spacing = np.maximum(_spacing(expected, info.nmant), float(info.smallest_subnormal))
        spacing = np.minimum(spacing, top * float(info.epsneg))
        units = np.abs((value - expected) - np.where(np.isinf(high), 0.0, low)) / spacing
    units = np.where(beyond | ((number == high) & (low == 0) & ~true.large), 0.0, units)
    units = np.where(np.isnan(high) & np.isnan(number), 0.0, units)
    return np.where(np.isnan(units), np.inf, units)


def _spacing(x: Array, digits: int) -> Array:
    """The distance between neighbours at x, in a type with so many binary digits."""
    _, exponent = np.frexp(np.where(np.isfinite(x), x, 1.0))
    return np.where(x == 0, 0.0, np.ldexp(1.0, exponent - 1 - digits))


def _largest(units: Array, found: Array, true: Truth, lists: list[Array]) -> Worst:
    at = int(np.argmax(units))
    if not units[at]:
        return NONE
    value = true.high[at] * (2.0**64 if true.large[at] else 1.0)
    return Worst(float(units[at]), tuple(float(x[at]) for x in lists), float(found[at]), float(value))


def _worse(one: Errors, other: Errors) -> Errors:
    return Errors(*(max(a, b, key=lambda worst: worst.units) for a, b in zip(one, other, strict=True)))


# --- reductions ---------------------------------------------------------------------------------------------


def reduction(name: str, reference: RowReference, count: int, dtype: Any) -> dict[str, Worst]:
    """The errors of the value and of the gradient, in units of the magnitudes that were added up."""
    matrix = rows(dtype, -(-count // LENGTH), reference.kinds, seed=len(name))
    lists = [[mpf(v) for v in row] for row in matrix.tolist()]
    held = {"value": [pair for row in lists for pair in reference.value(row)]}
    if reference.gradient is not None:
        held["gradient"] = [pair for row in lists for pair in reference.gradient(row)]
    found = {}
    for what, result in _reduced(reference, matrix):
        measured = _against_magnitudes(result, held[what], matrix, dtype)
        found[what] = max(found.get(what, NONE), measured, key=lambda worst: worst.units)
    return found


def _reduced(reference: RowReference, matrix: Array) -> Iterator[tuple[str, Array]]:
    """Of the rows as they are, of so many that machine code takes them, and in a traced function."""
    count = len(matrix)
    many = np.resize(matrix, (max(count, _MANY // LENGTH), LENGTH))
    yield from _weighed(reference, matrix)
    for run in (_weighed, _weighed_in_function):
        for what, result in run(reference, many):
            yield what, result[:count]


def _loss(reference: RowReference, x: Any) -> tuple[Any, Any]:
    value = reference.run(x)
    weights = tf.constant([float(w) for w in WEIGHTS], x.dtype)
    return value, value * weights if len(value.shape) == 2 else value


def _weighed(reference: RowReference, matrix: Array) -> list[tuple[str, Array]]:
    x = tf.constant(matrix)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value, loss = _loss(reference, x)
    found = [("value", value.numpy())]
    if reference.gradient is not None:
        found.append(("gradient", tape.gradient(loss, x).numpy()))
    return found


def _weighed_in_function(reference: RowReference, matrix: Array) -> list[tuple[str, Array]]:
    @tf.function
    def run(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            value, loss = _loss(reference, x)
        return value, tape.gradient(loss, x) if reference.gradient is not None else value

    value, gradient = run(tf.constant(matrix))
    return [("value", value.numpy()), ("gradient", gradient.numpy())][: 1 + (reference.gradient is not None)]


def _against_magnitudes(result: Array, held: list[tuple[Any, Any]], matrix: Array, dtype: Any) -> Worst:
    """In units of the last place of a number as large as the magnitude."""
    info = np.finfo(dtype)
    worst = NONE
    each = result.size // len(matrix)
    for place, (number, (true, magnitude)) in enumerate(zip(result.reshape(-1).tolist(), held, strict=True)):
        if true is None:
            continue
        row = tuple(matrix[place // each].tolist())
        if not math.isfinite(number):
            # (the nearest number to a true one beyond the range is an infinity)
            units = 0.0 if abs(true) > mpf(float(info.max)) and number * mp.sign(true) > 0 else math.inf
        elif not mp.isfinite(true):
            units = math.inf
        else:
            unit = max(magnitude * float(info.eps), mpf(float(info.tiny)) * float(info.eps))
            units = float(abs(mpf(number) - true) / unit)
        if units > worst.units:
            worst = Worst(units, row, number, float(true))
    return worst
