"""Small programs as one native function: they have the bits of the same ops one by one, and take anything that those take."""

from __future__ import annotations

import gc
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compile import warming
from gradtape.compile.codegen import python_of
from gradtape.compile.executor import lowered
from gradtape.compile.fusion import grouped
from gradtape.compile.passes import optimized
from gradtape.compile.program import Program
from gradtape.compile.whole import control
from gradtape.native import abi, blas, engine, thresholds

pytestmark = pytest.mark.skipif(
    not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()), reason="there is no machine code"
)

RNG = np.random.default_rng(0)


def numbers(*shape: int, dtype: Any = np.float32) -> Any:
    return RNG.normal(size=shape).astype(dtype)


def same_bits(found: Any, expected: Any) -> None:
    """Equal in type, shape and all bits, but for the bits of NaN."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if found.dtype.kind in "fc":
        both = np.isnan(found) & np.isnan(expected)
        found, expected = np.where(both, 0, found), np.where(both, 0, expected)
    np.testing.assert_array_equal(found, expected)
    assert found.tobytes() == expected.tobytes()


def program_of(function: Callable[..., Any], *values: Any) -> Program:
    concrete = tf.function(function).get_concrete_function(*values)
    evaluator, _, _ = lowered(concrete.graph, [v._array.shape for v in values], [v._array.dtype for v in values])
    return optimized(evaluator.program)


def groups_of(program: Program) -> list[str]:
    return [type(item).__name__ for item in grouped(program, python_of)]


def check(function: Callable[..., Any], *arrays: Any, groups: list[str] | None = None) -> None:
    """A function is one group, if no other groups are named, and gives the bits of its ops one by one."""
    values = [tf.constant(array) for array in arrays]
    program = program_of(function, *values)
    assert groups_of(program) == (groups or ["WholeGroup"])
    given = [value._array for value in values]
    native = python_of(program, whole=True)
    for found, expected in zip(native(*given), python_of(program)(*given), strict=True):
        same_bits(found, expected)


# --- programs ----------------------------------------------------------------------------------------------------------------


def test_products_for_which_openblas_has_threads_are_part_of_the_function():
    rows, inner = 256, 32
    assert rows * inner * inner >= thresholds.BLAS_THREADS_MULTIPLICATIONS

    def network(x, w, bias):
        with tf.GradientTape() as tape:
            tape.watch([w, bias])
            y = tf.reduce_sum(tf.tanh(x @ w + bias) @ w)
        return tape.gradient(y, [w, bias])

    check(network, numbers(rows, inner), numbers(inner, inner), numbers(inner))
    assert not blas._HOLDERS  # it has let them go


def test_openblas_has_its_threads_again_after_an_interrupt():
    @tf.function(jit_compile=True)
    def forever(x, w):
        while tf.reduce_sum(w) < 1e30:
            w = tf.tanh(x @ w)[:32]
        return w

    x, w = tf.constant(numbers(256, 32)), tf.zeros((32, 32))
    with pytest.raises(KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            forever(x, w)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    assert not blas._HOLDERS


def test_quotients_of_integers_and_cross_products_are_native():
    def digits(n):
        total = tf.zeros_like(n)
        for _ in tf.range(6):
            total, n = total + n % 10, n // 10
        return total, tf.truncatediv(n - 7, 2)

    check(digits, np.array([123, -45, 7], np.int32), groups=["WholeGroup"])
    check(lambda a, b: tf.linalg.cross(a, b) * 2.0, numbers(4, 3), numbers(4, 3))
    function = tf.function(lambda a, b: (a // b) + 1, jit_compile=True)
    assert function(tf.constant([7]), tf.constant([2])).numpy() == 4
    with pytest.raises(tf.errors.InvalidArgumentError, match="integer division by zero"):
        function(tf.constant([7]), tf.constant([0]))


def test_other_threads_run_beside_a_long_loop_of_little_work():
    """Nobody knows before how many rounds there are: such a loop lets go of the interpreter's lock when it has taken long."""

    @tf.function(jit_compile=True)
    def spin(rounds):
        x = tf.constant(0.5)
        for _ in tf.range(rounds):
            x = x * 0.5 + 0.1
        return x

    spin(tf.constant(10))
    turns, goes_on = 0, True

    def count() -> None:
        nonlocal turns
        while goes_on:
            turns += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    rounds, before = 1_000_000, 0
    while True:  # as long as it takes on this machine
        before, start = turns, time.perf_counter()
        spin(tf.constant(rounds))
        if time.perf_counter() - start > 0.2:
            break
        rounds *= 4
    goes_on = False
    assert turns - before > 5
    other.join()


