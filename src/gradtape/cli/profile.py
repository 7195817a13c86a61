"""`gradtape profile script.py`: runs a program, and says where its time went."""

import sys
from collections.abc import Sequence

from ..diagnostics.profile import Profiler
from . import launch


def run(
    script: str, arguments: Sequence[str] = (), svg: str | None = None, json: str | None = None, steps: bool = False
) -> None:
    """Run the file as the main program, then print the profile; also if the program fails."""
    profiler = Profiler(steps)
    profiler.start()
    try:
        launch.run(script, arguments)
    except launch.NoSuchProgram:
        profiler.stop()
        raise
    except BaseException:
        _report(profiler, svg, json)
        raise
    _report(profiler, svg, json)


def _report(profiler: Profiler, svg: str | None, json: str | None) -> None:
    """Print what was measured, and write the files that were asked for."""
    profiler.stop()
    found = profiler.profile()
    sys.stdout.flush()
    print(f"--- gradtape profile ---\n{found}")
    for path, text in ((svg, found.svg), (json, found.chrome_trace)):
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text())
            print(f"wrote {path}")
