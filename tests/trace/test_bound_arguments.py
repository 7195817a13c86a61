"""Calls of concrete functions: by the parameters they were recorded with, or with their tensors alone."""

import collections
import dataclasses
import gc
import logging
import weakref

import numpy as np
import pytest

import gradtape as tf


@tf.function
def first_of(x, y=5, *varargs, **kwargs):
    return x


RAGGED = tf.ragged.constant([[1, 2], [3]])


@pytest.mark.parametrize(
    ("recorded", "call", "words"),
    [
        (((1, tf.constant(2)), {}), ((1,), {}), "missing a required argument: 'y'"),
        (((1, 2, tf.constant(1.0)), {}), ((1, 2), {}), "missing a required argument: 'varargs_0'"),
        (((1, 2), {}), ((1, 2, 3), {}), "too many positional arguments"),
        (((1, 2), {"c": tf.constant(1.0)}), ((1, 2), {}), "missing a required.* argument: 'c'"),
        (((1, 2), {}), ((1, 2), {"c": tf.constant(1.0)}), "got an unexpected keyword argument 'c'"),
        (((1, 2), {}), ((1, 2), {"x": 3}), "got an unexpected keyword argument 'x'"),
        (((RAGGED,), {}), (({"a": tf.constant([1])}, 5), {}), "don't have the same nested structure"),
        (((RAGGED,), {}), ((tf.ragged.constant([[[1]]]), 5), {}), "don't have the same nested structure"),
        (((tf.ragged.constant([[1]]),), {}), ((tf.ragged.constant([[1.0]]), 5), {}), "float32.* to .*int32"),
        ((({"a": tf.constant(1)},), {}), ((tf.constant(1), 5), {}), "Can not cast .*Tensor.* to a Dict"),
        ((({"a": tf.constant(1)},), {}), (({"b": tf.constant(1)}, 5), {}), "to a Dict with the keys"),
        ((((tf.constant(1), tf.constant(2)),), {}), ((tf.constant(1), 5), {}), "Can not cast .*Tensor.* to tuple"),
        ((((tf.constant(1), tf.constant(2)),), {}), (((tf.constant(1),), 5), {}), "to tuple type of 2 parts"),
        (((5,), {}), ((8, 5), {}), r"Can not cast 8 to Literal\[5\]"),
        (((5,), {}), ((tf.constant(6), 5), {}), r"Can not cast .*Tensor.* to Literal\[5\]"),
    ],
)
def test_a_call_that_fits_neither_way_is_a_type_error(recorded, call, words):
    concrete = first_of.get_concrete_function(*recorded[0], **recorded[1])
    with pytest.raises(TypeError, match="(?s)" + words):
        concrete(*call[0], **call[1])


def test_values_that_a_function_was_recorded_with_may_be_left_out():
    concrete = first_of.get_concrete_function(tf.constant(1.0), 2)
    assert concrete(tf.constant(3.0)).numpy() == 3.0
    assert concrete(tf.constant(3.0), 2).numpy() == 3.0


def test_tensors_of_a_structure_may_be_given_one_by_one():
    @tf.function
    def product(matrices):
        ((a, b),) = matrices
        return a @ b

    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0, 0.0], [1.0, 1.0]])
    spec = tf.TensorSpec([None, None])
    assert np.array_equal(product.get_concrete_function([(spec, spec)])(a, b), a @ b)
    named = product.get_concrete_function([(tf.TensorSpec([2, 2], name="left"), tf.TensorSpec([2, 2], name="right"))])
    assert np.array_equal(named(right=b, left=a), a @ b)
    assert np.array_equal(named([(a, b)]), a @ b)


def test_tensors_of_one_parameter_are_numbered():
    @tf.function
    def total(x, **others):
        return x[0] - x[1] + others["d"]

    spec = tf.TensorSpec(None, tf.float32)
    concrete = total.get_concrete_function((spec, spec), d=spec)
    one, two, four = tf.constant(1.0), tf.constant(2.0), tf.constant(4.0)
    assert concrete(x=one, x_1=two, d=four).numpy() == 3.0
    assert concrete(one, two, four).numpy() == 3.0
    assert concrete((1.0, 2.0), d=4.0).numpy() == 3.0


