"""Every step that a trace can hold survives: control flow, tapes, arrays, gradients of gradients, and every op."""

from __future__ import annotations

import json
import subprocess
import sys
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from tests.ops.registry import all_ops

import gradtape as tf
from gradtape.extend import checks
from gradtape.extend.suite import assert_same as same
from gradtape.op.declaration import Op
from gradtape.saved_model import names
from gradtape.saved_model.reader import ModelReader
from gradtape.saved_model.writer import ModelWriter
from gradtape.trace.graph import Method


def stored(module: tf.Module) -> Any:
    """The module again, by way of JSON, without files."""
    writer = ModelWriter(module)
    return ModelReader(json.loads(json.dumps(writer.content())), writer.arrays).objects[0]


V = tf.Variable(2.0)
X = tf.constant([[1.0, 2.0], [3.0, 4.0]])


def with_while(x):
    rounds = 0
    while tf.reduce_sum(x) < 100.0:
        x = x * V
        rounds += 1
    return x, rounds


def with_if(x):
    if tf.reduce_sum(x) > 3.0:
        return x * V
    return x


def with_for_and_array(x):
    rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(3):
        rows = rows.write(i, x * tf.cast(i, tf.float32))
    return rows.stack()


def with_tape(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x**3) * V
    return tape.gradient(y, [x, V])


def with_tapes(x):
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.sin(x) * x
        first = inner.gradient(y, x)
        with outer.stop_recording():
            x * 2.0
    return outer.gradient(first, x), outer.jacobian(first, x), outer.gradient(first, V)


