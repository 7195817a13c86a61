"""Tensors: how Python values become one, that they never change, and how they print.

The texts were printed by TensorFlow 2.21 with NumPy 2.4.
"""

import copy
import pickle

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.quick

# ---------------------------------------------------------------- printing

REPRS = [
    (lambda: tf.constant(6.0), "<tf.Tensor: shape=(), dtype=float32, numpy=6.0>"),
    (lambda: tf.constant(0.1), "<tf.Tensor: shape=(), dtype=float32, numpy=0.10000000149011612>"),
    (lambda: tf.constant(0.1, tf.float64), "<tf.Tensor: shape=(), dtype=float64, numpy=0.1>"),
    (lambda: tf.constant(0.1, tf.float16), "<tf.Tensor: shape=(), dtype=float16, numpy=0.0999755859375>"),
    (lambda: tf.constant(0.1, tf.bfloat16), "<tf.Tensor: shape=(), dtype=bfloat16, numpy=0.10009765625>"),
    (lambda: tf.constant(1.0, tf.bfloat16), "<tf.Tensor: shape=(), dtype=bfloat16, numpy=1.0>"),
    (lambda: tf.constant(1e20), "<tf.Tensor: shape=(), dtype=float32, numpy=1.0000000200408773e+20>"),
    (lambda: tf.constant(-0.0), "<tf.Tensor: shape=(), dtype=float32, numpy=-0.0>"),
    (lambda: tf.constant(float("nan")), "<tf.Tensor: shape=(), dtype=float32, numpy=nan>"),
    (lambda: tf.constant(3), "<tf.Tensor: shape=(), dtype=int32, numpy=3>"),
    (lambda: tf.constant(255, tf.uint8), "<tf.Tensor: shape=(), dtype=uint8, numpy=255>"),
    (lambda: tf.constant(True), "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    (lambda: tf.constant(1 + 2j), "<tf.Tensor: shape=(), dtype=complex128, numpy=(1+2j)>"),
    (
        lambda: tf.constant(0.1 + 0.2j, tf.complex64),
        "<tf.Tensor: shape=(), dtype=complex64, numpy=(0.10000000149011612+0.20000000298023224j)>",
    ),
    (lambda: tf.constant("hello"), "<tf.Tensor: shape=(), dtype=string, numpy=b'hello'>"),
    (lambda: tf.constant("héllo"), "<tf.Tensor: shape=(), dtype=string, numpy=b'h\\xc3\\xa9llo'>"),
    (
        lambda: tf.constant(["a", "bc"]),
        "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'bc'], dtype=object)>",
    ),
    (lambda: tf.constant([]), "<tf.Tensor: shape=(0,), dtype=float32, numpy=array([], dtype=float32)>"),
    (
        lambda: tf.zeros([2, 0]),
        "<tf.Tensor: shape=(2, 0), dtype=float32, numpy=array([], shape=(2, 0), dtype=float32)>",
    ),
    (lambda: tf.constant([True, False]), "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>"),
    (
        lambda: tf.constant([1.5, 2.25], tf.bfloat16),
        "<tf.Tensor: shape=(2,), dtype=bfloat16, numpy=array([1.5, 2.25], dtype=bfloat16)>",
    ),
    (
        lambda: tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[1., 2.],\n       [3., 4.]], dtype=float32)>",
    ),
]

STRS = [
    (lambda: tf.constant(6.0), "tf.Tensor(6.0, shape=(), dtype=float32)"),
    (lambda: tf.constant(0.1), "tf.Tensor(0.1, shape=(), dtype=float32)"),
    (lambda: tf.constant(0.1, tf.bfloat16), "tf.Tensor(0.100098, shape=(), dtype=bfloat16)"),
    (lambda: tf.constant(0.1 + 0.2j, tf.complex64), "tf.Tensor((0.1+0.2j), shape=(), dtype=complex64)"),
    (lambda: tf.constant("hello"), "tf.Tensor(b'hello', shape=(), dtype=string)"),
    (lambda: tf.constant(["a", "bc"]), "tf.Tensor([b'a' b'bc'], shape=(2,), dtype=string)"),
    (lambda: tf.constant([1.0, 2.0]), "tf.Tensor([1. 2.], shape=(2,), dtype=float32)"),
    (lambda: tf.constant([]), "tf.Tensor([], shape=(0,), dtype=float32)"),
    (lambda: tf.zeros([2, 0]), "tf.Tensor([], shape=(2, 0), dtype=float32)"),
    (
        lambda: tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        "tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)",
    ),
    (lambda: tf.range(2000), "tf.Tensor([   0    1    2 ... 1997 1998 1999], shape=(2000,), dtype=int32)"),
]


@pytest.mark.parametrize(("make", "text"), REPRS, ids=[text[:60] for _, text in REPRS])
def test_repr_is_that_of_tensorflow(make, text):
    assert repr(make()) == text


@pytest.mark.parametrize(("make", "text"), STRS, ids=[text[:60] for _, text in STRS])
def test_str_is_that_of_tensorflow(make, text):
    assert str(make()) == text


@pytest.mark.parametrize("shape", [(2000,), (40, 100), (2, 10, 100)])
def test_long_arrays_are_shortened_as_numpy_shortens_them(shape):
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    assert repr(tf.constant(array)) == f"<tf.Tensor: shape={shape}, dtype=float32, numpy=\n{array!r}>"
    line = "\n" if "\n" in str(array) else ""
    assert str(tf.constant(array)) == f"tf.Tensor({line}{array}, shape={shape}, dtype=float32)"


def test_a_scalar_takes_format_specifications():
    assert f"{tf.constant(1.2345):.2f}" == "1.23"
    assert f"{tf.constant(3):5d}" == "    3"
    assert f"{tf.constant(1.5)}" == "1.5"
    assert "%.3f" % tf.constant(2.5) == "2.500"  # noqa: UP031


def test_an_array_formats_as_numpy_does():
    assert f"{tf.constant([1.0, 2.0])}" == "[1. 2.]"
    with pytest.raises(TypeError):
        f"{tf.constant([1.0, 2.0]):.2f}"


# ---------------------------------------------------------------- conversion


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (1, "int32", ()),
        (2**31, "int64", ()),
        (1.5, "float32", ()),
        (True, "bool", ()),
        (1j, "complex128", ()),
        ("a", "string", ()),
        ([1, 2.5], "float32", (2,)),
        ([], "float32", (0,)),
        ([[]], "float32", (1, 0)),
        ((1, 2), "int32", (2,)),
        (range(3), "int32", (3,)),
        (np.arange(3), "int64", (3,)),
        (np.float64(1.0), "float64", ()),
        (np.ones(2, np.float16), "float16", (2,)),
        (np.arange(3, dtype=">i4"), "int32", (3,)),
        (np.array(["a", "bc"]), "string", (2,)),
        (np.array(["a", b"b"], object), "string", (2,)),
    ],
)
def test_python_values_and_arrays_get_tensorflows_types(value, dtype, shape):
    tensor = tf.convert_to_tensor(value)
    assert (tensor.dtype.name, tuple(tensor.shape)) == (dtype, shape)


@pytest.mark.parametrize(
    ("value", "dtype", "error"),
    [
        (None, None, ValueError),
        ([1, None], None, ValueError),
        ({}, None, ValueError),
        (object(), None, ValueError),
        ([[1, 2], [3]], None, ValueError),
        ([1, "a"], None, ValueError),
        (2**70, None, (ValueError, OverflowError)),
        (1.5, tf.int32, TypeError),
        (1, tf.bool, TypeError),
        ("a", tf.int32, TypeError),
        (1j, tf.float32, TypeError),
        (np.array([1, 2], object), None, ValueError),
        (np.datetime64("2020-01-01"), None, ValueError),
    ],
)
def test_what_is_no_tensor_is_an_error(value, dtype, error):
    with pytest.raises(error):
        tf.convert_to_tensor(value, dtype)


def test_truth_values_count_as_numbers_where_numbers_are_asked_for():
    assert tf.convert_to_tensor(True, tf.float32).numpy() == 1.0
    assert (tf.constant(1.0) + True).numpy() == 2.0
    assert (tf.constant(1) + True).numpy() == 2


def test_a_tensor_is_never_cast_silently():
    with pytest.raises(ValueError, match=r"tf\.cast"):
        tf.convert_to_tensor(tf.constant(1.0), tf.int32)


def test_a_dtype_hint_gives_way_where_it_does_not_fit():
    assert tf.convert_to_tensor([1, 2], dtype_hint=tf.float64).dtype == tf.float64
    assert tf.convert_to_tensor([1.5], dtype_hint=tf.int32).dtype == tf.float32


def test_a_list_of_tensors_is_stacked_and_recorded():
    x, v = tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.convert_to_tensor([[x * x, 1.0], [v, np.float32(4.0)]])
    assert y.numpy().tolist() == [[4.0, 1.0], [3.0, 4.0]]
    assert [g.numpy() for g in tape.gradient(y, [x, v])] == [4.0, 1.0]


def test_a_list_with_tensors_is_cast_where_a_type_is_given():
    assert tf.convert_to_tensor([tf.constant(1), 2], tf.int64).dtype == tf.int64
    assert tf.convert_to_tensor([tf.constant([1.5]), [2]], tf.float64).numpy().tolist() == [[1.5], [2.0]]
    assert tf.SparseTensor([[0, 0]], [1], (tf.constant(2), 3)).shape == (2, 3)


def test_a_list_of_tensors_of_two_types_is_an_invalid_argument():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.convert_to_tensor([tf.constant(1.0), tf.constant(1)])


def test_an_object_with_array_is_converted():
    class Measurement:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0], np.float32)

    assert tf.convert_to_tensor(Measurement()).numpy().tolist() == [1.0, 2.0]
    assert (tf.constant([1.0, 1.0]) + Measurement()).numpy().tolist() == [2.0, 3.0]


@pytest.mark.parametrize("value", [np.array(3.0), np.array(3, np.uint8), np.array(True), 3, 2.5, np.float32(1), 1j])
def test_what_has_no_axes_is_held_as_a_numpy_scalar(value):
    tensor = tf.constant(value)
    assert isinstance(tensor._array, np.generic)
    assert tensor.shape == ()
    assert tensor.numpy() == value


def test_a_text_without_axes_is_held_as_an_array():
    assert tf.constant("a")._array.shape == ()


# ---------------------------------------------------------------- a tensor never changes


@pytest.mark.parametrize("make", [tf.constant, tf.convert_to_tensor, tf.identity, lambda a: tf.Variable(a).value()])
def test_changing_the_source_array_changes_no_tensor(make):
    source = np.ones(3, np.float32)
    tensor = make(source)
    source[0] = 5.0
    assert tensor.numpy().tolist() == [1.0, 1.0, 1.0]


def test_changing_what_numpy_returns_changes_no_tensor():
    tensor = tf.constant([1.0, 2.0])
    tensor.numpy()[0] = 9.0
    assert tensor.numpy().tolist() == [1.0, 2.0]


def test_the_array_interface_is_read_only():
    tensor = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(tensor)[0] = 9.0
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(tf.Variable([1.0, 2.0]))[0] = 9.0


def test_np_array_gives_a_copy_to_write_to():
    tensor = tf.constant([1.0, 2.0])
    array = np.array(tensor)
    array[0] = 9.0
    assert tensor.numpy().tolist() == [1.0, 2.0]
    assert np.asarray(tensor, dtype=np.float64).dtype == np.float64


@pytest.mark.parametrize(
    "op", [tf.identity, lambda x: tf.reshape(x, [2, 1]), lambda x: x[:], tf.transpose, tf.stop_gradient]
)
def test_ops_that_share_memory_share_no_change(op):
    source = tf.constant([1.0, 2.0])
    shared = op(source)
    shared.numpy()[...] = 9.0
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(shared)[...] = 9.0
    assert source.numpy().tolist() == [1.0, 2.0]


def test_writing_to_the_gradient_writes_to_nothing_else():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.identity(x)
    first = tape.gradient(y, x, output_gradients=tf.constant([3.0, 4.0]))
    first.numpy()[...] = 0.0
    assert tape.gradient(y, x, output_gradients=tf.constant([3.0, 4.0])).numpy().tolist() == [3.0, 4.0]


def test_items_and_attributes_cannot_be_assigned():
    tensor = tf.constant([1.0, 2.0])
    with pytest.raises(TypeError):
        tensor[0] = 1.0
    with pytest.raises(AttributeError):
        tensor.shape = (1,)
    with pytest.raises(AttributeError):
        tensor.dtype = tf.int32


def test_an_augmented_assignment_makes_a_new_tensor():
    x = y = tf.constant([1.0, 2.0])
    y += 1.0
    assert x.numpy().tolist() == [1.0, 2.0]
    assert y.numpy().tolist() == [2.0, 3.0]


# ---------------------------------------------------------------- copies


def test_a_copy_of_a_tensor_is_the_tensor_and_a_deep_copy_is_another():
    x = tf.constant([1.0, 2.0])
    assert copy.copy(x) is x
    twin = copy.deepcopy(x)
    assert twin is not x
    assert twin.numpy().tolist() == [1.0, 2.0]


def test_a_deep_copy_is_not_followed():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = copy.deepcopy(x) * 3.0
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize(
    "tensor",
    [
        tf.constant(1.5),
        tf.constant([[1, 2]], tf.int64),
        tf.constant(["a", "b"]),
        tf.constant([1.5], tf.bfloat16),
        tf.constant([1 + 2j]),
        tf.zeros([0, 2]),
    ],
    ids=lambda t: t.dtype.name,
)
def test_pickle_keeps_value_type_and_shape(tensor):
    again = pickle.loads(pickle.dumps(tensor))
    assert isinstance(again, tf.Tensor)
    assert (again.dtype, again.shape) == (tensor.dtype, tensor.shape)
    assert again.numpy().tolist() == tensor.numpy().tolist()


def test_a_pickle_of_a_slice_holds_the_slice_only():
    large = tf.zeros([100_000])
    assert len(pickle.dumps(large[:2])) < 1000


# ---------------------------------------------------------------- attributes


def test_shape_dtype_ndim_and_device():
    x = tf.zeros([2, 3])
    assert isinstance(x.shape, tf.TensorShape)
    assert (x.shape, x.get_shape(), x.ndim, x.dtype) == ((2, 3), (2, 3), 2, tf.float32)
    assert x.device == "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.mark.parametrize("make", [tf.constant, tf.Variable], ids=["tensor", "variable"])
@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("T", "tf.transpose"),
        ("mean", "tf.reduce_mean"),
        ("item", "numpy"),
        ("backward", "tape.gradient"),
        ("detach", "stop_gradient"),
    ],
)
def test_methods_of_other_libraries_are_errors_that_name_the_function(make, name, instead):
    with pytest.raises(AttributeError, match=instead):
        getattr(make([1.0, 2.0]), name)
    assert not hasattr(make([1.0, 2.0]), "nonsense")


def test_set_shape_checks():
    x = tf.zeros([2])
    x.set_shape([None])
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape([3])


def test_numpy_of_scalars_are_numpy_scalars_and_bytes():
    assert type(tf.constant(1).numpy()) is np.int32
    assert tf.constant("a").numpy() == b"a"
    assert tf.constant(["a"]).numpy().tolist() == [b"a"]


# ---------------------------------------------------------------- IndexedSlices and specs


def test_indexed_slices_become_dense_and_add_repeated_rows():
    slices = tf.IndexedSlices(tf.constant([[1.0], [2.0], [4.0]]), tf.constant([0, 2, 0]), tf.constant([3, 1]))
    assert slices.shape == (3, 1)
    assert slices.dtype == tf.float32
    assert tf.convert_to_tensor(slices).numpy().tolist() == [[5.0], [0.0], [2.0]]
    assert (-slices).values.numpy().tolist() == [[-1.0], [-2.0], [-4.0]]
    assert str(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))) == (
        "IndexedSlices(indices=tf.Tensor([0], shape=(1,), dtype=int32), "
        "values=tf.Tensor([1.], shape=(1,), dtype=float32))"
    )


def test_indexed_slices_without_a_dense_shape_cannot_become_dense():
    with pytest.raises(ValueError, match="dense_shape"):
        tf.convert_to_tensor(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))


def test_a_spec_says_what_fits():
    spec = tf.TensorSpec([None, 2], tf.float32)
    assert spec.is_compatible_with(tf.zeros([5, 2]))
    assert spec.is_compatible_with(np.zeros([5, 2], np.float32))
    assert not spec.is_compatible_with(tf.zeros([5, 3]))
    assert not spec.is_compatible_with(tf.zeros([5, 2], tf.int32))
    assert not spec.is_compatible_with([[1.0, 2.0]])
    assert tf.TensorSpec.from_tensor(tf.zeros([1])) == tf.TensorSpec([1], tf.float32)
    assert spec.most_specific_compatible_type(tf.TensorSpec([3, 4])) == tf.TensorSpec([None, None])


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (tf.TensorSpec([1, None]), "TensorSpec(shape=(1, None), dtype=tf.float32, name=None)"),
        (tf.TensorSpec(None, tf.int32, "a"), "TensorSpec(shape=<unknown>, dtype=tf.int32, name='a')"),
        (tf.TensorSpec([], tf.string), "TensorSpec(shape=(), dtype=tf.string, name=None)"),
    ],
)
def test_specs_print_as_tensorflows_and_survive_pickling(spec, text):
    assert repr(spec) == text
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert hash(pickle.loads(pickle.dumps(spec))) == hash(spec)


@pytest.mark.parametrize(
    "values",
    [
        [True, 2],
        [True, 2.0],
        [[True], [0.5]],
        [1, 2j],
        [1.0, 2j],
        [np.array(1), 2j],
        [True, 2j],
        [np.True_, 1],
        (True, 1),
        [[1], [np.True_]],
    ],
)
def test_a_list_takes_what_its_first_element_takes(values):
    for convert in (tf.constant, tf.Variable, tf.convert_to_tensor, tf.reduce_sum, tf.identity):
        with pytest.raises(ValueError, match="mixed types"):
            convert(values)
    with pytest.raises(TypeError):
        tf.stack(values)
    # In a function TensorFlow leaves the list to NumPy.
    assert tf.function(lambda: tf.convert_to_tensor(values))().dtype == tf.function(lambda: tf.add(values, 0))().dtype


@pytest.mark.parametrize(
    "values",
    [[1, np.True_], [0.5, np.True_], [2j, np.True_], [1, np.array(True)], [[1, 2], np.array([True, False])]],
)
def test_truth_values_of_numpy_stand_beside_no_number(values):
    for convert in (tf.constant, tf.Variable, tf.reduce_sum):
        with pytest.raises(ValueError, match="mixed types"):
            convert(values)
    # tf.stack converts one after the other, and casts what NumPy has.
    assert tf.stack(values).dtype == tf.constant(values[0]).dtype


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([2, True], None, tf.int32),
        ([2.0, True], None, tf.float32),
        ([1, 2.0], None, tf.float32),
        ([2j, 1], None, tf.complex128),
        ([True, 2], tf.float32, tf.float32),
        ([True, 2], tf.int32, tf.int32),
        ([True, True], tf.int64, tf.int64),
        ([1, 2j], tf.complex128, tf.complex128),
        ([True, np.True_], None, tf.bool),
        ([np.array(True), False], tf.bool, tf.bool),
        ([1.5, 2**70], None, tf.float32),
        ([np.float32(1.5), 2**70], None, tf.float32),
        ([1j, 2**70], None, tf.complex128),
        (["a", np.array("b")], None, tf.string),
        ([tf.bfloat16.as_numpy_dtype(1), 2.0], None, tf.bfloat16),
        ([[], []], None, tf.float32),
    ],
)
def test_lists_that_go_together(values, dtype, expected):
    assert tf.constant(values, dtype).dtype == expected


@pytest.mark.parametrize(
    ("values", "dtype", "error"),
    [
        ([np.True_, np.True_], tf.float32, TypeError),
        ([True, np.True_], tf.int32, TypeError),
        ([True, True], tf.uint8, TypeError),
        ([True, False], tf.bfloat16, TypeError),
        ([True, False], tf.complex64, TypeError),
        ([True, 1.5], tf.int32, ValueError),
        ([True, 1], tf.uint8, ValueError),
        ([1, 2j], tf.float32, ValueError),
        ([2**70, 1.5], None, ValueError),
        ([np.datetime64("2020")] * 2, None, ValueError),
        ([np.datetime64("2020")] * 2, tf.float32, ValueError),
        ([np.timedelta64(1, "s")], tf.int64, ValueError),
    ],
)
def test_lists_that_do_not_become_another_type(values, dtype, error):
    with pytest.raises(error):
        tf.constant(values, dtype)


def test_texts_of_numpy_in_a_list_become_bytes():
    assert {type(text) for text in tf.constant(["a", np.bytes_(b"b"), np.str_("c")]).numpy()} == {bytes}


def test_integers_beside_floats_in_a_list_of_tensors():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.convert_to_tensor([tf.constant(1.0), tf.constant(2)], tf.float32)


def test_references_are_keys_of_weak_dictionaries():
    import weakref

    x = tf.constant(1.0)
    reference = x.ref()
    kept = weakref.WeakKeyDictionary({reference: "one"})
    assert kept[x.ref()] == "one"
