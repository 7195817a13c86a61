"""Runs one test file of TensorFlow against one library: `python runner.py LIBRARY FILE OUTCOMES`; the same in both interpreters.

Each test that is begun and each that ends is a line of JSON in OUTCOMES, so that a test which ends the process is known.
Tests that stand there already are left out.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import types
import unittest
from pathlib import Path
from typing import Any

PATIENCE = 60  # seconds that one test may take


class TooLong(Exception):
    """The test did not end in time."""


class Recorder(unittest.TestResult):
    """Writes outcomes as they come."""

    def __init__(self, outcomes: Path) -> None:
        super().__init__()
        self._outcomes = outcomes

    def write(self, test: unittest.TestCase, outcome: str, reason: str = "") -> None:
        with self._outcomes.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"test": name_of(test), "outcome": outcome, "reason": reason[:300]}) + "\n")

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.write(test, "started")
        signal.alarm(PATIENCE)

    def stopTest(self, test: unittest.TestCase) -> None:
        signal.alarm(0)
        super().stopTest(test)

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.write(test, "passed")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self.write(getattr(test, "test_case", test), "skipped", reason)  # (a part of a test skips it)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        self.write(test, "failed", _said(err))

    addError = addFailure

    def addSubTest(self, test: unittest.TestCase, subtest: Any, err: Any) -> None:
        if err is not None:
            self.write(test, "failed", _said(err))


def name_of(test: unittest.TestCase) -> str:
    """Class and method, without the addresses of objects."""
    path, space, parameters = test.id().partition(" ")
    return re.sub("0x[0-9a-f]+", "0x", ".".join(path.split(".")[-2:]) + space + parameters)


def _said(error: Any) -> str:
    return f"{error[0].__name__}: {error[1]}".replace("\n", " ")


def tests_of(file: Path) -> list[unittest.TestCase]:
    """The tests of a file, read with stand-ins in the place of private modules."""
    text = (
        file.read_text(encoding="utf-8")
        .replace("tensorflow.python", "tf_private")
        .replace("tensorflow.core", "tf_private.core")
    )
    module = types.ModuleType("tf_test")
    module.__file__ = str(file)
    sys.modules["tf_test"] = module
    exec(compile(text, str(file), "exec"), vars(module))

    def flat(suite: Any) -> list[unittest.TestCase]:
        return [t for part in suite for t in flat(part)] if isinstance(suite, unittest.TestSuite) else [suite]

    return flat(unittest.defaultTestLoader.loadTestsFromModule(module))


def main(library: str, file: Path, outcomes: Path) -> None:
    """Run what has no outcome yet."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    if library == "gradtape":
        import gradtape

        tf: Any = gradtape.as_tensorflow()
    else:
        import tensorflow as tf
    import stand_ins

    def too_long(*signal: object) -> None:
        raise TooLong(f"no end after {PATIENCE} s")

    stand_ins.install(tf)
    from absl import flags

    flags.FLAGS(["tests"])
    signal.signal(signal.SIGALRM, too_long)
    known = {json.loads(line)["test"] for line in outcomes.read_text(encoding="utf-8").splitlines()}
    recorder = Recorder(outcomes)
    with stand_ins.importing_a_file():
        tests = tests_of(file)
    suite = unittest.TestSuite(test for test in tests if name_of(test) not in known)
    suite.run(recorder)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
