"""Small programs with several replicas, for gradtape and for TensorFlow.

python -m tests.xla.distribute.replica_programs     # prints what TensorFlow gives, with four logical CPUs
"""

import json
import sys


def programs(tf, strategy):
    """What each program gives, as lists of numbers by name; `strategy` has four replicas."""
    D = tf.distribute
    SUM, MEAN = D.ReduceOp.SUM, D.ReduceOp.MEAN
    x = tf.reshape(tf.range(24.0), [8, 3]) / 10.0 - 1.0
    found = {}

    def batches(size=8):
        return strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(x).batch(size))

    def listed(value):
        return [tf.convert_to_tensor(part).numpy().tolist() for part in strategy.experimental_local_results(value)]

    def variable(value, aggregation, synchronization=tf.VariableSynchronization.AUTO):
        with strategy.scope():
            return tf.Variable(value, aggregation=aggregation, synchronization=synchronization, trainable=True)

    # Gradients of replicas are added by the variable's aggregation.
    w = variable([[1.0], [2.0], [3.0]], tf.VariableAggregation.SUM)

    def descend(rows):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((rows @ w) ** 2) / 8.0
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    @tf.function
    def step(batch):
        return strategy.reduce(SUM, strategy.run(descend, args=(batch,)), axis=None)

    found["training"] = [float(step(batch)) for _ in range(3) for batch in batches()] + w.numpy()[:, 0].tolist()

    # Each replica normalizes with the statistics of its own rows.
    def normalized(rows):
        mean, variance = tf.nn.moments(rows, [0])
        return (rows - mean) / tf.sqrt(variance + 1e-3)

    for batch in batches():
        per_replica = strategy.run(tf.function(normalized), args=(batch,))
        found["normalized"] = listed(per_replica)
        found["gathered"] = strategy.gather(per_replica, axis=0).numpy().tolist()
        found["gathered along columns"] = strategy.gather(per_replica, axis=1).numpy().tolist()
        found["sum"] = strategy.reduce(SUM, per_replica, axis=None).numpy().tolist()
        found["mean over rows"] = strategy.reduce(MEAN, per_replica, axis=0).numpy().tolist()

    # What replicas tell each other, and its gradient.
    def exchanged(rows):
        replica = D.get_replica_context()
        count = tf.cast(tf.shape(rows)[0], tf.float32)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(rows)
            total = replica.all_reduce(SUM, rows)
            mean = replica.all_reduce(MEAN, rows * rows)
            y, z = tf.reduce_sum(total**2), tf.reduce_sum(mean)
        every = replica.all_gather(rows[:1], axis=0)
        number = tf.cast(replica.replica_id_in_sync_group, tf.float32)
        return (replica.all_reduce(SUM, count), y, z, tape.gradient(y, rows), tape.gradient(z, rows), every, number)

    @tf.function
    def all_exchanged(batch):
        return strategy.run(exchanged, args=(batch,))

    for batch in batches():
        found["exchanged"] = [listed(part) for part in all_exchanged(batch)]

    # In the cross-replica context of `merge_call`.
    total = variable(1.0, tf.VariableAggregation.NONE)

    def merged(strategy, value):
        added = strategy.extended.reduce_to(SUM, value, total)
        strategy.extended.update(total, lambda v, a: v.assign_add(a), args=(added,))
        return added

    def merging(rows):
        return D.get_replica_context().merge_call(merged, args=(tf.reduce_sum(rows),))

    @tf.function
    def all_merging(batch):
        strategy.run(merging, args=(batch,))

    for batch in batches():
        all_merging(batch)
    found["merged"] = [float(total.read_value())]

    # Other aggregations of variables.
    kinds = tf.VariableAggregation
    middle, first = variable(1.0, kinds.MEAN), variable(1.0, kinds.ONLY_FIRST_REPLICA)
    read = variable(0.0, kinds.SUM, tf.VariableSynchronization.ON_READ)

    def assigning(rows):
        middle.assign(tf.reduce_sum(rows))
        middle.assign_add(1.0)
        first.assign(tf.reduce_max(rows))
        read.assign_add(tf.reduce_sum(rows))

    @tf.function
    def all_assigning(batch):
        strategy.run(assigning, args=(batch,))

    for batch in batches():
        all_assigning(batch)
    found["aggregated"] = [float(middle.read_value()), float(first.read_value()), float(read.read_value())]

    # Datasets and values by replica.
    def dataset_for(context):
        size = context.get_per_replica_batch_size(4)
        return tf.data.Dataset.range(8).batch(size)

    made = strategy.distribute_datasets_from_function(dataset_for)
    found["from a function"] = [listed(batch) for batch in made]
    values = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(context.replica_id_in_sync_group * 10 + context.num_replicas_in_sync)
    )
    found["values"] = listed(values)

    # Branches and loops inside of replicas, arguments that are the same for all, several results.
    @tf.function
    def branching(scale):
        def one(value, scale, shift=0):
            if value > 20:
                value = value * scale
            total = 0
            for k in tf.range(3):
                total += value + k
            return {"a": total + shift, "b": value}

        return strategy.run(one, args=(values, scale), kwargs={"shift": 1})

    found["branches"] = [listed(part) for _, part in sorted(branching(tf.constant(2)).items())]
    return {**found, **draws(tf, strategy, listed), **own_values(tf, strategy, listed)}


