"""Numbers of stateless functions in native functions: those of eager code, and of TensorFlow, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compile.codegen import python_of
from gradtape.compile.executor import lowered
from gradtape.compile.fusion import grouped
from gradtape.compile.passes import optimized
from gradtape.native import abi, engine, thresholds

pytestmark = pytest.mark.skipif(
    not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()), reason="there is no machine code"
)


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Functions become native with their first call."""
    monkeypatch.setattr(thresholds, "WARMING_CALLS", 0)


def groups_of(function: Callable[..., Any], *values: Any) -> list[str]:
    concrete = tf.function(function).get_concrete_function(*values)
    evaluator, _, _ = lowered(concrete.graph, [v._array.shape for v in values], [v._array.dtype for v in values])
    return [type(item).__name__ for item in grouped(optimized(evaluator.program), python_of)]


def bits(result: Any) -> list[Any]:
    parts = map(np.asarray, tf.nest.flatten(result))
    return [(part.dtype, part.shape, part.tobytes()) for part in parts]


draws = tf.random
DRAWS: dict[str, Callable[[Any], Any]] = {
    "normal": lambda s: draws.stateless_normal([5], s),
    "normal of 64 bits": lambda s: draws.stateless_normal([3, 3], s, dtype=tf.float64),
    "one number": lambda s: draws.stateless_normal([], s),
    "a spread and a centre": lambda s: draws.stateless_normal([100], s, 2.0, tf.constant(3.0)),
    "many": lambda s: draws.stateless_normal([64, 100], s),
    "uniform": lambda s: draws.stateless_uniform([7], s),
    "between bounds": lambda s: draws.stateless_uniform([2], s, -1.0, 3.0, tf.float64),
    "from zero": lambda s: draws.stateless_uniform([6], s, 0, 2.5),
    "integers": lambda s: draws.stateless_uniform([9], s, 0, 10, tf.int32),
    "wide integers": lambda s: draws.stateless_uniform([4], s, -5, 2**40, tf.int64),
    "any integers": lambda s: draws.stateless_uniform([5], s, None, None, tf.int32),
    "any wide integers": lambda s: draws.stateless_uniform([5], s, None, None, tf.int64),
    "split": lambda s: draws.split(s, 3),
    "folded": lambda s: draws.fold_in(s, s[0]),
}
SEEDS = [(0, 0), (3, 7), (-1, 5), (2**31 - 1, -(2**31))]


@pytest.mark.parametrize("kind", [tf.int32, tf.int64])
@pytest.mark.parametrize("name", DRAWS)
def test_numbers_have_the_bits_of_eager_code(name, kind):
    draw = DRAWS[name]
    compiled = tf.function(draw)
    assert groups_of(draw, tf.constant([1, 2], kind)) == ["WholeGroup"]
    for seed in SEEDS:
        seed = tf.constant(seed, kind)
        assert bits(compiled(seed)) == bits(draw(seed))


def _price(seed: Any, volatility: Any) -> Any:
    total = tf.constant(0.0)
    for step in tf.range(20):
        key = draws.fold_in(seed, step)
        gain = tf.exp(volatility * draws.stateless_normal([16], key) - 0.5 * volatility**2) - 1.0
        total += tf.reduce_mean(tf.nn.relu(gain)) * draws.stateless_uniform([], [key[0], step])
    return total


def test_a_loop_that_draws_is_one_function_with_its_gradient():
    def slope(seed, volatility):
        with tf.GradientTape() as tape:
            tape.watch(volatility)
            price = _price(seed, volatility)
        return price, tape.gradient(price, volatility)

    given = tf.constant([3, 7]), tf.constant(0.2)
    assert groups_of(slope, *given) == ["WholeGroup"]
    price, gradient = tf.function(slope)(*given)
    expected, expected_gradient = slope(*given)
    assert bits(price) == bits(expected)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-5)


def test_a_step_that_draws_and_changes_a_variable_is_one_call():
    weights = tf.Variable(tf.zeros([3]))

    def step(seed):
        weights.assign_add(draws.stateless_normal([3], seed))
        return tf.reduce_sum(weights)

    compiled = tf.function(step)
    found = [bits([compiled(tf.constant([1, k])), weights]) for k in range(3)]
    weights.assign(tf.zeros([3]))
    assert found == [bits([step(tf.constant([1, k])), weights]) for k in range(3)]


