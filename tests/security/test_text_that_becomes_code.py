"""Text becomes code in known places, and nothing that users and files bring becomes a part of it."""

from __future__ import annotations

import ast
import collections
import enum
import functools
import linecache
import math
import pathlib
import types
from typing import Any, NamedTuple

import numpy as np
import pytest

import gradtape as tf
from gradtape.base import generated
from gradtape.native.engine import available
from gradtape.op.declaration import Op
from gradtape.ops.linalg.products import matmul

from .watching import watching

SOURCE = pathlib.Path(__file__).parents[2] / "src"

# Where Python source is compiled or run, and why that is safe. Two kinds: text of our own, in `generated`, and the source
# of modules and functions that Python has imported from the user's disk.
SITES = {
    ("gradtape.base.generated", "define"): "text of our own: names of objects, whole numbers, identifiers",
    ("gradtape.autograph.transpile", "_convert"): "the tree of a Python function that was imported",
    ("gradtape.autograph.source", "_code_of"): "the tree of a lambda in a file that was imported: compared, never run",
    ("gradtape.autograph.calls", "_eval"): "the user's own call of eval in a converted function",
    ("gradtape.autograph.calls", "<module>"): "the function eval as a key: converted code calls `_eval` for it",
    ("keras_gradtape.hook", "get_code"): "the tree of a module of the installed Keras",
    ("gradtape.cli.launch", "run"): "the script that the user names on the command line",
    ("gradtape.cli.launch", "_run_module"): "the module that the user names on the command line",
    ("gradtape.cli.show_trace", "_run_file"): "the script that the user names on the command line",
}
_RUNNERS = {"exec", "eval", "compile", "__import__"}
_UNPICKLERS = {"pickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}


class _Sites(ast.NodeVisitor):
    """Collects where names of `_RUNNERS` are used, by the function around."""

    def __init__(self, module: str) -> None:
        self.module, self.around, self.found = module, ["<module>"], set[tuple[str, str]]()
        self.imported: set[str] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.around.append(node.name)
        self.generic_visit(node)
        self.around.pop()

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in _RUNNERS:
            self.found.add((self.module, self.around[-1]))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and (
            node.value.id == "runpy" or (node.value.id in ("builtins", "__builtins__") and node.attr in _RUNNERS)
        ):
            self.found.add((self.module, self.around[-1]))
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        self.imported |= {alias.name.partition(".")[0] for alias in node.names}

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.imported |= {(node.module or "").partition(".")[0]} if not node.level else set()


@functools.cache
def _modules() -> list[_Sites]:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        sites = _Sites(".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"))
        sites.visit(ast.parse(path.read_text()))
        found.append(sites)
    return found


def test_every_place_that_compiles_or_runs_text_is_known():
    found = set().union(*(module.found for module in _modules()))
    assert found == set(SITES), (
        "A place that uses exec, eval, compile, __import__ or runpy is new, or one is gone. Text of our own is "
        "compiled by gradtape.base.generated.define alone, with values as Names: call that. Another kind of source needs a "
        "line in SITES with the reason why no file and no value of a user can become a part of it, and a test of that."
    )


def test_nothing_unpickles():
    assert {
        module.module: module.imported & _UNPICKLERS for module in _modules() if module.imported & _UNPICKLERS
    } == {}


# --- generated code reaches nothing by itself ------------------------------------------------------------------------------


def test_generated_code_has_no_builtins():
    names = generated.Names()
    for word in ("open", "print", "eval", "exec", "getattr", "globals", "compile", "type", "object"):
        function = generated.define(f"def run():\n    return {word}\n", "<a test>", names.objects)
        with pytest.raises(NameError):
            function()
    function = generated.define("def run():\n    return __import__('os')\n", "<a test>", names.objects)
    assert function() is None
    function = generated.define("def run():\n    import os\n    return os\n", "<a test>", names.objects)
    assert function() is None
    function = generated.define("def run():\n    return __import__('antigravity')\n", "<a test>", names.objects)
    with pytest.raises(ImportError, match="imports nothing"):
        function()


def test_numpy_imports_its_own_parts_when_generated_code_calls_it(monkeypatch):
    imported = []
    monkeypatch.setattr(generated.importlib, "import_module", imported.append)
    names = generated.Names()
    run = generated.define("def run(x):\n    return __import__('numpy._core._methods')\n", "<a test>", names.objects)
    assert run(np.ones(3)) is None
    assert imported == ["numpy._core._methods"]


