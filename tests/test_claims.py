"""The statements of docs/claims.md, each as a test; the examples of the texts, run as written."""

import threading

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.quick

MEGABYTE = 1_000_000


def large_ones():
    """One megabyte of float32."""
    return tf.constant(np.ones(MEGABYTE // 4, np.float32))


# ---------------------------------------------------------------- recording


def test_a_tape_records_the_operations_of_its_context():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x * x
    assert tape.gradient(y, x).numpy() == 12.0


def test_operations_before_the_context_are_not_recorded():
    x = tf.Variable(3.0)
    y = x * x
    with tf.GradientTape() as tape:
        z = y * 2.0
    assert tape.gradient(z, x) is None


def test_operations_after_the_context_are_not_recorded():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    z = y * 2.0
    assert tape.gradient(z, x) is None


def test_only_what_depends_on_something_watched_is_recorded(held):
    x = large_ones()
    with tf.GradientTape() as tape:
        y = x
        for _ in range(20):
            y = y * x
    assert held() < 3 * MEGABYTE
    assert tape.gradient(y, x) is None


def test_gradients_are_those_of_the_rules_of_the_recorded_operations():
    @tf.custom_gradient
    def square(x):
        def grad(dy):
            return dy * 100.0

        return x * x, grad

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = square(x)
    assert tape.gradient(y, x).numpy() == 100.0


def test_reverse_mode_runs_each_rule_once_for_any_number_of_inputs():
    runs = []

    @tf.custom_gradient
    def square(x):
        def grad(dy):
            runs.append(1)
            return 2.0 * x * dy

        return x * x, grad

    x = tf.Variable(np.arange(1000, dtype=np.float32))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(square(x))
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), 2 * np.arange(1000, dtype=np.float32))
    assert runs == [1]


def test_a_program_with_branches_and_loops_is_differentiated():
    def program(x):
        y = x
        for step in range(4):
            y = tf.sin(y) * x if step % 2 else y * y + x
        return y

    x = tf.Variable(0.7, dtype=tf.float64)
    with tf.GradientTape() as tape:
        y = program(x)
    h = 1e-6
    slope = (program(tf.constant(0.7 + h, tf.float64)) - program(tf.constant(0.7 - h, tf.float64))) / (2 * h)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), slope.numpy(), rtol=1e-8)


def test_a_tensor_is_an_array_of_any_number_of_dimensions():
    ranks = [tf.constant(np.zeros((2,) * rank)).ndim for rank in range(6)]
    assert ranks == [0, 1, 2, 3, 4, 5]
    x = tf.Variable(np.ones((2, 1, 3, 1, 2), np.float32))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * x)
    assert tape.gradient(y, x).shape == [2, 1, 3, 1, 2]


def test_deep_computations_are_differentiated_without_a_limit_of_depth():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(20_000):
            y = y + x
    assert tape.gradient(y, x).numpy() == 20_001.0


# ---------------------------------------------------------------- eager execution and graph mode


def test_a_tape_needs_no_function_and_runs_eagerly():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        assert tf.executing_eagerly()
        y = x * x
        assert y.numpy() == 9.0
    assert tf.executing_eagerly()
    assert tape.gradient(y, x).numpy() == 6.0


def test_gradients_can_be_monitored_as_they_are_computed_eagerly():
    w = tf.Variable(4.0)
    seen = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = w * w
        gradient = tape.gradient(loss, w)
        seen.append(float(gradient))
        w.assign_sub(0.25 * gradient)
    assert seen == [8.0, 4.0, 2.0]


