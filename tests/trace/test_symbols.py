"""What is known while a function is traced: sizes that nobody has given are unknown, and no number stands for them."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.trace import graph, recorder, trials

ANY = tf.TensorSpec([None, None])
UNRANKED = tf.TensorSpec(None)
INT = tf.TensorSpec([], tf.int32)
X = tf.constant(np.arange(12, dtype=np.float32).reshape(4, 3))


def shapes(function: Any, *signature: Any) -> Any:
    """The shapes of the results, as tracing knows them: a list, or None for an unknown rank."""
    found = tf.function(function, input_signature=signature).get_concrete_function().structured_outputs
    listed = [spec.shape.as_list() if spec.shape.rank is not None else None for spec in tf.nest.flatten(found)]
    return listed[0] if len(listed) == 1 else listed


# --- shapes that TensorFlow gives ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "signature", "expected"),
    [
        (lambda x, i: x[i:], [tf.TensorSpec([4, 3]), INT], [None, 3]),
        (lambda x, i: x[:i], [tf.TensorSpec([4, 3]), INT], [None, 3]),
        (lambda x, i: x[i], [tf.TensorSpec([4, 3]), INT], [3]),
        (lambda x, i: tf.slice(x, [0, i], [2, -1]), [ANY, INT], [2, None]),
        (lambda x, i: tf.slice(x, i, [2, 2]), [ANY, tf.TensorSpec([2], tf.int32)], [2, 2]),
        (lambda x, k: tf.math.top_k(x, k), [tf.TensorSpec([4, 3]), INT], [[4, None], [4, None]]),
        (lambda x, a: tf.expand_dims(x, a), [tf.TensorSpec([4, 3]), INT], [None, None, None]),
        (lambda x: x[:, :-1] - tf.ones([6]), [ANY], [None, 6]),
        (lambda x, y: tf.concat([x, y], 1) @ tf.ones([5, 2]), [ANY, ANY], [None, 2]),
        (lambda x: tf.reshape(x, [-1, 784]), [ANY], [None, 784]),
        (lambda x: tf.reshape(x, [-1, 784]), [UNRANKED], [None, 784]),
        (lambda x: x @ tf.ones([3, 2]), [UNRANKED], None),
        (lambda x: tf.reduce_sum(x), [UNRANKED], []),
        (lambda x: tf.ensure_shape(x, [None, 3]), [UNRANKED], [None, 3]),
        (lambda x: tf.numpy_function(np.sin, [x], tf.float32), [ANY], None),
        (lambda x: tf.where(x > 0.0), [ANY], [None, 2]),
        (lambda x: tf.boolean_mask(x, x[:, 0] > 0.0), [tf.TensorSpec([None, 3])], [None, 3]),
        (lambda x: tf.squeeze(x), [ANY], None),
        (lambda x: tf.repeat(x, [1, 2], axis=0), [tf.TensorSpec([2, 3])], [3, 3]),
        (lambda x, n: tf.pad(x, [[0, n], [0, 0]]), [tf.TensorSpec([2, 3]), INT], [None, 3]),
        (lambda x, n: tf.split(x, [n, 3 - n], 1), [tf.TensorSpec([2, 3]), INT], [[2, None], [2, None]]),
        (lambda n: tf.zeros([n, 2]), [INT], [None, 2]),
        (lambda x: tf.random.normal([tf.shape(x)[0], 3]), [ANY], [None, 3]),
    ],
)
def test_shapes_while_tracing(function: Any, signature: Any, expected: Any) -> None:
    assert shapes(function, *signature) == expected


def test_equal_sizes_are_known_to_be_equal() -> None:
    def f(x: Any) -> Any:
        kept = tf.boolean_mask(x, x > 0.0)
        total = tf.stack([kept, kept * 2.0, kept[::-1]])
        assert total.shape.as_list() == [3, None]
        return total

    traced = tf.function(f, input_signature=[tf.TensorSpec([None])])
    assert traced(tf.constant([1.0, -1.0, 2.0])).numpy().tolist() == [[1, 2], [2, 4], [2, 1]]


def test_the_users_own_question_gets_none() -> None:
    asked = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x: Any) -> Any:
        asked.append(x.shape[0])
        return x * 100.0 if x.shape[0] == 1 else x

    assert f(X[:1]).numpy().tolist() == X[:1].numpy().tolist()
    assert asked == [None]


@pytest.mark.parametrize("spec", [ANY, UNRANKED, tf.TensorSpec([None, 3])])
def test_a_loop_over_the_rows_of_a_tensor_of_any_shape(spec: Any) -> None:
    @tf.function(input_signature=[spec])
    def f(x: Any) -> Any:
        total = 0.0
        for row in x:
            total += tf.reduce_sum(row) * 2.0
        return total

    assert float(f(X)) == 132.0
    assert float(f(X[:2])) == 30.0


def test_operands_of_unknown_rank() -> None:
    @tf.function(input_signature=[UNRANKED])
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.conv2d(x, tf.ones([2, 2, 1, 3]), 1, "SAME")
            total = tf.reduce_sum(tf.reshape(y * y, [-1, 3]))
        return total, tape.gradient(total, x)

    image = tf.random.stateless_normal([1, 4, 4, 1], [1, 2])
    total, gradient = f(image)
    expected = f.python_function(image)
    np.testing.assert_allclose(total, expected[0], rtol=1e-5)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-5)


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_an_error_that_no_size_repairs_is_raised_while_tracing() -> None:
    with pytest.raises(ValueError, match=r"matmul.*\(n\d+, 3\).*\(4, n\d+\)"):
        shapes(lambda x, y: tf.matmul(x, y), tf.TensorSpec([None, 3]), tf.TensorSpec([4, None]))


@pytest.mark.quick
def test_an_error_that_depends_on_sizes_belongs_to_the_call_that_gives_them() -> None:
    traced = tf.function(lambda x: x[:, :-1] - tf.ones([6]), input_signature=[ANY])
    assert traced(tf.ones([2, 7])).shape == (2, 6)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2, 4\]"):
        traced(tf.ones([2, 5]))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: tf.image.resize(x, y),
        lambda x, y: tf.nn.conv2d(x, y, 1, "VALID"),
        lambda x, y: tf.signal.stft(x, 4, 2, window_fn=4),
        lambda x, y: tf.split(x, 3, axis=5),
        lambda x, y: tf.gather_nd(x, y),
    ],
)
def test_no_message_has_a_size_that_nobody_wrote(function: Any) -> None:
    with pytest.raises((ValueError, TypeError, tf.errors.OpError)) as caught:
        shapes(function, ANY, ANY)
    numbers = {
        int(word) for word in "".join(c if c.isdigit() else " " for c in str(caught.value).split("line")[0]).split()
    }
    assert not numbers & {number for pair in trials._SIZES for number in pair}, caught.value


# --- how much is done ------------------------------------------------------------------------------------------------


@pytest.fixture
def performed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The steps that ran on abstract values, and those of graphs inside others."""
    calls: list[Any] = []
    original = graph.call_step

    def counted(function: Any, *rest: Any) -> Any:
        calls.append(function)
        return original(function, *rest)

    monkeypatch.setattr(graph, "call_step", counted)
    monkeypatch.setattr(recorder, "call_step", counted)
    return calls


