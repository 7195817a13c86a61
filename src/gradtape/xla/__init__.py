"""`tf.xla`: compiled functions under their older names. And the engine `xla`, which imports jax when it is asked for.

`lowering` runs a program while jax traces it, `parts` cuts out what stays on the host, `arrays` has the values on devices, and
`executor` puts the programs of a function on XLA in place of Python lines and machine code. `checks` is the engine `xla-checked`,
which raises errors that depend on values.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ..base.namespaces import listing, namespace
from ..base.places import Place
from ..trace.engines import ENGINES, Engine, Executor
from ..trace.function import function
from ..trace.graph import Graph
from ..values.tensor import TensorSpec

__all__ = ["experimental"]


@namespace("gradtape.xla.experimental")
class experimental:
    """`tf.xla.experimental`: earlier ways to ask for compiled functions."""

    @staticmethod
    def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> Any:
        """What the function returns for the inputs, compiled: the same as `tf.function(f, jit_compile=True)(*inputs)`.

        >>> import gradtape as tf
        >>> tf.xla.experimental.compile(lambda x: x + x, [tf.constant(2.0)]).numpy()
        np.float32(4.0)

        Args:
            computation: A function of tensors.
            inputs: A list of its arguments.

        Returns:
            What it returns.
        """
        return function(computation, jit_compile=True)(*(inputs or ()))

    @staticmethod
    def jit_scope(compile_ops: bool = True, separate_compiled_gradients: bool = False) -> AbstractContextManager[None]:
        """Accepted: `tf.function(jit_compile=True)` is what compiles.

        >>> import gradtape as tf
        >>> with tf.xla.experimental.jit_scope():
        ...     y = tf.constant(2.0) + 1.0

        Args:
            compile_ops: Ignored; accepted for compatibility with TensorFlow.
            separate_compiled_gradients: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A context manager.
        """
        return nullcontext()


def checked() -> None:
    """ModuleNotFoundError where the package jax is not installed."""
    if importlib.util.find_spec("jax") is None:
        raise ModuleNotFoundError("The engine 'xla' needs the package jax: pip install 'jax>=0.10'.", name="jax")


def _executor(graph: Graph, specs: list[TensorSpec], place: Place | None) -> Executor:
    from .executor import graph_on

    return graph_on(place)(graph, specs)


def _checked_executor(graph: Graph, specs: list[TensorSpec], place: Place | None) -> Executor:
    from .checks import checked_graph_on

    return checked_graph_on(place)(graph, specs)


ENGINES["xla"] = Engine(checked, _executor)
ENGINES["xla-checked"] = Engine(checked, _checked_executor)

__dir__ = listing(globals())
