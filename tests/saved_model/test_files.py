"""The files of a saved model: replaced in one step, and refused by name when they are wrong. Nothing in them is run."""

from __future__ import annotations

import collections
import contextlib
import copy
import json
import os
import random
import re
import types
import zlib
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.saved_model import names
from gradtape.trace.graph import Graph, Step
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


@pytest.mark.parametrize(
    "stream", ["file://{}", {"ref": 0}, {"bytes": "ZmlsZTovL3g="}, {"namedtuple": ["file", ["write"], [None]]}, None]
)
def test_print_goes_to_a_stream_of_the_process(folder, stream):
    changed = content(folder)
    step = changed["traces"][0]["graph"]["steps"][0]
    step.update(call=["function", "print"], args=["text"], kwargs={"output_stream": stream}, results=None)
    replace(folder, changed)
    with pytest.raises(tf.errors.DataLossError, match="reads and writes no files"):
        tf.saved_model.load(folder)


@pytest.mark.parametrize("place", ["args", "kwargs"])
def test_no_file_is_read_for_a_sampler(folder, place):
    changed = content(folder)
    (folder / "weights").write_text("1.0\n" * 5)
    path, classes = str(folder / "weights"), {"array": next(iter(changed["tensors"]))}
    step = changed["traces"][0]["graph"]["steps"][0]
    step.update(
        call=["function", "random.fixed_unigram_candidate_sampler"], results=None, args=[classes, 1, 2, True, 5]
    )
    step.update({place: [*step["args"], path] if place == "args" else {"vocab_file": path}})
    replace(folder, changed)
    with pytest.raises(tf.errors.DataLossError, match="reads and writes no files"):
        tf.saved_model.load(folder)


def test_no_function_that_reads_files_is_given_to_another(folder):
    changed = content(folder)
    step = changed["traces"][0]["graph"]["steps"][0]
    sampler = {"function": ["function", "random.fixed_unigram_candidate_sampler"]}
    arguments = [[[1]], 1, 1, False, 5, str(folder / "weights")]
    step.update(call=["function", "while_loop"], args=[sampler, sampler, arguments], kwargs={}, results=None)
    replace(folder, changed)
    with pytest.raises(tf.errors.DataLossError, match="may read or write files"):
        tf.saved_model.load(folder)


@pytest.mark.parametrize("call", [["method", "close"], ["method", "write"], ["step", "leave"]])
def test_nothing_is_done_to_the_streams_of_the_process(folder, call):
    changed = content(folder)
    step = changed["traces"][0]["graph"]["steps"][0]
    step.update(call=call, args=[{"stream": "stdout"}], kwargs={}, results=None)
    replace(folder, changed)
    with pytest.raises(tf.errors.OpError, match=r"stored|does not have"):
        tf.saved_model.load(folder)


def test_graphs_that_call_each_other_twice_are_looked_through_once():
    """Two to the power of forty calls are forty graphs."""
    graph = Graph()
    for _ in range(40):
        called = types.SimpleNamespace(concrete=types.SimpleNamespace(graph=graph))
        graph = Graph(steps=[Step(called, (1.0,), {}, None, ""), Step(called, (2.0,), {}, None, "")])
    assert len(list(graph.given())) < 200


def test_a_chain_of_traces_is_looked_through_once(tmp_path, monkeypatch):
    """Each calls the one before it: what it refers to is what that one refers to, and its own."""
    module = tf.Module()
    module.w = tf.Variable([1.0, 2.0])
    last = tf.function(lambda x: x * module.w, input_signature=[tf.TensorSpec([2], tf.float32)])
    for _ in range(20):
        last = tf.function(lambda x, called=last: called(x) + 1.0, input_signature=[tf.TensorSpec([2], tf.float32)])
    module.last = last
    tf.saved_model.save(module, tmp_path)
    looked: collections.Counter[int] = collections.Counter()
    steps_of = Graph.graphs

    def counting(graph, called=True):
        for inner in steps_of(graph, called):
            looked[id(inner)] += 1
            yield inner

    monkeypatch.setattr(Graph, "graphs", counting)
    loaded = tf.saved_model.load(tmp_path)
    assert max(looked.values()) < 6
    (concrete,) = loaded.last.concrete_functions
    assert [value is loaded.w for value in concrete.captured_inputs if isinstance(value, tf.Variable)] == [True]
    assert loaded.last(tf.constant([1.0, 1.0])).numpy().tolist() == [21.0, 22.0]


