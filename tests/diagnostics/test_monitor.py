"""`tf.diagnostics.Monitor`: what it measures, what it warns of, and that nobody pays for it who does not use it."""

import gc
import io
import math
import re

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.context import ACTIVE
from gradtape.diagnostics.measures import Part, _idle_units, _square, parts_of
from gradtape.diagnostics.monitor import Series
from gradtape.diagnostics.monitor_display import Lines, Live
from gradtape.diagnostics.warning_signs import Sign
from gradtape.op.call import GRADIENT_OBSERVERS

keras = pytest.importorskip("keras", reason="the monitor is also a callback of Keras")


def dense_net(depth=2, activation="tanh", units=8):
    keras.utils.set_random_seed(0)
    layers = [keras.layers.Dense(units, activation=activation, name=f"hidden{i}") for i in range(depth)]
    return keras.Sequential([keras.Input((4,)), *layers, keras.layers.Dense(1, name="out")])


def data(rows=64):
    x = np.random.default_rng(0).normal(size=(rows, 4)).astype(np.float32)
    return x, x[:, :1] * x[:, 1:2]


def signs(monitor):
    return {(warned.sign, part) for warned in monitor.warnings for part in warned.parts}


def train(monitor, variables, loss_of, steps=20, rate=0.1):
    """A loop as people write it, without an optimizer."""
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_of()
        for gradient, variable in zip(tape.gradient(loss, variables), variables, strict=True):
            if gradient is not None:
                variable.assign_sub(rate * tf.convert_to_tensor(gradient))
        monitor.step(loss)
    monitor.close()


# --- what is measured -------------------------------------------------------------------------------------------------


def test_norms_and_ratios_are_those_of_the_step():
    w = tf.Variable([3.0, 4.0], name="w")
    monitor = tf.diagnostics.Monitor([w], display="off")
    train(monitor, [w], lambda: tf.reduce_sum(w * w), steps=1)
    history = monitor.parts["w"]
    assert history.gradient.values == [10.0]
    assert math.isclose(history.ratio.values[0], 0.25, rel_tol=1e-6)  # from 5 to 4, compared with 4
    assert monitor.losses["loss"].values == [25.0]


def test_the_first_ten_steps_are_measured_then_every_tenth():
    w = tf.Variable(1.0, name="w")
    monitor = tf.diagnostics.Monitor([w], display="off")
    train(monitor, [w], lambda: w * w, steps=35)
    assert monitor.parts["w"].gradient.steps == [*range(10), 10, 20, 30]
    assert monitor.losses["loss"].steps == list(range(35))


@pytest.mark.parametrize("how", ["eager", "function", "fit", "fit eagerly"])
def test_every_way_of_training_gives_the_same_numbers(how):
    model, (x, y) = dense_net(), data()
    optimizer = keras.optimizers.SGD(0.05)
    monitor = tf.diagnostics.Monitor(model, display="off", every=1)
    if how.startswith("fit"):
        model.compile(optimizer, "mse", run_eagerly=how == "fit eagerly")
        model.fit(x, y, batch_size=16, shuffle=False, verbose=0, callbacks=[monitor])
    else:

        def step(a, b):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(a, training=True) - b) ** 2)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return loss

        run = tf.function(step) if how == "function" else step
        for start in range(0, 64, 16):
            run(tf.constant(x[start : start + 16]), tf.constant(y[start : start + 16]))
            monitor.step()
        monitor.close()
    assert list(monitor.parts) == ["hidden0", "hidden1", "out"]
    losses, gradients, ratios = by_hand(dense_net(), x, y)
    assert monitor.losses["loss"].values == pytest.approx(losses, rel=1e-4)
    assert monitor.parts["hidden0"].gradient.values == pytest.approx(gradients, rel=1e-4)
    assert monitor.parts["out"].ratio.values == pytest.approx(ratios, rel=1e-3)


