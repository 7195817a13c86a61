"""A part of Keras's own tests, without TensorFlow, JAX and torch. `python -m tests.keras_suite` runs all of them."""

import sys
from pathlib import Path

import pytest
from tests.keras_suite import report, runs

# What takes little time and needs no other library: the layers, and all that training consists of.
FOLDERS = (
    *(
        "activations",
        "callbacks",
        "constraints",
        "export",
        "initializers",
        "losses",
        "metrics",
        "models",
        "optimizers",
        "regularizers",
        "trainers",
    ),
    *(f"layers/{part}" for part in ("activations", "attention", "convolutional", "core", "merging", "normalization")),
    *(f"layers/{part}" for part in ("pooling", "preprocessing", "regularization", "reshaping", "rnn")),
)
# Test files that import one of these are not for here.
OTHERS = ("tensorflow", "jax", "torch", "grain", "onnxruntime")


@pytest.mark.parametrize("folder", FOLDERS)
def test_keras_passes_its_own_tests(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "RESULTS", tmp_path)
    python = Path(sys.executable)
    runs.run(python, "gradtape", runs.source_of(python), folder, minutes=4)
    found = runs.outcomes("gradtape", folder)
    assert any(outcome.outcome == "passed" for outcome in found), found
    excluded = report.exclusions()
    failed = [
        f"{outcome.test}: {outcome.reason}"
        for outcome in found
        if outcome.outcome == "failed"
        and not any(f"No module named '{name}" in outcome.reason for name in OTHERS)
        and report.reason_for(outcome.test, excluded) is None
    ]
    assert not failed, "\n".join(failed)
