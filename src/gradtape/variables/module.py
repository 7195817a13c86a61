"""`Module`: an object that knows the variables in its attributes; and scopes of names and of creators of variables."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, TypeVar

from ..base import nest
from ..base.context import ACTIVE, RESTORATIONS, STATE, next_id, resume_restorations, scope
from ..base.frames import user_frame
from ..base.notebook import Form, in_notebook
from ..base.notes import SCOPES
from ..base.types import TensorLike
from .variable import Variable

_Result = TypeVar("_Result")


class name_scope:
    """Context manager: variables made inside get the name in front, as in "dense/kernel:0".

    >>> import gradtape as tf
    >>> with tf.name_scope("dense"):
    ...     print(tf.Variable(1.0, name="kernel").name)
    dense/kernel:0

    Args:
        name: The name; with a slash at its end it stands for itself, not below the scopes that are open.

    Returns:
        A context manager.

    Raises:
        ValueError: It is no text.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(f"name for name_scope must be a string, got {name!r}.")
        self._name = name
        # One scope may be entered again inside of itself. With each, what a note of it begins with, if a tape records.
        self._entered: list[tuple[scope, int]] = []

    @property
    def name(self) -> str:
        """The name given to the scope."""
        return self._name

    def __enter__(self) -> str:
        names = STATE.name_scopes
        if self._name.endswith("/"):  # an absolute scope, as returned by entering one
            names = self._name.rstrip("/").split("/") if self._name.rstrip("/") else []
        elif self._name:
            names = [*names, self._name]
        entered = scope(name_scopes=names)
        self._entered.append((entered, next_id() if ACTIVE and STATE.tapes else 0))
        entered.__enter__()
        return "/".join(names) + "/" if names else ""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        entered, first = self._entered.pop()
        if first and STATE.name_scopes:
            frame = user_frame(0)
            SCOPES.append((first, next_id(), "/".join(STATE.name_scopes), frame.f_code, frame.f_lasti))
        entered.__exit__(kind, error, traceback)


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """A block in which `variable_creator(next_creator, **settings)` makes what tf.Variable is asked for, in this thread.

    It gets all settings by name, and may change them, or give a variable of its own; `next_creator(**settings)` is the creator
    of the block around, and at last tf.Variable itself.

    >>> import gradtape as tf
    >>> def fixed(next_creator, **settings):
    ...     return next_creator(**{**settings, "trainable": False})
    >>> with tf.variable_creator_scope(fixed):
    ...     tf.Variable(1.0).trainable
    False

    Args:
        variable_creator: A function of the next creator and the settings, which gives a variable.

    Returns:
        A context manager.
    """
    with scope(variable_creators=[*STATE.variable_creators, variable_creator]):
        yield


class Module:
    """Base class for anything that holds variables, directly or in lists, tuples, dicts and other modules.

    >>> import gradtape as tf
    >>> class Dense(tf.Module):
    ...     def __init__(self, inputs, outputs):
    ...         super().__init__()
    ...         self.w = tf.Variable(tf.zeros([inputs, outputs]), name="w")
    ...     def __call__(self, x):
    ...         return x @ self.w
    >>> [v.name for v in Dense(2, 3).trainable_variables]
    ['w:0']

    Args:
        name: The name of the module; by default that of the class in snake case.

    Raises:
        ValueError: The name is no Python identifier.
    """

    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not _is_identifier(name):
            raise ValueError(f"{name!r} is not a valid module name. Module names must be valid Python identifiers.")
        self._name = name
        scopes = "/".join(STATE.name_scopes)
        self._scope_name = f"{scopes}/{name}" if scopes else name

    def __setattr__(self, name: str, value: TensorLike) -> None:
        object.__setattr__(self, name, value)
        if RESTORATIONS:
            resume_restorations()

    @property
    def name(self) -> str:
        """The name given, or the class name in snake case."""
        return getattr(self, "_name", _snake_case(type(self).__name__))

    @property
    def name_scope(self) -> name_scope:
        """A name scope for variables made by this module."""
        return name_scope(getattr(self, "_scope_name", self.name) + "/")

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables of this module and its submodules, once each, attributes in the order of their names."""
        return tuple(self._flatten(predicate=lambda value: isinstance(value, Variable)))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that are not trainable."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules inside this one."""
        return tuple(self._flatten(predicate=lambda value: isinstance(value, Module)))

    @classmethod
    def with_name_scope(cls, method: Callable[..., _Result]) -> Callable[..., _Result]:
        """Decorator for a method: it runs in the module's name scope.

        >>> class Dense(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def build(self):
        ...         self.w = tf.Variable(tf.zeros([2]), name="w")
        >>> layer = Dense(name="dense")
        >>> layer.build()
        >>> layer.w.name
        'dense/w:0'

        Args:
            method: The method of a module, which is called in its scope.

        Returns:
            The method as it is called then.
        """

        def scoped(self: Module, *args: object, **kwargs: object) -> _Result:
            with self.name_scope:
                return method(self, *args, **kwargs)

        scoped.__name__ = method.__name__
        scoped.__doc__ = method.__doc__
        return scoped

    def _notebook_form(self) -> Form:
        found = list(self._flatten(predicate=lambda leaf: isinstance(leaf, Variable), with_path=True))
        rows = [
            ("/".join(map(str, path)), str(v.shape), v.dtype.name, "" if v.trainable else "no") for path, v in found
        ]
        size = sum(math.prod(v.shape) for _, v in found)
        facts = (("variables", str(len(found))), ("elements", f"{size:,}"))
        return Form(type(self).__name__, facts, table=(("variable", "shape", "dtype", "trainable"), *rows))

    _repr_html_ = in_notebook

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterable[Any]:
        """What the predicate holds for: first the leaves of the module's own attributes, then those of its submodules."""
        found: list[Any] = []
        seen: set[int] = {id(self)}
        waiting: list[tuple[tuple[Any, ...], Module]] = [((), self)]
        while waiting:
            path, module = waiting.pop(0)
            inside: list[tuple[tuple[Any, ...], Module]] = []
            for name in sorted(vars(module), key=attribute_traversal_key):
                if name in module._TF_MODULE_IGNORED_PROPERTIES:
                    continue
                for place, leaf in _leaves(vars(module)[name], (*path, name)):
                    number = leaf._id if isinstance(leaf, Variable) else id(leaf)
                    if number in seen:
                        continue
                    seen.add(number)
                    if predicate is None or predicate(leaf):
                        found.append((place, leaf) if with_path else leaf)
                    if recursive and isinstance(leaf, Module):
                        inside.append((place, leaf))
            waiting = inside + waiting
        return found


def _leaves(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The leaves of an attribute, each with the way to it."""
    if isinstance(value, Mapping):
        for key in nest.sorted_keys(value):
            yield from _leaves(value[key], (*path, key))
    elif nest.is_nested(value):
        for position, item in enumerate(value):
            yield from _leaves(item, (*path, position))
    else:
        yield path, value


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _is_identifier(name: str) -> bool:
    return bool(re.fullmatch(r"[a-zA-Z_]\w*", name))
