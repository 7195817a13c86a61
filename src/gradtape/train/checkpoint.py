"""`tf.train.Checkpoint`: the values of a whole structure of objects, saved and brought back by name."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..base.context import RESTORATIONS, STATE, resume_restorations
from ..base.locks import new_lock
from ..variables.in_place import lock_of
from ..variables.variable import Variable
from ..xla.processes import is_first
from . import pieces, storage
from .restoration import Restoration
from .state_file import update_checkpoint_state
from .states import encoded_state
from .tracking import children_of, is_trackable, tracked_objects

_COUNTERS = new_lock()


class CheckpointOptions:
    """Settings of one save or restore.

    >>> import gradtape as tf, tempfile
    >>> written = []
    >>> options = tf.train.CheckpointOptions(experimental_write_callbacks=[lambda path: written.append(path)])
    >>> path = tf.train.Checkpoint(w=tf.Variable(1.0)).write(tempfile.mkdtemp() + "/weights", options)
    >>> written == [path]
    True

    Args:
        experimental_io_device: Accepted: there is one device.
        experimental_enable_async_checkpoint: Accepted; the call returns when the checkpoint is on the disk.
        experimental_write_callbacks: Functions to call after writing, with the path if they take an argument.
        enable_async: The same as experimental_enable_async_checkpoint.
        experimental_skip_slot_variables: Ignored; accepted for compatibility with TensorFlow.
        experimental_sharding_callback: Accepted: a checkpoint is one file of arrays.

    Raises:
        AssertionError: A callback takes more than the path.
    """

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        for callback in experimental_write_callbacks or ():
            if len(inspect.signature(callback).parameters) > 1:
                raise AssertionError(
                    f"CheckpointOptions: a write callback takes the path, or nothing; {callback!r} takes more than one argument."
                )
        self.experimental_io_device = experimental_io_device
        self.experimental_enable_async_checkpoint = experimental_enable_async_checkpoint
        self.experimental_write_callbacks = list(experimental_write_callbacks or ())
        self.enable_async = enable_async
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback

    def __copy__(self) -> CheckpointOptions:
        made = object.__new__(type(self))
        vars(made).update(vars(self), experimental_write_callbacks=list(self.experimental_write_callbacks))
        return made

    def _written(self, path: str) -> None:
        for callback in self.experimental_write_callbacks:
            callback(path) if inspect.signature(callback).parameters else callback()


class CheckpointLoadStatus:
    """What `restore` returns: ways to check that everything found its place."""

    def __init__(self, restoration: Restoration, root: Checkpoint) -> None:
        self._restoration = restoration
        self._root = root

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Raise AssertionError unless every value of the checkpoint, and every variable of the program, was matched."""
        self.assert_existing_objects_matched()
        names = self._restoration.unmatched_names()
        if names:
            raise AssertionError(
                f"Unresolved object in checkpoint {names[0]}: {len(names)} of its values found no object in the program"
                f"{_listed(names)}. If that is meant, use expect_partial()."
            )
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Raise AssertionError if a variable or a state of the program has no value in the checkpoint."""
        self._restoration.resume()
        objects = self._restoration.unmatched_objects(self._root)
        if objects:
            raise AssertionError(
                f"Found {len(objects)} Python objects that were not bound to checkpointed values, likely due to changes in "
                f"the Python program{_listed(list(map(repr, objects)))}."
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Raise AssertionError if nothing at all was matched."""
        self._restoration.resume()
        if not self._restoration.matched_values:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint does "
                f"not match the Python program. It has{_listed(self._restoration.unmatched_names())}."
            )
        return self

    def expect_partial(self) -> CheckpointLoadStatus:
        """Say that not everything in the checkpoint will be used."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing to do: values are restored already."""

    run_restore_ops = initialize_or_restore


class InitializationOnlyStatus(CheckpointLoadStatus):
    """What `restore(None)` returns: there was nothing to restore."""

    def __init__(self) -> None:
        pass

    def _refuse(self) -> CheckpointLoadStatus:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _refuse


def _listed(names: list[str]) -> str:
    more = ", ..." if len(names) > 10 else ""
    return f": [{', '.join(names[:10])}{more}]"


