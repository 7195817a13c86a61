"""Record files: the bytes TensorFlow writes, and what a damaged file gives."""

import gzip
import struct
import zlib

import pytest

import gradtape as tf
from gradtape.io.crc32c import crc32c, masked_crc32c
from gradtape.io.records import RecordReader, tf_record_iterator

pytestmark = pytest.mark.quick

# TensorFlow's file with the one record b"one".
ONE = bytes.fromhex("0300000000000000b099490e6f6e6501405508")


def records(path, compression=None):
    return list(tf_record_iterator(path, compression))


def crc_by_bits(data):
    checksum = 0xFFFFFFFF
    for byte in data:
        checksum ^= byte
        for _ in range(8):
            checksum = checksum >> 1 ^ (0x82F63B78 if checksum & 1 else 0)
    return checksum ^ 0xFFFFFFFF


def test_the_checksum_of_the_standard_text():
    assert crc32c(b"123456789") == 0xE3069283


@pytest.mark.parametrize("size", [0, 1, 127, 128, 129, 256, 259, 1000, 4099])
def test_the_checksum_of_any_length_is_that_of_the_loop_over_bits(size):
    data = bytes((7 * k * k + 13 * k) % 256 for k in range(size))
    assert crc32c(data) == crc_by_bits(data)


def test_the_checksum_goes_on_over_pieces(monkeypatch):
    monkeypatch.setattr("gradtape.io.crc32c._PIECE", 1 << 10)
    data = bytes(range(256)) * 11  # 2,816 bytes: three pieces, the first one short
    assert crc32c(data) == crc_by_bits(data)


def test_the_bytes_are_those_of_tensorflow(tmp_path):
    path = tmp_path / "a"
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(b"one")
    assert path.read_bytes() == ONE


@pytest.mark.parametrize("compression", [None, "", "GZIP", "ZLIB"])
def test_what_was_written_is_read(tmp_path, compression):
    path = str(tmp_path / "a")
    given = [b"", b"one", b"x" * 1000, bytes(range(256)) * 300]
    with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions(compression)) as writer:
        for record in given:
            writer.write(record)
    assert records(path, compression) == given


def test_compressed_files_are_ordinary_gzip_and_zlib(tmp_path):
    for compression, expand in (("GZIP", gzip.decompress), ("ZLIB", zlib.decompress)):
        with tf.io.TFRecordWriter(tmp_path / compression, compression) as writer:
            writer.write(b"one")
        assert expand((tmp_path / compression).read_bytes()) == ONE


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_a_reader_goes_on_where_another_stood(tmp_path, compression):
    path = str(tmp_path / "a")
    with tf.io.TFRecordWriter(path, compression) as writer:
        for number in range(100):
            writer.write(b"%d" % number * 50)
    first = RecordReader(path, compression)
    for _ in range(40):
        first.read()
    second = RecordReader(path, compression, first.offset)
    assert second.read() == first.read() == b"40" * 50


def test_flushed_records_can_be_read_before_the_file_is_closed(tmp_path):
    path = tmp_path / "a"
    writer = tf.io.TFRecordWriter(path)
    writer.write(b"one")
    writer.flush()
    assert records(path) == [b"one"]
    writer.close()
    writer.close()  # a second time does nothing


def test_text_and_string_tensors_are_records_too(tmp_path):
    with tf.io.TFRecordWriter(tmp_path / "a") as writer:
        writer.write("é")
        writer.write(tf.constant(b"t"))
    assert records(tmp_path / "a") == ["é".encode(), b"t"]


# --- faults ------------------------------------------------------------------------------------------------


def test_a_writer_refuses_what_is_no_record(tmp_path):
    writer = tf.io.TFRecordWriter(tmp_path / "a")
    with pytest.raises(TypeError, match="must be bytes, got 3"):
        writer.write(3)
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match="closed"):
        writer.write(b"a")
    with pytest.raises(tf.errors.FailedPreconditionError, match="closed"):
        writer.flush()
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        tf.io.TFRecordWriter(tmp_path / "none" / "a")
    with pytest.raises(ValueError, match="'GZIP' or 'ZLIB', got 'LZ4'"):
        tf.io.TFRecordWriter(tmp_path / "b", "LZ4")


def test_missing_files_and_folders_have_named_errors(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="none; No such file"):
        records(tmp_path / "none")
    with pytest.raises(tf.errors.FailedPreconditionError, match="directory"):
        records(tmp_path)


@pytest.mark.parametrize("place", range(len(ONE)))
def test_every_flipped_byte_is_found(tmp_path, place):
    damaged = bytearray(ONE)
    damaged[place] ^= 16
    (tmp_path / "a").write_bytes(damaged)
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at 0 in"):
        records(tmp_path / "a")


@pytest.mark.parametrize("size", range(1, len(ONE)))
def test_every_truncation_is_found(tmp_path, size):
    (tmp_path / "a").write_bytes(ONE + ONE[:size])
    reader = RecordReader(tmp_path / "a")
    assert reader.read() == b"one"
    with pytest.raises(tf.errors.DataLossError, match="truncated"):
        reader.read()
    reader.close()


def test_a_hostile_length_with_a_right_checksum_allocates_nothing(tmp_path):
    length = struct.pack("<Q", 2**62)
    (tmp_path / "a").write_bytes(length + struct.pack("<I", masked_crc32c(length)) + b"few")
    with pytest.raises(tf.errors.DataLossError, match="truncated: a record of 4611686018427387904 bytes has only 3"):
        records(tmp_path / "a")


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_damaged_compression_is_data_loss(tmp_path, compression):
    with tf.io.TFRecordWriter(tmp_path / "a", compression) as writer:
        writer.write(bytes(range(256)) * 20)
    whole = (tmp_path / "a").read_bytes()
    (tmp_path / "b").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "c").write_bytes(b"not compressed at all")
    for name in "bc":
        with pytest.raises(tf.errors.DataLossError, match="corrupted record"):
            records(tmp_path / name, compression)
