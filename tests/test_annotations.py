"""How much a type checker proves: parameters that say `Any` are not checked."""

import ast
import pathlib

SOURCE = pathlib.Path(__file__).parents[1] / "src" / "gradtape"


def parameters():
    """All parameters of the package with their annotations, as (file, line, name, annotation)."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                a = node.args
                for p in filter(None, (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg)):
                    if p.arg not in ("self", "cls"):
                        yield path, p.lineno, p.arg, p.annotation and ast.unparse(p.annotation)


def test_most_parameters_have_a_type_that_is_checked():
    found = list(parameters())
    unchecked = [f"{path}:{line} {name}" for path, line, name, annotation in found if annotation in ("Any", None)]
    share = len(unchecked) / len(found)
    assert share < 0.13, (
        f"{share:.0%} of the parameters are `Any`: name their types (src/gradtape/base/types.py), `object` where anything "
        f"is taken. The last ones: {unchecked[-5:]}"
    )
