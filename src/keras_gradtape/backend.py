"""Everything that `keras.src.backend` takes from a backend, under the names it uses."""

from types import FunctionType, ModuleType
from typing import Any

from keras.src.backend.common.name_scope import name_scope

from gradtape.base.traceable import traceable
from gradtape.ragged import RaggedTensor
from gradtape.trace.composites import by_stand_ins
from gradtape.values.composite import COMPOSITES
from keras_gradtape import distribution_lib, random, tensorboard
from keras_gradtape.ops import core, forget_annotations, image, linalg, math, nn, numpy, ragged, sparse
from keras_gradtape.ops.core import (
    IS_THREAD_SAFE,
    SUPPORTS_COMPLEX_DTYPES,
    SUPPORTS_RAGGED_TENSORS,
    SUPPORTS_SPARSE_TENSORS,
    cast,
    compute_output_spec,
    cond,
    convert_to_numpy,
    convert_to_tensor,
    device_scope,
    is_tensor,
    random_seed_dtype,
    scatter,
    shape,
    stop_gradient,
    vectorized_map,
)
from keras_gradtape.rnn import bidirectional_gru, bidirectional_lstm, cudnn_ok, gru, lstm, rnn
from keras_gradtape.variable import Variable

forget_annotations(core, image, linalg, math, nn, numpy)

__all__ = [
    "IS_THREAD_SAFE",
    "SUPPORTS_COMPLEX_DTYPES",
    "SUPPORTS_RAGGED_TENSORS",
    "SUPPORTS_SPARSE_TENSORS",
    "Variable",
    "bidirectional_gru",
    "bidirectional_lstm",
    "cast",
    "compute_output_spec",
    "cond",
    "convert_to_numpy",
    "convert_to_tensor",
    "core",
    "cudnn_ok",
    "device_scope",
    "distribution_lib",
    "gru",
    "image",
    "is_tensor",
    "linalg",
    "lstm",
    "math",
    "name_scope",
    "nn",
    "numpy",
    "random",
    "random_seed_dtype",
    "rnn",
    "scatter",
    "shape",
    "stop_gradient",
    "tensorboard",
    "vectorized_map",
]


def _kinds(name: str) -> dict[type, Any]:
    """For the op of this name: the classes of operands that have a rule of their own."""
    kinds = sparse.kinds(name)
    return kinds | {RaggedTensor: ragged.RULES[name]} if name in ragged.RULES else kinds


def _on_abstract(evaluator: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
    """Rules for sparse and ragged operands depend on values; all other ops need shapes only."""
    given = [part for value in args for part in (value if isinstance(value, (list, tuple)) else [value])]
    if any(value.__class__ in COMPOSITES for value in given):
        return by_stand_ins(evaluator, function, *args, **kwargs)
    return function.__wrapped__(*args, **kwargs)


def _as_steps(module: ModuleType) -> None:
    """Each op of Keras is one step of a traced function: it is expanded when the sizes of its operands are known."""
    for name, value in list(vars(module).items()):
        if (
            isinstance(value, FunctionType)
            and not name.startswith("_")
            and value.__module__.startswith(module.__name__)
        ):
            kinds = _kinds(name)
            rule = _on_abstract if kinds else None
            setattr(module, name, traceable(value, kinds=kinds, on_abstract=rule, of_library=True))


for _module in (image, linalg, math, nn, numpy):
    _as_steps(_module)
