"""What is no op: tapes, functions, structures, pipelines and files, each with n of something."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import gradtape as tf


@dataclass(frozen=True)
class Program:
    """`make(n)` gives a call that treats n things."""

    name: str
    make: Callable[[int], Callable[[], Any]]
    dimensions: int = 1

    def size(self, factor: int) -> int:
        return factor

    def data(self, factor: int) -> int:
        return factor


PROGRAMS: list[Program] = []


def program(make: Callable[[int], Callable[[], Any]]) -> Callable[[int], Callable[[], Any]]:
    PROGRAMS.append(Program(make.__name__.replace("_", " "), make))
    return make


def _gradient(forward: Callable[[Any], Any], *sources: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = forward(*sources)
    return tape.gradient(y, sources)


# --- tapes -----------------------------------------------------------------------------------------------------------


@program
def a_chain_of_ops(n: int) -> Callable[[], Any]:
    def chain(x: Any) -> Any:
        for _ in range(n):
            x = x * 1.0001
        return x

    return lambda: _gradient(chain, tf.constant([1.0, 2.0]))


@program
def a_tensor_used_often(n: int) -> Callable[[], Any]:
    return lambda: _gradient(lambda x: tf.add_n([x * float(i) for i in range(n)]), tf.constant([1.0, 2.0]))


@program
def a_sum_one_by_one(n: int) -> Callable[[], Any]:
    def total(x: Any) -> Any:
        result = x
        for _ in range(n):
            result = result + x
        return result

    return lambda: _gradient(total, tf.constant([1.0, 2.0]))


@program
def elements_taken_one_by_one(n: int) -> Callable[[], Any]:
    return lambda: _gradient(lambda x: tf.add_n([x[i % 8] for i in range(n)]), tf.constant([1.0] * 8))


@program
def many_variables(n: int) -> Callable[[], Any]:
    variables = [tf.Variable([1.0, 2.0]) for _ in range(n)]

    def run() -> Any:
        with tf.GradientTape() as tape:
            y = tf.add_n([v * 2.0 for v in variables])
        return tape.gradient(y, variables)

    return run


@program
def many_targets(n: int) -> Callable[[], Any]:
    x = tf.constant([1.0, 2.0])
    return lambda: _gradient(lambda x: [x * float(i) for i in range(n)], x)


@program
def sources_that_nothing_depends_on(n: int) -> Callable[[], Any]:
    sources = [tf.constant(1.0) for _ in range(n)]
    return lambda: _gradient(lambda *given: given[0] * 2.0, *sources)


@program
def a_persistent_tape(n: int) -> Callable[[], Any]:
    def run() -> None:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            parts = [x * float(i) for i in range(n)]
        for part in parts:
            tape.gradient(part, x)

    return run


@program
def nested_tapes(n: int) -> Callable[[], Any]:
    def run() -> Any:
        x = tf.constant([1.0, 2.0])
        with contextlib.ExitStack() as stack:
            tapes = [stack.enter_context(tf.GradientTape()) for _ in range(n // 8)]
            for tape in tapes:
                tape.watch(x)
            y = x * x
        return [tape.gradient(y, x) for tape in tapes]

    return run


@program
def forward_mode_along_a_chain(n: int) -> Callable[[], Any]:
    def run() -> Any:
        x = tf.constant([1.0, 2.0])
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = x
            for _ in range(n):
                y = y * 1.0001
        return accumulator.jvp(y)

    return run


@program
def an_elementwise_jacobian_row_by_row(n: int) -> Callable[[], Any]:
    def run() -> Any:
        x = tf.ones([n, 4])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.batch_jacobian(y, x)

    return run


# --- many operands ---------------------------------------------------------------------------------------------------


def _parts(n: int) -> list[Any]:
    return [tf.constant([float(i), 1.0]) for i in range(n)]


@program
def concat_of_many(n: int) -> Callable[[], Any]:
    parts = _parts(n)
    return lambda: _gradient(lambda *given: tf.concat(given, 0), *parts)


@program
def stack_of_many(n: int) -> Callable[[], Any]:
    parts = _parts(n)
    return lambda: _gradient(lambda *given: tf.stack(given), *parts)


@program
def unstack_into_many(n: int) -> Callable[[], Any]:
    x = tf.ones([n, 2])
    return lambda: _gradient(lambda given: tf.unstack(given), x)


@program
def split_into_many(n: int) -> Callable[[], Any]:
    x = tf.ones([n, 2])
    return lambda: _gradient(lambda given: tf.split(given, n), x)


@program
def a_tensor_array(n: int) -> Callable[[], Any]:
    def run() -> Any:
        def fill(x: Any) -> Any:
            array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            for i in range(n):
                array = array.write(i, x)
            return array.stack()

        return _gradient(fill, tf.constant([1.0, 2.0]))

    return run


@program
def a_structure_of_many(n: int) -> Callable[[], Any]:
    structure = {str(i): [i, (i, i)] for i in range(n)}
    return lambda: tf.nest.map_structure(lambda leaf: leaf + 1, structure)


@program
def a_deep_structure(n: int) -> Callable[[], Any]:
    structure: Any = 0
    for _ in range(min(n, 400)):
        structure = [structure, 1]
    wide = [structure] * max(1, n // 400)
    return lambda: tf.nest.flatten(wide)


# --- traced functions ------------------------------------------------------------------------------------------------


@program
def tracing_many_ops(n: int) -> Callable[[], Any]:
    def chain(x: Any) -> Any:
        for i in range(n // 8):
            x = tf.sin(x) * float(i)
        return x

    return lambda: tf.function(chain, autograph=False).get_concrete_function(tf.TensorSpec([2], tf.float32))


@program
def running_many_ops(n: int) -> Callable[[], Any]:
    @tf.function(autograph=False)
    def chain(x: Any) -> Any:
        for i in range(n // 8):
            x = tf.sin(x) * float(i)
        return x

    x = tf.constant([1.0, 2.0])
    chain(x)
    return lambda: chain(x)


@program
def steps_of_a_while_loop(n: int) -> Callable[[], Any]:
    def loop(x: Any) -> Any:
        return tf.while_loop(lambda i, _: i < n, lambda i, v: (i + 1, v * 1.0001), [tf.constant(0), x])[1]

    return lambda: _gradient(loop, tf.constant([1.0, 2.0]))


@program
def rows_of_map_fn(n: int) -> Callable[[], Any]:
    x = tf.ones([n, 2])
    return lambda: _gradient(lambda given: tf.map_fn(lambda row: row * 2.0, given), x)


@program
def rows_of_vectorized_map(n: int) -> Callable[[], Any]:
    x = tf.ones([n, 4])
    return lambda: _gradient(lambda given: tf.vectorized_map(lambda row: row * 2.0, given), x)


@program
def steps_of_scan(n: int) -> Callable[[], Any]:
    x = tf.ones([n, 2])
    return lambda: _gradient(lambda given: tf.scan(lambda a, row: a + row, given), x)


# --- text, ragged and sparse tensors ---------------------------------------------------------------------------------


@program
def words_of_a_text(n: int) -> Callable[[], Any]:
    text = tf.constant(" ".join(["word"] * n))
    return lambda: tf.strings.split(text)


@program
def joining_words(n: int) -> Callable[[], Any]:
    words = tf.constant(["word"] * n)
    return lambda: tf.strings.reduce_join(words)


@program
def rows_of_a_ragged_tensor(n: int) -> Callable[[], Any]:
    ragged = tf.RaggedTensor.from_row_lengths(tf.ones([2 * n]), [1, 3] * (n // 2))
    return lambda: tf.reduce_sum(ragged.to_tensor() * 2.0 + tf.reduce_sum(ragged, axis=1)[:, None])


@program
def ragged_constant(n: int) -> Callable[[], Any]:
    rows = [[1.0] * (i % 4) for i in range(n)]
    return lambda: tf.ragged.constant(rows)


@program
def values_of_a_sparse_tensor(n: int) -> Callable[[], Any]:
    places = np.stack([np.arange(n), np.arange(n) % 7], 1)
    sparse = tf.SparseTensor(places, tf.ones([n]), [n, 7])
    dense = tf.ones([7, 2])
    return lambda: (
        tf.sparse.reorder(sparse),
        tf.sparse.sparse_dense_matmul(sparse, dense),
        tf.sparse.reduce_sum(sparse, axis=1),
        tf.sparse.transpose(sparse),
        tf.sparse.to_dense(sparse),
        tf.sparse.add(sparse, sparse),
    )


@program
def scatters_into_a_variable(n: int) -> Callable[[], Any]:
    variable = tf.Variable(tf.zeros([64, 2]))
    delta = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([3]))

    def run() -> None:
        for _ in range(n):
            variable.scatter_add(delta)

    return run


@program
def a_lookup_table(n: int) -> Callable[[], Any]:
    keys = tf.constant([str(i) for i in range(n)])

    def run() -> Any:
        values = tf.range(n)
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)
        return table.lookup(keys)

    return run


# --- pipelines -------------------------------------------------------------------------------------------------------


def _all(dataset: Any) -> int:
    return sum(1 for _ in dataset)


STEPS_OF_PIPELINES: dict[str, Callable[[Any, int], Any]] = {
    "batch": lambda data, n: data.batch(16),
    "shuffle": lambda data, n: data.shuffle(n, seed=1),
    "window": lambda data, n: data.window(8, 4).flat_map(lambda part: part.batch(8)),
    "map": lambda data, n: data.map(lambda x: x + 1),
    "filter": lambda data, n: data.filter(lambda x: x > 3),
    "repeat": lambda data, n: data.repeat(2),
    "take and skip": lambda data, n: data.skip(n // 2).take(n // 4),
    "shard": lambda data, n: data.shard(4, 1),
    "prefetch": lambda data, n: data.prefetch(4),
    "cache": lambda data, n: data.cache().repeat(2),
    "unbatch": lambda data, n: data.batch(16).unbatch(),
    "padded_batch": lambda data, n: data.map(lambda x: tf.ones([2]) * tf.cast(x, tf.float32)).padded_batch(16),
    "zip": lambda data, n: tf.data.Dataset.zip((data, data)),
    "interleave": lambda data, n: data.interleave(lambda x: tf.data.Dataset.from_tensors(x), cycle_length=4),
    "group_by_window": lambda data, n: data.group_by_window(
        lambda x: x % 4, lambda key, part: part.batch(8), window_size=8
    ),
    "enumerate": lambda data, n: data.enumerate(),
    "scan": lambda data, n: data.scan(np.int64(0), lambda a, x: (a + x, x)),
    "unique": lambda data, n: data.unique(),
}


def _pipeline(step: Callable[[Any, int], Any]) -> Callable[[int], Callable[[], Any]]:
    return lambda n: lambda: _all(step(tf.data.Dataset.range(n), n))


PROGRAMS += [Program(f"a pipeline with {name}", _pipeline(step)) for name, step in STEPS_OF_PIPELINES.items()]


@program
def a_pipeline_from_arrays(n: int) -> Callable[[], Any]:
    rows = np.ones([n, 4], np.float32)
    return lambda: _all(tf.data.Dataset.from_tensor_slices(rows).shuffle(n).batch(16))


@program
def a_pipeline_from_a_generator(n: int) -> Callable[[], Any]:
    spec = tf.TensorSpec([], tf.int64)
    return lambda: _all(tf.data.Dataset.from_generator(lambda: iter(range(n)), output_signature=spec))


# --- files -----------------------------------------------------------------------------------------------------------


@program
def a_checkpoint_of_many_variables(n: int) -> Callable[[], Any]:
    variables = {f"v{i}": tf.Variable([1.0, 2.0]) for i in range(n)}

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            module = tf.Module()
            module.parts = variables
            path = tf.train.Checkpoint(module=module).save(os.path.join(folder, "saved"))
            tf.train.Checkpoint(module=module).restore(path).assert_consumed()

    return run


@program
def records_of_a_file(n: int) -> Callable[[], Any]:
    def run() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "records")
            with tf.io.TFRecordWriter(path) as writer:
                for _ in range(n):
                    writer.write(b"some bytes")
            return _all(tf.data.TFRecordDataset(path))

    return run


@program
def lists_in_an_example(n: int) -> Callable[[], Any]:
    def run() -> Any:
        feature = tf.train.Feature(float_list=tf.train.FloatList(value=[1.0] * n))
        text = tf.train.Example(features=tf.train.Features(feature={"x": feature})).SerializeToString()
        return tf.io.parse_single_example(text, {"x": tf.io.FixedLenFeature([n], tf.float32)})

    return run


def programs() -> Iterator[Program]:
    yield from PROGRAMS
