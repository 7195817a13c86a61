"""Functions on XLA give what they give on the native engine, and values stay where they are."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import gradtape as tf

# ruff: noqa: E402
jax = pytest.importorskip("jax", reason="the extra `xla` is not installed")

from gradtape.op.declaration import op
from gradtape.xla import executor
from gradtape.xla.arrays import COPIES, DeviceTensor


def same(function, *args, rtol=1e-5):
    """The function gives the same on both engines."""
    native, xla = tf.function(function), tf.function(function, engine="xla")
    for expected, found in zip(tf.nest.flatten(native(*args)), tf.nest.flatten(xla(*args)), strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=rtol, atol=1e-6)
    return xla


@pytest.fixture
def engine():
    yield tf.config.set_engine
    tf.config.set_engine("native")


X = tf.constant(np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32))


# --- which engine ------------------------------------------------------------------------------------------------------------


def test_import_gradtape_does_not_import_jax():
    code = """
        import sys, gradtape as tf
        assert "jax" not in sys.modules
        tf.function(lambda x: x + 1.0, engine="xla")
        assert "jax" not in sys.modules  # until it is called
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, timeout=120)


def test_without_jax_one_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for ask in (lambda: tf.function(lambda x: x, engine="xla"), lambda: tf.config.set_engine("xla")):
        with pytest.raises(ModuleNotFoundError, match=r"pip install 'jax>=0\.10'"):
            ask()
    assert tf.config.get_engine() == "native"


def test_an_engine_that_does_not_exist_is_named():
    with pytest.raises(ValueError, match=r"no engine 'cuda'.*'native', 'xla'"):
        tf.function(lambda x: x, engine="cuda")
    with pytest.raises(ValueError, match="no engine 3"):
        tf.config.set_engine(3)


def test_the_engine_of_the_program_changes_functions_that_have_run_before(engine):
    f = tf.function(lambda x: x * 2.0)
    g = tf.function(lambda x: x * 2.0, engine="native")
    for _ in range(40):  # until it is machine code that is called at once
        f(X), g(X)
    engine("xla")
    assert type(f(X)) is DeviceTensor
    assert type(g(X)) is not DeviceTensor
    engine("native")
    assert type(f(X)) is not DeviceTensor


def test_a_method_keeps_the_engine_of_its_function():
    class Model(tf.Module):
        @tf.function(engine="xla")
        def double(self, x):
            return x * 2.0

    assert type(Model().double(X)) is DeviceTensor


def test_settings_of_jax_are_as_before():
    before = jax.numpy.asarray(np.ones(3)).dtype
    f = tf.function(lambda x: tf.reduce_sum(x) * 2.0, engine="xla")
    assert f(tf.constant([1.0, 2.0], tf.float64)).dtype == tf.float64
    assert jax.numpy.asarray(np.ones(3)).dtype == before == np.float32
    assert jax.jit(lambda x: x + 1)(np.ones(3)).dtype == np.float32


@pytest.mark.parametrize("setting", [("jax_numpy_rank_promotion", "raise"), ("jax_numpy_dtype_promotion", "strict")])
def test_settings_that_a_user_has_chosen_do_not_matter(setting):
    name, value = setting
    before = getattr(jax.config, name)
    jax.config.update(name, value)
    try:
        same(lambda x: tf.reduce_mean(x, 0) + x * tf.cast(tf.range(3), tf.float32), X)
    finally:
        jax.config.update(name, before)


# --- values ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.complex64, tf.int64, tf.bool])
def test_types_are_kept(dtype):
    x = tf.cast(tf.constant([0.0, 1.0, 2.0]), dtype)
    f = tf.function(lambda x: (x, tf.reshape(x, [3, 1])), engine="xla")
    for result in f(x):
        assert result.dtype == dtype
    assert np.array_equal(f(x)[0].numpy(), x.numpy())


def test_one_trace_serves_all_sizes():
    f = tf.function(lambda x: tf.reduce_mean(x * 2.0, 0), [tf.TensorSpec([None, 3])], engine="xla")
    for rows in (1, 4, 7):
        assert f(tf.ones([rows, 3])).numpy().tolist() == [2.0, 2.0, 2.0]
    assert f.experimental_get_tracing_count() == 1


