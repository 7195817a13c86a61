"""Moving averages of variables."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..ops.math.conversion import convert
from ..ops.math.logic import minimum
from ..values.tensor import Tensor, from_array, to_tensor
from ..variables.variable import Variable


class ExponentialMovingAverage:
    """For each variable a second one that follows it slowly: `average -= (1 - decay) * (average - variable)`.

    >>> import gradtape as tf
    >>> w = tf.Variable(1.0, name="w")
    >>> averages = tf.train.ExponentialMovingAverage(decay=0.9)
    >>> averages.apply([w])  # the average begins at the variable's value
    >>> w.assign(2.0)
    <tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=2.0>
    >>> averages.apply([w])
    >>> averages.average(w).name, averages.average(w).numpy()
    ('w/ExponentialMovingAverage:0', np.float32(1.1))

    Args:
        decay: How much of the average stays in each step, such as 0.999.
        num_updates: The number of the step, a number or a variable: early averages then move faster, with the smaller of
            `decay` and `(1 + num_updates) / (10 + num_updates)`.
        zero_debias: Accepted; as in TensorFlow it concerns averages of tensors, which begin at zero, and those of
            variables do not.
        name: The last part of the averages' names.
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[int, tuple[Variable, Variable]] = {}  # by the variable's identity: it, and its average

    @property
    def name(self) -> str:
        """The name of this object, and the last part of the averages' names."""
        return self._name

    def apply(self, var_list: Iterable[Variable] | None = None) -> None:
        """Move averages one step; new ones begin at the variable's value.

        >>> v = tf.Variable(1.0, name="v")
        >>> averages = tf.train.ExponentialMovingAverage(decay=0.9)
        >>> averages.apply([v])
        >>> _ = v.assign(2.0)
        >>> averages.apply([v])
        >>> averages.average(v).numpy().round(4)
        np.float32(1.1)

        Args:
            var_list: The variables; by default all that have an average.
        """
        variables = [kept for kept, _ in self._averages.values()] if var_list is None else _checked(var_list)
        for variable in variables:
            if variable._id not in self._averages:
                name = self.average_name(variable)
                average = Variable(functools.partial(getattr, variable, "_value"), trainable=False, name=name)
                self._averages.setdefault(variable._id, (variable, average))  # (another thread may be first)
        rate = self._rate()
        for variable in variables:
            average = self._averages[variable._id][1]
            step = convert(rate, dtype=average.dtype.numpy)
            average.assign_sub((average._read() - variable._read()) * step)  # (a tensor: functions are traced)

    def _rate(self) -> Any:
        """How far the averages move: 1 - decay, in float32 as in TensorFlow."""
        if self._num_updates is None and not isinstance(self._decay, (Tensor, Variable)):
            return from_array(np.array(1.0 - self._decay, np.float32))
        decay = convert(to_tensor(self._decay), dtype=np.dtype(np.float32))
        if self._num_updates is not None:
            step = convert(to_tensor(self._num_updates), dtype=np.dtype(np.float32))
            decay = minimum(decay, (1.0 + step) / (10.0 + step))
        return 1.0 - decay

    def average(self, var: Variable) -> Variable | None:
        """The average of a variable.

        >>> v = tf.Variable(1.0, name="v")
        >>> averages = tf.train.ExponentialMovingAverage(decay=0.9)
        >>> averages.apply([v])
        >>> averages.average(v).numpy()
        np.float32(1.0)

        Args:
            var: A variable that `apply` was called with.

        Returns:
            The variable that holds it, or None.
        """
        found = self._averages.get(_id_of(var))
        return None if found is None else found[1]

    def average_name(self, var: Variable) -> str:
        """The name of the average of a variable, whether there is one yet or not.

        >>> v = tf.Variable(1.0, name="v")
        >>> averages = tf.train.ExponentialMovingAverage(decay=0.9)
        >>> averages.apply([v])
        >>> averages.average_name(v)
        'v/ExponentialMovingAverage'

        Args:
            var: A variable that `apply` was called with.

        Returns:
            A text.
        """
        return f"{var._shared_name}/{self._name}"

    def variables_to_restore(self, moving_avg_variables: Iterable[Variable] | None = None) -> dict[str, Variable]:
        """The variables by the names of their averages, to restore the averages into them.

        >>> v = tf.Variable(1.0, name="v")
        >>> averages = tf.train.ExponentialMovingAverage(decay=0.9)
        >>> averages.apply([v])
        >>> list(averages.variables_to_restore())
        ['v/ExponentialMovingAverage']

        Args:
            moving_avg_variables: The variables; by default all that have an average.

        Returns:
            A dict.
        """
        if moving_avg_variables is None:
            moving_avg_variables = [variable for variable, _ in self._averages.values()]
        return {self.average_name(variable): variable for variable in moving_avg_variables}

    def _trackable_children(self) -> dict[str, Variable]:
        """What a checkpoint keeps: the averages, in the order in which they began."""
        return {str(place): average for place, (_, average) in enumerate(self._averages.values())}

    def __repr__(self) -> str:
        return f"<tf.train.ExponentialMovingAverage of {len(self._averages)} variables, decay {self._decay}>"


def _id_of(var: Any) -> int:
    if not isinstance(var, Variable):
        raise AttributeError(f"A tf.Variable is needed, got {var!r} of type {type(var).__name__}.")
    return var._id


def _checked(var_list: Iterable[Variable]) -> list[Variable]:
    variables = list(var_list)
    for variable in variables:
        if not isinstance(variable, Variable):
            raise TypeError(
                "tf.train.ExponentialMovingAverage does not support non-Variable tensors when eager execution is enabled: "
                f"got {variable!r}. Pass a list of tf.Variable."
            )
        if not variable.dtype.is_floating:
            raise TypeError(f"The variables must be half, float, or double: {variable.name} is {variable.dtype.name}.")
    return variables
