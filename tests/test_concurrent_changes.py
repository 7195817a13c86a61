"""Variables that several threads change and read at once: every update arrives, and what was read stays as it was."""

import copy
import functools
import itertools
import pickle
import sys
import threading

import numpy as np
import pytest
from tests.in_threads import in_threads as at_once

import gradtape as tf
from gradtape.native.abi import counts_holders
from gradtape.variables.in_place import changed, written

in_place = pytest.mark.skipif(
    not counts_holders(), reason="nothing is changed in place: counts of references are not exact"
)

SHAPES = [(), (3,), (70, 100), (300, 1000)]  # two that are copied, and two that are changed in place


@pytest.fixture(autouse=True)
def _switching_often():
    """Threads take turns after a few instructions, so that races have every chance."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def in_threads(function, count):
    """Call the function on so many threads at once, each with its number."""
    at_once(*[functools.partial(function, number) for number in range(count)])


# --- all ways to change a variable: each gives a function that adds one to every element --------------------------------


def rows(variable, value=1.0):
    return tf.IndexedSlices(tf.fill(variable.shape, value), tf.range(variable.shape[0]))


def positions(variable):
    return tf.range(variable.shape[0])[:, None]


def method(name, *arguments, **settings):
    return lambda v: lambda: getattr(v, name)(*[part(v) if callable(part) else part for part in arguments], **settings)


def ones(variable):
    return tf.ones(variable.shape)


def part(variable):
    return lambda: variable[:].assign_add(tf.ones(variable.shape))


def plain_keras(variable):
    optimizer = tf.keras.optimizers.SGD(1.0)
    optimizer.build([variable])
    return lambda: optimizer.apply([-tf.ones(variable.shape)], [variable])


def fused(variable):
    one = tf.ones(variable.shape)
    return lambda: variable.assign_sub(tf.tanh(one * 0.0) - one * one)


def after_a_use(variable):
    one = tf.ones(variable.shape)

    def run():
        norm = tf.reduce_sum(variable * 2.0)
        variable.assign_add(one + 0.0 * variable)
        return norm + tf.reduce_sum(variable)

    return run


def twice(variable):
    half = tf.fill(variable.shape, 0.5)

    def run():
        variable.assign_add(half)
        variable.assign_sub(-half)

    return run


WAYS = {
    "assign_add": method("assign_add", ones),
    "assign_sub": method("assign_sub", lambda v: -tf.ones(v.shape)),
    "assign_add, use_locking": method("assign_add", ones, use_locking=True),
    "twice": twice,
    "fused": fused,
    "after a use": after_a_use,
    "raw op": lambda v: lambda: tf.raw_ops.ResourceApplyGradientDescent(var=v, alpha=1.0, delta=-tf.ones(v.shape)),
    "Keras": plain_keras,
}
ROW_WAYS = {
    "scatter_add": method("scatter_add", rows),
    "scatter_add, use_locking": method("scatter_add", rows, use_locking=True),
    "scatter_sub": method("scatter_sub", lambda v: rows(v, -1.0)),
    "scatter_nd_add": method("scatter_nd_add", positions, ones),
    "scatter_nd_sub": method("scatter_nd_sub", positions, lambda v: -tf.ones(v.shape)),
    "a part": part,
}
CASES = [(name, shape) for name in WAYS for shape in SHAPES] + [
    (name, shape) for name in ROW_WAYS for shape in SHAPES[1:]
]


def adding(name, variable, traced):
    add = {**WAYS, **ROW_WAYS}[name](variable)
    return tf.function(add) if traced else add


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize(("name", "shape"), CASES)
def test_every_update_arrives(name, shape, traced):
    variable = tf.Variable(tf.zeros(shape))
    add = adding(name, variable, traced)
    add()
    in_threads(lambda _: [add() for _ in range(8)], 4)
    np.testing.assert_array_equal(variable, np.full(shape, 33.0))


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("name", [*WAYS, *ROW_WAYS])
def test_what_was_read_is_whole_and_stays_as_it_was(name, traced):
    variable = tf.Variable(tf.zeros([300, 1000]))
    add = adding(name, variable, traced)
    add()

    def run(number):
        if number == 0:
            for _ in range(12):
                add()
            return
        for _ in range(12):
            read = variable.read_value() if number == 1 else tf.convert_to_tensor(variable)
            view = np.asarray(read)
            first = read.numpy().copy()
            assert np.ptp(first) == 0
            variable.numpy()
            np.testing.assert_array_equal(first, read.numpy())
            np.testing.assert_array_equal(first, view)

    in_threads(run, 3)


@pytest.mark.parametrize("name", ["assign_add", "scatter_add", "raw op", "Keras"])
def test_checkpoints_that_are_saved_while_others_train_are_whole(name, tmp_path):
    variable = tf.Variable(tf.zeros([300, 1000]))
    add = adding(name, variable, traced=False)
    end = threading.Event()

    def run(number):
        if number:
            while not end.is_set():
                add()
            return
        try:
            checkpoint = tf.train.Checkpoint(v=variable)
            for _ in range(5):
                path = checkpoint.save(tmp_path / "ckpt")
                assert np.ptp(tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")) == 0
        finally:
            end.set()

    in_threads(run, 2)


def test_copies_that_are_made_meanwhile_are_whole():
    variable = tf.Variable(tf.zeros([300, 1000]))
    one = tf.ones(variable.shape)

    def run(number):
        for _ in range(10):
            if number == 0:
                variable.assign_add(one)
            elif number == 1:
                assert np.ptp(copy.deepcopy(variable).numpy()) == 0
            else:
                assert np.ptp(pickle.loads(pickle.dumps(variable)).numpy()) == 0

    in_threads(run, 3)


# --- how it is done -----------------------------------------------------------------------------------------------------


def test_a_reader_waits_until_a_value_is_whole():
    variable = tf.Variable(tf.zeros([70, 100]))
    seen = []
    reader = threading.Thread(target=lambda: seen.append(variable.numpy()))

    def write(arrays):
        arrays[0][:50] = 1
        reader.start()
        reader.join(0.02)
        assert not seen
        arrays[0][50:] = 1

    written([variable], write)
    reader.join()
    assert (seen[0] == 1).all()


def test_nobody_waits_for_ever_beside_a_thread_that_changes_without_end():
    variable = tf.Variable(tf.zeros([300, 1000]))
    one = tf.ones(variable.shape)
    end = threading.Event()

    def run(number):
        if number:
            while not end.is_set():
                variable.assign_add(one)
        else:
            for _ in range(50):
                variable.numpy()
            end.set()

    in_threads(run, 2)


@in_place
def test_the_thread_that_changes_a_variable_can_read_it():
    """As a finalizer or a signal handler may, in the middle of it."""
    variable = tf.Variable(tf.zeros([70, 100]))
    seen = []

    def write(arrays):
        arrays[0][:] = 1
        seen.append(variable.read_value())
        arrays[0][:] = 2

    written([variable], write)
    assert (seen[0].numpy() == 1).all()
    assert (variable.numpy() == 2).all()


def test_a_change_that_fails_leaves_the_value():
    variable = tf.Variable(tf.ones([70, 100]))

    def fail(arrays, own):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        changed([variable], [None], fail)
    assert (variable.numpy() == 1).all()


def test_a_value_that_an_interrupt_left_aside_is_found_again():
    variable = tf.Variable(tf.ones([70, 100]))
    variable.__dict__["_changing"] = variable.__dict__.pop("_value")
    assert (variable.numpy() == 1).all()
    variable.assign_add(tf.ones([70, 100]))
    assert (variable.numpy() == 2).all()
    assert "_changing" not in variable.__dict__


def test_changes_of_several_variables_do_not_wait_for_each_other_for_ever():
    variables = [tf.Variable(tf.zeros([70, 100])) for _ in range(6)]

    def write(arrays):
        for array in arrays:
            array += 1

    def run(number):
        order = variables if number % 2 else variables[::-1]
        for _ in range(50):
            written(order, write)

    in_threads(run, 4)
    assert all((variable.numpy() == 200).all() for variable in variables)


@in_place
def test_a_variable_is_changed_in_place_beside_other_threads():
    variable = tf.Variable(tf.zeros([300, 1000]))
    variable.assign_add(tf.ones(variable.shape))
    place = variable._value._array.ctypes.data
    end = threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    try:
        for _ in range(3):
            variable.assign_add(tf.ones(variable.shape))
            assert variable._value._array.ctypes.data == place
    finally:
        end.set()
        other.join()


@pytest.mark.parametrize(
    "hold", [np.asarray, lambda v: memoryview(np.asarray(v)), lambda v: v[2:, 1:], tf.experimental.dlpack.to_dlpack]
)
def test_a_view_is_counted_as_a_holder(hold):
    variable = tf.Variable(tf.zeros([70, 100]))
    held = hold(variable)
    variable.assign_add(tf.ones(variable.shape))
    variable.scatter_add(rows(variable))
    if not hasattr(held, "shape"):
        held = tf.experimental.dlpack.from_dlpack(held)
    assert not np.asarray(held).any()


# --- what is built on variables -----------------------------------------------------------------------------------------


def test_no_two_threads_draw_the_same_numbers_from_a_generator():
    generator = tf.random.Generator.from_seed(7)
    drawn = [[] for _ in range(4)]
    in_threads(lambda k: drawn[k].extend(generator.uniform_full_int([2]).numpy().tobytes() for _ in range(50)), 4)
    alone = tf.random.Generator.from_seed(7)
    wanted = [alone.uniform_full_int([2]).numpy().tobytes() for _ in range(200)]
    assert sorted(itertools.chain(*drawn)) == sorted(wanted)


def test_no_two_threads_save_under_one_number(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    paths = [[] for _ in range(3)]
    in_threads(lambda k: paths[k].extend(checkpoint.save(tmp_path / "ckpt") for _ in range(4)), 3)
    assert len({*itertools.chain(*paths)}) == 12
    assert int(checkpoint.save_counter) == 12


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("shape", [(), (3, 4), (200, 300)])
def test_counters_of_keras_count_everything(shape, traced):
    variable = tf.keras.Variable(np.zeros(shape, np.float32))
    whole = tf.keras.Variable(0, dtype="int64")

    def count():
        variable.assign_add(tf.ones(shape))
        whole.assign_add(1)

    count = tf.function(count) if traced else count
    count()
    in_threads(lambda _: [count() for _ in range(20)], 4)
    np.testing.assert_array_equal(variable, np.full(shape, 81.0))
    assert int(whole) == 81


def test_an_optimizer_counts_the_steps_of_all_threads():
    optimizer = tf.keras.optimizers.SGD(1.0)
    variables = [tf.Variable(tf.zeros([4])) for _ in range(4)]
    optimizer.build(variables)
    in_threads(lambda k: [optimizer.apply([-tf.ones([4])] * 4, variables) for _ in range(10)], 4)
    assert int(optimizer.iterations) == 40
    assert all((variable.numpy() == 40).all() for variable in variables)


@pytest.mark.parametrize("delta", [1, 2.5, True, np.float32(1), np.ones(4, "float32"), [1.0, 2.0, 3.0, 4.0]])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_keras_variables_are_moved_by_what_a_sum_takes(delta, dtype):
    variable = tf.keras.Variable(np.ones(4), dtype=dtype)
    wanted = tf.keras.ops.convert_to_numpy(tf.keras.ops.cast(variable + delta, dtype))
    np.testing.assert_array_equal(variable.assign_add(delta), wanted)
    np.testing.assert_array_equal(variable, wanted)


@in_place
def test_an_update_that_also_uses_the_value_is_done_in_place():
    variable = tf.Variable(tf.ones([300, 1000]))
    gradient = tf.ones([300, 1000])

    @tf.function
    def decay():
        variable.assign_sub(0.5 * (gradient + 0.5 * tf.square(variable)))

    decay()
    np.testing.assert_array_equal(variable, np.full([300, 1000], 0.25))
    place = variable._value._array.ctypes.data
    decay()
    assert variable._value._array.ctypes.data == place
    np.testing.assert_allclose(variable, np.full([300, 1000], 0.25 - 0.5 * (1 + 0.5 * 0.0625)))


def test_an_interrupt_while_locks_are_taken_or_held_releases_those_that_were_taken():
    from gradtape.variables.in_place import under_locks

    locks = [threading.RLock() for _ in range(3)]
    taken = []

    def interrupted():
        taken.extend(lock._is_owned() for lock in locks)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        under_locks(locks, interrupted)
    assert taken == [True] * 3
    assert not any(lock._is_owned() for lock in locks)
    with pytest.raises(TypeError):
        under_locks([*locks, None], interrupted)  # the last one cannot be taken
    assert not any(lock._is_owned() for lock in locks)
