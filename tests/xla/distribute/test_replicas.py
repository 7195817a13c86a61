"""Strategies with several replicas give the numbers of TensorFlow's, and of one replica."""

import contextlib
import json
import pathlib

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax", reason="the extra `xla` is not installed")

from gradtape.xla.communication import communication

from .replica_programs import programs

D = tf.distribute
OBSERVED = json.loads(pathlib.Path(__file__).with_name("replica_programs.json").read_text(encoding="utf-8"))


@pytest.fixture
def strategy():
    return D.MirroredStrategy([f"CPU:{number}" for number in range(4)])


@pytest.fixture(scope="module")
def given():
    strategy = D.MirroredStrategy([f"CPU:{number}" for number in range(4)])
    return programs(tf, strategy)


@pytest.mark.parametrize("name", OBSERVED)
def test_programs_give_what_they_give_with_tensorflow(given, name):
    flat = [np.ravel(np.asarray(part)) for part in (given[name], OBSERVED[name]) if name != "exchanged"]
    if name == "exchanged":
        flat = [np.concatenate([np.ravel(part) for part in found[name]]) for found in (given, OBSERVED)]
    np.testing.assert_allclose(*flat, rtol=1e-5, atol=1e-6)


def test_replicas_exchange_their_gradients_at_once(strategy):
    variables = [tf.Variable(tf.ones(shape), aggregation=tf.VariableAggregation.SUM) for shape in ([3, 5], [5], [5, 2])]

    def descend(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ variables[0] + variables[1]) @ variables[2])
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.1 * gradient)
        return loss

    step = tf.function(lambda x: strategy.reduce("SUM", strategy.run(descend, args=(x,)), axis=None))
    (batch,) = strategy.experimental_distribute_dataset([tf.ones([8, 3])])
    step(batch)
    step(batch)
    kinds = {found.kind for found in communication(step)}
    assert kinds == {"all-reduce"}
    assert sum(found.bytes for found in communication(step)) == 4 * (15 + 5 + 10 + 1)


def test_a_strategy_tells_its_replicas(strategy):
    assert repr(strategy) == "<tf.distribute.MirroredStrategy with 4 replicas>"
    assert strategy.num_replicas_in_sync == 4
    assert strategy.extended.worker_devices == ("CPU:0", "CPU:1", "CPU:2", "CPU:3")
    assert strategy.run(lambda: D.get_replica_context().num_replicas_in_sync) == 4  # as with TensorFlow
    assert "PerReplica" in repr(strategy.run(lambda: tf.constant(4)))
    assert strategy.run(lambda: None) is None


def test_a_dataset_tells_what_its_elements_look_like(strategy):
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(16).batch(8, drop_remainder=True))
    assert len(data) == 2
    found = data.element_spec
    assert found.is_compatible_with(next(iter(data)))
    traced = tf.function(lambda x: strategy.reduce("SUM", x, axis=0), input_signature=[found])
    assert [int(traced(batch)) for batch in data] == [28, 92]
    iterator = iter(data)
    assert [bool(iterator.get_next_as_optional().has_value()) for _ in range(3)] == [True, True, False]


def number():
    """Of the replica that runs this."""
    return tf.cast(D.get_replica_context().replica_id_in_sync_group, tf.float32)


def test_what_replicas_cannot_do_is_named(strategy):
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be shared out to 4 replicas"):
        next(iter(strategy.experimental_distribute_dataset([tf.constant(1.0)])))
    generator = tf.random.Generator.from_seed(1)
    with pytest.raises(tf.errors.UnimplementedError, match=r"Generator.uniform in a replica.*in the strategy's scope"):
        strategy.run(lambda: generator.uniform([], 0, 10 + tf.cast(number(), tf.int32), tf.int32))
    with pytest.raises(ValueError, match="cannot be reduced"):
        strategy.reduce("SUM", tf.constant(1.0), axis=None)


def test_a_generator_from_outside_draws_around_means_that_replicas_compute(strategy):
    first, second = tf.random.Generator.from_seed(1), tf.random.Generator.from_seed(1)
    found = strategy.experimental_local_results(strategy.run(lambda: first.normal([], mean=number())))
    drawn = strategy.experimental_local_results(strategy.run(lambda: second.normal([])))
    np.testing.assert_allclose(np.subtract(found, drawn), [0, 1, 2, 3], rtol=1e-5)


def test_replicas_run_on_xla_inside_of_a_function_that_does_not(strategy):
    v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)

    @tf.function(engine="native")
    def step():
        strategy.run(lambda: v.assign_add(1.0))
        return v * 2.0

    assert [float(step()), float(step())] == [10.0, 18.0]


def test_devices_that_are_not_there_are_named_and_one_replica_runs(caplog):
    strategy = D.MirroredStrategy(["GPU:0", "GPU:1"])
    assert strategy.num_replicas_in_sync == 1
    assert "GPU:0" in caplog.text
    assert int(strategy.run(lambda: tf.constant(3))) == 3


