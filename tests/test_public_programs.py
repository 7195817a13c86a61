"""The parts of tests/oracle/public_programs that decide what is run and what counts as equal."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from tests.oracle.public_programs import comparison, edits

MANIFEST = Path(__file__).parent / "oracle" / "public_programs" / "programs.toml"


def test_settings_are_replaced_wherever_they_are_given() -> None:
    text = (
        "EPOCHS = 50\nself.steps = 10 * 3\ndef f(a, epochs=20): return g(a, epochs=20)\n"
        "for _ in range(1000): pass\nEPOCHS = read()"
    )
    row = {"set": {"EPOCHS": 2, "epochs": 1, "steps": 3}, "loops": 5}
    found = edits.edited(text, row).splitlines()
    assert found[:2] == ["EPOCHS = 2", "self.steps = 3"]
    assert "def f(a, epochs=1):" in found
    assert "    return g(a, epochs=1)" in found
    assert "for _ in range(5):" in found
    assert found[-1] == "EPOCHS = read()"


def test_cells_of_a_notebook_lose_what_only_ipython_understands(tmp_path: Path) -> None:
    sources = ["%matplotlib inline\nx = 1", "!pip install that", "%%bash\nls", "if x:\n  %time x"]
    cells = [{"cell_type": "code", "source": [source]} for source in sources] + [
        {"cell_type": "markdown", "source": ["text"]}
    ]
    notebook = tmp_path / "a.ipynb"
    notebook.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    assert edits.cells_of(notebook) == ["pass\nx = 1", "pass", "if x:\n  pass"]


def test_numbers_of_a_text_leave_out_clocks_and_addresses() -> None:
    text = (
        "loss: 0.5, acc 75%\n<object at 0x7f00aa>\ntook 3.2 s\ntotal_time: 4\n"
        "1/2 ━━━ 3s 4ms/step - loss: 9\b\b\r2/2 ━━━ 1s - loss: 8.0\nnan -inf 1e-3"
    )
    assert [float(n) for n in comparison.numbers_of(text)][:2] == [0.5, 75.0]
    assert np.isnan(comparison.numbers_of("nan")[0])
    assert 9.0 not in [float(n) for n in comparison.numbers_of(text)]
    assert {3.2, 4.0}.isdisjoint(float(n) for n in comparison.numbers_of(text))


def outcome(printed: str = "1.0", error: str = "", **names: object) -> dict[str, object]:
    return {"cells": [(printed, error)], "names": {name: [np.asarray(value)] for name, value in names.items()}}


@pytest.mark.parametrize(
    ("ours", "runs", "agrees"),
    [
        (outcome(w=[1.0, 2.0]), True, True),
        (outcome(w=[1.0, 2.0001]), True, True),
        (outcome(w=[1.0, 2.1]), True, False),
        (outcome(w=[1.0]), True, False),
        (outcome("1.5", w=[1.0, 2.0]), True, False),
        (outcome("", "ValueError: no"), False, False),
    ],
)
def test_a_program_agrees_when_all_its_numbers_do(ours: dict[str, object], runs: bool, agrees: bool) -> None:
    found = comparison.compare(outcome(w=[1.0, 2.0]), ours)
    assert (found.runs, found.agrees) == (runs, agrees)


def test_what_raises_on_tensorflow_too_proves_nothing() -> None:
    found = comparison.compare(outcome("", "TypeError: old"), outcome("", "TypeError: old"))
    assert not found.runs
    assert not found.failures


def test_the_manifest_names_each_program_once() -> None:
    rows = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["program"]
    assert len({(row["repository"], row["path"]) for row in rows}) == len(rows) >= 50
    assert all(row["does"] for row in rows)
