"""`python -m tests.oracle.tf_tests --source DIR`: run test files of TensorFlow on gradtape, and write docs/tf-tests.md.

DIR is a checkout of TensorFlow of the version that gradtape follows; nothing of it is kept here. The tests import absl and
opt_einsum, which may be on PYTHONPATH. A test counts if it passes on
TensorFlow through the same stand-ins (`stand_ins.py`), which have public names only. Outcomes are kept in build/tf_tests: a run
that was stopped goes on where it was, `--again` forgets what is known of gradtape.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .. import workers
from . import page, runner

FILES = (Path(__file__).with_name("files.txt")).read_text(encoding="utf-8").split()
RESULTS = page.ROOT / "build" / "tf_tests"


def main(arguments: list[str] | None = None) -> int:
    """0 when at least 97 % of what passes on TensorFlow passes on gradtape."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.tf_tests", description=__doc__)
    option = parser.add_argument
    option("--source", type=Path, required=True, metavar="DIR", help="a checkout of TensorFlow")
    option("--venv", type=Path, metavar="DIR", help="an environment with TensorFlow (default: one is made)")
    option("--only", default="", metavar="TEXT", help="only files whose name has this in it; writes no page")
    option("--again", action="store_true", help="run the files on gradtape again")
    options = parser.parse_args(arguments)
    files = [name for name in FILES if options.only in name]
    with tempfile.TemporaryDirectory() as folder:
        if options.venv is None and all(kept("tensorflow", name).exists() for name in files):
            python = Path(sys.executable)
        else:
            python = workers.python_of(options.venv) if options.venv else workers.with_tensorflow(Path(folder))
        for name in files:
            source = options.source / "tensorflow" / "python" / name
            run(python, "tensorflow", source, kept("tensorflow", name))
            if options.again:
                kept("gradtape", name).unlink(missing_ok=True)
            run(Path(sys.executable), "gradtape", source, kept("gradtape", name))
    found = {name: (outcomes(kept("tensorflow", name)), outcomes(kept("gradtape", name))) for name in files}
    text, share = page.written(found)
    if options.only:
        print(text)
    else:
        page.PAGE.write_text(text, encoding="utf-8")
    print(f"{share:.1%} of what passes on TensorFlow passes on gradtape")
    return int(share < 0.97)


def kept(library: str, name: str) -> Path:
    """Where the outcomes of a file are."""
    return RESULTS / library / f"{name.replace('/', '-')}.jsonl"


def run(python: Path, library: str, source: Path, final: Path) -> None:
    """Run a file to its end, in as many processes as its tests end; the outcomes are kept when all have run."""
    if final.exists():
        return
    final.parent.mkdir(parents=True, exist_ok=True)
    partial = final.with_suffix(".partial")
    partial.touch()
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    paths = [str(page.ROOT / "src")] * (library == "gradtape") + [
        path for path in [os.environ.get("PYTHONPATH")] if path
    ]
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    while True:
        before = partial.stat().st_size
        command = [str(python), runner.__file__, library, str(source), str(partial)]
        with final.with_suffix(".log").open("w", encoding="utf-8") as log:
            code = subprocess.run(command, env=environment, stdout=log, stderr=log, check=False).returncode
        if code in (0, 1) or partial.stat().st_size == before:
            break
    partial.replace(final)
    print(f"{library}: {source.name}, {len(outcomes(final))} tests")
    sys.stdout.flush()


def outcomes(file: Path) -> dict[str, page.Outcome]:
    """What came of each test; one that has only begun has ended the process, and one that failed anywhere has failed."""
    found: dict[str, page.Outcome] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        # (What stands behind the name are parameters as they are printed, which differ: a number in the name tells them apart.)
        outcome = page.Outcome(**{**json.loads(line), "test": json.loads(line)["test"].partition(" ")[0]})
        if found.get(outcome.test, outcome).outcome != "failed":
            found[outcome.test] = outcome
    return {
        name: page.Outcome(name, "failed", "the process ended") if outcome.outcome == "started" else outcome
        for name, outcome in found.items()
    }


if __name__ == "__main__":
    raise SystemExit(main())