def by_hand(model, x, y):
    """The loss of each batch, the norms of the gradients of the first layer, and update to weight of the last one."""
    found = []
    variables = model.trainable_variables
    for start in range(0, 64, 16):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x[start : start + 16]) - y[start : start + 16]) ** 2)
        gradients = [gradient.numpy() for gradient in tape.gradient(loss, variables)]
        for gradient, variable in zip(gradients, variables, strict=True):
            variable.assign_sub(0.05 * gradient)
        first = np.concatenate([gradient.ravel() for gradient in gradients[:2]])
        update = 0.05 * np.concatenate([gradient.ravel() for gradient in gradients[-2:]])
        after = np.concatenate([variable.numpy().ravel() for variable in variables[-2:]])
        found.append((float(loss), np.linalg.norm(first), np.linalg.norm(update) / np.linalg.norm(after)))
    return map(list, zip(*found, strict=True))


def test_a_compiled_step_runs_its_usual_program_where_nobody_measures():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        v.assign_sub(0.1 * tape.gradient(loss, v))

    step()
    compiled = step.get_concrete_function()._executor
    assert list(compiled._plans) == [()]
    monitor = tf.diagnostics.Monitor([v], display="off")
    step()
    monitor.step()
    assert list(compiled._plans) == [(), ((-1,),)]
    monitor.close()
    step()
    assert len(compiled._plans) == 2


def test_a_function_that_takes_no_gradient_is_not_compiled_again():
    v = tf.Variable([1.0, 2.0])
    f = tf.function(lambda: tf.reduce_sum(v * v))
    f()
    with tf.diagnostics.Monitor([v], display="off"):
        f()
    assert list(f.get_concrete_function()._executor._plans) == [()]


def test_several_models_and_optimizers_in_one_step():
    a, b = tf.Variable([1.0], name="w"), tf.Variable([2.0], name="w")
    monitor = tf.diagnostics.Monitor({"generator": [a], "critic": [b]}, display="off")
    for _ in range(3):
        with tf.GradientTape(persistent=True) as tape:
            one, two = tf.reduce_sum(a * b), tf.reduce_sum(b * b)
        a.assign_sub(0.1 * tape.gradient(one, a))
        b.assign_sub(0.1 * tape.gradient(two, b))
        monitor.step()
    monitor.close()
    assert list(monitor.parts) == ["generator/w", "critic/w"]
    assert monitor.losses["generator"].values[0] == 2.0
    assert monitor.losses["critic"].values[0] == 4.0
    assert monitor.parts["critic/w"].gradient.values[0] == 4.0


def test_losses_may_be_given_by_name():
    w = tf.Variable(1.0, name="w")
    with tf.diagnostics.Monitor([w], display="off") as monitor:
        monitor.step({"data": tf.constant(1.5), "penalty": 0.5})
    assert {name: series.values for name, series in monitor.losses.items()} == {"data": [1.5], "penalty": [0.5]}


def test_gradients_of_inputs_inside_a_penalty_do_not_count():
    w, x = tf.Variable([[2.0]], name="w"), tf.constant([[3.0]])
    with tf.diagnostics.Monitor([w], display="off") as monitor:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum((x @ w) ** 2)
            slope = inner.gradient(y, x)
            loss = tf.reduce_sum(slope)
        outer.gradient(loss, w)
        monitor.step()
    assert monitor.losses["loss"].values == [24.0]  # 2 w² x, of which the gradient in w is 4 w x
    assert monitor.parts["w"].gradient.values == [24.0]


def test_rows_of_an_embedding_are_added_up():
    table = tf.Variable(np.ones((100, 2), np.float32), name="table")
    with tf.diagnostics.Monitor([table], display="off") as monitor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, [3, 7, 3]))
        assert isinstance(tape.gradient(loss, table), tf.IndexedSlices)
        monitor.step(loss)
    assert math.isclose(monitor.parts["table"].gradient.values[0], math.sqrt(2 * 4 + 2 * 1), rel_tol=1e-6)


