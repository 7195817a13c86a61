"""From a Python function to one whose statements are calls of the operators (`operators.py`): the work of diastatic-malt.

malt rewrites trees: `break`, `continue` and `return` become flags, blocks become functions, calls go through
`converted_call`. Here are the order of its passes, the two that are our own (asserts with any message, appending to
lists), and what is done with the result: it is compiled with the positions of the original, straight from the tree.
(malt's own loader writes a file for each function and keeps it in `sys.modules`.)
"""

from __future__ import annotations

import ast
import itertools
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any

from malt.converters import (
    break_statements,
    call_trees,
    conditional_expressions,
    continue_statements,
    control_flow,
    directives,
    functions,
    logical_expressions,
    return_statements,
    variables,
)
from malt.core import converter
from malt.lang import directives as malt_directives
from malt.pyct import anno, cfg, inspect_utils, naming, qual_names, templates, transformer
from malt.pyct.static_analysis import activity, liveness, reaching_definitions, reaching_fndefs
from malt.pyct.static_analysis.annos import NodeAnno

from . import experimental
from .source import FUTURE_FLAGS, ConversionError, definition

Position = tuple[int, int, int, int]  # line, end line, column, end column


@dataclass(frozen=True)
class Conversion:
    """The result for one code object; functions that share the code share it."""

    factory: CodeType
    name: str
    tree: ast.AST

    def instantiate(self, fn: FunctionType, operators: Any) -> FunctionType:
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


# By code object and file (code objects of two files can be equal); a text is the reason why there is none.
_conversions: weakref.WeakKeyDictionary[CodeType, dict[str, Conversion | str]] = weakref.WeakKeyDictionary()
_lock = threading.RLock()
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
                _conversions[fn.__code__][filename] = found
    if isinstance(found, str):
        raise ConversionError(found, unexpected=found.startswith(_UNEXPECTED))
    return found


def _convert(fn: FunctionType) -> Conversion:
    node = definition(fn)
    _Unsupported().visit(node)
    _Demangle(fn.__code__.co_qualname).visit(node)
    namespace = inspect_utils.getnamespace(fn)
    _Simplify({*namespace, *_names(node)}).visit(node)
    _mark_origins(node)
    _erase_defaults(node.args)

    namer = naming.Namer({**namespace, **dict.fromkeys(_names(node))})
    is_lambda = isinstance(node, ast.Lambda)
    name = namer.new_symbol("converted_lambda" if is_lambda else fn.__code__.co_name, ())
    info = transformer.EntityInfo(name, "", fn.__code__.co_filename, (), namespace)
    context = transformer.Context(info, namer, converter.ProgramContext(converter.STANDARD_OPTIONS))
    node = _rewrite(node, context)

    if isinstance(node, ast.Lambda):
        statement: ast.stmt = ast.Assign([ast.Name(name, ast.Store())], node)
    else:
        node.name = name
        node.returns = None  # annotations stay with the original
        statement = node
    names = [*fn.__code__.co_freevars]
    module = _in_factory(statement, name, names)
    _place(module, _origin(node) or (fn.__code__.co_firstlineno,) * 2 + (0, 0))
    flags = fn.__code__.co_flags & FUTURE_FLAGS
    code = compile(module, fn.__code__.co_filename, "exec", flags=flags, dont_inherit=True)
    generated = {*namer.generated_names, "create", "scope"}
    return Conversion(_factory_code(_renamed(code, fn.__code__, generated)), name, statement)


def _rewrite(node: Any, context: Any) -> Any:
    """malt's passes, in the order that they need; what a function has not is not looked for."""
    kinds = {part.__class__ for part in ast.walk(node)}
    blocks = kinds & {ast.If, ast.For, ast.While}
    writes = _nonlocal_writes(node) if ast.Nonlocal in kinds else {}
    if blocks:
        graphs = cfg.build(node)
        node = qual_names.resolve(node)
        node = activity.resolve(node, context, None)
        node = reaching_definitions.resolve(node, context, graphs)
        anno.dup(node, {anno.Static.DEFINITIONS: anno.Static.ORIG_DEFINITIONS})
    node = functions.transform(node, context)
    node = _Directives(context).visit(node)
    if ast.Assert in kinds:
        node = _Asserts(context).visit(node)
    if blocks:
        if ast.Break in kinds:
            node = break_statements.transform(node, context)
        if kinds & {ast.Break, ast.Continue}:  # a break is a flag and a continue by now
            node = continue_statements.transform(node, context)
        node = return_statements.transform(node, context)
        node = activity.resolve(qual_names.resolve(node), context, None)
        node = _Lists(context).visit(node)
    node = _Calls(context).visit(qual_names.resolve(node))
    if blocks:
        graphs = cfg.build(node)
        node = activity.resolve(qual_names.resolve(node), context, None)
        node = reaching_definitions.resolve(node, context, graphs)
        node = reaching_fndefs.resolve(node, context, graphs)
        node = liveness.resolve(node, context, graphs)
        node = _ControlFlow(context, writes).visit(node)
    node = _ConditionalExpressions(context).visit(node)
    node = _LogicalExpressions(context).visit(node)
    return _Variables(context).visit(node) if blocks else node


