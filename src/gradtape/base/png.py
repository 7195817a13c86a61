"""PNG files of small pictures. (zlib does all the work: Pillow need not be there.)"""

from __future__ import annotations

import struct
import zlib

import numpy as np

from .dtypes import Array

COLOUR_OF_CHANNELS = {1: 0, 2: 4, 3: 2, 4: 6}  # PNG's numbers for grey, grey and alpha, RGB, RGB and alpha


def png_of(picture: Array) -> bytes:
    """A picture of bytes, of shape [height, width, channels], as a PNG file."""
    height, width, channels = picture.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, COLOUR_OF_CHANNELS[channels], 0, 0, 0)
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # each row begins with its filter: 0, none
    rows[:, 1:] = picture.reshape(height, -1)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows.tobytes())), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
