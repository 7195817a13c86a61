"""Every op of the registry on XLA, compared with what it gives on the host.

`python -m tests.xla.census` runs all samples in all types and writes docs/xla.md; with names of ops it shows what they give.
"""

from __future__ import annotations

import dataclasses
import pathlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import jax
import ml_dtypes
import numpy as np
from tests.ops.registry import all_ops
from tests.xla import bad_inputs

from gradtape.extend import checks
from gradtape.op.declaration import Op, Sample
from gradtape.xla.lowering import run_op

TYPES = [np.dtype(t) for t in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.complex64, np.complex128)]
OTHERS = [np.dtype(t) for t in (np.int32, np.int64, np.uint8, np.bool_)]
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "xla.md"

HEADER = """# The ops on XLA

Written by `python -m tests.xla.census`, which runs samples of every op of the registry in all float types, bfloat16 and complex
ones (integers where an op has no floats) on the host and on XLA, and compares shape, type and values. [How it is
built](design/xla.md).

**{equal} of {all} ops are equal**: by their own kernels with jax.numpy in place of NumPy, or by a lowering that
stands beside the kernel. The others stay on the host, each for its reason; a function runs on XLA in parts around them.
"""

# How far two good kernels of one op may be apart, in units of the type's precision.
UNITS = 200.0


@dataclasses.dataclass(frozen=True)
class Case:
    """One sample: operands, attributes, and what the host gives."""

    dtype: np.dtype[Any]
    operands: list[Any]
    attributes: dict[str, Any]
    expected: list[Any]

    def on_xla(self, op: Op, arrays: list[Any]) -> list[Any]:
        given = iter(arrays)
        operands = [None if value is None else next(given) for value in self.operands]
        return run_op(op, operands, self.attributes, [(x.shape, x.dtype) for x in self.expected])


def types_of(op: Op) -> list[np.dtype[Any]]:
    found = [dtype for dtype in TYPES if dtype in op.dtypes]
    if not found:
        found = [dtype for dtype in OTHERS if dtype in op.dtypes]
    return found or [np.dtype(checks.numeric_kind(op))]


_INTEGERS = [np.dtype(kind) for kind in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64)]
_FAR = [1e20, -1e20, 300.7, -300.2, -1.5, 3e9, 1.2e19, np.nan, np.inf, -np.inf]


def far_samples(op: Op) -> Iterator[Sample]:
    """What no sample of the op's block has, because it has no derivative there: numbers beyond what a type or an axis holds."""
    with np.errstate(all="ignore"):
        if op.name == "convert":
            for source in TYPES[:4]:
                for target in (*_INTEGERS, np.dtype(np.uint16)):
                    yield Sample((np.array(_FAR, np.float64).astype(source),), {"dtype": target})
        for kind in _INTEGERS if op.name in ("pow", "floordiv", "floormod", "truncatediv", "truncatemod") else ():
            least = -(1 << (8 * kind.itemsize - 1)) if kind.kind == "i" else 5
            divisors = [1, 3, 70, 31, 2, 63] if op.name == "pow" else [3, -3, 1, -1, 7, 2]
            x, y = np.array([least, -7, 3, 100, 7, 2]), np.array(divisors)
            yield Sample((x.astype(kind), y.astype(kind)))
        for kind in _INTEGERS if op.name in ("left_shift", "right_shift") else ():
            yield Sample((np.array([1, 2, -3, 77]).astype(kind), np.array([33, -1, 70, 2]).astype(kind)))
        if op.name in ("one_hot", "unsorted_segment_sum"):
            indices = np.array([-1, 5, 1, 70], np.int32)
            yield (
                Sample((indices,), {"depth": 3})
                if op.name == "one_hot"
                else Sample((np.arange(4.0, dtype=np.float32), np.array([-1, 2, 1, 0], np.int32)), {"num_segments": 3})
            )


def cases(op: Op, dtype: np.dtype[Any]) -> Iterator[Case]:
    """The samples of an op in one type; of the first one also those with far numbers, in whatever types they have."""
    found = list(checks.samples(op, dtype))
    for sample in [*found, *(far_samples(op) if dtype == types_of(op)[0] else ())]:
        operands = [None if x is None else np.asarray(x) for x in checks.operands(op, sample)]
        attributes = {**op.attributes, **sample.attributes}
        try:
            result = op.eager(operands, **attributes) if op.variadic else op.eager(*operands, **attributes)
        except Exception:  # a sample of another type
            continue
        results = (result,) if op.outputs == 1 else tuple(result)
        yield Case(dtype, operands, attributes, [np.asarray(x) for x in results])


def holds_text(case: Case) -> bool:
    return any(x is not None and x.dtype.kind in "OSU" for x in (*case.operands, *case.expected))


def computed(op: Op, found: list[Case]) -> list[Any]:
    """What XLA gives for cases, each a list of arrays or the error; compiled as one function where all of them trace."""
    options = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
    given = [[x for x in case.operands if x is not None] for case in found]
    traced: list[Any] = []
    with jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case, arrays in zip(found, given, strict=True):
            try:
                jax.eval_shape(lambda a, case=case: case.on_xla(op, a), arrays)
                traced.append(None)
            except Exception as error:
                traced.append(error)
        good = [k for k, error in enumerate(traced) if error is None]

        def run(lists: list[Any]) -> list[Any]:
            return [found[k].on_xla(op, arrays) for k, arrays in zip(good, lists, strict=True)]

        try:
            lists = [given[k] for k in good]
            results = jax.jit(run).lower(lists).compile(options)(lists) if good else []
        except Exception as error:
            results = [error] * len(good)
    for k, result in zip(good, results, strict=True):
        traced[k] = result if isinstance(result, Exception) else [np.asarray(x) for x in result]
    return traced


