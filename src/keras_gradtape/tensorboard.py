"""What the TensorBoard callback asks of a backend that has a profiler. Gradtape has none."""

from __future__ import annotations

from typing import Any


def start_trace(logdir: str) -> None:
    """Nothing is traced."""


def stop_trace(save: bool) -> None:
    """Nothing was traced."""


def start_batch_trace(batch: int) -> Any:
    """Nothing is traced."""
    return None


def stop_batch_trace(batch_trace_context: Any) -> None:
    """Nothing was traced."""
