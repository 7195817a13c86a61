"""Children that are forked while other threads hold locks: they find all of them open, and nothing half done."""

import ast
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape.base import locks
from gradtape.variables.in_place import LOCKS, written

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*"),
]

SOURCE = Path(__file__).parents[2] / "src"
MAKERS = {
    "Lock",
    "RLock",
    "Condition",
    "Semaphore",
    "BoundedSemaphore",
    "Event",
    "Barrier",
    "allocate_lock",
    "Queue",
    "SimpleQueue",
    "LifoQueue",
    "ThreadPoolExecutor",
    "cached_property",
}
# Where each may be made, and why.
ALLOWED = {
    ("gradtape/base/locks.py", "Lock"): "the seam",
    ("gradtape/base/locks.py", "RLock"): "the seam",
    ("gradtape/base/locks.py", "Condition"): "the seam",
    ("gradtape/base/threads.py", "ThreadPoolExecutor"): "one for each process, by its number",
    ("gradtape/cli/processes.py", "SimpleQueue"): "the command that watches processes forks nothing that uses it",
}


def made_in(path):
    """What makes locks in a file: names of `threading`, `_thread`, `queue`, `functools` and `concurrent.futures` in calls."""
    text = path.read_text(encoding="utf-8")
    if not any(name in text for name in MAKERS):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in MAKERS:
                yield name
        elif isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if "cached_property" in ast.unparse(decorator):
                    yield "cached_property"


def test_every_lock_is_made_where_it_is_renewed_after_a_fork():
    found = {(path.relative_to(SOURCE).as_posix(), name) for path in SOURCE.rglob("*.py") for name in made_in(path)}
    assert found - set(ALLOWED) == set(), "use gradtape.base.locks, or say here why not"
    assert set(ALLOWED) - found == set(), "listed, but not in the source any more"


def in_child(function):
    """Whether the function returns True in a forked child, within a minute."""
    process = os.fork()
    if process == 0:
        os._exit(0 if function() else 1)
    watch = threading.Timer(60, os.kill, (process, 9))
    watch.start()
    try:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    finally:
        watch.cancel()


def can_be_taken(lock):
    taken = lock.acquire(timeout=1)
    if taken:
        lock.release()
    return taken


@pytest.mark.parametrize("make", [locks.new_lock, locks.new_rlock, locks.new_condition])
def test_a_lock_that_another_thread_holds_is_open_in_the_child(make):
    lock = make()
    held, end = threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            end.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        assert not lock.acquire(False)
        assert in_child(lambda: can_be_taken(lock))
        assert not lock.acquire(False)
    finally:
        end.set()
        thread.join()


def test_all_locks_that_there_are_are_open_in_the_child():
    kept = [reference() for reference in locks._RENEWED.copy()]
    through_forks = [reference() for reference in locks._HELD]
    held, end = threading.Event(), threading.Event()

    def hold():
        taken = [lock for lock in kept if lock is not None and lock not in through_forks and lock.acquire(False)]
        held.set()
        end.wait()
        for lock in taken:
            lock.release()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        assert in_child(lambda: all(can_be_taken(lock) for lock in kept if lock is not None))
    finally:
        end.set()
        thread.join()
    assert all(can_be_taken(lock) for lock in LOCKS)


def test_a_child_has_a_variable_before_or_after_a_change():
    variable = tf.Variable(tf.zeros([70, 100]))
    begun = threading.Event()

    def write(arrays):
        arrays[0][:35] += 1
        begun.set()
        end.wait(0.05)  # (the fork waits for this, and not the other way round)
        arrays[0][35:] += 1

    end = threading.Event()
    thread = threading.Thread(target=written, args=([variable], write))
    thread.start()
    begun.wait()
    try:
        assert in_child(lambda: bool((variable.numpy() == 1).all()))
    finally:
        thread.join()


def test_the_thread_that_forks_may_hold_locks():
    variable = tf.Variable(tf.zeros([70, 100]))
    seen = []
    written([variable], lambda arrays: seen.append(in_child(lambda: np.ptp(variable.numpy()) == 0)))
    assert seen == [True]


def test_an_iterator_says_that_its_threads_are_in_the_parent():
    iterator = iter(tf.data.Dataset.range(100).prefetch(2))
    next(iterator)

    def goes_on():
        try:
            for _ in range(99):
                next(iterator)
        except tf.errors.FailedPreconditionError as error:
            return "new iterator" in str(error)
        return False

    assert in_child(goes_on)
    assert in_child(lambda: len(list(tf.data.Dataset.range(100).prefetch(2))) == 100)
    assert sum(1 for _ in iterator) == 99


def test_forks_at_any_moment(tmp_path):
    storm = Path(__file__).with_name("storm.py")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ran = subprocess.run(
        [sys.executable, str(storm), "20", str(tmp_path)], env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
