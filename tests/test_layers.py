"""Who may import whom: the layers are the rows of the table in docs/design/README.md, and the source is read with `ast`.

Rules: a module imports modules of lower layers, or of its own layer as long as no circle arises. An import
inside a function runs late and can hide a circle, so each one is listed in LAZY with its reason. Imports
under `if TYPE_CHECKING:` do not run and are free.
"""

import ast
import functools
import graphlib
import pathlib
import re
from dataclasses import dataclass

import gradtape as tf

SOURCE = pathlib.Path(__file__).parents[1] / "src"

MAP = SOURCE.parent / "docs" / "design" / "README.md"

# A room is a folder of src/gradtape/ or of src/, or a module beside them. What else stands in src/gradtape/ is a public namespace
# of the package; the row of the map that names some of them ends in "...".
NAMESPACES = "public namespaces"


def rooms_on_the_map() -> list[list[str]]:
    """The rows of the table of rooms, the lowest first; the page prints the highest first."""
    table = MAP.read_text(encoding="utf-8").partition("\n| room | what is in it |\n")[2].partition("\n\n")[0]
    rows = []
    for line in table.splitlines()[1:]:
        cell = line.split("|")[1]
        names = re.findall(r"`(?:src/)?([\w/]+?)(?:/|\.py)`", cell)
        rows.append([name.replace("/", ".") for name in names] + [NAMESPACES] * ("..." in cell))
    return rows[::-1]


ROOMS = rooms_on_the_map()
LAYER_OF = {room: layer for layer, rooms in enumerate(ROOMS) for room in rooms}

