"""Programs: what the passes leave is well-formed and means the same, and generated code gives what the program says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf
from gradtape.compile import fusion
from gradtape.compile.codegen import python_of
from gradtape.compile.dead_code import without_dead_code
from gradtape.compile.executor import lowered
from gradtape.compile.group import Group
from gradtape.compile.passes import PASSES, optimized, simplified, without_repetition
from gradtape.compile.program import Program, check
from gradtape.native import engine, thresholds
from gradtape.native.abi import counts_holders
from gradtape.native.choice import choice_of
from gradtape.op.declaration import REGISTRY
from gradtape.trace.abstract_tensor import NeedsValue


def program_of(function: Any, *values: Any) -> Program:
    """The program of a function on tensors like these, before any pass."""
    concrete = tf.function(function, autograph=False).get_concrete_function(*values)
    shapes = [tuple(value.shape) for value in values]
    evaluator, _, _ = lowered(concrete.graph, shapes, [value.dtype.numpy for value in values])
    return evaluator.program


def run(program: Program, *values: Any) -> list[Any]:
    return [np.asarray(v) for v in program.run([value._array for value in values])]


def same(a: list[Any], b: list[Any], rtol: float = 1e-6) -> None:
    for x, y in zip(a, b, strict=True):
        np.testing.assert_allclose(x, y, rtol=rtol, atol=1e-6)


def gradient_of(function: Any) -> Any:
    def both(*values: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = function(*values)
        return [y, *tape.gradient(y, values)]

    return both


def names(program: Program) -> list[str]:
    return [node.what.name for node in program.nodes]


X = tf.constant(np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32))
Y = tf.constant(np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32))

FUNCTIONS = [
    lambda x, y: tf.reduce_sum(tf.tanh(x @ y)) + tf.reduce_sum(tf.sin(x) * tf.sin(x)),
    lambda x, y: tf.nn.softmax(tf.transpose(y) * x) @ y,
    lambda x, y: tf.linalg.inv(x @ y + 5.0 * tf.eye(4)),
    lambda x, y: tf.reshape(tf.reshape(x, [-1]), [3, 4]) * y * 1.0 + 0.0,
    lambda x, y: tf.concat([x, tf.transpose(y)], 1)[:, ::2] / tf.norm(y),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_pass_keeps_the_meaning(function):
    program = program_of(gradient_of(function), X, Y)
    expected = run(program, X, Y)
    check(program)
    for one in PASSES:
        shorter = one(program)
        check(shorter)
        same(run(shorter, X, Y), expected)
        assert len(shorter.nodes) <= len(program.nodes)
        program = shorter
    same([np.asarray(v) for v in python_of(program)(X._array, Y._array)], expected)


def test_what_nobody_wants_is_left_out():
    program = program_of(lambda x: (tf.exp(x), x + 1.0)[1], X)
    assert names(without_dead_code(program)) == ["add"]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.while_loop(lambda i, y: i < 40, lambda i, y: (i + 1, tf.sin(y)), [0, x])[1],
        lambda x: tf.cond(x[0, 0] > 0.0, lambda: tf.sin(x), lambda: tf.cos(x)),
    ],
)
def test_what_nobody_wants_in_a_loop_or_a_branch_is_left_out(function):
    """A pass over the program around may make it useless, when those over the program inside are done."""
    program = optimized(program_of(function, X))
    (node,) = [node for node in program.nodes if hasattr(node.what, "programs")]

    def with_useless(inner):
        used = next(one for one in inner.nodes if one.what.name in ("sin", "cos"))
        number = 1 + max(inner.looks)
        inner.looks[number] = inner.looks[used.outputs[0]]
        return inner.with_nodes([*inner.nodes, replace(used, outputs=(number,))])

    inside = [one for one in node.what.programs if {"sin", "cos"} & set(names(one))]
    changed = {id(one): with_useless(one) for one in inside}
    programs = [changed.get(id(one), one) for one in node.what.programs]
    kept = {"programs": tuple(programs)} if not hasattr(node.what, "body") else {"body": programs[-1]}
    longer = program.with_nodes(
        replace(one, what=replace(one.what, **kept)) if one is node else one for one in program.nodes
    )
    shorter = next(one for one in without_dead_code(longer).nodes if hasattr(one.what, "programs"))
    assert [names(one) for one in shorter.what.programs] == [names(one) for one in node.what.programs]


def test_equal_instructions_once():
    program = program_of(lambda x: tf.sin(x) * tf.exp(tf.sin(x)), X)
    assert sorted(names(without_repetition(program))) == ["exp", "multiply", "sin"]


def test_algebra():
    assert names(optimized(program_of(lambda x: x * 1.0 - 0.0, X))) == []
    assert names(optimized(program_of(lambda x: x / 1.0 + -0.0, X))) == []
    assert names(optimized(program_of(lambda x: x + 0.0, X))) == ["add"], "0.0 is the sum of 0.0 and -0.0"
    assert names(optimized(program_of(lambda x: x - -0.0, X))) == ["subtract"]
    assert names(optimized(program_of(lambda x: x * 1.0, tf.constant([1j])))) == ["multiply"], "it has two parts"
    assert names(optimized(program_of(lambda x: tf.negative(-tf.sin(x)), X))) == ["sin"]
    assert names(optimized(program_of(lambda x: tf.transpose(tf.transpose(x)), X))) == []
    assert names(optimized(program_of(lambda x: tf.reshape(tf.reshape(x, [6, 2]), [2, 6]), X))) == ["reshape"]
    product = optimized(program_of(lambda x: tf.matmul(tf.transpose(x), x), X))
    assert names(product) == ["matmul"]
    assert product.nodes[0].attributes["transpose_a"]
    assert names(simplified(program_of(lambda x: x * 0.0, X))) == ["multiply"], "0 times inf is nan"


def test_constants_keep_their_shape():
    """Ones times a number: the number, as often as there were ones."""
    big = tf.ones([50, 100])
    both = gradient_of(lambda x: tf.reverse(x, [1]) * 0.5)
    (_, got), (_, wanted) = tf.function(both)(big), both(big)
    np.testing.assert_array_equal(got.numpy(), wanted.numpy())


def test_constants_are_computed_once():
    def f(x):
        return x + tf.reduce_sum(tf.range(10.0) ** 2)

    assert names(optimized(program_of(f, X))) == ["add"]


def test_malformed_programs_are_found():
    program = program_of(lambda x: tf.sin(tf.exp(x)), X)
    program.nodes.reverse()
    with pytest.raises(AssertionError, match="before it is written"):
        check(program)
    program.nodes.reverse()
    program.nodes.append(program.nodes[0])
    with pytest.raises(AssertionError, match="twice"):
        check(program)


def test_programs_print():
    text = str(program_of(lambda x: tf.sin(x) @ Y, X))
    assert "%1 = sin(%0)  # float32[4, 3]" in text
    assert "matmul(%1, float32[3, 4]" in text


def test_errors_name_the_op():
    @tf.function
    def f(x):
        return tf.linalg.inv(x)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"not invertible|singular"):
        f(tf.zeros([3, 3]))


def test_what_needs_values_is_left_to_the_interpreter():
    concrete = tf.function(tf.io.read_file).get_concrete_function(tf.constant("a file"))
    with pytest.raises(NeedsValue):
        lowered(concrete.graph, [()], [np.dtype(object)])


# --- large arrays ------------------------------------------------------------------------------------------------------------

STEPS = [
    lambda a, b: a + b,
    lambda a, b: a * 0.5,
    lambda a, b: tf.tanh(a) * b,
    lambda a, b: tf.sigmoid(a) - b,
    lambda a, b: tf.maximum(a, b),
    lambda a, b: tf.where(a > b, a, -b),
    lambda a, b: tf.nn.relu(a) + 1.0,
    lambda a, b: a - tf.reduce_mean(b),
    lambda a, b: tf.reshape(tf.reshape(a, [-1]), a.shape) + b,
    lambda a, b: tf.reverse(a, [0]) * b,
]


_JUMP = 5  # the place of tf.where among the steps

CHOICES = st.lists(
    st.tuples(st.sampled_from(range(len(STEPS))), st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=9
)


@settings(max_examples=25, deadline=None)
@given(CHOICES)
def test_blocks_and_buffers_never_change_a_result(choices):
    """Programs on arrays large enough for blocks and for buffers that are used again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "available", lambda: False)
        _compare(choices, STEPS, 1e-6)


