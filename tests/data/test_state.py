"""Saved positions: an iterator restored in the middle goes on exactly as the one that was not stopped."""

import collections
import json

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset
Pair = collections.namedtuple("Pair", "x y")


def arrays():
    return Dataset.from_tensor_slices((np.arange(20.0), {"n": np.arange(40).reshape(20, 2)}))


def words():
    return Dataset.from_tensor_slices(["one", "two", "three", "four", "five"] * 3)


def rows():
    return Dataset.range(1, 12).map(lambda n: tf.fill([n % 4], n))


def generated():
    def numbers():
        yield from range(15)

    return Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int32))


PIPELINES = {
    "range": lambda: Dataset.range(15),
    "slices": arrays,
    "one element": lambda: Dataset.from_tensors(1.0).repeat(9),
    "text": words,
    "generator": generated,
    "counter": lambda: Dataset.counter(3, 2).take(12),
    "random": lambda: Dataset.random(seed=4).take(12),
    "batch": lambda: arrays().batch(3),
    "take and skip": lambda: Dataset.range(30).skip(3).take(20).skip(2),
    "take and skip of elements": lambda: generated().skip(3).take(9),
    "shard": lambda: Dataset.range(40).shard(3, 1),
    "shard of elements": lambda: generated().shard(3, 1),
    "repeat": lambda: Dataset.range(4).repeat(4),
    "repeat of elements": lambda: generated().take(4).repeat(4),
    "shuffle": lambda: Dataset.range(30).shuffle(7, seed=1),
    "shuffle whole": lambda: Dataset.range(30).shuffle(100, seed=1).batch(4),
    "shuffle of elements": lambda: words().map(lambda x: x + "!").shuffle(4, seed=2),
    "shuffle, repeat, batch": lambda: arrays().shuffle(8, seed=3).repeat(3).batch(7),
    "repeat, shuffle, batch": lambda: arrays().repeat(2).shuffle(8, seed=3).batch(7),
    "shuffle twice": lambda: Dataset.range(20).shuffle(5, seed=1).shuffle(6, seed=2).repeat(2),
    "map": lambda: Dataset.range(12).map(lambda x: (x, x * x)),
    "parallel map": lambda: Dataset.range(30).map(lambda x: {"x": x * x}, num_parallel_calls=3),
    "tuned map": lambda: Dataset.range(30).map(lambda x: x * x, num_parallel_calls=tf.data.AUTOTUNE),
    "named tuples": lambda: Dataset.range(20).map(lambda x: Pair(x, -x)).shuffle(5, seed=1).prefetch(2),
    "prefetch": lambda: arrays().shuffle(5, seed=1).batch(3).prefetch(2),
    "prefetch of text": lambda: words().prefetch(3),
    "filter": lambda: Dataset.range(30).filter(lambda x: x % 3 == 0),
    "take_while": lambda: Dataset.range(30).take_while(lambda x: x < 10),
    "unique": lambda: Dataset.from_tensor_slices([1, 2, 1, 3, 2, 4, 1, 5]).unique(),
    "scan": lambda: Dataset.range(12).scan((np.int64(0), 1.0), lambda s, x: ((s[0] + x, s[1] * 2), s[0])),
    "enumerate": lambda: words().enumerate(),
    "enumerate of elements": lambda: generated().enumerate(5),
    "zip": lambda: Dataset.zip((generated(), Dataset.range(20).shuffle(3, seed=1))),
    "concatenate": lambda: Dataset.range(5).concatenate(Dataset.range(9)).batch(2),
    "flat_map": lambda: Dataset.range(5).flat_map(lambda x: Dataset.range(x)),
    "interleave": lambda: Dataset.range(7).interleave(lambda x: Dataset.range(x), cycle_length=3, block_length=2),
    "parallel interleave": lambda: Dataset.range(7).interleave(
        lambda x: Dataset.range(x), cycle_length=3, num_parallel_calls=3
    ),
    "padded_batch": lambda: rows().padded_batch(2),
    "unbatch": lambda: Dataset.range(17).batch(5).unbatch().batch(2),
    "rebatch": lambda: Dataset.range(17).batch(5).rebatch([2, 3]),
    "window": lambda: Dataset.range(17).window(3, shift=2).flat_map(lambda w: w.batch(3)),
    "group_by_window": lambda: Dataset.range(17).group_by_window(
        lambda x: x % 3, lambda k, g: g.batch(2), window_size=4
    ),
    "cache": lambda: Dataset.range(6).map(lambda x: x * 2).cache().repeat(3),
    "sample_from_datasets": lambda: Dataset.sample_from_datasets([Dataset.range(9), generated().map(np.int64)], seed=5),
    "choose_from_datasets": lambda: Dataset.choose_from_datasets(
        [Dataset.range(9), Dataset.range(50, 60)], Dataset.range(2).repeat(8)
    ),
    "ignore_errors": lambda: Dataset.range(9).map(_refuses_four).ignore_errors(),
    "ragged": lambda: Dataset.range(9).map(lambda x: tf.range(x)).ragged_batch(2).shuffle(2, seed=1).prefetch(1),
    "sparse": lambda: Dataset.from_tensor_slices(tf.sparse.eye(9)).shuffle(3, seed=1).batch(2).prefetch(1),
}


def _refuses_four(x):
    if int(x) == 4:
        raise ValueError("four")
    return x


