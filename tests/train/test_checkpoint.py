"""`tf.train.Checkpoint`: what is saved, how it is matched, and what happens where it does not match."""

import collections
import gc
import random
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.context import RESTORATIONS


@pytest.fixture(autouse=True)
def _nothing_waits_after_a_test():
    yield
    gc.collect()
    for restoration in tuple(RESTORATIONS):
        restoration.resume()
    RESTORATIONS.clear()


@pytest.fixture
def prefix(tmp_path):
    return str(tmp_path / "folder" / "ckpt")


def round_trip(prefix, make):
    """Save `make(1)`, restore into `make(0)`; returns both checkpoints."""
    old, new = tf.train.Checkpoint(**make(1)), tf.train.Checkpoint(**make(0))
    new.restore(old.save(prefix)).assert_consumed()
    return old, new


VALUES = {
    "float32": np.array([[1.5, -2.0], [np.nan, np.inf]], np.float32),
    "float64": np.array([np.pi, -0.0]),
    "float16": np.array([1.5, 65504.0], np.float16),
    "bfloat16": np.array([1.5, -3e38], tf.bfloat16.as_numpy_dtype),
    "complex64": np.array([1 + 2j, -3j], np.complex64),
    "complex128": np.array([[1 + 2j], [np.pi * 1j]]),
    "int8": np.array([-128, 127], np.int8),
    "uint8": np.array([0, 255], np.uint8),
    "int16": np.array([-32768], np.int16),
    "uint16": np.array([65535], np.uint16),
    "int32": np.array([-(2**31), 2**31 - 1], np.int32),
    "uint32": np.array([2**32 - 1], np.uint32),
    "int64": np.array([-(2**63), 2**63 - 1]),
    "uint64": np.array([2**64 - 1], np.uint64),
    "bool": np.array([[True], [False]]),
    "scalar": np.float32(3.25),
    "complex scalar": np.complex64(1 - 1j),
    "empty": np.zeros([0, 3], np.float32),
    "strided": np.arange(12.0).reshape(3, 4)[::2, ::-1].T,
}


@pytest.mark.parametrize("value", VALUES.values(), ids=list(VALUES))
def test_every_type_comes_back_bit_by_bit(prefix, value):
    saved = tf.train.Checkpoint(v=tf.Variable(value))
    restored = tf.train.Checkpoint(v=tf.Variable(tf.zeros(value.shape, value.dtype)))
    restored.restore(saved.save(prefix)).assert_consumed()
    assert restored.v.dtype == saved.v.dtype
    assert restored.v.numpy().tobytes() == saved.v.numpy().tobytes()


@pytest.mark.parametrize("texts", [[b"", b"a", b"\x00\xff" * 1000, "ä".encode()], [[b"x"], [b"y"]], [], b"alone"])
def test_strings_come_back(prefix, texts):
    value = tf.constant(texts, tf.string)
    saved = tf.train.Checkpoint(v=tf.Variable(value))
    restored = tf.train.Checkpoint(v=tf.Variable(tf.fill(value.shape, "")))
    restored.restore(saved.save(prefix)).assert_consumed()
    assert restored.v.shape == value.shape
    assert np.asarray(restored.v).tolist() == np.asarray(value).tolist()


class Dense(tf.Module):
    def __init__(self, scale):
        super().__init__()
        self.w = tf.Variable(scale * tf.ones([2, 2]), name="anything")
        self.b = tf.Variable([scale * 1.0, 0.0])


class Plain:
    """An object of the user's own, of no special class."""

    def __init__(self, scale):
        self.name = "plain"
        self.counter = tf.Variable(7 * scale)
        self.function = lambda: None
        self.shapes = [(1, 2), "text"]


Pair = collections.namedtuple("Pair", ["left", "right"])


