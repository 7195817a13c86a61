"""What the pages of docs/design/ name is there: files, folders, and the functions of a file."""

import pathlib
import re

import pytest

pytestmark = pytest.mark.quick

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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_folders_named_on_a_page_exist(page):
    homes = HOMES + [ROOT / folder for folder in SUBJECTS.get(page.name, [])]
    named = set(PATH.findall(page.read_text(encoding="utf-8")))
    assert [path for path in sorted(named) if not any((home / path).exists() for home in homes)] == []


def test_the_map_names_every_room():
    text = (ROOT / "docs" / "design" / "README.md").read_text(encoding="utf-8")
    for folder in (ROOT / "src" / "gradtape").iterdir():
        if (folder / "__init__.py").exists():
            assert f"`{folder.name}/`" in text, f"{folder.name}/ is not on the map"
