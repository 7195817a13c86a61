"""Ways to ask why a gradient is None, and what an answer costs and holds."""

import gc
import sys
import types
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape.base import notes
from gradtape.diagnostics import asking, chain
from gradtape.diagnostics.explanation import Kind


def test_a_strict_tape_raises_with_the_explanation():
    x = tf.constant(3.0)
    with tf.GradientTape(strict=True) as tape:
        y = x * x
    with pytest.raises(tf.errors.UnconnectedGradientError, match=r"never watched(.|\n)*tape\.watch\(x\)") as caught:
        tape.gradient(y, x)
    assert [each.kind for each in caught.value.explanations] == [Kind.NEVER_WATCHED]


def test_a_strict_tape_gives_zeros_where_they_are_wanted():
    x = tf.constant(3.0)
    with tf.GradientTape(strict=True) as tape:
        tape.watch(x)
    assert tape.gradient(tf.constant(1.0), x, unconnected_gradients="zero").numpy() == 0.0


def test_a_strict_tape_gives_gradients():
    x = tf.Variable(3.0)
    with tf.GradientTape(strict=True) as tape:
        y = x * x
    assert tape.gradient(y, x).numpy() == 6.0


def test_a_strict_jacobian_raises():
    x = tf.constant([3.0])
    with tf.GradientTape(strict=True) as tape:
        y = x * x
    with pytest.raises(tf.errors.UnconnectedGradientError, match="never watched"):
        tape.jacobian(y, x)


def test_a_plain_tape_answers_after_a_jacobian():
    x = tf.Variable([3.0])
    with tf.GradientTape() as tape:
        y = tf.round(x) * 2.0
    assert tape.jacobian(y, x) is None
    assert tape.explain(y, x).kind is Kind.NO_DERIVATIVE


def test_the_answer_has_the_structure_of_the_sources():
    a, b = tf.Variable(1.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = a * b
    assert tape.gradient(y, {"a": a, "b": b})["b"] is None
    found = tape.explain(y, {"a": a, "b": b})
    assert found["a"].connected
    assert found["b"].kind is Kind.NEVER_WATCHED


def test_a_tape_answers_before_gradient_and_stays_usable():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        h = tf.stop_gradient(x)
        y = h * x
    assert tape.explain(y, x).connected
    assert tape.gradient(y, x).numpy() == 2.0


def test_a_spent_tape_says_so():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="persistent"):
        tape.gradient(y, x)
    answer = tape.explain(y, x)
    assert answer.kind is Kind.SPENT
    assert answer.repair == "with tf.GradientTape(persistent=True) as tape:"


def test_a_record_holds_no_more_than_a_place_beside_what_its_rules_need():
    # Bytes of the tuple, from before records had places, plus the 16 of a code object and an offset.
    x = tf.Variable([1.0, 2.0, 3.0])
    for bound, op in ((120, lambda: x * x), (104, lambda: tf.tanh(x)), (112, lambda: tf.split(x, 3))):
        with tf.GradientTape() as tape:
            op()
        assert max(sys.getsizeof(record) for record in tape._tape.values() if record is not None) <= bound


def test_the_sources_of_a_list_have_their_own_names():
    w, u = tf.Variable(1.0), tf.Variable(2.0)
    found = []
    chain.LISTENERS.append(lambda tape, sources: found.extend(asking.explanations_of(tape, sources)))
    try:
        with tf.GradientTape() as tape:
            loss = w * w + float(u)
        assert tape.gradient(loss, [w, u])[1] is None
    finally:
        chain.LISTENERS.pop()
    assert [each.source for each in found] == ["u"]
    assert [each.repair for each in found] == ["loss = w * w + u"]