def test_random_numbers_differ_between_replicas_by_their_seeds(strategy):
    def draw():
        number = D.get_replica_context().replica_id_in_sync_group
        return tf.random.stateless_normal([3], seed=tf.stack([7, number]))

    values = strategy.experimental_local_results(strategy.run(draw))
    for number, value in enumerate(values):
        np.testing.assert_allclose(value, tf.random.stateless_normal([3], seed=[7, number]), rtol=1e-5)


def test_an_optimizer_and_metrics_of_keras_see_all_replicas(strategy):
    keras = pytest.importorskip("keras", reason="the extra `keras` is not installed")
    x = np.random.default_rng(0).normal(size=(16, 3)).astype(np.float32)

    def trained(strategy):
        keras.utils.set_random_seed(0)
        layers = [keras.layers.Dense(4, "tanh"), keras.layers.Dropout(0.0), keras.layers.Dense(1)]
        model = keras.Sequential([keras.Input((3,)), *layers])
        optimizer = keras.optimizers.Adam(0.05)
        optimizer.build(model.trainable_variables)
        mean = keras.metrics.Mean()

        def step(x):
            with tf.GradientTape() as tape:
                rows = (model(x, training=True) - 1.0) ** 2
                loss = tf.reduce_sum(rows) / 16.0
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            mean.update_state(rows)
            return loss

        run = tf.function(lambda x: strategy.reduce("SUM", strategy.run(step, args=(x,)), axis=None))
        (batch,) = strategy.experimental_distribute_dataset([tf.constant(x)])
        return [float(run(batch)) for _ in range(5)], float(mean.result()), model.get_weights()

    four, one = trained(strategy), trained(D.OneDeviceStrategy("CPU:0"))
    np.testing.assert_allclose(four[0], one[0], rtol=1e-5)
    np.testing.assert_allclose(four[1], one[1], rtol=1e-5)
    for found, wanted in zip(four[2], one[2], strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-5)


def of_replica(strategy):
    """1, 2, 3 and 4."""
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(context.replica_id_in_sync_group + 1.0)
    )


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_a_tape_around_run_follows_variables_arguments_and_what_replicas_exchange(strategy, wrap):
    v, numbers = tf.Variable(2.0), of_replica(strategy)

    def one(x, c):
        mean = D.get_replica_context().all_reduce("MEAN", v * x)
        return v * v * x * c + mean

    def descend(c):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(c)
            total = strategy.reduce("SUM", strategy.run(one, args=(numbers, c)), axis=None)
            again = tf.reduce_sum(total**2)
        return total, tape.gradient(total, [v, c]), tape.gradient(again, v)

    total, (of_v, of_c), of_square = wrap(descend)(tf.constant(3.0))
    # total = 10 c v^2 + 4 * mean(v x) = 30 v^2 + 10 v
    assert [float(total), float(of_v), float(of_c)] == [140.0, 130.0, 40.0]
    assert float(of_square) == 2 * 140.0 * 130.0


def test_second_derivatives_and_tangents_go_through_replicas(strategy):
    x, numbers = tf.constant(2.0), of_replica(strategy)

    def total():
        return strategy.reduce("SUM", strategy.run(lambda n: n * x**3, args=(numbers,)), axis=None)

    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            value = total()
        first = inner.gradient(value, x)
    assert [float(first), float(outer.gradient(first, x))] == [120.0, 120.0]
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        value = total()
    assert float(accumulator.jvp(value)) == 120.0


def test_a_tape_around_replicas_that_assign_takes_the_values_from_before(strategy):
    v = tf.Variable(2.0, aggregation=tf.VariableAggregation.SUM)
    numbers = of_replica(strategy)

    def one(n):
        y = v * v * n
        v.assign_sub(0.01 * n)
        return y

    with tf.GradientTape() as tape:
        total = strategy.reduce("SUM", strategy.run(one, args=(numbers,)), axis=None)
    assert float(tape.gradient(total, v)) == 40.0
    np.testing.assert_allclose(v.numpy(), 1.9, rtol=1e-6)


def test_a_tape_around_replicas_follows_what_they_draw(strategy):
    v = tf.Variable(2.0)
    tf.random.set_seed(3)
    with tf.GradientTape() as tape:
        drawn = strategy.run(lambda: v * v * tf.random.normal([]))
        total = strategy.reduce("SUM", drawn, axis=None)
    assert len({float(value) for value in strategy.experimental_local_results(drawn)}) == 4
    np.testing.assert_allclose(tape.gradient(total, v), total, rtol=1e-5)


def test_dropout_of_keras_is_the_same_on_all_replicas_as_on_tensorflow(strategy):
    keras = pytest.importorskip("keras", reason="the extra `keras` is not installed")
    with strategy.scope():
        layer = keras.layers.Dropout(0.5, seed=3)
    run = tf.function(lambda: strategy.run(lambda: layer(tf.ones([64]), training=True)))
    first, second = (np.stack(strategy.experimental_local_results(run())) for _ in range(2))
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, np.broadcast_to(first[0], first.shape))