def executables(function):
    """The executables that were made of a function so far."""
    (concrete,) = {id(each): each for each in function._traces.values()}.values()
    return [run for parts in concrete._executor.form.made for run in parts.runs]


def test_each_size_has_one_executable():
    f = tf.function(lambda x: tf.reduce_sum(x * 2.0), [tf.TensorSpec([None])], engine="xla")
    for rows in (3, 5, 3, 5, 5, 3):
        assert float(f(tf.ones([rows]))) == 2.0 * rows
    assert len(executables(f)) == 2
    assert f.experimental_get_tracing_count() == 1


def test_an_lstm_is_a_loop_of_xla_forward_and_backward():
    w, u = tf.Variable(tf.ones([4, 16]) * 0.1), tf.Variable(tf.ones([4, 16]) * 0.1)

    @tf.function(engine="xla")
    def gradient(sequence):
        with tf.GradientTape() as tape:
            state = cell = tf.zeros([2, 4])
            for x in sequence:
                entry, forget, candidate, leave = tf.split(x @ w + state @ u, 4, axis=-1)
                cell = tf.sigmoid(forget) * cell + tf.sigmoid(entry) * tf.tanh(candidate)
                state = tf.sigmoid(leave) * tf.tanh(cell)
            loss = tf.reduce_sum(state)
        return tape.gradient(loss, [w, u])

    sizes = []
    for steps in (50, 200):
        gradient(tf.ones([steps, 2, 4]))
    for concrete in gradient._traces.values():
        (executable,) = [run for parts in concrete._executor.form.made for run in parts.runs]
        text = executable._compiled.as_text()
        assert text.count(" while(") == 2
        sizes.append(len(text))
    assert max(sizes) < 1.1 * min(sizes)  # longer sequences are no longer programs


def test_losses_of_a_hundred_steps_are_those_of_eager_code():
    rng = np.random.default_rng(0)
    x = tf.constant(rng.standard_normal((32, 10)), tf.float32)
    y = tf.constant(rng.standard_normal((32, 1)), tf.float32)
    start = [rng.standard_normal(shape) * 0.3 for shape in ((10, 16), (16,), (16, 1), (1,))]

    def losses(decorate):
        weights = [tf.Variable(value, dtype=tf.float32) for value in start]

        @decorate
        def step(x, y):
            with tf.GradientTape() as tape:
                hidden = tf.tanh(x @ weights[0] + weights[1])
                loss = tf.reduce_mean((hidden @ weights[2] + weights[3] - y) ** 2)
            for variable, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
                variable.assign_sub(0.1 * gradient)
            return loss

        return [float(step(x, y)) for _ in range(100)]

    eager, xla = losses(lambda f: f), losses(tf.function(engine="xla"))
    assert eager[-1] < 0.5 * eager[0]
    np.testing.assert_allclose(xla, eager, atol=1e-5)


def test_second_derivatives_and_jacobians_within_a_function():
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.sin(x) * x**2)
            first = inner.gradient(y, x)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            z = tf.tanh(x[:, None] * x[None, :])
        return outer.gradient(first, x), tape.jacobian(z, x), z

    compiled = same(f, tf.constant([0.3, -0.7, 1.1]))
    assert "host" not in str(compiled.explain())


def test_results_may_be_nested_and_hold_constants():
    def f(x):
        return {"a": (x, None), "b": [tf.constant(3), x * 2.0]}

    found = tf.function(f, engine="xla")(X)
    assert found["a"][1] is None
    assert int(found["b"][0]) == 3
    same(lambda x: f(x)["b"], X)


def test_a_function_may_return_what_it_is_given_or_a_constant():
    same(lambda x: x, X)
    same(lambda x: tf.constant([1.0, 2.0]), X)
    same(lambda x: (x, tf.constant(2), x + 1.0), X)


def test_an_index_that_does_not_exist_gives_zero():
    f = tf.function(tf.gather, engine="xla")
    assert f(tf.constant([1.0, 2.0]), tf.constant([1, 2, -1])).numpy().tolist() == [2.0, 0.0, 0.0]


