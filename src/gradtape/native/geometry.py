"""How windows slide over images and sequences: convolutions and pools, and their kernels, all speak of them in these words."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

Sizes = tuple[int, ...]


class Windows(NamedTuple):
    """All windows on an input of some sizes."""

    sizes: Sizes
    window: Sizes
    strides: Sizes
    dilations: Sizes
    padding: tuple[tuple[int, int], ...]
    outputs: Sizes

    @property
    def padded(self) -> bool:
        """Whether windows reach beyond the input."""
        return any(any(pair) for pair in self.padding)

    @property
    def overlap(self) -> bool:
        """Whether an input can belong to two windows."""
        return any(s <= (w - 1) * d for w, s, d in zip(self.window, self.strides, self.dilations, strict=True))

    @property
    def tiled(self) -> bool:
        """Whether each input belongs to one window."""
        covered = tuple(count * width for count, width in zip(self.outputs, self.window, strict=True))
        return self.strides == self.window and self.sizes == covered and not self.padded and not self.overlap

    def on_images(self) -> Self:
        """The same windows, on an image of one row if they are on sequences."""
        if len(self.sizes) != 1:
            return self
        one: tuple[Any, ...] = (1,)
        sizes, window, strides, dilations, padding, outputs = self
        return self.__class__(
            one + sizes, one + window, one + strides, one + dilations, ((0, 0), *padding), one + outputs
        )