def own_value(strategy, kind, initial=4.0, **settings):
    with strategy.scope():
        return tf.Variable(
            initial,
            aggregation=tf.VariableAggregation[kind],
            synchronization=tf.VariableSynchronization.ON_READ,
            **settings,
        )


def values(strategy, value):
    return [float(part) for part in strategy.experimental_local_results(value)]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_what_has_no_meaning_outside_of_replicas_is_refused(strategy, wrap):
    total, alone = own_value(strategy, "SUM"), own_value(strategy, "NONE")
    for method in ("assign_add", "assign_sub"):
        with pytest.raises(ValueError, match=f"does not support `{method}` in cross-replica context"):
            wrap(lambda method=method: getattr(total, method)(1.0))()
    strategy.run(lambda: alone.assign_add(number()))
    assert values(strategy, alone) == [4.0, 5.0, 6.0, 7.0]
    for use in (alone.read_value, lambda: alone + 1.0):
        with pytest.raises(ValueError, match="not one that could be read outside of `run`"):
            wrap(use)()
    with pytest.raises(ValueError, match="not one that could be changed outside of `run`"):
        wrap(lambda: alone.assign(1.0))()
    with pytest.raises(ValueError, match="not one that could be read"):
        alone.numpy()
    rows = own_value(strategy, "SUM", [1.0, 2.0])
    slices = tf.IndexedSlices(tf.constant([5.0]), tf.constant([1]))
    with pytest.raises(NotImplementedError, match="doesn't support `scatter_add`"):
        wrap(lambda: rows.scatter_add(slices))()
    with pytest.raises(ValueError, match=r"aggregation=MEAN and a non-floating dtype is not supported.*int32"):
        own_value(strategy, "MEAN", 1)


def test_an_integer_is_shared_out_to_replicas_without_a_loss(strategy):
    v = own_value(strategy, "SUM", 0)
    v.assign(10)
    assert [int(v), values(strategy, v)] == [10, [4.0, 2.0, 2.0, 2.0]]
    tf.function(lambda: v.assign(-7))()
    assert [int(v), sum(values(strategy, v))] == [-7, -7.0]


def test_a_checkpoint_has_what_is_read_outside(strategy, tmp_path):
    total, mean = own_value(strategy, "SUM"), own_value(strategy, "MEAN")
    strategy.run(lambda: (total.assign_add(number()), mean.assign_add(number())))
    path = tf.train.Checkpoint(total=total, mean=mean).save(tmp_path / "c")
    plain = tf.Variable(0.0)
    tf.train.Checkpoint(total=plain).read(path).expect_partial()
    assert float(plain) == 22.0
    total.assign(0.0)
    mean.assign(0.0)
    tf.train.Checkpoint(total=total, mean=mean).read(path)
    assert [float(total), float(mean)] == [22.0, 5.5]
    assert [values(strategy, total), values(strategy, mean)] == [[5.5] * 4, [5.5] * 4]


def test_the_mean_of_integers_over_replicas_is_not_rounded(strategy):
    numbers = strategy.run(lambda: tf.cast(number(), tf.int32))
    for axis, given in ((None, numbers), (0, strategy.run(lambda: tf.cast(number(), tf.int32)[None]))):
        mean = strategy.reduce("MEAN", given, axis=axis)
        assert (float(mean), mean.dtype) == (1.5, tf.float64)