def test_errors_of_shapes_are_those_of_the_native_engine():
    with pytest.raises(tf.errors.InvalidArgumentError, match="matmul"):
        tf.function(lambda x, y: x @ y, engine="xla")(X, X)


# --- control flow --------------------------------------------------------------------------------------------------------------


def test_a_loop_whose_end_depends_on_values():
    def f(x):
        rounds = 0
        while tf.reduce_sum(x) < 100.0:
            x = x * 2.0
            rounds += 1
        return x, tf.constant(0) + rounds

    same(f, tf.constant([1.0, 2.0]))


def test_a_long_loop_with_its_gradient():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in tf.range(100):
                y = y * 0.9 + x * tf.cast(i, tf.float32)
        return y, tape.gradient(y, x)

    compiled = same(f, X)
    assert "host" not in str(compiled.explain())


def rounds_of(x, limit):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, rounds = x, 0
        while tf.reduce_sum(y) < limit:
            y = y * 1.01 + 0.1 * x * tf.sin(y)
            rounds += 1
    return y, tape.gradient(y, x), tf.constant(0) + rounds


@pytest.mark.parametrize("engine", ["xla", "xla-checked"])
def test_the_gradient_of_a_loop_whose_end_depends_on_values(engine):
    f = tf.function(rounds_of, engine=engine)
    x = tf.constant([0.1, 0.2])
    seen = []
    for limit in (0.0, 1.0, 20.0, 2000.0, 5.0):  # the fourth takes more rounds than there is room for at first
        limit = tf.constant(limit)
        expected = tf.function(rounds_of)(x, limit)
        for a, b in zip(expected, f(x, limit), strict=True):
            np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-3)
        seen.append(int(expected[2]))
    assert seen[0] == 0
    assert seen[3] > 2 * 64
    assert "host" not in str(f.explain())


def test_variables_that_a_loop_with_a_gradient_changes_are_changed_once():
    count, w = tf.Variable(0), tf.Variable(1.01)

    @tf.function(engine="xla")
    def step(x, limit):
        with tf.GradientTape() as tape:
            while x < limit:
                x = x * w
                count.assign_add(1)
        w.assign_sub(1e-6 * tape.gradient(x, w))
        return x

    y = step(tf.constant(1.0), tf.constant(100.0))  # 463 rounds: computed twice
    assert int(count) == 463
    assert float(y) == pytest.approx(1.01**463, rel=1e-4)
    assert float(w) == pytest.approx(1.01 - 1e-6 * 463 * 1.01**462, rel=1e-5)


def test_second_derivatives_of_a_loop_whose_end_depends_on_values():
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x
                while y < 50.0:
                    y = y * y + x
            first = inner.gradient(y, x)
        return y, first, outer.gradient(first, x)

    same(f, tf.constant(1.3), rtol=1e-4)


def test_what_a_loop_collects_may_be_a_result_on_the_host():
    def f(x):
        collected = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        place = 0
        while tf.reduce_sum(x) < 100.0:
            x = x * 2.0
            collected = collected.write(place, x)
            place += 1
        return collected.stack() * 2.0, tf.tanh(x)

    same(f, tf.constant([1.0, 2.0]))


def test_branches_and_their_gradients():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            if tf.reduce_sum(x) > 0.0:
                y = x * 3.0
            else:
                y = tf.exp(x)
        chosen = tf.switch_case(tf.constant(5), [lambda: x, lambda: x + 1.0, lambda: x * 7.0])
        return y, tape.gradient(y, x), chosen

    same(f, X)
    same(f, tf.abs(X))


def test_scan_map_fn_and_tensor_arrays():
    def f(x):
        array = tf.TensorArray(tf.float32, 50)
        for i in tf.range(50):
            array = array.write(i, x[0] * tf.cast(i, tf.float32))
        return (
            tf.scan(lambda a, b: a * 0.5 + b, tf.tile(x, [20, 1])),
            tf.map_fn(tf.sin, tf.tile(x, [20, 1])),
            array.stack(),
        )

    same(f, X)


