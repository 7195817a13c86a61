"""`tf.raw_ops`: ops under the names of TensorFlow's kernels; the updates of optimizers in one pass over the memory."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import sys
import typing
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..api.arrays import identity
from ..base import dtypes
from ..base.absent import nearest
from ..base.dtypes import Array
from ..base.errors import NotATensorError, invalid, unfit
from ..base.namespaces import listing
from ..base.traceable import traceable
from ..base.types import AxisLike, DTypeLike, Function, IntLike, ShapeLike, TensorLike, Value
from ..differentiation.custom import custom_gradient
from ..native.updates import Update
from ..nn.normalization import fused_batch_norm
from ..op.arguments import flag, number, sequence, takes, text
from ..op.attributes import as_float, as_int, as_ints
from ..op.call import matching_tensors
from ..op.declaration import REGISTRY
from ..ops import load_all
from ..ops.array.borders import mirror_pad_grad
from ..ops.array.search import bucketize, list_diff
from ..ops.image.morphology import dilation2d_backprop_filter, dilation2d_backprop_input
from ..ops.math.rounding import nextafter
from ..ops.text.encoding import decode_padded_raw, decode_raw, fingerprint, string_to_hash_bucket_strong
from ..trace.control import effect_on_abstract
from ..values.tensor import to_tensor, value_of
from ..variables.in_place import any_value, written
from ..variables.variable import Variable
from . import calls, composites, counts, decoded, derivatives, lists, places, slopes, states, streams, updates
from . import pipelines as pipelines
from .functions import function_of, keywords_only, rows


def _number(value: typing.Any) -> float:
    return value if value.__class__ is float else as_float(value)


def _gradient(grad: object, var: Variable) -> Array:
    """The gradient, flat."""
    array: Array = to_tensor(grad, var.dtype)._array
    shape = any_value(var)._array.shape
    if array.shape != shape:
        raise unfit(f"The gradient has shape {array.shape}, variable '{var.name}' has {shape}.")
    return np.ascontiguousarray(array).reshape(-1)


def _apply(update: Update, grad: object, variables: tuple[Variable, ...], *numbers: typing.Any) -> None:
    """Update a variable and its slots; the numbers are scalars."""
    for variable in variables:
        if not isinstance(variable, Variable):
            raise NotATensorError(f"An update needs a tf.Variable or its handle, got {variable!r}.")
    gradient = _gradient(grad, variables[0])
    written(variables, lambda arrays: update(gradient, [array.reshape(-1) for array in arrays], numbers))


def _descent_text(g: Value, w: TensorLike, rate: Value) -> tuple[typing.Any]:
    w -= rate * g
    return (w,)


_descent = Update(_descent_text, 1)


@takes(use_locking=flag)
def ResourceApplyGradientDescent(
    var: Variable, alpha: object, delta: object, use_locking: bool = False, name: str | None = None
) -> None:
    """var -= alpha * delta."""
    _apply(_descent, delta, (var,), _number(alpha))


def _adam_text(
    g: Value, w: object, m: typing.Any, v: typing.Any, rate: typing.Any, beta1: Value, beta2: Value, tiny: typing.Any
) -> tuple[typing.Any, ...]:
    m += (g - m) * (1 - beta1)
    v += (g * g - v) * (1 - beta2)
    w -= m / (np.sqrt(v) + tiny) * rate
    return w, m, v


def _nesterov_text(
    g: typing.Any,
    w: object,
    m: typing.Any,
    v: typing.Any,
    rate: typing.Any,
    beta1: typing.Any,
    beta2: Value,
    tiny: typing.Any,
) -> tuple[typing.Any, ...]:
    m += (g - m) * (1 - beta1)
    v += (g * g - v) * (1 - beta2)
    w -= (m * beta1 + (1 - beta1) * g) / (np.sqrt(v) + tiny) * rate
    return w, m, v


_adam, _adam_nesterov = Update(_adam_text, 3), Update(_nesterov_text, 3)


@takes(use_locking=flag, use_nesterov=flag)
def ResourceApplyAdam(
    var: Variable,
    m: Variable,
    v: Variable,
    beta1_power: object,
    beta2_power: object,
    lr: object,
    beta1: object,
    beta2: object,
    epsilon: object,
    grad: TensorLike,
    use_locking: bool = False,
    use_nesterov: bool = False,
    name: str | None = None,
) -> None:
    """One step of Adam: updates the variable and its two moments."""
    rate = _number(lr) * np.sqrt(1.0 - _number(beta2_power)) / (1.0 - _number(beta1_power))
    numbers = (rate, _number(beta1), _number(beta2), _number(epsilon))
    _apply(_adam_nesterov if use_nesterov else _adam, grad, (var, m, v), *numbers)


def _descent_in_ops(var: Variable, alpha: object, delta: object, **_: object) -> None:
    var.assign_sub(to_tensor(alpha, var.dtype) * to_tensor(delta, var.dtype))


def _adam_in_ops(
    var: Variable,
    m: Variable,
    v: Variable,
    grad: object,
    use_nesterov: bool = False,
    use_locking: bool = False,
    name: str | None = None,
    **numbers: object,
) -> None:
    given = {key: to_tensor(value, var.dtype) for key, value in numbers.items()}
    g, beta1 = to_tensor(grad, var.dtype), given["beta1"]
    rate = given["lr"] * (1.0 - given["beta2_power"]) ** 0.5 / (1.0 - given["beta1_power"])
    m.assign_add((g - m) * (1.0 - beta1))
    v.assign_add((g * g - v) * (1.0 - given["beta2"]))
    moved = m * beta1 + (1.0 - beta1) * g if use_nesterov else m
    root: typing.Any = v.read_value() ** 0.5
    var.assign_sub(moved / (root + given["epsilon"]) * rate)


def _update_on_abstract(
    in_ops: Function, evaluator: typing.Any, function: Function, *args: object, **kwargs: object
) -> None:
    """Inside a traced function an update is one step; the variables are read anew after it. On another device it is ops."""
    if not getattr(evaluator, "updates_in_place", True):
        in_ops(**inspect.signature(function).bind(*args, **kwargs).arguments)
        return
    effect_on_abstract(evaluator, function, *args, **kwargs)
    evaluator.forget([value for value in (*args, *kwargs.values()) if isinstance(value, Variable)])


ResourceApplyGradientDescent = traceable(
    ResourceApplyGradientDescent, always=True, on_abstract=functools.partial(_update_on_abstract, _descent_in_ops)
)
ResourceApplyAdam = traceable(
    ResourceApplyAdam, always=True, on_abstract=functools.partial(_update_on_abstract, _adam_in_ops)
)


# Kernels that are ops of ours under the same arguments: the module in `ops` and the op's name there.
_OPS = {
    "ReluGrad": "nn.slopes.mask_positive",
    "Relu6Grad": "nn.slopes.relu6_grad",
    "LeakyReluGrad": "nn.slopes.leaky_relu_grad",
    "EluGrad": "nn.slopes.elu_grad",
    "SeluGrad": "nn.slopes.selu_grad",
    "SoftplusGrad": "nn.slopes.softplus_grad",
    "SoftsignGrad": "nn.slopes.softsign_grad",
    "SigmoidGrad": "nn.slopes.sigmoid_grad",
    "TanhGrad": "nn.slopes.tanh_grad",
    "SqrtGrad": "math.slopes.sqrt_grad",
    "RsqrtGrad": "math.slopes.rsqrt_grad",
    "ReciprocalGrad": "math.slopes.reciprocal_grad",
    "InvGrad": "math.slopes.reciprocal_grad",
    "BiasAdd": "nn.bias.bias_add",
    "BiasAddGrad": "nn.bias.bias_add_grad",
    "L2Loss": "nn.losses.l2_loss",
    "LRN": "nn.normalization.lrn",
    "NthElement": "array.sort.nth_element",
    "DataFormatDimMap": "nn.data_format.data_format_dim_map",
    "DataFormatVecPermute": "nn.data_format.data_format_vec_permute",
    "EncodeBase64": "text.encoding.encode_base64",
    "DecodeBase64": "text.encoding.decode_base64",
    "StringToHashBucket": "text.encoding.string_to_hash_bucket",
    "StringNGrams": "text.encoding.string_ngrams",
    "StringSplitV2": "text.unicode.string_split",
    "ApproximateEqual": "math.ufuncs.approximate_equal",
    "PopulationCount": "math.ufuncs.population_count",
}


# Kernels whose public form has the same arguments.
_SAME = (
    "Abs", "Acos", "Acosh", "AddV2", "Angle", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "Betainc", "BitwiseAnd",
    "BitwiseOr", "BitwiseXor", "Ceil", "Complex", "Conj", "Cos", "Cosh", "Cross", "Digamma", "Elu", "Equal", "Erf",
    "Erfc", "Erfinv", "Exp", "Expm1", "Floor", "FloorDiv", "FloorMod", "Greater", "GreaterEqual", "Identity",
    "Igamma", "Igammac", "Imag", "Invert", "InvertPermutation", "IsFinite", "IsInf", "IsNan", "LeftShift", "Less",
    "LessEqual", "Lgamma", "Log", "Log1p", "LogicalAnd", "LogicalNot", "LogicalOr", "Maximum", "Minimum", "Mul",
    "MulNoNan", "Ndtri", "Neg", "NotEqual", "OnesLike", "Polygamma", "Pow", "Real", "RealDiv", "Reciprocal", "Relu",
    "Relu6", "RightShift", "Rint", "Round", "Rsqrt", "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd",
    "SegmentSum", "Selu", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Square",
    "SquaredDifference", "StopGradient", "Sub", "Tan", "Tanh", "TensorScatterAdd", "TensorScatterMax",
    "TensorScatterMin", "TensorScatterSub", "TensorScatterUpdate", "TruncateDiv", "TruncateMod", "Xdivy", "Xlog1py",
    "Xlogy", "ZerosLike", "Zeta",
)  # fmt: skip


# Kernels that stand in files of their own.
_WRITTEN: dict[str, typing.Any] = {
    **dict.fromkeys(
        (
            "Bincount", "DenseBincount", "DenseCountSparseOutput", "RaggedBincount", "RaggedCountSparseOutput", "SparseBincount",
            "SparseCountSparseOutput",
        ),
        counts,
    ),
    **dict.fromkeys(
        (
            "ApproxTopK", "CTCLoss", "Case", "DecodeCompressed", "FusedBatchNorm", "FusedBatchNormGrad", "FusedBatchNormGradV2",
            "FusedBatchNormGradV3", "FusedBatchNormV2", "If", "PartitionedCall", "Print", "StatefulPartitionedCall",
            "StatelessCase", "StatelessIf", "StatelessWhile", "While",
        ),
        calls,
    ),
    **dict.fromkeys(
        (
            "EmptyTensorList", "TensorListConcat", "TensorListConcatLists", "TensorListConcatV2", "TensorListElementShape",
            "TensorListFromTensor", "TensorListGather", "TensorListGetItem", "TensorListLength", "TensorListPopBack",
            "TensorListPushBack", "TensorListPushBackBatch", "TensorListReserve", "TensorListResize", "TensorListScatter",
            "TensorListScatterIntoExistingList", "TensorListScatterV2", "TensorListSetItem", "TensorListSplit", "TensorListStack",
        ),
        lists,
    ),
    **dict.fromkeys(
        (
            "NonDeterministicInts", "RngReadAndSkip", "StatelessRandomGetAlg", "StatelessRandomGetKeyCounter",
            "StatelessRandomGetKeyCounterAlg",
        ),
        streams,
    ),
    **dict.fromkeys(
        (
            "CTCBeamSearchDecoder", "CTCGreedyDecoder", "NonMaxSuppressionV5", "StringSplit", "UnicodeDecodeWithOffsets",
        ),
        decoded,
    ),
    **dict.fromkeys(
        (
            "CholeskyGrad", "CropAndResizeGradBoxes", "CropAndResizeGradImage", "IgammaGradA", "MaxPoolGradGrad",
            "MaxPoolGradWithArgmax", "RandomGammaGrad", "ResizeBicubicGrad", "ResizeBilinearGrad", "ResizeNearestNeighborGrad",
            "SparseFillEmptyRowsGrad", "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad", "SparseSegmentSumGrad",
        ),
        derivatives,
    ),
    **dict.fromkeys(
        (
            "ConcatOffset", "ScatterNdNonAliasingAdd", "StridedSliceGrad", "TensorStridedSliceUpdate", "UniqueV2",
            "UniqueWithCountsV2",
        ),
        places,
    ),
    **dict.fromkeys(
        (
            "AvgPool3DGrad", "AvgPoolGrad", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3DBackpropFilterV2",
            "Conv3DBackpropInputV2", "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter",
            "DepthwiseConv2dNativeBackpropInput", "LRNGrad", "MaxPool3DGrad", "MaxPoolGrad", "MaxPoolGradV2",
            "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits",
        ),
        slopes,
    ),
    **dict.fromkeys(
        (
            "AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp", "ReadVariableOp", "ResourceGather",
            "ResourceGatherNd", "ResourceScatterAdd", "ResourceScatterDiv", "ResourceScatterMax", "ResourceScatterMin",
            "ResourceScatterMul", "ResourceScatterNdAdd", "ResourceScatterNdSub", "ResourceScatterNdUpdate",
            "ResourceScatterSub", "ResourceScatterUpdate", "VariableShape",
        ),
        states,
    ),
    **dict.fromkeys(
        (
            "BroadcastGradientArgs", "DenseToDenseSetOperation", "DenseToSparseSetOperation", "Eig",
            "Einsum",
            "InplaceAdd", "InplaceSub", "InplaceUpdate", "RaggedRange", "RaggedTensorToSparse", "RandomIndexShuffle",
            "RandomUniformInt",
            "ResourceScatterNdMax", "ResourceScatterNdMin", "ResourceStridedSliceAssign", "RestoreV2", "Reverse",
            "ShardedFilename", "ShardedFilespec", "SparseConcat", "SparseDenseCwiseAdd", "SparseDenseCwiseDiv",
            "SparseDenseCwiseMul", "SparseFillEmptyRows", "SparseReshape", "SparseSplit", "SparseToDense",
            "SparseToSparseSetOperation", "Svd", "ToBool", "TridiagonalMatMul", "UnicodeDecode",
            "UnicodeEncode", "VarIsInitializedOp",
        ),
        composites,
    ),
}  # fmt: skip


_OF_ONE_SIZE = ("SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad")


def _of_one_shape(public: typing.Any) -> typing.Any:
    """The kernels of derivatives do not broadcast."""

    @functools.wraps(public)
    def call(*args: object, **kwargs: object) -> typing.Any:
        given = public.__signature__.bind(*args, **kwargs).arguments
        for name, default in public.op.attributes.items():
            if default.__class__ is float and name in given:
                number(name, given[name])
        first, second = matching_tensors(public.op, [given[name] for name in public.op.arguments])
        fits = first.shape.is_compatible_with(second.shape)
        if not fits and not (
            public.op.tf_name in _OF_ONE_SIZE and first.shape.num_elements() == second.shape.num_elements()
        ):
            words = f"both operands must be of the same shape, got {first.shape} and {second.shape}."
            raise invalid(f"{public.op.tf_name}: {words}")
        return public(*args, **kwargs)

    return traceable(call)


def __getattr__(name: str) -> typing.Any:
    if name in _SAME:
        load_all()
        (same,) = (op for op in REGISTRY.values() if op.tf_name == name)
        globals()[name] = keywords_only(name, same.public)
        return globals()[name]
    if name in rows():
        globals()[name] = function_of(name)
        return globals()[name]
    if name in _WRITTEN:
        globals()[name] = keywords_only(name, getattr(_WRITTEN[name], name))
        return globals()[name]
    if name in updates.names():
        globals()[name] = keywords_only(name, updates.kernel_of(name))
        return globals()[name]
    if name not in _OPS:
        instead = _public_name(name)
        use = f" Use {instead}." if instead else nearest(__name__, name).removeprefix(".")
        raise AttributeError(f"module 'gradtape.raw_ops' has no attribute {name!r}: this kernel is not there.{use}")
    module, _, op = _OPS[name].rpartition(".")
    found = getattr(importlib.import_module(f"gradtape.ops.{module}"), op).public
    if module in ("nn.slopes", "math.slopes") or name == "ApproximateEqual":
        found = _of_one_shape(found)
    globals()[name] = keywords_only(name, found)
    return globals()[name]


def _public_name(name: str) -> str | None:
    """What a kernel that is not there may be meant for: a public function, or what does the work of its family."""
    words = re.sub(r"V\d+$", "", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).lower()
    package = sys.modules["gradtape"]
    for module in ("", "math.", "nn.", "linalg.", "image.", "strings.", "random."):
        place = getattr(package, module.rstrip("."), None) if module else package
        if hasattr(place, words):
            return f"tf.{module}{words}"
    return next((instead for pattern, instead in _FAMILIES.items() if re.search(pattern, name)), None)


# Kernels that keep something between calls, or that belong to a machine: what to use instead, by a part of their names.
_FAMILIES = {
    "TPU|SparseCore|Infeed|Outfeed": "a Strategy of tf.distribute; there are no TPUs here",
    "Dataset": "tf.data.Dataset and its methods",
    "Iterator|GetNext": "iter(dataset)",
    "Optional": "tf.experimental.Optional",
    "TensorArray|TensorList|TensorMap": "tf.TensorArray",
    "HashTable|LookupTable|InitializeTable": "the tables of tf.lookup",
    "Queue|Barrier|Stage|StackP|StackV|StackC|^Stack$": "the queues of tf.queue, or tf.data",
    "Summary": "tf.summary",
    "Reader": "tf.data.TFRecordDataset, tf.data.TextLineDataset, or tf.io",
    "Cudnn|BlockLSTM|BlockCell": "the recurrent layers of Keras",
    "Collective|Nccl|CrossReplica|AllToAll": "tf.distribute",
    "While|^For$": "tf.while_loop",
    "If$|Case$|Switch$|Merge$": "tf.cond, or tf.switch_case",
    "PartitionedCall|RemoteCall|SymbolicGradient": "tf.function",
    "PyFunc": "tf.py_function, or tf.numpy_function",
    "Save|Restore": "tf.train.Checkpoint",
    "Quantize|Requant": "tf.quantization.fake_quant_with_min_max_args; there are no quantized types here",
    "Parse": "tf.io.parse_example, or tf.io.parse_single_example",
    "^Stateful|^Rng|SeedGenerator": "tf.random.Generator",
    "^Apply|^SparseApply": "the kernel that begins with Resource",
    "VarHandleOp|^Variable|Temporary": "tf.Variable",
    "BoostedTrees|TensorForest|Sdca": "another library; estimators are gone from TensorFlow too",
}


def __dir__() -> list[str]:
    return sorted(
        {
            *(name for name in listing(globals())() if name[0].isupper()),
            *_OPS,
            *_WRITTEN,
            *_SAME,
            *rows(),
            *updates.names(),
        }
    )


def PreventGradient(input: TensorLike, message: str = "", name: str | None = None) -> typing.Any:
    """The value itself, whose gradient cannot be taken: LookupError with the message."""

    @custom_gradient
    def guarded(x: typing.Any) -> typing.Any:
        def refuse(upstream: typing.Any) -> typing.Any:
            raise LookupError(f"Gradient explicitly disabled. Reason: {message!r}")

        return identity(x), refuse

    return guarded(to_tensor(input))


@takes(boundaries=sequence)
def Bucketize(input: TensorLike, boundaries: Sequence[TensorLike], name: str | None = None) -> typing.Any:
    """For each value, how many of the sorted boundaries are not larger."""
    return bucketize.public(input, tuple(as_float(boundary) for boundary in boundaries))


def ListDiff(x: object, y: object, out_idx: object = dtypes.int32, name: str | None = None) -> typing.Any:
    """The elements of x that are not in y, in their order, and their positions in x."""
    return _ListDiff(*list_diff.public(x, y, dtypes.as_dtype(out_idx).numpy))


class _ListDiff(NamedTuple):
    out: typing.Any
    idx: typing.Any


def DecodeRaw(
    input_bytes: TensorLike, out_type: DTypeLike, little_endian: bool = True, name: str | None = None
) -> typing.Any:
    """The bytes of each text, all of one length, read as numbers along a new last axis."""
    return decode_raw.public(input_bytes, dtypes.as_dtype(out_type).numpy, bool(little_endian))


def DecodePaddedRaw(
    input_bytes: TensorLike,
    fixed_length: IntLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    name: str | None = None,
) -> typing.Any:
    """The first bytes of each text, filled up with zeros, read as numbers along a new last axis."""
    return decode_padded_raw.public(input_bytes, fixed_length, dtypes.as_dtype(out_type).numpy, bool(little_endian))


def StringToHashBucketStrong(
    input: TensorLike, num_buckets: int, key: TensorLike, name: str | None = None
) -> typing.Any:
    """A number below `num_buckets` for each text, by a hash under a key of two integers."""
    return string_to_hash_bucket_strong.public(input, as_int(num_buckets), as_ints(key))


def Fingerprint(data: TensorLike, method: TensorLike = "farmhash64", name: str | None = None) -> typing.Any:
    """A hash of eight bytes for each row of the data."""
    return fingerprint.public(
        data, method if isinstance(method, str) else value_of(to_tensor(method, dtypes.string)).decode()
    )


@takes(mode=text)
def MirrorPadGrad(input: TensorLike, paddings: TensorLike, mode: str, name: str | None = None) -> typing.Any:
    """Mirrored borders added to what they mirror: the derivative of `tf.pad` with REFLECT or SYMMETRIC."""
    rows = tuple((int(before), int(after)) for before, after in value_of(to_tensor(paddings)).tolist())
    return mirror_pad_grad.public(input, rows, mode)


def Dilation2DBackpropInput(
    input: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: AxisLike,
    rates: AxisLike,
    padding: str,
    name: str | None = None,
) -> typing.Any:
    """The derivative of `tf.nn.dilation2d` by the image."""
    window = (as_ints(strides)[1:3], as_ints(rates)[1:3], padding)
    return dilation2d_backprop_input.public(out_backprop, input, filter, *window)


def Dilation2DBackpropFilter(
    input: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: AxisLike,
    rates: AxisLike,
    padding: str,
    name: str | None = None,
) -> typing.Any:
    """The derivative of `tf.nn.dilation2d` by the filter."""
    window = (as_ints(strides)[1:3], as_ints(rates)[1:3], padding)
    return dilation2d_backprop_filter.public(out_backprop, input, filter, *window)


def NextAfter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> typing.Any:
    """The next floating number from x1 in the direction of x2."""
    return nextafter.public(x1, x2)


def AdjustHue(images: TensorLike, delta: TensorLike, name: str | None = None) -> typing.Any:
    """Images with each hue turned by `delta`; see `tf.image.adjust_hue`."""
    from ..image import adjust_hue

    return adjust_hue(images, delta)


def FusedBatchNormV3(
    x: TensorLike,
    scale: TensorLike,
    offset: IntLike,
    mean: TensorLike,
    variance: TensorLike,
    epsilon: float = 0.0001,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> typing.Any:
    """Batch normalisation with the mean and variance to go on with; see `nn.normalization.fused_batch_norm`."""
    parts = fused_batch_norm(
        x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training
    )
    return _FusedBatchNorm(*parts)


class _FusedBatchNorm(NamedTuple):
    y: typing.Any
    batch_mean: typing.Any
    batch_variance: typing.Any
    reserve_space_1: typing.Any
    reserve_space_2: typing.Any
    reserve_space_3: typing.Any


def ImageProjectiveTransformV3(
    images: TensorLike,
    transforms: TensorLike,
    output_shape: ShapeLike,
    fill_value: TensorLike,
    interpolation: str,
    fill_mode: str = "CONSTANT",
    name: str | None = None,
) -> typing.Any:
    """Images seen through projective transforms; see image/projective.py."""
    from ..image.projective import projective_transform

    return projective_transform(images, transforms, output_shape, fill_value, interpolation, fill_mode)


def ImageProjectiveTransformV2(
    images: TensorLike,
    transforms: TensorLike,
    output_shape: ShapeLike,
    interpolation: str,
    fill_mode: str = "CONSTANT",
    name: str | None = None,
) -> typing.Any:
    """The same, with 0 outside of the image."""
    return _projective_transform(images, transforms, output_shape, 0.0, interpolation, fill_mode)


_projective_transform = traceable(ImageProjectiveTransformV3)
ImageProjectiveTransformV3 = _projective_transform

for _name, _function in list(globals().items()):
    if _name[0].isupper() and getattr(_function, "__module__", None) == __name__ and not isinstance(_function, type):
        globals()[_name] = keywords_only(_name, _function)
