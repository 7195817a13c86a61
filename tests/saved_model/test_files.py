"""The files of a saved model: replaced in one step, and refused by name when they are wrong. Nothing in them is run."""

from __future__ import annotations

import contextlib
import json
import os
import random
import zlib
from typing import Any

import pytest

import gradtape as tf
from gradtape.train import storage


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0, 2.0]])
        self.plain = {"a": (1, [2.5, "x"])}

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def __call__(self, x):
        if tf.reduce_sum(x) > 0.0:
            x = x[:, ::-1]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.nn.softmax(x * self.w) ** 2)
        return {"y": y, "g": tape.gradient(y, x)}


@pytest.fixture
def folder(tmp_path):
    tf.saved_model.save(Model(), tmp_path)
    return tmp_path


def content(folder) -> dict[str, Any]:
    return json.loads((folder / "saved_model.index").read_bytes().split(b"\n", 1)[1])


def replace(folder, changed: Any, **head: Any) -> None:
    """Write another index, with checksums that fit."""
    body = changed if isinstance(changed, bytes) else json.dumps(changed).encode()
    first = {"format": "gradtape saved model", "version": 1, "bytes": len(body), "crc32": zlib.crc32(body), **head}
    (folder / "saved_model.index").write_bytes(json.dumps(first).encode() + b"\n" + body)


def test_the_folder_holds_json_and_safetensors(folder):
    assert sorted(name.rpartition(".")[2] for name in os.listdir(folder)) == ["index", "safetensors"]
    head, body = (json.loads(line) for line in (folder / "saved_model.index").read_bytes().split(b"\n", 1))
    assert head["format"] == "gradtape saved model"
    assert head["version"] == 1
    assert body["gradtape"] == tf.__version__
    assert str(folder) not in json.dumps(body)
    assert os.path.dirname(__file__) not in json.dumps(body)


def test_saving_again_replaces_the_model(folder):
    model = Model()
    model.w.assign([[5.0, 6.0]])
    (folder / "notes.txt").write_text("mine")
    tf.saved_model.save(model, folder)
    assert tf.saved_model.load(folder).w.numpy().tolist() == [[5.0, 6.0]]
    assert len(os.listdir(folder)) == 3


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_a_failure_while_saving_leaves_the_model_that_was_there(folder, monkeypatch, call):
    calls = []

    def failing(*args: Any) -> None:
        calls.append(args)
        if len(calls) >= 2:
            raise OSError(28, "No space left on device")
        return real(*args)

    real = getattr(os, call)
    monkeypatch.setattr(storage.os, call, failing)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="saved model: cannot write"):
        tf.saved_model.save(Model(), folder)
    monkeypatch.undo()
    assert tf.saved_model.load(folder).w.numpy().tolist() == [[1.0, 2.0]]


def test_a_file_stands_where_the_folder_should(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(tf.errors.OpError, match="saved model: cannot write"):
        tf.saved_model.save(Model(), tmp_path / "taken")


# --- wrong files -----------------------------------------------------------------------------------------------------------


def test_a_later_version(folder):
    replace(folder, content(folder), version=2)
    with pytest.raises(tf.errors.DataLossError, match="version 2, and this gradtape reads up to 1"):
        tf.saved_model.load(folder)


def test_an_unknown_op(folder):
    changed = content(folder)
    changed["traces"][0]["graph"]["steps"][0]["call"] = ["op", "teleport"]
    replace(folder, changed)
    with pytest.raises(tf.errors.NotFoundError, match="op 'teleport'"):
        tf.saved_model.load(folder)


def test_a_checkpoint_is_no_saved_model(tmp_path):
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "saved_model"))
    with pytest.raises(tf.errors.DataLossError, match="not a saved model"):
        tf.saved_model.load(tmp_path)


