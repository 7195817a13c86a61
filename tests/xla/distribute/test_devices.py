"""`tf.device` chooses among the devices that JAX sees; two of the eight CPUs stand for GPUs here."""

import threading

import jax
import numpy as np
import pytest

import gradtape as tf
from gradtape.xla import logical, places
from gradtape.xla.names import LOGICAL

X = tf.constant([1.0, 2.0])


def name(device):
    return f"/job:localhost/replica:0/task:0/device:{device}"


@pytest.fixture
def gpus(monkeypatch):
    """What JAX says on a machine with two GPUs."""
    ask = logical.devices
    found = jax.devices("cpu")[6:]

    def devices(kind=None, local=False):
        if kind is None or kind.upper() == "GPU":
            return list(found)
        return ask(kind, local)

    monkeypatch.setattr(logical, "devices", devices)
    monkeypatch.setattr(places.SEEN, "visible", {})
    yield found
    places.SEEN.is_soft = True


@pytest.fixture
def cpus(monkeypatch):
    monkeypatch.setattr(LOGICAL, "configuration", [tf.config.LogicalDeviceConfiguration()] * 8)


def places_of(tensor):
    return tensor._buffer.devices()


def test_a_function_runs_on_the_device_whose_scope_is_open(gpus):
    f = tf.function(lambda x: x * 2 + 1)
    f(X)
    for number in (0, 1):
        with tf.device(f"/GPU:{number}"):
            for _ in range(2):
                y = f(X)
                assert places_of(y) == {gpus[number]}
                assert y.device == name(f"GPU:{number}")
            with tf.device("/CPU:0"):
                assert f(X).device == name("CPU:0")
                assert not hasattr(f(X), "_buffer")
            with tf.device(None):
                assert not hasattr(f(X), "_buffer")
    assert y.numpy().tolist() == [3.0, 5.0]
    assert y.device == name("GPU:1")  # also after it was fetched
    assert not hasattr(f(X), "_buffer")
    assert f(y).device == name("CPU:0")


def test_a_scope_is_of_its_thread(gpus):
    f, found = tf.function(lambda x: x + 1.0), []
    with tf.device("GPU:0"):
        thread = threading.Thread(target=lambda: found.extend([f(X).device, tf.ones(2).device]))
        thread.start()
        thread.join()
        assert f(X).device == name("GPU:0")
    assert found == [name("CPU:0")] * 2


def test_what_eager_code_makes_in_a_scope_belongs_to_the_device(gpus):
    with tf.device("/device:GPU:1"):
        made = [tf.constant(1.0), X + 1.0, tf.ones(2), tf.zeros([2]), tf.range(3), tf.random.normal([2]), tf.eye(2)]
        assert {tensor.device for tensor in made} == {name("GPU:1")}
        assert tf.convert_to_tensor(X).device == name("CPU:0")
    assert (X + 1.0).device == tf.ones(2).device == name("CPU:0")
    assert tf.function(lambda x: x * 2, engine="xla")(made[1]).numpy().tolist() == [4.0, 6.0]


def test_variables_made_in_a_scope_live_there(gpus):
    with tf.device("/GPU:0"):
        v = tf.Variable([1.0, 2.0])
    w = tf.Variable([1.0, 1.0])
    assert v.device == name("GPU:0")
    assert w.device == name("CPU:0")

    @tf.function
    def step(x):
        v.assign_add(x)
        return tf.reduce_sum(v)

    assert places_of(step(X)) == places_of(v._value) == {gpus[0]}
    assert float(step(X)) == 9.0
    v.assign([0.0, 0.0])
    assert float(step(X)) == 3.0
    assert v.device == name("GPU:0")
    with tf.device("/GPU:1"), tf.GradientTape() as tape:
        y = tf.function(lambda: tf.reduce_sum(v * w * w))()
    assert places_of(y) == {gpus[1]}
    assert tape.gradient(y, w).numpy().tolist() == [2.0, 4.0]


def test_a_scope_inside_of_a_function_chooses_for_all_of_it(gpus):
    @tf.function
    def inner(x):
        with tf.device("/GPU:1"):
            return x * x

    outer = tf.function(lambda x: inner(x) + 1.0)
    assert places_of(inner(X)) == places_of(outer(X)) == {gpus[1]}
    with tf.device("/GPU:0"):
        assert places_of(inner(X)) == {gpus[0]}


def test_a_function_in_parts_runs_on_the_device(gpus):
    f = tf.function(
        lambda x: tf.reduce_sum(tf.boolean_mask(x * 2, x > 0)) + tf.cast(tf.size(tf.unique(x)[0]), tf.float32)
    )
    with tf.device("/GPU:0"):
        assert float(f(X)) == 8.0


def test_config_lists_what_jax_sees(gpus):
    physical = tf.config.list_physical_devices("GPU")
    assert [device.name for device in physical] == ["/physical_device:GPU:0", "/physical_device:GPU:1"]
    assert [device.name for device in tf.config.list_logical_devices("GPU")] == ["/device:GPU:0", "/device:GPU:1"]
    assert {device.device_type for device in tf.config.list_physical_devices()} == {"CPU", "GPU"}
    assert tf.config.list_physical_devices("TPU") == []
    assert tf.test.is_gpu_available()
    assert tf.test.gpu_device_name() == "/device:GPU:0"
    f = tf.function(lambda x: x * 3.0)
    with tf.device("/GPU:0"):
        f(X)
    tf.config.set_visible_devices(physical[1:], "GPU")
    assert tf.config.get_visible_devices("GPU") == physical[1:]
    assert len(tf.config.list_logical_devices("GPU")) == 1
    with tf.device("/GPU:0"):
        assert places_of(f(X)) == {gpus[1]}
    tf.config.set_visible_devices([], "GPU")
    assert not tf.test.is_gpu_available()
    with tf.device("/GPU:0"):
        assert not hasattr(f(X), "_buffer")
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_visible_devices(["/GPU:0"], "GPU")
    assert tf.distribute.MirroredStrategy().num_replicas_in_sync == 1