# (importing module, imported module, "*" for any): why the import has to wait until the function runs.
LAZY: dict[tuple[str, str], str] = {
    ("distribute.dtensor_files", "xla.sharding"): "jax is imported by programs that use it",
    ("xla.places", "xla.logical"): "jax is imported by programs that use it",
    ("xla.scopes", "xla.sharding"): "jax is imported by programs that use it",
    ("test", "compat.v1"): "TensorFlow 1's names are imported by programs that use them",
    ("compat.v1.train", "train"): "protocol buffers are imported by programs that use them",
    ("base.absent", "numpy"): "looked into for a name that is nowhere else, when an error is read",
    ("op.declaration", "op.entry"): "entries are generated from an Op at its first use, and need the class Op",
    ("diagnostics", "keras_gradtape.callbacks"): "Keras is imported by programs that use it",
    ("differentiation.questions", "diagnostics.asking"): "diagnostics are imported when somebody asks",
    ("differentiation.tape", "diagnostics.asking"): "diagnostics are imported when a tape is strict",
    ("differentiation.questions", "diagnostics.nonfinite"): "diagnostics are imported when somebody asks",
    ("debugging", "diagnostics.nonfinite"): "diagnostics are imported when somebody asks",
    ("differentiation.questions", "diagnostics.agreement"): "diagnostics are imported when somebody asks",
    ("compat.v1.optimizers", "diagnostics.asking"): "diagnostics are imported when somebody asks",
    ("differentiation.tape", "diagnostics.profile"): "diagnostics are imported when somebody asks",
    ("differentiation.questions", "diagnostics.memory"): "diagnostics are imported when somebody asks",
    (
        "diagnostics.monitor",
        "diagnostics.monitor_display",
    ): "reports read what monitors measure, and are imported for them",
    (
        "diagnostics.monitor",
        "diagnostics.monitor_report",
    ): "reports read what monitors measure, and are imported for them",
    ("diagnostics.monitor_report", "summary"): "summaries stand above, and are imported by programs that write them",
    (
        "diagnostics.monitor_report",
        "summary.gradients",
    ): "summaries stand above, and are imported by programs that write them",
    ("base.notebook", "diagnostics.notebook"): "what draws is imported by notebooks alone",
    ("trace.function", "diagnostics.traces"): "diagnostics are imported when somebody asks",
    ("differentiation.questions", "diagnostics.view.tapes"): "diagnostics are imported when somebody asks",
    ("differentiation.questions", "diagnostics.view.view"): "diagnostics are imported when somebody asks",
    ("trace.function", "diagnostics.view.graphs"): "diagnostics are imported when somebody asks",
    ("trace.concrete", "diagnostics.view.graphs"): "diagnostics are imported when somebody asks",
    ("trace.concrete", "diagnostics.view.view"): "diagnostics are imported when somebody asks",
    ("trace.function", "diagnostics.view.view"): "diagnostics are imported when somebody asks",
    (
        "diagnostics.profile",
        "diagnostics.view.entries",
    ): "made of a profiled tape when its gradient is taken",
    ("diagnostics.view.view", "diagnostics.view.png"): "matplotlib is imported when a PNG is drawn",
    ("differentiation.tape", "diagnostics.chain"): "diagnostics are imported when a gradient is None",
    ("export", "xla.stablehlo"): "jax is imported by programs that ask for the engine xla",
    ("xla", "xla.checks"): "jax is imported by programs that ask for the engine xla-checked",
    ("xla", "xla.executor"): "jax is imported by programs that ask for the engine xla",
    ("config", "xla.logical"): "jax is imported by programs that ask for several devices",
    ("experimental", "distribute.dtensor"): "meshes of devices are imported by programs that use them",
    ("distribute.mesh", "*"): "jax is imported by programs that ask for several devices",
    ("distribute.strategies", "distribute.replicas"): "replicas are imported by programs that ask for several devices",
    ("distribute.on_read", "xla.sharding"): "jax is imported by programs that ask for several devices",
    ("experimental", "distribute.tape"): "tapes of several processes are imported by programs that use them",
    ("distribute.tape", "xla.together"): "jax is imported by programs that ask for several processes",
    ("distribute.replicas", "xla.together"): "jax is imported by programs that ask for several devices",
    ("distribute.replicas", "xla.sharding"): "jax is imported by programs that ask for several devices",
    ("distribute.per_replica", "xla.sharding"): "jax is imported by programs that ask for several devices",
    ("distribute.per_replica", "sparse"): "sparse tensors are imported by programs that use them",
    ("distribute.dtensor", "*"): "jax is imported by programs that ask for several devices",
    ("native.engine", "native.alignment"): "it is compiled by the engine, with the first kernel",
    ("native.callables", "native.language"): "llvmlite is imported with the first function in machine code",
    ("native.texts", "native.language"): "llvmlite is imported when the first text is compiled",
    ("native.texts", "native.ufuncs"): "llvmlite is imported when the first text is compiled",
    ("native.pool", "native.workers"): "llvmlite is imported with the first kernel that is shared out",
    ("native.updates", "native.ufuncs"): "llvmlite is imported when the first update is compiled",
    (
        "trace.graph",
        "api.graph_mode",
    ): "imported when a graph is shown as a message",
    ("api.graph_mode", "summary.graph"): "loads the package that has the messages, when a graph is shown as one",
    ("compile", "compile.executor"): "the compiler is imported with the first call of a function",
    ("compile.fusion", "compile.row_groups"): "llvmlite is imported when the first large program is compiled",
    ("compile.fusion", "compile.whole.group"): "llvmlite is imported when the first small program is compiled",
    ("compile.fusion", "compile.whole.show"): "llvmlite is imported when somebody looks at a native function",
    ("ops.nn.rows", "native.language"): "llvmlite is imported when the first rows are compiled",
    ("ops.nn.rows", "native.pool"): "machine code runs on threads of its own, which are started when they are needed",
    ("ops.nn.rows", "native.rows"): "llvmlite is imported when the first rows are compiled",
    ("ops.nn.rows", "native.sums"): "llvmlite is imported when the first large sum is compiled",
    ("ops.nn.sequence", "native.layers"): "llvmlite is imported when the first large step is compiled",
    ("ops.nn.pool", "native.pooling"): "llvmlite is imported when the first large pool is compiled",
    ("ops.nn.conv_kernels", "native.windows"): "llvmlite is imported when the first convolution is compiled",
    ("ops.nn.conv_kernels", "native.convolution"): "llvmlite is imported when the first convolution is compiled",
    ("ops.nn.conv_kernels", "native.depthwise"): "llvmlite is imported when the first convolution is compiled",
    ("data.resampling", "math"): "the estimates are public functions on tensors, which stand above",
    ("data.resampling", "random"): "the draws are those of tf.random, which stands above",
    ("data.shuffling", "random.streams"): "the global seed belongs to tf.random, which stands above",
    ("data.structure", "sparse"): "sparse tensors are imported by programs that use them",
    ("strings", "ragged"): "ragged tensors are imported by programs that use them",
    ("data.structure", "ragged"): "ragged tensors are imported by programs that use them",
    ("data.methods.batches", "ragged.batches"): "ragged tensors are imported by programs that use them",
    ("io.features", "sparse.tensor"): "sparse tensors are imported by programs that use them",
    ("io.parsing", "sparse.tensor"): "sparse tensors are imported by programs that use them",
    ("io.features", "ragged"): "ragged tensors are imported by programs that use them",
    ("io.parsing", "ragged"): "ragged tensors are imported by programs that use them",
    ("ragged.tensor", "sparse.tensor"): "sparse tensors are imported by programs that use them",
    ("data.methods.batches", "sparse.batches"): "sparse tensors are imported by programs that use them",
    ("saved_model.names", "keras"): "Keras is imported when a saved model uses its ops",
    ("linalg", "linalg.operators"): "operators are imported by programs that use them",
    (
        "api.dispatch",
        "__init__",
    ): "elementwise functions are looked up by their public names when a class registers for them",
    ("raw_ops.functions", "__init__"): "kernels are public functions, looked up by their names when they are used",
    ("raw_ops", "image"): "images are imported by programs that use them",
    ("raw_ops", "image.projective"): "images are imported by programs that use them",
    ("nn.ctc", "sparse"): "sparse tensors are imported by programs that use them",
    ("experimental", "ragged.partition"): "ragged tensors are imported by programs that use them",
    ("experimental", "ragged.dynamic_shape"): "ragged tensors are imported by programs that use them",
    ("io.sparse_texts", "sparse.tensor"): "sparse tensors are imported by programs that use them",
    ("nn", "sparse.embedding"): "sparse tensors are imported by programs that use them",
    ("experimental", "data.optional"): "pipelines are imported by programs that use them",
    ("experimental", "numpy"): "NumPy's names are imported by programs that use them",
    ("api.interop", "numpy"): "NumPy's names are imported by programs that use them",
    ("api.interop", "math"): "public functions are imported when a ufunc of SciPy is called on a tensor",
    ("api.tensor_array", "api.rows_tensor_array"): "it is imported when a loop or branch carries an array",
    ("api.rows_tensor_array", "api.growing_tensor_array"): "it is imported when a loop carries an array that grows",
    (
        "api.rows_tensor_array",
        "api.open_tensor_array",
    ): "it is imported when a loop carries an array of elements of unknown rank",
    ("native.engine", "native.object_cache"): "files of machine code are looked at with the first kernel",
    ("autograph.public", "api.arrays"): "the operators of converted code stand on public functions",
    ("autograph.public", "api.control"): "the operators of converted code stand on public functions",
    ("autograph.public", "api.framework"): "the operators of converted code stand on public functions",
    ("autograph.public", "math"): "the operators of converted code stand on public functions",
    ("autograph.public", "api.sorting"): "the operators of converted code stand on public functions",
    ("autograph.public", "api.tensor_array"): "the operators of converted code stand on public functions",
    ("trace.function", "autograph"): "autograph is imported when a function is traced",
    ("trace.function", "autograph.experimental"): "autograph is imported when a function is traced",
    ("autograph.calls", "autograph.transpile"): "malt is imported when a function is converted",
    ("autograph", "autograph.transpile"): "malt is imported when a function is converted",
    ("keras_gradtape.aliases", "keras"): "Keras is imported by programs that use it",
    ("keras_gradtape.as_tensorflow", "keras_gradtape.backend"): "Keras imports both, in its own order",
    ("keras_gradtape.distribution_lib", "*"): "jax is imported by programs that ask for several devices",
    ("keras_gradtape.variable", "xla.sharding"): "jax is imported by programs that ask for several devices",
    ("train.pieces", "xla.sharding"): "jax is imported by programs that ask for several processes",
    ("xla.processes", "xla.together"): "jax is imported by programs that ask for several processes",
    (
        "keras_gradtape.completions",
        "*",
    ): "a completion runs when its module of Keras is imported, long after the package",
}


