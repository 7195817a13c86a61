"""Assigns the values of a checkpoint to the objects of a program, also to objects created later.

The checkpoint is a graph of objects with named children, and so is the program. The two are walked together from their
roots; a name that the program does not have yet is left open, and looked for again when variables are made or
attributes set (`context.RESTORATIONS`).
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from ..base.context import RESTORATIONS
from ..base.errors import invalid
from ..base.locks import new_rlock
from ..base.shapes import TensorShape
from ..base.types import TensorLike
from ..variables.awaiting import AwaitingVariable
from ..variables.in_place import present_value
from ..variables.variable import Variable
from .states import arrays_in, decoded_state
from .storage import Bundle, corrupt_means_data_loss
from .tracking import StateOf, children_of, identity_of, is_trackable, state_of, tracked_objects, variable_in

_order = itertools.count(1)
_LOCK = new_rlock(held_through_forks=True)  # a child has all values of a checkpoint, or none


class _Open:
    """An object that matches a node of the checkpoint, but does not have all of the node's children yet."""

    def __init__(self, owner: Callable[[], Any], way: tuple[str, ...], number: int) -> None:
        self.owner = owner  # a weak reference: waiting for children keeps no object alive
        self.way = way  # from the owner to the object, where that is a list or a dict, which have no weak references
        self.number = number

    def value(self) -> Any:
        value = self.owner()
        for name in self.way:
            value = None if value is None else children_of(value).get(name)
        return value


class Restoration:
    """The restoration of one checkpoint into one program.

    Args:
        bundle: The checkpoint.
        root: The object that stands for its root.
        attached_to: The object whose parts are the root's parts; it may outlive the root.
    """

    def __init__(self, bundle: Bundle, root: object, attached_to: object = None) -> None:
        self._bundle = bundle
        self._order = next(_order)
        self._bound: dict[int, int] = {}  # by node: the identity of the object that was found for it
        self._open: list[_Open] = []
        self._variables: list[tuple[Variable, str]] = []
        self._states: list[tuple[StateOf, Any]] = []
        self._looking = False
        with _LOCK:
            self._match([(root, 0, _reference(root), ())])
            self._assign()
            if attached_to is not None and any(entry.number == 0 for entry in self._open):
                self._open.append(_Open(_reference(attached_to) or (lambda: attached_to), (), 0))
            if self._open:
                RESTORATIONS.insert(0, self)

    def resume(self) -> None:
        """Look for what was missing, and assign what is found."""
        with _LOCK:
            if self._looking:
                return
            self._looking = True
            try:
                waiting, self._open = self._open, []
                for entry in waiting:
                    value = entry.value()
                    if value is not None:
                        self._match(self._found_children(value, entry))
                self._assign()
                if not self._open and self in RESTORATIONS:
                    RESTORATIONS.remove(self)
            finally:
                self._looking = False

    def _match(self, waiting: list[Any]) -> None:
        """Bind objects, each given with its node and its path, and everything that is found below them."""
        while waiting:
            value, number, owner, way = waiting.pop()
            if number in self._bound:
                continue
            node = self._bundle.objects[number]
            self._bound[number] = identity_of(value)
            variable, state = variable_in(value), state_of(value)
            if "value" in node and variable is not None:
                self._variables.append((variable, node["value"]))
            elif "state" in node and state is not None:
                self._states.append((state, node["state"]))
            else:
                reference = _reference(value)
                if reference is not None:
                    owner, way = reference, ()
                waiting += self._found_children(value, _Open(owner, way, number))

    def _found_children(self, value: TensorLike, entry: _Open) -> list[Any]:
        """What is found for the children of a node; notes the object as open where something is missing."""
        parts = children_of(value)
        found, missing = [], False
        for name, child in self._bundle.objects[entry.number]["children"].items():
            if child in self._bound:
                continue
            node = self._bundle.objects[child]
            part = parts.get(name)
            if part is None or not _fits(part, node):
                missing = True
            else:
                found.append((part, child, entry.owner, (*entry.way, name)))
        if missing:
            self._open.append(entry)
        return found

    def _assign(self) -> None:
        """Give their values to what was bound; everything is read and checked before anything is changed."""
        variables, states = self._variables, self._states
        self._variables, self._states = [], []
        newest = [(v, key) for v, key in variables if v.__dict__.get("_restored_by", 0) <= self._order]
        for variable, key in newest:
            self._check(variable, key)
        with corrupt_means_data_loss(self._bundle.prefix):
            keys = {key for _, tree in states for key in arrays_in(tree)}
            arrays = self._bundle.read({*keys, *(key for _, key in newest)})
            contents = [decoded_state(tree, arrays.__getitem__) for _, tree in states]
        for (state, _), content in zip(states, contents, strict=True):
            state.set(content)
        for variable, key in newest:
            array = arrays[key]
            variable._store(array if array.ndim or array.dtype.kind == "O" else array[()])
            variable.__dict__["_restored_by"] = self._order
            if isinstance(variable, AwaitingVariable):
                variable.become_plain()

    def _check(self, variable: Variable, key: str) -> None:
        description = self._bundle.tensors[key]
        shape = tuple(description["shape"])
        if not TensorShape(variable.shape).is_compatible_with(shape):
            raise ValueError(
                f"Received incompatible tensor with shape {shape} when attempting to restore variable with shape "
                f"{variable.shape} and name {variable.name} ({key} in {self._bundle.prefix})."
            )
        dtype = present_value(variable).dtype.name
        if dtype != description["dtype"]:
            raise invalid(
                f"tensor_name = {key}; expected dtype {dtype} (of variable {variable.name}) does not equal original dtype "
                f"{description['dtype']} in checkpoint {self._bundle.prefix}."
            )

    # --- what was matched ------------------------------------------------------------------------------------------------

    @property
    def matched_values(self) -> int:
        """How many values have found their objects."""
        return sum(1 for number in self._bound if self._holds_value(number))

    def _holds_value(self, number: int) -> bool:
        node = self._bundle.objects[number]
        return "value" in node or "state" in node

    def unmatched_names(self) -> list[str]:
        """The paths of the checkpoint's values that no object was found for."""
        names = {0: "(root)"}
        waiting = [0]
        while waiting:
            number = waiting.pop(0)
            for name, child in self._bundle.objects[number]["children"].items():
                if child not in names:
                    names[child] = f"{names[number]}.{name}"
                    waiting.append(child)
        return [name for number, name in names.items() if self._holds_value(number) and number not in self._bound]

    def unmatched_objects(self, root: object) -> list[Any]:
        """The variables and states of the program that the checkpoint has no value for."""
        bound = {identity for number, identity in self._bound.items() if self._holds_value(number)}
        with_values = [node for node in tracked_objects(root) if node.holds_value]
        return [node.value for node in with_values if identity_of(node.value) not in bound]


def _fits(part: object, node: dict[str, Any]) -> bool:
    if "value" in node:
        return variable_in(part) is not None
    if "state" in node:
        return state_of(part) is not None
    return is_trackable(part)


def _reference(value: object) -> Any:
    """A weak reference to an object; None for lists, tuples and dicts, which have none."""
    try:
        return weakref.ref(value)
    except TypeError:
        return None