def test_a_tape_works_inside_a_function():
    v = tf.Variable(3.0)

    @tf.function
    def slopes(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = v * x * x
        return tape.gradient(y, [x, v])

    assert [g.numpy() for g in slopes(tf.constant(2.0))] == [12.0, 4.0]


def test_a_tape_works_around_a_function():
    v = tf.Variable(3.0)

    @tf.function
    def f(x):
        return v * x * x

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert [g.numpy() for g in tape.gradient(y, [x, v])] == [12.0, 4.0]


def test_tf_gradients_belongs_to_graph_mode_and_says_so_eagerly():
    x = tf.constant(2.0)
    with pytest.raises(RuntimeError, match="GradientTape"):
        tf.gradients(x * x, x)


def test_tf_gradients_works_in_graph_mode():
    @tf.function
    def slope(x):
        return tf.gradients(x**3, x)

    assert [g.numpy() for g in slope(tf.constant(2.0))] == [12.0]


# ---------------------------------------------------------------- what is watched


def test_trainable_variables_are_watched_when_they_are_read():
    read, unread, frozen = tf.Variable(2.0), tf.Variable(2.0), tf.Variable(2.0, trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        y = read * frozen
    assert [v.ref() for v in tape.watched_variables()] == [read.ref()]
    assert tape.gradient(y, read).numpy() == 2.0
    assert tape.gradient(y, unread) is None
    assert tape.gradient(y, frozen) is None


def test_a_tensor_that_is_not_watched_has_no_gradient():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None


def test_watch_gives_a_constant_a_gradient():
    z, t = tf.constant(3.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(z)
        tape.watch(t)
        y = z * z * t
    assert [g.numpy() for g in tape.gradient(y, [z, t])] == [30.0, 9.0]


def test_watch_gives_a_variable_that_is_not_trainable_a_gradient():
    v = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = v * v
    assert tape.gradient(y, v).numpy() == 6.0


def test_watching_a_trainable_variable_changes_nothing():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = v * v
    assert tape.gradient(y, v).numpy() == 6.0
    assert len(tape.watched_variables()) == 1


def test_plain_arrays_become_inputs_as_variables_or_watched_constants():
    array = np.array([1.0, 2.0], np.float32)
    variable, constant = tf.Variable(array), tf.constant(array)
    with tf.GradientTape() as tape:
        tape.watch(constant)
        y = tf.reduce_sum(variable * variable + constant**3)
    by_variable, by_constant = tape.gradient(y, [variable, constant])
    np.testing.assert_array_equal(by_variable.numpy(), [2.0, 4.0])
    np.testing.assert_array_equal(by_constant.numpy(), [3.0, 12.0])
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="ndarray"):
        tape.watch(array)


def test_watch_accessed_variables_false_leaves_the_choice_to_watch():
    a, b = tf.Variable(1.0), tf.Variable(1.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(b)
        y = a**2 + b**3
    by_a, by_b = tape.gradient(y, [a, b])
    assert by_a is None
    assert by_b.numpy() == 3.0
    assert [v.ref() for v in tape.watched_variables()] == [b.ref()]


# ---------------------------------------------------------------- gradients and Jacobians


def test_the_gradient_is_the_vector_of_partial_derivatives():
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = x[0] * x[1] + x[2] ** 2
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [2.0, 1.0, 6.0])


def test_partial_derivatives_by_each_variable_come_from_one_call():
    x, y = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        z = x * x * y
    assert [g.numpy() for g in tape.gradient(z, [x, y])] == [20.0, 4.0]


def test_a_list_of_variables_of_different_shapes_gives_a_list_of_gradients_of_those_shapes():
    w, b, s = tf.Variable(np.ones((3, 4), np.float32)), tf.Variable(np.zeros(4, np.float32)), tf.Variable(2.0)
    x = tf.constant(np.ones((5, 3), np.float32))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((tf.matmul(x, w) + b) * s)
    gradients = tape.gradient(loss, [w, b, s])
    assert isinstance(gradients, list)
    assert [tuple(g.shape) for g in gradients] == [(3, 4), (4,), ()]
    np.testing.assert_array_equal(gradients[0].numpy(), np.full((3, 4), 10.0))
    np.testing.assert_array_equal(gradients[1].numpy(), np.full(4, 10.0))
    assert gradients[2].numpy() == 60.0


def test_gradient_may_also_be_called_inside_the_context():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        gradient = tape.gradient(y, x)
    assert gradient.numpy() == 6.0


def test_operations_that_are_not_differentiable_contribute_nothing():
    x = tf.Variable(2.7)
    with tf.GradientTape(persistent=True) as tape:
        rounded = tf.round(x)
        mixed = tf.round(x) * x
    assert tape.gradient(rounded, x) is None
    assert tape.gradient(mixed, x).numpy() == 3.0


def test_stop_gradient_leaves_a_part_out():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x * x) * x
    assert tape.gradient(y, x).numpy() == 9.0


def test_the_jacobian_of_a_models_output_by_its_weights():
    w = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2))
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        output = tf.matmul(x, w)[0]
    jacobian = tape.jacobian(output, w)
    expected = np.zeros((2, 3, 2))
    expected[0, :, 0] = expected[1, :, 1] = [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(jacobian.numpy(), expected)


def test_batch_jacobian_is_a_method_of_the_tape_and_gives_one_jacobian_for_each_example():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    np.testing.assert_array_equal(
        tape.batch_jacobian(y, x).numpy(), [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]
    )


def test_a_gradient_written_by_hand_is_the_gradient_of_the_tape():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(8, 3)), rng.normal(size=(3, 2))
    v = tf.Variable(w)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.tanh(tf.matmul(tf.constant(x), v)) ** 2)
    out = np.tanh(x @ w)
    by_hand = x.T @ (2 * out * (1 - out**2)) / out.size
    np.testing.assert_allclose(tape.gradient(loss, v).numpy(), by_hand, rtol=1e-12)


