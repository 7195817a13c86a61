"""`tape.view()` and `function.view()`: what is in a picture, and how it is written."""

import json
import re
import subprocess
import sys
import textwrap
import time
import xml.etree.ElementTree

import numpy as np
import pytest

import gradtape as tf
from gradtape.cli.command import main
from gradtape.diagnostics.view import view as views
from gradtape.diagnostics.view.folding import MOST_CHILDREN, arranged
from gradtape.diagnostics.view.picture import Group, Node
from gradtape.diagnostics.view.watching import Watch

FILE = __file__


def node_named(picture, name):
    return next(node for node in picture.nodes if node.name == name)


def groups_of(picture):
    return [(group.kind, group.name) for group in picture.root.groups()][1:]


def inside(picture, name):
    """The names of the nodes in the first group of a name."""
    group = next(group for group in picture.root.groups() if group.name == name)
    return [picture.nodes[place].name for place in group.nodes()]


def chain(count):
    x = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        y = x * 1.0
        for _ in range(count):
            y = tf.tanh(y) * x
    return tape, y


# --- nodes -----------------------------------------------------------------------------------------------------------------


def test_a_node_has_its_operands_its_shape_and_its_line():
    w = tf.Variable(tf.ones([3, 2]), name="w")
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        y = tf.nn.relu(x @ w)
    picture = tape.view().pictures[0]
    assert [(node.name, node.kind, node.look) for node in picture.nodes] == [
        ("w", "variable", "float32 [3, 2]"),
        ("matmul", "op", "float32 [1, 2]"),
        ("relu", "op", "float32 [1, 2]"),
    ]
    assert [node.inputs for node in picture.nodes] == [[], [0], [1]]
    for node in picture.nodes[1:]:
        assert node.where.file == FILE
        assert node.where.text == "y = tf.nn.relu(x @ w)"
    assert y.shape == (1, 2)


@pytest.mark.parametrize(
    "apply",
    [
        lambda x, c: x @ c,
        lambda x, c: c @ c,
        lambda x, c: np.ones((2, 2), np.float32) @ x,
        lambda x, c: c @ c[0],
        lambda x, c: x[0],
        lambda x, c: c[1],
        lambda x, c: x[:, None],
        lambda x, c: c[..., 0],
        lambda x, c: [row * 2.0 for row in c],
        lambda x, c: x / c,
        lambda x, c: tf.matmul(x, c),
    ],
)
def test_operators_lead_to_the_line_that_they_are_on(apply):
    x, c = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for _ in range(2):  # an entry is compiled at its first call
        with tf.GradientTape() as tape:
            tape.watch(c)
            apply(x, c)
        places = [node.where for node in tape.view().pictures[0].nodes if node.kind == "op"]
        assert {(place.file, place.line) for place in places} == {(FILE, apply.__code__.co_firstlineno)}


def test_bytes_are_those_that_the_tape_holds():
    x = tf.Variable(tf.ones([100]))
    with tf.GradientTape() as tape:
        tf.reduce_sum(tf.exp(x))
        held = tape.memory().total
    picture = tape.view().pictures[0]
    assert sum(node.bytes for node in picture.nodes) == held == 400
    assert node_named(picture, "exp").bytes == 400


def test_a_target_gives_the_norms_of_gradients():
    x = tf.Variable([3.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * x) / 2.0
    picture = tape.view(y).pictures[0]
    assert picture.nodes[0].norm == pytest.approx(5.0)
    assert picture.nodes[-1].norm == pytest.approx(1.0)
    assert tape.gradient(y, x) is not None  # the records are still there


def test_without_a_target_the_picture_names_the_switches():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        tf.tanh(x)
    picture = tape.view().pictures[0]
    assert "norm" not in json.dumps(picture.data()["nodes"])
    assert "fwd" not in json.dumps(picture.data()["nodes"])
    assert any("profile=True" in hint for hint in picture.hints)
    assert any("tape.view(target)" in hint for hint in picture.hints)


def test_a_profiled_tape_keeps_times_and_norms_and_shows_them_after_the_gradient():
    x = tf.Variable([3.0, 4.0])
    with tf.GradientTape(profile=True) as tape:
        y = tf.reduce_sum(x * x)
    tape.gradient(y, x)
    picture = tape.view().pictures[0]
    product = node_named(picture, "multiply")
    assert product.forward > 0
    assert product.backward > 0
    assert product.norm == pytest.approx(np.sqrt(2.0))
    assert product.look == "float32 [2]"
    assert any("ms forward" in fact for fact in picture.facts)


def test_a_spent_tape_says_what_to_do():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match=r"before gradient\(\), or make the tape with .*persistent=True"):
        tape.view()


