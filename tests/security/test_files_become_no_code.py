"""Nothing in a file becomes code: hostile names, keys, attributes, paths and texts in every format, and what Python compiles.

While a file is read, and while what it holds goes through traced functions, every text that Python compiles is kept: the
hostile text is in none of them, and the places that compile imported Python code (autograph, the hook for Keras) are not
reached by a file at all.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.train import storage

from .watching import watching

CANARY = "canary'\"); open('written', 'w').close() #\n\\{x}\"\"\""

# Which of our modules may compile while a file is read. (Python compiles modules that it imports, and named tuples.)
MAY_COMPILE = {"gradtape.base.generated", "gradtape.native.engine"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextlib.contextmanager
def becoming_no_code() -> Iterator[None]:
    """Fail where the canary is in a text that is compiled, or something of autograph or the hook compiles."""
    with watching() as seen:
        yield
    for text, module in seen:
        assert "canary" not in text, f"{module} compiles {text!r}"
        assert not module.startswith(("gradtape.autograph", "keras_gradtape.hook")), f"{module} is reached by a file"
        assert not module.startswith("gradtape") or module in MAY_COMPILE
    assert not os.path.exists("written")


def run(value: Any) -> None:
    """Send tensors with their keys and structure through a compiled function, and back through its gradient."""
    leaves = [leaf for leaf in tf.nest.flatten(value) if isinstance(leaf, tf.Tensor)]
    names = {str(n): leaf for n, leaf in enumerate(leaves)}
    for given in (value, {CANARY: value}, names):
        _twice(given)


_twice = tf.function(lambda value: tf.nest.map_structure(tf.identity, value), autograph=False)


# --- every text in an index, one after the other -------------------------------------------------------------------------------


def hostile_trees(tree: Any) -> Iterator[Any]:
    """The tree with one text replaced by the canary, for every text, key and value."""

    def places(part: Any) -> Iterator[tuple[Any, Any, bool]]:
        for key in list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
            if isinstance(key, str):
                yield part, key, True
            if isinstance(part[key], str):
                yield part, key, False
            yield from places(part[key])

    for number in range(sum(1 for _ in places(tree))):
        changed = copy.deepcopy(tree)
        part, key, is_key = list(places(changed))[number]
        if is_key:
            part[CANARY] = part.pop(key)
        else:
            part[key] = CANARY
        yield changed


def sealed(tree: Any, kind: storage.Kind) -> bytes:
    body = json.dumps(tree).encode()
    head = {"format": kind.format, "version": kind.version, "bytes": len(body), "crc32": zlib.crc32(body)}
    return json.dumps(head).encode() + b"\n" + body


class Model(tf.Module):
    """What can be named: attributes, variables, functions, parameters, keys, tables."""

    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable([1.0, 2.0], name="weights")
        self.plain = {"key": ("text", b"bytes")}

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, name="x")])
    def __call__(self, x: Any) -> Any:
        y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: {"inner": x * self.w}, lambda: {"inner": x})
        return {"y": y["inner"], "joined": tf.strings.join(["a", "b"], separator="between")}


def test_a_saved_model(folder):
    tf.saved_model.save(Model(), "model")
    index = folder / "model" / "saved_model.index"
    tree = json.loads(index.read_bytes().split(b"\n", 1)[1])
    outcomes = []
    with becoming_no_code():
        for changed in hostile_trees(tree):
            index.write_bytes(sealed(changed, storage.Kind("saved model", 1)))
            try:
                loaded = tf.saved_model.load("model")
                for name in loaded.signatures:
                    function = loaded.signatures[name]
                    outcomes.append(function(**{spec.name: tf.constant([1.0, 2.0]) for spec in function.inputs}))
                with tf.GradientTape() as tape:
                    got = loaded(tf.constant([1.0, 2.0]))
                tape.gradient(tf.nest.flatten(got), loaded.trainable_variables)
                repr(loaded), str(got)
            except (tf.errors.OpError, AttributeError, TypeError, ValueError):
                continue
            outcomes.append(got)
    assert any(CANARY in result for result in outcomes)  # (a key that is hostile text is a key)


def test_a_checkpoint(folder):
    def state() -> Any:
        return tf.train.Checkpoint(w=tf.Variable([1.0]), inner=tf.train.Checkpoint(**{"names": tf.Variable(["a"])}))

    prefix = state().write("ckpt")
    index = folder / "ckpt.index"
    tree = json.loads(index.read_bytes().split(b"\n", 1)[1])
    with becoming_no_code():
        for changed in hostile_trees(tree):
            index.write_bytes(sealed(changed, storage.CHECKPOINT))
            with contextlib.suppress(tf.errors.OpError):
                state().read(prefix).expect_partial()
            with contextlib.suppress(tf.errors.OpError):
                found = tf.train.load_checkpoint(prefix)
                run({name: tf.constant(found.get_tensor(name)) for name in found.get_variable_to_shape_map()})


def test_the_list_of_checkpoints(folder):
    with becoming_no_code():
        (folder / "checkpoint").write_text(f"model_checkpoint_path: {json.dumps(CANARY)}\n")
        assert tf.train.latest_checkpoint(folder) is None


def test_names_of_variables_and_attributes_in_a_checkpoint(folder):
    objects = {CANARY: tf.Variable([1.0], name=CANARY)}
    with becoming_no_code():
        prefix = tf.train.Checkpoint(**objects).write("ckpt")
        tf.train.Checkpoint(**objects).read(prefix).assert_consumed()


# --- records, examples, tables -------------------------------------------------------------------------------------------------


def example() -> bytes:
    values = tf.train.BytesList(value=[CANARY.encode()])
    feature = {CANARY: tf.train.Feature(bytes_list=values)}
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def test_records_of_examples(folder):
    with tf.io.TFRecordWriter("records") as writer:
        writer.write(example())
    with becoming_no_code():
        (found,) = tf.data.TFRecordDataset("records").map(
            lambda text: tf.io.parse_single_example(text, {CANARY: tf.io.FixedLenFeature([], tf.string)})
        )
        assert found[CANARY].numpy() == CANARY.encode()
        run(found)
        str(tf.train.Example.FromString(example()))


def test_json_examples():
    described = {"features": {"feature": {CANARY: {"bytesList": {"value": ["aGk="]}}}}}
    with becoming_no_code():
        text = tf.io.decode_json_example(json.dumps(described))
        run(tf.io.parse_single_example(text, {CANARY: tf.io.FixedLenFeature([], tf.string)}))


def test_a_saved_dataset_and_a_cache(folder):
    rows = {CANARY: [1.0, 2.0], "nested": ({CANARY + "2": [3, 4]},)}
    tf.data.Dataset.from_tensor_slices(rows).save(CANARY.replace("/", ""))
    with becoming_no_code():
        loaded = tf.data.Dataset.load(CANARY.replace("/", ""))
        for row in loaded.map(lambda row: row):
            run(row)
        assert [*loaded.element_spec] == [CANARY, "nested"]
        for _ in range(2):
            for row in loaded.cache("cache").batch(2):
                run(row)


def test_columns_of_a_table(folder):
    with open("table.csv", "w", newline="") as file:
        file.write('"{}",b\n1.5,{}\n2.5,y\n'.format(CANARY.replace('"', '""').replace("\n", " "), "canary"))
    with becoming_no_code():
        for row in tf.data.experimental.make_csv_dataset("table.csv", 1, num_epochs=1, shuffle=False).map(
            lambda row: row
        ):
            assert any("canary" in name for name in row)
            run(dict(row))
        for line in tf.data.TextLineDataset("table.csv").map(lambda line: {CANARY: line}):
            run(line)


def test_a_vocabulary(folder):
    with open("words", "w") as file:
        file.write(CANARY)
    with becoming_no_code():
        kinds = (tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
        table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer("words", *kinds), -1)
        assert table.lookup(tf.constant([CANARY.splitlines()[0]])).numpy().tolist() == [0]


def test_events(folder):
    pytest.importorskip("tensorboardX")
    from gradtape.summary.event_file import event_files, read_events

    with tf.summary.create_file_writer("logs").as_default():
        tf.summary.scalar(CANARY, 1.0, step=0)
        tf.summary.text(CANARY, CANARY, step=0)
    with becoming_no_code():
        for path in event_files("logs"):
            assert CANARY in [value.tag for event in read_events(path) for value in event.summary.value]


# --- arrays, sound, images -----------------------------------------------------------------------------------------------------


def test_arrays_of_numpy(folder):
    np.savez("arrays.npz", **{"canary'); open('written') ": np.ones(2)})
    np.save("array.npy", np.array([CANARY]))
    with becoming_no_code():
        with np.load("arrays.npz", allow_pickle=False) as arrays:
            run({name: tf.constant(arrays[name]) for name in arrays})
        run(tf.constant(np.load("array.npy", allow_pickle=False)))


def test_sound():
    chunk = CANARY.encode() + b"\0" * (len(CANARY) % 2)
    whole = tf.audio.encode_wav(np.zeros((4, 1), np.float32), 8000).numpy()
    body = whole[8:12] + b"LIST" + len(chunk).to_bytes(4, "little") + chunk + whole[12:]
    data = b"RIFF" + len(body).to_bytes(4, "little") + body
    with becoming_no_code():
        run(tuple(tf.audio.decode_wav(data)))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP"])
def test_images(kind):
    pillow = pytest.importorskip("PIL.Image")
    from PIL.PngImagePlugin import PngInfo

    notes = PngInfo()
    notes.add_text("canary", CANARY)
    out, options = io.BytesIO(), {"PNG": {"pnginfo": notes}, "BMP": {}}.get(kind, {"comment": CANARY.encode()})
    pillow.new("RGB", (3, 2)).save(out, format=kind, **options)
    with becoming_no_code():
        run(tf.io.decode_image(out.getvalue()))


# --- Keras ---------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def keras_file(tmp_path_factory) -> dict[str, bytes]:
    pytest.importorskip("keras")
    keras = tf.keras
    inputs = {"first": keras.Input((2,), name="first"), "second": keras.Input((2,), name="second")}
    joined = keras.layers.Dense(2, activation="relu", name="dense")(keras.layers.Add(name="sum")(list(inputs.values())))
    model = keras.Model(inputs, {"result": joined}, name="model")
    path = tmp_path_factory.mktemp("keras") / "model.keras"
    model.save(path)
    model.predict(
        {name: np.ones((1, 2), np.float32) for name in inputs}, verbose=0
    )  # what is converted is converted here
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_keras_model(folder, keras_file):
    tree = json.loads(keras_file["config.json"])
    loaded = 0
    with becoming_no_code():
        for changed in hostile_trees(tree):
            with zipfile.ZipFile("changed.keras", "w") as archive:
                for name, data in keras_file.items():
                    archive.writestr(name, json.dumps(changed) if name == "config.json" else data)
            with contextlib.suppress(Exception):  # (Keras raises what it raises)
                model = tf.keras.models.load_model("changed.keras")
                loaded += 1
                model({name: tf.ones([1, 2]) for name in ("first", "second")})
    assert loaded


def test_a_keras_model_with_code_in_it_is_refused(folder, keras_file):
    keras = tf.keras
    keras.Sequential([keras.Input((2,)), keras.layers.Lambda(lambda x: x * 2.0)]).save("code.keras")
    with becoming_no_code(), pytest.raises((ValueError, TypeError), match="lambda"):
        keras.models.load_model("code.keras")


# --- paths and documentation ---------------------------------------------------------------------------------------------------

HOSTILE_PATH = "a'b\"c\nd);e{f}#\\"
WAYS: dict[str, Callable[[str], Any]] = {
    "a saved model": lambda path: (
        tf.saved_model.save(Model(), path),
        tf.saved_model.load(path)(tf.constant([1.0, 2.0])),
    ),
    "a checkpoint": lambda path: tf.train.Checkpoint(w=tf.Variable(1.0)).read(
        tf.train.Checkpoint(w=tf.Variable(2.0)).write(path)
    ),
    "a dataset": lambda path: (
        tf.data.Dataset.range(3).save(path),
        list(tf.data.Dataset.load(path).map(lambda n: n + 1)),
    ),
    "lines": lambda path: (
        tf.io.write_file(path, "x"),
        list(tf.data.TextLineDataset(path).map(lambda line: {line.dtype: line})),
    ),
}


@pytest.mark.parametrize("use", WAYS.values(), ids=WAYS.keys())
def test_paths_become_no_code(folder, use):
    use("first")  # functions of this file are converted here
    with watching() as seen:
        use(HOSTILE_PATH)
    assert not any(part in text for text, _ in seen for part in (HOSTILE_PATH, "c\nd);e{f}", "c\\nd);e{f}"))


def test_docstrings_become_no_code():
    def f(x: Any) -> Any:
        return x * 2.0

    f.__doc__ = CANARY
    with becoming_no_code():
        traced = tf.function(f, autograph=False)
        traced(tf.constant([1.0, 2.0]))
        tf.custom_gradient(lambda x: (x, lambda g: g))(tf.constant(1.0))