def test_scaled_losses_are_shown_without_the_scale():
    model, (x, y) = dense_net(), data()
    model.compile(keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.01)), "mse")
    scaled = tf.diagnostics.Monitor(display="off", every=1)
    model.fit(x, y, batch_size=32, verbose=0, shuffle=False, callbacks=[scaled])
    model = dense_net()
    model.compile(keras.optimizers.SGD(0.01), "mse")
    plain = tf.diagnostics.Monitor(display="off", every=1)
    model.fit(x, y, batch_size=32, verbose=0, shuffle=False, callbacks=[plain])
    assert scaled.parts["out"].gradient.values == pytest.approx(plain.parts["out"].gradient.values, rel=1e-3)
    assert scaled.losses["loss"].values == pytest.approx(plain.losses["loss"].values, rel=1e-3)


def test_a_model_that_is_built_by_its_first_batch():
    model = keras.Sequential([keras.layers.Dense(3, name="first"), keras.layers.Dense(1, name="last")])
    model.compile("sgd", "mse")
    monitor = tf.diagnostics.Monitor(model, display="off")
    model.fit(*data(), batch_size=16, verbose=0, callbacks=[monitor])
    assert list(monitor.parts) == ["first", "last"]
    assert math.isfinite(monitor.parts["first"].gradient.last)


def test_modules_are_named_by_their_attributes():
    class Block(tf.Module):
        def __init__(self):
            super().__init__()
            self.w, self.b = tf.Variable(tf.ones([2, 2])), tf.Variable(tf.ones([2]))

    class Net(tf.Module):
        def __init__(self):
            super().__init__(name="net")
            self.blocks, self.scale = [Block(), Block()], tf.Variable(1.0)
            self.count = tf.Variable(0, trainable=False)

    assert {part.name: len(part.variables) for part in parts_of(Net())} == {"net": 1, "blocks/0": 2, "blocks/1": 2}


def test_a_layer_that_is_thawed_later_is_watched_from_then_on():
    model, (x, y) = dense_net(), data()
    model.layers[0].trainable = False
    model.compile("sgd", "mse")
    monitor = tf.diagnostics.Monitor(model, display="off")
    model.fit(x, y, batch_size=32, verbose=0, callbacks=[monitor])
    assert "hidden0" not in monitor.parts
    model.layers[0].trainable = True
    model.compile("sgd", "mse")
    model.fit(x, y, batch_size=32, verbose=0, callbacks=[monitor])
    assert "hidden0" in monitor.parts


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.complex64])
def test_squares_of_every_type(kind):
    assert _square(np.array([3, 4], kind)) == (25.0, 0)


def test_squares_beyond_the_type_and_elements_that_are_not_finite():
    assert _square(np.array([1e25, np.nan, np.inf], np.float32)) == (pytest.approx(1e50), 2)


@pytest.mark.parametrize(
    ("shapes", "zero", "units"),
    [
        ([(3, 4), (4,)], [(0, (slice(None), 1)), (1, 1)], 4),  # Dense
        ([(3, 4)], [(0, (slice(None), 1))], 4),  # without a bias
        ([(2, 2, 4, 3), (4,)], [(0, (slice(None), slice(None), 1)), (1, 1)], 4),  # a transposed convolution
    ],
)
def test_a_unit_is_idle_where_no_weight_of_it_has_a_gradient(shapes, zero, units):
    gradients = [np.ones(shape, np.float32) for shape in shapes]
    for place, index in zero:
        gradients[place][index] = 0.0
    assert _idle_units(gradients).tolist() == [unit == 1 for unit in range(units)]


def test_a_bias_whose_gradient_cancels_is_no_dead_unit():
    assert not _idle_units([np.ones((3, 4), np.float32), np.zeros(4, np.float32)]).any()


def test_a_long_run_keeps_a_bounded_number_of_points():
    series = Series()
    for step in range(10_000):
        series.add(step, float(step))
    assert len(series.steps) <= 2000
    assert series.steps == [int(value) for value in series.values]
    assert series.steps[0] == 0
    assert series.steps[-1] > 9_980


