"""Loops that read or change single rows of a large array are native functions, as those on small arrays are."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf
from gradtape.compile.executor import lowered, renamed
from gradtape.compile.passes import optimized
from gradtape.native import abi, engine, thresholds

if not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()):
    pytest.skip("there are no native functions here", allow_module_level=True)

if thresholds.WHOLE_ELEMENTS < 1 << 10:
    pytest.skip("all arrays count as large", allow_module_level=True)

from gradtape.compile.whole.group import whole_program

RNG = np.random.default_rng(0)
ROWS = 20_000


@pytest.fixture(params=["native", "lines"])
def both_ways(request, monkeypatch):
    """As machine code with the first call, and as Python lines."""
    monkeypatch.setattr(thresholds, "WARMING_CALLS", 0 if request.param == "native" else 1 << 30)


def numbers(*shape):
    return tf.constant(RNG.normal(size=shape).astype(np.float32))


def reads(x):
    total, i = tf.constant(0.0), tf.constant(0)
    while i < 50:
        total = total * 0.9 + tf.reduce_sum(tf.sin(x[i * 397 % ROWS]))
        i += 1
    return total


def reads_from_the_end(x):
    total = tf.constant(0.0)
    for i in tf.range(50):
        total = total * 0.9 + tf.reduce_sum(x[-i - 1] * x[i // 3])
    return total


def gathers_a_few(x):
    total = tf.constant(0.0)
    for i in tf.range(50):
        total = total * 0.9 + tf.reduce_sum(tf.gather(x, [i, 2 * i, i % 7]))
    return total


def reads_one_element(x):
    total = tf.constant(0.0)
    for i in tf.range(50):
        total = total * 0.9 + tf.reduce_sum(x[7]) * tf.cast(i, tf.float32)
    return total


def changes_rows(x):
    array = x
    for i in tf.range(50):
        array = tf.tensor_scatter_nd_update(array, [[i * 7 % 40]], [tf.sin(x[i])])
    return array


def exchanges(x):
    one, two = x, x[::-1]
    for i in tf.range(50):
        one, two = two, tf.tensor_scatter_nd_add(one, [[i]], [two[i + 1]])
    return one, two


def uses_what_was(x):
    """The array before a change is needed after it."""
    array, before = x, x
    for i in tf.range(50):
        before = array
        array = tf.tensor_scatter_nd_update(array, [[i]], [x[i + 1] * 2.0])
    return array, before


def carries_unchanged(x):
    def round_of(i, total, array):
        return i + 1, total + tf.reduce_sum(array[i]), array

    return tf.while_loop(lambda i, total, array: i < 3, round_of, (tf.constant(0), tf.constant(0.0), x))[1]


def chooses(x):
    for i in tf.range(50):
        if tf.reduce_sum(x[i]) > 0:
            x = tf.tensor_scatter_nd_update(x, [[i]], [x[i + 1]])
    return x


def collects(x):
    rows = tf.TensorArray(tf.float32, ROWS, element_shape=x.shape[1:])
    for i in tf.range(50):
        rows = rows.write(i * 3, x[i] * 2.0)
    return rows.stack()


def gradient(function):
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return run


READS = [reads, reads_from_the_end, gathers_a_few, reads_one_element]
CHANGES = [changes_rows, carries_unchanged, exchanges, uses_what_was, chooses, collects]


def is_native(function, x):
    """Whether the function is one native function."""
    graph = tf.function(function).get_concrete_function(x).graph
    evaluator, structure, _ = lowered(graph, [x._array.shape], [x._array.dtype])
    program = optimized(evaluator.program)
    return whole_program(program, renamed(structure, iter(program.outputs))) is not None


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("shape", [(ROWS,), (ROWS, 3)])
@pytest.mark.parametrize("function", READS + CHANGES)
def test_values_have_the_bits_of_eager_code(function, shape):
    x = numbers(*shape)
    before = x.numpy().copy()
    compiled = tf.function(function)
    for _ in range(2):
        for found, wanted in zip(tf.nest.flatten(compiled(x)), tf.nest.flatten(function(x)), strict=True):
            np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(x, before, "nobody writes into an argument")


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("function", READS + CHANGES)
def test_gradients_are_those_of_eager_code(function):
    x = numbers(ROWS, 2)
    found, wanted = tf.function(gradient(function))(x), gradient(function)(x)
    np.testing.assert_allclose(tf.convert_to_tensor(found), tf.convert_to_tensor(wanted), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", READS)
def test_reads_are_one_native_function(function):
    assert is_native(function, numbers(ROWS, 2))


@pytest.mark.parametrize("function", [reads, reads_from_the_end])
def test_gradients_of_reads_are_one_native_function(function):
    assert is_native(gradient(function), numbers(ROWS, 2))


@pytest.mark.parametrize("function", [changes_rows])
def test_changes_in_place_are_one_native_function(function):
    assert is_native(function, numbers(ROWS, 2))


@pytest.mark.parametrize("function", [carries_unchanged, exchanges, uses_what_was, chooses])
def test_what_would_copy_the_array_stays_python_lines(function):
    assert not is_native(function, numbers(ROWS, 2))


@pytest.mark.usefixtures("both_ways")
def test_a_variable_that_a_loop_changes_in_rows_leaves_what_was_read_of_it_alone():
    table = tf.Variable(numbers(ROWS, 2))

    @tf.function
    def step():
        before = table.read_value()
        for i in tf.range(50):
            table.assign(tf.tensor_scatter_nd_add(table, [[i % 3]], [table[i + 1]]))
        return before[0], table[0]

    for _ in range(2):
        kept, held = table.read_value(), table.numpy().copy()
        wanted = held.copy()
        for i in range(50):
            wanted[i % 3] += wanted[i + 1]
        first, last = step()
        np.testing.assert_array_equal(kept, held)
        np.testing.assert_array_equal(first, held[0])
        np.testing.assert_array_equal(last, wanted[0])
        np.testing.assert_array_equal(table, wanted)


@pytest.mark.usefixtures("both_ways")
def test_a_position_outside_of_a_large_array_is_an_error():
    @tf.function
    def beyond(x, last):
        total = tf.constant(0.0)
        for i in tf.range(50):
            total = total + tf.gather(x, last + i)
        return total

    x = numbers(ROWS)
    assert np.isfinite(beyond(x, tf.constant(ROWS - 50)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="20000"):
        beyond(x, tf.constant(ROWS - 49))
