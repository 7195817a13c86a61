"""The optimizers of `tf.compat.v1.train`, as they work in eager code: `minimize` takes a function that computes the loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from ... import math
from ...api.arrays import convert_to_tensor, ones_like, zeros_like
from ...api.indexing import gather, where
from ...api.partition import unique
from ...api.shapes import size
from ...base.types import TensorLike
from ...differentiation.tape import GradientTape
from ...values.tensor import IndexedSlices, Tensor
from ...variables.variable import Variable

_Slots = dict[str, Variable]
Rate: TypeAlias = "TensorLike | Callable[[], Any]"  # a setting; a function is called at each step


class _Rows:
    """Some rows of a variable, with the methods of a variable that updates use."""

    def __init__(self, variable: Variable, ids: Tensor) -> None:
        self._variable, self._ids = variable, ids

    def value(self) -> Tensor:
        return gather(self._variable, self._ids)

    def assign(self, value: TensorLike) -> Tensor:
        self._variable.scatter_update(IndexedSlices(value, self._ids))
        return convert_to_tensor(value)

    def assign_add(self, delta: Tensor) -> Tensor:
        return self.assign(self.value() + delta)

    def assign_sub(self, delta: Tensor) -> Tensor:
        return self.assign(self.value() - delta)


class Optimizer:
    """The base: `_slots` says what is kept for each variable, and `_update` what happens to one.

    >>> import gradtape as tf
    >>> class Signs(tf.compat.v1.train.Optimizer):
    ...     def _update(self, variable, gradient, slots):
    ...         variable.assign_sub(0.1 * tf.sign(gradient))
    >>> v = tf.Variable(1.0)
    >>> Signs().minimize(lambda: v * v)
    >>> round(float(v), 4)
    0.9

    Args:
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: What `get_name` gives, and what is kept for variables is named after.

    Raises:
        ValueError: The name is empty.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    # Whether an update by IndexedSlices leaves the rows without a gradient, and what is kept for them, as they are.
    _by_rows = False

    def __init__(self, use_locking: bool = False, name: str = "Optimizer") -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name = name
        self._kept: dict[int, _Slots] = {}

    def get_name(self) -> str:
        """The name of the optimizer."""
        return self._name

    def variables(self) -> list[Variable]:
        """What is kept for the variables that were updated."""
        return [slot for slots in self._kept.values() for slot in slots.values()]

    def get_slot_names(self) -> list[str]:
        """The names of what is kept for each variable."""
        return sorted({name for slots in self._kept.values() for name in slots})

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """What is kept for a variable under a name.

        Args:
            var: A variable that `apply` was called with.
            name: The name, such as "momentum".

        Returns:
            A variable, or None.
        """
        return self._kept.get(var._id, {}).get(name)

    def minimize(
        self,
        loss: Callable[[], Any],
        global_step: Variable | None = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: object = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> None:
        """One step towards a smaller loss.

        Args:
            loss: A function of no arguments that computes the loss.
            global_step: A variable that counts the steps.
            var_list: The variables, or a function that gives them; None: all trainable ones that the loss reads.
            gate_gradients: Ignored; accepted for compatibility with TensorFlow.
            aggregation_method: Ignored; accepted for compatibility with TensorFlow.
            colocate_gradients_with_ops: Ignored; accepted for compatibility with TensorFlow.
            name: Ignored; accepted for compatibility with TensorFlow.
            grad_loss: What the gradient begins with; None: 1.

        Raises:
            ValueError: The loss depends on no variable.
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(gradient is None for gradient, _ in pairs):
            why = _why_none([variable for _, variable in pairs])
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, between "
                f"variables {[str(variable) for _, variable in pairs]} and loss {loss}.{why}"
            )
        self.apply_gradients(pairs, global_step)

    def compute_gradients(
        self,
        loss: Callable[[], Any],
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: object = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Variable]]:
        """The gradients of a loss, each with its variable; of all trainable ones that the loss reads, without a list.

        Args:
            loss: A function of no arguments that computes the loss.
            var_list: The variables, or a function that gives them.
            gate_gradients: Ignored; accepted for compatibility with TensorFlow.
            aggregation_method: Ignored; accepted for compatibility with TensorFlow.
            colocate_gradients_with_ops: Ignored; accepted for compatibility with TensorFlow.
            grad_loss: What the gradient begins with; None: 1.

        Returns:
            A list of pairs (gradient, variable).

        Raises:
            RuntimeError: `loss` is no function.
        """
        if not callable(loss):
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        with GradientTape() as tape:
            value = loss()
        if callable(var_list):
            var_list = var_list()
        variables = list(tape.watched_variables() if var_list is None else var_list)
        gradients = tape.gradient(value, variables, None if grad_loss is None else [grad_loss])
        return list(zip(gradients, variables, strict=True))

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Variable]],
        global_step: Variable | None = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> None:
        """Update the variables.

        Args:
            grads_and_vars: Pairs (gradient, variable); those whose gradient is None are passed over.
            global_step: A variable that counts the steps.
            name: Ignored; accepted for compatibility with TensorFlow.
            skip_gradients_aggregation: Ignored; accepted for compatibility with TensorFlow.

        Raises:
            ValueError: There is no gradient.
        """
        given = list(grads_and_vars)
        pairs = [(gradient, variable) for gradient, variable in given if gradient is not None]
        if not pairs:
            why = _why_none([variable for _, variable in given])
            raise ValueError(f"No gradients provided for any variable.{why}")
        self._begin()
        for gradient, variable in pairs:
            slots = self._kept.get(variable._id)
            if slots is None:
                slots = self._kept[variable._id] = self._made(variable)
            if isinstance(gradient, IndexedSlices) and self._by_rows:
                self._update_rows(variable, gradient, slots)
            else:
                self._update(variable, math.cast(convert_to_tensor(gradient), variable.dtype), slots)
        if global_step is not None:
            global_step.assign_add(1)

    def _update_rows(self, variable: Variable, slices: IndexedSlices, slots: _Slots) -> None:
        """The update of the rows that have a gradient, each once with the sum of its slices. The others stay as they are."""
        ids, places = unique(slices.indices)
        sums = math.unsorted_segment_sum(slices.values, places, size(ids))
        rows: Any = {key: _Rows(slot, ids) for key, slot in slots.items()}
        self._update(_Rows(variable, ids), math.cast(sums, variable.dtype), rows)  # type: ignore[arg-type]

    def _made(self, variable: Variable) -> _Slots:
        """What is kept for a variable, under names that begin with its own."""
        name = f"{variable.name.split(':')[0]}/{self._name}"
        pairs = enumerate(self._slots(variable).items())
        return {key: Variable(value, trainable=False, name=f"{name}_{i}" if i else name) for i, (key, value) in pairs}

    def _begin(self) -> None:
        """Called before each step."""

    def _slots(self, variable: Variable) -> dict[str, Any]:
        return {}

    def _update(self, variable: Variable, gradient: Tensor, slots: _Slots) -> None:
        raise NotImplementedError

    @staticmethod
    def _number(value: Any) -> Any:
        return value() if callable(value) else value

    def _share(self, value: Any, gradient: Tensor) -> Tensor:
        """A number between 0 and 1 in the type of a gradient. (In float32, 1 - 0.999 differs from 0.001 in the fifth digit.)"""
        return math.cast(self._number(value), gradient.dtype)


def _why_none(variables: list[Any]) -> str:
    """The explanation of the tape whose gradients are None, below a message; empty where there is none."""
    from ...diagnostics.asking import explanations_for, summary

    why = summary(explanations_for([each for each in variables if isinstance(each, Variable)]))
    return f"\n{why}" if why else ""


class GradientDescentOptimizer(Optimizer):
    """variable -= learning_rate * gradient.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> tf.compat.v1.train.GradientDescentOptimizer(0.25).minimize(lambda: v * v)
    >>> float(v)
    0.5

    Args:
        learning_rate: The size of steps: a number, or a function that is called at each step.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: What `get_name` gives, and what is kept for variables is named after.
    """

    _by_rows = True

    def __init__(self, learning_rate: Rate, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._rate = learning_rate

    def _update(self, variable: Variable, gradient: Tensor, slots: _Slots) -> None:
        variable.assign_sub(self._number(self._rate) * gradient)


class MomentumOptimizer(Optimizer):
    """Steps along a sum of gradients in which older ones count less.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.compat.v1.train.MomentumOptimizer(0.25, momentum=0.5)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: v * v)
    >>> float(v)
    0.0

    Args:
        learning_rate: The size of steps: a number, or a function that is called at each step.
        momentum: How much of the sum before the last gradient counts.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: What `get_name` gives, and what is kept for variables is named after.
        use_nesterov: Whether the step looks ahead along the sum.
    """

    _by_rows = True

    def __init__(
        self,
        learning_rate: Rate,
        momentum: Rate,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._rate, self._momentum, self._nesterov = learning_rate, momentum, use_nesterov

    def _slots(self, variable: Variable) -> dict[str, Any]:
        return {"momentum": zeros_like(variable)}

    def _update(self, variable: Variable, gradient: Tensor, slots: _Slots) -> None:
        rate, momentum = self._number(self._rate), self._number(self._momentum)
        total = slots["momentum"].assign(momentum * slots["momentum"].value() + gradient)
        variable.assign_sub(rate * (gradient + momentum * total) if self._nesterov else rate * total)


class AdagradOptimizer(Optimizer):
    """Smaller steps where gradients were large.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> tf.compat.v1.train.AdagradOptimizer(0.1).minimize(lambda: v * v)
    >>> round(float(v), 4)
    0.9012

    Args:
        learning_rate: The size of steps: a number, or a function that is called at each step.
        initial_accumulator_value: Where the sums of squared gradients begin, above 0.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: What `get_name` gives, and what is kept for variables is named after.

    Raises:
        ValueError: The initial value is not positive.
    """

    _by_rows = True

    def __init__(
        self,
        learning_rate: Rate,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._rate, self._initial = learning_rate, initial_accumulator_value

    def _slots(self, variable: Variable) -> dict[str, Any]:
        return {"accumulator": ones_like(variable) * self._initial}

    def _update(self, variable: Variable, gradient: Tensor, slots: _Slots) -> None:
        total = slots["accumulator"].assign_add(math.square(gradient))
        variable.assign_sub(self._number(self._rate) * gradient * math.rsqrt(total))


class AdamOptimizer(Optimizer):
    """Steps by the mean of gradients over that of their squares, both corrected for the start.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> tf.compat.v1.train.AdamOptimizer(0.1).minimize(lambda: v * v)
    >>> round(float(v), 4)
    0.9

    Args:
        learning_rate: The size of steps: a number, or a function that is called at each step.
        beta1: How much of the mean of gradients stays at each step.
        beta2: How much of the mean of squares stays at each step.
        epsilon: What is added to the root, so that nothing is divided by 0.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: What `get_name` gives, and what is kept for variables is named after.
        use_own_namescope_for_non_slot_vars: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta1: Rate = 0.9,
        beta2: Rate = 0.999,
        epsilon: Rate = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._rate, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon
        self._powers: list[Variable] = []

    def variables(self) -> list[Variable]:
        """The two means of each variable, and the powers that correct them."""
        return [*super().variables(), *self._powers]

    def _begin(self) -> None:
        betas = self._number(self._beta1), self._number(self._beta2)
        if not self._powers:
            names = ("beta1_power", "beta2_power")
            self._powers = [Variable(b, trainable=False, name=n) for b, n in zip(betas, names, strict=True)]
            return
        for power, beta in zip(self._powers, betas, strict=True):
            power.assign(power * beta)

    def _slots(self, variable: Variable) -> dict[str, Any]:
        return {"m": zeros_like(variable), "v": zeros_like(variable)}

    def _update(self, variable: Variable, gradient: Tensor, slots: _Slots) -> None:
        beta1, beta2 = self._share(self._beta1, gradient), self._share(self._beta2, gradient)
        first, second = (math.cast(power, variable.dtype) for power in self._powers)
        m = slots["m"].assign(slots["m"].value() * beta1 + gradient * (1 - beta1))
        v = slots["v"].assign(slots["v"].value() * beta2 + math.square(gradient) * (1 - beta2))
        rate = self._number(self._rate) * math.sqrt(1 - second) / (1 - first)
        variable.assign_sub(rate * m / (math.sqrt(v) + self._number(self._epsilon)))


