"""`gradtape run`: runs a program written for TensorFlow or Keras, unchanged, on gradtape."""

import importlib.metadata
import importlib.util
import os
import runpy
import sys
from collections.abc import Sequence

from ..stand_in import as_tensorflow


class NoSuchProgram(Exception):
    """What is to be run is not there."""


def run(program: str, arguments: Sequence[str] = (), module: bool = False) -> None:
    """Run a file, a module (`module=True`) or an installed command as the main program, with gradtape as tensorflow.

    Whatever the program raises comes through, SystemExit included.
    """
    if module:
        _run_module(program, arguments)
    elif os.path.exists(program):
        if os.path.isdir(program) and not os.path.exists(os.path.join(program, "__main__.py")):
            raise NoSuchProgram(
                f"{program!r} is a folder without a __main__.py. Usage: gradtape run SCRIPT [ARGUMENTS]"
            )
        as_tensorflow()
        sys.argv = [program, *arguments]
        sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
        runpy.run_path(program, run_name="__main__")
    else:
        _run_command(program, arguments)


def _run_module(name: str, arguments: Sequence[str]) -> None:
    """`python -m name`, with the current folder first on the path."""
    sys.path.insert(0, os.getcwd())
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise NoSuchProgram(f"there is no module {name!r}. Usage: gradtape run -m MODULE [ARGUMENTS]")
    as_tensorflow()
    sys.argv = [name, *arguments]
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _run_command(name: str, arguments: Sequence[str]) -> None:
    """An installed command, such as pytest, in this process."""
    found = [*importlib.metadata.entry_points(group="console_scripts", name=name)]
    if not found:
        raise NoSuchProgram(
            f"there is no file {name!r}, and no installed command of that name. Usage: gradtape run SCRIPT [ARGUMENTS], "
            "gradtape run -m MODULE [ARGUMENTS], or gradtape run pytest [ARGUMENTS]"
        )
    as_tensorflow()
    sys.argv = [name, *arguments]
    sys.exit(found[0].load()())
