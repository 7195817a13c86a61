"""What is written, compared with what TensorFlow's own tf.summary writes for the same calls."""

import io
import wave

import numpy as np
import pytest

import gradtape as tf

from .reading import by_tag, events, values

pytest.importorskip("tensorboardX")


@pytest.fixture
def folder(tmp_path):
    """A folder whose writer is the default, at step 1."""
    with tf.summary.create_file_writer(tmp_path, max_queue=0).as_default(step=1):
        yield tmp_path


def test_scalars_are_float32_whatever_was_given(folder):
    for name, value in {
        "float": 0.5,
        "int": 3,
        "bool": True,
        "float64": np.float64(2),
        "half": tf.constant(1, tf.half),
    }.items():
        assert tf.summary.scalar(name, value)
    tf.summary.scalar("variable", tf.Variable(4.0))
    assert by_tag(folder) == {"float": 0.5, "int": 3.0, "bool": 1.0, "float64": 2.0, "half": 1.0, "variable": 4.0}
    assert {event.summary.value[0].tensor.dtype for event in events(folder)} == {1}


def test_names_stand_below_the_open_scopes_and_may_be_described(folder):
    with tf.name_scope("s"):
        tf.summary.scalar("b/c d", 1.0, description="desc")
    (event,) = events(folder)
    assert event.summary.value[0].tag == "s/b/c d"
    assert event.summary.value[0].metadata.summary_description == "desc"


def test_wrong_scalars_write_nothing(folder):
    with pytest.raises(ValueError, match=r"Expected scalar shape, saw shape: \(1,\)"):
        tf.summary.scalar("a", [1.0])
    for value in ("text", 1j):
        with pytest.raises(tf.errors.UnimplementedError, match="real numbers"):
            tf.summary.scalar("a", value)
    with pytest.raises(TypeError, match="name of a summary"):
        tf.summary.scalar(3, 1.0)
    assert events(folder) == []


def test_histograms(folder):
    tf.summary.histogram("four", [1, 2, 3, 4.0], buckets=2)
    tf.summary.histogram("same", tf.ones([2, 3]), buckets=3)
    tf.summary.histogram("none", tf.zeros([0]), buckets=2)
    tf.summary.histogram("no buckets", [1.0], buckets=0)
    tf.summary.histogram("nan", [1.0, np.nan, np.inf, 2.0], buckets=2)
    tf.summary.histogram("default", np.arange(100))
    found = by_tag(folder)
    assert found["four"] == [[1.0, 2.5, 2.0], [2.5, 4.0, 2.0]]
    assert found["same"] == [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 6.0]]
    assert found["none"] == [[0.0, 0.0, 0.0]] * 2
    assert found["no buckets"] == []
    assert found["nan"] == [[1.0, 1.5, 1.0], [1.5, 2.0, 1.0]]
    assert np.shape(found["default"]) == (30, 3)
    assert sum(count for *_, count in found["default"]) == 100
    with pytest.raises(ValueError, match="negative"):
        tf.summary.histogram("a", [1.0], buckets=-1)


def test_values_too_close_for_thirty_edges_are_all_counted(folder):
    one = np.float64(1)
    tf.summary.histogram("close", np.array([one, np.nextafter(one, 2)]))
    assert sum(count for *_, count in by_tag(folder)["close"]) == 2


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_images_are_png_files(folder, channels):
    image = pytest.importorskip("PIL.Image")
    pictures = np.random.default_rng(0).random([5, 3, 4, channels]).astype(np.float32)
    tf.summary.image("i", pictures, max_outputs=2)
    width, height, *files = by_tag(folder)["i"]
    assert (width, height, len(files)) == (b"4", b"3", 2)
    for picture, file in zip(pictures, files, strict=False):
        read = np.asarray(image.open(io.BytesIO(file))).reshape(3, 4, channels)
        # what tf.image.convert_image_dtype(picture, tf.uint8) gives
        np.testing.assert_array_equal(read, (picture * 255.5).astype(np.uint8))


@pytest.mark.parametrize(
    ("pixel", "shown"),
    [
        (np.float32(2), 255),
        (np.float32(-1), 0),
        (np.float32(np.nan), 0),
        (np.uint8(7), 7),
        (np.uint16(65535), 255),
        (np.int32(2**31 - 1), 255),
        (np.int32(-5), 0),
        (True, 255),
        (np.int8(127), 255),
        (np.float16(0.5), 127),
    ],
)
def test_brightness(folder, pixel, shown):
    image = pytest.importorskip("PIL.Image")
    tf.summary.image("i", np.full([1, 1, 1, 1], pixel))
    assert np.asarray(image.open(io.BytesIO(by_tag(folder)["i"][2]))) == shown


def test_wrong_images(folder):
    with pytest.raises(ValueError, match="rank 4"):
        tf.summary.image("i", tf.zeros([2, 2, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="1 to 4 channels"):
        tf.summary.image("i", tf.zeros([1, 2, 2, 5]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="max_outputs"):
        tf.summary.image("i", tf.zeros([1, 2, 2, 3]), max_outputs=-1)
    assert events(folder) == []


def test_sound_is_a_wav_file(folder):
    sound = np.array([[[0.0, 0.5], [1.0, -1.0], [2.0, -2.0]]], np.float32)
    tf.summary.audio("s", sound, 8000)
    ((file, label),) = by_tag(folder)["s"]
    assert label == b""
    with wave.open(io.BytesIO(file)) as read:
        assert (read.getnchannels(), read.getframerate(), read.getsampwidth()) == (2, 8000, 2)
        frames = np.frombuffer(read.readframes(3), "<i2").reshape(3, 2)
    np.testing.assert_array_equal(frames, [[0, 16384], [32767, -32768], [32767, -32768]])
    with pytest.raises(ValueError, match="rank 3"):
        tf.summary.audio("s", sound[0], 8000)
    with pytest.raises(ValueError, match="Unknown encoding"):
        tf.summary.audio("s", sound, 8000, encoding="mp3")


def test_text(folder):
    tf.summary.text("one", "hällo")
    tf.summary.text("table", [["a", "b"], ["c", "d"]])
    assert by_tag(folder) == {"one": "hällo".encode(), "table": [[b"a", b"b"], [b"c", b"d"]]}
    with pytest.raises(TypeError, match="string tensor"):
        tf.summary.text("t", 1.0)


def test_plain_tensors(folder):
    assert tf.summary.write("t", [1, 2])
    assert tf.summary.write("made", lambda: tf.constant([1.5], tf.float64))
    assert values(folder) == [("t", 1, "", [1, 2]), ("made", 1, "", [1.5])]
    called = []
    with tf.summary.record_if(False):
        assert not tf.summary.write("t", lambda: called.append(1))
    assert called == []


def test_a_kind_of_summary_of_ones_own(folder):
    scope = tf.summary.experimental.summary_scope
    with tf.name_scope("out"):
        with scope("a/b", "kind") as (tag, inside):
            assert (tag, inside) == ("out/a/b", "out/a/b/")
            tf.summary.write(tag, tf.constant(2.0))
        with scope("", "kind") as (tag, _), scope(None) as (inner, _):
            assert (tag, inner) == ("out/kind", "out/kind/summary")
    assert by_tag(folder) == {"out/a/b": 2.0}


def test_metadata_that_are_no_message_are_named(tmp_path):
    with (
        tf.summary.create_file_writer(str(tmp_path)).as_default(),
        pytest.raises(tf.errors.InvalidArgumentError, match="no SummaryMetadata message"),
    ):
        tf.summary.write("tag", 1.0, step=0, metadata=b"\x0a\xff\xff\xff\x7f\x01")
