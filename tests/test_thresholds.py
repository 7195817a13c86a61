"""Sizes from which a faster way is taken: all in one place, each with a measurement; rules and kernels only name the ways."""

import ast
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from benchmarks.crossings import MEASUREMENTS
from benchmarks.thresholds import Crossing, Unavailable, Way, best, main, names

import gradtape as tf
from gradtape.native import engine, thresholds
from gradtape.native.choice import by_size, choice_of
from gradtape.op.declaration import REGISTRY
from gradtape.op.family import machine_code_for, one_pass

SOURCE = pathlib.Path(thresholds.__file__).parents[1]
UNITS = {
    "ELEMENTS": "Elements",
    "MULTIPLICATIONS": "Multiplications",
    "BYTES": "Bytes",
    "COLUMNS": "Columns",
    "PIXELS": "Outputs|Numbers",
    "FILTERS": "Numbers",
    "KERNELS": "Kernels",
    "PLACES": "Places",
    "INSTRUCTIONS": "Instructions",
    "CORE": "Parts",
    "SLEEP": "Looks",
    "NANOSECONDS": "Nanoseconds",
    "CALLS": "Calls",
    "ROUNDS": "Rounds",
    "ROWS": "Rows",
    "PASSES": "Passes",
}


def test_each_threshold_has_a_measurement():
    assert set(MEASUREMENTS) == set(names())
    assert len(names()) > 40


@pytest.mark.parametrize("name", names())
def test_the_comment_of_a_threshold_begins_with_its_unit(name):
    lines = pathlib.Path(thresholds.__file__).read_text(encoding="utf-8").splitlines()
    place = next(k for k, line in enumerate(lines) if line.startswith(f"{name} = "))
    before = [k for k in range(place) if not lines[k].startswith(("#", *names()))]
    comment = " ".join(line for line in lines[before[-1] + 1 : place] if line.startswith("#"))
    unit = UNITS[name.rpartition("_")[2]]
    assert re.search(rf"# ({unit})\b", comment), f"say what {name} counts"


def test_only_the_machinery_of_ops_compares_sizes_with_thresholds():
    machinery = {SOURCE / "ops" / "nn" / "rows.py"}
    found = []
    for path in sorted((SOURCE / "ops").rglob("*.py")):
        if path in machinery:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare) and "thresholds." in ast.unparse(node):
                found.append(f"{path.name}:{node.lineno}")
            if isinstance(node, ast.ImportFrom) and node.module and node.module.endswith("thresholds"):
                found.append(f"{path.name}:{node.lineno}")
    assert not found, "let native/choice.py decide"


