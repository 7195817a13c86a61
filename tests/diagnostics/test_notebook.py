"""What values show of themselves in a notebook."""

import base64
import io
import re
import time
from html.parser import HTMLParser

import numpy as np
import pytest

import gradtape as tf


def shown(value):
    """The HTML, which must be well formed, and its text without tags."""
    page = value._repr_html_()
    open_tags: list[str] = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag not in ("img", "rect"):
                open_tags.append(tag)

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

    Parser(convert_charrefs=True).feed(re.sub(r"<rect[^>]*/>", "", page))
    assert open_tags == []
    return page


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3.5, ["tf.Tensor", "shape</span> ()", "float32", "3.5"]),
        ([[1.0, float("nan")]], ["(1, 2)", "nan"]),
        (np.arange(100), ["min 0, mean 49.5", "max 99", "<svg"]),
        (np.full(100, np.nan), ["100 nan"]),
        (np.array([np.inf] * 30 + [1.0] * 10), ["30 inf", "min 1"]),
        (np.array([1e308, -1e308] * 50), ["min -1e+308", "± 1e+308", "<svg"]),
        (np.zeros((0, 3)), ["(0, 3)", "[]"]),
        (np.arange(100) % 4 == 0, ["25.0% true"]),
        (np.ones(50) * 1j, ["of absolute values", "mean 1"]),
        (["<script>x</script>", "b" * 200], ["&lt;script&gt;", "b…"]),
    ],
)
def test_tensors(value, words):
    page = shown(tf.constant(value))
    for word in words:
        assert word in page
    assert "<script>" not in page


def test_narrow_types():
    assert "mean 1 ± 0, max 1" in shown(tf.ones([50], tf.bfloat16))


def pictures(page):
    return [base64.b64decode(found) for found in re.findall(r"data:image/png;base64,([^']*)", page)]


@pytest.mark.parametrize(
    ("shape", "kind", "count"),
    [
        ((16, 24, 3), np.float32, 1),
        ((16, 24, 1), np.uint8, 1),
        ((20, 28, 28, 1), np.float32, 8),  # the first of a batch
        ((5, 28, 28), np.uint8, 5),
        ((28, 28), np.float64, 1),
        ((3, 28, 28, 7), np.float32, 0),  # seven channels are no colours
        ((2, 2, 3), np.float32, 0),
        ((1000, 8, 3), np.float32, 0),
    ],
)
def test_what_looks_like_pictures_is_shown_as_pictures(shape, kind, count):
    values = np.random.default_rng(0).random(shape)
    array = (values * 255).astype(kind) if kind is np.uint8 else values.astype(kind)
    found = pictures(shown(tf.constant(array)))
    assert len(found) == count
    assert all(data.startswith(b"\x89PNG") for data in found)


def test_the_pixels_are_those_of_the_tensor():
    Image = pytest.importorskip("PIL.Image", reason="reads the picture back")
    array = np.random.default_rng(0).integers(0, 255, (16, 24, 3)).astype(np.uint8)
    (data,) = pictures(shown(tf.constant(array)))
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(data))), array)


def test_a_matrix_of_weights_is_no_picture():
    assert pictures(shown(tf.constant(np.random.default_rng(0).normal(size=(64, 64))))) == []


def test_large_tensors_are_shown_at_once():
    large = tf.transpose(tf.zeros([4000, 5000]))
    picture = tf.zeros([3000, 3000, 3], tf.uint8)
    shown(tf.zeros([100])), shown(tf.zeros([16, 16, 3]))  # imports
    begin = time.process_time()
    page = shown(large) + shown(picture)
    assert time.process_time() - begin < 0.25
    assert "elements of 20,000,000" in page
    assert len(page) < 20_000


def test_variables():
    page = shown(tf.Variable([1.0, 2.0], name="<b>", trainable=False))
    assert "tf.Variable &#x27;&lt;b&gt;:0&#x27;" in page
    assert "not trainable" in page


def test_the_form_of_a_tensor_in_a_function_has_no_value():
    pages = []

    @tf.function
    def f(x):
        pages.append(x._repr_html_())
        return x

    f(tf.constant([1.0, 2.0]))
    assert "known when the function runs" in pages[0]


def test_ragged_and_sparse_tensors_and_slices():
    page = shown(tf.ragged.constant([[1.0, 2.0], [3.0], []]))
    assert "(3, None)" in page
    assert "0 to 2" in page
    page = shown(tf.sparse.from_dense(tf.eye(10)))
    assert "10 (10.00%)" in page
    page = shown(tf.IndexedSlices(tf.ones([2, 3]), tf.constant([1, 5]), tf.constant([10, 3])))
    assert "[10, 3]" in page


