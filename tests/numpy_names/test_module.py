"""The module itself: its names, where it is found, random numbers, and NumPy's behaviour on tensors."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import gradtape as tf
import gradtape.numpy as tnp

# The names of tf.experimental.numpy in TensorFlow 2.21.
_LISTED = """
abs absolute add all allclose amax amin angle any append arange arccos arccosh arcsin arcsinh arctan
arctan2 arctanh argmax argmin argsort around array array_equal asanyarray asarray ascontiguousarray
atleast_1d atleast_2d atleast_3d average bitwise_and bitwise_not bitwise_or bitwise_xor bool_
broadcast_arrays broadcast_to cbrt ceil clip complex128 complex64 complex_ compress concatenate conj
conjugate copy cos cosh count_nonzero cross cumprod cumsum deg2rad diag diag_indices diagflat
diagonal diff divide divmod dot dsplit dstack e einsum empty empty_like equal exp exp2 expand_dims
experimental_enable_numpy_behavior expm1 eye fabs finfo fix flatten flip fliplr flipud float16
float32 float64 float_ float_power floor floor_divide full full_like gcd geomspace greater
greater_equal heaviside hsplit hstack hypot identity iinfo imag inexact inf inner int16 int32 int64
int8 int_ isclose iscomplex iscomplexobj isfinite isinf isnan isneginf isposinf isreal isrealobj
isscalar issubdtype ix_ kron lcm less less_equal linspace log log10 log1p log2 logaddexp logaddexp2
logical_and logical_not logical_or logical_xor logspace matmul max maximum mean meshgrid min minimum
mod moveaxis multiply nanmean nanprod nansum ndarray ndim negative newaxis nextafter nonzero
not_equal object_ ones ones_like outer pad pi polyval positive power prod promote_types ptp rad2deg
random ravel real reciprocal remainder repeat reshape result_type roll rot90 round select shape sign
signbit sin sinc sinh size sort split sqrt square squeeze stack std string_ subtract sum swapaxes
take take_along_axis tan tanh tensordot tile trace transpose tri tril triu true_divide uint16 uint32
uint64 uint8 unicode_ vander var vdot vsplit vstack where zeros zeros_like
"""
NAMES = _LISTED.split()


@pytest.mark.parametrize("name", NAMES)
def test_has_the_names_of_tensorflow(name):
    assert hasattr(tnp, name)
    assert name in tnp.__all__


def test_is_tf_experimental_numpy():
    assert tf.experimental.numpy is tnp
    assert tf.numpy is tnp


def test_functions_say_what_they_do():
    for name in tnp.__all__:
        value = getattr(tnp, name)
        if callable(value) and not isinstance(value, type):
            assert value.__doc__, name


def test_is_imported_on_first_use():
    late = "('gradtape.numpy', 'gradtape.sparse', 'gradtape.strings')"
    code = f"import sys, gradtape; print([m for m in sys.modules if m in {late}])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_dlpack_there_and_back():
    x = tf.constant([1.0, 2.0])
    assert tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(x)).numpy().tolist() == [
        1.0,
        2.0,
    ]
    assert tf.experimental.dlpack.from_dlpack(np.array([1, 2])).numpy().tolist() == [1, 2]


def test_random_shapes_types_and_ranges():
    r = tnp.random
    r.seed(3)
    assert r.randn(2, 3).shape == (2, 3)
    assert r.randn().dtype == tf.float64
    assert r.standard_normal((2,)).shape == (2,)
    assert r.rand(5).shape == (5,)
    assert r.random(4).shape == (4,)
    drawn = r.uniform(2.0, 3.0, (100,)).numpy()
    assert ((drawn >= 2.0) & (drawn < 3.0)).all()
    assert r.uniform(np.zeros(3), np.ones(3)).shape == (3,)
    integers = r.randint(2, 5, (200,))
    assert set(integers.numpy().tolist()) == {2, 3, 4}
    assert integers.dtype == tf.int64
    assert r.randint(3, size=2, dtype=np.int32).dtype == tf.int32
    assert abs(r.normal(5.0, 2.0, 4000).numpy().mean() - 5.0) < 0.2
    counts = r.poisson(3.0, 2000)
    assert counts.dtype == tf.int64
    assert abs(counts.numpy().mean() - 3.0) < 0.3
    with pytest.raises(ValueError, match="low >= high"):
        r.randint(3, 3)


def test_random_repeats_after_a_seed_and_is_followed():
    tnp.random.seed(7)
    first = tnp.random.randn(3).numpy()
    tnp.random.seed(7)
    np.testing.assert_array_equal(tnp.random.randn(3).numpy(), first)
    scale = tf.constant(2.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(scale)
        y = tnp.random.normal(0.0, scale, 5)
    np.testing.assert_allclose(tape.gradient(y, scale).numpy(), y.numpy().sum() / 2.0)


def run(code: str) -> str:
    """What the code prints, in a process of its own: the behaviour cannot be switched back."""
    script = "import numpy as np\nimport gradtape as tf\n" + textwrap.dedent(code)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


def test_numpy_behaviour_promotes_operators_and_adds_methods():
    out = run("""
        x, n, d = tf.constant([1.0, 2.0]), tf.constant([1, 2]), tf.constant([1.0, 2.0], tf.float64)
        try:
            x + d
        except tf.errors.InvalidArgumentError:
            print("refused")
        tf.experimental.numpy.experimental_enable_numpy_behavior()
        v = tf.Variable([3.0, 4.0])
        with tf.GradientTape() as tape:
            y = (v * d + n).sum()
        print(*[r.dtype.name for r in (x + d, n + x, 2 - x, y)], (x < d).numpy().tolist())
        print(tape.gradient(y, v).numpy().tolist())
        m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        print(m.T.shape, m.reshape(3, 2).shape, m.reshape([-1]).shape, m.ravel().shape)
        print(m.astype(np.int32).dtype.name, m.size, m.mean(axis=0).tolist(), m.max().numpy())
        print(m.transpose(1, 0).shape, m.clip(2, 3).tolist(), x.tolist())
        print((m @ np.ones(3)).dtype.name, (n // 2).numpy().tolist(), (True + n).numpy().tolist())
    """)
    assert out.splitlines() == [
        "refused",
        "float64 float64 float32 float64 [False, False]",
        "[1.0, 2.0]",
        "(3, 2) (3, 2) (6,) (6,)",
        "int32 6 [2.5, 3.5, 4.5] 6.0",
        "(3, 2) [[2.0, 2.0, 3.0], [3.0, 3.0, 3.0]] [1.0, 2.0]",
        "float64 [0, 1] [2, 3]",
    ]


def test_numpy_behaviour_reads_keys_as_numpy_does():
    out = run("""
        tf.experimental.numpy.experimental_enable_numpy_behavior()
        a = np.arange(6.0).reshape(2, 3)
        x = tf.constant(a)
        lists = [[1, 0], ([0, 1], [2, 0]), [True, False], (slice(None), [2, 2])]
        for key in [*lists, True, (0, 1), slice(1, None), (..., None), np.array(1, np.int8)]:
            for read in (lambda x: x[key], tf.function(lambda x: x[key])):
                np.testing.assert_array_equal(read(x).numpy(), a[key])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x[[1, 1]] * x[[1, 0]]
        print(tape.gradient(y, x).numpy().tolist())
        print(tf.vectorized_map(lambda row: row[1:], x).numpy().tolist())
        print(tf.Variable(a)[[0, 1]].numpy())
    """)
    assert out.splitlines() == ["[[3.0, 4.0, 5.0], [6.0, 9.0, 12.0]]", "[[1.0, 2.0], [4.0, 5.0]]", "1.0"]


def test_other_modes_of_conversion_are_a_named_error():
    with pytest.raises(tf.errors.UnimplementedError, match="prefer_float32"):
        tnp.experimental_enable_numpy_behavior(prefer_float32=True)
    with pytest.raises(tf.errors.UnimplementedError, match="safe"):
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="safe")


def test_arguments_have_the_names_of_tensorflow():
    x = tnp.array(val=[[1.0, 2.0], [3.0, 4.0]])
    assert tnp.add(x1=x, x2=x).numpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert tnp.exp(x=0.0).numpy() == 1.0
    assert tnp.mean(x, 0, None, None, True).shape == (1, 2)
    assert tnp.amax(x, 1, None, True).numpy().tolist() == [[2.0], [4.0]]
    assert tnp.full_like(x, 7, shape=[3]).numpy().tolist() == [7.0, 7.0, 7.0]
    assert (tnp.size(x=x), tnp.isscalar(num=1), tnp.tile(a=[1], reps=2).shape) == (4, True, (2,))
    with pytest.raises(TypeError, match="cannot be `out`"):
        tnp.amin(x, 0, x)
    with pytest.raises(TypeError):
        tnp.add(x)
