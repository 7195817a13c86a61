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
import warnings as _warnings
from typing import Any as _Any

# NumPy warns of overflow, division by zero and invalid values; TensorFlow gives inf and nan silently. Only what is
# computed inside gradtape is silenced. (np.errstate around each op would cost more than the op.)
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradtape(\..*)?$")

from .memory import keep_freed_memory as _keep_freed_memory  # noqa: E402

_keep_freed_memory()

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
    raw_ops,
)
from .arrays import (  # noqa: E402
    bitcast,
    boolean_mask,
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    concat,
    constant,
    convert_to_tensor,
    einsum,
    ensure_shape,
    expand_dims,
    eye,
    fill,
    gather,
    gather_nd,
    identity,
    identity_n,
    linspace,
    meshgrid,
    newaxis,
    one_hot,
    ones,
    ones_like,
    pad,
    range,
    rank,
    repeat,
    reshape,
    reverse,
    roll,
    saturate_cast,
    scatter_nd,
    shape,
    shape_n,
    size,
    slice,
    split,
    squeeze,
    stack,
    stop_gradient,
    strided_slice,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
    tensordot,
    tile,
    transpose,
    unstack,
    where,
    zeros,
    zeros_like,
)
from .backward import UnconnectedGradients  # noqa: E402
from .blocks import batch_to_space, space_to_batch  # noqa: E402
from .clip import clip_by_global_norm, clip_by_norm, clip_by_value  # noqa: E402
from .control import case, cond, foldl, foldr, map_fn, scan, switch_case, while_loop  # noqa: E402
from .custom import custom_gradient, grad_pass_through, recompute_grad  # noqa: E402
from .debugging import assert_equal, assert_greater, assert_less, assert_rank  # noqa: E402
from .dtypes import (  # noqa: E402
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
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .framework import (  # noqa: E402
    Assert,
    control_dependencies,
    device,
    executing_eagerly,
    get_static_value,
    group,
    is_symbolic_tensor,
    is_tensor,
    no_op,
    print,
)
from .graph_mode import AggregationMethod, RegisterGradient, gradients, hessians, no_gradient  # noqa: E402
from .interop import from_dlpack as _from_dlpack  # noqa: E402
from .linalg import eig, eigvals, matmul, norm  # noqa: E402
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
from .module import Module, name_scope  # noqa: E402
from .partition import (  # noqa: E402
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
from .script import numpy_function, py_function  # noqa: E402
from .shapes import TensorShape  # noqa: E402
from .sorting import argsort, sort  # noqa: E402
from .tape import GradientTape  # noqa: E402
from .tensor import IndexedSlices, Tensor, TensorSpec  # noqa: E402
from .tensor_array import TensorArray  # noqa: E402
from .variable import Variable, VariableAggregation, VariableSynchronization  # noqa: E402
from .vectorize import vectorized_map  # noqa: E402
from .version import __version__  # noqa: E402

# What most programs do not need is imported on first use: modules, and names that a module has.
_LAZY = {"experimental", "image", "numpy", "signal", "sparse", "strings", "test"}
_LAZY_NAMES = {"SparseTensor": "sparse", "SparseTensorSpec": "sparse"}

_NOT_YET = {
    "function": "call the Python function itself; eager code runs without it.",
    "keras": "write the model as a tf.Module with tf.Variable and tf.GradientTape.",
    "data": "iterate over NumPy arrays in batches.",
    "train": "write the update with assign_sub, or tf.raw_ops.ResourceApplyAdam.",
    "summary": "log with the tool of your choice.",
    "saved_model": "save the values of module.variables with numpy.savez or safetensors.",
    "distribute": "there is one device.",
}


def __getattr__(name: str) -> _Any:
    if name in _LAZY or name in _LAZY_NAMES:
        import importlib

        module = importlib.import_module(f"{__name__}.{_LAZY_NAMES.get(name, name)}")
        return module if name in _LAZY else getattr(module, name)
    if name in _NOT_YET:
        raise AttributeError(f"tf.{name} is not in gradtape {__version__} yet: {_NOT_YET[name]}")
    # name and obj let Python suggest what was meant.
    raise AttributeError(f"module 'gradtape' has no attribute {name!r}", name=name, obj=_sys.modules[__name__])
