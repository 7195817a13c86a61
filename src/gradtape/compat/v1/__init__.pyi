# Written by `python -m tests.checkers.stubs`.

from typing import Any

from . import distributions as distributions
from . import losses as losses
from . import train as train
from ... import AggregationMethod as AggregationMethod
from ... import Assert as Assert
from ... import DType as DType
from ... import GradientTape as GradientTape
from ... import IndexedSlices as IndexedSlices
from ... import IndexedSlicesSpec as IndexedSlicesSpec
from ... import Module as Module
from ... import RaggedTensor as RaggedTensor
from ... import RaggedTensorSpec as RaggedTensorSpec
from ... import RegisterGradient as RegisterGradient
from ... import SparseTensor as SparseTensor
from ... import SparseTensorSpec as SparseTensorSpec
from ... import Tensor as Tensor
from ... import TensorArray as TensorArray
from ... import TensorShape as TensorShape
from ... import TensorSpec as TensorSpec
from ... import TypeSpec as TypeSpec
from ... import UnconnectedGradients as UnconnectedGradients
from ... import VariableAggregation as VariableAggregation
from ... import VariableSynchronization as VariableSynchronization
from ... import abs as abs
from ... import acos as acos
from ... import acosh as acosh
from ... import add as add
from ... import add_n as add_n
from ... import argsort as argsort
from ... import as_dtype as as_dtype
from ... import as_string as as_string
from ... import asin as asin
from ... import asinh as asinh
from ... import atan as atan
from ... import atan2 as atan2
from ... import atanh as atanh
from ... import audio as audio
from ... import autograph as autograph
from ... import bfloat16 as bfloat16
from ... import bitcast as bitcast
from ... import bitwise as bitwise
from ... import bool as bool
from ... import broadcast_dynamic_shape as broadcast_dynamic_shape
from ... import broadcast_static_shape as broadcast_static_shape
from ... import broadcast_to as broadcast_to
from ... import cast as cast
from ... import clip_by_global_norm as clip_by_global_norm
from ... import clip_by_norm as clip_by_norm
from ... import clip_by_value as clip_by_value
from ... import complex as complex
from ... import complex128 as complex128
from ... import complex64 as complex64
from ... import concat as concat
from ... import control_dependencies as control_dependencies
from ... import cos as cos
from ... import cosh as cosh
from ... import cumsum as cumsum
from ... import custom_gradient as custom_gradient
from ... import divide as divide
from ... import double as double
from ... import dynamic_partition as dynamic_partition
from ... import dynamic_stitch as dynamic_stitch
from ... import einsum as einsum
from ... import ensure_shape as ensure_shape
from ... import equal as equal
from ... import exp as exp
from ... import eye as eye
from ... import fill as fill
from ... import float16 as float16
from ... import float32 as float32
from ... import float64 as float64
from ... import floor as floor
from ... import function as function
from ... import get_logger as get_logger
from ... import get_static_value as get_static_value
from ... import grad_pass_through as grad_pass_through
from ... import greater as greater
from ... import greater_equal as greater_equal
from ... import group as group
from ... import guarantee_const as guarantee_const
from ... import half as half
from ... import histogram_fixed_width as histogram_fixed_width
from ... import histogram_fixed_width_bins as histogram_fixed_width_bins
from ... import identity as identity
from ... import identity_n as identity_n
from ... import init_scope as init_scope
from ... import int16 as int16
from ... import int32 as int32
from ... import int64 as int64
from ... import int8 as int8
from ... import is_symbolic_tensor as is_symbolic_tensor
from ... import is_tensor as is_tensor
from ... import keras as keras
from ... import less as less
from ... import less_equal as less_equal
from ... import linspace as lin_space
from ... import linspace as linspace
from ... import logical_and as logical_and
from ... import logical_not as logical_not
from ... import logical_or as logical_or
from ... import matmul as matmul
from ... import maximum as maximum
from ... import meshgrid as meshgrid
from ... import minimum as minimum
from ... import multiply as multiply
from ... import negative as negative
from ... import nest as nest
from ... import newaxis as newaxis
from ... import no_gradient as NoGradient
from ... import no_gradient as NotDifferentiable
from ... import no_gradient as no_gradient
from ... import no_op as no_op
from ... import not_equal as not_equal
from ... import numpy_function as numpy_function
from ... import one_hot as one_hot
from ... import ones as ones
from ... import pow as pow
from ... import print as print
from ... import py_function as py_function
from ... import qint16 as qint16
from ... import qint32 as qint32
from ... import qint8 as qint8
from ... import quint16 as quint16
from ... import quint8 as quint8
from ... import range as range
from ... import rank as rank
from ... import raw_ops as raw_ops
from ... import realdiv as realdiv
from ... import recompute_grad as recompute_grad
from ... import register_tensor_conversion_function as register_tensor_conversion_function
from ... import repeat as repeat
from ... import required_space_to_batch_paddings as required_space_to_batch_paddings
from ... import reshape as reshape
from ... import resource as resource
from ... import reverse as reverse
from ... import reverse as reverse_v2
from ... import roll as roll
from ... import round as round
from ... import saturate_cast as saturate_cast
from ... import scatter_nd as scatter_nd
from ... import searchsorted as searchsorted
from ... import sequence_mask as sequence_mask
from ... import shape_n as shape_n
from ... import sigmoid as sigmoid
from ... import sign as sign
from ... import signal as signal
from ... import sin as sin
from ... import sinh as sinh
from ... import slice as slice
from ... import sort as sort
from ... import split as split
from ... import sqrt as sqrt
from ... import square as square
from ... import stack as stack
from ... import stop_gradient as stop_gradient
from ... import strided_slice as strided_slice
from ... import string as string
from ... import subtract as subtract
from ... import switch_case as switch_case
from ... import sysconfig as sysconfig
from ... import tan as tan
from ... import tanh as tanh
from ... import tensor_scatter_nd_add as tensor_scatter_add
from ... import tensor_scatter_nd_add as tensor_scatter_nd_add
from ... import tensor_scatter_nd_max as tensor_scatter_nd_max
from ... import tensor_scatter_nd_min as tensor_scatter_nd_min
from ... import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from ... import tensor_scatter_nd_sub as tensor_scatter_sub
from ... import tensor_scatter_nd_update as tensor_scatter_nd_update
from ... import tensor_scatter_nd_update as tensor_scatter_update
from ... import tensordot as tensordot
from ... import tile as tile
from ... import timestamp as timestamp
from ... import truediv as truediv
from ... import truncatediv as truncatediv
from ... import truncatemod as truncatemod
from ... import type_spec_from_value as type_spec_from_value
from ... import types as types
from ... import uint16 as uint16
from ... import uint32 as uint32
from ... import uint64 as uint64
from ... import uint8 as uint8
from ... import unique as unique
from ... import unique_with_counts as unique_with_counts
from ... import unravel_index as unravel_index
from ... import unstack as unstack
from ... import variable_creator_scope as variable_creator_scope
from ... import variant as variant
from ... import vectorized_map as vectorized_map
from ... import version as version
from ... import where as where_v2
from ... import xla as xla
from ... import zeros as zeros
from ...debugging import assert_proper_iterable as assert_proper_iterable
from ...debugging import assert_same_float_dtype as assert_same_float_dtype
from ...debugging import check_numerics as check_numerics
from ...debugging import is_numeric_tensor as is_numeric_tensor
from ...errors import OpError as OpError
from ...image import random_crop as random_crop
from ...io import FixedLenFeature as FixedLenFeature
from ...io import FixedLenSequenceFeature as FixedLenSequenceFeature
from ...io import SparseFeature as SparseFeature
from ...io import VarLenFeature as VarLenFeature
from ...io import decode_base64 as decode_base64
from ...io import decode_json_example as decode_json_example
from ...io import deserialize_many_sparse as deserialize_many_sparse
from ...io import encode_base64 as encode_base64
from ...io import matching_files as matching_files
from ...io import parse_single_sequence_example as parse_single_sequence_example
from ...io import parse_tensor as parse_tensor
from ...io import read_file as read_file
from ...io import serialize_tensor as serialize_tensor
from ...io import write_file as write_file
from ...linalg import band_part as matrix_band_part
from ...linalg import cholesky as cholesky
from ...linalg import cholesky_solve as cholesky_solve
from ...linalg import cross as cross
from ...linalg import det as matrix_determinant
from ...linalg import diag as matrix_diag
from ...linalg import diag_part as matrix_diag_part
from ...linalg import eigh as self_adjoint_eig
from ...linalg import eigvalsh as self_adjoint_eigvals
from ...linalg import global_norm as global_norm
from ...linalg import inv as matrix_inverse
from ...linalg import lstsq as matrix_solve_ls
from ...linalg import matrix_transpose as matrix_transpose
from ...linalg import qr as qr
from ...linalg import set_diag as matrix_set_diag
from ...linalg import solve as matrix_solve
from ...linalg import svd as svd
from ...linalg import tensor_diag as diag
from ...linalg import tensor_diag_part as diag_part
from ...linalg import trace as trace
from ...linalg import triangular_solve as matrix_triangular_solve
from ...math import accumulate_n as accumulate_n
from ...math import angle as angle
from ...math import betainc as betainc
from ...math import ceil as ceil
from ...math import conj as conj
from ...math import cumprod as cumprod
from ...math import digamma as digamma
from ...math import divide_no_nan as div_no_nan
from ...math import erf as erf
from ...math import erfc as erfc
from ...math import expm1 as expm1
from ...math import floordiv as floordiv
from ...math import igamma as igamma
from ...math import igammac as igammac
from ...math import imag as imag
from ...math import invert_permutation as invert_permutation
from ...math import is_finite as is_finite
from ...math import is_inf as is_inf
from ...math import is_nan as is_nan
from ...math import is_non_decreasing as is_non_decreasing
from ...math import is_strictly_increasing as is_strictly_increasing
from ...math import lbeta as lbeta
from ...math import lgamma as lgamma
from ...math import log as log
from ...math import log1p as log1p
from ...math import log_sigmoid as log_sigmoid
from ...math import logical_xor as logical_xor
from ...math import mod as floormod
from ...math import mod as mod
from ...math import polygamma as polygamma
from ...math import real as real
from ...math import reciprocal as reciprocal
from ...math import rint as rint
from ...math import rsqrt as rsqrt
from ...math import segment_max as segment_max
from ...math import segment_mean as segment_mean
from ...math import segment_min as segment_min
from ...math import segment_prod as segment_prod
from ...math import segment_sum as segment_sum
from ...math import squared_difference as squared_difference
from ...math import unsorted_segment_max as unsorted_segment_max
from ...math import unsorted_segment_mean as unsorted_segment_mean
from ...math import unsorted_segment_min as unsorted_segment_min
from ...math import unsorted_segment_prod as unsorted_segment_prod
from ...math import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from ...math import unsorted_segment_sum as unsorted_segment_sum
from ...math import zeta as zeta
from ...quantization import fake_quant_with_min_max_args as fake_quant_with_min_max_args
from ...quantization import fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient
from ...quantization import fake_quant_with_min_max_vars as fake_quant_with_min_max_vars
from ...quantization import fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient
from ...quantization import fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel
from ...quantization import fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient
from ...queue import FIFOQueue as FIFOQueue
from ...queue import PaddingFIFOQueue as PaddingFIFOQueue
from ...queue import PriorityQueue as PriorityQueue
from ...queue import QueueBase as QueueBase
from ...queue import RandomShuffleQueue as RandomShuffleQueue
from ...random import gamma as random_gamma
from ...random import normal as random_normal
from ...random import shuffle as random_shuffle
from ...random import truncated_normal as truncated_normal
from ...random import uniform as random_uniform
from ...signal import fft as fft
from ...signal import fft2d as fft2d
from ...signal import fft3d as fft3d
from ...signal import ifft as ifft
from ...signal import ifft2d as ifft2d
from ...signal import ifft3d as ifft3d
from ...sparse import fill_empty_rows as sparse_fill_empty_rows
from ...sparse import mask as sparse_mask
from ...sparse import maximum as sparse_maximum
from ...sparse import minimum as sparse_minimum
from ...sparse import reorder as sparse_reorder
from ...sparse import reset_shape as sparse_reset_shape
from ...sparse import reshape as sparse_reshape
from ...sparse import retain as sparse_retain
from ...sparse import slice as sparse_slice
from ...sparse import softmax as sparse_softmax
from ...sparse import sparse_dense_matmul as sparse_tensor_dense_matmul
from ...sparse import to_dense as sparse_tensor_to_dense
from ...sparse import to_indicator as sparse_to_indicator
from ...sparse import transpose as sparse_transpose
from ...strings import join as string_join
from ...strings import regex_replace as regex_replace
from ...strings import strip as string_strip
from ...strings import to_hash_bucket_fast as string_to_hash_bucket_fast
from ...strings import to_hash_bucket_strong as string_to_hash_bucket_strong
from .earlier import Print as Print
from .earlier import Variable as Variable
from .earlier import batch_scatter_update as batch_scatter_update
from .earlier import clip_by_average_norm as clip_by_average_norm
from .earlier import colocate_with as colocate_with
from .earlier import cond as cond
from .earlier import container as container
from .earlier import convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices
from .earlier import convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor
from .earlier import count_up_to as count_up_to
from .earlier import fixed_size_partitioner as fixed_size_partitioner
from .earlier import get_seed as get_seed
from .earlier import is_variable_initialized as is_variable_initialized
from .earlier import make_template as make_template
from .earlier import name_scope as name_scope
from .earlier import no_regularizer as no_regularizer
from .earlier import op_scope as op_scope
from .earlier import while_loop as while_loop
from .functions import SparseTensorValue as SparseTensorValue
from .functions import argmax as argmax
from .functions import argmin as argmin
from .functions import count_nonzero as count_nonzero
from .functions import dimension_at_index as dimension_at_index
from .functions import dimension_value as dimension_value
from .functions import div as div
from .functions import expand_dims as expand_dims
from .functions import gather as gather
from .functions import multinomial as multinomial
from .functions import norm as norm
from .functions import ones_like as ones_like
from .functions import placeholder_with_default as placeholder_with_default
from .functions import reduce_all as reduce_all
from .functions import reduce_any as reduce_any
from .functions import reduce_logsumexp as reduce_logsumexp
from .functions import reduce_max as reduce_max
from .functions import reduce_mean as reduce_mean
from .functions import reduce_min as reduce_min
from .functions import reduce_prod as reduce_prod
from .functions import reduce_sum as reduce_sum
from .functions import scatter_add as scatter_add
from .functions import scatter_div as scatter_div
from .functions import scatter_max as scatter_max
from .functions import scatter_min as scatter_min
from .functions import scatter_mul as scatter_mul
from .functions import scatter_nd_add as scatter_nd_add
from .functions import scatter_nd_sub as scatter_nd_sub
from .functions import scatter_nd_update as scatter_nd_update
from .functions import scatter_sub as scatter_sub
from .functions import scatter_update as scatter_update
from .functions import shape as shape
from .functions import size as size
from .functions import squeeze as squeeze
from .functions import to_bfloat16 as to_bfloat16
from .functions import to_complex128 as to_complex128
from .functions import to_complex64 as to_complex64
from .functions import to_double as to_double
from .functions import to_float as to_float
from .functions import to_int32 as to_int32
from .functions import to_int64 as to_int64
from .functions import transpose as transpose
from .functions import where as where
from .functions import zeros_like as zeros_like
from .graph_keys import GraphKeys as GraphKeys
from .graph_keys import add_to_collection as add_to_collection
from .graph_keys import add_to_collections as add_to_collections
from .graph_keys import all_variables as all_variables
from .graph_keys import get_collection as get_collection
from .graph_keys import get_collection_ref as get_collection_ref
from .graph_keys import global_variables as global_variables
from .graph_keys import local_variables as local_variables
from .graph_keys import model_variables as model_variables
from .graph_keys import moving_average_variables as moving_average_variables
from .graph_keys import trainable_variables as trainable_variables
from .initial_values import constant_initializer as constant_initializer
from .initial_values import glorot_normal_initializer as glorot_normal_initializer
from .initial_values import glorot_uniform_initializer as glorot_uniform_initializer
from .initial_values import ones_initializer as ones_initializer
from .initial_values import orthogonal_initializer as orthogonal_initializer
from .initial_values import random_normal_initializer as random_normal_initializer
from .initial_values import random_uniform_initializer as random_uniform_initializer
from .initial_values import truncated_normal_initializer as truncated_normal_initializer
from .initial_values import uniform_unit_scaling_initializer as uniform_unit_scaling_initializer
from .initial_values import variance_scaling_initializer as variance_scaling_initializer
from .initial_values import zeros_initializer as zeros_initializer
from .variables import assign as assign
from .variables import assign_add as assign_add
from .variables import assign_sub as assign_sub
from .variables import get_variable as get_variable
from .variables import variable_scope as variable_scope

