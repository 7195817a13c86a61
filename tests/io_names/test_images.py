"""Images as bytes, through Pillow."""

import struct
import sys

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("PIL")

PIXELS = np.arange(48, dtype=np.uint8).reshape(4, 4, 3) * 5
# The same pixels encoded by TensorFlow.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000040000000408020000002693092900000014494441540899636460e5e28701161b1b1b2238006ad2045549e8f3af"
    "0000000049454e44ae426082"
)


def test_a_png_of_tensorflow_is_read():
    np.testing.assert_array_equal(tf.io.decode_png(PNG), PIXELS)
    np.testing.assert_array_equal(tf.io.decode_image(PNG), PIXELS)
    assert tf.io.decode_png(PNG, channels=1).shape == (4, 4, 1)
    assert tf.io.decode_png(PNG, channels=4).shape == (4, 4, 4)
    np.testing.assert_array_equal(tf.io.decode_png(PNG, dtype=tf.uint16), PIXELS.astype(np.uint16) * 257)
    np.testing.assert_allclose(tf.io.decode_image(PNG, dtype=tf.float32), PIXELS / np.float32(255))


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_png_loses_nothing(channels):
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, channels), np.uint8)
    np.testing.assert_array_equal(tf.io.decode_png(tf.io.encode_png(pixels)), pixels)


def test_png_of_16_bits_loses_nothing():
    pixels = np.random.default_rng(0).integers(0, 2**16, (5, 7, 1), np.uint16)
    np.testing.assert_array_equal(tf.io.decode_png(tf.io.encode_png(pixels), dtype=tf.uint16), pixels)


@pytest.mark.parametrize("channels", [1, 3])
def test_jpeg_loses_little(channels):
    smooth = (np.add.outer(np.arange(32), np.arange(24)) * 4).astype(np.uint8)[..., None].repeat(channels, 2)
    text = tf.io.encode_jpeg(smooth)
    assert tf.io.is_jpeg(text)
    assert tf.io.extract_jpeg_shape(text).numpy().tolist() == [32, 24, channels]
    found = tf.io.decode_jpeg(text)
    assert found.shape == smooth.shape
    assert np.abs(found.numpy().astype(int) - smooth).max() <= 6
    assert tf.io.decode_jpeg(text, ratio=2).shape == (16, 12, channels)
    part = tf.io.decode_and_crop_jpeg(text, [1, 2, 3, 4])
    np.testing.assert_array_equal(part, found[1:4, 2:6])


def test_a_gif_has_frames():
    from io import BytesIO

    from PIL import Image

    frames = [Image.new("RGB", (4, 3), colour) for colour in ("red", "blue")]
    out = BytesIO()
    frames[0].save(out, format="GIF", save_all=True, append_images=frames[1:])
    found = tf.io.decode_gif(out.getvalue())
    assert found.shape == (2, 3, 4, 3)
    assert found[1, 0, 0].numpy().tolist() == [0, 0, 255]
    assert tf.io.decode_image(out.getvalue()).shape == (2, 3, 4, 3)
    assert tf.io.decode_image(out.getvalue(), expand_animations=False).shape == (3, 4, 3)


def _larger_second_frame(size: int) -> bytes:
    """A GIF with a screen of 2 x 2 white pixels, and a second frame of this size."""

    def frame(side: int) -> bytes:
        codes = [4, 1] * side**2 + [5]  # of 3 bits: clear, white; end
        packed = sum(code << 3 * k for k, code in enumerate(codes)).to_bytes(-(-3 * len(codes) // 8), "little")
        return b"," + struct.pack("<4HB", 0, 0, side, side, 0) + bytes([2, len(packed)]) + packed + b"\0"

    colours = bytes([10, 20, 30, 255, 255, 255])
    return b"GIF89a" + struct.pack("<2H3B", 2, 2, 0x80, 0, 0) + colours + frame(2) + frame(size) + b";"


def test_zeros_stand_around_frames_of_a_gif_before_a_larger_one():
    found = tf.io.decode_gif(_larger_second_frame(3))
    assert found[..., 0].numpy().tolist() == [[[255, 255, 0], [255, 255, 0], [0, 0, 0]], [[255] * 3] * 3]


def test_later_frames_of_a_gif_count_against_the_limit(monkeypatch):
    from PIL import Image

    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 x 3 x 3 pixels are more than the 10"):
        tf.io.decode_gif(_larger_second_frame(3))


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.io.decode_jpeg(b"abc"),
        lambda: tf.io.decode_png(b""),
        lambda: tf.io.decode_image(PNG[:50]),
        lambda: tf.io.decode_gif(PNG),
        lambda: tf.io.decode_png(PNG, channels=2),
        lambda: tf.io.decode_jpeg(PNG, ratio=3),
        lambda: tf.io.decode_png([PNG]),
        lambda: tf.io.encode_png(np.zeros((2, 2), np.uint8)),
        lambda: tf.io.encode_png(np.zeros((2, 2, 3), np.float32)),
        lambda: tf.io.encode_jpeg(np.zeros((2, 2, 4), np.uint8)),
        lambda: tf.io.encode_jpeg(np.zeros((2, 2, 3), np.uint8), quality=101),
        lambda: tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(PIXELS), [2, 2, 3, 3]),
    ],
)
def test_bad_images_have_a_named_error(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


def test_an_image_that_would_fill_memory_is_refused():
    from io import BytesIO

    from PIL import Image

    out = BytesIO()
    Image.new("1", (20_000, 10_000)).save(out, format="PNG")
    with pytest.raises(tf.errors.InvalidArgumentError, match="exceeds limit"):
        tf.io.decode_png(out.getvalue())


def test_without_pillow_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install pillow"):
        tf.io.decode_png(PNG)


def test_pictures_that_a_format_cannot_hold_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="1 x 70000 pixels"):
        tf.io.encode_jpeg(np.zeros((1, 70000, 3), np.uint8))
