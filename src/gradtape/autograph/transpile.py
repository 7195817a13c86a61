"""From a Python function to one whose statements are calls of the operators (`calls.OPERATORS`), with diastatic-malt.

malt rewrites trees: `break`, `continue` and `return` become flags, blocks become functions, calls go through
`converted_call` (see `passes`). The result is compiled straight from the tree, with the positions of the original.
(malt's own loader writes a file for each function and keeps it in `sys.modules`.)
"""

from __future__ import annotations

import ast
import weakref
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType

from malt.core import converter
from malt.pyct import inspect_utils, naming, transformer

from ..base.locks import new_rlock
from .passes import Position, mark_origins, origin_of, rewrite
from .source import FUTURE_FLAGS, ConversionError, definition
from .syntax import names_in, prepare


@dataclass(frozen=True)
class Conversion:
    """The result for one code object; functions that share the code share it."""

    factory: CodeType
    name: str
    tree: ast.AST

    def instantiate(self, fn: FunctionType, operators: object) -> FunctionType:
        """The converted function, with the globals, the closure and the defaults of the original."""
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        closure = tuple(cells.get(name) or CellType() for name in self.factory.co_freevars)
        make = FunctionType(self.factory, fn.__globals__, self.name, (), closure)
        converted: FunctionType = make(operators)
        converted.__defaults__ = fn.__defaults__
        converted.__kwdefaults__ = fn.__kwdefaults__
        converted.__name__, converted.__qualname__ = fn.__name__, fn.__qualname__
        converted.__module__, converted.__doc__ = fn.__module__, fn.__doc__
        return converted

    def code(self) -> str:
        """The text that was compiled."""
        return ast.unparse(self.tree)


# By code object and file (code objects of two files can be equal); a string is the reason why the conversion failed.
_conversions: weakref.WeakKeyDictionary[CodeType, dict[str, Conversion | str]] = weakref.WeakKeyDictionary()
_lock = new_rlock()
_ANNOTATIONS = "___pyct_anno"  # the attribute where malt keeps annotations
_UNEXPECTED = "please report this to the gradtape project: "


def conversion_of(fn: FunctionType) -> Conversion:
    """The conversion of a function, made once for each code object, or ConversionError."""
    filename = fn.__code__.co_filename
    found = _conversions.get(fn.__code__, {}).get(filename)
    if found is None:
        with _lock:
            found = _conversions.setdefault(fn.__code__, {}).get(filename)
            if found is None:
                try:
                    found = _convert(fn)
                except ConversionError as error:
                    found = str(error)
                except Exception as error:  # something that malt did not expect
                    found = f"{_UNEXPECTED}{type(error).__name__}: {error}"
                # (The entry may belong to an equal code object, such as that of an earlier notebook cell, and vanish with it.)
                _conversions.setdefault(fn.__code__, {})[filename] = found
    if isinstance(found, str):
        raise ConversionError(found, unexpected=found.startswith(_UNEXPECTED))
    return found


def _convert(fn: FunctionType) -> Conversion:
    code = fn.__code__
    node = definition(fn)
    namespace = inspect_utils.getnamespace(fn)
    prepare(node, code.co_qualname, set(namespace))
    mark_origins(node)

    namer = naming.Namer({**namespace, **dict.fromkeys(names_in(node))})
    name = namer.new_symbol("converted_lambda" if isinstance(node, ast.Lambda) else code.co_name, ())
    info = transformer.EntityInfo(name, "", code.co_filename, (), namespace)
    context = transformer.Context(info, namer, converter.ProgramContext(converter.STANDARD_OPTIONS))
    node = rewrite(node, context)
    for part in ast.walk(node):
        if isinstance(part, ast.NamedExpr):  # malt reads what it binds; Python's compiler trusts it, and crashes
            part.target.ctx = ast.Store()

    if isinstance(node, ast.Lambda):
        statement: ast.stmt = ast.Assign([ast.Name(name, ast.Store())], node)
    else:
        node.name = name
        statement = node
    module = _in_factory(statement, name, [*code.co_freevars])
    _place(module, (code.co_firstlineno, code.co_firstlineno, 0, 0))
    compiled = compile(module, code.co_filename, "exec", flags=code.co_flags & FUTURE_FLAGS, dont_inherit=True)
    generated = {*namer.generated_names, "create", "scope"}
    for part in ast.walk(statement):  # malt's annotations may keep the values of names alive
        part.__dict__.pop(_ANNOTATIONS, None)
    return Conversion(_factory_code(_renamed(compiled, code, generated)), name, statement)


def _in_factory(statement: ast.stmt, name: str, closure: list[str]) -> ast.Module:
    """A module with the function in a scope that has its free names, and takes the operators as `ag__`."""
    free = [ast.Assign([ast.Name(free, ast.Store())], ast.Constant(None)) for free in closure]
    create = ast.parse("def create(ag__): pass").body[0]
    assert isinstance(create, ast.FunctionDef)
    create.body = [statement, ast.Return(ast.Name(name, ast.Load()))]
    scope = ast.parse("def scope(): pass").body[0]
    assert isinstance(scope, ast.FunctionDef)
    scope.body = [*free, create, ast.Return(ast.Name("create", ast.Load()))]
    return ast.Module([scope], [])


def _place(node: ast.AST, position: Position) -> None:
    """Give each node its position in the user's file; a node without one takes that of its first child or its parent."""
    position = origin_of(node) or _first_origin(node) or position
    line, end_line, column, end_column = position
    if "lineno" in node._attributes:
        node.lineno, node.end_lineno = line, end_line  # type: ignore[attr-defined]
        node.col_offset, node.end_col_offset = column, end_column  # type: ignore[attr-defined]
    if line != end_line:  # in a call over several lines, Python would look for the name of a method at the end
        position = line, line, column, column + 1
    for field, value in ast.iter_fields(node):
        if isinstance(value, tuple):  # malt has some where Python wants lists
            setattr(node, field, list(value))
    for child in ast.iter_child_nodes(node):
        _place(child, position)


def _first_origin(node: ast.AST) -> Position | None:
    if isinstance(node, ast.stmt):
        for part in ast.walk(node):
            origin = origin_of(part)
            if origin is not None:
                return origin
    return None


def _renamed(code: CodeType, original: CodeType, generated: set[str]) -> CodeType:
    """Rename the helper functions made from the blocks of a function, so that tracebacks show its name."""

    def rename(code: CodeType, name: str, qualname: str) -> CodeType:
        if code.co_name not in generated:
            if code.co_name not in ("<lambda>", "<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>"):
                name, qualname = code.co_name, f"{qualname}.<locals>.{code.co_name}"
            shown, shown_qualname = code.co_name, f"{qualname}.<locals>.{code.co_name}"
        else:
            shown, shown_qualname = name, qualname
        constants = tuple(
            rename(constant, name, qualname) if isinstance(constant, CodeType) else constant
            for constant in code.co_consts
        )
        return code.replace(co_name=shown, co_qualname=shown_qualname, co_consts=constants)

    constants = tuple(
        rename(constant, original.co_name, original.co_qualname) if isinstance(constant, CodeType) else constant
        for constant in code.co_consts
    )
    return code.replace(co_consts=constants)


def _factory_code(module: CodeType) -> CodeType:
    """The code of `create`: it is a constant of the code of `scope`, which is one of the module's."""
    for _ in range(2):
        module = next(constant for constant in module.co_consts if isinstance(constant, CodeType))
    return module
