"""What is known before an op runs: sizes that are followed through a program, and errors that no size can repair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.sizes import UNKNOWN, evaluate, same, static, symbol
from gradtape.op.abstract import Abstract, infer
from gradtape.op.declaration import REGISTRY

FLOAT = np.float32
n, m = symbol("n"), symbol("m")


def run(name: str, *operands: Any, **attributes: Any) -> Any:
    """The results of an op by name, as they are known."""
    given = [value if isinstance(value, Abstract) else Abstract.of(np.asarray(value, np.int32)) for value in operands]
    found = infer(REGISTRY[name], given, attributes)
    return found[0] if found is not None and len(found) == 1 else found


def floats(*shape: Any) -> Abstract:
    return Abstract(shape, FLOAT)


def shape_of(x: Abstract) -> Abstract:
    return Abstract.of_sizes(x.shape)


def test_a_size_goes_through_arithmetic_into_a_shape() -> None:
    x = floats(n, 3, 4)
    batch = run("getitem", shape_of(x), key=(0,))
    flat = run("reshape", x, shape=(batch.value.item(), -1))
    assert flat.shape == (n, 12)
    doubled = run("multiply", batch, 2)
    assert doubled.value.item() == 2 * n
    assert run("tile", x, multiples=(2, 1, 1)).shape == (doubled.value.item(), 3, 4)


def test_shapes_are_put_together_from_parts() -> None:
    x = floats(n, 5)
    rows, columns = (run("getitem", shape_of(x), key=(axis,)) for axis in (0, 1))
    assert run("stack", columns, rows, axis=0).value.tolist() == [5, n]
    both = run("concat", shape_of(x), Abstract.of(np.array([7], np.int32)), axis=0)
    assert both.value.tolist() == [n, 5, 7]
    assert run("reduce_prod", both, axis=None, keepdims=False).value.item() == 35 * n
    assert run("convert", both, dtype=np.dtype(np.int64)).value.tolist() == [n, 5, 7]
    assert run("maximum", rows, 0).value.item() == n
    assert run("floordiv", run("multiply", rows, 4), 2).value.item() == 2 * n


def test_values_that_are_known_are_numbers() -> None:
    assert run("add", [1, 2], [3, 4]).value.tolist() == [4, 6]
    assert run("equal", 3, 3).value.item() is True
    assert run("convert", 3, dtype=np.dtype(FLOAT)).value is None  # only whole numbers are followed


def test_large_results_are_not_computed() -> None:
    assert run("broadcast_to", 1, shape=(1 << 40,)).value is None


def test_questions_that_a_symbol_leaves_open_have_no_value() -> None:
    rows = run("getitem", shape_of(floats(n)), key=(0,))
    assert run("equal", rows, 1).value is None
    assert run("equal", rows, 1).shape == ()


def test_the_rest_of_a_reshape_is_worked_out() -> None:
    assert run("reshape", floats(n, 28, 28), shape=(-1, 784)).shape == (n, 784)
    assert run("reshape", floats(n, m), shape=(-1,)).shape == (n * m,)
    assert run("reshape", floats(n, 3), shape=(n, -1)).shape == (n, 3)
    assert static(run("reshape", floats(n, 3), shape=(m, -1)).shape) == (None, None)
    assert static(run("reshape", Abstract(None, FLOAT), shape=(-1, 784)).shape) == (None, 784)


def test_a_reshape_to_a_product_may_be_of_no_rows() -> None:
    # (0, 3, 4) to [0, -1] is (0, 12), though (2, 3, 4) to [6, -1] is (6, 4).
    assert static(run("reshape", floats(n, 3, 4), shape=(3 * n, -1)).shape) == (None, None)


def test_slices_of_unknown_length() -> None:
    x = floats(n, 4)
    cases = [
        slice(1, None),
        slice(None, -1),
        slice(None, 5),
        slice(2, -1),
        slice(-3, None),
        slice(None, None, 2),
        slice(1, 6, 2),
    ]
    cases += [slice(None, None, -1), slice(4, 1, -1), slice(-2, None, -2), slice(-4, -1), slice(-5, 2), slice(3, 1)]
    for key in cases:
        size = run("getitem", x, key=(key,)).shape[0]
        for number in range(9):
            assert evaluate(size, {n: number}) == len(range(number)[key]), (key, number)
    assert run("getitem", x, key=(slice(1, None),)).shape == run("getitem", x, key=(slice(None, -1),)).shape


def test_a_slice_from_an_unknown_place_has_an_unknown_length() -> None:
    assert static(run("getitem", floats(8, 3), key=(slice(UNKNOWN, None),)).shape) == (None, 3)
    assert run("getitem", floats(8, 3), key=(UNKNOWN,)).shape == (3,)


def test_sizes_that_nobody_knows_broadcast() -> None:
    assert run("add", floats(n, 3), floats(3)).shape == (n, 3)
    assert run("add", floats(n, 1), floats(6)).shape == (n, 6)
    assert run("subtract", floats(m, n), floats(6)).shape == (m, 6)
    total = run("add", floats(n), floats(m))
    assert total.shape == run("multiply", floats(m), floats(n)).shape
    assert static(total.shape) == (None,)


def test_an_error_that_no_size_can_repair_is_raised_at_once() -> None:
    for call in (
        lambda: run("matmul", floats(n, 3), floats(4, m), transpose_a=False, transpose_b=False),
        lambda: run("add", floats(n, 3), floats(4)),
        lambda: run("concat", floats(n, 3), floats(n, 4), axis=0),
        lambda: run("squeeze", floats(n, 3), axis=(1,)),
        lambda: run("softmax", floats(n, 3), axis=2),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            call()


def test_errors_name_the_op_and_what_was_written() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"matmul: inner dimensions 3 and 4 differ .*\(n, 3\)"):
        run("matmul", floats(n, 3), floats(4, m), transpose_a=False, transpose_b=False)


def test_what_may_fit_is_no_error() -> None:
    assert run("matmul", floats(n, m), floats(3, 2), transpose_a=False, transpose_b=False).shape == (n, 2)
    assert run("concat", floats(n, 3), floats(m, 3), axis=0).shape == (n + m, 3)
    assert run("concat", floats(n, 3), floats(m, symbol("k")), axis=0).shape == (n + m, 3)
    assert run("squeeze", floats(n, 3), axis=(0,)).shape == (3,)
    assert run("squeeze", floats(n, 3), axis=None).rank is None


def test_what_is_of_unknown_rank_stays_so_unless_the_op_says() -> None:
    anything = Abstract(None, FLOAT)
    assert run("matmul", anything, floats(3, 2), transpose_a=False, transpose_b=False).rank is None
    conv = {"strides": (1, 1), "dilations": (1, 1), "padding": "SAME", "groups": 1}
    assert static(run("conv", anything, floats(3, 3, 8, 16), **conv).shape) == (None, None, None, 16)
    assert run("reduce_sum", anything, axis=None, keepdims=False).shape == ()
    assert run("reduce_sum", anything, axis=0, keepdims=False).rank is None
    assert run("nonzero", Abstract(None, np.bool_)).rank == 2


def test_how_many_results_there_are_may_be_unknown() -> None:
    assert run("unpack", floats(n, 3), axis=0) is None
    assert run("unpack", floats(0, 3), axis=0) == []
    assert [piece.shape for piece in run("unpack", floats(2, n), axis=0)] == [(n,), (n,)]


def test_convolutions_of_images_of_unknown_size() -> None:
    x, filters = floats(n, m, m, 3), floats(3, 3, 3, 8)
    same_size = run("conv", x, filters, strides=(2, 2), dilations=(1, 1), padding="SAME", groups=1)
    valid = run("conv", x, filters, strides=(1, 1), dilations=(1, 1), padding="VALID", groups=1)
    assert [evaluate(size, {n: 5, m: 7}) for size in same_size.shape] == [5, 4, 4, 8]
    assert [evaluate(size, {n: 5, m: 7}) for size in valid.shape] == [5, 5, 5, 8]
    assert same_size.shape[1] == same_size.shape[2]


def test_a_size_of_the_operands_decides_a_size_of_the_result() -> None:
    found = run("contract", floats(n, m), floats(m, 4), equation="ij,jk->ik")
    assert found.shape == (n, 4)
    assert same(found.shape[0], m) is None
