"""`tf.experimental.ExtensionType`: fields, specs, traced functions, datasets, dispatch; with TensorFlow 2.21's errors."""

import copy
import pickle
import typing

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.dispatch import OVERRIDES

pytestmark = pytest.mark.quick


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor

    def __validate__(self):
        self.values.shape.assert_is_compatible_with(self.mask.shape)

    def doubled(self):
        return Masked(self.values * 2, self.mask)


class Settings(tf.experimental.ExtensionType):
    count: int
    rate: float = 2.0
    label: str = "x"
    sizes: typing.Tuple[int, ...] = ()  # noqa: UP006
    tensors: typing.Mapping[str, tf.Tensor] = {}
    maybe: typing.Optional[tf.Tensor] = None  # noqa: UP045
    shape: tf.TensorShape = tf.TensorShape([None])
    kind: tf.DType = tf.float32


class Pair(tf.experimental.BatchableExtensionType):
    first: tf.Tensor
    second: tf.Tensor


class Node(tf.experimental.ExtensionType):
    value: tf.Tensor
    inner: typing.Union["Node", None] = None


def masked(*values):
    return Masked(tf.constant(values or (1, 2)), tf.constant([True, False]))


def listed(value):
    return value.values.numpy().tolist(), value.mask.numpy().tolist()


# --- fields ------------------------------------------------------------------------------------------------------------


def test_a_class_has_a_constructor_for_its_fields_and_converts_them():
    value = Masked([1, 2], mask=[True, False])
    assert isinstance(value.values, tf.Tensor)
    assert repr(value).startswith("Masked(values=<tf.Tensor: shape=(2,), dtype=int32")
    settings = Settings(3, sizes=[1, 2], tensors={"a": 1.0}, shape=[2], kind="float64")
    assert (settings.count, settings.rate, settings.sizes) == (3, 2.0, (1, 2))
    assert (settings.shape, settings.kind) == (tf.TensorShape([2]), tf.float64)
    assert float(settings.tensors["a"]) == 1.0
    with pytest.raises(TypeError):
        settings.tensors["b"] = 2
    assert tf.experimental.extension_type.as_dict(value)["mask"] is value.mask


def test_a_field_without_default_after_one_with_it_is_a_keyword():
    class Late(tf.experimental.ExtensionType):
        first: int = 1
        second: int

    assert Late(5, second=6).second == 6
    with pytest.raises(TypeError, match="too many positional arguments"):
        Late(5, 6)


def test_values_of_other_types_are_refused():
    for words, call in (
        ("count: expected 'int', got 'float'", lambda: Settings(3.5)),
        ("rate: expected 'float', got 'int'", lambda: Settings(3, rate=1)),
        (r"sizes\[1\]: expected 'int', got 'str'", lambda: Settings(3, sizes=(1, "x"))),
        ("values: expected a Tensor, got 'object'", lambda: Masked(object(), [True])),
        ("missing a required argument: 'mask'", lambda: Masked([1])),
        ("got an unexpected keyword argument 'other'", lambda: Masked([1], [True], other=2)),
        ("values: expected a TensorSpec, got 'int'", lambda: Masked.Spec(1, 2)),
    ):
        with pytest.raises(TypeError, match=words):
            call()
    with pytest.raises(ValueError, match="are incompatible"):
        Masked([1, 2], [True])


def test_values_never_change():
    value = masked()
    for change in (
        lambda: setattr(value, "values", 1),
        lambda: setattr(value, "another", 1),
        lambda: delattr(value, "values"),
        lambda: setattr(tf.type_spec_from_value(value), "values", 1),
    ):
        with pytest.raises(AttributeError, match="outside the custom constructor of ExtensionType"):
            change()


def test_a_constructor_of_ones_own_sets_all_fields_and_no_others():
    class Squares(tf.experimental.ExtensionType):
        root: tf.Tensor
        square: tf.Tensor

        def __init__(self, root):
            self.root = root
            self.square = tf.square(root)

    assert Squares(3.0).square.numpy() == 9.0

    class Lacking(tf.experimental.ExtensionType):
        x: int

        def __init__(self):
            pass

    class Other(tf.experimental.ExtensionType):
        x: int

        def __init__(self):
            self.y = 3

    with pytest.raises(ValueError, match=r"Missing required fields: \{'x'\}"):
        Lacking()
    with pytest.raises(AttributeError, match="Cannot mutate attribute `y`"):
        Other()


