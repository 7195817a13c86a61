"""TensorShape: sizes that may be unknown, of a rank that may be unknown."""

import copy
import itertools
import pickle

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.shapes import broadcast

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("dims", "text", "long_text"),
    [
        ([], "()", "TensorShape([])"),
        ([3], "(3,)", "TensorShape([3])"),
        ([1, None], "(1, None)", "TensorShape([1, None])"),
        (None, "<unknown>", "TensorShape(None)"),
    ],
)
def test_shapes_print_as_tensorflows(dims, text, long_text):
    assert (str(tf.TensorShape(dims)), repr(tf.TensorShape(dims))) == (text, long_text)


def test_shapes_are_made_of_anything_that_counts():
    assert tf.TensorShape(5) == [5]
    assert tf.TensorShape([tf.constant(3), np.int64(4)]) == (3, 4)
    assert tf.TensorShape(tf.constant([3, 4])) == (3, 4)
    assert tf.TensorShape(np.array([3, 4])).as_list() == [3, 4]


@pytest.mark.parametrize(
    ("dims", "error"), [([1, -1], ValueError), ([-2], ValueError), ([1.5], TypeError), ("ab", TypeError)]
)
def test_what_is_no_size_is_an_error(dims, error):
    with pytest.raises(error):
        tf.TensorShape(dims)


def test_equality_is_that_of_lists_and_tuples():
    shape = tf.TensorShape([1, 2])
    assert shape == [1, 2]
    assert shape == (1, 2)
    assert shape != [1, 3]
    assert tf.TensorShape(None) == None  # noqa: E711
    assert tf.TensorShape([]) != None  # noqa: E711
    assert tf.TensorShape([None]) == [None]
    assert tf.TensorShape([2]) == 2
    assert tf.TensorShape([2]) != "a"
    assert {tf.TensorShape([1, 2]): "found"}[tf.TensorShape((1, 2))] == "found"


def test_a_shape_is_a_sequence():
    shape = tf.zeros([2, 3]).shape
    rows, columns = shape
    assert (rows, columns, shape[-1], len(shape), 3 in shape) == (2, 3, 3, 2, True)
    assert list(reversed(shape)) == [3, 2]
    assert shape[1:] == [3]
    assert isinstance(shape[1:], tf.TensorShape)
    assert np.zeros(shape).shape == (2, 3)
    with pytest.raises(IndexError):
        shape[5]


def test_shapes_concatenate():
    shape = tf.TensorShape([1, 2])
    assert shape + [3] == [1, 2, 3]  # noqa: RUF005
    assert [3] + shape == [3, 1, 2]  # noqa: RUF005
    assert (3,) + shape == [3, 1, 2]  # noqa: RUF005
    assert shape.concatenate(3) == [1, 2, 3]
    assert (shape + None).rank is None


def test_of_an_unknown_rank_little_is_known():
    shape = tf.TensorShape(None)
    assert (shape.rank, shape.ndims, shape.dims, shape.num_elements()) == (None, None, None, None)
    assert not shape
    assert tf.TensorShape([])
    assert shape[0] is None
    assert shape[:2] == [None, None]
    assert shape[1:].rank is None
    for ask in (len, list, tf.TensorShape.as_list):
        with pytest.raises(ValueError, match="rank"):
            ask(shape)


def test_number_of_elements():
    assert [tf.TensorShape(s).num_elements() for s in ([2, None], [2, 3], [], [0, 2])] == [None, 6, 1, 0]


def test_compatible_shapes_merge():
    shape = tf.TensorShape([2, None])
    assert shape.is_compatible_with([2, 3])
    assert not shape.is_compatible_with([3, 3])
    assert not shape.is_compatible_with([2])
    assert tf.TensorShape(None).is_compatible_with([3])
    assert shape.merge_with([None, 3]) == [2, 3]
    assert shape.most_specific_compatible_shape([4, 5]) == [None, None]
    assert shape.most_specific_compatible_shape([4]).rank is None
    assert tf.TensorShape([1, 2]).is_subtype_of([1, None])
    assert not tf.TensorShape(None).is_subtype_of([1])
    for other in ([3, 3], [2]):
        with pytest.raises(ValueError, match="incompatible"):
            shape.merge_with(other)


def test_ranks_can_be_asserted():
    shape = tf.TensorShape([1, 2])
    assert tf.TensorShape(None).with_rank(2) == [None, None]
    assert shape.with_rank_at_least(2).with_rank_at_most(2) is shape
    for wrong in (
        lambda: shape.assert_has_rank(3),
        lambda: shape.with_rank_at_least(3),
        lambda: shape.with_rank_at_most(1),
        lambda: tf.TensorShape([None]).assert_is_fully_defined(),
    ):
        with pytest.raises(ValueError, match=r"[Ss]hape"):
            wrong()


@pytest.mark.parametrize("dims", [None, [], [1, None]])
def test_shapes_survive_copying_and_pickling(dims):
    shape = tf.TensorShape(dims)
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert copy.deepcopy(shape) == shape


def test_broadcasting_is_numpys():
    shapes = [shape for rank in range(4) for shape in itertools.product((0, 1, 2, 3), repeat=rank)]
    for first, second in itertools.product(shapes, repeat=2):
        try:
            expected = np.broadcast_shapes(first, second)
        except ValueError:
            expected = None
        assert broadcast(first, second) == expected
