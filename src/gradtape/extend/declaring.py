"""The decorators of `gradtape.extend`: an op that is declared outside the package.

It is an `Op` as those inside. So that its author needs to know no internals, its rules are given tensors and may call any
function of gradtape (rules inside run on bare arrays), and NumPy does not warn in its kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..base.dtypes import FLOATING, as_dtype
from ..base.errors import OpDeclarationError
from ..op.declaration import Derivative, Op, Rule
from ..op.family import make_elementwise
from ..op.shapes import broadcasted
from ..ops import load_all
from ..values.tensor import EagerTensor, from_array


class OutsideOp(Op):
    """An op of another package."""

    def _derivative(self, argument: str, rule: Rule, known: Iterable[str] = ()) -> Derivative:
        declared = super()._derivative(argument, rule, known)
        return Derivative(_on_tensors(rule), declared.needs)


def op(
    kernel: Rule | None = None,
    *,
    eager: Rule | None = None,
    dtypes: Iterable[Any] | None = None,
    other: dict[str, Iterable[Any]] | None = None,
    outputs: int = 1,
    retypes: bool = False,
) -> Any:
    """Decorator: declare a function as an op. The name then stands for the op, and `name.public` is what users call.

    >>> import gradtape as tf
    >>> @tf.extend.op
    ... def example_total(xp, x):
    ...     "The sum of all elements."
    ...     return xp.sum(x)
    >>> example_total.public([1.0, 2.0]).numpy()
    np.float32(3.0)

    Args:
        kernel: The function: `kernel(xp, x, y, *, attribute=default)`. `xp` is NumPy, or a module with the same names. The
            other positional parameters are the operands, as arrays; the keyword-only ones are attributes.
        eager: What computes the same on NumPy arrays, called without `xp`, where something faster than `kernel` is at hand.
        dtypes: The types of the operands for which the op is defined; the floating ones if None.
        other: Operands of another type than the rest: the name of each with its types, for example
            `{"indices": [tf.int32, tf.int64]}`.
        outputs: How many arrays the kernel returns.
        retypes: Whether the outputs keep the types that the kernel gives them. Else they get the type of the operands.

    Returns:
        The op, or a decorator where `kernel` is not given.

    Raises:
        OpDeclarationError: The name is taken, or the kernel is no Python function with these parameters.
    """
    options = {
        "eager": eager,
        "other": {name: _numpy_types(types) for name, types in (other or {}).items()},
        "outputs": outputs,
        "retypes": retypes,
    }
    return _decorator(kernel, OutsideOp, dtypes, options)


def elementwise(
    kernel: Rule | None = None,
    *,
    eager: Rule | None = None,
    dtypes: Iterable[Any] | None = None,
    retypes: bool = False,
) -> Any:
    """Decorator: declare an op that treats each element by itself, with broadcasting between its operands.

    One `derivative` for each operand gives it the reverse, forward and batching rules. The arguments are those of `op`.

    >>> import gradtape as tf
    >>> @tf.extend.elementwise
    ... def example_cube(xp, x):
    ...     "x * x * x."
    ...     return x * x * x
    >>> @example_cube.derivative("x")
    ... def _(t, x):
    ...     return t * 3.0 * x * x
    >>> x = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = example_cube.public(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(12.0)

    Args:
        kernel: The function: `kernel(xp, x, y, *, attribute=default)`.
        eager: What computes the same on NumPy arrays, called without `xp`.
        dtypes: The types of the operands for which the op is defined; the floating ones if None.
        retypes: Whether the outputs keep the types that the kernel gives them.

    Returns:
        The op, or a decorator where `kernel` is not given.

    Raises:
        OpDeclarationError: The name is taken, or the kernel is no Python function with these parameters.
    """

    def declare(kernel: Rule, **options: Any) -> Op:
        return make_elementwise(OutsideOp(kernel, broadcasts=True, shape=broadcasted, **options))

    return _decorator(kernel, declare, dtypes, {"eager": eager, "retypes": retypes})


def _decorator(
    kernel: Rule | None, declare: Callable[..., Op], dtypes: Iterable[Any] | None, options: dict[str, Any]
) -> Any:
    """The op, or what declares it: a decorator may be written with and without parentheses."""
    allowed = FLOATING if dtypes is None else _numpy_types(dtypes)

    def decorate(kernel: Rule) -> Op:
        load_all()  # so that a name that gradtape has is refused here, not when gradtape's op is imported
        declared = declare(kernel, dtypes=allowed, **options)
        declared.eager = _kernel(declared)
        return declared

    return decorate if kernel is None else decorate(kernel)


def _numpy_types(dtypes: Iterable[Any]) -> frozenset[np.dtype[Any]]:
    try:
        found = frozenset(as_dtype(dtype).numpy for dtype in dtypes)
    except (TypeError, AttributeError) as error:
        raise OpDeclarationError(f"dtypes must be a list of types, such as [tf.float32, tf.float64]: {error}") from None
    return found


def _kernel(op: Op) -> Rule:
    """The op's kernel on arrays. NumPy does not warn in it, and what it gives has the type of the operands (unless `retypes`)."""
    compute = op.eager
    typed = next(position for position, name in enumerate(op.arguments) if name not in op.other)

    def run(*arrays: Any, **attributes: Any) -> Any:
        with np.errstate(all="ignore"):
            result = compute(*arrays, **attributes)
        if op.retypes or not _is_bare(arrays[typed]):
            return result
        dtype = arrays[typed].dtype
        return _of_type(result, dtype) if op.outputs == 1 else [_of_type(part, dtype) for part in result]

    return run


def _of_type(result: Any, dtype: np.dtype[Any]) -> Any:
    return result.astype(dtype) if _is_bare(result) and result.dtype != dtype else result


def _on_tensors(rule: Rule) -> Rule:
    """The rule with tensors in place of arrays. A pass that is not recorded works on arrays: it gets an array back."""

    def run(direction: object, *saved: object) -> Any:
        result = rule(_wrapped(direction), *[_wrapped(value) for value in saved])
        return _bare(result) if _is_bare(direction) else result

    return run


def _is_bare(value: object) -> bool:
    if value.__class__ is list:
        return any(_is_bare(part) for part in value)
    return isinstance(value, (np.ndarray, np.generic))


def _wrapped(value: Any) -> Any:
    if value.__class__ is list:
        return [_wrapped(part) for part in value]
    return from_array(value) if _is_bare(value) else value


def _bare(value: object) -> Any:
    if isinstance(value, (list, tuple)):
        return [_bare(part) for part in value]
    return value._array if value.__class__ is EagerTensor else value
