"""tf.autodiff.grad, value_and_grad, jacrev, jacfwd, hessian, vmap: functions of functions, nested in each other."""

import numpy as np
import pytest

import gradtape as tf

ad = tf.autodiff
RNG = np.random.default_rng(3)
Z = tf.constant(1 + 1j)


def values(structure):
    return tf.nest.map_structure(lambda t: np.asarray(t.numpy()), structure)


def assert_equal(ours, expected):
    tf.nest.assert_same_structure(ours, expected)
    for a, b in zip(tf.nest.flatten(ours), tf.nest.flatten(expected), strict=True):
        if a is None or b is None:
            assert a is b
            continue
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5, atol=1e-6)


def test_a_gradient_has_the_structure_of_its_argument():
    def loss(parameters, x):
        return tf.reduce_sum(tf.tanh(parameters["w"] * x + parameters["b"][0]))

    parameters = {"w": tf.constant([1.0, 2.0]), "b": [tf.constant(0.5)]}
    x = tf.constant([0.1, 0.2])
    slope = 1 - np.tanh([0.6, 0.9]) ** 2
    assert_equal(ad.grad(loss)(parameters, x), {"w": slope * [0.1, 0.2], "b": [slope.sum()]})
    first, second = ad.grad(loss, argnums=(0, 1))(parameters, x)
    assert_equal(first["b"], [slope.sum()])
    assert_equal(second, slope * [1.0, 2.0])
    assert_equal(ad.grad(loss, argnums=-1)(parameters, x), second)


def test_derivatives_of_all_orders_by_nesting():
    f = tf.sin
    for order in range(5):
        np.testing.assert_allclose(f(tf.constant(0.3)).numpy(), np.sin(0.3 + order * np.pi / 2), rtol=1e-5)
        f = ad.grad(f)


def test_value_aux_and_gradient():
    def f(x, *, scale):
        return scale * x**2, {"seen": x + 1}

    (value, aux), gradient = ad.value_and_grad(f, has_aux=True)(3.0, scale=2.0)
    assert (value.numpy(), aux["seen"].numpy(), gradient.numpy()) == (18.0, 4.0, 12.0)
    gradient, aux = ad.grad(f, has_aux=True)(3.0, scale=2.0)
    assert (aux["seen"].numpy(), gradient.numpy()) == (4.0, 12.0)
    for jacobian in (ad.jacrev, ad.jacfwd):
        matrix, aux = jacobian(f, has_aux=True)(3.0, scale=2.0)
        assert matrix.numpy() == 12.0
        assert set(aux) == {"seen"}


def test_what_the_function_reads_elsewhere_does_not_count():
    x = tf.constant(3.0)
    v = tf.Variable(5.0)
    assert ad.grad(lambda y: x * y)(x).numpy() == 3.0
    assert ad.grad(lambda y: v * y)(v).numpy() == 5.0
    assert ad.grad(lambda y: tf.constant(1.0))(x).numpy() == 0.0


@pytest.mark.parametrize("jacobian", [ad.jacrev, ad.jacfwd])
def test_jacobians_of_structures(jacobian):
    def f(a, b):
        return {"p": tf.linalg.matvec(a, b), "n": tf.reduce_sum(b["x"]) if isinstance(b, dict) else tf.reduce_sum(b**2)}

    a, b = tf.constant(RNG.normal(size=(2, 3))), tf.constant(RNG.normal(size=3))
    by_a, by_b = (jacobian(f, argnums=n)(a, b) for n in (0, 1))
    assert_equal(by_b, {"p": a.numpy(), "n": 2 * b.numpy()})
    expected = np.zeros((2, 2, 3))
    expected[0, 0] = expected[1, 1] = b.numpy()
    assert_equal(by_a, {"p": expected, "n": np.zeros((2, 3))})
    both = jacobian(f, argnums=(0, 1))(a, b)
    assert_equal(both, {"p": (by_a["p"], by_b["p"]), "n": (by_a["n"], by_b["n"])})


def test_forward_over_reverse_and_back():
    def f(x):
        return tf.reduce_sum(tf.exp(x[0] * x[1]) + x[2] ** 3)

    x = tf.constant(RNG.normal(size=3))
    expected = values(ad.hessian(f)(x))
    for inner in (ad.jacrev, ad.jacfwd, ad.grad):
        for outer in (ad.jacrev, ad.jacfwd):
            assert_equal(outer(inner(f))(x), expected)


