"""Errors name the variable and the user's line; what cannot be converted runs as it is, with one warning."""

import inspect
import textwrap
import traceback
import warnings

import numpy as np
import pytest

import gradtape as tf
from gradtape.autograph import AutographWarning, convert

c, function = tf.constant, tf.function


def undefined_in_else(x):
    if x > 0:
        y = 1
    return y


def none_in_main(x):
    if x > 0:
        y = None
    else:
        y = x
    return y


def two_types(x):
    if x > 0:
        y = 1
    else:
        y = 2.5
    return y


def two_structures(x):
    if x > 0:
        y = [x]
    else:
        y = [x, x]
    return y


def two_objects(x):
    if x > 0:
        y = object()
    else:
        y = object()
    return y


def returns_sometimes(x):
    if x > 0:
        return x


def type_changes(x):
    y = tf.constant(0)
    while x > 0:
        y = tf.constant(1.5)
        x -= 1
    return y


def shape_changes(x):
    y = tf.zeros([1])
    while x > 0:
        y = tf.zeros([2])
        x -= 1
    return y


def structure_changes(x):
    y = (x, x)
    while x > 0:
        y = (x,)
        x -= 1
    return y


def object_changes(x):
    y = object()
    while x > 0:
        y = object()
        x -= 1
    return y


def becomes_none(x):
    y = x
    while x > 0:
        y = None
        x -= 1
    return y


def scalar_loop(x):
    for v in x:
        x = v
    return x


def not_bool(x):
    if x:
        return x
    return x


def expression_types(x):
    return True if x > 0 else 2.5


@pytest.mark.parametrize(
    ("fn", "error", "message"),
    [
        (undefined_in_else, ValueError, "'y' must also be initialized in the else branch"),
        (none_in_main, ValueError, "'y' is None at the end of the main branch"),
        (two_types, TypeError, "'y' has dtype int32 in the main branch, but dtype float32 in the else branch"),
        (two_structures, TypeError, "'y' does not have the same nested structure in the main and else branches"),
        (two_objects, TypeError, "'y' is <object object"),
        (returns_sometimes, ValueError, "must also have a return statement"),
        (type_changes, TypeError, "'y' has dtype int32 before the loop, but dtype float32 after one iteration"),
        (shape_changes, ValueError, r"'y' has shape \(1,\) before the loop, but shape \(2,\) after one iteration"),
        (structure_changes, TypeError, "'y' does not have the same nested structure before the loop"),
        (object_changes, TypeError, "'y' is <object object.* before the loop"),
        (becomes_none, ValueError, "'y' is None at the end of the iteration"),
        (scalar_loop, ValueError, "scalar"),
        (not_bool, ValueError, "condition of if statement expected to be `tf.bool` scalar.*tf.cast"),
        (
            expression_types,
            TypeError,
            "'x > 0' has dtype bool in the main branch, but dtype float32 in the else branch",
        ),
    ],
)
def test_what_a_graph_cannot_do_names_the_variable_and_the_line(fn, error, message):
    with pytest.raises(error, match=message) as caught:
        function(fn)(c(1))
    frames = traceback.extract_tb(caught.tb)
    assert any(frame.filename == __file__ and frame.name == fn.__name__ for frame in frames)


def test_a_vector_is_no_condition():
    def fn(x):
        return 1 if x > 0 else 2

    with pytest.raises(ValueError, match="reduce_any"):
        function(fn)(c([1, 2]))


class OwnError(Exception):
    def __init__(self, code, text):
        super().__init__(code, text)
        self.code = code


def raises(x):
    if x is not None:
        for _ in range(2):
            helper(
                x,
                deep=True,
            )


def helper(x, deep):
    while deep:
        raise OwnError(7, "seven")


def test_an_error_stays_the_object_it_is_and_shows_the_users_lines():
    with pytest.raises(OwnError) as caught:
        convert(raises)(1)
    error = caught.value
    assert error.args == (7, "seven")
    assert error.code == 7
    _, first = inspect.getsourcelines(raises)
    _, first_of_helper = inspect.getsourcelines(helper)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.name in ("raises", "helper")]
    assert [(frame.name, frame.lineno) for frame in frames] == [
        ("raises", first + 1),
        ("raises", first + 2),
        ("raises", first + 3),
        ("helper", first_of_helper + 1),
        ("helper", first_of_helper + 2),
    ]
    assert frames[-1].line == 'raise OwnError(7, "seven")'
    (note,) = error.__notes__
    assert note.startswith("in user code:\n")
    assert f'File "{__file__}", line {first_of_helper + 2}, in helper' in note


def test_a_lambda_has_one_frame():
    with pytest.raises(AttributeError) as caught:
        tf.function(lambda x: x.nmupy())(tf.constant(1.0))
    assert [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)].count("<lambda>") == 1
    assert caught.value.__notes__[0].count("in <lambda>") == 1


def test_user_code_catches_errors_of_what_it_calls():
    def fn(x):
        try:
            helper(x, True)
        except OwnError as error:
            return error.code
        return None

    assert convert(fn)(1) == 7


