"""`summary.gradients`: how large each variable's gradient is, and how its elements are distributed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import nest
from ..base.dtypes import Array
from ..base.types import TensorLike
from ..differentiation.tape import GradientTape
from ..values.tensor import Tensor, to_tensor
from .values import histogram, scalar, text
from .writer import as_effect, recording, should_record_summaries

NORMS = "gradient_norms"
GLOBAL = f"{NORMS}/global"


def gradients(
    gradients: TensorLike,
    variables: object = None,
    step: object = None,
    *,
    target: object = None,
    histograms: bool = True,
) -> Tensor:
    """Write the norm of each gradient, of all together, and a histogram of each, under the variables' names.

    The tags are "gradient_norms/NAME", "gradient_norms/global" and "gradients/NAME". Variables whose gradient is None
    are listed in a text under "gradients/none". An infinite or NaN norm is written as it is, so that it can be seen.

    >>> import gradtape as tf, tempfile
    >>> w = tf.Variable([3.0, 4.0], name="w")
    >>> with tf.GradientTape() as tape:
    ...     loss = tf.reduce_sum(w * w) / 2
    >>> grads = tape.gradient(loss, [w])
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=1):
    ...     tf.summary.gradients(grads, [w])
    <tf.Tensor: shape=(), dtype=bool, numpy=True>

    Args:
        gradients: The gradients, in the structure of `variables`; or pairs of a gradient and a variable, as
            `optimizer.apply_gradients` takes them; or a persistent tape, with the `target` to differentiate.
        variables: The variables; those that a tape watches where it is left out.
        step: When, in steps of the program; the default step where it is None.
        target: What a tape is asked for the gradient of.
        histograms: Whether to write them too.

    Returns:
        Whether they were recorded, as a tensor.

    Raises:
        ValueError: Gradients and variables do not fit together, or there is no step.
    """
    named = _named(_pairs(gradients, variables, target))
    return _write(list(named), list(named.values()), step, histograms)


@as_effect
def _write(names: list[str], gradients: list[Any], step: object, histograms: bool) -> Any:
    if not recording():
        return should_record_summaries()
    squares, missing = 0.0, []
    for name, gradient in zip(names, gradients, strict=True):
        if gradient is None:
            missing.append(name)
            continue
        elements = _elements(gradient)
        # In float64: the squares of large float32 numbers are too large for float32.
        square = float(np.sum(np.square(np.abs(elements.astype(np.result_type(elements, np.float64))))))
        squares += square
        scalar(f"{NORMS}/{name}", square**0.5, step)
        if histograms:
            histogram(f"gradients/{name}", np.abs(elements) if elements.dtype.kind == "c" else elements, step)
    scalar(GLOBAL, squares**0.5, step, "The norm of all gradients together.")
    if missing:
        text("gradients/none", "No gradient: " + ", ".join(missing), step)
    return should_record_summaries()


def _pairs(gradients: Any, variables: Any, target: Any) -> list[tuple[Any, Any]]:
    if isinstance(gradients, GradientTape):
        if target is None:
            raise ValueError("summary.gradients of a tape needs `target`, the loss to differentiate.")
        variables = gradients.watched_variables() if variables is None else variables
        gradients = gradients.gradient(target, variables)
    elif target is not None:
        raise ValueError("summary.gradients: `target` is for a tape; the gradients are given already.")
    if variables is None:
        pairs = [tuple(pair) if isinstance(pair, (list, tuple)) else (pair,) for pair in gradients]
        if any(len(pair) != 2 or not hasattr(pair[1], "name") for pair in pairs):
            raise ValueError(
                "summary.gradients: pairs of a gradient and a variable are needed, or the variables as second argument."
            )
        return [(gradient, variable) for gradient, variable in pairs]
    flat, named = nest.flatten(gradients), nest.flatten(variables)
    if len(flat) != len(named):
        raise ValueError(f"summary.gradients: {len(flat)} gradients for {len(named)} variables.")
    return list(zip(flat, named, strict=True))


def _named(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """The gradients by their variables' names; names that several variables have are numbered."""
    used: dict[str, int] = {}
    found = {}
    for gradient, variable in pairs:
        # (Keras's variables have the whole way in `path`.)
        name = str(getattr(variable, "path", None) or getattr(variable, "name", None) or "value").split(":")[0]
        count = used[name] = used.get(name, -1) + 1
        found[f"{name}_{count}" if count else name] = gradient
    return found


def _elements(gradient: TensorLike) -> Array:
    array: Array = np.asarray(to_tensor(gradient)._array)
    return array if array.dtype.kind in "fc" else array.astype(np.float32)