# ---------------------------------------------------------------- higher order


def test_nested_tapes_give_higher_derivatives():
    x = tf.Variable(2.0)
    with tf.GradientTape() as third:
        with tf.GradientTape() as second:
            with tf.GradientTape() as first:
                y = x**4
            dy = first.gradient(y, x)
        d2y = second.gradient(dy, x)
    assert [dy.numpy(), d2y.numpy(), third.gradient(d2y, x).numpy()] == [32.0, 48.0, 48.0]


# ---------------------------------------------------------------- persistence and resources


def test_a_plain_tape_gives_one_set_of_gradients():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="persistent"):
        tape.gradient(y, x)


def test_a_persistent_tape_gives_gradients_many_times():
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * y
    assert [tape.gradient(y, x).numpy(), tape.gradient(z, x).numpy(), tape.gradient(z, y).numpy()] == [
        6.0,
        108.0,
        18.0,
    ]


def test_a_persistent_tape_gives_gradients_many_times_within_its_context():
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        with tape.stop_recording():
            gradients = [tape.gradient(y, x).numpy() for _ in range(3)]
    assert gradients == [6.0, 6.0, 6.0]


def test_a_tape_holds_what_the_backward_pass_needs_in_proportion_to_the_computation(held):
    def held_by_tape(depth):
        x = tf.Variable(large_ones())
        before = held()
        with tf.GradientTape() as tape:
            y = x
            for _ in range(depth):
                y = tf.tanh(y)
        del y
        return (held() - before) / MEGABYTE, tape

    short, _ = held_by_tape(5)
    long, _ = held_by_tape(20)
    assert short == pytest.approx(5, abs=0.5)
    assert long == pytest.approx(20, abs=0.5)


def test_gradient_releases_what_a_plain_tape_holds(held):
    x = tf.Variable(large_ones())
    before = held()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.tanh(tf.tanh(tf.tanh(x))))
    assert held() - before > 2.5 * MEGABYTE
    tape.gradient(y, x)
    assert held() - before < 0.5 * MEGABYTE


def test_leaving_the_context_releases_nothing_that_gradient_needs(held):
    x = tf.Variable(large_ones())
    before = held()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.tanh(tf.tanh(tf.tanh(x))))
        inside = held()
    assert inside - before > 2.5 * MEGABYTE
    assert held() == pytest.approx(inside, rel=0.01)
    assert tape.gradient(y, x) is not None


def test_a_persistent_tape_holds_its_record_until_it_is_deleted(held):
    x = tf.Variable(large_ones())
    before = held()
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.tanh(tf.tanh(tf.tanh(x))))
    tape.gradient(y, x)
    assert held() - before > 2.5 * MEGABYTE
    del tape
    assert held() - before < 0.5 * MEGABYTE


def test_a_persistent_tape_that_goes_out_of_scope_needs_no_del(held):
    x = tf.Variable(large_ones())
    before = held()

    def slope():
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(tf.tanh(tf.tanh(tf.tanh(x))))
        return tape.gradient(y, x)

    slope()
    assert held() - before < 0.5 * MEGABYTE


def test_a_tape_that_was_never_entered_records_nothing():
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with pytest.raises(AttributeError):
        tape.watch(x)
    with pytest.raises(RuntimeError):
        tape.gradient(x, x)


def test_the_with_statement_ends_the_recording_when_the_body_raises():
    x = tf.Variable(3.0)
    with pytest.raises(KeyError), tf.GradientTape() as tape:
        y = x * x
        raise KeyError
    z = y * y
    assert tape.gradient(z, x) is None


# ---------------------------------------------------------------- training


def linear_model(shape):
    """A model without Keras: a function and its variables."""
    w, b = tf.Variable(np.ones(shape, np.float32)), tf.Variable(np.zeros(shape[-1], np.float32))
    return (lambda x: tf.matmul(x, w) + b), [w, b]


def test_a_training_step_lowers_the_loss():
    model, variables = linear_model((2, 1))
    inputs, labels = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [2.0]])
    losses = []
    for _ in range(20):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(inputs) - labels) ** 2)
        losses.append(float(loss))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.02 * gradient)
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.1 * losses[0]


