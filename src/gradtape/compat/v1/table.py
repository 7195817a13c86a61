"""Functions of `tf.compat.v1` that are those of TensorFlow 2 with other names, orders or defaults of arguments: one row each.

A row has the names under which the function stands, its arguments in the order of TensorFlow 1 (`name=value` has a default), and
the function of TensorFlow 2 with its arguments: `a=b` gives `b` as `a`, `a=b/c` the one of `b` and `c` that is not None,
`~a=b` gives it only if it is not None, `a:value` is a constant.
`tests/test_compat_rows.py` compares each row with what TensorFlow gives.
"""

from __future__ import annotations

ROWS = """\
arg_max,math.arg_max input dimension output_type='int64' name=None | argmax input axis=dimension output_type
arg_min,math.arg_min input dimension output_type='int64' name=None | argmin input axis=dimension output_type
assert_equal,debugging.assert_equal x y data=None summarize=None message=None name=None \
    | debugging.assert_equal x y message summarize
assert_greater,debugging.assert_greater x y data=None summarize=None message=None name=None \
    | debugging.assert_greater x y message summarize
assert_greater_equal,debugging.assert_greater_equal x y data=None summarize=None message=None name=None \
    | debugging.assert_greater_equal x y message summarize
assert_integer,debugging.assert_integer x message=None name=None | debugging.assert_integer x message
assert_less,debugging.assert_less x y data=None summarize=None message=None name=None \
    | debugging.assert_less x y message summarize
assert_less_equal,debugging.assert_less_equal x y data=None summarize=None message=None name=None \
    | debugging.assert_less_equal x y message summarize
assert_near,debugging.assert_near x y rtol=None atol=None data=None summarize=None message=None name=None \
    | debugging.assert_near x y rtol atol message summarize
assert_negative,debugging.assert_negative x data=None summarize=None message=None name=None \
    | debugging.assert_negative x message summarize
assert_non_negative,debugging.assert_non_negative x data=None summarize=None message=None name=None \
    | debugging.assert_non_negative x message summarize
assert_non_positive,debugging.assert_non_positive x data=None summarize=None message=None name=None \
    | debugging.assert_non_positive x message summarize
assert_none_equal,debugging.assert_none_equal x y data=None summarize=None message=None name=None \
    | debugging.assert_none_equal x y message summarize
assert_positive,debugging.assert_positive x data=None summarize=None message=None name=None \
    | debugging.assert_positive x message summarize
assert_rank,debugging.assert_rank x rank data=None summarize=None message=None name=None | debugging.assert_rank x rank message
assert_rank_at_least,debugging.assert_rank_at_least x rank data=None summarize=None message=None name=None \
    | debugging.assert_rank_at_least x rank message
assert_rank_in,debugging.assert_rank_in x ranks data=None summarize=None message=None name=None \
    | debugging.assert_rank_in x ranks message
assert_scalar,debugging.assert_scalar tensor name=None message=None | debugging.assert_scalar tensor message
assert_type,debugging.assert_type tensor tf_type message=None name=None | debugging.assert_type tensor tf_type message
verify_tensor_all_finite,debugging.assert_all_finite t=None msg=None name=None x=None message=None \
    | debugging.assert_all_finite x=t/x message=msg/message
batch_gather params indices name=None | gather params indices batch_dims:-1
batch_to_space input crops block_size=None name=None block_shape=None \
    | raw_ops.BatchToSpace input block_size=block_size/block_shape crops
batch_to_space_nd,manip.batch_to_space_nd input block_shape crops name=None | batch_to_space input block_shape crops
bincount,math.bincount arr weights=None minlength=None maxlength=None dtype='int32' \
    | math.bincount arr weights minlength maxlength dtype
boolean_mask tensor mask name='boolean_mask' axis=None | boolean_mask tensor mask axis
case pred_fn_pairs default=None exclusive=False strict=False name='case' | case pred_fn_pairs default exclusive strict
confusion_matrix,math.confusion_matrix labels predictions num_classes=None dtype='int32' name=None weights=None \
    | math.confusion_matrix labels predictions num_classes weights dtype
convert_to_tensor value dtype=None name=None preferred_dtype=None dtype_hint=None \
    | convert_to_tensor value dtype dtype_hint=preferred_dtype/dtype_hint
constant value dtype=None shape=None name='Const' verify_shape=False | constant value dtype shape
conv2d_backprop_filter,nn.conv2d_backprop_filter input filter_sizes out_backprop strides padding use_cudnn_on_gpu=True \
    data_format='NHWC' dilations=[1,1,1,1] name=None \
    | raw_ops.Conv2DBackpropFilter input filter_sizes out_backprop strides padding data_format dilations
nn.conv2d_backprop_input input_sizes filter=None out_backprop=None strides=None padding=None use_cudnn_on_gpu=True \
    data_format='NHWC' dilations=[1,1,1,1] name=None filters=None \
    | raw_ops.Conv2DBackpropInput input_sizes filter=filter/filters out_backprop strides padding data_format dilations
nn.conv3d_backprop_filter,nn.conv3d_backprop_filter_v2 input filter_sizes out_backprop strides padding data_format='NDHWC' \
    dilations=[1,1,1,1,1] name=None \
    | raw_ops.Conv3DBackpropFilterV2 input filter_sizes out_backprop strides padding data_format dilations
decode_csv,io.decode_csv records record_defaults field_delim=',' use_quote_delim=True name=None na_value='' select_cols=None \
    | io.decode_csv records record_defaults field_delim use_quote_delim na_value select_cols
decode_raw,io.decode_raw input_bytes=None out_type=None little_endian=True name=None bytes=None \
    | io.decode_raw input_bytes=input_bytes/bytes out_type little_endian
depth_to_space,nn.depth_to_space input block_size name=None data_format='NHWC' | nn.depth_to_space input block_size data_format
space_to_depth,nn.space_to_depth input block_size name=None data_format='NHWC' | nn.space_to_depth input block_size data_format
device device_name_or_function | device device_name=device_name_or_function
edit_distance hypothesis truth normalize=True name='edit_distance' | edit_distance hypothesis truth normalize
extract_image_patches,image.extract_image_patches images ksizes=None strides=None rates=None padding=None name=None sizes=None \
    | image.extract_patches images sizes=ksizes/sizes strides rates padding
floor_div x y name=None | math.floordiv x y
foldl fn elems initializer=None parallel_iterations=10 back_prop=True swap_memory=False name=None \
    | foldl fn elems initializer parallel_iterations back_prop swap_memory
foldr fn elems initializer=None parallel_iterations=10 back_prop=True swap_memory=False name=None \
    | foldr fn elems initializer parallel_iterations back_prop swap_memory
gather_nd,manip.gather_nd params indices name=None batch_dims=0 bad_indices_policy='' \
    | gather_nd params indices batch_dims bad_indices_policy
gradients ys xs grad_ys=None name='gradients' colocate_gradients_with_ops=False gate_gradients=False aggregation_method=None \
    stop_gradients=None unconnected_gradients='none' \
    | gradients ys xs grad_ys gate_gradients aggregation_method stop_gradients unconnected_gradients
hessians ys xs name='hessians' colocate_gradients_with_ops=False gate_gradients=False aggregation_method=None \
    | hessians ys xs gate_gradients aggregation_method
image.crop_and_resize image boxes box_ind=None crop_size=None method='bilinear' extrapolation_value=0 name=None box_indices=None \
    | image.crop_and_resize image boxes box_indices=box_ind/box_indices crop_size method extrapolation_value
image.draw_bounding_boxes images boxes name=None colors=None | image.draw_bounding_boxes images boxes colors
linalg.matmul a b transpose_a=False transpose_b=False adjoint_a=False adjoint_b=False a_is_sparse=False b_is_sparse=False \
    output_type=None grad_a=False grad_b=False name=None \
    | matmul a b transpose_a transpose_b adjoint_a adjoint_b output_type
linalg.transpose a name='matrix_transpose' conjugate=False | linalg.matrix_transpose a conjugate
linalg.l2_normalize,math.l2_normalize,nn.l2_normalize x axis=None epsilon=1e-12 name=None dim=None \
    | math.l2_normalize x axis=axis/dim epsilon
map_fn fn elems dtype=None parallel_iterations=None back_prop=True swap_memory=False infer_shape=True name=None \
    fn_output_signature=None \
    | map_fn fn elems dtype fn_output_signature parallel_iterations back_prop swap_memory infer_shape
nn.avg_pool,nn.avg_pool2d value=None ksize=None strides=None padding=None data_format='NHWC' name=None input=None \
    | nn.avg_pool2d input=value/input ksize strides padding data_format
nn.avg_pool_v2 input ksize strides padding data_format=None name=None | nn.avg_pool input ksize strides padding data_format
nn.batch_norm_with_global_normalization t=None m=None v=None beta=None gamma=None variance_epsilon=None \
    scale_after_normalization=None name=None input=None mean=None variance=None \
    | nn.batch_norm_with_global_normalization input=t/input mean=m/mean variance=v/variance beta gamma variance_epsilon \
    scale_after_normalization
nn.conv1d value=None filters=None stride=None padding=None use_cudnn_on_gpu=None data_format=None name=None input=None \
    dilations=None | nn.conv1d input=value/input filters stride padding ~data_format dilations
nn.conv2d input filter=None strides=None padding=None use_cudnn_on_gpu=True data_format='NHWC' dilations=[1,1,1,1] name=None \
    filters=None | nn.conv2d input filters=filter/filters strides padding data_format dilations
nn.conv2d_transpose value=None filter=None output_shape=None strides=None padding='SAME' data_format='NHWC' name=None input=None \
    filters=None dilations=None \
    | nn.conv2d_transpose input=value/input filters=filter/filters output_shape strides padding data_format dilations
nn.conv3d input filter=None strides=None padding=None data_format='NDHWC' dilations=[1,1,1,1,1] name=None filters=None \
    | nn.conv3d input filters=filter/filters strides padding data_format dilations
nn.conv3d_transpose value filter=None output_shape=None strides=None padding='SAME' data_format='NDHWC' name=None input=None \
    filters=None dilations=None \
    | nn.conv3d_transpose input=value/input filters=filter/filters output_shape strides padding data_format dilations
nn.convolution input filter=None padding=None strides=None dilation_rate=None name=None data_format=None filters=None \
    dilations=None \
    | nn.convolution input filters=filter/filters strides ~padding data_format dilations=dilation_rate/dilations
nn.crelu features name=None axis=-1 | nn.crelu features axis
nn.ctc_loss_v2 labels logits label_length logit_length logits_time_major=True unique=None blank_index=None name=None \
    | nn.ctc_loss labels logits label_length logit_length logits_time_major unique blank_index
nn.ctc_beam_search_decoder_v2 inputs sequence_length beam_width=100 top_paths=1 \
    | nn.ctc_beam_search_decoder inputs sequence_length beam_width top_paths
nn.depthwise_conv2d input filter=None strides=None padding=None rate=None name=None data_format=None dilations=None \
    | nn.depthwise_conv2d input filter strides padding data_format dilations=rate/dilations
nn.depthwise_conv2d_native input filter strides padding data_format='NHWC' dilations=[1,1,1,1] name=None \
    | raw_ops.DepthwiseConv2dNative input filter strides padding data_format dilations
nn.depthwise_conv2d_native_backprop_filter,nn.depthwise_conv2d_backprop_filter input filter_sizes out_backprop strides padding \
    data_format='NHWC' dilations=[1,1,1,1] name=None \
    | raw_ops.DepthwiseConv2dNativeBackpropFilter input filter_sizes out_backprop strides padding data_format dilations
nn.depthwise_conv2d_native_backprop_input,nn.depthwise_conv2d_backprop_input input_sizes filter out_backprop strides padding \
    data_format='NHWC' dilations=[1,1,1,1] name=None \
    | raw_ops.DepthwiseConv2dNativeBackpropInput input_sizes filter out_backprop strides padding data_format dilations
nn.dilation2d input filter=None strides=None rates=None padding=None name=None filters=None dilations=None \
    | nn.dilation2d input filters=filter/filters strides padding data_format:'NHWC' dilations=rates/dilations
nn.embedding_lookup_sparse params sp_ids sp_weights partition_strategy='mod' name=None combiner=None max_norm=None \
    allow_fast_lookup=False | nn.embedding_lookup_sparse params sp_ids sp_weights combiner max_norm allow_fast_lookup
nn.erosion2d value kernel strides rates padding name=None \
    | nn.erosion2d value filters=kernel strides padding data_format:'NHWC' dilations=rates
nn.in_top_k,math.in_top_k predictions targets k name=None | nn.in_top_k targets predictions k
nn.log_softmax,math.log_softmax logits axis=None name=None dim=None | nn.log_softmax logits axis=axis/dim
nn.max_pool value=None ksize=None strides=None padding=None data_format='NHWC' name=None input=None \
    | nn.max_pool2d input=value/input ksize strides padding data_format
nn.max_pool_v2 input ksize strides padding data_format=None name=None | nn.max_pool input ksize strides padding data_format
nn.max_pool_with_argmax input ksize strides padding data_format='NHWC' Targmax=None name=None output_dtype=None \
    include_batch_in_index=False \
    | nn.max_pool_with_argmax input ksize strides padding data_format ~output_dtype=Targmax/output_dtype include_batch_in_index
nn.moments x axes shift=None name=None keep_dims=None keepdims=None | nn.moments x axes shift ~keepdims=keep_dims/keepdims
nn.nce_loss weights biases labels inputs num_sampled num_classes num_true=1 sampled_values=None remove_accidental_hits=False \
    partition_strategy='mod' name='nce_loss' \
    | nn.nce_loss weights biases labels inputs num_sampled num_classes num_true sampled_values remove_accidental_hits
nn.pool input window_shape pooling_type padding dilation_rate=None strides=None name=None data_format=None dilations=None \
    | nn.pool input window_shape pooling_type strides padding data_format dilations=dilation_rate/dilations
nn.safe_embedding_lookup_sparse embedding_weights sparse_ids sparse_weights=None combiner='mean' default_id=None name=None \
    partition_strategy='div' max_norm=None allow_fast_lookup=False \
    | nn.safe_embedding_lookup_sparse embedding_weights sparse_ids sparse_weights combiner default_id max_norm allow_fast_lookup
nn.sampled_softmax_loss weights biases labels inputs num_sampled num_classes num_true=1 sampled_values=None \
    remove_accidental_hits=True partition_strategy='mod' name='sampled_softmax_loss' seed=None \
    | nn.sampled_softmax_loss weights biases labels inputs num_sampled num_classes num_true sampled_values \
    remove_accidental_hits seed
nn.separable_conv2d input depthwise_filter pointwise_filter strides padding rate=None name=None data_format=None dilations=None \
    | nn.separable_conv2d input depthwise_filter pointwise_filter strides padding data_format dilations=rate/dilations
nn.softmax,math.softmax logits axis=None name=None dim=None | nn.softmax logits axis=axis/dim
nn.sufficient_statistics x axes shift=None keep_dims=None name=None keepdims=None \
    | nn.sufficient_statistics x axes shift ~keepdims=keep_dims/keepdims
nn.weighted_cross_entropy_with_logits labels=None logits=None pos_weight=None name=None targets=None \
    | nn.weighted_cross_entropy_with_logits labels=labels/targets logits pos_weight
nn.weighted_moments x axes frequency_weights name=None keep_dims=None keepdims=None \
    | nn.weighted_moments x axes frequency_weights ~keepdims=keep_dims/keepdims
pad tensor paddings mode='CONSTANT' name=None constant_values=0 | pad tensor paddings mode constant_values
parse_example,io.parse_example serialized features name=None example_names=None \
    | io.parse_example serialized features example_names
parse_single_example,io.parse_single_example serialized features name=None example_names=None \
    | io.parse_single_example serialized features example_names
py_func func inp Tout stateful=True name=None | numpy_function func inp Tout stateful
random.multinomial logits num_samples seed=None name=None output_dtype=None \
    | random.categorical logits num_samples dtype=output_dtype seed
random.stateless_multinomial logits num_samples seed output_dtype='int64' name=None \
    | random.stateless_categorical logits num_samples seed dtype=output_dtype
random_poisson,random.poisson lam shape dtype='float32' seed=None name=None | random.poisson shape lam dtype seed
reduce_join,strings.reduce_join inputs axis=None keep_dims=None separator='' name=None reduction_indices=None keepdims=None \
    | strings.reduce_join inputs axis=axis/reduction_indices ~keepdims=keep_dims/keepdims separator
reverse_sequence input seq_lengths seq_axis=None batch_axis=None name=None seq_dim=None batch_dim=None \
    | reverse_sequence input seq_lengths seq_axis=seq_axis/seq_dim batch_axis=batch_axis/batch_dim
scan fn elems initializer=None parallel_iterations=10 back_prop=True swap_memory=False infer_shape=True reverse=False name=None \
    | scan fn elems initializer parallel_iterations back_prop swap_memory infer_shape reverse
serialize_many_sparse,io.serialize_many_sparse sp_input name=None out_type='string' | io.serialize_many_sparse sp_input out_type
serialize_sparse,io.serialize_sparse sp_input name=None out_type='string' | io.serialize_sparse sp_input out_type
setdiff1d x y index_dtype='int32' name=None | raw_ops.ListDiff x y out_idx=index_dtype
space_to_batch,nn.space_to_batch input paddings block_size=None name=None block_shape=None \
    | raw_ops.SpaceToBatch input paddings block_size=block_size/block_shape
space_to_batch_nd,manip.space_to_batch_nd input block_shape paddings name=None | space_to_batch input block_shape paddings
sparse_add,sparse.add a b threshold=None thresh=None | sparse.add a b ~threshold=threshold/thresh
sparse_concat,sparse.concat axis=None sp_inputs=None name=None expand_nonconcat_dim=False concat_dim=None \
    expand_nonconcat_dims=None \
    | sparse.concat axis=axis/concat_dim sp_inputs expand_nonconcat_dims=expand_nonconcat_dims/expand_nonconcat_dim
sparse_reduce_max,sparse.reduce_max sp_input axis=None keepdims=None reduction_axes=None keep_dims=None \
    | sparse.reduce_max sp_input axis=axis/reduction_axes keepdims=keepdims/keep_dims
sparse_reduce_max_sparse,sparse.reduce_max_sparse sp_input axis=None keepdims=None reduction_axes=None keep_dims=None \
    | sparse.reduce_max sp_input axis=axis/reduction_axes keepdims=keepdims/keep_dims output_is_sparse:True
sparse_reduce_sum,sparse.reduce_sum sp_input axis=None keepdims=None reduction_axes=None keep_dims=None \
    | sparse.reduce_sum sp_input axis=axis/reduction_axes keepdims=keepdims/keep_dims
sparse_reduce_sum_sparse,sparse.reduce_sum_sparse sp_input axis=None keepdims=None reduction_axes=None keep_dims=None \
    | sparse.reduce_sum sp_input axis=axis/reduction_axes keepdims=keepdims/keep_dims output_is_sparse:True
sparse_segment_mean,sparse.segment_mean data indices segment_ids name=None num_segments=None sparse_gradient=False \
    | sparse.segment_mean data indices segment_ids num_segments sparse_gradient
sparse_segment_sqrt_n,sparse.segment_sqrt_n data indices segment_ids name=None num_segments=None sparse_gradient=False \
    | sparse.segment_sqrt_n data indices segment_ids num_segments sparse_gradient
sparse_segment_sum,sparse.segment_sum data indices segment_ids name=None num_segments=None sparse_gradient=False \
    | sparse.segment_sum data indices segment_ids num_segments sparse_gradient
sparse_split,sparse.split keyword_required=None sp_input=None num_split=None axis=None name=None split_dim=None \
    | sparse.split sp_input num_split axis=axis/split_dim
sparse_matmul a b transpose_a=False transpose_b=False a_is_sparse=False b_is_sparse=False name=None \
    | matmul a b transpose_a transpose_b
sparse_to_dense sparse_indices output_shape sparse_values default_value=0 validate_indices=True name=None \
    | raw_ops.SparseToDense sparse_indices output_shape sparse_values default_value validate_indices
string_to_hash_bucket,strings.to_hash_bucket string_tensor=None num_buckets=None name=None input=None \
    | strings.to_hash_bucket input=string_tensor/input num_buckets
string_to_number,strings.to_number string_tensor=None out_type='float32' name=None input=None \
    | strings.to_number input=string_tensor/input out_type
strings.length input name=None unit='BYTE' | strings.length input unit
substr,strings.substr input pos len name=None unit='BYTE' | strings.substr input pos len unit
tuple tensors name=None control_inputs=None | tuple tensors control_inputs
extract_volume_patches input ksizes strides padding name=None | extract_volume_patches input ksizes strides padding
matrix_square_root input name=None | linalg.sqrtm input
scalar_mul,math.scalar_mul scalar x name=None | math.scalar_mul scalar x
fingerprint data method='farmhash64' name=None | raw_ops.Fingerprint data method
"""

# Names that are another one of `tf.compat.v1`, by the namespace in which they stand.
ALIASES = {
    "math": (
        "argmax argmin count_nonzero reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod "
        "reduce_sum"
    ),
    "linalg": "norm",
    "random": "get_seed set_random_seed",
}
