"""Kernels of derivatives of sums over segments, of resized and cropped images, and of special functions."""

from __future__ import annotations

from typing import Any

from .. import image, math, nn
from ..api import arrays, indexing
from ..base import dtypes
from ..base.types import AxisLike, DTypeLike, TensorLike
from ..compat.v1 import image as first_image
from ..differentiation.tape import GradientTape
from ..linalg import adjoint, cholesky, matmul
from ..op.attributes import as_int, as_ints
from ..values.tensor import to_tensor


def _pulled(function: Any, at: Any, upstream: TensorLike) -> Any:
    """The derivative of a function of one tensor, times a cotangent of its value."""
    x = to_tensor(at)
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, output_gradients=to_tensor(upstream))


# --- sums over segments ------------------------------------------------------------------------------------------------------


def _of_segments(grad: object, indices: object, segment_ids: object, rows: object, power: float) -> Any:
    """What each row gets from the segments that it was part of; a segment of n rows counts n ** -power."""
    given, ids = to_tensor(grad), to_tensor(segment_ids)
    sizes = math.unsorted_segment_sum(arrays.ones_like(ids, given.dtype), ids, int(given.shape[0]))
    parts = indexing.gather(given, ids)
    if power:
        weights = indexing.gather(math.maximum(sizes, arrays.ones_like(sizes)), ids) ** -power
        parts = parts * arrays.reshape(weights, (-1, *(1,) * (parts.ndim - 1)))
    return math.unsorted_segment_sum(parts, to_tensor(indices), as_int(rows))


def SparseSegmentSumGrad(
    grad: TensorLike, indices: TensorLike, segment_ids: TensorLike, output_dim0: TensorLike, name: str | None = None
) -> Any:
    """The derivative of `tf.sparse.segment_sum` by its data."""
    return _of_segments(grad, indices, segment_ids, output_dim0, 0.0)


def SparseSegmentMeanGrad(
    grad: TensorLike, indices: TensorLike, segment_ids: TensorLike, output_dim0: TensorLike, name: str | None = None
) -> Any:
    """The derivative of `tf.sparse.segment_mean` by its data."""
    return _of_segments(grad, indices, segment_ids, output_dim0, 1.0)


def SparseSegmentSqrtNGrad(
    grad: TensorLike, indices: TensorLike, segment_ids: TensorLike, output_dim0: TensorLike, name: str | None = None
) -> Any:
    """The derivative of `tf.sparse.segment_sqrt_n` by its data."""
    return _of_segments(grad, indices, segment_ids, output_dim0, 0.5)


def SparseFillEmptyRowsGrad(reverse_index_map: TensorLike, grad_values: TensorLike, name: str | None = None) -> Any:
    """The derivative of `tf.sparse.fill_empty_rows` by its values, and by the default."""
    places, upstream = to_tensor(reverse_index_map), to_tensor(grad_values)
    own = indexing.gather(upstream, places)
    return own, math.reduce_sum(upstream) - math.reduce_sum(own)


# --- images ------------------------------------------------------------------------------------------------------------------


def _of_resize(resize: Any, images: Any, grads: Any, align_corners: bool, half_pixel_centers: bool) -> Any:
    sizes = to_tensor(grads).shape[1:3]
    return _pulled(lambda x: resize(x, sizes, align_corners, None, half_pixel_centers), images, grads)


def ResizeBilinearGrad(
    grads: TensorLike,
    original_image: TensorLike,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Any:
    """The derivative of a bilinear resize by its images."""
    return _of_resize(first_image.resize_bilinear, original_image, grads, align_corners, half_pixel_centers)


def ResizeBicubicGrad(
    grads: TensorLike,
    original_image: TensorLike,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Any:
    """The derivative of a bicubic resize by its images."""
    return _of_resize(first_image.resize_bicubic, original_image, grads, align_corners, half_pixel_centers)


def ResizeNearestNeighborGrad(
    grads: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Any:
    """The derivative of a resize by the nearest pixel, by its images of this size."""
    given = to_tensor(grads)
    batch, *_, channels = given.shape
    images = arrays.zeros((batch, *as_ints(size), channels), given.dtype)
    return _of_resize(first_image.resize_nearest_neighbor, images, given, align_corners, half_pixel_centers)


def CropAndResizeGradImage(
    grads: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike,
    image_size: TensorLike,
    T: DTypeLike,
    method: str = "bilinear",
    name: str | None = None,
) -> Any:
    """The derivative of `tf.image.crop_and_resize` by its images."""
    given = to_tensor(grads)
    flat = arrays.zeros(as_ints(image_size), dtypes.float32)
    cut = _pulled(lambda x: _crop(x, boxes, box_ind, list(given.shape[1:3]), method), flat, given)
    return math.cast(cut, dtypes.as_dtype(T))


def CropAndResizeGradBoxes(
    grads: TensorLike,
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike,
    method: str = "bilinear",
    name: str | None = None,
) -> Any:
    """The derivative of `tf.image.crop_and_resize` by its boxes."""
    given, pixels = to_tensor(grads), math.cast(image, dtypes.float32)
    return _pulled(lambda x: _crop(pixels, x, box_ind, list(given.shape[1:3]), method), boxes, given)


_crop: Any = image.crop_and_resize


def MaxPoolGradWithArgmax(
    input: TensorLike,
    grad: TensorLike,
    argmax: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    """The derivative of `tf.nn.max_pool_with_argmax` by its images: each cotangent goes where the largest value was."""
    x, given, places = to_tensor(input), to_tensor(grad), math.cast(argmax, dtypes.int64)
    batch, size = int(x.shape[0]), int(x.shape.num_elements() or 0)
    if not include_batch_in_index:
        first = math.cast(arrays.range(batch), dtypes.int64) * (size // max(batch, 1))
        places = places + arrays.reshape(first, (-1, 1, 1, 1))
    flat = math.unsorted_segment_sum(arrays.reshape(given, (-1,)), arrays.reshape(places, (-1,)), size)
    return arrays.reshape(flat, x.shape)


def MaxPoolGradGrad(
    orig_input: TensorLike,
    orig_output: TensorLike,
    grad: TensorLike,
    ksize: AxisLike,
    strides: AxisLike,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """What of `grad` stands where the largest value of each window was."""
    _, places = nn.max_pool_with_argmax(
        orig_input, ksize, strides, padding, data_format, dtypes.int64, include_batch_in_index=True
    )
    return indexing.gather(arrays.reshape(to_tensor(grad), (-1,)), places)


# --- special functions -------------------------------------------------------------------------------------------------------


def IgammaGradA(a: TensorLike, x: TensorLike, name: str | None = None) -> Any:
    """The derivative of `tf.math.igamma` by `a`."""
    values = to_tensor(a) + arrays.zeros_like(to_tensor(x))
    return _pulled(lambda z: math.igamma(z, to_tensor(x)), values, arrays.ones_like(values))


def RandomGammaGrad(alpha: TensorLike, sample: TensorLike, name: str | None = None) -> Any:
    """How a draw of a gamma distribution changes with its shape parameter: the draw's quantile stays the same."""
    a, x = to_tensor(alpha), to_tensor(sample)
    density = math.exp((a - 1.0) * math.log(x) - x - math.lgamma(a))
    return -IgammaGradA(a, x) / density


def CholeskyGrad(l: TensorLike, grad: TensorLike, name: str | None = None) -> Any:  # noqa: E741
    """The derivative of `tf.linalg.cholesky` by the matrix that has this root."""
    root = to_tensor(l)
    return _pulled(cholesky, matmul(root, adjoint(root)), grad)
