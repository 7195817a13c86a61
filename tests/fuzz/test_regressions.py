"""What fuzzing found is read again: an error of tf.errors, or the content, and never more memory than the bytes account for."""

from __future__ import annotations

import pathlib
import random
import tracemalloc
import zlib

import pytest

import gradtape as tf
from gradtape.io import wire
from gradtape.io.crc32c import masked_crc32c

from .reader import Broken, Reader, placed
from .readers import READERS, records_file
from .structured import CHANGES

FILES = sorted(path for path in (pathlib.Path(__file__).parent / "regressions").glob("*/*"))
KEPT_SMALL = 100_000  # bytes of one regression


@pytest.fixture(autouse=True)
def _own_folder(tmp_path_factory, monkeypatch):
    """Readers put their files into a folder of the session; what they write to the process stays there."""
    monkeypatch.chdir(tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_once_broke_a_reader_is_refused_by_name(path):
    READERS[path.parent.name].check(path.read_bytes())


@pytest.mark.parametrize("name", READERS)
def test_our_own_files_are_read(name):
    reader = READERS[name]
    for seed in reader.seeds():
        reader.check(seed)


@pytest.mark.parametrize("name", READERS)
def test_a_few_changes_of_each_file(name):
    """A small part of what `python -m tests.fuzz` does, with fixed numbers."""
    reader = READERS[name]
    draw = random.Random(zlib.crc32(name.encode()))
    for seed in reader.seeds():
        for _ in range(60 // len(reader.seeds())):
            reader.check(_changed(reader, seed, draw))


def _changed(reader: Reader, seed: bytes, draw: random.Random) -> bytes:
    if reader.kind in CHANGES and draw.random() < 0.8:
        return CHANGES[reader.kind](seed, draw)
    data = bytearray(seed)
    for _ in range(draw.randrange(1, 4)):
        if data:
            data[draw.randrange(len(data))] = draw.choice([0, 1, 127, 128, 255, draw.randrange(256)])
    return bytes(data[: draw.randrange(len(data) + 1)] if draw.random() < 0.3 else data)


def test_the_files_are_small_and_belong_to_a_reader():
    for path in FILES:
        assert path.parent.name in READERS
        assert path.stat().st_size < KEPT_SMALL


def test_a_broken_promise_is_noticed():
    def fails(data: bytes) -> None:
        raise [
            KeyError("x"),
            tf.errors.DataLossError(None, None, ""),
            tf.errors.ResourceExhaustedError(None, None, "full"),
        ][data[0]]

    for number in range(3):
        with pytest.raises(Broken):
            Reader("fails", fails, list).check(bytes([number]))
    Reader("fails", fails, list, (KeyError,)).check(b"\0")


# --- small files that say they are large ---------------------------------------------------------------------------------------


def _gif(frames: int, size: int) -> bytes:
    """Frames of one pixel on a canvas of size x size."""
    side = size.to_bytes(2, "little")
    frame = b",\0\0\0\0\1\0\1\0\0\2\2D\1\0"
    return b"GIF89a" + side * 2 + b"\x80\0\0" + b"\0" * 6 + frame * frames + b";"


def _png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\2\0\0\0"
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


def _splat(sizes: list[int], dtype: int = 1) -> bytes:
    """A TensorProto of one value that stands for a whole shape."""
    shape = b"".join(wire.delimited(2, wire.tag(1, wire.VARINT) + wire.varint(size)) for size in sizes)
    value = wire.delimited(5, b"\0\0\x80\x3f")
    return wire.tag(1, wire.VARINT) + wire.varint(dtype) + wire.delimited(2, shape) + value


LARGE = {
    "an image of a billion pixels": lambda: tf.io.decode_png(_png(60_000, 60_000)),
    "a thousand frames of a large canvas": lambda: tf.io.decode_gif(_gif(1000, 5000)),
    "one value for ten billion": lambda: tf.io.parse_tensor(_splat([10**10]), tf.float32),
    "one value for a billion": lambda: tf.io.parse_tensor(_splat([10**9]), tf.float32),
    "axes without end": lambda: tf.io.parse_tensor(_splat([1] * 100), tf.float32),
    "a longer axis than there is": lambda: tf.io.parse_tensor(_splat([0, 2**62, 2**62]), tf.float32),
    "a record of an exabyte": lambda: _record_of(2**60),
}


def _record_of(length: int) -> None:
    head = length.to_bytes(8, "little")
    data = head + masked_crc32c(head).to_bytes(4, "little") + b"x" * 50
    list(tf.data.TFRecordDataset(placed("large", data)))


@pytest.mark.parametrize("read", LARGE.values(), ids=LARGE.keys())
def test_a_small_file_does_not_take_much_memory(read):
    tracemalloc.start()
    try:
        with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.DataLossError)):
            read()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 50_000_000


def test_one_value_may_stand_for_many():
    assert tf.io.parse_tensor(_splat([100, 3]), tf.float32).numpy().tolist() == [[1.0] * 3] * 100


def test_records_are_read_back():
    path = placed("whole", records_file(b"abc"))
    assert [record.numpy() for record in tf.data.TFRecordDataset(path)] == [b"abc"]
