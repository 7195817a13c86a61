"""All ops of the package: those that are imported on first use, too."""

import importlib
import pkgutil

import gradtape.ops as package
from gradtape.op.declaration import REGISTRY, Op


def all_ops() -> list[Op]:
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    return [op for op in REGISTRY.values() if op.__module__.startswith(f"{package.__name__}.")]
