"""More rows of the form of `table.py`: kernels of pipelines, queues, tables, samplers and files of texts.

What is a handle or a variant in TensorFlow is the object itself here: a dataset, a queue, a table. `@name
object ...` calls a method of it.
"""

from __future__ import annotations

_DATASETS = """\
BatchDatasetV2 input_dataset batch_size drop_remainder output_types output_shapes parallel_copy=False metadata='' \
    | @batch input_dataset batch_size drop_remainder
CacheDataset input_dataset filename output_types output_shapes metadata='' | @cache input_dataset filename
ConcatenateDataset input_dataset another_dataset output_types output_shapes metadata='' \
    | @concatenate input_dataset dataset=another_dataset
DatasetCardinality input_dataset cardinality_options='' | @cardinality input_dataset
FilterDataset input_dataset other_arguments predicate output_types output_shapes metadata='' \
    | @filter input_dataset predicate=bound(predicate,other_arguments)
FixedLengthRecordDatasetV2 filenames header_bytes record_bytes footer_bytes buffer_size compression_type metadata='' \
    | data.FixedLengthRecordDataset filenames record_bytes header_bytes footer_bytes buffer_size=kept(buffer_size) \
    compression_type
GetElementAtIndex dataset index output_types output_shapes | raw_ops.pipelines.element dataset index
IgnoreErrorsDataset input_dataset output_types output_shapes log_warning=False | @ignore_errors input_dataset log_warning
MapDataset input_dataset other_arguments f output_types output_shapes use_inter_op_parallelism=True preserve_cardinality=False \
    force_synchronous=False metadata='' | @map input_dataset map_func=bound(f,other_arguments)
ParallelMapDatasetV2 input_dataset other_arguments num_parallel_calls f output_types output_shapes use_inter_op_parallelism=True \
    deterministic='default' preserve_cardinality=False use_unbounded_threadpool=False metadata='' \
    | @map input_dataset map_func=bound(f,other_arguments) num_parallel_calls
PrefetchDataset input_dataset buffer_size output_types output_shapes slack_period=0 legacy_autotune=True buffer_size_min=0 \
    metadata='' \
    | @prefetch input_dataset buffer_size
RangeDataset start stop step output_types output_shapes metadata='' replicate_on_split=False \
    | raw_ops.pipelines.numbers start stop step output_types
RepeatDataset input_dataset count output_types output_shapes metadata='' | @repeat input_dataset count
ShardDataset input_dataset num_shards index output_types output_shapes require_non_empty=False metadata='' \
    | @shard input_dataset num_shards index
ShuffleDataset input_dataset buffer_size seed seed2 output_types output_shapes reshuffle_each_iteration=True metadata='' \
    | @shuffle input_dataset buffer_size seed=kept(seed) reshuffle_each_iteration
SkipDataset input_dataset count output_types output_shapes metadata='' | @skip input_dataset count
TFRecordDataset filenames compression_type buffer_size metadata='' \
    | data.TFRecordDataset filenames compression_type buffer_size=kept(buffer_size)
TakeDataset input_dataset count output_types output_shapes metadata='' | @take input_dataset count
TakeWhileDataset input_dataset other_arguments predicate output_types output_shapes metadata='' \
    | @take_while input_dataset predicate=bound(predicate,other_arguments)
TensorDataset components output_shapes metadata='' | data.Dataset.from_tensors tensors=alone(components)
TensorSliceDataset components output_shapes is_files=False metadata='' replicate_on_split=False \
    | data.Dataset.from_tensor_slices tensors=alone(components)
TextLineDataset filenames compression_type buffer_size metadata='' \
    | data.TextLineDataset filenames compression_type buffer_size=kept(buffer_size)
UnbatchDataset input_dataset output_types output_shapes metadata='' | @unbatch input_dataset
UniqueDataset input_dataset output_types output_shapes metadata='' | @unique input_dataset
ZipDataset input_datasets output_types output_shapes metadata='' | data.Dataset.zip datasets=tuple(input_datasets)
"""

