"""`tf.saved_model.save` and `load`: the files of a saved model. docs/design/saved-model.md describes them."""

from __future__ import annotations

import logging
import os
from typing import Any

from ..trace.recorder import outside_traces
from ..train import storage
from ..version import __version__
from .options import LoadOptions, SaveOptions
from .reader import ModelReader
from .restored import LoadedModule, SignatureMap
from .signatures import chosen_signatures
from .writer import ModelWriter, Traced, is_module

LOGGER = logging.getLogger("gradtape")
NAME = "saved_model"  # of the files in the folder
KIND = storage.Kind("saved model", 1)


def save(obj: object, export_dir: Any, signatures: object = None, options: SaveOptions | None = None) -> None:
    """Save a module with its variables and traced functions in a folder, to be loaded without its code.

    Stored are the traces that the functions have; a function with an input_signature is traced for it. A folder that
    holds a saved model is replaced by the new one in one step.

    >>> import gradtape as tf
    >>> import tempfile
    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = tf.Variable(2.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    ...     def __call__(self, x):
    ...         return self.factor * x
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.saved_model.save(Scale(), folder)
    ...     scale = tf.saved_model.load(folder)
    >>> scale(tf.constant([1.0, 2.0, 3.0])).numpy()
    array([2., 4., 6.], dtype=float32)

    Args:
        obj: A `tf.Module`, or a model of Keras.
        export_dir: The folder; it is made if it is not there.
        signatures: A function with an input_signature, a ConcreteFunction, or a dict of them by name. Without it, the one
            function of `obj` that has an input_signature is the signature "serving_default".
        options: Their `function_aliases`, other names for functions, are stored too.

    Raises:
        NotStorableError: A function calls Python code or uses an object that no file can hold; a ValueError.
    """
    if not is_module(obj):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` class, for export. "
            f"Got {obj!r} with type {type(obj)}. Put functions and variables into the attributes of a tf.Module."
        )
    if options is not None and not isinstance(options, SaveOptions):
        raise TypeError(f"options must be tf.saved_model.SaveOptions, got {options!r}.")
    aliases = {} if options is None else _aliases(options.function_aliases)
    with outside_traces():
        serving = chosen_signatures(obj, signatures)
        writer = ModelWriter(obj, serving, aliases)
    if writer.untraced:
        LOGGER.warning(
            "tf.saved_model.save: these functions were never called and have no input_signature, so there is nothing to save of "
            "them: %s.",
            ", ".join(sorted(set(writer.untraced))),
        )
    folder = os.fspath(export_dir)
    with storage.named_errors(folder, "write", KIND):
        os.makedirs(folder, exist_ok=True)
    storage.write(os.path.join(folder, NAME), writer.arrays, {"gradtape": __version__, **writer.content()}, KIND)


def load(export_dir: Any, tags: Any = None, options: LoadOptions | None = None) -> Any:
    """The module that was saved in a folder, with the same attributes: variables, functions and modules inside it.

    Its functions are called as before, with tensors of the sizes they were traced for, and can be differentiated. No code
    of the program that saved it is needed, and none is run.

    >>> import gradtape as tf, tempfile
    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.w = tf.Variable(2.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([None])])
    ...     def __call__(self, x):
    ...         return self.w * x
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(Scale(), folder)
    >>> tf.saved_model.load(folder)(tf.constant([1.0, 2.0])).numpy()
    array([2., 4.], dtype=float32)

    Args:
        export_dir: The folder that `tf.saved_model.save` was given.
        tags: None or "serve".
        options: Whether to load the `function_aliases` too.

    Returns:
        An object with the attributes of the module.

    Raises:
        FileNotFoundError: There is no saved model in the folder; an OSError.
        DataLossError: It is damaged, or of a later version.
        NotFoundError: It uses something that this version of gradtape does not have.
    """
    folder = os.fspath(export_dir)
    if not contains_saved_model(folder):
        raise _missing(folder)
    if tags is not None and [*([tags] if isinstance(tags, str) else tags)] not in ([], ["serve"]):
        raise ValueError(
            f"Got an incompatible argument to `tags`: {tags}. The SavedModel at {folder} has the tags ['serve']. You may omit "
            "the argument, pass 'None', or pass matching tags."
        )
    if options is not None and not isinstance(options, LoadOptions):
        raise TypeError(f"options must be tf.saved_model.LoadOptions, got {options!r}.")
    bundle = _SavedModel(os.path.join(folder, NAME))
    arrays = bundle.read(bundle.tensors)
    with outside_traces(), storage.corrupt_means_data_loss(folder, KIND):
        reader = ModelReader(bundle.content, arrays)
        root: LoadedModule = reader.objects[0]
        serving = {name: reader.trace(number) for name, number in bundle.content["signatures"].items()}
        aliases = {name: reader.function(number) for name, number in bundle.content.get("aliases", {}).items()}
    vars(root)["_signatures"] = SignatureMap(serving)
    if options is not None and options.experimental_load_function_aliases:
        vars(root)["function_aliases"] = aliases
    return root


def _aliases(given: Any) -> dict[str, Any]:
    """The option `function_aliases`, checked."""
    for name, function in (given or {}).items():
        if not isinstance(function, Traced):
            raise TypeError(
                f"Unsupported type {type(function)} for the alias {name!r}. Functions in `function_aliases` should be created "
                "by tf.function, or concrete functions."
            )
    return dict(given or {})


def contains_saved_model(export_dir: Any) -> bool:
    """Whether there is a saved model in a folder.

    >>> import gradtape as tf
    >>> import tempfile
    >>> tf.saved_model.contains_saved_model(tempfile.mkdtemp())
    False

    Args:
        export_dir: The folder that `tf.saved_model.save` was given.

    Returns:
        True or False.
    """
    return os.path.isfile(os.path.join(os.fspath(export_dir), f"{NAME}.index"))


class _SavedModel(storage.Bundle):
    """The files of a saved model."""

    kind = KIND

    def _take(self, index: dict[str, Any]) -> None:
        self.content = index
        if not isinstance(index["signatures"], dict) or not isinstance(index["traces"], list):
            raise ValueError("it lists no signatures")


def _missing(folder: str) -> FileNotFoundError:
    message = f"SavedModel file does not exist at: {os.path.join(folder, NAME)}.index."
    if any(os.path.exists(os.path.join(folder, f"{NAME}.{ending}")) for ending in ("pb", "pbtxt")):
        message += " The folder holds one that TensorFlow has written, which gradtape does not read."
    return FileNotFoundError(message)
