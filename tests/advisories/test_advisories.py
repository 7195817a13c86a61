"""A part of the attempts, in a process with little memory; and what the seam for sizes promises, case by case."""

import sys

import numpy as np
import pytest

import gradtape as tf

from .run import run

STEP = 101  # one attempt in so many; `python -m tests.advisories` makes all


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the memory of a process cannot be limited")
def test_bad_sizes_axes_and_indices_have_named_errors() -> None:
    assert run(step=STEP) == []


HUGE = {
    "zeros": lambda: tf.zeros([2**45]),
    "fill": lambda: tf.fill([2**45], 1.0),
    "eye": lambda: tf.eye(10**8),
    "eye beyond": lambda: tf.eye(2**70),
    "range": lambda: tf.range(2**45),
    "linspace": lambda: tf.linspace(0.0, 1.0, 2**45),
    "one_hot": lambda: tf.one_hot([1], 2**45),
    "sequence_mask": lambda: tf.sequence_mask([1], 2**45),
    "random.normal": lambda: tf.random.normal([2**45]),
    "random.uniform": lambda: tf.random.uniform([2**45]),
    "random.gamma": lambda: tf.random.gamma([2**45], 1.0),
    "random.poisson": lambda: tf.random.poisson([2**45], 1.0),
    "random.categorical": lambda: tf.random.categorical([[1.0]], 2**45),
    "random.stateless_normal": lambda: tf.random.stateless_normal([2**45], [1, 2]),
    "random.Generator": lambda: tf.random.Generator.from_seed(1).normal([2**45]),
    "repeat": lambda: tf.repeat([1.0], 2**45),
    "repeat that overflows": lambda: tf.repeat([1, 2, 3, 4], [2**62] * 4),
    "tile": lambda: tf.tile([1.0], [2**45]),
    "tile that overflows": lambda: tf.tile([[1.0, 2.0]], [2, 2**62]),
    "pad": lambda: tf.pad([1.0], [[0, 2**45]]),
    "dynamic_partition": lambda: tf.dynamic_partition([1.0], [0], 2**45),
    "hann_window": lambda: tf.signal.hann_window(2**45),
    "sparse.eye": lambda: tf.sparse.eye(2**45),
    "sparse.to_dense": lambda: tf.sparse.to_dense(tf.SparseTensor([[0]], [1.0], [2**45])),
    "TensorArray": lambda: tf.TensorArray(tf.float32, 2**62),
    "segment_sum": lambda: tf.math.unsorted_segment_sum([1.0], [0], 2**45),
    "resize": lambda: tf.image.resize(tf.zeros([1, 2, 2, 1]), [2**24, 2**24]),
    "scatter_nd": lambda: tf.scatter_nd([[0]], [1.0], [2**45]),
}


@pytest.mark.parametrize("call", HUGE.values(), ids=HUGE)
def test_a_size_beyond_the_machine_is_resource_exhausted(call) -> None:
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"smaller size|too large|too many|bytes"):
        call()


SMALL = {
    "range to infinity": lambda: tf.range(0.0, np.inf),
    "range of NaN": lambda: tf.range(0.0, np.nan),
    "weighted_moments of a scalar": lambda: tf.nn.weighted_moments(1.5, [0], 1.0),
    "sufficient_statistics of a scalar": lambda: tf.nn.sufficient_statistics(1.5, [0]),
    "an axis beyond all integers": lambda: tf.reduce_sum([1.0], 2**70),
    "a ragged tensor of overflowing rows": lambda: tf.RaggedTensor.from_row_lengths([1.0], [2**62] * 4),
}


@pytest.mark.parametrize("call", SMALL.values(), ids=SMALL)
def test_arithmetic_on_arguments_has_named_errors(call) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


def test_errors_of_a_users_own_code_stay_as_they_are() -> None:
    with pytest.raises(ZeroDivisionError):
        tf.map_fn(lambda x: 1 // 0, tf.constant([1.0]))
    with pytest.raises(MemoryError):
        tf.map_fn(lambda x: np.zeros(2**50), tf.constant([1.0]))
    with pytest.raises(AttributeError, match="nonsense"):
        tf.vectorized_map(lambda x: "text".nonsense, tf.constant([1.0]))
    with pytest.raises(IndexError):
        tf.foldl(lambda a, x: [][1], tf.constant([1.0, 2.0]))


def test_differences_of_any_order() -> None:
    assert tf.experimental.numpy.diff([1.0, 2.0, 4.0], 10**12).shape == (0,)
