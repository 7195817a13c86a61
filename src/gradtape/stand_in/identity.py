"""Who gradtape says it is while it stands in: the module `tensorflow`, and the modules that classes name as theirs.

Programs tell TensorFlow's values by `type(x).__module__`. A pickle that is written meanwhile is to be read anywhere, so a class
keeps its own module in pickles: pickle stores the name of the module as an object (since protocol 4, the default), and the
name that stands here pickles as the true one. Protocols 0 to 2 (torch.save uses 2) translate names of modules by a table;
protocol 3 does neither, so that a value is made by `rebuilt` there, which finds the class by its place.
"""

from __future__ import annotations

import _compat_pickle
import importlib
import operator
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from .. import compat
from ..base.absent import missing
from ..version import VERSION
from .public_classes import MODULES

# Names of gradtape that TensorFlow does not have. They are there, but `dir` does not offer them under its name.
_OURS = frozenset(("as_tensorflow", "diagnostics", "export", "extend", "numpy", "optimize"))


class StandIn(ModuleType):
    """The module `tensorflow`: gradtape's names, and TensorFlow's version."""

    def __init__(self) -> None:
        gradtape = sys.modules["gradtape"]
        super().__init__("tensorflow", gradtape.__doc__)
        public = {name: value for name, value in vars(gradtape).items() if name in gradtape.__all__}
        vars(self).update(
            public, __version__=VERSION, __all__=gradtape.__all__, __file__=gradtape.__file__, __path__=[]
        )
        self.__git_version__ = gradtape.version.GIT_VERSION
        self.__spec__ = ModuleSpec("tensorflow", None, origin=gradtape.__file__, is_package=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module 'tensorflow' has no attribute {name!r}", name=name, obj=self)
        gradtape = sys.modules["gradtape"]
        try:
            value = getattr(gradtape, name)
        except AttributeError:
            raise missing("tensorflow", name) from None
        if name in gradtape.__all__:  # imported on first use: from now on it is found at once
            vars(self)[name] = value
        return value

    def __dir__(self) -> list[str]:
        return [name for name in dir(sys.modules["gradtape"]) if name not in _OURS]


class _ModuleName(str):
    """The name of a module as programs see it, which pickles as another."""

    __slots__ = ("own",)
    own: str

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (self.own,)


def classes_of(module: str) -> dict[str, type]:
    """The classes of gradtape that name this module of TensorFlow as theirs."""
    found = {}
    for place in MODULES.get(module, "").split():
        path, _, name = place.partition(":")
        found[name] = getattr(importlib.import_module(f"gradtape.{path}"), name)
    return found


def _reducing(own: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`__reduce_ex__` of a class that names another module; those that programs derive from it have modules of their own."""

    def reduced_by_place(self: object, protocol: object) -> Any:
        cls = type(self)
        reduced = own(self, protocol)
        if protocol != 3 or not isinstance(cls.__module__, _ModuleName) or not isinstance(reduced, tuple):
            return reduced
        make, arguments, *rest = reduced
        if make is cls:
            make, arguments = operator.call, (cls, *arguments)
        if not arguments or arguments[0] is not cls:
            return reduced
        place = f"{cls.__module__.own.removeprefix('gradtape.')}:{cls.__name__}"
        return rebuilt, (place, make, *arguments[1:]), *rest

    return reduced_by_place


def rebuilt(place: str, make: Callable[..., Any], *arguments: object) -> Any:
    """What `make` gives for a class of the table and further arguments."""
    module = next(module for module, places in MODULES.items() if place in places.split())
    return make(classes_of(module)[place.partition(":")[2]], *arguments)


def take_names() -> None:
    """Let the classes of values name TensorFlow's modules as theirs, and `tf.compat` know the stand-in.

    Those of modules that are imported on first use do it when that happens.
    """
    waiting: dict[str, list[tuple[str, str]]] = {}
    for module, places in MODULES.items():
        for place in places.split():
            path, _, name = place.partition(":")
            waiting.setdefault(f"gradtape.{path}", []).append((name, module))
    for path in [path for path in waiting if path in sys.modules]:
        _rename(sys.modules[path], waiting.pop(path))
    sys.meta_path.insert(0, _Renaming(waiting))
    vars(compat)["v2"] = sys.modules["gradtape.compat.v2"] = sys.modules["tensorflow"]


def _rename(module: ModuleType, classes: list[tuple[str, str]]) -> None:
    for name, of_tensorflow in classes:
        cls = getattr(module, name)
        if isinstance(cls.__module__, _ModuleName):
            continue
        renamed = _ModuleName(of_tensorflow)
        renamed.own = cls.__module__
        _compat_pickle.REVERSE_NAME_MAPPING[of_tensorflow, cls.__name__] = renamed.own, cls.__name__
        cls.__module__ = renamed
        if "__reduce_ex__" in vars(cls) or not any(
            isinstance(base.__module__, _ModuleName) for base in cls.__mro__[1:]
        ):
            cls.__reduce_ex__ = _reducing(cls.__reduce_ex__)


class _Renaming(MetaPathFinder):
    """Finds modules of gradtape that were not imported when it began to stand in."""

    def __init__(self, waiting: dict[str, list[tuple[str, str]]]) -> None:
        self._waiting = waiting

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._waiting:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._waiting.pop(fullname))
        return spec


class _Loader(Loader):
    """Loads a module as its own loader does; then its classes have other names of modules."""

    def __init__(self, own: Loader, classes: list[tuple[str, str]]) -> None:
        self._own, self._classes = own, classes

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._own
        if module.__spec__ is not None:
            module.__spec__.loader = self._own
        self._own.exec_module(module)
        _rename(module, self._classes)
