"""gradtape.numpy's creation, reductions, shapes and products against NumPy's: values, types and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
import gradtape.numpy as tnp

V = np.array([0.5, -1.5, 2.0, 0.25])
M = np.array([[1.0, -2.0, 3.5], [0.5, 4.0, -1.25]])
S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.5], [0.5, -0.5, 2.0]])
C = np.arange(24.0).reshape(2, 3, 4) / 7.0 - 1.0
Z = np.array([1.0 + 2.0j, -0.5j])
N = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, np.nan]])
I32 = np.array([[3, 1, 2], [6, 5, 4]], np.int32)
F32 = M.astype(np.float32)
B = np.array([[True, False, True], [True, True, True]])
inf = np.inf


def case(name: str, *args: Any, **kwargs: Any) -> Any:
    return pytest.param(name, args, kwargs, id=f"{name}-{', '.join(_shown(a) for a in (*args, *kwargs.items()))}")


def _shown(value: Any) -> str:
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, np.ndarray) else str(value).replace("\n", "")[:40]


CREATION = [
    case("array", [1, 2]), case("array", [[1.0]], ndmin=3), case("array", V, dtype=np.float32),
    case("asarray", 3), case("asarray", 2.5), case("asarray", True), case("asarray", 1j),
    case("asanyarray", V), case("ascontiguousarray", 2.0), case("copy", V), case("zeros", (2, 3)),
    case("zeros", 4, np.int32), case("ones", (2,)), case("ones", 2, bool), case("full", (2, 2), 7),
    case("full", (2,), 1.5, np.float32), case("full", (2, 3), np.array([1.0, 2.0, 3.0])),
    case("zeros_like", F32), case("ones_like", I32), case("full_like", I32, 4),
    case("full_like", F32, 4, dtype=np.float64), case("eye", 3), case("eye", 2, 4, 1),
    case("eye", 3, k=-1, dtype=np.int64), case("identity", 2), case("arange", 5), case("arange", 1, 4),
    case("arange", 1.0, 2.0, 0.25), case("arange", 5, 1, -2), case("arange", 3, dtype=np.float32),
    case("linspace", 0, 1, 5), case("linspace", V, 3.0, 4), case("linspace", 1.0, 2.0, 4, endpoint=False),
    case("linspace", V, -V, 3, axis=1), case("linspace", 0, 10, 3, dtype=np.int64),
    case("linspace", 1.0, 2.0, 0), case("linspace", 1.0, 2.0, 1), case("linspace", F32, 1.0, 3),
    case("logspace", 0.0, 2.0, 3), case("logspace", 0, 3, 4, base=2.0), case("geomspace", 1.0, 1000.0, 4),
    case("geomspace", -1.0, -8.0, 4), case("meshgrid", V, M[0]), case("meshgrid", V, M[0], indexing="ij"),
    case("meshgrid", V, M[0], sparse=True), case("diag", V), case("diag", V, 1), case("diag", M),
    case("diag", S, -1), case("diagflat", M), case("diagflat", V, -2), case("diagonal", C),
    case("diagonal", C, 1, 1, 2), case("diagonal", S, -2), case("diag_indices", 3), case("tri", 3),
    case("tri", 2, 4, 1), case("tril", S), case("tril", C, 1), case("triu", S, -1), case("triu", M, 1),
    case("vander", V), case("vander", V, 2, increasing=True), case("vander", np.array([1, 2])),
    case("ix_", np.array([0, 1]), np.array([True, False, True])),
]  # fmt: skip

AXES = [
    (M, {}),
    (M, {"axis": 1}),
    (C, {"axis": (0, 2)}),
    (F32, {"axis": 0, "keepdims": True}),
    (I32, {"axis": -1}),
]
PLAIN = "sum mean prod max min amax amin std var ptp nansum nanprod nanmean nanmax nanmin"
REDUCTIONS = [
    *[case(name, x, **kwargs) for name in PLAIN.split() for x, kwargs in AXES],
    *[case(name, B) for name in ("sum", "mean", "prod", "max", "min", "nansum", "all", "any")],
    *[case(name, N) for name in ("nansum", "nanprod", "nanmean", "nanmax", "nanmin", "sum", "median")],
    case("sum", I32.astype(np.int8)), case("sum", I32.astype(np.uint8)), case("sum", F32, dtype=np.float64),
    case("mean", M.astype(np.float16)), case("nanmean", N, axis=1), case("sum", Z), case("var", Z),
    case("var", M, ddof=1), case("std", M, axis=1, ddof=1), case("all", M, axis=0),
    case("any", np.zeros((2, 2)), axis=1, keepdims=True), case("argmax", M), case("argmax", M, axis=1),
    case("argmin", M, axis=0), case("argmin", I32, axis=1, keepdims=True), case("argmax", B),
    case("cumsum", M), case("cumsum", M, axis=1), case("cumprod", M, axis=0), case("cumsum", I32),
    case("cumprod", I32, axis=1), case("cumsum", B, axis=0), case("median", M), case("median", M, axis=0),
    case("median", V), case("median", C, axis=1, keepdims=True), case("median", I32), case("average", M),
    case("average", M, weights=np.abs(M)), case("average", M, axis=1, weights=np.array([1.0, 2.0, 3.0])),
    case("average", I32, axis=0), case("average", M, axis=1, returned=True), case("count_nonzero", M),
    case("count_nonzero", B, axis=1), case("diff", V), case("diff", M, axis=0), case("diff", C, n=2),
    case("diff", B), case("polyval", V, M), case("trapezoid", V),
    case("trapezoid", M, np.array([0.0, 0.5, 2.0])), case("nonzero", M), case("nonzero", B),
]  # fmt: skip

MANIPULATION = [
    case("reshape", M, (3, 2)), case("reshape", M, -1), case("reshape", M, (3, 2), order="F"),
    case("reshape", C, (4, -1), order="F"), case("ravel", M), case("ravel", M, "F"), case("transpose", C),
    case("transpose", C, (1, 0, 2)), case("transpose", C, (-1, 0, 1)), case("swapaxes", C, 0, 2),
    case("swapaxes", C, -1, 1), case("moveaxis", C, 0, -1), case("moveaxis", C, (0, 1), (-1, 0)),
    case("expand_dims", M, 1), case("expand_dims", M, (0, -1)), case("expand_dims", M, (0, 2)),
    case("squeeze", M[None]), case("squeeze", M[None, :, None], 2),
    case("squeeze", M[None, :, None], (0, 2)), case("broadcast_to", M, (2, 2, 3)),
    case("broadcast_arrays", V, V[:, None]), case("atleast_1d", 2.0), case("atleast_1d", 2.0, V),
    case("atleast_2d", V), case("atleast_2d", M), case("atleast_3d", 1.0), case("atleast_3d", V),
    case("atleast_3d", M), case("atleast_3d", C), case("concatenate", [M, M]),
    case("concatenate", [M, I32], axis=1), case("concatenate", [M, V], axis=None), case("stack", [V, V]),
    case("stack", [V, V.astype(np.float32)], axis=1), case("vstack", [V, V]), case("vstack", [M, M]),
    case("hstack", [V, V]), case("hstack", [M, M]), case("dstack", [M, M]), case("dstack", [V, V]),
    case("column_stack", [V, V]), case("append", V, M), case("append", M, M, axis=0),
    case("array_split", V, 3), case("array_split", M, 2, axis=1), case("split", V, 2),
    case("split", V, [1, 3]), case("split", V, [1, 6]), case("split", V, [3, 1]), case("vsplit", C, 2),
    case("hsplit", C, 3), case("hsplit", V, 2), case("dsplit", C, 2), case("tile", V, 2),
    case("tile", M, (2, 1, 2)), case("tile", C, 2), case("repeat", M, 2),
    case("repeat", M, [1, 2, 0], axis=1), case("repeat", M, 2, axis=0), case("roll", M, 1),
    case("roll", M, 1, axis=1), case("roll", M, (1, -1), axis=(0, 1)), case("flip", C), case("flip", C, 1),
    case("flip", C, (0, -1)), case("flipud", M), case("fliplr", M), case("rot90", M), case("rot90", M, 2),
    case("rot90", M, 3), case("rot90", C, -1, (1, 2)), case("rot90", M, 4), case("pad", M, 1),
    case("pad", M, [(0, 1), (2, 0)]), case("pad", V, (1, 2), "reflect"), case("pad", V, 1, "symmetric"),
    case("pad", V, 1, constant_values=5.0), case("take", M, [0, 5, -1]),
    case("take", M, [[1, 0], [2, 2]], axis=1), case("take", V, 2), case("take", V, [5, -6], mode="clip"),
    case("take", V, [5, -6], mode="wrap"), case("take_along_axis", M, np.argsort(M, axis=1), axis=1),
    case("take_along_axis", M, np.array([[1], [-1]]), axis=1),
    case("take_along_axis", M, np.array([3, 1]), axis=None), case("where", B, M, -M),
    case("where", B, F32, 2.0), case("where", B, M, I32), case("where", B), case("where", M, M, 0),
    case("select", [M > 1, M > 0], [M, -M], 9.0), case("compress", [True, False, True], M, axis=1),
    case("compress", [False, True], M), case("sort", M), case("sort", M, axis=0),
    case("sort", M, axis=None), case("argsort", M), case("argsort", M, axis=None), case("argsort", B),
    case("sort", B),
]  # fmt: skip

PRODUCTS = [
    case("matmul", M, S), case("matmul", V, V), case("matmul", M, V[:3]), case("matmul", F32, S),
    case("matmul", C, C.transpose(0, 2, 1)), case("matmul", I32, S), case("dot", V, V), case("dot", M, S),
    case("dot", C, V), case("dot", 2.0, V), case("dot", C, C.transpose(0, 2, 1)), case("vdot", M, M),
    case("vdot", Z, Z * 1j), case("inner", V, V), case("inner", M, S), case("inner", 2.0, V),
    case("outer", V, M), case("outer", I32, V), case("tensordot", C, C, 3),
    case("tensordot", C, C, [[0, 2], [0, 2]]), case("tensordot", M, S, 1),
    case("einsum", "ij,jk->ik", M, S), case("einsum", "ij->j", F32), case("einsum", "ij,ij->", M, I32),
    case("kron", V, M), case("kron", M, S), case("kron", C, M), case("cross", V[:3], S[0]),
    case("cross", S, V[:3]), case("cross", S, S.T.copy(), axis=0), case("trace", S),
    case("trace", C, 1, 1, 2), case("trace", I32),
]  # fmt: skip

ALL = [*CREATION, *REDUCTIONS, *MANIPULATION, *PRODUCTS]


def tensors(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return tf.constant(value)
    return (
        [tensors(v) for v in value]
        if isinstance(value, list) and any(isinstance(v, np.ndarray) for v in value)
        else value
    )


def flat(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def compare(ours: Any, theirs: Any, args: Any) -> None:
    assert len(flat(ours)) == len(flat(theirs))
    narrow = any(np.asarray(a).dtype in (np.float16, np.float32) for a in args if isinstance(a, np.ndarray))
    for a, b in zip(flat(ours), flat(theirs), strict=True):
        assert isinstance(a, tf.Tensor)
        assert a.dtype.numpy == np.asarray(b).dtype, (a.dtype, np.asarray(b).dtype)
        assert tuple(a.shape) == np.shape(b)
        tolerance = 2e-3 if any(np.asarray(x).dtype == np.float16 for x in args) else 1e-5 if narrow else 1e-12
        np.testing.assert_allclose(a.numpy(), b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("name", "args", "kwargs"), ALL)
@pytest.mark.parametrize("form", ["tensors", "arrays"])
def test_value_and_type(name, args, kwargs, form):
    expected = getattr(np, name)(*args, **kwargs)
    given = [tensors(a) for a in args] if form == "tensors" else args
    weights = {k: tensors(v) for k, v in kwargs.items()} if form == "tensors" else kwargs
    compare(getattr(tnp, name)(*given, **weights), expected, [a for a in args if isinstance(a, np.ndarray)])


SMOOTH = {
    "argmax",
    "argmin",
    "argsort",
    "all",
    "any",
    "count_nonzero",
    "nonzero",
    "zeros_like",
    "ones_like",
    "full_like",
    "diag_indices",
    "ix_",
}
FLOAT_OPERAND = [
    p for p in ALL
    if p.values[0] not in SMOOTH
    and any(isinstance(a, np.ndarray) and a.dtype == np.float64 for a in p.values[1])
    and not any(np.isnan(a).any() for a in p.values[1] if isinstance(a, np.ndarray))
    and not (p.values[0] == "where" and len(p.values[1]) == 1)
    and p.values[2].get("dtype") != np.float32
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "kwargs"), FLOAT_OPERAND)
def test_gradient(name, args, kwargs):
    places = [p for p, a in enumerate(args) if isinstance(a, np.ndarray) and a.dtype == np.float64]

    def scalar(*sources):
        given = list(args)
        for place, source in zip(places, sources, strict=True):
            given[place] = source
        if name == "linspace" and kwargs.get("dtype"):
            return tf.constant(0.0, tf.float64)
        total = tf.constant(0.0, tf.float64)
        for number, part in enumerate(flat(getattr(tnp, name)(*given, **kwargs))):
            weight = np.cos(np.arange(part.shape.num_elements()) + number).reshape(tuple(part.shape))
            total += tf.cast(tf.reduce_sum(part * weight.astype(part.dtype.numpy)), tf.float64)
        return total

    theoretical, numerical = tf.test.compute_gradient(scalar, [args[p] for p in places], delta=1e-6)
    for a, b in zip(theoretical, numerical, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("ord", [None, 1, -1, 2, -2, inf, -inf, 3, 0, "fro", "nuc"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_norm(axis, ord, keepdims):
    vector = isinstance(axis, int)
    if (vector and isinstance(ord, str)) or (not vector and ord in (3, 0)):
        with pytest.raises(ValueError, match="order"):
            tnp.linalg.norm(S, ord, axis, keepdims)
        return
    found = tnp.linalg.norm(tf.constant(S), ord, axis, keepdims)
    np.testing.assert_allclose(found.numpy(), np.linalg.norm(S, ord, axis, keepdims), rtol=1e-10)
    assert tuple(found.shape) == np.shape(np.linalg.norm(S, ord, axis, keepdims))
    if ord != 0:
        theoretical, numerical = tf.test.compute_gradient(
            lambda x: tnp.linalg.norm(x, ord, axis, keepdims), [S], delta=1e-6
        )
        np.testing.assert_allclose(theoretical, numerical, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("det", (S,)),
        ("slogdet", (S,)),
        ("inv", (S,)),
        ("pinv", (M,)),
        ("solve", (S, V[:3])),
        ("solve", (S, S)),
        ("cholesky", (S,)),
        ("eigvalsh", (S,)),
        ("matrix_power", (S, 3)),
        ("matrix_power", (S, -1)),
        ("matrix_power", (S, 0)),
        ("matmul", (M, S)),
        ("outer", (V, V)),
        ("norm", (C,)),
        ("det", (np.array([[2, 1], [1, 3]]),)),
    ],
)
def test_linalg(name, args):
    expected = getattr(np.linalg, name)(*args)
    compare_close = zip(flat(getattr(tnp.linalg, name)(*[tensors(a) for a in args])), flat(expected), strict=True)
    for a, b in compare_close:
        assert a.dtype.numpy == np.asarray(b).dtype
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-9, atol=1e-12)


def test_linalg_decompositions_give_the_matrix_back():
    q, r = tnp.linalg.qr(M)
    np.testing.assert_allclose((q @ r).numpy(), M, atol=1e-12)
    values, vectors = tnp.linalg.eigh(S)
    np.testing.assert_allclose((vectors * values @ tf.transpose(vectors)).numpy(), S, atol=1e-12)
    u, s, vh = tnp.linalg.svd(M, full_matrices=False)
    np.testing.assert_allclose((u * s @ vh).numpy(), M, atol=1e-12)
    np.testing.assert_allclose(tnp.linalg.svd(M, compute_uv=False).numpy(), s.numpy())


def test_lists_of_tensors_are_followed():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tnp.sum(tnp.array([[x, 1], [x * x, 2.5]]))
    assert y.dtype == tf.float32
    assert tape.gradient(y, x).numpy() == 5.0


def test_full_follows_its_value():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tnp.full((2, 3), x)
    assert tape.gradient(y, x).numpy() == 6.0


def test_what_a_tensor_is_like():
    assert tnp.shape(tf.ones([2, 3])) == (2, 3)
    assert tnp.ndim([[1, 2]]) == 2
    assert tnp.size(tf.ones([2, 3])) == 6
    assert tnp.size(np.ones((2, 3)), 1) == 3
    assert isinstance(tf.ones([2]), tnp.ndarray)
    assert tnp.newaxis is None
    assert tnp.float32 is np.float32
    assert tnp.pi == np.pi


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (TypeError, lambda: tnp.sin("text")),
        (TypeError, lambda: tnp.asarray(None)),
        (TypeError, lambda: tnp.subtract(True, True)),
        (TypeError, lambda: tnp.add(1)),
        (TypeError, lambda: tnp.bitwise_and(1.0, 2.0)),
        (ValueError, lambda: tnp.zeros((-1,))),
        (ValueError, lambda: tnp.arange(0, 1, 0)),
        (ValueError, lambda: tnp.linspace(0, 1, -1)),
        (ValueError, lambda: tnp.diag(C)),
        (ValueError, lambda: tnp.diagonal(V)),
        (ValueError, lambda: tnp.tril(V)),
        (ValueError, lambda: tnp.vander(M)),
        (ValueError, lambda: tnp.moveaxis(C, (0, 0), (1, 2))),
        (ValueError, lambda: tnp.expand_dims(M, (0, 0))),
        (ValueError, lambda: tnp.split(V, 3)),
        (ValueError, lambda: tnp.array_split(V, 0)),
        (ValueError, lambda: tnp.vsplit(V, 2)),
        (ValueError, lambda: tnp.rot90(M, 1, (0, 0))),
        (ValueError, lambda: tnp.pad(V, 1, "wrap")),
        (ValueError, lambda: tnp.take(V, [0], mode="x")),
        (TypeError, lambda: tnp.take(V, [0.5])),
        (tf.errors.InvalidArgumentError, lambda: tnp.take(V, [4])),
        (ValueError, lambda: tnp.take_along_axis(M, np.array([0]), 1)),
        (ValueError, lambda: tnp.where(B, M)),
        (ValueError, lambda: tnp.select([B], [M, M])),
        (ValueError, lambda: tnp.cross(V, V)),
        (ValueError, lambda: tnp.linalg.norm(C, 1)),
        (ValueError, lambda: tnp.diff(V, -1)),
        (TypeError, lambda: tnp.average(M, weights=V[:3])),
        (ValueError, lambda: tnp.median(np.zeros(0))),
        (ValueError, lambda: tnp.linalg.matrix_power(M, 2)),
        (TypeError, lambda: tnp.var(M, out=M)),
        (AttributeError, lambda: tnp.nothing_of_the_kind),
    ],
)
def test_what_cannot_be_raises(error, call):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("make", [tf.experimental.numpy.array, tf.experimental.numpy.asarray])
def test_text_becomes_a_tensor_of_text(make):
    assert make("\0abc\u00e9").numpy() == "\0abc\u00e9".encode()
    assert make([b"a", b"bc"], dtype="S8").dtype is tf.string
    assert tf.experimental.numpy.zeros_like(make(["a"])).numpy().tolist() == [b""]