@pytest.mark.parametrize("rows", [32, 38], ids=["even", "a last batch that does not come out even"])
def test_fit_of_a_model_made_in_the_scope_runs_on_all_replicas(strategy, rows):
    keras = pytest.importorskip("keras", reason="the extra `keras` is not installed")
    random = np.random.default_rng(0)
    x, y, w = random.random((rows, 8)).astype(np.float32), random.integers(0, 3, rows), random.random(rows)

    def trained(scope):
        keras.utils.set_random_seed(1)
        with scope():
            layers = keras.layers
            hidden = layers.Dense(8, "tanh", kernel_regularizer="l2")
            model = keras.Sequential([keras.Input((8,)), hidden, layers.Dense(3)])
            loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
            model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"], weighted_metrics=["accuracy"])
        settings = {"batch_size": 16, "verbose": 0}
        history = model.fit(x, y, sample_weight=w, epochs=2, shuffle=False, validation_data=(x, y), **settings).history
        return model, history, model.evaluate(x, y, **settings), model.predict(x, **settings)

    four, one = trained(strategy.scope), trained(contextlib.nullcontext)
    assert four[0].distribute_strategy is strategy
    assert int(four[0].optimizer.iterations) == 2 * -(-rows // 16)
    for name, values in one[1].items():
        np.testing.assert_allclose(four[1][name], values, rtol=1e-5, err_msg=name)
    np.testing.assert_allclose(four[2], one[2], rtol=1e-5)
    np.testing.assert_allclose(four[3], one[3], atol=1e-5)


def test_each_replica_of_fit_normalizes_its_own_rows(strategy):
    keras = pytest.importorskip("keras", reason="the extra `keras` is not installed")
    x = np.repeat([[0.0], [1.0], [2.0], [3.0]], 2, axis=0).astype(np.float32)  # each replica sees equal rows
    with strategy.scope():
        model = keras.Sequential(
            [keras.Input((1,)), keras.layers.BatchNormalization(momentum=0.0), keras.layers.Dense(1)]
        )
        model.compile("sgd", "mse")
    model.fit(x, x, batch_size=8, shuffle=False, verbose=0)
    mean, variance = model.layers[0].moving_mean, model.layers[0].moving_variance
    assert [float(mean[0]), float(variance[0])] == [0.0, 0.0]


def test_a_loss_of_keras_is_this_replicas_part_of_the_mean(strategy):
    keras = pytest.importorskip("keras", reason="the extra `keras` is not installed")
    loss = keras.losses.MeanSquaredError()
    parts = strategy.run(lambda: loss(tf.zeros([2, 1]), number() * tf.ones([2, 1])))
    assert values(strategy, parts) == [0.0, 0.25, 1.0, 2.25]


def test_the_next_batch_is_taken_inside_of_a_function(strategy):
    with strategy.scope():
        total = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    def add(x):
        total.assign_add(tf.reduce_sum(x))

    @tf.function
    def in_python(iterator):
        for _ in range(2):
            strategy.run(add, args=(next(iterator),))

    @tf.function
    def in_a_loop(iterator):
        for _ in tf.range(2):
            strategy.run(add, args=(next(iterator),))

    numbers = tf.data.Dataset.range(16).map(lambda x: tf.cast(x, tf.float32))
    shared_out = strategy.experimental_distribute_dataset(numbers.batch(8, drop_remainder=True))
    one_by_one = strategy.distribute_datasets_from_function(lambda _: numbers.batch(2, drop_remainder=True))
    for dataset in (shared_out, one_by_one):
        for step in (in_python, in_a_loop):
            total.assign(0.0)
            step(iter(dataset))
            assert total.numpy() == 120.0


def test_the_next_batch_in_a_function_may_have_any_number_of_rows(strategy):
    numbers = tf.data.Dataset.range(6)
    shared_out = strategy.experimental_distribute_dataset(numbers.batch(6, drop_remainder=True))
    of_unknown_size = strategy.experimental_distribute_dataset(numbers.batch(6))
    one_by_one = strategy.distribute_datasets_from_function(lambda _: numbers.batch(2).repeat())
    wanted = {shared_out: [1.0, 5.0, 9.0, 0.0], of_unknown_size: [1.0, 5.0, 9.0, 0.0], one_by_one: [1.0, 5.0, 9.0, 1.0]}
    for dataset, sums in wanted.items():
        step = tf.function(lambda iterator: strategy.run(tf.reduce_sum, args=(next(iterator),)))
        assert values(strategy, step(iter(dataset))) == sums


def rows_changed(strategy, kind, change, is_of_strategy=True):
    """The second row of [1, 2, 3], after replicas have changed it by 1, 2, 3 and 4."""
    with strategy.scope() if is_of_strategy else contextlib.nullcontext():
        v = tf.Variable([1.0, 2.0, 3.0], aggregation=tf.VariableAggregation[kind])
    strategy.run(lambda: change(v, tf.reshape(number() + 1.0, [1])))
    return [float(part[1]) for part in strategy.experimental_local_results(v)]


@pytest.mark.parametrize(
    ("kind", "method", "wanted"),
    [
        ("SUM", "scatter_add", [12.0] * 4),
        ("SUM", "scatter_mul", [48.0] * 4),
        ("MEAN", "scatter_sub", [-0.5] * 4),
        ("MEAN", "scatter_mul", [0.1875] * 4),
        ("ONLY_FIRST_REPLICA", "scatter_update", [1.0] * 4),
        ("ONLY_FIRST_REPLICA", "scatter_max", [2.0] * 4),
        ("NONE", "scatter_add", [3.0, 4.0, 5.0, 6.0]),
        ("NONE", "scatter_min", [1.0, 2.0, 2.0, 2.0]),
    ],
)
def test_rows_of_variables_are_changed_by_all_replicas(strategy, kind, method, wanted):
    """Observed with TensorFlow."""

    def change(v, value):
        getattr(v, method)(tf.IndexedSlices(value, tf.constant([1])))

    assert rows_changed(strategy, kind, change) == wanted


def test_rows_of_several_replicas_that_cannot_be_one_are_refused(strategy):
    with pytest.raises(NotImplementedError, match="scatter_update of a variable with aggregation=SUM in a replica"):
        rows_changed(strategy, "SUM", lambda v, value: v.scatter_update(tf.IndexedSlices(value, tf.constant([1]))))


def test_parts_of_variables_are_assigned_by_replicas(strategy):
    """Observed with TensorFlow, where each replica keeps what it assigns also with an aggregation."""

    def change(v, value):
        v[1:2].assign(value)

    assert rows_changed(strategy, "NONE", change) == [1.0, 2.0, 3.0, 4.0]
    assert rows_changed(strategy, "ONLY_FIRST_REPLICA", change) == [1.0] * 4
    assert rows_changed(strategy, "NONE", change, is_of_strategy=False) == [4.0] * 4
    assert rows_changed(strategy, "NONE", lambda v, _: v[1].assign_add(1.0), is_of_strategy=False) == [6.0] * 4


# --- in turn on the host ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "batch", "parts"),
    [(11, 8, [[2, 2, 2, 2], [1, 1, 1, 0]]), (10, 10, [[3, 3, 3, 1]]), (5, 3, [[1, 1, 1, 0], [1, 1, 0, 0]])],
)
def test_a_batch_that_does_not_come_out_even_is_cut_as_in_tensorflow(strategy, rows, batch, parts):
    """Observed with TensorFlow."""
    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(rows).batch(batch))
    assert [[len(part) for part in strategy.experimental_local_results(found)] for found in batches] == parts


