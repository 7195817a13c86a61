"""`Cotangents`: parts that arrive one by one are added, whatever they are, and no array of anybody else is changed."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.differentiation.cotangents import Cotangents
from gradtape.differentiation.slices import sum_composites
from gradtape.native.background import Product
from gradtape.native.thresholds import EXACT_ELEMENTS as LARGE

pytestmark = pytest.mark.quick


def slices(values, indices, rows=3):
    return tf.IndexedSlices(np.array(values), np.array(indices), np.array([rows, 1], np.int32))


def test_values_wait_in_the_order_newest_first_and_each_only_once():
    cotangents = Cotangents({}, [1])
    for number in (3, 7, 5, 7, 3):
        cotangents.add(number, np.ones(2))
    assert sorted(cotangents.waiting) == [-7, -5, -3]
    assert cotangents.waiting[0] == -7


@pytest.mark.parametrize("size", [4, LARGE + 1])
def test_three_parts_are_added_and_the_parts_stay_as_they_were(size):
    parts = [np.full(size, float(value), np.float32) for value in (1, 10, 100)]
    cotangents = Cotangents({}, [1])
    for part in parts:
        cotangents.add(1, part)
    assert (cotangents.arrived[1] == 111).all()
    assert [part[0] for part in parts] == [1, 10, 100]


def test_a_sum_made_here_is_added_to_in_place_and_a_part_is_not():
    first = np.ones(3)
    cotangents = Cotangents({}, [1])
    cotangents.add(1, first)
    cotangents.add(1, first)
    total = cotangents.arrived[1]
    assert total is not first
    cotangents.add(1, first)
    assert cotangents.arrived[1] is total
    assert total.tolist() == [3, 3, 3]


def test_slices_stay_slices_until_something_dense_arrives():
    cotangents = Cotangents({}, [1])
    cotangents.add(1, slices([[1.0]], [0]))
    cotangents.add(1, slices([[2.0]], [2]))
    assert np.asarray(cotangents.arrived[1].indices).tolist() == [2, 0]  # as the forward pass looked them up
    cotangents.add(1, np.array([[10.0], [20.0], [30.0]]))
    assert np.asarray(cotangents.arrived[1]).tolist() == [[11.0], [20.0], [32.0]]


@pytest.mark.parametrize("swap", [False, True])
def test_slices_and_dense_are_dense_in_either_order(swap):
    pair = [slices([[1.0], [2.0]], [1, 1]), np.ones((3, 1))]
    assert np.asarray(sum_composites(*(pair[::-1] if swap else pair))).tolist() == [[1.0], [4.0], [1.0]]


def test_a_product_is_computed_at_once_for_a_value_that_a_rule_reads():
    record = (None, 0)
    cotangents = Cotangents({5: record}, [1])
    cotangents.add(5, Product(np.ones((2, 3)), np.ones((3, 2))))
    assert cotangents.arrived[5].tolist() == [[3, 3], [3, 3]]
    assert not cotangents.posting


def test_a_product_for_a_leaf_that_nobody_asks_for_is_not_computed():
    cotangents = Cotangents({5: None}, [1])
    cotangents.add(5, Product(None, None))
    assert not cotangents.arrived
    assert not cotangents.waiting


def test_outputs_of_one_op_meet_at_the_first_which_waits_once():
    looks = (((2,), np.dtype("f4")),) * 3
    record = ("pull", -1, 1, looks, "code", 0)
    cotangents = Cotangents({}, [1])
    assert cotangents.for_rule(8, np.full(2, 8.0), (None, 6, 2, 3), on_tensors=False) is None
    cotangents.add(6, np.full(2, 6.0))
    assert cotangents.waiting == [-6]
    outputs = cotangents.for_rule(6, cotangents.arrived.pop(6), record, on_tensors=False)
    assert [part.tolist() for part in outputs] == [[6, 6], [0, 0], [8, 8]]


def test_one_target_named_twice_counts_twice_and_its_weights_stay():
    x = tf.constant([1.0, 2.0])
    weight = tf.constant([10.0, 100.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    gradient = tape.gradient([y, y, y], x, output_gradients=[weight, weight, tf.ones(2)])
    assert gradient.numpy().tolist() == [42.0, 804.0]
    assert weight.numpy().tolist() == [10.0, 100.0]
