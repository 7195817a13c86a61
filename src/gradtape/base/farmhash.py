"""FarmHash Fingerprint64, the stable hash behind `tf.strings.to_hash_bucket_fast`.

Written out from the published algorithm (farmhashna::Hash64): the packages that have it are compiled
extensions, and one hash is not worth a dependency.
"""

from __future__ import annotations

_MASK = 2**64 - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def _word(data: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _rotate(value: int, shift: int) -> int:
    return ((value >> shift) | (value << (64 - shift))) & _MASK


def _mix(value: int) -> int:
    return value ^ (value >> 47)


def _hash16(u: int, v: int, factor: int) -> int:
    a = _mix(((u ^ v) * factor) & _MASK)
    b = _mix(((v ^ a) * factor) & _MASK)
    return (b * factor) & _MASK


def fingerprint64(data: bytes) -> int:
    """The hash of some bytes, the same on every machine and in every run."""
    size = len(data)
    if size <= 16:
        return _up_to_16(data, size)
    if size <= 32:
        return _up_to_32(data, size)
    if size <= 64:
        return _up_to_64(data, size)
    return _longer(data, size)


def _up_to_16(data: bytes, size: int) -> int:
    if size >= 8:
        factor = _K2 + size * 2
        a = _word(data, 0) + _K2 & _MASK
        b = _word(data, size - 8)
        c = _rotate(b, 37) * factor + a & _MASK
        d = (_rotate(a, 25) + b) * factor & _MASK
        return _hash16(c, d, factor)
    if size >= 4:
        factor = _K2 + size * 2
        return _hash16(size + (_word(data, 0, 4) << 3), _word(data, size - 4, 4), factor)
    if size:
        y = data[0] + (data[size >> 1] << 8)
        z = size + (data[-1] << 2)
        return _mix((y * _K2 ^ z * _K0) & _MASK) * _K2 & _MASK
    return _K2


def _up_to_32(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a = _word(data, 0) * _K1 & _MASK
    b = _word(data, 8)
    c = _word(data, size - 8) * factor & _MASK
    d = _word(data, size - 16) * _K2 & _MASK
    first = _rotate(a + b & _MASK, 43) + _rotate(c, 30) + d & _MASK
    return _hash16(first, a + _rotate(b + _K2 & _MASK, 18) + c & _MASK, factor)


def _up_to_64(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a = _word(data, 0) * _K2 & _MASK
    b = _word(data, 8)
    c = _word(data, size - 8) * factor & _MASK
    d = _word(data, size - 16) * _K2 & _MASK
    y = _rotate(a + b & _MASK, 43) + _rotate(c, 30) + d & _MASK
    z = _hash16(y, a + _rotate(b + _K2 & _MASK, 18) + c & _MASK, factor)
    e = _word(data, 16) * factor & _MASK
    f = _word(data, 24)
    g = (y + _word(data, size - 32)) * factor & _MASK
    h = (z + _word(data, size - 24)) * factor & _MASK
    first = _rotate(e + f & _MASK, 43) + _rotate(g, 30) + h & _MASK
    return _hash16(first, e + _rotate(f + a & _MASK, 18) + g & _MASK, factor)


def _weak_pair(data: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = (_word(data, at + 8 * k) for k in range(4))
    a = a + w & _MASK
    b = _rotate(b + a + z & _MASK, 21)
    c = a
    a = a + x + y & _MASK
    b = b + _rotate(a, 44) & _MASK
    return a + z & _MASK, b + c & _MASK


def _longer(data: bytes, size: int) -> int:
    seed = 81
    x, y = seed, seed * _K1 + 113 & _MASK
    z = _mix(y * _K2 + 113 & _MASK) * _K2 & _MASK
    v, w = (0, 0), (0, 0)
    x = x * _K2 + _word(data, 0) & _MASK
    end = (size - 1) // 64 * 64
    last = end + ((size - 1) & 63) - 63
    for at in range(0, end, 64):
        x = _rotate(x + y + v[0] + _word(data, at + 8) & _MASK, 37) * _K1 & _MASK
        y = _rotate(y + v[1] + _word(data, at + 48) & _MASK, 42) * _K1 & _MASK
        x ^= w[1]
        y = y + v[0] + _word(data, at + 40) & _MASK
        z = _rotate(z + w[0] & _MASK, 33) * _K1 & _MASK
        v = _weak_pair(data, at, v[1] * _K1 & _MASK, x + w[0] & _MASK)
        w = _weak_pair(data, at + 32, z + w[1] & _MASK, y + _word(data, at + 16) & _MASK)
        z, x = x, z
    factor = _K1 + ((z & 0xFF) << 1) & _MASK
    w = (w[0] + ((size - 1) & 63) & _MASK, w[1])
    v = (v[0] + w[0] & _MASK, v[1])
    w = (w[0] + v[0] & _MASK, w[1])
    x = _rotate(x + y + v[0] + _word(data, last + 8) & _MASK, 37) * factor & _MASK
    y = _rotate(y + v[1] + _word(data, last + 48) & _MASK, 42) * factor & _MASK
    x ^= w[1] * 9 & _MASK
    y = y + v[0] * 9 + _word(data, last + 40) & _MASK
    z = _rotate(z + w[0] & _MASK, 33) * factor & _MASK
    v = _weak_pair(data, last, v[1] * factor & _MASK, x + w[0] & _MASK)
    w = _weak_pair(data, last + 32, z + w[1] & _MASK, y + _word(data, last + 16) & _MASK)
    z, x = x, z
    first = _hash16(v[0], w[0], factor) + _mix(y) * _K0 + z & _MASK
    return _hash16(first, _hash16(v[1], w[1], factor) + x & _MASK, factor)


def combined(first: int, second: int) -> int:
    """One hash of two: FingerprintCat64."""
    factor = 0xC6A4A7935BD1E995
    mixed = _mix(second * factor & _MASK) * factor
    return _mix(_mix((first ^ factor ^ mixed) * factor & _MASK) * factor & _MASK)
