"""Every op gives on XLA what it gives on the host, or says why it stays there."""

import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")

from tests.ops.registry import all_ops

from . import census

OPS = all_ops()


@pytest.mark.parametrize("op", [op for op in OPS if op.stays_on_host is None], ids=lambda op: op.name)
def test_an_op_gives_on_xla_what_it_gives_on_the_host(op):
    row = census.row_of(op, 1)
    assert row.is_as_declared, row.shown


@pytest.mark.full
@pytest.mark.parametrize("op", [op for op in OPS if op.stays_on_host is None], ids=lambda op: op.name)
def test_more_samples_of_an_op_are_equal(op):
    row = census.row_of(op, 12)
    assert row.is_as_declared, row.shown


def test_most_ops_run_on_xla():
    assert sum(op.stays_on_host is None for op in OPS) >= 350


def test_an_op_has_a_lowering_or_a_reason_against_it():
    assert [op.name for op in OPS if op.xla_kernel is not None and op.stays_on_host is not None] == []


def test_the_page_is_up_to_date():
    assert census.PAGE.read_text(encoding="utf-8") == census.page(census.listed_silent_ops()), (
        "run python -m tests.xla.census"
    )
