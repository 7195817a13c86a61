"""Per-thread state: which tapes and accumulators are recording now.

An op entry asks two questions: is anybody recording at all (`ACTIVE`, one set for all threads, so that
the usual answer costs one check), and if so, who in this thread (`STATE`).
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, Unpack

from .places import Place
from .seeds import SeedScope

if TYPE_CHECKING:
    from ..trace.recorder import Recorder
    from ..values.tensor import EagerTensor, Tensor
    from ..variables.variable import Variable

Record = tuple[Any, ...]
Records = dict[int, Record | None]


class Accumulator(Protocol):
    """Somebody who follows ops forward, as they run: forward-mode differentiation, tapes that can recompute.

    Attributes:
        place: The graph in which it began to follow (`place_of_graph` in `differentiation/custom.py`); None if it never follows
            the body of a function with a gradient of its own.
    """

    place: tuple[int, ...] | None

    def _advance(self, op: Any, inputs: tuple[Any, ...], attributes: dict[str, Any], outputs: tuple[Any, ...]) -> None:
        """Compute the tangents of `outputs` from those of `inputs`."""

    def _advance_custom(self, grad_fn: Any, tensors: list[Any], variables: list[Any], outputs: list[Any]) -> None:
        """The same for a call whose reverse rule is all that is known."""

    def _advance_call(self, push: Any, inputs: list[Any], outputs: list[Any]) -> None:
        """The same for a call as a whole: `push` gives the tangents of its outputs from those of its inputs."""

    def _carry(self, old: Any, new: Any) -> bool:
        """Give `new` the tangent of `old`; whether there was one."""

    def _follows(self, number: int) -> bool:
        """Whether the value with this identity has a tangent."""


class Trace(Protocol):
    """An interceptor of ops: it records a function as a graph, or runs one on abstract values (see trace/)."""

    computes: bool  # whether what is called becomes part of a computation; else only types and shapes are asked for

    @property
    def depth(self) -> int:
        """How deeply what runs is nested in the loops and branches of a program."""

    @property
    def recorder(self) -> Recorder | None:
        """Itself, where it records a function as a graph; None where it runs one on abstract values."""

    def composite(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a public function that `traceable` has marked; what it gives."""

    def follows(self, values: Iterable[Any]) -> bool:
        """Whether an op on these operands is a `step`, although all of them have values."""

    def step(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call an op, or a function, that is to run each time; what it gives."""

    def captured(self, tensor: EagerTensor) -> Tensor:
        """What stands for a tensor from outside that a graph refers to."""

    def adopt(self, thing: Any, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Take over a tape or the like that is being made, `cls(*args, **kwargs)`; False if it is to be made as it is."""

    def read(self, variable: Variable) -> Tensor:
        """The value of a variable."""

    def like_followed(self, record: Any, cotangent: Any) -> list[Any]:
        """The cotangents of what an op was given, by its record, where its rule asks for sizes that are not known yet."""

    def sized(self, sizes: Any, dtype: Any = ...) -> Tensor:
        """A vector of sizes, or one size, some of which are not known yet. (None: a vector of an unknown number of sizes.)"""

    def on_attributes(self, op: Any, tensors: list[Any], attributes: dict[str, Any]) -> Any:
        """Run an op of which only an attribute is not known yet."""

    def change(self, variable: Variable, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Call a method that assigns to a variable."""

    def create_variable(self, variable: Variable) -> None:
        """A variable is being made."""

    def initial_value(self, value: Any) -> Any:
        """What that variable starts with, from what was given: a value, or a function that gives one."""


class VariableReader(Protocol):
    """Somebody who wants to know which variables are read (tapes, custom_gradient)."""

    def _variable_read(self, variable: Variable) -> None:
        """Called on each read of a variable in this thread."""


class Restoration(Protocol):
    """Values of a checkpoint whose variables do not exist yet."""

    def resume(self) -> None:
        """Give values to those variables that have been made, and attached to their objects, by now."""


class Paused(dict[int, Any]):
    """Stands in `ThreadState.tapes` for the records of a tape that has stopped recording: it follows nothing."""


class _ThreadEnd:
    """Dies with its thread, and then deactivates the recorders that were still active there.

    (A `__del__` on tapes would do the same, and cost every tape 0.15 us.)
    """

    def __init__(self, *recorders: list[Any]) -> None:
        self._recorders = recorders

    def __del__(self) -> None:
        for recorders in self._recorders:
            for recorder in recorders:
                deactivate(recorder)


class ThreadState(threading.local):
    """What records in this thread, outermost first."""

    def __init__(self) -> None:
        self.tapes: list[Records] = []
        self.accumulators: list[Accumulator] = []
        self.readers: list[VariableReader] = []
        self.name_scopes: list[str] = []
        # What makes variables instead of tf.Variable (tf.variable_creator_scope), outermost first.
        self.variable_creators: list[Callable[..., Any]] = []
        self._end = _ThreadEnd(self.readers, self.accumulators)
        self.trace: Trace | None = None
        # How many tapes that asked for it are differentiating: their backward passes are nan-safe.
        self.nan_safe = 0
        # tf.summary: where summaries go, at which step, under which condition, and who follows the ops for their graph.
        self.summary_writer: Any = None
        self.summary_step: Any = None
        self.summary_condition: Any = None
        self.summary_trace: Any = None
        # The scopes of tf.distribute that are open: strategies, each with the context of its replica inside of `run`.
        self.strategies: list[tuple[Any, Any]] = []
        # What tf.profiler measures with, and the folder that the result goes to.
        self.profile: Any = None
        # The device that an open scope of tf.device has chosen; None where none is open, or where it changes nothing.
        self.place: Place | None = None
        # Whether the code that runs was converted by AutoGraph, and the functions it calls are to be.
        self.autograph = False
        # Numbers the random ops of the graph that runs; None in eager code.
        self.seeds: SeedScope | None = None
        # Whether values are stand-ins that are computed for their shapes only: nan and inf in them mean nothing.
        self.stand_ins = False
        # Whether random draws are for their shapes only: the numbers are thrown away, and no stream advances.
        self.draws_unseen = False
        # The vectorized maps that run, outermost first: random numbers are drawn for each slice.
        self.maps: tuple[Any, ...] = ()
        # While a program is given to XLA: who sees each op before that, and how many rounds loops have room for.
        self.lowering_observer: Callable[[Any, list[Any], dict[str, Any]], None] | None = None
        self.room: Any = None
        # Where errors of Python functions go that devices call.
        self.call_errors: list[Exception] | None = None
        # Whether the program of all replicas is being made or run, and whether its ops take their seeds as in eager code.
        self.replicas_run = False
        self.seeds_as_eager = False
        # The replica that this thread runs, where replicas take turns.
        self.turn: Any = None
        for prepare in THREAD_STARTS:
            prepare()


class Fields(TypedDict, total=False):
    """The fields of the state that `scope` can replace."""

    tapes: list[Records]
    accumulators: list[Accumulator]
    readers: list[VariableReader]
    trace: Trace | None
    nan_safe: int
    name_scopes: list[str]
    variable_creators: list[Callable[..., Any]]
    summary_writer: Any
    summary_step: Any
    summary_condition: Any
    strategies: list[tuple[Any, Any]]
    place: Place | None
    autograph: bool
    draws_unseen: bool
    seeds: SeedScope | None
    stand_ins: bool
    maps: tuple[Any, ...]
    lowering_observer: Callable[[Any, list[Any], dict[str, Any]], None] | None
    room: Any
    call_errors: list[Exception] | None
    replicas_run: bool
    seeds_as_eager: bool
    turn: Any


class scope:
    """A block in which fields of this thread's state have other values. They are restored however the block is left.

    `with scope(tapes=[], readers=[]): ...` hides what runs from tapes. (A class: to enter and leave it takes 1.0 us, a
    `contextmanager` 1.5, and forward mode does so for each op.)
    """

    __slots__ = ("_fields", "_state")

    def __init__(self, **inside: Unpack[Fields]) -> None:
        self._fields: Any = inside  # in the block: what they were before

    def __enter__(self) -> None:
        # (The dictionary of this thread's state: a generator with such a block may be closed by another thread.)
        self._state = state = STATE.__dict__
        fields = self._fields
        for name in fields:
            state[name], fields[name] = fields[name], state[name]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._state.update(self._fields)


def call_with_seeds(seeds: SeedScope, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The same as `with scope(seeds=seeds): return function(*arguments)` in a third of the time, for elements of a dataset."""
    around = STATE.seeds
    STATE.seeds = seeds
    try:
        return function(*arguments)
    finally:
        STATE.seeds = around


def nobody_outside(trace: Trace | None = None) -> scope:
    """A block hidden from outer recorders: only this trace, if given, and recorders entered in the block are active."""
    return scope(tapes=[], accumulators=[], readers=[], trace=trace, nan_safe=0, seeds=None, maps=())


def shapes_only() -> bool:
    """Whether the running trace asks for types and shapes alone, so that values need not be computed."""
    trace = STATE.trace
    return trace is not None and not trace.computes


# What each thread has to do before its first op, filled in by layers above.
THREAD_STARTS: list[Callable[[], Any]] = []
STATE = ThreadState()
# The ids of the recorders: one is added or removed in one step, whatever other threads do, and none is kept alive.
ACTIVE: set[int] = set()

# What waits for variables to be made, newest first. Variables and modules ask it as long as it is not empty.
RESTORATIONS: list[Restoration] = []

next_id = itertools.count(1).__next__


def activate(recorder: object) -> None:
    """Tell every thread that somebody records."""
    ACTIVE.add(id(recorder))


def deactivate(recorder: object) -> None:
    """Take back the `activate` of this very object; recorders may leave in any order."""
    ACTIVE.discard(id(recorder))


def resume_restorations() -> None:
    """Let every pending restoration check for variables made since its last check."""
    for restoration in tuple(RESTORATIONS):
        restoration.resume()


def remove_identical(items: list[Any], item: object) -> bool:
    """Remove the last occurrence of this very object; whether it was there."""
    if items and items[-1] is item:
        items.pop()
        return True
    for position in range(len(items) - 1, -1, -1):
        if items[position] is item:
            del items[position]
            return True
    return False
