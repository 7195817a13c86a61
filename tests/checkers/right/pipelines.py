"""Steps of pipelines know the parts of elements, and take lambdas."""

from collections.abc import Iterator
from typing import Any, assert_type

import numpy as np

import gradtape as tf

ds = tf.data.Dataset.from_tensor_slices({"x": np.ones((4, 2), np.float32), "y": np.arange(4)})
assert_type(ds, tf.data.Dataset[dict[str, tf.Tensor]])


def split(d: dict[str, tf.Tensor]) -> tuple[tf.Tensor, tf.Tensor]:
    return d["x"], d["y"]


p = ds.map(split, num_parallel_calls=tf.data.AUTOTUNE)
assert_type(p, tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]])
assert_type(p.filter(lambda x, y: y > 1), tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]])
assert_type(p.map(lambda x, y: {"a": x, "b": y}), tf.data.Dataset[dict[str, tf.Tensor]])
assert_type(
    p.shuffle(4).batch(2, drop_remainder=True).repeat(2).prefetch(1).cache(),
    tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]],
)
for j, (x, y) in p.enumerate():
    assert_type(j, tf.Tensor)
    assert_type(x, tf.Tensor)
    assert_type(y, tf.Tensor)
assert_type(p.take(1).skip(0).shard(2, 0), tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]])
assert_type(tf.data.Dataset.zip((ds, p)), tf.data.Dataset[tuple[dict[str, tf.Tensor], tuple[tf.Tensor, tf.Tensor]]])


def gen() -> Iterator[int]:
    yield from range(3)


g = tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec([], tf.int32))
assert_type(g, tf.data.Dataset[tf.Tensor])
assert_type(tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda a, b: a + b), tf.Tensor)
assert_type(tf.data.Dataset.range(5).window(2).flat_map(lambda w: w.batch(2)), tf.data.Dataset[tf.Tensor])
assert_type(tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(2)), tf.data.Dataset[tf.Tensor])
assert_type(tf.data.Dataset.range(3).interleave(lambda n: tf.data.Dataset.from_tensors(n)), tf.data.Dataset[tf.Tensor])
for arr in tf.data.Dataset.range(3).as_numpy_iterator():
    print(arr)
assert_type(list(tf.data.Dataset.range(3)), list[tf.Tensor])
it = iter(p)
x, y = next(it)
assert_type(x, tf.Tensor)
assert_type(len(ds), int)
assert_type(ds.element_spec, Any)
t = tf.data.Dataset.from_tensors((tf.ones([2]), {"k": tf.ones([1])}))


def pipeline(
    d: tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]], n: int = 2
) -> tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]]:
    return d.batch(n).apply(lambda e: e.prefetch(1))


pipeline(p)
assert_type(tf.data.Dataset.range(3).unique(), tf.data.Dataset[tf.Tensor])
assert_type(tf.data.Dataset.random(seed=1).take(2), tf.data.Dataset[tf.Tensor])
assert_type(
    tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(3), tf.data.Dataset.range(3)], [0.5, 0.5]),
    tf.data.Dataset[tf.Tensor],
)
assert_type(tf.data.Dataset.range(3).padded_batch(2), tf.data.Dataset[tf.Tensor])
assert_type(
    tf.data.Dataset.range(3).scan(tf.constant(0, tf.int64), lambda s, e: (s + e, s)), tf.data.Dataset[tf.Tensor]
)
