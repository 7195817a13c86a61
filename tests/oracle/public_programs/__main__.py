"""`python -m tests.oracle.public_programs --sources DIR`: run public programs on both libraries, and write docs/programs.md.

DIR has the repositories of programs.toml, each in OWNER/NAME; nothing of them is kept here. Data that a program would download is
made (`made.py`), its settings are made small (`edits.py`), the same for both. Outcomes are kept in build/public_programs: a run
that was stopped goes on where it was, `--again` forgets what is known of gradtape.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from .. import workers
from . import edits, page, runner
from .comparison import compare

MANIFEST = tomllib.loads(Path(__file__).with_name("programs.toml").read_text(encoding="utf-8"))
ROWS = [{**row, "set": {**MANIFEST["defaults"], **row.get("set", {})}} for row in MANIFEST["program"]]
RESULTS = page.ROOT / "build" / "public_programs"
LARGEST = 3_000_000  # bytes of a file beside a program that is copied with it


def main(arguments: list[str] | None = None) -> int:
    """0 when no program raises here that ends well on TensorFlow, but those that a row explains."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.public_programs", description=__doc__)
    option = parser.add_argument
    option("--sources", type=Path, required=True, metavar="DIR", help="the repositories, each in OWNER/NAME")
    option("--venv", type=Path, metavar="DIR", help="an environment with TensorFlow (default: one is made)")
    option(
        "--packages",
        default="",
        metavar="DIR",
        help="packages that programs import in both: matplotlib, pandas, gymnasium ...",
    )
    option(
        "--only",
        default="",
        metavar="TEXT",
        help="only programs whose repository and path have this in them; writes no page",
    )
    option("--again", action="store_true", help="run the programs on gradtape again")
    options = parser.parse_args(arguments)
    rows = [row for row in ROWS if options.only in f"{row['repository']}/{row['path']}"]
    with tempfile.TemporaryDirectory() as folder:
        python = workers.python_of(options.venv) if options.venv else workers.with_tensorflow(Path(folder))
        run(python, "tensorflow", rows, options, again=False)
        run(Path(sys.executable), "gradtape", rows, options, again=options.again)
    found = [
        (row, compare(outcome("tensorflow", row), outcome("gradtape", row), row.get("silent", ()))) for row in rows
    ]
    for row, comparison in found:
        print(page.line(row, comparison, details=True))
    if not options.only:
        page.PAGE.write_text(page.written(found), encoding="utf-8")
    return int(any(not comparison.runs and "why" not in row for row, comparison in found))


def kept(library: str, row: dict[str, Any]) -> Path:
    """Where the outcome of a program is."""
    return RESULTS / library / (f"{row['repository']}/{row['path']}".replace("/", "-") + ".pickle")


def outcome(library: str, row: dict[str, Any]) -> Any:
    """What came of a program."""
    final = kept(library, row)
    return pickle.loads(final.read_bytes()) if final.exists() else {"cells": [("", "the process ended")], "names": {}}


def run(python: Path, library: str, rows: list[dict[str, Any]], options: argparse.Namespace, again: bool) -> None:
    """Run the programs that have no outcome yet, each in a folder with the files that stand beside it."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "COLUMNS": "200"}
    ours = [str(page.ROOT / "src")] * (library == "gradtape")
    packages = [str(Path(options.packages).resolve())] if options.packages else []
    environment["PYTHONPATH"] = os.pathsep.join([*ours, *packages])
    (RESULTS / library).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for row in rows:
            final = kept(library, row)
            if final.exists() and not again:
                continue
            final.unlink(missing_ok=True)
            source = options.sources / row["repository"] / row["path"]
            work = Path(folder) / str(len(jobs))
            _copy(source, work, row)
            names = {"program": source, "folder": work, "outcome": final, "log": final.with_suffix(".log")}
            jobs.append({"row": row, **{name: str(path.resolve()) for name, path in names.items()}})
        if jobs:
            given = Path(folder) / "jobs.json"
            given.write_text(json.dumps(jobs), encoding="utf-8")
            command = [str(python), runner.__file__, library, str(given)]
            subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=False)


def _copy(source: Path, work: Path, row: dict[str, Any]) -> None:
    """The modules and small files beside a program, with the row's edits in the modules."""
    work.mkdir()
    root = source.parents[row.get("above", 0)]
    for file in root.rglob("*"):
        place = work / file.relative_to(root)
        if file.is_dir() or file.stat().st_size > LARGEST or file.suffix == ".ipynb" or ".git" in file.parts:
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".py":
            place.write_text(edits.edited(file.read_text(encoding="utf-8", errors="replace"), row), encoding="utf-8")
        else:
            shutil.copyfile(file, place)


if __name__ == "__main__":
    raise SystemExit(main())
