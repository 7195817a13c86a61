"""How the time of a small compiled program grows with its length and with the rounds of its loop: `python -m benchmarks.growth`.

A program of so many instructions, a loop of so many rounds, or one that reads as many rows of an array, each with its gradient:
processor time of a call, best of some.
The exit status is 1 where a step to ten times as much takes more than 20 times as long.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import gradtape as tf

LENGTHS = (10, 100, 1_000, 10_000, 100_000)
ROUNDS = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
READS = (10, 100, 1_000, 10_000)
_STEEPEST = 20.0  # times as long for ten times as much; 10 is straight, caches end at some size
_ROUNDS = 5
Run = Callable[[], Any]
X = tf.constant(np.linspace(0.0, 1.0, 8).astype(np.float32))


def of_length(length: int) -> Run:
    """A chain of about so many instructions with its gradient, compiled."""

    def chain(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(max(length // 6, 1)):
                y = tf.sin(y) * 0.9 + x
            total = tf.reduce_sum(y)
        return tape.gradient(total, x)

    compiled = tf.function(chain, autograph=False, jit_compile=True)
    return lambda: compiled(X)


def of_rounds(rounds: int) -> Run:
    """A loop of so many rounds with its gradient."""
    count = tf.constant(rounds)
    return lambda: _loop(X, count)


@tf.function(jit_compile=True)
def _loop(x: Any, rounds: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(rounds):
            y = y * 0.99 + 0.01 * tf.sin(y + x)
        total = tf.reduce_sum(y)
    return tape.gradient(total, x)


def of_reads(rounds: int) -> Run:
    """A loop over the rows of an array, each read from both of its ends, with the gradient of the array."""

    def read(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.constant(0.0)
            for i in tf.range(rounds):
                total = total * 0.9 + tf.sin(x[i]) * x[-i]
        return tape.gradient(total, x)

    compiled, x = tf.function(read, jit_compile=True), tf.constant(np.linspace(0.0, 1.0, rounds).astype(np.float32))
    return lambda: compiled(x)


def seconds(run: Run) -> tuple[float, float]:
    """Processor time of the first call, and of the following ones."""
    start = time.process_time()
    run()
    first = time.process_time() - start
    start = time.process_time()
    run()
    calls = max(1, int(0.02 / max(time.process_time() - start, 1e-7)))
    best = float("inf")
    for _ in range(_ROUNDS):
        start = time.process_time()
        for _ in range(calls):
            run()
        best = min(best, (time.process_time() - start) / calls)
    return first, best


def measured(name: str, sizes: Sequence[int], make: Callable[[int], Run]) -> list[tuple[int, float, float]]:
    """Each size with the time of the first call and of a later one."""
    found = []
    print(f"{name:>12}  {'first call, s':>14}  {'a call, us':>12}  {'ns each':>8}")
    for size in sizes:
        first, call = seconds(make(size))
        found.append((size, first, call))
        print(f"{size:>12,}  {first:>14.2f}  {call * 1e6:>12.1f}  {call * 1e9 / size:>8.1f}", flush=True)
    return found


def steepest(found: Sequence[tuple[int, float, float]]) -> float:
    """The most that a call takes longer for ten times as much."""
    return max((b[2] / a[2]) ** (1 / np.log10(b[0] / a[0])) for a, b in itertools.pairwise(found))


def draw(panels: dict[str, Sequence[tuple[int, float, float]]], path: Path) -> str:
    """Write the picture and say where, or say what is missing for it."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return "no picture: matplotlib is missing (pip install matplotlib)"
    figure = Figure(figsize=(12, 3.2), layout="constrained")
    for panel, (name, found) in zip(figure.subplots(1, len(panels), squeeze=False).flat, panels.items(), strict=True):
        sizes, _, calls = zip(*found, strict=True)
        panel.loglog(sizes, [call * 1e6 for call in calls], "o-", color="#d62728", label="a call")
        each = calls[-1] * 1e6 / sizes[-1]
        panel.loglog(sizes, [each * size for size in sizes], ":", color="#b0b0b0", label="straight")
        panel.set(xlabel=name, ylabel="microseconds")
        panel.legend(frameon=False)
    figure.savefig(path, dpi=80)
    return f"picture: {path}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--longest", type=int, default=LENGTHS[-1], help="the longest program, in instructions")
    parser.add_argument("--rounds", type=int, default=ROUNDS[-1], help="the longest loop, in rounds")
    parser.add_argument("--out", type=Path, help="where the picture goes")
    options = parser.parse_args(arguments)
    panels = {
        "instructions": measured("instructions", [n for n in LENGTHS if n <= options.longest], of_length),
        "rounds": measured("rounds", [n for n in ROUNDS if n <= options.rounds], of_rounds),
        "rounds that read a row": measured("reads", [n for n in READS if n <= options.rounds], of_reads),
    }
    if options.out is not None:
        print(draw(panels, options.out))
    worst = {name: steepest(found) for name, found in panels.items()}
    for name, factor in worst.items():
        print(f"{name}: at most {factor:.1f} times as long for ten times as many")
    return int(max(worst.values()) > _STEEPEST)


if __name__ == "__main__":
    sys.exit(main())
