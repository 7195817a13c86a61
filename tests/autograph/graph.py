"""A graph that is just large enough to test the conversion of control flow: nodes that remember how to be computed.

Each node has an example value, from which its type and shape are known; it is computed from the values of the inputs.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradtape as tf
from gradtape import autograph, nest
from gradtape.errors import OperatorNotAllowedInGraphError
from gradtape.tensor import to_tensor


class Node(tf.Tensor):
    _symbolic = True

    def __init__(self, compute: Callable[[dict], Any], example: Any) -> None:
        self.compute, self.example = compute, example

    dtype = property(lambda self: self.example.dtype)
    shape = property(lambda self: self.example.shape)

    def __bool__(self):
        raise OperatorNotAllowedInGraphError("Using a symbolic `tf.Tensor` as a Python `bool` is not allowed.")

    def __iter__(self):
        raise OperatorNotAllowedInGraphError("Iterating over a symbolic `tf.Tensor` is not allowed.")

    def __index__(self):
        raise TypeError("a symbolic tensor is no index")

    def __repr__(self):
        return f"Node({self.shape}, {self.dtype.name})"

    def __getitem__(self, key):
        return op(lambda x, k: x[k], self, key)


def value_of(x: Any, values: dict) -> Any:
    if not isinstance(x, Node):
        return x
    if id(x) not in values:
        values[id(x)] = x.compute(values)
    return values[id(x)]


def op(function: Callable[..., Any], *args: Any) -> Any:
    """`function` of concrete tensors, as a node if one of the arguments is one."""
    if not any(isinstance(arg, Node) for arg in nest.flatten(args)):
        return function(*args)

    def compute(values):
        return function(*nest.map_structure(lambda arg: value_of(arg, values), args))

    examples = nest.map_structure(example_of, args)
    try:
        return Node(compute, function(*examples))
    except tf.errors.InvalidArgumentError:  # on a path that is not taken
        return Node(
            compute, function(*nest.map_structure(lambda x: tf.ones_like(x) if tf.is_tensor(x) else x, examples))
        )


for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne", "pow"):

    def binary(self, other, method=f"__{name}__"):
        return op(lambda a, b: getattr(to_tensor(a), method)(b), self, other)

    def reflected(self, other, method=f"__r{name}__"):
        return op(lambda a, b: getattr(to_tensor(a), method)(b), self, other)

    setattr(Node, f"__{name}__", binary)
    if name not in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Node, f"__r{name}__", reflected)
Node.__neg__ = lambda self: op(lambda a: -a, self)
Node.__abs__ = lambda self: op(abs, self)
Node.__hash__ = object.__hash__


class Array(tf.TensorArray):
    """A TensorArray whose elements are a node with a tuple of tensors."""

    def __init__(self, dtype, size=0, dynamic_size=True, clear_after_read=False, element_shape=(), node=()):
        self._dtype, self._shape, self.node = tf.as_dtype(dtype), [tf.TensorShape(element_shape)], node

    def write(self, index, value):
        value = to_tensor(value)
        assert value.dtype == self.dtype
        node = op(lambda values, i, new: (*values[: int(i)], new, *values[int(i) + 1 :]), self.node, index, value)
        return Array(self.dtype, element_shape=self.element_shape, node=node)

    def read(self, index):
        empty = tf.zeros(self.element_shape, self.dtype)
        return op(lambda values, i: values[int(i)] if int(i) < len(values) else empty, self.node, index)

    def size(self):
        return op(lambda values: tf.constant(len(values)), self.node)

    def stack(self):
        return op(lambda values: tf.stack(values) if values else tf.zeros([0], self.dtype), self.node)


def unwrapped(value):
    return value.node if isinstance(value, Array) else to_tensor(value)


def wrapped(like, node):
    return Array(like.dtype, element_shape=like.element_shape, node=node) if isinstance(like, Array) else node


def example_of(value):
    return value.example if isinstance(value, Node) else value


def cond(pred, true_fn, false_fn):
    if not isinstance(pred, Node):
        return true_fn() if pred else false_fn()
    first, second = true_fn(), false_fn()
    nest.assert_same_structure(first, second)

    def choice(a, b):
        assert a.dtype == b.dtype, (a, b)
        main, other = unwrapped(a), unwrapped(b)
        node = Node(lambda values: value_of(main if bool(value_of(pred, values)) else other, values), example_of(main))
        return wrapped(a, node)

    return nest.map_structure(choice, first, second)


def while_loop(cond, body, loop_vars, shape_invariants=None, maximum_iterations=None):
    starts = [unwrapped(value) for value in loop_vars]
    inputs = [Node(None, example_of(start)) for start in starts]
    given = [wrapped(value, node) for value, node in zip(loop_vars, inputs, strict=True)]
    test = cond(*given)
    returned = body(*given)
    assert len(returned) == len(inputs)
    for before, after in zip(given, returned, strict=True):
        assert before.dtype == after.dtype, (before, after)
    outputs = [unwrapped(value) for value in returned]
    identity = object()

    def run(values):
        if id(identity) not in values:
            state = [value_of(start, values) for start in starts]
            steps = 0
            while maximum_iterations is None or steps < maximum_iterations:
                inner = {**values, **{id(node): value for node, value in zip(inputs, state, strict=True)}}
                if not bool(value_of(test, inner)):
                    break
                state = [value_of(output, dict(inner)) for output in outputs]
                steps += 1
            values[id(identity)] = state
        return values[id(identity)]

    results = [Node(lambda values, i=i: run(values)[i], example_of(output)) for i, output in enumerate(outputs)]
    return [wrapped(value, node) for value, node in zip(loop_vars, results, strict=True)]


def function(fn):
    """What tf.function does, without a graph of its own: trace, then compute."""
    converted = autograph.convert(fn)

    def call(*args):
        inputs = [Node(None, to_tensor(arg)) if isinstance(arg, (tf.Tensor, np.ndarray)) else arg for arg in args]
        outputs = converted(*inputs)
        values = {id(node): to_tensor(arg) for node, arg in zip(inputs, args, strict=True) if isinstance(node, Node)}
        call.outputs = outputs
        return nest.map_structure(lambda output: value_of(output, dict(values)), outputs)

    return call


EFFECTS: list[Any] = []


def Assert(condition, data):
    EFFECTS.append(("assert", condition, data))


def print_(*values, sep, end, output_stream):
    EFFECTS.append(("print", values, sep, end, output_stream))