@settings(max_examples=25, deadline=None)
@given(CHOICES)
def test_machine_code_changes_no_more_than_last_bits(choices):
    """tanh may differ from NumPy's in its last bit, and a choice that jumps fall out otherwise: there is none here."""
    steady = [*STEPS]
    steady[_JUMP] = lambda a, b: tf.where(a > b, a - b, 2.0 * (b - a))
    _compare(choices, steady, 1e-5)


def _compare(choices, steps, tolerance):
    def f(x, y):
        values = [x, y]
        for step, left, right in choices:
            values.append(steps[step](values[left % len(values)], values[right % len(values)]))
        return [*values[2:], tf.reduce_sum(values[-1])]

    rng = np.random.default_rng(0)
    x, y = (tf.constant(rng.normal(size=(3, 50_000)).astype(np.float32)) for _ in range(2))
    before = x.numpy(), y.numpy()
    expected = [v.numpy() for v in f(x, y)]
    got = tf.function(f, autograph=False)(x, y)
    for a, b in zip(got[:-1], expected[:-1], strict=True):
        np.testing.assert_allclose(a.numpy(), b, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(got[-1].numpy(), expected[-1], rtol=1e-3, atol=1.0)
    np.testing.assert_array_equal(x.numpy(), before[0])
    np.testing.assert_array_equal(y.numpy(), before[1])


def test_a_chain_becomes_one_group():
    x = tf.ones([200_000])
    program = optimized(program_of(gradient_of(lambda x: tf.reduce_sum(tf.tanh(x) * tf.exp(-x))), x))
    items = fusion.grouped(program)
    assert [isinstance(item, Group) for item in items] == [True]


def test_results_do_not_share_memory_with_variables():
    v = tf.Variable(tf.ones([20_000]))

    @tf.function
    def f(x):
        y = tf.exp(x) * 2.0
        v.assign(y)
        return y + 1.0, y

    plus, y = f(tf.zeros([20_000]))
    v.assign_add(tf.ones([20_000]))
    assert float(y[0]) == 2.0
    assert float(plus[0]) == 3.0


def address(variable):
    return variable._value._array.__array_interface__["data"][0]


@pytest.mark.skipif(not counts_holders(), reason="nothing is changed in place: counts of references are not exact")
def test_variables_are_updated_in_place_when_nobody_sees_it():
    v = tf.Variable(tf.ones([300, 100]))

    @tf.function
    def step(delta):
        v.assign_sub(delta * 0.5)

    delta = tf.ones([300, 100])
    step(delta)
    before = address(v)
    step(delta)
    assert address(v) == before
    assert float(v[0, 0]) == 0.0
    held = v._value
    step(delta)
    assert address(v) != before
    assert float(held[0, 0]) == 0.0, "a tensor that was read keeps its value"
    assert float(v[0, 0]) == -0.5
    view = np.asarray(v)
    step(delta)
    assert float(view[0, 0]) == -0.5

    @tf.function
    def swap(other):
        old = v * 1.0
        v.assign_add(other)
        return old + v

    assert float(swap(delta)[0, 0]) == -1.0 + 0.0


def test_a_tape_keeps_the_values_that_it_recorded():
    v = tf.Variable(tf.ones([300, 100]) * 3.0)
    square = tf.function(lambda: tf.reduce_sum(v * v))

    @tf.function
    def step():
        v.assign_sub(tf.ones([300, 100]))

    step()
    with tf.GradientTape() as tape:
        y = square()
    step()
    assert float(tape.gradient(y, v)[0, 0]) == 4.0


@pytest.mark.parametrize("columns", [2, thresholds.ROWS_ELEMENTS])
def test_a_kernel_with_two_ways_is_chosen_by_the_size(columns):
    x = tf.constant(np.arange(2 * columns, dtype=np.float32).reshape(2, columns))
    function = python_of(program_of(lambda x: tf.reduce_max(x, -1), x))
    op = REGISTRY["reduce_max"]
    ways = choice_of(op.eager)
    assert ways is not None
    used = [kernel for kernel in function.__globals__.values() if kernel in (ways.small, op.eager)]
    assert used == [ways.small if columns == 2 else op.eager]