def plain(element):
    def leaf(value):
        if isinstance(value, tf.SparseTensor):
            value = tf.sparse.to_dense(value)
        if isinstance(value, tf.RaggedTensor):
            return value.to_list()
        array = np.asarray(value)
        return str(array.dtype), array.shape, array.tolist()

    return repr(tf.nest.map_structure(leaf, element))


def check_plain(state):
    """Nothing but what any file format can hold."""
    if isinstance(state, dict):
        assert all(isinstance(key, str) for key in state)
        for value in state.values():
            check_plain(value)
    elif isinstance(state, list):
        for value in state:
            check_plain(value)
    elif isinstance(state, np.ndarray):
        assert state.dtype.kind in "biufc"
    else:
        json.dumps(state)
        assert not isinstance(state, int) or -(2**63) <= state < 2**63


@pytest.mark.parametrize("name", PIPELINES)
def test_a_restored_iterator_goes_on_as_the_one_that_was_saved(name):
    whole = [plain(element) for element in PIPELINES[name]()]
    assert len(whole) >= 4
    for count in {0, 1, 3, len(whole) // 2, len(whole) - 1, len(whole)}:
        saved = iter(PIPELINES[name]())
        for _ in range(count):
            next(saved)
        state = saved.get_state()
        check_plain(state)
        assert [plain(element) for element in saved] == whole[count:], f"{name}: saving after {count} changed the run"
        restored = iter(PIPELINES[name]())
        restored.set_state(state)
        assert [plain(element) for element in restored] == whole[count:], f"{name}: restored after {count}"


@pytest.mark.parametrize("name", ["shuffle, repeat, batch", "parallel map", "prefetch", "interleave", "cache"])
def test_an_iterator_that_is_underway_can_be_sent_elsewhere(name):
    dataset = PIPELINES[name]()
    iterator = iter(dataset)
    next(iterator)
    state = iterator.get_state()
    first = [plain(element) for element in iterator]
    iterator.set_state(state)
    assert [plain(element) for element in iterator] == first


def test_the_epochs_after_a_restored_one_are_those_of_the_run_that_was_not_stopped():
    def build():
        return Dataset.range(12).shuffle(5, seed=9)

    dataset = build()
    epochs = [[int(x) for x in dataset] for _ in range(4)]
    assert len({tuple(epoch) for epoch in epochs}) == 4

    resumed, iterator = build(), None
    for _ in range(2):  # two epochs, the second stopped in the middle
        iterator = iter(resumed)
        for _ in range(6):
            next(iterator)
    state = iterator.get_state()

    again = build()
    iterator = iter(again)
    iterator.set_state(state)
    assert [int(x) for x in iterator] == epochs[1][6:]
    assert [int(x) for x in again] == epochs[2]
    assert [int(x) for x in again] == epochs[3]


def test_an_unseeded_shuffle_goes_on_too():
    first = iter(Dataset.range(50).shuffle(20))
    for _ in range(10):
        next(first)
    second = iter(Dataset.range(50).shuffle(20))
    second.set_state(first.get_state())
    assert [int(x) for x in first] == [int(x) for x in second]


def test_random_augmentation_ahead_of_the_loop_is_kept():
    """What prefetch has made already is in the state: it cannot be made again from the same random numbers."""

    def build():
        return Dataset.range(20).map(lambda x: tf.random.uniform([2])).prefetch(4)

    tf.random.set_seed(3)
    iterator = iter(build())
    for _ in range(5):
        next(iterator)
    state = iterator.get_state()
    ready = [element["array"].tolist() for element in state["iterator"]["ready"]]
    restored = iter(build())
    restored.set_state(state)
    assert [next(restored).numpy().tolist() for _ in ready] == ready


def test_a_state_of_another_pipeline_is_refused_by_name():
    state = iter(Dataset.range(5).batch(2)).get_state()
    with pytest.raises(ValueError, match="does not fit this dataset"):
        iter(Dataset.range(5).shuffle(2)).set_state(state)


def test_a_file_is_read_on_from_where_it_was_left(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text("".join(f"{name}{number}\r\n" for number in range(5)))
        with tf.io.TFRecordWriter(tmp_path / f"{name}.rec", "GZIP") as writer:
            for number in range(5):
                writer.write(f"{name}{number}")

    def lines():
        return tf.data.TextLineDataset([tmp_path / "a", tmp_path / "b"])

    def records():
        return tf.data.TFRecordDataset([str(tmp_path / "a.rec"), str(tmp_path / "b.rec")], "GZIP")

    def pieces():
        return tf.data.FixedLengthRecordDataset(str(tmp_path / "a"), 4)

    for build in (lines, records, pieces):
        whole = [x.numpy() for x in build()]
        for count in range(len(whole) + 1):
            iterator = iter(build())
            for _ in range(count):
                next(iterator)
            restored = iter(build())
            restored.set_state(iterator.get_state())
            assert [x.numpy() for x in restored] == whole[count:]


def test_a_waiting_error_is_named_when_the_state_is_asked_for():
    iterator = iter(Dataset.range(10).map(_refuses_four).prefetch(20))
    next(iterator)
    next(iterator)
    while not iterator._inner._ahead._buffer.ended:
        pass
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"cannot be saved.*four"):
        iterator.get_state()
    assert [int(next(iterator)) for _ in range(2)] == [2, 3]  # and nothing is lost
    with pytest.raises(ValueError, match="four"):
        next(iterator)
    assert int(next(iterator)) == 5
