"""`python -m tests.fuzz [--minutes N] [reader ...]`: fuzz the readers, one after the other, and write docs/fuzzing.md.

It needs atheris (`pip install atheris`) beside what the tests need. The minutes are for all readers together. Each begins
with files that our own writers made and with the regressions; a find is left in `build/fuzz/<reader>/` with its traceback:
mend the reader, and move the file to tests/fuzz/regressions/<reader>/.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import importlib.util
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

from .reader import Reader
from .readers import READERS

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "fuzzing.md"
FINDS = ROOT / "build" / "fuzz"
REGRESSIONS = pathlib.Path(__file__).parent / "regressions"

_HEAD = """# Fuzzing

Written by `python -m tests.fuzz`, which gives every reader of files and bytes damaged input for a bounded time, with
[atheris](https://github.com/google/atheris) (libFuzzer for Python: inputs that reach new code are kept and changed further).
Trees of JSON and records are changed so that checksums and syntax still hold.

For each reader it is checked that only errors of `tf.errors` come out (or `ValueError` where TensorFlow has it), each with a
message; that nothing crashes, takes longer than 20 seconds or more than 2 GiB; and that no other file is opened and no
program is started. [SECURITY.md](../SECURITY.md) says what is promised for each format.

*Edges* are places in the code of gradtape and of the libraries written in Python below it that were reached. *Repaired*
counts the inputs that once broke the promise; `tests/fuzz/test_regressions.py` reads them in every run of the tests.

| reader | executions | edges | minutes | open finds | repaired | date |
| --- | ---: | ---: | ---: | ---: | ---: | --- |
"""
_ROW = re.compile(r"\| `(\w+)` \|.*")


def main() -> int:
    """Fuzz; 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="for all readers together")
    parser.add_argument("readers", nargs="*")
    options = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        parser.error("atheris does the fuzzing: pip install atheris")
    unknown = [name for name in options.readers if name not in READERS]
    if unknown:
        parser.error(f"there is no reader {unknown[0]!r}; there are {', '.join(READERS)}")
    readers = [READERS[name] for name in options.readers or READERS]
    rows = {m[1]: m[0] for m in map(_ROW.match, PAGE.read_text().splitlines() if PAGE.exists() else ()) if m}
    found = 0
    for reader in readers:
        row, count = fuzzed(reader, max(round(options.minutes * 60 / len(readers)), 1))
        print(row, flush=True)
        rows[reader.name] = row
        found += count
        write_page(rows)
    return 1 if found else 0


def fuzzed(reader: Reader, seconds: int) -> tuple[str, int]:
    """One reader's row of the page, and how many finds it left."""
    finds = FINDS / reader.name
    shutil.rmtree(finds, ignore_errors=True)
    finds.mkdir(parents=True)
    kept = REGRESSIONS / reader.name
    with tempfile.TemporaryDirectory() as place:  # libFuzzer ends its process without cleaning up
        corpus = pathlib.Path(place) / "corpus"
        corpus.mkdir()
        if kept.exists():
            shutil.copytree(kept, corpus, dirs_exist_ok=True)
        limits = [f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=6000", "-max_len=65536"]
        log = finds / "log.txt"
        with log.open("w") as out:
            subprocess.run(
                [sys.executable, "-m", "tests.fuzz.worker", reader.name, str(corpus), str(finds), *limits],
                cwd=ROOT,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "TMPDIR": place},
                stdout=out,
                stderr=subprocess.STDOUT,
                check=False,
            )
    text = log.read_text(errors="replace")
    done = re.findall(r"^#(\d+)\s+DONE\s+cov: (\d+)", text, re.MULTILINE)
    count = len([path for path in finds.iterdir() if path.suffix != ".txt"])
    if not done:  # libFuzzer has ended the process: its last words are in the log
        count = max(count, 1)
    executions, edges = done[-1] if done else ("ended early", "")
    repaired = len(list(kept.iterdir())) if kept.exists() else 0
    parts = [f"`{reader.name}`", executions, edges, f"{seconds / 60:.1f}", str(count), str(repaired)]
    return f"| {' | '.join([*parts, datetime.date.today().isoformat()])} |", count


def write_page(rows: dict[str, str]) -> None:
    """The page, with the rows that are known."""
    names = ("atheris", "numpy", "pillow", "safetensors", "keras", "h5py", "protobuf")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    foot = f"\nLast run with Python {platform.python_version()}, {versions}.\n"
    PAGE.write_text(_HEAD + "".join(f"{row}\n" for row in rows.values()) + foot)


if __name__ == "__main__":
    sys.exit(main())
