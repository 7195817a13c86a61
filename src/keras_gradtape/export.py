"""`keras.export`: what a trained model can be written to for use without its code."""

from __future__ import annotations

from typing import Any


class GradtapeExportArchive:
    """TensorFlow's SavedModel is written by TensorFlow alone; there is nothing here that it could be written with."""

    def __init__(self) -> None:
        raise NotImplementedError(
            "`export_saved_model` only currently supports the tensorflow, jax and torch backends. Save the model with "
            "`model.save('model.keras')`: Keras on any backend, TensorFlow included, loads and exports that file."
        )

    def track(self, resource: Any) -> None:
        """Not reached."""

    def add_endpoint(self, name: str, fn: Any, input_signature: Any = None, **kwargs: Any) -> None:
        """Not reached."""