def _nonlocal_writes(node: ast.AST) -> dict[str, set[str]]:
    """The names of outer functions that local functions change, by the name of the function."""
    return {
        function.name: {name for part in ast.walk(function) if isinstance(part, ast.Nonlocal) for name in part.names}
        for function in ast.walk(node)
        if isinstance(function, ast.FunctionDef)
    }


# --- before ----------------------------------------------------------------------------------------------------------


class _Unsupported(ast.NodeVisitor):
    """Raises at the first thing that malt would convert to something else than Python means."""

    def _refuse(self, node: ast.AST, what: str) -> None:
        raise ConversionError(f"line {getattr(node, 'lineno', '?')}: {what}")

    def visit_Yield(self, node: ast.AST) -> None:
        self._refuse(node, "generators are not converted")

    visit_YieldFrom = visit_Yield

    def visit_Await(self, node: ast.AST) -> None:
        self._refuse(node, "coroutines are not converted")

    visit_AsyncFor = visit_AsyncWith = visit_AsyncFunctionDef = visit_Await

    def visit_Match(self, node: ast.AST) -> None:
        self._refuse(node, "the match statement is not converted: write it with if and elif")

    def visit_ClassDef(self, node: ast.AST) -> None:
        self._refuse(node, "a class defined inside a function is not converted: define it outside")

    def visit_TryStar(self, node: ast.AST) -> None:
        self._refuse(node, "except* is not converted")

    def visit_While(self, node: ast.While) -> None:
        self._refuse_bindings(node.test)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.expr) -> None:
        self._refuse_bindings(node)
        self.generic_visit(node)

    visit_IfExp = visit_BoolOp

    def _refuse_bindings(self, node: ast.expr) -> None:
        """What is assigned inside an expression that becomes a function of its own would not be seen outside."""
        for part in ast.walk(node):
            if isinstance(part, ast.NamedExpr):
                self._refuse(part, ":= in a condition is not converted: assign in a statement before it")


class _Demangle(ast.NodeTransformer):
    """Writes `self.__x` as the name that it has outside its class."""

    def __init__(self, qualname: str) -> None:
        self.owner = ""
        for part in reversed(qualname.split(".<locals>.")):
            if "." in part:
                self.owner = part.split(".")[-2].lstrip("_")
                break

    def _name(self, name: str) -> str:
        mangled = self.owner and name.startswith("__") and not name.endswith("__")
        return f"_{self.owner}{name}" if mangled else name

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = self._name(node.attr)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._name(node.id)
        return node


