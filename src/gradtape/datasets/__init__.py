"""Small data sets that ship with the package, so that examples and tests need no download."""

from . import digits

__all__ = ["digits"]
