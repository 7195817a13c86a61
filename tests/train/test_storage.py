"""The files of a checkpoint: readable by others, and refused by name when they are damaged or hostile."""

import json
import os
import resource
import struct
import subprocess
import sys
import tracemalloc
import zlib

import numpy as np
import pytest
from safetensors.numpy import load_file

import gradtape as tf
from gradtape.train import storage

BROKEN = (tf.errors.DataLossError, tf.errors.NotFoundError)


def variables(seed=0):
    draw = np.random.default_rng(seed)
    return {
        "w": tf.Variable(draw.normal(size=(30, 20)).astype(np.float32)),
        "c": tf.Variable(draw.normal(size=5) + 1j),
        "s": tf.Variable([b"one", b"", b"three"]),
        "n": tf.Variable(seed),
        "rng": np.random.default_rng(seed),
    }


@pytest.fixture
def saved(tmp_path):
    path = tf.train.Checkpoint(**variables(1)).write(tmp_path / "ckpt")
    return path


def files(path):
    folder = os.path.dirname(path)
    (data,) = [name for name in os.listdir(folder) if name.endswith(".safetensors")]
    return f"{path}.index", os.path.join(folder, data)


def rewrite_index(path, change):
    """Change the index, and make its checksum right again."""
    with open(f"{path}.index", "rb") as file:
        head, body = file.read().split(b"\n", 1)
    index = json.loads(body)
    index = change(index) or index
    body = json.dumps(index).encode()
    head = json.loads(head) | {"bytes": len(body), "crc32": zlib.crc32(body)}
    with open(f"{path}.index", "wb") as file:
        file.write(json.dumps(head).encode() + b"\n" + body)


def test_other_programs_can_read_the_arrays(saved):
    _, data = files(saved)
    arrays = load_file(data)
    expected = variables(1)
    np.testing.assert_array_equal(arrays["w/.ATTRIBUTES/VARIABLE_VALUE"], expected["w"])
    pairs = arrays["c/.ATTRIBUTES/VARIABLE_VALUE"]
    np.testing.assert_array_equal(pairs[:, 0] + 1j * pairs[:, 1], expected["c"])
    assert arrays["s/.ATTRIBUTES/VARIABLE_VALUE"].tobytes() == b"onethree"
    assert arrays["s/.ATTRIBUTES/VARIABLE_VALUE/OFFSETS"].tolist() == [0, 3, 3, 8]


def restored_or_refused(path):
    """Restore; True if all values are the saved ones, False if a named error was raised and nothing changed."""
    target = tf.train.Checkpoint(**variables(0))
    try:
        target.read(path).assert_consumed()
    except BROKEN:
        expected, done = variables(0), False
    else:
        expected, done = variables(1), True
    for name in ("w", "c", "s", "n"):
        np.testing.assert_array_equal(np.asarray(getattr(target, name)), np.asarray(expected[name]))
    assert target.rng.bit_generator.state == expected["rng"].bit_generator.state
    return done


@pytest.mark.parametrize("which", [0, 1])
def test_a_truncated_file_is_refused(saved, which):
    path = files(saved)[which]
    with open(path, "rb") as file:
        whole = file.read()
    for length in np.linspace(0, len(whole) - 1, 40).astype(int):
        with open(path, "wb") as file:
            file.write(whole[:length])
        assert not restored_or_refused(saved)
    os.remove(path)
    assert not restored_or_refused(saved)


@pytest.mark.parametrize("which", [0, 1])
def test_a_flipped_bit_is_refused_or_does_not_matter(saved, which):
    path = files(saved)[which]
    with open(path, "rb") as file:
        whole = file.read()
    draw = np.random.default_rng(which)
    for place in draw.integers(0, len(whole), 120):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << draw.integers(0, 8)
        with open(path, "wb") as file:
            file.write(damaged)
        restored_or_refused(saved)  # the values are right, or the error has a name; it checks both


def edit(path, *keys, value):
    def change(index):
        part = index
        for key in keys[:-1]:
            part = part[key]
        part[keys[-1]] = value

    rewrite_index(path, change)