def test_a_variable_is_the_one_that_the_function_was_recorded_with():
    v, other = tf.Variable(2.0), tf.Variable(3.0)
    concrete = tf.function(lambda x, v: x * v).get_concrete_function(tf.constant(1.0), v)
    assert concrete(tf.constant(4.0), v).numpy() == 8.0
    with pytest.raises(TypeError, match="Can not cast"):
        concrete(tf.constant(4.0), other)


def test_a_call_does_not_keep_objects_alive():
    class Model:
        pass

    model = Model()
    concrete = tf.function(lambda x, m: x).get_concrete_function(tf.constant(1.0), model)
    concrete(tf.constant(2.0), model)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_signatures_in_words():
    @tf.function
    def func(x, kangaroo=None, octopus=7):
        return x

    concrete = func.get_concrete_function(tf.constant(5), tf.constant([10, 20]))
    assert concrete.pretty_printed_signature(verbose=False) == (
        "(x: TensorSpec(shape=(), dtype=tf.int32, name=None), kangaroo: TensorSpec(shape=(2,), dtype=tf.int32, name=None), "
        "octopus: Literal[7]) -> TensorSpec(shape=(), dtype=tf.int32, name=None)"
    )
    assert repr(concrete).startswith("<ConcreteFunction func(x: ")


# --- arguments ---------------------------------------------------------------------------------------------------------


def test_what_cannot_be_hashed_is_no_argument():
    with pytest.raises(TypeError, match="Could not generate a generic TraceType"):
        first_of(set())


def test_a_weakref_is_no_argument():
    class Model:
        pass

    model = Model()
    with pytest.raises(TypeError, match="weakref"):
        first_of(weakref.ref(model))


def test_names_that_become_one_name_are_refused():
    @tf.function
    def f(**kwargs):
        return kwargs["a_b"] + kwargs["a/b"]

    with pytest.raises(ValueError, match="Name collision after sanitization"):
        f(**{"a_b": 1, "a/b": 2})


@pytest.mark.quick
def test_records_whose_static_part_is_a_list():
    @dataclasses.dataclass
    class Masked:
        masks: list
        value: object

        def __tf_flatten__(self):
            return (self.masks, {"kind": [1]}), (self.value,)

        @classmethod
        def __tf_unflatten__(cls, metadata, leaves):
            return cls(metadata[0], *leaves)

    f = tf.function(lambda m: Masked([*m.masks, True], m.value + 1))
    made = f(Masked([False], tf.constant(1.0)))
    assert made.masks == [False, True]
    assert made.value.numpy() == 2.0
    f(Masked([False], tf.constant(5.0)))
    assert f.experimental_get_tracing_count() == 1
    f(Masked([True], tf.constant(5.0)))
    assert f.experimental_get_tracing_count() == 2


def test_a_method_with_any_number_of_arguments_has_a_signature_for_all():
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
        def add(self, *values):
            return tf.add(*values)

    assert Model().add.get_concrete_function()(-12.0, 3.0).numpy() == -9.0


def test_a_method_of_an_object_that_is_gone():
    class Model:
        weight = 2

        @tf.function
        def same(self, x):
            return x

        @tf.function
        def scaled(self, x):
            return x * self.weight

    assert Model().same(3).numpy() == 3
    same, scaled = Model().same, Model().scaled
    gc.collect()
    assert same(3).numpy() == 3
    with pytest.raises(ValueError, match=r"'scaled' is a tf.function is gone, and with it 'weight'"):
        scaled(3)


# --- recording ---------------------------------------------------------------------------------------------------------


def test_the_initial_value_of_a_variable_may_depend_on_the_arguments():
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(2.0 * x))
        return made[0] * x

    assert f(tf.constant(1.0)).numpy() == 2.0
    assert f(tf.constant(3.0)).numpy() == 6.0
    made.clear()
    g = tf.function(f.python_function)
    with pytest.raises(ValueError, match="depends on the function's arguments"):
        g.get_concrete_function(tf.TensorSpec([]))