# The rooms that choose how something is computed.
ROOMS = (
    "base",
    "native",
    "op",
    "ops",
    "variables",
    "differentiation",
    "trace",
    "compile",
    "xla",
    "data",
    "io",
    "train",
)
TEXT = "part of the text of a kernel: another number is another kernel, or other last bits"
MEMORY = "bounds the memory that is taken or kept"
LIMIT = "what a program or a file may ask for"
FORMAT = "of a file format, or of an interface"
ACCURACY = "decides the accuracy"
ANALYSIS = "bounds what is followed while a program is traced or written, not how it runs"
# Numbers that sizes are compared with, and that are no thresholds of speed.
OTHERS = {
    "xla/executor.py: MANY_INSTRUCTIONS": "from which on the user is warned",
    "xla/executor.py: ROUNDS_OF_LOOP": "from which on the user is warned",
    "base/notes.py: _MOST": MEMORY,
    "base/philox.py: _FEW": "below native/: few counters are lists of Python numbers",
    "base/shuffled_places.py: _LEAST_BITS": "decides which permutation is drawn",
    "compile/counting.py: _MOST": ANALYSIS,
    "compile/counting.py: _SMALL": ANALYSIS,
    "compile/lowering.py: _MOST_ATTRIBUTE_ELEMENTS": ANALYSIS,
    "compile/parts.py: _MOST_SIZES": MEMORY,
    "compile/passes.py: _MOST_KEPT": MEMORY,
    "compile/residuals.py: _LEAST": MEMORY,
    "compile/residuals.py: _MOST": MEMORY,
    "compile/row_groups.py: _LONGEST": ACCURACY,
    "compile/row_kernel.py: _ADDED": ACCURACY,
    "compile/row_kernel.py: _EXPONENTIAL": TEXT,
    "compile/warming.py: _LONG": "part of the formula with WARMING_CALLS",
    "compile/warming.py: _SHORT": "part of the formula with WARMING_INSTRUCTIONS",
    "compile/whole/body_memory.py: _STACK": "the stack of a thread has an end",
    "compile/whole/control.py: _MOST_UNCHECKED": "how soon an interrupt of a loop is noticed",
    "compile/whole/control.py: _UNCHECKED_NANOSECONDS": "the same, in time",
    "compile/whole/elementwise.py: _SINGLE": TEXT,
    "compile/whole/elementwise.py: _UNROLLED": TEXT,
    "compile/whole/group.py: _LONGEST_WHOLE": ANALYSIS,
    "compile/whole/numpy_functions.py: _ALONE": "where LAPACK would use threads of its own",
    "compile/whole/positions.py: _DEPTH": TEXT,
    "compile/scaled_products.py: _WORTH": MEMORY,
    "compile/whole/identity.py: _SHORT": "which constants stand in a key as they are, and which by a digest",
    "compile/whole/reductions.py: _SHORT": "as NumPy adds, to the last bit",
    "compile/whole/scheduling.py: _LONGEST": TEXT,
    "compile/whole/stand_in.py: _RUNS": TEXT,
    "data/selection.py: _MANY": MEMORY,
    "data/workers.py: _MOST_THREADS": LIMIT,
    "data/shuffling.py: _BLOCK": "decides which numbers are drawn",
    "data/workers.py: _AT_ONCE": "how many elements a thread takes at most, so that others have some too",
    "differentiation/jacobian.py: MEMORY_BOUND": MEMORY,
    "io/records.py: _PIECE": MEMORY,
    "io/tensors.py: _CONTENT": FORMAT,
    "io/tensors.py: _MOST_REPEATED": LIMIT,
    "io/tensors.py: _STRINGS": FORMAT,
    "io/wire.py: FIXED32": FORMAT,
    "native/abi.py: ALIGNED": FORMAT,
    "native/abi.py: _ABI_VERSION": FORMAT,
    "native/depthwise.py: _PLACES": TEXT,
    "native/object_cache.py: _DAY": MEMORY,
    "native/object_cache.py: _MOST_FILE_BYTES": MEMORY,
    "native/object_cache.py: _STORED_BETWEEN_LOOKS": MEMORY,
    "native/rows.py: _ADDED": ACCURACY,
    "native/sums.py: _BLOCK": ACCURACY,
    "native/sums.py: _WIDEST": TEXT,
    "native/windows.py: _SUMS": ACCURACY,
    "native/windows.py: _TERMS": ACCURACY,
    "native/workers.py: _LOWER_HALF": FORMAT,
    "op/abstract.py: _MOST_VALUE_ELEMENTS": ANALYSIS,
    "ops/array/rearrange.py: _CHECKED_COPIES": LIMIT,
    "ops/array/segment.py: _FREE_BYTES": LIMIT,
    "ops/array/segment.py: _FREE_GROWTH": LIMIT,
    "ops/image/resize.py: _LARGEST": LIMIT,
    "ops/math/gamma.py: _HIGHEST": ACCURACY,
    "ops/math/gamma.py: _SHIFTS": ACCURACY,
    "ops/math/ufuncs.py: _FAR": ACCURACY,
    "ops/math/ufuncs.py: _HIGHEST": ACCURACY,
    "ops/nn/rows.py: _LONGEST": ACCURACY,
    "ops/nn/rows.py: _PLANS": MEMORY,
    "ops/nn/window.py: _LARGEST": LIMIT,
    "ops/text/encoding.py: _MOST_JOINED": LIMIT,
    "trace/function.py: _DIRECT": MEMORY,
    "trace/inference.py: _MOST_CAPTURED_ELEMENTS": ANALYSIS,
    "trace/inference.py: _MOST_SIZES": ANALYSIS,
    "trace/storms.py: _TRACES": "decides when a warning is given",
    "trace/trials.py: _LARGEST": ANALYSIS,
    "trace/trials.py: _MOST_RANKS": ANALYSIS,
    "train/per_example.py: _WINDOWS": MEMORY,
    "xla/lowering.py: _LARGEST": LIMIT,
}


