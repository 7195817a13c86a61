"""From a module in LLVM's language to functions that can be called."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np

from ..base.errors import invalid
from ..base.locks import hold_through_forks, new_rlock
from ..version import __version__
from .abi import address_of

_LIBRARIES: dict[Any, str] = {}  # what is in memory, by key and symbols
_NONE: Mapping[str, int] = MappingProxyType({})
_ALIVE: list[Any] = []  # compiled code lives as long as the process: NumPy holds its addresses
_SPEED_LEVEL, _CODE_LEVEL = 2, 3  # how much LLVM optimises before and while it chooses instructions
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
        from llvmlite.binding import ffi

        lock = getattr(getattr(ffi.lib, "_lock", None), "_lock", None)
        if lock is not None:
            hold_through_forks(lock)  # who frees a module, or compiles with Numba, takes only this one
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.triple: str = llvm.get_process_triple()
        self.architecture = self.triple.partition("-")[0]
        features = llvm.get_host_cpu_features()
        # Whole registers: LLVM would else halve the widest ones on some processors.
        features["prefer-256-bit"] = False
        own = 512 if features.get("avx512f") else 256 if features.get("avx2") else 128
        self.is_x86: bool = self.architecture.startswith("x86")
        bits = min(own, _widest())
        self.features: str = features.flatten() + (_LEFT_OUT[bits] if self.is_x86 else "")
        self.register_bytes = bits // 8
        self.registers = 16 if bits < 512 and self.is_x86 else 32
        self._cpu: str = llvm.get_host_cpu_name()

    @property
    def identity(self) -> tuple[str, ...]:
        """What machine code depends on besides its text."""
        import llvmlite

        versions = __version__, np.__version__, llvmlite.__version__, sys.implementation.cache_tag
        return self.triple, self._cpu, self.features, f"-O{_SPEED_LEVEL} {_CODE_LEVEL}", *map(str, versions)

    def target(self) -> Any:
        import llvmlite.binding as llvm

        target = llvm.Target.from_triple(self.triple)
        return target.create_target_machine(cpu=self._cpu, features=self.features, opt=_CODE_LEVEL, jit=True)


@functools.cache
def _machine() -> _Machine:
    return _Machine()


def register_bytes() -> int:
    """How many bytes a vector register holds."""
    return _machine().register_bytes


def registers() -> int:
    """How many vector registers there are."""
    return _machine().registers


def is_x86() -> bool:
    """Whether the processor is one of x86."""
    return _machine().is_x86


def streams() -> bool:
    """Whether there are stores that go around the caches."""
    return _machine().is_x86


def compiled(module: Any, *names: str, symbols: Mapping[str, int] = _NONE) -> tuple[int, ...]:
    """The addresses of functions of a module (an `llvmlite.ir.Module`, or its text), translated for this processor.

    What the module declares and does not define is found in the process (`memcpy`) or in `symbols`, by name. Addresses belong
    there and not into the text: they differ from process to process, and the machine code is kept on disk for the next ones.
    """
    text = str(module)
    key = module_key(text)
    with _LOCK:
        library = _LIBRARIES.get((key, *symbols.items()))
    return _addresses(library or _library(key, _object_code(key, text), symbols), names)


def compiled_before(key: str, *names: str) -> tuple[int, ...] | None:
    """The same for a module without symbols of which only the key is there; None where this process, and the disk, have none."""
    from .object_cache import of_user

    with _LOCK:
        library = _LIBRARIES.get((key,))
    if library is None:
        cache = of_user()
        code = None if cache is None else cache.load(key)
        if code is None:
            return None
        library = _library(key, code, _NONE)
    return _addresses(library, names)


def module_key(text: str) -> str:
    """The key of the machine code of a module."""
    from .object_cache import key_of

    return key_of(text, *machine_identity())


def machine_identity() -> tuple[str, ...]:
    """What machine code depends on besides its text: processor, registers, versions."""
    return _machine().identity


def _library(key: str, code: bytes, symbols: Mapping[str, int]) -> str:
    with _LOCK:
        library = _LIBRARIES[key, *symbols.items()] = _linked(code, symbols)
    return library


def _addresses(library: str, names: Sequence[str]) -> tuple[int, ...]:
    with _LOCK:
        return tuple(_address(library, name) for name in names)


def _object_code(key: str, text: str) -> bytes:
    """From disk if it is there, else it is translated, and kept there."""
    from .object_cache import of_user

    cache = of_user()
    code = None if cache is None else cache.load(key)
    if code is None:
        with _LOCK:
            code = _translated(text)
        if cache is not None:
            cache.store(key, code)
    return code


def assembly(module: Any) -> str:
    """The instructions of this processor that a module becomes, to look at."""
    with _LOCK:
        parsed, target = _optimized(str(module))
        return str(target.emit_assembly(parsed))


def _translated(text: str) -> bytes:
    """The object code of a module. (A separate function, so that LLVM's temporary objects are freed under the lock, too.)"""
    parsed, target = _optimized(text)
    return bytes(target.emit_object(parsed))


def _optimized(text: str) -> tuple[Any, Any]:
    import llvmlite.binding as llvm

    target = _machine().target()
    parsed = llvm.parse_assembly(text)
    parsed.triple = _machine().triple
    parsed.data_layout = str(target.target_data)
    parsed.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=_SPEED_LEVEL)
    options.loop_vectorization = options.slp_vectorization = False  # vectors are written as such
    passes = llvm.create_pass_builder(target, options)
    passes.getModulePassManager().run(parsed, passes)
    return parsed, target


def _linked(code: bytes, symbols: Mapping[str, int]) -> str:
    """The name of the library that object code becomes in memory, for the life of the process."""
    import llvmlite.binding as llvm

    builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for symbol, address in symbols.items():
        builder.import_symbol(symbol, address)
    name = f"gradtape.{len(_ALIVE)}"
    _ALIVE.append(builder.link(_linker(), name))
    return name


def _address(library: str, name: str) -> int:
    found = _linker().lookup(library, name)
    _ALIVE.append(found)
    return int(found[name])


@functools.cache
def _linker() -> Any:
    import llvmlite.binding as llvm

    return llvm.create_lljit_compiler(_machine().target())


class Kernel:
    """A function `kernel(arguments, start, stop)` in machine code: `arguments` are addresses and whole numbers."""

    def __init__(self, module: Any, name: str, symbols: Mapping[str, int] = _NONE) -> None:
        (self.address,) = compiled(module, name, symbols=symbols)
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
