"""malt's passes over the tree of a function, in the order that they need, and those that are our own."""

from __future__ import annotations

import ast
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
from malt.pyct import anno, cfg, qual_names, templates, transformer
from malt.pyct.static_analysis import activity, liveness, reaching_definitions, reaching_fndefs
from malt.pyct.static_analysis.annos import NodeAnno

from . import experimental

Position = tuple[int, int, int, int]  # line, end line, column, end column

SIGNS = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def rewrite(node: Any, context: object) -> Any:
    """Turn the statements of a function into calls of operators; passes that a function does not need are skipped."""
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
        if kinds & {ast.Break, ast.Continue}:  # the pass before has turned each break into a flag and a continue
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


def mark_origins(node: ast.AST) -> None:
    """Let each node remember where it stands in the user's file; malt carries that along."""
    for part in ast.walk(node):
        if hasattr(part, "lineno"):
            line, end_line, column, end_column = part.lineno, part.end_lineno, part.col_offset, part.end_col_offset  # type: ignore[attr-defined]
            if hasattr(part, "body") and end_line != line:  # for a block, the part before the colon
                end_line, end_column = line, column + 1
            anno.setanno(part, anno.Basic.ORIGIN, (line, end_line, column, end_column))


def origin_of(node: ast.AST) -> Position | None:
    """Where a node, or what it replaces, stands in the user's file."""
    return anno.getanno(node, anno.Basic.ORIGIN, default=None)


class _KeepsOrigin(transformer.Base):  # type: ignore[misc]
    """Gives the replacement of a node the position of the node."""

    def visit(self, node: Any) -> Any:
        origin = origin_of(node)
        result = super().visit(node)
        if origin is not None:
            for part in result if isinstance(result, (list, tuple)) else (result,):
                if isinstance(part, ast.AST) and origin_of(part) is None:
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
    """Turns blocks into functions. An undefined attribute or item, like `self.x`, gets no placeholder; it is deleted instead."""

    def __init__(self, context: object, writes: dict[str, set[str]]) -> None:
        super().__init__(context)
        self.writes = writes

    def _get_block_vars(self, node: Any, modified: Any) -> tuple[list[Any], Any, int]:
        """As in malt, with the names that called local functions change, and nonlocal names among the results of the block."""
        called = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} & self.writes.keys()
        changed = {qual_names.QN(name) for function in called for name in self.writes[function]}
        scope = self.state[control_flow._Function].scope
        outer = scope.nonlocals | scope.globals
        names, undefined, count = super()._get_block_vars(node, modified | (changed & (scope.bound | outer)))
        results = [name for place, name in enumerate(names) if place < count or name in outer]
        return [*results, *(name for name in names if name not in results)], undefined, len(results)

    def _get_block_basic_vars(self, modified: object, live_in: object, live_out: object) -> Any:
        outer = self.state[control_flow._Function].scope.globals
        return super()._get_block_basic_vars(modified, live_in, live_out | outer)

    def _create_state_functions(
        self, block_vars: Any, nonlocal_declarations: object, getter_name: str, setter_name: str
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
    def visit_Compare(self, node: ast.Compare) -> Any:
        """`a < b < c` computes `b` once; malt would write it twice."""
        if len(node.ops) == 1:
            return super().visit_Compare(node)
        node = self.generic_visit(node)
        links = [
            templates.replace_as_expression("(sign, lambda: operand)", sign=ast.Constant(sign), operand=operand)
            for sign, operand in zip([SIGNS[type(op)] for op in node.ops], node.comparators, strict=True)
        ]
        call = templates.replace_as_expression("ag__.compare(left)", left=node.left)
        call.args += links
        return call


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
