"""The environments of the peers: built when missing, used again when there."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from benchmarks.peers import Peer


def default_folder() -> Path:
    """The user's cache if there is one, else the folder for temporary files."""
    if os.name == "nt":
        cache = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        cache = str(Path.home() / "Library" / "Caches")
    else:
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache or tempfile.gettempdir()) / "gradtape-benchmarks"


def interpreter(peer: Peer, folder: Path) -> Path:
    """The Python that has the peer: this one, or that of its environment in the folder, built if need be."""
    if not peer.requirements:
        return Path(sys.executable)
    home = folder / peer.name
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(home, with_pip=True)
    if not all(_has(python, requirement) for requirement in peer.requirements):
        print(f"installing {' '.join(peer.requirements)} into {home}", file=sys.stderr)
        install = [str(python), "-m", "pip", "install", "--quiet", *peer.requirements]
        subprocess.run(install, check=True)
    return python


def _has(python: Path, requirement: str) -> bool:
    """Whether the requirement is installed, in the version asked for; a local build tag (+cpu) may follow."""
    name, _, version = requirement.partition("==")
    question = f"from importlib.metadata import version; print(version({name!r}))"
    answer = subprocess.run([str(python), "-c", question], capture_output=True, text=True)
    return answer.returncode == 0 and version in ("", answer.stdout.strip().partition("+")[0])
