"""The whole registry on eight threads at once, on shared variables: all results have the bits that one thread gives."""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np
import pytest
from tests.in_threads import in_threads

import gradtape as tf
from gradtape import nest
from gradtape.extend import checks
from gradtape.op.declaration import Op, Sample

from .registry import all_ops

THREADS = 8


class Case:
    """An op on a sample whose floating operands are variables, and what it gives with its gradients."""

    def __init__(self, op: Op, sample: Sample) -> None:
        self.op, self.attributes = op, sample.attributes
        values = [np.asarray(value) for value in checks.operands(op, sample)]
        places = checks.differentiable_positions(op, values) if op.vjps else []
        self.operands = [tf.Variable(v) if place in places else tf.constant(v) for place, v in enumerate(values)]
        self.sources = [self.operands[place] for place in places]

    def run(self) -> list[Any]:
        """Type, shape and bytes of all results."""
        with tf.GradientTape() as tape:
            results = checks.outputs(checks.call(self.op, list(self.operands), self.attributes))
        targets = [result for result in results if result.dtype.is_differentiable]
        found = tape.gradient(targets, self.sources) if targets and self.sources else []
        return [_bits(part) for part in nest.flatten([results, found])]

    def touch(self) -> None:
        """Give the variables the values that they have, in two ways."""
        for variable in self.sources:
            variable.assign(variable.read_value())
            variable.assign_sub(tf.zeros_like(variable))


def _bits(result: Any) -> Any:
    if result is None:
        return None
    array = np.asarray(tf.convert_to_tensor(result))
    return array.dtype.str, array.shape, array.tolist() if array.dtype.kind == "O" else array.tobytes()


@pytest.fixture
def _switching_often() -> Any:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("_switching_often")
def test_the_registry_on_many_threads() -> None:
    first: list[Case] = []  # one of each op, for all threads
    rest: list[Case] = []  # the others, each for one thread
    for op in all_ops():
        cases = [Case(op, sample) for sample in checks.samples(op, checks.numeric_kind(op))]
        first += cases[:1]
        rest += cases[1:]
    wanted = {id(case): case.run() for case in (*first, *rest)}

    def run(number: int) -> list[str]:
        """The ops that gave something else."""
        different = []
        for case in (*first, *rest[number::THREADS]):
            if number % 2:
                case.touch()
            if case.run() != wanted[id(case)]:
                different.append(case.op.name)
        return different

    assert in_threads(*[functools.partial(run, number) for number in range(THREADS)]) == [[]] * THREADS
