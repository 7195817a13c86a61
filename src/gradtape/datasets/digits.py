"""Handwritten digits: 1,797 grey images of 8x8 pixels (source, citation and licence: README.md here)."""

import importlib.resources

import numpy as np
import numpy.typing as npt

__all__ = ["load_data"]

Images = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.uint8]


def load_data() -> tuple[tuple[Images, Labels], tuple[Images, Labels]]:
    """Return `(x_train, y_train), (x_test, y_test)`, always with the same split.

    Images are `uint8` of shape `(n, 8, 8)` with values from 0 (paper) to 16 (ink); labels are `uint8` of
    shape `(n,)`, the digits 0 to 9. Of each digit, every fifth image is a test image, so that both parts
    hold all digits in equal measure.

    >>> from gradtape.datasets import digits
    >>> (x_train, y_train), (x_test, y_test) = digits.load_data()
    >>> x_train.shape, x_test.shape
    ((1442, 8, 8), (355, 8, 8))
    >>> print(x_train[0])
    [[ 0  0  5 13  9  1  0  0]
     [ 0  0 13 15 10 15  5  0]
     [ 0  3 15  2  0 11  8  0]
     [ 0  4 12  0  0  8  8  0]
     [ 0  5  8  0  0  9  8  0]
     [ 0  4 11  0  1 12  7  0]
     [ 0  2 14  5 10 12  0  0]
     [ 0  0  6 13 10  0  0  0]]
    >>> y_train[0]
    np.uint8(0)
    """
    file = importlib.resources.files("gradtape.datasets").joinpath("digits.npz")
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        images: Images = arrays["images"]
        labels: Labels = arrays["labels"]
    is_test = np.zeros(len(labels), dtype=bool)
    for digit in range(10):
        is_test[np.flatnonzero(labels == digit)[4::5]] = True
    return (images[~is_test], labels[~is_test]), (images[is_test], labels[is_test])
