"""The parts of a record by their names, for each kind of op."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.dtypes import FLOATING
from gradtape.op.declaration import op
from gradtape.op.record import (
    ids_of,
    is_further_output,
    looks_of_outputs,
    new_record,
    op_of,
    place_of,
    pull_of,
    saved_by,
    way_to_first,
)

pytestmark = pytest.mark.quick


def recorded(function, *operands):
    """The outputs of a function, and a tape's records of it."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(operands)
        outputs = function(*operands)
    return outputs, tape


def test_an_op_with_one_output():
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    z, tape = recorded(tf.multiply, x, y)
    record = tape._records()[z._id]
    assert ids_of(record) == (x._id, y._id)
    kept = saved_by(record)
    assert len(kept) == 2
    assert kept[0] is y
    assert kept[1] is x
    assert looks_of_outputs(record) is None
    assert op_of(pull_of(record)).name == "multiply"
    assert place_of(record)[0].co_name == "recorded"
    assert not is_further_output(record)


def test_an_op_with_several_outputs():
    x = tf.constant([1.0, 2.0, 3.0])
    (first, second, third), tape = recorded(lambda x: tf.split(x, 3), x)
    records = tape._records()
    record = records[first._id]
    assert ids_of(record) == (x._id,)
    assert looks_of_outputs(record) == (((1,), np.dtype("float32")),) * 3
    assert not any(part is looks_of_outputs(record) for part in saved_by(record))
    assert [is_further_output(records[output._id]) for output in (first, second, third)] == [False, True, True]
    assert way_to_first(records[third._id]) == (first._id, 2, 3)


def test_an_op_with_a_list_of_operands_keeps_which_are_followed():
    x, y = tf.constant([1.0]), tf.constant([2.0])
    z, tape = recorded(lambda y: tf.concat([x, y], 0), y)
    record = tape._records()[z._id]
    assert ids_of(record) == (y._id,)
    assert saved_by(record)[0] == (1,)


def test_a_custom_gradient_has_no_op():
    @tf.custom_gradient
    def doubled(x):
        return x * 2.0, lambda g: g * 2.0

    y, tape = recorded(doubled, tf.constant([1.0]))
    record = tape._records()[y._id]
    assert op_of(pull_of(record)) is None
    assert saved_by(record) == ()
    assert looks_of_outputs(record) == (((1,), np.dtype("float32")),)


@pytest.mark.parametrize("looks", [None, (((2,), np.dtype("float32")),) * 2])
def test_a_record_has_the_parts_it_is_made_of(looks):
    record = new_record("pull", [5, 6], ["kept"], looks, ("code", 4))
    assert pull_of(record) == "pull"
    assert ids_of(record) == (5, 6)
    assert saved_by(record) == ("kept",)
    assert looks_of_outputs(record) == looks
    assert place_of(record) == ("code", 4)


@pytest.mark.parametrize("on_tensors", [False, True], ids=["arrays", "tensors"])
def test_an_op_may_have_a_list_of_operands_and_several_outputs(registry_restored, on_tensors):
    @op(variadic=True, outputs=2, dtypes=FLOATING)
    def sum_and_product(xp, xs):
        return xs[0] + xs[1] + xs[2], xs[0] * xs[1] * xs[2]

    @sum_and_product.vjp("xs")
    def _(g, xs, out):
        return [g[0] + g[1] * out[1] / x for x in xs]

    x, y, z = (tf.constant([value]) for value in (2.0, 3.0, 5.0))
    with tf.GradientTape(persistent=True) as outer:
        if on_tensors:
            outer.watch([x, z])
        with tf.GradientTape() as tape:
            tape.watch([x, z])
            total, product = sum_and_product.public([x, y, z])
            target = total * 10.0 + product
        of_x, of_z = tape.gradient(target, [x, z])
    assert of_x.numpy() == 10.0 + 15.0
    assert of_z.numpy() == 10.0 + 6.0
    if on_tensors:
        assert outer.gradient(of_x, z).numpy() == 3.0
