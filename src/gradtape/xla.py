"""`tf.xla`: compiled functions under their older names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .base.namespaces import listing, namespace
from .trace import function

__all__ = ["experimental"]


@namespace("gradtape.xla.experimental")
class experimental:
    """`tf.xla.experimental`."""

    @staticmethod
    def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> Any:
        """What the function returns for the inputs, compiled: the same as `tf.function(f, jit_compile=True)(*inputs)`."""
        return function(computation, jit_compile=True)(*(inputs or ()))

    @staticmethod
    def jit_scope(compile_ops: bool = True, separate_compiled_gradients: bool = False) -> AbstractContextManager[None]:
        """Accepted: `tf.function(jit_compile=True)` is what compiles."""
        return nullcontext()


__dir__ = listing(globals())