AUTO_REUSE: Any
COMPILER_VERSION: Any
CXX11_ABI_FLAG: Any
ConfigProto: Any
Dimension: Any
Event: Any
GIT_VERSION: Any
GPUOptions: Any
GRAPH_DEF_VERSION: Any
GRAPH_DEF_VERSION_MIN_CONSUMER: Any
GRAPH_DEF_VERSION_MIN_PRODUCER: Any
GraphOptions: Any
HistogramProto: Any
MONOLITHIC_BUILD: Any
OptimizerOptions: Any
RunOptions: Any
Summary: Any
SummaryMetadata: Any
VERSION: Any
app: Any
arg_max: Any
arg_min: Any
assert_equal: Any
assert_greater: Any
assert_greater_equal: Any
assert_integer: Any
assert_less: Any
assert_less_equal: Any
assert_near: Any
assert_negative: Any
assert_non_negative: Any
assert_non_positive: Any
assert_none_equal: Any
assert_positive: Any
assert_rank: Any
assert_rank_at_least: Any
assert_rank_in: Any
assert_scalar: Any
assert_type: Any
batch_gather: Any
batch_to_space: Any
batch_to_space_nd: Any
bincount: Any
boolean_mask: Any
case: Any
config: Any
confusion_matrix: Any
constant: Any
control_flow_v2_enabled: Any
conv2d_backprop_filter: Any
convert_to_tensor: Any
data: Any
debugging: Any
decode_csv: Any
decode_raw: Any
depth_to_space: Any
device: Any
distribute: Any
dtypes: Any
edit_distance: Any
enable_control_flow_v2: Any
enable_eager_execution: Any
enable_resource_variables: Any
enable_tensor_equality: Any
enable_v2_behavior: Any
enable_v2_tensorshape: Any
errors: Any
executing_eagerly: Any
executing_eagerly_outside_functions: Any
experimental: Any
extract_image_patches: Any
extract_volume_patches: Any
feature_column: Any
fingerprint: Any
flags: Any
floor_div: Any
foldl: Any
foldr: Any
gather_nd: Any
gfile: Any
global_variables_initializer: Any
gradients: Any
hessians: Any
image: Any
initialize_all_tables: Any
initialize_all_variables: Any
initialize_local_variables: Any
initialize_variables: Any
initializers: Any
io: Any
linalg: Any
local_variables_initializer: Any
logging: Any
lookup: Any
manip: Any
map_fn: Any
math: Any
matrix_square_root: Any
nn: Any
of: Any
pad: Any
parse_example: Any
parse_single_example: Any
py_func: Any
python_io: Any
quantization: Any
queue: Any
ragged: Any
random: Any
random_poisson: Any
reduce_join: Any
report_uninitialized_variables: Any
reset_default_graph: Any
resource_variables_enabled: Any
reverse_sequence: Any
saved_model: Any
scalar_mul: Any
scan: Any
serialize_many_sparse: Any
serialize_sparse: Any
set_random_seed: Any
set_seed: Any
setdiff1d: Any
sets: Any
space_to_batch: Any
space_to_batch_nd: Any
space_to_depth: Any
sparse: Any
sparse_add: Any
sparse_concat: Any
sparse_matmul: Any
sparse_merge: Any
sparse_reduce_max: Any
sparse_reduce_max_sparse: Any
sparse_reduce_sum: Any
sparse_reduce_sum_sparse: Any
sparse_segment_mean: Any
sparse_segment_sqrt_n: Any
sparse_segment_sum: Any
sparse_split: Any
sparse_to_dense: Any
spectral: Any
string_split: Any
string_to_hash_bucket: Any
string_to_number: Any
strings: Any
substr: Any
tables_initializer: Any
test: Any
tuple: Any
variables_initializer: Any
verify_tensor_all_finite: Any
