"""What functions give that take structures and functions, by what they are given."""

from typing import Any, assert_type

import gradtape as tf

x = tf.constant([1.0, 2.0])
matrix = tf.eye(2)


def product(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(a * b)


def with_aux(w: tf.Tensor) -> tuple[tf.Tensor, str]:
    return tf.reduce_sum(w), "aux"


def of_dict(p: dict[str, tf.Tensor]) -> tuple[tf.Tensor, int]:
    return tf.reduce_sum(p["a"]), 1


def vector(w: tf.Tensor) -> tf.Tensor:
    return w * w


assert_type(tf.autodiff.grad(product, (0, 1))(x, x), tuple[tf.Tensor, tf.Tensor])
assert_type(tf.autodiff.grad(product, [0])(x, x), tuple[Any, ...])
assert_type(tf.autodiff.value_and_grad(product, (0, 1))(x, x), tuple[tf.Tensor, tuple[tf.Tensor, tf.Tensor]])
assert_type(tf.autodiff.grad(with_aux, has_aux=True)(x), tuple[tf.Tensor, str])
assert_type(tf.autodiff.value_and_grad(with_aux, has_aux=True)(x), tuple[tuple[tf.Tensor, str], tf.Tensor])
assert_type(tf.autodiff.grad(of_dict, has_aux=True)({"a": x}), tuple[dict[str, tf.Tensor], int])
assert_type(tf.autodiff.jacrev(vector)(x), tf.Tensor)
assert_type(tf.autodiff.jacfwd(with_aux, has_aux=True)(x), tuple[tf.Tensor, str])
assert_type(tf.autodiff.hessian(product, (0, 1))(x, x), tuple[tuple[tf.Tensor, tf.Tensor], tuple[tf.Tensor, tf.Tensor]])
assert_type(tf.autodiff.jvp(with_aux, [x], [x], has_aux=True), tuple[tf.Tensor, tf.Tensor, str])
value, pullback = tf.autodiff.vjp(product, x, x)
assert_type(pullback(value), tuple[tf.Tensor, ...])


def add(total: tf.Tensor, part: tf.Tensor) -> tf.Tensor:
    return total + part


def below(i: tf.Tensor, t: tf.Tensor) -> tf.Tensor:
    return i < 3


def step(i: tf.Tensor, t: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return i + 1, t * 2


def name_of(t: tf.Tensor) -> str:
    return t.dtype.name


assert_type(tf.while_loop(below, step, (0, x)), tuple[tf.Tensor, tf.Tensor])
assert_type(tf.while_loop(below, step, [0, x]), list[tf.Tensor])
assert_type(tf.map_fn(vector, x), tf.Tensor)
assert_type(tf.scan(add, x), tf.Tensor)
assert_type(tf.foldl(lambda total, part: total + part, x), tf.Tensor)
assert_type(tf.foldr(add, x, tf.constant(0.0)), tf.Tensor)

assert_type(tf.nest.map_structure(vector, [x, x]), list[tf.Tensor])
assert_type(tf.nest.map_structure(name_of, {"a": x}), dict[str, str])
assert_type(tf.nest.map_structure(add, {"a": x}, {"a": x}), dict[str, tf.Tensor])
assert_type(tf.nest.pack_sequence_as([x, x], [1, 2]), list[int])

assert_type(tf.linalg.svd(matrix), tuple[tf.Tensor, tf.Tensor, tf.Tensor])
assert_type(tf.linalg.svd(matrix, compute_uv=False), tf.Tensor)
assert_type(tf.linalg.eigh_tridiagonal(x, [1.0]), tf.Tensor)
assert_type(tf.linalg.qr(matrix).q, tf.Tensor)
assert_type(tf.linalg.slogdet(matrix).log_abs_determinant, tf.Tensor)
values, indices = tf.math.top_k(x, 2)
assert_type(values, tf.Tensor)
assert_type(tf.unique([1, 1]).idx, tf.Tensor)

assert_type(tf.strings.split("a b"), tf.Tensor)
assert_type(tf.strings.split(["a b", "c"]), tf.RaggedTensor | Any)
assert_type(tf.ragged.constant([[1], [2, 3]]), tf.RaggedTensor)
assert_type(tf.sparse.add(tf.sparse.from_dense(x), tf.sparse.from_dense(x)), tf.SparseTensor)
assert_type(tf.sparse.reduce_sum(tf.sparse.from_dense(x)), tf.Tensor)
example = tf.train.Example(features=tf.train.Features(feature={}))
features = {"x": tf.io.FixedLenFeature([], tf.float32, 0.0)}
assert_type(tf.io.parse_single_example(example.SerializeToString(), features), dict[str, Any])

assert_type(tf.numpy.sin(x), tf.Tensor)
assert_type(tf.numpy.linspace(0.0, 1.0), tf.Tensor)
assert_type(tf.numpy.linspace(0.0, 1.0, retstep=True), tuple[tf.Tensor, tf.Tensor])
assert_type(tf.numpy.where(x), tuple[tf.Tensor, ...])
assert_type(tf.numpy.average(x), tf.Tensor)
assert_type(tf.numpy.linalg.svd(matrix, compute_uv=False), tf.Tensor)

assert_type(tf.compat.v1.matmul(matrix, matrix), tf.Tensor)
assert_type(x[0], tf.Tensor)
assert_type(matrix[..., None, 1:, tf.constant(0)], tf.Tensor)
assert_type(x[x > 1.0], tf.Tensor)