def test_a_tape_that_was_not_entered_says_so():
    with pytest.raises(RuntimeError, match="not entered yet"):
        tf.GradientTape().view()


def test_a_persistent_tape_shows_itself_any_number_of_times():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    tape.gradient(y, x)
    assert len(tape.view(y).pictures[0].nodes) == len(tape.view(y).pictures[0].nodes) == 2


def test_bad_targets_are_refused():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        x * x
    with pytest.raises((TypeError, ValueError)):
        tape.view("loss")


# --- marks -----------------------------------------------------------------------------------------------------------------


def test_a_cut_is_a_node_and_the_source_is_marked_none():
    a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable([1.0, 2.0], name="b")
    with tf.GradientTape() as tape:
        best = tf.argmax(a)
        loss = tf.cast(best, tf.float32) + tf.reduce_sum(b)
    picture = tape.view(loss, [a, b]).pictures[0]
    cut = node_named(picture, "argmax")
    assert cut.kind == "cut"
    assert cut.where.text == "best = tf.argmax(a)"
    assert "a position is an integer" in cut.note
    assert node_named(picture, "a").marks == ("none",)
    assert "argmax" in node_named(picture, "a").note
    assert node_named(picture, "b").marks == ()


def test_a_value_that_leaves_as_a_number_is_shown():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        scale = float(x[0])
        tf.reduce_sum(x * scale)
    exits = [node for node in tape.view().pictures[0].nodes if node.kind == "exit"]
    assert [node.where.text for node in exits] == ["scale = float(x[0])"]


def test_ones_like_cuts_nothing():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        tf.reduce_sum(x * tf.ones_like(x))
    assert {node.kind for node in tape.view().pictures[0].nodes} == {"variable", "op"}


def test_a_nan_is_marked_where_it_is_forward_and_backward():
    x = tf.Variable([0.0, 1.0])
    with tf.GradientTape() as tape:
        y = tf.math.log(x - 1.0)
        loss = tf.reduce_sum(tf.exp(y))
    picture = tape.view(loss, x).pictures[0]
    assert "nan" in node_named(picture, "exp").marks
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.sqrt(x))
    picture = tape.view(loss, x).pictures[0]
    assert picture.nodes[0].marks == ("infinite gradient",)
    assert picture.data()["nodes"][0]["norm"] == "inf"  # JSON has no infinities
    assert "∇ Inf" in tape.view(loss, x).svg()


def test_arguments_of_a_function_are_drawn_in_it_with_their_names_and_idle_ranges_are_not():
    @tf.function
    def f(x, w):
        h = x
        for _ in tf.range(3):
            h = tf.tanh(h)
        return h @ w

    w, x = tf.Variable(tf.ones([3, 2]), name="w"), tf.ones([4, 3])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(f(x, w))
    own = f.view().pictures[0]
    assert [node.name for node in own.nodes if not node.inputs][:1] == ["x"]
    for picture in (tape.view(y).pictures[0], own):
        assert "range" not in [node.name for node in picture.nodes]
    inside = node_named(tape.view(y).pictures[0], "x")
    assert (inside.kind, [scope.name for scope in inside.scopes]) == ("value", ["f"])


def test_after_a_none_a_plain_tape_shows_what_it_kept():
    x, z = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.stop_gradient(x * 2.0)) + z
    tape.gradient(y, [x, z])
    picture = tape.view().pictures[0]
    assert node_named(picture, "stop_gradient").kind == "cut"
    assert any("persistent=True" in hint for hint in picture.hints)


# --- groups ----------------------------------------------------------------------------------------------------------------


