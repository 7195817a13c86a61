"""Linear operators do what their dense matrices do, and have TensorFlow's classes, hints and errors."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import gradtape as tf

la = tf.linalg
TYPES = ("float32", "float64", "complex64", "complex128")
CLOSE = {"float32": 2e-4, "complex64": 2e-4, "float64": 1e-9, "complex128": 1e-9}


def draw(seed, *shape, dtype="float64"):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=shape)
    return (values + 1j * rng.normal(size=shape) if dtype.startswith("complex") else values).astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def full(matrix, **hints):
    return la.LinearOperatorFullMatrix(matrix, **hints)


def diagonal(vector):
    return vector[..., None] * np.eye(vector.shape[-1], dtype=vector.dtype)


def block_matrix(rows):
    """Dense blocks put together; None for zeros."""
    heights = [next(block for block in row if block is not None).shape[-2] for row in rows]
    widths = [next(row[k] for row in rows if row[k] is not None).shape[-1] for k in range(len(rows[0]))]
    some = next(block for row in rows for block in row if block is not None)
    filled = [
        [
            np.zeros((*some.shape[:-2], h, w), some.dtype) if block is None else block
            for block, w in zip(row, widths, strict=True)
        ]
        for row, h in zip(rows, heights, strict=True)
    ]
    return np.concatenate([np.concatenate(row, -1) for row in filled], -2)


def kronecker(a, b):
    product = a[..., :, None, :, None] * b[..., None, :, None, :]
    return product.reshape(*a.shape[:-2], a.shape[-2] * b.shape[-2], a.shape[-1] * b.shape[-1])


def circulant(spectrum, depth, dtype):
    """The matrix whose columns are the shifted kernel."""
    sizes = spectrum.shape[-depth:]
    axes = tuple(range(-depth, 0))
    unit = np.eye(int(np.prod(sizes))).reshape(-1, *sizes)
    columns = np.fft.ifftn(np.fft.fftn(unit, axes=axes) * spectrum[(..., None, *[slice(None)] * depth)], axes=axes)
    matrix = np.swapaxes(columns.reshape(*spectrum.shape[:-depth], -1, unit.shape[0]), -1, -2)
    return matrix.astype(dtype)


@functools.cache
def cases(dtype, batch):
    """Each operator with its dense matrix."""
    n, eye = 3, np.eye(3, dtype=dtype)
    d, m, q = (
        draw(1, *batch, n, dtype=dtype) + 3,
        draw(2, *batch, n, n, dtype=dtype) + 3 * eye,
        draw(3, *batch, 2, 2, dtype=dtype),
    )
    q = q + 3 * np.eye(2, dtype=dtype)
    p = (m @ adjoint(m)).astype(dtype)
    positive = {"is_self_adjoint": True, "is_positive_definite": True}
    s, v = draw(4, *batch, dtype=dtype) + 2, draw(5, *batch, n, dtype=dtype)
    s = np.asarray(s, dtype)
    u, w, e = (
        draw(6, *batch, n, 2, dtype=dtype),
        draw(7, *batch, n, 2, dtype=dtype),
        draw(8, *batch, 2, dtype=dtype) + 2,
    )
    r, tri = draw(9, *batch, 2, n, dtype=dtype), draw(10, *batch, 3, n, dtype=dtype) + np.array([[0], [5], [0]], dtype)
    perm = np.broadcast_to([2, 0, 1], (*batch, n)).copy()
    complex_type = "complex128" if dtype in ("float64", "complex128") else "complex64"
    three = np.zeros((*batch, n, n), dtype)
    for k in range(n):
        three[..., k, k] = tri[..., 1, k]
        if k + 1 < n:
            three[..., k, k + 1], three[..., k + 1, k] = tri[..., 0, k], tri[..., 2, k + 1]
    places = np.subtract.outer(np.arange(n), np.arange(n))
    toeplitz = np.where(places >= 0, d[..., np.maximum(places, 0)], v[..., np.maximum(-places, 0)])
    unit = v / np.linalg.norm(v, axis=-1, keepdims=True)
    triangle = la.LinearOperatorLowerTriangular(m, is_non_singular=True)
    found = {
        "diag": (la.LinearOperatorDiag(d), diagonal(d)),
        "full": (full(m), m),
        "positive": (full(p, **positive), p),
        "wide": (full(r), r),
        "lower": (la.LinearOperatorLowerTriangular(m), np.tril(m)),
        "identity": (la.LinearOperatorIdentity(n, batch_shape=batch or None, dtype=dtype), eye + three * 0),
        "scaled": (la.LinearOperatorScaledIdentity(n, s), s[..., None, None] * eye),
        "zeros": (la.LinearOperatorZeros(n, batch_shape=batch or None, dtype=dtype), three * 0),
        "householder": (la.LinearOperatorHouseholder(v), eye - 2 * unit[..., :, None] * np.conj(unit[..., None, :])),
        "permutation": (la.LinearOperatorPermutation(perm, dtype=dtype), np.eye(n, dtype=dtype)[perm]),
        "toeplitz": (la.LinearOperatorToeplitz(d, v), toeplitz),
        "tridiagonal": (la.LinearOperatorTridiag(tri), three),
        "three diagonals": (la.LinearOperatorTridiag([tri[..., k, :] for k in range(3)], "sequence"), three),
        "tridiagonal matrix": (la.LinearOperatorTridiag(three, "matrix"), three),
        "update": (la.LinearOperatorLowRankUpdate(full(m), u, e, w), m + u * e[..., None, :] @ adjoint(w)),
        "symmetric update": (la.LinearOperatorLowRankUpdate(full(p, **positive), u), p + u @ adjoint(u)),
        "composition": (
            la.LinearOperatorComposition([la.LinearOperatorDiag(d), full(m), triangle]),
            diagonal(d) @ m @ np.tril(m),
        ),
        "product with adjoint": (
            la.LinearOperatorComposition([triangle, triangle.H]),
            np.tril(m) @ adjoint(np.tril(m)),
        ),
        "kronecker": (la.LinearOperatorKronecker([full(m), full(q)]), kronecker(m, q)),
        "kronecker of positive": (la.LinearOperatorKronecker([full(p, **positive)] * 2), kronecker(p, p)),
        "blocks": (la.LinearOperatorBlockDiag([full(m), full(q)]), block_matrix([[m, None], [None, q]])),
        "triangle of blocks": (
            la.LinearOperatorBlockLowerTriangular([[full(m)], [full(r), full(q)], [full(m), full(u), full(p)]]),
            block_matrix([[m, None, None], [r, q, None], [m, u, p]]),
        ),
        "adjoint": (full(m).H, adjoint(m)),
        "inverse": (full(m).inverse(), np.linalg.inv(m)),
    }
    for depth, spectrum, name in ((1, (n,), ""), (2, (2, 3), "2D"), (3, (2, 2, 2), "3D")):
        values = draw(20 + depth, *batch, *spectrum, dtype=dtype) + 4
        cls = getattr(la, f"LinearOperatorCirculant{name}")
        found[f"circulant {depth}"] = (
            cls(values, input_output_dtype=complex_type),
            circulant(values, depth, complex_type),
        )
    return found


KINDS = [("float32", ()), *((dtype, (2,)) for dtype in TYPES)]
ALL = [(dtype, batch, name) for dtype, batch in KINDS for name in cases(dtype, batch)]


@pytest.fixture(params=ALL, ids=lambda case: f"{case[2]}-{case[0]}-{case[1]}")
def pair(request):
    dtype, batch, name = request.param
    return cases(dtype, batch)[name]


def agree(result, expected):
    expected = np.asarray(expected)
    assert tuple(result.shape) == expected.shape
    np.testing.assert_allclose(
        np.asarray(result), expected, rtol=CLOSE[result.dtype.name], atol=CLOSE[result.dtype.name]
    )


def test_products_are_those_of_the_dense_matrix(pair):
    operator, dense = pair
    dtype = operator.dtype.name
    rows, columns = dense.shape[-2:]
    x, y = draw(30, *dense.shape[:-2], columns, 2, dtype=dtype), draw(31, rows, 2, dtype=dtype)
    assert operator.shape.as_list() == list(dense.shape)
    agree(operator.to_dense(), dense)
    agree(operator.matmul(x), dense @ x)
    agree(operator.matmul(adjoint(x), adjoint_arg=True), dense @ x)
    agree(operator.matmul(y, adjoint=True), adjoint(dense) @ y)
    agree(operator.matmul(adjoint(y), adjoint=True, adjoint_arg=True), adjoint(dense) @ y)
    agree(operator.matvec(x[..., 0]), (dense @ x)[..., 0])
    agree(operator.matvec(y[:, 0], adjoint=True), (adjoint(dense) @ y)[..., 0])
    agree(operator.adjoint().to_dense(), adjoint(dense))
    agree(operator.add_to_tensor(dense), dense + dense)
    if rows == columns:
        agree(operator.diag_part(), np.diagonal(dense, axis1=-2, axis2=-1))
        agree(operator.trace(), np.trace(dense, axis1=-2, axis2=-1))


def test_solutions_are_those_of_the_dense_matrix(pair):
    operator, dense = pair
    if operator.is_square is False or operator.is_non_singular is False:
        pytest.skip("it has no inverse")
    rhs = draw(32, dense.shape[-1], 2, dtype=operator.dtype.name)
    many = draw(33, *dense.shape[:-2], dense.shape[-1], 2, dtype=operator.dtype.name)
    for x in (rhs, many):
        agree(operator.solve(x), np.linalg.solve(dense, np.broadcast_to(x, (*dense.shape[:-1], 2))))
    adjoint_solution = np.linalg.solve(adjoint(dense), np.broadcast_to(rhs, (*dense.shape[:-1], 2)))
    agree(operator.solve(rhs, adjoint=True), adjoint_solution)
    agree(operator.solve(adjoint(rhs), adjoint=True, adjoint_arg=True), adjoint_solution)
    agree(operator.solvevec(rhs[:, 0], adjoint=True), adjoint_solution[..., 0])
    agree(operator.inverse().to_dense(), np.linalg.inv(dense))
    operator.assert_non_singular()
    np.testing.assert_allclose(operator.cond(), np.linalg.cond(dense), rtol=2e-3)


def test_determinants_are_those_of_the_dense_matrix(pair):
    operator, dense = pair
    if operator.is_square is False:
        with pytest.raises(NotImplementedError, match="expected to not be square"):
            operator.determinant()
        return
    expected = np.linalg.det(dense)
    np.testing.assert_allclose(operator.determinant(), expected, rtol=2e-3, atol=1e-6)
    if operator.is_non_singular is not False:
        np.testing.assert_allclose(
            np.real(operator.log_abs_determinant()), np.log(np.abs(expected)), rtol=1e-3, atol=1e-4
        )


def test_what_is_promised_self_adjoint_has_eigenvalues_and_perhaps_a_cholesky_factor(pair):
    operator, dense = pair
    if operator.is_self_adjoint:
        values = np.sort(np.real(operator.eigvals()), axis=-1)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(dense), rtol=2e-3, atol=1e-4)
    else:
        with pytest.raises(NotImplementedError, match="Only self-adjoint"):
            operator.eigvals()
    if operator.is_self_adjoint and operator.is_positive_definite:
        factor = np.asarray(operator.cholesky().to_dense())
        np.testing.assert_allclose(factor @ adjoint(factor), dense, rtol=2e-3, atol=2e-3)
    else:
        with pytest.raises(ValueError, match="Not a positive definite self adjoint matrix"):
            operator.cholesky()


def test_operators_are_arguments_and_results_of_traced_functions(pair):
    operator, dense = pair
    traces = []

    @tf.function
    def both(a):
        traces.append(a)
        return a.adjoint(), a.matmul(tf.ones([a.domain_dimension_tensor(), 1], a.dtype))

    for _ in range(2):
        result, product = both(operator)
        agree(result.to_dense(), adjoint(dense))
        agree(product, dense.sum(-1, keepdims=True))
    assert len(traces) == 1
    assert type(traces[0]) is type(operator)


def test_gradients_reach_the_parameters(pair):
    operator, dense = pair
    if isinstance(operator, la.LinearOperatorTridiag) and operator.diagonals_format == "matrix":
        pytest.skip("what stands beside its diagonals is part of the dense matrix only")
    flat = tf.nest.flatten(operator, expand_composites=True)
    followed = [part for part in flat if part.dtype.is_floating or part.dtype.is_complex]
    if not followed:
        pytest.skip("it has no parameters that are followed")
    x = tf.constant(draw(34, dense.shape[-1], 2, dtype=operator.dtype.name))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(followed)
        again = tf.nest.pack_sequence_as(operator, flat, expand_composites=True)
        by_operator = tf.reduce_sum(tf.abs(again.matmul(x)))
        by_matrix = tf.reduce_sum(tf.abs(again.to_dense() @ x))
    for first, second in zip(tape.gradient(by_operator, followed), tape.gradient(by_matrix, followed), strict=True):
        np.testing.assert_allclose(first, second, rtol=2e-3, atol=2e-3)


def test_part_of_a_batch_is_an_operator(pair):
    operator, dense = pair
    if dense.ndim < 3:
        pytest.skip("no batch")
    for place in (1, slice(0, 1), tf.newaxis):
        agree(operator[place].to_dense(), dense[place])
    agree(operator[..., 0].to_dense(), dense[0])


def hints(operator):
    return operator.is_non_singular, operator.is_self_adjoint, operator.is_positive_definite, operator.is_square


def described(operator):
    return type(operator).__name__.removeprefix("LinearOperator"), *hints(operator)


def examples():
    diag = la.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)
    matrix = full([[1.0, 2.0], [3.0, 4.0]], is_non_singular=True)
    lower = la.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 3.0]], is_non_singular=True)
    return (
        diag,
        matrix,
        lower,
        la.LinearOperatorIdentity(2),
        la.LinearOperatorScaledIdentity(2, 3.0),
        la.LinearOperatorZeros(2),
    )


def test_the_algebra_keeps_the_structure():
    """Classes and hints as TensorFlow 2.21 gives them."""
    diag, matrix, lower, one, scaled, zeros = examples()
    assert described(diag @ diag) == ("Diag", True, True, True, True)
    assert described(diag @ lower) == ("LowerTriangular", True, None, None, True)
    assert described(lower @ diag) == ("LowerTriangular", True, None, None, True)
    assert described(scaled @ scaled) == ("ScaledIdentity", None, True, None, True)
    assert described(scaled @ diag) == ("Diag", None, True, None, True)
    assert described(matrix @ matrix) == ("Composition", True, None, None, True)
    assert (one @ matrix) is matrix
    assert (matrix @ one) is matrix
    assert (matrix @ zeros) is zeros
    assert described(diag.solve(diag)) == ("Diag", True, True, True, True)
    assert described(diag.solve(lower)) == ("LowerTriangular", True, None, None, True)
    assert described(matrix.solve(lower)) == ("Composition", True, None, None, True)
    assert described(matrix.solve(one)) == ("Inversion", True, None, None, True)
    assert described(diag.inverse()) == ("Diag", True, True, True, True)
    assert described(matrix.inverse()) == ("Inversion", True, None, None, True)
    assert matrix.inverse().inverse() is matrix
    assert described(matrix.adjoint()) == ("Adjoint", True, None, None, True)
    assert matrix.H.H is matrix
    assert diag.H is diag
    assert described(diag.cholesky()) == ("Diag", True, True, True, True)
    assert described(la.LinearOperatorComposition([lower, lower.H])) == ("Composition", True, True, True, True)
    assert described(la.LinearOperatorBlockDiag([diag, diag]).inverse()) == ("BlockDiag", True, True, True, True)
    assert described(la.LinearOperatorKronecker([diag, diag]).cholesky()) == ("Kronecker", True, True, True, True)


def test_functions_of_matrices_take_operators():
    diag, matrix, *_ = examples()
    dense = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    agree(tf.matmul(matrix, [[1.0], [1.0]]), dense @ [[1.0], [1.0]])
    agree(tf.matmul([[1.0, 1.0]], matrix), [[1.0, 1.0]] @ dense)
    agree(tf.constant([[1.0, 1.0]]) @ matrix, [[1.0, 1.0]] @ dense)
    agree(la.solve(matrix, [[3.0], [7.0]]), [[1.0], [1.0]])
    agree(la.trace(matrix), np.float32(5.0))
    agree(la.det(matrix), np.float32(-2.0))
    agree(la.logdet(diag), np.log(np.float32(2.0)))
    agree(la.diag_part(matrix), [1.0, 4.0])
    assert isinstance(la.inv(diag), la.LinearOperatorDiag)
    assert isinstance(la.adjoint(matrix), la.LinearOperatorAdjoint)
    assert isinstance(la.cholesky(diag), la.LinearOperatorDiag)
    with pytest.raises(ValueError, match="self-adjoint positive definite"):
        la.logdet(matrix)
    with pytest.raises(ValueError, match="unsupported type"):
        tf.add(matrix, matrix)


def test_block_operators_take_and_give_blocks():
    diag, matrix, *_ = examples()
    blocks = la.LinearOperatorBlockDiag([diag, matrix])
    first, second = blocks.matvec([tf.constant([1.0, 1.0]), tf.constant([1.0, 1.0])])
    assert (first.numpy().tolist(), second.numpy().tolist()) == ([1.0, 2.0], [3.0, 7.0])
    triangle = la.LinearOperatorBlockLowerTriangular([[diag], [matrix, matrix]])
    solution = triangle.solve(triangle.matmul([tf.ones([2, 1]), tf.ones([2, 1])]))
    np.testing.assert_allclose(solution, np.ones((2, 2, 1)), atol=1e-5)
    with pytest.raises(ValueError, match="number of blocks differ"):
        blocks @ la.LinearOperatorBlockDiag([full(np.eye(4, dtype="f"))])


def test_variables_are_kept_and_read_when_the_operator_is_applied():
    variable = tf.Variable([1.0, 2.0])
    operator = la.LinearOperatorComposition([la.LinearOperatorDiag(variable), full([[1.0, 2.0], [3.0, 4.0]])])
    assert operator.trainable_variables == (variable,)
    apply = tf.function(lambda a, x: a.matvec(x))
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(operator.matvec([1.0, 1.0]))
    assert tape.gradient(total, variable).numpy().tolist() == [3.0, 7.0]
    assert apply(operator, tf.ones([2])).numpy().tolist() == [3.0, 14.0]
    variable.assign([10.0, 10.0])
    assert apply(operator, tf.ones([2])).numpy().tolist() == [30.0, 70.0]


def test_the_gradient_with_respect_to_an_operator_is_one():
    matrix = full([[1.0, 2.0], [3.0, 4.0]])
    both = la.LinearOperatorBlockDiag([matrix, la.LinearOperatorDiag([5.0])])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(both)
        total = tf.reduce_sum(matrix.matvec([1.0, 1.0]) ** 2)
    gradient = tape.gradient(total, both)
    assert isinstance(gradient, la.LinearOperatorBlockDiag)
    assert gradient.to_dense().numpy().tolist() == [[6.0, 6.0, 0.0], [14.0, 14.0, 0.0], [0.0, 0.0, 0.0]]
    assert tape.gradient(total, [la.LinearOperatorDiag([1.0]), matrix])[0] is None


def test_branches_and_loops_carry_operators():
    matrix = full([[1.0, 1.0], [0.0, 1.0]])

    @tf.function
    def power(a, n):
        result = a
        for _ in tf.range(n - 1):
            result = full(result.matmul(a.to_dense()))
        return tf.cond(n > 3, lambda: result, lambda: full(-result.to_dense()))

    assert power(matrix, tf.constant(4)).to_dense().numpy().tolist() == [[1.0, 4.0], [0.0, 1.0]]
    assert power(matrix, tf.constant(2)).to_dense().numpy().tolist() == [[-1.0, -2.0], [0.0, -1.0]]


def test_sizes_that_only_the_run_knows():
    def figures(d):
        matrix = full([[1.0, 2.0], [3.0, 4.0]])
        diag, toeplitz = la.LinearOperatorDiag(d), la.LinearOperatorToeplitz(d, d)
        operators = [
            diag,
            toeplitz,
            diag @ toeplitz,
            la.LinearOperatorKronecker([diag, matrix]),
            la.LinearOperatorBlockDiag([diag, matrix]),
            la.LinearOperatorLowRankUpdate(diag, d[:, None]),
            la.LinearOperatorIdentity(tf.shape(d)[0]),
            la.LinearOperatorHouseholder(d),
            la.LinearOperatorTridiag([d, d * 3.0, d], "sequence"),
        ]
        return [
            value
            for a in operators
            for vector in [tf.ones([a.domain_dimension_tensor()])]
            for value in (a.to_dense(), a.shape_tensor(), a.trace(), a.matvec(vector), a.solvevec(vector))
        ]

    d = tf.constant([1.0, 2.0, 3.0])
    traced = tf.function(figures, input_signature=[tf.TensorSpec([None])])
    for result, expected in zip(traced(d), figures(d), strict=True):
        np.testing.assert_allclose(result, expected, atol=1e-4)


def test_datasets_hold_operators():
    slices = tf.data.Dataset.from_tensor_slices(la.LinearOperatorDiag([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    assert [a.trace().numpy().tolist() for a in slices.batch(2)] == [[3.0, 7.0], [11.0]]
    assert [float(x) for x in slices.map(lambda a: a.matmul(a).determinant())] == [4.0, 144.0, 900.0]


def test_a_class_of_ones_own_needs_a_shape_and_a_product():
    class Triple(la.LinearOperator):
        def __init__(self):
            super().__init__(dtype=tf.float32)

        def _shape(self):
            return tf.TensorShape([2, 2])

        def _matmul(self, x, adjoint=False, adjoint_arg=False):
            return 3.0 * (la.adjoint(x) if adjoint_arg else x)

    operator = Triple()
    assert (operator.name, operator.is_square, operator.shape_tensor().numpy().tolist()) == ("Triple", True, [2, 2])
    assert operator.determinant().numpy() == 9.0
    assert operator.solvevec([3.0, 6.0]).numpy().tolist() == [1.0, 2.0]
    assert (operator @ operator).matvec([1.0, 1.0]).numpy().tolist() == [9.0, 9.0]
    assert tf.function(lambda x: operator.H.matvec(x))(tf.ones([2])).numpy().tolist() == [3.0, 3.0]
    with pytest.raises(TypeError, match="abstract"):
        la.LinearOperator(tf.float32)


def test_bad_arguments_have_tensorflows_classes_of_errors():
    diag, matrix, *_ = examples()
    wide = full(np.ones((2, 3), "f"))
    for kind, words, call in (
        (ValueError, "always self adjoint", lambda: la.LinearOperatorDiag([1.0], is_self_adjoint=False)),
        (ValueError, "always non-singular", lambda: full([[1.0]], is_positive_definite=True, is_non_singular=False)),
        (ValueError, "at least 2 dimensions", lambda: full([1.0])),
        (TypeError, "must have dtype in", lambda: full([[1]])),
        (TypeError, "must be integer type", lambda: la.LinearOperatorIdentity(2.0)),
        (ValueError, "must be non-negative", lambda: la.LinearOperatorIdentity(-1)),
        (ValueError, "1-D Tensor", lambda: la.LinearOperatorIdentity(2, batch_shape=3)),
        (ValueError, "non-empty list", lambda: la.LinearOperatorComposition([])),
        (TypeError, "list or tuple", lambda: la.LinearOperatorComposition(matrix)),
        (TypeError, "same dtype", lambda: la.LinearOperatorComposition([matrix, full(np.eye(2))])),
        (ValueError, "unique integers", lambda: la.LinearOperatorPermutation([0, 0])),
        (ValueError, "Expected `x` to have dimension 2 but got 3", lambda: matrix @ full(np.eye(3, dtype="f"))),
        (ValueError, "Dimensions 2 and 3 are not compatible", lambda: matrix.matmul(np.ones((3, 1), "f"))),
        (TypeError, "Expected argument to have dtype", lambda: matrix.matmul(np.ones((2, 1)))),
        (IndexError, "at least 2 axes", lambda: matrix.matmul([1.0, 1.0])),
        (ValueError, "mismatched dimensions", lambda: la.LinearOperatorToeplitz([1.0, 2.0], [1.0])),
        (ValueError, "not compatible", lambda: la.LinearOperatorLowRankUpdate(diag, [[1.0]])),
        (ValueError, "must contain `2` blocks", lambda: la.LinearOperatorBlockLowerTriangular([[diag], [matrix]])),
        (ValueError, "num_columns", lambda: la.LinearOperatorZeros(2, 3)),
        (NotImplementedError, "expected to be singular", lambda: la.LinearOperatorZeros(2).solve([[1.0], [1.0]])),
        (NotImplementedError, "not be square", lambda: wide.determinant()),
        (ValueError, "non square", lambda: wide.inverse()),
        (ValueError, "diagonals_format", lambda: la.LinearOperatorTridiag([[1.0]], "rows")),
        (
            tf.errors.InvalidArgumentError,
            "zero values",
            lambda: la.LinearOperatorDiag([0.0, 1.0]).assert_non_singular(),
        ),
        (
            tf.errors.InvalidArgumentError,
            "non-positive",
            lambda: la.LinearOperatorDiag([-1.0]).assert_positive_definite(),
        ),
        (tf.errors.InvalidArgumentError, "not equal to its adjoint", lambda: matrix.assert_self_adjoint()),
        (
            tf.errors.InvalidArgumentError,
            "Singular matrix",
            lambda: full([[1.0, 1.0], [1.0, 1.0]]).assert_non_singular(),
        ),
    ):
        with pytest.raises(kind, match=words):
            call()


def test_oversights_of_tensorflow_are_not_kept():
    """The rows of docs/differences.md."""
    matrix = full([[2.0 + 0j, 1j], [-1j, 2.0]], is_self_adjoint=True, is_positive_definite=True)
    matrix.assert_non_singular()
    matrix.assert_positive_definite()
    la.LinearOperatorComposition(
        [la.LinearOperatorLowerTriangular([[1j]]), la.LinearOperatorDiag([1j])]
    ).log_abs_determinant()
    assert la.LinearOperatorPermutation(np.array([1, 0])).to_dense().numpy().tolist() == [[0.0, 1.0], [1.0, 0.0]]
    update = la.LinearOperatorLowRankUpdate(
        la.LinearOperatorDiag([[1.0, 2.0]], is_positive_definite=True), [[1.0], [2.0]], [1.0]
    )
    update.assert_self_adjoint()
    assert update[0].is_self_adjoint
    assert la.LinearOperatorCirculant([1.0 + 0j, 1j], input_output_dtype=tf.complex128).H.dtype == tf.complex128
    assert la.LinearOperatorScaledIdentity(2, 1j).inverse().is_self_adjoint is None
