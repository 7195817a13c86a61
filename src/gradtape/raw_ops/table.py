"""Kernels that are public functions with other names or arguments: one row for each.

A row has the kernel with its arguments in TensorFlow's order (`name=value` has a default, `name=?` the default of the function),
the public function with its arguments (`axis=dimension` gives `dimension` as `axis`, `side:'left'` a constant), and the names of
the results where TensorFlow gives a named tuple.
`a=sparse(i,v,s)` gives three arguments as one sparse tensor, and results after `sparse:` are the parts of one.
`seed=seeds(a,b)` gives the two seeds of a random kernel, `block_shape=both(size)` one size for two axes.
`tests/test_raw_ops.py` compares each row with what TensorFlow gives.
"""

from __future__ import annotations

ROWS = """\
AccumulateNV2 inputs shape | add_n inputs
Add x y | add x y
AddN inputs | add_n inputs
AdjustContrastv2 images contrast_factor | image.adjust_contrast images contrast_factor
AdjustSaturation images scale | image.adjust_saturation image=images saturation_factor=scale
All input axis keep_dims=False | reduce_all input_tensor=input axis keepdims=keep_dims
Any input axis keep_dims=False | reduce_any input_tensor=input axis keepdims=keep_dims
ArgMax input dimension output_type=? | argmax input axis=dimension output_type
ArgMin input dimension output_type=? | argmin input axis=dimension output_type
AsString input precision=-1 scientific=False shortest=False width=-1 fill='' \
    | as_string input precision scientific shortest width fill
Assert condition data summarize=3 | debugging.Assert condition data summarize
AvgPool value ksize strides padding data_format='NHWC' | nn.avg_pool2d input=value ksize strides padding data_format
AvgPool3D input ksize strides padding data_format='NDHWC' | nn.avg_pool3d input ksize strides padding data_format
BandedTriangularSolve matrix rhs lower=True adjoint=False | linalg.banded_triangular_solve bands=matrix rhs lower adjoint
BatchMatMul x y adj_x=False adj_y=False grad_x=False grad_y=False | matmul a=x b=y adjoint_a=adj_x adjoint_b=adj_y
BatchMatMulV2 x y adj_x=False adj_y=False grad_x=False grad_y=False | matmul a=x b=y adjoint_a=adj_x adjoint_b=adj_y
BatchMatMulV3 x y Tout adj_x=False adj_y=False grad_x=False grad_y=False \
    | matmul a=x b=y adjoint_a=adj_x adjoint_b=adj_y output_type=Tout
BatchToSpace input crops block_size | batch_to_space input block_shape=both(block_size) crops
BatchToSpaceND input block_shape crops | batch_to_space input block_shape crops
BesselI0 x | math.bessel_i0 x
BesselI0e x | math.bessel_i0e x
BesselI1 x | math.bessel_i1 x
BesselI1e x | math.bessel_i1e x
BesselJ0 x | math.special.bessel_j0 x
BesselJ1 x | math.special.bessel_j1 x
BesselK0 x | math.special.bessel_k0 x
BesselK0e x | math.special.bessel_k0e x
BesselK1 x | math.special.bessel_k1 x
BesselK1e x | math.special.bessel_k1e x
BesselY0 x | math.special.bessel_y0 x
BesselY1 x | math.special.bessel_y1 x
BiasAddV1 value bias | nn.bias_add value bias
Bitcast input type | bitcast input type
BroadcastArgs s0 s1 | broadcast_dynamic_shape shape_x=s0 shape_y=s1
BroadcastTo input shape | broadcast_to input shape
Cast x DstT Truncate=False | cast x dtype=DstT
CheckNumerics tensor message | debugging.check_numerics tensor message
CheckNumericsV2 tensor message | debugging.check_numerics tensor message
Cholesky input | linalg.cholesky input
ClipByValue t clip_value_min clip_value_max | clip_by_value t clip_value_min clip_value_max
CombinedNonMaxSuppression boxes scores max_output_size_per_class max_total_size iou_threshold score_threshold \
    pad_per_class=False clip_boxes=True | image.combined_non_max_suppression boxes scores max_output_size_per_class \
    max_total_size iou_threshold score_threshold pad_per_class clip_boxes \
    | nmsed_boxes nmsed_scores nmsed_classes valid_detections
ComplexAbs x Tout=? | abs x
ComputeAccidentalHits true_classes sampled_candidates num_true seed=0 seed2=0 \
    | nn.compute_accidental_hits true_classes sampled_candidates num_true | indices ids weights
Concat concat_dim values | concat axis=concat_dim values
ConcatV2 values axis | concat values axis
ConjugateTranspose x perm | transpose a=x perm conjugate:True
Conv2D input filter strides padding use_cudnn_on_gpu=True explicit_paddings=[] data_format='NHWC' dilations=[1,1,1,1] \
    | nn.conv2d input filters=filter strides padding data_format dilations
Conv3D input filter strides padding data_format='NDHWC' dilations=[1,1,1,1,1] \
    | nn.conv3d input filters=filter strides padding data_format dilations
CropAndResize image boxes box_ind crop_size method='bilinear' extrapolation_value=0 \
    | image.crop_and_resize image boxes box_indices=box_ind crop_size method extrapolation_value
Cumprod x axis exclusive=False reverse=False | math.cumprod x axis exclusive reverse
Cumsum x axis exclusive=False reverse=False | cumsum x axis exclusive reverse
CumulativeLogsumexp x axis exclusive=False reverse=False | math.cumulative_logsumexp x axis exclusive reverse
Dawsn x | math.special.dawsn x
DecodeAndCropJpeg contents crop_window channels=0 ratio=1 fancy_upscaling=True try_recover_truncated=False acceptable_fraction=1 \
    dct_method='' \
    | io.decode_and_crop_jpeg contents crop_window channels ratio fancy_upscaling try_recover_truncated acceptable_fraction \
    dct_method
DecodeBmp contents channels=0 | io.decode_bmp contents channels
DecodeCSV records record_defaults field_delim=',' use_quote_delim=True na_value='' select_cols=None \
    | io.decode_csv records record_defaults field_delim use_quote_delim na_value select_cols
DecodeGif contents | io.decode_gif contents
DecodeImage contents channels=0 dtype=? expand_animations=True | io.decode_image contents channels dtype expand_animations
DecodeJSONExample json_examples | io.decode_json_example json_examples
DecodeJpeg contents channels=0 ratio=1 fancy_upscaling=True try_recover_truncated=False acceptable_fraction=1 dct_method='' \
    | io.decode_jpeg contents channels ratio fancy_upscaling try_recover_truncated acceptable_fraction dct_method
DecodePng contents channels=0 dtype=? | io.decode_png contents channels dtype
DecodeWav contents desired_channels=-1 desired_samples=-1 \
    | audio.decode_wav contents desired_channels desired_samples | audio sample_rate
DeepCopy x | identity input=x
DeepCopy x | identity input=x
DepthToSpace input block_size data_format='NHWC' | nn.depth_to_space input block_size data_format
Diag diagonal | linalg.tensor_diag diagonal
DiagPart input | linalg.tensor_diag_part input
Dilation2D input filter strides rates padding \
    | nn.dilation2d input filters=filter strides padding data_format:'NHWC' dilations=rates
Div x y | compat.v1.div x y
DivNoNan x y | math.divide_no_nan x y
DrawBoundingBoxes images boxes | image.draw_bounding_boxes images boxes colors:None
DrawBoundingBoxesV2 images boxes colors | image.draw_bounding_boxes images boxes colors
DynamicPartition data partitions num_partitions | dynamic_partition data partitions num_partitions
DynamicStitch indices data | dynamic_stitch indices data
EditDistance hypothesis_indices hypothesis_values hypothesis_shape truth_indices truth_values truth_shape normalize=True \
    | edit_distance hypothesis=sparse(hypothesis_indices,hypothesis_values,hypothesis_shape) \
    truth=sparse(truth_indices,truth_values,truth_shape) normalize
Empty shape dtype init=False | zeros shape dtype
EncodeJpeg image format='' quality=95 progressive=False optimize_size=False chroma_downsampling=True density_unit='in' \
    x_density=300 y_density=300 xmp_metadata='' | image.encode_jpeg image format quality progressive optimize_size \
    chroma_downsampling density_unit x_density y_density xmp_metadata
EncodeJpegVariableQuality images quality | io.encode_jpeg image=images quality
EncodePng image compression=-1 | io.encode_png image compression
EncodeWav audio sample_rate | audio.encode_wav audio sample_rate
EnsureShape input shape | ensure_shape x=input shape
EuclideanNorm input axis keep_dims=False | math.reduce_euclidean_norm input_tensor=input axis keepdims=keep_dims
ExpandDims input axis | expand_dims input axis
Expint x | math.special.expint x
ExtractImagePatches images ksizes strides rates padding | image.extract_patches images sizes=ksizes strides rates padding
ExtractJpegShape contents output_type=? | io.extract_jpeg_shape contents output_type
ExtractVolumePatches input ksizes strides padding | extract_volume_patches input ksizes strides padding
FFT input | signal.fft input
FFT2D input | signal.fft2d input
FFT3D input | signal.fft3d input
FFTND input fft_length axes | signal.fftnd input_tensor=input fft_length axes
FakeQuantWithMinMaxArgs inputs min=-6 max=6 num_bits=8 narrow_range=False \
    | quantization.fake_quant_with_min_max_args inputs min max num_bits narrow_range
FakeQuantWithMinMaxArgsGradient gradients inputs min=-6 max=6 num_bits=8 narrow_range=False \
    | quantization.fake_quant_with_min_max_args_gradient gradients inputs min max num_bits narrow_range
FakeQuantWithMinMaxVars inputs min max num_bits=8 narrow_range=False \
    | quantization.fake_quant_with_min_max_vars inputs min max num_bits narrow_range
FakeQuantWithMinMaxVarsGradient gradients inputs min max num_bits=8 narrow_range=False | \
    quantization.fake_quant_with_min_max_vars_gradient gradients inputs min max num_bits narrow_range | \
    backprops_wrt_input backprop_wrt_min backprop_wrt_max
FakeQuantWithMinMaxVarsPerChannel inputs min max num_bits=8 narrow_range=False \
    | quantization.fake_quant_with_min_max_vars_per_channel inputs min max num_bits narrow_range
FakeQuantWithMinMaxVarsPerChannelGradient gradients inputs min max num_bits=8 narrow_range=False | \
    quantization.fake_quant_with_min_max_vars_per_channel_gradient gradients inputs min max num_bits narrow_range | \
    backprops_wrt_input backprop_wrt_min backprop_wrt_max
Fill dims value | fill dims value
FresnelCos x | math.special.fresnel_cos x
FresnelSin x | math.special.fresnel_sin x
Gather params indices validate_indices=True | gather params indices validate_indices
GatherNd params indices bad_indices_policy='' | gather_nd params indices bad_indices_policy
GatherV2 params indices axis batch_dims=0 | gather params indices axis batch_dims
GuaranteeConst input | guarantee_const input
HSVToRGB images | image.hsv_to_rgb images
HistogramFixedWidth values value_range nbins dtype=? | histogram_fixed_width values value_range nbins dtype
IFFT input | signal.ifft input
IFFT2D input | signal.ifft2d input
IFFT3D input | signal.ifft3d input
IFFTND input fft_length axes | signal.ifftnd input_tensor=input fft_length axes
IRFFT input fft_length Treal=? | signal.irfft input_tensor=input fft_length
IRFFT2D input fft_length Treal=? | signal.irfft2d input_tensor=input fft_length
IRFFT3D input fft_length Treal=? | signal.irfft3d input_tensor=input fft_length
IRFFTND input fft_length axes Treal=? | signal.irfftnd input_tensor=input fft_length axes
IdentityN input | identity_n input
InTopK predictions targets k | nn.in_top_k predictions targets k
InTopKV2 predictions targets k | nn.in_top_k predictions targets k
Inv x | math.reciprocal x
IsotonicRegression input output_dtype='float32' | nn.isotonic_regression inputs=input | output segments
LeakyRelu features alpha=0.2 | nn.leaky_relu features alpha
LinSpace start stop num | linspace start stop num
LogMatrixDeterminant input | linalg.slogdet input | sign log_abs_determinant
LogSoftmax logits | nn.log_softmax logits
LogUniformCandidateSampler true_classes num_true num_sampled unique range_max seed=0 seed2=0 \
    | random.log_uniform_candidate_sampler true_classes num_true num_sampled unique range_max seed=seeds(seed,seed2) \
    | sampled_candidates true_expected_count sampled_expected_count
LowerBound sorted_inputs values out_type=? | searchsorted sorted_sequence=sorted_inputs values out_type side:'left'
Lu input output_idx_type=? | linalg.lu input output_idx_type | lu p
MatMul a b transpose_a=False transpose_b=False grad_a=False grad_b=False | matmul a b transpose_a transpose_b grad_a grad_b
MatchingFiles pattern | io.matching_files pattern
MatrixBandPart input num_lower num_upper | linalg.band_part input num_lower num_upper
MatrixDeterminant input | linalg.det input
MatrixDiag diagonal | linalg.diag diagonal
MatrixDiagPart input | linalg.diag_part input
MatrixDiagPartV2 input k padding_value | linalg.diag_part input k padding_value align:'LEFT_LEFT'
MatrixDiagPartV3 input k padding_value align='RIGHT_LEFT' | linalg.diag_part input k padding_value align
MatrixDiagV2 diagonal k num_rows num_cols padding_value \
    | linalg.diag diagonal k num_rows num_cols padding_value align:'LEFT_LEFT'
MatrixDiagV3 diagonal k num_rows num_cols padding_value align='RIGHT_LEFT' \
    | linalg.diag diagonal k num_rows num_cols padding_value align
MatrixInverse input adjoint=False | linalg.inv input adjoint
MatrixLogarithm input | linalg.logm input
MatrixSetDiag input diagonal | linalg.set_diag input diagonal
MatrixSetDiagV2 input diagonal k | linalg.set_diag input diagonal k align:'LEFT_LEFT'
MatrixSetDiagV3 input diagonal k align='RIGHT_LEFT' | linalg.set_diag input diagonal k align
MatrixSolve matrix rhs adjoint=False | linalg.solve matrix rhs adjoint
MatrixSolveLs matrix rhs l2_regularizer fast=True | linalg.lstsq matrix rhs l2_regularizer fast
MatrixSquareRoot input | linalg.sqrtm input
MatrixTriangularSolve matrix rhs lower=True adjoint=False | linalg.triangular_solve matrix rhs lower adjoint
Max input axis keep_dims=False | reduce_max input_tensor=input axis keepdims=keep_dims
MaxPool input ksize strides padding explicit_paddings=[] data_format='NHWC' \
    | nn.max_pool2d input ksize strides padding data_format
MaxPool3D input ksize strides padding data_format='NDHWC' | nn.max_pool3d input ksize strides padding data_format
MaxPoolV2 input ksize strides padding data_format='NHWC' | nn.max_pool2d input ksize strides padding data_format
MaxPoolWithArgmax input ksize strides padding Targmax=? include_batch_in_index=False \
    | nn.max_pool_with_argmax input ksize strides padding output_dtype=Targmax include_batch_in_index | output argmax
Mean input axis keep_dims=False | reduce_mean input_tensor=input axis keepdims=keep_dims
Min input axis keep_dims=False | reduce_min input_tensor=input axis keepdims=keep_dims
MirrorPad input paddings mode | pad tensor=input paddings mode
Mod x y | math.floormod x y
Multinomial logits num_samples seed=0 seed2=0 output_dtype='int64' \
    | random.categorical logits num_samples dtype=output_dtype seed=seeds(seed,seed2)
NoOp | no_op
NonMaxSuppression boxes scores max_output_size iou_threshold=0.5 \
    | image.non_max_suppression boxes scores max_output_size iou_threshold
NonMaxSuppressionV2 boxes scores max_output_size iou_threshold \
    | image.non_max_suppression boxes scores max_output_size iou_threshold
NonMaxSuppressionV3 boxes scores max_output_size iou_threshold score_threshold \
    | image.non_max_suppression boxes scores max_output_size iou_threshold score_threshold
NonMaxSuppressionV4 boxes scores max_output_size iou_threshold score_threshold pad_to_max_output_size=False \
    | image.non_max_suppression_padded boxes scores max_output_size iou_threshold score_threshold pad_to_max_output_size \
    | selected_indices valid_outputs
NonMaxSuppressionWithOverlaps overlaps scores max_output_size overlap_threshold score_threshold \
    | image.non_max_suppression_overlaps overlaps scores max_output_size overlap_threshold score_threshold
OneHot indices depth on_value off_value axis=-1 | one_hot indices depth on_value off_value axis
Pack values axis=0 | stack values axis
Pad input paddings | pad tensor=input paddings
PadV2 input paddings constant_values | pad tensor=input paddings constant_values
ParallelConcat values shape | concat values axis:0
ParallelDynamicStitch indices data | dynamic_stitch indices data
ParseTensor serialized out_type | io.parse_tensor serialized out_type
PlaceholderWithDefault input shape | compat.v1.placeholder_with_default input shape
Prod input axis keep_dims=False | reduce_prod input_tensor=input axis keepdims=keep_dims
Qr input full_matrices=False | linalg.qr input full_matrices | q r
QuantizeAndDequantizeV2 input input_min input_max signed_input=True num_bits=8 range_given=False \
    round_mode='HALF_TO_EVEN' narrow_range=False axis=-1 | quantization.quantize_and_dequantize_v2 input input_min \
    input_max signed_input num_bits range_given round_mode narrow_range axis
QuantizeAndDequantizeV3 input input_min input_max num_bits signed_input=True range_given=True narrow_range=False axis=-1 \
    | quantization.quantize_and_dequantize input input_min input_max signed_input num_bits range_given narrow_range
QuantizeAndDequantizeV4 input input_min input_max signed_input=True num_bits=8 range_given=False \
    round_mode='HALF_TO_EVEN' narrow_range=False axis=-1 | quantization.quantize_and_dequantize_v2 input input_min \
    input_max signed_input num_bits range_given round_mode narrow_range axis
RFFT input fft_length Tcomplex=? | signal.rfft input_tensor=input fft_length
RFFT2D input fft_length Tcomplex=? | signal.rfft2d input_tensor=input fft_length
RFFT3D input fft_length Tcomplex=? | signal.rfft3d input_tensor=input fft_length
RFFTND input fft_length axes Tcomplex=? | signal.rfftnd input_tensor=input fft_length axes
RGBToHSV images | image.rgb_to_hsv images
RandomShuffle value seed=0 seed2=0 | random.shuffle value seed=seeds(seed,seed2)
RandomStandardNormal shape dtype seed=0 seed2=0 | random.normal shape dtype seed=seeds(seed,seed2)
RandomUniform shape dtype seed=0 seed2=0 | random.uniform shape dtype seed=seeds(seed,seed2)
Range start limit delta | range start limit delta
Rank input | rank input
ReadFile filename | io.read_file filename
ReduceJoin inputs reduction_indices keep_dims=False separator='' \
    | strings.reduce_join inputs axis=reduction_indices keepdims=keep_dims separator
RegexFullMatch input pattern | strings.regex_full_match input pattern
RegexReplace input pattern rewrite replace_global=True | strings.regex_replace input pattern rewrite replace_global
Reshape tensor shape | reshape tensor shape
ResizeArea images size align_corners=False | compat.v1.image.resize_area images size align_corners
ResizeBicubic images size align_corners=False half_pixel_centers=False \
    | compat.v1.image.resize_bicubic images size align_corners half_pixel_centers
ResizeBilinear images size align_corners=False half_pixel_centers=False \
    | compat.v1.image.resize_bilinear images size align_corners half_pixel_centers
ResizeNearestNeighbor images size align_corners=False half_pixel_centers=False \
    | compat.v1.image.resize_nearest_neighbor images size align_corners half_pixel_centers
ReverseSequence input seq_lengths seq_dim batch_dim=0 \
    | reverse_sequence input seq_lengths seq_axis=seq_dim batch_axis=batch_dim
ReverseV2 tensor axis | reverse tensor axis
Roll input shift axis | roll input shift axis
ScatterNd indices updates shape | scatter_nd indices updates shape
SegmentMaxV2 data segment_ids num_segments | math.unsorted_segment_max data segment_ids num_segments
SegmentMinV2 data segment_ids num_segments | math.unsorted_segment_min data segment_ids num_segments
SegmentProdV2 data segment_ids num_segments | math.unsorted_segment_prod data segment_ids num_segments
SegmentSumV2 data segment_ids num_segments | math.unsorted_segment_sum data segment_ids num_segments
Select condition x y | compat.v1.where condition x y
SelectV2 condition t e | where condition x=t y=e
SelfAdjointEigV2 input compute_v=True | linalg.eigh tensor=input | e v
SerializeTensor tensor | io.serialize_tensor tensor
SetSize set_indices set_values set_shape validate_indices=True \
    | sets.size a=sparse(set_indices,set_values,set_shape) validate_indices
Shape input out_type=? | shape input out_type
ShapeN input out_type=? | shape_n input out_type
Size input out_type=? | size input out_type
Slice input begin size | slice input_=input begin size
Snapshot input | identity input
SobolSample dim num_results skip dtype=? | math.sobol_sample dim num_results skip dtype
Softmax logits | nn.softmax logits
SpaceToBatch input paddings block_size | space_to_batch input block_shape=both(block_size) paddings
SpaceToBatchND input block_shape paddings | space_to_batch input block_shape paddings
SpaceToDepth input block_size data_format='NHWC' | nn.space_to_depth input block_size data_format
SparseAdd a_indices a_values a_shape b_indices b_values b_shape thresh \
    | sparse.add a=sparse(a_indices,a_values,a_shape) b=sparse(b_indices,b_values,b_shape) threshold=thresh \
    | sparse: sum_indices sum_values sum_shape
SparseMatMul a b transpose_a=False transpose_b=False a_is_sparse=False b_is_sparse=False \
    | matmul a b transpose_a transpose_b a_is_sparse b_is_sparse
SparseReduceMax input_indices input_values input_shape reduction_axes keep_dims=False \
    | sparse.reduce_max sp_input=sparse(input_indices,input_values,input_shape) axis=reduction_axes keepdims=keep_dims
SparseReduceMaxSparse input_indices input_values input_shape reduction_axes keep_dims=False \
    | sparse.reduce_max sp_input=sparse(input_indices,input_values,input_shape) axis=reduction_axes keepdims=keep_dims \
    output_is_sparse:True | sparse: output_indices output_values output_shape
SparseReduceSum input_indices input_values input_shape reduction_axes keep_dims=False \
    | sparse.reduce_sum sp_input=sparse(input_indices,input_values,input_shape) axis=reduction_axes keepdims=keep_dims
SparseReduceSumSparse input_indices input_values input_shape reduction_axes keep_dims=False \
    | sparse.reduce_sum sp_input=sparse(input_indices,input_values,input_shape) axis=reduction_axes keepdims=keep_dims \
    output_is_sparse:True | sparse: output_indices output_values output_shape
SparseReorder input_indices input_values input_shape \
    | sparse.reorder sp_input=sparse(input_indices,input_values,input_shape) | sparse: output_indices output_values
SparseSegmentMean data indices segment_ids sparse_gradient=False \
    | sparse.segment_mean data indices segment_ids sparse_gradient
SparseSegmentMeanWithNumSegments data indices segment_ids num_segments \
    | sparse.segment_mean data indices segment_ids num_segments
SparseSegmentSqrtN data indices segment_ids sparse_gradient=False \
    | sparse.segment_sqrt_n data indices segment_ids sparse_gradient
SparseSegmentSqrtNWithNumSegments data indices segment_ids num_segments \
    | sparse.segment_sqrt_n data indices segment_ids num_segments
SparseSegmentSum data indices segment_ids sparse_gradient=False | sparse.segment_sum data indices segment_ids sparse_gradient
SparseSegmentSumWithNumSegments data indices segment_ids num_segments | sparse.segment_sum data indices segment_ids num_segments
SparseSlice indices values shape start size | sparse.slice sp_input=sparse(indices,values,shape) start size \
    | sparse: output_indices output_values output_shape
SparseSoftmax sp_indices sp_values sp_shape | sparse.softmax sp_input=sparse(sp_indices,sp_values,sp_shape) | sparse: values
SparseSparseMaximum a_indices a_values a_shape b_indices b_values b_shape \
    | sparse.maximum sp_a=sparse(a_indices,a_values,a_shape) sp_b=sparse(b_indices,b_values,b_shape) \
    | sparse: output_indices output_values
SparseSparseMinimum a_indices a_values a_shape b_indices b_values b_shape \
    | sparse.minimum sp_a=sparse(a_indices,a_values,a_shape) sp_b=sparse(b_indices,b_values,b_shape) \
    | sparse: output_indices output_values
SparseTensorDenseAdd a_indices a_values a_shape b | sparse.add a=sparse(a_indices,a_values,a_shape) b
SparseTensorDenseMatMul a_indices a_values a_shape b adjoint_a=False adjoint_b=False \
    | sparse.sparse_dense_matmul sp_a=sparse(a_indices,a_values,a_shape) b adjoint_a adjoint_b
Spence x | math.special.spence x
Split axis value num_split | split value num_or_size_splits=num_split axis
SplitV value size_splits axis num_split | split value num_or_size_splits=size_splits axis
Squeeze input axis=[] | squeeze input axis
StatelessMultinomial logits num_samples seed output_dtype=? \
    | random.stateless_categorical logits num_samples seed dtype=output_dtype
StatelessRandomBinomial shape seed counts probs dtype='int64' \
    | random.stateless_binomial shape seed counts probs output_dtype=dtype
StatelessRandomGammaV2 shape seed alpha | random.stateless_gamma shape seed alpha
StatelessRandomNormal shape seed dtype=? | random.stateless_normal shape seed dtype
StatelessRandomPoisson shape seed lam dtype | random.stateless_poisson shape seed lam dtype
StatelessRandomUniform shape seed dtype=? | random.stateless_uniform shape seed dtype
StatelessRandomUniformFullInt shape seed dtype='uint64' \
    | random.stateless_uniform shape seed dtype minval:None maxval:None
StatelessRandomUniformInt shape seed minval maxval | random.stateless_uniform shape seed minval maxval dtype:'int32'
StatelessTruncatedNormal shape seed dtype=? | random.stateless_truncated_normal shape seed dtype
StaticRegexFullMatch input pattern | strings.regex_full_match input pattern
StaticRegexReplace input pattern rewrite replace_global=True | strings.regex_replace input pattern rewrite replace_global
StridedSlice input begin end strides begin_mask=0 end_mask=0 ellipsis_mask=0 new_axis_mask=0 shrink_axis_mask=0 \
    | strided_slice input_=input begin end strides begin_mask end_mask ellipsis_mask new_axis_mask shrink_axis_mask
StringFormat inputs template='%s' placeholder='%s' summarize=3 | strings.format inputs template placeholder summarize
StringJoin inputs separator='' | strings.join inputs separator
StringLength input unit='BYTE' | strings.length input unit
StringLower input encoding='' | strings.lower input encoding
StringStrip input | strings.strip input
StringToHashBucketFast input num_buckets | strings.to_hash_bucket_fast input num_buckets
StringToNumber string_tensor out_type=? | strings.to_number input=string_tensor out_type
StringUpper input encoding='' | strings.upper input encoding
Substr input pos len unit='BYTE' | strings.substr input pos len unit
Sum input axis keep_dims=False | reduce_sum input_tensor=input axis keepdims=keep_dims
Tile input multiples | tile input multiples
Timestamp | timestamp
TopK input k sorted=True | math.top_k input k sorted | values indices
TopKV2 input k sorted=True index_type=? | math.top_k input k sorted index_type | values indices
Transpose x perm | transpose a=x perm
TridiagonalSolve diagonals rhs partial_pivoting=True perturb_singular=False \
    | linalg.tridiagonal_solve diagonals rhs partial_pivoting perturb_singular
TruncatedNormal shape dtype seed=0 seed2=0 | random.truncated_normal shape dtype seed=seeds(seed,seed2)
UnicodeScript input | strings.unicode_script input
UnicodeTranscode input input_encoding output_encoding errors='replace' replacement_char=65533 replace_control_characters=False \
    | strings.unicode_transcode input input_encoding output_encoding errors replacement_char replace_control_characters
UniformCandidateSampler true_classes num_true num_sampled unique range_max seed=0 seed2=0 \
    | random.uniform_candidate_sampler true_classes num_true num_sampled unique range_max seed=seeds(seed,seed2) \
    | sampled_candidates true_expected_count sampled_expected_count
Unique x out_idx=? | unique x out_idx | y idx
UniqueWithCounts x out_idx=? | unique_with_counts x out_idx | y idx count
Unpack value num axis=0 | unstack value num axis
UnravelIndex indices dims | unravel_index indices dims
UnsortedSegmentJoin inputs segment_ids num_segments separator='' \
    | strings.unsorted_segment_join inputs segment_ids num_segments separator
UnsortedSegmentMax data segment_ids num_segments | math.unsorted_segment_max data segment_ids num_segments
UnsortedSegmentMin data segment_ids num_segments | math.unsorted_segment_min data segment_ids num_segments
UnsortedSegmentProd data segment_ids num_segments | math.unsorted_segment_prod data segment_ids num_segments
UnsortedSegmentSum data segment_ids num_segments | math.unsorted_segment_sum data segment_ids num_segments
UpperBound sorted_inputs values out_type=? | searchsorted sorted_sequence=sorted_inputs values out_type side:'right'
Where condition | where condition
WriteFile filename contents | io.write_file filename contents
"""