def test_rounds_that_take_long_are_interrupted_sooner():
    def steps(rounds: int, size: int) -> Any:
        def run(x):
            for _ in tf.range(rounds):
                x = tf.tanh(x @ x)
            return x

        program = program_of(run, tf.constant(numbers(size, size)))
        (group,) = grouped(program, python_of)
        (loop,) = group.recording.steps.current
        return control._rounds_unchecked(loop)

    assert steps(1000, 2) == 4096
    assert 4 <= steps(1000, 120) <= 128


def test_many_small_ops_with_their_gradient_are_one_function():
    def chain(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(20):
                y = tf.tanh(y * 1.1 + 0.1) * x
            y = tf.reduce_sum(y)
        return tape.gradient(y, x)

    check(chain, numbers(8))
    check(chain, numbers(3, 5, dtype=np.float64))


@pytest.mark.parametrize("size", [4095, 4096, 5000, 16_383])
def test_first_calls_and_later_ones_have_the_same_bits(size):
    """Python lines do not use own polynomials, which they do on larger arrays: after 16 calls the function is a native one."""

    @tf.function
    def function(x):
        return tf.tanh(x) * tf.exp(-x) + tf.math.sigmoid(x), tf.reduce_mean(tf.exp(x) * x)

    x = tf.constant(numbers(size))
    first = function(x)
    for _ in range(20):
        later = function(x)
    for found, expected in zip(later, first, strict=True):
        same_bits(found, expected)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (7,), (16,), (17,), (33,), (130,), (3, 0), (5, 1, 9)])
def test_any_number_of_elements(shape):
    def function(x):
        y = tf.exp(-x * x) + tf.sqrt(tf.abs(x))
        return tf.where(y > 1.0, y, x), tf.reduce_sum(y), tf.cast(y, tf.int32), x > 0.0

    check(function, numbers(*shape))


def test_sums_are_computed_in_the_order_of_memory():
    def function(x):
        turned = tf.transpose(x, (2, 0, 1))
        y = tf.exp(turned)
        axes = (0, 1, 2, (0, 1), (0, 2), (1, 2), None)
        return [tf.reduce_sum(v, axis=axis) for v in (x, turned, y) for axis in axes]

    check(function, numbers(9, 11, 13))


def test_products_of_matrices_in_all_layouts():
    def function(a, b):
        products = [
            tf.matmul(a, b),
            tf.matmul(a, a, transpose_b=True),
            tf.matmul(b, a, transpose_a=True, transpose_b=True),
        ]
        return [*products, tf.matmul(a[::2], b[:, ::3]), tf.matmul(a[None] * 2.0, b), tf.linalg.matvec(a, b[:, 0])]

    check(function, numbers(6, 7), numbers(7, 9))


def test_an_op_without_a_native_form_stays_a_python_line():
    def function(x):
        return tf.reduce_sum(tf.linalg.expm(x * 2.0 + 1.0) * x - 1.0)

    check(function, numbers(3, 3), groups=["WholeGroup", "Node", "WholeGroup"])


def test_a_result_that_is_an_operand_is_not_written_over():
    def function(x):
        turned = tf.math.cumprod(
            x, exclusive=True, reverse=True
        )  # a Python line, whose result lies backwards in memory
        return turned, tf.math.conj(turned) * tf.sort(x)

    value = numbers(4)
    program = program_of(function, tf.constant(value))
    for found, expected in zip(python_of(program, whole=True)(value), python_of(program)(value), strict=True):
        same_bits(found, expected)


def test_a_power_of_scalars_has_the_bits_of_scalars():
    def function(x, y):
        return x**y, x**2.0, x**0.5, 0.9**x, [x * x + n for n in (1.0, 2.0)]

    for _ in range(20):
        value = np.float32(RNG.uniform(1.0, 9.0))
        program = program_of(function, tf.constant(value), tf.constant(value))
        native, lines = python_of(program, whole=True), python_of(program)
        for found, expected in zip(native(value, value), lines(value, value), strict=True):
            same_bits(found, expected)


def test_long_programs_are_cut():
    def function(x):
        for _ in range(300):
            x = tf.sin(x) * 1.5 + 0.5
        return x

    check(function, numbers(3), groups=["WholeGroup", "WholeGroup"])


