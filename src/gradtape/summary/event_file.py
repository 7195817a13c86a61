"""Event files, as TensorBoard reads them: record files of protocol buffers.

tensorboardX has the messages. Its own writer hands events to a thread through a queue: `flush` returns before they are
written, and a full disk ends the thread without an error. Here an event is written where it is made, under a lock, and
errors of the operating system reach the caller.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import os
import socket
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..base.errors import DataLossError, from_os_error
from ..base.locks import new_rlock
from ..io.crc32c import masked_crc32c
from ..io.records import RecordReader, TFRecordWriter

_COUNT = itertools.count()


@functools.cache
def messages(name: str) -> Any:
    """A module of TensorBoard's messages, such as "event_pb2"; ImportError says how to install them."""
    try:
        return importlib.import_module(f"tensorboardX.proto.{name}")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Event files need the package tensorboardX: pip install tensorboardX.", name=error.name
        ) from error


class EventFile:
    """An open event file; any thread may add to it."""

    def __init__(self, logdir: str, suffix: str) -> None:
        self._event = messages("event_pb2").Event
        name = (
            f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_COUNT)}{suffix}"
        )
        self.path = os.path.join(logdir, name)
        self._lock = new_rlock(held_through_forks=True)  # a record is written whole
        try:
            os.makedirs(logdir or ".", exist_ok=True)
        except OSError as error:
            raise from_os_error(error, f"Cannot make the folder {logdir!r}") from error
        self._records = TFRecordWriter(self.path)
        # Programs rarely close their writers: what they wrote is on the disk when they end.
        weakref.finalize(self, _close, self._records)
        self.add(file_version="brain.Event:2")
        self.flush()

    def add(self, **fields: object) -> None:
        """Append an event with these fields and the time of day."""
        data = self._event(wall_time=time.time(), **fields).SerializeToString()
        with self._lock:
            try:
                self._records.write(data)
            except OSError as error:
                raise from_os_error(error, f"Cannot write to the event file {self.path!r}") from error

    def flush(self) -> None:
        """Hand what was added to the operating system."""
        with self._lock:
            try:
                self._records.flush()
            except OSError as error:
                raise from_os_error(error, f"Cannot write to the event file {self.path!r}") from error

    def close(self) -> None:
        """Flush, and let go of the file."""
        try:
            self.flush()
        finally:
            _close(self._records)


def _close(records: TFRecordWriter) -> None:
    with contextlib.suppress(OSError):  # no caller is left to receive the error
        records.close()


def read_events(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The events of a file. A last one that is only half there, since its program still runs or was killed, is left out.

    Raises:
        DataLossError: The file is no event file, or it is damaged.
    """
    parse = messages("event_pb2").Event.FromString
    reader = RecordReader(path)
    try:
        while (data := _record(reader)) is not None:
            try:
                yield parse(data)
            except Exception as error:  # (google.protobuf.message.DecodeError, without importing it for its name)
                raise DataLossError(None, None, f"{os.fspath(path)!r} holds something else than events.") from error
    finally:
        reader.close()


def _record(reader: RecordReader) -> bytes | None:
    try:
        return reader.read()
    except DataLossError:
        if _cut_off(reader.path, reader.offset):
            return None
        raise


def _cut_off(path: str, offset: int) -> bool:
    """Whether the record that begins at `offset` is valid up to the end of the file, but cut off there."""
    with open(path, "rb") as file:
        file.seek(offset)
        length, checksum = file.read(8), file.read(4)
        if len(checksum) < 4:
            return True
        if masked_crc32c(length) != int.from_bytes(checksum, "little"):
            return False
        return offset + 16 + int.from_bytes(length, "little") > os.path.getsize(path)


def event_files(logdir: str | os.PathLike[str]) -> list[Path]:
    """The event files below a folder, oldest first."""
    return sorted(path for path in Path(logdir).rglob("*.tfevents.*") if path.is_file())
