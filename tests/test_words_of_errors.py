"""Words that programs and tests written for TensorFlow look for in the messages of errors."""

import functools
import pickle
import re

import numpy as np
import pytest

import gradtape as tf
from gradtape.base import absent

X = np.ones((2, 3), np.float32)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: tf.constant(1) + tf.constant(1.0),
            r"cannot compute AddV2 as input #1\(zero-based\) was expected to be a int32",
        ),
        (lambda: tf.reverse(X, [-30]), "is out of valid range"),
        (lambda: tf.squeeze(X, [1]), r"Can not squeeze dim\[1\], expected a dimension of 1, got 3"),
        (lambda: tf.reshape(X[:1, :1], [1] * 255), "too many dimensions"),
        (lambda: tf.expand_dims(X, [0, 1]), "must be a tensor with a single value"),
        (lambda: tf.constant(1.0)[0], "Attempting to slice scalar input"),
        (lambda: tf.nn.conv2d(tf.ones([4, 4, 3]), tf.ones([3, 3, 3, 1]), 1, "SAME"), r"tf.expand_dims\(x, 0\)"),
        (lambda: tf.constant(X)[..., ...], "Multiple ellipses in slice spec not allowed"),
        (lambda: tf.unravel_index([1], [3, 0]), "dims cannot contain a dim of zero"),
        (lambda: tf.split([1, 2, 3], [5, -2]), "Split size at index 1 must be >= 0. Got: -2"),
        (lambda: tf.split([1, 2, 3], [1, 1]), "Determined shape must either match input"),
        (lambda: tf.split([1, 2, 3], [1, 2], num=4), "num=4, but there are 2 sizes"),
        (lambda: tf.stack([[1], [2]], axis=5), r"Argument `axis` = 5 not in range \[-2, 2\)"),
        (lambda: tf.roll(X, [1, 2], [0]), "shift and axis must be as many"),
        (lambda: tf.pad(X, [1, 2]), "paddings must be a matrix with 2 columns"),
        (lambda: tf.pad(X, [[1, 2]]), "paddings must be the rank of inputs"),
        (lambda: tf.pad(X, [[-1, 0], [0, 0]]), "must be non-negative"),
        (lambda: tf.math.top_k(X, 4), "must have last dimension >= k = 4"),
        (lambda: tf.math.top_k(X, -7), "Need k >= 0, got -7"),
        (lambda: tf.reshape(X[:1, :1], [1] * 70), "too many dimensions"),
        (lambda: tf.argmax([], 0), r"Reduction axis 0 is empty in shape \[0\]"),
        (lambda: tf.argmin(tf.zeros([2, 0]), -1), r"Reduction axis -1 is empty in shape \[2, 0\]"),
        (lambda: tf.reduce_sum(X, [0, -2]), "Axes contains duplicate dimension: 0"),
        (lambda: tf.cumsum(X, -3), r"Expected scan axis in the range \[-2, 2\)"),
        (lambda: tf.math.cumprod(X, [0]), "axis must be a scalar"),
        (lambda: tf.math.cumulative_logsumexp(X, 2), r"Expected scan axis in the range \[-2, 2\)"),
        (lambda: tf.sort(X[0], axis=-4), "slice index .* out of bounds"),
        (lambda: tf.gather(X, [[0, 7]]), r"indices\[0,1\] = 7 is not in \[0, 2\)"),
        (lambda: tf.gather(X[0], 0, axis=-2), "Shape must be at least rank 2 but is rank 1"),
        (lambda: tf.gather(X, 0.0), "float32 is not in the list of allowed values: int16, int32, int64"),
        (lambda: tf.constant(X)[1:, 1:, 1:], "out of range"),
        (
            lambda: tf.scatter_nd(np.zeros((3, 2, 2), int), np.zeros((2, 2)), [2, 2]),
            r"Dimensions \[0,2\) of indices\[shape=",
        ),
        (
            lambda: tf.scatter_nd(np.zeros((2, 1), int), np.zeros((2, 3)), [2, 2]),
            r"Dimensions \[1,2\) of input\[shape=",
        ),
        (
            lambda: tf.scatter_nd(np.zeros((2, 1), int), np.zeros((2, 3)), [0, 3]),
            "Indices and updates specified for empty",
        ),
        (lambda: tf.tensor_scatter_nd_max(X, [[0], [1]], X[:1]), r"Dimensions \[0,1\) of indices\[shape="),
        (lambda: tf.Variable(X).scatter_nd_update([[0], [1]], X[:1]), r"Dimensions \[0,1\) of indices\[shape="),
        (
            lambda: tf.raw_ops.DataFormatDimMap(x=[0], src_format="1233", dst_format="4321"),
            "must determine a permutation",
        ),
        (
            lambda: tf.raw_ops.DataFormatDimMap(x=[0], src_format="123", dst_format="321"),
            "format must be of length 4 or 5",
        ),
        (
            lambda: tf.raw_ops.DataFormatVecPermute(x=[0, 1], src_format="1234", dst_format="4321"),
            "must contain H and W",
        ),
        (lambda: tf.raw_ops.ApproximateEqual(x=[1.0, 2.0], y=[[1.0, 2.0]]), "must be of the same shape"),
        (lambda: tf.math.segment_sum(np.uint16(10), np.zeros(0, np.int64)), "must be at least rank 1"),
    ],
)
def test_a_message_has_the_words_of_tensorflow(call, words):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        call()


class Endless(list):
    def __len__(self):
        return -1


@pytest.mark.parametrize("value", [Endless(), [Endless()], [Endless(), []], [[Endless([1]), 2], 3]])
def test_a_list_without_a_length_gives_the_error_of_python(value):
    with pytest.raises(ValueError, match="should return >= 0"):
        tf.constant(value)


def test_an_integer_beyond_64_bits_is_a_float_or_an_error():
    assert tf.constant(2**72, tf.float64).numpy() == 2.0**72
    assert tf.constant([1.5, 2**72]).numpy().tolist() == [1.5, 2.0**72]
    for value, dtype in [(2**72, None), ([1, -(2**72)], None), (2**72, tf.int32), (10**310, tf.float64)]:
        with pytest.raises(ValueError, match="out-of-range integer"):
            tf.constant(value, dtype)


def test_a_number_that_its_type_cannot_hold_is_an_error():
    for value, dtype in [(-1, tf.uint8), ([300], tf.int8), (2**33, tf.int32)]:
        with pytest.raises(ValueError, match="out of range"):
            tf.constant(value, dtype)


def test_ids_and_tables_of_embeddings():
    with pytest.raises(ValueError, match="params must be specified"):
        tf.nn.embedding_lookup(None, [1])
    with pytest.raises(ValueError, match="The values contained by the inputs have type float32"):
        tf.nn.embedding_lookup(X, tf.ragged.constant([[1.0], []]))


def test_a_list_of_tensors_of_two_types_is_a_type_error():
    with pytest.raises(TypeError):
        tf.convert_to_tensor([tf.constant(1.0), tf.constant(1.0, tf.float64)])


def test_values_of_two_types_in_one_hot_are_a_type_error():
    with pytest.raises(TypeError, match="does not match dtype float32 of off_value"):
        tf.one_hot([0, 1], 2, on_value=np.float64(1), off_value=np.float32(0))


def test_positions_outside_may_be_ignored():
    assert tf.gather_nd([10, 1, 2], [[0], [7], [1]], bad_indices_policy="IGNORE").numpy().tolist() == [10, 0, 1]
    assert tf.scatter_nd([[0], [9]], [1.0, 2.0], [3], bad_indices_policy="IGNORE").numpy().tolist() == [1, 0, 0]


def test_nothing_is_scattered_into_nothing():
    assert tf.scatter_nd(tf.zeros([0], tf.int32), tf.zeros([0]), [0]).shape == (0,)


@pytest.mark.parametrize("axis", [0, 1])
def test_repeat_takes_counts_that_are_known_when_a_function_runs(axis):
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec(None, tf.int32)])
    def repeated(x, counts):
        return tf.repeat(x, counts, axis)

    x = np.arange(4.0, dtype=np.float32).reshape(2, 2)
    for counts in ([1, 2], [0, 3], 2):
        assert repeated(x, counts).numpy().tolist() == np.repeat(x, counts, axis).tolist()
    with tf.GradientTape() as tape:
        v = tf.Variable(x)
        y = tf.reduce_sum(repeated(v, [1, 2]))
    assert tape.gradient(y, v).numpy().tolist() == ([[1, 1], [2, 2]] if axis == 0 else [[1, 2], [1, 2]])


def test_variance_and_deviation_of_ragged_rows():
    rows = tf.ragged.constant([[5.0, 1.0, 4.0, 1.0], [5.0, 9.0, 2.0]])
    np.testing.assert_allclose(tf.math.reduce_variance(rows, 1), [np.var([5, 1, 4, 1]), np.var([5, 9, 2])], 1e-5)
    np.testing.assert_allclose(tf.math.reduce_std(rows), np.std([5, 1, 4, 1, 5, 9, 2]), 1e-5)
    np.testing.assert_allclose(tf.math.reduce_std(rows, 0), [0, 4, 1, 0], 1e-5)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("sum", "tf.reduce_sum"),
        ("cat", "tf.concat"),
        ("jit", "tf.function"),
        ("no_grad", "tf.stop_gradient"),
        ("placeholder", "tf.function"),
        ("Session", "x.numpy"),
        ("Graph", "tf.function"),
        ("optim", "tf.keras.optimizers"),
        ("int", "tf.int32"),
        ("tree_map", "tf.nest.map_structure"),
        ("hstack", "tf.experimental.numpy.hstack"),
        ("isnan", "tf.math.is_nan"),
        ("log", "tf.math.log"),
        ("relu", "tf.nn.relu"),
        ("grad", "tf.autodiff.grad"),
        ("svd", "tf.linalg.svd"),
    ],
)
def test_names_of_other_libraries_say_what_is_written_here(name, instead):
    assert not hasattr(tf, name)
    with pytest.raises(AttributeError, match=rf"^gradtape has no tf\.{name}: .*{re.escape(instead)}\b"):
        getattr(tf, name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("random.randn", "^gradtape has no tf.random.randn: Use tf.random.normal"),
        ("autodiff.jacobian", "Use tf.autodiff.jacrev"),
        ("autodiff.linearize", "Use lambda v: tf.autodiff.jvp"),
        ("autodiff.jit", r"Use tf.function\(f\)"),
        ("autodiff.stop_gradient", "Use tf.stop_gradient"),
        ("autodiff.custom_vjp", "Use tf.custom_gradient"),
        ("math.relu", "Use tf.nn.relu"),
        ("math.arctanh", "Use tf.experimental.numpy.arctanh"),
        ("nn.Linear", "Use tf.keras.layers.Dense"),
        ("data.DataLoader", r"shuffle\(n\).batch"),
        ("random.PRNGKey", "Generator.from_seed"),
        ("compat.v1.Session", r"x.numpy\(\) is the value"),
        ("compat.v1.train.Saver", "Use tf.train.Checkpoint"),
        ("train.AdamOptimizer", "Use tf.keras.optimizers.Adam"),
        ("train.get_or_create_global_step", "TensorFlow 1: tf.compat.v1.train.get_or_create_global_step"),
        ("estimator", "Use tf.keras.Model"),
        ("concatenate", "Use tf.concat"),
        ("data.experimental.service", "no servers"),
        ("nn.dropot", r"^module 'gradtape.nn' has no attribute 'dropot'. Did you mean tf.nn.dropout\?"),
        ("io.decode_jpg", "Did you mean tf.io.decode_jpeg"),
        ("linalg.sdv", "Did you mean tf.linalg.svd"),
        ("config.set_enginee", "Did you mean tf.config.set_engine"),
        ("config.experimental.list_device", "Did you mean tf.config.experimental.list_logical_devices"),
        ("raw_ops.Ad", "Did you mean tf.raw_ops.Add"),
        ("numpy.sinn", "Did you mean tf.numpy.sin"),
        ("numpy.busday_count", r"NumPy's own works on x.numpy\(\)"),
        ("GradientTap", "Did you mean tf.GradientTape"),
        ("nn.nonsense", "^module 'gradtape.nn' has no attribute 'nonsense'$"),
    ],
)
def test_a_namespace_says_what_to_use_or_what_was_meant(name, words):
    space, _, last = name.rpartition(".")
    module = functools.reduce(getattr, filter(None, space.split(".")), tf)
    assert not hasattr(module, last)
    with pytest.raises(AttributeError, match=words) as caught:
        getattr(module, last)
    assert type(caught.value) is AttributeError
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: tf.one_hot([0.5], 3), "one_hot"),
        (lambda: tf.gather_nd([1.0], [[0.5]]), "gather_nd"),
        (lambda: tf.math.top_k("a"), "top_k"),
        (lambda: tf.sort("a"), "sort"),
        (lambda: tf.nn.leaky_relu("a"), "leaky_relu"),
        (lambda: tf.linalg.svd("a"), "svd"),
    ],
)
def test_a_message_names_the_function_that_was_called(call, name):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=rf"^{name}\b"):
        call()


def test_an_array_as_a_target_says_that_it_has_left_the_tape():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(tf.errors.NotATensorError, match=r"No tape follows the arrays that `.numpy\(\)` gives"):
        tape.gradient(y.numpy(), x)


def test_nobody_looks_for_what_was_meant_before_an_error_is_read(monkeypatch):
    monkeypatch.setattr(absent, "_said_of", lambda *names: pytest.fail("asked"))
    assert not hasattr(tf, "nonsense")
    assert getattr(tf.nn, "nonsense", None) is None


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_an_assignment_to_an_item_says_what_to_write(make):
    x = make([1.0, 2.0])
    instead = "v[key].assign" if make is tf.Variable else "tf.tensor_scatter_nd_update"
    with pytest.raises(TypeError, match=rf"object does not support item assignment.*{re.escape(instead)}"):
        x[0] = 3.0


def test_what_is_written_here_exists():
    for name, text in absent._ELSEWHERE.items():
        space, _, last = name.rpartition(".")
        assert last not in dir(functools.reduce(getattr, filter(None, space.split(".")), tf)), name
        for path in re.findall(r"tf\.((?:\w+\.)*\w+)", text):
            functools.reduce(getattr, path.split("."), tf)


class TestTheTestCase(tf.test.TestCase):
    def test_an_error_is_told_by_a_pattern_or_a_predicate(self):
        with self.assertRaisesWithPredicateMatch(ValueError, "o+ps"):
            raise ValueError("an ooops")
        with self.assertRaisesWithPredicateMatch(KeyError, lambda error: error.args == (1,)):
            raise KeyError(1)
        with pytest.raises(AssertionError), self.assertRaisesWithPredicateMatch(ValueError, "other"):
            raise ValueError("words")
        with self.assertRaisesOpError("gone"):
            raise tf.errors.NotFoundError(None, None, "it is gone")

    def test_assertions_of_absl_are_there(self):
        self.assertLen([1], 1)
        self.assertEmpty([])


@pytest.mark.quick
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: list(tf.data.Dataset.range(3).map(lambda a, b: a)), "map: .*missing.*'b', and one argument is given"),
        (
            lambda: list(tf.data.Dataset.from_tensor_slices((X, X)).filter(lambda a: True)),
            "filter: .* 2 arguments are given. The parts of a tuple are arguments of their own",
        ),
        (lambda: len(tf.data.Dataset.range(3).repeat()), r"len\(dataset.take\(n\)\)"),
        (lambda: len(tf.data.Dataset.range(3).filter(bool)), "Iterate to count"),
        (lambda: tf.constant(X).float(), r"Use tf.cast\(x, tf.float32\)"),
        (lambda: tf.constant(X).at, "Use tf.tensor_scatter_nd_update"),
        (lambda: tf.hub, "a package of its own"),
        (lambda: tf.constant([[1], [2, 3]]), "tf.ragged.constant takes lists of different lengths"),
        (lambda: tf.constant(object()), "Tensors are made of numbers, truth values, text, arrays"),
        (lambda: tf.reduce_sum(X, axis=3), "axis 3 does not exist in .*; axes are -2 to 1"),
        (lambda: tf.Variable([1.0]).assign([1.0, 2.0]), r"made with them: tf.Variable\(value, shape=\[None\]\)"),
    ],
)
def test_mistakes_of_newcomers_are_told_the_repair(call, words):
    with pytest.raises((TypeError, ValueError, AttributeError, tf.errors.OpError), match=words):
        call()


def test_a_type_error_of_a_user_keeps_its_cause():
    def convert(n):
        try:
            return {}[1]
        except KeyError as error:
            raise TypeError("mine") from error

    with pytest.raises(TypeError, match=r"^mine$") as raised:
        list(tf.data.Dataset.range(2).map(convert))
    assert isinstance(raised.value.__cause__, KeyError)
