"""`tf.experimental.Optional`: a value that may be missing, in eager code, functions and datasets."""

from __future__ import annotations

import pytest

import gradtape as tf

Optional = tf.experimental.Optional
INT = tf.TensorSpec([], tf.int32)


def test_an_optional_has_its_value_or_none() -> None:
    full, empty = Optional.from_value({"a": 1, "b": [2.0, 3.0]}), Optional.empty(INT)
    assert bool(full.has_value(name="asked"))
    assert full.get_value(name="taken")["b"].numpy().tolist() == [2.0, 3.0]
    assert full.element_spec == {"a": INT, "b": tf.TensorSpec([2])}
    assert not bool(empty.has_value())
    assert empty.element_spec == INT
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        empty.get_value()


def test_it_has_two_names_and_is_made_by_its_functions_alone() -> None:
    assert tf.data.experimental.Optional is tf.experimental.Optional
    assert "Optional" in dir(tf.experimental)
    assert "OptionalSpec" in dir(tf)
    assert isinstance(Optional.from_value(1), Optional)
    with pytest.raises(TypeError, match="abstract"):
        Optional()  # type: ignore[abstract]
    with pytest.raises(TypeError, match="element_spec"):
        Optional.empty()  # type: ignore[call-arg]


def test_its_spec_is_that_of_the_value() -> None:
    spec = tf.OptionalSpec(INT)
    assert tf.type_spec_from_value(Optional.from_value(4)) == spec == tf.OptionalSpec.from_value(Optional.empty(INT))
    assert issubclass(spec.value_type, Optional)
    assert spec.is_compatible_with(Optional.from_value(4))
    assert not spec.is_compatible_with(Optional.from_value(4.0))
    assert repr(spec) == "OptionalSpec(TensorSpec(shape=(), dtype=tf.int32, name=None),)"
    assert Optional.from_value(Optional.from_value(1)).element_spec == spec


def test_functions_take_and_give_optionals() -> None:
    @tf.function(input_signature=[tf.OptionalSpec(INT)])
    def square(optional: Optional) -> tf.Tensor:
        if optional.has_value():
            return optional.get_value() ** 2
        return -1

    @tf.function
    def last(n: tf.Tensor) -> Optional:
        found = Optional.empty(INT)
        for i in tf.range(n):
            found = Optional.from_value(i)
        return found

    assert square(Optional.from_value(5)).numpy() == 25
    assert square(Optional.empty(INT)).numpy() == -1
    assert last(tf.constant(3)).get_value().numpy() == 2
    assert not bool(last(tf.constant(0)).has_value())


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_gradients_go_through_an_optional(wrap: object) -> None:
    x = tf.Variable(3.0)

    def slope() -> tf.Tensor:
        with tf.GradientTape() as tape:
            y = Optional.from_value(x * x).get_value()
        return tape.gradient(y, x)

    assert wrap(slope)().numpy() == 6.0  # type: ignore[operator]


def test_datasets_hold_optionals() -> None:
    dataset = tf.data.Dataset.range(3).map(lambda x: Optional.from_value(2 * x))
    assert dataset.element_spec == tf.OptionalSpec(tf.TensorSpec([], tf.int64))
    assert [o.get_value().numpy() for o in dataset] == [0, 2, 4]
    assert [x.numpy() for x in dataset.map(lambda o: o.get_value())] == [0, 2, 4]
    assert not bool(next(iter(tf.data.Dataset.from_tensors(Optional.empty(INT)))).has_value())


def test_an_iterator_gives_an_empty_one_at_the_end() -> None:
    iterator = iter(tf.data.Dataset.range(2))
    assert [bool(iterator.get_next_as_optional().has_value()) for _ in range(3)] == [True, True, False]
