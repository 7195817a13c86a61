"""Programs made at random: traced, they return what they return eagerly, and so do their gradients."""

import linecache
import random

import numpy as np
import pytest

import gradtape as tf

EXPRESSIONS = ("a", "b", "x", "y", "a + b", "a * 0.5", "b - x", "tf.tanh(a)", "a - 1.0", "-b", "tf.abs(b)", "1.0")
CONDITIONS = ("a > b", "a < 0.3", "b > x", "n < 2", "n == 1", "x > 0.0", "tf.reduce_sum(a) > -0.2", "-1.0 < a < b")
SEQUENCES = ("tf.range(3)", "range(3)", "tf.stack([x, y, x])", "tf.range(tf.cast(tf.abs(x) * 2.0, tf.int32))")


class Writer:
    """Writes a function of two numbers, with statements inside each other."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.loops = 0

    def program(self):
        body = self.block(3, "    ", in_loop=False)
        return "\n".join(["def f(x, y):", "    a, b, n = x, y * 0.5, 0", *body, "    return a * 1.0, b * 1.0", ""])

    def expression(self):
        return self.random.choice(EXPRESSIONS)

    def condition(self):
        condition, kind = self.random.choice(CONDITIONS), self.random.random()
        if kind < 0.25:
            return f"({condition} {self.random.choice(['and', 'or'])} {self.condition()})"
        return f"not {condition}" if kind < 0.35 else condition

    def block(self, depth, indent, in_loop):
        lines = []
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random()
            if depth == 0 or kind < 0.45:
                lines += [indent + line for line in self.assignment()]
            elif kind < 0.68:
                lines += [f"{indent}if {self.condition()}:", *self.block(depth - 1, indent + "    ", in_loop)]
                if self.random.random() < 0.6:
                    lines += [f"{indent}else:", *self.block(depth - 1, indent + "    ", in_loop)]
            elif kind < 0.9:
                lines += self.loop(depth, indent)
            elif in_loop:
                return [*lines, indent + self.random.choice(["break", "continue"])]
            else:
                return [*lines, f"{indent}return {self.expression()} * 1.0, {self.expression()} * 1.0"]
        return lines

    def assignment(self):
        value = self.expression()
        choices = [f"a = {value}", f"b = {value}", "n += 1", f"a, b = b, {value}", f"a += {value}"]
        choices.append(f"a = {value} if {self.condition()} else {self.expression()}")
        choices.append(f"c = {value}; a = a + c * 0.1")
        return self.random.choice(choices).split("; ")

    def loop(self, depth, indent):
        self.loops += 1
        name, inside = f"k{self.loops}", indent + "    "
        if self.random.random() < 0.6:
            return [f"{indent}for {name} in {self.random.choice(SEQUENCES)}:", *self.block(depth - 1, inside, True)]
        start = self.random.choice(["0", "tf.constant(0)"])
        head = [
            f"{indent}{name} = {start}",
            f"{indent}while {name} < 3 and {self.condition()}:",
            f"{inside}{name} += 1",
        ]
        return [*head, *self.block(depth - 1, inside, True)]


def results(function, x, y):
    with tf.GradientTape() as tape:
        tape.watch(x)
        outputs = function(x, y)
        total = tf.constant(0.0) + outputs[0] + outputs[1]  # (a program may return Python numbers alone)
    gradient = tape.gradient(total, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return [float(value) for value in (*outputs, gradient)]


def compare(seed):
    source, file = Writer(seed).program(), f"<program {seed}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace = {"tf": tf, "__name__": "program"}
    exec(compile(source, file, "exec"), namespace)
    traced = tf.function(namespace["f"])
    for x, y in ((0.7, -0.4), (-1.3, 0.9), (1.6, 1.1)):
        x, y = tf.constant(x), tf.constant(y)
        expected = results(namespace["f"], x, y)
        np.testing.assert_allclose(results(traced, x, y), expected, rtol=1e-4, atol=1e-5, err_msg=source)
    del linecache.cache[file]


@pytest.mark.parametrize("seed", range(15))
def test_a_traced_program_gives_what_it_gives_eagerly(seed):
    compare(seed)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(100, 400))
def test_many_traced_programs(seed):
    compare(seed)
