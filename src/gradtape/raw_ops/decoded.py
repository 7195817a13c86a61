"""Kernels whose results are parts: of sequences that CTC decodes, of texts, of boxes."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import math, nn, strings
from ..api import arrays, layout
from ..base import dtypes
from ..base.types import DTypeLike, TensorLike
from ..image import detection
from ..op.attributes import as_float, as_int
from ..ragged.functions import boolean_mask
from ..ragged.tensor import RaggedTensor
from ..sparse.tensor import SparseTensor
from ..values.tensor import to_tensor


class _Decoded(NamedTuple):
    decoded_indices: Any
    decoded_values: Any
    decoded_shape: Any
    log_probability: Any


def CTCGreedyDecoder(
    inputs: TensorLike,
    sequence_length: Any,
    merge_repeated: bool = False,
    blank_index: int = -1,
    name: str | None = None,
) -> _Decoded:
    """The most likely class of each step, without blanks."""
    (path,), scores = nn.ctc_greedy_decoder(inputs, sequence_length, merge_repeated, blank_index)
    return _Decoded(path.indices, path.values, path.dense_shape, scores)


def CTCBeamSearchDecoder(
    inputs: TensorLike,
    sequence_length: Any,
    beam_width: int,
    top_paths: int,
    merge_repeated: bool = True,
    name: str | None = None,
) -> _Decoded:
    """The most likely labellings; without repeated classes in a row if `merge_repeated`."""
    paths, scores = nn.ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths)
    if merge_repeated:
        paths = list(map(_without_repeated, paths))
    places, labels, sizes = zip(*((path.indices, path.values, path.dense_shape) for path in paths), strict=True)
    return _Decoded(list(places), list(labels), list(sizes), scores)


def _without_repeated(path: Any) -> Any:
    """A labelling of each sequence with one class where several in a row are equal."""
    labels, places = path.values, path.indices
    repeated = math.equal(labels, layout.roll(labels, 1, 0)) & math.not_equal(places[:, 1], 0)
    rows = RaggedTensor.from_value_rowids(labels, places[:, 0], path.dense_shape[0])
    return boolean_mask(rows, rows.with_values(math.logical_not(repeated))).to_sparse()


class _Characters(NamedTuple):
    row_splits: Any
    char_values: Any
    char_to_byte_starts: Any


def UnicodeDecodeWithOffsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    Tsplits: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> _Characters:
    """The code points of texts, where each text begins, and the byte at which each point begins."""
    points, starts = strings.unicode_decode_with_offsets(
        arrays.reshape(to_tensor(input), (-1,)), input_encoding, errors, replacement_char, replace_control_characters
    )
    splits = math.cast(points.row_splits, dtypes.as_dtype(Tsplits))
    return _Characters(splits, points.flat_values, starts.flat_values)


class _Words(NamedTuple):
    indices: Any
    values: Any
    shape: Any


def StringSplit(input: TensorLike, delimiter: TensorLike, skip_empty: bool = True, name: str | None = None) -> _Words:
    """The parts between any of the characters of the delimiter, as the parts of a sparse tensor."""
    letters = bytes(to_tensor(delimiter).numpy())
    split: Any = to_tensor(input)
    if letters:
        for letter in {bytes([one]) for one in letters}:
            split = strings.regex_replace(split, b"[" + b"\\" + letter + b"]", letters[:1])
        rows = strings.split(split, letters[:1])
    else:
        rows = strings.bytes_split(split)
    found: Any = rows
    if skip_empty:
        found = boolean_mask(rows, strings.length(rows) > 0)
    sparse: SparseTensor = found.to_sparse()
    return _Words(sparse.indices, sparse.values, sparse.dense_shape)


class _Chosen(NamedTuple):
    selected_indices: Any
    selected_scores: Any
    valid_outputs: Any


def NonMaxSuppressionV5(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike,
    score_threshold: TensorLike,
    soft_nms_sigma: TensorLike,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> _Chosen:
    """The best boxes, their scores, and how many there are."""
    size = as_int(max_output_size)
    chosen, kept = detection.non_max_suppression_with_scores(
        boxes,
        scores,
        size,
        as_float(iou_threshold),
        as_float(score_threshold),
        as_float(soft_nms_sigma),
    )
    count = int(chosen.shape[0])
    if pad_to_max_output_size:
        around = [[0, size - count]]
        chosen, kept = layout.pad(chosen, around), layout.pad(kept, around)
    return _Chosen(chosen, kept, arrays.constant(count, dtypes.int32))