def test_a_creator_makes_the_variables_of_its_block():
    seen = []

    def doubled(next_creator, **settings):
        seen.append(settings["name"])
        return next_creator(**{**settings, "initial_value": settings["initial_value"] * 2})

    def fixed(next_creator, **settings):
        return next_creator(**{**settings, "trainable": False})

    made = []

    @tf.function
    def f():
        if not made:
            made.append(tf.Variable(1.0, name="inside"))
        return made[0] + 1.0

    with tf.variable_creator_scope(doubled):
        with tf.variable_creator_scope(fixed):
            v = tf.Variable(3.0, name="v")
        w = tf.Variable(3.0)
        assert f().numpy() == 3.0
    assert (v.numpy(), v.trainable, w.numpy(), w.trainable) == (6.0, False, 6.0, True)
    assert seen == ["v", None, "inside"]
    assert tf.Variable(1.0).numpy() == 1.0


def test_the_error_of_a_tensor_out_of_scope_says_where_it_was_made():
    kept = []

    @tf.function
    def keeps(x):
        kept.append(x)
        return x

    keeps(tf.constant(1.0))
    with pytest.raises(
        TypeError, match=r"inside the function 'keeps' \(test_bound_arguments.py:\d+\), is out of scope"
    ):
        kept[0] + 1.0


def test_a_gradient_function_runs_while_the_function_is_recorded():
    calls = []

    @tf.custom_gradient
    def same(x):
        def grad(upstream):
            calls.append(1)
            return upstream

        return x, grad

    f = tf.function(same)
    f(tf.constant(1.0))
    assert calls == [1]
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy() == 1.0
    assert calls == [1]


def test_a_mask_of_unknown_rank_is_refused():
    f = tf.function(tf.boolean_mask)
    with pytest.raises(ValueError, match="mask dimensions must be specified"):
        f.get_concrete_function(tf.TensorSpec([None, 2], tf.int32), tf.TensorSpec(None, tf.bool))
    assert f.get_concrete_function(
        tf.TensorSpec([None, 2], tf.int32), tf.TensorSpec([None], tf.bool)
    ).output_shapes == [None, 2]


def test_an_axis_of_unknown_rank_waits_for_its_value():
    f = tf.function(lambda axis: tf.boolean_mask([1, 2, 3], [True, False, True], axis=axis))
    concrete = f.get_concrete_function(tf.TensorSpec(None, tf.int32))
    assert concrete.output_shapes.rank is None
    assert concrete(tf.constant(0)).numpy().tolist() == [1, 3]


# --- warnings ----------------------------------------------------------------------------------------------------------


def warnings_of(caplog):
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


def test_a_function_that_is_made_anew_each_time_is_named(caplog):
    with caplog.at_level(logging.WARNING, logger="gradtape"):
        for i in range(5):
            assert not warnings_of(caplog)
            tf.function(lambda x: x)(i)
    (text,) = warnings_of(caplog)
    assert "Apply it once, outside of the loop" in text


def test_a_function_recorded_inside_others_is_not_named(caplog):
    inner = tf.function(lambda x: x + 1)
    outer = tf.function(lambda x: inner(x) * 2)
    with caplog.at_level(logging.WARNING, logger="gradtape"):
        for n in range(4):
            inner(n)
        for n in range(4, 8):
            outer(n)
        assert not warnings_of(caplog)
        outer(8)
    (text,) = warnings_of(caplog)
    assert text.startswith("5 out of the last 5 calls to '<lambda>'")


def test_recordings_that_are_asked_for_are_not_counted(caplog):
    f = tf.function(lambda x: x)
    with caplog.at_level(logging.WARNING, logger="gradtape"):
        for n in range(8):
            f.get_concrete_function(n)
    assert not warnings_of(caplog)


def test_a_function_that_is_used_again_is_not_named(caplog):
    f = tf.function(lambda x: x)
    Point = collections.namedtuple("Point", ["x"])
    with caplog.at_level(logging.WARNING, logger="gradtape"):
        for n in range(8):
            f(Point(n))
            f(Point(n))
    assert not warnings_of(caplog)
