"""`GradientTape`: the user's side of recording and differentiating. The walk itself is in differentiation/backward.py."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from ..base import nest
from ..base.context import ACTIVE, STATE, Paused, Records, next_id, remove_identical
from ..base.dtypes import DType
from ..base.errors import BatchShapeError, GradientLookupError, TapeNotEnteredError, invalid
from ..base.namespaces import as_one_class
from ..base.notebook import Form, in_notebook
from ..base.notes import CUTS, EXITS
from ..base.traceable import traceable
from ..base.types import Differentiables
from ..native.abi import become
from ..op.arguments import optional_count, takes
from ..op.call import GRADIENT_OBSERVERS, TAPE_OBSERVERS
from ..op.record import is_further_output, op_of, pull_of
from ..values.composite import COMPOSITES, expanded
from ..values.tensor import EagerTensor, Tensor, from_array, identify, to_tensor
from ..variables.variable import Variable
from .backward import (
    Gradient,
    UnconnectedGradients,
    checked_tensor,
    checked_tensors,
    checked_unconnected,
    gradients,
    zeros_of,
)
from .jacobian import batch_jacobian_of, jacobians
from .memory_budget import BudgetedRecords, checked_budget
from .nan_safe import SafeRecords
from .questions import Questions
from .second_order import SecondOrder

if TYPE_CHECKING:
    from ..diagnostics.chain import Missing

_Key = TypeVar("_Key")
LOGGER = logging.getLogger("gradtape")


class _Warned:
    """What the log has said once in this process."""

    of_recorded_gradients = False


@as_one_class
class GradientTape(Questions, SecondOrder):
    """Record operations, then differentiate them.

    Trainable variables are followed as soon as they are read; tensors after `watch`. A plain tape answers one call of
    `gradient`, `jacobian` or `batch_jacobian` and drops its records on the way; a persistent one answers any number
    and holds them until it is deleted.

    >>> import gradtape as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>

    Args:
        persistent: Whether gradients may be asked for more than once.
        watch_accessed_variables: Whether trainable variables are followed when they are read.
        nan_safe: Whether a zero cotangent stays zero in the backward pass, whatever it is multiplied by; see
            docs/guide/nan-safe.md.
        memory_budget: How many bytes of values the tape may hold for the backward pass. Values beyond it are not kept but
            computed again there: the same gradients, for more time; see docs/guide/memory-budget.md.
        strict: Whether a gradient that would be None raises `UnconnectedGradientError`, with the explanation that `explain`
            gives; see docs/guide/why-none.md.
        profile: Whether the time of each op and backward step is measured, for `profile()`. Only outside of traced functions.
            A compiled function is measured as a whole; with "steps" it runs op by op instead, and has its lines in the profile.
    """

    _missing: Missing | None = None  # what was kept when a gradient was None
    _strict = False
    _since = 0  # notes of values with smaller identities are of other tapes

    def __init__(
        self,
        persistent: bool = False,
        watch_accessed_variables: bool = True,
        *,
        nan_safe: bool = False,
        memory_budget: float | None = None,
        strict: bool = False,
        profile: bool | str = False,
    ) -> None:
        if memory_budget is not None:
            checked_budget(memory_budget)
        if ACTIVE and STATE.trace is not None:
            settings: dict[str, Any] = {"nan_safe": nan_safe, "memory_budget": memory_budget}
            settings |= {"strict": True} if strict else {}
            if STATE.trace.adopt(self, GradientTape, (persistent, watch_accessed_variables), settings):
                return
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        self._tape: Records | None = None
        self._variables: dict[int, Variable] = {}
        self._nan_safe = nan_safe
        self._memory_budget = memory_budget
        if strict:
            self._strict = True
        if profile:
            from ..diagnostics import profile as profiling

            become(self, profiling.tape_class(profile))
        self._spent = False  # whether a tape that is not persistent has been used

    # --- recording -----------------------------------------------------------------------------------------------

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        if self._tape is None and self._variables:
            self._variables = {}
        if self._spent:
            self._spent = False
            self._missing = None
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._recording:
            self._stop()

    def _new_records(self) -> Records:
        if self._memory_budget is not None:
            return BudgetedRecords(self._memory_budget)
        return SafeRecords() if self._nan_safe else {}

    def _records_to_write(self) -> Records:
        if self._tape is None:
            self._tape = self._new_records()
        return self._tape

    def _start(self) -> None:
        records = self._tape
        if records is None:
            records = self._tape = {} if self._memory_budget is None and not self._nan_safe else self._new_records()
            if CUTS or EXITS:
                self._since = next_id()
        STATE.tapes.append(records)
        if records.__class__ is BudgetedRecords:
            STATE.accumulators.append(records)  # it must see the operands of each op, not only the record
        STATE.readers.append(self)
        self._recording = True
        ACTIVE.add(id(self))  # (`activate`, inlined: this and `_stop` take a good part of the time of a small gradient)

    def _stop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        ACTIVE.discard(id(self))
        self._recording = False
        if self._memory_budget is not None:
            remove_identical(STATE.accumulators, self._tape)
        tapes, readers = STATE.tapes, STATE.readers
        if tapes and tapes[-1] is self._tape and readers and readers[-1] is self:
            tapes.pop()
            readers.pop()
        else:  # not the innermost context
            remove_identical(tapes, self._tape)
            remove_identical(readers, self)

    def _variable_read(self, variable: Variable) -> None:
        """Follow a trainable variable that is read in the context (called by the variable).

        Args:
            variable: The variable.
        """
        if self._watch_accessed_variables and variable._trainable and variable._id not in self._variables:
            self._follow_variable(variable)

    def _follow_variable(self, variable: Variable) -> None:
        if self._tape is not None:
            self._tape.setdefault(variable._id, None)
            self._variables[variable._id] = variable

    def watch(self, tensor: Differentiables) -> None:
        """Start to follow a tensor or variable, or every one in a structure.

        >>> x, y = tf.constant(2.0), tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch([x, y])
        ...     z = x * y
        >>> [gradient.numpy() for gradient in tape.gradient(z, [x, y])]
        [np.float32(3.0), np.float32(2.0)]

        Args:
            tensor: A tensor or variable of floating or complex numbers, or a structure of them.

        Raises:
            ValueError: Something is neither a tensor nor a variable.
            RuntimeError: The tape was not entered yet, or its one gradient was taken.
        """
        if tensor.__class__ is EagerTensor and self._tape is not None and tensor._array.dtype.kind == "f":
            self._tape.setdefault(tensor._id or identify(tensor), None)
            return
        for value in nest.flatten(tensor):
            for part in expanded(value):
                self._watch_one(part)

    def _watch_one(self, value: Any) -> None:
        if not isinstance(value, (Tensor, Variable)):
            raise ValueError(
                f"Passed in object {value!r} of type {type(value).__name__!r}, not tf.Tensor or tf.Variable or "
                "ExtensionType. Convert it first: x = tf.constant(...), and use that x in the computation."
            )
        if not value.dtype.is_differentiable:
            LOGGER.warning("The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", value.dtype)
        records = self._records()
        if isinstance(value, Variable):
            self._follow_variable(value)
        elif value.dtype.is_differentiable:
            records.setdefault(identify(value), None)

    def _records(self) -> Records:
        if self._tape is None:
            raise TapeNotEnteredError(
                "This GradientTape holds no record: it was not entered yet, or its one gradient was taken. "
                "Use it inside `with tf.GradientTape() as tape:`."
            )
        return self._tape

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Do not record in this block; useful to take a gradient inside the context, or to look at values.

        A branch or a loop of a traced function is followed as a whole: in it, a tape that was made outside is not stopped, as in
        TensorFlow. There `tf.stop_gradient(x)` says that nothing flows through x.

        >>> x = tf.constant(2.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        ...     with tape.stop_recording():
        ...         size = tf.abs(y)
        >>> tape
        <tf.GradientTape: recorded, 1 op, 0 variables>
        >>> tape.gradient(size, x)

        Raises:
            ValueError: The tape is not recording.
            RuntimeError: It holds no record.
        """
        if self._tape is None:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        if not self._recording:
            raise ValueError("Tape is not recording.")
        # A stand-in keeps the tape's place: vectorized functions count the tapes outside of them.
        pause, records = Paused(), self._tape
        self._recording = False
        remove_identical(STATE.readers, self)
        _replace(STATE.tapes, records, pause)
        try:
            yield
        finally:
            # (Its one gradient may have been taken in the block.)
            if _replace(STATE.tapes, pause, self._records_to_write()):
                _replace(STATE.accumulators, records, self._tape)
                STATE.readers.append(self)
                self._recording = True

    def reset(self) -> None:
        """Forget everything recorded and watched, and continue recording.

        >>> x = tf.constant(2.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     loss = x * x
        ...     tape.reset()
        ...     tape.watch(x)
        ...     loss = loss + 5 * x
        >>> tape.gradient(loss, x).numpy()
        np.float32(5.0)

        Raises:
            ValueError: The tape is not recording.
        """
        self._stop()
        self._tape = None
        self._variables = {}
        self._start()

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables that are followed, in the order of their creation.

        >>> weight, fixed = tf.Variable(2.0, name="weight"), tf.Variable(1.0, trainable=False)
        >>> with tf.GradientTape() as tape:
        ...     y = weight * fixed
        >>> [variable.name for variable in tape.watched_variables()]
        ['weight:0']

        Returns:
            A tuple of variables.
        """
        return tuple(self._variables[number] for number in sorted(self._variables))

    # --- differentiation -----------------------------------------------------------------------------------------

    @overload
    def gradient(
        self,
        target: Differentiables,
        sources: Tensor | Variable,
        output_gradients: Any = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> Gradient: ...
    @overload
    def gradient(  # type: ignore[overload-overlap]
        self,
        target: Differentiables,
        sources: tuple[Tensor | Variable, ...],
        output_gradients: Any = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> tuple[Gradient, ...]: ...
    @overload
    def gradient(
        self,
        target: Differentiables,
        sources: Sequence[Tensor | Variable],
        output_gradients: Any = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> list[Gradient]: ...
    @overload
    def gradient(
        self,
        target: Differentiables,
        sources: Mapping[_Key, Tensor | Variable],
        output_gradients: Any = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> dict[_Key, Gradient]: ...
    @overload
    def gradient(
        self,
        target: Differentiables,
        sources: Differentiables,
        output_gradients: Any = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
    ) -> Any: ...
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of the target (or of the sum over all targets and their elements) in each source.

        >>> w, b = tf.Variable(2.0), tf.Variable(1.0)
        >>> with tf.GradientTape() as tape:
        ...     y = w * 3.0 + b
        >>> tape.gradient(y, {"w": w, "b": b})
        {'w': <tf.Tensor: shape=(), dtype=float32, numpy=3.0>, 'b': <tf.Tensor: shape=(), dtype=float32, numpy=1.0>}

        Args:
            target: A tensor, or a structure of tensors.
            sources: A tensor or variable, or a structure of them; the answer has the same structure.
            output_gradients: For each target, what to weight its elements with; ones where nothing is given.
            unconnected_gradients: Whether a source that the target does not depend on gets None or zeros: a member of
                `tf.UnconnectedGradients`, or its value "none" or "zero".

        Returns:
            For each source a tensor of its shape and type, `tf.IndexedSlices` for rows looked up with `tf.gather`, or
            None.

        Raises:
            RuntimeError: The one gradient of a tape that is not persistent was taken, or the tape was not entered yet.
            TypeError: The target is None.
        """
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to be "
                "differentiated, but received None."
            )
        if unconnected_gradients is not UnconnectedGradients.NONE:
            unconnected_gradients = checked_unconnected(unconnected_gradients)
        flat_sources = checked_tensors(sources, "source", False)
        flat_targets = checked_tensors(target, "target", False)
        records = self._begin()
        try:
            weights = None if output_gradients is None else _weights(output_gradients, flat_targets)
            results = gradients(records, flat_targets, flat_sources, weights, consume=not self._persistent)
        except GradientLookupError:
            self._keep_chain(
                records, flat_targets, flat_sources, [None] * len(flat_sources), not self._persistent, True
            )
            raise
        finally:
            self._end()
        for result in results:
            if result is None and unconnected_gradients is UnconnectedGradients.NONE:
                self._keep_chain(records, flat_targets, flat_sources, results, consumed=not self._persistent)
                break
        if GRADIENT_OBSERVERS:
            pairs = [pair for pair in zip(results, flat_sources, strict=True) if isinstance(pair[1], Variable)]
            if pairs:
                _show_gradients(flat_targets, [result for result, _ in pairs], [source for _, source in pairs])
        if unconnected_gradients is UnconnectedGradients.ZERO:
            results = [
                zeros_of(source) if result is None else result
                for result, source in zip(results, flat_sources, strict=True)
            ]
        if len(flat_sources) == 1 and flat_sources[0] is sources:
            return results[0]
        following = iter(results)
        return nest.map_structure(lambda source: _gradient_of(source, following), sources)

    @overload
    def jacobian(
        self,
        target: Differentiables,
        sources: Tensor | Variable,
        unconnected_gradients: UnconnectedGradients | str = ...,
        parallel_iterations: int | None = ...,
        experimental_use_pfor: bool = ...,
    ) -> Gradient: ...
    @overload
    def jacobian(  # type: ignore[overload-overlap]
        self,
        target: Differentiables,
        sources: tuple[Tensor | Variable, ...],
        unconnected_gradients: UnconnectedGradients | str = ...,
        parallel_iterations: int | None = ...,
        experimental_use_pfor: bool = ...,
    ) -> tuple[Gradient, ...]: ...
    @overload
    def jacobian(
        self,
        target: Differentiables,
        sources: Sequence[Tensor | Variable],
        unconnected_gradients: UnconnectedGradients | str = ...,
        parallel_iterations: int | None = ...,
        experimental_use_pfor: bool = ...,
    ) -> list[Gradient]: ...
    @overload
    def jacobian(
        self,
        target: Differentiables,
        sources: Mapping[_Key, Tensor | Variable],
        unconnected_gradients: UnconnectedGradients | str = ...,
        parallel_iterations: int | None = ...,
        experimental_use_pfor: bool = ...,
    ) -> dict[_Key, Gradient]: ...
    @overload
    def jacobian(
        self,
        target: Differentiables,
        sources: Differentiables,
        unconnected_gradients: UnconnectedGradients | str = ...,
        parallel_iterations: int | None = ...,
        experimental_use_pfor: bool = ...,
    ) -> Any: ...
    @takes(parallel_iterations=optional_count)
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of every element of the target in every element of each source, in one backward pass.

        >>> import gradtape as tf
        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy()
        array([[2., 0.],
               [0., 4.]], dtype=float32)

        Args:
            target: A tensor.
            sources: A tensor or variable, or a structure of them; the answer has the same structure.
            unconnected_gradients: Whether a source that the target does not depend on gets None or zeros.
            parallel_iterations: Ignored; accepted for compatibility with TensorFlow.
            experimental_use_pfor: Whether all elements are treated at once. False is for tapes that are persistent, and gives
                the same.

        Returns:
            For each source a tensor of the target's shape followed by the source's, or None.

        Raises:
            RuntimeError: The one gradient of a tape that is not persistent was taken, or the tape was not entered yet.
        """
        target = checked_tensor(target, "target of jacobian")
        unconnected = checked_unconnected(unconnected_gradients)
        flat_sources = checked_tensors(sources, "source")
        self._check_pfor(experimental_use_pfor, "jacobian")
        records = self._begin()
        try:
            results = jacobians(records, target, flat_sources)
        finally:
            self._end()
        if unconnected is UnconnectedGradients.NONE and any(result is None for result in results):
            self._keep_chain(records, [target], flat_sources, results, consumed=False)
        if unconnected is UnconnectedGradients.ZERO:
            shape = tuple(to_tensor(target).shape)
            results = [
                zeros((*shape, *to_tensor(source).shape), source.dtype) if result is None else result
                for result, source in zip(results, flat_sources, strict=True)
            ]
        return nest.pack_sequence_as(sources, results)

    @takes(parallel_iterations=optional_count)
    def batch_jacobian(
        self,
        target: Tensor | Variable,
        source: Tensor | Variable,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
        """For each entry of the first axis the Jacobian of its row of the target in its row of the source.

        It is right where rows do not depend on each other; where they do, the dependence is summed over the batch.

        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).numpy()
        array([[[2., 0.],
                [0., 4.]],
        <BLANKLINE>
               [[6., 0.],
                [0., 8.]]], dtype=float32)

        Args:
            target: A tensor with at least two axes, the first of which is the batch.
            source: A tensor or variable with the same batch.
            unconnected_gradients: Checked, and not used: zeros stand where nothing is connected.
            parallel_iterations: Ignored; accepted for compatibility with TensorFlow.
            experimental_use_pfor: Whether all rows are treated at once. False is for tapes that are persistent, and gives
                the same.

        Returns:
            A tensor of shape (batch, target's other axes, source's other axes).

        Raises:
            ValueError: The batches differ, or there are less than two axes.
            RuntimeError: The one gradient of a tape that is not persistent was taken, or the tape was not entered yet.
        """
        if self._tape is None and self._spent:
            self._begin()  # (raises: that the tape was used comes before what is wrong with the arguments)
        target = checked_tensor(target, "target of batch_jacobian")
        source = checked_tensor(source, "source of batch_jacobian")
        checked_unconnected(unconnected_gradients)
        self._check_pfor(experimental_use_pfor, "batch_jacobian")
        rows, entries = to_tensor(target).shape, to_tensor(source).shape
        if not rows or not len(rows):
            raise BatchShapeError(
                f"batch_jacobian: the target needs a batch axis, got a scalar (source shape {entries})."
            )
        if rows[:1] != entries[:1]:
            raise BatchShapeError(
                f"Need first dimension of target shape ({rows}) and source shape ({entries}) to match."
            )
        for shape in (rows, entries):
            if len(shape) < 2:
                raise BatchShapeError(f"Shape {shape} must have rank at least 2")
        records = self._begin()
        try:
            result = batch_jacobian_of(records, target, source)
        finally:
            self._end()
        if result is None:
            return zeros((*rows, *entries[1:]), source.dtype)
        return result

    # --- what is printed ---------------------------------------------------------------------------------------------

    def _described(self) -> tuple[str, int]:
        """What state the tape is in, and how many ops it holds."""
        if self._recording:
            state = "recording"
        elif self._tape is not None:
            state = "recorded"
        else:
            state = "its one gradient was taken" if self._spent else "not entered yet"
        return state, sum(not is_further_output(record) for record in (self._tape or {}).values() if record is not None)

    def __repr__(self) -> str:
        state, ops = self._described()
        kind = ", persistent" if self._persistent else ""
        count = len(self._variables)
        held = f", {ops} op{'s' * (ops != 1)}, {count} variable{'s' * (count != 1)}" if self._tape is not None else ""
        return f"<tf.GradientTape: {state}{kind}{held}>"

    def _notebook_form(self) -> Form:
        state, ops = self._described()
        names: dict[str, int] = {}
        for record in (self._tape or {}).values():
            if record is not None and not is_further_output(record):
                op = op_of(pull_of(record))
                name = "a function" if op is None else op.name
                names[name] = names.get(name, 0) + 1
        common = sorted(names.items(), key=lambda item: -item[1])
        facts = [("", state), *([("", "persistent")] if self._persistent else [])]
        if self._tape is not None:
            facts += [("ops", str(ops)), ("", ", ".join(f"{count} {name}" for name, count in common[:8]))]
        rows = [(variable.name, str(variable.shape), variable.dtype.name) for variable in self.watched_variables()]
        return Form("tf.GradientTape", tuple(facts), table=(("watched", "shape", "dtype"), *rows) if rows else ())

    _repr_html_ = in_notebook

    def _keep_chain(
        self,
        records: Records,
        targets: list[Any],
        sources: list[Any],
        results: list[Any],
        consumed: bool,
        is_refused: bool = False,
    ) -> None:
        """Keep the ops and lines of a tape that gave a None, or an error, without their values; a strict tape raises."""
        from ..diagnostics import chain

        self._missing = chain.missing_from(self, records, targets, sources, results, consumed)
        if is_refused:
            return
        for listen in chain.LISTENERS:
            listen(self, [source for source, result in zip(sources, results, strict=True) if result is None])
        if self._strict:
            from ..diagnostics import asking

            raise asking.refuse(self, sources)

    def _check_pfor(self, use_pfor: bool, name: str) -> None:
        if not use_pfor and not self._persistent:
            raise RuntimeError(
                f"GradientTape must be created with persistent=True to compute the {name} with eager execution enabled and "
                "with experimental_use_pfor set to False."
            )

    def _begin(self) -> Records:
        """The record to differentiate, for one call; RuntimeError where there is none, or it has been used."""
        if TAPE_OBSERVERS:
            for observe in tuple(TAPE_OBSERVERS):
                observe(self)
        records = self._tape
        if records is None and self._spent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians). "
                "Use tf.GradientTape(persistent=True) to ask more than once."
            )
        if records is None:
            records = self._records()
        if self._recording and not self._persistent:
            self._stop()
        elif self._recording and not _Warned.of_recorded_gradients:
            _Warned.of_recorded_gradients = True
            LOGGER.warning(
                "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient "
                "than calling it outside the context (it causes the gradient ops to be recorded on the tape, leading to "
                "increased CPU and memory usage). Only call GradientTape.gradient inside the context if you actually "
                "want to trace the gradient in order to compute higher order derivatives."
            )
        if self._nan_safe:
            STATE.nan_safe += 1
        return records

    def _end(self) -> None:
        if self._nan_safe:
            STATE.nan_safe -= 1
        if not self._persistent:
            self._tape = None
            self._spent = True
        elif self._tape.__class__ is BudgetedRecords:
            self._tape.close()


def _show(targets: list[Any], gradients: list[Any], variables: list[Variable]) -> None:
    for observe in tuple(GRADIENT_OBSERVERS):
        observe(targets, gradients, variables)


# In a compiled function it is one call at each run, of a program that was made while somebody observes.
_show_gradients = traceable(
    _show, always=True, on_abstract=lambda evaluator, function, *args: evaluator.effect(function, args, {})
)


def _replace(items: list[Any], old: object, new: Any) -> bool:
    """Replace the object `old` (compared by identity) by `new`; returns whether it was found."""
    for position, item in enumerate(items):
        if item is old:
            items[position] = new
            return True
    return False


def zeros(shape: tuple[Any, ...], dtype: DType) -> Tensor:
    """A tensor of zeros."""
    return from_array(np.zeros(shape, dtype.numpy))


def _gradient_of(source: Any, results: Iterator[Any]) -> Any:
    """The gradient with respect to one source, of the next of the results: of as many as a composite has tensors."""
    kind = COMPOSITES.get(source.__class__)
    if kind is not None and kind.gradients is not None:
        return kind.gradients.put(source, [next(results) for _ in kind.gradients.of(source)])
    result = next(results)
    return result if kind is None or result is None else kind.values.put(source, result)  # type: ignore[union-attr]


def _weights(output_gradients: Any, targets: list[Any]) -> list[Any]:
    """For each target its weight or None; a list that is too short leaves ones, one that is too long is cut."""
    given = nest.flatten(output_gradients)[: len(targets)]
    weights: list[Any] = []
    for value, target in zip(given, targets, strict=False):
        numeric = isinstance(value, (bool, int, float, complex)) and target.dtype.is_differentiable
        weight = to_tensor(value, target.dtype if numeric else None)
        if target.dtype.is_differentiable and weight.dtype != target.dtype:
            raise invalid(
                f"gradient: output_gradients has {weight.dtype.name} for a target of {target.dtype.name}. "
                f"Use tf.cast(x, tf.{target.dtype.name})."
            )
        weights.append(weight)
    return weights + [None] * (len(targets) - len(weights))
