"""What a dataset promises beyond the values of its elements: orders, views, specs, errors."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.data import structure

Dataset = tf.data.Dataset


def numbers(dataset):
    return [int(x) for x in dataset]


# --- shuffling ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "size"), [(300, 37), (300, 1), (10, 100), (5000, 4097), (0, 3)])
def test_rows_and_elements_are_shuffled_into_one_order(count, size):
    by_number = numbers(Dataset.range(count).shuffle(size, seed=5))
    by_element = numbers(Dataset.range(count).map(lambda x: x).shuffle(size, seed=5))
    in_batches = Dataset.range(count).shuffle(size, seed=5).batch(7)
    assert by_number == by_element == [int(x) for batch in in_batches for x in batch.numpy()]
    assert sorted(by_number) == list(range(count))


def test_an_element_never_comes_before_the_buffer_could_hold_it():
    order = numbers(Dataset.range(1000).shuffle(10))
    assert all(element < place + 10 for place, element in enumerate(order))


def test_every_order_has_the_same_chance():
    shuffled = Dataset.range(4).shuffle(4, seed=3)
    counts = np.zeros((4, 4))
    for _ in range(2000):
        counts[np.arange(4), numbers(shuffled)] += 1
    assert abs(counts - 500).max() < 5 * np.sqrt(500 * 0.75)


def test_each_iteration_has_its_order_and_seeds_repeat_all_of_them():
    shuffled = Dataset.range(20).shuffle(20, seed=1)
    first, second = numbers(shuffled), numbers(shuffled)
    assert first != second
    again = Dataset.range(20).shuffle(20, seed=1).repeat(2)
    assert numbers(again) == first + second
    fixed = Dataset.range(20).shuffle(20, seed=1, reshuffle_each_iteration=False)
    assert numbers(fixed) == numbers(fixed)


def test_the_global_seed_decides_where_there_is_no_other():
    tf.random.set_seed(4)
    first = numbers(Dataset.range(20).shuffle(20))
    tf.random.set_seed(4)
    assert numbers(Dataset.range(20).shuffle(20)) == first


def test_sampling_follows_the_weights():
    sampled = Dataset.sample_from_datasets(
        [Dataset.from_tensors(0).repeat(), Dataset.from_tensors(1).repeat()], weights=[0.25, 0.75], seed=1
    )
    assert 700 < sum(numbers(sampled.take(1000))) < 800


def test_samples_are_those_of_tensorflow_for_the_same_seeds():
    def sampled(**settings):
        return Dataset.sample_from_datasets([Dataset.range(6), Dataset.range(100, 106)], **settings)

    tf.random.set_seed(2)
    dataset = sampled(seed=1)
    assert numbers(dataset) == numbers(dataset) == [100, 101, 0, 102, 1, 103, 2, 3, 104, 4, 105, 5]
    assert numbers(sampled(seed=7, weights=[0.1, 0.9])) == [0, 1, 100, 101, 102, 2, 3, 103, 104, 105, 4, 5]
    renewed = sampled(seed=3, weights=[0.2, 0.8], rerandomize_each_iteration=True)
    assert numbers(renewed.take(6)) == [100, 101, 102, 103, 104, 105]
    assert numbers(renewed.take(6)) == [100, 0, 101, 102, 103, 104]
    changing = Dataset.from_tensors([0.3, 0.7]).repeat()
    assert numbers(sampled(seed=5, weights=changing).take(6)) == [100, 101, 102, 103, 104, 105]


# --- memory ------------------------------------------------------------------------------------------------


def test_batches_in_order_are_views_and_shuffled_ones_one_copy():
    dataset = Dataset.from_tensor_slices(np.arange(1000.0).reshape(100, 10))
    whole = dataset._node.element._array
    assert all(np.shares_memory(batch._array, whole) for batch in dataset.batch(32))
    assert all(batch._array.base is None for batch in dataset.shuffle(100).batch(32))


def test_a_dataset_keeps_the_values_it_was_given():
    array = np.arange(3)
    dataset = Dataset.from_tensor_slices(array)
    array[:] = 7
    assert numbers(dataset) == [0, 1, 2]


def test_arrays_of_the_numpy_iterator_cannot_be_written_to():
    (batch,) = Dataset.range(3).batch(3).as_numpy_iterator()
    with pytest.raises(ValueError, match="read-only"):
        batch[0] = 1


# --- what is known -----------------------------------------------------------------------------------------


def test_specs_are_not_worked_out_before_somebody_asks():
    calls = []

    def follow(x):
        calls.append(x)
        return x

    dataset = Dataset.range(3).map(follow).batch(2).prefetch(1)
    repr(dataset)
    assert calls == []
    assert dataset.element_spec == tf.TensorSpec([None], tf.int64)
    assert len(calls) == 1


def test_functions_may_be_traced_ones():
    @tf.function
    def double(x):
        return 2 * x

    assert numbers(Dataset.range(4).map(double)) == [0, 2, 4, 6]
    assert numbers(Dataset.range(4).map(double, num_parallel_calls=2)) == [0, 2, 4, 6]


def test_options_are_kept_merged_and_checked():
    options = tf.data.Options()
    options.experimental_deterministic = False
    options.threading.private_threadpool_size = 2
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    found = Dataset.range(3).with_options(options).map(lambda x: x).batch(2).options()
    assert found.deterministic is False
    assert found.threading.private_threadpool_size == 2
    with pytest.raises(AttributeError, match="Cannot set the property fast"):
        options.fast = True


def test_optionals():
    iterator = iter(Dataset.range(1))
    assert int(iterator.get_next_as_optional().get_value()) == 0
    empty = iterator.get_next_as_optional()
    assert not empty.has_value()
    with pytest.raises(tf.errors.InvalidArgumentError):
        empty.get_value()


# --- errors ------------------------------------------------------------------------------------------------


def generated(*values, spec=None):
    return Dataset.from_generator(lambda: iter(values), output_signature=spec or tf.TensorSpec([], tf.int32))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: len(Dataset.range(3).repeat()), TypeError, "infinite"),
        (lambda: len(Dataset.range(3).filter(lambda x: x > 1)), TypeError, "unknown"),
        (lambda: Dataset.range(3)[0], TypeError, "not subscriptable"),
        (lambda: Dataset.from_tensor_slices(3), ValueError, "first axis"),
        (lambda: Dataset.from_tensor_slices(([1], [1, 2])), ValueError, "1 and 2 are not compatible"),
        (lambda: Dataset.range(1, 2, 3, 4), ValueError, "1 to 3"),
        (lambda: Dataset.range(3).batch(0), tf.errors.InvalidArgumentError, "at least 1"),
        (lambda: Dataset.range(3).shuffle(0), tf.errors.InvalidArgumentError, "greater than zero"),
        (lambda: Dataset.range(3).prefetch(-5), tf.errors.InvalidArgumentError, "AUTOTUNE"),
        (lambda: Dataset.range(3).map(3), ValueError, "function is needed"),
        (lambda: Dataset.range(3).map(lambda x: x, num_parallel_calls=0), tf.errors.InvalidArgumentError, "greater"),
        (lambda: Dataset.range(3).shard(2, 5), tf.errors.InvalidArgumentError, "index"),
        (lambda: Dataset.range(3).window(0), tf.errors.InvalidArgumentError, "size must be greater"),
        (lambda: Dataset.range(3).concatenate(Dataset.from_tensors(1.0)), TypeError, "different types"),
        (lambda: Dataset.range(3).concatenate([1]), TypeError, "dataset is needed"),
        (lambda: Dataset.zip((Dataset.range(3), [1])), TypeError, "datasets are needed"),
        (lambda: Dataset.range(3).apply(lambda d: 3), TypeError, "must return a dataset"),
        (lambda: Dataset.sample_from_datasets([Dataset.range(2)], weights=[1.0, 2.0]), ValueError, "weights"),
        (lambda: Dataset.from_generator([1]), TypeError, "callable"),
        (lambda: Dataset.from_generator(lambda: []), TypeError, "output_signature"),
        (lambda: Dataset.range(3).get_single_element(), tf.errors.InvalidArgumentError, "more than one"),
        (lambda: Dataset.range(0).get_single_element(), tf.errors.InvalidArgumentError, "empty"),
        (lambda: iter(Dataset.range(0)).get_next(), tf.errors.OutOfRangeError, "End of sequence"),
        (lambda: list(Dataset.range(3).filter(lambda x: x)), ValueError, "one boolean"),
        (lambda: list(Dataset.range(3).flat_map(lambda x: x)), TypeError, "dataset is needed"),
        (lambda: list(Dataset.range(3).scan(0, lambda s, x: s)), TypeError, "pair of state and output"),
        (lambda: Dataset.range(3).reduce(0.0, lambda s, x: x), TypeError, "Use tf.cast"),
        (lambda: list(generated("a")), tf.errors.InvalidArgumentError, "could not be converted"),
        (lambda: list(generated([1, 2])), tf.errors.InvalidArgumentError, r"shape \(2,\)"),
        (lambda: list(generated((1, 2), spec=(tf.TensorSpec([], tf.int32),))), TypeError, "structure"),
        (
            lambda: list(Dataset.range(1, 3).map(lambda n: tf.ones([n])).batch(2)),
            tf.errors.InvalidArgumentError,
            r"First element had shape \[1\] and element 1 had shape \[2\]",
        ),
        (
            lambda: list(Dataset.range(1, 3).map(lambda n: tf.ones([n])).padded_batch(2, [1])),
            tf.errors.DataLossError,
            "smaller size",
        ),
        (
            lambda: list(Dataset.range(3).padded_batch(2, ([], []))),
            ValueError,
            "does not fit an element of one component",
        ),
        (
            lambda: list(Dataset.range(3).apply(tf.data.experimental.assert_cardinality(4))),
            tf.errors.FailedPreconditionError,
            "contained only 3",
        ),
        (
            lambda: list(Dataset.choose_from_datasets([Dataset.range(3)], Dataset.range(2))),
            tf.errors.InvalidArgumentError,
            "out of range",
        ),
    ],
)
def test_what_is_wrong_has_a_named_error(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (
            lambda: Dataset.range(10).padded_batch(5, [1]),
            ValueError,
            r"padded shape \(1,\) is not compatible with the shape \(\)",
        ),
        (
            lambda: Dataset.from_tensors([1, 2, 3]).padded_batch(5, [1]),
            ValueError,
            r"\(1,\) is not compatible .* \(3,\)",
        ),
        (lambda: Dataset.from_tensors([1, 2]).padded_batch(5, [[1, 1], [1, 1]]), ValueError, r"its shape was \(2, 2\)"),
        (
            lambda: Dataset.from_tensors([1, 2]).padded_batch(5, tf.constant([1.5])),
            TypeError,
            "element type was float32",
        ),
        (
            lambda: Dataset.from_tensors(tf.sparse.from_dense([1])).padded_batch(5),
            TypeError,
            "not a subclass of TensorSpec",
        ),
        (
            lambda: Dataset.from_generator(lambda: iter([1]), tf.int32).padded_batch(2),
            ValueError,
            "`padded_shapes` .*unknown rank",
        ),
    ],
)
def test_what_cannot_be_padded_is_refused_where_the_dataset_is_made(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_padding_values_may_be_none_for_a_part_of_a_structure():
    rows = Dataset.range(1, 3).map(lambda n: (tf.fill([n], n), {"text": tf.strings.as_string(tf.fill([n], n))}))
    numbers, texts = next(iter(rows.padded_batch(2, ([-1], {"text": [-1]}), (np.int64(-1), None))))
    assert numbers.numpy().tolist() == [[1, -1], [2, 2]]
    assert texts["text"].numpy().tolist() == [[b"1", b""], [b"2", b"2"]]


def test_a_thousand_datasets_can_be_concatenated():
    """The cost of one more does not depend on how many there are, nor is there a deepest chain."""
    dataset = tf.data.Dataset.range(1)
    asked = []
    spec_of = structure.common_spec
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structure, "common_spec", lambda first, second: asked.append(1) or spec_of(first, second))
        for n in range(1, 2000):
            dataset = dataset.concatenate(tf.data.Dataset.range(n % 3))
    assert len(asked) < 2100
    assert dataset.cardinality() == 1 + sum(n % 3 for n in range(1, 2000))
    assert dataset.element_spec == tf.TensorSpec([], tf.int64)
    assert len(list(dataset)) == len(dataset)


def test_the_position_in_a_chain_is_restored(tmp_path):
    def made():
        parts = [tf.data.Dataset.range(10 * k, 10 * k + 3) for k in range(4)]
        return iter(parts[0].concatenate(parts[1]).concatenate(parts[2].concatenate(parts[3])))

    iterator = made()
    assert [int(next(iterator)) for _ in range(8)] == [0, 1, 2, 10, 11, 12, 20, 21]
    path = tf.train.Checkpoint(iterator=iterator).write(tmp_path / "ckpt")
    again = made()
    tf.train.Checkpoint(iterator=again).read(path)
    assert [int(n) for n in again] == [22, 30, 31, 32]