def numbers(count, batch):
    """Batches of floats."""
    return tf.data.Dataset.from_tensor_slices(tf.range(float(count))).batch(batch)


def sums_of_parts(strategy, reduced, wrap):
    """What a step over batches of 8, 8 and 6 numbers gives, in a loop of the program and in one of a function."""
    batches = strategy.experimental_distribute_dataset(numbers(22, 8))
    step = wrap(lambda x: reduced(strategy.run(lambda x: 2.0 * x, args=(x,))))
    return [float(step(x)) for x in batches]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_parts_of_several_shapes_are_reduced_and_gathered(strategy, wrap):
    """Observed with TensorFlow."""
    assert sums_of_parts(strategy, lambda y: strategy.reduce("SUM", y, axis=0), wrap) == [56.0, 184.0, 222.0]
    assert sums_of_parts(strategy, lambda y: strategy.reduce("MEAN", y, axis=0), wrap) == [7.0, 23.0, 37.0]
    assert sums_of_parts(strategy, lambda y: strategy.gather(y, axis=0)[-1], wrap) == [14.0, 30.0, 42.0]
    *_, last = strategy.experimental_distribute_dataset(numbers(22, 8))
    step = wrap(lambda x: strategy.reduce("SUM", x, axis=None))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"several shapes, \(2,\), \(0,\).*Reduce them along an axis"
    ):
        step(last)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_training_with_a_last_batch_that_does_not_come_out_even(strategy, wrap):
    """The gradients of all rows are those of the whole batch."""
    x = np.random.default_rng(0).normal(size=(22, 3)).astype(np.float32)

    def trained(strategy):
        with strategy.scope():
            w = tf.Variable(tf.ones([3, 1]), aggregation=tf.VariableAggregation.SUM)
            rows = tf.Variable(
                0.0, aggregation=tf.VariableAggregation.SUM, synchronization=tf.VariableSynchronization.ON_READ
            )

        def one(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((x @ w) ** 2) / 8.0
            w.assign_sub(0.1 * tape.gradient(loss, w))
            rows.assign_add(tf.cast(tf.shape(x)[0], tf.float32))
            return loss

        step = wrap(lambda x: strategy.reduce("SUM", strategy.run(one, args=(x,)), axis=None))
        batches = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(x).batch(8))
        losses = [float(step(x)) for _ in range(2) for x in batches]
        return [*losses, *w.numpy()[:, 0], float(rows)]

    np.testing.assert_allclose(trained(strategy), trained(D.OneDeviceStrategy("CPU:0")), rtol=1e-5)


def test_a_loop_of_a_function_over_batches_that_do_not_come_out_even(strategy):
    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(15).batch(8))

    @tf.function
    def total(batches):
        found = tf.constant(0, tf.int64)
        for x in batches:
            found += strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(x,)), axis=None)
        return found

    assert [int(total(batches)), int(total(iter(batches)))] == [105, 105]


def test_the_spec_of_a_dataset_is_the_signature_of_a_function(strategy):
    """Of its even batches and of the last one."""
    batches = strategy.experimental_distribute_dataset(numbers(14, 8))
    step = tf.function(lambda x: strategy.run(tf.reduce_sum, args=(x,)), input_signature=[batches.element_spec])
    wanted = [[1.0, 5.0, 9.0, 13.0], [17.0, 21.0, 25.0, 0.0]]
    for run in (step, step.get_concrete_function()):
        assert [values(strategy, run(x)) for x in batches] == wanted


