"""Names that gradtape does not have. Importing an absent part of TensorFlow raises an error that says what to use.

They are not modules full of refusals: programs that can do without a part ask for it with `try: import`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import Any

_NO_SERVERS = (
    "gradtape connects to no servers. Use tf.distribute and `gradtape launch`, or tf.data in the process itself."
)
_NO_CONVERTER = "gradtape converts no models. Save them with tf.saved_model.save or model.export."
_INSTEAD = {
    "compiler": "It is private to TensorFlow. Use tf.function(jit_compile=True).",
    "core": "Its protocol buffers are private to TensorFlow. Use tf.train.Example, tf.summary and tf.saved_model.",
    "data.experimental.service": _NO_SERVERS,
    "distribute.experimental.rpc": _NO_SERVERS,
    "dtensor": "It is private to TensorFlow. Use tf.experimental.dtensor.",
    "experimental.extension_type": "Use a tf.Module or a dataclass, which tf.nest and tf.data take too.",
    "experimental.tensorrt": _NO_CONVERTER,
    "graph_util": "gradtape reads no graphs of TensorFlow 1. Use tf.function, and tf.saved_model for files.",
    "linalg.experimental": "Use tf.linalg.solve or tf.linalg.cholesky_solve.",
    "lite": _NO_CONVERTER,
    "mlir": "gradtape has a graph of its own. tf.function(...).experimental_get_compiler_ir and `gradtape trace` show it.",
    "profiler.experimental.client": "Profiles are of this process. Use tf.profiler.experimental.start and stop.",
    "profiler.experimental.server": "Profiles are of this process. Use tf.profiler.experimental.start and stop.",
    "quantization.experimental": "gradtape quantizes no saved models. Use Keras's model.quantize before you save one.",
    "saved_model.experimental": "Use tf.saved_model.SaveOptions, and tf.saved_model.load.",
    "security": "It holds TensorFlow's own advisories. SECURITY.md has gradtape's.",
    "tools": "It holds TensorFlow's own scripts. `gradtape --help` lists gradtape's.",
    "tpu.experimental.embedding": "There is no TPU. Use tf.nn.embedding_lookup, or tf.keras.layers.Embedding.",
}

# Names of NumPy, PyTorch, JAX and TensorFlow 1, and what is written here. (math.log and the like are found without a row, and so
# is what stands in tf.compat.v1.) A row with a namespace is one for that namespace alone, the others are for all.
_ELSEWHERE = {
    "Adam": "Use tf.keras.optimizers.Adam.",
    "CriticalSection": "Use threading.Lock in eager code; the steps of a tf.function run in the order of the program.",
    "DataLoader": "Use tf.data.Dataset.from_tensor_slices(arrays).shuffle(n).batch(n).",
    "Dense": "Use tf.keras.layers.Dense.",
    "Graph": "Use tf.function, whose get_concrete_function(...).graph is what was recorded.",
    "Model": "Use tf.keras.Model, or tf.Module without Keras.",
    "Operation": "Graphs have steps instead: print tf.function(f).get_concrete_function(...).graph.",
    "PRNGKey": "Use tf.random.Generator.from_seed, or a seed of two integers for tf.random.stateless_normal.",
    "SGD": "Use tf.keras.optimizers.SGD.",
    "Sequential": "Use tf.keras.Sequential.",
    "Session": "Ops run at once, and x.numpy() is the value. tf.function makes a graph of a function.",
    "all": "Use tf.reduce_all.",
    "allclose": "Use tf.experimental.numpy.allclose, or tf.debugging.assert_near.",
    "any": "Use tf.reduce_any.",
    "addons": "It is a package of its own, for TensorFlow. Use tf.keras and tf.nn.",
    "app": "Call your main function.",
    "arange": "Use tf.range.",
    "array": "Use tf.constant.",
    "asarray": "Use tf.convert_to_tensor.",
    "autodiff.checkpoint": "Use tf.recompute_grad(f).",
    "autodiff.custom_jvp": "Use tf.custom_gradient: forward mode transposes its gradient.",
    "autodiff.custom_vjp": "Use tf.custom_gradient.",
    "autodiff.elementwise_grad": "Use tf.autodiff.grad(lambda x: tf.reduce_sum(f(x))).",
    "autodiff.gradient": "Use tf.autodiff.grad(f)(x), or tape.gradient(y, x).",
    "autodiff.hessian_vector_product": "Use tf.autodiff.hvp(f, x, v).",
    "autodiff.hessians": "Use tf.autodiff.hessian(f)(x), or tape.hessian(y, x).",
    "autodiff.jacobians": "Use tf.autodiff.jacrev(f)(x), or tape.jacobian(y, x).",
    "autodiff.linear_transpose": "Use tf.autodiff.vjp(f, x)[1].",
    "autodiff.linearize": "Use lambda v: tf.autodiff.jvp(f, [x], [v])[1].",
    "autodiff.make_jvp": "Use tf.autodiff.jvp(f, [x], [v]).",
    "autodiff.make_vjp": "Use tf.autodiff.vjp(f, x).",
    "autodiff.remat": "Use tf.recompute_grad(f).",
    "autograd": "Use tf.GradientTape, or tf.autodiff.",
    "average": "Use tf.reduce_mean, or tf.nn.weighted_moments.",
    "backward": "Use tape.gradient(y, sources), with `y` computed inside `with tf.GradientTape() as tape:`.",
    "bmm": "Use tf.matmul.",
    "cat": "Use tf.concat(values, axis).",
    "clamp": "Use tf.clip_by_value.",
    "clip": "Use tf.clip_by_value.",
    "concatenate": "Use tf.concat(values, axis).",
    "contrib": "It ended with TensorFlow 1. Use tf.keras.layers, tf.nn, or the package that took the part over.",
    "cross_entropy": "Use tf.nn.sparse_softmax_cross_entropy_with_logits.",
    "cuda": 'There is no CUDA. tf.config.list_physical_devices says what there is; values are on accelerators with engine="xla".',
    "data.DataLoader": "Use dataset.shuffle(n).batch(n).prefetch(tf.data.AUTOTUNE).",
    "data.TensorDataset": "Use tf.data.Dataset.from_tensor_slices.",
    "default_rng": "Use tf.random.Generator.from_seed.",
    "device_put": "Use with tf.device(name).",
    "div": "Use tf.divide.",
    "dot": "Use tf.tensordot(x, y, 1), or x @ y.",
    "empty": "Use tf.zeros.",
    "enable_eager_execution": "It is always on: leave the call out.",
    "enable_grad": "A tape records whatever is computed inside of it. Use tf.GradientTape.",
    "estimator": "Use tf.keras.Model with fit, or a loop with tf.GradientTape.",
    "experimental.async_clear_error": "Eager ops run at once, one after the other: leave the call out.",
    "experimental.async_scope": "Eager ops run at once, one after the other: leave the scope out.",
    "flags": "Use Python's argparse.",
    "flatten": "Use tf.reshape(x, [-1]).",
    "float": "Use tf.float32, or tf.cast(x, tf.float32).",
    "from_numpy": "Use tf.constant(array).",
    "full": "Use tf.fill(shape, value).",
    "gaussian": "Use tf.random.normal.",
    "get_default_graph": "Ops run at once. tf.function makes a graph of a function.",
    "get_variable": "Use tf.Variable, and a tf.Module to keep variables together.",
    "gfile": "Use tf.io.gfile.",
    "global_variables_initializer": "Variables have their values at once: leave the call out.",
    "grad": "Use tf.autodiff.grad(f)(x), or tape.gradient(y, x).",
    "grad_and_value": "Use tf.autodiff.value_and_grad.",
    "gradient": "Use tf.autodiff.grad(f)(x), or tape.gradient(y, x).",
    "hub": "It is a package of its own, for TensorFlow. Save models with tf.saved_model.save or model.export, and load those.",
    "import_graph_def": "gradtape reads no graphs of TensorFlow 1. Use tf.function, and tf.saved_model for files.",
    "imread": "Use tf.io.decode_image(tf.io.read_file(path)).",
    "inference_mode": "Nothing is recorded outside of a tape: leave it out.",
    "initialize_all_variables": "Variables have their values at once: leave the call out.",
    "int": "Use tf.int32, or tf.cast(x, tf.int32).",
    "inverse": "Use tf.linalg.inv.",
    "is_grad_enabled": "A tape records inside of its `with` block, and nothing is recorded outside.",
    "isfinite": "Use tf.math.is_finite.",
    "isinf": "Use tf.math.is_inf.",
    "isnan": "Use tf.math.is_nan.",
    "jacobian": "Use tf.autodiff.jacrev(f), or tape.jacobian(y, x).",
    "jit": "Use tf.function(f), or tf.function(f, jit_compile=True).",
    "jnp": "Use tf.experimental.numpy, or `import gradtape.numpy`.",
    "js": _NO_CONVERTER,
    "key": "Use tf.random.Generator.from_seed, or a seed of two integers for tf.random.stateless_normal.",
    "lax": "Its functions are here by other names: tf.while_loop, tf.cond, tf.scan, tf.map_fn.",
    "layers": "Use tf.keras.layers.",
    "load": "Use tf.saved_model.load, tf.train.Checkpoint or tf.keras.models.load_model.",
    "load_library": "gradtape runs no kernels of TensorFlow's. Declare an op in Python with tf.extend.",
    "load_op_library": "gradtape runs no kernels of TensorFlow's. Declare an op in Python with tf.extend.",
    "logging": "Use Python's logging, or tf.get_logger().",
    "logsumexp": "Use tf.reduce_logsumexp.",
    "long": "Use tf.int64, or tf.cast(x, tf.int64).",
    "make_jaxpr": "Use tf.function(f).get_concrete_function(x).graph, or `gradtape trace`.",
    "manual_seed": "Use tf.random.set_seed.",
    "max": "Use tf.reduce_max.",
    "mean": "Use tf.reduce_mean.",
    "min": "Use tf.reduce_min.",
    "mm": "Use tf.matmul.",
    "models": "Use tf.keras.models.",
    "mul": "Use tf.multiply.",
    "nn.BatchNorm2d": "Use tf.keras.layers.BatchNormalization.",
    "nn.Conv1d": "Use tf.keras.layers.Conv1D, or tf.nn.conv1d.",
    "nn.Conv2d": "Use tf.keras.layers.Conv2D, or tf.nn.conv2d.",
    "nn.CrossEntropyLoss": "Use tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits).",
    "nn.Embedding": "Use tf.keras.layers.Embedding, or tf.nn.embedding_lookup.",
    "nn.LSTM": "Use tf.keras.layers.LSTM.",
    "nn.Linear": "Use tf.keras.layers.Dense.",
    "nn.MSELoss": "Use tf.reduce_mean(tf.math.squared_difference(x, y)), or tf.keras.losses.MeanSquaredError.",
    "nn.Module": "Use tf.Module, or tf.keras.Model.",
    "nn.ModuleList": "Use a list: tf.Module finds variables and modules in lists, tuples and dicts.",
    "nn.Parameter": "Use tf.Variable.",
    "nn.Sequential": "Use tf.keras.Sequential.",
    "nn.functional": "Its functions are in tf.nn and tf.math.",
    "no_grad": "Nothing is recorded outside of a tape. Inside of one: tape.stop_recording(), or tf.stop_gradient(x).",
    "nonzero": "Use tf.where(condition).",
    "np": "Use tf.experimental.numpy, or `import gradtape.numpy`.",
    "numel": "Use tf.size.",
    "opt": "Use tf.keras.optimizers, or tf.optimize for L-BFGS and its relatives.",
    "optim": "Use tf.keras.optimizers, or tf.optimize for L-BFGS and its relatives.",
    "permute": "Use tf.transpose(x, axes).",
    "placeholder": "Use an argument of a tf.function; its input_signature says which shapes it takes.",
    "pmap": "Use tf.distribute.",
    "probability": "It is a package of its own, for TensorFlow. Use tf.random, with log densities written in tf.math.",
    "power": "Use tf.pow.",
    "prod": "Use tf.reduce_prod.",
    "rand": "Use tf.random.uniform.",
    "randint": "Use tf.random.uniform(shape, low, high, dtype=tf.int32).",
    "randn": "Use tf.random.normal.",
    "random.choice": "Use tf.random.categorical, or tf.random.shuffle(x)[:n].",
    "random.permutation": "Use tf.random.shuffle.",
    "random.seed": "Use tf.random.set_seed.",
    "save": "Use tf.saved_model.save, tf.train.Checkpoint or model.save.",
    "set_grad_enabled": "A tape records inside of its `with` block, and nothing is recorded outside.",
    "solve_triangular": "Use tf.linalg.triangular_solve.",
    "std": "Use tf.math.reduce_std.",
    "sub": "Use tf.subtract.",
    "sum": "Use tf.reduce_sum.",
    "summary.FileWriter": "Use tf.summary.create_file_writer(folder).",
    "summary.merge_all": "Summaries are written at once, inside of with writer.as_default().",
    "take": "Use tf.gather.",
    "tensor": "Use tf.constant.",
    "text": "It is a package of its own, for TensorFlow. Use tf.strings, or tf.keras.layers.TextVectorization.",
    "to_double": "Use tf.cast(x, tf.float64).",
    "to_float": "Use tf.cast(x, tf.float32).",
    "to_int32": "Use tf.cast(x, tf.int32).",
    "to_int64": "Use tf.cast(x, tf.int64).",
    "train.AdadeltaOptimizer": "Use tf.keras.optimizers.Adadelta.",
    "train.AdagradOptimizer": "Use tf.keras.optimizers.Adagrad.",
    "train.AdamOptimizer": "Use tf.keras.optimizers.Adam.",
    "train.Coordinator": "Use threading.Event, or tf.data, which has threads of its own.",
    "train.FtrlOptimizer": "Use tf.keras.optimizers.Ftrl.",
    "train.GradientDescentOptimizer": "Use tf.keras.optimizers.SGD.",
    "train.MomentumOptimizer": "Use tf.keras.optimizers.SGD(rate, momentum).",
    "train.RMSPropOptimizer": "Use tf.keras.optimizers.RMSprop.",
    "train.Saver": "Use tf.train.Checkpoint.",
    "tree": "Use tf.nest.",
    "tree_map": "Use tf.nest.map_structure.",
    "tree_util": "Use tf.nest.",
    "unsqueeze": "Use tf.expand_dims(x, axis).",
    "utils": "Use tf.keras.utils.",
    "var": "Use tf.math.reduce_variance.",
    "view": "Use tf.reshape.",
}
_ALIKE = 0.66  # of 1: how much of a name must be as it is written
_EARLY = "compat.v1"
_NAMESPACES = ("math", "nn", "linalg", "random", "autodiff", "debugging")


class MissingPartError(ModuleNotFoundError):
    """The module is a part of TensorFlow that gradtape does not have."""


def advice(name: str) -> str | None:
    """What to use instead of a module of TensorFlow, given without the package's name; None if nothing is known of it."""
    while name:
        if name in _INSTEAD:
            return _INSTEAD[name]
        name = name.rpartition(".")[0]
    return None


