"""Children that are forked while other threads hold locks: they find all of them open, and nothing half done."""

import ast
import importlib
import os
import queue
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape.base import locks, module_locks
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
    ("gradtape/distribute/in_turn.py", "Semaphore"): "a child has none of the threads that take turns with it",
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


def test_a_child_draws_while_another_thread_of_the_parent_does():
    """NumPy's generators have locks of their own."""
    end = threading.Event()

    def draw():
        while not end.is_set():
            tf.random.normal([2000])

    thread = threading.Thread(target=draw)
    thread.start()
    try:
        assert all(in_child(lambda: tf.random.normal([2]).shape == [2]) for _ in range(12))
    finally:
        end.set()
        thread.join()


DRAWN_IN_CHILDREN = """
import os
import gradtape as tf

tf.random.uniform([4])
for _ in range(3):
    process = os.fork()
    if process == 0:
        print(tf.random.uniform([4]).numpy().tobytes().hex(), flush=True)
        os._exit(0)
    os.waitpid(process, 0)
"""


def test_children_draw_numbers_of_their_own_where_there_is_no_seed():
    done = subprocess.run(
        [sys.executable, "-c", DRAWN_IN_CHILDREN], capture_output=True, text=True, timeout=120, check=True
    )
    assert len(set(done.stdout.split())) == 3


SLOW = """
import threading
begun, go_on = threading.Event(), threading.Event()
"""


@pytest.fixture
def slow_module(tmp_path, monkeypatch):
    """A module of a name that forks wait for, whose import lasts a while."""
    name = "slow_of_gradtape"
    (tmp_path / f"{name}.py").write_text(
        "import slow_times\nslow_times.begun.set()\nslow_times.go_on.wait(0.5)\nx = 1\n"
    )
    (tmp_path / "slow_times.py").write_text(SLOW)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(module_locks, "WAITED_FOR", module_locks.WAITED_FOR | {name})
    yield name
    for module in (name, "slow_times"):
        sys.modules.pop(module, None)


@pytest.mark.parametrize("patience", [60.0, 0.0])
def test_a_module_that_another_thread_imports_is_there_in_the_child(slow_module, monkeypatch, patience):
    """The fork waits for the import; where it does not, the child imports the module anew."""
    monkeypatch.setattr(locks, "_IMPORTS_END", patience)
    times = importlib.import_module("slow_times")
    thread = threading.Thread(target=importlib.import_module, args=(slow_module,))
    thread.start()
    times.begun.wait()
    try:
        assert in_child(lambda: times.go_on.set() or importlib.import_module(slow_module).x == 1)
    finally:
        times.go_on.set()
        thread.join()
    assert sys.modules[slow_module].x == 1


def test_a_fork_does_not_wait_for_an_import_that_waits_for_it(slow_module):
    """The thread that forks imports a module, for which the module waits that it would wait for."""
    started = time.monotonic()
    code = """
import importlib, os, sys, threading
import gradtape as tf
from gradtape.base import module_locks
module_locks.WAITED_FOR |= {"one", "two"}
importlib.import_module("one")
"""
    folder = Path(sys.path[0])
    (folder / "one.py").write_text(
        "import importlib, os, threading, time\n"
        "threading.Thread(target=importlib.import_module, args=('two',)).start()\n"
        "time.sleep(0.2)\n"
        "if os.fork() == 0:\n    os._exit(0)\n"
        "os.wait()\n"
    )
    (folder / "two.py").write_text("import one\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), str(folder)])}
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert time.monotonic() - started < locks._IMPORTS_END


def test_all_that_is_imported_is_waited_for():
    """The packages that the source imports."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        if path.stem.startswith("pytest_"):
            continue  # a plugin, which pytest imports
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(str(node.module).partition(".")[0])
    assert found - module_locks.WAITED_FOR == {"__future__"} - module_locks.WAITED_FOR


def test_namespaces_that_two_threads_use_first():
    """Python gives one of two threads that import packages of each other a package that is half there."""
    code = """
import sys, threading
import gradtape as tf
sys.setswitchinterval(1e-6)
begin, errors = threading.Barrier(6), []
def use(name):
    begin.wait()
    try:
        getattr(tf, name)
    except BaseException as error:
        errors.append(f"{name}: {error!r}")
threads = [threading.Thread(target=use, args=(n,)) for n in ("data", "io", "train", "summary", "saved_model", "distribute")]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
sys.exit(bool(errors and print(errors, file=sys.stderr) is None))
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def held_by_modules():
    """Locks, queues and generators that a module of ours refers to, through objects of its own."""
    seen, found = set(), []
    waiting = [(name, vars(module)) for name, module in list(sys.modules.items()) if name.startswith("gradtape")]
    while waiting:
        where, value = waiting.pop()
        if id(value) in seen or isinstance(
            value, (types.ModuleType, types.FrameType, str, bytes, int, float, np.ndarray)
        ):
            continue
        seen.add(id(value))
        if isinstance(value, FOREIGN):
            found.append((where, value))
            continue
        if isinstance(value, type) and not value.__module__.startswith("gradtape"):
            continue
        if isinstance(value, types.FunctionType):
            parts = [cell.cell_contents for cell in value.__closure__ or () if cell != types.CellType()]
        elif isinstance(value, dict):
            parts = list(value.values())
        elif isinstance(value, (list, tuple, set, frozenset)):
            parts = list(value)
        elif type(value).__module__.startswith("gradtape") or isinstance(value, type):
            slots = [
                getattr(value, name, None) for kind in type(value).__mro__ for name in vars(kind).get("__slots__", ())
            ]
            parts = [*getattr(value, "__dict__", {}).values(), *slots]
        else:
            continue
        waiting += [(where, part) for part in parts]
    return found


FOREIGN = (
    type(threading.Lock()),
    type(threading.RLock()),
    threading.Condition,
    queue.SimpleQueue,
    queue.Queue,
    np.random.Generator,
)


def test_what_modules_hold_is_renewed():
    """After all kinds of work: what has a lock is made by `base/locks.py`, or made anew in a child."""
    code = """
import sys, tempfile
from pathlib import Path
sys.path[:0] = [sys.argv[1], sys.argv[2]]
import storm
with tempfile.TemporaryDirectory() as folder:
    for work in storm.WORK:
        work(Path(folder))
from tests.forks import test_forks
from gradtape.base import locks, module_locks
import gradtape.random.streams
known = {id(reference()) for reference in locks._RENEWED}
print([(where, value) for where, value in test_forks.held_by_modules()
       if id(value) not in known and value is not gradtape.random.streams.SEEDS.fresh._generator])
"""
    folder = Path(__file__).parent
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-W", "ignore", "-c", code, str(folder), str(folder.parents[1])]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout.strip()) == (0, "[]"), ran.stdout + ran.stderr


def test_forks_at_any_moment(tmp_path):
    storm = Path(__file__).with_name("storm.py")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ran = subprocess.run(
        [sys.executable, str(storm), "20", str(tmp_path)], env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
