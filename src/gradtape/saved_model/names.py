"""What the steps of a stored graph may call: each function by a name, and each name from one list.

A file can only name ops of the registry, public functions that traces take as one step (those that `traceable` has
marked), and the few things listed here. Nothing is imported because a file says so.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from .. import lookup
from ..api import graph_mode
from ..api.control import branches
from ..api.generator import Generator
from ..api.tensor_array import TensorArray
from ..base.errors import NotFoundError, NotStorableError
from ..base.namespaces import in_use
from ..base.types import Function
from ..differentiation import custom
from ..differentiation.forward import ForwardAccumulator
from ..differentiation.tape import GradientTape
from ..op.declaration import REGISTRY, Op
from ..ops import load_all
from ..ragged import RaggedTensor, splits
from ..ragged.dispatch import on_rows
from ..ragged.functions import concat, stack
from ..sparse import SparseTensor
from ..sparse.tensor import sizes_of
from ..trace.facades import METHODS, enter, leave
from ..trace.graph import Method, leaves
from ..trace.inference import with_known_shape
from ..trace.recorder import read_variable
from ..values.tensor import to_tensor
from ..variables import operators
from ..variables.partial_changes import CHANGES
from ..version import __version__

# Public namespaces by name, with the modules that are imported for them.
NAMESPACES = {
    "": "gradtape",
    "math": "gradtape.math",
    "math.special": "gradtape.api.special",
    "nn": "gradtape.nn",
    "linalg": "gradtape.linalg",
    "random": "gradtape.random",
    "strings": "gradtape.strings",
    "image": "gradtape.image",
    "signal": "gradtape.signal",
    "sparse": "gradtape.sparse",
    "ragged": "gradtape.ragged",
    "debugging": "gradtape.debugging",
    "quantization": "gradtape.quantization",
    "numpy": "gradtape.numpy",
    "numpy.linalg": "gradtape.numpy.linalg",
    "numpy.random": "gradtape.numpy.random",
    "nn.experimental": "gradtape.nn",
    "clip": "gradtape.api.clip",
    "audio": "gradtape.audio",
    "io.images": "gradtape.io.images",  # (of tf.io what touches no file)
    "io.tensors": "gradtape.io.tensors",
    "keras.image": "keras_gradtape.ops.image",
    "keras.linalg": "keras_gradtape.ops.linalg",
    "keras.math": "keras_gradtape.ops.math",
    "keras.nn": "keras_gradtape.ops.nn",
    "keras.numpy": "keras_gradtape.ops.numpy",
    "keras.random": "keras_gradtape.random",
    "keras.rnn": "keras_gradtape.rnn",
    "keras.activations": "keras.src.activations.activations",
}
_INSIDE = {"nn.experimental": "experimental"}  # namespaces that are attributes of their module

# Not stored, with the reason: a user's Python code cannot be written to a file, and a loaded model
# must not change how other code works.
_OF_THE_PROCESS = "reads or changes a state of the whole process. Call it outside of the function."
_REFUSED = {
    "py_function": "calls Python code, which cannot be stored. Write it with tf ops, or leave it out of the function.",
    "numpy_function": "calls Python code, which cannot be stored. Write it with tf ops, or leave it out of the function.",
    "numpy.experimental_enable_numpy_behavior": _OF_THE_PROCESS,
    "numpy.random.seed": _OF_THE_PROCESS,
    "random.get_state": _OF_THE_PROCESS,
    "random.set_state": _OF_THE_PROCESS,
}

# Steps that have no public name.
_STEPS: dict[str, Any] = {
    "read_variable": read_variable,
    "to_tensor": to_tensor,
    "known_shape": with_known_shape,
    "enter": enter,
    "leave": leave,
    "getitem": operators._traced_getitem,
    "matmul": operators._traced_matmul,
    "equal": operators._traced_equal,
    "not_equal": operators._traced_not_equal,
    "custom_gradient": custom._custom_gradient,
    "gradients": graph_mode._gradients_on_path,
    "hessians": graph_mode._hessians_on_path,
    "table_lookup": lookup.look_up,
    "table_size": lookup.count_of,
    "table_insert": lookup.MutableHashTable.insert,
    "table_remove": lookup.MutableHashTable.remove,
    "case_any": branches._check_any,
    "case_exclusive": branches._check_exclusive,
    "ragged_count": splits.check_count,
    "ragged_lengths": splits.check_lengths,
    "ragged_op": on_rows,
    "ragged_rowids": splits.check_rowids,
    "ragged_splits": splits.check_splits,
    "sparse_sizes": sizes_of,
    **{
        f"{cls.__name__}.{name}": step
        for cls in (Generator, RaggedTensor, SparseTensor)
        for name, method in vars(cls).items()
        if hasattr(step := getattr(method, "__func__", method), "on_abstract")
    },
}
# Names that only files of earlier versions contain.
_EARLIER_STEPS: dict[str, Any] = {"RaggedTensor._concatenated": concat, "RaggedTensor._stacked_along": stack}
_EARLIER_NAMES = {"ragged.range_of": "ragged.range"}
# One step each in files of earlier versions; today a function records the ops that they are made of.
_ONCE_STEPS = frozenset(["nn.compute_average_loss", "nn.scale_regularization_loss", "random.fold_in", "random.split"])
_CLASSES: dict[str, type] = {cls.__name__: cls for cls in (GradientTape, ForwardAccumulator, TensorArray)}
_STEP_NAMES = {id(function): name for name, function in _STEPS.items()}


def name_of(function: Any) -> list[str]:
    """The kind and the name that a function of a step is stored under; NotStorableError where it has none."""
    if isinstance(function, Op):
        if REGISTRY.get(function.name) is function:
            return ["op", function.name]
    elif isinstance(function, Method):
        if function.name in METHODS or function.name in CHANGES:
            return ["method", function.name]
    elif isinstance(function, type):
        if _CLASSES.get(function.__name__) is function:
            return ["class", function.__name__]
    elif id(function) in _STEP_NAMES:
        return ["step", _STEP_NAMES[id(function)]]
    else:
        name = _public_name(function)
        if name is not None and name in _REFUSED:
            raise NotStorableError(f"tf.{name} {_REFUSED[name]}")
        if name is not None:
            return ["function", name]
    shown = getattr(function, "__qualname__", repr(function))
    raise NotStorableError(f"{shown} is no public function of gradtape, and its code cannot be stored.")


def function_named(kind: str, name: str) -> Any:
    """What is stored under a kind and a name; NotFoundError where there is no such thing."""
    found: Any = None
    if kind == "op":
        found = _op(name)
    elif kind == "method":
        found = Method(name) if name in METHODS or name in CHANGES else None
    elif kind == "class":
        found = _CLASSES.get(name)
    elif kind == "step":
        found = _STEPS.get(name) or _EARLIER_STEPS.get(name)
    elif kind == "function":
        found = _public_function(_EARLIER_NAMES.get(name, name))
    if found is None:
        raise NotFoundError(
            None,
            None,
            f"saved model: it uses the {kind} {name!r}, which gradtape {__version__} does not have. If a later version has saved "
            "it, load it with that version. If a package of yours declares it (gradtape.extend), import that package first.",
        )
    return found


# Arguments that name a file to read or to write, and what they may be in a saved model, where they are not left out.
_FILES: dict[str, Callable[[Any], bool]] = {
    "output_stream": lambda stream: any(stream is allowed for allowed in (sys.stdout, sys.stderr)),  # of tf.print
    "vocab_file": lambda path: path.__class__ is str and not path,  # of tf.random.fixed_unigram_candidate_sampler
}


def check_no_files(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise NotStorableError for a step that would read or write a file of its choice."""
    given = dict(kwargs)
    if isinstance(function, FunctionType):
        given.update(zip(inspect.signature(function).parameters, args, strict=False))
    for name in _FILES.keys() & given:
        if not _FILES[name](given.pop(name)):
            raise NotStorableError(
                f"tf.{function.__name__} with another {name} is not stored: a saved model reads and writes no files."
            )
    for leaf in leaves((*args, *given.values())):  # what a step calls, or might close
        if isinstance(leaf, FunctionType) and _FILES.keys() & inspect.signature(leaf).parameters.keys():
            raise NotStorableError(f"tf.{leaf.__name__} given to a function is not stored: it may read or write files.")
        if leaf is sys.stdout or leaf is sys.stderr:
            raise NotStorableError("A stream is stored only as the output_stream of tf.print.")


