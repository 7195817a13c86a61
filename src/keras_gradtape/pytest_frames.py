"""A plugin of pytest, which finds it by itself: what a failed test shows ends at the line of the test, not inside of gradtape.

`pytest --full-trace`, and `tf.debugging.disable_traceback_filtering()`, show all frames. It stands here because this package
imports nothing: tests of programs without gradtape do not import it either.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
    """Before a report is made of an error."""
    tracebacks: Any = sys.modules.get("gradtape.base.tracebacks")
    if tracebacks is None or call.excinfo is None or not tracebacks.FILTERING.on or item.config.getoption("fulltrace"):
        return
    tracebacks.fold(call.excinfo.value, says_so=False)
    call.excinfo = pytest.ExceptionInfo.from_exception(call.excinfo.value)
