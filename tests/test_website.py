"""The pages that `mkdocs build` gets beside docs/: every public name is described once, from what Python sees."""

import ast
import functools
import re
import types

import pytest
from website import outline, reference
from website.docstrings import described_arguments
from website.public_names import namespaces

import gradtape as tf

PAGES = {page.name: page for page in namespaces()}


def test_every_namespace_has_a_page():
    assert {"tf", "tf.math", "tf.nn", "tf.autodiff", "tf.data", "tf.io.gfile", "tf.experimental.numpy"} <= set(PAGES)
    assert not [name for name in PAGES if name.startswith(("tf.keras", "tf.raw_ops"))]


def test_every_name_of_the_top_level_is_described_or_leads_to_where_it_is():
    page = PAGES["tf"]
    names = {name for name in dir(tf) if not name.startswith("_") and not isinstance(getattr(tf, name), type(tf))}
    assert names == {*page.described, *page.aliases}


def test_raw_ops_and_the_names_of_tensorflow_1_are_tables_with_links_to_what_they_stand_for():
    written = reference.pages(list(PAGES.values()))
    for name in ("tf.compat", "tf.compat.v1", "tf.raw_ops"):
        rows = set(re.findall(r"^\| `(\w+)", written[f"reference/{name}.md"], re.MULTILINE))
        space = functools.reduce(getattr, name.split(".")[1:], tf)
        public = {below for below in dir(space) if not isinstance(getattr(space, below), types.ModuleType)}
        assert public - {"app", "gfile", "image", "logging", "nn"} <= rows
        assert {name: f"reference/{name}.md"} in reference.navigation(list(PAGES.values()))
    assert "| `to_float(x)` | x as float32. |" in written["reference/tf.compat.v1.md"]
    assert "[`tf.matmul`](tf.linalg.md#tf.linalg.matmul)" in written["reference/tf.raw_ops.md"]
    assert "## tf.compat.v1.train\n" in written["reference/tf.compat.v1.md"]


def test_a_value_with_two_names_is_described_once():
    assert PAGES["tf"].aliases["sin"] == "tf.math.sin"
    assert "sin" in PAGES["tf.math"].described
    callables = [value for page in PAGES.values() for value in page.described.values() if callable(value)]
    assert len(callables) == len({id(value) for value in callables})


def test_links_to_other_names_lead_to_entries():
    written = reference.pages(list(PAGES.values()))
    for page in PAGES.values():
        for home in page.aliases.values():
            namespace, _, name = home.rpartition(".")
            assert name in PAGES[namespace].described
            assert f"::: {home}\n" in written[f"reference/{namespace}.md"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outline")
    outline.write(list(PAGES.values()), folder)
    return {path.parent.relative_to(folder).as_posix().replace("/", "."): path for path in folder.rglob("*.py")}


def test_the_outline_is_python_with_a_definition_for_each_callable(written):
    for name, page in PAGES.items():
        tree = ast.parse(written[name].read_text(encoding="utf-8"))
        defined = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        assert defined == {name for name, value in page.described.items() if callable(value)}


def _is_property(node):
    return any(isinstance(found, ast.Name) and found.id == "property" for found in node.decorator_list)


def test_all_arguments_that_a_docstring_describes_are_in_the_signature(written):
    """Else mkdocstrings warns, and `mkdocs build --strict` fails."""
    strangers = {}
    for path in written.values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or _is_property(node):
                continue
            function = node
            if isinstance(node, ast.ClassDef):
                function = next((f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None)
            arguments = function.args if function else ast.arguments([], [], None, [], [], None, [])
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            names = {argument.arg for argument in every if argument}
            if strange := described_arguments(ast.get_docstring(node) or "") - names:
                strangers[node.name] = strange
    assert not strangers


def test_the_main_classes_stand_at_the_top():
    described = PAGES["tf"].described
    assert {"Tensor", "Variable", "GradientTape", "TensorSpec", "RaggedTensor", "IndexedSlices"} <= set(described)
    assert not any(name.startswith("tf.experimental.numpy") for name in PAGES["tf.numpy"].aliases.values())


def test_the_outline_has_signatures_and_examples(written):
    text = written["tf.math"].read_text(encoding="utf-8")
    assert "def sin(x: TensorLike, name: str | None=None) -> Tensor:" in text
    assert "output_type: DTypeLike = tf.int64" in text
    assert "    ```pycon\n    >>> " in text


def test_a_page_that_a_docstring_names_is_a_link_and_a_default_function_has_its_name(written):
    assert "[guide/nan-safe](../guide/nan-safe.md)" in written["tf"].read_text(encoding="utf-8")
    assert "window_fn: WindowFunction | None = hann_window" in written["tf.signal"].read_text(encoding="utf-8")
