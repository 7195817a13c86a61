"""What every Keras optimizer inherits from this backend."""

from __future__ import annotations

import warnings
from typing import Any

from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.optimizers.base_optimizer import BaseOptimizer

import gradtape
from gradtape.base.context import STATE
from gradtape.diagnostics.asking import explanations_for, summary
from gradtape.differentiation.slices import ROWS
from keras_gradtape import fused
from keras_gradtape.ops.core import cast, convert_to_tensor
from keras_gradtape.ops.sparse.places import combined

_GRADIENTS = (gradtape.Tensor, gradtape.IndexedSlices)


class _Hidden:
    """Variables, which are the same in all replicas."""

    def __init__(self, given: Any) -> None:
        self.given = given


class GradtapeOptimizer(BaseOptimizer):
    """Applies gradients to variables of Keras and of gradtape."""

    def build(self, variables: Any) -> None:
        """Make what the optimizer remembers of each variable."""
        for variable in variables:
            if not hasattr(variable, "assign_sub"):
                raise TypeError(
                    f"A gradient is applied to a variable, got {variable!r} in its place. Pass pairs (gradient, variable): "
                    "optimizer.apply_gradients(zip(gradients, variables))."
                )
        super().build(variables)

    def apply(self, grads: Any, trainable_variables: Any = None) -> Any:
        """Change the variables by one step along their gradients: tensors, slices, or what becomes a tensor."""
        grads = [g if g is None or isinstance(g, _GRADIENTS) else convert_to_tensor(g) for g in grads]
        if ROWS.summed and any(g.__class__ is gradtape.IndexedSlices for g in grads):
            taken = combined if self._takes_rows() else gradtape.convert_to_tensor
            grads = [taken(g) if g.__class__ is gradtape.IndexedSlices else g for g in grads]
        replica = STATE.strategies[-1][1] if STATE.strategies else None
        if replica is None or replica.num_replicas_in_sync == 1:
            return super().apply(grads, trainable_variables)
        grads = [gradtape.convert_to_tensor(g) if g.__class__ is gradtape.IndexedSlices else g for g in grads]
        return replica.merge_call(
            self._apply_sums, args=(list(grads),), kwargs={"variables": _Hidden(trainable_variables)}
        )

    def _apply_sums(self, strategy: Any, grads: list[Any], variables: _Hidden) -> Any:
        """Apply the sums of the gradients of all replicas, as one program."""
        summed = [None if grad is None else strategy.reduce("SUM", grad, axis=None) for grad in grads]
        return super().apply(summed, variables.given)

    def _takes_rows(self) -> bool:
        """Whether a gradient of type IndexedSlices stays sparse, so that only its rows are updated.

        It is made dense where the update in place goes over all rows anyway, where it is scaled, clipped or added up, and inside
        a traced function, where the row indices are not known yet.
        """
        handled = (
            self.loss_scale_factor,
            self.gradient_accumulation_steps,
            self.clipnorm,
            self.global_clipnorm,
            self.clipvalue,
        )
        return not (
            any(handled) or fused.goes_over_all_rows(self) or in_stateless_scope() or gradtape.inside_function()
        )

    def _backend_update_step(self, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
        pairs = list(zip(grads, trainable_variables, strict=True))
        rows = [pair for pair in pairs if pair[0].__class__ is gradtape.IndexedSlices]
        if rows:
            super()._backend_update_step(*zip(*rows, strict=True), learning_rate)
            pairs = [pair for pair in pairs if pair[0].__class__ is not gradtape.IndexedSlices]
            if not pairs:
                return
            grads, trainable_variables = zip(*pairs, strict=True)
        if in_stateless_scope() or not fused.update(self, grads, trainable_variables, learning_rate):
            super()._backend_update_step(grads, trainable_variables, learning_rate)

    def assign(self, variable: Any, value: Any) -> None:
        """Give a variable of Keras or of gradtape a new value; slices of rows mean zeros elsewhere, as in every update."""
        value = cast(value, variable.dtype)
        variable.assign(gradtape.convert_to_tensor(value) if value.__class__ is gradtape.IndexedSlices else value)

    def assign_add(self, variable: Any, value: Any) -> None:
        """Add to a variable of Keras or of gradtape, or to rows of it."""
        value = cast(value, variable.dtype)
        (variable.scatter_add if value.__class__ is gradtape.IndexedSlices else variable.assign_add)(value)

    def assign_sub(self, variable: Any, value: Any) -> None:
        """Subtract from a variable of Keras or of gradtape, or from rows of it."""
        value = cast(value, variable.dtype)
        (variable.scatter_sub if value.__class__ is gradtape.IndexedSlices else variable.assign_sub)(value)

    def _filter_empty_gradients(self, grads: Any, trainable_variables: Any) -> Any:
        pairs = list(zip(grads, trainable_variables, strict=True))
        missing = [variable for grad, variable in pairs if grad is None]
        if not missing:
            return list(grads), list(trainable_variables)
        names = [getattr(v, "path", v.name) for v in missing]
        why = summary(explanations_for(missing))
        if len(missing) == len(pairs):
            raise ValueError(
                f"No gradients provided for any variable: {names}. The loss was not computed from them inside "
                "`with tf.GradientTape() as tape:`. A model has to be called there, as in `model(x, training=True)`: "
                f"`model.predict(x)` returns NumPy arrays, which no tape follows.\n{why}".rstrip()
            )
        warnings.warn(
            f"Gradients do not exist for variables {names} when minimizing the loss. If using `model.compile()`, did you "
            f"forget to provide a `loss` argument?\n{why}".rstrip(),
            stacklevel=2,
        )
        kept = [pair for pair in pairs if pair[0] is not None]
        return [grad for grad, _ in kept], [variable for _, variable in kept]
