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
from .base.namespaces import homes as _homes  # noqa: E402
from .base.namespaces import import_late as _import_late  # noqa: E402
from .base.namespaces import take as _take  # noqa: E402

_keep_freed_memory()
_earlier_names.install()
_absent.install()
_tracebacks.install()

from keras_gradtape import hook as _keras_hook  # noqa: E402

from . import compile as _compile  # noqa: E402, F401 - compiles what tf.function records
from . import errors, version  # noqa: E402
from . import xla as xla  # noqa: E402 - an engine of tf.function
from .api import interop as _interop  # noqa: E402, F401 - attaches what NumPy asks of an operand
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
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
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
from .differentiation.backward import UnconnectedGradients  # noqa: E402
from .differentiation.tape import GradientTape  # noqa: E402
from .trace import function, inside_function  # noqa: E402
from .trace import outside_traces as init_scope  # noqa: E402
from .values.slices_spec import IndexedSlicesSpec  # noqa: E402
from .values.tensor import IndexedSlices, Tensor, TensorSpec  # noqa: E402
from .variables.module import Module, name_scope, variable_creator_scope  # noqa: E402
from .variables.variable import Variable, VariableAggregation, VariableSynchronization  # noqa: E402
from .version import __version__  # noqa: E402

_keras_hook.install()