def test_every_kind_of_structure_is_walked(prefix):
    def make(scale):
        shared = Dense(scale)
        return {
            "module": shared,
            "again": shared,
            "in_list": [tf.Variable(2.0 * scale), Dense(scale), [tf.Variable(5 * scale)]],
            "in_tuple": (tf.Variable(3.0 * scale),),
            "in_dict": {"a/b": tf.Variable(4.0 * scale), "c.d": {1: tf.Variable(6.0 * scale)}},
            "pair": Pair(tf.Variable(8.0 * scale), None),
            "plain": Plain(scale),
            "namespace": SimpleNamespace(v=tf.Variable(9.0 * scale)),
            "nested": tf.train.Checkpoint(v=tf.Variable(10.0 * scale)),
            "step": tf.Variable(11 * scale, dtype=tf.int64),
        }

    _, new = round_trip(prefix, make)
    np.testing.assert_array_equal(new.module.w, np.ones([2, 2]))
    assert new.in_list[0].numpy() == 2.0
    assert new.in_list[2][0].numpy() == 5
    assert new.in_dict["a/b"].numpy() == 4.0
    assert new.in_dict["c.d"][1].numpy() == 6.0
    assert new.plain.counter.numpy() == 7
    assert [float(v) for v in (new.in_tuple[0], new.pair.left, new.namespace.v, new.nested.v)] == [3, 8, 9, 10]
    assert new.step.numpy() == 11


def test_cycles_and_long_lists_end(prefix):
    def make(scale):
        first, second = Dense(scale), Dense(scale)
        first.next, second.next = second, first
        chain = []
        for _ in range(3000):
            chain = [chain]
        return {"first": first, "numbers": list(range(100_000)), "deep": [tf.Variable(scale), chain]}

    _, new = round_trip(prefix, make)
    np.testing.assert_array_equal(new.first.next.w, np.ones([2, 2]))


def test_the_names_are_those_of_tensorflow(prefix):
    u, v = tf.Variable(3.0), tf.Variable([1.0, 2.0])
    path = tf.train.Checkpoint(v=v, l=[v, u], d={"a/b": u}).save(prefix)
    assert path == f"{prefix}-1"
    assert tf.train.list_variables(path) == [
        ("_CHECKPOINTABLE_OBJECT_GRAPH", []),
        ("d/a.Sb/.ATTRIBUTES/VARIABLE_VALUE", []),
        ("save_counter/.ATTRIBUTES/VARIABLE_VALUE", []),
        ("v/.ATTRIBUTES/VARIABLE_VALUE", [2]),
    ]


def test_a_root_object_is_the_root(prefix):
    saved = tf.train.Checkpoint(Dense(1), extra=tf.Variable(5.0))
    path = saved.write(prefix)
    assert ("w/.ATTRIBUTES/VARIABLE_VALUE", [2, 2]) in tf.train.list_variables(path)
    new = tf.train.Checkpoint(Dense(0), extra=tf.Variable(0.0))
    new.read(path).assert_consumed()
    assert new.extra.numpy() == 5.0
    model = Dense(0)
    tf.train.Checkpoint(model).read(path).assert_existing_objects_matched()
    np.testing.assert_array_equal(model.b, [1.0, 0.0])


class Fake:
    """Has a state, as an iterator over a dataset does."""

    def __init__(self, state=None):
        self.state = state

    def get_state(self):
        return self.state

    def set_state(self, state):
        self.state = state


def test_states_come_back_with_their_types(prefix):
    state = {
        "none": None,
        "numbers": [1, -(10**30), 0.1, float("inf"), True, 2 - 3j],
        "texts": ("ä", b"\x00\xff"),
        3: {"nested": [np.arange(3, dtype=np.int16), np.float32(0.1), np.array([b"a", b""], object)]},
        "tensor": tf.constant([1.0, 2.0]),
        "empty": [[], (), {}],
    }
    new = tf.train.Checkpoint(it=Fake())
    new.restore(tf.train.Checkpoint(it=Fake(state)).save(prefix)).assert_consumed()
    got = new.it.state
    assert list(got) == list(state)
    assert {k: got[k] for k in ("none", "numbers", "texts", "empty")} == {
        k: state[k] for k in ("none", "numbers", "texts", "empty")
    }
    short, scalar, texts = got[3]["nested"]
    assert (short.dtype, short.tolist()) == (np.int16, [0, 1, 2])
    assert (type(scalar), scalar) == (np.float32, np.float32(0.1))
    assert texts.tolist() == [b"a", b""]
    assert isinstance(got["tensor"], tf.Tensor)


def test_a_state_that_cannot_be_stored_is_named(prefix):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"state it/\.ATTRIBUTES/STATE contains <object"):
        tf.train.Checkpoint(it=Fake({"a": object()})).write(prefix)


def test_random_generators_go_on_where_they_were(prefix):
    def make(seed):
        return {
            "ours": tf.random.Generator.from_seed(seed),
            "numpys": np.random.default_rng(seed),
            "old": np.random.RandomState(seed),
            "pythons": random.Random(seed),
        }

    old, new = round_trip(prefix, make)
    for first, second in ((old, new), (new, old)):
        np.testing.assert_array_equal(first.ours.normal([3]), second.ours.normal([3]))
        assert first.numpys.normal() == second.numpys.normal()
        assert first.old.rand() == second.old.rand()
        assert first.pythons.random() == second.pythons.random()


