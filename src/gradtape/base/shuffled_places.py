"""A random order of many places that nobody writes down: where one place goes is computed by itself.

A block cipher permutes all numbers of so many bits. A place is enciphered again and again until it is one of the places, which
makes a permutation of these ("cycle walking", Black and Rogaway 2002). The cipher is Simon (Beaulieu et al. 2013) with four
rounds unless told otherwise and words of half the bits, as TensorFlow has it: good for a shuffle, no secret.
"""

from __future__ import annotations

from .errors import invalid

_LEAST_BITS = 16  # smaller blocks show patterns
_CONSTANT = 0xFFFFFFFC
_SEQUENCE = 0x7369F885192C0EF5  # the bits that the cipher mixes into its keys, one in each round


def shuffled_place(place: int, key: tuple[int, ...], last: int, rounds: int = 4) -> int:
    """Where a place goes when 0 to `last` are shuffled with a key of three words, in an even number of rounds."""
    if last < 0:
        raise invalid(f"index_shuffle: max_index must be >= 0, got {last}.")
    if place < 0:
        raise invalid(f"index_shuffle: index must be >= 0, got {place}.")
    if place > last:
        raise invalid(f"index_shuffle: max_index must be >= index, got the index {place} for max_index={last}.")
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

    words = [word & 0xFFFFFFFF & mask for word in key]
    for step in range(rounds - len(words)):
        bit = _SEQUENCE >> step % 62 & 1
        words.append((_CONSTANT & mask) ^ bit ^ words[-3] ^ right(words[-1], 3) ^ right(words[-1], 4))
    while True:
        upper, lower = place >> half & mask, place & mask
        for step in range(0, rounds, 2):
            upper ^= mixed(lower) ^ words[step]
            lower ^= mixed(upper) ^ words[step + 1]
        place = upper << half | lower
        if place <= last:
            return place
