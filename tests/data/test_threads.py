"""Background work: it overlaps, its errors arrive where the loop is, and it ends whatever happens."""

import gc
import subprocess
import sys
import threading
import time
import traceback
import weakref

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset


def workers():
    return [thread for thread in threading.enumerate() if thread.name.startswith("gradtape-")]


@pytest.fixture(autouse=True)
def _no_thread_is_left():
    assert workers() == []
    yield
    gc.collect()
    deadline = time.monotonic() + 5
    while workers() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert workers() == []


PARALLEL = {
    "map": lambda f: Dataset.range(1000).map(f, num_parallel_calls=4),
    "unordered map": lambda f: Dataset.range(1000).map(f, num_parallel_calls=4, deterministic=False),
    "prefetch": lambda f: Dataset.range(1000).map(f).prefetch(3),
    "interleave": lambda f: Dataset.range(50).interleave(
        lambda x: Dataset.range(20).map(lambda y: f(20 * x + y)), cycle_length=4, num_parallel_calls=4
    ),
    "all": lambda f: Dataset.range(1000).map(f, num_parallel_calls=2).batch(1).prefetch(2).unbatch().prefetch(2),
}


# --- overlap -----------------------------------------------------------------------------------------------


def test_calls_of_a_parallel_map_run_at_the_same_time():
    meeting = threading.Barrier(4, timeout=20)

    def meet(x):
        meeting.wait()  # nobody passes before four calls are under way
        return x

    assert [int(x) for x in Dataset.range(4).map(meet, num_parallel_calls=4)] == list(range(4))


def test_the_datasets_of_a_parallel_interleave_run_at_the_same_time():
    meeting = threading.Barrier(3, timeout=20)

    def numbers(x):
        def meet(y):
            meeting.wait()
            return 10 * x + y

        return Dataset.range(2).map(meet)

    found = [int(x) for x in Dataset.range(3).interleave(numbers, cycle_length=3, num_parallel_calls=3)]
    assert found == [0, 10, 20, 1, 11, 21]


def test_prefetch_works_while_the_loop_does():
    made = threading.Event()

    def make(x):
        if int(x) == 1:
            made.set()
        return x

    for number in Dataset.range(2).map(make).prefetch(1):
        assert made.wait(20), "the second element was not made during the work on the first"
        assert int(number) == 0
        break


def test_slow_functions_are_spread_over_threads_by_autotune():
    threads = set()

    def slow(x):
        threads.add(threading.get_ident())
        time.sleep(0.03)
        return x

    assert [int(x) for x in Dataset.range(12).map(slow, num_parallel_calls=tf.data.AUTOTUNE)] == list(range(12))
    assert len(threads) > 2


def test_quick_functions_stay_in_the_loop_under_autotune():
    threads = set()

    def quick(x):
        threads.add(threading.get_ident())
        return x

    list(Dataset.range(100).map(quick, num_parallel_calls=tf.data.AUTOTUNE))
    assert threads == {threading.get_ident()}


def test_results_that_are_ready_overtake_where_order_does_not_matter():
    go_on = threading.Event()

    def wait_for_zero(x):
        if int(x) == 0:
            go_on.wait(20)
        return x

    found = []
    for x in Dataset.range(4).map(wait_for_zero, num_parallel_calls=2, deterministic=False):
        found.append(int(x))
        if len(found) == 3:
            go_on.set()
    assert found[-1] == 0
    assert sorted(found) == [0, 1, 2, 3]


def test_options_decide_about_the_order_where_the_step_does_not():
    options = tf.data.Options()
    options.deterministic = False
    go_on = threading.Event()

    def wait_for_zero(x):
        if int(x) == 0:
            go_on.wait(20)
        return x

    iterator = iter(Dataset.range(4).map(wait_for_zero, num_parallel_calls=2).with_options(options))
    assert int(next(iterator)) == 1
    go_on.set()
    assert sorted(int(x) for x in iterator) == [0, 2, 3]


# --- errors ------------------------------------------------------------------------------------------------


def refuse(x):
    if int(x) == 5:
        raise KeyError("five is refused")
    return x


@pytest.mark.parametrize("name", PARALLEL)
def test_an_error_arrives_at_the_loop_with_the_line_that_raised_it(name):
    found = []
    with pytest.raises(KeyError, match="five is refused") as caught:
        for x in PARALLEL[name](refuse):
            found.append(int(x))
    lines = "".join(traceback.format_exception(caught.value))
    assert 'raise KeyError("five is refused")' in lines
    assert "for x in PARALLEL[name](refuse):" in lines
    if name != "unordered map":
        assert found[:5] == ([0, 20, 40, 60, 1] if name == "interleave" else [0, 1, 2, 3, 4])[: len(found)]


@pytest.mark.parametrize("name", ["map", "prefetch"])
def test_after_an_error_the_iteration_can_go_on(name):
    iterator = iter(PARALLEL[name](refuse))
    assert [int(next(iterator)) for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(KeyError):
        next(iterator)
    assert [int(next(iterator)) for _ in range(3)] == [6, 7, 8]


def test_an_error_in_a_generator_arrives_and_ends_it():
    def numbers():
        yield 1
        raise OSError("the disk is gone")

    dataset = Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int32)).prefetch(2)
    iterator = iter(dataset)
    assert int(next(iterator)) == 1
    with pytest.raises(OSError, match="the disk is gone"):
        next(iterator)
    assert list(iterator) == []


