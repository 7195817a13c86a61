"""The page of a view in a real browser: open, expand, search, click, keys, themes; and how long it takes with 10,000 ops."""

import pathlib

import pytest
from tests.diagnostics import chromium

import gradtape as tf

pytest.importorskip("websocket", reason="drives the browser")
if chromium.EXECUTABLE is None:
    pytest.skip("Chromium is not installed: apt-get install chromium", allow_module_level=True)


@pytest.fixture(scope="module")
def browser():
    found = chromium.Chromium()
    yield found
    found.close()


@pytest.fixture(scope="module")
def model_page(tmp_path_factory):
    """Two scopes, a loop, a cut and a None."""
    w, v = tf.Variable(tf.ones([2, 2]), name="w"), tf.Variable([1.0, 2.0], name="v")
    with tf.GradientTape() as tape:
        h = tf.ones([1, 2])
        with tf.name_scope("encoder"):
            for _ in range(10):
                h = tf.tanh(h @ w)
        with tf.name_scope("decoder"):
            h = tf.exp(h @ w)
        loss = tf.reduce_sum(h) + tf.cast(tf.argmax(v), tf.float32)
    return written(tape.view(loss, [w, v]), tmp_path_factory)


@pytest.fixture(scope="module")
def large_page(tmp_path_factory):
    """10,000 ops in a program without loops, and a loop of 1,000 rounds."""
    ops = ["tf.tanh(y)", "y * 0.9", "y + x", "tf.sin(y)", "tf.exp(-y)", "y - 0.1"]
    lines = [f"y = {ops[(place * place // 7 + place * 13) % 6]}" for place in range(8000)]
    names = {"tf": tf, "x": tf.Variable(0.5), "y": tf.constant(0.1)}
    with tf.GradientTape() as tape:
        exec(compile("\n".join(lines), "a long program", "exec"), names)
        y = names["y"]
        for _ in range(1000):
            y = tf.tanh(y) * names["x"]
    view = tape.view(y)
    assert len(view.pictures[0].nodes) >= 10_000
    return written(view, tmp_path_factory)


def written(view, factory) -> pathlib.Path:
    path = factory.mktemp("page") / "view.html"
    view.save(path)
    return path


def shown(browser):
    """The texts of the boxes."""
    return browser.run("[...document.querySelectorAll('#layer .item')].map((item) => item.textContent)")


def key_of(browser, text):
    """The box whose text begins so."""
    return browser.run(
        f"[...document.querySelectorAll('#layer .item')].find((one) => one.textContent.startsWith({text!r})).dataset.key"
    )


def panel(browser):
    return browser.run("document.getElementById('panel').hidden ? '' : document.getElementById('panel').innerText")


def test_it_opens_without_an_error_and_without_network(browser, model_page):
    browser.open(model_page)
    texts = shown(browser)
    assert any(text.startswith("encoder") for text in texts)
    assert any(text.startswith("reduce_sum") for text in texts)
    assert browser.run("document.title").startswith("Tape · ")
    assert browser.failures() == []


def test_a_group_opens_and_closes(browser, model_page):
    browser.open(model_page)
    before = browser.run("gradtapeView.boxes()")
    loop = key_of(browser, "for _ in range(10)")
    browser.click(f"[data-toggle={loop}]")
    assert browser.run("gradtapeView.boxes()") == before + 10
    assert any(text.startswith("round 3") for text in shown(browser))
    browser.click(f"[data-toggle={loop}]")
    assert browser.run("gradtapeView.boxes()") == before


def test_a_double_click_opens_too(browser, model_page):
    browser.open(model_page)
    before = browser.run("gradtapeView.open()")
    browser.click(f".item.group:not(.open)[data-key={key_of(browser, 'for _ in range(10)')}]", count=2)
    assert browser.run("gradtapeView.open()") == before + 1


def test_the_box_that_was_opened_stays_where_it_is(browser, model_page):
    browser.open(model_page)
    loop = key_of(browser, "for _ in range(10)")
    circle = f"document.querySelector('[data-toggle={loop}] circle').getBoundingClientRect()"
    place = f"(() => {{ const box = {circle}; return [box.x, box.y]; }})()"
    browser.frames()
    before = browser.run(place)
    browser.click(f"[data-toggle={loop}]")
    browser.frames()
    assert browser.run(place) == pytest.approx(before, abs=2.5)


def test_a_click_shows_the_line_with_the_source_around_it(browser, model_page):
    browser.open(model_page)
    browser.click(f"[data-key={key_of(browser, 'exp')}]")
    text = panel(browser)
    assert "float32 [1, 2]" in text
    assert "test_view_page.py:" in text
    assert browser.run("document.querySelector('#panel .here').innerText").endswith("h = tf.exp(h @ w)")
    assert 'with tf.name_scope("decoder"):' in text
    browser.click("#panel .close")
    assert panel(browser) == ""


def test_links_of_the_panel_lead_to_the_neighbours(browser, model_page):
    browser.open(model_page)
    browser.click(f"[data-key={key_of(browser, 'exp')}]")
    browser.run("document.querySelector('#panel .links [data-go]').click()")
    assert panel(browser).startswith("×\nmatmul") or "matmul" in panel(browser).splitlines()[:3]


def test_search_finds_what_is_in_closed_groups(browser, model_page):
    browser.open(model_page)
    browser.key("/")
    browser.type("tanh")
    browser.frames()
    assert browser.run("document.querySelectorAll('#results [role=option]').length") > 10
    browser.key("Enter")
    browser.frames()
    assert "tanh" in browser.run("document.querySelector('.item.chosen').textContent")
    assert any(text.startswith("round 1") for text in shown(browser))