def test_ops_record_the_users_line():
    from gradtape.base.frames import user_location

    places = []

    def fn(x):
        if x:
            places.append(user_location())
        return x

    convert(fn)(1)
    # called from the test's file, at a line of `fn`
    assert places[0][0].co_filename == __file__


def from_text(text, name, filename="<nowhere>"):
    namespace = {"tf": tf, "__name__": "somewhere"}
    exec(compile(textwrap.dedent(text), filename, "exec"), namespace)
    return namespace[name]


def test_without_source_a_function_runs_as_it_is_with_one_warning():
    fn = from_text("def fn(x):\n    if x > 0:\n        return x\n    return -x\n", "fn")
    message = "(?s)could not transform .*fn.* run it as-is.*source.*do_not_convert"
    with pytest.warns(AutographWarning, match=message):
        assert convert(fn)(-3) == 3
    assert convert(fn)(3) == 3  # a second warning would fail the test


def test_straight_code_without_source_needs_no_warning(recwarn):
    fn = from_text("def fn(x):\n    return x + 1\n", "fn")
    assert convert(fn)(1) == 2
    assert not recwarn.list


def test_a_changed_file_is_noticed(tmp_path):
    file = tmp_path / "changing.py"
    text = "def fn(x):\n    if x:\n        return 1\n    return 2\n"
    file.write_text(text)
    fn = from_text(text, "fn", str(file))
    file.write_text("y = 1\n\n" + text)
    with pytest.warns(AutographWarning, match="changed since it was imported"):
        assert convert(fn)(1) == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("match x:\n        case 1: return 1\n    return 2", "match statement"),
        ("class A: pass\n    return 1 if x else 2", "class defined inside"),
        ("y = x and (z := 3)\n    return y", ":="),
        ("while (y := x) > 5: x -= 1\n    return y", ":="),
    ],
)
def test_what_is_not_converted_is_said(tmp_path, body, message):
    file = tmp_path / "module.py"
    text = f"def fn(x):\n    {body}\n"
    file.write_text(text)
    fn = from_text(text, "fn", str(file))
    with pytest.warns(AutographWarning, match=message):
        assert convert(fn)(1) == fn(1)


def test_the_sources_of_a_notebook_are_found(tmp_path):
    import linecache

    text = "def fn(x):\n    return 1 if x > 0 else 2\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(keepends=True), "<cell 1>")
    fn = from_text(text, "fn", "<cell 1>")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.asarray(function(fn)(c(3))) == 1
    del linecache.cache["<cell 1>"]


def test_an_error_in_a_loop_keeps_its_cause_and_shows_the_users_lines_only():
    @function
    def fn(x):
        total = 0
        for v in x:
            total += v
            try:
                {}["missing"]
            except KeyError as error:
                raise TypeError("wrong") from error
        return total

    with pytest.raises(TypeError, match="wrong") as caught:
        fn(c([1, 2]))
    assert isinstance(caught.value.__cause__, KeyError)
    frames = traceback.extract_tb(caught.value.__traceback__)
    inner = [frame.line for frame in frames if frame.name == "fn"]
    assert inner == ["for v in x:", 'raise TypeError("wrong") from error']
    assert frames[-1].line == inner[-1]


LOOPS = {
    "zip": lambda x: zip([x, x + 1.0, x + 2.0], "abc", strict=True),
    "enumerate": lambda x: enumerate([x, x + 1.0, x + 2.0]),
    "generator": lambda x: (x + i for i in (0.0, 1.0, 2.0)),
    "list_iterator": lambda x: iter([x, x + 1.0, x + 2.0]),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_break_on_a_tensor_says_what_it_ran_over_and_the_repair_works(name):
    def walk(make):
        @tf.function
        def f(x):
            count = 0
            for element in make(x):
                if x + tf.cast(count, tf.float32) > 2.0:
                    break
                count += 1
                del element
            return count

        return f(tf.constant(1.0))

    with pytest.raises(NotImplementedError, match=rf"known length.*{name}.*`for x in list\(\.\.\.\)`"):
        walk(LOOPS[name])
    assert int(walk(lambda x: list(LOOPS[name](x)))) == 2


@pytest.mark.parametrize(("name", "join"), [("stack", tf.stack), ("concat", tf.concat)])
def test_a_list_that_grew_says_along_which_axis_it_is_joined(name, join):
    @tf.function
    def f(n):
        items = []
        for i in tf.range(n):
            items.append(tf.cast(i, tf.float32) * tf.ones([2, 1]))
        return join(items, axis=1)

    with pytest.raises(
        NotImplementedError, match=rf"tf.{name} along axis 1 .*list of tensors: dtype=float32.*axis 0 only"
    ):
        f(tf.constant(3))


def test_what_these_errors_propose_works():
    @tf.function
    def f(n):
        items, columns = [], []
        for i in tf.range(n):
            items.append(tf.cast(i, tf.float32) * tf.ones([2]))
            columns.append(tf.transpose(tf.cast(i, tf.float32) * tf.ones([2, 1])))
        return tf.experimental.numpy.moveaxis(tf.stack(items), 0, 1), tf.transpose(tf.concat(columns, 0))

    for joined in f(tf.constant(3)):
        assert joined.numpy().tolist() == [[0.0, 1.0, 2.0]] * 2
