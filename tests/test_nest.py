"""tf.nest: None is a leaf, keys are sorted, every container is rebuilt as what it was."""

from collections import OrderedDict, UserDict, defaultdict, deque, namedtuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradtape as tf

Point = namedtuple("Point", "x y")


class Rows(list):
    pass


class Table(dict):
    pass


class Pair(tuple):
    pass


@pytest.mark.parametrize(
    ("structure", "leaves"),
    [
        (1, [1]),
        (None, [None]),
        ("abc", ["abc"]),
        ([], []),
        ([None, [1]], [None, 1]),
        ({"b": 1, "a": [2, (3,)]}, [2, 3, 1]),
        (OrderedDict([("b", 1), ("a", 2)]), [2, 1]),
        (defaultdict(int, b=1, a=2), [2, 1]),
        (UserDict(b=1, a=2), [2, 1]),
        ({2: "x", 10: "y"}, ["x", "y"]),
        (Point(1, [2]), [1, 2]),
        (Rows([1, Rows([2])]), [1, 2]),
        (Table(b=1, a=2), [2, 1]),
        (Pair([1, 2]), [1, 2]),
        (deque([1, 2]), [1, 2]),
        (range(3), [0, 1, 2]),
        ({"a": 1}.values(), [1]),
        ({1, 2}, [{1, 2}]),
        (tf.TensorShape([1, 2]), [tf.TensorShape([1, 2])]),
    ],
    ids=str,
)
def test_flatten(structure, leaves):
    assert tf.nest.flatten(structure) == leaves


def test_arrays_and_tensors_are_leaves():
    for leaf in (np.ones(2), tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])):
        assert not tf.nest.is_nested(leaf)
        assert tf.nest.flatten([leaf])[0] is leaf


@pytest.mark.parametrize(
    "structure",
    [
        {"b": 1, "a": [2, (3,)]},
        OrderedDict([("b", 1), ("a", 2)]),
        defaultdict(int, b=1, a=2),
        Point(1, [2]),
        Rows([1, Rows([2])]),
        Table(b=1, a=2),
        Pair([1, 2]),
        deque([1, 2]),
        [None, {"x": ()}],
    ],
    ids=str,
)
def test_packing_the_leaves_gives_the_structure_back(structure):
    again = tf.nest.pack_sequence_as(structure, tf.nest.flatten(structure))
    assert again == structure
    assert type(again) is type(structure)
    if hasattr(structure, "keys"):
        assert list(again) == list(structure)


def test_a_defaultdict_keeps_its_default():
    assert tf.nest.map_structure(lambda x: x, defaultdict(list, a=1)).default_factory is list


@pytest.mark.parametrize(("structure", "values"), [([1, 2], [1]), (1, [1, 2]), ([], [1])])
def test_packing_the_wrong_number_is_an_error(structure, values):
    with pytest.raises(ValueError, match="values"):
        tf.nest.pack_sequence_as(structure, values)


def test_map_structure_goes_through_several():
    assert tf.nest.map_structure(lambda a, b: a + b, [1, {"a": 2}], [10, {"a": 20}]) == [11, {"a": 22}]
    assert tf.nest.map_structure(lambda a, b: a + b, [1], (1,), check_types=False) == [2]
    assert tf.nest.map_structure(lambda x: x * 2, {"b": tf.constant(1.0)})["b"].numpy() == 2.0


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.nest.map_structure(lambda a, b: a, [1], [1, 2]), ValueError),
        (lambda: tf.nest.map_structure(lambda a, b: a, [1], [[1]]), ValueError),
        (lambda: tf.nest.map_structure(lambda a, b: a, [1], (1,)), TypeError),
        (lambda: tf.nest.map_structure(3, [1]), TypeError),
        (lambda: tf.nest.map_structure(lambda a: a, [1], foo=2), ValueError),
        (lambda: tf.nest.map_structure(lambda: 1), ValueError),
        (lambda: tf.nest.assert_same_structure([1, 2], 3), ValueError),
        (lambda: tf.nest.assert_same_structure({"a": 1}, {"b": 1}), ValueError),
        (lambda: tf.nest.assert_same_structure([1], (1,)), TypeError),
        (lambda: tf.nest.assert_same_structure(Point(1, 2), namedtuple("Other", "x y")(1, 2)), TypeError),
    ],
)
def test_structures_that_differ_are_errors(call, error):
    with pytest.raises(error):
        call()


def test_mappings_and_equal_namedtuples_are_one_kind():
    tf.nest.assert_same_structure({"a": 1}, OrderedDict(a=1))
    tf.nest.assert_same_structure(Point(1, 2), namedtuple("Point", "x y")(3, 4))


leaves = st.none() | st.integers() | st.text(max_size=2)
structures = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.builds(Point, inner, inner)
    ),
    max_leaves=12,
)


@given(structures)
def test_flattening_and_packing_are_inverse(structure):
    flat = tf.nest.flatten(structure)
    assert tf.nest.pack_sequence_as(structure, flat) == structure
    assert not any(tf.nest.is_nested(leaf) for leaf in flat)


def test_gradients_come_in_the_structure_of_the_sources():
    sources = OrderedDict(b=tf.constant(2.0), a=Rows([tf.constant(3.0)]))
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = sources["b"] ** 2 + 10.0 * sources["a"][0]
    result = tape.gradient(y, sources)
    assert list(result) == ["b", "a"]
    assert type(result["a"]) is Rows
    assert (result["b"].numpy(), result["a"][0].numpy()) == (4.0, 10.0)
