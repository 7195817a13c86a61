"""`tf.sysconfig`: how the library was built, for programs that ask. There is nothing to compile or link against."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from .base.namespaces import listing

CXX11_ABI_FLAG = 1
CXX_VERSION = 0
MONOLITHIC_BUILD = 0

__all__ = [
    "CXX11_ABI_FLAG",
    "CXX_VERSION",
    "MONOLITHIC_BUILD",
    "get_build_info",
    "get_compile_flags",
    "get_include",
    "get_lib",
    "get_link_flags",
]


def get_build_info() -> dict[str, Any]:
    """What TensorFlow's builds differ in: no accelerator of any kind.

    >>> import gradtape as tf
    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False

    Returns:
        A dict.
    """
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}


def get_lib() -> str:
    """The folder of the package.

    >>> import gradtape as tf
    >>> import os
    >>> os.path.basename(tf.sysconfig.get_lib())
    'gradtape'

    Returns:
        A path.
    """
    return os.path.dirname(os.path.abspath(__file__))


def _nothing_to_compile(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.sysconfig.{name}: gradtape has no headers and no library to link. Ops are declared in Python: gradtape.extend."
    )


def get_include() -> str:
    """The folder of C++ headers in TensorFlow; here there are none.

    >>> import gradtape as tf
    >>> tf.sysconfig.get_include()
    Traceback (most recent call last):
    NotImplementedError: tf.sysconfig.get_include: gradtape has no headers and no library to link. ...

    Returns:
        A path.

    Raises:
        NotImplementedError: Always; `gradtape.extend` declares ops in Python.
    """
    _nothing_to_compile("get_include")


def get_compile_flags() -> list[str]:
    """The compiler options for custom C++ ops in TensorFlow; here there is nothing to compile against.

    >>> import gradtape as tf
    >>> tf.sysconfig.get_compile_flags()
    Traceback (most recent call last):
    NotImplementedError: tf.sysconfig.get_compile_flags: gradtape has no headers and no library to link. ...

    Returns:
        A list of flags.

    Raises:
        NotImplementedError: Always; `gradtape.extend` declares ops in Python.
    """
    _nothing_to_compile("get_compile_flags")


def get_link_flags() -> list[str]:
    """The linker options for custom C++ ops in TensorFlow; here there is no library to link.

    >>> import gradtape as tf
    >>> tf.sysconfig.get_link_flags()
    Traceback (most recent call last):
    NotImplementedError: tf.sysconfig.get_link_flags: gradtape has no headers and no library to link. ...

    Returns:
        A list of flags.

    Raises:
        NotImplementedError: Always; `gradtape.extend` declares ops in Python.
    """
    _nothing_to_compile("get_link_flags")


__dir__ = listing(globals())