class Checkpoint:
    """Saves and restores the values of models, optimizers, iterators, generators and counters.

    >>> import gradtape as tf, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> step, w = tf.Variable(3), tf.Variable([1.0, 2.0])
    >>> path = tf.train.Checkpoint(step=step, layers=[w]).save(f"{folder.name}/ckpt")
    >>> again = tf.train.Checkpoint(step=tf.Variable(0), layers=[tf.Variable([0.0, 0.0])])
    >>> status = again.restore(path).assert_consumed()
    >>> again.step.numpy(), again.layers[0].numpy()
    (np.int32(3), array([1., 2.], dtype=float32))
    >>> folder.cleanup()

    Values are found by the names of the attributes, list positions and dict keys that lead to them. Everything with
    variables in it can be part: `tf.Module`s, lists, tuples, dicts, models and optimizers of Keras, objects of your own;
    and whatever has a state: iterators over datasets, `tf.random.Generator` and NumPy's, `tf.random` itself (the state
    behind `tf.random.set_seed`), any object with `get_state` and `set_state`. Values for variables that do not exist yet
    are kept, and assigned when these are made.

    Args:
        root: An object whose parts are the checkpoint's parts.
        **kwargs: Further parts, by name.

    Raises:
        ValueError: A part has no variables and no state, such as a plain number.
    """

    _root: Any
    _save_counter: Variable | None

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        self.__dict__.update(_root=root, _save_counter=None)
        if root is not None and not is_trackable(root):
            raise _not_trackable("root", root)
        for name, value in sorted(kwargs.items()):
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(getattr(type(self), name, None), property):
            raise AttributeError(f"property {name!r} of 'Checkpoint' object has no setter")
        if not is_trackable(value):
            raise _not_trackable(name, value)
        object.__setattr__(self, name, value)
        if RESTORATIONS:
            resume_restorations()

    def _trackable_children(self) -> dict[str, Any]:
        """The parts of the root, those given by name, and the counter of saves."""
        parts = {} if self._root is None else dict(children_of(self._root))
        parts.update((name, value) for name, value in vars(self).items() if name not in ("_root", "_save_counter"))
        if self._save_counter is not None:
            parts["save_counter"] = self._save_counter
        return parts

    @property
    def save_counter(self) -> Variable:
        """A variable that counts the calls of `save`; it is saved too."""
        if self._save_counter is None:
            counter = Variable(np.int64(0), trainable=False, name="save_counter")
            with _COUNTERS:  # two threads may save for the first time
                if self._save_counter is None:
                    self.__dict__["_save_counter"] = counter
            if RESTORATIONS:
                resume_restorations()
        found: Variable = self.__dict__["_save_counter"]
        return found

    # --- saving ----------------------------------------------------------------------------------------------------------

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint with exactly this prefix; `read` is the way back.

        The files are on the disk when this returns. If it fails, or the machine does, what was there before is still there.

        >>> import tempfile
        >>> folder, w = tempfile.mkdtemp(), tf.Variable(1.0)
        >>> checkpoint = tf.train.Checkpoint(w=w)
        >>> path = checkpoint.write(folder + "/weights")
        >>> _ = w.assign(5.0)
        >>> _ = checkpoint.read(path)
        >>> w.numpy()
        np.float32(1.0)

        Args:
            file_prefix: The path that the names of the files begin with.
            options: A `tf.train.CheckpointOptions`, which is told when the files are written.

        Returns:
            The prefix.
        """
        _outside_functions("write")
        prefix: str = os.fspath(file_prefix)
        arrays: dict[str, Any] = {}
        objects: list[dict[str, Any]] = []
        for tracked in tracked_objects(self):
            node: dict[str, Any] = {"children": tracked.children}
            if tracked.variable is not None:
                node["value"] = f"{tracked.key}/VARIABLE_VALUE"
                arrays[node["value"]] = pieces.value_of(tracked.variable)
            elif tracked.state is not None:
                node["state"] = encoded_state(tracked.state.get(), f"{tracked.key}/STATE", arrays)
            objects.append(node)
        pieces.write(prefix, arrays, {"objects": objects})
        if options is not None:
            options._written(prefix)
        return prefix

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint with the next number behind the prefix, and note it as the latest of its folder.

        >>> import tempfile
        >>> folder, w = tempfile.mkdtemp(), tf.Variable(1.0)
        >>> checkpoint = tf.train.Checkpoint(w=w)
        >>> checkpoint.save(folder + "/ckpt") == tf.train.latest_checkpoint(folder)
        True

        Args:
            file_prefix: The path that the names of the files begin with.
            options: A `tf.train.CheckpointOptions`, which is told when the files are written.

        Returns:
            The path, such as "folder/ckpt-3", to be given to `restore`.
        """
        _outside_functions("save")
        with next_number(self.save_counter) as number:
            path = f"{os.fspath(file_prefix)}-{number}"
            self.write(path)
            if is_first():
                update_checkpoint_state(os.path.dirname(path), path, [path])
        if options is not None:
            options._written(path)
        return path

    # --- restoring ---------------------------------------------------------------------------------------------------------

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> CheckpointLoadStatus:
        """Restore what `write` wrote; see `restore`.

        >>> import tempfile
        >>> folder, w = tempfile.mkdtemp(), tf.Variable(1.0)
        >>> checkpoint = tf.train.Checkpoint(w=w)
        >>> path = checkpoint.write(folder + "/weights")
        >>> _ = w.assign(5.0)
        >>> checkpoint.read(path).assert_consumed() is not None
        True
        >>> w.numpy()
        np.float32(1.0)

        Args:
            save_path: What `write` returned.
            options: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A status whose `assert_consumed` raises unless everything was matched.

        Raises:
            tf.errors.NotFoundError: There is no such checkpoint.
            tf.errors.DataLossError: The files are damaged, or no checkpoint at all. Nothing has been changed then.
            ValueError, tf.errors.InvalidArgumentError: A variable has another shape or type; nothing has been changed.
        """
        _outside_functions("read")
        return CheckpointLoadStatus(Restoration(storage.Bundle(os.fspath(save_path)), self, self._root), self)

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> CheckpointLoadStatus:
        """Bring the values of a checkpoint to the variables and states of the same names.

        >>> import tempfile
        >>> folder, w = tempfile.mkdtemp(), tf.Variable(1.0)
        >>> checkpoint = tf.train.Checkpoint(w=w)
        >>> path = checkpoint.save(folder + "/ckpt")
        >>> restored = tf.Variable(0.0)
        >>> _ = tf.train.Checkpoint(w=restored).restore(path)
        >>> restored.numpy()
        np.float32(1.0)

        Args:
            save_path: What `save` or `tf.train.latest_checkpoint` returned; with None nothing is restored.
            options: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A status whose `assert_consumed` raises unless everything was matched.

        Raises:
            tf.errors.NotFoundError: There is no such checkpoint.
            tf.errors.DataLossError: The files are damaged, or no checkpoint at all. Nothing has been changed then.
            ValueError, tf.errors.InvalidArgumentError: A variable has another shape or type; nothing has been changed.
        """
        _outside_functions("restore")
        if save_path is None:
            return InitializationOnlyStatus()
        bundle = storage.Bundle(os.fspath(save_path))
        _ = self.save_counter  # so that it is restored too
        return CheckpointLoadStatus(Restoration(bundle, self, self._root), self)

    def sync(self) -> None:
        """Nothing to do: a checkpoint is on the disk when `save` returns.

        >>> tf.train.Checkpoint(w=tf.Variable(1.0)).sync()
        """

    def __repr__(self) -> str:
        return f"<tf.train.Checkpoint of {', '.join(self._trackable_children())}>"


