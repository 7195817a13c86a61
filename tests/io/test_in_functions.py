"""Files, images, sounds and texts are read and written inside functions, as outside of them."""

import numpy as np
import pytest

import gradtape as tf

PIXELS = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
PNG = tf.io.encode_png(PIXELS).numpy()
JPEG = tf.io.encode_jpeg(PIXELS).numpy()
SOUND = tf.audio.encode_wav([[0.5], [-0.25]], 8000).numpy()
ANY = [None, None, None]

CASES = {
    "decode_png": (tf.io.decode_png, [PNG], ANY),
    "decode_png with channels": (lambda text: tf.io.decode_png(text, channels=1), [PNG], [None, None, 1]),
    "decode_png of 16 bits": (lambda text: tf.io.decode_png(text, dtype=tf.uint16), [PNG], ANY),
    "decode_jpeg": (lambda text: tf.image.decode_jpeg(text, 3), [JPEG], [None, None, 3]),
    "decode_and_crop_jpeg": (lambda text: tf.io.decode_and_crop_jpeg(text, [0, 1, 2, 2], 3), [JPEG], [None, None, 3]),
    "decode_image": (tf.io.decode_image, [PNG], None),
    "decode_image of one frame": (
        lambda text: tf.io.decode_image(text, 3, tf.float32, expand_animations=False),
        [PNG],
        [None, None, 3],
    ),
    "is_jpeg": (tf.io.is_jpeg, [JPEG], []),
    "extract_jpeg_shape": (tf.io.extract_jpeg_shape, [JPEG], [3]),
    "encode_png": (tf.io.encode_png, [PIXELS], []),
    "encode_jpeg": (lambda image: tf.io.encode_jpeg(image, quality=90), [PIXELS], []),
    "serialize_tensor": (tf.io.serialize_tensor, [np.float32([1, 2])], []),
    "parse_tensor": (
        lambda text: tf.io.parse_tensor(text, tf.float32),
        [tf.io.serialize_tensor([1.0, 2.0]).numpy()],
        None,
    ),
    "encode_wav": (lambda sound: tf.audio.encode_wav(sound, 8000), [np.float32([[0.5], [0.25]])], []),
    "decode_wav": (lambda text: tf.audio.decode_wav(text, 1).audio, [SOUND], [None, 1]),
    "decode_csv": (lambda lines: tf.io.decode_csv(lines, [[0], [0.5]])[1], [["1,2.5", "3,"]], [2]),
}


@pytest.mark.parametrize("case", CASES)
def test_inside_a_function_the_result_is_that_outside(case):
    function, args, sizes = CASES[case]
    seen = []

    @tf.function
    def traced(*args):
        result = function(*args)
        seen.append(result.shape)
        return result

    given = [tf.constant(arg) for arg in args]
    np.testing.assert_array_equal(traced(*given).numpy(), function(*given).numpy())
    assert seen[0].rank is None if sizes is None else seen[0].as_list() == sizes


def test_files_are_found_when_the_function_runs(tmp_path):
    @tf.function
    def found(pattern):
        return tf.io.matching_files(pattern)

    pattern = tf.constant(str(tmp_path / "*.txt"))
    assert found(pattern).shape == [0]
    (tmp_path / "a.txt").touch()
    assert found(pattern).numpy().tolist() == [str(tmp_path / "a.txt").encode()]


def test_damaged_bytes_are_named_when_the_function_runs():
    decode = tf.function(lambda text: tf.io.decode_png(text))
    with pytest.raises(tf.errors.InvalidArgumentError, match="no"):
        decode(tf.constant(b"none"))


def test_a_saved_model_decodes_images(tmp_path):
    class Served(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def __call__(self, texts):
            def one(text):
                image = tf.image.convert_image_dtype(tf.io.decode_png(text, channels=3), tf.float32)
                return tf.reduce_mean(tf.image.resize(image, [4, 4]), axis=[0, 1])

            return tf.map_fn(one, texts, fn_output_signature=tf.float32)

    served = Served()
    texts = tf.constant([PNG, tf.io.encode_png(255 - PIXELS).numpy()])
    expected = served(texts)
    tf.saved_model.save(served, str(tmp_path / "served"))
    loaded = tf.saved_model.load(str(tmp_path / "served"))
    np.testing.assert_array_equal(loaded(texts), expected)
