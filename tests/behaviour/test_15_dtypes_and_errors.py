"""dtype rules, error classes, and how values print."""

import pytest

from .observed import (
    Contains,
    Fact,
    T,
    TensorShape,
    anything,
    better,
    bool_,
    float32,
    float64,
    int32,
    int64,
    nan,
    raises,
    row,
    tf,
)

SECTION = "15 dtype rules and error classes"
FACTS = [
    raises(
        "float32 + float64 tensor",
        "tf.constant(1.0) + tf.constant(1.0, tf.float64)",
        tf.errors.InvalidArgumentError,
    ),
    raises("float32 * int32 tensor", "tf.constant(1.0) * tf.constant(1)", tf.errors.InvalidArgumentError),
    row("float tensor + python int", "R = tf.constant(1.0) + 1", T(float32, (), 2.0)),
    raises("int tensor + python float", "tf.constant(1) + 1.5", tf.errors.InvalidArgumentError),
    row("float32 tensor + numpy float64 scalar", "R = tf.constant(1.0) + np.float64(2.0)", T(float32, (), 3.0)),
    row(
        "float32 tensor + numpy float64 array",
        "R = tf.constant([1.0]) + np.array([2.0])",
        T(float32, (1,), [3.0]),
    ),
    row(
        "numpy float64 array + float32 tensor",
        "R = np.array([2.0]) + tf.constant([1.0])",
        T(float32, (1,), [3.0]),
    ),
    row("float32 tensor + numpy int array", "R = tf.constant([1.0]) + np.array([2])", T(float32, (1,), [3.0])),
    row(
        "default dtypes",
        """
        R = [
            tf.constant(1).dtype.name,
            tf.constant(1.0).dtype.name,
            tf.constant(np.array(1.0)).dtype.name,
            tf.constant(1j).dtype.name,
            tf.constant(True).dtype.name,
            tf.constant(2**40).dtype.name,
        ]
        """,
        ["int32", "float32", "float64", "complex128", "bool", "int64"],
    ),
    row("tf.constant(2**31)", "R = tf.constant(2**31)", T(int64, (), 2147483648)),
    row(
        "int / int true divide",
        """
        R = [
            tf.constant(3) / tf.constant(2),
            tf.constant(3) // tf.constant(2),
            tf.constant(-3) // tf.constant(2),
            tf.constant(-3) % tf.constant(2),
        ]
        """,
        [T(float64, (), 1.5), T(int32, (), 1), T(int32, (), -2), T(int32, (), 1)],
    ),
    raises("int ** negative", "R = tf.constant(2) ** -1", tf.errors.InvalidArgumentError),
    raises("matmul shape mismatch", "tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))", tf.errors.InvalidArgumentError),
    raises("add shape mismatch", "tf.ones([2]) + tf.ones([3])", tf.errors.InvalidArgumentError),
    raises("reshape mismatch", "tf.reshape(tf.ones([4]), [3])", tf.errors.InvalidArgumentError),
    raises("reduce_sum bad axis", "tf.reduce_sum(tf.ones([2]), axis=3)", tf.errors.InvalidArgumentError),
    raises("concat mismatch", "tf.concat([tf.ones([2, 2]), tf.ones([2, 3])], 0)", tf.errors.InvalidArgumentError),
    raises("index out of range", "tf.ones([2])[5]", tf.errors.InvalidArgumentError),
    raises(
        "item assignment on tensor",
        """
        x = tf.ones([2])
        x[0] = 1.0
        """,
        TypeError,
    ),
    raises("bool of multi-element", "bool(tf.constant([1, 2]))", ValueError),
    row(
        "float()/int()/len()/iter",
        """
        R = [
            float(tf.constant(2.0)),
            int(tf.constant(2)),
            len(tf.ones([3, 2])),
            [float(q) for q in tf.constant([1.0, 2.0])],
        ]
        """,
        [2.0, 2, 3, [1.0, 2.0]],
    ),
    raises("len of scalar", "len(tf.constant(1.0))", TypeError),
    raises("iterate scalar", "list(tf.constant(1.0))", TypeError),
    row(
        "tensor == tensor",
        """
        R = [
            tf.constant([1, 2]) == tf.constant([1, 3]),
            tf.constant([1, 2]) == tf.constant([1, 2, 3]),
            tf.constant(1) != None,
        ]
        """,
        [T(bool_, (2,), [True, False]), T(bool_, (), False), True],
    ),
    raises("sqrt of int", "tf.sqrt(tf.constant(4))", tf.errors.InvalidArgumentError),
    row("reduce_mean of int", "R = tf.reduce_mean(tf.constant([1, 2]))", T(int32, (), 1)),
    row(
        "cast complex to float",
        "R = tf.cast(tf.constant(1 + 2j), tf.float32)",
        T(float32, (), 1.0),
        logs="You are casting an input of type complex128 to an incompatible dtype float32",
    ),
    row(
        "cast float->int truncation, nan",
        "R = [tf.cast(tf.constant([1.9, -1.9]), tf.int32), tf.cast(tf.constant([0.0, 0.5, 2.0]), tf.bool)]",
        [T(int32, (2,), [1, -1]), T(bool_, (3,), [False, True, True])],
    ),
    raises(
        "convert_to_tensor dtype mismatch",
        "tf.convert_to_tensor(tf.constant(1.0), dtype=tf.float64)",
        ValueError,
    ),
    raises("constant from ragged list", "tf.constant([[1, 2], [3]])", ValueError),
    raises("constant mixing str and float", 'tf.constant([1.0, "a"])', ValueError),
    raises(
        "where condition non-bool",
        "tf.where(tf.constant([1.0, 0.0]), 1.0, 2.0)",
        tf.errors.InvalidArgumentError,
    ),
    raises(
        "conv2d with wrong channels",
        'tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 2, 1]), 1, "SAME")',
        tf.errors.InvalidArgumentError,
    ),
    row(
        "one_hot depth negative",
        "R = tf.one_hot([0, 5, -1], 3)",
        T(float32, (3, 3), [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
    ),
    raises(
        "softmax_xent shape mismatch",
        "tf.nn.softmax_cross_entropy_with_logits(labels=tf.ones([2, 3]), logits=tf.ones([2, 4]))",
        tf.errors.InvalidArgumentError,
    ),
    raises(
        "sparse_softmax label out of range (CPU)",
        "R = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[5], logits=tf.ones([1, 3]))",
        tf.errors.InvalidArgumentError,
    ),
    raises(
        "debugging.assert_equal failure",
        'tf.debugging.assert_equal(1, 2, message="hey")',
        tf.errors.InvalidArgumentError,
    ),
    raises(
        "check_numerics",
        'tf.debugging.check_numerics(tf.constant(np.nan), "msg")',
        tf.errors.InvalidArgumentError,
    ),
    raises(
        "linalg.inv singular",
        "tf.linalg.inv(tf.zeros([2, 2]))",
        tf.errors.InvalidArgumentError,
    ),
    better(
        "cholesky not PD",
        "R = tf.linalg.cholesky(-tf.eye(2))",
        tensorflow=anything,  # [[nan, 0.0], [nan, nan]] or, where the 0.0 is, whatever the memory held before
        gradtape=T(float32, (2, 2), [[nan, 0.0], [nan, nan]]),
    ),
    row(
        "errors classes bases",
        """
        R = [
            [b.__name__ for b in tf.errors.InvalidArgumentError.__mro__],
            tf.errors.InvalidArgumentError.__module__,
        ]
        """,
        [Contains("InvalidArgumentError", "OpError", "Exception", "BaseException", "object"), anything],
    ),
    row(
        "tensor attributes",
        """
        x = tf.ones([2, 3])
        R = [
            x.shape,
            x.dtype,
            x.ndim,
            x.device,
            x.shape.rank,
            x.shape.as_list(),
            x.get_shape() == x.shape,
            x.numpy().shape,
        ]
        """,
        [
            TensorShape([2, 3]),
            float32,
            2,
            "/job:localhost/replica:0/task:0/device:CPU:0",
            2,
            [2, 3],
            True,
            (2, 3),
        ],
    ),
    row(
        "repr of tensor and variable",
        """
        R = [
            repr(tf.constant([1.0, 2.0])),
            str(tf.constant([1.0, 2.0])),
            repr(tf.Variable([1.0, 2.0], name="v")),
        ]
        """,
        [
            "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
            "tf.Tensor([1. 2.], shape=(2,), dtype=float32)",
            "<tf.Variable 'v:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>",
        ],
    ),
    row(
        "repr of scalar, int, string",
        """
        R = [
            repr(tf.constant(1.0)),
            repr(tf.constant(1)),
            repr(tf.constant("a")),
            repr(tf.float32),
            repr(tf.TensorShape([None, 2])),
        ]
        """,
        [
            "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>",
            "<tf.Tensor: shape=(), dtype=int32, numpy=1>",
            "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>",
            "tf.float32",
            "TensorShape([None, 2])",
        ],
    ),
    row(
        "type names",
        """
        R = [
            type(tf.constant(1.0)).__name__,
            isinstance(tf.constant(1.0), tf.Tensor),
            isinstance(tf.Variable(1.0), tf.Tensor),
            tf.is_tensor(tf.Variable(1.0)),
            type(tf.Variable(1.0)).__name__,
        ]
        """,
        ["EagerTensor", True, False, True, "ResourceVariable"],
    ),
]


@pytest.mark.parametrize("fact", FACTS)
def test_dtypes_and_errors(fact: Fact) -> None:
    fact.check()
