"""What the docstrings of public callables lack: `python -m website.docstrings` counts, and names what lacks something."""

from __future__ import annotations

import enum
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from website.public_names import namespaces


@dataclass(frozen=True)
class Docstring:
    """The docstring of one public callable, under the name by which the reference describes it."""

    name: str
    text: str
    takes_arguments: bool

    @property
    def has_example(self) -> bool:
        return ">>>" in self.text

    @property
    def has_arguments(self) -> bool:
        """Whether the arguments are described, if there are any."""
        return "Args:" in self.text or not self.takes_arguments


def docstrings() -> Iterator[Docstring]:
    """Those of all public functions and classes."""
    for page in namespaces():
        for name, value in page.described.items():
            if callable(value) and not _is_of_numpy(value):
                yield Docstring(f"{page.name}.{name}", inspect.getdoc(value) or "", _takes_arguments(value))


def _is_of_numpy(value: object) -> bool:
    """Whether it is NumPy's own, as `tf.experimental.numpy.float32` is: NumPy describes it."""
    return (getattr(value, "__module__", None) or "").partition(".")[0] == "numpy"


def _takes_arguments(value: object) -> bool:
    if isinstance(value, type) and issubclass(value, (enum.Enum, BaseException)):
        return False  # a member is named, an error is caught: users make neither
    if isinstance(value, type) and value.__init__ is object.__init__ and value.__new__ is object.__new__:  # type: ignore[misc]
        return False
    try:
        return bool(inspect.signature(value).parameters)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return True


if __name__ == "__main__":
    found = list(docstrings())
    lacking = [one for one in found if not one.has_example or not one.has_arguments]
    for one in lacking if "--list" in sys.argv else ():
        print(one.name, "" if one.has_example else "no example", "" if one.has_arguments else "no arguments")
    print(
        f"{len(found)} public callables: {sum(not one.has_example for one in found)} without an example, "
        f"{sum(not one.has_arguments for one in found)} without their arguments, "
        f"{sum(not one.text for one in found)} without a docstring"
    )
