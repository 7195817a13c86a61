"""Which functions are converted with the one that calls them, and what built-in functions do with tensors."""

import functools
import subprocess
import sys

import numpy as np
import pytest

import gradtape as tf
from gradtape import autograph
from gradtape.autograph import convert, transpile, verbosity
from gradtape.errors import OperatorNotAllowedInGraphError

c, function = tf.constant, tf.function


def absolute(x):
    if x > 0:
        return x
    return -x


class Model(tf.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def __call__(self, x):
        return self.step(x) if x > 0 else x

    def step(self, x):
        for _ in range(2):
            if x < 100:
                x = x * self.scale
        return x


class Other(Model):
    def step(self, x):
        if x > 3:
            return super().step(x)
        return x + 1


def test_functions_methods_lambdas_and_objects_that_are_called():
    model = Other(3)
    half = functools.partial(lambda scale, x: x // scale if x > 0 else x, 2)

    def fn(x):
        inner = lambda y: y + 1 if y > 0 else y  # noqa: E731
        return absolute(x), model(x), inner(x), half(x), [absolute(x + i) for i in range(2)]

    for x in (-4, 2, 5):
        expected = [absolute(x), model(x), x + 1 if x > 0 else x, half(x), [absolute(x), absolute(x + 1)]]
        assert tf.nest.map_structure(int, list(function(fn)(c(x)))) == expected


def test_a_method_is_converted():
    model = Other(2)
    assert int(function(model.step)(c(5))) == model.step(5)


def test_functions_that_are_handed_to_gradtape_are_converted():
    def fn(x):
        return tf.nest.map_structure(absolute, [x, x - 5])

    assert [int(value) for value in function(fn)(c(2))] == [2, 3]


def test_do_not_convert():
    @autograph.experimental.do_not_convert
    def plain(x):
        return absolute(x)

    @autograph.experimental.do_not_convert()
    def also_plain(x):
        if x > 0:
            return x
        return -x

    for left_alone in (plain, also_plain):
        with pytest.raises(OperatorNotAllowedInGraphError):
            function(lambda x, f=left_alone: f(x))(c(1))
        assert left_alone(-2) == 2
    assert convert(plain) is plain


def test_libraries_are_not_converted():
    from gradtape.autograph.policy import wants_conversion

    assert wants_conversion(absolute)
    assert not wants_conversion(np.linalg.norm.__wrapped__)
    assert not wants_conversion(functools.wraps)
    assert not wants_conversion(tf.nest.flatten)
    assert not wants_conversion(pytest.raises)
    assert wants_conversion(pytest.raises, requested=True)


def test_conversion_is_made_once_for_each_code_object(monkeypatch):
    from gradtape.autograph import transpile

    made = []
    original = transpile._convert
    monkeypatch.setattr(transpile, "_convert", lambda fn: made.append(fn) or original(fn))

    def make(n):
        def add(x):
            return x + n if x > 0 else x

        return add

    assert [convert(make(n))(1) for n in range(3)] == [1, 2, 3]
    assert len(made) == 1


def test_conversions_go_with_their_functions():
    import gc

    from gradtape.autograph import transpile

    namespace = {}
    exec("def gone(x):\n    return 1 if x else 2\n", namespace)
    with pytest.warns(autograph.AutographWarning):
        convert(namespace["gone"])(1)
    gc.collect()
    before = len(transpile._conversions)
    namespace.clear()
    gc.collect()
    assert len(transpile._conversions) == before - 1


def test_state_is_left_as_it_was():
    from gradtape.base.context import STATE

    def fails(x):
        raise KeyError

    with pytest.raises(KeyError):
        convert(fails)(1)
    assert STATE.autograph is False


def test_builtin_functions_of_symbolic_tensors():
    def fn(x):
        return len(x), max(x), sum(x), max(x[0], x[1], 2), int(x[0] / 2), float(x[1]), sorted(x), abs(x[2])

    results = function(fn)(c([3, 1, -2]))
    assert [np.asarray(result).tolist() for result in results] == [3, 3, 2, 3, 1, 1.0, [-2, 1, 3], 2]
    assert results[5].dtype == tf.float32


def test_print_of_a_symbolic_tensor_prints_each_time(capsys):
    @function
    def fn(x):
        print("tracing")
        print("x is", x, sep=": ")
        print([x], end="!\n")
        return x

    fn(c(1))
    fn(c(2))
    assert capsys.readouterr().out == "tracing\nx is: 1\n[1]!\nx is: 2\n[2]!\n"


def test_assert_of_a_symbolic_tensor_is_checked_each_time():
    @function
    def fn(x):
        assert x > 0, f"{'positive'} expected"
        assert x < 5
        return x

    assert int(fn(c(1))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive expected"):
        fn(c(-1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="assert x < 5"):
        fn(c(7))


def test_a_loop_that_must_run_to_set_a_variable_says_so():
    @function
    def fn(n):
        while n > 0:
            y = n
            n -= 1
        return y

    assert int(fn(c(3))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once to initialize y"):
        fn(c(0))


def test_to_graph_and_to_code():
    assert int(autograph.to_graph(absolute)(c(-2))) == 2
    code = autograph.to_code(absolute)
    assert "ag__.if_stmt(" in code
    assert "def absolute" in code
    with pytest.raises(ValueError, match="no code of its own"):
        autograph.to_graph(3)
    with pytest.raises(ValueError, match="cannot be read"):
        autograph.to_code(eval("lambda x: x"))


def test_a_lambda_of_eval_is_not_taken_for_one_of_the_command_line():
    program = (
        "add, multiply = lambda x: x + 1, eval('lambda x: x * 5'); import gradtape as tf; "
        "print(float(tf.function(multiply)(2.0)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "10.0\n"


def test_to_graph_without_recursion():
    def outer(x):
        return absolute(x)

    with pytest.raises(OperatorNotAllowedInGraphError):
        function(autograph.to_graph(outer, recursive=False))(c(1))
    assert int(function(autograph.to_graph(outer))(c(1))) == 1


def test_verbosity_tells_what_is_converted(capsys, monkeypatch):
    def fn(x):
        return x if x else None

    for setting in (
        "_level",
        "_to_stdout",
    ):  # (what they are after the test: the variable of the environment counts again)
        monkeypatch.setattr(verbosity, setting, getattr(verbosity, setting))
    autograph.set_verbosity(3, alsologtostdout=True)
    convert(fn)(1)
    captured = capsys.readouterr()
    assert "AutoGraph converts" in captured.err
    assert "ag__.if_exp" in captured.out


def test_a_text_that_nobody_reads_is_not_written(monkeypatch):
    """A function that is called in each round of a Python loop is converted once, and its text would be written each time."""
    monkeypatch.setattr(transpile.Conversion, "code", lambda self: pytest.fail("the text was written"))

    @tf.function
    def fn(x):
        for _ in range(3):
            x = convert(lambda y: y if y > 0 else -y)(x)
        return x

    assert float(fn(tf.constant(-2.0))) == 2.0


def test_features_and_names():
    assert set(autograph.experimental.Feature.all_but("LISTS")) >= {autograph.experimental.Feature.ASSERT_STATEMENTS}
    assert autograph.experimental.Feature.LISTS in autograph.experimental.Feature.all()
    assert tf.autograph is autograph


def test_malt_is_imported_when_a_function_is_converted():
    code = (
        "import sys, gradtape as tf; assert 'gradtape.autograph' not in sys.modules; tf.autograph.convert(print);"
        "assert 'malt' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
