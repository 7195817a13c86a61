"""Numbers, vectors, loops and memory of a function that is being written, with Python's operators.

A `Number` stands for one value, or a vector of values, of the function. Operators and NumPy's elementwise functions on Numbers
write instructions, so a kernel written for arrays (`np.exp(-x) + 1`) writes itself. Nothing is reordered: a product and a sum
become one instruction only where `fma` is called, and the same text gives the same bits in a vector and alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from llvmlite import ir
from llvmlite.ir.instructions import StoreAtomicInstr

from .layout import Layout

INT32, INT64, FLOAT32, FLOAT64 = ir.IntType(32), ir.IntType(64), ir.FloatType(), ir.DoubleType()
POINTER = ir.PointerType()
_DTYPES: dict[Any, Any] = {
    FLOAT32: np.dtype(np.float32),
    FLOAT64: np.dtype(np.float64),
    ir.IntType(1): np.dtype(np.bool_),
}
_TYPES = {np.dtype(np.float32): FLOAT32, np.dtype(np.float64): FLOAT64, np.dtype(np.bool_): ir.IntType(8)}


class Unsupported(TypeError):
    """A text that cannot be written as machine code; NumPy runs it instead."""


def type_of(dtype: Any) -> Any:
    """LLVM's type for elements of a dtype, as they lie in memory."""
    try:
        return _TYPES[np.dtype(dtype)]
    except KeyError:
        raise Unsupported(f"elements of type {dtype}") from None


def vector_type(element: object, lanes: int) -> Any:
    """A vector of so many elements; the element itself for one lane."""
    return ir.VectorType(element, lanes) if lanes > 1 else element