def test_layers_are_groups():
    keras = pytest.importorskip("keras", reason="layers are those of Keras")
    model = keras.Sequential([keras.layers.Dense(4, activation="relu"), keras.layers.Dense(2)], name="net")
    x = tf.ones([3, 5])
    model(x)
    with tf.GradientTape() as tape:
        loss = keras.losses.MeanSquaredError()(tf.ones([3, 2]), model(x))
    picture = tape.view(loss).pictures[0]
    names = groups_of(picture)
    assert names[0] == ("layer", "net")
    assert [name for kind, name in names if kind == "layer"][1:3] == [layer.name for layer in model.layers]
    assert ("layer", "mean_squared_error") in names
    assert {node.where.file for node in picture.nodes if node.kind == "op"} == {FILE}
    kernel, bias = (weight.path for weight in model.layers[0].weights)
    assert inside(picture, model.layers[0].name) == [kernel, "matmul", bias, "add", "relu"]


def test_name_scopes_and_modules_are_groups():
    class Dense(tf.Module):
        def __init__(self, name):
            super().__init__(name=name)
            self.w = tf.Variable(tf.ones([2, 2]), name="w")

        @tf.Module.with_name_scope
        def __call__(self, x):
            return tf.tanh(x @ self.w)

    first, second = Dense("first"), Dense("second")
    with tf.GradientTape() as tape:
        h = first(tf.ones([1, 2]))
        with tf.name_scope("outer"), tf.name_scope("inner"):
            h = tf.exp(h)
        second(h)
    picture = tape.view().pictures[0]
    assert groups_of(picture) == [
        ("scope", "first"),
        ("scope", "outer"),
        ("scope", "inner"),
        ("scope", "second"),
    ]
    assert inside(picture, "second") == ["w", "matmul", "tanh"]


def test_functions_of_the_program_are_groups():
    class Block:
        def __call__(self, x):
            return tf.tanh(x) * 2.0

    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        tf.exp(Block()(x))
    picture = tape.view().pictures[0]
    (group,) = groups_of(picture)
    assert group[0] == "module"
    assert group[1].endswith("Block.__call__")


def test_a_call_of_a_public_function_made_of_ops_is_a_group():
    a = tf.Variable(tf.ones([2, 2]))
    with tf.GradientTape() as tape:
        tf.linalg.matvec(a, tf.ones([2]))
    assert groups_of(tape.view().pictures[0]) == [("call", "linalg.matvec")]


def test_rounds_of_a_loop_are_folded_under_its_statement():
    tape, y = chain(1000)
    picture = tape.view(y).pictures[0]
    loop = next(group for group in picture.root.groups() if group.kind == "loop")
    assert loop.name == "for _ in range(count)  × 1000"
    assert loop in picture.root.children
    first = next(group for group in loop.groups() if group.kind == "round")
    assert [picture.nodes[place].name for place in first.nodes()] == ["tanh", "Variable", "multiply"]


def test_runs_of_equal_ops_are_folded():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        sum((x * 2.0 for _ in range(20)), start=x)  # two ops in each round
        parts = [tf.tanh(x) for _ in range(50)]
        tf.add_n(parts)
    picture = tape.view().pictures[0]
    assert ("run", "tanh  × 50") in groups_of(picture)


def test_inner_loops_of_different_lengths_do_not_hide_the_outer_one():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * 1.0
        for count in (5, 7, 6, 9):
            y = tf.exp(-y)
            for _ in range(count):
                y = tf.sin(y)
                y = tf.cos(y)
    picture = tape.view().pictures[0]
    outer = [group.name for group in picture.root.children if isinstance(group, Group)]
    assert outer == ["for count in (5, 7, 6, 9)  × 4"]


def test_a_few_rounds_are_shown_as_they_are():
    tape, _ = chain(2)
    assert groups_of(tape.view().pictures[0]) == []


def test_a_variable_stands_in_each_group_that_uses_it():
    w = tf.Variable(tf.ones([2, 2]), name="w")
    with tf.GradientTape() as tape:
        h = tf.ones([1, 2])
        for name in ("one", "two"):
            with tf.name_scope(name):
                h = tf.tanh(h @ w)
    picture = tape.view().pictures[0]
    assert inside(picture, "one") == inside(picture, "two") == ["w", "matmul", "tanh"]
    (copy,) = (node for node in picture.nodes if node.same is not None)
    assert picture.nodes[copy.same].name == "w"
    assert {"same": 0} in picture.data()["nodes"]


