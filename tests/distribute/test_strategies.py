"""Strategies with one replica: contexts, reductions, datasets, errors; observed with TensorFlow on one CPU."""

import copy
import json
import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape.distribute import resolvers

D = tf.distribute
MAKERS = {
    "mirrored": D.MirroredStrategy,
    "mirrored, by name": lambda: D.MirroredStrategy(["/cpu:0"], D.HierarchicalCopyAllReduce(num_packs=2)),
    "one device": lambda: D.OneDeviceStrategy("/cpu:0"),
    "central storage": D.experimental.CentralStorageStrategy,
    "many workers": D.MultiWorkerMirroredStrategy,
}


@pytest.fixture(params=MAKERS.values(), ids=list(MAKERS))
def strategy(request):
    return request.param()


def test_the_default_strategy_is_in_its_replica_context():
    assert not D.has_strategy()
    assert not D.in_cross_replica_context()
    replica = D.get_replica_context()
    assert replica.strategy is D.get_strategy()
    assert replica.replica_id_in_sync_group == 0
    assert replica.num_replicas_in_sync == D.get_strategy().num_replicas_in_sync == 1
    assert replica.merge_call(lambda strategy, x: x, args=(3,)) == 3
    assert float(replica.all_reduce("sum", tf.constant(2.0))) == 2
    assert D.get_strategy().reduce(D.ReduceOp.SUM, tf.constant([1.0, 2.0]), axis=0) == 3
    assert D.get_strategy().run(lambda: D.get_replica_context() is not None)


def test_scope_and_run_are_two_contexts(strategy):
    with strategy.scope() as entered:
        assert entered is strategy
        assert D.has_strategy()
        assert D.get_strategy() is strategy
        assert D.in_cross_replica_context()
        assert D.get_replica_context() is None
        with strategy.scope():
            pass

    def step():
        replica = D.get_replica_context()
        merged = replica.merge_call(lambda s, x: (s is strategy, D.in_cross_replica_context(), x), args=(1,))
        return D.get_strategy() is strategy, D.in_cross_replica_context(), merged

    assert strategy.run(step) == (True, False, (True, True, 1))
    assert not D.has_strategy()


def test_a_training_step_gives_the_gradient(strategy):
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])

    def step(x, scale):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * x * scale)
        v.assign_sub(tape.gradient(loss, v))
        return loss

    dataset = strategy.experimental_distribute_dataset([tf.constant([1.0, 1.0]), tf.constant([2.0, 2.0])])
    losses = [strategy.run(step, args=(x,), kwargs={"scale": 1.0}) for x in dataset]
    assert [float(strategy.reduce(D.ReduceOp.SUM, loss, axis=None)) for loss in losses] == [3.0, 2.0]
    assert v.numpy().tolist() == [-2.0, -1.0]


def test_reductions(strategy):
    value = strategy.run(lambda: tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert strategy.reduce("SUM", value, axis=None) is value
    assert strategy.reduce("SUM", value, axis=0).numpy().tolist() == [4.0, 6.0]
    assert strategy.reduce(D.ReduceOp.MEAN, value, axis=-1).numpy().tolist() == [1.5, 3.5]
    assert int(strategy.reduce("SUM", 3, axis=None)) == 3
    both = strategy.reduce("MEAN", {"a": value, "b": 1.0}, axis=None)
    assert float(both["b"]) == 1
    assert strategy.gather(value, axis=0) is value
    assert strategy.experimental_local_results(value) == (value,)
    assert strategy.experimental_distribute_values_from_function(lambda c: c.replica_id_in_sync_group) == 0
    with pytest.raises(ValueError, match="no axis 0"):
        strategy.reduce("SUM", tf.constant(1.0), axis=0)
    with pytest.raises(ValueError, match="not a valid ReduceOp"):
        strategy.reduce("MAX", value, axis=None)


def test_replicas_reduce_and_gather(strategy):
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([2]))

    def step():
        replica = D.get_replica_context()
        kept = replica.all_reduce(D.ReduceOp.MEAN, [tf.constant(2.0), slices])
        return kept, replica.all_gather(tf.constant([1.0]), axis=0)

    (number, rows), gathered = strategy.run(step)
    assert float(number) == 2
    assert rows is slices
    assert gathered.numpy().tolist() == [1.0]


