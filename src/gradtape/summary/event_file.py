"""Event files, as TensorBoard reads them: one protocol buffer after the other, each with its length and checksums.

tensorboardX has the messages and the checksum. Its own writer hands events to a thread through a queue: `flush` returns
before they are written, and a full disk ends the thread without a word. Here an event is written where it is made,
under a lock, and what the operating system says reaches the caller.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import os
import socket
import struct
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ..errors import DataLossError, from_os_error

_COUNT = itertools.count()


def messages(name: str) -> Any:
    """A module of TensorBoard's messages, such as "event_pb2"; ImportError says how to install them."""
    return _tensorboardx(f"proto.{name}")


def _checksum(data: bytes) -> int:
    value: int = _tensorboardx("record_writer").masked_crc32c(data)
    return value


@functools.cache
def _tensorboardx(module: str) -> Any:
    try:
        return importlib.import_module(f"tensorboardX.{module}")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Event files need the package tensorboardX: pip install 'gradtape[summary]'.", name=error.name
        ) from error


class EventFile:
    """An open event file; any thread may add to it."""

    def __init__(self, logdir: str, suffix: str) -> None:
        self._event = messages("event_pb2").Event
        name = (
            f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_COUNT)}{suffix}"
        )
        self.path = os.path.join(logdir, name)
        self._lock = threading.Lock()
        try:
            os.makedirs(logdir or ".", exist_ok=True)
            self._file = open(self.path, "xb")  # noqa: SIM115 - open as long as the writer
        except OSError as error:
            raise from_os_error(error, f"Cannot create the event file {self.path!r}") from error
        # Programs rarely close their writers: what they wrote is on the disk when they end.
        weakref.finalize(self, _close, self._file)
        self.add(file_version="brain.Event:2")
        self.flush()

    def add(self, **fields: Any) -> None:
        """Append an event with these fields and the time of day."""
        data = self._event(wall_time=time.time(), **fields).SerializeToString()
        length = struct.pack("<Q", len(data))
        record = length + struct.pack("<I", _checksum(length)) + data + struct.pack("<I", _checksum(data))
        with self._lock:
            try:
                self._file.write(record)
            except OSError as error:
                raise from_os_error(error, f"Cannot write to the event file {self.path!r}") from error

    def flush(self) -> None:
        """Hand what was added to the operating system."""
        with self._lock:
            try:
                self._file.flush()
            except OSError as error:
                raise from_os_error(error, f"Cannot write to the event file {self.path!r}") from error

    def close(self) -> None:
        """Flush, and let go of the file."""
        try:
            self.flush()
        finally:
            _close(self._file)


def _close(file: IO[bytes]) -> None:
    with contextlib.suppress(OSError):  # nobody is left to hear of it
        file.close()


def read_events(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The events of a file. A last one that is only half there, since its program still runs or was killed, is left out.

    Raises:
        DataLossError: The file is no event file, or it is damaged.
    """
    parse = messages("event_pb2").Event.FromString
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        while len(header := file.read(12)) == 12:
            length, checksum = struct.unpack("<QI", header)
            if checksum != _checksum(header[:8]):
                raise DataLossError(None, None, f"{os.fspath(path)!r} is not an event file, or it is damaged.")
            if file.tell() + length + 4 > size:
                return
            data, checksum = file.read(length), struct.unpack("<I", file.read(4))[0]
            if checksum != _checksum(data):
                raise DataLossError(None, None, f"{os.fspath(path)!r} is damaged: a checksum does not fit.")
            try:
                yield parse(data)
            except Exception as error:  # (google.protobuf.message.DecodeError, without importing it for its name)
                raise DataLossError(None, None, f"{os.fspath(path)!r} holds something else than events.") from error


def event_files(logdir: str | os.PathLike[str]) -> list[Path]:
    """The event files below a folder, oldest first."""
    return sorted(path for path in Path(logdir).rglob("*.tfevents.*") if path.is_file())