def test_every_truncation(folder):
    for name in os.listdir(folder):
        path = folder / name
        whole = path.read_bytes()
        for size in {0, 1, 7, 8, 50, len(whole) // 2, len(whole) - 1}:
            path.write_bytes(whole[:size])
            with pytest.raises(tf.errors.DataLossError, match="saved model"):
                tf.saved_model.load(folder)
        path.write_bytes(whole)
    tf.saved_model.load(folder)


def test_missing_arrays(folder):
    os.remove(next(folder.glob("*.safetensors")))
    with pytest.raises(tf.errors.DataLossError, match="incomplete"):
        tf.saved_model.load(folder)


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bytes(folder, seed):
    draw = random.Random(seed)
    for name in os.listdir(folder):
        whole = (folder / name).read_bytes()
        for _ in range(25):
            damaged = bytearray(whole)
            damaged[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
            (folder / name).write_bytes(damaged)
            try:
                loaded = tf.saved_model.load(folder)
            except tf.errors.OpError:
                continue
            assert loaded.w.numpy().tolist() == [[1.0, 2.0]]  # (spaces and metadata carry no meaning)
        (folder / name).write_bytes(whole)


HOSTILE = [
    *(
        None,
        True,
        -1,
        10**30,
        1.5,
        "",
        "os.system",
        [],
        {},
        [[]],
        {"a": 1},
        {"ref": 999},
        {"ref": "0"},
        {"object": 10**9},
    ),
    *({"traced": -1}, {"variable": 5}, {"tensor": "nothing"}, {"array": []}, {"function": ["function", "os.system"]}),
    *({"graph": {}}, {"tuple": 3}, {"dict": [[[], 1]]}, {"namedtuple": ["x = 1", ["a b"], [1]]}, {"shape": [-5]}),
    *(
        {"spec": [[2], "no type", None]},
        {"type": "object"},
        {"stream": "stdin"},
        {"range": [0, "x", 1]},
        {"slice": [1]},
    ),
    *({"generator": [0, 7]}, {"dtype": 3}, {"float": "__import__('os')"}, ["trace", 99], ["method", "__reduce__"]),
]


@pytest.mark.parametrize("seed", range(6))
def test_hostile_indexes_are_refused_by_name(folder, seed):
    """Something else at any place of the index: an error of ours, or a model whose functions were never run."""
    draw = random.Random(seed)
    original = content(folder)
    for _ in range(80):
        changed = json.loads(json.dumps(original))
        mutate(changed, draw)
        replace(folder, changed)
        with contextlib.suppress(tf.errors.DataLossError, tf.errors.NotFoundError):
            tf.saved_model.load(folder)


def mutate(tree: Any, draw: random.Random) -> None:
    """Put something hostile at a random place."""
    places = []

    def visit(part: Any) -> None:
        for key in part if isinstance(part, dict) else range(len(part)):
            places.append((part, key))
            if isinstance(part[key], (dict, list)):
                visit(part[key])

    visit(tree)
    part, key = draw.choice(places)
    action = draw.randrange(4)
    if action == 0:
        del part[key]
    else:
        part[key] = draw.choice(HOSTILE)


def test_nesting_without_end(folder):
    text = json.dumps(content(folder))
    replace(folder, b'{"data": ' + b"[" * 100_000)
    with pytest.raises(tf.errors.DataLossError):
        tf.saved_model.load(folder)
    replace(folder, text.replace('"args": [', '"args": [' + '{"tuple": [' * 400 + "]}" * 400 + ", ", 1).encode())
    with pytest.raises(tf.errors.DataLossError):
        tf.saved_model.load(folder)


def test_a_shape_larger_than_the_file(folder):
    changed = content(folder)
    changed["tensors"]["variable/0"]["shape"] = [10**12]
    replace(folder, changed)
    with pytest.raises(tf.errors.DataLossError, match="corrupt"):
        tf.saved_model.load(folder)


def test_a_trace_cannot_call_itself(folder):
    changed = content(folder)
    changed["traces"][0]["graph"]["steps"][0]["call"] = ["trace", 0]
    replace(folder, changed)
    with pytest.raises(tf.errors.DataLossError, match="number of something"):
        tf.saved_model.load(folder)


def test_values_are_computed_before_they_are_used(folder):
    changed = content(folder)
    changed["traces"][0]["graph"]["outputs"] = {"ref": 12345}
    replace(folder, changed)
    with pytest.raises(tf.errors.DataLossError, match="%12345, which none has computed"):
        tf.saved_model.load(folder)


def test_a_file_in_another_folder_is_not_read(folder):
    changed = content(folder)
    changed["data"] = "../" + changed["data"]
    replace(folder, changed)
    with pytest.raises(tf.errors.DataLossError, match="another folder"):
        tf.saved_model.load(folder)


def test_print_writes_no_files(folder):
    changed = content(folder)
    step = changed["traces"][0]["graph"]["steps"][0]
    target = folder / "written"
    step.update(call=["function", "print"], args=["text"], kwargs={"output_stream": f"file://{target}"}, results=None)
    replace(folder, changed)
    with pytest.raises(tf.errors.DataLossError):
        tf.saved_model.load(folder)
    assert not target.exists()
