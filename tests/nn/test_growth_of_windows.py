"""A window far larger than its input costs what a window as large as the input costs."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.ops.nn.window import windows

HUGE = 10**9


@pytest.mark.parametrize(("rank", "pool"), [(1, "1d"), (2, "2d"), (3, "3d")])
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_a_huge_window_sees_all_of_the_input(kind, rank, pool):
    x = tf.random.stateless_normal([2, *[5] * rank, 3], [1, 2])
    axes = list(range(1, rank + 1))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = getattr(tf.nn, f"{kind}_pool{pool}")(x, HUGE, 1, "SAME")
        z = getattr(tf, {"max": "reduce_max", "avg": "reduce_mean"}[kind])(x, axes, keepdims=True) + tf.zeros_like(x)
    np.testing.assert_allclose(y, z, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(tape.gradient(y, x), tape.gradient(z, x), rtol=1e-4, atol=1e-5)


def test_places_that_meet_only_padding_are_not_listed():
    found = windows("pool", (5,), (HUGE,), (1,), (1,), "SAME")
    assert len(found.taps()) == 9
    assert [tap.place[0] for tap in found.taps()] == list(range(HUGE // 2 - 5, HUGE // 2 + 4))


def test_taps_are_all_that_meet_the_input():
    rng = np.random.default_rng(0)
    for _ in range(300):
        size, width, stride, dilation = (int(n) for n in rng.integers(1, 7, 4))
        low, high = (int(n) for n in rng.integers(0, width * dilation, 2))
        if size + low + high < (width - 1) * dilation + 1:
            continue
        found = windows("pool", (size,), (width,), (stride,), (dilation,), ((low, high),))
        met = {
            (place, i * stride + place * dilation - low, i)
            for place in range(width)
            for i in range(found.outputs[0])
            if 0 <= i * stride + place * dilation - low < size
        }
        listed = {
            (tap.place[0], *pair)
            for tap in found.taps()
            for pair in zip(range(size)[tap.inputs[0]], range(found.outputs[0])[tap.outputs[0]], strict=True)
        }
        assert listed == met


@pytest.mark.parametrize("what", ["ksize", "strides"])
@pytest.mark.parametrize("size", [2**31, 2**62, 2**63, 2**70])
def test_windows_that_no_kernel_can_count(what, size):
    given = {"ksize": 2, "strides": 1, what: size}
    with pytest.raises(tf.errors.InvalidArgumentError, match="below 2\\^31"):
        tf.nn.max_pool2d(tf.zeros([1, 8, 8, 1]), padding="SAME", **given)