W = "w/.ATTRIBUTES/VARIABLE_VALUE"
HOSTILE = {
    "a file elsewhere": (("data",), "../../etc/passwd"),
    "an absolute file": (("data",), "/etc/passwd"),
    "no file name": (("data",), 5),
    "a file that is not there": (("data",), "nothing.safetensors"),
    "a huge shape": (("tensors", W, "shape"), [30, 2**60]),
    "a negative shape": (("tensors", W, "shape"), [-1, 20]),
    "a shape that is none": (("tensors", W, "shape"), "ab"),
    "another shape": (("tensors", W, "shape"), [30, 21]),
    "another type": (("tensors", W, "dtype"), "float64"),
    "a wider type": (("tensors", W, "dtype"), "complex64"),
    "strings": (("tensors", W, "dtype"), "string"),
    "an unknown type": (("tensors", W, "dtype"), "object_"),
    "no checksum": (("tensors", W, "crc32"), []),
    "a wrong checksum": (("tensors", W, "crc32"), [1]),
    "no tensors": (("tensors",), {}),
    "tensors of a wrong kind": (("tensors",), [1, 2]),
    "no objects": (("objects",), []),
    "objects of a wrong kind": (("objects",), {"a": 1}),
    "a child that is not there": (("objects", 0, "children", "w"), 99),
    "a negative child": (("objects", 0, "children", "w"), -1),
    "a value that is not there": (("objects", 1, "value"), "elsewhere"),
    "a state of an unknown kind": (("objects", 3, "state"), {"pickle": "gASVIAAAAA=="}),
    "a state with two kinds": (("objects", 3, "state"), {"list": [], "tuple": []}),
    "a state with a key that cannot be one": (("objects", 3, "state"), {"dict": [[[], 1]]}),
    "a state with an array that is not there": (("objects", 3, "state"), {"array": "elsewhere"}),
}


@pytest.mark.parametrize("case", HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_index_is_refused(saved, case):
    keys, value = case
    edit(saved, *keys, value=value)
    target = tf.train.Checkpoint(**variables(0))
    before = target.w.numpy()
    with pytest.raises((*BROKEN, ValueError, tf.errors.InvalidArgumentError)) as raised:
        target.read(saved)
    assert isinstance(raised.value, tf.errors.OpError) or "incompatible tensor" in str(raised.value)
    np.testing.assert_array_equal(target.w, before)


PIECES = {
    "one over the other": ([4], {"v": [0], "w": [1]}, "one over the other"),
    "outside": ([4], {"v": [0], "w": [3]}, "no part"),
    "before the beginning": ([4], {"v": [-2], "w": [2]}, "no part"),
    "too few": ([5], {"v": [0], "w": [2]}, "4 elements"),
    "more than memory holds": ([10**13], {"v": [0], "w": [2]}, "4 elements"),
    "of another type": ([4], {"v": [0], "n": [2]}, "no part"),
    "with another number of axes": ([2, 2], {"v": [0], "w": [1]}, "corrupt"),
    "with a place that is none": ([4], {"v": ["a"], "w": [2]}, "corrupt"),
}


@pytest.mark.parametrize(("shape", "places", "message"), PIECES.values(), ids=list(PIECES))
def test_pieces_that_do_not_cover_their_value_are_refused(tmp_path, shape, places, message):
    """Else a part of the value would be memory that nobody has written."""
    state = {"v": tf.Variable([1.0, 2.0]), "w": tf.Variable([3.0, 4.0]), "n": tf.Variable([5, 6])}
    path = tf.train.Checkpoint(**state).write(tmp_path / "ckpt")

    def whole(shape, places):
        pieces = {f"{name}/.ATTRIBUTES/VARIABLE_VALUE": start for name, start in places.items()}
        edit(path, "tensors", "whole", value={"dtype": "float32", "shape": shape, "crc32": [], "pieces": pieces})
        return tf.train.load_variable(path, "whole").tolist()

    assert whole([4], {"v": [2], "w": [0]}) == [3.0, 4.0, 1.0, 2.0]
    with pytest.raises(tf.errors.DataLossError, match=message):
        whole(shape, places)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="without pipes")
@pytest.mark.parametrize("which", [0, 1])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(saved, which):
    path = files(saved)[which]
    os.remove(path)
    os.mkfifo(path)
    with pytest.raises((tf.errors.DataLossError, tf.errors.NotFoundError), match="does not exist"):
        tf.train.load_variable(saved, W)


@pytest.mark.parametrize("size", [5, -1, "5", None, 10**12])
def test_an_index_is_read_as_far_as_it_says(saved, size):
    """A file of nothing but zeros takes no room on a disk, and would take all of memory."""
    head = json.dumps({"format": "gradtape checkpoint", "version": 1, "bytes": size, "crc32": 0}).encode() + b"\n"
    with open(f"{saved}.index", "wb") as file:
        file.write(head)
        file.truncate(2**40 if size == 5 else 1000)
    with pytest.raises(tf.errors.DataLossError, match="index"):
        tf.train.load_variable(saved, W)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"[" * 200_000,
        b'{"format": "gradtape checkpoint", "version": 1, "bytes": 200000, "crc32": %d}\n' % zlib.crc32(b"[" * 200_000)
        + b"[" * 200_000,
        b'{"format": "gradtape checkpoint"}\n{}',
        b'{"format": "gradtape checkpoint", "version": 1, "bytes": 2, "crc32": 2745614147}\n{}',
        b'{"format": "gradtape checkpoint", "version": 99, "bytes": 2, "crc32": 0}\n{}',
        b'{"format": "other"}\n{}',
        b"cos\nsystem\n(S'touch /tmp/owned'\ntR.",
        os.urandom(1000),
    ],
    ids=range(10),
)
def test_an_index_that_is_none_is_refused(saved, text):
    with open(f"{saved}.index", "wb") as file:
        file.write(text)
    with pytest.raises(tf.errors.DataLossError, match="ckpt"):
        tf.train.load_checkpoint(saved)


