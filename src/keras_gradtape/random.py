"""`keras.random` on gradtape. The same seeds give the numbers that Keras gives on TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.config import floatx
from keras.src.random.seed_generator import SeedGenerator, draw_seed, make_default_seed

import gradtape
from gradtape.base.traceable import traceable
from keras_gradtape.ops.core import convert_to_tensor

__all__ = [
    "SeedGenerator",
    "beta",
    "binomial",
    "categorical",
    "draw_seed",
    "dropout",
    "gamma",
    "make_default_seed",
    "normal",
    "randint",
    "shuffle",
    "truncated_normal",
    "uniform",
]

_INT32_MAX = 2**31 - 1


def _next(seed: Any) -> Any:
    """The next pair of numbers of a seed or seed generator, in the range that TensorFlow's stateless ops take."""
    pair = convert_to_tensor(draw_seed(seed))
    return pair if pair.dtype.name == "int32" else gradtape.cast(pair % (_INT32_MAX - 1), "int32")


def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers of a normal distribution."""
    return gradtape.random.stateless_normal(shape, _next(seed), mean, stddev, dtype or floatx())


def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers of a normal distribution, none further than two standard deviations from its mean."""
    return gradtape.random.stateless_truncated_normal(shape, _next(seed), mean, stddev, dtype or floatx())


def uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers between `minval` and `maxval`."""
    dtype = dtype or floatx()
    low, high = convert_to_tensor(minval, dtype), convert_to_tensor(maxval, dtype)
    return gradtape.random.stateless_uniform(shape, _next(seed), low, high, dtype)


def randint(shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Any:
    """Whole numbers from `minval` to `maxval` - 1."""
    drawn_as = dtype if dtype in ("int32", "int64") else "int64"
    low, high = convert_to_tensor(minval, drawn_as), convert_to_tensor(maxval, drawn_as)
    return gradtape.cast(gradtape.random.stateless_uniform(shape, _next(seed), low, high, drawn_as), dtype)


@traceable
def categorical(logits: Any, num_samples: int, dtype: Any = "int64", seed: Any = None) -> Any:
    """Classes drawn with the probabilities of `logits`."""
    logits = convert_to_tensor(logits)
    return gradtape.cast(gradtape.random.stateless_categorical(logits, num_samples, _next(seed)), dtype)


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers of a gamma distribution."""
    dtype = dtype or floatx()
    return gradtape.cast(_gamma(shape, alpha, _wide(dtype), _next(seed)), dtype)


def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers of a beta distribution: x / (x + y) for x and y of gamma distributions."""
    dtype = dtype or floatx()
    pair = _next(seed)
    x = gradtape.cast(_gamma(shape, alpha, _wide(dtype), pair), dtype)
    y = gradtape.cast(_gamma(shape, beta, _wide(dtype), pair + 12), dtype)
    return x / (x + y)


def _gamma(shape: Any, alpha: Any, dtype: str, pair: Any) -> Any:
    alpha = gradtape.broadcast_to(convert_to_tensor(alpha, dtype), shape)
    return gradtape.random.stateless_gamma(shape, pair, alpha, dtype=dtype)


def binomial(shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None) -> Any:
    """How many of `counts` trials succeed. (The numbers are NumPy's, not TensorFlow's.)"""
    counts, probabilities = convert_to_tensor(counts), convert_to_tensor(probabilities)

    def draw(pair: Any, counts: Any, probabilities: Any) -> Any:
        generator = np.random.default_rng([int(number) for number in pair])
        return generator.binomial(counts.astype(np.int64), probabilities, tuple(shape))

    return gradtape.cast(
        gradtape.numpy_function(draw, [_next(seed), counts, probabilities], "int64"), dtype or floatx()
    )


def _wide(dtype: str) -> str:
    return "float32" if dtype == "bfloat16" else dtype


def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Zeros in place of a share of the elements; the others are scaled up."""
    inputs = convert_to_tensor(inputs)
    if rate == 1.0:
        return gradtape.zeros_like(inputs)
    if rate == 0.0:
        return inputs
    return dropped(inputs, rate, noise_shape, _next(seed))


@traceable
def dropped(inputs: Any, rate: float, noise_shape: Any, pair: Any) -> Any:
    """`dropout` by the next numbers of a seed, whatever they come from: one step of a function, which can be saved."""
    if noise_shape is None:
        noise_shape = inputs.shape
    sizes = [whole if size is None else size for size, whole in zip(noise_shape, inputs.shape, strict=True)]
    return gradtape.nn.experimental.stateless_dropout(inputs, rate, pair, noise_shape=sizes)


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Any:
    """The entries along an axis in another order."""
    return shuffled(convert_to_tensor(x), axis, _next(seed))


@traceable
def shuffled(x: Any, axis: int, pair: Any) -> Any:
    """`shuffle` by the next numbers of a seed."""
    order = gradtape.argsort(gradtape.random.stateless_uniform([x.shape[axis]], pair))
    return gradtape.gather(x, order, axis=axis)
