"""A program for several processes: trains with replicas, and on a mesh with a weight that is cut over all of them.

Arguments: a folder for checkpoints, and the step at which the second process is killed the first time (0 for never).
"""

import os
import signal
import sys

import numpy as np

import gradtape as tf
from gradtape.experimental import dtensor

folder, killed_at = sys.argv[1], int(sys.argv[2])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
count = strategy.num_replicas_in_sync
x = np.random.default_rng(0).normal(size=(16, 8)).astype(np.float32)
mesh = dtensor.create_mesh({"x": count})
cut = dtensor.DVariable(np.ones((8, 4), np.float32), layout=dtensor.Layout(["x", "unsharded"], mesh))
with strategy.scope():
    whole = tf.Variable(tf.ones([8, 2]), aggregation=tf.VariableAggregation.SUM)
    step = tf.Variable(0, dtype=tf.int64, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)


def descend(rows):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((rows @ whole) ** 2) / 16.0
    whole.assign_sub(0.05 * tape.gradient(loss, whole))
    step.assign_add(1)
    return loss


@tf.function
def with_replicas(batch):
    return strategy.reduce("SUM", strategy.run(descend, args=(batch,)), axis=None)


@tf.function
def on_mesh(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((batch @ cut) ** 2)
    cut.assign_sub(0.1 * tape.gradient(loss, cut))
    return loss


manager = tf.train.CheckpointManager(tf.train.Checkpoint(cut=cut, whole=whole, step=step), folder, max_to_keep=2)
manager.restore_or_initialize()
(batch,) = strategy.experimental_distribute_dataset([tf.constant(x)])
start = dtensor.DVariable(np.zeros((8, 4), np.float32), layout=dtensor.Layout(["x", "unsharded"], mesh))
start.assign(np.full((8, 4), 3.0, np.float32))  # (no process has all of its value)
assert all((np.asarray(part) == 3.0).all() for part in dtensor.unpack(start)), (
    "a variable that is cut over processes was not assigned"
)
rows = dtensor.copy_to_mesh(x, dtensor.Layout.replicated(mesh, 2))
while int(step) < 6:
    losses = float(with_replicas(batch)), float(on_mesh(rows))
    manager.save()
    first_time = os.environ.get("GRADTAPE_RESTART", "0") == "0"
    if int(step) == killed_at and first_time and dtensor.client_id() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
print("losses", *losses, flush=True)