class Number:
    """A value, or a vector of values, of the function that is being written."""

    __slots__ = ("builder", "value")
    __array_priority__ = 1000

    def __init__(self, builder: ir.IRBuilder, value: Any) -> None:
        self.builder = builder
        self.value = value

    @property
    def type(self) -> Any:
        return self.value.type

    @property
    def element(self) -> Any:
        """The type of one element."""
        return self.type.element if isinstance(self.type, ir.VectorType) else self.type

    @property
    def lanes(self) -> int:
        return self.type.count if isinstance(self.type, ir.VectorType) else 1

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type, for texts that ask."""
        found: np.dtype[Any] = _DTYPES[self.element]
        return found

    @property
    def is_float(self) -> bool:
        return isinstance(self.element, ir.FloatType | ir.DoubleType)

    @property
    def is_bool(self) -> bool:
        return isinstance(self.element, ir.IntType) and self.element.width == 1

    def constant(self, value: object) -> Number:
        """A constant with the type of this number."""
        plain = ir.Constant(self.element, value)
        return Number(self.builder, plain) if self.lanes == 1 else Number(self.builder, plain).spread(self.lanes)

    def spread(self, lanes: int) -> Number:
        """A vector that has this number in every lane."""
        kind = ir.VectorType(self.element, lanes)
        one = self.builder.insert_element(ir.Constant(kind, ir.Undefined), self.value, ir.Constant(INT32, 0))
        zeros = ir.Constant(ir.VectorType(INT32, lanes), None)
        return Number(self.builder, self.builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros))

    def bits(self, element: object) -> Number:
        """The same bits as another type of the same size."""
        return Number(self.builder, self.builder.bitcast(self.value, vector_type(element, self.lanes)))

    def as_float(self, element: object) -> Number:
        """A truth value as 0 or 1."""
        kind = vector_type(element, self.lanes)
        return self if self.is_float else Number(self.builder, self.builder.uitofp(self.value, kind))

    def astype(self, dtype: Any) -> Number:
        """This number, for texts that convert to the type it already has."""
        if np.dtype(dtype) != self.dtype:
            raise Unsupported(f"{self.dtype} as {dtype}")
        return self

    def beside(self, other: object) -> tuple[Number, Number]:
        """This number and another one, both as the type in which they are combined."""
        if not isinstance(other, Number):
            if isinstance(other, bool | int | float | np.floating | np.integer) and not (
                self.is_bool and not isinstance(other, bool)
            ):
                return self, self.constant(float(other) if self.is_float else int(other))
            raise Unsupported(f"{type(other).__name__} beside {self.type}")
        if self.is_bool and other.is_float:
            return self.as_float(other.element), other
        if other.is_bool and self.is_float:
            return self, other.as_float(self.element)
        if self.type != other.type:
            raise Unsupported(f"{self.type} beside {other.type}")
        return self, other

    def _combined(self, other: object, floats: str, integers: str, swapped: bool = False) -> Number:
        left, right = self.beside(other)
        if swapped:
            left, right = right, left
        name = floats if left.is_float else integers
        if not name or left.is_bool:
            raise Unsupported(f"this operation on {left.type}")
        return Number(self.builder, getattr(self.builder, name)(left.value, right.value))

    def _compared(self, sign: str, other: object) -> Number:
        left, right = self.beside(other)
        if left.is_float:
            compare = self.builder.fcmp_unordered if sign == "!=" else self.builder.fcmp_ordered
            return Number(self.builder, compare(sign, left.value, right.value))
        return Number(self.builder, self.builder.icmp_signed(sign, left.value, right.value))

    def _joined(self, other: object, name: str) -> Number:
        left, right = self.beside(other)
        if left.is_float:
            raise Unsupported("bits of floating-point numbers")
        return Number(self.builder, getattr(self.builder, name)(left.value, right.value))

    def __add__(self, other: object) -> Number:
        return self._combined(other, "fadd", "add")

    def __sub__(self, other: object) -> Number:
        return self._combined(other, "fsub", "sub")

    def __rsub__(self, other: object) -> Number:
        return self._combined(other, "fsub", "sub", swapped=True)

    def __mul__(self, other: object) -> Number:
        return self._combined(other, "fmul", "mul")

    def __truediv__(self, other: object) -> Number:
        return self._combined(other, "fdiv", "")

    def __rtruediv__(self, other: object) -> Number:
        return self._combined(other, "fdiv", "", swapped=True)

    def __floordiv__(self, other: object) -> Number:
        return self._combined(other, "", "sdiv")  # (of whole numbers that are not negative)

    def __mod__(self, other: object) -> Number:
        return self._combined(other, "", "srem")

    def __neg__(self) -> Number:
        if not self.is_float:
            raise Unsupported(f"minus {self.type}")
        return Number(self.builder, self.builder.fneg(self.value))

    def __pow__(self, exponent: object) -> Number:
        if exponent == 2:
            return self * self
        if exponent == 3:
            return self * self * self
        raise Unsupported(f"power {exponent}")

    def __lt__(self, other: object) -> Number:
        return self._compared("<", other)

    def __le__(self, other: object) -> Number:
        return self._compared("<=", other)

    def __gt__(self, other: object) -> Number:
        return self._compared(">", other)

    def __ge__(self, other: object) -> Number:
        return self._compared(">=", other)

    def __eq__(self, other: object) -> Any:
        return self._compared("==", other)

    def __ne__(self, other: object) -> Any:
        return self._compared("!=", other)

    def __and__(self, other: object) -> Number:
        return self._joined(other, "and_")

    def __or__(self, other: object) -> Number:
        return self._joined(other, "or_")

    def __lshift__(self, other: object) -> Number:
        return self._joined(other, "shl")

    def __rshift__(self, other: object) -> Number:
        return self._joined(other, "lshr")  # (zeros come in from above)

    def __invert__(self) -> Number:
        if not self.is_bool:
            raise Unsupported(f"not {self.type}")
        return Number(self.builder, self.builder.not_(self.value))

    __radd__, __rmul__, __rand__, __ror__ = __add__, __mul__, __and__, __or__
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise Unsupported("a branch on a value")

    def __getattr__(self, name: str) -> Any:
        raise Unsupported(f"{name} of a value")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            raise Unsupported(f"{ufunc.__name__} with options")
        return call(ufunc.__name__, inputs)

    def __array_function__(self, function: Any, kinds: Any, args: Any, options: Any) -> Any:
        if options:
            raise Unsupported(f"{function.__name__} with options")
        return call(function.__name__, args)


FUNCTIONS: dict[str, Callable[..., Any]] = {}  # NumPy's and SciPy's functions by name; functions.py fills it


def call(name: str, arguments: Sequence[Any]) -> Any:
    """NumPy's or SciPy's function of that name, of Numbers."""
    try:
        function = FUNCTIONS[name]
    except KeyError:
        raise Unsupported(f"the function {name}") from None
    return function(*arguments)


def intrinsic(name: str, *operands: Number) -> Number:
    """One of LLVM's own functions of floating-point numbers of one type."""
    first = operands[0]
    if not first.is_float:
        raise Unsupported(f"{name} of {first.type}")
    letter = "f32" if first.element == FLOAT32 else "f64"
    full = f"llvm.{name}.v{first.lanes}{letter}" if first.lanes > 1 else f"llvm.{name}.{letter}"
    kind = ir.FunctionType(first.type, [first.type] * len(operands))
    module = first.builder.module
    function = module.globals.get(full) or ir.Function(module, kind, full)
    return Number(first.builder, first.builder.call(function, [operand.value for operand in operands]))


