"""What the pages of docs/design/ name is there: files, folders, and the functions, classes and fields of a file."""

import ast
import builtins
import functools
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs" / "design").glob("*.md"))
HOMES = [ROOT, ROOT / "src", ROOT / "src" / "gradtape", ROOT / "src" / "keras_gradtape"]
# What a page may name without the folder: files of the folder that it is about.
SUBJECTS = {
    "autograph.md": ["src/gradtape/autograph"],
    "checkpoints.md": ["src/gradtape/train"],
    "compiler.md": ["src/gradtape/compile", "src/gradtape/compile/whole"],
    "convolution.md": ["src/gradtape/native", "src/gradtape/ops/nn"],
    "data.md": ["src/gradtape/data"],
    "diagnostics.md": ["src/gradtape/diagnostics", "src/gradtape/diagnostics/view"],
    "function.md": ["src/gradtape/trace", "src/gradtape/compile"],
    "keras.md": ["src/keras_gradtape"],
    "linear-operators.md": ["src/gradtape/linalg/operators"],
    "native.md": ["src/gradtape/native"],
    "saved-model.md": ["src/gradtape/saved_model"],
    "xla.md": ["src/gradtape/xla"],
    "tracing-next.md": ["src/gradtape/trace", "src/gradtape/compile"],
}
PATH = re.compile(r"`([\w./]+(?:\.py|/))`")


@pytest.mark.quick
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_folders_named_on_a_page_exist(page):
    homes = HOMES + [ROOT / folder for folder in SUBJECTS.get(page.name, [])]
    named = set(PATH.findall(page.read_text(encoding="utf-8")))
    assert [path for path in sorted(named) if not any((home / path).exists() for home in homes)] == []


@pytest.mark.quick
def test_the_map_names_every_room():
    text = (ROOT / "docs" / "design" / "README.md").read_text(encoding="utf-8")
    for folder in (ROOT / "src" / "gradtape").iterdir():
        if (folder / "__init__.py").exists():
            assert f"`{folder.name}/`" in text, f"{folder.name}/ is not on the map"


def parsed(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def defined_in(path: pathlib.Path) -> frozenset[str]:
    """What a file defines: functions, classes, variables, what it imports by name; members of classes also as `Class.member`."""
    found: set[str] = set()

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                found.update((child.name, prefix + child.name))
                visit(child, f"{child.name}." if isinstance(child, ast.ClassDef) else prefix)
                continue
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                found.update((child.id, prefix + child.id))
            elif isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
                found.update((child.attr, prefix + child.attr))
            elif isinstance(child, ast.ImportFrom):
                found.update(alias.asname or alias.name for alias in child.names)
            visit(child, prefix)

    visit(parsed(path), "")
    return frozenset(found)


@functools.cache
def spelled_in_source() -> frozenset[str]:
    """Every name, member, parameter, keyword and short text of the package, the tests and the benchmarks."""
    found = set(dir(builtins))
    files = [path for folder in ("src", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    for path in files:
        found.add(path.stem)
        for node in ast.walk(parsed(path)):
            for field in ("id", "attr", "name", "asname", "arg", "module"):
                name = getattr(node, field, None)
                if isinstance(name, str):
                    found.update(name.split("."))
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 100:
                found.update(re.findall(r"\w+", node.value))
    return frozenset(found)


def text_of(page: pathlib.Path) -> str:
    """The page without its blocks of code."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


# Spelled like code: with a capital or an underscore, or the member of something.
NAME = re.compile(r"`((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:\(\))?`")
CODE = re.compile(r"[A-Z_.]")
# Of other packages, and of the environment.
OTHERS = re.compile(
    r"(GRADTAPE|PyArray|PyDataMem|PyUFunc)_\w+|PyCFunction|(jax|lax|np|scipy|sys|threading|PIL|inspect)\..*|warn_return_any"
)
PLANNED = {("tracing-next.md", "DECIDERS")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_on_a_page_are_spelled_in_the_source(page):
    names = {name for name in NAME.findall(text_of(page)) if CODE.search(name) and not OTHERS.fullmatch(name)}
    missing = [
        name for name in sorted(names) if not spelled_in_source().issuperset(name.removesuffix(".py").split("."))
    ]
    assert {(page.name, name) for name in missing} <= PLANNED, missing


def files_named(name: str, page: pathlib.Path) -> list[pathlib.Path]:
    homes = HOMES + [ROOT / folder for folder in SUBJECTS.get(page.name, [])]
    return [home / name for home in homes if (home / name).is_file()]


NAMES_IN_FILES = re.compile(r"((?:`[\w.]+`(?:, | and ))*`[\w.]+`) in ((?:`[\w./]+\.py`(?:, | and ))*`[\w./]+\.py`)")
FILE_HAS = re.compile(r"(`[\w./]+\.py`) has ((?:`[\w.]+`(?:, | and ))*`[\w.]+`)")
STATE_ROW = re.compile(r"^\| (`[A-Z_][^|]*) \| ((?:`[\w./]+\.py`(?:, )?)+) \|", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_puts_into_a_file_is_defined_there(page):
    text = re.sub(r"\s*\n(?=[^|\n])", " ", text_of(page))
    pairs = NAMES_IN_FILES.findall(text) + [found[::-1] for found in FILE_HAS.findall(text)] + STATE_ROW.findall(text)
    for names, files in pairs:
        paths = [path for file in re.findall(r"`([\w./]+)`", files) for path in files_named(file, page)]
        defined = frozenset().union(*map(defined_in, paths))
        is_row = (names, files) in STATE_ROW.findall(text)  # (its names are those with capitals or an underscore)
        for name in re.findall(r"`([\w.]+)`", names):
            if name.endswith(".py") or (is_row and not re.match(r"_|[A-Z]", name)):
                continue
            assert name in defined, f"{name} is not in {files}"


def test_the_pages_put_names_into_files():
    text = text_of(ROOT / "docs" / "design" / "README.md")
    assert len(STATE_ROW.findall(text)) > 10
    assert len(NAMES_IN_FILES.findall(text)) > 5
