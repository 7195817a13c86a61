"""Tests on eight devices begin and end with one device and the native engine."""

import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")

collect_ignore = ["worker.py", "keras_worker.py", "tape_worker.py"]  # programs, which tests start


@pytest.fixture(autouse=True)
def _one_device_after_it():
    yield
    from gradtape.xla import sharding

    sharding.end()
