"""Classes that name TensorFlow's modules as theirs while gradtape stands in, as "module:Class", by module of TensorFlow.

Errors that only gradtape has stand with TensorFlow's own.
"""

from __future__ import annotations

MODULES = {
    "tensorflow.core.example.example_pb2": "io.examples:Example io.examples:SequenceExample",
    "tensorflow.core.example.feature_pb2": (
        "io.examples:BytesList io.examples:Feature io.examples:FeatureList io.examples:FeatureLists "
        "io.examples:Features io.examples:FloatList io.examples:Int64List"
    ),
    "tensorflow.dtensor.python.d_checkpoint": "distribute.dtensor_files:DTensorCheckpoint",
    "tensorflow.dtensor.python.input_util": "distribute.dtensor:DTensorDataset",
    "tensorflow.dtensor.python.layout": "distribute.mesh:Layout distribute.mesh:Mesh",
    "tensorflow.python.autograph.core.converter": "autograph.experimental:Feature",
    "tensorflow.python.checkpoint.checkpoint": "train.checkpoint:Checkpoint",
    "tensorflow.python.checkpoint.checkpoint_management": "train.manager:CheckpointManager",
    "tensorflow.python.checkpoint.checkpoint_options": "train.checkpoint:CheckpointOptions",
    "tensorflow.python.data.ops.dataset_ops": (
        "data.dataset:Dataset data.options:Options data.iterator:NumpyIterator data.nested:DatasetSpec"
    ),
    "tensorflow.python.data.ops.iterator_ops": "data.iterator:Iterator data.iterator:IteratorSpec",
    "tensorflow.python.data.ops.optional_ops": "data.optional:Optional data.optional:OptionalSpec",
    "tensorflow.python.data.ops.options": (
        "data.options:AutoShardPolicy data.options:AutotuneAlgorithm data.options:AutotuneOptions "
        "data.options:DistributeOptions data.options:ExternalStatePolicy data.options:OptimizationOptions "
        "data.options:ServiceOptions data.options:ThreadingOptions"
    ),
    "tensorflow.python.data.ops.readers": (
        "data.readers:FixedLengthRecordDataset data.readers:TFRecordDataset data.readers:TextLineDataset"
    ),
    "tensorflow.python.distribute.central_storage_strategy": "distribute.strategies:CentralStorageStrategy",
    "tensorflow.python.distribute.collective_all_reduce_strategy": "distribute.strategies:MultiWorkerMirroredStrategy",
    "tensorflow.python.distribute.collective_util": (
        "distribute.strategies:CommunicationImplementation distribute.strategies:CommunicationOptions"
    ),
    "tensorflow.python.distribute.cross_device_ops": (
        "distribute.strategies:CrossDeviceOps distribute.strategies:HierarchicalCopyAllReduce "
        "distribute.strategies:NcclAllReduce distribute.strategies:ReductionToOneDevice"
    ),
    "tensorflow.python.distribute.distribute_lib": (
        "distribute.datasets:InputContext distribute.datasets:InputOptions "
        "distribute.datasets:InputReplicationMode distribute.datasets:RunOptions "
        "distribute.strategy:ReplicaContext distribute.strategy:Strategy distribute.strategy:StrategyExtended "
        "distribute.strategy:ValueContext"
    ),
    "tensorflow.python.distribute.failure_handling.failure_handling": "distribute.cluster:PreemptionCheckpointHandler",
    "tensorflow.python.distribute.mirrored_strategy": "distribute.strategies:MirroredStrategy",
    "tensorflow.python.distribute.one_device_strategy": "distribute.strategies:OneDeviceStrategy",
    "tensorflow.python.distribute.parameter_server_strategy_v2": "distribute.strategies:ParameterServerStrategy",
    "tensorflow.python.distribute.reduce_util": "distribute.strategy:ReduceOp",
    "tensorflow.python.distribute.tpu_strategy": "distribute.strategies:TPUStrategy",
    "tensorflow.python.eager.backprop": "differentiation.tape:GradientTape",
    "tensorflow.python.eager.context": (
        "config:LogicalDeviceConfiguration config:PhysicalDevice xla.names:LogicalDevice"
    ),
    "tensorflow.python.eager.forwardprop": "differentiation.forward:ForwardAccumulator",
    "tensorflow.python.eager.polymorphic_function.concrete_function": "trace.concrete:ConcreteFunction",
    "tensorflow.python.eager.polymorphic_function.polymorphic_function": "trace.function:Function",
    "tensorflow.python.framework.device_spec": "api.device_spec:DeviceSpec",
    "tensorflow.python.framework.dtypes": "base.dtypes:DType",
    "tensorflow.python.framework.errors_impl": (
        "errors:AbortedError errors:AlreadyExistsError errors:ArgumentValueError errors:BatchShapeError "
        "errors:BranchTypeError errors:CancelledError errors:DataLossError errors:DeadlineExceededError "
        "errors:DecodeError errors:ElementIndexError errors:FailedPreconditionError errors:GeneratorElementError "
        "errors:GradientLookupError errors:InaccessibleTensorError errors:InfiniteNumberError "
        "errors:InternalError errors:InvalidArgumentError errors:LoopStructureError errors:MissingArgumentError "
        "errors:NonFiniteError errors:NotADTypeError errors:NotATensorError errors:NotFoundError "
        "errors:NotStorableError errors:NotTextError errors:NumberNeededError errors:OpCheckError "
        "errors:OpDeclarationError errors:OpError errors:OperandTypeError errors:OperatorNotAllowedInGraphError "
        "errors:OutOfRangeError errors:OutOfScopeError errors:PermissionDeniedError errors:RankError "
        "errors:ResourceExhaustedError errors:ScalarElementsError errors:TapeNotEnteredError "
        "errors:TensorTypeError errors:UnauthenticatedError errors:UnavailableError "
        "errors:UnconnectedGradientError errors:UnimplementedError errors:UnknownError "
        "errors:UnknownShapeError errors:UnsupportedTypeError"
    ),
    "tensorflow.python.framework.extension_type": (
        "api.extension_type:BatchableExtensionType api.extension_type:ExtensionType "
        "api.extension_type:ExtensionTypeSpec api.batch_encoder:ExtensionTypeBatchEncoder"
    ),
    "tensorflow.python.framework.indexed_slices": "values.tensor:IndexedSlices values.slices_spec:IndexedSlicesSpec",
    "tensorflow.python.framework.ops": (
        "values.tensor:EagerTensor trace.symbolic:SymbolicTensor api.framework:device "
        "api.graph_mode:RegisterGradient variables.module:name_scope"
    ),
    "tensorflow.python.framework.sparse_tensor": "sparse.tensor:SparseTensor sparse.tensor:SparseTensorSpec",
    "tensorflow.python.framework.tensor": "values.tensor:Tensor values.tensor:TensorSpec",
    "tensorflow.python.framework.tensor_shape": "base.shapes:TensorShape",
    "tensorflow.python.framework.test_util": "test:TestCase",
    "tensorflow.python.framework.type_spec": "base.type_spec:TypeSpec",
    "tensorflow.python.lib.io.tf_record": "io.records:TFRecordOptions io.records:TFRecordWriter",
    "tensorflow.python.module.module": "variables.module:Module",
    "tensorflow.python.ops.data_flow_ops": (
        "queue:FIFOQueue queue:PaddingFIFOQueue queue:PriorityQueue queue:QueueBase queue:RandomShuffleQueue"
    ),
    "tensorflow.python.ops.gradients_util": "api.graph_mode:AggregationMethod",
    "tensorflow.python.ops.image_ops_impl": "image.resizing:ResizeMethod",
    "tensorflow.python.ops.init_ops_v2": (
        "api.initial_values:constant_initializer api.initial_values:ones_initializer "
        "api.initial_values:random_normal_initializer api.initial_values:random_uniform_initializer "
        "api.initial_values:zeros_initializer"
    ),
    "tensorflow.python.ops.linalg.linear_operator": "linalg.operators.linear_operator:LinearOperator",
    "tensorflow.python.ops.linalg.linear_operator_adjoint": "linalg.operators.wrapped:LinearOperatorAdjoint",
    "tensorflow.python.ops.linalg.linear_operator_block_diag": "linalg.operators.blocks:LinearOperatorBlockDiag",
    "tensorflow.python.ops.linalg.linear_operator_block_lower_triangular": (
        "linalg.operators.blocks:LinearOperatorBlockLowerTriangular"
    ),
    "tensorflow.python.ops.linalg.linear_operator_circulant": (
        "linalg.operators.circulant:LinearOperatorCirculant linalg.operators.circulant:LinearOperatorCirculant2D "
        "linalg.operators.circulant:LinearOperatorCirculant3D"
    ),
    "tensorflow.python.ops.linalg.linear_operator_composition": "linalg.operators.products:LinearOperatorComposition",
    "tensorflow.python.ops.linalg.linear_operator_diag": "linalg.operators.diag:LinearOperatorDiag",
    "tensorflow.python.ops.linalg.linear_operator_full_matrix": "linalg.operators.dense:LinearOperatorFullMatrix",
    "tensorflow.python.ops.linalg.linear_operator_householder": (
        "linalg.operators.reflections:LinearOperatorHouseholder"
    ),
    "tensorflow.python.ops.linalg.linear_operator_identity": (
        "linalg.operators.identity:LinearOperatorIdentity linalg.operators.identity:LinearOperatorScaledIdentity"
    ),
    "tensorflow.python.ops.linalg.linear_operator_inversion": "linalg.operators.wrapped:LinearOperatorInversion",
    "tensorflow.python.ops.linalg.linear_operator_kronecker": "linalg.operators.products:LinearOperatorKronecker",
    "tensorflow.python.ops.linalg.linear_operator_low_rank_update": (
        "linalg.operators.low_rank:LinearOperatorLowRankUpdate"
    ),
    "tensorflow.python.ops.linalg.linear_operator_lower_triangular": (
        "linalg.operators.dense:LinearOperatorLowerTriangular"
    ),
    "tensorflow.python.ops.linalg.linear_operator_permutation": (
        "linalg.operators.reflections:LinearOperatorPermutation"
    ),
    "tensorflow.python.ops.linalg.linear_operator_toeplitz": "linalg.operators.circulant:LinearOperatorToeplitz",
    "tensorflow.python.ops.linalg.linear_operator_tridiag": "linalg.operators.tridiag:LinearOperatorTridiag",
    "tensorflow.python.ops.linalg.linear_operator_zeros": "linalg.operators.identity:LinearOperatorZeros",
    "tensorflow.python.ops.lookup_ops": (
        "lookup:DenseHashTable lookup:KeyValueTensorInitializer lookup:MutableHashTable lookup:StaticHashTable "
        "lookup:StaticVocabularyTable lookup:TextFileIndex lookup:TextFileInitializer"
    ),
    "tensorflow.python.ops.parsing_config": (
        "io.parsing:FixedLenFeature io.parsing:FixedLenSequenceFeature io.parsing:RaggedFeature "
        "io.parsing:SparseFeature io.parsing:VarLenFeature"
    ),
    "tensorflow.python.ops.ragged.dynamic_ragged_shape": "ragged.dynamic_shape:DynamicRaggedShape",
    "tensorflow.python.ops.ragged.ragged_tensor": "ragged.tensor:RaggedTensor ragged.spec:RaggedTensorSpec",
    "tensorflow.python.ops.ragged.row_partition": "ragged.partition:RowPartition",
    "tensorflow.python.ops.random_ops_util": "api.generator:Algorithm",
    "tensorflow.python.ops.resource_variable_ops": "variables.variable:ResourceVariable",
    "tensorflow.python.ops.stateful_random_ops": "api.generator:Generator",
    "tensorflow.python.ops.summary_ops_v2": "summary.writer:SummaryWriter",
    "tensorflow.python.ops.tensor_array_ops": "api.tensor_array:TensorArray",
    "tensorflow.python.ops.unconnected_gradients": "differentiation.backward:UnconnectedGradients",
    "tensorflow.python.ops.variables": (
        "variables.variable:Variable variables.variable:VariableAggregation variables.variable:VariableSynchronization"
    ),
    "tensorflow.python.platform.gfile": "io.gfile:GFile",
    "tensorflow.python.profiler.profiler_v2": "profiler:Profile profiler:ProfilerOptions",
    "tensorflow.python.saved_model.load_options": "saved_model.options:LoadOptions",
    "tensorflow.python.saved_model.save_options": "saved_model.options:SaveOptions",
    "tensorflow.python.trackable.python_state": "train.checkpoint:PythonState",
    "tensorflow.python.training.moving_averages": "train.averages:ExponentialMovingAverage",
    "tensorflow.python.training.server_lib": "distribute.cluster:Server distribute.resolvers:ClusterSpec",
    "tensorflow.python.types.distribute": (
        "distribute.datasets:DistributedDataset distribute.datasets:DistributedIterator "
        "distribute.strategy:DistributedValues"
    ),
    "tensorflow.python.types.trace": "types:SupportsTracingProtocol types:TraceType",
}