def test_a_device_that_is_not_there_is_the_cpu_unless_placement_is_hard(gpus):
    f = tf.function(lambda x: x + 1)
    with tf.device("/GPU:5"), tf.device("/TPU:0"):
        assert f(X).device == name("CPU:0")
    tf.config.set_soft_device_placement(False)
    assert not tf.config.get_soft_device_placement()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"device specification '/GPU:5'.*device:GPU:1"):
        tf.device("/GPU:5").__enter__()
    with tf.device("/GPU:1"):
        assert places_of(f(X)) == {gpus[1]}


def test_logical_cpus_are_devices(cpus):
    f = tf.function(lambda x: x * 2)
    with tf.device("/CPU:2"):
        assert (tf.ones(2) + 1).device == name("CPU:2")
        assert places_of(f(X)) == {jax.devices("cpu")[2]}
        assert f(X).device == name("CPU:2")
    with tf.device("/CPU:0"):
        assert not hasattr(f(X), "_buffer")
    one = tf.distribute.OneDeviceStrategy("/cpu:3")
    with one.scope():
        v = tf.Variable(2.0)
    assert v.device == name("CPU:3")
    assert tf.function(lambda x: one.run(lambda x: x * v, args=(x,)))(X).device == name("CPU:3")
    assert one.extended.worker_devices == (name("CPU:3"),)


def test_a_tensor_of_one_device_is_moved_to_another(cpus):
    f, g = tf.function(lambda x, y: x + y), tf.function(lambda x: x * 2, engine="xla")
    with tf.device("/CPU:1"):
        a = f(X, X)
    with tf.device("/CPU:2"):
        assert places_of(f(a, X)) == {jax.devices("cpu")[2]}
    assert places_of(g(a)) == {jax.devices("cpu")[0]}
    assert f(a, a).numpy().tolist() == [4.0, 8.0]


def test_without_other_devices_a_scope_changes_nothing():
    with tf.device("/GPU:0"), tf.device("/CPU:0"):
        assert tf.add.__source__  # the fast path is not left
        f = tf.function(lambda x: x + 1)
        assert f(X).__class__ is X.__class__
        assert tf.ones(2).device == name("CPU:0")


# --- functions beside a mesh ------------------------------------------------------------------------------------------------


def test_functions_of_other_values_stay_on_the_native_engine():
    take = tf.function(lambda x, i: tf.gather(x, i))
    take(X, 0)
    strategy = tf.distribute.MirroredStrategy([f"CPU:{number}" for number in range(4)])
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
    for _ in range(2):
        assert tf.config.get_engine() == "native"
        with pytest.raises(tf.errors.InvalidArgumentError, match="7 is not in"):
            take(X, tf.constant(7))
        with pytest.raises(tf.errors.InvalidArgumentError, match="7 is not in"):
            tf.function(lambda x: tf.gather(x, 7))(X)
        values = strategy.experimental_distribute_values_from_function(lambda context: X * 1.0)
        total = tf.function(lambda x: strategy.reduce("SUM", strategy.run(lambda x: x * v, args=(x,)), axis=None))
        assert total(values).numpy().tolist() == [4.0, 16.0]
        tf.config.set_engine("native")


def test_functions_of_values_on_a_mesh_run_there():
    mesh = tf.experimental.dtensor.create_mesh([("rows", 2)], devices=["CPU:0", "CPU:1"])
    layout = tf.experimental.dtensor.Layout(["rows", "unsharded"], mesh)
    x = tf.experimental.dtensor.copy_to_mesh(tf.ones([4, 2]), layout)
    f = tf.function(lambda x: x * 2)
    assert not hasattr(f(tf.ones([4, 2])), "_buffer")
    assert len(f(x)._buffer.devices()) == 2
    v = tf.experimental.dtensor.DVariable(x)
    assert len(tf.function(lambda: v * 2.0)()._buffer.devices()) == 2


def test_the_engine_that_checks_checks_on_a_mesh_and_in_replicas():
    mesh = tf.experimental.dtensor.create_mesh([("rows", 2)], devices=["CPU:0", "CPU:1"])
    x = tf.experimental.dtensor.copy_to_mesh(
        tf.reshape(tf.range(8.0), [4, 2]), tf.experimental.dtensor.Layout(["rows", "unsharded"], mesh)
    )
    take = tf.function(lambda x, i: tf.gather(x, i) * 2, engine="xla-checked")
    assert np.array_equal(take(x, tf.constant([1, 2])), [[4.0, 6.0], [8.0, 10.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="= 9 is not in"):
        take(x, tf.constant([1, 9]))
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    tf.config.set_engine("xla-checked")
    try:
        for wrap in (lambda f: f, tf.function):
            with pytest.raises(tf.errors.InvalidArgumentError, match="= 7 is not in"):
                wrap(lambda: strategy.run(lambda: tf.gather(X, 7)))()
    finally:
        tf.config.set_engine("native")