def test_the_connected_way_has_the_norm_of_the_gradient_at_each_op():
    x = tf.Variable([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        h = x * 2.0
        y = tf.reduce_sum(h * h)
    answer = tape.explain(y, x, connected=True)
    assert [step.name for step in answer.path] == ["multiply", "multiply", "reduce_sum"]
    norms = [step.norm for step in answer.path]
    np.testing.assert_allclose(norms, [np.linalg.norm([12.0, 16.0]), np.sqrt(2.0), 1.0], rtol=1e-6)
    assert answer.path[0].where.text == "h = x * 2.0"


def test_what_is_kept_after_a_none_holds_no_values():
    x, w = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        h = tf.exp(x)
        y = tf.reduce_sum(tf.stop_gradient(h * 3.0) + w)
    assert tape.gradient(y, [w, x])[1] is None
    gone = weakref.ref(h)
    del h
    gc.collect()
    assert gone() is None
    assert tape.explain(y, x).kind is Kind.STOP_GRADIENT


def test_a_tape_that_is_entered_again_has_forgotten():
    x = tf.constant(2.0)
    tape = tf.GradientTape()
    with tape:
        y = x * x
    assert tape.gradient(y, x) is None
    with tape:
        tape.watch(x)
        y = x * x
    assert tape.explain(y, x).connected


def test_nothing_is_kept_where_no_none_came_out():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    assert tape._missing is None


def test_notes_are_bounded():
    x = tf.Variable([1.0])
    with tf.GradientTape():
        for _ in range(3 * notes._MOST):
            tf.round(x)
    assert len(notes.CUTS) <= notes._MOST


def test_nothing_is_noted_while_no_tape_records():
    x = tf.Variable([1.0])
    before = len(notes.CUTS), len(notes.EXITS), len(notes.SPANS)
    tf.round(x).numpy()
    tf.image.resize(tf.reshape(x, [1, 1, 1, 1]), [2, 2])
    assert (len(notes.CUTS), len(notes.EXITS), len(notes.SPANS)) == before


def test_a_record_of_a_composite_leads_to_the_line_that_called_it():
    x = tf.Variable(tf.ones([1, 2, 2, 1]))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.image.adjust_contrast(x, 2.0)
    for step in tape.explain(y, x).path:
        assert step.where.file == __file__
        assert step.where.text == "y = tf.image.adjust_contrast(x, 2.0)"


def test_a_tape_inside_a_function_explains_while_the_function_is_traced():
    answers = []

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = tf.stop_gradient(x * 2.0)
            y = h * 3.0
        assert tape.gradient(y, x) is None
        answers.append(tape.explain(y, x))
        return y

    step(tf.constant(1.0))
    assert answers[0].kind is Kind.STOP_GRADIENT
    assert answers[0].where.text == "h = tf.stop_gradient(x * 2.0)"


def test_unconnected_values_show_what_they_share_and_both_ways():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        h = x * x
        left = tf.exp(h + 1.0)
        right = tf.sin(h * 3.0)
    answer = tape.explain(right, left)
    assert answer.kind is Kind.UNCONNECTED
    assert "h = x * x" in answer.reason
    assert [step.name for step in answer.target_path] == ["multiply", "sin"]


def test_a_strict_tape_inside_a_function_raises_while_it_is_traced():
    @tf.function
    def step(x):
        with tf.GradientTape(strict=True) as tape:
            y = x * x
        return tape.gradient(y, x)

    with pytest.raises(tf.errors.UnconnectedGradientError, match="never watched"):
        step(tf.constant(1.0))


def test_the_answer_is_text_colour_and_html():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    answer = tape.explain(y, x)
    assert repr(answer).splitlines()[0] == "The gradient of y in x is None: never watched."
    assert "\033[31mnever watched\033[0m" in answer.text(colour=True)
    page = answer._repr_html_()
    assert "<b>never watched</b>" in page
    assert ">tape.watch(x)</pre>" in page
    assert "solid #c33" in page


def test_a_good_answer_is_not_red():
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    page = tape.explain(y, x)._repr_html_()
    assert "solid #c33" not in page
    assert "y depends on x" in page


def test_cells_of_a_notebook_are_named_as_in_its_tracebacks(monkeypatch):
    compiler = types.SimpleNamespace(format_code_name=lambda name: ("Cell", "In[4]") if name == __file__ else None)
    shell = types.SimpleNamespace(compile=compiler)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = tf.round(x)
        tape.watch(x)
    tape.gradient(y, x)
    answer = tape.explain(y, x)
    assert str(answer.where) == f"Cell In[4], line {answer.where.line}"
    assert answer.where.file == __file__
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    assert str(answer.where) == f"{__file__}:{answer.where.line}"


def test_text_in_html_is_escaped():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.cast(x < 5.0, tf.float32)
    tape.gradient(y, x)
    assert "x &lt; 5.0" in tape.explain(y, x)._repr_html_()


def test_a_program_without_text_still_has_an_answer():
    names = {"tf": tf}
    exec("x = tf.constant(3.0)\nwith tf.GradientTape() as tape:\n    y = x * x\ng = tape.gradient(y, x)", names)
    answer = names["tape"].explain(names["y"], names["x"])
    assert answer.kind is Kind.NEVER_WATCHED


def test_an_integer_variable_has_no_gradient():
    v = tf.Variable(3)
    with tf.GradientTape() as tape:
        y = tf.cast(v, tf.float32) ** 2.0
    assert tape.gradient(y, v) is None


keras = pytest.importorskip("keras")


def test_apply_gradients_says_why_all_are_none():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.round(v))
    grads = tape.gradient(loss, [v])
    with pytest.raises(ValueError, match=r"No gradients provided(.|\n)*op without a derivative(.|\n)*stop_gradient"):
        keras.optimizers.SGD().apply_gradients(zip(grads, [v], strict=True))


def test_apply_gradients_says_why_some_are_none():
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.round(v) * w)
    grads = tape.gradient(loss, [v, w])
    with pytest.warns(UserWarning, match=r"Gradients do not exist(.|\n)*op without a derivative"):
        keras.optimizers.SGD().apply_gradients(zip(grads, [v, w], strict=True))


