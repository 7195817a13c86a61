"""Bad input is named: what was given, what was expected."""

import numpy as np
import pytest

import gradtape as tf

ops = tf.keras.ops


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ops.categorical_crossentropy(np.ones([2, 3]), np.ones([2, 4])), "must have the same shape"),
        (lambda: ops.categorical_crossentropy(1.0, 1.0), "at least rank 1"),
        (lambda: ops.sparse_categorical_crossentropy([1, 2], np.ones([3, 4])), "up until the last dimension"),
        (lambda: ops.sparse_categorical_crossentropy([1], np.ones([1, 4]), axis=0), "Only axis=-1"),
        (lambda: ops.binary_crossentropy(np.ones(2), np.ones([2, 1])), "same rank"),
        (lambda: ops.conv(np.ones([1, 2, 2, 1]), np.ones([3, 3, 1, 1])), "empty output"),
        (lambda: ops.glu(np.ones([2, 3])), "divisible by 2"),
        (lambda: ops.dot_product_attention(*[np.ones([2, 3, 4])] * 3), "4D inputs"),
        (lambda: ops.rot90(np.ones(3)), "at least 2"),
        (lambda: ops.squeeze(np.ones([2, 3]), 0), "squeeze"),
        (lambda: ops.pad(np.ones(3), 1, "reflect", constant_values=1), "constant_values"),
        (lambda: ops.where([True], np.ones(1)), "both"),
        (lambda: ops.quantile(np.ones(3), 0.5, method="best"), "method"),
        (lambda: ops.searchsorted(np.ones([2, 2]), 1.0), "1-D"),
        (lambda: ops.norm(np.ones([2, 2]), ord="nuc", axis=0), "ord"),
        (lambda: ops.qr(np.eye(2), mode="raw"), "mode"),
        (lambda: ops.fft((np.ones(3), np.ones(2))), "same shape"),
        (lambda: ops.stft(np.ones(8, "float32"), 4, 2, 2), "fft_length"),
        (lambda: ops.cdist(np.ones([2, 3]), np.ones([2, 4])), "Last dimension"),
        (lambda: ops.image.resize(np.ones([2, 2, 1]), (4, 4), "best"), "interpolation"),
        (lambda: ops.image.resize(np.ones([2, 2]), (4, 4)), "rank"),
        (lambda: ops.image.rgb_to_hsv(np.ones([2, 2, 3], "uint8")), "float dtype"),
        (lambda: ops.image.affine_transform(np.ones([2, 2, 1]), np.ones(8), fill_mode="best"), "fill_mode"),
    ],
)
def test_a_bad_argument_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_an_exponent_of_ldexp_is_an_integer():
    with pytest.raises(TypeError, match="integer"):
        ops.ldexp(1.0, 2.0)


def test_a_matrix_that_is_not_positive_definite_has_no_cholesky_factor():
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        ops.cholesky(-np.eye(2, dtype="float32"))


def test_logits_that_are_probabilities_are_warned_of():
    with pytest.warns(UserWarning, match="from_logits"):
        ops.sparse_categorical_crossentropy([0], ops.softmax(tf.constant([[1.0, 2.0]])), from_logits=True)
