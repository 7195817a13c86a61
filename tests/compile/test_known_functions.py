"""A native function that was compiled before is found by what it is written from: whatever shapes its text is part of the key."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compile.executor import lowered, renamed
from gradtape.compile.passes import optimized
from gradtape.native import abi, engine, object_cache, thresholds

if not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()):
    pytest.skip("there is no machine code", allow_module_level=True)

from gradtape.compile.whole import identity, known, native_function, origins
from gradtape.compile.whole.group import whole_program
from gradtape.compile.whole.identity import Identity, Unidentified
from gradtape.compile.whole.native_function import NativeCode, Parts, written
from gradtape.compile.whole.scheduling import every_step
from gradtape.compile.whole.steps import Buffer, Choice, Rounds, Step, View

WEIGHTS, COUNT = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [0.5, 0.25, 2.0]]), tf.Variable(0)
CONSTANT = tf.constant([[0.5, 1.5, 2.5]])


def step(x: Any) -> Any:
    """Products, reductions, calls of NumPy's loops, a loop, a branch, rows, a sort, an inverse and variables."""
    hidden = tf.tanh(x @ WEIGHTS) + CONSTANT
    for _ in tf.range(40):
        hidden = hidden * 0.5 + tf.exp(-hidden)
    if tf.reduce_sum(hidden) > 0.0:
        hidden = tf.sort(hidden, axis=-1)
    else:
        hidden = tf.cumsum(hidden, axis=0)
    row = tf.gather(WEIGHTS, COUNT % 3)
    inverse = tf.linalg.inv(tf.eye(3) * 4.0 + tf.transpose(hidden) @ hidden)
    WEIGHTS.assign(WEIGHTS * 0.9 + inverse)
    COUNT.assign_add(1)
    return {"a": hidden, "b": (tf.reduce_mean(hidden * row), tf.argmax(hidden, axis=1))}


def parts_of(function: Any = step, *values: Any) -> Parts:
    """What the native function of a Python function is written from."""
    values = values or (tf.ones((2, 3)),)
    graph = tf.function(function).get_concrete_function(*values).graph
    evaluator, structure, _ = lowered(graph, [v._array.shape for v in values], [v._array.dtype for v in values])
    program = optimized(evaluator.program)
    whole = whole_program(program, renamed(structure, iter(program.outputs)))
    assert whole is not None
    return whole.parts()


@pytest.fixture
def parts() -> Parts:
    return parts_of()


def test_the_same_function_has_the_same_key_and_text(parts):
    again = parts_of()
    assert Identity(parts).key == Identity(again).key
    assert str(written(parts, Identity(parts))[0]) == str(written(again, Identity(again))[0])


