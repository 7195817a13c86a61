"""gradtape: automatic differentiation in pure Python on NumPy, with TensorFlow's GradientTape interface.

>>> import gradtape as tf
>>> x = tf.Variable(3.0)
>>> with tf.GradientTape() as tape:
...     y = x**2
>>> tape.gradient(y, x)
<tf.Tensor: shape=(), dtype=float32, numpy=6.0>
"""

from __future__ import annotations

import sys as _sys
import typing as _typing
import warnings as _warnings

# NumPy warns of overflow, division by zero and invalid values; TensorFlow gives inf and nan silently. Only what is
# computed inside gradtape is silenced. (np.errstate around each op would cost more than the op.)
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradtape(\..*)?$")

from .base import absent as _absent  # noqa: E402
from .base import earlier_names as _earlier_names  # noqa: E402
from .base import tracebacks as _tracebacks  # noqa: E402
from .base.memory import keep_freed_memory as _keep_freed_memory  # noqa: E402

_keep_freed_memory()
_earlier_names.install()
_absent.install()
_tracebacks.install()

from keras_gradtape import hook as _keras_hook  # noqa: E402

from . import (  # noqa: E402
    autodiff,
    bitwise,
    compat,
    config,
    debugging,
    dtypes,
    errors,
    linalg,
    math,
    nest,
    nn,
    quantization,
    random,
    version,
    xla,
)
from . import compile as _compile  # noqa: E402, F401 - compiles what tf.function records
from .api import growing_tensor_array as _growing_tensor_array  # noqa: E402, F401 - lets loops carry arrays that grow
from .api import interop as _interop  # noqa: E402, F401 - attaches what NumPy asks of an operand
from .api.arrays import (  # noqa: E402
    bitcast,
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    constant,
    convert_to_tensor,
    ensure_shape,
    eye,
    fill,
    identity,
    identity_n,
    linspace,
    meshgrid,
    one_hot,
    ones,
    ones_like,
    range,
    rank,
    register_tensor_conversion_function,
    reshape,
    saturate_cast,
    shape,
    shape_n,
    size,
    stop_gradient,
    zeros,
    zeros_like,
)
from .api.blocks import batch_to_space, required_space_to_batch_paddings, space_to_batch  # noqa: E402
from .api.clip import clip_by_global_norm, clip_by_norm, clip_by_value  # noqa: E402
from .api.control import case, cond, foldl, foldr, map_fn, scan, switch_case, while_loop  # noqa: E402
from .api.device_spec import DeviceSpec  # noqa: E402
from .api.framework import (  # noqa: E402
    Assert,
    control_dependencies,
    device,
    executing_eagerly,
    get_current_name_scope,
    get_logger,
    get_static_value,
    group,
    guarantee_const,
    is_symbolic_tensor,
    is_tensor,
    no_op,
    print,
    timestamp,
    tuple,
    type_spec_from_value,
)
from .api.graph_mode import AggregationMethod, RegisterGradient, gradients, hessians, no_gradient  # noqa: E402
from .api.indexing import (  # noqa: E402
    boolean_mask,
    gather,
    gather_nd,
    newaxis,
    scatter_nd,
    slice,
    strided_slice,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
    where,
)
from .api.layout import (  # noqa: E402
    concat,
    expand_dims,
    pad,
    repeat,
    reverse,
    roll,
    split,
    squeeze,
    stack,
    tile,
    transpose,
    unstack,
)
from .api.partition import (  # noqa: E402
    dynamic_partition,
    dynamic_stitch,
    histogram_fixed_width,
    histogram_fixed_width_bins,
    reverse_sequence,
    searchsorted,
    sequence_mask,
    unique,
    unique_with_counts,
    unravel_index,
)
from .api.script import numpy_function, py_function  # noqa: E402
from .api.sorting import argsort, sort  # noqa: E402
from .api.tensor_array import TensorArray  # noqa: E402
from .base.dtypes import (  # noqa: E402
    DType,
    as_dtype,
    bfloat16,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from .base.shapes import TensorShape  # noqa: E402
from .base.type_spec import TypeSpec  # noqa: E402
from .debugging import assert_equal, assert_greater, assert_less, assert_rank  # noqa: E402
from .differentiation.backward import UnconnectedGradients  # noqa: E402
from .differentiation.custom import custom_gradient, grad_pass_through, recompute_grad  # noqa: E402
from .differentiation.tape import GradientTape  # noqa: E402
from .differentiation.vectorize import vectorized_map  # noqa: E402
from .linalg import eig, eigvals, einsum, matmul, norm, tensordot  # noqa: E402
from .math import (  # noqa: E402
    abs,
    acos,
    acosh,
    add,
    add_n,
    argmax,
    argmin,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cast,
    complex,
    cos,
    cosh,
    cumsum,
    divide,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    round,
    scalar_mul,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    truediv,
    truncatediv,
    truncatemod,
)
from .ops.public import divide as realdiv  # noqa: E402
from .trace import function, inside_function  # noqa: E402
from .trace import outside_traces as init_scope  # noqa: E402
from .values.slices_spec import IndexedSlicesSpec  # noqa: E402
from .values.tensor import IndexedSlices, Tensor, TensorSpec  # noqa: E402
from .variables.module import Module, name_scope, variable_creator_scope  # noqa: E402
from .variables.variable import Variable, VariableAggregation, VariableSynchronization  # noqa: E402
from .version import __version__  # noqa: E402

_keras_hook.install()

# What most programs do not need is imported on first use: modules, and names that a module has. (One per line, to avoid merge
# conflicts. Type checkers read the imports; they must not see `__getattr__`, which would give every name a type.)
if _typing.TYPE_CHECKING:
    import keras as keras
    from keras import initializers as initializers
    from keras import losses as losses
    from keras import metrics as metrics
    from keras import optimizers as optimizers

    from . import (
        audio as audio,
    )
    from . import (
        autograph as autograph,
    )
    from . import (
        data as data,
    )
    from . import (
        diagnostics as diagnostics,
    )
    from . import (
        distribute as distribute,
    )
    from . import (
        experimental as experimental,
    )
    from . import (
        export as export,
    )
    from . import (
        extend as extend,
    )
    from . import (
        feature_column as feature_column,
    )
    from . import (
        image as image,
    )
    from . import (
        io as io,
    )
    from . import (
        lookup as lookup,
    )
    from . import (
        numpy as numpy,
    )
    from . import (
        optimize as optimize,
    )
    from . import (
        profiler as profiler,
    )
    from . import (
        queue as queue,
    )
    from . import (
        ragged as ragged,
    )
    from . import (
        raw_ops as raw_ops,
    )
    from . import (
        saved_model as saved_model,
    )
    from . import (
        sets as sets,
    )
    from . import (
        signal as signal,
    )
    from . import (
        sparse as sparse,
    )
    from . import (
        strings as strings,
    )
    from . import (
        summary as summary,
    )
    from . import (
        sysconfig as sysconfig,
    )
    from . import (
        test as test,
    )
    from . import (
        tpu as tpu,
    )
    from . import (
        train as train,
    )
    from . import (
        types as types,
    )
    from .api.initial_values import constant_initializer as constant_initializer
    from .api.initial_values import ones_initializer as ones_initializer
    from .api.initial_values import random_normal_initializer as random_normal_initializer
    from .api.initial_values import random_uniform_initializer as random_uniform_initializer
    from .api.initial_values import zeros_initializer as zeros_initializer
    from .image.patches import extract_volume_patches as extract_volume_patches
    from .ragged import RaggedTensor as RaggedTensor
    from .ragged import RaggedTensorSpec as RaggedTensorSpec
    from .sparse import SparseTensor as SparseTensor
    from .sparse import SparseTensorSpec as SparseTensorSpec
    from .sparse.distance import edit_distance as edit_distance
    from .stand_in import as_tensorflow as as_tensorflow
    from .strings import as_string as as_string

__all__ = [
    "AggregationMethod",
    "Assert",
    "DType",
    "DeviceSpec",
    "GradientTape",
    "IndexedSlices",
    "IndexedSlicesSpec",
    "Module",
    "RegisterGradient",
    "Tensor",
    "TensorArray",
    "TensorShape",
    "TensorSpec",
    "TypeSpec",
    "UnconnectedGradients",
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "__version__",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "asin",
    "asinh",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "atan",
    "atan2",
    "atanh",
    "autodiff",
    "batch_to_space",
    "bfloat16",
    "bitcast",
    "bitwise",
    "bool",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "case",
    "cast",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "compat",
    "complex",
    "complex128",
    "complex64",
    "concat",
    "cond",
    "config",
    "constant",
    "control_dependencies",
    "convert_to_tensor",
    "cos",
    "cosh",
    "cumsum",
    "custom_gradient",
    "debugging",
    "device",
    "divide",
    "double",
    "dtypes",
    "dynamic_partition",
    "dynamic_stitch",
    "eig",
    "eigvals",
    "einsum",
    "ensure_shape",
    "equal",
    "errors",
    "executing_eagerly",
    "exp",
    "expand_dims",
    "eye",
    "fill",
    "float16",
    "float32",
    "float64",
    "floor",
    "foldl",
    "foldr",
    "function",
    "gather",
    "gather_nd",
    "get_current_name_scope",
    "get_logger",
    "get_static_value",
    "grad_pass_through",
    "gradients",
    "greater",
    "greater_equal",
    "group",
    "guarantee_const",
    "half",
    "hessians",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "identity",
    "identity_n",
    "init_scope",
    "inside_function",
    "int16",
    "int32",
    "int64",
    "int8",
    "is_symbolic_tensor",
    "is_tensor",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "logical_and",
    "logical_not",
    "logical_or",
    "map_fn",
    "math",
    "matmul",
    "maximum",
    "meshgrid",
    "minimum",
    "multiply",
    "name_scope",
    "negative",
    "nest",
    "newaxis",
    "nn",
    "no_gradient",
    "no_op",
    "norm",
    "not_equal",
    "numpy_function",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "pow",
    "print",
    "py_function",
    "quantization",
    "random",
    "range",
    "rank",
    "realdiv",
    "recompute_grad",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "repeat",
    "required_space_to_batch_paddings",
    "register_tensor_conversion_function",
    "reshape",
    "resource",
    "reverse",
    "reverse_sequence",
    "roll",
    "round",
    "saturate_cast",
    "scalar_mul",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "shape",
    "shape_n",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "space_to_batch",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "string",
    "subtract",
    "switch_case",
    "tan",
    "tanh",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensordot",
    "tile",
    "timestamp",
    "transpose",
    "truediv",
    "truncatediv",
    "truncatemod",
    "tuple",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "type_spec_from_value",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "unstack",
    "variant",
    "variable_creator_scope",
    "vectorized_map",
    "version",
    "where",
    "while_loop",
    "xla",
    "zeros",
    "zeros_like",
]

_LAZY = {
    "audio",
    "autograph",
    "data",
    "diagnostics",
    "distribute",
    "experimental",
    "export",
    "extend",
    "feature_column",
    "image",
    "initializers",
    "io",
    "keras",
    "losses",
    "metrics",
    "lookup",
    "numpy",
    "optimize",
    "optimizers",
    "profiler",
    "queue",
    "ragged",
    "raw_ops",
    "saved_model",
    "sets",
    "signal",
    "sparse",
    "strings",
    "summary",
    "sysconfig",
    "test",
    "tpu",
    "train",
    "types",
}
_LAZY_NAMES = {
    "RaggedTensor": "ragged",
    "RaggedTensorSpec": "ragged",
    "SparseTensor": "sparse",
    "SparseTensorSpec": "sparse",
    "as_string": "strings",
    "as_tensorflow": "stand_in",
    "constant_initializer": "api.initial_values",
    "edit_distance": "sparse.distance",
    "extract_volume_patches": "image.patches",
    "ones_initializer": "api.initial_values",
    "random_normal_initializer": "api.initial_values",
    "random_uniform_initializer": "api.initial_values",
    "zeros_initializer": "api.initial_values",
}


if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> _typing.Any:
        if name in _LAZY or name in _LAZY_NAMES:
            import importlib

            module = importlib.import_module(f"{__name__}.{_LAZY_NAMES.get(name, name)}")
            return module if name in _LAZY else getattr(module, name)
        if instead := _absent.advice(name) or _absent.named_elsewhere(name):
            raise AttributeError(f"gradtape has no tf.{name}: {instead}")
        # name and obj let Python suggest what was meant.
        raise AttributeError(f"module 'gradtape' has no attribute {name!r}", name=name, obj=_sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*__all__, *_LAZY, *_LAZY_NAMES})


def load_ipython_extension(shell: object) -> None:
    """`%load_ext gradtape` in a notebook: `import tensorflow` gives gradtape from here on."""
    _sys.modules[__name__].as_tensorflow()
