"""`tf.io.gfile`: files and folders under TensorFlow's names and errors. Only those of this machine: no gs://, no s3://."""

from __future__ import annotations

import glob as _glob
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..base.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    UnimplementedError,
    from_os_error,
    invalid,
)
from ..base.namespaces import listing
from ..base.types import PathLikeOrTensor
from .records import text_of

__all__ = [
    "GFile",
    "copy",
    "exists",
    "get_registered_schemes",
    "glob",
    "isdir",
    "join",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://")


def local_path(path: object) -> str:
    """A path of this machine as text; UnimplementedError for one of another system."""
    name = text_of(path)
    found = _SCHEME.match(name)
    if found is None:
        return name
    if found[1] == "file":
        return name[found.end() :]
    raise UnimplementedError(
        None,
        None,
        f"File system scheme '{found[1]}' not implemented (file: '{name}'). gradtape reads and writes files of this machine: "
        "copy it here first.",
    )


@contextmanager
def _errors(doing: str) -> Iterator[None]:
    """What the operating system refuses is raised under the names of `tf.errors`."""
    try:
        yield
    except OSError as error:
        raise from_os_error(error, doing) from None


class GFile:
    """A file, opened when it is first read from or written to.

    >>> import tempfile
    >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "a.txt")
    >>> with tf.io.gfile.GFile(path, "w") as file:
    ...     file.write("one\\ntwo\\n")
    >>> with tf.io.gfile.GFile(path) as file:
    ...     file.readlines()
    ['one\\n', 'two\\n']

    Args:
        name: The path.
        mode: "r", "w", "a", "r+", "w+" or "a+", with "b" for bytes instead of text in UTF-8.

    Raises:
        tf.errors.InvalidArgumentError: `mode` is none of Python's.
        tf.errors.NotFoundError: There is no such file, once it is read.
    """

    def __init__(self, name: object, mode: str = "r") -> None:
        self._name, self._path, self._mode = name, local_path(name), mode
        self._binary = "b" in mode
        self._plain = mode.replace("b", "")
        if self._plain not in ("r", "w", "a", "r+", "w+", "a+"):
            raise invalid(f"mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+', got {mode!r}")
        self._file: Any = None

    @property
    def name(self) -> Any:
        """The path, as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode, as it was given."""
        return self._mode

    def _opened(self) -> Any:
        if self._file is None:
            with _errors(self._path):
                self._file = open(self._path, self._plain[0] + "b" + self._plain[1:])  # noqa: SIM115
        return self._file

    def _to_read(self) -> Any:
        if self._plain in ("w", "a"):
            raise PermissionDeniedError(None, None, f"File isn't open for reading: {self._path}")
        return self._opened()

    def _decoded(self, data: bytes) -> Any:
        return data if self._binary else data.decode()

    def read(self, n: int = -1) -> Any:
        r"""The next bytes, or all that are left.

        >>> import tempfile
        >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "a.txt")
        >>> with tf.io.gfile.GFile(path, "w") as file:
        ...     file.write("one\ntwo\n")
        >>> with tf.io.gfile.GFile(path) as file:
        ...     file.read(3), file.read()
        ('one', '\ntwo\n')

        Args:
            n: How many; -1 for all.

        Returns:
            Text, or bytes if the mode says so.

        Raises:
            tf.errors.NotFoundError: There is no such file.
            tf.errors.PermissionDeniedError: The file is not open for reading.
        """
        file = self._to_read()
        with _errors(self._path):
            return self._decoded(file.read(n))

    def readline(self) -> Any:
        r"""The next line with its end.

        >>> import tempfile
        >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "a.txt")
        >>> with tf.io.gfile.GFile(path, "w") as file:
        ...     file.write("one\ntwo\n")
        >>> with tf.io.gfile.GFile(path) as file:
        ...     file.readline()
        'one\n'

        Returns:
            Text, or bytes if the mode says so; nothing at the end of the file.

        Raises:
            tf.errors.NotFoundError: There is no such file.
            tf.errors.PermissionDeniedError: The file is not open for reading.
        """
        file = self._to_read()
        with _errors(self._path):
            return self._decoded(file.readline())

    def readlines(self) -> list[Any]:
        r"""The lines that are left, with their ends.

        >>> import tempfile
        >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "a.txt")
        >>> with tf.io.gfile.GFile(path, "w") as file:
        ...     file.write("one\ntwo\n")
        >>> with tf.io.gfile.GFile(path) as file:
        ...     file.readlines()
        ['one\n', 'two\n']

        Returns:
            A list of texts, or of bytes if the mode says so.

        Raises:
            tf.errors.NotFoundError: There is no such file.
            tf.errors.PermissionDeniedError: The file is not open for reading.
        """
        return list(self)

    def write(self, file_content: Any) -> None:
        r"""Write text, in UTF-8, or bytes.

        >>> import tempfile
        >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "a.txt")
        >>> with tf.io.gfile.GFile(path, "w") as file:
        ...     file.write("one\ntwo\n")
        >>> with tf.io.gfile.GFile(path) as file:
        ...     file.read()
        'one\ntwo\n'

        Args:
            file_content: Text or bytes.

        Raises:
            tf.errors.PermissionDeniedError: The file is not open for writing.
        """
        if self._plain == "r":
            raise PermissionDeniedError(None, None, f"File isn't open for writing: {self._path}")
        data = file_content.encode() if isinstance(file_content, str) else file_content
        file = self._opened()
        with _errors(self._path):
            file.write(data)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        r"""Go to a place in the file.

        >>> import tempfile
        >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "a.txt")
        >>> with tf.io.gfile.GFile(path, "w") as file:
        ...     file.write("one\ntwo\n")
        >>> with tf.io.gfile.GFile(path) as file:
        ...     file.seek(4)
        ...     file.read()
        'two\n'

        Args:
            offset: How many bytes away.
            whence: From where: 0 for the beginning, 1 for the present place, 2 for the end.
            position: An older name of `offset`.

        Raises:
            TypeError: No offset is given.
            tf.errors.InvalidArgumentError: `whence` is another number.
        """
        place = position if offset is None else offset
        if place is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise invalid(f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        file = self._opened()
        with _errors(self._path):
            file.seek(place, whence)

    def tell(self) -> int:
        r"""The present place in the file, in bytes from its beginning.

        >>> import tempfile
        >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "a.txt")
        >>> with tf.io.gfile.GFile(path, "w") as file:
        ...     file.write("one\ntwo\n")
        >>> with tf.io.gfile.GFile(path) as file:
        ...     _ = file.readline()
        ...     file.tell()
        4

        Returns:
            An integer.
        """
        place: int = self._opened().tell()
        return place

    def seekable(self) -> bool:
        r"""True: `seek` works.

        >>> import tempfile
        >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "a.txt")
        >>> with tf.io.gfile.GFile(path, "w") as file:
        ...     file.write("one\ntwo\n")
        >>> with tf.io.gfile.GFile(path) as file:
        ...     file.seekable()
        True

        Returns:
            True or False.
        """
        return True

    def size(self) -> int:
        r"""How many bytes the file has.

        >>> import tempfile
        >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "a.txt")
        >>> with tf.io.gfile.GFile(path, "w") as file:
        ...     file.write("one\ntwo\n")
        >>> with tf.io.gfile.GFile(path) as file:
        ...     file.size()
        8

        Returns:
            An integer.
        """
        return stat(self._path).length

    def flush(self) -> None:
        """Hand what was written to the operating system.

        >>> import tempfile
        >>> with tf.io.gfile.GFile(tf.io.gfile.join(tempfile.mkdtemp(), "a.txt"), "w") as file:
        ...     file.write("one")
        ...     file.flush()
        """
        if self._file is not None:
            with _errors(self._path):
                self._file.flush()

    def close(self) -> None:
        r"""Write what is left, and close the file; it opens again when it is used.

        >>> import tempfile
        >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "a.txt")
        >>> with tf.io.gfile.GFile(path, "w") as file:
        ...     file.write("one\ntwo\n")
        >>> file = tf.io.gfile.GFile(path)
        >>> file.read(3)
        'one'
        >>> file.close()
        """
        file, self._file = self._file, None
        if file is not None:
            with _errors(self._path):
                file.close()

    def __enter__(self) -> GFile:
        if self._plain != "r":
            self._opened()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        r"""The next line with its end.

        >>> import tempfile
        >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "a.txt")
        >>> with tf.io.gfile.GFile(path, "w") as file:
        ...     file.write("one\ntwo\n")
        >>> with tf.io.gfile.GFile(path) as file:
        ...     list(file)
        ['one\n', 'two\n']

        Returns:
            Text, or bytes if the mode says so.

        Raises:
            StopIteration: There is none.
        """
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__


@dataclass(frozen=True)
class FileStatistics:
    """The result of `stat`."""

    length: int
    mtime_nsec: int
    is_directory: bool


def exists(path: PathLikeOrTensor) -> bool:
    """Whether there is such a file or folder.

    >>> import gradtape as tf
    >>> import tempfile
    >>> tf.io.gfile.exists(tempfile.mkdtemp()), tf.io.gfile.exists("no such file")
    (True, False)

    Args:
        path: A path.

    Returns:
        True or False.
    """
    return os.path.exists(local_path(path))


def isdir(path: PathLikeOrTensor) -> bool:
    """Whether there is such a folder.

    >>> import gradtape as tf
    >>> import tempfile
    >>> tf.io.gfile.isdir(tempfile.mkdtemp())
    True

    Args:
        path: A path.

    Returns:
        True or False.
    """
    return os.path.isdir(local_path(path))


def stat(path: PathLikeOrTensor) -> FileStatistics:
    """Length in bytes, time of the last change in nanoseconds, and whether it is a folder.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "note.txt")
    >>> tf.io.write_file(path, "hello")
    >>> tf.io.gfile.stat(path).length
    5

    Args:
        path: A path.

    Returns:
        An object with `length`, `mtime_nsec` and `is_directory`.

    Raises:
        tf.errors.NotFoundError: There is no such file.
    """
    name = local_path(path)
    with _errors(name):
        found = os.stat(name)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(name))


def listdir(path: PathLikeOrTensor) -> list[str]:
    """The names in a folder, sorted.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a.txt"), "a")
    >>> tf.io.gfile.listdir(folder)
    ['a.txt']

    Args:
        path: The path of a folder.

    Returns:
        A list of names, without the path.

    Raises:
        tf.errors.NotFoundError: There is no such folder.
    """
    name = local_path(path)
    if not os.path.isdir(name):
        raise NotFoundError(None, None, f"Could not find directory {name}")
    with _errors(name):
        return sorted(os.listdir(name))


def glob(pattern: object) -> list[str]:
    """The paths that fit a pattern, or one of a list of patterns: `*`, `?` and `[...]` within one folder.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a.txt"), "a")
    >>> [os.path.basename(path) for path in tf.io.gfile.glob(folder + "/*.txt")]
    ['a.txt']

    Args:
        pattern: A pattern, or a list of patterns.

    Returns:
        A list of paths.
    """
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    found = [sorted(_glob.glob(local_path(one), include_hidden=True)) for one in patterns]
    return [path for paths in found for path in paths]


def mkdir(path: PathLikeOrTensor) -> None:
    """Make a folder in one that exists; nothing happens where it is there.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "models")
    >>> tf.io.gfile.mkdir(path)
    >>> tf.io.gfile.isdir(path)
    True

    Args:
        path: The path of the folder.

    Raises:
        tf.errors.NotFoundError: The folder above it does not exist.
    """
    name = local_path(path)
    if os.path.isdir(name):
        return
    with _errors(name):
        os.mkdir(name)


def makedirs(path: PathLikeOrTensor) -> None:
    """Make a folder, and those above it. Folders that exist are left alone.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "models", "first")
    >>> tf.io.gfile.makedirs(path)
    >>> tf.io.gfile.isdir(path)
    True

    Args:
        path: The path of the folder.

    Raises:
        tf.errors.FailedPreconditionError: There is a file of that name.
    """
    name = local_path(path)
    if os.path.exists(name) and not os.path.isdir(name):
        raise FailedPreconditionError(None, None, f"{name} is not a directory")
    with _errors(name):
        os.makedirs(name, exist_ok=True)


def copy(src: PathLikeOrTensor, dst: PathLikeOrTensor, overwrite: bool = False) -> None:
    """Copy a file; AlreadyExistsError where there is one, unless it may be overwritten.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a.txt"), "a")
    >>> tf.io.gfile.copy(os.path.join(folder, "a.txt"), os.path.join(folder, "b.txt"))
    >>> tf.io.gfile.listdir(folder)
    ['a.txt', 'b.txt']

    Args:
        src: The path of the file.
        dst: The path of the copy.
        overwrite: Whether a file that is there may be replaced.

    Raises:
        tf.errors.AlreadyExistsError: There is one already.
        tf.errors.NotFoundError: There is no file to copy.
    """
    _to(shutil.copyfile, src, dst, overwrite)


def rename(src: PathLikeOrTensor, dst: PathLikeOrTensor, overwrite: bool = False) -> None:
    """Rename or move a file or folder; AlreadyExistsError where there is one, unless it may be overwritten.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a.txt"), "a")
    >>> tf.io.gfile.rename(os.path.join(folder, "a.txt"), os.path.join(folder, "b.txt"))
    >>> tf.io.gfile.listdir(folder)
    ['b.txt']

    Args:
        src: The path.
        dst: The new path.
        overwrite: Whether a file that is there may be replaced.

    Raises:
        tf.errors.AlreadyExistsError: There is one already.
        tf.errors.NotFoundError: There is nothing to rename.
    """
    _to(os.replace, src, dst, overwrite)


def _to(bring: Callable[[str, str], object], src: PathLikeOrTensor, dst: PathLikeOrTensor, overwrite: bool) -> None:
    source, target = local_path(src), local_path(dst)
    with _errors(source):
        os.stat(source)
    if not overwrite and os.path.exists(target):
        raise AlreadyExistsError(None, None, f"file already exists: {target}. Use overwrite=True.")
    with _errors(f"{source} to {target}"):
        bring(source, target)


def remove(path: PathLikeOrTensor) -> None:
    """Remove a file.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> tf.io.write_file(path, "a")
    >>> tf.io.gfile.remove(path)
    >>> tf.io.gfile.exists(path)
    False

    Args:
        path: The path of a file.

    Raises:
        tf.errors.NotFoundError: There is no such file.
        tf.errors.FailedPreconditionError: It is a folder: use `rmtree`.
    """
    name = local_path(path)
    if os.path.isdir(name):
        raise FailedPreconditionError(None, None, f"{name}; Is a directory. Use rmtree.")
    with _errors(name):
        os.remove(name)


def rmtree(path: PathLikeOrTensor) -> None:
    """Remove a folder and all it holds, or a file.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a.txt"), "a")
    >>> tf.io.gfile.rmtree(folder)
    >>> tf.io.gfile.exists(folder)
    False

    Args:
        path: The path.

    Raises:
        tf.errors.NotFoundError: There is nothing of that name.
    """
    name = local_path(path)
    with _errors(name):
        if os.path.isdir(name) and not os.path.islink(name):
            shutil.rmtree(name)
        else:
            os.remove(name)


def walk(
    top: object, topdown: bool = True, onerror: Callable[[OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """For each folder from `top` down its path, the folders and the files in it.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "below", "a.txt"), "a")
    >>> [(folders, files) for path, folders, files in tf.io.gfile.walk(folder)]
    [(['below'], []), ([], ['a.txt'])]

    Args:
        top: The path of a folder.
        topdown: Whether a folder comes before those in it.
        onerror: A function that is called with the error of a folder that cannot be read; such folders are left out.

    Returns:
        An iterator over tuples (path, names of folders, names of files).
    """
    name = local_path(top)

    def failed(error: OSError) -> None:
        if onerror is not None:
            onerror(from_os_error(error, str(error.filename)))

    for folder, folders, files in os.walk(name, topdown, failed):
        if topdown:
            folders.sort()  # (in place: os.walk goes on in this order)
        yield folder, sorted(folders), sorted(files)


def join(path: PathLikeOrTensor, *paths: object) -> str:
    """The parts of a path as one.

    >>> import gradtape as tf
    >>> tf.io.gfile.join("models", "first", "weights")
    'models/first/weights'

    Args:
        path: The first part.
        *paths: The others.

    Returns:
        A path.
    """
    return os.path.join(text_of(path), *(text_of(part) for part in paths))


def get_registered_schemes() -> list[str]:
    """The URL schemes of the supported file systems.

    >>> import gradtape as tf
    >>> tf.io.gfile.get_registered_schemes()
    ['file', '']

    Returns:
        A list of names.
    """
    return ["file", ""]


__dir__ = listing(globals())
