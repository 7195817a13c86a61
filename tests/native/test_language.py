"""Words of memory with names, and the atomic instructions that threads change them by."""

import ctypes

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

from llvmlite import ir

from gradtape.native.engine import compiled
from gradtape.native.language import INT64, POINTER, Function, Number, Words, begin_block
from gradtape.native.layout import Layout
from gradtape.native.pool_words import SLOT, SLOTS, STATE, slot_of

NAMES = Layout({"first": 1, "several": 3, "after": 1}, {"apart": 1})


def test_names_are_words_and_lines_are_apart():
    assert [NAMES[name] for name in ("first", "several", "after", "apart")] == [0, 1, 4, 8]
    assert NAMES.size == 16
    with pytest.raises(KeyError):
        NAMES["nothing"]


def test_what_different_threads_write_to_shares_no_line():
    written = "is_running", "kernel", "left", "done", "sleepers", "posted", "all_done"
    assert len({STATE[name] // 8 for name in written}) == len(written)
    assert len({(slot_of(k) + SLOT[name]) // 8 for k in range(SLOTS) for name in ("kernel", "left")}) == 2 * SLOTS
    assert slot_of(SLOTS + 3) == slot_of(3)


def run(write, words, *given):
    """What a function of words and whole numbers returns."""
    module = ir.Module("words")
    function = Function(module, "run", INT64, [POINTER, *[INT64] * len(given)])
    state, *numbers = function.arguments
    write(function, Words(function.builder, state, NAMES), *numbers)
    (address,) = compiled(module, "run")
    kinds = [ctypes.c_void_p, *[ctypes.c_int64] * len(given)]
    return ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(address)(words.ctypes.data, *given)


def test_words_are_loaded_stored_and_added_to():
    def write(function, words, x):
        words["first"].store_atomic(x)
        words["after"].store(words["first"].load_atomic() + 1)
        before = words["apart"].add_atomic(-5)
        function.give(before * 100 + words["after"].load())

    words = np.arange(16)
    assert run(write, words, 20) == 8 * 100 + 21
    np.testing.assert_array_equal(words[[0, 1, 4, 8]], [20, 1, 21, 3])


@pytest.mark.parametrize(("expected", "taken"), [(7, 1), (6, 0)])
def test_a_word_is_exchanged_if_it_is_what_is_expected(expected, taken):
    def write(function, words, value):
        done = words["first"].exchange_if(value, value + 30)
        with function.where(done):
            function.give(1)
        function.give(0)

    words = np.full(16, 7)
    assert run(write, words, expected) == taken
    assert words[0] == (37 if taken else 7)


def test_halves_of_a_word():
    def write(function, words, value):
        function.give(((value >> 32) << 8) | (value & 0xFF))

    assert run(write, np.zeros(16, np.int64), (5 << 32) + 9) == (5 << 8) + 9


def test_a_block_can_be_gone_back_to_and_addresses_can_be_called():
    @ctypes.CFUNCTYPE(None, ctypes.c_int64)
    def seen(value):
        values.append(value)

    def write(function, words, times, address):
        look = begin_block(function.builder, "look")
        before = words["first"].add_atomic(1)
        callee = Number(function.builder, function.builder.inttoptr(address.value, POINTER))
        function.call_address(callee, ir.FunctionType(ir.VoidType(), [INT64]), before)
        with function.where(before + 1 < times):
            function.builder.branch(look)
        function.give(before)

    values = []
    assert run(write, np.zeros(16, np.int64), 3, ctypes.cast(seen, ctypes.c_void_p).value) == 2
    assert values == [0, 1, 2]
