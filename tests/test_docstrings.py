"""Public callables and their methods say what they do, what they take and what comes out, with an example that runs."""

import doctest

import pytest
from website.docstrings import Docstring, docstrings, method_docstrings

import gradtape as tf
from gradtape.ops import public

FOUND = list(docstrings())
METHODS = list(method_docstrings())
# How many lack something today. A new function lacks nothing; when a number falls, it is written here.
WITHOUT_EXAMPLE = 225
WITHOUT_ARGUMENTS = 233
METHODS_WITHOUT_EXAMPLE = 61
METHODS_WITHOUT_ARGUMENTS = 40


def test_every_public_callable_has_a_docstring():
    assert [one.name for one in FOUND if not one.text] == []


def test_no_more_docstrings_lack_an_example_than_before():
    lacking = [one.name for one in FOUND if not one.has_example]
    assert len(lacking) == WITHOUT_EXAMPLE, "python -m website.docstrings --list"


def test_no_more_docstrings_lack_their_arguments_than_before():
    lacking = [one.name for one in FOUND if not one.has_arguments]
    assert len(lacking) == WITHOUT_ARGUMENTS, "python -m website.docstrings --list"


def test_no_more_methods_lack_an_example_than_before():
    lacking = [one.name for one in METHODS if not one.has_example]
    assert len(lacking) == METHODS_WITHOUT_EXAMPLE, "python -m website.docstrings --list"


def test_no_more_methods_lack_their_arguments_than_before():
    lacking = [one.name for one in METHODS if not one.has_arguments]
    assert len(lacking) == METHODS_WITHOUT_ARGUMENTS, "python -m website.docstrings --list"


def test_an_argument_is_described_if_the_section_names_it():
    text = (
        "A function.\n\nArgs:\n    x: A tensor,\n        y: in words.\n    *rest: Others.\n\nReturns:\n    z: A tensor."
    )
    assert Docstring("f", text, ("x", "y", "rest", "z")).undescribed == ["y", "z"]


@pytest.mark.parametrize("name", public.HOMES)
def test_the_entries_of_ops_describe_their_arguments_with_an_example_that_runs(name):
    entry = getattr(public, name)
    assert "Args:" in entry.__doc__
    assert "Returns:" in entry.__doc__
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    parser, failed = doctest.DocTestParser(), []
    test = parser.get_doctest(entry.__doc__, {"tf": tf}, name, None, None)
    doctest.DocTestRunner(optionflags=flags).run(test, out=failed.append)
    assert failed == []
