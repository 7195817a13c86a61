"""Writers, the default one of each thread, steps, conditions; faults of files. What TensorFlow does was looked at there."""

import os
import struct
import subprocess
import sys
import threading

import pytest

import gradtape as tf
from gradtape.base.context import STATE
from gradtape.io import records
from gradtape.summary import event_file

from .reading import events, values

pytest.importorskip("tensorboardX")


def test_nothing_is_recorded_without_a_default_writer(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    assert not tf.summary.should_record_summaries()
    assert not tf.summary.scalar("a", 1.0)  # not even a step is asked for
    with writer.as_default():
        assert tf.summary.should_record_summaries()
        assert tf.summary.scalar("a", 1.0, step=1)
    assert not tf.summary.scalar("a", 1.0, step=2)
    assert values(tmp_path) == [("a", 1, "scalars", 1.0)]


def test_a_file_begins_with_its_version_and_has_tensorflows_name(tmp_path):
    tf.summary.create_file_writer(str(tmp_path / "new" / "run"))
    (path,) = event_file.event_files(tmp_path)
    assert path.name.startswith("events.out.tfevents.")
    assert path.name.endswith(".v2")
    (first,) = event_file.read_events(path)
    assert first.file_version == "brain.Event:2"


def test_two_writers_of_one_folder_have_files_of_their_own(tmp_path):
    for value in (1.0, 2.0):
        with tf.summary.create_file_writer(tmp_path, filename_suffix=".mine").as_default(step=0):
            tf.summary.scalar("a", value)
    assert sorted(value for *_, value in values(tmp_path)) == [1.0, 2.0]
    assert all(path.name.endswith(".mine") for path in event_file.event_files(tmp_path))


def test_a_step_is_needed(tmp_path):
    with tf.summary.create_file_writer(tmp_path).as_default():
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.scalar("a", 1.0)
        for wrong in ("x", 1.5, True, tf.constant(1.0), [1]):
            with pytest.raises(TypeError, match="must be an integer"):
                tf.summary.scalar("a", 1.0, step=wrong)
    assert events(tmp_path) == []


def test_steps_come_from_the_call_the_context_or_a_variable(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    counter = tf.Variable(0, dtype=tf.int64)
    with writer.as_default(step=7):
        assert tf.summary.experimental.get_step() == 7
        tf.summary.scalar("context", 0)
        tf.summary.scalar("call", 0, step=tf.constant(3))
        tf.summary.experimental.set_step(counter)
        counter.assign(9)
        tf.summary.scalar("variable", 0)
    assert tf.summary.experimental.get_step() is None
    assert [(tag, step) for tag, step, *_ in values(tmp_path)] == [("context", 7), ("call", 3), ("variable", 9)]
    with pytest.raises(TypeError, match="must be an integer"):
        writer.as_default(step="x")
    tf.summary.experimental.set_step(4)
    with writer.as_default():
        tf.summary.scalar("set", 0)
    assert tf.summary.experimental.get_step() == 4
    tf.summary.experimental.set_step(None)
    assert values(tmp_path)[-1][:2] == ("set", 4)


def test_contexts_nest_and_leave_on_exceptions(tmp_path):
    outer, inner = (tf.summary.create_file_writer(tmp_path / name) for name in ("outer", "inner"))
    with outer.as_default(step=1):
        with pytest.raises(KeyError), inner.as_default(step=2):
            tf.summary.scalar("a", 0)
            raise KeyError
        tf.summary.scalar("b", 0)
    assert [(tag, step) for tag, step, *_ in values(tmp_path / "outer")] == [("b", 1)]
    inner.flush()
    assert [(tag, step) for tag, step, *_ in values(tmp_path / "inner")] == [("a", 2)]


def test_conditions(tmp_path):
    counter = tf.Variable(0, dtype=tf.int64)
    with tf.summary.create_file_writer(tmp_path).as_default():
        with tf.summary.record_if(lambda: counter % 2 == 0):
            for step in range(4):
                counter.assign(step)
                assert bool(tf.summary.scalar("even", 0, step=counter)) == (step % 2 == 0)
            with tf.summary.record_if(False):
                assert not tf.summary.should_record_summaries()
        with tf.summary.record_if(tf.constant(True)):
            assert tf.summary.should_record_summaries()
    assert [step for _, step, *_ in values(tmp_path)] == [0, 2]


def test_a_closed_writer_refuses(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    writer.set_as_default(step=1)
    try:
        tf.summary.scalar("a", 1.0)
        writer.init()
        writer.close()
        writer.close()
        writer.flush()
        with pytest.raises(RuntimeError, match="already closed"):
            tf.summary.scalar("a", 1.0)
    finally:
        STATE.summary_writer = None
        tf.summary.experimental.set_step(None)
    for use in (writer.as_default, writer.set_as_default):
        with pytest.raises(RuntimeError, match="already closed"):
            use()
    assert len(values(tmp_path)) == 1


def test_the_noop_writer_takes_everything_and_keeps_nothing():
    writer = tf.summary.create_noop_writer()
    with writer.as_default():
        assert not tf.summary.scalar("a", 1.0)
        assert not tf.summary.should_record_summaries()
    tf.summary.flush(writer)
    tf.summary.flush()
    writer.close()


def test_flush_writes_and_so_do_many_summaries(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path, max_queue=100)
    with writer.as_default():
        tf.summary.scalar("a", 0, step=0)
        assert values(tmp_path) == []
        tf.summary.flush()
        assert len(values(tmp_path)) == 1
        for step in range(101):
            tf.summary.scalar("b", 0, step=step)
        assert len(values(tmp_path)) == 102


def test_time_flushes_too(tmp_path):
    with tf.summary.create_file_writer(tmp_path, max_queue=100, flush_millis=0).as_default():
        tf.summary.scalar("a", 0, step=0)
        assert len(values(tmp_path)) == 1


def test_threads_have_defaults_of_their_own_and_share_a_file(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    seen = []

    def work(number):
        seen.append(bool(tf.summary.should_record_summaries()))
        with writer.as_default():
            for step in range(200):
                tf.summary.scalar(f"thread{number}", number, step=step)

    with writer.as_default():
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    writer.close()
    assert seen == [False] * 4
    found = values(tmp_path)  # (every record passes its checksum, or this raises)
    assert len(found) == 800
    assert all([step for tag, step, *_ in found if tag == f"thread{number}"] == list(range(200)) for number in range(4))


def test_a_program_that_closes_nothing_loses_nothing(tmp_path):
    program = (
        "import sys, gradtape as tf\n"
        "tf.summary.create_file_writer(sys.argv[1]).set_as_default(step=1)\n"
        "tf.summary.scalar('a', 1.0)\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program, str(tmp_path)], check=True)
    assert values(tmp_path) == [("a", 1, "scalars", 1.0)]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the device that is always full")
def test_a_full_disk_is_an_error_of_the_call_that_met_it(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "opened", lambda *_: open("/dev/full", "wb"))  # noqa: SIM115
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left"):
        tf.summary.create_file_writer(tmp_path)


def test_folders_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.OpError, match=r"Cannot make the folder .*file"):
        tf.summary.create_file_writer(tmp_path / "file" / "run")
    with pytest.raises(ValueError, match="cannot be None"):
        tf.summary.create_file_writer(None)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX.proto.event_pb2", None)
    event_file.messages.cache_clear()
    with pytest.raises(ModuleNotFoundError, match=r"pip install tensorboardX"):
        tf.summary.create_file_writer(tmp_path)
    assert list(tmp_path.iterdir()) == []


def written(folder):
    with tf.summary.create_file_writer(folder).as_default():
        for step in range(3):
            tf.summary.scalar("a", 1.0, step=step)
    (path,) = event_file.event_files(folder)
    return path


def test_half_a_record_at_the_end_is_left_out(tmp_path):
    path = written(tmp_path)
    data = path.read_bytes()
    for cut in range(1, 40):
        path.write_bytes(data[:-cut])
        assert len(list(event_file.read_events(path))) == 3


def test_damaged_files_are_named(tmp_path):
    path = written(tmp_path)
    data = path.read_bytes()
    for place in (3, 8, 30, len(data) - 2):
        path.write_bytes(data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :])
        with pytest.raises(tf.errors.DataLossError, match="corrupted record"):
            list(event_file.read_events(path))
    path.write_bytes(struct.pack("<Q", 2**62) + b"1234")
    with pytest.raises(tf.errors.DataLossError):
        list(event_file.read_events(path))