def other(value: Any) -> Any:
    """Another value of a field; None if it has none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "_"
    if isinstance(value, (list, tuple)) and value:
        return value[:-1]
    if isinstance(value, dict) and value:
        return dict(list(value.items())[:-1])
    if isinstance(value, np.ufunc):
        return np.subtract if value is not np.subtract else np.add
    if isinstance(value, View):
        return dataclasses.replace(value, offset=value.offset + 4)
    return None


def changes(parts: Parts) -> Iterator[tuple[str, Any, str, Any]]:
    """Every field of every step, with another value for it."""
    for one in every_step(list(parts.steps)):
        inside = one.parts if isinstance(one, Choice) else [one.body] if isinstance(one, Rounds) else []
        for thing in (one, *inside):
            for field in dataclasses.fields(thing):
                changed = other(getattr(thing, field.name))
                if changed is not None:
                    yield f"{type(thing).__name__}.{field.name}", thing, field.name, changed


def test_every_field_of_every_step_is_part_of_the_key(parts):
    key, seen = Identity(parts).key, set()
    for name, thing, field, changed in changes(parts):
        before = getattr(thing, field)
        setattr(thing, field, changed)
        assert Identity(parts).key != key, name
        setattr(thing, field, before)
        seen.add(name)
    assert Identity(parts).key == key
    steps = {type(thing).__name__ for _, thing, _, _ in changes(parts) if isinstance(thing, Step)}
    assert {"Elementwise", "Reduction", "Product", "MatrixFunction", "Sorting", "Accumulation"} <= steps
    assert {"Rounds.reverse", "Part.places", "Choice.parts", "Reduction.axes", "Elementwise.name"} <= seen


def test_all_that_is_known_of_memory_is_part_of_the_key(parts):
    buffer = next(view.buffer for one in parts.steps if isinstance(one, Step) for view in one.reads)
    assert set(vars(buffer)) == {"kind", "array", "is_viewed", "extra"}  # (`is_viewed` counts while steps are recorded)
    key = Identity(parts).key
    for name, changed in {
        "kind": "made" if buffer.kind != "made" else "given",
        "extra": 64,
        "array": buffer.array.reshape(-1),
    }.items():
        before = getattr(buffer, name)
        setattr(buffer, name, changed)
        assert Identity(parts).key != key, name
        setattr(buffer, name, before)


@pytest.mark.parametrize("change", [
    lambda view: dataclasses.replace(view, shape=(*view.shape, 1)),
    lambda view: dataclasses.replace(view, strides=tuple(2 * stride for stride in view.strides)),
    lambda view: dataclasses.replace(view, dtype=np.dtype(np.int32)),
    lambda view: dataclasses.replace(view, buffer=Buffer(view.buffer.kind, view.buffer.array)),
], ids=["shape", "strides", "dtype", "buffer"])  # fmt: skip
def test_every_field_of_a_view_is_part_of_the_key(parts, change):
    key = Identity(parts).key
    one = next(one for one in parts.steps if isinstance(one, Step) and any(map(any, (one.reads[0].strides,))))
    one.reads[0] = change(one.reads[0])
    assert Identity(parts).key != key


def test_arguments_results_variables_and_arithmetic_are_part_of_the_key(parts):
    keys = [Identity(parts).key]
    for changed in (
        {"own": True},
        {"given": parts.given[:-1]},
        {"read": parts.read[:-1]},
        {"read": parts.read[::-1]},
        {"changed": parts.changed[:-1]},
        {"changed": parts.changed[::-1]},
        {"results": parts.results[:-1]},
        {"results": parts.results[::-1]},
        {"returned": parts.returned["b"]},
        {"returned": {**parts.returned, "c": None}},
        {"returned": [*parts.returned.values()]},
        {"returned": tuple(parts.returned.values())},
        {"returned": {"b": parts.returned["a"], "a": parts.returned["b"]}},
        {"returned": {1: parts.returned}},
        {"returned": {True: parts.returned}},
        {"returned": {**parts.returned, "c": CONSTANT}},
    ):
        keys.append(Identity(dataclasses.replace(parts, **changed)).key)
    assert len(set(keys)) == len(keys)


def test_a_large_table_is_part_of_the_key_without_a_copy():
    rows = np.random.default_rng(0).random((50_000, 8)).astype(np.float32)

    def parts_with(table: np.ndarray) -> Parts:
        constant = tf.constant(table)
        return parts_of(lambda place: tf.reduce_sum(tf.gather(constant, place) * 2.0), tf.constant(3))

    parts = parts_with(rows)
    tracemalloc.start()
    try:
        key = Identity(parts).key
        assert tracemalloc.get_traced_memory()[1] < rows.nbytes / 2
    finally:
        tracemalloc.stop()
    assert Identity(parts_with(rows)).key == key
    rows[-1, -1] += 1.0
    assert Identity(parts_with(rows)).key != key


def test_constants_and_which_of_them_are_one_are_part_of_the_key():
    one, two = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 2.0, 3.0])
    keys = [
        Identity(parts_of(function, tf.ones(3))).key
        for function in (
            lambda x: tf.tanh(x * one) * one,
            lambda x: tf.tanh(x * one) * two,
            lambda x: tf.tanh(x * [1.0, 2.0, 4.0]) * one,
            lambda x: tf.tanh(x * 1.0) * one,
            lambda x: tf.tanh(x * 2.0) * one,
            lambda x: tf.tanh(x * -2.0) * one,
        )
    ]
    assert len(set(keys)) == len(keys)


THRESHOLDS = [name for name, value in vars(thresholds).items() if name.isupper()]


@pytest.mark.parametrize("name", THRESHOLDS)
def test_every_threshold_is_part_of_the_key(parts, name, monkeypatch):
    key = Identity(parts).key
    monkeypatch.setattr(thresholds, name, getattr(thresholds, name) + 1)
    assert Identity(parts).key != key


def test_processor_registers_and_versions_are_part_of_the_key(parts, monkeypatch):
    import llvmlite

    key, machine = Identity(parts).key, engine._machine()
    for holder, name, changed in (
        (machine, "triple", machine.triple + "x"),
        (machine, "features", machine.features + ",-avx2"),
        (machine, "_cpu", "i386"),
        (engine, "_SPEED_LEVEL", 0),
        (engine, "_CODE_LEVEL", 0),
        (engine, "__version__", "0"),
        (np, "__version__", "0"),
        (llvmlite, "__version__", "0"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(holder, name, changed)
            assert Identity(parts).key != key, name
    with monkeypatch.context() as patched:
        patched.setattr(engine, "machine_identity", lambda: ("another interpreter",))
        assert Identity(parts).key != key
    assert sys.implementation.cache_tag in engine.machine_identity()


@pytest.mark.parametrize("name", ["reads_counts", "orders_lines", "array_fields", "slot_offset"])
def test_what_was_found_out_about_the_interpreter_is_part_of_the_key(parts, name, monkeypatch):
    key = Identity(parts).key
    monkeypatch.setattr(abi, name, lambda *_: None)
    assert Identity(parts).key != key


def test_the_source_of_what_writes_is_part_of_the_key(parts, monkeypatch, tmp_path):
    package = os.path.dirname(tf.__file__)
    for source in identity.SOURCES:
        copy = shutil.copytree if not source.endswith(".py") else shutil.copy
        os.makedirs((tmp_path / source).parent, exist_ok=True)
        copy(os.path.join(package, source), tmp_path / source)
    monkeypatch.setattr(identity, "_PACKAGE", tmp_path)
    found = identity._of_code.__wrapped__()
    assert found == identity._of_code()
    files = [name for source in identity.SOURCES for name in identity._files(source)]
    assert "compile/whole/body.py" in files
    for name in files:
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text.replace("a", "b", 1))
        assert identity._of_code.__wrapped__() != found, name
        (tmp_path / name).write_text(text)
    (tmp_path / name).unlink()
    assert identity._of_code.__wrapped__() is None  # without its source, gradtape writes the texts
    monkeypatch.setattr(identity, "_of_code", lambda: None)
    with pytest.raises(Unidentified):
        Identity(parts)


# --- what is found --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def cache(monkeypatch, tmp_path) -> object_cache.ObjectCache:
    """A folder of its own for notes and machine code, as in the first process of a user."""
    monkeypatch.setenv("GRADTAPE_CACHE", str(tmp_path / "kernels"))
    object_cache.of_user.cache_clear()
    monkeypatch.setattr(engine, "_LIBRARIES", {})
    found = object_cache.of_user()
    if found is None:
        pytest.skip("this system has no cache")
    yield found
    object_cache.of_user.cache_clear()


@pytest.fixture
def texts(monkeypatch) -> list[str]:
    """The texts that are written."""
    found: list[str] = []
    write = native_function.written

    def counted(*args: Any) -> Any:
        found.append("")
        return write(*args)

    monkeypatch.setattr(native_function, "written", counted)
    return found


def test_no_text_is_written_for_what_is_known(cache, texts, monkeypatch):
    x = tf.constant([[1.0, 2.0, 3.0], [0.5, 0.1, 0.2]])
    start = WEIGHTS.numpy()
    results = []
    for count in (1, 1, 2):
        if count == 2:  # (the object code is gone)
            for file in (name for name in os.listdir(cache.path) if name.endswith(".o")):
                os.unlink(os.path.join(cache.path, file))
        monkeypatch.setattr(engine, "_LIBRARIES", {})
        WEIGHTS.assign(start), COUNT.assign(0)
        found = NativeCode(parts_of()).function(None)(x)
        assert len(texts) == count
        results.append([value.numpy() for value in (found["a"], *found["b"], WEIGHTS, COUNT)])
    WEIGHTS.assign(start), COUNT.assign(0)
    expected = step(x)
    results.append([value.numpy() for value in (expected["a"], *expected["b"], WEIGHTS, COUNT)])
    WEIGHTS.assign(start), COUNT.assign(0)
    for result in results[1:]:
        for one, two in zip(results[0], result, strict=True):
            np.testing.assert_array_equal(one, two)


def test_tables_that_are_found_are_those_that_are_written(cache, parts):
    found = Identity(parts)
    module, table = written(parts, found)
    engine.compiled(str(module), "entry")
    known.remember(found, engine.module_key(str(module)), table)
    again = known.known(Identity(parts))
    assert again is not None
    words = [origin[0] for origin in table.origins]
    assert {"python", "loop", "thing", "ours", "dtype", "locks", "line", "library", "later", "new array"} <= set(words)
    for word, one, two in zip(words, table.addresses, again.table.addresses, strict=True):
        assert one == two or word == "locks"  # (those are lists of new methods)


@pytest.mark.parametrize("damage", [
    b"", b"{}", b"[1]", b'["key", [["thing", 99]]]', b'["key", [["python", "no_such_function"]]]', b'["key", [["ours"]]]',
    b'["key", [["loop", ["thing", 0], "zz", 0, true]]]', b'["key", [[]]]', b'["key", [["elsewhere", 1]]]', b"\xff",
    b'["0000", []]',
], ids=repr)  # fmt: skip
def test_a_note_that_does_not_fit_is_not_used(cache, texts, parts, damage):
    cache.store(Identity(parts).key, damage, object_cache.NOTE)
    assert NativeCode(parts).address
    assert len(texts) == 1


def test_without_a_cache_nothing_is_identified(monkeypatch, parts, texts):
    monkeypatch.setattr(native_function, "of_user", lambda: None)
    monkeypatch.setattr(native_function, "Identity", None)
    assert NativeCode(parts).address
    assert len(texts) == 1


def test_what_has_no_words_is_written(monkeypatch, parts, texts, cache):
    swapped = np.dtype(np.float32).newbyteorder()
    assert not origins.has_name(swapped)
    parts.given[0].array = parts.given[0].array.astype(swapped)
    with pytest.raises(Unidentified):
        Identity(parts)