def test_gradients_are_processed_before_they_are_applied():
    v, w = tf.Variable([3.0, 4.0]), tf.Variable([12.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v**2) / 2.0 + tf.reduce_sum(w**2) / 2.0
    gradients = tape.gradient(loss, [v, w])
    clipped, norm = tf.clip_by_global_norm(gradients, 1.0)
    assert norm.numpy() == 13.0
    normalised = [tf.clip_by_norm(g, 1.0) for g in gradients]
    transformed = [tf.sign(g) for g in gradients]
    for variable, gradient in zip([v, w], clipped, strict=True):
        variable.assign_sub(gradient)
    np.testing.assert_allclose(v.numpy(), [3 - 3 / 13, 4 - 4 / 13], rtol=1e-6)
    np.testing.assert_allclose(w.numpy(), [12 - 12 / 13], rtol=1e-6)
    np.testing.assert_allclose(normalised[0].numpy(), [0.6, 0.8], rtol=1e-6)
    np.testing.assert_array_equal(transformed[1].numpy(), [1.0])


def test_two_models_are_trained_under_one_tape():
    first, first_variables = linear_model((2, 3))
    second, second_variables = linear_model((3, 1))
    x, target = tf.constant([[1.0, 2.0]]), tf.constant([[1.0]])

    def loss():
        return tf.reduce_mean((second(tf.tanh(first(x))) - target) ** 2)

    variables = first_variables + second_variables
    with tf.GradientTape() as tape:
        before = loss()
    gradients = tape.gradient(before, variables)
    assert [g.shape for g in gradients] == [v.shape for v in variables]
    for variable, gradient in zip(variables, gradients, strict=True):
        variable.assign_sub(0.05 * gradient)
    assert float(loss()) < float(before)


def test_two_tapes_over_one_computation_train_adversaries():
    generator, generator_variables = linear_model((1, 2))
    discriminator, discriminator_variables = linear_model((2, 1))
    noise, real = tf.constant([[0.5]]), tf.constant([[2.0, -1.0]])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        fake_score, real_score = discriminator(generator(noise)), discriminator(real)
        gen_loss = -tf.reduce_mean(fake_score)
        disc_loss = tf.reduce_mean(fake_score) - tf.reduce_mean(real_score)
    gen_gradients = gen_tape.gradient(gen_loss, generator_variables)
    disc_gradients = disc_tape.gradient(disc_loss, discriminator_variables)
    np.testing.assert_array_equal(gen_gradients[0].numpy(), [[-0.5, -0.5]])
    np.testing.assert_array_equal(disc_gradients[0].numpy(), [[-1.5], [1.5]])


# ---------------------------------------------------------------- environment


def test_a_gpu_that_is_not_there_is_no_obstacle():
    assert tf.config.list_physical_devices("GPU") == []
    with tf.device("/GPU:0"):
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = x * x
    assert tape.gradient(y, x).numpy() == 6.0


def test_the_cpu_is_always_there():
    with tf.device("/CPU:0"):
        assert (tf.constant(2.0) * 3.0).numpy() == 6.0
    assert len(tf.config.list_physical_devices("CPU")) == 1


def test_a_tape_belongs_to_the_thread_that_entered_it():
    x, box = tf.Variable(3.0), []
    with tf.GradientTape() as tape:
        worker = threading.Thread(target=lambda: box.append(x * x))
        worker.start()
        worker.join()
    assert tape.gradient(box[0], x) is None


# ---------------------------------------------------------------- the examples, as they are written
# Text 2's `import tensorflow as tf` is `import gradtape as tf` here, and `print` is checked.


def test_text_2_example_1_basic_gradient_calculation(capsys):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x ** 2  # fmt: skip
    dy_dx = tape.gradient(y, x)
    print(dy_dx)  # Output: 6.0
    assert capsys.readouterr().out == "tf.Tensor(6.0, shape=(), dtype=float32)\n"


def test_text_2_example_2_gradient_calculation_with_manual_watch(capsys):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x ** 2  # fmt: skip
    dy_dx = tape.gradient(y, x)
    print(dy_dx)  # Output: 6.0
    assert capsys.readouterr().out == "tf.Tensor(6.0, shape=(), dtype=float32)\n"


def test_text_5_example_basic_gradient_calculation():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    dy_dx = tape.gradient(y, x)
    assert dy_dx.numpy() == 6.0


def test_text_5_example_higher_order_gradients():
    x = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape1:
        with tf.GradientTape() as tape2:
            y = x * x
        dy_dx = tape2.gradient(y, x)
    d2y_dx2 = tape1.gradient(dy_dx, x)
    assert dy_dx.numpy() == 2.0
    assert d2y_dx2.numpy() == 2.0


def test_function_is_the_alternative_when_eager_execution_costs_too_much():
    traced = []

    @tf.function
    def step(x):
        traced.append(1)
        return tf.tanh(x) * x

    results = [step(tf.constant(value)).numpy() for value in (1.0, 2.0, 3.0)]
    np.testing.assert_allclose(results, np.tanh([1.0, 2.0, 3.0]) * [1.0, 2.0, 3.0], rtol=1e-6)
    assert traced == [1]