# --- loops and branches ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", [1, 5, 40])
def test_a_long_function_is_cut_into_pieces_that_share_its_memory(piece, monkeypatch):
    monkeypatch.setattr(thresholds, "NATIVE_FUNCTION_INSTRUCTIONS", 10)
    monkeypatch.setattr(thresholds, "NATIVE_PIECE_INSTRUCTIONS", piece)

    def run(x, w, k):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(4):
                y = tf.tanh(tf.linalg.matvec(w, y)) + tf.gather(x, k) + tf.reduce_sum(y[1:])
            for _ in tf.range(35):
                y = y * 0.9 + tf.sin(x)
            loss = tf.reduce_sum(y * y)
        return y, loss, tape.gradient(loss, x), x[::-1]

    check(run, numbers(6), numbers(6, 6), np.array([0, 5, 3, 3, 1, 2]))


def test_a_loop_and_its_gradient_are_one_function():
    def function(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = x
            for _ in tf.range(50):
                y = tf.tanh(tf.linalg.matvec(w, y)) + 0.1 * x
            loss = tf.reduce_sum(y * y)
        return tape.gradient(loss, [x, w])

    check(function, numbers(4), 0.5 * numbers(4, 4))


@pytest.mark.parametrize("rounds", [0, 1, 5, 63, 64, 65, 300])
def test_a_loop_of_any_number_of_rounds(rounds):
    def function(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, i = x, tf.constant(0)
            while i < n:
                y = tf.sin(y) * x + 0.5
                i += 1
            loss = tf.reduce_sum(y)
        return tape.gradient(loss, x), i

    check(function, numbers(3, 2), np.int32(rounds))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 9])