class _Simplify(ast.NodeTransformer):
    """Writes what malt 2.15.3 does not take, or takes for something else, in simpler statements.

    The else of a loop and of a try become an `if` with a flag; the name of an exception is assigned in the handler.
    """

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.loops: list[str | None] = []  # the flag that `break` sets, for each loop around

    def _flag(self, name: str) -> str:
        flag = next(f"{name}_{n}" for n in itertools.count() if f"{name}_{n}" not in self.taken)
        self.taken.add(flag)
        return flag

    def visit_For(self, node: ast.For | ast.While) -> Any:
        flag = self._flag("broke") if node.orelse else None
        self.loops.append(flag)
        node.body = self._visited(node.body)
        self.loops.pop()
        orelse, node.orelse = self._visited(node.orelse), []
        if flag is None:
            return node
        check = _statements(f"if not {flag}: pass", node)
        check[0].body = orelse  # type: ignore[attr-defined]
        return [*_statements(f"{flag} = False", node), node, *check]

    visit_While = visit_For

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        outer, self.loops = self.loops, []
        self.generic_visit(node)
        self.loops = outer
        return node

    def visit_Break(self, node: ast.Break) -> Any:
        flag = self.loops[-1]
        return node if flag is None else [*_statements(f"{flag} = True", node), node]

    def visit_Try(self, node: ast.Try) -> Any:
        self.generic_visit(node)
        if not node.orelse:
            return node
        flag = self._flag("completed")
        check = _statements(f"if {flag}: pass", node)
        check[0].body, node.orelse = node.orelse, []  # type: ignore[attr-defined]
        node.body = [*node.body, *_statements(f"{flag} = True", node)]
        finalbody, node.finalbody = node.finalbody, []
        block = [*_statements(f"{flag} = False", node), node, *check]
        if not finalbody:
            return block
        return ast.copy_location(ast.Try(block, [], [], finalbody), node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        self.generic_visit(node)
        if node.name is None:
            return node
        name, node.name = node.name, None
        block = _statements(f"{name} = ag__.caught()\ntry: pass\nfinally: del {name}", node)
        block[1].body, node.body = node.body, block  # type: ignore[attr-defined]
        return node

    def _visited(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return self.generic_visit(ast.Module(statements, [])).body  # type: ignore[attr-defined, no-any-return]


def _statements(text: str, at: ast.AST) -> list[ast.stmt]:
    statements = ast.parse(text).body
    for statement in statements:
        for part in ast.walk(statement):
            ast.copy_location(part, at)
    return statements


def _mark_origins(node: ast.AST) -> None:
    for part in ast.walk(node):
        if hasattr(part, "lineno"):
            line, end_line, column, end_column = part.lineno, part.end_lineno, part.col_offset, part.end_col_offset  # type: ignore[attr-defined]
            if hasattr(part, "body") and end_line != line:  # of a block, what is before the colon
                end_line, end_column = line, column + 1
            anno.setanno(part, anno.Basic.ORIGIN, (line, end_line, column, end_column))


def _origin(node: ast.AST) -> Position | None:
    return anno.getanno(node, anno.Basic.ORIGIN, default=None)  # type: ignore[no-any-return]


def _erase_defaults(arguments: ast.arguments) -> None:
    """The values are taken from the original function; the expressions must not run again."""
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [value and ast.Constant(None) for value in arguments.kw_defaults]
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None


def _names(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.arg):
            yield part.arg


# --- passes ----------------------------------------------------------------------------------------------------------


class _KeepsOrigin(transformer.Base):  # type: ignore[misc]
    """Lets what replaces a node stand where the node stood."""

    def visit(self, node: Any) -> Any:
        origin = _origin(node)
        result = super().visit(node)
        if origin is not None:
            for part in result if isinstance(result, (list, tuple)) else (result,):
                if isinstance(part, ast.AST) and _origin(part) is None:
                    anno.setanno(part, anno.Basic.ORIGIN, origin)
        return result


class _Calls(_KeepsOrigin, call_trees.CallTreeTransformer):  # type: ignore[misc]
    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "print":
            # malt leaves print alone unless a feature is asked for.
            context = self.state[call_trees._Function].context_name
            node = self.generic_visit(node)
            return templates.replace_as_expression(
                "ag__.converted_call(func, args, kwargs, scope)",
                func=node.func,
                args=self._args_to_tuple(node),
                kwargs=self._kwargs_to_dict(node),
                scope=context,
            )
        return super().visit_Call(node)


class _ControlFlow(control_flow.ControlFlowTransformer):  # type: ignore[misc]
    """Blocks as functions. What may not be there yet, like `self.x`, is not given a stand-in: it is deleted instead."""

    def __init__(self, context: Any, writes: dict[str, set[str]]) -> None:
        super().__init__(context)
        self.writes = writes

    def _get_block_vars(self, node: Any, modified: Any) -> tuple[list[Any], Any, int]:
        """As malt's, with what called local functions change, and names of outer functions as results of the block."""
        called = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} & self.writes.keys()
        changed = {qual_names.QN(name) for function in called for name in self.writes[function]}
        scope = self.state[control_flow._Function].scope
        outer = scope.nonlocals | scope.globals
        names, undefined, count = super()._get_block_vars(node, modified | (changed & (scope.bound | outer)))
        results = [name for place, name in enumerate(names) if place < count or name in outer]
        return [*results, *(name for name in names if name not in results)], undefined, len(results)

    def _get_block_basic_vars(self, modified: Any, live_in: Any, live_out: Any) -> Any:
        outer = self.state[control_flow._Function].scope.globals
        return super()._get_block_basic_vars(modified, live_in, live_out | outer)

    def _create_state_functions(
        self, block_vars: Any, nonlocal_declarations: Any, getter_name: str, setter_name: str
    ) -> Any:
        functions = super()._create_state_functions(block_vars, nonlocal_declarations, getter_name, setter_name)
        if not any(name.is_composite() for name in block_vars):
            return functions
        setter = functions[-1]
        del setter.body[-1]  # the assignment of all
        for place, name in enumerate(block_vars):
            text = "name = vars_[place]"
            if name.is_composite():
                text = """
                if ag__.is_undefined(vars_[place]):
                  try:
                    del name
                  except (AttributeError, KeyError, IndexError):
                    pass
                else:
                  name = vars_[place]
                """
            setter.body += templates.replace(text, name=name, place=ast.Constant(place))
        return functions


class _ConditionalExpressions(_KeepsOrigin, conditional_expressions.ConditionalExpressionTransformer):  # type: ignore[misc]
    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return super().visit_IfExp(self.generic_visit(node))


class _LogicalExpressions(_KeepsOrigin, logical_expressions.LogicalExpressionTransformer):  # type: ignore[misc]
    pass


class _Variables(_KeepsOrigin, variables.VariableAccessTransformer):  # type: ignore[misc]
    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        node.target.ctx = ast.Store()  # malt's templates turn it into a name that is read
        node.value = self.visit(node.value)
        return node


class _Directives(_KeepsOrigin, directives.DirectivesTransformer):  # type: ignore[misc]
    """Reads `set_loop_options` and `set_element_type`, and takes them out of the code."""

    def visit_Expr(self, node: ast.Expr) -> Any:
        self.state[directives._LoopScope].statements_visited += 1
        node = self.generic_visit(node)
        call = node.value
        if not isinstance(call, ast.Call):
            return node
        function = anno.getanno(call.func, directives.STATIC_VALUE, default=None)
        if function is experimental.set_loop_options:
            self._process_statement_directive(call, malt_directives.set_loop_options)
            return None
        if function is experimental.set_element_type:
            return None  # the type of a list is found where something is appended
        return node


class _Asserts(_KeepsOrigin, converter.Base):  # type: ignore[misc]
    def visit_Assert(self, node: ast.Assert) -> Any:
        node = self.generic_visit(node)
        return templates.replace(
            "ag__.assert_stmt(test, lambda: message, text)",
            test=node.test,
            message=node.msg or ast.Constant(None),
            text=ast.Constant(ast.unparse(node.test)),
        )


class _Lists(_KeepsOrigin, converter.Base):  # type: ignore[misc]
    """Lets `items.append(x)` assign to `items`, so that a loop carries the list along.

    Only where `items` is a local name: an assignment would make any other name a local one.
    """

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        outer = getattr(self, "_scope", None)
        self._scope = anno.getanno(node, NodeAnno.BODY_SCOPE)
        node = self.generic_visit(node)
        self._scope = outer
        return node

    def visit_Expr(self, node: ast.Expr) -> Any:
        call = node.value
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in ("append", "extend")
            and isinstance(call.func.value, ast.Name)
            and len(call.args) == 1
            and not call.keywords
            and not isinstance(call.args[0], ast.Starred)
            and self._is_local(call.func.value.id)
        ):
            return templates.replace(
                f"target = ag__.list_{call.func.attr}(ag__.ld(target), element)",
                target=call.func.value.id,
                element=call.args[0],
            )
        return node

    def _is_local(self, name: str) -> bool:
        scope = getattr(self, "_scope", None)
        if scope is None:
            return False
        symbol = qual_names.QN(name)
        return symbol in scope.bound and symbol not in scope.globals and symbol not in scope.nonlocals


# --- after -----------------------------------------------------------------------------------------------------------


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
    """Give each node its position in the user's file; what has none stands where its first part or its parent does."""
    position = _origin(node) or _first_origin(node) or position
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
            origin = _origin(part)
            if origin is not None:
                return origin
    return None


def _renamed(code: CodeType, original: CodeType, generated: set[str]) -> CodeType:
    """Helpers that were made from the blocks of a function carry its name in tracebacks."""

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