def test_methods_in_the_wrong_context(strategy):
    other = D.OneDeviceStrategy("/cpu:0")
    for wrong in (
        lambda: strategy.run(lambda: 1),
        lambda: strategy.scope().__enter__(),
        lambda: strategy.reduce("SUM", 1, None),
    ):
        with pytest.raises(RuntimeError, match="cross-replica context"):
            strategy.run(wrong)
    with strategy.scope(), pytest.raises(RuntimeError, match="Mixing different"):
        other.scope().__enter__()
    with pytest.raises(TypeError, match="a function is needed"):
        strategy.run(3)
    assert not D.has_strategy()


def test_an_exception_leaves_both_contexts(strategy):
    def fails():
        raise KeyError

    with pytest.raises(KeyError), strategy.scope():
        strategy.run(fails)
    assert not D.has_strategy()
    assert D.get_replica_context() is not None


def test_threads_have_scopes_of_their_own():
    seen = []
    with D.MirroredStrategy().scope():
        thread = threading.Thread(target=lambda: seen.append(D.has_strategy()))
        thread.start()
        thread.join()
    assert seen == [False]


def test_distributed_datasets_are_iterated_like_datasets(strategy):
    dataset = strategy.experimental_distribute_dataset([1, 2, 3])
    assert list(dataset) == list(dataset) == [1, 2, 3]
    assert len(dataset) == 3
    iterator = iter(
        strategy.distribute_datasets_from_function(lambda context: [str(context), context.num_input_pipelines])
    )
    assert next(iterator) == "tf.distribute.InputContext(input pipeline id 0, total: 1)"
    assert iterator.get_next() == 1
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        iterator.get_next()
    with pytest.raises(ValueError, match="iterate over"):
        strategy.experimental_distribute_dataset(3)


def test_input_contexts_share_out_batches():
    context = D.InputContext(num_input_pipelines=2, input_pipeline_id=1, num_replicas_in_sync=4)
    assert (context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync) == (2, 1, 4)
    assert context.get_per_replica_batch_size(8) == 2
    with pytest.raises(ValueError, match="not divisible"):
        context.get_per_replica_batch_size(7)


def test_extended(strategy):
    extended = strategy.extended
    v = tf.Variable(1.0)
    with strategy.scope():
        extended.update(v, lambda variable, x: variable.assign_add(x), args=(tf.constant(1.0),))
        assert float(extended.reduce_to("SUM", v, v)) == 2
        assert [float(x) for x in extended.batch_reduce_to("MEAN", [(1.0, v), (2.0, v)])] == [1.0, 2.0]
        with extended.colocate_vars_with(v):
            pass
    assert extended.variable_created_in_scope(v)
    assert extended.worker_devices == extended.parameter_devices
    assert extended.call_for_each_replica(lambda x: x, args=(1,)) == 1
    assert copy.deepcopy(strategy) is strategy


def test_a_strategy_for_the_whole_program():
    strategy = D.MirroredStrategy()
    try:
        D.experimental_set_strategy(strategy)
        assert D.get_strategy() is strategy
        assert D.in_cross_replica_context()
        assert strategy.run(lambda: D.in_cross_replica_context()) is False
    finally:
        D.experimental_set_strategy(None)
    assert not D.has_strategy()
    with pytest.raises(TypeError, match=r"Strategy is needed"):
        D.experimental_set_strategy("mirrored")


def test_several_devices_are_one_replica(caplog):
    assert D.MirroredStrategy(["/gpu:0", "/gpu:1"]).num_replicas_in_sync == 1
    assert "2 devices were asked for" in caplog.text


def test_what_scripts_for_tpus_do_ends_with_one_replica():
    try:
        resolver = D.cluster_resolver.TPUClusterResolver(tpu="")
        strategy = D.TPUStrategy(resolver)
    except ValueError:
        strategy = D.get_strategy()
    assert strategy.num_replicas_in_sync == 1


@pytest.mark.parametrize(
    "make",
    [
        D.TPUStrategy,
        D.ParameterServerStrategy,
        D.Server,
        D.coordinator.ClusterCoordinator,
        D.cluster_resolver.UnionResolver,
        D.experimental.PreemptionCheckpointHandler,
    ],
)
def test_what_is_missing_is_named(make):
    with pytest.raises(ValueError, match=r"gradtape (connects|computes|runs)"):
        make("cluster")


CLUSTER = {"chief": ["a:1"], "worker": ["b:1", "c:1"]}


