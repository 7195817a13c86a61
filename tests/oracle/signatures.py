"""`python -m tests.oracle.signatures --venv DIR`: compares the arguments of all public functions and classes with TensorFlow's.

DIR is an environment with TensorFlow. Compared are the names of arguments, their order, and their defaults; what differs goes to
docs/signatures.md. Names that gradtape does not have are the business of `python -m tests.oracle.census`.
"""

from __future__ import annotations

import argparse
import inspect
import json
import subprocess
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "signatures.md"
# Namespaces with names of other libraries: Keras's are Keras's own.
_LEFT_OUT = {
    "keras",
    "compat",
    "python",
    "core",
    "compiler",
    "initializers",
    "losses",
    "metrics",
    "optimizers",
    "raw_ops",
}
HEAD = """# Arguments that differ from TensorFlow's

Written by `python -m tests.oracle.signatures`; do not edit. Every other public function and class has TensorFlow's arguments, by
name, in TensorFlow's order, with its defaults. Private ways to make an object (`tf.data.Dataset(...)`, `tf.DType(...)`) differ;
the functions that users call to make one are the same. Arguments after `*` are gradtape's own.
"""


def public(library: Any) -> Iterator[tuple[str, Any]]:
    """The public functions and classes with their dotted names."""
    seen = set()

    def walk(module: Any, path: str) -> Iterator[tuple[str, Any]]:
        seen.add(id(module))
        for name in sorted(dir(module)):
            value = None if name.startswith("_") or (not path and name in _LEFT_OUT) else getattr(module, name, None)
            full = f"{path}.{name}" if path else name
            if isinstance(value, types.ModuleType):
                if id(value) not in seen and value.__name__.startswith(("tensorflow", "gradtape")):
                    yield from walk(value, full)
            elif callable(value):
                yield full, value

    yield from walk(library, "")


def arguments(function: Any) -> list[str] | None:
    """Each argument with its default; None where Python does not know them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    own = inspect.Parameter.KEYWORD_ONLY
    return [
        ("* " if p.kind is own else "")
        + stars.get(p.kind, "")
        + p.name
        + ("" if p.default is p.empty else f"={_shown(p.default)}")
        for p in parameters
    ]


def _shown(value: Any) -> str:
    if isinstance(value, types.FunctionType):
        return value.__name__
    if type(value) is object:
        return "..."
    if isinstance(value, (list, tuple)):
        return repr(list(value))
    return repr(getattr(value, "value", value) if hasattr(value, "name") and hasattr(value, "value") else value)


def main(options: list[str] | None = None) -> int:
    """0: what differs is a page, not a failure."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.signatures", description=__doc__)
    parser.add_argument("--venv", type=Path, required=True, metavar="DIR", help="an environment with TensorFlow")
    chosen = parser.parse_args(options)
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "theirs.json")
        subprocess.run([chosen.venv / "bin" / "python", __file__, str(answer)], check=True, stderr=subprocess.DEVNULL)
        theirs: dict[str, list[str] | None] = json.loads(answer.read_text(encoding="utf-8"))
    import gradtape

    ours = {name: arguments(value) for name, value in public(gradtape)}
    rows = [
        f"| `tf.{name}` | `{', '.join(expected)}` | `{', '.join(ours[name] or ['unknown'])}` |"
        for name, expected in theirs.items()
        if expected is not None and name in ours and ours[name] != expected
    ]
    table = ["| name | TensorFlow | gradtape |", "| --- | --- | --- |", *(row.replace("``", "") for row in rows)]
    same = sum(1 for name, expected in theirs.items() if name in ours and ours[name] == expected)
    counted = f"{same} of {same + len(rows)} that both have are the same."
    PAGE.write_text("\n\n".join([HEAD.strip(), counted, "\n".join(table)]) + "\n", encoding="utf-8")
    print(f"{counted} wrote {PAGE.relative_to(ROOT)}")
    return 0


def _answer(file: Path) -> None:
    """Runs in the environment with TensorFlow."""
    import tensorflow

    file.write_text(json.dumps({name: arguments(value) for name, value in public(tensorflow)}), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].endswith(".json"):
        _answer(Path(sys.argv[1]))
    else:
        raise SystemExit(main())
