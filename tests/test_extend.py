"""gradtape.extend: an op that a package outside declares works everywhere, is checked as ours are, and mistakes are named."""

import numpy as np
import pytest

import gradtape as tf
from gradtape import extend
from gradtape.op.declaration import REGISTRY

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("registry_restored")]

X = tf.constant([-0.5, 0.3, 1.2])


@pytest.fixture
def cube():
    """x**3, whose rule calls public functions."""

    @extend.elementwise
    def outside_cube(xp, x):
        """The third power of x."""
        return x * x * x

    @outside_cube.derivative("x")
    def _(t, x):
        return 3.0 * t * tf.square(x)

    extend.sample_unary(outside_cube)
    return outside_cube


@pytest.fixture
def ends():
    """Two outputs from one operand and an attribute: the first and the last of the last axis, weighted."""

    @extend.op(outputs=2)
    def outside_ends(xp, x, *, weight):
        """The first element of the last axis, and the last one times weight."""
        return x[..., 0], weight * x[..., -1]

    @outside_ends.vjp("x")
    def _(cotangents, x_shape, weight):
        first, last = cotangents
        size = x_shape[-1]
        at_first, at_last = tf.one_hot(0, size, dtype=first.dtype), tf.one_hot(size - 1, size, dtype=first.dtype)
        return first[..., None] * at_first + weight * last[..., None] * at_last

    @outside_ends.shapes
    def _(x, weight):
        return x.shape[:-1]

    outside_ends.linear("x")
    outside_ends.batched(extend.batch_leading)
    return outside_ends


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


