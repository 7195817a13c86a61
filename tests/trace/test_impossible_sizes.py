"""Sizes that no machine has, and numbers that are none, have errors of TensorFlow's classes in functions too."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

import gradtape as tf

HUGE = 2**50
X = tf.ones([2, 3])
RAGGED = tf.ragged.constant([[1.0, 2.0], [3.0]])
CALLS: dict[str, Any] = {
    "sparse.eye": tf.sparse.eye,
    "hann_window": tf.signal.hann_window,
    "kaiser_window": tf.signal.kaiser_window,
    "vorbis_window": tf.signal.vorbis_window,
    "mel": lambda n: tf.signal.linear_to_mel_weight_matrix(num_mel_bins=n),
    "stft": lambda n: tf.signal.stft(tf.ones([6]), n, 1, pad_end=True),
    "tile of rows": lambda n: tf.tile(RAGGED, [n, 1]),
    "ragged.range": lambda n: tf.ragged.range([n]),
    "to_tensor": lambda n: RAGGED.to_tensor(shape=[None, n]),
    "to_indicator": lambda n: tf.sparse.to_indicator(tf.sparse.from_dense([[1]]), n),
    "fill_empty_rows": lambda n: tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 0]], [1.0], [n, 1]), 0.0),
    "categorical": lambda n: tf.random.categorical(X, n),
    "stateless_categorical": lambda n: tf.random.stateless_categorical(X, n, [1, 2]),
    "crop_and_resize": lambda n: tf.image.crop_and_resize(X[None, :, :, None], [[0.0, 0.0, 1.0, 1.0]], [0], [n, 2]),
    "extract_glimpse": lambda n: tf.image.extract_glimpse(X[None, :, :, None], [n, 2], [[0.0, 0.0]]),
    "index_shuffle": lambda n: tf.random.experimental.index_shuffle(0, [1, 2], n),
    "numpy.tri": tf.experimental.numpy.tri,
    "TensorArray": lambda n: tf.TensorArray(tf.float32, n).size(),
    "zeros": tf.zeros,
    "tile": lambda n: tf.tile(X, [n, 1]),
}
WAYS = {
    "its own number": lambda f, n: tf.function(lambda: f(n))(),
    "an argument": lambda f, n: tf.function(f)(tf.constant(n)),
    "compiled": lambda f, n: tf.function(f, jit_compile=True)(tf.constant(n)),
}


@pytest.mark.parametrize("size", [HUGE, 10**19, -7, 2.5, float("inf")])
@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_what_functions_raise(call: Any, way: Any, size: Any) -> None:
    with contextlib.suppress(tf.errors.OpError, ValueError, TypeError):  # not MemoryError, OverflowError, KeyError
        way(call, size)


@pytest.mark.parametrize("name", ["sparse.eye", "tile of rows", "ragged.range", "categorical", "numpy.tri"])
def test_the_error_is_that_of_eager_code(name: str) -> None:
    for run in (lambda: CALLS[name](HUGE), lambda: tf.function(lambda: CALLS[name](HUGE))()):
        with pytest.raises(tf.errors.ResourceExhaustedError, match="smaller size"):
            run()


def test_errors_of_the_users_own_code_stay() -> None:
    def wrong(x: Any) -> Any:
        return {}["missing"] * x

    with pytest.raises(KeyError, match="missing"):
        tf.function(wrong)(X)
    with pytest.raises(ZeroDivisionError):
        tf.function(lambda x: x * (1 // 0))(X)
    with pytest.raises(MemoryError):
        tf.function(lambda x: x * _without_memory())(X)


def _without_memory() -> float:
    raise MemoryError


def test_vectorized_map_has_no_other_arguments() -> None:
    with pytest.raises(TypeError, match="no_such"):
        tf.function(lambda x: tf.vectorized_map(lambda row: row * 2.0, x, no_such=1))(X)
    got = tf.function(lambda x: tf.vectorized_map(lambda row: row * 2.0, x, True, warn=False))(X)
    assert got.numpy().tolist() == [[2.0] * 3] * 2
