"""Cases from the call lists in `calls/`: the public functions as people write them, composites included.

A line is an expression. Draws in it become inputs: `N(2, 3)` any numbers, `P(2, 3)` positive ones, `U(2, 3)` between -1
and 1, all in the type of the case, which is also called `D`; `I(5, 2, 3)` int32 below 5, `L(5, 3)` int64 below 5,
`B(3)` truth values, `F(3)` float32, `SPD(3, 3)` positive definite and `M(3, 3)` well conditioned matrices. A line in
brackets names the types of the lines after it. `#` starts a comment.
"""

from __future__ import annotations

import ast
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401  (makes np.dtype("bfloat16") known)
import numpy as np

from .case import MODES, SECOND, Case

FOLDER = Path(__file__).parent / "calls"


class Draws:
    """The draws of one call in one type."""

    def __init__(self, seed: int, dtype: np.dtype[Any]) -> None:
        self.rng = np.random.default_rng(seed)
        self.dtype = dtype

    def uniform(self, low: float, high: float, *shape: int) -> Any:
        """Numbers of the case's type."""
        values = self.rng.uniform(low, high, shape)
        if self.dtype.kind == "b":
            return np.asarray(values > (low + high) / 2)
        if self.dtype.kind in "iu":
            return np.asarray(np.round(3 * values)).astype(self.dtype)
        if self.dtype.kind == "c":
            values = values + 1j * self.rng.uniform(low, high, shape)
        return np.asarray(values).astype(self.dtype)

    def matrix(self, definite: bool, *shape: int) -> Any:
        """Matrices that can be inverted: the identity is added."""
        values = self.uniform(-1.0, 1.0, *shape)
        wide = values.astype(np.complex128 if self.dtype.kind == "c" else np.float64)
        result = wide @ np.conj(np.swapaxes(wide, -1, -2)) if definite else wide
        return (result + (1 if definite else 2) * np.eye(shape[-2], shape[-1])).astype(self.dtype)

    def integers(self, dtype: Any, high: int, *shape: int) -> Any:
        return np.asarray(self.rng.integers(0, high, shape)).astype(dtype)

    def drawers(self) -> dict[str, Callable[..., Any]]:
        return {
            "N": lambda *shape: self.uniform(-2.0, 2.0, *shape),
            "P": lambda *shape: self.uniform(0.3, 2.0, *shape),
            "U": lambda *shape: self.uniform(-0.9, 0.9, *shape),
            "F": lambda *shape: self.rng.uniform(-2.0, 2.0, shape).astype(np.float32),
            "B": lambda *shape: np.asarray(self.rng.random(shape) < 0.5),
            "I": lambda high, *shape: self.integers(np.int32, high, *shape),
            "L": lambda high, *shape: self.integers(np.int64, high, *shape),
            "SPD": lambda *shape: self.matrix(True, *shape),
            "M": lambda *shape: self.matrix(False, *shape),
        }


class _Naming(ast.NodeTransformer):
    """Replaces draws by names, and notes what was drawn."""

    def __init__(self, draws: Draws) -> None:
        self.drawers = draws.drawers()
        self.dtype = draws.dtype
        self.inputs: dict[str, Any] = {}

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id in self.drawers:
            arguments = [ast.literal_eval(a) for a in node.args]
            name = "abcdefghij"[len(self.inputs)]
            self.inputs[name] = self.drawers[node.func.id](*arguments)
            return ast.Name(name, ast.Load())
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id == "D":
            return ast.Attribute(ast.Name("tf", ast.Load()), self.dtype.name, ast.Load())
        return node


def case(line: str, dtype: str) -> Case:
    """One line in one type."""
    naming = _Naming(Draws(zlib.crc32(line.encode()), np.dtype(dtype)))
    text = ast.unparse(ast.fix_missing_locations(naming.visit(ast.parse(line))))
    return Case("call", line, text, dtype, naming.inputs, MODES.get(dtype, SECOND))


def lines(folder: Path = FOLDER) -> Iterator[tuple[str, list[str]]]:
    """Every call of the lists in a folder, with its types."""
    for path in sorted(folder.glob("*.txt")):
        dtypes = ["float32"]
        for raw in path.read_text(encoding="utf-8").splitlines():
            line = raw.strip()
            if line.startswith("[") and line.endswith("]") and "(" not in line:
                dtypes = line[1:-1].split()
            elif line and not line.startswith("#"):
                yield line, dtypes


def cases() -> Iterator[Case]:
    """Every call in every type that its list names."""
    for line, dtypes in lines():
        for dtype in dtypes:
            yield case(line, dtype)
