"""`tf.slice`, `pad`, `split` and `transpose` with tensors are instructions of a program, in loops and under tapes too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf

PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "slice": lambda x, n: tf.slice(x, [n, 0], [1, n]),
    "slice to the end": lambda x, n: tf.slice(x, [n, 1], [-1, 2]),
    "slice by vectors": lambda x, n: tf.slice(x, tf.stack([n, 0]), tf.stack([2, n])),
    "pad": lambda x, n: tf.pad(x, [[n, 1], [0, n]]),
    "pad with a number": lambda x, n: tf.pad(x, [[n, 1], [0, n]], constant_values=2.0),
    "pad with reflections": lambda x, n: tf.pad(x, tf.stack([[n, 0], [1, n]]), "REFLECT"),
    "split": lambda x, n: tf.split(x, [n, 4 - n])[1],
    "split with a rest": lambda x, n: tf.split(x, [n, -1])[0],
    "split by a vector": lambda x, n: tf.split(x, tf.stack([n, 4 - n]), num=2)[1],
    "transpose": lambda x, n: tf.transpose(x, [n - 1, 2 - n]),
    "transpose by a vector": lambda x, n: tf.transpose(x, tf.roll([0, 1], n, 0)),
}


def summed(program: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def rounds(x: Any, n: Any) -> Any:
        total = tf.zeros([])
        for i in tf.range(2):
            total += tf.reduce_sum(tf.sin(program(x * tf.cast(i + 1, tf.float32), n)) ** 2)
        return total

    return rounds


def derivatives(function: Callable[[Any, Any], Any], x: Any, n: Any) -> list[Any]:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, n)
        slope = tape.gradient(y, x)
    return [y.numpy(), slope.numpy(), outer.gradient(slope, x).numpy()]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_loop_has_instructions_and_the_derivatives_of_eager_code(name: str) -> None:
    function = summed(PROGRAMS[name])
    traced = tf.function(function)
    x = tf.reshape(tf.range(12.0), [4, 3]) / 7
    for count in (2, 1):
        n = tf.constant(count)
        for found, expected in zip(derivatives(traced, x, n), derivatives(function, x, n), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(traced(x, n), function(x, n), rtol=1e-5)
    told = str(traced.explain())
    assert "calls" not in told
    assert "part" not in told


@pytest.mark.parametrize(
    ("program", "n"),
    [
        (lambda x, n: tf.slice(x, [n, 0], [2, 2]), 3),
        (lambda x, n: tf.slice(x, [0, 0], [n, 2]), -2),
        (lambda x, n: tf.pad(x, [[n, 0], [0, 0]]), -1),
        (lambda x, n: tf.pad(x, [[n, 0], [0, 0]], "REFLECT"), 4),
        (lambda x, n: tf.split(x, [n, 1]), 2),
        (lambda x, n: tf.split(x, [n, -1]), 5),
        (lambda x, n: tf.transpose(x, [n, 0]), 0),
        (lambda x, n: tf.transpose(x, [n, 0]), 2),
    ],
)
def test_numbers_that_do_not_fit_are_refused_as_in_eager_code(program: Any, n: int) -> None:
    x = tf.ones([4, 3])
    with pytest.raises(tf.errors.InvalidArgumentError) as eager:
        program(x, tf.constant(n))
    with pytest.raises(tf.errors.InvalidArgumentError) as traced:
        tf.function(program)(x, tf.constant(n))
    assert str(traced.value).split(":")[0] == str(eager.value).split(":")[0]


@pytest.mark.parametrize("place", ["result", "inner"])
def test_jacobians_go_through_calls_in_programs(place: str) -> None:
    """A Jacobian has a batch of cotangents, each of which a call takes by itself."""

    def boxed(x: Any, n: Any) -> Any:
        return tf.image.pad_to_bounding_box((x * x)[None, :, :, None], n, n, 8, 8)

    def jacobian(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = boxed(x, n) * (1.0 if place == "result" else x[0, 1])
        return tape.jacobian(y, x)

    x = tf.reshape(tf.range(6.0), [2, 3]) / 7
    found = tf.function(jacobian)(x, tf.constant(2))
    np.testing.assert_allclose(found, jacobian(x, tf.constant(2)), rtol=1e-5)


def test_a_gradient_of_a_jacobian_over_an_axis_that_is_a_tensor() -> None:
    def slopes(x: Any, axis: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_mean(x**2, axis)
            size = tf.reduce_sum(tape.jacobian(y, x) ** 2)
        return outer.gradient(size, x)

    x = tf.reshape(tf.range(6.0), [2, 3]) / 7
    np.testing.assert_allclose(tf.function(slopes)(x, tf.constant(1)), slopes(x, tf.constant(1)), rtol=1e-5)