class _Words(str):
    """What an error says of a name that a namespace lacks: looked for when the error is read. `hasattr` never asks."""

    module: str
    name: str

    def __str__(self) -> str:
        return _said_of(self.module, self.name)

    def __reduce__(self) -> Any:
        return str, (str(self),)


def missing(module: str, name: str) -> AttributeError:
    """The error for a name that a public module lacks; it says what to use instead, or what may have been meant."""
    words = _Words(f"module {module!r} has no attribute {name!r}")
    words.module, words.name = module, name
    # With the name and the module Python would add a guess of its own where the error is printed.
    return AttributeError(words, name=None)


def _said_of(module: str, name: str) -> str:
    plain = f"module {module!r} has no attribute {name!r}"
    if name.startswith("_"):
        return plain
    place = module.partition(".")[2]
    full = f"{place}.{name}" if place else name
    if instead := advice(full) or elsewhere(full) or elsewhere(name) or _found_elsewhere(place, name):
        return f"gradtape has no tf.{full}: {instead}"
    return plain + nearest(module, name)


def _found_elsewhere(place: str, name: str) -> str | None:
    """Another namespace that has the name: one of those that are searched for it, the top one, TensorFlow 1's, or NumPy's."""
    for space in ("", *_NAMESPACES):
        if space != place and name in dir(import_module(f"gradtape.{space}".rstrip("."))):
            return f"Use tf.{space}.{name}." if space else f"Use tf.{name}."
    early: Any = import_module(f"gradtape.{_EARLY}")
    for part in filter(None, place.split(".")):
        early = getattr(early, part, None)
    if early is not None and hasattr(early, name):
        return f"It is one of TensorFlow 1: tf.{_EARLY}.{place}{'.' if place else ''}{name}."
    if place in ("", "math") and name in dir(import_module("gradtape.numpy")):
        return f"Use tf.experimental.numpy.{name}."
    return None


