"""`tf.train.CheckpointManager`, `latest_checkpoint`, `checkpoints_iterator`."""

import os
import threading

import pytest

import gradtape as tf
from gradtape.train import manager as manager_module


def names(paths):
    return [os.path.basename(path) for path in paths]


def managed(folder, *, keep=2, value=1.0, **options):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(value))
    return tf.train.CheckpointManager(checkpoint, folder, keep, **options)


def test_only_the_newest_are_kept(tmp_path):
    manager = managed(tmp_path)
    assert manager.latest_checkpoint is None
    assert manager.checkpoints == []
    paths = [manager.save() for _ in range(4)]
    assert names(manager.checkpoints) == ["ckpt-3", "ckpt-4"]
    assert manager.latest_checkpoint == paths[-1] == str(tmp_path / "ckpt-4")
    assert manager.directory == str(tmp_path)
    indices = sorted(name for name in os.listdir(tmp_path) if name.endswith(".index"))
    assert indices == ["ckpt-3.index", "ckpt-4.index"]
    assert len(os.listdir(tmp_path)) == 5


def test_none_keeps_all(tmp_path):
    manager = managed(tmp_path, keep=None)
    for _ in range(5):
        manager.save()
    assert len(manager.checkpoints) == 5


def test_numbers_and_names_are_the_users_choice(tmp_path):
    manager = managed(tmp_path, checkpoint_name="model")
    manager.save()
    manager.save(checkpoint_number=tf.Variable(77))
    assert names(manager.checkpoints) == ["model-1", "model-77"]
    manager.save(checkpoint_number=1)
    assert names(manager.checkpoints) == ["model-77", "model-1"]


def test_a_later_run_goes_on(tmp_path):
    first = managed(tmp_path, value=5.0)
    first.save()
    first.save()
    second = managed(tmp_path, value=0.0)
    assert names(second.checkpoints) == ["ckpt-1", "ckpt-2"]
    assert second.restore_or_initialize() == str(tmp_path / "ckpt-2")
    assert second.checkpoint.v.numpy() == 5.0
    assert names([second.save()]) == ["ckpt-3"]
    assert names(second.checkpoints) == ["ckpt-2", "ckpt-3"]


def test_without_a_checkpoint_init_fn_is_called(tmp_path):
    called = []
    assert managed(tmp_path, init_fn=lambda: called.append(1)).restore_or_initialize() is None
    assert called == [1]
    assert managed(tmp_path).restore_or_initialize() is None


def test_some_are_kept_for_good(tmp_path, monkeypatch):
    now = [1e9]
    monkeypatch.setattr(manager_module.time, "time", lambda: now[0])
    manager = managed(tmp_path, keep=1, keep_checkpoint_every_n_hours=2)
    for _ in range(7):
        now[0] += 3600
        manager.save()
    assert names(manager.checkpoints) == ["ckpt-7"]
    indices = sorted(name for name in os.listdir(tmp_path) if name.endswith(".index"))
    assert indices == ["ckpt-2.index", "ckpt-4.index", "ckpt-6.index", "ckpt-7.index"]


def test_an_interval_of_steps_lies_between_two(tmp_path):
    step = tf.Variable(0)
    manager = managed(tmp_path, step_counter=step, checkpoint_interval=3)
    assert manager.checkpoint_interval == 3
    saved = []
    for number in range(8):
        step.assign(number)
        if manager.save():
            saved.append(number)
    assert saved == [0, 3, 6]
    assert manager.save(check_interval=False) is not None


def test_bad_arguments_are_refused(tmp_path):
    with pytest.raises(ValueError, match="positive integer"):
        managed(tmp_path, keep=0)
    with pytest.raises(ValueError, match="step_counter"):
        managed(tmp_path, checkpoint_interval=3)


def test_the_folder_lists_its_checkpoints_as_tensorflow_does(tmp_path):
    manager = managed(tmp_path)
    manager.save()
    manager.save()
    lines = (tmp_path / "checkpoint").read_text().splitlines()
    assert lines[:3] == [
        'model_checkpoint_path: "ckpt-2"',
        'all_model_checkpoint_paths: "ckpt-1"',
        'all_model_checkpoint_paths: "ckpt-2"',
    ]
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == str(tmp_path / "ckpt-2")
    assert names(state.all_model_checkpoint_paths) == ["ckpt-1", "ckpt-2"]
    assert len(state.all_model_checkpoint_timestamps) == 2
    assert tf.train.get_checkpoint_state(tmp_path / "nowhere") is None


def test_the_latest_is_the_newest_whole_one(tmp_path):
    assert tf.train.latest_checkpoint(tmp_path) is None
    assert tf.train.latest_checkpoint(tmp_path / "nowhere") is None
    manager = managed(tmp_path, keep=3)
    paths = [manager.save() for _ in range(3)]
    os.remove(f"{paths[2]}.index")
    assert tf.train.latest_checkpoint(tmp_path) == paths[1]
    (data,) = [name for name in os.listdir(tmp_path) if name.startswith("ckpt-2.") and name.endswith(".safetensors")]
    os.remove(tmp_path / data)
    assert tf.train.latest_checkpoint(tmp_path) == paths[0]
    assert managed(tmp_path).latest_checkpoint == paths[0]


