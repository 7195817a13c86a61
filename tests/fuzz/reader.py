"""What a reader is: a function of bytes, with the files it begins from and the errors it may raise.

The promise is the same for all: an error of `tf.errors` (or ValueError where TensorFlow has that), no crash, no hang, memory
in proportion to the bytes, no other file, no code. `Reader.check` raises `Broken` where that does not hold.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pathlib
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gradtape as tf


class Broken(Exception):
    """A reader did something else than to read or to raise an error of its own."""


@dataclass(frozen=True)
class Reader:
    """What is fuzzed."""

    name: str
    read: Callable[[bytes], Any]
    seeds: Callable[[], list[bytes]]
    also: tuple[
        type[Exception], ...
    ] = ()  # errors besides those of tf.errors, of exactly these classes (Exception: any)
    kind: str = "bytes"  # how seeds are changed: "bytes", "json" or "records"

    def check(self, data: bytes) -> None:
        """Read; Broken where something else comes out than the promise allows."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.read(data)
        except tf.errors.ResourceExhaustedError as error:
            raise Broken(f"{self.name}: {len(data)} bytes ask for more memory than there is: {error}") from error
        except tf.errors.OpError as error:
            if not str(error):
                raise Broken(f"{self.name}: {type(error).__name__} without a word") from error
        except Exception as error:
            if type(error) not in self.also and Exception not in self.also:
                raise Broken(f"{self.name}: {type(error).__name__}: {error} ({place_of(error)})") from error


def place_of(error: BaseException) -> str:
    """The innermost line of gradtape that an error came through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "gradtape" in f.filename]
    return f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "outside"


READERS: dict[str, Reader] = {}


def reader(name: str, seeds: Callable[[], list[bytes]], *also: type[Exception], kind: str = "bytes") -> Any:
    """Declare a function of bytes as a reader."""

    def declare(read: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        READERS[name] = Reader(name, read, seeds, also, kind)
        return read

    return declare


@functools.cache
def room() -> pathlib.Path:
    """A folder of this process, for files that are read."""
    made = tempfile.TemporaryDirectory(prefix="fuzz-")
    _ROOMS.append(made)
    return pathlib.Path(made.name)


_ROOMS: list[tempfile.TemporaryDirectory[str]] = []  # removed when the process ends


def placed(name: str, data: bytes) -> str:
    """The path of a file with these bytes."""
    path = room() / name
    path.write_bytes(data)
    return str(path)


@contextlib.contextmanager
def refused() -> Iterator[None]:
    """Go on where bytes are refused by name: they are given to several functions, of which few can read them."""
    try:
        yield
    except tf.errors.ResourceExhaustedError:
        raise
    except tf.errors.OpError as error:
        if not str(error):
            raise Broken(f"{type(error).__name__} without a word") from error