def with_accumulator(x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = x**3
    return accumulator.jvp(y)


@tf.custom_gradient
def doubled(x):
    return x * 2.0, lambda upstream: upstream * 5.0


def with_custom_gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = doubled(x)
    return tape.gradient(y, x)


INNER = tf.function(lambda x: tf.tanh(x) * V)

PROGRAMS = {
    "while": with_while,
    "if": with_if,
    "for": with_for_and_array,
    "tape": with_tape,
    "tapes": with_tapes,
    "accumulator": with_accumulator,
    "custom gradient": with_custom_gradient,
    "recompute": tf.recompute_grad(lambda x: tf.sin(x) * V),
    "gradients": lambda x: tf.gradients(tf.reduce_sum(tf.sin(x) * V), [x, V]),
    "hessians": lambda x: tf.hessians(tf.reduce_sum(x**3), x),
    "function": lambda x: INNER(x) + INNER(x * 2.0),
    "assign": lambda x: V.assign(V * 1.0) * x,
    "map": lambda x: tf.map_fn(lambda row: row * 2.0 + V, x),
    "scan": lambda x: tf.scan(lambda total, row: total + row, x),
    "switch": lambda x: tf.switch_case(tf.cast(x[0, 0], tf.int32), [lambda: x, lambda: x * 2.0], default=lambda: -x),
    "index": lambda x: (x[..., 1:, tf.newaxis], x[:, tf.shape(x)[0] - 1], x @ x, x == x, x != 1.0),
    "gather": lambda x: tf.gather(x, [1, 0], axis=1),
    "types": lambda x: tf.cast(x, np.int32) + tf.cast(x, tf.int32) + tf.zeros(2, dtype="int32"),
    "infinite": lambda x: tf.clip_by_value(x, 2.0, float("inf")),
    "complex": lambda x: tf.cast(x, tf.complex64) * 2j,
    "convolution": lambda x: tf.nn.conv2d(tf.reshape(x, [1, 2, 2, 1]), tf.ones([2, 2, 1, 3]), 1, "SAME"),
    "image": lambda x: tf.image.resize(tf.reshape(x, [1, 2, 2, 1]), [4, 4]),
    "signal": lambda x: tf.abs(tf.signal.rfft(x)),
    "text": lambda x: tf.strings.join([tf.as_string(tf.shape(x)), b"a"]),
    "numpy": lambda x: tf.experimental.numpy.cumsum(x, axis=0),
    "assertion": lambda x: (tf.debugging.assert_positive(x), x)[1],
    "print": lambda x: (tf.print("x is", x, output_stream=sys.stderr), x)[1],
    "random": lambda x: x + tf.random.stateless_uniform(tf.shape(x), [1, 2]),
    "slices": lambda x: tf.nn.embedding_lookup(x, [1, 0, 1]),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("sizes", [[2, 2], [None, 2]], ids=["sizes known", "sizes unknown"])
def test_programs(name, sizes):
    module = tf.Module()
    module.f = tf.function(PROGRAMS[name], input_signature=[tf.TensorSpec(sizes, tf.float32)])
    module.v = V
    loaded = stored(module)
    same(loaded.f(X), module.f(X))
    text = str(module.f.get_concrete_function().graph).replace("UnreadVariable", "Variable")
    assert str(loaded.f.get_concrete_function().graph) == text
    again = stored(loaded)
    same(again.f(X), module.f(X))


def test_shapes_of_random_numbers():
    module = tf.Module()
    module.f = tf.function(lambda: (tf.random.normal([2]), tf.random.uniform([3], 0, 5, tf.int32)), input_signature=[])
    normal, whole = stored(module).f()
    assert normal.shape == (2,)
    assert whole.dtype == tf.int32


# An op that only `tf.image.resize` and its like call, which are one step each, with weights that they compute.
INSIDE = {"resample"}


@pytest.mark.parametrize("op", [op for op in all_ops() if op.name not in INSIDE], ids=lambda op: op.name)
def test_every_op(op: Op) -> None:
    module = tf.Module()
    module.functions, given = [], []
    for sample in checks.samples(op, checks.numeric_kind(op)):
        tensors = [tf.constant(np.asarray(value)) for value in checks.operands(op, sample)]
        module.functions.append(tf.function(checks.value_of(op, sample.attributes), autograph=False))
        given.append((tensors, module.functions[-1](*tensors)))
    loaded = stored(module)
    for function, (tensors, expected) in zip(loaded.functions, given, strict=True):
        same(function(*tensors), expected)


# --- names -----------------------------------------------------------------------------------------------------------------


def test_every_public_step_has_a_name_and_is_found_by_it():
    for namespace in names.NAMESPACES:
        if namespace.startswith("keras"):
            continue
        for name, value in list(vars(names._namespace(namespace)).items()):
            if name.startswith("_") or not isinstance(value, FunctionType) or not hasattr(value, "on_abstract"):
                continue
            if (f"{namespace}.{name}" if namespace else name) in names._REFUSED:
                continue
            kind, found = names.name_of(value)
            assert names.function_named(kind, found) is value


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("op", "no_such_op"),
        ("op", "__class__"),
        ("function", "os.system"),
        ("function", "py_function"),
        ("function", "numpy_function"),
        ("function", "numpy.experimental_enable_numpy_behavior"),
        ("function", "function"),
        ("function", "io.write_file"),
        ("function", "saved_model.save"),
        ("function", "math.np.load"),
        ("function", "_sys"),
        ("function", "math.__getattr__"),
        ("method", "__reduce__"),
        ("method", "numpy"),
        ("class", "Variable"),
        ("step", "eval"),
        ("module", "os"),
    ],
)
def test_only_what_is_listed_is_found(kind, name):
    with pytest.raises(tf.errors.NotFoundError, match="does not have"):
        names.function_named(kind, name)


def test_what_has_no_name_is_refused():
    for thing in (len, print, Method("__class__"), dict, lambda: 0, tf.py_function):
        with pytest.raises(ValueError, match="cannot be stored"):
            names.name_of(thing)


def test_what_autograph_calls_is_stored_though_no_program_has_named_it(tmp_path):
    """`if` on a tensor calls tf.cond, which nobody has asked the package for."""
    code = (
        "import gradtape as tf\n"
        "class Net(tf.Module):\n"
        "    @tf.function(input_signature=[tf.TensorSpec([])])\n"
        "    def __call__(self, x):\n"
        "        if x > 0:\n"
        "            x = x * 2\n"
        "        return x\n"
        f"tf.saved_model.save(Net(), {str(tmp_path / 'net')!r})\n"
        f"assert tf.saved_model.load({str(tmp_path / 'net')!r})(3.0) == 6\n"
    )
    (tmp_path / "program.py").write_text(code)
    subprocess.run([sys.executable, str(tmp_path / "program.py")], check=True)