def counted(x):
    return tf.numpy_function(lambda x: np.float32(np.unique(x).size), [x], tf.float32)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize(
    ("one", "wanted"),
    [
        (lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 1.5)), [0.0, 5.0, 9.0, 13.0]),
        (lambda x: tf.reduce_sum(tf.unique(tf.round(x / 3.0))[0]), [0.0, 1.0, 3.0, 2.0]),
        (lambda x: tf.py_function(lambda x: x.numpy().max(), [x], tf.float32), [1.0, 3.0, 5.0, 7.0]),
        (counted, [2.0] * 4),
        (lambda x: tf.strings.length(tf.strings.join([tf.strings.as_string(tf.cast(x[0], tf.int32)), "b"])), [2.0] * 4),
    ],
    ids=["boolean_mask", "unique", "py_function", "numpy_function", "text"],
)
def test_what_no_program_of_all_devices_computes_runs_in_turn(strategy, wrap, one, wanted):
    """Observed with TensorFlow."""
    (x,) = strategy.experimental_distribute_dataset(numbers(8, 8))
    step = wrap(lambda: strategy.run(one, args=(x,)))
    for _ in range(2):
        assert values(strategy, step()) == wanted


def test_ragged_rows_and_text_are_shared_out(strategy):
    """Observed with TensorFlow."""
    rows = tf.ragged.constant([[1], [2, 3], [4], [5, 6], [7], [8], [9], [1, 2]])
    (x,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(rows).batch(8))
    found = strategy.run(lambda x: tf.reduce_sum(x.to_tensor()), args=(x,))
    assert values(strategy, found) == [6.0, 15.0, 15.0, 12.0]
    (x,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(["a", "bc", "def", ""]).batch(4))
    assert values(strategy, strategy.run(lambda x: tf.strings.length(x)[0], args=(x,))) == [1.0, 2.0, 3.0, 0.0]
    sizes = strategy.experimental_distribute_values_from_function(lambda c: tf.ones([c.replica_id_in_sync_group + 1]))
    assert values(strategy, strategy.run(tf.reduce_sum, args=(sizes,))) == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_replicas_in_turn_exchange_values_and_their_gradients(strategy, wrap):
    (x,) = strategy.experimental_distribute_dataset(numbers(6, 6).map(lambda x: x + 1.0))

    def one(x):
        replica = D.get_replica_context()
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = replica.all_reduce("SUM", tf.reduce_sum(x))
            y = total**2
        return total, tf.reduce_sum(tape.gradient(y, x)), tf.reduce_sum(replica.all_gather(x, axis=0) * number())

    total, slope, weighted = wrap(lambda: strategy.run(one, args=(x,)))()
    assert values(strategy, total) == [21.0] * 4
    assert values(strategy, slope) == [4 * 42.0 * 2] * 3 + [0.0]  # 4 replicas have their y
    assert values(strategy, weighted) == [0.0, 21.0, 42.0, 63.0]


def test_an_optimizer_of_keras_and_its_slots_are_the_same_for_replicas_in_turn(strategy):
    """In functions that are compiled after some calls, as an exchange is not made while they are."""
    keras = pytest.importorskip("keras", reason="the extra `keras` is not installed")
    x = np.random.default_rng(0).normal(size=(22, 3)).astype(np.float32)

    def trained(strategy):
        with strategy.scope():
            keras.utils.set_random_seed(1)
            model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(1)])
            optimizer = keras.optimizers.Adam(0.05)
            optimizer.build(model.trainable_variables)

        def one(x):
            with tf.GradientTape() as tape:
                loss = tf.nn.compute_average_loss((model(x)[:, 0] - 1.0) ** 2, global_batch_size=8)
            optimizer.apply_gradients(
                zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
            )
            return loss

        @tf.function
        def epochs(iterator):
            total = 0.0
            for _ in tf.range(9):
                total += strategy.reduce("SUM", strategy.run(one, args=(next(iterator),)), axis=None)
            return total

        batches = tf.data.Dataset.from_tensor_slices(x).batch(8).repeat()
        iterator = iter(strategy.experimental_distribute_dataset(batches))
        return [float(epochs(iterator)), float(epochs(iterator)), int(optimizer.iterations)]

    np.testing.assert_allclose(trained(strategy), trained(D.OneDeviceStrategy("CPU:0")), rtol=1e-4)


def test_replicas_in_turn_draw_numbers_of_their_own(strategy):
    tf.random.set_seed(3)
    (x,) = strategy.experimental_distribute_dataset(tf.data.Dataset.range(6).batch(6))
    for wrap in (lambda f: f, tf.function):
        drawn = wrap(
            lambda: strategy.run(lambda x: tf.random.normal([]) + 0.0 * tf.cast(tf.size(x), tf.float32), args=(x,))
        )()
        assert len(set(values(strategy, drawn))) == 4


def test_a_generator_of_the_strategy_draws_the_same_in_turn_and_together(strategy):
    def drawn(in_turn):
        with strategy.scope():
            generator = tf.random.Generator.from_seed(3)
        (x,) = strategy.experimental_distribute_dataset(numbers(6 if in_turn else 8, 8))
        step = tf.function(lambda x: strategy.run(lambda x: generator.normal([]) + 0.0 * tf.reduce_sum(x), args=(x,)))
        return [values(strategy, step(x)) for _ in range(2)]

    np.testing.assert_allclose(drawn(True), drawn(False), rtol=1e-5)