def elsewhere(name: str) -> str | None:
    """What is written instead of a name of another library, or of TensorFlow 1; None if nothing is known of it."""
    return _ELSEWHERE.get(name)


def nearest(module: str, name: str) -> str:
    """The question whether a name of the module was meant that is spelt nearly so; nothing where there is none."""
    import difflib

    names = {known.lower(): known for known in dir(sys.modules[module]) if not known.startswith("_")}
    found = difflib.get_close_matches(name.lower(), names, n=3, cutoff=_ALIKE)
    found.sort(key=lambda known: known[0] != name[0].lower())  # of several, who begins alike
    public = module.replace("gradtape", "tf", 1).replace("tensorflow", "tf", 1)
    return f". Did you mean {public}.{names[found[0]]}?" if found else ""


class _Refuser:
    # (Finders need no base class, and `importlib.abc` imports 20 modules.)
    def find_spec(self, fullname: str, path: object = None, target: Any = None) -> ModuleSpec | None:
        package, _, rest = fullname.partition(".")
        if package == "gradtape" and rest and (instead := advice(rest)):
            # (Without `name=`: Python would replace an error that names the module in `from package import module`.)
            raise MissingPartError(f"gradtape has no tf.{rest}: {instead}")
        return None


def install() -> None:
    """Let imports of absent parts raise their error."""
    sys.meta_path.append(_Refuser())
