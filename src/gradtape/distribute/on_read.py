"""Variables of which each replica has a value of its own (`synchronization=ON_READ`); outside they are read as one.

The values of all replicas are the rows of one hidden variable, which lies on their devices. Inside of a replica another hidden
variable has its row: it is filled at the beginning, read and assigned in place of the variable, branches and loops included, and
collected at the end. The variable itself always has what is read outside, as its aggregation says.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.context import STATE, scope
from ..native.abi import become
from ..ops.array.layout import stack
from ..ops.math.reduce import reduce_mean, reduce_sum
from ..trace.recorder import ON_CHANGE, outside_traces
from ..values.tensor import from_array, to_tensor
from ..variables.partial_changes import CHANGES
from ..variables.variable import Variable, VariableAggregation
from ..xla import processes
from ..xla.names import REPLICAS
from .mesh import Layout, Mesh

_PARTS = "_of_replicas"


class Parts:
    """What the replicas of a mesh have of a variable."""

    def __init__(self, variable: Variable, kind: VariableAggregation, mesh: Mesh, each: bool = False) -> None:
        """`each` says that all replicas begin with the variable's value; else their values together are that."""
        self.kind, self.mesh, self._variable = kind, mesh, variable
        # One that was made in the strategy's scope refuses what TensorFlow's does. Others (metrics of Keras) are plain variables,
        # which replicas happen to change.
        self._is_strict = each
        with outside_traces(), scope(variable_creators=[]):
            value = np.asarray(variable._value)
            rows = np.stack([value] * mesh.size) if each else self._shares(value)
            self.rows = Variable(rows, trainable=False, name="of_replicas")
            self.row = Variable(value, trainable=variable.trainable, name=variable.name.partition(":")[0])
            self._lay_out()
        if each:
            variable.assign(self.together(rows))
        variable.__dict__[_PARTS] = self
        variable.__dict__[ON_CHANGE] = self.share
        become(variable, _on_read(variable.__class__))

    def _lay_out(self) -> None:
        from ..xla import sharding

        sharding.place(self.rows, Layout.batch_sharded(self.mesh, REPLICAS, len(self.rows.shape)).sharding)

    def _shares(self, value: np.ndarray) -> np.ndarray:
        """Values of the replicas that together are this one, equal if that is possible."""
        count = self.mesh.size
        if self.kind is not VariableAggregation.SUM:
            return np.stack([value] * count)
        if value.dtype.kind in "iu":
            share = value // count
            return np.stack([value - share * (count - 1), *[share] * (count - 1)])
        return np.stack([value / np.asarray(count, value.dtype)] * count)

    def share(self) -> None:
        """Give replicas their shares, after somebody outside has assigned the variable."""
        if STATE.trace is None:
            self.keep(self._shares(np.asarray(self._variable._value)))
            return
        value, count = to_tensor(self._variable), self.mesh.size
        if self.kind is not VariableAggregation.SUM:
            shares = [value] * count
        elif value.dtype.is_integer:
            share = value // count
            shares = [value - share * (count - 1), *[share] * (count - 1)]
        else:
            shares = [value / count] * count
        self.rows.assign(stack.public(shares, 0))

    def keep(self, rows: Any) -> None:
        """Store what the replicas have."""
        self.rows.assign(rows)
        if STATE.trace is None:
            self._lay_out()

    def together(self, rows: Any) -> Any:
        """What the values of all replicas are when they are read as one."""
        if self.kind is VariableAggregation.SUM:
            return reduce_sum.public(rows, 0)
        return reduce_mean.public(rows, 0) if self.kind is VariableAggregation.MEAN else rows[0]

    def collected(self, rows: Any) -> None:
        """Store what the replicas have after a run, and what the variable is read as."""
        if not self.refuses("read"):
            self._variable.assign(self.together(rows))
        self.keep(rows)

    def refuses(self, method: str) -> bool:
        """Whether a method has no meaning outside of replicas: values without an aggregation are not one value."""
        if self.kind is VariableAggregation.NONE:
            return self._is_strict
        return self._is_strict and self.kind is VariableAggregation.SUM and method in ("assign_add", "assign_sub")

    def allow(self, method: str) -> None:
        """ValueError for a method that is called outside of replicas, and has no meaning there."""
        if (STATE.strategies and STATE.strategies[-1][1] is not None) or not self.refuses(method):
            return
        name = f"tf.VariableAggregation.{self.kind.name}"
        if method == "read" or self.kind is VariableAggregation.NONE:
            raise ValueError(
                f"{self._variable.name}: replicas have values of their own, and with aggregation={name} they are not one that "
                f"could be {'read' if method == 'read' else 'changed'} outside of `run`. Use another aggregation, or "
                "strategy.experimental_local_results(variable)."
            )
        raise ValueError(
            f"SyncOnReadVariable does not support `{method}` in cross-replica context when aggregation is set to `{name}`. Call "
            "it in `run`, or use assign, which shares a value out to the replicas."
        )

    def allow_scatter(self, method: str) -> None:
        """NotImplementedError for a change of some rows."""
        if self._is_strict:
            raise NotImplementedError(
                f"Variables with `synchronization=ON_READ` doesn't support `{method}`. Use assign with "
                "tf.tensor_scatter_nd_update or one of its relatives."
            )

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of the replicas of this process."""
        if processes.here().count == 1:
            return tuple(from_array(row) for row in np.asarray(self.rows._value))
        from ..xla import sharding

        return tuple(from_array(row[0]) for row in sharding.shards_of(self.rows))


def parts_of(variable: Any) -> Parts | None:
    """What replicas have of a variable; None where it is the same in all of them."""
    found: Parts | None = getattr(variable, "__dict__", {}).get(_PARTS)
    return found


class _OnRead:
    """A variable with parts. What is assigned outside of replicas is shared out to them."""

    def _store(self, array: Any) -> None:
        super()._store(array)  # type: ignore[misc]
        self.__dict__[_PARTS].share()

    def _move(self, *how: Any) -> None:
        super()._move(*how)  # type: ignore[misc]
        self.__dict__[_PARTS].share()

    def _read(self) -> Any:
        self.__dict__[_PARTS].allow("read")
        return super()._read()  # type: ignore[misc]

    def _accessed(self) -> Any:
        self.__dict__[_PARTS].allow("read")
        return super()._accessed()  # type: ignore[misc]


def _with_check(cls: type, name: str) -> Any:
    method = getattr(cls, name)

    @functools.wraps(method)
    def checked(self: Any, *args: object, **kwargs: object) -> Any:
        parts = self.__dict__[_PARTS]
        (parts.allow_scatter if "scatter" in name else parts.allow)(name)
        return method(self, *args, **kwargs)

    return checked


@functools.cache
def _on_read(cls: type) -> type:
    """The class of a variable, for one with parts."""
    checked = {name: _with_check(cls, name) for name in CHANGES if "assign" in name or "scatter" in name}
    return type(cls)(cls.__name__, (_OnRead, cls), {"__module__": cls.__module__, **checked})


def trace_with_parts(trace: Any, graph: Any, touched: Sequence[Parts]) -> list[Any]:
    """Let the graph of a replica begin with its rows; the rows of all, as more sequences of the loop."""
    given: list[Any] = []
    begin: list[Any] = []
    for parts in touched:
        given.append(trace.symbolic(to_tensor(parts.rows)))
        row = trace.slice_like(given[-1])
        graph.inputs = ([*graph.inputs[0], trace.refs(row)],)
        with trace.steps_into(begin):
            parts.row.assign(row)
    graph.steps[:0] = begin
    return given