@pytest.mark.parametrize("parallel", [None, 2])
def test_stop_iteration_in_a_function_is_an_error_not_an_end(parallel):
    def stop(x):
        raise StopIteration

    with pytest.raises(RuntimeError, match="raised StopIteration"):
        list(Dataset.range(3).map(stop, num_parallel_calls=parallel))


def test_exits_and_interrupts_in_a_thread_reach_the_loop():
    def leave(x):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        list(Dataset.range(3).map(leave, num_parallel_calls=2))


# --- ends --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PARALLEL)
def test_leaving_the_loop_early_ends_the_threads(name):
    for x in PARALLEL[name](lambda x: x):
        if int(x) > 3:
            break


@pytest.mark.parametrize("name", PARALLEL)
def test_an_exception_in_the_loop_ends_the_threads(name):
    with pytest.raises(ZeroDivisionError):
        for _ in PARALLEL[name](lambda x: x):
            raise ZeroDivisionError


@pytest.mark.parametrize("name", PARALLEL)
def test_an_iterator_that_is_dropped_is_freed(name):
    iterator = iter(PARALLEL[name](lambda x: x))
    next(iterator)
    inner = weakref.ref(iterator._inner)
    del iterator
    gc.collect()
    assert inner() is None


@pytest.mark.parametrize("name", PARALLEL)
def test_an_iterator_can_be_closed(name):
    iterator = iter(PARALLEL[name](lambda x: x))
    next(iterator)
    iterator.close()
    assert workers() == []


def test_threads_are_gone_when_all_elements_are_there_even_if_the_iterator_is_kept():
    iterator = iter(Dataset.range(20).map(lambda x: x, num_parallel_calls=3).prefetch(2))
    assert len(list(iterator)) == 20
    deadline = time.monotonic() + 5
    while workers() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert workers() == []
    assert list(iterator) == []


def test_nothing_starts_before_the_first_element_is_asked_for():
    iterator = iter(Dataset.range(20).map(lambda x: x, num_parallel_calls=3).prefetch(2))
    assert workers() == []
    del iterator


def test_many_abandoned_iterators_leave_nothing():
    dataset = PARALLEL["all"](lambda x: x)
    for _ in range(30):
        next(iter(dataset))


def test_elements_ahead_are_bounded():
    count = 0

    def follow(x):
        nonlocal count
        count += 1
        return x

    iterator = iter(Dataset.counter().map(follow).prefetch(3))
    next(iterator)
    time.sleep(0.1)
    assert count <= 1 + 3 + 1


PROGRAM = """
import gradtape as tf, time
def slow(x):
    time.sleep({seconds})
    return x
dataset = tf.data.Dataset.counter().map(slow, num_parallel_calls=4).batch(2).prefetch(2)
iterator = iter(dataset)
{use}
"""


@pytest.mark.parametrize(
    ("seconds", "use", "code"),
    [
        (0.001, "next(iterator)", 0),
        (0.001, "next(iterator); raise SystemExit(7)", 7),
        (0.001, "next(iterator); raise ValueError", 1),
        (
            3600,
            "import threading; t = threading.Thread(target=lambda: next(iterator), daemon=True); t.start(); t.join(.2)",
            0,
        ),
    ],
)
def test_the_interpreter_ends_with_threads_under_way(seconds, use, code):
    program = PROGRAM.format(seconds=seconds, use=use)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, text=True)
    assert done.returncode == code, done.stderr
    assert "Fatal" not in done.stderr
    assert "Exception ignored" not in done.stderr


# --- tapes and memory --------------------------------------------------------------------------------------


@pytest.mark.parametrize("parallel", [None, 2])
def test_what_a_pipeline_computes_is_on_no_tape(parallel):
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = next(iter(Dataset.from_tensors(1.0).map(lambda x: x * v, num_parallel_calls=parallel)))
    assert tape.watched_variables() == ()
    assert tape.gradient(y, v) is None


def test_a_pass_keeps_no_more_than_its_buffers():
    alive = []

    def make(x):
        array = np.zeros(1000)
        alive.append(weakref.ref(array))
        return tf.convert_to_tensor(array)

    most = 0
    for element in Dataset.range(200).map(make, num_parallel_calls=2).prefetch(2):
        most = max(most, sum(ref() is not None for ref in alive))
        del element
    assert most <= 40


def test_as_many_threads_as_a_machine_has(monkeypatch):
    monkeypatch.setattr("gradtape.data.workers._MOST_THREADS", 7)
    before = threading.active_count()
    iterator = iter(tf.data.Dataset.range(50).map(lambda n: n + 1, num_parallel_calls=2**40))
    assert int(next(iterator)) == 1
    assert threading.active_count() - before <= 7
    assert [int(n) for n in iterator] == list(range(2, 51))
