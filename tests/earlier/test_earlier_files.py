"""What earlier versions have written is read: pickles, checkpoints, saved models, datasets."""

import io
import json
import pickle

import numpy as np
import pytest

import gradtape as tf
from gradtape.saved_model.names import function_named
from gradtape.saved_model.values import Decoder
from gradtape.values.composite import expanded

from .write import FOLDER, NAMESPACES, Model, values

# Functions that a namespace showed by the name in its file beside the public one.
PUBLIC_TODAY = {"ragged.range_of": "range"}


# What a namespace had imported for its own use, and programs could not mean.
IMPORTED = {"math.as_divisible", "random.depending_on", "strings.summary"}
IMPORTED |= {"lookup.Ghost", "lookup.effect_in_world", "random.sample_in_world"}
_OF_RANDOM = """DType NumberNeededError Philox Tensor UnsupportedTypeError broadcast checked_algorithm floating from_array
new_rlock parameter repeated scaled sizes_of takes tensor_type to_tensor trace_public uniform_from uniform_type"""
IMPORTED |= {f"random.{name}" for name in _OF_RANDOM.split()}


class Unpickler(pickle.Unpickler):
    """Reads all but functions of the engine that are gone."""

    PRIVATE = (
        ("gradtape.trace.ghost", "depending_on"),
        ("gradtape.trace.ghost", "Ghost"),
        ("gradtape.trace.control", "effect_in_world"),
        ("gradtape.trace.control", "sample_in_world"),
    )

    def find_class(self, module, name):
        return None if (module, name) in self.PRIVATE else super().find_class(module, name)


def unpickled(name):
    return Unpickler(io.BytesIO((FOLDER / name).read_bytes())).load()


PARTS = {
    tf.IndexedSlices: ["values", "indices", "dense_shape"],
    tf.RaggedTensor: ["flat_values", "row_splits"],
    tf.SparseTensor: ["values", "indices", "dense_shape"],
}


def same(one, other):
    if isinstance(one, tf.Tensor | tf.Variable):
        np.testing.assert_array_equal(one.numpy(), other.numpy())
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
    elif type(one) in PARTS:
        for part in PARTS[type(one)]:
            same(getattr(one, part), getattr(other, part))
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other)
    elif isinstance(one, tf.errors.OpError):
        assert one.message == other.message
    else:
        assert one == other


@pytest.mark.parametrize("kind", values())
def test_a_pickled_value_is_read(kind):
    found, expected = unpickled("values.pickle")[kind], values()[kind]
    assert type(found) is type(expected)
    same(found, expected)


def test_pickled_functions_and_classes_are_those_of_today():
    found = unpickled("references.pickle")
    assert len(found) > 600
    for name, value in found.items():
        namespace, _, last = name.rpartition(".")
        assert namespace in NAMESPACES
        today = getattr(getattr(tf, namespace) if namespace else tf, PUBLIC_TODAY.get(name, last), None)
        assert value is today or name in IMPORTED, (name, value)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("gradtape.api.control.loops", "scan"),
        ("gradtape.io.parsing", "_RowSplits"),
        ("gradtape.io.parsing", "VarLenFeature"),
        ("gradtape.numpy.manipulation", "promote_types"),
        ("gradtape.numpy.manipulation", "where"),
        ("gradtape.variables.variable", "VariableSpec"),
    ],
)
def test_pickles_name_what_another_module_defines_today(module, name):
    found = pickle.loads(f"c{module}\n{name}\n.".encode())
    assert found.__name__ == name
    assert found.__module__ != module


X = {"tensor": "x"}


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ({"slices": [X, {"tensor": "i"}, None]}, tf.IndexedSlices(tf.constant([5, 6, 7]), tf.constant([0, 2, 3]))),
        ({"RaggedTensor": [X, {"tensor": "i"}, None]}, tf.RaggedTensor.from_row_splits([5, 6, 7], [0, 2, 3])),
        ({"SparseTensor": [{"tensor": "p"}, X, {"tensor": "s"}]}, tf.SparseTensor([[0], [2], [3]], [5, 6, 7], [4])),
    ],
)
def test_values_are_read_that_had_forms_of_their_own(form, value):
    arrays = {
        "x": np.array([5, 6, 7], np.int32),
        "i": np.array([0, 2, 3]),
        "p": np.array([[0], [2], [3]]),
        "s": np.array([4]),
    }
    found = Decoder(arrays).decode(form)
    assert type(found) is type(value)
    for part, other in zip(expanded(found), expanded(value), strict=True):
        np.testing.assert_array_equal(part, other)


def test_a_checkpoint_is_restored():
    model = Model()
    model.weights.assign(tf.zeros([2, 2]))
    tf.train.Checkpoint(model=model).read(str(FOLDER / "checkpoint")).assert_consumed()
    np.testing.assert_array_equal(model.weights, Model().weights)
    assert model.steps.numpy() == 7


def test_a_saved_model_is_loaded():
    loaded = tf.saved_model.load(str(FOLDER / "saved_model"))
    for x in ([[1.0, 2.0]], [[-1.0, -2.0], [0.5, 0.25]]):
        np.testing.assert_array_equal(loaded(tf.constant(x)), Model()(tf.constant(x)))
    np.testing.assert_array_equal(loaded.look_up(tf.constant(["A", "z"])), [1, -1])
    assert loaded.steps.numpy() == 7


def test_every_name_that_a_saved_model_may_hold_is_there():
    stored = json.loads((FOLDER / "names.json").read_text())
    assert len(stored) > 1000
    for kind, name in stored:
        if name == "random.seeds_of":  # it gave Python numbers, so that no function with such a step could be traced
            continue
        if name in ("numpy.random.seed", "random.get_state", "random.set_state"):  # they reach the state of the process
            continue
        assert callable(function_named(kind, name)), (kind, name)


def test_a_dataset_and_records_are_read():
    elements = list(tf.data.Dataset.load(str(FOLDER / "dataset")))
    assert [element["y"].numpy() for element in elements] == [b"a", b"b"]
    records = [tf.io.parse_tensor(record, tf.float32) for record in tf.data.TFRecordDataset(str(FOLDER / "records"))]
    np.testing.assert_array_equal(tf.stack(records), [[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(tf.stack([element["x"] for element in elements]), tf.stack(records))
