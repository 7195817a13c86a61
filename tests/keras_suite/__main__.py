"""`python -m tests.keras_suite`: run Keras's own tests on gradtape, folder by folder, and write docs/keras-coverage.md.

A folder whose outcomes are known is not run again (`--again` forgets them), so a run that was stopped goes on where it was.
Run it once with `--backend tensorflow` first: what passes there is what is asked of gradtape.

`--keras 3.13` runs the tests of that version, in an environment of its own, and writes docs/keras-coverage-3.13.md.
The wheels before 3.15 have no tests: `--tests` names a checkout of that version to take them from.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from keras_gradtape import hook

from . import report, runs

NEWEST = hook.VERSIONS[-1]

# What the tests import beside Keras; gradtape itself needs none of them.
PACKAGES = ("tensorflow-cpu", "jax", "torch==2.13.0", "grain", "pandas", "pytest", "scipy")
OURS = ("ml_dtypes", "safetensors", "diastatic-malt", "llvmlite", "tensorboardX")


def main(arguments: list[str] | None = None) -> int:
    """0 when every test that applies passes, or stands in exclusions.toml with its reason."""
    parser = argparse.ArgumentParser(prog="python -m tests.keras_suite", description=__doc__)
    option = parser.add_argument
    option("folders", nargs="*", metavar="FOLDER", help="only these: layers/core, optimizers, ... (default: all)")
    option(
        "--venv",
        type=Path,
        metavar="DIR",
        help="an environment to use, made if it is not there (default: build/keras_venv, with the version after it)",
    )
    option("--keras", default=NEWEST, metavar="VERSION", help=f"the version whose tests are run (default {NEWEST})")
    option(
        "--tests", type=Path, metavar="DIR", help="a checkout of Keras at that version, where its wheel has no tests"
    )
    option("--backend", default="gradtape", choices=["gradtape", "tensorflow"], help="whose turn it is")
    option("--again", action="store_true", help="run folders whose outcomes are known, too")
    option("--minutes", type=float, default=30, metavar="N", help="the most that one folder may take (default 30)")
    option("--report", action="store_true", help="run nothing, only write the page")
    options = parser.parse_args(arguments)
    suffix = "" if options.keras == NEWEST else f"-{options.keras}"
    runs.RESULTS = runs.ROOT / "build" / f"keras_suite{suffix}"
    python = environment(options.venv or runs.ROOT / "build" / f"keras_venv{suffix}", options.keras)
    source = runs.source_of(python)
    if options.tests is not None:
        runs.add_tests(options.tests / "keras" / "src", source)
    folders = runs.folders(source)
    wanted = [name for name in folders if not options.folders or name.startswith(tuple(options.folders))]
    if not wanted:
        parser.error(f"no folder of {sorted(folders)} begins with {options.folders}")
    for name in [] if options.report else wanted:
        if options.again or not runs.kept(options.backend, name).exists():
            start = time.monotonic()
            runs.run(python, options.backend, source, name, options.minutes)
            print(f"{name}: {report.counts_of(runs.outcomes(options.backend, name))}, {time.monotonic() - start:.0f} s")
            sys.stdout.flush()
    if options.backend != "gradtape":
        return 0
    page, missing = report.page(folders, options.keras)
    written = report.PAGE.with_stem(report.PAGE.stem + suffix)
    written.write_text(page, encoding="utf-8")
    print(f"wrote {written.relative_to(runs.ROOT)}; {len(missing)} tests that apply do not pass")
    for outcome in missing:
        if not options.folders or outcome.test.startswith(tuple(options.folders)):
            print(f"  {outcome.test}: {outcome.outcome}, {outcome.reason}")
    return int(bool(missing))


def environment(folder: Path, keras: str) -> Path:
    """The Python of an environment with Keras and all that its tests import."""
    python = folder.absolute() / "bin" / "python"  # the tests run in another folder
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"keras=={keras}.*", *PACKAGES, *OURS], check=True)
    return python


if __name__ == "__main__":
    raise SystemExit(main())
