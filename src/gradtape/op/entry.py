"""Generates the functions of the hot path, as `dataclasses` generates `__init__`: straight-line Python for each op.

Two kinds are made here. A public entry (`tf.tanh`) treats the usual case inline: operands that are float32 or
float64 tensors or Python numbers, one kernel call, a new tensor, and one record for each tape; everything else goes
to `apply` (op/call.py). A pull is the backward step of one record. Both are compiled on first use, so that importing the
package compiles nothing; `tf.tanh.__source__` shows what was generated. Why generated: a hook called with the op and
its operands costs 45 % more on small tensors (docs/design/ops.md).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import Parameter, Signature
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.context import ACTIVE, STATE, next_id
from ..base.frames import user_frame
from ..base.generated import define, scope
from ..base.notes import CUTS, note_cut, note_lost, note_shadow
from ..native.choice import Choice, choice_of
from ..values.tensor import EagerTensor, from_array
from .arguments import flag, given, text
from .attributes import CONVERTERS
from .call import OBSERVERS, apply, explained
from .declaration import REGISTRY, REQUIRED, Op
from .documentation import documentation
from .record import OpPull, record_op, write

_F32, _F64 = dtypes.float32.numpy, dtypes.float64.numpy
_I32, _I64 = dtypes.int32.numpy, dtypes.int64.numpy
_NEVER = object()  # a dtype that no tensor has, symbolic ones included: the inlined case does not apply

# The builtins that generated code uses: it runs without Python's own.
_WORDS: dict[str, Any] = {word.__name__: word for word in (Exception, float, int, len, str, tuple)}


def public_entry(op: Op, reflected: bool = False, behind: bool = False) -> Any:
    """The user's function for an op. With `reflected`, the two operands are swapped (for `__rsub__` and the like).

    With `behind`, it is for one function of the package that the user calls: records lead to the caller of that function.
    """
    # Some ops are called by functions such as tf.gather and tf.split: the user's frame is further out.
    getframe: Any = user_frame if op.other or op.outputs != 1 else sys._getframe
    if op.name == "divide":
        getframe = _frame_behind_operator
    ways = op.ways or Choice(op.eager, op.eager, 0)
    namespace = scope(
        __name__,  # an entry's frames count as the package's own, even if a user declared the op
        **_WORDS,
        EagerTensor=EagerTensor,
        Variable=_VARIABLE[-1],
        F32=_F32,
        F64=_F64,
        OTHER=next(iter(op.other.values()), None),
        ACTIVE=ACTIVE,
        STATE=STATE,
        CUTS=CUTS,
        note_cut=note_cut,
        note_lost=note_lost,
        note_shadow=note_shadow,
        next_id=next_id,
        new=object.__new__,
        getframe=getframe,
        op=op,
        kernel=ways.small,
        large=ways.large,
        apply=apply,
        record=record_op,
        write=write,
        explained=explained,
        flag=flag,
        given=given,
        text=text,
        from_array=from_array,
        of_integers=_of_integers,
    )
    _NAMESPACES.append(namespace)
    if OBSERVERS or _GENERAL:
        namespace.update(F32=_NEVER, F64=_NEVER)
    name = f"r{op.name}" if reflected else op.name

    def compile_and_call(*args: object, **kwargs: object) -> Any:
        entry.__code__ = define(entry.__source__, f"<gradtape {name}>", namespace).__code__
        namespace["getframe"] = (
            user_frame  # for this first call, frames of this file lie between the user and the entry
        )
        try:
            return entry(*args, **kwargs)
        finally:
            namespace["getframe"] = getframe

    namespace["compile_and_call"] = compile_and_call
    for attribute, default in op.attributes.items():
        namespace[f"default_{attribute}"] = default
        if attribute in CONVERTERS:
            namespace[f"convert_{attribute}"] = CONVERTERS[attribute]
    for followed, numbers, broadcast in _INLINED_PULLS:
        if all(p < len(op.arguments) and op.arguments[p] in op.vjps for p in followed):
            namespace[_pull_name(followed, numbers, broadcast)] = op.pull(followed, numbers, broadcast)
    entry: Any = FunctionType(_STUB, namespace, name)
    signature = _signature(op, reflected)
    entry.__defaults__ = tuple(p.default for p in signature.parameters.values() if p.default is not Parameter.empty)
    entry.__signature__ = signature
    entry.__doc__ = documentation(op)
    entry.__qualname__ = entry.__name__ = name
    entry.__module__ = op.__module__
    source = _entry_source(op, reflected)
    entry.__source__ = source.replace("getframe(1)", "getframe(2)") if behind else source
    entry.op = op
    return entry


# Python's operators that are functions around an entry: the user's frame is behind theirs.
OPERATORS: set[CodeType] = set()


def _frame_behind_operator(depth: int) -> FrameType:
    frame = sys._getframe(depth + 1)
    return frame.f_back or frame if frame.f_code in OPERATORS else frame


_NAMESPACES: list[dict[str, Any]] = []


def observe_ops(observer: Callable[[Op, tuple[Any, ...], tuple[Any, ...]], None]) -> None:
    """Call `observer(op, inputs, outputs)` after every op: all entries take the general path until `unobserve_ops`."""
    OBSERVERS.append(observer)
    for namespace in _NAMESPACES:
        namespace.update(F32=_NEVER, F64=_NEVER)


def take_general_path(somebody: object) -> None:
    """Let all entries go through `apply`, until `somebody` calls `leave_general_path`."""
    _GENERAL.add(id(somebody))
    for namespace in _NAMESPACES:
        namespace.update(F32=_NEVER, F64=_NEVER)


def leave_general_path(somebody: object) -> None:
    """Undo `take_general_path`."""
    _GENERAL.discard(id(somebody))
    unobserve_ops(None)


_GENERAL: set[int] = set()


def unobserve_ops(observer: object) -> None:
    """Undo `observe_ops`."""
    if observer in OBSERVERS:
        OBSERVERS.remove(observer)
    if not OBSERVERS and not _GENERAL:
        for namespace in _NAMESPACES:
            namespace.update(F32=_F32, F64=_F64)


# The records that entries write inline: which operands are followed, which are Python numbers, whether shapes differ.
_INLINED_PULLS = (
    *(((0,), (), False), ((1,), (), False), ((0, 1), (), False)),
    *(((0,), (1,), False), ((1,), (0,), False)),
    *(((0,), (), True), ((1,), (), True), ((0, 1), (), True)),
)


def _pull_name(followed: tuple[int, ...], numbers: tuple[int, ...], broadcast: bool) -> str:
    return "pull_" + "".join(map(str, followed)) + "".join(f"_number{p}" for p in numbers) + "_broadcast" * broadcast


def read_inline(variable: type) -> None:
    """Let entries read operands of this class themselves (called where the class is defined)."""
    _VARIABLE.append(variable)
    for namespace in _NAMESPACES:
        namespace["Variable"] = variable


_VARIABLE: list[type | None] = [None]


def _stub(*args: object, **kwargs: object) -> Any:
    return compile_and_call(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821 - in the entry's own globals


_STUB = _stub.__code__


def _signature(op: Op, reflected: bool) -> Signature:
    positional = Parameter.POSITIONAL_OR_KEYWORD
    arguments = op.arguments[::-1] if reflected else op.arguments
    parameters = [Parameter(n, positional, default=op.optional.get(n, Parameter.empty)) for n in arguments]
    for name, default in op.attributes.items():
        parameters.append(Parameter(name, positional, default=Parameter.empty if default is REQUIRED else default))
    parameters.append(Parameter("name", positional, default=None))
    return Signature(parameters)


# --- public entries --------------------------------------------------------------------------------------------------


def _entry_source(op: Op, reflected: bool) -> str:
    arguments = op.arguments[::-1] if reflected else op.arguments
    parameters = ", ".join([*arguments, *op.attributes, "name"])
    attributes = "{" + ", ".join(f"'{a}': {a}" for a in op.attributes) + "}"
    operands = "(" + "".join(f"{a}, " for a in op.arguments) + ")"
    lines = [f"def {op.name}({parameters}):"]
    lines += [f"    {a} = convert_{a}({a})" for a in op.attributes if a in CONVERTERS]
    for a, default in op.attributes.items() if op.checks_flags else ():
        if default.__class__ is bool and a not in CONVERTERS:
            lines += [
                f"    if {a} is not False and {a} is not True:",
                f"        {a} = given(flag, '{a}', {a}, default_{a})",
            ]
        elif default.__class__ is str:
            lines += [f"    if {a}.__class__ is not str:", f"        {a} = given(text, '{a}', {a}, default_{a})"]
    general = f"return apply(op, {operands}, {attributes})"
    if not _is_inlined(op):
        return "\n".join([*lines, f"    {general}", ""])
    if len(op.arguments) == 1:
        lines += _one_operand(op, general)
    else:
        lines += _two_operands(op, general, numbers=op.numbers)
    return "\n".join(lines) + "\n"


def _is_inlined(op: Op) -> bool:
    """Whether the entry treats the usual case itself."""
    if op.variadic or op.optional or op.lookup_error or op.retypes or not {_F32, _F64} <= op.dtypes:
        return False
    if len(op.arguments) == 1:
        return not op.other
    # One of two operands may be of another type, such as indices, if nobody follows it.
    return len(op.arguments) == 2 and op.outputs == 1 and len(op.other) < 2 and not op.other.keys() & op.vjps.keys()


def _kernel_call(op: Op, arrays: list[str]) -> list[str]:
    call = ", ".join([*arrays, *(f"{a}={a}" for a in op.attributes)])
    settings = "{" + ", ".join(f"'{a}': {a}" for a in op.attributes) + "}"
    ways = op.ways
    of_size = f" if _a.size < {ways.smallest} else large({call})" if ways is not None and "_a" in arrays else ""
    lines = [
        "    try:",
        f"        _result = kernel({call}){of_size}",
        "    except Exception as _error:",
        f"        raise explained(op, _error, [{', '.join(arrays)}], {settings}) from None",
    ]
    if op.outputs != 1:
        return [*lines, "    _outs = [from_array(_array) for _array in _result]"]
    return [
        *lines,
        "    _out = new(EagerTensor)",
        "    _out._array = _result",
        "    _out._id = 0",
    ]


def _one_operand(op: Op, general: str) -> list[str]:
    (x,) = op.arguments
    lines = [
        f"    if {x}.__class__ is not EagerTensor:",
        f"        if {x}.__class__ is not Variable:",
        f"            {general}",
        f"        {x} = {x}._read()",
        f"    _a = {x}._array",
        "    _dtype = _a.dtype",
        "    if _dtype is not F32 and _dtype is not F64:",
        f"        {general}",
        *_kernel_call(op, ["_a"]),
    ]
    settings = "{" + ", ".join(f"'{n}': {n}" for n in op.attributes) + "}"
    if op.outputs != 1:
        return [*lines, *_several_outputs(op, settings), "    return _outs"]
    if op.vjps:
        lines += [
            f"    if ACTIVE and {x}._id:",
            "        if STATE.accumulators:",
            f"            record(op, ({x},), {settings}, (_out,))",
            "            return _out",
            f"        _i = {x}._id",
            "        for _records in STATE.tapes:",
            "            if _i in _records:",
            "                if not _out._id:",
            "                    _out._id = next_id()",
            "                _frame = getframe(1)",
            f"                _records[_out._id] = {_record(op, (0,), (), False)}",
            "            elif _i in CUTS:",
            f"                note_shadow(op, ({x},), (_out,))",
        ]
    else:
        lines += [f"    if ACTIVE and {x}._id:", f"        note_lost(op, _out, {x}._id)"]
    return [*lines, "    return _out"]


def _several_outputs(op: Op, settings: str) -> list[str]:
    """The recording of an op with one operand and several outputs."""
    (x,) = op.arguments
    if not op.vjps:
        return [f"    if ACTIVE and {x}._id:", f"        note_cut(op, ({x},), _outs)"]
    return [
        f"    if ACTIVE and {x}._id and _outs:",
        f"        _i = {x}._id",
        "        if STATE.accumulators or _outs[0]._array.dtype is not _dtype:",
        f"            record(op, ({x},), {settings}, tuple(_outs))",
        "            return _outs",
        "        for _records in STATE.tapes:",
        "            if _i in _records:",
        "                _frame = getframe(1)",
        f"                write(_records, _outs, {_record(op, (0,), (), False)})",
        "            elif _i in CUTS:",
        f"                note_shadow(op, ({x},), _outs)",
    ]


def _of_integers(op: Op, x: object, y: object) -> Any:
    """An op of integers of one type, or of a tensor of them and a Python number, that nobody follows; None for anything else.

    Positions and counts are such; the general path takes six times as long.
    """
    if x.__class__ is EagerTensor and y.__class__ is EagerTensor:
        a, b = x._array, y._array
        dtype = a.dtype
        if b.dtype is not dtype or (ACTIVE and (x._id or y._id)):
            return None
    else:
        tensor, number = (x, y) if x.__class__ is EagerTensor else (y, x)
        if tensor.__class__ is not EagerTensor or number.__class__ is not int or not -(2**31) <= number < 2**31:
            return None
        if ACTIVE and tensor._id:
            return None
        dtype = tensor._array.dtype
        if dtype is not _I32 and dtype is not _I64:
            return None
        a, b = (tensor._array, dtype.type(number)) if tensor is x else (dtype.type(number), tensor._array)
    if (dtype is not _I32 and dtype is not _I64) or OBSERVERS or _GENERAL:
        return None
    try:
        result = op.kernel_for(a)(a, b) if a.ndim else op.eager(a, b)
    except Exception as error:
        raise explained(op, error, [a, b], {}) from None
    out = object.__new__(EagerTensor)
    out._array, out._id = result, 0
    return out


def _two_operands(op: Op, general: str, numbers: bool) -> list[str]:
    x, y = op.arguments
    integers = []
    if {_I32, _I64} <= op.dtypes and not (op.attributes or op.other):
        integers = [f"_out = of_integers(op, {x}, {y})", "if _out is not None:", "    return _out"]
    settings = "{" + ", ".join(f"'{n}': {n}" for n in op.attributes) + "}"
    lines = [
        f"    if {x}.__class__ is not EagerTensor or {y}.__class__ is not EagerTensor:",
        f"        if {x}.__class__ is Variable:",
        f"            {x} = {x}._read()",
        f"        if {y}.__class__ is Variable:",
        f"            {y} = {y}._read()",
        f"        if {x}.__class__ is EagerTensor and {y}.__class__ is EagerTensor:",
        "            pass",
    ]
    if numbers:
        for followed, (tensor, number) in enumerate(((x, y), (y, x))):
            array = "ab"[followed]
            lines += [
                f"        elif {tensor}.__class__ is EagerTensor and ({number}.__class__ is float or {number}.__class__ is int):",
                f"            _{array} = {tensor}._array",
                f"            _dtype = _{array}.dtype",
                "            if _dtype is not F32 and _dtype is not F64:",
                *(f"                {line}" for line in (*integers, general)),
                *(f"        {line}" for line in _number_case(op, followed, number)),
            ]
    floats, beside = ("b", "a") if x in op.other else ("a", "b")
    refused = "not in OTHER" if op.other else "is not _dtype"
    lines += [
        "        else:",
        *(f"            {line}" for line in (*(() if numbers else integers), general)),
        f"    _a = {x}._array",
        f"    _b = {y}._array",
        f"    _dtype = _{floats}.dtype",
        f"    if _{beside}.dtype {refused} or (_dtype is not F32 and _dtype is not F64):",
        *(f"        {line}" for line in (*integers, general)),
        *_kernel_call(op, ["_a", "_b"]),
    ]
    if op.vjps:
        both = tuple(p for p in (0, 1) if op.arguments[p] in op.vjps)
        lines += [
            f"    if ACTIVE and ({x}._id or {y}._id):",
            "        if STATE.accumulators:",
            f"            record(op, ({x}, {y}), {settings}, (_out,))",
            "            return _out",
            f"        _i = {x}._id",
            f"        _j = {y}._id",
            "        for _records in STATE.tapes:",
        ]
        if op.broadcasts:
            lines += ["            if _a.shape == _b.shape:", *_followed_cases(op, both, False, "    ")]
            lines += ["            else:", *_followed_cases(op, both, True, "    ")]
        else:
            lines += _followed_cases(op, both, False, "")
    else:
        lines += [f"    if ACTIVE and ({x}._id or {y}._id):", f"        note_lost(op, _out, {x}._id, {y}._id)"]
    return [*lines, "    return _out"]


def _followed_cases(op: Op, both: tuple[int, ...], broadcast: bool, indent: str) -> list[str]:
    """The branches that write the record, by which operands a tape follows."""
    lines: list[str] = []
    operands = f"({', '.join(op.arguments)})"
    cases = [
        ((0, 1), "_i in _records and _j in _records"),
        ((0,), "_i in _records"),
        ((1,), "_j in _records"),
    ]
    for followed, condition in cases:
        if set(followed) <= set(both):
            lines += [
                f"            {'elif' if lines else 'if'} {condition}:",
                "                if not _out._id:",
                "                    _out._id = next_id()",
                "                _frame = getframe(1)",
                f"                _records[_out._id] = {_record(op, followed, (), broadcast)}",
            ]
            if followed != (0, 1):
                other = "_j" if followed == (0,) else "_i"
                lines += [
                    f"                if {other} and {other} in CUTS:",
                    f"                    note_shadow(op, {operands}, (_out,))",
                ]
    lines += ["            elif _i in CUTS or _j in CUTS:", f"                note_shadow(op, {operands}, (_out,))"]
    return [indent + line for line in lines]


def _number_case(op: Op, followed: int, number: str) -> list[str]:
    """The whole call when the other operand is a Python number."""
    tensor = op.arguments[followed]
    operands = ["_a", number] if followed == 0 else [number, "_b"]
    settings = "{" + ", ".join(f"'{n}': {n}" for n in op.attributes) + "}"
    lines = _kernel_call(op, operands)
    if tensor in op.vjps:
        lines += [
            f"    if ACTIVE and {tensor}._id:",
            "        if STATE.accumulators:",
            f"            return apply(op, ({', '.join(op.arguments)}), {settings})",
            f"        _i = {tensor}._id",
            "        for _records in STATE.tapes:",
            "            if _i in _records:",
            "                if not _out._id:",
            "                    _out._id = next_id()",
            "                _frame = getframe(1)",
            f"                _records[_out._id] = {_record(op, (followed,), (1 - followed,), False)}",
            "            elif _i in CUTS:",
            f"                note_shadow(op, ({tensor},), (_out,))",
        ]
    else:
        lines += [f"    if ACTIVE and {tensor}._id:", f"        note_lost(op, _out, {tensor}._id)"]
    return [*lines, "    return _out"]


def _record(op: Op, followed: tuple[int, ...], numbers: tuple[int, ...], broadcast: bool) -> str:
    """The record as an expression in the entry's locals; its layout is that of op/record.py."""
    ids = {0: "_i", 1: "_j"} if len(op.arguments) == 2 and not numbers else {0: "_i", 1: "_i"}
    saved = [_saved_expression(op, name) for name in op.saved_names(followed, broadcast)]
    if op.outputs != 1:
        saved.append("tuple([(_out._array.shape, _out._array.dtype) for _out in _outs])")
    parts = [
        _pull_name(followed, numbers, broadcast),
        str(len(followed) if op.outputs == 1 else -len(followed)),
        *(ids[p] for p in followed),
        *saved,
    ]
    return f"({', '.join(parts)}, _frame.f_code, _frame.f_lasti)"


