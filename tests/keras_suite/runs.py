"""Runs the tests folder by folder, each in a process of its own, and keeps what came out."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "build" / "keras_suite"
# Files that need TensorFlow itself, for its internals.
_INTERNALS = re.compile(r"^from tensorflow\.(python|core)\.", re.MULTILINE)
# Pretrained networks (large, and they need downloads), and what belongs to the other backends.
LEFT_OUT = ("applications", "backend/tensorflow", "backend/jax", "backend/torch", "backend/openvino", "backend/numpy")


@dataclass(frozen=True)
class Outcome:
    """What came of one test."""

    test: str
    outcome: str  # passed, failed or skipped
    reason: str
    seconds: float


def source_of(python: Path) -> Path:
    """Where the Keras of that interpreter has its sources, found without importing it."""
    script = "import importlib.util; print(importlib.util.find_spec('keras').submodule_search_locations[0])"
    return (
        Path(subprocess.run([python, "-c", script], capture_output=True, text=True, check=True).stdout.strip()) / "src"
    )


def add_tests(checkout: Path, source: Path) -> None:
    """Copy the test files of a checkout beside the installed modules, which they belong to."""
    for file in checkout.rglob("*_test.py"):
        target = source / file.relative_to(checkout)
        if target.parent.is_dir():
            shutil.copyfile(file, target)


def folders(source: Path) -> dict[str, list[Path]]:
    """The test files of each folder: one level deep for layers and backend, which are large, else by top folder."""
    found: dict[str, list[Path]] = defaultdict(list)
    for file in sorted(source.rglob("*_test.py")):
        parts = file.relative_to(source).parts
        name = "/".join(parts[: 2 if parts[0] in ("layers", "backend") and len(parts) > 2 else 1])
        if not name.startswith(LEFT_OUT):
            found[name].append(file)
    return dict(found)


def kept(backend: str, folder: str) -> Path:
    """Where the outcomes of a folder are kept, so that a run that was stopped goes on."""
    return RESULTS / backend / f"{folder.replace('/', '-')}.jsonl"


def run(python: Path, backend: str, source: Path, folder: str, minutes: float) -> None:
    """Run the tests of one folder; its outcomes are kept when it has come to its end."""
    files = folders(source)[folder]
    final = kept(backend, folder)
    final.parent.mkdir(parents=True, exist_ok=True)
    partial = final.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    partial.touch()
    done = partial.with_suffix(".done")
    environment = {
        **os.environ,
        "KERAS_SUITE_BACKEND": backend,
        "KERAS_SUITE_OUTCOMES": str(partial),
        "KERAS_SUITE_DONE": str(done),
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
    }
    # (Without rewritten assertions, test modules are imported as any other, and the hook sees them.)
    command = [
        str(python),
        "-m",
        "pytest",
        "-p",
        "tests.keras_suite.plugin",
        "-p",
        "no:cacheprovider",
        "-q",
        "--tb=line",
    ]
    command += ["--assert=plain", "--continue-on-collection-errors", "-c", os.devnull, "--rootdir", str(source)]
    # (An environment inside this repository has its conftest.py above Keras, which is not meant for these tests.)
    command += ["--confcutdir", str(source)]
    give_up = time.monotonic() + 60 * minutes
    groups: dict[str, list[Path]] = defaultdict(list)
    for file in files:
        groups["gradtape" if _INTERNALS.search(file.read_text(encoding="utf-8")) else "tensorflow"].append(file)
    left = list(groups.items())
    while left:
        environment["KERAS_SUITE_NAME"], files = left[0]
        known = _settled(partial)
        done.write_text("\n".join(known), encoding="utf-8")
        try:
            code = subprocess.run(
                [*command, *map(str, files)],
                env=environment,
                cwd=RESULTS,
                timeout=max(1.0, give_up - time.monotonic()),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            print(f"{folder}: stopped after {minutes} minutes; run again to begin it anew", file=sys.stderr)
            return
        # A test that ends the process is an outcome; the next ones go on in a new one.
        if code in (0, 1, 2, 5) or not _settled(partial) - known:
            left.pop(0)
    done.unlink()
    partial.replace(final)


def _settled(file: Path) -> set[str]:
    """The tests that were begun, whatever came of them."""
    return {json.loads(line)["test"] for line in file.read_text(encoding="utf-8").splitlines()}


def outcomes(backend: str, folder: str) -> list[Outcome]:
    """What is known of the tests of a folder; a test that failed anywhere has failed."""
    file = kept(backend, folder)
    if not file.exists():
        return []
    worst: dict[str, Outcome] = {}
    order = {"failed": 3, "skipped": 2, "passed": 1, "started": 0}
    for line in file.read_text(encoding="utf-8").splitlines():
        outcome = Outcome(**json.loads(line))
        outcome = replace(outcome, test=name_of(outcome.test))
        known = worst.get(outcome.test)
        if known is None or order[outcome.outcome] > order[known.outcome]:
            worst[outcome.test] = outcome
    return [_crashed(outcome) if outcome.outcome == "started" else outcome for outcome in worst.values()]


def name_of(test: str) -> str:
    """The test without the addresses of objects, which some have in their names and which differ from run to run."""
    return re.sub("0x[0-9a-f]+", "0x", test)


def _crashed(outcome: Outcome) -> Outcome:
    return replace(outcome, outcome="failed", reason="the process ended")
