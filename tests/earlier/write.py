"""Writes the files of this folder: `python -m tests.earlier.write`, with the version whose files are to be kept.

The files here were written before the modules of the package moved into folders. They are not written again:
`test_earlier_files.py` reads them with the package of today.
"""

import json
import pathlib
import pickle
import types
from typing import Any

import gradtape as tf
from gradtape.saved_model import names

FOLDER = pathlib.Path(__file__).parent / "files"
NAMESPACES = (
    *("", "data", "errors", "image", "io", "linalg", "lookup", "math", "nest", "nn", "random", "ragged", "sparse"),
    *("strings", "train"),
)


def values() -> dict[str, Any]:
    """One object of each kind that can be pickled."""
    generator = tf.random.Generator.from_seed(3)
    generator.normal([2])
    return {
        "tensor": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        "text": tf.constant(["a", "bc"]),
        "bfloat16": tf.constant([1.5], tf.bfloat16),
        "variable": tf.Variable([1.0, 2.0], name="weights", trainable=False),
        "dtype": tf.float16,
        "shape": tf.TensorShape([None, 3]),
        "spec": tf.TensorSpec([None, 3], tf.float32, "x"),
        "slices": tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([2]), tf.constant([4, 1])),
        "ragged": tf.ragged.constant([[1, 2], [3]]),
        "ragged spec": tf.RaggedTensorSpec([None, None], tf.int32),
        "sparse": tf.sparse.from_dense([[0.0, 5.0], [6.0, 0.0]]),
        "sparse spec": tf.SparseTensorSpec([2, 2], tf.float32),
        "error": tf.errors.InvalidArgumentError(None, None, "a message"),
        "device": tf.DeviceSpec(job="worker", device_type="CPU", device_index=0),
        "generator state": generator.state.numpy(),
    }


def references() -> dict[str, Any]:
    """Every public function and class that pickle names by its module."""
    found = {}
    for namespace in NAMESPACES:
        holder = getattr(tf, namespace) if namespace else tf
        for name in dir(holder):
            value = getattr(holder, name)
            if name.startswith("_") or isinstance(value, types.ModuleType) or not callable(value):
                continue
            if not (getattr(value, "__module__", None) or "").startswith("gradtape."):
                continue
            if f"{namespace}.{name}" in ("nest.sorted_keys", "nest.TensorShape"):
                continue
            if value.__module__ in ("gradtape.op", "gradtape.errors") and not isinstance(value, type):
                continue  # helpers of the package itself
            try:
                pickle.dumps(value)
            except (pickle.PicklingError, AttributeError, TypeError):
                continue
            found[f"{namespace}.{name}".lstrip(".")] = value
    return found


def stored_names() -> list[list[str]]:
    """Everything that a step of a saved model can name."""
    names._import_ops()
    for namespace in names.NAMESPACES:
        names._namespace(namespace)
    return [
        *(["op", name] for name in names.REGISTRY if name == names.REGISTRY[name].name),
        *(["step", name] for name in names._STEPS),
        *(["class", name] for name in names._CLASSES),
        *(["method", name] for name in [*names.METHODS, *names.CHANGES]),
        *(["function", name] for name in names._index().values() if name not in names._REFUSED),
    ]


class Model(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weights = tf.Variable([[1.0, -2.0], [0.5, 3.0]])
        self.steps = tf.Variable(0, dtype=tf.int64)
        self.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        if tf.reduce_sum(x) > 0.0:
            x = tf.tanh(x @ self.weights)
        for _ in tf.range(2):
            x = tf.concat([x, tf.nn.relu(x)], 0)
        return tf.linalg.norm(tf.sort(tf.math.real(tf.signal.fft(tf.cast(x, tf.complex64)))), axis=1)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def look_up(self, words: tf.Tensor) -> tf.Tensor:
        return self.table.lookup(tf.strings.lower(words))


def main() -> None:
    FOLDER.mkdir()
    (FOLDER / "values.pickle").write_bytes(pickle.dumps(values(), protocol=4))
    (FOLDER / "references.pickle").write_bytes(pickle.dumps(references(), protocol=4))
    (FOLDER / "names.json").write_text(json.dumps(sorted(stored_names())))
    model = Model()
    model.steps.assign(7)
    tf.train.Checkpoint(model=model).write(str(FOLDER / "checkpoint"))
    tf.saved_model.save(model, str(FOLDER / "saved_model"))
    dataset = tf.data.Dataset.from_tensor_slices({"x": [[1.0, 2.0], [3.0, 4.0]], "y": ["a", "b"]})
    dataset.save(str(FOLDER / "dataset"))
    with tf.io.TFRecordWriter(str(FOLDER / "records")) as writer:
        for element in dataset:
            writer.write(tf.io.serialize_tensor(element["x"]).numpy())


if __name__ == "__main__":
    main()
