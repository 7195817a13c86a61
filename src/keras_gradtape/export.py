"""`model.export` and `keras.export.ExportArchive`: a model as a folder that `tf.saved_model.load` reads without its code."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from keras.src import layers, tree
from keras.src.backend import KerasTensor
from keras.src.export.export_utils import make_input_spec
from keras.src.utils import io_utils

import gradtape as tf
from gradtape.saved_model.signatures import DEFAULT, named_outputs
from gradtape.saved_model.writer import Table, is_module, traces_of


class _Root(tf.Module):
    """The object to save: endpoints and lists of variables are attributes, also under names of `tf.Module`'s properties."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("variables", "trainable_variables", "non_trainable_variables"):
            vars(self)[name] = []

    def __getattribute__(self, name: str) -> Any:
        own = object.__getattribute__(self, "__dict__")
        return own[name] if name in own else object.__getattribute__(self, name)


class GradtapeExportArchive:
    """What `keras.export.ExportArchive()` gives: functions and the variables they use, written with `write_out`."""

    def __init__(self, **kwargs: Any) -> None:
        self._tf_trackable: Any = _Root()  # (named as in the archives of Keras)
        self._endpoints: dict[str, Any] = {}

    @property
    def variables(self) -> list[Any]:
        """The variables of all that is tracked."""
        return vars(self._tf_trackable)["variables"]

    @property
    def trainable_variables(self) -> list[Any]:
        """Those that are trainable."""
        return vars(self._tf_trackable)["trainable_variables"]

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Those that are not."""
        return vars(self._tf_trackable)["non_trainable_variables"]

    def track(self, resource: Any) -> None:
        """Keep the variables of a layer, a model or a module. (What endpoints use is kept with them in any case.)"""
        if isinstance(resource, layers.Layer) and not resource.built:
            raise ValueError("The layer provided has not yet been built. It must be built before export.")
        if not (is_module(resource) or isinstance(resource, (tf.Variable, *Table))):
            raise ValueError(
                "Invalid resource type. Expected a Keras `Layer` or `Model`, a `tf.Module`, a variable or a lookup table. "
                f"Received object {resource} of type '{type(resource)}'."
            )
        for name in ("variables", "trainable_variables", "non_trainable_variables"):
            vars(self._tf_trackable)[name] += getattr(resource, name, [])

    def add_endpoint(self, name: str, fn: Callable[..., Any], input_signature: Any = None, **kwargs: Any) -> Any:
        """Add a function under a name, and return it as a `tf.function`.

        Args:
            name: The attribute of the loaded object that will be the function.
            fn: Without an `input_signature`, a `tf.function` that has one or has been called.
            input_signature: A list with, for each argument, a structure of `keras.InputSpec`, `tf.TensorSpec`, Keras
                tensors or tensors; of the last two the first axis may have any size.
            **kwargs: Not supported: options of other backends raise an error.
        """
        if name in self._endpoints:
            raise ValueError(f"Endpoint name '{name}' is already taken.")
        if kwargs:
            raise ValueError(f"The gradtape backend knows no arguments {sorted(kwargs)} of an endpoint.")
        if input_signature is not None:
            specs = tree.map_structure(_spec, input_signature)
            fn = tf.function(fn, input_signature=specs, autograph=False)
        elif not hasattr(fn, "get_concrete_function"):
            raise ValueError(
                "If the `fn` argument provided is not a `tf.function`, you must provide an `input_signature` argument to "
                "specify the shape and dtype of the function arguments, such as "
                f"[keras.InputSpec(shape=(None, 3), dtype='float32')]. Received fn={fn!r}."
            )
        elif not traces_of(fn):
            raise ValueError(
                f"The provided tf.function '{fn}' has never been called. To specify the expected shape and dtype of the "
                "function's arguments, you must either provide a function that has been called at least once, or "
                "alternatively pass an `input_signature` argument in `add_endpoint()`."
            )
        setattr(self._tf_trackable, name, fn)
        self._endpoints[name] = fn
        return fn

    def track_and_add_endpoint(self, name: str, resource: Any, input_signature: Any, **kwargs: Any) -> Any:
        """Keep a layer or model, and add its call under a name."""
        self.track(resource)
        return self.add_endpoint(name, resource.__call__, input_signature, **kwargs)

    def add_variable_collection(self, name: str, variables: Any) -> None:
        """Keep a list of variables under a name."""
        if not isinstance(variables, (list, tuple, set)):
            raise ValueError(
                f"Expected `variables` to be a list/tuple/set. Received instead object of type '{type(variables)}'."
            )
        others = {type(variable) for variable in variables if not isinstance(variable, tf.Variable)}
        if others:
            raise ValueError(
                "Expected all elements in `variables` to be variables. Found instead the following types: "
                f"{sorted(kind.__name__ for kind in others)}"
            )
        vars(self._tf_trackable)[name] = list(variables)

    def write_out(self, filepath: Any, options: Any = None, verbose: bool = True) -> None:
        """Write the folder. Every endpoint that returns tensors is a signature too, the first one as "serving_default"."""
        if not self._endpoints:
            raise ValueError("No endpoints have been set yet. Call add_endpoint().")
        traces = {name: traces_of(fn)[0] for name, fn in self._endpoints.items()}
        signatures = {name: trace for name, trace in traces.items() if named_outputs(trace) is not None}
        if signatures:
            signatures.setdefault(DEFAULT, next(iter(signatures.values())))
        tf.saved_model.save(self._tf_trackable, os.fspath(filepath), signatures=signatures, options=options)
        if verbose:
            endpoints = "\n".join(
                f"* {name}: {trace.pretty_printed_signature(False)}" for name, trace in traces.items()
            )
            io_utils.print_msg(f"Saved artifact at '{filepath}'. The following endpoints are available:\n{endpoints}")


def _spec(part: Any) -> Any:
    """A spec or tensor of Keras as a `tf.TensorSpec`; its first axis may have any size where it is a tensor."""
    if isinstance(part, tf.TypeSpec):
        return part
    spec = make_input_spec(part)
    return tf.TensorSpec(
        spec.shape, spec.dtype, spec.name if isinstance(part, (KerasTensor, layers.InputSpec)) else None
    )
