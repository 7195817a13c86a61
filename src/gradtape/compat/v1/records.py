"""Functions of `tf.compat.v1.data` and `tf.compat.v1.python_io` that are more than a row of `table.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any


def _v2() -> Any:
    return sys.modules["gradtape"]


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The types of a dataset's elements.

    >>> import gradtape as tf
    >>> tf.compat.v1.data.get_output_types(tf.data.Dataset.range(3))
    tf.int64

    Args:
        dataset_or_iterator: A dataset or its iterator.

    Returns:
        The structure of an element, with types.
    """
    return _v2().nest.map_structure(lambda spec: getattr(spec, "dtype", None), dataset_or_iterator.element_spec)


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of a dataset's elements.

    >>> import gradtape as tf
    >>> tf.compat.v1.data.get_output_shapes(tf.data.Dataset.range(3))
    TensorShape([])

    Args:
        dataset_or_iterator: A dataset or its iterator.

    Returns:
        The structure of an element, with shapes.
    """
    return _v2().nest.map_structure(lambda spec: getattr(spec, "shape", None), dataset_or_iterator.element_spec)


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of a dataset's elements.

    >>> import gradtape as tf
    >>> tf.compat.v1.data.get_output_classes(tf.data.Dataset.range(3)) is tf.Tensor
    True

    Args:
        dataset_or_iterator: A dataset or its iterator.

    Returns:
        The structure of an element, with classes.
    """
    return _v2().nest.map_structure(lambda spec: spec.value_type, dataset_or_iterator.element_spec)


def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator over a dataset.

    >>> import gradtape as tf
    >>> tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next().numpy().item()
    0

    Args:
        dataset: A dataset.

    Returns:
        An iterator.
    """
    return iter(dataset)


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a file.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "records")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    >>> list(tf.compat.v1.python_io.tf_record_iterator(path))
    [b'one']

    Args:
        path: The path of the file.
        options: Its compression, as options, number or name.

    Yields:
        Bytes.
    """
    kind = getattr(options, "compression_type", options)
    name = {None: "", 0: "", 1: "ZLIB", 2: "GZIP"}.get(kind, kind)
    for record in _v2().data.TFRecordDataset(path, compression_type=name):
        yield record.numpy()


class TFRecordCompressionType:
    """The numbers of the compressions of records.

    >>> import gradtape as tf
    >>> tf.compat.v1.python_io.TFRecordCompressionType.GZIP
    2
    """

    NONE, ZLIB, GZIP = 0, 1, 2


def error_code_from_exception_type(cls: type) -> int | None:
    """The number of an error.

    >>> import gradtape as tf
    >>> tf.compat.v1.errors.error_code_from_exception_type(tf.errors.NotFoundError)
    5

    Args:
        cls: A class of `tf.errors`.

    Returns:
        A number; None for another class.
    """
    return next((code for code, name in _ERRORS.items() if getattr(_v2().errors, name) is cls), None)


def exception_type_from_error_code(error_code: int) -> Any:
    """The class of an error by its number.

    >>> import gradtape as tf
    >>> tf.compat.v1.errors.exception_type_from_error_code(5) is tf.errors.NotFoundError
    True

    Args:
        error_code: A number.

    Returns:
        A class of `tf.errors`.
    """
    return getattr(_v2().errors, _ERRORS[error_code])


_ERRORS = {
    1: "CancelledError",
    2: "UnknownError",
    3: "InvalidArgumentError",
    4: "DeadlineExceededError",
    5: "NotFoundError",
    6: "AlreadyExistsError",
    7: "PermissionDeniedError",
    8: "ResourceExhaustedError",
    9: "FailedPreconditionError",
    10: "AbortedError",
    11: "OutOfRangeError",
    12: "UnimplementedError",
    13: "InternalError",
    14: "UnavailableError",
    15: "DataLossError",
    16: "UnauthenticatedError",
}