def test_classes_that_are_not_well_formed_are_refused():
    base = (tf.experimental.ExtensionType,)
    for kind, words, annotations, body in (
        (TypeError, "Unsupported type annotation", {"x": typing.List[int]}, {}),  # noqa: UP006
        (TypeError, "Unsupported type annotation 'object'", {"x": object}, {}),
        (ValueError, "Field x is missing a type annotation", {}, {"x": 3}),
        (ValueError, "Field 'Spec' is reserved", {"Spec": int}, {}),
        (ValueError, "is reserved", {"_tf_extension_type_x": int}, {}),
        (ValueError, "must be a nested class", {}, {"Spec": 3}),
        (ValueError, "shadows a field", {"x": int}, {"Spec": type("Spec", (), {"x": 1})}),
    ):
        with pytest.raises(kind, match=words):
            type("Bad", base, {"__annotations__": annotations, "__module__": __name__, **body})
    with pytest.raises(AssertionError, match="abstract base class"):
        tf.experimental.ExtensionType()


def test_equality_is_a_tensor_and_there_is_no_hash():
    assert (masked() == masked()).numpy() is np.True_
    assert (masked() != masked(3, 4)).numpy() is np.True_
    assert (masked() == 3) is False
    assert (masked() == Masked([1], [True])) is False
    assert Settings(1) == Settings(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(masked())


def test_values_are_copied_and_pickled():
    for again in (copy.copy(masked()), copy.deepcopy(masked()), pickle.loads(pickle.dumps(masked()))):
        assert listed(again) == listed(masked())


def test_a_class_may_refer_to_itself():
    chain = Node(1.0, Node(2.0, Node(3.0)))
    total = tf.function(lambda node: node.value + node.inner.value + node.inner.inner.value)
    assert total(chain).numpy() == 6.0


# --- specs -------------------------------------------------------------------------------------------------------------


def test_the_spec_has_a_spec_in_place_of_each_tensor():
    spec = tf.type_spec_from_value(masked())
    given = Masked.Spec(tf.TensorSpec([2], tf.int32), mask=tf.TensorSpec([2], tf.bool))
    assert spec == given
    assert hash(spec) == hash(given)
    assert spec.values == tf.TensorSpec([2], tf.int32)
    assert repr(spec).startswith("Masked.Spec(values=TensorSpec(shape=(2,), dtype=tf.int32, name=None), mask=")
    assert spec.value_type is Masked
    assert spec.is_compatible_with(masked())
    assert not spec.is_compatible_with(Masked([1], [True]))
    loose = spec.most_specific_compatible_type(tf.type_spec_from_value(Masked([1], [True])))
    assert loose.values.shape.as_list() == [None]
    assert tf.type_spec_from_value(Settings(1)) != tf.type_spec_from_value(Settings(2))


def test_a_spec_may_have_properties_of_its_own():
    class Image(tf.experimental.ExtensionType):
        pixels: tf.Tensor

        class Spec:
            @property
            def height(self):
                return self.pixels.shape[0]

    assert tf.type_spec_from_value(Image(tf.zeros([4, 3]))).height == 4


def test_structures_are_expanded_to_its_tensors():
    value = Settings(1, tensors={"b": 1.0, "a": 2.0}, maybe=3.0)
    assert [float(x) for x in tf.nest.flatten({"k": value}, expand_composites=True)] == [2.0, 1.0, 3.0]
    assert tf.nest.flatten(value) == [value] or tf.nest.flatten(value)[0] is value
    doubled = tf.nest.map_structure(lambda x: x * 2, value, expand_composites=True)
    assert float(doubled.tensors["b"]) == 2.0
    assert not tf.is_tensor(value)


# --- traced functions, branches, loops -------------------------------------------------------------------------------------


def test_traced_functions_take_and_return_them():
    traces = []

    @tf.function
    def double(m):
        traces.append(m)
        return {"result": m.doubled()}

    for values in ((1, 2), (5, 6)):
        assert listed(double(masked(*values))["result"])[0] == [2 * v for v in values]
    assert len(traces) == 1
    assert isinstance(traces[0], Masked)


def test_what_is_no_tensor_belongs_to_the_type():
    traces = []

    @tf.function
    def labels(s):
        traces.append(s.label)
        return s.maybe

    labels(Settings(1, label="a", maybe=1.0))
    labels(Settings(1, label="a", maybe=2.0))
    labels(Settings(1, label="b", maybe=2.0))
    labels(Settings(1, label="b"))
    assert traces == ["a", "b", "b"]


def test_one_is_captured_by_a_function():
    value = masked()
    assert tf.function(lambda x: x + value.values)(1).numpy().tolist() == [2, 3]


def test_branches_and_loops_carry_them():
    @tf.function
    def grown(m, n):
        for _ in tf.range(n):
            m = m.doubled()
        if n > 2:
            m = Masked(-m.values, m.mask)
        return m

    assert listed(grown(masked(), tf.constant(1)))[0] == [2, 4]
    assert listed(grown(masked(), tf.constant(3)))[0] == [-8, -16]
    count, last = tf.while_loop(lambda i, m: i < 3, lambda i, m: (i + 1, m.doubled()), (0, masked()))
    assert (int(count), listed(last)[0]) == (3, [8, 16])


def test_tapes_follow_their_tensors():
    value = Masked([1.0, 2.0], [True, False])
    with tf.GradientTape() as tape:
        tape.watch(value.values)
        total = tf.function(lambda m: tf.reduce_sum(m.values**2))(value)
    assert tape.gradient(total, value.values).numpy().tolist() == [2.0, 4.0]
    with tf.GradientTape() as tape:
        tape.watch(value.values)
    with pytest.raises(ValueError, match="cannot be a source"):
        tape.gradient(value.values, value)


def test_saved_models_keep_functions_of_them(tmp_path):
    module = tf.Module()
    module.double = tf.function(lambda m: m.doubled())
    module.double(masked())
    tf.saved_model.save(module, str(tmp_path))
    assert listed(tf.saved_model.load(str(tmp_path)).double(masked(3, 4)))[0] == [6, 8]


# --- datasets ----------------------------------------------------------------------------------------------------------


def test_datasets_hold_them():
    dataset = tf.data.Dataset.from_tensors(masked()).map(lambda m: m.doubled()).repeat(2)
    assert [listed(m)[0] for m in dataset] == [[2, 4], [2, 4]]
    assert dataset.element_spec == tf.type_spec_from_value(masked())
    with pytest.raises(TypeError, match="cannot be batched"):
        list(dataset.batch(2))


def test_batchable_ones_are_sliced_batched_and_unbatched():
    pairs = Pair([1.0, 2.0, 3.0], [[1], [2], [3]])
    rows = tf.data.Dataset.from_tensor_slices(pairs)
    assert rows.element_spec == Pair.Spec(tf.TensorSpec([], tf.float32), tf.TensorSpec([1], tf.int32))
    assert [p.second.numpy().tolist() for p in rows.batch(2)] == [[[1], [2]], [[3]]]
    assert [float(p.first) for p in tf.data.Dataset.from_tensors(pairs).unbatch()] == [1.0, 2.0, 3.0]
    assert tf.map_fn(lambda p: p.first * 2, pairs, fn_output_signature=tf.float32).numpy().tolist() == [2.0, 4.0, 6.0]


def test_a_shape_among_the_fields_of_a_batchable_one_is_that_of_the_whole():
    class Sized(tf.experimental.BatchableExtensionType):
        values: tf.Tensor
        shape: tf.TensorShape

    rows = tf.data.Dataset.from_tensor_slices(Sized([[1, 2], [3, 4]], [2, 2]))
    assert [r.shape for r in rows] == [tf.TensorShape([2])] * 2
    assert next(iter(rows.batch(2))).shape == tf.TensorShape([2, 2])


# --- dispatch ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def registered():
    """Undoes what a test registers."""
    before = {api: list(overrides) for api, overrides in OVERRIDES.items()}
    targets = []
    yield lambda target: targets.append(target) or target
    for target in targets:
        tf.experimental.unregister_dispatch_for(target)
    assert {api: list(overrides) for api, overrides in OVERRIDES.items()} == before


def test_a_function_is_called_instead_of_a_public_one(registered):
    @registered
    @tf.experimental.dispatch_for_api(tf.concat, {"values": typing.List[Masked]})  # noqa: UP006
    def concat(values, axis, name="concat"):
        return Masked(tf.concat([v.values for v in values], axis), tf.concat([v.mask for v in values], axis))

    @registered
    @tf.experimental.dispatch_for_api(tf.reduce_sum)
    def total(input_tensor: Masked, axis=None, keepdims=False):
        return tf.reduce_sum(tf.where(input_tensor.mask, input_tensor.values, 0), axis, keepdims)

    assert listed(tf.concat([masked(), masked(3, 4)], 0))[0] == [1, 2, 3, 4]
    assert tf.concat([[1], [2]], 0).numpy().tolist() == [1, 2]
    assert tf.reduce_sum(masked(), keepdims=True, name="total").numpy().tolist() == [1]
    assert tf.function(lambda m: tf.reduce_sum(m))(masked()).numpy() == 1
    with pytest.raises(ValueError, match="unsupported type"):
        tf.concat([masked(), 1], 0)


def test_elementwise_functions_are_dispatched_together(registered):
    @registered
    @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    def unary(api_func, x):
        return Masked(api_func(x.values), x.mask)

    @registered
    @tf.experimental.dispatch_for_binary_elementwise_apis(
        typing.Union[Masked, tf.Tensor],  # noqa: UP007
        Masked | tf.Tensor,
    )
    def binary(api_func, x, y):
        if not isinstance(x, Masked):
            return Masked(api_func(x, y.values), y.mask)
        return Masked(api_func(x.values, y.values if isinstance(y, Masked) else y), x.mask)

    assert listed(tf.abs(masked(-1, 2)))[0] == [1, 2]
    assert tf.cast(masked(), tf.float32).values.dtype == tf.float32
    assert listed(tf.zeros_like(masked()))[0] == [0, 0]
    assert listed(tf.add(masked(), masked()))[0] == [2, 4]
    assert listed(tf.constant([10, 20]) * masked())[0] == [10, 40]
    assert tf.math.greater(masked(), tf.constant(1)).values.numpy().tolist() == [False, True]
    assert listed(tf.function(lambda m: tf.square(m) * tf.constant(3))(masked()))[0] == [3, 12]
    with pytest.raises(ValueError, match="already been registered"):
        tf.experimental.dispatch_for_unary_elementwise_apis(Masked)(lambda api_func, x: x)


def test_assertions_are_dispatched(registered):
    @registered
    @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def compare(api_func, x, y):
        return api_func(x.values * tf.cast(x.mask, tf.int32), y.values * tf.cast(y.mask, tf.int32))

    tf.debugging.assert_equal(masked(1, 2), masked(1, 9))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.debugging.assert_less(masked(), masked())


def test_a_plain_class_is_dispatched_too(registered):
    class Money:
        def __init__(self, cents):
            self.cents = cents

    @registered
    @tf.experimental.dispatch_for_api(tf.add, {"x": Money, "y": Money})
    def add(x, y, name=None):
        return Money(x.cents + y.cents)

    assert tf.add(Money(1), Money(2)).cents == 3


def test_bad_registrations_are_refused():
    dispatch = tf.experimental.dispatch_for_api
    for kind, words, call in (
        (ValueError, "does not support dispatch", lambda: dispatch(len)),
        (ValueError, "at least one signature", lambda: dispatch(tf.add)(lambda x, y: 1)),
        (
            ValueError,
            "does not match API's signature",
            lambda: dispatch(tf.add, {"x": Masked})(lambda a: 1),
        ),
        (
            ValueError,
            "unknown parameter 'q'",
            lambda: dispatch(tf.add, {"q": Masked})(lambda x, y: 1),
        ),
        (ValueError, "not currently supported", lambda: tf.experimental.dispatch_for_unary_elementwise_apis(3)),
        (ValueError, "was not registered", lambda: tf.experimental.unregister_dispatch_for(len)),
    ):
        with pytest.raises(kind, match=words):
            call()


# --- conversion of users' classes --------------------------------------------------------------------------------------------


def test_values_of_a_registered_class_become_tensors():
    class Degrees:
        value = 3.0

    class Quiet(Degrees):
        pass

    tf.register_tensor_conversion_function(
        Degrees, lambda v, dtype=None, name=None, as_ref=False: tf.constant(v.value, dtype)
    )
    tf.register_tensor_conversion_function(
        Quiet, lambda v, dtype=None, name=None, as_ref=False: NotImplemented, priority=1
    )
    assert tf.convert_to_tensor(Degrees()).numpy() == 3.0
    assert tf.convert_to_tensor(Quiet(), tf.float64).dtype == tf.float64
    assert tf.add(Degrees(), 1.0).numpy() == 4.0
    assert tf.function(lambda x: x + Degrees())(tf.constant(1.0)).numpy() == 4.0


def test_bad_conversions_are_refused():
    for words, call in (
        ("must be callable", lambda: tf.register_tensor_conversion_function(set, 3)),
        ("must be a type", lambda: tf.register_tensor_conversion_function(3, lambda v: v)),
        ("Python numeric types", lambda: tf.register_tensor_conversion_function((set, int), lambda v: v)),
    ):
        with pytest.raises(TypeError, match=words):
            call()

    class Odd:
        pass

    tf.register_tensor_conversion_function(Odd, lambda v, **settings: 3)
    with pytest.raises(RuntimeError, match="returned non-Tensor"):
        tf.convert_to_tensor(Odd())


# --- encoders of batches ---------------------------------------------------------------------------------------------------


class Scaled(tf.experimental.ExtensionTypeBatchEncoder):
    def batch(self, spec, batch_size):
        return Diagonal.Spec(tf.TensorSpec([batch_size, *spec.diagonal.shape], spec.diagonal.dtype), spec.scale)

    def unbatch(self, spec):
        return Diagonal.Spec(tf.TensorSpec(spec.diagonal.shape[1:], spec.diagonal.dtype), spec.scale)

    def encode(self, spec, value, minimum_rank=0):
        return value.diagonal * value.scale

    def decode(self, spec, encoded_value):
        return Diagonal(encoded_value / spec.scale, spec.scale)

    def encoding_specs(self, spec):
        return spec.diagonal


class Diagonal(tf.experimental.BatchableExtensionType):
    __batch_encoder__ = Scaled()
    diagonal: tf.Tensor
    scale: float


def test_an_encoder_makes_batches_and_takes_them_apart():
    value = Diagonal(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), 2.0)
    rows = tf.data.Dataset.from_tensor_slices(value)
    assert rows.element_spec.diagonal.shape == [2]
    batches = rows.batch(2)
    assert batches.element_spec.diagonal.shape.as_list() == [None, 2]
    assert [batch.diagonal.numpy().tolist() for batch in batches] == [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]]
    assert [(row.diagonal.numpy().tolist(), row.scale) for row in batches.unbatch()][2] == ([5.0, 6.0], 2.0)
    spec = Diagonal.Spec(tf.TensorSpec([2]), 2.0)
    moved = tf.map_fn(lambda row: Diagonal(row.diagonal + 1, row.scale), value, fn_output_signature=spec)
    assert moved.diagonal.numpy().tolist() == [[2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]


class Tree(tf.experimental.BatchableExtensionType):
    value: tf.Tensor
    children: typing.Tuple["Tree", ...] = ()  # noqa: UP006


def test_a_type_that_holds_a_tuple_of_its_own_kind_is_batched_and_followed():
    tree = Tree([1, 2], (Tree([3, 4]), Tree([5, 6], (Tree([7, 8]),))))
    (batch,) = tf.data.Dataset.from_tensor_slices(tree).batch(2)
    assert batch.children[1].children[0].value.numpy().tolist() == [7, 8]

    @tf.function
    def total(node):
        return tf.reduce_sum(node.value) + sum(total(child) for child in node.children)

    assert total(tree).numpy() == 36
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        node = Tree(x, (Tree(x * 2),))
        y = tf.reduce_sum(node.value * node.children[0].value)
    assert tape.gradient(y, x).numpy().tolist() == [4.0, 8.0]