def test_variables_that_loops_and_branches_change():
    def made():
        total, count = tf.Variable(tf.zeros([4, 3])), tf.Variable(0)

        def f(x):
            for _ in tf.range(60):
                total.assign_add(x)
                count.assign_add(1)
            if count > 100:
                total.assign(x * 0.0)
            return total + 0.0, count + 0

        return f

    native, xla = tf.function(made()), tf.function(made(), engine="xla")
    for _ in range(2):
        for expected, found in zip(native(X), xla(X), strict=True):
            np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5)


# --- parts -------------------------------------------------------------------------------------------------------------------


def test_what_stays_on_the_host_is_named_and_the_rest_is_not_interpreted(capfd):
    def f(x):
        y = tf.tanh(x)
        tf.print("sum", tf.reduce_sum(tf.zeros_like(y)))
        w, _ = tf.linalg.eig(tf.matmul(y, y, transpose_b=True))
        return tf.abs(tf.reduce_sum(w)) + 1.0

    compiled = same(f, X, rtol=1e-4)
    assert "sum 0" in capfd.readouterr().err
    text = str(compiled.explain())
    assert "print: a Python function is called" in text
    assert "eig: XLA computes eigenvalues of matrices that are not Hermitian on CPUs alone" in text
    assert "interpreted" not in text


def test_an_op_that_jax_cannot_trace_runs_on_the_host_and_is_named(registry_restored):
    @op(shape=lambda x: x.known)
    def only_on_numpy(xp, x):
        return np.sort(np.asarray(x), axis=-1)

    compiled = same(lambda x: tf.tanh(only_on_numpy(x * 2.0)) + 1.0, X)
    assert "only_on_numpy: jax cannot trace it" in str(compiled.explain())


def test_sizes_that_depend_on_values_cut_a_function_in_parts():
    def f(x):
        y = tf.tanh(x) * 2.0 + 1.0
        kept = tf.boolean_mask(y, y > 1.0)
        return tf.reduce_sum(kept * 2.0 + 1.0), tf.exp(y) + 1.0

    compiled = same(f, X)
    assert "nonzero: how many positions there are depends on the values" in str(compiled.explain())


def test_text_goes_through_on_the_host():
    def f(x):
        return tf.strings.as_string(tf.cast(tf.reduce_sum(x) * 0.0, tf.int32)), x * 2.0

    text, doubled = tf.function(f, engine="xla")(X)
    assert text.numpy() == b"0"
    assert np.array_equal(doubled.numpy(), X.numpy() * 2)


def test_random_numbers_are_those_of_the_native_engine():
    def f(x):
        return x + tf.random.normal([4, 3], seed=3), tf.random.stateless_uniform([2], [1, 2])

    tf.random.set_seed(7)
    expected = tf.function(f)(X)
    tf.random.set_seed(7)
    found = tf.function(f, engine="xla")(X)
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-6)


@pytest.mark.parametrize("seed", [[1, 2], [-5, 2**31 - 1]])
def test_random_numbers_of_a_seed_that_is_computed_are_drawn_on_the_device(seed):
    def f(seed, low):
        return [
            tf.random.stateless_uniform([5, 3], seed),
            tf.random.stateless_uniform([7], seed, low, 3.0),
            tf.random.stateless_uniform([7], seed, dtype=tf.float64),
            tf.random.stateless_normal([3, 3], seed),
            tf.random.stateless_normal([5], seed, low, 2.0),
            tf.random.stateless_normal([5], seed, dtype=tf.float64),
        ]

    compiled = same(f, tf.constant(seed), tf.constant(-1.0))
    assert "host" not in str(compiled.explain())


def test_a_generator_draws_on_the_device_what_it_draws_on_the_host():
    def drawn(engine):
        near_the_end = tf.random.Generator.from_key_counter(
            5, [-300, 7], "philox"
        )  # its counter goes over into the second word
        generators = [tf.random.Generator.from_seed(1234), near_the_end]

        @tf.function(engine=engine)
        def f(low):
            total = tf.zeros([3])
            for _ in tf.range(20):
                total += generators[0].uniform([3])
            found = [total]
            for generator in generators:
                found += [
                    generator.normal([2, 3]),
                    generator.uniform([5], low, 3.0),
                    generator.normal([3], dtype=tf.float64, stddev=2.0),
                    generator.uniform([2], dtype=tf.float64),
                ]
            return found

        results = [value for _ in range(3) for value in f(tf.constant(-1.0))]
        return [*results, *(generator.state for generator in generators)], f

    expected, _ = drawn("native")
    found, f = drawn("xla")
    assert "host" not in str(f.explain())
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-6)