@pytest.mark.parametrize(
    "text", ["nonsense\n", 'model_checkpoint_path: "unclosed\n', "model_checkpoint_path: 5\n", "\xff"]
)
def test_a_damaged_list_is_refused(tmp_path, text):
    (tmp_path / "checkpoint").write_bytes(text.encode("latin-1"))
    with pytest.raises(tf.errors.DataLossError, match="checkpoint"):
        tf.train.latest_checkpoint(tmp_path)


def test_load_checkpoint_takes_a_folder(tmp_path):
    managed(tmp_path, value=3.0).save()
    assert tf.train.load_variable(tmp_path, "v/.ATTRIBUTES/VARIABLE_VALUE") == 3.0
    reader = tf.train.load_checkpoint(tmp_path)
    assert reader.has_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    assert not reader.has_tensor("w")
    assert reader.get_variable_to_dtype_map()["save_counter/.ATTRIBUTES/VARIABLE_VALUE"] == tf.int64
    assert b"v/.ATTRIBUTES" in reader.debug_string()
    assert b"children" in reader.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH")
    with pytest.raises(tf.errors.NotFoundError, match="Key zz not found"):
        reader.get_tensor("zz")
    (tmp_path / "empty").mkdir()
    with pytest.raises(tf.errors.NotFoundError, match="Couldn't find"):
        tf.train.load_checkpoint(tmp_path / "empty")


def test_the_iterator_gives_each_new_checkpoint_and_ends(tmp_path, monkeypatch):
    manager = managed(tmp_path)
    manager.save()
    seen = []
    for path in tf.train.checkpoints_iterator(tmp_path, timeout=0):
        seen.append(os.path.basename(path))
        if len(seen) < 3:
            manager.save()
    assert seen == ["ckpt-1", "ckpt-2", "ckpt-3"]
    answers = [False, True]
    assert list(tf.train.checkpoints_iterator(tmp_path / "no", timeout=0, timeout_fn=lambda: answers.pop(0))) == []
    assert answers == []
    writer = threading.Timer(0.05, manager.save)
    writer.start()
    found = tf.train.checkpoints_iterator(tmp_path, timeout=5)
    monkeypatch.setattr(manager_module.time, "sleep", lambda _: writer.join())
    assert os.path.basename(next(found)) in ("ckpt-3", "ckpt-4")
    writer.join()


class FailsLast(tf.train.experimental.PythonState):
    """A state whose first save waits until another one is done, and fails."""

    def __init__(self):
        self.begun, self.other_done, self.calls = threading.Event(), threading.Event(), 0

    def serialize(self):
        self.calls += 1
        if self.calls > 1:
            return b""
        self.begun.set()
        assert self.other_done.wait(60)
        raise OSError("the disk is full")

    def deserialize(self, string_value):
        pass


@pytest.mark.parametrize("way", ["a checkpoint", "a manager"])
def test_a_save_that_fails_while_another_one_succeeds_frees_no_number(tmp_path, way):
    state = FailsLast()
    checkpoint = tf.train.Checkpoint(state=state, v=tf.Variable(1.0))
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=None)
    save = manager.save if way == "a manager" else lambda: checkpoint.save(str(tmp_path / "ckpt"))
    errors = []

    def fail():
        try:
            save()
        except OSError as error:
            errors.append(error)

    failing = threading.Thread(target=fail)
    failing.start()
    assert state.begun.wait(60)
    saved = [save()]
    state.other_done.set()
    failing.join()
    saved.append(save())
    assert [str(error) for error in errors] == ["the disk is full"]
    assert [os.path.basename(path) for path in saved] == ["ckpt-2", "ckpt-3"]
    assert int(checkpoint.save_counter) == 3


def test_a_save_that_fails_alone_frees_its_number(tmp_path):
    state = FailsLast()
    state.other_done.set()
    checkpoint = tf.train.Checkpoint(state=state)
    with pytest.raises(OSError, match="the disk is full"):
        checkpoint.save(str(tmp_path / "ckpt"))
    assert os.path.basename(checkpoint.save(str(tmp_path / "ckpt"))) == "ckpt-1"


def test_files_of_other_folders_are_not_deleted(tmp_path):
    """Whatever the list of a folder says, which may come from somebody else."""
    other = tmp_path / "other"
    precious = tf.train.Checkpoint(v=tf.Variable(1.0)).write(other / "precious")
    folder = tmp_path / "folder"
    folder.mkdir()
    lines = [f'all_model_checkpoint_paths: "{path}"' for path in (precious, "../other/precious")]
    (folder / "checkpoint").write_text("\n".join([f'model_checkpoint_path: "{precious}"', *lines]) + "\n")
    manager = managed(folder, keep=1)
    assert manager.checkpoints == []
    manager.save()
    manager.save()
    assert names(manager.checkpoints) == ["ckpt-2"]
    assert len(os.listdir(other)) == 2