def compared_numbers(tree: ast.Module) -> set[str]:
    """Numbers that a module gives a name, and compares something with."""
    named: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Name, ast.Tuple)):
            pairs = [(node.targets[0], node.value)]
            if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(node.targets[0].elts, node.value.elts, strict=True))
            for target, value in pairs:
                parts = {part.__class__ for part in ast.walk(value)}
                numbers = [part.value for part in ast.walk(value) if isinstance(part, ast.Constant)]
                is_number = parts <= {ast.Constant, ast.BinOp, ast.LShift, ast.Pow, ast.Mult, ast.Sub, ast.Add}
                plain = numbers and all(number.__class__ in (int, float) for number in numbers)
                if isinstance(target, ast.Name) and target.id.isupper() and is_number and plain and max(numbers) >= 4:
                    named.add(target.id)
    compared: set[str] = set()
    for node in ast.walk(tree):
        chooses = isinstance(node, ast.Compare) or getattr(getattr(node, "func", None), "id", "") in ("min", "max")
        compared.update(part.id for part in ast.walk(node) if chooses and isinstance(part, ast.Name))
    return named & compared


def test_no_threshold_of_speed_stands_elsewhere():
    found = {
        f"{path.relative_to(SOURCE).as_posix()}: {name}"
        for room in ROOMS
        for path in (SOURCE / room).rglob("*.py")
        if path != pathlib.Path(thresholds.__file__)
        for name in compared_numbers(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert sorted(found - OTHERS.keys()) == [], "measure it in native/thresholds.py, or say in OTHERS what it decides"
    assert sorted(OTHERS.keys() - found) == [], "it is no longer there"


class TestChoices:
    def test_arrays_of_that_size_and_more_take_the_second_way(self):
        kernel = by_size(lambda x: "small", lambda x: "large", 10)
        assert [kernel(np.zeros(size)) for size in (0, 9, 10, 11)] == ["small", "small", "large", "large"]
        assert kernel(np.float32(3)) == kernel(3.0) == "small"

    def test_entries_and_pulls_have_the_choice_written_out(self):
        tanh, smallest = REGISTRY["tanh"], thresholds.ONE_PASS_ELEMENTS
        assert f"_a.size < {smallest}" in tf.sigmoid.__source__
        x = tf.constant([0.5, -0.5])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(x)
        np.testing.assert_allclose(tape.gradient(y, x), 1 - np.tanh([0.5, -0.5]) ** 2, rtol=1e-6)
        assert choice_of(tanh.vjps["x"].rule).smallest == smallest
        assert tanh.vjps["x"].needs == ("out",)

    def test_a_rule_takes_its_way_for_large_cotangents(self):
        taken = []
        rule = REGISTRY["sigmoid"].vjps["x"].rule
        for size in (thresholds.ONE_PASS_ELEMENTS - 1, thresholds.ONE_PASS_ELEMENTS):
            t, out = np.full(size, 2, np.float32), np.full(size, 0.25, np.float32)
            taken.append(rule(t, out))
        for found in taken:
            np.testing.assert_array_equal(found, np.float32(0.375))

    def test_what_only_machine_code_is_worth_is_left_to_numpy_without_it(self, monkeypatch):
        calls = []

        def numpy(x):
            calls.append(x.size)
            return np.abs(x)

        kernel = machine_code_for(numpy, 100)(lambda x: np.where(x < 0, -x, x))
        x = -np.ones(100, np.float32)
        np.testing.assert_array_equal(kernel(x), 1)
        assert len(calls) == (0 if engine.available() else 1)
        kernel(x[:99]), kernel(x.astype(np.float16))
        monkeypatch.setattr(engine, "available", lambda: False)
        kernel(x)
        assert calls[-3:] == [99, 100, 100]

    def test_small_arrays_may_have_a_text_of_their_own(self):
        kernel = one_pass(lambda x: x + 1, small=lambda x: x + 2)
        assert kernel(np.zeros(3, np.float32))[0] == 2
        assert kernel(np.zeros(thresholds.ONE_PASS_ELEMENTS, np.float32))[0] == 1


class TestCommand:
    def test_it_times_both_ways_and_says_where_they_cross(self, capsys):
        assert main(["SUM_ELEMENTS", "--seconds", "0.001"]) == 0
        printed = capsys.readouterr().out
        assert printed.startswith(f"SUM_ELEMENTS = {thresholds.SUM_ELEMENTS:,}\n")
        assert len(re.findall(r"^ +[\d,]+ +[\d.]+ +[\d.]+ +[\d.]+$", printed, re.MULTILINE)) == 7
        assert re.search("cross between|pays? at", printed)

    def test_it_times_several_lengths_of_a_block(self, capsys):
        before = thresholds.UPDATE_BLOCK_ELEMENTS
        assert main(["UPDATE_BLOCK*", "--seconds", "0.001"]) == 0
        assert "the fastest is" in capsys.readouterr().out
        assert before == thresholds.UPDATE_BLOCK_ELEMENTS

    def test_an_unknown_name_is_answered_with_those_there_are(self, capsys):
        with pytest.raises(SystemExit):
            main(["NOTHING"])
        assert "no threshold NOTHING; there are ONE_PASS_ELEMENTS" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("faster", "said"),
        [
            ([False, False, True, True], "they cross between 2 and 4"),
            ([False, True, False, True], "they cross between 4 and 8"),
            ([True, True, True, True], "it pays at each of these sizes"),
            ([True, True, True, False], "it does not pay at any of these sizes"),
        ],
    )
    def test_where_ways_cross(self, faster, said):
        assert Crossing(None, [1, 2, 4, 8])._verdict(faster) == said

    def test_where_ways_cross_that_are_taken_up_to_a_size(self):
        assert (
            Crossing(None, [1, 2, 4, 8], at_most=True)._verdict([True, True, False, False])
            == "they cross between 2 and 4"
        )

    def test_the_settings_of_a_way_hold_while_it_runs(self):
        seen = set()
        best([Way(lambda: seen.add(thresholds.POOL_ELEMENTS), POOL_ELEMENTS=5)], 0.0)
        assert seen == {5}
        assert thresholds.POOL_ELEMENTS != 5


@pytest.mark.skipif(not engine.available(), reason="the extra `native` is not installed")
def test_small_arrays_take_the_fast_ways_if_the_environment_says_always():
    code = (
        "import gradtape as tf; from gradtape.native import thresholds as t\n"
        "assert t.ONE_PASS_ELEMENTS == t.CONV_MULTIPLICATIONS == 2 and t.TEXT_BLOCK_ELEMENTS > 1\n"
        "x = tf.Variable([[0.5, -1.0, 2.0]])\n"
        "with tf.GradientTape() as tape: y = tf.reduce_sum(tf.nn.softmax(tf.nn.gelu(x) * x - x) * tf.tanh(x))\n"
        "print(*tape.gradient(y, x).numpy().ravel(), 'llvmlite' in __import__('sys').modules)"
    )
    results = {}
    for way in ("always", "0"):
        command = [sys.executable, "-c", code if way == "always" else code.replace("assert", "0 and")]
        done = subprocess.run(
            command, env={**os.environ, "GRADTAPE_NATIVE": way}, check=True, capture_output=True, text=True
        )
        *numbers, imported = done.stdout.split()
        results[way] = [float(number) for number in numbers]
        assert imported == str(way == "always")
    np.testing.assert_allclose(results["always"], results["0"], rtol=2e-6)


def test_what_is_not_there_is_said(monkeypatch, capsys):
    def ways(size):
        raise Unavailable("there is one core")

    monkeypatch.setitem(MEASUREMENTS, "POOL_ELEMENTS", Crossing(ways, [1]))
    assert main(["POOL_ELEMENTS"]) == 0
    assert "not here: there is one core" in capsys.readouterr().out