def program(count, seed=0):
    """Nodes of a program without loops and calls."""
    names = np.random.default_rng(seed).choice(["tanh", "add", "multiply", "exp", "sin"], count)
    return [Node(str(name), "op", [place - 1] if place else []) for place, name in enumerate(names)]


@pytest.mark.parametrize("count", [1, 29, 31, 1000, 10_000])
def test_no_group_is_larger_than_what_one_can_look_at(count):
    nodes = program(count)
    root = arranged(nodes)
    assert sorted(root.nodes()) == list(range(count))
    assert max(len(group.children) for group in root.groups()) <= MOST_CHILDREN


def test_at_most_300_boxes_are_shown_at_first():
    tape, y = chain(5000)
    picture = tape.view(y).pictures[0]
    assert len(picture.nodes) > 10_000
    assert sum(len(group.children) for group in picture.opened()) <= 300


def test_very_many_variables_of_one_op_are_a_group():
    variables = [tf.Variable(1.0, name=f"v{k}") for k in range(200)]
    with tf.GradientTape() as tape:
        tf.add_n(variables)
    picture = tape.view().pictures[0]
    assert ("part", "200 variables and inputs") in groups_of(picture)
    assert max(len(group.children) for group in picture.root.groups()) <= MOST_CHILDREN


# --- functions -------------------------------------------------------------------------------------------------------------


@tf.function
def looped(x, count):
    for _ in tf.range(count):
        x = tf.tanh(x)
    if tf.reduce_sum(x) > 0:
        x = x * 2.0
    else:
        x = -x
    return x


def test_loops_and_branches_of_a_function_are_groups():
    looped(tf.ones([2]), tf.constant(3))
    picture = looped.view().pictures[0]
    kinds = [kind for kind, _ in groups_of(picture)]
    assert "while" in kinds
    assert "branches" in kinds
    assert kinds.count("branch") == 2
    assert "tanh" in inside(picture, "body")
    assert node_named(picture, "tanh").where.file == FILE
    assert picture.facts == ("alone, compiled",)


def test_a_custom_gradient_in_a_function_is_a_call_and_no_loop():
    @tf.custom_gradient
    def second(x):
        return x * x, lambda g: g * 2.0 * x

    f = tf.function(lambda x: second(x))
    f(tf.constant(3.0))
    assert ("call", "custom_gradient") in groups_of(f.view().pictures[0])


def test_a_function_has_a_picture_for_each_trace():
    @tf.function
    def power(x, n):
        return x**n

    power(tf.constant(2.0), 2)
    power(tf.constant(2.0), 3)
    assert len(power.view().pictures) == 2


def test_a_function_that_was_not_traced_says_so():
    with pytest.raises(RuntimeError, match=r"has not been traced yet. Call it"):
        tf.function(lambda x: x).view()


def test_the_reason_why_a_function_is_interpreted_is_shown():
    @tf.function
    def odd(x):
        return tf.py_function(lambda a: a * 2.0, [x], tf.float32)

    x = tf.Variable(1.0)
    with tf.GradientTape():
        odd(x)
    assert any("interpreted" in fact for fact in odd.view().pictures[0].facts)


def test_a_step_that_runs_between_compiled_parts_says_why():
    @tf.function
    def mixed(x):
        x = tf.tanh(tf.exp(x))
        drawn = tf.cond(
            x[0] > 0, lambda: tf.random.uniform(tf.shape(tf.numpy_function(len, [x], tf.int64))), lambda: 0.0
        )
        return tf.tanh(tf.exp(x + drawn))

    mixed(tf.ones([2]))
    picture = mixed.view().pictures[0]
    assert picture.facts[0].startswith("alone, compiled in 3 parts: cond: ")
    assert "is needed" in node_named(picture, "cond").note
    assert node_named(picture, "tanh").note == ""


def test_a_concrete_function_has_its_own_picture():
    concrete = tf.function(lambda x: tf.exp(x)).get_concrete_function(tf.TensorSpec([None]))
    picture = concrete.view().pictures[0]
    assert node_named(picture, "exp").look == "float32 [?]"
    assert picture.facts == ("it has not run yet",)


