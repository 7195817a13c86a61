"""Instructions without a native form inside of a native function: it calls the kernel of the op, and goes on.

So a loop with such an instruction in its body is a loop in machine code all the same, and one such instruction does not
cut a program into several functions. The kernel is given copies, because it may keep what it is given.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from ...native import abi, thresholds
from ...native.language import INT32, INT64, POINTER, Unsupported
from ...op.declaration import Op
from .body_memory import RAISED, REFUSED, BodyMemory
from .memory import call_address, i64, untyped
from .origins import NEW_ARRAY
from .stand_in import StandIn, Steps, plausible
from .steps import AnyStep, Array, Called, View


def record_call(
    steps: Steps, op: Op, operands: Sequence[Any], attributes: dict[str, Any], looks: list[Any]
) -> list[StandIn]:
    """An instruction as a call of the op's kernel; its results have these looks."""
    given = [(place, x) for place, x in enumerate(operands) if isinstance(x, StandIn)]
    arrays = [x.array for _, x in given]
    if not all(_is_dense(array) and array.dtype.kind in "fiubc" for array in arrays):
        raise Unsupported(f"{op.name} of arrays with gaps, or of text")
    if not any(array.ndim for array in arrays if array.dtype.kind in "fc") and any(
        a.dtype.kind in "fc" for a in arrays
    ):
        raise Unsupported(f"{op.name} of scalars")  # (NumPy computes some functions of scalars in another way)
    if sum(array.nbytes for array in arrays) > thresholds.CALLBACK_BYTES:  # (before a trial, which copies them)
        raise Unsupported(f"{op.name} of large arrays")
    if any(dtype.kind not in "fiubc" for _, dtype in looks):
        raise Unsupported(f"{op.name} gives no numbers")

    def run(arrays: Sequence[Any]) -> Sequence[Any]:
        values = list(operands)
        for (place, _), array in zip(given, arrays, strict=True):
            values[place] = array
        result = op.eager(values, **attributes) if op.variadic else op.eager(*values, **attributes)
        return (result,) if op.outputs == 1 else result

    made = [steps.made(array) for array in _layouts(run, arrays, looks)]
    if sum(x.nbytes for x in (*arrays, *(result.array for result in made))) > thresholds.CALLBACK_BYTES:
        raise Unsupported(f"{op.name} of large arrays")
    views = [x.located for x in made]
    steps.append(Called([x.located for _, x in given], views[0], _filling(run, len(given)), views[1:]))
    return made


def are_mostly_calls(steps: Sequence[AnyStep], instructions: int) -> bool:
    """Whether more than half of so many instructions are calls: Python lines are as fast, and copy nothing."""
    return 2 * sum(isinstance(step, Called) for step in steps) > instructions


def _is_dense(array: Array) -> bool:
    return array.strides == np.empty_like(array).strides


def _layouts(run: Callable[..., Any], arrays: list[Array], looks: list[Any]) -> list[Array]:
    """Arrays of the layouts in which the kernel gives its results, found by a trial; without gaps where that fails."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            results = [np.asarray(result) for result in run([plausible(array) for array in arrays])]
    except Exception:  # a kernel that these numbers are no operands for
        return [np.empty(shape, dtype) for shape, dtype in looks]
    if not all(_is_dense(x) and (x.shape, x.dtype) == look for x, look in zip(results, looks, strict=True)):
        raise Unsupported("a result with gaps")
    return results


def _filling(run: Callable[..., Any], count: int) -> Callable[..., None]:
    """A function of what is read and what is to be filled. It raises where the layout is another, which later sums depend on."""

    def call(*arrays: Any) -> None:
        results = run([array.copy(order="K") for array in arrays[:count]])
        for target, result in zip(arrays[count:], map(np.asarray, results), strict=True):
            if (result.shape, result.dtype) != (target.shape, target.dtype) or not _lies_alike(result, target):
                raise Unsupported("a result of another layout")
            target[...] = result

    return call


def _lies_alike(one: Array, two: Array) -> bool:
    return one.strides == two.strides or all(
        size < 2 or step == other for size, step, other in zip(one.shape, one.strides, two.strides, strict=True)
    )


def write_called_function(memory: BodyMemory, step: Called) -> None:
    """Make arrays of the memory, and call the function; an error ends the steps, and the Python lines raise it."""
    b, null = memory.b, ir.Constant(POINTER, None)
    views = [*step.reads, step.writes, *step.others]
    with b.goto_entry_block():
        arguments = untyped(b.alloca(POINTER, size=i64(len(views))))
    with memory.as_python_runs():
        arrays = [_new_view(memory, view) for view in views]
        for place, array in enumerate(arrays):
            b.store(array, b.gep(arguments, [i64(place)], source_etype=POINTER))
        found = call_address(
            b,
            memory.function("PyObject_Vectorcall"),
            POINTER,
            memory.thing(step.function),
            arguments,
            i64(len(views)),
            null,
        )
        for array in arrays:
            memory.call("Py_DecRef", None, array)
        failed = b.icmp_unsigned("==", b.ptrtoint(found, INT64), i64(0))
        with b.if_then(failed, likely=False):
            ordinary = memory.call("PyErr_ExceptionMatches", INT32, memory.thing(Exception))
            memory.fail_if(b.icmp_signed("!=", ordinary, INT32(0)), REFUSED)
            memory.fail_if(ir.Constant(ir.IntType(1), 1), RAISED)
        memory.call("Py_DecRef", None, found)


def _new_view(memory: BodyMemory, view: View) -> Any:
    """An array on memory of the function."""
    b, null = memory.b, ir.Constant(POINTER, None)
    memory.call("Py_IncRef", None, memory.thing(view.dtype))  # (NumPy takes the reference)
    sizes, strides = (memory.constants(numbers) if view.shape else null for numbers in (view.shape, view.strides))
    function = memory.entry(memory.addresses.place(abi.address_of_new_array(), NEW_ARRAY))
    made = call_address(
        b, function, POINTER, memory.thing(np.ndarray), memory.thing(view.dtype), INT32(len(view.shape)), sizes, strides,
        memory.at(view.buffer, view.offset), INT32(abi.WRITEABLE), null,
    )  # fmt: skip
    memory.fail_if(b.icmp_unsigned("==", b.ptrtoint(made, INT64), i64(0)), REFUSED)
    return made