@pytest.mark.parametrize("seed", [7, None])
def test_the_global_random_state_is_one_more_part(prefix, seed):
    if seed is not None:
        tf.random.set_seed(seed)
    tf.random.normal([2])
    tf.random.uniform([2], seed=5)

    def numbers():
        generator = tf.random.get_global_generator()
        drawn = [tf.random.normal([2]), tf.random.uniform([2], seed=5), generator.normal([2])]
        return [*drawn, tf.nn.dropout(tf.ones([20]), 0.5), tf.random.shuffle(tf.range(9))]

    checkpoint = tf.train.Checkpoint(random=tf.random)
    path = checkpoint.save(prefix)
    first = numbers()
    numbers()
    checkpoint.restore(path).assert_consumed()
    for a, b in zip(first, numbers(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_python_state_is_bytes_of_the_users_own(prefix):
    class Text(tf.train.experimental.PythonState):
        def __init__(self, text):
            self.text = text

        def serialize(self):
            return self.text.encode()

        def deserialize(self, string_value):
            self.text = string_value.decode()

    new = tf.train.Checkpoint(t=Text(""))
    new.restore(tf.train.Checkpoint(t=Text("hello")).save(prefix)).assert_consumed()
    assert new.t.text == "hello"


def test_averages_and_accumulators_are_saved(prefix):
    def make(value):
        v = tf.Variable(float(value))
        averages = tf.train.ExponentialMovingAverage(0.5)
        averages.apply([v])
        accumulator = tf.train.GradientAccumulator()
        accumulator.add({"v": tf.constant(float(value))})
        return {"v": v, "averages": averages, "accumulator": accumulator}

    _, new = round_trip(prefix, make)
    assert new.averages.average(new.v).numpy() == 1.0
    assert new.accumulator.gradients["v"].numpy() == 1.0


# --- saving ------------------------------------------------------------------------------------------------------------


def test_save_counts_and_notes_the_latest(prefix):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    assert checkpoint.save_counter.numpy() == 0
    first, second = checkpoint.save(prefix), checkpoint.save(prefix)
    assert second == f"{prefix}-2"
    assert tf.train.latest_checkpoint(prefix.rpartition("/")[0]) == second
    other = tf.train.Checkpoint(v=tf.Variable(0.0))
    other.restore(first).assert_consumed()
    assert other.save_counter.numpy() == 1
    assert other.save(prefix) == second


def test_write_neither_counts_nor_notes(prefix):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    assert checkpoint.write(prefix) == prefix
    assert tf.train.latest_checkpoint(prefix.rpartition("/")[0]) is None
    assert [name for name, _ in tf.train.list_variables(prefix)][1:] == ["v/.ATTRIBUTES/VARIABLE_VALUE"]


def test_writing_again_replaces_the_files(tmp_path):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    for value in range(3):
        v.assign(float(value))
        checkpoint.write(tmp_path / "weights")
    assert len(list(tmp_path.iterdir())) == 2
    v.assign(9.0)
    checkpoint.read(tmp_path / "weights").assert_consumed()
    assert v.numpy() == 2.0


def test_a_relative_path_without_a_folder_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save("ckpt")
    assert path == "ckpt-1"
    assert tf.train.latest_checkpoint(".") == "./ckpt-1"
    tf.train.Checkpoint(v=tf.Variable(0.0)).restore(path).assert_consumed()


def test_a_folder_can_be_moved(tmp_path):
    tf.train.Checkpoint(v=tf.Variable(1.0)).save(tmp_path / "a" / "ckpt")
    (tmp_path / "a").rename(tmp_path / "b")
    newest = tf.train.latest_checkpoint(tmp_path / "b")
    assert newest == str(tmp_path / "b" / "ckpt-1")
    tf.train.Checkpoint(v=tf.Variable(0.0)).restore(newest).assert_consumed()


def test_what_cannot_be_saved_is_refused():
    for value in (5, "text", None, tf.constant(1.0), np.ones(2), len, tf.Variable):
        with pytest.raises(ValueError, match="expecting x to be a trackable object"):
            tf.train.Checkpoint(x=value)
    with pytest.raises(ValueError, match="expecting root"):
        tf.train.Checkpoint(3)
    with pytest.raises(AttributeError, match="no setter"):
        tf.train.Checkpoint(save_counter=tf.Variable(1))


def test_options_are_accepted(prefix):
    seen = []
    options = tf.train.CheckpointOptions(experimental_write_callbacks=[seen.append, lambda: seen.append("called")])
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(prefix, options)
    assert seen == [path, "called"]


# --- what does not match -------------------------------------------------------------------------------------------------


def test_a_missing_checkpoint_is_not_found(prefix):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    for call in (checkpoint.restore, checkpoint.read, tf.train.load_checkpoint, tf.train.list_variables):
        with pytest.raises(tf.errors.NotFoundError, match="missing the checkpoint suffix"):
            call(prefix)


def test_nothing_to_restore_is_a_status():
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    status = checkpoint.restore(None)
    status.expect_partial()
    for check in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(AssertionError, match="nothing is being restored"):
            check()


def test_a_folder_is_no_checkpoint(tmp_path):
    tf.train.Checkpoint(v=tf.Variable(1.0)).save(tmp_path / "ckpt")
    with pytest.raises(tf.errors.DataLossError, match="latest_checkpoint"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).restore(tmp_path)


def test_another_shape_or_type_changes_nothing(prefix):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), v=tf.Variable([1.0, 2.0])).save(prefix)
    for other, error in (
        (tf.Variable([1.0, 2.0, 3.0]), ValueError),
        (tf.Variable([1, 2]), tf.errors.InvalidArgumentError),
    ):
        checkpoint = tf.train.Checkpoint(a=tf.Variable(0.0), v=other)
        with pytest.raises(error, match="Variable:0"):
            checkpoint.restore(path)
        assert checkpoint.a.numpy() == 0.0


