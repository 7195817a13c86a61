"""`model.export` and `keras.export.ExportArchive`: a model as a folder that `tf.saved_model.load` reads, without its code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradtape as tf


class GradtapeExportArchive:
    """What `keras.export.ExportArchive()` gives: functions and the variables they use, written with `write_out`."""

    def __init__(self, **kwargs: Any) -> None:
        self._archive: Any = tf.Module()
        self._archive._tracked = []
        self._endpoints: dict[str, Any] = {}

    def track(self, resource: Any) -> None:
        """Keep the variables of a layer, a model or a module."""
        self._archive._tracked.append(resource)

    def add_endpoint(self, name: str, fn: Callable[..., Any], input_signature: Any = None, **kwargs: Any) -> Any:
        """Add a function under a name; without a signature it must be a `tf.function` that has been called."""
        if name in self._endpoints:
            raise ValueError(f"Endpoint name {name!r} is already taken.")
        if input_signature is None:
            if not hasattr(fn, "get_concrete_function"):
                raise ValueError(
                    f"If the `fn` argument provided is not a `tf.function`, you must provide an `input_signature` argument to "
                    f"specify the shape and dtype of the function inputs. Received fn={fn!r}."
                )
            endpoint = fn
        else:
            specs = [_spec(part) for part in input_signature]
            endpoint = tf.function(fn, input_signature=specs, autograph=False)
        setattr(self._archive, name, endpoint)
        self._endpoints[name] = endpoint
        return endpoint

    def track_and_add_endpoint(self, name: str, resource: Any, input_signature: Any, **kwargs: Any) -> Any:
        """Keep a layer or model, and add its call under a name."""
        self.track(resource)
        return self.add_endpoint(name, lambda *inputs: resource(*inputs), input_signature, **kwargs)

    def add_variable_collection(self, name: str, variables: Any) -> None:
        """Keep a list of variables under a name."""
        if not isinstance(variables, (list, tuple, set)):
            raise ValueError(
                f"Expected `variables` to be a list/tuple/set. Received instead object of type {type(variables)}."
            )
        setattr(self._archive, name, list(variables))

    def write_out(self, filepath: Any, options: Any = None, verbose: bool = True) -> None:
        """Write the folder."""
        if not self._endpoints:
            raise ValueError("No endpoints have been set yet. Call add_endpoint().")
        first = next(iter(self._endpoints))
        signatures = {"serving_default": self._endpoints[first], **self._endpoints}
        if any(len(spec) != 1 or not isinstance(spec[0], tf.TensorSpec) for spec in self._signatures().values()):
            signatures = {}
        tf.saved_model.save(self._archive, str(filepath), signatures=signatures or None, options=options)
        if verbose:
            print(f"Saved artifact at '{filepath}'. Its functions: {', '.join(self._endpoints)}.")

    def _signatures(self) -> dict[str, Any]:
        return {name: getattr(fn, "input_signature", None) or () for name, fn in self._endpoints.items()}


def _spec(part: Any) -> Any:
    """Keras's specs and tensors, in any structure, as `tf.TensorSpec`s."""
    if isinstance(part, dict):
        return {key: _spec(value) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_spec(value) for value in part]
    return tf.TensorSpec(part.shape, getattr(part, "dtype", None) or "float32", getattr(part, "name", None))
