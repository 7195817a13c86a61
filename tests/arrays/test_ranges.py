"""`tf.range` counts in the type of its result."""

import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("bounds", "dtype", "count"),
    [
        ((0.1, 1.1, 0.1), None, 10),  # as doubles, the float32 bounds would have room for an eleventh
        ((0.0, 1.0, 0.1), None, 10),
        ((1.0, 0.0, -0.25), None, 4),
        ((0.0, 0.3, 0.1), "float64", 3),
        ((1, 10, 3), None, 3),
        ((10, 0, -3), None, 4),
        ((0,), None, 0),
        ((3,), "bfloat16", 3),
    ],
)
def test_a_range_has_as_many_numbers_as_in_tensorflow(bounds, dtype, count):
    assert tf.range(*bounds, dtype=dtype).shape == (count,)
