"""What a library costs before its first op: the time to import it, and the room it takes."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from benchmarks.step import Unavailable
from benchmarks.timing import clock
from benchmarks.workload import Reading, limit


class ImportTime(Reading):
    """In a fresh interpreter, whose own start does not count. Files are in the system's cache."""

    name = "import"
    title = "import"
    unit = "s"
    unit_scale = 1
    limits = (limit("gradtape", 0.2),)

    def read(self, module: str) -> float:
        code = f"from time import {clock().__name__} as now; start = now(); import {module}; print(now() - start)"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        if run.returncode:
            raise Unavailable(f"import {module} fails: {run.stderr.strip().splitlines()[-1]}")
        return float(run.stdout.split()[-1])


class InstalledSize(Reading):
    """The distribution with all that it requires, as pip recorded them. pip itself belongs to none."""

    name = "installed-size"
    title = "installed size"
    unit = "MB"
    unit_scale = 1e-6
    is_timed = False
    limits = (limit("gradtape", 240),)

    def read(self, module: str) -> float:
        name, *_ = metadata.packages_distributions().get(module, [module])
        distributions = _with_requirements(name)
        if not distributions:
            raise Unavailable(f"{module} is found on the path but not installed: pip install -e .")
        return float(sum(_size(distribution) for distribution in distributions))


def _with_requirements(name: str) -> list[metadata.Distribution]:
    """A distribution and, through all levels, what it requires without extras."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [name]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # meant for another platform
        for requirement in found[name].requires or []:
            if "extra ==" not in requirement and (match := re.match(r"[\w.-]+", requirement)):
                waiting.append(match[0])
    return list(found.values())


def _size(distribution: metadata.Distribution) -> int:
    files = {Path(str(file.locate())).resolve() for file in distribution.files or []}
    if '"editable": true' in (distribution.read_text("direct_url.json") or ""):
        # What pip recorded is a pointer to the checkout; the package itself stands there.
        spec = importlib.util.find_spec(distribution.name)
        folders = spec.submodule_search_locations if spec else None
        files.update(file for folder in folders or [] for file in Path(folder).rglob("*"))
    return sum(file.stat().st_size for file in files if file.is_file())
