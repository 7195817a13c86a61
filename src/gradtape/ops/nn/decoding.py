"""Labels read off the scores of a sequence: the best path, the best labellings by beam search, repeats taken out.

No derivatives: labels are integers. Scores are (time, batch, classes); one class is the blank, which separates labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, INDEX, INTEGER, Array
from ...base.errors import FailedPreconditionError, invalid, unfit
from ...base.sizes import UNKNOWN, matched
from ...base.types import Draw, Namespace
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op

_NO_DERIVATIVE = "labels are integers"
_INT32 = frozenset({np.dtype(np.int32)})


def _check_scores(name: str, inputs: Array, sequence_length: Array) -> None:
    if inputs.ndim != 3 or not inputs.shape[2]:
        raise unfit(f"{name}: scores (time, batch, classes) are needed, got shape {inputs.shape}.")
    if sequence_length.shape != inputs.shape[1:2]:
        message = f"{name}: one length for each of {inputs.shape[1]} sequences, got shape {sequence_length.shape}."
        raise FailedPreconditionError(None, None, message)
    if sequence_length.size and (sequence_length.max() > len(inputs) or sequence_length.min() < 0):
        message = f"{name}: lengths must be from 0 to {len(inputs)}, got {sequence_length.tolist()}."
        raise FailedPreconditionError(None, None, message)


def _table(rows: list[list[int]]) -> tuple[Array, Array, Array]:
    """Rows of labels as a sparse table: places, labels, shape."""
    places = [(row, k) for row, labels in enumerate(rows) for k in range(len(labels))]
    values = np.array([label for labels in rows for label in labels], np.int64)
    shape = np.array([len(rows), max(map(len, rows), default=0)], np.int64)
    return np.array(places, np.int64).reshape(-1, 2), values, shape


@op(
    dtypes=FLOATING,
    other={"sequence_length": _INT32},
    outputs=4,
    tf_name="CTCGreedyDecoder",
    gives=(np.int64, np.int64, np.int64, None),
)
def ctc_greedy_decoder(
    xp: Namespace, inputs: Array, sequence_length: Array, *, merge_repeated: bool = False, blank_index: int = -1
) -> Any:
    """The best class at each time, without blanks and (if merged) repeats: places, labels, shape, and minus the scores."""
    _check_scores("ctc_greedy_decoder", inputs, sequence_length)
    classes = inputs.shape[2]
    if not -classes <= blank_index < classes:
        raise invalid(f"ctc_greedy_decoder: blank_index must be in [{-classes}, {classes}), got {blank_index}.")
    blank = blank_index % classes
    best = inputs.argmax(axis=2)
    rows: list[list[int]] = []
    scores = np.zeros((inputs.shape[1], 1), inputs.dtype)
    for entry, length in enumerate(sequence_length.tolist()):
        path = best[:length, entry].tolist()
        before = [None, *path[:-1]]
        rows.append(
            [c for c, last in zip(path, before, strict=False) if c != blank and not (merge_repeated and c == last)]
        )
        scores[entry] = -inputs[:length, entry].max(axis=1).sum() if length else 0
    return *_table(rows), scores


@ctc_greedy_decoder.shapes
def _(inputs: Abstract, sequence_length: Abstract, **_: object) -> list[Shape]:
    return [(UNKNOWN, 2), (UNKNOWN,), (2,), (inputs.of_rank(3)[1], 1)]


def _best_labellings(logs: Array, width: int) -> list[tuple[tuple[int, ...], float]]:
    """Labellings scored by the sum over all their paths; paths that end in a blank and in the last label are kept apart."""
    blank = logs.shape[1] - 1
    beams: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, -np.inf)}
    for row in logs.tolist():
        grown: dict[tuple[int, ...], list[float]] = {}

        def add(labels: tuple[int, ...], slot: int, score: float, into: Any = grown) -> None:
            entry = into.setdefault(labels, [-np.inf, -np.inf])
            entry[slot] = float(np.logaddexp(entry[slot], score))

        for labels, (ended, open_) in beams.items():
            both = float(np.logaddexp(ended, open_))
            add(labels, 0, both + row[blank])
            if labels:
                add(labels, 1, open_ + row[labels[-1]])
            for label in range(blank):
                add((*labels, label), 1, (ended if labels and labels[-1] == label else both) + row[label])
        ranked = sorted(grown.items(), key=lambda item: -np.logaddexp(item[1][0], item[1][1]))[:width]
        beams = {labels: (entry[0], entry[1]) for labels, entry in ranked}
    return [(labels, float(np.logaddexp(entry[0], entry[1]))) for labels, entry in beams.items()]


@op(
    dtypes=FLOATING,
    other={"sequence_length": _INT32},
    outputs=None,
    tf_name="CTCBeamSearchDecoder",
    gives=lambda *_, top_paths, **__: [*[np.int64] * (3 * top_paths), None],
)
def ctc_beam_search_decoder(
    xp: Namespace, inputs: Array, sequence_length: Array, *, beam_width: int = 100, top_paths: int = 1
) -> Any:
    """The most likely labellings, the last class the blank: places, labels, shapes of each, and their log probabilities."""
    _check_scores("ctc_beam_search_decoder", inputs, sequence_length)
    if not 1 <= top_paths <= beam_width:
        raise invalid(
            f"ctc_beam_search_decoder: top_paths must be from 1 to beam_width, got {top_paths} of {beam_width}."
        )
    wide = inputs.astype(np.float64)
    shifted = wide - wide.max(axis=2, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=2, keepdims=True))
    found = [
        _best_labellings(logs[:length, entry], beam_width)[:top_paths]
        for entry, length in enumerate(sequence_length.tolist())
    ]
    for labellings in found:
        if len(labellings) < top_paths:
            raise invalid(
                f"ctc_beam_search_decoder: only {len(labellings)} labellings are left, {top_paths} were asked for."
            )
    tables = [_table([list(labellings[k][0]) for labellings in found]) for k in range(top_paths)]
    chances = np.array([[score for _, score in labellings] for labellings in found], inputs.dtype)
    parts = [[table[part] for table in tables] for part in range(3)]
    return [*parts[0], *parts[1], *parts[2], chances.reshape(len(found), top_paths)]


@ctc_beam_search_decoder.shapes
def _(inputs: Abstract, sequence_length: Abstract, *, top_paths: Any, **_: object) -> list[Shape]:
    each = range(top_paths)
    tables: list[Shape] = [*((UNKNOWN, 2) for _ in each), *((UNKNOWN,) for _ in each), *((2,) for _ in each)]
    return [*tables, (inputs.of_rank(3)[1], top_paths)]


@op(dtypes=INTEGER, other={"seq_length": INDEX}, outputs=2, gives=lambda labels, seq_length: [None, seq_length.dtype])
def collapse_repeated(xp: Namespace, labels: Array, seq_length: Array) -> Any:
    """Each row without labels that repeat the one before, padded with 0, and how many are left."""
    if labels.ndim != 2 or seq_length.shape != labels.shape[:1]:
        raise invalid(f"collapse_repeated: got labels {labels.shape} and seq_length {seq_length.shape}.")
    keep = np.ones(labels.shape, bool)
    keep[:, 1:] = labels[:, 1:] != labels[:, :-1]
    keep &= np.arange(labels.shape[1]) < seq_length[:, None]
    counts = keep.sum(axis=1)
    result = np.zeros((len(labels), int(counts.max(initial=0))), labels.dtype)
    result[np.arange(result.shape[1]) < counts[:, None]] = labels[keep]
    return result, counts.astype(seq_length.dtype)


@collapse_repeated.shapes
def _(labels: Abstract, seq_length: Abstract) -> list[Shape]:
    rows = matched(labels.of_rank(2)[0], seq_length.of_rank(1)[0], "rows of labels and lengths,")
    return [(rows, UNKNOWN), (rows,)]


for _op in (ctc_greedy_decoder, ctc_beam_search_decoder, collapse_repeated):
    _op.not_differentiable(_NO_DERIVATIVE)
    _op.host_only("how long the results are depends on the values")


@ctc_greedy_decoder.samples
def _(draw: Draw) -> Iterator[Sample]:
    lengths = np.array([5, 3], np.int32)
    yield Sample((draw((5, 2, 4)), lengths), {"merge_repeated": True})
    yield Sample((draw((5, 2, 4)), lengths), {"blank_index": 0})
    yield Sample((draw((3, 1, 2)), np.zeros(1, np.int32)))


@ctc_beam_search_decoder.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((draw((5, 2, 4)), np.array([5, 3], np.int32)), {"top_paths": 3})
    yield Sample((draw((4, 1, 3)), np.array([4], np.int32)), {"beam_width": 3})


@collapse_repeated.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((np.array([[1, 1, 2, 2], [3, 3, 3, 1]], np.int64), np.array([4, 2], np.int64)))
    yield Sample((np.array([[5, 5]], np.int64), np.zeros(1, np.int64)))


@collapse_repeated.value
def _(labels: Array, seq_length: Array) -> Any:
    rows = [
        [c for k, c in enumerate(row[:n]) if not k or row[k - 1] != c]
        for row, n in zip(labels.tolist(), seq_length, strict=True)
    ]
    width = max(map(len, rows), default=0)
    return np.array([row + [0] * (width - len(row)) for row in rows], labels.dtype).reshape(len(rows), width), np.array(
        [len(row) for row in rows], seq_length.dtype
    )


def _reject_scores(declared: Op, bad: dict[str, Any]) -> None:
    scores, lengths = np.ones((3, 2, 4), np.float32), np.array([3, 2], np.int32)

    @declared.rejects
    def _() -> Iterator[BadInput]:
        yield BadInput("scores of sequences", (scores[0], lengths))
        yield BadInput("a length for each", (scores, lengths[:1]), {}, FailedPreconditionError)
        yield BadInput("lengths that there are", (scores, lengths + 5), {}, FailedPreconditionError)
        yield BadInput("settings", (scores, lengths), bad)


_reject_scores(ctc_greedy_decoder, {"blank_index": 4})
_reject_scores(ctc_beam_search_decoder, {"top_paths": 0})


@collapse_repeated.rejects
def _() -> Iterator[BadInput]:
    labels, lengths = np.ones((2, 3), np.int32), np.array([1, 2], np.int32)
    for bad in ((labels[0], lengths), (labels, lengths[:1]), (labels, labels), (labels, lengths.astype(np.float32))):
        yield BadInput("rows of labels with their lengths", bad)