def test_a_hessian_over_several_arguments_is_a_structure_twice():
    def f(a, b):
        return tf.reduce_sum(a) ** 2 * b["c"] + b["c"] ** 3

    a, b = tf.constant([1.0, 2.0]), {"c": tf.constant(2.0)}
    blocks = ad.hessian(f, argnums=(0, 1))(a, b)
    mixed = np.array([6.0, 6.0])
    assert_equal(blocks, ((np.full((2, 2), 4.0), {"c": mixed}), {"c": (mixed, {"c": 12.0})}))


@pytest.mark.parametrize("transform", [ad.grad, ad.jacrev, ad.jacfwd, ad.hessian])
def test_inside_a_function_as_outside(transform):
    def f(x):
        return tf.reduce_sum(tf.sin(x) * x)

    x = tf.constant([0.1, 0.7])
    assert_equal(tf.function(transform(f))(x), transform(f)(x))


@pytest.mark.parametrize("transform", [ad.grad, ad.jacrev, ad.jacfwd])
def test_a_holomorphic_function_has_a_complex_derivative(transform):
    def f(z):
        return z**3 + tf.exp(z)

    first, second = 3 * Z.numpy() ** 2 + np.exp(Z.numpy()), 6 * Z.numpy() + np.exp(Z.numpy())
    assert_equal(transform(f, holomorphic=True)(Z), first)
    assert_equal(transform(transform(f, holomorphic=True), holomorphic=True)(Z), second)
    assert_equal(ad.hessian(f, holomorphic=True)(Z), second)


def test_complex_values_of_real_arguments_have_a_jacobian_in_forward_mode():
    x = tf.constant([0.5, 2.0], tf.float64)
    assert_equal(ad.jacfwd(lambda x: tf.complex(x, x * x))(x), np.diag([1 + 1j, 1 + 4j]))


def test_integers_have_no_derivatives():
    assert_equal(ad.grad(lambda p: p["a"] ** 2 * 3.0, allow_int=True)({"a": 2.0, "n": 3}), {"a": 12.0, "n": None})
    assert ad.jacrev(lambda n: tf.constant([1.0, 2.0]), allow_int=True)(3) is None


@pytest.mark.parametrize("transform", [ad.grad, ad.jacrev, ad.jacfwd])
def test_none_in_arguments_and_results_is_a_place_without_a_value(transform):
    def f(p, none):
        return p["a"] ** 2 if none is None and p["b"] is None else p["a"]

    derivative = transform(f)({"a": tf.constant(3.0), "b": None}, None)
    assert derivative["b"] is None
    assert derivative["a"].numpy() == 6.0
    if transform is not ad.grad:
        jacobian = transform(lambda x: (x, None))(tf.constant([1.0, 2.0]))
        assert_equal(jacobian[0], np.eye(2))
        assert jacobian[1] is None


def test_the_gradient_of_a_lookup_is_dense():
    x = tf.constant([1.0, 2.0, 3.0])

    def f(x):
        return tf.reduce_sum(tf.gather(x, [0, 0, 2]) ** 2)

    for run in (lambda f: f, tf.function):
        gradient = run(ad.grad(f))(x)
        assert isinstance(gradient, tf.Tensor)
        assert_equal(gradient, np.array([4.0, 0.0, 6.0]))
        assert_equal(run(ad.value_and_grad(f))(x)[1], gradient.numpy())


@pytest.mark.parametrize("shape", [[None, None], [None, 2]])
@pytest.mark.parametrize(
    "transform",
    [
        ad.jacfwd(tf.sin),
        ad.vmap(ad.jacfwd(tf.sin)),
        ad.vmap(ad.jacrev(tf.sin)),
        ad.jacfwd(lambda x: tf.reduce_sum(x**3)),
        lambda x: ad.hessian_diagonal(lambda x: tf.reduce_sum(x**3), x),
        lambda x: ad.hessian_diagonal(lambda x: tf.reduce_sum(x), x),
        lambda x: ad.laplacian(lambda x: tf.reduce_sum(x**3), x),
        lambda x: ad.hvp(lambda x: tf.reduce_sum(x**3), x, x),
        lambda x: ad.jvp(tf.sin, [x], [x]),
        lambda x: ad.vjp(tf.sin, x)[1](x),
    ],
)
def test_functions_of_unknown_sizes(transform, shape):
    x = tf.constant(RNG.normal(size=(3, 2)))
    inside = tf.function(transform, input_signature=[tf.TensorSpec(shape, tf.float64)])
    assert_equal(inside(x), values(transform(x)))


