"""What checkers and editors are told of the public names is what Python has."""

import ast
import inspect

import pytest

import gradtape as tf
from gradtape.ops import public

from . import stubs


@pytest.mark.parametrize("path", stubs.stubs(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_stubs_are_up_to_date(path):
    assert path.read_text(encoding="utf-8") == stubs.stubs()[path], "run python -m tests.checkers.stubs"


def homes_that_checkers_see(module):
    """Name -> module and name there, as the imports under TYPE_CHECKING say."""
    tree = ast.parse(inspect.getsource(module))
    (imports,) = (
        node
        for node in tree.body
        if isinstance(node, ast.If)
        and ast.unparse(node.test).endswith("TYPE_CHECKING")
        and "not" not in ast.unparse(node.test)
    )
    return {
        name.asname or name.name: (f"gradtape.{node.module}", name.name) if node.module else None
        for node in imports.body
        if isinstance(node, ast.ImportFrom) and node.level
        for name in node.names
    }


def test_checkers_import_every_name_of_tf_that_is_loaded_on_first_use():
    seen = homes_that_checkers_see(tf)
    assert {name: home for name, home in seen.items() if home} == tf._LAZY_NAMES
    keras = {"keras", "initializers", "losses", "metrics", "optimizers"}
    assert {name for name, home in seen.items() if not home} | keras == tf._LAZY


def test_checkers_import_every_name_of_tf_math_that_is_loaded_on_first_use():
    assert homes_that_checkers_see(tf.math) == tf.math._HOMES


def test_names_that_are_loaded_on_first_use_are_those_of_their_namespaces():
    assert tf.tanh is tf.math.tanh is public.tanh
    assert tf.realdiv is public.divide
    assert {"tanh", "erfinv", "top_k", "reduce_std"} <= set(dir(tf.math))
    assert "maximum" in vars(tf) or tf.maximum is tf.math.maximum


def test_the_table_names_the_file_of_each_op():
    for name, file in public.HOMES.items():
        assert getattr(public, name).op.__module__ == f"gradtape.ops.{file}"


def test_an_op_that_is_not_in_the_table_is_no_public_entry():
    with pytest.raises(AttributeError, match="name the op in its table"):
        public.no_such_op  # noqa: B018
