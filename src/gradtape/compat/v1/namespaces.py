"""The modules of `tf.compat.v1`: what is another function there, and for the rest the module of TensorFlow 2."""

from __future__ import annotations

import functools
import sys
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

from ...base.absent import elsewhere
from . import earlier, initial_values, networks, records, uneven
from .names import GFILE
from .pictures import OWN
from .rows import function_of, of
from .table import ALIASES

_NETWORKS = """
ctc_beam_search_decoder ctc_loss dropout embedding_lookup fractional_avg_pool fractional_max_pool fused_batch_norm relu_layer
softmax_cross_entropy_with_logits xw_plus_b
"""
_CODES = """
OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED
FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED
"""
_CONSTANTS = {
    "ASSETS_DIRECTORY": "assets",
    "ASSETS_KEY": "saved_model_assets",
    "DEBUG_DIRECTORY": "debug",
    "LEGACY_INIT_OP_KEY": "legacy_init_op",
    "MAIN_OP_KEY": "saved_model_main_op",
    "SAVED_MODEL_FILENAME_PB": "saved_model.pb",
    "SAVED_MODEL_FILENAME_PBTXT": "saved_model.pbtxt",
    "SAVED_MODEL_SCHEMA_VERSION": 1,
    "VARIABLES_DIRECTORY": "variables",
    "VARIABLES_FILENAME": "variables",
}
_SIGNATURES = {
    "CLASSIFY_INPUTS": "inputs",
    "CLASSIFY_METHOD_NAME": "tensorflow/serving/classify",
    "CLASSIFY_OUTPUT_CLASSES": "classes",
    "CLASSIFY_OUTPUT_SCORES": "scores",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY": "serving_default",
    "PREDICT_INPUTS": "inputs",
    "PREDICT_METHOD_NAME": "tensorflow/serving/predict",
    "PREDICT_OUTPUTS": "outputs",
    "REGRESS_INPUTS": "inputs",
    "REGRESS_METHOD_NAME": "tensorflow/serving/regress",
    "REGRESS_OUTPUTS": "outputs",
}
_TAGS = {"GPU": "gpu", "SERVING": "serve", "TPU": "tpu", "TRAINING": "train"}
_SPECTRA = "dct fft fft2d fft3d idct ifft ifft2d ifft3d irfft irfft2d irfft3d rfft rfft2d rfft3d"
_OF_SESSIONS = """
bidirectional_dynamic_rnn dynamic_rnn raw_rnn static_bidirectional_rnn static_rnn static_state_saving_rnn
"""