def fma(x: Number, y: object, z: object) -> Number:
    """x * y + z, rounded once."""
    return intrinsic("fma", x, x.beside(y)[1], x.beside(z)[1])


def select(condition: Number, x: object, y: object) -> Number:
    """x where the condition holds, else y; one of them may be a Python number."""
    if isinstance(x, Number):
        x, y = x.beside(y)
    elif isinstance(y, Number):
        y, x = y.beside(x)
    else:
        raise Unsupported("a choice between two constants")
    return Number(x.builder, x.builder.select(condition.value, x.value, y.value))


class Memory:
    """An array in memory, seen from inside of a function."""

    def __init__(self, builder: ir.IRBuilder, address: Any, element: Any) -> None:
        self.builder = builder
        self.address = address
        self.element = element

    @property
    def _bytes(self) -> int:
        return self.element.width // 8 if isinstance(self.element, ir.IntType) else 4 if self.element == FLOAT32 else 8

    def _at(self, index: object) -> Any:
        place = index.value if isinstance(index, Number) else ir.Constant(INT64, index)
        return self.builder.gep(self.address, [place], source_etype=self.element)

    def load(self, index: object, lanes: int = 1, mask: Number | None = None) -> Number:
        """The elements from `index` on (zero where the mask does not hold); bytes for truth values come as such."""
        kind = vector_type(self.element, lanes)
        if mask is not None:
            return Number(self.builder, self._masked("load", kind, [self._at(index)], mask, ir.Constant(kind, None)))
        loaded = Number(self.builder, self.builder.load(self._at(index), align=self._bytes, typ=kind))
        return loaded != 0 if self.element == ir.IntType(8) else loaded

    def stream(self, index: object, number: Number, alignment: int) -> None:
        """Write elements to an address that is a multiple of the alignment, around the caches: `end_streams` must follow."""
        stored = self.builder.store(number.value, self._at(index), align=alignment)
        stored.set_metadata("nontemporal", self.builder.module.add_metadata([ir.Constant(INT32, 1)]))

    def store(self, index: object, number: Number, mask: Number | None = None) -> None:
        """Write elements from `index` on, only those where the mask holds."""
        value = number.value
        if mask is not None:
            self._masked("store", number.type, [value, self._at(index)], mask)
            return
        if number.is_bool:
            value = self.builder.zext(value, vector_type(self.element, number.lanes))
        self.builder.store(value, self._at(index), align=self._bytes)

    def _masked(self, what: str, kind: Any, first: list[Any], mask: Number, *more: Any) -> Any:
        operands = [*first, ir.Constant(INT32, self._bytes), mask.value, *more]
        letter = "f32" if self.element == FLOAT32 else "f64"
        name = f"llvm.masked.{what}.v{kind.count}{letter}.p0"
        result = kind if what == "load" else ir.VoidType()
        function_type = ir.FunctionType(result, [operand.type for operand in operands])
        module = self.builder.module
        return self.builder.call(module.globals.get(name) or ir.Function(module, function_type, name), operands)

    def copy(self, index: object, source: Memory, count: Number) -> None:
        """Write `count` elements of another array, from its start on."""
        module, name = self.builder.module, "llvm.memcpy.p0.p0.i64"
        kind = ir.FunctionType(ir.VoidType(), [POINTER, POINTER, INT64, ir.IntType(1)])
        function = module.globals.get(name) or ir.Function(module, kind, name)
        volatile = ir.Constant(ir.IntType(1), 0)
        self.builder.call(function, [self._at(index), source.address, (count * self._bytes).value, volatile])

    def from_(self, index: object) -> Memory:
        """The memory from an element on."""
        return Memory(self.builder, self._at(index), self.element)


