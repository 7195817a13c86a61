"""What every test is held to: it leaves no state behind. And fixtures that several files share."""

import gc
import sys
import tracemalloc

import pytest

# (Imports are inside: some of these tests are also run on TensorFlow, without gradtape.)

# What belongs to the process and no test leaves behind (docs/design/README.md, "State"): module, name, value in a new process.
# Sets and lists are compared by what they hold.
PROCESS = [
    ("base.context", "ACTIVE", frozenset()),
    ("op.entry", "_GENERAL", frozenset()),
    ("op.call", "OBSERVERS", ()),
    ("op.call", "STEPWISE", frozenset()),
    ("op.call", "CALL_OBSERVERS", ()),
    ("op.call", "GRADIENT_OBSERVERS", ()),
    ("op.call", "TAPE_OBSERVERS", ()),
    ("op.call", "PULL_OBSERVERS", ()),
    ("diagnostics.chain", "LISTENERS", ()),
    ("trace.engines", "CHOICE.name", "native"),
    ("trace.function", "_UNUSUAL", frozenset()),
    ("api.interop", "RESULTS.tensors", False),
    ("differentiation.slices", "ROWS.summed", True),
    ("distribute.strategy", "_GLOBAL", ()),
    ("distribute.dtensor", "_DEFAULT", ()),
    ("autograph.verbosity", "_level", None),
    ("autograph.verbosity", "_to_stdout", False),
    ("base.tracebacks", "FILTERING.on", True),
    ("base.places", "OPEN", ()),
    ("xla.places", "SEEN.is_soft", True),
]
_COPY = {set: frozenset, list: tuple}


def _plain(value):
    """A copy of a set or list; what else a setting is."""
    return _COPY[value.__class__](value) if value.__class__ in _COPY else value


def _place(module, name):
    """The object that has this attribute, and its name; None where the module is not imported."""
    owner = sys.modules.get(f"gradtape.{module}")
    first, _, second = name.rpartition(".")
    return (getattr(owner, first) if first and owner else owner), second


def process_state():
    """The present value of each of them, comparable."""
    found = []
    for module, name, new in PROCESS:
        owner, attribute = _place(module, name)
        found.append(new if owner is None else _plain(getattr(owner, attribute)))
    return found


def left_in_process(before, after):
    """What is another than before, and than in a new process."""
    triples = zip(PROCESS, before, after, strict=True)
    return [f"{module}.{name}" for (module, name, new), was, is_ in triples if is_ not in (was, new)]


def restore(before):
    """Give each the value that it had."""
    for (module, name, _), value in zip(PROCESS, before, strict=True):
        owner, attribute = _place(module, name)
        if owner is None:
            continue
        present = getattr(owner, attribute)
        if present.__class__ in _COPY:
            present.clear()
            (present.update if present.__class__ is set else present.extend)(value)
        else:
            setattr(owner, attribute, value)


@pytest.fixture(autouse=True)
def _nothing_is_left_behind():
    """After a test the state of its thread is that of a new thread: nothing records, no scope is open, no default is set.

    And the settings and observers of the process are those from before it.

    And what a process is told once, each test is told once.
    """
    tape = sys.modules.get("gradtape.differentiation.tape")
    if tape is not None:
        tape._Warned.of_recorded_gradients = False
    before = process_state()
    yield
    context = sys.modules.get("gradtape.base.context")
    if context is None:  # (on TensorFlow)
        return
    state = vars(context.STATE)
    new = {name: value for name, value in vars(context.ThreadState()).items() if not name.startswith("_")}
    left = {name: state[name] for name, value in new.items() if state[name] != value}
    state.update((name, new[name]) for name in left)  # the next test is not to blame
    assert not left, "the test leaves this behind in the state of its thread"
    left = left_in_process(before, process_state())
    if left:
        restore(before)
        raise AssertionError(f"the test leaves this behind in the process: {', '.join(left)}")


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
