"""CRC-32C (Castagnoli), the checksum of record files.

A CRC is linear over bits. Each byte of a block adds a number that depends on its value and its distance from the
block's end alone, so one table lookup for all bytes at once and one XOR over each block give the checksums of all blocks;
neighbours are then joined in pairs. A loop over bytes reads 8 MB/s in Python, this 200.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..base.dtypes import Array
from ..native import thresholds

_POLYNOMIAL = 0x82F63B78  # bits reversed
_BLOCK = 256
_PIECE = 1 << 18  # the lookup takes 16 bytes of memory for each byte


def _byte_table() -> list[int]:
    table = []
    for byte in range(256):
        remainder = byte
        for _ in range(8):
            remainder = remainder >> 1 ^ (_POLYNOMIAL if remainder & 1 else 0)
        table.append(remainder)
    return table


_TABLE = _byte_table()


@functools.cache
def _positions() -> Array:
    """For each place in a block and each value of its byte, what it adds to the block's checksum."""
    step = np.array(_TABLE, np.uint32)
    rows = [step]
    for _ in range(_BLOCK - 1):  # followed by one more zero byte
        last = rows[-1]
        rows.append(last >> np.uint32(8) ^ step[last & np.uint32(255)])
    return np.ascontiguousarray(np.stack(rows[::-1])).reshape(-1)


@functools.cache
def _shift(doublings: int) -> Array:
    """Four tables of 256 that together carry a checksum over 256 * 2**doublings bytes of zeros."""
    if not doublings:
        table = np.array([[byte << 8 * place for byte in range(256)] for place in range(4)], np.uint32)
        step = np.array(_TABLE, np.uint32)
        for _ in range(_BLOCK):
            table = table >> np.uint32(8) ^ step[table & np.uint32(255)]
        return table
    half = _shift(doublings - 1)
    return _carried(half, half)


def _carried(checksums: Array, tables: Array) -> Array:
    low = np.uint32(255)
    carried: Array = (
        tables[0][checksums & low]
        ^ tables[1][checksums >> np.uint32(8) & low]
        ^ tables[2][checksums >> np.uint32(16) & low]
        ^ tables[3][checksums >> np.uint32(24)]
    )
    return carried


def _of_blocks(data: Array) -> int:
    """The checksum, without the inversions before and after, of a whole number of blocks."""
    places = data.reshape(-1, _BLOCK) + (np.arange(_BLOCK, dtype=np.int32) * 256)
    found = np.bitwise_xor.reduce(_positions()[places], axis=1)
    doublings = 0
    while found.size > 1:
        if found.size % 2:  # a leading block of zeros changes nothing
            found = np.concatenate((np.zeros(1, np.uint32), found))
        found = _carried(found[0::2], _shift(doublings)) ^ found[1::2]
        doublings += 1
    return int(found[0])


def crc32c(data: Any) -> int:
    """The checksum of bytes."""
    view = memoryview(data)
    checksum, size = 0xFFFFFFFF, len(view)
    if size < thresholds.CRC_BYTES:
        for byte in view:
            checksum = checksum >> 8 ^ _TABLE[(checksum ^ byte) & 255]
        return checksum ^ 0xFFFFFFFF
    start = 0
    while start < size:
        count = (size - start - 1) % _PIECE + 1  # only the first piece is short; zeros before it change nothing
        piece = np.zeros(-(-count // _BLOCK) * _BLOCK, np.uint8)
        piece[-count:] = np.frombuffer(view[start : start + count], np.uint8)
        # What came before is carried on by its XOR with the next four bytes.
        piece[piece.size - count :][:4] ^= np.frombuffer(checksum.to_bytes(4, "little"), np.uint8)
        checksum = _of_blocks(piece)
        start += count
    return checksum ^ 0xFFFFFFFF


def masked_crc32c(data: object) -> int:
    """The checksum as record files store it: rotated and shifted, so that checksums of checksums do not collide."""
    checksum = crc32c(data)
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF
