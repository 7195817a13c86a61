"""The CPU as several devices, asked for as TensorFlow's programs do."""

import subprocess
import sys

import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")


def printed(program):
    """What a program prints in a process of its own."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_cpu_is_shared_out_to_logical_devices():
    program = """
import os
os.environ.pop("XLA_FLAGS", None)
import gradtape as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)
print(len(tf.config.list_logical_devices("CPU")))
from gradtape.experimental import dtensor
mesh = dtensor.create_mesh([("x", 4)])
x = dtensor.copy_to_mesh(tf.range(8), dtensor.Layout(["x"], mesh))
print(int(tf.function(tf.reduce_sum)(x)), len(dtensor.unpack(x)))
try:
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
except RuntimeError as error:
    print("beginning" in str(error))
"""
    assert printed(program) == ["4", "28", "4", "True"]
