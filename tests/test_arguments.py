"""What arguments that are no tensors must be, and the classes of errors that several layers of TensorFlow share."""

import inspect
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape import errors
from gradtape.op import arguments
from gradtape.op.arguments import flag, number, sequence, takes, text, truth, whole_number

X = tf.constant([1.0, 2.0, 3.0, 4.0])


@takes(low=flag, name=text, size=number)
def settings(x: Any, low: bool = True, name: str = "a", size: float = 1.0) -> Any:
    return low, name, size


@pytest.mark.quick
def test_what_is_left_out_and_none_are_the_default() -> None:
    assert settings(1) == (True, "a", 1.0)
    assert settings(1, None, None) == (True, "a", 1.0)
    assert settings(1, size=None, low=False) == (False, "a", 1.0)


@pytest.mark.parametrize(
    "wrong", [{"low": 1}, {"low": "yes"}, {"name": 3}, {"size": "a"}, {"size": [1.0]}, {"size": 1j}]
)
def test_a_wrong_kind_is_a_type_error_that_names_the_argument(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=next(iter(wrong))):
        settings(1, **wrong)


def test_a_checked_function_keeps_its_name_and_signature() -> None:
    assert settings.__name__ == "settings"
    with pytest.raises(TypeError, match="no_such_argument"):
        settings(1, no_such_argument=1)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (flag, [True, False], [0, 1, "a", None, np.True_]),
        (truth, [True, tf.constant(False)], [1, "a", None, [True, False]]),
        (text, ["a", b"a"], [1, None, ["a"]]),
        (sequence, [[], (1,)], [1, None, {1}, tf.constant([1])]),
        (number, [1, 1.5, np.float32(2), tf.constant(1.0)], ["1", 1j, [1.0], None]),
        (whole_number, [1, 1.5, np.int64(2)], ["1", [1], np.nan, None]),
        (arguments.count, [1, 2.5], [0, -1, "a", None]),
        (arguments.function, [len], [1, None]),
        (arguments.real, [1, 1.5], [1j]),
        (arguments.tensor_type, [tf.float32, "int32", np.int8], ["a", 1.5, None]),
    ],
)
def test_each_kind(check: Any, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        check("x", value)
    for value in bad:
        with pytest.raises(TypeError):
            check("x", value)


@pytest.mark.parametrize(
    ("call", "classes"),
    [
        (lambda: tf.roll(X, 1.5, 0), (tf.errors.InvalidArgumentError, TypeError)),
        (lambda: tf.zeros(object()), (ValueError, TypeError)),
        (lambda: tf.eye(np.inf), (OverflowError, TypeError)),
        (lambda: tf.abs("a"), (tf.errors.InvalidArgumentError, TypeError, tf.errors.NotFoundError)),
        (lambda: tf.convert_to_tensor(X, tf.int32), (ValueError,)),
        (lambda: tf.add(X, tf.constant([1, 2, 3, 4])), (tf.errors.InvalidArgumentError, TypeError)),
        (lambda: tf.reduce_sum(None), (ValueError,)),
        (lambda: tf.cast(X, "a"), (TypeError,)),
        (lambda: tf.sort(X, direction=3), (TypeError,)),
        (lambda: tf.cumsum(X, exclusive=1), (TypeError,)),
        (lambda: tf.matmul(X[None], X[:, None], transpose_a=0), (TypeError,)),
        (lambda: tf.image.adjust_gamma(tf.ones([2, 2, 3]), np.nan), (ValueError,)),
        (lambda: tf.nn.softmax_cross_entropy_with_logits(1.0, X), (tf.errors.InvalidArgumentError,)),
        (lambda: tf.raw_ops.ReluGrad(gradients=X, features=1.0), (tf.errors.InvalidArgumentError,)),
        (lambda: tf.tile(X, 2), (tf.errors.InvalidArgumentError,)),
        (lambda: tf.linalg.lstsq(1.0, X), (tf.errors.InvalidArgumentError, ValueError, IndexError)),
    ],
)
def test_every_class_that_tensorflow_may_raise_catches_it(call: Any, classes: tuple[type[Exception], ...]) -> None:
    for kind in classes:
        with pytest.raises(kind):
            call()


def test_none_stands_for_the_default_of_a_kernels_attribute() -> None:
    assert tf.cumsum(X, exclusive=None).numpy().tolist() == [1.0, 3.0, 6.0, 10.0]
    assert tf.argmax(X, output_type=None).dtype == tf.int64
    assert tf.unique([1, 1], None).idx.dtype == tf.int32


def test_pinv_of_nan_is_nan() -> None:
    assert np.isnan(tf.linalg.pinv(np.full((2, 2), np.nan, np.float32)).numpy()).all()


def test_classes_of_one_cause_are_of_all_its_kinds() -> None:
    assert issubclass(errors.NumberNeededError, (tf.errors.InvalidArgumentError,))
    assert issubclass(errors.RankError, IndexError)
    assert issubclass(errors.RankError, ValueError)
    assert issubclass(errors.UnsupportedTypeError, tf.errors.NotFoundError)


def test_defaults_that_programs_read_are_those_of_tensorflow() -> None:
    assert inspect.signature(tf.math.count_nonzero).parameters["keepdims"].default is None
    assert inspect.signature(tf.math.sobol_sample).parameters["dtype"].default is tf.float32
