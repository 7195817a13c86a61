"""Who may import whom: the layers of docs/design/README.md, read from the source with `ast`.

Rules: a module imports modules of lower layers, or of its own layer as long as no circle arises. An import
inside a function runs late and can hide a circle, so each one is listed in LAZY with its reason. Imports
under `if TYPE_CHECKING:` do not run and are free.
"""

import ast
import functools
import graphlib
import pathlib
from dataclasses import dataclass

import pytest

pytestmark = pytest.mark.quick

SOURCE = pathlib.Path(__file__).parents[1] / "src" / "gradtape"

# A name stands for gradtape/<name>.py or for everything in the folder gradtape/<name>/.
LAYERS: dict[int, set[str]] = {
    0: {
        "version",
        "errors",
        "dtypes",
        "shapes",
        "nest",
        "context",
        "memory",
        "philox",
        "farmhash",
        "generated",
        "traceable",
        "type_spec",
        "threads",
        "locks",
        "native",
    },
    1: {"tensor", "arguments", "op", "entry"},
    2: {"ops"},
    3: {"in_place", "operators", "variable", "module"},
    4: {"nan_safe", "memory_budget", "backward", "vectorize", "jacobian", "tape", "forward", "custom"},
    5: {"trace", "autograph"},
    6: {"compile", "xla"},
    7: {
        *("io", "data", "train", "optimize", "summary", "diagnostics", "testing", "distribute", "datasets"),
        *("profiler", "audio"),
    },
    8: {
        *("arrays", "layout", "indexing", "math", "nn", "linalg", "random", "signal", "image", "clip", "raw_ops"),
        *("special", "bitwise", "sorting", "sparse", "ragged", "strings", "numpy", "experimental"),
        *(
            "blocks",
            "partition",
            "control",
            "tensor_array",
            "script",
            "quantization",
            "generator",
            "candidates",
        ),
        *(
            "framework",
            "graph_mode",
            "interop",
            "autodiff",
            "debugging",
            "test",
            "config",
            "compat",
            "compat_v1",
            "keras",
            "__init__",
        ),
        *("device_spec", "feature_column", "initial_values", "lookup", "queue", "saved_model", "sets", "tpu", "types"),
    },
    9: {"progress", "demo", "plot", "launch", "show_trace", "cli", "__main__"},
}
LAYER_OF = {name: layer for layer, names in LAYERS.items() for name in names}

