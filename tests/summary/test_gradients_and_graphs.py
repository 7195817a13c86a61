"""Gradients by variable name; graphs of tapes and of the ops that ran; profiles."""

import math
import pstats

import numpy as np
import pytest

import gradtape as tf
from gradtape.op.entry import OBSERVERS

from .reading import by_tag, events, values

pytest.importorskip("tensorboardX")


@pytest.fixture
def folder(tmp_path):
    """A folder whose writer is the default, at step 1."""
    with tf.summary.create_file_writer(tmp_path, max_queue=0).as_default(step=1):
        yield tmp_path


def test_norms_and_histograms_by_name(folder):
    kernel, bias = tf.Variable([[3.0], [4.0]], name="dense/kernel"), tf.Variable([12.0], name="dense/bias")
    assert tf.summary.gradients([tf.identity(kernel), tf.identity(bias)], [kernel, bias])
    found = by_tag(folder)
    assert found["gradient_norms/dense/kernel"] == 5.0
    assert found["gradient_norms/dense/bias"] == 12.0
    assert found["gradient_norms/global"] == 13.0
    assert sum(count for *_, count in found["gradients/dense/kernel"]) == 2
    assert "gradients/none" not in found


def test_pairs_structures_and_tapes_say_the_same(tmp_path):
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, name="w")
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_sum(v * v) * w
    grads = tape.gradient(loss, {"a": v, "b": w})
    calls = {
        "structures": lambda: tf.summary.gradients(grads, {"a": v, "b": w}),
        "pairs": lambda: tf.summary.gradients(zip(grads.values(), [v, w], strict=True)),
        "tape": lambda: tf.summary.gradients(tape, target=loss),
    }
    found = []
    for name, call in calls.items():
        with tf.summary.create_file_writer(tmp_path / name).as_default(step=0):
            call()
        found.append(by_tag(tmp_path / name))
    assert found[0] == found[1] == found[2]
    assert found[0]["gradient_norms/w"] == 5.0


def test_missing_gradients_are_named_and_equal_names_numbered(folder):
    variables = [tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0, name="unused")]
    tf.summary.gradients([tf.constant(1.0), tf.constant(2.0), None], variables)
    found = by_tag(folder)
    assert found["gradients/none"] == b"No gradient: unused"
    assert (found["gradient_norms/Variable"], found["gradient_norms/Variable_1"]) == (1.0, 2.0)
    assert "gradient_norms/unused" not in found


def test_slices_large_numbers_nan_and_types(folder):
    variables = [tf.Variable(tf.zeros([4, 2]), name=name) for name in ("rows", "large", "nan", "half")]
    rows = tf.IndexedSlices(tf.constant([[3.0, 0.0], [0.0, 4.0]]), tf.constant([1, 1]), tf.constant([4, 2]))
    grads = [rows, tf.fill([2], 1e30), tf.constant([np.nan, 1.0]), tf.constant([3.0, 4.0], tf.bfloat16)]
    tf.summary.gradients(grads, variables, histograms=False)
    found = by_tag(folder)
    assert found["gradient_norms/rows"] == 5.0
    assert found["gradient_norms/large"] == pytest.approx(math.sqrt(2) * 1e30)
    assert math.isnan(found["gradient_norms/nan"])
    assert found["gradient_norms/half"] == 5.0
    assert not any(tag.startswith("gradients/") for tag in found)


