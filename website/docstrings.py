"""What the docstrings of public callables lack: `python -m website.docstrings` counts, and names what lacks something."""

from __future__ import annotations

import enum
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from website.public_names import namespaces

# Methods that are called for users, by the engine, by checkpoints and by Keras. They say what they take, and need no example.
CALLED_FOR_USERS = {
    "tf.data.Iterator": "standing_for",
    "tf.data.experimental.Optional": "standing_for",
    "tf.diagnostics.Monitor": """
        set_params set_model on_train_begin on_train_batch_begin on_train_batch_end on_epoch_end on_train_end
    """,
    "tf.distribute.ReplicaContext": "agreed own",
    "tf.errors.NonFiniteError": "inside",
    "tf.lookup.KeyValueTensorInitializer": "initialize",
    "tf.summary.SummaryWriter": "add",
    "tf.test.TestCase": "setUp",
    "tf.train.experimental.PythonState": "serialize deserialize",
    "tf.types.experimental.ConcreteFunction": "forget_engine interpret renamed run take_direct tensors_of",
    "tf.types.experimental.GenericFunction": "forget_engine",
}


@dataclass(frozen=True)
class Docstring:
    """The docstring of one public callable, under the name by which the reference describes it."""

    name: str
    text: str
    arguments: tuple[str, ...]
    needs_example: bool = True

    @property
    def has_example(self) -> bool:
        """Whether there is an example, where one is needed."""
        return ">>>" in self.text or not self.needs_example

    @property
    def undescribed(self) -> list[str]:
        """The arguments that the section `Args:` does not name."""
        named = described_arguments(self.text)
        return [argument for argument in self.arguments if argument not in named]

    @property
    def has_arguments(self) -> bool:
        """Whether the arguments are described, if there are any."""
        return not self.undescribed


def described_arguments(text: str) -> set[str]:
    """The names in the section `Args:` of a docstring."""
    section = re.search(r"^Args:\n((?:    .*\n?|\n(?=    ))*)", text, re.MULTILINE)
    return set(re.findall(r"^    \**(\w+)(?: \(.*?\))?:", section[1], re.MULTILINE)) if section else set()


def docstrings() -> Iterator[Docstring]:
    """Those of all public functions and classes."""
    for page in namespaces():
        for name, value in page.described.items():
            if callable(value) and not _is_of_numpy(value):
                yield Docstring(f"{page.name}.{name}", inspect.getdoc(value) or "", _arguments(value))


def method_docstrings() -> Iterator[Docstring]:
    """Those of the methods of public classes, each under the first class that has it."""
    seen: set[object] = set()
    for page in namespaces():
        for name, value in page.described.items():
            if not isinstance(value, type) or not value.__module__.startswith("gradtape"):
                continue
            place = f"{page.name}.{name}"
            for method, function in _methods(value):
                if function not in seen:
                    seen.add(function)
                    yield Docstring(
                        f"{place}.{method}",
                        inspect.getdoc(getattr(value, method)) or "",
                        tuple(argument for argument in _parameters(function) if argument not in ("self", "cls")),
                        needs_example=_is_for_users(place, method, function),
                    )


def _methods(cls: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods of a class by name, its own and those that it gets from gradtape's classes."""
    for name in dir(cls):
        owner = next(base for base in cls.__mro__ if name in vars(base) or base is object)
        value = vars(owner).get(name)
        function = inspect.unwrap(value.__func__ if isinstance(value, (classmethod, staticmethod)) else value)  # type: ignore[arg-type]
        if not name.startswith("_") and owner.__module__.startswith("gradtape") and inspect.isfunction(function):
            yield name, function


def _is_for_users(place: str, method: str, function: Callable[..., Any]) -> bool:
    """Whether users call the method: not if it is abstract, if it only raises, or if it is called for them."""
    only_raises = "NoReturn" in str(inspect.signature(function).return_annotation)
    abstract = getattr(function, "__isabstractmethod__", False)
    return not (only_raises or abstract or method in CALLED_FOR_USERS.get(place, "").split())


def _is_of_numpy(value: object) -> bool:
    """Whether it is NumPy's own, as `tf.experimental.numpy.float32` is: NumPy describes it."""
    return (getattr(value, "__module__", None) or "").partition(".")[0] == "numpy"


def _arguments(value: Any) -> tuple[str, ...]:
    if not isinstance(value, type):
        return _parameters(value)
    if issubclass(value, (enum.Enum, BaseException)):
        return ()  # a member is named, an error is caught: users make neither
    if value.__init__ is object.__init__ and value.__new__ is object.__new__:
        return ()
    # (Where a metaclass takes the call, it takes the arguments of the class.)
    return _parameters(value) if type(value).__call__ is type.__call__ else _parameters(value.__init__)[1:]


def _parameters(value: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(value).parameters)


def _count(kind: str, found: list[Docstring]) -> str:
    return (
        f"{len(found)} {kind}: {sum(not one.has_example for one in found)} without an example, "
        f"{sum(not one.has_arguments for one in found)} without their arguments, "
        f"{sum(not one.text for one in found)} without a docstring"
    )


if __name__ == "__main__":
    callables, methods = list(docstrings()), list(method_docstrings())
    for one in [*callables, *methods] if "--list" in sys.argv else ():
        if not one.has_example or not one.has_arguments:
            print(
                one.name, "" if one.has_example else "no example", "" if one.has_arguments else f"no {one.undescribed}"
            )
    print(_count("public callables", callables))
    print(_count("methods", methods))