SPECIAL = [
    "__class__",
    "__dict__",
    "__reduce_ex__",
    "__deepcopy__",
    "__array__",
    "__array_interface__",
    "__tf_tensor__",
]


@pytest.mark.parametrize("value", [{"type": "str"}, {"function": ["op", "tanh"]}, {"dict": []}, 3, {"traced": 0}])
@pytest.mark.parametrize("name", SPECIAL)
def test_attributes_that_mean_something_to_python_are_left_out(folder, name, value):
    changed = content(folder)
    changed["objects"][0]["attributes"] = {name: value} | changed["objects"][0]["attributes"]
    replace(folder, changed)
    loaded = tf.saved_model.load(folder)
    assert name not in object.__getattribute__(loaded, "__dict__")
    assert isinstance(loaded, tf.Module)
    assert not isinstance(loaded, str)
    assert copy.deepcopy(loaded).w.numpy().tolist() == [[1.0, 2.0]]
    assert loaded.w.numpy().tolist() == [[1.0, 2.0]]


def test_names_of_python_are_not_saved(tmp_path):
    module = tf.Module()
    vars(module)["__reduce_ex__"] = module.plain = 1
    tf.saved_model.save(module, tmp_path)
    assert content(tmp_path)["objects"][0]["attributes"].keys() >= {"plain"}
    assert "__reduce_ex__" not in content(tmp_path)["objects"][0]["attributes"]


RANGE = {"range": [0, 10**18, 1]}


@pytest.mark.parametrize(
    "described",
    [
        {"composite_spec": ["RaggedTensor", [RANGE, {"dtype": "float32"}, 1, {"dtype": "int64"}]]},
        {"composite_spec": ["SparseTensor", [RANGE, {"dtype": "float32"}]]},
        {"composite_spec": ["RaggedTensor", [{"tuple": [[RANGE]]}, {"dtype": "float32"}, 1, {"dtype": "int64"}]]},
        {"composite": ["SparseTensor", RANGE, [{"tensor": "variable/0"}]]},
        {"composite": ["SparseTensor", {"dict": [["a", RANGE]]}, [{"tensor": "variable/0"}]]},
    ],
    ids=str,
)
def test_a_range_in_place_of_sizes_is_not_counted_out(folder, described):
    changed = content(folder)
    changed["objects"][0]["attributes"]["plain"] = described
    replace(folder, changed)
    with pytest.raises(tf.errors.DataLossError, match="range"):
        tf.saved_model.load(folder)


def test_variables_that_begin_with_one_array_share_it_until_they_change(tmp_path):
    module, value = tf.Module(), tf.ones(1000)
    module.parts = [tf.Variable(value) for _ in range(3)]
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path).parts
    loaded[0].assign_add(value)
    assert [part.numpy()[0] for part in loaded] == [2.0, 1.0, 1.0]


def test_the_names_in_files_lead_to_no_setting_of_the_process():
    for namespace in names.NAMESPACES:
        names._namespace(namespace)
    names._index.cache_clear()  # (it has the namespaces that were in use when it was made)
    words = (
        "seed",
        "state",
        "enable",
        "disable",
        "set_",
        "config",
        "regist",
        "behavior",
        "policy",
        "global",
        "session",
    )
    # (What such a word says of a function: the rest only looks like it.)
    found = {name for name in names._index().values() if any(word in name.rpartition(".")[2] for word in words)}
    found = {
        name
        for name in found
        if not re.search(r"stateless|global_norm|offsets|batch_norm_with_global|reset_shape|linalg.set_diag", name)
    }
    assert found == set(names._REFUSED) - {"py_function", "numpy_function"}
    assert all(names._public_function(name) is None for name in names._REFUSED)