def test_search_says_when_there_is_nothing(browser, model_page):
    browser.open(model_page)
    browser.key("/")
    browser.type("no such op")
    browser.frames()
    assert "Nothing of that name" in browser.run("document.getElementById('results').innerText")
    browser.key("Escape")
    assert browser.run("document.getElementById('results').hidden")


def test_it_can_be_used_with_keys_alone(browser, model_page):
    browser.open(model_page)
    browser.key("ArrowDown")
    first = browser.run("gradtapeView.chosen()")
    assert first is not None
    for _ in range(4):
        browser.key("ArrowDown")
    assert browser.run("gradtapeView.chosen()") != first
    before = browser.run("gradtapeView.boxes()")
    browser.key("c")
    assert browser.run("gradtapeView.open()") == 1
    browser.key("e")
    assert browser.run("gradtapeView.boxes()") > before
    browser.key("?")
    assert not browser.run("document.getElementById('keys').hidden")
    browser.key("Escape")
    assert browser.run("document.getElementById('keys').hidden")


def test_problems_are_counted_and_reached_with_n(browser, model_page):
    browser.open(model_page)
    assert browser.run("document.getElementById('problems').innerText") == "1 problem"
    browser.key("n")
    text = panel(browser)
    assert "Its gradient is None." in text
    assert "argmax" in text  # the explanation
    browser.key("n")
    assert "The gradient ends here." in panel(browser)


def test_it_is_light_or_dark_as_the_reader_prefers_and_can_be_switched(browser, model_page):
    paper = "getComputedStyle(document.body).backgroundColor"
    browser.open(model_page)
    light = browser.run(paper)
    browser.open(model_page, dark=True)
    dark = browser.run(paper)
    assert dark != light
    browser.key("t")
    assert browser.run(paper) == light


def test_boxes_can_be_coloured_by_the_gradient(browser, model_page):
    browser.open(model_page)
    browser.run(
        "(() => { const by = document.getElementById('colour'); by.value = 'norm'; by.dispatchEvent(new Event('change')); })()"
    )
    assert browser.run("document.querySelectorAll('[class*=f-heat]').length") > 3
    assert browser.run("document.querySelector('#colour [value=time]').disabled")  # the tape measured nothing


def test_it_fits_a_phone(browser, model_page):
    browser.open(model_page, width=390, height=844, phone=True)
    assert browser.run("document.documentElement.scrollWidth") <= 390
    browser.click(f"[data-key={key_of(browser, 'exp')}]")
    place = browser.run(
        "(() => { const box = document.getElementById('panel').getBoundingClientRect(); return [box.width, box.top]; })()"
    )
    assert place[0] == 390
    assert place[1] > 400


@pytest.mark.parametrize("end", ["</script>", "<img src=x onerror=document.title='bad'>"])
def test_names_are_text(browser, tmp_path_factory, end):
    x = tf.Variable(1.0, name=f"x{end}")
    with tf.GradientTape() as tape, tf.name_scope(f"a{end}"):
        tf.tanh(x * 2.0)
    browser.open(written(tape.view(), tmp_path_factory))
    assert browser.failures() == []
    assert browser.run("document.title") != "bad"
    assert browser.run("document.querySelectorAll('img').length") == 0


# --- 10,000 ops ------------------------------------------------------------------------------------------------------------


def test_10_000_ops_open_in_two_seconds_with_at_most_300_boxes(browser, large_page):
    best = 1e9
    for _ in range(3):  # (others may use the machine)
        browser.open(large_page)
        best = min(best, browser.run("gradtapeView.ready"))
    assert best < 2000
    assert browser.run("gradtapeView.boxes()") <= 300
    assert browser.failures() == []


def test_no_frame_takes_long_while_panning_over_300_boxes(browser, large_page):
    browser.open(large_page)
    browser.key("e")
    assert 200 < browser.run("gradtapeView.boxes()") <= 300
    browser.frames(5)
    assert browser.longest_task(PANNING) < 100
    # The time between frames has waiting for a processor in it, which others use. A frame that the page makes slow is slow in
    # each of these walks; one that somebody else has delayed is not.
    assert min(browser.run(PANNING) for _ in range(6)) < 100


# Moves over the stage for 60 frames; the longest time between two of them in milliseconds.
PANNING = """(async () => {
    let last = 0, longest = 0;
    const stage = document.getElementById('stage');
    const send = (kind, clientX, clientY) => stage.dispatchEvent(new PointerEvent(kind, {pointerId: 1, clientX, clientY}));
    const wheel = (deltaY) => stage.dispatchEvent(new WheelEvent('wheel', {deltaY, clientX: 500, cancelable: true}));
    stage.setPointerCapture = () => {};
    send('pointerdown', 600, 400);
    for (let i = 0; i < 60; i++) {
      send('pointermove', 600 + 300 * Math.sin(i / 6), 400 + 200 * Math.cos(i / 5));
      if (i % 20 === 19) wheel(i % 40 === 39 ? 120 : -120);
      const now = await new Promise(requestAnimationFrame);
      if (last) longest = Math.max(longest, now - last);
      last = now;
    }
    send('pointerup', 600, 400);
    return longest;
  })()"""


def test_opening_more_and_more_never_shows_more_than_300_boxes(browser, large_page):
    browser.open(large_page)
    knob = "document.querySelector('.group:not(.open) [data-toggle] circle')"
    for _ in range(12):
        browser.run(f"{knob}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
        assert browser.run("gradtapeView.boxes()") <= 300
    assert browser.failures() == []