def test_wrong_gradients(folder):
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = v * v
    for call, words in [
        (lambda: tf.summary.gradients([v], [v, v]), "1 gradients for 2 variables"),
        (lambda: tf.summary.gradients([v]), "pairs of a gradient and a variable"),
        (lambda: tf.summary.gradients(tape), "needs `target`"),
        (lambda: tf.summary.gradients([v], [v], target=loss), "given already"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    assert events(folder) == []


def graph_written(folder):
    from tensorboardX.proto.graph_pb2 import GraphDef

    (event,) = [event for event in events(folder) if event.graph_def]
    return {node.name: (node.op, list(node.input)) for node in GraphDef.FromString(event.graph_def).node}


def test_the_graph_of_a_tape(folder):
    w, x = tf.Variable([[1.0, 2.0]], name="w"), tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        first, second = tf.split(tf.tanh(w) + tf.transpose(x), 2, axis=1)
        y = first * second
    assert tf.summary.graph(tape)
    assert tape.gradient(y, w) is not None
    graph = graph_written(folder)
    assert graph["w"] == ("VarHandleOp", [])
    assert graph["watched"] == ("Placeholder", [])
    assert graph["tanh"] == ("Tanh", ["w"])
    assert graph["add"][1] == ["tanh", "permute"]
    (product,) = [inputs for op, inputs in graph.values() if op == "Mul"]
    assert len(product) == 2
    assert all(name.split(":")[0] in graph for _, inputs in graph.values() for name in inputs)


def test_graphs_that_are_none(folder):
    with tf.GradientTape() as tape:
        pass
    tape.gradient(tf.constant(1.0), tf.constant(1.0))
    with pytest.raises(ValueError, match="holds no record"):
        tf.summary.graph(tape)
    with pytest.raises(TypeError, match="GraphDef is needed"):
        tf.summary.graph("graph")
    assert events(folder) == []


def test_a_trace_is_the_graph_of_the_ops_that_ran(folder):
    tf.summary.trace_on()
    with tf.name_scope("model"):
        y = tf.tanh(tf.constant([1.0]))
    tf.exp(y)
    tf.summary.trace_export("run", step=3)
    tf.sin(y)  # not followed any more
    assert OBSERVERS == []
    (event,) = events(folder)
    (value,) = event.summary.value
    assert (value.tag, event.step) == ("run", 3)
    assert value.metadata.plugin_data.plugin_name == "graph_run_metadata_graph"
    data = value.tensor.string_val[0]
    assert b"model/tanh" in data
    assert b"exp" in data
    assert b"sin" not in data


def test_the_ops_of_a_function_are_seen_too_and_its_graph_can_be_written(folder):
    w = tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def model(x):
        return tf.tanh(w * x)

    concrete = model.get_concrete_function(tf.TensorSpec([2]))
    tf.summary.trace_on()
    model(tf.constant([1.0, 2.0]))
    tf.summary.trace_export("model", step=0)
    assert not tf.config.functions_run_eagerly()
    assert b"Tanh" in events(folder)[0].summary.value[0].tensor.string_val[0]
    tf.summary.graph(concrete.graph)
    graph = graph_written(folder)
    assert ("VarHandleOp", []) in graph.values()
    assert ("Placeholder", []) in graph.values()
    (tanh,) = [inputs for op, inputs in graph.values() if op == "Tanh"]
    assert graph[tanh[0]][0] == "Mul"


def test_traces_need_a_beginning_a_writer_and_can_be_dropped(tmp_path):
    with pytest.raises(ValueError, match="Must enable trace"):
        tf.summary.trace_export("run", step=0)
    tf.summary.trace_on()
    with pytest.raises(ValueError, match="default summary writer"):
        tf.summary.trace_export("run", step=0)
    tf.summary.trace_off()
    tf.summary.trace_off()
    assert OBSERVERS == []


def test_profiles(tmp_path):
    with tf.profiler.experimental.Profile(tmp_path), tf.profiler.experimental.Trace("step", step_num=1):
        tf.linalg.inv(tf.eye(3))
    (path,) = tmp_path.iterdir()
    assert any(name == "inv" for _, _, name in pstats.Stats(str(path)).stats)
    tf.profiler.experimental.start(tmp_path)
    with pytest.raises(tf.errors.AlreadyExistsError):
        tf.profiler.experimental.start(tmp_path)
    tf.profiler.experimental.stop(save=False)
    with pytest.raises(tf.errors.UnavailableError):
        tf.profiler.experimental.stop()
    assert len(list(tmp_path.iterdir())) == 1


def test_summaries_inside_a_function_are_written_at_each_run(tmp_path):
    inner = tf.summary.create_file_writer(tmp_path / "inner", max_queue=0)
    counter, w = tf.Variable(0, dtype=tf.int64), tf.Variable([3.0, 4.0], name="w")

    @tf.function
    def step(x):
        counter.assign_add(1)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w * x) / 2
        with tf.name_scope("scope"):
            tf.summary.scalar("loss", loss, step=counter)
        tf.summary.gradients(tape.gradient(loss, [w]), [w], step=counter)
        with tf.summary.record_if(False):
            tf.summary.scalar("never", loss, step=counter)
        with inner.as_default(step=9):
            tf.summary.histogram("h", x)
        return loss

    with tf.summary.create_file_writer(tmp_path / "outer", max_queue=0).as_default():
        for number in (1.0, 2.0):
            step(tf.constant(number))
    found = [(tag, n, value) for tag, n, _, value in values(tmp_path / "outer") if not tag.startswith("gradients")]
    assert found == [
        (tag, n, value * n)
        for n in (1, 2)
        for tag, value in (("scope/loss", 12.5), ("gradient_norms/w", 5.0), ("gradient_norms/global", 5.0))
    ]
    assert [(tag, n) for tag, n, *_ in values(tmp_path / "inner")] == [("h", 9), ("h", 9)]


def test_a_profile_without_a_folder_is_left_out_with_a_warning(caplog):
    tf.summary.trace_on(profiler=True)
    tf.summary.trace_off()
    assert "Give it a folder" in caplog.text
