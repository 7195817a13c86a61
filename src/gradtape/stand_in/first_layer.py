"""`tensorflow.python`: the private modules of TensorFlow that programs import all the same, on gradtape's public names.

A module here gives the public names of some namespaces, which is where TensorFlow exports what it defines there. The few
functions that have no public name stand in `private_names.py`. Anything else is an error that says what to use.
"""

from __future__ import annotations

import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ..base.absent import MissingPartError
from . import identity, private_names
from .private_modules import NAMESPACES

PACKAGE = "tensorflow.python"
_PACKAGES = {name.rsplit(".", depth)[0] for name in NAMESPACES for depth in (1, 2) if name.count(".") >= depth}


class _PrivateModule(ModuleType):
    """A module below `tensorflow.python`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        short = self.__name__.removeprefix(f"{PACKAGE}.")
        classes = identity.classes_of(self.__name__)
        found = classes.get(name) or private_names.names_of(short).get(name)
        for namespace in () if found is not None else NAMESPACES[short]:
            found = _public(namespace, name) or _public(namespace, name.removesuffix("_v2"))
            if found is not None:
                break
        if found is None:
            raise AttributeError(_refusal(f"{self.__name__}.{name}"))
        return found


def _public(namespace: str, name: str) -> Any:
    value: Any = sys.modules["tensorflow"]
    try:
        for part in filter(None, namespace.split(".")):
            value = getattr(value, part)
        return getattr(value, name) if name in dir(value) else None
    except (AttributeError, ImportError):
        return None


def _refusal(name: str) -> str:
    public = "tf.keras" if name.startswith(f"{PACKAGE}.keras") else "the public names under `tf.`, which dir(tf) lists"
    return f"{name} is a private part of TensorFlow, which gradtape does not have: use {public}."


class FirstLayer(MetaPathFinder, Loader):
    """Finds `tensorflow.python` and the modules of the table; refuses all others below it."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if fullname != PACKAGE and not fullname.startswith(f"{PACKAGE}."):
            return None
        short = fullname.removeprefix(PACKAGE).removeprefix(".")
        if short and short not in NAMESPACES and short not in _PACKAGES:
            raise MissingPartError(_refusal(fullname))  # (without `name=`, as in base/absent.py)
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        short = spec.name.removeprefix(f"{PACKAGE}.")
        if short not in NAMESPACES:
            return _PrivatePackage(spec.name)
        return _PrivateModule(spec.name, f"Public names of gradtape that TensorFlow defines in {spec.name}.")

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: names are looked up when they are used."""


class _PrivatePackage(ModuleType):
    """A package below `tensorflow.python`: its modules are found without an import of their own, as in TensorFlow."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        try:
            return importlib.import_module(f"{self.__name__}.{name}")
        except ImportError as error:
            raise AttributeError(str(error)) from None