def test_an_unknown_shape_takes_any(prefix):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).save(prefix)
    v = tf.Variable([0.0], shape=tf.TensorShape([None]))
    tf.train.Checkpoint(v=v).restore(path).assert_consumed()
    np.testing.assert_array_equal(v, [1.0, 2.0])


def test_the_asserts_say_what_is_missing(prefix):
    path = tf.train.Checkpoint(v=tf.Variable(1.0), d={"a/b": tf.Variable(2.0)}).save(prefix)
    v = tf.Variable(0.0)
    status = tf.train.Checkpoint(v=v).restore(path)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.d\.a/b"):
        status.assert_consumed()
    status.assert_existing_objects_matched().assert_nontrivial_match().expect_partial()
    assert v.numpy() == 1.0
    status = tf.train.Checkpoint(v=v, w=tf.Variable(5.0, name="other")).restore(path)
    for check in (status.assert_consumed, status.assert_existing_objects_matched):
        with pytest.raises(AssertionError, match=r"Found 1 Python objects .*other:0"):
            check()
    tf.train.Checkpoint(v=v).write(prefix)
    with pytest.raises(AssertionError, match="Nothing except the root"):
        tf.train.Checkpoint(w=tf.Variable(1.0)).read(prefix).assert_nontrivial_match()


# --- values for what does not exist yet ------------------------------------------------------------------------------------


class Late(tf.Module):
    """Makes its variables when it is first called, as layers do."""

    def __init__(self):
        super().__init__()
        self.layers = []

    def __call__(self, x):
        if not self.layers:
            self.w = tf.Variable([0.0, 0.0])
            self.layers.append(Dense(0))
        return x * self.w + self.layers[0].b


def test_a_variable_made_later_gets_its_value(prefix):
    saved = Late()
    saved(1.0)
    saved.w.assign([1.0, 2.0])
    saved.layers[0].b.assign([10.0, 20.0])
    path = tf.train.Checkpoint(model=saved).save(prefix)

    model = Late()
    status = tf.train.Checkpoint(model=model).restore(path)
    with pytest.raises(AssertionError, match="Unresolved"):
        status.assert_consumed()
    np.testing.assert_array_equal(model(1.0), [11.0, 22.0])
    status.assert_consumed()
    assert RESTORATIONS == []
    assert type(model.w) is type(tf.Variable(1.0))


def test_an_attribute_set_later_gets_its_value(prefix):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), it=Fake({"place": 3})).save(prefix)
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.restore(path)
    existing = tf.Variable([0.0, 0.0])
    checkpoint.v = existing
    np.testing.assert_array_equal(existing, [1.0, 2.0])
    checkpoint.it = Fake()
    assert checkpoint.it.state == {"place": 3}
    status.assert_consumed()