class TestAnOpFromOutside:
    def test_under_a_tape(self, cube):
        np.testing.assert_allclose(gradient(cube.public, X), 3 * X.numpy() ** 2, rtol=1e-6)

    def test_under_a_tape_of_a_tape(self, cube):
        np.testing.assert_allclose(gradient(lambda x: gradient(cube.public, x), X), 6 * X.numpy(), rtol=1e-6)

    def test_in_forward_mode(self, cube):
        with tf.autodiff.ForwardAccumulator(X, tf.ones_like(X)) as accumulator:
            y = cube.public(X)
        np.testing.assert_allclose(accumulator.jvp(y), 3 * X.numpy() ** 2, rtol=1e-6)

    def test_in_a_jacobian_and_a_hessian(self, cube):
        with tf.GradientTape() as outer:
            outer.watch(X)
            with tf.GradientTape() as tape:
                tape.watch(X)
                y = cube.public(X)
            jacobian = tape.jacobian(y, X)
        np.testing.assert_allclose(jacobian, np.diag(3 * X.numpy() ** 2), rtol=1e-6)
        hessian = outer.jacobian(jacobian, X)
        np.testing.assert_allclose(np.einsum("iii->i", hessian), 6 * X.numpy(), rtol=1e-6)

    def test_in_a_vectorized_map(self, cube):
        rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        found = tf.vectorized_map(lambda row: gradient(cube.public, row), rows)
        np.testing.assert_allclose(found, 3 * rows.numpy() ** 2)

    def test_in_a_function_with_the_tape_inside_and_around(self, cube):
        expected = 3 * X.numpy() ** 2
        np.testing.assert_allclose(tf.function(lambda x: gradient(cube.public, x))(X), expected, rtol=1e-6)
        np.testing.assert_allclose(gradient(tf.function(cube.public), X), expected, rtol=1e-6)

    def test_in_a_function_whose_sizes_are_not_known(self, cube):
        traced = tf.function(cube.public, input_signature=[tf.TensorSpec([None], tf.float32)])
        assert traced.get_concrete_function().output_shapes == tf.TensorShape([None])
        np.testing.assert_allclose(traced(X), X.numpy() ** 3, rtol=1e-6)

    def test_in_a_compiled_function_with_arrays_that_are_large(self, cube):
        x = tf.constant(np.linspace(-2.0, 2.0, 50_000, dtype=np.float32))
        compiled = tf.function(lambda x: tf.tanh(cube.public(x) + 1.0) * x, jit_compile=True)
        np.testing.assert_allclose(compiled(x), tf.tanh(cube.public(x) + 1.0) * x, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(
            gradient(compiled, x), gradient(lambda x: tf.tanh(cube.public(x) + 1.0) * x, x), rtol=1e-4, atol=1e-5
        )

    def test_takes_variables_numbers_and_lists(self, cube):
        assert cube.public(tf.Variable(2.0)).numpy() == cube.public(2.0).numpy() == 8.0
        np.testing.assert_array_equal(cube.public([1.0, 2.0]), [1.0, 8.0])

    def test_is_refused_for_a_type_it_does_not_have(self, cube):
        with pytest.raises(tf.errors.InvalidArgumentError, match="outside_cube is not defined for int32"):
            cube.public(tf.constant(2))

    def test_may_have_several_outputs_and_attributes(self, ends):
        x = tf.constant([[1.0, 2.0, 3.0]])
        np.testing.assert_array_equal(gradient(lambda x: ends.public(x, weight=2.0), x), [[1.0, 0.0, 2.0]])
        found = gradient(tf.function(lambda x: ends.public(x, weight=2.0)[1]), x)
        np.testing.assert_array_equal(found, [[0.0, 0.0, 2.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            last = ends.public(x, weight=2.0)[1]
        np.testing.assert_array_equal(tape.jacobian(last, x), [[[[0.0, 0.0, 2.0]]]][0])

    def test_its_cotangents_add_up_with_those_of_other_ops(self, cube):
        found = gradient(lambda x: cube.public(x) + x + cube.public(2.0 * x), X)
        np.testing.assert_allclose(found, 3 * X.numpy() ** 2 + 1 + 24 * X.numpy() ** 2, rtol=1e-6)

    def test_broadcasts_between_two_operands(self):
        @extend.elementwise
        def outside_scaled(xp, x, y):
            """The product of x and y."""
            return x * y

        outside_scaled.derivative("x")(lambda t, y: t * y)
        outside_scaled.derivative("y")(lambda t, x: t * x)
        extend.sample_binary(outside_scaled)
        extend.check(outside_scaled)

    def test_overflows_silently(self):
        @extend.elementwise
        def outside_exp(xp, x):
            """The exponential of x."""
            return xp.exp(x)

        assert outside_exp.public(1000.0).numpy() == np.inf  # (a warning would be an error here)

    def test_is_stored_by_name_in_a_saved_model(self, cube, tmp_path):
        module = tf.Module()
        module.call = tf.function(cube.public, input_signature=[tf.TensorSpec([None], tf.float32)])
        tf.saved_model.save(module, str(tmp_path))
        np.testing.assert_allclose(tf.saved_model.load(str(tmp_path)).call(X), X.numpy() ** 3, rtol=1e-6)
        del REGISTRY[cube.name]
        with pytest.raises(tf.errors.NotFoundError, match=r"outside_cube.*import that package"):
            tf.saved_model.load(str(tmp_path))


class TestDeclarations:
    def test_a_name_is_taken_once(self, cube):
        with pytest.raises(extend.OpDeclarationError, match=r"outside_cube already, declared in .*Choose another name"):

            @extend.op
            def outside_cube(xp, x):
                return x

    def test_nor_is_a_name_of_ours_free(self):
        with pytest.raises(extend.OpDeclarationError, match=r"tanh already, declared in gradtape\.ops"):

            @extend.elementwise
            def tanh(xp, x):
                return x

    @pytest.mark.parametrize("declare", ["vjp", "jvp", "derivative", "linear"])
    def test_a_rule_is_for_an_argument(self, cube, declare):
        with pytest.raises(extend.OpDeclarationError, match="no argument 'y'; it has x"):
            declared = getattr(cube, declare)("y")
            declared(lambda t: t)

    @pytest.mark.parametrize("declare", ["vjp", "jvp", "derivative"])
    def test_a_rule_asks_for_what_is_there(self, cube, declare):
        with pytest.raises(
            extend.OpDeclarationError, match=r"asks for 'y', which the op does not have.* x, x_shape, out"
        ):
            getattr(cube, declare)("x")(lambda t, y: t)

    def test_a_rule_is_a_python_function(self, cube):
        with pytest.raises(extend.OpDeclarationError, match="A rule is a Python function"):
            cube.derivative("x")(np.multiply)

    @pytest.mark.parametrize(
        ("kernel", "message"),
        [
            (np.tanh, "A kernel is a Python function"),
            (lambda xp, x: x, "<lambda> is no name"),
            (lambda x: x, "<lambda> is no name"),
        ],
    )
    def test_a_kernel_is_a_named_python_function(self, kernel, message):
        with pytest.raises(extend.OpDeclarationError, match=message):
            extend.elementwise(kernel)

    def test_a_kernel_names_its_operands(self):
        def outside_any(xp, *x):
            return x

        def outside_none(x):
            return x

        for kernel in (outside_any, outside_none):
            with pytest.raises(extend.OpDeclarationError, match=rf"def {kernel.__name__}\(xp, x\)"):
                extend.op(kernel)

    def test_types_are_a_list_of_types(self):
        with pytest.raises(extend.OpDeclarationError, match=r"\[tf.float32, tf.float64\]"):
            extend.op(dtypes=["number"])
        with pytest.raises(extend.OpDeclarationError, match=r"\[tf.float32, tf.float64\]"):
            extend.op(dtypes=tf.float32)

    def test_what_fails_is_not_declared(self):
        with pytest.raises(extend.OpDeclarationError):
            extend.op(lambda xp, x: x)
        assert "<lambda>" not in REGISTRY


class TestChecks:
    def test_a_good_op_passes(self, cube):
        extend.check(cube)

    @pytest.mark.parametrize("way", ["derivative", "vjp"])
    def test_a_wrong_rule_is_found_and_named(self, cube, way):
        getattr(cube, way)("x")(lambda t, x: 2.0 * t * x * x)
        with pytest.raises(extend.OpCheckError, match=r"reverse rule gives .* finite differences .*Correct that rule"):
            extend.check(cube)

    def test_a_wrong_forward_rule_is_found_and_named(self, cube):
        cube.jvp("x")(lambda t, x: 2.0 * t * x * x)
        with pytest.raises(extend.OpCheckError, match=r"forward rule gives .*the reverse rule"):
            extend.check(cube)

    def test_a_rule_that_has_no_derivative_itself_is_found(self, cube):
        cube.derivative("x")(lambda t, x: tf.constant(3.0 * x.numpy() ** 2) * t if hasattr(x, "_array") else t)
        with pytest.raises(extend.OpCheckError, match="second derivative, reverse over reverse"):
            extend.check(cube)

    @pytest.mark.parametrize(
        ("leave_out", "message"),
        [
            (lambda op: op.samplers.clear(), "no samples .*extend.sample_unary"),
            (lambda op: op.vjps.clear(), "no derivative. Declare @outside_cube.derivative"),
            (lambda op: op.jvps.clear(), "no forward rule. Declare @outside_cube.jvp"),
            (lambda op: op.bad_inputs.clear(), "0 bad inputs are declared, .*@outside_cube.rejects"),
            (lambda op: setattr(op, "batching", None), "no batching rule. Declare @outside_cube.batched"),
            (lambda op: setattr(op, "__doc__", None), "no docstring"),
            (lambda op: setattr(op, "shape_rule", None), "no shape rule, .* Declare @outside_cube.shapes"),
            (lambda op: op.not_differentiable("it is not"), "Remove one of the two"),
        ],
    )
    def test_what_is_missing_is_named(self, cube, leave_out, message):
        leave_out(cube)
        with pytest.raises(extend.OpCheckError, match=message):
            extend.check(cube)

    def test_too_few_samples_are_too_few(self, cube):
        cube.samplers.clear()
        cube.samples(lambda draw: [extend.Sample((draw((2,)),))])
        with pytest.raises(extend.OpCheckError, match="there are 1 samples; at least 12"):
            extend.check(cube)

    def test_a_bad_input_that_is_taken_is_found(self, cube):
        cube.rejects(lambda: [extend.BadInput("it is too small", (np.float64(1.0),))])
        with pytest.raises(extend.OpCheckError, match=r"too small.* does not raise"):
            extend.check(cube)

    def test_a_bad_input_with_another_error_is_found(self, cube):
        cube.rejects(lambda: [extend.BadInput("not a type", (np.int32(1),), error=KeyError)])
        with pytest.raises(extend.OpCheckError, match="raises UnsupportedTypeError"):
            extend.check(cube)

    def test_a_kernel_that_gives_no_array_is_found(self):
        @extend.elementwise
        def outside_three(xp, x):
            """Three."""
            return 3.0

        outside_three.not_differentiable("it is constant")
        extend.sample_unary(outside_three)
        with pytest.raises(extend.OpCheckError, match="the kernel gives float, not an array"):
            extend.check(outside_three)