def difference(found: Any, expected: Any) -> str:
    """What differs, in words; empty where nothing does."""
    if found.shape != expected.shape:
        return f"shape {found.shape}, not {expected.shape}"
    if found.dtype != expected.dtype:
        return f"type {found.dtype}, not {expected.dtype}"
    if expected.dtype.kind not in "fcV":
        return "" if np.array_equal(found, expected) else f"values {found.ravel()[:4]}, not {expected.ravel()[:4]}"
    unit = float(ml_dtypes.finfo(expected.dtype).eps)
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    a, b = found.astype(wide), expected.astype(wide)
    scale = np.max(np.abs(np.where(np.isfinite(b), b, 0)), initial=0.0)
    tolerance = UNITS * unit
    if np.allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, float(scale)), equal_nan=True):
        return ""
    with np.errstate(all="ignore"):
        return f"off by {np.nanmax(np.abs(a - b)) / unit:.3g} units"


@dataclasses.dataclass
class Row:
    """What the census says of one op."""

    op: Op
    equal: int = 0
    differ: list[str] = dataclasses.field(default_factory=list)
    fail: list[str] = dataclasses.field(default_factory=list)

    @property
    def shown(self) -> str:
        """What is not equal, in a few words."""
        found = [*self.differ, *self.fail]
        return f"{len(found)} of {self.equal + len(found)}: " + " | ".join(found[:3]).replace("\n", " ")

    @property
    def is_as_declared(self) -> bool:
        """Whether it is equal, or says why it stays on the host."""
        return self.op.stays_on_host is not None or (self.equal > 0 and not self.differ and not self.fail)


def row_of(op: Op, of_each_type: int) -> Row:
    """Count an op, on that many samples of each type."""
    row = Row(op)
    if op.stays_on_host is not None:
        return row
    todo: list[Case] = []
    types = types_of(op)
    for place, dtype in enumerate(types):
        found = [case for case in cases(op, dtype) if not holds_text(case)]
        count = min(of_each_type, len(found))
        far = list(far_samples(op)) if place == 0 else []
        todo += found[len(found) - len(far) :] if far else []
        # Spread over the samples, and beginning with another one for each type.
        todo += [found[(k * len(types) + place) * len(found) // (count * len(types))] for k in range(count)]
    for case, results in zip(todo, computed(op, todo), strict=True):
        shown = f"{case.dtype}{[x.shape for x in case.operands if x is not None]}{case.attributes or ''}"
        if isinstance(results, Exception):
            row.fail.append(f"{shown}: {type(results).__name__}: {str(results)[:300]}")
            continue
        whats = [difference(a, b) for a, b in zip(results, case.expected, strict=True)]
        if any(whats):
            row.differ.append(f"{shown}: {'; '.join(filter(None, whats))}")
        else:
            row.equal += 1
    return row


ERRORS = """
## Errors that XLA does not raise

A call that must raise and gives a value on the engine `xla`, because the error depends on values (an index that does not exist, a
matrix that has no inverse) or is found by the kernel on the host alone: found by running the bad inputs of the registry. The
engine `xla-checked` raises all of them, as eager code does.
"""


def silent_ops() -> dict[str, str]:
    """The ops of which a bad input gives a value on XLA, each with what is wrong with the first one."""
    found: dict[str, str] = {}
    for op, bad in bad_inputs.all_bad_inputs():
        if op.name not in found and bad_inputs.error_of(op, bad) and not bad_inputs.error_of(op, bad, "xla"):
            found[op.name] = bad.why
    return found


def listed_silent_ops() -> dict[str, str]:
    """Those that the page lists."""
    rows = PAGE.read_text(encoding="utf-8").partition(ERRORS)[2].splitlines()
    parts = [row.strip("| ").split(" | ") for row in rows if row.startswith("| `")]
    return {name.strip("`"): why for name, why in parts}


def page(silent: dict[str, str]) -> str:
    """docs/xla.md: what the blocks of the ops say, which the census confirms."""
    ops = sorted(all_ops(), key=lambda op: (_file(op), op.name))  # (the registry has the order of imports)
    on_host = [op for op in ops if op.stays_on_host is not None]
    lines = [HEADER.format(equal=len(ops) - len(on_host), all=len(ops))]
    lines += ["| lowering of its own | where |", "| --- | --- |"]
    lines += [f"| `{op.name}` | `{_file(op)}` |" for op in ops if op.xla_kernel is not None]
    lines += ["", "## On the host", "", "| op | why |", "| --- | --- |"]
    lines += [f"| `{op.name}` | {op.stays_on_host} |" for op in on_host]
    lines += [ERRORS, "| op | what must be |", "| --- | --- |"]
    lines += [f"| `{name}` | {why} |" for name, why in sorted(silent.items())]
    return "\n".join(lines) + "\n"


def _file(op: Op) -> str:
    return op.__module__.removeprefix("gradtape.").replace(".", "/") + ".py"


def main(names: list[str]) -> None:
    rows = [row_of(op, 4) for op in all_ops() if not names or op.name in names]
    wrong = [row for row in rows if not row.is_as_declared]
    for row in wrong:
        print(f"{row.op.name} ({_file(row.op)}): {row.shown}")
    print(
        f"{sum(row.equal for row in rows)} samples of {len(rows)} ops are equal; {len(wrong)} ops are not as declared"
    )
    if not names and not wrong:
        PAGE.write_text(page(silent_ops()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
