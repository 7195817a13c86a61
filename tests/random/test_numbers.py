"""The numbers of `tf.random` are TensorFlow's: observed on TensorFlow 2.21 on a CPU.

Bits, integers and uniform floats agree to the last bit; what goes through sin, cos, log or a power, to a few units
in the last place.
"""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.quick

R = tf.random
SEED = [1, 2]
CLOSE = {"rtol": 2e-6, "atol": 1e-7}


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (tf.int32, [1105988140, 1738052849, -335576002, 370444179]),
        (tf.uint32, [1105988140, 1738052849, 3959391294, 370444179]),
        (tf.int64, [7464880146280614444, 1591045637757961278]),
        (tf.uint64, [7464880146280614444, 1591045637757961278]),
    ],
)
def test_stateless_bits(dtype, expected):
    drawn = R.stateless_uniform([len(expected)], SEED, None, None, dtype)
    assert drawn.dtype == dtype
    assert drawn.numpy().tolist() == expected


def test_stateless_numbers():
    assert R.stateless_uniform([3], SEED).numpy().tolist() == pytest.approx(
        [0.8440604, 0.19204533, 0.9962232], rel=1e-7
    )
    assert R.stateless_uniform([3], SEED, 0, 9, tf.int64).numpy().tolist() == [0, 3, 2]
    np.testing.assert_allclose(R.stateless_normal([4], SEED), [0.5441101, 0.20738031, 0.07356432, 0.04643455], **CLOSE)
    gamma = [[1.7551289, 3.013823], [1.0558165, 3.064351], [2.1844535, 2.1609993]]
    np.testing.assert_allclose(R.stateless_gamma([3, 2], SEED, [1.2, 2.7]), gamma, **CLOSE)
    assert R.stateless_poisson([3, 2], SEED, [4.0, 20.0]).numpy().tolist() == [[6, 25], [5, 16], [6, 24]]
    assert R.stateless_categorical([[0.0, 1.0, 2.0]], 5, [3, 4]).numpy().tolist() == [[2, 2, 1, 2, 2]]
    assert R.experimental.stateless_shuffle(tf.range(9), SEED).numpy().tolist() == [1, 2, 7, 6, 3, 4, 5, 0, 8]


def test_seeds_from_seeds():
    assert R.split(SEED, 3).numpy().tolist() == [
        [1105988140, 1738052849],
        [-335576002, 370444179],
        [10670227, -246211131],
    ]
    assert R.fold_in(SEED, 3).numpy().tolist() == [1105988140, 3]
    assert R.experimental.stateless_split is R.split
    assert R.experimental.stateless_fold_in is R.fold_in


def test_the_global_seed_and_op_seeds():
    R.set_seed(1)
    drawn = [R.uniform([2]), R.uniform([2]), R.normal([1], seed=4), R.uniform([2]), R.normal([1], seed=4)]
    expected = [
        [0.16513085, 0.9014813],
        [0.51010704, 0.44353175],
        [1.0529343],
        [0.8292774, 0.634228],
        [-0.05620475],
    ]
    for a, b in zip(drawn, expected, strict=True):
        np.testing.assert_allclose(a, b, **CLOSE)


def test_every_stateful_op_after_a_global_seed():
    R.set_seed(3)
    assert R.shuffle(tf.range(5)).numpy().tolist() == [4, 2, 1, 3, 0]
    assert R.categorical([[0.0, 0.0, 0.0]], 4).numpy().tolist() == [[1, 2, 1, 0]]
    assert R.poisson([3], 4.0).numpy().tolist() == [2.0, 3.0, 4.0]
    np.testing.assert_allclose(R.gamma([1], 2.0), [4.732136], **CLOSE)
    np.testing.assert_allclose(R.truncated_normal([1], dtype=tf.float64), [-0.45998338], rtol=1e-7)


def test_repeated_calls_with_an_op_seed_go_on():
    R.set_seed(3)
    first, second = (R.poisson([3], [2.0, 30.0], seed=1).numpy().tolist() for _ in range(2))
    assert first == [[0.0, 38.0], [1.0, 37.0], [0.0, 31.0]]
    assert second == [[2.0, 29.0], [5.0, 29.0], [1.0, 25.0]]
    gamma = [R.gamma([2], [2.0, 30.0], seed=1) for _ in range(2)]
    np.testing.assert_allclose(gamma[0], [[5.041864, 33.011597], [4.7717075, 31.15964]], **CLOSE)
    np.testing.assert_allclose(gamma[1], [[3.2610383, 34.719463], [0.16976507, 26.171156]], **CLOSE)


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (2**40 + 5, [0.06441069, 0.50389373]),
        (-5, [0.5703093, 0.9237962]),
        (tf.constant(7), [0.8344538, 0.23336661]),
    ],
)
def test_seeds_of_any_size(seed, expected):
    R.set_seed(seed)
    np.testing.assert_allclose(R.uniform([2]), expected, **CLOSE)


def test_half_types():
    R.set_seed(3)
    half = R.uniform([3], dtype=tf.float16, seed=1)
    short = R.uniform([3], dtype=tf.bfloat16, seed=1)
    assert half.numpy().tolist() == pytest.approx([0.9424, 0.3232, 0.2998], abs=1e-4)
    assert tf.cast(short, tf.float32).numpy().tolist() == pytest.approx([0.539062, 0.585938, 0.398438], abs=1e-5)


def test_generator_numbers_and_state():
    g = R.Generator.from_seed(1234)
    normal = [[0.9356609, 1.0854305, -0.93788373], [-0.5061547, 1.3169702, 0.7137579]]
    np.testing.assert_allclose(g.normal([2, 3]), normal, **CLOSE)
    assert g.state.numpy().tolist() == [2770, 0, 0]
    np.testing.assert_allclose(g.uniform([3]), [0.6512613, 0.9295906, 0.50873387], **CLOSE)


def test_candidates():
    R.set_seed(3)
    drawn = R.log_uniform_candidate_sampler([[1, 2], [3, 4]], 2, 4, True, 20, seed=1)
    assert drawn.sampled_candidates.numpy().tolist() == [0, 8, 5, 4]
    true_counts = [[0.51061773, 0.39121747], [0.31654304, 0.26564735]]
    np.testing.assert_allclose(drawn.true_expected_count, true_counts, **CLOSE)
    np.testing.assert_allclose(drawn.sampled_expected_count, [0.72520185, 0.1614641, 0.22879004, 0.26564735], **CLOSE)
    uniform = R.uniform_candidate_sampler([[1, 2], [3, 4]], 2, 4, True, 20, seed=1)
    assert uniform.sampled_candidates.numpy().tolist() == [9, 3, 0, 14]
    learned = [R.learned_unigram_candidate_sampler([[1], [3]], 1, 6, False, 20, seed=1) for _ in range(2)]
    assert [s.sampled_candidates.numpy().tolist() for s in learned] == [
        [9, 15, 3, 5, 12, 3],
        [9, 11, 2, 8, 11, 6],
    ]
    np.testing.assert_allclose(learned[1].true_expected_count, [[0.54545456], [0.54545456]], rtol=1e-6)