# What stands above is the engine, which every program uses. All else is imported on first use: modules (`_LAZY`), and names that
# a module has (`_HOMES`). Type checkers read these imports; they must not see `__getattr__`, which would give every name a type.
# (One per line, to avoid merge conflicts.)
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
        autodiff as autodiff,
    )
    from . import (
        autograph as autograph,
    )
    from . import (
        bitwise as bitwise,
    )
    from . import (
        compat as compat,
    )
    from . import (
        config as config,
    )
    from . import (
        data as data,
    )
    from . import (
        debugging as debugging,
    )
    from . import (
        diagnostics as diagnostics,
    )
    from . import (
        distribute as distribute,
    )
    from . import (
        dtypes as dtypes,
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
        linalg as linalg,
    )
    from . import (
        lookup as lookup,
    )
    from . import (
        math as math,
    )
    from . import (
        nest as nest,
    )
    from . import (
        nn as nn,
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
        quantization as quantization,
    )
    from . import (
        queue as queue,
    )
    from . import (
        ragged as ragged,
    )
    from . import (
        random as random,
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
    from .api.arrays import (
        broadcast_to,
        constant,
        convert_to_tensor,
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
        register_tensor_conversion_function,
        reshape,
        stop_gradient,
        zeros,
        zeros_like,
    )
    from .api.blocks import (
        batch_to_space,
        required_space_to_batch_paddings,
        space_to_batch,
    )
    from .api.casts import bitcast, saturate_cast
    from .api.clip import (
        clip_by_global_norm,
        clip_by_norm,
        clip_by_value,
    )
    from .api.control import (
        case,
        cond,
        foldl,
        foldr,
        map_fn,
        scan,
        switch_case,
        while_loop,
    )
    from .api.device_spec import (
        DeviceSpec,
    )
    from .api.framework import (
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
    from .api.graph_mode import (
        AggregationMethod,
        RegisterGradient,
        gradients,
        hessians,
        no_gradient,
    )
    from .api.indexing import (
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
    from .api.initial_values import constant_initializer as constant_initializer
    from .api.initial_values import ones_initializer as ones_initializer
    from .api.initial_values import random_normal_initializer as random_normal_initializer
    from .api.initial_values import random_uniform_initializer as random_uniform_initializer
    from .api.initial_values import zeros_initializer as zeros_initializer
    from .api.layout import (
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
    from .api.partition import (
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
    from .api.script import (
        numpy_function,
        py_function,
    )
    from .api.shapes import broadcast_dynamic_shape, broadcast_static_shape, ensure_shape, rank, shape, shape_n, size
    from .api.sorting import (
        argsort,
        sort,
    )
    from .api.tensor_array import (
        TensorArray,
    )
    from .data.optional import OptionalSpec as OptionalSpec
    from .debugging import (
        assert_equal,
        assert_greater,
        assert_less,
        assert_rank,
    )
    from .differentiation.custom import (
        custom_gradient,
        grad_pass_through,
        recompute_grad,
    )
    from .differentiation.vectorize import (
        vectorized_map,
    )
    from .image.patches import extract_volume_patches as extract_volume_patches
    from .linalg import (
        eig,
        eigvals,
        einsum,
        matmul,
        norm,
        tensordot,
    )
    from .math import (
        add_n,
        argmax,
        argmin,
        cast,
        complex,
        divide,
        scalar_mul,
        truediv,
    )
    from .ops.public import (
        abs,
        acos,
        acosh,
        add,
        asin,
        asinh,
        atan,
        atan2,
        atanh,
        cos,
        cosh,
        cumsum,
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
        sigmoid,
        sign,
        sin,
        sinh,
        sqrt,
        square,
        subtract,
        tan,
        tanh,
        truncatediv,
        truncatemod,
    )
    from .ops.public import (
        divide as realdiv,
    )
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
    "qint16",
    "qint32",
    "qint8",
    "quint16",
    "quint8",
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
    "autodiff",
    "autograph",
    "bitwise",
    "compat",
    "config",
    "data",
    "debugging",
    "diagnostics",
    "distribute",
    "dtypes",
    "experimental",
    "export",
    "extend",
    "feature_column",
    "image",
    "initializers",
    "io",
    "keras",
    "linalg",
    "lookup",
    "losses",
    "math",
    "metrics",
    "nest",
    "nn",
    "numpy",
    "optimize",
    "optimizers",
    "profiler",
    "quantization",
    "queue",
    "ragged",
    "random",
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
_HOMES = {
    "api.arrays": """
        broadcast_to constant convert_to_tensor eye fill identity identity_n linspace meshgrid one_hot ones ones_like
        range register_tensor_conversion_function reshape stop_gradient zeros zeros_like
    """,
    "api.blocks": "batch_to_space required_space_to_batch_paddings space_to_batch",
    "api.casts": "bitcast saturate_cast",
    "api.clip": "clip_by_global_norm clip_by_norm clip_by_value",
    "api.control": "case cond foldl foldr map_fn scan switch_case while_loop",
    "api.device_spec": "DeviceSpec",
    "api.framework": """
        Assert control_dependencies device executing_eagerly get_current_name_scope get_logger get_static_value group
        guarantee_const is_symbolic_tensor is_tensor no_op print timestamp tuple type_spec_from_value
    """,
    "api.graph_mode": "AggregationMethod RegisterGradient gradients hessians no_gradient",
    "api.indexing": """
        boolean_mask gather gather_nd newaxis scatter_nd slice strided_slice tensor_scatter_nd_add
        tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update where
    """,
    "api.initial_values": """
        constant_initializer ones_initializer random_normal_initializer random_uniform_initializer zeros_initializer
    """,
    "api.layout": "concat expand_dims pad repeat reverse roll split squeeze stack tile transpose unstack",
    "api.partition": """
        dynamic_partition dynamic_stitch histogram_fixed_width histogram_fixed_width_bins reverse_sequence
        searchsorted sequence_mask unique unique_with_counts unravel_index
    """,
    "api.script": "numpy_function py_function",
    "api.shapes": "broadcast_dynamic_shape broadcast_static_shape ensure_shape rank shape shape_n size",
    "api.sorting": "argsort sort",
    "api.tensor_array": "TensorArray",
    "data.optional": "OptionalSpec",
    "debugging": "assert_equal assert_greater assert_less assert_rank",
    "differentiation.custom": "custom_gradient grad_pass_through recompute_grad",
    "differentiation.vectorize": "vectorized_map",
    "image.patches": "extract_volume_patches",
    "linalg": "eig eigvals einsum matmul norm tensordot",
    "math": "add_n argmax argmin cast complex divide scalar_mul truediv",
    "ops.public": """
        abs acos acosh add asin asinh atan atan2 atanh cos cosh cumsum equal exp floor greater greater_equal less
        less_equal logical_and logical_not logical_or maximum minimum multiply negative not_equal pow realdiv=divide
        reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum round sigmoid
        sign sin sinh sqrt square subtract tan tanh truncatediv truncatemod
    """,
    "ragged": "RaggedTensor RaggedTensorSpec",
    "sparse": "SparseTensor SparseTensorSpec",
    "sparse.distance": "edit_distance",
    "stand_in": "as_tensorflow",
    "strings": "as_string",
}
_LAZY_NAMES = _homes(__name__, _HOMES)


if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> _typing.Any:
        if name in _LAZY:
            return _import_late(f"{__name__}.{name}")
        if name in _LAZY_NAMES:
            return _take(globals(), name, _LAZY_NAMES)
        raise _absent.missing(__name__, name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_LAZY, *_LAZY_NAMES})


def load_ipython_extension(shell: object) -> None:
    """`%load_ext gradtape` in a notebook: `import tensorflow` gives gradtape from here on."""
    _sys.modules[__name__].as_tensorflow()