def steps_of(traced: Any) -> int:
    """How many steps a graph has, with those of the graphs in it."""
    found = 0
    waiting = [traced.graph]
    while waiting:
        here = waiting.pop()
        found += len(here.steps)
        for step in here.steps:
            waiting += [leaf for leaf in graph.leaves(step.inputs) if isinstance(leaf, graph.Graph)]
    return found


def network(x: Any) -> Any:
    for _ in range(3):
        x = tf.nn.relu(x @ tf.ones([3, 3]) + 1.0)
    return tf.reduce_mean(x, 0)


def loop(x: Any) -> Any:
    total = x
    for _ in tf.range(5):
        if tf.reduce_sum(total) > 3.0:
            total = total * 0.5
        else:
            total = tf.tanh(total) + x
    return total


@pytest.mark.parametrize("function", [network, loop])
def test_no_step_is_performed_twice(function: Any, performed: list[Any]) -> None:
    traced = tf.function(function, input_signature=[tf.TensorSpec([None, 3])]).get_concrete_function()
    assert len(performed) == steps_of(traced)


def test_a_second_size_traces_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []
    traced = tf.function(network, input_signature=[tf.TensorSpec([None, 3])])
    traced(X)
    original = recorder.Recorder.step

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        begun.append(args)
        return original(self, *args, **kwargs)

    monkeypatch.setattr(recorder.Recorder, "step", counted)
    assert traced(X[:2]).shape == (3,)
    assert not begun
    assert traced.experimental_get_tracing_count() == 1


def _gradient(x: Any, y: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.tanh(x @ y) * 2.0
    return tape.gradient(z, [x, y])


def _jacobian(x: Any, y: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = tf.reduce_sum(x * y, 1)
    return tape.jacobian(z, x)


def _tangent(x: Any, y: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, y) as accumulator:
        z = tf.sin(x) @ y
    return accumulator.jvp(z)


def _loop(x: Any, y: Any) -> Any:
    for _ in tf.range(tf.cast(tf.reduce_sum(x), tf.int32)):
        x = tf.nn.softmax(x + y)
    return x


# Programs on two square matrices.
OF_MATRICES = {
    "a product": lambda x, y: x @ y,
    "what is made inside": lambda x, y: tf.zeros(tf.shape(x)) + tf.random.normal(tf.shape(x)),
    "a convolution": lambda x, y: tf.nn.conv2d(x[None, :, :, None], tf.reshape(y[:3, :3], [3, 3, 1, 1]), 2, "SAME"),
    "a pool": lambda x, y: tf.nn.max_pool2d(x[None, :, :, None], 3, 1, "SAME"),
    "reductions": lambda x, y: [tf.reduce_sum(x, 0), tf.reduce_logsumexp(x + y), tf.argmax(x, 1), tf.cumsum(y)],
    "rows": lambda x, y: tf.gather(tf.concat([x, y], 0), tf.argsort(x[0])),
    "norms": lambda x, y: tf.nn.moments(tf.pad(x, [[1, 1], [0, 0]]), [0]),
    "decompositions": lambda x, y: [tf.linalg.inv(x), *tf.linalg.svd(y)],
    "images": lambda x, y: tf.image.resize(x[..., None], [2000, 3000]),
    "text": lambda x, y: tf.strings.as_string(x),
    "a gradient": _gradient,
    "a Jacobian": _jacobian,
    "a tangent": _tangent,
    "a loop": _loop,
    "branches": lambda x, y: tf.cond(x[0, 0] > 0.0, lambda: x + y, lambda: x * 2.0),
    "sparse": lambda x, y: tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 1]], [1.0], tf.shape(x, tf.int64)), y),
}


