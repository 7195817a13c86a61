"""`tf.nest` with `expand_composites`: a composite tensor is the structure of its tensors. Expected values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.quick

RAGGED = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
NESTED = tf.ragged.constant([[[1.0, 2.0], []], [[3.0]]])
UNIFORM = tf.RaggedTensor.from_uniform_row_length(tf.RaggedTensor.from_row_splits(tf.range(6.0), [0, 1, 3, 6, 6]), 2)
SPARSE = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
SLICES = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 1]), tf.constant([4, 1]))
SHAPELESS = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 1]))
ARRAY = tf.TensorArray(tf.float32, 2)

PARTS = [
    (RAGGED, [[1.0, 2.0, 3.0], [0, 2, 2, 3]]),
    (NESTED, [[1.0, 2.0, 3.0], [0, 2, 3], [0, 2, 2, 3]]),
    (UNIFORM, [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0, 2, 4], [0, 1, 3, 6, 6]]),
    (SPARSE, [[[0, 1], [1, 0]], [1.0, 2.0], [2, 2]]),
    (SLICES, [[[1.0], [2.0]], [0, 1], [4, 1]]),
    (SHAPELESS, [[[1.0], [2.0]], [0, 1]]),
]


def listed(parts):
    return [part.numpy().tolist() for part in parts]


@pytest.mark.parametrize(("value", "parts"), PARTS)
def test_flatten_gives_the_tensors_of_a_composite(value, parts):
    assert listed(tf.nest.flatten(value, expand_composites=True)) == parts
    assert listed(tf.nest.flatten({"b": value, "a": (value,)}, True)) == parts * 2
    assert tf.nest.flatten([value]) == [value]


@pytest.mark.parametrize("value", [1, None, tf.constant(1.0), tf.Variable(1.0), ARRAY, tf.TensorSpec([2])])
def test_what_is_no_composite_stays_whole(value):
    assert tf.nest.flatten([value], expand_composites=True)[0] is value
    assert tf.nest.pack_sequence_as(value, ["x"], True) == "x"


@pytest.mark.parametrize(("value", "parts"), PARTS)
def test_pack_sequence_as_puts_the_tensors_together_again(value, parts):
    structure = {"b": 1, "a": value}
    packed = tf.nest.pack_sequence_as(structure, tf.nest.flatten(structure, True), True)
    assert type(packed["a"]) is type(value)
    assert packed["b"] == 1
    assert listed(tf.nest.flatten(packed["a"], True)) == parts
    assert tf.type_spec_from_value(packed["a"]) == tf.type_spec_from_value(value)


@pytest.mark.parametrize(("value", "parts"), PARTS)
def test_a_spec_has_the_specs_of_the_tensors_and_is_filled_to_a_value(value, parts):
    spec = tf.type_spec_from_value(value)
    tensors = tf.nest.flatten(value, expand_composites=True)
    specs = tf.nest.flatten(spec, expand_composites=True)
    assert [part.dtype for part in specs] == [part.dtype for part in tensors]
    assert all(part.is_compatible_with(tensor) for part, tensor in zip(specs, tensors, strict=True))
    assert listed(tf.nest.flatten(tf.nest.pack_sequence_as([spec], tensors, True), True)) == parts


def test_specs_of_tensors_are_as_known_as_the_shape():
    assert tf.nest.flatten(tf.RaggedTensorSpec([2, None, None], tf.int32), True) == [
        tf.TensorSpec([None], tf.int32),
        tf.TensorSpec([3], tf.int64),
        tf.TensorSpec([None], tf.int64),
    ]
    assert tf.nest.flatten(tf.SparseTensorSpec([2, None]), True) == [
        tf.TensorSpec([None, 2], tf.int64),
        tf.TensorSpec([None]),
        tf.TensorSpec([2], tf.int64),
    ]
    assert tf.nest.flatten(tf.IndexedSlicesSpec([4, 1]), True) == [
        tf.TensorSpec([None, 1]),
        tf.TensorSpec([None], tf.int64),
    ]


def test_pack_sequence_as_wants_one_value_for_each_tensor():
    with pytest.raises(ValueError, match="has 2 leaves, but 1 values"):
        tf.nest.pack_sequence_as(RAGGED, [RAGGED.values], expand_composites=True)
    with pytest.raises(ValueError, match="rank 2"):
        tf.nest.pack_sequence_as(SPARSE, [1, 2, 3], expand_composites=True)


def test_map_structure_maps_the_tensors():
    rows = tf.ragged.constant([[1, 2], [3]])
    assert tf.nest.map_structure(lambda part: part + 1, rows, expand_composites=True).to_list() == [[3, 4], []]
    assert tf.nest.map_structure(lambda part: part + 1, rows).to_list() == [[2, 3], [4]]
    both = tf.nest.map_structure(
        lambda a, b: a + 0 * b, {"a": rows, "b": 1}, {"a": rows, "b": 2}, expand_composites=True
    )
    assert (both["a"].to_list(), both["b"]) == ([[1, 2], [3]], 1)


@pytest.mark.parametrize("other", [NESTED, SPARSE, tf.constant(1.0)])
def test_map_structure_maps_composites_of_one_kind(other):
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.nest.map_structure(lambda a, b: a, RAGGED, other, expand_composites=True)


ALIKE = [
    (RAGGED, tf.ragged.constant([[1.0]])),
    (RAGGED, tf.type_spec_from_value(RAGGED)),
    (tf.RaggedTensorSpec([None, None]), RAGGED),
    (RAGGED, tf.RaggedTensor.from_uniform_row_length(tf.range(6.0), 2)),
    (SPARSE, tf.SparseTensor([[0, 1]], [1.0], [3, 5])),
    (SPARSE, tf.SparseTensor([[0]], [1.0], [3])),
    (SLICES, SLICES),
    (ARRAY, ARRAY),
]
DIFFERENT = [
    (RAGGED, tf.ragged.constant([[1]])),
    (RAGGED, NESTED),
    (RAGGED, SPARSE),
    (SPARSE, tf.SparseTensor([[0, 1]], [1], [2, 2])),
    (SLICES, SHAPELESS),
    (SLICES, SPARSE),
    (RAGGED, tf.constant(1.0)),
    (1, RAGGED),
    (RAGGED, tf.TensorSpec([])),
]


@pytest.mark.parametrize(("first", "second"), ALIKE)
@pytest.mark.parametrize("check_types", [True, False])
def test_composites_that_one_spec_covers_are_the_same(first, second, check_types):
    tf.nest.assert_same_structure([first], [second], check_types, expand_composites=True)


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_composites_of_two_kinds_are_the_same_as_leaves_only(first, second):
    tf.nest.assert_same_structure({"a": first}, {"a": second})
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.nest.assert_same_structure({"a": first}, {"a": second}, expand_composites=True)


def test_a_composite_is_no_list_of_its_tensors():
    parts = tf.nest.flatten(RAGGED, True)
    with pytest.raises(TypeError, match="don't have the same nested structure"):
        tf.nest.assert_same_structure([RAGGED], [parts], expand_composites=True)
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.nest.assert_same_structure([RAGGED], [parts], check_types=False, expand_composites=True)


def test_inside_a_traced_function_the_tensors_are_symbolic():
    @tf.function
    def halves(value):
        flat = tf.nest.flatten(value, expand_composites=True)
        flat[0] = flat[0] / 2.0
        return tf.nest.pack_sequence_as(value, flat, expand_composites=True)

    assert halves(RAGGED).to_list() == [[0.5, 1.0], [], [1.5]]
    np.testing.assert_array_equal(halves(SLICES).values, [[0.5], [1.0]])


def test_a_tape_follows_the_tensors():
    with tf.GradientTape() as tape:
        values = tf.nest.flatten(RAGGED, expand_composites=True)[0]
        tape.watch(values)
        total = tf.reduce_sum(tf.nest.map_structure(lambda part: part * 1, RAGGED, expand_composites=True) ** 2)
    assert tape.gradient(total, values).numpy().tolist() == [2.0, 4.0, 6.0]


def test_other_keywords_are_refused():
    with pytest.raises(ValueError, match="Only valid keyword arguments"):
        tf.nest.map_structure(lambda x: x, 1, expand=True)