class Slots:
    """Makes its variables late and keeps them in a list, as optimizers do."""

    def __init__(self):
        self.momenta = []

    def apply(self, variables):
        if not self.momenta:
            self.momenta += [tf.Variable(tf.zeros_like(v)) for v in variables]
        for momentum, variable in zip(self.momenta, variables, strict=True):
            momentum.assign(0.5 * momentum + 1.0)
            variable.assign_sub(momentum)


def test_slots_that_an_optimizer_makes_later_get_their_values(prefix):
    def run(steps, restore_from=None):
        model, optimizer = Dense(1), Slots()
        checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
        if restore_from:
            checkpoint.restore(restore_from)
        for _ in range(steps):
            optimizer.apply(model.trainable_variables)
        return checkpoint, model

    checkpoint, _ = run(2)
    _, resumed = run(3, checkpoint.save(prefix))
    _, whole = run(5)
    np.testing.assert_array_equal(resumed.w, whole.w)
    np.testing.assert_array_equal(resumed.b, whole.b)


def test_an_assignment_before_the_first_read_wins(prefix):
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(prefix)
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.restore(path)
    checkpoint.v = tf.Variable(0.0)
    checkpoint.v.assign(5.0)
    status.assert_consumed()
    assert checkpoint.v.numpy() == 5.0


def test_the_later_of_two_restores_wins(prefix):
    v = tf.Variable(1.0)
    saved = tf.train.Checkpoint(v=v)
    first = saved.save(prefix)
    v.assign(2.0)
    second = saved.save(prefix)
    for order in ((first, second), (second, first)):
        module = tf.Module()
        for path in order:
            tf.train.Checkpoint(module).restore(path)
        module.v = tf.Variable(0.0)
        assert module.v.numpy() == (2.0 if order[1] == second else 1.0)


def test_what_waits_keeps_nothing_alive(prefix):
    path = tf.train.Checkpoint(model=Dense(1), other=Dense(1)).save(prefix)
    model = Dense(0)
    tf.train.Checkpoint(model=model).restore(path)
    reference = weakref.ref(model)
    del model
    gc.collect()
    assert reference() is None
    unrelated = tf.Variable(3.0)
    assert unrelated.numpy() == 3.0
    assert RESTORATIONS == []


def test_variables_that_belong_nowhere_become_plain_ones(prefix):
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(prefix)
    checkpoint = tf.train.Checkpoint()
    checkpoint.restore(path)
    other = tf.Variable(2.0)
    for _ in range(200):
        assert (other * 2.0).numpy() == 4.0
    assert RESTORATIONS
    assert type(other).__name__ == "ResourceVariable"


def test_a_tape_follows_a_variable_that_is_restored_while_it_is_read(prefix):
    path = tf.train.Checkpoint(model=Dense(3)).save(prefix)
    root = tf.train.Checkpoint(model=tf.Module())
    root.restore(path)
    with tf.GradientTape() as tape:
        root.model.w = tf.Variable(tf.zeros([2, 2]))
        loss = tf.reduce_sum(root.model.w**2)
    np.testing.assert_array_equal(tape.gradient(loss, root.model.w), np.full([2, 2], 6.0))


# --- objects shaped like those of Keras -------------------------------------------------------------------------------------


class KerasLikeVariable:
    """Wraps a variable that is made when the layer is built."""

    def __init__(self):
        self._value = None
        self.path = "dense/kernel"

    def build(self):
        self._value = tf.Variable([0.0, 0.0])

    def assign(self, value):
        self._value.assign(value)


class KerasLikeLayer:
    def __init__(self):
        self._trainable_variables = []
        self._layers = []
        self.kernel = KerasLikeVariable()

    @property
    def variables(self):
        return self._trainable_variables

    def build(self):
        self.kernel.build()
        self._trainable_variables.append(self.kernel)


def test_wrapped_variables_are_values_of_their_own(prefix):
    saved = KerasLikeLayer()
    saved.build()
    saved.kernel.assign([1.0, 2.0])
    path = tf.train.Checkpoint(model=saved).save(prefix)
    assert "model/kernel/.ATTRIBUTES/VARIABLE_VALUE" in dict(tf.train.list_variables(path))
    built = KerasLikeLayer()
    built.build()
    tf.train.Checkpoint(model=built).restore(path).assert_consumed()
    np.testing.assert_array_equal(built.kernel._value, [1.0, 2.0])
    unbuilt = KerasLikeLayer()
    status = tf.train.Checkpoint(model=unbuilt).restore(path)
    unbuilt.build()
    np.testing.assert_array_equal(unbuilt.kernel._value, [1.0, 2.0])
    status.assert_consumed()