def test_other_distributions_are_drawn_on_the_host():
    compiled = same(lambda seed: tf.random.stateless_uniform([3], seed, 0, 9, tf.int32) * 2, tf.constant([1, 2]))
    assert "stateless_uniform: a Python function is called" in str(compiled.explain())
    generators = [tf.random.Generator.from_seed(1) for _ in range(2)]
    for function in ("truncated_normal", "uniform_full_int"):
        drawn = [
            tf.function(
                lambda g=g, name=function: (g.normal([2]), getattr(g, name)([2]), g.normal([2])), engine=engine
            )()
            for g, engine in zip(generators, ("native", "xla"), strict=True)
        ]
        for a, b in zip(*drawn, strict=True):
            np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-6)


def test_a_python_function_sees_variables_as_they_are_at_its_place():
    v, seen = tf.Variable(1.0), []

    @tf.function(engine="xla")
    def f():
        v.assign_add(1.0)
        tf.py_function(lambda: seen.append(float(v)), [], [])
        v.assign_add(1.0)
        return v * 1.0

    assert float(f()) == 3.0
    assert seen == [2.0]


@pytest.mark.parametrize("nesterov", [False, True])
def test_updates_of_optimizers_are_ops(nesterov):
    def trained(engine):
        var, m, v = (tf.Variable([1.0, -2.0, 3.0]), tf.Variable(tf.zeros([3])), tf.Variable(tf.zeros([3])))

        @tf.function(engine=engine)
        def step(power):
            tf.raw_ops.ResourceApplyAdam(
                var=var.handle, m=m.handle, v=v.handle, beta1_power=0.9 * power, beta2_power=0.999 * power, lr=0.1,
                beta1=0.9, beta2=0.999, epsilon=1e-7, grad=var * 2.0, use_nesterov=nesterov,
            )  # fmt: skip
            tf.raw_ops.ResourceApplyGradientDescent(var=var.handle, alpha=0.1, delta=[1.0, 2.0, 3.0])

        for power in (1.0, 0.9, 0.8):
            step(tf.constant(power))
        return [var, m, v], step

    expected, _ = trained("native")
    found, step = trained("xla")
    assert "host" not in str(step.explain())
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-5)


# --- tapes around --------------------------------------------------------------------------------------------------------------


def test_a_tape_around_a_function():
    v = tf.Variable(X)
    f = tf.function(lambda x: tf.reduce_sum(tf.tanh(x * v)), engine="xla")
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y, z = f(X), tf.reduce_sum(tf.tanh(X * v))
    for a, b in zip(tape.gradient(y, [X, v]), tape.gradient(z, [X, v]), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5)


def test_a_loss_that_is_computed_outside_of_a_function_has_gradients_through_it():
    v = tf.Variable(X)
    f = tf.function(lambda x: (tf.tanh(x * v), tf.gather(v, [1, 1])), engine="xla")
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y, rows = f(X)
        loss = tf.reduce_sum(y * y) + tf.reduce_sum(rows) + tf.reduce_sum(X)
        expected = tf.reduce_sum(tf.tanh(X * v) ** 2) + tf.reduce_sum(tf.gather(v, [1, 1])) + tf.reduce_sum(X)
        alone = tf.reduce_sum(y)
    for a, b in zip(tape.gradient(loss, [X, v]), tape.gradient(expected, [X, v]), strict=True):
        np.testing.assert_allclose(tf.convert_to_tensor(a).numpy(), tf.convert_to_tensor(b).numpy(), rtol=1e-5)
    assert all(isinstance(part, tf.Tensor) for part in tape.gradient(alone, [X, v]))


