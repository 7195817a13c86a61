"""Small data sets that ship with the package, so that examples and tests need no download."""

from ..base.namespaces import listing
from . import digits

__all__ = ["digits"]

__dir__ = listing(globals())