# --- what it warns of -------------------------------------------------------------------------------------------------


def test_a_network_that_trains_well_gets_no_warning():
    model = dense_net(activation="relu", units=16)
    model.compile("adam", "mse")
    monitor = tf.diagnostics.Monitor(model, display="off", every=1)
    model.fit(*data(256), batch_size=32, epochs=8, verbose=0, callbacks=[monitor])
    assert monitor.warnings == []


def test_a_problem_that_is_solved_is_neither_frozen_nor_vanishing():
    w = tf.Variable([1.0, 2.0], name="w")
    monitor = tf.diagnostics.Monitor([w], display="off", every=1)
    train(monitor, [w], lambda: tf.reduce_sum(w * w), steps=100, rate=0.5)
    assert monitor.warnings == []


def test_vanishing_in_a_deep_net_of_sigmoids():
    model, (x, _) = dense_net(depth=12, activation="sigmoid"), data()
    monitor = tf.diagnostics.Monitor(model, display="off", every=1)
    train(monitor, model.trainable_variables, lambda: tf.reduce_mean(model(x) ** 2))
    assert (Sign.VANISHING, "hidden0") in signs(monitor)
    assert (Sign.VANISHING, "out") not in signs(monitor)
    (warned,) = monitor.warnings  # once, with all parts
    assert warned.step == 9
    assert "hidden0" in str(warned)
    assert "residual" in str(warned)


def test_vanishing_where_the_output_saturates():
    w = tf.Variable([30.0], name="w")
    monitor = tf.diagnostics.Monitor([w], display="off", every=1)
    train(monitor, [w], lambda: tf.reduce_sum(tf.sigmoid(-w) ** 2 + 1e-9 * w), rate=1e-3)
    assert signs(monitor) == {(Sign.VANISHING, "w")}


def test_exploding_gradients():
    w = tf.Variable([[1.0]], name="w")

    def unrolled():
        h = tf.ones([1, 1])
        for _ in range(12):
            h = h @ w
        return -tf.reduce_sum(h)  # the larger w, the steeper: each step goes on

    monitor = tf.diagnostics.Monitor([w], display="off", every=1)
    rising = iter(np.linspace(1.0, 4.0, 40))

    def loss():
        w.assign([[next(rising)]])
        return -unrolled()

    train(monitor, [w], loss, steps=40, rate=0.0)
    assert (Sign.EXPLODING, "w") in signs(monitor)
    assert "clip" in monitor.warnings[0].text.lower()


def test_steps_as_large_as_the_weights():
    w = tf.Variable(np.ones(4, np.float32), name="w")
    monitor = tf.diagnostics.Monitor([w], display="off", every=1)
    train(monitor, [w], lambda: tf.reduce_sum(w * w), steps=20, rate=1.0)  # from 1 to -1 and back
    assert (Sign.EXPLODING, "w") in signs(monitor)


def test_dead_units():
    model, (x, y) = dense_net(depth=1, activation="relu"), data()
    model.layers[0].bias.assign([-100.0] * 6 + [0.0] * 2)
    monitor = tf.diagnostics.Monitor(model, display="off", every=1)
    train(monitor, model.trainable_variables, lambda: tf.reduce_mean((model(x) - y) ** 2))
    assert monitor.parts["hidden0"].dead.last == 6
    assert signs(monitor) == {(Sign.DEAD, "hidden0")}
    assert "6 of its 8 units" in monitor.warnings[0].text


