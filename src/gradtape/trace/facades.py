"""Stand-ins for tapes, accumulators and arrays of tensors in a trace: every method call becomes a step.

When the graph runs, the steps run on real objects: a tape inside a traced function is a tape.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from ..differentiation.forward import ForwardAccumulator
from ..differentiation.tape import GradientTape
from .recorder import FACADES, Recorder


class Facade:
    """An object of a trace, known by the number of the real one."""

    _symbolic = True
    _trace: Recorder
    _number: int

    @classmethod
    def standing_for(cls, thing: object, trace: Recorder, number: int) -> Any:
        """A facade for an object that a step returned."""
        facade = object.__new__(cls)
        facade._trace, facade._number = trace, number
        facade._describe(thing)
        return facade

    def twin(self, number: int) -> Any:
        """The same, under another number."""
        return self.standing_for(self, self._trace, number)

    def _describe(self, thing: object) -> None:
        """Copy the attributes that can be read without a step."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} in the trace of {self._trace.graph.name!r}>"


def _as_step(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: object, **kwargs: object) -> Any:
        return self._trace.method(self, name, args, kwargs)

    method.__name__ = name
    return method


METHODS = {"stop_recording"}  # the names of all methods that are steps


def steps_of(facade: type, real: type, names: tuple[str, ...]) -> None:
    """Let these methods of a facade, which stands for objects of the real class, be steps."""
    METHODS.update(names)
    for name in names:
        method = _as_step(name)
        method.__doc__ = getattr(real, name).__doc__
        setattr(facade, name, method)


class _Entered(Facade):
    """An object that is used in a `with` statement."""

    def __enter__(self) -> Any:
        self._trace.step(enter, (self,), {}, effect=True)
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is None:  # a trace that failed is thrown away
            self._trace.step(leave, (self,), {}, effect=True)


def enter(thing: Any) -> None:
    """Enter a context."""
    thing.__enter__()


def leave(thing: Any) -> None:
    """Leave a context."""
    thing.__exit__(None, None, None)


class TracedTape(_Entered, GradientTape):
    """A `tf.GradientTape` made inside a traced function."""

    def explain(self, target: object, sources: object, *, connected: bool = False) -> Any:
        """Asked while the function is traced, of the tape that runs on abstract values: it is no step."""
        tape, target, sources = self._trace.abstract((self, target, sources))
        return tape.explain(target, sources)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Do not record in this block.

        In a branch or a loop, of a tape that was made outside of it, nothing is stopped, as in TensorFlow: a tape follows a
        branch or a loop as a whole.
        """
        if not self._trace.made_here(self._number):
            yield
            return
        with self._trace.method(self, "stop_recording", (), {}):
            yield


class TracedAccumulator(_Entered, ForwardAccumulator):
    """A `tf.autodiff.ForwardAccumulator` made inside a traced function."""

    def __del__(self) -> None:
        """Nothing to do: the facade itself was never entered."""


class _TracedContext(_Entered):
    """What `tape.stop_recording()` gives."""


steps_of(
    TracedTape,
    GradientTape,
    (
        *("watch", "reset", "watched_variables", "gradient", "jacobian", "batch_jacobian"),
        *("hessian", "hvp", "hessian_diagonal", "laplacian"),
    ),
)
steps_of(TracedAccumulator, ForwardAccumulator, ("watch", "jvp"))
FACADES |= {
    GradientTape: TracedTape,
    ForwardAccumulator: TracedAccumulator,
    contextlib._GeneratorContextManager: _TracedContext,
}
