"""How values look in a notebook: a title, a line of facts, and a small picture where one helps.

Nothing here takes long, however large the value: pictures and figures of large arrays are made of a part of their elements.
"""

from __future__ import annotations

import base64
import html
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..base.dtypes import Array
from ..base.png import png_of

_MOST_ELEMENTS = 1 << 16  # that are looked at
_FEW = 32  # elements that are shown as numbers
_MOST_ROWS = 40  # of a table
_MOST_LINES = 60  # of text
_SIDE = 160  # pixels of a picture; a smaller one is drawn larger
_LARGEST = 1024  # pixels of a picture without an axis of channels
_TILES = 8  # pictures of a batch
_BARS = 32
_TEXT = 60  # characters of a string


def drawn(thing: Any) -> str:
    """The value as HTML."""
    try:
        form = thing._notebook_form()
    except Exception:  # a value that is half made is shown as its repr: a notebook must not show an error in its place
        return preformatted(repr(thing))
    facts = [f"<span style='color:#777'>{html.escape(n)}</span> {html.escape(v)}" for n, v in form.facts]
    parts = [f"<div><b>{html.escape(form.title)}</b>{''.join(f'&ensp;{fact}' for fact in facts)}</div>"]
    if form.array is not None:
        parts.append("".join(_array(np.asarray(form.array))))
    if form.table:
        parts.append(_table(form.table))
    if form.text:
        lines = form.text.splitlines()
        more = [f"... {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else []
        parts.append(preformatted("\n".join(lines[:_MOST_LINES] + more)))
    return f"<div style='font-size:13px;line-height:1.5'>{''.join(parts)}</div>"


def preformatted(text: str) -> str:
    """Text in columns. (Some notebooks show <pre> in the font of running text.)"""
    return f"<pre style='margin:4px 0;font-family:monospace'>{html.escape(text)}</pre>"


def framed(inside: str, good: bool = False) -> str:
    """An answer with a line along its side: red, or green where all is well."""
    side = "#2a7" if good else "#c33"
    return f"<div style='border-left:3px solid {side};padding-left:8px;font-size:13px;line-height:1.5'>{inside}</div>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    lines = ["<tr>" + "".join(f"<th style='text-align:left'>{html.escape(cell)}</th>" for cell in head) + "</tr>"]
    lines += [
        "<tr>" + "".join(f"<td style='text-align:left'>{html.escape(cell)}</td>" for cell in row) + "</tr>"
        for row in body[:_MOST_ROWS]
    ]
    if len(body) > _MOST_ROWS:
        lines.append(f"<tr><td colspan={len(head)}>... {len(body) - _MOST_ROWS} more</td></tr>")
    return f"<table style='font-size:inherit'>{''.join(lines)}</table>"


# --- arrays -----------------------------------------------------------------------------------------------------------


def _array(array: Array) -> Iterator[str]:
    if array.dtype.kind in "OSU":
        yield _texts(array)
        return
    pictures = _pictures(array)
    if array.size <= _FEW and not pictures:
        yield preformatted(np.array2string(array, threshold=_FEW))
        return
    part = _part_of(array, _MOST_ELEMENTS).reshape(-1)
    if array.dtype.kind == "b":
        yield f"<div>{np.count_nonzero(part) / part.size:.1%} true{_sampled(array, part)}</div>"
    elif array.dtype.kind in "iufcV" and array.dtype.names is None:
        numbers = np.abs(part) if array.dtype.kind == "c" else part
        numbers = numbers.astype(np.float64)
        yield f"<div>{_figures(numbers)}{' of absolute values' * (array.dtype.kind == 'c')}{_sampled(array, part)}</div>"
        yield pictures or _histogram(numbers[np.isfinite(numbers)])
    if pictures and array.dtype.kind == "b":
        yield pictures


def _sampled(array: Array, part: Array) -> str:
    return f" <span style='color:#777'>(of {part.size:,} elements of {array.size:,})</span>" * (part.size < array.size)


def _texts(array: Array) -> str:
    few = [part.decode(errors="replace") if isinstance(part, bytes) else str(part) for part in _first(array, 8)]
    shown = [repr(text if len(text) <= _TEXT else f"{text[:_TEXT]}…") for text in few]
    more = f" … {array.size:,} in all" if array.size > len(few) else ""
    return f"<code>{html.escape(', '.join(shown))}</code>{more}"


def _first(array: Array, count: int) -> list[Any]:
    return [array.flat[place] for place in range(min(array.size, count))]


def _figures(numbers: Array) -> str:
    """Smallest, mean, spread and largest of the finite ones, and how many are not."""
    finite = numbers[np.isfinite(numbers)]
    parts = []
    if finite.size:
        # (Scaled, since sums of large numbers overflow.)
        size = float(np.abs(finite).max()) or 1.0
        mean, spread = float(np.mean(finite / size)) * size, float(np.std(finite / size)) * size
        parts.append(f"min {finite.min():.4g}, mean {mean:.4g} ± {spread:.2g}, max {finite.max():.4g}")
    for name, count in (("nan", np.isnan(numbers).sum()), ("inf", np.isinf(numbers).sum())):
        if count:
            parts.append(f"<b style='color:#c0392b'>{count:,} {name}</b>")
    return ", ".join(parts) or "no elements"


def _part_of(array: Array, most: int) -> Array:
    """Evenly spaced elements of an array, along its longest axes; a view, as far as that can be."""
    while array.size > most:
        axis = int(np.argmax(array.shape))
        step = min(math.ceil(array.size / most), array.shape[axis])
        array = array[(slice(None),) * axis + (slice(None, None, max(step, 2)),)]
    return array


def _histogram(numbers: Array) -> str:
    if numbers.size < 2 or not numbers.min() < numbers.max():
        return ""
    low, high = float(numbers.min()), float(numbers.max())
    places = np.clip((numbers / 2 - low / 2) / (high / 2 - low / 2) * _BARS, 0, _BARS - 1).astype(np.int64)
    counts = np.bincount(places, minlength=_BARS)
    width, height, bar = 192, 40, 192 / _BARS
    tall = counts / counts.max() * height
    bars = "".join(
        f"<rect x='{place * bar:.1f}' y='{height - size:.1f}' width='{bar - 1:.1f}' height='{size:.1f}'/>"
        for place, size in enumerate(tall)
        if size
    )
    return (
        f"<svg width='{width}' height='{height}' viewBox='0 0 {width} {height}' fill='#5b8def' role='img' "
        f"aria-label='histogram'>{bars}<rect y='{height - 0.5}' width='{width}' height='0.5' fill='#999'/></svg>"
    )


# --- pictures ---------------------------------------------------------------------------------------------------------


def _pictures(array: Array) -> str:
    """A tensor of the shape of one or several pictures, as pictures; empty for any other."""
    batch = _as_batch(array)
    if batch is None:
        return ""
    height, width = batch.shape[1:3]
    step = max(1, math.ceil(max(height, width) / _SIDE))
    small = batch[:_TILES, ::step, ::step]
    pixels = _brightness(small, array)
    larger = max(1, 64 // max(small.shape[1:3]))
    shown = [
        f"<img alt='' style='image-rendering:pixelated;margin:2px' width={small.shape[2] * larger} "
        f"height={small.shape[1] * larger} src='data:image/png;base64,{base64.b64encode(png_of(one)).decode()}'>"
        for one in pixels
    ]
    more = f" … {batch.shape[0]:,} in all" if batch.shape[0] > _TILES else ""
    return f"<div>{''.join(shown)}{more}</div>"


def _as_batch(array: Array) -> Array | None:
    """[pictures, height, width, channels], if the array looks like that: it is as wide and high as pictures are."""
    if array.dtype.kind not in "bfu" and array.dtype != np.int32:
        return None
    if array.ndim == 3 and array.shape[-1] in (1, 3, 4):
        array = array[None]
    elif array.ndim in (2, 3) and (array.ndim == 2 or array.shape[-1] == array.shape[-2]):
        if not _is_brightness(array) or max(array.shape[-2:]) > _LARGEST:  # a matrix, of weights perhaps
            return None
        array = array[..., None] if array.ndim == 3 else array[None, ..., None]
    if array.ndim != 4 or array.shape[-1] not in (1, 3, 4) or not array.shape[0]:
        return None
    height, width = array.shape[1:3]
    return array if min(height, width) >= 8 and max(height, width) <= 16 * min(height, width) else None


def _is_brightness(array: Array) -> bool:
    if array.dtype.kind in "bu":
        return array.dtype.itemsize == 1
    part = _part_of(array, 4096)
    return bool(part.size) and bool(np.all((part >= 0) & (part <= 1)))


def _brightness(values: Array, whole: Array) -> Array:
    """Bytes: as they are, from 0 to 1, or from the smallest to the largest."""
    if values.dtype == np.uint8:
        return values
    numbers = np.nan_to_num(values.astype(np.float64), nan=0.0)
    if values.dtype.kind != "b" and not _is_brightness(whole):
        if values.dtype.kind in "iu" and numbers.size and numbers.min() >= 0 and numbers.max() <= 255:
            return numbers.astype(np.uint8)
        low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 1.0)
        numbers = (numbers / 2 - low / 2) / ((high / 2 - low / 2) or 1.0)
    scaled: Array = np.clip(numbers * 255, 0, 255).astype(np.uint8)
    return scaled
