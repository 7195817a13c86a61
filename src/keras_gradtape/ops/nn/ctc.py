"""Connectionist temporal classification: the loss, and the labels that outputs stand for."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradtape as tf
from gradtape import cast

from ..core import convert_to_tensor
from ..promotion import result_type, to_type


def ctc_loss(target: Any, output: Any, target_length: Any, output_length: Any, mask_index: int = 0) -> Any:
    """-log of the probability of each label sequence under outputs (batch, steps, classes)."""
    output = convert_to_tensor(output)
    output = to_type(output, result_type(output.dtype, "float32"))
    return tf.nn.ctc_loss(
        cast(convert_to_tensor(target), tf.int32),
        output,
        convert_to_tensor(target_length),
        convert_to_tensor(output_length),
        logits_time_major=False,
        blank_index=mask_index,
    )


def ctc_decode(
    inputs: Any,
    sequence_lengths: Any,
    strategy: str = "greedy",
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
    mask_index: Any = 0,
) -> Any:
    """The most likely label sequences, padded with -1: (paths, batch, steps), and their scores (batch, paths).

    "greedy" takes the best class of each step, "beam_search" follows the `beam_width` best beginnings. Labels
    have no derivative, so this runs on values.
    """
    x = convert_to_tensor(inputs)
    kind = result_type(x.dtype, "float32")
    scores = np.asarray(to_type(x, kind))
    lengths = np.asarray(convert_to_tensor(sequence_lengths))
    blank = scores.shape[-1] - 1 if mask_index is None else int(mask_index) % scores.shape[-1]
    if strategy == "greedy":
        found = [_best_steps(row[:length], blank, merge_repeated) for row, length in zip(scores, lengths, strict=True)]
    elif strategy == "beam_search":
        found = [_best_beams(row[:n], blank, beam_width, top_paths) for row, n in zip(scores, lengths, strict=True)]
    else:
        raise ValueError(f"Invalid strategy {strategy}. Supported values are 'greedy' and 'beam_search'.")
    paths = max(len(row) for row in found)
    decoded = np.full((paths, *scores.shape[:2]), -1, np.int32)
    values = np.full((len(scores), paths), -np.inf, scores.dtype)
    for row, candidates in enumerate(found):
        for path, (labels, score) in enumerate(candidates):
            decoded[path, row, : len(labels)] = labels
            values[row, path] = score
    return convert_to_tensor(decoded), convert_to_tensor(values)


def _best_steps(scores: Any, blank: int, merge_repeated: bool) -> list[tuple[list[int], Any]]:
    best = scores.argmax(-1)
    kept = best != blank
    if merge_repeated:
        kept[1:] &= best[1:] != best[:-1]
    return [(best[kept].tolist(), -scores.max(-1).sum() if len(scores) else 0.0)]


def _best_beams(scores: Any, blank: int, width: int, paths: int) -> list[tuple[list[int], Any]]:
    """Prefixes of labels with log probabilities of all alignments that end in a blank or in the last label."""
    shifted = scores - scores.max(-1, keepdims=True)
    steps = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    beams: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, -np.inf)}
    for step in steps:
        grown: dict[tuple[int, ...], list[float]] = {}

        def reach(prefix: tuple[int, ...], ends_in_label: bool, score: float, grown: Any = grown) -> None:
            kept = grown.setdefault(prefix, [-np.inf, -np.inf])
            kept[ends_in_label] = np.logaddexp(kept[ends_in_label], score)

        for prefix, (in_blank, in_label) in beams.items():
            either = np.logaddexp(in_blank, in_label)
            reach(prefix, False, either + step[blank])
            for label, score in enumerate(step):
                if label == blank:
                    continue
                if prefix and label == prefix[-1]:
                    reach(prefix, True, in_label + score)
                    reach((*prefix, label), True, in_blank + score)
                else:
                    reach((*prefix, label), True, either + score)
        ranked = sorted(grown.items(), key=lambda item: -np.logaddexp(item[1][0], item[1][1]))[:width]
        beams = {prefix: (ends[0], ends[1]) for prefix, ends in ranked}
    totals = [(list(prefix), np.logaddexp(*ends)) for prefix, ends in beams.items()]
    return sorted(totals, key=lambda item: -item[1])[:paths]
