"""`gradtape view script.py`: runs a program, and writes a picture of what its tapes and functions have recorded."""

import os
import sys
from collections.abc import Sequence

from ..diagnostics.view.watching import Watch
from . import launch

ENDS = (".html", ".svg", ".png", ".dot")


class NothingToView(Exception):
    """The program took no gradient and called no function, or the picture cannot be written."""


def run(script: str, output: str, arguments: Sequence[str] = ()) -> str:
    """Run the file as the main program, then write the picture, also if the program fails; where it was written."""
    if os.path.splitext(output)[1].lower() not in ENDS:
        raise NothingToView(f"expected a file that ends in {', '.join(ENDS[:-1])} or {ENDS[-1]}; got {output!r}.")
    folder = os.path.dirname(os.path.abspath(output))
    if not os.path.isdir(folder):
        raise NothingToView(f"there is no folder {folder!r} to write {os.path.basename(output)!r} into.")
    watch = Watch()
    try:
        with watch:
            launch.run(script, arguments)
    finally:
        if sys.exc_info()[0] is not None and watch.pictures():
            print(f"gradtape view: wrote {_written(watch, output)}", file=sys.stderr)
    return _written(watch, output)


def _written(watch: Watch, output: str) -> str:
    view = watch.view()
    if not view.pictures:
        raise NothingToView(
            "the program asked no tape for a gradient and called no tf.function, so there is nothing to show."
        )
    try:
        return view.save(output)
    except (ImportError, OSError) as error:
        raise NothingToView(str(error)) from error
