"""A kind of composite tensor is declared once, and everything works on it: here is a fifth, declared as the others are."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.shapes import TensorShape
from gradtape.base.type_spec import CompositeSpec
from gradtape.values.composite import COMPOSITES, OPERANDS, Composite, Rows, Values, declare

pytestmark = pytest.mark.quick


class Masked:
    """Values of which some do not count. What they stand for in place of the others is said by `label`, which is text."""

    def __init__(self, values, mask, label="none"):
        self.values, self.mask, self.label = tf.convert_to_tensor(values), tf.convert_to_tensor(mask), label

    @property
    def shape(self):
        return self.values.shape

    @property
    def dtype(self):
        return self.values.dtype

    def __mul__(self, other):
        return tf.multiply(self, other)


class MaskedSpec(CompositeSpec):
    def __init__(self, shape, dtype, label):
        self.shape, self.dtype, self.label = TensorShape(shape), dtype, label

    value_type = Masked

    @classmethod
    def from_value(cls, value):
        return cls(value.shape, value.dtype, value.label)

    @property
    def _component_specs(self):
        return [tf.TensorSpec(self.shape, self.dtype), tf.TensorSpec(self.shape, tf.bool)]

    def _from_components(self, components):
        return Masked(*components, self.label)

    def _with_changed_shape(self, change):
        return MaskedSpec(change(self.shape), self.dtype, self.label)

    def most_specific_compatible_type(self, other):
        if not isinstance(other, MaskedSpec) or (self.dtype, self.label) != (other.dtype, other.label):
            raise ValueError("No spec covers both.")
        return MaskedSpec(self.shape.most_specific_compatible_shape(other.shape), self.dtype, self.label)

    def is_compatible_with(self, spec_or_value):
        return isinstance(spec_or_value, (Masked, MaskedSpec)) and self.shape.is_compatible_with(spec_or_value.shape)

    def __eq__(self, other):
        return isinstance(other, MaskedSpec) and vars(self) == vars(other)


def run(op, args, attributes):
    if op.name == "reduce_sum":
        return op.public(dense(args[0]), **attributes)
    first = next(value for value in args if isinstance(value, Masked))
    return put(first, op.public(*(v.values if isinstance(v, Masked) else v for v in args), **attributes))


def dense(masked):
    return tf.where(masked.mask, masked.values, tf.zeros_like(masked.values))


def put(masked, values):
    return Masked(values, masked.mask, masked.label)


def built(label, parts):
    made = object.__new__(Masked)
    (made.values, made.mask), made.label = parts, label
    return made


def stacked(rows):
    return Masked(tf.stack([row.values for row in rows]), tf.stack([row.mask for row in rows]), rows[0].label)


DECLARATION = Composite(
    Masked,
    components=lambda masked: [masked.values, masked.mask],
    build=built,
    static=lambda masked: masked.label,
    spec=MaskedSpec,
    run=run,
    values=Values(of=lambda masked: masked.values, put=put, complete=True, followed=True),
    dense=dense,
    rows=Rows(
        count=lambda masked: masked.shape[0],
        at=lambda masked, i: Masked(masked.values[i], masked.mask[i], masked.label),
        stack=stacked,
    ),
)


@pytest.fixture(autouse=True)
def declared():
    declare(DECLARATION)
    yield
    del COMPOSITES[Masked], OPERANDS[Masked]


def masked(label="none"):
    return Masked([1.0, 2.0, 3.0], [True, False, True], label)


def listed(value):
    return value.values.numpy().tolist(), value.mask.numpy().tolist()


def test_ops_run_as_the_declaration_says():
    assert listed(tf.square(masked())) == ([1.0, 4.0, 9.0], [True, False, True])
    assert listed(masked() * 2.0)[0] == [2.0, 4.0, 6.0]
    assert tf.reduce_sum(masked()).numpy() == 4.0
    assert tf.cast(masked(), tf.int32).values.dtype == tf.int32
    assert listed(tf.zeros_like(masked()))[0] == [0.0, 0.0, 0.0]
    assert tf.size(masked()).numpy() == 3


def test_it_counts_as_a_tensor_with_a_spec_of_its_own():
    assert tf.is_tensor(masked())
    spec = tf.type_spec_from_value(masked())
    assert isinstance(spec, MaskedSpec)
    assert spec.shape == [3]


def test_it_becomes_dense_only_where_the_declaration_says_so():
    with pytest.raises((TypeError, ValueError), match="Masked"):
        tf.convert_to_tensor(masked())


def test_a_gradient_is_one_of_the_kind():
    m = masked()
    with tf.GradientTape() as tape:
        tape.watch(m)
        total = tf.reduce_sum(m * m)
    assert listed(tape.gradient(total, m)) == ([2.0, 0.0, 6.0], [True, False, True])


def test_it_is_the_target_of_a_gradient():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = masked() * x
    assert tape.gradient({"y": y}, [x])[0].numpy() == 6.0


def test_a_traced_function_takes_it_and_returns_it():
    traced = []

    @tf.function
    def double(m):
        traced.append(m)
        return {"doubled": m * 2.0, "sum": tf.reduce_sum(m)}

    for _ in range(2):
        result = double(masked())
        assert listed(result["doubled"]) == ([2.0, 4.0, 6.0], [True, False, True])
        assert result["sum"].numpy() == 4.0
    assert len(traced) == 1
    assert isinstance(traced[0], Masked)
    assert not hasattr(traced[0].values, "numpy")
    assert double(masked("unknown"))["doubled"].label == "unknown"
    assert len(traced) == 2


def test_a_tape_in_a_traced_function_gives_one_of_the_kind():
    @tf.function
    def slope(m):
        with tf.GradientTape() as tape:
            tape.watch(m)
            total = tf.reduce_sum(tf.exp(m))
        return tape.gradient(total, [m])

    np.testing.assert_allclose(slope(masked())[0].values, np.exp([1.0, 2.0, 3.0]) * [1, 0, 1], rtol=1e-6)


def test_a_tape_follows_it_through_a_traced_function():
    double, m = tf.function(lambda m: m * m), masked()
    with tf.GradientTape() as tape:
        tape.watch(m)
        total = tf.reduce_sum(double(m))
    assert listed(tape.gradient(total, m))[0] == [2.0, 0.0, 6.0]


def test_a_traced_function_knows_unknown_sizes_of_it():
    shapes = []

    @tf.function(reduce_retracing=True)
    def double(m):
        shapes.append(tuple(m.shape))
        return m * 2.0

    for n in (2, 3, 4):
        assert listed(double(Masked(tf.ones([n]), tf.ones([n], tf.bool))))[0] == [2.0] * n
    assert shapes == [(2,), (None,)]


def test_branches_and_loops_of_a_traced_function_carry_it():
    @tf.function
    def power(m, n):
        if n > 2:
            m = m * 10.0
        for _ in tf.range(n):
            m = m * 2.0
        return m

    for n, expected in ((1, [2.0, 4.0, 6.0]), (3, [80.0, 160.0, 240.0])):
        assert listed(power(masked(), tf.constant(n))) == (expected, [True, False, True])


def test_datasets_slice_batch_and_map_it():
    ds = tf.data.Dataset.from_tensor_slices(masked()).map(lambda row: row * 10.0).batch(2)
    assert [listed(batch) for batch in ds] == [([10.0, 20.0], [True, False]), ([30.0], [True])]
    assert ds.element_spec.shape.as_list() == [None]


def test_the_position_of_a_dataset_keeps_it():
    ds = tf.data.Dataset.from_tensor_slices(masked("kept")).shuffle(3, seed=1)
    iterator = iter(ds)
    next(iterator)
    state = iterator.get_state()
    rest = [float(row.values) for row in iterator]
    again = iter(ds)
    again.set_state(state)
    rows = list(again)
    assert [float(row.values) for row in rows] == rest
    assert {row.label for row in rows} == {"kept"}


def test_structures_are_expanded_to_its_tensors():
    structure = {"a": masked("x"), "b": 1}
    flat = tf.nest.flatten(structure, expand_composites=True)
    assert [np.asarray(part).tolist() for part in flat] == [[1.0, 2.0, 3.0], [True, False, True], 1]
    packed = tf.nest.pack_sequence_as(structure, [[4.0], [True], 2], expand_composites=True)
    assert (listed(packed["a"]), packed["a"].label, packed["b"]) == (([4.0], [True]), "x", 2)
    flipped = tf.nest.map_structure(lambda part: part[::-1], masked(), expand_composites=True)
    assert listed(flipped) == ([3.0, 2.0, 1.0], [True, False, True])
    with pytest.raises(ValueError, match="incompatible composite tensors"):
        tf.nest.assert_same_structure(masked("x"), masked("y"), expand_composites=True)


def test_rows_of_it_are_mapped():
    assert listed(tf.map_fn(lambda row: row * 2.0, Masked([[1.0], [2.0]], [[True], [True]])))[0] == [[2.0], [4.0]]


def test_a_saved_model_keeps_functions_of_it(tmp_path):
    module = tf.Module()
    module.double = tf.function(lambda m: m * 2.0)
    module.double(masked("kept"))
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    result = loaded.double(masked("kept"))
    assert (listed(result), result.label) == (([2.0, 4.0, 6.0], [True, False, True]), "kept")
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.double(masked("another"))


def test_a_kind_is_declared_once_and_whole():
    with pytest.raises(ValueError, match="Masked was declared before"):
        declare(DECLARATION)
    with pytest.raises(ValueError, match="`components` and `build` go together"):
        declare(Composite(dict, components=lambda value: []))