@pytest.mark.parametrize("name", OF_MATRICES)
def test_tracing_takes_no_memory_for_large_arrays(name: str) -> None:
    """No array of the size of an operand is made, and what is made does not depend on it."""

    def peak(size: int) -> int:
        spec = tf.TensorSpec([size, size])
        traced = tf.function(OF_MATRICES[name])
        tracemalloc.start()
        traced.get_concrete_function(spec, spec)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(30)
    assert peak(3000) < 1.5 * peak(30) + 500_000 < 3000 * 3000  # (positions along an axis may be there)


def test_few_functions_are_tried_with_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """What most programs are made of has rules; only composites that decide by sizes run on numbers."""
    names = []
    original = trials.tried

    def noted(evaluator: Any, function: Any, *rest: Any) -> Any:
        names.append(function.__name__)
        return original(evaluator, function, *rest)

    monkeypatch.setattr(trials, "tried", noted)

    def program(x: Any, n: Any) -> Any:
        y = tf.nn.softmax(tf.reshape(x, [tf.shape(x)[0], -1]) @ tf.ones([3, 4]))
        y = tf.concat([y, tf.zeros([n, 4])], 0)[1:-1] + tf.cast(tf.range(4), tf.float32)
        y = tf.tile(tf.transpose(y)[None], [2, 1, 1]) + tf.one_hot(tf.argmax(y), tf.shape(y)[0])
        y = tf.boolean_mask(y, tf.reduce_sum(y, [1, 2]) > 0.0)
        return tf.reduce_mean(tf.nn.moments(y, [0])[1]), tf.pad(y, [[0, n], [0, 0], [0, 0]])

    shapes(program, ANY, INT)
    assert names == []


IMAGE, FILTER = np.ones([1, 4, 4, 1], np.float32), np.ones([2, 2, 1], np.float32)
OF_TWO_RANKS = {
    "bias_add": (lambda x, b: tf.nn.bias_add(x, b), IMAGE, [1.0]),
    "erosion2d": (lambda x, f: tf.nn.erosion2d(x, f, [1] * 4, "VALID", "NHWC", [1] * 4), IMAGE, FILTER),
    "dilation2d": (lambda x, f: tf.nn.dilation2d(x, f, [1] * 4, "VALID", "NHWC", [1] * 4), IMAGE, FILTER),
    "einsum": (lambda a, b: tf.einsum("ij,j->i", a, b), np.eye(3), [1.0, 2.0, 3.0]),
    "cross entropy": (
        lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.cast(y, tf.int32), x),
        np.ones([2, 3]),
        [1.0, 0.0],
    ),
    "lu_reconstruct": (lambda a, p: tf.linalg.lu_reconstruct(a, tf.cast(p, tf.int32)), np.eye(3), [0.0, 2.0, 1.0]),
}


@pytest.mark.parametrize(("function", "first", "second"), OF_TWO_RANKS.values(), ids=list(OF_TWO_RANKS))
def test_operands_of_different_ranks_that_are_not_known(function, first, second):
    first, second = tf.constant(first, tf.float32), tf.constant(second, tf.float32)
    traced = tf.function(function, input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    np.testing.assert_allclose(traced(first, second), function(first, second))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: tf.nn.max_pool(x, 1.5, 1, "SAME"), r"got 1\.5"),
        (lambda x: tf.nn.max_pool(x, 2, 1, "SOME"), "'SOME'"),
        (lambda x: tf.image.resize_with_pad(x, 6, 5, method="foo"), "foo"),
    ],
)
def test_a_bad_argument_beside_a_rank_that_is_not_known_is_named(call, said):
    """By an error that `except` with any of TensorFlow's classes catches, and without the sizes that were tried."""
    for kind in (ValueError, tf.errors.InvalidArgumentError, tf.errors.OperatorNotAllowedInGraphError):
        with pytest.raises(kind, match=said) as raised:
            tf.function(call, input_signature=[tf.TensorSpec(None)])(IMAGE)
        assert "input_signature" in str(raised.value)
        assert "24" not in str(raised.value)