@pytest.mark.parametrize(
    ("case", "words"),
    [("unused", "the gradient is None"), ("not asked", "no tape was asked"), ("not applied", "are not applied")],
)
def test_frozen_parts_and_why(case, words):
    w, other = tf.Variable(1.0, name="w"), tf.Variable(1.0, name="other")
    monitor = tf.diagnostics.Monitor([w, other], display="off", every=1)
    for _ in range(12):
        with tf.GradientTape() as tape:
            loss = w * w + (other if case == "not applied" else 0.0)
        gradients = tape.gradient(loss, [w] if case == "not asked" else [w, other])
        w.assign_sub(0.1 * gradients[0])
        monitor.step(loss)
    monitor.close()
    assert signs(monitor) == {(Sign.FROZEN, "other")}
    assert words in monitor.warnings[0].text


def test_nan_is_said_at_the_step_where_it_comes():
    w = tf.Variable([1.0, 2.0], name="w")
    monitor = tf.diagnostics.Monitor([w], display="off", every=1)
    rising = iter(range(6))
    train(monitor, [w], lambda: tf.reduce_sum(w * (math.nan if next(rising) == 4 else 1.0)), steps=6)
    assert signs(monitor) == {(Sign.NONFINITE, "loss"), (Sign.NONFINITE, "w")}
    assert {warned.step for warned in monitor.warnings} == {4}
    assert monitor.parts["w"].nonfinite.values == [0, 0, 0, 0, 4, 2]


def test_a_nan_between_measured_steps_is_seen_in_the_loss():
    w = tf.Variable(1.0, name="w")
    monitor = tf.diagnostics.Monitor([w], display="off", every=1000)
    losses = iter([1.0] * 15 + [math.inf] * 5)
    train(monitor, [w], lambda: w * next(losses), steps=20, rate=1e-3)
    assert [(warned.sign, warned.step) for warned in monitor.warnings] == [(Sign.NONFINITE, 15)]


# --- what it shows and leaves behind ----------------------------------------------------------------------------------


@pytest.fixture
def finished():
    model, (x, y) = dense_net(), data()
    monitor = tf.diagnostics.Monitor(model, display="off", every=1)
    train(monitor, model.trainable_variables, lambda: tf.reduce_mean((model(x) - y) ** 2), steps=12)
    return monitor


def test_as_text(finished):
    lines = str(finished).splitlines()
    assert lines[0].startswith("step 12  loss 0.")
    assert lines[1].split() == ["part", "gradient", "update/weight", "dead", "nan,", "inf", "gradients"]
    assert [line.split()[0] for line in lines[2:]] == ["hidden0", "hidden1", "out"]
    assert repr(finished) == "<tf.diagnostics.Monitor: 12 steps, 3 parts, 0 warnings>"


def test_lines_where_there_is_no_terminal(finished):
    written = io.StringIO()
    lines = Lines(written)
    lines.update(finished)
    lines.update(finished)  # too soon after the last one
    lines.close(finished)  # and there is nothing new
    assert written.getvalue().startswith("monitor: step 12  loss 0.")
    assert written.getvalue().count("\n") == 1


def test_a_live_table_in_one_screen(finished):
    console = pytest.importorskip("rich.console", reason="live tables need the package rich")
    written = io.StringIO()
    live = Live(console.Console(file=written, force_terminal=True, width=90, height=9, color_system=None))
    live.update(finished)
    live.close(finished)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.getvalue())
    assert "hidden0" in text
    assert "and 1 more" in text
    assert written.getvalue().rstrip().endswith("\x1b[?25h")  # the cursor is back


def test_beside_the_progress_bar_of_keras_there_is_a_line_for_each_epoch(capsys):
    model = dense_net()
    model.compile("sgd", "mse")
    monitor = tf.diagnostics.Monitor(display="lines")
    model.fit(*data(), epochs=2, verbose=1, callbacks=[monitor])
    assert capsys.readouterr().err.count("monitor: step") == 2


