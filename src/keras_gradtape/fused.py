"""Updates in place: one kernel for each common optimizer, in one pass over a variable and its slots.

Keras writes an update as a dozen ops on each variable; each op makes a new array of the variable's size. Here an update writes
into the arrays that the variables have (`gradtape/native/updates.py`). An array that somebody else still holds (a tensor
that was read, a tape) is left as it is, and the variable gets one of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.base.traceable import traceable
from gradtape.native.updates import Update
from gradtape.trace.control import effect_on_abstract
from gradtape.values.tensor import IndexedSlices, to_tensor
from gradtape.variables.in_place import any_value, written
from keras_gradtape.ops.sparse.places import combined

Kernel = Callable[[Any, list[Any], list[Any], float], None]


def update(optimizer: Any, grads: list[Any], variables: list[Any], learning_rate: Any) -> bool:
    """Update the variables in place, if there is a kernel for this optimizer and these types; return whether it was done."""
    kernel = _kernels().get(type(optimizer).update_step)
    if kernel is None or not all(_fits(g, v) for g, v in zip(grads, variables, strict=True)):
        return False
    _run(kernel, optimizer, list(grads), list(variables), learning_rate)
    return True


def goes_over_all_rows(optimizer: Any) -> bool:
    """Whether there is a kernel for this optimizer that changes every row, also those whose gradient is zero."""
    kernel = _kernels().get(type(optimizer).update_step)
    return kernel is _adam or (kernel is not None and bool(getattr(optimizer, "momentum", 0)))


def _fits(grad: Any, variable: Any) -> bool:
    """Whether both are tensors of one wide type and one shape."""
    value = any_value(variable)
    same = value is not None and grad.dtype is value.dtype and grad.dtype.numpy.char in "fd"
    return same and grad.shape == value.shape


def _run_now(kernel: Kernel, optimizer: Any, grads: list[Any], variables: list[Any], learning_rate: Any) -> None:
    dense = []
    for grad, variable in zip(grads, variables, strict=True):
        if grad.__class__ is not IndexedSlices:
            dense.append((grad, variable))
        elif goes_over_all_rows(optimizer):
            dense.append((to_tensor(grad), variable))
        else:  # only when a traced function runs is it known which rows of sparse data have a gradient
            optimizer.update_step(combined(grad), variable, learning_rate)
    if dense:
        of_dense, changed = zip(*dense, strict=True)
        kernel(optimizer, list(of_dense), list(changed), float(learning_rate))


def _run_on_abstract(
    evaluator: Any, function: Any, kernel: Kernel, optimizer: Any, grads: Any, variables: Any, rate: Any
) -> None:
    if not getattr(evaluator, "updates_in_place", True):  # on another device: by Keras's own ops
        for grad, variable in zip(grads, variables, strict=True):
            optimizer.update_step(grad, variable, rate)
        return
    effect_on_abstract(evaluator, function, kernel, optimizer, grads, variables, rate)
    evaluator.forget([*variables, *optimizer.variables])


# Inside a traced function the whole update is one step, and one call of its program.
_run = traceable(_run_now, always=True, on_abstract=_run_on_abstract)


@functools.cache
def _kernels() -> dict[Any, Kernel]:
    """Keyed by the method that defines the update, so that a subclass with its own update is not affected."""
    from keras.src.optimizers import adagrad, adam, rmsprop, sgd

    return {
        sgd.SGD.update_step: _sgd,
        adam.Adam.update_step: _adam,
        rmsprop.RMSprop.update_step: _rmsprop,
        adagrad.Adagrad.update_step: _adagrad,
    }


def _apply(update: Update, numbers: tuple[float, ...], grad: Any, changed: list[Any]) -> None:
    """Update a variable and its slots by its gradient."""
    gradient = np.ascontiguousarray(grad._array).reshape(-1)
    written(changed, lambda arrays: update(gradient, [array.reshape(-1) for array in arrays], numbers))


def _slots(optimizer: Any, slots: list[Any], variables: list[Any]) -> list[Any]:
    return [slots[optimizer._get_variable_index(variable)] for variable in variables]


# --- descent ----------------------------------------------------------------------------------------------------------


def _plain_text(g: Any, w: Any, rate: Any) -> tuple[Any, ...]:
    w -= g * rate
    return (w,)


def _momentum_text(g: Any, w: Any, m: Any, rate: Any, momentum: Any) -> tuple[Any, ...]:
    m *= momentum
    m -= g * rate
    w += m
    return w, m


def _nesterov_text(g: Any, w: Any, m: Any, rate: Any, momentum: Any) -> tuple[Any, ...]:
    step = g * rate
    m *= momentum
    m -= step
    w -= step
    w += m * momentum
    return w, m


_PLAIN, _MOMENTUM, _NESTEROV = Update(_plain_text, 1), Update(_momentum_text, 2), Update(_nesterov_text, 2)


def _sgd(optimizer: Any, grads: list[Any], variables: list[Any], rate: float) -> None:
    momentum = float(optimizer.momentum)
    slots = [_slots(optimizer, optimizer.momentums, variables)] if momentum else []
    update = _PLAIN if not momentum else _NESTEROV if optimizer.nesterov else _MOMENTUM
    numbers = (rate, momentum) if momentum else (rate,)
    for grad, *changed in zip(grads, variables, *slots, strict=True):
        _apply(update, numbers, grad, changed)


# --- Adam -------------------------------------------------------------------------------------------------------------


def _adam_text(g: Any, w: Any, m: Any, v: Any, rate: Any, gain1: Any, gain2: Any, epsilon: Any) -> tuple[Any, ...]:
    m += (g - m) * gain1
    v += (g * g - v) * gain2
    w -= m / (np.sqrt(v) + epsilon) * rate
    return w, m, v


def _amsgrad_text(
    g: Any, w: Any, m: Any, v: Any, largest: Any, rate: Any, gain1: Any, gain2: Any, epsilon: Any
) -> tuple[Any, ...]:
    m += (g - m) * gain1
    v += (g * g - v) * gain2
    largest = np.maximum(largest, v)
    w -= m / (np.sqrt(largest) + epsilon) * rate
    return w, m, v, largest


_ADAM, _AMSGRAD = Update(_adam_text, 3), Update(_amsgrad_text, 4)


def _adam(optimizer: Any, grads: list[Any], variables: list[Any], rate: float) -> None:
    beta1, beta2, epsilon = float(optimizer.beta_1), float(optimizer.beta_2), float(optimizer.epsilon)
    slots = [_slots(optimizer, optimizer._momentums, variables), _slots(optimizer, optimizer._velocities, variables)]
    if optimizer.amsgrad:
        slots.append(_slots(optimizer, optimizer._velocity_hats, variables))
    step = int(optimizer.iterations) + 1
    update = _AMSGRAD if optimizer.amsgrad else _ADAM
    for grad, *changed in zip(grads, variables, *slots, strict=True):
        alpha = _adam_rate(grad._array.dtype.type, rate, beta1, beta2, step)
        _apply(update, (alpha, 1 - beta1, 1 - beta2, epsilon), grad, changed)


def _adam_rate(kind: Any, rate: float, beta1: float, beta2: float, step: int) -> Any:
    """The rate with both corrections, computed in the type of the variable as Keras does."""
    return kind(rate) * np.sqrt(kind(1) - kind(beta2) ** kind(step)) / (kind(1) - kind(beta1) ** kind(step))


# --- RMSprop ----------------------------------------------------------------------------------------------------------


@functools.cache
def _rmsprop_update(with_momentum: bool, centered: bool) -> Update:
    def text(g: Any, w: Any, v: Any, *rest: Any) -> tuple[Any, ...]:
        *slots, rate, rho, gain, momentum, epsilon = rest
        v *= rho
        v += g * g * gain
        spread = v
        if centered:
            average = slots[-1]
            average *= rho
            average += g * gain
            slots[-1] = average
            spread = v - average * average
        step = g / np.sqrt(spread + epsilon) * rate
        if with_momentum:
            slots[0] *= momentum
            slots[0] += step
            step = slots[0]
        w -= step
        return w, v, *slots

    return Update(text, 2 + with_momentum + centered)


def _rmsprop(optimizer: Any, grads: list[Any], variables: list[Any], rate: float) -> None:
    rho, momentum, epsilon = float(optimizer.rho), float(optimizer.momentum), float(optimizer.epsilon)
    slots = [_slots(optimizer, optimizer._velocities, variables)]
    if momentum > 0:
        slots.append(_slots(optimizer, optimizer._momentums, variables))
    if optimizer.centered:
        slots.append(_slots(optimizer, optimizer._average_gradients, variables))
    update = _rmsprop_update(momentum > 0, bool(optimizer.centered))
    for grad, *changed in zip(grads, variables, *slots, strict=True):
        _apply(update, (rate, rho, 1 - rho, momentum, epsilon), grad, changed)


# --- Adagrad ----------------------------------------------------------------------------------------------------------


def _adagrad_text(g: Any, w: Any, a: Any, rate: Any, epsilon: Any) -> tuple[Any, ...]:
    a += g * g
    w -= g / np.sqrt(a + epsilon) * rate
    return w, a


_ADAGRAD = Update(_adagrad_text, 2)


def _adagrad(optimizer: Any, grads: list[Any], variables: list[Any], rate: float) -> None:
    slots = _slots(optimizer, optimizer._accumulators, variables)
    for grad, *changed in zip(grads, variables, slots, strict=True):
        _apply(_ADAGRAD, (rate, float(optimizer.epsilon)), grad, changed)
