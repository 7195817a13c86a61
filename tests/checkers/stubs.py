"""What type checkers and editors see of functions that are made while the package is imported.

`python -m tests.checkers.stubs` writes the stubs; `test_stubs.py` fails until they are up to date.

- `ops/public.pyi`: the entries of ops, from their declarations.
- `numpy/__init__.pyi`: the names that `numpy/__init__.py` gathers.
- `raw_ops/__init__.pyi`, `compat/v1/__init__.pyi`: the names in their tables, so that a misspelled one is refused.
"""

from __future__ import annotations

import inspect
import pathlib
import textwrap
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy

import gradtape
import gradtape.numpy
import gradtape.raw_ops
from gradtape.compat.v1 import PLACES
from gradtape.compat.v1.names import MODULES
from gradtape.op.declaration import REQUIRED, Op
from gradtape.ops import public
from gradtape.sparse.dispatch import ON_VALUES

SOURCE = pathlib.Path(gradtape.__file__).parent

# The types of parameters that are no operands: by name, else by default.
PARAMETERS = {
    "axis": "AxisLike | None",
    "shape": "ShapeLike",
    "keepdims": "bool | None",
    "dtype": "DTypeLike | None",
    "output_type": "DTypeLike",
    "name": "str | None",
}
WRITTEN = "# Written by `python -m tests.checkers.stubs`.\n"


def stubs() -> dict[pathlib.Path, str]:
    """The text of each stub, by its path."""
    return {
        SOURCE / "ops" / "public.pyi": _of_ops(),
        SOURCE / "numpy" / "__init__.pyi": _of_numpy(),
        SOURCE / "raw_ops" / "__init__.pyi": _of_raw_ops(),
        SOURCE / "compat" / "v1" / "__init__.pyi": _of_version_1(),
    }


# --- entries of ops ----------------------------------------------------------------------------------------------------


def _of_ops() -> str:
    names = sorted(public.HOMES)
    definitions = "\n".join(_entry(name, getattr(public, name).op) for name in names)
    return f"""{WRITTEN}
from typing import Any, overload

from ..base.types import AxisLike, DenseLike, ShapeLike, TensorLike
from ..ragged.tensor import RaggedTensor
from ..sparse.tensor import SparseTensor
from ..values.tensor import Tensor

HOMES: dict[str, str]

{definitions}"""


def _entry(name: str, op: Op) -> str:
    rest = [_attribute(attribute, default) for attribute, default in op.attributes.items()] + [
        "name: str | None = None"
    ]
    doc = _docstring(inspect.getdoc(op.public))
    if op.outputs != 1:
        results = f"tuple[{', '.join(['Tensor'] * op.outputs)}]" if op.outputs else "list[Tensor]"
        return _definition(name, [*_operands(op, "TensorLike"), *rest], results, doc)
    forms = list(_forms(op))
    if len(forms) == 1:
        operands, result = forms[0]
        return _definition(name, [*operands, *rest], result, doc)
    # (The most general form takes the others' operands too; a checker takes the first form that fits.)
    texts = [_definition(name, [*operands, *rest], result, "    ...") for operands, result in forms]
    texts[0] = _definition(name, [*forms[0][0], *rest], forms[0][1], doc)
    marked = [
        text if " -> Any:" in text else text.replace(":\n", ":  # type: ignore[overload-overlap]\n", 1)
        for text in texts[:-1]
    ]
    return "".join(f"@overload\n{text}" for text in (*marked, texts[-1]))


def _forms(op: Op) -> Iterator[tuple[list[str], str]]:
    """What the op gives for which kinds of operands."""
    if op.name.startswith("reduce_"):
        yield _operands(op, "RaggedTensor"), "Any"  # a tensor where the ragged axis is reduced
        yield _operands(op, "TensorLike"), "Tensor"
        return
    by_element = op.broadcasts or op.name in ("identity", "stop_gradient")
    if not by_element or len(op.arguments) > 2:
        yield _operands(op, "TensorLike"), "Tensor"
        return
    if len(op.arguments) == 2:
        first, second = op.arguments
        yield [f"{first}: RaggedTensor", f"{second}: RaggedTensor | DenseLike"], "RaggedTensor"
        yield [f"{first}: DenseLike", f"{second}: RaggedTensor"], "RaggedTensor"
    else:
        yield _operands(op, "RaggedTensor"), "RaggedTensor"
        if op.name in ON_VALUES:
            yield _operands(op, "SparseTensor"), "SparseTensor"
    yield _operands(op, "TensorLike"), "Tensor"


def _operands(op: Op, kind: str) -> list[str]:
    assert not op.variadic
    return [f"{argument}: {kind}{' = ...' if argument in op.optional else ''}" for argument in op.arguments]


def _attribute(name: str, default: object) -> str:
    if default is REQUIRED:
        return f"{name}: {PARAMETERS[name]}"
    return f"{name}: {PARAMETERS.get(name, type(default).__name__)} = {default!r}"


