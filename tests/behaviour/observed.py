"""The language of the behaviour tests: a fact is a snippet of code and what was observed when it ran.

Expected values are written as in the reports of the observation: `T(float32, (2,), [1.0, 2.0])` is an eager
tensor, `Variable(float32, 3.0)` a variable, and containers, numbers and strings stand for themselves. The
same facts run on TensorFlow itself with `GRADTAPE_TEST_MODULE=tensorflow`: see README.md beside this file.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import linecache
import logging
import os
import re
import textwrap
import traceback
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

MODULE = os.environ.get("GRADTAPE_TEST_MODULE", "gradtape")
OURS = MODULE == "gradtape"
tf: Any = importlib.import_module(MODULE)

nan, inf = float("nan"), float("inf")

# --- what a snippet may leave in R --------------------------------------------------------------------------


class Expectation:
    """A value that is compared by more than `==`."""

    def check(self, got: Any, where: str) -> None:
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class DType(Expectation):
    name: str

    def __repr__(self) -> str:
        return self.name

    def check(self, got: Any, where: str) -> None:
        assert isinstance(got, tf.DType), f"{where}: expected the dtype {self.name}, got {got!r}"
        assert got.name == self.name, f"{where}: expected dtype {self.name}, got {got.name}"


float16, bfloat16, float32, float64 = map(DType, ("float16", "bfloat16", "float32", "float64"))
int32, int64, bool_, string = map(DType, ("int32", "int64", "bool", "string"))
complex64, complex128 = map(DType, ("complex64", "complex128"))


@dataclass(frozen=True)
class TensorShape(Expectation):
    dims: list[int | None]

    def __repr__(self) -> str:
        return f"TensorShape({self.dims})"

    def check(self, got: Any, where: str) -> None:
        assert isinstance(got, tf.TensorShape), f"{where}: expected {self}, got {got!r}"
        assert got.as_list() == self.dims, f"{where}: expected {self}, got {got!r}"


@dataclass(frozen=True, repr=False)
class T(Expectation):
    """An eager tensor: dtype and shape exactly, values to the digits that were printed."""

    dtype: DType
    shape: tuple[int, ...]
    values: Any

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.dtype}, {self.shape}, {self.values})"

    def check(self, got: Any, where: str) -> None:
        assert isinstance(got, tf.Tensor), f"{where}: expected {self}, got {got!r}"
        self.dtype.check(got.dtype, where)
        assert isinstance(got.shape, tf.TensorShape), f"{where}: its shape is a {type(got.shape)}"
        assert tuple(got.shape) == self.shape, f"{where}: expected shape {self.shape}, got {tuple(got.shape)}"
        _check_values(self.values, got.numpy(), self.shape, where)


class ndarray(T):
    """A NumPy array, compared as a tensor is."""

    def check(self, got: Any, where: str) -> None:
        assert type(got) is np.ndarray, f"{where}: expected {self}, got {got!r}"
        assert (got.dtype.name, got.shape) == (self.dtype.name, self.shape), f"{where}: {got!r}"
        _check_values(self.values, got, self.shape, where)


@dataclass(frozen=True, repr=False)
class Variable(Expectation):
    dtype: DType
    values: Any

    def __repr__(self) -> str:
        return f"Variable({self.dtype}, {self.values})"

    def check(self, got: Any, where: str) -> None:
        assert isinstance(got, tf.Variable), f"{where}: expected {self}, got {got!r}"
        self.dtype.check(got.dtype, where)
        _check_values(self.values, got.numpy(), np.shape(self.values), where)


@dataclass(frozen=True)
class IndexedSlices(Expectation):
    values: T
    indices: T
    dense_shape: T

    def check(self, got: Any, where: str) -> None:
        assert isinstance(got, tf.IndexedSlices), f"{where}: expected {self}, got {got!r}"
        for part in ("values", "indices", "dense_shape"):
            compare(getattr(self, part), getattr(got, part), f"{where}.{part}")


@dataclass(frozen=True)
class RaggedTensor(Expectation):
    rows: list[Any]

    def check(self, got: Any, where: str) -> None:
        assert isinstance(got, tf.RaggedTensor), f"{where}: expected {self}, got {got!r}"
        compare(self.rows, got.to_list(), where)


@dataclass(frozen=True)
class Signature(Expectation):
    """The text of a signature: names, order and defaults. Annotations and further parameters are free."""

    start: str

    def check(self, got: Any, where: str) -> None:
        bare = re.sub(r"(\w+): '[^']*' = ", r"\1=", got)
        bare = re.sub(r"(\w+): '[^']*'(?=[,)])", r"\1", bare)
        assert bare.startswith(self.start.removesuffix(")")), f"{where}: expected {self.start!r}, got {got!r}"


class Contains(Expectation):
    """A list that holds at least these, in this order: public names, base classes."""

    def __init__(self, *items: str) -> None:
        self.items = items

    def __repr__(self) -> str:
        return f"Contains{self.items}"

    def check(self, got: Any, where: str) -> None:
        assert type(got) is list, f"{where}: expected a list, got {got!r}"
        rest = iter(got)
        assert all(item in rest for item in self.items), f"{where}: expected {self.items} within {got}"


class Anything(Expectation):
    """A value that is no part of the contract."""

    def __repr__(self) -> str:
        return "anything"

    def check(self, got: Any, where: str) -> None:
        pass


anything = Anything()


class NoResult(Expectation):
    """The snippet runs and leaves no R."""

    def __repr__(self) -> str:
        return "(no result)"

    def check(self, got: Any, where: str) -> None:
        assert got is self, f"{where}: expected no result, got {got!r}"


no_result = NoResult()


@dataclass(frozen=True, repr=False)
class Raises(Expectation):
    """The snippet ends in an error of this class or of one derived from it; its words are free."""

    error: type[BaseException]

    def __repr__(self) -> str:
        return f"raises {self.error.__name__}"

    def check(self, got: Any, where: str) -> None:
        raise AssertionError(f"expected {self.error.__name__}, but the snippet ran; R is {got!r}")


def compare(expected: Any, got: Any, where: str = "R") -> None:
    """Assert that `got` is what `expected` describes: types exactly, floating arrays within tolerance."""
    if isinstance(expected, Expectation):
        expected.check(got, where)
    elif isinstance(expected, dict):
        assert type(got) is type(expected), f"{where}: expected a {type(expected).__name__}, got {got!r}"
        assert list(got) == list(expected), f"{where}: expected the keys {list(expected)}, got {list(got)}"
        for key, value in expected.items():
            compare(value, got[key], f"{where}[{key!r}]")
    elif isinstance(expected, (list, tuple)):
        _check_sequence_type(expected, got, where)
        assert len(got) == len(expected), f"{where}: expected {len(expected)} items, got {len(got)}: {got!r}"
        for position, value in enumerate(expected):
            compare(value, got[position], f"{where}[{position}]")
    else:
        assert type(got) is type(expected), f"{where}: expected {expected!r}, got {got!r}"
        assert got == expected, f"{where}: expected {expected!r}, got {got!r}"


def _check_sequence_type(expected: Any, got: Any, where: str) -> None:
    fields = getattr(expected, "_fields", None)
    if fields is None:
        same = type(got) is type(expected)
    else:  # the snippet defines its own namedtuple: known by its name and fields
        same = (type(got).__name__, getattr(got, "_fields", None)) == (type(expected).__name__, fields)
    assert same, f"{where}: expected a {type(expected).__name__}, got {got!r}"


def _check_values(expected: Any, got: Any, shape: tuple[int, ...], where: str) -> None:
    # The observed values were printed to five decimals.
    got, wanted = np.asarray(got), np.asarray(expected).reshape(shape)
    assert got.shape == shape, f"{where}: expected shape {shape}, got {got.shape}"
    if wanted.dtype.kind in "fc" and got.dtype.kind not in "biuSO":
        wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(got.astype(wide), wanted, rtol=1e-4, atol=1e-5, err_msg=where)
    else:
        assert got.tolist() == wanted.tolist(), f"{where}: expected {expected}, got {got.tolist()}"


# --- facts --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fact:
    """One row of the observed behaviour."""

    name: str
    code: str
    tensorflow: Any
    gradtape: Any
    logs: str  # a part of the warning that TensorFlow logs; of gradtape any warning is enough
    prints: str
    needs: str

    @property
    def differs(self) -> bool:
        return self.gradtape is not self.tensorflow

    def check(self) -> None:
        expected = self.gradtape if OURS else self.tensorflow
        printed = io.StringIO()
        with _heard_warnings() as heard, contextlib.redirect_stdout(printed):
            self._check_result(expected)
        assert printed.getvalue() == self.prints
        if not OURS:
            assert any(self.logs in message for message in [*heard, ""]), heard
        elif self.logs:
            assert heard, f"expected a warning like TensorFlow's: {self.logs}"
        else:
            assert not heard, f"unexpected warnings: {heard}"

    def _check_result(self, expected: Any) -> None:
        try:
            got = _run(self.code, f"<{self.name}>")
        except Exception as error:
            if not isinstance(expected, Raises) or _shows_a_missing_feature(error, expected.error):
                raise
            if not isinstance(error, expected.error):
                raise AssertionError(f"expected {expected.error.__name__}") from error
        else:
            compare(expected, got)


def _run(code: str, filename: str) -> Any:
    # AutoGraph reads the source of a function, so the snippet has to be found under its file name.
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    names = {"__name__": "snippet", "tf": tf, "np": np, "R": no_result}
    exec(compile(code, filename, "exec"), names)
    return names["R"]


def _shows_a_missing_feature(error: Exception, expected: type[BaseException]) -> bool:
    """Whether a name or a feature is not there yet, which no row means by AttributeError or RuntimeError."""
    if isinstance(error, NotImplementedError):
        return expected is not NotImplementedError
    if not isinstance(error, AttributeError):
        return False
    raised_in = traceback.extract_tb(error.__traceback__)[-1].name
    return isinstance(error.obj, types.ModuleType) or raised_in == "__getattr__"


@contextlib.contextmanager
def _heard_warnings() -> Iterator[list[str]]:
    heard: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger(MODULE)
    logger.addHandler(handler)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            # gradtape silences NumPy's floating-point warnings by this filter; pytest's own stand before it.
            warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradtape(\..*)?$")
            yield heard
        heard.extend(str(warning.message) for warning in caught)
    finally:
        logger.removeHandler(handler)


def row(
    name: str,
    code: str,
    expected: Any = no_result,
    *,
    logs: str = "",
    prints: str = "",
    needs: str = "",
) -> Any:
    """A fact that holds for TensorFlow and for gradtape: running `code` leaves `expected` in R.

    `needs` names a feature that gradtape does not have yet; the test must fail until it comes.
    """
    return _param(Fact(name, textwrap.dedent(code), expected, expected, logs, prints, needs))


def raises(name: str, code: str, error: type[BaseException], *, logs: str = "", needs: str = "") -> Any:
    """A fact that holds for both: `code` ends in `error`."""
    return row(name, code, Raises(error), logs=logs, needs=needs)


def better(name: str, code: str, *, tensorflow: Any, gradtape: Any, needs: str = "") -> Any:
    """A limit of TensorFlow that gradtape does not share; docs/differences.md gives the reason."""
    return _param(Fact(name, textwrap.dedent(code), tensorflow, gradtape, "", "", needs))


def _param(fact: Fact) -> Any:
    waiting = OURS and fact.needs
    marks = [pytest.mark.xfail(strict=True, reason=f"needs {fact.needs}")] if waiting else []
    return pytest.param(fact, id=fact.name, marks=marks)