class RMSPropOptimizer(Optimizer):
    """Gradients over the root of the mean of their squares.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> tf.compat.v1.train.RMSPropOptimizer(0.1).minimize(lambda: v * v)
    >>> round(float(v), 4)
    0.8246

    Args:
        learning_rate: The size of steps: a number, or a function that is called at each step.
        decay: How much of the mean of squares stays at each step.
        momentum: How much of the step before counts.
        epsilon: What is added under the root, so that nothing is divided by 0.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        centered: Whether to divide by the standard deviation of gradients instead.
        name: What `get_name` gives, and what is kept for variables is named after.
    """

    _by_rows = True

    def __init__(
        self,
        learning_rate: Rate,
        decay: Rate = 0.9,
        momentum: Rate = 0.0,
        epsilon: Rate = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._rate, self._decay, self._momentum, self._epsilon = learning_rate, decay, momentum, epsilon
        self._centered = centered

    def _slots(self, variable: Variable) -> dict[str, Any]:
        slots = {"rms": ones_like(variable)}
        if self._centered:
            slots["mg"] = zeros_like(variable)
        return {**slots, "momentum": zeros_like(variable)}

    def _update(self, variable: Variable, gradient: Tensor, slots: _Slots) -> None:
        decay = self._share(self._decay, gradient)
        squares = slots["rms"].assign(slots["rms"].value() * decay + math.square(gradient) * (1 - decay))
        spread: Any = squares
        if self._centered:
            mean = slots["mg"].assign(slots["mg"].value() * decay + gradient * (1 - decay))
            spread = squares - math.square(mean)
        step = self._number(self._rate) * gradient * math.rsqrt(spread + self._number(self._epsilon))
        variable.assign_sub(slots["momentum"].assign(slots["momentum"].value() * self._number(self._momentum) + step))


class AdadeltaOptimizer(Optimizer):
    """Steps as large as the root of the mean of earlier ones.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> tf.compat.v1.train.AdadeltaOptimizer(1.0).minimize(lambda: v * v)
    >>> round(float(v), 4)
    0.9996

    Args:
        learning_rate: The size of steps: a number, or a function that is called at each step.
        rho: How much of both means stays at each step.
        epsilon: What is added under both roots.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: What `get_name` gives, and what is kept for variables is named after.
    """

    _by_rows = True

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: Rate = 0.95,
        epsilon: Rate = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._rate, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _slots(self, variable: Variable) -> dict[str, Any]:
        return {"accum": zeros_like(variable), "accum_update": zeros_like(variable)}

    def _update(self, variable: Variable, gradient: Tensor, slots: _Slots) -> None:
        rho, epsilon = self._share(self._rho, gradient), self._number(self._epsilon)
        squares = slots["accum"].assign(slots["accum"].value() * rho + math.square(gradient) * (1 - rho))
        step = gradient * math.sqrt(slots["accum_update"].value() + epsilon) * math.rsqrt(squares + epsilon)
        slots["accum_update"].assign(slots["accum_update"].value() * rho + math.square(step) * (1 - rho))
        variable.assign_sub(self._number(self._rate) * step)


class FtrlOptimizer(Optimizer):
    """Follow the regularized leader.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> tf.compat.v1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.1).minimize(lambda: v * v)
    >>> round(float(v), 4)
    0.7401

    Args:
        learning_rate: The size of steps: a number, or a function that is called at each step.
        learning_rate_power: How steps become smaller with the sum of squares: at most 0.
        initial_accumulator_value: Where the sums of squared gradients begin, above 0.
        l1_regularization_strength: How strongly the sum of magnitudes is held down.
        l2_regularization_strength: How strongly the sum of squares is held down.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: What `get_name` gives, and what is kept for variables is named after.
        accum_name: Ignored; accepted for compatibility with TensorFlow.
        linear_name: Ignored; accepted for compatibility with TensorFlow.
        l2_shrinkage_regularization_strength: The same, but only for the step, as a part of the gradient.
        beta: More of the penalty on squares, by the learning rate; None: 0.

    Raises:
        ValueError: `learning_rate_power` is above 0.
    """

    _by_rows = True

    def __init__(
        self,
        learning_rate: Rate,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power} needs to be negative or zero.")
        self._rate, self._power, self._initial = learning_rate, learning_rate_power, initial_accumulator_value
        rate: Any = learning_rate
        self._l1, self._shrinkage = l1_regularization_strength, l2_shrinkage_regularization_strength
        self._l2 = l2_regularization_strength + (beta / (2 * rate) if beta else 0.0)

    def _slots(self, variable: Variable) -> dict[str, Any]:
        return {"accum": ones_like(variable) * self._initial, "linear": zeros_like(variable)}

    def _update(self, variable: Variable, gradient: Tensor, slots: _Slots) -> None:
        rate, before = self._number(self._rate), math.pow(slots["accum"].value(), -self._power)
        weights = variable.value()
        shrunk = gradient + 2 * self._shrinkage * weights
        after = math.pow(slots["accum"].assign_add(math.square(gradient)), -self._power)
        linear = slots["linear"].assign_add(shrunk - (after - before) / rate * weights)
        quadratic = after / rate + 2 * self._l2
        limited = math.sign(linear) * self._l1 - linear
        variable.assign(where(math.abs(linear) > self._l1, limited / quadratic, zeros_like(linear)))


def _proximal(value: Any, rate: Any, l1: float, l2: float) -> Any:
    """The step of the penalties, taken after that of the gradient."""
    return math.sign(value) * math.maximum(math.abs(value) - rate * l1, 0.0) / (1.0 + rate * l2)


class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent with penalties on the size of variables.

    >>> import gradtape as tf
    >>> v = tf.Variable([1.0, 0.01])
    >>> step = tf.compat.v1.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=1.0)
    >>> step.minimize(lambda: tf.reduce_sum(v * v))
    >>> v.numpy().round(4)
    array([0.7, 0. ], dtype=float32)

    Args:
        learning_rate: The size of steps: a number, or a function that is called at each step.
        l1_regularization_strength: How strongly the sum of magnitudes is held down.
        l2_regularization_strength: How strongly the sum of squares is held down.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: What `get_name` gives, and what is kept for variables is named after.
    """

    _by_rows = True

    def __init__(
        self,
        learning_rate: Rate,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._rate, self._l1, self._l2 = learning_rate, l1_regularization_strength, l2_regularization_strength

    def _update(self, variable: Variable, gradient: Tensor, slots: _Slots) -> None:
        rate = self._number(self._rate)
        variable.assign(_proximal(variable.value() - rate * gradient, rate, self._l1, self._l2))


class ProximalAdagradOptimizer(AdagradOptimizer):
    """Adagrad with penalties on the size of variables.

    >>> import gradtape as tf
    >>> v = tf.Variable([1.0, 0.01])
    >>> step = tf.compat.v1.train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=1.0)
    >>> step.minimize(lambda: tf.reduce_sum(v * v))
    >>> v.numpy().round(4)
    array([0.8518, 0.    ], dtype=float32)

    Args:
        learning_rate: The size of steps: a number, or a function that is called at each step.
        initial_accumulator_value: Where the sums of squared gradients begin, above 0.
        l1_regularization_strength: How strongly the sum of magnitudes is held down.
        l2_regularization_strength: How strongly the sum of squares is held down.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: What `get_name` gives, and what is kept for variables is named after.
    """

    def __init__(
        self,
        learning_rate: Rate,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _update(self, variable: Variable, gradient: Tensor, slots: _Slots) -> None:
        rate = self._number(self._rate) * math.rsqrt(slots["accumulator"].assign_add(math.square(gradient)))
        variable.assign(_proximal(variable.value() - rate * gradient, rate, self._l1, self._l2))
