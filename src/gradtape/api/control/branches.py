"""One of several functions is called: `cond`, `case`, `switch_case`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ...base import dtypes
from ...base.errors import BranchTypeError, UnimplementedError, invalid
from ...base.traceable import traceable
from ...base.types import Value
from ...differentiation.vectorize import Batched
from ...ops.array.layout import reshape
from ...ops.math.logic import equal, logical_not, zeros_like
from ...trace.abstract_tensor import AbstractTensor
from ...trace.control import branches_on_abstract, chosen_on_abstract, effect_on_abstract, trace_branches
from ...trace.symbolic import is_symbolic
from ...values.tensor import Tensor, to_tensor
from ...variables.variable import Variable

_Result = TypeVar("_Result")


def cond(
    pred: object,
    true_fn: Callable[[], _Result] | None = None,
    false_fn: Callable[[], _Result] | None = None,
    name: str | None = None,
) -> _Result:
    """What `true_fn` returns if `pred` is true, else what `false_fn` returns; the other one is not called.

    >>> import gradtape as tf
    >>> x = tf.constant(3.0)
    >>> tf.cond(x > 2.0, lambda: x * x, lambda: -x).numpy()
    np.float32(9.0)

    Args:
        pred: One truth value.
        true_fn: Called if it is true; it has no parameters.
        false_fn: Called if it is false; it has no parameters, and returns the structure that `true_fn` returns.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        What the chosen function returns.

    Raises:
        TypeError: A function is missing, or cannot be called.
    """
    for label, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is None:
            raise TypeError(f"cond(): '{label}' argument required")
        if not callable(function):
            raise TypeError(f"'{label}' must be callable.")
    assert true_fn is not None
    assert false_fn is not None
    return true_fn() if truth_of(pred) else false_fn()


def truth_of(pred: object) -> bool:
    """Whether a condition holds: a truth value, or a tensor of one element."""
    if isinstance(pred, (bool, np.bool_)):
        return bool(pred)
    return bool(shared_by_batch(to_tensor(pred)))


def shared_by_batch(value: Any) -> Any:
    """The value that all slices of a vectorized map have in common; without one the map takes them one after the other."""
    if not isinstance(value, Batched):
        return value
    found = np.unique(np.asarray(value.data))
    if len(found) != 1:
        raise UnimplementedError(None, None, "The slices take branches, or numbers of rounds, of their own.")
    return found[0]


def case(
    pred_fn_pairs: Sequence[tuple[Any, Callable[[], _Result]]] | Mapping[Any, Callable[[], _Result]],
    default: Callable[[], _Result] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> _Result:
    """What the function of the first true predicate returns; without one, what `default` returns.

    >>> import gradtape as tf
    >>> x = tf.constant(1.0)
    >>> tf.case([(x < 0.0, lambda: "negative"), (x > 0.0, lambda: "positive")], default=lambda: "zero")
    'positive'

    Args:
        pred_fn_pairs: A list of pairs of a predicate and a function without arguments; a dict with `exclusive`.
        default: The function that is called where no predicate is true.
        exclusive: Whether at most one predicate may be true; the order does not matter then, which lets a dict be given.
        strict: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        What the function returns.

    Raises:
        tf.errors.InvalidArgumentError: No predicate is true, and there is no default; or several are, with `exclusive`.
    """
    pairs = _checked_pairs(pred_fn_pairs, default, exclusive)
    if exclusive:
        _check_exclusive([pred for pred, _ in pairs], default is None)
    for pred, function in pairs:
        if truth_of(pred):
            return function()
    if default is None:
        _check_any([pred for pred, _ in pairs])
    assert default is not None
    return default()


def _check_any(preds: list[Any]) -> None:
    """Raise unless a predicate of a `case` without default is true."""
    if not any(map(truth_of, preds)):
        raise invalid(f"case: none of the {len(preds)} conditions is true, and there is no default.")


def _check_exclusive(preds: list[Any], without_last: bool) -> None:
    """Raise if more than one predicate is true. Without a default the last of them is not asked, as in TensorFlow."""
    holds = [truth_of(pred) for pred in (preds[:-1] if without_last else preds)]
    if sum(holds) > 1:
        raise invalid(
            f"case: exclusive=True, but the conditions {[i for i, true in enumerate(holds) if true]} are true at once. Let one "
            "condition hold at a time, or take the first that holds with exclusive=False and a list of pairs."
        )


def _checked_pairs(pred_fn_pairs: Any, default: object, exclusive: bool) -> list[tuple[Any, Callable[[], Any]]]:
    if default is not None and not callable(default):
        raise TypeError(f"'default' must be callable, got {default!r}.")
    if isinstance(pred_fn_pairs, dict):
        if not exclusive:
            raise ValueError(
                "Unordered dictionaries are not supported for 'pred_fn_pairs' when `exclusive=False`: pass a list of pairs."
            )
        pairs = list(pred_fn_pairs.items())
    elif isinstance(pred_fn_pairs, (list, tuple)):
        pairs = list(pred_fn_pairs)
    else:
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}")
    if not pairs:
        raise ValueError("'pred_fn_pairs' is empty: give at least one pair of a predicate and a function.")
    checked = []
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair!r}.")
        pred, function = pair
        pred = pred.deref() if hasattr(pred, "deref") else pred
        if not isinstance(pred, (Tensor, Variable)):
            raise TypeError(f"pred must be a Tensor, got: {pred!r}")
        if pred.dtype != dtypes.bool:
            raise BranchTypeError(f"pred must be Tensor of type bool, got {pred.dtype!r}")
        if not callable(function):
            raise BranchTypeError(f"fn for pred {pred!r} must be callable, got {function!r}.")
        checked.append((pred, function))
    return checked


def switch_case(
    branch_index: Any,
    branch_fns: Sequence[Callable[[], _Result] | tuple[int, Callable[[], _Result]]]
    | Mapping[int, Callable[[], _Result]],
    default: Callable[[], _Result] | None = None,
    name: str = "switch_case",
) -> _Result:
    """What the function of that number returns; out of range, what `default` returns, or else the last function.

    >>> import gradtape as tf
    >>> tf.switch_case(tf.constant(1), [lambda: "zero", lambda: "one"])
    'one'

    Args:
        branch_index: A whole number, as a tensor.
        branch_fns: A list of functions without arguments, or a dict or list of pairs from numbers to functions.
        default: The function for numbers out of range; without it, the last one.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        What the function returns.

    Raises:
        TypeError: The index is no integer tensor.
    """
    functions = _numbered(branch_fns)
    if not isinstance(branch_index, (Tensor, Variable)):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype!r}")
    if to_tensor(branch_index).ndim:
        raise invalid(f"switch_case: 'branch_index' must be a scalar, got shape {branch_index.shape}.")
    if default is not None:
        if not callable(default):
            raise TypeError(f"'default' must be callable, got {default!r}.")
        functions.append(default)
    number = int(shared_by_batch(branch_index))
    return functions[number if 0 <= number < len(functions) else -1]()


def _numbered(branch_fns: Any) -> list[Callable[[], Any]]:
    if isinstance(branch_fns, dict):
        pairs = list(branch_fns.items())
    elif isinstance(branch_fns, (list, tuple)):
        pairs = list(enumerate(branch_fns)) if branch_fns and all(callable(f) for f in branch_fns) else list(branch_fns)
    else:
        raise TypeError(f"'branch_fns' must be a list, tuple, or dict, got {type(branch_fns)}")
    if not pairs:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair!r}.")
        if isinstance(pair[0], bool) or not isinstance(pair[0], int):
            raise TypeError(f"key must be a Python `int`, got {type(pair[0])}")
        if not callable(pair[1]):
            raise TypeError(f"fn for key {pair[0]} must be callable, got {pair[1]!r}.")
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(pairs))):
        raise ValueError(f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found {keys}")
    by_number = dict(pairs)
    return [by_number[key] for key in keys]


# --- inside traced functions -------------------------------------------------------------------------------------------


def _trace_cond(trace: Any, pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    if isinstance(pred, bool):
        raise TypeError(
            f"pred must not be a Python bool inside tf.function, got {pred}: use a tensor, or Python's `if`."
        )
    if not is_symbolic(pred):
        return cond.__wrapped__(pred, true_fn, false_fn)  # type: ignore[attr-defined]
    for label, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"'{label}' must be callable.")
    if pred.shape.rank not in (0, None) and pred.shape.num_elements() != 1:
        raise ValueError(f"tf.cond: the predicate must be a scalar, got shape {pred.shape}.")
    return trace.step(cond, (pred, *trace_branches(trace, [true_fn, false_fn], "cond")), {})


def _cond_on_abstract(evaluator: Any, function: Any, pred: Value, true_fn: Any, false_fn: Any) -> Any:
    if pred.__class__ is not AbstractTensor:
        return chosen_on_abstract(evaluator, 0 if truth_of(pred) else 1, [true_fn, false_fn])
    condition = reshape(pred, shape=())
    is_false = logical_not(condition) if pred.dtype is dtypes.bool else equal(condition, zeros_like(condition))
    return branches_on_abstract(evaluator, is_false, [true_fn, false_fn])


def _trace_case(
    trace: Any,
    pred_fn_pairs: Any,
    default: Any = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    pairs = _checked_pairs(pred_fn_pairs, default, exclusive)
    preds = [pred for pred, _ in pairs]
    if exclusive:
        _check_exclusive(preds, default is None)
    if default is None:
        _check_any(preds)
    otherwise = default if default is not None else pairs[-1][1]
    for pred, function in reversed(pairs if default is not None else pairs[:-1]):
        otherwise = _branch(pred, function, otherwise)
    return otherwise()


def _branch(pred: Any, function: Any, otherwise: Any) -> Any:
    return lambda: cond(pred, function, otherwise)


def _trace_switch_case(
    trace: Any,
    branch_index: Value,
    branch_fns: object,
    default: Any = None,
    name: str = "switch_case",
) -> Any:
    functions = _numbered(branch_fns)
    if not is_symbolic(branch_index):
        return switch_case.__wrapped__(branch_index, branch_fns, default)  # type: ignore[attr-defined]
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype!r}")
    branch_index = reshape(branch_index, shape=()) if branch_index.shape.rank != 0 else branch_index
    graphs = trace_branches(trace, [*functions, *([default] if default is not None else [])], "switch_case")
    others = {"default": graphs[-1]} if default is not None else {}
    return trace.step(switch_case, (branch_index, graphs[: len(functions)]), others)


def _switch_case_on_abstract(
    evaluator: Any,
    function: Any,
    branch_index: Value,
    branch_fns: Any,
    default: Any = None,
) -> Any:
    functions = [*branch_fns, *([default] if default is not None else [])]
    if branch_index.__class__ is not AbstractTensor:
        number = int(shared_by_batch(to_tensor(branch_index)))
        return chosen_on_abstract(evaluator, number if 0 <= number < len(functions) else -1, functions)
    return branches_on_abstract(evaluator, branch_index, functions)


cond = traceable(cond, always=True, on_abstract=_cond_on_abstract, on_trace=_trace_cond)
_check_any = traceable(_check_any, on_abstract=effect_on_abstract)
_check_exclusive = traceable(_check_exclusive, on_abstract=effect_on_abstract)
case = traceable(case, always=True, on_trace=_trace_case)
switch_case = traceable(switch_case, always=True, on_abstract=_switch_case_on_abstract, on_trace=_trace_switch_case)
