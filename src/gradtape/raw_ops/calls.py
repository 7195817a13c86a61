"""Kernels that call functions, print, and read what is compressed. A function is a traced one, or anything that can be called."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..api.arrays import identity
from ..api.layout import transpose
from ..base import dtypes
from ..base.errors import invalid
from ..base.types import TensorLike
from ..op.attributes import as_int
from ..sparse.tensor import SparseTensor
from ..values.tensor import from_array, to_tensor, value_of


def _v2() -> Any:
    return sys.modules["gradtape"]


def _parts(found: Any) -> list[Any]:
    """What a function gives, as a kernel gives it: a list."""
    return [] if found is None else list(_v2().nest.flatten(found))


def _holds(cond: Any) -> Any:
    """A condition of any type: numbers that are not 0 and texts that are not empty hold."""
    value = to_tensor(cond)
    if value.dtype == dtypes.bool:
        return value
    return value != (b"" if value.dtype == dtypes.string else to_tensor(0, value.dtype))


def If(
    cond: Any,
    input: Sequence[Any],
    Tout: Any,
    then_branch: Callable[..., Any],
    else_branch: Callable[..., Any],
    output_shapes: Any = (),
    name: str | None = None,
) -> list[Any]:
    """What one of two functions gives."""
    return list(_v2().cond(_holds(cond), lambda: _parts(then_branch(*input)), lambda: _parts(else_branch(*input))))


def While(
    input: Sequence[Any],
    cond: Callable[..., Any],
    body: Callable[..., Any],
    output_shapes: Any = (),
    parallel_iterations: int = 10,
    name: str | None = None,
) -> list[Any]:
    """Call a function on what it gave, as long as another one holds."""
    first = [to_tensor(value) for value in input]
    alone = lambda *values: _parts(cond(*values))[0]  # noqa: E731
    return list(_v2().while_loop(alone, lambda *values: _parts(body(*values)), first))


def Case(
    branch_index: Any,
    input: Sequence[Any],
    Tout: Any,
    branches: Sequence[Callable[..., Any]],
    output_shapes: Any = (),
    name: str | None = None,
) -> list[Any]:
    """What one of several functions gives; the last one where the index is none of theirs."""

    def calling(branch: Callable[..., Any]) -> Callable[[], list[Any]]:
        return lambda: _parts(branch(*input))

    return list(_v2().switch_case(to_tensor(branch_index), [calling(branch) for branch in branches]))


def PartitionedCall(
    args: Sequence[Any],
    Tout: Any,
    f: Callable[..., Any],
    config: str = "",
    config_proto: str = "",
    executor_type: str = "",
    name: str | None = None,
) -> list[Any]:
    """What a function gives."""
    return _parts(f(*args))


StatelessIf, StatelessWhile, StatelessCase, StatefulPartitionedCall = If, While, Case, PartitionedCall


def shown(input: Any, output_stream: str, end: str) -> None:
    """Print a text."""
    streams = {"stdout": sys.stdout, "stderr": sys.stderr}
    _v2().print(input, output_stream=streams.get(output_stream, output_stream), end=end)


def Print(
    input: Any, data: Sequence[Any], message: str = "", first_n: int = -1, summarize: int = 3, name: str | None = None
) -> Any:
    """The value itself; the data are printed."""
    _v2().print(message, *[[value] for value in data], summarize=summarize, sep="")
    return identity(input)


_WINDOWS = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS | 16}


def DecodeCompressed(bytes: TensorLike, compression_type: str = "", name: str | None = None) -> Any:
    """Texts that were compressed: "", "ZLIB" or "GZIP"."""
    if compression_type not in ("", *_WINDOWS):
        raise invalid(f"Only ZLIB, GZIP or NONE are supported compressions, got {compression_type!r}.")
    texts = to_tensor(bytes, dtypes.string)
    if not compression_type:
        return identity(texts)
    array = np.asarray(texts._array, object)
    found = np.empty(array.shape, object)
    try:
        for place, text in np.ndenumerate(array):
            found[place] = zlib.decompress(text, _WINDOWS[compression_type])
    except zlib.error as error:
        raise invalid(f"decode_compressed: the text is not compressed by {compression_type}: {error}") from None
    return from_array(found)


class _TopK(NamedTuple):
    values: Any
    indices: Any


def ApproxTopK(
    input: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> _TopK:
    """The largest or smallest elements along an axis; all of them, for any target."""
    choose = _v2().math.approx_max_k if is_max_k else _v2().math.approx_min_k
    return _TopK(*choose(to_tensor(input), as_int(k), as_int(reduction_dimension)))


class _Loss(NamedTuple):
    loss: Any
    gradient: Any


def CTCLoss(
    inputs: TensorLike,
    labels_indices: TensorLike,
    labels_values: TensorLike,
    sequence_length: TensorLike,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    name: str | None = None,
) -> _Loss:
    """The CTC loss of each sequence and its derivative; the last class is the blank."""
    given = (preprocess_collapse_repeated, ctc_merge_repeated, ignore_longer_outputs_than_inputs)
    if given != (False, True, False):
        raise NotImplementedError(
            "tf.raw_ops.CTCLoss works with the defaults of preprocess_collapse_repeated, ctc_merge_repeated and "
            "ignore_longer_outputs_than_inputs only. Change the labels before the call."
        )
    return _loss(inputs, labels_indices, labels_values, sequence_length, -1)


def _loss(inputs: Any, indices: Any, values: Any, lengths: Any, blank: int) -> _Loss:
    logits, places = to_tensor(inputs), to_tensor(indices, dtypes.int64)
    longest = int(np.max(value_of(places)[:, 1], initial=-1)) + 1
    labels = SparseTensor(places, values, [logits.shape[1], longest])
    with _v2().GradientTape() as tape:
        tape.watch(logits)
        loss = _v2().nn.ctc_loss(labels, logits, None, lengths, blank_index=blank)
    return _Loss(loss, tape.gradient(loss, logits))


class _Normalized(NamedTuple):
    y: Any
    batch_mean: Any
    batch_variance: Any
    reserve_space_1: Any
    reserve_space_2: Any


def FusedBatchNorm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    epsilon: float = 0.0001,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> _Normalized:
    """Batch normalisation with the mean and variance to go on with."""
    found = _v2().raw_ops.FusedBatchNormV3(
        x=x,
        scale=scale,
        offset=offset,
        mean=mean,
        variance=variance,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
    )
    return _Normalized(*found[:5])


FusedBatchNormV2 = FusedBatchNorm


class _NormalizedGrad(NamedTuple):
    x_backprop: Any
    scale_backprop: Any
    offset_backprop: Any
    reserve_space_3: Any
    reserve_space_4: Any


def FusedBatchNormGrad(
    y_backprop: Any,
    x: Any,
    scale: Any,
    reserve_space_1: Any,
    reserve_space_2: Any,
    epsilon: float = 0.0001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> _NormalizedGrad:
    """The derivative of batch normalisation by the values, the factors and what is added."""
    first = to_tensor(x)
    last = first.ndim - 1
    channels_first = data_format.startswith("NC")
    to_last = [0, *range(2, last + 1), 1] if channels_first else list(range(last + 1))
    back = [0, last, *range(1, last)] if channels_first else to_last
    kind = dtypes.float32 if first.dtype in (dtypes.float16, dtypes.bfloat16) else first.dtype
    value, upstream = (_v2().cast(transpose(part, to_last), kind) for part in (first, to_tensor(y_backprop)))
    axes, factor = list(range(last)), to_tensor(scale, kind)
    mean, variance = (to_tensor(part, kind) for part in (reserve_space_1, reserve_space_2))
    if is_training:
        mean, variance = _v2().nn.moments(value, axes)
    inverse = _v2().math.rsqrt(variance + epsilon)
    centred = (value - mean) * inverse
    of_scale, of_offset = _v2().reduce_sum(upstream * centred, axes), _v2().reduce_sum(upstream, axes)
    of_value = upstream * factor * inverse
    if is_training:
        count = _v2().cast(_v2().size(value) // value.shape[-1], kind)
        of_value = factor * inverse * (upstream - of_offset / count - centred * of_scale / count)
    nothing = _v2().zeros([0], kind)
    return _NormalizedGrad(_v2().cast(transpose(of_value, back), first.dtype), of_scale, of_offset, nothing, nothing)


FusedBatchNormGradV2 = FusedBatchNormGrad


def FusedBatchNormGradV3(reserve_space_3: Any = None, **given: Any) -> _NormalizedGrad:
    """The derivative of batch normalisation by the values, the factors and what is added."""
    return FusedBatchNormGrad(**given)