def test_a_page_in_one_file(finished, tmp_path):
    finished.save(tmp_path / "deep" / "run.html")
    page = (tmp_path / "deep" / "run.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<svg" in page
    assert "hidden1" in page
    outside = [link for link in re.findall(r"https?://[^\s\"'<>]+", page) if not link.startswith("http://www.w3.org/")]
    assert [
        link for link in outside if not re.match(r"https?://(purl.org|creativecommons.org|matplotlib.org)", link)
    ] == []
    assert not re.search(r"<(script|link|img)\b", page)


def test_names_are_escaped_in_the_page(tmp_path):
    w = tf.Variable(1.0, name="<b>w</b>")
    monitor = tf.diagnostics.Monitor({"<i>": w}, display="off")
    train(monitor, [w], lambda: w * w, steps=2)
    page = monitor._repr_html_()
    assert "<b>w</b>" not in page
    assert "<i>" not in page


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_pictures(finished, tmp_path, ending, start):
    finished.save(tmp_path / f"run.{ending}")
    assert (tmp_path / f"run.{ending}").read_bytes().startswith(start)


def test_many_parts_are_a_map(tmp_path):
    variables = [tf.Variable(tf.ones([2]), name=f"v{i}") for i in range(12)]
    monitor = tf.diagnostics.Monitor(variables, display="off", report=tmp_path / "run.png")
    train(monitor, variables, lambda: sum(tf.reduce_sum(v * v) for v in variables), steps=3)
    assert (tmp_path / "run.png").stat().st_size > 1000


def test_scalars_for_tensorboard(tmp_path):
    pytest.importorskip("tensorboardX", reason="event files need the package tensorboardX")
    from gradtape.cli.plot import read_lines

    w = tf.Variable([[1.0]], name="w")
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        train(tf.diagnostics.Monitor([w], display="off"), [w], lambda: tf.reduce_sum(w * w), steps=3)
    found = {line.tag: line.points for line in read_lines(tmp_path)}
    assert sorted(found) == ["dead_units/w", "gradient_norms/global", "gradient_norms/w", "loss", "update_to_weight/w"]
    assert found["gradient_norms/w"][0] == 2.0


# --- who does not use it ----------------------------------------------------------------------------------------------


def test_nothing_is_left_behind():
    w = tf.Variable(1.0)
    monitor = tf.diagnostics.Monitor([w], display="off")
    assert GRADIENT_OBSERVERS
    monitor.close()
    monitor = tf.diagnostics.Monitor([w], display="off")
    del monitor  # never closed
    gc.collect()
    assert GRADIENT_OBSERVERS == []
    assert not ACTIVE


def test_an_error_in_the_loop_ends_the_watch():
    w = tf.Variable(1.0)
    with pytest.raises(KeyError), tf.diagnostics.Monitor([w], display="off"):
        raise KeyError
    assert GRADIENT_OBSERVERS == []


# --- bad arguments ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"watched": 3.0}, TypeError, "takes a model, a module, variables"),
        ({"watched": "model"}, TypeError, "got str"),
        ({"every": 0}, ValueError, "every must be at least 1"),
        ({"display": "screen"}, ValueError, "'live', 'lines', 'off'"),
        ({"report": "run.pdf"}, ValueError, ".html, .png or .svg"),
    ],
)
def test_bad_arguments_are_named(arguments, error, words):
    with pytest.raises(error, match=words):
        tf.diagnostics.Monitor(**arguments)


def test_parts_begin_anew_with_each_step():
    v = tf.Variable([3.0, 4.0])
    part = Part("", "v", [v])
    part.begin()
    part.take([tf.constant([1.0, 0.0])])
    v.assign([0.0, 0.0])
    first = part.end(1.0)
    assert (first.gradient, first.update, first.ratio) == (1.0, 5.0, None)
    part.begin()
    second = part.end(1.0)
    assert (second.gradient, second.update) == (None, 0.0)


def test_a_loop_that_counts_no_steps_is_told_so():
    w = tf.Variable(1.0)
    monitor = tf.diagnostics.Monitor([w], display="off")
    with tf.GradientTape() as tape:
        loss = w * w
    tape.gradient(loss, w)
    with pytest.warns(UserWarning, match=r"Call `monitor\.step\(loss\)`"):
        monitor.close()
