"""Loops and branches take lambdas: pyright knows their parameters. (mypy knows them where one overload fits.)"""

from typing import assert_type

import gradtape as tf

i, s = tf.while_loop(
    lambda i, s: i < 10, lambda i, s: (i + 1, s + tf.cast(i, tf.float32)), (tf.constant(0), tf.constant(0.0))
)
out = tf.while_loop(lambda i: tf.less(i, 3), lambda i: (i + 1,), (tf.constant(0),))
k = tf.while_loop(
    lambda k, v: k > 0.5,
    lambda k, v: (k * 0.5, v + 1.0),
    loop_vars=(tf.constant(8.0), tf.constant(1.0)),
    maximum_iterations=3,
)
r = tf.cond(tf.constant(True), lambda: (tf.ones([2]), tf.zeros([])), lambda: (tf.zeros([2]), tf.ones([])))
assert_type(r, tuple[tf.Tensor, tf.Tensor])
c = tf.case([(tf.constant(False), lambda: tf.constant(1.0))], default=lambda: tf.constant(2.0))
assert_type(c, tf.Tensor)
sw = tf.switch_case(tf.constant(1), [lambda: tf.constant(1.0), lambda: tf.constant(3.0)])
assert_type(sw, tf.Tensor)
assert_type(tf.map_fn(lambda t: t * t, tf.range(4)), tf.Tensor)
assert_type(
    tf.map_fn(lambda t: (t, t * 2), tf.range(4), fn_output_signature=(tf.int32, tf.int32)), tuple[tf.Tensor, tf.Tensor]
)
assert_type(tf.scan(lambda a, b: a + b, tf.range(4)), tf.Tensor)
assert_type(tf.foldl(lambda a, b: a + b, tf.range(4), initializer=tf.constant(0)), tf.Tensor)
assert_type(tf.vectorized_map(lambda t: tf.reduce_sum(t), tf.ones([3, 2])), tf.Tensor)
ta = tf.TensorArray(tf.float32, size=3)
for n in range(3):
    ta = ta.write(n, tf.constant(float(n)))
assert_type(ta, tf.TensorArray)
assert_type(ta.stack(), tf.Tensor)
assert_type(ta.size(), tf.Tensor)
print(i, s, out, k)
