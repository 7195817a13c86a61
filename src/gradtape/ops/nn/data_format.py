"""Axes and sizes in another data format: what NHWC calls axis 3 is axis 1 in NCHW."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import INDEX, Array
from ...base.errors import invalid
from ...base.types import Draw, Namespace
from ...op.declaration import BadInput, Sample, op
from ...op.shapes import like


def _check_formats(name: str, src_format: str, dst_format: str) -> None:
    given = f"got {src_format!r} and {dst_format!r}; NHWC and NCHW are such formats."
    for which, text in (("Source", src_format), ("Destination", dst_format)):
        if len(text) not in (4, 5):
            raise invalid(f"{name}: {which} format must be of length 4 or 5, {given}")
    if sorted(src_format) != sorted(dst_format) or len(set(src_format)) != len(src_format):
        raise invalid(f"{name}: Destination and source format must determine a permutation, {given}")


def _data_format_dim_map(x: Array, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    _check_formats("data_format_dim_map", src_format, dst_format)
    rank = len(src_format)
    if x.size and (x.min() < -rank or x.max() >= rank):
        raise invalid(f"data_format_dim_map: axes must be in [{-rank}, {rank}), got {x.tolist()}.")
    places = np.array([dst_format.index(c) for c in src_format], x.dtype)
    return places[x % rank]


@op(eager=_data_format_dim_map, dtypes=INDEX, shape=like(0))
def data_format_dim_map(xp: Namespace, x: Array, *, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    """Numbers of axes in one data format as numbers of the same axes in another."""
    return xp.asarray([dst_format.index(c) for c in src_format])[x % len(src_format)]


def _data_format_vec_permute(x: Array, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    _check_formats("data_format_vec_permute", src_format, dst_format)
    rank = len(src_format)
    if x.ndim not in (1, 2) or x.shape[0] not in (rank, rank - 2) or (x.ndim == 2 and x.shape[1] != 2):
        raise invalid(
            f"data_format_vec_permute: {rank} (or {rank - 2}) numbers or pairs are needed, got shape {x.shape}."
        )
    source, target = src_format, dst_format
    if x.shape[0] == rank - 2:
        if not {"H", "W"} <= set(src_format):
            raise invalid(
                f"data_format_vec_permute: Format specifier must contain H and W for 2D case, got {src_format!r}."
            )
        source, target = ("".join(c for c in text if c not in "NC") for text in (src_format, dst_format))
    return x[np.array([source.index(c) for c in target])]


@op(dtypes=INDEX, shape=like(0))
def data_format_vec_permute(xp: Namespace, x: Array, *, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    """A number (or a pair) for each axis of one data format in the order of another."""
    return _data_format_vec_permute(x, src_format, dst_format)


for _op in (data_format_dim_map, data_format_vec_permute):
    _op.not_differentiable("numbers of axes have no derivative")


@data_format_dim_map.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((np.array([0, 1, 2, 3, -1], np.int64),))
    yield Sample((np.array(3, np.int32),), {"src_format": "NCHW", "dst_format": "NHWC"})
    yield Sample((np.array([[4, -5]], np.int32),), {"src_format": "NDHWC", "dst_format": "NCDHW"})


@data_format_vec_permute.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((np.array([1, 2, 3, 4], np.int64),))
    yield Sample((np.array([[1, 2], [3, 4], [5, 6], [7, 8]], np.int32),))
    yield Sample((np.array([5, 6], np.int32),), {"src_format": "NHWC", "dst_format": "NCWH"})


@data_format_dim_map.rejects
def _() -> Iterator[BadInput]:
    for x in ([4], [-5], [9, 0]):
        yield BadInput("axes of the format", (np.array(x, np.int32),))
    for dst in ("NCH", "NCHX"):
        yield BadInput("a format", (np.array([0], np.int32),), {"dst_format": dst})


@data_format_vec_permute.rejects
def _() -> Iterator[BadInput]:
    for shape in ((3,), (), (4, 3), (4, 2, 1)):
        yield BadInput("a number for each axis", (np.ones(shape, np.int32),))
    yield BadInput("a format", (np.ones(4, np.int32),), {"dst_format": "NNHW"})
