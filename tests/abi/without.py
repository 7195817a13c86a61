"""A plugin for pytest: one of the things that gradtape relies on inside of CPython and NumPy does not hold.

    GRADTAPE_TEST_WITHOUT=reads_elements python -m pytest -p tests.abi.without tests/native tests/compile

Tests of the fast way itself are skipped then: they ask the same function.
"""

import os

from gradtape.base.reliance import RELIANCES
from gradtape.native import abi  # noqa: F401 - fills it


def pytest_configure():
    RELIANCES[os.environ["GRADTAPE_TEST_WITHOUT"]].trial = lambda: False
