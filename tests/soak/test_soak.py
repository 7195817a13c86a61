"""Twenty seconds of `python -m tests.soak`."""

from .run import GROWTH, soak


def test_mixed_work_stays_exact_and_its_memory_flat():
    seen = soak(20)
    assert seen.growth < 2 * GROWTH  # (the first rounds are among these)
