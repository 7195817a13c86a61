"""The scripts of the how-to pages: each runs small and gives what it promises; notebooks and pages are those of the scripts."""

import re
import types

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("keras")
nbformat = pytest.importorskip("nbformat")

from website import howto  # noqa: E402

import gradtape as tf  # noqa: E402


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


def test_gan(ran):
    losses = ran("gan").losses
    # It starts at chance, 2 log 2 for the discriminator; neither may win outright.
    assert 0.5 < losses[-20:, 1].mean() < 2
    assert np.isfinite(losses).all()
    assert losses[:, 0].std() > 0.01
    assert (ran("gan").counts > 0).sum() >= 5  # of ten digits


def test_the_penalty_of_the_wgan_holds_the_slope_of_its_critic(ran):
    example = ran("wgan_gp")
    assert 0.6 < example.steepness < 1.4
    assert (example.counts > 0).all()


def test_the_slope_of_the_critic_is_that_of_differences(ran):
    example = ran("wgan_gp")
    points, step = np.float32([[0.3, -1.2], [1.5, 0.4]]), np.float32(1e-2)
    axes = [np.float32([1, 0]), np.float32([0, 1])]
    differences = [
        (example.critic(points + step * axis) - example.critic(points - step * axis)).numpy()[:, 0] / (2 * step)
        for axis in axes
    ]
    found = example.slopes(tf.constant(points)).numpy()
    np.testing.assert_allclose(found, np.linalg.norm(differences, axis=0), rtol=0.1)


def test_style_transfer_comes_near_the_style(ran):
    example = ran("style_transfer")
    assert example.accuracy > 0.25  # by chance 0.17
    for _, before, after, _ in example.painted.values():
        assert after < 0.2 * before


def test_char_transformer_learns_the_rule(ran):
    example = ran("char_transformer")
    assert np.mean(example.losses[-10:]) < 0.3 * example.losses[0]
    assert example.right > 0.02  # of dates it has not seen; a guess is never right


def test_a_letter_of_the_transformer_depends_on_those_before_it_alone(ran):
    example = ran("char_transformer")
    line = np.array([example.encode("may 5 1999=1999-05-05")])
    other = line.copy()
    other[0, 12:] = 0
    one, two = (example.model(tf.constant(part)).numpy() for part in (line, other))
    np.testing.assert_allclose(one[0, :12], two[0, :12], atol=1e-5)
    assert np.abs(one[0, 12:] - two[0, 12:]).max() > 0.01


def test_messages_help(ran):
    example = ran("graph_network")
    assert example.with_messages[-1] > 0.9
    assert example.with_messages[-1] > example.without_messages[-1] + 0.1
    assert example.outside == 0


def test_actor_critic(ran):
    example = ran("actor_critic")
    assert np.mean(example.lengths[-10:]) > 1.3 * np.mean(example.lengths[:10])
    assert np.mean(example.trained) > 1.3 * np.mean(example.at_random)


def test_the_pole_falls_without_anybody_who_cares(ran):
    example = ran("actor_critic")
    state, steps = np.zeros(4), 0
    while not example.over(state):
        state, steps = example.push(state, 1), steps + 1
    assert 5 < steps < 20


def test_ppo_becomes_better(ran):
    curve = ran("ppo").curve
    assert np.mean(curve[-3:]) > np.mean(curve[:2]) + 0.02


def test_a_pendulum_that_stands_upright_stays_there(ran):
    states, reward = ran("ppo").move(tf.zeros([1, 2]), tf.zeros([1]))
    np.testing.assert_allclose(states, [[0, 0]], atol=1e-6)
    np.testing.assert_allclose(reward, [0], atol=1e-6)


def test_dp_sgd(ran):
    curves = ran("dp_sgd").curves
    assert curves[0.0][-1] > 0.8
    assert curves[2.0][-1] > 0.5


def test_the_privacy_spent_grows_with_steps_and_falls_with_noise(ran):
    epsilon = ran("dp_sgd").epsilon
    assert epsilon(0.0, 0.01, 100, 1e-5) == np.inf
    assert epsilon(1.0, 0.01, 100, 1e-5) < epsilon(1.0, 0.01, 1000, 1e-5)
    assert epsilon(2.0, 0.01, 1000, 1e-5) < epsilon(1.0, 0.01, 1000, 1e-5)
    # All images in every step: the plain Gaussian mechanism, whose divergence of order a is a / (2 noise^2).
    expected = min(order / (2 * 16) + np.log(1e5) / (order - 1) for order in range(2, 129))
    assert epsilon(4.0, 1 - 1e-12, 1, 1e-5) == pytest.approx(expected, rel=1e-6)


def test_integrated_gradients_are_complete_and_name_the_pixels_that_count(ran):
    example = ran("saliency")
    assert example.gap < 1e-3
    assert example.still_right["integrated gradients"][2] < 0.6 * example.still_right["random ink"][2]


def test_fgsm_fools_and_training_against_it_helps(ran):
    example = ran("fgsm")
    usual, hardened = example.right["usual", "fgsm"], example.right["hardened", "fgsm"]
    assert usual[0] > 0.9
    assert usual[3] < 0.6 < example.with_noise
    assert hardened[3] > usual[3] + 0.1


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
    assert (howto.PAGES / "pictures" / f"{name}.png").stat().st_size <= howto.MOST_BYTES


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
