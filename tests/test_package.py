"""What an install gives: names, version, type information, data, and an import that loads little."""

import importlib.metadata
import importlib.resources
import json
import pathlib
import pickle
import re
import subprocess
import sys
import tomllib

import pytest

import gradtape as tf
from gradtape.version import __version__

ROOT = pathlib.Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def all_modules_loaded_by(statement: str) -> set[str]:
    """`sys.modules` of a fresh interpreter after the statement."""
    script = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def modules_loaded_by(statement: str) -> set[str]:
    """The top-level names of them."""
    return {name.split(".")[0] for name in all_modules_loaded_by(statement)}


def test_import_loads_the_engine_and_no_namespace():
    loaded = all_modules_loaded_by("import gradtape")
    assert {"gradtape.differentiation.tape", "gradtape.trace.function", "gradtape.variables.variable"} <= loaded
    namespaces = {f"gradtape.{name}" for name in ("math", "nn", "linalg", "random", "config", "debugging", "compat")}
    standard = {"concurrent.futures", "hashlib", "importlib.resources", "numpy.random", "pathlib", "secrets"}
    assert loaded & (namespaces | standard) == set()


def test_a_name_is_found_at_once_from_its_second_use_on():
    statement = (
        "import gradtape as tf\n"
        "assert 'tanh' not in vars(tf) and 'tanh' in dir(tf)\n"
        "tf.tanh\n"
        "assert vars(tf)['tanh'] is tf.math.tanh"
    )
    assert "gradtape.ops.math.trigonometric" in all_modules_loaded_by(statement)


def test_an_operator_finds_its_op_though_nothing_else_has_imported_it():
    statement = "import gradtape as tf\nx = tf.Variable([6, 3])\nassert ((x & 2) | ~x).numpy().tolist() == [-5, -2]"
    assert "gradtape.ops.math.bitwise" in all_modules_loaded_by(statement)


def test_a_name_of_a_namespace_that_is_not_imported_yet_is_suggested():
    statement = (
        "import gradtape as tf\ntry: tf.erfinv\nexcept AttributeError as e: assert 'tf.math.erfinv' in str(e), e"
    )
    assert "gradtape.math" in all_modules_loaded_by(statement)


def test_an_op_of_a_package_cannot_take_the_name_of_an_op_that_is_not_imported_yet():
    statement = (
        "import gradtape.extend as extend\n"
        "try:\n"
        "    @extend.op\n"
        "    def lgamma(xp, x): return x\n"
        "except extend.OpDeclarationError as e: assert 'already' in str(e)\n"
        "else: raise AssertionError"
    )
    assert "gradtape.ops.math.gamma" in all_modules_loaded_by(statement)


def test_import_loads_no_optional_or_heavy_package():
    heavy = {
        "keras",
        "h5py",
        "scipy",
        "llvmlite",
        "jax",
        "jaxlib",
        "matplotlib",
        "malt",
        "tensorboardX",
        "quickjs",
        "tensorflow",
        "torch",
    }
    assert modules_loaded_by("import gradtape") & heavy == set()


def test_a_gradient_loads_no_optional_or_heavy_package():
    statement = (
        "import gradtape as tf\n"
        "x = tf.Variable([1.0, 2.0])\n"
        "with tf.GradientTape() as tape: y = tf.reduce_sum(tf.tanh(x) ** 2)\n"
        "tape.jacobian(y, x)"
    )
    assert modules_loaded_by(statement) & {"keras", "scipy", "llvmlite", "jax", "matplotlib", "malt"} == set()


def test_the_version_is_the_same_everywhere():
    assert tf.__version__ == __version__ == importlib.metadata.version("gradtape")


def test_the_changelog_knows_the_version():
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_package_is_typed_and_carries_its_data():
    package = importlib.resources.files("gradtape")
    assert package.joinpath("py.typed").is_file()
    assert package.joinpath("datasets", "digits.npz").is_file()
    assets = package.joinpath("diagnostics", "view", "assets")
    for name in ("page.html", "page.css", "page.js", "layout.js", "dagre.min.js"):
        assert assets.joinpath(name).is_file()
    assert "Permission is hereby granted" in assets.joinpath("dagre.LICENSE.txt").read_text(encoding="utf-8")
    assert "CC BY 4.0" in package.joinpath("datasets", "README.md").read_text(encoding="utf-8")


def test_every_dependency_has_its_line_in_the_design():
    page = (ROOT / "docs" / "design" / "dependencies.md").read_text(encoding="utf-8")
    optional = [
        r
        for extra in ("keras", "native", "xla", "plot", "summary", "image")
        for r in PROJECT["optional-dependencies"][extra]
    ]
    names = [re.split(r"[<>=\[ ]", requirement)[0] for requirement in PROJECT["dependencies"] + optional]
    assert len(names) == 13
    assert [name for name in names if f"| {name} |" not in page] == []


@pytest.mark.parametrize("path", ["README.md", "CONTRIBUTING.md"])
def test_the_commands_are_written_where_people_look(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert "pip install -e '.[all,test]'" in text
    assert "pytest" in text


def relative_links(page: pathlib.Path) -> list[str]:
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)  # code has no links
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", prose)
    return [target for target in targets if "://" not in target]


def test_links_between_pages_lead_somewhere():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.md")]
    dead = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in pages
        for link in relative_links(page)
        if not (page.parent / link).exists() and link != "reference/index.md"  # the site makes it
    ]
    assert dead == []


def test_tensorflow_is_not_needed():
    script = "import gradtape, sys; print('tensorflow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    ("cls", "method"), [(tf.data.Dataset, "batch"), (tf.Variable, "scatter_nd_add"), (tf.GradientTape, "hvp")]
)
def test_methods_that_stand_in_another_file_have_the_name_of_their_class(cls, method):
    found = getattr(cls, method)
    assert pickle.loads(pickle.dumps(found)) is found
    with pytest.raises(TypeError, match=rf"{cls.__name__}\.{method}\(\) missing"):
        found(None)
