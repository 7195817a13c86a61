"""Names that gradtape does not have. Importing an absent part of TensorFlow raises an error that says what to use.

They are not modules full of refusals: programs that can do without a part ask for it with `try: import`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import Any

_ONE_PROCESS = "gradtape runs in one process. Use tf.distribute.get_strategy(), or tf.data in the process itself."
_NO_CONVERTER = "gradtape converts no models. Save them with tf.saved_model.save or model.export."
_INSTEAD = {
    "compiler": "It is private to TensorFlow. Use tf.function(jit_compile=True).",
    "core": "Its protocol buffers are private to TensorFlow. Use tf.train.Example, tf.summary and tf.saved_model.",
    "data.experimental.service": _ONE_PROCESS,
    "distribute.experimental.rpc": _ONE_PROCESS,
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

# Names of NumPy, PyTorch, JAX and TensorFlow 1, and what is written here. (math.log and the like are found without a row.)
_ELSEWHERE = {
    "Session": "Values are there at once: x.numpy(). For programs of TensorFlow 1 there is tf.compat.v1.",
    "arange": "Use tf.range.",
    "array": "Use tf.constant.",
    "asarray": "Use tf.convert_to_tensor.",
    "average": "Use tf.reduce_mean, or tf.nn.weighted_moments.",
    "bmm": "Use tf.matmul.",
    "cat": "Use tf.concat(values, axis).",
    "clamp": "Use tf.clip_by_value.",
    "clip": "Use tf.clip_by_value.",
    "cross_entropy": "Use tf.nn.sparse_softmax_cross_entropy_with_logits.",
    "div": "Use tf.divide.",
    "dot": "Use tf.tensordot(x, y, 1), or x @ y.",
    "enable_eager_execution": "It is always on. For programs of TensorFlow 1 there is tf.compat.v1.",
    "flatten": "Use tf.reshape(x, [-1]).",
    "float": "Use tf.float32, or tf.cast(x, tf.float32).",
    "from_numpy": "Use tf.constant(array).",
    "get_variable": "Use tf.Variable. For programs of TensorFlow 1 there is tf.compat.v1.",
    "global_variables_initializer": "Variables have their values at once. For programs of TensorFlow 1 there is tf.compat.v1.",
    "jit": "Use tf.function(f), or tf.function(f, jit_compile=True).",
    "jacobian": "Use tf.autodiff.jacrev(f), or tape.jacobian(y, x).",
    "load": "Use tf.saved_model.load, tf.train.Checkpoint or tf.keras.models.load_model.",
    "manual_seed": "Use tf.random.set_seed.",
    "max": "Use tf.reduce_max.",
    "mean": "Use tf.reduce_mean.",
    "min": "Use tf.reduce_min.",
    "mm": "Use tf.matmul.",
    "mul": "Use tf.multiply.",
    "no_grad": "Nothing is recorded outside of a tape. Inside of one: tape.stop_recording(), or tf.stop_gradient(x).",
    "permute": "Use tf.transpose(x, axes).",
    "placeholder": "Use an argument of a tf.function. For programs of TensorFlow 1 there is tf.compat.v1.",
    "pmap": "Use tf.distribute.",
    "prod": "Use tf.reduce_prod.",
    "rand": "Use tf.random.uniform.",
    "randint": "Use tf.random.uniform(shape, low, high, dtype=tf.int32).",
    "randn": "Use tf.random.normal.",
    "save": "Use tf.saved_model.save, tf.train.Checkpoint or model.save.",
    "std": "Use tf.math.reduce_std.",
    "sub": "Use tf.subtract.",
    "sum": "Use tf.reduce_sum.",
    "tensor": "Use tf.constant.",
    "unsqueeze": "Use tf.expand_dims(x, axis).",
    "var": "Use tf.math.reduce_variance.",
    "view": "Use tf.reshape.",
}
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


def named_elsewhere(name: str) -> str | None:
    """What is written for a name that `tf` does not have and another library, or another namespace of `tf`, has."""
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    if name.startswith("_"):
        return None
    found = [space for space in _NAMESPACES if name in dir(import_module(f"gradtape.{space}"))]
    return f"Use tf.{found[0]}.{name}." if found else None


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