def _saved_expression(op: Op, name: str) -> str:
    if name in op.arguments or name in op.attributes:
        return name
    if name == "out":
        return "_out" if op.outputs == 1 else "tuple(_outs)"
    argument = name.removesuffix("_shape")
    if argument == "out":
        return "_result.shape" if op.outputs == 1 else "_outs[0]._array.shape"
    return f"_{'ab'[op.arguments.index(argument)]}.shape"


# --- pulls -----------------------------------------------------------------------------------------------------------


def build_pull(op: Op, followed: tuple[int, ...], numbers: tuple[int, ...], broadcast: bool, conjugate: bool) -> OpPull:
    """`pull(cotangent, record)` for arrays; its attribute `on_tensors` is the same for tensors."""

    def source(arrays: bool) -> str:
        if op.variadic:
            return _variadic_pull(op, op.vjps[op.arguments[0]].needs, arrays)
        return _pull_source(op, followed, numbers, broadcast, conjugate, arrays)

    def lazy(arrays: bool) -> Any:
        def compile_and_call(g: object, record: object) -> Any:
            namespace.update(sum_to_shape=REGISTRY["sum_to_shape"], conj=REGISTRY["conj"])
            for position in followed or (0,):
                rule = op.vjps[op.arguments[position]].rule
                ways = choice_of(rule) or Choice(rule, rule, 0)
                namespace[f"rule_{position}"], namespace[f"large_{position}"] = ways.small, ways.large
            function.__code__ = define(source(arrays), f"<gradtape pull of {op.name}>", namespace).__code__
            return function(g, record)

        namespace = scope(__name__, **_WORDS, ndarray=np.ndarray, compile_and_call=compile_and_call)
        function = FunctionType(_STUB, namespace)
        return function

    pull: OpPull = lazy(arrays=True)
    pull.on_tensors = lazy(arrays=False)
    pull.op = op
    pull.key = (followed, numbers, broadcast, conjugate)
    return pull


