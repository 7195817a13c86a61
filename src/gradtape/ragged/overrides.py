"""Public functions that take ragged tensors without being ops: what is called instead of them."""

from __future__ import annotations

import functools
from typing import Any

from .. import debugging, math
from ..api import casts, clip, layout, partition
from ..base.dispatch import OVERRIDES, Override
from ..base.traceable import traceable
from ..base.types import AxisLike, IntLike, TensorLike
from ..nn import activations, losses
from ..op.attributes import as_int
from ..trace.composites import by_stand_ins
from . import rows
from .dispatch import by_segment
from .functions import map_flat_values
from .tensor import RaggedTensor


def _split(value: Any, num_or_size_splits: Any, axis: AxisLike = 0, num: int | None = None, name: str = "split") -> Any:
    return rows.split(value, num_or_size_splits, axis, num)


def _dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: IntLike, name: str | None = None
) -> Any:
    return rows.dynamic_partition(data, partitions, num_partitions)


def _segment_mean(data: Any, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None) -> Any:
    return by_segment("unsorted_segment_mean", data, segment_ids, as_int(num_segments))


def _segment_sqrt_n(data: Any, segment_ids: TensorLike, num_segments: IntLike, name: str | None = None) -> Any:
    return by_segment("unsorted_segment_sqrt_n", data, segment_ids, as_int(num_segments))


def _add_n(inputs: list[Any], name: str | None = None) -> Any:
    return functools.reduce(math.add, inputs)


_BY_ELEMENT = (
    activations.dropout,
    activations.gelu,
    activations.leaky_relu,
    activations.silu,
    casts.saturate_cast,
    clip.clip_by_value,
    debugging.check_numerics,
    losses.sigmoid_cross_entropy_with_logits,
    math.angle,
    math.complex,
    math.imag,
    math.real,
)
_TARGETS: dict[Any, Any] = {function: functools.partial(map_flat_values, function) for function in _BY_ELEMENT}
_TARGETS |= {
    layout.split: traceable(_split, on_abstract=by_stand_ins),
    math.add_n: _add_n,
    math.unsorted_segment_mean: traceable(_segment_mean, on_abstract=by_stand_ins),
    math.unsorted_segment_sqrt_n: traceable(_segment_sqrt_n, on_abstract=by_stand_ins),
    partition.dynamic_partition: traceable(_dynamic_partition, on_abstract=by_stand_ins),
}
for _function, _target in _TARGETS.items():
    OVERRIDES.setdefault(_function, []).append(Override(_target, operand=RaggedTensor))
