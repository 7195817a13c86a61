"""`gradtape run script.py`: runs a program written for TensorFlow or Keras, unchanged, on gradtape."""

import os
import runpy
import sys
from collections.abc import Sequence

from keras_gradtape import aliases, hook


class NoSuchScript(Exception):
    """The script to run is not there."""


def run(script: str, arguments: Sequence[str] = ()) -> None:
    """Run the file as the main program; in it, tensorflow is gradtape and keras runs on gradtape.

    Whatever the program raises comes through, SystemExit included.
    """
    if not os.path.exists(script):
        raise NoSuchScript(f"there is no file {script!r}. Usage: gradtape run SCRIPT [ARGUMENTS]")
    aliases.PACKAGES["tensorflow"] = "gradtape"
    hook.insist()
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    runpy.run_path(script, run_name="__main__")