class OwnVariable(tf.Variable):
    """A class of variables of its own, as that of Keras is."""


def test_variables_of_another_class_are_restored_when_they_are_made(prefix):
    path = tf.train.Checkpoint(slots=[OwnVariable(1.0), OwnVariable([2.0])]).save(prefix)
    slots = []
    owner = SimpleNamespace(slots=slots)
    checkpoint = tf.train.Checkpoint(owner)
    status = checkpoint.restore(path)
    slots.append(OwnVariable(0.0))
    assert slots[0].numpy() == 1.0
    assert type(slots[0]) is OwnVariable
    slots.append(OwnVariable([0.0]))
    np.testing.assert_array_equal(slots[1] * 2.0, [4.0])
    status.assert_consumed()


def test_files_are_not_for_traced_functions(prefix):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    path = checkpoint.save(prefix)
    for call in (checkpoint.save, checkpoint.write, checkpoint.read, checkpoint.restore):
        with pytest.raises(NotImplementedError, match=r"outside of the function"):
            tf.function(lambda call=call: call(path))()
    assert checkpoint.save_counter.numpy() == 1


def test_a_traced_function_reads_what_was_restored(prefix):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    double = tf.function(lambda: 2.0 * v)
    path = checkpoint.save(prefix)
    v.assign(5.0)
    assert double().numpy() == 10.0
    checkpoint.restore(path)
    assert double().numpy() == 2.0


def test_variables_made_in_a_traced_function_are_restored(prefix):
    class Lazy(tf.Module):
        w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(tf.ones([2]))
            return x * self.w

    saved = Lazy()
    saved(1.0)
    saved.w.assign([3.0, 4.0])
    path = tf.train.Checkpoint(model=saved).save(prefix)
    model = Lazy()
    status = tf.train.Checkpoint(model=model).restore(path)
    np.testing.assert_array_equal(model(1.0), [3.0, 4.0])
    status.assert_consumed()


@pytest.mark.parametrize("change", ["assign", "assign_add", "scatter_add", "raw op", "in a function"])
def test_a_value_that_waits_for_a_variable_comes_before_its_first_change(prefix, change):
    before = tf.train.Checkpoint(v=tf.Variable(tf.fill([40, 300], 5.0)))
    path = tf.train.Checkpoint(module=before).save(prefix)
    module = tf.train.Checkpoint()
    tf.train.Checkpoint(module=module).restore(path)
    v = module.v = tf.Variable(tf.zeros([40, 300]))
    ones = tf.ones([40, 300])
    if change == "assign":
        v.assign(ones)
    elif change == "assign_add":
        v.assign_add(ones)
    elif change == "scatter_add":
        v.scatter_add(tf.IndexedSlices(ones, tf.range(40)))
    elif change == "raw op":
        tf.raw_ops.ResourceApplyGradientDescent(var=v, alpha=-1.0, delta=ones)
    else:
        tf.function(lambda: v.assign_add(ones))()
    assert (v.numpy() == (1 if change == "assign" else 6)).all()


def test_recordings_hold_no_values_of_their_own(tmp_path):
    """A module with a concrete function as an attribute, or one that was loaded, is saved like any other."""
    module = tf.Module()
    module.w = tf.Variable([1.0, 2.0])
    module.f = tf.function(lambda x: x * module.w)
    module.c = module.f.get_concrete_function(tf.TensorSpec([2]))
    for root, name in ((tf.train.Checkpoint(module), "w"), (tf.train.Checkpoint(m=module), "m/w")):
        path = root.write(tmp_path / "ckpt")
        assert [key for key, _ in tf.train.list_variables(path)][1:] == [f"{name}/.ATTRIBUTES/VARIABLE_VALUE"]
    tf.saved_model.save(module, tmp_path / "model", signatures=module.c)
    loaded = tf.saved_model.load(tmp_path / "model")
    path = tf.train.Checkpoint(loaded).write(tmp_path / "loaded")
    module.w.assign([0.0, 0.0])
    tf.train.Checkpoint(module).read(path).assert_existing_objects_matched()
    assert module.w.numpy().tolist() == [1.0, 2.0]
