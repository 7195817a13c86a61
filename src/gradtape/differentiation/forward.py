"""Forward mode: `ForwardAccumulator` computes directional derivatives beside the ops, as they run."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Iterable
from functools import partial
from types import TracebackType
from typing import Any, overload

from ..base import nest
from ..base.context import ACTIVE, STATE, activate, deactivate, remove_identical, scope
from ..base.errors import NotATensorError
from ..base.types import Differentiables
from ..op.declaration import Op
from ..ops.array.layout import broadcast_to
from ..values.tensor import EagerTensor, Tensor, identify, to_tensor
from ..variables.variable import Variable
from .backward import Gradient, UnconnectedGradients, checked_unconnected, zeros_of
from .custom import place_of_graph, transposed
from .vectorize import Batched, batch

_TANGENTS = 0  # the depth of a batch of directions: below that of any vectorized function

LOGGER = logging.getLogger("gradtape")


class ForwardAccumulator:
    """Follow a direction through a computation: Jacobian-vector products at the cost of about one more forward pass.

    >>> import gradtape as tf
    >>> x = tf.constant([1.0, 2.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as accumulator:
    ...     y = x * x
    >>> accumulator.jvp(y).numpy()
    array([2., 0.], dtype=float32)

    Args:
        primals: A tensor or variable, or a structure of them.
        tangents: The direction, of the same structure.
    """

    def __init__(self, primals: Differentiables, tangents: Any) -> None:
        nest.assert_same_structure(primals, tangents, check_types=False)
        if ACTIVE and STATE.trace is not None and STATE.trace.adopt(self, ForwardAccumulator, (primals, tangents), {}):
            return
        self._tangents: dict[int, Any] = {}
        self._values: dict[int, _Followed] = {}  # the values by identity: a tangent is freed with its value
        self._forget = partial(_forget, weakref.ref(self))
        self._recording = False
        self._level = 0
        self.place: tuple[int, ...] | None = ()
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            self._watch(primal, tangent)

    @classmethod
    def _batch_accumulator(cls, primals: Any, tangents: Any) -> ForwardAccumulator:
        """Several directions at once: each tangent has one more axis in front, and so have the answers."""
        accumulator = cls([], [])
        nest.assert_same_structure(primals, tangents, check_types=False)
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            accumulator._watch(primal, batch(to_tensor(tangent, primal.dtype), depth=_TANGENTS))
        return accumulator

    def watch(self, primals: Any, tangents: Any) -> None:
        """Follow more values, in the given directions.

        >>> x, y = tf.constant(2.0), tf.constant(5.0)
        >>> with tf.autodiff.ForwardAccumulator(x, 1.0) as accumulator:
        ...     accumulator.watch(y, 10.0)
        ...     z = x * y
        >>> accumulator.jvp(z).numpy()
        np.float32(25.0)

        Args:
            primals: A tensor or variable, or a structure of them.
            tangents: The direction, of the same structure.

        Raises:
            ValueError: A value is followed already, or the structures differ.
        """
        nest.assert_same_structure(primals, tangents, check_types=False)
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            self._watch(primal, tangent)

    def _watch(self, primal: Any, tangent: Any) -> None:
        if not isinstance(primal, (Tensor, Variable)):
            raise NotATensorError(f"A primal must be a tf.Tensor or tf.Variable, got {primal!r}. Use tf.constant(...).")
        if not primal.dtype.is_differentiable:
            LOGGER.warning("The dtype of the watched primal must be floating (e.g. tf.float32), got %r", primal.dtype)
        number = identify(primal)
        if number in self._tangents:
            raise ValueError(
                f"Tensor {primal!r} was specified as a primal multiple times. This may indicate an error. If it was intended, "
                "please sum the corresponding tangents."
            )
        direction = to_tensor(tangent, primal.dtype)
        if not primal.dtype.is_differentiable:
            return
        if isinstance(primal, Variable):
            self._tangents[number] = direction  # kept: all values that are read from it have its identity
        else:
            self._keep(primal, direction)

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        self._level = len(STATE.tapes)
        self.place = place_of_graph()
        STATE.accumulators.append(self)
        self._recording = True
        activate(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._recording:
            deactivate(self)
            remove_identical(STATE.accumulators, self)
            self._recording = False

    def __del__(self) -> None:
        # The thread that entered the accumulator ended inside the context.
        if getattr(self, "_recording", False):
            deactivate(self)

    @overload
    def jvp(self, primals: Tensor | Variable, unconnected_gradients: UnconnectedGradients | str = ...) -> Gradient: ...
    @overload
    def jvp(self, primals: Differentiables, unconnected_gradients: UnconnectedGradients | str = ...) -> Any: ...
    def jvp(self, primals: Any, unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE) -> Any:
        """The derivative of values computed in the context along the direction.

        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([0.0, 1.0])) as accumulator:
        ...     y = {"sum": tf.reduce_sum(x), "product": x[0] * x[1]}
        >>> accumulator.jvp(y)
        {'sum': <tf.Tensor: shape=(), dtype=float32, numpy=1.0>, 'product': <tf.Tensor: shape=(), dtype=float32, numpy=1.0>}

        Args:
            primals: A tensor or variable, or a structure of them.
            unconnected_gradients: Whether a value that does not depend on the direction gets None or zeros.

        Returns:
            For each value a tensor of its shape, or None; in the same structure.

        Raises:
            ValueError: Something is not a tensor.
        """
        unconnected = checked_unconnected(unconnected_gradients)

        def one(value: Any) -> Any:
            if not isinstance(value, (Tensor, Variable)):
                raise NotATensorError(f"jvp needs tensors that were computed in the context, got {value!r}.")
            found = self._tangents.get(value._id)
            found = found.data if found.__class__ is Batched and found.depth == _TANGENTS else found
            return zeros_of(value) if found is None and unconnected is UnconnectedGradients.ZERO else found

        return nest.map_structure(one, primals)

    def __repr__(self) -> str:
        state = "recording" if self._recording else "not recording"
        # (A variable has no weak reference here: its tangent is kept as long as the accumulator.)
        values = [followed() for followed in self._values.values()]
        shapes = [f"{value.dtype.name}{list(value.shape)}" for value in values if value is not None]
        variables = len(self._tangents) - len(self._values)
        held = [*shapes[:3], *(["..."] if len(shapes) > 3 else [])]
        held += [f"{variables} variable{'s' * (variables != 1)}"] if variables else []
        return f"<tf.autodiff.ForwardAccumulator: {state}, follows {', '.join(held) or 'nothing'}>"

    # --- called by the op entries ----------------------------------------------------------------------------------

    def _advance(self, op: Op, inputs: tuple[Any, ...], attributes: dict[str, Any], outputs: tuple[Any, ...]) -> None:
        """Compute the tangents of an op's outputs from those of its inputs.

        Args:
            op: The op.
            inputs: Its operands.
            attributes: Its settings.
            outputs: Its results.
        """
        tangents = [self._tangents.get(tensor._id) for tensor in inputs]
        if all(t is None for t in tangents) or not any(o.dtype.is_differentiable for o in outputs):
            return
        with self._outside():
            results = push_forward(op, inputs, attributes, outputs, tangents)
        self._note(outputs, results)

    def _advance_custom(
        self, grad_fn: Callable[..., Any], tensors: list[Any], variables: list[Variable], outputs: list[Any]
    ) -> None:
        """A call of a custom_gradient function: where its body could not be followed, transpose its gradient.

        Args:
            grad_fn: What the function returned as its gradient.
            tensors: The tensors it was called with.
            variables: The variables it read.
            outputs: Its results.
        """
        self._advance_call(
            lambda tangents: transposed(grad_fn, tensors, variables, outputs, tangents), [*tensors, *variables], outputs
        )

    def _advance_call(self, push: Callable[[list[Any]], list[Any]], inputs: list[Any], outputs: list[Any]) -> None:
        """Compute the tangents of a call as a whole.

        Args:
            push: Gives the tangents of its outputs from those of its inputs, with None for inputs that have none.
            inputs: What it was called with.
            outputs: Its results.
        """
        tangents = [self._tangents.get(getattr(value, "_id", 0)) for value in inputs]
        if all(t is None for t in tangents):
            return
        with self._outside():
            results = push(tangents)
        self._note(tuple(outputs), results)

    def _follows(self, number: int) -> bool:
        """Whether the value with this identity has a tangent.

        Args:
            number: The identity.
        """
        return number in self._tangents

    def _has_plain_tangents(self, values: Iterable[Tensor | Variable]) -> bool:
        """Whether all tangents of these values are eager tensors, and not batches of directions or abstract values.

        Args:
            values: Tensors and variables.
        """
        found = [self._tangents.get(value._id) for value in values]
        return all(tangent is None or tangent.__class__ is EagerTensor for tangent in found)

    def _carry(self, old: Any, new: Any) -> bool:
        """Give a value the tangent of another that is equal to it.

        Args:
            old: The value that may have one.
            new: The value that gets it.

        Returns:
            Whether there was one.
        """
        found = self._tangents.get(old._id) if old._id else None
        if found is not None:
            self._keep(new, found)
        return found is not None

    def _note(self, outputs: tuple[Any, ...], results: list[Any]) -> None:
        for output, result in zip(outputs, results, strict=True):
            if result is not None:
                self._keep(output, result)

    def _keep(self, value: Any, tangent: Any) -> None:
        """Note the tangent of a value, for as long as the value lives."""
        followed = _Followed(value, self._forget)
        followed.number = number = identify(value)
        self._values[number], self._tangents[number] = followed, tangent

    def _outside(self) -> scope:
        """In this block only outer tapes and accumulators follow the arithmetic of this one."""
        position = next(i for i, a in enumerate(STATE.accumulators) if a is self)
        return scope(accumulators=STATE.accumulators[:position], tapes=STATE.tapes[: self._level])


class _Followed(weakref.ref[Any]):
    """A weak reference to a value with a tangent, which keeps the identity after the value is freed."""

    __slots__ = ("number",)
    number: int


def _forget(accumulator: weakref.ref[ForwardAccumulator], value: _Followed) -> None:
    """A value was freed, and its tangent with it. (A value that was computed again has the same identity.)"""
    here = accumulator()
    if here is not None and here._values.get(value.number) is value:
        del here._values[value.number], here._tangents[value.number]


def push_forward(
    op: Op, inputs: tuple[Any, ...], attributes: dict[str, Any], outputs: tuple[Any, ...], tangents: list[Any]
) -> list[Any]:
    """The tangents of the outputs: the sum of what each followed argument contributes."""
    if op.variadic:
        return _variadic_forward(op, inputs, attributes, tangents)
    known = {**attributes, "out": outputs[0] if op.outputs == 1 else list(outputs)}
    for argument, tensor in zip(op.arguments, inputs, strict=False):
        known[argument] = tensor
        known[f"{argument}_shape"] = tuple(tensor.shape)
    total: list[Any] = [None] * len(outputs)
    for position, tangent in enumerate(tangents):
        if tangent is None:
            continue
        argument = op.arguments[position]
        if argument in op.jvps:
            rule = op.jvps[argument]
            part = rule.rule(tangent, *(known[name] for name in rule.needs))
        elif argument in op.linear_in:
            part = op(*inputs[:position], tangent, *inputs[position + 1 :], **attributes)
        else:
            continue
        for slot, piece in enumerate([part] if op.outputs == 1 else part):
            if piece is None:
                continue
            if op.broadcasts and tuple(piece.shape) != tuple(outputs[slot].shape):
                piece = broadcast_to(piece, shape=tuple(outputs[slot].shape))
            total[slot] = piece if total[slot] is None else total[slot] + piece
    return total


def _variadic_forward(op: Op, inputs: tuple[Any, ...], attributes: dict[str, Any], tangents: list[Any]) -> list[Any]:
    """Variadic ops: linear in the whole list (concat), or multilinear (einsum)."""
    if op.multilinear:
        total: Any = None
        for position, tangent in enumerate(tangents):
            if tangent is not None:
                part = op([*inputs[:position], tangent, *inputs[position + 1 :]], **attributes)
                total = part if total is None else total + part
        return [total]
    filled = [zeros_of(x) if t is None else t for x, t in zip(inputs, tangents, strict=True)]
    return [op(filled, **attributes)]
