"""`tf.summary`: records of a run, as event files that TensorBoard and `gradtape plot` read."""

from ..base.namespaces import listing, namespace
from .gradients import gradients
from .graph import graph, trace_export, trace_off, trace_on
from .values import audio, histogram, image, scalar, summary_scope, text, write
from .writer import (
    SummaryWriter,
    create_file_writer,
    create_noop_writer,
    flush,
    get_step,
    record_if,
    set_step,
    should_record_summaries,
)


@namespace("gradtape.summary.experimental")
class experimental:
    """`tf.summary.experimental`: the step that summaries are written for, where they name none."""

    get_step = staticmethod(get_step)
    set_step = staticmethod(set_step)
    summary_scope = staticmethod(summary_scope)


__all__ = [
    "SummaryWriter",
    "audio",
    "create_file_writer",
    "create_noop_writer",
    "experimental",
    "flush",
    "gradients",
    "graph",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "should_record_summaries",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
]

__dir__ = listing(globals())