def test_an_error_of_a_replica_in_turn_ends_the_others_and_changes_nothing(strategy):
    v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)

    def one():
        v.assign_add(1.0)
        tf.py_function(lambda n: 1 / (2 - int(n)), [number()], tf.float64)
        return D.get_replica_context().all_reduce("SUM", number())

    with pytest.raises(tf.errors.UnknownError, match="ZeroDivisionError"):
        strategy.run(one)
    assert float(v) == 1.0


def test_a_tape_around_replicas_in_turn_that_exchange_values_is_refused(strategy):
    v = tf.Variable(2.0)
    (x,) = strategy.experimental_distribute_dataset(numbers(6, 6))
    with tf.GradientTape() as tape:
        total = strategy.reduce("SUM", strategy.run(lambda x: v * tf.reduce_sum(x), args=(x,)), axis=None)
    assert float(tape.gradient(total, v)) == 15.0
    with tf.GradientTape(), pytest.raises(tf.errors.UnimplementedError, match="Open the tape inside"):
        strategy.run(lambda x: D.get_replica_context().all_reduce("SUM", v * tf.reduce_sum(x)), args=(x,))


def test_losses_are_divided_by_the_number_of_replicas(strategy):
    """Observed with TensorFlow."""
    for wrap in (lambda f: f, tf.function):
        run = wrap(lambda: strategy.run(lambda: tf.nn.scale_regularization_loss(tf.constant(4.0))))
        assert values(strategy, run()) == [1.0] * 4
        run = wrap(lambda: strategy.run(lambda: tf.nn.compute_average_loss(tf.constant([1.0, 3.0]))))
        assert values(strategy, run()) == [0.5] * 4
    with strategy.scope():
        assert float(tf.nn.compute_average_loss([1.0, 3.0], global_batch_size=4)) == 1.0
        for function in (tf.nn.compute_average_loss, tf.nn.scale_regularization_loss):
            with pytest.raises(RuntimeError, match="in cross replica context"):
                function([1.0, 3.0])


# --- Python in replicas -----------------------------------------------------------------------------------------------------


def clipped(x):
    if tf.reduce_sum(x) > 1.0:
        y = x * 10.0
    else:
        y = x
    rounds = 0
    while tf.reduce_sum(y) < 5.0:
        y += 1.0
        rounds += 1
    return y


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_python_branches_and_loops_on_tensors_are_converted(strategy, wrap):
    x = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(float(context.replica_id_in_sync_group))
    )
    found = wrap(lambda: strategy.run(clipped, args=(x,)))()
    assert values(strategy, found) == [5.0, 5.0, 20.0, 30.0]

    def merged(x):
        def merge(strategy, value):
            total = strategy.reduce("SUM", value, axis=None)
            if total > 5.0:
                total = -total
            return total

        return D.get_replica_context().merge_call(merge, args=(x,))

    assert values(strategy, wrap(lambda: strategy.run(merged, args=(x,)))()) == [-6.0] * 4


def test_strategies_of_one_replica_convert_in_functions():
    for strategy in (D.get_strategy(), D.OneDeviceStrategy("/cpu:0")):
        run = tf.function(lambda x, strategy=strategy: strategy.run(clipped, args=(x,)))
        assert float(run(tf.constant(3.0))) == 30.0


def test_each_replica_prints_in_the_order_of_the_program(strategy, capsys):
    def step(x):
        tf.print("begin", number(), x)
        if number() == 2:
            tf.print("two")
        for k in tf.range(2):
            tf.print("round", k)
        tf.print("end", number())
        return x

    run = tf.function(lambda: strategy.run(step, args=(tf.constant(1.5, tf.float64),)))
    for _ in range(2):
        run()
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 4 * 4 + 1
        for replica in range(4):
            assert lines.index(f"begin {replica} 1.5") < lines.index(f"end {replica}")
        assert lines.index("begin 2 1.5") < lines.index("two") < lines.index("end 2")