# (importing module, imported module): why the import has to wait until the function runs.
LAZY: dict[tuple[str, str], str] = {
    (
        "op",
        "entry",
    ): "entries are generated from an Op at its first use, and need the class Op",
    ("dtypes", "math"): "tf.dtypes.cast and the like are ops, and stand above all that use types",
    ("dtypes", "arrays"): "tf.dtypes.saturate_cast is an op, and stands above all that use types",
    ("native.engine", "native.alignment"): "it is compiled by the engine, with the first kernel",
    ("native.texts", "native.language"): "llvmlite is imported when the first text is compiled",
    ("native.texts", "native.ufuncs"): "llvmlite is imported when the first text is compiled",
    ("native.updates", "native.ufuncs"): "llvmlite is imported when the first update is compiled",
    ("compile.fusion", "compile.row_groups"): "llvmlite is imported when the first large program is compiled",
    ("ops.rows", "native.language"): "llvmlite is imported when the first rows are compiled",
    ("ops.rows", "native.pool"): "machine code runs on threads of its own, which are started when they are needed",
    ("ops.rows", "native.rows"): "llvmlite is imported when the first rows are compiled",
    ("ops.rows", "native.sums"): "llvmlite is imported when the first large sum is compiled",
    ("ops.sequence", "native.layers"): "llvmlite is imported when the first large step is compiled",
    ("ops.pool", "native.pooling"): "llvmlite is imported when the first large pool is compiled",
    ("ops.conv_kernels", "native.windows"): "llvmlite is imported when the first convolution is compiled",
    ("ops.conv_kernels", "native.convolution"): "llvmlite is imported when the first convolution is compiled",
    ("ops.conv_kernels", "native.depthwise"): "llvmlite is imported when the first convolution is compiled",
    ("data.shuffling", "random"): "the global seed belongs to tf.random, which stands above",
    ("data.structure", "sparse.tensor"): "sparse tensors are imported by programs that use them",
    ("strings", "ragged"): "ragged tensors are imported by programs that use them",
    ("data.structure", "ragged.tensor"): "ragged tensors are imported by programs that use them",
    ("data.dataset", "ragged.batches"): "ragged tensors are imported by programs that use them",
    ("io.parsing", "sparse.tensor"): "sparse tensors are imported by programs that use them",
    ("io.parsing", "ragged"): "ragged tensors are imported by programs that use them",
    ("ragged.tensor", "sparse.tensor"): "sparse tensors are imported by programs that use them",
    ("data.dataset", "sparse.batches"): "sparse tensors are imported by programs that use them",
    ("compat", "compat_v1"): "event files are imported by programs that use them",
    ("saved_model.names", "keras"): "Keras is imported when a saved model uses its ops",
    ("raw_ops", "image"): "images are imported by programs that use them",
    ("raw_ops", "image.projective"): "images are imported by programs that use them",
    ("nn.ctc", "sparse"): "sparse tensors are imported by programs that use them",
    ("math", "sparse"): "sparse tensors are imported by programs that use them",
    ("experimental", "ragged.partition"): "ragged tensors are imported by programs that use them",
    ("nn", "sparse.embedding"): "sparse tensors are imported by programs that use them",
    ("experimental", "numpy"): "NumPy's names are imported by programs that use them",
    ("autograph.public", "arrays"): "the operators of converted code stand on public functions",
    ("autograph.public", "control"): "the operators of converted code stand on public functions",
    ("autograph.public", "framework"): "the operators of converted code stand on public functions",
    ("autograph.public", "math"): "the operators of converted code stand on public functions",
    ("autograph.public", "sorting"): "the operators of converted code stand on public functions",
    ("autograph.public", "tensor_array"): "the operators of converted code stand on public functions",
    ("trace.function", "autograph"): "autograph is imported when a function is traced",
    ("trace.function", "autograph.experimental"): "autograph is imported when a function is traced",
    ("autograph.calls", "autograph.transpile"): "malt is imported when a function is converted",
    ("autograph", "autograph.transpile"): "malt is imported when a function is converted",
}


@dataclass(frozen=True)
class Import:
    importer: str
    imported: str
    line: int
    lazy: bool


def module_name(path: pathlib.Path, source: pathlib.Path) -> str:
    """`ops/linalg.py` is "ops.linalg"; the `__init__.py` of a folder carries the folder's name."""
    parts = list(path.relative_to(source).with_suffix("").parts)
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return ".".join(parts)


def layer_of(module: str) -> int:
    name = module.split(".")[0]
    if name not in LAYER_OF:
        pytest.fail(
            f"gradtape.{module} is in no layer: add {name!r} to LAYERS in tests/test_layers.py and to the "
            "table in docs/design/README.md, as low as its imports allow"
        )
    return LAYER_OF[name]


