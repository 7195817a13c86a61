"""Programs that draw random numbers in functions and pipelines. `test_seeds_in_functions.py` has what TensorFlow gives."""


def several_ops(tf):
    @tf.function
    def f():
        return tf.random.uniform([2]), tf.random.normal([1]), tf.random.uniform([1], 0, 100, tf.int32)

    return f(), f()


def one_seed_twice(tf):
    @tf.function
    def f():
        return tf.random.uniform([1], seed=1), tf.random.uniform([1], seed=1)

    return f(), f()


def two_functions(tf):
    f, g = (tf.function(lambda: tf.random.uniform([1])) for _ in range(2))
    return f(), g(), f(), g(), tf.random.uniform([1])


def set_again(tf):
    f = tf.function(lambda: tf.random.uniform([1]))
    before = f(), f()
    tf.random.set_seed(77)
    return before, f(), tf.random.uniform([1])


def traced_twice(tf):
    f = tf.function(lambda x: tf.random.uniform([1]) + 0.0 * x)
    return [f(x) for x in (tf.constant(1.0), tf.constant([1.0]), tf.constant(1.0))]


def nested(tf):
    inner = tf.function(lambda: tf.random.uniform([1]))

    @tf.function
    def outer():
        return inner(), tf.random.uniform([1]), inner()

    return outer(), outer(), inner()


def loop(tf):
    @tf.function
    def f():
        total = tf.zeros([1])
        for _ in tf.range(3):
            total = total * 10.0 + tf.random.uniform([1])
        return total, tf.random.uniform([1])

    return f(), f()


def branches(tf):
    @tf.function
    def f(flag):
        drawn = tf.cond(flag, lambda: tf.random.uniform([1]), lambda: tf.random.normal([1]))
        return drawn, tf.random.uniform([1])

    return [f(tf.constant(flag)) for flag in (True, False, True)]


def composites(tf):
    @tf.function
    def f(x):
        dropped, flipped = tf.nn.dropout(x, 0.5), tf.image.random_flip_left_right(tf.reshape(x, [2, 4, 1]))
        return dropped, flipped, tf.random.shuffle(x), tf.random.categorical([[0.0, 1.0, 2.0]], 4)

    return f(tf.range(8.0)), f(tf.range(8.0))


def under_a_tape(tf):
    @tf.function
    def f(x):
        return x * tf.random.uniform([1])

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x), f(x)


def mapped(tf):
    dataset = tf.data.Dataset.range(3).map(lambda x: (tf.random.uniform([]), tf.random.normal([])))
    return list(dataset), list(dataset), tf.random.uniform([1])


def mapped_with_seed(tf):
    dataset = tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([], seed=2))
    return list(dataset), list(dataset)


def mapped_twice(tf):
    dataset = tf.data.Dataset.range(4).map(lambda x: tf.random.uniform([]))
    return list(dataset.batch(2).map(lambda x: x + 10.0 * tf.random.uniform([2])))


def filtered(tf):
    return list(tf.data.Dataset.range(12).filter(lambda x: tf.random.uniform([]) > 0.5))


def shuffled(tf):
    dataset = tf.data.Dataset.range(9).shuffle(4)
    return list(dataset), list(dataset)


def shuffled_with_seed(tf):
    fixed = tf.data.Dataset.range(9).shuffle(20, seed=3, reshuffle_each_iteration=False)
    renewed = tf.data.Dataset.range(9).shuffle(3, seed=3)
    return list(fixed), list(fixed), list(renewed), list(renewed)


def shuffled_elements(tf):
    return list(tf.data.Dataset.range(9).map(lambda x: x * x).shuffle(4).repeat(2))


def random_numbers(tf):
    return [list(tf.data.Dataset.random(seed=seed).take(3)) for seed in (None, 4)]


PROGRAMS = {
    program.__name__: program
    for program in (
        several_ops, one_seed_twice, two_functions, set_again, traced_twice, nested, loop, branches, composites, under_a_tape,
        mapped, mapped_with_seed, mapped_twice, filtered, shuffled, shuffled_with_seed, shuffled_elements, random_numbers,
    )
}  # fmt: skip