@pytest.mark.parametrize("transform", [ad.grad, ad.jacrev, ad.jacfwd, ad.hessian])
def test_branches_on_tensors_inside_a_function(transform):
    def f(x):
        if tf.reduce_sum(x) > 0:
            return tf.reduce_sum(x * x)
        else:
            return tf.reduce_sum(x)

    for x in (tf.constant([1.0, 2.0]), tf.constant([-1.0, -2.0])):
        assert_equal(tf.function(transform(f))(x), values(transform(f)(x)))
        assert_equal(tf.function(lambda x: transform(f)(x))(x), values(transform(f)(x)))


def test_what_a_forward_jacobian_gives_besides_leaves_a_function():
    def f(x):
        return x * x, {"seen": x + 1, "name": "f", "n": None}

    x = tf.constant([1.0, 2.0])
    for run in (lambda f: f, tf.function):
        jacobian, aux = run(ad.jacfwd(f, has_aux=True))(x)
        assert_equal(jacobian, np.diag([2.0, 4.0]))
        assert_equal(aux["seen"], np.array([2.0, 3.0]))
        assert aux["n"] is None
    each, aux = ad.vmap(ad.jacfwd(lambda x: (tf.sin(x), x), has_aux=True))(x)
    assert_equal((each, aux), (np.cos([1.0, 2.0]), x.numpy()))


def test_a_tape_outside_records_a_transform():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = ad.grad(lambda t: t**3)(x)
    assert tape.gradient(y, x).numpy() == 12.0


def test_vmap_over_axes_and_structures():
    a, b = tf.constant(RNG.normal(size=(4, 3))), tf.constant(RNG.normal(size=(3, 4)))
    f = tf.tensordot
    assert_equal(ad.vmap(lambda x, y: f(x, y, 1), in_axes=(0, 1))(a, b), np.einsum("ni,in->n", a, b))
    assert_equal(
        ad.vmap(lambda x, y: x * y["k"], in_axes=(0, {"k": None}))(a, {"k": b[:, 0]}), a.numpy() * b.numpy()[:, 0]
    )
    assert_equal(
        ad.vmap(lambda x: {"r": x, "s": 2 * x}, out_axes={"r": 1, "s": 0})(a), {"r": a.numpy().T, "s": 2 * a.numpy()}
    )
    assert_equal(ad.vmap(lambda x, y: x + y)(a, y=a), 2 * a.numpy())
    assert_equal(ad.vmap(ad.vmap(lambda x: x**2))(a), a.numpy() ** 2)


@pytest.mark.parametrize("run", [lambda f: f, tf.function])
def test_results_that_do_not_depend_on_mapped_arguments(run):
    x, s = tf.constant([1.0, 2.0, 3.0]), tf.constant(2.0)
    assert_equal(run(ad.vmap(lambda x, y: x * 2, (0, None)))(x, None), 2 * x.numpy())
    assert_equal(run(ad.vmap(lambda x: (x, 2 * s), out_axes=(0, None)))(x), (x.numpy(), 4.0))
    assert_equal(run(ad.vmap(lambda x: {"a": x, "n": None}))(x), {"a": x.numpy(), "n": None})
    assert_equal(run(ad.vmap(lambda s: s + 1, in_axes=None, axis_size=2))(s), np.array([3.0, 3.0]))
    inner = ad.vmap(lambda y: ad.vmap(lambda x: (x, y), out_axes=(0, None))(x))
    assert_equal(run(inner)(x), (np.tile(x.numpy(), (3, 1)), x.numpy()))


def test_without_arguments_an_axis_size_says_how_often():
    assert_equal(ad.vmap(lambda: tf.constant(2.0), axis_size=3)(), np.full(3, 2.0))


def test_per_example_gradients_are_vmap_of_grad():
    w, x = tf.constant([1.0, 2.0]), tf.constant([[1.0, 0.0], [0.0, 3.0]])
    each = ad.vmap(ad.grad(lambda w, row: tf.reduce_sum(w * row) ** 2), in_axes=(None, 0))(w, x)
    assert_equal(each, np.array([[2.0, 0.0], [0.0, 36.0]]))


