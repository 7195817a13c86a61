"""tf.TypeSpec: the base of all specs; answers as observed with TensorFlow."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.quick

SPECS = [
    tf.TensorSpec([2]),
    tf.SparseTensorSpec([2]),
    tf.RaggedTensorSpec([2, None]),
    tf.data.DatasetSpec(tf.TensorSpec([])),
    tf.type_spec_from_value(None),
]


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_every_spec_is_one(spec):
    assert isinstance(spec, tf.TypeSpec)
    assert spec.is_subtype_of(spec)
    assert spec.is_compatible_with(spec)
    assert spec.most_specific_common_supertype([spec, spec]) == spec
    assert type(spec)(*spec._serialize()) == spec
    assert [other for other in SPECS if spec.is_subtype_of(other)] == [spec]
    for other in SPECS:
        if other is not spec:
            assert spec.most_specific_common_supertype([other]) is None


def test_the_tightest_spec_of_several():
    assert tf.TensorSpec([2]).most_specific_common_supertype([tf.TensorSpec([3])]) == tf.TensorSpec([None])
    assert tf.TensorSpec([2]).most_specific_common_supertype([tf.TensorSpec([3], tf.int32)]) is None
    assert tf.SparseTensorSpec([2]).is_subtype_of(tf.SparseTensorSpec([None]))
    assert not tf.SparseTensorSpec([None]).is_subtype_of(tf.SparseTensorSpec([2]))
    assert tf.RaggedTensorSpec([2, None]).is_subtype_of(tf.RaggedTensorSpec([None, None]))
    assert not tf.TensorSpec([2, None]).is_compatible_with(tf.RaggedTensorSpec([2, None]))


def test_the_spec_of_a_value():
    spec = tf.type_spec_from_value
    assert isinstance(tf.data.Dataset.range(3).element_spec, tf.TypeSpec)
    assert spec(np.ones(3)) == tf.TensorSpec([3], tf.float64)
    assert spec([1, 2]) == tf.TensorSpec([2], tf.int32)
    assert spec("a") == tf.TensorSpec([], tf.string)
    assert spec(tf.sparse.eye(3)) == tf.SparseTensorSpec([3, 3], tf.float32)
    assert spec(tf.ragged.constant([[1], [2, 3]])) == tf.RaggedTensorSpec([2, None], tf.int32, 1)
    assert spec(tf.data.Dataset.range(3)) == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    assert spec(tf.Variable(1.0)).trainable
    assert [spec(tf.constant(1.0)).value_type, spec(tf.Variable(1.0)).value_type] == [tf.Tensor, tf.Variable]


def test_what_has_no_spec():
    with pytest.raises(TypeError, match="Could not build a TypeSpec for <object object"):
        tf.type_spec_from_value(object())
    with pytest.raises(TypeError, match=r"abstract class TypeSpec: use tf\.TensorSpec"):
        tf.TypeSpec()
