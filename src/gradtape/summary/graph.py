"""Graphs for TensorBoard: of what a tape has recorded, and of the ops that ran between `trace_on` and `trace_export`."""

from __future__ import annotations

import logging
import threading
from typing import Any

from .. import profiler as _profiler
from ..base.context import STATE, Records
from ..differentiation.tape import GradientTape
from ..io.wire import delimited
from ..op.entry import observe_ops, unobserve_ops
from ..op.record import ids_of, is_further_output, op_of, pull_of, way_to_first
from ..trace.function import EAGERLY
from ..trace.graph import Graph
from ..trace.operations import operations
from ..values.tensor import Tensor, identify
from .event_file import messages
from .values import write
from .writer import recording, should_record_summaries

_LOGGER = logging.getLogger("gradtape")

LOGGER = logging.getLogger("gradtape")

_MOST_NODES = 20_000  # a larger graph is too crowded to read


class _Nodes:
    """A graph that grows by one op at a time. Values are known by the identities that tapes know them by."""

    def __init__(self) -> None:
        self.graph = messages("graph_pb2").GraphDef()
        self.graph.versions.producer = 22
        self._names: dict[str, int] = {}
        self._outputs: dict[int, str] = {}

    def leaf(self, number: int, kind: str, name: str) -> str:
        """The name of a value that no op made."""
        if number not in self._outputs:
            self.add(kind, name, [], [number])
        return self._outputs[number]

    def add(self, kind: str, name: str, inputs: list[str], outputs: list[int]) -> None:
        """One op, the names of its inputs and the identities of its outputs."""
        node = self.graph.node.add(name=self._unused(name), op=kind, input=inputs)
        for position, number in enumerate(outputs):
            self._outputs[number] = f"{node.name}:{position}" if position else node.name

    def known(self, number: int) -> str | None:
        """The name of a value, if it is in the graph."""
        return self._outputs.get(number)

    def _unused(self, name: str) -> str:
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return f"{name}_{count}" if count else name


def graph(graph_data: object) -> Tensor:
    """Write a graph, shown under "Graphs".

    >>> import gradtape as tf, tempfile
    >>> double = tf.function(lambda x: x + x)
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.graph(double.get_concrete_function(tf.constant(1.0)).graph))
    True

    Args:
        graph_data: A `tf.GradientTape` that still holds its record; the graph of a function, as
            `f.get_concrete_function(...).graph`; or a GraphDef message.

    Returns:
        Whether it was recorded, as a tensor.
    """
    if not recording():
        return should_record_summaries()
    STATE.summary_writer.add(graph_def=_serialized(graph_data))
    return should_record_summaries()


def _serialized(graph_data: Any) -> bytes:
    if isinstance(graph_data, GradientTape):
        records = graph_data._tape
        if records is None:
            raise ValueError(
                "summary.graph: this tape holds no record. Write its graph before the gradient is taken, or make it persistent."
            )
        graph_data = graph_of(records, {v._id: v.name for v in graph_data.watched_variables()})
    elif isinstance(graph_data, Graph):
        graph_data = graph_of_function(graph_data)
    if not hasattr(graph_data, "SerializeToString"):
        raise TypeError(f"summary.graph: a tf.GradientTape, a graph or a GraphDef is needed, got {graph_data!r}.")
    data: bytes = graph_data.SerializeToString()
    return data


def graph_of(records: Records, names: dict[int, str]) -> Any:
    """The GraphDef of a tape's record; `names` are those of the variables by their identities."""
    nodes = _Nodes()
    # Of an op with several outputs the first holds the record; the others say which of them they are.
    several: dict[int, list[int]] = {}
    for number, record in sorted(records.items()):
        if record is not None and is_further_output(record):
            several.setdefault(way_to_first(record)[0], []).append(number)
    for number, record in sorted(records.items()):
        if record is None:
            if number in names:
                nodes.leaf(number, "VarHandleOp", _without_suffix(names[number]))
            else:
                nodes.leaf(number, "Placeholder", "watched")
        elif not is_further_output(record):
            op = op_of(pull_of(record))
            kind, name = (op.tf_name, op.name) if op is not None else ("CustomGradient", "custom_gradient")
            inputs = [nodes.leaf(source, "Placeholder", "value") for source in ids_of(record)]
            nodes.add(kind, name, inputs, [number, *several.get(number, [])])
    return nodes.graph


