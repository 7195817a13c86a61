"""Work in background threads: elements made ahead (`Ahead`) and functions called side by side (`SideBySide`).

Threads know only the buffer that they share with the iterator, never the iterator itself: when the iterator is
dropped, closed, or the interpreter ends, the buffer tells them to stop. What fails in a thread is raised where the
iterator is asked for the element, with the traceback of the thread.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from ..base.errors import FailedPreconditionError
from ..base.locks import new_condition, new_lock, on_fork
from .node import ElementIterator
from .structure import Element

_MOST_THREADS = 1024  # of one transformation
_RUNNING: weakref.WeakSet[Buffer] = weakref.WeakSet()


class Buffer:
    """What threads and an iterator share: a lock with a condition, whether to go on, and the threads."""

    def __init__(self) -> None:
        # Reentrant: the collector may end an iterator, and so call `stop`, in a thread that holds the lock already.
        self.changed = new_condition()
        self.stopped = False
        self.paused = False
        self.ended = False  # whether the source has
        self.running = 0  # how many threads are at work
        self.orphaned = False  # whether they are in the process that this one was forked from
        self._threads: list[threading.Thread] = []

    def start(self, run: Callable[[Any], None], count: int, name: str) -> None:
        """Start threads that run `run(buffer)`: as many as are asked for, and no more than a machine can have."""
        _RUNNING.add(self)
        for number in range(min(count, _MOST_THREADS)):
            # Daemons: a function that never returns must not keep the interpreter from ending.
            thread = threading.Thread(target=run, args=(self,), name=f"gradtape-{name}-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def wait(self) -> None:
        """Wait for a notification from a thread of this process."""
        if self.orphaned:
            raise FailedPreconditionError(
                None,
                None,
                "This iterator was begun before the process forked, and its threads are in the parent. "
                "Make a new iterator in the child: `for element in dataset:`.",
            )
        self.changed.wait()

    def stop(self) -> None:
        """Tell the threads to end after their current work, without waiting for them."""
        with self.changed:
            self.stopped = True
            self.changed.notify_all()

    def join(self, timeout: float) -> None:
        """Wait for the threads, at most `timeout` seconds for each."""
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(timeout)


@atexit.register
def _stop_all() -> None:
    """Stop the threads before the interpreter shuts down."""
    buffers = list(_RUNNING)
    for buffer in buffers:
        buffer.stop()
    for buffer in buffers:
        buffer.join(0.5)


def _orphan_all() -> None:
    """Runs in a forked child, which has none of its parent's threads."""
    for buffer in list(_RUNNING):
        buffer.orphaned = True


on_fork(after_in_child=_orphan_all)


class Outcome:
    """The outcome of one element: its value, or the exception raised instead."""

    __slots__ = ("error", "value")

    def __init__(self, value: Element = None, error: BaseException | None = None) -> None:
        self.value, self.error = value, error

    def get(self) -> Element:
        """The value, or the exception raised."""
        if self.error is not None:
            error, self.error = self.error, None
            try:
                raise error
            finally:
                del error  # its traceback holds this frame, and so keeps the thread's values alive
        return self.value


class Background:
    """An iterator's side of a buffer: started when first asked, stopped when dropped, saved and restored."""

    def __init__(self, buffer: Callable[[], Any], threads: int, name: str) -> None:
        self._make = buffer
        self._threads, self._name = threads, name
        self._renew()

    def _renew(self) -> None:
        self._buffer = self._make()
        self._started = False
        weakref.finalize(self, self._buffer.stop).atexit = False

    def start(self) -> None:
        """Start the threads, if they are not running yet."""
        if not self._started:
            self._started = True
            if not self._buffer.ended:
                self._buffer.start(type(self._buffer).run, self._threads, self._name)

    def _waiting(self) -> list[Outcome]:
        """The results that were not given out yet, while no thread works."""
        raise NotImplementedError

    def _preset(self, outcomes: deque[Outcome]) -> None:
        """Give these out first."""
        raise NotImplementedError

    def get_state(self, encode: Callable[[Element], Any]) -> Any:
        """The results that were not given out yet, and the position of the source; the threads wait meanwhile."""
        buffer = self._buffer
        with buffer.changed:
            buffer.paused = True
            try:
                while buffer.running:
                    buffer.wait()
                outcomes = self._waiting()
                for outcome in outcomes:
                    if outcome.error is not None:
                        raise FailedPreconditionError(
                            None,
                            None,
                            f"The iterator cannot be saved: an element that comes next failed: {outcome.error!r}.",
                        ) from outcome.error
                ready = [encode(outcome.value) for outcome in outcomes]
                return {"ready": ready, "ended": buffer.ended, "inner": buffer.source.get_state()}
            finally:
                buffer.paused = False
                buffer.changed.notify_all()

    def set_state(self, state: dict[str, Any], decode: Callable[[Any], Element]) -> None:
        """Go to a position, with new threads."""
        self._buffer.stop()
        with self._buffer.changed:
            while self._buffer.running:
                self._buffer.wait()
        self._renew()
        self._buffer.source.set_state(state["inner"])
        self._buffer.ended = bool(state["ended"])
        self._preset(deque(Outcome(decode(element)) for element in state["ready"]))

    def close(self) -> None:
        """End the threads."""
        self._buffer.stop()
        self._buffer.join(1.0)
        self._buffer.source.close()


# --- elements made ahead -----------------------------------------------------------------------------------