def test_a_resolver_tells_the_task_and_the_cluster(monkeypatch):
    resolver = D.MultiWorkerMirroredStrategy().cluster_resolver
    assert (resolver.task_type, resolver.task_id, resolver.master()) == (None, None, "")
    assert not resolver.cluster_spec()
    assert D.MirroredStrategy().cluster_resolver is None
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": CLUSTER, "task": {"type": "worker", "index": "1"}}))
    resolver = D.cluster_resolver.TFConfigClusterResolver()
    assert (resolver.task_type, resolver.task_id, resolver.master()) == ("worker", 1, "c:1")
    assert resolver.cluster_spec().as_dict() == CLUSTER
    assert resolver.cluster_spec().num_tasks("worker") == 2
    with pytest.raises(ValueError, match="No task with index 2 in job 'worker'"):
        resolver.cluster_spec().task_address("worker", 2)
    monkeypatch.delenv("TF_CONFIG")
    monkeypatch.setenv("GRADTAPE_PROCESSES", "2")
    monkeypatch.setenv("GRADTAPE_PROCESS", "1")
    monkeypatch.setenv("GRADTAPE_COORDINATOR", "127.0.0.1:555")
    resolver = D.cluster_resolver.TFConfigClusterResolver()
    assert (resolver.task_type, resolver.task_id) == ("worker", 1)
    assert resolver.cluster_spec().as_dict() == {"worker": ["127.0.0.1:555", "127.0.0.1:0"]}


def test_a_resolver_may_be_given():
    simple = D.cluster_resolver.SimpleClusterResolver
    given = simple({"worker": ["a:1"]}, task_type="worker", task_id=0)
    assert D.MultiWorkerMirroredStrategy(cluster_resolver=given).cluster_resolver is given
    with pytest.raises(ValueError, match="The cluster resolver names 3 workers"):
        D.MultiWorkerMirroredStrategy(cluster_resolver=simple(CLUSTER))
    with pytest.raises(TypeError, match="must be a dictionary"):
        simple("cluster")


def test_tpus_are_those_that_jax_sees(monkeypatch):
    with pytest.raises(ValueError, match="provide a TPU Name"):
        D.cluster_resolver.TPUClusterResolver()
    monkeypatch.setattr(resolvers, "accelerators", lambda kind: [object()] if kind == "TPU" else [])
    resolver = D.cluster_resolver.TPUClusterResolver(tpu="")
    assert resolver.num_accelerators() == {"TPU": 1}
    assert resolver.master() == "local"


def test_many_workers(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}')
    assert D.MultiWorkerMirroredStrategy().num_replicas_in_sync == 1
    monkeypatch.setenv("TF_CONFIG", '{"cluster": {"worker": ["a:1", "b:1"]}}')
    with pytest.raises(ValueError, match="names 2 workers"):
        D.MultiWorkerMirroredStrategy()
    monkeypatch.setenv("TF_CONFIG", "{")
    with pytest.raises(ValueError, match="TF_CONFIG is not a JSON object"):
        D.experimental.MultiWorkerMirroredStrategy()


def test_a_distributed_loop_inside_functions(strategy):
    rows = np.arange(12, dtype=np.float32).reshape(6, 2)
    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(rows).batch(2))
    with strategy.scope():
        total = tf.Variable(0.0)

    def step(x):
        total.assign_add(tf.reduce_sum(x))
        return x

    @tf.function
    def distributed_step(x):
        return strategy.reduce(D.ReduceOp.SUM, strategy.run(step, args=(x,)), axis=0)

    @tf.function
    def epoch(dataset):
        result = tf.zeros([2])
        for x in dataset:
            result += distributed_step(x)
        return result

    assert batches.element_spec == tf.TensorSpec([None, 2])
    assert [distributed_step(x).numpy().tolist() for x in batches] == [[2.0, 4.0], [10.0, 12.0], [18.0, 20.0]]
    assert epoch(batches).numpy().tolist() == [30.0, 36.0]
    assert float(total) == 2 * rows.sum()
    iterator = iter(batches)
    assert iterator.get_next_as_optional().has_value()


def test_a_shape_that_is_not_known_yet_is_reduced_when_it_is():
    strategy = D.MirroredStrategy()
    reduced = tf.function(lambda x: strategy.reduce("MEAN", x, axis=0), input_signature=[tf.TensorSpec(None)])
    assert reduced(tf.constant([1.0, 3.0])).numpy() == 2


@pytest.mark.parametrize("args", [tf.constant([1.0, 2.0]), "ab", None, {"x": 1.0}])
def test_arguments_of_run_are_a_tuple_or_a_list(strategy, args):
    with pytest.raises(ValueError, match=r"positional args must be a list or tuple, got .*args=\(value,\)"):
        strategy.run(lambda *parts: parts, args=args)
    assert len(strategy.run(lambda *parts: parts, args=[tf.constant(1.0)])) == 1