# --- NumPy's names -----------------------------------------------------------------------------------------------------


def _of_numpy() -> str:
    module = gradtape.numpy
    imports, definitions, values = [], [], []
    for name in dir(module):
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            imports.append(f"from . import {name} as {name}")
        elif isinstance(value, type) and value.__module__ == "numpy":
            imports.append(_imported("numpy", name if getattr(numpy, name, None) is value else value.__name__, name))
        elif isinstance(value, (int, float)) or value is None:
            values.append(f"{name}: {'None' if value is None else type(value).__name__}")
        elif (home := _defined_in(value, name)) is not None:
            imports.append(_imported(home, getattr(value, "__name__", name), name))
        else:
            definitions.append(_function(name, value))
    return "\n".join(
        [
            WRITTEN,
            "from ..base.types import AxisLike, DTypeLike, TensorLike",
            "from ..values.tensor import Tensor",
            *sorted(imports),
            "",
            *values,
            "",
            *definitions,
        ]
    )


def _imported(module: str, there: str, name: str) -> str:
    """The import of a public name. Checkers take `as` for public only where the name stays the same."""
    line = f"from {module} import {there} as {there}"
    return line if there == name else f"{line}\n{name} = {there}"


def _defined_in(value: Any, name: str) -> str | None:
    """Where a type checker finds the function: the file in which it stands as `def`."""
    package, module = gradtape.numpy.__name__, getattr(value, "__module__", "") or ""
    known = inspect.getattr_static(inspect.getmodule(value), getattr(value, "__name__", name), None)
    if module == "numpy" and known is not None:
        return "numpy"
    if not module.startswith("gradtape") or "<locals>" in inspect.unwrap(value).__qualname__ or hasattr(value, "op"):
        return None
    if known is None:
        return None
    return module.removeprefix(package) or "." if module.startswith(package) else "." + module.removeprefix("gradtape")


def _function(name: str, value: Any) -> str:
    parameters = []
    for parameter in inspect.signature(value).parameters.values():
        kind = PARAMETERS.get(parameter.name, "TensorLike")
        if parameter.default is not parameter.empty and parameter.name not in PARAMETERS:
            kind = "bool" if isinstance(parameter.default, bool) else "TensorLike | None"
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else " = ..."
        parameters.append(f"{star}{parameter.name}: {kind}{default}")
    op = getattr(value, "op", None)
    several = isinstance(op, Op) and op.outputs != 1
    several = several or name in ("divmod", "modf", "frexp")
    return _definition(
        name, parameters, "tuple[Tensor, Tensor]" if several else "Tensor", _docstring(inspect.getdoc(value))
    )


# --- tables of names --------------------------------------------------------------------------------------------------


def _of_raw_ops() -> str:
    """Functions whose arguments have names alone."""
    definitions = []
    for name in dir(gradtape.raw_ops):
        parameters = [
            f"{parameter.name}: typing.Any{'' if parameter.default is parameter.empty else ' = ...'}"
            for parameter in inspect.signature(getattr(gradtape.raw_ops, name)).parameters.values()
            if parameter.kind is not parameter.VAR_KEYWORD and parameter.name.isidentifier()
        ]
        given = f"*, {', '.join(parameters)}" if parameters else ""
        definitions.append(f"def {name}({given}) -> typing.Any: ...")
    return "\n".join([WRITTEN, "import typing", "", *definitions, ""])


def _of_version_1() -> str:
    """Names that mean the same in both versions are those of TensorFlow 2."""
    module, imports, values = gradtape.compat.v1, [], []
    for name in dir(module):
        try:
            value = getattr(module, name)
        except ImportError:  # messages of a package that need not be installed
            value = None
        if type(value) is ModuleType and value.__name__.startswith(module.__name__):
            imports.append(f"from . import {name} as {name}")
        elif name in PLACES or name in MODULES.split():
            place, _, last = PLACES.get(name, name).rpartition(".")
            imports.append(f"from ...{place} import {last} as {name}")
        elif getattr(value, "__module__", "") in _DEFINING and not isinstance(value, SimpleNamespace):
            imports.append(f"from .{value.__module__.rpartition('.')[2]} import {value.__name__} as {name}")
        else:
            values.append(f"{name}: Any")
    return "\n".join([WRITTEN, "from typing import Any", "", *sorted(imports), "", *values, ""])


_DEFINING = tuple(
    f"gradtape.compat.v1.{name}" for name in ("earlier", "functions", "graph_keys", "initial_values", "variables")
)


# --- text --------------------------------------------------------------------------------------------------------------


def _definition(name: str, parameters: list[str], result: str, doc: str) -> str:
    one_line = f"def {name}({', '.join(parameters)}) -> {result}:"
    return f"{one_line}\n{doc}\n"


def _docstring(text: str | None) -> str:
    assert text
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    end = "\n" if "\n" in escaped else ""
    return textwrap.indent(f'"""{escaped}{end}"""', "    ")


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")