def test_the_gradient_of_a_loop_whose_end_depends_on_values_under_a_tape_around():
    def f(x):
        while tf.reduce_sum(x) < 50.0:
            x = x * x + tf.sin(x)
        return x

    x, found = tf.constant([1.2, 2.0]), []
    for engine in ("native", "xla"):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.function(f, engine=engine)(x)
        found.append(tape.gradient(y, x).numpy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-4)


def test_slices_that_a_tape_around_a_function_gives_can_be_made_dense_and_added():
    x = tf.constant([1.0, 2.0, 3.0])
    f = tf.function(lambda x, i: tf.gather(x, i) * 2.0, engine="xla")
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = f(x, tf.constant([0, 2])), f(x, tf.constant([2, 2]))
        total = tf.reduce_sum(y) + tf.reduce_sum(z)
    assert tf.convert_to_tensor(tape.gradient(y, x)).numpy().tolist() == [2.0, 0.0, 2.0]
    assert tf.convert_to_tensor(tape.gradient(total, x)).numpy().tolist() == [2.0, 0.0, 6.0]


def test_second_derivatives_and_jacobians_through_a_function():
    x = tf.constant([0.3, -0.7, 1.1])
    f = tf.function(lambda x: tf.sin(x) * x, engine="xla")
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    second = outer.jacobian(first, x)
    expected = np.diag(2 * np.cos(x.numpy()) - x.numpy() * np.sin(x.numpy()))
    np.testing.assert_allclose(second.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_tangents_through_a_function():
    x = tf.constant([0.3, -0.7])
    f = tf.function(lambda x: tf.exp(x), engine="xla")
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = f(x)
    np.testing.assert_allclose(accumulator.jvp(y).numpy(), np.exp(x.numpy()), rtol=1e-6)


# --- values on the device ------------------------------------------------------------------------------------------------------


def training_step():
    weights = [tf.Variable(tf.ones([3, 5]) * 0.1), tf.Variable(tf.zeros([5]))]

    @tf.function(engine="xla")
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ weights[0] + weights[1] - 1.0) ** 2)
        for variable, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            variable.assign_sub(0.1 * gradient)
        return loss

    return weights, step


def test_a_training_loop_moves_no_weights():
    _, step = training_step()
    losses = [step(X) for _ in range(3)]
    before = COPIES.to_host, COPIES.to_device
    losses += [step(X) for _ in range(10)]
    assert COPIES.to_host == before[0]
    assert COPIES.to_device == before[1]  # the batch, too, is there
    losses += [step(tf.identity(X)) for _ in range(10)]
    assert COPIES.to_device == before[1] + 10  # those that come once are copied once
    assert float(losses[-1]) < float(losses[0])


def test_a_batch_that_is_given_to_each_step_is_copied_once():
    _, step = training_step()
    x, y = tf.constant(X), tf.constant(np.ones(3), tf.float64)
    add = tf.function(lambda y: y + 1.0, engine="xla")
    for _ in range(2):
        step(x), add(y)
    before = COPIES.to_device
    assert [add(y).numpy().tolist() for _ in range(3)] == [[2.0] * 3] * 3
    losses = [float(step(x)) for _ in range(10)]
    assert COPIES.to_device == before
    assert losses[-1] < losses[0]
    np.testing.assert_array_equal(x, X)


def test_a_variable_that_is_given_to_a_function_is_given_as_it_is_then():
    v = tf.Variable([1.0, 2.0])
    double = tf.function(lambda x: 2.0 * x, engine="xla")
    found = []
    for _ in range(4):
        found.append(double(v.value()).numpy().tolist())
        v.assign_add([1.0, 1.0])
    assert found == [[2.0, 4.0], [4.0, 6.0], [6.0, 8.0], [8.0, 10.0]]


def test_a_tensor_that_was_read_before_a_step_stays_what_it_was():
    weights, step = training_step()
    step(X)
    held, read = weights[0]._value, weights[0].read_value()
    view = np.asarray(weights[1])
    expected = read.numpy(), view.copy()
    for _ in range(3):
        step(X)
    assert np.array_equal(held.numpy(), expected[0])
    assert np.array_equal(read.numpy(), expected[0])
    assert np.array_equal(view, expected[1])
    assert not np.array_equal(weights[0].numpy(), expected[0])


