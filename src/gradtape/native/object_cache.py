"""Machine code on disk, so that the next process need not compile it again.

A file holds the object code of one module; its name is the hash of all that the code depends on. Beside them lie notes: what is
known of a function before its module is written (compile/whole/known.py). The files lie in a folder that belongs to the user and
that nobody else may enter: whoever can write there decides what this process runs. Where there is no such folder, or it cannot be
used, there is no cache, and the logger `gradtape` says why, once, at level DEBUG.

    GRADTAPE_CACHE=0          there is no cache
    GRADTAPE_CACHE=/a/folder  the files lie there
    (not set)                 in $XDG_CACHE_HOME/gradtape/kernels, or ~/.cache/gradtape/kernels (macOS: ~/Library/Caches)

Many processes may share it. A file is written under another name and renamed when it is whole, so that nobody reads half of it; a
checksum tells whether it was damaged later.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

LOGGER = logging.getLogger("gradtape")

MOST_BYTES = 128 << 20  # on disk, of all files
_KEPT_OF_MOST = 0.75  # what is left when there was more
_STORED_BETWEEN_LOOKS = 100  # files that a process stores before it adds up all sizes again

_HEAD = b"gradtape object 1\n"  # begins a file; then come the checksum and the object code, or the note
CODE, NOTE = "o", "note"  # kinds of files
_MOST_FILE_BYTES = 64 << 20
_NAME = re.compile(rf"[0-9a-f]{{64}}\.({CODE}|{NOTE})")
_UNFINISHED = re.compile(rf"\.{_NAME.pattern}\.[0-9a-f]{{16}}")
_HOUR, _DAY = 3600.0, 24 * 3600.0


class NoCache(OSError):
    """There is no cache; the message says why."""


def key_of(*parts: str) -> str:
    """The key of what depends on these texts, and on nothing else."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


@functools.cache
def of_user() -> ObjectCache | None:
    """The cache of this user; None if there is none."""
    try:
        return ObjectCache(folder())
    except NoCache as reason:
        LOGGER.debug("Machine code is not kept on disk: %s", reason)
        return None


def folder() -> str:
    """Where the files lie, or would if there were some. Raises NoCache where the environment says that there is no place."""
    given = os.environ.get("GRADTAPE_CACHE", "")
    if given == "0":
        raise NoCache("GRADTAPE_CACHE=0 turns it off")
    if not hasattr(os, "geteuid") or os.open not in os.supports_dir_fd:
        raise NoCache("on this system gradtape cannot tell who may write to a folder")
    if given:
        if not os.path.isabs(given):
            raise NoCache(f"GRADTAPE_CACHE is {given!r}, and must be 0 or the absolute path of a folder")
        return given
    return os.path.join(_caches_of_user(), "gradtape", "kernels")