@contextlib.contextmanager
def next_number(counter: Variable) -> Iterator[int]:
    """The number of the save in this block. If it fails it takes its number back, unless a later save has the next one."""
    with lock_of(counter):  # no two threads save under one number
        counter.assign_add(1)
        number = int(counter)
    try:
        yield number
    except BaseException:
        with lock_of(counter):
            if int(counter) == number:
                counter.assign_sub(1)
        raise


def _outside_functions(name: str) -> None:
    if STATE.trace is not None:
        raise NotImplementedError(
            f"tf.train.Checkpoint.{name} works on the values of variables and on files, which a tf.function has none of while "
            "it is traced. Call it outside of the function, after the function has run."
        )


def _not_trackable(name: str, value: Any) -> ValueError:
    return ValueError(
        f"`Checkpoint` was expecting {name} to be a trackable object (with variables in it, or with get_state and set_state), "
        f"got {value!r} of type {type(value).__name__}. Put a number that changes into a variable: tf.Variable({value!r})."
    )


class PythonState:
    """Base class for state of your own: `serialize` gives it as bytes, `deserialize` takes them back.

    >>> import gradtape as tf
    >>> class Epoch(tf.train.experimental.PythonState):
    ...     number = 0
    ...     def serialize(self):
    ...         return str(self.number).encode()
    ...     def deserialize(self, string_value):
    ...         self.number = int(string_value)
    >>> import tempfile
    >>> epoch = Epoch()
    >>> epoch.number = 7
    >>> path = tf.train.Checkpoint(epoch=epoch).write(tempfile.mkdtemp() + "/state")
    >>> restored = Epoch()
    >>> _ = tf.train.Checkpoint(epoch=restored).restore(path)
    >>> restored.number
    7
    """

    def serialize(self) -> bytes:
        """The state as bytes; a class of your own says how.

        Returns:
            Bytes.
        """
        raise NotImplementedError

    def deserialize(self, string_value: bytes) -> None:
        """Go on from this state; a class of your own says how.

        Args:
            string_value: What `serialize` gave.
        """
        raise NotImplementedError