def test_a_variable_of_float64_that_somebody_holds_is_copied_as_it_is():
    v = tf.Variable([1.0 / 3.0], dtype=tf.float64)

    @tf.function(engine="xla")
    def step():
        v.assign_add([1.0])

    step()
    held = v._value
    step()
    assert held.numpy()[0] == 1.0 / 3.0 + 1.0
    assert v.numpy()[0] == 1.0 / 3.0 + 1.0 + 1.0


def test_changes_of_variables_between_steps_are_seen():
    weights, step = training_step()
    twins, twin = training_step()
    for change in (
        lambda v: v[1].assign(v[1] + 1.0),
        lambda v: v[0].assign_add(tf.ones([3, 5])),
        lambda v: v[0].scatter_add(tf.IndexedSlices(tf.ones([1, 5]), [1])),
    ):
        step(X), change(weights), step(X)
        tf.config.run_functions_eagerly(True)
        try:
            twin(X), change(twins), twin(X)
        finally:
            tf.config.run_functions_eagerly(False)
        for a, b in zip(weights, twins, strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)


def test_a_large_variable_that_is_changed_in_place_is_moved_again():
    v = tf.Variable(tf.zeros([1 << 18]))
    f = tf.function(lambda: tf.reduce_sum(v), engine="xla")
    assert float(f()) == 0.0
    v.assign_add(tf.ones([1 << 18]))
    v.assign_add(tf.ones([1 << 18]))
    assert float(f()) == 2 << 18


def test_an_array_of_the_user_is_copied():
    array = np.ones((64, 64), np.float32)
    v = tf.Variable(array)
    f = tf.function(lambda x: (x + 0.0, v + 0.0), engine="xla")
    results = f(array)
    array[:] = 7.0
    for result in results:
        assert result.numpy().max() == 1.0


def on_the_device(values, dtype=None):
    found = tf.function(lambda x: x - 1, engine="xla")(tf.constant(values, dtype) + 1)
    assert type(found) is not type(X)
    return found


@pytest.mark.parametrize("way", ["gradient", "jacobian", "second", "jvp", "loop", "branch"])
def test_a_value_on_the_device_that_a_function_refers_to_has_its_derivative(way):
    def derivative(x):
        y = tf.constant([1.0, 2.0])
        programs = {
            "loop": lambda: tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * tf.sin(x)), (0, y))[1],
            "branch": lambda: tf.cond(y[0] > 0, lambda: tf.sin(x) * x, lambda: x),
        }
        f = tf.function(programs.get(way, lambda: tf.sin(x) * x * tf.gather(x, [1, 1])))
        if way == "jvp":
            with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as accumulator:
                result = f()
            return accumulator.jvp(result)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                result = f()
            slope = tape.jacobian(result, x) if way == "jacobian" else tf.convert_to_tensor(tape.gradient(result, x))
        return outer.jacobian(slope, x) if way == "second" else slope

    wanted = derivative(tf.constant([0.5, 2.0]))
    np.testing.assert_allclose(derivative(on_the_device([0.5, 2.0])), wanted, rtol=1e-6)


def test_composites_of_values_on_the_device_know_their_shapes_and_show_their_elements():
    splits, values = on_the_device([0, 1, 3], tf.int64), on_the_device([1.0, 2.0, 3.0])
    ragged = tf.RaggedTensor.from_row_splits(values, splits)
    assert str(ragged) == "<tf.RaggedTensor [[1.0], [2.0, 3.0]]>"
    assert repr(tf.experimental.RowPartition.from_row_splits(on_the_device([0, 1, 3], tf.int64))) == (
        "tf.RowPartition(row_splits=[0 1 3])"
    )
    sparse = tf.SparseTensor(
        on_the_device([[0], [2]], tf.int64), on_the_device([1.0, 2.0]), on_the_device([3], tf.int64)
    )
    assert sparse.shape == [3]
    assert isinstance(np.sin(on_the_device([1.0])), np.ndarray)  # as of a tensor on the host: nobody records


