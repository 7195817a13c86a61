"""Open scopes of devices (`tf.device`, strategies of one device): what runs and is made in them.

Functions ask for the device that is chosen when they are called (trace/concrete.py). Eager ops compute on the host in any case;
while a scope of another device is open, they take the general path, and what they give notes where it belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..base.context import STATE, activate, deactivate, scope
from ..base.places import ON_DEVICE, OPEN, Belongs, Place
from ..op.entry import observe_ops, unobserve_ops
from ..trace.engines import CHOICE, NATIVE
from ..values.tensor import EagerTensor
from ..variables.variable import Variable


class OnDevice:
    """An open scope of a device."""

    def __init__(self, place: Place | None) -> None:
        self._place = place
        elsewhere = place is not None and not place.is_host
        creators = [*STATE.variable_creators, self._created] if elsewhere else STATE.variable_creators
        self._scope = scope(place=place, variable_creators=creators)
        self._scope.__enter__()
        recorder = None if STATE.trace is None else STATE.trace.recorder
        if recorder is not None and recorder.graph.place is None:
            recorder.graph.place = place
        activate(self)
        if elsewhere:
            from . import sharding

            sharding.begin()
            observe_ops(self._computed)
            OPEN.append(self._made)

    def leave(self) -> None:
        """Close it."""
        if self._made in OPEN:
            unobserve_ops(self._computed)
            OPEN.remove(self._made)
        deactivate(self)
        self._scope.__exit__(None, None, None)

    def _computed(self, op: object, inputs: object, outputs: tuple[object, ...]) -> None:
        """An eager op has run, in this thread or another."""
        self._made((), outputs)

    def _made(self, args: tuple[object, ...], result: object) -> None:
        """An eager function has given this: what it made belongs to the device."""
        if self._place is None or STATE.place is not self._place or STATE.trace is not None:
            return
        if isinstance(result, EagerTensor):
            if not any(result is given for given in args):
                result.__dict__.setdefault(ON_DEVICE, Belongs(self._place))
        elif isinstance(result, (list, tuple)):
            for part in result:
                self._made(args, part)

    def _created(self, create: Callable[..., Variable], **settings: object) -> Variable:
        """A variable made here lives here."""
        from . import sharding

        made = create(**settings)
        if self._place is not None:
            sharding.make_for(made, self._place)
        return made


def opened(place: Place | None) -> OnDevice | None:
    """Open the scope of a device, or of none; None where that changes nothing."""
    if (place is None or place.is_host) and STATE.place is None and CHOICE.name == NATIVE:
        return None
    return OnDevice(place)


@contextmanager
def on_device(place: Place | None) -> Iterator[None]:
    """A block in which a device is chosen."""
    entered = opened(place)
    try:
        yield
    finally:
        if entered is not None:
            entered.leave()