def test_functions_and_datasets():
    f = tf.function(lambda x, n: x**n)
    f(tf.constant(2.0), 2)
    f(tf.constant(2.0), 3)
    assert "changed: n: int 2 -&gt; int 3" in shown(f)
    assert "pow(" in shown(f.get_concrete_function(tf.constant(2.0), 2))
    calls = []
    dataset = tf.data.Dataset.range(10).map(lambda x: calls.append(x) or x).batch(3)
    page = shown(dataset)
    assert "range → map → batch" in page
    assert calls == []  # nothing runs to be shown
    assert "infinite" in shown(tf.data.Dataset.from_tensors({"a": 1.0}).repeat())


def test_modules_and_models():
    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(tf.ones([2, 3]))

    page = shown(Net())
    assert "<td style='text-align:left'>w</td>" in page
    keras = pytest.importorskip("keras", reason="models are Keras's")
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, name="one"), keras.layers.Dense(2)])
    page = shown(model)
    assert "parameters</span> 23" in page
    assert "(None, 3)" in page
    assert "not built yet" in shown(keras.Sequential([keras.layers.Dense(3)]))
    assert "Conv2D" in shown(keras.layers.Conv2D(3, 3))
    assert "dense" in shown(model.layers[1].kernel)


def test_a_value_that_cannot_say_its_form_is_shown_as_its_repr():
    half_made = object.__new__(tf.GradientTape)
    type(half_made).__repr__, kept = (lambda self: "<half>"), type(half_made).__repr__
    try:
        assert half_made._repr_html_().endswith(">&lt;half&gt;</pre>")
    finally:
        type(half_made).__repr__ = kept


# --- tapes ------------------------------------------------------------------------------------------------------------


def test_the_repr_of_a_tape_says_what_it_holds():
    v = tf.Variable([1.0, 2.0], name="v")
    tape = tf.GradientTape()
    assert repr(tape) == "<tf.GradientTape: not entered yet>"
    with tape:
        y = tf.reduce_sum(tf.tanh(v) * v)
        assert repr(tape) == "<tf.GradientTape: recording, 3 ops, 1 variable>"
    assert repr(tape) == "<tf.GradientTape: recorded, 3 ops, 1 variable>"
    page = shown(tape)
    assert "1 tanh, 1 multiply, 1 reduce_sum" in page
    assert "v:0" in page
    tape.gradient(y, v)
    assert repr(tape) == "<tf.GradientTape: its one gradient was taken>"


def test_the_repr_of_a_persistent_tape_and_of_one_in_a_function():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b = tf.split(tf.stack([x, x]), 2)
        y = a * b
    assert repr(tape) == "<tf.GradientTape: recorded, persistent, 3 ops, 0 variables>"
    tape.gradient(y, x)
    assert "3 ops" in repr(tape)
    seen = []

    @tf.function
    def f(x):
        with tf.GradientTape() as inner:
            inner.watch(x)
            seen.append((repr(inner), inner._repr_html_()))
            z = x * x
        return inner.gradient(z, x)

    f(x)
    assert "in the trace of" in seen[0][0]
    assert "in the trace of" in seen[0][1]


def test_the_repr_of_an_accumulator_says_what_it_follows():
    x, v = tf.ones([2, 3]), tf.Variable(1.0)
    with tf.autodiff.ForwardAccumulator([x, v], [x, 1.0]) as accumulator:
        assert repr(accumulator) == ("<tf.autodiff.ForwardAccumulator: recording, follows float32[2, 3], 1 variable>")
        y = x * v
    assert "not recording, follows float32[2, 3], float32[2, 3], 1 variable" in repr(accumulator)
    del y
    assert repr(tf.autodiff.ForwardAccumulator([], [])).endswith("follows nothing>")


def test_a_graph_is_one_line_and_its_steps_in_a_notebook():
    v = tf.Variable(1.0)

    @tf.function
    def scaled(x):
        return tf.reduce_sum(x * v)

    graph = scaled.get_concrete_function(tf.TensorSpec([None])).graph
    assert repr(graph) == "<Graph scaled: 3 steps, 1 input, 1 variable>"
    form = graph._repr_html_()
    assert "<b>Graph</b>" in form
    assert "reduce_sum" in form


def test_a_check_of_rules_is_shown():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        tf.sin(x)
    assert "1 of the recorded ops was checked: all rules agree." in tape.check()._repr_html_()