@pytest.mark.parametrize(
    "name",
    ["numpy.experimental_enable_numpy_behavior", "numpy.random.seed", "random.get_state", "random.set_state"],
)
def test_no_setting_of_the_process_is_changed(folder, name):
    changed = content(folder)
    changed["traces"][0]["graph"]["steps"][0]["call"] = ["function", name]
    replace(folder, changed)
    with pytest.raises(tf.errors.NotFoundError):
        tf.saved_model.load(folder)


NAMED = [
    ["Point", ["x", "y"], [1, 2]],
    ["_Private", ["x"], [1]],
]
NOT_NAMED = [
    ["print", ["end", "end"], [1, 2]],
    ["Point", ["_x"], [1]],
    ["Point", ["class"], [1]],
    ["Point", ["x y"], [1]],
    ["a b", ["x"], [1]],
    ["None", [], []],
    ["Point", "x y", [1, 2]],
    ["Point", [1], [1]],
    ["Point", ["x"], []],
    [{"tuple": []}, ["x"], [1]],
    ["Point", [f"f{n}" for n in range(2000)], [0] * 2000],
    ["Point", ["\ufb01", "fi"], [1, 2]],  # two names to look at, one to Python
    ["\uff30oint", ["x"], [1]],
]


@pytest.mark.parametrize("described", NAMED + NOT_NAMED, ids=lambda described: str(described)[:40])
def test_named_tuples_have_plain_names(folder, described):
    changed = content(folder)
    changed["objects"][0]["attributes"]["point"] = {"namedtuple": described}
    replace(folder, changed)
    if described in NAMED:
        assert list(tf.saved_model.load(folder).point) == described[2]
    else:
        with pytest.raises(tf.errors.DataLossError):
            tf.saved_model.load(folder)


ATTACK = {"namedtuple": ["print", ["end", "file"], ["", {"namedtuple": ["open", ["file", "mode"], ["{}", "w"]]}]]}


@pytest.mark.parametrize(
    "key", [ATTACK, {"tuple": [1, ATTACK]}, {"type": "int"}, {"function": ["op", "tanh"]}, {"shape": []}]
)
def test_keys_that_are_calls_write_no_file(folder, key):
    target = folder / "written"
    body = json.dumps(content(folder)).replace('"y"', json.dumps(key).replace("{}", str(target)))
    replace(folder, body.encode())
    with pytest.raises(tf.errors.DataLossError, match="key"):
        tf.saved_model.load(folder)
    assert not target.exists()


KEYS = [
    "text",
    b"bytes",
    70,
    2.5,
    float("inf"),
    1j,
    True,
    None,
    tf.bfloat16,
    (1, ("a", None)),
    np.int64(99),
    "class",
    "'\"\n",
]


def test_plain_keys_come_back(tmp_path):
    module = tf.Module()
    module.plain = dict.fromkeys(KEYS, 1)
    module.f = tf.function(lambda x: dict.fromkeys(KEYS, x * 2.0), input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(module, tmp_path, signatures={})
    loaded = tf.saved_model.load(tmp_path)
    assert list(loaded.plain) == KEYS
    got = loaded.f(tf.constant(1.5))
    assert [type(key) for key in got] == [type(key) for key in module.f(tf.constant(1.5))]
    assert {value.numpy() for value in got.values()} == {3.0}


@pytest.mark.parametrize("key", [tf.Module, Model, collections.namedtuple("Pair", "a b")(1, 2), frozenset([1]), len])
def test_other_keys_are_not_saved(tmp_path, key):
    module = tf.Module()
    module.f = tf.function(lambda x: {key: x * 2.0}, input_signature=[tf.TensorSpec([], tf.float32)])
    with pytest.raises(ValueError, match=r"The key .* cannot be stored\. Keys are text"):
        tf.saved_model.save(module, tmp_path, signatures={})


def test_what_is_too_deep_to_be_read_is_not_saved(tmp_path):
    def nested(levels):
        return [nested(levels - 1)] if levels else 1

    module = tf.Module()
    module.deep = nested(100)
    tf.saved_model.save(module, tmp_path)
    assert tf.saved_model.load(tmp_path).deep == nested(100)
    module.deep = nested(200)
    with pytest.raises(ValueError, match="128 levels"):
        tf.saved_model.save(module, tmp_path)
