"""No row is lost, and every row where gradtape differs from TensorFlow stands in docs/differences.md."""

import importlib
from collections import Counter
from pathlib import Path

import pytest

from .observed import Fact

HERE = Path(__file__).parent
DIFFERENCES = HERE.parents[1] / "docs" / "differences.md"

OBSERVED = {
    "1 constructor & context": 16,
    "2 calling gradient more than once": 15,
    "3 watch()": 26,
    "4 targets & sources": 31,
    "5 unconnected_gradients & output_gradients": 21,
    "6 stop_recording, reset, watched_variables": 18,
    "7 variables": 24,
    "8 IndexedSlices": 20,
    "9 jacobian": 20,
    "10 batch_jacobian": 15,
    "11 nested tapes, stop_gradient, no-gradient ops": 16,
    "11b gradient of special ops (x=[1.2,2.7])": 56,
    "12 custom_gradient, recompute_grad, grad_pass_through": 29,
    "13 ForwardAccumulator": 30,
    "14 tf.function, tf.gradients, tf.hessians": 25,
    "15 dtype rules and error classes": 45,
    "16 gradients feeding optimizers (Keras 3)": 12,
    "17a numeric corner gradients (x=[0.,4.])": 45,
    "17b more tape edges": 33,
}


@pytest.fixture(scope="module")
def sections() -> dict[str, list[Fact]]:
    modules = [importlib.import_module(f".{path.stem}", __package__) for path in HERE.glob("test_[0-9]*.py")]
    return {module.SECTION: [param.values[0] for param in module.FACTS] for module in modules}


def test_every_observed_row_has_its_fact(sections: dict[str, list[Fact]]) -> None:
    assert {section: len(facts) for section, facts in sections.items()} == OBSERVED
    assert sum(OBSERVED.values()) == 497


def test_names_are_unique_within_a_section(sections: dict[str, list[Fact]]) -> None:
    for section, facts in sections.items():
        repeated = [name for name, count in Counter(fact.name for fact in facts).items() if count > 1]
        assert not repeated, f"section {section}"


def test_differences_page_lists_exactly_the_rows_that_differ(sections: dict[str, list[Fact]]) -> None:
    differing = {
        (section.split()[0], fact.name, f"`{fact.tensorflow}`", f"`{fact.gradtape}`")
        for section, facts in sections.items()
        for fact in facts
        if fact.differs
    }
    assert set(_table_of_differences()) == differing


def _table_of_differences() -> list[tuple[str, str, str, str]]:
    lines = DIFFERENCES.read_text(encoding="utf-8").splitlines()
    start = lines.index("| section | behaviour | TensorFlow | gradtape | why |") + 2
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        section, behaviour, tensorflow, ours, why = (cell.strip() for cell in line.strip("|").split(" | "))
        assert why, f"{behaviour}: the page gives no reason"
        rows.append((section, behaviour, tensorflow, ours))
    return rows