class Rounding(keras.layers.Layer):
    def call(self, x):
        return tf.round(x)


@pytest.mark.parametrize("eagerly", [True, False])
def test_the_trainer_says_why(eagerly):
    model = keras.Sequential([keras.layers.Dense(2), Rounding(), keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=eagerly)
    with pytest.warns(UserWarning, match=r"Gradients do not exist(.|\n)*return tf\.round\(x\)"):
        model.fit(tf.ones((4, 2)), tf.ones((4, 1)), verbose=0)


def test_a_record_of_a_layer_leads_to_the_line_that_called_the_model():
    model = keras.Sequential([keras.layers.Dense(2, activation="relu"), keras.layers.LayerNormalization()])
    model.build((None, 3))
    with tf.GradientTape(persistent=True) as tape:
        y = model(tf.ones((4, 3)))
    path = tape.explain(y, model.trainable_variables[0]).path
    assert path
    assert {step.where.text for step in path} == {"y = model(tf.ones((4, 3)))"}


def test_an_optimizer_of_version_1_says_why():
    w = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = tf.stop_gradient(w) * 2.0
    pairs = [(tape.gradient(loss, w), w)]
    with pytest.raises(ValueError, match=r"No gradients provided(.|\n)*stop_gradient ends the gradient here"):
        tf.compat.v1.train.GradientDescentOptimizer(0.1).apply_gradients(pairs)


def test_a_model_that_calls_itself_before_the_tape_is_found():
    keras = pytest.importorskip("keras")

    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = keras.layers.Dense(1)

        def call(self, x):
            return self.inner(x)

        def train_step(self, data):
            x, y = data
            predicted = self(x, training=True)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((predicted - y) ** 2)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"loss": loss}

    model = Model()
    model.compile(optimizer="sgd")
    message = r"computed outside the tape(.|\n)*predicted = self\(x, training=True\)"
    with pytest.raises(ValueError, match=message):
        model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
