"""The built site in a real browser, opened from its folder: it fits a desk and a phone, logs no error, and its search finds."""

import os
import pathlib
import subprocess
import sys

import pytest
from tests.diagnostics import chromium

pytest.importorskip("websocket", reason="drives the browser")
pytest.importorskip("mkdocs", reason="builds the site: pip install '.[docs]'")
if chromium.EXECUTABLE is None:
    pytest.skip("Chromium is not installed: apt-get install chromium", allow_module_level=True)

ROOT = pathlib.Path(__file__).parents[1]
PAGES = [
    "index.html",
    "ops.html",
    "guide/gradients.html",
    "how-to/index.html",
    "how-to/saliency.html",
    "from/pytorch.html",
    "reference/tf.html",
]
SIZES = {"desk": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844, "phone": True}}
RENDERED = "document.readyState === 'complete' && !document.documentElement.classList.contains('no-js')"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site: the one that GRADTAPE_TEST_SITE names, or one built here."""
    if built := os.environ.get("GRADTAPE_TEST_SITE"):
        return pathlib.Path(built)
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return folder


@pytest.fixture(scope="module")
def browser():
    found = chromium.Chromium()
    yield found
    found.close()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_and_logs_no_error(browser, site, page, size):
    browser.open(site / page, ready=RENDERED, **SIZES[size])
    browser.run("document.fonts.ready.then(() => true)")
    assert browser.run("document.fonts.check('16px Inter')")
    # (A phone shows a page that is too wide at a smaller scale: innerWidth grows with it.)
    needed = browser.run("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth)")
    assert needed <= SIZES[size]["width"]
    assert (
        browser.run("[...document.images].filter((one) => one.complete && !one.naturalWidth).map((one) => one.src)")
        == []
    )
    assert browser.failures() == []


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("gradient is None", "guide/why-none.html"),
        ("NaN", "guide/nan.html"),
        ("GradientTape", "reference/tf.html#tf.GradientTape"),
        ("several devices", "guide/devices.html"),
        ("pinn", "how-to/pinn.html"),
    ],
)
def test_search_finds_a_page_among_the_first(browser, site, query, address):
    browser.open(site / "index.html", ready=RENDERED, **SIZES["desk"])
    browser.click(".md-search__input")
    browser.type(query)
    browser.wait("document.querySelectorAll('.md-search-result__item').length > 0")
    found = browser.run(
        "[...document.querySelectorAll('.md-search-result__item')].slice(0, 3)"
        ".map((item) => [...item.querySelectorAll('a')].map((link) => link.href.split('?')[0] + link.hash))"
    )
    links = [link.removeprefix(site.as_uri() + "/") for item in found for link in item]
    assert any(link.startswith(address) for link in links), links
    assert browser.failures() == []