def _op(name: str) -> Op | None:
    if name not in REGISTRY:
        load_all()
    return REGISTRY.get(name)


def _public_function(name: str) -> Any:
    namespace, _, last = name.rpartition(".")
    if namespace not in NAMESPACES or name in _REFUSED or last.startswith("_"):
        return None
    try:
        found = getattr(_namespace(namespace), last, None)
    except ImportError as error:
        raise NotFoundError(None, None, f"saved model: it uses {name!r}, and {error}") from error
    return found if name in _ONCE_STEPS or _is_step(found, NAMESPACES[namespace]) else None


def _public_name(function: Function) -> str | None:
    name = _index().get(id(function))
    if name is None:  # its namespace may have been imported since
        _index.cache_clear()
        name = _index().get(id(function))
    return name


@functools.cache
def _index() -> dict[int, str]:
    """The names of all functions of the namespaces that are in use."""
    names: dict[int, str] = {}
    for namespace, module in NAMESPACES.items():
        if module in sys.modules:
            for name, value in in_use(_namespace(namespace)).items():
                if not name.startswith("_") and _is_step(value, module):
                    names.setdefault(id(value), f"{namespace}.{name}" if namespace else name)
    return names


def _namespace(name: str) -> Any:
    if name.startswith("keras."):
        importlib.import_module("gradtape.keras")  # Keras on gradtape, whose ops are marked then
    module = importlib.import_module(NAMESPACES[name])
    return getattr(module, _INSIDE[name]) if name in _INSIDE else module


def _is_step(value: Any, module: str) -> bool:
    """Whether a function of a module may be called by a step, or be given to one (the activation of an LSTM)."""
    if not isinstance(value, FunctionType):
        return False
    return hasattr(value, "on_abstract") or (value.__module__ == module and module.startswith("keras."))
