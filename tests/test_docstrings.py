"""Public callables say what they do, what they take and what comes out, with an example that runs."""

import doctest

import pytest
from website.docstrings import docstrings

import gradtape as tf
from gradtape.ops import public

FOUND = list(docstrings())
# How many lack something today. A new function lacks nothing; when a number falls, it is written here.
WITHOUT_EXAMPLE = 150
WITHOUT_ARGUMENTS = 222


def test_every_public_callable_has_a_docstring():
    assert [one.name for one in FOUND if not one.text] == []


def test_no_more_docstrings_lack_an_example_than_before():
    lacking = [one.name for one in FOUND if not one.has_example]
    assert len(lacking) == WITHOUT_EXAMPLE, "python -m website.docstrings --list"


def test_no_more_docstrings_lack_their_arguments_than_before():
    lacking = [one.name for one in FOUND if not one.has_arguments]
    assert len(lacking) == WITHOUT_ARGUMENTS, "python -m website.docstrings --list"


@pytest.mark.parametrize("name", public.HOMES)
def test_the_entries_of_ops_describe_their_arguments_with_an_example_that_runs(name):
    entry = getattr(public, name)
    assert "Args:" in entry.__doc__
    assert "Returns:" in entry.__doc__
    assert failures(name, entry.__doc__) == []


def test_the_example_of_the_callback_for_keras_runs():
    pytest.importorskip("keras")
    assert failures("StopAtNonFinite", tf.diagnostics.StopAtNonFinite.__doc__) == []


def failures(name, text):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    parser, failed = doctest.DocTestParser(), []
    test = parser.get_doctest(text, {"tf": tf}, name, None, None)
    doctest.DocTestRunner(optionflags=flags).run(test, out=failed.append)
    return failed