def test_tape_hessian_over_several_sources():
    a, b, unused = tf.Variable([1.0, 2.0]), tf.Variable(3.0), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(a**2) * b
    blocks = tape.hessian(y, {"a": a, "b": b, "u": unused})
    assert_equal(blocks["a"]["a"], 6 * np.eye(2))
    assert_equal(blocks["a"]["b"], np.array([2.0, 4.0]))
    assert_equal(blocks["b"]["a"], np.array([2.0, 4.0]))
    assert blocks["b"]["b"].numpy() == 0.0
    assert blocks["u"] == {"a": None, "b": None, "u": None}
    assert blocks["a"]["u"] is None
    assert_equal(tape.hessian(y, [a, b])[0][1], np.array([2.0, 4.0]))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ad.grad(lambda x: x)(3), TypeError, "^grad: argument 0 .*3.0 in place of 3"),
        (lambda: ad.hessian(lambda x: x)(3), TypeError, "^hessian: argument 0 "),
        (lambda: ad.grad(lambda x: x)(tf.constant([1.0, 2.0])), tf.errors.InvalidArgumentError, "jacrev"),
        (lambda: ad.grad(lambda x: [x])(1.0), tf.errors.InvalidArgumentError, "a structure"),
        (lambda: ad.grad(lambda x: x, argnums=1)(1.0), ValueError, "the call has 1"),
        (lambda: ad.grad(lambda x: x, argnums=0.5)(1.0), TypeError, "argnums"),
        (lambda: ad.grad(lambda x: x, has_aux=True)(1.0), TypeError, "pair"),
        (lambda: ad.hessian(lambda x: x**2, tf.constant(1.0)), TypeError, r"hessian\(f\)\(x\)"),
        (lambda: ad.vmap(lambda x: x, in_axes=None)(tf.ones([2])), ValueError, "no argument is mapped"),
        (lambda: ad.vmap(lambda x: x)(1.0), ValueError, "no axis 0"),
        (lambda: ad.vmap(lambda x, y: x)(tf.ones([2]), tf.ones([3])), ValueError, r"\[2, 3\]"),
        (lambda: ad.vmap(lambda x: x, in_axes=(0, 1))(tf.ones([2])), ValueError, "in_axes"),
        (lambda: ad.vmap(lambda x: x, out_axes=None)(tf.ones([2])), ValueError, "out_axes"),
        (lambda: tf.function(ad.vmap(lambda x: x, out_axes=None))(tf.ones([2])), ValueError, "out_axes"),
        (lambda: ad.vmap(lambda x: x, axis_size=3)(tf.ones([2])), ValueError, "axis_size=3.* length 2"),
        (lambda: ad.grad(lambda x, y: x, argnums=(0, -2))(1.0, 2.0), ValueError, "twice"),
        (lambda: ad.grad(3), TypeError, "^grad: the first argument must be a function, got 3"),
        (lambda: ad.hessian(None), TypeError, "^hessian: "),
        (lambda: ad.jacfwd("f"), TypeError, "^jacfwd: "),
        (lambda: ad.vmap(3), TypeError, "^vmap: "),
        (lambda: ad.grad(lambda x: tf.cast(x, tf.int32))(1.0), TypeError, "the function gives int32"),
        (lambda: ad.jacrev(lambda x: tf.argmax(x))(tf.ones([2])), TypeError, "the function gives int64"),
        (lambda: ad.grad(lambda x: None)(1.0), tf.errors.InvalidArgumentError, "got None"),
        (lambda: ad.grad(lambda n: n * n, allow_int=True)(3), TypeError, "the function gives int32"),
        (lambda: ad.grad(lambda z: z * z)(Z), TypeError, "grad: the function gives complex128.*holomorphic=True"),
        (lambda: ad.jacrev(lambda z: z * z)(Z), TypeError, "jacrev: the function gives complex128"),
        (lambda: ad.jacfwd(lambda z: z * z)(Z), TypeError, "jacfwd: an argument has complex128"),
        (lambda: ad.jacfwd(tf.abs)(Z), TypeError, "jacfwd: an argument has complex128"),
        (lambda: ad.hessian(lambda z: tf.abs(z) ** 2)(Z), TypeError, "hessian: the function gives complex128"),
        (lambda: ad.grad(lambda x: x, holomorphic=True)(1.0), TypeError, "needs complex arguments, got float32"),
        (lambda: ad.jacfwd(tf.abs, holomorphic=True)(Z), TypeError, "must give complex numbers, got float64"),
        (lambda: ad.vmap(lambda x: x, out_axes=3)(tf.ones([2])), ValueError, "no axis 3"),
    ],
)
def test_bad_input_is_refused_by_name(call, error, words):
    with pytest.raises(error, match=words):
        call()
