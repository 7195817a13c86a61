"""`context.scope`: a block in which the state of the thread is another, and what it is after the block."""

import threading

import pytest

import gradtape as tf
from gradtape.base.context import STATE, Fields, ThreadState, Trace, nobody_outside, scope
from gradtape.compile.lowering import Lowering
from gradtape.trace.abstract_tensor import Evaluator
from gradtape.trace.inference import Inference
from gradtape.trace.recorder import Recorder, TracePolicy

pytestmark = pytest.mark.quick


def values():
    return {name: value for name, value in vars(STATE).items() if not name.startswith("_")}


def test_every_field_is_one_of_the_state():
    assert Fields.__annotations__.keys() <= vars(ThreadState()).keys()


@pytest.mark.parametrize("name", [*Fields.__annotations__])
def test_a_field_is_another_in_the_block_and_the_very_same_after_it(name):
    before, other = values(), object()
    with scope(**{name: other}):
        assert values() == {**before, name: other}
    assert all(value is before[key] for key, value in values().items())


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, GeneratorExit, StopIteration])
def test_an_exception_leaves_the_block_as_its_end_does(error):
    before = values()
    with pytest.raises(error), scope(tapes=[], name_scopes=["a"]), scope(nan_safe=3, tapes=[{}]):
        raise error
    assert values() == before


def test_what_the_block_itself_changes_is_taken_back():
    with scope(nan_safe=1):
        STATE.nan_safe += 5
    assert STATE.nan_safe == 0


def test_a_generator_that_another_thread_closes_leaves_that_thread_alone():
    def block():
        with scope(name_scopes=["here"]):
            yield

    generator, seen = block(), []
    next(generator)

    def elsewhere():
        with scope(name_scopes=["there"]):
            generator.close()
            seen.append(STATE.name_scopes)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [["there"]]
    assert STATE.name_scopes == []


def test_in_a_block_without_anybody_outside_no_tape_records():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with nobody_outside():
            hidden = x * x
        y = x * hidden
    assert tape.gradient(y, x).numpy() == 4.0


@pytest.mark.parametrize(
    "make",
    [lambda: Recorder("f", TracePolicy()), Evaluator, Inference, Lowering],
    ids=["recorder", "evaluator", "inference", "lowering"],
)
def test_recorder_and_evaluators_have_what_is_asked_of_a_trace(make):
    asked = [name for name, value in vars(Trace).items() if not name.startswith("_") and callable(value)]
    assert len(asked) == 12
    assert all(callable(getattr(make(), name)) for name in asked)
    trace = make()
    assert all(hasattr(trace, field) for field in ("computes", "depth", "recorder"))
    assert trace.recorder is (trace if isinstance(trace, Recorder) else None)


def test_a_name_scope_may_be_entered_inside_of_itself():
    scoped = tf.name_scope("a")
    with scoped:
        with scoped:
            assert tf.get_current_name_scope() == "a/a"
        assert tf.get_current_name_scope() == "a"
    assert tf.get_current_name_scope() == ""


def test_a_replica_context_may_be_entered_inside_of_itself():
    replica = tf.distribute.get_replica_context()
    with replica:
        with replica:
            assert len(STATE.strategies) == 2
        assert len(STATE.strategies) == 1
    assert STATE.strategies == []
