"""A plugin of pytest: `pytest -p gradtape.pytest_plugin` tests code written for TensorFlow, with gradtape in its place.

It stands in before test files are imported, also in the processes of pytest-xdist. In a configuration file:
`addopts = "-p gradtape.pytest_plugin"`.
"""

from __future__ import annotations

from .stand_in import as_tensorflow


def pytest_load_initial_conftests() -> None:
    """Before the first file of tests is imported."""
    as_tensorflow()


def pytest_report_header() -> str:
    """A line at the start of a run."""
    return "tensorflow: gradtape stands in for it"