def test_a_device_tensor_is_a_tensor_like_any_other():
    import copy
    import pickle

    def made():
        return tf.function(lambda x: x * 2.0, engine="xla")(X)

    expected = X.numpy() * 2
    assert isinstance(made(), tf.Tensor)
    assert (made().shape, made().dtype, made().ndim, tf.rank(made())) == ((4, 3), tf.float32, 2, 2)
    for use in (
        lambda y: y + 0.0,
        lambda y: 0.0 + y,
        tf.identity,
        lambda y: tf.concat([y[:2], y[2:]], 0),
        lambda y: tf.constant(y.numpy()),
        lambda y: tf.constant(np.asarray(y)),
        copy.copy,
        copy.deepcopy,
        lambda y: pickle.loads(pickle.dumps(y)),
        tf.Variable,
        lambda y: tf.function(lambda z: z * 1.0)(y),
        lambda y: tf.function(lambda z: z * 1.0, engine="xla")(y),
        tf.convert_to_tensor,
        lambda y: tf.stack(tf.unstack(y)),
        lambda y: tf.py_function(lambda z: z * 1.0, [y], tf.float32),
    ):
        assert np.array_equal(use(made()).numpy(), expected)
    with tf.GradientTape() as tape:
        y = made()
        tape.watch(y)
        z = tf.reduce_sum(y * y)
    assert np.array_equal(tape.gradient(z, y).numpy(), expected * 2)
    assert str(made()) == str(tf.constant(expected))
    assert len(list(tf.data.Dataset.from_tensor_slices(made()))) == 4


def test_two_threads_that_train_lose_no_update():
    import threading

    v = tf.Variable(0.0)

    @tf.function(engine="xla")
    def step():
        v.assign_add(1.0)

    step()
    threads = [threading.Thread(target=lambda: [step() for _ in range(200)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert float(v) == 401.0


def test_a_thread_that_reads_while_another_trains_sees_whole_values_that_do_not_change():
    import threading

    variables = [tf.Variable(tf.zeros([64])) for _ in range(20)]
    evaluate = tf.function(lambda: tf.reduce_sum(variables[3]), engine="xla")

    @tf.function(engine="xla")
    def step():
        for v in variables:
            v.assign_add(tf.ones([64]))

    step()
    ended, wrong = threading.Event(), []

    def read():
        held = []
        while not ended.is_set():
            value = variables[7].read_value() if len(held) % 2 else variables[7]._value
            held.append((value, value.numpy().copy()))
            if len(set(held[-1][1].tolist())) != 1 or float(evaluate()) % 64:
                wrong.append(held[-1])
        wrong.extend(pair for pair in held if not np.array_equal(pair[0].numpy(), pair[1]))

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(300):
        step()
    ended.set()
    reader.join()
    assert not wrong
    assert variables[7].numpy()[0] == 301.0


def test_a_signal_handler_may_read_what_the_step_that_it_interrupts_changes(monkeypatch):
    from gradtape.xla import arrays

    v, seen = tf.Variable([1.0, 2.0]), []
    own = arrays._alone

    @tf.function(engine="xla")
    def step():
        v.assign_add([1.0, 1.0])

    step()
    monkeypatch.setattr(arrays, "_alone", lambda: (seen.append(v.numpy()), own())[1])  # (where a handler may run)
    step()
    step()
    assert [array.tolist() for array in seen] == [[2.0, 3.0], [3.0, 4.0]]
    assert v.numpy().tolist() == [4.0, 5.0]


def test_a_python_loop_that_becomes_many_instructions_is_warned_of_once(caplog, monkeypatch):
    monkeypatch.setattr(executor, "MANY_INSTRUCTIONS", 20)

    @tf.function(engine="xla")
    def unrolled(x):
        for _ in range(30):
            x = tf.tanh(x * 2.0)
        return x

    unrolled(tf.ones(3))
    with tf.GradientTape():
        unrolled(tf.ones(3))
    (message,) = [record.getMessage() for record in caplog.records]
    assert "unrolled has 60 instructions for XLA" in message
    assert "test_engine.py" in message
    assert "`for k in tf.range(n)`" in message
    tf.function(lambda x: tf.tanh(x), engine="xla")(tf.ones(3))
    assert len(caplog.records) == 1
