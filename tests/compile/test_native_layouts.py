"""How results lie in memory, and what depends on it: the same from the first call on, before and after a native form is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.native import abi, engine

pytestmark = pytest.mark.skipif(
    not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()), reason="there is no machine code"
)

CALLS = 20  # of which the last few are of the native form
RNG = np.random.default_rng(0)


def numbers(*shape: int, dtype: str = "float32") -> tf.Tensor:
    values = RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if dtype.startswith("complex") else 0)
    return tf.constant(np.asarray(values, dtype))


def bits(result: Any) -> list[Any]:
    parts = [part.numpy() for part in tf.nest.flatten(result) if part is not None]
    return [(part.dtype, part.shape, part.tobytes()) for part in parts]


def with_gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arguments: tf.Tensor) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(arguments)
            result = function(*arguments)
        return result, tape.gradient(result, arguments)

    return run


def check(function: Callable[..., Any], *arguments: tf.Tensor) -> None:
    """A function and its gradients have the bits of eager code at each call."""
    for run in (function, with_gradients(function)):
        run(*arguments)  # (the first square of one complex number in a process may have other last bits in NumPy)
        expected, compiled = bits(run(*arguments)), tf.function(run)
        differs = [call for call in range(CALLS) if bits(compiled(*arguments)) != expected]
        assert differs == []


SHAPES: list[tuple[int, ...]] = [(1,), (1, 1), (5, 1), (3, 5)]
OF_COMPLEX: dict[str, Callable[..., Any]] = {
    "product": lambda x, y: x * y,
    "product of three": lambda x, y: x * y * x,
    "square": lambda x, y: tf.square(x) * y,
    "reversed": lambda x, y: x[..., ::-1] * y,
    "both reversed": lambda x, y: x[..., ::-1] * y[::-1],
    "reverse": lambda x, y: tf.reverse(x, [0]) * x,
    "sums from the end": lambda x, y: tf.cumsum(x, 0, reverse=True) * y,
    "products from the end": lambda x, y: tf.math.cumprod(x, 0, exclusive=True, reverse=True),
    "product of all": lambda x, y: tf.reduce_prod(x),
    "product of columns": lambda x, y: tf.reduce_prod(x, 0),
    "transposed": lambda x, y: tf.transpose(x) * tf.transpose(y)[::-1],
    "repeated": lambda x, y: x[:1] * y,
    "every other": lambda x, y: x[..., ::2] * y[..., ::2],
    "hyperbolic": lambda x, y: tf.tanh(x) * x,
}


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", OF_COMPLEX)
def test_complex_products_have_the_bits_of_eager_code_in_all_layouts(name, dtype):
    """NumPy rounds them in another way where elements are reversed, and where one is written in place."""
    for shape in SHAPES:
        check(OF_COMPLEX[name], numbers(*shape, dtype=dtype), numbers(*shape, dtype=dtype))


OF_FLOATS: dict[str, Callable[..., Any]] = {
    "reversed line": lambda x: tf.asinh(x[::-1]),
    "reversed rows": lambda x: tf.asinh(tf.reverse(x, [0])) * x,
    "reversed elements": lambda x: tf.sinh(x[..., ::-1]),
    "sums from the end": lambda x: tf.exp(tf.cumsum(x, 0, reverse=True)),
    "power": lambda x: tf.pow(tf.abs(x[..., ::-1]), x),
    "two": lambda x: tf.atan2(x[::-1], x),
    "turned": lambda x: tf.tan(tf.image.rot90(tf.reshape(x, [1, -1, 1]))),
    "repeated": lambda x: tf.asinh(tf.broadcast_to(tf.stop_gradient(x)[..., ::-1], [2, *x.shape])),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", OF_FLOATS)
def test_functions_of_reversed_elements_have_the_bits_of_eager_code(name, dtype):
    for shape in ((1,), (40,), (1, 33), (7, 9)):
        check(OF_FLOATS[name], numbers(*shape, dtype=dtype) * 0.4)


RESULTS: dict[str, Callable[..., Any]] = {
    "reversed": lambda x: x[::-1, ::-1],
    "made, then reversed": lambda x: (x * 2)[::-1],
    "repeated": lambda x: tf.broadcast_to(x[0] * 2, [50, 33]),
    "transposed": lambda x: tf.transpose(x * 2),
    "every third": lambda x: (x * 2)[:, ::3],
    "a part": lambda x: tf.transpose(x * 2)[1:-1],
    "a column": lambda x: (x * 2)[:, 3],
    "of one": lambda x: (x * 2)[:1, 5:6],
    "nothing": lambda x: (x * 2)[:0],
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_lie_in_memory_as_those_of_eager_code(name):
    """So what is computed of them later has the same bits."""
    x, function = numbers(17, 33), RESULTS[name]
    compiled = tf.function(function)
    eager = function(x)
    for _ in range(CALLS):
        found = compiled(x)
        assert bits(found) == bits(eager)
        assert found._array.strides == eager._array.strides or not found.shape[0]
    del x
    assert bits(found) == bits(eager)
    if eager.shape[0]:
        assert bits(tf.reduce_sum(found, 0)) == bits(tf.reduce_sum(eager, 0))


@pytest.mark.parametrize("change", [lambda v: tf.transpose(v) * 1.0, lambda v: v[::-1], lambda v: v + tf.transpose(v)])
def test_variables_lie_in_memory_as_after_eager_code(change):
    start = numbers(17, 17)
    one, two = tf.Variable(start), tf.Variable(start)
    step = tf.function(lambda: two.assign(change(two)))
    for _ in range(CALLS):
        one.assign(change(one))
        step()
        assert bits([one, tf.reduce_sum(one, 0), tf.reduce_sum(one)]) == bits(
            [two, tf.reduce_sum(two, 0), tf.reduce_sum(two)]
        )
        assert one._value._array.strides == two._value._array.strides


@pytest.mark.parametrize(
    "laid_out",
    [np.asfortranarray, lambda a: a[::-1, ::-1], lambda a: a[::2, 1::3], lambda a: np.broadcast_to(a[0], a.shape)],
)
@pytest.mark.parametrize("signature", [None, [tf.TensorSpec([None, None])]])
def test_arrays_as_arguments_lie_as_tensors_made_of_them(laid_out, signature):
    """The order of a sum follows memory, so that a function of an array has the bits of one of `tf.constant(array)`."""
    array = laid_out(RNG.normal(size=(9, 30)).astype(np.float32))

    def run(x):
        return tf.reduce_sum(tf.exp(x), 0), tf.reduce_sum(x)

    function, expected = tf.function(run, input_signature=signature), bits(run(tf.constant(array)))
    assert all(bits(function(array)) == expected for _ in range(CALLS))


POWERS: dict[str, Callable[..., Any]] = {
    "number as exponent": lambda x: x**1.7,
    "negative": lambda x: x**-1.3,
    "whole": lambda x: x**3,
    "number as base": lambda x: 1.7**x,
    "whole base": lambda x: 3**x,
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", POWERS)
def test_derivatives_of_powers_of_numbers_have_the_bits_of_eager_code(name, dtype):
    """A number is taken in the type of the tensor by both."""
    check(with_gradients(POWERS[name]), tf.cast(tf.abs(numbers(50)), dtype))


def test_the_exponent_of_a_derivative_is_computed_in_the_type_of_the_tensor():
    x = tf.constant([0.3, 1.7, 2.9, 0.11, 5.3])
    _, (slope,) = with_gradients(lambda x: x**1.7)(x)
    np.testing.assert_array_equal(slope, np.float32(1.7) * x.numpy() ** (np.float32(1.7) - np.float32(1.0)))
