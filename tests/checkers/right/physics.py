"""Transformed functions, forward mode, rules of a user, linear algebra."""

from collections.abc import Callable
from typing import Any, NamedTuple, assert_type

import gradtape as tf


def f(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.sin(x))


def params_loss(p: dict[str, tf.Tensor], x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(p["w"] * x + p["b"])


x = tf.constant([1.0, 2.0])
p = {"w": x, "b": tf.constant(0.0)}
assert_type(tf.autodiff.grad(params_loss)(p, x), dict[str, tf.Tensor])
assert_type(tf.autodiff.grad(params_loss, 1)(p, x), tf.Tensor)
v, g = tf.autodiff.value_and_grad(params_loss)(p, x)
assert_type(v, tf.Tensor)
assert_type(g, dict[str, tf.Tensor])
assert_type(tf.autodiff.hvp(f, [x], [x]), tf.Tensor)
assert_type(tf.autodiff.jacfwd(tf.sin)(x), tf.Tensor)
assert_type(tf.autodiff.jacrev(tf.autodiff.grad(f))(x), tf.Tensor)
assert_type(tf.autodiff.vmap(tf.autodiff.grad(f))(tf.ones([3, 2])), tf.Tensor)
per_example = tf.autodiff.vmap(tf.autodiff.grad(params_loss), in_axes=(None, 0))
assert_type(per_example(p, tf.ones([5, 2])), dict[str, tf.Tensor])
h = tf.function(tf.autodiff.grad(f))
assert_type(h(x), tf.Tensor)
assert_type(tf.autodiff.grad(tf.function(f))(x), tf.Tensor)


class Params(NamedTuple):
    w: tf.Tensor
    b: tf.Tensor


def loss(q: Params) -> tf.Tensor:
    return tf.reduce_sum(q.w) * q.b


assert_type(tf.autodiff.grad(loss)(Params(x, tf.constant(1.0))), Params)
lam = tf.autodiff.grad(lambda t: t * t)
print(lam(3.0))
assert_type(tf.autodiff.hessian_diagonal(f, x), tf.Tensor)
out, pull = tf.autodiff.vjp(f, x)
assert_type(out, tf.Tensor)

State = tuple[tf.Tensor, tf.Tensor]


def leapfrog(q: tf.Tensor, momentum: tf.Tensor, force: Callable[[tf.Tensor], tf.Tensor], dt: float) -> State:
    momentum = momentum + 0.5 * dt * force(q)
    q = q + dt * momentum
    return q, momentum + 0.5 * dt * force(q)


def potential(q: tf.Tensor) -> tf.Tensor:
    return 0.5 * tf.reduce_sum(q**2)


force = tf.autodiff.grad(lambda q: -potential(q))
q, momentum = leapfrog(tf.ones([2]), tf.zeros([2]), force, 0.1)
assert_type(q, tf.Tensor)


@tf.custom_gradient
def clip(x: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
    def back(up: tf.Tensor) -> tf.Tensor:
        return tf.clip_by_value(up, -1.0, 1.0)

    return x, back


assert_type(clip(q), tf.Tensor)
with tf.autodiff.ForwardAccumulator(primals=[q, momentum], tangents=[momentum, q]) as acc:
    e = potential(q) + potential(momentum)
assert_type(acc.jvp(e), tf.Tensor | Any)
A = tf.constant([[2.0, 0.0], [0.0, 3.0]])
eigenvalues, vecs = tf.linalg.eigh(A)
assert_type(vecs, tf.Tensor)
s, u, vt = tf.linalg.svd(A)
qq, rr = tf.linalg.qr(A)
assert_type(qq, tf.Tensor)
assert_type(tf.linalg.solve(A, tf.ones([2, 1])), tf.Tensor)
assert_type(tf.linalg.det(A), tf.Tensor)
assert_type(tf.linalg.inv(A) @ A, tf.Tensor)
assert_type(tf.einsum("ij,jk->ik", A, A), tf.Tensor)
assert_type(tf.norm(A), tf.Tensor)
assert_type(tf.linalg.lu(A).lu, tf.Tensor)
assert_type(tf.linalg.lstsq(A, tf.ones([2, 1])), tf.Tensor)
op = tf.linalg.LinearOperatorFullMatrix(A, is_positive_definite=True)
assert_type(op.solvevec([1.0, 2.0]), tf.Tensor)
assert_type(op.matmul(A), tf.Tensor)
assert_type(op.shape, tf.TensorShape)
assert_type(tf.complex(1.0, 2.0), tf.Tensor)
assert_type(tf.math.real(tf.signal.rfft([1.0, 2.0])), tf.Tensor)
res = tf.optimize.minimize(lambda x: tf.reduce_sum((x - 1.0) ** 2), tf.zeros([2]))
print(res.x)