class ImportsOf(ast.NodeVisitor):
    """Collects what one module imports from the package."""

    def __init__(self, module: str, is_package: bool, modules: set[str]) -> None:
        self.module, self.is_package, self.modules = module, is_package, modules
        self.depth = 0
        self.found: list[Import] = []

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for statement in node.orelse:
                self.visit(statement)
        else:
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.add(alias.name, node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = node.module or ""
        if node.level:
            parents = ["gradtape"] if self.module == "__init__" else ["gradtape", *self.module.split(".")]
            if not self.is_package:
                parents.pop()
            parents = parents[: len(parents) - (node.level - 1)]
            base = ".".join([*parents, node.module] if node.module else parents)
        for alias in node.names:
            # `from package import name` takes the module of that name if there is one.
            inner = f"{base}.{alias.name}".removeprefix("gradtape.")
            self.add(f"{base}.{alias.name}" if inner in self.modules else base, node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        if ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__") and node.args:
            target = node.args[0]
            if isinstance(target, ast.Constant) and isinstance(target.value, str):
                self.add(target.value, node.lineno)
        self.generic_visit(node)

    def add(self, target: str, line: int) -> None:
        if target == "gradtape":
            self.found.append(Import(self.module, "__init__", line, self.depth > 0))
        elif target.startswith("gradtape."):
            self.found.append(Import(self.module, target.removeprefix("gradtape."), line, self.depth > 0))


@functools.cache
def imports_in(source: pathlib.Path) -> list[Import]:
    files = {module_name(path, source): path for path in sorted(source.rglob("*.py"))}
    found = []
    for module, path in files.items():
        visitor = ImportsOf(module, path.name == "__init__.py", set(files))
        visitor.visit(ast.parse(path.read_text(encoding="utf-8")))
        found += visitor.found
    return found


def upward(imports: list[Import]) -> list[str]:
    return [
        f"gradtape.{i.importer}:{i.line} (layer {layer_of(i.importer)}) imports gradtape.{i.imported} "
        f"(layer {layer_of(i.imported)})"
        for i in imports
        if not i.lazy and layer_of(i.imported) > layer_of(i.importer)
    ]


def circle(imports: list[Import]) -> list[str]:
    graph: dict[str, set[str]] = {}
    for i in imports:
        if not i.lazy:
            graph.setdefault(i.importer, set()).add(i.imported)
    # A folder's __init__ gathers its own modules; that they live in it is no circle.
    for module, targets in graph.items():
        targets -= {target for target in targets if module.startswith(f"{target}.")}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_modules_import_only_from_lower_layers_or_their_own():
    assert upward(imports_in(SOURCE)) == []


def test_imports_make_no_circle():
    assert circle(imports_in(SOURCE)) == []


def test_every_module_has_a_layer():
    for path in SOURCE.rglob("*.py"):
        layer_of(module_name(path, SOURCE))


def test_imports_inside_functions_are_listed_with_a_reason():
    lazy = {(i.importer, i.imported): i for i in imports_in(SOURCE) if i.lazy}
    unlisted = [
        f"gradtape.{i.importer}:{i.line} imports gradtape.{i.imported} inside a function: move it to "
        "the top, or list it in LAZY with the reason"
        for pair, i in lazy.items()
        if pair not in LAZY
    ]
    assert unlisted == []
    assert [pair for pair in LAZY if pair not in lazy] == [], "listed in LAZY, but not in the source any more"
    assert all(LAZY.values())


def write(folder: pathlib.Path, files: dict[str, str]) -> pathlib.Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_the_check_finds_an_upward_import_in_every_spelling(tmp_path):
    files = {"tape.py": "", "__init__.py": "", "ops/__init__.py": ""}
    for number, text in enumerate(
        [
            "import gradtape.tape",
            "from gradtape import tape",
            "from gradtape.tape import GradientTape",
            "from .. import tape",
            "from ..tape import GradientTape",
            "from .. import GradientTape",
            "import gradtape as tf",
        ]
    ):
        files[f"ops/spelling{number}.py"] = text
    assert len(upward(imports_in(write(tmp_path, files)))) == 7


def test_the_check_sees_what_is_lazy_and_what_never_runs(tmp_path):
    files = {
        "__init__.py": "",
        "tape.py": "",
        "errors.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .tape import Tape\n",
        "dtypes.py": "def f():\n    from .tape import Tape\n",
        "nest.py": "import importlib\nf = lambda: importlib.import_module('gradtape.tape')\n",
    }
    found = imports_in(write(tmp_path, files))
    assert [(i.importer, i.imported, i.lazy) for i in found] == [
        ("dtypes", "tape", True),
        ("nest", "tape", True),
    ]


def test_the_check_finds_a_circle(tmp_path):
    files = {"ops/a.py": "from . import b", "ops/b.py": "from .c import x", "ops/c.py": "from .a import y"}
    found = circle(imports_in(write(tmp_path, files)))
    assert set(found) == {"ops.a", "ops.b", "ops.c"}


def test_a_module_that_no_layer_knows_fails_with_advice(tmp_path):
    with pytest.raises(pytest.fail.Exception, match="add 'utils' to LAYERS"):
        upward(imports_in(write(tmp_path, {"utils.py": "import gradtape.errors", "errors.py": ""})))
