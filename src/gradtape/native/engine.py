"""From a module in LLVM's language to functions that can be called."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
from math import prod
from typing import Any

from ..base.errors import invalid
from ..base.locks import new_rlock
from .abi import address_of

_ALIVE: list[Any] = []  # compiled code lives as long as the process: NumPy holds its addresses
# LLVM has locks of its own, which a forked child cannot reset: no process forks while it compiles.
_LOCK = new_rlock(held_through_forks=True)


@functools.cache
def available() -> bool:
    """Whether kernels are compiled: llvmlite is installed, not turned off, and the processor multiplies and adds in one."""
    if os.environ.get("GRADTAPE_NATIVE") == "0" or importlib.util.find_spec("llvmlite") is None:
        return False
    machine = _machine()
    if "+fma" not in machine.features and not machine.architecture.startswith(("aarch64", "arm64")):
        return False
    from .alignment import align_arrays  # imported late: it is written in this language

    align_arrays()
    return True


# What LLVM is told to leave out for registers of so many bits. A feature takes those with it that build on it.
_LEFT_OUT = {512: "", 256: ",-avx512f", 128: ",-avx2"}


def _widest() -> int:
    """How many bits a vector register may have: GRADTAPE_VECTOR_BITS, to emulate other processors."""
    given = os.environ.get("GRADTAPE_VECTOR_BITS", "512")
    if given not in map(str, _LEFT_OUT):
        raise invalid(f"GRADTAPE_VECTOR_BITS must be 128, 256 or 512, got {given!r}. Unset it to use what there is.")
    return int(given)


class _Machine:
    """The processor of this computer, as LLVM knows it."""

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.triple: str = llvm.get_process_triple()
        self.architecture = self.triple.partition("-")[0]
        features = llvm.get_host_cpu_features()
        # Whole registers: LLVM would else halve the widest ones on some processors.
        features["prefer-256-bit"] = False
        own = 512 if features.get("avx512f") else 256 if features.get("avx2") else 128
        bits, x86 = min(own, _widest()), self.architecture.startswith("x86")
        self.features: str = features.flatten() + (_LEFT_OUT[bits] if x86 else "")
        self.register_bytes = bits // 8
        self.registers = 16 if bits < 512 and x86 else 32
        self._cpu = llvm.get_host_cpu_name()

    def target(self) -> Any:
        import llvmlite.binding as llvm

        target = llvm.Target.from_triple(self.triple)
        return target.create_target_machine(cpu=self._cpu, features=self.features, opt=3, jit=True)


@functools.cache
def _machine() -> _Machine:
    return _Machine()


def register_bytes() -> int:
    """How many bytes a vector register holds."""
    return _machine().register_bytes


def registers() -> int:
    """How many vector registers there are."""
    return _machine().registers


def compiled(module: Any, *names: str) -> tuple[int, ...]:
    """The addresses of functions of a module (an `llvmlite.ir.Module`, or its text), translated for this processor."""
    with _LOCK:
        return _translated(str(module), names)


def _translated(text: str, names: tuple[str, ...]) -> tuple[int, ...]:
    """(A separate function, so that LLVM's temporary objects are freed under the lock, too.)"""
    import llvmlite.binding as llvm

    target = _machine().target()
    parsed = llvm.parse_assembly(text)
    parsed.triple = _machine().triple
    parsed.data_layout = str(target.target_data)
    parsed.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = False  # vectors are written as such
    passes = llvm.create_pass_builder(target, options)
    passes.getModulePassManager().run(parsed, passes)
    engine = llvm.create_mcjit_compiler(parsed, target)
    engine.finalize_object()
    _ALIVE.append((engine, target))
    return tuple(int(engine.get_function_address(name)) for name in names)


class Kernel:
    """A function `kernel(arguments, start, stop)` in machine code: `arguments` are addresses and whole numbers."""

    def __init__(self, module: Any, name: str) -> None:
        (self.address,) = compiled(module, name)
        self._function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(self.address)

    def __call__(self, arguments: Any, start: int, stop: int) -> None:
        self._function(arguments, start, stop)


def strides_of(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The strides of an array without gaps."""
    return tuple(itemsize * prod(shape[axis + 1 :]) for axis in range(len(shape)))


def packed(*arguments: Any) -> Any:
    """Arrays and whole numbers as a kernel takes them; it keeps the arrays alive."""
    numbers = [a if a.__class__ is int else address_of(a) for a in arguments]
    result: Any = (ctypes.c_int64 * len(numbers))(*numbers)
    result.arrays = arguments
    return result