def graph_of_function(graph: Graph) -> Any:
    """The GraphDef of a traced function."""
    message = messages("graph_pb2").GraphDef()
    message.versions.producer = 22
    for operation in operations(graph):
        inputs = [tensor.name.removesuffix(":0") for tensor in operation.inputs]
        message.node.add(name=operation.name, op=operation.type, input=inputs)
    return message


def _without_suffix(name: str) -> str:
    return name.split(":")[0]


# --- tracing ---------------------------------------------------------------------------------------------------------


class _Trace:
    """Follows the ops that one thread runs."""

    def __init__(self, graph: bool, profiler: bool, profiler_outdir: object) -> None:
        self.nodes = _Nodes() if graph else None
        self.profiling = profiler and profiler_outdir is not None
        self._thread = threading.get_ident()
        if profiler and not self.profiling:
            _LOGGER.warning("trace_on(profiler=True) without profiler_outdir: nothing is profiled. Give it a folder.")
        if self.profiling:
            _profiler.experimental.start(profiler_outdir)
        self._functions_ran_eagerly = EAGERLY.on
        if graph:
            # Compiled functions run many ops as one; as plain Python each of them is seen.
            EAGERLY.on = True
            observe_ops(self.observe)

    def observe(self, op: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        nodes = self.nodes
        if nodes is None or threading.get_ident() != self._thread:
            return
        if len(nodes.graph.node) >= _MOST_NODES:
            LOGGER.warning("tf.summary.trace_on: more than %d ops ran; the graph holds the first of them.", _MOST_NODES)
            unobserve_ops(self.observe)
            return
        sources = [nodes.known(identify(value)) or nodes.leaf(value._id, "Const", "value") for value in inputs]
        nodes.add(op.tf_name, "/".join([*STATE.name_scopes, op.name]), sources, [identify(value) for value in outputs])

    def stop(self, save: bool) -> None:
        EAGERLY.on = self._functions_ran_eagerly
        unobserve_ops(self.observe)
        if self.profiling:
            _profiler.experimental.stop(save)
            self.profiling = False


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: object = None) -> None:
    """Follow the ops of this thread from now on.

    >>> import gradtape as tf, tempfile
    >>> tf.summary.trace_on()
    >>> total = tf.reduce_sum(tf.ones([2]) * 3.0)
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.trace_export("step", step=0)

    Args:
        graph: Whether to keep them for `trace_export`. Until then functions run as plain Python, and every op takes the
            slower, general path.
        profiler: Whether to measure too, where the time goes; see `tf.profiler.experimental.start`.
        profiler_outdir: The folder that the profile goes to.
    """
    if STATE.summary_trace is not None:
        LOGGER.warning("Trace already enabled")
        return
    STATE.summary_trace = _Trace(graph, profiler, profiler_outdir)


def trace_export(name: str, step: object = None, profiler_outdir: object = None) -> None:
    """Stop following, and write the graph of the ops that ran under the tag `name`.

    >>> import gradtape as tf, tempfile
    >>> tf.summary.trace_on()
    >>> total = tf.reduce_sum(tf.ones([2]) * 3.0)
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.trace_export("step", step=0)

    Args:
        name: The name under which TensorBoard shows it.
        step: The step; by default that of the thread.
        profiler_outdir: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: `trace_on` was not called, there is no default writer, or there is no step.
    """
    trace = STATE.summary_trace
    if trace is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    if STATE.summary_writer is None:
        raise ValueError("Must have a default summary writer to export a trace: `with writer.as_default(): ...`.")
    if trace.nodes is not None:
        metadata = messages("summary_pb2").SummaryMetadata()
        metadata.plugin_data.plugin_name = "graph_run_metadata_graph"
        metadata.plugin_data.content = b"1"
        write(name, _run_metadata(trace.nodes.graph.SerializeToString()), step, metadata)
    trace.stop(save=True)
    STATE.summary_trace = None


def trace_off() -> None:
    """Stop following, and forget what was followed.

    >>> import gradtape as tf
    >>> tf.summary.trace_on()
    >>> tf.summary.trace_off()
    """
    if STATE.summary_trace is not None:
        STATE.summary_trace.stop(save=False)
        STATE.summary_trace = None


def _run_metadata(graph: bytes) -> bytes:
    """A RunMetadata message with one function's graph (tensorboardX does not have this message)."""
    function_graphs, pre_optimization_graph = 4, 2
    return delimited(function_graphs, delimited(pre_optimization_graph, graph))
