"""tf.config: one CPU."""

import sys

import pytest

import gradtape as tf


def test_there_is_one_cpu_and_nothing_else():
    assert [(d.name, d.device_type) for d in tf.config.list_physical_devices()] == [("/physical_device:CPU:0", "CPU")]
    assert tf.config.list_physical_devices("GPU") == []
    assert tf.config.list_physical_devices("TPU") == []
    assert [d.name for d in tf.config.list_logical_devices("CPU")] == ["/device:CPU:0"]
    assert tf.config.get_visible_devices("GPU") == []


def test_devices_print_as_tensorflows():
    (cpu,) = tf.config.list_physical_devices("CPU")
    assert repr(cpu) == "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')"


def test_the_lines_that_programs_begin_with_run():
    for gpu in tf.config.experimental.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)
    tf.config.set_visible_devices([], "GPU")
    tf.config.set_soft_device_placement(True)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    assert tf.config.get_soft_device_placement()


def test_the_cpu_cannot_be_hidden():
    with pytest.raises(ValueError, match="CPU"):
        tf.config.set_visible_devices([], "CPU")


def test_the_number_of_threads_is_fixed_before_numpy_is_loaded(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    assert tf.config.threading.get_intra_op_parallelism_threads() == 3
    assert tf.config.threading.get_inter_op_parallelism_threads() == 1
    with pytest.raises(RuntimeError, match="OPENBLAS_NUM_THREADS"):
        tf.config.threading.set_intra_op_parallelism_threads(2)


def test_logical_devices_optimizers_and_clusters(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)  # as if it were not installed
    (cpu,) = tf.config.list_physical_devices("CPU")
    one = tf.config.LogicalDeviceConfiguration(memory_limit=1024)
    tf.config.set_logical_device_configuration(cpu, [one])
    assert tf.config.experimental.VirtualDeviceConfiguration is tf.config.LogicalDeviceConfiguration
    assert tf.config.get_logical_device_configuration(cpu) is None
    with pytest.raises(RuntimeError, match="2 logical devices were asked for"):
        tf.config.experimental.set_virtual_device_configuration(cpu, [one, one])
    for connect in (tf.config.experimental_connect_to_cluster, tf.config.experimental_connect_to_host):
        with pytest.raises(RuntimeError, match="gradtape launch"):
            connect("grpc://host")


def test_settings_are_told_back():
    try:
        tf.config.optimizer.set_jit(True)
        assert tf.config.optimizer.get_jit() == "autoclustering"
        tf.config.optimizer.set_experimental_options({"constant_folding": True})
        assert tf.config.optimizer.get_experimental_options()["constant_folding"] is True
        with pytest.raises(ValueError, match="autoclustering"):
            tf.config.optimizer.set_jit("always")
    finally:
        tf.config.optimizer.set_jit(False)
        tf.config.optimizer._options.pop("constant_folding", None)
    assert tf.config.optimizer.get_jit() == ""
    tf.config.experimental.enable_op_determinism()
    tf.config.experimental.enable_tensor_float_32_execution(False)
    tf.config.experimental.set_synchronous_execution(True)
    assert tf.config.experimental.get_synchronous_execution()
    assert not tf.config.experimental.tensor_float_32_execution_enabled()
    assert tf.config.experimental.get_device_policy() == "silent"


def test_memory_is_that_of_the_process():
    info = tf.config.experimental.get_memory_info("CPU:0")
    assert 10_000_000 < info["current"] <= info["peak"]
    with pytest.raises(RuntimeError, match="cannot be reset"):
        tf.config.experimental.reset_memory_stats("CPU:0")
