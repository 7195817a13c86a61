"""`tf.raw_ops`: kernels under TensorFlow's names. `raw_ops_samples.json` has arguments and TensorFlow 2.21's results for them."""

import json
import pathlib

import numpy as np
import pytest

import gradtape as tf
from gradtape.raw_ops.functions import rows

SAMPLES = json.loads((pathlib.Path(__file__).parent / "raw_ops_samples.json").read_text(encoding="utf-8"))
TYPES = {"float32", "float64", "int32", "int64", "uint8", "bool", "string", "complex64"}


def decoded(value):
    """An argument or a result as it was."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [decoded(part) for part in value]
    if not isinstance(value, dict):
        return tf.as_dtype(value) if isinstance(value, str) and value in TYPES else value
    if "text" in value:
        return np.array(value["text"], object)
    if "complex" in value:
        real, imaginary = (np.array(part, "float64") for part in value["complex"])
        return (real + 1j * imaginary).astype(value["type"])
    return np.array(value["array"], value["type"]).reshape(value["shape"])


def agree(result, expected):
    if isinstance(expected, list):
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            agree(one, other)
    elif expected is None or isinstance(expected, (int, float)):
        assert result == expected
    elif expected.dtype == object:
        assert np.char.decode(np.asarray(result).astype("S"), "latin1").tolist() == expected.astype("U").tolist()
    else:
        assert np.asarray(result).dtype == expected.dtype
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_kernel_gives_what_tensorflow_gives(name):
    arguments, expected = SAMPLES[name]
    agree(getattr(tf.raw_ops, name)(**{key: decoded(value) for key, value in arguments.items()}), decoded(expected))


def test_every_row_has_a_sample_and_a_name():
    assert set(rows()) - set(SAMPLES) <= {"EncodeJpeg"}
    assert set(rows()) <= set(dir(tf.raw_ops))


def test_arguments_are_given_by_name():
    with pytest.raises(TypeError, match=r"AddN only takes keyword args \(possible keys: \['inputs', 'name'\]\)"):
        tf.raw_ops.AddN([1, 2])
    with pytest.raises(
        TypeError, match=r"missing a required.*'axis'.*Its arguments are \['input', 'axis', 'keep_dims'\]"
    ):
        tf.raw_ops.Sum(input=[1.0])
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        tf.raw_ops.AddN(inputs=[1], z=1)


def test_a_kernel_that_is_not_there_is_said_so():
    with pytest.raises(AttributeError, match=r"has no attribute 'CropAndResize'.*Use tf\.image\.crop_and_resize"):
        tf.raw_ops.CropAndResize  # noqa: B018
    with pytest.raises(AttributeError, match="this kernel is not there"):
        tf.raw_ops.Nothing  # noqa: B018


def test_kernels_are_differentiated_and_traced():
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        total = tf.function(lambda: tf.raw_ops.Sum(input=tf.raw_ops.MatMul(a=x, b=x), axis=[0, 1]))()
    assert tape.gradient(total, x).numpy().tolist() == [[7.0, 11.0], [9.0, 13.0]]


def test_a_gradient_may_be_prevented():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.raw_ops.PreventGradient(input=x * 2.0, message="why")
    assert y.numpy() == 2.0
    with pytest.raises(LookupError, match=r"Gradient explicitly disabled\. Reason: 'why'"):
        tape.gradient(y, x)
