"""Exact resume with an input pipeline: the iterator's position is one more part of the checkpoint."""

import numpy as np
import pytest

import gradtape as tf

FEATURES = np.random.default_rng(0).normal(size=(50, 6)).astype(np.float32)
LABELS = FEATURES.sum(1, keepdims=True)


def plain():
    return tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).batch(8).repeat()


def shuffled():
    rows = tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).shuffle(20, seed=3)
    return rows.repeat().batch(8, drop_remainder=True).prefetch(2)


def augmented():
    def noisy(x, y):
        return x + tf.random.normal([6], stddev=0.1, seed=5), y

    rows = tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).shuffle(50, seed=1, reshuffle_each_iteration=True)
    return rows.map(noisy).batch(8).repeat(10)


def with_text():
    names = tf.data.Dataset.from_tensor_slices([f"row {n}" for n in range(50)])
    rows = tf.data.Dataset.zip((tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)), names))
    return rows.shuffle(16, seed=9).map(lambda pair, name: pair).cache().repeat().batch(5)


def run(folder, pipeline, first, last, seed):
    """Train from one step to another with everything in one checkpoint; losses and weights as bytes."""
    tf.random.set_seed(seed)
    w = tf.Variable(tf.zeros([6, 1]))
    momentum = tf.Variable(tf.zeros([6, 1]), trainable=False)
    batches = iter(pipeline())
    checkpoint = tf.train.Checkpoint(w=w, momentum=momentum, batches=batches, random=tf.random)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    manager.restore_or_initialize()
    losses = []
    for _ in range(first, last):
        x, y = next(batches)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.nn.dropout(x, 0.2) @ w - y) ** 2)
        momentum.assign(0.9 * momentum + tape.gradient(loss, w))
        w.assign_sub(0.01 * momentum)
        losses.append(loss.numpy().tobytes())
    manager.save()
    return losses, w.numpy().tobytes()


@pytest.mark.parametrize("pipeline", [plain, shuffled, augmented, with_text])
@pytest.mark.parametrize("stop", [1, 9])
def test_a_stopped_run_goes_on_with_the_same_batches(tmp_path, pipeline, stop):
    losses, weights = run(tmp_path / "whole", pipeline, 0, 20, seed=4)
    first, _ = run(tmp_path / "parts", pipeline, 0, stop, seed=4)
    second, resumed = run(tmp_path / "parts", pipeline, stop, 20, seed=77)
    assert first + second == losses
    assert resumed == weights


def test_a_checkpoint_of_another_pipeline_is_refused(tmp_path):
    path = tf.train.Checkpoint(batches=iter(shuffled())).save(tmp_path / "ckpt")
    v = tf.Variable(1.0)
    with pytest.raises((ValueError, tf.errors.OpError)):
        tf.train.Checkpoint(batches=iter(tf.data.Dataset.range(5)), v=v).restore(path)
    assert v.numpy() == 1.0
