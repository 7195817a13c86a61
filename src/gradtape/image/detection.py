"""Boxes of `tf.image`: the best of many that overlap, and their outlines."""

from __future__ import annotations

from typing import Any

from ..api.layout import pad
from ..api.shapes import shape
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
    >>> tf.image.non_max_suppression(boxes, [0.9, 0.8, 0.7], max_output_size=3).numpy()
    array([0, 2], dtype=int32)

    Args:
        boxes: Two opposite corners of each box: (boxes, 4), as y1, x1, y2, x2.
        scores: A number for each box.
        max_output_size: How many boxes come out at most.
        iou_threshold: How much two boxes may overlap: the area they share, divided by that of both together.
        score_threshold: Boxes with a lower score are left out.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The numbers of the chosen boxes, the best first.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or a threshold is not in [0, 1].
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
    """The best boxes and their scores; with a sigma, overlap lowers a score instead of ruling the box out (soft NMS).

    >>> import gradtape as tf
    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 1.0, 1.5]]
    >>> chosen, scores = tf.image.non_max_suppression_with_scores(boxes, [0.9, 0.8], 2, soft_nms_sigma=0.5)
    >>> chosen.numpy(), scores.numpy().round(3)
    (array([0, 1], dtype=int32), array([0.9  , 0.716], dtype=float32))

    Args:
        boxes: Two opposite corners of each box: (boxes, 4), as y1, x1, y2, x2.
        scores: A number for each box.
        max_output_size: How many boxes come out at most.
        iou_threshold: How much two boxes may overlap: the area they share, divided by that of both together.
        score_threshold: Boxes with a lower score are left out.
        soft_nms_sigma: How far overlap is forgiven; 0 rules boxes out.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The numbers of the chosen boxes, the best first, and their scores.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or a threshold is not in [0, 1].
    """
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
    """The best boxes by their scores, with the overlap of each pair given as a matrix.

    >>> import gradtape as tf
    >>> overlaps = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> tf.image.non_max_suppression_overlaps(overlaps, [0.9, 0.8, 0.7], max_output_size=3).numpy()
    array([0, 2], dtype=int32)

    Args:
        overlaps: The overlap of each pair of boxes: (boxes, boxes), in any measure.
        scores: A number for each box.
        max_output_size: How many boxes come out at most.
        overlap_threshold: How much two boxes may overlap.
        score_threshold: Boxes with a lower score are left out.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The numbers of the chosen boxes, the best first.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit.
    """
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
    """`non_max_suppression`, optionally padded with zeros to `max_output_size`, and the number of chosen boxes.

    >>> import gradtape as tf
    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.0], [0.0, 2.0, 1.0, 3.0]]
    >>> chosen, count = tf.image.non_max_suppression_padded(boxes, [0.9, 0.8, 0.7], 3, pad_to_max_output_size=True)
    >>> chosen.numpy(), int(count)
    (array([0, 2, 0], dtype=int32), 2)

    Args:
        boxes: Two opposite corners of each box: (boxes, 4), as y1, x1, y2, x2.
        scores: A number for each box.
        max_output_size: How many boxes come out at most.
        iou_threshold: How much two boxes may overlap: the area they share, divided by that of both together.
        score_threshold: Boxes with a lower score are left out.
        pad_to_max_output_size: Whether the result always has that size.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The numbers of the chosen boxes, the best first, and how many they are.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or a threshold is not in [0, 1].
    """
    chosen = non_max_suppression(boxes, scores, max_output_size, iou_threshold, score_threshold)
    count = shape(chosen)[0]
    if pad_to_max_output_size:
        chosen = pad(chosen, [[0, max_output_size]])[:max_output_size]
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
    """For each image the best boxes of all classes: boxes, scores, classes, and how many are valid.

    >>> import gradtape as tf
    >>> boxes = tf.constant([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.1, 1.0, 1.0]]]])
    >>> scores = tf.constant([[[0.9, 0.1], [0.8, 0.7]]])
    >>> found = tf.image.combined_non_max_suppression(boxes, scores, 1, 3)
    >>> found[1].numpy(), found[2].numpy(), found[3].numpy()
    (array([[0.9, 0.7, 0. ]], dtype=float32), array([[0., 1., 0.]], dtype=float32), array([2], dtype=int32))

    Args:
        boxes: Corners (batch, boxes, classes, 4) as y1, x1, y2, x2; one class for boxes that all share.
        scores: A number for each box and class: (batch, boxes, classes).
        max_output_size_per_class: How many boxes of a class are chosen at most.
        max_total_size: How many boxes of an image come out at most.
        iou_threshold: How much two boxes of a class may overlap: the area they share, divided by that of both together.
        score_threshold: Boxes with a lower score are left out.
        pad_per_class: Whether the result is no larger than boxes of all classes together can be.
        clip_boxes: Whether corners are brought to the range from 0 to 1.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Boxes (batch, number, 4), scores and classes (batch, number), padded with zeros, and how many of them are valid.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, or a threshold is not in [0, 1].
    """
    sizes = (as_int(max_output_size_per_class), as_int(max_total_size))
    limits = (as_float(iou_threshold), as_float(score_threshold))
    chosen, values, classes, valid = o.combined_non_max_suppression.public(
        boxes, scores, *sizes, *limits, pad_per_class, clip_boxes
    )
    return chosen, values, classes, valid


def draw_bounding_boxes(images: TensorLike, boxes: TensorLike, colors: TensorLike, name: str | None = None) -> Tensor:
    """The images with the outlines of boxes, whose corners are fractions of height and width.

    >>> import gradtape as tf
    >>> image = tf.zeros([1, 4, 4, 1])
    >>> tf.image.draw_bounding_boxes(image, [[[0.0, 0.0, 1.0, 1.0]]], [[1.0]]).numpy()[0, :, :, 0]
    array([[1., 1., 1., 1.],
           [1., 0., 0., 1.],
           [1., 0., 0., 1.],
           [1., 1., 1., 1.]], dtype=float32)

    Args:
        images: A batch of images (batch, height, width, channels).
        boxes: Corners (batch, boxes, 4) as y1, x1, y2, x2, from 0 to 1.
        colors: Colours (number, channels), taken in turn; None for ten of ours.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Images of the same shape and type.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit.
    """
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
