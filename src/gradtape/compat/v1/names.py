"""Names of `tf.compat.v1` that are functions and classes of TensorFlow 2: where they are there."""

from __future__ import annotations

# At the top level under the same name.
SAME = """
AggregationMethod Assert DType GradientTape IndexedSlices IndexedSlicesSpec Module RaggedTensor RaggedTensorSpec
RegisterGradient SparseTensor SparseTensorSpec Tensor TensorArray TensorShape TensorSpec TypeSpec UnconnectedGradients
VariableAggregation VariableSynchronization abs acos acosh add add_n argsort as_dtype as_string asin asinh atan atan2 atanh
bfloat16 bitcast bool broadcast_dynamic_shape broadcast_static_shape broadcast_to cast clip_by_global_norm clip_by_norm
clip_by_value complex complex128 complex64 concat control_dependencies cos cosh cumsum custom_gradient divide double
dynamic_partition dynamic_stitch einsum ensure_shape equal exp eye fill float16 float32 float64 floor function get_logger
get_static_value grad_pass_through greater greater_equal group guarantee_const half histogram_fixed_width
histogram_fixed_width_bins identity identity_n init_scope int16 int32 int64 int8 is_symbolic_tensor is_tensor less less_equal
linspace logical_and logical_not logical_or matmul maximum meshgrid minimum multiply negative no_gradient no_op not_equal
numpy_function one_hot ones pow print py_function range rank realdiv recompute_grad register_tensor_conversion_function repeat
required_space_to_batch_paddings reshape reverse roll round saturate_cast scatter_nd searchsorted sequence_mask shape_n
sigmoid sign sin sinh slice sort split sqrt square stack stop_gradient strided_slice string subtract switch_case tan tanh
tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update tensordot
tile timestamp truediv truncatediv truncatemod type_spec_from_value uint16 uint32 uint64 uint8 unique unique_with_counts
unravel_index unstack vectorized_map zeros newaxis qint8 qint16 qint32 quint8 quint16 resource variant variable_creator_scope
"""

# In a module of this name under the same name.
IN_MODULES = {
    "debugging": ("assert_proper_iterable assert_same_float_dtype check_numerics is_numeric_tensor"),
    "errors": ("OpError"),
    "image": ("random_crop"),
    "io": (
        "FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature decode_base64 "
        "decode_json_example deserialize_many_sparse encode_base64 matching_files parse_single_sequence_example "
        "parse_tensor read_file serialize_tensor write_file"
    ),
    "linalg": ("cholesky cholesky_solve cross global_norm matrix_transpose qr svd trace"),
    "math": (
        "accumulate_n angle betainc ceil conj cumprod digamma erf erfc expm1 floordiv igamma igammac imag "
        "invert_permutation is_finite is_inf is_nan is_non_decreasing is_strictly_increasing lbeta lgamma log log1p "
        "log_sigmoid logical_xor mod polygamma real reciprocal rint rsqrt segment_max segment_mean segment_min "
        "segment_prod segment_sum squared_difference unsorted_segment_max unsorted_segment_mean unsorted_segment_min "
        "unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum zeta"
    ),
    "quantization": (
        "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars "
        "fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel "
        "fake_quant_with_min_max_vars_per_channel_gradient"
    ),
    "queue": ("FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue"),
    "random": ("truncated_normal"),
    "signal": ("fft fft2d fft3d ifft ifft2d ifft3d"),
    "strings": ("regex_replace"),
}

# Under another name.
RENAMED = {
    "NoGradient": "no_gradient",
    "NotDifferentiable": "no_gradient",
    "diag": "linalg.tensor_diag",
    "diag_part": "linalg.tensor_diag_part",
    "div_no_nan": "math.divide_no_nan",
    "floormod": "math.mod",
    "lin_space": "linspace",
    "matrix_band_part": "linalg.band_part",
    "matrix_determinant": "linalg.det",
    "matrix_diag": "linalg.diag",
    "matrix_diag_part": "linalg.diag_part",
    "matrix_inverse": "linalg.inv",
    "matrix_set_diag": "linalg.set_diag",
    "matrix_solve": "linalg.solve",
    "matrix_solve_ls": "linalg.lstsq",
    "matrix_triangular_solve": "linalg.triangular_solve",
    "random_gamma": "random.gamma",
    "random_normal": "random.normal",
    "random_shuffle": "random.shuffle",
    "random_uniform": "random.uniform",
    "reverse_v2": "reverse",
    "self_adjoint_eig": "linalg.eigh",
    "self_adjoint_eigvals": "linalg.eigvalsh",
    "sparse_fill_empty_rows": "sparse.fill_empty_rows",
    "sparse_mask": "sparse.mask",
    "sparse_maximum": "sparse.maximum",
    "sparse_minimum": "sparse.minimum",
    "sparse_reorder": "sparse.reorder",
    "sparse_reset_shape": "sparse.reset_shape",
    "sparse_reshape": "sparse.reshape",
    "sparse_retain": "sparse.retain",
    "sparse_slice": "sparse.slice",
    "sparse_softmax": "sparse.softmax",
    "sparse_tensor_dense_matmul": "sparse.sparse_dense_matmul",
    "sparse_tensor_to_dense": "sparse.to_dense",
    "sparse_to_indicator": "sparse.to_indicator",
    "sparse_transpose": "sparse.transpose",
    "string_join": "strings.join",
    "string_strip": "strings.strip",
    "string_to_hash_bucket_fast": "strings.to_hash_bucket_fast",
    "string_to_hash_bucket_strong": "strings.to_hash_bucket_strong",
    "tensor_scatter_add": "tensor_scatter_nd_add",
    "tensor_scatter_sub": "tensor_scatter_nd_sub",
    "tensor_scatter_update": "tensor_scatter_nd_update",
    "where_v2": "where",
}

# Namespaces of which every function means the same in both versions; `namespaces.py` has the others.
MODULES = """
audio autograph bitwise keras nest raw_ops signal sysconfig types version xla
"""

# Functions of `tf.io.gfile` under their old names.
GFILE = {
    "Copy": "copy",
    "DeleteRecursively": "rmtree",
    "Exists": "exists",
    "FastGFile": "GFile",
    "GFile": "GFile",
    "Glob": "glob",
    "IsDirectory": "isdir",
    "ListDirectory": "listdir",
    "MakeDirs": "makedirs",
    "MkDir": "mkdir",
    "Open": "GFile",
    "Remove": "remove",
    "Rename": "rename",
    "Stat": "stat",
    "Walk": "walk",
}
