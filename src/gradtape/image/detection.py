"""Boxes of `tf.image`: the best of many that overlap, and their outlines."""

from __future__ import annotations

from typing import Any

from ..api.arrays import shape
from ..api.layout import pad
from ..base import dtypes
from ..base.traceable import trace_public
from ..base.types import IntLike, TensorLike, Value
from ..op.attributes import as_float, as_int
from ..ops.image import detection as o
from ..values.tensor import Tensor, from_array, to_tensor


def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The numbers of the best boxes by their scores, without those that overlap a better one too much.

    >>> import gradtape as tf
    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.0], [0.0, 2.0, 1.0, 3.0]]
    >>> tf.image.non_max_suppression(boxes, [0.9, 0.8, 0.7], 3).numpy()
    array([0, 2], dtype=int32)
    """
    limits = (as_float(iou_threshold), as_float(score_threshold))
    return o.non_max_suppression.public(boxes, scores, as_int(max_output_size), *limits)


def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    soft_nms_sigma: TensorLike = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The best boxes and their scores; with a sigma, overlap lowers a score instead of ruling the box out."""
    limits = (as_float(iou_threshold), as_float(score_threshold), as_float(soft_nms_sigma))
    chosen, values = o.non_max_suppression_with_scores.public(boxes, scores, as_int(max_output_size), *limits)
    return chosen, values


def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The best boxes by their scores, with the overlap of each pair given as a matrix."""
    limits = (as_float(overlap_threshold), as_float(score_threshold))
    return o.non_max_suppression_overlaps.public(overlaps, scores, as_int(max_output_size), *limits)


def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """`non_max_suppression`, optionally padded with zeros to `max_output_size`, and the number of chosen boxes."""
    chosen = non_max_suppression(boxes, scores, max_output_size, iou_threshold, score_threshold)
    count = shape(chosen)[0]
    if pad_to_max_output_size:
        chosen = pad(chosen, [[0, as_int(max_output_size) - as_int(count)]])
    return chosen, count


def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: TensorLike,
    max_total_size: IntLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """For each image the best boxes of all classes: boxes, scores, classes, and how many are valid."""
    sizes = (as_int(max_output_size_per_class), as_int(max_total_size))
    limits = (as_float(iou_threshold), as_float(score_threshold))
    chosen, values, classes, valid = o.combined_non_max_suppression.public(
        boxes, scores, *sizes, *limits, pad_per_class, clip_boxes
    )
    return chosen, values, classes, valid


def draw_bounding_boxes(images: TensorLike, boxes: TensorLike, colors: TensorLike, name: str | None = None) -> Tensor:
    """The images with the outlines of boxes, whose corners are fractions of height and width."""
    x = to_tensor(images)
    given = from_array(o.COLOURS.astype(x.dtype.numpy)) if colors is None else _floats(colors)
    corners = _floats(boxes)
    return o.draw_bounding_boxes.public(x, _as(corners, x), _as(given, x))


def _floats(value: TensorLike) -> Any:
    return to_tensor(value, None if hasattr(value, "dtype") else dtypes.float32)


def _as(value: Tensor, x: Value) -> Any:
    from_float = value.dtype is dtypes.float32 and x.dtype is dtypes.float16
    return from_array(value._array.astype(x.dtype.numpy)) if from_float else value


trace_public(globals())