@pytest.mark.parametrize(
    "header",
    [
        struct.pack("<Q", 2**62) + b"{}",
        struct.pack("<Q", 2) + b"{}",
        struct.pack("<Q", 8) + b'{"a":[]}',
        (lambda t: struct.pack("<Q", len(t)) + t)(
            json.dumps({W: {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}}).encode()
        ),
    ],
    ids=range(4),
)
def test_a_hostile_data_file_allocates_nothing(saved, header):
    with open(files(saved)[1], "wb") as file:
        file.write(header)
    target = tf.train.Checkpoint(w=tf.Variable(tf.zeros([30, 20])))
    tracemalloc.start()
    with pytest.raises(tf.errors.DataLossError):
        target.read(saved)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


def test_strings_with_wrong_offsets_are_refused(saved):
    description = {"dtype": "string", "shape": [2], "crc32": [zlib.crc32(b"abc")]}
    for offsets in ([0, 1, 9], [0, 2, 1], [1, 2, 3], [0, 3]):
        places = np.array(offsets)
        entry = {**description, "crc32": [*description["crc32"], zlib.crc32(places.data)]}
        with pytest.raises(ValueError, match=r"offsets|reshape"):
            storage.decoded("s", entry, [np.frombuffer(b"abc", np.uint8), places])


# --- writing that fails ------------------------------------------------------------------------------------------------


def test_an_error_while_writing_leaves_the_old_checkpoint(tmp_path, monkeypatch):
    checkpoint = tf.train.Checkpoint(**variables(1))
    path = checkpoint.save(tmp_path / "ckpt")
    before = sorted(os.listdir(tmp_path))
    calls = {"count": 0, "fail_at": 0}

    def failing(function):
        def call(*args, **kwargs):
            calls["count"] += 1
            if calls["count"] == calls["fail_at"]:
                raise OSError(28, "No space left on device")
            return function(*args, **kwargs)

        return call

    for name in ("fsync", "replace", "open"):
        monkeypatch.setattr(storage.os, name, failing(getattr(os, name)))
    monkeypatch.setattr(storage, "open", failing(open), raising=False)
    checkpoint.w.assign(tf.zeros([30, 20]))
    failures = 0
    while True:
        calls.update(count=0, fail_at=failures + 1)
        try:
            checkpoint.save(tmp_path / "ckpt")
            break
        except tf.errors.ResourceExhaustedError:
            failures += 1
        assert checkpoint.save_counter.numpy() == 1
        calls["fail_at"] = 0
        assert tf.train.latest_checkpoint(tmp_path) in (path, f"{tmp_path}/ckpt-2")
        assert restored_or_refused_ignoring_counter(path)
        assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]
    assert failures >= 9  # three files: open, fsync, rename of each, and their folders
    assert set(before) <= set(os.listdir(tmp_path)) | {"checkpoint"}
    assert checkpoint.save_counter.numpy() == 2


def restored_or_refused_ignoring_counter(path):
    target = tf.train.Checkpoint(**variables(0))
    target.restore(path).assert_consumed()
    np.testing.assert_array_equal(target.w, variables(1)["w"])
    return True


def limited(limit, folder):
    code = f"""
import resource, sys
import gradtape as tf
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    tf.train.Checkpoint(v=tf.Variable(tf.ones([1000]))).save({os.path.join(folder, "ckpt")!r})
except tf.errors.ResourceExhaustedError as error:
    print("exhausted")
"""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("limit", [10, 3000])
def test_a_limit_on_the_size_of_files_leaves_the_old_checkpoint(tmp_path, limit):
    assert resource.RLIMIT_FSIZE is not None
    path = tf.train.Checkpoint(v=tf.Variable(tf.zeros([1000]))).save(tmp_path / "ckpt")
    before = sorted(os.listdir(tmp_path))
    assert limited(limit, str(tmp_path)) == "exhausted"
    assert sorted(os.listdir(tmp_path)) == before
    v = tf.Variable(tf.ones([1000]))
    tf.train.Checkpoint(v=v).restore(tf.train.latest_checkpoint(tmp_path)).assert_consumed()
    assert tf.train.latest_checkpoint(tmp_path) == path
    np.testing.assert_array_equal(v, np.zeros(1000))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(tf.errors.PermissionDeniedError):
        tf.train.Checkpoint(v=tf.Variable(1.0)).save(tmp_path / "ckpt")


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.OpError, match="cannot write"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).save(tmp_path / "file" / "ckpt")
