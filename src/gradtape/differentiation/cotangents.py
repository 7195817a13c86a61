"""Cotangents that arrive in parts, and how the parts are added.

Each op that used a value sends it a part. A part is an array or a tensor; `IndexedSlices`, where rows of a table were looked up;
or a `Product`, where the sum is a weight's gradient that other threads may compute (native/background.py). The backward walk
(backward.py) takes a value's cotangent when all its parts have arrived.
"""

from __future__ import annotations

from heapq import heappush
from typing import Any

import numpy as np

from ..base.context import Record, Records
from ..base.dtypes import Array
from ..base.sizes import is_known
from ..native import background, thresholds
from ..native.background import Product, Total
from ..op.record import Looks, is_further_output, looks_of_outputs, way_to_first
from ..ops.array.layout import broadcast_to
from ..ops.math.elementwise import add
from ..values.tensor import IndexedSlices, Tensor, from_array
from .slices import densify, sum_composites

# What a rule takes and returns: bare arrays, or tensors if the backward pass itself is recorded.
Dense = Array | Tensor
Cotangent = Dense | IndexedSlices

_large_sum: Any = add.large
_add = np.add


class Cotangents:
    """What has arrived for each value, by its identity, and which identities wait for their turn.

    `arrived` and `waiting` are public: the walk itself enters the first part for each value. Most parts are first parts, and a
    call for each would take 2 % of the time of small ops.
    """

    __slots__ = ("_outputs", "_sums", "arrived", "found", "posting", "records", "waiting", "wanted")

    def __init__(self, records: Records, sources: list[int]) -> None:
        self.records = records
        self.wanted = set(sources)
        self.found: dict[int, Any] = {}  # the complete cotangents of sources
        self.arrived: dict[int, Any] = {}
        self.waiting: list[int] = []  # a heap of negative identities: the newest value comes first
        self.posting = False  # whether other threads compute products
        # (Made on demand: few walks need these two, and making them takes 1 % of the time of the gradient of a scalar.)
        self._outputs: dict[int, list[Any]] | None = None  # of ops with several outputs, by the first one's identity
        self._sums: set[int] | None = None  # where an array was made by adding up here: nobody else can see it

    def add(self, number: int, part: Any) -> None:
        """Add a part to those that have arrived, if there are any."""
        arrived = self.arrived
        present = arrived.get(number)
        if part.__class__ is Product:
            part = self._posted(number, present, part)
            if part is None:
                return
        if present is None:
            if number not in arrived:
                heappush(self.waiting, -number)
            arrived[number] = part
        elif present.__class__ is IndexedSlices or part.__class__ is IndexedSlices:
            arrived[number] = sum_composites(present, part)
        elif self._sums is not None and number in self._sums:
            if present.size < thresholds.EXACT_ELEMENTS or not _large_sum.into(present, part):
                _add(present, part, present)
        else:
            large = present.__class__ is np.ndarray and present.size >= thresholds.EXACT_ELEMENTS
            arrived[number] = total = _large_sum(present, part) if large else present + part
            if total.__class__ is np.ndarray:
                self._sums = self._sums or set()
                self._sums.add(number)

    def _posted(self, number: int, present: object, product: Product) -> Any:
        """The part to add for a product: None if other threads add it, or if nothing needs it."""
        if self.records.get(number, product) is not None:
            return product.value()  # not of a leaf: a rule reads it next
        if number not in self.wanted:
            return None
        if present.__class__ is Total:
            present.add(product)
            return None
        if present is not None:
            return product.value()
        if not self.posting:
            background.begin()
            self.posting = True
        return Total(product)

    def for_rule(self, number: int, cotangent: Any, record: Record, on_tensors: bool) -> Any:
        """A complete cotangent as the rules of its op take it: dense, and in a list where the op has several outputs.

        None for an output that is not the first: its cotangent is kept until the turn of the first, which has the record.
        """
        if cotangent.__class__ is IndexedSlices:
            cotangent = densify(cotangent)
        if is_further_output(record):
            return self._set_aside(cotangent, record)
        looks = looks_of_outputs(record)
        return cotangent if looks is None else self._of_outputs(number, cotangent, looks, on_tensors)

    def _set_aside(self, cotangent: Dense, record: Record) -> None:
        first, position, count = way_to_first(record)
        self._outputs = self._outputs or {}
        if first not in self._outputs:
            self._outputs[first] = [None] * count
            if first not in self.arrived:
                self.arrived[first] = None
                heappush(self.waiting, -first)
        self._outputs[first][position] = cotangent

    def _of_outputs(self, number: int, first: Dense | None, looks: Looks, on_tensors: bool) -> list[Dense]:
        """The cotangents of all outputs of an op, by the first; zeros where none arrived."""
        outputs = (self._outputs or {}).pop(number, None) or [None] * len(looks)
        outputs[0] = first
        for position, (shape, dtype) in enumerate(looks):
            if outputs[position] is not None:
                continue
            if shape.__class__ is not tuple or not is_known(shape):  # in a trace
                if shape.__class__ is not tuple or shape[0].__class__ is not int or shape[0] >= 0:
                    outputs[position] = broadcast_to(from_array(np.zeros((), dtype)), shape=shape)
            elif -1 not in shape:  # (what a loop has collected, of a size that is not known)
                zeros = np.zeros(shape, dtype)
                outputs[position] = from_array(zeros) if on_tensors else zeros
        return outputs