def test_what_is_wrong_with_a_draw_is_said_as_in_eager_code():
    for draw in (
        lambda seed: draws.stateless_uniform([2], seed, 5, 5, tf.int32),
        lambda seed: draws.stateless_normal([2], tf.concat([seed, seed], 0)),
        lambda seed: draws.stateless_normal([2], seed, dtype=tf.int32),
        lambda seed: draws.fold_in(seed, 0.5),
    ):
        for run in (draw, tf.function(draw)):
            with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
                run(tf.constant([1, 2]))


@pytest.mark.parametrize("dtype", [tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64])
def test_shifts_have_the_bits_of_eager_code(dtype):
    """Also by more places than there are, and of negative numbers."""

    def shifted(x, places):
        return tf.bitwise.left_shift(x, places), tf.bitwise.right_shift(x, places)

    information = np.iinfo(dtype.as_numpy_dtype)
    values = [0, 1, 3, 77, information.max, information.min, information.max // 2]
    x = tf.constant(np.array(values * 3, dtype.as_numpy_dtype))
    for places in (0, 1, 3, 8 * dtype.size - 1, 8 * dtype.size, 100, *((-1,) if information.min else ())):
        given = x, tf.fill(x.shape, tf.constant(places, dtype))
        assert groups_of(shifted, *given) == ["WholeGroup"]
        assert bits(tf.function(shifted)(*given)) == bits(shifted(*given))


# --- generators --------------------------------------------------------------------------------------------------------------


def in_a_line(g: Any, x: Any) -> Any:
    return x + g.normal([4]), g.uniform([2, 3], -1.0, 2.0), g.normal([5], 2.0, 3.0, tf.float64), g.uniform([7])


def integers_of(g: Any, x: Any) -> Any:
    return g.uniform([3], 0, 10, tf.int32), g.uniform([2], -5, 2**40, tf.int64), g.uniform([5], None, None, tf.int32)


def in_a_loop(g: Any, x: Any) -> Any:
    for _ in tf.range(50):
        x = x * 0.9 + g.normal([4])
        if tf.reduce_sum(x) > 0.0:
            x = x - g.uniform([4])
    return x, g.state * 1


def begun_anew(g: Any, x: Any) -> Any:
    before = g.normal([3])
    g.reset_from_seed(5)
    return before, g.uniform([3]), g.normal([7])


def in_a_gradient(g: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(x * g.normal([4]) * tf.tanh(x))
    return tape.gradient(loss, x)


def with_means_that_are_tensors(g: Any, x: Any) -> Any:
    return g.normal([4], mean=x, stddev=x * 2.0), g.uniform([4], x, x + 1.0)


STATES = [[0, 0, 1], [-600, -1, 7], [-1, 3, -(2**63)]]  # (the counter goes over from one word to the next, and to zero)


@pytest.mark.parametrize("state", STATES, ids=str)
@pytest.mark.parametrize(
    "function",
    [in_a_line, integers_of, in_a_loop, begun_anew, in_a_gradient, with_means_that_are_tensors],
    ids=lambda function: function.__name__,
)
def test_generators_are_part_of_native_functions(function, state):
    one, two = (draws.Generator.from_state(state, "philox") for _ in range(2))
    x = tf.constant([0.5, 1.0, 1.5, 2.0])
    compiled = tf.function(lambda x: function(one, x))
    for _ in range(4):
        assert bits(compiled(x)) == bits(function(two, x))
        assert bits(one.state) == bits(two.state)
    assert compiled._direct is not None


def test_a_call_that_another_way_takes_draws_once():
    """An argument that the machine code refuses in the middle leaves the state as it was for the Python lines."""
    generator = draws.Generator.from_seed(1)

    @tf.function
    def function(x: Any, place: Any) -> Any:
        return generator.normal([2]) + tf.gather(x, place)

    x = tf.constant([1.0, 2.0])
    function(x, tf.constant(0))
    before = generator.state.numpy()
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(x, tf.constant(9))
    drawn = generator.state.numpy()
    assert (drawn - before).tolist() in ([0, 0, 0], [512, 0, 0])  # (as in eager code, which draws before it raises)
    function(x, tf.constant(1))
    assert (generator.state.numpy() - drawn).tolist() == [512, 0, 0]


def test_threads_that_share_a_generator_draw_other_numbers():
    from concurrent.futures import ThreadPoolExecutor

    generator = draws.Generator.from_seed(1)
    function = tf.function(lambda: generator.uniform([2], None, None, tf.int64))
    function()
    with ThreadPoolExecutor(4) as threads:
        found = [tuple(numbers) for numbers in threads.map(lambda _: function().numpy(), range(400))]
    assert len(set(found)) == 400
    assert generator.state.numpy().tolist() == [1 + 401 * 512, 0, 0]
