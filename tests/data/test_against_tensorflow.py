"""Pipelines and what TensorFlow 2.21 gave for each: `tensorflow_values.json` has the expressions and the results."""

import collections
import json
import pathlib

import numpy as np
import pytest

import gradtape as tf

OBSERVED = json.loads((pathlib.Path(__file__).parent / "tensorflow_values.json").read_text())


def plain(value):
    """A value as JSON holds it, with the types of arrays and of containers."""
    if isinstance(value, tf.data.Dataset):
        return [plain(element) for element in value]
    if hasattr(value, "to_list"):
        return value.to_list()
    if isinstance(value, tf.SparseTensor):
        return [plain(value.indices), plain(value.values), plain(value.dense_shape)]
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, np.ndarray):
        return [str(value.dtype), plain(value.tolist())]
    if isinstance(value, np.generic):
        return [str(value.dtype), value.item()]
    if isinstance(value, bytes):
        return value.decode("latin1")
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [type(value).__name__, *(plain(part) for part in value)]
    return value


NAMES = {
    "tf": tf,
    "np": np,
    "D": tf.data.Dataset,
    "P": collections.namedtuple("P", "x y"),
    "L": lambda dataset: [plain(element) for element in dataset],
    "plain": plain,
    "spec": repr,
}


@pytest.mark.parametrize("expression", OBSERVED)
def test_the_elements_are_those_of_tensorflow(expression):
    assert eval(expression, NAMES) == OBSERVED[expression]