@dataclass(frozen=True)
class Import:
    importer: str
    imported: str
    line: int
    lazy: bool


def module_name(path: pathlib.Path, source: pathlib.Path) -> str:
    """`gradtape/ops/array/index.py` is "ops.array.index"; the `__init__.py` of a folder carries the folder's name."""
    parts = list(path.relative_to(source).with_suffix("").parts)
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return short(".".join(parts))


def short(module: str) -> str:
    """Modules of gradtape without the package's name, which stands for its `__init__`."""
    return "__init__" if module == "gradtape" else module.removeprefix("gradtape.")


def full(module: str) -> str:
    if module == "__init__":
        return "gradtape"
    return module if module.partition(".")[0] == "keras_gradtape" else f"gradtape.{module}"


def layer_of(module: str) -> int:
    layer = LAYER_OF.get(module)
    return layer if layer is not None else LAYER_OF.get(module.split(".")[0], LAYER_OF[NAMESPACES])


IMPORTERS = ("import_module", "import_late", "__import__")  # functions that are given the name of a module


class ImportsOf(ast.NodeVisitor):
    """Collects what one module imports from the package."""

    def __init__(self, module: str, is_package: bool, modules: set[str], text: str) -> None:
        self.module, self.is_package, self.modules = module, is_package, modules
        self.depth = 0
        self.found: list[Import] = []
        # Only a call can import inside of an expression; where there is none, statements are enough (and ten times as fast).
        self.looks_into_expressions = any(name in text for name in IMPORTERS)
        self.visit(ast.parse(text))

    def generic_visit(self, node: ast.AST) -> None:
        if self.looks_into_expressions:
            super().generic_visit(node)
            return
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            inside = getattr(node, name, ())
            for statement in inside if isinstance(inside, list) else ():
                self.visit(statement)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING", "_typing.TYPE_CHECKING"):
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
            parents = full(self.module).split(".")
            if not self.is_package:
                parents.pop()
            parents = parents[: len(parents) - (node.level - 1)]
            base = ".".join([*parents, node.module] if node.module else parents)
        for alias in node.names:
            # `from package import name` takes the module of that name if there is one.
            inner = f"{base}.{alias.name}"
            self.add(inner if short(inner) in self.modules else base, node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        if ast.unparse(node.func).split(".")[-1] in IMPORTERS and node.args:
            target = node.args[0]
            if isinstance(target, ast.Constant) and isinstance(target.value, str):
                self.add(target.value, node.lineno)
        self.generic_visit(node)

    def add(self, target: str, line: int) -> None:
        if target.partition(".")[0] in ("gradtape", "keras_gradtape"):
            self.found.append(Import(self.module, short(target), line, self.depth > 0))


@functools.cache
def imports_in(source: pathlib.Path) -> list[Import]:
    files = {module_name(path, source): path for path in sorted(source.rglob("*.py"))}
    found = []
    for module, path in files.items():
        found += ImportsOf(module, path.name == "__init__.py", set(files), path.read_text(encoding="utf-8")).found
    return found


def upward(imports: list[Import]) -> list[str]:
    return [
        f"{full(i.importer)}:{i.line} (layer {layer_of(i.importer)}) imports {full(i.imported)} "
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


def test_what_stands_at_the_top_is_a_room_or_a_public_namespace():
    public = {*tf.__all__, *tf._LAZY, "__init__"}
    for path in (SOURCE / "gradtape").iterdir():
        if path.suffix == ".py" or (path / "__init__.py").exists():
            assert path.stem in LAYER_OF or path.stem in public, (
                f"{path.name} is no room and no public namespace: put it into the room of its subject, or list it in "
                "the table of docs/design/README.md, as low as its imports allow"
            )


def test_every_room_is_there():
    rooms = [room for rooms in ROOMS for room in rooms if room != NAMESPACES]
    for room in rooms:
        path = room.replace(".", "/")
        places = [
            home / name for home in (SOURCE, SOURCE / "gradtape") for name in (f"{path}.py", f"{path}/__init__.py")
        ]
        assert any(place.exists() for place in places), room


def test_the_order_is_read_from_the_map():
    assert LAYER_OF["base"] == LAYER_OF["keras_gradtape.hook"] == 0
    below = [
        "base",
        "native",
        "values",
        "op",
        "ops",
        "differentiation",
        "trace",
        "compile",
        "xla",
        "diagnostics",
        "data",
    ]
    layers = [LAYER_OF[room] for room in [*below, "api", "keras_gradtape", "stand_in", "cli"]]
    assert layers == sorted(set(layers))
    assert LAYER_OF[NAMESPACES] == LAYER_OF["api"] == LAYER_OF["math"]


def test_imports_inside_functions_are_listed_with_a_reason():
    lazy = {(i.importer, "*" if (i.importer, "*") in LAZY else i.imported): i for i in imports_in(SOURCE) if i.lazy}
    unlisted = [
        f"{full(i.importer)}:{i.line} imports {full(i.imported)} inside a function: move it to "
        "the top, or list it in LAZY with the reason"
        for pair, i in lazy.items()
        if pair not in LAZY
    ]
    assert unlisted == []
    assert [pair for pair in LAZY if pair not in lazy] == [], "listed in LAZY, but not in the source any more"
    assert all(LAZY.values())


def write(folder: pathlib.Path, files: dict[str, str]) -> pathlib.Path:
    for name, text in files.items():
        path = folder / "gradtape" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_the_check_finds_an_upward_import_in_every_spelling(tmp_path):
    files = {"differentiation/tape.py": "", "differentiation/__init__.py": "", "__init__.py": "", "ops/__init__.py": ""}
    for number, text in enumerate(
        [
            "import gradtape.differentiation.tape",
            "from gradtape.differentiation import tape",
            "from gradtape.differentiation.tape import GradientTape",
            "from ..differentiation import tape",
            "from ..differentiation.tape import GradientTape",
            "from .. import GradientTape",
            "import gradtape as tf",
            "import keras_gradtape.trainer",
        ]
    ):
        files[f"ops/spelling{number}.py"] = text
    assert len(upward(imports_in(write(tmp_path, files)))) == 8


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