def test_a_compiled_function_under_a_tape_is_a_group_with_its_steps():
    w = tf.Variable([[1.0]], name="w")

    @tf.function
    def step(x):
        return tf.tanh(x @ w)

    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(step(tf.ones([1, 1])))
    picture = tape.view(loss, w).pictures[0]
    assert ("function", "step") in groups_of(picture)
    assert inside(picture, "step") == ["w", "input 1", "matmul", "tanh", "step"]


def test_a_function_that_calls_itself_ends():
    @tf.function
    def outer(x):
        return inner(x) + inner(x * 2.0)

    @tf.function
    def inner(x):
        return tf.exp(x)

    outer(tf.constant(1.0))
    picture = outer.view().pictures[0]
    assert [node.name for node in picture.nodes].count("exp") == 2


# --- what is written -------------------------------------------------------------------------------------------------------


@pytest.fixture
def view():
    tape, y = chain(3)
    return tape.view(y)


def test_the_page_is_whole_and_asks_nobody_for_anything(view, tmp_path):
    page = view.html()
    assert "{{" not in re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"(src|href)=", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))
    assert "Chris Pettitt" in page  # the licence of the layout goes with it
    assert view.save(tmp_path / "a.html") == str(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page


def test_text_of_the_program_cannot_become_part_of_the_page():
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape() as tape, tf.name_scope("a"):
        tf.tanh(x)  # </script><script>alert(1)</script>
    page = tape.view().html()
    assert "<script>alert(1)" not in page
    assert "\\u003cscript>alert(1)" in page


def test_a_notebook_shows_the_page_in_a_frame(view):
    text = view._repr_html_()
    assert text.startswith("<iframe srcdoc=")
    assert "<script" not in text  # escaped


def test_dot_has_all_nodes_edges_and_clusters():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape, tf.name_scope('a "scope"'):
        tf.tanh(x * 2.0)
    text = tape.view().dot()
    assert text.count("->") == 2
    assert 'label="a \\"scope\\""' in text
    assert text.count("{") == text.count("}") == 2


def test_svg_is_the_picture_of_the_page(view, tmp_path):
    pytest.importorskip("quickjs", reason="runs the layout outside of a browser (extra `plot`)")
    root = xml.etree.ElementTree.fromstring(view.svg())
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "tanh" in words
    assert "float32 []" in words
    boxes = [e for e in root.iter("{http://www.w3.org/2000/svg}g") if "data-key" in e.attrib]
    assert len(boxes) == len(view.pictures[0].nodes)
    view.save(tmp_path / "a.svg", theme="dark", colour="norm")
    assert "#14171c" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_boxes_of_the_layout_do_not_overlap():
    pytest.importorskip("quickjs", reason="runs the layout outside of a browser (extra `plot`)")
    tape, y = chain(40)
    painted = views._engine_call("painted", tape.view(y).pictures[0].data(), "kind", "light")
    boxes = [s for s in painted["shapes"] if s["shape"] == "rect" and s.get("main")]
    assert boxes
    for place, a in enumerate(boxes):
        for b in boxes[place + 1 :]:
            apart = a["x"] + a["width"] <= b["x"] + 0.1 or b["x"] + b["width"] <= a["x"] + 0.1
            assert apart or a["y"] + a["height"] <= b["y"] + 0.1 or b["y"] + b["height"] <= a["y"] + 0.1


def test_png_is_drawn_without_a_browser(view, tmp_path):
    pytest.importorskip("quickjs", reason="runs the layout outside of a browser (extra `plot`)")
    matplotlib_image = pytest.importorskip("matplotlib.image", reason="draws the PNG (extra `plot`)")
    view.save(tmp_path / "a.png", scale=1.0)
    pixels = matplotlib_image.imread(tmp_path / "a.png")
    assert pixels.shape[0] > 200
    assert len(np.unique(pixels[..., :3].reshape(-1, 3), axis=0)) > 20
    assert view.png(theme="dark", scale=0.5)[:4] == b"\x89PNG"


def test_without_the_engine_an_svg_says_what_to_install(view, monkeypatch):
    monkeypatch.setitem(sys.modules, "quickjs", None)
    with pytest.raises(ImportError, match=r"pip install quickjs-ng"):
        view.svg()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda view, path: view.save(path / "a.pdf"), ValueError, r"\.html, \.svg, \.png or \.dot"),
        (lambda view, path: view.save(path / "a.html", theme="dark"), TypeError, "takes no settings, got theme"),
        (lambda view, path: view.svg(theme="blue"), ValueError, "theme is one of auto, light, dark; got 'blue'"),
        (lambda view, path: view.svg(colour="red"), ValueError, "colour is one of kind, bytes, time, norm"),
        (lambda view, path: view.png(scale=0), ValueError, r"scale must be from 0\.1 to 8, got 0"),
        (lambda view, path: view.dot(1), IndexError, "there are 1 pictures, from 0 on; got 1"),
    ],
)
def test_bad_settings_are_named(view, tmp_path, call, error, words):
    with pytest.raises(error, match=words):
        call(view, tmp_path)
    assert list(tmp_path.iterdir()) == []


