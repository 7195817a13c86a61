"""What every test is held to: it leaves no state behind. And fixtures for tests of products that are left to other threads."""

import sys

import pytest

# (Imports are inside: some of these tests are also run on TensorFlow, without gradtape.)


@pytest.fixture(autouse=True)
def _nothing_is_left_behind():
    """No tape, accumulator or trace goes on recording in this thread after a test."""
    yield
    context = sys.modules.get("gradtape.base.context")
    if context is None:  # (on TensorFlow)
        return
    state = context.STATE
    left = [*state.tapes, *state.accumulators, *state.readers, *filter(None, [state.trace])]
    if left:
        state.tapes.clear(), state.accumulators.clear(), state.readers.clear()  # the next test is not to blame
        state.trace = None
    assert not left, "the test leaves tapes, accumulators or traces recording"


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