def test_entries_pulls_programs_and_blocks_run_without_builtins():
    x = tf.constant(np.linspace(0.0, 1.0, 200_000, dtype=np.float32))
    functions: list[Any] = []
    real = generated.define

    def kept(*args: Any) -> Any:
        functions.append(real(*args))
        return functions[-1]

    with pytest.MonkeyPatch.context() as patch:
        for module in ("entry", "compile.codegen", "compile.fusion"):
            patch.setattr(f"gradtape.{module}.define", kept)
        f = tf.function(lambda x: {"y": tf.cos(tf.atan(x * 3.0) - x), "n": tf.reduce_sum(tf.argsort(x))})
        f(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.asinh(tf.math.acosh(x + 2.0))
        tape.gradient(y, x)
    assert functions
    for function in functions:
        assert set(function.__builtins__) == {"__import__"}
        assert function.__builtins__["__import__"] is not __import__
    for entry in (tf.tanh, tf.math.asinh):
        assert set(entry.__builtins__) == {"__import__"}


def test_lines_of_generated_code_are_kept_as_long_as_it_can_run():
    function = generated.define("def run():\n    return 1\n", "<a passing test>", generated.Names().objects)
    assert linecache.getline("<a passing test>", 2) == "    return 1\n"
    del function
    assert "<a passing test>" not in linecache.cache


class Loud(int):
    """A number whose text is a call."""

    def __repr__(self) -> str:
        return "__import__('os').system('true')"

    __str__ = __repr__


class LoudTuple(tuple):
    __slots__ = ()
    __repr__ = __str__ = Loud.__repr__


@pytest.mark.parametrize("value", [0, -5, 2**63 - 1, True, None, (), (1,), (1, (None, False))])
def test_whole_numbers_are_written_out(value):
    assert ast.literal_eval(generated.literal(value)) == value


@pytest.mark.parametrize(
    "value",
    [Loud(3), (Loud(3),), LoudTuple((1,)), "text", b"x", 1.5, math.inf, 1j, [1], 10**5000, np.int64(3), len, ...],
    ids=lambda value: type(value).__name__,
)
def test_all_else_gets_a_name(value):
    assert generated.literal(value) is None
    names = generated.Names()
    text = names.setting("axis", value)
    assert text.startswith("axis=a")
    assert names.objects[text.removeprefix("axis=")] is value


@pytest.mark.parametrize(
    "name", ["a b", "class", "", "x=1", "x)", "1a", None, 3, "é\n", "\ufb01", "\uff44ef", type("S", (str,), {})("ok")]
)
def test_what_is_no_identifier_is_not_spelled(name):
    with pytest.raises(ValueError, match="plain name"):
        generated.identifier(name)


def test_an_op_has_a_plain_name():
    with pytest.raises(ValueError, match=r"plain name.*<lambda>"):
        Op(lambda xp, x: x)


# --- what functions return, and take -----------------------------------------------------------------------------------------


class Colour(enum.Enum):
    RED = 1


class Point(NamedTuple):
    x: int
    y: int


class Alike:
    """Keys that differ and look the same."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return "'the same'"

    def __lt__(self, other: Alike) -> bool:
        return self.number < other.number


KEYS: list[Any] = [
    Colour.RED,
    Colour,
    Point(1, 2),
    np.int64(3),
    np.float32(0.1),
    np.str_("text"),
    math.inf,
    math.nan,
    -0.0,
    tf.float32,
    None,
    True,
    b"bytes",
    1 + 2j,
    (1, ("a", None)),
    frozenset([1]),
    len,
    Ellipsis,
    tf.TensorShape([1, None]),
    Alike(1),
    Loud(7),
    "'); import os; os.abort(); ('",
    'a "quoted"\nname\\',
    '"""',
    "{x}",
    "\0\x1b\u2028",
    "",
    "class",
]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: type(key).__name__)
def test_any_key_of_a_returned_dict_is_the_key_that_eager_code_returns(key):
    x = tf.constant([1.0, 2.0])

    def f(x: Any) -> Any:
        return {key: x * 2.0, "list": [{key: None}, (x,)]}

    traced = tf.function(f)
    with watching() as seen:
        got, expected = traced(x), f(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            recorded = traced(x)
    for result in (got, recorded):
        assert [(type(k), k is key) for k in result] == [(type(k), k is key) for k in expected]
        assert result[key].numpy().tolist() == [2.0, 4.0]
        assert result["list"][0] == {key: None}
    assert tape.gradient(recorded[key], x).numpy().tolist() == [2.0, 2.0]
    assert not any("os.abort" in text for text, _ in seen)


def test_keys_without_an_order():
    """Members of an Enum have none; TensorFlow raises TypeError."""
    keys = [*enum.Enum("Side", "LEFT RIGHT"), object(), object()]
    for traced in (tf.function, lambda f: tf.function(f, autograph=False)):
        got = traced(lambda x: {key: x * float(n) for n, key in enumerate(keys)})(tf.constant(3.0))
        assert list(got) == keys
        assert [got[key].numpy() for key in keys] == [0.0, 3.0, 6.0, 9.0]


def test_keys_that_look_the_same_keep_their_results():
    keys = [Alike(1), Alike(2), "the same"]
    got = tf.function(lambda x: {key: x * float(n) for n, key in enumerate(keys)})(tf.constant(3.0))
    assert [got[key].numpy() for key in keys] == [0.0, 3.0, 6.0]


HOSTILE = "x'); __import__('os').abort(); ('\"\"\"\n\\"


@pytest.mark.parametrize("name", [HOSTILE, "a b", "class", "None", "v1", "__builtins__"])
def test_any_keyword_of_a_function(name):
    x = tf.constant([1.0, 2.0])
    with watching() as seen:
        got = tf.function(lambda **given: {k: v * 2.0 for k, v in given.items()})(**{name: x})
        called = []
        outside = tf.function(lambda x: tf.py_function(lambda v: called.append(v) or v, [x], tf.float32, name=name))(x)
    assert got[name].numpy().tolist() == [2.0, 4.0]
    assert outside.numpy().tolist() == [1.0, 2.0]
    assert not any(HOSTILE in text or "abort" in text for text, _ in seen)


def test_names_of_functions_variables_scopes_and_modules():
    variable = tf.Variable([1.0, 2.0], name=HOSTILE)

    def f(x: Any) -> Any:
        with tf.name_scope("scope"):
            return tf.add(x * variable, 1.0, name=HOSTILE)

    f.__name__ = f.__qualname__ = f.__doc__ = f.__module__ = HOSTILE
    traced = tf.function(f, autograph=False)
    module = tf.Module(name="plain")
    setattr(module, HOSTILE, variable)
    with watching() as seen:
        got = traced(tf.constant([1.0, 2.0]))
        with tf.GradientTape() as tape:
            got = traced(tf.constant([1.0, 2.0]))
        tape.gradient(got, module.trainable_variables)
    assert got.numpy().tolist() == [2.0, 5.0]
    assert not any("abort" in text for text, _ in seen)


@pytest.mark.skipif(not available(), reason="without machine code")
def test_machine_code_is_made_without_names_of_users(monkeypatch):
    monkeypatch.setattr("gradtape.native.object_cache.of_user", lambda: None)  # what is on disk is not compiled again
    x = tf.Variable(np.linspace(0.1, 1.0, 300_007, dtype=np.float32).reshape(1, -1), name=HOSTILE)

    def f(x: Any) -> Any:
        return {
            HOSTILE: tf.exp(tf.sin(x) * 3.25) / (x + 1.75),
            "sums": tf.reduce_sum(tf.cos(x) * x, axis=1, name=HOSTILE),
        }

    f.__name__ = HOSTILE
    with watching() as seen:
        got = tf.function(f, autograph=False)(x)
    assert got[HOSTILE].shape == (1, 300_007)
    texts = [text for text, module in seen if module == "gradtape.native.engine"]
    assert texts
    assert not any("abort" in text for text, _ in seen)


def test_attributes_of_ops_that_are_texts_stay_values():
    with watching() as seen:
        f = tf.function(lambda x: tf.strings.join([x, x], separator=HOSTILE))
        assert f(tf.constant("a")).numpy() == b"a" + HOSTILE.encode() + b"a"
        g = tf.function(lambda x: tf.strings.regex_replace(x, "a", HOSTILE.replace("\\", "")))
        assert b"abort" in g(tf.constant("a")).numpy()
    assert not any("abort" in text for text, _ in seen)


def test_flags_of_a_product_that_waits_are_values():
    """Large products are left to other threads; their flags were once written as their text."""
    x = tf.constant(np.ones((256, 256), np.float32))

    class Flag(int):
        __repr__ = __str__ = Loud.__repr__

    with pytest.raises(TypeError, match="transpose_b"):
        tf.function(lambda x: tf.matmul(x, x, transpose_b=Flag(1)))(x)

    def f(x: Any) -> Any:
        product = matmul(x, x, transpose_b=Flag(1))  # (the op itself does not look at its flags)
        for _ in range(8):
            x = tf.matmul(x, x) / 256.0
        return product, x

    with watching() as seen:
        got = tf.function(f)(x)
    assert got[0].numpy()[0, 0] == 256.0
    assert not any("system" in text for text, _ in seen)


@pytest.mark.parametrize("kind", [types.MappingProxyType, collections.ChainMap, collections.UserDict])
def test_mappings_of_other_kinds_are_returned_as_they_are(kind):
    for traced in (tf.function, lambda f: tf.function(f, autograph=False)):
        got = traced(lambda x: (kind({HOSTILE: x * 2.0}), {HOSTILE: x}.values()))(tf.constant(1.5))
        assert type(got[0]) is kind
        assert dict(got[0])[HOSTILE].numpy() == 3.0
        assert [value.numpy() for value in got[1]] == [1.5]


def test_structures_of_other_kinds_are_returned_as_they_are():
    ordered = collections.OrderedDict
    x = tf.constant(1.0)
    got = tf.function(lambda x: (Point(x, x), ordered([(HOSTILE, x)]), collections.defaultdict(list, {Colour.RED: x})))(
        x
    )
    assert type(got[0]) is Point
    assert list(got[1]) == [HOSTILE]
    assert list(got[2]) == [Colour.RED]
