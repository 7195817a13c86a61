"""What every test is held to: it leaves no state behind. And fixtures that several files share."""

import gc
import sys
import tracemalloc

import pytest

# (Imports are inside: some of these tests are also run on TensorFlow, without gradtape.)


@pytest.fixture(autouse=True)
def _nothing_is_left_behind():
    """After a test the state of its thread is that of a new thread: nothing records, no scope is open, no default is set.

    And what a process is told once, each test is told once.
    """
    tape = sys.modules.get("gradtape.differentiation.tape")
    if tape is not None:
        tape._Warned.of_recorded_gradients = False
    yield
    context = sys.modules.get("gradtape.base.context")
    if context is None:  # (on TensorFlow)
        return
    state = vars(context.STATE)
    new = {name: value for name, value in vars(context.ThreadState()).items() if not name.startswith("_")}
    left = {name: state[name] for name, value in new.items() if state[name] != value}
    state.update((name, new[name]) for name in left)  # the next test is not to blame
    assert not left, "the test leaves this behind in the state of its thread"


@pytest.fixture
def held():
    """A function that says how many bytes were allocated since the test began and are still alive.

    The collector is off, so that what is freed was freed by its last reference, at once.
    """
    import gradtape as tf

    x = tf.ones(1 << 18)  # what is imported and compiled for the first large array is not counted
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.tanh(x))
    tape.gradient(y, x)
    del x, y, tape
    gc.disable()
    tracemalloc.start()
    start = tracemalloc.get_traced_memory()[0]
    try:
        yield lambda: tracemalloc.get_traced_memory()[0] - start
    finally:
        tracemalloc.stop()
        gc.enable()


@pytest.fixture
def registry_restored():
    """Ops that a test declares are gone after it."""
    yield
    from gradtape.op.declaration import REGISTRY

    for name, op in list(REGISTRY.items()):
        if not op.__module__.startswith("gradtape."):
            del REGISTRY[name]


@pytest.fixture
def two_threads(monkeypatch):
    """OpenBLAS with two threads, whatever the environment says; nothing may be left behind."""
    from gradtape.native import blas, pool

    found = blas._library()
    if found is None or not pool.can_post():
        pytest.skip("no llvmlite, another OpenBLAS, or a single core")
    monkeypatch.setattr(blas, "_openblas", lambda: found._replace(threads=2))
    yield
    assert not blas._HOLDERS
    assert not pool._pool()._kept
    found.set_threads(found.threads)


@pytest.fixture
def totals(monkeypatch):
    """The products that were posted first, one for each total."""
    from gradtape.native import background

    made = []
    make = background.Total.__init__
    monkeypatch.setattr(background.Total, "__init__", lambda self, first: (made.append(first), make(self, first))[1])
    return made
