"""Replicas that take turns on the host, each in a thread of its own that runs until it needs the others, as in TensorFlow.

So runs what no program of all devices can compute: parts of several shapes, text, sizes that depend on values, calls of Python.
Each replica has its own values of the variables while it runs: where one stops, they are kept, and those of the next are put in
their place. What replicas assign has been agreed upon, so that in the end those of the first one are those of all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from ..base.context import STATE
from ..base.dtypes import Array
from ..base.errors import UnimplementedError, invalid

_OF_THREAD = ("_end", "turn")  # fields of the state that a thread does not take over from another one


class _Stopped(BaseException):
    """Ends a replica after another one has failed. (No error: users must not catch it.)"""


class Turn:
    """One of the replicas."""

    def __init__(self, work: Callable[[int], Any], number: int, state: dict[str, Any], is_followed: bool) -> None:
        self._work, self.number, self._state, self._is_followed = work, number, state, is_followed
        self._goes, self._stops = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, name=f"replica {number}", daemon=True)
        self.given: Array | None = None  # what it waits with for the others
        self.answer: list[Array] = []
        self.result: Any = None
        self.error: BaseException | None = None
        self.is_over = False

    def _run(self) -> None:
        self._goes.acquire()
        try:
            STATE.__dict__.update({**self._state, "turn": self})
            self.result = self._work(self.number)
        except BaseException as error:
            self.error = error
        finally:
            STATE.turn, self.is_over = None, True
            self._stops.release()

    def go_on(self) -> None:
        """Let it run until it needs the others, or is done."""
        if self._thread.ident is None:
            self._thread.start()
        self._goes.release()
        self._stops.acquire()

    def stop(self) -> None:
        """End it where it waits."""
        if self._thread.ident is not None and not self.is_over:
            self.error = _Stopped()
            self.go_on()

    def exchanged(self, value: Array, combine: Callable[[list[Array]], Array]) -> Array:
        """What the values of all replicas together are; called by each of them."""
        if self._is_followed:
            raise UnimplementedError(
                None,
                None,
                "Replicas with parts of several shapes, or with steps that run on the host, exchange values, and a tape or an "
                "accumulator outside of `run` follows them. Open the tape inside of the function.",
            )
        self.given = value
        self._stops.release()
        self._goes.acquire()
        if isinstance(self.error, _Stopped):
            raise self.error
        return combine(self.answer)


def in_turn(work: Callable[[int], Any], count: int, variables: Sequence[Any]) -> list[Any]:
    """What each replica gives.

    Args:
        work: What a replica does, by its number.
        count: How many replicas there are.
        variables: Those that they read or change.
    """
    state = {name: value for name, value in STATE.__dict__.items() if name not in _OF_THREAD}
    is_followed = bool(state["tapes"] or state["accumulators"])
    turns = [Turn(work, number, _own(state), is_followed) for number in range(count)]
    before = [variable._value for variable in variables]
    own = [before] * count
    waiting = turns
    try:
        while waiting:
            for number, turn in enumerate(turns):
                _put(variables, own[number])
                turn.go_on()
                own[number] = [variable._value for variable in variables]
                if turn.error is not None:
                    raise turn.error
            waiting = [turn for turn in turns if not turn.is_over]
            if waiting and len(waiting) < count:
                raise invalid("Some replicas exchange a value, and others do not: all must do the same.")
            answer = [turn.given for turn in waiting]
            for turn in waiting:
                turn.answer = answer  # type: ignore[assignment]
    except BaseException:
        own[0] = before
        raise
    finally:
        for turn in turns:
            turn.stop()
        _put(variables, own[0])
    return [turn.result for turn in turns]


def _own(state: dict[str, Any]) -> dict[str, Any]:
    """The state of a thread for another one: whoever begins to record there does not do so here."""
    return {name: list(value) if value.__class__ is list else value for name, value in state.items()}


def _put(variables: Sequence[Any], values: list[Any]) -> None:
    for variable, value in zip(variables, values, strict=True):
        variable._value = value