def test_an_assertion_in_a_replica_is_raised_and_changes_nothing(strategy):
    v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)

    def step(x):
        tf.debugging.assert_less(x, 5.0)
        v.assign_add(x)

    run = tf.function(lambda x: strategy.run(step, args=(x,)))
    run(tf.constant(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="x < y did not hold"):
        run(tf.constant(9.0))
    run(tf.constant(2.0))
    assert float(v) == 1.0 + 4.0 + 8.0


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_a_variable_without_aggregation_is_another_in_each_replica_once_they_assign_it(strategy, wrap):
    """Observed with TensorFlow."""
    with strategy.scope():
        v = tf.Variable(1.0)
    run = wrap(lambda: strategy.run(lambda: v.assign(v * 0.5 + number()) + 0.0))
    assert values(strategy, run()) == [0.5, 1.5, 2.5, 3.5]
    assert values(strategy, run()) == [0.25, 1.75, 3.25, 4.75]
    assert values(strategy, v) == [0.25, 1.75, 3.25, 4.75]
    assert float(v) == 0.25
    v.assign(8.0)
    assert values(strategy, run()) == [4.0, 5.0, 6.0, 7.0]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_a_variable_from_elsewhere_is_changed_by_one_replica_after_the_other(strategy, wrap):
    """Observed with TensorFlow."""
    v = tf.Variable(1.0)
    wrap(lambda: strategy.run(lambda: v.assign_add(number())))()
    assert float(v) == 7.0
    wrap(lambda: strategy.run(lambda: v.assign_sub(1.0)))()
    assert float(v) == 3.0
    wrap(lambda: strategy.run(lambda: v.assign(number() * 2.0)))()
    assert float(v) == 6.0


def test_a_function_that_asks_for_its_replica_is_called_by_several_runs(strategy):
    total = tf.function(lambda x: D.get_replica_context().all_reduce("SUM", x * number()))
    for _ in range(2):
        assert values(strategy, strategy.run(total, args=(tf.constant(1.0),))) == [6.0] * 4
        assert values(strategy, strategy.run(lambda x: total(x) * number(), args=(tf.constant(2.0),))) == [
            0,
            12,
            24,
            36,
        ]


def test_what_is_no_tensor_is_returned_as_it_is(strategy):
    plain = (5, "text", 2.5, True, None)
    found = strategy.run(lambda: (*plain, D.get_replica_context().num_replicas_in_sync, number()))
    assert found[:6] == (*plain, 4)
    assert values(strategy, found[6]) == [0.0, 1.0, 2.0, 3.0]
    assert tf.function(lambda: strategy.run(lambda: 5))().numpy() == 5


def test_python_values_that_change_are_seen_by_the_next_run(strategy):
    """TensorFlow runs a Python function anew with each call of `run` in eager code; a tf.function is recorded once."""
    rate = 0.5

    def step(x):
        return x * rate

    def halves(run):
        nonlocal rate
        found = []
        for own in (0.5, 0.25, 0.25):
            rate = own
            found += [float(part) for part in strategy.experimental_local_results(run(tf.constant(8.0)))[:1]]
        return found

    assert halves(lambda x: strategy.run(step, args=(x,))) == [4.0, 2.0, 2.0]
    recorded = tf.function(step)
    assert halves(lambda x: strategy.run(recorded, args=(x,))) == [4.0, 4.0, 4.0]


def test_equal_programs_of_run_are_compiled_once(strategy):
    recordings = strategy._replicas._recordings
    w = tf.Variable(tf.ones([3, 2]), aggregation=tf.VariableAggregation.SUM)

    def step(x, rate):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ w) ** 2)
        w.assign_sub(rate * tape.gradient(loss, w))
        return {"loss": loss, "epoch": epoch, "rows": None}

    for epoch in range(3):
        returned = strategy.run(step, args=(tf.ones([4, 3]), 0.1))
        assert (returned["epoch"], returned["rows"]) == (epoch, None)
    assert len(recordings._kept) == 1
    strategy.run(step, args=(tf.ones([4, 3]), 0.2))
    assert len(recordings._kept) == 2


def test_replicas_run_where_functions_run_eagerly(strategy):
    tf.config.run_functions_eagerly(True)
    try:
        doubled = strategy.run(tf.function(lambda x: 2 * x), args=(tf.constant(3.0),))
    finally:
        tf.config.run_functions_eagerly(False)
    assert [float(part) for part in strategy.experimental_local_results(doubled)] == [6.0] * 4


@pytest.mark.parametrize("around", [lambda run: run, tf.function])
def test_replicas_return_values_made_of_several_tensors_and_of_several_sizes(strategy, around):
    def step():
        own = tf.range(4.0) + tf.cast(number(), tf.float32)
        slices = tf.IndexedSlices(own[:1], tf.constant([2]))
        ragged = tf.RaggedTensor.from_row_splits(own, [0, 1, 4])
        return {
            "large": tf.boolean_mask(own, own > 3),
            "slices": slices,
            "ragged": ragged,
            "zeros": tf.sparse.from_dense(own),
        }

    parts = strategy.experimental_local_results(around(lambda: strategy.run(step))())
    assert [part["large"].numpy().tolist() for part in parts] == [[], [4], [4, 5], [4, 5, 6]]
    assert [part["slices"].values.numpy().tolist() for part in parts] == [[0], [1], [2], [3]]
    assert parts[1]["ragged"].to_list() == [[1], [2, 3, 4]]
    assert str(parts[1]["ragged"]) == "<tf.RaggedTensor [[1.0], [2.0, 3.0, 4.0]]>"
    assert [part["zeros"].indices.shape[0] for part in parts] == [3, 4, 4, 4]
