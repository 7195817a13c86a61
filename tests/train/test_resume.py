"""Exact resume: a run that was stopped and restored gives the bytes of the run that was not."""

import numpy as np
import pytest

import gradtape as tf


class Adam(tf.Module):
    """As a user writes it: slots in variables, made at the first step."""

    def __init__(self):
        super().__init__()
        self.slots = {}
        self.step = tf.Variable(0, trainable=False, dtype=tf.int64)

    def apply(self, gradients, variables):
        self.step.assign_add(1)
        power = tf.cast(self.step, tf.float32)
        for place, (gradient, variable) in enumerate(zip(gradients, variables, strict=True)):
            if f"m{place}" not in self.slots:
                self.slots[f"m{place}"] = tf.Variable(tf.zeros_like(variable), trainable=False)
                self.slots[f"v{place}"] = tf.Variable(tf.zeros_like(variable), trainable=False)
            tf.raw_ops.ResourceApplyAdam(
                var=variable.handle,
                m=self.slots[f"m{place}"].handle,
                v=self.slots[f"v{place}"].handle,
                beta1_power=0.9**power,
                beta2_power=0.999**power,
                lr=0.01,
                beta1=0.9,
                beta2=0.999,
                epsilon=1e-7,
                grad=gradient,
            )


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.hidden = None

    def __call__(self, x):
        if self.hidden is None:  # made at the first call: restored when it is made
            self.hidden = [tf.Variable(tf.random.normal([8, 16], seed=1)), tf.Variable(tf.zeros([16]))]
            self.out = tf.Variable(tf.random.normal([16, 1], seed=2))
        h = tf.nn.relu(x @ self.hidden[0] + self.hidden[1])
        h = tf.nn.dropout(h, 0.3)  # from the global seed
        return tf.nn.dropout(h, 0.1, seed=3) @ self.out


class Batches:
    """Shuffled batches, whose place in the epoch is a state."""

    def __init__(self, seed):
        self.rng, self.order, self.place = np.random.default_rng(seed), None, 0

    def __next__(self):
        if self.order is None or self.place + 16 > len(self.order):
            self.order, self.place = self.rng.permutation(100), 0
        self.place += 16
        return self.order[self.place - 16 : self.place]

    def get_state(self):
        return {"rng": self.rng.bit_generator.state, "order": self.order, "place": self.place}

    def set_state(self, state):
        self.rng.bit_generator.state = state["rng"]
        self.order, self.place = state["order"], state["place"]


def run(folder, first, last, *, seed):
    """Train from one step to another; what all state is at the end."""
    draw = np.random.default_rng(0)
    x, y = draw.normal(size=(100, 8)).astype(np.float32), draw.normal(size=(100, 1)).astype(np.float32)
    tf.random.set_seed(seed)
    tf.random.set_global_generator(tf.random.Generator.from_seed(seed))
    net, adam, batches = Net(), Adam(), Batches(seed)
    noise = tf.random.Generator.from_seed(seed)
    averages = tf.train.ExponentialMovingAverage(0.9)
    checkpoint = tf.train.Checkpoint(
        net=net, optimizer=adam, batches=batches, noise=noise, averages=averages, random=tf.random
    )
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    manager.restore_or_initialize()
    losses = []
    for _ in range(first, last):
        rows = next(batches)
        with tf.GradientTape() as tape:
            inputs = x[rows] + noise.normal([16, 8], stddev=0.1)
            inputs += tf.random.get_global_generator().uniform([16, 8])
            loss = tf.reduce_mean((net(inputs) - y[rows]) ** 2)
        adam.apply(tape.gradient(loss, net.trainable_variables), net.trainable_variables)
        averages.apply(net.trainable_variables)
        losses.append(loss.numpy().tobytes())
    manager.save()
    shadow = [averages.average(v) for v in net.trainable_variables]
    values = [*net.variables, *adam.variables, *shadow, noise.state, tf.random.get_global_generator().state]
    return losses, [v.numpy().tobytes() for v in values]


@pytest.mark.parametrize("stop", [1, 5, 13])
def test_a_stopped_run_goes_on_with_the_same_bytes(tmp_path, stop):
    losses, end = run(tmp_path / "whole", 0, 20, seed=11)
    first, _ = run(tmp_path / "parts", 0, stop, seed=11)
    tf.random.normal([7])  # what happens between the two runs does not matter
    second, resumed = run(tmp_path / "parts", stop, 20, seed=999)
    assert first + second == losses
    assert resumed == end