def draws(tf, strategy, listed):
    """Random numbers with state inside of replicas: drawn twice each, and then once outside."""
    found = {}

    def slopes():
        x = tf.ones([3])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**2 * tf.random.normal([3]))
        return tape.gradient(y, x)

    replicas = {
        "normal": lambda: tf.random.normal([2]),
        "two": lambda: tf.random.normal([2]) + 10 * tf.random.uniform([2]),
        "with a seed of their own": lambda: tf.stack([tf.random.normal([], seed=3), tf.random.uniform([])]),
        "integers": lambda: tf.random.uniform([3], 0, 100, tf.int32),
        "truncated": lambda: tf.random.truncated_normal([3]),
        "gamma": lambda: tf.random.gamma([2], 2.0),
        "poisson": lambda: tf.random.poisson([2], [4.0]),
        "shuffle": lambda: tf.random.shuffle(tf.range(6)),
        "dropout": lambda: tf.nn.dropout(tf.ones([6]), 0.5),
        "gradient": slopes,
    }
    for name, one in replicas.items():
        kinds = {
            "eager": (one, lambda run: run),
            "function": (one, tf.function),
            "inside": (tf.function(one), lambda run: run),
        }
        for kind, (inner, wrap) in kinds.items():
            tf.random.set_seed(7)
            run = wrap(lambda inner=inner: strategy.run(inner))
            drawn = [listed(run()) for _ in range(2)]
            found[f"draws, {kind}: {name}"] = drawn
            found[f"draws after {kind}: {name}"] = [float(tf.random.normal([]))]
    with strategy.scope():
        generators = [tf.random.Generator.from_seed(5)]
    generators.append(tf.random.Generator.from_seed(5))
    for place, generator in zip(("in the scope", "outside"), generators, strict=True):
        run = tf.function(lambda generator=generator: strategy.run(lambda: generator.normal([2])))
        found[f"a generator made {place}"] = [
            listed(strategy.run(lambda g=generator: g.normal([2]))),
            *map(listed, [run(), run()]),
        ]
    return found


def own_values(tf, strategy, listed):
    """Variables of which each replica has a value of its own: what is read outside, and what the replicas have."""
    found = {}
    for kind in ("SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        for wrap in (tf.function, lambda run: run):
            found[f"own values, {kind}, {'function' if wrap is tf.function else 'eager'}"] = _changed(
                tf, strategy, listed, kind, wrap
            )
    return found


def _changed(tf, strategy, listed, kind, wrap):
    with strategy.scope():
        v = tf.Variable(
            4.0,
            aggregation=tf.VariableAggregation[kind],
            synchronization=tf.VariableSynchronization.ON_READ,
            trainable=True,
        )

    def number():
        return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)

    def several():
        if number() > 0:
            v.assign_add(5.0)
        for _ in tf.range(2):
            v.assign_sub(number())

    def slope():
        with tf.GradientTape() as tape:
            v.assign(number() + 2.0)
            y = v * v * v
        return tape.gradient(y, v)

    def outside():
        v.assign(9.0)

    changes = {
        "a constant": lambda: strategy.run(lambda: v.assign(3.0)) and None,
        "their own": lambda: strategy.run(lambda: v.assign(10.0 * number())) and None,
        "more": lambda: strategy.run(lambda: v.assign_add(number() + 1.0)) and None,
        "outside": outside,
        "less": lambda: strategy.run(lambda: v.assign_sub(number() + 1.0)) and None,
        "branches": lambda: strategy.run(tf.function(several)),
    }
    seen = [[float(v.read_value()), *listed(v)]]
    for change in changes.values():
        wrap(change)()
        seen.append([float(v.read_value()), *listed(v)])
    seen.append([0.0, *listed(wrap(lambda: strategy.run(lambda: v * 2.0))())])
    seen.append([0.0, *listed(wrap(lambda: strategy.run(slope))())])
    both = [float(wrap(lambda kind=kind: strategy.reduce(kind, v, axis=None))()) for kind in ("SUM", "MEAN")]
    return [*seen, [*both, 0.0, 0.0, 0.0]]


def main():
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)
    found = programs(tf, tf.distribute.MirroredStrategy([f"CPU:{k}" for k in range(4)]))
    lines = [f"  {json.dumps(name)}: {json.dumps(_rounded(values))}" for name, values in found.items()]
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")


def _rounded(value):
    return [_rounded(part) for part in value] if isinstance(value, list) else round(value, 6)


if __name__ == "__main__":
    main()