# What stands in a module beside the functions of `table.py`: names with their values, or with their paths in TensorFlow 2.
OWN_NAMES: dict[str, dict[str, Any]] = {
    "data": {
        name: getattr(records, name)
        for name in ("get_output_classes", "get_output_shapes", "get_output_types", "make_one_shot_iterator")
    },
    "debugging": {
        name: f"math.{name}"
        for name in ("is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_strictly_increasing")
    },
    "errors": {
        **{name: code for code, name in enumerate(_CODES.split())},
        "error_code_from_exception_type": records.error_code_from_exception_type,
        "exception_type_from_error_code": records.exception_type_from_error_code,
    },
    "gfile": {name: f"io.gfile.{now}" for name, now in GFILE.items()},
    "image": {**OWN, "transpose_image": "image.transpose"},
    "initializers": dict(initial_values.NAMES),
    "io": {
        "PaddingFIFOQueue": "queue.PaddingFIFOQueue",
        "PriorityQueue": "queue.PriorityQueue",
        "QueueBase": "queue.QueueBase",
        "RandomShuffleQueue": "queue.RandomShuffleQueue",
        "TFRecordCompressionType": records.TFRecordCompressionType,
        "tf_record_iterator": records.tf_record_iterator,
    },
    "manip": {name: name for name in ("reshape", "reverse", "roll", "scatter_nd", "tile")},
    "nn": {
        **{name: getattr(networks, name) for name in _NETWORKS.split()},
        "log_uniform_candidate_sampler": "random.log_uniform_candidate_sampler",
        "uniform_candidate_sampler": "random.uniform_candidate_sampler",
        "softmax_cross_entropy_with_logits_v2": "nn.softmax_cross_entropy_with_logits",
    },
    "python_io": {
        "TFRecordCompressionType": records.TFRecordCompressionType,
        "TFRecordOptions": "io.TFRecordOptions",
        "TFRecordWriter": "io.TFRecordWriter",
        "tf_record_iterator": records.tf_record_iterator,
    },
    "ragged": {"RaggedTensorValue": uneven.RaggedTensorValue, "constant_value": uneven.ragged_constant_value},
    "random": {"get_seed": earlier.get_seed, "set_random_seed": "random.set_seed"},
    "saved_model": {
        "load_v2": "saved_model.load",
        "constants": SimpleNamespace(**_CONSTANTS),
        "signature_constants": SimpleNamespace(**_SIGNATURES),
        "tag_constants": SimpleNamespace(**_TAGS),
    },
    "sets": {
        "set_difference": "sets.difference",
        "set_intersection": "sets.intersection",
        "set_size": "sets.size",
        "set_union": "sets.union",
    },
    "sparse": {
        "SparseTensor": "SparseTensor",
        "matmul": "sparse.sparse_dense_matmul",
        "merge": uneven.sparse_merge,
        "placeholder": None,
    },
    "spectral": {name: f"signal.{name}" for name in _SPECTRA.split()},
    "test": {"mock": mock},
    "strings": {"split": uneven.strings_split},
}
# Names that stand for texts and numbers, which are no paths.
CONSTANTS: dict[str, dict[str, Any]] = {"saved_model": {**_CONSTANTS, **_SIGNATURES, **_TAGS}}
# Names of TensorFlow 2's modules that these do not have, or have with another meaning that needs sessions.
ABSENT = {"nn": frozenset(_OF_SESSIONS.split()), "data": frozenset(("make_initializable_iterator",))}
# Modules that are those of TensorFlow 2 but for what stands above and in `table.py`.
AS_IN_VERSION_2 = """
config data debugging distribute dtypes errors experimental feature_column image io linalg lookup math nn quantization queue
ragged random saved_model sets sparse strings test
"""
ALONE = "gfile initializers manip python_io spectral"


class Namespace(ModuleType):
    """A module of `tf.compat.v1`."""

    def __init__(self, name: str) -> None:
        super().__init__(f"gradtape.compat.v1.{name}", f"`tf.{name}` as TensorFlow 1 has it.")
        self.__path__: list[str] = []
        self._space = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = self._found(name)
        vars(self)[name] = found
        return found

    def _found(self, name: str) -> Any:
        space = self._space
        own = OWN_NAMES.get(space, {})
        if name in CONSTANTS.get(space, {}):
            return CONSTANTS[space][name]
        if own.get(name) is not None:
            return _at(own[name]) if isinstance(own[name], str) else own[name]
        if name in of(space):
            return function_of(f"{space}.{name}")
        if name in ALIASES.get(space, "").split():
            return getattr(sys.modules["gradtape.compat.v1"], name)
        if name not in own and name not in ABSENT.get(space, ()) and space in AS_IN_VERSION_2.split():
            whole = _at(space)
            if name in dir(whole) or hasattr(whole, name):
                return getattr(whole, name)
        instead = elsewhere(f"{space}.{name}")
        raise AttributeError(
            f"tf.compat.v1.{space}.{name} does not exist: gradtape has TensorFlow 2's eager interface only, without graphs and "
            f"sessions. {instead or f'Look into tf.{space}, or use eager ops.'}"
        )

    def __dir__(self) -> list[str]:
        own = OWN_NAMES.get(self._space, {})
        whole = dir(_at(self._space)) if self._space in AS_IN_VERSION_2.split() else []
        refused = {name for name, value in own.items() if value is None} | ABSENT.get(self._space, frozenset())
        return sorted(
            {*whole, *own, *CONSTANTS.get(self._space, {}), *of(self._space), *ALIASES.get(self._space, "").split()}
            - refused
        )


def _at(path: str) -> Any:
    return functools.reduce(getattr, path.split("."), sys.modules["gradtape"])


MODULES = tuple(sorted({*AS_IN_VERSION_2.split(), *ALONE.split()}))


@functools.cache
def module_of(name: str) -> Namespace:
    """The module of that name."""
    return sys.modules.setdefault(f"gradtape.compat.v1.{name}", Namespace(name))  # type: ignore[return-value]
