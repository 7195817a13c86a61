"""The ops of Keras, by subject, written in those of gradtape."""

from __future__ import annotations

from types import FunctionType, ModuleType


def forget_annotations(*modules: ModuleType) -> None:
    """Remove annotations from the functions of these modules: Keras compares their signatures with its own, which have none."""
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, FunctionType) and value.__module__.startswith(__name__):
                value.__annotations__ = {}
