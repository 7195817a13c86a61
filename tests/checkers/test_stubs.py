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


def test_checkers_import_every_name_that_is_loaded_on_first_use():
    tree = ast.parse(inspect.getsource(tf))
    (imports,) = (node for node in tree.body if isinstance(node, ast.If) and "not" not in ast.unparse(node.test))
    seen = {name.asname for node in imports.body for name in node.names}
    assert seen == {*tf._LAZY, *tf._LAZY_NAMES}


def test_the_table_names_the_file_of_each_op():
    for name, file in public.HOMES.items():
        assert getattr(public, name).op.__module__ == f"gradtape.ops.{file}"


def test_an_op_that_is_not_in_the_table_is_no_public_entry():
    with pytest.raises(AttributeError, match="name the op in its table"):
        public.parallel_sum  # noqa: B018
