"""tf.DeviceSpec, and the namespaces whose names say what is not there."""

import pytest

import gradtape as tf

D = tf.DeviceSpec


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("/job:worker/replica:1/task:2/device:GPU:3", "/job:worker/replica:1/task:2/device:GPU:3"),
        ("/job:worker/GPU:3", "/job:worker/device:GPU:3"),
        ("/cpu:0", "/device:CPU:0"),
        ("/device:CPU:*", "/device:CPU:*"),
        ("", ""),
    ],
)
def test_names_are_taken_apart_and_put_together(given, name):
    assert D.from_string(given).to_string() == name
    assert D().parse_from_string(given) == D.from_string(given)


def test_parts():
    spec = D(job="a", task=1, device_type="gpu", device_index=0)
    assert (spec.job, spec.replica, spec.task, spec.device_type, spec.device_index) == ("a", None, 1, "GPU", 0)
    assert repr(spec) == "<DeviceSpec(job=a, replica=None, task=1, device_type=GPU, device_index=0)>"
    assert spec.make_merged_spec(D(replica=4, device_type="CPU")).to_string() == "/job:a/replica:4/task:1/device:CPU:0"
    assert spec.replace(task=9).to_string() == "/job:a/task:9/device:GPU:0"
    assert {spec: 1}[D(job="a", task=1, device_type="GPU", device_index=0)] == 1
    with tf.device(spec):
        assert tf.constant(1.0).device.endswith("CPU:0")


@pytest.mark.parametrize("name", ["/foo:1", "/cpu:0/gpu:1", "/task:x"])
def test_wrong_names(name):
    with pytest.raises(ValueError, match="device spec"):
        D.from_string(name)


def test_feature_columns_say_what_to_use():
    with pytest.raises(NotImplementedError, match=r"tf.keras.layers.StringLookup, or tf.lookup.StaticHashTable"):
        tf.feature_column.categorical_column_with_vocabulary_list("a", ["b"])
    with pytest.raises(NotImplementedError, match="Normalization"):
        tf.feature_column.numeric_column("a")


def test_tpus_are_not_there():
    with pytest.raises(ValueError, match="There is no TPU"):
        tf.tpu.experimental.initialize_tpu_system()


def test_types_for_annotations():
    assert isinstance(tf.constant(1.0), tf.types.experimental.TensorLike)
    assert not isinstance({}, tf.types.experimental.TensorLike)
    with pytest.raises(TypeError):
        tf.types.experimental.TraceType()


def test_the_version_that_is_followed():
    assert tf.version.VERSION.startswith("2.")
    assert tf.__version__ in tf.version.GIT_VERSION