# --- the command -----------------------------------------------------------------------------------------------------------

SCRIPT = """
    import sys
    import tensorflow as tf

    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        return tf.reduce_sum(x * v)

    for _ in range(3):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.tanh(v))
        tape.gradient(y, v)
    f(tf.constant([1.0, 2.0]))
    {end}
"""


def gradtape(*arguments, folder):
    command = [sys.executable, "-m", "gradtape", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


def test_the_command_writes_what_a_script_has_recorded(tmp_path):
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT.format(end="")))
    done = gradtape("view", "script.py", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote view.html\n", "")
    page = (tmp_path / "view.html").read_text(encoding="utf-8")
    titles = re.findall(r'"title":"([^"]*)"', page)
    assert len(titles) == 2  # a gradient that is taken three times is one picture
    assert titles[0].endswith("script.py:14 · Tape · 2 ops · script.py")
    assert titles[1] == "f · 3 steps"


def test_a_script_that_fails_leaves_its_picture_and_its_error(tmp_path):
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT.format(end="raise SystemExit('enough')")))
    done = gradtape("view", "-o", "a.dot", "script.py", folder=tmp_path)
    assert done.returncode == 1
    assert "enough" in done.stderr
    assert (tmp_path / "a.dot").read_text().startswith("digraph")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["view", "nosuch.py"], "there is no file 'nosuch.py'"),
        (["view", "-o", "a.txt", "empty.py"], "expected a file that ends in .html, .svg, .png or .dot; got 'a.txt'"),
        (["view", "-o", "no/a.html", "empty.py"], "there is no folder"),
    ],
)
def test_the_command_refuses_what_it_cannot_do(tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 1
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_script_without_tapes_says_that_there_is_nothing_to_show(tmp_path):
    (tmp_path / "empty.py").write_text("pass\n")
    done = gradtape("view", "empty.py", folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("gradtape view: error: the program asked no tape for a gradient")
    assert [path.name for path in tmp_path.iterdir()] == ["empty.py"]


def test_watches_that_overlap_see_what_runs_while_each_is_open():
    @tf.function
    def square(x):
        return x * x

    @tf.function
    def cube(x):
        return x * x * x

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x)
        tape.gradient(y, x)

    first, second, x = Watch(), Watch(), tf.constant(2.0)
    first.__enter__()
    square(x)
    second.__enter__()
    slope(x)
    first.__exit__(None, None, None)
    cube(x)
    second.__exit__(None, None, None)
    square(x), slope(x)
    assert [len(watch.pictures()) for watch in (first, second)] == [2, 2]
    assert list(first._tapes) == list(second._tapes)
    assert list(first._functions.values()) == [square]
    assert list(second._functions.values()) == [cube]


def test_lines_of_a_long_program_are_found_in_proportion_to_their_number():
    def counted(lines):
        names = {"tf": tf, "y": tf.Variable(0.5)}
        with tf.GradientTape() as tape:
            exec(compile("y = tf.tanh(y)\n" * lines, f"a program of {lines} lines", "exec"), names)
        begin = time.process_time()
        tape.view()
        return time.process_time() - begin

    counted(500)
    assert counted(8000) < 32 * max(counted(1000), 0.05)