class _AheadBuffer(Buffer):
    def __init__(self, source: ElementIterator, size: int) -> None:
        super().__init__()
        self.source, self.size = source, size
        self.ready: deque[Outcome] = deque()

    def run(self) -> None:
        while True:
            with self.changed:
                while not self.stopped and (self.paused or len(self.ready) >= self.size):
                    self.wait()
                if self.stopped or self.ended:
                    return
                self.running = 1
            outcome = None
            try:
                outcome = Outcome(next(self.source))
            except StopIteration:
                pass
            except BaseException as error:
                outcome = Outcome(error=error)
            with self.changed:
                self.running = 0
                if outcome is None:
                    self.ended = True
                else:
                    self.ready.append(outcome)
                del outcome
                self.changed.notify_all()


class Ahead(Background):
    """Takes elements out of a source in a thread, up to `size` ahead of the consumer."""

    def __init__(self, source: ElementIterator, size: int, name: str = "prefetch") -> None:
        super().__init__(lambda: _AheadBuffer(source, size), 1, name)

    def next(self) -> Element:
        """The next element; StopIteration at the end."""
        buffer = self._buffer
        with buffer.changed:
            self.start()
            while not buffer.ready:
                if buffer.ended or buffer.stopped:
                    raise StopIteration
                buffer.wait()
            outcome: Outcome = buffer.ready.popleft()
            if len(buffer.ready) == buffer.size - 1:
                buffer.changed.notify_all()  # the thread waits for room
        return outcome.get()

    def _waiting(self) -> list[Outcome]:
        return list(self._buffer.ready)

    def _preset(self, outcomes: deque[Outcome]) -> None:
        self._buffer.ready = outcomes


# --- functions called side by side -------------------------------------------------------------------------


class _Call:
    """Some elements and their outcomes, handled by one thread together."""

    __slots__ = ("done", "inputs", "outcomes")

    def __init__(self, inputs: list[Element]) -> None:
        self.inputs = inputs
        self.outcomes: deque[Outcome] = deque()
        self.done = False


_ENOUGH = 300e-6  # seconds of work that justify handing it to a thread
_AT_ONCE = 32


class _CallsBuffer(Buffer):
    def __init__(
        self, source: ElementIterator, function: Callable[[Element], Element], count: int, ordered: bool
    ) -> None:
        super().__init__()
        self.source, self.function, self.count, self.ordered = source, function, count, ordered
        self.calls: deque[_Call] = deque()  # in the order of the input
        self.pulling = new_lock()  # one thread at a time reads the input
        self.at_once = 1  # how many elements a thread takes together: more where each takes little time

    def run(self) -> None:
        while True:
            with self.pulling:
                with self.changed:
                    while not self.stopped and (self.paused or len(self.calls) >= 2 * self.count):
                        self.wait()
                    if self.stopped or self.ended:
                        return
                    self.running += 1
                began = time.perf_counter()
                call = self._pulled()
            self._work(call)
            spent = time.perf_counter() - began
            with self.changed:
                if call.inputs:
                    each = spent / len(call.inputs)
                    self.at_once = max(1, min(_AT_ONCE, int(_ENOUGH / (each or 1e-9))))
                call.done = True
                self.running -= 1
                self.changed.notify_all()
            del call

    def _pulled(self) -> _Call:
        """The next elements of the input; an exception takes the place of its element."""
        call = _Call([])
        ended = False
        try:
            for _ in range(self.at_once):
                call.inputs.append(next(self.source))
        except StopIteration:
            ended = True
        except BaseException as error:
            call.outcomes.append(Outcome(error=error))
        with self.changed:
            self.ended = ended
            if call.inputs or call.outcomes:
                self.calls.append(call)
        return call

    def _work(self, call: _Call) -> None:
        failed = call.outcomes.popleft() if call.outcomes else None
        for element in call.inputs:
            if self.stopped:
                return
            try:
                call.outcomes.append(Outcome(self.function(element)))
            except BaseException as error:
                call.outcomes.append(Outcome(error=error))
        if failed is not None:
            call.outcomes.append(failed)

    def ready(self) -> _Call | None:
        """A call with something to give out: the first, or any that is done where order does not matter."""
        for call in self.calls:
            if call.done and call.outcomes:
                return call
            if self.ordered:
                return None
        return None


class SideBySide(Background):
    """Calls a function on the elements of a source in several threads at once."""

    def __init__(
        self, source: ElementIterator, function: Callable[[Element], Element], count: int, ordered: bool
    ) -> None:
        super().__init__(lambda: _CallsBuffer(source, function, count, ordered), count, "map")
        self._current: deque[Outcome] = deque()  # what is being given out; no thread sees it

    @property
    def restored(self) -> bool:
        """Whether there are results from a restored state, or from the same group as the last result."""
        return bool(self._current)

    def next(self) -> Element:
        """The next result; StopIteration at the end."""
        if not self._current:
            self._current = self._finished()
        return self._current.popleft().get()

    def _finished(self) -> deque[Outcome]:
        buffer = self._buffer
        with buffer.changed:
            self.start()
            while (call := buffer.ready()) is None:
                if buffer.stopped or (buffer.ended and not buffer.running and not buffer.calls):
                    raise StopIteration
                buffer.wait()
            buffer.calls.remove(call)
            buffer.changed.notify_all()
        outcomes: deque[Outcome] = call.outcomes
        return outcomes

    def _waiting(self) -> list[Outcome]:
        return [*self._current, *(outcome for call in self._buffer.calls for outcome in call.outcomes)]

    def _preset(self, outcomes: deque[Outcome]) -> None:
        self._current = outcomes
