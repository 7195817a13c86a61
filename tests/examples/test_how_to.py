"""The scripts of the how-to pages: each runs small and gives what it promises; notebooks and pages are those of the scripts."""

import re
import types

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("keras")
nbformat = pytest.importorskip("nbformat")

from website import howto  # noqa: E402


@pytest.fixture(scope="module")
def ran():
    """Each script once, in its small form."""
    results: dict[str, types.SimpleNamespace] = {}

    def run(name: str) -> types.SimpleNamespace:
        if name not in results:
            result = howto.run(howto.read(name, small=True))
            assert result.picture.startswith(b"\x89PNG")
            assert any(result.printed)
            results[name] = types.SimpleNamespace(**result.names)
        return results[name]

    return run


def test_pinn(ran):
    assert ran("pinn").error < 0.1


def test_the_exact_solution_of_the_pinn_is_one(ran):
    u = ran("pinn").exact
    x, t, nu, h = np.array([-0.5, 0.1, 0.7]), 0.4, 0.05, 1e-4
    u_t = (u(x, t + h, nu) - u(x, t - h, nu)) / (2 * h)
    u_x = (u(x + h, t, nu) - u(x - h, t, nu)) / (2 * h)
    u_xx = (u(x + h, t, nu) - 2 * u(x, t, nu) + u(x - h, t, nu)) / h**2
    np.testing.assert_allclose(u_t + u(x, t, nu) * u_x - nu * u_xx, 0, atol=1e-5)


def test_neural_ode_predicts_a_swing_it_has_not_seen(ran):
    assert ran("neural_ode").error < 0.2


def test_lbfgs_finds_the_cycloid(ran):
    example = ran("lbfgs")
    assert 0 < example.excess < 1e-3
    assert example.error < 0.01
    assert example.steepest < 1e-8


def test_vae_needs_less_than_pixels_one_by_one(ran):
    example = ran("vae")
    assert example.rebuilt + example.distance < example.independent
    assert example.bounds[-1] < example.bounds[1] < example.bounds[0]


def test_maml_adapts_in_one_step(ran):
    errors = ran("maml").errors
    assert errors["MAML"][1] < 0.7 * errors["MAML"][0]
    assert errors["MAML"][-1] < 0.5 * errors["plain"][-1]


def test_hmc_has_the_exact_moments(ran):
    example = ran("hmc")
    np.testing.assert_array_less(np.abs(example.mean - example.exact_mean), 4 * example.uncertainty)
    np.testing.assert_allclose(example.deviation, example.exact_deviation, rtol=0.25)
    assert np.mean(example.accepted) > 0.7


def test_laplace_covers_what_it_says(ran):
    example = ran("laplace")
    assert 0.92 < example.covered < 0.98
    assert example.in_gap[0] > 3 * 0.05


def test_per_example_gradients_find_wrong_labels(ran):
    example = ran("per_example_gradients")
    assert example.difference < 1e-5
    assert example.by_norm > 0.5 * example.WRONG


# ---------------------------------------------------------------- notebooks and pages


@pytest.mark.parametrize("name", howto.NAMES)
def test_notebook_and_page_are_those_of_the_script(name):
    script = howto.read(name)
    book = nbformat.read(howto.PAGES / f"{name}.ipynb", as_version=4)
    nbformat.validate(book)
    expected = howto.notebook(script)
    assert [(cell.cell_type, cell.source) for cell in book.cells] == [
        (cell.cell_type, cell.source) for cell in expected.cells
    ], f"run python -m website.howto {name}"
    page = (howto.PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert page == howto.page(script, book), f"run python -m website.howto --pages {name}"
    outputs = [output for cell in book.cells for output in cell.get("outputs", ())]
    assert {"stream", "display_data"} == {output.output_type for output in outputs}
    assert (howto.PAGES / "pictures" / f"{name}.png").stat().st_size < 60_000


def test_the_index_shows_all_pages():
    assert (howto.PAGES / "index.md").read_text(encoding="utf-8") == howto.index()


def test_every_script_in_cells_has_a_page():
    in_cells = {path.stem for path in howto.SCRIPTS.glob("*.py") if "\n# %%\n" in path.read_text(encoding="utf-8")}
    assert in_cells == set(howto.NAMES)


def test_the_small_form_has_other_numbers_and_no_marks(tmp_path, monkeypatch):
    monkeypatch.setattr(howto, "SCRIPTS", tmp_path)
    (tmp_path / "a.py").write_text(
        '"""A: b.\n\nText.\n"""\n\n# %%\nN = 100  # small: 3\n\n# %% [markdown]\n# ## More\n#\n# x\n'
    )
    full, small = howto.read("a"), howto.read("a", small=True)
    assert [cell.text for cell in full.cells] == ["# A\n\nB.\n\nText.", "N = 100", "## More\n\nx"]
    assert small.cells[1].text == "N = 3"


def test_a_script_without_a_title_says_what_is_expected(tmp_path, monkeypatch):
    monkeypatch.setattr(howto, "SCRIPTS", tmp_path)
    (tmp_path / "a.py").write_text('"""No title."""\n')
    with pytest.raises(ValueError, match=re.escape("expected 'Title: what it shows.'")):
        howto.read("a")
