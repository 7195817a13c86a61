"""`tf.experimental.DistributedGradientTape`: gradients that are the mean over processes or replicas."""

import pathlib
import re

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax", reason="the extra `xla` is not installed")

from .test_processes import launched

Tape = tf.experimental.DistributedGradientTape
WORKER = pathlib.Path(__file__).with_name("tape_worker.py")


def of_one_process(steps=5):
    """What tape_worker.py computes, with the whole batch in one process."""
    x, ids = np.random.default_rng(0).normal(size=(16, 8)).astype(np.float32), np.arange(16) % 5
    w, table, late = tf.Variable(tf.ones([8, 2])), tf.Variable(tf.ones([5, 2])), tf.Variable(1.0)
    wide = tf.Variable(tf.ones([8, 2], tf.float64))
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w * tf.gather(table, ids)) ** 2) + late * late / 2.0
            loss += tf.cast(tf.reduce_mean(tf.cast(x, tf.float64) @ wide), tf.float32)
        variables = [w, table, wide, late]
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.1 * tf.convert_to_tensor(gradient))
    return [float(tf.reduce_sum(variable)) for variable in variables]


def test_an_eager_loop_in_two_processes_gives_the_numbers_of_one_with_the_joined_batch():
    done = launched("--processes", 2, WORKER)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = re.findall(r"\[\d\] values (.*)", done.stdout)
    assert len(lines) == 2
    for line in lines:
        *found, second = map(float, line.split())
        np.testing.assert_allclose(found, of_one_process(), rtol=1e-5)
        # y is (number + 1) w^3: the mean of its slopes is 1.5 * 3 w^2, and that of their slopes 1.5 * 6 w.
        assert second == pytest.approx(9.0, rel=1e-5)


def test_inside_of_run_it_averages_over_replicas():
    strategy = tf.distribute.MirroredStrategy([f"CPU:{number}" for number in range(4)])
    with strategy.scope():
        w = tf.Variable([1.0, 2.0])

    def slope(x):
        with Tape() as tape:
            loss = tf.reduce_mean(x * w)
        assert isinstance(tape, tf.GradientTape)
        return tape.gradient(loss, [w, x])[0]

    (batch,) = strategy.experimental_distribute_dataset([tf.reshape(tf.range(16.0), [8, 2])])
    for run in (strategy.run, tf.function(strategy.run)):
        for each in strategy.experimental_local_results(run(slope, args=(batch,))):
            np.testing.assert_allclose(each, [3.5, 4.0])


def test_with_one_replica_it_is_a_plain_tape_with_all_its_methods():
    with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        v = tf.Variable([1.0, 2.0])
        with Tape(persistent=True, watch_accessed_variables=False, strict=False, profile=True) as tape:
            tape.watch(v)
            y = v**3
        assert isinstance(tape, tf.GradientTape)
        assert tape.gradient(y, (v,), output_gradients=[tf.constant([1.0, 10.0])])[0].numpy().tolist() == [3.0, 120.0]
        assert tape.jacobian(y, v).numpy().tolist() == [[3.0, 0.0], [0.0, 12.0]]
        assert tape.watched_variables() == (v,)
        assert tape.gradient(y, tf.Variable(1.0), unconnected_gradients="zero").numpy() == 0.0
        with pytest.raises(TypeError, match="received None"):
            tape.gradient(None, v)


def test_without_a_strategy_or_other_processes_there_is_nothing_to_average_over():
    with pytest.raises(RuntimeError, match=r"gradtape launch --processes N"):
        Tape()


def test_a_tape_that_was_recorded_before_cannot_be_wrapped():
    with pytest.raises(TypeError, match="takes no tape"):
        Tape(tf.GradientTape())
