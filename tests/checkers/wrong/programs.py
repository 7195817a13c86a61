"""Lines that a type checker must refuse: each with what it must name."""

import gradtape as tf

x = tf.constant(1.0)
tf.reduce_summ(x)  # wrong: reduce_summ
tf.dta.Dataset.range(3)  # wrong: dta
tf.data.Datasett.range(3)  # wrong: Datasett
tf.nn.sofmax(x)  # wrong: sofmax
tf.linalg.choleski(x)  # wrong: choleski
tf.experimental.numpy.sinn(1.0)  # wrong: sinn
tf.strings.lenght("a")  # wrong: lenght
tf.random.norml([1])  # wrong: norml
x.shapee  # wrong: shapee
x.assign(2.0)  # wrong: assign
tf.reduce_sum(x, axes=0)  # wrong: reduce_sum
tf.tanh()  # wrong: tanh
tf.tanh(object())  # wrong: object
tf.reshape(x, "shape")  # wrong: str
tf.constant(1.0, dtype=1.5)  # wrong: float
tf.Variable(1.0, trainble=False)  # wrong: trainble
tf.GradientTape(persistant=True)  # wrong: persistant
with tf.GradientTape(persistent=True) as tape:
    y = x * x
tape.gradient(y, 3.0)  # wrong: float
tape.gradient(y, x).shapee  # wrong: shapee
tape.gradient(y, [x]).shape  # wrong: shape
tape.gradients(y, x)  # wrong: gradients
x + object()  # wrong: object


@tf.function
def scaled(t: tf.Tensor, by: float) -> tf.Tensor:
    return t * by


scaled(x)  # wrong: by
scaled(x, "2")  # wrong: float
scaled(x, 2.0).shapee  # wrong: shapee


class Model(tf.Module):
    @tf.function
    def scaled(self, t: tf.Tensor) -> tf.Tensor:
        return t


Model().scaled()  # wrong: t
for element in tf.data.Dataset.range(3).map(lambda n: n + 1):
    element.nunpy()  # wrong: nunpy
tf.autodiff.grad(scaled)(x).shapee  # wrong: shapee
tf.autodiff.gradd(scaled)  # wrong: gradd
tf.autodiff.grad(3)  # wrong: grad


def both(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return a * b


tf.autodiff.grad(both, (0, 1))(x, x).shape  # wrong: shape
tf.raw_ops.Ad(x=x)  # wrong: Ad
tf.raw_ops.Add(z=x)  # wrong: z
tf.compat.v1.placholder  # wrong: placholder
tf.data.Dataset.range(3).batch("2")  # wrong: batch
tf.vectorized_map(3, x)  # wrong: vectorized_map
x[None, "a"]  # wrong: tuple[None
tf.linalg.svd(x)[0].shapee  # wrong: shapee
tf.scan(lambda a, b: a + b, y).shapee  # wrong: shapee
tf.nest.map_structure(tf.identity, [tf.ones([2])]).shape  # wrong: shape
tf.strings.split("a b").to_lst()  # wrong: to_lst
tf.numpy.linspace(0.0, 1.0).shapee  # wrong: shapee
