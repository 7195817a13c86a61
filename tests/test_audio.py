"""tf.audio, compared with what TensorFlow wrote and read."""

import numpy as np
import pytest

import gradtape as tf

WAV = (
    b"RIFF,\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00@\x1f\x00\x00\x00}\x00\x00\x04\x00\x10\x00data\x08\x00\x00\x00"
    b"\x00\x00\x00@\xff\x7f\x00\x80"
)


def test_files_are_tensorflows_to_the_byte():
    assert tf.audio.encode_wav([[0.0, 0.5], [1.0, -1.0]], 8000).numpy() == WAV
    assert tf.audio.encode_wav(np.array([[0.0, 0.5], [1.0, -1.0]]), 8000).numpy() == WAV  # of float64
    beyond = tf.audio.encode_wav(tf.constant([[2.0], [-3.0], [0.1]]), 8000).numpy()
    assert np.frombuffer(beyond[44:], "<i2").tolist() == [32767, -32768, 3277]


def test_reading():
    audio, rate = tf.audio.decode_wav(WAV)
    np.testing.assert_array_equal(audio, np.array([[0, 0.5], [0.9999695, -1]], np.float32))
    assert (int(rate), rate.dtype) == (8000, tf.int32)
    assert tf.audio.decode_wav(WAV, desired_channels=1).audio.shape == (2, 1)
    assert tf.audio.decode_wav(WAV, desired_channels=3).audio.numpy()[0].tolist() == [0.0, 0.5, 0.5]
    assert tf.audio.decode_wav(WAV, desired_samples=4).audio.numpy()[2:].tolist() == [[0, 0], [0, 0]]
    assert tf.audio.decode_wav(WAV, desired_samples=1).audio.shape == (1, 2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.audio.decode_wav(b"xx"),
        lambda: tf.audio.decode_wav(WAV[:30]),
        lambda: tf.audio.decode_wav([WAV, WAV]),
        lambda: tf.audio.decode_wav(WAV[:34] + b"\x08" + WAV[35:]),
        lambda: tf.audio.encode_wav([1.0], 8000),
        lambda: tf.audio.encode_wav(tf.zeros([1, 65536]), 8000),
        lambda: tf.audio.encode_wav(tf.zeros([2, 1], tf.float64), 8000),
        lambda: tf.audio.encode_wav(tf.zeros([2, 0]), 8000),
    ],
)
def test_wrong_sound_is_named(call):
    with pytest.raises(tf.errors.InvalidArgumentError, match="code_wav"):
        call()


def test_every_damage_of_a_header_is_named():
    whole = tf.audio.encode_wav(np.zeros((3, 2), np.float32), 8000).numpy()
    for place in range(44):
        for byte in (0, 1, 127, 255):
            try:
                tf.audio.decode_wav(bytes([*whole[:place], byte, *whole[place + 1 :]]))
            except tf.errors.InvalidArgumentError as error:
                assert len(str(error)) > 30  # noqa: PT017 - many of these are whole files
    for size in range(44):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"ends too early: ."):
            tf.audio.decode_wav(whole[:size])
