"""A random order of many places that nobody writes down: where one place goes is computed by itself.

A block cipher permutes all numbers of so many bits. A place is enciphered again and again until it is one of the places, which
makes a permutation of these ("cycle walking", Black and Rogaway 2002). The cipher is Simon (Beaulieu et al. 2013) with four
rounds and words of half the bits, as TensorFlow has it: good for a shuffle, no secret.
"""

from __future__ import annotations

from .errors import invalid

_LEAST_BITS = 16  # smaller blocks show patterns
_CONSTANT = 0xFFFFFFFC
_SEQUENCE = 0x7369F885192C0EF5  # the bits that the cipher mixes into its keys, one in each round


def shuffled_place(place: int, key: tuple[int, ...], last: int) -> int:
    """Where a place goes when 0 to `last` are shuffled with a key of three words."""
    if not 0 <= place <= last:
        raise invalid(f"index_shuffle: a place must be from 0 to max_index={last}, got {place}.")
    if last == 0:
        return 0
    bits = (last - 1).bit_length()
    half = max(bits + bits % 2, _LEAST_BITS) // 2
    mask = (1 << half) - 1

    def right(word: int, by: int) -> int:
        return (word >> by | word << (half - by)) & mask

    def mixed(word: int) -> int:
        left1, left2, left8 = (right(word, half - by) if by < half else word for by in (1, 2, 8))
        return (left1 & left8) ^ left2

    first, second, third = (word & 0xFFFFFFFF & mask for word in key)
    fourth = (_CONSTANT & mask) ^ (_SEQUENCE & 1) ^ first ^ right(third, 3) ^ right(third, 4)
    while True:
        upper, lower = place >> half & mask, place & mask
        for one, two in ((first, second), (third, fourth)):
            upper ^= mixed(lower) ^ one
            lower ^= mixed(upper) ^ two
        place = upper << half | lower
        if place <= last:
            return place
