"""`tf.compat.v1`: calls with the arguments of TensorFlow 1. `compat_rows.json` has expressions and TensorFlow 2.21's results."""

import inspect
import json
import pathlib

import numpy as np
import pytest

import gradtape as tf
from gradtape.compat.v1.rows import function_of, rows

v1 = tf.compat.v1
CASES = json.loads((pathlib.Path(__file__).parent / "compat_rows.json").read_text(encoding="utf-8"))


def plain(value):
    """A result as JSON has it."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, tf.SparseTensor):
        return [plain(value.indices), plain(value.values), plain(value.dense_shape)]
    if isinstance(value, (tf.Tensor, tf.Variable)):
        value = value.numpy()
    if isinstance(value, bytes):
        return value.decode("latin1")
    if isinstance(value, (np.ndarray, np.generic)):
        return [str(value.dtype), plain(value.tolist())]
    if isinstance(value, tf.RaggedTensor):
        return plain(value.to_list())
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value if value is None or isinstance(value, (int, float, str)) else str(value).replace("tf.", "<dtype: '")


def agree(given, expected):
    if isinstance(expected, float):
        return given == pytest.approx(expected, rel=1e-5, abs=1e-5)
    if isinstance(expected, list):
        return isinstance(given, list) and len(given) == len(expected) and all(map(agree, given, expected))
    if isinstance(expected, dict):
        return given.keys() == expected.keys() and all(agree(given[key], expected[key]) for key in expected)
    return given == expected


@pytest.mark.parametrize("expression", CASES)
def test_a_call_gives_what_tensorflow_gives(expression):
    tf.random.set_seed(7)
    given = eval(expression, {"tf": tf, "v1": v1, "np": np})
    assert agree(plain(given), CASES[expression])


@pytest.mark.quick
@pytest.mark.parametrize("name", rows())
def test_a_row_names_functions_and_arguments_that_are_there(name):
    row = rows()[name]
    target, *passed = row.partition(" | ")[2].split()
    place = tf
    for part in target.split("."):
        place = getattr(place, part)
    known = inspect.signature(place).parameters
    declared = inspect.signature(function_of(name)).parameters
    for text in passed:
        key, _, sources = text.removeprefix("~").partition(":")[0].partition("=")
        assert key in known
        assert ":" in text or set((sources or key).split("/")) <= set(declared)


@pytest.mark.quick
def test_the_modules_of_version_1_import_by_themselves():
    import gradtape.compat.v1.math as own

    from gradtape.compat.v1 import nn

    assert own.log is tf.math.log
    assert nn.dropout is not tf.nn.dropout
    assert {"conv2d", "xw_plus_b", "relu"} <= set(dir(nn))
    assert "dynamic_rnn" not in dir(nn)
    with pytest.raises(AttributeError, match=r"tf\.compat\.v1\.nn\.dynamic_rnn does not exist"):
        nn.dynamic_rnn  # noqa: B018


@pytest.mark.quick
def test_one_of_two_names_of_an_argument_is_given():
    x = tf.ones([1, 2, 2, 1])
    with pytest.raises(ValueError, match="cannot specify both 'filter' and 'filters'"):
        v1.nn.conv2d(x, tf.ones([1, 1, 1, 1]), 1, "SAME", filters=tf.ones([2, 2, 1, 1]))
    x = tf.constant([[1.0, 2.0]])
    for function in (v1.nn.softmax, v1.nn.log_softmax, v1.nn.l2_normalize):
        for axis in (0, 1):
            with pytest.raises(ValueError, match="cannot specify both 'axis' and 'dim'"):
                function(x, axis=axis, dim=1)
        assert np.array_equal(function(x, dim=0), function(x, axis=0))
    with pytest.raises(ValueError, match="Cannot specify both 'dim' and 'axis'"):
        v1.nn.softmax_cross_entropy_with_logits(labels=x, logits=x, dim=0, axis=1)
    parts = [tf.sparse.from_dense([[1]]), tf.sparse.from_dense([[1, 2]])]
    joined = v1.sparse_concat(0, parts, expand_nonconcat_dims=True)  # (the older name has a default)
    assert tf.sparse.to_dense(joined).numpy().tolist() == [[1, 0], [1, 2]]
    with pytest.raises(TypeError, match=r"v1\.substr.*Its arguments are \['input', 'pos'"):
        v1.substr(["a"], size=1)


@pytest.mark.quick
def test_a_template_finds_its_variables_again():
    def scaled(x):
        return x * v1.get_variable("s", [], initializer=v1.ones_initializer())

    template = v1.make_template("scaled", scaled)
    assert float(template(2.0)) == 2.0
    template.variables[0].assign(3.0)
    assert float(template(2.0)) == 6.0
    assert [v.name for v in template.trainable_variables] == ["scaled/s:0"]
    one, other = (v1.get_variable("s", []) for _ in range(2))
    assert one is not other


@pytest.mark.quick
def test_collections_hold_what_the_program_puts_there():
    v1.reset_default_graph()
    v1.add_to_collections(["a", "b"], tf.Variable(1, name="x/v"))
    assert [v.name for v in v1.get_collection("a", scope="x")] == ["x/v:0"]
    assert v1.get_collection("a", scope="y") == []
    v1.reset_default_graph()
    assert v1.get_collection("a") == []


@pytest.mark.quick
def test_a_decay_reads_the_step_when_it_is_called():
    step = tf.Variable(0)
    rate = v1.train.exponential_decay(1.0, step, 10, 0.5)
    weight = tf.Variable(1.0)
    optimizer = v1.train.GradientDescentOptimizer(rate)
    optimizer.apply_gradients([(tf.constant(0.5), weight)])
    step.assign(10)
    optimizer.apply_gradients([(tf.constant(0.5), weight)])
    assert float(weight) == 0.25
    with pytest.raises(ValueError, match="global_step"):
        v1.train.exponential_decay(1.0, None, 10, 0.5)


def test_the_best_sequences_have_no_repeated_classes_unless_they_are_wanted():
    """Observed with TensorFlow."""
    logits = tf.constant([[[9.0, 0, 0]], [[0, 0, 9.0]], [[9.0, 0, 0]], [[0, 9.0, 0]]])
    (merged,), _ = v1.nn.ctc_beam_search_decoder(logits, [4])
    assert (merged.values.numpy().tolist(), merged.dense_shape.numpy().tolist()) == ([0, 1], [1, 2])
    (all_of_them,), _ = v1.nn.ctc_beam_search_decoder(logits, [4], merge_repeated=False)
    assert (all_of_them.values.numpy().tolist(), all_of_them.dense_shape.numpy().tolist()) == ([0, 0, 1], [1, 3])
