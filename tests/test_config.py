"""tf.config: one CPU."""

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
