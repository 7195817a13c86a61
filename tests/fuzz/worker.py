"""Fuzzes one reader in a process of its own: `python -m tests.fuzz.worker READER CORPUS FINDS [options of libFuzzer]`.

What breaks the promise is written to FINDS with its traceback, each kind once, and the run goes on. A crash, a hang or
too much memory ends the process; libFuzzer leaves the input there too.
"""

from __future__ import annotations

import hashlib
import pathlib
import random
import resource
import sys
import traceback
from typing import Any

import atheris

# Where it is noticed that an input reaches new code: what reads bytes, of ours and of the libraries in Python below.
_OURS = ("io", "train", "saved_model", "data", "summary", "audio", "lookup", "trace.graph", "nest", "ops.encoding")
_BELOW = ("wave", "json", "csv", "gzip", "zipfile", "safetensors", "PIL", "keras.src.saving")

with atheris.instrument_imports(include=[*(f"gradtape.{name}" for name in _OURS), *_BELOW]):
    from .reader import Broken, place_of, room
    from .readers import READERS
    from .structured import CHANGES

    for _seed in READERS[sys.argv[1]].seeds():  # (modules are imported when they are first needed)
        READERS[sys.argv[1]].check(_seed)

_CHANGES_OF_FILES = ("remove", "rename", "rmdir", "chmod", "symlink", "link", "mkdir", "truncate")
_MEMORY = 2 << 30  # bytes beyond what the process has when it begins


class Watch:
    """Notices what no reader does: other files, other programs, sockets. (An audit hook stays until the process ends.)"""

    def __init__(self) -> None:
        self.active = False
        self.seen: list[str] = []
        self._allowed = (str(room()), sys.prefix, sys.base_prefix, *(path for path in sys.path if path))
        sys.addaudithook(self._event)

    def _event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.active:
            return
        if event == "open":
            path, mode = str(arguments[0]), arguments[1]
            written = mode is not None and any(letter in str(mode) for letter in "wax+")
            if not path.startswith(self._allowed[0] if written else self._allowed) and not isinstance(
                arguments[0], int
            ):
                self.seen.append(f"open {path!r} {mode}")
        elif event.startswith(
            ("subprocess.", "os.system", "os.exec", "os.spawn", "socket.connect", "pty.", "os.putenv")
        ):
            self.seen.append(f"{event} {arguments!r:.100}")
        elif event.startswith("os.") and event.removeprefix("os.") in _CHANGES_OF_FILES:
            outside = not str(arguments[0]).startswith(self._allowed[0])
            self.seen += [f"{event} {arguments!r:.100}"] * outside


def main() -> None:
    """Run until libFuzzer's options say stop."""
    name, corpus, finds = sys.argv[1:4]
    reader, folder = READERS[name], pathlib.Path(finds)
    for seed in reader.seeds():
        (pathlib.Path(corpus) / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    watch, known = Watch(), set[str]()
    used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + _MEMORY, used + _MEMORY))

    def keep(data: bytes, what: str, place: str) -> None:
        if place in known:
            return
        known.add(place)
        path = folder / hashlib.sha1(data).hexdigest()[:12]
        path.write_bytes(data)
        path.with_suffix(".txt").write_text(what)

    def one_input(data: bytes) -> None:
        broken = None
        watch.active = True
        try:
            reader.check(data)
        except Broken as error:
            broken = error.__cause__ or error
        finally:
            watch.active = False
        if broken is not None:
            keep(data, "".join(traceback.format_exception(broken)), f"{type(broken).__name__} {place_of(broken)}")
        if watch.seen:
            keep(data, "\n".join(watch.seen), "touched")
            watch.seen.clear()

    def change(data: bytes, most: int, seed: int) -> bytes:
        draw = random.Random(seed)
        if draw.random() < 0.2:
            return atheris.Mutate(data, most)
        changed = CHANGES[reader.kind](data, draw)
        return changed if len(changed) <= most else atheris.Mutate(data, most)

    options = [sys.argv[0], corpus, f"-artifact_prefix={finds}/", *sys.argv[4:]]
    if reader.kind in CHANGES:
        atheris.Setup(options, one_input, custom_mutator=change)
    else:
        atheris.Setup(options, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
