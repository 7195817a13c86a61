"""`while` and `for` statements."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any

from ..base import nest
from ..base.errors import InvalidArgumentError, OperatorNotAllowedInGraphError
from ..base.shapes import TensorShape
from ..values.tensor import Tensor, to_tensor
from . import public
from .branches import if_stmt
from .lists import LoopList, TensorList
from .logic import and_
from .state import (
    Restart,
    from_leaf,
    is_carried,
    is_number,
    placeholder,
    same,
    same_structure,
    shown,
    takes_type,
    to_leaf,
)
from .symbolic import is_composite, is_staged, is_symbolic, is_tensor_array, tracing, truth
from .undefined import UndefinedReturnValue, is_undefined

Values = tuple[Any, ...]


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], Values],
    set_state: Callable[[Values], None],
    symbol_names: tuple[str, ...],
    opts: dict[str, Any],
) -> None:
    """`while test(): body()`, where both work on the variables that `get_state` reads.

    A loop may begin in Python and go on in the graph: `while True:` with a `break` that depends on a tensor.
    """
    while True:
        condition = truth(test(), "while loop")
        if is_staged(condition):
            _Loop(get_state, set_state, symbol_names, opts).run_while(test, body)
            return
        if not condition:
            return
        body()


def for_stmt(
    iterable: object,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], Values],
    set_state: Callable[[Values], None],
    symbol_names: tuple[str, ...],
    opts: dict[str, Any],
) -> None:
    """`for target in iterable: body(target)`, while `extra_test()` holds (no `break` or `return` so far)."""
    positions = by_position(iterable)
    if positions is not None:
        _Loop(get_state, set_state, symbol_names, opts).run_over(positions, extra_test, body)
    elif tracing() and _is_dataset(iterable) and not is_unrolled(iterable):
        _Loop(get_state, set_state, symbol_names, opts).run_dataset(iterable, extra_test, body)
    else:
        _python_for(iterable, extra_test, body, get_state, set_state, symbol_names)


def _python_for(
    iterable: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], Values],
    set_state: Callable[[Values], None],
    symbol_names: tuple[str, ...],
) -> None:
    if extra_test is None:
        for target in iterable:
            body(target)
        return
    if not extra_test():
        return
    for target in iterable:
        go_on = truth(extra_test(), "for loop")
        if is_symbolic(go_on):
            # Whether an earlier iteration left the loop is known only when the function runs, so each further one is an `if`.
            if not isinstance(iterable, Sized):
                raise NotImplementedError(
                    "A `break` or `return` that depends on a tensor needs a loop of known length, and this one runs over "
                    f"{shown(iterable)}. Make a list of that, `for x in list(...)`, or loop over a tensor, "
                    "tf.range or a dataset."
                )
            turn = _Turn(body, target)
            if_stmt(go_on, turn, _nothing, get_state, set_state, symbol_names, len(symbol_names))
        elif go_on:
            body(target)
        else:
            return


class _Turn:
    """One iteration of a loop, as the body of an `if`."""

    def __init__(self, body: Callable[[Any], None], target: Any) -> None:
        self.body, self.target = body, target

    def __call__(self) -> None:
        self.body(self.target)


def _nothing() -> None:
    pass


# --- what a loop can run over ----------------------------------------------------------------------------------------


class Positions:
    """Something with a number of elements that may be a tensor, and an element for each position."""

    def __init__(self, count: Any, element: Callable[[Any], Any]) -> None:
        self.count, self.element = count, element

    def __iter__(self) -> Any:
        raise OperatorNotAllowedInGraphError(
            "Iterating over a symbolic tensor is possible in a for statement of a converted function, not here."
        )


def by_position(iterable: Any) -> Positions | None:
    """How a traced loop walks over `iterable`; None where Python's own loop does it."""
    if isinstance(iterable, Positions):
        return iterable
    if isinstance(iterable, TensorList):
        return Positions(iterable.size(), iterable.array.read)
    if is_staged(iterable):
        steps = getattr(iterable, "_range", None)
        if iterable.shape.rank == 0:
            raise ValueError(f"A scalar cannot be iterated over: {iterable}. Did you mean tf.range(...)?")
        if steps is not None:
            start, limit, delta = steps
            known = iterable.shape[0]
            # (The count follows from start, limit and delta, so the range itself need not be computed.)
            count = public.math().maximum(0, -((start - limit) // delta)) if known is None else known
            return Positions(count, lambda place: start + place * delta)
        count = length(iterable)
        # Unstacked once: the gradient of `tensor[place]` would be as large as the tensor, in each iteration.
        rows = public.tensor_array().TensorArray(iterable.dtype, size=count, element_shape=iterable.shape[1:])
        return Positions(count, rows.unstack(iterable).read)
    if is_tensor_array(iterable) and tracing():
        return Positions(iterable.size(), iterable.read)
    return None


def length(tensor: Any) -> Any:
    """The first size: a Python int where it is known, else a tensor."""
    rank = tensor.shape.rank
    if rank == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {tensor.shape}")
    if rank is not None and tensor.shape[0] is not None:
        return tensor.shape[0]
    return public.arrays().shape(tensor)[0]


def is_unrolled(dataset: object) -> bool:
    """Whether a dataset is made of tensors of the function, so that its elements are taken apart while that is recorded."""
    return hasattr(dataset, "_is_symbolic") and bool(dataset._is_symbolic())


def _is_dataset(value: object) -> bool:
    return hasattr(value.__class__, "element_spec")


# --- loops in the graph ----------------------------------------------------------------------------------------------


class _Loop:
    """One loop statement, and what is learned about its variables while it is traced."""

    def __init__(
        self,
        get_state: Callable[[], Values],
        set_state: Callable[[Values], None],
        names: tuple[str, ...],
        options: dict[str, Any],
    ) -> None:
        self.get_state, self.set_state, self.names = get_state, set_state, names
        self.limit = options.get("maximum_iterations")
        self.invariants: list[tuple[Any, Any]] = list(options.get("shape_invariants") or ())
        self.start = get_state()  # the values with which the loop begins
        self.initialized_here: set[str] = set()  # names that have no value before the loop
        self.relaxes = False  # whether a variable may change its shape, as in TensorFlow's loops over datasets
        self.error: Exception | None = None  # the error because of which this attempt keeps numbers as Python numbers

    def run_while(self, test: Callable[[], Any], body: Callable[[], None]) -> None:
        """`while test(): body()`."""

        def once() -> list[Any]:
            counted = bool(self.initialized_here) or not any(map(self._is_carried, nest.flatten(self.start)))
            own = [to_tensor(0)] if counted else []
            return self._staged(own, lambda *count: test(), lambda *count: body())

        self._attempt(once)

    def run_over(self, positions: Positions, extra_test: Callable[[], Any] | None, body: Callable[[Any], None]) -> None:
        """`for element in positions: body(element)`."""

        def test(place: Any) -> Any:
            inside = place < positions.count
            return inside if extra_test is None else and_(lambda: inside, extra_test)

        self._attempt(lambda: self._staged([to_tensor(0)], test, lambda place: body(positions.element(place))))

    def run_dataset(self, dataset: Any, extra_test: Callable[[], Any] | None, body: Callable[[Any], None]) -> None:
        """`for element in dataset: body(element)`; after a `break` no further element is taken."""
        self.relaxes = True

        def turn(element: Any, count: Any, *leaves: Any) -> list[Any]:
            self._set(leaves, LoopList)
            body(element)
            return [element, count + 1, *self._get()]

        def goes_on(element: Any, count: Any, *leaves: Any) -> Any:
            assert extra_test is not None
            self._set(leaves, LoopList)
            return to_tensor(extra_test())

        def once() -> list[Any]:
            variables, test = [to_tensor(0), *self._leaves()], None if extra_test is None else goes_on
            return list(public.control().for_dataset(dataset, turn, variables, self._shape_invariants(1), test))

        self._attempt(once)

    def _staged(self, own: list[Any], test: Callable[..., Any], body: Callable[..., None]) -> list[Any]:
        """The op of the loop; `own` is the counter, if it has one."""

        def condition(*values: Any) -> Any:
            self._set(values[len(own) :], LoopList)
            return to_tensor(test(*values[: len(own)]))

        def turn(*values: Any) -> list[Any]:
            self._set(values[len(own) :], LoopList)
            body(*values[: len(own)])
            return [*(count + 1 for count in values[: len(own)]), *self._get()]

        leaves = self._leaves()
        results = public.control().while_loop(
            condition,
            turn,
            [*own, *leaves],
            shape_invariants=self._shape_invariants(len(own)),
            maximum_iterations=self.limit,
        )
        return list(results) if own else [None, *results]

    def _attempt(self, run: Callable[[], list[Any]]) -> None:
        """Trace the loop, again if its variables need other start values; then set the names to their values after it."""
        before = self.start
        try:
            while (results := self._attempted(run)) is None:
                pass
        except BaseException:
            self.set_state(before)
            raise
        count, *leaves = results
        self._set(leaves, list)
        for name in sorted(self.initialized_here):
            text = f"loop must iterate at least once to initialize {name}"
            public.framework().Assert(count > 0, [text])

    def _attempted(self, run: Callable[[], list[Any]]) -> list[Any] | None:
        """The results of the loop; None where it must be traced again."""
        try:
            return run()
        except Restart as restart:
            if restart.owner is not self:
                raise
            # Made here, outside of the loop: values made inside it are not valid outside.
            learned = {place: make() for place, make in restart.values.items()}
            self.start = tuple(learned.get(place, value) for place, value in enumerate(self.start))
            self.error = None
            return None
        except (TypeError, InvalidArgumentError) as error:
            # `total = 0` before a sum of floats: an int32 tensor does not mix with floats, but a Python number does. One
            # iteration with the Python number shows its type.
            if self.error is None and any(map(is_number, nest.flatten(self.start))):
                self.error = error
                return None
            failure = self.error or error
        raise failure

    # --- the variables -------------------------------------------------------------------------------------------

    def _is_carried(self, leaf: object) -> bool:
        return is_carried(leaf) and not (self.error is not None and is_number(leaf))

    def _leaves(self) -> list[Any]:
        """The leaves that the op carries; all others must not change."""
        return [to_leaf(leaf) for leaf in nest.flatten(self.start) if self._is_carried(leaf)]

    def _shape_invariants(self, own: int) -> list[Any] | None:
        if not self.invariants:
            return None
        shapes = [TensorShape([])] * own
        for leaf in nest.flatten(self.start):
            if self._is_carried(leaf):
                shape = self._invariant(leaf)
                shapes.append(self._known_shape(to_leaf(leaf)) if shape is None else shape)
        return shapes

    def _invariant(self, leaf: object) -> TensorShape | None:
        return next((TensorShape(shape) for value, shape in self.invariants if value is leaf), None)

    def _known_shape(self, leaf: Any) -> TensorShape:
        return TensorShape(None) if is_composite(leaf) else leaf.shape

    def _set(self, leaves: Any, list_type: type[list[Any]]) -> None:
        """Set the user's names to these leaves; leaves that are not carried keep their values from before the loop."""
        rest = iter(leaves)
        values = []
        for place, value in enumerate(self.start):
            parts = [from_leaf(leaf, next(rest)) if self._is_carried(leaf) else leaf for leaf in nest.flatten(value)]
            filled = nest.pack_sequence_as(value, parts)
            if filled.__class__ is list and list_type is LoopList:
                filled = self._loop_list(place, filled)
            values.append(filled)
        self.set_state(tuple(values))

    def _loop_list(self, place: int, elements: list[Any]) -> LoopList:
        def grow(example: object) -> Any:
            raise Restart(self, {place: lambda: TensorList.of(self.start[place], example)})

        copied = LoopList(elements)
        copied.grow = grow
        return copied

    def _get(self) -> list[Any]:
        """The leaves at the end of an iteration, checked against the start values."""
        values = self.get_state()
        learned = {}
        for place, (name, old, new) in enumerate(zip(self.names, self.start, values, strict=True)):
            better = self._better_start(name, old, new)
            if better is not None:
                learned[place] = better
        if learned:
            raise Restart(self, learned)
        if self.error is not None:
            raise self.error
        return [
            leaf
            for name, old, new in zip(self.names, self.start, values, strict=True)
            for leaf in self._checked(name, old, new)
        ]

    def _better_start(self, name: str, old: object, new: object) -> Callable[[], Any] | None:
        """Makes the start value to use instead of `old` if an iteration yields `new`; None where `old` can stay."""
        if is_undefined(old) or old is None:
            return None if new is None or is_undefined(new) else lambda: self._placeholder(name, old, new)
        if isinstance(new, list) and old.__class__ is list and len(new) > len(old):  # items += [x]
            return lambda: TensorList.of(old, new[-1])
        if not same_structure(old, new):
            return None
        pairs = list(zip(nest.flatten(old), nest.flatten(new), strict=True))
        if not any(takes_type(first, second) for first, second in pairs):
            return None
        return lambda: nest.pack_sequence_as(
            old, [to_leaf(first, second.dtype) if takes_type(first, second) else first for first, second in pairs]
        )

    def _placeholder(self, name: str, old: object, new: object) -> Any:
        if not all(is_carried(leaf) for leaf in nest.flatten(new)):
            raise TypeError(
                f"'{name}' is {shown(new)} after one iteration, and has no value before the loop: only tensors can depend on "
                "how often a loop runs. Set it before the loop."
            )
        value = placeholder(new)
        for start, leaf in zip(nest.flatten(value), nest.flatten(new), strict=True):
            if isinstance(leaf, Tensor) and not leaf.shape.is_fully_defined():
                self.invariants.append((start, leaf.shape))
        if not isinstance(old, UndefinedReturnValue):
            self.initialized_here.add(name)
        return value

    def _checked(self, name: str, old: object, new: object) -> list[Any]:
        """The leaves of one variable after an iteration."""
        if new is None and old is not None:
            raise ValueError(f"'{name}' is None at the end of the iteration, but {shown(old)} before the loop.")
        if not same_structure(old, new):
            raise TypeError(
                f"'{name}' does not have the same nested structure before the loop and after one iteration: {shown(old)} and "
                f"{shown(new)}."
            )
        leaves = []
        for first, second in zip(nest.flatten(old), nest.flatten(new), strict=True):
            if is_carried(first) and is_carried(second):
                leaves.append(self._checked_leaf(name, first, second))
            elif not same(first, second):
                raise TypeError(
                    f"'{name}' is {shown(first)} before the loop and {shown(second)} after one iteration: only tensors can "
                    "change in a loop whose length depends on a tensor."
                )
        return leaves

    def _checked_leaf(self, name: str, old: object, new: object) -> Any:
        before = to_leaf(old)
        if is_composite(before):
            return to_leaf(new)
        after = to_leaf(new, before.dtype) if takes_type(new, before) else to_leaf(new)
        if after.dtype != before.dtype:
            raise TypeError(
                f"'{name}' has dtype {before.dtype.name} before the loop, but dtype {after.dtype.name} after one iteration"
            )
        allowed = self._invariant(old)
        if allowed is None and not after.shape.is_subtype_of(before.shape):
            if self.relaxes:
                self.invariants.append((old, before.shape.most_specific_compatible_shape(after.shape)))
                raise Restart(self, {})
            raise ValueError(
                f"'{name}' has shape {before.shape} before the loop, but shape {after.shape} after one iteration. Use "
                "tf.autograph.experimental.set_loop_options to set shape invariants."
            )
        if allowed is not None and not after.shape.is_subtype_of(allowed):
            raise ValueError(
                f"'{name}' has shape {after.shape} after one iteration, which does not conform with the shape invariant "
                f"{allowed}."
            )
        return after