_QUEUES = """\
FIFOQueueV2 component_types shapes=[] capacity=-1 container='' shared_name='' \
    | queue.FIFOQueue capacity=bound_of(capacity) dtypes=component_types shapes=shapes(shapes)
PaddingFIFOQueueV2 component_types shapes=[] capacity=-1 container='' shared_name='' \
    | queue.PaddingFIFOQueue capacity=bound_of(capacity) dtypes=component_types shapes=shapes(shapes)
RandomShuffleQueueV2 component_types shapes=[] capacity=-1 min_after_dequeue=0 seed=0 seed2=0 container='' shared_name='' \
    | queue.RandomShuffleQueue capacity=bound_of(capacity) min_after_dequeue dtypes=component_types \
    shapes=shapes(shapes) seed=kept(seed)
QueueCloseV2 handle cancel_pending_enqueues=False | @close handle cancel_pending_enqueues
QueueDequeueManyV2 handle n component_types timeout_ms=-1 | raw_ops.pipelines.dequeued_many handle n
QueueDequeueUpToV2 handle n component_types timeout_ms=-1 | raw_ops.pipelines.dequeued_up_to handle n
QueueDequeueV2 handle component_types timeout_ms=-1 | raw_ops.pipelines.dequeued handle
QueueEnqueueManyV2 handle components timeout_ms=-1 | @enqueue_many handle vals=components
QueueEnqueueV2 handle components timeout_ms=-1 | @enqueue handle vals=components
QueueIsClosedV2 handle | @is_closed handle
QueueSizeV2 handle | @size handle
"""

_TABLES = """\
AnonymousMutableDenseHashTable empty_key deleted_key value_dtype value_shape=[] initial_num_buckets=131072 max_load_factor=0.8 \
    | raw_ops.pipelines.dense_table empty_key deleted_key value_dtype value_shape
AnonymousMutableHashTable key_dtype value_dtype | raw_ops.pipelines.table key_dtype value_dtype
LookupTableExportV2 table_handle Tkeys Tvalues | @export table_handle | keys values
LookupTableFindV2 table_handle keys default_value | @lookup table_handle keys dynamic_default_values=default_value
LookupTableImportV2 table_handle keys values | raw_ops.pipelines.replaced table_handle keys values
LookupTableInsertV2 table_handle keys values | @insert table_handle keys values
LookupTableRemoveV2 table_handle keys | @remove table_handle keys
LookupTableSizeV2 table_handle | @size table_handle
MutableDenseHashTableV2 empty_key deleted_key value_dtype container='' shared_name='' use_node_name_sharing=False value_shape=[] \
    initial_num_buckets=131072 max_load_factor=0.8 | raw_ops.pipelines.dense_table empty_key deleted_key value_dtype value_shape
MutableHashTableV2 key_dtype value_dtype container='' shared_name='' use_node_name_sharing=False \
    | raw_ops.pipelines.table key_dtype value_dtype
OptionalFromValue components | experimental.Optional.from_value value=alone(components)
OptionalGetValue optional output_types output_shapes | raw_ops.pipelines.value_of_optional optional
OptionalHasValue optional | @has_value optional
OptionalNone | raw_ops.pipelines.nothing
"""

