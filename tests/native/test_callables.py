"""Objects that Python calls in machine code: what they are called with, when it is `__call__` after all, how long they live."""

import copy
import gc
import threading
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape.native import callables, engine
from gradtape.trace.function import Function

pytestmark = pytest.mark.skipif(
    not (engine.available() and callables.calls_objects_directly.trial()), reason="there is no machine code"
)


class Named:
    """Is called directly by `quick`."""

    __slots__ = ("__dict__", "__weakref__", "quick")

    def __init__(self, quick):
        self.quick = quick
        self.seen = 0

    def __call__(self, *args, **kwargs):
        self.seen += 1
        return "usual", args, kwargs


def _made(quick, unless=()):
    thing = callables.directly_callable(Named)(quick)
    callables.call_directly(thing, "quick", unless)
    return thing


def _given(*args, **kwargs):
    return args, kwargs


def test_arguments_arrive_as_they_are():
    thing = _made(_given)
    many = tuple(range(1000))
    for _ in range(30):  # (the interpreter changes instructions that are run often)
        assert thing() == ((), {})
        assert thing(1, 2) == ((1, 2), {})
        assert thing(1, b=2, c=3) == ((1,), {"b": 2, "c": 3})
        assert thing(*many, **{"a": 1}) == (many, {"a": 1})
    assert list(map(thing, [1])) == [((1,), {})]
    assert thing.seen == 0


def test_what_is_not_for_it_goes_to_the_class():
    thing = _made(lambda *args, **kwargs: NotImplemented)
    many = tuple(range(1000))
    assert thing(1, b=2) == ("usual", (1,), {"b": 2})
    assert thing(*many) == ("usual", many, {})
    thing.quick = None
    assert thing(1) == ("usual", (1,), {})
    assert thing.seen == 3


def test_an_error_is_that_of_what_is_called():
    def fails(*args):
        raise ZeroDivisionError("none")

    thing = _made(fails)
    with pytest.raises(ZeroDivisionError, match="none"):
        thing(1)
    assert thing.seen == 0


def test_a_set_with_an_element_has_the_class_called():
    first, second = set(), set()
    thing = _made(_given, (first, second))
    assert thing(1) == ((1,), {})
    for watched in (first, second):
        watched.add("somebody")
        assert thing(1)[0] == "usual"
        watched.clear()
    assert thing(1) == ((1,), {})
    callables.call_usually(thing)
    assert thing(1)[0] == "usual"


def test_the_type_is_like_the_class():
    cls = callables.directly_callable(Named)
    assert issubclass(cls, Named)
    assert (cls.__name__, cls.__qualname__, cls.__module__, cls.__doc__) == (
        Named.__name__, Named.__qualname__, Named.__module__, Named.__doc__,
    )  # fmt: skip
    assert _made(_given).__dict__ == {"seen": 0}
    plain = Named(_given)
    callables.call_directly(plain, "quick", ())  # an object of the class itself is called as ever
    assert plain(1)[0] == "usual"


def test_objects_are_collected():
    for quick in (_given, lambda: None):
        thing = _made(quick)
        thing.me, dead = thing, weakref.ref(thing)
        del thing
        gc.collect()
        assert dead() is None


def test_the_attribute_may_change_while_it_runs():
    thing = _made(None)

    def changes():
        thing.quick = None
        gc.collect()
        return "done"

    thing.quick = changes
    del changes
    assert thing() == "done"
    assert thing() == ("usual", (), {})


# --- functions ---------------------------------------------------------------------------------------------------------------


def _called(times=40):
    function = tf.function(lambda x, y: x * 2.0 + y)
    x = tf.constant([1.0, 2.0])
    for _ in range(times):
        assert function(x, y=x).numpy().tolist() == [3.0, 6.0]
    return function, x


def test_a_function_is_called_without_python(monkeypatch):
    function, x = _called()
    monkeypatch.setattr(Function, "_found", None)
    assert function(x, x).numpy().tolist() == function(x=x, y=x).numpy().tolist() == [3.0, 6.0]


def test_a_tape_sees_the_call():
    function, x = _called()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x, x)
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 3.0]


def test_other_arguments_find_their_trace():
    function, _ = _called()
    assert function(tf.constant(1.0), tf.constant(2.0)).numpy() == 4.0
    assert function(tf.constant([1.0, 2.0]), 3.0).numpy().tolist() == [5.0, 7.0]
    assert function(y=np.float32([1, 1]), x=np.float32([1, 2])).numpy().tolist() == [3.0, 5.0]
    with pytest.raises(TypeError, match="missing"):
        function(tf.constant(1.0))
    with pytest.raises(TypeError):
        function(tf.constant([1.0, 2.0]), z=tf.constant([1.0, 2.0]))


def test_functions_run_eagerly_where_it_is_asked():
    function, x = _called()
    tf.config.run_functions_eagerly(True)
    try:
        seen = []
        other = tf.function(lambda x: seen.append(1) or x)
        assert function(x, x).numpy().tolist() == [3.0, 6.0]
        other(x), other(x)
        assert len(seen) == 2
    finally:
        tf.config.run_functions_eagerly(False)


def test_a_copy_has_its_own_machine_code():
    function, x = _called()
    other = copy.copy(function)
    for _ in range(40):
        assert other(x, x).numpy().tolist() == [3.0, 6.0]
    assert type(other) is type(function)
    assert isinstance(other, Function)


def test_threads_call_and_forget_at_once():
    function, x = _called()
    stop, wrong = threading.Event(), []

    def call():
        while not stop.is_set():
            if function(x, y=x).numpy().tolist() != [3.0, 6.0]:
                wrong.append(1)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        function.forget_engine()
        function(x, x)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