def _pull_source(
    op: Op,
    followed: tuple[int, ...],
    numbers: tuple[int, ...],
    broadcast: bool,
    conjugate: bool,
    arrays: bool,
) -> str:
    names = op.saved_names(followed, broadcast)
    # (Indices of what `record.saved_by` gives: the number of ids before it is known for each pull.)
    places = {name: 2 + len(followed) + position for position, name in enumerate(names)}
    parts = []
    for position in followed:
        argument = op.arguments[position]
        given = [_unwrapped(op, name, places[name], numbers, arrays) for name in op.vjps[argument].needs]
        conjugated = conjugate and argument in op.holomorphic
        ways, rule = choice_of(op.vjps[argument].rule), f"rule_{position}"
        if ways is not None and arrays:
            # (The cotangent may also be a number, or a batch of cotangents.)
            rule = f"(large_{position} if g.__class__ is ndarray and g.size >= {ways.smallest} else {rule})"
        part = f"{rule}({', '.join(['conj(g)' if conjugated else 'g', *given])})"
        if conjugated:
            part = f"conj({part})"
        if broadcast:
            shape = f"record[{places[f'{argument}_shape']}]"
            # (One of the operands often has the shape of the result.)
            whole = f"part if (part := {part}).shape == {shape} else " if arrays else ""
            part = f"{whole}sum_to_shape({'part' if arrays else part}, shape={shape})"
        parts.append(part)
    return f"def pull(g, record):\n    return ({', '.join(parts)},)\n"


def _variadic_pull(op: Op, needs: tuple[str, ...], arrays: bool) -> str:
    # (`record.saved_by` begins after the ids: the positions of the followed operands, then what the rule needs.)
    begin = "2 + record[1]" if op.outputs == 1 else "2 - record[1]"
    given = []
    for position, name in enumerate(needs, 1):
        value = f"record[{begin} + {position}]"
        if arrays and (name in op.arguments or (name == "out" and op.outputs != 1)):
            value = f"[tensor._array for tensor in {value}]"
        elif arrays and name == "out":
            value = f"{value}._array"
        given.append(value)
    return (
        "def pull(g, record):\n"
        f"    parts = rule_0({', '.join(['g', *given])})\n"
        f"    return [parts[position] for position in record[{begin}]]\n"
    )


def _unwrapped(op: Op, name: str, place: int, numbers: tuple[int, ...], arrays: bool) -> str:
    value = f"record[{place}]"
    if not arrays:
        return value
    if name == "out":
        return f"{value}._array" if op.outputs == 1 else f"[tensor._array for tensor in {value}]"
    if name in op.arguments and op.arguments.index(name) not in numbers:
        return f"{value}._array"
    return value
