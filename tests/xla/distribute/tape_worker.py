"""A program for several processes: an eager loop in which each takes its own part of the batch."""

import numpy as np

import gradtape as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
count, number = strategy.num_replicas_in_sync, tf.experimental.dtensor.client_id()
rng = np.random.default_rng(0)
x = rng.normal(size=(16, 8)).astype(np.float32).reshape(count, 16 // count, 8)[number]
ids = np.arange(16).reshape(count, -1)[number] % 5
with strategy.scope():
    w, table, unused = tf.Variable(tf.ones([8, 2])), tf.Variable(tf.ones([5, 2])), tf.Variable(1.0)
    wide = tf.Variable(tf.ones([8, 2], tf.float64))
    late = tf.Variable(1.0)
for _ in range(5):
    with tf.experimental.DistributedGradientTape() as tape:
        loss = tf.reduce_mean((x @ w * tf.gather(table, ids)) ** 2)
        loss += tf.cast(tf.reduce_mean(tf.cast(x, tf.float64) @ wide), tf.float32)
        if number == 0:
            loss += late * late
    gradients = tape.gradient(loss, {"w": w, "table": table, "wide": wide, "unused": unused, "late": late})
    assert gradients["unused"] is None
    for name, variable in {"w": w, "table": table, "wide": wide, "late": late}.items():
        variable.assign_sub(0.1 * gradients[name])
with tf.experimental.DistributedGradientTape() as outer:
    with tf.experimental.DistributedGradientTape() as inner:
        y = float(number + 1) * w[0, 0] ** 3
    first = inner.gradient(y, w)
second = outer.gradient(first, w)
values = [
    w.numpy().sum(),
    table.numpy().sum(),
    wide.numpy().sum(),
    late.numpy(),
    second.numpy()[0, 0] / w.numpy()[0, 0],
]
print("values", *(f"{float(value):.6f}" for value in values), flush=True)
