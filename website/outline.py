"""The public names as plain Python source without bodies, which mkdocstrings reads.

Ops are made by their declarations, and namespaces are put together from several files, so the source itself does not show what
users call. The outline is written from what Python sees: names, signatures, docstrings.
"""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import gradtape.numpy
from gradtape import dtypes
from gradtape.ops import public
from website.public_names import Namespace

_INDENT = "    "
_PAGE = re.compile(r"\bdocs/((?:design|guide)/[\w-]+)\.md\b")  # of this site, seen from the folder of the reference
_EXAMPLE = re.compile(r"^>>> (?:.+\n)+", re.MULTILINE)  # up to the next empty line


def write(pages: list[Namespace], folder: Path) -> None:
    """One package `tf` with a module for each namespace."""
    described = {value for page in pages for value in page.described.values() if isinstance(value, type)}
    for page in pages:
        module = folder.joinpath(*page.name.split("."), "__init__.py")
        module.parent.mkdir(parents=True, exist_ok=True)
        lines = [line for name, value in page.described.items() for line in _definition(name, value, described)]
        for parent in module.relative_to(folder).parents[1:-1]:
            (folder / parent / "__init__.py").touch()
        module.write_text("\n".join([*_docstring(page.module, ""), "", *lines, ""]), encoding="utf-8")


def _definition(name: str, value: object, described: set[type]) -> Iterator[str]:
    if isinstance(value, type):
        yield from _class(name, value, described)
    elif callable(value):
        yield from _function(name, value, "")
    yield ""


def _class(name: str, value: type, described: set[type]) -> Iterator[str]:
    yield f"class {name}:"
    yield from _docstring(value, _INDENT)
    yield f"{_INDENT}..."
    if (signature := _of_constructor(value)) is not None:
        yield f"{_INDENT}def __init__{signature}: ..."
    for member, found in sorted(_members(value, described).items()):
        if isinstance(found, property):
            yield f"{_INDENT}@property"
            yield f"{_INDENT}def {member}(self):"
            yield from _docstring(found, 2 * _INDENT)
            yield f"{2 * _INDENT}..."
        elif isinstance(found, (staticmethod, classmethod)):
            yield f"{_INDENT}@{type(found).__name__}"
            yield from _function(member, found.__func__, _INDENT)
        elif inspect.isfunction(found):
            yield from _function(member, found, _INDENT)


def _members(value: type, described: set[type]) -> dict[str, object]:
    """The methods and properties of a class that have a docstring; those of a base that has an entry of its own stand there."""
    found: dict[str, object] = {}
    for base in reversed(value.__mro__):
        if base.__module__.partition(".")[0] == "gradtape" and (base is value or base not in described):
            found.update((name, member) for name, member in vars(base).items() if not name.startswith("_"))
    return {name: member for name, member in found.items() if inspect.getdoc(member)}


def _of_constructor(value: type) -> str | None:
    """The arguments that make an instance, in `__init__` or, as in a named tuple, in `__new__`; None if there is neither."""
    if issubclass(value, enum.Enum):
        return None
    constructor = next(
        (found for name in ("__init__", "__new__") if inspect.isfunction(found := getattr(value, name))), None
    )
    if constructor is None:
        return None
    this, *parameters = inspect.signature(constructor).parameters.values()
    return _text(inspect.Signature([this.replace(name="self"), *parameters]))


def _function(name: str, value: object, indent: str) -> Iterator[str]:
    yield f"{indent}def {name}{_signature(value)}:"
    yield from _docstring(value, indent + _INDENT)
    yield f"{indent}{_INDENT}..."


@functools.cache
def _written_for_checkers() -> dict[int, str]:
    """The signatures of functions that are generated, with types: what `python -m tests.checkers.stubs` wrote for checkers."""
    found = {}
    for module, name in ((public, "public.pyi"), (gradtape.numpy, "__init__.pyi")):
        stub = Path(str(module.__file__)).with_name(name)
        for node in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):  # the last overload is the one for tensors
                returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
                found[id(getattr(module, node.name))] = f"({ast.unparse(node.args)}){returned}"
    return found


def _signature(value: object) -> str:
    if (written := _written_for_checkers().get(id(value))) and "= ..." not in written and "=..." not in written:
        return written
    try:
        signature = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "(*args, **kwargs)"
    return _text(signature)


def _text(signature: inspect.Signature) -> str:
    parameters = [
        parameter.replace(default=_Written(parameter.default))
        if parameter.default is not parameter.empty
        else parameter
        for parameter in signature.parameters.values()
    ]
    # Annotations are strings; without their quotes they are what the source says.
    return str(signature.replace(parameters=parameters)).replace("'", "")


class _Written:
    """A default as an expression, where the text that Python shows is none."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __repr__(self) -> str:
        value = self._value
        if isinstance(value, dtypes.DType):
            return f"tf.{value.name}"
        if isinstance(value, enum.Enum):
            return f"{type(value).__name__}.{value.name}"
        if isinstance(value, str):
            return f'"{value}"'
        if isinstance(value, (type, FunctionType)):
            return value.__name__
        return repr(value) if isinstance(value, (int, float, bool, tuple, list, type(None))) else "..."


def markdown(value: object) -> str:
    """The docstring with its examples as blocks of code, and pages as links."""
    text = _EXAMPLE.sub(r"```pycon\n\g<0>```\n", (inspect.getdoc(value) or "") + "\n").rstrip()
    return _PAGE.sub(r"[\1](../\1.md)", text)


def _docstring(value: object, indent: str) -> Iterator[str]:
    if text := markdown(value):
        escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        yield textwrap.indent(f'"""{escaped}\n"""', indent)