def test_a_loop_that_puts_its_state_together_of_elements(size, dtype):
    """Up to four elements are computed one by one."""

    def function(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, turned, past = x, x * 2.0, x > 0.0
            for i in tf.range(30):
                parts = [y[(k + 1) % size] * 0.9 - tf.sin(y[k]) for k in range(size)]
                turned = y * 0.25 + turned / (tf.abs(y) + 1.5)
                y = tf.stack(parts) * 0.5 + turned
                past = tf.math.logical_xor(past, y > tf.cast(i, y.dtype) * 0.01)
            total = tf.reduce_sum(y * turned)
        return y, turned, past, tf.cast(past, tf.int32) * 3, tape.gradient(total, x)

    check(function, numbers(size, dtype=dtype))


def test_values_that_change_places_in_a_loop():
    def function(a, b, c):
        for _ in tf.range(40):
            a, b, c = b, c, a
        for _ in tf.range(40):
            a, b = b * 0.5, a
        return a, b, c

    check(function, numbers(3), numbers(3), numbers(3))


def test_a_loop_over_rows_forwards_and_backwards():
    def function(x):
        forward = tf.scan(lambda state, row: tf.tanh(state + row), x)
        backward = tf.scan(lambda state, row: state * 0.9 + row, forward, reverse=True)
        return backward, tf.map_fn(lambda row: tf.reduce_sum(row * row), x)

    check(function, numbers(40, 3))


def test_loops_inside_of_loops_and_branches():
    def function(x):
        for i in tf.range(40):
            y = x
            for _ in tf.range(i):
                y = y * 0.5 + 0.1
            if tf.reduce_sum(y) > 1.0:
                x = tf.sin(x + y)
            else:
                x = x + 0.25 * y
        return x

    check(function, numbers(4))


@pytest.mark.parametrize("number", [-1, 0, 1, 2, 7])
def test_a_branch_with_its_gradient(number):
    def function(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.switch_case(n, [lambda: tf.sin(x), lambda: x * x, lambda: tf.reduce_sum(x) + x])
        return y, tape.gradient(y, x)

    check(function, numbers(4), np.int32(number))


def test_a_long_loop_can_be_interrupted():
    import signal

    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals reach the main thread")

    @tf.function
    def endless(x):
        while tf.reduce_sum(x) > -1.0:
            x = tf.sin(x) + 1.0
        return x

    def stop(*args):
        raise InterruptedError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        with pytest.raises(InterruptedError):
            endless(tf.ones(3))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- calls -------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def at_once(monkeypatch):
    """Programs are compiled with their first call."""
    monkeypatch.setattr(thresholds, "WARMING_CALLS", 0)


def doubled(x):
    return tf.exp(x) * 2.0 + x


@pytest.mark.usefixtures("at_once")
def test_arguments_of_any_layout_give_the_same():
    function, base = tf.function(doubled), numbers(8, 6)
    read_only = base.copy()
    read_only.flags.writeable = False
    overlapping = np.lib.stride_tricks.as_strided(base, (8, 6), (4, 4))
    for array in (base, base[::-1], np.asfortranarray(base), numbers(8, 12)[:, ::2], read_only, overlapping):
        for value in (tf.constant(array), array):
            same_bits(function(value), doubled(tf.constant(array)))


@pytest.mark.usefixtures("at_once")
def test_arguments_of_other_types_and_shapes_take_their_own_way():
    function = tf.function(doubled)
    for value in (numbers(3), numbers(4), numbers(3, dtype=np.float64), numbers(), np.float32(2.0), 1.5, numbers(2, 2)):
        for _ in range(2):
            same_bits(function(value), doubled(tf.constant(value)))


@pytest.mark.usefixtures("at_once")
def test_a_structure_and_its_tensor_are_different_calls():
    function = tf.function(lambda x: tf.add_n(x) if isinstance(x, list) else x * 3.0)
    x = tf.constant(numbers(3))
    for _ in range(3):
        same_bits(function([x]), x)
        same_bits(function(x), x * 3.0)


@pytest.mark.usefixtures("at_once")
def test_tapes_see_the_function():
    function, x = tf.function(doubled), tf.constant(numbers(3))
    function(x)
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        with tf.GradientTape() as eager:
            eager.watch(x)
            expected = doubled(x)
        same_bits(tape.gradient(y, x), eager.gradient(expected, x))
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    np.testing.assert_allclose(accumulator.jvp(y), np.exp(x) * 2.0 + 1.0, rtol=1e-6)


@pytest.mark.usefixtures("at_once")
def test_variables_are_read_at_each_call():
    variable = tf.Variable(numbers(3))
    function, x = tf.function(lambda x: (x * variable, tf.reduce_sum(variable))), tf.constant(numbers(3))
    for _ in range(3):
        product, total = function(x)
        same_bits(product, x * variable)
        same_bits(total, tf.reduce_sum(variable))
        variable.assign_add(x)


@pytest.mark.usefixtures("at_once")
def test_run_functions_eagerly_comes_first():
    calls = []

    @tf.function
    def function(x):
        calls.append(1)
        return x + 1.0

    function(tf.ones(2))
    tf.config.run_functions_eagerly(True)
    try:
        function(tf.ones(2))
    finally:
        tf.config.run_functions_eagerly(False)
    assert len(calls) == 2


@pytest.mark.usefixtures("at_once")
def test_calls_leave_nothing_behind():
    variable = tf.Variable(numbers(3))
    function, x = tf.function(lambda x: [x * variable, tf.exp(x)]), tf.constant(numbers(3))
    wrong = tf.ones((2, 2))  # (made here: np.ones of NumPy 2.1 keeps a reference to its type)
    function(x)
    gc.collect()
    before = (
        sys.getrefcount(x),
        sys.getrefcount(variable._value),
        sys.getrefcount(x._array.dtype),
        len(gc.get_objects()),
    )
    for _ in range(100):
        function(x)
        function(x._array)
        with pytest.raises(tf.errors.InvalidArgumentError):
            function(wrong)
    gc.collect()
    after = sys.getrefcount(x), sys.getrefcount(variable._value), sys.getrefcount(x._array.dtype), len(gc.get_objects())
    assert before[:3] == after[:3]
    assert after[3] - before[3] < 50


@pytest.mark.usefixtures("at_once")
def test_many_threads_call_one_function():
    function = tf.function(lambda x: tf.scan(lambda s, row: tf.tanh(s + row), x))
    values = [tf.constant(numbers(50, 4)) for _ in range(4)]
    expected = [function(value).numpy() for value in values]
    wrong: list[int] = []

    def work(place: int) -> None:
        for _ in range(200):
            if not np.array_equal(function(values[place]), expected[place]):
                wrong.append(place)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.usefixtures("at_once")
def test_what_cannot_be_written_runs_as_before(monkeypatch, caplog):
    def broken(*args, **options):
        raise RuntimeError("no machine code today")

    monkeypatch.setattr(engine, "compiled", broken)
    function, x = tf.function(doubled), tf.constant(numbers(5))
    with caplog.at_level(logging.DEBUG, "gradtape"):
        same_bits(function(x), doubled(x))
    assert "has no native form" in caplog.text


def test_a_program_is_compiled_after_some_calls(monkeypatch):
    monkeypatch.setattr(thresholds, "WARMING_CALLS", 3)
    function, x = tf.function(doubled), tf.constant(numbers(5))
    found = [function(x).numpy() for _ in range(3)]
    assert function._direct is None
    found += [function(x).numpy() for _ in range(3)]
    assert function._direct is not None
    assert len({array.tobytes() for array in found}) == 1


def test_a_long_program_waits_for_more_calls_and_a_loop_for_fewer():
    def chain(x):
        return x * 0.5 + 1.0

    def calls(rounds):
        def run(x):
            for _ in tf.range(rounds):
                x = chain(x)
            return x

        return warming._calls(program_of(run, tf.ones(2)))

    assert warming._calls(program_of(chain, tf.ones(2))) == 16
    assert calls(1_000) == 2
    assert calls(2_100) == 0
    node = program_of(chain, tf.ones(2)).nodes[0]
    assert warming._calls(Program(nodes=[node] * 2_000)) == 16
    assert warming._calls(Program(nodes=[node] * 20_000)) == 160  # (20 s of compiling, where a call takes 10 ms)


@pytest.mark.usefixtures("at_once")
def test_calls_by_keyword_and_with_arrays_take_the_native_function(monkeypatch):
    function, x, y = tf.function(lambda x, y: x - 2.0 * y), tf.constant(numbers(3)), tf.constant(numbers(3))
    expected = (x - 2.0 * y).numpy()
    function(x, y=y)
    assert function._direct is not None
    same_bits(function(y=y, x=x), expected)
    monkeypatch.setattr(function, "_found", None)  # (the usual way begins there)
    calls = [
        lambda: function(x, y),
        lambda: function(x, y=y),
        lambda: function(x=x, y=y),
        lambda: function(x.numpy(), y=y.numpy()),
    ]
    for call in calls:
        same_bits(call(), expected)


@pytest.mark.usefixtures("at_once")
def test_a_function_that_was_called_with_arrays_alone_has_a_native_form():
    function, array = tf.function(lambda x: x + 1.0), numbers(3)
    function(array)
    assert function._direct is not None
    same_bits(function(array), array + 1.0)
    same_bits(function(tf.constant(array)), array + 1.0)


@pytest.mark.usefixtures("at_once")
def test_keywords_that_a_function_does_not_have_are_refused():
    function, one = tf.function(lambda x: x + 1.0), tf.ones(2)
    nothing, named = tf.function(lambda: tf.ones(2) * 2.0), tf.function(lambda *, x: x + 1.0)
    several = tf.function(lambda x, y=None: x + 1.0)
    function(one), nothing(), named(x=one), several(one)
    for wrong in (
        lambda: function(one, y=one),
        lambda: function(y=one),
        lambda: function(one, x=one),
        lambda: nothing(x=one),
        lambda: named(one),
        lambda: several(y=one),
    ):
        with pytest.raises(TypeError):
            wrong()


# --- rows at positions that are values ---------------------------------------------------------------------------------------


def test_rows_that_a_loop_asks_for_with_their_gradient():
    def function(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            state, i = x[0], tf.constant(0)
            while i < n:
                state = tf.sin(state) + x[i] * tf.cast(i, tf.float32)
                i += 1
            loss = tf.reduce_sum(state * state)
        return loss, tape.gradient(loss, x)

    check(function, numbers(50, 3), np.int32(45))


def test_a_tensor_array_of_a_loop_with_its_gradient():
    def function(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            rows, state = tf.TensorArray(tf.float32, size=40, element_shape=[3]), x
            for i in tf.range(40):
                state = tf.sin(state) + 0.1
                rows = rows.write(i, state)
            y = tf.reduce_sum(tf.square(rows.stack()))
        return y, tape.gradient(y, x)

    check(function, numbers(3))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_gather_along_any_axis_with_its_gradient(dtype):
    def function(x, i):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(x, i) * 2.0
        return y, tf.gather(x, i, axis=1), tf.gather(x, i[0, 0], axis=-1), tape.gradient(y, x)

    check(function, numbers(4, 5, 6), np.array([[0, 3, 3], [1, 0, 2]], dtype))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("wrong", [-1, 3, 2**31 - 1])
def test_a_position_without_a_row_raises_the_error_of_eager_code_and_changes_nothing(wrong):
    v = tf.Variable(tf.zeros(2))

    def pick(x, i):
        v.assign_add(tf.gather(x, i))
        return v.read_value()

    function, x = tf.function(pick), tf.constant(numbers(3, 2))
    same_bits(function(x, tf.constant([1, 2])[0]), x[1])
    assert function._direct is not None
    before = v.numpy()
    with pytest.raises(tf.errors.InvalidArgumentError) as eager:
        tf.gather(x, wrong)
    with pytest.raises(tf.errors.InvalidArgumentError) as native:
        function(x, tf.constant(wrong))
    assert str(native.value) == str(eager.value)
    same_bits(v.numpy(), before)
