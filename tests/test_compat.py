"""tf.compat: v2 is the package, v1 has a few names and says that the others are not there."""

import importlib
import pathlib

import pytest

import gradtape as tf


def test_v2_is_the_package():
    assert tf.compat.v2 is tf
    assert importlib.import_module("gradtape.compat.v2") is tf


def test_v1_names_what_to_use():
    with pytest.raises(AttributeError, match=r"tf\.compat\.v1\.Session.*GradientTape"):
        tf.compat.v1.Session  # noqa: B018
    assert not hasattr(tf.compat.v1, "placeholder")
    assert importlib.import_module("gradtape.compat.v1") is tf.compat.v1


def test_text_and_bytes():
    assert (tf.compat.as_bytes("a"), tf.compat.as_bytes(b"a"), tf.compat.as_text(b"a")) == (b"a", b"a", "a")
    assert (tf.compat.as_str("a"), tf.compat.as_str_any(1), tf.compat.as_str_any(b"x")) == ("a", "1", "x")
    assert tf.compat.path_to_str(pathlib.PurePosixPath("a/b")) == "a/b"
    assert tf.compat.dimension_value(3) == 3
    for convert in (tf.compat.as_bytes, tf.compat.as_text):
        with pytest.raises(TypeError):
            convert(1)


def test_v1_advises_a_name_only_where_it_exists():
    with pytest.raises(AttributeError, match=r"Use tf\.reduce_sum\."):
        tf.compat.v1.reduce_sum  # noqa: B018
    with pytest.raises(AttributeError) as caught:
        tf.compat.v1.Session  # noqa: B018
    assert "tf.Session" not in str(caught.value)


def test_what_programs_for_tensorflow_2_take_from_v1(tmp_path):
    v1 = importlib.import_module("gradtape.compat.v1")
    for name in ("enable_eager_execution", "enable_v2_behavior", "enable_resource_variables"):
        assert getattr(v1, name)() is None
    assert (v1.executing_eagerly_outside_functions(), v1.executing_eagerly()) == (True, True)
    v1.set_random_seed(3)
    drawn = tf.random.normal([2]).numpy().tolist()
    tf.random.set_seed(3)
    assert tf.random.normal([2]).numpy().tolist() == drawn


def test_logging_of_v1(caplog):
    logging, before = tf.compat.v1.logging, tf.get_logger().level
    try:
        logging.set_verbosity(logging.INFO)
        logging.info("%d steps", 3)
        logging.debug("not shown")
        logging.set_verbosity("ERROR")
        logging.warning("not shown")
        logging.error("bad")
        assert logging.get_verbosity() == 40
    finally:
        tf.get_logger().setLevel(before)
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("INFO", "3 steps"),
        ("ERROR", "bad"),
    ]


def test_event_files_are_read_with_v1(tmp_path):
    pytest.importorskip("tensorboardX")
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.scalar("loss", 0.5, step=3)
    (file,) = tmp_path.iterdir()
    events = list(tf.compat.v1.train.summary_iterator(str(file)))
    assert [(event.step, value.tag) for event in events for value in event.summary.value] == [(3, "loss")]
    assert isinstance(events[-1].summary.value[0].metadata, tf.compat.v1.SummaryMetadata)
