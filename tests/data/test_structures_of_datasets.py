"""Datasets in structures, states of another structure, and specs of composites with an open number of rows."""

import dataclasses

import numpy as np
import pytest

import gradtape as tf


@dataclasses.dataclass
class Masked:
    mask: bool
    first: object
    second: object

    def __tf_flatten__(self):
        return (self.mask,), (self.first, self.second)

    @classmethod
    def __tf_unflatten__(cls, metadata, parts):
        return cls(*metadata, *parts)


def test_datasets_in_a_record_are_zipped_into_records():
    zipped = tf.data.Dataset.zip(Masked(True, tf.data.Dataset.range(2), tf.data.Dataset.range(3, 6)))
    assert [(e.mask, int(e.first), int(e.second)) for e in zipped] == [(True, 0, 3), (True, 1, 4)]


@pytest.mark.parametrize("following", [lambda state, x: (), lambda state, x: (state, x)])
def test_a_state_of_another_structure_is_an_error_of_arguments(following):
    with pytest.raises(tf.errors.InvalidArgumentError, match="structure"):
        tf.data.Dataset.range(5).reduce(0, following)


@pytest.mark.parametrize("kind", ["sparse", "ragged"])
def test_the_rows_of_the_last_batch_are_open_after_a_function(kind):
    rows = tf.ragged.constant([[1.0], [2.0, 3.0], [], [4.0]])
    value = rows.to_sparse() if kind == "sparse" else rows
    batches = tf.data.Dataset.from_tensor_slices(value).batch(3).map(lambda x: x)
    assert batches.element_spec.shape[0] is None
    doubled = batches.map(lambda x: x.with_values(x.values * 2))
    totals = [np.sum(x.values.numpy()) for x in doubled]
    assert totals == [12.0, 8.0]


def test_the_experimental_choice_goes_on_without_a_dataset_that_has_ended():
    first, second = tf.data.Dataset.range(1), tf.data.Dataset.range(10, 13)
    choices = tf.data.Dataset.from_tensor_slices(np.array([0, 0, 1, 0, 1]))
    chosen = tf.data.experimental.choose_from_datasets([first, second], choices)
    assert [int(x) for x in chosen] == [0, 10, 11]
    assert [int(x) for x in tf.data.Dataset.choose_from_datasets([first, second], choices)] == [0]


# --- elements by number ------------------------------------------------------------------------------------------------


def elements_at(dataset, *indices):
    return [tf.data.experimental.at(dataset, index).numpy().tolist() for index in indices]


def test_an_element_is_found_by_its_number():
    numbers = tf.data.Dataset.range(10)
    assert elements_at(numbers, 0, 9, tf.constant(4, tf.int64)) == [0, 9, 4]
    assert elements_at(numbers.skip(3).take(4), 0, 3) == [3, 6]
    assert elements_at(numbers.map(lambda x: x * x).batch(4), 1, 2) == [[16, 25, 36, 49], [64, 81]]
    assert elements_at(numbers.concatenate(tf.data.Dataset.range(20, 22)), 9, 11) == [9, 21]
    assert elements_at(numbers.repeat(2), 12) == [2]
    assert elements_at(numbers.shuffle(10, seed=1, reshuffle_each_iteration=False), *range(10)) == [
        int(x) for x in numbers.shuffle(10, seed=1, reshuffle_each_iteration=False)
    ]
    first, second = tf.data.experimental.at(tf.data.Dataset.zip((numbers, numbers.map(lambda x: -x))), 3)
    assert (int(first), int(second)) == (3, -3)


def test_the_order_of_a_shuffle_is_drawn_once():
    shuffled = tf.data.Dataset.range(10).shuffle(10)
    assert sorted(elements_at(shuffled, *range(10))) == list(range(10))
    assert np.concatenate(elements_at(shuffled.batch(2), *range(5))).tolist() == elements_at(shuffled, *range(10))


def test_only_the_element_that_is_asked_for_is_computed():
    seen = []
    squares = tf.data.Dataset.range(100).map(lambda x: seen.append(int(x)) or x * x)
    assert elements_at(squares.batch(2), 20) == [[1600, 1681]]
    assert seen == [40, 41]


@pytest.mark.parametrize("index", [-1, 10, 2**40])
def test_a_number_outside_is_an_error(index):
    with pytest.raises(tf.errors.OutOfRangeError, match=r"Index out of range \[0, 10\)"):
        tf.data.experimental.at(tf.data.Dataset.range(10), index)


@pytest.mark.parametrize(
    "dataset", [tf.data.Dataset.range(3).repeat(), tf.data.Dataset.range(3).filter(lambda x: x > 0)]
)
def test_a_dataset_of_unknown_length_has_no_numbers(dataset):
    with pytest.raises(tf.errors.FailedPreconditionError, match="random access"):
        tf.data.experimental.at(dataset, 0)
    with pytest.raises(TypeError):
        tf.data.experimental.at(tf.data.Dataset.range(3), 1.5)


def test_sparse_values_of_tensorflow_1_are_sparse_elements():
    value = tf.compat.v1.SparseTensorValue([[0, 0], [1, 1]], [1, 2], [2, 2])
    rows = tf.data.Dataset.from_tensor_slices({"x": value})
    assert rows.element_spec == {"x": tf.SparseTensorSpec([2], tf.int32)}
    assert [tf.sparse.to_dense(row["x"]).numpy().tolist() for row in rows] == [[1, 0], [0, 2]]
    whole = tf.data.Dataset.range(2).reduce(value, lambda state, x: state)
    assert isinstance(whole, tf.SparseTensor)
