"""A function as StableHLO runs without gradtape."""

import importlib.util

import numpy as np
import pytest

import gradtape as tf

jax = pytest.importorskip("jax", reason="the extra `xla` is not installed")
pytest.importorskip("flatbuffers", reason="the extra `xla` is not installed")

X = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)


def test_a_function_with_variables_is_written_for_three_platforms_and_runs_on_the_cpu(tmp_path):
    from jax import export

    weights = tf.Variable(tf.ones([3, 2]) * 0.5)

    @tf.function(input_signature=[tf.TensorSpec([4, 3])])
    def f(x):
        y = x
        for _ in tf.range(50):
            y = tf.tanh(y)
        return {"b": tf.nn.softmax(y @ weights), "a": tf.reduce_sum(tf.cast(x, tf.float64))}

    tf.export.stablehlo(f, tmp_path / "f.bin")
    loaded = export.deserialize((tmp_path / "f.bin").read_bytes())
    assert loaded.platforms == ("cpu", "cuda", "tpu")
    with jax.enable_x64(True):
        found = loaded.call(X)
    for result, expected in zip(found, tf.nest.flatten(f(X)), strict=True):
        np.testing.assert_allclose(np.asarray(result), expected.numpy(), rtol=1e-5)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda x: tf.strings.as_string(x), "as_string: text stays on the host"),
        (lambda x: tf.boolean_mask(x, x > 0), "depends? on (the )?values"),
        (lambda x: COUNT.assign_add(tf.reduce_sum(x)), "assigns the variable"),
    ],
)
def test_what_xla_cannot_run_is_named(tmp_path, function, why):
    made = tf.function(function, input_signature=[tf.TensorSpec([4, 3])])
    with pytest.raises(tf.errors.UnimplementedError, match=why):
        tf.export.stablehlo(made, tmp_path / "f.bin")
    assert not (tmp_path / "f.bin").exists()


COUNT = tf.Variable(0.0)


def test_without_flatbuffers_one_error_says_how_to_install_it(tmp_path, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "flatbuffers" else find(name))
    with pytest.raises(ModuleNotFoundError, match=r"pip install flatbuffers"):
        tf.export.stablehlo(tf.function(lambda: tf.ones([2]), input_signature=[]), tmp_path / "f.bin")


def test_sizes_must_be_known(tmp_path):
    made = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None, 3])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="all sizes must be known"):
        tf.export.stablehlo(made, tmp_path / "f.bin")


@pytest.mark.parametrize(
    ("function", "platforms", "error", "words"),
    [
        (lambda x: x, ("cpu",), TypeError, "a tf.function is needed"),
        (tf.function(lambda x: x), ("cpu",), TypeError, "has no input_signature"),
        (
            tf.function(lambda x: x, input_signature=[tf.TensorSpec([2])]),
            ("cpu", "gpu"),
            ValueError,
            "cpu, cuda, rocm, tpu",
        ),
        (tf.function(lambda x: x, input_signature=[tf.TensorSpec([2])]), (), ValueError, "platforms are some of"),
    ],
)
def test_what_cannot_be_asked_for_is_named(tmp_path, function, platforms, error, words):
    with pytest.raises(error, match=words):
        tf.export.stablehlo(function, tmp_path / "file", platforms)
