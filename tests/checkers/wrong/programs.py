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

v = tf.Variable([1.0])
tf.cond(x > 1, tf.ones([2]), tf.zeros([2]))  # wrong: cond
tf.map_fn(x, lambda t: t)  # wrong: map_fn
tf.data.Dataset.from_tensor_slices(x).map(lambda a, b: a)  # wrong: map
tf.data.Dataset.from_tensor_slices((x, x)).filter(lambda a: a > 0)  # wrong: lambda
tf.data.Dataset.range(3).flat_map(lambda n: n)  # wrong: flat_map
tf.data.Dataset.range(3).shufle(2)  # wrong: shufle
tf.autodiff.vmap(lambda t: t, in_axis=0)  # wrong: in_axis
tf.autodiff.hessian(x)  # wrong: hessian
tf.optimize.minimize(x, x)  # wrong: minimize
tf.nn.relu(x, y=1)  # wrong: relu
tf.nn.conv2d(x, x, strides="1", padding=1)  # wrong: padding
tf.linalg.LinearOperatorDiag(x).solv(x)  # wrong: solv
tf.linalg.LinearOperatorDiag(x).matmul(x).shapee  # wrong: shapee
tf.ragged.constant([[1]]).to_tensr()  # wrong: to_tensr
tf.ragged.constant([[1]]).row_lengths().shapee  # wrong: shapee
tf.SparseTensor(indices=[[0]], values=[1.0], shape=[1])  # wrong: shape
tf.train.Checkpoint(v=v).sav("a")  # wrong: sav
tf.train.CheckpointManager(tf.train.Checkpoint(v=v), max_to_keep=3)  # wrong: directory
tf.TensorSpec([None], dtyp=tf.float32)  # wrong: dtyp
tf.one_hot([1])  # wrong: depth
tf.image.resize(x)  # wrong: size
tf.summary.scalar("loss")  # wrong: data
tf.io.TFRecordWriter()  # wrong: path
v.assign()  # wrong: value
v.value.shape  # wrong: shape
tape.watch()  # wrong: tensor
tape.gradient(x)  # wrong: gradient
tf.function(lambda t: t, jit=True)  # wrong: function
tf.Module(nam="a")  # wrong: nam
tf.distribute.MirroredStrategy().runn(lambda: 1)  # wrong: runn
tf.einsum(x, "ij->i")  # wrong: einsum
tf.reshape(x)  # wrong: shape
tf.switch_case(1, lambda: x)  # wrong: switch_case
tf.case(lambda: x)  # wrong: case
tf.types.experimental.TensorLik  # wrong: TensorLik
tf.lookup.experimental.MutableHashTabel  # wrong: MutableHashTabel
tf.distribute.experimental.CentralStorageStrategyy()  # wrong: CentralStorageStrategyy
tf.data.Dataset.range(3).reduce(0, lambda a: a)  # wrong: reduce
tf.clip_by_value(x, 0.0)  # wrong: clip_by_value
tf.gather(x)  # wrong: indices
tf.errors.InvalidArgument  # wrong: InvalidArgument
tf.float31  # wrong: float31
x.eval_()  # wrong: eval_
len(3.0 * x).real_  # wrong: real_
tf.linalg.solve(x)  # wrong: rhs
tf.signal.stft(x, 3)  # wrong: frame_step
tf.saved_model.save(v)  # wrong: export_dir
tf.vectorized_map(lambda a: a, 3.0, "x", "y", "z")  # wrong: vectorized_map
tf.linalg.svd(x).s  # wrong: tuple
