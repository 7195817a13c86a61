"""Kernels of derivatives, which TensorFlow has apart from what they differentiate: here a tape follows the function itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import nn
from ..api.arrays import one_hot, reshape, zeros
from ..base.types import AxisLike, ShapeLike, TensorLike
from ..differentiation.tape import GradientTape
from ..op.attributes import as_ints
from ..values.tensor import Tensor, to_tensor


def _pulled(function: Callable[[Any], Any], at: TensorLike, upstream: TensorLike) -> Any:
    """The derivative of a function of one tensor, times a cotangent of its value."""
    x = to_tensor(at)
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, output_gradients=to_tensor(upstream))


def _zeros(sizes: ShapeLike, like: TensorLike) -> Any:
    """Where a linear function is differentiated."""
    return zeros(as_ints(sizes), to_tensor(like).dtype)


def _conv2d(
    strides: AxisLike, padding: str, explicit: Sequence[int], data_format: str, dilations: AxisLike
) -> Callable[[Any, Any], Any]:
    around = _around(padding, explicit)
    return lambda x, w: nn.conv2d(x, w, strides, around, data_format, dilations)


def _around(padding: str, explicit: Sequence[int]) -> Any:
    """The padding as public functions take it: a name, or a pair of sizes for each axis."""
    sizes = as_ints(explicit)
    return list(zip(sizes[::2], sizes[1::2], strict=True)) if padding == "EXPLICIT" else padding


def Conv2DBackpropInput(
    input_sizes: ShapeLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: AxisLike,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: AxisLike = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.conv2d` by its images."""
    convolved = _conv2d(strides, padding, explicit_paddings, data_format, dilations)
    return _pulled(lambda x: convolved(x, filter), _zeros(input_sizes, out_backprop), out_backprop)


def Conv2DBackpropFilter(
    input: TensorLike,
    filter_sizes: ShapeLike,
    out_backprop: TensorLike,
    strides: AxisLike,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: AxisLike = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.conv2d` by its filters."""
    convolved = _conv2d(strides, padding, explicit_paddings, data_format, dilations)
    return _pulled(lambda w: convolved(input, w), _zeros(filter_sizes, out_backprop), out_backprop)


def Conv3DBackpropInputV2(
    input_sizes: ShapeLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: AxisLike,
    padding: str,
    data_format: str = "NDHWC",
    dilations: AxisLike = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.conv3d` by its input."""
    at = _zeros(input_sizes, out_backprop)
    return _pulled(lambda x: nn.conv3d(x, filter, strides, padding, data_format, dilations), at, out_backprop)


def Conv3DBackpropFilterV2(
    input: TensorLike,
    filter_sizes: ShapeLike,
    out_backprop: TensorLike,
    strides: AxisLike,
    padding: str,
    data_format: str = "NDHWC",
    dilations: AxisLike = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.conv3d` by its filters."""
    at = _zeros(filter_sizes, out_backprop)
    return _pulled(lambda w: nn.conv3d(input, w, strides, padding, data_format, dilations), at, out_backprop)


def DepthwiseConv2dNative(
    input: TensorLike,
    filter: TensorLike,
    strides: AxisLike,
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: AxisLike = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """`tf.nn.depthwise_conv2d`, with the dilations of all axes."""
    steps = as_ints(dilations)
    inner = steps[1:3] if data_format == "NHWC" else steps[2:4]
    return nn.depthwise_conv2d(input, filter, strides, _around(padding, explicit_paddings), data_format, inner)


def DepthwiseConv2dNativeBackpropInput(
    input_sizes: ShapeLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: AxisLike,
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: AxisLike = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.depthwise_conv2d` by its images."""
    settings = (strides, padding, explicit_paddings, data_format, dilations)
    at = _zeros(input_sizes, out_backprop)
    return _pulled(lambda x: DepthwiseConv2dNative(x, filter, *settings), at, out_backprop)


def DepthwiseConv2dNativeBackpropFilter(
    input: TensorLike,
    filter_sizes: ShapeLike,
    out_backprop: TensorLike,
    strides: AxisLike,
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: AxisLike = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.depthwise_conv2d` by its filters."""
    settings = (strides, padding, explicit_paddings, data_format, dilations)
    at = _zeros(filter_sizes, out_backprop)
    return _pulled(lambda w: DepthwiseConv2dNative(input, w, *settings), at, out_backprop)


def AvgPoolGrad(
    orig_input_shape: ShapeLike,
    grad: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.avg_pool2d`."""
    at = _zeros(orig_input_shape, grad)
    return _pulled(lambda x: nn.avg_pool2d(x, ksize, strides, padding, data_format), at, grad)


def AvgPool3DGrad(
    orig_input_shape: ShapeLike,
    grad: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.avg_pool3d`."""
    at = _zeros(orig_input_shape, grad)
    return _pulled(lambda x: nn.avg_pool3d(x, ksize, strides, padding, data_format), at, grad)


def MaxPoolGrad(
    orig_input: TensorLike,
    orig_output: TensorLike,
    grad: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.max_pool2d`."""
    around = _around(padding, explicit_paddings)
    return _pulled(lambda x: nn.max_pool2d(x, ksize, strides, around, data_format), orig_input, grad)


def MaxPoolGradV2(
    orig_input: TensorLike,
    orig_output: TensorLike,
    grad: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.max_pool2d`."""
    return MaxPoolGrad(orig_input, orig_output, grad, ksize, strides, padding, (), data_format)


def MaxPool3DGrad(
    orig_input: TensorLike,
    orig_output: TensorLike,
    grad: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.max_pool3d`."""
    return _pulled(lambda x: nn.max_pool3d(x, ksize, strides, padding, data_format), orig_input, grad)


def LRNGrad(
    input_grads: TensorLike,
    input_image: TensorLike,
    output_image: TensorLike,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.local_response_normalization`."""
    settings = (depth_radius, bias, alpha, beta)
    return _pulled(lambda x: nn.local_response_normalization(x, *settings), input_image, input_grads)


class _Loss(NamedTuple):
    loss: Tensor
    backprop: Tensor


def SoftmaxCrossEntropyWithLogits(features: TensorLike, labels: TensorLike, name: str | None = None) -> Any:
    """The loss of each row, and softmax minus labels."""
    logits = to_tensor(features)
    wanted = to_tensor(labels, logits.dtype)
    return _Loss(nn.softmax_cross_entropy_with_logits(wanted, logits), nn.softmax(logits) - wanted)


def SparseSoftmaxCrossEntropyWithLogits(features: TensorLike, labels: TensorLike, name: str | None = None) -> Any:
    """The loss of each row, whose class has a number, and softmax minus 1 for that class."""
    logits = to_tensor(features)
    chosen = one_hot(reshape(labels, (-1,)), logits.shape[-1], dtype=logits.dtype)
    return _Loss(nn.sparse_softmax_cross_entropy_with_logits(labels, logits), nn.softmax(logits) - chosen)
