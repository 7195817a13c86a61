"""What TensorFlow's kernels take as an input may be a tensor inside a function, also where it is an attribute of an op here.

The list follows the definitions of TensorFlow's raw ops: each public function of which a kernel has an integer input that is not
data (a shape, an axis, a size, a count, a position), called with a tensor there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

from_dense, to_dense = tf.sparse.from_dense, tf.sparse.to_dense

rng = np.random.default_rng(0)
X = rng.normal(size=(2, 3)).astype(np.float32)
CUBE = rng.normal(size=(2, 3, 4)).astype(np.float32)
IMAGE = rng.uniform(size=(1, 4, 4, 2)).astype(np.float32)
LINE = rng.normal(size=8).astype(np.float32)
SQUARE = rng.normal(size=(3, 3)).astype(np.float32)
SCORES = np.array([0.9, 0.2, 0.7], np.float32)
BOXES = np.array([[0, 0, 1, 1], [0, 0, 0.9, 1], [0.5, 0.5, 1, 1]], np.float32)

# The raw op's name, what is called, the data, and the integers that are tensors.
CALLS: dict[str, tuple[Any, tuple[Any, ...], tuple[Any, ...]]] = {
    "All": (lambda x, a: tf.reduce_all(x > 0, a), (X,), (1,)),
    "Any": (lambda x, a: tf.reduce_any(x > 0, a), (X,), ([0, 1],)),
    "ArgMax": (tf.argmax, (X,), (1,)),
    "ArgMin": (tf.argmin, (X,), (0,)),
    "BatchToSpaceND": (tf.batch_to_space, (np.ones((4, 1, 2, 1), np.float32),), ([2, 2], [[0, 0], [1, 0]])),
    "Bincount": (lambda n: tf.math.bincount(tf.constant([1, 2, 2]), minlength=n), (), (5,)),
    "BroadcastArgs": (tf.broadcast_dynamic_shape, (), ([2, 1], [3])),
    "BroadcastTo": (tf.broadcast_to, (X,), ([4, 2, 3],)),
    "CombinedNonMaxSuppression": (
        lambda b, s, n, m: tf.image.combined_non_max_suppression(b, s, n, m)[0],
        (BOXES[None, :, None], SCORES[None, :, None]),
        (2, 2),
    ),
    "ConcatV2": (lambda x, a: tf.concat([x, x], a), (X,), (1,)),
    "Conv2DBackpropInput": (
        lambda x, n: tf.nn.conv2d_transpose(x, tf.ones([2, 2, 3, 2]), n, 2),
        (IMAGE,),
        ([1, 8, 8, 3],),
    ),
    "CropAndResize": (
        lambda x, n: tf.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 0.5]], [0], n),
        (IMAGE,),
        ([2, 3],),
    ),
    "Cumprod": (tf.math.cumprod, (X,), (1,)),
    "Cumsum": (tf.cumsum, (X,), (1,)),
    "CumulativeLogsumexp": (tf.math.cumulative_logsumexp, (X,), (1,)),
    "DynamicPartition": (lambda x, p: tf.dynamic_partition(x, p, 2), (X,), ([1, 0],)),
    "DynamicStitch": (lambda x, i: tf.dynamic_stitch([i], [x]), (X,), ([1, 0],)),
    "EuclideanNorm": (tf.math.reduce_euclidean_norm, (X,), (1,)),
    "ExpandDims": (tf.expand_dims, (X,), (1,)),
    "Fill": (lambda n: tf.fill(n, 2.0), (), ([2, 3],)),
    "GatherV2": (lambda x, i, a: tf.gather(x, i, axis=a), (X,), ([0, 1], 1)),
    "HistogramFixedWidth": (lambda x, n: tf.histogram_fixed_width(x, [0.0, 1.0], n), (X,), (4,)),
    "ImageProjectiveTransformV3": (
        lambda x, n: tf.raw_ops.ImageProjectiveTransformV3(
            images=x, transforms=[[1.0, 0, 0, 0, 1, 0, 0, 0]], output_shape=n, fill_value=0.0, interpolation="NEAREST"
        ),
        (IMAGE,),
        ([3, 3],),
    ),
    "InTopKV2": (lambda x, i, k: tf.math.in_top_k(i, x, k), (X,), ([0, 2], 2)),
    "InvertPermutation": (tf.math.invert_permutation, (), ([1, 2, 0],)),
    "IRFFT": (lambda x, n: tf.signal.irfft(tf.cast(x, tf.complex64), n), (LINE,), ([6],)),
    "LinSpace": (lambda n: tf.linspace(0.0, 1.0, n), (), (5,)),
    "MatrixBandPart": (tf.linalg.band_part, (SQUARE,), (1, 0)),
    "MatrixDiagPartV3": (lambda x, k: tf.linalg.diag_part(x, k=k), (SQUARE,), (1,)),
    "MatrixDiagV3": (lambda x, k: tf.linalg.diag(x, k=k), (LINE,), (1,)),
    "MatrixSetDiagV3": (lambda x, k: tf.linalg.set_diag(x, tf.ones([2]), k=k), (SQUARE,), (1,)),
    "Max": (tf.reduce_max, (X,), (1,)),
    "Mean": (tf.reduce_mean, (X,), ([0],)),
    "Min": (tf.reduce_min, (X,), (0,)),
    "MirrorPad": (lambda x, p: tf.pad(x, p, "REFLECT"), (X,), ([[1, 0], [0, 2]],)),
    "Multinomial": (lambda x, n: tf.shape(tf.random.categorical(x, n)), (X,), (5,)),
    "NonMaxSuppressionV3": (tf.image.non_max_suppression, (BOXES, SCORES), (2,)),
    "NonMaxSuppressionV5": (
        lambda b, s, n: tf.image.non_max_suppression_with_scores(b, s, n)[1],
        (BOXES, SCORES),
        (2,),
    ),
    "NthElement": (lambda x, n: tf.raw_ops.NthElement(input=x, n=n), (X,), (1,)),
    "OneHot": (tf.one_hot, (), ([0, 2], 4)),
    "Pad": (tf.pad, (X,), ([[1, 0], [0, 2]],)),
    "PadV2": (lambda x, p: tf.pad(x, p, constant_values=3.0), (X,), ([[1, 0], [0, 2]],)),
    "Prod": (tf.reduce_prod, (X,), (1,)),
    "RandomCrop": (lambda x, n: tf.shape(tf.image.random_crop(x, n)), (X,), ([1, 2],)),
    "RandomGamma": (lambda x, n: tf.shape(tf.random.gamma(n, tf.abs(x) + 1.0)), (X,), ([4],)),
    "RandomPoissonV2": (lambda x, n: tf.shape(tf.random.poisson(n, tf.abs(x))), (X,), ([4],)),
    "RandomStandardNormal": (lambda n: tf.shape(tf.random.normal(n)), (), ([2, 3],)),
    "RandomUniform": (lambda n: tf.shape(tf.random.uniform(n)), (), ([2, 3],)),
    "RandomUniformInt": (
        lambda n, low, high: tf.shape(tf.random.uniform(n, low, high, dtype=tf.int32)),
        (),
        ([2, 3], 1, 5),
    ),
    "Range": (tf.range, (), (2, 9, 3)),
    "ReduceJoin": (lambda a: tf.strings.reduce_join([["a", "b"], ["c", "d"]], a), (), (1,)),
    "Repeat": (lambda x, n, a: tf.repeat(x, n, axis=a), (X,), ([2, 1], 0)),
    "Reshape": (tf.reshape, (X,), ([3, -1],)),
    "ResizeArea": (lambda x, n: tf.image.resize(x, n, "area"), (IMAGE,), ([2, 3],)),
    "ResizeBicubic": (lambda x, n: tf.image.resize(x, n, "bicubic"), (IMAGE,), ([2, 3],)),
    "ResizeBilinear": (tf.image.resize, (IMAGE,), ([2, 3],)),
    "ResizeNearestNeighbor": (lambda x, n: tf.image.resize(x, n, "nearest"), (IMAGE,), ([2, 3],)),
    "ReverseSequence": (lambda x, n: tf.reverse_sequence(x, n, seq_axis=1), (X,), ([2, 3],)),
    "ReverseV2": (tf.reverse, (X,), ([1],)),
    "RFFT": (tf.signal.rfft, (LINE,), ([6],)),
    "RFFT2D": (tf.signal.rfft2d, (SQUARE,), ([2, 4],)),
    "Roll": (tf.roll, (X,), (1, 1)),
    "ScaleAndTranslate": (lambda x, n: tf.image.resize(x, n, antialias=True), (IMAGE,), ([2, 3],)),
    "ScatterNd": (lambda x, i, n: tf.scatter_nd(i, x, n), (X,), ([[1], [0]], [4, 3])),
    "SegmentSum": (tf.math.segment_sum, (X,), ([0, 1],)),
    "Slice": (tf.slice, (X,), ([0, 1], [2, -1])),
    "SpaceToBatchND": (tf.space_to_batch, (IMAGE,), ([2, 2], [[0, 0], [0, 0]])),
    "Split": (lambda x, a: tf.split(x, 1, a), (X,), (1,)),
    "SplitV": (lambda x, n, a: tf.split(x, n, a), (X,), ([1, 2], 1)),
    "StatelessRandomNormalV2": (lambda n, s: tf.random.stateless_normal(n, s), (), ([2, 3], [1, 2])),
    "StatelessRandomUniformIntV2": (
        lambda n, s, low, high: tf.random.stateless_uniform(n, s, low, high, tf.int32),
        (),
        ([4], [1, 2], 2, 9),
    ),
    "StridedSlice": (lambda x, i, j, k: x[i:j, ::k], (X,), (0, 2, 2)),
    "StridedSliceOp": (tf.strided_slice, (X,), ([0, 1], [2, 3], [1, 1])),
    "Substr": (lambda p, n: tf.strings.substr("hello", p, n), (), (1, 3)),
    "Sum": (tf.reduce_sum, (X,), (1,)),
    "TensorScatterUpdate": (lambda x, i: tf.tensor_scatter_nd_update(x, i, tf.ones([1, 3])), (X,), ([[1]],)),
    "Tile": (tf.tile, (X,), ([2, 1],)),
    "TopKV2": (tf.math.top_k, (X,), (2,)),
    "Transpose": (tf.transpose, (CUBE,), ([2, 0, 1],)),
    "TruncatedNormal": (lambda n: tf.shape(tf.random.truncated_normal(n)), (), ([2, 3],)),
    "UniqueV2": (lambda x: tf.unique(tf.reshape(x, [-1])), (X,), ()),
    "UnravelIndex": (tf.unravel_index, (), ([5, 3], [2, 3])),
    "UnsortedSegmentMax": (tf.math.unsorted_segment_max, (X,), ([1, 0], 3)),
    "UnsortedSegmentMean": (tf.math.unsorted_segment_mean, (X,), ([1, 0], 3)),
    "UnsortedSegmentMin": (tf.math.unsorted_segment_min, (X,), ([1, 0], 3)),
    "UnsortedSegmentProd": (tf.math.unsorted_segment_prod, (X,), ([1, 0], 3)),
    "UnsortedSegmentSum": (tf.math.unsorted_segment_sum, (X,), ([1, 0], 3)),
    # Functions made of several kernels.
    "confusion_matrix": (tf.math.confusion_matrix, (), ([0, 2], [1, 2], 4)),
    "crop_to_bounding_box": (tf.image.crop_to_bounding_box, (IMAGE,), (1, 0, 2, 3)),
    "eye": (tf.eye, (), (2, 3)),
    "frame": (tf.signal.frame, (LINE,), (4, 2)),
    "linspace_axis": (lambda x, n: tf.linspace(x, x + 1.0, n, axis=1), (LINE,), (3,)),
    "meshgrid": (lambda n: tf.meshgrid(tf.range(n), tf.range(2)), (), (3,)),
    "moments": (tf.nn.moments, (X,), ([0],)),
    "pad_to_bounding_box": (tf.image.pad_to_bounding_box, (IMAGE,), (1, 0, 6, 5)),
    "reduce_logsumexp": (tf.reduce_logsumexp, (X,), (1,)),
    "reduce_std": (tf.math.reduce_std, (X,), (0,)),
    "resize_with_crop_or_pad": (tf.image.resize_with_crop_or_pad, (IMAGE,), (2, 6)),
    "rot90": (tf.image.rot90, (IMAGE,), (1,)),
    "sequence_mask": (tf.sequence_mask, (), ([1, 3], 4)),
    "tensordot": (lambda x, a: tf.tensordot(x, tf.transpose(x), a), (X,), ([[1], [0]],)),
    "reduce_mean, in a list": (lambda x, n: tf.reduce_mean(x, [n, 0]), (np.ones((2, 3, 4), np.float32),), (1,)),
    "zeros": (lambda n: tf.zeros([n, 2]), (), (3,)),
    "ones": (lambda n: tf.ones(n), (), ([2, 1],)),
    "sparse reset_shape": (lambda x, n: to_dense(tf.sparse.reset_shape(from_dense(x), n)), (X,), ([4, 5],)),
    "sparse transpose": (lambda x, n: to_dense(tf.sparse.transpose(from_dense(x), n)), (X,), ([1, 0],)),
    "sparse segments": (lambda x, i, j, n: tf.sparse.segment_sum(x, i, j, n), (X,), ([0, 1], [0, 2], 4)),
    "sparse means": (lambda x, i, j, n: tf.sparse.segment_mean(x, i, j, n), (X,), ([0, 1], [0, 0], 2)),
    "crop_and_resize": (lambda x, n: tf.image.crop_and_resize(x, [[0.0, 0.0, 0.5, 1.0]], [0], n), (IMAGE,), ([2, 3],)),
    "resize_with_pad": (tf.image.resize_with_pad, (IMAGE,), (3, 2)),
    "stateless_categorical": (lambda x, n, s: tf.random.stateless_categorical(x, n, s), (X,), (4, [1, 2])),
    "batch_to_space": (
        lambda x, n: tf.batch_to_space(tf.tile(x, [4, 1, 1, 1]), [2, 2], n),
        (IMAGE,),
        ([[0, 1], [1, 0]],),
    ),
}


def shown(value: Any) -> Any:
    return [np.asarray(part.numpy()).tolist() for part in tf.nest.flatten(value)]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("sizes", ["known", "unknown"])
def test_a_tensor_in_place_of_an_attribute(name: str, sizes: str) -> None:
    function, data, integers = CALLS[name]
    tensors = [tf.constant(array) for array in data]
    expected = shown(function(*tensors, *integers))
    given = [tf.constant(value) for value in integers]

    def shape(tensor: Any) -> Any:
        return tensor.shape if sizes == "known" else [None] * tensor.shape.rank

    signature = [tf.TensorSpec(shape(t), t.dtype) for t in tensors]
    signature += [tf.TensorSpec(t.shape, t.dtype) for t in given]
    traced = tf.function(function, input_signature=signature)
    result = traced(*tensors, *given)
    assert shown(result) == expected
    # What tracing said of the shapes holds.
    for part, spec in zip(
        tf.nest.flatten(result), tf.nest.flatten(traced.get_concrete_function().structured_outputs), strict=True
    ):
        assert spec.shape.is_compatible_with(part.shape), (spec, part.shape)


def shape_in(function: Any, *specs: Any) -> Any:
    """The shape that a function sees of its result while it is traced."""
    return tf.function(function).get_concrete_function(*specs).structured_outputs.shape


def test_shapes_that_hold_whatever_a_tensor_in_a_list_is() -> None:
    x, i = tf.TensorSpec([2, 3, 4]), tf.TensorSpec([], tf.int32)
    assert shape_in(lambda x, i: tf.roll(x, [i], [i]), x, i) == [2, 3, 4]
    assert shape_in(lambda x, i: tf.reduce_mean(x, [i]), x, i).rank == 2
    assert shape_in(lambda x, i: tf.reduce_all(x > 0.0, [i], keepdims=True), x, i).rank == 3
    assert shape_in(tf.argmax, x, i).rank == 2
    assert shape_in(tf.image.rot90, x, i).as_list() == [None, None, 4]
    images, size, borders = tf.TensorSpec([2, 4, 4, 3]), tf.TensorSpec([2], tf.int32), tf.TensorSpec([2, 2], tf.int32)
    boxes, numbers = tf.TensorSpec([5, 4]), tf.TensorSpec([5], tf.int32)
    assert shape_in(lambda x, n: tf.broadcast_to(x[:, :1], n), tf.TensorSpec([2, 3]), size).as_list() == [2, None]
    assert shape_in(lambda x, n: tf.space_to_batch(x, [2, 2], n), images, borders).as_list() == [8, None, None, 3]
    assert shape_in(lambda x: tf.space_to_batch(x, [2, 2], [[0, 0], [1, 1]]), images).as_list() == [8, 2, 3, 3]
    assert shape_in(lambda x, n: tf.batch_to_space(x, [1, 2], n), images, borders).as_list() == [1, None, None, 3]
    assert shape_in(tf.image.crop_and_resize, images, boxes, numbers, size).as_list() == [5, None, None, 3]
    assert shape_in(lambda x, n: tf.image.resize_with_pad(x, n, 8), images, i).as_list() == [2, None, 8, 3]
    assert shape_in(lambda x, n: tf.random.stateless_categorical(x, n, [1, 2]), tf.TensorSpec([2, 3]), i).as_list() == [
        2,
        None,
    ]
    assert shape_in(tf.sparse.segment_sum, tf.TensorSpec([4, 3]), numbers, numbers, i).as_list() == [None, 3]
