"""Compiled functions pass where callables are wanted, and through decorators of a user's own."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar, assert_type

import gradtape as tf

P = ParamSpec("P")
R = TypeVar("R")


def timed(f: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(f)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        return f(*args, **kwargs)

    return inner


@timed
@tf.function
def f(x: tf.Tensor, *, scale: float = 1.0) -> dict[str, tf.Tensor]:
    return {"y": x * scale}


assert_type(f(tf.ones([2]), scale=2.0), dict[str, tf.Tensor])


def h(x: tf.Tensor) -> tf.Tensor:
    return x * 2


hc = tf.function(h, jit_compile=True)
assert_type(hc(tf.ones([1])), tf.Tensor)
conc = hc.get_concrete_function(tf.TensorSpec([None], tf.float32))
assert_type(conc, tf.types.experimental.ConcreteFunction)
print(conc(tf.ones([3])), conc.structured_outputs)


class Counter(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.n = tf.Variable(0, dtype=tf.int64)

    @tf.function(reduce_retracing=True)
    def add(self, by: int) -> tf.Tensor:
        return self.n.assign_add(by).read_value()

    @classmethod
    def new(cls) -> "Counter":
        return cls()


counter = Counter.new()
assert_type(counter.add(2), tf.Tensor)
ok: Callable[[tf.Tensor], tf.Tensor] = hc
print(ok(tf.ones([1])))


def apply(fn: Callable[[tf.Tensor], tf.Tensor], x: tf.Tensor) -> tf.Tensor:
    return fn(x)


assert_type(apply(tf.nn.relu, tf.ones([2])), tf.Tensor)
assert_type(apply(tf.tanh, tf.ones([2])), tf.Tensor)
assert_type(apply(hc, tf.ones([2])), tf.Tensor)
activations: dict[str, Callable[[tf.Tensor], tf.Tensor]] = {"relu": tf.nn.relu, "tanh": tf.tanh, "id": tf.identity}
print(activations["relu"](tf.constant(-1.0)))
