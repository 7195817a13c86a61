"""Calls that only their values make wrong: a function that has become native raises what eager code raises."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from tests.ops.registry import all_ops

import gradtape as tf
from gradtape.extend import checks
from gradtape.native import abi, engine, thresholds

pytestmark = pytest.mark.skipif(
    not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()), reason="there is no machine code"
)


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Functions become native with their first call."""
    monkeypatch.setattr(thresholds, "WARMING_CALLS", 0)


def error_of(call):
    try:
        call()
    except Exception as error:
        return type(error)
    return None


FILLED = (
    np.zeros_like,
    np.ones_like,
    lambda x: np.arange(x.size).reshape(x.shape).astype(x.dtype),
    lambda x: np.broadcast_to(np.eye(*x.shape[-2:], dtype=x.dtype), x.shape).copy() if x.ndim > 1 else x,
)


def others(operands):
    """Operands of the same shapes and types that may be good: all of them filled, or one of them."""
    for fill in FILLED:
        yield [fill(x) for x in operands]
    for place in range(len(operands)):
        for fill in FILLED:
            yield [fill(x) if p == place else x for p, x in enumerate(operands)]


def call_of(op, bad, places):
    def call(*given):
        args = list(bad.args)
        for place, value in zip(places, given, strict=True):
            args[place] = value
        return op.public(*args, **bad.attributes)

    return call


def wrong_by_value():
    """Bad inputs of all ops with operands that are good but for their values: a call, the good operands and the bad ones."""
    for op in all_ops():
        for bad in () if op.variadic else checks.bad_inputs(op):
            places = [p for p, x in enumerate(bad.args) if isinstance(x, np.ndarray) and x.dtype.kind != "O"]
            call = call_of(op, bad, places)
            wrong = [bad.args[place] for place in places]
            if not places or error_of(lambda call=call, wrong=wrong: call(*map(tf.constant, wrong))) is None:
                continue
            for good in others(wrong):
                if error_of(lambda call=call, good=good: call(*map(tf.constant, good))) is None:
                    yield f"{op.name}: {bad.why}", call, good, wrong
                    break


def beside_others(call):
    """The call among ops that have a native form."""

    def run(*given):
        results = tf.nest.flatten(call(*(x * 1 if x.dtype.is_floating else x for x in given)))
        return [x * 2 + 1 if x.dtype.is_floating else x for x in results], [tf.identity(x) for x in given]

    return run


def test_what_only_the_values_make_wrong():
    found, different = 0, []
    for name, call, good, wrong in wrong_by_value():
        for run in (call, beside_others(call)):
            good_ones, wrong_ones = ([tf.constant(x) for x in operands] for operands in (good, wrong))
            function = tf.function(run)
            for _ in range(3):
                function(*good_ones)
            eager, native = (error_of(functools.partial(each, *wrong_ones)) for each in (run, function))
            found += 1
            if eager is not native:
                different.append(f"{name}: eager {eager}, native {native}")
    assert not different, "\n".join(different)
    assert found > 100


def test_negative_powers_of_integers():
    """NumPy's inner loop of integer powers sets an exception of Python's instead of giving a result."""

    def step(n, exponent):
        total = 1
        for _ in tf.range(n):
            total = total + 2**exponent
        return total

    for run, good, wrong in (
        (lambda i: tf.pow(2, i), [[0, 1]], [[-1, 1]]),
        (lambda i: tf.reduce_sum(tf.cast(tf.pow(2, i), tf.float32) * 0.5), [[0, 1]], [[-1, 1]]),
        (step, [2, 2], [2, -2]),
    ):
        function = tf.function(run)
        for _ in range(3):
            function(*map(tf.constant, good))
        with pytest.raises(tf.errors.InvalidArgumentError, match="negative integer powers"):
            function(*map(tf.constant, wrong))
        function(*map(tf.constant, good))