_RANDOM = """\
ExtractGlimpseV2 input size offsets centered=True normalized=True uniform_noise=True noise='uniform' \
    | image.extract_glimpse input size offsets centered normalized noise
FractionalAvgPool value pooling_ratio pseudo_random=False overlapping=False deterministic=False seed=0 seed2=0 \
    | nn.fractional_avg_pool value pooling_ratio pseudo_random overlapping seed \
    | output row_pooling_sequence col_pooling_sequence
FractionalMaxPool value pooling_ratio pseudo_random=False overlapping=False deterministic=False seed=0 seed2=0 \
    | nn.fractional_max_pool value pooling_ratio pseudo_random overlapping seed \
    | output row_pooling_sequence col_pooling_sequence
RandomGamma shape alpha seed=0 seed2=0 | raw_ops.streams.gamma shape alpha seed=seeds(seed,seed2)
RandomPoissonV2 shape rate seed=0 seed2=0 dtype='int64' | random.poisson shape lam=rate dtype seed=seeds(seed,seed2)
RngSkip resource algorithm delta | raw_ops.streams.skip resource algorithm delta
SampleDistortedBoundingBox image_size bounding_boxes seed=0 seed2=0 min_object_covered=0.1 aspect_ratio_range=[0.75,1.33] \
    area_range=[0.05,1] max_attempts=100 use_image_if_no_bounding_boxes=False \
    | image.sample_distorted_bounding_box image_size bounding_boxes seed=seeds(seed,seed2) min_object_covered aspect_ratio_range \
    area_range max_attempts use_image_if_no_bounding_boxes | begin size bboxes
SampleDistortedBoundingBoxV2 image_size bounding_boxes min_object_covered seed=0 seed2=0 aspect_ratio_range=[0.75,1.33] \
    area_range=[0.05,1] max_attempts=100 use_image_if_no_bounding_boxes=False \
    | image.sample_distorted_bounding_box image_size bounding_boxes seed=seeds(seed,seed2) min_object_covered aspect_ratio_range \
    area_range max_attempts use_image_if_no_bounding_boxes | begin size bboxes
StatelessSampleDistortedBoundingBox image_size bounding_boxes min_object_covered seed aspect_ratio_range=[0.75,1.33] \
    area_range=[0.05,1] max_attempts=100 use_image_if_no_bounding_boxes=False \
    | image.stateless_sample_distorted_bounding_box image_size bounding_boxes seed min_object_covered aspect_ratio_range \
    area_range max_attempts use_image_if_no_bounding_boxes | begin size bboxes
StatelessRandomNormalV2 shape key counter alg dtype='float32' | raw_ops.streams.normal shape key counter alg dtype
StatelessTruncatedNormalV2 shape key counter alg dtype='float32' | raw_ops.streams.truncated_normal shape key counter alg dtype
StatelessRandomUniformV2 shape key counter alg dtype='float32' | raw_ops.streams.uniform shape key counter alg dtype
StatelessRandomUniformIntV2 shape key counter alg minval maxval | raw_ops.streams.uniform_int shape key counter alg minval maxval
StatelessRandomUniformFullIntV2 shape key counter alg dtype='uint64' \
    | raw_ops.streams.uniform_full_int shape key counter alg dtype
StatefulStandardNormalV2 resource algorithm shape dtype='float32' | raw_ops.streams.next_normal resource algorithm shape dtype
StatefulTruncatedNormal resource algorithm shape dtype='float32' \
    | raw_ops.streams.next_truncated_normal resource algorithm shape dtype
StatefulUniform resource algorithm shape dtype='float32' | raw_ops.streams.next_uniform resource algorithm shape dtype
StatefulUniformInt resource algorithm shape minval maxval \
    | raw_ops.streams.next_uniform_int resource algorithm shape minval maxval
StatefulUniformFullInt resource algorithm shape dtype='uint64' \
    | raw_ops.streams.next_uniform_full_int resource algorithm shape dtype
StatefulRandomBinomial resource algorithm shape counts probs dtype='int64' \
    | raw_ops.streams.next_binomial resource algorithm shape counts probs dtype
"""

_PARTS = """\
DeserializeManySparse serialized_sparse dtype | io.deserialize_many_sparse serialized_sparse dtype \
    | sparse: sparse_indices sparse_values sparse_shape
PrintV2 input output_stream='stderr' end='\\n' | raw_ops.calls.shown input output_stream end
RaggedTensorToTensor shape values default_value row_partition_tensors row_partition_types \
    | raw_ops.lists.filled shape values default_value row_partition_tensors row_partition_types
SerializeManySparse sparse_indices sparse_values sparse_shape out_type='string' \
    | io.serialize_many_sparse sp_input=sparse(sparse_indices,sparse_values,sparse_shape) out_type
SerializeSparse sparse_indices sparse_values sparse_shape out_type='string' \
    | io.serialize_sparse sp_input=sparse(sparse_indices,sparse_values,sparse_shape) out_type
"""

ROWS = _DATASETS + _QUEUES + _TABLES + _RANDOM + _PARTS
