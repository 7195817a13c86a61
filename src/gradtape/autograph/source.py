"""The source of a function as a syntax tree, with the positions it has in its file.

Positions are absolute, so what is compiled from the tree carries the user's file and lines: tracebacks, debuggers and the
records of tapes name the user's code without any table that maps lines.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import inspect
import linecache
import tokenize
from types import CodeType, FunctionType
from typing import Any

FUTURE_FLAGS = functools.reduce(
    lambda flags, name: flags | getattr(__future__, name).compiler_flag, __future__.all_feature_names, 0
)


class ConversionError(Exception):
    """A function cannot be converted; the message says why."""

    def __init__(self, message: str, unexpected: bool = False) -> None:
        super().__init__(message)
        self.unexpected = unexpected


def definition(fn: FunctionType) -> ast.FunctionDef | ast.Lambda:
    """The tree of `fn`, a copy that the caller may change."""
    code = fn.__code__
    linecache.checkcache(code.co_filename)
    # Code from exec and eval has the file name "<string>"; since Python 3.13 so has that of `python -c`, with source lines.
    lines = linecache.getlines(code.co_filename, fn.__globals__) if code.co_filename != "<string>" else []
    if not lines:
        raise ConversionError(
            f"the source of {code.co_qualname} ({code.co_filename}) cannot be read: functions made by exec, or typed into a "
            "plain Python prompt, have none. Put the function into a file."
        )
    if code.co_name == "<lambda>":
        return _lambda(code, "".join(lines))
    node = _function(code, lines)
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name or not _same_parameters(node.args, code):
        raise ConversionError(
            f"line {code.co_firstlineno} of {code.co_filename} is not the definition of {code.co_qualname} any more: the file "
            "has changed since it was imported."
        )
    return node


def _function(code: CodeType, lines: list[str]) -> ast.stmt | None:
    first = code.co_firstlineno
    try:
        block = inspect.getblock(lines[first - 1 :])
        indented = block[0][:1].isspace()
        # A line before an indented definition makes it valid without changing its columns and strings.
        tree = ast.parse("".join(["if 1:\n", *block] if indented else block))
    except (SyntaxError, IndexError, tokenize.TokenError):
        return None
    node = tree.body[0]
    if indented:
        assert isinstance(node, ast.If)
        node = node.body[0]
    ast.increment_lineno(node, first - 2 if indented else first - 1)
    return node


@functools.lru_cache(maxsize=2)
def _lambdas(source: str) -> dict[int, list[ast.Lambda]]:
    """All lambdas of a file by the line where they begin."""
    found: dict[int, list[ast.Lambda]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def _lambda(code: CodeType, source: str) -> ast.Lambda:
    try:
        candidates = _lambdas(source).get(code.co_firstlineno, [])
    except SyntaxError:
        candidates = []
    candidates = [node for node in candidates if _same_parameters(node.args, code)]
    if len(candidates) > 1:
        made = [(node, _code_of(node, code)) for node in candidates]
        candidates = [node for node, own in made if own == code] or [node for node, own in made if _lies_at(own, code)]
    if not candidates:
        raise ConversionError(
            f"line {code.co_firstlineno} of {code.co_filename} has no such lambda: the file has changed since it was "
            "imported, or the lambda was made by exec or eval."
        )
    return copy.deepcopy(candidates[0])


def _code_of(node: ast.Lambda, like: CodeType) -> CodeType:
    """The code that the interpreter compiles from a lambda, with the same free variables as `like`.

    The positions of instructions differ between versions of Python, and some have none. So the lambdas of a line are
    told apart by compiling each with the running interpreter.
    """
    around = [ast.arg(name, lineno=node.lineno, col_offset=0) for name in like.co_freevars]
    arguments = ast.arguments(posonlyargs=[], args=around, kwonlyargs=[], kw_defaults=[], defaults=[])
    whole = ast.Expression(ast.copy_location(ast.Lambda(arguments, node), node))
    flags = like.co_flags & FUTURE_FLAGS
    (outer,) = _codes_in(compile(ast.fix_missing_locations(whole), like.co_filename, "eval", flags, dont_inherit=True))
    own = _codes_in(outer)[-1]  # (the codes of its default values come before it)
    return own.replace(
        co_flags=like.co_flags, co_qualname=like.co_qualname
    )  # (only one of them may be nested in a function)


def _codes_in(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _lies_at(own: CodeType, code: CodeType) -> bool:
    """Whether two code objects have the same positions. (Names may differ: private names of a class are mangled in the code.)"""
    return bool(_places(own)) and _places(own) == _places(code)


def _places(code: CodeType) -> set[Any]:
    return {place for place in code.co_positions() if None not in place}


def _same_parameters(arguments: ast.arguments, code: CodeType) -> bool:
    names = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]
    names += [argument.arg for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return tuple(names) == code.co_varnames[:count]
