"""tf.raw_ops.ImageProjectiveTransformV3: values seen in TensorFlow; derivatives, which TensorFlow only approximates."""

import numpy as np
import pytest

import gradtape as tf

TRANSFORMS = [[1, 0.1, -0.5, -0.2, 1.1, 0.3, 0, 0], [0.9, 0.2, 1.0, 0.1, 0.8, -1.0, 0.01, 0.02]]
MODES = ["CONSTANT", "REFLECT", "WRAP", "NEAREST"]


def images():
    return np.random.default_rng(0).random((2, 5, 6, 2)).astype(np.float32)


def transformed(pictures, interpolation="BILINEAR", mode="CONSTANT", transforms=TRANSFORMS, shape=(4, 7)):
    return tf.raw_ops.ImageProjectiveTransformV3(
        images=pictures,
        transforms=transforms,
        output_shape=shape,
        fill_value=0.5,
        interpolation=interpolation,
        fill_mode=mode,
    )


@pytest.mark.parametrize(
    ("interpolation", "mode", "total", "first"),
    [
        ("BILINEAR", "CONSTANT", 35.13838, [0.511865, 0.593166, 0.858789, 0.374661, 0.671789, 0.677042, 0.5]),
        ("NEAREST", "CONSTANT", 37.26191, [0.620213, 0.620213, 0.948944, 0.014706, 0.981195, 0.981195, 0.5]),
        ("BILINEAR", "REFLECT", 37.34674, [0.511865, 0.593166, 0.858789, 0.374661, 0.671789, 0.850922, 0.706754]),
        ("NEAREST", "REFLECT", 38.63910, [0.620213, 0.620213, 0.948944, 0.014706, 0.981195, 0.981195, 0.981195]),
        ("BILINEAR", "WRAP", 33.96285, [0.511865, 0.593166, 0.858789, 0.374661, 0.671789, 0.422071, 0.481594]),
        ("NEAREST", "WRAP", 34.25091, [0.620213, 0.620213, 0.948944, 0.014706, 0.981195, 0.414656, 0.414656]),
        ("BILINEAR", "NEAREST", 37.69965, [0.511865, 0.593166, 0.858789, 0.374661, 0.671789, 0.850922, 0.884363]),
        ("NEAREST", "NEAREST", 38.63910, [0.620213, 0.620213, 0.948944, 0.014706, 0.981195, 0.981195, 0.981195]),
    ],
)
def test_values(interpolation, mode, total, first):
    result = transformed(images(), interpolation, mode).numpy()
    assert result.shape == (2, 4, 7, 2)
    weights = np.arange(112, dtype=np.float64).reshape(2, 4, 7, 2) / 100
    np.testing.assert_allclose((result * weights).sum(), total, rtol=1e-5)
    np.testing.assert_allclose(result[1, 3, :, 0], first, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("interpolation", ["BILINEAR", "NEAREST"])
def test_the_gradient_is_the_transpose(interpolation, mode):
    pictures, step = tf.Variable(images()), np.random.default_rng(1).random((2, 5, 6, 2)).astype(np.float32)
    weights = np.random.default_rng(2).random((2, 4, 7, 2)).astype(np.float32)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(transformed(pictures, interpolation, mode) * weights)
    gradient = tf.convert_to_tensor(tape.gradient(loss, pictures)).numpy()
    change = (transformed(images() + step, interpolation, mode) - transformed(images(), interpolation, mode)).numpy()
    np.testing.assert_allclose((gradient * step).sum(), (change * weights).sum(), rtol=1e-4)


def test_the_identity_one_transform_for_all_and_integers():
    identity = [[1.0, 0, 0, 0, 1, 0, 0, 0]]
    np.testing.assert_allclose(transformed(images(), transforms=identity, shape=(5, 6)), images(), rtol=1e-6)
    numbers = np.arange(12, dtype=np.uint8).reshape(1, 3, 4, 1)
    moved = transformed(numbers, "NEAREST", transforms=[[1.0, 0, 1, 0, 1, 0, 0, 0]], shape=(3, 4)).numpy()
    assert moved[0, 0, :, 0].tolist() == [1, 2, 3, 0]
    shifted = tf.raw_ops.ImageProjectiveTransformV2(
        images=images(), transforms=[[1.0, 0, 99, 0, 1, 0, 0, 0]], output_shape=[2, 2], interpolation="NEAREST"
    )
    assert not shifted.numpy().any()


def test_wrong_arguments():
    for arguments in (
        {"transforms": [[1.0, 2.0]]},
        {"transforms": TRANSFORMS * 2},
        {"interpolation": "CUBIC"},
        {"mode": "MIRROR"},
        {"shape": (4,)},
        {"pictures": images()[0]},
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            transformed(**{"pictures": images(), **arguments})


def test_elementwise_kernels_have_their_names():
    assert float(tf.raw_ops.AddV2(x=1.0, y=2.0)) == 3
    assert float(tf.raw_ops.Relu(features=-1.0)) == 0
    with pytest.raises(AttributeError):
        tf.raw_ops.NoSuchKernel  # noqa: B018