def end_streams(builder: ir.IRBuilder) -> None:
    """Have other threads see what was streamed before they see anything that is stored later."""
    module, name = builder.module, "llvm.x86.sse.sfence"
    builder.call(module.globals.get(name) or ir.Function(module, ir.FunctionType(ir.VoidType(), []), name), [])


class Word:
    """One word of memory, which other threads may see. Atomic instructions are in one order that all threads see."""

    def __init__(self, builder: ir.IRBuilder, address: Any) -> None:
        self.builder = builder
        self.address = address

    def load(self, kind: object = INT64) -> Number:
        return Number(self.builder, self.builder.load(self.address, typ=kind))

    def store(self, number: Number) -> None:
        self.builder.store(number.value, self.address)

    def load_atomic(self, ordering: str = "seq_cst") -> Number:
        return Number(self.builder, self.builder.load_atomic(self.address, ordering, 8, typ=INT64))

    def store_atomic(self, number: Number, ordering: str = "seq_cst") -> None:
        # (llvmlite's `store_atomic` asks what the pointer points to, which pointers do not know.)
        self.builder._insert(StoreAtomicInstr(self.builder.block, number.value, self.address, ordering, 8))

    def add_atomic(self, count: int, ordering: str = "seq_cst") -> Number:
        """Add to the word; the value before."""
        return Number(self.builder, self.builder.atomic_rmw("add", self.address, ir.Constant(INT64, count), ordering))

    def exchange_if(self, expected: Number, new: Number, ordering: str = "seq_cst") -> Number:
        """Store a number if the word still has the expected one; whether it had."""
        pair = self.builder.cmpxchg(self.address, expected.value, new.value, ordering, ordering)
        return Number(self.builder, self.builder.extract_value(pair, 1))


class Words:
    """Words of memory with names; a layout says where each stands."""

    def __init__(self, builder: ir.IRBuilder, address: Number, layout: Layout) -> None:
        self._memory = Memory(builder, address.value, INT64)
        self._layout = layout

    def __getitem__(self, name: str) -> Word:
        return Word(self._memory.builder, self._memory.from_(self._layout[name]).address)


class Variable:
    """A number that changes: what a loop adds up. It lives in a register."""

    def __init__(self, builder: ir.IRBuilder, start: Number) -> None:
        self.builder = builder
        with builder.goto_entry_block():
            self._place = builder.alloca(start.type)
        self._type = start.type
        self.set(start)

    def get(self) -> Number:
        return Number(self.builder, self.builder.load(self._place, typ=self._type))

    def set(self, number: Number) -> None:
        self.builder.store(number.value, self._place)


