"""The digits that ship with the package."""

import numpy as np
import pytest

from gradtape.datasets import digits

pytestmark = pytest.mark.quick


def test_the_split_has_all_images_once():
    (x_train, y_train), (x_test, y_test) = digits.load_data()
    assert x_train.shape == (1442, 8, 8)
    assert x_test.shape == (355, 8, 8)
    assert len(y_train) == 1442
    assert len(y_test) == 355
    assert len({image.tobytes() for image in x_train} & {image.tobytes() for image in x_test}) == 0


def test_values_are_those_of_the_source():
    (x_train, y_train), (x_test, y_test) = digits.load_data()
    assert x_train.dtype == x_test.dtype == y_train.dtype == y_test.dtype == np.uint8
    # Checked against the original text file: the sum of all pixels and the count of each digit.
    assert int(x_train.sum()) + int(x_test.sum()) == 561_718
    counts = np.bincount(y_train) + np.bincount(y_test)
    assert counts.tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_every_digit_has_a_fifth_of_its_images_in_the_test_part():
    (_, y_train), (_, y_test) = digits.load_data()
    share = np.bincount(y_test) / (np.bincount(y_train) + np.bincount(y_test))
    assert np.all(np.abs(share - 0.2) < 0.005)


def test_the_split_is_always_the_same():
    first, second = digits.load_data(), digits.load_data()
    for a, b in zip(first[0] + first[1], second[0] + second[1], strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_is_loaded_belongs_to_the_caller():
    (x_train, _), _ = digits.load_data()
    x_train[:] = 0
    assert digits.load_data()[0][0].max() == 16
