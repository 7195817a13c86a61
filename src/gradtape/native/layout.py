"""Words of memory that machine code and Python share, by name."""

from __future__ import annotations

from ..base.memory import CACHE_LINE

_LINE = CACHE_LINE // 8  # words


class Layout:
    """Words of 64 bits with names. What different threads write to stands in lines of the cache of its own."""

    def __init__(self, *lines: dict[str, int]) -> None:
        """Each argument begins a line, and says how many words each name has."""
        self._places: dict[str, int] = {}
        self.size = 0  # words
        for line in lines:
            place = self.size
            for name, words in line.items():
                self._places[name] = place
                place += words
            self.size = -(-place // _LINE) * _LINE

    def __getitem__(self, name: str) -> int:
        """The number of a word."""
        return self._places[name]
