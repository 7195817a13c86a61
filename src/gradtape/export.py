"""`tf.export`: traced functions in a form that other programs run."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence

from .base.namespaces import listing
from .trace.concrete import ConcreteFunction
from .trace.engines import checked
from .trace.function import Function

__all__ = ["stablehlo"]

PLATFORMS = ("cpu", "cuda", "rocm", "tpu")


def stablehlo(
    function: Function | ConcreteFunction,
    file: str | os.PathLike[str],
    platforms: str | Sequence[str] = ("cpu", "cuda", "tpu"),
) -> None:
    """Write a traced function to a file as StableHLO, with the present values of its variables.

    Any program with JAX runs it, without gradtape: `jax.export.deserialize(open(file, "rb").read()).call(*arrays)` gives the
    tensors that the function returns, in the order of `tf.nest.flatten`. It needs the extra `xla`.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> double = tf.function(lambda x: x + x, input_signature=[tf.TensorSpec([2])])
    >>> tf.export.stablehlo(double, os.path.join(tempfile.mkdtemp(), "double.bin"))  # doctest: +SKIP

    Args:
        function: A `tf.function` with an `input_signature`, or what `get_concrete_function` gives; all sizes are known.
        file: The file.
        platforms: The kinds of devices it is for: "cpu", "cuda", "rocm", "tpu".

    Raises:
        TypeError: The function is no `tf.function`, or nothing says what it is given.
        ValueError: There is no such platform.
        ModuleNotFoundError: jax, or flatbuffers, in which it writes, is not installed.
        UnimplementedError: Something of it stays on the host, or it assigns variables; the message names it.
    """
    checked("xla")
    if not isinstance(function, (Function, ConcreteFunction)):
        raise TypeError(
            f"export.stablehlo: a tf.function is needed, got {function!r}. Use tf.function(f, input_signature=[...])."
        )
    if isinstance(function, Function) and function.input_signature is None:
        raise TypeError(
            f"export.stablehlo: {function.name} has no input_signature, which says what it is given. Give it one, or export "
            f"{function.name}.get_concrete_function(...)."
        )
    names = [platforms] if isinstance(platforms, str) else list(platforms)
    unknown = [name for name in names if name not in PLATFORMS]
    if unknown or not names:
        raise ValueError(f"export.stablehlo: platforms are some of {', '.join(PLATFORMS)}; got {platforms!r}.")
    if importlib.util.find_spec("flatbuffers") is None:
        raise ModuleNotFoundError(
            "export.stablehlo needs the package flatbuffers: pip install flatbuffers.", name="flatbuffers"
        )
    from .xla.stablehlo import exported

    concrete = function.get_concrete_function() if isinstance(function, Function) else function
    data = exported(concrete, names)
    with open(file, "wb") as opened:
        opened.write(data)


__dir__ = listing(globals())
