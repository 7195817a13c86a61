"""The kernels of optimizers: one step for a variable and its slots, or for rows of them.

Each rule takes the values of a variable and its slots, the gradient and the numbers of the kernel, and gives the new values. A
kernel is made of its row in `_KERNELS`: the order of TensorFlow's arguments, with the variables first in the rule.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import math
from ..api.arrays import zeros_like
from ..api.indexing import gather, where
from ..base.errors import NotATensorError, invalid
from ..values.tensor import IndexedSlices, to_tensor
from ..variables.variable import Variable

Values = tuple[Any, ...]


def _momentum(v: Values, grad: Any, lr: Any, momentum: Any, use_nesterov: bool) -> Values:
    var, accum = v
    accum = accum * momentum + grad
    return var - (lr * grad + lr * momentum * accum if use_nesterov else lr * accum), accum


def _keras_momentum(v: Values, grad: Any, lr: Any, momentum: Any, use_nesterov: bool) -> Values:
    var, accum = v
    accum = accum * momentum - lr * grad
    return var + (accum * momentum - lr * grad if use_nesterov else accum), accum


def _adamax(v: Values, grad: Any, beta1_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any) -> Values:
    var, m, norm = v
    m = m + (grad - m) * (1.0 - beta1)
    norm = math.maximum(beta2 * norm, math.abs(grad))
    return var - lr / (1.0 - beta1_power) * (m / (norm + epsilon)), m, norm


def _amsgrad(
    v: Values, grad: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any
) -> Values:
    var, m, second, largest = v
    m = m + (grad - m) * (1.0 - beta1)
    second = second + (grad * grad - second) * (1.0 - beta2)
    largest = math.maximum(largest, second)
    rate = lr * math.sqrt(1.0 - beta2_power) / (1.0 - beta1_power)
    return var - m * rate / (math.sqrt(largest) + epsilon), m, second, largest


def _adadelta(v: Values, grad: Any, lr: Any, rho: Any, epsilon: Any) -> Values:
    var, accum, updates = v
    accum = rho * accum + (1.0 - rho) * grad * grad
    step = math.sqrt(updates + epsilon) * math.rsqrt(accum + epsilon) * grad
    return var - lr * step, accum, rho * updates + (1.0 - rho) * step * step


def _adagrad(v: Values, grad: Any, lr: Any, update_slots: bool) -> Values:
    var, accum = v
    accum = accum + grad * grad if update_slots else accum
    return var - lr * grad * math.rsqrt(accum), accum


def _adagrad_v2(v: Values, grad: Any, lr: Any, epsilon: Any, update_slots: bool) -> Values:
    var, accum = v
    accum = accum + grad * grad if update_slots else accum
    return var - lr * grad / (math.sqrt(accum) + epsilon), accum


def _add_sign(v: Values, grad: Any, lr: Any, alpha: Any, sign_decay: Any, beta: Any) -> Values:
    var, m = v
    m = beta * m + (1.0 - beta) * grad
    return var - lr * (alpha + sign_decay * math.sign(grad) * math.sign(m)) * grad, m


def _power_sign(v: Values, grad: Any, lr: Any, logbase: Any, sign_decay: Any, beta: Any) -> Values:
    var, m = v
    m = beta * m + (1.0 - beta) * grad
    return var - lr * math.exp(logbase * sign_decay * math.sign(grad) * math.sign(m)) * grad, m


def _rmsprop(v: Values, grad: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any) -> Values:
    var, ms, mom = v
    ms = ms + (grad * grad - ms) * (1.0 - rho)
    mom = mom * momentum + lr * grad * math.rsqrt(ms + epsilon)
    return var - mom, ms, mom


def _centered_rmsprop(v: Values, grad: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any) -> Values:
    var, mg, ms, mom = v
    ms = ms + (grad * grad - ms) * (1.0 - rho)
    mg = mg + (grad - mg) * (1.0 - rho)
    mom = mom * momentum + lr * grad * math.rsqrt(ms - mg * mg + epsilon)
    return var - mom, mg, ms, mom


def _shrunk(moved: Any, rate: Any, l1: Any, l2: Any) -> Any:
    """The proximal step for the penalties `l1 * |w| + l2 / 2 * w^2`."""
    return math.sign(moved) * math.maximum(math.abs(moved) - rate * l1, 0.0) / (1.0 + l2 * rate)


def _proximal_descent(v: Values, delta: Any, alpha: Any, l1: Any, l2: Any) -> Values:
    (var,) = v
    return (_shrunk(var - alpha * delta, alpha, l1, l2),)


def _proximal_adagrad(v: Values, grad: Any, lr: Any, l1: Any, l2: Any) -> Values:
    var, accum = v
    accum = accum + grad * grad
    rate = lr * math.rsqrt(accum)
    return _shrunk(var - rate * grad, rate, l1, l2), accum


def _ftrl_v2(
    v: Values, grad: Any, lr: Any, l1: Any, l2: Any, l2_shrinkage: Any, lr_power: Any, multiply_linear_by_lr: bool
) -> Values:
    var, accum, linear = v
    squares = accum + grad * grad
    grown = squares**-lr_power - accum**-lr_power
    pushed = grad + 2.0 * l2_shrinkage * var
    if multiply_linear_by_lr:
        linear = linear + lr * pushed - grown * var
        edge, curvature = l1 * lr, squares**-lr_power + 2.0 * l2 * lr
    else:
        linear = linear + pushed - grown / lr * var
        edge, curvature = l1, squares**-lr_power / lr + 2.0 * l2
    inside = (math.sign(linear) * edge - linear) / curvature
    return where(math.abs(linear) > edge, inside, zeros_like(linear)), squares, linear


def _ftrl(
    v: Values, grad: object, lr: object, l1: object, l2: object, lr_power: object, multiply_linear_by_lr: bool
) -> Values:
    return _ftrl_v2(v, grad, lr, l1, l2, 0.0, lr_power, multiply_linear_by_lr)


class _Kernel(NamedTuple):
    rule: Callable[..., Values]
    variables: str
    arguments: str  # in TensorFlow's order
    flags: dict[str, bool]


_SLOTS, _NESTEROV, _LINEAR = {"update_slots": True}, {"use_nesterov": False}, {"multiply_linear_by_lr": False}
_KERNELS = {
    "Momentum": _Kernel(_momentum, "var accum", "lr grad momentum", _NESTEROV),
    "KerasMomentum": _Kernel(_keras_momentum, "var accum", "lr grad momentum", _NESTEROV),
    "AdaMax": _Kernel(_adamax, "var m v", "beta1_power lr beta1 beta2 epsilon grad", {}),
    "AdamWithAmsgrad": _Kernel(_amsgrad, "var m v vhat", "beta1_power beta2_power lr beta1 beta2 epsilon grad", {}),
    "Adadelta": _Kernel(_adadelta, "var accum accum_update", "lr rho epsilon grad", {}),
    "Adagrad": _Kernel(_adagrad, "var accum", "lr grad", _SLOTS),
    "AdagradV2": _Kernel(_adagrad_v2, "var accum", "lr epsilon grad", _SLOTS),
    "AddSign": _Kernel(_add_sign, "var m", "lr alpha sign_decay beta grad", {}),
    "PowerSign": _Kernel(_power_sign, "var m", "lr logbase sign_decay beta grad", {}),
    "RMSProp": _Kernel(_rmsprop, "var ms mom", "lr rho momentum epsilon grad", {}),
    "CenteredRMSProp": _Kernel(_centered_rmsprop, "var mg ms mom", "lr rho momentum epsilon grad", {}),
    "ProximalGradientDescent": _Kernel(_proximal_descent, "var", "alpha l1 l2 delta", {}),
    "ProximalAdagrad": _Kernel(_proximal_adagrad, "var accum", "lr l1 l2 grad", {}),
    "Ftrl": _Kernel(_ftrl, "var accum linear", "grad lr l1 l2 lr_power", _LINEAR),
    "FtrlV2": _Kernel(_ftrl_v2, "var accum linear", "grad lr l1 l2 l2_shrinkage lr_power", _LINEAR),
}
_OF_ROWS = ("Momentum", "KerasMomentum", "Adadelta", "Adagrad", "AdagradV2", "RMSProp", "CenteredRMSProp",
            "ProximalAdagrad", "Ftrl", "FtrlV2")  # fmt: skip


def names() -> list[str]:
    """The names of all kernels that are made here."""
    return [f"ResourceApply{name}" for name in _KERNELS] + [f"ResourceSparseApply{name}" for name in _OF_ROWS]


def _turns(indices: object) -> list[Any]:
    """The positions in an order of turns, in each of which no row comes twice: rows that repeat are changed again."""
    rows = np.asarray(to_tensor(indices)._array)
    order = np.argsort(rows, kind="stable")
    first = np.searchsorted(rows[order], rows[order])
    turn = np.empty_like(order)
    turn[order] = np.arange(len(rows)) - first
    return [np.flatnonzero(turn == number) for number in range(int(turn.max(initial=-1)) + 1)]


def _change(kernel: _Kernel, variables: list[Variable], grad: Any, settings: dict[str, Any]) -> None:
    if grad.shape != variables[0].shape:
        raise invalid(f"The gradient has shape {grad.shape}, variable '{variables[0].name}' has {variables[0].shape}.")
    values = kernel.rule(tuple(variable.read_value() for variable in variables), grad, **settings)
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)


def _change_rows(
    kernel: _Kernel, variables: list[Variable], grad: object, indices: object, settings: dict[str, Any]
) -> None:
    rows = to_tensor(indices)
    for positions in _turns(rows):
        chosen = gather(rows, positions)
        given = tuple(gather(variable.read_value(), chosen) for variable in variables)
        values = kernel.rule(given, gather(grad, positions), **settings)
        for variable, value in zip(variables, values, strict=True):
            variable.scatter_update(IndexedSlices(value, chosen))


def kernel_of(name: str) -> Any:
    """The kernel of a name of `names()`."""
    of_rows = name.startswith("ResourceSparseApply")
    kernel = _KERNELS[name.removeprefix("ResourceSparseApply" if of_rows else "ResourceApply")]
    slots, numbers = kernel.variables.split(), kernel.arguments.split()
    gradient = "delta" if "delta" in numbers else "grad"
    order = [*slots, *numbers]
    if of_rows:
        order.insert(order.index(gradient) + 1, "indices")
    kinds = {"use_locking": False, **kernel.flags, "name": None}
    parameters = [inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY) for key in order]
    parameters += [inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=kinds[key]) for key in kinds]
    signature = inspect.Signature(parameters)

    def call(**kwargs: Any) -> None:
        given = signature.bind(**kwargs)
        given.apply_defaults()
        variables = [given.arguments[key] for key in slots]
        for variable in variables:
            if not isinstance(variable, Variable):
                raise NotATensorError(f"{name} needs a tf.Variable or its handle, got {variable!r}.")
        kind = variables[0].dtype
        settings: dict[str, Any] = {key: to_tensor(given.arguments[key], kind) for key in numbers if key != gradient}
        settings |= {key: bool(given.arguments[key]) for key in kernel.flags}
        grad = to_tensor(given.arguments[gradient], kind)
        if of_rows:
            _change_rows(kernel, variables, grad, given.arguments["indices"], settings)
        else:
            _change(kernel, variables, grad, settings)

    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__doc__ = f"One step of {kernel.rule.__name__[1:]} for {'rows of ' * of_rows}a variable and its slots."
    return call
