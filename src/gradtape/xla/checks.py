"""The engine `xla-checked`: errors that depend on values, which XLA cannot raise.

An op that may raise such an error runs on the host as well, on the values that it has on the device, as eager code would run
it. The first error of the program is raised after the executable, and its variables keep the values they had.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import jax
import numpy as np
from jax.experimental import io_callback

from ..base.context import scope
from ..base.locks import new_lock
from ..base.places import Place
from ..compile.program import Program
from ..op.declaration import BadInput, Op
from ..trace.function import function
from ..values.from_python import to_array
from ..values.tensor import TensorSpec, from_array, to_tensor
from .executor import Executable, XlaGraph, graph_on


@functools.cache
def raises_by_values(op: Op) -> bool:
    """Whether errors of an op depend on values: its shape rules let one of the calls through that its block says must raise."""
    return any(passes_rules(op, bad) for declared in op.bad_inputs for bad in declared())


def passes_rules(op: Op, bad: BadInput) -> bool:
    """Whether nothing but values shows that a call is wrong: types, shapes and attributes are checked while tracing."""
    try:
        tensors = [None if value is None else to_tensor(value) for value in (bad.args[0] if op.variadic else bad.args)]
        specs = [TensorSpec(value.shape, value.dtype) for value in tensors if value is not None]

        def call(*given: Any) -> Any:
            known = iter(given)
            operands = [None if value is None else next(known) for value in tensors]
            return op(operands, **bad.attributes) if op.variadic else op(*operands, **bad.attributes)

        function(call, autograph=False).get_concrete_function(*specs)
    except Exception:
        return False
    return True


class CheckedExecutable(Executable):
    """A part on XLA whose ops are looked at: they raise what they raise on the host."""

    donates = False  # the values from before are kept until it is known that there is no error

    def __init__(self, program: Program) -> None:
        self._errors: dict[int, Exception] = {}  # by the place of the op in the program
        self._places = itertools.count()
        self._one_call = new_lock()
        super().__init__(program)
        self._unchecked = self._compiled if self._room is None else self._call_with_room
        self._call = self._checked_call

    def _step(self, *values: object) -> list[Any]:
        with scope(lowering_observer=self._look_on):
            return super()._step(*values)

    def _look_on(self, op: Op, operands: list[Any], attributes: dict[str, Any]) -> None:
        """While jax traces: let the host run an op beside the device."""
        if not raises_by_values(op):
            return
        place, traced = next(self._places), [k for k, value in enumerate(operands) if isinstance(value, jax.Array)]
        dtypes = [operands[k].dtype for k in traced]

        def check(*values: object) -> None:
            given = list(operands)
            for k, value, dtype in zip(traced, values, dtypes, strict=True):
                given[k] = np.asarray(value).astype(dtype)
            tensors = [None if value is None else from_array(to_array(value)) for value in given]
            try:
                op(tensors, **attributes) if op.variadic else op(*tensors, **attributes)
            except Exception as error:
                self._errors.setdefault(place, error)

        io_callback(check, None, *[operands[k] for k in traced])

    def _checked_call(self, *values: object) -> list[Any]:
        with self._one_call:
            results: list[Any] = jax.block_until_ready(self._unchecked(*values))  # type: ignore[no-untyped-call, unused-ignore]
            jax.effects_barrier()  # type: ignore[no-untyped-call, unused-ignore]
            errors, self._errors = self._errors, {}
        if errors:
            raise errors[min(errors)]
        return results


class CheckedGraph(XlaGraph):
    """A graph whose programs are checked."""

    executable = CheckedExecutable


def checked_graph_on(place: Place | None) -> type[XlaGraph]:
    """The class of checked graphs that run on a device."""
    return graph_on(place, CheckedGraph)