def begin_block(builder: ir.IRBuilder, name: str) -> Any:
    """Begin a block that can be branched back to, and go on in it."""
    block = builder.append_basic_block(name)
    builder.branch(block)
    builder.position_at_end(block)
    return block


class Function:
    """A function of a module that is being written; called with Numbers, it writes a call."""

    def __init__(
        self, module: ir.Module, name: str, result: Any, parameters: Sequence[Any], internal: bool = False
    ) -> None:
        self._function = ir.Function(module, ir.FunctionType(result, parameters), name)
        self._function.linkage = "internal" if internal else ""
        self._result = result
        self.builder = ir.IRBuilder(self._function.append_basic_block("entry"))
        self.arguments = [Number(self.builder, argument) for argument in self._function.args]

    def __call__(self, builder: ir.IRBuilder, *arguments: Number) -> Number:
        return Number(builder, builder.call(self._function, [argument.value for argument in arguments]))

    def call_address(self, address: Number, kind: object, *arguments: Number) -> None:
        """Call what begins at an address, a function of this type."""
        self.builder.call(_Callee(address.value, kind), [argument.value for argument in arguments])

    def number(self, value: int) -> Number:
        """A constant of 64 bits."""
        return Number(self.builder, ir.Constant(INT64, value))

    def where(self, condition: Number) -> Any:
        """A `with` block that is run if the condition holds."""
        return self.builder.if_then(condition.value)

    def give(self, result: object = None) -> None:
        """Return a number, a constant, or nothing."""
        if result is None:
            self.builder.ret_void()
        else:
            self.builder.ret(result.value if isinstance(result, Number) else ir.Constant(self._result, result))


class Declared:
    """A function of the process, or of LLVM, that a module calls by name."""

    def __init__(self, module: ir.Module, name: str, result: Any, parameters: Sequence[Any]) -> None:
        self._function = ir.Function(module, ir.FunctionType(result, parameters), name)

    def __call__(self, builder: ir.IRBuilder, *arguments: Number) -> Number:
        return Number(builder, builder.call(self._function, [argument.value for argument in arguments]))


class _Callee:
    """An address as llvmlite wants a function to be: with its type."""

    def __init__(self, address: Any, function_type: Any) -> None:
        self.type, self.function_type, self.get_reference = address.type, function_type, address.get_reference


@contextmanager
def loop(builder: ir.IRBuilder, start: object, stop: object, step: object = 1) -> Iterator[Number]:
    """`for index in range(start, stop, step)`, with a positive step."""
    first, end, stride = (
        n if isinstance(n, Number) else Number(builder, ir.Constant(INT64, n)) for n in (start, stop, step)
    )
    index = Variable(builder, first)
    head, body, after = (builder.append_basic_block(name) for name in ("head", "body", "after"))
    builder.branch(head)
    builder.position_at_end(head)
    builder.cbranch((index.get() < end).value, body, after)
    builder.position_at_end(body)
    here = index.get()
    yield here
    index.set(here + stride)
    builder.branch(head)
    builder.position_at_end(after)


def kernel_module(name: str) -> tuple[Any, ir.IRBuilder, Memory, Number, Number]:
    """A module with an empty function `name(arguments, start, stop)`: the module, its builder, and the three parameters."""
    module = ir.Module(name)
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER, INT64, INT64]), name)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    arguments, start, stop = function.args
    return module, builder, Memory(builder, arguments, INT64), Number(builder, start), Number(builder, stop)


def array_at(arguments: Memory, place: int, element: object) -> Memory:
    """The array whose address is an argument of a kernel."""
    return memory_at(arguments.load(place), element)


def memory_at(address: Number, element: object) -> Memory:
    """The memory that begins at an address."""
    return Memory(address.builder, address.builder.inttoptr(address.value, POINTER), element)
