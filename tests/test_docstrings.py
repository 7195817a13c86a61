"""Public callables and their methods say what they do, what they take and what comes out, with an example that runs."""

import doctest
import importlib.util
import inspect
import re
import sys

import numpy as np
import pytest
from website.docstrings import Docstring, docstrings, method_docstrings
from website.public_names import namespaces

import gradtape as tf
from gradtape.ops import public

FOUND = [*docstrings(), *method_docstrings()]
NEED_JAX = ("tf.xla.", "tf.experimental.dtensor.")


def test_every_public_callable_has_a_docstring():
    assert [one.name for one in FOUND if not one.text] == []


def test_every_public_callable_has_an_example():
    assert [one.name for one in FOUND if not one.has_example] == []


def test_every_argument_of_a_public_callable_is_described():
    assert {one.name: one.undescribed for one in FOUND if one.undescribed} == {}


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
    assert failures(name, entry.__doc__) == []


def test_the_example_of_the_callback_for_keras_runs():
    pytest.importorskip("keras")
    assert failures("StopAtNonFinite", tf.diagnostics.StopAtNonFinite.__doc__) == []


def is_found_by_doctest(value):
    """Whether doctest comes upon it in its module: at the top level, or in a class, which namespaces and ops are not."""
    value = inspect.unwrap(value)
    module = sys.modules.get(getattr(value, "__module__", None))
    home = getattr(module, getattr(value, "__qualname__", "").partition(".")[0], None)
    return isinstance(home, type) or (callable(home) and inspect.unwrap(home) is value)


ENTRIES = [getattr(public, name) for name in public.HOMES]
HIDDEN = {
    f"{page.name}.{name}": inspect.getdoc(value)
    for page in namespaces()
    for name, value in page.described.items()
    if callable(value)
    and ">>>" in (inspect.getdoc(value) or "")
    and not is_found_by_doctest(value)
    and value not in ENTRIES
}


@pytest.mark.parametrize("name", HIDDEN)
def test_an_example_that_doctest_does_not_find_runs(name):
    if name.startswith(NEED_JAX) and importlib.util.find_spec("jax") is None:
        pytest.skip("needs the extra xla")
    assert failures(name, HIDDEN[name]) == []


def failures(name, text):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    parser, failed = doctest.DocTestParser(), []
    test = parser.get_doctest(text, {"tf": tf}, name, None, None)
    doctest.DocTestRunner(ButForRounding(), optionflags=flags).run(test, out=failed.append)
    return failed


class ButForRounding(doctest.OutputChecker):
    """Fractions may differ by their last digits: NumPy's functions round in other ways on other processors."""

    FRACTION = re.compile(r"[-+]?\d+\.\d*(?:e[-+]?\d+)?")

    def check_output(self, want, got, optionflags):
        if super().check_output(want, got, optionflags):
            return True
        words = [re.sub(r"\s", "", self.FRACTION.sub("#", text)) for text in (want, got)]
        wanted, given = ([float(number) for number in self.FRACTION.findall(text)] for text in (want, got))
        return words[0] == words[1] and np.allclose(given, wanted, rtol=5e-7, atol=0)


def test_an_example_may_differ_from_its_text_by_rounding_alone():
    written = ">>> 1.7182817, 'array([0.5 ])'\n(1.7182819, 'array([0.5])')\n"
    assert failures("rounding", written) == []
    assert failures("another number", written.replace("819", "919")) != []
    assert failures("another word", written.replace("array", "tensor", 1)) != []
