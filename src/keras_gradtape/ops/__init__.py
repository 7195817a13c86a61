"""The ops of Keras, by subject, written in those of gradtape."""

from __future__ import annotations

from types import FunctionType, ModuleType


def forget_annotations(*modules: ModuleType) -> None:
    """Leave the functions of these modules with the signatures that Keras declares: it compares them, and has no types."""
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, FunctionType) and value.__module__.startswith(__name__):
                value.__annotations__ = {}
