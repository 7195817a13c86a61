"""Cases from a generator: small programs over common ops, correct in shapes and types, different for each seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .case import SECOND, Case

Shape = tuple[int, ...]

# {x} is a value of any shape; the result has the same shape. Arguments are kept where the functions are smooth and tame.
UNARY = (
    "tf.tanh({x})", "tf.sigmoid({x})", "tf.sin({x})", "tf.cos({x})", "tf.math.softplus({x})", "tf.nn.relu({x})",
    "tf.nn.elu({x})", "tf.nn.softsign({x})", "tf.exp(-tf.square({x}))", "tf.sqrt(tf.square({x}) + 1.0)",
    "tf.math.log(tf.abs({x}) + 0.5)", "tf.math.rsqrt(tf.square({x}) + 0.5)", "tf.abs({x})", "-{x}", "tf.math.erf({x})",
    "tf.atan({x})", "tf.math.log1p(tf.square({x}))", "tf.math.expm1(tf.tanh({x}))", "tf.sinh(tf.tanh({x}))",
    "tf.clip_by_value({x}, -0.7, 0.8)", "tf.nn.leaky_relu({x}, 0.1)", "2.5 * {x} - 0.5", "{x} ** 2 / 4.0",
    "tf.identity({x})", "tf.math.reciprocal(tf.square({x}) + 1.0)", "tf.nn.gelu({x})", "tf.nn.silu({x})",
)  # fmt: skip

# {x} and {y} broadcast against each other.
BINARY = (
    "{x} + {y}", "{x} - {y}", "{x} * {y}", "{x} / (1.0 + tf.square({y}))", "tf.maximum({x}, {y})", "tf.minimum({x}, {y})",
    "tf.math.squared_difference({x}, {y})", "tf.where({x} > {y}, {x}, {y} * 0.5)", "tf.atan2({x}, 1.5 + tf.abs({y}))",
    "tf.pow(1.0 + tf.abs({x}), tf.tanh({y}))",
)  # fmt: skip

# Over one axis, which goes away.
REDUCTIONS = (
    "reduce_sum",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "reduce_logsumexp",
    "math.reduce_std",
    "reduce_prod",
)

# Along one axis, which stays.
ALONG = (
    "tf.cumsum({x}, axis={axis})", "tf.nn.softmax({x}, axis={axis})", "tf.nn.log_softmax({x}, axis={axis})",
    "tf.reverse({x}, axis=[{axis}])", "tf.roll({x}, shift=1, axis={axis})", "tf.math.l2_normalize({x}, axis={axis})",
    "tf.sort({x}, axis={axis})",
)  # fmt: skip


@dataclass
class Builder:
    """A program under construction: its statements, and the shape of each value."""

    rng: np.random.Generator
    dtype: str
    statements: list[str] = field(default_factory=list)
    shapes: dict[str, Shape] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def pick(self, fits: Callable[[Shape], bool] = lambda shape: True) -> str | None:
        """A value whose shape fits; the later ones are likelier."""
        names = [n for n, shape in self.shapes.items() if fits(shape)]
        if not names:
            return None
        name = names[max(int(self.rng.integers(len(names))), int(self.rng.integers(len(names))))]
        self.used.add(name)
        return name

    def choose(self, options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def add(self, text: str, shape: Shape) -> None:
        name = f"v{len(self.statements)}"
        self.statements.append(f"{name} = {text}")
        self.shapes[name] = shape

    def axis_of(self, name: str) -> int:
        return int(self.rng.integers(len(self.shapes[name])))


def _unary(b: Builder) -> None:
    x = b.pick()
    assert x is not None
    b.add(b.choose(UNARY).format(x=x), b.shapes[x])


def _binary(b: Builder) -> None:
    x = b.pick()
    assert x is not None
    y = b.pick(lambda shape: _broadcast(b.shapes[x], shape) is not None)
    assert y is not None
    shape = _broadcast(b.shapes[x], b.shapes[y])
    assert shape is not None
    b.add(b.choose(BINARY).format(x=x, y=y), shape)


def _broadcast(first: Shape, second: Shape) -> Shape | None:
    try:
        return tuple(np.broadcast_shapes(first, second))
    except ValueError:
        return None


def _reduce(b: Builder) -> None:
    x = b.pick(lambda shape: len(shape) > 0)
    if x is None:
        return
    axis, keep = b.axis_of(x), bool(b.rng.random() < 0.4)
    shape = b.shapes[x]
    rest = (*shape[:axis], *((1,) if keep else ()), *shape[axis + 1 :])
    b.add(f"tf.{b.choose(REDUCTIONS)}({x}, axis={axis}, keepdims={keep})", rest)


def _along(b: Builder) -> None:
    x = b.pick(lambda shape: len(shape) > 0)
    if x is not None:
        b.add(b.choose(ALONG).format(x=x, axis=b.axis_of(x)), b.shapes[x])


def _reshape(b: Builder) -> None:
    x = b.pick()
    assert x is not None
    shape = b.shapes[x]
    b.add(*b.choose([
        (f"tf.reshape({x}, [-1])", (int(np.prod(shape)),)),
        (f"tf.transpose({x})", shape[::-1]),
        (f"tf.expand_dims({x}, 0)", (1, *shape)),
        (f"tf.stack([{x}, tf.tanh({x})], axis=0)", (2, *shape)),
    ]))  # fmt: skip


def _cut(b: Builder) -> None:
    x = b.pick(lambda shape: len(shape) > 0 and shape[0] > 1)
    if x is None:
        return
    size, rest = b.shapes[x][0], b.shapes[x][1:]
    border = "[[1, 1]" + ", [0, 0]" * len(rest) + "]"
    b.add(*b.choose([
        (f"{x}[1:]", (size - 1, *rest)),
        (f"{x}[0]", rest),
        (f"{x}[::-1]", (size, *rest)),
        (f"tf.gather({x}, [0, {size - 1}, 0])", (3, *rest)),
        (f"tf.concat([{x}, 2.0 * {x}[:1]], axis=0)", (size + 1, *rest)),
        (f"tf.pad({x}, {border})", (size + 2, *rest)),
        (f"tf.pad({x}, {border}, mode='REFLECT')", (size + 2, *rest)),
        (f"tf.repeat({x}, 2, axis=0)", (2 * size, *rest)),
        (f"tf.tile({x}, [2{', 1' * len(rest)}])", (2 * size, *rest)),
        (f"tf.split({x}, [1, {size - 1}], axis=0)[1]", (size - 1, *rest)),
        (f"tf.unstack({x}, axis=0)[-1]", rest),
        (f"tf.math.top_k(tf.reshape({x}, [-1]), 2).values", (2,)),
        (f"tf.boolean_mask({x}, [True] + [False] * {size - 2} + [True])", (2, *rest)),
    ]))  # fmt: skip


def _product(b: Builder) -> None:
    x = b.pick(lambda shape: len(shape) == 2)
    if x is None:
        return
    rows, columns = b.shapes[x]
    y = b.pick(lambda shape: len(shape) == 2 and columns in shape)
    if y is None:
        b.add(f"tf.matmul({x}, {x}, transpose_b=True) / {columns}.0", (rows, rows))
    elif b.shapes[y][0] == columns:
        b.add(f"tf.matmul({x}, {y}) / {columns}.0", (rows, b.shapes[y][1]))
    else:
        b.add(f"tf.einsum('ij,kj->ik', {x}, {y}) / {columns}.0", (rows, b.shapes[y][0]))


STEPS = (_unary, _unary, _unary, _binary, _binary, _binary, _reduce, _along, _reshape, _cut, _product)


def program(seed: int, dtype: str) -> Case:
    """One program: a few inputs, up to a dozen statements, and every value that nothing else used."""
    rng = np.random.default_rng(seed)
    b = Builder(rng, dtype)
    inputs: dict[str, Any] = {}
    for name in "abc"[: int(rng.integers(1, 4))]:
        shape: Shape = b.choose([(), (3,), (2, 3), (3, 3), (4, 3), (1, 3), (2, 1, 3)])
        inputs[name] = np.asarray(rng.uniform(-1.5, 1.5, shape)).astype(dtype)
        b.shapes[name] = shape
    for _ in range(int(rng.integers(3, 13))):
        b.choose(STEPS)(b)
    loose = [name for name in b.shapes if name not in b.used and name not in inputs] or [list(b.shapes)[-1]]
    text = "\n".join([*b.statements, f"[{', '.join(loose)}]"])
    return Case("program", f"seed {seed}", text, dtype, inputs, SECOND)


def cases(count: int) -> Iterator[Case]:
    """As many programs, half of them in each of the usual types."""
    for seed in range(count):
        yield program(seed, ("float32", "float64")[seed % 2])
