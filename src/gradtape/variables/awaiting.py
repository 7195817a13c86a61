"""Variables that a checkpoint still has values for: the first use of one looks for its value."""

from __future__ import annotations

import functools
from typing import Any, ClassVar

from ..base.context import RESTORATIONS, resume_restorations
from ..base.types import TensorLike
from ..native.abi import become
from .in_place import is_locked_here, present_value


class AwaitingVariable:
    """A variable made while a checkpoint still has values for variables to come: its first use looks for its value.

    By then it is attached to the object that it belongs to. It turns into a plain one when it has found its value, when
    no checkpoint waits for variables, or when it has been used so often that it belongs to none.
    """

    _plain: ClassVar[type]  # the class that it has otherwise

    @property
    def _value(self) -> Any:
        if not is_locked_here(self):  # (restorations take this lock after their own)
            uses = self.__dict__["_uses"] = self.__dict__.get("_uses", 0) + 1
            resume_restorations()
            if isinstance(self, AwaitingVariable) and (not RESTORATIONS or uses > 100):  # (it may have found its value)
                self.become_plain()
        return present_value(self)

    @_value.setter
    def _value(self, value: TensorLike) -> None:
        self.__dict__["_value"] = value

    def become_plain(self) -> None:
        """Stop waiting."""
        self.__dict__.pop("_uses", None)
        become(self, self._plain)


@functools.cache
def awaiting(cls: type) -> type:
    """The class of variables of this class that wait for their values."""
    return type(cls)(cls.__name__, (AwaitingVariable, cls), {"_plain": cls, "__module__": cls.__module__})
