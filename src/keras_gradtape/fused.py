"""Updates in place: the usual optimizers as NumPy kernels over all variables, block by block.

Keras writes an update as a dozen ops on each variable; each op makes a new array of the variable's size. Here an update runs
through blocks that stay in the processor's cache, and writes into the arrays that the variables have. An array that
somebody else still holds (a tensor that was read, a tape) is left as it is, and the variable gets one of its own.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.dtypes import Array
from gradtape.trace.control import effect_in_world
from gradtape.traceable import traceable

# Elements of a block. Five arrays of this length take 640 KB in float32.
BLOCK = 32768

Kernel = Callable[[Any, list[Any], list[Any], float], None]


def update(optimizer: Any, grads: list[Any], variables: list[Any], learning_rate: Any) -> bool:
    """Update the variables in place, if there is a kernel for this optimizer and these types; whether it was done."""
    kernel = _kernels().get(type(optimizer).update_step)
    if kernel is None or not all(_fits(g, v) for g, v in zip(grads, variables, strict=True)):
        return False
    _run(kernel, optimizer, list(grads), list(variables), learning_rate)
    return True


def _fits(grad: Any, variable: Any) -> bool:
    """Whether both are tensors of one wide type and one shape."""
    value = variable._value
    same = value is not None and grad.dtype is value.dtype and grad.dtype.numpy.char in "fd"
    return same and grad.shape == value.shape


def _run_now(kernel: Kernel, optimizer: Any, grads: list[Any], variables: list[Any], learning_rate: Any) -> None:
    kernel(optimizer, grads, variables, float(learning_rate))


def _run_in_world(
    world: Any, function: Any, kernel: Kernel, optimizer: Any, grads: Any, variables: Any, rate: Any
) -> None:
    effect_in_world(world, function, kernel, optimizer, grads, variables, rate)
    world.forget([*variables, *optimizer.variables])


# Inside a traced function the whole update is one step, and one call of its program.
_run = traceable(_run_now, always=True, in_world=_run_in_world)


@functools.cache
def _kernels() -> dict[Any, Kernel]:
    """Keyed by the method that says the update, so that a subclass with an update of its own is left alone."""
    from keras.src.optimizers import adagrad, adam, rmsprop, sgd

    return {
        sgd.SGD.update_step: _sgd,
        adam.Adam.update_step: _adam,
        rmsprop.RMSprop.update_step: _rmsprop,
        adagrad.Adagrad.update_step: _adagrad,
    }


def array_to_write(variable: Any) -> Array:
    """The variable's array, flat, to be written to; one of its own if others hold the present one."""
    value = variable._value
    array = value._array
    # Three references each: the holder's, the name here, and the argument of getrefcount.
    own = array.__class__ is np.ndarray and sys.getrefcount(value) == 3 and sys.getrefcount(array) == 3
    if not (own and array.flags.owndata and array.flags.writeable and array.flags.c_contiguous):
        array = np.array(array, order="C")
        variable._store(array)
    return array.reshape(-1)


def _over_blocks(compute: Callable[..., None], grad: Any, *variables: Any) -> None:
    """Call `compute` with the same stretches of a gradient, of the variables' arrays, and of one to compute in."""
    arrays = [np.asarray(grad._array).reshape(-1), *(array_to_write(v) for v in variables)]
    size = arrays[0].size
    scratch = np.empty(min(size, BLOCK), arrays[0].dtype)
    for start in range(0, size, BLOCK):
        parts = [array[start : start + BLOCK] for array in arrays]
        compute(*parts, scratch[: parts[0].size])


def _slots(optimizer: Any, slots: list[Any], variables: list[Any]) -> list[Any]:
    return [slots[optimizer._get_variable_index(variable)] for variable in variables]


def _sgd(optimizer: Any, grads: list[Any], variables: list[Any], rate: float) -> None:
    momentum = float(optimizer.momentum)

    def plain(g: Array, w: Array, s: Array) -> None:
        np.multiply(g, rate, out=s)
        np.subtract(w, s, out=w)

    def with_momentum(g: Array, w: Array, m: Array, s: Array) -> None:
        np.multiply(m, momentum, out=m)
        np.multiply(g, rate, out=s)
        np.subtract(m, s, out=m)
        if optimizer.nesterov:
            np.subtract(w, s, out=w)
            np.multiply(m, momentum, out=s)
            np.add(w, s, out=w)
        else:
            np.add(w, m, out=w)

    if not momentum:
        for grad, variable in zip(grads, variables, strict=True):
            _over_blocks(plain, grad, variable)
        return
    for grad, variable, slot in zip(grads, variables, _slots(optimizer, optimizer.momentums, variables), strict=True):
        _over_blocks(with_momentum, grad, variable, slot)