def _caches_of_user() -> str:
    """Where programs of this user keep what can be made again."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return given
    home = os.path.expanduser("~")
    if home == os.sep or not os.path.isabs(home) or not os.path.isdir(home):
        raise NoCache(f"there is no home folder ({home})")
    return os.path.join(home, "Library", "Caches") if sys.platform == "darwin" else os.path.join(home, ".cache")


class Contents(NamedTuple):
    """What is in a cache."""

    files: int
    bytes: int  # that they take on disk


class ObjectCache:
    """The files in one folder. `load` and `store` never raise."""

    def __init__(self, path: str, most_bytes: int = MOST_BYTES) -> None:
        self.path = path
        self._most_bytes = most_bytes
        self._stored = 0
        self._is_read = self._is_written = True  # until it fails: then it is not tried again

    def load(self, key: str, kind: str = CODE) -> bytes | None:
        """The object code, or the note, that was stored under a key; None where there is none that can be trusted."""
        if not self._is_read:
            return None
        try:
            with self._opened() as folder:
                return _read(folder, key, kind)
        except FileNotFoundError:
            return None
        except _NotOurs as reason:
            LOGGER.debug("Machine code in %s is not used: %s", self.path, reason)
            return None
        except OSError as error:
            self._is_read = self._is_written = False
            LOGGER.debug("Machine code is neither read from disk nor kept there: %s", error)
            return None

    def store(self, key: str, code: bytes, kind: str = CODE) -> None:
        """Keep object code, or a note, for processes to come, if that is possible."""
        if not self._is_written:
            return
        try:
            os.makedirs(self.path, 0o700, exist_ok=True)
            with self._opened() as folder:
                _write(folder, f"{key}.{kind}", _HEAD + _checksum(key, code) + code)
                if self._stored % _STORED_BETWEEN_LOOKS == 0:
                    self._make_room(folder)
                self._stored += 1
        except OSError as error:
            self._is_written = False
            LOGGER.debug("Machine code is not kept on disk: %s", error)

    def contents(self) -> Contents:
        """How many files there are, and how large. Raises OSError where the folder cannot be used."""
        try:
            with self._opened() as folder:
                sizes = [file.bytes for file in _files(folder)]
        except FileNotFoundError:
            sizes = []
        return Contents(len(sizes), sum(sizes))

    def clear(self) -> Contents:
        """Remove all files, and say what they were. Raises OSError where the folder cannot be used."""
        removed = self.contents()
        with suppress(FileNotFoundError), self._opened() as folder:
            _remove(folder, [*(file.name for file in _files(folder)), *_unfinished(folder, 0.0)])
        return removed

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The folder, if it is the user's alone. Files are named relative to it, so that it cannot be exchanged meanwhile."""
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            found = os.fstat(folder)
            if found.st_uid != os.geteuid():
                raise NoCache(f"{self.path} belongs to the user {found.st_uid}, not to {os.geteuid()}")
            if found.st_mode & 0o077:
                mode = stat.S_IMODE(found.st_mode)
                raise NoCache(f"others may enter {self.path}: its mode is {mode:o}, and must be 700")
            yield folder
        finally:
            os.close(folder)

    def _make_room(self, folder: int) -> None:
        """Remove what was not used for the longest time if there is too much, and what was left unfinished."""
        files = sorted(_files(folder), key=lambda file: file.used)
        removed = _unfinished(folder, older_than=_HOUR)
        total = sum(file.bytes for file in files)
        if total > self._most_bytes:
            for file in files:
                if total <= _KEPT_OF_MOST * self._most_bytes:
                    break
                removed.append(file.name)
                total -= file.bytes
        _remove(folder, removed)


# --- the files of a folder ---------------------------------------------------------------------------------------------------


class _File(NamedTuple):
    name: str
    bytes: int
    used: float  # when, in seconds


def _files(folder: int) -> Iterator[_File]:
    """The files of the cache. What else lies in the folder is left alone."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name):
                with suppress(FileNotFoundError):  # another process has removed it
                    found = entry.stat(follow_symlinks=False)
                    yield _File(entry.name, max(found.st_blocks * 512, found.st_size), found.st_mtime)


def _unfinished(folder: int, older_than: float) -> list[str]:
    """Files that a process began to write at least so many seconds ago, and did not rename."""
    names = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if _UNFINISHED.fullmatch(entry.name):
                with suppress(FileNotFoundError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime >= older_than:
                        names.append(entry.name)
    return names


def _remove(folder: int, names: list[str]) -> None:
    for name in names:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


# --- one file ----------------------------------------------------------------------------------------------------------------


class _NotOurs(Exception):
    """A file that this user's gradtape did not write, or that is no longer as it was written."""


def _checksum(key: str, code: bytes) -> bytes:
    """Of the code and the key that it was made for, so that a file under another name is not taken for that of the name."""
    return hashlib.sha256(key.encode() + code).digest()


def _read(folder: int, key: str, kind: str) -> bytes:
    name = f"{key}.{kind}"
    try:
        # Nothing is followed to another place, and a pipe is not waited for.
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _NotOurs(f"{name}: {error.strerror}") from error
    with open(file, "rb", buffering=0) as opened:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise _NotOurs(f"{name} is no file that this user alone can write to")
        if found.st_size > _MOST_FILE_BYTES:
            raise _NotOurs(f"{name} has {found.st_size} bytes")
        data = opened.read()
        if time.time() - found.st_mtime > _DAY:
            with suppress(OSError):
                os.utime(file)  # (what is used is not removed first)
    start = len(_HEAD) + len(_checksum(key, b""))
    code = data[start:]
    if data[:start] != _HEAD + _checksum(key, code):
        raise _NotOurs(f"{name} is damaged")
    return code


def _write(folder: int, name: str, data: bytes) -> None:
    unfinished = f".{name}.{secrets.token_hex(8)}"
    file = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
    try:
        with open(file, "wb") as opened:
            opened.write(data)
        os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished, dir_fd=folder)
        raise
