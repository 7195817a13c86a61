"""Boxes in images: choosing among overlapping ones, and drawing them. No derivatives: boxes are taken or left.

A box is (y1, x1, y2, x2), its corners in either order.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, Array
from ...base.errors import invalid, unfit
from ...base.sizes import UNKNOWN, smaller
from ...base.types import Draw, Namespace
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.shapes import fixed, like

_NO_DERIVATIVE = "boxes are taken or left"


def _overlaps(boxes: Array, box: Array) -> Array:
    """Of each box, the area in common with one box divided by the area that both cover."""
    low, high = np.minimum(boxes[..., :2], boxes[..., 2:]), np.maximum(boxes[..., :2], boxes[..., 2:])
    corner, far = np.minimum(box[:2], box[2:]), np.maximum(box[:2], box[2:])
    areas, area = (high - low).prod(axis=-1), (far - corner).prod()
    common = np.maximum(np.minimum(high, far) - np.maximum(low, corner), 0).prod(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = common / (areas + area - common)
    return np.where((areas <= 0) | (area <= 0), 0, found)


def _check_thresholds(name: str, boxes: Array, scores: Array, max_output_size: int, iou_threshold: float) -> None:
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise unfit(f"{name}: boxes (n, 4) and scores (n,) are needed, got shapes {boxes.shape} and {scores.shape}.")
    if max_output_size < 0:
        raise invalid(f"{name}: the output size must be non-negative, got {max_output_size}.")
    if not 0 <= iou_threshold <= 1:
        raise invalid(f"{name}: iou_threshold must be in [0, 1], got {iou_threshold}.")


def _greedy(
    similar: Callable[[int, list[int]], Array],
    scores: Array,
    count: int,
    threshold: float,
    lowest: float,
    sigma: float = 0.0,
) -> tuple[list[int], list[float]]:
    """Take the best box left, again and again; leave those too similar to one taken, or (with sigma) lower their score."""
    queue = [(-score, place, 0) for place, score in enumerate(scores.tolist()) if score > lowest]
    heapq.heapify(queue)
    chosen: list[int] = []
    values: list[float] = []
    while queue and len(chosen) < count:
        score, place, begin = heapq.heappop(queue)
        original = value = -score
        alike = similar(place, chosen[begin:]).tolist() if begin < len(chosen) else []
        suppressed = False
        for similarity in reversed(alike):
            if sigma <= 0:
                suppressed = similarity > threshold
            else:
                value *= math.exp(-0.5 * similarity * similarity / sigma)
            if suppressed or value <= lowest:
                break
        if suppressed:
            continue
        if value == original:
            chosen.append(place)
            values.append(value)
        elif value > lowest:
            heapq.heappush(queue, (-value, place, len(chosen)))
    return chosen, values


def _among(boxes: Array) -> Callable[[int, list[int]], Array]:
    return lambda place, chosen: _overlaps(boxes[chosen], boxes[place])


@op(dtypes=FLOATING, retypes=True, tf_name="NonMaxSuppressionV3", shape=fixed(UNKNOWN), gives=np.int32)
def non_max_suppression(
    xp: Namespace,
    boxes: Array,
    scores: Array,
    *,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = -np.inf,
) -> Any:
    """The numbers of the best boxes by their scores, without those that overlap a better one too much."""
    _check_thresholds("non_max_suppression", boxes, scores, max_output_size, iou_threshold)
    wide, values = boxes.astype(np.float32), scores.astype(np.float32)
    return np.array(_greedy(_among(wide), values, max_output_size, iou_threshold, score_threshold)[0], np.int32)


@op(
    dtypes=FLOATING,
    outputs=2,
    tf_name="NonMaxSuppressionV5",
    shape=fixed(UNKNOWN),
    gives=lambda boxes, scores, **_: [np.int32, scores.dtype],
)
def non_max_suppression_with_scores(
    xp: Namespace,
    boxes: Array,
    scores: Array,
    *,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = -np.inf,
    soft_nms_sigma: float = 0.0,
) -> Any:
    """The best boxes and their scores, which overlapping a better box lowers (with a sigma) instead of ruling out."""
    _check_thresholds("non_max_suppression_with_scores", boxes, scores, max_output_size, iou_threshold)
    if soft_nms_sigma < 0:
        raise invalid(f"non_max_suppression_with_scores: soft_nms_sigma cannot be negative, got {soft_nms_sigma}.")
    wide, values = boxes.astype(np.float32), scores.astype(np.float32)
    chosen, kept = _greedy(_among(wide), values, max_output_size, iou_threshold, score_threshold, soft_nms_sigma)
    return np.array(chosen, np.int32), np.array(kept, scores.dtype)


@op(dtypes=FLOATING, retypes=True, tf_name="NonMaxSuppressionWithOverlaps", shape=fixed(UNKNOWN), gives=np.int32)
def non_max_suppression_overlaps(
    xp: Namespace,
    overlaps: Array,
    scores: Array,
    *,
    max_output_size: int,
    overlap_threshold: float = 0.5,
    score_threshold: float = -np.inf,
) -> Any:
    """The best boxes by their scores, without those whose overlap with a better one is above the threshold."""
    if overlaps.ndim != 2 or overlaps.shape[0] != overlaps.shape[1] or scores.shape != overlaps.shape[:1]:
        raise invalid(
            "non_max_suppression_overlaps: overlaps (n, n) and scores (n,) are needed, "
            f"got shapes {overlaps.shape} and {scores.shape}."
        )
    if max_output_size < 0:
        raise invalid(f"non_max_suppression_overlaps: the output size must be non-negative, got {max_output_size}.")
    values = scores.astype(np.float32)
    chosen, _ = _greedy(
        lambda place, others: overlaps[place, others], values, max_output_size, overlap_threshold, score_threshold
    )
    return np.array(chosen, np.int32)


@op(
    dtypes=FLOATING,
    outputs=4,
    tf_name="CombinedNonMaxSuppression",
    gives=lambda boxes, scores, **_: [boxes.dtype, scores.dtype, scores.dtype, np.int32],
)
def combined_non_max_suppression(
    xp: Namespace,
    boxes: Array,
    scores: Array,
    *,
    max_output_size_per_class: int,
    max_total_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = -np.inf,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> Any:
    """For each image the best boxes of all classes: boxes, scores, classes, and how many there are."""
    if boxes.ndim != 4 or boxes.shape[-1] != 4 or scores.ndim != 3 or boxes.shape[:2] != scores.shape[:2]:
        raise unfit(
            "combined_non_max_suppression: boxes (batch, n, classes or 1, 4) and scores (batch, n, classes) are "
            f"needed, got shapes {boxes.shape} and {scores.shape}."
        )
    classes = scores.shape[-1]
    if boxes.shape[2] not in (1, classes):
        raise invalid(
            f"combined_non_max_suppression: boxes for 1 or {classes} classes are needed, got {boxes.shape[2]}."
        )
    if max_output_size_per_class <= 0 or max_total_size <= 0 or not 0 <= iou_threshold <= 1:
        raise invalid("combined_non_max_suppression: sizes must be positive, and iou_threshold in [0, 1].")
    total = min(max_total_size, max_output_size_per_class * classes) if pad_per_class else max_total_size
    batch = len(boxes)
    found = np.zeros((batch, total, 4), boxes.dtype)
    values, kinds = np.zeros((batch, total), scores.dtype), np.zeros((batch, total), scores.dtype)
    counts = np.zeros(batch, np.int32)
    for entry in range(batch):
        taken: list[tuple[float, int, int]] = []
        for kind in range(classes):
            own = boxes[entry, :, kind if boxes.shape[2] > 1 else 0].astype(np.float32)
            of_kind = scores[entry, :, kind].astype(np.float32)
            chosen, kept = _greedy(_among(own), of_kind, max_output_size_per_class, iou_threshold, score_threshold)
            taken += [(-score, kind, place) for place, score in zip(chosen, kept, strict=True)]
        taken.sort(key=lambda item: item[0])
        counts[entry] = len(taken[:total])
        for slot, (score, kind, place) in enumerate(taken[:total]):
            box = boxes[entry, place, kind if boxes.shape[2] > 1 else 0]
            found[entry, slot] = np.clip(box, 0, 1) if clip_boxes else box
            values[entry, slot], kinds[entry, slot] = -score, kind
    return found, values, kinds, counts


@combined_non_max_suppression.shapes
def _(
    boxes: Abstract,
    scores: Abstract,
    *,
    max_output_size_per_class: Any,
    max_total_size: Any,
    pad_per_class: Any,
    **_: object,
) -> list[Shape]:
    batch, _boxes, classes = scores.of_rank(3)
    total = smaller(max_total_size, max_output_size_per_class * classes) if pad_per_class else max_total_size
    return [(batch, total, 4), (batch, total), (batch, total), (batch,)]


# --- drawing ------------------------------------------------------------------------------------------------

# Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia: the colours when none are given.
COLOURS = np.array([
    (1, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (0.5, 0, 0.5, 1), (0.5, 0.5, 0, 1), (0.5, 0, 0, 1), (0, 0, 0.5, 1), (0, 1, 1, 1),
    (1, 0, 1, 1),
])  # fmt: skip


@op(dtypes=FLOATING, tf_name="DrawBoundingBoxesV2", shape=like(0))
def draw_bounding_boxes(xp: Namespace, images: Array, boxes: Array, colors: Array) -> Any:
    """The images with the outlines of boxes, whose corners are fractions of height and width."""
    if images.ndim != 4 or images.shape[-1] not in (1, 3, 4):
        raise invalid(f"draw_bounding_boxes: images (batch, height, width, 1, 3 or 4) are needed, got {images.shape}.")
    if boxes.ndim != 3 or boxes.shape[-1] != 4 or len(boxes) != len(images):
        raise invalid(f"draw_bounding_boxes: boxes ({len(images)}, n, 4) are needed, got {boxes.shape}.")
    if colors.ndim != 2 or not len(colors) or colors.shape[1] < images.shape[-1]:
        raise invalid(
            f"draw_bounding_boxes: colours (n, at least {images.shape[-1]}) are needed, got shape {colors.shape}."
        )
    result = images.copy()
    height, width, depth = images.shape[1:]
    scale = np.array([height - 1, width - 1, height - 1, width - 1], np.float32)
    for entry in range(len(images)):
        for number, box in enumerate(boxes[entry]):
            top, left, bottom, right = (int(v) for v in box.astype(np.float32) * scale)
            if top > bottom or left > right or top >= height or left >= width or bottom < 0 or right < 0:
                continue
            colour = colors[number % len(colors), :depth].astype(images.dtype)
            rows = slice(max(top, 0), min(bottom, height - 1) + 1)
            columns = slice(max(left, 0), min(right, width - 1) + 1)
            for row in (top, bottom):
                if 0 <= row < height:
                    result[entry, row, columns] = colour
            for column in (left, right):
                if 0 <= column < width:
                    result[entry, rows, column] = colour
    return result


for _op in (
    non_max_suppression, non_max_suppression_with_scores, non_max_suppression_overlaps, combined_non_max_suppression, draw_bounding_boxes,
):  # fmt: skip
    _op.not_differentiable(_NO_DERIVATIVE)
    _op.host_only("which boxes are left, or drawn over, is decided one after the other")


def _some_boxes(draw: Draw, count: int) -> Any:
    corners = draw((count, 4), 0.0, 1.0)
    return np.sort(corners.reshape(count, 2, 2), axis=1).reshape(count, 4)


# Inputs given to TensorFlow, and its results.
_BOXES = np.array([
    [0.5488135, 0.5448832, 0.60276335, 0.71518934], [0.4236548, 0.6458941, 0.4375872, 0.891773], [0.79172504, 0.3834415, 0.96366274, 0.5288949],
    [0.07103606, 0.0871293, 0.56804454, 0.92559665], [0.0202184, 0.83261985, 0.77815676, 0.87001216], [0.46147937, 0.7805292, 0.9786183, 0.7991586],
])  # fmt: skip
_SCORES = np.array([0.11827443, 0.639921, 0.14335328, 0.9446689, 0.5218483, 0.41466194])


@non_max_suppression.samples
def _(draw: Draw) -> Iterator[Sample]:
    settings = {"max_output_size": 4, "iou_threshold": 0.1}
    yield Sample((_BOXES, _SCORES), settings, np.array([3, 1, 4, 5]))
    yield Sample(
        (_BOXES, _SCORES), {"max_output_size": 10, "iou_threshold": 0.0, "score_threshold": 0.6}, np.array([3])
    )
    yield Sample((_some_boxes(draw, 9), draw((9,), 0.0, 1.0)), {"max_output_size": 5, "iou_threshold": 0.3})
    yield Sample((draw((0, 4)), draw((0,))), {"max_output_size": 3})


@non_max_suppression_with_scores.samples
def _(draw: Draw) -> Iterator[Sample]:
    soft = {"max_output_size": 6, "iou_threshold": 0.5, "score_threshold": 0.1, "soft_nms_sigma": 0.3}
    yield Sample((_BOXES, _SCORES), soft, np.array([3, 1, 4, 5, 2, 0]))
    yield Sample((_some_boxes(draw, 9), draw((9,), 0.0, 1.0)), {"max_output_size": 5, "iou_threshold": 0.3})


@non_max_suppression_overlaps.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((draw((4, 4), 0.0, 1.0), draw((4,), 0.0, 1.0)), {"max_output_size": 3, "overlap_threshold": 0.4})
    yield Sample((draw((5, 5), 0.0, 1.0), draw((5,), 0.0, 1.0)), {"max_output_size": 9, "score_threshold": 0.5})


@combined_non_max_suppression.samples
def _(draw: Draw) -> Iterator[Sample]:
    sizes = {"max_output_size_per_class": 2, "max_total_size": 3, "iou_threshold": 0.1, "score_threshold": 0.2}
    yield Sample((_BOXES[None, :, None], draw((1, 6, 2), 0.0, 1.0)), sizes)
    yield Sample((draw((2, 4, 3, 4), 0.0, 1.2), draw((2, 4, 3), 0.0, 1.0)), {**sizes, "pad_per_class": True})
    yield Sample((draw((1, 4, 1, 4), 0.0, 1.2), draw((1, 4, 2), 0.0, 1.0)), {**sizes, "clip_boxes": False})


@draw_bounding_boxes.samples
def _(draw: Draw) -> Iterator[Sample]:
    boxes = np.array([[[0.1, 0.2, 0.8, 0.9], [-0.5, 0.5, 0.5, 1.5], [0.9, 0.1, 0.2, 0.3], [2.0, 2.0, 3.0, 3.0]]])
    rows = ["014110", "014010", "014444", "011110", "000000"]  # as TensorFlow draws it
    outline = np.array([[float(c) for c in row] for row in rows]).reshape(1, 5, 6, 1)
    yield Sample((np.zeros((1, 5, 6, 1)), boxes, np.array([[1.0], [4.0]])), {}, outline)
    yield Sample((draw((1, 4, 4, 3)), boxes[:, :1], COLOURS))
    yield Sample((draw((2, 3, 3, 4)), np.zeros((2, 0, 4)), COLOURS))


def _reject_boxes(declared: Op, more: dict[str, Any]) -> None:
    @declared.rejects
    def _() -> Iterator[BadInput]:
        boxes, scores = np.ones((3, 4), np.float32), np.ones(3, np.float32)
        for bad in ((boxes, scores[:2]), (boxes[:, :3], scores), (boxes[0], scores), (boxes, boxes)):
            yield BadInput("boxes with scores", bad, {"max_output_size": 2})
        for settings in ({"max_output_size": -1}, {"max_output_size": 2, **more}):
            yield BadInput("sizes and thresholds", (boxes, scores), settings)


_reject_boxes(non_max_suppression, {"iou_threshold": 1.5})
_reject_boxes(non_max_suppression_with_scores, {"soft_nms_sigma": -1.0})


@non_max_suppression_overlaps.rejects
def _() -> Iterator[BadInput]:
    overlaps, scores = np.ones((3, 3), np.float32), np.ones(3, np.float32)
    for bad in ((overlaps, scores[:2]), (overlaps[:, :2], scores), (overlaps[0], scores), (overlaps, overlaps)):
        yield BadInput("overlaps with scores", bad, {"max_output_size": 2})
    yield BadInput("a size", (overlaps, scores), {"max_output_size": -1})


@combined_non_max_suppression.rejects
def _() -> Iterator[BadInput]:
    boxes, scores = np.ones((1, 3, 1, 4), np.float32), np.ones((1, 3, 2), np.float32)
    sizes = {"max_output_size_per_class": 2, "max_total_size": 3}
    for bad in ((boxes[0], scores), (boxes, scores[:, :2]), (boxes[..., :3], scores), (np.ones((1, 3, 3, 4), np.float32), scores)):  # fmt: skip
        yield BadInput("boxes with scores", bad, sizes)
    yield BadInput("sizes", (boxes, scores), {**sizes, "max_total_size": 0})


@draw_bounding_boxes.rejects
def _() -> Iterator[BadInput]:
    images, boxes, colours = (
        np.ones((1, 3, 3, 3), np.float32),
        np.ones((1, 2, 4), np.float32),
        np.ones((1, 3), np.float32),
    )
    for bad in (
        (images[0], boxes, colours), (images[..., :2], boxes, colours), (images, boxes[0], colours), (images, boxes[..., :3], colours),
        (images, boxes, colours[0]), (images, boxes, colours[:, :2]), (images, boxes, colours[:0]),
    ):  # fmt: skip
        yield BadInput("images, boxes and colours that fit", bad)