def _adam(optimizer: Any, grads: list[Any], variables: list[Any], rate: float) -> None:
    beta1, beta2, epsilon = float(optimizer.beta_1), float(optimizer.beta_2), float(optimizer.epsilon)
    slots = [_slots(optimizer, optimizer._momentums, variables), _slots(optimizer, optimizer._velocities, variables)]
    if optimizer.amsgrad:
        slots.append(_slots(optimizer, optimizer._velocity_hats, variables))
    step = int(optimizer.iterations) + 1

    def compute(alpha: Any, g: Array, w: Array, m: Array, v: Array, *rest: Array) -> None:
        *largest, s = rest
        np.subtract(g, m, out=s)
        np.multiply(s, 1 - beta1, out=s)
        np.add(m, s, out=m)
        np.multiply(g, g, out=s)
        np.subtract(s, v, out=s)
        np.multiply(s, 1 - beta2, out=s)
        np.add(v, s, out=v)
        if largest:
            v = np.maximum(largest[0], v, out=largest[0])
        np.sqrt(v, out=s)
        np.add(s, epsilon, out=s)
        np.divide(m, s, out=s)
        np.multiply(s, alpha, out=s)
        np.subtract(w, s, out=w)

    for grad, variable, *own in zip(grads, variables, *slots, strict=True):
        alpha = _adam_rate(grad._array.dtype.type, rate, beta1, beta2, step)
        _over_blocks(functools.partial(compute, alpha), grad, variable, *own)


def _adam_rate(kind: Any, rate: float, beta1: float, beta2: float, step: int) -> Any:
    """The rate with both corrections, computed in the type of the variable as Keras does."""
    return kind(rate) * np.sqrt(kind(1) - kind(beta2) ** kind(step)) / (kind(1) - kind(beta1) ** kind(step))


def _rmsprop(optimizer: Any, grads: list[Any], variables: list[Any], rate: float) -> None:
    rho, momentum, epsilon = float(optimizer.rho), float(optimizer.momentum), float(optimizer.epsilon)
    slots = [_slots(optimizer, optimizer._velocities, variables)]
    if momentum > 0:
        slots.append(_slots(optimizer, optimizer._momentums, variables))
    if optimizer.centered:
        slots.append(_slots(optimizer, optimizer._average_gradients, variables))

    def compute(g: Array, w: Array, v: Array, *rest: Array) -> None:
        *more, s = rest
        np.multiply(g, g, out=s)
        np.multiply(s, 1 - rho, out=s)
        np.multiply(v, rho, out=v)
        np.add(v, s, out=v)
        if optimizer.centered:
            average = more[-1]
            np.multiply(g, 1 - rho, out=s)
            np.multiply(average, rho, out=average)
            np.add(average, s, out=average)
            np.multiply(average, average, out=s)
            np.subtract(v, s, out=s)
            np.add(s, epsilon, out=s)
        else:
            np.add(v, epsilon, out=s)
        np.sqrt(s, out=s)
        np.divide(g, s, out=s)
        np.multiply(s, rate, out=s)
        if momentum > 0:
            np.multiply(more[0], momentum, out=more[0])
            s = np.add(more[0], s, out=more[0])
        np.subtract(w, s, out=w)

    for grad, variable, *own in zip(grads, variables, *slots, strict=True):
        _over_blocks(compute, grad, variable, *own)


def _adagrad(optimizer: Any, grads: list[Any], variables: list[Any], rate: float) -> None:
    epsilon = float(optimizer.epsilon)

    def compute(g: Array, w: Array, a: Array, s: Array) -> None:
        np.multiply(g, g, out=s)
        np.add(a, s, out=a)
        np.add(a, epsilon, out=s)
        np.sqrt(s, out=s)
        np.divide(g, s, out=s)
        np.multiply(s, rate, out=s)
        np.subtract(w, s, out=w)

    slots = _slots(optimizer, optimizer._accumulators, variables)
    for grad, variable, slot in zip(grads, variables, slots, strict=True):
        _over_blocks(compute, grad, variable, slot)
